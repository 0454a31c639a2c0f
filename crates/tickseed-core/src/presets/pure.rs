//! Document 001.

use super::or_constant;
use crate::context::Context;
use crate::node::{Node, Nodes, nodes};
use crate::nodes::{Decide, Finished, Leftover, Parallel, Threshold, Tie};
use crate::status::Status;

/// Document 001's nodes: no node remembers anything, every tick starts at the root and at
/// each composite's first child.
///
/// Statuses and the order in which leaves are ticked are the document's. Deviations:
/// * A leaf that ran and is not reached again is *halted*; there it is simply not called.
/// * *Repeat until failure* runs on for ever while its child succeeds; there too.
/// * The document's "active leaf" is the last one ticked, which is misleading under a parallel;
///   [`TickReport::deciding_leaf`](crate::TickReport::deciding_leaf) gets that right.
///
/// ```
/// use tickseed_core::presets::pure;
/// use tickseed_core::{Context, Status, Time};
/// struct Robot { battery_low: bool }
/// impl Context for Robot { type At<'a> = Robot; }
///
/// let n = pure::<Robot>();
/// let tree = n.fallback([
///     n.sequence([n.condition("low", |r| r.battery_low), n.action("recharge", |_| Status::Running)]),
///     n.action("patrol", |_| Status::Running),
/// ]).build()?;
/// let mut agent = tree.agent();
/// let mut robot = Robot { battery_low: false };
/// tree.tick(&mut agent, &mut robot, Time::ZERO).unwrap();
/// robot.battery_low = true; // the next tick breaks off the patrol
/// tree.tick(&mut agent, &mut robot, Time::ZERO).unwrap();
/// assert_eq!(tree.path(tree.running(&agent)[0]), "fallback/sequence/recharge");
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
#[must_use]
pub fn pure<C: Context>() -> Pure<C> {
    Pure(nodes())
}

/// The factory that [`pure`] returns.
pub struct Pure<C>(Nodes<C>);
super::factory!(Pure);

impl<C: Context> Pure<C> {
    /// Starts from the first child every tick; goes on while children succeed. Without children:
    /// success.
    pub fn sequence(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Success, "sequence", |c| {
            self.0.sequence(c).reactive().named("sequence")
        })
    }

    /// Starts from the first child every tick; goes on while children fail. Without children:
    /// failure.
    pub fn fallback(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Failure, "fallback", |c| {
            self.0.selector(c).reactive().named("fallback")
        })
    }

    /// Ticks every child in every tick, including finished ones. Fails if one fails in that tick,
    /// succeeds if all succeed. Without children: success.
    pub fn parallel(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        let options = Parallel {
            success: Threshold::All,
            failure: Threshold::Count(1),
            decide: Decide::AfterAll,
            tie: Tie::Failure,
            finished: Finished::Restart,
            leftover: Leftover::Halt,
        };
        or_constant(children, Status::Success, "parallel", |c| {
            self.0.parallel_with(options, c)
        })
    }

    /// Keeps running while the child succeeds, one round per tick; fails when the child fails.
    pub fn repeat_until_failure(self, child: Node<C>) -> Node<C> {
        self.0.repeat_forever(child)
    }
}
