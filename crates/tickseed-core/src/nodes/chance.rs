//! Chance: rolls once at the start of an activation. With probability `p` the child runs and its
//! answers are the node's; otherwise the node answers failure, or what
//! [`otherwise`](Node::otherwise) says, and the child is not touched. There is no new roll while
//! the child runs. A roll is made even at `p = 1`, so that changing `p` does not shift the agent's
//! random stream.

use crate::compile::{Edges, Lower, Op, Region};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

impl<C: Context> Nodes<C> {
    /// Runs the child with probability `p` (above zero, at most one); otherwise fails.
    pub fn chance(self, p: f64, child: Node<C>) -> Node<C> {
        Node::wrap(
            Kind::Chance {
                p,
                otherwise: Status::Failure,
            },
            [],
            child,
        )
    }
}

pub(crate) fn lower_chance(
    lw: &mut Lower<'_>,
    id: NodeId,
    p: f64,
    otherwise: Status,
    e: Edges,
) -> Region {
    let child = lw.node(lw.def_of(id).children[0], e);
    lw.out.chances.push(p);
    let p = (lw.out.chances.len() - 1) as u32;
    let entry = lw.emit(
        id,
        Op::Chance {
            p,
            to: child.entry,
            other: e.of(otherwise),
        },
    );
    Region { entry, ..child }
}
