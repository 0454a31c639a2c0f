//! Tree files for Tickseed.
pub mod xml;
