//! A core tree as the plain data that watchers receive.

use std::collections::BTreeMap;
use std::time::Duration;

use tickseed_core::nodes::{
    Again, Closed, Decide, Flow, Gate, Leftover, Loop, Pace, Parallel, StartOn, Threshold, WaitFor,
};
use tickseed_core::{Def, Kind, Scalar, Schema};

use crate::message::{KeyDef, NodeInfo, Rule, Status, TreeDef};

impl TreeDef {
    /// Describes a tree.
    ///
    /// ```
    /// use tickseed_core::nodes;
    /// use tickseed_record::message::{Rule, Status, TreeDef};
    /// let n = nodes::<()>();
    /// let tree = n.sequence([n.succeed().named("ready"), n.run_forever()]).build()?;
    /// let def = TreeDef::new(0, "demo", tree.def());
    /// assert_eq!(def.nodes[0].rule, Rule::InOrder(Status::Success));
    /// assert_eq!(def.nodes[1].path, "sequence/ready");
    /// # Ok::<(), tickseed_core::BuildError>(())
    /// ```
    #[must_use]
    pub fn new(id: u32, name: impl Into<String>, def: &Def) -> TreeDef {
        let nodes = def
            .iter()
            .zip(def.paths())
            .map(|((id, node), path)| NodeInfo {
                id: id.0,
                parent: node.parent.map(|p| p.0),
                kind: node.kind.name().to_owned(),
                name: node.name.as_ref().map(|n| n.to_string()),
                label: node.label().to_owned(),
                path,
                rule: Rule::of(&node.kind),
                options: options(&node.kind),
                guard: None,
                reads: reads(&node.kind),
                span: None,
            });
        TreeDef {
            id,
            name: name.into(),
            nodes: nodes.collect(),
            keys: Vec::new(),
            source: None,
        }
    }

    /// Adds the keys of a context.
    #[must_use]
    pub fn with_schema(mut self, schema: &Schema) -> TreeDef {
        self.keys = schema.keys.iter().map(|k| key(k.name, k.ty)).collect();
        self
    }

    /// Adds a key after the others.
    pub(crate) fn add_key(&mut self, name: &str, ty: tickseed_core::ScalarType) {
        self.keys.push(key(name, ty));
    }

    /// Adds keys that are known by their current values.
    #[must_use]
    pub fn with_keys<'k>(mut self, keys: impl IntoIterator<Item = (&'k str, Scalar)>) -> TreeDef {
        let keys = keys.into_iter().map(|(name, value)| {
            let ty = match value {
                Scalar::Bool(_) => "bool",
                Scalar::Int(_) => "int",
                Scalar::Float(_) => "float",
            };
            KeyDef {
                name: name.to_owned(),
                ty: ty.to_owned(),
                writable: true,
            }
        });
        self.keys = keys.collect();
        self
    }

    /// Whether `inner` is `outer` or below it.
    #[must_use]
    pub fn contains(&self, outer: u32, inner: u32) -> bool {
        self.upwards(inner).any(|n| n == outer)
    }

    /// A node and its ancestors, the root last. Stops at a parent that does not precede its child,
    /// which happens only in malformed trees.
    pub fn upwards(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let exists = (node as usize) < self.nodes.len();
        std::iter::successors(exists.then_some(node), |&n| {
            self.nodes[n as usize].parent.filter(|&p| p < n)
        })
    }

    /// The children of a node, in order.
    pub fn children(&self, node: u32) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let all = self.nodes.iter();
        all.filter(move |n| n.parent == Some(node)).map(|n| n.id)
    }
}

fn key(name: &str, ty: tickseed_core::ScalarType) -> KeyDef {
    let word = match ty {
        tickseed_core::ScalarType::Bool => "bool",
        ty if ty.is_float() => "float",
        _ => "int",
    };
    KeyDef {
        name: name.to_owned(),
        ty: word.to_owned(),
        writable: true,
    }
}

impl Rule {
    /// The rule of a kind.
    #[must_use]
    pub fn of(kind: &Kind) -> Rule {
        let count = |t: Threshold| match t {
            Threshold::All => None,
            Threshold::Count(n) => Some(n),
        };
        let flow = |flow: &Flow, on: Status| match flow {
            Flow::Random { .. } => Rule::AnyOrder(on),
            _ => Rule::InOrder(on),
        };
        match kind {
            kind if kind.is_leaf() => Rule::Leaf,
            Kind::Sequence(f) => flow(f, Status::Success),
            Kind::Selector(f) => flow(f, Status::Failure),
            Kind::Parallel(p) => Rule::Parallel {
                success: count(p.success),
                failure: count(p.failure),
                early: p.decide == Decide::AsSoonAsKnown,
            },
            Kind::IfThenElse | Kind::WhileDoElse { .. } => Rule::Branch,
            Kind::ForEach(pace) => Rule::Rounds {
                on_success: true,
                on_failure: false,
                stopped: None,
                drain: *pace != Pace::OnePerTick,
            },
            Kind::Loop(l) => Rule::Rounds {
                on_success: l.again != Again::OnFailure,
                on_failure: l.again != Again::OnSuccess,
                stopped: l.stopped.map(Status::from),
                drain: l.pace != Pace::OnePerTick,
            },
            Kind::Invert => Rule::Invert,
            Kind::Force(s) => Rule::Force((*s).into()),
            Kind::Custom(_) => Rule::Custom,
            _ => Rule::Pass,
        }
    }
}

/// The keys that a node's own guard reads.
fn reads(kind: &Kind) -> Vec<u32> {
    let mut keys = Vec::new();
    let guard = match kind {
        Kind::Condition(g) => g,
        Kind::WaitUntil(w) => &w.guard,
        Kind::WhileGuard { guard, .. } | Kind::Precondition { guard, .. } => guard,
        _ => return keys,
    };
    guard.reads(&mut |key| keys.push(u32::from(key.0)));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A kind's options in words.
fn options(kind: &Kind) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        all.insert(name.to_owned(), value);
    };
    let ns = |n: u64| format!("{:?}", Duration::from_nanos(n));
    let span = |w: &WaitFor| match w {
        WaitFor::Fixed(n) => ns(*n),
        WaitFor::Range(a, b) => format!("{}..{}", ns(*a), ns(*b)),
        WaitFor::Computed => "computed".to_owned(),
    };
    match kind {
        Kind::Wait(w) | Kind::Delay(w) => put("for", span(w)),
        Kind::WaitUntil(w) => {
            if let Some(limit) = w.limit {
                put("within", ns(limit));
                put("otherwise", w.on_timeout.to_string());
            }
        }
        Kind::Log(line) => put("text", line.to_string()),
        Kind::Parallel(Parallel {
            success,
            failure,
            leftover,
            ..
        }) => {
            let threshold = |t: &Threshold| match t {
                Threshold::All => "all".to_owned(),
                Threshold::Count(n) => n.to_string(),
            };
            put("success", threshold(success));
            put("failure", threshold(failure));
            if *leftover == Leftover::Await {
                put("leftover", "await".to_owned());
            }
        }
        Kind::Loop(Loop { limit, pace, .. }) => {
            if let Some(limit) = limit {
                put("limit", limit.to_string());
            }
            if let Pace::Drain(rounds) = pace {
                put("drain", rounds.to_string());
            }
        }
        Kind::Gate(Gate {
            interval,
            start_on,
            closed,
            ..
        }) => {
            put("interval", ns(*interval));
            let start = match start_on {
                StartOn::Success => "success",
                StartOn::Verdict => "verdict",
            };
            put("start", start.to_owned());
            let closed = match closed {
                Closed::Failure => "failure",
                Closed::Skipped => "skipped",
                Closed::Replay => "replay",
            };
            put("closed", closed.to_owned());
        }
        Kind::TimeLimit(t) => {
            put("limit", ns(t.limit));
            put("otherwise", t.on_timeout.to_string());
        }
        Kind::Chance { p, otherwise } => {
            put("p", p.to_string());
            put("otherwise", otherwise.to_string());
        }
        Kind::WhileGuard { otherwise, .. } => put("otherwise", otherwise.to_string()),
        Kind::Precondition { then, .. } => put("then", then.to_string()),
        Kind::Utility(u) => {
            put("choose", format!("{:?}", u.choose).to_lowercase());
            put("reactive", u.reactive.to_string());
        }
        Kind::Switch(s) => put("reactive", s.reactive.to_string()),
        _ => {}
    }
    all
}
