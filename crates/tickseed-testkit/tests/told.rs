//! What one guard has told is used behind it only until something may have written its key.

use tickseed_core::{Node, nodes};
use tickseed_testkit::script::{Odds, Scripted, World};
use tickseed_testkit::{Plan, compare};

fn writer() -> Scripted {
    let odds = Odds {
        success: 3,
        failure: 1,
        running: 1,
        skipped: 0,
        error: 0,
    };
    Scripted {
        writes: true,
        ..Scripted::new("writer", odds)
    }
}

fn instant() -> Node<World> {
    let odds = Odds {
        success: 3,
        failure: 1,
        running: 0,
        skipped: 0,
        error: 0,
    };
    Scripted {
        writes: true,
        ..Scripted::new("writer", odds)
    }
    .instant()
}

/// Asks the same before and after.
fn around(name: &str, work: impl Fn() -> Node<World>) {
    let n = nodes::<World>();
    let ask = || n.check(World::COUNT.lt(1).and(World::SPEED.ge(0.0)));
    let row = || [ask(), n.invert(n.invert(work())), ask(), n.succeed()];
    let trees = [
        n.sequence(row()),
        n.sequence(row()).reactive(),
        n.selector([
            n.sequence([ask(), work(), n.fail()]),
            ask(),
            n.invert(ask()),
        ]),
        n.selector([n.sequence(row()), n.invert(ask()), ask()])
            .reactive(),
    ];
    for (i, tree) in trees.into_iter().enumerate() {
        let tree = tree.build().unwrap();
        for seed in 0..20 {
            let plan = Plan {
                seed,
                steps: 200,
                errors: false,
            };
            if let Err(e) = compare(&tree, plan) {
                panic!("{name}, tree {i}, seed {seed}: {e}");
            }
        }
    }
}

#[test]
fn whatever_can_write_a_key_ends_what_is_known_of_it() {
    let n = nodes::<World>();
    around("action", || writer().bare_action());
    around("action with a hook", || writer().action());
    around("instant", instant);
    around("leaf", || writer().leaf());
    around("boxed", || writer().boxed());
    around("parallel", || n.parallel([writer().action(), n.succeed()]));
    around("repeat", || n.repeat(2, writer().action()));
    around("cooldown", || {
        n.cooldown(std::time::Duration::from_nanos(5), writer().action())
    });
}
