//! Pictures of built trees.

use alloc::string::{String, ToString};

use tickseed_core::{Def, KeyId, Kind, NodeDef, TickReport};

use crate::tree::{Node, Shape, State, Tree};

impl Tree {
    /// The tree of a definition. Node `i` of the picture's tree is node `NodeId(i)`, and that
    /// number is its `id`. `key` gives names to the keys that guards ask.
    ///
    /// ```
    /// use tickseed_core::nodes;
    /// use tickseed_draw::Tree;
    /// let n = nodes::<()>();
    /// let built = n.selector([n.fail(), n.action("patrol", |_| true)]).build().unwrap();
    /// let tree = Tree::from_def("robot", built.def(), &|key| format!("key {}", key.0));
    /// assert_eq!(tree.nodes()[2].label, "patrol");
    /// ```
    #[must_use]
    pub fn from_def(name: impl Into<String>, def: &Def, key: &dyn Fn(KeyId) -> String) -> Tree {
        let node = |i: usize, node: &NodeDef| {
            let (shape, glyph) = look(&node.kind);
            let mut out = Node::new(node.name.as_deref().unwrap_or(""), node.kind.name(), shape);
            out.id = i.to_string();
            out.glyph = glyph.into();
            out.detail = node.kind.options(key).join(", ");
            for tag in node.tags() {
                out.detail
                    .push_str(if out.detail.is_empty() { "#" } else { " #" });
                out.detail.push_str(tag);
            }
            out
        };
        let mut all = def.iter();
        let root = all.next().map_or_else(Node::default, |(_, n)| node(0, n));
        let mut tree = Tree::new(name, root);
        for (id, n) in all {
            let parent = n.parent.map_or(0, |p| p.0 as usize);
            let mut drawn = node(id.0 as usize, n);
            drawn.edge = part(
                &def.node(n.parent.unwrap_or(id)).kind,
                tree.children(parent).len(),
            );
            tree.add(parent, drawn);
        }
        tree
    }

    /// Sets what each node answered in one tick, for a tree made by [`from_def`](Tree::from_def).
    /// Nodes that the tick did not reach keep their last answer, as [`State::Earlier`].
    pub fn show_tick(&mut self, report: &TickReport) {
        for node in self.nodes_mut() {
            if let State::Now(status) = node.state {
                node.state = State::Earlier(status);
            } else if node.state == State::Halted {
                node.state = State::Unknown;
            }
        }
        for id in report.halted() {
            if let Some(node) = self.nodes_mut().get_mut(id.0 as usize) {
                node.state = State::Halted;
            }
        }
        for entry in report.entries() {
            if let (Some(node), Some(status)) = (
                self.nodes_mut().get_mut(entry.node.0 as usize),
                entry.status,
            ) {
                node.state = State::Now(status);
            }
        }
    }
}

/// The words on the edge to a child with a special role; empty for plain numbers.
fn part(parent: &Kind, child: usize) -> String {
    let words: &[&str] = match parent {
        Kind::IfThenElse => &["if", "then", "else"],
        Kind::WhileDoElse { .. } => &["while", "do", "else"],
        _ => &[],
    };
    words.get(child).copied().unwrap_or("").into()
}

/// A kind's shape and glyph.
fn look(kind: &Kind) -> (Shape, &'static str) {
    match kind {
        Kind::Condition(_) => (Shape::Condition, "◇"),
        Kind::Wait(_) | Kind::WaitUntil(_) => (Shape::Action, "◷"),
        Kind::Constant(_) | Kind::Log(_) => (Shape::Action, "="),
        _ if kind.is_leaf() => (Shape::Action, "●"),
        Kind::Sequence(_) => (Shape::Control, "→"),
        Kind::Selector(_) => (Shape::Control, "?"),
        Kind::Parallel(_) => (Shape::Control, "⇉"),
        Kind::IfThenElse | Kind::WhileDoElse { .. } | Kind::Switch(_) => (Shape::Control, "⑂"),
        Kind::Utility(_) => (Shape::Control, "▤"),
        Kind::Custom(_) => (Shape::Control, "✱"),
        Kind::ForEach(_) | Kind::Loop(_) => (Shape::Decorator, "↻"),
        Kind::Gate(_) | Kind::TimeLimit(_) | Kind::Delay(_) => (Shape::Decorator, "◷"),
        Kind::Invert => (Shape::Decorator, "!"),
        Kind::Force(_) => (Shape::Decorator, "="),
        Kind::WhileGuard { .. } | Kind::Precondition { .. } => (Shape::Decorator, "◇"),
        _ => (Shape::Decorator, "○"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use tickseed_core::{Context, Status, Time, nodes};

    struct Go(bool);
    impl Context for Go {
        type At<'a> = Go;
    }

    #[test]
    fn nodes_of_users_show_the_name_of_their_kind() {
        struct TwoInARow;
        impl tickseed_core::CustomNode<()> for TwoInARow {
            type State = ();
            type Memory = ();
            fn name(&self) -> &'static str {
                "two in a row"
            }
            fn tick(
                &self,
                n: &mut tickseed_core::Branches<'_, ()>,
                _: &mut (),
                _: &mut (),
            ) -> Result<Status, tickseed_core::Stop> {
                n.tick(0)
            }
        }
        let n = nodes::<()>();
        let root = n.sequence([
            n.custom(TwoInARow, [n.succeed()]),
            n.custom(TwoInARow, [n.succeed()]).named("greet"),
        ]);
        let built = root.build().unwrap();
        let tree = Tree::from_def("t", built.def(), &|_| String::new());
        let shown = |i: usize| {
            let node = &tree.nodes()[i];
            (String::from(node.title()), node.subtitle())
        };
        assert_eq!(shown(1).0.as_str(), "two in a row");
        let (title, subtitle) = shown(3);
        assert_eq!(
            (title.as_str(), subtitle.as_str()),
            ("greet", "two in a row")
        );
    }

    #[test]
    fn ticks_show_as_states_and_fade() {
        let n = nodes::<Go>();
        let built = n
            .selector([
                n.sequence([
                    n.condition("go", |g| g.0),
                    n.action("run", |_| Status::Running),
                ])
                .reactive(),
                n.action("rest", |_| Status::Success),
            ])
            .build()
            .unwrap();
        let mut tree = Tree::from_def("t", built.def(), &|_| String::new());
        let mut agent = built.agent();
        let mut report = TickReport::new();
        let mut states = |go: bool| {
            report.clear();
            let mut cx = Go(go);
            built
                .tick_traced(&mut agent, &mut cx, Time::ZERO, &mut report)
                .unwrap();
            tree.show_tick(&report);
            tree.nodes().iter().map(|n| n.state).collect::<Vec<_>>()
        };
        use State::{Earlier, Halted, Now, Unknown};
        use Status::{Failure, Running, Success};
        let running = Now(Running);
        assert_eq!(
            states(true),
            [running, running, Now(Success), running, Unknown]
        );
        assert_eq!(
            states(false),
            [
                Now(Success),
                Now(Failure),
                Now(Failure),
                Halted,
                Now(Success)
            ]
        );
        let rested = [running, running, Now(Success), running, Earlier(Success)];
        assert_eq!(states(true), rested);
    }
}
