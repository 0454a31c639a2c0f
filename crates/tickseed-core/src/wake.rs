//! Wake sets: what could make an agent's next tick differ from its last.
//!
//! A tick *stutters* if it leaves the agent's block as it was and calls nothing that was not
//! declared harmless. The agent's next tick would take the same path through the program, since a
//! path depends on only four things: the block (unchanged), keys that guards read, deadlines, and
//! functions (none was called). So it may be omitted until one of the keys changes or one of the
//! deadlines passes, with the same results as ticking every time.
//!
//! Which keys and deadlines these are is known in advance: those of all ops on quiet paths from a
//! resume point back to the same resume point. That is a superset of what the path taken depends
//! on. Guards that failed are on such paths, as well as guards that held. An agent that is idle
//! after a tick is at a resume point too: the one whose path leads to the end.
//!
//! Every thread (child of a parallel) has a resume point; an agent's wake set is the union of the
//! wake sets of the threads that its next tick would run.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use once_cell::race::OnceBox;

use crate::compile::{
    IDLE, NOWHERE, Offset, Op, ParSpec, Pc, Program, Thread, WaitSpec, Yield, is_over,
};
use crate::def::{Def, NodeDef, NodeId};
use crate::key::KeyId;
use crate::kind::Kind;
use crate::nodes::{Choose, Finished};
use crate::run::{at, get, get_deadline, stored_root};
use crate::time::Time;

/// Wake sets of a program, each computed on first use.
pub(crate) struct WakeTable {
    /// Ops that call something undeclared, draw random numbers, or must happen every tick. One byte
    /// each, since it is read at every call.
    loud_ops: Vec<bool>,
    /// Ops that resume a leaf that no key wakes.
    deaf_ops: Vec<bool>,
    /// The sets of each thread start at its place in `begins` and are indexed by the stored resume
    /// point. Those of the root come first.
    sets: Vec<OnceBox<WakeSet>>,
    /// By thread.
    begins: Vec<u32>,
    sabotage: Option<Sabotage>,
}

/// Faults injected on purpose, so that tests can show that they are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub enum Sabotage {
    /// Guards that failed are not watched.
    FailedGuards,
    /// Deadlines are not watched.
    Timers,
    /// Children of parallels are not watched.
    Threads,
    /// A tick counts as a stutter though it changed the agent's block.
    Changes,
    /// A tick counts as a stutter though it called something undeclared.
    Calls,
    /// Touched agents are not looked at.
    Looks,
}

/// A subset of the first 64 keys of contexts' schemas and the first 64 keys that tree files add,
/// one bit each. Few trees have others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FirstKeys([u64; 2]);

impl FirstKeys {
    /// Whether the key is in the set; `None` if it is not among the first keys.
    #[inline(always)]
    pub(crate) fn has(&self, key: KeyId) -> Option<bool> {
        let (half, bit) = (key.0 >> 15, key.0 & 0x7fff);
        (bit < 64).then(|| self.0[usize::from(half)] >> bit & 1 != 0)
    }

    fn add(&mut self, key: KeyId) {
        let (half, bit) = (key.0 >> 15, key.0 & 0x7fff);
        if bit < 64 {
            self.0[usize::from(half)] |= 1 << bit;
        }
    }
}

/// What could alter the next tick of one thread.
#[derive(Debug, Default)]
pub(crate) struct WakeSet {
    /// Whether a quiet path leads back.
    quiet: bool,
    /// Whether this set is complete: no other threads count.
    plain: bool,
    /// The first keys, one bit each.
    first: FirstKeys,
    /// All keys, ascending.
    keys: Vec<KeyId>,
    /// Where deadlines are stored.
    timers: Vec<Offset>,
    /// At a parallel's yield: its children count as well.
    par: Option<u32>,
}

impl WakeSet {
    fn reads(&self, key: KeyId) -> bool {
        self.first
            .has(key)
            .unwrap_or_else(|| self.keys.binary_search(&key).is_ok())
    }

    /// The earliest of the deadlines still to come.
    #[inline]
    fn soonest(&self, mem: &[u8], now: Time) -> Option<Time> {
        let mut soonest = u64::MAX;
        for &slot in &self.timers {
            if let Some(at) = get_deadline(mem, slot).ahead(now) {
                soonest = soonest.min(at.0).min(u64::MAX - 1);
            }
        }
        (soonest != u64::MAX).then_some(Time(soonest))
    }
}

/// The keys that a node's guard reads, and those that its author declared.
fn keys_of(node: &NodeDef, mut f: impl FnMut(KeyId)) {
    match &node.kind {
        Kind::Condition(guard)
        | Kind::WhileGuard { guard, .. }
        | Kind::Precondition { guard, .. } => {
            guard.reads(&mut f);
        }
        Kind::WaitUntil(w) => {
            w.guard.reads(&mut f);
        }
        _ => {}
    }
    node.wakes().into_iter().flatten().copied().for_each(f);
}

impl WakeTable {
    pub(crate) fn new(prog: &Program, def: &Def, sabotage: Option<Sabotage>) -> WakeTable {
        let declared = |node: NodeId| def.node(node).wakes().is_some();
        let loud_op = |(op, node): (&Op, &NodeId)| match *op {
            Op::Done(_)
            | Op::Whole { .. }
            | Op::Fraction { .. }
            | Op::Small { .. }
            | Op::Test { .. }
            | Op::Compare { .. }
            | Op::WaitTick { .. }
            | Op::Pend { .. }
            | Op::Yield { .. }
            | Op::Resume { .. }
            | Op::Exit { .. }
            | Op::Before { .. }
            | Op::Consume { .. }
            | Op::Limit { .. }
            | Op::Gate { .. }
            | Op::Once { .. }
            | Op::Quota { .. }
            | Op::Set { .. }
            | Op::Put { .. }
            | Op::If { .. }
            | Op::Clear { .. }
            | Op::Dispatch { .. }
            | Op::Par { .. }
            | Op::Enter { .. }
            | Op::Leave { .. } => false,
            Op::WaitStart { spec, .. } | Op::Deadline { spec, .. } => {
                !matches!(prog.waits[spec as usize], WaitSpec::Fixed(_))
            }
            Op::Ask { .. }
            | Op::Tick { .. }
            | Op::LeafTick { .. }
            | Op::BoxedTick { .. }
            | Op::Switch { .. } => !declared(*node),
            Op::Utility { utility } => {
                !declared(*node)
                    || prog.utilities[utility as usize].options.choose != Choose::Highest
            }
            // Starts, instant actions, hooks, logs, rounds of loops, draws, custom nodes; and
            // closing gates, since the time they record is history and differs in every tick.
            _ => true,
        };
        let deaf_op = |(op, node): (&Op, &NodeId)| match op {
            Op::Tick { .. } | Op::LeafTick { .. } | Op::BoxedTick { .. } => {
                def.node(*node).wakes().is_some_and(<[_]>::is_empty)
            }
            _ => false,
        };
        let ops = || prog.ops.iter().zip(&prog.op_nodes);
        let mut sets = 0;
        let begin = |t: &Thread| {
            let begin = sets;
            sets += t.yields + 1;
            begin
        };
        let begins = prog.threads.iter().map(begin).collect();
        WakeTable {
            loud_ops: ops().map(loud_op).collect(),
            deaf_ops: ops().map(deaf_op).collect(),
            sets: (0..sets).map(|_| OnceBox::new()).collect(),
            begins,
            sabotage,
        }
    }

    /// Whether the op calls something undeclared.
    #[inline(always)]
    pub(crate) fn is_loud(&self, pc: Pc) -> bool {
        *at(&self.loud_ops, pc)
    }

    /// Whether the op resumes a leaf that no key wakes.
    #[inline(always)]
    pub(crate) fn is_deaf(&self, pc: Pc) -> bool {
        *at(&self.deaf_ops, pc)
    }

    fn sabotaged(&self, by: Sabotage) -> bool {
        self.sabotage == Some(by)
    }

    #[inline(always)]
    pub(crate) fn is_sabotaged(&self) -> bool {
        self.sabotage.is_some()
    }

    /// Whether touched agents are ignored (a fault).
    #[cold]
    pub(crate) fn looks_away(&self) -> bool {
        self.sabotaged(Sabotage::Looks)
    }

    /// Whether a tick counts as a stutter anyway (a fault).
    #[cold]
    pub(crate) fn overlooks(&self, same: bool, heard: bool) -> bool {
        (same || self.sabotaged(Sabotage::Changes)) && (!heard || self.sabotaged(Sabotage::Calls))
    }

    /// The wake set of a thread at a resume point, as stored in the block.
    fn set(&self, prog: &Program, def: &Def, thread: u32, stored: u32) -> &WakeSet {
        let set = &self.sets[(self.begins[thread as usize] + stored) as usize];
        match set.get() {
            Some(set) => set,
            None => set.get_or_init(|| Box::new(self.find(prog, def, thread, stored))),
        }
    }

    #[cold]
    fn find(&self, prog: &Program, def: &Def, thread: u32, stored: u32) -> WakeSet {
        let t = &prog.threads[thread as usize];
        let at = match stored {
            0 => IDLE,
            n => t.lo + n - 1,
        };
        let entry = prog.tables[(t.table + stored) as usize];
        Search::new(self, prog, def, at).run(entry)
    }

    /// Whether a tick that leads back to the agent's resume point could be quiet, and everything it
    /// depends on follows from that resume point.
    #[inline]
    pub(crate) fn is_quiet(&self, prog: &Program, def: &Def, mem: &[u8]) -> bool {
        self.set(prog, def, 0, stored_root(prog, mem)).plain
    }

    /// For an agent whose tick stuttered: the latest time at which it must be ticked again, if any;
    /// `None` if that cannot be determined.
    #[inline(always)]
    pub(crate) fn sleep(
        &self,
        prog: &Program,
        def: &Def,
        mem: &[u8],
        now: Time,
    ) -> Option<Option<Time>> {
        let stored = stored_root(prog, mem);
        match self.sets.get(stored as usize).and_then(OnceBox::get) {
            // By far the commonest case, without calls.
            Some(set) if set.plain => Some(set.soonest(mem, now)),
            _ => self.sleep_with_threads(prog, def, mem, now),
        }
    }

    #[inline(never)]
    fn sleep_with_threads(
        &self,
        prog: &Program,
        def: &Def,
        mem: &[u8],
        now: Time,
    ) -> Option<Option<Time>> {
        let mut soonest: Option<Time> = None;
        let mut known = true;
        self.each(prog, def, mem, 0, &mut |set| {
            known &= set.quiet;
            let at = set.soonest(mem, now);
            soonest = soonest.into_iter().chain(at).min();
            known
        });
        known.then_some(soonest)
    }

    /// Whether a sleeping agent depends on the key. If its resume point alone determines that, also
    /// returns the first keys on which agents depend there, for next time.
    pub(crate) fn reads(
        &self,
        prog: &Program,
        def: &Def,
        mem: &[u8],
        key: KeyId,
    ) -> (bool, Option<FirstKeys>) {
        let set = self.set(prog, def, 0, stored_root(prog, mem));
        if set.par.is_none() {
            return (set.reads(key), Some(set.first));
        }
        let mut found = false;
        self.each(prog, def, mem, 0, &mut |set| {
            found |= set.reads(key);
            !found
        });
        (found, None)
    }

    /// All keys on which a sleeping agent depends, ascending.
    pub(crate) fn keys(&self, prog: &Program, def: &Def, mem: &[u8]) -> Vec<KeyId> {
        let mut keys = Vec::new();
        self.each(prog, def, mem, 0, &mut |set| {
            keys.extend_from_slice(&set.keys);
            true
        });
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Calls `f` with the wake sets of a thread and of those of its children that its next tick
    /// runs, until `f` says that it is enough.
    fn each(
        &self,
        prog: &Program,
        def: &Def,
        mem: &[u8],
        thread: u32,
        f: &mut dyn FnMut(&WakeSet) -> bool,
    ) -> bool {
        let t = &prog.threads[thread as usize];
        let set = self.set(prog, def, thread, get(mem, t.slot, t.width));
        if !f(set) {
            return false;
        }
        let Some(par) = set.par else { return true };
        if self.sabotaged(Sabotage::Threads) {
            return true;
        }
        let p = &prog.pars[par as usize];
        (0..p.children)
            .filter(|&child| is_ticked(prog, p, mem, child))
            .all(|child| self.each(prog, def, mem, p.first + child, f))
    }
}

/// Whether the next tick of a running parallel ticks this child.
fn is_ticked(prog: &Program, p: &ParSpec, mem: &[u8], child: u32) -> bool {
    let t = &prog.threads[(p.first + child) as usize];
    let idle = get(mem, t.slot, t.width) == 0;
    let awaiting = p.verdict.is_some_and(|at| mem[at as usize] != 0);
    let latch = mem[(p.latches + child / 4) as usize] >> (2 * (child % 4)) & 3;
    let latched = latch != 0 && p.options.finished == Finished::Latch;
    if awaiting { !idle } else { !latched }
}

/// A place on a path through a program: an op, and whether the old resume point is still to be
/// taken up.
type Spot = u32;

/// Searches for the quiet paths from a resume point back to it.
struct Search<'s> {
    table: &'s WakeTable,
    prog: &'s Program,
    def: &'s Def,
    /// The resume point; `IDLE` for a thread that begins and ends idle.
    at: Yield,
    found: BTreeMap<Spot, usize>,
    spots: Vec<Spot>,
    /// From spot to spot, by their index.
    edges: Vec<(usize, usize)>,
    /// Spots where a tick stops at the resume point again.
    ends: Vec<usize>,
}

impl<'s> Search<'s> {
    fn new(table: &'s WakeTable, prog: &'s Program, def: &'s Def, at: Yield) -> Self {
        Search {
            table,
            prog,
            def,
            at,
            found: BTreeMap::new(),
            spots: Vec::new(),
            edges: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn op(pc: Pc, live: bool) -> Spot {
        pc * 2 + u32::from(live)
    }

    fn spot(&mut self, spot: Spot) -> usize {
        let next = self.spots.len();
        let index = *self.found.entry(spot).or_insert(next);
        if index == next {
            self.spots.push(spot);
        }
        index
    }

    fn run(mut self, entry: Pc) -> WakeSet {
        self.spot(Self::op(entry, self.at != IDLE));
        let mut next = 0;
        let mut to = Vec::new();
        while next < self.spots.len() {
            to.clear();
            if self.onward(self.spots[next], &mut to) {
                self.ends.push(next);
            }
            for &spot in &to {
                let index = self.spot(spot);
                self.edges.push((next, index));
            }
            next += 1;
        }
        self.collect()
    }

    /// Collects where a tick may quietly go from here; returns whether it may stop here, at the
    /// resume point.
    fn onward(&self, spot: Spot, to: &mut Vec<Spot>) -> bool {
        let prog = self.prog;
        let (index, live) = (spot / 2, spot & 1 != 0);
        if self.table.loud_ops[index as usize] {
            return false;
        }
        let mut stops = false;
        let mut go = |pc: Pc, live: bool| {
            if is_over(pc).is_some() {
                stops = self.at == IDLE;
            } else if pc != NOWHERE {
                to.push(Self::op(pc, live));
            }
        };
        // The old resume point lies in `lo .. hi` and has not been taken up yet.
        let inside = |lo: Yield, hi: Yield| live && lo <= self.at && self.at < hi;
        match prog.ops[index as usize] {
            Op::Done(_) => return self.at == IDLE,
            Op::Whole { s, f, .. }
            | Op::Fraction { s, f, .. }
            | Op::Small { s, f, .. }
            | Op::Ask { s, f, .. }
            | Op::Test { s, f, .. }
            | Op::Compare { s, f, .. } => {
                go(s, live);
                go(f, live);
            }
            Op::Tick { y, s, f, .. }
            | Op::LeafTick { y, s, f, .. }
            | Op::BoxedTick { y, s, f, .. } => {
                go(s, false);
                go(f, false);
                if let Ok(i) = prog.skips.binary_search_by_key(&index, |s| s.0) {
                    go(prog.skips[i].1, false);
                }
                return y == self.at || stops;
            }
            Op::WaitTick { y, s, .. } => {
                go(s, false);
                return y == self.at || stops;
            }
            Op::WaitStart { y, s, .. } => {
                go(s, live);
                return y == self.at || stops;
            }
            Op::Pend { y, late, .. } => {
                go(late, live);
                return y == self.at || stops;
            }
            Op::Yield { y } => return y == self.at,
            Op::Par { y, s, f, k, .. } => {
                let live = live && y != self.at;
                [s, f, k].into_iter().for_each(|pc| go(pc, live));
                return y == self.at || stops;
            }
            Op::Resume {
                lo,
                len,
                table,
                els,
            } => {
                if inside(lo, lo + len) {
                    go(prog.tables[(table + self.at - lo) as usize], live);
                } else {
                    go(els, live);
                }
            }
            // Unwinding is never quiet, so there is no path on.
            Op::Exit { lo, hi, to, .. } if !inside(lo, hi) => go(to, live),
            Op::Before { index, to } => {
                let b = &prog.befores[index as usize];
                if !inside(b.lo, b.hi) || inside(b.own_lo, b.own_hi) {
                    go(to, live);
                }
            }
            Op::Consume { to } => go(to, false),
            Op::Deadline { to, .. }
            | Op::Set { to, .. }
            | Op::Put { to, .. }
            | Op::Clear { to, .. }
            | Op::Enter { to }
            | Op::Leave { to, .. } => go(to, live),
            Op::Limit { late, to, .. } => {
                go(late, live);
                go(to, live);
            }
            Op::Gate { gate, to } => {
                let g = &prog.gates[gate as usize];
                [to, g.s, g.f].into_iter().for_each(|pc| go(pc, live));
            }
            Op::Once { to, s, f, .. } => [to, s, f].into_iter().for_each(|pc| go(pc, live)),
            Op::Quota { to, other, .. } => {
                go(to, live);
                go(other, live);
            }
            Op::If { yes, no, .. } => {
                go(yes, live);
                go(no, live);
            }
            Op::Dispatch { table, len, .. } => {
                (table..table + len).for_each(|i| go(prog.tables[i as usize], live));
            }
            Op::Switch {
                table, len, other, ..
            } => {
                (table..table + len).for_each(|i| go(prog.tables[i as usize], live));
                go(other, live);
            }
            Op::Utility { utility } => {
                let u = &prog.utilities[utility as usize];
                u.targets.iter().for_each(|&pc| go(pc, live));
                go(u.none, live);
            }
            // All other ops are loud.
            _ => {}
        }
        stops
    }

    /// What the spots on paths that lead back depend on.
    fn collect(self) -> WakeSet {
        let mut before = vec![Vec::new(); self.spots.len()];
        for &(from, to) in &self.edges {
            before[to].push(from);
        }
        let mut on = vec![false; self.spots.len()];
        let mut queue = self.ends.clone();
        while let Some(i) = queue.pop() {
            if !core::mem::replace(&mut on[i], true) {
                queue.extend(&before[i]);
            }
        }
        let mut set = WakeSet {
            quiet: !self.ends.is_empty(),
            ..WakeSet::default()
        };
        for (i, &spot) in self.spots.iter().enumerate() {
            if on[i] {
                self.depend(spot, &on, &mut set);
            }
        }
        set.keys.sort_unstable();
        set.keys.dedup();
        set.keys.iter().for_each(|key| set.first.add(*key));
        set.timers.sort_unstable();
        set.timers.dedup();
        set.plain = set.quiet && set.par.is_none();
        if self.table.sabotaged(Sabotage::Timers) {
            set.timers.clear();
        }
        set
    }

    fn depend(&self, spot: Spot, on: &[bool], set: &mut WakeSet) {
        let prog = self.prog;
        let (index, live) = (spot / 2, spot & 1 != 0);
        let node = self.def.node(prog.op_nodes[index as usize]);
        let mut keys = || keys_of(node, |key| set.keys.push(key));
        match prog.ops[index as usize] {
            Op::Whole { s, .. }
            | Op::Fraction { s, .. }
            | Op::Small { s, .. }
            | Op::Ask { s, .. }
            | Op::Test { s, .. }
            | Op::Compare { s, .. } => {
                let holds = match is_over(s) {
                    Some(_) => self.at == IDLE,
                    None => self.found.get(&Self::op(s, live)).is_some_and(|&i| on[i]),
                };
                if holds || !self.table.sabotaged(Sabotage::FailedGuards) {
                    keys();
                }
            }
            Op::Tick { .. } | Op::LeafTick { .. } | Op::BoxedTick { .. } | Op::Switch { .. } => {
                keys();
            }
            Op::Utility { utility } => {
                keys();
                set.timers.extend(prog.utilities[utility as usize].dwell);
            }
            Op::WaitTick { slot, .. } | Op::Limit { slot, .. } => set.timers.push(slot),
            Op::Pend { slot, .. } => set.timers.extend(slot.map(core::num::NonZeroU32::get)),
            Op::Gate { gate, .. } => set.timers.push(prog.gates[gate as usize].slot),
            Op::Par { par, y, .. } if y == self.at => set.par = Some(par),
            _ => {}
        }
    }
}
