//! A world's ticks as recordings and watchers get them.

use tickseed_core::Scalar;
use tickseed_record::message::{
    AgentInfo, Process, Status, Tick, TreeDef, Value, WorldInfo, Writer,
};
use tickseed_record::{Head, KnownKeys, Structure, key_changes, writer_in};
use tickseed_worlds::{Input, World};

/// What a recording of this world begins with.
#[must_use]
pub fn head(world: &dyn World) -> Head {
    let info = world.info();
    let keys = world.keys(0);
    let keys = keys.iter().map(|k| (k.name, Scalar::from(k.value)));
    Head {
        process: Process {
            name: "tickseed".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: None,
        },
        trees: vec![TreeDef::new(0, info.name, world.def()).with_keys(keys)],
        agents: (0..world.agents())
            .map(|id| AgentInfo {
                id,
                ..AgentInfo::default()
            })
            .collect(),
        world: Some(WorldInfo {
            name: info.name.to_owned(),
            about: info.about.to_owned(),
            seed: world.stage().seed(),
            agents: world.agents(),
            step: info.step.as_nanos() as u64,
            click: info.click.to_owned(),
            drain: info.drain.to_owned(),
        }),
    }
}

/// Takes down what the watched agent's tree did in the latest step.
#[derive(Clone, Debug)]
pub struct Scribe {
    structure: Structure,
    values: Vec<Value>,
    keys: KnownKeys,
    agent: u32,
    /// The keys that an input has written since the latest step.
    by_input: Vec<u32>,
    inputs: Vec<Input>,
}

impl Scribe {
    /// For this world.
    #[must_use]
    pub fn new(world: &dyn World) -> Scribe {
        Scribe {
            structure: Structure::of(world.def()),
            values: Vec::new(),
            keys: KnownKeys::default(),
            agent: world.stage().focus(),
            by_input: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Gives the world an input and notes it, with the keys it writes, for the next step.
    /// Whether the input fitted.
    pub fn give(&mut self, world: &mut dyn World, input: Input) -> bool {
        let agent = world.stage().focus();
        let before = world.keys(agent);
        if !world.input(input) {
            return false;
        }
        let after = world.keys(agent);
        let written = before.iter().zip(&after).enumerate();
        let written = written.filter(|(_, (b, a))| b.value != a.value);
        self.by_input.extend(written.map(|(i, _)| i as u32));
        self.inputs.push(input);
        true
    }

    /// The tick that the world has just made. The first one of an agent holds all keys.
    pub fn take(&mut self, world: &dyn World) -> Tick {
        let stage = world.stage();
        let agent = stage.focus();
        if self.agent != agent {
            self.agent = agent;
            self.values.clear();
            self.keys.clear();
        }
        let report = stage.watch().report();
        let mut tick = Tick {
            agent,
            tick: stage.ticks(),
            time: stage.time().0,
            fingerprint: Some(format!("{:016x}", stage.fingerprint())),
            ..Tick::default()
        };
        tick.record(&self.structure, report);
        // Between two decisions of a tree that is not ticked in every step.
        let decided = stage.watch().tick() == stage.ticks();
        let writer = |key| {
            let node = writer_in(report, key).filter(|_| decided);
            node.or_else(|| self.by_input.contains(&key).then_some(Writer::INPUT))
        };
        let values = world.keys(agent);
        let values = values.iter().map(|k| Scalar::from(k.value).into());
        tick.keys = key_changes(&mut self.values, values, writer);
        let inputs = self.inputs.iter();
        tick.inputs = inputs
            .filter_map(|i| serde_json::to_value(i).ok())
            .collect();
        self.keys.take(&tick);
        self.by_input.clear();
        self.inputs.clear();
        tick
    }

    /// All keys after the tick that was taken last.
    #[must_use]
    pub fn keys(&self) -> &KnownKeys {
        &self.keys
    }
}

/// Every ticked node with its answer, in the order they were entered.
pub(crate) fn nodes(world: &dyn World) -> Vec<(u32, Option<Status>)> {
    let entries = world.stage().watch().report().entries().iter();
    entries
        .map(|e| (e.node.0, e.status.map(Status::from)))
        .collect()
}
