//! Errors of leaves: where they happened, and that recovering ends every started leaf exactly once.
//! Panics are in `a_panics`.

use tickseed_core::{Node, Rng, Status, TickError, Time, nodes};
use tickseed_testkit::script::{act, boxed, finally, leaf, on_halted};

use crate::rig::{Rig, n};

#[test]
fn a01_the_error_names_the_path_and_keeps_the_message() {
    let tree = n()
        .sequence([n().sequence([n().retry(3, act("Leaf", "E"))]).named("Sub")])
        .named("Main");
    let tree = tree.build().unwrap();
    let mut world = tickseed_testkit::script::World::new();
    match tree.tick(&mut tree.agent(), &mut world, Time::ZERO) {
        Err(TickError::Leaf { node, path, error }) => {
            assert_eq!(path, "Main/Sub/retry/Leaf");
            assert_eq!(tree.path(node), path);
            assert_eq!(error.to_string(), "scripted");
        }
        other => panic!("{other:?}"),
    }
    // An error of the user's own type is kept as the source.
    let f = nodes::<()>();
    let parse = f.action("parse", |_| -> Result<Status, std::num::ParseIntError> {
        "x".parse::<u8>().map(|_| Status::Success)
    });
    let tree = parse.build().unwrap();
    let error = tree
        .tick(&mut tree.agent(), &mut (), Time::ZERO)
        .unwrap_err();
    let source = std::error::Error::source(&error).expect("a source");
    assert!(source.is::<std::num::ParseIntError>());
    assert!(error.to_string().starts_with("parse: "), "{error}");
}

#[test]
fn a01_wrong_answers_are_errors_that_say_what_to_do() {
    let run = |root: Node<()>| {
        let tree = root.build().unwrap();
        let mut agent = tree.agent();
        let e = tree.tick(&mut agent, &mut (), Time::ZERO).unwrap_err();
        assert!(agent.is_poisoned());
        tree.recover(&mut agent, &mut (), Time::ZERO).unwrap();
        assert!(!agent.is_poisoned());
        e.to_string()
    };
    let f = nodes::<()>();
    let text = run(f.instant("slow", |_| Status::Running));
    assert!(
        text.contains("slow") && text.contains("make it an `action`"),
        "{text}"
    );
    let text = run(f.action("picky", |_| Status::Skipped));
    assert!(
        text.contains("picky") && text.contains(".may_skip()"),
        "{text}"
    );
}

#[test]
fn a03_after_an_error_every_tick_says_so_until_recovered() {
    let mut rig = Rig::new(n().sequence([act("A", "RE"), act("B", "S")]));
    rig.ticks(["R A+", "E A~ A=E"]);
    assert!(rig.agent.is_poisoned());
    rig.ticks(["E", "E"]);
    let halt = rig.tree.halt(&mut rig.agent, &mut rig.world, Time::ZERO);
    assert!(matches!(halt, Err(TickError::Poisoned)), "{halt:?}");
    rig.recover("A!");
    assert!(!rig.agent.is_poisoned());
    // Twice does nothing.
    rig.recover("");
}

#[test]
fn a03_recover_ends_every_started_leaf_once_wherever_the_error_is() {
    // The failing leaf at each place of a parallel, in its first and in a later tick; a boxed
    // leaf that fails in its start has made no state that could be given a halt.
    for place in 0..3 {
        for (script, ticks) in [("E", 1), ("RE", 2), ("RRE", 3)] {
            let name = ["A", "B", "C"][place];
            let children = (0..3).map(|i| {
                let (name, s) = (["A", "B", "C"][i], if i == place { script } else { "R" });
                if i == 1 { leaf(name, s) } else { act(name, s) }
            });
            let mut rig = Rig::new(n().sequence([n().parallel(children)]));
            let mut last = String::new();
            for _ in 0..ticks {
                last = rig.step();
            }
            assert!(
                last.starts_with('E') && last.contains(&format!("{name}=E")),
                "{last}"
            );
            // Those that were started end, in order; the rest was never touched.
            let started: Vec<&str> = ["A", "B", "C"]
                .into_iter()
                .take(if ticks == 1 { place + 1 } else { 3 })
                .collect();
            let expected: Vec<String> = started.iter().map(|s| format!("{s}!")).collect();
            let ended = recovered(&mut rig);
            let mut sorted = ended.clone();
            sorted.sort();
            assert_eq!(sorted, expected, "{place} {script}");
        }
    }
    let mut rig = Rig::new(n().parallel([act("A", "R"), boxed("B", "E")]));
    assert!(rig.step().starts_with("E A+ B+ B=E"));
    rig.recover("A!");
}

/// Recovers; the events as words.
#[track_caller]
fn recovered(rig: &mut Rig) -> Vec<String> {
    let (tree, now) = (rig.tree, rig.now);
    tree.recover(&mut rig.agent, &mut rig.world, now).unwrap();
    assert_eq!(rig.world.started(), [""; 0]);
    assert_eq!(rig.world.broken(), [""; 0]);
    assert!(!tree.is_running(&rig.agent));
    let words = crate::rig::events(&rig.world);
    words
        .split(' ')
        .filter(|w| !w.is_empty())
        .map(String::from)
        .collect()
}

#[test]
fn a03_an_error_while_taking_over_ends_both_branches() {
    let tree = n()
        .selector([
            n().sequence([tickseed_testkit::script::cond("w", "FS"), act("H", "E")]),
            act("L", "R"),
        ])
        .reactive();
    let mut rig = Rig::new(tree);
    rig.ticks(["R w:F L+", "E w:S H+ H=E"]);
    let mut ended = recovered(&mut rig);
    ended.sort();
    assert_eq!(ended, ["H!", "L!"]);
}

#[test]
fn a03_hooks_around_a_failed_leaf_see_a_halt_once() {
    let tree = finally("o", n().sequence([on_halted("i", act("A", "RE"))]));
    let mut rig = Rig::new(tree);
    rig.ticks(["R A+", "E A~ A=E"]);
    rig.recover("A! i(!) o(!)");
    rig.recover("");
}

#[test]
fn a01_random_errors_in_random_trees_recover_and_go_on() {
    // A smaller sibling of the testkit's comparison: errors at any leaf of a mixed tree.
    let mut rng = Rng::new(1);
    for _ in 0..300 {
        let script = |rng: &mut Rng| -> &'static str {
            ["R", "S", "F", "RE", "E", "RRE", "RS", "SE", "FE"][rng.below(9) as usize]
        };
        let s: Vec<&'static str> = (0..5).map(|_| script(&mut rng)).collect();
        let tree = n()
            .selector([
                n().sequence([
                    act("a", s[0]),
                    n().parallel([leaf("b", s[1]), act("c", s[2])]),
                ]),
                n().while_do(act("d", s[3]), finally("h", act("e", s[4]))),
            ])
            .reactive();
        let mut rig = Rig::new(tree);
        for _ in 0..6 {
            if rig.step().starts_with('E') {
                let (tree, now) = (rig.tree, rig.now);
                tree.recover(&mut rig.agent, &mut rig.world, now).unwrap();
                assert_eq!(rig.world.started(), [""; 0], "{s:?}");
                assert_eq!(rig.world.broken(), [""; 0], "{s:?}");
                break;
            }
        }
    }
}

#[test]
fn a09_dropping_without_a_halt_frees_and_calls_nothing() {
    // Boxed state is dropped with the agent; no hook runs, since there is no context.
    let mut rig = Rig::new(n().parallel([boxed("a", "R"), act("b", "R")]));
    rig.ticks(["R a+ b+"]);
    let before = rig.world.events().len();
    let tree = rig.tree;
    rig.agent = tree.agent();
    assert_eq!(rig.world.events().len(), before);
    for _ in 0..10_000 {
        let mut agent = tree.agent();
        let mut world = tickseed_testkit::script::World::new();
        tree.tick(&mut agent, &mut world, Time::ZERO).unwrap();
    }
}
