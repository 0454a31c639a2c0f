//! A robot that recharges when it must, follows what it sees, and patrols otherwise.
//!
//! `cargo run -p tickseed --example 01_first_tree`

use std::time::Duration;

use tickseed::{Context, Status, Time, nodes};

/// What the tree's leaves see and change. The derive makes the scalar fields keys:
/// `Robot::BATTERY` and `Robot::X`.
#[derive(Context)]
struct Robot {
    battery: f32,
    x: f32,
    target: Option<f32>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A factory that knows the context, so that closures need no types.
    let n = nodes::<Robot>();
    let tree = n
        .selector([
            n.sequence([
                n.check(Robot::BATTERY.lt(0.2)),
                n.action("recharge", |r| {
                    r.battery += 0.25;
                    Status::Running
                }),
            ])
            // Reactive: the battery is looked at in every tick. Without it the sequence would
            // go on with the recharging, which never finishes, and not ask again.
            .reactive(),
            n.sequence([
                n.condition("target visible", |r| r.target.is_some()),
                n.action("approach", |r| {
                    r.x += 1.0;
                    Status::Running
                }),
            ])
            .reactive(),
            n.action("patrol", |r| {
                r.battery -= 0.1;
                Status::Running
            }),
        ])
        .reactive()
        .build()?;
    println!("{}", tree.outline());

    let mut robot = Robot {
        battery: 0.25,
        x: 0.0,
        target: None,
    };
    // The tree is shared and never changes; an agent is one run of it.
    let mut agent = tree.agent();
    println!("an agent takes {} byte(s)", tree.bytes_per_agent());

    let mut now = Time::ZERO;
    let mut story = Vec::new();
    for tick in 0..5 {
        if tick == 3 {
            robot.target = Some(7.0);
        }
        tree.tick(&mut agent, &mut robot, now)?;
        let leaf = tree.running(&agent)[0];
        story.push(tree.node(leaf).label().to_string());
        // Time is an argument: the game's, the robot's or a simulation's.
        now += Duration::from_millis(100);
    }
    println!("{}", story.join(", "));
    assert_eq!(
        story,
        ["patrol", "recharge", "patrol", "approach", "approach"]
    );
    assert_eq!(robot.x, 2.0);
    Ok(())
}
