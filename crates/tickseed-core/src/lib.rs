//! Behaviour trees compiled to flat programs.
//!
//! Write a tree with [`nodes()`], [`build`](Node::build) it, make an [`agent`](Tree::agent) for
//! each run, and [`tick`](Tree::tick) it. This crate reads no clock, does no I/O and knows no
//! files; it is `no_std` (with `alloc`) and contains no `unsafe`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod agent;
mod blackboard;
mod block;
mod build;
mod cadence;
mod compile;
mod context;
mod custom;
mod def;
mod describe;
mod error;
mod few;
mod fluent;
mod guard;
mod herd;
mod history;
pub mod interpret;
mod key;
mod keys;
mod kind;
mod leaf;
mod nearest;
mod node;
pub mod nodes;
pub mod presets;
mod report;
mod rng;
mod run;
mod snapshot;
mod status;
mod time;
mod trace;
mod tree;
mod wake;

pub use agent::Agent;
pub use blackboard::{Blackboard, BlackboardError, KeyRef, Layout, LayoutBuilder};
pub use build::{BuildError, Issue, MAX_DEPTH, Rule};
pub use bytemuck;
pub use cadence::{Buckets, Cadence, CatchUp, Pacer, TreeClock};
pub use context::{Context, Cx};
pub use custom::{Branches, CustomNode, Stop};
pub use def::{Def, NodeDef, NodeId};
pub use describe::{Fact, Live};
pub use error::TickError;
pub use fluent::{Builder, builder};
pub use guard::{Compare, Expr, Guard, Op, Source, Test};
pub use herd::{
    AgentSnapshot, EventOptions, Handle, Herd, HerdError, HerdOptions, HerdReport, HerdSnapshot,
    Leaving, Ticker, Turn,
};
pub use history::History;
pub use key::{Key, KeyId, KeyInfo, KeyType, Place, Scalar, ScalarType, Schema};
pub use keys::{HasKeys, Keys, join_keys};
pub use kind::{Kind, Weights};
pub use leaf::{BoxedLeaf, IntoOutcome, Leaf, LeafError, Outcome};
pub use node::{Node, Nodes, nodes};
pub use report::{Entry, TickReport};
pub use rng::Rng;
pub use snapshot::{Change, NodeState, Report, Snapshot, SnapshotError, Value};
pub use status::{End, Status};
pub use time::{Deadline, MAX_DURATION, Time};
pub use trace::{KeyView, Trace};
pub use tree::{Tree, TreeKey};
#[doc(hidden)]
pub use wake::Sabotage;
