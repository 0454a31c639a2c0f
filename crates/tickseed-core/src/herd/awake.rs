//! Which agents sleep: one bit per agent, and one bit for each word in which an agent may be awake,
//! so that a sleeping herd is scanned in no time.
//!
//! An agent with a touched key sleeps on, but is marked as touched: in its turn, it is first
//! checked whether the change makes a difference.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use super::slots::{room_for, set_bit};

/// 64 agents, one bit each. Only agents that are ready to be ticked sleep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Doze {
    asleep: u64,
    /// Which sleepers were touched since they fell asleep. Meaningless for others.
    touched: u64,
}

impl Doze {
    /// The untouched sleepers.
    #[inline(always)]
    pub(crate) fn asleep(self) -> u64 {
        self.asleep & !self.touched
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Awake {
    pub(crate) words: Vec<Doze>,
    /// One bit per word. If it is not set, every agent of the word that is ready to be ticked is
    /// asleep and untouched.
    pub(crate) some: Vec<u64>,
}

/// The part of [`Awake`] for a stretch of agents that starts at a multiple of 4096.
pub(crate) struct AwakeOf<'h> {
    pub(crate) words: &'h mut [Doze],
    pub(crate) some: &'h mut [u64],
}

impl Awake {
    /// New slots are awake, and are found once they are [woken](Awake::wake).
    pub(crate) fn grow(&mut self, slots: usize) {
        let words = slots.div_ceil(64);
        self.words.resize(words, Doze::default());
        self.some.resize(words.div_ceil(64), 0);
    }

    /// Makes room for this many agents, so that nothing is allocated as they come.
    pub(crate) fn reserve(&mut self, slots: usize) -> Result<(), TryReserveError> {
        let words = slots.div_ceil(64);
        room_for(&mut self.words, words)?;
        room_for(&mut self.some, words.div_ceil(64))
    }

    pub(crate) fn wake_all(&mut self) {
        self.words.fill(Doze::default());
        self.look_everywhere();
    }

    fn look_everywhere(&mut self) {
        self.some.fill(u64::MAX);
        if let (Some(last), words @ 1..) = (self.some.last_mut(), self.words.len() % 64) {
            *last = !(u64::MAX << words);
        }
    }

    /// Exactly the agents whose bits are set sleep; they must be ready to be ticked.
    pub(crate) fn set_asleep(&mut self, asleep: impl Iterator<Item = u64>) {
        let doze = |asleep| Doze { asleep, touched: 0 };
        self.words.clear();
        self.words.extend(asleep.map(doze));
        self.look_everywhere();
    }

    #[inline(always)]
    pub(crate) fn wake(&mut self, index: u32) {
        self.all().wake(index);
    }

    #[inline(always)]
    pub(crate) fn touch(&mut self, index: u32) {
        self.all().touch(index);
    }

    /// Whether an agent sleeps and is untouched.
    #[inline(always)]
    pub(crate) fn sleeps(&self, index: u32) -> bool {
        match self.words.get(index as usize / 64) {
            Some(word) => word.asleep() >> (index % 64) & 1 != 0,
            None => false,
        }
    }

    pub(crate) fn all(&mut self) -> AwakeOf<'_> {
        AwakeOf {
            words: &mut self.words,
            some: &mut self.some,
        }
    }
}

impl<'h> AwakeOf<'h> {
    /// For a herd in which no agent sleeps.
    pub(crate) fn none() -> AwakeOf<'h> {
        AwakeOf {
            words: &mut [],
            some: &mut [],
        }
    }

    #[inline(always)]
    pub(crate) fn wake(&mut self, index: u32) {
        let word = index / 64;
        self.words[word as usize].asleep &= !(1 << (index % 64));
        set_bit(self.some, word, true);
    }

    /// For an agent that is ready to be ticked and has its turn.
    #[inline(always)]
    pub(crate) fn sleep(&mut self, index: u32) {
        self.words[index as usize / 64].asleep |= 1 << (index % 64);
    }

    /// For an agent that was touched and does not sleep on.
    #[inline(always)]
    pub(crate) fn rise(&mut self, index: u32) {
        self.words[index as usize / 64].asleep &= !(1 << (index % 64));
    }

    /// The agents of a word that are due for a turn, being awake or touched; and those of them that
    /// sleep and were touched.
    #[inline(always)]
    pub(crate) fn due(&self, word: u32, ready: &[u64]) -> (u64, u64) {
        let word = word as usize;
        match (self.words.get(word), ready.get(word)) {
            (Some(doze), Some(ready)) => {
                (ready & !doze.asleep(), ready & doze.asleep & doze.touched)
            }
            _ => (0, 0),
        }
    }

    /// After the turns of a word: agents that sleep now are untouched. If these are all, the word
    /// is not scanned until one of its agents wakes or is touched.
    #[inline(always)]
    pub(crate) fn settle(&mut self, word: u32, ready: &[u64]) {
        let i = word as usize;
        let awake = match (self.words.get_mut(i), ready.get(i)) {
            (Some(doze), Some(ready)) => {
                doze.touched = 0;
                ready & !doze.asleep
            }
            _ => 0,
        };
        set_bit(self.some, word, awake != 0);
    }

    /// Touches a sleeping agent. (For an agent that is awake, this means nothing.)
    #[inline(always)]
    pub(crate) fn touch(&mut self, index: u32) {
        let word = index / 64;
        self.words[word as usize].touched |= 1 << (index % 64);
        set_bit(self.some, word, true);
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
    use super::super::slots::ones;
    use super::*;
    use crate::rng::Rng;

    /// Which agents have a turn, and which of them were touched.
    fn turns(awake: &mut Awake, ready: &[u64]) -> (Vec<u32>, Vec<u32>) {
        let (mut all, mut touched) = (Vec::new(), Vec::new());
        let some: Vec<u32> = ones(awake.some.iter().copied(), 0).collect();
        for word in some {
            let (a, t) = awake.all().due(word, ready);
            for i in ones(core::iter::once(t), word * 64) {
                awake.all().rise(i);
            }
            awake.all().settle(word, ready);
            all.extend(ones(core::iter::once(a), word * 64));
            touched.extend(ones(core::iter::once(t), word * 64));
        }
        (all, touched)
    }

    fn some_of(rng: &mut Rng, slots: u32) -> Vec<u32> {
        let mut set: Vec<u32> = (0..rng.below(200))
            .map(|_| rng.below(slots.into()) as u32)
            .collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    #[test]
    fn everybody_who_is_awake_or_touched_is_found_and_nobody_else() {
        const SLOTS: u32 = 64 * 313;
        let mut rng = Rng::new(3);
        let mut awake = Awake::default();
        awake.grow(SLOTS as usize);
        let ready = alloc::vec![u64::MAX; awake.words.len()];
        (0..SLOTS).for_each(|i| awake.all().sleep(i));
        for _ in 0..50 {
            let (touched, woken) = (some_of(&mut rng, SLOTS), some_of(&mut rng, SLOTS));
            touched.iter().for_each(|i| awake.touch(*i));
            woken.iter().for_each(|i| awake.wake(*i));
            assert!(
                (0..SLOTS).all(|i| awake.sleeps(i) != (touched.contains(&i) || woken.contains(&i)))
            );
            let only = touched.iter().filter(|i| !woken.contains(i));
            let mut all: Vec<u32> = only.clone().chain(&woken).copied().collect();
            all.sort_unstable();
            assert_eq!(
                turns(&mut awake, &ready),
                (all.clone(), only.copied().collect())
            );
            // An agent that does not sleep after its turn has another.
            assert_eq!(turns(&mut awake, &ready), (all.clone(), Vec::new()));
            all.iter().for_each(|i| awake.all().sleep(*i));
            assert_eq!(turns(&mut awake, &ready), (Vec::new(), Vec::new()));
            assert!(awake.some.iter().all(|w| *w == 0));
        }
        awake.wake_all();
        let words: u32 = awake.some.iter().map(|w| w.count_ones()).sum();
        assert_eq!(words as usize, awake.words.len());
        assert!(turns(&mut awake, &ready).0.into_iter().eq(0..SLOTS));
    }

    #[test]
    fn who_is_not_fit_to_be_ticked_has_no_turn() {
        let mut awake = Awake::default();
        awake.grow(64);
        awake.wake(5);
        awake.wake(6);
        assert_eq!(turns(&mut awake, &[1 << 6]).0, [6]);
    }
}
