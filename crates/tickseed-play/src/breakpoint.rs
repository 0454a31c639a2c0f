//! Whether a tick hits a breakpoint.

use tickseed_record::message::{Break, Comparison, Status, Value};

/// A tick as breakpoints see it: the nodes with their answers, and all keys.
#[derive(Default)]
pub(crate) struct Moment {
    pub(crate) nodes: Vec<(u32, Option<Status>)>,
    pub(crate) keys: Vec<Value>,
}

impl Moment {
    fn entered(&self, node: u32) -> bool {
        self.nodes.iter().any(|(n, _)| *n == node)
    }
}

/// What to say of a breakpoint that is met between two moments.
pub(crate) fn met(b: &Break, before: &Moment, now: &Moment, name: Names<'_>) -> Option<String> {
    match b {
        Break::Entered { node, .. } => (now.entered(*node) && !before.entered(*node))
            .then(|| format!("{} was entered", (name.node)(*node))),
        Break::Answered { node, status, .. } => {
            let answer = now.nodes.iter().find_map(|(n, s)| {
                let verdict = matches!(s, Some(Status::Success | Status::Failure));
                let wanted = status.map_or(verdict, |w| *s == Some(w));
                (n == node && wanted).then_some(*s)
            })??;
            Some(format!("{} answered {answer}", (name.node)(*node)))
        }
        Break::Key { key, is, value, .. } => {
            let new = now.keys.get(*key as usize)?;
            let old = before.keys.get(*key as usize);
            let holds = match is {
                Comparison::Changed => old.is_some_and(|o| !o.same(new)),
                // It begins to hold: an agent that stays there does not stop every tick.
                _ => compare(new, *is, value) && !old.is_some_and(|o| compare(o, *is, value)),
            };
            holds.then(|| format!("{} is {new}", (name.key)(*key)))
        }
        _ => None,
    }
}

/// How nodes and keys are called.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) node: &'a dyn Fn(u32) -> String,
    pub(crate) key: &'a dyn Fn(u32) -> String,
}

fn compare(left: &Value, is: Comparison, right: &Value) -> bool {
    let number = |v: &Value| match v {
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    };
    let (Some(l), Some(r)) = (number(left), number(right)) else {
        return match is {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            _ => false,
        };
    };
    match is {
        Comparison::Equal => l == r,
        Comparison::NotEqual => l != r,
        Comparison::Less => l < r,
        Comparison::AtMost => l <= r,
        Comparison::Greater => l > r,
        Comparison::AtLeast => l >= r,
        Comparison::Changed => false,
    }
}
