//! Nodes with one child.

use tickseed_core::nodes::{Closed, StartOn};
use tickseed_core::{Cx, Node, Status, nodes};

use super::super::Loader;
use super::super::expand::Place;
use super::Lasting;
use super::judged::{When, guarded, noted_if};
use crate::board::HasBoard;
use crate::expr::Type;
use crate::model;

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn decorator(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let n = nodes::<C>();
        let child = self.only(node, place);
        Some(match node.kind.as_str() {
            "invert" => n.invert(child?),
            "force_success" => n.force_success(child?),
            "force_failure" => n.force_failure(child?),
            "repeat" | "retry" => return self.repeated(node, place, child),
            "until_success" => return self.drained(node, place, n.until_success(child?)),
            "until_failure" => return self.drained(node, place, n.until_failure(child?)),
            "loop" => return self.drained(node, place, n.forever(child?)),
            "cooldown" | "rate_limit" => return self.gate(node, place, child),
            "timeout" => {
                let value = self.head(node)?;
                let limit = self.fixed(place, value)?;
                self.otherwise(node, n.time_limit(limit, child?))
            }
            "delay" => {
                let value = self.head(node)?;
                match self.lasting(place, value)? {
                    Lasting::Fixed(d) => n.delay(d, child?),
                    Lasting::Between(a, b) => n.delay_between(a, b, child?),
                    Lasting::Computed(computed) => {
                        let fails = !self.cannot_fail(&computed.op);
                        let made = n.delay_for(
                            move |at: &C::At<'_>| super::as_duration(computed.number(at)),
                            child?,
                        );
                        noted_if(fails, "delay", made)
                    }
                }
            }
            "chance" => {
                let value = self.head(node)?;
                let p = self.number(place, value)?;
                self.otherwise(node, n.chance(p, child?))
            }
            "limit" => {
                let value = self.head(node)?;
                let runs = self.whole(place, value, "the number of runs")?;
                self.otherwise(node, n.limit_runs(runs, child?))
            }
            "forget" => n.forget(child?),
            "once" => {
                let made = n.run_once(child?);
                self.otherwise(node, made)
            }
            "precondition" => {
                let value = self.head(node)?;
                let computed = self.computed(place.scope, value, &Type::Bool)?;
                let otherwise = self
                    .word(node, "otherwise")
                    .map_or(Status::Failure, super::status);
                if !self.cannot_fail(&computed.op) {
                    let guard = computed.negated();
                    return Some(guarded(
                        "precondition",
                        guard,
                        When::Start(otherwise),
                        child?,
                    ));
                }
                n.precondition(!self.to_guard(&computed.op), otherwise, child?)
            }
            "uninterruptible" => n.uninterruptible(child?),
            "hold" => n.hold(child?),
            "catch" => {
                let value = self.head(node)?;
                let computed = self.computed(place.scope, value, &Type::Bool)?;
                let fails = !self.cannot_fail(&computed.op);
                let made = n.catch(
                    move |cx: &mut Cx<'_, '_, C>| Status::from_bool(computed.holds(cx.at())),
                    child?,
                );
                noted_if(fails, "catch", made)
            }
            other => {
                let message = format!("the built-in node `{other}` is not known to the loader");
                self.error("load::builtin", message, node.kind.span);
                return None;
            }
        })
    }

    fn drained(&mut self, node: &model::Node, place: Place, made: Node<C>) -> Option<Node<C>> {
        match node.option("drain").and_then(super::value_of) {
            Some(value) => {
                let budget = self.whole(place, value, "`drain`")?;
                Some(made.drain(budget))
            }
            None => Some(made),
        }
    }

    fn repeated(
        &mut self,
        node: &'d model::Node,
        place: Place,
        child: Option<Node<C>>,
    ) -> Option<Node<C>> {
        let n = nodes::<C>();
        let retry = node.kind == "retry";
        let count = node.arguments().find(|a| a.name.is_none());
        let count = match count.and_then(|a| a.value.as_ref()) {
            Some(value) => Some(self.whole(place, value, "the number of rounds")?),
            None => None,
        };
        if let Some(count) = count {
            let child = child?;
            let made = if retry {
                n.retry(count, child)
            } else {
                n.repeat(count, child)
            };
            return self.drained(node, place, made);
        }
        if retry || !self.flag(node, "forever") {
            let message = format!("`{}` needs a number of rounds", node.kind);
            self.error("load::missing-value", message, node.kind.span);
            return None;
        }
        self.drained(node, place, n.repeat_forever(child?))
    }

    /// Applies `otherwise`.
    fn otherwise(&self, node: &model::Node, made: Node<C>) -> Node<C> {
        match self.word(node, "otherwise") {
            Some(word) => made.otherwise(super::status(word)),
            None => made,
        }
    }

    fn gate(
        &mut self,
        node: &'d model::Node,
        place: Place,
        child: Option<Node<C>>,
    ) -> Option<Node<C>> {
        let value = self.head(node)?;
        let interval = self.fixed(place, value)?;
        let n = nodes::<C>();
        let cooldown = node.kind == "cooldown";
        let start_on = match self.word(node, "start_on") {
            Some("success") => StartOn::Success,
            Some("verdict") => StartOn::Verdict,
            _ if cooldown => StartOn::Success,
            _ => StartOn::Verdict,
        };
        let closed = match self.word(node, "otherwise") {
            Some("skipped") => Closed::Skipped,
            _ if cooldown => Closed::Failure,
            _ => Closed::Replay,
        };
        let options = tickseed_core::nodes::Gate {
            interval: u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX),
            start_on,
            closed,
            refund_on_halt: self.flag(node, "refund"),
        };
        Some(n.gate(options, child?))
    }
}
