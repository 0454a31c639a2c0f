//! A watcher's connection: a bounded queue between the process and its socket.

use std::collections::{BTreeSet, VecDeque};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

use crate::message::{Event, Subscription};

/// How many messages, or bytes, may wait for a watcher; further messages are dropped.
const MOST_WAITING: usize = 1024;
const MOST_BYTES: usize = 8 << 20;
/// Answers and the like are not dropped, but a watcher that lets this many pile up is disconnected.
const MOST_ANSWERS: usize = 4 * MOST_WAITING;

/// At the end, a socket that takes nothing for this long is given up. Long enough for the writing
/// thread to have a turn on a busy machine; only a watcher that does not read is waited for.
const STALLED: Duration = Duration::from_millis(200);

/// Whether a message may be dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weight {
    /// Ticks, scenes, summaries.
    MayDrop,
    /// Everything else.
    MustCome,
}

pub(super) struct Watcher {
    pub(super) id: u64,
    pub(super) wants: Mutex<Wants>,
    queue: Mutex<Queue>,
    woken: Condvar,
    socket: TcpStream,
}

/// What a watcher asked for.
#[derive(Default)]
pub(super) struct Wants {
    pub(super) subscription: Subscription,
    /// Agents whose next tick must hold all keys.
    pub(super) all_keys: BTreeSet<u32>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Out>,
    bytes: usize,
    dropped: u64,
    /// No more messages are accepted; waiting ones are still sent.
    closing: bool,
    /// The socket is no longer usable.
    over: bool,
}

impl Queue {
    fn put(&mut self, text: Arc<str>) {
        self.bytes += text.len();
        self.waiting.push_back(Out::Text(text));
    }
}

enum Out {
    Text(Arc<str>),
    Pong(Vec<u8>),
}

/// Locks even after a panic elsewhere: the guarded data is consistent after every statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watcher {
    pub(super) fn new(id: u64, socket: TcpStream) -> Watcher {
        Watcher {
            id,
            wants: Mutex::default(),
            queue: Mutex::default(),
            woken: Condvar::new(),
            socket,
        }
    }

    /// Whether it has asked for anything yet.
    pub(super) fn wants_any(&self) -> bool {
        lock(&self.wants).subscription != Subscription::default()
    }

    /// Puts a message in the queue without waiting; `false` if it was dropped.
    pub(super) fn push(&self, text: Arc<str>, weight: Weight) -> bool {
        let mut queue = lock(&self.queue);
        if queue.closing || queue.over {
            return false;
        }
        if weight == Weight::MayDrop {
            // Once full, it resumes only when there is room for many; otherwise every second
            // message would report a gap.
            let share = if queue.dropped > 0 { 2 } else { 1 };
            let full =
                queue.waiting.len() >= MOST_WAITING / share || queue.bytes >= MOST_BYTES / share;
            if full {
                queue.dropped += 1;
                return false;
            }
            if queue.dropped > 0 {
                let count = std::mem::take(&mut queue.dropped);
                if let Ok(gap) = serde_json::to_string(&Event::Dropped { count }) {
                    queue.put(gap.into());
                }
            }
        }
        if queue.waiting.len() >= MOST_ANSWERS {
            queue.over = true;
            let _ = self.socket.shutdown(Shutdown::Both);
        }
        queue.put(text);
        drop(queue);
        self.woken.notify_all();
        true
    }

    pub(super) fn pong(&self, payload: Vec<u8>) {
        let mut queue = lock(&self.queue);
        if queue.waiting.len() < MOST_WAITING {
            queue.waiting.push_back(Out::Pong(payload));
        }
        drop(queue);
        self.woken.notify_all();
    }

    /// Accepts no more messages. The writer sends the waiting ones and ends.
    pub(super) fn close(&self) {
        lock(&self.queue).closing = true;
        self.woken.notify_all();
    }

    /// Ends the connection at once.
    pub(super) fn cut(&self) {
        lock(&self.queue).over = true;
        let _ = self.socket.shutdown(Shutdown::Both);
        self.woken.notify_all();
    }

    /// Waits until everything is sent, as long as there is progress, and not beyond `until`.
    pub(super) fn wait_sent(&self, until: Instant) {
        let mut queue = lock(&self.queue);
        while !queue.over && Instant::now() < until {
            let before = queue.waiting.len();
            let waited = self.woken.wait_timeout(queue, STALLED);
            let timed_out;
            (queue, timed_out) = match waited {
                Ok((queue, timeout)) => (queue, timeout.timed_out()),
                Err(poisoned) => (poisoned.into_inner().0, true),
            };
            if timed_out && queue.waiting.len() == before {
                return;
            }
        }
    }

    /// Sends the messages in the queue until the connection ends. Runs in its own thread.
    pub(super) fn write(&self, socket: TcpStream) {
        let mut socket = WebSocket::from_raw_socket(socket, Role::Server, None);
        loop {
            let next = {
                let mut queue = lock(&self.queue);
                loop {
                    if queue.over {
                        return;
                    }
                    if let Some(next) = queue.waiting.pop_front() {
                        if let Out::Text(text) = &next {
                            queue.bytes -= text.len();
                        }
                        break Some(next);
                    }
                    if queue.closing {
                        break None;
                    }
                    let waited = self.woken.wait(queue);
                    queue = waited.unwrap_or_else(PoisonError::into_inner);
                }
            };
            let message = match next {
                Some(Out::Text(text)) => Message::text(&*text),
                Some(Out::Pong(payload)) => Message::Pong(payload.into()),
                None => Message::Close(None),
            };
            let last = matches!(message, Message::Close(_));
            if socket.send(message).is_err() || last {
                self.cut();
                return;
            }
        }
    }

    /// How long a write may take before the watcher is given up.
    pub(super) const PATIENCE: Duration = Duration::from_secs(30);
}
