//! The clocks that a driver can follow.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tickseed_core::Time;

use crate::remote::Bell;

/// A driver's source of time, which also lets it sleep.
pub trait Clock {
    /// The present time.
    fn now(&self) -> Time;
    /// Sleeps until the given time (for ever without one), or until the bell rings.
    fn sleep(&self, until: Option<Time>, bell: &Bell);
}

/// The system's monotonic clock, starting at zero.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that begins now.
    #[must_use]
    pub fn new() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Time {
        Time::ZERO + self.0.elapsed()
    }
    fn sleep(&self, until: Option<Time>, bell: &Bell) {
        bell.wait(until.map(|t| t.since(self.now())));
    }
}

/// A clock that stands still until it is advanced, and on which sleeping takes no time: a driver
/// that follows it runs as fast as it can and sees the times of an infinitely fast machine.
///
/// Clones show the same time.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<Mutex<Time>>);

impl ManualClock {
    /// A clock at the origin.
    #[must_use]
    pub fn new() -> ManualClock {
        ManualClock::default()
    }

    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Time {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn sleep(&self, until: Option<Time>, bell: &Bell) {
        match until {
            Some(until) if !bell.has_rung() => {
                let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                *now = until.max(*now);
            }
            Some(_) => {}
            None => bell.wait(None),
        }
    }
}
