//! The result of one tick as a tree: which nodes were ticked, in what order, with what answers.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::def::{Def, NodeId};
use crate::key::{KeyId, Scalar};
use crate::status::Status;
use crate::trace::{KeyView, Trace};

/// What one traced tick did. A report can be reused: [`clear`](TickReport::clear) keeps its memory.
///
/// ```
/// use tickseed_core::{Status, TickReport, Time, nodes};
/// let n = nodes::<()>();
/// let tree = n.selector([
///     n.sequence([n.succeed(), n.fail().named("armed")]),
///     n.parallel([n.action("strafe", |_| Status::Running), n.fail().named("shoot")]),
/// ]).build().unwrap();
/// let mut report = TickReport::new();
/// tree.tick_traced(&mut tree.agent(), &mut (), Time::ZERO, &mut report).unwrap();
/// assert_eq!(report.show(tree.def()).to_string(), "\
/// selector: failure
///   sequence: failure
///     succeed: success
///     fail \"armed\": failure
///   parallel: failure
///     action \"strafe\": running
///     fail \"shoot\": failure <- decided
/// halted: selector/parallel/strafe
/// ");
/// ```
#[derive(Clone, Default, Debug)]
pub struct TickReport {
    entries: Vec<Entry>,
    open: Vec<usize>,
    halted: Vec<NodeId>,
    decided: Vec<(NodeId, NodeId)>,
    /// The keys as last shown.
    keys: Vec<Option<Scalar>>,
    writes: Vec<(KeyId, NodeId)>,
}

/// One ticked node of a [`TickReport`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The node.
    pub node: NodeId,
    /// Its answer; `None` if a leaf below failed with an error.
    pub status: Option<Status>,
    /// Its depth in the tree.
    pub depth: u32,
}

impl Trace for TickReport {
    fn enter(&mut self, node: NodeId) {
        self.open.push(self.entries.len());
        self.entries.push(Entry {
            node,
            status: None,
            depth: (self.open.len() - 1) as u32,
        });
    }

    fn leave(&mut self, node: NodeId, status: Status) {
        // A node that is ended by a time limit, for example, is left without having been entered in
        // this tick.
        let own = self.open.last().copied();
        match own.and_then(|i| self.entries.get_mut(i)) {
            Some(entry) if entry.node == node => {
                entry.status = Some(status);
                self.open.pop();
            }
            _ => {}
        }
    }

    fn halted(&mut self, node: NodeId) {
        self.halted.push(node);
    }

    fn decided(&mut self, node: NodeId, child: NodeId) {
        self.decided.push((node, child));
    }

    fn keys(&mut self, node: Option<NodeId>, keys: &dyn KeyView) {
        let ids = (0..keys.count()).chain((0..keys.own()).map(|i| KeyId::OWN | i));
        let count = usize::from(keys.count()) + usize::from(keys.own());
        self.keys.resize(count, None);
        for (key, known) in ids.map(KeyId).zip(&mut self.keys) {
            let now = keys.read(key);
            if same(*known, now) {
                continue;
            }
            *known = now;
            if let Some(node) = node {
                self.writes.push((key, node));
            }
        }
    }
}

/// Compares bit for bit, so that NaN equals itself.
fn same(a: Option<Scalar>, b: Option<Scalar>) -> bool {
    match (a, b) {
        (Some(Scalar::Float(a)), Some(Scalar::Float(b))) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}

impl TickReport {
    /// An empty report.
    #[must_use]
    pub fn new() -> TickReport {
        TickReport::default()
    }

    /// Forgets everything; call it before each tick.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.open.clear();
        self.halted.clear();
        self.decided.clear();
        self.writes.clear();
    }

    /// The ticked nodes in the order of entering. A node's children come right after it, one level
    /// deeper. A node that a loop ran several times appears several times.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was halted, in order: running leaves and nodes whose halt is visible.
    #[must_use]
    pub fn halted(&self) -> &[NodeId] {
        &self.halted
    }

    /// For nodes that tick several children at once, the child that decided: pairs of node and
    /// child, in the order in which the nodes answered.
    #[must_use]
    pub fn decisions(&self) -> &[(NodeId, NodeId)] {
        &self.decided
    }

    /// Which node changed which key, in order; a key that was changed several times appears several
    /// times. Writing the value that a key already has does not count.
    #[must_use]
    pub fn writes(&self) -> &[(KeyId, NodeId)] {
        &self.writes
    }

    /// The node that last changed the key in this tick.
    #[must_use]
    pub fn writer(&self, key: KeyId) -> Option<NodeId> {
        let mut writes = self.writes.iter().rev();
        writes.find(|(k, _)| *k == key).map(|(_, node)| *node)
    }

    /// The tree's answer; `None` before a tick, or if a leaf failed with an error.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.entries.first().and_then(|e| e.status)
    }

    /// The last answer of a node in this tick; `None` if it was not ticked.
    #[must_use]
    pub fn status_of(&self, node: NodeId) -> Option<Status> {
        self.entries.iter().rev().find(|e| e.node == node)?.status
    }

    /// The node that decided the answer, found from the root down: in a composite, the last child
    /// that was not skipped, which is where it stopped; in a node that ticks several children at
    /// once, the child that decided (a parallel that fails because its first child failed is
    /// decided by that child, not by the last). The result is a leaf, or a decorator that answered
    /// without ticking its child. `None` before a tick.
    ///
    /// A parallel may be decided by a child that finished in an earlier tick: then the result is
    /// that child, although it was not ticked in this tick.
    #[must_use]
    pub fn deciding_leaf(&self) -> Option<NodeId> {
        self.deciding().map(|(node, _)| node)
    }

    /// The deciding leaf and its index among the entries.
    fn deciding(&self) -> Option<(NodeId, Option<usize>)> {
        let mut at = 0;
        let mut node = self.entries.first()?.node;
        loop {
            let chosen = self.decided.iter().rev().find(|(n, _)| *n == node);
            let depth = self.entries[at].depth;
            let inside = self.entries[at + 1..]
                .iter()
                .take_while(|e| e.depth > depth)
                .count();
            let mut children = (at + 1..=at + inside)
                .filter(|&i| self.entries[i].depth == depth + 1)
                .rev();
            let next = match chosen {
                Some((_, child)) => match children.find(|&i| self.entries[i].node == *child) {
                    Some(i) => Some(i),
                    None => return Some((*child, None)),
                },
                None => {
                    let last = children.clone().next();
                    children
                        .find(|&i| self.entries[i].status != Some(Status::Skipped))
                        .or(last)
                }
            };
            match next {
                Some(i) => (at, node) = (i, self.entries[i].node),
                None => return Some((node, Some(at))),
            }
        }
    }

    /// The report as indented text, with the names of the tree that was ticked.
    #[must_use]
    pub fn show<'r>(&'r self, def: &'r Def) -> impl fmt::Display + 'r {
        Shown { report: self, def }
    }
}

struct Shown<'r> {
    report: &'r TickReport,
    def: &'r Def,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decided = self.report.deciding().and_then(|(_, at)| at);
        for (i, entry) in self.report.entries.iter().enumerate() {
            let node = self.def.node(entry.node);
            write!(
                f,
                "{:1$}{2}",
                "",
                2 * entry.depth as usize,
                node.kind.name()
            )?;
            if let Some(name) = &node.name {
                write!(f, " {name:?}")?;
            }
            match entry.status {
                Some(status) => write!(f, ": {status}")?,
                None => f.write_str(": error")?,
            }
            let mark = if decided == Some(i) {
                " <- decided"
            } else {
                ""
            };
            writeln!(f, "{mark}")?;
        }
        if !self.report.halted.is_empty() {
            let paths: Vec<String> = self
                .report
                .halted
                .iter()
                .map(|n| self.def.path(*n))
                .collect();
            writeln!(f, "halted: {}", paths.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::{Decide, Threshold};
    use crate::{Node, Time, Tree, nodes};
    use alloc::string::ToString;
    use core::time::Duration;

    fn tick(tree: &Tree<()>, agent: &mut crate::Agent, ms: u64) -> TickReport {
        let mut report = TickReport::new();
        tree.tick_traced(agent, &mut (), Time::from_millis(ms), &mut report)
            .unwrap();
        report
    }

    /// The deciding leaf's label in each of some ticks 100 ms apart.
    #[track_caller]
    fn decides(root: Node<()>, expected: &[&str]) {
        let tree = root.build().unwrap();
        let mut agent = tree.agent();
        for (i, expected) in expected.iter().enumerate() {
            let report = tick(&tree, &mut agent, 100 * i as u64);
            let leaf = report.deciding_leaf().unwrap();
            assert_eq!(tree.node(leaf).label(), *expected, "tick {i}");
        }
    }

    #[test]
    fn parallels_name_the_child_that_decided_not_the_last_one() {
        let n = nodes::<()>();
        let (s, f, r) = (
            n.succeed().named("s"),
            n.fail().named("f"),
            n.run_forever().named("r"),
        );
        decides(n.parallel([f, s, r]), &["f"]);
        let one = |p: Node<()>| p.success(Threshold::Count(1)).failure(Threshold::All);
        let (s, f, r) = (
            n.succeed().named("s"),
            n.fail().named("f"),
            n.run_forever().named("r"),
        );
        decides(one(n.parallel([r, s, f])), &["s"]);
        // Still running: the first that runs.
        let (s, r) = (n.succeed().named("s"), n.run_forever().named("r"));
        decides(n.parallel([s, n.invert(r)]), &["r", "r"]);
    }

    #[test]
    fn a_child_that_finished_earlier_can_decide_later() {
        let n = nodes::<()>();
        let wait = n.wait(Duration::from_millis(100)).named("w");
        let two = n
            .parallel([n.fail().named("early"), n.invert(wait)])
            .failure(Threshold::Count(2));
        decides(two, &["w", "w"]);
        let n = nodes::<()>();
        let wait = n.wait(Duration::from_millis(100)).named("w");
        let all = n
            .parallel([wait, n.succeed().named("early")])
            .decide(Decide::AfterAll);
        decides(all, &["w", "early"]);
    }

    #[test]
    fn composites_stop_on_their_last_child_that_was_not_skipped() {
        let n = nodes::<()>();
        decides(
            n.sequence([n.succeed().named("a"), n.constant(Status::Skipped)]),
            &["a"],
        );
        decides(
            n.selector([
                n.fail().named("a"),
                n.sequence([n.fail().named("b"), n.succeed()]),
            ]),
            &["b"],
        );
        // A limit that was reached has no child to blame.
        decides(
            n.time_limit(Duration::from_millis(100), n.run_forever())
                .named("limit"),
            &["run", "limit"],
        );
    }

    #[test]
    fn reports_hold_rounds_of_a_loop_and_can_be_reused() {
        let n = nodes::<()>();
        let tree = n.repeat(3, n.succeed()).drain(2).build().unwrap();
        let mut agent = tree.agent();
        let mut report = tick(&tree, &mut agent, 0);
        assert_eq!(
            report.show(tree.def()).to_string(),
            "repeat: running\n  succeed: success\n  succeed: success <- decided\n"
        );
        assert_eq!(report.status(), Some(Status::Running));
        report.clear();
        assert_eq!((report.status(), report.deciding_leaf()), (None, None));
        tree.tick_traced(&mut agent, &mut (), Time::ZERO, &mut report)
            .unwrap();
        assert_eq!(report.status(), Some(Status::Success));
        assert_eq!(report.status_of(NodeId(1)), Some(Status::Success));
        assert_eq!(report.entries().len(), 2);
    }
}
