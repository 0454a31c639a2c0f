//! One run of a world: its current tick, its latest tick, and every input it was given.

use tickseed_core::TickError;
use tickseed_record::message::Tick;
use tickseed_worlds::{Info, Input, Messages, Reloaded, World};

use crate::keyframes::Keyframes;
use crate::scribe::{self, Scribe};

/// A world that can be taken back to any tick.
pub(crate) struct Run {
    pub(crate) info: &'static Info,
    pub(crate) seed: u64,
    pub(crate) agents: u32,
    pub(crate) world: Box<dyn World>,
    /// The latest tick that was reached.
    pub(crate) latest: u64,
    /// Every input up to `latest`, each with the number of ticks before it.
    inputs: Vec<(u64, Input)>,
    scribe: Scribe,
    keyframes: Keyframes,
    /// What the latest step did; none if the watched agent is another since.
    tick: Option<Tick>,
    /// The watcher is to be told all keys.
    tell_all: bool,
}

impl Run {
    pub(crate) fn new(info: &'static Info, seed: u64, agents: Option<u32>) -> Run {
        let agents = match agents {
            Some(n) if info.crowd => n.max(1),
            _ => info.agents,
        };
        let world = (info.make)(seed, agents);
        Run {
            info,
            seed,
            agents,
            scribe: Scribe::new(&*world),
            keyframes: Keyframes::new(&*world),
            world,
            latest: 0,
            inputs: Vec::new(),
            tick: None,
            tell_all: true,
        }
    }

    /// The tick that is shown.
    pub(crate) fn tick(&self) -> u64 {
        self.world.stage().ticks()
    }

    /// Whether this is the past.
    pub(crate) fn is_past(&self) -> bool {
        self.tick() < self.latest
    }

    /// One tick on. In the past it is the same tick as before, with the same inputs.
    pub(crate) fn step(&mut self) -> Result<(), TickError> {
        self.apply_recorded();
        let done = self.world.step();
        self.tick = Some(self.scribe.take(&*self.world));
        // A tick that failed is one that was.
        self.latest = self.latest.max(self.tick());
        if done.is_ok() {
            self.keyframes.consider(&*self.world, &self.scribe);
        }
        done
    }

    /// Gives the world the inputs that are on record for this moment and that it has not
    /// had yet.
    fn apply_recorded(&mut self) {
        let at = self.tick();
        let had = self.world.stage().inputs();
        let had = had.len() - had.partition_point(|(t, _)| *t < at);
        let from = self.inputs.partition_point(|(t, _)| *t < at);
        let due = self.inputs[from..].iter().take_while(|(t, _)| *t == at);
        for (_, input) in due.skip(had) {
            self.scribe.give(&mut *self.world, input.clone());
        }
    }

    /// Gives the world an input now. What lay after this tick is forgotten, as it will not
    /// come about any more. Whether the input fitted.
    pub(crate) fn input(&mut self, input: Input) -> bool {
        if !self.scribe.give(&mut *self.world, input) {
            return false;
        }
        self.inputs = self.world.stage().inputs().to_vec();
        self.latest = self.tick();
        self.keyframes.truncate(self.latest);
        true
    }

    /// Puts another tree in the place of the present one: an input like others.
    pub(crate) fn reload(&mut self, source: &str) -> Result<Reloaded, Messages> {
        let reloaded = self.scribe.reload(&mut *self.world, source)?;
        self.inputs = self.world.stage().inputs().to_vec();
        self.latest = self.tick();
        self.keyframes.truncate(self.latest);
        Ok(reloaded)
    }

    /// The number of the present tree: how often it was reloaded.
    pub(crate) fn tree(&self) -> u32 {
        scribe::reloads(&*self.world).count() as u32
    }

    /// After how many ticks the present tree took its place.
    pub(crate) fn tree_since(&self) -> u64 {
        scribe::reloads(&*self.world).last().unwrap_or(0)
    }

    /// Whether the present tree has not been ticked yet: the tick that is shown was made by
    /// the one before.
    pub(crate) fn just_reloaded(&self) -> bool {
        self.tree() > 0 && self.tree_since() == self.tick()
    }

    /// Goes to a tick that was reached before, as it was: see [`Run::catch_up`].
    pub(crate) fn seek(&mut self, tick: u64) {
        let tick = tick.min(self.latest);
        let shown = tick == self.tick() && self.tick.is_some() && !self.just_reloaded();
        if !shown && (tick <= self.tick() || self.keyframes.nearest(tick) > self.tick()) {
            self.rewind(tick);
        }
        while self.tick() < tick {
            // Ticks that failed fail again.
            let _ = self.step();
        }
        self.tell_all = true;
    }

    /// At the latest tick, gives the world what it was given after it.
    pub(crate) fn catch_up(&mut self) {
        if !self.is_past() {
            self.apply_recorded();
        }
    }

    /// Takes the world to somewhere before a tick, so that its step is made again.
    fn rewind(&mut self, tick: u64) {
        let focus = self.world.stage().focus();
        let (world, scribe) = self.keyframes.before(tick).unwrap_or_else(|| {
            let world = (self.info.make)(self.seed, self.agents);
            let scribe = Scribe::new(&*world);
            (world, scribe)
        });
        (self.world, self.scribe) = (world, scribe);
        self.world.focus(focus);
        self.tick = None;
    }

    /// Watches another agent, from this tick on; as it was: see [`Run::catch_up`].
    pub(crate) fn focus(&mut self, agent: u32) {
        if agent == self.world.stage().focus() {
            self.tell_all = true;
            return;
        }
        self.world.focus(agent);
        self.tick = None;
        // The tick that is shown, made again with the agent watched.
        self.seek(self.tick());
    }

    /// Tell all keys with the next tick.
    pub(crate) fn tell_all(&mut self) {
        self.tell_all = true;
    }

    /// What the latest tick of the watched agent did. With all keys if the watcher is to be
    /// told all, else those that have changed.
    pub(crate) fn report(&mut self) -> Option<Tick> {
        let mut tick = self.tick.clone()?;
        if std::mem::take(&mut self.tell_all) {
            tick.keys = self.scribe.keys().at(tick.tick);
        }
        Some(tick)
    }

    /// The latest tick with all keys.
    pub(crate) fn whole(&self) -> Option<Tick> {
        let mut tick = self.tick.clone()?;
        tick.keys = self.scribe.keys().at(tick.tick);
        Some(tick)
    }
}
