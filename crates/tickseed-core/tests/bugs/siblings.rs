//! Siblings of the cases: what users have not reported yet, but will.

use tickseed_core::nodes::Preempt;
use tickseed_core::{Guard, Status};
use tickseed_testkit::script::{act, cond, finally, guard, score, which};

use crate::rig::{Rig, ms, n};

#[test]
fn t06_each_activation_draws_anew_and_visits_each_child_once() {
    let mut first = std::collections::HashSet::new();
    let tree = || {
        n().sequence([act("A", "S"), act("B", "S"), act("C", "S")])
            .random()
    };
    let mut rig = Rig::seeded(tree(), 1);
    for _ in 0..50 {
        let text = rig.step();
        for who in ["A+", "B+", "C+"] {
            assert_eq!(text.matches(who).count(), 1, "{text}");
        }
        first.insert(text[2..3].to_string());
    }
    assert_eq!(first.len(), 3, "every child comes first now and then");
    // Weight zero comes last.
    for seed in 0..30 {
        let children = [act("A", "F"), act("B", "F"), act("C", "F")];
        let text = Rig::seeded(n().selector(children).weighted([0.0, 1.0, 2.0]), seed).step();
        assert!(text.ends_with("A+ A=F"), "{text}");
    }
}

#[test]
fn r07_a_running_child_that_comes_to_be_skipped_hands_over() {
    // By itself, in a memory and in a reactive selector.
    for reactive in [false, true] {
        let node = n().selector([act("A", "RK"), act("B", "R")]);
        let node = if reactive { node.reactive() } else { node };
        Rig::new(node).ticks(["R A+", "R A~ A=K B+"]);
    }
    // By its while-guard: it is halted, and counts as not there.
    let cut = |x| {
        n().while_guard(guard("g", "SF"), x)
            .otherwise(Status::Skipped)
    };
    Rig::new(n().sequence([cut(act("A", "R")), act("B", "R")])).ticks(["R g:S A+", "R g:F A! B+"]);
    Rig::new(n().parallel([cut(act("A", "R")), act("B", "RS")]))
        .ticks(["R g:S A+ B+", "S g:F A! B~ B=S"]);
    // By a time limit.
    let late = n()
        .time_limit(ms(1), act("A", "R"))
        .otherwise(Status::Skipped);
    Rig::new(n().selector([late, act("B", "S")])).ticks(["R A+", "S A! B+ B=S"]);
}

#[test]
fn r05_what_a_reactive_composite_ends_on_each_answer() {
    // An earlier child's every answer while a later one runs.
    for (script, second) in [
        ("SS", "R E+ E=S L~"),
        ("SF", "F E+ E=F L!"),
        ("SR", "R E+ L!"),
        ("SK", "R E+ E=K L~"),
    ] {
        Rig::new(n().sequence([act("E", script), act("L", "R")]).reactive())
            .ticks(["R E+ E=S L+", second]);
    }
    for (script, second) in [
        ("FF", "R E+ E=F L~"),
        ("FS", "S E+ E=S L!"),
        ("FR", "R E+ L!"),
        ("FK", "R E+ E=K L~"),
    ] {
        Rig::new(n().selector([act("E", script), act("L", "R")]).reactive())
            .ticks(["R E+ E=F L+", second]);
    }
}

#[test]
fn h11_nested_reactive_nodes_end_each_branch_once() {
    let tree = n()
        .selector([
            n().sequence([cond("o", "FFFS"), act("top", "R")])
                .reactive(),
            n().selector([
                n().sequence([cond("i", "FSF"), act("mid", "R")]).reactive(),
                finally("f", act("low", "R")),
            ])
            .reactive(),
        ])
        .reactive();
    Rig::new(tree).ticks([
        "R o:F i:F low+",
        "R o:F i:S mid+ low! f(!)",
        "R o:F i:F mid! low+",
        "R o:S top+ low! f(!)",
    ]);
}

#[test]
fn h05_halts_where_nothing_runs_or_between_rounds() {
    for node in [
        n().repeat_forever(act("A", "S")),
        n().repeat_forever(act("A", "S")).drain(3),
        n().retry(9, n().invert(act("A", "S"))),
    ] {
        let mut rig = Rig::new(node);
        rig.halt("");
        assert!(rig.step().starts_with("R A+ A=S"));
        rig.halt("").halt("");
        assert!(rig.step().starts_with("R A+ A=S"), "begins anew");
    }
    // A delay that has not begun its child, a parallel whose children all rest.
    Rig::new(n().delay(ms(9), act("A", "R")))
        .ticks(["R"])
        .halt("");
    Rig::new(n().parallel([n().succeed(), n().wait(ms(50))]))
        .ticks(["R"])
        .halt("");
}

#[test]
fn d07_counters_of_nested_loops_do_not_mix() {
    let mut rig = Rig::new(n().repeat(3, n().repeat(2, act("A", "S")).drain(9)));
    rig.ticks(["R A+ A=S A+ A=S", "R A+ A=S A+ A=S", "S A+ A=S A+ A=S"]);
    let mut rig = Rig::new(n().retry(2, n().repeat(2, act("A", "SFSS"))));
    rig.ticks(["R A+ A=S", "R A+ A=F", "R A+ A=S", "S A+ A=S"]);
    // Siblings under a reactive node keep their counts apart.
    let tree = n()
        .sequence([
            n().repeat(2, act("A", "S")).drain(9),
            n().repeat(3, act("B", "S")),
        ])
        .reactive();
    Rig::new(tree).ticks([
        "R A+ A=S A+ A=S B+ B=S",
        "R A+ A=S A+ A=S B+ B=S",
        "S A+ A=S A+ A=S B+ B=S",
    ]);
}

#[test]
fn h10_reactive_choosers_hand_over_in_either_order() {
    for (when, second) in [
        (Preempt::AfterStart, "R B+ A!"),
        (Preempt::BeforeStart, "R A! B+"),
    ] {
        let mut rig = Rig::new(
            n().switch(which("w", [0, 1]), [act("A", "R"), act("B", "R")])
                .reactive()
                .preempt(when),
        );
        assert_eq!(rig.step(), "R w#0 A+");
        assert_eq!(rig.step(), second.replacen("R ", "R w#1 ", 1));
        let mut rig = Rig::new(
            n().utility([
                (score("a", [20]), act("A", "R")),
                (score("b", [10, 30]), act("B", "R")),
            ])
            .reactive()
            .preempt(when),
        );
        rig.step();
        assert_eq!(rig.step(), second.replacen("R ", "R a#20 b#30 ", 1));
    }
}

#[test]
fn r13_inertia_and_dwell_hold_the_running_choice() {
    let two = |b: [i64; 3]| {
        n().utility([
            (score("a", [50]), act("A", "R")),
            (score("b", b), act("B", "R")),
        ])
        .reactive()
    };
    Rig::new(two([10, 55, 70]).inertia(0.1)).ticks([
        "R a#50 b#10 A+",
        "R a#50 b#55 A~",
        "R a#50 b#70 B+ A!",
    ]);
    Rig::new(two([10, 90, 90]).min_dwell(ms(2))).ticks([
        "R a#50 b#10 A+",
        "R a#50 b#90 A~",
        "R a#50 b#90 B+ A!",
    ]);
    // Nobody takes part: failure, and what runs is ended once.
    Rig::new(
        n().utility([(score("a", [50, 0]), act("A", "R"))])
            .reactive(),
    )
    .ticks(["R a#50 A+", "F a#0 A!"]);
}

#[test]
fn l06_constant_guards_and_their_combinations() {
    let t = || Guard::constant(true);
    let f = || Guard::constant(false);
    for (guard, holds) in [
        (t().and(f()), false),
        (t().or(f()), true),
        (!(t().and(f())), true),
        (!(f().or(f())), true),
        (f().and(t()).or(t()), true),
        (!t(), false),
    ] {
        assert_eq!(
            Rig::new(n().check(guard)).step(),
            if holds { "S" } else { "F" }
        );
    }
    // Judged left to right, no further than needed.
    Rig::new(n().check(guard("a", "F").and(guard("b", "S")))).ticks(["F a:F"]);
    Rig::new(n().check(guard("a", "S").or(guard("b", "S")))).ticks(["S a:S"]);
    Rig::new(n().check(!(guard("a", "S").and(guard("b", "F"))))).ticks(["S a:S b:F"]);
}
