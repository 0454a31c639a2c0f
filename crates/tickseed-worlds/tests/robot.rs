//! The story of document 001, told by the robot's own tree.

use tickseed_core::Status;
use tickseed_worlds::{Input, Value, World, create};

fn leaf(world: &dyn World) -> &str {
    let watch = world.stage().watch();
    watch.deciding_label(world.def()).unwrap_or("nothing")
}

/// Steps until the deciding leaf is this; the number of steps taken.
fn until(world: &mut dyn World, wanted: &str, most: u32) -> u32 {
    for n in 1..=most {
        world.step().unwrap();
        if leaf(world) == wanted {
            return n;
        }
    }
    panic!(
        "`{wanted}` not reached within {most} ticks; the robot is busy with `{}`",
        leaf(world)
    );
}

fn number(world: &dyn World, key: &str) -> f64 {
    let keys = world.keys(0);
    match keys.iter().find(|k| k.name == key).map(|k| k.value) {
        Some(Value::Float(f)) => f,
        Some(Value::Int(i)) => i as f64,
        Some(Value::Bool(b)) => f64::from(u8::from(b)),
        None => panic!("no key `{key}`"),
    }
}

#[test]
fn patrol_click_approach_drain_preempt_charge_resume() {
    for seed in 0..20 {
        let mut world = create("robot", seed, None).unwrap();
        let w = &mut *world;
        for _ in 0..100 {
            w.step().unwrap();
            assert_eq!(leaf(w), "patrol", "seed {seed}");
        }
        assert!(w.input(Input::Click { x: 22.0, y: 12.5 }));
        assert_eq!(
            until(w, "approach", 1),
            1,
            "breaks off at the very next tick"
        );

        assert!(w.input(Input::Drain { agent: 0 }));
        w.step().unwrap();
        assert_eq!(leaf(w), "recharge", "whether or not it had a target");
        let approach = w.def().find("approach").unwrap();
        assert_eq!(
            w.stage().watch().report().halted(),
            [approach],
            "told once that it is over"
        );
        assert_eq!(w.status(), Some(Status::Running));

        let mut reached = false;
        let mut low = true;
        while low {
            w.step().unwrap();
            assert!(w.stage().ticks() < 2000, "seed {seed} charges for ever");
            low = number(w, "battery_low") == 1.0;
            reached |= number(w, "charging") == 1.0;
            if low {
                assert_eq!(leaf(w), "recharge", "until the battery is full");
            }
            assert!(number(w, "battery") > 0.02, "seed {seed} arrives in time");
        }
        assert!(reached);
        assert!(number(w, "battery") > 0.95);
        assert_eq!(
            leaf(w),
            "approach",
            "the target is still there, so it goes on"
        );
        assert_eq!(number(w, "charging"), 0.0);

        until(w, "patrol", 400);
        assert_eq!(number(w, "target_visible"), 0.0);
        assert!((number(w, "x") - 22.0).abs() < 0.3 && (number(w, "y") - 12.5).abs() < 0.3);
    }
}

#[test]
fn the_battery_drops_on_its_own() {
    let mut world = create("robot", 3, None).unwrap();
    let ticks = until(&mut *world, "recharge", 2000);
    assert!(ticks > 400, "patrols a good while first: {ticks}");
    until(&mut *world, "patrol", 600);
}

#[test]
fn a_target_that_vanishes_is_given_up() {
    let mut world = create("robot", 1, None).unwrap();
    world.input(Input::Click { x: 1.0, y: 1.0 });
    until(&mut *world, "approach", 1);
    let key = world
        .keys(0)
        .iter()
        .position(|k| k.name == "target_visible");
    let gone = Input::Set {
        agent: 0,
        key: key.unwrap() as u16,
        value: Value::Bool(false),
    };
    assert!(world.input(gone));
    assert_eq!(until(&mut *world, "patrol", 1), 1);
}

#[test]
fn inputs_that_do_not_fit_change_nothing() {
    let mut world = create("robot", 1, None).unwrap();
    let before = world.keys(0);
    let set = |agent, key, value| Input::Set { agent, key, value };
    for bad in [
        Input::Click {
            x: f32::NAN,
            y: 0.0,
        },
        Input::Drain { agent: 1 },
        set(1, 0, Value::Float(1.0)),
        set(0, 999, Value::Float(1.0)),
        set(0, 0, Value::Bool(true)),
        set(0, 2, Value::Float(0.0)), // the heading is its own affair
    ] {
        assert!(!world.input(bad.clone()), "{bad:?}");
    }
    assert_eq!(world.keys(0), before);
    assert!(world.stage().inputs().is_empty());
}
