//! What a herd of W1's monsters costs: all ticked, on one core and on more, or asleep until
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

use tickseed_benches::engines::handwritten::Handwritten;
use tickseed_benches::engines::objects::Objects;
use tickseed_benches::engines::tickseed::Seed;
use tickseed_benches::workloads::{Monster, monster};
use tickseed_benches::{Engine, World, Xorshift, run_cold};
use tickseed_core::{
    Context, Handle, Herd, HerdOptions, Key, KeyId, Place, Status, Ticker, Time, Tree, bytemuck,
    nodes,
};

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

/// A herd with its inputs.
struct Pack {
    herd: Herd<C>,
    handles: Vec<Handle>,
    inputs: Vec<Input>,
    draw: Xorshift,
    step: u64,
    struck: u64,
}

impl Pack {
    fn new(agents: usize) -> Pack {
        let options = HerdOptions {
            capacity: agents,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(tree(), options);
        let handles = (0..agents)
            .map(|_| herd.spawn().expect("there is room"))
            .collect();
        let input = Input {
            hp: 100,
            has_target: 0,
        };
        Pack {
            herd,
            handles,
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

    fn events(&mut self, count: usize) {
        for _ in 0..count {
            let draw = self.draw.draw();
            let i = (u64::from(draw) * self.handles.len() as u64 >> 32) as usize;
            let (handle, input) = (self.handles[i], &mut self.inputs[i]);
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

    fn tick(&mut self, due: bool) -> usize {
        let now = self.now();
        let (inputs, struck) = (&mut self.inputs, &mut self.struck);
        let f = |a: Ticker<'_, '_, C>| {
            let input = &mut inputs[a.index()];
            let mut turn = Turn {
                input,
                struck: 0,
                enraged: 0,
            };
            black_box(a.tick(&mut turn).is_ok());
            *struck += turn.struck;
        };
        if due {
            self.herd.tick_due(now, f).ticked
        } else {
            self.herd.tick_all(now, f).ticked
        }
    }

    fn tick_parallel(&mut self) {
        let now = self.now();
        let ticked = self.herd.par_tick_all(now, &mut self.inputs, |input, a| {
            let mut turn = Turn {
                input,
                struck: 0,
                enraged: 0,
            };
            black_box(a.tick(&mut turn).is_ok());
        });
        ticked.expect("there is an input for each");
    }
}

fn ms(took: Duration, steps: u32) -> f64 {
    took.as_secs_f64() * 1e3 / f64::from(steps)
}

/// The median of a few measurements of so many steps, in milliseconds a step.
fn median(steps: u32, mut step: impl FnMut()) -> f64 {
    let mut all: Vec<f64> = (0..5)
        .map(|_| {
            let began = Instant::now();
            (0..steps).for_each(|_| step());
            ms(began.elapsed(), steps)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all[2]
}

fn same_results() {
    let (mut always, mut events) = (Pack::new(20_000), Pack::new(20_000));
    for _ in 0..400 {
        always.events(200);
        events.events(200);
        always.tick(false);
        events.tick(true);
        assert_eq!(
            always.struck, events.struck,
            "sleeping changed what happens"
        );
    }
    assert!(always.struck > 1000);
}

fn cold<E: Engine<Monster>>(agents: usize) -> f64 {
    let mut engine = E::new();
    let mut all: Vec<E::Agent> = (0..agents).map(|_| engine.spawn()).collect();
    run_cold(&mut engine, &mut all, 3);
    median(2, || run_cold(&mut engine, &mut all, 1))
}

fn main() {
    let agents: usize = match std::env::args().nth(1).map(|a| a.parse()) {
        None => 1_000_000,
        Some(Ok(n)) if n > 0 => n,
        Some(_) => {
            eprintln!("usage: herds [AGENTS]");
            std::process::exit(2);
        }
    };
    same_results();
    println!("W1, {agents} agents, ms a step of {} ms", monster::STEP_MS);
    println!(
        "  {:<34} {:>9.2}",
        "hand-written, all ticked",
        cold::<Handwritten<Monster>>(agents)
    );
    println!(
        "  {:<34} {:>9.2}",
        "boxed objects, all ticked",
        cold::<Objects<Monster>>(agents)
    );
    let mut world = Monster::new();
    let mut herd = Herd::new(Arc::new(
        Monster::tree(nodes()).build().expect("the tree is sound"),
    ));
    for _ in 0..agents {
        herd.spawn().expect("a growing herd has room");
    }
    let all = median(3, || {
        world.step_time();
        let now = world.now();
        herd.tick_all(now, |a| {
            world.next_input();
            black_box(a.tick(&mut world).is_ok());
        });
    });
    println!(
        "  {:<34} {all:>9.2}   {:.1} bytes an agent",
        "herd, all ticked",
        herd.bytes_per_agent()
    );
    drop(herd);

    let mut pack = Pack::new(agents);
    pack.tick(false);
    let one = median(3, || {
        black_box(pack.tick(false));
    });
    let cores = median(3, || pack.tick_parallel());
    println!("  {:<34} {one:>9.2}", "herd, data guards, own inputs");
    println!(
        "  {:<34} {cores:>9.2}   {:.2}x on {} threads",
        "the same on all cores",
        one / cores,
        rayon::current_num_threads()
    );

    for share in [0.001, 0.01, 0.1] {
        let mut pack = Pack::new(agents);
        let count = (agents as f64 * share) as usize;
        for _ in 0..20 {
            pack.events(count);
            pack.tick(true);
        }
        let (mut ticked, mut steps) = (0, 0);
        let took = median(20, || {
            pack.events(count);
            ticked += pack.tick(true);
            steps += 1;
        });
        let asleep = pack.herd.asleep() as f64 * 100.0 / agents as f64;
        println!(
            "  {:<34} {took:>9.3}   {} ticks a step, {asleep:.1} % asleep, {:.1} bytes of scheduling",
            format!("herd, {} % events", share * 100.0),
            ticked / steps,
            pack.herd.scheduling_bytes_per_agent(),
        );
        if share == 0.01 {
            let mut bytes = Vec::new();
            let save = median(1, || bytes = pack.herd.save().expect("nobody is poisoned"));
            let load = median(1, || {
                black_box(Herd::load(pack.herd.tree().clone(), &bytes).is_ok());
            });
            println!(
                "  {:<34} {save:>9.1}   {load:.1} to load, {:.1} bytes an agent",
                "snapshot of that herd",
                bytes.len() as f64 / agents as f64
            );
        }
    }
}
