//! Leaves that are futures.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake, Waker};

use tickseed_core::{BoxedLeaf, Context, Cx, IntoOutcome, LeafError, Outcome, Status};

use crate::inbox::Notify;

type Made = Pin<Box<dyn Future<Output = Outcome> + Send>>;
/// Makes the future of an activation, and returns what to notify.
type Make<C> = Box<dyn for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> (Made, Notify) + Send + Sync>;

/// A leaf that polls a future. A function makes the future, with the context at hand, of which the
/// future borrows nothing. Ticks poll it after its waker was called; a halt of the leaf drops it.
///
/// If the future needs a runtime's reactor, tick within that runtime.
///
/// ```
/// use tickseed_core::{Status, Time, nodes};
/// use tickseed_driver::Async;
/// let n = nodes::<()>();
/// let tree = n.boxed_leaf("think", Async::new(|_| async { std::future::ready(42).await == 42 })).build().unwrap();
/// assert_eq!(tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap(), Status::Success);
/// ```
pub struct Async<C: Context> {
    make: Make<C>,
}

impl<C: Context> fmt::Debug for Async<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Async")
    }
}

fn boxed<F>(future: F) -> Made
where
    F: Future + Send + 'static,
    F::Output: IntoOutcome,
{
    Box::pin(async { future.await.into_outcome() })
}

impl<C: Context> Async<C> {
    /// A leaf whose future `make` makes. It must be ticked like any other leaf.
    pub fn new<F>(
        make: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future + Send + 'static,
        F::Output: IntoOutcome,
    {
        Async {
            make: Box::new(move |cx| (boxed(make(cx)), Notify::nobody())),
        }
    }

    /// A leaf that also says what to notify when the future can go on, so that it may
    /// [sleep](tickseed_core::Node::sleeps).
    pub fn notifying<F>(
        make: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> (F, Notify) + Send + Sync + 'static,
    ) -> Self
    where
        F: Future + Send + 'static,
        F::Output: IntoOutcome,
    {
        Async {
            make: Box::new(move |cx| {
                let (future, notify) = make(cx);
                (boxed(future), notify)
            }),
        }
    }
}

/// Remembers that the future can go on.
struct Alarm {
    rung: AtomicBool,
    /// The leaf has ended: nothing is notified any more.
    over: AtomicBool,
    notify: Notify,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        // Only the first call since the last poll notifies.
        let first = !self.rung.swap(true, Ordering::AcqRel);
        if first && !self.over.load(Ordering::Acquire) {
            self.notify.call();
        }
    }
}

/// A running future.
pub struct Pending {
    future: Made,
    alarm: Arc<Alarm>,
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending")
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.alarm.over.store(true, Ordering::Release);
    }
}

impl Pending {
    fn poll(&mut self) -> Outcome {
        if !self.alarm.rung.swap(false, Ordering::AcqRel) {
            return Ok(Status::Running);
        }
        let waker = Waker::from(self.alarm.clone());
        let mut cx = std::task::Context::from_waker(&waker);
        match self.future.as_mut().poll(&mut cx) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Ok(Status::Running),
        }
    }
}

impl<C: Context> BoxedLeaf<C> for Async<C> {
    type State = Pending;

    fn start(&self, cx: &mut Cx<'_, '_, C>) -> Result<(Pending, Status), LeafError> {
        let (future, notify) = (self.make)(cx);
        let mut pending = Pending {
            future,
            alarm: Arc::new(Alarm {
                rung: AtomicBool::new(true),
                over: AtomicBool::new(false),
                notify,
            }),
        };
        let status = pending.poll()?;
        Ok((pending, status))
    }

    fn tick(&self, pending: &mut Pending, _: &mut Cx<'_, '_, C>) -> Outcome {
        pending.poll()
    }
}
