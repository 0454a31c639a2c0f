//! Traces for tests: one that keeps everything, one that keeps nothing.

use tickseed_core::{NodeId, Status, Trace};

/// One mark of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A node began to be ticked.
    Enter(NodeId),
    /// Its tick ended.
    Leave(NodeId, Status),
    /// It was halted.
    Halted(NodeId),
    /// The second node decided the answer of the first.
    Decided(NodeId, NodeId),
}

/// Keeps every mark, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marks(pub Vec<Mark>);

impl Trace for Marks {
    fn enter(&mut self, node: NodeId) {
        self.0.push(Mark::Enter(node));
    }
    fn leave(&mut self, node: NodeId, status: Status) {
        self.0.push(Mark::Leave(node, status));
    }
    fn halted(&mut self, node: NodeId) {
        self.0.push(Mark::Halted(node));
    }
    fn decided(&mut self, node: NodeId, child: NodeId) {
        self.0.push(Mark::Decided(node, child));
    }
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Trace for Silent {
    fn enter(&mut self, _: NodeId) {}
    fn leave(&mut self, _: NodeId, _: Status) {}
}
