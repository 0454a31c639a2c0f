//! A stretch of a herd's agents, ticked by one thread of the machine.

use alloc::vec::Vec;
use core::cell::Cell;

use super::awake::AwakeOf;
use super::slots::{GenerationsOf, Handle, HerdId, bit, set_bit};
use crate::context::{Context, Cx};
use crate::error::TickError;
use crate::leaf::SideSlot;
use crate::rng::Rng;
use crate::run::{Env, Failed, Faults, Frame, NoTrace, Slot, Traced, Tracer};
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
    /// A block before its tick, if it is short or long.
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
    pub(crate) herd: HerdId,
    pub(crate) generations: GenerationsOf<'h>,
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
    /// Whether agents have different pasts: some were never ticked, or each has its own last.
    pub(crate) special: bool,
    /// Agents that are not asleep; empty without events.
    pub(crate) awake: AwakeOf<'h>,
    pub(crate) sleeping: Option<Sleeping<'h>>,
    #[cfg_attr(
        not(feature = "std"),
        expect(dead_code, reason = "only with std can panics be caught")
    )]
    pub(crate) catch: bool,
    pub(crate) out: &'h mut LaneOut,
}

impl<C: Context> Lane<'_, C> {
    /// Hands over every agent that is fit to be ticked and passes the filter, in order.
    #[inline]
    pub(crate) fn each(
        &mut self,
        now: Time,
        filter: impl Fn(u32) -> bool,
        mut f: impl FnMut(Ticker<'_, '_, C>),
    ) {
        for word in 0..self.ready.len() {
            let mut bits = self.ready[word];
            while bits != 0 {
                let local = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                if filter(self.first + local) {
                    f(Ticker::new(self, local, now));
                }
            }
        }
    }

    /// Hands over every agent that is fit to be ticked and awake, in order.
    #[inline]
    pub(crate) fn each_awake(&mut self, now: Time, mut f: impl FnMut(Ticker<'_, '_, C>)) {
        let mut from = 0;
        while let Some((word, bits)) = self.awake.next(from) {
            let mut bits = bits & self.ready[word];
            while bits != 0 {
                let local = word as u32 * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                f(Ticker::new(self, local, now));
            }
            from = word + 1;
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
        if !self.awake.words.is_empty() {
            self.awake.set(local);
        }
    }

    /// Ticks an agent. If that fails, its faults are in `out` and it is noted as poisoned.
    #[inline]
    fn tick<T: Tracer>(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        traced: bool,
        trace: T,
    ) -> Result<Done, Failed> {
        let tree = self.tree;
        let prog = if traced { tree.traced() } else { &tree.program };
        let i = local as usize;
        let mut last = self.last.map_or(0, |t| t.0);
        if self.special && self.own_last(local, now, &mut last) {
            last = now.0;
        }
        let dt = now.0.saturating_sub(last);
        self.out.ticked += 1;
        let mut derived;
        let rng = match self.rngs.get_mut(i) {
            Some(rng) => rng,
            None => {
                // The tick's number is in `derive`, so whoever lived in the slot before drew
                // from other streams. Most leaves do not draw: the stream itself mixes well
                // enough.
                let who = u64::from(self.first + local);
                derived = Rng::new(self.derive ^ who.wrapping_mul(0xd6e8_feb8_6659_fd93));
                &mut derived
            }
        };
        let stride = tree.program.bytes;
        let sides = tree.program.sides;
        let out = &mut *self.out;
        let guard = Unfinished {
            index: self.first + local,
            leaving: Cell::new(false),
            out,
        };
        let side = if sides == 0 {
            &mut []
        } else {
            &mut self.sides[i * sides..][..sides]
        };
        let mut env = Env {
            prog,
            funcs: &tree.funcs,
            own: &mut Slot {
                mem: &mut self.blocks[i * stride..][..stride],
                side,
                faults: &guard.out.faults,
            },
            cx: Cx::with_nanos(at, now, dt, rng),
            trace,
            frame: Frame::of(0),
        };
        let status = env.root()?;
        env.frame = Frame::NONE;
        let leaving = env.cx.wants_despawn();
        let wake = env.cx.requested_wake();
        if leaving {
            guard.leaving.set(true);
            env.halt_thread(0);
        }
        drop(env);
        if leaving {
            guard.out.freed.push(guard.index);
        }
        core::mem::forget(guard);
        Ok(Done { status, wake })
    }

    /// Where not all agents have the same past: the time of the agent's last tick, and
    /// whether this is its first.
    #[inline(never)]
    fn own_last(&mut self, local: u32, now: Time, last: &mut u64) -> bool {
        let fresh = bit(self.fresh, local);
        if fresh {
            set_bit(self.fresh, local, false);
        }
        if let Some(own) = self.lasts.get_mut(local as usize) {
            *last = (*own).max(self.last.map_or(0, |t| t.0));
            *own = now.0;
        }
        fresh
    }

    /// Ticks an agent and looks whether it may sleep.
    #[inline]
    fn tick_watched(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        sleeping: Sleeping<'_>,
    ) -> Result<Status, Failed> {
        let tree = self.tree;
        let stride = tree.program.bytes;
        let block = local as usize * stride..(local as usize + 1) * stride;
        let before = ends(&self.blocks[block.clone()]);
        if before.is_none() {
            self.out.before.clear();
            self.out
                .before
                .extend_from_slice(&self.blocks[block.clone()]);
        }
        let mut watch = Watch::new(sleeping.table);
        let freed = self.out.freed.len();
        let result = self.tick(local, at, now, false, &mut watch);
        let table = sleeping.table;
        let after = &self.blocks[block.clone()];
        let same = match before {
            Some(before) => ends(after) == Some(before),
            None => self.out.before == after,
        };
        let stutter = (same || table.sabotaged(Sabotage::Changes))
            && (!watch.heard || table.sabotaged(Sabotage::Calls))
            && freed == self.out.freed.len();
        let Done { status, wake } = result?;
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
                set_bit(self.awake.words, local, false);
                if let Some(due) = due {
                    self.out.sleeps.push((self.first + local, due));
                }
            }
        }
        Ok(status)
    }

    /// Gives an agent its turn.
    #[inline(always)]
    fn turn(&mut self, local: u32, at: &mut C::At<'_>, now: Time) -> Result<Status, TickError> {
        let result = match self.sleeping {
            Some(sleeping) => self.tick_watched(local, at, now, sleeping),
            None => {
                self.rouse(local);
                match self.tick(local, at, now, false, NoTrace) {
                    Ok(done) => Ok(done.status),
                    Err(failed) => Err(failed),
                }
            }
        };
        result.map_err(|failed| self.error(failed))
    }

    /// What a tick has just failed of.
    #[cold]
    fn error(&self, _: Failed) -> TickError {
        match self.out.poisoned.last() {
            Some((_, faults)) => self.tree.leaf_error(faults),
            None => TickError::Poisoned,
        }
    }

    fn halt(&mut self, local: u32, at: &mut C::At<'_>, now: Time) {
        let tree = self.tree;
        let i = local as usize;
        let mut derived = Rng::new(self.derive);
        let rng = self.rngs.get_mut(i).unwrap_or(&mut derived);
        let (stride, sides) = (tree.program.bytes, tree.program.sides);
        let guard = Unfinished {
            index: self.first + local,
            leaving: Cell::new(true),
            out: &mut *self.out,
        };
        let mut env = Env {
            prog: &tree.program,
            funcs: &tree.funcs,
            own: &mut Slot {
                mem: &mut self.blocks[i * stride..(i + 1) * stride],
                side: &mut self.sides[i * sides..(i + 1) * sides],
                faults: &guard.out.faults,
            },
            cx: Cx::with_nanos(at, now, 0, rng),
            trace: NoTrace,
            frame: Frame::NONE,
        };
        env.halt_thread(0);
        drop(env);
        guard.out.freed.push(guard.index);
        core::mem::forget(guard);
    }
}

/// What a tick came to.
struct Done {
    status: Status,
    wake: Option<Time>,
}

/// An agent whose tick or halt is not over. Dropped by an error or a panic it notes that the
/// agent is poisoned, or gone if it was leaving.
struct Unfinished<'g> {
    index: u32,
    leaving: Cell<bool>,
    out: &'g mut LaneOut,
}

impl Drop for Unfinished<'_> {
    #[cold]
    fn drop(&mut self) {
        let faults = core::mem::take(&mut self.out.faults);
        if self.leaving.get() {
            self.out.freed.push(self.index);
        } else {
            self.out.poisoned.push((self.index, faults));
        }
    }
}

/// All of a block of eight to sixteen bytes, as most are: its ends, which may overlap. To keep
/// and compare such a block takes no call.
#[inline(always)]
fn ends(block: &[u8]) -> Option<(u64, u64)> {
    if block.len() > 16 {
        return None;
    }
    let (first, last) = (block.first_chunk()?, block.last_chunk()?);
    Some((u64::from_le_bytes(*first), u64::from_le_bytes(*last)))
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
            generation: self.lane.generations.get(self.local as usize),
            herd: self.lane.herd,
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
        #[cfg(feature = "std")]
        if lane.catch {
            return caught(lane, local, |lane| lane.turn(local, at, now));
        }
        lane.turn(local, at, now)
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
        let mut turn = |lane: &mut Lane<'h, C>| {
            lane.rouse(local);
            match lane.tick(local, at, now, true, &mut traced) {
                Ok(done) => Ok(done.status),
                Err(failed) => Err(lane.error(failed)),
            }
        };
        #[cfg(feature = "std")]
        if lane.catch {
            return caught(lane, local, turn);
        }
        turn(lane)
    }

    /// Halts the agent in place of ticking it, and removes it after the herd's tick. If a
    /// halt hook panics the agent is removed all the same.
    pub fn despawn(self, at: &mut C::At<'_>) {
        let Ticker { lane, local, now } = self;
        lane.halt(local, at, now);
    }
}

#[cfg(feature = "std")]
#[cold]
fn caught<'h, C: Context>(
    lane: &mut Lane<'h, C>,
    local: u32,
    f: impl FnOnce(&mut Lane<'h, C>) -> Result<Status, TickError>,
) -> Result<Status, TickError> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
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
