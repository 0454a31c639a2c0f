//! What the watched agent's tree did: each node's latest status, and the deciding leaf.

use alloc::vec;
use alloc::vec::Vec;

use tickseed_core::{Def, NodeId, Status, Trace};

/// The part of every node in the latest ticks of the watched agent.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Each node's parent; the root is its own.
    parents: Vec<NodeId>,
    now: Vec<Option<Status>>,
    last: Vec<Option<(Status, u64)>>,
    /// The child that left last, or that a parallel named as deciding.
    chosen: Vec<Option<NodeId>>,
    named: Vec<bool>,
    halted: Vec<NodeId>,
    tick: u64,
}

impl Watch {
    /// A watch over a tree, nothing seen yet.
    #[must_use]
    pub fn new(def: &Def) -> Watch {
        let n = def.len();
        Watch {
            parents: def.iter().map(|(id, d)| d.parent.unwrap_or(id)).collect(),
            now: vec![None; n],
            last: vec![None; n],
            chosen: vec![None; n],
            named: vec![false; n],
            halted: Vec::new(),
            tick: 0,
        }
    }

    /// Begins the record of a tick.
    pub fn begin(&mut self, tick: u64) {
        self.tick = tick;
        self.now.fill(None);
        self.chosen.fill(None);
        self.named.fill(false);
        self.halted.clear();
    }

    /// The node's status in the latest tick; `None` if that tick did not reach it.
    #[must_use]
    pub fn status(&self, node: NodeId) -> Option<Status> {
        *self.now.get(node.0 as usize)?
    }

    /// The node's status when it was last reached, and in which tick that was.
    #[must_use]
    pub fn last(&self, node: NodeId) -> Option<(Status, u64)> {
        *self.last.get(node.0 as usize)?
    }

    /// What the latest tick halted, in order.
    #[must_use]
    pub fn halted(&self) -> &[NodeId] {
        &self.halted
    }

    /// The number of the latest tick recorded.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Whether a node stands on the path from the root to the deciding leaf.
    #[must_use]
    pub fn on_path(&self, node: NodeId) -> bool {
        self.path().any(|n| n == node)
    }

    /// The nodes from the root to the deciding leaf; empty before the first tick.
    pub fn path(&self) -> impl Iterator<Item = NodeId> + '_ {
        let root = self.status(NodeId::ROOT).map(|_| NodeId::ROOT);
        core::iter::successors(root, |n| self.chosen[n.0 as usize])
    }

    /// The leaf on which the latest tick stopped, or that a parallel named as deciding.
    #[must_use]
    pub fn deciding(&self) -> Option<NodeId> {
        self.path().last()
    }

    /// The label of the deciding leaf.
    #[must_use]
    pub fn deciding_label<'d>(&self, def: &'d Def) -> Option<&'d str> {
        self.deciding().map(|id| def.node(id).label())
    }
}

impl Trace for Watch {
    fn enter(&mut self, _node: NodeId) {}

    fn leave(&mut self, node: NodeId, status: Status) {
        let i = node.0 as usize;
        self.now[i] = Some(status);
        self.last[i] = Some((status, self.tick));
        let parent = self.parents[i];
        // A skipped child is passed over: it decides nothing.
        if parent != node && status != Status::Skipped && !self.named[parent.0 as usize] {
            self.chosen[parent.0 as usize] = Some(node);
        }
    }

    fn halted(&mut self, node: NodeId) {
        self.halted.push(node);
    }

    fn decided(&mut self, node: NodeId, child: NodeId) {
        self.chosen[node.0 as usize] = Some(child);
        self.named[node.0 as usize] = true;
    }
}
