//! Document 000.

use core::time::Duration;

use super::or_constant;
use crate::context::{Context, Cx};
use crate::custom::{Branches, CustomNode, Stop};
use crate::leaf::{Leaf, Outcome};
use crate::node::{Node, Nodes, nodes};
use crate::nodes::{Decide, Finished, Leftover, Parallel, Threshold, Tie};
use crate::status::Status;

/// Document 000's nodes.
///
/// Deviations:
/// * *Reset* there goes to every leaf of an abandoned branch, started or not; here only to running
///   ones.
/// * The *cooldown* there is refunded when its branch is reset, even if it had closed before: an
///   interruption gives an ability back. Here a closed gate stays closed; only a halt of the
///   running node opens it, with [`Node::refund_on_halt`].
/// * A *parallel* there leaves running children running when it ends, so that a composite child
///   continues in the middle at the next activation. Here they are halted.
/// * The *wait* there already adds the tick's `dt` on its first tick. So does [`wait`](Skill::wait)
///   here, but an agent's very first tick has a `dt` of zero. Also, the wait there is not rearmed
///   after it has succeeded, so the second run of a branch does not wait at all;
///   [`wait_unarmed`](Skill::wait_unarmed) does that, as a warning.
/// * Composites may be empty there, and here as well, where they become constants.
///
/// ```
/// use tickseed_core::presets::{Require, skill};
/// use tickseed_core::{Status, Time};
/// let n = skill::<()>();
/// // Decided after all children were ticked, failure first.
/// let tree = n.parallel(Require::One, Require::One, [n.succeed(), n.fail()]).build()?;
/// assert_eq!(tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap(), Status::Failure);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
#[must_use]
pub fn skill<C: Context>() -> Skill<C> {
    Skill(nodes())
}

/// The factory that [`skill`] returns.
pub struct Skill<C>(Nodes<C>);
super::factory!(Skill);

/// How many children a parallel's verdict requires, in documents 000 and 003.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Require {
    /// One.
    One,
    /// All.
    All,
}

pub(super) fn threshold(require: Require) -> Threshold {
    match require {
        Require::One => Threshold::Count(1),
        Require::All => Threshold::All,
    }
}

impl<C: Context> Skill<C> {
    /// Children in order while they succeed, resuming. Without children: success.
    pub fn sequence(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Success, "sequence", |c| {
            self.0.sequence(c)
        })
    }

    /// Children in order while they fail, resuming. Without children: failure.
    pub fn selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Failure, "selector", |c| {
            self.0.selector(c)
        })
    }

    /// Starts from the first child every tick; the previous child is halted after another has taken
    /// over. Without children: failure.
    pub fn reactive_selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        or_constant(children, Status::Failure, "reactive selector", |c| {
            self.0.selector(c).reactive()
        })
    }

    /// Ticks every child in every tick, including finished ones; decides after all were ticked, by
    /// this tick's answers, failure first. With all/all, mixed verdicts keep it running.
    ///
    /// Without children: failure if failure requires all, else success if success requires all,
    /// else running.
    pub fn parallel(
        self,
        success: Require,
        failure: Require,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        let empty = match (success, failure) {
            (_, Require::All) => Status::Failure,
            (Require::All, Require::One) => Status::Success,
            (Require::One, Require::One) => Status::Running,
        };
        let options = Parallel {
            success: threshold(success),
            failure: threshold(failure),
            decide: Decide::AfterAll,
            tie: Tie::Failure,
            finished: Finished::Restart,
            leftover: Leftover::Halt,
        };
        or_constant(children, empty, "parallel", |c| {
            if (success, failure) == (Require::All, Require::All) {
                // The engine's parallel fails when all have finished without a verdict.
                self.0.custom(AllAgree, c).named("parallel")
            } else {
                self.0.parallel_with(options, c)
            }
        })
    }

    /// Runs the child until it has succeeded `times` times, one round per tick; for ever if `times`
    /// is zero or less. Fails if the child fails.
    pub fn repeat(self, times: i32, child: Node<C>) -> Node<C> {
        match u32::try_from(times) {
            Ok(n) if n > 0 => self.0.repeat(n, child),
            _ => self.0.repeat_forever(child),
        }
    }

    /// Turns success into failure and failure into success.
    pub fn inverter(self, child: Node<C>) -> Node<C> {
        self.0.invert(child)
    }

    /// A wait that adds up the time between its agent's ticks, including that of its first tick.
    pub fn wait(self, duration: Duration) -> Node<C> {
        self.0.leaf("wait", Elapsed(duration.as_secs_f32()))
    }

    /// The document's wait, to the letter: after it has succeeded once, it succeeds at once for
    /// ever, until it is halted while running.
    pub fn wait_unarmed(self, duration: Duration) -> Node<C> {
        let wait = Unarmed(duration.as_secs_f32());
        self.0.custom(wait, []).named("wait, not armed again")
    }
}

/// Succeeds or fails when all children do in the same tick.
struct AllAgree;

impl<C: Context> CustomNode<C> for AllAgree {
    type State = ();
    type Memory = ();
    fn name(&self) -> &'static str {
        "parallel until all agree"
    }
    fn tick(&self, n: &mut Branches<'_, C>, (): &mut (), (): &mut ()) -> Result<Status, Stop> {
        let (mut successes, mut failures, mut there) = (0, 0, 0);
        for i in 0..n.len() {
            let status = n.tick(i)?;
            successes += u32::from(status == Status::Success);
            failures += u32::from(status == Status::Failure);
            there += u32::from(status != Status::Skipped);
        }
        Ok(match there {
            0 => Status::Skipped,
            n if n == failures => Status::Failure,
            n if n == successes => Status::Success,
            _ => Status::Running,
        })
    }
}

struct Elapsed(f32);

impl Elapsed {
    fn add(&self, elapsed: &mut f32, dt: f32) -> Status {
        *elapsed += dt;
        if *elapsed < self.0 {
            Status::Running
        } else {
            Status::Success
        }
    }
}

impl<C: Context> Leaf<C> for Elapsed {
    type State = f32;
    fn start(&self, elapsed: &mut f32, cx: &mut Cx<'_, '_, C>) -> Outcome {
        Ok(self.add(elapsed, cx.dt_secs()))
    }
    fn tick(&self, elapsed: &mut f32, cx: &mut Cx<'_, '_, C>) -> Outcome {
        Ok(self.add(elapsed, cx.dt_secs()))
    }
}

/// Keeps the elapsed time in memory that only a halt clears.
struct Unarmed(f32);

impl<C: Context> CustomNode<C> for Unarmed {
    type State = ();
    type Memory = f32;
    fn name(&self) -> &'static str {
        "wait"
    }
    fn tick(
        &self,
        n: &mut Branches<'_, C>,
        (): &mut (),
        elapsed: &mut f32,
    ) -> Result<Status, Stop> {
        let dt = n.with_cx(|cx| cx.dt_secs());
        Ok(Elapsed(self.0).add(elapsed, dt))
    }
    fn halt(&self, (): &mut (), elapsed: &mut f32, _: &mut Cx<'_, '_, C>) {
        *elapsed = 0.0;
    }
    fn preempts(&self) -> bool {
        false
    }
    fn arity(&self) -> core::ops::RangeInclusive<usize> {
        0..=0
    }
}
