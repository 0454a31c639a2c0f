//! Running trees in an application: a fixed-rate loop, and leaves that take longer than a tick.
//!
//! * [`Driver`] calls for a step at a fixed rate, without drift, with a limit on catching up,
//!   and can be paused, stepped, sped up, woken and stopped through a [`Remote`] from any
//!   thread. Its clock is the system's, or a [`ManualClock`] on which ten virtual seconds take
//!   no time.
//! * With the feature `tokio` a driver can be a task of a tokio runtime:
//!   `Driver::on_tokio` and `run_async`.
//! * [`Async`] is a leaf that polls a future; [`Blocking`] is one that works on a separate thread.
//!   A halt cancels both, and a late answer never reaches the tree.
//! * [`Inbox`] collects wake-ups of a herd's agents from other threads.
//!
//! No node reads a clock: the driver gives each step its time.
#![forbid(unsafe_code)]

mod blocking;
mod clock;
mod driver;
mod future;
mod inbox;
mod remote;
#[cfg(feature = "tokio")]
mod tokio;

pub use blocking::{Blocking, Cancel};
pub use clock::{Clock, ManualClock, SystemClock};
pub use driver::{Driver, Next, Step, Why};
pub use future::Async;
pub use inbox::{Inbox, Notify};
pub use remote::{Bell, Remote, Stats};
#[cfg(feature = "tokio")]
pub use tokio::TokioClock;
