//! What the watched agent's tree did: the latest tick's result, and each node's latest answer.

use alloc::vec;
use alloc::vec::Vec;

use tickseed_core::{Def, KeyView, NodeId, Status, TickReport, Trace};

/// Every node's part in the latest ticks of the watched agent.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Each node's parent; the root's is itself.
    parents: Vec<NodeId>,
    last: Vec<Option<(Status, u64)>>,
    report: TickReport,
    tick: u64,
}

impl Watch {
    /// A watch over a tree that has seen nothing yet.
    #[must_use]
    pub fn new(def: &Def) -> Watch {
        Watch {
            parents: def.iter().map(|(id, d)| d.parent.unwrap_or(id)).collect(),
            last: vec![None; def.len()],
            report: TickReport::new(),
            tick: 0,
        }
    }

    /// Begins the record of a tick.
    pub fn begin(&mut self, tick: u64) {
        self.tick = tick;
        self.report.clear();
    }

    /// The result of the latest tick: what was ticked, in order, and what was halted.
    #[must_use]
    pub fn report(&self) -> &TickReport {
        &self.report
    }

    /// The node's status in the latest tick; `None` if that tick did not reach it.
    #[must_use]
    pub fn status(&self, node: NodeId) -> Option<Status> {
        self.last(node)
            .filter(|(_, tick)| *tick == self.tick)
            .map(|(status, _)| status)
    }

    /// The node's status when it was last reached, and the number of that tick.
    #[must_use]
    pub fn last(&self, node: NodeId) -> Option<(Status, u64)> {
        *self.last.get(node.0 as usize)?
    }

    /// The number of the latest tick recorded.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// The leaf that decided the latest tick: see [`TickReport::deciding_leaf`].
    #[must_use]
    pub fn deciding(&self) -> Option<NodeId> {
        self.report.deciding_leaf()
    }

    /// The label of the deciding leaf.
    #[must_use]
    pub fn deciding_label<'d>(&self, def: &'d Def) -> Option<&'d str> {
        self.deciding().map(|id| def.node(id).label())
    }

    /// The nodes from the root to the deciding leaf; empty before the first tick.
    #[must_use]
    pub fn path(&self) -> Vec<NodeId> {
        let above = |n: &NodeId| {
            let parent = *self.parents.get(n.0 as usize)?;
            (parent != *n).then_some(parent)
        };
        let mut path: Vec<_> = core::iter::successors(self.deciding(), above).collect();
        path.reverse();
        path
    }
}

impl Trace for Watch {
    fn enter(&mut self, node: NodeId) {
        self.report.enter(node);
    }

    fn leave(&mut self, node: NodeId, status: Status) {
        if let Some(last) = self.last.get_mut(node.0 as usize) {
            *last = Some((status, self.tick));
        }
        self.report.leave(node, status);
    }

    fn halted(&mut self, node: NodeId) {
        Trace::halted(&mut self.report, node);
    }

    fn decided(&mut self, node: NodeId, child: NodeId) {
        self.report.decided(node, child);
    }

    fn keys(&mut self, node: Option<NodeId>, keys: &dyn KeyView) {
        Trace::keys(&mut self.report, node, keys);
    }
}
