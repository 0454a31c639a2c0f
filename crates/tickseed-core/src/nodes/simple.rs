//! Invert, force, uninterruptible, hold.
//!
//! * invert: success and failure change places. Running and skipped pass.
//! * force success, force failure: any verdict becomes this one. Running and skipped pass.
//! * uninterruptible: passes everything. Building fails if anything above it could halt it
//!   while it runs; the first child of a reactive node is exempt from its own siblings, not
//!   from ancestors.
//! * hold: passes everything. While its child runs, reactive nodes above it (sequences,
//!   selectors, while-do-else, switches, utility selectors, in the same parallel branch) do
//!   not ask their earlier children or choose again, but go on with it. Time limits,
//!   while-guards and halts still end it.

use crate::context::Context;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

impl<C: Context> Nodes<C> {
    /// Turns success into failure and failure into success.
    pub fn invert(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Invert, [], child)
    }

    /// Succeeds however the child finishes.
    pub fn force_success(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Force(Status::Success), [], child)
    }

    /// Fails however the child finishes.
    pub fn force_failure(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Force(Status::Failure), [], child)
    }

    /// Marks the child as one that must not be torn down in the middle: building fails if
    /// anything above could do it.
    pub fn uninterruptible(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Uninterruptible, [], child)
    }

    /// Once started, the child is finished before reactive nodes above decide anew.
    pub fn hold(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Hold, [], child)
    }
}
