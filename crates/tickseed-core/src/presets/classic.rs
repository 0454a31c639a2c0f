//! Document 003.

use alloc::vec::Vec;

use super::or_constant;
use super::skill::{Require, threshold};
use crate::context::Context;
use crate::node::{Node, Nodes, nodes};
use crate::nodes::{Decide, Finished, Leftover, Parallel, Tie};
use crate::status::Status;

/// Document 003's nodes.
///
/// Deviations, where its listing is faulty:
/// * *Abort* there is shallow: an aborted composite does not tell the running leaf below it, which
///   still counts as running when it is next reached. Here the leaf is halted.
/// * The *active selector* there aborts its previous child even if that child was not running, so
///   the child's end hook is called twice. Here only a running child is halted.
/// * The *parallel* there keeps its children's verdicts for ever: a second activation returns
///   the first one's verdict without ticking anything. Here each activation starts afresh.
/// * A parallel there with all/all and mixed verdicts runs for ever without ticking anything. Here
///   it fails once all children have finished.
///
/// ```
/// use tickseed_core::presets::{Require, classic};
/// use tickseed_core::{Status, Time};
/// let n = classic::<()>();
/// // The first child that finishes decides, and later ones are not ticked.
/// let tree = n.parallel(Require::One, Require::One, [n.succeed(), n.fail()]).build()?;
/// assert_eq!(tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap(), Status::Success);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
#[must_use]
pub fn classic<C: Context>() -> Classic<C> {
    Classic(nodes())
}

/// The factory that [`classic`] returns.
pub struct Classic<C>(Nodes<C>);
super::factory!(Classic);

impl<C: Context> Classic<C> {
    /// Children in order while they succeed, resuming. Without children: failure.
    pub fn sequence(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Failure, "sequence", |c| {
            self.0.sequence(c)
        })
    }

    /// Children in order while they fail, resuming. Without children: failure.
    pub fn selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Failure, "selector", |c| {
            self.0.selector(c)
        })
    }

    /// The selector that starts at its first child every tick. Without children: failure.
    pub fn active_selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Failure, "active selector", |c| {
            self.0.selector(c).reactive().named("active selector")
        })
    }

    /// All unfinished children in child order, deciding after each: the first that meets a
    /// policy ends it, later ones are not ticked and running ones are halted.
    ///
    /// Without children: running for one/one, else success if success takes all, else failure.
    pub fn parallel(
        self,
        success: Require,
        failure: Require,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        let empty = match (success, failure) {
            (Require::All, _) => Status::Success,
            (Require::One, Require::All) => Status::Failure,
            (Require::One, Require::One) => Status::Running,
        };
        let options = Parallel {
            success: threshold(success),
            failure: threshold(failure),
            // "All" is counted only after the last child. Deciding early would also fail early, at
            // the first failing child, where failure requires all.
            decide: match (success, failure) {
                (Require::All, Require::All) => Decide::AfterAll,
                _ => Decide::AsSoonAsKnown,
            },
            // One child meets one policy, so there is no tie to break.
            tie: Tie::Failure,
            finished: Finished::Latch,
            leftover: Leftover::Halt,
        };
        or_constant(children, empty, "parallel", |c| {
            self.0.parallel_with(options, c)
        })
    }

    /// A sequence of conditions, then actions. The document adds conditions at the front, so the
    /// one added last is asked first; the same holds here.
    pub fn filter(
        self,
        conditions: impl IntoIterator<Item = Node<C>>,
        actions: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        self.sequence(in_front(conditions, actions)).named("filter")
    }

    /// A parallel of conditions, then actions, in the order of a filter. With the document's
    /// default of one/one the first condition that holds ends it before any action is ticked, and
    /// with all/one a condition that has held is not asked again: use [`Nodes::monitor`] instead.
    pub fn monitor(
        self,
        success: Require,
        failure: Require,
        conditions: impl IntoIterator<Item = Node<C>>,
        actions: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        self.parallel(success, failure, in_front(conditions, actions))
            .named("monitor")
    }

    /// Runs the child until it has succeeded `limit` times, all within one tick unless the child
    /// answers running; fails if the child fails. A limit of zero succeeds without touching it.
    pub fn repeat(self, limit: u32, child: Node<C>) -> Node<C> {
        if limit == 0 {
            return self.0.succeed().named("repeat");
        }
        self.0.repeat(limit, child).drain(limit)
    }

    /// Turns success into failure and failure into success.
    pub fn inverter(self, child: Node<C>) -> Node<C> {
        self.0.invert(child)
    }
}

fn in_front<C: Context>(
    conditions: impl IntoIterator<Item = Node<C>>,
    actions: impl IntoIterator<Item = Node<C>>,
) -> Vec<Node<C>> {
    let mut all: Vec<_> = conditions.into_iter().collect();
    all.reverse();
    all.extend(actions);
    all
}
