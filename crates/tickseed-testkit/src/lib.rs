//! The building blocks of Tickseed's own tests, for users' tests as well.
//!
//! * [`script`]: leaves with scripted answers, and a world that logs what happens to them. Build
//!   trees from them, or substitute them for a real tree's leaves.
//! * [`check`]: runs such a tree tick by tick and compares what happens with the story you wrote.
//! * [`Interp`]: the specification of every node's meaning, as a plain interpreter.
//! * [`random`]: lively random trees from a seed, and a shrinking strategy for `proptest`.
//! * [`compare`]: one random run of the compiled program and of the interpreter, compared after
//!   every step. You can compare your own engine with [`Interp`] in the same way.

mod asleep;
mod compare;
mod interp;
pub mod random;
pub mod script;
mod story;
mod trace;

pub use asleep::{Slept, compare_asleep};
pub use compare::{Compared, Plan, compare};
pub use interp::{Fault, Interp};
pub use story::{brief, check};
pub use trace::{Mark, Marks, Silent};
