//! A herd allocates when it grows, and then no more.

use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use tickseed_core::{Herd, HerdOptions, Time, nodes};

#[test]
fn nothing_is_allocated_in_steady_state_nor_by_spawning_within_the_capacity() {
    let n = nodes::<()>();
    let tree = n.sequence([
        n.cooldown(Duration::from_millis(50), n.succeed()),
        n.wait(Duration::from_millis(30)),
    ]);
    let options = HerdOptions {
        capacity: 500,
        fixed: true,
        ..HerdOptions::default()
    };
    let mut herd = Herd::with(Arc::new(tree.build().unwrap()), options);
    let spawned = measure(|| {
        for _ in 0..500 {
            herd.spawn().unwrap();
        }
    });
    assert_eq!(spawned.count_total, 0);
    let mut step = 0;
    let mut run = |herd: &mut Herd<()>, due: bool| {
        for _ in 0..200 {
            step += 1;
            let f = |a: tickseed_core::Ticker<'_, '_, ()>| {
                a.tick(&mut ()).unwrap();
            };
            if due {
                herd.tick_due(Time::from_millis(step * 10), f);
            } else {
                herd.tick_all(Time::from_millis(step * 10), f);
            }
        }
    };
    run(&mut herd, false);
    assert_eq!(measure(|| run(&mut herd, false)).count_total, 0);
    run(&mut herd, true);
    assert_eq!(measure(|| run(&mut herd, true)).count_total, 0);
    assert!(herd.asleep() > 0);
}

#[test]
fn an_agent_takes_its_block_and_a_few_bytes() {
    let n = nodes::<()>();
    let tree = n.cooldown(Duration::from_millis(50), n.wait(Duration::from_millis(30)));
    let tree = Arc::new(tree.build().unwrap());
    let mut herd = Herd::new(tree.clone());
    assert!(herd.bytes_per_agent() <= tree.bytes_per_agent() as f64 + 4.5);
    herd.use_events(tickseed_core::EventOptions::default());
    assert!(herd.scheduling_bytes_per_agent() <= 16.0);
}
