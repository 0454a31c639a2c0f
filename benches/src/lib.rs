//! Workloads that every engine must solve alike, and what it costs each of them.
//!
//! A *workload* ([`workloads`]) is a world (its input, its clock and its action counters) and, in the
//! module's documentation, a tree over it, spelled out to the last boundary. An *engine* ([`engines`]) is
//! that tree built with one library, or by hand. All engines see the same input, so all must end with
//! the same counters; [`measure`] refuses to report a figure for one that does not.
//!
//! To add an engine: a file in `engines/` that implements [`Engine`] for the three worlds, and three
//! lines in [`measure::contests`].

pub mod callgrind;
pub mod counting;
mod engine;
pub mod engines;
mod input;
pub mod measure;
pub mod report;
pub mod workloads;

pub use engine::{Engine, Outcome, World, checksum, run_cold, run_hot};
pub use input::Xorshift;
