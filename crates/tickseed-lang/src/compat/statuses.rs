//! The status of every node as BehaviorTree.CPP stores it, derived from traced ticks.
//!
//! The engine stores no status for nodes that are not running. The reference does: a child that
//! succeeded keeps that status until its parent resets it, at a time that depends on the kind of
//! the parent.

use tickseed_core::{NodeId, Status, Trace};

use crate::board::{Board, HasBoard};
use crate::build::Loaded;
use crate::registry::Model;

/// A node's status in the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeStatus {
    /// Not started, or reset.
    #[default]
    Idle = 0,
    /// Running.
    Running = 1,
    /// Succeeded, not reset yet.
    Success = 2,
    /// Failed, not reset yet.
    Failure = 3,
    /// Skipped. Never kept by a node; a tree can answer it.
    Skipped = 4,
}

impl From<Status> for NodeStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Success => NodeStatus::Success,
            Status::Failure => NodeStatus::Failure,
            Status::Running => NodeStatus::Running,
            Status::Skipped => NodeStatus::Skipped,
        }
    }
}

impl std::fmt::Display for NodeStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            NodeStatus::Idle => "IDLE",
            NodeStatus::Running => "RUNNING",
            NodeStatus::Success => "SUCCESS",
            NodeStatus::Failure => "FAILURE",
            NodeStatus::Skipped => "SKIPPED",
        })
    }
}

/// What a node does to its own status and to its children's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusRole {
    /// A leaf.
    #[default]
    Leaf,
    /// Resets its child as soon as it has finished; runs from its first tick on.
    Decorator,
    /// As a decorator, but shows no status before its tick is over.
    LateDecorator,
    /// As a decorator, but a tick that does not reach its child leaves its status as it was.
    Once,
    /// As a decorator, but with an empty list it stays as it was.
    Loop,
    /// As a decorator, but its child is reset when it was skipped.
    Rounds,
    /// Resets all children when it finishes.
    Control,
    /// As a control, but children that were skipped are not reset.
    Parallel,
    /// As a control, but shows no status before its tick is over, and halts the branch it leaves.
    Switch,
    /// As a control, and while it runs all children but the running one are idle.
    Reactive,
    /// Resets children only from the one that failed on.
    Memory,
    /// As a control, but a condition that failed without an else branch is not reset.
    IfThenElse,
    /// As a control; halts the branch that it leaves.
    WhileDoElse,
    /// As a control; resets the children before the last when the last begins.
    TryCatch,
    /// Nav2's: two children of which the finished one is reset at once; idle after a skip.
    Alternating,
    /// Nav2's: as a control, but idle after a skip.
    RoundRobin,
    /// Nav2's: as a decorator; where its parent does not reset it, it runs while it waits.
    Waiting,
    /// Nav2's: resets all children when it finishes, but runs before only through its children.
    Pipeline,
}

impl StatusRole {
    /// The role of a kind of node.
    pub(crate) fn of(kind: &str) -> StatusRole {
        match kind {
            "ReactiveSequence" | "ReactiveFallback" => StatusRole::Reactive,
            "SequenceWithMemory" => StatusRole::Memory,
            "IfThenElse" => StatusRole::IfThenElse,
            "WhileDoElse" => StatusRole::WhileDoElse,
            "TryCatch" => StatusRole::TryCatch,
            "RecoveryNode" => StatusRole::Alternating,
            "RoundRobin" => StatusRole::RoundRobin,
            "RateController"
            | "DistanceController"
            | "SpeedController"
            | "GoalUpdatedController" => StatusRole::Waiting,
            "PipelineSequence" | "NonblockingSequence" => StatusRole::Pipeline,
            "Precondition" | "SkipUnlessUpdated" | "WaitValueUpdate" => StatusRole::LateDecorator,
            "RunOnce" => StatusRole::Once,
            "LoopInt" | "LoopBool" | "LoopDouble" | "LoopString" => StatusRole::Loop,
            "Repeat" | "RetryUntilSuccessful" => StatusRole::Rounds,
            "Parallel" | "ParallelAll" => StatusRole::Parallel,
            kind if kind.starts_with("Switch") => StatusRole::Switch,
            kind => match super::models::model(kind).map(|model| model.category) {
                Some(crate::model::Category::Control) => StatusRole::Control,
                Some(crate::model::Category::Decorator) => StatusRole::Decorator,
                _ => StatusRole::Leaf,
            },
        }
    }

    /// Whether it shows that it runs before it ticks its children, and so goes on showing it when it was
    /// skipped, as nothing is stored then.
    pub(crate) fn stays_running_when_skipped(self) -> bool {
        use StatusRole as R;
        matches!(
            self,
            R::Decorator
                | R::Loop
                | R::Rounds
                | R::Control
                | R::Parallel
                | R::Reactive
                | R::Memory
                | R::IfThenElse
                | R::TryCatch
        )
    }

    pub(crate) fn of_model(model: &Model) -> StatusRole {
        match model.category {
            crate::model::Category::Control => StatusRole::Control,
            crate::model::Category::Decorator => StatusRole::Decorator,
            _ => StatusRole::Leaf,
        }
    }
}

/// One written node, as far as statuses are concerned.
#[derive(Debug, Default)]
struct Entry {
    status: NodeStatus,
    role: StatusRole,
    children: Vec<usize>,
    parent: Option<usize>,
    /// The child that was ticked last, and whether one was ticked in this tick.
    last: Option<usize>,
    ticked: bool,
    /// Its last tick ended in a skip.
    skipped: bool,
    /// Its parent has reached it in the parent's present tick.
    entered: bool,
    /// Its status before its present tick.
    before: NodeStatus,
}

/// The place of an engine node in a written one.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    instance: usize,
    /// It is the outermost engine node of the written one.
    outer: bool,
    /// It is the node itself, inside its hooks.
    inner: bool,
}

/// Follows traced ticks of a tree that was loaded with
/// [`every_node`](crate::build::Options::every_node).
#[derive(Debug)]
pub struct Statuses {
    entries: Vec<Entry>,
    parts: Vec<Option<Part>>,
    fault: std::sync::Arc<std::sync::atomic::AtomicBool>,
    /// Engine nodes entered and not left.
    open: Vec<usize>,
}

impl Statuses {
    /// All nodes idle. `board` is the agent's: errors that it keeps stop a tick.
    #[must_use]
    pub fn new<C: HasBoard>(loaded: &Loaded<C>, board: &Board) -> Self {
        let mut entries: Vec<Entry> = (loaded.instances.iter())
            .map(|instance| Entry {
                role: instance.role,
                parent: instance.parent,
                ..Entry::default()
            })
            .collect();
        for (i, instance) in loaded.instances.iter().enumerate() {
            if let Some(parent) = instance.parent {
                entries[parent].children.push(i);
            }
        }
        let def = loaded.tree.def();
        let mut parts = vec![None; def.len()];
        let mut inner = vec![None; entries.len()];
        for (id, node) in def.iter() {
            let Some(origin) = node.origin else { continue };
            let instance = origin as usize;
            parts[id.0 as usize] = Some(Part {
                instance,
                outer: inner[instance].is_none(),
                inner: false,
            });
            inner[instance] = Some(id.0 as usize);
        }
        for part in inner.into_iter().flatten() {
            if let Some(part) = &mut parts[part] {
                part.inner = true;
            }
        }
        Statuses {
            entries,
            parts,
            fault: board.fault_flag(),
            open: Vec::new(),
        }
    }

    /// The status of a written node, by its number in [`Loaded::instances`].
    #[must_use]
    pub fn get(&self, instance: usize) -> NodeStatus {
        self.entries[instance].status
    }

    /// The tree's driver resets the root when the tree has finished.
    pub fn finished(&mut self) {
        if let Some(root) = self.entries.first_mut() {
            root.status = NodeStatus::Idle;
        }
        self.open.clear();
    }

    /// A node that said it runs though it must not shows that it does.
    pub(crate) fn runs(&mut self, instance: usize) {
        self.entries[instance].status = NodeStatus::Running;
    }

    /// A tick is over; an error may have left nodes open.
    pub fn tick_over(&mut self) {
        self.open.clear();
    }

    /// Halting the tree visits every node.
    pub fn halted_all(&mut self) {
        for entry in &mut self.entries {
            entry.status = NodeStatus::Idle;
        }
    }

    fn faulted(&self) -> bool {
        self.fault.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Halts a child if it runs, and makes it idle.
    fn reset(&mut self, node: usize) {
        if self.entries[node].status == NodeStatus::Running {
            let children = std::mem::take(&mut self.entries[node].children);
            children.iter().for_each(|&child| self.reset(child));
            self.entries[node].children = children;
        }
        self.entries[node].status = NodeStatus::Idle;
    }

    fn reset_where(&mut self, node: usize, which: impl Fn(usize, usize) -> bool) {
        let children = std::mem::take(&mut self.entries[node].children);
        for (i, &child) in children.iter().enumerate() {
            if which(i, child) {
                self.reset(child);
            }
        }
        self.entries[node].children = children;
    }

    /// What a node that ends its tick with a status does to its children.
    fn settle(&mut self, node: usize, status: Status) {
        use StatusRole as R;
        let entry = &self.entries[node];
        let (last, ticked) = (entry.last, entry.ticked);
        let at = last.and_then(|last| entry.children.iter().position(|c| *c == last));
        match (entry.role, status) {
            (R::Leaf, _) => {}
            (R::Rounds, Status::Skipped) => self.reset_where(node, |_, _| true),
            (R::Decorator | R::LateDecorator | R::Loop | R::Once | R::Rounds | R::Waiting, _) => {
                let child = entry.children.first().copied();
                if let Some(child) = child {
                    let finished = matches!(
                        self.entries[child].status,
                        NodeStatus::Success | NodeStatus::Failure
                    );
                    // A child that was not ticked now and still shows running was halted.
                    let stopped = status.is_verdict() && !ticked;
                    if finished || stopped || status.is_verdict() {
                        self.reset(child);
                    }
                }
            }
            (R::Reactive, Status::Running) => {
                self.reset_where(node, |_, child| Some(child) != last);
            }
            (R::Reactive, _) => self.reset_where(node, |_, _| true),
            (R::WhileDoElse | R::Switch, Status::Running) => {
                // All but the condition and the branch that was ticked are halted.
                let condition = matches!(self.entries[node].role, R::WhileDoElse);
                let waiting = condition && at == Some(0);
                self.reset_where(node, |i, child| {
                    !(condition && i == 0) && Some(child) != last && !waiting
                });
            }
            (R::Switch, Status::Skipped) => {
                self.reset_where(node, |_, child| Some(child) != last);
            }
            (R::WhileDoElse, _) => self.reset_where(node, |_, _| true),
            (R::Memory, Status::Failure) => {
                let from = at.unwrap_or(0);
                self.reset_where(node, |i, _| i >= from);
            }
            (R::IfThenElse, Status::Failure) if at == Some(0) => {}
            (R::TryCatch, Status::Running)
                if at.map(|at| at + 1) == Some(self.entries[node].children.len()) =>
            {
                self.reset_where(node, |_, child| Some(child) != last);
            }
            (R::Alternating, Status::Running) => {
                self.reset_where(node, |_, child| Some(child) != last);
            }
            (R::Pipeline, Status::Running) => {
                // All children that had their turn before were asked again, if only for their answer.
                for i in 0..self.entries[node].children.len() {
                    let child = self.entries[node].children[i];
                    let entry = &mut self.entries[child];
                    let finished =
                        matches!(entry.status, NodeStatus::Success | NodeStatus::Failure);
                    if entry.role == R::Waiting && finished && !entry.entered {
                        entry.status = NodeStatus::Running;
                    }
                }
            }
            (_, Status::Running) => {}
            (R::Parallel, Status::Skipped) => {}
            (_, _) => self.reset_where(node, |_, _| true),
        }
    }
}

impl Trace for Statuses {
    fn enter(&mut self, node: NodeId) {
        self.open.push(node.0 as usize);
        let Some(part) = self.parts[node.0 as usize] else {
            return;
        };
        if part.outer
            && let Some(parent) = self.entries[part.instance].parent
        {
            self.entries[parent].last = Some(part.instance);
            self.entries[parent].ticked = true;
            self.entries[part.instance].entered = true;
        }
        if part.inner {
            use StatusRole as R;
            let entry = &mut self.entries[part.instance];
            entry.ticked = false;
            entry.before = entry.status;
            if entry.role == R::Pipeline {
                for i in 0..self.entries[part.instance].children.len() {
                    let child = self.entries[part.instance].children[i];
                    self.entries[child].entered = false;
                }
            }
            let entry = &mut self.entries[part.instance];
            if !matches!(
                entry.role,
                R::Leaf | R::LateDecorator | R::Switch | R::Pipeline
            ) && !self.faulted()
            {
                self.entries[part.instance].status = NodeStatus::Running;
            }
        }
    }

    fn leave(&mut self, node: NodeId, status: Status) {
        self.open.pop();
        let Some(part) = self.parts[node.0 as usize] else {
            return;
        };
        // An exception passes through: nobody resets or keeps anything.
        if self.faulted() {
            // A node that fails before it ticks a child has not begun.
            let entry = &mut self.entries[part.instance];
            if part.inner && !entry.ticked {
                entry.status = entry.before;
            }
            // One that takes a skipped condition for an error has reset its children before.
            let condition = entry.children.first().copied();
            if part.inner
                && entry.role == StatusRole::WhileDoElse
                && entry.last == condition
                && condition.is_some_and(|child| self.entries[child].skipped)
            {
                self.reset_where(part.instance, |_, _| true);
            }
            return;
        }
        if part.inner {
            self.settle(part.instance, status);
            let entry = &mut self.entries[part.instance];
            if matches!(entry.role, StatusRole::Once | StatusRole::Loop) && !entry.ticked {
                entry.status = entry.before;
            }
            if status == Status::Skipped
                && matches!(entry.role, StatusRole::Alternating | StatusRole::RoundRobin)
            {
                entry.status = NodeStatus::Idle;
            }
        }
        if part.outer {
            // A guard that stopped a running node made it idle.
            if status == Status::Skipped
                && !part.inner
                && self.entries[part.instance].status == NodeStatus::Running
                && self.entries[part.instance].role == StatusRole::Leaf
            {
                self.reset(part.instance);
            }
            self.entries[part.instance].skipped = status == Status::Skipped;
            if status != Status::Skipped {
                self.entries[part.instance].status = status.into();
            }
        }
    }

    fn halted(&mut self, node: NodeId) {
        if let Some(part) = self.parts[node.0 as usize]
            && !self.faulted()
        {
            // What had finished below it is reset with it.
            self.reset_where(part.instance, |_, _| true);
            self.entries[part.instance].status = NodeStatus::Idle;
        }
    }
}
