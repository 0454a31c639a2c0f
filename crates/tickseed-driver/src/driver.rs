//! The loop.

use std::sync::Arc;
use std::time::Duration;

use tickseed_core::Time;

use crate::clock::{Clock, SystemClock};
use crate::remote::{Bell, Remote, Stats, Wishes};

/// Why a step is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It is time.
    Regular,
    /// [`Remote::wake`] asked for it.
    Woken,
}

/// One step: tick whatever is due, with this time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The time of trees. Regular steps are exactly a period apart.
    pub now: Time,
    /// Why it is taken.
    pub why: Why,
    /// How late a regular step begins, in tree time.
    pub late: Duration,
}

/// How to go on after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// With the next regular step.
    Go,
    /// With the regular step at or before this time, or with a wake-up if that comes first: there
    /// is nothing to do until then. See [`Herd::next_due`](tickseed_core::Herd::next_due).
    Sleep(Time),
    /// Only with a wake-up.
    Wait,
    /// Not at all.
    Stop,
}

/// What the loop does after a turn.
pub(crate) enum After {
    /// Another turn.
    Go,
    /// Nothing until then, or until the bell rings.
    Sleep(Option<Time>),
    /// Nothing more.
    Stop,
}

/// A loop with a fixed step.
///
/// Regular steps are due at whole multiples of the period after the beginning; the loop sleeps
/// until then, so the time that steps take does not accumulate. Missed steps are caught up at once,
/// each with its own time, up to a limit; the others are dropped and counted.
///
/// ```
/// use std::time::Duration;
/// use tickseed_core::{Status, nodes};
/// use tickseed_driver::{Driver, ManualClock, Next};
///
/// let n = nodes::<()>();
/// let tree = n.wait(Duration::from_secs(10)).build().unwrap();
/// let mut agent = tree.agent();
/// let mut driver = Driver::with_clock(Duration::from_millis(100), ManualClock::new());
/// let stats = driver.run(|step| match tree.tick(&mut agent, &mut (), step.now) {
///     Ok(Status::Running) => Next::Go,
///     _ => Next::Stop,
/// });
/// assert_eq!(stats.steps, 101); // ten virtual seconds, in no time
/// ```
#[derive(Debug)]
pub struct Driver<K: Clock = SystemClock> {
    pub(crate) clock: K,
    pub(crate) bell: Arc<Bell>,
    period: u64,
    catch_up: u32,
    /// When the next regular step is due, in tree time.
    due: Time,
    /// Tree time was `tree` when the clock showed `real`, and has run at `speed` since.
    real: Time,
    tree: Time,
    speed: f64,
    paused: bool,
    /// Regular steps before this time are omitted; with `None`, all of them.
    sleep: Option<Time>,
    /// Whether a wake-up is still to be answered: one during a pause is, after it.
    woken: bool,
}

impl Driver<SystemClock> {
    /// A driver with this period and the system's clock, which catches up on at most four steps.
    ///
    /// # Panics
    /// If the period is zero.
    #[must_use]
    pub fn new(period: Duration) -> Self {
        Driver::with_clock(period, SystemClock::new())
    }
}

impl<K: Clock> Driver<K> {
    /// A driver with another clock.
    ///
    /// # Panics
    /// If the period is zero.
    #[must_use]
    pub fn with_clock(period: Duration, clock: K) -> Self {
        assert!(!period.is_zero(), "a driver's period must not be zero");
        let now = clock.now();
        Driver {
            clock,
            bell: Arc::new(Bell::new()),
            period: u64::try_from(period.as_nanos()).unwrap_or(u64::MAX),
            catch_up: 4,
            due: Time::ZERO,
            real: now,
            tree: Time::ZERO,
            speed: 1.0,
            paused: false,
            sleep: None,
            woken: false,
        }
    }

    /// The maximum number of missed steps to catch up on at once; zero drops all missed steps.
    #[must_use]
    pub fn catch_up(mut self, most: u32) -> Self {
        self.catch_up = most;
        self
    }

    /// A remote control for this driver.
    #[must_use]
    pub fn remote(&self) -> Remote {
        Remote(self.bell.clone())
    }

    /// The current tree time.
    #[must_use]
    pub fn now(&self) -> Time {
        if self.paused {
            return self.tree;
        }
        let passed = self.clock.now().0.saturating_sub(self.real.0);
        let scaled = if self.speed == 1.0 {
            passed
        } else {
            (passed as f64 * self.speed) as u64
        };
        Time(self.tree.0.saturating_add(scaled))
    }

    /// When the clock will show this tree time.
    fn real_of(&self, tree: Time) -> Time {
        let left = tree.0.saturating_sub(self.tree.0);
        let scaled = if self.speed == 1.0 {
            left
        } else {
            // Rounded up: waking too early would waste a turn.
            (left as f64 / self.speed).ceil() as u64
        };
        Time(self.real.0.saturating_add(scaled))
    }

    fn obey(&mut self, wishes: Wishes) {
        if (wishes.paused, wishes.speed) != (self.paused, self.speed) {
            (self.tree, self.real) = (self.now(), self.clock.now());
            (self.paused, self.speed) = (wishes.paused, wishes.speed);
        }
    }

    /// Takes one regular step at once, whatever the clock says: for tests, and for games with their
    /// own loop. Tree time then becomes the step's time.
    pub fn step_once(&mut self, f: impl FnOnce(Step) -> Next) -> Next {
        self.stop_putting_off(self.now());
        let now = self.due;
        self.due = Time(now.0.saturating_add(self.period));
        (self.tree, self.real) = (now, self.clock.now());
        self.bell.count(|s| s.steps += 1);
        f(Step {
            now,
            why: Why::Regular,
            late: Duration::ZERO,
        })
    }

    /// Runs until a step returns [`Next::Stop`] or [`stop`](Remote::stop) is called on the remote.
    /// It does not halt agents: do that afterwards.
    pub fn run(&mut self, mut f: impl FnMut(Step) -> Next) -> Stats {
        loop {
            match self.turn(&mut f) {
                After::Go => {}
                After::Sleep(until) => self.clock.sleep(until, &self.bell),
                After::Stop => return self.stopped(),
            }
        }
    }

    /// Obeys the remote, and takes the step that is due, if any.
    pub(crate) fn turn(&mut self, f: &mut impl FnMut(Step) -> Next) -> After {
        let wishes = self.bell.take();
        self.woken |= wishes.wake;
        self.obey(wishes);
        if wishes.stop {
            return After::Stop;
        }
        let next = if self.paused {
            if wishes.steps == 0 {
                return After::Sleep(None);
            }
            if wishes.steps > 1 {
                self.bell.ask(|_| {});
            }
            self.step_once(f)
        } else {
            let woken = core::mem::take(&mut self.woken);
            match self.next_step(woken) {
                Ok(step) => self.timed(step, f),
                Err(until) => return After::Sleep(until),
            }
        };
        self.sleep = match next {
            Next::Go => None,
            Next::Sleep(t) => Some(t),
            Next::Wait => Some(Time(u64::MAX)),
            Next::Stop => return After::Stop,
        };
        After::Go
    }

    /// Ends a run, so that another may follow.
    pub(crate) fn stopped(&self) -> Stats {
        self.bell.ask(|w| w.stop = false);
        self.bell.stats()
    }

    /// Makes the first regular step after `now` the next one, if it was put off beyond that.
    fn stop_putting_off(&mut self, now: Time) {
        if self.due.0 == u64::MAX {
            let ahead = now.0 / self.period + 1;
            self.due = Time(ahead.saturating_mul(self.period));
        } else if self.due.0 > now.0 {
            let steps = (self.due.0 - now.0 - 1) / self.period;
            self.due = Time(self.due.0 - steps * self.period);
        }
    }

    /// The step that is due, or the time until which there is none.
    fn next_step(&mut self, woken: bool) -> Result<Step, Option<Time>> {
        let now = self.now();
        if let Some(sleep) = self.sleep.take_if(|s| s.0 > self.due.0) {
            // The regular step at or before that time, still on the grid.
            let skipped = (sleep.0 - self.due.0) / self.period;
            self.due = Time(self.due.0 + skipped * self.period);
            if sleep.0 == u64::MAX {
                self.due = Time(u64::MAX);
            }
        }
        if woken {
            if self.sleep.is_none() {
                self.stop_putting_off(now);
            }
            self.bell.count(|s| s.woken += 1);
            return Ok(Step {
                now,
                why: Why::Woken,
                late: Duration::ZERO,
            });
        }
        if now < self.due {
            let until = (self.due.0 != u64::MAX).then(|| self.real_of(self.due));
            return Err(until);
        }
        let missed = (now.0 - self.due.0) / self.period;
        let dropped = missed.saturating_sub(self.catch_up.into());
        let due = Time(self.due.0 + dropped * self.period);
        self.due = Time(due.0.saturating_add(self.period));
        self.bell.count(|s| {
            s.steps += 1;
            s.dropped += dropped;
        });
        Ok(Step {
            now: due,
            why: Why::Regular,
            late: now.since(due),
        })
    }

    fn timed(&mut self, step: Step, f: &mut impl FnMut(Step) -> Next) -> Next {
        let began = self.now();
        let next = f(step);
        if self.now().since(began) > Duration::from_nanos(self.period) {
            self.bell.count(|s| s.overruns += 1);
        }
        next
    }
}
