//! The lines of `--json`: plain data in a stable order.

use serde::Serialize;
use tickseed_core::Status;
use tickseed_worlds::{Input, KeyValue, World};

/// The first line: what runs.
#[derive(Serialize)]
pub(crate) struct Head<'w> {
    world: &'static str,
    seed: u64,
    step_ns: u64,
    agents: u32,
    bytes_per_agent: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    herd: Option<Herd>,
    tree: Vec<Node<'w>>,
}

/// What the herd of a crowd takes for each agent.
#[derive(Serialize)]
struct Herd {
    event_driven: bool,
    state_bytes: f64,
    scheduling_bytes: f64,
}

#[derive(Serialize)]
struct Node<'w> {
    id: u32,
    parent: Option<u32>,
    kind: &'static str,
    label: &'w str,
    path: String,
}

impl<'w> Head<'w> {
    pub(crate) fn of(world: &'w dyn World) -> Head<'w> {
        let def = world.def();
        let nodes = def.iter().zip(def.paths()).map(|((id, node), path)| Node {
            id: id.0,
            parent: node.parent.map(|p| p.0),
            kind: node.kind.name(),
            label: node.label(),
            path,
        });
        Head {
            world: world.info().name,
            seed: world.stage().seed(),
            step_ns: world.stage().step().as_nanos() as u64,
            agents: world.agents(),
            bytes_per_agent: world.bytes_per_agent(),
            herd: world.figures().map(|f| Herd {
                event_driven: f.sleeps,
                state_bytes: f.state_bytes,
                scheduling_bytes: f.scheduling_bytes,
            }),
            tree: nodes.collect(),
        }
    }
}

/// A line for each tick: what the watched agent's tree did, and its keys afterwards.
#[derive(Serialize)]
pub(crate) struct Line<'w> {
    tick: u64,
    time_ns: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    inputs: &'w [Input],
    status: Option<&'static str>,
    /// The deciding leaf's number and label.
    leaf: Option<u32>,
    label: Option<&'w str>,
    /// Each node's status in this tick; null where it was not reached.
    nodes: Vec<Option<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    halted: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scores: Vec<f64>,
    keys: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    doing: serde_json::Map<String, serde_json::Value>,
    /// How many agents sleep, if they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    asleep: Option<usize>,
    /// Of everything so far, all agents included.
    fingerprint: String,
}

impl<'w> Line<'w> {
    pub(crate) fn of(world: &'w dyn World, inputs: &'w [Input]) -> Line<'w> {
        let (stage, def) = (world.stage(), world.def());
        let watch = stage.watch();
        let key = |k: KeyValue| (k.name.to_owned(), serde_json::json!(k.value));
        Line {
            tick: stage.ticks(),
            time_ns: stage.time().0,
            inputs,
            status: world.status().map(word),
            leaf: watch.deciding().map(|n| n.0),
            label: watch.deciding_label(def),
            nodes: def
                .iter()
                .map(|(id, _)| watch.status(id).map(word))
                .collect(),
            halted: watch.report().halted().iter().map(|n| n.0).collect(),
            scores: world.scores(),
            keys: world.keys(stage.focus()).into_iter().map(key).collect(),
            doing: world
                .doing()
                .into_iter()
                .map(|(what, n)| (what.to_owned(), n.into()))
                .collect(),
            asleep: world.figures().filter(|f| f.sleeps).map(|f| f.asleep),
            fingerprint: format!("{:016x}", stage.fingerprint()),
        }
    }
}

/// A status in one word.
pub(crate) fn word(status: Status) -> &'static str {
    match status {
        Status::Success => "success",
        Status::Failure => "failure",
        Status::Running => "running",
        Status::Skipped => "skipped",
    }
}
