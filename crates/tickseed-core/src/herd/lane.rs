//! A stretch of a herd's agents, ticked by one thread of the machine.

use alloc::vec::Vec;

use super::slots::{Handle, bit, set_bit};
use crate::context::{Context, Cx};
use crate::error::TickError;
use crate::leaf::SideSlot;
use crate::rng::Rng;
use crate::run::{Env, Failed, Faults, Frame, NoTrace, Traced, Tracer, begin};
use crate::status::Status;
use crate::time::Time;
use crate::trace::Trace;
use crate::tree::Tree;
use crate::wake::{Sabotage, WakeTable, Watch};

/// What ticking a stretch leaves to be done by the herd.
#[derive(Default)]
pub(crate) struct LaneOut {
    /// Empty between ticks.
    faults: Faults,
    pub(crate) poisoned: Vec<(u32, Faults)>,
    pub(crate) freed: Vec<u32>,
    /// Agents that fall asleep, and when they are to be woken.
    pub(crate) sleeps: Vec<(u32, u64)>,
    /// How many agents were ticked.
    pub(crate) ticked: usize,
    /// A block before its tick.
    before: Vec<u8>,
}

/// How agents fall asleep.
#[derive(Clone, Copy)]
pub(crate) struct Sleeping<'h> {
    pub(crate) table: &'h WakeTable,
    /// Nanoseconds of a granule of the timer wheel, as a power of two.
    pub(crate) shift: u32,
    /// The granule that the wheel stands at.
    pub(crate) granule: u64,
}

/// Columns of a herd, from the agent `first` on. `first` is a multiple of 64.
pub(crate) struct Lane<'h, C: Context> {
    pub(crate) tree: &'h Tree<C>,
    pub(crate) first: u32,
    pub(crate) generations: &'h [u32],
    pub(crate) ready: &'h [u64],
    pub(crate) blocks: &'h mut [u8],
    pub(crate) sides: &'h mut [SideSlot],
    /// The agents' random streams; empty if they are derived for every tick.
    pub(crate) rngs: &'h mut [Rng],
    /// What derived streams begin with in this tick.
    pub(crate) derive: u64,
    /// Agents that were never ticked.
    pub(crate) fresh: &'h mut [u64],
    /// The time of each agent's last tick, where they differ; else empty.
    pub(crate) lasts: &'h mut [u64],
    /// The time of the herd's last tick.
    pub(crate) last: Option<Time>,
    /// Agents that are not asleep; empty without events.
    pub(crate) awake: &'h mut [u64],
    pub(crate) sleeping: Option<Sleeping<'h>>,
    #[cfg_attr(
        not(feature = "std"),
        expect(dead_code, reason = "only with std can panics be caught")
    )]
    pub(crate) catch: bool,
    pub(crate) out: &'h mut LaneOut,
}

impl<C: Context> Lane<'_, C> {
    /// Hands over every agent that is fit to be ticked (and awake, if wanted) and passes the
    /// filter, in order.
    #[inline]
    pub(crate) fn each(
        &mut self,
        now: Time,
        only_awake: bool,
        filter: impl Fn(u32) -> bool,
        mut f: impl FnMut(Ticker<'_, '_, C>),
    ) {
        for word in 0..self.ready.len() {
            let mut bits = self.ready[word];
            if only_awake {
                bits &= self.awake[word];
            }
            while bits != 0 {
                let local = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                if filter(self.first + local) {
                    f(Ticker::new(self, local, now));
                }
            }
        }
    }

    /// Whether an agent is fit to be ticked still, in the middle of a tick.
    pub(crate) fn is_ready(&self, local: u32) -> bool {
        let index = self.first + local;
        bit(self.ready, local)
            && !self.out.freed.contains(&index)
            && !self.out.poisoned.iter().any(|p| p.0 == index)
    }

    /// A tick that is not watched may leave anything behind.
    fn rouse(&mut self, local: u32) {
        if !self.awake.is_empty() {
            set_bit(self.awake, local, true);
        }
    }

    #[inline]
    fn tick<T: Tracer>(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        traced: bool,
        trace: &mut T,
    ) -> Result<(Status, Option<Time>), TickError> {
        let tree = self.tree;
        let prog = if traced { tree.traced() } else { &tree.program };
        let i = local as usize;
        let mut derived;
        let rng = match self.rngs.get_mut(i) {
            Some(rng) => rng,
            None => {
                let who = u64::from(self.first + local) << 32 | u64::from(self.generations[i]);
                // Most leaves do not draw: the stream itself mixes well enough.
                derived = Rng::new(self.derive ^ who.wrapping_mul(0xd6e8_feb8_6659_fd93));
                &mut derived
            }
        };
        let mut dt = 0;
        if bit(self.fresh, local) {
            set_bit(self.fresh, local, false);
        } else {
            let mut last = self.last.map_or(0, |t| t.0);
            if let Some(own) = self.lasts.get(i) {
                last = last.max(*own);
            }
            dt = now.0.saturating_sub(last);
        }
        if let Some(last) = self.lasts.get_mut(i) {
            *last = now.0;
        }
        self.out.ticked += 1;
        let stride = tree.program.bytes;
        let sides = tree.program.sides;
        let out = &mut *self.out;
        let mut guard = Unfinished {
            index: self.first + local,
            faults: &mut out.faults,
            poisoned: &mut out.poisoned,
            freed: &mut out.freed,
            leaving: false,
            done: false,
        };
        let mut cx = Cx::with_nanos(at, now, dt, rng);
        let mem = &mut self.blocks[i * stride..(i + 1) * stride];
        let funcs = &tree.funcs;
        let begun = begin(prog, funcs, mem, &mut cx, trace, guard.faults);
        let side = &mut self.sides[i * sides..(i + 1) * sides];
        let mut env = Env {
            prog,
            funcs,
            mem,
            side,
            cx: &mut cx,
            trace,
            faults: guard.faults,
            frame: Frame::NONE,
        };
        let status = match begun {
            None => Ok(Status::Running),
            Some(begun) => env.go_on(&begun),
        };
        match status {
            Ok(status) => {
                if env.cx.wants_despawn() {
                    guard.leaving = true;
                    env.halt_thread(0);
                    guard.freed.push(guard.index);
                }
                drop(env);
                guard.done = true;
                Ok((status, cx.requested_wake()))
            }
            Err(Failed) => {
                drop(env);
                Err(tree.leaf_error(guard.faults))
            }
        }
    }

    /// Ticks an agent and looks whether it may sleep.
    fn tick_watched(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        sleeping: Sleeping<'_>,
    ) -> Result<Status, TickError> {
        let tree = self.tree;
        let stride = tree.program.bytes;
        let block = local as usize * stride..(local as usize + 1) * stride;
        let mut before = core::mem::take(&mut self.out.before);
        before.clear();
        before.extend_from_slice(&self.blocks[block.clone()]);
        let mut watch = Watch::new(sleeping.table);
        let freed = self.out.freed.len();
        let result = self.tick(local, at, now, false, &mut watch);
        let table = sleeping.table;
        let stutter = (before == self.blocks[block.clone()] || table.sabotaged(Sabotage::Changes))
            && (!watch.heard || table.sabotaged(Sabotage::Calls))
            && freed == self.out.freed.len();
        self.out.before = before;
        let (status, wake) = result?;
        if stutter
            && let Some(soonest) =
                table.sleep(&tree.program, &tree.def, &self.blocks[block], 0, now)
        {
            let soonest = match (soonest, wake) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            // Rounded down: an agent woken too early stutters once more.
            let due = soonest.map(|t| t.0 >> sleeping.shift);
            if due.is_none_or(|due| due > sleeping.granule) {
                set_bit(self.awake, local, false);
                if let Some(due) = due {
                    self.out.sleeps.push((self.first + local, due));
                }
            }
        }
        Ok(status)
    }

    fn halt(&mut self, local: u32, at: &mut C::At<'_>, now: Time) {
        let tree = self.tree;
        let i = local as usize;
        let mut derived = Rng::new(self.derive);
        let rng = self.rngs.get_mut(i).unwrap_or(&mut derived);
        let (stride, sides) = (tree.program.bytes, tree.program.sides);
        let out = &mut *self.out;
        let mut guard = Unfinished {
            index: self.first + local,
            faults: &mut out.faults,
            poisoned: &mut out.poisoned,
            freed: &mut out.freed,
            leaving: true,
            done: false,
        };
        let mut env = Env {
            prog: &tree.program,
            funcs: &tree.funcs,
            mem: &mut self.blocks[i * stride..(i + 1) * stride],
            side: &mut self.sides[i * sides..(i + 1) * sides],
            cx: &mut Cx::with_nanos(at, now, 0, rng),
            trace: &mut NoTrace,
            faults: guard.faults,
            frame: Frame::NONE,
        };
        env.halt_thread(0);
        guard.freed.push(guard.index);
        guard.done = true;
    }
}

/// An agent whose tick or halt is not over. Dropped by an error or a panic it notes that the
/// agent is poisoned, or gone if it was leaving.
struct Unfinished<'g> {
    index: u32,
    faults: &'g mut Faults,
    poisoned: &'g mut Vec<(u32, Faults)>,
    freed: &'g mut Vec<u32>,
    leaving: bool,
    done: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.done {
            let faults = core::mem::take(self.faults);
            if self.leaving {
                self.freed.push(self.index);
            } else {
                self.poisoned.push((self.index, faults));
            }
        }
    }
}

/// One agent whose turn it is: tick it with its context. An agent that is not ticked stays as
/// it is until its next turn.
pub struct Ticker<'t, 'h, C: Context> {
    lane: &'t mut Lane<'h, C>,
    local: u32,
    now: Time,
}

impl<'t, 'h, C: Context> Ticker<'t, 'h, C> {
    pub(crate) fn new(lane: &'t mut Lane<'h, C>, local: u32, now: Time) -> Self {
        Ticker { lane, local, now }
    }

    /// The agent's index, by which to find its data.
    #[must_use]
    pub fn index(&self) -> usize {
        (self.lane.first + self.local) as usize
    }

    /// The agent.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle {
            index: self.lane.first + self.local,
            generation: self.lane.generations[self.local as usize],
        }
    }

    /// The time of this tick.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Ticks the agent.
    ///
    /// # Errors
    /// A leaf failed (or panicked, in a herd that catches panics): the agent is then poisoned
    /// and gets no more turns until it is recovered. The others are not affected.
    #[inline]
    pub fn tick(self, at: &mut C::At<'_>) -> Result<Status, TickError> {
        let Ticker { lane, local, now } = self;
        caught(lane, local, |lane| match lane.sleeping {
            Some(sleeping) => lane.tick_watched(local, at, now, sleeping),
            None => {
                lane.rouse(local);
                Ok(lane.tick(local, at, now, false, &mut NoTrace)?.0)
            }
        })
    }

    /// [`tick`](Ticker::tick), reporting every node's part in it.
    ///
    /// # Errors
    /// As `tick`.
    pub fn tick_traced(
        self,
        at: &mut C::At<'_>,
        trace: &mut dyn Trace,
    ) -> Result<Status, TickError> {
        let Ticker { lane, local, now } = self;
        let mut traced = Traced::new(trace);
        caught(lane, local, |lane| {
            lane.rouse(local);
            Ok(lane.tick(local, at, now, true, &mut traced)?.0)
        })
    }

    /// Halts the agent in place of ticking it, and removes it after the herd's tick. If a
    /// halt hook panics the agent is removed all the same.
    pub fn despawn(self, at: &mut C::At<'_>) {
        let Ticker { lane, local, now } = self;
        lane.halt(local, at, now);
    }
}

#[cfg(feature = "std")]
fn caught<'h, C: Context>(
    lane: &mut Lane<'h, C>,
    local: u32,
    f: impl FnOnce(&mut Lane<'h, C>) -> Result<Status, TickError>,
) -> Result<Status, TickError> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    if !lane.catch {
        return f(lane);
    }
    // What a panic leaves unfinished has been noted by then.
    let panic = match catch_unwind(AssertUnwindSafe(|| f(lane))) {
        Ok(result) => return result,
        Err(panic) => panic,
    };
    let text = panic.downcast_ref::<&str>().copied().or_else(|| {
        panic
            .downcast_ref::<alloc::string::String>()
            .map(|s| s.as_str())
    });
    let faults = lane.out.poisoned.last();
    let frame = faults
        .filter(|p| p.0 == lane.first + local)
        .and_then(|(_, faults)| faults.look(|f| f.frames.first().copied()).flatten());
    let stride = lane.tree.program.bytes;
    let block = &lane.blocks[local as usize * stride..(local as usize + 1) * stride];
    let node = match frame {
        Some(f) if f.traced => Some(lane.tree.traced().op_nodes[f.pc as usize]),
        Some(f) => Some(lane.tree.program.op_nodes[f.pc as usize]),
        // The leaf that ran panicked: the resume point tells which.
        None => lane.tree.running_in(block).first().copied(),
    };
    let path = node.map(|node| lane.tree.path(node));
    Err(TickError::Panicked {
        path,
        message: text.unwrap_or("(no text)").into(),
    })
}

#[cfg(not(feature = "std"))]
fn caught<'h, C: Context>(
    lane: &mut Lane<'h, C>,
    _: u32,
    f: impl FnOnce(&mut Lane<'h, C>) -> Result<Status, TickError>,
) -> Result<Status, TickError> {
    f(lane)
}
