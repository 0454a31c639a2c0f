//! Nodes with one child.

use std::time::Duration;

use tickseed_core::nodes::StartOn;
use tickseed_core::{Node, Nodes, Status, Time, nodes};
use tickseed_testkit::check;
use tickseed_testkit::script::{
    World, act, bare_act, catch, cond, finally, for_each, guard, leaf, on_complete, on_halted,
};

const N: fn() -> Nodes<World> = nodes::<World>;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn every_decorator_passes_a_halt_on() {
    // [H04]
    type Make = fn(Node<World>) -> Node<World>;
    let all: [Make; 25] = [
        |c| N().invert(c),
        |c| N().force_success(c),
        |c| N().force_failure(c),
        |c| N().uninterruptible(c),
        |c| N().hold(c),
        |c| N().repeat(3, c),
        |c| N().repeat_forever(c).drain(5),
        |c| N().retry(3, c),
        |c| N().until_success(c),
        |c| N().until_failure(c),
        |c| N().forever(c),
        |c| N().cooldown(ms(5), c),
        |c| N().rate_limit(ms(5), c),
        |c| N().cooldown(ms(5), c).refund_on_halt(),
        |c| N().time_limit(ms(50), c),
        |c| N().delay(ms(0), c),
        |c| N().chance(1.0, c),
        |c| N().run_once(c),
        |c| on_complete("f", c),
        |c| catch("f", "S", c),
        |c| N().while_guard(guard("g", "S").or(guard("g", "S")), c),
        |c| N().fail_if(!guard("g", "S").or(guard("g", "S")), c),
        |c| for_each("n", [2], c),
        |c| N().sequence([N().succeed(), c]),
        |c| N().parallel([N().succeed(), c]),
    ];
    for make in all {
        for child in [act("a", "R"), leaf("a", "R")] {
            let tree = make(child).build().unwrap();
            let (mut agent, mut world) = (tree.agent(), World::new());
            tree.tick(&mut agent, &mut world, Time(0)).unwrap();
            tree.tick(&mut agent, &mut world, Time(1)).unwrap();
            assert_eq!(world.started(), ["a"]);
            world.clear();
            tree.halt(&mut agent, &mut world, Time(2)).unwrap();
            tree.halt(&mut agent, &mut world, Time(3)).unwrap();
            assert_eq!(
                world.events_text(),
                "a halted after 2",
                "{:?}",
                tree.node(tickseed_core::NodeId::ROOT).kind
            );
            assert!(!tree.is_running(&agent) && tree.running(&agent).is_empty());
        }
    }
}

#[test]
fn invert_and_force() {
    check(
        N().invert(act("a", "SFRSK")),
        "0 F a+ aS\n 1 S a+ aF\n 2 R a+\n 3 F a. aS\n 4 K a+ aK",
    );
    check(
        N().force_success(act("a", "FSK")),
        "0 S a+ aF\n 1 S a+ aS\n 2 K a+ aK",
    );
    check(
        N().force_failure(act("a", "FSRS")),
        "0 F a+ aF\n 1 F a+ aS\n 2 R a+\n 3 F a. aS",
    );
}

#[test]
fn repeat_does_a_round_a_tick_and_its_child_starts_afresh() {
    check(
        N().repeat(3, act("a", "S")),
        "0 R a+ aS\n 1 R a+ aS\n 2 S a+ aS\n 3 R a+ aS",
    );
    check(N().repeat(3, act("a", "SF")), "0 R a+ aS\n 1 F a+ aF");
    check(N().repeat(2, act("a", "SK")), "0 R a+ aS\n 1 K a+ aK");
    // [D05]
    check(
        N().repeat(2, act("a", "RRSRS")),
        "0 R a+\n 1 R a.\n 2 R a. aS\n 3 R a+\n 4 S a. aS",
    );
    // [D06]
    check(
        N().repeat(2, N().sequence([N().wait(ms(10)), act("a", "S")])),
        "0 R\n 10 R a+ aS\n 11 R\n 20 R\n 21 S a+ aS",
    );
}

#[test]
fn loops_drain_within_a_budget() {
    // [D04]
    check(
        N().repeat(3, act("a", "S")).drain(10),
        "0 S a+ aS a+ aS a+ aS",
    );
    check(
        N().sequence([cond("g", "SF"), N().until_success(act("a", "F")).drain(3)])
            .reactive(),
        "0 R g?y a+ aF a+ aF a+ aF\n 1 F g?n",
    );
    check(
        N().repeat(5, act("a", "S")).drain(2),
        "0 R a+ aS a+ aS\n 1 R a+ aS a+ aS\n 2 S a+ aS",
    );
}

#[test]
fn retry_counts_attempts_and_forgets_them_on_a_halt() {
    check(
        N().retry(3, act("a", "FFS")),
        "0 R a+ aF\n 1 R a+ aF\n 2 S a+ aS",
    );
    check(
        N().retry(2, act("a", "FFF")),
        "0 R a+ aF\n 1 F a+ aF\n 2 R a+ aF",
    );
    check(N().retry(1, act("a", "F")), "0 F a+ aF");
    // [D01]
    check(
        N().sequence([cond("g", "SSFS"), N().retry(3, act("a", "F"))])
            .reactive(),
        "0 R g?y a+ aF
         1 R g?y a+ aF
         2 F g?n
         3 R g?y a+ aF
         4 R g?y a+ aF
         5 F g?y a+ aF",
    );
}

#[test]
fn recoveries_are_one_fewer_than_attempts() {
    // [D15]: main three times, help twice, then failure.
    let help = N().force_failure(act("help", "S"));
    let round = N().selector([act("main", "F"), N().sequence([cond("left", "SSF"), help])]);
    check(
        N().retry(3, round),
        "0 R main+ mainF left?y help+ helpS
         1 R main+ mainF left?y help+ helpS
         2 F main+ mainF left?n",
    );
}

#[test]
fn until_and_forever() {
    check(
        N().until_success(act("a", "FRS")),
        "0 R a+ aF\n 1 R a+\n 2 S a. aS",
    );
    check(
        N().until_failure(act("a", "SRF")),
        "0 R a+ aS\n 1 R a+\n 2 S a. aF",
    );
    check(
        N().forever(act("a", "SFRSK")),
        "0 R a+ aS\n 1 R a+ aF\n 2 R a+\n 3 R a. aS\n 4 K a+ aK",
    );
    check(N().repeat_forever(act("a", "SF")), "0 R a+ aS\n 1 F a+ aF");
}

#[test]
fn a_cooldown_starts_on_success_and_survives_halts() {
    check(
        N().cooldown(ms(10), act("a", "S")),
        "0 S a+ aS\n 9 F\n 10 S a+ aS\n 19 F\n 20 S a+ aS",
    );
    check(
        N().cooldown(ms(10), act("a", "FRS")),
        "0 F a+ aF\n 1 R a+\n 2 S a. aS\n 11 F\n 12 S a+ aS",
    );
    check(
        N().cooldown(ms(10), act("a", "S")),
        "0 S a+ aS\n 1 halt\n 9 F\n 9 reset\n 9 S a+ aS",
    );
    check(
        N().cooldown(ms(10), act("a", "S"))
            .otherwise(Status::Skipped),
        "0 S a+ aS\n 9 K\n 10 S a+ aS",
    );
    check(
        N().cooldown(ms(10), act("a", "F"))
            .start_on(StartOn::Verdict),
        "0 F a+ aF\n 9 F\n 10 F a+ aF",
    );
    // [D09]: the clock counts, not the ticks.
    check(
        N().selector([
            N().cooldown(ms(3), bare_act("attack", "S")),
            act("idle", "S"),
        ]),
        "0 S attack:S\n 1 S idle+ idleS\n 2 S idle+ idleS\n 5 S attack:S",
    );
}

#[test]
fn a_rate_limit_replays_its_verdict() {
    check(
        N().rate_limit(ms(10), act("a", "SFRS")),
        "0 S a+ aS\n 9 S\n 10 F a+ aF\n 19 F\n 20 R a+\n 21 S a. aS\n 25 S\n 25 halt\n 26 S",
    );
}

#[test]
fn a_time_limit_is_over_at_the_limit_before_the_child_is_asked() {
    check(
        N().time_limit(ms(10), act("a", "RRS")),
        "0 R a+\n 9 R a.\n 10 F a!\n 11 S a+ aS",
    );
    check(N().time_limit(ms(10), act("a", "RS")), "0 R a+\n 9 S a. aS");
    check(
        N().time_limit(ms(10), act("a", "R"))
            .otherwise(Status::Skipped),
        "0 R a+\n 10 K a!\n 15 R a+\n 24 R a.\n 25 K a!",
    );
}

#[test]
fn a_delay_waits_and_then_starts_its_child_in_the_same_tick() {
    // [D03]
    check(
        N().delay(ms(10), act("a", "RS")),
        "0 R\n 9 R\n 10 R a+\n 11 S a. aS\n 11 R",
    );
    check(
        N().delay(ms(10), act("a", "S")),
        "0 R\n 5 halt\n 6 R\n 15 R\n 16 S a+ aS",
    );
}

#[test]
fn chance_rolls_once_an_activation() {
    let tree = N().chance(0.25, act("a", "RRS")).build().unwrap();
    let ran = (0..2000).filter(|seed| {
        let (mut agent, mut world) = (tree.agent_seeded(*seed), World::new());
        let first = tree.tick(&mut agent, &mut world, Time(0)).unwrap();
        if first == Status::Running {
            assert_eq!(
                tree.tick(&mut agent, &mut world, Time(1)).unwrap(),
                Status::Running
            );
            assert_eq!(
                tree.tick(&mut agent, &mut world, Time(2)).unwrap(),
                Status::Success
            );
        } else {
            assert!(first == Status::Failure && world.events().is_empty());
        }
        first == Status::Running
    });
    let ran = ran.count();
    assert!((440..560).contains(&ran), "{ran}");
    check(N().chance(1.0, act("a", "S")), "0 S a+ aS");
    check(
        N().chance(1e-12, act("a", "S")).otherwise(Status::Skipped),
        "0 K",
    );
}

#[test]
fn run_once_remembers_its_verdict_for_life() {
    // [D11]
    check(
        N().run_once(act("a", "RS")),
        "0 R a+\n 1 S a. aS\n 2 S\n 3 halt\n 4 S\n 4 reset\n 5 S a+ aS",
    );
    check(N().run_once(act("a", "F")), "0 F a+ aF\n 1 F");
    check(
        N().run_once(act("a", "KRS")),
        "0 K a+ aK\n 1 R a+\n 2 halt a!\n 3 S a+ aS\n 4 S",
    );
    check(
        N().run_once(act("a", "S")).otherwise(Status::Failure),
        "0 S a+ aS\n 1 F",
    );
}

#[test]
fn hooks_see_every_end_once() {
    let tree = || finally("f", on_halted("h", on_complete("c", act("a", "RSR"))));
    check(
        tree(),
        "0 R a+\n 1 S a. aS c@S f@S\n 2 R a+\n 3 halt a! h@! f@!\n 4 halt",
    );
    check(on_complete("c", act("a", "K")), "0 K a+ aK c@K");
}

#[test]
fn catch_decides_what_a_failure_is() {
    check(
        catch("c", "SFRK", act("a", "F")),
        "0 S a+ aF c~S\n 1 F a+ aF c~F\n 2 F a+ aF c~R\n 3 F a+ aF c~K",
    );
    check(
        catch("c", "S", act("a", "RSK")),
        "0 R a+\n 1 S a. aS\n 2 K a+ aK",
    );
}

#[test]
fn guards_at_the_start_and_guards_all_the_time() {
    // [R08]
    check(
        N().fail_if(!guard("g", "SFF"), act("a", "RRS")),
        "0 R g?y a+\n 1 R a.\n 2 S a. aS\n 3 F g?n",
    );
    check(
        N().while_guard(guard("g", "SF"), act("a", "R"))
            .otherwise(Status::Skipped),
        "0 R g?y a+\n 1 K g?n a!\n 2 K g?n",
    );
    check(N().succeed_if(guard("g", "S"), act("a", "R")), "0 S g?y");
    check(N().skip_if(guard("g", "S"), act("a", "R")), "0 K g?y");
    check(N().while_guard(guard("g", "F"), act("a", "R")), "0 F g?n");
}

#[test]
fn a_guard_stops_its_branch_or_the_later_ones() {
    // [R10]: none, self, lower, both, for a guard that turns false and one that turns true.
    let chase = || act("chase", "R");
    let patrol = || act("patrol", "R");
    let none = |g| N().selector([N().fail_if(!guard("k", g), chase()), patrol()]);
    check(none("SF"), "0 R k?y chase+\n 1 R chase.");
    check(none("FS"), "0 R k?n patrol+\n 1 R patrol.");
    let own = |g| N().selector([N().while_guard(guard("k", g), chase()), patrol()]);
    check(own("SF"), "0 R k?y chase+\n 1 R k?n chase! patrol+");
    check(own("FS"), "0 R k?n patrol+\n 1 R patrol.");
    let lower = |g| {
        N().selector([N().hold(N().fail_if(!guard("k", g), chase())), patrol()])
            .reactive()
    };
    check(lower("SF"), "0 R k?y chase+\n 1 R chase.");
    check(lower("FS"), "0 R k?n patrol+\n 1 R k?y chase+ patrol!");
    let both = |g| {
        N().selector([N().while_guard(guard("k", g), chase()), patrol()])
            .reactive()
    };
    check(both("SF"), "0 R k?y chase+\n 1 R k?n chase! patrol+");
    check(both("FS"), "0 R k?n patrol+\n 1 R k?y chase+ patrol!");
}

#[test]
fn agents_of_one_tree_are_independent() {
    // [M01]
    let tree = N().repeat(9, leaf("a", "R")).build().unwrap();
    let (mut one, mut two) = (tree.agent(), tree.agent());
    let (mut world_one, mut world_two) = (World::new(), World::new());
    for t in 0..5 {
        tree.tick(&mut two, &mut world_two, Time(t)).unwrap();
        if t < 3 {
            tree.tick(&mut one, &mut world_one, Time(t)).unwrap();
        }
    }
    world_one.clear();
    world_two.clear();
    tree.halt(&mut one, &mut world_one, Time(9)).unwrap();
    assert!(tree.is_running(&two));
    tree.halt(&mut two, &mut world_two, Time(9)).unwrap();
    assert_eq!(world_one.events_text(), "a halted after 3");
    assert_eq!(world_two.events_text(), "a halted after 5");
}
