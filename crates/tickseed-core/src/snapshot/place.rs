//! Putting a snapshot's nodes into a tree.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::{NodeState, Snapshot, labels, shape};
use crate::compile::{Info, Yield, lay_out};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::nodes::Flow;
use crate::run::{put, put_deadline};
use crate::time::{Deadline, Time};
use crate::tree::Tree;

/// What changed when an agent was taken over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// By path in the snapshot, in depth-first order.
    pub changes: Vec<(String, Change)>,
    /// Where ticks resume: nodes of the former tree, and of this one.
    pub(crate) kept: Vec<(NodeId, NodeId)>,
}

impl Report {
    /// Whether anything that was running does not go on.
    pub(crate) fn loses(&self) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|(_, change)| *change == Change::Restarted)
    }

    /// Whether everything stayed as it was.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (path, change)) in self.changes.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            change.tell(path, f)?;
        }
        Ok(())
    }
}

/// What became of a node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Change {
    /// It has another path and goes on there.
    Moved {
        /// The path.
        to: String,
    },
    /// It was running and is gone, or has a form in which it cannot go on.
    Restarted,
    /// It had a history and is gone.
    Dropped,
    /// Its history does not fit its new form.
    Reset,
    /// It is still running, but its boxed state is lost: it starts again.
    Boxed,
}

impl Change {
    pub(crate) fn tell(&self, path: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Moved { to } => write!(f, "{path} is now {to}"),
            Change::Restarted => write!(
                f,
                "{path} ran and cannot go on: what it was part of starts again"
            ),
            Change::Dropped => write!(f, "{path} is gone, and its history with it"),
            Change::Reset => write!(
                f,
                "{path} has a history of another form now: it is forgotten"
            ),
            Change::Boxed => write!(
                f,
                "{path} starts again: its state is not part of a snapshot"
            ),
        }
    }
}

/// Kinds that differ only in how they go through their children count as the same.
fn family(kind: &str) -> &str {
    ["sequence", "selector"]
        .into_iter()
        .find(|f| kind.contains(f))
        .unwrap_or(kind)
}

/// A tree into which agents are put, with what each of them needs.
pub(crate) struct Target<'t, C: Context> {
    tree: &'t Tree<C>,
    infos: Vec<Info>,
    yields: BTreeMap<NodeId, Yield>,
    paths: Vec<String>,
    /// By path, and by name.
    at: BTreeMap<String, NodeId>,
    named: BTreeMap<&'t str, Vec<NodeId>>,
}

impl<'t, C: Context> Target<'t, C> {
    pub(crate) fn new(tree: &'t Tree<C>) -> Self {
        let mut named: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for (id, node) in tree.def.iter() {
            if let Some(name) = node.name.as_deref() {
                named.entry(name).or_default().push(id);
            }
        }
        let paths = tree.def.paths();
        Target {
            tree,
            infos: lay_out(&tree.def, &tree.funcs).infos,
            yields: (0..)
                .zip(&tree.program.yields)
                .map(|(y, info)| (info.node, y))
                .collect(),
            at: paths.iter().cloned().zip((0..).map(NodeId)).collect(),
            paths,
            named,
        }
    }

    pub(super) fn tree(&self) -> &'t Tree<C> {
        self.tree
    }

    /// Where the node keeps its boxed state.
    pub(crate) fn side(&self, id: NodeId) -> usize {
        self.infos[id.index()].side as usize
    }
}

struct Placing<'p, C: Context> {
    target: &'p Target<'p, C>,
    tree: &'p Tree<C>,
    snapshot: &'p Snapshot,
    /// Each of the snapshot's nodes in this tree.
    found: &'p [Option<NodeId>],
    /// Each of this tree's nodes in the snapshot.
    before: &'p [Option<usize>],
    now: Time,
    mem: &'p mut [u8],
    /// The snapshot's nodes at which ticks go on.
    kept: Vec<usize>,
}

pub(crate) fn restore<C: Context>(
    target: &Target<'_, C>,
    snapshot: &Snapshot,
    now: Time,
    mem: &mut [u8],
) -> Report {
    let tree = target.tree;
    let found = find(target, snapshot);
    let mut before = vec![None; tree.def.len()];
    for (i, node) in found.iter().enumerate() {
        if let Some(node) = node {
            before[node.index()] = Some(i);
        }
    }
    let mut placing = Placing {
        target,
        tree,
        snapshot,
        found: &found,
        before: &before,
        now,
        mem,
        kept: Vec::new(),
    };
    placing.thread(0, NodeId::ROOT);
    let mut report = Report::default();
    for (i, node) in snapshot.nodes.iter().enumerate() {
        let mut say = |change| report.changes.push((node.path.clone(), change));
        if node.resumes && !placing.kept.contains(&i) {
            say(Change::Restarted);
        }
        let Some(id) = found[i] else {
            if !node.history.is_empty() {
                say(Change::Dropped);
            }
            continue;
        };
        let path = &target.paths[id.index()];
        if *path != node.path {
            say(Change::Moved { to: path.clone() });
        }
        if !node.history.is_empty() {
            let info = &target.infos[id.index()];
            let fields = shape::history(&tree.def, info, id);
            if !placing.write(&fields, info.history, node, id, &node.history) {
                say(Change::Reset);
            }
        }
        let boxed = matches!(tree.def.node(id).kind, Kind::Leaf { boxed: true, .. });
        if boxed && placing.kept.contains(&i) {
            say(Change::Boxed);
        }
    }
    let kept = placing.kept.iter();
    report.kept = kept
        .filter_map(|&i| Some((NodeId(snapshot.nodes[i].node), found[i]?)))
        .collect();
    report
}

/// Finds the snapshot's nodes in a tree, by path or else by a unique name.
fn find<C: Context>(target: &Target<'_, C>, snapshot: &Snapshot) -> Vec<Option<NodeId>> {
    let (tree, paths, names) = (target.tree, &target.at, &target.named);
    let fits =
        |id: NodeId, node: &NodeState| family(tree.def.node(id).kind.name()) == family(&node.kind);
    let by_path = snapshot
        .nodes
        .iter()
        .map(|node| paths.get(&node.path).copied().filter(|id| fits(*id, node)));
    let mut found: Vec<Option<NodeId>> = by_path.collect();
    for (i, node) in snapshot.nodes.iter().enumerate() {
        let Some(name) = node.name.as_deref() else {
            continue;
        };
        let twins = snapshot
            .nodes
            .iter()
            .filter(|n| n.name.as_deref() == Some(name));
        if found[i].is_none()
            && twins.count() == 1
            && let Some(&[id]) = names.get(name).map(Vec::as_slice)
            && fits(id, node)
            && !found.contains(&Some(id))
        {
            found[i] = Some(id);
        }
    }
    found
}

impl<C: Context> Placing<'_, C> {
    fn write(
        &mut self,
        fields: &[shape::Field],
        slot: u32,
        before: &NodeState,
        id: NodeId,
        values: &[shape::Value],
    ) -> bool {
        let now = labels(&self.tree.def, id);
        let child = |then: u32| {
            let label = before.children.get(then as usize)?;
            now.iter().position(|l| l == label).map(|i| i as u32)
        };
        shape::write(fields, self.mem, slot, values, &child)
    }

    /// Where the thread of a node begins.
    fn thread_root(&self, node: NodeId) -> NodeId {
        let def = &self.tree.def;
        core::iter::once(node)
            .chain(def.ancestors(node))
            .find(|n| match def.node(*n).parent {
                Some(p) => matches!(def.node(p).kind, Kind::Parallel(_) | Kind::Custom(_)),
                None => true,
            })
            .unwrap_or(NodeId::ROOT)
    }

    /// Brings a thread to where one of the snapshot's nodes resumes, if there is one.
    fn thread(&mut self, thread: u32, root: NodeId) {
        let resumes = self.snapshot.nodes.iter().enumerate();
        let here = resumes
            .filter(|(_, n)| n.resumes)
            .filter_map(|(i, _)| Some((i, self.found[i]?)))
            .find(|(_, node)| self.thread_root(*node) == root);
        let Some((index, node)) = here else { return };
        let Some(&y) = self.target.yields.get(&node) else {
            return;
        };
        if !self.enter(node, node) {
            return;
        }
        let mut below = node;
        while below != root {
            let Some(up) = self.tree.def.node(below).parent else {
                break;
            };
            if !self.enter(up, below) {
                return;
            }
            below = up;
        }
        let t = self.tree.program.threads[thread as usize];
        put(self.mem, t.slot, t.width, y - t.lo + 1);
        self.kept.push(index);
        if let Some((first, _)) = self.tree.threads_at(y) {
            let children = &self.tree.def.node(node).children;
            for (t, &child) in (first..).zip(children) {
                self.thread(t, child);
            }
        }
    }

    /// Makes a node active: as it was, or as if just entered for `child`.
    fn enter(&mut self, id: NodeId, child: NodeId) -> bool {
        let def = &self.tree.def;
        let info = &self.target.infos[id.index()];
        let fields = shape::state(def, info, id);
        let snapshot = self.snapshot;
        let before = self.before[id.index()].map(|i| &snapshot.nodes[i]);
        let same = |n: &NodeState| {
            !matches!(def.node(id).kind, Kind::Custom(_)) || n.children == labels(def, id)
        };
        if let Some(before) = before.filter(|n| n.active) {
            let fits = same(before) && self.write(&fields, info.slot, before, id, &before.state);
            // How it goes through its children may have changed.
            if fits || before.resumes {
                return fits;
            }
        }
        let slot = info.slot;
        match &def.node(id).kind {
            Kind::TimeLimit(t) => put_deadline(self.mem, slot, Deadline::after(self.now, t.limit)),
            Kind::Utility(_) if info.own > 0 => {
                put_deadline(self.mem, slot, Deadline::after(self.now, 0));
            }
            Kind::Sequence(Flow::Random { .. }) | Kind::Selector(Flow::Random { .. }) => {
                let place = def.node(id).children.iter().position(|c| *c == child);
                let place = place.unwrap_or(0) as u32;
                let bits = slot + info.own - (def.node(id).children.len() as u32).div_ceil(8);
                self.mem[(bits + place / 8) as usize] |= 1 << (place % 8);
            }
            // Their rounds, threads and states cannot be invented.
            Kind::ForEach(_) | Kind::Parallel(_) | Kind::Custom(_) => return false,
            // A tick cannot resume at a leaf that was not active.
            kind if kind.is_leaf() => return false,
            _ => {}
        }
        true
    }
}
