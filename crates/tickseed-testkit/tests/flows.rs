//! Sequence, selector, branches, utility, for-each. Names in brackets are cases of users'
//! trouble with other engines that the test settles.

use std::time::Duration;

use tickseed_core::nodes::{Choose, Flow, Pace, Preempt};
use tickseed_core::{Nodes, Status, Time, nodes};
use tickseed_testkit::check;
use tickseed_testkit::script::{World, act, bare_act, cond, finally, for_each, score, which};

const N: fn() -> Nodes<World> = nodes::<World>;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn memory_resumes_and_reactive_asks_again() {
    // [R01]
    check(
        N().sequence([act("a", "S"), act("b", "RRS")]),
        "0 R a+ aS b+\n 1 R b.\n 2 S b. bS",
    );
    check(
        N().sequence([act("a", "S"), act("b", "RRS")]).reactive(),
        "0 R a+ aS b+\n 1 R a+ aS b.\n 2 S a+ aS b. bS",
    );
    check(
        N().selector([act("a", "F"), act("b", "RRS")]),
        "0 R a+ aF b+\n 1 R b.\n 2 S b. bS",
    );
    check(
        N().selector([act("a", "F"), act("b", "RRS")]).reactive(),
        "0 R a+ aF b+\n 1 R a+ aF b.\n 2 S a+ aF b. bS",
    );
}

#[test]
fn the_first_child_that_stops_decides() {
    check(
        N().sequence([act("a", "S"), act("b", "F"), act("c", "S")]),
        "0 F a+ aS b+ bF",
    );
    check(
        N().sequence([act("a", "S"), act("b", "S")]),
        "0 S a+ aS b+ bS",
    );
    check(
        N().selector([act("a", "F"), act("b", "S"), act("c", "S")]),
        "0 S a+ aF b+ bS",
    );
    check(
        N().selector([act("a", "F"), act("b", "F")]),
        "0 F a+ aF b+ bF",
    );
}

#[test]
fn a_finished_tree_starts_afresh() {
    // [U01]
    check(
        N().sequence([act("a", "S"), act("b", "S")]),
        "0 S a+ aS b+ bS\n 1 S a+ aS b+ bS",
    );
    check(
        N().run_once(act("a", "SF")),
        "0 S a+ aS\n 1 S\n 2 S\n 2 reset\n 3 F a+ aF\n 4 F",
    );
}

#[test]
fn skipped_children_are_as_if_not_there() {
    // [R06]
    for flow in [Flow::Memory, Flow::Random { weights: vec![] }] {
        let kind = |children: [_; 2]| match flow {
            Flow::Memory => N().sequence(children),
            _ => N().sequence(children).weighted([1.0, 0.0]),
        };
        check(
            kind([act("a", "K"), act("b", "SFK")]),
            "0 S a+ aK b+ bS\n 1 F a+ aK b+ bF\n 2 K a+ aK b+ bK",
        );
    }
    check(
        N().sequence([act("a", "K"), act("b", "RRSK")]).reactive(),
        "0 R a+ aK b+\n 1 R a+ aK b.\n 2 S a+ aK b. bS\n 3 K a+ aK b+ bK",
    );
    check(
        N().selector([act("a", "K"), act("b", "F")]),
        "0 F a+ aK b+ bF",
    );
    // Running first does not make a skip an answer.
    check(N().sequence([act("a", "RK")]), "0 R a+\n 1 K a. aK");
}

#[test]
fn a_guard_that_turns_false_ends_the_running_action_once() {
    // [H01]
    let tree = N().selector([
        N().sequence([cond("guard", "SSF"), act("move", "R")])
            .reactive(),
        act("idle", "R"),
    ]);
    check(
        tree,
        "0 R guard?y move+
         1 R guard?y move.
         2 R guard?n move! idle+
         3 R idle.",
    );
}

#[test]
fn an_aborted_node_is_as_new() {
    // [H06]
    let tree = N().selector([
        cond("alarm", "FFSFF"),
        N().sequence([
            act("prep", "S"),
            N().sequence([act("step", "S"), act("work", "R")]),
        ]),
    ]);
    check(
        tree.reactive(),
        "0 R alarm?n prep+ prepS step+ stepS work+
         1 R alarm?n work.
         2 S alarm?y work!
         3 R alarm?n prep+ prepS step+ stepS work+
         4 R alarm?n work.",
    );
}

#[test]
fn an_earlier_child_that_runs_again_halts_the_later_one() {
    // [R04]
    check(
        N().sequence([act("ensure", "SSRS"), act("main", "R")])
            .reactive(),
        "0 R ensure+ ensureS main+
         1 R ensure+ ensureS main.
         2 R ensure+ main!
         3 R ensure. ensureS main+",
    );
}

#[test]
fn the_new_branch_starts_before_or_after_the_old_is_halted() {
    let tree = |preempt| {
        let high = N().sequence([cond("go", "FSS"), act("high", "RS")]);
        N().selector([high, act("low", "R")])
            .reactive()
            .preempt(preempt)
    };
    check(
        tree(Preempt::AfterStart),
        "0 R go?n low+\n 1 R go?y high+ low!\n 2 S high. highS",
    );
    check(
        tree(Preempt::BeforeStart),
        "0 R go?n low+\n 1 R go?y low! high+\n 2 S high. highS",
    );
    // Halted before the start even if the new branch then fails and the old begins again.
    check(
        N().selector([act("a", "F"), act("b", "R")])
            .reactive()
            .preempt(Preempt::BeforeStart),
        "0 R a+ aF b+\n 1 R b! a+ aF b+",
    );
    // Conditions start nothing.
    check(
        N().selector([cond("a", "F"), act("b", "R")])
            .reactive()
            .preempt(Preempt::BeforeStart),
        "0 R a?n b+\n 1 R a?n b.",
    );
    // Outer before inner; what runs below the branch that is being ticked goes on.
    let inner = N()
        .selector([act("x", "F"), act("y", "R")])
        .reactive()
        .preempt(Preempt::BeforeStart);
    check(
        N().selector([
            N().sequence([cond("g", "SSF"), inner]).reactive(),
            act("z", "R"),
        ])
        .reactive()
        .preempt(Preempt::BeforeStart),
        "0 R g?y x+ xF y+\n 1 R g?y y! x+ xF y+\n 2 R g?n y! z+",
    );
}

#[test]
fn sequence_and_selector_are_mirror_images() {
    // [R03]
    let scripts = ["S", "F", "RS", "RRF", "KS", "FS", "SRF"];
    for a in scripts {
        for b in scripts {
            for reactive in [false, true] {
                let make = |node: tickseed_core::Node<World>| {
                    if reactive { node.reactive() } else { node }
                };
                let plain = make(N().sequence([act("a", a), act("b", b)]))
                    .build()
                    .unwrap();
                let mirror = N().invert(make(
                    N().selector([N().invert(act("a", a)), N().invert(act("b", b))]),
                ));
                let mirror = mirror.build().unwrap();
                let run = |tree: &tickseed_core::Tree<World>| {
                    let (mut agent, mut world) = (tree.agent(), World::new());
                    let tick = |t| tree.tick(&mut agent, &mut world, Time(t)).unwrap();
                    let answers: Vec<_> = (0..8).map(tick).collect();
                    (answers, world.events())
                };
                assert_eq!(run(&plain), run(&mirror), "{a} {b} {reactive}");
            }
        }
    }
}

#[test]
fn keeping_the_place_or_beginning_again() {
    // [R12]
    let tree = |keep: bool| {
        let way = N().sequence([act("a", "S"), act("b", "R"), act("c", "S")]);
        let way = if keep { way.keep_place() } else { way };
        N().sequence([cond("battery", "SSFS"), way]).reactive()
    };
    let head = "0 R battery?y a+ aS b+\n 1 R battery?y b.\n 2 F battery?n b!\n";
    check(tree(false), &format!("{head} 3 R battery?y a+ aS b+"));
    check(
        tree(true),
        &format!("{head} 3 R battery?y b+\n 4 reset b!\n 5 R battery?y a+ aS b+"),
    );
    // A stop by the verdict keeps it as well; passing the last child rewinds.
    check(
        N().sequence([act("a", "S"), act("b", "FS")]).keep_place(),
        "0 F a+ aS b+ bF\n 1 S b+ bS\n 2 S a+ aS b+ bS",
    );
    check(
        N().selector([act("a", "F"), act("b", "SF")]).keep_place(),
        "0 S a+ aF b+ bS\n 1 F b+ bF\n 2 F a+ aF b+ bF",
    );
    // Begun at its last child, it is skipped if that is.
    check(
        N().sequence([act("a", "S"), act("b", "FKS")]).keep_place(),
        "0 F a+ aS b+ bF\n 1 K b+ bK\n 2 S a+ aS b+ bS",
    );
}

#[test]
fn a_random_choice_is_made_once_an_activation() {
    // [T05]
    let tree = N()
        .selector([bare_act("a", "RRRS"), bare_act("b", "RRRS")])
        .random()
        .build()
        .unwrap();
    let mut first = [0; 2];
    for seed in 0..1000 {
        let (mut agent, mut world) = (tree.agent_seeded(seed), World::new());
        for t in 0..4 {
            let status = tree.tick(&mut agent, &mut world, Time(t)).unwrap();
            assert_eq!(status == Status::Success, t == 3);
        }
        let events = world.events();
        assert!(events.len() == 4 && events.iter().all(|e| e.who == events[0].who));
        first[usize::from(events[0].who == "b")] += 1;
    }
    assert!(first.iter().all(|n| (440..560).contains(n)), "{first:?}");
}

#[test]
fn weights_decide_the_order_and_those_without_come_last() {
    let children = || [act("a", "F"), act("b", "F"), act("c", "F"), act("d", "F")];
    check(
        N().selector(children()).weighted([0.0, 0.0, 5.0, 0.0]),
        "0 F c+ cF a+ aF b+ bF d+ dF\n 1 F c+ cF a+ aF b+ bF d+ dF",
    );
}

#[test]
fn every_child_of_a_random_sequence_is_visited_once() {
    let tree = N().sequence("abcde".chars().map(|c| {
        let name: &'static str = ["a", "b", "c", "d", "e"][c as usize - 'a' as usize];
        act(name, "S")
    }));
    let tree = tree.random().build().unwrap();
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut world = World::new();
        let status = tree.tick(&mut tree.agent_seeded(seed), &mut world, Time(0));
        assert_eq!(status.unwrap(), Status::Success);
        let mut names: Vec<_> = world.events().iter().map(|e| e.who).collect();
        names.dedup();
        orders.insert(names.clone());
        names.sort_unstable();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
    }
    assert!(orders.len() > 60, "{}", orders.len());
}

#[test]
fn if_asks_once_and_while_asks_every_tick() {
    let branches = |cond_script| (cond("c", cond_script), act("then", "RS"), act("else", "RS"));
    let (c, t, e) = branches("SF");
    check(
        N().if_then_else(c, t, e),
        "0 R c?y then+\n 1 S then. thenS\n 2 R c?n else+\n 3 S else. elseS",
    );
    let (c, t, e) = branches("SFS");
    check(
        N().while_do_else(c, t, e),
        "0 R c?y then+\n 1 R c?n else+ then!\n 2 S c?y then+ thenS else!",
    );
    let (c, t, e) = branches("SF");
    check(
        N().while_do_else(c, t, e).preempt(Preempt::BeforeStart),
        "0 R c?y then+\n 1 R c?n then! else+",
    );
    // [D17] Without the other branch a false condition fails, and halts.
    check(
        N().while_do(cond("c", "SSF"), act("do", "R")),
        "0 R c?y do+\n 1 R c?y do.\n 2 F c?n do!",
    );
    check(N().if_then(cond("c", "F"), act("do", "R")), "0 F c?n");
    // A condition that takes time halts the branch meanwhile; a skipped one skips the node.
    check(
        N().while_do(act("c", "SRSK"), act("do", "R")),
        "0 R c+ cS do+\n 1 R c+ do!\n 2 R c. cS do+\n 3 K c+ cK do!",
    );
    check(
        N().if_then(act("c", "RK"), act("do", "R")),
        "0 R c+\n 1 K c. cK",
    );
}

#[test]
fn while_judges_before_each_round() {
    // [D18]
    check(
        N().repeat_forever(N().while_do(cond("c", "SF"), act("body", "S"))),
        "0 R c?y body+ bodyS\n 1 F c?n",
    );
}

#[test]
fn a_switch_runs_the_child_it_names() {
    let cases = || [act("a", "RS"), act("b", "RS")];
    check(
        N().switch(which("n", [1, 0]), cases()),
        "0 R n#1 b+\n 1 S b. bS\n 2 R n#0 a+",
    );
    check(
        N().switch(which("n", [2, -1]), cases()),
        "0 F n#2\n 1 F n#-1",
    );
    check(
        N().switch(which("n", [7, 1]), cases())
            .default_case(act("d", "S")),
        "0 S n#7 d+ dS\n 1 R n#1 b+",
    );
    check(
        N().switch(which("n", [0, 0, 1, 9]), cases()).reactive(),
        "0 R n#0 a+\n 1 S n#0 a. aS\n 2 R n#1 b+\n 3 F n#9 b!",
    );
    let moved = |p| {
        N().switch(which("n", [0, 1]), [act("a", "R"), act("b", "R")])
            .reactive()
            .preempt(p)
    };
    check(moved(Preempt::AfterStart), "0 R n#0 a+\n 1 R n#1 b+ a!");
    check(moved(Preempt::BeforeStart), "0 R n#0 a+\n 1 R n#1 a! b+");
}

#[test]
fn utility_takes_the_best_and_reactive_utility_asks_again() {
    let scored = |a: [i64; 3], b: [i64; 3]| {
        [
            (score("a#", a), act("a", "R")),
            (score("b#", b), act("b", "R")),
        ]
    };
    // Ties go to the first; what is not above zero takes no part.
    check(
        N().utility(scored([50; 3], [50; 3])),
        "0 R a##50 b##50 a+\n 1 R a.",
    );
    check(N().utility(scored([0; 3], [900; 3])), "0 F a##0 b##900");
    check(
        N().utility(scored([50, 50, 50], [40, 52, 70]))
            .reactive()
            .inertia(0.1),
        "0 R a##50 b##40 a+\n 1 R a##50 b##52 a.\n 2 R a##50 b##70 b+ a!",
    );
    check(
        N().utility(scored([50, 50, 50], [40, 99, 99]))
            .reactive()
            .min_dwell(ms(10)),
        "0 R a##50 b##40 a+\n 9 R a##50 b##99 a.\n 10 R a##50 b##99 b+ a!",
    );
    // Dwelling does not hold what takes no part any more.
    check(
        N().utility(scored([50, 0, 0], [40, 40, 0]))
            .reactive()
            .min_dwell(ms(10)),
        "0 R a##50 b##40 a+\n 1 R a##0 b##40 b+ a!\n 2 F a##0 b##0 b!",
    );
    // A reactive draw keeps the running child while it takes part.
    check(
        N().utility(scored([1, 1, 1], [0, 9999, 9999]))
            .reactive()
            .choose(Choose::Weighted),
        "0 R a##1 b##0 a+\n 1 R a##1 b##9999 a.\n 2 R a##1 b##9999 a.",
    );
}

#[test]
fn draws_follow_the_scores() {
    for (choose, share) in [
        (Choose::Weighted, 0.75),
        (
            Choose::Softmax { temperature: 0.5 },
            1.0 / (1.0 + (-1.0_f64).exp()),
        ),
    ] {
        let tree = N().utility([
            (score("a#", [25]), bare_act("a", "S")),
            (score("b#", [75]), bare_act("b", "S")),
        ]);
        let tree = tree.choose(choose).build().unwrap();
        let b = (0..2000).filter(|seed| {
            let mut world = World::new();
            tree.tick(&mut tree.agent_seeded(*seed), &mut world, Time(0))
                .unwrap();
            world.events().last().unwrap().who == "b"
        });
        let b = b.count() as f64 / 2000.0;
        assert!(
            (b - share).abs() < 0.04,
            "{choose:?}: {b} instead of {share}"
        );
    }
}

#[test]
fn for_each_goes_through_its_indices_every_time() {
    // [D13]
    check(
        for_each("x", [3, 2, 0, -1], act("use", "S")),
        "0 S x#3 x[0] use+ useS x[1] use+ useS x[2] use+ useS
         1 S x#2 x[0] use+ useS x[1] use+ useS
         2 S x#0
         3 S x#-1",
    );
    // A running item resumes and is not told again; a halt begins from zero.
    check(
        for_each("x", [2], act("use", "SRRSF")),
        "0 R x#2 x[0] use+ useS x[1] use+
         1 R use.
         2 halt use!
         3 F x#2 x[0] use+ useS x[1] use+ useF",
    );
    check(
        for_each("x", [2], act("use", "K")),
        "0 K x#2 x[0] use+ useK x[1] use+ useK",
    );
    check(
        for_each("x", [2], act("use", "KS")),
        "0 S x#2 x[0] use+ useK x[1] use+ useS",
    );
    check(
        for_each("x", [3], act("use", "S")).pace(Pace::OnePerTick),
        "0 R x#3 x[0] use+ useS\n 1 R x[1] use+ useS\n 2 S x[2] use+ useS",
    );
    check(
        for_each("x", [3], act("use", "S")).drain(2),
        "0 R x#3 x[0] use+ useS x[1] use+ useS\n 1 halt\n 2 R x#3 x[0] use+ useS x[1] use+ useS\n 3 S x[2] use+ useS",
    );
}

#[test]
fn hold_keeps_reactive_nodes_from_asking_again() {
    let held = |script| N().hold(act("work", script));
    check(
        N().selector([cond("alarm", "FS"), held("RRF"), act("rest", "R")])
            .reactive(),
        "0 R alarm?n work+
         1 R work.
         2 R work. workF rest+
         3 S alarm?y rest!",
    );
    check(
        N().while_do(cond("c", "SF"), held("RRS")),
        "0 R c?y work+\n 1 R work.\n 2 S work. workS\n 3 F c?n",
    );
    check(
        N().switch(which("n", [0, 1]), [held("RS"), act("b", "R")])
            .reactive(),
        "0 R n#0 work+\n 1 S work. workS\n 2 R n#1 b+",
    );
    // Not across the border of a parallel, and limits still end it.
    check(
        N().selector([cond("alarm", "FS"), N().parallel([held("R")])])
            .reactive(),
        "0 R alarm?n work+\n 1 S alarm?y work!",
    );
    check(
        N().selector([cond("alarm", "F"), N().time_limit(ms(5), held("R"))])
            .reactive(),
        "0 R alarm?n work+\n 4 R work.\n 5 F work!",
    );
}

#[test]
fn what_is_halted_is_halted_innermost_first() {
    // [H08]
    let tree = finally(
        "out",
        N().parallel([finally("in", act("a", "R")), act("b", "R")]),
    );
    check(
        N().time_limit(ms(10), tree),
        "0 R a+ b+\n 10 F a! in@! b! out@!\n 10 halt",
    );
}
