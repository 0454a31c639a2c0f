//! Controlling a driver from elsewhere.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Requests to a driver that have not been served yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wishes {
    pub(crate) stop: bool,
    pub(crate) wake: bool,
    pub(crate) paused: bool,
    pub(crate) steps: u32,
    pub(crate) speed: f64,
    /// Whether something has changed since the driver last looked.
    rung: bool,
}

/// Wakes a sleeping driver.
#[derive(Debug)]
pub struct Bell {
    wishes: Mutex<Wishes>,
    rings: Condvar,
    stats: Mutex<Stats>,
    /// Rings for a driver that is a task.
    #[cfg(feature = "tokio")]
    pub(crate) task: tokio::sync::Notify,
}

impl Bell {
    pub(crate) fn new() -> Bell {
        Bell {
            wishes: Mutex::new(Wishes {
                stop: false,
                wake: false,
                paused: false,
                steps: 0,
                speed: 1.0,
                rung: false,
            }),
            rings: Condvar::new(),
            stats: Mutex::default(),
            #[cfg(feature = "tokio")]
            task: tokio::sync::Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something was requested since the driver last looked.
    #[must_use]
    pub fn has_rung(&self) -> bool {
        self.lock().rung
    }

    /// Waits until something is requested, or the time is up.
    pub fn wait(&self, most: Option<Duration>) {
        let end = most.map(|d| Instant::now() + d.min(Duration::from_secs(86_400)));
        let mut wishes = self.lock();
        while !wishes.rung {
            wishes = match end {
                None => self
                    .rings
                    .wait(wishes)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return;
                    }
                    let waited = self.rings.wait_timeout(wishes, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    pub(crate) fn ask(&self, f: impl FnOnce(&mut Wishes)) {
        let mut wishes = self.lock();
        f(&mut wishes);
        wishes.rung = true;
        self.rings.notify_all();
        #[cfg(feature = "tokio")]
        self.task.notify_one();
    }

    /// The current requests; single steps and wake-ups are consumed.
    pub(crate) fn take(&self) -> Wishes {
        let mut wishes = self.lock();
        let taken = *wishes;
        wishes.rung = false;
        wishes.wake = false;
        wishes.steps = if taken.paused {
            taken.steps.saturating_sub(1)
        } else {
            0
        };
        taken
    }

    pub(crate) fn count(&self, f: impl FnOnce(&mut Stats)) {
        f(&mut self.stats.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn stats(&self) -> Stats {
        *self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Statistics of a driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Regular steps.
    pub steps: u64,
    /// Steps because of wake-ups.
    pub woken: u64,
    /// Steps that took longer than a period.
    pub overruns: u64,
    /// Regular steps that were dropped because of the limit on catching up.
    pub dropped: u64,
}

/// Controls a [`Driver`](crate::Driver) from any thread. Clones control the same one.
#[derive(Clone, Debug)]
pub struct Remote(pub(crate) Arc<Bell>);

impl Remote {
    /// Ends the loop: at once if it sleeps, otherwise after the current step. The caller of
    /// [`run`](crate::Driver::run) should then halt what is still running.
    pub fn stop(&self) {
        self.0.ask(|w| w.stop = true);
    }

    /// Asks for a step now. Regular steps keep their times, and any number of wake-ups before the
    /// step result in one step. Nothing happens while paused.
    pub fn wake(&self) {
        self.0.ask(|w| w.wake = true);
    }

    /// Stops tree time. Whatever runs elsewhere (futures, threads) goes on.
    pub fn pause(&self) {
        self.0.ask(|w| w.paused = true);
    }

    /// Lets tree time continue from where it stopped.
    pub fn resume(&self) {
        self.0.ask(|w| w.paused = false);
    }

    /// While paused, takes one regular step.
    pub fn step(&self) {
        self.0.ask(|w| w.steps = w.steps.saturating_add(1));
    }

    /// Sets how fast tree time runs: 10 is ten times as fast as the clock. Numbers that are not
    /// positive and finite are ignored.
    pub fn set_speed(&self, speed: f64) {
        if speed.is_finite() && speed > 0.0 {
            self.0.ask(|w| w.speed = speed);
        }
    }

    /// Whether the driver has seen all requests.
    #[must_use]
    pub fn is_heeded(&self) -> bool {
        !self.0.has_rung()
    }

    /// The driver's statistics so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.0.stats()
    }
}
