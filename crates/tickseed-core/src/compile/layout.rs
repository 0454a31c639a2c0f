//! Where every node has its bytes in the agent's block.
//!
//! The block holds the root's resume point, then history, then frames. The first byte belongs to
//! the resume point even in a tree that never keeps running but has other state; it then stays
//! zero.
//!
//! Frames are like stack frames: children that cannot both be touched in one tick share bytes.
//! Children of a reactive node can be (an earlier child writes its bytes and fails, and the running
//! sibling then reads its own), so they do not share. Neither do children of parallels, which run
//! at the same time. History shares nothing and is never cleared by a halt.

use alloc::vec;
use alloc::vec::Vec;

use super::program::width_for;
use crate::context::Context;
use crate::def::{Def, FnRef, Funcs, NodeId};
use crate::kind::Kind;
use crate::nodes::{Closed, Flow, Leftover, Loop, Pace, RunOnce, WaitFor};
use crate::status::Status;

/// The size of a deadline in bytes.
pub(crate) const DEADLINE: u32 = 7;

/// What is known about a node before lowering.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Info {
    /// How many yields its subtree has within its thread.
    pub(crate) yields: u32,
    /// Whether it can answer `Skipped`.
    pub(crate) can_skip: bool,
    /// Whether it contains a `hold` in the same thread.
    pub(crate) holds: bool,
    /// Where its own bytes begin.
    pub(crate) slot: u32,
    /// How many bytes of its own it has.
    pub(crate) own: u32,
    /// Where its history begins.
    pub(crate) history: u32,
    /// How many bytes of history it has.
    pub(crate) history_len: u32,
    /// For a child of a parallel or custom node: where its thread's resume point is.
    pub(crate) resume: u32,
    /// For a boxed leaf: its side slot.
    pub(crate) side: u32,
    frame: u32,
}

/// The layout of a tree.
pub(crate) struct Layout {
    pub(crate) infos: Vec<Info>,
    pub(crate) bytes: u32,
    pub(crate) sides: u32,
}

/// How many bytes a resume point among this many yields takes; zero if there are none.
pub(crate) fn resume_width(yields: u32) -> u8 {
    if yields == 0 { 0 } else { width_for(yields) }
}

/// How many bytes a loop's counter takes.
pub(crate) fn counter_width(l: &Loop) -> u8 {
    l.limit.map_or(0, width_for)
}

/// How many bytes a pace's budget takes.
pub(crate) fn budget_width(pace: Pace) -> u8 {
    match pace {
        Pace::OnePerTick => 0,
        Pace::Drain(n) => width_for(n),
    }
}

/// Whether children of this kind run as separate threads.
pub(crate) fn makes_threads(kind: &Kind) -> bool {
    matches!(kind, Kind::Parallel(_) | Kind::Custom(_))
}

/// Whether the children of a node must not share bytes.
fn children_apart(kind: &Kind) -> bool {
    match kind {
        Kind::Sequence(f) | Kind::Selector(f) => matches!(f, Flow::Reactive { .. }),
        Kind::Switch(s) => s.reactive,
        Kind::Utility(u) => u.reactive,
        Kind::WhileDoElse { .. } => true,
        kind => makes_threads(kind),
    }
}

/// Whether a sequence or selector can be skipped, and so must remember if any child of an
/// activation was not: that is, whether there is a child at which it can begin and from which on
/// all can be skipped.
pub(crate) fn needs_skip_bit(def: &Def, infos: &[Info], id: NodeId) -> bool {
    let node = def.node(id);
    let info = |c: &NodeId| infos[c.index()];
    let can_begin_at = |i: usize, c: &NodeId| match &node.kind {
        Kind::Sequence(Flow::KeepPlace) | Kind::Selector(Flow::KeepPlace) => true,
        Kind::Sequence(Flow::Reactive { .. }) | Kind::Selector(Flow::Reactive { .. }) => {
            i == 0 || info(c).holds
        }
        _ => i == 0,
    };
    let children = node.children.iter().enumerate().rev();
    children
        .take_while(|(_, c)| info(c).can_skip)
        .any(|(i, c)| can_begin_at(i, c))
}

pub(crate) fn lay_out<C: Context>(def: &Def, funcs: &Funcs<C>) -> Layout {
    let mut infos = vec![Info::default(); def.len()];
    let mut sides = 0;
    // Children come after their parents: backwards is bottom-up.
    for (id, node) in def.iter().rev() {
        // Most nodes of large trees are actions, which have no bytes.
        if let Kind::Action {
            instant, may_skip, ..
        } = node.kind
        {
            let info = &mut infos[id.index()];
            (info.yields, info.can_skip) = (u32::from(!instant), may_skip);
            continue;
        }
        let threads = makes_threads(&node.kind);
        let kids = || node.children.iter().map(|c| &infos[c.index()]);
        let any_skips = kids().any(|i| i.can_skip);
        let inner: u32 = if threads {
            0
        } else {
            kids().map(|i| i.yields).sum()
        };
        let own_yields = match &node.kind {
            Kind::Leaf { .. }
            | Kind::Wait(_)
            | Kind::WaitUntil(_)
            | Kind::Constant(Status::Running)
            | Kind::Delay(_)
            | Kind::Loop(_)
            | Kind::ForEach(_)
            | Kind::Parallel(_)
            | Kind::Custom(_) => 1,
            _ => 0,
        };
        let can_skip = match &node.kind {
            Kind::Leaf { may_skip, .. } => *may_skip,
            Kind::Constant(s) => *s == Status::Skipped,
            Kind::WaitUntil(w) => w.limit.is_some() && w.on_timeout == Status::Skipped,
            Kind::Sequence(_) | Kind::Selector(_) => needs_skip_bit(def, &infos, id),
            Kind::Parallel(_) => kids().all(|i| i.can_skip),
            Kind::TimeLimit(t) => any_skips || t.on_timeout == Status::Skipped,
            Kind::Chance { otherwise: s, .. }
            | Kind::WhileGuard { otherwise: s, .. }
            | Kind::Precondition { then: s, .. } => any_skips || *s == Status::Skipped,
            Kind::RunOnce(r) => any_skips || *r == RunOnce::Answer(Status::Skipped),
            Kind::LimitRuns(l) => any_skips || l.otherwise == Status::Skipped,
            Kind::Loop(l) => {
                any_skips || l.at_limit == Status::Skipped || l.stopped == Some(Status::Skipped)
            }
            Kind::Gate(g) => any_skips || g.closed == Closed::Skipped,
            Kind::Custom(_) => true,
            _ => any_skips,
        };
        let holds = matches!(node.kind, Kind::Hold) || !threads && kids().any(|i| i.holds);
        let own = own_bytes(def, funcs, &infos, id);
        let below = if children_apart(&node.kind) {
            let resume = |i: &Info| {
                if threads {
                    u32::from(resume_width(i.yields))
                } else {
                    0
                }
            };
            kids().map(|i| i.frame + resume(i)).sum()
        } else {
            kids().map(|i| i.frame).max().unwrap_or(0)
        };
        let side = sides;
        sides += u32::from(matches!(node.kind, Kind::Leaf { boxed: true, .. }));
        let info = &mut infos[id.index()];
        info.side = side;
        info.own = own;
        info.yields = own_yields + inner;
        info.can_skip = can_skip;
        info.holds = holds;
        info.frame = own + below;
    }
    // Top-down: the root's resume point, history, frames.
    let root = infos[0];
    let history: Vec<u32> = def
        .iter()
        .map(|(id, node)| history_bytes(def, funcs, id, &node.kind))
        .collect();
    let mut at = u32::from(resume_width(root.yields));
    if root.frame > 0 || history.iter().any(|len| *len > 0) {
        at = at.max(1);
    }
    for (info, len) in infos.iter_mut().zip(history) {
        (info.history, info.history_len) = (at, len);
        at += len;
    }
    infos[0].slot = at;
    let bytes = at + root.frame;
    for (id, node) in def.iter() {
        if node.children.is_empty() {
            continue;
        }
        let (threads, apart) = (makes_threads(&node.kind), children_apart(&node.kind));
        let mut next = infos[id.index()].slot + infos[id.index()].own;
        for c in &node.children {
            let child = &mut infos[c.index()];
            if threads {
                child.resume = next;
                next += u32::from(resume_width(child.yields));
            }
            child.slot = next;
            if apart {
                next += child.frame;
            }
        }
    }
    Layout {
        infos,
        bytes,
        sides,
    }
}

/// How many bytes a node's activation takes, without its children's.
fn own_bytes<C: Context>(def: &Def, funcs: &Funcs<C>, infos: &[Info], id: NodeId) -> u32 {
    let node = def.node(id);
    let children = node.children.len() as u32;
    match &node.kind {
        Kind::Wait(_) | Kind::TimeLimit(_) => DEADLINE,
        Kind::WaitUntil(w) => w.limit.map_or(0, |_| DEADLINE),
        Kind::Delay(WaitFor::Fixed(_) | WaitFor::Range(..) | WaitFor::Computed) => DEADLINE,
        Kind::Leaf { boxed: false, .. } => match node.fns.first() {
            Some(FnRef::Leaf(f)) => funcs.leaves[*f as usize].size() as u32,
            _ => 0,
        },
        Kind::Sequence(flow) | Kind::Selector(flow) => {
            let bit = u32::from(needs_skip_bit(def, infos, id));
            bit + if matches!(flow, Flow::Random { .. }) {
                children.div_ceil(8)
            } else {
                0
            }
        }
        Kind::Utility(u) if u.reactive && u.min_dwell > 0 => DEADLINE,
        Kind::Loop(l) => u32::from(counter_width(l)) + u32::from(budget_width(l.pace)),
        // Index, count, the skip bit, the budget.
        Kind::ForEach(pace) => 9 + u32::from(budget_width(*pace)),
        Kind::Parallel(p) => children.div_ceil(4) + u32::from(p.leftover == Leftover::Await),
        Kind::Custom(_) => match node.fns.first() {
            Some(FnRef::Custom(f)) => funcs.customs[*f as usize].sizes().0 as u32,
            _ => 0,
        },
        _ => 0,
    }
}

fn history_bytes<C: Context>(def: &Def, funcs: &Funcs<C>, id: NodeId, kind: &Kind) -> u32 {
    let node = def.node(id);
    match kind {
        Kind::Gate(g) => DEADLINE + u32::from(g.closed == Closed::Replay),
        Kind::RunOnce(_) => 1,
        Kind::LimitRuns(l) => width_for(l.limit).into(),
        Kind::Sequence(Flow::KeepPlace) | Kind::Selector(Flow::KeepPlace) => {
            width_for(node.children.len() as u32).into()
        }
        Kind::Custom(_) => match node.fns.first() {
            Some(FnRef::Custom(f)) => funcs.customs[*f as usize].sizes().1 as u32,
            _ => 0,
        },
        _ => 0,
    }
}
