//! The nodes, one file each: meaning, options, and how they compile.

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
mod quota;
mod recovery;
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
pub use quota::LimitRuns;
pub use recovery::Recovery;
pub use utility::{
    Choose, Combine, Consideration, Curve, MAX_DRAWN, Response, Score, ScoreDef, Utility,
};
pub use wait::{WaitFor, WaitUntil};

pub(crate) use branch::{lower_if, lower_switch, lower_while_do};
pub(crate) use chance::lower_chance;
pub(crate) use custom::lower_custom;
pub(crate) use flow::{lower_flow, place_counter};
pub(crate) use for_each::lower_for_each;
pub(crate) use gate::lower_gate;
pub(crate) use guarded::{lower_precondition, lower_while_guard};
pub(crate) use hook::{lower_catch, lower_hook};
pub(crate) use leaves::{lower_action, lower_constant, lower_leaf, lower_log};
pub(crate) use limit::lower_time_limit;
pub(crate) use looping::lower_loop;
pub(crate) use once::lower_run_once;
pub(crate) use parallel::lower_parallel;
pub(crate) use quota::{lower_forget, lower_limit_runs, runs_counter};
pub(crate) use utility::lower_utility;
pub(crate) use wait::{lower_delay, lower_wait, lower_wait_until};
