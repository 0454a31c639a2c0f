//! Pictures of trees in files.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tickseed_lang::builtin::builtin;
use tickseed_lang::fmt::details;
use tickseed_lang::model::{
    Category, Document, Form, Item, Literal, Node as Written, Role, Tree as WrittenTree, ValueKind,
};

use crate::tree::{Node, Shape, Tree};

/// The maximum number of nodes of a picture, since trees that use trees can grow without bound.
/// Uses that would exceed it stay closed.
pub const MOST_NODES: usize = 50_000;

/// The trees of several documents, for drawing them by name.
///
/// ```
/// use tickseed_draw::{Forest, outline};
/// use tickseed_lang::{model::FileId, tick};
/// let text = "main tree Guard { selector reactive { Fight\n Patrol(route) } }
///             tree Fight { sequence { check target != none\n Attack(target) } }";
/// let document = tick::parse_text(text, FileId(0)).document;
/// let forest = Forest::new([&document]);
/// assert_eq!(outline(&forest.draw("Guard", true).unwrap()), "\
/// selector reactive
/// ├─ Fight
/// │  └─ sequence
/// │     ├─ check target != none
/// │     └─ Attack target
/// └─ Patrol route
/// ");
/// ```
#[derive(Debug, Default)]
pub struct Forest<'d> {
    trees: BTreeMap<&'d str, &'d WrittenTree>,
    models: BTreeMap<&'d str, Category>,
}

impl<'d> Forest<'d> {
    /// The trees of these documents. If a name occurs twice, the later tree counts.
    pub fn new(documents: impl IntoIterator<Item = &'d Document>) -> Forest<'d> {
        let mut forest = Forest::default();
        for item in documents.into_iter().flat_map(|d| &d.items) {
            match item {
                Item::Tree(tree) => {
                    forest.trees.insert(tree.name.as_str(), tree);
                }
                Item::Model(model) => {
                    forest.models.insert(model.name.as_str(), model.category);
                }
                _ => {}
            }
        }
        forest
    }

    /// The names of the trees, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'d str> {
        self.trees.keys().copied()
    }

    /// The tree with this name, if there is one. Uses of other trees stay closed or, with `inline`,
    /// show the used tree below them (a tree inside itself stays closed).
    ///
    /// A node's `id` is its tree's name and its place there: `Guard/0.2` is the third child of the
    /// root's first child. Inside a use of another tree, that tree's part follows:
    /// `Guard/0.2/Fight/0`.
    #[must_use]
    pub fn draw(&self, name: &str, inline: bool) -> Option<Tree> {
        let mut drawing = Drawing {
            forest: self,
            inline,
            out: None,
            uses: Vec::new(),
            todo: Vec::new(),
        };
        let (name, tree) = self.trees.get_key_value(name)?;
        drawing.open(name, tree, None, String::from(*name));
        while let Some(next) = drawing.todo.pop() {
            drawing.add(next);
        }
        let mut out = drawing
            .out
            .unwrap_or_else(|| Tree::new("", Node::new("", "(empty)", Shape::Action)));
        out.name = (*name).to_string();
        Some(out)
    }
}

/// A node that is still to be drawn.
struct Next<'d> {
    node: &'d Written,
    parent: Option<usize>,
    id: String,
    edge: String,
}

struct Drawing<'f, 'd> {
    forest: &'f Forest<'d>,
    inline: bool,
    out: Option<Tree>,
    /// For each drawn node: the tree that it opens.
    uses: Vec<Option<&'d str>>,
    todo: Vec<Next<'d>>,
}

impl<'d> Drawing<'_, 'd> {
    /// Queues a tree's root for drawing.
    fn open(&mut self, name: &'d str, tree: &'d WrittenTree, parent: Option<usize>, id: String) {
        let parent = match (&tree.body[..], parent) {
            ([_], parent) => parent,
            // More or fewer than one root is a mistake, but one that can be drawn.
            (_, Some(parent)) => Some(parent),
            (_, None) => Some(self.push(None, Node::new(name, "tree", Shape::Subtree), None)),
        };
        for (i, node) in tree.body.iter().enumerate().rev() {
            let id = if tree.body.len() == 1 {
                format!("{id}/")
            } else {
                format!("{id}/{i}")
            };
            self.todo.push(Next {
                node,
                parent,
                id,
                edge: String::new(),
            });
        }
    }

    fn push(&mut self, parent: Option<usize>, node: Node, opens: Option<&'d str>) -> usize {
        self.uses.push(opens);
        match (&mut self.out, parent) {
            (Some(tree), Some(parent)) => tree.add(parent, node),
            (out, _) => {
                *out = Some(Tree::new("", node));
                0
            }
        }
    }

    /// Whether a tree is open above a node, or is the one being drawn.
    fn is_open(&self, name: &str, mut at: Option<usize>, root: &str) -> bool {
        while let Some(i) = at {
            if self.uses[i] == Some(name) {
                return true;
            }
            at = self.out.as_ref().and_then(|t| t.parent(i));
        }
        name == root
    }

    fn add(&mut self, next: Next<'d>) {
        let Next {
            node,
            parent,
            id,
            edge,
        } = next;
        let used = self.used(node);
        let mut drawn = self.node(node, used.is_some());
        drawn.id.clone_from(&id);
        drawn.edge = edge;
        let root = id.split('/').next().unwrap_or("").to_string();
        let opens = used.filter(|(name, _)| {
            self.inline && self.uses.len() < MOST_NODES && !self.is_open(name, parent, &root)
        });
        let index = self.push(parent, drawn, opens.map(|(name, _)| name));
        if let Some((name, tree)) = opens {
            self.open(name, tree, Some(index), format!("{id}/{name}"));
        }
        for (i, child) in node.children.iter().enumerate().rev() {
            let dot = if id.ends_with('/') { "" } else { "." };
            let mut id = format!("{id}{dot}{i}");
            let mut edge = part(node, i);
            let mut child = child;
            // `case 1 { X }`: the case is written on the edge to X.
            if let ("case" | "default", [only]) = (child.kind.as_str(), &child.children[..])
                && child.name.is_none()
                && !child.disabled
            {
                edge = format!("{} {}", child.kind.as_str(), details(child))
                    .trim_end()
                    .to_string();
                child = only;
                id.push_str(".0");
            }
            self.todo.push(Next {
                node: child,
                parent: Some(index),
                id,
                edge,
            });
        }
    }

    /// The tree that a node uses.
    fn used(&self, node: &Written) -> Option<(&'d str, &'d WrittenTree)> {
        let may = matches!(node.form, Form::Compact | Form::Explicit(Category::Subtree));
        let found = self.forest.trees.get_key_value(node.kind.as_str());
        found.filter(|_| may).map(|(name, tree)| (*name, *tree))
    }

    fn node(&self, node: &Written, subtree: bool) -> Node {
        let (shape, glyph) = self.look(node, subtree);
        let native = (node.form == Form::Compact)
            .then(|| builtin(node.kind.as_str()))
            .flatten();
        let kind = native.map_or(node.kind.as_str(), |b| b.words);
        let label = node.name.as_ref().map_or("", |n| n.as_str());
        let mut out = Node::new(if label == kind { "" } else { label }, kind, shape);
        out.glyph = glyph.into();
        out.detail = details(node);
        out.disabled = node.disabled;
        out.collapsed = node.with_role(Role::Metadata).any(|m| {
            let said_no = m.value.as_ref().is_some_and(|v| match &v.kind {
                ValueKind::Literal(Literal::Bool(b)) => !b,
                ValueKind::Literal(Literal::Text(t)) => t == "false" || t == "0",
                _ => false,
            });
            m.name().trim_start_matches('_') == "collapsed" && !said_no
        });
        out
    }

    /// A node's shape and glyph: by its kind if known, else by its description, else by its
    /// children.
    fn look(&self, node: &Written, subtree: bool) -> (Shape, &'static str) {
        if subtree || node.form == Form::Explicit(Category::Subtree) {
            return (Shape::Subtree, "▣");
        }
        if let Some((_, shape, glyph)) = KNOWN
            .iter()
            .find(|(names, ..)| names.contains(&node.kind.as_str()))
        {
            return (*shape, glyph);
        }
        let category = match node.form {
            Form::Explicit(category) => category,
            Form::Compact => match self.forest.models.get(node.kind.as_str()) {
                Some(category) => *category,
                None => match node.children.len() {
                    0 => Category::Leaf,
                    1 => Category::Decorator,
                    _ => Category::Control,
                },
            },
        };
        match category {
            Category::Action | Category::Leaf => (Shape::Action, "●"),
            Category::Condition => (Shape::Condition, "◇"),
            Category::Decorator => (Shape::Decorator, "○"),
            Category::Control => (Shape::Control, "✱"),
            Category::Subtree => (Shape::Subtree, "▣"),
        }
    }
}

/// The words on the edge to a child with a special role.
fn part(node: &Written, child: usize) -> String {
    let words: &[&str] = match node.kind.as_str() {
        "if" => &["then", "else"],
        "while" => &["do", "else"],
        "branch" | "IfThenElse" => &["if", "then", "else"],
        "WhileDoElse" => &["while", "do", "else"],
        "filter" | "monitor" => &["guards", "work"],
        _ => &[],
    };
    let words = words.get(child).copied().unwrap_or("");
    // In a filter the parts are nodes with that name.
    let told = node.children.get(child).is_some_and(|c| c.kind == *words);
    if told { "" } else { words }.into()
}

/// The kinds with a known appearance: those of `.tick`, BehaviorTree.CPP and Nav2.
const KNOWN: &[(&[&str], Shape, &str)] = &[
    (
        &[
            "sequence",
            "Sequence",
            "SequenceWithMemory",
            "ReactiveSequence",
            "AsyncSequence",
            "PipelineSequence",
            "RecoveryNode",
            "NonblockingSequence",
            "filter",
        ],
        Shape::Control,
        "→",
    ),
    (
        &[
            "selector",
            "Fallback",
            "ReactiveFallback",
            "AsyncFallback",
            "RoundRobin",
        ],
        Shape::Control,
        "?",
    ),
    (
        &["parallel", "Parallel", "ParallelAll", "monitor", "TryCatch"],
        Shape::Control,
        "⇉",
    ),
    (
        &[
            "branch",
            "if",
            "while",
            "switch",
            "case",
            "default",
            "IfThenElse",
            "WhileDoElse",
            "Switch2",
            "Switch3",
            "Switch4",
            "Switch5",
            "Switch6",
        ],
        Shape::Control,
        "⑂",
    ),
    (&["utility", "option", "consider"], Shape::Control, "▤"),
    (&["guards", "work"], Shape::Control, "→"),
    (
        &[
            "for",
            "repeat",
            "retry",
            "until_success",
            "until_failure",
            "loop",
            "Repeat",
            "RetryUntilSuccessful",
            "KeepRunningUntilFailure",
            "LoopDouble",
            "LoopString",
            "LoopInt",
            "LoopBool",
        ],
        Shape::Decorator,
        "↻",
    ),
    (
        &[
            "cooldown",
            "rate_limit",
            "timeout",
            "delay",
            "Timeout",
            "Delay",
            "RateController",
            "SpeedController",
            "DistanceController",
        ],
        Shape::Decorator,
        "◷",
    ),
    (&["invert", "Inverter"], Shape::Decorator, "!"),
    (
        &[
            "force_success",
            "force_failure",
            "ForceSuccess",
            "ForceFailure",
        ],
        Shape::Decorator,
        "=",
    ),
    (&["precondition", "Precondition"], Shape::Decorator, "◇"),
    (&["check", "ScriptCondition"], Shape::Condition, "◇"),
    (&["wait", "wait_until", "Sleep", "Wait"], Shape::Action, "◷"),
    (
        &["set", "Script", "SetBlackboard", "UnsetBlackboard"],
        Shape::Action,
        "✎",
    ),
    (
        &[
            "success",
            "failure",
            "running",
            "skipped",
            "AlwaysSuccess",
            "AlwaysFailure",
            "log",
        ],
        Shape::Action,
        "=",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::outline;
    use tickseed_lang::model::FileId;
    use tickseed_lang::tick;

    fn draw(text: &str, inline: bool) -> Tree {
        let document = tick::parse_text(text, FileId(0)).document;
        let forest = Forest::new([&document]);
        let first = document.trees().next().unwrap();
        forest.draw(first.name.as_str(), inline).unwrap()
    }

    #[test]
    fn trees_inside_themselves_stay_closed() {
        let text = "tree A { sequence { B\n X } }\n tree B { selector { A\n B\n Y } }";
        assert_eq!(
            outline(&draw(text, true)),
            "\
sequence
├─ B
│  └─ selector
│     ├─ A
│     ├─ B
│     └─ Y
└─ X
"
        );
        assert_eq!(outline(&draw(text, false)), "sequence\n├─ B\n└─ X\n");
    }

    #[test]
    fn trees_that_double_do_not_grow_without_measure() {
        let mut text = String::from("tree T0 { sequence { T1\n T1 } }\n");
        for i in 1..40 {
            text.push_str(&format!(
                " tree T{i} {{ sequence {{ T{}\n T{} }} }}\n",
                i + 1,
                i + 1
            ));
        }
        text.push_str(" tree T40 { X }");
        let tree = draw(&text, true);
        let n = tree.nodes().len();
        assert!(n > MOST_NODES && n <= MOST_NODES + 200, "{n}");
    }

    #[test]
    fn cases_and_branches_stand_on_edges() {
        let tree = draw(
            "tree A { switch mode { case 1, 2 { X }\n default { if a > 2 { Y } else { Z } } } }",
            true,
        );
        let edges: Vec<_> = (0..tree.nodes().len())
            .map(|i| tree.edge_label(i))
            .collect();
        assert_eq!(edges, ["", "case 1, 2", "default", "then", "else"]);
        assert_eq!(tree.nodes()[4].id, "A/1.0.1");
        assert_eq!(tree.nodes()[2].detail, "a > 2");
    }

    #[test]
    fn disabled_branches_and_looks() {
        let tree = draw(
            "tree A { sequence { off Attack(t)\n invert { check a } } }",
            true,
        );
        let n = tree.nodes();
        assert!(n[1].disabled);
        assert_eq!(n[2].shape, Shape::Decorator);
        assert_eq!(n[3].shape, Shape::Condition);
    }
}
