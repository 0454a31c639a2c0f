//! Cases of users' trouble with other engines, by their number in our collection, that do not
//! fit the tests of one node.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tickseed_core::nodes::Preempt;
use tickseed_core::{Node, Nodes, Status, Time, nodes};
use tickseed_testkit::script::{
    World, act, bare_act, boxed, cond, finally, instant, leaf, on_complete, on_halted,
};
use tickseed_testkit::{Interp, Silent, check};

const N: fn() -> Nodes<World> = nodes::<World>;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn h09_idle_siblings_get_no_callbacks() {
    check(
        N().selector([act("a", "F"), act("b", "R")]),
        "0 R a+ aF b+\n 1 R b.\n 2 R b.\n 3 halt b!",
    );
}

#[test]
fn h10_hand_over_between_two_actions_has_a_stated_order() {
    let tree = |order| {
        N().selector([act("high", "FFR"), act("low", "R")])
            .reactive()
            .preempt(order)
    };
    check(
        tree(Preempt::AfterStart),
        "0 R high+ highF low+\n 1 R high+ highF low.\n 2 R high+ low!",
    );
    // A claim that must never be held twice: the guard is a condition, so nothing starts
    // before it is known that the branch is taken.
    let high = N().sequence([cond("wanted", "FFS"), act("high", "R")]);
    check(
        N().selector([high, act("low", "R")])
            .reactive()
            .preempt(Preempt::BeforeStart),
        "0 R wanted?n low+\n 1 R wanted?n low.\n 2 R wanted?y low! high+",
    );
}

#[test]
fn h15_a_halt_reaches_every_sort_of_leaf() {
    check(
        N().parallel([
            act("a", "R"),
            leaf("b", "R"),
            boxed("c", "R"),
            N().run_forever(),
            N().wait(ms(9)),
        ]),
        "0 R a+ b+ c+\n 1 halt a! b! c!\n 2 R a+ b+ c+",
    );
}

#[test]
fn h16_finally_runs_once_however_the_branch_ends() {
    let tree = |script| {
        let guarded = [cond("g", "SSF"), finally("f", act("body", script))];
        N().sequence(guarded).reactive()
    };
    check(tree("RS"), "0 R g?y body+\n 1 S g?y body. bodyS f@S");
    check(tree("RF"), "0 R g?y body+\n 1 F g?y body. bodyF f@F");
    check(
        tree("R"),
        "0 R g?y body+\n 1 R g?y body.\n 2 F g?n body! f@!\n 2 halt",
    );
}

#[test]
fn h18_an_agent_can_be_removed_in_its_own_action() {
    // The action asks for it; the owner removes the agent between ticks, with one halt.
    let tree = N().sequence([act("work", "R")]).build().unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    tree.tick(&mut agent, &mut world, Time(0)).unwrap();
    tree.halt(&mut agent, &mut world, Time(1)).unwrap();
    drop(agent);
    assert_eq!(world.events_text(), "work starts, work halted after 1");
}

#[test]
fn h20_an_uninterruptible_stretch_is_held() {
    let jump = N().sequence([act("run", "RS"), N().hold(act("air", "RS"))]);
    check(
        N().selector([cond("fight", "FFSS"), jump]).reactive(),
        "0 R fight?n run+
         1 R fight?n run. runS air+
         2 S air. airS
         3 S fight?y",
    );
    let bad = N()
        .selector([cond("fight", "F"), N().uninterruptible(act("air", "R"))])
        .reactive();
    let error = bad.build().unwrap_err().to_string();
    assert!(
        error.contains("uninterruptible") && error.contains("reactive selector"),
        "{error}"
    );
}

#[test]
fn r11_guards_that_change_each_other_do_not_go_round_in_a_tick() {
    // Each branch writes the key of the other; a tick is one pass over the tree.
    let n = N();
    let write = |value: i32, name| n.instant(name, move |w| w.keys.count = value);
    let tree = n.selector([
        n.sequence([n.check(World::COUNT.eq(1)), write(2, "a"), n.run_forever()])
            .reactive(),
        n.sequence([n.check(World::COUNT.eq(2)), write(1, "b"), n.run_forever()])
            .reactive(),
    ]);
    let tree = tree.reactive().build().unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    world.keys.count = 1;
    let seen: Vec<i32> = (0..4)
        .map(|t| {
            assert_eq!(
                tree.tick(&mut agent, &mut world, Time(t)).unwrap(),
                Status::Running
            );
            world.keys.count
        })
        .collect();
    assert_eq!(seen, [2, 1, 2, 1]);
}

#[test]
fn r14_a_flag_set_in_a_tick_cuts_the_branch_in_the_next() {
    let n = N();
    let tree = n.while_guard(
        n.when(|w: &World| w.keys.armed == 0),
        n.sequence([n.instant("t1", |w| w.keys.armed = 1), act("t2", "R")]),
    );
    let tree = tree.build().unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    assert_eq!(
        tree.tick(&mut agent, &mut world, Time(0)).unwrap(),
        Status::Running
    );
    assert_eq!(
        tree.tick(&mut agent, &mut world, Time(1)).unwrap(),
        Status::Failure
    );
    assert_eq!(world.events_text(), "t2 starts, t2 halted after 1");
}

#[test]
fn p07_success_of_one_and_failure_of_others_are_two_settings() {
    use tickseed_core::nodes::Threshold;
    let tree = |a| {
        N().parallel([a, act("c", "RS")])
            .success(Threshold::Count(1))
    };
    check(tree(act("a", "F")), "0 F a+ aF c+ c!");
    check(
        tree(N().invert(N().force_success(act("a", "F")))).failure(Threshold::All),
        "0 R a+ aF c+\n 1 S c. cS",
    );
}

#[test]
fn d08_what_timers_end_is_ended_in_ticks_only() {
    // Nothing happens between ticks, and dropping an agent calls nobody.
    let tree = N()
        .time_limit(ms(5), N().retry(3, act("a", "R")))
        .build()
        .unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    tree.tick(&mut agent, &mut world, Time(0)).unwrap();
    drop(agent);
    assert_eq!(world.events_text(), "a starts");
}

#[test]
fn t01_the_clock_is_given() {
    let begun = std::time::Instant::now();
    check(
        N().sequence([N().wait(ms(10_000_000)), act("a", "S")]),
        "0 R\n 9999999 R\n 10000000 S a+ aS",
    );
    // Three hours would take more, on any machine.
    assert!(begun.elapsed() < Duration::from_secs(600));
}

#[test]
fn t03_a_paused_clock_pauses_what_waits() {
    // The same clock reading again and again is a pause: no events, and three seconds remain.
    check(
        N().parallel([N().wait(ms(5000)), act("a", "RRRRRS")]),
        "0 R a+\n 2000 R a.\n 2000 R a.\n 2000 R a.\n 4999 R a.\n 5000 S a. aS",
    );
}

#[test]
fn t07_the_same_seed_gives_the_same_run() {
    let n = N();
    let tree = n.repeat_forever(
        n.sequence([
            n.selector([bare_act("a", "FS"), bare_act("b", "SF")])
                .random(),
            n.wait_between(ms(1), ms(50)),
            n.force_success(n.chance(0.5, instant("c", "S"))),
        ]),
    );
    let tree = tree.build().unwrap();
    let run = |seed| {
        let (mut agent, mut world) = (tree.agent_seeded(seed), World::new());
        for t in 0..500 {
            tree.tick(&mut agent, &mut world, Time::from_millis(t))
                .unwrap();
        }
        world.events()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn t10_a_timer_belongs_to_its_activation() {
    let tree = N()
        .sequence([cond("k", "S"), N().wait(ms(5000))])
        .reactive()
        .build()
        .unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    for i in 0..100 {
        let now = Time::from_millis(i * 4000);
        assert_eq!(
            tree.tick(&mut agent, &mut world, now).unwrap(),
            Status::Running
        );
        if i < 99 {
            tree.halt(&mut agent, &mut world, now).unwrap();
        }
    }
    let last = 99 * 4000;
    for (after, status) in [(4999, Status::Running), (5000, Status::Success)] {
        let now = Time::from_millis(last + after);
        assert_eq!(tree.tick(&mut agent, &mut world, now).unwrap(), status);
    }
}

#[test]
fn f04_an_agent_is_small_and_quickly_made() {
    let leaves = |i: usize| act(tickseed_testkit::script::numbered(i), "R");
    let n = N();
    let tree = n.selector((0..5).map(|i| n.sequence((0..5).map(|k| leaves(5 * i + k)))));
    let tree = tree.reactive().build().unwrap();
    assert_eq!(tree.def().len(), 31);
    assert_eq!(tree.bytes_per_agent(), 1);
}

#[test]
fn m03_one_node_cannot_stand_at_two_places() {
    // Nodes are moved into their parents. What is wanted twice is a function.
    let wash = || N().sequence([act("wash", "S"), N().succeed()]);
    check(
        N().sequence([wash(), act("dry", "S"), wash()]),
        "0 S wash+ washS dry+ dryS wash+ washS",
    );
}

#[test]
fn m05_taking_the_tree_off_a_living_agent_ends_it_once() {
    check(
        on_halted("gone", on_complete("done", act("a", "R"))),
        "0 R a+\n 1 halt a! gone@!\n 1 halt",
    );
}

#[test]
fn u03_one_tick_finishes_what_is_instant() {
    check(
        N().sequence([act("a", "S"), act("b", "S")]),
        "0 S a+ aS b+ bS",
    );
    check(
        N().sequence([act("a", "RS"), act("b", "S")]),
        "0 R a+\n 1 S a. aS b+ bS",
    );
}

#[test]
fn a_tree_can_be_as_deep_as_it_may() {
    let deep = |levels: u32| {
        let mut node: Node<World> = act("a", "RS");
        for level in 1..levels {
            node = match level % 4 {
                0 => N().invert(node),
                1 => N().parallel([node]),
                2 => N().selector([node]).reactive(),
                _ => finally("f", node),
            };
        }
        node
    };
    let tree = deep(tickseed_core::MAX_DEPTH).build().unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    let (mut interp, mut other) = (Interp::new(&tree), World::new());
    for t in 0..3 {
        let got = tree.tick(&mut agent, &mut world, Time(t)).unwrap();
        let rng = &mut tickseed_core::Rng::new(0);
        let wanted = interp.tick(&mut other, Time(t), Duration::ZERO, rng, &mut Silent);
        assert_eq!((got, world.events()), (wanted.unwrap(), other.events()));
    }
    assert!(deep(tickseed_core::MAX_DEPTH + 1).build().is_err());
}

#[test]
fn an_agent_of_another_tree_is_refused() {
    let (one, two) = (
        act("a", "S").build().unwrap(),
        act("b", "S").build().unwrap(),
    );
    let (mut agent, mut world) = (one.agent(), World::new());
    let error = two.tick(&mut agent, &mut world, Time(0)).unwrap_err();
    assert!(
        matches!(error, tickseed_core::TickError::WrongTree),
        "{error}"
    );
    assert!(two.halt(&mut agent, &mut world, Time(0)).is_err());
    assert!(two.recover(&mut agent, &mut world, Time(0)).is_err());
    assert!(world.events().is_empty());
}

#[test]
fn a_panicking_hook_can_be_recovered_from() {
    let n = N();
    let tree = n.parallel([
        act("a", "R"),
        n.on_halted(
            |w| {
                w.keys.armed = match w.keys.armed {
                    0 => {
                        w.keys.armed = 1;
                        panic!("once")
                    }
                    _ => 2,
                }
            },
            act("b", "R"),
        ),
        act("c", "R"),
    ]);
    let tree = tree.build().unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    tree.tick(&mut agent, &mut world, Time(0)).unwrap();
    let halt = AssertUnwindSafe(|| tree.halt(&mut agent, &mut world, Time(1)));
    assert!(catch_unwind(halt).is_err() && agent.is_poisoned());
    tree.recover(&mut agent, &mut world, Time(2)).unwrap();
    assert!(
        world.started().is_empty() && world.broken().is_empty(),
        "{}",
        world.events_text()
    );
    assert_eq!(
        tree.tick(&mut agent, &mut world, Time(3)).unwrap(),
        Status::Running
    );
}
