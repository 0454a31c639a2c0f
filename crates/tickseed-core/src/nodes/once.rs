//! Run once: the child runs to one verdict in the agent's life.
//!
//! Until the child has finished with success or failure it is run like any child (a halt or
//! a skip does not count). Afterwards the node answers the remembered verdict, or what
//! [`otherwise`](Node::otherwise) says, without touching it. That it ran is history: a halt
//! keeps it; [`Tree::reset`](crate::Tree::reset) forgets it.

use alloc::vec;

use crate::context::Context;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

/// What a run-once answers once it has run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunOnce {
    /// The remembered verdict.
    Replay,
    /// Always this.
    Answer(Status),
}

impl<C: Context> Nodes<C> {
    /// Runs the child to a verdict once, then answers that verdict for ever.
    pub fn run_once(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::RunOnce(RunOnce::Replay), vec![], child)
    }
}
