//! A compiled tree.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::def::NodeId;
use crate::guard::{Compare, Quick, Test};
use crate::key::ScalarType;
use crate::nodes::{Parallel, Utility};
use crate::status::Status;

/// An index into a program's ops.
pub(crate) type Pc = u32;

/// No op: an edge that cannot be taken.
pub(crate) const NOWHERE: Pc = u32::MAX;

/// A place beyond all ops: the thread is over, with this status. Every edge's target is looked up
/// anyway, so a look-up that fails costs no op.
pub(crate) const fn over(status: Status) -> Pc {
    NOWHERE - 1 - status as Pc
}

/// The status, if an edge leads to the end of its thread.
#[inline]
pub(crate) fn is_over(pc: Pc) -> Option<Status> {
    match (NOWHERE - 1).wrapping_sub(pc) {
        0 => Some(Status::Success),
        1 => Some(Status::Failure),
        2 => Some(Status::Running),
        3 => Some(Status::Skipped),
        _ => None,
    }
}

/// A yield: a place where a tick can stop and the next one resumes. Yields are numbered across the
/// whole program; those of a thread, and of a subtree, are contiguous.
pub(crate) type Yield = u32;

/// Not running.
pub(crate) const IDLE: Yield = u32::MAX;

/// A place in the agent's block.
pub(crate) type Offset = u32;

/// One operation of a program. `s`, `f` and `k` are where to go on success, failure and skip.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// The thread is over. Rarely met: see [`over`].
    Done(Status),
    /// Compares four bytes of the block, as an integer.
    Whole { quick: Quick, s: Pc, f: Pc },
    /// Compares four bytes of the block, as a fraction.
    Fraction { quick: Quick, s: Pc, f: Pc },
    /// Compares fewer bytes of the block.
    Small {
        ty: ScalarType,
        quick: Quick,
        s: Pc,
        f: Pc,
    },
    /// Asks a function.
    Ask { func: u32, s: Pc, f: Pc },
    /// Evaluates a comparison of any kind.
    Test { test: u32, s: Pc, f: Pc },
    /// Evaluates a comparison of two keys.
    Compare { compare: u32, s: Pc, f: Pc },
    /// Calls an action that never answers running.
    Instant { func: u32, s: Pc, f: Pc },
    /// Starts an action.
    Start { func: u32, y: Yield, s: Pc, f: Pc },
    /// Continues an action.
    Tick { func: u32, y: Yield, s: Pc, f: Pc },
    /// Starts a leaf with state.
    LeafStart {
        leaf: u32,
        slot: Offset,
        y: Yield,
        s: Pc,
        f: Pc,
    },
    /// Continues a leaf with state.
    LeafTick {
        leaf: u32,
        slot: Offset,
        y: Yield,
        s: Pc,
        f: Pc,
    },
    /// Starts a leaf with boxed state.
    BoxedStart {
        leaf: u32,
        side: u32,
        y: Yield,
        s: Pc,
        f: Pc,
    },
    /// Continues a leaf with boxed state.
    BoxedTick {
        leaf: u32,
        side: u32,
        y: Yield,
        s: Pc,
        f: Pc,
    },
    /// Sets a timer; yields unless it is over at once.
    WaitStart {
        slot: Offset,
        spec: u32,
        y: Yield,
        s: Pc,
    },
    /// Yields unless the timer is over.
    WaitTick { slot: Offset, y: Yield, s: Pc },
    /// Yields, unless the deadline (if there is one) has passed.
    Pend {
        slot: Option<core::num::NonZeroU32>,
        y: Yield,
        late: Pc,
    },
    /// Yields.
    Yield { y: Yield },
    /// Hands a line to the context.
    Log { text: u32, to: Pc },

    /// If the old yield lies in `lo .. lo + len`, goes where the table says.
    Resume {
        lo: Yield,
        len: u32,
        table: u32,
        els: Pc,
    },
    /// Unwinds an old yield in `lo .. hi`: leaving a region whose running part was not re-entered.
    Exit {
        lo: Yield,
        hi: Yield,
        node: NodeId,
        to: Pc,
    },
    /// Halts the old branch before this one starts anything.
    Before { index: u32, to: Pc },
    /// The old yield is this op's own: it has been taken up.
    Consume { to: Pc },

    /// Sets a deadline `spec` nanoseconds ahead.
    Deadline { slot: Offset, spec: u32, to: Pc },
    /// Goes to `late` if the time is up.
    Limit { slot: Offset, late: Pc, to: Pc },
    /// Checks a gate.
    Gate { gate: u32, to: Pc },
    /// Closes a gate.
    Close { gate: u32, verdict: Status, to: Pc },
    /// Rolls for a chance.
    Chance { p: u32, to: Pc, other: Pc },
    /// Has it run before?
    Once { slot: Offset, to: Pc, s: Pc, f: Pc },
    /// Counts a run, if there is one left.
    Quota {
        slot: Offset,
        width: u8,
        limit: u32,
        to: Pc,
        other: Pc,
    },
    /// Writes one byte.
    Set { slot: Offset, value: u8, to: Pc },
    /// Writes a number of the width in bytes.
    Put {
        slot: Offset,
        width: u8,
        value: u32,
        to: Pc,
    },
    /// Is the byte not zero?
    If { slot: Offset, yes: Pc, no: Pc },
    /// Clears bytes.
    Clear { slot: Offset, len: u32, to: Pc },
    /// Goes where a table says, by a stored number.
    Dispatch {
        slot: Offset,
        width: u8,
        table: u32,
        len: u32,
    },
    /// Draws the next child.
    Pick { pick: u32 },
    /// Goes where a table says, by a computed number.
    Switch {
        func: u32,
        table: u32,
        len: u32,
        other: Pc,
    },
    /// Chooses by score.
    Utility { utility: u32 },
    /// A round is to be followed by another.
    Again { index: u32 },
    /// Begins a for-each.
    EachStart { each: u32 },
    /// Announces the index and begins a round.
    EachRound { each: u32 },
    /// The round is over.
    EachNext { each: u32 },
    /// Calls an end hook.
    Hook { func: u32, status: Status, to: Pc },
    /// Asks a handler.
    Catch { func: u32, s: Pc, f: Pc },
    /// Begins a parallel.
    ParStart { par: u32, to: Pc },
    /// Ticks a parallel.
    Par {
        par: u32,
        y: Yield,
        s: Pc,
        f: Pc,
        k: Pc,
    },
    /// Begins a custom node.
    CustomStart {
        custom: u32,
        y: Yield,
        s: Pc,
        f: Pc,
        k: Pc,
    },
    /// Continues a custom node.
    CustomTick {
        custom: u32,
        y: Yield,
        s: Pc,
        f: Pc,
        k: Pc,
    },

    /// Traced programs: a node begins to be ticked.
    Enter { to: Pc },
    /// Traced programs: a node's tick is over.
    Leave { status: Status, to: Pc },
}

impl Op {
    /// The edges stored in the op itself; others are stored in tables or beside it.
    pub(crate) fn edges(&mut self) -> [Option<&mut Pc>; 3] {
        match self {
            Op::Whole { s, f, .. }
            | Op::Fraction { s, f, .. }
            | Op::Small { s, f, .. }
            | Op::Ask { s, f, .. }
            | Op::Test { s, f, .. }
            | Op::Compare { s, f, .. }
            | Op::Instant { s, f, .. }
            | Op::Start { s, f, .. }
            | Op::Tick { s, f, .. }
            | Op::LeafStart { s, f, .. }
            | Op::LeafTick { s, f, .. }
            | Op::BoxedStart { s, f, .. }
            | Op::BoxedTick { s, f, .. }
            | Op::Catch { s, f, .. } => [Some(s), Some(f), None],
            Op::WaitStart { s: to, .. }
            | Op::WaitTick { s: to, .. }
            | Op::Pend { late: to, .. }
            | Op::Log { to, .. }
            | Op::Exit { to, .. }
            | Op::Before { to, .. }
            | Op::Consume { to }
            | Op::Deadline { to, .. }
            | Op::Gate { to, .. }
            | Op::Close { to, .. }
            | Op::Set { to, .. }
            | Op::Put { to, .. }
            | Op::Clear { to, .. }
            | Op::Hook { to, .. }
            | Op::ParStart { to, .. }
            | Op::Resume { els: to, .. }
            | Op::Switch { other: to, .. }
            | Op::Enter { to }
            | Op::Leave { to, .. } => [Some(to), None, None],
            Op::Limit { late, to, .. } => [Some(late), Some(to), None],
            Op::Chance { to, other, .. } | Op::Quota { to, other, .. } => {
                [Some(to), Some(other), None]
            }
            Op::If { yes, no, .. } => [Some(yes), Some(no), None],
            Op::Once { to, s, f, .. }
            | Op::Par {
                s: to, f: s, k: f, ..
            } => [Some(to), Some(s), Some(f)],
            Op::CustomStart { s, f, k, .. } | Op::CustomTick { s, f, k, .. } => {
                [Some(s), Some(f), Some(k)]
            }
            Op::Done(_)
            | Op::Yield { .. }
            | Op::Dispatch { .. }
            | Op::Pick { .. }
            | Op::Utility { .. }
            | Op::Again { .. }
            | Op::EachStart { .. }
            | Op::EachRound { .. }
            | Op::EachNext { .. } => [None, None, None],
        }
    }
}

/// A part of the program with its own resume point: the root, and each child of a parallel or
/// custom node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thread {
    /// Where a tick begins, in [`Program::tables`], by the stored resume point.
    pub(crate) table: u32,
    /// Its first yield.
    pub(crate) lo: Yield,
    /// How many yields it has.
    pub(crate) yields: u32,
    /// Where its resume point is stored: zero for idle, otherwise the yield's number in the thread
    /// plus one.
    pub(crate) slot: Offset,
    /// The size of the resume point in bytes.
    pub(crate) width: u8,
    /// The op at its end.
    pub(crate) end: Pc,
}

/// Something to be done when a yield is unwound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwind {
    pub(crate) node: NodeId,
    pub(crate) what: Undo,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    /// A running action, and its halt hook.
    Action(Option<u32>),
    /// A running leaf.
    Leaf { leaf: u32, slot: Offset },
    /// A running leaf with boxed state.
    Boxed { leaf: u32, side: u32 },
    /// The children of a parallel or custom node.
    Threads { first: u32, len: u32 },
    /// A custom node, after its children.
    Custom(u32),
    /// A hook.
    Hook(u32),
    /// A gate that opens.
    Refund(u32),
}

/// A yield's node and what is active there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct YieldInfo {
    pub(crate) node: NodeId,
    /// Range in [`Program::unwinds`], innermost first.
    pub(crate) from: u32,
    pub(crate) to: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WaitSpec {
    Fixed(u64),
    Range(u64, u64),
    Computed(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct GateSpec {
    pub(crate) slot: Offset,
    pub(crate) interval: u64,
    pub(crate) replay: bool,
    /// Where to go while closed, by verdict if it is replayed.
    pub(crate) s: Pc,
    pub(crate) f: Pc,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BeforeSpec {
    pub(crate) node: NodeId,
    pub(crate) lo: Yield,
    pub(crate) hi: Yield,
    pub(crate) own_lo: Yield,
    pub(crate) own_hi: Yield,
}

#[derive(Clone, Debug)]
pub(crate) struct PickSpec {
    pub(crate) slot: Offset,
    pub(crate) table: u32,
    pub(crate) children: u32,
    pub(crate) weights: Vec<f64>,
    pub(crate) end: Pc,
}

#[derive(Clone, Debug)]
pub(crate) struct UtilitySpec {
    pub(crate) options: Utility,
    pub(crate) funcs: Vec<u32>,
    /// Where each child begins or, if reactive, is resumed or begins.
    pub(crate) targets: Vec<Pc>,
    /// Each child's yields.
    pub(crate) ranges: Vec<(Yield, Yield)>,
    pub(crate) dwell: Option<Offset>,
    pub(crate) none: Pc,
}

/// A number stored in the block, and its width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub(crate) slot: Offset,
    pub(crate) width: u8,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AgainSpec {
    /// The counter and the number at which to stop.
    pub(crate) limit: Option<(Counter, u32)>,
    /// The rounds left in this tick; `None` for one round per tick.
    pub(crate) budget: Option<Counter>,
    pub(crate) y: Yield,
    pub(crate) again: Pc,
    pub(crate) done: Pc,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct EachSpec {
    pub(crate) count: u32,
    pub(crate) item: u32,
    /// Index, then count, four bytes each.
    pub(crate) slot: Offset,
    pub(crate) budget: Option<Counter>,
    pub(crate) y: Yield,
    pub(crate) round: Pc,
    pub(crate) body: Pc,
    pub(crate) done: Pc,
    /// Where to go when there is nothing to do.
    pub(crate) none: Pc,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ParSpec {
    pub(crate) options: Parallel,
    pub(crate) first: u32,
    pub(crate) children: u32,
    /// Two bits per child: open, success, failure.
    pub(crate) latches: Offset,
    /// For [`Leftover::Await`](crate::nodes::Leftover): the verdict once known.
    pub(crate) verdict: Option<Offset>,
    /// The children's nodes, as a range of [`Program::child_nodes`].
    pub(crate) nodes: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CustomSpec {
    pub(crate) func: u32,
    pub(crate) first: u32,
    pub(crate) children: u32,
    pub(crate) state: Offset,
    pub(crate) state_len: u32,
    pub(crate) memory: Offset,
    pub(crate) memory_len: u32,
    pub(crate) nodes: u32,
}

/// Which kind of history is at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HistorySlot {
    Gate { slot: Offset, replay: bool },
    Once { slot: Offset },
    Runs(Counter),
    Place(Counter),
    Memory { slot: Offset, len: u32 },
}

/// A compiled tree: plain data, the same for every agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    /// How many of the ops are not copies.
    pub(crate) originals: usize,
    /// Each op's node, for errors and traces.
    pub(crate) op_nodes: Vec<NodeId>,
    /// If there are visible scopes, those around each op, as a range of `unwinds`.
    pub(crate) op_scopes: Vec<(u32, u32)>,
    pub(crate) tables: Vec<Pc>,
    pub(crate) threads: Vec<Thread>,
    /// Where a tick of the first thread begins, by the stored resume point.
    pub(crate) entries: Vec<Pc>,
    /// Whether the first thread's resume point takes more than one byte.
    pub(crate) wide: bool,
    pub(crate) yields: Vec<YieldInfo>,
    pub(crate) unwinds: Vec<Unwind>,
    pub(crate) tests: Vec<Test>,
    pub(crate) compares: Vec<Compare>,
    pub(crate) waits: Vec<WaitSpec>,
    pub(crate) texts: Vec<Cow<'static, str>>,
    /// The ops of leaves that may skip, ascending, and where they go then.
    pub(crate) skips: Vec<(Pc, Pc)>,
    pub(crate) gates: Vec<GateSpec>,
    pub(crate) befores: Vec<BeforeSpec>,
    pub(crate) chances: Vec<f64>,
    pub(crate) picks: Vec<PickSpec>,
    pub(crate) utilities: Vec<UtilitySpec>,
    pub(crate) agains: Vec<AgainSpec>,
    pub(crate) eachs: Vec<EachSpec>,
    pub(crate) pars: Vec<ParSpec>,
    pub(crate) customs: Vec<CustomSpec>,
    pub(crate) child_nodes: Vec<NodeId>,
    pub(crate) history: Vec<(NodeId, HistorySlot)>,
    /// Whether unwinding may have to stop at a node: hooks and refunds exist.
    pub(crate) scoped: bool,
    /// Each node's parent and end, for finding where the paths to two yields part.
    pub(crate) parents: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    /// The size of an agent's block.
    pub(crate) bytes: usize,
    /// How many boxed states an agent has.
    pub(crate) sides: usize,
}

/// How many bytes numbers up to `most` take.
pub(crate) fn width_for(most: u32) -> u8 {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

impl Program {
    /// Runs last, once all ops exist: makes edges to the end of a thread lead beyond the ops, and
    /// lists where ticks of the whole tree begin.
    pub(crate) fn link(&mut self) {
        for pc in 0..self.ops.len() {
            let mut op = self.ops[pc];
            for to in op.edges().into_iter().flatten() {
                if let Some(Op::Done(status)) = self.ops.get(*to as usize) {
                    *to = over(*status);
                }
            }
            self.ops[pc] = op;
        }
        let t = self.threads[0];
        debug_assert_eq!((t.slot, t.lo), (0, 0));
        self.wide = t.width > 1;
        let table = t.table as usize;
        self.entries = self.tables[table..=table + t.yields as usize].to_vec();
    }

    /// The innermost node below which both lie.
    pub(crate) fn part(&self, a: NodeId, b: NodeId) -> u32 {
        let mut up = a.0;
        while up != u32::MAX && !(up <= b.0 && b.0 < self.ends[up as usize]) {
            up = self.parents[up as usize];
        }
        up
    }
}
