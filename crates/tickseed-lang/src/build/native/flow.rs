//! Sequence, selector, parallel, filter and monitor.

use tickseed_core::nodes::{Decide, Finished, Leftover, Parallel, Threshold, Tie};
use tickseed_core::{Node, nodes};

use super::super::Loader;
use super::super::expand::{Place, values};
use crate::board::HasBoard;
use crate::model::{self, Literal, ValueKind};

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn flow(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let children = self.children(node, place);
        let modes = ["memory", "reactive", "random", "weighted", "keep_place"];
        let mut chosen: Vec<&str> = Vec::new();
        for option in node.options() {
            if modes.contains(&option.name()) {
                chosen.push(option.name());
                if chosen.len() == 2 {
                    let message = format!("`{}` and `{}` exclude each other", chosen[0], chosen[1]);
                    self.error("load::options", message, option.span);
                }
            }
        }
        let mut weights = Vec::new();
        if let Some(option) = node.option("weighted") {
            for value in values(option) {
                weights.push(self.number(place, value)?);
            }
        }
        let n = nodes::<C>();
        let sequence = node.kind == "sequence";
        let children = children?;
        let mode = chosen.first().copied();
        let made = if sequence {
            n.sequence(children)
        } else {
            n.selector(children)
        };
        let made = match mode {
            Some("reactive") => made.reactive(),
            Some("random") => made.random(),
            Some("weighted") => made.weighted(weights),
            Some("keep_place") => made.keep_place(),
            _ => made,
        };
        Some(self.preempt(node, made))
    }

    pub(super) fn parallel(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let children = self.children(node, place);
        let success = self.threshold(node, "success", place);
        let failure = self.threshold(node, "failure", place);
        let mut options = Parallel::DEFAULT;
        options.success = success?.unwrap_or(options.success);
        options.failure = failure?.unwrap_or(options.failure);
        for option in node.options() {
            let word = self.word(node, option.name()).unwrap_or("");
            match (option.name(), word) {
                ("decide", "early") => options.decide = Decide::AsSoonAsKnown,
                ("tie", "success") => options.tie = Tie::Success,
                ("finished", "restart") => options.finished = Finished::Restart,
                ("leftover", "await") => options.leftover = Leftover::Await,
                _ => {}
            }
        }
        Some(nodes::<C>().parallel_with(options, children?))
    }

    /// `None` after a mistake, `Some(None)` if the option is not there.
    fn threshold(
        &mut self,
        node: &model::Node,
        option: &str,
        place: Place,
    ) -> Option<Option<Threshold>> {
        let Some(value) = node.option(option).and_then(super::value_of) else {
            return Some(None);
        };
        match &value.kind {
            ValueKind::Literal(Literal::Word(word)) if word == "all" => Some(Some(Threshold::All)),
            _ => self
                .whole(place, value, &format!("`{option}`"))
                .map(|n| Some(Threshold::Count(n))),
        }
    }

    pub(super) fn recovery(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let children = self.children(node, place);
        let value = self.head(node)?;
        let retries = self.whole(place, value, "the number of retries")?;
        let mut children = children?.into_iter();
        // A wrong number of children was reported with the node's shape.
        let (main, help) = (children.next()?, children.next()?);
        Some(nodes::<C>().recovery(retries, main, help))
    }

    /// Filter: guards, then work, resumed. Monitor: guards are watched while the work runs.
    pub(super) fn guarded(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let (mut guards, mut work) = (Vec::new(), Vec::new());
        let mut ok = true;
        for part in &node.children {
            let into = match part.kind.as_str() {
                "guards" => &mut guards,
                "work" => &mut work,
                other => {
                    let message =
                        format!("`{}` holds `guards` and `work`, not `{other}`", node.kind);
                    self.error("load::misplaced", message, part.kind.span);
                    ok = false;
                    continue;
                }
            };
            for child in part.children.iter().filter(|child| !child.disabled) {
                match self.written(child, place.scope, Some(place.id)).node() {
                    Some(child) => into.push(child),
                    None => ok = false,
                }
            }
        }
        for (what, there) in [("guards", !guards.is_empty()), ("work", !work.is_empty())] {
            if !there && ok {
                let message = format!("`{}` needs `{what} {{ ... }}`", node.kind);
                self.error("load::missing-part", message, node.kind.span);
                ok = false;
            }
        }
        if !ok {
            return None;
        }
        let n = nodes::<C>();
        let work = match work.len() {
            1 => work.pop()?,
            _ => n.sequence(work),
        };
        guards.push(work);
        let made = n.sequence(guards);
        Some(if node.kind == "monitor" {
            made.reactive()
        } else {
            made
        })
    }
}
