//! Derives every node's answer from the leaves' answers, and the reverse.

use std::fmt;

use tickseed_core::{NodeId, TickReport, Trace};

use crate::message::{Status, Step, Tick, TreeDef};
use crate::predict::Frame;
use crate::structure::Structure;

/// Reports a recorded tick to a sink as a traced tick would have done: every ticked node with its
/// answer, which children decided, what was halted. Halts come last, since their position within
/// the tick is not recorded.
///
/// No other ticks are needed.
///
/// ```
/// use tickseed_core::{NodeId, Status, TickReport, Time, nodes};
/// use tickseed_record::{Structure, derive, message::Tick};
/// let n = nodes::<()>();
/// let tree = n.selector([
///     n.invert(n.succeed()),
///     n.sequence([n.succeed(), n.run_forever()]),
/// ]).build()?;
/// let mut report = TickReport::new();
/// tree.tick_traced(&mut tree.agent(), &mut (), Time::ZERO, &mut report).unwrap();
/// let structure = Structure::of(tree.def());
///
/// let mut tick = Tick::default();
/// tick.record(&structure, &report);
/// assert_eq!(tick.leaves.len(), 3);
/// assert!(tick.extra.is_empty());
///
/// let mut derived = TickReport::new();
/// derive(&structure, &tick, &mut derived)?;
/// assert_eq!(derived.entries(), report.entries());
/// assert_eq!(derived.status_of(NodeId(3)), Some(Status::Running));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The tick does not belong to this tree. What precedes the fault has been reported by then.
pub fn derive(tree: &Structure, tick: &Tick, sink: &mut dyn Trace) -> Result<(), NotOfThisTree> {
    let mut walk = Walk {
        tree,
        sink,
        stack: Vec::new(),
        decided: &tick.decided,
    };
    let mut extra = tick.extra.iter().peekable();
    let mut decisions = 0;
    let mut over = false;
    for (i, &(leaf, status)) in tick.leaves.iter().enumerate() {
        let refuse = |what| Err(NotOfThisTree { leaf: i, what });
        if over {
            return refuse("it comes after the tick has ended");
        }
        if !walk.enter(leaf) {
            return refuse("it does not stand below the node that goes on");
        }
        let Some(status) = status else {
            over = true;
            continue;
        };
        let (mut node, mut status) = (leaf, status);
        walk.leave(node, status);
        over = loop {
            let Some(frame) = walk.stack.last_mut() else {
                break true;
            };
            let place = tree.get(frame.node).zip(tree.get(node));
            let Some((place, child)) = place else {
                return refuse("there is no such node");
            };
            frame.note(child.nth, status);
            let next = tick.leaves.get(i + 1);
            let more = next.is_some_and(|n| tree.below(frame.node, n.0));
            let step = match extra.next_if(|(at, _)| *at == decisions) {
                Some((_, step)) => *step,
                None => frame.predict(place, more),
            };
            decisions += 1;
            match step {
                Step::GoOn if more => break false,
                Step::GoOn => return refuse("the node above goes on, but nothing below it does"),
                Step::Broke => break true,
                Step::Answer(answer) => {
                    (node, status) = (frame.node, answer);
                    walk.stack.pop();
                    walk.leave(node, status);
                }
            }
        };
    }
    if !over && !tick.leaves.is_empty() {
        let leaf = tick.leaves.len();
        let what = "the tick does not end";
        return Err(NotOfThisTree { leaf, what });
    }
    for &(node, child) in walk.decided {
        walk.sink.decided(NodeId(node), NodeId(child));
    }
    for &node in &tick.halted {
        sink.halted(NodeId(node));
    }
    Ok(())
}

/// A tick being reported.
struct Walk<'t> {
    tree: &'t Structure,
    sink: &'t mut dyn Trace,
    stack: Vec<Frame>,
    /// The decisions not reported yet.
    decided: &'t [(u32, u32)],
}

impl Walk<'_> {
    /// Enters a node that has no children or ticked none, and its ancestors up to the node that
    /// goes on. Returns whether it lies below that node.
    fn enter(&mut self, leaf: u32) -> bool {
        let top = self.stack.last().map(|f| f.node);
        let inside = match top {
            Some(top) => self.tree.below(top, leaf),
            None => (leaf as usize) < self.tree.len(),
        };
        if !inside {
            return false;
        }
        let from = self.stack.len();
        let mut at = self.tree.get(leaf).and_then(|n| n.parent);
        while let Some(node) = at.filter(|n| Some(*n) != top) {
            self.stack.push(Frame::new(node));
            at = self.tree.get(node).and_then(|n| n.parent);
        }
        self.stack[from..].reverse();
        for frame in &self.stack[from..] {
            self.sink.enter(NodeId(frame.node));
        }
        self.sink.enter(NodeId(leaf));
        true
    }

    fn leave(&mut self, node: u32, status: Status) {
        if let [(at, child), rest @ ..] = self.decided
            && *at == node
        {
            self.sink.decided(NodeId(node), NodeId(*child));
            self.decided = rest;
        }
        self.sink.leave(NodeId(node), status.into());
    }
}

impl Tick {
    /// Takes over a traced tick's answers, halts and decisions. Agent, number, time, keys, inputs
    /// and the text of a failure stay as they are.
    pub fn record(&mut self, tree: &Structure, report: &TickReport) {
        self.leaves.clear();
        self.extra.clear();
        self.nodes.clear();
        self.status = report.status().map(Status::from);
        self.deciding = report.deciding_leaf().map(|n| n.0);
        self.halted.clear();
        self.halted.extend(report.halted().iter().map(|n| n.0));
        self.decided.clear();
        let decided = report.decisions().iter().map(|(n, c)| (n.0, c.0));
        self.decided.extend(decided);
        let entries = report.entries();
        let mut stack: Vec<(Frame, usize)> = Vec::new();
        let mut decisions = 0;
        for (i, entry) in entries.iter().enumerate() {
            let next = entries.get(i + 1);
            if next.is_some_and(|n| n.depth > entry.depth) {
                stack.push((Frame::new(entry.node.0), i));
                continue;
            }
            self.leaves
                .push((entry.node.0, entry.status.map(Status::from)));
            // The next one that ticks no child.
            let mut after = i + 1;
            while entries
                .get(after + 1)
                .is_some_and(|n| n.depth > entries[after].depth)
            {
                after += 1;
            }
            let next_leaf = entries.get(after).map(|n| n.node.0);
            let (mut node, mut answer) = (entry.node.0, entry.status);
            while let Some((frame, at)) = stack.last_mut()
                && let Some(status) = answer
                && let Some((place, child)) = tree.get(frame.node).zip(tree.get(node))
            {
                frame.note(child.nth, status.into());
                let goes_on = next.is_some_and(|n| n.depth > entries[*at].depth);
                let step = match entries[*at].status {
                    _ if goes_on => Step::GoOn,
                    Some(status) => Step::Answer(status.into()),
                    None => Step::Broke,
                };
                let more = next_leaf.is_some_and(|n| tree.below(frame.node, n));
                if frame.predict(place, more) != step {
                    self.extra.push((decisions, step));
                }
                decisions += 1;
                if goes_on {
                    break;
                }
                (node, answer) = (frame.node, entries[*at].status);
                stack.pop();
            }
        }
    }

    /// Fills [`nodes`](Tick::nodes).
    ///
    /// # Errors
    /// The tick does not belong to this tree.
    pub fn derive_nodes(&mut self, tree: &Structure) -> Result<(), NotOfThisTree> {
        let mut report = TickReport::new();
        derive(tree, self, &mut report)?;
        let entries = report.entries().iter();
        self.nodes = entries
            .map(|e| (e.node.0, e.status.map(Status::from)))
            .collect();
        Ok(())
    }
}

/// The indexes of a tick's [`nodes`](Tick::nodes) in the order in which they answered. The nodes
/// are listed in the order of entering; one is inside another if it is deeper and comes later.
///
/// ```
/// use tickseed_core::nodes;
/// use tickseed_record::{answering_order, message::TreeDef};
/// let n = nodes::<()>();
/// let tree = n.selector([n.sequence([n.fail(), n.succeed()]), n.succeed()]).build()?;
/// let def = TreeDef::new(0, "t", tree.def());
/// let entered = [(0, None), (1, None), (2, None), (4, None)];
/// assert_eq!(answering_order(&def, &entered), [2, 1, 3, 0]);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
#[must_use]
pub fn answering_order(def: &TreeDef, entered: &[(u32, Option<Status>)]) -> Vec<usize> {
    let depth = |i: usize| def.upwards(entered[i].0).count();
    let mut order = Vec::with_capacity(entered.len());
    let mut open: Vec<usize> = Vec::new();
    for i in 0..entered.len() {
        while let Some(done) = open.pop_if(|at| depth(*at) >= depth(i)) {
            order.push(done);
        }
        open.push(i);
    }
    order.extend(open.into_iter().rev());
    order
}

/// A tick that cannot belong to the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotOfThisTree {
    /// Which of the tick's leaves, counted from 0.
    pub leaf: usize,
    what: &'static str,
}

impl fmt::Display for NotOfThisTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotOfThisTree { leaf, what } = self;
        write!(f, "the tick is not one of this tree: answer {leaf}: {what}")
    }
}

impl std::error::Error for NotOfThisTree {}
