//! What can go wrong with a tick.

use alloc::string::String;
use core::fmt;

use crate::def::NodeId;
use crate::leaf::LeafError;

/// Why a tick (or halt) was not carried out, or not completed.
#[derive(Debug)]
#[non_exhaustive]
pub enum TickError {
    /// The agent was made by another tree. Nothing was ticked.
    WrongTree,
    /// A leaf failed or panicked in an earlier tick, and the agent has not been recovered since.
    /// Nothing was ticked.
    Poisoned,
    /// A leaf failed. The agent is now poisoned.
    Leaf {
        /// The node that failed.
        node: NodeId,
        /// Its path.
        path: String,
        /// The leaf's error.
        error: LeafError,
    },
    /// A leaf panicked, in a herd that catches panics. The agent is now poisoned.
    Panicked {
        /// The path of the node that was being called, if known.
        path: Option<String>,
        /// The panic's message, if it was text.
        message: String,
    },
}

impl fmt::Display for TickError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TickError::WrongTree => f.write_str("the agent belongs to another tree: tick it with the tree whose `agent()` made it"),
            TickError::Poisoned => f.write_str("a leaf of this agent failed in an earlier tick: call `recover` before ticking it again"),
            TickError::Leaf { path, error, .. } => write!(f, "{path}: {error}"),
            TickError::Panicked { path, message } => {
                let path = path.as_deref().unwrap_or("a leaf");
                write!(f, "{path} panicked: {message}")
            }
        }
    }
}

impl core::error::Error for TickError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            TickError::Leaf { error, .. } => error.source(),
            TickError::WrongTree | TickError::Poisoned | TickError::Panicked { .. } => None,
        }
    }
}
