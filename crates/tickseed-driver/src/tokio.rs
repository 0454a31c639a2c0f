//! A driver as a task in a tokio runtime.

use std::time::Duration;

use tickseed_core::Time;
use tokio::time::{Instant, timeout_at};

use crate::clock::Clock;
use crate::driver::{After, Driver, Next, Step};
use crate::remote::{Bell, Stats};

/// Tokio's clock, starting at zero. Where tokio's time is paused (in tests), it stands still and
/// jumps with it.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock(Instant);

impl TokioClock {
    /// A clock that begins now.
    #[must_use]
    pub fn new() -> TokioClock {
        TokioClock(Instant::now())
    }

    /// Waits like [`Clock::sleep`], without blocking a thread.
    async fn wait(&self, until: Option<Time>, bell: &Bell) {
        let rings = bell.task.notified();
        if bell.has_rung() {
            return;
        }
        match until {
            None => rings.await,
            Some(until) => {
                // A time that no instant can represent means never.
                match self.0.checked_add(Duration::from_nanos(until.0)) {
                    Some(at) => drop(timeout_at(at, rings).await),
                    None => rings.await,
                }
            }
        }
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        TokioClock::new()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Time {
        Time::ZERO + self.0.elapsed()
    }
    /// Blocks the thread, as with the system's clock: for [`Driver::run`]. A task calls
    /// [`Driver::run_async`].
    fn sleep(&self, until: Option<Time>, bell: &Bell) {
        bell.wait(until.map(|t| t.since(self.now())));
    }
}

impl Driver<TokioClock> {
    /// A driver with this period and tokio's clock, which catches up on at most four steps.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tickseed_core::{Status, nodes};
    /// use tickseed_driver::{Driver, Next};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let tree = nodes::<()>().wait(Duration::from_secs(10)).build().unwrap();
    /// let mut agent = tree.agent();
    /// let mut driver = Driver::on_tokio(Duration::from_millis(100));
    /// let stats = driver.run_async(|step| match tree.tick(&mut agent, &mut (), step.now) {
    ///     Ok(Status::Running) => Next::Go,
    ///     _ => Next::Stop,
    /// }).await;
    /// assert_eq!(stats.steps, 101);
    /// # }
    /// ```
    ///
    /// # Panics
    /// If the period is zero.
    #[must_use]
    pub fn on_tokio(period: Duration) -> Self {
        Driver::with_clock(period, TokioClock::new())
    }

    /// [`run`](Driver::run) as a task: between steps, the thread belongs to the runtime. A step
    /// itself is not interrupted, so it should be short, or the runtime should have other threads.
    /// Dropping the future between steps ends the run; another may follow.
    pub async fn run_async(&mut self, mut f: impl FnMut(Step) -> Next) -> Stats {
        loop {
            match self.turn(&mut f) {
                // Other tasks have their turn even when steps are late.
                After::Go => tokio::task::yield_now().await,
                After::Sleep(until) => self.clock.wait(until, &self.bell).await,
                After::Stop => return self.stopped(),
            }
        }
    }
}
