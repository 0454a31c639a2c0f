//! What one guard has told is used behind it only until something may have written its key.

use tickseed_core::nodes::Preempt;
use tickseed_core::{Node, nodes};
use tickseed_testkit::script::{
    Alternating, Odds, Rotating, Scripted, World, act, boxed, catch, cond, finally, for_each,
    instant, leaf, numbered, on_complete,
};
use tickseed_testkit::{Plan, compare};

fn odds(running: u8) -> Odds {
    Odds {
        success: 3,
        failure: 1,
        running,
        skipped: 0,
        error: 0,
    }
}

/// An action that writes nothing itself.
fn lively() -> Node<World> {
    act("a", odds(2))
}

fn writer() -> Scripted {
    Scripted {
        writes: true,
        ..Scripted::new("writer", odds(1))
    }
}

fn writing_instant() -> Node<World> {
    Scripted {
        writes: true,
        ..Scripted::new("writer", odds(0))
    }
    .instant()
}

fn agree(name: &str, i: usize, tree: Node<World>) {
    let tree = tree.build().unwrap();
    // With even seeds everything writes keys that may: hooks, halts, logs and the like.
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
        agree(name, i, tree);
    }
}

#[test]
fn whatever_can_write_a_key_ends_what_is_known_of_it() {
    let n = nodes::<World>();
    around("action", || writer().bare_action());
    around("action with a hook", || writer().action());
    around("instant", writing_instant);
    around("leaf", || writer().leaf());
    around("boxed", || writer().boxed());
    around("parallel", || n.parallel([writer().action(), n.succeed()]));
    around("repeat", || n.repeat(2, writer().action()));
    around("cooldown", || {
        n.cooldown(std::time::Duration::from_nanos(5), writer().action())
    });
    around("hook", || on_complete("hook", n.succeed()));
    around("hook of a leaf that runs", || finally("hook", lively()));
    around("catch", || catch("catch", odds(0), n.fail()));
    around("log", || n.log("a line"));
    around("items", || for_each("items", [0, 2, 1], n.succeed()));
    around("items that run", || for_each("items", [2, 1, 3], lively()));
    around("rule", || {
        n.custom(Alternating("rule"), [n.succeed(), n.fail()])
    });
    around("rule that runs", || {
        n.custom(Rotating("rule"), [lively(), n.succeed()])
    });
}

/// A branch that is preempted may write keys when it is halted: what let the other one in is
/// asked again behind that.
#[test]
fn a_halt_ends_what_is_known_of_keys() {
    let n = nodes::<World>();
    let guard = || World::COUNT.lt(1).and(World::SPEED.ge(0.0));
    let ask = || n.check(guard());
    let runners: [fn() -> Node<World>; 4] = [
        || act("r", "R"),
        || leaf("r", "R"),
        || boxed("r", "R"),
        || finally("hook", nodes::<World>().run_forever()),
    ];
    for (i, runs) in runners.into_iter().enumerate() {
        // On the way out of a reactive node.
        let out = || n.selector([ask(), runs()]).reactive();
        agree(
            "out of a selector",
            i,
            n.sequence([out(), ask(), instant("i", "S")]),
        );
        let body = || n.while_guard(guard(), runs());
        let after = n.selector([body(), n.invert(ask()), instant("i", "S")]);
        agree("out of a guard", i, after);
        // Before another branch starts.
        let waits = || n.wait_until(guard());
        let branch = || n.sequence([ask(), waits()]);
        let before = n.selector([branch(), runs()]).reactive();
        agree("before a start", i, before.preempt(Preempt::BeforeStart));
    }
}

/// There are only so many copies of an op: where there are no more, a copy that knows something
/// else is none to go on with.
#[test]
fn what_is_known_in_too_many_ways_is_asked_again() {
    let n = nodes::<World>();
    let ask = |i: i32| n.check(World::COUNT.eq(i));
    // The function in between has a copy for what each of the first ones has told; what the
    // world's key does take comes last, when there are no more copies.
    let (others, taken) = (|| (3..25).map(ask), || (-2..=2).map(ask));
    let several = || n.selector(others().chain(taken()));
    let tree = n.sequence([several(), cond("c", odds(0)), n.selector(others())]);
    agree("selectors", 0, tree);
    let branches = others()
        .chain(taken())
        .map(|ask| n.sequence([ask, n.succeed()]));
    let behind = n.selector(others().chain([instant("i", "S")]));
    let tree = n.sequence([n.selector(branches), cond("c", odds(0)), behind]);
    agree("selectors", 1, tree.reactive());
}

/// Edges lead past what is known, but not without end.
fn long_row(branches: usize) -> Node<World> {
    let n = nodes::<World>();
    let branch = |i: usize| {
        let ask = n.check(World::COUNT.lt(i as i32 % 2));
        n.sequence([ask, act(numbered(i), odds(2))]).reactive()
    };
    let row = n.selector((0..branches).map(branch)).reactive();
    n.selector([row, n.invert(n.check(World::COUNT.lt(0))), lively()])
}

#[test]
fn a_long_row_that_asks_one_key_runs_as_the_interpreter_says() {
    for branches in [100, 127, 128, 129, 300, 900] {
        agree("row", branches, long_row(branches));
    }
}

/// It took time with the square of its length: half a minute for this one.
#[test]
fn a_long_row_that_asks_one_key_is_compiled_soon() {
    let row = long_row(17_000);
    let begun = std::time::Instant::now();
    row.build().unwrap();
    let took = begun.elapsed();
    assert!(took < std::time::Duration::from_secs(25), "{took:?}");
}
