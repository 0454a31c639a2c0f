//! Repeat, retry, cooldown, time limit, delay, loops, recoveries.

use std::time::Duration;

use tickseed_core::nodes::{Again, Closed, Gate, Loop, Pace, StartOn};
use tickseed_core::{Context, Guard, Node, Rule, Status, Time};
use tickseed_testkit::script::{World, act, bare_act, cond, for_each, guard, instant};

use crate::rig::{MS, Make, Rig, ms, n, refused, secs};

#[test]
fn d01_counts_are_forgotten_on_abort() {
    let guarded = |child| n().sequence([cond("g", "SSFS"), child]).reactive();
    Rig::new(guarded(n().retry(3, act("A", "F")))).ticks([
        "R g:S A+ A=F",
        "R g:S A+ A=F",
        "F g:F",
        "R g:S A+ A=F",
        "R g:S A+ A=F",
        "F g:S A+ A=F",
    ]);
    Rig::new(guarded(n().repeat(3, act("A", "S")))).ticks([
        "R g:S A+ A=S",
        "R g:S A+ A=S",
        "F g:F",
        "R g:S A+ A=S",
        "R g:S A+ A=S",
        "S g:S A+ A=S",
    ]);
    // A whole-tree halt forgets them as well, in the middle of a round and between rounds.
    for (script, ended) in [("FR", "A!"), ("FF", "")] {
        let mut rig = Rig::new(n().retry(2, act("A", script)));
        rig.ticks(["R A+ A=F"]);
        if script == "FR" {
            rig.ticks(["R A+"]);
        }
        rig.halt(ended);
        // Two attempts again.
        let first = rig.step();
        assert!(first.starts_with('R'), "{first}");
    }
}

#[test]
fn d01_counts_do_not_leak_between_activations_that_finished() {
    let twice = n().repeat(2, n().retry(2, act("A", "FSFS")));
    Rig::new(twice).ticks(["R A+ A=F", "R A+ A=S", "R A+ A=F", "S A+ A=S"]);
    // Large counts.
    for times in [1, 255, 256, 300] {
        let mut rig = Rig::new(n().repeat(times, instant("A", "S")));
        for i in 1..=times {
            let expected = if i == times { "S A:S" } else { "R A:S" };
            assert_eq!(rig.step(), expected, "round {i} of {times}");
        }
        assert_eq!(rig.step(), if times == 1 { "S A:S" } else { "R A:S" });
    }
}

#[test]
fn d03_an_aborted_delay_works_again() {
    let tree = n().while_guard(guard("g", "SSFSSS"), n().delay(ms(2000), act("A", "S")));
    Rig::new(tree)
        .at(ms(0), "R g:S")
        .at(ms(1000), "R g:S")
        .at(ms(1500), "F g:F")
        .at(ms(2000), "R g:S")
        .at(ms(3999), "R g:S")
        .at(ms(4000), "S g:S A+ A=S");
    // Halted while the child runs: the next visit waits again.
    Rig::new(n().delay(ms(10), act("A", "R")))
        .at(ms(0), "R")
        .at(ms(10), "R A+")
        .at(ms(11), "R A~")
        .halt("A!")
        .at(ms(12), "R")
        .at(ms(22), "R A+");
}

#[test]
fn d04_one_round_a_tick_is_the_default() {
    let tree = n()
        .sequence([cond("g", "SF"), n().until_success(act("A", "F"))])
        .reactive();
    Rig::new(tree).ticks(["R g:S A+ A=F", "F g:F"]);
    Rig::new(n().retry(3, act("A", "F"))).ticks(["R A+ A=F", "R A+ A=F", "F A+ A=F"]);
}

#[test]
fn d04_drained_rounds_have_a_budget() {
    // All rounds in one tick.
    Rig::new(n().retry(3, instant("A", "F")).drain(10)).ticks(["F A:F A:F A:F"]);
    // The budget ends the tick, the next one fills it up.
    Rig::new(n().retry(5, instant("A", "F")).drain(2)).ticks(["R A:F A:F", "R A:F A:F", "F A:F"]);
    // An endless loop of an instant child returns, and its guard is seen.
    let endless = |node: Node<World>| n().sequence([cond("g", "SF"), node.drain(3)]).reactive();
    for node in [
        n().until_success(instant("A", "F")),
        n().forever(instant("A", "F")),
    ] {
        Rig::new(endless(node)).ticks(["R g:S A:F A:F A:F", "F g:F"]);
    }
    // Endless loops within endless loops.
    let tree = n()
        .forever(
            n().forever(n().forever(instant("A", "S")).drain(2))
                .drain(2),
        )
        .drain(2);
    Rig::new(tree).ticks(["R A:S A:S", "R A:S A:S"]);
    assert_eq!(
        refused(n().forever(n().succeed()).drain(0)).issues[0].rule,
        Rule::Range
    );
}

#[test]
fn d04_no_tree_of_loops_and_constants_hangs() {
    let answers = [Status::Success, Status::Failure, Status::Skipped];
    for inner in answers {
        for outer in [Again::OnSuccess, Again::OnFailure, Again::Always] {
            for limit in [None, Some(3)] {
                for pace in [Pace::OnePerTick, Pace::Drain(5)] {
                    let options = Loop {
                        again: outer,
                        limit,
                        at_limit: Status::Success,
                        stopped: None,
                        pace,
                    };
                    let body = n().sequence([n().constant(inner)]);
                    let mut rig = Rig::new(n().looping(options, n().looping(options, body)));
                    for _ in 0..10 {
                        rig.step();
                    }
                }
            }
        }
    }
}

#[test]
fn d05_a_loop_respects_running() {
    let mut rig = Rig::new(n().repeat(5, bare_act("A", "RRSRRSRRSRRSRRS")));
    for round in 1..=5 {
        let last = if round == 5 { "S A:S" } else { "R A:S" };
        rig.ticks(["R A:R", "R A:R", last]);
    }
    // Drained: a running child ends the tick all the same.
    Rig::new(n().repeat(3, bare_act("A", "SRSS")).drain(100)).ticks(["R A:S A:R", "S A:S A:S"]);
}

#[test]
fn d06_each_round_is_a_fresh_activation() {
    let tree = n().repeat(2, n().sequence([n().wait(secs(1)), act("S", "S")]));
    Rig::new(tree)
        .at(secs(0), "R")
        .at(secs(1), "R S+ S=S")
        .at(secs(1), "R")
        .at(ms(1999), "R")
        .at(secs(2), "S S+ S=S");
    // Drained: the second round begins in the tick the first one ends in.
    let tree = n()
        .repeat(2, n().sequence([n().wait(secs(1)), act("S", "S")]))
        .drain(10);
    Rig::new(tree)
        .at(secs(0), "R")
        .at(secs(1), "R S+ S=S")
        .at(secs(2), "S S+ S=S");
}

#[test]
fn d06_re_entry_in_the_same_tick_is_a_new_activation_of_every_child() {
    // The loop enters its child twice in one tick: everything timed or counted begins anew.
    let children: [(&str, Make, &str); 6] = [
        (
            "retry",
            || n().retry(2, act("A", "FSFS")).drain(9),
            "S A+ A=F A+ A=S A+ A=F A+ A=S",
        ),
        ("wait zero", || n().wait(Duration::ZERO), "S"),
        (
            "delay zero",
            || n().delay(Duration::ZERO, act("A", "S")),
            "S A+ A=S A+ A=S",
        ),
        (
            "for each",
            || for_each("x", [2], act("A", "S")),
            "S x#2 x[0] A+ A=S x[1] A+ A=S x#2 x[0] A+ A=S x[1] A+ A=S",
        ),
        (
            "parallel",
            || n().parallel([act("A", "S")]),
            "S A+ A=S A+ A=S",
        ),
        (
            "time limit",
            || n().time_limit(MS, act("A", "S")),
            "S A+ A=S A+ A=S",
        ),
    ];
    for (name, child, expected) in children {
        let mut rig = Rig::new(n().repeat(2, child()).drain(9));
        assert_eq!(rig.step(), expected, "{name}");
    }
}

#[test]
fn d08_time_limits_act_inside_ticks_only() {
    // Whatever the times of the ticks: never idle on return, one end a start.
    let mut seed = tickseed_core::Rng::new(8);
    for _ in 0..50 {
        let mut rig =
            Rig::new(n().sequence([n().time_limit(ms(5), n().retry(3, act("A", "RFRRFR")))]));
        let mut now = 0;
        for _ in 0..20 {
            now += seed.below(8);
            rig.now = Time::from_millis(now);
            let answer = rig.step();
            assert!(answer.starts_with(['R', 'S', 'F']), "{answer}");
        }
    }
    // Nothing happens between ticks, or to an agent that is dropped with a limit pending.
    let mut rig = Rig::new(n().time_limit(ms(5), act("A", "R")));
    rig.at(ms(0), "R A+");
    drop(rig);
}

#[test]
fn d08_a_time_limit_includes_its_boundary_and_beats_its_child() {
    Rig::new(n().time_limit(ms(5), act("A", "RRS")))
        .at(ms(0), "R A+")
        .at(ms(4), "R A~")
        .at(ms(5), "F A!");
    // A huge step.
    Rig::new(n().time_limit(ms(5), act("A", "RS")))
        .at(ms(0), "R A+")
        .at(secs(1_000_000), "F A!");
    // The option for another answer.
    for (status, expected) in [(Status::Success, "S A!"), (Status::Skipped, "K A!")] {
        Rig::new(n().time_limit(ms(5), act("A", "R")).otherwise(status))
            .at(ms(0), "R A+")
            .at(ms(5), expected);
    }
    // Nested limits: the outer one ends what the inner one holds.
    Rig::new(n().time_limit(ms(3), n().time_limit(ms(5), act("A", "R"))))
        .at(ms(0), "R A+")
        .at(ms(3), "F A!");
    // A new activation has the whole time again.
    Rig::new(n().retry(2, n().time_limit(ms(5), act("A", "R"))))
        .at(ms(0), "R A+")
        .at(ms(5), "R A!")
        .at(ms(6), "R A+")
        .at(ms(10), "R A~")
        .at(ms(11), "F A!");
}

#[test]
fn d09_cooldown_counts_the_clock_while_it_is_not_ticked() {
    let tree = n().selector([n().cooldown(secs(3), act("attack", "S")), act("idle", "RS")]);
    let mut rig = Rig::new(tree);
    rig.at(secs(0), "S attack+ attack=S")
        .at(secs(1), "R idle+")
        .at(secs(2), "S idle~ idle=S");
    rig.at(secs(5), "S attack+ attack=S");
    Rig::new(n().cooldown(secs(3), act("A", "S")))
        .at(secs(0), "S A+ A=S")
        .at(secs(1), "F")
        .at(secs(2), "F")
        .at(ms(2999), "F")
        .at(secs(3), "S A+ A=S");
}

#[test]
fn d09_forgetting_a_cooldown_is_a_choice() {
    let tree = |gate: Node<World>| n().while_guard(guard("g", "SFSS"), gate);
    // Kept over an abort: being cut does not refund what an earlier success closed.
    let gate = || n().cooldown(secs(3), act("A", "S"));
    Rig::new(tree(gate()))
        .at(secs(0), "S g:S A+ A=S")
        .at(secs(1), "F g:F")
        .at(secs(2), "F g:S")
        .reset("")
        .at(secs(2), "S g:S A+ A=S");
    // A cooldown that closes on the start of a cut activation is not one of ours: an
    // aborted run closes nothing.
    Rig::new(n().cooldown(secs(3), act("A", "RRS")))
        .at(secs(0), "R A+")
        .halt("A!")
        .at(secs(1), "R A+")
        .at(secs(1), "S A~ A=S")
        .at(secs(2), "F");
    // Answers while closed.
    let gates: [(Closed, StartOn, &str, &str); 5] = [
        (Closed::Failure, StartOn::Success, "S", "F"),
        (Closed::Skipped, StartOn::Success, "S", "K"),
        (Closed::Replay, StartOn::Verdict, "S", "S"),
        (Closed::Replay, StartOn::Verdict, "F", "F"),
        (Closed::Failure, StartOn::Verdict, "F", "F"),
    ];
    for (closed, start_on, verdict, then) in gates {
        let options = Gate {
            interval: 1000,
            start_on,
            closed,
            refund_on_halt: false,
        };
        let mut rig = Rig::new(n().gate(options, act("A", verdict)));
        assert_eq!(rig.step(), format!("{verdict} A+ A={verdict}"));
        assert_eq!(rig.step(), then, "{options:?}");
    }
    // A failure does not close one that starts on success.
    Rig::new(n().cooldown(secs(3), act("A", "F"))).ticks(["F A+ A=F", "F A+ A=F"]);
}

#[test]
fn d13_for_each_takes_its_count_at_each_activation() {
    let mut rig = Rig::new(for_each("x", [3, 2, 0, 3, 3], act("A", "S")));
    rig.ticks([
        "S x#3 x[0] A+ A=S x[1] A+ A=S x[2] A+ A=S",
        "S x#2 x[0] A+ A=S x[1] A+ A=S",
        "S x#0",
    ]);
    // Aborted at item 1, entered again: from item 0.
    Rig::new(for_each("x", [3], act("A", "SRSSS")))
        .ticks(["R x#3 x[0] A+ A=S x[1] A+"])
        .halt("A!")
        .ticks(["S x#3 x[0] A+ A=S x[1] A+ A=S x[2] A+ A=S"]);
    // One item a tick, aborted between items.
    Rig::new(for_each("x", [2], act("A", "S")).pace(Pace::OnePerTick))
        .ticks(["R x#2 x[0] A+ A=S"])
        .halt("")
        .ticks(["R x#2 x[0] A+ A=S", "S x[1] A+ A=S"]);
    // A failing item ends it; the next run starts at the first.
    Rig::new(for_each("x", [3], act("A", "SFS"))).ticks([
        "F x#3 x[0] A+ A=S x[1] A+ A=F",
        "S x#3 x[0] A+ A=S x[1] A+ A=S x[2] A+ A=S",
    ]);
    // An item that takes time is told once.
    Rig::new(for_each("x", [2], act("A", "RSRS"))).ticks([
        "R x#2 x[0] A+",
        "R A~ A=S x[1] A+",
        "S A~ A=S",
    ]);
    // A negative count is none; skipped items count as not there.
    Rig::new(for_each("x", [-5], act("A", "S"))).ticks(["S x#-5"]);
    Rig::new(for_each("x", [2], act("A", "KS"))).ticks(["S x#2 x[0] A+ A=K x[1] A+ A=S"]);
    Rig::new(for_each("x", [2], act("A", "K"))).ticks(["K x#2 x[0] A+ A=K x[1] A+ A=K"]);
}

#[test]
fn d13_a_huge_for_each_ends_its_tick() {
    let mut rig = Rig::new(
        n().for_each(|_| usize::MAX, |_, _| {}, n().succeed())
            .drain(50),
    );
    for _ in 0..5 {
        assert_eq!(rig.step(), "R");
    }
    rig.halt("");
}

#[test]
fn d17_if_and_while_with_and_without_else() {
    Rig::new(n().while_do(cond("c", "SSF"), act("D", "R")))
        .ticks(["R c:S D+", "R c:S D~", "F c:F D!"]);
    Rig::new(n().while_do_else(cond("c", "SSF"), act("D", "R"), act("E", "R"))).ticks([
        "R c:S D+",
        "R c:S D~",
        "R c:F E+ D!",
    ]);
    Rig::new(n().if_then(cond("c", "F"), act("D", "R"))).ticks(["F c:F"]);
    Rig::new(n().if_then_else(cond("c", "SF"), act("D", "RS"), act("E", "R")))
        .ticks(["R c:S D+", "S D~ D=S", "R c:F E+", "R E~"]);
    // Other numbers of children cannot be written: the constructors take two or three.
}

#[test]
fn d17_a_skipped_condition_or_branch_skips_and_halts() {
    Rig::new(n().while_do_else(act("c", "SK"), act("D", "R"), act("E", "R")))
        .ticks(["R c+ c=S D+", "K c+ c=K D!"]);
    Rig::new(n().while_do_else(cond("c", "SF"), act("D", "R"), act("E", "K")))
        .ticks(["R c:S D+", "K c:F E+ E=K D!"]);
    Rig::new(n().if_then(act("c", "K"), act("D", "S"))).ticks(["K c+ c=K"]);
    Rig::new(n().if_then_else(cond("c", "F"), act("D", "S"), act("E", "K")))
        .ticks(["K c:F E+ E=K"]);
}

#[test]
fn d18_while_checks_its_condition_before_every_round() {
    // Check, body, check: as a loop of a guarded body.
    let tree = || n().until_failure(n().sequence([cond("c", "SF"), act("B", "S")]));
    Rig::new(tree()).ticks(["R c:S B+ B=S", "S c:F"]);
    Rig::new(tree().drain(10)).ticks(["S c:S B+ B=S c:F"]);
    // A body that takes time: the condition is asked again at every tick if reactive.
    let tree = n().until_failure(n().sequence([cond("c", "SSF"), act("B", "R")]).reactive());
    Rig::new(tree).ticks(["R c:S B+", "R c:S B~", "S c:F B!"]);
}

#[test]
fn l04_order_of_several_guards_is_the_order_they_are_written_in() {
    // BehaviorTree.CPP's documented order: failure, success, skip, while.
    let yes = || Guard::<World>::constant(true);
    let no = || Guard::<World>::constant(false);
    let tree = |f: Guard<World>, s: Guard<World>, k: Guard<World>, w: Guard<World>| {
        n().fail_if(
            f,
            n().succeed_if(
                s,
                n().skip_if(
                    k,
                    n().while_guard(w, act("A", "S")).otherwise(Status::Skipped),
                ),
            ),
        )
    };
    Rig::new(tree(yes(), yes(), yes(), no())).ticks(["F"]);
    Rig::new(tree(no(), yes(), yes(), no())).ticks(["S"]);
    Rig::new(tree(no(), no(), yes(), no())).ticks(["K"]);
    Rig::new(tree(no(), no(), no(), no())).ticks(["K"]);
    Rig::new(tree(no(), no(), no(), yes())).ticks(["S A+ A=S"]);
}

#[test]
fn l03_hooks_and_the_skip() {
    // After success or failure only: what `on_complete` sees tells a skip apart.
    for (script, expected) in [
        ("S", "S A+ A=S h(S)"),
        ("F", "F A+ A=F h(F)"),
        ("K", "K A+ A=K h(K)"),
    ] {
        Rig::new(tickseed_testkit::script::on_complete("h", act("A", script))).ticks([expected]);
    }
    // A node that is skipped from outside starts nothing: a hook inside the guard is not called.
    let tree = n().skip_if(
        Guard::constant(true),
        tickseed_testkit::script::finally("h", act("A", "S")),
    );
    Rig::new(tree).ticks(["K"]);
}

#[test]
fn l05_guards_work_on_all_leaf_classes() {
    use tickseed_testkit::script::{boxed, leaf};
    let leaves: [(&str, Make); 8] = [
        ("action", || act("x", "S")),
        ("instant", || instant("x", "S")),
        ("plain", || leaf("x", "S")),
        ("boxed", || boxed("x", "S")),
        ("condition", || cond("x", "S")),
        ("log", || n().log("x")),
        ("custom", || {
            n().custom(tickseed_testkit::script::Backwards("x"), [act("y", "S")])
        }),
        ("subtree", || {
            n().sequence([act("x", "S"), act("y", "S")]).named("sub")
        }),
    ];
    for (name, leaf) in leaves {
        for (then, expected) in [
            (Status::Skipped, "K"),
            (Status::Failure, "F"),
            (Status::Success, "S"),
        ] {
            let mut rig = Rig::new(n().precondition(Guard::constant(true), then, leaf()));
            assert_eq!(rig.step(), expected, "{name}: no start");
        }
        let mut rig = Rig::new(n().while_guard(Guard::constant(false), leaf()));
        assert_eq!(rig.step(), "F", "{name}: no start");
    }
}

#[test]
fn d11_run_once_is_for_life_and_reset_forgets_it() {
    Rig::new(n().run_once(act("A", "S")))
        .ticks(["S A+ A=S", "S", "S"])
        .halt("")
        .ticks(["S"])
        .reset("")
        .ticks(["S A+ A=S"]);
    // An aborted or skipped run does not count.
    Rig::new(n().run_once(act("A", "RKF")))
        .ticks(["R A+"])
        .halt("A!")
        .ticks(["K A+ A=K", "F A+ A=F", "F"]);
    Rig::new(n().run_once(act("A", "S")).otherwise(Status::Skipped)).ticks(["S A+ A=S", "K", "K"]);
}

#[test]
fn d11_run_limits_for_life_and_per_visit() {
    // For life: two runs, and then none, until a reset.
    Rig::new(n().limit_runs(2, act("A", "S")))
        .ticks(["S A+ A=S", "S A+ A=S", "F", "F"])
        .halt("")
        .ticks(["F"])
        .reset("")
        .ticks(["S A+ A=S", "S A+ A=S", "F"]);
    // Per visit: what makes a visit forgets when it is entered.
    let visit = || {
        n().repeat(
            3,
            n().limit_runs(2, act("A", "S")).otherwise(Status::Success),
        )
    };
    Rig::new(n().forget(visit())).ticks(["R A+ A=S", "R A+ A=S", "S", "R A+ A=S", "R A+ A=S", "S"]);
    Rig::new(visit()).ticks(["R A+ A=S", "R A+ A=S", "S", "R", "R", "S"]);
    // An aborted visit is one: the next has all its runs again.
    Rig::new(n().forget(visit()))
        .ticks(["R A+ A=S"])
        .halt("")
        .ticks(["R A+ A=S", "R A+ A=S", "S"]);
}

#[test]
fn d11_a_run_counts_when_it_starts_however_it_ends() {
    for script in ["R", "F", "S", "K"] {
        let mut rig = Rig::new(n().limit_runs(2, act("A", script)));
        for _ in 0..2 {
            assert!(rig.step().contains("A+"), "{script}");
            rig.halt(if script == "R" { "A!" } else { "" });
        }
        assert_eq!(rig.step(), "F", "{script}");
    }
    // A running child is not asked again.
    Rig::new(n().limit_runs(1, act("A", "RRS"))).ticks(["R A+", "R A~", "S A~ A=S", "F"]);
    for (status, expected) in [(Status::Success, "S"), (Status::Skipped, "K")] {
        Rig::new(n().limit_runs(1, act("A", "F")).otherwise(status)).ticks(["F A+ A=F", expected]);
    }
    // Counts of more than one byte.
    let mut rig = Rig::new(n().limit_runs(300, instant("A", "S")));
    for _ in 0..300 {
        assert_eq!(rig.step(), "S A:S");
    }
    assert_eq!(rig.step(), "F");
    assert_eq!(
        refused(n().limit_runs(0, n().succeed())).issues[0].rule,
        Rule::Range
    );
}

#[test]
fn d11_forget_reaches_every_kind_of_history_and_no_further() {
    let kinds: [(&str, Make, &str, &str); 5] = [
        (
            "limit",
            || n().limit_runs(1, act("A", "S")),
            "S A+ A=S",
            "F",
        ),
        (
            "cooldown",
            || n().cooldown(secs(9), act("A", "S")),
            "S A+ A=S",
            "F",
        ),
        (
            "rate limit",
            || n().rate_limit(secs(9), act("A", "S")),
            "S A+ A=S",
            "S",
        ),
        ("run once", || n().run_once(act("A", "S")), "S A+ A=S", "S"),
        (
            "place",
            || n().selector([n().fail(), act("A", "S")]).keep_place(),
            "S A+ A=S",
            "S A+ A=S",
        ),
    ];
    for (name, make, first, then) in kinds {
        let mut kept = Rig::new(make());
        assert_eq!(
            (kept.step(), kept.step()),
            (first.into(), then.into()),
            "{name}"
        );
        let mut forgets = Rig::new(n().forget(n().parallel([make()])));
        assert_eq!(
            (forgets.step(), forgets.step()),
            (first.into(), first.into()),
            "{name}"
        );
    }
    // Beside it nothing is forgotten, and while it runs nothing is either.
    Rig::new(n().sequence([
        n().force_success(n().limit_runs(1, act("L", "S"))),
        n().forget(n().parallel([n().force_success(n().limit_runs(1, act("A", "S")))])),
        n().force_success(n().limit_runs(1, act("Z", "S"))),
    ]))
    .ticks(["S L+ L=S A+ A=S Z+ Z=S", "S A+ A=S"]);
    Rig::new(n().forget(n().sequence([n().limit_runs(1, act("A", "S")), act("B", "RRS")])))
        .ticks(["R A+ A=S B+", "R B~", "S B~ B=S", "S A+ A=S B+ B=S"]);
}

#[test]
fn d15_number_of_recoveries() {
    let tree = |retries| n().recovery(retries, act("main", "F"), act("help", "S"));
    Rig::new(tree(0)).ticks(["F main+ main=F"]);
    Rig::new(tree(1)).ticks(["F main+ main=F help+ help=S main+ main=F"]);
    Rig::new(tree(2)).ticks(["F main+ main=F help+ help=S main+ main=F help+ help=S main+ main=F"]);
    // Each activation has all its retries again.
    Rig::new(tree(1)).ticks([
        "F main+ main=F help+ help=S main+ main=F",
        "F main+ main=F help+ help=S main+ main=F",
    ]);
    // The recovery fails; takes time; is halted; the second try takes time.
    Rig::new(n().recovery(2, act("main", "F"), act("help", "F")))
        .ticks(["F main+ main=F help+ help=F"]);
    Rig::new(n().recovery(2, act("main", "FRS"), act("help", "RS"))).ticks([
        "R main+ main=F help+",
        "R help~ help=S main+",
        "S main~ main=S",
    ]);
    Rig::new(n().recovery(1, act("main", "F"), act("help", "R")))
        .ticks(["R main+ main=F help+"])
        .halt("help!")
        .ticks(["R main+ main=F help+"]);
}

/// A context for tests of computed things.
struct Clocked;
impl Context for Clocked {
    type At<'a> = Clocked;
}

#[test]
fn d03_durations_that_are_computed_or_absurd() {
    let n_ = tickseed_core::nodes::<Clocked>();
    let forever = n_
        .delay_for(|_| Duration::MAX, n_.succeed())
        .build()
        .unwrap();
    let mut agent = forever.agent();
    for t in [0, 1, 1 << 40] {
        let status = forever.tick(&mut agent, &mut Clocked, Time(t)).unwrap();
        assert_eq!(status, Status::Running);
    }
    for (root, rule) in [
        (n().wait(Duration::MAX), Rule::Duration),
        (
            n().time_limit(Duration::ZERO, n().succeed()),
            Rule::Duration,
        ),
        (n().cooldown(Duration::ZERO, n().succeed()), Rule::Duration),
        (n().wait_between(ms(5), ms(2)), Rule::Duration),
        (n().repeat(0, n().succeed()), Rule::Range),
        (n().retry(0, n().succeed()), Rule::Range),
        (n().chance(0.0, n().succeed()), Rule::Range),
        (n().chance(1.5, n().succeed()), Rule::Range),
        (n().chance(f64::NAN, n().succeed()), Rule::Range),
    ] {
        let e = refused(n().sequence([root]));
        assert_eq!(e.issues.len(), 1, "{e}");
        assert_eq!(e.issues[0].rule, rule, "{e}");
        assert!(e.issues[0].path.starts_with("sequence/"), "{e}");
    }
}
