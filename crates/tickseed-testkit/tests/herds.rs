//! Herds whose agents sleep, through everything that can be done to a herd, against lone agents
//! that are ticked whenever the herd has a tick.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{
    Agent, EventOptions, Handle, Herd, HerdOptions, KeyId, Rng, Status, TickError, TickReport,
    Ticker, Time, Tree,
};
use tickseed_testkit::random::{Spec, smallest};
use tickseed_testkit::script::World;

/// How a tick ended.
#[derive(Clone, PartialEq, Debug)]
enum End {
    Answered(Status),
    Failed,
    Panicked,
}

fn end(result: std::thread::Result<Result<Status, TickError>>) -> End {
    match result {
        Ok(Ok(status)) => End::Answered(status),
        Err(_) => End::Panicked,
        Ok(Err(_)) => End::Failed,
    }
}

/// Calls again until no hook panics.
fn insist(mut f: impl FnMut()) {
    while catch_unwind(AssertUnwindSafe(&mut f)).is_err() {}
}

struct Pair {
    agent: Agent,
    world: World,
    handle: Handle,
    herd_world: World,
    last: Option<End>,
}

#[derive(Default)]
struct Count {
    ticks: u64,
    left_out: u64,
    panics: u64,
    /// Ticks that a panic of the caller's closure cut short, and agents despawned in their turn.
    cut: u64,
    gone: u64,
    done: [u64; 12],
}

struct Both {
    tree: Arc<Tree<World>>,
    herd: Herd<World>,
    pairs: Vec<Option<Pair>>,
    rng: Rng,
    now: Time,
    boxed: bool,
    fails: (bool, bool),
    born: u64,
    count: Count,
}

impl Both {
    fn new(tree: Tree<World>, spec: &Spec, seed: u64) -> Both {
        let tree = Arc::new(tree);
        let mut rng = Rng::new(seed ^ 0xbeef);
        let options = HerdOptions {
            streams: true,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(tree.clone(), options);
        let granularity = Duration::from_nanos([1, 1, 4, 1 << 20][rng.below(4) as usize]);
        herd.use_events(EventOptions { granularity });
        let agents = [1, 2, 4, 65][rng.below(4) as usize];
        let begin = [0, 7, 1_000_000, (1 << 56) - 40, (7 << 56) - 60][rng.below(5) as usize];
        let mut both = Both {
            tree,
            herd,
            pairs: Vec::new(),
            now: Time(begin),
            boxed: format!("{spec:?}").contains("Boxed"),
            fails: (seed % 3 == 1, seed % 3 == 2),
            born: seed * 1000,
            count: Count::default(),
            rng,
        };
        (0..agents).for_each(|_| both.spawn());
        both
    }

    fn spawn(&mut self) {
        self.born += 1;
        let seed = self.born;
        let world = || {
            let mut world = World::seeded(seed);
            world.allow_errors(self.fails.0);
            world.allow_panics(self.fails.1);
            world
        };
        let handle = self.herd.spawn_seeded(seed).unwrap();
        let pair = Pair {
            agent: self.tree.agent_seeded(seed),
            world: world(),
            handle,
            herd_world: world(),
            last: None,
        };
        let i = handle.index as usize;
        if i == self.pairs.len() {
            self.pairs.push(None);
        }
        assert!(self.pairs[i].replace(pair).is_none());
    }

    fn step(&mut self) -> Result<(), String> {
        let steps = [0, 1, 1, 2, 3, 5, 5, 10, 10, 20, 60, 2000];
        self.now = Time(self.now.0 + steps[self.rng.below(12) as usize]);
        if self.rng.below(30) == 0 {
            self.now = Time(self.now.0.saturating_sub(4));
        }
        for pair in self.pairs.iter_mut().flatten() {
            pair.world.clear();
            pair.herd_world.clear();
        }
        for i in 0..self.pairs.len() {
            self.change(i);
        }
        self.meddle()?;
        match self.rng.below(12) {
            0 => self.tick_all(),
            1 => self.tick_one(),
            _ => self.tick_due(),
        }
    }

    fn change(&mut self, i: usize) {
        let Some(pair) = &mut self.pairs[i] else {
            return;
        };
        match self.rng.below(24) {
            0..=4 => {
                let among = if self.rng.below(3) == 0 { 12 } else { 4 };
                let key = [0, 1, 2, 3, 11, 4, 5, 6, 7, 8, 9, 10][self.rng.below(among) as usize];
                let value = self.rng.below(256);
                pair.world.change_key(key, value);
                pair.herd_world.change_key(key, value);
                self.herd.touch(pair.handle, KeyId(key as u16)).unwrap();
            }
            5 => {
                let key = [0, 1, 2, 3, 11][self.rng.below(5) as usize];
                self.herd.touch(pair.handle, KeyId(key)).unwrap();
            }
            6 => {
                let started = pair.world.started();
                if !started.is_empty() {
                    let who = started[self.rng.below(started.len() as u64) as usize];
                    let status = [Status::Success, Status::Failure][self.rng.below(2) as usize];
                    pair.world.complete(who, status);
                    pair.herd_world.complete(who, status);
                    self.herd.wake(pair.handle).unwrap();
                }
            }
            7 if self.rng.below(4) == 0 => {
                let (now, reset) = (self.now, self.rng.below(2) == 0);
                let (tree, herd) = (&self.tree, &mut self.herd);
                let lone = catch_unwind(AssertUnwindSafe(|| {
                    if reset {
                        tree.reset(&mut pair.agent, &mut pair.world, now).unwrap();
                    } else {
                        tree.halt(&mut pair.agent, &mut pair.world, now).unwrap();
                    }
                }));
                let many = catch_unwind(AssertUnwindSafe(|| {
                    if reset {
                        herd.reset(pair.handle, &mut pair.herd_world, now).unwrap();
                    } else {
                        herd.halt(pair.handle, &mut pair.herd_world, now).unwrap();
                    }
                }));
                assert_eq!(lone.is_err(), many.is_err());
                if lone.is_err() {
                    insist(|| {
                        tree.recover(&mut pair.agent, &mut pair.world, now).unwrap();
                    });
                    insist(|| {
                        herd.recover(pair.handle, &mut pair.herd_world, now)
                            .unwrap();
                    });
                }
                pair.last = None;
            }
            _ => {}
        }
    }

    /// Something is done to the herd as a whole.
    fn meddle(&mut self) -> Result<(), String> {
        let what = self.rng.below(24) as usize;
        match what {
            0 => {
                // Despawned and spawned again, as a rule in the same slot.
                let i = self.rng.below(self.pairs.len() as u64) as usize;
                if let Some(mut pair) = self.pairs[i].take() {
                    let now = self.now;
                    let gone = catch_unwind(AssertUnwindSafe(|| {
                        let _ = self.herd.despawn(pair.handle, &mut pair.herd_world, now);
                    }));
                    if gone.is_ok() && !pair.herd_world.started().is_empty() {
                        return Err("a despawned agent runs on".into());
                    }
                    assert!(!self.herd.contains(pair.handle));
                    if self.rng.below(2) == 0 {
                        self.spawn();
                    }
                }
            }
            1 if self.rng.below(2) == 0 => self.spawn(),
            2 if !self.boxed => {
                let bytes = self.herd.save().unwrap();
                let herd = Herd::load(self.tree.clone(), &bytes).unwrap();
                self.take_over(herd);
            }
            3 if !self.boxed => {
                let snapshot = self.herd.snapshot().unwrap();
                let (herd, report) =
                    Herd::from_snapshot(self.tree.clone(), &snapshot, self.now).unwrap();
                assert!(report.is_clean(), "{report}");
                self.take_over(herd);
            }
            4 => {
                let report = self.herd.reload(self.tree.clone(), self.now, |_| {});
                if !report.is_clean() {
                    return Err(format!("{report}"));
                }
            }
            5 => {
                let key = [0, 1, 2, 3, 11][self.rng.below(5) as usize];
                let value = self.rng.below(256);
                for pair in self.pairs.iter_mut().flatten() {
                    pair.world.change_key(key, value);
                    pair.herd_world.change_key(key, value);
                }
                self.herd.touch_all(KeyId(key as u16));
            }
            6 if self.rng.below(3) == 0 => self.herd.wake_all(),
            7 if self.rng.below(3) == 0 => {
                let granularity = Duration::from_nanos(1 << self.rng.below(12));
                self.herd.use_events(EventOptions { granularity });
            }
            _ => return Ok(()),
        }
        self.count.done[what] += 1;
        Ok(())
    }

    fn take_over(&mut self, herd: Herd<World>) {
        for pair in self.pairs.iter_mut().flatten() {
            let Handle {
                index, generation, ..
            } = pair.handle;
            pair.handle = herd.handle(index, generation).unwrap();
        }
        self.herd = herd;
    }

    fn tick_due(&mut self) -> Result<(), String> {
        let now = self.now;
        let mut got: Vec<Option<End>> = vec![None; self.pairs.len()];
        let mut missed = vec![false; self.pairs.len()];
        let mut gone = Vec::new();
        let clumsy = self.rng.below(8) == 0;
        let (pairs, rng) = (&mut self.pairs, &mut self.rng);
        let mut report = TickReport::new();
        let mut turn = |agent: Ticker<'_, '_, World>| {
            let i = agent.index();
            let pair = pairs[i].as_mut().unwrap();
            assert_eq!(pair.handle, agent.handle());
            match rng.below(16) {
                0 => missed[i] = true,
                1 => {
                    let world = &mut pair.herd_world;
                    let tick = AssertUnwindSafe(|| agent.tick_traced(world, &mut report));
                    got[i] = Some(end(catch_unwind(tick)));
                }
                2 if clumsy => {
                    missed[i] = true;
                    panic!("the closure panics as scripted");
                }
                3 if clumsy => {
                    gone.push(i);
                    let world = &mut pair.herd_world;
                    let _ = catch_unwind(AssertUnwindSafe(|| agent.despawn(world)));
                }
                _ => {
                    let tick = AssertUnwindSafe(|| agent.tick(&mut pair.herd_world));
                    got[i] = Some(end(catch_unwind(tick)));
                }
            }
        };
        let herd = &mut self.herd;
        let ticked = catch_unwind(AssertUnwindSafe(|| herd.tick_due(now, &mut turn)));
        let cut = ticked.is_err();
        self.count.cut += u64::from(cut);
        self.count.gone += gone.len() as u64;
        for i in gone {
            if let Some(pair) = self.pairs[i].take() {
                assert!(!self.herd.contains(pair.handle));
            }
        }
        for i in 0..got.len() {
            let had_no_turn = got[i].is_none() && cut;
            if !missed[i] && !had_no_turn {
                self.compare(i, got[i].take(), true)?;
            }
        }
        Ok(())
    }

    fn tick_all(&mut self) -> Result<(), String> {
        let now = self.now;
        let mut got: Vec<Option<End>> = vec![None; self.pairs.len()];
        let (pairs, rng) = (&mut self.pairs, &mut self.rng);
        let frames = rng.below(3) as usize;
        let mut turn = |agent: Ticker<'_, '_, World>| {
            let i = agent.index();
            let pair = pairs[i].as_mut().unwrap();
            if rng.below(4) != 0 {
                {
                    let tick = AssertUnwindSafe(|| agent.tick(&mut pair.herd_world));
                    got[i] = Some(end(catch_unwind(tick)));
                };
            }
        };
        if frames == 0 {
            self.herd.tick_all(now, &mut turn);
        } else {
            self.herd.tick_bucket(1, frames, now, &mut turn);
        }
        for (i, got) in got.into_iter().enumerate() {
            if got.is_some() {
                self.compare(i, got, false)?;
            }
        }
        Ok(())
    }

    fn tick_one(&mut self) -> Result<(), String> {
        let (now, i) = (self.now, self.rng.below(self.pairs.len() as u64) as usize);
        if let Some(pair) = &mut self.pairs[i] {
            let (herd, world) = (&mut self.herd, &mut pair.herd_world);
            let tick = AssertUnwindSafe(|| herd.tick(pair.handle, world, now));
            let got = match catch_unwind(tick) {
                Ok(Ok(status)) => End::Answered(status),
                Ok(Err(_)) => End::Failed,
                Err(_) => End::Panicked,
            };
            self.compare(i, Some(got), false)?;
        }
        Ok(())
    }

    /// Ticks the lone agent.
    fn compare(&mut self, i: usize, got: Option<End>, may_sleep: bool) -> Result<(), String> {
        let Some(pair) = &mut self.pairs[i] else {
            return Ok(());
        };
        let (tree, now) = (&self.tree, self.now);
        let wanted = end(catch_unwind(AssertUnwindSafe(|| {
            tree.tick(&mut pair.agent, &mut pair.world, now)
        })));
        self.count.ticks += 1;
        let same = match &got {
            None => {
                self.count.left_out += 1;
                may_sleep && pair.last.as_ref() == Some(&wanted)
            }
            Some(got) => *got == wanted,
        };
        let events = format!(
            "agent {i}: {got:?}\n  {}\ninstead of {wanted:?}\n  {}",
            pair.herd_world.events_text(),
            pair.world.events_text()
        );
        if !same || pair.world.events() != pair.herd_world.events() {
            return Err(events);
        }
        pair.last = Some(wanted.clone());
        if !matches!(wanted, End::Answered(_)) {
            self.count.panics += 1;
            let herd = &mut self.herd;
            insist(|| tree.recover(&mut pair.agent, &mut pair.world, now).unwrap());
            insist(|| {
                herd.recover(pair.handle, &mut pair.herd_world, now)
                    .unwrap();
            });
            pair.last = None;
        }
        let broken = [pair.world.broken(), pair.herd_world.broken()].concat();
        if !broken.is_empty() {
            return Err(broken.join("; "));
        }
        if pair.world.events() != pair.herd_world.events() {
            return Err(format!("recovery: {events}"));
        }
        let got = self.herd.running(pair.handle).unwrap();
        let wanted = self.tree.running(&pair.agent);
        if got != wanted {
            return Err(format!("agent {i}: {got:?} run instead of {wanted:?}"));
        }
        let got = self.herd.history(pair.handle).unwrap();
        let wanted = self.tree.history(&pair.agent);
        if got != wanted {
            return Err(format!(
                "agent {i}: {got:?} remembered instead of {wanted:?}"
            ));
        }
        if self.herd.rng(pair.handle).unwrap() != Some(pair.agent.rng()) {
            return Err("the random streams differ".into());
        }
        Ok(())
    }
}

fn run(spec: &Spec, seed: u64) -> Result<Count, String> {
    let tree = spec.build_lenient().map_err(|e| e.to_string())?;
    let all = catch_unwind(AssertUnwindSafe(|| {
        let mut both = Both::new(tree, spec, seed);
        for step in 0..40 {
            both.step().map_err(|e| format!("step {step}: {e}"))?;
        }
        Ok(both.count)
    }));
    all.unwrap_or_else(|_| Err("panicked".into()))
}

#[test]
fn sleeping_herds_survive_whatever_is_done_to_them() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or_default();
        if !text.ends_with("panics as scripted") {
            usual(info);
        }
    }));
    let long = std::env::var_os("TICKSEED_LONG").is_some_and(|v| v != "0");
    let trees = if long { 20_000 } else { 600 };
    let first: u64 = std::env::var("TICKSEED_SEED").map_or(0, |s| s.parse().unwrap());
    let mut all = Count::default();
    for seed in first..first + trees {
        let spec = Spec::random_sleepy(seed, 1 + seed as usize % 5);
        match run(&spec, seed) {
            Ok(count) => {
                all.ticks += count.ticks;
                all.left_out += count.left_out;
                all.panics += count.panics;
                all.cut += count.cut;
                all.gone += count.gone;
                for (sum, n) in all.done.iter_mut().zip(count.done) {
                    *sum += n;
                }
            }
            Err(message) => {
                let (spec, message) = smallest(spec, message, |s| run(s, seed).err());
                panic!("seed {seed}: {message}\n{spec:?}");
            }
        }
    }
    println!(
        "{} ticks, {} left out, {} failed, {} cut short, {} despawned; {:?}",
        all.ticks, all.left_out, all.panics, all.cut, all.gone, all.done
    );
    assert!(all.left_out * 6 > all.ticks && all.panics > 100);
    assert!(all.cut > 100 && all.gone > 100);
}
