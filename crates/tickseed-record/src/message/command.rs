//! What a watcher asks for.

use serde::{Deserialize, Serialize};

use super::tick::{Status, Value};

/// A command with a number by which its answer can be told.
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

/// A command. What a process cannot do is not in [`Hello::can`](super::Hello::can), and
/// asking for it is answered with an error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// What to be told from now on; replaces what was asked for before.
    Subscribe(Subscription),
    /// Go on.
    Run,
    /// Stop between two ticks.
    Pause,
    /// So many times as fast as real time.
    Speed {
        /// The factor, above zero.
        factor: f64,
    },
    /// This many ticks, then pause.
    Step {
        /// How many; 1 unless told.
        #[serde(default = "one")]
        ticks: u64,
    },
    /// On by one answer of a node within the tick that is shown, or if all are shown, to the
    /// first of the next tick; then pause. A tick is made as a whole: what is shown of it
    /// grows, not what has happened. [`Control::answered`](super::Control::answered) tells
    /// how far.
    StepNode,
    /// Back by this many ticks, and pause.
    StepBack {
        /// How many; 1 unless told.
        #[serde(default = "one")]
        ticks: u64,
    },
    /// Show this tick, and pause. What lies after it is kept until something else happens.
    Seek {
        /// The tick.
        tick: u64,
    },
    /// To the latest tick.
    Live,
    /// Something from outside for the world, in its own words.
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
    /// Forget the breakpoint of this number.
    Unbreak {
        /// The number it was given.
        breakpoint: u32,
    },
    /// Trace this agent, besides those that are traced already.
    Pin {
        /// Which.
        agent: u32,
    },
    /// Trace this agent no longer.
    Unpin {
        /// Which.
        agent: u32,
    },
    /// Put a tree made from this text in the place of a tree, while it runs.
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
        /// How many agents; its own number unless told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agents: Option<u32>,
    },
    /// Why a node was or was not ticked, and why it answered as it did.
    Why {
        /// Whose.
        agent: u32,
        /// In which tick; the latest unless told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tick: Option<u64>,
        /// Which node.
        node: u32,
    },
    /// Answered with [`Event::Done`](super::Event::Done): whether the process is there.
    Ping,
}

fn one() -> u64 {
    1
}

/// What a watcher wants to be told.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Subscription {
    /// The ticks of these agents; they are pinned.
    pub agents: Vec<u32>,
    /// Ticks from this one on, as far as they are remembered: what a watcher that was cut
    /// off has not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// The session of which `after` is a tick; ignored in another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Fill [`Tick::nodes`](super::Tick::nodes).
    pub nodes: bool,
    /// Frames of the scene.
    pub scene: bool,
    /// A line on every agent, some times a second.
    pub summary: bool,
}

/// When to pause.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "when", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Break {
    /// A node is ticked that was not ticked in the agent's tick before.
    Entered {
        /// Which node.
        node: u32,
        /// Of this agent only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<u32>,
    },
    /// A node answers with this status.
    Answered {
        /// Which node.
        node: u32,
        /// With this; with any verdict unless told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<Status>,
        /// Of this agent only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<u32>,
    },
    /// A key begins to compare so.
    Key {
        /// Which key.
        key: u32,
        /// How.
        is: Comparison,
        /// With what; for `changed` it does not matter.
        #[serde(default = "null")]
        value: Value,
        /// Of this agent only.
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
    /// Has another value than before.
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
