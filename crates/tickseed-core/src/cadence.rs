//! When to tick: a clock that can be paused and scaled, a cadence slower than the game's
//! frames, and round-robin buckets.

use core::time::Duration;

use crate::time::{Time, nanos};

/// A clock for trees that follows the game's steps and can be paused, slowed down or sped up. It
/// reads no real clock: its owner advances it.
///
/// ```
/// use std::time::Duration;
/// use tickseed_core::{TreeClock, Time};
///
/// let mut clock = TreeClock::new();
/// clock.advance(Duration::from_millis(10));
/// clock.scale = 0.5;
/// assert_eq!(clock.advance(Duration::from_millis(10)), Time::from_millis(15));
/// clock.paused = true;
/// assert_eq!(clock.advance(Duration::from_millis(10)), Time::from_millis(15));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeClock {
    now: Time,
    /// Whether the clock stands still.
    pub paused: bool,
    /// How fast the clock runs; at 1 it runs as fast as it is advanced. Negative and non-finite
    /// numbers stop it.
    pub scale: f64,
}

impl Default for TreeClock {
    fn default() -> Self {
        TreeClock::new()
    }
}

impl TreeClock {
    /// A clock at the origin.
    #[must_use]
    pub const fn new() -> TreeClock {
        TreeClock {
            now: Time::ZERO,
            paused: false,
            scale: 1.0,
        }
    }

    /// The present time.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Advances by one step of the game and returns the new time.
    pub fn advance(&mut self, dt: Duration) -> Time {
        if !self.paused && self.scale.is_finite() && self.scale > 0.0 {
            // Whole nanoseconds are kept exact at the usual scale.
            let step = if self.scale == 1.0 {
                nanos(dt)
            } else {
                (nanos(dt) as f64 * self.scale) as u64
            };
            self.now = Time(self.now.0.saturating_add(step));
        }
        self.now
    }
}

/// What is done about ticks that were missed because a frame took long.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CatchUp {
    /// One tick now, whose `dt` is the whole time since the last one. The agent keeps its phase:
    /// the next tick is due when it would have been anyway.
    #[default]
    Skip,
    /// Each missed tick at the time it was due, so that every `dt` is the period, but at
    /// most this many at once; older ones are dropped.
    Burst(u32),
}

/// How often agents are ticked, where that is less often than the game's frames.
///
/// ```
/// use std::time::Duration;
/// use tickseed_core::{Cadence, Context, Time, nodes};
///
/// struct Thoughts(u32);
/// impl Context for Thoughts { type At<'a> = Thoughts; }
///
/// let tree = nodes::<Thoughts>().action("think", |t| t.0 += 1).build().unwrap();
/// let mut agent = tree.agent();
/// let cadence = Cadence::hertz(10.0);
/// let mut pacer = cadence.start(Time::ZERO);
/// let mut thoughts = Thoughts(0);
/// for frame in 0..60 { // one second at 60 Hz
///     let now = Time::from_secs_f64(frame as f64 / 60.0);
///     for due in cadence.due(&mut pacer, now) {
///         tree.tick(&mut agent, &mut thoughts, due).unwrap();
///     }
/// }
/// assert_eq!(thoughts.0, 10);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cadence {
    period: u64,
    catch_up: CatchUp,
}

/// When one agent is due next: eight bytes in addition to the agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pacer {
    next: Time,
}

impl Pacer {
    /// When the agent is due next.
    #[must_use]
    pub const fn next(&self) -> Time {
        self.next
    }
}

impl Cadence {
    /// A tick every `period`. A period of zero means one tick per frame.
    #[must_use]
    pub fn every(period: Duration) -> Cadence {
        Cadence {
            period: nanos(period),
            catch_up: CatchUp::Skip,
        }
    }

    /// This many ticks per second. A number that is not positive and finite means one tick per
    /// frame.
    #[must_use]
    pub fn hertz(rate: f64) -> Cadence {
        let period = if rate.is_finite() && rate > 0.0 {
            (1e9 / rate) as u64
        } else {
            0
        };
        Cadence {
            period,
            catch_up: CatchUp::Skip,
        }
    }

    /// What is done about missed ticks: see [`catch_up`](Cadence::catch_up).
    #[must_use]
    pub fn missed(&self) -> CatchUp {
        self.catch_up
    }

    /// What is done about missed ticks, as a number: zero for a skip, or the longest burst.
    pub(crate) fn burst(&self) -> u32 {
        match self.catch_up {
            CatchUp::Skip => 0,
            CatchUp::Burst(most) => most.max(1),
        }
    }

    /// What is done about missed ticks.
    #[must_use]
    pub fn catch_up(self, catch_up: CatchUp) -> Cadence {
        Cadence { catch_up, ..self }
    }

    /// The time between two ticks.
    #[must_use]
    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.period)
    }

    /// A pacer whose first tick is due at once.
    #[must_use]
    pub fn start(&self, now: Time) -> Pacer {
        Pacer { next: now }
    }

    /// The pacer of the agent with this index among `of`: first ticks are spread evenly over one
    /// period, so that a crowd spawned in one frame is not ticked in one frame.
    #[must_use]
    pub fn start_staggered(&self, now: Time, index: usize, of: usize) -> Pacer {
        let of = of.max(1) as u128;
        let part = u128::from(self.period) * (index as u128 % of) / of;
        Pacer {
            next: Time(now.0.saturating_add(part as u64)),
        }
    }

    /// The times at which to tick an agent now; none if it is not due. At exactly the due time, it
    /// is due.
    pub fn due(&self, pacer: &mut Pacer, now: Time) -> impl Iterator<Item = Time> + use<> {
        let (mut first, mut ticks) = (now, 0);
        if now >= pacer.next {
            // Those due from `next` to now, both included.
            let missed = (now.0 - pacer.next.0).checked_div(self.period);
            let last = match missed {
                Some(n) => Time(pacer.next.0 + n * self.period),
                None => now,
            };
            ticks = 1;
            if let (Some(n), CatchUp::Burst(most)) = (missed, self.catch_up) {
                ticks = n.saturating_add(1).min(u64::from(most.max(1)));
                first = Time(last.0 - (ticks - 1) * self.period);
            }
            pacer.next = Time(last.0.saturating_add(self.period));
        }
        let period = self.period;
        (0..ticks).map(move |i| Time(first.0 + i * period))
    }
}

/// Round-robin buckets: each frame ticks one share of the agents, so that every agent is ticked
/// once in `count` frames, however long they take.
///
/// ```
/// use tickseed_core::Buckets;
/// let mut buckets = Buckets::new(3);
/// assert_eq!(buckets.turn(7).collect::<Vec<_>>(), [0, 3, 6]);
/// assert_eq!(buckets.turn(7).collect::<Vec<_>>(), [1, 4]);
/// assert_eq!(buckets.turn(7).collect::<Vec<_>>(), [2, 5]);
/// assert_eq!(buckets.turn(7).next(), Some(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buckets {
    count: usize,
    turn: usize,
}

impl Buckets {
    /// Makes `count` buckets, at least one.
    #[must_use]
    pub fn new(count: usize) -> Buckets {
        Buckets {
            count: count.max(1),
            turn: 0,
        }
    }

    /// The indexes of the agents, among `agents`, whose turn it is in this frame. An agent's
    /// bucket is its index modulo the number of buckets.
    pub fn turn(&mut self, agents: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.turn;
        self.turn = (self.turn + 1) % self.count;
        (first..agents).step_by(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    fn run(cadence: Cadence, frames: &[u64]) -> Vec<Vec<u64>> {
        let mut pacer = cadence.start(ms(0));
        let mut at = |f: &u64| {
            cadence
                .due(&mut pacer, ms(*f))
                .map(|t| t.0 / 1_000_000)
                .collect()
        };
        frames.iter().map(&mut at).collect()
    }

    #[test]
    fn the_shortest_period_and_the_latest_time_fit_together() {
        let cadence = Cadence::every(Duration::from_nanos(1)).catch_up(CatchUp::Burst(3));
        let mut pacer = cadence.start(Time::ZERO);
        let last = Time(u64::MAX);
        let due: Vec<Time> = cadence.due(&mut pacer, last).collect();
        assert_eq!(due, [Time(u64::MAX - 2), Time(u64::MAX - 1), last]);
    }

    #[test]
    fn a_long_frame_is_one_tick_and_the_phase_is_kept() {
        let c = Cadence::every(Duration::from_millis(100));
        let ticks = run(c, &[0, 99, 100, 350, 399, 400]);
        assert_eq!(
            ticks,
            [vec![0], vec![], vec![100], vec![350], vec![], vec![400]]
        );
    }

    #[test]
    fn a_burst_gives_each_missed_tick_its_time_up_to_a_bound() {
        let c = Cadence::every(Duration::from_millis(100)).catch_up(CatchUp::Burst(2));
        let ticks = run(c, &[0, 250, 950, 1000]);
        assert_eq!(ticks, [vec![0], vec![100, 200], vec![800, 900], vec![1000]]);
    }

    #[test]
    fn no_period_is_a_tick_a_frame() {
        for c in [
            Cadence::every(Duration::ZERO),
            Cadence::hertz(0.0),
            Cadence::hertz(f64::NAN),
        ] {
            assert_eq!(run(c, &[0, 5, 5, 9]), [[0], [5], [5], [9]]);
            assert_eq!(run(c.catch_up(CatchUp::Burst(9)), &[0, 5]), [[0], [5]]);
        }
    }

    #[test]
    fn staggered_agents_share_the_frames_evenly() {
        let c = Cadence::every(Duration::from_millis(100));
        let mut pacers: Vec<_> = (0..600).map(|i| c.start_staggered(ms(0), i, 600)).collect();
        for frame in 0..100 {
            // Ten frames per period.
            let now = ms(frame * 10);
            let due: usize = pacers.iter_mut().map(|p| c.due(p, now).count()).sum();
            let expected = if frame == 0 { 1 } else { 60 };
            assert_eq!(due, expected, "frame {frame}");
        }
    }
}
