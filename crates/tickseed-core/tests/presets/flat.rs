//! Document 004: a slot per node with status, cursor and stamp; reset walks down from what
//! is not fresh, and keeps the history of cooldowns and rate limiters.

use tickseed_core::presets::{Policy, flat};
use tickseed_core::{Node, Rng, Status};

use crate::harness::{Draw, Event, Oracle, Shape, World, compare, leaf, ms};

/// A node and its slot. No status is fresh.
pub(crate) struct Slot {
    shape: Shape,
    status: Option<Status>,
    cursor: u32,
    stamp: u64,
    /// A parallel's record of its children; a rate limiter's verdict.
    bits: Vec<Option<Status>>,
    children: Vec<Slot>,
}

use Status::{Failure, Running, Success};

impl Slot {
    fn tick(&mut self, w: &mut World) -> Status {
        let status = self.update(w);
        self.status = Some(status);
        if status != Running && self.rewinds() {
            self.do_reset(w);
        }
        status
    }

    /// Whether the node resets itself when it completes. Wait clears its flag itself.
    fn rewinds(&self) -> bool {
        matches!(
            self.shape,
            Shape::Sequence(_)
                | Shape::Selector(_)
                | Shape::ReactiveSequence(_)
                | Shape::ReactiveSelector(_)
                | Shape::Parallel(..)
                | Shape::Repeat(..)
                | Shape::Retry(..)
                | Shape::TimeLimit(..)
        )
    }

    fn reset(&mut self, w: &mut World) {
        if self.status.is_some() {
            self.do_reset(w);
            self.status = None;
        }
    }

    fn do_reset(&mut self, w: &mut World) {
        match self.shape {
            Shape::Leaf(i) => {
                // The hook is called for finished leaves too; what counts is the abort.
                if self.status == Some(Running) {
                    w.log.push(Event::Halt(i));
                }
            }
            // What the agent did is not undone.
            Shape::Cooldown(..) | Shape::RateLimit(..) => {}
            _ => {
                self.cursor = 0;
                self.stamp = 0;
                self.bits.clear();
            }
        }
        for c in &mut self.children {
            c.reset(w);
        }
    }

    fn update(&mut self, w: &mut World) -> Status {
        let now = w.now_ms;
        match self.shape.clone() {
            Shape::Leaf(i) => w.call(i),
            Shape::Wait(d) => {
                if self.cursor == 0 {
                    (self.cursor, self.stamp) = (1, now + d);
                }
                if now >= self.stamp {
                    self.cursor = 0;
                    Success
                } else {
                    Running
                }
            }
            Shape::Sequence(_) => self.resuming(w, Success),
            Shape::Selector(_) => self.resuming(w, Failure),
            Shape::ReactiveSequence(_) => self.reactive(w, Success),
            Shape::ReactiveSelector(_) => self.reactive(w, Failure),
            Shape::Parallel(both, ..) => self.parallel(w, both),
            Shape::Invert(_) => self.children[0].tick(w).inverted(),
            Shape::Force(to, _) => match self.children[0].tick(w) {
                Running => Running,
                _ => Status::from_bool(to),
            },
            Shape::UntilSuccess(_) => self.until(w, Success),
            Shape::UntilFailure(_) => self.until(w, Failure),
            Shape::Forever(_) => {
                if self.children[0].tick(w) != Running {
                    self.children[0].reset(w);
                }
                Running
            }
            Shape::Repeat(n, _) => self.counted(w, n, Success),
            Shape::Retry(n, _) => self.counted(w, n, Failure),
            Shape::Cooldown(d, _) => {
                if self.cursor == 1 && now - self.stamp < d {
                    return Failure;
                }
                let status = self.children[0].tick(w);
                if status == Success {
                    (self.cursor, self.stamp) = (1, now);
                }
                status
            }
            Shape::RateLimit(d, _) => {
                if let Some(Some(verdict)) = self.bits.first().copied()
                    && now - self.stamp < d
                {
                    return verdict;
                }
                let status = self.children[0].tick(w);
                if status != Running {
                    self.bits = vec![Some(status)];
                    self.stamp = now;
                }
                status
            }
            Shape::TimeLimit(d, _) => {
                if self.cursor == 0 {
                    (self.cursor, self.stamp) = (1, now);
                }
                if now - self.stamp >= d {
                    return Failure;
                }
                self.children[0].tick(w)
            }
        }
    }

    fn resuming(&mut self, w: &mut World, goes_on: Status) -> Status {
        while let Some(child) = self.children.get_mut(self.cursor as usize) {
            let status = child.tick(w);
            if status != goes_on {
                return status;
            }
            self.cursor += 1;
        }
        goes_on
    }

    fn reactive(&mut self, w: &mut World, goes_on: Status) -> Status {
        for i in 0..self.children.len() {
            let status = self.children[i].tick(w);
            if status != goes_on {
                for later in &mut self.children[i + 1..] {
                    later.reset(w);
                }
                return status;
            }
        }
        goes_on
    }

    fn parallel(&mut self, w: &mut World, both: bool) -> Status {
        if self.status != Some(Running) {
            self.bits = vec![None; self.children.len()];
        }
        for (child, bits) in self.children.iter_mut().zip(&mut self.bits) {
            if matches!(bits, None | Some(Running)) {
                *bits = Some(child.tick(w));
            }
        }
        let any = |s| self.bits.contains(&Some(s));
        let all = |s| self.bits.iter().all(|b| *b == Some(s));
        match both {
            true if any(Failure) => Failure,
            true if all(Success) => Success,
            false if any(Success) => Success,
            false if all(Failure) => Failure,
            _ => Running,
        }
    }

    fn until(&mut self, w: &mut World, stop: Status) -> Status {
        match self.children[0].tick(w) {
            Running => Running,
            s if s == stop => Success,
            _ => {
                self.children[0].reset(w);
                Running
            }
        }
    }

    fn counted(&mut self, w: &mut World, n: u32, counts: Status) -> Status {
        match self.children[0].tick(w) {
            Running => Running,
            s if s == counts => {
                self.cursor += 1;
                if self.cursor >= n {
                    return counts;
                }
                self.children[0].reset(w);
                Running
            }
            s => s,
        }
    }
}

impl Oracle for Slot {
    fn new(shape: &Shape) -> Self {
        Slot {
            shape: shape.clone(),
            status: None,
            cursor: 0,
            stamp: 0,
            bits: Vec::new(),
            children: shape.children().iter().map(Slot::new).collect(),
        }
    }
    fn tick(&mut self, w: &mut World) -> Status {
        Slot::tick(self, w)
    }
    fn reset(&mut self, w: &mut World) -> bool {
        Slot::reset(self, w);
        true
    }
}

pub(crate) fn build(shape: &Shape) -> Node<World> {
    let n = flat::<World>();
    let all = |c: &[Shape]| c.iter().map(build).collect::<Vec<_>>();
    match shape {
        Shape::Leaf(i) => leaf(*i),
        Shape::Wait(d) => n.wait(ms(*d)),
        Shape::Sequence(c) => n.sequence(all(c)),
        Shape::Selector(c) => n.selector(all(c)),
        Shape::ReactiveSequence(c) => n.priority_sequence(all(c)),
        Shape::ReactiveSelector(c) => n.priority_selector(all(c)),
        Shape::Parallel(true, _, c) => n.simple_parallel(Policy::BothMustSucceed, all(c)),
        Shape::Parallel(false, _, c) => n.simple_parallel(Policy::OnlyOneMustSucceed, all(c)),
        Shape::Invert(c) => n.inverter(build(c)),
        Shape::Force(true, c) => n.always_succeed(build(c)),
        Shape::Force(false, c) => n.always_fail(build(c)),
        Shape::UntilSuccess(c) => n.until_success(build(c)),
        Shape::UntilFailure(c) => n.until_failed(build(c)),
        Shape::Repeat(k, c) => n.repeat(*k, build(c)),
        Shape::Retry(k, c) => n.retry(*k, build(c)),
        Shape::Forever(c) => n.forever(build(c)),
        Shape::Cooldown(d, c) => n.cooldown(ms(*d), build(c)),
        Shape::RateLimit(d, c) => n.rate_limiter(ms(*d), build(c)),
        Shape::TimeLimit(d, c) => n.time_limit(ms(*d), build(c)),
    }
}

/// Statuses, ticks and aborts in order, with resets from outside.
#[test]
fn ticks_as_document_004() {
    let draw = Draw {
        rng: Rng::new(4),
        kinds: b"sfSFpsfSFpiouvrteclmw",
        least: 1,
        flat_parallel: false,
        leaves: 0,
    };
    let ticks = compare::<Slot>(draw, 4000, build, |_| true);
    assert_eq!(ticks, 4000 * crate::harness::TICKS as u64);
}
