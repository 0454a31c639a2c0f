//! Pre- and post-conditions: `_failureIf`, `_successIf`, `_skipIf`, `_while`, `_onSuccess`,
//! `_onFailure`, `_onHalted`, `_post`.
//!
//! The first three are asked when the node starts, in that order, then `_while`, which is also asked
//! on every later tick: when it does not hold, a running node is halted and counts as skipped.
//! Scripts after the end also run when a guard decided the status; after a halt only `_onHalted` runs.

use std::sync::Arc;

use tickseed_core::{Branches, CustomNode, Cx, Node, Status, Stop, nodes};

use super::site::{Bound, Lingers, Site, Tries, child, decorator};
use crate::board::HasBoard;
use crate::build::{Computed, Loader, Place};
use crate::model::{Code, Dialect, Hook, Value, ValueKind};

/// A guard or script of either dialect.
enum Program<C: HasBoard> {
    Foreign(Bound),
    Guard(Computed<C>),
    Script(crate::build::Assignments<C>),
}

impl<C: HasBoard> Program<C> {
    fn run(&self, cx: &mut Cx<'_, '_, C>) -> Result<bool, String> {
        match self {
            Program::Foreign(script) => script.test(cx),
            Program::Guard(guard) => match guard.value(cx.at())? {
                crate::expr::Datum::Bool(b) => Ok(b),
                _ => Err("the condition is neither true nor false".to_owned()),
            },
            Program::Script(script) => script.run(cx.at_mut()).map(|()| true),
        }
    }

    /// Runs it for what it does; its value does not matter.
    fn act(&self, cx: &mut Cx<'_, '_, C>) -> Result<(), String> {
        match self {
            Program::Foreign(script) => script.run(cx).map(drop),
            other => other.run(cx).map(drop),
        }
    }
}

/// The script of one node's `_onHalted`. Halting a whole tree runs all of them, running or not, as
/// the reference does.
pub(crate) struct HaltScript<C: HasBoard> {
    /// The node's number in [`Loaded::instances`](crate::build::Loaded::instances).
    pub(crate) instance: usize,
    program: Program<C>,
    site: Site,
}

impl<C: HasBoard> HaltScript<C> {
    pub(crate) fn run(&self, cx: &mut Cx<'_, '_, C>) {
        if let Err(message) = self.program.act(cx) {
            // A halt has no result: the message is kept if the board keeps any.
            let text = format!(
                "Exception in node '{}' [{}]: {message}",
                self.site.path, self.site.kind
            );
            C::board_mut(cx.at_mut()).raise(text);
        }
    }
}

struct Hooked<C: HasBoard> {
    guards: Vec<(Status, Program<C>)>,
    holds: Option<Program<C>>,
    success: Option<Program<C>>,
    failure: Option<Program<C>>,
    done: Option<Program<C>>,
    halted: Option<Arc<HaltScript<C>>>,
    /// The parent: an error of a guard is raised before the node itself is ticked.
    parent: Option<Site>,
}

impl<C: HasBoard> Hooked<C> {
    fn fault(&self, branches: &mut Branches<'_, C>, message: String) -> Result<Status, Stop> {
        match &self.parent {
            Some(parent) => parent.raise_in(branches, &message),
            None => branches
                .with_cx(|cx| super::site::throw(cx, message))
                .map_err(Stop::from),
        }
    }

    /// The status a guard decides. A node that `lingers` counts as running, though nothing below does.
    fn before(
        &self,
        branches: &mut Branches<'_, C>,
        lingers: &mut bool,
    ) -> Result<Option<Status>, String> {
        if !branches.is_running(0) && !*lingers {
            for (then, guard) in &self.guards {
                if branches.with_cx(|cx| guard.run(cx))? {
                    return Ok(Some(*then));
                }
            }
        }
        if let Some(holds) = &self.holds
            && !branches.with_cx(|cx| holds.run(cx))?
        {
            let lingered = std::mem::take(lingers);
            if branches.is_running(0) || lingered {
                branches.halt(0);
                if let Some(script) = &self.halted {
                    branches.with_cx(|cx| script.run(cx));
                }
            }
            return Ok(Some(Status::Skipped));
        }
        Ok(None)
    }

    fn run(&self, branches: &mut Branches<'_, C>, lingers: &mut bool) -> Result<Status, Stop> {
        let unreset = branches.with_cx(|cx| C::board_mut(cx.at_mut()).take_unreset());
        let decided = match unreset {
            Some(verdict) => Ok(verdict),
            None => self.before(branches, lingers),
        };
        let status = match decided {
            Ok(Some(status)) => status,
            Ok(None) => {
                let status = child!(branches, 0);
                *lingers = status == Status::Skipped;
                status
            }
            Err(message) => return self.fault(branches, message),
        };
        let own = match status {
            Status::Success => &self.success,
            Status::Failure => &self.failure,
            Status::Running | Status::Skipped => return Ok(status),
        };
        for script in [own, &self.done].into_iter().flatten() {
            if let Err(message) = branches.with_cx(|cx| script.act(cx)) {
                return self.fault(branches, message);
            }
        }
        Ok(status)
    }

    fn halted(&self, cx: &mut Cx<'_, '_, C>) {
        if let Some(script) = &self.halted {
            script.run(cx);
        }
    }
}

impl<C: HasBoard> CustomNode<C> for Hooked<C> {
    type State = ();
    type Memory = ();

    decorator!("hooks");

    fn preempts(&self) -> bool {
        self.holds.is_some()
    }

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        self.run(branches, &mut false)
    }

    fn halt(&self, _: &mut (), _: &mut (), cx: &mut Cx<'_, '_, C>) {
        self.halted(cx);
    }
}

/// Hooks of a composite that nobody resets when it was skipped: the reference then goes on taking it
/// for running, asks no guard for idle nodes before its next tick, and halts it if its `_while` fails.
struct Lingering<C: HasBoard>(Hooked<C>, Lingers);

impl<C: HasBoard> CustomNode<C> for Lingering<C> {
    type State = ();
    /// Whether its last tick was a skip that it made itself.
    type Memory = Tries;

    decorator!("hooks");

    fn preempts(&self) -> bool {
        self.0.holds.is_some()
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        Tries { count, halt }: &mut Tries,
    ) -> Result<Status, Stop> {
        self.1.forget_if_reset(branches, halt, count);
        let mut lingers = *count != 0;
        let status = self.0.run(branches, &mut lingers);
        *count = lingers.into();
        status
    }

    fn halt(&self, _: &mut (), tries: &mut Tries, cx: &mut Cx<'_, '_, C>) {
        tries.count = 0;
        self.0.halted(cx);
    }
}

/// A node with hooks of which at least one is in BehaviorTree.CPP's language.
pub(crate) fn hooked<C: HasBoard>(
    loader: &mut Loader<'_, C>,
    hooks: &[(Hook, &Value)],
    place: Place,
    made: Node<C>,
) -> Option<Node<C>> {
    let mut node = Hooked {
        guards: Vec::new(),
        holds: None,
        success: None,
        failure: None,
        done: None,
        halted: None,
        parent: loader.parent_site(place),
    };
    let mut ok = true;
    for wanted in Hook::ALL.iter().map(|entry| entry.0) {
        for (hook, value) in hooks.iter().filter(|(hook, _)| *hook == wanted) {
            let Some(program) = program(loader, *hook, value, place) else {
                ok = false;
                continue;
            };
            match hook {
                Hook::FailIf => node.guards.push((Status::Failure, program)),
                Hook::SucceedIf => node.guards.push((Status::Success, program)),
                Hook::SkipIf => node.guards.push((Status::Skipped, program)),
                Hook::While => node.holds = Some(program),
                Hook::OnSuccess => node.success = Some(program),
                Hook::OnFailure => node.failure = Some(program),
                Hook::OnDone => node.done = Some(program),
                Hook::OnHalt => {
                    let script = Arc::new(HaltScript {
                        instance: place.id,
                        program,
                        site: loader.site(place),
                    });
                    loader.halt_scripts.push(Arc::clone(&script));
                    node.halted = Some(script);
                }
            }
        }
    }
    let guarded = !node.guards.is_empty() || node.holds.is_some();
    let lingers = loader.lingers(place).filter(|_| guarded);
    ok.then(|| match lingers {
        Some(lingers) => nodes::<C>().custom(Lingering(node, lingers), [made]),
        None => nodes::<C>().custom(node, [made]),
    })
}

fn program<C: HasBoard>(
    loader: &mut Loader<'_, C>,
    hook: Hook,
    value: &Value,
    place: Place,
) -> Option<Program<C>> {
    if let ValueKind::Code(Code {
        dialect: Dialect::BtCpp,
        text,
    }) = &value.kind
    {
        let prefix = format!("Error in the script \"{text}\"\n");
        return loader
            .bound(text, value.span, place, &prefix)
            .map(Program::Foreign);
    }
    if hook.is_guard() {
        loader
            .computed(place.scope, value, &crate::expr::Type::Bool)
            .map(Program::Guard)
    } else {
        loader.assignments(place.scope, value).map(Program::Script)
    }
}
