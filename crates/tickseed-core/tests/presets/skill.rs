//! Document 000: nodes with a current child; reset goes to every node below.

use tickseed_core::presets::{Require, skill};
use tickseed_core::{Node, Rng, Status, Time};

use crate::harness::{Draw, Event, Oracle, Shape, TICKS, World, compare, leaf, ms};

use Status::{Failure, Running, Success};

struct Part {
    shape: Shape,
    /// The current child, the running child plus one, or rounds done.
    current: usize,
    /// For a leaf: its last answer was running and it was not reset since.
    runs: bool,
    children: Vec<Part>,
}

impl Part {
    fn walk(&mut self, w: &mut World, goes_on: Status) -> Status {
        while self.current < self.children.len() {
            match self.children[self.current].tick(w) {
                Running => return Running,
                s if s == goes_on => self.current += 1,
                s => {
                    self.current = 0;
                    return s;
                }
            }
        }
        self.current = 0;
        goes_on
    }
}

impl Oracle for Part {
    fn new(shape: &Shape) -> Self {
        Part {
            shape: shape.clone(),
            current: 0,
            runs: false,
            children: shape.children().iter().map(Part::new).collect(),
        }
    }

    fn reset(&mut self, w: &mut World) -> bool {
        if let Shape::Leaf(i) = self.shape
            && self.runs
        {
            w.log.push(Event::Halt(i));
        }
        self.runs = false;
        self.current = 0;
        for c in &mut self.children {
            c.reset(w);
        }
        true
    }

    fn tick(&mut self, w: &mut World) -> Status {
        match self.shape.clone() {
            Shape::Leaf(i) => {
                let status = w.call(i);
                self.runs = status == Running;
                status
            }
            Shape::Sequence(_) => self.walk(w, Success),
            Shape::Selector(_) => self.walk(w, Failure),
            Shape::ReactiveSelector(_) => {
                for i in 0..self.children.len() {
                    let status = self.children[i].tick(w);
                    if status == Failure {
                        continue;
                    }
                    if self.current != 0 && self.current != i + 1 {
                        self.children[self.current - 1].reset(w);
                    }
                    self.current = if status == Running { i + 1 } else { 0 };
                    return status;
                }
                self.current = 0;
                Failure
            }
            Shape::Parallel(success_all, failure_all, _) => {
                let all: Vec<_> = self.children.iter_mut().map(|c| c.tick(w)).collect();
                let count = |s| all.iter().filter(|x| **x == s).count();
                let (successes, failures) = (count(Success), count(Failure));
                let enough = |n, takes_all| if takes_all { n == all.len() } else { n > 0 };
                match () {
                    () if enough(failures, failure_all) => Failure,
                    () if enough(successes, success_all) => Success,
                    () => Running,
                }
            }
            Shape::Invert(_) => self.children[0].tick(w).inverted(),
            Shape::Force(true, _) => match self.children[0].tick(w) {
                Running => Running,
                _ => Success,
            },
            Shape::Repeat(n, _) => match self.children[0].tick(w) {
                Running => Running,
                Failure => {
                    self.current = 0;
                    Failure
                }
                _ => {
                    self.current += 1;
                    // One in three of the drawn numbers stands for "for ever".
                    if n > 1 && self.current >= n as usize {
                        self.current = 0;
                        return Success;
                    }
                    self.children[0].reset(w);
                    Running
                }
            },
            other => unreachable!("document 000 has no {other:?} here"),
        }
    }
}

fn build(shape: &Shape) -> Node<World> {
    let n = skill::<World>();
    let all = |c: &[Shape]| c.iter().map(build).collect::<Vec<_>>();
    let require = |all| if all { Require::All } else { Require::One };
    match shape {
        Shape::Leaf(i) => leaf(*i),
        Shape::Sequence(c) => n.sequence(all(c)),
        Shape::Selector(c) => n.selector(all(c)),
        Shape::ReactiveSelector(c) => n.reactive_selector(all(c)),
        Shape::Parallel(s, f, c) => n.parallel(require(*s), require(*f), all(c)),
        Shape::Invert(c) => n.inverter(build(c)),
        Shape::Force(_, c) => n.force_success(build(c)),
        Shape::Repeat(k, c) => n.repeat(if *k > 1 { *k as i32 } else { -1 }, build(c)),
        other => unreachable!("document 000 has no {other:?} here"),
    }
}

fn draw(kinds: &[u8], seed: u64) -> Draw<'_> {
    Draw {
        rng: Rng::new(seed),
        kinds,
        least: 0,
        flat_parallel: true,
        leaves: 0,
    }
}

/// Statuses, ticks and resets of running leaves in order, with resets from outside.
#[test]
fn ticks_as_document_000() {
    let ticks = compare::<Part>(draw(b"sfFir", 5), 3000, build, |_| true);
    assert_eq!(ticks, 3000 * TICKS as u64);
}

/// With parallels of leaves: those left running there are not reset, so only ticks and
/// statuses are compared.
#[test]
fn ticks_as_document_000_with_parallels() {
    let ticks = compare::<Part>(draw(b"sfFpir", 6), 3000, build, |e| {
        matches!(e, Event::Tick(_))
    });
    assert_eq!(ticks, 3000 * TICKS as u64);
}

#[track_caller]
fn statuses(node: Node<World>, steps: &[u64], expected: &[Status]) {
    let tree = node.build().unwrap();
    let (mut agent, mut w) = (tree.agent(), World::default());
    w.script = vec![[Success; TICKS]; 2];
    let found: Vec<_> = steps
        .iter()
        .map(|now| {
            tree.tick(&mut agent, &mut w, Time::from_millis(*now))
                .unwrap()
        })
        .collect();
    assert_eq!(found, expected);
}

/// The listing's wait does not arm itself again; the preset's usual one does.
#[test]
fn waits() {
    let n = skill::<World>();
    let steps = [0, 100, 200, 300, 400];
    statuses(
        n.wait_unarmed(ms(200)),
        &steps,
        &[Running, Running, Success, Success, Success],
    );
    statuses(
        n.wait(ms(200)),
        &steps,
        &[Running, Running, Success, Running, Success],
    );
}

/// A cooldown starts on success, and the boundary belongs to it being open.
#[test]
fn cooldown() {
    let n = skill::<World>();
    let steps = [0, 799, 800, 801];
    statuses(
        n.cooldown(ms(800), leaf(0)),
        &steps,
        &[Success, Failure, Success, Failure],
    );
}
