//! Saving and loading a herd: its columns as they are, for the same tree.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use super::slots::{Generations, MOST_SLOTS, Slots, bit, ones};
use super::{EventOptions, Handle, Herd, HerdOptions, Pace};
use crate::cadence::{Cadence, CatchUp};
use crate::compile::IDLE;
use crate::context::Context;
use crate::rng::Rng;
use crate::run::{resume_point, stored_root};
use crate::snapshot::{Of, Reader, Report, Snapshot, SnapshotError, Writer};
use crate::time::{Time, nanos};
use crate::tree::Tree;

impl<C: Context> Herd<C> {
    /// The whole herd as bytes, with a checksum: agents with their history and random streams,
    /// indexes and generations, levels of detail, which agents sleep and until when. The states of
    /// boxed leaves are not included: those leaves start again.
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
        out.u8(self.options.streams.into());
        out.u64(self.options.seed);
        out.u64(self.ticks);
        out.time(self.last);
        match &self.slots.generations {
            Generations::Narrow(all) => {
                out.u8(1);
                out.bytes(all);
            }
            Generations::Wide(all) => {
                out.u8(4);
                out.numbers(all.iter().copied());
            }
        }
        out.words(self.slots.alive.iter().copied());
        out.numbers(self.slots.retired.iter().copied());
        out.words(self.fresh.iter().copied());
        out.bytes(&self.blocks);
        out.words(self.rngs.iter().map(Rng::state));
        out.words(self.lasts.iter().copied());
        out.words(self.levels.iter().map(|l| nanos(l.period())));
        out.numbers(self.levels.iter().map(Cadence::burst));
        out.words(self.paces.iter().map(|p| p.pacer.next().0));
        out.list(self.paces.iter().map(|p| p.level));
        match &self.events {
            None => out.u8(0),
            Some(events) => {
                out.u8(1);
                out.u32(events.shift);
                out.u64(events.wheel.now());
                out.words(self.sleepers().iter().map(|asleep| !asleep));
                let timer = |i: u32| Some((i, events.wheel.due(i)?));
                let timers: Vec<(u32, u64)> = (0..slots as u32).filter_map(timer).collect();
                out.numbers(timers.iter().map(|t| t.0));
                out.words(timers.iter().map(|t| t.1));
            }
        }
        Ok(out.finish())
    }

    /// Loads what [`save`](Herd::save) wrote, for the same tree. Agents keep their index and
    /// generation, by which the loaded herd [finds](Herd::handle) them. Running leaves with boxed
    /// state start again at their next tick.
    ///
    /// For a tree that has been edited since, see [`from_snapshot`](Herd::from_snapshot).
    ///
    /// # Errors
    /// The bytes are something else, damaged, of another version, or were saved with
    /// another tree.
    pub fn load(tree: Arc<Tree<C>>, bytes: &[u8]) -> Result<Herd<C>, SnapshotError> {
        let mut r = Reader::new(bytes, Of::Herd)?;
        let (found, expected) = (r.u64()?, tree.fingerprint());
        if found != expected {
            return Err(SnapshotError::OtherTree { found, expected });
        }
        let capacity = r.u64()? as usize;
        let (fixed, streams) = (r.u8()? != 0, r.u8()? != 0);
        let seed = r.u64()?;
        let (ticks, last) = (r.u64()?, r.time()?);
        let generations = match r.u8()? {
            1 => Generations::Narrow(r.bytes()?.to_vec()),
            4 => Generations::Wide(r.numbers()?),
            _ => return Err(r.damaged("generations are of no known width")),
        };
        let (alive, retired, fresh) = (r.words()?, r.numbers()?, r.words()?);
        let blocks = r.bytes()?;
        let (rngs, lasts) = (r.words()?, r.words()?);
        let (periods, bursts) = (r.words()?, r.numbers()?);
        let (nexts, levels) = (r.words()?, r.bytes()?);
        let slots = generations.len();
        let words = slots.div_ceil(64);
        let options = HerdOptions {
            capacity: 0,
            fixed,
            seed,
            streams,
        };
        let mut herd = Herd::with(tree, options);
        herd.options.capacity = capacity;
        let sized = |of: usize, per: bool| of == if per { slots } else { 0 };
        let in_levels = |l: &u8| usize::from(*l) < periods.len();
        let whole = slots <= MOST_SLOTS
            && alive.len() == words
            && fresh.len() == words
            && blocks.len() == slots * herd.tree.program.bytes
            && sized(rngs.len(), herd.options.streams)
            && (lasts.is_empty() || lasts.len() == slots)
            && (slots.is_multiple_of(64) || alive.last().is_none_or(|w| w >> (slots % 64) == 0))
            && retired
                .iter()
                .all(|&i| (i as usize) < slots && !bit(&alive, i))
            && periods.len() == bursts.len()
            && periods.len() <= 256
            && sized(nexts.len(), !periods.is_empty())
            && nexts.len() == levels.len()
            && levels.iter().all(in_levels);
        if !whole {
            return Err(r.damaged("its parts do not fit together"));
        }
        herd.slots = Slots {
            live: alive.iter().map(|w| w.count_ones() as usize).sum(),
            ready: alive.clone(),
            alive,
            generations,
            hint: 0,
            retired: retired.into_iter().collect(),
        };
        herd.fresh = fresh;
        herd.newborn = true;
        herd.blocks = blocks.to_vec();
        let sides = slots * herd.tree.program.sides;
        herd.sides.resize_with(sides, || None);
        herd.rngs = rngs.into_iter().map(Rng::new).collect();
        (herd.lasts, herd.ticks, herd.last) = (lasts, ticks, last);
        let level = |(period, burst): (u64, u32)| {
            let catch_up = match burst {
                0 => CatchUp::Skip,
                most => CatchUp::Burst(most),
            };
            Cadence::every(Duration::from_nanos(period)).catch_up(catch_up)
        };
        herd.levels = periods.into_iter().zip(bursts).map(level).collect();
        let paces = nexts.into_iter().zip(levels);
        herd.paces = paces
            .map(|(next, &level)| Pace {
                pacer: herd.levels[usize::from(level)].start(Time(next)),
                level,
            })
            .collect();
        herd.reserve_loaded().map_err(|what| r.damaged(what))?;
        for index in ones(herd.slots.alive.iter().copied(), 0) {
            // A tree that never keeps running has no resume point, only a byte that says so.
            let (program, block) = (&herd.tree.program, herd.block(index));
            let begins = (stored_root(program, block) as usize) < program.entries.len();
            if !begins || !herd.tree.is_sound(block, 0) {
                return Err(r.damaged("an agent is where its tree has no such place"));
            }
        }
        if r.u8()? != 0 {
            let (shift, now) = (r.u32()?, r.u64()?);
            let awake = r.words()?;
            let (timed, dues) = (r.numbers()?, r.words()?);
            let there = |i: &u32| (*i as usize) < slots;
            if shift > 63
                || awake.len() != words
                || timed.len() != dues.len()
                || !timed.iter().all(there)
            {
                return Err(r.damaged("its scheduling does not fit"));
            }
            herd.begin_events(EventOptions::default())
                .map_err(|_| r.damaged("there is no memory for its scheduling"))?;
            if let Some(events) = &mut herd.events {
                events.shift = shift;
                events.wheel.restart(now);
                let ready = herd.slots.ready.iter();
                let asleep = awake.iter().zip(ready).map(|(awake, ready)| ready & !awake);
                events.awake.set_asleep(asleep);
                for (i, due) in timed.into_iter().zip(dues) {
                    if due > now {
                        events.wheel.set(i, due);
                    }
                }
            }
        }
        r.end()?;
        Ok(herd)
    }

    /// Every agent's state as plain data that names nodes by their paths, for putting some of the
    /// agents into another herd with [`restore`](Herd::restore). For the whole herd, see
    /// [`snapshot`](Herd::snapshot).
    ///
    /// # Errors
    /// Agents are poisoned.
    pub fn snapshots(&self) -> Result<Vec<(Handle, Snapshot)>, SnapshotError> {
        let whole = self.snapshot()?;
        let agents = whole.agents.into_iter();
        Ok(agents
            .filter_map(|a| Some((self.at(a.index as usize)?, a.state)))
            .collect())
    }

    /// Adds an agent from a snapshot to the herd, at the time `now`: see [`Tree::restore`]. It gets a
    /// new handle. In a herd without a random stream per agent, the snapshot's stream is ignored.
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
    /// Whether every thread that matters is at an existing resume point.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::nodes;

    /// A checksum does not protect against forged bytes.
    #[test]
    fn a_resume_point_that_the_tree_does_not_have_is_refused() {
        let n = nodes::<()>();
        let waits = n.selector([n.fail(), n.wait(Duration::from_secs(1))]);
        let never_runs_on = n.run_once(n.succeed());
        for root in [waits, never_runs_on] {
            let tree = Arc::new(root.build().unwrap());
            let mut herd = Herd::new(tree.clone());
            herd.spawn().unwrap();
            assert!(Herd::load(tree.clone(), &herd.save().unwrap()).is_ok());
            herd.blocks[0] = 7;
            assert!(Herd::load(tree, &herd.save().unwrap()).is_err());
        }
    }

    /// The bytes are whole, and yet no herd: a capacity that no machine has room for is an error.
    #[test]
    fn a_fixed_capacity_without_room_is_an_error() {
        let tree = Arc::new(nodes::<()>().wait(Duration::from_secs(1)).build().unwrap());
        for scheduled in [false, true] {
            let options = HerdOptions {
                capacity: 4,
                fixed: true,
                ..HerdOptions::default()
            };
            let mut herd = Herd::with(tree.clone(), options);
            herd.spawn().unwrap();
            if scheduled {
                herd.use_events(EventOptions::default());
            }
            for capacity in [MOST_SLOTS + 1, usize::MAX] {
                herd.options.capacity = capacity;
                let loaded = Herd::load(tree.clone(), &herd.save().unwrap());
                assert!(matches!(loaded, Err(SnapshotError::Damaged { .. })));
                let plain = Herd::from_snapshot(tree.clone(), &herd.snapshot().unwrap(), Time(0));
                assert!(matches!(plain, Err(SnapshotError::Invalid { .. })));
            }
        }
    }
}
