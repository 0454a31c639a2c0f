//! Halting, abort and clean-up.

use tickseed_core::nodes::{Preempt, Threshold};
use tickseed_core::{Status, Time};
use tickseed_testkit::script::{act, boxed, cond, finally, guard, leaf, on_complete, on_halted};

use crate::rig::{MS, Rig, ms, n, refused};

#[test]
fn h01_guard_turns_false_ends_action_once() {
    let tree = || {
        n().selector([
            n().sequence([cond("G", "SSF"), act("M", "R")]).reactive(),
            act("I", "R"),
        ])
    };
    // The end of M is there before I starts, in a memory and in a reactive selector.
    for tree in [tree(), tree().reactive()] {
        Rig::new(tree).ticks(["R G:S M+", "R G:S M~", "R G:F M! I+"]);
    }
}

#[test]
fn h01_completion_is_not_an_abort() {
    let tree = on_complete("done", on_halted("halted", act("M", "RS")));
    Rig::new(tree).ticks(["R M+", "S M~ M=S done(S)"]).halt("");
}

#[test]
fn h03_parallel_that_ends_halts_losers_with_the_halted_hook_only() {
    let act_ = || on_halted("h", on_complete("c", act("A", "R")));
    Rig::new(n().parallel([act_(), act("B", "F")])).ticks(["F A+ B+ B=F A! h(!)"]);
    // The loser may stand anywhere.
    Rig::new(n().parallel([act("B", "F"), act_()])).ticks(["F B+ B=F A+ A! h(!)"]);
    // And the winner may win later.
    Rig::new(
        n().parallel([act_(), act("B", "RS")])
            .success(Threshold::Count(1)),
    )
    .ticks(["R A+ B+", "S A~ B~ B=S A! h(!)"]);
}

#[test]
fn h06_abort_resets_all_levels() {
    let tree = n()
        .selector([
            cond("alarm", "FFSFF"),
            n().sequence([
                act("prep", "S"),
                n().sequence([act("step", "S"), act("work", "R")]),
            ]),
        ])
        .reactive();
    Rig::new(tree).ticks([
        "R alarm:F prep+ prep=S step+ step=S work+",
        "R alarm:F work~",
        "S alarm:S work!",
        "R alarm:F prep+ prep=S step+ step=S work+",
        "R alarm:F work~",
    ]);
}

#[test]
fn h08_no_double_end() {
    let tree = || n().parallel([act("A", "R"), act("B", "R")]);
    Rig::new(n().time_limit(ms(2), tree()))
        .at(ms(0), "R A+ B+")
        .at(ms(1), "R A~ B~")
        .at(ms(2), "F A! B!")
        .halt("");
    // Nested, stopped by an ancestor's ancestor.
    let nested = n().parallel([n().parallel([tree()]), n().fail()]);
    Rig::new(nested).ticks(["F A+ B+ A! B!"]).halt("");
}

#[test]
fn h09_idle_siblings_get_no_callbacks() {
    Rig::new(n().selector([act("A", "F"), act("B", "R")]))
        .ticks(["R A+ A=F B+", "R B~", "R B~"])
        .halt("B!");
    // Nor do nodes that were never ticked.
    Rig::new(n().selector([act("A", "R"), act("B", "R")]))
        .halt("")
        .ticks(["R A+"])
        .halt("A!")
        .halt("");
}

/// High takes over from low under each kind of node that can hand over, in either order.
#[test]
fn h10_hand_over_order_is_documented_and_selectable() {
    let high = || act("H", "R");
    let low = || act("L", "R");
    for (when, third) in [
        (Preempt::AfterStart, "R w:S H+ L!"),
        (Preempt::BeforeStart, "R w:S L! H+"),
    ] {
        let want = || cond("w", "FFS");
        let mut rig = Rig::new(
            n().selector([n().sequence([want(), high()]), low()])
                .reactive()
                .preempt(when),
        );
        rig.ticks(["R w:F L+", "R w:F L~", third]);
        assert_eq!(rig.running(), ["H"]);
        let mut rig = Rig::new(n().while_do_else(want(), high(), low()).preempt(when));
        rig.ticks(["R w:F L+", "R w:F L~", third]);
        assert_eq!(rig.running(), ["H"]);
    }
    // A reactive sequence and the child that goes back to running.
    for (when, second) in [
        (Preempt::AfterStart, "R E+ M!"),
        (Preempt::BeforeStart, "R M! E+"),
    ] {
        Rig::new(
            n().sequence([act("E", "SR"), act("M", "R")])
                .reactive()
                .preempt(when),
        )
        .ticks(["R E+ E=S M+", second]);
    }
}

#[test]
fn h10_before_start_lets_go_even_if_the_new_branch_fails_at_once() {
    // What acts may have begun: the old branch cannot be kept. It begins anew.
    Rig::new(
        n().selector([act("H", "FFR"), act("L", "R")])
            .reactive()
            .preempt(Preempt::BeforeStart),
    )
    .ticks(["R H+ H=F L+", "R L! H+ H=F L+", "R L! H+"]);
    // Conditions start nothing: the old branch goes on.
    Rig::new(
        n().selector([n().sequence([cond("w", "F"), act("H", "R")]), act("L", "R")])
            .reactive()
            .preempt(Preempt::BeforeStart),
    )
    .ticks(["R w:F L+", "R w:F L~"]);
}

#[test]
fn h10_before_start_reaches_through_nested_nodes() {
    // The outer reactive node lets go of its branch before a leaf deep in another starts.
    let tree = n()
        .selector([
            n().sequence([
                cond("w", "FS"),
                n().parallel([n().sequence([n().succeed(), act("H", "R")])]),
            ]),
            n().parallel([act("L1", "R"), act("L2", "R")]),
        ])
        .reactive()
        .preempt(Preempt::BeforeStart);
    Rig::new(tree).ticks(["R w:F L1+ L2+", "R w:S L1! L2! H+"]);
}

#[test]
fn h15_halt_reaches_every_sort_of_leaf() {
    let tree = n().parallel([
        act("polled", "R"),
        leaf("plain", "R"),
        boxed("boxed", "R"),
        n().sequence([act("deep", "R")]),
        n().wait(ms(100)),
        n().run_forever(),
    ]);
    Rig::new(tree)
        .ticks(["R polled+ plain+ boxed+ deep+"])
        .halt("polled! plain! boxed! deep!")
        .halt("");
}

#[test]
fn h16_finally_runs_once_however_the_branch_ends() {
    Rig::new(finally("clean", act("B", "RS"))).ticks(["R B+", "S B~ B=S clean(S)"]);
    Rig::new(finally("clean", act("B", "RF"))).ticks(["R B+", "F B~ B=F clean(F)"]);
    Rig::new(finally("clean", act("B", "K"))).ticks(["K B+ B=K clean(K)"]);
    // Aborted by a guard, by a sibling in a parallel, by a time limit, from outside.
    Rig::new(n().while_guard(guard("g", "SF"), finally("clean", act("B", "R"))))
        .ticks(["R g:S B+", "F g:F B! clean(!)"]);
    Rig::new(n().parallel([finally("clean", act("B", "R")), act("x", "F")]))
        .ticks(["F B+ x+ x=F B! clean(!)"]);
    Rig::new(n().time_limit(MS, finally("clean", act("B", "R")))).ticks(["R B+", "F B! clean(!)"]);
    Rig::new(finally("clean", act("B", "R")))
        .ticks(["R B+"])
        .halt("B! clean(!)")
        .halt("");
    // Aborted in the tick it started in.
    Rig::new(n().parallel([n().selector([finally("c", act("B", "R"))]), n().fail()]))
        .ticks(["F B+ B! c(!)"]);
}

#[test]
fn h16_finally_of_a_whole_branch_sees_each_way_out() {
    // Around a sequence with several children, whichever runs when it is cut.
    for (answers, expected) in [(["R", "R"], "a! clean(!)"), (["S", "R"], "b! clean(!)")] {
        let tree = finally(
            "clean",
            n().sequence([act("a", answers[0]), act("b", answers[1])]),
        );
        let mut rig = Rig::new(tree);
        rig.now += MS;
        rig.step();
        rig.halt(expected);
    }
    // Around a loop between two rounds: nothing below runs, the branch itself does.
    Rig::new(finally("clean", n().repeat_forever(act("a", "S"))))
        .ticks(["R a+ a=S"])
        .halt("clean(!)");
    // Around a wait.
    Rig::new(finally("clean", n().wait(ms(10))))
        .ticks(["R"])
        .halt("clean(!)");
    // Nested: innermost first.
    Rig::new(finally("o", n().sequence([finally("i", act("a", "R"))])))
        .ticks(["R a+"])
        .halt("a! i(!) o(!)");
    // Taken over by a sibling within the same scope: the inner one only.
    Rig::new(finally(
        "o",
        n().selector([
            n().sequence([cond("w", "FS"), act("h", "R")]),
            finally("i", act("l", "R")),
        ])
        .reactive(),
    ))
    .ticks(["R w:F l+", "R w:S h+ l! i(!)"])
    .halt("h! o(!)");
}

#[test]
fn h18_agent_removed_between_and_by_its_own_action() {
    // Between ticks: halt, then drop.
    let mut rig = Rig::new(n().sequence([act("W", "R")]));
    rig.ticks(["R W+", "R W~"]).halt("W!");
    drop(rig);

    // By its own action: the action asks its owner, who halts and drops after the tick.
    struct Owner {
        alive: bool,
        log: Vec<&'static str>,
    }
    impl tickseed_core::Context for Owner {
        type At<'a> = Owner;
    }
    let n = tickseed_core::nodes::<Owner>();
    let tree = n
        .sequence([n
            .action("W", |o| {
                o.log.push("work");
                o.alive = false;
                Status::Running
            })
            .on_halt(|o| {
                let gone = if o.alive { "halted" } else { "agent gone" };
                o.log.push(gone);
            })])
        .build()
        .unwrap();
    let mut owner = Owner {
        alive: true,
        log: vec![],
    };
    let mut agents = vec![tree.agent()];
    agents.retain_mut(|agent| {
        tree.tick(agent, &mut owner, Time::ZERO).unwrap();
        if !owner.alive {
            tree.halt(agent, &mut owner, Time::ZERO).unwrap();
        }
        owner.alive
    });
    assert!(agents.is_empty());
    assert_eq!(owner.log, ["work", "agent gone"]);
}

#[test]
fn h20_hold_finishes_before_reactive_nodes_decide_anew() {
    let tree = n()
        .selector([
            n().sequence([cond("wanted", "FSSS"), act("fight", "S")]),
            n().hold(act("jump", "RRS")),
        ])
        .reactive();
    Rig::new(tree).ticks([
        "R wanted:F jump+",
        "R jump~",
        "S jump~ jump=S",
        "S wanted:S fight+ fight=S",
    ]);
    // On the ground, without hold, running can be interrupted.
    let tree = n()
        .selector([
            n().sequence([cond("wanted", "FS"), act("fight", "S")]),
            act("run", "R"),
        ])
        .reactive();
    Rig::new(tree).ticks(["R wanted:F run+", "S wanted:S fight+ fight=S run!"]);
}

#[test]
fn h20_hold_below_every_reactive_node() {
    let held = || n().hold(act("x", "RRS"));
    Rig::new(n().sequence([cond("g", "SFF"), held()]).reactive())
        .ticks(["R g:S x+", "R x~", "S x~ x=S"]);
    Rig::new(n().while_do_else(cond("g", "SFF"), held(), act("e", "R")))
        .ticks(["R g:S x+", "R x~", "S x~ x=S", "R g:F e+"]);
    // Part of a branch is held: after it the branch can be cut again.
    let tree = n()
        .selector([
            n().sequence([cond("w", "FSS"), act("f", "R")]),
            n().sequence([held(), act("land", "R")]),
        ])
        .reactive();
    Rig::new(tree).ticks(["R w:F x+", "R x~", "R x~ x=S land+", "R w:S f+ land!"]);
    // Time limits and while-guards still end it.
    Rig::new(n().time_limit(MS, held())).ticks(["R x+", "F x!"]);
    Rig::new(n().while_guard(guard("g", "SF"), held())).ticks(["R g:S x+", "F g:F x!"]);
}

#[test]
fn h20_uninterruptible_is_refused_where_it_could_be_torn_down() {
    let x = || n().uninterruptible(act("x", "R"));
    let under = |root| refused(root).to_string();
    for (root, above) in [
        (
            n().selector([n().fail(), x()]).reactive(),
            "reactive selector",
        ),
        (
            n().sequence([n().succeed(), x()]).reactive(),
            "reactive sequence",
        ),
        (n().parallel([x(), n().fail()]), "parallel"),
        (n().time_limit(MS, x()), "time limit"),
        (n().while_guard(guard("g", "S"), x()), "while"),
        (n().while_do(n().succeed(), x()), "while-do-else"),
        (
            n().selector([n().fail(), n().sequence([n().invert(x())])])
                .reactive(),
            "reactive selector",
        ),
    ] {
        let text = under(root);
        assert!(
            text.contains(above) && text.contains("uninterruptible"),
            "{text}"
        );
    }
    // The first child is exempt from its siblings, and plain nodes are no danger.
    for root in [
        n().selector([x(), n().fail()]).reactive(),
        n().sequence([n().succeed(), x()]),
        n().retry(3, n().repeat(2, x())),
        n().selector([n().fail(), n().hold(x())]).reactive(),
    ] {
        root.build().unwrap();
    }
}
