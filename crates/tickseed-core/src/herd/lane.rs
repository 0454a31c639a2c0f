//! A stretch of a herd's agents, ticked by one thread of the machine.

use alloc::vec::Vec;
use core::cell::Cell;

use super::awake::AwakeOf;
use super::look;
use super::slots::{GenerationsOf, Handle, HerdId, bit, set_bit};
use super::turns::Turns;
use crate::context::{Context, Cx};
use crate::error::TickError;
use crate::leaf::SideSlot;
use crate::rng::Rng;
use crate::run::{Env, Failed, Faults, Frame, Slot, Traced, Tracer};
use crate::status::Status;
use crate::time::Time;
use crate::trace::Trace;
use crate::tree::Tree;
use crate::wake::WakeTable;

/// What ticking a stretch leaves to be done by the herd.
#[derive(Default)]
pub(crate) struct LaneOut {
    /// Empty between ticks.
    faults: Faults,
    pub(crate) poisoned: Vec<(u32, Faults)>,
    pub(crate) freed: Vec<u32>,
    /// Agents that fall asleep, and when they are to be woken.
    pub(crate) sleeps: Vec<(u32, u64)>,
    /// How many agents were ticked, or looked at in place of it.
    pub(crate) ticked: usize,
    /// Who is to have a turn next.
    turns: Turns,
    /// Whether the agent that is ticked is being removed.
    leaving: Cell<bool>,
    /// A block before its tick, if it is long.
    before: Vec<u8>,
}

/// The timer wheel's time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Granules {
    /// Nanoseconds of a granule, as a power of two.
    pub(crate) shift: u32,
    /// The granule that the wheel stands at.
    pub(crate) now: u64,
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
    /// The time of the herd's last tick, or zero.
    pub(crate) last: u64,
    /// Whether agents have different pasts: some were never ticked, or each has its own last.
    pub(crate) special: bool,
    /// Agents that are not asleep; empty without events.
    pub(crate) awake: AwakeOf<'h>,
    /// What decides whether agents fall asleep in this tick, if any do.
    pub(crate) table: Option<&'h WakeTable>,
    pub(crate) granules: Granules,
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
        let mut next = Some(0);
        while let Some(from) = next {
            next = self.gather(from);
            let mut i = 0;
            while let Some((local, touched)) = self.out.turns.get(i) {
                i += 1;
                f(Ticker {
                    touched,
                    ..Ticker::new(self, local, now)
                });
            }
            for word in self.out.turns.words() {
                self.awake.settle(word, self.ready);
            }
        }
    }

    /// Lists the next who are to have a turn, from a word on; at which to go on.
    ///
    /// Their blocks are fetched from memory then, one after the other without waiting for any of
    /// them: they may lie far apart.
    #[inline(never)]
    fn gather(&mut self, from: usize) -> Option<usize> {
        self.out.turns.clear();
        let next = self.list(from);
        let stride = self.tree.program.bytes;
        let mut fetched = 0;
        for local in self.out.turns.numbers() {
            fetched |= self
                .blocks
                .get(local as usize * stride)
                .copied()
                .unwrap_or(0);
        }
        core::hint::black_box(fetched);
        next
    }

    #[inline(always)]
    fn list(&mut self, from: usize) -> Option<usize> {
        let mut skip = from % 64;
        for at in from / 64..self.awake.some.len() {
            let mut some = self.awake.some[at] >> skip << skip;
            skip = 0;
            while some != 0 {
                let word = at as u32 * 64 + some.trailing_zeros();
                if self.out.turns.is_full() {
                    return Some(word as usize);
                }
                some &= some - 1;
                let (turns, touched) = self.awake.rouse(word, self.ready);
                self.out.turns.push(word, turns, touched);
            }
        }
        None
    }

    /// Whether an agent is fit to be ticked still, in the middle of a tick.
    pub(crate) fn is_ready(&self, local: u32) -> bool {
        let index = self.first + local;
        bit(self.ready, local)
            && !self.out.freed.contains(&index)
            && !self.out.poisoned.iter().any(|p| p.0 == index)
    }

    /// Ticks an agent. If that fails, its faults are in `out` and it is noted as poisoned.
    #[inline(always)]
    fn tick(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        trace: Option<&mut dyn Tracer>,
        table: Option<&WakeTable>,
    ) -> Result<Done, Failed> {
        let tree = self.tree;
        let code = if trace.is_some() {
            tree.traced()
        } else if table.is_some() {
            tree.watched()
        } else {
            tree.code()
        };
        let i = local as usize;
        let last = if self.special {
            self.own_last(local, now)
        } else {
            self.last
        };
        self.out.ticked += 1;
        let index = self.first + local;
        let mut derived;
        let rng = match self.rngs.get_mut(i) {
            Some(rng) => rng,
            None => {
                // The tick's number is in `derive`, so whoever lived in the slot before drew
                // from other streams. Most leaves do not draw: the stream itself mixes well
                // enough.
                let who = u64::from(index).wrapping_mul(0xd6e8_feb8_6659_fd93);
                derived = Rng::new(self.derive ^ who);
                &mut derived
            }
        };
        let (stride, sides) = (tree.program.bytes, tree.program.sides);
        let out = &mut *self.out;
        let mem = &mut self.blocks[i * stride..][..stride];
        let before = match table {
            Some(_) => ends(mem),
            None => None,
        };
        if table.is_some() && before.is_none() {
            out.before.clear();
            out.before.extend_from_slice(mem);
        }
        let guard = Unfinished { index, out };
        let side = if sides == 0 {
            &mut []
        } else {
            &mut self.sides[i * sides..][..sides]
        };
        let traced = trace.is_some();
        let mut beside = Slot {
            side,
            faults: &guard.out.faults,
            trace,
            heard: false,
        };
        let frame = Frame::root(mem.first().copied().unwrap_or(0));
        let mut env = Env {
            code,
            mem,
            beside: &mut beside,
            cx: Cx::since(at, now, Time(last), rng),
            frame,
        };
        let status = if traced {
            env.traced_root()
        } else {
            env.root()
        }?;
        let nap = match table {
            None => None,
            Some(table) => {
                let mem = &*env.mem;
                let same = match before {
                    Some(before) => ends(mem) == Some(before),
                    None => guard.out.before == mem,
                };
                let heard = env.beside.heard();
                let stutters =
                    same && !heard || table.is_sabotaged() && table.overlooks(same, heard);
                let rests = stutters || {
                    // The tick itself is over.
                    env.frame = Frame::NONE;
                    let faults = &guard.out.faults;
                    look::rests(tree, table, env.mem, env.cx.at(), now, faults) == Some(status)
                };
                rests
                    .then(|| table.sleep(&tree.program, &tree.def, env.mem, now))
                    .flatten()
            }
        };
        let mut done = Done { status, nap };
        if env.cx.asks() {
            let (wake, leaving) = asked(&mut env, &guard.out.leaving);
            drop(env);
            if leaving {
                guard.out.leaving.set(false);
                guard.out.freed.push(index);
            }
            done.nap = nap
                .filter(|_| !leaving)
                .map(|soonest| soonest.into_iter().chain(wake).min());
            core::mem::forget(guard);
            return Ok(done);
        }
        // Nothing is left for either to do. (Not dropped: that would be a call for nothing.)
        core::mem::forget(env);
        core::mem::forget(guard);
        Ok(done)
    }

    /// Where not all agents have the same past: the time of the agent's last tick, which is
    /// this one if it is its first.
    #[inline(never)]
    fn own_last(&mut self, local: u32, now: Time) -> u64 {
        let mut last = self.last;
        if let Some(own) = self.lasts.get_mut(local as usize) {
            last = last.max(*own);
            *own = now.0;
        }
        if bit(self.fresh, local) {
            set_bit(self.fresh, local, false);
            last = now.0;
        }
        last
    }

    /// Ticks an agent and looks whether it may sleep.
    #[inline(never)]
    fn tick_watched(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        table: &WakeTable,
    ) -> Result<Status, Failed> {
        let done = self.tick(local, at, now, None, Some(table))?;
        let Some(limit) = done.nap else {
            return Ok(done.status);
        };
        if let Some(soonest) = limit {
            // Rounded down: an agent woken too early stutters once more.
            let due = soonest.0 >> self.granules.shift;
            if due <= self.granules.now {
                return Ok(done.status);
            }
            self.out.sleeps.push((self.first + local, due));
        }
        self.awake.sleep(local);
        Ok(done.status)
    }

    /// Gives an agent its turn that was touched in its sleep.
    #[inline(always)]
    fn turn_touched(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        table: &WakeTable,
    ) -> Result<Status, Failed> {
        let stride = self.tree.program.bytes;
        let guard = Unfinished {
            index: self.first + local,
            out: &mut *self.out,
        };
        let mem = &self.blocks[local as usize * stride..][..stride];
        let still = look::still(self.tree, table, mem, at, now, &guard.out.faults);
        core::mem::forget(guard);
        let status = match still {
            Some(status) => {
                self.out.ticked += 1;
                status
            }
            None if table.is_sabotaged() && table.looks_away() => Status::Running,
            None => return self.tick_watched(local, at, now, table),
        };
        self.awake.sleep(local);
        Ok(status)
    }

    /// Gives an agent its turn.
    #[inline(always)]
    fn turn(
        &mut self,
        local: u32,
        touched: bool,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Status, Failed> {
        match self.table {
            Some(table) if touched => self.turn_touched(local, at, now, table),
            Some(table) => self.tick_watched(local, at, now, table),
            None => self.tick_unwatched(local, at, now),
        }
    }

    /// Ticks an agent that is not to sleep.
    #[inline(always)]
    fn tick_unwatched(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Status, Failed> {
        self.rouse(local);
        Ok(self.tick(local, at, now, None, None)?.status)
    }

    /// A tick that is not watched may leave anything behind.
    #[inline(always)]
    fn rouse(&mut self, local: u32) {
        if !self.awake.words.is_empty() {
            self.awake.wake(local);
        }
    }

    /// What a tick has just failed of.
    #[cold]
    fn error(&self) -> TickError {
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
            out: &mut *self.out,
        };
        guard.out.leaving.set(true);
        let side = &mut self.sides[i * sides..(i + 1) * sides];
        let mut beside = Slot::new(side, &guard.out.faults);
        let mut env = Env::new(
            tree.code(),
            &mut self.blocks[i * stride..(i + 1) * stride],
            &mut beside,
            Cx::since(at, now, now, rng),
        );
        env.halt_thread(0);
        drop(env);
        guard.out.leaving.set(false);
        guard.out.freed.push(guard.index);
        core::mem::forget(guard);
    }
}

/// What a tick came to.
struct Done {
    status: Status,
    /// For an agent that may sleep: until when at the latest, if there is a limit.
    nap: Option<Option<Time>>,
}

/// Does what leaves have asked for: when to wake the agent, and whether it leaves; then it is
/// halted.
#[cold]
fn asked<C: Context>(env: &mut Env<'_, '_, '_, C>, noted: &Cell<bool>) -> (Option<Time>, bool) {
    env.frame = Frame::NONE;
    let leaving = env.cx.wants_despawn();
    let wake = env.cx.requested_wake();
    if leaving {
        noted.set(true);
        env.halt_thread(0);
    }
    (wake, leaving)
}

/// An agent whose tick or halt is not over. Dropped by an error or a panic it notes that the
/// agent is poisoned, or gone if it was leaving.
struct Unfinished<'g> {
    index: u32,
    out: &'g mut LaneOut,
}

impl Drop for Unfinished<'_> {
    /// By value: so it lives in registers until then.
    #[inline(always)]
    fn drop(&mut self) {
        self.out.unfinished(self.index);
    }
}

impl LaneOut {
    #[cold]
    #[inline(never)]
    fn unfinished(&mut self, index: u32) {
        let faults = core::mem::take(&mut self.faults);
        if self.leaving.take() {
            self.freed.push(index);
        } else {
            self.poisoned.push((index, faults));
        }
    }
}

/// One agent whose turn it is: tick it with its context. An agent that is not ticked stays as
/// it is until its next turn.
pub struct Ticker<'t, 'h, C: Context> {
    lane: &'t mut Lane<'h, C>,
    local: u32,
    /// Whether it sleeps, as far as it is known, and was touched.
    touched: bool,
    now: Time,
}

/// All of a block of at most sixteen bytes, as most are: its ends, which may overlap. To keep
/// and compare such a block takes no call.
#[inline(always)]
fn ends(block: &[u8]) -> Option<(u64, u64)> {
    if block.len() > 16 {
        return None;
    }
    if let (Some(first), Some(last)) = (block.first_chunk(), block.last_chunk()) {
        return Some((u64::from_le_bytes(*first), u64::from_le_bytes(*last)));
    }
    if let (Some(first), Some(last)) = (block.first_chunk(), block.last_chunk()) {
        let four = |of: &[u8; 4]| u64::from(u32::from_le_bytes(*of));
        return Some((four(first), four(last)));
    }
    let byte = |i: usize| block.get(i).copied().map_or(0, u64::from);
    Some((byte(0), byte(1) | byte(2) << 8))
}

impl<'t, 'h, C: Context> Ticker<'t, 'h, C> {
    pub(crate) fn new(lane: &'t mut Lane<'h, C>, local: u32, now: Time) -> Self {
        Ticker {
            lane,
            local,
            touched: false,
            now,
        }
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
    #[inline(always)]
    pub fn tick(self, at: &mut C::At<'_>) -> Result<Status, TickError> {
        let Ticker {
            lane,
            local,
            touched,
            now,
        } = self;
        #[cfg(feature = "std")]
        if lane.catch {
            return caught(lane, local, |lane| {
                let turn = lane.turn(local, touched, at, now);
                turn.map_err(|Failed| lane.error())
            });
        }
        match lane.turn(local, touched, at, now) {
            Ok(status) => Ok(status),
            Err(Failed) => Err(lane.error()),
        }
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
        let Ticker {
            lane, local, now, ..
        } = self;
        let mut traced = Traced::new(trace);
        let mut turn = |lane: &mut Lane<'h, C>| {
            lane.rouse(local);
            match lane.tick(local, at, now, Some(&mut traced), None) {
                Ok(done) => Ok(done.status),
                Err(Failed) => Err(lane.error()),
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
        let Ticker {
            lane, local, now, ..
        } = self;
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
        Some(f) if f.traced => Some(lane.tree.traced().prog().op_nodes[f.pc as usize]),
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
