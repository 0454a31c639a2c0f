//! Leaves with their own state, what a leaf may answer, and how it fails.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

use bytemuck::Pod;

use crate::context::{Context, Cx};
use crate::status::Status;

/// An error that a leaf reports instead of a status. The agent is left poisoned: see
/// [`Tree::recover`](crate::Tree::recover). Made from any error by `?`, or from text.
pub struct LeafError(Box<Inner>);

struct Inner {
    message: Cow<'static, str>,
    source: Option<Box<dyn core::error::Error + Send + Sync>>,
}

impl LeafError {
    /// An error with this message.
    #[must_use]
    pub fn new(message: impl Into<Cow<'static, str>>) -> LeafError {
        LeafError(Box::new(Inner {
            message: message.into(),
            source: None,
        }))
    }

    /// The error that this one was made from, if any.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|e| e as &(dyn core::error::Error + 'static))
    }
}

// Not an `Error` itself: that would rule out the conversion from every error.
impl<E: core::error::Error + Send + Sync + 'static> From<E> for LeafError {
    fn from(error: E) -> LeafError {
        let message = alloc::format!("{error}").into();
        LeafError(Box::new(Inner {
            message,
            source: Some(Box::new(error)),
        }))
    }
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A leaf's answer, as the engine takes it.
pub type Outcome = Result<Status, LeafError>;

/// An [`Outcome`] in one byte, as the executor's functions return it: an error is left in the
/// [`Cx`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Answer {
    Success,
    Failure,
    Running,
    Skipped,
    Error,
}

impl Answer {
    /// Splits an outcome: an error goes into the `Cx`.
    #[inline(always)]
    pub(crate) fn of<C: Context>(outcome: Outcome, cx: &mut Cx<'_, '_, C>) -> Answer {
        match outcome {
            Ok(Status::Success) => Answer::Success,
            Ok(Status::Failure) => Answer::Failure,
            Ok(Status::Running) => Answer::Running,
            Ok(Status::Skipped) => Answer::Skipped,
            Err(e) => {
                cx.leave_error(e);
                Answer::Error
            }
        }
    }

    /// Reassembles the outcome.
    pub(crate) fn outcome<C: Context>(self, cx: &mut Cx<'_, '_, C>) -> Outcome {
        match self {
            Answer::Success => Ok(Status::Success),
            Answer::Failure => Ok(Status::Failure),
            Answer::Running => Ok(Status::Running),
            Answer::Skipped => Ok(Status::Skipped),
            Answer::Error => Err(cx.take_error()),
        }
    }
}

/// What an action may return: a [`Status`]; a `bool` for success or failure; nothing for
/// success; or a `Result` of any of these.
pub trait IntoOutcome {
    /// The answer as the engine takes it.
    ///
    /// # Errors
    /// The leaf's own.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for Status {
    #[inline]
    fn into_outcome(self) -> Outcome {
        Ok(self)
    }
}

impl IntoOutcome for bool {
    #[inline]
    fn into_outcome(self) -> Outcome {
        Ok(Status::from_bool(self))
    }
}

impl IntoOutcome for () {
    #[inline]
    fn into_outcome(self) -> Outcome {
        Ok(Status::Success)
    }
}

impl<T: IntoOutcome, E: Into<LeafError>> IntoOutcome for Result<T, E> {
    #[inline]
    fn into_outcome(self) -> Outcome {
        self.map_err(Into::into)?.into_outcome()
    }
}

/// A leaf with plain state per agent.
///
/// ```
/// use tickseed_core::bytemuck::{Pod, Zeroable};
/// use tickseed_core::{Cx, Leaf, Outcome, Status, Time, nodes};
///
/// /// Takes this many ticks.
/// struct Steps(u32);
///
/// #[derive(Clone, Copy, Pod, Zeroable)]
/// #[bytemuck(crate = "tickseed_core::bytemuck")] // `"tickseed::bytemuck"` with the crate `tickseed`
/// #[repr(C)]
/// struct Done { steps: u32 }
///
/// impl Leaf<()> for Steps {
///     type State = Done; // a `u32` alone would do here
///     fn start(&self, done: &mut Done, cx: &mut Cx<'_, '_, ()>) -> Outcome {
///         self.tick(done, cx)
///     }
///     fn tick(&self, done: &mut Done, _: &mut Cx<'_, '_, ()>) -> Outcome {
///         done.steps += 1;
///         Ok(if done.steps < self.0 { Status::Running } else { Status::Success })
///     }
/// }
///
/// let tree = nodes().leaf("two steps", Steps(2)).build().unwrap();
/// let mut agent = tree.agent();
/// assert_eq!(tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(), Status::Running);
/// assert_eq!(tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(), Status::Success);
/// ```
///
/// The state is plain bytes ([`bytemuck::Pod`]) that live in the agent's block, zeroed when an
/// activation starts. Snapshots of an agent include it, and agents that share a tree cannot mix it
/// up. The engine guarantees one `start` for each activation, then `tick`s, then either a verdict
/// or one `halt`. An error does not end an activation: the leaf is halted when the agent is
/// recovered, even if `start` failed.
pub trait Leaf<C: Context>: Send + Sync + 'static {
    /// The state of one activation.
    type State: Pod;

    /// Begins an activation and is its first tick as well: it returns the answer of this tick.
    ///
    /// # Errors
    /// The leaf's own; the agent is then poisoned.
    fn start(&self, state: &mut Self::State, cx: &mut Cx<'_, '_, C>) -> Outcome;

    /// Continues an activation that answered `Running`.
    ///
    /// # Errors
    /// The leaf's own; the agent is then poisoned.
    fn tick(&self, state: &mut Self::State, cx: &mut Cx<'_, '_, C>) -> Outcome;

    /// Ends an activation early. It has no result and cannot steer the tree.
    fn halt(&self, _state: &mut Self::State, _cx: &mut Cx<'_, '_, C>) {}
}

/// A leaf whose state is not plain bytes (a future, a `Vec`). The state is boxed outside the
/// agent's block, so starting such a leaf allocates, and snapshots cannot hold it: prefer [`Leaf`]
/// where it suffices.
pub trait BoxedLeaf<C: Context>: Send + Sync + 'static {
    /// The state of one activation.
    type State: Send + 'static;

    /// Begins an activation: returns its state and the answer of its first tick. On a verdict the
    /// state is dropped at once. On an error there is no state, and no `halt` follows.
    ///
    /// # Errors
    /// The leaf's own; the agent is then poisoned.
    fn start(&self, cx: &mut Cx<'_, '_, C>) -> Result<(Self::State, Status), LeafError>;

    /// Continues an activation that answered `Running`.
    ///
    /// # Errors
    /// The leaf's own; the agent is then poisoned.
    fn tick(&self, state: &mut Self::State, cx: &mut Cx<'_, '_, C>) -> Outcome;

    /// Ends an activation early; the state is dropped afterwards.
    fn halt(&self, _state: &mut Self::State, _cx: &mut Cx<'_, '_, C>) {}
}

/// Which function of a leaf a tick calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The first tick of an activation.
    Start,
    /// A later tick.
    Tick,
}

/// [`Leaf`] without its state type. For executors; implemented for every leaf.
pub trait DynLeaf<C: Context>: Send + Sync {
    /// How many bytes of state it has.
    fn size(&self) -> usize;
    /// Starts or ticks on state bytes (the first [`size`](DynLeaf::size) of `state`), which are
    /// written back even if the leaf panics.
    ///
    /// # Errors
    /// The leaf's own.
    fn run(&self, phase: Phase, state: &mut [u8], cx: &mut Cx<'_, '_, C>) -> Outcome;
    /// Halt.
    fn halt(&self, state: &mut [u8], cx: &mut Cx<'_, '_, C>);
}

/// Plain state copied out of its bytes, and copied back when this is dropped, even on a panic.
struct Borrowed<'s, S: Pod> {
    bytes: &'s mut [u8],
    state: S,
}

impl<'s, S: Pod> Borrowed<'s, S> {
    #[inline]
    fn new(bytes: &'s mut [u8]) -> Self {
        let bytes = &mut bytes[..size_of::<S>()];
        let state = bytemuck::pod_read_unaligned(bytes);
        Borrowed { bytes, state }
    }

    #[inline]
    fn zeroed(bytes: &'s mut [u8]) -> Self {
        Borrowed {
            bytes: &mut bytes[..size_of::<S>()],
            state: S::zeroed(),
        }
    }
}

impl<S: Pod> Drop for Borrowed<'_, S> {
    fn drop(&mut self) {
        self.bytes.copy_from_slice(bytemuck::bytes_of(&self.state));
    }
}

impl<C: Context, L: Leaf<C>> DynLeaf<C> for L {
    fn size(&self) -> usize {
        size_of::<L::State>()
    }
    #[inline]
    fn run(&self, phase: Phase, state: &mut [u8], cx: &mut Cx<'_, '_, C>) -> Outcome {
        match phase {
            Phase::Start => self.start(&mut Borrowed::<L::State>::zeroed(state).state, cx),
            Phase::Tick => self.tick(&mut Borrowed::<L::State>::new(state).state, cx),
        }
    }
    fn halt(&self, state: &mut [u8], cx: &mut Cx<'_, '_, C>) {
        Leaf::halt(self, &mut Borrowed::<L::State>::new(state).state, cx);
    }
}

/// Where a boxed leaf's state lives while it runs.
pub type SideSlot = Option<Box<dyn Any + Send>>;

/// [`BoxedLeaf`] without its state type. For executors; implemented for every boxed leaf.
pub trait DynBoxedLeaf<C: Context>: Send + Sync {
    /// Start or tick.
    ///
    /// # Errors
    /// The leaf's own.
    fn run(&self, phase: Phase, slot: &mut SideSlot, cx: &mut Cx<'_, '_, C>) -> Outcome;
    /// Halt and drop the state.
    fn halt(&self, slot: &mut SideSlot, cx: &mut Cx<'_, '_, C>);
}

impl<C: Context, L: BoxedLeaf<C>> DynBoxedLeaf<C> for L {
    fn run(&self, phase: Phase, slot: &mut SideSlot, cx: &mut Cx<'_, '_, C>) -> Outcome {
        let status = match phase {
            Phase::Start => {
                *slot = None;
                let (state, status) = self.start(cx)?;
                if status == Status::Running {
                    *slot = Some(Box::new(state));
                }
                status
            }
            Phase::Tick => match slot.as_mut().and_then(|s| s.downcast_mut::<L::State>()) {
                Some(state) => self.tick(state, cx)?,
                // The state is gone, for example after loading a snapshot: begin again.
                None => return self.run(Phase::Start, slot, cx),
            },
        };
        if status != Status::Running {
            *slot = None;
        }
        Ok(status)
    }
    fn halt(&self, slot: &mut SideSlot, cx: &mut Cx<'_, '_, C>) {
        if let Some(mut state) = slot.take()
            && let Some(state) = state.downcast_mut::<L::State>()
        {
            BoxedLeaf::halt(self, state, cx);
        }
    }
}
