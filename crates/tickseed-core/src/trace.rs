//! Watching a tick: what a traced tick reports while it runs.

use crate::def::NodeId;
use crate::key::{KeyId, Scalar};
use crate::status::Status;

/// Is told what happens during a traced tick, in order. Untraced ticks do not pay for it.
///
/// What a node halts because of its answer is reported before the node's `leave`, after the
/// `leave` of the child that brought the answer; a node that ticks several children at once
/// first tells which of them decided.
pub trait Trace {
    /// A node begins to be ticked.
    fn enter(&mut self, node: NodeId);
    /// A node's tick is over with this status. Every `enter` is followed by its `leave`,
    /// unless a leaf fails with an error.
    fn leave(&mut self, node: NodeId, status: Status);
    /// A running leaf was halted, or a node whose halt is visible (hooks, custom nodes).
    fn halted(&mut self, _node: NodeId) {}
    /// This child decided the answer of a node that ticks several at once.
    fn decided(&mut self, _node: NodeId, _child: NodeId) {}
    /// What the context's keys hold at this moment: before the tick (no node), and after
    /// every piece of work of a node, whether it has written a key or not. For finding out
    /// who writes what.
    fn keys(&mut self, _node: Option<NodeId>, _keys: &dyn KeyView) {}
}

/// The keys of a context, to be read in the middle of a tick.
pub trait KeyView {
    /// How many the schema has; they are numbered from zero.
    fn count(&self) -> u16;
    /// How many there are beyond the schema; they are numbered from [`KeyId::OWN`].
    fn own(&self) -> u16 {
        0
    }
    /// What a key holds; none if it is not set.
    fn read(&self, key: KeyId) -> Option<Scalar>;
}
