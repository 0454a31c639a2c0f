//! Document 001: a function of the tree and the blackboard, nothing is remembered.

use tickseed_core::presets::pure;
use tickseed_core::{Node, Rng, Status};

use crate::harness::{Draw, Event, Oracle, Shape, World, compare, leaf};

struct Interpreter(Shape);

fn tick(shape: &Shape, w: &mut World) -> Status {
    match shape {
        Shape::Leaf(i) => w.call(*i),
        Shape::Sequence(c) => c
            .iter()
            .map(|c| tick(c, w))
            .find(|s| *s != Status::Success)
            .unwrap_or(Status::Success),
        Shape::Selector(c) => c
            .iter()
            .map(|c| tick(c, w))
            .find(|s| *s != Status::Failure)
            .unwrap_or(Status::Failure),
        Shape::Parallel(_, _, c) => {
            let all: Vec<_> = c.iter().map(|c| tick(c, w)).collect();
            if all.contains(&Status::Failure) {
                Status::Failure
            } else if all.iter().all(|s| *s == Status::Success) {
                Status::Success
            } else {
                Status::Running
            }
        }
        Shape::Invert(c) => tick(c, w).inverted(),
        Shape::Forever(c) => match tick(c, w) {
            Status::Success => Status::Running,
            s => s,
        },
        other => unreachable!("document 001 has no {other:?}"),
    }
}

impl Oracle for Interpreter {
    fn new(shape: &Shape) -> Self {
        Interpreter(shape.clone())
    }
    fn tick(&mut self, w: &mut World) -> Status {
        tick(&self.0, w)
    }
}

fn build(shape: &Shape) -> Node<World> {
    let n = pure::<World>();
    let all = |c: &[Shape]| c.iter().map(build).collect::<Vec<_>>();
    match shape {
        Shape::Leaf(i) => leaf(*i),
        Shape::Sequence(c) => n.sequence(all(c)),
        Shape::Selector(c) => n.fallback(all(c)),
        Shape::Parallel(_, _, c) => n.parallel(all(c)),
        Shape::Invert(c) => n.invert(build(c)),
        Shape::Forever(c) => n.repeat_until_failure(build(c)),
        other => unreachable!("document 001 has no {other:?}"),
    }
}

/// The document has no halts, so ticked leaves and statuses are compared.
#[test]
fn ticks_as_document_001() {
    let draw = Draw {
        rng: Rng::new(1),
        kinds: b"sfpie",
        least: 0,
        flat_parallel: false,
        leaves: 0,
    };
    let ticks = compare::<Interpreter>(draw, 2000, build, |e| matches!(e, Event::Tick(_)));
    assert_eq!(ticks, 2000 * crate::harness::TICKS as u64);
}
