//! What a herd of W1's monsters costs a step: all ticked, on one core and on more, or asleep until
//! something happens; and what it takes to save one.
//!
//! Ticking all is W1 as in the other tables (every agent's input is drawn anew before its turn), beside
//! hand-written code and boxed objects in the same run.
//!
//! For events each monster has its own input, guards are made of data and `idle` is an action that runs on
//! and sleeps. Per step a share of the agents gets an event: fifteen of sixteen change `hp` where nobody minds,
//! the sixteenth brings a target, which the strike half a second later removes. Both ways of ticking are
//! first held against each other on a smaller herd.

use std::hint::black_box;
use std::mem::offset_of;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tickseed_core::{
    Context, Herd, HerdOptions, Key, KeyId, Place, Status, Ticker, Time, Tree, bytemuck, nodes,
};

use crate::counting::counts;
use crate::engines::handwritten::Handwritten;
use crate::engines::objects::Objects;
use crate::engines::tickseed::Seed;
use crate::measure::{Role, median};
use crate::workloads::{Monster, monster};
use crate::{Engine, World, Xorshift, run_cold};

/// One monster's input.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Input {
    hp: u32,
    has_target: u32,
}

/// A monster in its turn.
struct Turn<'w> {
    input: &'w mut Input,
    struck: u64,
    enraged: u64,
}

impl Context for Turn<'static> {
    type At<'a> = Turn<'a>;
    fn block<'x>(at: &'x Turn<'_>) -> &'x [u8] {
        bytemuck::bytes_of(&*at.input)
    }
}

type C = Turn<'static>;
const HP: Key<C, u32> = Key::new(KeyId(0), Place::Block(offset_of!(Input, hp) as u32));
const TARGET: Key<C, u32> = Key::new(KeyId(1), Place::Block(offset_of!(Input, has_target) as u32));

fn tree() -> Arc<Tree<C>> {
    let n = nodes::<C>();
    let enrage = n.cooldown(
        Duration::from_millis(monster::ENRAGE_COOLDOWN_MS.into()),
        n.instant("cast enrage", |t| t.enraged += 1),
    );
    let strike = n.instant("strike", |t| {
        t.struck += 1;
        t.input.has_target = 0;
    });
    let wind_up = n.wait(Duration::from_millis(monster::WIND_UP_MS.into()));
    let tree = n.selector([
        n.sequence([n.check(HP.lt(monster::LOW_HP)), enrage]),
        n.sequence([n.check(TARGET.gt(0)), wind_up, strike]),
        n.action("idle", |_| Status::Running).sleeps(),
    ]);
    Arc::new(tree.reactive().build().expect("the tree is sound"))
}

/// A herd of monsters that each have their own input, which changes by events.
pub struct Pack {
    herd: Herd<C>,
    inputs: Vec<Input>,
    draw: Xorshift,
    step: u64,
    struck: u64,
}

impl Pack {
    /// So many monsters; all see full health and no target.
    #[must_use]
    pub fn new(agents: usize) -> Pack {
        let options = HerdOptions {
            capacity: agents,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(tree(), options);
        for _ in 0..agents {
            herd.spawn().expect("there is room");
        }
        let input = Input {
            hp: 100,
            has_target: 0,
        };
        Pack {
            herd,
            inputs: vec![input; agents],
            draw: Xorshift::new(7),
            step: 0,
            struck: 0,
        }
    }

    fn now(&mut self) -> Time {
        self.step += 1;
        Time::from_millis(self.step * u64::from(monster::STEP_MS))
    }

    /// Something happens to so many of them, and the herd is told.
    pub fn events(&mut self, count: usize) {
        for _ in 0..count {
            let draw = self.draw.draw();
            let i = ((u64::from(draw) * self.inputs.len() as u64) >> 32) as usize;
            let input = &mut self.inputs[i];
            let handle = self.herd.at(i).expect("nobody was despawned");
            let told = if draw & 15 == 0 {
                input.has_target = 1;
                self.herd.touch(handle, TARGET)
            } else {
                input.hp = monster::LOW_HP + (draw >> 8) % 80;
                self.herd.touch(handle, HP)
            };
            told.expect("nobody was despawned");
        }
    }

    /// A step of those who are awake, or of all; how many were ticked.
    pub fn tick(&mut self, due: bool) -> usize {
        let now = self.now();
        let (inputs, struck) = (&mut self.inputs, &mut self.struck);
        // Each in a place of its own, as in a game.
        let turn = if due {
            self.herd.tick_due(now, |a| Self::turn(inputs, struck, a))
        } else {
            self.herd.tick_all(now, |a| Self::turn(inputs, struck, a))
        };
        turn.ticked
    }

    #[inline(always)]
    fn turn(inputs: &mut [Input], struck: &mut u64, a: Ticker<'_, '_, C>) {
        let input = &mut inputs[a.index()];
        let mut turn = Turn {
            input,
            struck: 0,
            enraged: 0,
        };
        black_box(a.tick(&mut turn).is_ok());
        *struck += turn.struck;
    }

    /// Goes over to the same tree, built again; how many agents did.
    pub fn reload(&mut self) -> usize {
        let now = self.now();
        let report = self.herd.reload(tree(), now, |_| {});
        report.agents
    }

    /// A step of all, on all cores; how many were ticked.
    pub fn tick_parallel(&mut self) -> usize {
        let now = self.now();
        let ticked = self.herd.par_tick_all(now, &mut self.inputs, |input, a| {
            let mut turn = Turn {
                input,
                struck: 0,
                enraged: 0,
            };
            black_box(a.tick(&mut turn).is_ok());
        });
        ticked.expect("there is an input for each").ticked
    }
}

/// The herd of W1 as in the other tables: one world, whose input is drawn anew before each turn.
pub struct Shared {
    herd: Herd<Monster>,
    world: Monster,
}

impl Shared {
    /// So many monsters.
    #[must_use]
    pub fn new(agents: usize) -> Shared {
        let tree = Monster::tree(nodes()).build().expect("the tree is sound");
        let mut herd = Herd::new(Arc::new(tree));
        for _ in 0..agents {
            herd.spawn().expect("a growing herd has room");
        }
        let world = Monster::new();
        Shared { herd, world }
    }

    /// A step of all; how many were ticked.
    pub fn tick(&mut self) -> usize {
        let world = &mut self.world;
        world.step_time();
        let now = world.now();
        let turn = self.herd.tick_all(now, |a| {
            world.next_input();
            black_box(a.tick(world).is_ok());
        });
        turn.ticked
    }
}

/// What was measured of one way to run the agents.
#[derive(Clone, Debug)]
pub struct Row {
    /// What ran.
    pub name: String,
    /// What it is to the comparison.
    pub role: Role,
    /// Milliseconds a step, the median.
    pub ms: f64,
    /// How many agents were ticked in a step.
    pub ticked: usize,
    /// Allocations a step in this thread, if they were counted.
    pub allocations: Option<f64>,
    /// The share of agents that sleep.
    pub asleep: Option<f64>,
    /// Bytes an agent: its state, generation included, and its scheduling.
    pub bytes: Option<(f64, f64)>,
}

/// All that was measured of herds.
#[derive(Clone, Debug)]
pub struct Figures {
    /// How many agents there were.
    pub agents: usize,
    /// How many threads ticked "on all cores".
    pub threads: usize,
    /// A step's simulated time, milliseconds.
    pub step_ms: u32,
    /// The rows; hand-written code first, then the layout of objects.
    pub rows: Vec<Row>,
    /// Milliseconds to save a herd that is partly asleep, and to load it; its bytes an agent.
    pub snapshot: (f64, f64, f64),
}

struct Run<'r> {
    row: Row,
    /// Steps of a repetition.
    steps: u32,
    step: Box<dyn FnMut() -> usize + 'r>,
    took: Vec<f64>,
}

impl<'r> Run<'r> {
    fn new(name: &str, role: Role, steps: u32, step: impl FnMut() -> usize + 'r) -> Run<'r> {
        let row = Row {
            name: name.to_owned(),
            role,
            ms: 0.0,
            ticked: 0,
            allocations: None,
            asleep: None,
            bytes: None,
        };
        Run {
            row,
            steps,
            step: Box::new(step),
            took: Vec::new(),
        }
    }

    fn repeat(&mut self) {
        let before = counts().allocations;
        let began = Instant::now();
        let ticked: usize = (0..self.steps).map(|_| (self.step)()).sum();
        let took = began.elapsed();
        let steps = f64::from(self.steps);
        let allocated = (counts().allocations - before) as f64 / steps;
        self.row.allocations = crate::counting::is_on().then_some(allocated);
        self.took.push(took.as_secs_f64() * 1e3 / steps);
        self.row.ticked = ticked / self.steps as usize;
    }
}

fn cold<E: Engine<Monster> + 'static>(agents: usize) -> impl FnMut() -> usize {
    let mut engine = E::new();
    let mut all: Vec<E::Agent> = (0..agents).map(|_| engine.spawn()).collect();
    move || {
        run_cold(&mut engine, &mut all, 1);
        all.len()
    }
}

/// Holds sleeping to ticking always, on a herd of its own.
///
/// # Errors
/// In words, if sleeping changes what happens.
fn same_results() -> Result<(), String> {
    let (mut always, mut events) = (Pack::new(5_000), Pack::new(5_000));
    for step in 0..400 {
        always.events(100);
        events.events(100);
        always.tick(false);
        events.tick(true);
        if always.struck != events.struck {
            return Err(format!(
                "sleeping changed what happens: after {step} steps {} strikes in place of {}",
                events.struck, always.struck
            ));
        }
    }
    if always.struck > 500 {
        Ok(())
    } else {
        Err(format!("only {} strikes in the comparison", always.struck))
    }
}

/// The shares of agents to which something happens in a step.
const SHARES: [f64; 3] = [0.001, 0.01, 0.1];

/// Measures herds of so many agents. Repetitions are interleaved, so that a slow spell of the
/// machine falls on all; medians count.
///
/// # Errors
/// In words, if sleeping agents did not do what those do that are always ticked.
pub fn measure(
    agents: usize,
    repetitions: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Figures, String> {
    progress("herds: does sleeping change anything?");
    same_results()?;
    progress("herds: spawning");
    let mut shared = Shared::new(agents);
    let bytes = (shared.herd.bytes_per_agent(), 0.0);
    let mut own = Pack::new(agents);
    let own_bytes = (own.herd.bytes_per_agent(), 0.0);
    let mut cores = Pack::new(agents);
    let mut packs = SHARES.map(|share| {
        let mut pack = Pack::new(agents);
        let count = (agents as f64 * share) as usize;
        for _ in 0..20 {
            pack.events(count);
            pack.tick(true);
        }
        (count, pack)
    });
    let mut runs = vec![
        Run::new(
            "hand-written",
            Role::Baseline,
            1,
            cold::<Handwritten<Monster>>(agents),
        ),
        Run::new(
            "boxed objects",
            Role::Layout,
            1,
            cold::<Objects<Monster>>(agents),
        ),
        Run::new("herd", Role::Tickseed, 1, || shared.tick()),
        Run::new("herd, own inputs", Role::Tickseed, 1, || own.tick(false)),
        Run::new("the same, all cores", Role::Tickseed, 1, || {
            cores.tick_parallel()
        }),
    ];
    runs[2].row.bytes = Some(bytes);
    runs[3].row.bytes = Some(own_bytes);
    runs[4].row.bytes = Some(own_bytes);
    for ((count, pack), share) in packs.iter_mut().zip(SHARES) {
        let name = format!("herd, {} % events", share * 100.0);
        runs.push(Run::new(&name, Role::Tickseed, 20, || {
            pack.events(*count);
            pack.tick(true)
        }));
    }
    for run in &mut runs {
        // The first visit brings the memory in.
        run.repeat();
        run.took.clear();
    }
    for repetition in 1..=repetitions {
        progress(&format!("herds: {repetition} of {repetitions}"));
        runs.iter_mut().for_each(Run::repeat);
    }
    let mut rows: Vec<Row> = runs
        .into_iter()
        .map(|run| Row {
            ms: median(run.took),
            ..run.row
        })
        .collect();
    for ((_, pack), row) in packs.iter().zip(rows.iter_mut().skip(5)) {
        let herd = &pack.herd;
        row.asleep = Some(herd.asleep() as f64 / agents as f64);
        row.bytes = Some((herd.bytes_per_agent(), herd.scheduling_bytes_per_agent()));
    }
    progress("herds: saving and loading");
    let herd = &packs[1].1.herd;
    let (mut save, mut load, mut bytes) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..repetitions {
        let began = Instant::now();
        let saved = herd.save().map_err(|e| e.to_string())?;
        save.push(began.elapsed().as_secs_f64() * 1e3);
        bytes = saved.len() as f64 / agents as f64;
        let began = Instant::now();
        let loaded = Herd::load(herd.tree().clone(), &saved).map_err(|e| e.to_string())?;
        load.push(began.elapsed().as_secs_f64() * 1e3);
        drop(loaded);
    }
    Ok(Figures {
        agents,
        threads: rayon::current_num_threads(),
        step_ms: monster::STEP_MS,
        rows,
        snapshot: (median(save), median(load), bytes),
    })
}
