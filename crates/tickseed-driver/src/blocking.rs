//! Leaves that work on a separate thread.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tickseed_core::{BoxedLeaf, Context, Cx, IntoOutcome, LeafError, Outcome, Status};

use crate::inbox::Notify;

/// Tells work that its result is no longer wanted.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Whether to give up. Check this regularly: a thread cannot be stopped from outside.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

type Work = Box<dyn FnOnce(&Cancel) -> Outcome + Send>;
/// Makes the work of an activation, and returns what to notify.
type Make<C> = Box<dyn for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> (Work, Notify) + Send + Sync>;

/// A leaf that does blocking work on a thread. A function makes the work, with the context at hand;
/// the work itself runs elsewhere and borrows nothing. The leaf answers running until the work is
/// done. A halt tells the work to stop without waiting for it, and discards its answer. If the work
/// panics, its leaf fails with an error.
pub struct Blocking<C: Context> {
    make: Make<C>,
}

impl<C: Context> fmt::Debug for Blocking<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocking")
    }
}

fn work<R: IntoOutcome>(f: impl FnOnce(&Cancel) -> R + Send + 'static) -> Work {
    Box::new(move |cancel| f(cancel).into_outcome())
}

impl<C: Context> Blocking<C> {
    /// A leaf whose work `make` makes. It must be ticked like any other leaf.
    pub fn new<W, R>(
        make: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> W + Send + Sync + 'static,
    ) -> Self
    where
        W: FnOnce(&Cancel) -> R + Send + 'static,
        R: IntoOutcome,
    {
        Blocking {
            make: Box::new(move |cx| (work(make(cx)), Notify::nobody())),
        }
    }

    /// A leaf that also says what to notify when the work is done, so that it may
    /// [sleep](tickseed_core::Node::sleeps).
    pub fn notifying<W, R>(
        make: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> (W, Notify) + Send + Sync + 'static,
    ) -> Self
    where
        W: FnOnce(&Cancel) -> R + Send + 'static,
        R: IntoOutcome,
    {
        Blocking {
            make: Box::new(move |cx| {
                let (f, notify) = make(cx);
                (work(f), notify)
            }),
        }
    }
}

/// Work in progress; dropping this cancels it.
#[derive(Debug)]
pub struct Job {
    cancel: Cancel,
    result: Arc<Mutex<Option<Outcome>>>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel.0.store(true, Ordering::Release);
    }
}

impl Job {
    fn start(work: Work, notify: Notify) -> Result<Job, LeafError> {
        let job = Job {
            cancel: Cancel::default(),
            result: Arc::default(),
        };
        let (cancel, result) = (job.cancel.clone(), job.result.clone());
        let run = move || {
            let done = catch_unwind(AssertUnwindSafe(|| work(&cancel)));
            let done = done.unwrap_or_else(|panic| {
                let said = (panic.downcast_ref::<&str>().copied())
                    .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
                Err(LeafError::new(match said {
                    Some(said) => format!("the work panicked: {said}"),
                    None => "the work panicked".to_owned(),
                }))
            });
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            if !cancel.is_cancelled() {
                notify.call();
            }
        };
        thread::Builder::new()
            .name("tickseed-work".into())
            .spawn(run)?;
        Ok(job)
    }
}

impl<C: Context> BoxedLeaf<C> for Blocking<C> {
    type State = Job;

    fn start(&self, cx: &mut Cx<'_, '_, C>) -> Result<(Job, Status), LeafError> {
        let (work, notify) = (self.make)(cx);
        Ok((Job::start(work, notify)?, Status::Running))
    }

    fn tick(&self, job: &mut Job, _: &mut Cx<'_, '_, C>) -> Outcome {
        let mut result = job.result.lock().unwrap_or_else(PoisonError::into_inner);
        match result.take() {
            // Work cannot answer running: its answer is the verdict.
            Some(Ok(Status::Running)) => Err(LeafError::new("the work answered `Running`")),
            Some(outcome) => outcome,
            None => Ok(Status::Running),
        }
    }
}
