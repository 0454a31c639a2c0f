//! Guards and scripts at points in a node's life cycle.

use tickseed_core::{Cx, Node, Status, nodes};

use super::super::Loader;
use super::super::expand::Place;
use super::judged::{When, after, guarded};
use crate::board::HasBoard;
use crate::expr::Type;
use crate::model::{self, Code, Dialect, Hook, Role, ValueKind};

impl<'d, C: HasBoard> Loader<'d, C> {
    /// A node with its hooks around it. Guards are asked in the order fail, succeed, skip, while;
    /// scripts run when the node itself ends.
    pub(crate) fn hooked(
        &mut self,
        node: &'d model::Node,
        place: Place,
        made: Node<C>,
    ) -> Option<Node<C>> {
        let hooks: Vec<(Hook, &'d model::Value)> = (node.attributes.iter())
            .filter_map(|a| match (a.role, &a.value) {
                (Role::Hook(hook), Some(value)) => Some((hook, value)),
                _ => None,
            })
            .collect();
        if hooks.is_empty() {
            return Some(made);
        }
        let foreign = hooks.iter().any(|(_, value)| {
            matches!(
                value.kind,
                ValueKind::Code(Code {
                    dialect: Dialect::BtCpp,
                    ..
                })
            )
        });
        if foreign && cfg!(not(feature = "formats")) {
            return self.no_btcpp(hooks[0].1.span);
        }
        if foreign {
            return crate::compat::hooked(self, &hooks, place, made);
        }
        let n = nodes::<C>();
        let mut made = Some(made);
        // Innermost first: scripts stand next to the node in the order in which they run, then the
        // guards, so that the first to be asked is outermost.
        let all = Hook::ALL.iter().map(|entry| entry.0);
        let scripts = all.clone().filter(|hook| !hook.is_guard());
        for wanted in scripts.chain(all.rev().filter(|hook| hook.is_guard())) {
            for (_, value) in hooks.iter().filter(|(hook, _)| *hook == wanted) {
                if wanted.is_guard() {
                    let Some(guard) = self.computed(place.scope, value, &Type::Bool) else {
                        made = None;
                        continue;
                    };
                    if !self.cannot_fail(&guard.op) {
                        let (name, when) = match wanted {
                            Hook::FailIf => ("fail if", When::Start(Status::Failure)),
                            Hook::SucceedIf => ("succeed if", When::Start(Status::Success)),
                            Hook::SkipIf => ("skip if", When::Start(Status::Skipped)),
                            _ => ("while", When::While(Status::Skipped)),
                        };
                        made = made.map(|made| guarded(name, guard, when, made));
                        continue;
                    }
                    let guard = self.to_guard(&guard.op);
                    made = made.map(|made| match wanted {
                        Hook::FailIf => n.fail_if(guard, made),
                        Hook::SucceedIf => n.succeed_if(guard, made),
                        Hook::SkipIf => n.skip_if(guard, made),
                        _ => n.while_guard(guard, made).otherwise(Status::Skipped),
                    });
                    continue;
                }
                let Some(script) = self.assignments(place.scope, value) else {
                    made = None;
                    continue;
                };
                if wanted != Hook::OnHalt && self.can_fail(&script) {
                    let (name, when): (_, fn(Status) -> bool) = match wanted {
                        Hook::OnSuccess => ("on success", |status| status == Status::Success),
                        Hook::OnFailure => ("on failure", |status| status == Status::Failure),
                        _ => ("on done", Status::is_verdict),
                    };
                    made = made.map(|made| after(name, script, when, made));
                    continue;
                }
                made = made.map(|made| {
                    // A halt has no result to fail with, so the error is noted.
                    let run = move |cx: &mut Cx<'_, '_, C>| {
                        if let Err(message) = script.run(cx.at_mut()) {
                            C::board(cx.at()).note(message);
                        }
                    };
                    if wanted == Hook::OnHalt {
                        return n.on_halted(run, made);
                    }
                    let when = move |status: Status| match wanted {
                        Hook::OnSuccess => status == Status::Success,
                        Hook::OnFailure => status == Status::Failure,
                        _ => status.is_verdict(),
                    };
                    n.on_complete(
                        move |cx: &mut Cx<'_, '_, C>, status| {
                            if when(status) {
                                run(cx);
                            }
                        },
                        made,
                    )
                });
            }
        }
        made
    }
}
