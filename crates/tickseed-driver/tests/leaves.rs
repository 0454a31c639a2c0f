//! Leaves that take longer than a tick: futures and work on threads.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use tickseed_core::{Context, Handle, Herd, LeafError, Status, TickError, Time, nodes};
use tickseed_driver::{Async, Blocking, Driver, Inbox, Next};

/// A future that is completed by hand, and counts its polls and whether it was dropped.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<Inner>>);
#[derive(Default)]
struct Inner {
    open: bool,
    waker: Option<Waker>,
    polls: u32,
    dropped: u32,
}
struct Wait(Gate);
impl Future for Wait {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<()> {
        let mut inner = self.0.0.lock().unwrap();
        inner.polls += 1;
        inner.waker = Some(cx.waker().clone());
        if inner.open {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}
impl Drop for Wait {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().dropped += 1;
    }
}
impl Gate {
    fn open(&self) {
        let waker = {
            let mut inner = self.0.lock().unwrap();
            inner.open = true;
            inner.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
    fn polls(&self) -> u32 {
        self.0.lock().unwrap().polls
    }
    fn dropped(&self) -> u32 {
        self.0.lock().unwrap().dropped
    }
}

#[test]
fn a_future_is_polled_when_its_waker_was_called_and_only_then() {
    let gate = Gate::default();
    let (n, made) = (nodes::<()>(), gate.clone());
    let leaf = Async::new(move |_| {
        let wait = Wait(made.clone());
        async move {
            wait.await;
            Status::Failure
        }
    });
    let tree = n.boxed_leaf("wait", leaf).build().unwrap();
    let mut agent = tree.agent();
    for _ in 0..3 {
        assert_eq!(
            tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(),
            Status::Running
        );
    }
    assert_eq!(gate.polls(), 1);
    gate.open();
    assert_eq!(
        tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(),
        Status::Failure
    );
    assert_eq!((gate.polls(), gate.dropped()), (2, 1));
}

#[test]
fn a_halt_drops_the_future_and_a_late_wake_reaches_nobody() {
    let gate = Gate::default();
    let told = Arc::new(AtomicU32::new(0));
    let (n, made, count) = (nodes::<()>(), gate.clone(), told.clone());
    let leaf = Async::notifying(move |_| {
        let count = count.clone();
        let notify = tickseed_driver::Notify::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        (Wait(made.clone()), notify)
    });
    let tree = n.boxed_leaf("wait", leaf).build().unwrap();
    let mut agent = tree.agent();
    tree.tick(&mut agent, &mut (), Time::ZERO).unwrap();
    tree.halt(&mut agent, &mut (), Time::ZERO).unwrap();
    assert_eq!(gate.dropped(), 1);
    gate.open();
    assert_eq!(told.load(Ordering::Relaxed), 0);
}

#[test]
fn errors_of_futures_are_errors_of_their_leaf() {
    let n = nodes::<()>();
    let leaf = Async::new(|_| async { Err::<Status, _>(LeafError::new("no way")) });
    let tree = n.boxed_leaf("fail", leaf).build().unwrap();
    let error = tree
        .tick(&mut tree.agent(), &mut (), Time::ZERO)
        .unwrap_err();
    assert!(matches!(&error, TickError::Leaf { error, .. } if error.to_string() == "no way"));
}

/// An agent that knows who it is and where its wake-ups go.
struct Me {
    handle: Handle,
    inbox: Inbox,
    gate: Gate,
}
impl Context for Me {
    type At<'a> = Me;
}

#[test]
fn an_agent_of_a_herd_sleeps_until_its_future_can_go_on() {
    let n = nodes::<Me>();
    let leaf = Async::notifying(|me: &mut tickseed_core::Cx<'_, '_, Me>| {
        (Wait(me.gate.clone()), me.inbox.notify(me.handle))
    });
    let tree = n.boxed_leaf("wait", leaf).sleeps().build().unwrap();
    let mut herd = Herd::new(Arc::new(tree));
    let inbox = Inbox::new();
    let mut all: Vec<Me> = (0..3)
        .map(|_| Me {
            handle: herd.spawn().unwrap(),
            inbox: inbox.clone(),
            gate: Gate::default(),
        })
        .collect();
    let mut step = |herd: &mut Herd<Me>, now| {
        inbox.deliver(herd);
        let mut ended = Vec::new();
        herd.tick_due(Time(now), |a| {
            let i = a.index();
            if a.tick(&mut all[i]).unwrap() == Status::Success {
                ended.push(i);
            }
        });
        if now == 5 {
            let gate = all[1].gate.clone();
            thread::spawn(move || gate.open()).join().unwrap();
        }
        ended
    };
    for now in 0..=5 {
        assert!(step(&mut herd, now).is_empty());
    }
    assert_eq!(herd.asleep(), 3);
    assert_eq!(step(&mut herd, 6), [1]);
}

#[test]
fn blocking_work_does_not_block_ticks_and_wakes_the_driver() {
    // Without the wake-up it would be ticked in an hour.
    let mut driver = Driver::new(Duration::from_secs(3600));
    let remote = driver.remote();
    let n = nodes::<()>();
    let (ticked, begun) = mpsc::channel();
    let begun = Arc::new(Mutex::new(begun));
    let leaf = Blocking::notifying(move |_| {
        let begun = begun.clone();
        // Work that takes as long as the tick in which it is begun, and longer.
        let work = move |_: &tickseed_driver::Cancel| begun.lock().unwrap().recv().is_ok();
        (work, remote.clone().into())
    });
    let tree = n.boxed_leaf("work", leaf).build().unwrap();
    let mut agent = tree.agent();
    let mut answers = Vec::new();
    let began = Instant::now();
    driver.run(|step| {
        answers.push(tree.tick(&mut agent, &mut (), step.now).unwrap());
        let _ = ticked.send(());
        if answers.last() == Some(&Status::Success) {
            Next::Stop
        } else {
            Next::Go
        }
    });
    assert_eq!(answers, [Status::Running, Status::Success]);
    assert!(began.elapsed() < Duration::from_secs(600));
}

#[test]
fn halted_work_is_told_and_its_late_answer_goes_nowhere() {
    let (told, seen) = mpsc::channel();
    let finish = Arc::new(AtomicBool::new(false));
    let (n, may_finish) = (nodes::<()>(), finish.clone());
    let leaf = Blocking::new(move |_| {
        let (told, may_finish) = (told.clone(), may_finish.clone());
        move |cancel: &tickseed_driver::Cancel| {
            while !cancel.is_cancelled() && !may_finish.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            told.send(cancel.is_cancelled()).unwrap();
            !cancel.is_cancelled()
        }
    });
    let tree = n.boxed_leaf("work", leaf).build().unwrap();
    let mut agent = tree.agent();
    tree.tick(&mut agent, &mut (), Time::ZERO).unwrap();
    tree.halt(&mut agent, &mut (), Time::ZERO).unwrap();
    assert!(seen.recv_timeout(Duration::from_secs(60)).unwrap());
    // Started again, it is another piece of work: the answer of the first is not its.
    assert_eq!(
        tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(),
        Status::Running
    );
    assert_eq!(
        tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(),
        Status::Running
    );
    finish.store(true, Ordering::Relaxed);
    assert!(!seen.recv_timeout(Duration::from_secs(60)).unwrap());
    let end = Instant::now() + Duration::from_secs(60);
    while tree.tick(&mut agent, &mut (), Time::ZERO).unwrap() == Status::Running {
        assert!(Instant::now() < end);
    }
}

#[test]
fn work_that_panics_is_an_error_of_its_leaf() {
    let n = nodes::<()>();
    let leaf = Blocking::new(|_| |_: &tickseed_driver::Cancel| -> bool { panic!("in the work") });
    let tree = n.boxed_leaf("work", leaf).build().unwrap();
    let mut agent = tree.agent();
    let end = Instant::now() + Duration::from_secs(60);
    let error = loop {
        match tree.tick(&mut agent, &mut (), Time::ZERO) {
            Ok(_) => assert!(Instant::now() < end),
            Err(e) => break e,
        }
    };
    assert!(error.to_string().contains("the work panicked"), "{error}");
}

#[test]
fn a09_agents_dropped_with_work_in_flight_leave_nothing_behind() {
    let n = nodes::<()>();
    let leaf = Blocking::new(|_| {
        |cancel: &tickseed_driver::Cancel| {
            while !cancel.is_cancelled() {
                thread::yield_now();
            }
        }
    });
    let tree = n.boxed_leaf("work", leaf).build().unwrap();
    for _ in 0..200 {
        let mut agent = tree.agent();
        tree.tick(&mut agent, &mut (), Time::ZERO).unwrap();
    }
}
