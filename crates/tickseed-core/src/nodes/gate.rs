//! Cooldown and rate limit: gates that let the child run once per interval.
//!
//! The gate is checked when an activation starts, not while the child runs. While it is closed, the
//! child is not touched and the answer is failure ([`Closed::Failure`]), skipped, or the last
//! verdict again ([`Closed::Replay`]). The gate closes when the child finishes with a verdict that
//! `start_on` names, for the interval from that tick on; after exactly the interval it is open
//! again. The interval is measured by the clock, whether the node is ticked meanwhile or not.
//!
//! The time until which the gate is closed and the verdict it replays are history: a halt keeps
//! them, so that an interruption cannot refund an ability. With `refund_on_halt`, a halt of the
//! running node opens the gate.
//!
//! | | starts on | while closed |
//! |---|---|---|
//! | cooldown | success | failure |
//! | rate limit | any verdict | the last verdict |

use core::time::Duration;

use crate::compile::{Edges, GateSpec, Lower, Op, Region, Undo};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;
use crate::time::nanos;

/// Which verdict of the child closes a gate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StartOn {
    /// Success.
    Success,
    /// Success or failure.
    Verdict,
}

/// What a closed gate answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Closed {
    /// Failure.
    Failure,
    /// Skipped.
    Skipped,
    /// The verdict that closed the gate.
    Replay,
}

/// The options of a gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gate {
    /// How long it is closed, in nanoseconds.
    pub interval: u64,
    /// What closes it.
    pub start_on: StartOn,
    /// What it answers while closed.
    pub closed: Closed,
    /// Whether a halt of the running node opens it.
    pub refund_on_halt: bool,
}

impl Gate {
    pub(crate) fn name(&self) -> &'static str {
        match self.closed {
            Closed::Replay => "rate limit",
            Closed::Failure | Closed::Skipped => "cooldown",
        }
    }
}

impl<C: Context> Nodes<C> {
    /// After the child has succeeded, fails for the interval without touching the child.
    pub fn cooldown(self, interval: Duration, child: Node<C>) -> Node<C> {
        self.gate(
            Gate {
                interval: nanos(interval),
                start_on: StartOn::Success,
                closed: Closed::Failure,
                refund_on_halt: false,
            },
            child,
        )
    }

    /// After the child has finished, repeats its verdict for the interval without touching the
    /// child.
    pub fn rate_limit(self, interval: Duration, child: Node<C>) -> Node<C> {
        self.gate(
            Gate {
                interval: nanos(interval),
                start_on: StartOn::Verdict,
                closed: Closed::Replay,
                refund_on_halt: false,
            },
            child,
        )
    }

    /// A gate with these options.
    pub fn gate(self, options: Gate, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Gate(options), [], child)
    }
}

impl<C: Context> Node<C> {
    fn gate_options(&mut self) -> Option<&mut Gate> {
        match &mut self.kind {
            Kind::Gate(g) => Some(g),
            _ => None,
        }
    }

    /// For a cooldown or rate limit: which verdicts of the child close it.
    pub fn start_on(mut self, start_on: StartOn) -> Self {
        match self.gate_options() {
            Some(g) => {
                g.start_on = start_on;
                self
            }
            None => self.misused("start_on", "cooldown and rate_limit"),
        }
    }

    /// For a cooldown or rate limit: halting the running node opens it.
    pub fn refund_on_halt(mut self) -> Self {
        match self.gate_options() {
            Some(g) => {
                g.refund_on_halt = true;
                self
            }
            None => self.misused("refund_on_halt", "cooldown and rate_limit"),
        }
    }

    /// For a cooldown, chance, while-guard, run-once or limit on runs: what the node answers when
    /// it does not run its child. For a wait-until or time limit: what it answers when the limit is
    /// reached. Failure by default.
    pub fn otherwise(mut self, status: Status) -> Self {
        use crate::nodes::RunOnce;
        match (&mut self.kind, status) {
            (_, Status::Running) => return self.misused("otherwise(Running)", "no node: it must be a final status"),
            (Kind::Gate(g), Status::Failure) => g.closed = Closed::Failure,
            (Kind::Gate(g), Status::Skipped) => g.closed = Closed::Skipped,
            (Kind::Chance { otherwise, .. } | Kind::WhileGuard { otherwise, .. }, s) => *otherwise = s,
            (Kind::WaitUntil(w), s) => w.on_timeout = s,
            (Kind::TimeLimit(t), s) => t.on_timeout = s,
            (Kind::RunOnce(r), s) => *r = RunOnce::Answer(s),
            (Kind::LimitRuns(l), s) => l.otherwise = s,
            _ => return self.misused("otherwise", "cooldown (failure or skipped), chance, while_guard, wait_until, time_limit, run_once and limit_runs"),
        }
        self
    }
}

/// The gate is on the fresh entry only: it does not apply to a running child.
pub(crate) fn lower_gate(lw: &mut Lower<'_>, id: NodeId, options: &Gate, e: Edges) -> Region {
    let gate = lw.out.gates.len() as u32;
    let replay = options.closed == Closed::Replay;
    let (s, f) = match options.closed {
        Closed::Failure => (e.f, e.f),
        Closed::Skipped => (e.k, e.k),
        Closed::Replay => (e.s, e.f),
    };
    lw.out.gates.push(GateSpec {
        slot: lw.info(id).history,
        interval: options.interval,
        replay,
        s,
        f,
    });
    let edges = Edges {
        s: lw.emit(
            id,
            Op::Close {
                gate,
                verdict: Status::Success,
                to: e.s,
            },
        ),
        f: match options.start_on {
            StartOn::Success => e.f,
            StartOn::Verdict => lw.emit(
                id,
                Op::Close {
                    gate,
                    verdict: Status::Failure,
                    to: e.f,
                },
            ),
        },
        k: e.k,
    };
    let body = lw.def_of(id).children[0];
    let child = if options.refund_on_halt {
        lw.scoped(id, Undo::Refund(gate), |lw| lw.node(body, edges))
    } else {
        lw.node(body, edges)
    };
    let entry = lw.emit(
        id,
        Op::Gate {
            gate,
            to: child.entry,
        },
    );
    Region { entry, ..child }
}
