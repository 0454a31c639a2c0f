//! Decorators that read ports on every tick, yield between rounds, or keep time.

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Branches, CustomNode, Cx, Status, Stop};

use super::site::{
    Bound, Ends, Lingers, Site, Tries, child, decorator, forget_if_halted, read, wake,
};
use crate::board::{HasBoard, view};
use crate::expr::{Datum, Slot};
use crate::registry::In;

/// `Repeat` and `RetryUntilSuccessful`.
pub(crate) struct Rounds {
    pub(crate) site: Site,
    pub(crate) count: In<i64>,
    /// Whether failures ask for another round, rather than successes.
    pub(crate) retry: bool,
    /// Who resets it after a skip, if its parent does not: rounds that were made count until then.
    pub(crate) lingers: Option<Lingers>,
}

impl<C: HasBoard> CustomNode<C> for Rounds {
    type State = ();
    /// Rounds that count. A skip keeps them if the node then stays as it is, a halt does not.
    type Memory = Tries;

    decorator!(this => if this.retry { "retry" } else { "repeat" }, never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        Tries {
            count: rounds,
            halt,
        }: &mut Tries,
    ) -> Result<Status, Stop> {
        match &self.lingers {
            Some(lingers) => lingers.forget_if_reset(branches, halt, rounds),
            None => forget_if_halted(branches, halt, rounds),
        }
        let (again, missing) = if self.retry {
            (
                Status::Failure,
                "Missing parameter [num_attempts] in RetryNode",
            )
        } else {
            (
                Status::Success,
                "Missing parameter [num_cycles] in RepeatNode",
            )
        };
        let Some(mut limit) = read(branches, &self.count) else {
            return self.site.unread_in(branches, &self.count, missing);
        };
        while *rounds < limit || limit == -1 {
            let was_running = branches.is_running(0);
            match child!(branches, 0) {
                status if status == again => {
                    *rounds += 1;
                    if self.retry {
                        limit = read(branches, &self.count).unwrap_or(limit);
                    }
                    if !was_running && (*rounds < limit || limit == -1) {
                        wake(branches);
                        return Ok(Status::Running);
                    }
                }
                Status::Running => return Ok(Status::Running),
                Status::Skipped if self.lingers.is_some() => return Ok(Status::Skipped),
                status => {
                    *rounds = 0;
                    return Ok(status);
                }
            }
        }
        *rounds = 0;
        Ok(again)
    }

    fn halt(&self, _: &mut (), rounds: &mut Tries, _: &mut Cx<'_, '_, C>) {
        rounds.count = 0;
    }
}

/// `KeepRunningUntilFailure`.
pub(crate) struct KeepRunning {
    pub(crate) ends: Ends,
}

impl<C: HasBoard> CustomNode<C> for KeepRunning {
    type State = ();
    type Memory = ();

    decorator!("keep running until failure", never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        let status = match child!(branches, 0) {
            Status::Failure => Status::Failure,
            _ => Status::Running,
        };
        self.ends.after(branches, Ok(status))
    }

    fn halt(&self, _: &mut (), _: &mut (), cx: &mut Cx<'_, '_, C>) {
        self.ends.ended(cx);
    }
}

/// A decorator that passes everything: a node of the file that needs none of its own.
pub(crate) struct Transparent;

impl<C: HasBoard> CustomNode<C> for Transparent {
    type State = ();
    type Memory = ();

    decorator!("pass", never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        Ok(child!(branches, 0))
    }
}

/// When a timer began, and that it did.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Timer {
    began: u64,
    runs: u64,
}

/// `Delay`: waits, then ticks the child. The first tick always answers `Running`.
pub(crate) struct Delay {
    pub(crate) site: Site,
    pub(crate) msec: In<u32>,
}

fn millis(ms: u32) -> u64 {
    u64::from(ms) * 1_000_000
}

impl<C: HasBoard> CustomNode<C> for Delay {
    type State = ();
    type Memory = Timer;

    decorator!("delay", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        timer: &mut Timer,
    ) -> Result<Status, Stop> {
        let Some(ms) = read(branches, &self.msec) else {
            let message = "Missing parameter [delay_msec] in DelayNode";
            return self.site.unread_in(branches, &self.msec, message);
        };
        let now = branches.with_cx(|cx| cx.now());
        if timer.runs == 0 {
            *timer = Timer {
                began: now.0,
                runs: 1,
            };
            branches
                .with_cx(|cx| cx.wake_at(tickseed_core::Time(now.0.saturating_add(millis(ms)))));
            return Ok(Status::Running);
        }
        if now.0.saturating_sub(timer.began) < millis(ms) {
            return Ok(Status::Running);
        }
        let status = child!(branches, 0);
        if status.is_verdict() {
            timer.runs = 0;
        }
        Ok(status)
    }

    fn halt(&self, _: &mut (), timer: &mut Timer, _: &mut Cx<'_, '_, C>) {
        timer.runs = 0;
    }
}

/// `Timeout`: the child is halted when time is over. Zero is no limit.
pub(crate) struct Timeout {
    pub(crate) site: Site,
    pub(crate) msec: In<u32>,
}

impl<C: HasBoard> CustomNode<C> for Timeout {
    type State = u64;
    type Memory = ();

    decorator!("timeout");

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        began: &mut u64,
        _: &mut (),
    ) -> Result<Status, Stop> {
        let Some(ms) = read(branches, &self.msec) else {
            let message = "Missing parameter [msec] in TimeoutNode";
            return self.site.unread_in(branches, &self.msec, message);
        };
        let now = branches.with_cx(|cx| cx.now().0);
        if branches.is_fresh() {
            *began = now;
        } else if ms > 0 && now.saturating_sub(*began) >= millis(ms) {
            branches.halt(0);
            return Ok(Status::Failure);
        }
        Ok(child!(branches, 0))
    }
}

/// `RunOnce`: the verdict of the only run, or a skip.
pub(crate) struct RunOnce {
    pub(crate) then_skip: In<bool>,
}

impl<C: HasBoard> CustomNode<C> for RunOnce {
    type State = ();
    /// 0: not yet, 1: succeeded, 2: failed.
    type Memory = u8;

    decorator!("run once", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        ran: &mut u8,
    ) -> Result<Status, Stop> {
        if *ran != 0 {
            let skip = read(branches, &self.then_skip).unwrap_or(true);
            return Ok(match ran {
                _ if skip => Status::Skipped,
                1 => Status::Success,
                _ => Status::Failure,
            });
        }
        let status = child!(branches, 0);
        match status {
            Status::Success => *ran = 1,
            Status::Failure => *ran = 2,
            _ => {}
        }
        Ok(status)
    }
}

/// `Precondition`: a script is asked before the child starts.
pub(crate) struct Precondition {
    pub(crate) site: Site,
    pub(crate) condition: Bound,
    /// Its answer if the condition does not hold; `None` is `IDLE`, which no node may answer.
    pub(crate) otherwise: Option<Status>,
    /// The parent, which the reference names when the node itself gives no valid answer.
    pub(crate) parent: Option<Site>,
    /// The reference forgets that a child no longer runs that was halted or skipped, and so does not
    /// ask before its next start. With this it asks.
    pub(crate) fixed: bool,
}

impl<C: HasBoard> CustomNode<C> for Precondition {
    type State = ();
    /// Whether the condition has held for a child that has not finished since.
    type Memory = u8;

    decorator!("precondition", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        running: &mut u8,
    ) -> Result<Status, Stop> {
        if *running == 0 {
            match branches.with_cx(|cx| self.condition.test(cx)) {
                Ok(true) => {}
                Ok(false) => {
                    return match self.otherwise {
                        Some(status) => Ok(status),
                        None => self.site.idle_answer(self.parent.as_ref(), branches),
                    };
                }
                Err(message) => return self.site.raise_in(branches, &message),
            }
        }
        let status = child!(branches, 0);
        let skipped = status == Status::Skipped && !self.fixed;
        *running = (status == Status::Running || skipped).into();
        Ok(status)
    }

    fn halt(&self, _: &mut (), running: &mut u8, _: &mut Cx<'_, '_, C>) {
        if self.fixed {
            *running = 0;
        }
    }
}

/// `SkipUnlessUpdated` and `WaitValueUpdate`.
pub(crate) struct Updated {
    pub(crate) entry: Slot,
    /// The answer while the entry has not changed.
    pub(crate) otherwise: Status,
}

impl<C: HasBoard> CustomNode<C> for Updated {
    /// Whether the child answered that it runs. It runs for the engine too after an error below.
    type State = u32;
    /// The version seen last.
    type Memory = u32;

    decorator!("if updated", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        running: &mut u32,
        seen: &mut u32,
    ) -> Result<Status, Stop> {
        if *running == 0 {
            match branches.with_cx(|cx| super::leaves::version(cx, self.entry)) {
                Some(version) if version != *seen => *seen = version,
                _ => return Ok(self.otherwise),
            }
        }
        *running = 0;
        let status = child!(branches, 0);
        *running = (status == Status::Running).into();
        Ok(status)
    }
}

/// The element type of a loop node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Int,
    Bool,
    Double,
    Text,
}

impl Element {
    /// An element from the text of a list.
    pub(crate) fn parse(self, text: &str) -> Option<Datum> {
        match self {
            Element::Int => text.trim().parse().ok().map(Datum::Int),
            Element::Double => text.trim().parse().ok().map(Datum::Float),
            Element::Bool => <bool as crate::registry::PortType>::parse(text)
                .ok()
                .map(Datum::Bool),
            Element::Text => Some(Datum::Text(text.into())),
        }
    }

    /// All elements of a list.
    pub(crate) fn list(self, text: &str) -> Option<Vec<Datum>> {
        // As in the reference, nothing behind the last `;` is no element.
        let text = text.strip_suffix(';').unwrap_or(text);
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.split(';').map(|part| self.parse(part)).collect()
    }
}

/// Where a loop's elements come from.
pub(crate) enum Queue {
    /// From the file; read anew by each activation.
    Fixed(Vec<Datum>),
    /// From an entry: a list is consumed there, a text is read from its start.
    Entry(Slot),
}

/// `LoopInt`, `LoopBool`, `LoopDouble`, `LoopString`: the child once for each element, one a tick.
pub(crate) struct Each {
    pub(crate) element: Element,
    pub(crate) queue: Queue,
    pub(crate) value: Option<Slot>,
    pub(crate) if_empty: Status,
    /// A skip at the end of a fixed list does not begin it anew, as nobody resets the node.
    pub(crate) lingers: Option<Lingers>,
    pub(crate) ends: Ends,
}

impl<C: HasBoard> CustomNode<C> for Each {
    /// How many elements of a fixed list are done.
    type State = u32;
    /// How many were done when it was skipped.
    type Memory = Tries;

    decorator!("loop", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        done: &mut u32,
        Tries { count: kept, halt }: &mut Tries,
    ) -> Result<Status, Stop> {
        if let Some(lingers) = &self.lingers {
            lingers.forget_if_reset(branches, halt, kept);
            if branches.is_fresh() {
                *done = *kept as u32;
            }
        }
        if !branches.is_running(0) {
            let next = branches.with_cx(|cx| self.next(cx, *done as usize));
            let Some(next) = next else {
                *kept = (*done).into();
                return self.ends.after(branches, Ok(self.if_empty));
            };
            *kept = 0;
            *done += 1;
            if let Some(slot) = self.value {
                branches.with_cx(|cx| view::write::<C>(cx.at_mut(), slot, next));
            }
        }
        let status = match child!(branches, 0) {
            Status::Failure => Status::Failure,
            _ => Status::Running,
        };
        self.ends.after(branches, Ok(status))
    }

    fn halt(&self, _: &mut u32, _: &mut Tries, cx: &mut Cx<'_, '_, C>) {
        self.ends.ended(cx);
    }
}

impl Each {
    fn next<C: HasBoard>(&self, cx: &mut Cx<'_, '_, C>, done: usize) -> Option<Datum> {
        match &self.queue {
            Queue::Fixed(list) => list.get(done).cloned(),
            Queue::Entry(slot) => match view::read::<C>(cx.at(), *slot) {
                Datum::List(items) => {
                    let (first, rest) = items.split_first()?;
                    view::write::<C>(cx.at_mut(), *slot, Datum::List(rest.into()));
                    Some(first.clone())
                }
                Datum::Text(text) => self.element.list(&text)?.get(done).cloned(),
                _ => None,
            },
        }
    }
}
