//! What a traced tick reports while it runs.

use crate::def::NodeId;
use crate::key::{KeyId, Scalar};
use crate::status::Status;

/// Receives what happens during a traced tick, in order. Untraced ticks do not pay for it.
///
/// What a node halts because of its answer is reported after the `leave` of the child that brought
/// about the answer and before the node's own `leave`. A node that ticks several children at once
/// first reports which of them decided.
pub trait Trace {
    /// A node's tick begins.
    fn enter(&mut self, node: NodeId);
    /// A node's tick ends with this status. Every `enter` is followed by its `leave`, unless a leaf
    /// fails with an error.
    fn leave(&mut self, node: NodeId, status: Status);
    /// A running leaf was halted, or a node whose halt is visible (hooks, custom nodes).
    fn halted(&mut self, _node: NodeId) {}
    /// This child decided the answer of a node that ticks several at once.
    fn decided(&mut self, _node: NodeId, _child: NodeId) {}
    /// Gives access to the context's keys: before the tick (without a node), and after every piece
    /// of a node's work, whether it wrote a key or not. Use it to find out which node writes what.
    fn keys(&mut self, _node: Option<NodeId>, _keys: &dyn KeyView) {}
}

/// The keys of a context, readable in the middle of a tick.
pub trait KeyView {
    /// How many keys the schema has; they are numbered from zero.
    fn count(&self) -> u16;
    /// How many keys there are beyond the schema; they are numbered from [`KeyId::OWN`].
    fn own(&self) -> u16 {
        0
    }
    /// The value of a key; `None` if it is not set.
    fn read(&self, key: KeyId) -> Option<Scalar>;
}
