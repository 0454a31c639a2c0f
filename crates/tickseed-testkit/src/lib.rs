//! What Tickseed's own tests are made of, for its users' tests as well.
//!
//! * [`script`]: leaves whose answers are written down, and a world that keeps a log of what
//!   happens to them. Build the shape of a tree from them, or exchange a real tree's leaves.
//! * [`check`]: tells such a tree's story tick by tick and compares it with the one you wrote.
//! * [`Interp`]: the specification of what every node means, as a plain interpreter.
//! * [`random`]: lively random trees from a seed, and a shrinking strategy for `proptest`.
//! * [`compare`]: one random run by the compiled program and by the interpreter, compared
//!   after every step. An engine of your own can be held to [`Interp`] in the same way.

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
