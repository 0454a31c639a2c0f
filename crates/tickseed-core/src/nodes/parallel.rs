//! Parallel: all children at once.
//!
//! Every tick ticks each child that has not finished, in child order, in one thread. The node fails
//! when `failure` children have failed and succeeds when `success` have succeeded
//! ([`Threshold::All`]: all that were not skipped). If all children have finished and neither
//! threshold was reached, it fails.
//!
//! * `decide`: [`Decide::AfterAll`] ticks every child before deciding; [`Decide::AsSoonAsKnown`]
//!   decides after each child, so later ones may not be ticked, and the node also fails as soon as
//!   too many children have failed for success to be reached (a child that restarts or was skipped
//!   may still succeed, so it does not count as failed).
//! * `tie`: which verdict counts when both thresholds are reached (with `AfterAll`, in one tick).
//! * `finished`: [`Finished::Latch`] keeps a finished child's verdict until the node ends;
//!   [`Finished::Restart`] ticks it again every tick, and its newest verdict counts; while it runs
//!   again, or if it was skipped, it has none.
//! * `leftover`: when the verdict is known, children still running are halted in child order
//!   ([`Leftover::Halt`]), or waited for without changing the verdict ([`Leftover::Await`]). In
//!   that case, from the next tick on, running children go on and all others rest, including those
//!   that have not started.
//!
//! A skipped child counts as absent in this tick and is asked again in the next. If every child is
//! skipped, the node is skipped.

use crate::compile::{Edges, Lower, Op, ParSpec, Region, Undo};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Node, Nodes};

/// How many children a verdict requires.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Threshold {
    /// All that are not skipped.
    All,
    /// This many.
    Count(u32),
}

/// When a parallel decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decide {
    /// After all children were ticked.
    AfterAll,
    /// After each child.
    AsSoonAsKnown,
}

/// Which verdict counts when both thresholds are reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tie {
    /// Failure.
    Failure,
    /// Success.
    Success,
}

/// What happens to a child that has finished while the parallel goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Finished {
    /// Its verdict is kept and it is not ticked again.
    Latch,
    /// It is ticked again every tick; its newest verdict counts.
    Restart,
}

/// What happens to children that are still running when the verdict is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leftover {
    /// They are halted.
    Halt,
    /// They are waited for.
    Await,
}

/// The options of a parallel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parallel {
    /// How many successes it takes to succeed.
    pub success: Threshold,
    /// How many failures it takes to fail.
    pub failure: Threshold,
    /// When it decides.
    pub decide: Decide,
    /// Which verdict counts when both are reached.
    pub tie: Tie,
    /// What happens to finished children.
    pub finished: Finished,
    /// What happens to running children at the end.
    pub leftover: Leftover,
}

impl Parallel {
    /// Succeeds when all succeed and fails when one fails; decides after all were ticked.
    pub const DEFAULT: Parallel = Parallel {
        success: Threshold::All,
        failure: Threshold::Count(1),
        decide: Decide::AfterAll,
        tie: Tie::Failure,
        finished: Finished::Latch,
        leftover: Leftover::Halt,
    };
}

impl<C: Context> Nodes<C> {
    /// All children at once: succeeds when all have succeeded and fails when one has failed.
    /// Options can change every part of this.
    pub fn parallel(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        self.parallel_with(Parallel::DEFAULT, children)
    }

    /// A parallel with these options.
    pub fn parallel_with(
        self,
        options: Parallel,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        Node::new(Kind::Parallel(options), [], children.into_iter().collect())
    }
}

macro_rules! options {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => {
        impl<C: Context> Node<C> {$(
            $(#[$doc])*
            pub fn $name(mut self, $name: $ty) -> Self {
                match &mut self.kind {
                    Kind::Parallel(p) => {
                        p.$name = $name;
                        self
                    }
                    _ => self.misused(stringify!($name), "parallel"),
                }
            }
        )*}
    };
}

options! {
    /// For a parallel: how many successes it takes to succeed.
    success: Threshold;
    /// For a parallel: how many failures it takes to fail.
    failure: Threshold;
    /// For a parallel: when it decides.
    decide: Decide;
    /// For a parallel: which verdict counts when both thresholds are reached.
    tie: Tie;
    /// For a parallel: what happens to children that have finished.
    finished: Finished;
    /// For a parallel: what happens to children that are still running at the end.
    leftover: Leftover;
}

/// One yield in the parent; each child is a thread with its own resume point.
pub(crate) fn lower_parallel(
    lw: &mut Lower<'_>,
    id: NodeId,
    options: &Parallel,
    e: Edges,
) -> Region {
    let children = lw.def_of(id).children.len() as u32;
    let (first, nodes) = lw.threads(id);
    let latches = lw.info(id).slot;
    let verdict = (options.leftover == Leftover::Await).then(|| latches + children.div_ceil(4));
    let par = lw.out.pars.len() as u32;
    lw.out.pars.push(ParSpec {
        options: *options,
        first,
        children,
        latches,
        verdict,
        nodes,
    });
    let y = lw.new_yield(
        id,
        &[Undo::Threads {
            first,
            len: children,
        }],
    );
    let run = lw.emit(
        id,
        Op::Par {
            par,
            y,
            s: e.s,
            f: e.f,
            k: e.k,
        },
    );
    let start = lw.emit(id, Op::ParStart { par, to: run });
    Region {
        entry: lw.acting(id, start),
        lo: y,
        resume: [run].into(),
    }
}
