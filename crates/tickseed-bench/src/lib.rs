//! Workloads that every engine must solve in the same way, and measurements of their cost.
//!
//! A *workload* ([`workloads`]) is a world (its input, its clock and its action counters) and, in the
//! module's documentation, a tree over it, spelled out to the last boundary. An *engine* ([`engines`]) is
//! that tree built with one library, or by hand. All engines see the same input, so all must end with
//! the same counters; [`measure`] refuses to report a figure for one that does not.
//!
//! `tickseed bench` measures the engines in this crate: Tickseed, hand-written code, and one object per
//! node. The workspace `benches` adds those of other libraries, which need more dependencies. [`herds`]
//! measures herds.
//!
//! To add an engine: a file that implements [`Engine`] for the three worlds, and an
//! [`Entrant`](measure::Entrant) of each contest.

pub mod counting;
mod engine;
pub mod engines;
pub mod herds;
mod input;
pub mod measure;
pub mod report;
pub mod workloads;

pub use engine::{Engine, Outcome, World, checksum, run_cold, run_hot};
pub use input::Xorshift;
