//! Which agents sleep, and what wakes them.

use alloc::boxed::Box;
use alloc::collections::TryReserveError;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use super::awake::Awake;
use super::slots::{bit, ones, set_bit};
use super::touches::Touches;
use super::wheel::Wheel;
use super::{Handle, Herd, HerdError, Pace};
use crate::compile::Program;
use crate::context::Context;
use crate::key::KeyId;
use crate::time::{Time, nanos};
use crate::wake::{Sabotage, WakeTable};

/// How agents sleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventOptions {
    /// How finely deadlines are told apart, rounded down to a power of two in nanoseconds. An agent
    /// may be woken that much too early, which costs a tick and changes nothing. It stays awake
    /// within the granule of its deadline.
    pub granularity: Duration,
}

impl Default for EventOptions {
    /// About a millisecond.
    fn default() -> Self {
        EventOptions {
            granularity: Duration::from_nanos(1 << 20),
        }
    }
}

/// The scheduling of a herd: one bit and at most one timer per agent.
pub(crate) struct Events {
    pub(crate) awake: Awake,
    pub(crate) wheel: Wheel,
    /// The length of a granule in nanoseconds, as a power of two.
    pub(crate) shift: u32,
    /// In place of the tree's, in tests.
    pub(crate) table: Option<Box<WakeTable>>,
    pub(crate) touches: Touches,
}

impl Events {
    pub(crate) fn grow(&mut self, slots: usize) {
        self.awake.grow(slots);
        self.wheel.grow(slots);
    }

    #[inline]
    pub(crate) fn wake(&mut self, index: u32) {
        self.awake.wake(index);
    }

    pub(crate) fn wake_all(&mut self) {
        self.awake.wake_all();
    }

    /// The slot has no agent any more.
    pub(crate) fn forget(&mut self, index: u32) {
        self.awake.wake(index);
        self.wheel.clear(index);
    }

    /// Switches to another tree or another table: every agent is awake.
    pub(crate) fn turn_to(&mut self, granule: u64, program: &Program) {
        self.table = None;
        self.touches.restart(program);
        self.wheel.restart(granule);
        self.wake_all();
    }

    /// Advances to a later time.
    pub(crate) fn advance(&mut self, now: Time) {
        let awake = &mut self.awake;
        self.wheel
            .advance(now.0 >> self.shift, |slot| awake.wake(slot));
    }

    /// Goes back to an earlier time. Deadlines that had passed may now be ahead, so every agent is
    /// woken.
    pub(crate) fn go_back(&mut self, now: Time) {
        self.wheel.restart(now.0 >> self.shift);
        self.wake_all();
    }
}

impl<C: Context> Herd<C> {
    /// Lets agents sleep in [`tick_due`](Herd::tick_due). Every agent is awake at first.
    ///
    /// # Panics
    /// There is no memory for the scheduling of a herd of fixed capacity.
    pub fn use_events(&mut self, options: EventOptions) {
        if let Err(e) = self.begin_events(options) {
            panic!("no room to schedule {} agents: {e}", self.options.capacity);
        }
    }

    /// [`use_events`](Herd::use_events), if there is memory for it.
    pub(super) fn begin_events(&mut self, options: EventOptions) -> Result<(), TryReserveError> {
        // Now, since ticks must not allocate.
        self.tree.watched();
        let granule = nanos(options.granularity).max(1);
        let shift = 63 - granule.leading_zeros();
        let now = self.last.map_or(0, |t| t.0 >> shift);
        let mut events = Events {
            awake: Awake::default(),
            wheel: Wheel::new(now),
            shift,
            table: None,
            touches: Touches::default(),
        };
        if self.options.fixed {
            events.awake.reserve(self.options.capacity)?;
            events.wheel.reserve_exact(self.options.capacity)?;
        }
        events.grow(self.slots.len());
        events.turn_to(now, &self.tree.program);
        self.events = Some(events);
        Ok(())
    }

    /// Puts a fault into the wake sets, to show that tests find it.
    #[doc(hidden)]
    pub fn sabotage(&mut self, by: Sabotage) {
        if let Some(events) = &mut self.events {
            let table = WakeTable::new(&self.tree.program, &self.tree.def, Some(by));
            events.turn_to(events.wheel.now(), &self.tree.program);
            events.table = Some(Box::new(table));
        }
    }

    /// How many bytes of scheduling each agent takes: the bits for alive, ready, never ticked and
    /// awake; the times of last ticks and levels of detail, where they are kept; and timers, which
    /// take four bytes per agent and nine for each timer at their peak number.
    #[must_use]
    pub fn scheduling_bytes_per_agent(&self) -> f64 {
        let lasts = if self.lasts.is_empty() { 0 } else { 8 };
        let paces = if self.paces.is_empty() {
            0
        } else {
            size_of::<Pace>()
        };
        let events = match &self.events {
            Some(events) => {
                let slots = self.slots.len().max(1) as f64;
                events.wheel.bytes() as f64 / slots + 2.0 / 8.0 + 1.0 / 512.0
            }
            None => 0.0,
        };
        (lasts + paces) as f64 + 3.0 / 8.0 + events
    }

    /// Reports that a key of this agent's context has changed. The agent wakes if its next tick
    /// could depend on the key. Changes made while the agent was awake need not be reported.
    ///
    /// # Errors
    /// The handle is stale.
    #[inline]
    pub fn touch(&mut self, handle: Handle, key: impl Into<KeyId>) -> Result<(), HerdError> {
        self.check(handle)?;
        self.note_touch(handle.index, key.into());
        Ok(())
    }

    /// Reports that a key has changed in the contexts of all agents.
    pub fn touch_all(&mut self, key: impl Into<KeyId>) {
        let key = key.into();
        for word in 0..self.events.as_ref().map_or(0, |e| e.awake.words.len()) {
            for index in ones(core::iter::once(self.asleep_in(word)), word as u32 * 64) {
                self.note_touch(index, key);
            }
        }
    }

    /// Wakes an agent: something that one of its leaves waits for has happened.
    ///
    /// # Errors
    /// The handle is stale: the event comes too late and changes nothing.
    pub fn wake(&mut self, handle: Handle) -> Result<(), HerdError> {
        self.check(handle)?;
        self.rouse(handle.index);
        Ok(())
    }

    /// Wakes every agent.
    pub fn wake_all(&mut self) {
        if let Some(events) = &mut self.events {
            events.wake_all();
        }
    }

    fn rouse(&mut self, index: u32) {
        if let Some(events) = &mut self.events {
            events.wake(index);
        }
    }

    /// The agents of a word that sleep, as far as touches have been delivered.
    fn asleep_in(&self, word: usize) -> u64 {
        match &self.events {
            Some(events) => self.slots.ready[word] & events.awake.words[word].asleep(),
            None => 0,
        }
    }

    /// Whether an agent sleeps, as far as touches have been delivered.
    pub(super) fn sleeps_so_far(&self, index: u32) -> bool {
        match &self.events {
            Some(events) => events.awake.sleeps(index) && bit(&self.slots.ready, index),
            None => false,
        }
    }

    fn sleeps(&self, index: u32) -> bool {
        self.sleeps_so_far(index) && !self.untold().any(|touched| touched == index)
    }

    /// The agents that sleep, one bit each.
    pub(super) fn sleepers(&self) -> Vec<u64> {
        let words = self.events.as_ref().map_or(0, |e| e.awake.words.len());
        let mut words: Vec<u64> = (0..words).map(|w| self.asleep_in(w)).collect();
        for touched in self.untold() {
            set_bit(&mut words, touched, false);
        }
        words
    }

    /// Whether a sleeping agent depends on the key.
    pub(super) fn depends(&self, index: u32, key: KeyId) -> bool {
        let (prog, def) = (&self.tree.program, &self.tree.def);
        self.table().reads(prog, def, self.block(index), key).0
    }

    fn table(&self) -> &WakeTable {
        self.events
            .as_ref()
            .and_then(|e| e.table.as_deref())
            .unwrap_or_else(|| self.tree.wakes())
    }

    /// How many agents sleep.
    #[must_use]
    pub fn asleep(&self) -> usize {
        let sleepers = self.sleepers();
        sleepers.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether an agent sleeps.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn is_asleep(&self, handle: Handle) -> Result<bool, HerdError> {
        self.check(handle)?;
        Ok(self.sleeps(handle.index))
    }

    /// The keys whose change would wake a sleeping agent, ascending: for tools. Empty for an agent
    /// that is awake.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn watched(&self, handle: Handle) -> Result<Vec<KeyId>, HerdError> {
        self.check(handle)?;
        if !self.sleeps(handle.index) {
            return Ok(vec![]);
        }
        let (prog, def) = (&self.tree.program, &self.tree.def);
        let block = self.block(handle.index);
        Ok(self.table().keys(prog, def, block))
    }

    /// The latest time by which [`tick_due`](Herd::tick_due) should be called again: now if an
    /// agent is awake, or else the earliest deadline, possibly a little early. `None` if only a
    /// touch or a wake can change anything. For loops that sleep themselves.
    #[must_use]
    pub fn next_due(&self) -> Option<Time> {
        let events = self.events.as_ref()?;
        let mut words = self.slots.ready.iter().zip(&events.awake.words);
        if words.any(|(ready, doze)| ready & !doze.asleep() != 0) || self.untold().next().is_some()
        {
            return Some(self.last.unwrap_or(Time::ZERO));
        }
        events.wheel.next().map(|g| Time(g << events.shift))
    }
}
