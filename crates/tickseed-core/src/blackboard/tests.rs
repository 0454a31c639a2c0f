use super::*;
use crate::{Status, Time, nodes};
use alloc::string::ToString;
use alloc::vec::Vec;

fn board() -> Blackboard {
    let mut keys = Layout::builder();
    keys.scalar("battery", 1.0_f32).unwrap();
    keys.scalar("hp", 10_u8).unwrap();
    keys.declare::<bool>("stop").unwrap();
    keys.declare::<i32>("goal").unwrap();
    keys.declare::<String>("name").unwrap();
    keys.declare::<Vec<u32>>("path").unwrap();
    keys.any("x").unwrap();
    Blackboard::new(keys.finish())
}

#[test]
fn b14_unknown_unset_and_wrong_type_are_three_errors() {
    let bb = board();
    let error = |e: BlackboardError| e.to_string();
    assert_eq!(
        error(bb.get::<bool>("stopp").unwrap_err()),
        "no key is named `stopp`: did you mean `stop`?"
    );
    assert_eq!(
        error(bb.get::<bool>("stop").unwrap_err()),
        "the key `stop` is declared but has no value: write it before it is read, or declare it with an initial value"
    );
    assert_eq!(
        error(bb.get::<String>("battery").unwrap_err()),
        "the key `battery` holds f32, not String"
    );
    assert!(matches!(
        bb.get::<f32>("zzz"),
        Err(BlackboardError::Unknown { nearest: None, .. })
    ));
    // The type is wrong whether it was written or not.
    assert!(matches!(
        bb.get_ref::<String>("path"),
        Err(BlackboardError::WrongType { .. })
    ));
    assert!(matches!(
        bb.get_ref::<Vec<u32>>("path"),
        Err(BlackboardError::Unset { .. })
    ));
}

#[test]
fn b13_a_copy_is_a_write() {
    let mut bb = board();
    bb.set("name", "bob").unwrap();
    bb.set("x", String::from("old")).unwrap();
    let before = bb.version("x").unwrap();
    bb.copy("name", "x").unwrap();
    assert_eq!(bb.version("x").unwrap(), before + 1);
    assert_eq!(bb.get_ref::<String>("x").unwrap(), "bob");
    // Of an equal value too.
    bb.copy("name", "x").unwrap();
    assert_eq!(bb.version("x").unwrap(), before + 2);
    // A wrong type is refused and changes nothing.
    let e = bb.copy("name", "goal").unwrap_err();
    assert_eq!(e.to_string(), "the key `goal` holds i32, not String");
    assert_eq!(bb.version("goal").unwrap(), 0);
    assert!(matches!(
        bb.copy("path", "x"),
        Err(BlackboardError::Unset { .. })
    ));
}

#[test]
fn every_write_bumps_the_version() {
    let mut bb = board();
    bb.set("hp", 3_u8).unwrap();
    bb.set("hp", 3_u8).unwrap();
    bb.update::<u8>("hp", |hp| *hp += 1).unwrap();
    bb.unset("hp").unwrap();
    assert_eq!(bb.version("hp").unwrap(), 4);
    assert_eq!(bb.get::<u8>("hp").unwrap(), 10, "the initial value is back");
    let hp = bb.layout().id("hp").unwrap();
    assert!(Blackboard::write(&mut bb, hp, Scalar::Int(4)));
    assert_eq!(bb.version("hp").unwrap(), 5);
}

#[test]
fn numbers_fit_or_are_refused() {
    let mut bb = board();
    bb.set("hp", 200_i64).unwrap();
    assert_eq!(bb.get::<i32>("hp").unwrap(), 200);
    assert_eq!(bb.get::<f64>("hp").unwrap(), 200.0);
    let e = bb.set("hp", 300).unwrap_err();
    assert_eq!(e.to_string(), "the key `hp`: 300 does not fit u8");
    assert_eq!(
        bb.get::<i8>("hp").unwrap_err().to_string(),
        "the key `hp`: 200 does not fit i8"
    );
    let e = bb.set("hp", 1.5).unwrap_err();
    assert_eq!(e.to_string(), "the key `hp` holds u8, not f64");
    bb.set("battery", 1).unwrap();
    assert_eq!(bb.get::<f32>("battery").unwrap(), 1.0);
    assert!(matches!(
        bb.get::<i32>("battery"),
        Err(BlackboardError::WrongType { .. })
    ));
    assert!(matches!(
        bb.set("stop", 1),
        Err(BlackboardError::WrongType { .. })
    ));
    assert_eq!(bb.get::<u8>("hp").unwrap(), 200);
}

#[test]
fn any_takes_one_type_at_a_time() {
    let mut bb = board();
    bb.set("x", 1.5_f32).unwrap();
    bb.set("x", 2).unwrap();
    assert_eq!(bb.get::<f32>("x").unwrap(), 2.0);
    let e = bb.set("x", String::new()).unwrap_err();
    assert_eq!(e.to_string(), "the key `x` holds f32, not String");
    bb.unset("x").unwrap();
    bb.set("x", Vec::from([1_u32])).unwrap();
    assert_eq!(bb.type_name("x").unwrap(), "Vec<u32>");
    assert_eq!(bb.get_ref::<Vec<u32>>("x").unwrap(), &[1]);
}

#[test]
fn a_clone_is_a_snapshot() {
    let mut bb = board();
    bb.set("path", Vec::from([1_u32])).unwrap();
    let saved = bb.clone();
    bb.update::<Vec<u32>>("path", |p| p.push(2)).unwrap();
    bb.set("hp", 1_u8).unwrap();
    assert_eq!(bb.get_ref::<Vec<u32>>("path").unwrap(), &[1, 2]);
    assert_eq!(saved.get_ref::<Vec<u32>>("path").unwrap(), &[1]);
    assert_eq!(saved.get::<u8>("hp").unwrap(), 10);
}

#[test]
fn guards_read_the_block_and_unset_keys_hold_for_nothing() {
    let mut bb = board();
    let layout = bb.layout().clone();
    let battery = layout.key::<Blackboard, f32>("battery").unwrap();
    let goal = layout.key::<Blackboard, i32>("goal").unwrap();
    assert_ne!(battery.place(), crate::Place::Call);
    assert_eq!(goal.place(), crate::Place::Call);
    assert!(layout.key::<Blackboard, f64>("battery").is_err());
    assert!(layout.key::<Blackboard, f64>("name").is_err());

    let n = nodes::<Blackboard>();
    let tree = n.check(battery.ge(1.0).and(goal.eq(0))).build().unwrap();
    let mut agent = tree.agent();
    let mut tick = |bb: &mut Blackboard| tree.tick(&mut agent, bb, Time::ZERO).unwrap();
    assert_eq!(
        tick(&mut bb),
        Status::Failure,
        "zeros in the block are no value"
    );
    bb.set(goal, 0).unwrap();
    assert_eq!(tick(&mut bb), Status::Success);
    bb.set(battery, 0.5_f32).unwrap();
    assert_eq!(tick(&mut bb), Status::Failure);
}

#[test]
fn declarations_are_checked() {
    let mut keys = Layout::builder();
    keys.scalar("a", 1_u8).unwrap();
    assert_eq!(
        keys.any("a").unwrap_err().to_string(),
        "a key named `a` is declared already"
    );
    assert_eq!(keys.any("").unwrap_err().to_string(), "a key needs a name");
    let e = keys.add_scalar("b", crate::ScalarType::U8, Some(Scalar::Int(-1)));
    assert!(matches!(
        e,
        Err(BlackboardError::OutOfRange { value: -1, .. })
    ));
    for i in 1..0x8000 {
        keys.any(&alloc::format!("k{i}")).unwrap();
    }
    assert_eq!(keys.any("one more"), Err(BlackboardError::TooMany));
}

/// A05: writers and a ticker under the one lock that their owner chose.
#[test]
fn a05_one_lock_serves_writers_and_a_ticker() {
    use std::sync::Mutex;
    let shared = Mutex::new(board());
    let key = shared
        .lock()
        .unwrap()
        .layout()
        .key::<Blackboard, u8>("hp")
        .unwrap();
    let tree = nodes::<Blackboard>().check(key.le(200)).build().unwrap();
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                for i in 0..500_u32 {
                    shared.lock().unwrap().set(key, (i % 200) as u8).unwrap();
                }
            });
        }
        s.spawn(|| {
            let mut agent = tree.agent();
            for _ in 0..500 {
                let status = tree.tick(&mut agent, &mut shared.lock().unwrap(), Time::ZERO);
                assert_eq!(status.unwrap(), Status::Success);
            }
        });
    });
    assert_eq!(shared.lock().unwrap().version(key).unwrap(), 1000);
}
