//! A world's ticks as a recording holds them.

use tickseed_core::Scalar;
use tickseed_record::message::{AgentInfo, Process, Tick, TreeDef, Value, WorldInfo};
use tickseed_record::{Head, Structure, key_changes};
use tickseed_worlds::{Input, World};

/// What a recording of this world begins with.
pub(super) fn head(world: &dyn World) -> Head {
    let info = world.info();
    let keys = world.keys(0);
    let keys = keys.iter().map(|k| (k.name, Scalar::from(k.value)));
    Head {
        process: Process {
            name: "tickseed record".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: None,
        },
        trees: vec![TreeDef::new(0, info.name, world.def()).with_keys(keys)],
        agents: (0..world.agents())
            .map(|id| AgentInfo {
                id,
                name: String::new(),
                tree: 0,
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
pub(super) struct Scribe {
    structure: Structure,
    known: Vec<Value>,
    focus: Option<u32>,
    tick: Tick,
}

impl Scribe {
    pub(super) fn new(world: &dyn World) -> Scribe {
        Scribe {
            structure: Structure::of(world.def()),
            known: Vec::new(),
            focus: None,
            tick: Tick::default(),
        }
    }

    /// `inputs` are those before this step.
    pub(super) fn take(&mut self, world: &dyn World, inputs: &[Input]) -> &Tick {
        let stage = world.stage();
        let agent = stage.focus();
        if self.focus != Some(agent) {
            self.focus = Some(agent);
            self.known.clear();
        }
        let tick = &mut self.tick;
        tick.record(&self.structure, stage.watch().report());
        tick.agent = agent;
        tick.tick = stage.ticks();
        tick.time = stage.time().0;
        let values = world.keys(agent);
        let values = values.iter().map(|k| Scalar::from(k.value).into());
        tick.keys = key_changes(&mut self.known, values);
        tick.inputs = inputs
            .iter()
            .filter_map(|i| serde_json::to_value(i).ok())
            .collect();
        tick.fingerprint = Some(format!("{:016x}", stage.fingerprint()));
        tick
    }
}
