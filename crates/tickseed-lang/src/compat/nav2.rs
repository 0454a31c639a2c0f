//! Nav2's control nodes, and its decorators that do not need ROS.

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Branches, CustomNode, Cx, Status, Stop};

use super::ros::Gauge;
use super::site::{
    Answer, Site, Tries, Unreset, child, decorator, forget_if_halted, head, read, tick,
    tick_unreset, wake,
};
use crate::board::{HasBoard, view};
use crate::expr::{Datum, Slot};
use crate::registry::In;

/// How many recoveries one tick makes room for.
const MOST_RECOVERIES: i64 = 1_000;

/// `RecoveryNode`: if the first child fails, the second is to mend it and the first tries again.
pub(crate) struct Recovery {
    pub(crate) site: Site,
    pub(crate) retries: In<i64>,
}

impl<C: HasBoard> CustomNode<C> for Recovery {
    /// The child whose turn it is.
    type State = u32;
    /// Retries so far. A skipped recovery keeps them.
    type Memory = Tries;

    head!("recovery", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        turn: &mut u32,
        Tries {
            count: retries,
            halt,
        }: &mut Tries,
    ) -> Result<Status, Stop> {
        forget_if_halted(branches, halt, retries);
        if branches.len() != 2 {
            let message = format!(
                "Recovery Node '{}' must only have 2 children.",
                self.site.name
            );
            return self.site.raise_in(branches, &message);
        }
        let limit = read(branches, &self.retries).unwrap_or(1);
        let pause = retries.saturating_add(MOST_RECOVERIES);
        while *retries <= limit {
            // Children that end at once would keep a tick for as long as there are retries.
            if *retries >= pause {
                wake(branches);
                return Ok(Status::Running);
            }
            let status = child!(branches, *turn as usize);
            match (*turn, status) {
                (_, Status::Running) => return Ok(Status::Running),
                (0, Status::Failure) if *retries < limit => *turn = 1,
                (0, status) => {
                    *retries = 0;
                    return Ok(status);
                }
                (_, Status::Success) => {
                    *retries += 1;
                    *turn = 0;
                }
                (_, Status::Skipped) => return Ok(Status::Failure),
                (_, _) => {
                    *retries = 0;
                    return Ok(Status::Failure);
                }
            }
        }
        *retries = 0;
        Ok(Status::Failure)
    }

    fn halt(&self, _: &mut u32, retries: &mut Tries, _: &mut Cx<'_, '_, C>) {
        retries.count = 0;
    }
}

/// `RoundRobin`: each activation begins at the child after the one that succeeded last.
pub(crate) struct RoundRobin {
    pub(crate) wrap_around: In<bool>,
    /// The reference answers failure whatever its last child answers, unless it wraps around. With
    /// this a success of the last child is one.
    pub(crate) fixed: bool,
}

/// Where a round robin is.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Round {
    index: u32,
    failed: u32,
    skipped: u32,
    unused: u32,
}

/// What a round robin keeps between activations, and the last halt of the tree that it saw.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Turn {
    round: Round,
    halt: u64,
}

impl<C: HasBoard> CustomNode<C> for RoundRobin {
    type State = ();
    type Memory = Turn;

    head!("round robin", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        Turn { round, halt }: &mut Turn,
    ) -> Result<Status, Stop> {
        forget_if_halted(branches, halt, round);
        let children = branches.len() as u32;
        let wrap = read(branches, &self.wrap_around).unwrap_or(false);
        while round.failed + round.skipped < children {
            let status = child!(branches, round.index as usize);
            if status == Status::Running {
                return Ok(status);
            }
            round.index += 1;
            if round.index == children {
                round.index = 0;
                if !wrap {
                    *round = Round::default();
                    return Ok(if self.fixed { status } else { Status::Failure });
                }
            }
            match status {
                Status::Success => {
                    (round.failed, round.skipped) = (0, 0);
                    return Ok(status);
                }
                Status::Failure => round.failed += 1,
                _ => round.skipped += 1,
            }
        }
        let skipped = round.skipped == children;
        *round = Round::default();
        Ok(if skipped {
            Status::Skipped
        } else {
            Status::Failure
        })
    }

    fn halt(&self, _: &mut (), turn: &mut Turn, _: &mut Cx<'_, '_, C>) {
        turn.round = Round::default();
    }
}

/// How a child behaves that is ticked again without having been reset, because its parent ticks
/// all children on every tick and resets them only when it ends.
pub(crate) enum Policy<C: HasBoard> {
    /// It repeats its verdict or runs anew.
    Again(Unreset),
    /// `RateController`: it runs when it is time; its parent sees it running otherwise.
    Rate(In<f64>),
    /// `SingleTrigger`: it ran, so it fails.
    Once,
    /// `GoalUpdatedController`: it runs when one of the entries has changed.
    Changed(Vec<Slot>),
    /// `DistanceController`, `SpeedController`: it runs when its gauge says so.
    Gauge(Gauge<C>),
}

/// What a parent remembers of each child that it does not reset.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Kept {
    /// Children that finished since the activation began, and how.
    done: u64,
    failed: u64,
    /// Children that were ticked at all.
    begun: u64,
    /// When a rated child last succeeded or began; the versions that were seen.
    since: [[u64; 2]; 64],
    last: u32,
    unused: u32,
}

/// How many children [`Kept`] has room for.
pub(crate) const MOST_KEPT: usize = 64;

/// `PipelineSequence` and `NonblockingSequence`.
pub(crate) struct Pipeline<C: HasBoard> {
    pub(crate) site: Site,
    pub(crate) policies: Vec<Policy<C>>,
    /// The names of the children, for messages.
    pub(crate) names: Vec<String>,
    /// `NonblockingSequence`: no child blocks those behind it, none may skip.
    pub(crate) nonblocking: bool,
}

impl<C: HasBoard> Pipeline<C> {
    /// A child's answer, which it may give without running.
    fn answer(
        &self,
        branches: &mut Branches<'_, C>,
        kept: &mut Kept,
        i: usize,
    ) -> Result<Status, Stop> {
        let bit = 1_u64 << i;
        let begun = kept.begun & bit != 0;
        let running = branches.is_running(i);
        let now = branches.with_cx(|cx| cx.now().0);
        let rests = begun && !running;
        match &self.policies[i] {
            Policy::Again(_) => {}
            Policy::Rate(hz) if rests => {
                let hz = read(branches, hz).unwrap_or(10.0);
                let period = (1e9 / hz) as u64;
                if now.saturating_sub(kept.since[i][0]) < period {
                    return Ok(Status::Running);
                }
            }
            Policy::Rate(_) if !begun => kept.since[i][0] = now,
            Policy::Rate(_) => {}
            Policy::Once if kept.done & bit != 0 => return Ok(Status::Failure),
            Policy::Once => {}
            Policy::Changed(slots) => {
                let seen = branches.with_cx(|cx| versions(C::board(cx.at()), slots));
                if rests && seen == kept.since[i][0] {
                    return Ok(Status::Running);
                }
                kept.since[i][0] = seen;
            }
            Policy::Gauge(gauge) => {
                match gauge.due(branches, !begun, running, &mut kept.since[i]) {
                    Ok(true) => {}
                    Ok(false) => return Ok(Status::Running),
                    Err(message) => return self.site.raise_in(branches, &message),
                }
            }
        }
        kept.begun |= bit;
        let answer = match &self.policies[i] {
            Policy::Again(how) if kept.done & bit != 0 && !running => {
                let verdict = Status::from_bool(kept.failed & bit == 0);
                tick_unreset(branches, i, *how, verdict)?
            }
            _ => tick(branches, i)?,
        };
        let Answer::Status(status) = answer else {
            return Ok(Status::Running);
        };
        if status.is_verdict() {
            kept.done |= bit;
            if status == Status::Failure {
                kept.failed |= bit;
            }
        }
        match &self.policies[i] {
            Policy::Rate(_) if status == Status::Success => kept.since[i][0] = now,
            Policy::Gauge(gauge) if status == Status::Success => {
                gauge.succeeded(branches, &mut kept.since[i]);
            }
            _ => {}
        }
        Ok(status)
    }
}

/// A number that changes when any of the entries does.
pub(crate) fn versions(board: &crate::board::Board, slots: &[Slot]) -> u64 {
    slots.iter().fold(0, |sum: u64, slot| {
        sum.wrapping_mul(1 << 20)
            .wrapping_add(board.version(*slot).into())
    })
}

impl<C: HasBoard> CustomNode<C> for Pipeline<C> {
    type State = Kept;
    type Memory = ();

    fn name(&self) -> &'static str {
        if self.nonblocking {
            "nonblocking sequence"
        } else {
            "pipeline sequence"
        }
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        kept: &mut Kept,
        _: &mut (),
    ) -> Result<Status, Stop> {
        let (mut taken, mut running) = (false, false);
        for i in 0..branches.len() {
            let status = self.answer(branches, kept, i)?;
            if branches.with_cx(|cx| C::board(cx.at()).has_fault()) {
                return Ok(Status::Running);
            }
            match status {
                Status::Failure => return Ok(status),
                Status::Running if self.nonblocking => running = true,
                Status::Running if i as u32 >= kept.last => {
                    kept.last = i as u32;
                    return Ok(status);
                }
                Status::Running | Status::Success => taken = true,
                Status::Skipped if self.nonblocking => {
                    let message = format!(
                        "Invalid node status. Received status SKIPPEDfrom child {}",
                        self.names[i]
                    );
                    return self.site.raise_in(branches, &message);
                }
                Status::Skipped => {}
            }
        }
        Ok(match (running, taken) {
            (true, _) => Status::Running,
            (false, true) => Status::Success,
            (false, false) => Status::Skipped,
        })
    }
}

/// `RateController` where its parent resets it when it has finished.
pub(crate) struct Rate {
    pub(crate) hz: In<f64>,
}

impl<C: HasBoard> CustomNode<C> for Rate {
    /// When the activation began, plus one.
    type State = u64;
    type Memory = ();

    decorator!("rate controller", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        began: &mut u64,
        _: &mut (),
    ) -> Result<Status, Stop> {
        let now = branches.with_cx(|cx| cx.now().0);
        let period = (1e9 / read(branches, &self.hz).unwrap_or(10.0)) as u64;
        let first = branches.is_fresh();
        if first {
            *began = now;
        }
        if !first && !branches.is_running(0) && now.saturating_sub(*began) < period {
            return Ok(Status::Running);
        }
        Ok(child!(branches, 0))
    }
}

/// `PersistentSequence`: a sequence whose place is an entry.
pub(crate) struct Persistent {
    pub(crate) site: Site,
    pub(crate) index: Option<Slot>,
}

impl<C: HasBoard> CustomNode<C> for Persistent {
    type State = ();
    type Memory = ();

    head!("persistent sequence", never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        let index = self.index.and_then(|slot| {
            match branches.with_cx(|cx| view::read::<C>(cx.at(), slot)) {
                Datum::Int(i) => usize::try_from(i).ok().map(|i| (slot, i)),
                Datum::Float(f) if f >= 0.0 => Some((slot, f as usize)),
                _ => None,
            }
        });
        let Some((slot, mut index)) = index else {
            let message = "Missing parameter [current_child_idx] in PersistentSequenceNode";
            return self.site.raise_in(branches, message);
        };
        let write = |branches: &mut Branches<'_, C>, index: usize| {
            branches.with_cx(|cx| view::write::<C>(cx.at_mut(), slot, Datum::Int(index as i64)));
        };
        while index < branches.len() {
            match child!(branches, index) {
                Status::Running => return Ok(Status::Running),
                Status::Failure => {
                    write(branches, 0);
                    return Ok(Status::Failure);
                }
                _ => {
                    index += 1;
                    write(branches, index);
                }
            }
        }
        write(branches, 0);
        Ok(Status::Success)
    }
}
