//! Parallel and custom nodes.

use std::time::Duration;

use tickseed_core::nodes::{Decide, Finished, Leftover, Threshold, Tie};
use tickseed_core::{Nodes, Time, nodes};
use tickseed_testkit::script::{
    Alternating, Backwards, Impatient, World, act, cond, finally, on_complete, on_halted,
};
use tickseed_testkit::{Mark, Marks, check};

const N: fn() -> Nodes<World> = nodes::<World>;

#[test]
fn all_children_are_ticked_in_order() {
    // [P09]
    check(
        N().parallel([act("a", "R"), act("b", "S")]),
        "0 R a+ b+ bS\n 1 R a.",
    );
    check(
        N().parallel([act("a", "S"), act("b", "S")]),
        "0 S a+ aS b+ bS\n 1 S a+ aS b+ bS",
    );
}

#[test]
fn finished_children_wait_or_start_again() {
    // [P01]
    let tree = || N().parallel([act("a", "RSRS"), act("b", "RRRS")]);
    check(tree(), "0 R a+ b+\n 1 R a. aS b.\n 2 R b.\n 3 S b. bS");
    check(
        tree().finished(Finished::Restart),
        "0 R a+ b+\n 1 R a. aS b.\n 2 R a+ b.\n 3 S a. aS b. bS",
    );
    // While a restarted child runs, its old verdict does not count.
    check(
        N().parallel([act("a", "SRR"), act("b", "RS")])
            .finished(Finished::Restart),
        "0 R a+ aS b+\n 1 R a+ b. bS\n 2 R a. b+ bS",
    );
}

#[test]
fn thresholds_are_reached_not_exceeded() {
    // [P03]
    let tree = |n| {
        let children = [act("a", "F"), act("b", "F"), act("c", "S")];
        N().parallel(children)
            .failure(Threshold::Count(n))
            .success(Threshold::Count(1))
    };
    check(tree(1), "0 F a+ aF b+ bF c+ cS");
    check(tree(2), "0 F a+ aF b+ bF c+ cS");
    check(tree(3), "0 S a+ aF b+ bF c+ cS");
}

#[test]
fn a_tie_is_decided_by_its_option() {
    let tree = |tie| {
        N().parallel([act("a", "S"), act("b", "F")])
            .success(Threshold::Count(1))
            .tie(tie)
    };
    check(tree(Tie::Failure), "0 F a+ aS b+ bF");
    check(tree(Tie::Success), "0 S a+ aS b+ bF");
    check(
        tree(Tie::Failure).decide(Decide::AsSoonAsKnown),
        "0 S a+ aS",
    );
}

#[test]
fn losers_are_halted_and_not_completed() {
    // [H03]
    let act_r = || on_halted("halted", on_complete("done", act("a", "R")));
    check(
        N().parallel([act_r(), act("bad", "F")]),
        "0 F a+ bad+ badF a! halted@!",
    );
}

#[test]
fn decided_as_soon_as_known() {
    let tree = || N().parallel([act("a", "F"), act("b", "S"), act("c", "S")]);
    check(tree().decide(Decide::AsSoonAsKnown), "0 F a+ aF");
    // Neither all can succeed nor two fail: hopeless after the first failure.
    check(
        tree()
            .failure(Threshold::Count(2))
            .decide(Decide::AsSoonAsKnown),
        "0 F a+ aF",
    );
    check(tree().failure(Threshold::Count(2)), "0 F a+ aF b+ bS c+ cS");
    check(
        N().parallel([act("a", "RR"), act("b", "RF"), act("c", "RR")])
            .decide(Decide::AsSoonAsKnown),
        "0 R a+ b+ c+\n 1 F a. b. bF a! c!",
    );
}

#[test]
fn leftover_children_are_awaited_and_finished_ones_rest() {
    let tree = |decide, finished| {
        N().parallel([act("a", "RRS"), act("b", "F"), act("c", "S")])
            .decide(decide)
            .finished(finished)
            .leftover(Leftover::Await)
    };
    for finished in [Finished::Latch, Finished::Restart] {
        check(
            tree(Decide::AfterAll, finished),
            "0 R a+ b+ bF c+ cS\n 1 R a.\n 2 F a. aS",
        );
        // What was not started when the verdict became known is not started.
        check(
            tree(Decide::AsSoonAsKnown, finished),
            "0 R a+ b+ bF\n 1 R a.\n 2 F a. aS",
        );
    }
    check(
        N().parallel([act("a", "S"), act("b", "F")])
            .leftover(Leftover::Await),
        "0 F a+ aS b+ bF",
    );
}

#[test]
fn skipped_children_are_not_there_in_this_tick() {
    check(
        N().parallel([act("a", "K"), act("b", "K")]),
        "0 K a+ aK b+ bK",
    );
    check(
        N().parallel([act("a", "K"), act("b", "S")]),
        "0 S a+ aK b+ bS",
    );
    check(
        N().parallel([act("a", "KS"), act("b", "RS")]),
        "0 R a+ aK b+\n 1 S a+ aS b. bS",
    );
    check(
        N().parallel([act("a", "K"), act("b", "S")])
            .success(Threshold::Count(2)),
        "0 F a+ aK b+ bS",
    );
}

#[test]
fn a_halted_parallel_is_as_new() {
    // [P05], [P08]
    let tree = N().sequence([
        act("start", "S"),
        N().parallel([act("p", "R"), act("q", "RSR")]),
    ]);
    check(
        N().time_limit(Duration::from_millis(2), tree),
        "0 R start+ startS p+ q+\n 1 R p. q. qS\n 2 F p!\n 3 R start+ startS p+ q+",
    );
    check(
        N().repeat(3, N().parallel([N().force_success(act("a", "F"))])),
        "0 R a+ aF\n 1 R a+ aF\n 2 S a+ aF",
    );
}

#[test]
fn the_trace_names_the_child_that_decided() {
    let tree = N()
        .parallel([act("a", "R"), act("b", "RF"), act("c", "S")])
        .build()
        .unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    let mut decided = |t| {
        let mut marks = Marks::default();
        tree.tick_traced(&mut agent, &mut world, Time(t), &mut marks)
            .unwrap();
        let found = marks.0.iter().find_map(|m| match m {
            Mark::Decided(_, child) => Some(tree.node(*child).label().to_owned()),
            _ => None,
        });
        found.unwrap()
    };
    assert_eq!((decided(0), decided(1)), ("a".into(), "b".into()));
}

#[test]
fn custom_nodes_are_served_like_built_in_ones() {
    check(
        N().custom(Backwards("x"), [act("a", "RS"), act("b", "S")]),
        "0 R b+ bS a+\n 1 S b+ bS a. aS",
    );
    // Left running when the node ends: halted in child order, after the rule.
    check(
        N().custom(
            Alternating("x"),
            [act("a", "R"), act("b", "R"), act("c", "S")],
        ),
        "0 R a+ x*1\n 1 R b+ x*2\n 2 S c+ cS x*2 a! b!",
    );
    // Halted from outside: the children first, then the node's own hook, with its state.
    check(
        finally(
            "f",
            N().custom(Alternating("x"), [act("a", "R"), act("b", "R")]),
        ),
        "0 R a+ x*1\n 1 R b+ x*2\n 2 halt a! b! x*102 f@!\n 3 R a+ x*1",
    );
    check(
        N().custom(Impatient("x"), [act("a", "R"), act("b", "FFS")]),
        "0 R a+\n 1 S a. a! b+ bF b+ bF x*1\n 2 R a+\n 3 S a. a! b+ bS x*2\n 3 reset\n 4 R a+",
    );
}

#[test]
fn a_guard_above_a_custom_node_ends_it() {
    check(
        N().sequence([
            cond("g", "SSF"),
            N().custom(Backwards("x"), [act("a", "R"), act("b", "R")]),
        ])
        .reactive(),
        "0 R g?y b+ a+\n 1 R g?y b. a.\n 2 F g?n a! b!",
    );
}
