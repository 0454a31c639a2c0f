//! Plays a world for a watcher: run, pause, speed, step, rewind, break.
//!
//! A [`Player`] takes the commands of [`tickseed_record::message`] and answers with its events. It
//! reads no clock and does no I/O: its owner tells it how much time has passed. The same player
//! runs in a web page, compiled to WebAssembly, and in a process.
//!
//! Past ticks are not stored. A world is a function of its name, seed and inputs, so going back to
//! a tick means replaying it with the same inputs, from the nearest of a bounded number of copies
//! kept on the way.
//!
//! A tick is atomic, so stepping from node to node goes through a tick that has already been
//! executed: the world is in the state after it, and an event says how many of its answers to show.
//!
//! ```
//! use tickseed_play::Player;
//! use tickseed_record::message::{Command, Event, Request};
//!
//! let mut player = Player::default();
//! let world = Command::World { name: "robot".into(), seed: 7, agents: None };
//! player.handle(Request { id: None, command: world });
//! let events = player.handle(Request { id: None, command: Command::Step { ticks: 3 } });
//! assert!(events.iter().any(|e| matches!(e, Event::Tick(t) if t.tick == 3)));
//! ```
#![forbid(unsafe_code)]

mod breakpoint;
mod crowd;
mod keyframes;
mod machine;
mod picture;
mod player;
mod run;
mod scribe;

pub use player::Player;
pub use scribe::{Scribe, head, moves};
