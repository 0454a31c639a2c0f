//! Saving a herd and loading it again: its columns as they are, for the same tree.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::slots::{Slots, bit, ones};
use super::{EventOptions, Handle, Herd, HerdOptions};
use crate::compile::IDLE;
use crate::context::Context;
use crate::rng::Rng;
use crate::run::resume_point;
use crate::snapshot::{Of, Reader, Report, Snapshot, SnapshotError, Writer};
use crate::time::Time;
use crate::tree::Tree;

impl<C: Context> Herd<C> {
    /// The whole herd as bytes, with a checksum: agents with their history and random streams,
    /// handles, who sleeps and until when. Levels of detail and what boxed leaves hold are not
    /// part of it.
    ///
    /// # Errors
    /// Agents are poisoned.
    pub fn save(&self) -> Result<Vec<u8>, SnapshotError> {
        if !self.poisoned.is_empty() {
            return Err(SnapshotError::Poisoned {
                agents: self.poisoned.len(),
            });
        }
        let slots = self.slots.len();
        let mut out = Writer::new(Of::Herd, self.blocks.len() + slots * 24 + 256);
        out.u64(self.tree.fingerprint());
        out.u64(self.options.capacity as u64);
        out.u8(self.options.fixed.into());
        out.u64(self.options.seed);
        out.u64(self.ticks);
        out.time(self.last);
        out.numbers(&self.slots.generations);
        out.words(self.slots.alive.iter().copied());
        out.numbers(&self.slots.free);
        out.words(self.fresh.iter().copied());
        out.bytes(&self.blocks);
        out.words(self.rngs.iter().map(Rng::state));
        out.words(self.lasts.iter().copied());
        match &self.events {
            None => out.u8(0),
            Some(events) => {
                out.u8(1);
                out.u32(events.shift);
                out.u64(events.wheel.now());
                out.words(events.awake.iter().copied());
                let timer = |i: u32| events.wheel.due(i).unwrap_or(0);
                out.words((0..slots).map(|i| timer(i as u32)));
            }
        }
        Ok(out.finish())
    }

    /// Loads what [`save`](Herd::save) wrote, for the same tree; handles are the same as then.
    /// Running leaves with boxed state start again at their next tick.
    ///
    /// For a tree that was edited since see [`snapshots`](Herd::snapshots).
    ///
    /// # Errors
    /// The bytes are something else, damaged, of a later version, or were saved with
    /// another tree.
    pub fn load(tree: Arc<Tree<C>>, bytes: &[u8]) -> Result<Herd<C>, SnapshotError> {
        let mut r = Reader::new(bytes, Of::Herd)?;
        let (found, expected) = (r.u64()?, tree.fingerprint());
        if found != expected {
            return Err(SnapshotError::OtherTree { found, expected });
        }
        let capacity = r.u64()? as usize;
        let fixed = r.u8()? != 0;
        let seed = r.u64()?;
        let (ticks, last) = (r.u64()?, r.time()?);
        let generations = r.numbers()?;
        let (alive, free, fresh) = (r.words()?, r.numbers()?, r.words()?);
        let blocks = r.bytes()?;
        let (rngs, lasts) = (r.words()?, r.words()?);
        let slots = generations.len();
        let words = slots.div_ceil(64);
        let options = HerdOptions {
            capacity: 0,
            fixed,
            seed,
            streams: slots > 0 && !rngs.is_empty(),
        };
        let mut herd = Herd::with(tree, options);
        herd.options.capacity = capacity;
        let sized = |of: usize, per: bool| of == if per { slots } else { 0 };
        let whole = alive.len() == words
            && fresh.len() == words
            && blocks.len() == slots * herd.tree.program.bytes
            && sized(rngs.len(), herd.options.streams)
            && (lasts.is_empty() || lasts.len() == slots)
            && (slots.is_multiple_of(64) || alive.last().is_none_or(|w| w >> (slots % 64) == 0));
        let mut seen = vec![0u64; words];
        let unique = free.iter().all(|&i| {
            let fine = (i as usize) < slots && !bit(&alive, i) && !bit(&seen, i);
            if fine {
                super::set_bit(&mut seen, i, true);
            }
            fine
        });
        if !whole || !unique {
            return Err(r.damaged("its parts do not fit together"));
        }
        herd.slots = Slots {
            live: alive.iter().map(|w| w.count_ones() as usize).sum(),
            ready: alive.clone(),
            alive,
            generations,
            free,
        };
        herd.fresh = fresh;
        herd.blocks = blocks.to_vec();
        let sides = slots * herd.tree.program.sides;
        herd.sides.resize_with(sides, || None);
        herd.rngs = rngs.into_iter().map(Rng::new).collect();
        (herd.lasts, herd.ticks, herd.last) = (lasts, ticks, last);
        for index in ones(herd.slots.alive.iter().copied(), 0) {
            if !herd.tree.is_sound(herd.block(index), 0) {
                return Err(r.damaged("an agent is where its tree has no such place"));
            }
        }
        if r.u8()? != 0 {
            let (shift, now) = (r.u32()?, r.u64()?);
            let (awake, timers) = (r.words()?, r.words()?);
            if shift > 63 || awake.len() != words || timers.len() != slots {
                return Err(r.damaged("its scheduling does not fit"));
            }
            herd.use_events(EventOptions::default());
            if let Some(events) = &mut herd.events {
                events.shift = shift;
                events.wheel.restart(now);
                events.awake = awake;
                for (i, due) in (0..).zip(timers) {
                    if due > now {
                        events.wheel.set(i, due);
                    }
                }
            }
        }
        r.end()?;
        Ok(herd)
    }

    /// Every agent's state as plain data that names nodes by their paths, by which to save a
    /// herd as text, or to load it with a tree that was edited: see
    /// [`restore`](Herd::restore).
    ///
    /// # Errors
    /// Agents are poisoned.
    pub fn snapshots(&self) -> Result<Vec<(Handle, Snapshot)>, SnapshotError> {
        if !self.poisoned.is_empty() {
            return Err(SnapshotError::Poisoned {
                agents: self.poisoned.len(),
            });
        }
        let tree = self.tree.fingerprint();
        let one = |h: Handle| {
            let i = h.index as usize;
            let rng = self.rngs.get(i).copied().unwrap_or(Rng::new(0));
            let last = (!bit(&self.fresh, h.index)).then(|| match self.lasts.get(i) {
                Some(own) => Time((*own).max(self.last.map_or(0, |t| t.0))),
                None => self.last.unwrap_or(Time::ZERO),
            });
            (
                h,
                self.tree
                    .snapshot_with(tree, self.block(h.index), rng, last),
            )
        };
        Ok(self.handles().map(one).collect())
    }

    /// Puts an agent of a snapshot into the herd, at the time `now`: see [`Tree::restore`]. It gets a
    /// new handle; in a herd without streams of its own for each agent the snapshot's has no
    /// effect.
    ///
    /// # Errors
    /// The herd is full.
    pub fn restore(
        &mut self,
        snapshot: &Snapshot,
        now: Time,
    ) -> Result<(Handle, Report), super::HerdError> {
        let handle = self.spawn()?;
        let (agent, report) = self.tree.restore(snapshot, now);
        self.block_mut(handle.index).copy_from_slice(&agent.mem);
        if let Some(rng) = self.rngs.get_mut(handle.index as usize) {
            *rng = agent.rng;
        }
        if let Some(last) = snapshot.last {
            self.keep_lasts();
            self.lasts[handle.index as usize] = last.0;
            super::set_bit(&mut self.fresh, handle.index, false);
        }
        Ok((handle, report))
    }
}

impl<C: Context> Tree<C> {
    /// Whether every thread that matters is at a place that exists.
    fn is_sound(&self, mem: &[u8], thread: u32) -> bool {
        let t = self.program.threads[thread as usize];
        let y = resume_point(&self.program, mem, thread);
        if y == IDLE {
            return true;
        }
        if y - t.lo >= t.yields {
            return false;
        }
        match self.threads_at(y) {
            Some((first, len)) => (first..first + len).all(|t| self.is_sound(mem, t)),
            None => true,
        }
    }
}
