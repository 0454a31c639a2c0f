//! The workloads, a module each: the tree in words, the world in code.
//!
//! Common to all: a tick is *input, then tree*. Input is fixed while the tree is ticked. Time is
//! simulated and stands still within a round. Conditions and actions named without more end within the
//! tick that starts them; an action adds one to its counter and succeeds.

pub mod deep;
pub mod monster;
pub mod wide;

pub use deep::Deep;
pub use monster::Monster;
pub use wide::Wide;
