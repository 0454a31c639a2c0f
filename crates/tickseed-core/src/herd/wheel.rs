//! A hierarchical timer wheel over the slots of a herd.
//!
//! Time is counted in granules. Six levels of 64 lists each hold what is due within 64, 64²,
//! .. granules; a list is a chain of slot numbers, so inserting and removing touch a few
//! numbers and allocate nothing. Advancing empties the lists that time has passed, whatever
//! the distance: what is due fires, the rest moves down. Twelve bytes a slot.
//!
//! Nothing is ever late. A timer more than 2^31 granules ahead fires then, too early; whoever
//! is woken looks at its deadlines again.

use alloc::vec::Vec;

const NONE: u32 = u32::MAX;
/// Marks a `prev` that is the number of a list: the timer is its first.
const HEAD: u32 = 1 << 31;
const LEVELS: usize = 6;
/// The longest time ahead, in granules.
const MOST: u64 = 1 << 31;

#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    /// The timer before, or `HEAD` and the list; `NONE` if this slot has no timer.
    prev: u32,
    /// The low bits of the granule at which it is due.
    due: u32,
}

const UNLINKED: Link = Link {
    next: NONE,
    prev: NONE,
    due: 0,
};

/// The timers of a herd, at most one a slot.
#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    now: u64,
    heads: [u32; LEVELS * 64],
    /// Which lists of each level are not empty.
    taken: [u64; LEVELS],
    links: Vec<Link>,
}

impl Wheel {
    pub(crate) fn new(now: u64) -> Wheel {
        Wheel {
            now,
            heads: [NONE; LEVELS * 64],
            taken: [0; LEVELS],
            links: Vec::new(),
        }
    }

    /// The granule it stands at.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Makes room for so many slots.
    pub(crate) fn grow(&mut self, slots: usize) {
        self.links.resize(slots, UNLINKED);
    }

    /// Forgets all timers and goes to another time, earlier or later.
    pub(crate) fn restart(&mut self, now: u64) {
        self.now = now;
        self.heads.fill(NONE);
        self.taken.fill(0);
        self.links.fill(UNLINKED);
    }

    /// The granule at which the slot's timer is due.
    pub(crate) fn due(&self, slot: u32) -> Option<u64> {
        let link = self.links[slot as usize];
        (link.prev != NONE).then(|| self.whole(link.due))
    }

    fn whole(&self, due: u32) -> u64 {
        self.now + u64::from(due.wrapping_sub(self.now as u32))
    }

    /// Sets the slot's timer, in place of the one it had. It must be due in the future.
    pub(crate) fn set(&mut self, slot: u32, due: u64) {
        debug_assert!(due > self.now);
        let due = due.min(self.now.saturating_add(MOST));
        if self.due(slot) == Some(due) {
            return;
        }
        self.clear(slot);
        self.link(slot, due);
    }

    fn link(&mut self, slot: u32, due: u64) {
        // The highest group of six bits in which it differs from now.
        let level = ((63 - (due ^ self.now).leading_zeros()) / 6).min(LEVELS as u32 - 1);
        let list = (due >> (6 * level)) as usize & 63;
        self.taken[level as usize] |= 1 << list;
        let list = level as usize * 64 + list;
        let next = core::mem::replace(&mut self.heads[list], slot);
        if let Some(link) = self.links.get_mut(next as usize) {
            link.prev = slot;
        }
        self.links[slot as usize] = Link {
            next,
            prev: HEAD | list as u32,
            due: due as u32,
        };
    }

    /// Takes the slot's timer away, if it has one.
    pub(crate) fn clear(&mut self, slot: u32) {
        let Link { next, prev, .. } = core::mem::replace(&mut self.links[slot as usize], UNLINKED);
        if prev == NONE {
            return;
        }
        if let Some(link) = self.links.get_mut(next as usize) {
            link.prev = prev;
        }
        if prev & HEAD == 0 {
            self.links[prev as usize].next = next;
        } else {
            let list = (prev & !HEAD) as usize;
            self.heads[list] = next;
            if next == NONE {
                self.taken[list / 64] &= !(1 << (list % 64));
            }
        }
    }

    /// Goes on to a later time and calls `fire` with every slot whose timer is due by then;
    /// in no particular order.
    pub(crate) fn advance(&mut self, now: u64, mut fire: impl FnMut(u32)) {
        let from = self.now;
        if now <= from {
            return;
        }
        self.now = now;
        // Lists are taken off before any timer is put back: what moves down from a higher
        // level must not be met again.
        let mut chain = NONE;
        for level in 0..LEVELS {
            let (a, b) = (from >> (6 * level), now >> (6 * level));
            if a == b {
                break;
            }
            let passed = if b - a >= 64 {
                u64::MAX
            } else {
                // The lists after `a` up to and with `b`, around the end.
                ((1u64 << (b - a)) - 1).rotate_left((a as u32 & 63) + 1)
            };
            let mut lists = self.taken[level] & passed;
            self.taken[level] &= !passed;
            while lists != 0 {
                let list = level * 64 + lists.trailing_zeros() as usize;
                lists &= lists - 1;
                let mut slot = core::mem::replace(&mut self.heads[list], NONE);
                while slot != NONE {
                    let link = &mut self.links[slot as usize];
                    let next = core::mem::replace(&mut link.next, chain);
                    chain = slot;
                    slot = next;
                }
            }
        }
        let low = from as u32;
        while chain != NONE {
            let slot = chain;
            let link = core::mem::replace(&mut self.links[slot as usize], UNLINKED);
            chain = link.next;
            let due = from + u64::from(link.due.wrapping_sub(low));
            if due <= now {
                fire(slot);
            } else {
                self.link(slot, due);
            }
        }
    }

    /// A granule at or before which the next timer is due; `None` if there is none.
    pub(crate) fn next(&self) -> Option<u64> {
        // The first list of each level begins no later than anything in it is due.
        (0..LEVELS)
            .filter(|&level| self.taken[level] != 0)
            .map(|level| {
                let at = self.now >> (6 * level);
                let ahead = self.taken[level].rotate_right(at as u32 % 64);
                // The list of `at` itself, on the last level, is a whole turn ahead.
                let steps = match (ahead & !1).trailing_zeros() {
                    64 => 64,
                    n => u64::from(n),
                };
                (at + steps) << (6 * level)
            })
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;

    use crate::rng::Rng;

    #[test]
    fn random_timers_fire_when_they_are_due() {
        let mut rng = Rng::new(5);
        for begin in [0, (1 << 32) - 100, (1 << 36) - 7, 12345] {
            let mut wheel = Wheel::new(begin);
            wheel.grow(50);
            let mut set: BTreeMap<u32, u64> = BTreeMap::new();
            let mut now = begin;
            for _ in 0..20_000 {
                let slot = rng.below(50) as u32;
                match rng.below(4) {
                    0..=1 => {
                        let far = [3, 70, 5000, 400_000, 1 << 30][rng.below(5) as usize];
                        let due = now + 1 + rng.below(far);
                        wheel.set(slot, due);
                        set.insert(slot, due);
                    }
                    2 => {
                        wheel.clear(slot);
                        set.remove(&slot);
                    }
                    _ => {
                        let far = [2, 2, 100, 5000, 3_600_000][rng.below(5) as usize];
                        now += rng.below(far);
                        let first = set.values().min().copied();
                        if let (Some(next), Some(first)) = (wheel.next(), first) {
                            assert!(next <= first && next > wheel.now());
                        }
                        assert_eq!(wheel.next().is_none(), first.is_none());
                        let mut fired = Vec::new();
                        wheel.advance(now, |slot| fired.push(slot));
                        fired.sort_unstable();
                        let due: Vec<u32> =
                            set.iter().filter(|s| *s.1 <= now).map(|s| *s.0).collect();
                        assert_eq!(fired, due);
                        set.retain(|_, d| *d > now);
                    }
                }
                assert_eq!(wheel.due(slot), set.get(&slot).copied());
            }
        }
    }

    #[test]
    fn timers_at_the_end_of_time_fire() {
        for ahead in [1, 2, 100, MOST - 1, MOST] {
            let mut wheel = Wheel::new(u64::MAX - ahead);
            wheel.grow(1);
            wheel.set(0, u64::MAX);
            assert_eq!(wheel.due(0), Some(u64::MAX));
            assert!(wheel.next().is_some_and(|next| next > wheel.now()));
            let mut fired = 0;
            wheel.advance(u64::MAX - 1, |_| fired += 1);
            assert_eq!(fired, 0);
            wheel.advance(u64::MAX, |_| fired += 1);
            assert_eq!((fired, wheel.next()), (1, None));
        }
    }

    #[test]
    fn timers_beyond_its_reach_fire_early_never_late() {
        let mut wheel = Wheel::new(9);
        wheel.grow(1);
        wheel.set(0, 1 << 40);
        assert_eq!(wheel.due(0), Some(9 + MOST));
        let mut fired = 0;
        wheel.advance(1 << 40, |_| fired += 1);
        assert_eq!(fired, 1);
    }
}
