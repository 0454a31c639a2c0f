//! Making lively random trees.
//!
//! A tree whose first leaf always fails tests little. So leaves run about a third of the
//! time, verdicts lean towards the one that goes on below a sequence or selector, durations
//! are of the size of the time steps, and rare kinds come up about as often as common ones.

use tickseed_core::nodes::{
    Again, Choose, Closed, Decide, Finished, Flow, Gate, Hook, Leftover, Loop, Pace, Parallel,
    Preempt, RunOnce, StartOn, Switch, Threshold, Tie, Utility, WaitFor,
};
use tickseed_core::{Op, Rng, Status};

use super::spec::{CustomKind, GuardSpec, LeafKind, LeafSpec, Spec, SpecKind};
use crate::script::{KEYS, Numbers, Odds};

impl Spec {
    /// A random tree with at most `depth` levels. The same seed gives the same tree.
    #[must_use]
    pub fn random(seed: u64, depth: usize) -> Spec {
        let mut making = Making {
            rng: Rng::new(seed ^ 0x5eed),
            next: 0,
            budget: 60,
            fan: 4,
            lean: Status::Success,
            focus: None,
        };
        // A third of the trees ask much about one key, so that what one guard tells bears on
        // others, and what is written in between must be noticed.
        if making.one_in(3) {
            making.focus = Some(making.below(2) as usize);
        }
        // Now and then a wide one: numbers that need more than one byte, more than one byte
        // of flags.
        if making.one_in(50) {
            making.fan = making.pick(&[9, 20, 60]);
            making.budget = 700;
        }
        making.tree(depth.max(1), true)
    }
}

const OPS: [Op; 6] = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];

struct Making {
    rng: Rng,
    next: usize,
    /// How many nodes there may be yet; then only leaves are made.
    budget: usize,
    /// How many children a composite has at most.
    fan: u64,
    /// The verdict that lets things go on here.
    lean: Status,
    /// A key that most guards ask about.
    focus: Option<usize>,
}

impl Making {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    fn tree(&mut self, depth: usize, root: bool) -> Spec {
        let id = self.next;
        self.next += Spec::STRIDE;
        self.budget = self.budget.saturating_sub(1);
        let lean = self.lean;
        let leaf = depth <= 1 || self.budget == 0 || (!root && self.one_in(6));
        let (kind, children) = if leaf {
            (self.leaf(), Vec::new())
        } else if self.below(5) < 3 {
            self.composite(depth)
        } else {
            self.decorator(depth)
        };
        self.lean = lean;
        Spec { id, kind, children }
    }

    fn children(&mut self, depth: usize, least: u64, most: u64) -> Vec<Spec> {
        // The better of two draws: few trees of only children.
        let n = least
            + self
                .below(most - least + 1)
                .max(self.below(most - least + 1));
        (0..n).map(|_| self.tree(depth - 1, false)).collect()
    }

    fn lean_to(&mut self, lean: Status) {
        self.lean = lean;
    }

    fn odds(&mut self) -> Odds {
        let lean_success = self.lean == Status::Success;
        let (likely, unlikely) = self.pick(&[(4, 2), (6, 1), (1, 0), (2, 2), (1, 4)]);
        Odds {
            success: if lean_success { likely } else { unlikely },
            failure: if lean_success { unlikely } else { likely },
            running: self.pick(&[0, 2, 4, 4, 9]),
            skipped: self.pick(&[0, 0, 0, 1, 4]),
            error: self.pick(&[0, 2, 6]),
        }
    }

    fn leaf(&mut self) -> SpecKind {
        let asks = if self.focus.is_some() { 16 } else { 0 };
        match self.below(16 + asks) {
            16.. => SpecKind::Condition(self.test()),
            0..=2 => SpecKind::Condition(self.guard(2, 0).0),
            3 => SpecKind::Wait(self.wait_for(), Numbers::Drawn(-3, 30)),
            4 => {
                let limit = [None, Some(1), Some(10), Some(25)];
                SpecKind::WaitUntil(self.guard(2, 0).0, self.pick(&limit), self.last_status())
            }
            5 => {
                use Status::{Failure, Running, Skipped, Success};
                SpecKind::Constant(self.pick(&[Success, Failure, Running, Running, Skipped]))
            }
            6 => SpecKind::Log,
            _ => {
                use LeafKind::{Action, Bare, Boxed, Instant, Plain};
                let kind = self.pick(&[Action, Action, Bare, Instant, Plain, Plain, Boxed]);
                let mut odds = self.odds();
                if kind == Instant {
                    odds.running = 0;
                }
                SpecKind::Leaf(LeafSpec {
                    kind,
                    odds,
                    draws: self.one_in(3),
                    writes: self.focus.is_some() || self.one_in(3),
                })
            }
        }
    }

    /// A guard with the functions from `part` on; also how many it took.
    fn guard(&mut self, depth: usize, part: usize) -> (GuardSpec, usize) {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0..=1 => {
                let (success, failure) = self.pick(&[(3, 1), (1, 1), (8, 1), (1, 3)]);
                let odds = Odds {
                    success,
                    failure,
                    running: 0,
                    skipped: 0,
                    error: 0,
                };
                (GuardSpec::Call { part, odds }, part + 1)
            }
            2..=3 => (self.test(), part),
            4 => {
                let (a, op, b) = (self.key(), self.pick(&OPS), self.key());
                (GuardSpec::Compare(a, op, b), part)
            }
            5 => (GuardSpec::Const(!self.one_in(4)), part),
            6 => {
                let (a, part) = self.guard(depth - 1, part);
                (GuardSpec::Not(Box::new(a)), part)
            }
            n => {
                let (a, part) = self.guard(depth - 1, part);
                let (b, part) = self.guard(depth - 1, part);
                let (a, b) = (Box::new(a), Box::new(b));
                if n == 7 {
                    (GuardSpec::And(a, b), part)
                } else {
                    (GuardSpec::Or(a, b), part)
                }
            }
        }
    }

    /// A key against a constant.
    fn test(&mut self) -> GuardSpec {
        let (key, op) = (self.key(), self.pick(&OPS));
        let most = if self.one_in(4) { 10 } else { 4 };
        let n = self.below(most) as i64 - 1;
        GuardSpec::Test(key, op, n)
    }

    /// The first few more often, so that guards of a tree have to do with each other.
    fn key(&mut self) -> usize {
        if let Some(key) = self.focus
            && !self.one_in(4)
        {
            return key;
        }
        let most = if self.one_in(3) { KEYS } else { 4 };
        self.below(most) as usize
    }

    fn wait_for(&mut self) -> WaitFor {
        match self.below(5) {
            0 => WaitFor::Fixed(0),
            1..=2 => WaitFor::Fixed(1 + self.below(30)),
            3 => {
                let least = self.below(10);
                WaitFor::Range(least, least + self.below(20))
            }
            _ => WaitFor::Computed,
        }
    }

    fn last_status(&mut self) -> Status {
        self.pick(&[
            Status::Failure,
            Status::Failure,
            Status::Success,
            Status::Skipped,
        ])
    }

    fn preempt(&mut self) -> Preempt {
        self.pick(&[Preempt::AfterStart, Preempt::BeforeStart])
    }

    fn flow(&mut self) -> Flow {
        match self.below(9) {
            0..=2 => Flow::Memory,
            3..=5 => Flow::Reactive {
                preempt: self.preempt(),
            },
            6 => Flow::KeepPlace,
            _ => Flow::Random {
                weights: Vec::new(),
            },
        }
    }

    fn weighted(&mut self, flow: Flow, children: usize) -> Flow {
        match flow {
            Flow::Random { .. } if self.one_in(2) => Flow::Random {
                weights: (0..children)
                    .map(|_| self.pick(&[0.0, 0.5, 1.0, 3.0]))
                    .collect(),
            },
            flow => flow,
        }
    }

    fn composite(&mut self, depth: usize) -> (SpecKind, Vec<Spec>) {
        match self.below(20) {
            0..=4 => {
                self.lean_to(Status::Success);
                let (flow, children) = (self.flow(), self.children(depth, 1, self.fan));
                let flow = self.weighted(flow, children.len());
                (SpecKind::Sequence(flow), children)
            }
            5..=9 => {
                self.lean_to(Status::Failure);
                let (flow, children) = (self.flow(), self.children(depth, 1, self.fan));
                let flow = self.weighted(flow, children.len());
                (SpecKind::Selector(flow), children)
            }
            10..=11 => {
                let children = self.children(depth, 1, self.fan);
                (SpecKind::Parallel(self.parallel(children.len())), children)
            }
            12 => (SpecKind::IfThenElse, self.children(depth, 2, 3)),
            13 => (
                SpecKind::WhileDoElse(self.preempt()),
                self.children(depth, 2, 3),
            ),
            14 => {
                let options = Switch {
                    default: self.one_in(2),
                    reactive: self.one_in(2),
                    preempt: self.preempt(),
                };
                let children = self.children(depth, 1 + u64::from(options.default), 3);
                (SpecKind::Switch(options, Numbers::Drawn(-1, 3)), children)
            }
            15..=16 => {
                let children = self.children(depth, 1, self.fan);
                let numbers = [
                    Numbers::Drawn(0, 100),
                    Numbers::Drawn(-50, 50),
                    Numbers::Drawn(40, 60),
                    Numbers::Listed(vec![50]),
                    Numbers::Listed(vec![900, 30, 900, 80]),
                ];
                let scores = children.iter().map(|_| self.pick(&numbers)).collect();
                (SpecKind::Utility(self.utility(), scores), children)
            }
            17 => {
                let count = self.pick(&[
                    Numbers::Drawn(-1, 4),
                    Numbers::Drawn(2, 3),
                    Numbers::Drawn(1, 9),
                ]);
                (
                    SpecKind::ForEach(self.pace(), count),
                    self.children(depth, 1, 1),
                )
            }
            _ => {
                use CustomKind::{Alternating, Backwards, Impatient, Rotating};
                let kind = self.pick(&[Backwards, Alternating, Impatient, Rotating]);
                (SpecKind::Custom(kind), self.children(depth, 1, 3))
            }
        }
    }

    fn parallel(&mut self, children: usize) -> Parallel {
        let mut threshold = |first: Threshold| match self.below(4) {
            0..=1 => first,
            2 => Threshold::All,
            _ => Threshold::Count(1 + self.below(children as u64) as u32),
        };
        Parallel {
            success: threshold(Threshold::All),
            failure: threshold(Threshold::Count(1)),
            decide: self.pick(&[Decide::AfterAll, Decide::AsSoonAsKnown]),
            tie: self.pick(&[Tie::Failure, Tie::Success]),
            finished: self.pick(&[Finished::Latch, Finished::Latch, Finished::Restart]),
            leftover: self.pick(&[Leftover::Halt, Leftover::Halt, Leftover::Await]),
        }
    }

    fn utility(&mut self) -> Utility {
        let reactive = self.one_in(2);
        Utility {
            choose: self.pick(&[
                Choose::Highest,
                Choose::Highest,
                Choose::Softmax { temperature: 0.3 },
                Choose::Weighted,
            ]),
            reactive,
            inertia: if reactive {
                self.pick(&[0.0, 0.1, 0.3])
            } else {
                0.0
            },
            min_dwell: if reactive { self.pick(&[0, 0, 15]) } else { 0 },
            preempt: self.preempt(),
        }
    }

    fn pace(&mut self) -> Pace {
        self.pick(&[Pace::OnePerTick, Pace::Drain(2), Pace::Drain(5)])
    }

    fn decorator(&mut self, depth: usize) -> (SpecKind, Vec<Spec>) {
        let kind = match self.below(22) {
            0 => {
                let lean = self.lean.inverted();
                self.lean_to(lean);
                SpecKind::Invert
            }
            1 => SpecKind::Force(self.pick(&[Status::Success, Status::Failure])),
            2..=4 => SpecKind::Loop(self.looping()),
            5..=6 => SpecKind::Gate(Gate {
                interval: 1 + self.below(40),
                start_on: self.pick(&[StartOn::Success, StartOn::Verdict]),
                closed: self.pick(&[Closed::Failure, Closed::Skipped, Closed::Replay]),
                refund_on_halt: self.one_in(3),
            }),
            7 => SpecKind::TimeLimit(1 + self.below(30), self.last_status()),
            8 => SpecKind::Delay(self.wait_for(), Numbers::Drawn(-3, 30)),
            9 => SpecKind::Chance(self.pick(&[0.3, 0.7, 1.0]), self.last_status()),
            10 => {
                let again = RunOnce::Answer(self.last_status());
                SpecKind::RunOnce(self.pick(&[RunOnce::Replay, again]))
            }
            11..=12 => SpecKind::Hook(self.pick(&[Hook::Complete, Hook::Halted, Hook::Finally])),
            13 => SpecKind::WhileGuard(self.guard(2, 0).0, self.last_status()),
            14 => SpecKind::Precondition(self.guard(2, 0).0, self.last_status()),
            15 => SpecKind::Catch(self.odds()),
            16 => SpecKind::Uninterruptible,
            17 => SpecKind::LimitRuns(1 + self.below(4) as u32, self.last_status()),
            18..=19 => SpecKind::Forget,
            _ => SpecKind::Hold,
        };
        (kind, self.children(depth, 1, 1))
    }

    fn looping(&mut self) -> Loop {
        let limit = 1 + self.below(4) as u32;
        let stopped = self.last_status();
        Loop {
            again: self.pick(&[Again::OnSuccess, Again::OnFailure, Again::Always]),
            limit: self.pick(&[None, Some(limit), Some(limit)]),
            at_limit: self.last_status(),
            stopped: self.pick(&[None, None, Some(stopped)]),
            pace: self.pace(),
        }
    }
}
