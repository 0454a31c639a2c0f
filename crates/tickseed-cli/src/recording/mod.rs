//! Recordings of worlds: made, run again, looked into.

mod record;
mod replay;
mod show;

pub(crate) use record::Record;
pub(crate) use replay::{Replay, named};
