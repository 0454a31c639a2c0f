//! A world's ticks, in the form for recordings and watchers.

use tickseed_core::Scalar;
use tickseed_record::message::{
    AgentInfo, Moves, Offer, Process, Span, Status, Tick, TreeDef, Value, WorldInfo, Writer,
};
use tickseed_record::{Head, KnownKeys, Structure, key_changes, writer_in};
use tickseed_worlds::{Input, KeyValue, Messages, Reloaded, World};

/// What a recording of this world begins with.
#[must_use]
pub fn head(world: &dyn World) -> Head {
    let info = world.info();
    let keys = world.keys(0);
    let keys = keys.iter().map(|k| (k.name, Scalar::from(k.value)));
    let id = reloads(world).count() as u32;
    let mut tree = TreeDef::new(id, info.name, world.def()).with_keys(keys);
    let source = world.source();
    for node in &mut tree.nodes {
        let span = world.span(tickseed_core::NodeId(node.id));
        node.span = span.map(|(start, end)| Span::of(source, start, end));
    }
    tree.source = Some(source.to_owned());
    Head {
        process: Process {
            name: "tickseed".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: None,
        },
        trees: vec![tree],
        agents: (0..world.agents())
            .map(|agent| AgentInfo {
                id: agent,
                tree: id,
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
            drain_label: info.drain_label.to_owned(),
            offer: info.offer.map(|o| Offer {
                label: o.label.to_owned(),
                leaf: o.leaf.to_owned(),
            }),
        }),
    }
}

/// What a reload did to the agents, as watchers are told it.
#[must_use]
pub fn moves(done: Reloaded) -> Moves {
    Moves {
        moved: done.moved,
        restarted: done.restarted,
        gone: done.gone,
        renamed: done.renamed,
        forgotten: done.forgotten,
        agents: done.agents,
    }
}

/// When the tree of a world was changed for another: after how many ticks.
pub(crate) fn reloads(world: &dyn World) -> impl Iterator<Item = u64> + '_ {
    let inputs = world.stage().inputs().iter();
    inputs.filter_map(|(tick, input)| matches!(input, Input::Reload { .. }).then_some(*tick))
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
    /// The next tick tells all keys: its tree is another one.
    whole: bool,
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
            whole: false,
        }
    }

    /// Gives the world an input and notes it, with the keys it writes, for the next step.
    /// Whether the input fitted.
    pub fn give(&mut self, world: &mut dyn World, input: Input) -> bool {
        if let Input::Reload { source } = &input {
            return self.reload(world, source).is_ok();
        }
        let before = world.keys(world.stage().focus());
        if !world.input(input.clone()) {
            return false;
        }
        self.note(world, &before, input);
        true
    }

    /// Gives the world another tree and notes it as [`give`](Scribe::give) does. The tick
    /// after it holds all keys.
    ///
    /// # Errors
    /// The text has mistakes: then nothing is changed.
    pub fn reload(&mut self, world: &mut dyn World, source: &str) -> Result<Reloaded, Messages> {
        let before = world.keys(world.stage().focus());
        let reloaded = world.reload(source)?;
        self.structure = Structure::of(world.def());
        self.whole = true;
        let source = source.to_owned();
        self.note(world, &before, Input::Reload { source });
        Ok(reloaded)
    }

    fn note(&mut self, world: &dyn World, before: &[KeyValue], input: Input) {
        let after = world.keys(world.stage().focus());
        let written = before.iter().zip(&after).enumerate();
        let written = written.filter(|(_, (b, a))| b.value != a.value);
        self.by_input.extend(written.map(|(i, _)| i as u32));
        self.inputs.push(input);
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
        if std::mem::take(&mut self.whole) {
            tick.keys = self.keys.at(tick.tick);
        }
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
