//! Nodes with one child.

use tickseed_core::nodes::{Again, Closed, Loop, Pace, StartOn};
use tickseed_core::{Node, Status, nodes};

use super::super::Loader;
use super::super::expand::Place;
use super::Lasting;
use crate::board::HasBoard;
use crate::diagnostics::Diagnostic;
use crate::model;

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn decorator(
        &mut self,
        node: &'d model::Node,
        place: Place,
        prefix: &str,
    ) -> Option<Node<C>> {
        let n = nodes::<C>();
        let child = self.only(node, place, prefix);
        Some(match node.kind.as_str() {
            "invert" => n.invert(child?),
            "force_success" => n.force_success(child?),
            "force_failure" => n.force_failure(child?),
            "repeat" | "retry" => return self.repeated(node, place, child),
            "until_success" => return self.drained(node, place, n.until_success(child?)),
            "until_failure" => return self.drained(node, place, n.until_failure(child?)),
            "keep_running" => n.keep_running_until_failure(child?),
            "cooldown" | "rate_limit" => return self.gate(node, place, child),
            "timeout" => {
                let value = self.head(node)?;
                n.time_limit(self.fixed(place, value)?, child?)
            }
            "delay" => {
                let value = self.head(node)?;
                match self.lasting(place, value)? {
                    Lasting::Fixed(d) => n.delay(d, child?),
                    Lasting::Between(a, b) => n.delay_between(a, b, child?),
                    Lasting::Computed(computed) => n.delay_for(
                        move |at: &C::At<'_>| super::as_duration(computed.number(at)),
                        child?,
                    ),
                }
            }
            "chance" => {
                let value = self.head(node)?;
                n.chance(self.number(place, value)?, child?)
            }
            "once" => {
                let made = n.run_once(child?);
                match self.word(node, "then") {
                    Some("skip") => made.otherwise(Status::Skipped),
                    _ => made,
                }
            }
            "precondition" => {
                let value = self.head(node)?;
                let guard = self.guard(place.scope, value)?;
                let otherwise = self.word(node, "otherwise").map_or(Status::Failure, super::status);
                n.precondition(!guard, otherwise, child?)
            }
            "uninterruptible" => n.uninterruptible(child?),
            // Finished children are reset by the engine itself.
            "auto_reset" => child?,
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
        if count.is_none() && !self.flag(node, "forever") && node.option("until").is_none() {
            let message = format!("`{}` needs a number of rounds, or `forever`", node.kind);
            self.error("load::missing-value", message, node.kind.span);
            return None;
        }
        let (mut again, mut stopped) = if retry {
            (Again::OnFailure, None)
        } else {
            (Again::OnSuccess, None)
        };
        match self.word(node, "on_failure") {
            Some("ignore") => again = Again::Always,
            Some("retry") if !retry => again = Again::Always,
            Some("fail") if retry => {
                again = Again::OnSuccess;
                stopped = Some(Status::Failure);
            }
            _ => {}
        }
        let at_limit = if retry { Status::Failure } else { Status::Success };
        let mut child = child?;
        // A round after which the condition holds ends the loop: seen from the loop it is the
        // other verdict.
        if let Some(value) = node.option("until").and_then(super::value_of) {
            let until = self.guard(place.scope, value)?;
            let (turned, done) = if retry {
                // A failed round that meets the condition succeeds.
                let check = n.check(until);
                (n.selector([child, check]), None)
            } else {
                let check = n.invert(n.check(until));
                (n.sequence([child, check]), Some(Status::Success))
            };
            if !retry && again == Again::OnSuccess {
                self.report(
                    Diagnostic::note(
                        "load::until",
                        "with `until` a failed round ends the loop like a finished one",
                    )
                    .at(value.span, ""),
                );
            }
            child = turned;
            stopped = done.or(stopped);
        }
        let pace = match node.option("drain").and_then(super::value_of) {
            Some(value) => Pace::Drain(self.whole(place, value, "`drain`")?),
            None => Pace::OnePerTick,
        };
        let options = Loop {
            again,
            limit: count,
            at_limit,
            stopped,
            pace,
        };
        Some(n.looping(options, child))
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
        let start_on = match self.word(node, "start") {
            Some("success") => StartOn::Success,
            Some("any") => StartOn::Verdict,
            _ if cooldown => StartOn::Success,
            _ => StartOn::Verdict,
        };
        let closed = match self.word(node, "closed") {
            Some("failure") => Closed::Failure,
            Some("skip") => Closed::Skipped,
            Some("replay") => Closed::Replay,
            _ if cooldown => Closed::Failure,
            _ => Closed::Replay,
        };
        let options = tickseed_core::nodes::Gate {
            interval: u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX),
            start_on,
            closed,
            refund_on_halt: self.word(node, "reset") == Some("refund"),
        };
        Some(n.gate(options, child?))
    }
}
