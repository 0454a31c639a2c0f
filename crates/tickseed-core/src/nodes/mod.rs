//! The nodes, a file each: meaning, options, and how they compile.

mod branch;
mod chance;
mod custom;
mod flow;
mod for_each;
mod gate;
mod guarded;
mod hook;
mod leaves;
mod limit;
mod looping;
mod once;
mod parallel;
mod simple;
mod utility;
mod wait;

pub use branch::Switch;
pub use flow::{Flow, Preempt};
pub use gate::{Closed, Gate, StartOn};
pub use hook::Hook;
pub use limit::TimeLimit;
pub use looping::{Again, Loop, Pace};
pub use once::RunOnce;
pub use parallel::{Decide, Finished, Leftover, Parallel, Threshold, Tie};
pub use utility::{Choose, Combine, Consideration, Curve, MAX_DRAWN, Score, Utility};
pub use wait::{WaitFor, WaitUntil};
