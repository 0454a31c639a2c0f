//! A tick's stack stays small, however many nodes it visits: also where compilers do not turn
//! last calls into jumps.

use std::thread::Builder;

use tickseed_core::{Context, Status, Time, nodes};

struct World {
    asked: u32,
    level: u32,
}

impl Context for World {
    type At<'a> = World;
}

#[test]
fn a_tick_of_many_nodes_needs_little_stack() {
    const NODES: u32 = 50_000;
    let n = nodes::<World>();
    // Conditions as functions, actions in between, and gates and timers around some of them.
    let branch = |i: u32| {
        let fails = n.condition("level", move |w| w.level > i + NODES);
        match i % 4 {
            0 => fails,
            1 => n.sequence([
                n.instant("count", |w| w.asked += 1),
                n.invert(n.condition("not", |w| w.level == 0)),
                fails,
            ]),
            2 => n.cooldown(std::time::Duration::from_secs(1), fails),
            _ => n.time_limit(std::time::Duration::from_secs(1), fails),
        }
    };
    let tree = n
        .selector((0..NODES).map(branch))
        .reactive()
        .build()
        .unwrap();
    let mut agent = tree.agent();
    let small = Builder::new().stack_size(64 << 10).spawn(move || {
        let mut world = World { asked: 0, level: 0 };
        for t in 0..3 {
            let status = tree.tick(&mut agent, &mut world, Time::from_millis(t));
            assert_eq!(status.unwrap(), Status::Failure);
        }
        world.asked
    });
    assert_eq!(small.unwrap().join().unwrap(), 3 * NODES / 4);
}
