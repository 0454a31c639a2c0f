//! Ticking a share of the agents, or each at its level's cadence.

use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{Cadence, CatchUp, Context, Herd, HerdError, Time, Tree, nodes};

/// The ticks of one agent: when, and how long after the one before.
#[derive(Clone, Default)]
struct Ticks(Vec<(u64, u64)>);
impl Context for Ticks {
    type At<'a> = Ticks;
}

fn herd(agents: usize) -> (Herd<Ticks>, Vec<Ticks>) {
    let tree: Tree<Ticks> = nodes::<Ticks>()
        .action("note", |cx| {
            let tick = (cx.now().0 / 1_000_000, cx.dt().as_millis() as u64);
            cx.0.push(tick);
        })
        .build()
        .unwrap();
    let mut herd = Herd::new(Arc::new(tree));
    for _ in 0..agents {
        herd.spawn().unwrap();
    }
    (herd, vec![Ticks::default(); agents])
}

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

#[test]
fn buckets_take_turns_and_each_agent_has_its_own_dt() {
    let (mut herd, mut ticks) = herd(7);
    for frame in 0..7 {
        let now = ms(10 * frame as u64);
        let turn = herd.tick_bucket(frame, 3, now, |a| {
            let i = a.index();
            a.tick(&mut ticks[i]).unwrap();
        });
        assert_eq!(turn.ticked, if frame % 3 == 0 { 3 } else { 2 });
    }
    assert_eq!(ticks[0].0, [(0, 0), (30, 30), (60, 30)]);
    assert_eq!(ticks[4].0, [(10, 0), (40, 30)]);
    // And goes on from there when all are ticked.
    herd.tick_all(ms(65), |a| {
        let i = a.index();
        a.tick(&mut ticks[i]).unwrap();
    });
    assert_eq!(ticks[0].0.last(), Some(&(65, 5)));
    assert_eq!(ticks[4].0.last(), Some(&(65, 25)));
    herd.tick_bucket(0, 0, ms(70), |a| {
        let i = a.index();
        a.tick(&mut ticks[i]).unwrap();
    });
    assert_eq!(ticks[4].0.last(), Some(&(70, 5)));
}

#[test]
fn levels_of_detail_are_cadences() {
    let (mut herd, mut ticks) = herd(3);
    herd.set_levels([
        Cadence::every(Duration::from_millis(10)),
        Cadence::every(Duration::from_millis(50)),
        Cadence::every(Duration::from_millis(40)).catch_up(CatchUp::Burst(9)),
    ])
    .unwrap();
    herd.set_level(herd.at(1).unwrap(), 1).unwrap();
    herd.set_level(herd.at(2).unwrap(), 7).unwrap();
    for now in [0, 10, 20, 30, 90, 100] {
        herd.tick_levels(ms(now), |a| {
            let i = a.index();
            a.tick(&mut ticks[i]).unwrap();
        });
    }
    assert_eq!(
        ticks[0].0,
        [(0, 0), (10, 10), (20, 10), (30, 10), (90, 60), (100, 10)]
    );
    assert_eq!(ticks[1].0, [(0, 0), (90, 90), (100, 10)]);
    assert_eq!(ticks[2].0, [(0, 0), (40, 40), (80, 40)]);
    // A change of level counts from the last tick.
    herd.set_level(herd.at(0).unwrap(), 1).unwrap();
    for now in [110, 149, 150] {
        herd.tick_levels(ms(now), |a| {
            let i = a.index();
            a.tick(&mut ticks[i]).unwrap();
        });
    }
    assert_eq!(ticks[0].0.last(), Some(&(150, 50)));
}

#[test]
fn a_herd_has_between_one_and_256_levels() {
    let (mut herd, mut ticks) = herd(2);
    let levels = |n: usize| (0..n).map(|_| Cadence::hertz(10.0));
    herd.set_levels(levels(256)).unwrap();
    herd.set_level(herd.at(1).unwrap(), 255).unwrap();
    for found in [0, 257] {
        match herd.set_levels(levels(found)) {
            Err(HerdError::Levels { found: said }) => assert_eq!(said, found),
            other => panic!("{other:?}"),
        }
    }
    // They are as they were.
    herd.tick_levels(ms(0), |a| {
        let i = a.index();
        a.tick(&mut ticks[i]).unwrap();
    });
    assert!(ticks.iter().all(|t| t.0.len() == 1));
}

/// A panic of one agent's leaf ends the turn, and takes no levels away from the others.
#[test]
fn levels_survive_a_panic() {
    let (mut herd, mut ticks) = herd(2);
    herd.set_levels([Cadence::every(Duration::from_millis(10))])
        .unwrap();
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        herd.tick_levels(ms(0), |_| panic!("no turn for anybody"));
    }));
    assert!(panics.is_err());
    for step in 1..4 {
        let turn = herd.tick_levels(ms(10 * step), |a| {
            let i = a.index();
            a.tick(&mut ticks[i]).unwrap();
        });
        assert_eq!(turn.ticked, 2);
    }
}
