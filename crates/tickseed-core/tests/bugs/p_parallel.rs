//! Parallel.

use tickseed_core::nodes::{Decide, Finished, Leftover, Parallel, Threshold, Tie};
use tickseed_core::{Context, Node, Status, Time};
use tickseed_testkit::script::{World, act, bare_act, cond};

use crate::rig::{Rig, letter, ms, n, refused};

#[test]
fn p01_finished_children_wait_or_restart() {
    let tree = || n().parallel([act("A", "RSRS"), act("B", "RRSS")]);
    // Waiting, the default: A is ticked twice in all.
    Rig::new(tree()).ticks(["R A+ B+", "R A~ A=S B~", "S B~ B=S"]);
    // Restarting: A is started again at tick 3.
    Rig::new(tree().finished(Finished::Restart)).ticks([
        "R A+ B+",
        "R A~ A=S B~",
        "R A+ B~ B=S",
        "S A~ A=S B+ B=S",
    ]);
}

#[test]
fn p01_latches_are_forgotten_with_the_activation() {
    let tree = || n().parallel([act("A", "S"), act("B", "RRSRS")]);
    Rig::new(n().repeat_forever(tree())).ticks([
        "R A+ A=S B+",
        "R B~",
        "R B~ B=S",
        "R A+ A=S B+",
        "R B~ B=S",
    ]);
    Rig::new(tree())
        .ticks(["R A+ A=S B+"])
        .halt("B!")
        .ticks(["R A+ A=S B+"]);
}

#[test]
fn p03_failure_limit_is_at_least() {
    // k of three children fail; the limit is reached, not exceeded: `failures >= limit`.
    for limit in 1..=3_u32 {
        for k in 0..=3_u32 {
            for decide in [Decide::AfterAll, Decide::AsSoonAsKnown] {
                let children = (0..3).map(|i| if i < k { n().fail() } else { n().run_forever() });
                let mut rig = Rig::new(
                    n().parallel(children)
                        .failure(Threshold::Count(limit))
                        .decide(decide),
                );
                // Not enough failures, and yet success is out of reach: known only to
                // `AsSoonAsKnown`.
                let hopeless = k > 0 && decide == Decide::AsSoonAsKnown;
                let expected = if k >= limit || hopeless { 'F' } else { 'R' };
                assert_eq!(
                    rig.step().chars().next(),
                    Some(expected),
                    "{k} of {limit} {decide:?}"
                );
            }
        }
    }
    // The sketch of the report: limit 1, children fail one after another.
    Rig::new(n().parallel([act("A", "F"), act("B", "F"), act("C", "S")]))
        .ticks(["F A+ A=F B+ B=F C+ C=S"]);
}

#[test]
fn p03_success_limit_is_at_least_and_bounds_are_checked() {
    for limit in 1..=3_u32 {
        for k in 0..=3_u32 {
            let children = (0..3).map(|i| {
                if i < k {
                    n().succeed()
                } else {
                    n().run_forever()
                }
            });
            let mut rig = Rig::new(n().parallel(children).success(Threshold::Count(limit)));
            assert_eq!(
                rig.step(),
                if k >= limit { "S" } else { "R" },
                "{k} of {limit}"
            );
        }
    }
    for bad in [0, 4] {
        let three = || n().parallel([n().succeed(), n().succeed(), n().succeed()]);
        for root in [
            three().success(Threshold::Count(bad)),
            three().failure(Threshold::Count(bad)),
        ] {
            let text = refused(root).to_string();
            assert!(text.contains(&format!("threshold is {bad}")), "{text}");
            assert!(text.contains("1 to 3"), "{text}");
        }
    }
}

#[test]
fn p05_a_halted_parallel_is_idle_itself() {
    let tree = || {
        n().time_limit(
            ms(2000),
            n().sequence([
                act("start", "S"),
                n().parallel([act("P", "R"), act("Q", "R")]).named("par"),
            ]),
        )
    };
    let mut rig = Rig::new(tree());
    rig.at(ms(0), "R start+ start=S P+ Q+")
        .at(ms(1999), "R P~ Q~")
        .at(ms(2000), "F P! Q!");
    assert!(!rig.tree.is_running(&rig.agent));
    rig.at(ms(2001), "R start+ start=S P+ Q+")
        .at(ms(4000), "R P~ Q~")
        .at(ms(4001), "F P! Q!");
}

#[test]
fn p07_success_of_selected_children() {
    // Failures count whatever the success policy: it fails at once.
    let one = Threshold::Count(1);
    Rig::new(n().parallel([act("A", "F"), act("C", "RS")]).success(one)).ticks(["F A+ A=F C+ C!"]);
    // A separate setting: only when all fail.
    Rig::new(
        n().parallel([act("A", "F"), act("C", "RS")])
            .success(one)
            .failure(Threshold::All),
    )
    .ticks(["R A+ A=F C+", "S C~ C=S"]);
    // Or its failure is made no failure: then one success must not do.
    Rig::new(n().parallel([n().force_success(act("A", "F")), act("C", "RS")]))
        .ticks(["R A+ A=F C+", "S C~ C=S"]);
    // Or only C counts at all: the others are always there, never in the count.
    Rig::new(
        n().parallel([n().forever(act("A", "F")), act("C", "RS")])
            .success(one),
    )
    .ticks(["R A+ A=F C+", "S A+ A=F C~ C=S"]);
}

#[test]
fn p08_a_parallel_can_be_used_again_and_again() {
    let join = || {
        n().parallel([n().force_failure(act("A", "S")), act("B", "RSRSRS")])
            .failure(Threshold::All)
            .success(Threshold::Count(1))
    };
    let mut rig = Rig::new(n().repeat(3, join()));
    for round in 0..3 {
        let last = if round < 2 { "R B~ B=S" } else { "S B~ B=S" };
        rig.ticks(["R A+ A=S B+", last]);
    }
    // All rounds in one tick.
    let children = || [act("A", "S"), act("B", "S")];
    Rig::new(n().repeat(3, n().parallel(children())).drain(10))
        .ticks(["S A+ A=S B+ B=S A+ A=S B+ B=S A+ A=S B+ B=S"]);
}

#[test]
fn p09_parallel_is_not_threads() {
    #[derive(Default)]
    struct Log(Vec<(&'static str, Option<std::thread::ThreadId>)>);
    impl Context for Log {
        type At<'a> = Log;
    }
    let n = tickseed_core::nodes::<Log>();
    let child = |name: &'static str, status| {
        n.action(name, move |l| {
            l.0.push((name, Some(std::thread::current().id())));
            status
        })
    };
    let tree = n
        .parallel([child("A", Status::Running), child("B", Status::Success)])
        .build()
        .unwrap();
    let mut log = Log::default();
    tree.tick(&mut tree.agent(), &mut log, Time::ZERO).unwrap();
    let here = Some(std::thread::current().id());
    // In order, in this thread; a running child does not block the next.
    assert_eq!(log.0, [("A", here), ("B", here)]);
}

/// The rule of the docs, written once more: the verdict after one tick of instant children.
fn by_the_text(p: &Parallel, answers: &[Status]) -> Status {
    let count = |ticked: &[Status], s| ticked.iter().filter(|a| **a == s).count();
    let known = |ticked: &[Status], last: bool| {
        let there = answers.len() - count(ticked, Status::Skipped);
        let need = |t: Threshold| match t {
            Threshold::All => there.max(1),
            Threshold::Count(n) => n as usize,
        };
        let (s, f) = (
            count(ticked, Status::Success),
            count(ticked, Status::Failure),
        );
        match (s >= need(p.success), f >= need(p.failure)) {
            (true, true) if p.tie == Tie::Success => Some(Status::Success),
            (_, true) => Some(Status::Failure),
            (true, false) => Some(Status::Success),
            (false, false) => {
                if last && there == 0 {
                    return Some(Status::Skipped);
                }
                let finished = s + f == there && last;
                let out_of_reach = match p.success {
                    Threshold::All => f > 0,
                    Threshold::Count(n) => answers.len() - f < n as usize,
                } && p.decide == Decide::AsSoonAsKnown
                    && p.finished == Finished::Latch;
                (finished || out_of_reach).then_some(Status::Failure)
            }
        }
    };
    if p.decide == Decide::AsSoonAsKnown {
        for i in 1..answers.len() {
            if let Some(v) = known(&answers[..i], false) {
                return v;
            }
        }
    }
    known(answers, true).unwrap_or(Status::Running)
}

fn all_options() -> Vec<Parallel> {
    let thresholds = [Threshold::Count(1), Threshold::Count(2), Threshold::All];
    let mut all = vec![];
    for success in thresholds {
        for failure in thresholds {
            for decide in [Decide::AfterAll, Decide::AsSoonAsKnown] {
                for tie in [Tie::Failure, Tie::Success] {
                    for finished in [Finished::Latch, Finished::Restart] {
                        for leftover in [Leftover::Halt, Leftover::Await] {
                            all.push(Parallel {
                                success,
                                failure,
                                decide,
                                tie,
                                finished,
                                leftover,
                            });
                        }
                    }
                }
            }
        }
    }
    all
}

const FINAL: [Status; 3] = [Status::Success, Status::Failure, Status::Skipped];

#[test]
fn p07_every_option_with_every_pair_of_instant_children() {
    for options in all_options() {
        for a in FINAL {
            for b in FINAL {
                let mut rig =
                    Rig::new(n().parallel_with(options, [n().constant(a), n().constant(b)]));
                let expected = letter(by_the_text(&options, &[a, b]));
                assert_eq!(rig.step(), expected.to_string(), "{options:?} {a} {b}");
            }
        }
    }
}

#[test]
fn p03_every_option_with_running_children_ends_each_exactly_once() {
    let scripts = ["R", "RS", "RF", "S", "F", "K", "RKS", "SF", "FS"];
    for options in all_options() {
        for a in scripts {
            for b in scripts {
                let mut rig = Rig::new(n().parallel_with(options, [act("A", a), act("B", b)]));
                // The rig checks starts, ends, and the interpreter's opinion.
                for _ in 0..4 {
                    rig.step();
                }
                let running = rig.running();
                let bangs: Vec<String> = running.iter().map(|l| format!("{l}!")).collect();
                // A parallel that runs without a running child (all finished and not yet
                // enough) has nothing to halt.
                let expected = if rig.running() == ["parallel"] {
                    String::new()
                } else {
                    bangs.join(" ")
                };
                rig.halt(&expected);
            }
        }
    }
}

#[test]
fn p01_leftover_children_are_awaited_without_changing_the_verdict() {
    let tree = |script| {
        n().parallel([act("A", "S"), act("B", script)])
            .success(Threshold::Count(1))
            .leftover(Leftover::Await)
    };
    for script in ["RRS", "RRF", "RRK"] {
        let end = &script[2..];
        Rig::new(tree(script)).ticks(["R A+ A=S B+", "R B~", &format!("S B~ B={end}")]);
    }
    // A halt while waiting ends the leftover once, and the verdict is forgotten.
    Rig::new(tree("R"))
        .ticks(["R A+ A=S B+"])
        .halt("B!")
        .ticks(["R A+ A=S B+"]);
}

#[test]
fn p09_later_children_are_ticked_or_not_as_decided() {
    let tree = |decide| n().parallel([act("A", "F"), act("B", "S")]).decide(decide);
    Rig::new(tree(Decide::AfterAll)).ticks(["F A+ A=F B+ B=S"]);
    Rig::new(tree(Decide::AsSoonAsKnown)).ticks(["F A+ A=F"]);
    // A later child that runs already is halted, not ticked.
    Rig::new(
        n().parallel([act("A", "RF"), act("B", "R")])
            .decide(Decide::AsSoonAsKnown),
    )
    .ticks(["R A+ B+", "F A~ A=F B!"]);
}

#[test]
fn p05_parallels_in_parallels_end_their_own_children() {
    let inner = |x, y| n().parallel([act(x, "R"), act(y, "R")]);
    Rig::new(n().parallel([inner("a", "b"), inner("c", "d"), act("e", "RF")]))
        .ticks(["R a+ b+ c+ d+ e+", "F a~ b~ c~ d~ e~ e=F a! b! c! d!"]);
}

#[test]
fn p08_a_reactive_branch_inside_a_parallel_keeps_its_own_place() {
    let branch: fn(&'static str, &'static str, &'static str) -> Node<World> = |g, x, y| {
        let guarded = n().sequence([cond(g, "FSF"), act(x, "R")]).reactive();
        n().selector([guarded, act(y, "R")]).reactive()
    };
    Rig::new(n().parallel([
        branch("g", "x", "y"),
        branch("h", "u", "v"),
        bare_act("z", "R"),
    ]))
    .ticks([
        "R g:F y+ h:F v+ z:R",
        "R g:S x+ y! h:S u+ v! z:R",
        "R g:F x! y+ h:F u! v+ z:R",
    ]);
}
