//! Which slots of a herd are taken, and their generations.

use alloc::collections::{BTreeSet, TryReserveError};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

/// An agent of a herd: its slot, and which of the slot's tenants it is. When an agent is despawned,
/// its handle becomes stale: using it is an error and never reaches another agent. Using it with
/// another herd is an error as well.
///
/// To keep a handle beyond its herd (in a file, say), store its index and generation, and ask the
/// loaded herd for [its own handle](crate::Herd::handle).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Handle {
    /// The slot's number: an index into arrays that the caller keeps alongside the herd.
    pub index: u32,
    /// Which of the slot's tenants.
    pub generation: u32,
    pub(crate) herd: HerdId,
}

impl core::fmt::Display for Handle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}

/// How many slots a herd can have: the timer wheel uses one bit of a slot's number.
pub(crate) const MOST_SLOTS: usize = 1 << 31;

/// Identifies the herd, within the process, to which a handle belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct HerdId(u32);

impl HerdId {
    /// A number that no other herd has. (There are enough: at one herd per millisecond, it takes
    /// seven weeks to make four billion. Any herds after that share a number.)
    pub(crate) fn next() -> HerdId {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(1));
        HerdId(next.unwrap_or(u32::MAX))
    }
}

/// How many tenants each slot has had: one byte per slot, until a slot has had 256 of them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Generations {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

/// The [`Generations`] of a stretch of slots.
#[derive(Clone, Copy)]
pub(crate) enum GenerationsOf<'h> {
    Narrow(&'h [u8]),
    Wide(&'h [u32]),
}

impl Default for Generations {
    fn default() -> Self {
        Generations::Narrow(Vec::new())
    }
}

/// Makes room in a column for this many items, those included that it has.
pub(crate) fn room_for<T>(column: &mut Vec<T>, items: usize) -> Result<(), TryReserveError> {
    column.try_reserve_exact(items.saturating_sub(column.len()))
}

impl Generations {
    pub(crate) fn len(&self) -> usize {
        match self {
            Generations::Narrow(n) => n.len(),
            Generations::Wide(n) => n.len(),
        }
    }

    /// Bytes per slot.
    pub(crate) fn width(&self) -> usize {
        match self {
            Generations::Narrow(_) => 1,
            Generations::Wide(_) => 4,
        }
    }

    /// Makes room for this many slots. They take four bytes each then if they may not be widened
    /// later.
    pub(crate) fn reserve(&mut self, slots: usize, fixed: bool) -> Result<(), TryReserveError> {
        if let (Generations::Narrow(n), true) = (&self, fixed) {
            *self = Generations::Wide(n.iter().map(|n| u32::from(*n)).collect());
        }
        match self {
            Generations::Narrow(n) => room_for(n, slots),
            Generations::Wide(n) => room_for(n, slots),
        }
    }

    fn push(&mut self) {
        match self {
            Generations::Narrow(n) => n.push(0),
            Generations::Wide(n) => n.push(0),
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<u32> {
        let i = index as usize;
        match self {
            Generations::Narrow(n) => n.get(i).map(|n| u32::from(*n)),
            Generations::Wide(n) => n.get(i).copied(),
        }
    }

    pub(crate) fn all(&self) -> GenerationsOf<'_> {
        match self {
            Generations::Narrow(n) => GenerationsOf::Narrow(n),
            Generations::Wide(n) => GenerationsOf::Wide(n),
        }
    }

    /// Advances to the slot's next generation, if there is one.
    fn raise(&mut self, index: u32) -> bool {
        let i = index as usize;
        if let Generations::Narrow(n) = self {
            if let Some(next) = n[i].checked_add(1) {
                n[i] = next;
                return true;
            }
            *self = Generations::Wide(n.iter().map(|n| u32::from(*n)).collect());
        }
        match self {
            Generations::Wide(n) if n[i] < u32::MAX => {
                n[i] += 1;
                true
            }
            _ => false,
        }
    }
}

impl<'h> GenerationsOf<'h> {
    pub(crate) fn get(self, index: usize) -> u32 {
        match self {
            GenerationsOf::Narrow(n) => n[index].into(),
            GenerationsOf::Wide(n) => n[index],
        }
    }

    #[cfg(feature = "rayon")]
    pub(crate) fn split_at(self, at: usize) -> (GenerationsOf<'h>, GenerationsOf<'h>) {
        match self {
            GenerationsOf::Narrow(n) => {
                let (a, b) = n.split_at(at);
                (GenerationsOf::Narrow(a), GenerationsOf::Narrow(b))
            }
            GenerationsOf::Wide(n) => {
                let (a, b) = n.split_at(at);
                (GenerationsOf::Wide(a), GenerationsOf::Wide(b))
            }
        }
    }
}

/// The slots: generations, and one bit each for taken and for ready to be ticked.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Slots {
    pub(crate) generations: Generations,
    /// Taken.
    pub(crate) alive: Vec<u64>,
    /// Taken by an agent that is not poisoned.
    pub(crate) ready: Vec<u64>,
    /// No slot below this word's is free.
    pub(crate) hint: usize,
    /// Slots whose generations are used up: they are never taken again.
    pub(crate) retired: BTreeSet<u32>,
    pub(crate) live: usize,
}

/// Whether the bit of this agent is set.
pub(crate) fn bit(words: &[u64], index: u32) -> bool {
    words
        .get(index as usize / 64)
        .is_some_and(|w| w >> (index % 64) & 1 != 0)
}

/// Sets or clears the bit of this agent.
pub(crate) fn set_bit(words: &mut [u64], index: u32, on: bool) {
    let word = &mut words[index as usize / 64];
    let mask = 1 << (index % 64);
    *word = if on { *word | mask } else { *word & !mask };
}

/// The indexes of the bits that are set, ascending; the first word's first bit is `first`.
pub(crate) fn ones(words: impl Iterator<Item = u64>, first: u32) -> impl Iterator<Item = u32> {
    words.enumerate().flat_map(move |(i, mut word)| {
        core::iter::from_fn(move || {
            if word == 0 {
                return None;
            }
            let at = word.trailing_zeros();
            word &= word - 1;
            Some(first + i as u32 * 64 + at)
        })
    })
}

impl Slots {
    /// How many slots there are, taken or not.
    pub(crate) fn len(&self) -> usize {
        self.generations.len()
    }

    /// Takes the lowest free slot, or a new one. This keeps the agents close together, and no list
    /// of free slots is needed. `None` if there are `most` slots and all are taken.
    pub(crate) fn take(&mut self, most: usize) -> Option<u32> {
        let index = match self.lowest_free() {
            Some(index) => index,
            None if self.len() >= most => return None,
            None => {
                let index = self.len() as u32;
                self.generations.push();
                if index.is_multiple_of(64) {
                    self.alive.push(0);
                    self.ready.push(0);
                }
                index
            }
        };
        set_bit(&mut self.alive, index, true);
        set_bit(&mut self.ready, index, true);
        self.live += 1;
        Some(index)
    }

    fn lowest_free(&mut self) -> Option<u32> {
        while self.hint < self.alive.len() {
            let word = self.alive[self.hint];
            let mut free = ones(core::iter::once(!word), self.hint as u32 * 64);
            let found = free.find(|i| !self.retired.contains(i));
            match found {
                // Beyond the last slot: a new one.
                Some(index) if index as usize >= self.len() => return None,
                Some(index) => return Some(index),
                None => self.hint += 1,
            }
        }
        None
    }

    #[inline]
    pub(crate) fn has(&self, index: u32, generation: u32) -> bool {
        self.generations.get(index) == Some(generation) && bit(&self.alive, index)
    }

    /// Frees a slot. A slot whose generations are used up is never taken again.
    pub(crate) fn free(&mut self, index: u32) {
        set_bit(&mut self.alive, index, false);
        set_bit(&mut self.ready, index, false);
        self.live -= 1;
        if self.generations.raise(index) {
            self.hint = self.hint.min(index as usize / 64);
        } else {
            self.retired.insert(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(slots: &mut Slots) -> u32 {
        slots.take(MOST_SLOTS).unwrap()
    }

    #[test]
    fn there_are_no_more_slots_than_there_can_be() {
        let mut slots = Slots::default();
        let all: Vec<Option<u32>> = (0..4).map(|_| slots.take(3)).collect();
        assert_eq!(all, [Some(0), Some(1), Some(2), None]);
        slots.free(1);
        assert_eq!((slots.take(3), slots.take(3)), (Some(1), None));
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_retired() {
        let mut slots = Slots::default();
        assert_eq!(take(&mut slots), 0);
        slots.generations = Generations::Wide(alloc::vec![u32::MAX]);
        assert!(slots.has(0, u32::MAX) && !slots.has(0, 0));
        slots.free(0);
        assert!(!slots.has(0, u32::MAX));
        assert_eq!((take(&mut slots), take(&mut slots)), (1, 2));
        slots.free(1);
        assert_eq!(take(&mut slots), 1);
    }

    #[test]
    fn generations_take_a_byte_until_that_is_not_enough() {
        let mut slots = Slots::default();
        take(&mut slots);
        take(&mut slots);
        for tenant in 0..1000 {
            assert!(slots.has(0, tenant), "{tenant}");
            assert_eq!(slots.generations.width(), if tenant < 256 { 1 } else { 4 });
            slots.free(0);
            // No handle ever fits two tenants.
            assert!((0..=tenant).all(|old| !slots.has(0, old)));
            assert_eq!(take(&mut slots), 0);
        }
        assert!(slots.has(1, 0));
    }

    #[test]
    fn free_slots_are_taken_from_below_before_new_ones_are_made() {
        let mut slots = Slots::default();
        (0..300).for_each(|i| assert_eq!(take(&mut slots), i));
        [7, 290, 64, 8].into_iter().for_each(|i| slots.free(i));
        let taken: Vec<u32> = (0..6).map(|_| take(&mut slots)).collect();
        assert_eq!(taken, [7, 8, 64, 290, 300, 301]);
    }

    #[test]
    fn bits_are_listed_in_order() {
        let words = [1 | 1 << 63, 0, 1 << 5];
        let found: Vec<u32> = ones(words.into_iter(), 64).collect();
        assert_eq!(found, [64, 127, 64 + 133]);
    }
}
