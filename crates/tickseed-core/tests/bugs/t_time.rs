//! Time, determinism, chance.

use std::time::{Duration, Instant};

use tickseed_core::nodes::Choose;
use tickseed_core::{Node, Rng, Status, Time};
use tickseed_testkit::script::{World, act, bare_act, guard, numbered, score, span};

use crate::rig::{Make, Rig, ms, n, secs};

#[test]
fn t01_the_clock_is_an_argument() {
    let began = Instant::now();
    Rig::new(n().sequence([
        n().wait(secs(10_000)),
        n().time_limit(secs(5000), act("A", "R")),
    ]))
    .at(secs(0), "R")
    .at(secs(10_000), "R A+")
    .at(secs(14_999), "R A~")
    .at(secs(15_000), "F A!");
    assert!(
        began.elapsed() < secs(600),
        "virtual seconds take no real ones"
    );
}

#[test]
fn t01_any_origin_and_rate_of_the_clock_will_do() {
    // Ten-fold speed, Unix time in nanoseconds, an origin near the end of the range.
    for origin in [
        0,
        1_700_000_000_000_000_000,
        u64::MAX - 20_000_000_000,
        (1 << 56) - 1,
    ] {
        let tree = n().wait(secs(10)).build().unwrap();
        let mut agent = tree.agent();
        let mut tick = |t: u64| {
            tree.tick(&mut agent, &mut World::new(), Time(origin + t))
                .unwrap()
        };
        assert_eq!(tick(0), Status::Running);
        assert_eq!(tick(9_999_999_999), Status::Running, "{origin}");
        assert_eq!(tick(10_000_000_000), Status::Success, "{origin}");
    }
}

#[test]
fn t03_pause_and_continue_by_the_choice_of_clock() {
    // The game's clock stands still while it is paused: three seconds remain.
    Rig::new(n().wait(secs(5)))
        .at(secs(0), "R")
        .at(secs(2), "R")
        .at(secs(2), "R")
        .at(ms(4999), "R")
        .at(secs(5), "S");
    // Real time went on: it is over.
    Rig::new(n().wait(secs(5)))
        .at(secs(0), "R")
        .at(secs(2), "R")
        .at(secs(12), "S");
    // Not ticking is no event of its own.
    Rig::new(act("A", "R"))
        .at(secs(0), "R A+")
        .at(secs(100), "R A~");
}

#[test]
fn t03_a_clock_that_goes_back_ends_nothing_early() {
    Rig::new(n().wait(secs(5)))
        .at(secs(100), "R")
        .at(secs(50), "R")
        .at(ms(104_999), "R")
        .at(secs(105), "S");
}

#[test]
fn t04_one_long_step_finishes_one_wait_a_tick() {
    let tree = || n().sequence([n().wait(secs(1)), n().wait(secs(1)), act("A", "S")]);
    // Time left over by one wait does not flow into the next: the second begins when the
    // first was seen to be over.
    Rig::new(tree())
        .at(secs(0), "R")
        .at(ms(2500), "R")
        .at(ms(3499), "R")
        .at(ms(3500), "S A+ A=S");
    // Many small steps: exact to one step.
    let mut rig = Rig::new(tree());
    let mut ended = None;
    for i in 0..=30 {
        rig.now = Time::from_millis(i * 100);
        if rig.step().starts_with('S') {
            ended = Some(i * 100);
            break;
        }
    }
    assert_eq!(ended, Some(2000));
}

#[test]
fn t04_zero_durations_and_the_boundary() {
    Rig::new(n().wait(Duration::ZERO)).ticks(["S"]);
    Rig::new(n().sequence([
        n().wait(Duration::ZERO),
        n().wait(Duration::ZERO),
        act("A", "S"),
    ]))
    .ticks(["S A+ A=S"]);
    Rig::new(n().delay(Duration::ZERO, act("A", "R"))).ticks(["R A+", "R A~"]);
    Rig::new(n().wait_for(span("w", [0, 5]))).ticks(["S w#0", "R w#5"]);
    // A wait-until judges its guard before the clock.
    Rig::new(n().wait_until(guard("g", "FS")).within(ms(1)))
        .at(ms(0), "R g:F")
        .at(ms(1), "S g:S");
    Rig::new(n().wait_until(guard("g", "F")).within(ms(1)))
        .at(ms(0), "R g:F")
        .at(ms(1), "F g:F");
    Rig::new(
        n().wait_until(guard("g", "F"))
            .within(ms(1))
            .otherwise(Status::Skipped),
    )
    .at(ms(0), "R g:F")
    .at(ms(1), "K g:F");
    Rig::new(n().wait_until(guard("g", "S"))).ticks(["S g:S"]);
}

#[test]
fn t05_a_random_choice_holds_until_the_child_is_done() {
    for seed in 0..1000 {
        let mut rig = Rig::seeded(
            n().selector([act("A", "RRRS"), act("B", "RRRS")]).random(),
            seed,
        );
        let first = rig.step();
        let who = if first == "R A+" { "A" } else { "B" };
        assert_eq!(first, format!("R {who}+"));
        assert_eq!(rig.step(), format!("R {who}~"));
        assert_eq!(rig.step(), format!("R {who}~"));
        assert_eq!(rig.step(), format!("S {who}~ {who}=S"));
    }
}

#[test]
fn t05_every_random_node_draws_at_activation_only() {
    let makes: [(&str, Make); 8] = [
        ("random sequence", || {
            n().sequence([act("A", "R"), act("B", "R")]).random()
        }),
        ("weighted", || {
            n().selector([act("A", "R"), act("B", "R")])
                .weighted([1.0, 3.0])
        }),
        ("chance", || n().chance(0.5, act("A", "R"))),
        ("wait", || n().wait_between(ms(10), ms(20))),
        ("delay", || n().delay_between(ms(10), ms(20), act("A", "R"))),
        ("softmax", || {
            n().utility([
                (score("a", [10]), act("A", "R")),
                (score("b", [10]), act("B", "R")),
            ])
            .choose(Choose::Softmax { temperature: 1.0 })
        }),
        ("weighted utility", || {
            n().utility([
                (score("a", [10]), act("A", "R")),
                (score("b", [10]), act("B", "R")),
            ])
            .choose(Choose::Weighted)
        }),
        ("reactive draw", || {
            n().utility([
                (score("a", [10]), act("A", "R")),
                (score("b", [10]), act("B", "R")),
            ])
            .choose(Choose::Weighted)
            .reactive()
        }),
    ];
    for (name, make) in makes {
        for seed in 0..50 {
            let mut rig = Rig::seeded(make(), seed);
            if !rig.step().starts_with('R') {
                continue;
            }
            let (drawn, running) = (rig.agent.rng(), rig.running());
            for _ in 0..3 {
                rig.step();
                assert_eq!(rig.agent.rng(), drawn, "{name}: drew again while running");
                assert_eq!(rig.running(), running, "{name}");
            }
            rig.halt(&if running[0] == "A" || running[0] == "B" {
                format!("{}!", running[0])
            } else {
                String::new()
            });
        }
    }
}

/// A tree of all random nodes.
fn gambler() -> Node<World> {
    n().forever(
        n().sequence([
            n().force_success(n().chance(0.5, bare_act("chance", "S"))),
            n().wait_between(ms(0), ms(3)),
            n().selector([bare_act("A", "S"), bare_act("B", "S"), bare_act("C", "S")])
                .random(),
            n().selector([bare_act("D", "S"), bare_act("E", "S")])
                .weighted([1.0, 4.0]),
            n().delay_between(ms(0), ms(2), n().succeed()),
            n().utility([
                (score("f", [30]), bare_act("F", "S")),
                (score("g", [50]), bare_act("G", "S")),
            ])
            .choose(Choose::Softmax { temperature: 0.3 }),
            tickseed_testkit::script::Scripted {
                draws: true,
                ..tickseed_testkit::script::Scripted::new("own", "S")
            }
            .leaf(),
        ]),
    )
}

#[test]
fn t07_same_seed_same_run() {
    let run = |seed: u64| {
        let mut rig = Rig::seeded(gambler(), seed);
        (0..200)
            .map(|i| {
                rig.now = Time::from_millis(i);
                rig.step()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_eq!(run(77), run(77));
    assert_ne!(run(1), run(2), "copies of an agent can get different seeds");
}

#[test]
fn t07_agents_draw_from_their_own_streams() {
    // Interleaved with others, an agent's draws are the same as alone.
    let tree = n().forever(
        n().selector((0..8).map(|i| bare_act(numbered(i), "S")))
            .random(),
    );
    let tree = tree.build().unwrap();
    let run = |others: usize| {
        let mut agents: Vec<_> = (0..=others).map(|i| tree.agent_seeded(i as u64)).collect();
        let mut world = World::new();
        let mut seen = String::new();
        for t in 0..50 {
            for (i, agent) in agents.iter_mut().enumerate() {
                world.clear();
                tree.tick(agent, &mut world, Time(t)).unwrap();
                if i == 0 {
                    seen += &world.events_text();
                }
            }
        }
        seen
    };
    assert_eq!(run(0), run(5));
}

#[test]
fn t07_chance_is_about_its_probability() {
    for p in [0.1, 0.5, 0.9, 1.0] {
        let tree = n().chance(p, n().succeed()).build().unwrap();
        let (mut agent, mut world) = (tree.agent_seeded(5), World::new());
        let hits = (0..4000)
            .filter(|_| tree.tick(&mut agent, &mut world, Time::ZERO).unwrap() == Status::Success)
            .count();
        let expected = p * 4000.0;
        assert!(
            (hits as f64 - expected).abs() < 130.0,
            "{hits} of {expected}"
        );
    }
}

#[test]
fn t10_timers_belong_to_an_activation() {
    let tree = n().selector([
        n().while_guard(World::ARMED.is_true(), n().wait(secs(5))),
        act("P", "S"),
    ]);
    let mut rig = Rig::new(tree);
    // A hundred starts and aborts.
    for i in 0..100_u64 {
        rig.change(|w| w.keys.armed = 1);
        rig.at(ms(i * 1000), "R");
        rig.change(|w| w.keys.armed = 0);
        rig.at(ms(i * 1000 + 900), "S P+ P=S");
    }
    // The end comes exactly five seconds after the last start.
    rig.change(|w| w.keys.armed = 1);
    rig.at(secs(200), "R")
        .at(ms(204_999), "R")
        .at(secs(205), "S");
}

#[test]
fn t10_every_timer_begins_anew_after_an_abort() {
    let timers: [(&str, Make); 5] = [
        ("wait", || n().wait(ms(10))),
        ("computed wait", || n().wait_for(|_| ms(10))),
        ("delay", || n().delay(ms(10), n().succeed())),
        ("time limit", || {
            n().time_limit(ms(10), n().run_forever())
                .otherwise(Status::Success)
        }),
        ("wait until", || {
            n().wait_until(World::ARMED.is_true())
                .within(ms(10))
                .otherwise(Status::Success)
        }),
    ];
    for (name, timer) in timers {
        for wrap in [0, 1, 2] {
            let root = match wrap {
                0 => timer(),
                1 => n().parallel([timer()]),
                _ => n().sequence([n().succeed(), timer()]).reactive(),
            };
            let mut rig = Rig::new(root);
            for start in [0, 7, 20] {
                rig.now = Time::from_millis(start);
                assert_eq!(rig.step(), "R", "{name} {wrap}");
                rig.now = Time::from_millis(start + 6);
                assert_eq!(rig.step(), "R", "{name} {wrap}");
                rig.halt("");
            }
            for (t, expected) in [(30, "R"), (39, "R"), (40, "S")] {
                rig.now = Time::from_millis(t);
                assert_eq!(rig.step(), expected, "{name} {wrap} at {t}");
            }
        }
    }
}

#[test]
fn t09_cadence_does_not_change_when_timers_end() {
    // Ticked at any rate, a wait ends at the first tick at or after its time.
    let mut rng = Rng::new(9);
    for _ in 0..100 {
        let tree = n().wait(ms(50)).build().unwrap();
        let (mut agent, mut world, mut t) = (tree.agent(), World::new(), 0);
        loop {
            let status = tree
                .tick(&mut agent, &mut world, Time::from_millis(t))
                .unwrap();
            assert_eq!(status == Status::Success, t >= 50, "at {t}");
            if status == Status::Success {
                break;
            }
            t += 1 + rng.below(30);
        }
    }
}

/// Timers hold 56 bits: a year ahead is a jump, two are read as going back. So a tree is begun with
/// the clock that it goes on with, not at zero before a clock that counts from 1970.
#[test]
fn t03_a_jump_of_more_than_417_days_reads_as_going_back() {
    let tree = n().wait(secs(5)).build().unwrap();
    let after = |days: u64| {
        let mut agent = tree.agent();
        let world = &mut World::new();
        let began = tree.tick(&mut agent, world, Time::ZERO);
        assert_eq!(began.unwrap(), Status::Running);
        let now = Time::ZERO + secs(days * 24 * 60 * 60);
        tree.tick(&mut agent, world, now).unwrap()
    };
    assert_eq!(after(400), Status::Success);
    assert_eq!(after(500), Status::Running);
}
