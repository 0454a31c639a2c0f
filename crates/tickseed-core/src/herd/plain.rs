//! A herd as plain data: for storing it as text, and for loading it into an edited tree.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::slots::{Generations, MOST_SLOTS, bit, set_bit};
use super::{EventOptions, Handle, Herd, HerdOptions, Pace};
use crate::cadence::Cadence;
use crate::context::Context;
use crate::rng::Rng;
use crate::snapshot::{Change, Origin, Report, Snapshot, SnapshotError, Target, restore};
use crate::time::Time;
use crate::tree::Tree;

/// A herd, as plain data that names nodes by their paths.
///
/// The states of boxed leaves are not included. Loading into the tree from which it was taken is
/// exact; see [`Herd::from_snapshot`].
#[derive(Clone, PartialEq, Debug)]
pub struct HerdSnapshot {
    /// The fingerprint of the tree: see [`Tree::fingerprint`].
    pub tree: u64,
    /// How the herd was made.
    pub options: HerdOptions,
    /// How many ticks the herd has seen.
    pub ticks: u64,
    /// The time of the last tick of the whole herd.
    pub last: Option<Time>,
    /// Its levels of detail.
    pub levels: Vec<Cadence>,
    /// If agents may sleep: the length of a granule in nanoseconds, as a power of two, and the
    /// herd's current granule.
    pub events: Option<(u32, u64)>,
    /// The generation of every slot, taken or not.
    pub generations: Vec<u32>,
    /// Slots that are never taken again.
    pub retired: Vec<u32>,
    /// The agents, by index.
    pub agents: Vec<AgentSnapshot>,
}

/// An agent of a [`HerdSnapshot`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSnapshot {
    /// Its slot.
    pub index: u32,
    /// Its state.
    pub state: Snapshot,
    /// The time of its own last tick, where the herd keeps one for each agent.
    pub own_last: Option<Time>,
    /// Its level of detail and when it is due, if there are levels.
    pub level: Option<(u8, Time)>,
    /// Whether it sleeps.
    pub asleep: bool,
    /// The granule at which it is woken.
    pub timer: Option<u64>,
}

/// The result of loading a herd into an edited tree, or of [reloading](Herd::reload) it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HerdReport {
    /// How many agents were taken over.
    pub agents: usize,
    /// What changed: the node's former path, what became of it, and for how many agents.
    pub changes: Vec<(String, Change, usize)>,
    /// How many agents were running leaves that are gone, which were halted.
    pub halted: usize,
    /// Agents that were running leaves that are gone, or were poisoned, and whose context was not
    /// given: their leaves did not release what they hold.
    pub unhalted: Vec<Handle>,
    /// Agents with a halt hook that panicked and the panic's message, one entry per panic. Their
    /// other hooks still ran.
    pub panics: Vec<(Handle, String)>,
}

impl HerdReport {
    /// Whether everything stayed as it was.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty() && self.unhalted.is_empty() && self.panics.is_empty()
    }
}

impl fmt::Display for HerdReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} agents taken over", self.agents)?;
        if self.halted > 0 {
            write!(f, ", {} of them halted in part or whole", self.halted)?;
        }
        for (path, change, agents) in &self.changes {
            write!(f, "\n{agents} agents: ")?;
            change.tell(path, f)?;
        }
        if !self.unhalted.is_empty() {
            let agents = self.unhalted.len();
            write!(f, "\n{agents} agents were not halted: no context was given")?;
        }
        for (agent, said) in &self.panics {
            write!(f, "\nagent {agent}: a halt hook panicked: {said}")?;
        }
        Ok(())
    }
}

/// Counts what changed over many agents.
#[derive(Default)]
pub(super) struct Tally(BTreeMap<(String, Change), usize>);

impl Tally {
    pub(super) fn add(&mut self, report: Report) {
        for change in report.changes {
            *self.0.entry(change).or_default() += 1;
        }
    }

    pub(super) fn list(self) -> Vec<(String, Change, usize)> {
        let list = self.0.into_iter();
        list.map(|((path, change), n)| (path, change, n)).collect()
    }
}

impl<C: Context> Herd<C> {
    /// The whole herd as plain data.
    ///
    /// # Errors
    /// Agents are poisoned.
    pub fn snapshot(&self) -> Result<HerdSnapshot, SnapshotError> {
        if !self.poisoned.is_empty() {
            return Err(SnapshotError::Poisoned {
                agents: self.poisoned.len(),
            });
        }
        let origin = Origin::new(&self.tree);
        let sleepers = self.sleepers();
        let agent = |h: Handle| {
            let i = h.index as usize;
            let rng = self.rngs.get(i).copied().unwrap_or(Rng::new(0));
            AgentSnapshot {
                index: h.index,
                state: origin.snapshot(self.block(h.index), rng, self.last_of(h.index)),
                own_last: self.lasts.get(i).map(|t| Time(*t)),
                level: self.paces.get(i).map(|p| (p.level, p.pacer.next())),
                asleep: bit(&sleepers, h.index),
                timer: self.events.as_ref().and_then(|e| e.wheel.due(h.index)),
            }
        };
        let slots = 0..self.slots() as u32;
        Ok(HerdSnapshot {
            tree: self.tree.fingerprint(),
            options: self.options,
            ticks: self.ticks,
            last: self.last,
            levels: self.levels.clone(),
            events: self.events.as_ref().map(|e| (e.shift, e.wheel.now())),
            generations: slots
                .filter_map(|i| self.slots.generations.get(i))
                .collect(),
            retired: self.slots.retired.iter().copied().collect(),
            agents: self.handles().map(agent).collect(),
        })
    }

    /// The time of an agent's last tick, if it was ever ticked.
    pub(super) fn last_of(&self, index: u32) -> Option<Time> {
        if super::bit(&self.fresh, index) {
            return None;
        }
        let last = self.last.unwrap_or(Time::ZERO);
        let own = self.lasts.get(index as usize).map(|own| Time(*own));
        Some(own.map_or(last, |own| own.max(last)))
    }

    /// Restores a herd from a snapshot, at the time `now`. With the same tree, the herd goes on as
    /// the original would have, except that boxed leaves start again, and an agent may be ticked
    /// once more, without effect, before it sleeps again. With an edited tree, each agent goes on
    /// as [`Tree::restore`] says, and every agent is awake. Agents keep their index and generation.
    ///
    /// # Errors
    /// The data contradicts itself; the error names the agent.
    pub fn from_snapshot(
        tree: Arc<Tree<C>>,
        snapshot: &HerdSnapshot,
        now: Time,
    ) -> Result<(Herd<C>, HerdReport), SnapshotError> {
        let wrong = |agent, what| SnapshotError::Invalid { agent, what };
        let slots = snapshot.generations.len();
        if slots > MOST_SLOTS || snapshot.levels.len() > 256 {
            return Err(wrong(None, "it has too many slots or levels"));
        }
        let same = tree.fingerprint() == snapshot.tree;
        let mut herd = Herd::with(
            tree.clone(),
            HerdOptions {
                capacity: slots,
                ..snapshot.options
            },
        );
        herd.options.capacity = snapshot.options.capacity;
        (herd.ticks, herd.last) = (snapshot.ticks, snapshot.last);
        herd.levels = snapshot.levels.clone();
        if snapshot.agents.iter().any(|a| a.own_last.is_some()) {
            // Stored from the first slot on.
            herd.lasts.push(0);
        }
        for _ in 0..slots {
            herd.place()
                .map_err(|_| wrong(None, "it is fuller than it can be"))?;
        }
        herd.lasts.truncate(slots);
        for index in 0..slots as u32 {
            herd.free(index);
        }
        herd.slots.generations =
            match u8::try_from(snapshot.generations.iter().max().map_or(0, |g| *g)) {
                Ok(_) if !herd.options.fixed => {
                    Generations::Narrow(snapshot.generations.iter().map(|g| *g as u8).collect())
                }
                _ => Generations::Wide(snapshot.generations.clone()),
            };
        herd.reserve_loaded().map_err(|what| wrong(None, what))?;
        herd.slots.retired = snapshot.retired.iter().copied().collect();
        if herd.slots.retired.iter().any(|i| *i as usize >= slots) {
            return Err(wrong(None, "a slot that is not there is retired"));
        }
        if let Some((shift, granule)) = snapshot.events {
            if shift > 63 {
                return Err(wrong(None, "its granules are too long"));
            }
            herd.begin_events(EventOptions::default())
                .map_err(|_| wrong(None, "there is no memory for its scheduling"))?;
            if let Some(events) = &mut herd.events {
                events.shift = shift;
                events.wheel.restart(granule);
            }
        }
        let target = Target::new(&tree);
        let mut seen = BTreeSet::new();
        let mut tally = Tally::default();
        for agent in &snapshot.agents {
            let (index, i) = (agent.index, agent.index as usize);
            let level = agent.level.map_or(0, |l| usize::from(l.0));
            let problem = if i >= slots {
                "its slot is not there"
            } else if !seen.insert(index) {
                "its slot is taken twice"
            } else if herd.slots.retired.contains(&index) {
                "its slot is retired"
            } else if agent.level.is_some() == snapshot.levels.is_empty()
                || agent.level.is_some() && level >= snapshot.levels.len()
            {
                "its level of detail is not there"
            } else if agent.own_last.is_some() == herd.lasts.is_empty() {
                "the time of its last tick is missing"
            } else {
                ""
            };
            if !problem.is_empty() {
                return Err(wrong(Some(index), problem));
            }
            set_bit(&mut herd.slots.alive, index, true);
            set_bit(&mut herd.slots.ready, index, true);
            herd.slots.live += 1;
            set_bit(&mut herd.fresh, index, agent.state.last.is_none());
            let report = restore(&target, &agent.state, now, herd.block_mut(index));
            tally.add(report);
            if let Some(rng) = herd.rngs.get_mut(i) {
                *rng = Rng::new(agent.state.rng);
            }
            if let (Some(last), Some(own)) = (herd.lasts.get_mut(i), agent.own_last) {
                *last = own.0;
            }
            if let (Some(pace), Some((level, next))) = (herd.paces.get_mut(i), agent.level) {
                let pacer = snapshot.levels[usize::from(level)].start(next);
                *pace = Pace { pacer, level };
            }
            if let Some(events) = &mut herd.events {
                let timer = agent.timer.filter(|due| *due > events.wheel.now());
                if same && agent.asleep && timer == agent.timer {
                    events.awake.all().sleep(index);
                    if let Some(due) = timer {
                        events.wheel.set(index, due);
                    }
                }
            }
        }
        herd.slots.hint = 0;
        let report = HerdReport {
            agents: snapshot.agents.len(),
            changes: tally.list(),
            ..HerdReport::default()
        };
        Ok((herd, report))
    }
}
