//! What outlives a halt: read out for tests, tools and snapshots.

use alloc::vec::Vec;

use crate::status::Status;
use crate::time::Deadline;

/// The history that one node keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum History {
    /// A cooldown or rate limit: until when it is closed (unset in a new agent, and after a
    /// refund), and the verdict that closed it.
    Gate {
        /// Until when it is closed.
        until: Deadline,
        /// The verdict that closed it; only kept by a gate that replays.
        verdict: Option<Status>,
    },
    /// A run-once: the verdict, once there is one.
    Once(Option<Status>),
    /// A limit on runs: how many were started.
    Runs(u32),
    /// A composite that keeps its place: the child it goes on at.
    Place(u32),
    /// The memory of a custom node.
    Memory(Vec<u8>),
}
