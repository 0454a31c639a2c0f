//! The guide: how to write trees, run them and find out what they do. The tests compile and run its
//! code.
//!
//! 1. [`first_tree`]: contexts, leaves, sequences and selectors, and the choice between memory
//!    and reactive.
//! 2. [`halting`]: what a halt is, when it happens, and who guarantees what.
//! 3. [`time_and_chance`]: waits, cooldowns, limits, randomness; why the engine reads no clock.
//! 4. [`blackboards`]: typed keys, key blocks, the dynamic blackboard; guards as data.
//! 5. [`debugging`]: outlines, reports, errors, and frequently asked questions.
//! 6. [`herds`]: many agents, letting them sleep until something matters; abort scopes; saving and
//!    editing.
//! 7. [`performance`]: what costs what, and what to do about it.
//!
//! Trees can also be files: `docs/tree-files.md` is a tutorial.
//!
//! The examples in the crate's `examples` folder are numbered in the same order; `12_tree_file`
//! shows trees from files and a leaf with ports, made with `#[derive(Leaf)]`.

pub mod blackboards;
pub mod debugging;
pub mod first_tree;
pub mod halting;
pub mod herds;
pub mod performance;
pub mod time_and_chance;
