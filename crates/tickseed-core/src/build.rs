//! Validation: finds everything that is wrong with a tree at once.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::context::Context;
use crate::def::{Def, FnRef, Funcs, NodeId};
use crate::kind::Kind;
use crate::node::Misuse;
use crate::nodes::{Choose, Flow, MAX_DRAWN, Pace, Threshold, WaitFor};
use crate::status::Status;
use crate::time::MAX_DURATION;

/// How many levels a tree may have.
pub const MAX_DEPTH: u32 = 256;

/// A rule that a tree breaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// A composite needs children.
    NoChildren,
    /// A node has a number of children that it does not take.
    Arity,
    /// A number is out of range.
    Range,
    /// A duration is zero, too long, or its bounds are in the wrong order.
    Duration,
    /// An option was used on a node that does not have it, or has no effect there.
    Option,
    /// The tree has too many levels.
    Depth,
    /// An uninterruptible node can be interrupted.
    Uninterruptible,
    /// A chain of builder calls is malformed.
    Builder,
}

/// One thing that is wrong with a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// The node's path.
    pub path: String,
    /// The rule it breaks.
    pub rule: Rule,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// The origin of the node, or else of its nearest ancestor that has one: see
    /// [`Node::origin`](crate::Node::origin).
    pub origin: Option<u32>,
    /// The origin of the second node involved in the issue, if there is one.
    pub other: Option<u32>,
}

/// Why a tree was not built: everything that is wrong with it.
///
/// `Debug` shows the same as `Display`, because it is what a `main` that returns the error prints.
#[derive(Clone, PartialEq, Eq)]
pub struct BuildError {
    /// At least one issue, in depth-first order of the nodes.
    pub issues: Vec<Issue>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, issue) in self.issues.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{}: {}; {}", issue.path, issue.message, issue.help)?;
        }
        Ok(())
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for BuildError {}

/// Checks a definition; `misuse` holds what the nodes noted while they were being written.
pub(crate) fn validate<C: Context>(
    def: &Def,
    funcs: &Funcs<C>,
    misuse: Vec<(NodeId, Misuse)>,
) -> Result<(), BuildError> {
    let mut check = Checker {
        def,
        found: Vec::new(),
    };
    for (id, m) in misuse {
        check.report(id, m.rule, m.message, m.help);
    }
    for (id, _) in def.iter() {
        check.node(id, funcs);
    }
    if check.found.is_empty() {
        return Ok(());
    }
    check.found.sort_by_key(|(id, _)| *id);
    let mut paths = def.paths();
    let mut issues: Vec<Issue> = Vec::with_capacity(check.found.len());
    for (id, issue) in check.found {
        // A node with several faults has its path computed at the first; the others copy it.
        let path = match core::mem::take(&mut paths[id.index()]) {
            path if path.is_empty() => issues.last().map_or(path, |i| i.path.clone()),
            path => path,
        };
        issues.push(Issue { path, ..issue });
    }
    Err(BuildError { issues })
}

/// A duration with its unit, exactly.
struct Lasting(u64);

impl fmt::Display for Lasting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            ("h", 3_600_000_000_000),
            ("min", 60_000_000_000),
            ("s", 1_000_000_000),
            ("ms", 1_000_000),
            ("us", 1_000),
        ];
        match units
            .iter()
            .find(|(_, ns)| self.0 != 0 && self.0.is_multiple_of(*ns))
        {
            Some((unit, ns)) => write!(f, "{}{unit}", self.0 / ns),
            None => write!(f, "{:?}", core::time::Duration::from_nanos(self.0)),
        }
    }
}

struct Checker<'d> {
    def: &'d Def,
    found: Vec<(NodeId, Issue)>,
}

impl Checker<'_> {
    fn report(&mut self, id: NodeId, rule: Rule, message: impl Into<String>, help: &str) {
        let issue = Issue {
            path: String::new(),
            rule,
            message: message.into(),
            help: help.into(),
            origin: self.origin(id),
            other: None,
        };
        self.found.push((id, issue));
    }

    fn origin(&self, id: NodeId) -> Option<u32> {
        core::iter::once(id)
            .chain(self.def.ancestors(id))
            .find_map(|id| self.def.node(id).origin)
    }

    /// A duration that must not be zero.
    fn duration(&mut self, id: NodeId, what: &str, ns: u64) {
        if ns == 0 {
            self.report(
                id,
                Rule::Duration,
                alloc::format!("{what} is zero"),
                "give it a duration above zero, or leave the node out",
            );
        } else {
            self.not_too_long(id, what, ns);
        }
    }

    fn not_too_long(&mut self, id: NodeId, what: &str, ns: u64) {
        if ns >= MAX_DURATION {
            self.report(
                id,
                Rule::Duration,
                alloc::format!("{what} is {}, at most 417 days can be kept", Lasting(ns)),
                "give it a shorter duration",
            );
        }
    }

    fn wait(&mut self, id: NodeId, wait: WaitFor) {
        match wait {
            WaitFor::Fixed(ns) => self.not_too_long(id, "the duration", ns),
            WaitFor::Range(a, b) if a > b => {
                let message = alloc::format!(
                    "the shortest duration, {}, is above the longest, {}",
                    Lasting(a),
                    Lasting(b)
                );
                self.report(id, Rule::Duration, message, "give the shorter one first");
            }
            WaitFor::Range(_, b) => self.not_too_long(id, "the longest duration", b),
            WaitFor::Computed => {}
        }
    }

    fn pace(&mut self, id: NodeId, pace: Pace) {
        if pace == Pace::Drain(0) {
            self.report(
                id,
                Rule::Range,
                "a budget of zero rounds a tick never gets anywhere",
                "give it a budget of at least 1",
            );
        }
    }

    fn final_status(&mut self, id: NodeId, status: Status) {
        if status == Status::Running {
            self.report(
                id,
                Rule::Range,
                "the answer instead of the child's is running, which is not final",
                "use success, failure or skipped",
            );
        }
    }

    fn node<C: Context>(&mut self, id: NodeId, funcs: &Funcs<C>) {
        let node = self.def.node(id);
        let children = node.children.len();
        let empty_is_wrong = matches!(
            node.kind,
            Kind::Sequence(_)
                | Kind::Selector(_)
                | Kind::Parallel(_)
                | Kind::Switch(_)
                | Kind::Utility(_)
        );
        if empty_is_wrong && children == 0 {
            let message = alloc::format!("{} has no children", node.kind.name());
            self.report(
                id,
                Rule::NoChildren,
                message,
                "add a child, or a leaf that always succeeds or fails if nothing is meant",
            );
        }
        match &node.kind {
            Kind::Sequence(flow) | Kind::Selector(flow) => self.flow(id, flow, children),
            Kind::Parallel(p) => {
                for (what, t) in [("success", p.success), ("failure", p.failure)] {
                    if let Threshold::Count(n) = t
                        && (n == 0 || n as usize > children)
                        && children > 0
                    {
                        let message = alloc::format!(
                            "the {what} threshold is {n}, there are {children} children"
                        );
                        self.report(
                            id,
                            Rule::Range,
                            message,
                            &alloc::format!("use 1 to {children}, or all"),
                        );
                    }
                }
            }
            Kind::Wait(w) | Kind::Delay(w) => self.wait(id, *w),
            Kind::WaitUntil(w) => {
                if let Some(limit) = w.limit {
                    self.duration(id, "the limit", limit);
                }
                self.final_status(id, w.on_timeout);
            }
            Kind::TimeLimit(t) => {
                self.duration(id, "the time limit", t.limit);
                self.final_status(id, t.on_timeout);
            }
            Kind::Gate(g) => self.duration(id, "the interval", g.interval),
            Kind::Loop(l) => {
                if l.limit == Some(0) {
                    self.report(
                        id,
                        Rule::Range,
                        "zero rounds never run the child",
                        "use at least 1, or no limit",
                    );
                }
                self.final_status(id, l.at_limit);
                if let Some(s) = l.stopped {
                    self.final_status(id, s);
                }
                self.pace(id, l.pace);
            }
            Kind::ForEach(p) => self.pace(id, *p),
            Kind::Chance { p, otherwise } => {
                if !(*p > 0.0 && *p <= 1.0) {
                    self.report(
                        id,
                        Rule::Range,
                        alloc::format!("the probability is {p}"),
                        "use a number above 0 and at most 1",
                    );
                }
                self.final_status(id, *otherwise);
            }
            Kind::LimitRuns(l) => {
                if l.limit == 0 {
                    self.report(
                        id,
                        Rule::Range,
                        "zero runs never run the child",
                        "use at least 1",
                    );
                }
                self.final_status(id, l.otherwise);
            }
            Kind::WhileGuard { otherwise: s, .. } | Kind::Precondition { then: s, .. } => {
                self.final_status(id, *s)
            }
            Kind::Utility(u) => self.utility(id, u, children),
            Kind::Custom(_) => {
                if let Some(FnRef::Custom(f)) = node.fns.first() {
                    let arity = funcs.customs[*f as usize].arity();
                    if !arity.contains(&children) {
                        let takes = match (*arity.start(), *arity.end()) {
                            (least, usize::MAX) => alloc::format!("{least} or more"),
                            (least, most) if least == most => alloc::format!("{least}"),
                            (least, most) => alloc::format!("{least} to {most}"),
                        };
                        let message = alloc::format!(
                            "{} has {}, it takes {takes}",
                            node.label(),
                            count(children, "child", "children"),
                        );
                        self.report(id, Rule::Arity, message, "add or remove children");
                    }
                }
            }
            Kind::Uninterruptible => self.uninterruptible(id, funcs),
            _ => {}
        }
    }

    fn flow(&mut self, id: NodeId, flow: &Flow, children: usize) {
        let Flow::Random { weights } = flow else {
            return;
        };
        if weights.is_empty() {
            return;
        }
        if weights.len() != children {
            let message = alloc::format!(
                "{} for {}",
                count(weights.len(), "weight", "weights"),
                count(children, "child", "children"),
            );
            self.report(
                id,
                Rule::Range,
                message,
                "give one weight a child, in their order",
            );
        }
        if let Some(w) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
            self.report(
                id,
                Rule::Range,
                alloc::format!("a weight is {w}"),
                "use numbers that are not negative",
            );
        }
    }

    fn utility(&mut self, id: NodeId, u: &crate::nodes::Utility, children: usize) {
        match u.choose {
            Choose::Softmax { temperature } if temperature.is_nan() || temperature <= 0.0 => {
                self.report(
                    id,
                    Rule::Range,
                    alloc::format!("the temperature is {temperature}"),
                    "use a number above zero",
                );
            }
            _ => {}
        }
        if !matches!(u.choose, Choose::Highest) && children > MAX_DRAWN {
            let message = alloc::format!("{children} children, a draw takes at most {MAX_DRAWN}");
            self.report(
                id,
                Rule::Range,
                message,
                "group them, or use the highest score",
            );
        }
        if !u.inertia.is_finite() || u.inertia < 0.0 {
            self.report(
                id,
                Rule::Range,
                alloc::format!("the inertia is {}", u.inertia),
                "use a number that is not negative",
            );
        }
        if !u.reactive && (u.inertia != 0.0 || u.min_dwell != 0) {
            self.report(
                id,
                Rule::Option,
                "inertia and minimum dwell have no effect on a utility selector that chooses once",
                "make it reactive, or remove them",
            );
        }
        self.not_too_long(id, "the minimum dwell", u.min_dwell);
    }

    fn uninterruptible<C: Context>(&mut self, id: NodeId, funcs: &Funcs<C>) {
        let mut below = id;
        let mut held = false;
        let mut outermost = None;
        for up in self.def.ancestors(id) {
            let node = self.def.node(up);
            let first = node.children.first() == Some(&below);
            below = up;
            let preempts = match &node.kind {
                Kind::Hold => {
                    held = true;
                    false
                }
                // No sibling ever halts the first child of these: it is asked before the others.
                Kind::Sequence(Flow::Reactive { .. })
                | Kind::Selector(Flow::Reactive { .. })
                | Kind::WhileDoElse { .. } => !held && !first,
                Kind::Switch(_) | Kind::Utility(_) => !held && node.kind.preempts(),
                Kind::Custom(_) => {
                    held = false;
                    matches!(node.fns.first(), Some(FnRef::Custom(f)) if funcs.customs[*f as usize].preempts())
                }
                Kind::Parallel(_) => {
                    held = false;
                    true
                }
                kind => kind.preempts(),
            };
            if preempts {
                outermost = Some(up);
            }
        }
        if let Some(up) = outermost {
            let message = alloc::format!(
                "an uninterruptible node stands below {} `{}`, which can halt it while it runs",
                self.def.node(up).kind.name(),
                self.def.path(up),
            );
            self.report(id, Rule::Uninterruptible, message, "move it out, make that node resume (not reactive), or put `hold` above it if only reactive siblings are meant");
            let other = self.origin(up);
            if let Some((_, issue)) = self.found.last_mut() {
                issue.other = other;
            }
        }
    }
}

/// A count with its noun.
fn count(n: usize, one: &str, more: &str) -> String {
    alloc::format!("{n} {}", if n == 1 { one } else { more })
}
