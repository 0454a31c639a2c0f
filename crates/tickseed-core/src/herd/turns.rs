//! The agents due for a turn, as a list.
//!
//! The bits of words are first turned into a row of numbers. Going through these needs no branch,
//! after each number, on whether it was the last of its word.

/// A list is full when it has this many agents or words: a few agents for each block that memory
/// can fetch at once.
const FULL: usize = 64;
/// Most words list at most this many agents, and these are written without a branch.
const FEW: usize = 2;
/// A word is always listed whole, and a little more is written than counts.
const ROOM: usize = FULL + 64 + FEW;

/// Marks an agent that was touched; the numbers of agents are below it.
const TOUCHED: u32 = 1 << 31;

/// The agents due for a turn, and which of them were touched.
#[derive(Clone)]
pub(crate) struct Turns {
    list: [u32; ROOM],
    len: usize,
    words: [u32; FULL],
    count: usize,
    /// How many of the list's first places hold agents that were not given their turn.
    passed: usize,
}

impl Default for Turns {
    fn default() -> Self {
        Turns {
            list: [0; ROOM],
            len: 0,
            words: [0; FULL],
            count: 0,
            passed: 0,
        }
    }
}

impl Turns {
    pub(crate) fn clear(&mut self) {
        (self.len, self.count, self.passed) = (0, 0, 0);
    }

    /// Whether it is full; if not, there is room for a word.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= FULL || self.count >= FULL
    }

    /// Lists a word's agents.
    #[inline(always)]
    pub(crate) fn push(&mut self, word: u32, mut turns: u64, touched: u64) {
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word;
            self.count += 1;
        }
        let mut len = self.len;
        let mut one = |turns: &mut u64| {
            let at = turns.trailing_zeros() % 64;
            let mark = if touched >> at & 1 != 0 { TOUCHED } else { 0 };
            if let Some(place) = self.list.get_mut(len) {
                *place = (word * 64 + at) | mark;
            }
            len += usize::from(*turns != 0);
            *turns &= turns.wrapping_sub(1);
        };
        for _ in 0..FEW {
            one(&mut turns);
        }
        while turns != 0 {
            one(&mut turns);
        }
        self.len = len;
    }

    /// Records that a listed agent was not given its turn. Only called for agents already
    /// [got](Turns::get), so their places are free.
    #[cold]
    pub(crate) fn pass(&mut self, number: u32) {
        if let Some(place) = self.list.get_mut(self.passed) {
            *place = number;
            self.passed += 1;
        }
    }

    /// The agents that were not given their turn.
    pub(crate) fn passed(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().take(self.passed).copied()
    }

    /// The words listed.
    pub(crate) fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().take(self.count).copied()
    }

    /// The numbers of the agents listed.
    #[inline(always)]
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.list.iter().take(self.len).map(|turn| turn & !TOUCHED)
    }

    /// A listed agent, and whether it was touched.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Option<(u32, bool)> {
        let turn = *self.list[..self.len.min(ROOM)].get(i)?;
        Some((turn & !TOUCHED, turn & TOUCHED != 0))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::slots::ones;
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn who_is_pushed_is_listed_in_order_and_a_full_list_had_room_for_all() {
        let mut rng = Rng::new(4);
        let mut turns = Turns::default();
        for _ in 0..500 {
            turns.clear();
            let (mut expected, mut words) = (Vec::new(), Vec::new());
            let thin = rng.below(4);
            while !turns.is_full() {
                let word = words.len() as u32 * 3 + (1 << 24);
                let bits = (0..thin).fold(u64::MAX, |bits, _| bits & rng.next_u64());
                let (bits, touched) = (bits & rng.next_u64(), rng.next_u64());
                turns.push(word, bits, touched & bits);
                for i in ones(core::iter::once(bits), 0) {
                    expected.push((word * 64 + i, touched >> i & 1 != 0));
                }
                words.push(word);
            }
            let found: Vec<_> = (0..).map_while(|i| turns.get(i)).collect();
            assert_eq!(found, expected);
            assert!(turns.numbers().eq(expected.iter().map(|e| e.0)));
            assert!(turns.words().eq(words));
        }
        // The last possible agent.
        turns.clear();
        turns.push((1 << 25) - 1, 1 << 63, 0);
        assert_eq!(turns.get(0), Some(((1 << 31) - 1, false)));
    }
}
