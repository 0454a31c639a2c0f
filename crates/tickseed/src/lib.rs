//! Behaviour trees for games and robots.
pub use tickseed_core as core;
pub use tickseed_core::*;
#[cfg(feature = "derive")]
pub use tickseed_derive::{Context, Keys, Leaf};
#[cfg(feature = "lang")]
pub use tickseed_lang as lang;
