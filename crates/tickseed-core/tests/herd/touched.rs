//! Agents that are touched in their sleep: a look tells whether a tick would do anything.

use std::cell::Cell;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{Context, EventOptions, Herd, Key, KeyId, Node, Place, Status, Time, nodes};

#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Block {
    hp: i32,
    enemy: i32,
}

#[derive(Default)]
struct Guard {
    block: Block,
    panics: bool,
    /// How often each of these was called.
    idled: u32,
    fled: u32,
}
impl Context for Guard {
    type At<'a> = Guard;
    fn block(at: &Guard) -> &[u8] {
        bytemuck::bytes_of(&at.block)
    }
}

const HP: Key<Guard, i32> = Key::new(KeyId(0), Place::Block(offset_of!(Block, hp) as u32));
const ENEMY: Key<Guard, i32> = Key::new(KeyId(1), Place::Block(offset_of!(Block, enemy) as u32));

fn idle() -> Node<Guard> {
    nodes::<Guard>().action("idle", |g| {
        g.idled += 1;
        Status::Running
    })
}

fn flee() -> Node<Guard> {
    nodes::<Guard>().instant("flee", |g| g.fled += 1)
}

/// A herd of one that sleeps.
fn asleep(root: Node<Guard>) -> (Herd<Guard>, Guard) {
    let mut herd = Herd::new(Arc::new(root.build().unwrap()));
    herd.use_events(EventOptions {
        granularity: Duration::from_nanos(1),
    });
    let one = herd.spawn().unwrap();
    let mut guard = Guard::default();
    guard.block.hp = 100;
    for now in 0..3 {
        due(&mut herd, &mut guard, now);
    }
    assert!(herd.is_asleep(one).unwrap());
    (herd, guard)
}

/// Ticks who is due; the answer of the one agent, if it was.
fn due(herd: &mut Herd<Guard>, guard: &mut Guard, now: u64) -> Option<Status> {
    let mut answer = None;
    herd.tick_due(Time(now), |a| answer = Some(a.tick(guard).unwrap()));
    answer
}

#[test]
fn a_change_that_no_guard_minds_is_looked_at_and_slept_over() {
    let n = nodes::<Guard>();
    let hurt = n.sequence([n.check(HP.lt(20)), flee()]);
    let (mut herd, mut guard) = asleep(n.selector([hurt, idle().sleeps()]).reactive());
    let one = herd.at(0).unwrap();
    let before = guard.idled;
    for (now, hp) in [(10, 90), (11, 50), (12, 20)] {
        guard.block.hp = hp;
        herd.touch(one, HP).unwrap();
        // Touched, and not known to sleep, until it was looked at.
        assert!(!herd.is_asleep(one).unwrap());
        assert_eq!((herd.asleep(), herd.next_due().is_some()), (0, true));
        assert_eq!(due(&mut herd, &mut guard, now), Some(Status::Running));
        assert!(herd.is_asleep(one).unwrap());
        assert_eq!(due(&mut herd, &mut guard, now), None);
    }
    assert_eq!((guard.idled, guard.fled), (before, 0));
    guard.block.hp = 19;
    herd.touch(one, HP).unwrap();
    assert_eq!(due(&mut herd, &mut guard, 13), Some(Status::Success));
    assert_eq!(guard.fled, 1);
}

#[test]
fn a_leaf_that_wakes_on_a_key_is_ticked_when_it_changes() {
    let n = nodes::<Guard>();
    let hurt = n.sequence([n.check(HP.lt(20)), flee()]);
    let watch = idle().wakes_on([ENEMY]);
    let (mut herd, mut guard) = asleep(n.selector([hurt, watch]).reactive());
    let one = herd.at(0).unwrap();
    for key in [ENEMY, HP] {
        let before = guard.idled;
        herd.touch(one, key).unwrap();
        assert_eq!(due(&mut herd, &mut guard, 10), Some(Status::Running));
        assert_eq!(guard.idled, before + 1);
        assert!(herd.is_asleep(one).unwrap());
    }
}

#[test]
fn who_is_woken_is_ticked_whether_touched_or_not() {
    let n = nodes::<Guard>();
    let hurt = n.sequence([n.check(HP.lt(20)), flee()]);
    let (mut herd, mut guard) = asleep(n.selector([hurt, idle().sleeps()]).reactive());
    let one = herd.at(0).unwrap();
    for touched in [false, true] {
        let before = guard.idled;
        if touched {
            herd.touch(one, HP).unwrap();
        }
        herd.wake(one).unwrap();
        assert_eq!(due(&mut herd, &mut guard, 10), Some(Status::Running));
        assert_eq!(guard.idled, before + 1);
    }
}

#[test]
fn who_is_touched_and_not_ticked_in_its_turn_has_another() {
    let n = nodes::<Guard>();
    let hurt = n.sequence([n.check(HP.lt(20)), flee()]);
    let (mut herd, mut guard) = asleep(n.selector([hurt, idle().sleeps()]).reactive());
    guard.block.hp = 1;
    herd.touch(herd.at(0).unwrap(), HP).unwrap();
    herd.tick_due(Time(10), |_| {});
    herd.tick_due(Time(11), |_| {});
    assert_eq!(due(&mut herd, &mut guard, 12), Some(Status::Success));
    assert_eq!(guard.fled, 1);
}

#[test]
fn a_deadline_that_passes_is_not_looked_over() {
    let n = nodes::<Guard>();
    let hurt = n.sequence([n.check(HP.lt(20)), flee()]);
    let wait = n.wait(Duration::from_nanos(100));
    let (mut herd, mut guard) = asleep(n.selector([hurt, wait]).reactive());
    let one = herd.at(0).unwrap();
    // The wait began at the first tick, and the timer is still set after a look.
    for now in [50, 99] {
        herd.touch(one, HP).unwrap();
        assert_eq!(due(&mut herd, &mut guard, now), Some(Status::Running));
        assert!(herd.is_asleep(one).unwrap());
        assert!(herd.next_due().is_some_and(|due| due <= Time(100)));
    }
    herd.touch(one, HP).unwrap();
    assert_eq!(due(&mut herd, &mut guard, 100), Some(Status::Success));
}

/// A herd of so many that sleep, and what they see.
fn many(agents: usize) -> (Herd<Guard>, Vec<Guard>) {
    let n = nodes::<Guard>();
    let hurt = n.sequence([n.check(HP.lt(20)), flee()]);
    let root = n.selector([hurt, idle().sleeps()]).reactive();
    let mut herd = Herd::new(Arc::new(root.build().unwrap()));
    let mut guards: Vec<Guard> = Vec::new();
    for _ in 0..agents {
        herd.spawn().unwrap();
        let mut guard = Guard::default();
        guard.block.hp = 100;
        guards.push(guard);
    }
    for now in 0..3 {
        let all = herd.tick_due(Time(now), |a| {
            let i = a.index();
            a.tick(&mut guards[i]).unwrap();
        });
        assert_eq!(all.ticked, if now == 0 { agents } else { 0 });
    }
    (herd, guards)
}

#[test]
fn however_many_are_touched_each_has_its_turn_in_order_and_nobody_else() {
    let (mut herd, mut guards) = many(9000);
    for step in [1, 7, 13, 700] {
        // Out of order, some of them twice, and some for a key that does not matter.
        for i in (0..9000).rev().step_by(step).chain([8999]) {
            let one = herd.at(i).unwrap();
            guards[i].block.hp = if i % 2 == 0 { 10 } else { 90 };
            herd.touch(one, HP).unwrap();
            herd.touch(herd.at(i / 2).unwrap(), ENEMY).unwrap();
        }
        let expected: Vec<usize> = (0..9000).filter(|i| (8999 - i) % step == 0).collect();
        assert_eq!(herd.asleep(), 9000 - expected.len());
        let mut turns = Vec::new();
        guards.iter_mut().for_each(|g| g.fled = 0);
        herd.tick_due(Time(step as u64), |a| {
            turns.push(a.index());
            let i = a.index();
            a.tick(&mut guards[i]).unwrap();
        });
        assert_eq!(turns, expected);
        for (i, guard) in guards.iter_mut().enumerate() {
            assert_eq!(guard.fled > 0, i % 2 == 0 && expected.contains(&i), "{i}");
            guard.block.hp = 100;
        }
        // To sleep again.
        for _ in 0..3 {
            herd.tick_due(Time(step as u64), |a| {
                let i = a.index();
                a.tick(&mut guards[i]).unwrap();
            });
        }
        assert_eq!(herd.asleep(), 9000);
    }
}

#[test]
fn who_was_touched_is_awake_in_what_is_saved() {
    let (mut herd, _) = many(3);
    herd.touch(herd.at(1).unwrap(), HP).unwrap();
    assert_eq!(herd.asleep(), 2);
    let loaded = Herd::load(herd.tree().clone(), &herd.save().unwrap()).unwrap();
    let asleep = |i: usize| loaded.is_asleep(loaded.at(i).unwrap()).unwrap();
    assert_eq!([asleep(0), asleep(1), asleep(2)], [true, false, true]);
    let snapshot = herd.snapshot().unwrap();
    let asleep: Vec<bool> = snapshot.agents.iter().map(|a| a.asleep).collect();
    assert_eq!(asleep, [true, false, true]);
}

#[test]
fn a_touch_of_one_that_is_gone_before_the_tick_does_not_matter() {
    let (mut herd, mut guards) = many(2);
    let one = herd.at(0).unwrap();
    herd.touch(one, HP).unwrap();
    herd.despawn(one, &mut guards[0], Time(5)).unwrap();
    let turn = herd.tick_due(Time(6), |a| {
        let i = a.index();
        a.tick(&mut guards[i]).unwrap();
    });
    assert_eq!((turn.ticked, herd.asleep()), (0, 1));
    let next = herd.spawn().unwrap();
    assert_eq!(next.index, one.index);
    herd.touch(next, HP).unwrap();
    assert!(!herd.is_asleep(next).unwrap());
}

/// A function that says what it reads.
fn asks() -> Node<Guard> {
    let n = nodes::<Guard>();
    let hurt = n.condition("hurt", |g| {
        assert!(!g.panics, "as asked");
        g.block.hp < 20
    });
    let hurt = n.sequence([hurt.reads([HP]), flee()]);
    n.selector([hurt, idle().sleeps()]).reactive()
}

#[test]
fn a_function_may_be_asked_in_a_look() {
    let (mut herd, mut guard) = asleep(asks());
    let before = guard.idled;
    herd.touch(herd.at(0).unwrap(), HP).unwrap();
    assert_eq!(due(&mut herd, &mut guard, 10), Some(Status::Running));
    assert_eq!(guard.idled, before);
}

#[cfg(feature = "std")]
#[test]
fn a_function_that_panics_in_a_look_is_named_and_its_agent_poisoned() {
    use tickseed_core::TickError;
    let (mut herd, mut guard) = asleep(asks());
    let one = herd.at(0).unwrap();
    let before = guard.idled;
    herd.catch_panics(true);
    guard.panics = true;
    herd.touch(one, HP).unwrap();
    let mut result = None;
    let turn = herd.tick_due(Time(11), |a| result = Some(a.tick(&mut guard)));
    match result {
        Some(Err(TickError::Panicked { path, message })) => {
            assert_eq!(path.as_deref(), Some("reactive selector/sequence/hurt"));
            assert_eq!(message, "as asked");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((turn.poisoned, herd.poisoned().next()), (1, Some(one)));
    guard.panics = false;
    herd.recover(one, &mut guard, Time(12)).unwrap();
    assert!(due(&mut herd, &mut guard, 13).is_some());
    assert!(guard.idled > before);
}

/// Shows its block so often, then panics once.
#[derive(Default)]
struct Fickle {
    block: Block,
    shows: Cell<u32>,
}
impl Context for Fickle {
    type At<'a> = Fickle;
    fn block(at: &Fickle) -> &[u8] {
        let left = at.shows.get();
        at.shows.set(left.wrapping_sub(1));
        assert!(left != 1, "a block that cannot be shown");
        bytemuck::bytes_of(&at.block)
    }
}

#[test]
fn an_agent_whose_context_panics_anywhere_in_a_look_can_be_recovered() {
    let n = nodes::<Fickle>();
    let hp: Key<Fickle, i32> = Key::new(KeyId(0), Place::Block(offset_of!(Block, hp) as u32));
    let tree = Arc::new(n.check(hp.lt(20)).build().unwrap());
    let mut panics = 0;
    for shows in 1..5 {
        let mut herd = Herd::new(tree.clone());
        let (mut fickle, one) = (Fickle::default(), herd.spawn().unwrap());
        for now in 0..3 {
            herd.tick_due(Time(now), |a| drop(a.tick(&mut fickle)));
        }
        assert!(herd.is_asleep(one).unwrap());
        herd.touch(one, hp).unwrap();
        fickle.shows.set(shows);
        let tick = AssertUnwindSafe(|| herd.tick_due(Time(3), |a| drop(a.tick(&mut fickle))));
        panics += u32::from(catch_unwind(tick).is_err());
        fickle.shows.set(0);
        herd.recover(one, &mut fickle, Time(3)).unwrap();
        let mut answer = None;
        herd.tick_all(Time(4), |a| answer = Some(a.tick(&mut fickle).unwrap()));
        assert_eq!(answer, Some(Status::Success), "{shows}");
    }
    assert!(panics > 0);
}
