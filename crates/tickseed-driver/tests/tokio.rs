//! A driver as a task of tokio, on its simulated clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tickseed_core::{Context, Cx, Herd, Status, Time, nodes};
use tickseed_driver::{Async, Driver, Inbox, Next, Notify, Why};
use tokio::time::{Instant, advance, sleep};

const MS: Duration = Duration::from_millis(1);

fn times(of: &Mutex<Vec<(Why, u64)>>) -> Vec<(Why, u64)> {
    std::mem::take(&mut of.lock().unwrap())
}

#[tokio::test(start_paused = true)]
async fn steps_are_a_period_apart_and_take_no_real_time() {
    let mut driver = Driver::on_tokio(100 * MS);
    let began = Instant::now();
    let mut steps = Vec::new();
    let stats = driver
        .run_async(|step| {
            steps.push(step.now);
            if steps.len() == 36_000 {
                return Next::Stop;
            }
            Next::Go
        })
        .await;
    assert_eq!((stats.steps, stats.dropped), (36_000, 0));
    assert!(
        steps
            .iter()
            .enumerate()
            .all(|(i, t)| *t == Time::from_millis(100 * i as u64))
    );
    let hour = Duration::from_secs(3600);
    assert!(began.elapsed().abs_diff(hour) < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_remote_wakes_pauses_steps_and_stops_a_task() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut driver = Driver::on_tokio(100 * MS);
    let remote = driver.remote();
    let log = seen.clone();
    let task = tokio::spawn(async move {
        driver
            .run_async(|step| {
                log.lock().unwrap().push((step.why, step.now.0 / 1_000_000));
                Next::Go
            })
            .await
    });
    sleep(250 * MS).await;
    let regular = |t| (Why::Regular, t);
    assert_eq!(times(&seen), [regular(0), regular(100), regular(200)]);
    remote.wake();
    remote.wake();
    sleep(MS).await;
    assert_eq!(times(&seen), [(Why::Woken, 250)]);
    remote.pause();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(times(&seen), []);
    remote.step();
    sleep(MS).await;
    assert_eq!(times(&seen), [regular(300)]);
    remote.resume();
    remote.set_speed(10.0);
    sleep(25 * MS).await;
    // Tree time is ten times as fast.
    assert_eq!(times(&seen), [regular(400), regular(500)]);
    remote.stop();
    assert_eq!(task.await.unwrap().woken, 1);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_an_hour_drops_what_cannot_be_caught_up() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut driver = Driver::on_tokio(100 * MS).catch_up(2);
    let remote = driver.remote();
    let log = seen.clone();
    let task = tokio::spawn(async move {
        driver
            .run_async(|step| {
                log.lock().unwrap().push((step.why, step.now.0 / 1_000_000));
                Next::Go
            })
            .await
    });
    sleep(50 * MS).await;
    times(&seen);
    advance(Duration::from_secs(3600)).await;
    sleep(MS).await;
    let after: Vec<u64> = times(&seen).into_iter().map(|s| s.1).collect();
    assert_eq!(after, [3_599_800, 3_599_900, 3_600_000]);
    remote.stop();
    assert_eq!(task.await.unwrap().dropped, 35_997);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_can_be_followed_by_another() {
    let mut driver = Driver::on_tokio(100 * MS);
    let mut steps = 0;
    let count = driver.run_async(|_| {
        steps += 1;
        Next::Go
    });
    assert!(tokio::time::timeout(250 * MS, count).await.is_err());
    let mut first = None;
    driver
        .run_async(|step| {
            first = Some(step.now);
            Next::Stop
        })
        .await;
    assert_eq!((steps, first), (3, Some(Time::from_millis(300))));
}

/// An agent that asks something of a tokio task.
struct Errand {
    notify: Notify,
    answered: Option<u64>,
}
impl Context for Errand {
    type At<'a> = Errand;
}

/// A herd sleeps until a future of tokio can go on, and is then ticked at once.
#[tokio::test(start_paused = true)]
async fn a_future_of_tokio_wakes_its_agent() {
    let n = nodes::<Errand>();
    let ask = Async::notifying(|errand: &mut Cx<'_, '_, Errand>| {
        let answer = async {
            sleep(Duration::from_secs(30)).await;
            Status::Success
        };
        (answer, errand.notify.clone())
    });
    let note = n.action("note", |errand| {
        errand.answered = Some(errand.now().0 / 1_000_000);
        Status::Running
    });
    let tree = n.sequence([n.boxed_leaf("ask", ask).sleeps(), note]);
    let mut herd = Herd::new(Arc::new(tree.build().unwrap()));
    let mut driver = Driver::on_tokio(100 * MS);
    let inbox = Inbox::waking(driver.remote());
    let mut errand = Errand {
        notify: inbox.notify(herd.spawn().unwrap()),
        answered: None,
    };
    let mut ticks = 0;
    driver
        .run_async(|step| {
            inbox.deliver(&mut herd);
            herd.tick_due(step.now, |a| {
                ticks += 1;
                a.tick(&mut errand).unwrap();
            });
            match (errand.answered, herd.next_due()) {
                (Some(_), _) => Next::Stop,
                (None, None) => Next::Wait,
                (None, Some(due)) => Next::Sleep(due),
            }
        })
        .await;
    // Begun, looked at once more, answered.
    let answered = errand.answered.unwrap();
    assert!((30_000..30_010).contains(&answered), "{answered}");
    assert!(ticks <= 4, "{ticks}");
}
