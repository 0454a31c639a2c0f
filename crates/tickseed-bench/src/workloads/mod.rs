//! The workloads, one module each: the tree in words, the world in code.
//!
//! In all of them, a tick is *input, then tree*. The input does not change while the tree is ticked.
//! Time is simulated and stands still within a round. Unless stated otherwise, conditions and actions
//! end within the tick that starts them; an action adds one to its counter and succeeds.

pub mod deep;
pub mod monster;
pub mod wide;

pub use deep::Deep;
pub use monster::Monster;
pub use wide::Wide;
