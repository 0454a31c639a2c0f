//! Why a node was or was not ticked, and why it answered as it did.

use std::fmt;

use serde::{Deserialize, Serialize};
use tickseed_core::{NodeId, TickReport};

use crate::derive::derive;
use crate::message::{KeyChange, NodeInfo, Outside, Rule, Status, Tick, TreeDef, Writer};
use crate::structure::Structure;

/// The chain of reasons, nearest first. Each follows from the one after it; the last one needs no
/// reason. If that is an action in a sequence, it is followed by the conditions that the sequence
/// had asked before, since they are why the action had its turn. Finally, nearest first, come the
/// reasons why the ticked node itself had its turn: what sequences above it had asked, and what had
/// failed in selectors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Why {
    /// The node that was asked about.
    pub node: u32,
    /// Whether it was ticked.
    pub ticked: bool,
    /// Its last answer in the tick; `None` also if a leaf below it failed with an error.
    pub status: Option<Status>,
    /// The reasons.
    pub reasons: Vec<Reason>,
}

/// One link of a chain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// The node it is about.
    pub node: u32,
    /// What about it.
    pub what: What,
    /// The same in words.
    pub text: String,
}

/// What happened to a node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum What {
    /// An ancestor did something else.
    Passed {
        /// The ancestor that was ticked.
        by: u32,
        /// What that ticked instead, if anything.
        instead: Option<u32>,
    },
    /// It, or what ran below it, was halted.
    Halted,
    /// It answered what this child answered, or what follows from that.
    Child {
        /// Which child.
        child: u32,
        /// Its answer.
        status: Option<Status>,
    },
    /// It answered by itself.
    Own {
        /// The keys it reads, as far as known, with their values after the tick.
        keys: Vec<u32>,
    },
    /// It failed with an error.
    Failed,
    /// The tree was not ticked.
    NoTick,
}

/// A question that has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoAnswer(String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoAnswer {}

/// Explains why a node was or was not ticked, and why it answered as it did. The tick should hold
/// all keys, as [`Recording::tick`](crate::Recording::tick) returns them.
///
/// ```
/// use tickseed_core::{TickReport, Time, nodes};
/// use tickseed_record::{Structure, message::{Tick, TreeDef}, why};
/// let n = nodes::<()>();
/// let tree = n.selector([
///     n.sequence([n.fail().named("battery low"), n.run_forever().named("recharge")]),
///     n.run_forever().named("patrol"),
/// ]).build()?;
/// let def = TreeDef::new(0, "robot", tree.def());
/// let mut report = TickReport::new();
/// tree.tick_traced(&mut tree.agent(), &mut (), Time::ZERO, &mut report)?;
/// let mut tick = Tick::default();
/// tick.record(&Structure::new(&def)?, &report);
///
/// let recharge = why(&def, &tick, 3)?;
/// assert!(!recharge.ticked);
/// let texts: Vec<_> = recharge.reasons.iter().map(|r| r.text.as_str()).collect();
/// assert_eq!(texts, [
///     "`recharge` was not ticked: `sequence` stopped at `battery low`, which answered failure",
///     "`battery low` answered failure of its own",
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// There is no such node, or the tick does not belong to this tree.
pub fn why(def: &TreeDef, tick: &Tick, node: u32) -> Result<Why, NoAnswer> {
    if node as usize >= def.nodes.len() {
        let nodes = def.nodes.len();
        return Err(NoAnswer(format!(
            "no node {node}: the tree has {nodes}, counted from 0"
        )));
    }
    let structure = Structure::new(def).map_err(|e| NoAnswer(e.to_string()))?;
    let mut report = TickReport::new();
    derive(&structure, tick, &mut report).map_err(|e| NoAnswer(e.to_string()))?;
    let mut asked = Asked {
        def,
        tick,
        report,
        reasons: Vec::new(),
        passed: Vec::new(),
    };
    let place = asked.last(node);
    let halted = tick
        .halted
        .iter()
        .any(|h| *h == node || structure.below(node, *h));
    match place {
        Some(at) => {
            asked.because(at);
            asked.had_its_turn(at);
        }
        None => {
            if halted {
                let text = format!("{} was halted in this tick", asked.name(node));
                asked.add(node, What::Halted, text);
            }
            asked.not_ticked(node);
        }
    }
    Ok(Why {
        node,
        ticked: place.is_some(),
        status: place.and_then(|at| asked.status(at)),
        reasons: asked.reasons,
    })
}

/// The kind of condition leaves.
const CONDITION: &str = "condition";

struct Asked<'t> {
    def: &'t TreeDef,
    tick: &'t Tick,
    report: TickReport,
    reasons: Vec<Reason>,
    /// Entries that sequences on the way down had behind them.
    passed: Vec<usize>,
}

impl Asked<'_> {
    fn add(&mut self, node: u32, what: What, text: String) {
        self.reasons.push(Reason { node, what, text });
    }

    fn info(&self, node: u32) -> &NodeInfo {
        &self.def.nodes[node as usize]
    }

    fn name(&self, node: u32) -> String {
        format!("`{}`", self.info(node).label)
    }

    /// The index of a node's last entry.
    fn last(&self, node: u32) -> Option<usize> {
        let mut entries = self.report.entries().iter();
        entries.rposition(|e| e.node == NodeId(node))
    }

    fn status(&self, at: usize) -> Option<Status> {
        self.report.entries()[at].status.map(Status::from)
    }

    fn said(&self, at: usize) -> String {
        match self.status(at) {
            Some(status) => format!("answered {status}"),
            None => "failed with an error".to_owned(),
        }
    }

    /// The entries of the children ticked under an entry, in order.
    fn children(&self, at: usize) -> Vec<usize> {
        let entries = self.report.entries();
        let depth = entries[at].depth;
        (at + 1..entries.len())
            .take_while(|&i| entries[i].depth > depth)
            .filter(|&i| entries[i].depth == depth + 1)
            .collect()
    }

    /// The child whose answer decided a node's.
    fn decider(&self, at: usize) -> Option<usize> {
        let children = self.children(at);
        let node = self.report.entries()[at].node;
        let decided = self.report.decisions().iter().rev();
        let decided = decided.clone().find(|(n, _)| *n == node).map(|(_, c)| *c);
        if let Some(child) = decided {
            let place = |&&i: &&usize| self.report.entries()[i].node == child;
            return children.iter().rev().find(place).copied();
        }
        let counts = |&&i: &&usize| self.status(i) != Some(Status::Skipped);
        children
            .iter()
            .rev()
            .find(counts)
            .or(children.last())
            .copied()
    }

    /// Why a ticked node answered as it did.
    fn because(&mut self, at: usize) {
        let mut at = at;
        loop {
            let node = self.report.entries()[at].node.0;
            let name = self.name(node);
            let said = self.said(at);
            if let Some(child) = self.decider(at) {
                let below = self.report.entries()[child].node.0;
                let text = format!("{name} {said}{}", self.follows(at, child));
                let what = What::Child {
                    child: below,
                    status: self.status(child),
                };
                self.add(node, what, text);
                if self.info(node).rule == Rule::InOrder(Status::Success) {
                    let before = self.children(at).into_iter().filter(|&i| i < child);
                    self.passed.extend(before);
                }
                at = child;
                continue;
            }
            let failed = self.tick.failure.as_ref().filter(|f| f.node == node);
            if let Some(failure) = failed {
                let text = format!("{name} failed with an error: {}", failure.text);
                return self.add(node, What::Failed, text);
            }
            if self.status(at).is_none() {
                return self.add(node, What::Failed, format!("{name} {said}"));
            }
            let text = format!("{name} {said}{}", self.own(node));
            let keys = self.info(node).reads.clone();
            self.add(node, What::Own { keys }, text);
            if self.info(node).kind != CONDITION {
                self.let_in();
            }
            return;
        }
    }

    /// The conditions that let the path down go on to where it ended.
    fn let_in(&mut self) {
        for mut at in std::mem::take(&mut self.passed) {
            while let Some(child) = self.decider(at) {
                at = child;
            }
            let node = self.report.entries()[at].node.0;
            if self.info(node).kind != CONDITION {
                continue;
            }
            self.before_that(at);
        }
    }

    /// What came before an entry and led to it.
    fn had_its_turn(&mut self, at: usize) {
        let depth = |i: usize| self.report.entries()[i].depth;
        let mut led = Vec::new();
        let mut at = at;
        while let Some(up) = (0..at).rev().find(|&i| depth(i) < depth(at)) {
            let any = match self.info(self.report.entries()[up].node.0).rule {
                Rule::InOrder(Status::Failure) => true,
                Rule::InOrder(_) => false,
                _ => {
                    at = up;
                    continue;
                }
            };
            for mut before in self.children(up).into_iter().rev().filter(|&i| i < at) {
                while let Some(child) = self.decider(before) {
                    before = child;
                }
                let node = self.report.entries()[before].node.0;
                if any || self.info(node).kind == CONDITION {
                    led.push(before);
                }
            }
            at = up;
        }
        led.into_iter().for_each(|at| self.before_that(at));
    }

    fn before_that(&mut self, at: usize) {
        let node = self.report.entries()[at].node.0;
        let (name, said) = (self.name(node), self.said(at));
        let text = format!("before that, {name} {said}{}", self.own(node));
        let keys = self.info(node).reads.clone();
        self.add(node, What::Own { keys }, text);
    }

    /// How a node's answer follows from the child that decided it.
    fn follows(&self, at: usize, child: usize) -> String {
        let info = self.info(self.report.entries()[at].node.0);
        let below = self.report.entries()[child].node.0;
        let (name, said) = (self.name(below), self.said(child));
        let same = self.status(at) == self.status(child);
        let first = self.def.children(info.id).next() == Some(below);
        let last = self.def.children(info.id).next_back() == Some(below);
        match info.rule {
            Rule::InOrder(on) | Rule::AnyOrder(on) if same => match self.status(child) {
                Some(s) if s == on && last => format!(": its last child {name} {said}"),
                Some(s) if s == on => format!(": {name} {said} and no other child applied"),
                _ => format!(": it stopped at {name}, which {said}"),
            },
            Rule::Branch if first => format!(": its condition {name} {said}"),
            Rule::Branch => format!(": its condition chose {name}, which {said}"),
            Rule::Invert => format!(", the opposite: {name} {said}"),
            Rule::Force(_) if !same => format!(", as it always does: {name} {said}"),
            Rule::Rounds { .. } if !same => {
                format!(": {name} {said}, and another round or its end follows")
            }
            Rule::Parallel { .. } => format!(": {name} decided, which {said}"),
            _ => format!(": {name} {said}"),
        }
    }

    /// Since when a key has had its value, and by whom.
    fn history(&self, change: &KeyChange) -> String {
        let by = change.writer.map(|w| match w {
            Writer::Node(node) if (node as usize) < self.def.nodes.len() => {
                format!("written by {}", self.name(node))
            }
            Writer::Node(node) => format!("written by node {node}"),
            Writer::Outside(Outside::Input) => "set by an input".to_owned(),
        });
        let since = change.since.map(|tick| format!("since tick {tick}"));
        match (by, since) {
            (Some(by), Some(since)) => format!(" ({since}, {by})"),
            (Some(one), None) | (None, Some(one)) => format!(" ({one})"),
            (None, None) => String::new(),
        }
    }

    /// Why a node that ticked no child answered as it did.
    fn own(&self, node: u32) -> String {
        let info = self.info(node);
        let values: Vec<String> = info
            .reads
            .iter()
            .filter_map(|k| {
                let name = &self.def.keys.get(*k as usize)?.name;
                let change = self.tick.keys.iter().find(|c| c.key == *k)?;
                Some(format!(
                    "{name} is {}{}",
                    change.value,
                    self.history(change)
                ))
            })
            .collect();
        if !values.is_empty() {
            return format!(": {}", values.join(", "));
        }
        if info.rule == Rule::Leaf {
            return " of its own".to_owned();
        }
        let options = info.options.iter().map(|(k, v)| format!("{k} {v}"));
        let options: Vec<_> = options.collect();
        if options.is_empty() {
            " without ticking a child".to_owned()
        } else {
            format!(" without ticking a child ({})", options.join(", "))
        }
    }

    /// Why a node was not ticked.
    fn not_ticked(&mut self, node: u32) {
        // The lowest ticked ancestor did not come down here.
        let mut below = node;
        let mut up = self.info(node).parent;
        while let Some(above) = up.filter(|u| self.last(*u).is_none()) {
            below = above;
            up = self.info(above).parent;
        }
        let not = match below == node {
            true => format!("{} was not ticked", self.name(node)),
            false => format!(
                "{} was not ticked, nor {} above it",
                self.name(node),
                self.name(below)
            ),
        };
        let Some((up, at)) = up.and_then(|u| Some((u, self.last(u)?))) else {
            return self.add(
                node,
                What::NoTick,
                format!("{not}: the tree was not ticked"),
            );
        };
        let name = self.name(up);
        let children = self.children(at);
        let of = |i: usize| self.report.entries()[i].node.0;
        // The earlier child that ended the ancestor's tick, or else the one ticked last.
        let before = children.iter().rev().find(|&&i| of(i) < below).copied();
        let Some(instead) = before.or(children.last().copied()) else {
            let said = self.said(at);
            let text = format!("{not}: {name} {said} without ticking a child");
            let what = What::Passed {
                by: up,
                instead: None,
            };
            self.add(node, what, text);
            return self.because(at);
        };
        let other = of(instead);
        let (there, said) = (self.name(other), self.said(instead));
        let how = match self.info(up).rule {
            Rule::InOrder(_) if other > below => {
                format!("{name} was past it and went on at {there}, which {said}")
            }
            Rule::InOrder(_) | Rule::AnyOrder(_) => {
                format!("{name} stopped at {there}, which {said}")
            }
            Rule::Branch if self.def.children(up).next() == Some(other) => {
                format!("the condition {there} of {name} {said}")
            }
            Rule::Branch => format!("{name} had chosen {there}, which {said}"),
            Rule::Parallel { .. } => {
                format!("in {name} it had ended before, or {there}, which {said}, was enough")
            }
            Rule::Pass => format!("{name} chose {there}, which {said}"),
            _ => format!("{name} ticked {there}, which {said}"),
        };
        let what = What::Passed {
            by: up,
            instead: Some(other),
        };
        self.add(node, what, format!("{not}: {how}"));
        self.because(instead);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tickseed_core::{Node, Status as Answer, Time, nodes};

    /// The explanation of a node in the last of several ticks 100 ms apart.
    #[track_caller]
    fn check(root: Node<()>, ticks: u64, node: &str, expected: &[&str]) {
        let tree = root.build().unwrap();
        let def = TreeDef::new(0, "t", tree.def());
        let structure = Structure::new(&def).unwrap();
        let (mut agent, mut tick) = (tree.agent(), Tick::default());
        for i in 0..ticks {
            let mut report = TickReport::new();
            let now = Time::from_millis(100 * i);
            let done = tree.tick_traced(&mut agent, &mut (), now, &mut report);
            tick.record(&structure, &report);
            if let Err(tickseed_core::TickError::Leaf { node, error, .. }) = done {
                let text = error.to_string();
                tick.failure = Some(crate::message::Failure { node: node.0, text });
            }
        }
        let node = tree.def().find(node).unwrap();
        let why = why(&def, &tick, node.0).unwrap();
        let texts: Vec<_> = why.reasons.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_sequence_that_is_past_a_child_does_not_ask_it_again() {
        let n = nodes::<()>();
        let root = n.sequence([n.succeed().named("open"), n.run_forever().named("walk")]);
        check(
            root,
            2,
            "open",
            &[
                "`open` was not ticked: `sequence` was past it and went on at `walk`, which answered running",
                "`walk` answered running of its own",
            ],
        );
    }

    #[test]
    fn a_node_that_is_ticked_is_told_what_let_it_have_its_turn() {
        let n = nodes::<()>();
        let go = n.sequence([
            n.condition("open", |_| true),
            n.succeed().named("step"),
            n.run_forever().named("walk"),
        ]);
        let low = n.sequence([n.condition("low", |_| false), n.succeed().named("charge")]);
        let root = n.selector([low, n.fail().named("wave"), go]);
        check(
            root,
            1,
            "walk",
            &[
                "`walk` answered running of its own",
                "before that, `open` answered success of its own",
                "before that, `wave` answered failure of its own",
                "before that, `low` answered failure of its own",
            ],
        );
    }

    #[test]
    fn the_chain_goes_down_to_the_leaf_that_tipped_it() {
        let n = nodes::<()>();
        let low = n.sequence([
            n.invert(n.succeed().named("full")),
            n.succeed().named("charge"),
        ]);
        let root = n.selector([low.named("recharge"), n.run_forever().named("patrol")]);
        check(
            root,
            1,
            "charge",
            &[
                "`charge` was not ticked: `recharge` stopped at `invert`, which answered failure",
                "`invert` answered failure, the opposite: `full` answered success",
                "`full` answered success of its own",
            ],
        );
    }

    #[test]
    fn a_branch_that_took_over_names_the_conditions_that_let_it() {
        let n = nodes::<()>();
        let full = || n.condition("full", |()| false);
        let low = n.sequence([
            n.condition("on", |()| true),
            n.invert(full()),
            n.run_forever().named("charge"),
        ]);
        let root = n.selector([low.named("recharge"), n.run_forever().named("patrol")]);
        check(
            root,
            1,
            "patrol",
            &[
                "`patrol` was not ticked: `selector` stopped at `recharge`, which answered running",
                "`recharge` answered running: it stopped at `charge`, which answered running",
                "`charge` answered running of its own",
                "before that, `on` answered success of its own",
                "before that, `full` answered failure of its own",
            ],
        );
    }

    #[test]
    fn a_node_deep_in_a_branch_that_was_not_entered() {
        let n = nodes::<()>();
        let deep = n
            .sequence([n.succeed(), n.succeed().named("deep")])
            .named("branch");
        let root = n.selector([n.run_forever().named("first"), deep]);
        check(
            root,
            1,
            "deep",
            &[
                "`deep` was not ticked, nor `branch` above it: `selector` stopped at `first`, which answered running",
                "`first` answered running of its own",
            ],
        );
    }

    #[test]
    fn gates_limits_and_parallels() {
        let n = nodes::<()>();
        let gate = n.cooldown(
            core::time::Duration::from_secs(1),
            n.succeed().named("shot"),
        );
        check(
            gate.named("gate"),
            2,
            "shot",
            &[
                "`shot` was not ticked: `gate` answered failure without ticking a child",
                "`gate` answered failure without ticking a child (closed failure, interval 1s, start success)",
            ],
        );
        let n = nodes::<()>();
        let both = n.parallel([n.fail().named("a"), n.run_forever().named("b")]);
        check(
            both.named("both"),
            1,
            "both",
            &[
                "`both` answered failure: `a` decided, which answered failure",
                "`a` answered failure of its own",
            ],
        );
    }

    #[test]
    fn what_was_halted_and_what_failed() {
        let n = nodes::<()>();
        let turn = n.switch(|_| 0, [n.succeed().named("zero"), n.succeed().named("one")]);
        check(
            turn.named("turn"),
            1,
            "one",
            &[
                "`one` was not ticked: `turn` chose `zero`, which answered success",
                "`zero` answered success of its own",
            ],
        );
        let n = nodes::<()>();
        let broken = n.action("broken", |_| {
            Err::<Answer, _>(tickseed_core::LeafError::new("no route"))
        });
        let root = n.sequence([broken, n.succeed().named("after")]);
        check(
            root,
            1,
            "after",
            &[
                "`after` was not ticked: `sequence` stopped at `broken`, which failed with an error",
                "`broken` failed with an error: no route",
            ],
        );
    }

    #[test]
    fn questions_without_an_answer() {
        let tree = nodes::<()>().succeed().named("only").build().unwrap();
        let def = TreeDef::new(0, "t", tree.def());
        let none = why(&def, &Tick::default(), 0).unwrap();
        assert_eq!(none.reasons[0].what, What::NoTick);
        let wrong = why(&def, &Tick::default(), 7).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "no node 7: the tree has 1, counted from 0"
        );
        let foreign = Tick {
            leaves: vec![(3, None)],
            ..Tick::default()
        };
        assert!(why(&def, &foreign, 0).is_err());
    }
}
