//! The kinds behind the cases: the same questions put to every node with a child, in every
//! place, halted at every moment.

use tickseed_core::nodes::{Choose, Preempt};
use tickseed_core::{Guard, Node, Status, Time};
use tickseed_testkit::script::{
    Alternating, Backwards, Impatient, World, act, boxed, catch, cond, finally, for_each, guard,
    leaf, on_complete, on_halted, score, which,
};

use crate::rig::{Make, Rig, ms, n};

/// Puts a child somewhere.
pub(crate) type Wrap = fn(Node<World>) -> Node<World>;

/// Every decorator and option, around a child that is to be reached at once.
pub(crate) const DECORATORS: &[(&str, Wrap)] = &[
    ("invert", |x| n().invert(x)),
    ("force success", |x| n().force_success(x)),
    ("force failure", |x| n().force_failure(x)),
    ("repeat", |x| n().repeat(3, x)),
    ("repeat drained", |x| n().repeat(3, x).drain(10)),
    ("repeat forever", |x| n().repeat_forever(x)),
    ("keep running until failure", |x| {
        n().keep_running_until_failure(x)
    }),
    ("retry", |x| n().retry(3, x)),
    ("retry drained", |x| n().retry(3, x).drain(10)),
    ("until success", |x| n().until_success(x)),
    ("until failure", |x| n().until_failure(x)),
    ("forever", |x| n().forever(x)),
    ("cooldown", |x| n().cooldown(ms(1), x)),
    ("cooldown with refund", |x| {
        n().cooldown(ms(1), x).refund_on_halt()
    }),
    ("rate limit", |x| n().rate_limit(ms(1), x)),
    ("time limit", |x| n().time_limit(ms(1000), x)),
    ("delay of zero", |x| n().delay(ms(0), x)),
    ("computed delay", |x| n().delay_for(|_| ms(0), x)),
    ("chance", |x| n().chance(1.0, x)),
    ("run once", |x| n().run_once(x)),
    ("limit runs", |x| n().limit_runs(99, x)),
    ("forget", |x| n().forget(x)),
    ("recovery, main", |x| n().recovery(1, x, n().succeed())),
    ("recovery, help", |x| n().recovery(1, n().fail(), x)),
    ("complete hook", |x| on_complete("h", x)),
    ("halted hook", |x| on_halted("h", x)),
    ("finally", |x| finally("h", x)),
    ("while guard", |x| n().while_guard(Guard::constant(true), x)),
    ("fail if", |x| n().fail_if(Guard::constant(false), x)),
    ("succeed if", |x| n().succeed_if(Guard::constant(false), x)),
    ("skip if", |x| n().skip_if(guard("skip", "F"), x)),
    ("catch", |x| catch("c", "S", x)),
    ("hold", |x| n().hold(x)),
    ("uninterruptible", |x| n().uninterruptible(x)),
    ("for each", |x| for_each("e", [3], x)),
    ("for each, one a tick", |x| {
        for_each("e", [3], x).pace(tickseed_core::nodes::Pace::OnePerTick)
    }),
    ("custom", |x| n().custom(Backwards("b"), [x])),
    ("custom that halts", |x| n().custom(Impatient("i"), [x])),
    ("custom with memory", |x| n().custom(Alternating("a"), [x])),
];

/// Every composite, with the child in each position that is reached at once.
pub(crate) const COMPOSITES: &[(&str, Wrap)] = &[
    ("sequence, only", |x| n().sequence([x])),
    ("sequence, first", |x| n().sequence([x, act("z", "S")])),
    ("sequence, middle", |x| {
        n().sequence([n().succeed(), x, act("z", "S")])
    }),
    ("sequence, last", |x| {
        n().sequence([n().succeed(), n().succeed(), x])
    }),
    ("selector, first", |x| n().selector([x, act("z", "S")])),
    ("selector, middle", |x| {
        n().selector([n().fail(), x, act("z", "S")])
    }),
    ("selector, last", |x| {
        n().selector([n().fail(), n().fail(), x])
    }),
    ("after a skip", |x| {
        n().sequence([n().constant(Status::Skipped), x])
    }),
    ("reactive sequence, first", |x| {
        n().sequence([x, act("z", "S")]).reactive()
    }),
    ("reactive sequence, last", |x| {
        n().sequence([n().succeed(), x]).reactive()
    }),
    ("reactive selector, first", |x| {
        n().selector([x, act("z", "S")]).reactive()
    }),
    ("reactive selector, last", |x| {
        n().selector([n().fail(), x]).reactive()
    }),
    ("reactive, before start", |x| {
        n().selector([n().fail(), x])
            .reactive()
            .preempt(Preempt::BeforeStart)
    }),
    ("random sequence", |x| n().sequence([x]).random()),
    ("random selector", |x| {
        n().selector([n().fail(), n().fail(), x])
            .weighted([1.0, 1.0, 1.0])
    }),
    ("keeping place", |x| {
        n().sequence([n().succeed(), x]).keep_place()
    }),
    ("keeping place, selector", |x| {
        n().selector([n().fail(), x]).keep_place()
    }),
    ("parallel, first", |x| n().parallel([x, n().wait(ms(999))])),
    ("parallel, middle", |x| {
        n().parallel([n().wait(ms(999)), x, n().run_forever()])
    }),
    ("parallel, last", |x| n().parallel([n().succeed(), x])),
    ("if, condition", |x| {
        n().if_then_else(x, n().succeed(), n().fail())
    }),
    ("if, then", |x| {
        n().if_then_else(n().succeed(), x, n().fail())
    }),
    ("if, else", |x| {
        n().if_then_else(n().fail(), n().succeed(), x)
    }),
    ("while-do, condition", |x| n().while_do(x, n().succeed())),
    ("while-do, body", |x| n().while_do(n().succeed(), x)),
    ("while-do-else, else", |x| {
        n().while_do_else(n().fail(), n().succeed(), x)
    }),
    ("switch", |x| n().switch(which("w", [1]), [n().fail(), x])),
    ("switch, default", |x| {
        n().switch(which("w", [7]), [n().fail()]).default_case(x)
    }),
    ("reactive switch", |x| {
        n().switch(which("w", [0]), [x, n().fail()]).reactive()
    }),
    ("utility", |x| {
        n().utility([(score("u", [10]), n().fail()), (score("v", [20]), x)])
    }),
    ("reactive utility", |x| {
        n().utility([(score("u", [10]), n().fail()), (score("v", [20]), x)])
            .reactive()
            .inertia(0.1)
            .min_dwell(ms(5))
    }),
    ("drawn utility", |x| {
        n().utility([(score("u", [0]), n().fail()), (score("v", [20]), x)])
            .choose(Choose::Weighted)
    }),
    ("filter", |x| n().filter([Guard::constant(true)], x)),
    ("monitor", |x| n().monitor([Guard::constant(true)], x)),
    ("custom, last", |x| {
        n().custom(Backwards("b"), [n().succeed(), x])
    }),
];

fn everywhere() -> impl Iterator<Item = &'static (&'static str, Wrap)> {
    DECORATORS.iter().chain(COMPOSITES)
}

/// The leaf's own events in a text.
fn of(text: &str, who: &str) -> Vec<String> {
    let own = text
        .split(' ')
        .filter(|w| w.starts_with(who) && w.len() > who.len());
    own.map(String::from).collect()
}

const LEAVES: [(&str, Make); 3] = [
    ("action", || act("X", "R")),
    ("plain", || leaf("X", "R")),
    ("boxed", || boxed("X", "R")),
];

#[test]
fn h04_every_node_passes_a_halt_on_to_its_child() {
    for (name, wrap) in everywhere() {
        for (kind, make) in LEAVES {
            // In the first tick, after several, and again after that.
            for before in [1, 3] {
                let mut rig = Rig::new(wrap(make()));
                for round in 0..3 {
                    for t in 0..before {
                        let text = rig.step();
                        let expected = if t == 0 { "X+" } else { "X~" };
                        let cut = *name == "custom that halts" && t > 0;
                        if !cut {
                            assert_eq!(of(&text, "X"), [expected], "{name}, {kind}, {round}");
                        }
                        if cut {
                            // It halts its child itself and finishes.
                            break;
                        }
                    }
                    let cut = *name == "custom that halts" && before > 1;
                    let expected: &[&str] = if cut { &[] } else { &["X!"] };
                    let ended = halted_all(&mut rig);
                    assert_eq!(ended, expected, "{name}, {kind}, {round}");
                    assert_eq!(halted_all(&mut rig), [""; 0], "{name}: once");
                }
            }
        }
    }
}

/// Halts in all three lanes of the rig and takes the leaf's events.
#[track_caller]
fn halted_all(rig: &mut Rig) -> Vec<String> {
    let text = rig.halt_text();
    of(&text, "X")
}

#[test]
fn h04_two_levels_of_every_pair() {
    for (a, outer) in everywhere() {
        for (b, inner) in everywhere() {
            let Ok(tree) = outer(inner(act("X", "R"))).build() else {
                // Uninterruptible under something that preempts is refused.
                assert!(
                    a.contains("uninterruptible") || b.contains("uninterruptible"),
                    "{a} {b}"
                );
                continue;
            };
            let (mut agent, mut world) = (tree.agent(), World::new());
            tree.tick(&mut agent, &mut world, Time::ZERO).unwrap();
            assert_eq!(of(&crate::rig::events(&world), "X"), ["X+"], "{a} > {b}");
            world.clear();
            tree.halt(&mut agent, &mut world, Time::ZERO).unwrap();
            assert_eq!(of(&crate::rig::events(&world), "X"), ["X!"], "{a} > {b}");
            assert!(!tree.is_running(&agent), "{a} > {b}");
            assert_eq!(world.started(), [""; 0], "{a} > {b}");
            assert_eq!(world.broken(), [""; 0], "{a} > {b}");
            // As new.
            world.clear();
            tree.tick(&mut agent, &mut world, Time::ZERO).unwrap();
            assert_eq!(
                of(&crate::rig::events(&world), "X"),
                ["X+"],
                "{a} > {b}: again"
            );
        }
    }
}

#[test]
fn h01_every_way_to_be_cut_ends_the_branch_once_and_as_new() {
    // Whatever stands between the cutter and the leaf.
    type Cut = fn(Node<World>) -> Node<World>;
    let cutters: [(&str, Cut); 9] = [
        ("reactive sequence", |x| {
            n().sequence([cond("g", "SSF"), x]).reactive()
        }),
        ("reactive selector", |x| {
            n().selector([cond("g", "FFS"), x]).reactive()
        }),
        ("before start", |x| {
            n().selector([n().sequence([cond("g", "FFS"), act("new", "S")]), x])
                .reactive()
                .preempt(Preempt::BeforeStart)
        }),
        ("while guard", |x| n().while_guard(guard("g", "SSF"), x)),
        ("while-do", |x| n().while_do(cond("g", "SSF"), x)),
        ("while-do-else", |x| {
            n().while_do_else(cond("g", "FFS"), act("do", "S"), x)
        }),
        ("parallel", |x| n().parallel([x, act("g", "RRF")])),
        ("switch", |x| {
            n().switch(which("g", [0, 0, 1]), [x, n().succeed()])
                .reactive()
        }),
        ("utility", |x| {
            n().utility([
                (score("g", [50, 50, 1]), x),
                (score("o", [10]), n().succeed()),
            ])
            .reactive()
        }),
    ];
    for (cut, cutter) in cutters {
        for (name, wrap) in everywhere() {
            if *name == "custom that halts" || *name == "uninterruptible" || *name == "hold" {
                continue;
            }
            let mut rig = Rig::new(cutter(wrap(act("X", "R"))));
            assert_eq!(of(&rig.step(), "X"), ["X+"], "{cut}, {name}");
            assert_eq!(of(&rig.step(), "X"), ["X~"], "{cut}, {name}");
            let third = rig.step();
            let mut own = of(&third, "X");
            if cut == "parallel" {
                // Its children are ticked before it decides.
                assert_eq!(own.remove(0), "X~", "{cut}, {name}: {third}");
            }
            assert_eq!(own, ["X!"], "{cut}, {name}: {third}");
            assert!(!third.starts_with('R'), "{cut}, {name}: {third}");
        }
    }
}

#[test]
fn d06_a_finished_child_is_entered_as_new_by_the_next_tick() {
    for (name, wrap) in everywhere() {
        if *name == "parallel, middle" {
            // Its sibling never finishes: the child's verdict is kept.
            continue;
        }
        // Two whole rounds of the leaf, however the node goes on.
        let mut rig = Rig::new(wrap(act("X", "RSRSRSRS")));
        let mut seen = Vec::new();
        for t in 0..12 {
            rig.now = Time::from_millis(600 * t);
            seen.extend(of(&rig.step(), "X"));
        }
        let starts = seen.iter().filter(|e| *e == "X+").count();
        let ends = seen.iter().filter(|e| *e == "X=S" || *e == "X!").count();
        if *name == "run once" {
            assert_eq!((starts, ends), (1, 1), "{name}: {seen:?}");
        } else {
            assert!(starts >= 2, "{name}: {seen:?}");
            assert!(starts - ends <= 1, "{name}: {seen:?}");
        }
        // Never two starts or two ends in a row: the rig would complain; the order here.
        for pair in seen.windows(2) {
            let bad = pair[0] == "X+" && pair[1] == "X+";
            assert!(!bad, "{name}: {seen:?}");
        }
    }
}

#[test]
fn r06_a_skip_passes_through_every_decorator() {
    for (name, wrap) in DECORATORS {
        let mut rig = Rig::new(wrap(act("X", "K")));
        let first = rig.step();
        let expected = match *name {
            // Every item skipped: skipped, at once or item by item.
            "for each, one a tick" => 'R',
            // These rules of users' own make something else of it.
            "custom that halts" => 'S',
            "recovery, help" => 'F',
            "custom with memory" => 'R',
            _ => 'K',
        };
        assert!(first.starts_with(expected), "{name}: {first}");
    }
}

#[test]
fn h08_starts_and_ends_match_under_halts_at_every_moment() {
    // Two agents of one tree, interleaved; one is halted at every tick in turn.
    for (name, wrap) in everywhere() {
        for halt_at in 0..5 {
            let tree = wrap(n().sequence([act("X", "RSRFRS"), act("Y", "RS")]))
                .build()
                .unwrap();
            let mut agents = [tree.agent(), tree.agent()];
            let mut worlds = [World::new(), World::new()];
            for t in 0..6_u64 {
                for i in 0..2 {
                    let now = Time::from_millis(t * 3);
                    tree.tick(&mut agents[i], &mut worlds[i], now).unwrap();
                    if i == 0 && t == halt_at {
                        tree.halt(&mut agents[i], &mut worlds[i], now).unwrap();
                        assert_eq!(worlds[i].started(), [""; 0], "{name} at {t}");
                        assert!(tree.running(&agents[i]).is_empty(), "{name} at {t}");
                    }
                }
            }
            for i in 0..2 {
                tree.halt(&mut agents[i], &mut worlds[i], Time::from_millis(99))
                    .unwrap();
                assert_eq!(worlds[i].started(), [""; 0], "{name}");
                assert_eq!(worlds[i].broken(), [""; 0], "{name}");
            }
        }
    }
}

#[test]
fn h06_reset_makes_every_node_as_new() {
    for (name, wrap) in everywhere() {
        let run = |rig: &mut Rig| {
            let mut all = Vec::new();
            for t in 0..3 {
                rig.now = Time::from_millis(t);
                all.push(rig.step());
            }
            all
        };
        // A leaf that always runs, so that scripts do not matter.
        let mut rig = Rig::new(wrap(act("X", "R")));
        let first = run(&mut rig);
        let (tree, now) = (rig.tree, rig.now);
        tree.reset(&mut rig.agent, &mut rig.world, now).unwrap();
        let fresh = tree.agent();
        assert_eq!(rig.agent.bytes(), fresh.bytes(), "{name}: all bytes as new");
        assert!(!first.is_empty());
    }
}
