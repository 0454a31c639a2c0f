//! Wake-ups from other threads.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tickseed_core::{Context, Handle, Herd};

use crate::remote::Remote;

/// To be called, from any thread, when something that a leaf waits for has happened.
#[derive(Clone)]
pub struct Notify(Arc<dyn Fn() + Send + Sync>);

impl Notify {
    /// A notification that calls a function.
    pub fn new(f: impl Fn() + Send + Sync + 'static) -> Notify {
        Notify(Arc::new(f))
    }

    /// A notification that does nothing, for a leaf that is ticked every time anyway.
    #[must_use]
    pub fn nobody() -> Notify {
        Notify::new(|| {})
    }

    /// Calls it.
    pub fn call(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notify")
    }
}

impl From<Remote> for Notify {
    fn from(remote: Remote) -> Notify {
        Notify::new(move || remote.wake())
    }
}

/// Wake-ups of a herd's agents, collected from other threads and delivered between ticks. Clones
/// share the same inbox.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    due: Arc<Mutex<Vec<Handle>>>,
    driver: Option<Remote>,
}

impl Inbox {
    /// An empty inbox.
    #[must_use]
    pub fn new() -> Inbox {
        Inbox::default()
    }

    /// An inbox that also wakes a driver, so that the agents are ticked at once.
    #[must_use]
    pub fn waking(driver: Remote) -> Inbox {
        Inbox {
            due: Arc::default(),
            driver: Some(driver),
        }
    }

    /// A notification that wakes this agent.
    #[must_use]
    pub fn notify(&self, agent: Handle) -> Notify {
        let Inbox { due, driver } = self.clone();
        Notify::new(move || {
            due.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(agent);
            if let Some(driver) = &driver {
                driver.wake();
            }
        })
    }

    /// Wakes the agents, ignoring those that are gone. Call it before [`Herd::tick_due`].
    pub fn deliver<C: Context>(&self, herd: &mut Herd<C>) {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        for agent in due.drain(..) {
            let _ = herd.wake(agent);
        }
    }
}
