//! Events that a process sends to its watchers.

use serde::{Deserialize, Serialize};

use super::command::Break;
use super::tick::{Status, Tick};
use super::tree::TreeDef;

/// An event that a process sends to a watcher.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The first event of every connection, sent again when another world begins.
    Hello(Box<Hello>),
    /// The state of the run, sent whenever it changes.
    Control(Control),
    /// A tree was added.
    Tree(Box<TreeDef>),
    /// A tree replaced another while it ran.
    Reloaded {
        /// The number of the tree that is gone.
        old: u32,
        /// The new one.
        tree: Box<TreeDef>,
        /// What became of running nodes. Empty when a watcher goes back or forth past a reload that
        /// was already reported.
        #[serde(default)]
        moves: Moves,
        /// The number of ticks before the reload: later ticks belong to the new tree.
        #[serde(default)]
        since: u64,
    },
    /// Agents came or went.
    Agents {
        /// All of them.
        agents: Vec<AgentInfo>,
    },
    /// A tick.
    Tick(Box<Tick>),
    /// The scene after a tick.
    Scene {
        /// After which.
        tick: u64,
        /// What to draw, in the world's terms.
        view: serde_json::Value,
    },
    /// A summary of every agent.
    Summary {
        /// After which tick.
        tick: u64,
        /// One for each.
        agents: Vec<AgentSummary>,
    },
    /// A breakpoint was hit; the run is paused.
    Hit {
        /// Its number.
        breakpoint: u32,
        /// In which tick.
        tick: u64,
        /// Of which agent.
        agent: u32,
        /// In words.
        text: String,
    },
    /// Something to read.
    Log {
        /// How grave.
        level: Level,
        /// The text.
        text: String,
    },
    /// A command was not carried out.
    Error {
        /// The request's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
        /// What was wrong, and what would be right.
        text: String,
        /// Mistakes in a source text: what the language's reader says of each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mistakes: Vec<serde_json::Value>,
    },
    /// A command was carried out.
    Done {
        /// The request's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
        /// Its answer, for those that have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<serde_json::Value>,
    },
    /// The watcher was too slow, and events were left out since the last one that it received. An
    /// agent's next tick holds all keys.
    Dropped {
        /// How many.
        count: u64,
    },
    /// The process ends the connection.
    Bye {
        /// Why.
        text: String,
    },
}

/// The process introduces itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`](super::PROTOCOL) of the process.
    pub protocol: u32,
    /// The process.
    pub process: Process,
    /// Differs after every start; tick numbers of different sessions are not comparable.
    pub session: String,
    /// Its trees.
    pub trees: Vec<TreeDef>,
    /// Its agents.
    pub agents: Vec<AgentInfo>,
    /// The world that it runs, if it is a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldInfo>,
    /// How the run stands.
    pub control: Control,
    /// The commands it understands, by their names.
    pub can: Vec<String>,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The version of Tickseed in it.
    pub version: String,
    /// Its number in the system, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// An agent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AgentInfo {
    /// Its number.
    pub id: u32,
    /// Its name; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its tree.
    pub tree: u32,
}

/// A world.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WorldInfo {
    /// Its name.
    pub name: String,
    /// What it shows, in one line.
    pub about: String,
    /// Its seed.
    pub seed: u64,
    /// How many agents it has.
    pub agents: u32,
    /// The length of a step, in nanoseconds.
    pub step: u64,
    /// What a click does; empty if nothing.
    pub click: String,
    /// What a drain does; empty if nothing.
    pub drain: String,
    /// The same in a word or two, for a button; if empty, "Drain".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub drain_label: String,
    /// A behaviour that may be added to its tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
}

/// A behaviour that is not in a world's own tree, but could be.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Offer {
    /// What adding it does, in a few words.
    pub label: String,
    /// The label of its action, by which to see whether it was added.
    pub leaf: String,
}

/// How a run stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Control {
    /// Paused.
    pub paused: bool,
    /// How many times as fast as real time it runs.
    pub speed: f64,
    /// The displayed tick.
    pub tick: u64,
    /// The oldest tick that can be shown.
    pub first: u64,
    /// The latest tick.
    pub latest: u64,
    /// How many breakpoints there are.
    #[serde(default)]
    pub breakpoints: u32,
    /// While stepping from node to node, how many of the displayed tick's answers to show, in the
    /// order in which nodes answered. `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u32>,
}

impl Default for Control {
    fn default() -> Control {
        Control {
            paused: false,
            speed: 1.0,
            tick: 0,
            first: 1,
            latest: 0,
            breakpoints: 0,
            answered: None,
        }
    }
}

/// What a reload did to running nodes, by path, each listed once however many agents ran it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Moves {
    /// They went on where they were.
    pub moved: Vec<String>,
    /// They began again.
    pub restarted: Vec<String>,
    /// They were halted: the new tree has no such node.
    pub gone: Vec<String>,
    /// They went on at a different path: the old and the new path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(String, String)>,
    /// Their history (a cooldown, a count) is lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<String>,
    /// How many agents were taken over.
    #[serde(default)]
    pub agents: u32,
}

/// A summary of an agent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AgentSummary {
    /// Which.
    pub agent: u32,
    /// Its tree's latest answer.
    pub status: Option<Status>,
    /// The leaf that decided it.
    pub leaf: Option<u32>,
    /// For how many ticks it has decided.
    pub age: u64,
    /// Recent changes of the deciding leaf per second.
    pub flips: f64,
    /// What is suspicious.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// Something suspicious about an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// It has been at the same leaf for a long time.
    Stuck,
    /// It switches back and forth between leaves.
    Oscillating,
    /// A leaf failed with an error.
    Failed,
}

/// How grave a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Good to know.
    Info,
    /// May be wrong.
    Warning,
    /// Is wrong.
    Error,
}

/// A breakpoint with the number it was given: the answer to [`Command::Break`].
///
/// [`Command::Break`]: super::Command::Break
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NumberedBreak {
    /// Its number.
    pub breakpoint: u32,
    /// When it pauses.
    #[serde(flatten)]
    pub when: Break,
}
