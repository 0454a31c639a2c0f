//! Tree files for Tickseed.
//!
//! Every format is a view of one [document model](model): `.tick` text, BehaviorTree.CPP XML, JSON
//! and binary. Readers return a document together with [diagnostics]; they never panic, and never
//! stop at the first mistake if they can go on.
#![forbid(unsafe_code)]

pub mod binary;
pub mod board;
pub mod build;
pub mod builtin;
pub mod check;
pub mod compat;
pub mod conformance;
pub mod diagnostics;
pub mod expr;
pub mod fmt;
mod foreign;
pub mod ide;
pub mod json;
mod lex;
pub mod load;
pub mod model;
pub mod registry;
pub mod simulate;
pub mod tick;
pub mod xml;
