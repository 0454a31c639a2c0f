//! Agents that sleep: what wakes them, and what does not.

use std::mem::offset_of;
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{
    Context, EventOptions, Herd, Key, KeyId, Leaf, LeafError, Node, Place, Status, Time, nodes,
};

#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Block {
    hp: i32,
    enemy: i32,
    ammo: i32,
}

#[derive(Default)]
struct Soldier {
    block: Block,
    done: bool,
    ticks: u32,
}
impl Context for Soldier {
    type At<'a> = Soldier;
    fn block(at: &Soldier) -> &[u8] {
        bytemuck::bytes_of(&at.block)
    }
}

const HP: Key<Soldier, i32> = Key::new(KeyId(0), Place::Block(offset_of!(Block, hp) as u32));
const ENEMY: Key<Soldier, i32> = Key::new(KeyId(1), Place::Block(offset_of!(Block, enemy) as u32));
const AMMO: Key<Soldier, i32> = Key::new(KeyId(2), Place::Block(offset_of!(Block, ammo) as u32));

fn herd(root: Node<Soldier>) -> (Herd<Soldier>, Soldier) {
    let mut herd = Herd::new(Arc::new(root.build().unwrap()));
    herd.use_events(EventOptions {
        granularity: Duration::from_nanos(1),
    });
    herd.spawn().unwrap();
    (
        herd,
        Soldier {
            block: Block {
                hp: 100,
                ..Block::default()
            },
            ..Soldier::default()
        },
    )
}

/// Ticks who is due; the answer of the one agent, if it was.
fn due(herd: &mut Herd<Soldier>, soldier: &mut Soldier, now: u64) -> Option<Status> {
    let mut answer = None;
    herd.tick_due(Time(now), |a| answer = Some(a.tick(soldier).unwrap()));
    answer
}

fn idle() -> Node<Soldier> {
    nodes::<Soldier>()
        .action("idle", |s| {
            s.ticks += 1;
            Status::Running
        })
        .sleeps()
}

/// Unreal's three abort scopes fall out of what guards read: `self` is a guard of the running
/// branch, `lower` one of a branch before it that failed, `both` is both.
#[test]
fn the_abort_scopes_of_other_engines_fall_out_of_what_guards_read() {
    let n = nodes::<Soldier>();
    let flee = n.sequence([n.check(HP.lt(20)), n.run_forever()]).reactive();
    let fight = n
        .sequence([n.check(ENEMY.gt(0)), n.run_forever()])
        .reactive();
    let (mut herd, mut s) = herd(n.selector([flee, fight, n.run_forever()]).reactive());
    let one = herd.at(0).unwrap();
    assert_eq!(due(&mut herd, &mut s, 0), Some(Status::Running));
    // Idle: both guards have failed, so both can take over ("lower priority").
    assert_eq!(due(&mut herd, &mut s, 2), None);
    assert_eq!(herd.watched(one).unwrap(), [HP.id(), ENEMY.id()]);
    s.block.enemy = 1;
    herd.touch(one, ENEMY).unwrap();
    assert!(due(&mut herd, &mut s, 3).is_some());
    assert_eq!(due(&mut herd, &mut s, 5), None);
    // Fighting: its own guard ("self") and that of the branch before it ("lower").
    assert_eq!(herd.watched(one).unwrap(), [HP.id(), ENEMY.id()]);
    s.block.hp = 10;
    herd.touch(one, HP).unwrap();
    assert!(due(&mut herd, &mut s, 6).is_some());
    assert_eq!(due(&mut herd, &mut s, 7), None);
    // Fleeing: only its own; enemies do not matter, and do not wake it.
    assert_eq!(herd.watched(one).unwrap(), [HP.id()]);
    s.block.enemy = 0;
    herd.touch(one, ENEMY).unwrap();
    herd.touch_all(AMMO);
    assert!(herd.is_asleep(one).unwrap());
    herd.touch_all(HP);
    assert!(!herd.is_asleep(one).unwrap());
    assert_eq!(due(&mut herd, &mut s, 9), Some(Status::Running));
}

#[test]
fn memory_branches_watch_nothing_before_them() {
    let n = nodes::<Soldier>();
    let (mut herd, mut s) = herd(n.sequence([n.check(HP.gt(0)), idle()]));
    let one = herd.at(0).unwrap();
    due(&mut herd, &mut s, 0);
    due(&mut herd, &mut s, 1);
    assert!(herd.is_asleep(one).unwrap());
    assert!(herd.watched(one).unwrap().is_empty());
    assert_eq!(s.ticks, 1);
    assert_eq!((herd.asleep(), herd.next_due()), (1, None));
}

#[test]
fn who_would_only_wait_falls_asleep_at_once() {
    let n = nodes::<Soldier>();
    let hurt = n.sequence([n.check(HP.lt(20)), n.run_forever()]).reactive();
    let wind_up = n.sequence([n.check(ENEMY.gt(0)), n.wait(Duration::from_nanos(100))]);
    let (mut herd, mut s) = herd(n.selector([hurt, wind_up, idle()]).reactive());
    let one = herd.at(0).unwrap();
    s.block.enemy = 1;
    assert_eq!(due(&mut herd, &mut s, 0), Some(Status::Running));
    assert_eq!(herd.watched(one).unwrap(), [HP.id()]);
    assert_eq!(due(&mut herd, &mut s, 50), None);
    assert_eq!(due(&mut herd, &mut s, 100), Some(Status::Success));
    // What runs next is begun by a tick.
    s.block.enemy = 0;
    assert_eq!(due(&mut herd, &mut s, 101), Some(Status::Running));
    assert_eq!(due(&mut herd, &mut s, 102), None);
    assert_eq!(s.ticks, 1);
    s.block.hp = 10;
    herd.touch(one, HP).unwrap();
    assert_eq!(due(&mut herd, &mut s, 103), Some(Status::Running));
    assert_eq!(herd.watched(one).unwrap(), [HP.id()]);
}

#[test]
fn who_would_answer_otherwise_next_time_has_another_tick() {
    let n = nodes::<Soldier>();
    let (mut herd, mut s) = herd(n.cooldown(Duration::from_nanos(100), n.succeed()));
    assert_eq!(due(&mut herd, &mut s, 0), Some(Status::Success));
    assert_eq!(due(&mut herd, &mut s, 1), Some(Status::Failure));
    assert_eq!(due(&mut herd, &mut s, 2), None);
    assert_eq!(due(&mut herd, &mut s, 100), Some(Status::Success));
}

#[test]
fn an_undeclared_action_keeps_its_agent_awake() {
    let n = nodes::<Soldier>();
    let (mut herd, mut s) = herd(n.action("busy", |s| {
        s.ticks += 1;
        Status::Running
    }));
    for now in 0..10 {
        assert!(due(&mut herd, &mut s, now).is_some());
    }
    assert_eq!(s.ticks, 10);
}

#[test]
fn functions_that_declare_what_they_read_let_their_agent_sleep() {
    let n = nodes::<Soldier>();
    let armed = |declared: bool| {
        let node = n.condition("armed", |s| s.block.ammo > 0);
        if declared { node.reads([AMMO]) } else { node }
    };
    for declared in [false, true] {
        let attack = n.sequence([armed(declared), n.run_forever()]).reactive();
        let (mut herd, mut s) = herd(n.selector([attack, idle()]).reactive());
        let one = herd.at(0).unwrap();
        due(&mut herd, &mut s, 0);
        due(&mut herd, &mut s, 1);
        assert_eq!(herd.is_asleep(one).unwrap(), declared);
        if declared {
            assert_eq!(herd.watched(one).unwrap(), [AMMO.id()]);
        }
    }
    let which = n.switch(|s| s.block.ammo as usize, [idle(), n.run_forever()]);
    let (mut herd, mut s) = herd(which.reactive().reads([AMMO]));
    let one = herd.at(0).unwrap();
    due(&mut herd, &mut s, 0);
    due(&mut herd, &mut s, 1);
    assert_eq!(herd.watched(one).unwrap(), [AMMO.id()]);
    let best = n.utility([
        (n.score(|s| f64::from(s.block.ammo)), idle()),
        (n.score(|s| f64::from(s.block.hp) / 50.0), n.run_forever()),
    ]);
    let (mut herd, mut s) = self::herd(best.reactive().reads([AMMO, HP]));
    let one = herd.at(0).unwrap();
    due(&mut herd, &mut s, 0);
    due(&mut herd, &mut s, 1);
    assert_eq!(herd.watched(one).unwrap(), [HP.id(), AMMO.id()]);
}

#[test]
fn deadlines_wake_on_time() {
    let n = nodes::<Soldier>();
    let (mut herd, mut s) = herd(n.wait(Duration::from_nanos(100)));
    assert_eq!(due(&mut herd, &mut s, 0), Some(Status::Running));
    assert_eq!(due(&mut herd, &mut s, 50), None);
    assert!(herd.next_due().unwrap() <= Time(100));
    assert_eq!(due(&mut herd, &mut s, 99), None);
    assert_eq!(due(&mut herd, &mut s, 100), Some(Status::Success));
}

/// A leaf that asks for a time.
struct Nap;
impl Leaf<Soldier> for Nap {
    type State = u64;
    fn start(
        &self,
        until: &mut u64,
        cx: &mut tickseed_core::Cx<'_, '_, Soldier>,
    ) -> Result<Status, LeafError> {
        *until = cx.now().0 + 1000;
        self.tick(until, cx)
    }
    fn tick(
        &self,
        until: &mut u64,
        cx: &mut tickseed_core::Cx<'_, '_, Soldier>,
    ) -> Result<Status, LeafError> {
        cx.wake_at(Time(*until));
        Ok(if cx.done || cx.now().0 >= *until {
            Status::Success
        } else {
            Status::Running
        })
    }
}

#[test]
fn a_leaf_may_ask_for_a_time_and_be_woken_from_outside() {
    let n = nodes::<Soldier>();
    let (mut herd, mut s) = herd(n.leaf("nap", Nap).sleeps());
    let one = herd.at(0).unwrap();
    assert_eq!(due(&mut herd, &mut s, 0), Some(Status::Running));
    assert_eq!(due(&mut herd, &mut s, 999), None);
    assert_eq!(due(&mut herd, &mut s, 1000), Some(Status::Success));
    due(&mut herd, &mut s, 1001);
    due(&mut herd, &mut s, 1002);
    s.done = true;
    assert_eq!(due(&mut herd, &mut s, 1003), None);
    herd.wake(one).unwrap();
    assert_eq!(due(&mut herd, &mut s, 1004), Some(Status::Success));
}

#[test]
fn whoever_is_ticked_unwatched_or_halted_is_awake() {
    let (mut herd, mut s) = herd(idle());
    let one = herd.at(0).unwrap();
    let fall_asleep = |herd: &mut Herd<Soldier>, s: &mut Soldier, now| {
        due(herd, s, now);
        due(herd, s, now + 1);
        assert!(herd.is_asleep(one).unwrap());
    };
    fall_asleep(&mut herd, &mut s, 0);
    herd.halt(one, &mut s, Time(2)).unwrap();
    assert!(!herd.is_asleep(one).unwrap());
    fall_asleep(&mut herd, &mut s, 3);
    herd.tick(one, &mut s, Time(5)).unwrap();
    assert!(!herd.is_asleep(one).unwrap());
    fall_asleep(&mut herd, &mut s, 6);
    herd.tick_all(Time(8), |a| {
        a.tick(&mut s).unwrap();
    });
    assert!(!herd.is_asleep(one).unwrap());
    fall_asleep(&mut herd, &mut s, 9);
    // Back in time: everybody looks again.
    assert_eq!(due(&mut herd, &mut s, 4), Some(Status::Running));
    fall_asleep(&mut herd, &mut s, 20);
    herd.wake_all();
    assert!(!herd.is_asleep(one).unwrap());
}

#[test]
fn a_tick_of_all_in_the_past_wakes_those_too_whom_it_leaves_out() {
    let (mut herd, mut s) = herd(idle());
    let one = herd.at(0).unwrap();
    due(&mut herd, &mut s, 20);
    due(&mut herd, &mut s, 21);
    herd.tick_all(Time(30), |_| {});
    assert!(herd.is_asleep(one).unwrap());
    herd.tick_all(Time(29), |_| {});
    assert!(!herd.is_asleep(one).unwrap());
}

#[test]
fn an_hour_is_a_cheap_jump_and_everybody_due_is_ticked_once() {
    let n = nodes::<Soldier>();
    let mut herd = Herd::new(Arc::new(
        n.sequence([n.wait(Duration::from_secs(5)), n.run_forever()])
            .build()
            .unwrap(),
    ));
    for _ in 0..1000 {
        herd.spawn().unwrap();
    }
    let mut s = Soldier::default();
    for now in [0, 100] {
        herd.tick_due(Time::from_millis(now), |a| {
            a.tick(&mut s).unwrap();
        });
    }
    assert_eq!(herd.asleep(), 1000);
    let hour = 3_600_000;
    let ticked = herd.tick_due(Time::from_millis(hour), |a| {
        a.tick(&mut s).unwrap();
    });
    assert_eq!(ticked.ticked, 1000);
}
