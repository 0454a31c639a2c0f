//! Recordings of worlds: making, replaying and inspecting them.

mod record;
mod replay;
mod show;

pub(crate) use record::Record;
pub(crate) use replay::{Replay, named};
