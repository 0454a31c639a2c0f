//! The workloads of `tickseed-bench` on the engines from crates.io that are pinned in `Cargo.toml`.
//!
//! To add an engine: a file in `engines/` that implements [`Engine`] for the three worlds, and three
//! lines in [`contests`].

pub mod callgrind;
pub mod contests;
pub mod engines;

pub use tickseed_bench::{Engine, Outcome, World, Xorshift, workloads};

/// Bytes per agent and allocations per tick are counted here.
#[global_allocator]
static GLOBAL: tickseed_bench::counting::Counting = tickseed_bench::counting::Counting;
