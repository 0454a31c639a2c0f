//! What one tick of one agent did.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An answer of a node: the counterpart of [`tickseed_core::Status`] that can be sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The node did what it was for.
    Success,
    /// It could not.
    Failure,
    /// It needs more ticks.
    Running,
    /// It did not apply.
    Skipped,
}

impl From<tickseed_core::Status> for Status {
    fn from(s: tickseed_core::Status) -> Status {
        match s {
            tickseed_core::Status::Success => Status::Success,
            tickseed_core::Status::Failure => Status::Failure,
            tickseed_core::Status::Running => Status::Running,
            tickseed_core::Status::Skipped => Status::Skipped,
        }
    }
}

impl From<Status> for tickseed_core::Status {
    fn from(s: Status) -> tickseed_core::Status {
        match s {
            Status::Success => tickseed_core::Status::Success,
            Status::Failure => tickseed_core::Status::Failure,
            Status::Running => tickseed_core::Status::Running,
            Status::Skipped => tickseed_core::Status::Skipped,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tickseed_core::Status::from(*self).fmt(f)
    }
}

/// The value of a key.
///
/// Numbers that are not finite are written as `null` in JSON and read back as
/// [`Value::Null`]; integers beyond 2^53 lose digits in JavaScript.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Not set.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text; for a value that is not a scalar, its representation.
    Text(String),
}

impl Value {
    /// The same value, bit for bit: unlike `==`, a NaN is the same as itself.
    #[must_use]
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }

    /// As a core scalar; `None` for texts and unset keys.
    #[must_use]
    pub fn scalar(&self) -> Option<tickseed_core::Scalar> {
        Some(match self {
            Value::Bool(b) => tickseed_core::Scalar::Bool(*b),
            Value::Int(i) => tickseed_core::Scalar::Int(*i),
            Value::Float(f) => tickseed_core::Scalar::Float(*f),
            Value::Null | Value::Text(_) => return None,
        })
    }
}

impl From<tickseed_core::Scalar> for Value {
    fn from(s: tickseed_core::Scalar) -> Value {
        match s {
            tickseed_core::Scalar::Bool(b) => Value::Bool(b),
            tickseed_core::Scalar::Int(i) => Value::Int(i),
            tickseed_core::Scalar::Float(f) => Value::Float(f),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("none"),
            Value::Bool(b) => b.fmt(f),
            Value::Int(i) => i.fmt(f),
            // Enough digits to tell values apart, few enough to read.
            Value::Float(x) => write!(f, "{}", (x * 1e4).round() / 1e4),
            Value::Text(s) => write!(f, "{s:?}"),
        }
    }
}

/// A key whose value differs from that after the agent's previous tick.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeyChange {
    /// The key: its place in [`TreeDef::keys`](super::TreeDef::keys).
    pub key: u32,
    /// Its value after the tick.
    pub value: Value,
    /// What gave it this value, if known; a change by the world itself is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
    /// In ticks that hold all keys: the tick from which it has had this value, if not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// What gave a key its value; in JSON, the node's number or `"input"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Writer {
    /// This node, while it was ticked or halted.
    Node(u32),
    /// Something that is not in the tree.
    Outside(Outside),
}

impl Writer {
    /// An input, before the tick.
    pub const INPUT: Writer = Writer::Outside(Outside::Input);

    /// The node, if it was one.
    #[must_use]
    pub fn node(self) -> Option<u32> {
        match self {
            Writer::Node(node) => Some(node),
            Writer::Outside(_) => None,
        }
    }
}

/// What writes keys from outside the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outside {
    /// An [input](Tick::inputs).
    Input,
}

/// What a node did after an answer of one of its children.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// It went on to another child, or to another round.
    GoOn,
    /// It answered.
    Answer(Status),
    /// It failed with an error, which ended the tick.
    Broke,
}

/// The end of a tick in which a leaf failed with an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The leaf.
    pub node: u32,
    /// What it said.
    pub text: String,
}

/// One tick of one agent.
///
/// The statuses of nodes with children are not in it: deriving finds them
/// from the answers below them and the tree. What the tree does not tell is in
/// [`extra`](Tick::extra).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tick {
    /// The agent.
    pub agent: u32,
    /// The tick's number; the first is 1.
    pub tick: u64,
    /// The time of the tick, in nanoseconds.
    pub time: u64,
    /// The tree's answer; none if a leaf failed with an error.
    pub status: Option<Status>,
    /// What answered without ticking a child, in order: leaves, and nodes such as a closed
    /// cooldown. The status is `None` if the leaf failed with an error.
    pub leaves: Vec<(u32, Option<Status>)>,
    /// Where a node did something other than its children's answers in this tick suggest: the
    /// number of the decision (one after every answer of a child, counted from 0) and what the node
    /// did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<(u32, Step)>,
    /// What was halted, in order: running leaves, and nodes whose halt is visible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub halted: Vec<u32>,
    /// For nodes that tick several children at once: which child decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<(u32, u32)>,
    /// The leaf that decided the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deciding: Option<u32>,
    /// Why the tick failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Keys whose values differ from those after the agent's previous tick; in the first tick, and
    /// in one that answers a `seek`, all keys that have a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyChange>,
    /// What reached the world from outside before this tick.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<serde_json::Value>,
    /// A number, in hexadecimal, that depends on everything that has happened, for
    /// processes that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Every ticked node with its answer, in the order of entering: the derived statuses, for
    /// watchers that asked for them. Never stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(u32, Option<Status>)>,
}
