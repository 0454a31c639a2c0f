//! Which slots of a herd are taken, and by which generation.

use alloc::vec::Vec;

/// An agent of a herd: the slot it lives in and which of the slot's tenants it is. When an
/// agent is despawned its handle goes stale: using it is an error, never another agent.
///
/// A handle means nothing to another herd: keep it with the herd that gave it out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Handle {
    /// The slot's number: an index into arrays that the caller keeps beside the herd.
    pub index: u32,
    /// Which of the slot's tenants.
    pub generation: u32,
}

impl core::fmt::Display for Handle {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}

/// The slots: generations, one bit each for taken and for fit to be ticked.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Slots {
    pub(crate) generations: Vec<u32>,
    /// Taken.
    pub(crate) alive: Vec<u64>,
    /// Taken by an agent that is not poisoned.
    pub(crate) ready: Vec<u64>,
    /// Slots that were freed, the next to be taken last.
    pub(crate) free: Vec<u32>,
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

    /// Takes a slot: the one freed last, or a new one.
    pub(crate) fn take(&mut self) -> Handle {
        let index = self.free.pop().unwrap_or_else(|| {
            let index = self.generations.len() as u32;
            self.generations.push(0);
            if index.is_multiple_of(64) {
                self.alive.push(0);
                self.ready.push(0);
            }
            index
        });
        set_bit(&mut self.alive, index, true);
        set_bit(&mut self.ready, index, true);
        self.live += 1;
        self.handle(index)
    }

    pub(crate) fn handle(&self, index: u32) -> Handle {
        Handle {
            index,
            generation: self.generations[index as usize],
        }
    }

    pub(crate) fn has(&self, handle: Handle) -> bool {
        bit(&self.alive, handle.index)
            && self.generations[handle.index as usize] == handle.generation
    }

    /// Frees a slot. One whose generations are used up is never taken again.
    pub(crate) fn free(&mut self, index: u32) {
        set_bit(&mut self.alive, index, false);
        set_bit(&mut self.ready, index, false);
        self.live -= 1;
        let generation = &mut self.generations[index as usize];
        if let Some(next) = generation.checked_add(1) {
            *generation = next;
            self.free.push(index);
        }
    }

    pub(crate) fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        ones(self.alive.iter().copied(), 0).map(|i| self.handle(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_whose_generations_are_used_up_is_retired() {
        let mut slots = Slots::default();
        let first = slots.take();
        slots.generations[0] = u32::MAX;
        let last = slots.handle(0);
        assert!(slots.has(last) && !slots.has(first));
        slots.free(0);
        assert!(!slots.has(last));
        assert_eq!(slots.take().index, 1);
    }

    #[test]
    fn bits_are_listed_in_order() {
        let words = [1 | 1 << 63, 0, 1 << 5];
        let found: Vec<u32> = ones(words.into_iter(), 64).collect();
        assert_eq!(found, [64, 127, 64 + 133]);
    }
}
