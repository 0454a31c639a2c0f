//! Many agents that share one tree.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use tickseed_core::{
    EventOptions, Herd, HerdOptions, KeyId, NodeId, Rng, Status, TickError, Ticker, Time,
};

use crate::script::{Messages, Reloaded, Script, Scripted, Tally};
use crate::stage::Stage;
use crate::world::{Figures, KeyValue, Value, read_keys, set_key};

/// An agent's body: what its leaves see and change.
pub(crate) trait Body: Scripted {
    /// The part of it that goes into the fingerprint after each tick.
    fn digest(&self) -> [f32; 3];
}

/// The agents with their bodies.
#[derive(Debug)]
pub(crate) struct Crowd<C: Body> {
    pub(crate) script: Arc<Script<C>>,
    herd: Herd<C>,
    pub(crate) bodies: Vec<C>,
    /// What each agent's tree answered last.
    statuses: Vec<Status>,
    sleeps: bool,
    /// Keys that the world has changed since the last tick, for agents that may sleep.
    changed: Vec<(u32, KeyId)>,
    ticked: usize,
}

impl<C: Body> Crowd<C> {
    /// One agent per body, each with its own random stream.
    pub(crate) fn new(script: Script<C>, seed: u64, bodies: Vec<C>) -> Crowd<C> {
        let options = HerdOptions {
            capacity: bodies.len(),
            seed,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(script.shared(), options);
        let mut seeds = Rng::new(seed);
        for _ in &bodies {
            // It grows as needed.
            let _ = herd.spawn_seeded(seeds.next_u64());
        }
        Crowd {
            statuses: vec![Status::Running; bodies.len()],
            herd,
            script: Arc::new(script),
            bodies,
            sleeps: false,
            changed: Vec::new(),
            ticked: 0,
        }
    }

    /// A copy, if possible: an agent that a failing leaf has poisoned cannot be copied.
    pub(crate) fn duplicate(&self) -> Option<Crowd<C>>
    where
        C: Clone,
    {
        let saved = self.herd.save().ok()?;
        Some(Crowd {
            script: self.script.clone(),
            herd: Herd::load(self.herd.tree().clone(), &saved).ok()?,
            bodies: self.bodies.clone(),
            statuses: self.statuses.clone(),
            sleeps: self.sleeps,
            changed: self.changed.clone(),
            ticked: self.ticked,
        })
    }

    pub(crate) fn len(&self) -> u32 {
        self.bodies.len() as u32
    }

    /// Sets whether agents may sleep.
    pub(crate) fn sleep(&mut self, on: bool) {
        self.sleeps = on;
        self.changed.clear();
        if on {
            self.herd.use_events(EventOptions::default());
        }
    }

    /// Records that the world has changed a key of an agent.
    pub(crate) fn touch(&mut self, agent: u32, key: impl Into<KeyId>) {
        if self.sleeps {
            self.changed.push((agent, key.into()));
        }
    }

    /// The herd's memory use and activity.
    pub(crate) fn figures(&self) -> Figures {
        Figures {
            sleeps: self.sleeps,
            asleep: if self.sleeps { self.herd.asleep() } else { 0 },
            ticked: self.ticked,
            state_bytes: self.herd.bytes_per_agent(),
            scheduling_bytes: self.herd.scheduling_bytes_per_agent(),
        }
    }

    /// Ticks every agent that is awake once, and records the watched one.
    pub(crate) fn tick(&mut self, stage: &mut Stage, now: Time) -> Result<(), TickError> {
        for (agent, key) in self.changed.drain(..) {
            if let Some(handle) = self.herd.at(agent as usize) {
                // Nobody is ever despawned.
                let _ = self.herd.touch(handle, key);
            }
        }
        let focus = stage.focus() as usize;
        if self.sleeps
            && let Some(handle) = self.herd.at(focus)
        {
            // The watched agent is shown in every tick.
            let _ = self.herd.wake(handle);
        }
        stage.watch.begin(stage.ticks());
        let mut failed = None;
        let (bodies, statuses) = (&mut self.bodies, &mut self.statuses);
        let turn = |agent: Ticker<'_, '_, C>| {
            let i = agent.index();
            let result = if i == focus {
                agent.tick_traced(&mut bodies[i], &mut stage.watch)
            } else {
                agent.tick(&mut bodies[i])
            };
            match result {
                Ok(status) => statuses[i] = status,
                Err(e) => failed = failed.take().or(Some(e)),
            }
        };
        let turn = if self.sleeps {
            self.herd.tick_due(now, turn)
        } else {
            self.herd.tick_all(now, turn)
        };
        self.ticked = turn.ticked;
        failed.map_or(Ok(()), Err)
    }

    /// Mixes what every agent did into the fingerprint, which is the same whether agents slept or
    /// not.
    pub(crate) fn mix(&self, stage: &mut Stage) {
        for (status, body) in self.statuses.iter().zip(&self.bodies) {
            stage.mix_agent(*status, body.digest());
        }
    }

    /// Replaces the text with an edited one, for all agents.
    pub(crate) fn reload(&mut self, stage: &mut Stage, source: &str) -> Result<Reloaded, Messages> {
        let new = self.script.edited(source)?;
        let agents = 0..self.bodies.len();
        let handles = agents.filter_map(|i| self.herd.at(i));
        let running = handles.filter_map(|handle| self.herd.running(handle).ok());
        let mut tally = Tally::new(&self.script, &new);
        for nodes in running {
            tally.ran(&nodes);
        }
        let bodies = &mut self.bodies;
        let report = self.herd.reload(new.shared(), stage.time(), |agent| {
            let body = &mut bodies[agent.index()];
            agent.halt(body);
        });
        for body in &mut self.bodies {
            new.take_keys(body);
        }
        for (path, change, agents) in report.changes {
            tally.changed(path, change, agents);
        }
        stage.reloaded(source, new.tree().def());
        let reloaded = tally.done(report.agents as u32);
        self.script = Arc::new(new);
        Ok(reloaded)
    }

    pub(crate) fn body(&self, agent: u32) -> Option<&C> {
        self.bodies.get(agent as usize)
    }

    pub(crate) fn body_mut(&mut self, agent: u32) -> Option<&mut C> {
        self.bodies.get_mut(agent as usize)
    }

    /// The first leaf that an agent's tree is running.
    pub(crate) fn running(&self, agent: u32) -> Option<NodeId> {
        let handle = self.herd.at(agent as usize)?;
        self.herd.running(handle).ok()?.first().copied()
    }

    pub(crate) fn keys(&self, agent: u32) -> Vec<KeyValue> {
        self.body(agent).map_or_else(Vec::new, read_keys)
    }

    pub(crate) fn set(&mut self, agent: u32, key: u16, value: Value) -> bool {
        self.touch(agent, KeyId(key));
        set_key(self.body_mut(agent), key, value)
    }

    /// Watches this agent, if it exists.
    pub(crate) fn focus(&self, stage: &mut Stage, agent: u32) {
        if agent < self.len() {
            stage.watch_agent(agent, self.script.tree().def());
        }
    }

    /// Counts the bodies by what they are doing, in the order of `names`.
    pub(crate) fn count<const N: usize>(
        &self,
        names: [&'static str; N],
        which: impl Fn(&C) -> usize,
    ) -> Vec<(&'static str, u32)> {
        let mut counts = [0; N];
        for body in &self.bodies {
            counts[which(body).min(N - 1)] += 1;
        }
        names.into_iter().zip(counts).collect()
    }

    /// The bodies to draw: all, or an evenly spread sample of a large crowd that always includes
    /// the watched one.
    pub(crate) fn sample(&self, stage: &Stage) -> impl Iterator<Item = (u32, &C)> {
        const MOST: usize = 3000;
        let every = self.bodies.len().div_ceil(MOST).max(1);
        let focus = stage.focus() as usize;
        self.bodies
            .iter()
            .enumerate()
            .filter(move |(i, _)| i.is_multiple_of(every) || *i == focus)
            .map(|(i, b)| (i as u32, b))
    }
}

/// The parts of [`World`](crate::World) that are the same in every crowd world.
macro_rules! crowd_world {
    ($info:expr) => {
        crate::script::scripted_world!($info, crowd);
        fn agents(&self) -> u32 {
            self.crowd.len()
        }
        fn focus(&mut self, agent: u32) {
            self.crowd.focus(&mut self.stage, agent);
        }
        fn keys(&self, agent: u32) -> Vec<KeyValue> {
            self.crowd.keys(agent)
        }
        fn running(&self, agent: u32) -> Option<tickseed_core::NodeId> {
            self.crowd.running(agent)
        }
        fn step(&mut self) -> Result<(), TickError> {
            self.step_in_parts(&mut |_| {})
        }
        fn step_in_parts(&mut self, done: &mut dyn FnMut(Part)) -> Result<(), TickError> {
            let now = self.stage.begin();
            self.live();
            done(Part::World);
            self.crowd.tick(&mut self.stage, now)?;
            done(Part::Trees);
            self.crowd.mix(&mut self.stage);
            self.reap();
            done(Part::World);
            Ok(())
        }
        fn let_sleep(&mut self, on: bool) -> bool {
            self.crowd.sleep(on);
            true
        }
        fn figures(&self) -> Option<Figures> {
            Some(self.crowd.figures())
        }
    };
}
pub(crate) use crowd_world;
