//! One run of a world: where it stands, how far it has been, and every input it was given.

use tickseed_core::TickError;
use tickseed_record::message::{KeyChange, Status, Tick, Value};
use tickseed_worlds::{Info, Input, World};

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
    /// The watched agent's keys as the watcher last heard of them; none: tell all.
    told: Option<Vec<Value>>,
}

impl Run {
    pub(crate) fn new(info: &'static Info, seed: u64, agents: Option<u32>) -> Run {
        let agents = match agents {
            Some(n) if info.crowd => n.max(1),
            _ => info.agents,
        };
        Run {
            info,
            seed,
            agents,
            world: (info.make)(seed, agents),
            latest: 0,
            inputs: Vec::new(),
            told: None,
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
        self.world.step()?;
        self.latest = self.latest.max(self.tick());
        Ok(())
    }

    /// Gives the world the inputs that are on record for this moment and that it has not
    /// had yet.
    fn apply_recorded(&mut self) {
        let at = self.tick();
        let had = self.inputs_at(at).len();
        let from = self.inputs.partition_point(|(t, _)| *t < at);
        let due = self.inputs[from..].iter().take_while(|(t, _)| *t == at);
        for (_, input) in due.skip(had) {
            self.world.input(*input);
        }
    }

    /// The inputs that the world had after so many ticks.
    fn inputs_at(&self, tick: u64) -> &[(u64, Input)] {
        let all = self.world.stage().inputs();
        let from = all.partition_point(|(t, _)| *t < tick);
        let to = all.partition_point(|(t, _)| *t <= tick);
        &all[from..to]
    }

    /// Gives the world an input now. What lay after this tick is forgotten, as it will not
    /// come about any more. Whether the input fitted.
    pub(crate) fn input(&mut self, input: Input) -> bool {
        if !self.world.input(input) {
            return false;
        }
        self.inputs = self.world.stage().inputs().to_vec();
        self.latest = self.tick();
        true
    }

    /// Goes to a tick that was reached before.
    pub(crate) fn seek(&mut self, tick: u64) -> Result<(), TickError> {
        let tick = tick.min(self.latest);
        if tick < self.tick() {
            let focus = self.world.stage().focus();
            self.world = (self.info.make)(self.seed, self.agents);
            self.world.focus(focus);
        }
        while self.tick() < tick {
            self.step()?;
        }
        if self.tick() == self.latest {
            self.apply_recorded();
        }
        self.told = None;
        Ok(())
    }

    /// Tell all keys with the next tick.
    pub(crate) fn tell_all(&mut self) {
        self.told = None;
    }

    /// What the latest tick of the watched agent did.
    pub(crate) fn report(&mut self, nodes: bool) -> Tick {
        let stage = self.world.stage();
        let watch = stage.watch();
        let report = watch.report();
        let entries = report.entries();
        let leaf = |i: usize| {
            entries
                .get(i + 1)
                .is_none_or(|e| e.depth <= entries[i].depth)
        };
        let agent = stage.focus();
        let all: Vec<Value> = self
            .world
            .keys(agent)
            .iter()
            .map(|k| tickseed_core::Scalar::from(k.value).into())
            .collect();
        let told = self.told.as_deref();
        let keys = all
            .iter()
            .enumerate()
            .filter(|(i, v)| told.and_then(|t| t.get(*i)).is_none_or(|t| !t.same(v)))
            .map(|(i, v)| KeyChange {
                key: i as u32,
                value: v.clone(),
                writer: None,
            })
            .collect();
        let tick = Tick {
            agent,
            tick: stage.ticks(),
            time: (stage.time() - tickseed_core::Time::ZERO).as_nanos() as u64,
            status: report.status().map(Status::from),
            leaves: (0..entries.len())
                .filter(|&i| leaf(i))
                .map(|i| (entries[i].node.0, entries[i].status.map(Status::from)))
                .collect(),
            halted: report.halted().iter().map(|n| n.0).collect(),
            deciding: report.deciding_leaf().map(|n| n.0),
            keys,
            inputs: self
                .inputs_at(stage.ticks().saturating_sub(1))
                .iter()
                .filter_map(|(_, i)| serde_json::to_value(i).ok())
                .collect(),
            fingerprint: Some(format!("{:016x}", stage.fingerprint())),
            nodes: if nodes {
                let pair = |e: &tickseed_core::Entry| (e.node.0, e.status.map(Status::from));
                entries.iter().map(pair).collect()
            } else {
                Vec::new()
            },
            ..Tick::default()
        };
        self.told = Some(all);
        tick
    }
}
