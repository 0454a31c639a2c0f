//! The engines that need no library but ours, one module each.

pub mod handwritten;
pub mod input_only;
pub mod objects;
pub mod tickseed;
