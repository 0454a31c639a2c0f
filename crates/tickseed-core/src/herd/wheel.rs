//! A hierarchical timer wheel over the slots of a herd.
//!
//! Time is counted in granules. Six levels of 64 lists each hold what is due within 64, 64², ..
//! granules. A list is a chain of chunks of seven timers, of which only the first may have room
//! left. Freed chunks are reused first, so that active timers lie close together however far apart
//! their agents are, and a list can be traversed without waiting for memory at every timer. Each
//! slot knows its timer's place, so that removing a timer needs no search. Advancing empties the
//! lists that time has passed, whatever the distance: what is due fires, the rest moves down. The
//! wheel takes four bytes per slot, and 64 for seven timers.
//!
//! Nothing is ever late. A timer more than 2^31 granules ahead fires at that distance, too early;
//! an agent that is woken checks its deadlines again.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;
const LEVELS: usize = 6;
const LISTS: usize = LEVELS * 64;
/// The longest time ahead, in granules.
const MOST: u64 = 1 << 31;

#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    slot: u32,
    /// The low bits of the granule at which the timer is due.
    due: u32,
}

/// How many timers there are in a chunk.
const ROOM: usize = 7;

#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// The next chunk: a full one of the same list, or a free one of the free list.
    next: u32,
    list: u16,
    len: u16,
    timers: [Timer; ROOM],
}

/// A timer's place: its chunk's number and, in three bits, its index within the chunk.
#[derive(Clone, Copy, PartialEq, Debug)]
struct At(u32);

impl At {
    const NOWHERE: At = At(NONE);

    fn chunk(self) -> usize {
        self.0 as usize >> 3
    }

    fn index(self) -> usize {
        self.0 as usize & 7
    }
}

/// The timers of a herd, at most one per slot.
#[derive(Clone, Debug)]
pub(crate) struct Wheel {
    now: u64,
    /// The first chunk of each list.
    heads: [u32; LISTS],
    /// Which lists of each level are not empty.
    taken: [u64; LEVELS],
    chunks: Vec<Chunk>,
    /// The first free chunk.
    free: u32,
    /// Where each slot's timer is.
    places: Vec<At>,
}

impl Wheel {
    pub(crate) fn new(now: u64) -> Wheel {
        Wheel {
            now,
            heads: [NONE; LISTS],
            taken: [0; LEVELS],
            chunks: Vec::new(),
            free: NONE,
            places: Vec::new(),
        }
    }

    /// The current granule.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Makes room for this many slots.
    pub(crate) fn grow(&mut self, slots: usize) {
        self.places.resize(slots, At::NOWHERE);
    }

    /// Makes room for all timers that this many slots may have, so that nothing is allocated later.
    pub(crate) fn reserve_exact(&mut self, slots: usize) -> Result<(), TryReserveError> {
        // One partly filled chunk for each list, and for each list whose timers are being moved.
        let chunks = slots.div_ceil(ROOM) + slots.min(2 * LISTS);
        let missing = chunks.saturating_sub(self.chunks.len());
        self.chunks.try_reserve_exact(missing)?;
        let missing = slots.saturating_sub(self.places.len());
        self.places.try_reserve_exact(missing)
    }

    /// How many bytes the wheel takes.
    pub(crate) fn bytes(&self) -> usize {
        self.places.len() * size_of::<At>() + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Forgets all timers and goes to another time, earlier or later.
    pub(crate) fn restart(&mut self, now: u64) {
        self.now = now;
        self.heads.fill(NONE);
        self.taken.fill(0);
        self.chunks.clear();
        self.free = NONE;
        self.places.fill(At::NOWHERE);
    }

    /// The granule at which the slot's timer is due.
    pub(crate) fn due(&self, slot: u32) -> Option<u64> {
        let at = self.places[slot as usize];
        let chunk = self.chunks.get(at.chunk())?;
        Some(self.whole(chunk.timers[at.index()].due))
    }

    fn whole(&self, due: u32) -> u64 {
        self.now + u64::from(due.wrapping_sub(self.now as u32))
    }

    /// Sets the slot's timer, replacing any previous one. It must be due in the future.
    pub(crate) fn set(&mut self, slot: u32, due: u64) {
        debug_assert!(due > self.now);
        let due = due.min(self.now.saturating_add(MOST));
        match self.due(slot) {
            Some(before) if before == due => return,
            Some(_) => self.clear(slot),
            None => {}
        }
        self.link(slot, due);
    }

    fn link(&mut self, slot: u32, due: u64) {
        // The highest group of six bits in which the due time differs from now.
        let level = ((63 - (due ^ self.now).leading_zeros()) / 6).min(LEVELS as u32 - 1);
        let list = (due >> (6 * level)) as usize & 63;
        self.taken[level as usize] |= 1 << list;
        let list = level as usize * 64 + list;
        let mut number = self.heads[list];
        let has_room = |chunk: &Chunk| usize::from(chunk.len) < ROOM;
        if !self.chunks.get(number as usize).is_some_and(has_room) {
            number = self.take(list);
        }
        let chunk = &mut self.chunks[number as usize];
        self.places[slot as usize] = At((number << 3) | u32::from(chunk.len));
        let due = due as u32;
        chunk.timers[usize::from(chunk.len)] = Timer { slot, due };
        chunk.len += 1;
    }

    /// A free chunk, to be the first of a list.
    fn take(&mut self, list: usize) -> u32 {
        let fresh = Chunk {
            next: self.heads[list],
            list: list as u16,
            len: 0,
            timers: [Timer::default(); ROOM],
        };
        let mut number = self.free;
        match self.chunks.get_mut(number as usize) {
            Some(chunk) => {
                self.free = chunk.next;
                *chunk = fresh;
            }
            None => {
                number = self.chunks.len() as u32;
                if self.chunks.len() == self.chunks.capacity() {
                    self.chunks.reserve_exact(8 + self.chunks.len() / 8);
                }
                self.chunks.push(fresh);
            }
        }
        self.heads[list] = number;
        number
    }

    /// Removes the slot's timer, if it has one; the list's last timer takes its place.
    pub(crate) fn clear(&mut self, slot: u32) {
        let at = core::mem::replace(&mut self.places[slot as usize], At::NOWHERE);
        let Some(chunk) = self.chunks.get(at.chunk()) else {
            return;
        };
        let list = usize::from(chunk.list);
        let number = self.heads[list];
        let head = &mut self.chunks[number as usize];
        head.len -= 1;
        let last = head.timers[usize::from(head.len)];
        if head.len == 0 {
            self.heads[list] = head.next;
            if head.next == NONE {
                self.taken[list / 64] &= !(1 << (list % 64));
            }
            head.next = core::mem::replace(&mut self.free, number);
        }
        if last.slot != slot {
            self.chunks[at.chunk()].timers[at.index()] = last;
            self.places[last.slot as usize] = at;
        }
    }

    /// Advances to a later time and calls `fire` with every slot whose timer is due by then, in no
    /// particular order.
    pub(crate) fn advance(&mut self, now: u64, mut fire: impl FnMut(u32)) {
        let from = self.now;
        if now <= from {
            return;
        }
        self.now = now;
        // Lists are detached before any timer is put back: what moves down from a higher level must
        // not be met again.
        let mut chain = NONE;
        for level in 0..LEVELS {
            let (a, b) = (from >> (6 * level), now >> (6 * level));
            if a == b {
                break;
            }
            let passed = if b - a >= 64 {
                u64::MAX
            } else {
                // The lists after `a` up to and including `b`, wrapping around.
                ((1u64 << (b - a)) - 1).rotate_left((a as u32 & 63) + 1)
            };
            let mut lists = self.taken[level] & passed;
            self.taken[level] &= !passed;
            while lists != 0 {
                let list = level * 64 + lists.trailing_zeros() as usize;
                lists &= lists - 1;
                let mut number = core::mem::replace(&mut self.heads[list], NONE);
                while let Some(chunk) = self.chunks.get_mut(number as usize) {
                    let next = core::mem::replace(&mut chunk.next, chain);
                    chain = number;
                    number = next;
                }
            }
        }
        let low = from as u32;
        while let Some(chunk) = self.chunks.get_mut(chain as usize) {
            let Chunk {
                next, len, timers, ..
            } = *chunk;
            chunk.next = core::mem::replace(&mut self.free, chain);
            chain = next;
            for Timer { slot, due } in timers.into_iter().take(len.into()) {
                self.places[slot as usize] = At::NOWHERE;
                let due = from + u64::from(due.wrapping_sub(low));
                if due <= now {
                    fire(slot);
                } else {
                    self.link(slot, due);
                }
            }
        }
    }

    /// A granule at or before which the next timer is due; `None` if there is none.
    pub(crate) fn next(&self) -> Option<u64> {
        // The first list of each level begins no later than the due time of anything in it.
        (0..LEVELS)
            .filter(|&level| self.taken[level] != 0)
            .map(|level| {
                let at = self.now >> (6 * level);
                let ahead = self.taken[level].rotate_right(at as u32 % 64);
                // On the last level, the list of `at` itself is a whole turn ahead.
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

    /// Chunks are reused: however timers come and go, there are never more than reserved.
    #[test]
    fn timers_take_no_more_room_than_reserved() {
        let mut rng = Rng::new(6);
        for slots in [1, 5, 100, 3000] {
            let mut wheel = Wheel::new(0);
            wheel.reserve_exact(slots).unwrap();
            wheel.grow(slots);
            let room = wheel.bytes();
            let mut now = 0;
            for _ in 0..200 {
                let far = [60, 4000, 250_000, 1 << 24, 1 << 30][rng.below(5) as usize];
                for slot in 0..slots as u32 {
                    match rng.below(4) {
                        0 => wheel.clear(slot),
                        _ => wheel.set(slot, now + 1 + rng.below(far)),
                    }
                }
                now += rng.below(far);
                wheel.advance(now, |_| {});
            }
            assert_eq!(wheel.bytes(), room);
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
