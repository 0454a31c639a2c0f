//! Commands of watchers.

use serde::{Deserialize, Serialize};

use super::tick::{Status, Value};

/// A command with a number that identifies its answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Comes back in [`Event::Done`](super::Event::Done) or
    /// [`Event::Error`](super::Event::Error).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The command.
    #[serde(flatten)]
    pub command: Command,
}

/// A command. Commands that a process does not support are not in
/// [`Hello::can`](super::Hello::can), and are answered with an error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// What to send from now on; replaces the previous subscription.
    Subscribe(Subscription),
    /// Go on.
    Run,
    /// Stop between two ticks.
    Pause,
    /// How many times as fast as real time to run.
    Speed {
        /// The factor, above zero.
        factor: f64,
    },
    /// This many ticks, then pause.
    Step {
        /// How many; 1 by default.
        #[serde(default = "one")]
        ticks: u64,
    },
    /// Show one more node's answer within the displayed tick or, if all are shown, the first of the
    /// next tick; then pause. A tick is executed as a whole: only what is shown of it grows.
    /// [`Control::answered`](super::Control::answered) tells how far.
    StepNode,
    /// Go back by this many ticks, and pause.
    StepBack {
        /// How many; 1 by default.
        #[serde(default = "one")]
        ticks: u64,
    },
    /// Show this tick, and pause. Later ticks are kept until something else happens.
    Seek {
        /// The tick.
        tick: u64,
    },
    /// Go to the latest tick.
    Live,
    /// An input to the world, in the world's own terms.
    Input {
        /// What.
        input: serde_json::Value,
    },
    /// Sets a key. This is an input and recorded as one.
    SetKey {
        /// Whose.
        agent: u32,
        /// Which: its place in [`TreeDef::keys`](super::TreeDef::keys).
        key: u32,
        /// To what.
        value: Value,
    },
    /// Pause when this happens.
    Break(Break),
    /// Remove the breakpoint with this number.
    Unbreak {
        /// The number it was given.
        breakpoint: u32,
    },
    /// Also trace this agent.
    Pin {
        /// Which.
        agent: u32,
    },
    /// Stop tracing this agent.
    Unpin {
        /// Which.
        agent: u32,
    },
    /// Replace a running tree with one made from this text.
    Reload {
        /// Which tree.
        tree: u32,
        /// The text.
        source: String,
    },
    /// Begin another world.
    World {
        /// Its name.
        name: String,
        /// Its seed.
        #[serde(default)]
        seed: u64,
        /// How many agents; the world's own number by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agents: Option<u32>,
    },
    /// Why a node was or was not ticked, and why it answered as it did.
    Why {
        /// Whose.
        agent: u32,
        /// In which tick; the latest by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tick: Option<u64>,
        /// Which node.
        node: u32,
    },
    /// Answered with [`Event::Done`](super::Event::Done); checks that the process is alive.
    Ping,
}

fn one() -> u64 {
    1
}

/// What a watcher wants to receive.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Subscription {
    /// The ticks of these agents; they are pinned.
    pub agents: Vec<u32>,
    /// Also the remembered ticks after this one, which a watcher that lost its connection has not
    /// seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The session to which `after` belongs; `after` is ignored in any other session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Fill [`Tick::nodes`](super::Tick::nodes).
    pub nodes: bool,
    /// Frames of the scene.
    pub scene: bool,
    /// A summary of every agent, several times a second.
    pub summary: bool,
}

/// When to pause.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "when", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Break {
    /// A node is ticked that was not ticked in the agent's previous tick.
    Entered {
        /// Which node.
        node: u32,
        /// Only for this agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<u32>,
    },
    /// A node answers with this status.
    Answered {
        /// Which node.
        node: u32,
        /// With this status; any verdict by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<Status>,
        /// Only for this agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<u32>,
    },
    /// The comparison with a key becomes true.
    Key {
        /// Which key.
        key: u32,
        /// How.
        is: Comparison,
        /// With what value; irrelevant for `changed`.
        #[serde(default = "null")]
        value: Value,
        /// Only for this agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<u32>,
    },
}

fn null() -> Value {
    Value::Null
}

/// How a key compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Comparison {
    /// Differs from its previous value.
    #[serde(rename = "changed")]
    Changed,
    /// Equal.
    #[serde(rename = "==")]
    Equal,
    /// Not equal.
    #[serde(rename = "!=")]
    NotEqual,
    /// Less.
    #[serde(rename = "<")]
    Less,
    /// Less or equal.
    #[serde(rename = "<=")]
    AtMost,
    /// Greater.
    #[serde(rename = ">")]
    Greater,
    /// Greater or equal.
    #[serde(rename = ">=")]
    AtLeast,
}
