//! Random trees, scripted leaves, and what both sides log.

use std::time::Duration;

use tickseed_core::{Context, Node, Rng, Status, Time, Tree, nodes};

pub(crate) const TICKS: usize = 24;

/// What happened, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    Tick(usize),
    Halt(usize),
}

/// The surroundings of a run: what each leaf answers at each tick, and the log.
#[derive(Clone, Default, Debug)]
pub(crate) struct World {
    pub(crate) script: Vec<[Status; TICKS]>,
    pub(crate) tick: usize,
    pub(crate) now_ms: u64,
    pub(crate) log: Vec<Event>,
}

impl Context for World {
    type At<'a> = World;
}

impl World {
    pub(crate) fn call(&mut self, leaf: usize) -> Status {
        self.log.push(Event::Tick(leaf));
        self.script[leaf][self.tick]
    }
}

/// A tree of any of the documents. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Leaf(usize),
    Wait(u64),
    Sequence(Vec<Shape>),
    Selector(Vec<Shape>),
    ReactiveSequence(Vec<Shape>),
    ReactiveSelector(Vec<Shape>),
    /// Success takes all, failure takes all; what that means is the document's.
    Parallel(bool, bool, Vec<Shape>),
    Invert(Box<Shape>),
    Force(bool, Box<Shape>),
    UntilSuccess(Box<Shape>),
    UntilFailure(Box<Shape>),
    Repeat(u32, Box<Shape>),
    Retry(u32, Box<Shape>),
    Forever(Box<Shape>),
    Cooldown(u64, Box<Shape>),
    RateLimit(u64, Box<Shape>),
    TimeLimit(u64, Box<Shape>),
}

impl Shape {
    pub(crate) fn children(&self) -> &[Shape] {
        match self {
            Shape::Leaf(_) | Shape::Wait(_) => &[],
            Shape::Sequence(c)
            | Shape::Selector(c)
            | Shape::ReactiveSequence(c)
            | Shape::ReactiveSelector(c)
            | Shape::Parallel(_, _, c) => c,
            Shape::Invert(c)
            | Shape::Force(_, c)
            | Shape::UntilSuccess(c)
            | Shape::UntilFailure(c)
            | Shape::Repeat(_, c)
            | Shape::Retry(_, c)
            | Shape::Forever(c)
            | Shape::Cooldown(_, c)
            | Shape::RateLimit(_, c)
            | Shape::TimeLimit(_, c) => std::slice::from_ref(c),
        }
    }
}

/// The kinds that a document has, by letter, for drawing trees.
pub(crate) struct Draw<'d> {
    pub(crate) rng: Rng,
    pub(crate) kinds: &'d [u8],
    /// Fewest children of a composite.
    pub(crate) least: u64,
    /// The children of a parallel are leaves.
    pub(crate) flat_parallel: bool,
    pub(crate) leaves: usize,
}

impl Draw<'_> {
    pub(crate) fn tree(&mut self, depth: u32) -> Shape {
        if depth == 0 || self.rng.below(6) == 0 {
            return self.leaf();
        }
        let kind = self.kinds[self.rng.below(self.kinds.len() as u64) as usize];
        let many = |d: &mut Self, depth| {
            let n = d.least + d.rng.below(4 - d.least);
            (0..n).map(|_| d.tree(depth)).collect::<Vec<_>>()
        };
        let one = |d: &mut Self| Box::new(d.tree(depth - 1));
        let ms = 50 * (1 + self.rng.below(4));
        let count = 1 + self.rng.below(3) as u32;
        match kind {
            b's' => Shape::Sequence(many(self, depth - 1)),
            b'f' => Shape::Selector(many(self, depth - 1)),
            b'S' => Shape::ReactiveSequence(many(self, depth - 1)),
            b'F' => Shape::ReactiveSelector(many(self, depth - 1)),
            b'p' => {
                let (success, failure) = (self.rng.below(2) == 0, self.rng.below(2) == 0);
                let below = if self.flat_parallel { 0 } else { depth - 1 };
                Shape::Parallel(success, failure, many(self, below))
            }
            b'i' => Shape::Invert(one(self)),
            b'o' => Shape::Force(self.rng.below(2) == 0, one(self)),
            b'u' => Shape::UntilSuccess(one(self)),
            b'v' => Shape::UntilFailure(one(self)),
            b'r' => Shape::Repeat(count, one(self)),
            b't' => Shape::Retry(count, one(self)),
            b'e' => Shape::Forever(one(self)),
            b'c' => Shape::Cooldown(ms, one(self)),
            b'l' => Shape::RateLimit(ms, one(self)),
            b'm' => Shape::TimeLimit(ms, one(self)),
            b'w' => Shape::Wait(ms - 50),
            other => unreachable!("no kind is called {other}"),
        }
    }

    fn leaf(&mut self) -> Shape {
        self.leaves += 1;
        Shape::Leaf(self.leaves - 1)
    }

    pub(crate) fn world(&mut self) -> World {
        let all = [Status::Success, Status::Failure, Status::Running];
        let mut one = || all[self.rng.below(3) as usize];
        World {
            script: (0..self.leaves)
                .map(|_| std::array::from_fn(|_| one()))
                .collect(),
            ..World::default()
        }
    }
}

/// A scripted leaf of the engine.
pub(crate) fn leaf(i: usize) -> Node<World> {
    nodes::<World>()
        .action(format!("leaf {i}"), move |w| w.call(i))
        .on_halt(move |w| w.log.push(Event::Halt(i)))
}

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A document's interpreter.
pub(crate) trait Oracle {
    fn new(shape: &Shape) -> Self;
    fn tick(&mut self, w: &mut World) -> Status;
    /// The whole tree is reset from outside; `false` if the document has no such thing.
    fn reset(&mut self, _w: &mut World) -> bool {
        false
    }
    /// Whether the document's behaviour is well defined so far.
    fn well_defined(&self) -> bool {
        true
    }
}

/// Compares a preset with its oracle on random trees; returns how many ticks were compared.
pub(crate) fn compare<O: Oracle>(
    mut draw: Draw<'_>,
    trees: u32,
    build: fn(&Shape) -> Node<World>,
    compared_events: fn(&Event) -> bool,
) -> u64 {
    let mut compared = 0;
    for _ in 0..trees {
        draw.leaves = 0;
        let shape = draw.tree(4);
        let (mut ours, mut theirs) = (draw.world(), World::default());
        theirs.script = ours.script.clone();
        let tree: Tree<World> = build(&shape).build().expect("a drawn tree must build");
        let (mut agent, mut oracle) = (tree.agent(), O::new(&shape));
        for tick in 0..TICKS {
            let now = ours.now_ms + 50 * draw.rng.below(4);
            for w in [&mut ours, &mut theirs] {
                (w.tick, w.now_ms) = (tick, now);
                w.log.clear();
            }
            if draw.rng.below(8) == 0 && oracle.reset(&mut theirs) {
                tree.halt(&mut agent, &mut ours, Time::from_millis(now))
                    .unwrap();
            }
            let expected = oracle.tick(&mut theirs);
            if !oracle.well_defined() {
                break;
            }
            let status = tree
                .tick(&mut agent, &mut ours, Time::from_millis(now))
                .unwrap();
            let keep = |log: &[Event]| {
                log.iter()
                    .copied()
                    .filter(compared_events)
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                (status, keep(&ours.log)),
                (expected, keep(&theirs.log)),
                "tick {tick} at {now} ms of {shape:#?}\nscripts {:#?}",
                ours.script
            );
            compared += 1;
        }
    }
    compared
}
