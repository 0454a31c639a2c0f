//! What Tickseed's own tests are made of, for its users' tests as well.

mod interp;
pub mod random;
pub mod script;
mod trace;

pub use interp::{Fault, Interp};
pub use trace::{Mark, Marks, Silent};
