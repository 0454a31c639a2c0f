//! A stretch of a herd's agents, ticked by one OS thread.

use alloc::vec::Vec;

use super::awake::AwakeOf;
use super::look;
use super::slots::{GenerationsOf, Handle, HerdId, bit, set_bit};
use super::turns::Turns;
use crate::context::{Context, Cx};
use crate::error::TickError;
use crate::leaf::SideSlot;
use crate::rng::Rng;
use crate::run::{Beside, Code, Env, Failed, Faults, Frame, Told, Traced, Tracer};
use crate::status::Status;
use crate::time::Time;
use crate::trace::Trace;
use crate::tree::Tree;
use crate::wake::WakeTable;

/// What the herd has to do after a stretch was ticked.
#[derive(Default)]
pub(crate) struct LaneOut {
    /// Empty between ticks.
    faults: Faults,
    pub(crate) poisoned: Vec<(u32, Faults)>,
    pub(crate) freed: Vec<u32>,
    /// Agents that fall asleep, and when to wake them.
    pub(crate) sleeps: Vec<(u32, u64)>,
    /// How many agents were ticked, or only looked at.
    pub(crate) ticked: usize,
    /// The agents due for a turn.
    turns: Turns,
    /// Whether the agent being ticked is being removed.
    leaving: bool,
    /// A block as it was before its tick, if it is long.
    before: Vec<u8>,
}

/// What the agents of a lane have besides their blocks; one of them has its turn.
pub(crate) struct Columns<'h> {
    pub(crate) out: &'h mut LaneOut,
    pub(crate) sides: &'h mut [SideSlot],
    /// How many sides an agent has.
    pub(crate) per: usize,
    /// Whose turn it is.
    local: u32,
    /// See [`Beside::hear`].
    heard: bool,
}

impl<'h> Columns<'h> {
    pub(crate) fn new(out: &'h mut LaneOut, sides: &'h mut [SideSlot], per: usize) -> Self {
        Columns {
            out,
            sides,
            per,
            local: 0,
            heard: false,
        }
    }
}

impl Beside for Columns<'_> {
    fn side(&mut self) -> &mut [SideSlot] {
        &mut self.sides[self.local as usize * self.per..][..self.per]
    }
    fn faults(&self) -> &Faults {
        &self.out.faults
    }
    fn hear(&mut self) {
        self.heard = true;
    }
    fn heard(&self) -> bool {
        self.heard
    }
    fn leave(&mut self) {
        self.out.leaving = true;
    }
}

/// The timer wheel's time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Granules {
    /// Nanoseconds of a granule, as a power of two.
    pub(crate) shift: u32,
    /// The wheel's current granule.
    pub(crate) now: u64,
}

/// A herd's columns, from the agent `first` on, which is a multiple of 64.
pub(crate) struct Lane<'h, C: Context> {
    pub(crate) tree: &'h Tree<C>,
    /// What untraced ticks execute.
    pub(crate) code: &'h Code<C>,
    pub(crate) first: u32,
    pub(crate) herd: HerdId,
    pub(crate) generations: GenerationsOf<'h>,
    pub(crate) ready: &'h [u64],
    pub(crate) blocks: &'h mut [u8],
    /// The size of a block.
    pub(crate) stride: usize,
    /// The agents' random streams; empty if they are derived for every tick.
    pub(crate) rngs: &'h mut [Rng],
    /// What streams are derived from in this tick.
    pub(crate) derive: u64,
    /// Agents that were never ticked.
    pub(crate) fresh: &'h mut [u64],
    /// The time of each agent's last tick where these differ; otherwise empty.
    pub(crate) lasts: &'h mut [u64],
    /// The time of the herd's last tick, or zero.
    pub(crate) last: u64,
    /// Whether agents have different pasts: some were never ticked, or each has its own last tick.
    pub(crate) special: bool,
    /// Agents that are not asleep; empty without events.
    pub(crate) awake: AwakeOf<'h>,
    /// What decides whether agents fall asleep in this tick, if they may.
    pub(crate) table: Option<&'h WakeTable>,
    pub(crate) granules: Granules,
    #[cfg_attr(
        not(feature = "std"),
        expect(dead_code, reason = "only with std can panics be caught")
    )]
    pub(crate) catch: bool,
    pub(crate) own: Columns<'h>,
}

impl<C: Context> Lane<'_, C> {
    /// Calls `f` with every agent that is ready to be ticked and passes the filter, in order.
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

    /// Calls `f` with every agent that is ready to be ticked and awake, in order.
    #[inline]
    pub(crate) fn each_awake(&mut self, now: Time, mut f: impl FnMut(Ticker<'_, '_, C>)) {
        let mut next = Some(0);
        while let Some(from) = next {
            next = self.gather(from);
            let mut i = 0;
            while let Some((local, touched)) = self.own.out.turns.get(i) {
                i += 1;
                let before = self.own.out.ticked;
                f(Ticker {
                    touched,
                    ..Ticker::new(self, local, now)
                });
                if touched && self.own.out.ticked == before {
                    self.own.out.turns.pass(local);
                }
            }
            for word in self.own.out.turns.words() {
                self.awake.settle(word, self.ready);
            }
            for local in self.own.out.turns.passed() {
                self.awake.touch(local);
            }
        }
    }

    /// Lists the next agents due for a turn, starting at a word; returns the word at which to
    /// continue.
    ///
    /// It also fetches their blocks, which may lie far apart, from memory, one after the other
    /// without waiting for any of them.
    #[inline(never)]
    fn gather(&mut self, from: usize) -> Option<usize> {
        self.own.out.turns.clear();
        let next = self.list(from);
        let stride = self.tree.program.bytes;
        let mut fetched = 0;
        for local in self.own.out.turns.numbers() {
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
                if self.own.out.turns.is_full() {
                    return Some(word as usize);
                }
                some &= some - 1;
                let (turns, touched) = self.awake.due(word, self.ready);
                self.own.out.turns.push(word, turns, touched);
            }
        }
        None
    }

    /// Whether an agent is still ready to be ticked, in the middle of a herd's tick.
    pub(crate) fn is_ready(&self, local: u32) -> bool {
        let index = self.first + local;
        bit(self.ready, local)
            && !self.own.out.freed.contains(&index)
            && !self.own.out.poisoned.iter().any(|p| p.0 == index)
    }

    /// Ticks an agent. On failure its faults are in `out` and it is marked as poisoned.
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
        let i = local as usize;
        let last = if self.special {
            self.own_last(local, now)
        } else {
            self.last
        };
        self.own.out.ticked += 1;
        let index = self.first + local;
        let mut derived;
        let rng = match self.rngs.get_mut(i) {
            Some(rng) => rng,
            None => {
                // The tick's number is part of `derive`, so the slot's previous tenant drew from
                // other streams. Most leaves do not draw, and the stream itself mixes well enough.
                let who = u64::from(index).wrapping_mul(0xd6e8_feb8_6659_fd93);
                derived = Rng::new(self.derive ^ who);
                &mut derived
            }
        };
        let mem = &mut self.blocks[i * self.stride..][..self.stride];
        let own = &mut self.own;
        own.local = local;
        let before = table.map(|_| {
            own.heard = false;
            Before::of(mem, &mut own.out.before)
        });
        let guard = Unfinished { index, own };
        let traced = trace.is_some();
        let mut told;
        let (beside, code): (&mut dyn Beside, _) = match trace {
            None => (&mut *guard.own, self.code),
            Some(trace) => {
                let own = &mut *guard.own;
                told = Told { own, trace };
                (&mut told, tree.traced())
            }
        };
        let frame = Frame::root(mem.first().copied().unwrap_or(0).into());
        let cx = Cx::since(at, now, Time(last), rng);
        let mut env = Env::ticking(code, mem, beside, cx, frame);
        let status = if traced {
            env.traced_root()
        } else {
            env.root()
        }?;
        let nap = match table {
            None => None,
            Some(table) => {
                let mem = &*env.mem;
                let same = before.as_ref().is_some_and(|before| before.is(mem));
                let heard = env.beside.heard();
                let stutters =
                    same && !heard || table.is_sabotaged() && table.overlooks(same, heard);
                let rests = stutters || {
                    // The tick itself is over.
                    env.frame = Frame::NONE;
                    let faults = env.beside.faults();
                    look::rests(tree, table, env.mem, env.cx.at(), now, faults) == Some(status)
                };
                rests
                    .then(|| table.sleep(&tree.program, &tree.def, env.mem, now))
                    .flatten()
            }
        };
        let mut done = Done { status, nap };
        if env.cx.asks() {
            let (wake, leaving) = asked(&mut env);
            drop(env);
            if leaving {
                guard.own.out.leaving = false;
                guard.own.out.freed.push(index);
            }
            done.nap = nap
                .filter(|_| !leaving)
                .map(|soonest| soonest.into_iter().chain(wake).min());
        } else {
            // Not dropped: nothing is left to do, and the call would be wasted.
            core::mem::forget(env);
        }
        if let Some(Before::Long(block)) = before {
            guard.own.out.before = block;
        }
        core::mem::forget(guard);
        Ok(done)
    }

    /// Where agents have different pasts: the time of the agent's last tick, which is this tick if
    /// it is the first.
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

    /// Ticks an agent and checks whether it may sleep.
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
            // Rounded down: an agent that is woken too early stutters once more.
            let due = soonest.0 >> self.granules.shift;
            if due <= self.granules.now {
                return Ok(done.status);
            }
            self.own.out.sleeps.push((self.first + local, due));
        }
        self.awake.sleep(local);
        Ok(done.status)
    }

    /// Gives a turn to an agent that was touched in its sleep.
    #[inline(always)]
    fn turn_touched(
        &mut self,
        local: u32,
        at: &mut C::At<'_>,
        now: Time,
        table: &WakeTable,
    ) -> Result<Status, Failed> {
        let guard = Unfinished {
            index: self.first + local,
            own: &mut self.own,
        };
        let mem = &self.blocks[local as usize * self.stride..][..self.stride];
        let still = look::still(self.tree, table, mem, at, now, &guard.own.out.faults);
        core::mem::forget(guard);
        if let Some(status) = still {
            self.own.out.ticked += 1;
            return Ok(status);
        }
        if table.is_sabotaged() && table.looks_away() {
            self.own.out.ticked += 1;
            return Ok(Status::Running);
        }
        self.awake.rise(local);
        self.tick_watched(local, at, now, table)
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

    /// Ticks an agent that must not fall asleep.
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

    /// The error of the tick that has just failed.
    #[cold]
    fn error(&self) -> TickError {
        match self.own.out.poisoned.last() {
            Some((_, faults)) => self.tree.leaf_error(faults),
            None => TickError::Poisoned,
        }
    }

    fn halt(&mut self, local: u32, at: &mut C::At<'_>, now: Time) {
        let tree = self.tree;
        let i = local as usize;
        let mut derived = Rng::new(self.derive);
        let rng = self.rngs.get_mut(i).unwrap_or(&mut derived);
        let guard = Unfinished {
            index: self.first + local,
            own: &mut self.own,
        };
        guard.own.local = local;
        guard.own.out.leaving = true;
        Env::new(
            tree.code(),
            &mut self.blocks[i * self.stride..][..self.stride],
            &mut *guard.own,
            Cx::since(at, now, now, rng),
        )
        .halt_thread(0);
        guard.own.out.leaving = false;
        guard.own.out.freed.push(guard.index);
        core::mem::forget(guard);
    }
}

/// The result of a tick.
struct Done {
    status: Status,
    /// For an agent that may sleep: the latest time until which, if there is one.
    nap: Option<Option<Time>>,
}

/// Handles what leaves have asked for: when to wake the agent, and whether it leaves, in which case
/// it is halted.
#[cold]
fn asked<C: Context>(env: &mut Env<'_, '_, '_, C>) -> (Option<Time>, bool) {
    env.frame = Frame::NONE;
    let leaving = env.cx.wants_despawn();
    let wake = env.cx.requested_wake();
    if leaving {
        env.beside.leave();
        env.halt_thread(0);
    }
    (wake, leaving)
}

/// An agent whose tick or halt is not over. If an error or a panic drops it, it records that the
/// agent is poisoned, or gone if it was leaving.
struct Unfinished<'g, 'h> {
    index: u32,
    own: &'g mut Columns<'h>,
}

impl Drop for Unfinished<'_, '_> {
    /// By value, so that it lives in registers until then.
    #[inline(always)]
    fn drop(&mut self) {
        self.own.out.unfinished(self.index);
    }
}

impl LaneOut {
    #[cold]
    #[inline(never)]
    fn unfinished(&mut self, index: u32) {
        let faults = core::mem::take(&mut self.faults);
        if core::mem::take(&mut self.leaving) {
            self.freed.push(index);
        } else {
            self.poisoned.push((index, faults));
        }
    }
}

/// An agent whose turn it is: tick it with its context. An agent that is not ticked stays as it is
/// until its next turn.
pub struct Ticker<'t, 'h, C: Context> {
    lane: &'t mut Lane<'h, C>,
    local: u32,
    /// Whether it sleeps, as far as is known, and was touched.
    touched: bool,
    now: Time,
}

/// A block as it was before its tick.
enum Before {
    /// All of it, if it is short.
    Ends((u64, u64)),
    Long(Vec<u8>),
}

impl Before {
    /// Keeps a block; a long one goes into `long`, which is then taken.
    #[inline(always)]
    fn of(block: &[u8], long: &mut Vec<u8>) -> Before {
        match ends(block) {
            Some(ends) => Before::Ends(ends),
            None => {
                let mut long = core::mem::take(long);
                long.clear();
                long.extend_from_slice(block);
                Before::Long(long)
            }
        }
    }

    #[inline(always)]
    fn is(&self, block: &[u8]) -> bool {
        match self {
            Before::Ends(before) => ends(block) == Some(*before),
            Before::Long(before) => before == block,
        }
    }
}

/// All of a block of at most sixteen bytes, as most are: its two ends, which may overlap. Keeping
/// and comparing such a block takes no call.
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

    /// The agent's index, for finding its data.
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

    /// Halts the agent instead of ticking it, and removes it after the herd's tick. The agent is
    /// removed even if a halt hook panics.
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
    // By then, what a panic leaves unfinished has been recorded.
    let panic = match catch_unwind(AssertUnwindSafe(|| f(lane))) {
        Ok(result) => return result,
        Err(panic) => panic,
    };
    let text = panic.downcast_ref::<&str>().copied().or_else(|| {
        panic
            .downcast_ref::<alloc::string::String>()
            .map(|s| s.as_str())
    });
    let faults = lane.own.out.poisoned.last();
    let frame = faults
        .filter(|p| p.0 == lane.first + local)
        .and_then(|(_, faults)| faults.look(|f| f.frames.first().copied()).flatten());
    let stride = lane.tree.program.bytes;
    let block = &lane.blocks[local as usize * stride..(local as usize + 1) * stride];
    let node = match frame {
        Some(f) if f.traced => Some(lane.tree.traced().prog().op_nodes[f.pc as usize]),
        Some(f) => Some(lane.tree.program.op_nodes[f.pc as usize]),
        // The running leaf panicked; the resume point tells which.
        None => lane.tree.running_in(block).first().copied(),
    };
    let path = node.map(|node| lane.tree.shown_path(node));
    Err(TickError::Panicked {
        path,
        message: text.unwrap_or("(no text)").into(),
    })
}
