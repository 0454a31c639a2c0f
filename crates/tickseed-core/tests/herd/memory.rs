//! A herd allocates when it grows, and then no more.

use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use tickseed_core::{EventOptions, Herd, HerdOptions, Time, nodes};

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

/// On all cores as well: the herd's own part. (Handing work to a pool from outside it may cost
/// the pool an allocation now and then.)
#[cfg(feature = "rayon")]
#[test]
fn nothing_is_allocated_in_steady_state_on_all_cores() {
    let n = nodes::<()>();
    let tree = n.sequence([
        n.wait(Duration::from_millis(30)),
        n.wait(Duration::from_millis(20)),
    ]);
    let mut herd = Herd::new(Arc::new(tree.build().unwrap()));
    for _ in 0..40_000 {
        herd.spawn().unwrap();
    }
    let mut data = vec![(); 40_000];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
    let mut step = 0;
    let mut run = |herd: &mut Herd<()>| {
        for _ in 0..20 {
            step += 10;
            let f = |(): &mut (), a: tickseed_core::Ticker<'_, '_, ()>| {
                a.tick(&mut ()).unwrap();
            };
            herd.par_tick_all(Time::from_millis(step), &mut data, f)
                .unwrap();
            step += 10;
            herd.par_tick_due(Time::from_millis(step), &mut data, f)
                .unwrap();
        }
    };
    let allocated = pool.build().unwrap().install(|| {
        run(&mut herd);
        measure(|| run(&mut herd)).count_total
    });
    assert_eq!(allocated, 0);
}

#[test]
fn an_agent_takes_its_block_and_a_few_bytes() {
    let n = nodes::<()>();
    let tree = n.cooldown(Duration::from_millis(50), n.wait(Duration::from_millis(30)));
    let tree = Arc::new(tree.build().unwrap());
    let mut herd = Herd::new(tree.clone());
    // Two deadlines of seven bytes, a resume point, a generation.
    assert_eq!(tree.bytes_per_agent(), 15);
    assert_eq!(herd.bytes_per_agent(), 16.0);
    assert!(herd.scheduling_bytes_per_agent() < 0.5);
    herd.use_events(tickseed_core::EventOptions::default());
    assert!(herd.scheduling_bytes_per_agent() < 12.7);
    // What is said is what is allocated.
    let (herd, allocated) = {
        let mut made = None;
        let counted = measure(|| {
            let options = HerdOptions {
                capacity: 64_000,
                ..HerdOptions::default()
            };
            let mut herd = Herd::with(tree.clone(), options);
            for _ in 0..64_000 {
                herd.spawn().unwrap();
            }
            herd.use_events(tickseed_core::EventOptions::default());
            made = Some(herd);
        });
        (made.unwrap(), counted.bytes_current)
    };
    let said = herd.bytes_per_agent() + herd.scheduling_bytes_per_agent();
    let found = allocated as f64 / 64_000.0;
    assert!((said - found).abs() < 0.1, "{said} said, {found} found");
}

/// A herd that goes over to another tree makes ready then what ticks need.
#[test]
fn the_first_tick_after_a_reload_allocates_nothing() {
    let make = |name| {
        let n = nodes::<()>();
        Arc::new(
            n.action(name, |_| tickseed_core::Status::Running)
                .build()
                .unwrap(),
        )
    };
    let mut herd = Herd::new(make("old"));
    herd.spawn().unwrap();
    let tick = |herd: &mut Herd<()>, step| {
        herd.tick_all(Time::from_millis(step), |a| {
            a.tick(&mut ()).unwrap();
        });
    };
    tick(&mut herd, 1);
    herd.reload(make("new"), Time::from_millis(2), |_| {});
    assert_eq!(measure(|| tick(&mut herd, 3)).count_total, 0);
}

/// A herd of fixed capacity has its room after loading, too.
#[test]
fn a_loaded_herd_of_fixed_capacity_allocates_no_more_than_a_new_one() {
    let n = nodes::<()>();
    let tree = Arc::new(n.wait(Duration::from_millis(30)).build().unwrap());
    let options = HerdOptions {
        capacity: 500,
        fixed: true,
        ..HerdOptions::default()
    };
    let mut herd = Herd::with(tree.clone(), options);
    herd.use_events(EventOptions::default());
    for _ in 0..10 {
        herd.spawn().unwrap();
    }
    let from_bytes = Herd::load(tree.clone(), &herd.save().unwrap()).unwrap();
    let from_data = Herd::from_snapshot(tree, &herd.snapshot().unwrap(), Time::ZERO).unwrap();
    for mut loaded in [herd, from_bytes, from_data.0] {
        let spawned = measure(|| {
            for _ in 10..500 {
                loaded.spawn().unwrap();
            }
        });
        assert_eq!(spawned.count_total, 0);
        assert!(loaded.spawn().is_err());
    }
}
