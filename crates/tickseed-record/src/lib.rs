//! Recordings of behaviour trees, and the protocol to watch them live.
//!
//! A tick is recorded as what its leaves answered ([`message::Tick`]); the statuses of all
//! nodes above them follow from the tree ([`derive()`]).
#![forbid(unsafe_code)]

mod derive;
mod describe;
pub mod message;
mod predict;
mod structure;

pub use derive::{NotOfThisTree, derive};
pub use structure::{NoTree, Structure};
