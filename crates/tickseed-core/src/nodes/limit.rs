//! Time limit: the child must finish in time.
//!
//! The clock starts when an activation starts. At the first tick at or after the limit the running
//! child is halted without being ticked, and the node answers failure, or what
//! [`otherwise`](Node::otherwise) says, even if the child would have finished on that very tick.
//! The child's own answers pass through.

use alloc::vec;
use core::time::Duration;

use crate::compile::{Edges, Lower, Op, Region, WaitSpec};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;
use crate::time::nanos;

/// The options of a time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLimit {
    /// How long the child has, in nanoseconds.
    pub limit: u64,
    /// The answer when the limit is reached.
    pub on_timeout: Status,
}

impl<C: Context> Nodes<C> {
    /// Halts the child and fails if it has not finished within the limit. Also known as timeout.
    pub fn time_limit(self, limit: Duration, child: Node<C>) -> Node<C> {
        Node::wrap(
            Kind::TimeLimit(TimeLimit {
                limit: nanos(limit),
                on_timeout: Status::Failure,
            }),
            [],
            child,
        )
    }
}

/// The check comes before whatever goes on below, at every tick.
pub(crate) fn lower_time_limit(
    lw: &mut Lower<'_>,
    id: NodeId,
    options: TimeLimit,
    e: Edges,
) -> Region {
    let child = lw.node(lw.def_of(id).children[0], e);
    if child.resume.is_empty() {
        // The child always finishes in the tick in which it starts.
        return child;
    }
    let slot = lw.info(id).slot;
    let go_on = lw.resume(id, &child);
    let late = lw.exit(id, child.lo, child.hi(), e.of(options.on_timeout));
    let check = lw.emit(
        id,
        Op::Limit {
            slot,
            late,
            to: go_on,
        },
    );
    lw.out.waits.push(WaitSpec::Fixed(options.limit));
    let spec = (lw.out.waits.len() - 1) as u32;
    let entry = lw.emit(
        id,
        Op::Deadline {
            slot,
            spec,
            to: child.entry,
        },
    );
    let resume = vec![check; child.resume.len()];
    Region {
        entry,
        lo: child.lo,
        resume: resume.into(),
    }
}
