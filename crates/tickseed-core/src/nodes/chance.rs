//! Chance: rolls once at the start of an activation. With probability `p` the child runs
//! and its answers are the node's; otherwise the node answers failure, or what
//! [`otherwise`](Node::otherwise) says, and the child is not touched. A running child is
//! not rolled for again. A roll is drawn even at `p = 1`, so that changing `p` does not
//! shift the agent's random stream.

use alloc::vec;

use crate::context::Context;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

impl<C: Context> Nodes<C> {
    /// Runs the child with probability `p` (above zero, at most one), else fails.
    pub fn chance(self, p: f64, child: Node<C>) -> Node<C> {
        Node::wrap(
            Kind::Chance {
                p,
                otherwise: Status::Failure,
            },
            vec![],
            child,
        )
    }
}
