//! Recordings of behaviour trees, and the protocol to watch them live.
//!
//! A tick is recorded as what its leaves answered ([`message::Tick`]); the statuses of all
//! nodes above them follow from the tree.
#![forbid(unsafe_code)]

mod describe;
pub mod message;
