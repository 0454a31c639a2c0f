//! Wake sets: what could make an agent's next tick differ from its last one.
//!
//! A tick *stutters* if it leaves the agent's block as it was and calls nothing that was not
//! declared harmless. The next tick of such an agent would take the same way through the
//! program, since a way depends on four things only: the block (unchanged), keys that guards
//! read, deadlines, and functions (none was called). So it may be left out until one of the
//! keys changes or one of the deadlines passes, with the same results as ticking always.
//!
//! Which keys and deadlines those are is known beforehand: those of all the ops on quiet ways
//! from a resume point back to the same resume point. That is a superset of what the way taken
//! depends on. Guards that failed stand on such ways as well as those that held. An agent
//! that is idle after a tick is at a resume point too: the one whose way leads to the end.
//!
//! Every thread (child of a parallel) has a resume point; an agent's wake set is the union of
//! those of the threads that its next tick would run.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use once_cell::race::OnceBox;

use crate::compile::{IDLE, NOWHERE, Offset, Op, ParSpec, Pc, Program, WaitSpec, Yield, is_over};
use crate::def::{Def, NodeDef, NodeId};
use crate::key::KeyId;
use crate::kind::Kind;
use crate::nodes::{Choose, Finished};
use crate::run::{Tracer, get, get_deadline};
use crate::time::{Deadline, Time};

/// Wake sets of a program, each computed when it is first wanted.
pub(crate) struct WakeTable {
    /// Ops that call what was not declared, or draw, or must happen every tick; a bit each.
    loud_ops: Vec<u64>,
    /// By yield; then, by thread, those of idle threads.
    sets: Vec<OnceBox<WakeSet>>,
    sabotage: Option<Sabotage>,
}

/// Faults put in on purpose, so that tests can show that they are found.
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
}

/// What could alter the next tick of one thread.
#[derive(Debug, Default)]
pub(crate) struct WakeSet {
    /// Whether a quiet way leads back.
    quiet: bool,
    /// Keys below 64, a bit each.
    mask: u64,
    /// All keys, ascending.
    keys: Vec<KeyId>,
    /// Where deadlines are kept.
    timers: Vec<Offset>,
    /// At a parallel's yield: its children count too.
    par: Option<u32>,
}

impl WakeSet {
    #[inline]
    fn reads(&self, key: KeyId) -> bool {
        match key.0 {
            n @ 0..64 => self.mask >> n & 1 != 0,
            _ => self.keys.binary_search(&key).is_ok(),
        }
    }
}

/// The sooner of a time and a deadline, if that is set and has not passed.
#[inline]
fn sooner(soonest: Option<Time>, deadline: Deadline, now: Time) -> Option<Time> {
    if !deadline.is_set() || deadline.passed(now) {
        return soonest;
    }
    let at = now + deadline.left(now);
    Some(soonest.map_or(at, |s| s.min(at)))
}

/// Watches a tick for calls that were not declared.
pub(crate) struct Watch<'w> {
    table: &'w WakeTable,
    /// Whether there was one.
    pub(crate) heard: bool,
}

impl<'w> Watch<'w> {
    pub(crate) fn new(table: &'w WakeTable) -> Self {
        Watch {
            table,
            heard: false,
        }
    }
}

impl Tracer for Watch<'_> {
    const ON: bool = false;
    const WATCH: bool = true;
    fn visit(&mut self, pc: Pc) {
        self.heard |= has(&self.table.loud_ops, pc);
    }
    fn unwind(&mut self) {
        self.heard = true;
    }
}

fn has(words: &[u64], i: u32) -> bool {
    words[i as usize / 64] >> (i % 64) & 1 != 0
}

fn bits(of: impl ExactSizeIterator<Item = bool>) -> Vec<u64> {
    let mut words = vec![0; of.len().div_ceil(64)];
    for (i, on) in of.enumerate() {
        words[i / 64] |= u64::from(on) << (i % 64);
    }
    words
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
    node.wakes.iter().flatten().copied().for_each(f);
}

impl WakeTable {
    pub(crate) fn new(prog: &Program, def: &Def, sabotage: Option<Sabotage>) -> WakeTable {
        let declared = |node: NodeId| def.node(node).wakes.is_some();
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
            // Starts, instant actions, hooks, logs, rounds of loops, draws, custom nodes; gates that
            // close, since the time they note is history and another one with every tick.
            _ => true,
        };
        WakeTable {
            loud_ops: bits(prog.ops.iter().zip(&prog.op_nodes).map(loud_op)),
            sets: (0..prog.yields.len() + prog.threads.len())
                .map(|_| OnceBox::new())
                .collect(),
            sabotage,
        }
    }

    pub(crate) fn sabotaged(&self, by: Sabotage) -> bool {
        self.sabotage == Some(by)
    }

    /// The wake set of a thread at a resume point, as it is kept in the block.
    #[inline]
    fn set(&self, prog: &Program, def: &Def, thread: u32, stored: u32) -> &WakeSet {
        let t = &prog.threads[thread as usize];
        let (at, index) = match stored {
            0 => (IDLE, prog.yields.len() + thread as usize),
            n => (t.lo + n - 1, (t.lo + n - 1) as usize),
        };
        match self.sets[index].get() {
            Some(set) => set,
            None => self.find(
                prog,
                def,
                index,
                at,
                prog.tables[(t.table + stored) as usize],
            ),
        }
    }

    #[cold]
    fn find(&self, prog: &Program, def: &Def, index: usize, at: Yield, entry: Pc) -> &WakeSet {
        self.sets[index].get_or_init(|| Box::new(Search::new(self, prog, def, at).run(entry)))
    }

    /// For a thread whose tick stuttered: when it must be ticked again at the latest, if at
    /// any time; `None` if it cannot be told.
    #[inline]
    pub(crate) fn sleep(
        &self,
        prog: &Program,
        def: &Def,
        mem: &[u8],
        thread: u32,
        now: Time,
    ) -> Option<Option<Time>> {
        let t = &prog.threads[thread as usize];
        let set = self.set(prog, def, thread, get(mem, t.slot, t.width));
        if set.par.is_none() {
            // The commonest case by far, without calls.
            if !set.quiet {
                return None;
            }
            return Some(set.timers.iter().fold(None, |soonest, &slot| {
                sooner(soonest, get_deadline(mem, slot), now)
            }));
        }
        let mut soonest: Option<Time> = None;
        let mut known = true;
        self.each(prog, def, mem, thread, &mut |set| {
            known &= set.quiet;
            for &slot in &set.timers {
                soonest = sooner(soonest, get_deadline(mem, slot), now);
            }
            known
        });
        known.then_some(soonest)
    }

    /// Whether the key is one of those that a sleeping thread depends on.
    #[inline]
    pub(crate) fn reads(
        &self,
        prog: &Program,
        def: &Def,
        mem: &[u8],
        thread: u32,
        key: KeyId,
    ) -> bool {
        let t = &prog.threads[thread as usize];
        let set = self.set(prog, def, thread, get(mem, t.slot, t.width));
        if set.par.is_none() {
            return set.reads(key);
        }
        let mut found = false;
        self.each(prog, def, mem, thread, &mut |set| {
            found |= set.reads(key);
            !found
        });
        found
    }

    /// All keys that a sleeping thread depends on, ascending.
    pub(crate) fn keys(&self, prog: &Program, def: &Def, mem: &[u8], thread: u32) -> Vec<KeyId> {
        let mut keys = Vec::new();
        self.each(prog, def, mem, thread, &mut |set| {
            keys.extend_from_slice(&set.keys);
            true
        });
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The wake sets of a thread and of those of its children that its next tick runs, until
    /// `f` says that it is enough.
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

/// A place on a way through a program: an op, and whether the old resume point is still to be
/// taken up.
type Spot = u32;

/// Looks for the quiet ways from a resume point back to it.
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

    /// Where a tick may go on from here, quietly; whether it may stop here at the resume point.
    fn onward(&self, spot: Spot, to: &mut Vec<Spot>) -> bool {
        let prog = self.prog;
        let (index, live) = (spot / 2, spot & 1 != 0);
        if has(&self.table.loud_ops, index) {
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
        // The old resume point lies in `lo .. hi`, not taken up yet.
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
            // Unwinding is never quiet: then there is no way on.
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
            // All others are loud.
            _ => {}
        }
        stops
    }

    /// What the spots on ways that lead back depend on.
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
        for key in set.keys.iter().filter(|k| k.0 < 64) {
            set.mask |= 1 << key.0;
        }
        set.timers.sort_unstable();
        set.timers.dedup();
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
