//! Composites and decorators written by users, on the trait that the engine's own more unusual
//! nodes use as well.

use bytemuck::Pod;

use crate::context::{Context, Cx};
use crate::leaf::LeafError;
use crate::status::Status;

/// A composite or decorator whose rule is user code.
///
/// Each child has a resume point of its own. The rule ticks and halts children through
/// [`Branches`], in any order; the engine guarantees that a child is started and ended
/// exactly once per activation, that children left running when the node finishes are
/// halted in child order, and that halting the node halts its running children first and
/// then calls [`halt`](CustomNode::halt).
///
/// ```
/// use tickseed_core::{Branches, CustomNode, Status, Stop, Time, nodes};
///
/// /// Succeeds when two children in a row have succeeded.
/// struct TwoInARow;
/// impl CustomNode<()> for TwoInARow {
///     type State = u32;
///     type Memory = ();
///     fn name(&self) -> &'static str { "two in a row" }
///     fn tick(&self, n: &mut Branches<'_, ()>, row: &mut u32, _: &mut ()) -> Result<Status, Stop> {
///         for i in 0..n.len() {
///             match n.tick(i)? {
///                 Status::Success => *row += 1,
///                 Status::Running => return Ok(Status::Running),
///                 _ => *row = 0,
///             }
///             if *row == 2 { return Ok(Status::Success); }
///         }
///         Ok(Status::Failure)
///     }
/// }
///
/// let n = nodes::<()>();
/// let tree = n.custom(TwoInARow, [n.fail(), n.succeed(), n.succeed()]).build().unwrap();
/// assert_eq!(tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap(), Status::Success);
/// ```
pub trait CustomNode<C: Context>: Send + Sync + 'static {
    /// Plain state of one activation, zeroed when it starts. `()` if none.
    type State: Pod;

    /// Plain state that outlives activations and halts, zero in a new agent. `()` if none.
    type Memory: Pod;

    /// The kind's name, for printing.
    fn name(&self) -> &'static str;

    /// One tick. `Running` keeps the activation; anything else ends it.
    ///
    /// # Errors
    /// Pass on what [`Branches::tick`] reports, or return a [`LeafError`] of the rule's own.
    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        state: &mut Self::State,
        memory: &mut Self::Memory,
    ) -> Result<Status, Stop>;

    /// Called when a running activation is halted, after its children have been halted.
    fn halt(&self, _state: &mut Self::State, _memory: &mut Self::Memory, _cx: &mut Cx<'_, '_, C>) {}

    /// Whether the node can halt a child that has not finished. If so, nothing uninterruptible may
    /// stand below it.
    fn preempts(&self) -> bool {
        true
    }

    /// How many children the node takes; any other number is a build error.
    fn arity(&self) -> core::ops::RangeInclusive<usize> {
        1..=usize::MAX
    }
}

/// Why a tick stopped early: a leaf failed with an error somewhere below. Pass it on.
#[derive(Debug)]
pub struct Stop(pub(crate) Option<LeafError>);

impl From<LeafError> for Stop {
    fn from(e: LeafError) -> Stop {
        Stop(Some(e))
    }
}

impl Stop {
    /// A stop for an error that was reported elsewhere. For executors.
    #[must_use]
    pub fn passed_on() -> Stop {
        Stop(None)
    }

    /// The rule's own error, if that is the reason.
    #[must_use]
    pub fn into_error(self) -> Option<LeafError> {
        self.0
    }
}

/// How an executor serves a custom node. Implemented by executors, used through [`Branches`].
pub trait BranchHost<C: Context> {
    /// How many children there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Ticks a child.
    ///
    /// # Errors
    /// A leaf below failed.
    fn tick(&mut self, child: usize) -> Result<Status, Stop>;
    /// Halts a child if it is running.
    fn halt(&mut self, child: usize);
    /// Whether a child is running.
    fn is_running(&self, child: usize) -> bool;
    /// Calls `f` with the context, time and random stream of the tick.
    fn with_cx(&mut self, f: &mut dyn FnMut(&mut Cx<'_, '_, C>));
    /// The bytes of the node's state.
    fn state(&mut self) -> &mut [u8];
    /// The bytes of the node's memory.
    fn memory(&mut self) -> &mut [u8];
}

/// The children of a custom node during its tick.
pub struct Branches<'h, C: Context> {
    host: &'h mut dyn BranchHost<C>,
    fresh: bool,
}

impl<'h, C: Context> Branches<'h, C> {
    /// For executors: the children served by `host`; `fresh` at an activation's first tick.
    pub fn new(host: &'h mut dyn BranchHost<C>, fresh: bool) -> Self {
        Branches { host, fresh }
    }

    /// How many children the node has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.host.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.host.len() == 0
    }

    /// Whether this is the first tick of an activation.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Ticks a child: resumes it if it runs, starts it otherwise. A child index that does
    /// not exist is answered with `Skipped`.
    ///
    /// # Errors
    /// A leaf below failed with an error; the rule should return at once with `?`.
    pub fn tick(&mut self, child: usize) -> Result<Status, Stop> {
        if child < self.host.len() {
            self.host.tick(child)
        } else {
            Ok(Status::Skipped)
        }
    }

    /// Halts a child if it is running.
    pub fn halt(&mut self, child: usize) {
        if child < self.host.len() {
            self.host.halt(child);
        }
    }

    /// Halts every running child, in child order.
    pub fn halt_all(&mut self) {
        (0..self.len()).for_each(|i| self.host.halt(i));
    }

    /// Whether a child is running: its last tick answered `Running`, and it has not been halted
    /// since.
    #[must_use]
    pub fn is_running(&self, child: usize) -> bool {
        child < self.host.len() && self.host.is_running(child)
    }

    /// Gives access to the context, the time and the random stream.
    pub fn with_cx<R>(&mut self, f: impl FnOnce(&mut Cx<'_, '_, C>) -> R) -> R {
        let (mut f, mut out) = (Some(f), None);
        self.host.with_cx(&mut |cx| {
            if let Some(f) = f.take() {
                out = Some(f(cx));
            }
        });
        // A host calls its argument exactly once; a host that does not is unusable.
        out.expect("a branch host must call the function it is given")
    }
}

/// [`CustomNode`] without its state types. For executors; implemented for every custom node.
pub trait DynCustom<C: Context>: Send + Sync {
    /// The kind's name.
    fn name(&self) -> &'static str;
    /// Bytes of state and of memory.
    fn sizes(&self) -> (usize, usize);
    /// One tick; state and memory are the host's.
    ///
    /// # Errors
    /// The node's own.
    fn tick(&self, branches: &mut Branches<'_, C>) -> Result<Status, Stop>;
    /// The halt hook.
    fn halt(&self, state: &mut [u8], memory: &mut [u8], cx: &mut Cx<'_, '_, C>);
    /// See [`CustomNode::preempts`].
    fn preempts(&self) -> bool;
    /// See [`CustomNode::arity`].
    fn arity(&self) -> core::ops::RangeInclusive<usize>;
}

impl<C: Context, N: CustomNode<C>> DynCustom<C> for N {
    fn name(&self) -> &'static str {
        CustomNode::name(self)
    }
    fn sizes(&self) -> (usize, usize) {
        (size_of::<N::State>(), size_of::<N::Memory>())
    }
    fn tick(&self, branches: &mut Branches<'_, C>) -> Result<Status, Stop> {
        // Copies, because the host serves the children meanwhile. If a leaf below panics, they are
        // not written back, and the node keeps the state it had before the tick.
        let mut s: N::State = bytemuck::pod_read_unaligned(branches.host.state());
        let mut m: N::Memory = bytemuck::pod_read_unaligned(branches.host.memory());
        let result = CustomNode::tick(self, branches, &mut s, &mut m);
        branches
            .host
            .state()
            .copy_from_slice(bytemuck::bytes_of(&s));
        branches
            .host
            .memory()
            .copy_from_slice(bytemuck::bytes_of(&m));
        result
    }
    fn halt(&self, state: &mut [u8], memory: &mut [u8], cx: &mut Cx<'_, '_, C>) {
        let mut s: N::State = bytemuck::pod_read_unaligned(state);
        let mut m: N::Memory = bytemuck::pod_read_unaligned(memory);
        CustomNode::halt(self, &mut s, &mut m, cx);
        state.copy_from_slice(bytemuck::bytes_of(&s));
        memory.copy_from_slice(bytemuck::bytes_of(&m));
    }
    fn preempts(&self) -> bool {
        CustomNode::preempts(self)
    }
    fn arity(&self) -> core::ops::RangeInclusive<usize> {
        CustomNode::arity(self)
    }
}
