//! What is measured, and how.
//!
//! - **Hot**: one agent, ticked so often that the clock's resolution does not matter. **Cold**: many agents,
//!   round robin.
//! - Repetitions are interleaved (each engine once, then each once more), so that a slow spell of the
//!   machine affects all; the median counts.
//! - After every repetition the engine's counters must equal those of the hand-written code after as many
//!   ticks. A figure that was not earned by the same work is an error, not a figure.

use std::time::{Duration, Instant};

use crate::counting::{counts, is_on};
use crate::engines::{
    handwritten::Handwritten,
    input_only::InputOnly,
    objects::{Objects, Tree, count_nodes},
    tickseed::{Tickseed, TickseedData},
};
use crate::workloads::{Deep, Monster, Wide};
use crate::{Engine, Outcome, World, checksum, run_cold, run_hot};

/// What an engine is to the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// No tree; its time is subtracted where it says "net".
    Input,
    /// The baseline and the reference for the counters.
    Baseline,
    /// A layout for comparison, nobody's library.
    Layout,
    /// Somebody else's library.
    Peer,
    /// Ours.
    Tickseed,
}

/// One engine on one workload, behind a common face.
pub trait Contestant {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// What it is to the comparison.
    fn role(&self) -> Role;
    /// A new agent's outcomes, tick by tick, interleaved with those of its fellows, and the final counters.
    fn trace(&self, agents: usize, rounds: usize) -> (Vec<Outcome>, Vec<u64>);
    /// Ticks one new agent.
    fn hot(&self, ticks: u64) -> Run;
    /// Spawns the agents of the cold runs.
    fn populate(&mut self, agents: usize);
    /// Goes on with the cold agents, from where they were.
    fn cold(&mut self, rounds: u64) -> Run;
    /// Frees the cold agents.
    fn clear(&mut self);
    /// Bytes per agent after it has been ticked for a while, what an array of agents holds included.
    fn bytes_per_agent(&self) -> f64;
    /// Allocations per tick of an agent that has been ticked for a while.
    fn allocations_per_tick(&self) -> f64;
}

/// How long a run took, and what it did.
#[derive(Clone, Debug)]
pub struct Run {
    /// The ticks alone; spawning is not in it.
    pub elapsed: Duration,
    /// The world's counters afterwards.
    pub counters: Vec<u64>,
}

/// An engine as a contestant.
pub struct Entrant<W: World, E: Engine<W>> {
    role: Role,
    cold: Option<(E, Vec<E::Agent>)>,
}

impl<W: World, E: Engine<W> + 'static> Entrant<W, E> {
    /// An engine that enters a contest.
    pub fn boxed(role: Role) -> Box<dyn Contestant> {
        Box::new(Self { role, cold: None })
    }
}

/// Exactly `count` agents in no more memory than they need.
fn spawn<W: World, E: Engine<W>>(engine: &mut E, count: usize) -> Vec<E::Agent> {
    let mut agents = Vec::with_capacity(count);
    agents.extend((0..count).map(|_| engine.spawn()));
    agents
}

impl<W: World, E: Engine<W>> Contestant for Entrant<W, E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn role(&self) -> Role {
        self.role
    }

    fn trace(&self, agents: usize, rounds: usize) -> (Vec<Outcome>, Vec<u64>) {
        let mut engine = E::new();
        let mut agents = spawn(&mut engine, agents);
        let mut outcomes = Vec::with_capacity(agents.len() * rounds);
        for _ in 0..rounds {
            engine.with_world(World::step_time);
            for agent in &mut agents {
                engine.with_world(World::next_input);
                outcomes.push(engine.tick(agent));
            }
        }
        (outcomes, engine.counters())
    }

    fn hot(&self, ticks: u64) -> Run {
        let mut engine = E::new();
        let mut agent = engine.spawn();
        let start = Instant::now();
        run_hot(&mut engine, &mut agent, ticks);
        Run {
            elapsed: start.elapsed(),
            counters: engine.counters(),
        }
    }

    fn populate(&mut self, agents: usize) {
        let mut engine = E::new();
        let agents = spawn(&mut engine, agents);
        self.cold = Some((engine, agents));
    }

    fn cold(&mut self, rounds: u64) -> Run {
        let (engine, agents) = self.cold.as_mut().expect("`populate` comes before `cold`");
        let start = Instant::now();
        run_cold(engine, agents, rounds);
        Run {
            elapsed: start.elapsed(),
            counters: engine.counters(),
        }
    }

    fn clear(&mut self) {
        self.cold = None;
    }

    fn bytes_per_agent(&self) -> f64 {
        const AGENTS: usize = 100;
        let mut engine = E::new();
        // What the first one makes, all share.
        drop(engine.spawn());
        let before = counts().live_bytes;
        let mut agents = spawn(&mut engine, AGENTS);
        run_cold(&mut engine, &mut agents, 50);
        (counts().live_bytes - before) as f64 / AGENTS as f64
    }

    fn allocations_per_tick(&self) -> f64 {
        const TICKS: u64 = 10_100;
        let mut engine = E::new();
        let mut agent = engine.spawn();
        run_hot(&mut engine, &mut agent, TICKS);
        let before = counts().allocations;
        run_hot(&mut engine, &mut agent, TICKS);
        (counts().allocations - before) as f64 / TICKS as f64
    }
}

/// One workload and all who run it; input alone first, the baseline second.
pub struct Contest {
    /// The workload's short name, such as `w1`.
    pub name: &'static str,
    /// The workload's title.
    pub title: &'static str,
    /// The number of nodes in the tree.
    pub nodes: usize,
    /// Counts how many of them a tick visits on average.
    pub count_visits: fn() -> f64,
    /// The engines.
    pub contestants: Vec<Box<dyn Contestant>>,
}

impl Contest {
    fn of<W: Tree>(others: impl IntoIterator<Item = Box<dyn Contestant>>) -> Self
    where
        Handwritten<W>: Engine<W>,
    {
        let mut contestants = vec![
            Entrant::<W, InputOnly<W>>::boxed(Role::Input),
            Entrant::<W, Handwritten<W>>::boxed(Role::Baseline),
            Entrant::<W, Objects<W>>::boxed(Role::Layout),
        ];
        contestants.extend(others);
        Self {
            name: W::NAME,
            title: W::TITLE,
            nodes: W::NODES,
            count_visits: || count_nodes::<W>(505_000).0,
            contestants,
        }
    }

    /// Lets other libraries take part, after the layouts and before Tickseed.
    pub fn add_peers(&mut self, peers: impl IntoIterator<Item = Box<dyn Contestant>>) {
        let mut all = self.contestants.iter();
        let at = all.position(|one| one.role() == Role::Tickseed);
        let at = at.unwrap_or(self.contestants.len());
        self.contestants.splice(at..at, peers);
    }

    /// The reference for the counters.
    fn baseline(&self) -> usize {
        self.contestants
            .iter()
            .position(|one| one.role() == Role::Baseline)
            .expect("every contest has a baseline")
    }
}

/// The workloads on the engines that need no other library.
pub fn own() -> Vec<Contest> {
    vec![
        Contest::of::<Monster>([Entrant::<Monster, Tickseed<Monster>>::boxed(Role::Tickseed)]),
        Contest::of::<Wide>([
            Entrant::<Wide, Tickseed<Wide>>::boxed(Role::Tickseed),
            Entrant::<Wide, TickseedData>::boxed(Role::Tickseed),
        ]),
        Contest::of::<Deep>([Entrant::<Deep, Tickseed<Deep>>::boxed(Role::Tickseed)]),
    ]
}

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Interleaved repetitions.
    pub repetitions: usize,
    /// How long a hot repetition should take.
    pub hot: Duration,
    /// The number of agents in cold runs.
    pub agents: usize,
    /// Rounds in a cold repetition.
    pub cold_rounds: u64,
    /// Ticks of the run whose checksum is printed.
    pub checked_ticks: u64,
}

impl Effort {
    /// For figures to be quoted.
    pub const FULL: Self = Self {
        repetitions: 5,
        hot: Duration::from_millis(60),
        agents: 100_000,
        cold_rounds: 5,
        checked_ticks: 200_000,
    };

    /// For seeing that all of it works: too short for figures to be quoted.
    pub const QUICK: Self = Self {
        repetitions: 3,
        hot: Duration::from_millis(2),
        agents: 1_000,
        cold_rounds: 8,
        checked_ticks: 20_000,
    };
}

/// What was measured of one engine on one workload. Times are nanoseconds.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The engine's name.
    pub engine: &'static str,
    /// What it is to the comparison.
    pub role: Role,
    /// A tick of a single agent, input included.
    pub hot: f64,
    /// An agent's tick among many, input included.
    pub cold: f64,
    /// Bytes per agent, if the program counts allocations.
    pub bytes: Option<f64>,
    /// Allocations per tick, likewise.
    pub allocations: Option<f64>,
    /// Instructions per tick, input included, if they were counted.
    pub instructions: Option<f64>,
}

/// All figures of one workload.
#[derive(Clone, Debug)]
pub struct Table {
    /// The workload's short name.
    pub name: &'static str,
    /// The workload's title.
    pub title: &'static str,
    /// The number of nodes in the tree.
    pub nodes: usize,
    /// How many of them a tick visits on average.
    pub visits: f64,
    /// The checksum all engines came to, hot and cold.
    pub checksums: (u64, u64),
    /// A row per engine.
    pub rows: Vec<Figures>,
}

/// An engine did not do what the hand-written code did.
#[derive(Clone, Debug)]
pub struct Disagreement {
    workload: &'static str,
    engine: &'static str,
    run: &'static str,
    found: Vec<u64>,
    expected: Vec<u64>,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            workload,
            engine,
            run,
            found,
            expected,
        } = self;
        write!(
            f,
            "{workload}, {run}: {engine} counted {found:?} (checksum {:016x}), the hand-written code {expected:?} \
             (checksum {:016x}); its tree does not do the same work",
            checksum(found),
            checksum(expected)
        )
    }
}

impl std::error::Error for Disagreement {}

/// The middle one, or the mean of the middle two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

/// Measures a workload on the engines for which `wanted` holds; input and baseline are always measured.
///
/// # Errors
///
/// The first engine whose counters differ from the hand-written code's.
pub fn measure(
    contest: &mut Contest,
    effort: Effort,
    wanted: &dyn Fn(&str) -> bool,
    progress: &mut dyn FnMut(&str),
) -> Result<Table, Disagreement> {
    let workload = contest.title;
    contest
        .contestants
        .retain(|one| matches!(one.role(), Role::Input | Role::Baseline) || wanted(one.name()));
    let baseline = contest.baseline();
    let check = |one: &dyn Contestant, run: &'static str, found: &[u64], expected: &[u64]| {
        if one.role() == Role::Input || found == expected {
            return Ok(());
        }
        Err(Disagreement {
            workload,
            engine: one.name(),
            run,
            found: found.to_vec(),
            expected: expected.to_vec(),
        })
    };

    let expected = contest.contestants[baseline]
        .hot(effort.checked_ticks)
        .counters;
    let hot_checksum = checksum(&expected);
    let mut ticks = Vec::new();
    for one in &contest.contestants {
        progress(&format!("{workload}: {}", one.name()));
        let run = one.hot(effort.checked_ticks);
        check(&**one, "hot", &run.counters, &expected)?;
        let repeat = effort.hot.as_secs_f64() / run.elapsed.as_secs_f64().max(1e-9);
        ticks.push(((effort.checked_ticks as f64 * repeat) as u64).max(1_000));
    }

    let count = contest.contestants.len();
    let mut hot = vec![Vec::new(); count];
    for repetition in 1..=effort.repetitions {
        progress(&format!(
            "{workload}: hot, {repetition} of {}",
            effort.repetitions
        ));
        for index in 0..count {
            let one = &*contest.contestants[index];
            let run = one.hot(ticks[index]);
            let expected = contest.contestants[baseline].hot(ticks[index]).counters;
            check(one, "hot", &run.counters, &expected)?;
            hot[index].push(run.elapsed.as_nanos() as f64 / ticks[index] as f64);
        }
    }

    for one in &mut contest.contestants {
        progress(&format!(
            "{workload}: {} agents of {}",
            effort.agents,
            one.name()
        ));
        one.populate(effort.agents);
        // The first visit brings the memory in.
        one.cold(1);
    }
    let mut cold = vec![Vec::new(); count];
    let mut cold_checksum = 0;
    for repetition in 1..=effort.repetitions {
        progress(&format!(
            "{workload}: cold, {repetition} of {}",
            effort.repetitions
        ));
        let runs: Vec<Run> = contest
            .contestants
            .iter_mut()
            .map(|one| one.cold(effort.cold_rounds))
            .collect();
        let expected = &runs[baseline].counters;
        cold_checksum = checksum(expected);
        for (index, run) in runs.iter().enumerate() {
            check(
                &*contest.contestants[index],
                "cold",
                &run.counters,
                expected,
            )?;
            let ticks = effort.cold_rounds * effort.agents as u64;
            cold[index].push(run.elapsed.as_nanos() as f64 / ticks as f64);
        }
    }
    for one in &mut contest.contestants {
        one.clear();
    }

    progress(&format!("{workload}: memory"));
    let counted = is_on();
    let rows = contest
        .contestants
        .iter()
        .zip(hot.into_iter().zip(cold))
        .map(|(one, (hot, cold))| Figures {
            engine: one.name(),
            role: one.role(),
            hot: median(hot),
            cold: median(cold),
            bytes: counted.then(|| one.bytes_per_agent()),
            allocations: counted.then(|| one.allocations_per_tick()),
            instructions: None,
        })
        .collect();
    Ok(Table {
        name: contest.name,
        title: workload,
        nodes: contest.nodes,
        visits: (contest.count_visits)(),
        checksums: (hot_checksum, cold_checksum),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Contest, Effort, Entrant, Role, measure, median};
    use crate::engines::handwritten::{Handwritten, MonsterAgent};
    use crate::workloads::Monster;
    use crate::{Engine, Outcome, World};

    const TINY: Effort = Effort {
        repetitions: 1,
        hot: Duration::from_micros(10),
        agents: 3,
        cold_rounds: 2,
        checked_ticks: 1_000,
    };

    /// The hand-written monster, but lazy: it skips every thousandth tick.
    struct Lazy {
        works: Handwritten<Monster>,
        ticks: u32,
    }

    impl Engine<Monster> for Lazy {
        const NAME: &'static str = "lazy";
        type Agent = MonsterAgent;

        fn new() -> Self {
            Self {
                works: Handwritten::new(),
                ticks: 0,
            }
        }

        fn spawn(&mut self) -> MonsterAgent {
            self.works.spawn()
        }

        fn tick(&mut self, agent: &mut MonsterAgent) -> Outcome {
            self.ticks += 1;
            if self.ticks == 1_000 {
                self.ticks = 0;
                return Outcome::Running;
            }
            self.works.tick(agent)
        }

        fn with_world<R>(&mut self, act: impl FnOnce(&mut Monster) -> R) -> R {
            self.works.with_world(act)
        }
    }

    #[test]
    fn an_engine_that_does_less_gets_no_figures() {
        let mut contest = Contest::of::<Monster>([Entrant::<Monster, Lazy>::boxed(Role::Peer)]);
        let error =
            measure(&mut contest, TINY, &|_| true, &mut |_| {}).expect_err("one tick was skipped");
        let message = error.to_string();
        assert!(
            message.contains(Monster::TITLE) && message.contains("lazy"),
            "{message}"
        );
    }

    #[test]
    fn engines_that_do_the_work_get_figures() {
        let mut contest = Contest::of::<Monster>([]);
        let table = measure(&mut contest, TINY, &|_| true, &mut |_| {}).expect("they agree");
        assert_eq!(table.rows.len(), 3);
        for row in &table.rows {
            assert!(row.hot > 0.0 && row.cold > 0.0, "{row:?}");
            assert_eq!(row.allocations, Some(0.0), "{row:?}");
        }
        assert_eq!(table.rows[1].bytes, Some(8.0), "two timers of four bytes");
        assert!(table.rows[2].bytes > Some(100.0), "ten objects");
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![5.0]), 5.0);
        assert_eq!(median(vec![9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(vec![9.0, 1.0, 4.0, 6.0]), 5.0);
    }
}
