//! The guide: how to write trees, run them and find out what they do. Its code is compiled and
//! run with the tests.
//!
//! 1. [`first_tree`]: contexts, leaves, sequences and selectors, and the choice between memory
//!    and reactive.
//! 2. [`halting`]: what a halt is, when it comes, and who guarantees what.
//! 3. [`time_and_chance`]: waits, cooldowns, limits, randomness; why nothing reads a clock.
//! 4. [`blackboards`]: typed keys, key blocks, the dynamic blackboard; guards as data.
//! 5. [`debugging`]: outlines, reports, errors, and the questions people ask.
//! 6. [`herds`]: many agents, asleep until something matters; abort scopes; saved and edited.
//! 7. [`performance`]: what costs what, and what to do about it.
//!
//! Trees can be files as well: the page `docs/tree-files.md` begins with those.
//!
//! The examples in the crate's `examples` folder are numbered in the same order; `12_tree_file` has
//! trees from files and a leaf with ports, by `#[derive(Leaf)]`.

pub mod blackboards;
pub mod debugging;
pub mod first_tree;
pub mod halting;
pub mod herds;
pub mod performance;
pub mod time_and_chance;
