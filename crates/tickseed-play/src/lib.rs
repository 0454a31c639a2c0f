//! Plays a world for a watcher: run, pause, speed, step, rewind, break.
//!
//! A [`Player`] takes the commands of [`tickseed_record::message`] and answers with its
//! events. It reads no clock and does no I/O: whoever owns it tells it how much time has
//! passed. The same player runs in a web page, compiled to WebAssembly, and in a process.
//!
//! Ticks of the past are not stored. A world is a function of its name, its seed and its
//! inputs, so going back to a tick means playing it again with the same inputs, from the
//! nearest of a bounded number of copies that are kept on the way.
//!
//! A tick is atomic, so stepping from node to node goes through a tick that has been made:
//! the world stands after it, and how many of its answers are to be shown is told.
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
