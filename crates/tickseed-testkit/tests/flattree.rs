//! FlatTree's conformance list, as far as its cases mean something here: one test for each of
//! its groups, in our words. Where the default differs, the options that give its behaviour
//! are written out.

use std::time::Duration;

use tickseed_core::nodes::{Parallel, Threshold, Tie};
use tickseed_core::{Node, Nodes, nodes};
use tickseed_testkit::check;
use tickseed_testkit::script::{World, act, bare_act, boxed, catch, cond, for_each, guard, leaf};

const N: fn() -> Nodes<World> = nodes::<World>;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Succeeds with the first success, which wins a tie; fails when all have failed.
fn only_one(children: [Node<World>; 2]) -> Node<World> {
    let options = Parallel {
        success: Threshold::Count(1),
        failure: Threshold::All,
        tie: Tie::Success,
        ..Parallel::DEFAULT
    };
    N().parallel_with(options, children)
}

#[test]
fn recovery() {
    // A failure in the second child of a fresh sequence; recovery, and it begins anew.
    check(
        N().sequence([act("a", "S"), act("b", "ES")]),
        "0 E a+ aS b+ bE\n 0 recover b!\n 0 recover\n 1 S a+ aS b+ bS",
    );
    // What holds on in another branch is let go by recovery, not by the failure.
    check(
        N().parallel([N().sequence([leaf("hold", "R")]), act("bad", "E")]),
        "0 E hold+ bad+ badE\n 1 E",
    );
    // A cooldown that runs goes on blocking after recovery.
    check(
        N().selector([N().cooldown(ms(1000), act("a", "S")), act("b", "EF")]),
        "0 S a+ aS\n 400 E b+ bE\n 450 recover b!\n 500 F b+ bF\n 1000 S a+ aS",
    );
    // A new agent has nothing to recover or to halt.
    check(leaf("a", "R"), "0 recover\n 0 halt\n 0 reset");
}

#[test]
fn abort_clean_up() {
    // The guard opens: the running low leaf is ended exactly once.
    let tree = N().selector([
        N().sequence([cond("open", "FS"), act("high", "S")]),
        act("low", "R"),
    ]);
    check(
        tree.reactive(),
        "0 R open?n low+\n 1000 S open?y high+ highS low!\n 1000 halt",
    );
    // A halt reaches through nested composites and decorators; an untouched branch hears nothing.
    check(
        N().selector([
            N().sequence([
                N().force_success(N().invert(leaf("deep", "R"))),
                act("next", "S"),
            ]),
            act("other", "S"),
        ]),
        "0 R deep+\n 1 halt deep!\n 2 halt",
    );
    // A sequence's guard drops: failure, and one end.
    check(
        N().sequence([cond("g", "SF"), act("a", "R")]).reactive(),
        "0 R g?y a+\n 1 F g?n a!\n 1 halt",
    );
}

#[test]
fn reset_cascade() {
    // A high child that runs for a while only: the low wait restarts with a whole duration.
    let high = N().while_guard(guard("on", "FSF"), N().run_forever());
    check(
        N().selector([high, N().wait(ms(1000))]).reactive(),
        "0 R on?n\n 100 R on?y\n 200 R on?n\n 1100 R on?n\n 1199 R on?n\n 1200 S on?n",
    );
}

#[test]
fn reactive_re_evaluation() {
    // A wait directly under a reactive sequence lets its follower through once, then bars it.
    check(
        N().sequence([N().wait(ms(100)), act("strike", "R")])
            .reactive(),
        "0 R\n 100 R strike+\n 150 R strike!\n 250 R strike+",
    );
    // In an inner sequence it is asked once.
    let inner = N().sequence([N().wait(ms(200)), bare_act("strike", "S")]);
    check(
        N().sequence([cond("g", "S"), inner]).reactive(),
        "0 R g?y\n 100 R g?y\n 200 S g?y strike:S",
    );
    // A satisfied guard of a plain sequence is asked once.
    check(
        N().sequence([cond("g", "S"), act("a", "RRS")]),
        "0 R g?y a+\n 1 R a.\n 2 S a. aS",
    );
}

#[test]
fn state_of_a_leaf() {
    // Kept while it runs; gone after a halt, a preemption, a completion. (The scripted leaf
    // itself checks that its state begins at zero.)
    check(
        leaf("a", "RRSRRS"),
        "0 R a+\n 1 R a.\n 2 S a. aS\n 3 R a+\n 4 R a.\n 5 S a. aS",
    );
    check(
        N().selector([cond("g", "FSF"), leaf("a", "R")]).reactive(),
        "0 R g?n a+\n 1 S g?y a!\n 2 R g?n a+\n 3 halt a!\n 4 R g?n a+",
    );
    check(
        N().until_failure(leaf("a", "RFRF")),
        "0 R a+\n 1 S a. aF\n 2 R a+\n 3 S a. aF",
    );
}

#[test]
fn simple_parallel() {
    let both = |a, b| N().parallel([act("a", a), act("b", b)]);
    let one = |a, b| only_one([act("a", a), act("b", b)]);
    for make in [both, one] {
        check(make("R", "R"), "0 R a+ b+\n 1 R a. b.");
        check(make("S", "S"), "0 S a+ aS b+ bS\n 1 S a+ aS b+ bS");
    }
    check(one("F", "R"), "0 R a+ aF b+\n 1 R b.");
    check(one("S", "R"), "0 S a+ aS b+ b!");
    check(one("F", "S"), "0 S a+ aF b+ bS");
    check(one("F", "F"), "0 F a+ aF b+ bF");
    check(both("S", "RRS"), "0 R a+ aS b+\n 1 R b.\n 2 S b. bS");
    check(both("F", "S"), "0 F a+ aF b+ bS");
    check(both("R", "F"), "0 F a+ b+ bF a!");
}

#[test]
fn priority_selector() {
    let all = |scripts: [&'static str; 4]| {
        let names = ["a", "b", "c", "d"];
        N().selector(names.into_iter().zip(scripts).map(|(n, s)| act(n, s)))
            .reactive()
    };
    check(all(["F", "F", "F", "F"]), "0 F a+ aF b+ bF c+ cF d+ dF");
    check(all(["F", "F", "S", "S"]), "0 S a+ aF b+ bF c+ cS");
    check(
        all(["FFS", "F", "R", "R"]),
        "0 R a+ aF b+ bF c+\n 1 R a+ aF b+ bF c.\n 2 S a+ aS c!",
    );
}

#[test]
fn life_cycle() {
    check(
        N().sequence([act("a", "S"), leaf("b", "R")]),
        "0 halt\n 1 R a+ aS b+\n 2 halt b!\n 3 halt",
    );
}

#[test]
fn until_success_and_until_failure() {
    check(
        N().until_success(act("a", "FRS")),
        "0 R a+ aF\n 1 R a+\n 2 S a. aS",
    );
    check(
        N().until_failure(act("a", "SRF")),
        "0 R a+ aS\n 1 R a+\n 2 S a. aF",
    );
}

#[test]
fn retry_and_for_each_edges() {
    check(
        N().sequence([N().retry(4, act("a", "FFS")), act("next", "S")]),
        "0 R a+ aF\n 1 R a+ aF\n 2 S a+ aS next+ nextS",
    );
    check(
        N().retry(3, act("a", "F")),
        "0 R a+ aF\n 1 R a+ aF\n 2 F a+ aF",
    );
    // Three items, two attempts each, the first of each fails.
    check(
        for_each("x", [3], N().retry(2, act("a", "FSFSFS"))),
        "0 R x#3 x[0] a+ aF
         1 R a+ aS x[1] a+ aF
         2 R a+ aS x[2] a+ aF
         3 S a+ aS",
    );
    check(
        for_each("x", [3], act("a", "SSFS")),
        "0 F x#3 x[0] a+ aS x[1] a+ aS x[2] a+ aF\n 1 S x#3 x[0] a+ aS x[1] a+ aS x[2] a+ aS",
    );
    // A polled leaf is cancelled once.
    check(boxed("poll", "R"), "0 R poll+\n 1 reset poll!\n 1 reset");
    check(catch("c", "S", act("a", "RF")), "0 R a+\n 1 S a. aF c~S");
}

#[test]
fn gates() {
    // A cooldown starts with a success only, a rate limit with any verdict, neither with running.
    check(
        N().cooldown(ms(10), act("a", "FRS")),
        "0 F a+ aF\n 0 R a+\n 0 S a. aS\n 0 F\n 10 S a+ aS",
    );
    check(
        N().rate_limit(ms(10), act("a", "RFS")),
        "0 R a+\n 1 F a. aF\n 10 F\n 11 S a+ aS\n 12 S\n 12 halt\n 13 S",
    );
    // The limit begins anew with each activation.
    check(
        N().time_limit(ms(10), act("a", "R")),
        "0 R a+\n 5 halt a!\n 6 R a+\n 15 R a.\n 16 F a!",
    );
}
