//! Commands in, events out.

mod ask;
mod reload;

use std::collections::BTreeMap;

use serde_json::json;
use tickseed_core::TickError;
use tickseed_record::message::{
    Break, Command, Control, Event, Failure, Hello, Level, Moves, PROTOCOL, Request, Subscription,
    TreeDef,
};
use tickseed_record::why;
use tickseed_worlds::{Input, WORLDS};

use crate::breakpoint::{self, Moment, Names};
use crate::crowd::Crowd;
use crate::run::Run;
use crate::scribe;

use self::reload::Refused;

/// The most ticks in one call of [`Player::advance`]: a host that was asleep for an hour
/// does not make the watcher wait for all that has been missed.
const MOST_AT_ONCE: u32 = 400;

/// Nanoseconds of real time between two summaries.
const SUMMARY_EVERY: f64 = 0.2e9;

/// The most ticks that one `step` command takes.
const MOST_STEPS: u64 = 100_000;

/// The most agents of a crowd: one message must not take all memory of the process.
const MOST_AGENTS: u32 = 100_000;

/// Plays one world at a time for one watcher.
pub struct Player {
    run: Run,
    runs: u64,
    paused: bool,
    speed: f64,
    /// Real time that has passed and was not yet played, in nanoseconds of the world.
    debt: f64,
    subscription: Subscription,
    breakpoints: BTreeMap<u32, Break>,
    next_breakpoint: u32,
    before: Moment,
    /// While stepping from node to node: of the tick that is shown, so many answers.
    answered: Option<u32>,
    /// The tree that the page's questions are about.
    known: Option<TreeDef>,
    crowd: Crowd,
    /// Real time since the last summary, in nanoseconds.
    since_summary: f64,
    /// The tree that the watcher knows as the present one, and its nodes' paths.
    told: (u32, Vec<String>),
}

impl Default for Player {
    /// Plays the robot, paused.
    fn default() -> Player {
        let run = Run::new(WORLDS[0], 0, None);
        Player {
            told: (0, run.world.def().paths()),
            run,
            runs: 0,
            paused: true,
            speed: 1.0,
            debt: 0.0,
            subscription: Subscription {
                nodes: true,
                scene: true,
                ..Subscription::default()
            },
            breakpoints: BTreeMap::new(),
            next_breakpoint: 1,
            before: Moment::default(),
            answered: None,
            known: None,
            crowd: Crowd::default(),
            since_summary: 0.0,
        }
    }
}

impl Player {
    /// Carries out a command given as JSON; the events as a JSON array.
    pub fn handle_json(&mut self, request: &[u8]) -> String {
        if let Some(answer) = self.answer(request) {
            return answer;
        }
        let events = match serde_json::from_slice::<Request>(request) {
            Ok(request) => self.handle(request),
            Err(e) => vec![error(None, format!("not a command: {e}"))],
        };
        to_json(&events)
    }

    /// Lets time pass; the events as a JSON array.
    pub fn advance_json(&mut self, nanoseconds: f64) -> String {
        to_json(&self.advance(nanoseconds))
    }

    /// Carries out a command.
    pub fn handle(&mut self, request: Request) -> Vec<Event> {
        let mut out = Vec::new();
        let done = match request.command {
            Command::Reload { tree, source } => self.reload(tree, &source, &mut out),
            command => self.carry_out(command, &mut out).map_err(Refused::from),
        };
        let id = request.id;
        out.push(match done {
            Ok(answer) => Event::Done { id, answer },
            Err(Refused { text, mistakes }) => Event::Error { id, text, mistakes },
        });
        out
    }

    /// Lets so many nanoseconds of real time pass.
    pub fn advance(&mut self, nanoseconds: f64) -> Vec<Event> {
        let mut out = Vec::new();
        if self.paused || !nanoseconds.is_finite() || nanoseconds <= 0.0 {
            return out;
        }
        let step = self.run.info.step.as_nanos() as f64;
        self.debt += nanoseconds * self.speed;
        let mut ticks = 0;
        while self.debt >= step && !self.paused {
            if ticks == MOST_AT_ONCE {
                self.debt = 0.0;
                break;
            }
            self.debt -= step;
            ticks += 1;
            self.tick(&mut out);
        }
        if ticks > 0 {
            self.scene(&mut out);
        }
        self.since_summary += nanoseconds;
        if self.since_summary >= SUMMARY_EVERY {
            self.summary(&mut out);
        }
        out
    }

    fn carry_out(
        &mut self,
        command: Command,
        out: &mut Vec<Event>,
    ) -> Result<Option<serde_json::Value>, String> {
        match command {
            Command::World { name, seed, agents } => {
                let info = WORLDS.iter().find(|w| w.name == name).ok_or_else(|| {
                    let names: Vec<_> = WORLDS.iter().map(|w| w.name).collect();
                    format!("no world is named `{name}`; there are {}", names.join(", "))
                })?;
                if let Some(n) = agents.filter(|n| info.crowd && *n > MOST_AGENTS) {
                    return Err(format!("{n} agents: expected at most {MOST_AGENTS}"));
                }
                self.run = Run::new(info, seed, agents);
                self.runs += 1;
                self.debt = 0.0;
                self.crowd = Crowd::default();
                self.breakpoints.clear();
                self.before = Moment::default();
                self.answered = None;
                self.told = (0, self.run.world.def().paths());
                out.push(Event::Hello(Box::new(self.hello())));
                self.scene(out);
            }
            Command::Subscribe(s) => {
                if s.summary && !self.subscription.summary {
                    self.crowd = Crowd::default();
                }
                self.subscription = s;
                self.run.tell_all();
                if let Some(&agent) = self.subscription.agents.first() {
                    self.focus(agent)?;
                    self.run.catch_up();
                }
                self.summary(out);
            }
            Command::Run => {
                self.paused = false;
                self.debt = 0.0;
                out.push(Event::Control(self.control()));
            }
            Command::Pause => {
                self.paused = true;
                out.push(Event::Control(self.control()));
            }
            Command::Speed { factor } => {
                if !(factor.is_finite() && factor > 0.0 && factor <= 1000.0) {
                    return Err(format!(
                        "{factor} is no speed: expected more than 0, at most 1000"
                    ));
                }
                self.speed = factor;
                out.push(Event::Control(self.control()));
            }
            Command::Step { ticks } => {
                if ticks == 0 || ticks > MOST_STEPS {
                    return Err(format!("{ticks} ticks: expected 1 to {MOST_STEPS}"));
                }
                self.paused = false;
                for _ in 0..ticks {
                    self.tick(out);
                    if self.paused {
                        break;
                    }
                }
                self.paused = true;
                self.scene(out);
                self.summary(out);
                out.push(Event::Control(self.control()));
            }
            Command::StepNode => {
                let all = scribe::nodes(&*self.run.world).len() as u32;
                let next = match self.answered {
                    Some(n) if n < all && self.paused => n + 1,
                    _ => {
                        self.tick(out);
                        self.paused = true;
                        self.scene(out);
                        1
                    }
                };
                self.answered = Some(next);
                out.push(Event::Control(self.control()));
            }
            Command::Why { agent, tick, node } => {
                return self.why(agent, tick, node).map(Some);
            }
            Command::StepBack { ticks } => {
                let to = self.run.tick().saturating_sub(ticks);
                self.seek(to, out)?;
            }
            Command::Seek { tick } => {
                if tick > self.run.latest {
                    return Err(format!(
                        "tick {tick} has not come yet: the latest is {}",
                        self.run.latest
                    ));
                }
                self.seek(tick, out)?;
            }
            Command::Live => {
                let paused = self.paused;
                self.seek(self.run.latest, out)?;
                self.paused = paused;
                out.push(Event::Control(self.control()));
            }
            Command::Input { input } => {
                let input: Input = serde_json::from_value(input)
                    .map_err(|e| format!("this is no input of a world: {e}"))?;
                if matches!(input, Input::Reload { .. }) {
                    return Err("a reload is a command of its own: `reload`".into());
                }
                self.input(input, out)?;
            }
            Command::SetKey { agent, key, value } => {
                let value = match value.scalar() {
                    Some(s) => s.into(),
                    None => return Err(format!("{value} is no value of a key of this world")),
                };
                let key = u16::try_from(key).map_err(|_| format!("no key {key}"))?;
                self.input(Input::Set { agent, key, value }, out)?;
            }
            Command::Break(b) => {
                self.check(&b)?;
                if self.breakpoints.is_empty() {
                    self.before = self.moment();
                }
                let number = self.next_breakpoint;
                self.next_breakpoint += 1;
                self.breakpoints.insert(number, b);
                return Ok(Some(json!({ "breakpoint": number })));
            }
            Command::Unbreak { breakpoint } => {
                if self.breakpoints.remove(&breakpoint).is_none() {
                    return Err(format!("no breakpoint {breakpoint}"));
                }
            }
            Command::Pin { agent } => {
                self.focus(agent)?;
                self.show_moment(out);
                self.scene(out);
            }
            Command::Unpin { .. } | Command::Ping => {}
            other => {
                let name = serde_json::to_value(&other).ok();
                let name = name.as_ref().and_then(|v| v["do"].as_str());
                return Err(format!("`{}` is not known here", name.unwrap_or("this")));
            }
        }
        Ok(None)
    }

    fn check(&self, b: &Break) -> Result<(), String> {
        let nodes = self.run.world.def().len() as u32;
        match b {
            Break::Entered { node, .. } | Break::Answered { node, .. } if *node >= nodes => {
                Err(format!("no node {node}: the tree has {nodes}"))
            }
            Break::Key { key, .. } => {
                let keys = self.run.world.keys(0).len();
                if *key as usize >= keys {
                    return Err(format!("no key {key}: the tree has {keys}"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn why(&self, agent: u32, tick: Option<u64>, node: u32) -> Result<serde_json::Value, String> {
        let watched = self.run.world.stage().focus();
        if agent != watched {
            return Err(format!(
                "agent {agent} is not traced: {watched} is, `pin` changes that"
            ));
        }
        let shown = self.run.tick();
        if tick.is_some_and(|t| t != shown) {
            return Err(format!(
                "tick {shown} is shown: `seek` the one to ask about first"
            ));
        }
        if self.run.just_reloaded() {
            return Err("this tree has not been ticked yet".into());
        }
        let tick = self.run.whole().ok_or("nothing has been ticked yet")?;
        let why = why(&self.tree(), &tick, node).map_err(|e| e.to_string())?;
        Ok(serde_json::to_value(why).unwrap_or_default())
    }

    fn exists(&self, agent: u32) -> Result<(), String> {
        match self.run.world.agents() {
            1 if agent > 0 => Err(format!("no agent {agent}: there is 1")),
            agents if agent >= agents => Err(format!("no agent {agent}: there are {agents}")),
            _ => Ok(()),
        }
    }

    fn focus(&mut self, agent: u32) -> Result<(), String> {
        self.exists(agent)?;
        self.run.focus(agent);
        self.before = self.moment();
        self.answered = None;
        Ok(())
    }

    fn input(&mut self, input: Input, out: &mut Vec<Event>) -> Result<(), String> {
        if let Input::Set { agent, .. } = &input {
            self.exists(*agent)?;
        }
        let was_past = self.run.is_past();
        if !self.run.input(input.clone()) {
            return Err(match input {
                Input::Set { key, .. } => {
                    let keys = self.run.world.keys(0);
                    match keys.get(usize::from(key)) {
                        Some(k) => format!("`{}` cannot be set to this value", k.name),
                        None => format!("no key {key}: the tree has {}", keys.len()),
                    }
                }
                Input::Drain { .. } => "there is nothing to drain here".into(),
                Input::Click { .. } => "this is no place in the scene".into(),
                Input::Reload { .. } => "the text has mistakes".into(),
            });
        }
        if was_past {
            out.push(Event::Control(self.control()));
        }
        self.scene(out);
        Ok(())
    }

    fn seek(&mut self, tick: u64, out: &mut Vec<Event>) -> Result<(), String> {
        self.paused = true;
        self.run.seek(tick);
        self.before = self.moment();
        self.answered = None;
        self.show_moment(out);
        self.scene(out);
        self.crowd = Crowd::default();
        self.summary(out);
        out.push(Event::Control(self.control()));
        Ok(())
    }

    /// Tells the tick that is shown, with the tree that made it, and then the tree that goes
    /// on from here, if that is another one.
    fn show_moment(&mut self, out: &mut Vec<Event>) {
        self.tell_tree(Moves::default(), out);
        self.show(out);
        self.run.catch_up();
        self.tell_tree(Moves::default(), out);
    }

    /// Tells the tick that is shown.
    fn show(&mut self, out: &mut Vec<Event>) {
        if let Some(mut tick) = self.run.report() {
            if self.subscription.nodes {
                tick.nodes = scribe::nodes(&*self.run.world);
            }
            out.push(Event::Tick(Box::new(tick)));
        }
    }

    /// One tick, told to the watcher; pauses at breakpoints and errors.
    fn tick(&mut self, out: &mut Vec<Event>) {
        let done = self.run.step();
        self.tell_tree(Moves::default(), out);
        if self.subscription.summary {
            self.crowd.observe(&*self.run.world);
        }
        self.answered = None;
        let Some(mut tick) = self.run.report() else {
            return;
        };
        if self.subscription.nodes {
            tick.nodes = scribe::nodes(&*self.run.world);
        }
        let number = tick.tick;
        if let Err(e) = &done {
            tick.failure = Some(failure(e));
        }
        out.push(Event::Tick(Box::new(tick)));
        if let Err(e) = done {
            self.paused = true;
            out.push(Event::Log {
                level: Level::Error,
                text: e.to_string(),
            });
            out.push(Event::Control(self.control()));
        }
        if self.breakpoints.is_empty() {
            return;
        }
        let agent = self.run.world.stage().focus();
        let keys = self.run.world.keys(agent);
        let now = self.moment();
        let def = self.run.world.def();
        let names = Names {
            node: &|n| def.node(tickseed_core::NodeId(n)).label().to_owned(),
            key: &|k| keys.get(k as usize).map_or("", |k| k.name).to_owned(),
        };
        let before = std::mem::take(&mut self.before);
        let hits: Vec<Event> = self
            .breakpoints
            .iter()
            .filter_map(|(&breakpoint, b)| {
                Some(Event::Hit {
                    breakpoint,
                    tick: number,
                    agent,
                    text: breakpoint::met(b, &before, &now, names)?,
                })
            })
            .collect();
        self.before = now;
        if !hits.is_empty() {
            self.paused = true;
            out.extend(hits);
            out.push(Event::Control(self.control()));
        }
    }

    /// What breakpoints compare the next tick with. Without it they would take what was so all
    /// along for news.
    fn moment(&self) -> Moment {
        let world = &*self.run.world;
        let keys = world.keys(world.stage().focus());
        let value = |k: &tickseed_worlds::KeyValue| tickseed_core::Scalar::from(k.value).into();
        Moment {
            nodes: scribe::nodes(world),
            keys: keys.iter().map(value).collect(),
        }
    }

    fn scene(&self, out: &mut Vec<Event>) {
        if self.subscription.scene {
            let world = &self.run.world;
            let mut view = serde_json::to_value(world.view()).unwrap_or_default();
            let choices = world.choices();
            if !choices.is_empty() {
                view["choices"] = serde_json::to_value(choices).unwrap_or_default();
            }
            out.push(Event::Scene {
                tick: self.run.tick(),
                view,
            });
        }
    }

    fn summary(&mut self, out: &mut Vec<Event>) {
        if self.subscription.summary {
            self.since_summary = 0.0;
            out.push(Event::Summary {
                tick: self.run.tick(),
                agents: self.crowd.summary(&*self.run.world),
            });
        }
    }

    fn control(&self) -> Control {
        Control {
            paused: self.paused,
            speed: self.speed,
            tick: self.run.tick(),
            first: 0,
            latest: self.run.latest,
            breakpoints: self.breakpoints.len() as u32,
            answered: self.answered,
        }
    }

    fn tree(&self) -> TreeDef {
        let mut trees = scribe::head(&*self.run.world).trees;
        trees.pop().unwrap_or_default()
    }

    fn hello(&self) -> Hello {
        let head = scribe::head(&*self.run.world);
        let can = [
            "subscribe",
            "run",
            "pause",
            "speed",
            "step",
            "step_node",
            "step_back",
            "seek",
            "live",
            "input",
            "set_key",
            "break",
            "unbreak",
            "reload",
            "pin",
            "unpin",
            "world",
            "why",
            "ping",
        ];
        Hello {
            protocol: PROTOCOL,
            process: head.process,
            session: format!("play-{}", self.runs),
            trees: head.trees,
            agents: head.agents,
            world: head.world,
            control: self.control(),
            can: can.map(String::from).to_vec(),
        }
    }
}

fn failure(e: &TickError) -> Failure {
    Failure {
        node: match e {
            TickError::Leaf { node, .. } => node.0,
            _ => 0,
        },
        text: e.to_string(),
    }
}

fn error(id: Option<u64>, text: String) -> Event {
    Event::Error {
        id,
        text,
        mistakes: Vec::new(),
    }
}

fn to_json(events: &[Event]) -> String {
    serde_json::to_string(events).unwrap_or_else(|e| {
        json!([{ "event": "error", "text": format!("an event cannot be written: {e}") }])
            .to_string()
    })
}
