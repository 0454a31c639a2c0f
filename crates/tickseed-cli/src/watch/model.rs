//! What is known about the watched process.

use tickseed_record::message::{Control, Event, Hello, Outside, Status, Tick, TreeDef, Writer};
use tickseed_record::{KnownKeys, answering_order};

#[derive(Default)]
pub(super) struct Model {
    pub(super) hello: Hello,
    pub(super) control: Control,
    /// What each node answered last, and in which tick; no answer: it failed.
    pub(super) last: Vec<Option<(Option<Status>, u64)>>,
    pub(super) tick: Tick,
    pub(super) keys: KnownKeys,
    pub(super) dropped: u64,
    pub(super) said: String,
}

/// How far a tick is shown.
pub(super) struct Walk {
    pub(super) cursor: u32,
    pub(super) open: Vec<u32>,
    pub(super) answered: Vec<u32>,
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
            Event::Reloaded {
                old, tree, moves, ..
            } => {
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
        self.keys.take(&tick);
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

    /// While the process steps from node to node: which of the tick's nodes have answered,
    /// the one that did last, and which are being ticked.
    pub(super) fn walk(&self, tree: &TreeDef) -> Option<Walk> {
        let answered = self.control.answered? as usize;
        if self.control.tick != self.tick.tick {
            return None;
        }
        let nodes = &self.tick.nodes;
        let order = answering_order(tree, nodes);
        let done = &order[..answered.min(order.len())];
        let last = *done.last()?;
        let open = (0..last).filter(|i| !done.contains(i));
        Some(Walk {
            cursor: nodes[last].0,
            open: open.map(|i| nodes[i].0).collect(),
            answered: done.iter().map(|&i| nodes[i].0).collect(),
        })
    }

    /// Who gave a key its value, in words; empty where that is not known.
    pub(super) fn writer(&self, tree: &TreeDef, writer: Option<Writer>) -> String {
        match writer {
            Some(Writer::Node(node)) => {
                let node = tree.nodes.get(node as usize);
                node.map_or_else(String::new, |n| n.label.clone())
            }
            Some(Writer::Outside(Outside::Input)) => "an input".to_owned(),
            _ => String::new(),
        }
    }

    /// The deciding leaf's label.
    pub(super) fn deciding<'m>(&self, tree: &'m TreeDef) -> &'m str {
        let node = self.tick.deciding.and_then(|n| tree.nodes.get(n as usize));
        node.map_or("", |n| &n.label)
    }
}
