//! On several cores: the same results as on one.

use std::sync::Arc;

use tickseed_core::{
    Context, Handle, Herd, HerdError, HerdOptions, LeafError, Status, Time, Tree, nodes,
};

#[derive(Clone, PartialEq, Debug, Default)]
struct Cell {
    hp: u64,
    log: u64,
}
impl Context for Cell {
    type At<'a> = Cell;
}

/// Draws, despawns, fails, panics, sleeps.
fn tree() -> Arc<Tree<Cell>> {
    let n = nodes::<Cell>();
    let tree = n.selector([
        n.chance(
            0.3,
            n.action("work", |c| {
                c.log = c
                    .log
                    .wrapping_mul(31)
                    .wrapping_add(c.rng().next_u64() ^ c.dt().as_nanos() as u64);
                match c.log % 60 {
                    0 => {
                        c.despawn();
                        Ok(Status::Running)
                    }
                    1 => Err(LeafError::new("now and then")),
                    2 => panic!("now and then"),
                    3..20 => Ok(Status::Success),
                    _ => Ok(Status::Running),
                }
            })
            .on_halt(|c| c.log += 7),
        ),
        n.wait(std::time::Duration::from_millis(3)),
    ]);
    Arc::new(tree.build().unwrap())
}

/// An agent of either herd: index and generation.
type Name = (u32, u32);

fn run(parallel: bool, due: bool) -> (Vec<Cell>, Vec<Name>, Vec<Name>, Vec<Vec<u8>>) {
    let options = HerdOptions {
        seed: 5,
        ..HerdOptions::default()
    };
    let mut herd = Herd::with(tree(), options);
    herd.catch_panics(true);
    let mut cells = vec![Cell::default(); 40_000];
    for _ in 0..30_000 {
        herd.spawn().unwrap();
    }
    for step in 0..12 {
        let now = Time::from_millis(step * 2);
        let mut serial = |a: tickseed_core::Ticker<'_, '_, Cell>| {
            let i = a.index();
            let _ = a.tick(&mut cells[i]);
        };
        match (parallel, due) {
            (false, false) => herd.tick_all(now, serial),
            (false, true) => herd.tick_due(now, &mut serial),
            (true, false) => herd
                .par_tick_all(now, &mut cells, |c, a| drop(a.tick(c)))
                .unwrap(),
            (true, true) => herd
                .par_tick_due(now, &mut cells, |c, a| drop(a.tick(c)))
                .unwrap(),
        };
        for _ in 0..50 {
            let _ = herd.spawn();
        }
    }
    let handles: Vec<_> = herd.handles().collect();
    let named = |h: &Handle| (h.index, h.generation);
    let bytes = handles
        .iter()
        .map(|h| herd.bytes(*h).unwrap().to_vec())
        .collect();
    let poisoned: Vec<_> = herd.poisoned().collect();
    let (handles, poisoned) = (
        handles.iter().map(named).collect(),
        poisoned.iter().map(named).collect(),
    );
    (cells, handles, poisoned, bytes)
}

#[test]
fn cores_do_not_change_results() {
    // Panics are part of it: keep them quiet.
    std::panic::set_hook(Box::new(|_| {}));
    for due in [false, true] {
        let one = run(false, due);
        assert!(one.2.len() > 100 && one.1.len() < 30_600);
        assert!(one == run(true, due));
    }
    let _ = std::panic::take_hook();
}

#[test]
fn too_little_data_is_refused() {
    let mut herd = Herd::new(tree());
    for _ in 0..10 {
        herd.spawn().unwrap();
    }
    let error = herd
        .par_tick_all(Time::ZERO, &mut [(); 9], |(), _| {})
        .unwrap_err();
    assert!(
        matches!(
            error,
            HerdError::Data {
                wanted: 10,
                found: 9
            }
        ),
        "{error}"
    );
}

/// An agent that panics, dies or lives on, as told.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Fate {
    panics: bool,
    dies: bool,
    ticks: u32,
    halts: u32,
}
impl Context for Fate {
    type At<'a> = Fate;
}

fn fates(agents: usize) -> (Herd<Fate>, Vec<Fate>) {
    let n = nodes::<Fate>();
    let live = n.action("live", |cx| {
        cx.ticks += 1;
        assert!(!cx.panics, "as told");
        if cx.dies {
            cx.despawn();
        }
        Status::Running
    });
    let tree = live.on_halt(|cx| cx.halts += 1).build().unwrap();
    let mut herd = Herd::new(Arc::new(tree));
    for _ in 0..agents {
        herd.spawn().unwrap();
    }
    (herd, vec![Fate::default(); agents])
}

#[test]
fn a_panic_in_a_parallel_tick_goes_to_the_caller_and_leaves_the_herd_whole() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let (mut herd, mut fates) = fates(30_000);
    let told = [5, 9000, 25_000];
    told.iter().for_each(|&i: &usize| fates[i].panics = true);
    let ticked = catch_unwind(AssertUnwindSafe(|| {
        herd.par_tick_all(Time::ZERO, &mut fates, |fate, a| drop(a.tick(fate)))
    }));
    assert!(ticked.is_err());
    // Each stretch ticked up to its panic; whoever panicked is poisoned, nobody else.
    let poisoned: Vec<_> = herd.poisoned().collect();
    assert!(!poisoned.is_empty());
    assert!(poisoned.iter().all(|h| told.contains(&(h.index as usize))));
    for handle in poisoned {
        let fate = &mut fates[handle.index as usize];
        fate.panics = false;
        herd.recover(handle, fate, Time::ZERO).unwrap();
    }
    fates.iter_mut().for_each(|f| f.panics = false);
    let turn = herd.par_tick_all(Time(1), &mut fates, |fate, a| drop(a.tick(fate)));
    assert_eq!(turn.unwrap().ticked, 30_000);
    assert!(fates.iter().all(|f| (1..=2).contains(&f.ticks)));
}

#[test]
fn agents_may_despawn_during_a_parallel_tick() {
    let (mut herd, mut fates) = fates(30_000);
    fates.iter_mut().step_by(7).for_each(|f| f.dies = true);
    let gone: Vec<_> = herd.handles().step_by(7).collect();
    let turn = herd
        .par_tick_all(Time::ZERO, &mut fates, |fate, a| {
            if a.index() % 7 == 1 {
                a.despawn(fate);
            } else {
                a.tick(fate).unwrap();
            }
        })
        .unwrap();
    assert_eq!(
        (turn.despawned, herd.len()),
        (2 * gone.len(), 30_000 - 2 * gone.len())
    );
    assert!(gone.iter().all(|h| !herd.contains(*h)));
    // Those that had started were halted, once.
    assert!(fates.iter().all(|f| f.halts == u32::from(f.dies)));
    // The slots are taken again, by others.
    let reborn = herd.spawn().unwrap();
    assert_eq!((reborn.index, reborn.generation), (0, 1));
}
