//! Sleepers that are touched, against lone agents: keys of every kind of number, resume points
//! of every width, and guards that panic while they are only looked at.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::nodes::Preempt;
use tickseed_core::{
    Agent, Context, Cx, EventOptions, Guard, Herd, Key, KeyId, Leaf, Node, Outcome, Place, Rng,
    Scalar, Status, Time, Tree, nodes,
};

/// Among the first 64 of the context and not, and of the tree's own and not.
const KEYS: [u16; 4] = [63, 64, 0x8000 + 63, 0x8000 + 64];
/// Guards that read this panic.
const POISON: i64 = 13;

#[derive(Default)]
struct World {
    keys: [i64; 4],
    log: Vec<String>,
}

impl World {
    fn say(&mut self, what: &str, who: u32) {
        self.log.push(format!("{what} {who}"));
    }
}

impl Context for World {
    type At<'a> = World;
    fn read(at: &World, key: KeyId) -> Option<Scalar> {
        let i = KEYS.iter().position(|k| *k == key.0)?;
        assert_ne!(at.keys[i], POISON, "as asked");
        Some(Scalar::Int(at.keys[i]))
    }
}

fn key(i: usize) -> Key<World, i64> {
    Key::new(KeyId(KEYS[i]), Place::Call)
}

/// Runs until its key is 4 or 5.
struct Waiter {
    me: u32,
    key: usize,
}

impl Leaf<World> for Waiter {
    type State = ();

    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_, World>) -> Outcome {
        cx.say("start", self.me);
        Ok(Status::Running)
    }

    fn tick(&self, (): &mut (), cx: &mut Cx<'_, '_, World>) -> Outcome {
        let status = match cx.keys[self.key] {
            4 => Status::Success,
            5 => Status::Failure,
            _ => return Ok(Status::Running),
        };
        cx.say("end", self.me);
        Ok(status)
    }

    fn halt(&self, (): &mut (), cx: &mut Cx<'_, '_, World>) {
        cx.say("halt", self.me);
    }
}

/// An agent of a herd and a lone one, with a world each.
struct Both {
    tree: Arc<Tree<World>>,
    herd: Herd<World>,
    lone: Agent,
    worlds: [World; 2],
    last: Option<Status>,
    left_out: u32,
}

impl Both {
    fn new(tree: Tree<World>) -> Both {
        let tree = Arc::new(tree);
        let mut herd = Herd::new(tree.clone());
        herd.use_events(EventOptions {
            granularity: Duration::from_nanos(1),
        });
        herd.spawn().unwrap();
        Both {
            lone: tree.agent(),
            tree,
            herd,
            worlds: Default::default(),
            last: None,
            left_out: 0,
        }
    }

    /// Whether the agent slept until then.
    fn set(&mut self, key: usize, value: i64) -> bool {
        let agent = self.herd.at(0).unwrap();
        let slept = self.herd.is_asleep(agent).unwrap();
        self.worlds.iter_mut().for_each(|w| w.keys[key] = value);
        self.herd.touch(agent, KeyId(KEYS[key])).unwrap();
        slept
    }

    /// Whether both ticks panicked, which is then made good.
    fn tick(&mut self, now: Time) -> bool {
        let Both {
            tree, herd, lone, ..
        } = self;
        let [world, of_herd] = &mut self.worlds;
        let agent = herd.at(0).unwrap();
        let mut got = None;
        herd.tick_due(now, |turn| {
            let tick = AssertUnwindSafe(|| turn.tick(of_herd).unwrap());
            got = Some(catch_unwind(tick).ok());
        });
        let wanted = AssertUnwindSafe(|| tree.tick(lone, world, now).unwrap());
        let wanted = catch_unwind(wanted).ok();
        self.left_out += u32::from(got.is_none());
        assert_eq!(got.unwrap_or(self.last), wanted);
        self.last = wanted;
        let panicked = wanted.is_none();
        if panicked {
            for value in world.keys.iter_mut().chain(&mut of_herd.keys) {
                *value = if *value == POISON { 0 } else { *value };
            }
            tree.recover(lone, world, now).unwrap();
            herd.recover(agent, of_herd, now).unwrap();
        }
        assert_eq!(of_herd.log, world.log);
        assert_eq!(herd.running(agent).unwrap(), tree.running(lone));
        assert_eq!(herd.history(agent).unwrap(), tree.history(lone));
        [world, of_herd].into_iter().for_each(|w| w.log.clear());
        panicked
    }
}

/// A row of waits and a sleeper, behind guards on all the keys.
fn row(waits: usize) -> Tree<World> {
    let n = nodes::<World>();
    let flee = |i| {
        let flee = n.instant("flee", move |w| w.say("flee", i as u32));
        n.sequence([n.check(key(i).lt(-5)), flee])
    };
    let waits = (0..waits).map(|_| n.wait(Duration::from_nanos(100)));
    let sleeper = n.leaf("sleep", Waiter { me: 9, key: 0 }).sleeps();
    let row = n.sequence(waits.chain([sleeper]));
    n.selector((0..4).map(flee).chain([row]))
        .reactive()
        .build()
        .unwrap()
}

#[test]
fn any_key_is_told_apart_at_any_resume_point() {
    for waits in [3, 253, 254, 255, 256, 300] {
        let mut both = Both::new(row(waits));
        let mut rng = Rng::new(waits as u64);
        let mut touched = 0;
        for step in 0..waits as u64 * 3 + 100 {
            if rng.below(4) == 0 {
                let value = if rng.below(300) == 0 { -9 } else { 0 };
                let slept = both.set(rng.below(4) as usize, value);
                touched += u32::from(slept);
            }
            both.tick(Time(step * 40));
        }
        assert!(touched > 20 && both.left_out > 50, "{waits}: {touched}");
    }
}

/// Random trees of everything that a look follows or must not.
struct Grow {
    rng: Rng,
    names: u32,
}

impl Grow {
    fn one_of<const N: usize>(&mut self, of: [u64; N]) -> Duration {
        Duration::from_nanos(of[self.rng.below(N as u64) as usize])
    }

    fn leaf(&mut self) -> Node<World> {
        let n = nodes::<World>();
        self.names += 1;
        if self.rng.below(4) == 0 {
            return n.wait(self.one_of([5, 50, 500]));
        }
        let (me, key) = (self.names, self.rng.below(4) as usize);
        n.leaf("leaf", Waiter { me, key })
            .wakes_on([KeyId(KEYS[key])])
    }

    fn guard(&mut self) -> Guard<World> {
        let (key, value) = (key(self.rng.below(4) as usize), self.rng.below(4) as i64);
        match self.rng.below(3) {
            0 => key.lt(value),
            1 => key.ge(value),
            _ => key.eq(value),
        }
    }

    fn condition(&mut self) -> Node<World> {
        let n = nodes::<World>();
        if self.rng.below(2) == 0 {
            return n.check(self.guard());
        }
        let (key, value) = (self.rng.below(4) as usize, self.rng.below(4) as i64);
        let asked = move |w: &World| {
            assert_ne!(w.keys[key], POISON, "as asked");
            w.keys[key] < value
        };
        n.condition("asked", asked).reads([KeyId(KEYS[key])])
    }

    fn children(&mut self, depth: u64) -> Vec<Node<World>> {
        (0..2 + self.rng.below(2))
            .map(|_| self.tree(depth - 1))
            .collect()
    }

    fn tree(&mut self, depth: u64) -> Node<World> {
        let n = nodes::<World>();
        if depth == 0 {
            return match self.rng.below(3) {
                0 => self.condition(),
                _ => self.leaf(),
            };
        }
        match self.rng.below(13) {
            0 => n.sequence(self.children(depth)),
            1 => n.selector(self.children(depth)),
            2..=4 => {
                let first = n.sequence([self.condition(), self.tree(depth - 1)]);
                let all = [first].into_iter().chain(self.children(depth));
                let preempt = [Preempt::BeforeStart, Preempt::AfterStart];
                let when = preempt[self.rng.below(2) as usize];
                n.selector(all).reactive().preempt(when)
            }
            5 => {
                let first = self.condition();
                n.sequence([first].into_iter().chain(self.children(depth)))
                    .reactive()
            }
            6 => n.while_guard(self.guard(), self.tree(depth - 1)),
            7 => n.time_limit(self.one_of([30, 300]), self.tree(depth - 1)),
            8 => n
                .cooldown(self.one_of([30, 300]), self.tree(depth - 1))
                .refund_on_halt(),
            9 => {
                self.names += 1;
                let me = self.names;
                let hook = move |cx: &mut Cx<'_, '_, World>| cx.say("hook", me);
                n.on_halted(hook, self.tree(depth - 1))
            }
            10 => n.parallel(self.children(depth)),
            11 => {
                let condition = self.condition();
                n.while_do_else(condition, self.tree(depth - 1), self.tree(depth - 1))
            }
            _ => n.precondition(self.guard(), Status::Failure, self.tree(depth - 1)),
        }
    }
}

#[test]
fn a_guard_that_panics_in_a_look_does_what_it_does_in_a_tick() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or_default();
        if !text.ends_with("as asked\n  left: 13\n right: 13") {
            usual(info);
        }
    }));
    let (mut left_out, mut asleep, mut panics) = (0, 0, 0);
    for seed in 0..1500 {
        let mut grow = Grow {
            rng: Rng::new(seed),
            names: 0,
        };
        let depth = 1 + grow.rng.below(4);
        let Ok(tree) = grow.tree(depth).build() else {
            continue;
        };
        let (mut both, mut rng) = (Both::new(tree), grow.rng);
        let mut now = Time(rng.below(3) * 1000);
        for _ in 0..60 {
            now = Time(now.0 + [0, 1, 5, 20, 100, 1000][rng.below(6) as usize]);
            let mut slept = false;
            if rng.below(2) == 0 {
                let value = match rng.below(10) {
                    0 => POISON,
                    n => n as i64 % 6,
                };
                slept = both.set(rng.below(4) as usize, value);
            }
            if both.tick(now) {
                panics += 1;
                asleep += u32::from(slept);
            }
        }
        left_out += both.left_out;
    }
    println!("{left_out} ticks left out, {panics} panics, {asleep} of those who slept");
    assert!(left_out > 10_000 && asleep > 100);
}
