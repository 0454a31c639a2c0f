//! Leaves, waits, and what failing means.

use std::time::Duration;

use tickseed_core::{Status, nodes};
use tickseed_testkit::check;
use tickseed_testkit::script::{World, act, bare_act, boxed, cond, guard, instant, leaf, span};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn a_leaf_starts_goes_on_and_ends_once() {
    for make in [act, leaf, boxed] {
        check(
            make("a", "RRSF"),
            "0 R a+
             1 R a.
             2 S a. aS
             3 F a+ aF
             4 F a+ aF
             5 halt",
        );
        check(
            make("a", "R"),
            "0 R a+\n 1 halt a!\n 2 halt\n 3 R a+\n 4 R a.\n 5 halt a!",
        );
        check(make("a", "KRK"), "0 K a+ aK\n 1 R a+\n 2 K a. aK");
    }
}

#[test]
fn actions_without_hooks_have_no_ends() {
    check(bare_act("a", "RRS"), "0 R a:R\n 1 R a:R\n 2 halt\n 3 S a:S");
    check(instant("a", "SFK"), "0 S a:S\n 1 F a:F\n 2 K a:K");
}

#[test]
fn conditions_and_constants_answer_at_once() {
    let n = nodes::<World>();
    check(cond("a", "SF"), "0 S a?y\n 1 F a?n");
    check(
        n.check(guard("a", "FSS").and(guard("b", "SF"))),
        "0 F a?n\n 1 S a?y b?y\n 2 F a?y b?n",
    );
    check(
        n.check(guard("a", "FS").or(!guard("b", "SF"))),
        "0 F a?n b?y\n 1 S a?y",
    );
    check(n.run_forever(), "0 R\n 1 R\n 2 halt");
    check(n.constant(Status::Skipped), "0 K");
    check(n.log("x7"), "0 S \"x7\"");
}

#[test]
fn an_error_ends_the_tick_and_recovery_halts_each_started_leaf_once() {
    let n = nodes::<World>();
    check(
        n.sequence([act("a", "S"), act("b", "ES"), act("c", "S")]),
        "0 E a+ aS b+ bE
         1 E
         2 recover b!
         3 S a+ aS b+ bS c+ cS",
    );
    check(
        n.sequence([leaf("a", "RE")]),
        "0 R a+\n 1 E a. aE\n 1 recover a!\n 1 recover",
    );
    // A boxed leaf that fails to start has made no state that could be halted.
    check(
        boxed("a", "ERE"),
        "0 E a+ aE\n 0 recover\n 1 R a+\n 2 E a. aE\n 2 recover a!",
    );
    // The order of several branches is left open; each leaf is halted once.
    let both = [
        act("a", "R"),
        n.sequence([leaf("b", "S"), leaf("c", "E")]),
        act("d", "R"),
    ];
    let tree = n.parallel(both).build().unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    assert!(
        tree.tick(&mut agent, &mut world, Default::default())
            .is_err()
    );
    assert_eq!(world.started(), ["a", "c"]);
    world.clear();
    tree.recover(&mut agent, &mut world, Default::default())
        .unwrap();
    assert!(world.started().is_empty() && world.broken().is_empty() && world.events().len() == 2);
}

#[test]
fn what_a_leaf_must_not_answer_is_an_error() {
    let n = nodes::<()>();
    let skips = n.action("a", |_| Status::Skipped).build().unwrap();
    let runs = n.instant("a", |_| Status::Running).build().unwrap();
    for tree in [skips, runs] {
        let mut agent = tree.agent();
        let error = tree
            .tick(&mut agent, &mut (), Default::default())
            .unwrap_err();
        assert!(error.to_string().starts_with("a: "), "{error}");
        assert!(agent.is_poisoned());
        tree.recover(&mut agent, &mut (), Default::default())
            .unwrap();
        assert!(!agent.is_poisoned());
    }
}

#[test]
fn a_wait_includes_its_boundary_and_arms_itself_again() {
    let n = nodes::<World>();
    check(
        n.wait(ms(100)),
        "0 R\n 99 R\n 100 S\n 150 R\n 249 R\n 250 S",
    );
    check(n.wait(ms(100)), "0 R\n 50 halt\n 60 R\n 100 R\n 160 S");
    check(n.wait(ms(0)), "0 S\n 0 S\n 5 S");
}

#[test]
fn a_computed_wait_asks_once_an_activation() {
    let n = nodes::<World>();
    let nanos = |list: [i64; 3]| list.map(|ms| ms * 1_000_000);
    check(
        n.wait_for(span("d", nanos([10, 0, 20]))),
        "0 R d#10000000
         5 R
         10 S
         10 S d#0
         10 R d#20000000
         29 R
         30 S",
    );
    // Negative is zero; what is too long for a timer is as long as a timer can be.
    check(
        n.wait_for(span("d", [-5, i64::MAX])),
        "0 S d#-5\n 0 R d#9223372036854775807\n 9999999 R",
    );
}

#[test]
fn time_left_over_by_one_wait_does_not_flow_into_the_next() {
    let n = nodes::<World>();
    check(
        n.sequence([n.wait(ms(1000)), n.wait(ms(1000)), act("a", "S")]),
        "0 R\n 2500 R\n 3499 R\n 3500 S a+ aS",
    );
}

#[test]
fn a_random_wait_draws_once_within_its_bounds() {
    let n = nodes::<World>();
    let tree = n.wait_between(ms(10), ms(20)).build().unwrap();
    let (mut least, mut most) = (u64::MAX, 0);
    for seed in 0..300 {
        let mut agent = tree.agent_seeded(seed);
        let mut world = World::new();
        let over = (0..).find(|t| {
            let now = tickseed_core::Time::from_nanos(t * 100_000);
            tree.tick(&mut agent, &mut world, now).unwrap() == Status::Success
        });
        let tenths = over.unwrap();
        (least, most) = (least.min(tenths), most.max(tenths));
    }
    assert!(
        (100..=103).contains(&least) && (198..=200).contains(&most),
        "{least} {most}"
    );
}

#[test]
fn a_wait_until_judges_its_guard_before_the_clock() {
    let n = nodes::<World>();
    let wait = || n.wait_until(guard("g", "FFS")).within(ms(10));
    check(wait(), "0 R g?n\n 5 R g?n\n 10 S g?y");
    check(wait(), "0 R g?n\n 10 F g?n\n 10 S g?y");
    check(wait().otherwise(Status::Skipped), "0 R g?n\n 11 K g?n");
    check(n.wait_until(guard("g", "S")), "0 S g?y");
    check(
        n.wait_until(guard("g", "F")),
        "0 R g?n\n 9999999 R g?n\n 9999999 halt",
    );
}
