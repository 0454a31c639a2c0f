//! Handles, spawning and despawning, and that agents of a herd do what lone agents do.

use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{Context, Herd, HerdError, HerdOptions, Status, Time, Tree, nodes};
use tickseed_testkit::random::Spec;
use tickseed_testkit::script::World;

/// What an agent notes of itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Notes(pub(crate) Vec<&'static str>);
impl Context for Notes {
    type At<'a> = Notes;
}

/// Works until halted, and notes both.
pub(crate) fn worker() -> Arc<Tree<Notes>> {
    let n = nodes::<Notes>();
    let work = n.action("work", |cx| {
        cx.0.push("works");
        Status::Running
    });
    Arc::new(work.on_halt(|cx| cx.0.push("halted")).build().unwrap())
}

#[test]
fn a_stale_handle_is_an_error_and_never_another_agent() {
    let mut herd = Herd::new(worker());
    let mut notes = Notes::default();
    let first = herd.spawn().unwrap();
    herd.despawn(first, &mut notes, Time::ZERO).unwrap();
    let second = herd.spawn().unwrap();
    assert_eq!(first.index, second.index);
    assert_ne!(first, second);
    let stale =
        |r: Result<(), HerdError>| assert!(matches!(r, Err(HerdError::Stale(h)) if h == first));
    stale(herd.despawn(first, &mut notes, Time::ZERO));
    stale(herd.halt(first, &mut notes, Time::ZERO));
    stale(herd.reset(first, &mut notes, Time::ZERO));
    stale(herd.recover(first, &mut notes, Time::ZERO));
    stale(herd.tick(first, &mut notes, Time::ZERO).map(drop));
    stale(herd.wake(first));
    stale(herd.touch(first, tickseed_core::KeyId(0)));
    stale(herd.set_level(first, 0));
    stale(herd.forget(first));
    stale(herd.bytes(first).map(drop));
    let mut never = second;
    (never.index, never.generation) = (99, 0);
    assert!(matches!(herd.running(never), Err(HerdError::Stale(_))));
    assert!(herd.contains(second) && !herd.contains(first) && !herd.contains(never));
    assert_eq!(herd.at(0), Some(second));
    assert_eq!(herd.handle(0, second.generation), Some(second));
    assert_eq!(herd.handle(0, first.generation), None);
}

#[test]
fn a_handle_of_another_herd_is_an_error() {
    let tree = worker();
    let (mut mine, mut other) = (Herd::new(tree.clone()), Herd::new(tree.clone()));
    let mut notes = Notes::default();
    let (here, there) = (mine.spawn().unwrap(), other.spawn().unwrap());
    assert_eq!(
        (here.index, here.generation),
        (there.index, there.generation)
    );
    assert_ne!(here, there);
    let foreign =
        |r: Result<(), HerdError>| assert!(matches!(r, Err(HerdError::OtherHerd(h)) if h == there));
    foreign(mine.despawn(there, &mut notes, Time::ZERO));
    foreign(mine.halt(there, &mut notes, Time::ZERO));
    foreign(mine.reset(there, &mut notes, Time::ZERO));
    foreign(mine.recover(there, &mut notes, Time::ZERO));
    foreign(mine.tick(there, &mut notes, Time::ZERO).map(drop));
    foreign(mine.wake(there));
    foreign(mine.touch(there, tickseed_core::KeyId(0)));
    foreign(mine.set_level(there, 0));
    foreign(mine.forget(there));
    foreign(mine.bytes(there).map(drop));
    foreign(mine.is_running(there).map(drop));
    foreign(mine.history(there).map(drop));
    assert!(notes.0.is_empty() && !mine.contains(there) && mine.contains(here));
    // So is one of the herd that a loaded one was saved from: it has its own for the same agent.
    let loaded = Herd::load(tree, &mine.save().unwrap()).unwrap();
    assert!(matches!(loaded.bytes(here), Err(HerdError::OtherHerd(_))));
    let same = loaded.handle(here.index, here.generation).unwrap();
    assert!(loaded.contains(same) && !mine.contains(same));
}

#[test]
fn agents_come_and_go_in_any_order() {
    let mut herd = Herd::new(worker());
    let mut notes = vec![Notes::default(); 200];
    let handles: Vec<_> = (0..200).map(|_| herd.spawn().unwrap()).collect();
    for h in handles.iter().filter(|h| h.index % 3 != 0) {
        herd.despawn(*h, &mut Notes::default(), Time::ZERO).unwrap();
    }
    assert_eq!(herd.len(), 67);
    let mut turns = Vec::new();
    let turn = herd.tick_all(Time::ZERO, |a| {
        turns.push(a.handle());
        let i = a.index();
        a.tick(&mut notes[i]).unwrap();
    });
    assert_eq!((turn.ticked, turn.poisoned, turn.despawned), (67, 0, 0));
    let left: Vec<_> = handles
        .iter()
        .copied()
        .filter(|h| h.index % 3 == 0)
        .collect();
    assert_eq!(turns, left);
    assert_eq!(herd.handles().collect::<Vec<_>>(), left);
    // Freed slots are taken before new ones are made.
    for _ in 0..133 {
        assert!(herd.spawn().unwrap().index < 200);
    }
    assert_eq!((herd.spawn().unwrap().index, herd.slots()), (200, 201));
}

#[test]
fn a_new_agent_knows_nothing_of_the_one_before_it() {
    let n = nodes::<()>();
    let tree = n
        .sequence([n.succeed(), n.wait(Duration::from_secs(1))])
        .build()
        .unwrap();
    let mut herd = Herd::new(Arc::new(tree));
    let first = herd.spawn().unwrap();
    herd.tick_all(Time::ZERO, |a| {
        a.tick(&mut ()).unwrap();
    });
    assert!(herd.is_running(first).unwrap());
    herd.despawn(first, &mut (), Time::ZERO).unwrap();
    let second = herd.spawn().unwrap();
    assert!(!herd.is_running(second).unwrap());
    assert!(herd.bytes(second).unwrap().iter().all(|b| *b == 0));
}

#[test]
fn a_fixed_herd_says_that_it_is_full() {
    let options = HerdOptions {
        capacity: 2,
        fixed: true,
        ..HerdOptions::default()
    };
    let mut herd = Herd::with(worker(), options);
    let first = herd.spawn().unwrap();
    herd.spawn().unwrap();
    let full = herd.spawn().unwrap_err();
    assert!(matches!(full, HerdError::Full { capacity: 2 }), "{full}");
    assert_eq!(herd.len(), 2);
    herd.forget(first).unwrap();
    herd.spawn().unwrap();
}

#[test]
fn despawning_halts() {
    let mut herd = Herd::new(worker());
    let agent = herd.spawn().unwrap();
    let mut notes = Notes::default();
    herd.tick_all(Time::ZERO, |a| {
        a.tick(&mut notes).unwrap();
    });
    herd.despawn(agent, &mut notes, Time::ZERO).unwrap();
    assert_eq!(notes.0, ["works", "halted"]);
    // What is forgotten is not halted.
    let agent = herd.spawn().unwrap();
    herd.tick(agent, &mut notes, Time::ZERO).unwrap();
    herd.forget(agent).unwrap();
    assert_eq!(notes.0, ["works", "halted", "works"]);
    assert!(herd.is_empty());
}

#[test]
fn an_agent_may_be_removed_in_a_tick_by_its_own_leaf_or_by_the_caller() {
    let n = nodes::<Notes>();
    let tree = n.sequence([
        n.action("die", |cx| {
            cx.despawn();
            cx.0.push("dies");
        }),
        n.action("linger", |_| Status::Running)
            .on_halt(|cx| cx.0.push("halted")),
    ]);
    let mut herd = Herd::new(Arc::new(tree.build().unwrap()));
    let (a, b) = (herd.spawn().unwrap(), herd.spawn().unwrap());
    let mut notes = vec![Notes::default(); 2];
    let turn = herd.tick_all(Time::ZERO, |agent| {
        let i = agent.index();
        if i == 1 {
            agent.despawn(&mut notes[i]);
        } else {
            // The tick goes on to its end, then the agent is halted.
            assert_eq!(agent.tick(&mut notes[i]).unwrap(), Status::Running);
        }
    });
    assert_eq!(turn.despawned, 2);
    assert_eq!(notes[0].0, ["dies", "halted"]);
    assert!(notes[1].0.is_empty());
    assert!(!herd.contains(a) && !herd.contains(b) && herd.is_empty());
}

/// Random trees: agents of a herd beside lone agents with the same seeds.
#[test]
fn an_agent_of_a_herd_does_what_a_lone_agent_does() {
    for seed in 0..400 {
        let spec = Spec::random(seed, 2 + seed as usize % 5);
        let Ok(tree) = spec.build_lenient() else {
            continue;
        };
        let tree = Arc::new(tree);
        let options = HerdOptions {
            streams: true,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(tree.clone(), options);
        let handles: Vec<_> = (0..3)
            .map(|i| herd.spawn_seeded(seed + i).unwrap())
            .collect();
        let worlds = || (0..3).map(|i| World::seeded(seed + i)).collect::<Vec<_>>();
        let (mut mine, mut lone) = (worlds(), worlds());
        let mut agents: Vec<_> = (0..3).map(|i| tree.agent_seeded(seed + i)).collect();
        for step in 0..20u64 {
            let now = Time(step * step * 3);
            let mut got = Vec::new();
            herd.tick_all(now, |a| {
                let world = &mut mine[a.index()];
                got.push(a.tick(world).unwrap());
            });
            for i in 0..3 {
                let wanted = tree.tick(&mut agents[i], &mut lone[i], now).unwrap();
                assert_eq!(got[i], wanted);
                assert_eq!(mine[i].events(), lone[i].events());
                assert_eq!(herd.bytes(handles[i]).unwrap(), agents[i].bytes());
                assert_eq!(herd.rng(handles[i]).unwrap(), Some(agents[i].rng()));
                assert_eq!(herd.history(handles[i]).unwrap(), tree.history(&agents[i]));
            }
        }
    }
}

#[test]
fn derived_random_streams_can_be_repeated_and_differ() {
    struct Draws(u64);
    impl Context for Draws {
        type At<'a> = Draws;
    }
    let draws = |seed| {
        let n = nodes::<Draws>();
        let tree = n
            .action("draw", |cx| cx.0 = cx.rng().next_u64())
            .build()
            .unwrap();
        let options = HerdOptions {
            seed,
            ..HerdOptions::default()
        };
        let mut herd = Herd::with(Arc::new(tree), options);
        let mut all = Vec::new();
        for _ in 0..50 {
            let agent = herd.spawn().unwrap();
            assert_eq!(herd.rng(agent).unwrap(), None);
        }
        for step in 0..4 {
            herd.tick_all(Time(step), |a| {
                let mut cx = Draws(0);
                a.tick(&mut cx).unwrap();
                all.push(cx.0);
            });
        }
        all
    };
    let one = draws(1);
    assert_eq!(one, draws(1));
    let mut both = [one, draws(2)].concat();
    both.sort_unstable();
    both.dedup();
    assert_eq!(both.len(), 400);
}
