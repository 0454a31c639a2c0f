//! Sleeping compared with ticking every time: a herd whose agents sleep, next to lone agents that
//! are ticked at every step.

use core::time::Duration;
use std::sync::Arc;

use tickseed_core::{
    Agent, EventOptions, Handle, Herd, HerdOptions, KeyId, Rng, Sabotage, Status, TickError, Time,
    Tree,
};

use crate::compare::Plan;
use crate::script::{KEYS, World};

/// How much was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slept {
    /// Ticks of lone agents.
    pub ticks: u64,
    /// Ticks that the herd omitted.
    pub left_out: u64,
    /// Keys that changed.
    pub touches: u64,
}

/// How many agents there are.
const AGENTS: usize = 3;

/// Runs a few agents twice: in a herd, where they sleep when they can, and as lone agents that are
/// ticked at every step. After every step it compares status, events, what runs, history, random
/// streams and keys. Between the steps worlds change, agents are halted, and what leaves wait for
/// is completed from outside; time passes unevenly, and sometimes backwards.
///
/// `sabotage` injects a fault into the herd; this should then find a difference.
///
/// # Errors
/// The first difference, with everything that happened in that step.
pub fn compare_asleep(
    tree: Tree<World>,
    plan: Plan,
    sabotage: Option<Sabotage>,
) -> Result<Slept, String> {
    let mut both = Both::new(Arc::new(tree), plan, sabotage);
    for step in 0..plan.steps {
        both.step().map_err(|e| format!("step {step}: {e}"))?;
    }
    Ok(both.slept)
}

/// A lone agent and one of the herd, each with its own world.
struct Pair {
    agent: Agent,
    world: World,
    handle: Handle,
    herd_world: World,
    status: Option<Status>,
}

struct Both {
    tree: Arc<Tree<World>>,
    herd: Herd<World>,
    pairs: Vec<Pair>,
    rng: Rng,
    now: Time,
    last: Option<Time>,
    /// How many of the keys change between ticks.
    restless: u64,
    slept: Slept,
}

impl Both {
    fn new(tree: Arc<Tree<World>>, plan: Plan, sabotage: Option<Sabotage>) -> Both {
        let mut rng = Rng::new(plan.seed ^ 0xa51ee9);
        let options = HerdOptions {
            streams: true,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(tree.clone(), options);
        let granularity = Duration::from_nanos([1, 1, 4, 1 << 20][rng.below(4) as usize]);
        herd.use_events(EventOptions { granularity });
        if let Some(by) = sabotage {
            herd.sabotage(by);
        }
        let pairs = (0..AGENTS as u64)
            .map(|i| {
                let seed = plan.seed * 7 + i;
                let world = || {
                    let mut world = World::seeded(seed);
                    world.allow_errors(plan.errors);
                    world
                };
                Pair {
                    agent: tree.agent_seeded(seed),
                    world: world(),
                    handle: herd.spawn_seeded(seed).expect("a growing herd has room"),
                    herd_world: world(),
                    status: None,
                }
            })
            .collect();
        let begin = [0, 7, 1_000_000, (1 << 56) - 40][rng.below(4) as usize];
        Both {
            tree,
            herd,
            pairs,
            now: Time(begin),
            last: None,
            restless: 1 + rng.below(4),
            slept: Slept::default(),
            rng,
        }
    }

    fn step(&mut self) -> Result<(), String> {
        let steps = [0, 1, 1, 2, 3, 5, 5, 10, 10, 20, 60, 2000];
        self.now = Time(self.now.0 + steps[self.rng.below(12) as usize]);
        if self.rng.below(30) == 0 {
            self.now = Time(self.now.0.saturating_sub(4));
        }
        for pair in &mut self.pairs {
            pair.world.clear();
            pair.herd_world.clear();
        }
        for i in 0..AGENTS {
            self.change(i);
            match self.rng.below(60) {
                0 => self.halt(i, false)?,
                1 => self.halt(i, true)?,
                2..=6 => self.complete(i)?,
                _ => {}
            }
        }
        self.tick()
    }

    /// Changes keys of both worlds and reports the changes to the herd.
    fn change(&mut self, i: usize) {
        if self.rng.below(6) >= self.restless {
            return;
        }
        let key = if self.rng.below(3) == 0 {
            self.rng.below(KEYS)
        } else {
            [0, 1, 2, 3, 11][self.rng.below(5) as usize]
        };
        let value = self.rng.below(256);
        let pair = &mut self.pairs[i];
        pair.world.change_key(key, value);
        pair.herd_world.change_key(key, value);
        self.slept.touches += 1;
        let touched = self.herd.touch(pair.handle, KeyId(key as u16));
        touched.expect("nobody is despawned");
    }

    fn halt(&mut self, i: usize, reset: bool) -> Result<(), String> {
        let (now, pair) = (self.now, &mut self.pairs[i]);
        let (lone, herd) = if reset {
            (
                self.tree.reset(&mut pair.agent, &mut pair.world, now),
                self.herd.reset(pair.handle, &mut pair.herd_world, now),
            )
        } else {
            (
                self.tree.halt(&mut pair.agent, &mut pair.world, now),
                self.herd.halt(pair.handle, &mut pair.herd_world, now),
            )
        };
        lone.map_err(|e| e.to_string())?;
        herd.map_err(|e| e.to_string())
    }

    /// Completes what a leaf may be waiting for.
    fn complete(&mut self, i: usize) -> Result<(), String> {
        let pair = &mut self.pairs[i];
        let started = pair.world.started();
        if started.is_empty() {
            return Ok(());
        }
        let who = started[self.rng.below(started.len() as u64) as usize];
        let status = [Status::Success, Status::Failure][self.rng.below(2) as usize];
        pair.world.complete(who, status);
        pair.herd_world.complete(who, status);
        self.herd.wake(pair.handle).map_err(|e| e.to_string())
    }

    fn tick(&mut self) -> Result<(), String> {
        let now = self.now;
        let dt = self.last.map_or(Duration::ZERO, |last| now.since(last));
        self.last = Some(now);
        let mut got: Vec<Option<Result<Status, TickError>>> = Vec::new();
        got.resize_with(AGENTS, || None);
        let pairs = &mut self.pairs;
        for pair in &mut *pairs {
            pair.world.expect_clock(now, dt);
            pair.herd_world.expect_clock(now, dt);
        }
        self.herd.tick_due(now, |agent| {
            let i = agent.index();
            got[i] = Some(agent.tick(&mut pairs[i].herd_world));
        });
        for (i, got) in got.iter().enumerate() {
            let pair = &mut self.pairs[i];
            let wanted = self.tree.tick(&mut pair.agent, &mut pair.world, now);
            self.slept.ticks += 1;
            let same = match (got, &wanted) {
                (None, Ok(wanted)) => {
                    self.slept.left_out += 1;
                    pair.status == Some(*wanted)
                }
                (Some(Ok(got)), Ok(wanted)) => got == wanted,
                (
                    Some(Err(TickError::Leaf { node: a, .. })),
                    Err(TickError::Leaf { node: b, .. }),
                ) => a == b,
                _ => false,
            };
            let slept = if got.is_none() { "asleep, " } else { "" };
            let events = format!(
                "{slept}events\n  {}\ninstead of\n  {}",
                pair.herd_world.events_text(),
                pair.world.events_text()
            );
            if !same {
                return Err(format!("answered {got:?} instead of {wanted:?}; {events}"));
            }
            if pair.world.events() != pair.herd_world.events() {
                return Err(events);
            }
            pair.status = wanted.as_ref().ok().copied();
            if wanted.is_err() {
                let recovered = self.tree.recover(&mut pair.agent, &mut pair.world, now);
                recovered.map_err(|e| e.to_string())?;
                let herd = self.herd.recover(pair.handle, &mut pair.herd_world, now);
                herd.map_err(|e| e.to_string())?;
            }
            self.same_state(i)?;
        }
        Ok(())
    }

    fn same_state(&self, i: usize) -> Result<(), String> {
        let pair = &self.pairs[i];
        let broken = [pair.world.broken(), pair.herd_world.broken()].concat();
        if !broken.is_empty() {
            return Err(broken.join("; "));
        }
        let of = |e: tickseed_core::HerdError| e.to_string();
        let (got, wanted) = (
            self.herd.running(pair.handle).map_err(of)?,
            self.tree.running(&pair.agent),
        );
        if got != wanted {
            return Err(format!("running are {got:?} instead of {wanted:?}"));
        }
        let (got, wanted) = (
            self.herd.history(pair.handle).map_err(of)?,
            self.tree.history(&pair.agent),
        );
        if got != wanted {
            return Err(format!("the history is {got:?} instead of {wanted:?}"));
        }
        if self.herd.rng(pair.handle).map_err(of)? != Some(pair.agent.rng()) {
            return Err("the random streams differ".into());
        }
        if bytemuck::bytes_of(&pair.world.keys) != bytemuck::bytes_of(&pair.herd_world.keys) {
            return Err("the keys differ".into());
        }
        Ok(())
    }
}
