//! What outlives a halt, in readable form for tests, tools and snapshots.

use alloc::vec::Vec;

use crate::status::Status;
use crate::time::Deadline;

/// The history that one node keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum History {
    /// A cooldown or rate limit: when it opens again (unset in a new agent and after a refund), and
    /// the verdict that closed it.
    Gate {
        /// When it opens again.
        until: Deadline,
        /// The verdict that closed it, kept only by a gate that replays.
        verdict: Option<Status>,
    },
    /// A run-once: the verdict, once there is one.
    Once(Option<Status>),
    /// A limit on runs: how many have been started.
    Runs(u32),
    /// A composite that keeps its place: the child at which it goes on.
    Place(u32),
    /// The memory of a custom node.
    Memory(Vec<u8>),
}
