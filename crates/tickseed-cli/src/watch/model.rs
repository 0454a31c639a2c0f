//! What is known of the watched process.

use std::collections::BTreeMap;

use tickseed_record::message::{Control, Event, Hello, Status, Tick, TreeDef, Value};

#[derive(Default)]
pub(super) struct Model {
    pub(super) hello: Hello,
    pub(super) control: Control,
    /// What each node answered last, and in which tick; no answer: it failed.
    pub(super) last: Vec<Option<(Option<Status>, u64)>>,
    pub(super) tick: Tick,
    pub(super) keys: BTreeMap<u32, Value>,
    pub(super) dropped: u64,
    pub(super) said: String,
}

impl Model {
    pub(super) fn take(&mut self, event: Event) {
        match event {
            Event::Hello(hello) => {
                if self.hello.session != hello.session {
                    *self = Model::default();
                }
                self.control = hello.control;
                self.hello = *hello;
            }
            Event::Control(control) => self.control = control,
            Event::Tick(tick) => self.tick(*tick),
            Event::Tree(tree) => self.hello.trees.push(*tree),
            Event::Reloaded { old, tree, moves } => {
                self.said = format!(
                    "reloaded: {} moved, {} restarted, {} gone",
                    moves.moved.len(),
                    moves.restarted.len(),
                    moves.gone.len()
                );
                for agent in self.hello.agents.iter_mut().filter(|a| a.tree == old) {
                    agent.tree = tree.id;
                }
                self.hello.trees.retain(|t| t.id != old && t.id != tree.id);
                self.hello.trees.push(*tree);
                self.forget();
            }
            Event::Agents { agents } => self.hello.agents = agents,
            Event::Hit { text, tick, .. } => self.said = format!("tick {tick}: {text}"),
            Event::Log { text, .. } | Event::Error { text, .. } => self.said = text,
            Event::Dropped { count } => self.dropped += count,
            _ => {}
        }
    }

    /// Another agent is watched: what was known is of no use.
    pub(super) fn forget(&mut self) {
        self.last.clear();
        self.keys.clear();
        self.tick = Tick::default();
    }

    fn tick(&mut self, tick: Tick) {
        if tick.agent != self.tick.agent || tick.tick < self.tick.tick {
            self.forget();
        }
        for &(node, status) in &tick.nodes {
            let node = node as usize;
            // A tree of a million nodes would not fit on a screen.
            if node < 1_000_000 {
                self.last.resize(self.last.len().max(node + 1), None);
                self.last[node] = Some((status, tick.tick));
            }
        }
        for change in &tick.keys {
            self.keys.insert(change.key, change.value.clone());
        }
        self.tick = tick;
    }

    /// The tree of the watched agent.
    pub(super) fn tree(&self, agent: Option<u32>) -> Option<&TreeDef> {
        let agent = self.hello.agents.iter().find(|a| Some(a.id) == agent)?;
        self.hello.trees.iter().find(|t| t.id == agent.tree)
    }

    /// A node's answer when it was last ticked, and how many ticks ago that was.
    pub(super) fn answer(&self, node: u32) -> Option<(Option<Status>, u64)> {
        let (status, tick) = (*self.last.get(node as usize)?)?;
        Some((status, self.tick.tick.saturating_sub(tick)))
    }

    /// The deciding leaf's label.
    pub(super) fn deciding<'m>(&self, tree: &'m TreeDef) -> &'m str {
        let node = self.tick.deciding.and_then(|n| tree.nodes.get(n as usize));
        node.map_or("", |n| &n.label)
    }
}
