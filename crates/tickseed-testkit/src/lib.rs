//! What Tickseed's own tests are made of, for its users' tests as well.

mod compare;
mod interp;
pub mod random;
pub mod script;
mod story;
mod trace;

pub use compare::{Compared, Plan, compare};
pub use interp::{Fault, Interp};
pub use story::{brief, check};
pub use trace::{Mark, Marks, Silent};
