//! Time is an argument: nanoseconds since an origin of the caller's choice.

use core::ops::{Add, AddAssign, Sub};
use core::time::Duration;

/// A point in time, in nanoseconds since an origin that the caller chooses (the start of
/// the game, of the mission, of the simulation). Nothing in the engine reads a clock.
///
/// Timers are kept in 56 bits, so any single duration must be below 2^55 ns (417 days), and
/// differences are taken modulo 2^56 ns (833 days). A clock that runs backwards lengthens waits by
/// the same amount; it never makes one end early.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(pub u64);

impl Time {
    /// The origin.
    pub const ZERO: Time = Time(0);

    /// `n` nanoseconds after the origin.
    #[must_use]
    pub const fn from_nanos(n: u64) -> Time {
        Time(n)
    }

    /// `n` milliseconds after the origin; the latest time there is if that is later.
    #[must_use]
    pub const fn from_millis(n: u64) -> Time {
        Time(n.saturating_mul(1_000_000))
    }

    /// `s` seconds after the origin; a negative `s` or one that is not a number gives the origin, one that is too
    /// great the latest time there is.
    #[must_use]
    pub fn from_secs_f64(s: f64) -> Time {
        Time((s * 1e9) as u64)
    }

    /// Seconds since the origin.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time from `earlier` to `self`; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, d: Duration) -> Time {
        Time(self.0.saturating_add(nanos(d)))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub for Time {
    type Output = Duration;
    fn sub(self, earlier: Time) -> Duration {
        self.since(earlier)
    }
}

/// A duration in nanoseconds, saturating at `u64::MAX`.
pub(crate) fn nanos(d: Duration) -> u64 {
    u64::try_from(d.as_nanos()).unwrap_or(u64::MAX)
}

/// A stored deadline: the low 56 bits of a [`Time`]; zero means "never set".
///
/// With seven bytes instead of eight, a tree with two timers fits in sixteen bytes per agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadline(u64);

const MASK: u64 = (1 << 56) - 1;

/// Durations of timers must be below this: half the range of a [`Deadline`].
pub const MAX_DURATION: u64 = 1 << 55;

impl Deadline {
    /// The deadline `d` nanoseconds after `now`.
    #[must_use]
    pub const fn after(now: Time, d: u64) -> Deadline {
        let at = now.0.wrapping_add(d) & MASK;
        // Zero means "never set", so a deadline that would fall on it is moved by one nanosecond:
        // to later, so that what takes time is never over at once, unless the duration is zero,
        // which must be over at once.
        Deadline(match (at, d) {
            (0, 0) => MASK,
            (0, _) => 1,
            _ => at,
        })
    }

    /// From stored bits.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Deadline {
        Deadline(bits & MASK)
    }

    /// To stored bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether this deadline was ever set.
    #[must_use]
    pub const fn is_set(self) -> bool {
        self.0 != 0
    }

    /// Whether the deadline has been reached at `now`; exactly at the deadline, it has.
    #[must_use]
    pub const fn passed(self, now: Time) -> bool {
        now.0.wrapping_sub(self.0) & MASK < MAX_DURATION
    }

    /// The time of the deadline, if it is set and has not passed.
    #[inline(always)]
    pub(crate) const fn ahead(self, now: Time) -> Option<Time> {
        let left = self.0.wrapping_sub(now.0) & MASK;
        // As in `passed`, a difference of zero or of more than half the range is past.
        if self.0 == 0 || left.wrapping_sub(1) >= MAX_DURATION {
            return None;
        }
        Some(Time(now.0.saturating_add(left)))
    }

    /// The time left until the deadline, zero if it has passed.
    #[must_use]
    pub const fn left(self, now: Time) -> Duration {
        if self.passed(now) {
            Duration::ZERO
        } else {
            Duration::from_nanos(self.0.wrapping_sub(now.0) & MASK)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_belongs_to_the_deadline() {
        let d = Deadline::after(Time(100), 50);
        assert!(!d.passed(Time(149)));
        assert!(d.passed(Time(150)));
        assert_eq!(d.left(Time(120)), Duration::from_nanos(30));
    }

    #[test]
    fn times_end_at_the_latest() {
        let latest = Time(u64::MAX);
        assert_eq!(Time::from_millis(u64::MAX / 1000), latest);
        assert_eq!(latest + Duration::from_secs(1), latest);
        assert_eq!(Time::from_secs_f64(f64::INFINITY), latest);
    }

    #[test]
    fn no_time_at_all_is_over_at_once_at_the_origin_too() {
        let d = Deadline::after(Time::ZERO, 0);
        assert!(d.is_set() && d.passed(Time::ZERO));
    }

    /// A herd with sleeping agents relies on it: a wait that has just begun has not ended.
    #[test]
    fn what_takes_time_is_never_over_at_once() {
        for now in [0, 1, (1 << 56) - 3, (1 << 56) - 2, (1 << 56) - 1, 1 << 56] {
            for d in 1..4 {
                let deadline = Deadline::after(Time(now), d);
                assert!(
                    deadline.is_set() && !deadline.passed(Time(now)),
                    "{now} {d}"
                );
                assert!(deadline.passed(Time(now + d + 1)), "{now} {d}");
            }
        }
    }

    #[test]
    fn unix_time_in_nanoseconds_works_across_the_wrap() {
        let now = Time((7 << 56) - 10);
        let d = Deadline::after(now, 10);
        assert!(d.is_set());
        assert!(!d.passed(now));
        assert!(d.passed(Time(now.0 + 11)));
    }

    #[test]
    fn a_deadline_is_ahead_if_it_is_set_and_has_not_passed() {
        let half = MAX_DURATION;
        for now in [0, 1, half, MASK - 1, MASK, MASK + 1, 7 << 56 | 5] {
            for far in [0, 1, 2, half - 1, half, half + 1, MASK - 1, MASK] {
                let deadline = Deadline::from_bits(now.wrapping_add(far));
                let ahead = deadline.is_set() && !deadline.passed(Time(now));
                let at = ahead.then(|| Time(now) + deadline.left(Time(now)));
                assert_eq!(deadline.ahead(Time(now)), at, "{now} {far}");
            }
        }
    }

    #[test]
    fn a_clock_that_goes_back_lengthens_the_wait() {
        let d = Deadline::after(Time(1_000), 500);
        assert!(!d.passed(Time(0)));
        assert_eq!(d.left(Time(0)), Duration::from_nanos(1_500));
    }
}
