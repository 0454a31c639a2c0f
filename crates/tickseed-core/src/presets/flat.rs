//! Document 004 (FlatTree 0.3).

use core::time::Duration;

use crate::context::Context;
use crate::node::{Node, Nodes, nodes};
use crate::nodes::{Decide, Finished, Leftover, Parallel, Threshold, Tie};

/// Document 004's nodes. Its plain selector, sequence, random composites, decorators and
/// leaves are the engine's defaults; this adds the names that differ.
///
/// Deviations, all deliberate:
/// * *Skipped* children exist here and not there.
/// * *Reset* there also reaches leaves that have finished; here only running leaves.
/// * *Random order* is drawn evenly here too, but by another generator; there it takes at most 64
///   children, here as many as [`Node::random`] takes. A *simple parallel* takes at most 16
///   children there, any number here.
/// * *Wait* with a range includes its upper bound here.
/// * *For each* computes the count once per activation and announces each index once; there the
///   count is read again every tick, and a shrinking count abandons a running body.
/// * *Recovery*: after an error the agent is poisoned, and `recover` halts what had started;
///   there every node's hook is called, whether it had started or not.
///
/// ```
/// use tickseed_core::presets::{Policy, flat};
/// use tickseed_core::{Status, Time};
///
/// let n = flat::<()>();
/// let tree = n.priority_selector([
///     n.simple_parallel(Policy::OnlyOneMustSucceed, [n.fail(), n.run_forever()]),
///     n.succeed(),
/// ]).build()?;
/// assert_eq!(tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap(), Status::Running);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
#[must_use]
pub fn flat<C: Context>() -> Flat<C> {
    Flat(nodes())
}

/// The factory that [`flat`] returns.
pub struct Flat<C>(Nodes<C>);
super::factory!(Flat);

/// When a simple parallel succeeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Policy {
    /// When all children have; it fails when one fails, which beats a success in the same tick.
    BothMustSucceed,
    /// When one child has, which beats a failure in the same tick; it fails when all have failed.
    OnlyOneMustSucceed,
}

impl<C: Context> Flat<C> {
    /// Starts from the first child every tick; a later running child is halted once an earlier one
    /// takes over.
    pub fn priority_selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        self.0.selector(children).reactive()
    }

    /// The mirror image of the priority selector.
    pub fn priority_sequence(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        self.0.sequence(children).reactive()
    }

    /// Children in an order drawn anew in each activation, until one does not fail.
    pub fn random_selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        self.0.selector(children).random()
    }

    /// Children in an order drawn anew in each activation, while they succeed.
    pub fn random_sequence(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        self.0.sequence(children).random()
    }

    /// All children at once: every unfinished child is ticked in every tick, finished children keep
    /// their verdicts, and the node decides after all were ticked.
    pub fn simple_parallel(
        self,
        policy: Policy,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        let (success, failure, tie) = match policy {
            Policy::BothMustSucceed => (Threshold::All, Threshold::Count(1), Tie::Failure),
            Policy::OnlyOneMustSucceed => (Threshold::Count(1), Threshold::All, Tie::Success),
        };
        let options = Parallel {
            success,
            failure,
            decide: Decide::AfterAll,
            tie,
            finished: Finished::Latch,
            leftover: Leftover::Halt,
        };
        self.0.parallel_with(options, children)
    }

    /// Passes on the child's answers and rewinds the child when it finishes. Since every finished
    /// node is rewound here, this is the child itself.
    pub fn auto_reset(self, child: Node<C>) -> Node<C> {
        child
    }

    /// Turns success into failure and failure into success.
    pub fn inverter(self, child: Node<C>) -> Node<C> {
        self.0.invert(child)
    }

    /// Succeeds however the child finishes.
    pub fn always_succeed(self, child: Node<C>) -> Node<C> {
        self.0.force_success(child)
    }

    /// Fails however the child finishes.
    pub fn always_fail(self, child: Node<C>) -> Node<C> {
        self.0.force_failure(child)
    }

    /// Runs the child until it fails, one attempt per tick, then succeeds.
    pub fn until_failed(self, child: Node<C>) -> Node<C> {
        self.0.until_failure(child)
    }

    /// After the child has finished, repeats its verdict for the interval without ticking it.
    pub fn rate_limiter(self, interval: Duration, child: Node<C>) -> Node<C> {
        self.0.rate_limit(interval, child)
    }
}
