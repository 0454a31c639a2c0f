//! What a process tells its watchers.

use serde::{Deserialize, Serialize};

use super::command::Break;
use super::tick::{Status, Tick};
use super::tree::TreeDef;

/// What a process tells a watcher.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The first one of every connection; again when another world begins.
    Hello(Box<Hello>),
    /// How the run stands, whenever that changes.
    Control(Control),
    /// A tree was added.
    Tree(Box<TreeDef>),
    /// A tree took the place of another while it ran.
    Reloaded {
        /// The number of the tree that is gone.
        old: u32,
        /// The new one.
        tree: Box<TreeDef>,
        /// What became of running nodes. Empty where a watcher goes back or forth past a
        /// reload that it was told of before.
        #[serde(default)]
        moves: Moves,
        /// After how many ticks it took its place: ticks from the next one on are its own.
        #[serde(default)]
        since: u64,
    },
    /// Agents came or went: all there are now.
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
        /// What to draw, in the world's words.
        view: serde_json::Value,
    },
    /// A line on every agent.
    Summary {
        /// After which tick.
        tick: u64,
        /// One for each.
        agents: Vec<AgentSummary>,
    },
    /// A breakpoint was met; the run is paused.
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
        /// What was wrong and what would have been right.
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
    /// The watcher was too slow: so many events were left out since the last one it was
    /// told of. The next tick of an agent holds all keys.
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

/// Who is there.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`](super::PROTOCOL) of the process.
    pub protocol: u32,
    /// The process.
    pub process: Process,
    /// Another one after every start: tick numbers of different sessions do not compare.
    pub session: String,
    /// Its trees.
    pub trees: Vec<TreeDef>,
    /// Its agents.
    pub agents: Vec<AgentInfo>,
    /// The world it runs, if it is one of ours.
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
    /// What it shows, in a line.
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
    /// The same in a word or two, for a button; empty: "Drain".
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
    /// The label of its action: the tree has one if it was added.
    pub leaf: String,
}

/// How a run stands.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Control {
    /// Paused.
    pub paused: bool,
    /// So many times as fast as real time.
    pub speed: f64,
    /// The tick that is shown.
    pub tick: u64,
    /// The oldest tick that can be shown.
    pub first: u64,
    /// The latest tick.
    pub latest: u64,
    /// The breakpoints there are.
    #[serde(default)]
    pub breakpoints: u32,
    /// While stepping from node to node: of the answers in the tick that is shown, in the
    /// order in which nodes answered, so many are to be shown. None: all.
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

/// What a reload did to the nodes that ran, by path; each once, however many agents ran it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Moves {
    /// They went on where they were.
    pub moved: Vec<String>,
    /// They began again.
    pub restarted: Vec<String>,
    /// They were halted: the new tree has no such node.
    pub gone: Vec<String>,
    /// They went on at another path: before, now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(String, String)>,
    /// Their history (a cooldown, a count) is lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<String>,
    /// How many agents were taken over.
    #[serde(default)]
    pub agents: u32,
}

/// A line on an agent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AgentSummary {
    /// Which.
    pub agent: u32,
    /// Its tree's latest answer.
    pub status: Option<Status>,
    /// The leaf that decided it.
    pub leaf: Option<u32>,
    /// For how many ticks that has been so.
    pub age: u64,
    /// Changes of the deciding leaf a second, lately.
    pub flips: f64,
    /// What to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What is conspicuous in an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// It has been at the same leaf for long.
    Stuck,
    /// It goes to and fro between leaves.
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
