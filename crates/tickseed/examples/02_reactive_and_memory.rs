//! Memory resumes where it was; reactive asks again from the first child. And what is halted when.
//!
//! `cargo run -p tickseed --example 02_reactive_and_memory`

use tickseed::nodes::Preempt;
use tickseed::{Context, Node, Status, Time, nodes};

#[derive(Context, Default)]
struct Guard {
    enemy: bool,
    log: Vec<&'static str>,
}

fn fight_or_sleep() -> Node<Guard> {
    let n = nodes::<Guard>();
    let sleep = n
        .action("sleep", |g| {
            g.log.push("sleep");
            Status::Running
        })
        // Called once if the running action is abandoned. A halt has no result: it cannot
        // steer the tree.
        .on_halt(|g| g.log.push("wake up"));
    n.selector([
        n.sequence([
            n.condition("enemy", |g| g.enemy),
            n.action("fight", |g| {
                g.log.push("fight");
                Status::Running
            }),
        ]),
        sleep,
    ])
}

/// Ticks twice, with an enemy in the second tick.
fn run(root: Node<Guard>) -> Vec<&'static str> {
    let tree = root.build().expect("the tree is sound");
    let (mut guard, mut agent) = (Guard::default(), tree.agent());
    for tick in 0..2 {
        guard.enemy = tick == 1;
        let status = tree.tick(&mut agent, &mut guard, Time::from_millis(tick));
        assert_eq!(status.expect("no leaf fails"), Status::Running);
    }
    guard.log
}

fn main() {
    // With memory the selector is resumed at the child that runs: the guard sleeps on.
    assert_eq!(run(fight_or_sleep()), ["sleep", "sleep"]);

    // Reactive: the first child is asked again, takes over, and then the old one is halted.
    assert_eq!(
        run(fight_or_sleep().reactive()),
        ["sleep", "fight", "wake up"]
    );

    // A robot's arm wants it the other way round: let go before the next one grips.
    let before = fight_or_sleep().reactive().preempt(Preempt::BeforeStart);
    assert_eq!(run(before), ["sleep", "wake up", "fight"]);
    println!("as expected");
}
