//! Recordings of behaviour trees, and the protocol to watch them live.
//!
//! A tick is recorded as what its leaves answered ([`message::Tick`]); the statuses of all
//! nodes above them follow from the tree ([`derive()`]).
#![forbid(unsafe_code)]

mod derive;
mod describe;
mod file;
mod keys;
pub mod message;
mod predict;
mod recorded;
#[cfg(feature = "serve")]
pub mod serve;
pub mod snapshot;
mod structure;
mod why;

pub use derive::{NotOfThisTree, answering_order, derive};
pub use file::{Damage, Head, Item, Items, Limits, OpenError, Recorder, Recording, Ring};
pub use keys::{KnownKeys, key_changes, writer_in};
pub use recorded::{Recorded, Sink};
pub use structure::{NoTree, Structure};
pub use why::{NoAnswer, Reason, What, Why, why};
