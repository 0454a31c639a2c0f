//! Invert, force, uninterruptible, hold.
//!
//! * invert: swaps success and failure. Running and skipped pass through.
//! * force success, force failure: turns any verdict into this one. Running and skipped pass
//!   through.
//! * uninterruptible: passes every answer through. Building fails if anything above could halt it
//!   while it runs. (Siblings cannot halt the first child of a reactive node, but ancestors can.)
//! * hold: passes every answer through. While its child runs, reactive nodes above it (sequences,
//!   selectors, while-do-else, switches, utility selectors, in the same parallel branch) do not ask
//!   their earlier children or choose again, but go on with the held child. Time limits,
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

    /// Marks the child as one that must not be interrupted: building fails if anything above could
    /// interrupt it.
    pub fn uninterruptible(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Uninterruptible, [], child)
    }

    /// Once started, the child finishes before reactive nodes above decide anew.
    pub fn hold(self, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Hold, [], child)
    }
}
