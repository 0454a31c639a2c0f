//! A server's state: its watchers, what they want, and recent events.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::watcher::{Watcher, Weight, lock};
use crate::derive::derive;
use crate::keys::KnownKeys;
use crate::message::{Command, Event, Hello, Request, Status, Subscription, Tick};
use crate::structure::Structure;

/// How many ticks are remembered for watchers that reconnect.
const REMEMBERED: usize = 4096;
/// How long ticks are still wanted after the last watcher has gone, so that one that reconnects
/// finds them.
const GRACE: Duration = Duration::from_secs(10);

/// A request that the process must answer with [`Server::reply`](super::Server::reply).
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// Who asked.
    pub watcher: u64,
    /// What.
    pub request: Request,
}

/// What all watchers together want.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// The ticks of these agents.
    pub agents: BTreeSet<u32>,
    /// Frames of the scene.
    pub scene: bool,
    /// Summaries.
    pub summary: bool,
}

pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// Whether anything is wanted at all: asked before every tick, so not behind the lock.
    any: AtomicBool,
    next: AtomicU64,
    inbox: Mutex<VecDeque<Asked>>,
    arrived: Condvar,
    pub(super) closing: AtomicBool,
}

#[derive(Default)]
pub(super) struct State {
    hello: Hello,
    structures: BTreeMap<u32, Structure>,
    pub(super) watchers: Vec<Arc<Watcher>>,
    wanted: Wanted,
    /// Since when no watcher has wanted anything.
    alone: Option<Instant>,
    keys: BTreeMap<u32, KnownKeys>,
    past: VecDeque<Tick>,
}

impl Shared {
    pub(super) fn new(hello: Hello) -> Shared {
        let mut state = State::default();
        state.hello(hello);
        Shared {
            state: Mutex::new(state),
            any: AtomicBool::new(false),
            next: AtomicU64::new(1),
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            closing: AtomicBool::new(false),
        }
    }

    pub(super) fn next_watcher(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a watcher and introduces the process to it.
    pub(super) fn join(&self, watcher: Arc<Watcher>) {
        let mut state = lock(&self.state);
        let hello = Event::Hello(Box::new(state.hello.clone()));
        watcher.push(text(&hello), Weight::MustCome);
        // It wants nothing yet. Until it subscribes, ticks are still kept for watchers that
        // reconnect, since it may be one of them.
        state.watchers.push(watcher);
    }

    pub(super) fn leave(&self, id: u64) {
        let mut state = lock(&self.state);
        state.watchers.retain(|w| w.id != id);
        if state.watchers.iter().all(|w| !w.wants_any()) {
            state.alone.get_or_insert_with(Instant::now);
        } else {
            self.refresh(&mut state);
        }
    }

    fn refresh(&self, state: &mut State) {
        let mut wanted = Wanted::default();
        for watcher in &state.watchers {
            let wants = lock(&watcher.wants);
            wanted.agents.extend(&wants.subscription.agents);
            wanted.scene |= wants.subscription.scene;
            wanted.summary |= wants.subscription.summary;
        }
        let any = wanted != Wanted::default();
        state.wanted = wanted;
        state.alone = None;
        self.any.store(any, Ordering::Release);
    }

    /// Whether any watcher wants this agent's ticks; one load if nobody is watching.
    pub(super) fn wants(&self, agent: u32) -> bool {
        if !self.any.load(Ordering::Acquire) {
            return false;
        }
        self.present().wanted.agents.contains(&agent)
    }

    /// The state; nothing is wanted any more if all watchers have been gone for long.
    fn present(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        if state.alone.is_some_and(|since| since.elapsed() > GRACE) {
            self.refresh(&mut state);
            // What was remembered has a gap from here on.
            state.past.clear();
            state.keys.clear();
        }
        state
    }

    pub(super) fn wanted(&self) -> Wanted {
        if !self.any.load(Ordering::Acquire) {
            return Wanted::default();
        }
        self.present().wanted.clone()
    }

    pub(super) fn publish(&self, event: &Event) {
        let mut state = lock(&self.state);
        match event {
            Event::Tick(tick) => state.tick(tick),
            Event::Scene { .. } => state.send_if(event, |s| s.scene),
            Event::Summary { .. } => state.send_if(event, |s| s.summary),
            Event::Hello(hello) => {
                state.hello((**hello).clone());
                state.send(event);
            }
            Event::Control(control) => {
                state.hello.control = *control;
                state.send(event);
            }
            Event::Tree(tree) => {
                state.add_tree(tree.id, Structure::new(tree).ok());
                state.hello.trees.push((**tree).clone());
                state.send(event);
            }
            Event::Reloaded { old, tree, .. } => {
                state.add_tree(tree.id, Structure::new(tree).ok());
                let old = *old;
                state.hello.trees.retain(|t| t.id != old && t.id != tree.id);
                state.hello.trees.push((**tree).clone());
                for agent in state.hello.agents.iter_mut().filter(|a| a.tree == old) {
                    agent.tree = tree.id;
                }
                // Ticks of the old tree would be read with the new one.
                state.past.clear();
                state.keys.clear();
                state.send(event);
            }
            Event::Agents { agents } => {
                state.hello.agents.clone_from(agents);
                state.send(event);
            }
            _ => state.send(event),
        }
    }

    /// An answer to one watcher.
    pub(super) fn reply(&self, watcher: u64, event: &Event) {
        let state = lock(&self.state);
        if let Some(watcher) = state.watchers.iter().find(|w| w.id == watcher) {
            watcher.push(text(event), Weight::MustCome);
        }
    }

    /// Handles a watcher's message. What does not concern the process is answered here.
    pub(super) fn heard(&self, watcher: &Watcher, said: &str) {
        let say = |event: Event| {
            watcher.push(text(&event), Weight::MustCome);
        };
        let request: Request = match serde_json::from_str(said) {
            Ok(request) => request,
            Err(e) => {
                return say(Event::Error {
                    id: None,
                    text: format!("not a command: {e}"),
                    mistakes: Vec::new(),
                });
            }
        };
        let done = Event::Done {
            id: request.id,
            answer: None,
        };
        match &request.command {
            Command::Ping => say(done),
            Command::Subscribe(subscription) => {
                self.subscribe(watcher, subscription);
                say(done);
            }
            Command::Pin { agent } | Command::Unpin { agent } => {
                let pin = matches!(request.command, Command::Pin { .. });
                let mut wanted = lock(&watcher.wants).subscription.clone();
                wanted.agents.retain(|a| a != agent);
                if pin {
                    wanted.agents.push(*agent);
                }
                wanted.after = None;
                self.subscribe(watcher, &wanted);
                say(done);
            }
            _ => {
                let mut inbox = lock(&self.inbox);
                if inbox.len() >= 1024 {
                    drop(inbox);
                    return say(Event::Error {
                        id: request.id,
                        text: "too many commands wait to be carried out: ask again later".into(),
                        mistakes: Vec::new(),
                    });
                }
                inbox.push_back(Asked {
                    watcher: watcher.id,
                    request,
                });
                drop(inbox);
                self.arrived.notify_all();
            }
        }
    }

    fn subscribe(&self, watcher: &Watcher, to: &Subscription) {
        let mut state = lock(&self.state);
        {
            let mut wants = lock(&watcher.wants);
            wants.subscription = to.clone();
            let agents: BTreeSet<u32> = to.agents.iter().copied().collect();
            wants.all_keys = agents;
        }
        let same = to
            .session
            .as_ref()
            .is_none_or(|s| *s == state.hello.session);
        if let Some(after) = to.after.filter(|_| same) {
            state.tell_past(watcher, after);
        }
        self.refresh(&mut state);
    }

    /// The next request, waiting this long for it.
    pub(super) fn next_request(&self, wait: Duration) -> Option<Asked> {
        let until = Instant::now() + wait;
        let mut inbox = lock(&self.inbox);
        loop {
            if let Some(asked) = inbox.pop_front() {
                return Some(asked);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.arrived.wait_timeout(inbox, left);
            inbox = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }
}

fn text(event: &Event) -> Arc<str> {
    // Events can always be serialised: keys of maps are texts.
    serde_json::to_string(event).unwrap_or_default().into()
}

impl State {
    fn hello(&mut self, hello: Hello) {
        self.structures.clear();
        self.past.clear();
        self.keys.clear();
        for tree in &hello.trees {
            self.add_tree(tree.id, Structure::new(tree).ok());
        }
        for watcher in &self.watchers {
            let mut wants = lock(&watcher.wants);
            wants.all_keys = wants.subscription.agents.iter().copied().collect();
        }
        self.hello = hello;
    }

    fn add_tree(&mut self, id: u32, structure: Option<Structure>) {
        if let Some(structure) = structure {
            self.structures.insert(id, structure);
        }
    }

    fn send(&self, event: &Event) {
        let text = text(event);
        for watcher in &self.watchers {
            watcher.push(text.clone(), Weight::MustCome);
        }
    }

    fn send_if(&self, event: &Event, wanted: impl Fn(&Subscription) -> bool) {
        let mut told: Option<Arc<str>> = None;
        for watcher in &self.watchers {
            if wanted(&lock(&watcher.wants).subscription) {
                let told = told.get_or_insert_with(|| text(event));
                watcher.push(told.clone(), Weight::MayDrop);
            }
        }
    }

    fn tick(&mut self, tick: &Tick) {
        self.keys.entry(tick.agent).or_default().take(tick);
        let (mut bare, mut full) = (None, None);
        for watcher in &self.watchers {
            let mut wants = lock(&watcher.wants);
            if !wants.subscription.agents.contains(&tick.agent) {
                continue;
            }
            let nodes = wants.subscription.nodes;
            let text = if wants.all_keys.remove(&tick.agent) {
                self.shape(tick, nodes, true)
            } else {
                let same = if nodes { &mut full } else { &mut bare };
                same.get_or_insert_with(|| self.shape(tick, nodes, false))
                    .clone()
            };
            if !watcher.push(text, Weight::MayDrop) {
                let all = wants.subscription.agents.clone();
                wants.all_keys.extend(all);
            }
        }
        if self.past.len() >= REMEMBERED {
            self.past.pop_front();
        }
        let mut remembered = tick.clone();
        remembered.nodes = Vec::new();
        self.past.push_back(remembered);
    }

    /// A tick as a watcher wants it.
    fn shape(&self, tick: &Tick, nodes: bool, all_keys: bool) -> Arc<str> {
        let mut tick = tick.clone();
        if !nodes {
            tick.nodes.clear();
        } else if tick.nodes.is_empty() {
            self.derive(&mut tick);
        }
        if all_keys && let Some(keys) = self.keys.get(&tick.agent) {
            tick.keys = keys.at(tick.tick);
        }
        text(&Event::Tick(Box::new(tick)))
    }

    fn derive(&self, tick: &mut Tick) {
        let agent = self.hello.agents.iter().find(|a| a.id == tick.agent);
        let tree = agent.and_then(|a| self.structures.get(&a.tree));
        let Some(tree) = tree else { return };
        let mut report = tickseed_core::TickReport::new();
        // If the tick does not fit the tree, as much as fits is sent; the leaves are there in any
        // case.
        let _ = derive(tree, tick, &mut report);
        let entries = report.entries().iter();
        tick.nodes = entries
            .map(|e| (e.node.0, e.status.map(Status::from)))
            .collect();
    }

    /// Sends the ticks that a watcher has missed. The first of each agent holds all keys.
    fn tell_past(&self, watcher: &Watcher, after: u64) {
        let mut wants = lock(&watcher.wants);
        let mut known: BTreeMap<u32, KnownKeys> = BTreeMap::new();
        for tick in &self.past {
            if !wants.subscription.agents.contains(&tick.agent) {
                continue;
            }
            let keys = known.entry(tick.agent).or_default();
            keys.take(tick);
            if tick.tick <= after {
                continue;
            }
            let mut told = tick.clone();
            if wants.all_keys.remove(&tick.agent) {
                told.keys = keys.at(tick.tick);
            }
            let text = self.shape(&told, wants.subscription.nodes, false);
            if !watcher.push(text, Weight::MayDrop) {
                wants.all_keys.insert(tick.agent);
            }
        }
    }
}
