//! The compiler: from a definition to a flat program.
//!
//! `lower` turns every node into ops whose edges are its outcomes; sequences, selectors, inverters
//! and forced results become edges and cost nothing at run time. `layout` gives every node its
//! bytes in the agent's block. `program` is the result; `specialize` adds copies of ops that know
//! more than the originals.

mod layout;
mod lower;
mod program;
mod specialize;
#[cfg(debug_assertions)]
mod verify;

pub(crate) use layout::{Info, Layout, budget_width, counter_width, lay_out};
pub(crate) use lower::{Edges, Lower, Region, compile};
pub(crate) use program::*;
