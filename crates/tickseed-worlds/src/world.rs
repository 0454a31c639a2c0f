//! The interface of a world for those who run and draw it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use tickseed_core::{Context, Def, KeyId, NodeId, Scalar, Status, TickError};
use tickseed_lang::ide::Completion;

use crate::choices::Choice;
use crate::offer::Offer;
use crate::script::{Alone, Messages, Reloaded};
use crate::stage::Stage;
use crate::view::View;

/// A kind of world.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// The length of its step.
    pub step: Duration,
    /// How many agents it has by default.
    pub agents: u32,
    /// Whether the number of agents can be chosen.
    pub crowd: bool,
    /// What a click in the scene does.
    pub click: &'static str,
    /// What [`Input::Drain`] does, in a word or two, for a button.
    pub drain_label: &'static str,
    /// What [`Input::Drain`] does; empty if nothing.
    pub drain: &'static str,
    /// A behaviour that may be added to its tree.
    pub offer: Option<Offer>,
    /// Its tree, as `.tick` text.
    pub source: &'static str,
    /// Makes one, from a seed and a number of agents.
    pub make: fn(u64, u32) -> Box<dyn World>,
}

/// Something that reaches the world from outside, between two steps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "input")]
pub enum Input {
    /// A click in the scene, in metres. The world decides what it means.
    Click {
        /// To the right.
        x: f32,
        /// Up.
        y: f32,
    },
    /// Drains what an agent depends on: the robot's battery, the boss's health.
    Drain {
        /// Whose.
        agent: u32,
    },
    /// Sets a key of an agent.
    Set {
        /// Whose.
        agent: u32,
        /// Which key: its index in [`World::keys`].
        key: u16,
        /// To what.
        value: Value,
    },
    /// Replaces the tree with one made from this text.
    Reload {
        /// The text.
        source: String,
    },
}

/// A key's value, as plain data.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
}

impl From<Scalar> for Value {
    fn from(s: Scalar) -> Value {
        match s {
            Scalar::Bool(b) => Value::Bool(b),
            Scalar::Int(i) => Value::Int(i),
            Scalar::Float(f) => Value::Float(f),
        }
    }
}

impl From<Value> for Scalar {
    fn from(v: Value) -> Scalar {
        match v {
            Value::Bool(b) => Scalar::Bool(b),
            Value::Int(i) => Scalar::Int(i),
            Value::Float(f) => Scalar::Float(f),
        }
    }
}

/// A key of an agent with its current value.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct KeyValue {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Value,
}

/// The memory use and activity of a crowd's herd.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// Whether its agents may sleep.
    pub sleeps: bool,
    /// How many sleep.
    pub asleep: usize,
    /// How many were ticked in the latest step.
    pub ticked: usize,
    /// Bytes of state per agent.
    pub state_bytes: f64,
    /// Bytes of scheduling per agent.
    pub scheduling_bytes: f64,
}

/// A part of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What happens whatever the trees decide, and the bookkeeping of the run.
    World,
    /// The agents' ticks, including scheduling.
    Trees,
}

/// A small world with agents that are driven by a tree.
pub trait World: Send {
    /// What kind of world it is.
    fn info(&self) -> &'static Info;
    /// Seed, time, inputs, watch, fingerprint.
    fn stage(&self) -> &Stage;
    /// The tree that all its agents share.
    fn def(&self) -> &Def;
    /// The text from which its tree was read.
    fn source(&self) -> &str;
    /// Where a node is written in the text: its first byte, and the byte after its last.
    fn span(&self, node: NodeId) -> Option<(u32, u32)>;
    /// The messages about a text that might replace the present one.
    fn check(&self, source: &str) -> Messages;
    /// What it takes to run such a text without this world; nothing if it has mistakes.
    fn alone(&self, source: &str) -> Option<Alone>;
    /// The possible completions at a byte offset of such a text.
    fn complete(&self, source: &str, offset: usize) -> Vec<Completion>;
    /// Replaces the tree with one made from this text, between two steps. Agents go on where they
    /// are; whatever the new tree does not have is halted. This is an input and is recorded as one.
    ///
    /// # Errors
    /// The text has mistakes; nothing is changed.
    fn reload(&mut self, source: &str) -> Result<Reloaded, Messages>;
    /// How many agents there are.
    fn agents(&self) -> u32;
    /// How many bytes of tree state an agent has.
    fn bytes_per_agent(&self) -> usize;
    /// Advances by one step of [`Stage::step`].
    ///
    /// # Errors
    /// A leaf failed.
    fn step(&mut self) -> Result<(), TickError>;
    /// Like [`step`](World::step), but calls `done` after each part, for measuring times.
    ///
    /// # Errors
    /// As `step`.
    fn step_in_parts(&mut self, done: &mut dyn FnMut(Part)) -> Result<(), TickError> {
        let result = self.step();
        done(Part::Trees);
        result
    }
    /// For crowds: sets whether agents may sleep until something matters to them. The run is the
    /// same. Returns `false` if this world has no crowd.
    fn let_sleep(&mut self, _on: bool) -> bool {
        false
    }
    /// For crowds: the memory use and activity of their herd.
    fn figures(&self) -> Option<Figures> {
        None
    }
    /// Gives the world an input, which is recorded. An invalid input (an unknown agent or key, a
    /// value of another type, a click at NaN) changes nothing and is not recorded; the result is
    /// then `false`.
    fn input(&mut self, input: Input) -> bool;
    /// An independent copy that continues from here. `None` if that is impossible, for example
    /// after a leaf has failed.
    fn duplicate(&self) -> Option<Box<dyn World>>;
    /// Watches another agent. The run does not depend on which agent is watched.
    fn focus(&mut self, agent: u32);
    /// What to draw.
    fn view(&self) -> View;
    /// The keys of an agent with their values; empty for an unknown agent.
    fn keys(&self, agent: u32) -> Vec<KeyValue>;
    /// For a utility selector: the scores of its children for the watched agent. Empty in
    /// worlds without one.
    fn scores(&self) -> Vec<f64> {
        Vec::new()
    }
    /// For a utility selector: what it weighs for the watched agent, child by child. Empty in
    /// worlds without one.
    fn choices(&self) -> Vec<Choice> {
        Vec::new()
    }
    /// For crowds: the running leaf of an agent's tree, or the first of several. `None` while
    /// nothing runs, and in worlds with one agent, whose tree is watched anyway.
    fn running(&self, _agent: u32) -> Option<NodeId> {
        None
    }
    /// For crowds: what the agents are doing, and how many do it.
    fn doing(&self) -> Vec<(&'static str, u32)> {
        Vec::new()
    }
    /// What the latest tick of the watched agent's tree answered; `None` before the first.
    fn status(&self) -> Option<Status> {
        self.stage().watch().status(NodeId::ROOT)
    }
}

/// Reads all keys of an agent.
pub(crate) fn read_keys<C: for<'a> Context<At<'a> = C>>(at: &C) -> Vec<KeyValue> {
    let key = |(i, info): (usize, &tickseed_core::KeyInfo)| {
        let value = C::read(at, KeyId(i as u16))?.into();
        Some(KeyValue {
            name: info.name,
            value,
        })
    };
    C::schema()
        .keys
        .iter()
        .enumerate()
        .filter_map(key)
        .collect()
}

/// Applies [`Input::Set`] to an agent, if it exists.
pub(crate) fn set_key<C: for<'a> Context<At<'a> = C>>(
    at: Option<&mut C>,
    key: u16,
    value: Value,
) -> bool {
    at.is_some_and(|at| C::write(at, KeyId(key), value.into()))
}
