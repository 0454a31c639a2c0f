//! Document 003: initialise, update, terminate; abort is shallow, a parallel keeps its
//! children's verdicts. Where those two show, the run is no longer well defined and ends.

use tickseed_core::presets::{Require, classic};
use tickseed_core::{Node, Rng, Status};

use crate::harness::{Draw, Event, Oracle, Shape, World, compare, leaf};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Invalid,
    Is(Status),
    Aborted,
}
use State::Is;
use Status::{Failure, Running, Success};

struct Behaviour {
    shape: Shape,
    state: State,
    /// The sequence's index, the repeat's counter.
    index: usize,
    children: Vec<Behaviour>,
    faulty: bool,
}

impl Behaviour {
    fn running(&self) -> bool {
        self.state == Is(Running)
    }

    fn tick(&mut self, w: &mut World) -> Status {
        if !self.running() {
            self.initialize();
        }
        let status = self.update(w);
        self.state = Is(status);
        if status != Running {
            self.terminate();
        }
        status
    }

    fn initialize(&mut self) {
        match self.shape {
            Shape::Parallel(..) => {
                // Verdicts of an earlier activation are still there.
                self.faulty |= self
                    .children
                    .iter()
                    .any(|c| matches!(c.state, Is(s) if s != Running));
            }
            _ => self.index = 0,
        }
    }

    fn terminate(&mut self) {
        if matches!(self.shape, Shape::Parallel(..)) {
            for c in &mut self.children {
                if c.running() {
                    c.abort();
                }
            }
        }
    }

    fn abort(&mut self) {
        self.terminate();
        self.state = State::Aborted;
        // What runs below is not told; a leaf's answers do not show it, a node's do.
        self.faulty |= self.children.iter().any(Behaviour::hidden);
    }

    fn hidden(&self) -> bool {
        self.running() && !matches!(self.shape, Shape::Leaf(_))
            || self.children.iter().any(Behaviour::hidden)
    }

    fn any_faulty(&self) -> bool {
        self.faulty || self.children.iter().any(Behaviour::any_faulty)
    }

    fn walk(&mut self, w: &mut World, goes_on: Status) -> Status {
        if self.children.is_empty() {
            return Failure;
        }
        while self.index < self.children.len() {
            let status = self.children[self.index].tick(w);
            if status != goes_on {
                return status;
            }
            self.index += 1;
        }
        goes_on
    }

    fn update(&mut self, w: &mut World) -> Status {
        match self.shape.clone() {
            Shape::Leaf(i) => w.call(i),
            Shape::Sequence(_) => self.walk(w, Success),
            Shape::Selector(_) => self.walk(w, Failure),
            Shape::ReactiveSelector(_) => {
                let before = self.index;
                self.index = 0;
                let status = self.walk(w, Failure);
                if before < self.children.len() && self.index != before {
                    self.children[before].abort();
                }
                status
            }
            Shape::Parallel(success_all, failure_all, _) => {
                let (mut successes, mut failures) = (0, 0);
                for c in &mut self.children {
                    if !matches!(c.state, Is(Success | Failure)) {
                        c.tick(w);
                    }
                    if c.state == Is(Success) {
                        successes += 1;
                        if !success_all {
                            return Success;
                        }
                    }
                    if c.state == Is(Failure) {
                        failures += 1;
                        if !failure_all {
                            return Failure;
                        }
                    }
                }
                let n = self.children.len();
                // Mixed verdicts: it would run for ever.
                self.faulty |= successes > 0 && failures > 0;
                match () {
                    () if success_all && successes == n => Success,
                    () if failure_all && failures == n => Failure,
                    () => Running,
                }
            }
            Shape::Repeat(limit, _) => {
                while self.index < limit as usize {
                    match self.children[0].tick(w) {
                        Success => self.index += 1,
                        other => return other,
                    }
                }
                Success
            }
            Shape::Invert(_) => self.children[0].tick(w).inverted(),
            other => unreachable!("document 003 has no {other:?}"),
        }
    }
}

impl Oracle for Behaviour {
    fn new(shape: &Shape) -> Self {
        Behaviour {
            shape: shape.clone(),
            state: State::Invalid,
            index: 0,
            children: shape.children().iter().map(Behaviour::new).collect(),
            faulty: false,
        }
    }
    fn tick(&mut self, w: &mut World) -> Status {
        Behaviour::tick(self, w)
    }
    fn well_defined(&self) -> bool {
        !self.any_faulty()
    }
}

fn build(shape: &Shape) -> Node<World> {
    let n = classic::<World>();
    let all = |c: &[Shape]| c.iter().map(build).collect::<Vec<_>>();
    let require = |all| if all { Require::All } else { Require::One };
    match shape {
        Shape::Leaf(i) => leaf(*i),
        Shape::Sequence(c) => n.sequence(all(c)),
        Shape::Selector(c) => n.selector(all(c)),
        Shape::ReactiveSelector(c) => n.active_selector(all(c)),
        Shape::Parallel(s, f, c) => n.parallel(require(*s), require(*f), all(c)),
        Shape::Repeat(k, c) => n.repeat(*k, build(c)),
        Shape::Invert(c) => n.inverter(build(c)),
        other => unreachable!("document 003 has no {other:?}"),
    }
}

fn run(kinds: &[u8], seed: u64, at_least: u64) {
    let draw = Draw {
        rng: Rng::new(seed),
        kinds,
        least: 0,
        flat_parallel: false,
        leaves: 0,
    };
    let ticks = compare::<Behaviour>(draw, 3000, build, |e| matches!(e, Event::Tick(_)));
    assert!(ticks > at_least, "only {ticks} ticks were well defined");
}

#[test]
fn ticks_as_document_003() {
    run(b"sfFpir", 3, 20_000);
}

#[test]
fn ticks_as_document_003_without_parallels() {
    run(b"sfFir", 33, 40_000);
}

/// Conditions are put in front one by one, so the last is asked first.
#[test]
fn filter_and_monitor_ask_the_last_condition_first() {
    let n = classic::<World>();
    let script = |s| [s; crate::harness::TICKS];
    let order = |node: Node<World>| {
        let tree = node.build().unwrap();
        let mut w = World {
            script: vec![script(Success), script(Success), script(Running)],
            ..World::default()
        };
        let status = tree.tick(&mut tree.agent(), &mut w, tickseed_core::Time::ZERO);
        (status.unwrap(), w.log)
    };
    let (status, log) = order(n.filter([leaf(0), leaf(1)], [leaf(2)]));
    assert_eq!(status, Running);
    assert_eq!(log, [Event::Tick(1), Event::Tick(0), Event::Tick(2)]);
    // The default policies end a monitor at its first condition.
    let (status, log) = order(n.monitor(Require::One, Require::One, [leaf(0), leaf(1)], [leaf(2)]));
    assert_eq!((status, log), (Success, vec![Event::Tick(1)]));
    let (status, log) = order(n.monitor(Require::All, Require::One, [leaf(0), leaf(1)], [leaf(2)]));
    assert_eq!(status, Running);
    assert_eq!(log, [Event::Tick(1), Event::Tick(0), Event::Tick(2)]);
}
