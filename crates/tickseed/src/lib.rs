//! Behaviour trees for games and robots.
pub use tickseed_core as core;
