//! Time limit: the child must finish in time.
//!
//! The clock starts when an activation starts. At the first tick at or after the limit the
//! running child is halted without being ticked, and the node answers failure, or what
//! [`otherwise`](Node::otherwise) says: a child that would have finished on that very tick
//! has lost. The child's own answers pass.

use alloc::vec;
use core::time::Duration;

use crate::context::Context;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;
use crate::time::nanos;

/// The options of a time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLimit {
    /// How long the child has, in nanoseconds.
    pub limit: u64,
    /// The answer when it is over.
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
            vec![],
            child,
        )
    }
}
