//! Limit runs and forget: how often a child may run, and for how long that is remembered.
//!
//! * limit runs: the child is started at most `n` times in the agent's life. A run counts when it
//!   starts, however it ends. When the runs are used up, the node answers failure, or what
//!   [`otherwise`](Node::otherwise) says, without touching the child. The count is history: a halt
//!   keeps it, [`Tree::reset`](crate::Tree::reset) forgets it.
//! * forget: passes every answer through. When an activation starts, all history below is forgotten
//!   first: counts of runs, cooldowns, rate limits, run-onces, kept places, memory of custom nodes.
//!
//! So limits are for life; a `forget` around the part of the tree that makes up a visit turns them
//! into limits per visit:
//!
//! ```
//! use std::time::Duration;
//! use tickseed_core::{Status, Time, nodes};
//! let n = nodes::<()>();
//! // Twice in each visit; a visit lasts three rounds of the loop.
//! let visit = n.repeat(3, n.limit_runs(2, n.succeed()).otherwise(Status::Success));
//! let tree = n.forget(visit).build().unwrap();
//! # tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap();
//! ```

use crate::compile::{Counter, Edges, Lower, Op, Region, width_for};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

/// The options of a limit on runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LimitRuns {
    /// How many times the child may be started; at least once.
    pub limit: u32,
    /// The answer when the child may not start.
    pub otherwise: Status,
}

impl<C: Context> Nodes<C> {
    /// Starts the child at most `limit` times in the agent's life, then fails.
    pub fn limit_runs(self, limit: u32, child: Node<C>) -> Node<C> {
        let options = LimitRuns {
            limit,
            otherwise: Status::Failure,
        };
        Node::wrap(Kind::LimitRuns(options), [], child)
    }

    /// Forgets the history of everything below when it is entered anew.
    pub fn forget(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Forget, [], child)
    }
}

/// Where the runs are counted.
pub(crate) fn runs_counter(lw: &Lower<'_>, id: NodeId, options: LimitRuns) -> Counter {
    Counter {
        slot: lw.info(id).history,
        width: width_for(options.limit),
    }
}

pub(crate) fn lower_limit_runs(
    lw: &mut Lower<'_>,
    id: NodeId,
    options: LimitRuns,
    e: Edges,
) -> Region {
    let child = lw.node(lw.def_of(id).children[0], e);
    let Counter { slot, width } = runs_counter(lw, id, options);
    let entry = lw.emit(
        id,
        Op::Quota {
            slot,
            width,
            limit: options.limit,
            to: child.entry,
            other: e.of(options.otherwise),
        },
    );
    Region { entry, ..child }
}

/// History is laid out depth first, so a subtree's history is contiguous.
pub(crate) fn lower_forget(lw: &mut Lower<'_>, id: NodeId, e: Edges) -> Region {
    let child = lw.node(lw.def_of(id).children[0], e);
    let below = (id.0 + 1..lw.def_of(id).end.0).map(|i| lw.info(NodeId(i)));
    let len = below.map(|i| i.history_len).sum();
    if len == 0 {
        return child;
    }
    let slot = lw.info(id).history;
    let entry = lw.emit(
        id,
        Op::Clear {
            slot,
            len,
            to: child.entry,
        },
    );
    Region { entry, ..child }
}
