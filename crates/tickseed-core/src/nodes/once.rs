//! Run once: the child runs to one verdict in the agent's life.
//!
//! Until the child has finished with success or failure, it runs like any child (a halt or a skip
//! does not count). Afterwards the node answers the remembered verdict, or what
//! [`otherwise`](Node::otherwise) says, without touching the child. The verdict is history: a halt
//! keeps it; [`Tree::reset`](crate::Tree::reset) forgets it.

use crate::compile::{Edges, Lower, Op, Region};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

/// What a run-once answers after it has run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunOnce {
    /// The remembered verdict.
    Replay,
    /// This status.
    Answer(Status),
}

impl<C: Context> Nodes<C> {
    /// Runs the child to a verdict once, then answers that verdict for ever.
    pub fn run_once(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::RunOnce(RunOnce::Replay), [], child)
    }
}

pub(crate) fn lower_run_once(lw: &mut Lower<'_>, id: NodeId, options: RunOnce, e: Edges) -> Region {
    let slot = lw.info(id).history;
    let edges = Edges {
        s: lw.emit(
            id,
            Op::Set {
                slot,
                value: 1,
                to: e.s,
            },
        ),
        f: lw.emit(
            id,
            Op::Set {
                slot,
                value: 2,
                to: e.f,
            },
        ),
        k: e.k,
    };
    let child = lw.node(lw.def_of(id).children[0], edges);
    let (s, f) = match options {
        RunOnce::Replay => (e.s, e.f),
        RunOnce::Answer(status) => (e.of(status), e.of(status)),
    };
    let entry = lw.emit(
        id,
        Op::Once {
            slot,
            to: child.entry,
            s,
            f,
        },
    );
    Region { entry, ..child }
}
