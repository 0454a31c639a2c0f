//! Who is awake: a bit an agent, and a bit for each word of those that may be nonzero, so that
//! a herd that sleeps is looked through in no time.

use alloc::vec::Vec;

use super::slots::{bit, set_bit};

#[derive(Clone, Debug, Default)]
pub(crate) struct Awake {
    pub(crate) words: Vec<u64>,
    /// Words of which this bit is not set are zero.
    pub(crate) some: Vec<u64>,
}

/// [`Awake`] of a stretch of agents, whose first is a multiple of 4096.
pub(crate) struct AwakeOf<'h> {
    pub(crate) words: &'h mut [u64],
    pub(crate) some: &'h mut [u64],
}

impl Awake {
    pub(crate) fn grow(&mut self, slots: usize) {
        let words = slots.div_ceil(64);
        self.words.resize(words, 0);
        self.some.resize(words.div_ceil(64), 0);
    }

    /// Bits of slots that nobody lives in do not matter.
    pub(crate) fn fill(&mut self) {
        self.words.fill(u64::MAX);
        self.some.fill(u64::MAX);
    }

    #[inline]
    pub(crate) fn set(&mut self, index: u32) {
        self.all().set(index);
    }

    pub(crate) fn clear(&mut self, index: u32) {
        set_bit(&mut self.words, index, false);
    }

    #[inline]
    pub(crate) fn has(&self, index: u32) -> bool {
        bit(&self.words, index)
    }

    pub(crate) fn all(&mut self) -> AwakeOf<'_> {
        AwakeOf {
            words: &mut self.words,
            some: &mut self.some,
        }
    }
}

impl<'h> AwakeOf<'h> {
    /// Of a herd in which nobody sleeps.
    pub(crate) fn none() -> AwakeOf<'h> {
        AwakeOf {
            words: &mut [],
            some: &mut [],
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, index: u32) {
        set_bit(self.words, index, true);
        set_bit(self.some, index / 64, true);
    }

    /// The next word from this one on in which somebody may be awake, and its bits.
    #[inline]
    pub(crate) fn next(&mut self, from: usize) -> Option<(usize, u64)> {
        let mut at = from;
        loop {
            let some = self.some.get(at / 64)? >> (at % 64);
            if some == 0 {
                at = (at / 64 + 1) * 64;
                continue;
            }
            at += some.trailing_zeros() as usize;
            let bits = *self.words.get(at)?;
            if bits != 0 {
                return Some((at, bits));
            }
            set_bit(self.some, at as u32, false);
            at += 1;
        }
    }

    #[cfg(feature = "rayon")]
    pub(crate) fn split_at(self, agents: usize) -> (AwakeOf<'h>, AwakeOf<'h>) {
        let (words, rest) = self.words.split_at_mut(self.words.len().min(agents / 64));
        let (some, more) = self.some.split_at_mut(self.some.len().min(agents / 4096));
        let right = AwakeOf {
            words: rest,
            some: more,
        };
        (AwakeOf { words, some }, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn everybody_who_is_awake_is_found_and_nobody_else() {
        let mut rng = Rng::new(3);
        let mut awake = Awake::default();
        awake.grow(20_000);
        for round in 0..50 {
            let mut set: Vec<u32> = (0..rng.below(200))
                .map(|_| rng.below(20_000) as u32)
                .collect();
            set.sort_unstable();
            set.dedup();
            set.iter().for_each(|i| awake.set(*i));
            if round % 3 == 0 {
                set.retain(|i| {
                    i % 2 == 0
                        || !{
                            awake.clear(*i);
                            true
                        }
                });
            }
            let (mut found, mut from) = (Vec::new(), 0);
            while let Some((word, bits)) = awake.all().next(from) {
                found.extend(super::super::slots::ones(
                    core::iter::once(bits),
                    word as u32 * 64,
                ));
                from = word + 1;
            }
            assert_eq!(found, set);
            set.iter().for_each(|i| awake.clear(*i));
        }
        awake.fill();
        assert_eq!(awake.all().next(77), Some((77, u64::MAX)));
    }
}
