//! What can go wrong with a herd.

use core::fmt;

use super::Handle;
use crate::error::TickError;

/// Why a herd refused an operation.
#[derive(Debug)]
#[non_exhaustive]
pub enum HerdError {
    /// The agent was despawned. Nothing was done.
    Stale(Handle),
    /// The handle belongs to another herd. Nothing was done.
    OtherHerd(Handle),
    /// The herd's capacity is fixed and used up. Nothing was spawned.
    Full {
        /// How many agents there are.
        capacity: usize,
    },
    /// The herd has as many slots as a herd can have. Nothing was spawned.
    TooMany {
        /// How many that is.
        most: usize,
    },
    /// Levels of detail: none, or more than 256. Nothing was changed.
    Levels {
        /// How many there were.
        found: usize,
    },
    /// The caller's data has fewer elements than the herd has slots. Nothing was ticked.
    Data {
        /// How many are needed: [`Herd::slots`](crate::Herd::slots).
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// The agent's tick or halt failed.
    Tick(TickError),
}

impl From<TickError> for HerdError {
    fn from(e: TickError) -> HerdError {
        HerdError::Tick(e)
    }
}

impl fmt::Display for HerdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HerdError::Stale(h) => {
                write!(f, "there is no agent {h} any more: it was despawned")
            }
            HerdError::OtherHerd(h) => write!(
                f,
                "agent {h} is another herd's: a handle works with the herd that gave it out, and a loaded herd gives out its own (`Herd::handle`)"
            ),
            HerdError::Full { capacity } => write!(
                f,
                "the herd is full: its capacity is fixed at {capacity} agents; despawn some, or make it growing"
            ),
            HerdError::TooMany { most } => write!(
                f,
                "the herd has {most} slots, and no herd can have more: despawn some agents, or keep two herds"
            ),
            HerdError::Levels { found } => write!(
                f,
                "{found} levels of detail: a herd has 1 to 256, since an agent keeps its level in a byte"
            ),
            HerdError::Data { wanted, found } => write!(
                f,
                "the data has {found} elements, the herd has {wanted} slots: give one element a slot, by the agent's index"
            ),
            HerdError::Tick(e) => e.fmt(f),
        }
    }
}

impl core::error::Error for HerdError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            HerdError::Tick(e) => Some(e),
            _ => None,
        }
    }
}
