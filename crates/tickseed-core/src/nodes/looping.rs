//! Loops: repeat, retry, until success, until failure, forever.
//!
//! Each round is a fresh activation of the child. A round that ends with a verdict in `again` is
//! counted and followed by another, until `limit` rounds have been counted; then the node answers
//! `at_limit`. A round that ends with the other verdict ends the node with that verdict, or with
//! `stopped` if that is set. A skipped round ends the node as skipped. Counts begin anew with each
//! activation; a halt forgets them.
//!
//! | node | again on | limit | at the limit | the other verdict |
//! |---|---|---|---|---|
//! | repeat n | success | n | success | failure |
//! | repeat forever | success | none | | failure |
//! | retry n | failure | n (attempts) | failure | success |
//! | until success | failure | none | | success |
//! | until failure | success | none | | success, when the child fails |
//! | forever | either | none | | |
//!
//! Between rounds the node runs until the next tick ([`Pace::OnePerTick`], the default), or goes on
//! within the tick for at most a budget of rounds ([`Pace::Drain`]): an endless loop within one
//! tick is impossible. Between rounds, the node itself is what runs; halting it there halts nothing
//! below.

use super::for_each::{budget, rounds};
use crate::compile::{AgainSpec, Counter, Edges, Lower, Op, Region, counter_width};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

/// Which verdicts are followed by another round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Again {
    /// Success.
    OnSuccess,
    /// Failure.
    OnFailure,
    /// Both.
    Always,
}

impl Again {
    /// Whether a round that ended like this is followed by another.
    #[must_use]
    pub fn after(self, status: Status) -> bool {
        match self {
            Again::OnSuccess => status == Status::Success,
            Again::OnFailure => status == Status::Failure,
            Again::Always => status.is_verdict(),
        }
    }
}

/// How rounds follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pace {
    /// A finished round is followed by another in the next tick.
    OnePerTick,
    /// A finished round is followed by another at once, for at most this many finished
    /// rounds in one tick.
    Drain(u32),
}

/// The options of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Which verdicts are followed by another round.
    pub again: Again,
    /// How many such rounds end the loop; `None` for no limit.
    pub limit: Option<u32>,
    /// The answer after `limit` rounds.
    pub at_limit: Status,
    /// The answer after the other verdict; `None` for that verdict itself.
    pub stopped: Option<Status>,
    /// How rounds follow each other.
    pub pace: Pace,
}

impl Loop {
    pub(crate) fn name(&self) -> &'static str {
        match (self.again, self.limit, self.stopped) {
            (Again::OnSuccess, _, None) => "repeat",
            (Again::OnSuccess, ..) => "until failure",
            (Again::OnFailure, Some(_), _) => "retry",
            (Again::OnFailure, None, _) => "until success",
            (Again::Always, ..) => "forever",
        }
    }
}

impl<C: Context> Nodes<C> {
    /// A loop with these options.
    pub fn looping(self, options: Loop, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Loop(options), [], child)
    }

    fn rounds(
        self,
        again: Again,
        limit: Option<u32>,
        at_limit: Status,
        stopped: Option<Status>,
        child: Node<C>,
    ) -> Node<C> {
        self.looping(
            Loop {
                again,
                limit,
                at_limit,
                stopped,
                pace: Pace::OnePerTick,
            },
            child,
        )
    }

    /// Runs the child until it has succeeded `times` times; fails if it fails.
    pub fn repeat(self, times: u32, child: Node<C>) -> Node<C> {
        self.rounds(Again::OnSuccess, Some(times), Status::Success, None, child)
    }

    /// Runs the child again and again while it succeeds; fails when it fails.
    pub fn repeat_forever(self, child: Node<C>) -> Node<C> {
        self.rounds(Again::OnSuccess, None, Status::Success, None, child)
    }

    /// The other common name of [`repeat_forever`](Nodes::repeat_forever).
    pub fn keep_running_until_failure(self, child: Node<C>) -> Node<C> {
        self.repeat_forever(child)
    }

    /// Runs the child until it succeeds, at most `attempts` times in all.
    pub fn retry(self, attempts: u32, child: Node<C>) -> Node<C> {
        self.rounds(
            Again::OnFailure,
            Some(attempts),
            Status::Failure,
            None,
            child,
        )
    }

    /// Runs the child until it succeeds.
    pub fn until_success(self, child: Node<C>) -> Node<C> {
        self.rounds(Again::OnFailure, None, Status::Failure, None, child)
    }

    /// Runs the child until it fails, then succeeds.
    pub fn until_failure(self, child: Node<C>) -> Node<C> {
        self.rounds(
            Again::OnSuccess,
            None,
            Status::Success,
            Some(Status::Success),
            child,
        )
    }

    /// Runs the child again and again, whatever it answers; only a halt (or a skip) ends it.
    pub fn forever(self, child: Node<C>) -> Node<C> {
        self.rounds(Again::Always, None, Status::Success, None, child)
    }
}

impl<C: Context> Node<C> {
    /// For a loop or for-each: rounds follow each other within a tick, at most `budget` of them.
    pub fn drain(self, budget: u32) -> Self {
        self.pace(Pace::Drain(budget))
    }

    /// For a loop or for-each: how rounds follow each other.
    pub fn pace(mut self, pace: Pace) -> Self {
        match &mut self.kind {
            Kind::Loop(l) => l.pace = pace,
            Kind::ForEach(p) => *p = pace,
            _ => return self.misused("pace", "loops and for_each"),
        }
        self
    }
}

pub(crate) fn lower_loop(lw: &mut Lower<'_>, id: NodeId, options: &Loop, e: Edges) -> Region {
    let counter = Counter {
        slot: lw.info(id).slot,
        width: counter_width(options),
    };
    let (budget, put) = budget(
        lw,
        id,
        counter.slot + u32::from(counter.width),
        options.pace,
    );
    let y = lw.new_yield(id, &[]);
    let index = lw.out.agains.len() as u32;
    let limit = options.limit.map(|n| (counter, n));
    lw.out.agains.push(AgainSpec {
        limit,
        budget,
        y,
        again: 0,
        done: e.of(options.at_limit),
    });
    let again = lw.emit(id, Op::Again { index });
    let edge = |status| {
        if options.again.after(status) {
            again
        } else {
            e.of(options.stopped.unwrap_or(status))
        }
    };
    let child = lw.node(
        lw.def_of(id).children[0],
        Edges {
            s: edge(Status::Success),
            f: edge(Status::Failure),
            k: e.k,
        },
    );
    let round = child.entry;
    lw.out.agains[index as usize].again = round;
    let entry = match limit {
        Some((Counter { slot, width }, _)) => lw.emit(
            id,
            Op::Put {
                slot,
                width,
                value: 0,
                to: round,
            },
        ),
        None => round,
    };
    rounds(lw, id, y, round, entry, child, put)
}
