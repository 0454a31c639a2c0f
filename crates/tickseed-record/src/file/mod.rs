//! Recordings as files.
//!
//! A file is the eight bytes `TICKREC1`, followed by chunks. A chunk begins with its content type,
//! its length, its range of ticks, and checksums of this lead and of the content, which is packed
//! with LZ4. Every chunk of ticks begins with all keys, so that it can be read by itself. A
//! recording that was closed properly has an index as its last chunk, and the index's position in
//! the last eight bytes; without an index, chunks are found by going from one to the next.

mod bytes;
mod chunk;
mod read;
mod ring;
mod write;

use serde::{Deserialize, Serialize};

use crate::message::{AgentInfo, Process, TreeDef, WorldInfo};

pub use read::{Damage, Item, Items, OpenError, Recording};
pub use ring::Ring;
pub use write::{Limits, Recorder};

/// The first bytes of a recording; the last of them is the version.
pub(crate) const MAGIC: &[u8; 8] = b"TICKREC1";

/// What a recording describes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Head {
    /// The process.
    pub process: Process,
    /// Its trees.
    pub trees: Vec<TreeDef>,
    /// Its agents.
    #[serde(default)]
    pub agents: Vec<AgentInfo>,
    /// The world that it runs, if it is a built-in one: the recording can then be run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldInfo>,
}

impl Head {
    /// A head for one tree with one agent, in a process of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, tree: TreeDef) -> Head {
        let agent = AgentInfo {
            id: 0,
            name: String::new(),
            tree: tree.id,
        };
        Head {
            process: Process {
                name: name.into(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                pid: None,
            },
            trees: vec![tree],
            agents: vec![agent],
            world: None,
        }
    }
}
