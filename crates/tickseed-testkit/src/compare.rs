//! Compares the executor with the specification, tick by tick and event by event.

use core::time::Duration;

use tickseed_core::{NodeId, Rng, Status, TickError, Time, Tree};

use crate::interp::{Fault, Interp};
use crate::script::{Event, World};
use crate::trace::Marks;

/// What to do with the agents of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Decides everything: answers of leaves, keys, times, halts, which ticks are traced.
    pub seed: u64,
    /// How many steps there are.
    pub steps: u32,
    /// Whether leaves may fail with errors.
    pub errors: bool,
}

/// How much was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// Ticks.
    pub ticks: u64,
    /// Ticks that answered `Running`.
    pub running: u64,
    /// Events of leaves and functions.
    pub events: u64,
    /// Marks of traced ticks.
    pub marks: u64,
    /// Leaf errors, each followed by a recovery.
    pub errors: u64,
}

/// Runs one agent with the compiled program and one with the interpreter. After every step it
/// compares status, events, trace, history, what runs, random stream and keys.
///
/// # Errors
/// The first difference, with everything that happened in that step.
pub fn compare(tree: &Tree<World>, plan: Plan) -> Result<Compared, String> {
    let mut pair = Pair::new(tree, plan);
    for step in 0..plan.steps {
        pair.step().map_err(|e| format!("step {step}: {e}"))?;
    }
    pair.halt().map_err(|e| format!("at the end: {e}"))?;
    Ok(pair.compared)
}

/// Both agents with their worlds.
struct Pair<'t> {
    tree: &'t Tree<World>,
    rng: Rng,
    now: Time,
    last: Option<Time>,
    agent: tickseed_core::Agent,
    world: World,
    interp: Interp<'t, World>,
    interp_rng: Rng,
    interp_world: World,
    compared: Compared,
}

impl<'t> Pair<'t> {
    fn new(tree: &'t Tree<World>, plan: Plan) -> Self {
        let mut rng = Rng::new(plan.seed);
        let world = || {
            let mut world = World::seeded(plan.seed);
            world.allow_errors(plan.errors);
            // After an error, siblings may be halted in a different order, so what they write would
            // differ.
            world.let_all_write(!plan.errors && plan.seed.is_multiple_of(2));
            world
        };
        let begin = [0, 7, 1_000_000, (1 << 56) - 40][rng.below(4) as usize];
        Pair {
            tree,
            now: Time(begin),
            last: None,
            agent: tree.agent_seeded(plan.seed),
            world: world(),
            interp: Interp::new(tree),
            interp_rng: Rng::new(plan.seed),
            interp_world: world(),
            compared: Compared::default(),
            rng,
        }
    }

    fn step(&mut self) -> Result<(), String> {
        let steps = [0, 1, 1, 2, 3, 5, 5, 10, 10, 20, 60, 2000];
        self.now = Time(self.now.0 + steps[self.rng.below(12) as usize]);
        if self.rng.below(30) == 0 {
            // A clock that runs backwards must not cause a difference.
            self.now = Time(self.now.0.saturating_sub(4));
        }
        let mut twin = self.rng;
        self.world.change_keys(&mut self.rng);
        self.interp_world.change_keys(&mut twin);
        match self.rng.below(40) {
            0..=2 => self.halt(),
            3 => self.reset(),
            _ => self.tick(),
        }
    }

    fn tick(&mut self) -> Result<(), String> {
        let (now, tree) = (self.now, self.tree);
        let dt = self.last.map_or(Duration::ZERO, |last| now.since(last));
        self.last = Some(now);
        for world in [&mut self.world, &mut self.interp_world] {
            world.clear();
            world.expect_clock(now, dt);
        }
        let mut expected = Marks::default();
        let interp = &mut self.interp;
        let world = &mut self.interp_world;
        let wanted = interp.tick(world, now, dt, &mut self.interp_rng, &mut expected);
        let mut marks = Marks::default();
        let traced = self.rng.below(2) == 0;
        let got = if traced {
            tree.tick_traced(&mut self.agent, &mut self.world, now, &mut marks)
        } else {
            tree.tick(&mut self.agent, &mut self.world, now)
        };
        self.same_answer(&got, &wanted)?;
        self.same_events()?;
        if traced && marks != expected {
            return Err(format!(
                "the trace differs: {}\n  events {}",
                first_difference(&marks.0, &expected.0),
                self.world.events_text()
            ));
        }
        self.compared.ticks += 1;
        self.compared.running += u64::from(matches!(got, Ok(Status::Running)));
        self.compared.events += self.world.events().len() as u64;
        self.compared.marks += marks.0.len() as u64;
        if wanted.is_err() {
            return self.recover();
        }
        let running = wanted.is_ok_and(|s| s == Status::Running);
        if tree.is_running(&self.agent) != running {
            return Err(format!("`is_running` is not {running}"));
        }
        self.same_state()
    }

    fn halt(&mut self) -> Result<(), String> {
        self.clear();
        let now = self.now;
        let halted = self.tree.halt(&mut self.agent, &mut self.world, now);
        halted.map_err(|e| format!("halt: {e}"))?;
        let rng = &mut self.interp_rng;
        self.interp
            .halt(&mut self.interp_world, now, Duration::ZERO, rng);
        self.ended()
    }

    fn reset(&mut self) -> Result<(), String> {
        self.clear();
        let now = self.now;
        let reset = self.tree.reset(&mut self.agent, &mut self.world, now);
        reset.map_err(|e| format!("reset: {e}"))?;
        let rng = &mut self.interp_rng;
        self.interp
            .reset(&mut self.interp_world, now, Duration::ZERO, rng);
        self.ended()
    }

    fn recover(&mut self) -> Result<(), String> {
        let (now, tree) = (self.now, self.tree);
        self.compared.errors += 1;
        self.clear();
        match tree.tick(&mut self.agent, &mut self.world, now) {
            Err(TickError::Poisoned) if self.world.events().is_empty() => {}
            other => return Err(format!("a poisoned agent was ticked: {other:?}")),
        }
        let recovered = tree.recover(&mut self.agent, &mut self.world, now);
        recovered.map_err(|e| format!("recover: {e}"))?;
        let rng = &mut self.interp_rng;
        self.interp
            .recover(&mut self.interp_world, now, Duration::ZERO, rng);
        self.innermost_first()?;
        // Which of several unrelated branches is unwound first is unspecified.
        let sorted = |world: &World| {
            let mut events: Vec<_> = world.events().iter().map(Event::to_string).collect();
            events.sort();
            events
        };
        if sorted(&self.world) != sorted(&self.interp_world) {
            return Err(format!("recovery: {}", self.both_events()));
        }
        self.over()
    }

    fn clear(&mut self) {
        self.world.clear();
        self.interp_world.clear();
    }

    /// After a halt: the same events, and nothing is left.
    fn ended(&mut self) -> Result<(), String> {
        self.same_events()?;
        self.over()
    }

    fn over(&mut self) -> Result<(), String> {
        if self.tree.is_running(&self.agent) || !self.world.started().is_empty() {
            return Err(format!("still started: {:?}", self.world.started()));
        }
        self.same_state()
    }

    fn same_answer(
        &self,
        got: &Result<Status, TickError>,
        wanted: &Result<Status, Fault>,
    ) -> Result<(), String> {
        let same = match (got, wanted) {
            (Ok(got), Ok(wanted)) => got == wanted,
            (Err(TickError::Leaf { node, .. }), Err(fault)) => *node == fault.node,
            _ => false,
        };
        if same {
            return Ok(());
        }
        let events = self.both_events();
        Err(format!("answered {got:?} instead of {wanted:?}; {events}"))
    }

    fn same_events(&self) -> Result<(), String> {
        if self.world.events() == self.interp_world.events() {
            Ok(())
        } else {
            Err(self.both_events())
        }
    }

    fn both_events(&self) -> String {
        format!(
            "events\n  {}\ninstead of\n  {}",
            self.world.events_text(),
            self.interp_world.events_text()
        )
    }

    fn same_state(&self) -> Result<(), String> {
        let broken = [self.world.broken(), self.interp_world.broken()].concat();
        if !broken.is_empty() {
            return Err(broken.join("; "));
        }
        let (got, wanted) = (self.tree.running(&self.agent), self.interp.running());
        if got != wanted {
            return Err(format!("running are {got:?} instead of {wanted:?}"));
        }
        let (got, wanted) = (self.tree.history(&self.agent), self.interp.history());
        if got != wanted {
            let difference = first_difference(&got, &wanted);
            return Err(format!("the history differs: {difference}"));
        }
        if self.agent.rng() != self.interp_rng {
            return Err("the random streams differ".into());
        }
        if bytemuck::bytes_of(&self.world.keys) != bytemuck::bytes_of(&self.interp_world.keys) {
            return Err("the keys differ".into());
        }
        self.nothing_runs_below_what_does_not()
    }

    fn nothing_runs_below_what_does_not(&self) -> Result<(), String> {
        let orphan = self.tree.def().iter().find(|(id, node)| {
            let parent_runs = node.parent.is_none_or(|p| self.interp.is_running(p));
            self.interp.is_running(*id) && !parent_runs
        });
        match orphan {
            Some((id, _)) => Err(format!("{id:?} runs below a node that does not")),
            None => Ok(()),
        }
    }

    /// Of two nested nodes that were notified of their end, the inner one was notified first.
    fn innermost_first(&self) -> Result<(), String> {
        let def = self.tree.def();
        let nodes: Vec<NodeId> = self
            .world
            .events()
            .iter()
            .filter_map(|e| def.find(e.who))
            .collect();
        for (i, outer) in nodes.iter().enumerate() {
            if let Some(inner) = nodes[i + 1..]
                .iter()
                .find(|n| *n != outer && def.contains(*outer, **n))
            {
                let events = self.world.events_text();
                return Err(format!(
                    "{outer:?} ended before {inner:?} inside it: {events}"
                ));
            }
        }
        Ok(())
    }
}

fn first_difference<T: PartialEq + core::fmt::Debug>(got: &[T], wanted: &[T]) -> String {
    let same = got.iter().zip(wanted).take_while(|(g, w)| g == w).count();
    format!(
        "after {same} equal ones {:?} instead of {:?}",
        got.get(same),
        wanted.get(same)
    )
}
