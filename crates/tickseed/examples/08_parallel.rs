//! Several things at once: thresholds, time limits, and who is halted at the end.
//!
//! `cargo run -p tickseed --example 08_parallel`

use std::time::Duration;

use tickseed::nodes::{Leftover, Threshold};
use tickseed::{Context, Node, Status, Time, nodes};

#[derive(Context, Default)]
struct Log {
    halted: Vec<&'static str>,
}

const MS: Duration = Duration::from_millis(1);

/// What the tree answers at each tick, 100 ms apart, until it is over; and who was halted.
fn run(root: Node<Log>) -> (Vec<Status>, Vec<&'static str>) {
    let tree = root.build().expect("the tree is sound");
    let (mut log, mut agent, mut all) = (Log::default(), tree.agent(), vec![]);
    loop {
        let now = Time::ZERO + all.len() as u32 * 100 * MS;
        let status = tree.tick(&mut agent, &mut log, now).expect("no leaf fails");
        all.push(status);
        if status != Status::Running {
            return (all, log.halted);
        }
    }
}

fn main() {
    let n = nodes::<Log>();
    // `on_halted` wraps any node; the hook sees the context.
    let wait = |ms: u32, name| n.on_halted(move |log| log.halted.push(name), n.wait(ms * MS));
    use Status::{Failure, Running, Success};

    // All must succeed: it takes as long as the slowest.
    let all = n.parallel([wait(100, "a"), wait(200, "b")]);
    assert_eq!(run(all), (vec![Running, Running, Success], vec![]));

    // A race: the first one wins, the other is halted.
    let race = n
        .parallel([wait(100, "a"), wait(200, "b")])
        .success(Threshold::Count(1));
    assert_eq!(run(race), (vec![Running, Success], vec!["b"]));

    // Or waited for, without changing the verdict.
    let patient = n
        .parallel([wait(100, "a"), wait(200, "b")])
        .success(Threshold::Count(1))
        .leftover(Leftover::Await);
    assert_eq!(run(patient), (vec![Running, Running, Success], vec![]));

    // At exactly 150 ms the limit would be over; ticks come at 100 and 200.
    let late = n.time_limit(150 * MS, n.parallel([wait(100, "a"), wait(900, "b")]));
    assert_eq!(run(late), (vec![Running, Running, Failure], vec!["b"]));
    println!("as expected");
}
