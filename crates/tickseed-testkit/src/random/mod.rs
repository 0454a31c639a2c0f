//! Random trees of scripted leaves: as data, from a seed, with shrinking.
//!
//! A [`Spec`] is a tree as plain data: it can be printed, cloned, cut down, and turned into
//! nodes as often as needed. [`Spec::random`] makes a lively one from a seed; [`trees`] is
//! the same as a strategy of `proptest`, with shrinking.

mod generate;
mod shrink;
mod sleepy;
mod spec;
mod strategy;

pub use shrink::{shrink, smallest};
pub use spec::{CustomKind, GuardSpec, LeafKind, LeafSpec, Spec, SpecKind};
pub use strategy::{Trees, trees};
