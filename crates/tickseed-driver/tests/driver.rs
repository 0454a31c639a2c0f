//! The loop: rate, catching up, pausing, stepping, speed, waking and stopping. Names begin with
//! the numbers of the users' cases.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tickseed_core::nodes::Threshold;
use tickseed_core::{Context, Status, Time, nodes};
use tickseed_driver::{Driver, ManualClock, Next, Why};

const MS: Duration = Duration::from_millis(1);

fn ms(t: Time) -> u64 {
    t.0 / 1_000_000
}

#[derive(Default)]
struct Log(Vec<&'static str>);
impl Context for Log {
    type At<'a> = Log;
}

#[test]
fn t01_virtual_hours_take_no_time_and_speed_is_of_the_clock() {
    let n = nodes::<()>();
    let tree = n
        .sequence([
            n.wait(10_000_000 * MS),
            n.time_limit(5_000_000 * MS, n.run_forever()),
        ])
        .build()
        .unwrap();
    let mut agent = tree.agent();
    let began = Instant::now();
    let mut driver = Driver::with_clock(100_000 * MS, ManualClock::new());
    let mut end = Time::ZERO;
    driver.run(|step| {
        end = step.now;
        match tree.tick(&mut agent, &mut (), step.now).unwrap() {
            Status::Running => Next::Go,
            _ => Next::Stop,
        }
    });
    assert_eq!(ms(end), 15_000_000);
    // Four hours would take more, on any machine.
    assert!(began.elapsed() < Duration::from_secs(600));
    // At ten-fold speed the clock shows a tenth of it.
    let clock = ManualClock::new();
    let mut driver = Driver::with_clock(100 * MS, clock.clone());
    driver.remote().set_speed(10.0);
    driver.remote().set_speed(f64::NAN);
    let stats = driver.run(|step| {
        if ms(step.now) == 10_000 {
            Next::Stop
        } else {
            Next::Go
        }
    });
    assert_eq!(stats.steps, 101);
    use tickseed_driver::Clock;
    assert_eq!(ms(clock.now()), 1000);
}

#[test]
fn t03_pausing_keeps_the_place_and_starts_and_ends_nothing() {
    let n = nodes::<Log>();
    let work = n
        .action("work", |cx| {
            cx.0.push("works");
            Status::Running
        })
        .on_halt(|cx| cx.0.push("halted"));
    let both = n.parallel([work, n.wait(5000 * MS)]);
    let tree = both.success(Threshold::Count(1)).build().unwrap();
    let (mut agent, mut log) = (tree.agent(), Log::default());
    let clock = ManualClock::new();
    let mut driver = Driver::with_clock(1000 * MS, clock.clone());
    let remote = driver.remote();
    let mut times = Vec::new();
    let mut tick = |step: tickseed_driver::Step| {
        times.push(ms(step.now));
        let status = tree.tick(&mut agent, &mut log, step.now).unwrap();
        if step.now == Time::from_millis(2000) {
            remote.pause();
            // Ten seconds go by while it is paused, and somebody resumes.
            let (remote, clock) = (remote.clone(), clock.clone());
            thread::spawn(move || {
                while !remote.is_heeded() {
                    thread::yield_now();
                }
                thread::sleep(50 * MS);
                clock.advance(10_000 * MS);
                remote.resume();
            });
        }
        if status == Status::Running {
            Next::Go
        } else {
            Next::Stop
        }
    };
    let stats = driver.run(&mut tick);
    assert_eq!(times, [0, 1000, 2000, 3000, 4000, 5000]);
    assert_eq!((stats.steps, stats.dropped), (6, 0));
    // The wait was over after five seconds of tree time; only that ended the work.
    assert_eq!(
        log.0,
        [
            "works", "works", "works", "works", "works", "works", "halted"
        ]
    );
}

#[test]
fn paused_tree_time_stands_still_and_single_steps_go_on_by_a_period() {
    let clock = ManualClock::new();
    let mut driver = Driver::with_clock(10 * MS, clock.clone());
    let remote = driver.remote();
    remote.pause();
    for _ in 0..3 {
        remote.step();
    }
    clock.advance(5000 * MS);
    let mut times = Vec::new();
    let stop = remote.clone();
    let stats = driver.run(|step| {
        times.push(ms(step.now));
        if times.len() == 3 {
            stop.resume()
        }
        if times.len() == 5 {
            Next::Stop
        } else {
            Next::Go
        }
    });
    assert_eq!(times, [0, 10, 20, 30, 40]);
    assert_eq!((stats.steps, stats.dropped), (5, 0));
}

#[test]
fn t09_the_loop_keeps_its_rate() {
    let clock = ManualClock::new();
    let mut driver = Driver::with_clock(100 * MS, clock.clone());
    use tickseed_driver::Clock;
    let mut times = Vec::new();
    let stats = driver.run(|step| {
        clock.advance(40 * MS);
        times.push(step.now);
        if step.now == Time::from_millis(9900) {
            Next::Stop
        } else {
            Next::Go
        }
    });
    assert_eq!((stats.steps, stats.overruns, stats.dropped), (100, 0, 0));
    assert_eq!(ms(clock.now()), 9940);
    assert!(times.windows(2).all(|w| w[1].since(w[0]) == 100 * MS));
}

#[test]
fn t09_one_long_tick_is_caught_up_to_the_limit_and_reported() {
    for (limit, steps, dropped) in [
        (4, vec![0, 100, 200, 300], 0),
        (1, vec![0, 200, 300, 400], 1),
        (0, vec![0, 300, 400, 500], 2),
    ] {
        let clock = ManualClock::new();
        let mut driver = Driver::with_clock(100 * MS, clock.clone()).catch_up(limit);
        let mut times = Vec::new();
        let stats = driver.run(|step| {
            if times.is_empty() {
                clock.advance(350 * MS);
            }
            times.push(ms(step.now));
            if times.len() == 4 {
                Next::Stop
            } else {
                Next::Go
            }
        });
        assert_eq!(times, steps, "limit {limit}");
        assert_eq!(
            (stats.overruns, stats.dropped),
            (1, dropped),
            "limit {limit}"
        );
    }
}

#[test]
fn a07_a_run_is_stopped_from_outside_at_once() {
    // Whoever waited for the next step would wait an hour.
    let mut driver = Driver::new(Duration::from_secs(3600));
    let remote = driver.remote();
    let (ticked, begun) = mpsc::channel();
    let stopper = thread::spawn(move || {
        begun.recv().unwrap();
        let asked = Instant::now();
        remote.stop();
        asked
    });
    let n = nodes::<Log>();
    let act = n.action("act", |cx| {
        cx.0.push("act");
        Status::Running
    });
    let tree = act.on_halt(|cx| cx.0.push("halted")).build().unwrap();
    let (mut agent, mut log) = (tree.agent(), Log::default());
    driver.run(|step| {
        tree.tick(&mut agent, &mut log, step.now).unwrap();
        let _ = ticked.send(());
        Next::Go
    });
    let took = stopper.join().unwrap().elapsed();
    tree.halt(&mut agent, &mut log, driver.now()).unwrap();
    assert!(took < Duration::from_secs(600), "{took:?}");
    assert_eq!(log.0, ["act", "halted"]);
}

#[test]
fn a10_wake_ups_are_steps_of_their_own_and_move_no_deadline() {
    let clock = ManualClock::new();
    let mut driver = Driver::with_clock(10_000 * MS, clock.clone());
    let remote = driver.remote();
    let mut steps = Vec::new();
    driver.run(|step| {
        steps.push((ms(step.now), step.why));
        if steps.len() == 1 {
            clock.advance(1000 * MS);
            for _ in 0..100 {
                remote.wake();
            }
        }
        if steps.len() == 4 {
            Next::Stop
        } else {
            Next::Go
        }
    });
    use Why::{Regular, Woken};
    assert_eq!(
        steps,
        [
            (0, Regular),
            (1000, Woken),
            (10_000, Regular),
            (20_000, Regular)
        ]
    );
}

#[test]
fn a11_once_is_once_and_wake_ups_are_the_sleepers() {
    let ticks = Arc::new(AtomicU32::new(0));
    let (n, counted) = (nodes::<()>(), ticks.clone());
    let tree = n
        .retry(
            10,
            n.action("fail", move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
                Status::Failure
            }),
        )
        .build()
        .unwrap();
    let mut agent = tree.agent();
    let mut driver = Driver::with_clock(1000 * MS, ManualClock::new());
    let remote = driver.remote();
    // The leaf's wish for another tick does not make one tick many.
    let next = driver.step_once(|step| {
        remote.wake();
        tree.tick(&mut agent, &mut (), step.now).unwrap();
        Next::Go
    });
    assert_eq!((next, driver.remote().stats().steps), (Next::Go, 1));
    let once = ticks.load(Ordering::Relaxed);
    assert!(once >= 1);
}

#[test]
fn a_loop_with_nothing_to_do_sleeps_until_it_has() {
    let clock = ManualClock::new();
    let mut driver = Driver::with_clock(10 * MS, clock.clone());
    let remote = driver.remote();
    let mut steps = Vec::new();
    driver.run(|step| {
        steps.push((ms(step.now), step.why));
        match steps.len() {
            1 => Next::Sleep(Time::from_millis(95)),
            2 => {
                clock.advance(5 * MS);
                remote.wake();
                Next::Wait
            }
            3 => Next::Go,
            5 => Next::Stop,
            _ => Next::Go,
        }
    });
    use Why::{Regular, Woken};
    assert_eq!(
        steps,
        [
            (0, Regular),
            (90, Regular),
            (95, Woken),
            (100, Regular),
            (110, Regular)
        ]
    );
}

/// A step taken during a pause is the next regular one, however far the next was put off; and a
/// wake-up during a pause is answered after it.
#[test]
fn steps_and_wake_ups_of_a_paused_loop_that_waits() {
    let mut driver = Driver::new(10 * MS);
    let remote = driver.remote();
    let (send, steps) = std::sync::mpsc::channel();
    let run = std::thread::spawn(move || {
        driver.run(|step| {
            send.send(step).unwrap();
            Next::Wait
        });
    });
    let next = || steps.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(next().now, Time::ZERO);
    // It may be asleep now; if it is not yet, all the same must hold.
    std::thread::sleep(20 * MS);
    remote.pause();
    remote.step();
    let step = next();
    assert_eq!(step.why, Why::Regular);
    assert!(step.now < Time::from_millis(3_600_000), "{:?}", step.now);
    remote.wake();
    std::thread::sleep(20 * MS);
    remote.resume();
    assert_eq!(next().why, Why::Woken);
    remote.stop();
    run.join().unwrap();
}
