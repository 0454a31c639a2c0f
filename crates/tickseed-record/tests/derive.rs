//! Every status of random trees follows from what their leaves answered.

use std::collections::BTreeMap;

use tickseed_core::{Rng, TickReport, Time};
use tickseed_record::message::{Status, Step, Tick, TreeDef};
use tickseed_record::{Structure, derive};
use tickseed_testkit::random::Spec;
use tickseed_testkit::script::World;

#[derive(Default, Debug)]
struct Counts {
    ticks: usize,
    nodes: usize,
    answers: usize,
    corrections: usize,
    failed: usize,
    same: usize,
    kinds: BTreeMap<&'static str, usize>,
}

fn run(seed: u64, steps: u32, errors: bool, counts: &mut Counts) {
    let spec = Spec::random(seed, 2 + seed as usize % 5);
    let tree = spec.build_lenient().unwrap();
    let def = TreeDef::new(0, "random", tree.def());
    let structure = Structure::new(&def).unwrap();
    let mut rng = Rng::new(seed);
    let mut world = World::seeded(seed);
    world.allow_errors(errors);
    let mut agent = tree.agent_seeded(seed);
    let mut now = Time::ZERO;
    let (mut report, mut derived) = (TickReport::new(), TickReport::new());
    let (mut tick, mut before) = (Tick::default(), Tick::default());
    for step in 0..steps {
        now = Time(now.0 + [0, 1, 2, 5, 10, 60, 2000][rng.below(7) as usize]);
        world.clear();
        world.change_keys(&mut rng);
        if rng.below(20) == 0 {
            tree.halt(&mut agent, &mut world, now).unwrap();
            continue;
        }
        report.clear();
        let got = tree.tick_traced(&mut agent, &mut world, now, &mut report);
        tick.record(&structure, &report);
        assert_eq!(tick.status, got.as_ref().ok().map(|s| Status::from(*s)));
        derived.clear();
        if let Err(e) = derive(&structure, &tick, &mut derived) {
            panic!("seed {seed} step {step}: {e}\n{spec:?}\n{tick:?}");
        }
        let context = || {
            let (shown, wanted) = (derived.show(tree.def()), report.show(tree.def()));
            format!("seed {seed} step {step}\n{shown}\ninstead of\n{wanted}\n{tick:?}")
        };
        assert_eq!(derived.entries(), report.entries(), "{}", context());
        assert_eq!(derived.decisions(), report.decisions(), "{}", context());
        assert_eq!(derived.halted(), report.halted(), "{}", context());
        assert_eq!(derived.deciding_leaf(), report.deciding_leaf());
        counts.ticks += 1;
        counts.nodes += report.entries().len();
        counts.answers += tick.leaves.len();
        counts.corrections += tick.extra.len();
        counts.same += usize::from((&tick.leaves, &tick.extra) == (&before.leaves, &before.extra));
        // Which kinds need more than their children's answers: those whose answer is not
        // the one derived without the corrections.
        if !tick.extra.is_empty() {
            let bare = Tick {
                extra: Vec::new(),
                ..tick.clone()
            };
            let mut guessed = TickReport::new();
            let _ = derive(&structure, &bare, &mut guessed);
            let both = report.entries().iter().zip(guessed.entries());
            let wrong = both.rev().find(|(a, b)| a != b);
            if let Some((entry, _)) = wrong {
                let kind = tree.node(entry.node).kind.name();
                *counts.kinds.entry(kind).or_default() += 1;
            }
        }
        if got.is_err() {
            counts.failed += 1;
            assert!(tick.leaves.last().unwrap().1.is_none());
            tree.recover(&mut agent, &mut world, now).unwrap();
        }
        std::mem::swap(&mut tick, &mut before);
    }
}

#[test]
fn statuses_of_random_trees_are_derived() {
    let mut counts = Counts::default();
    for seed in 0..3_000 {
        run(seed, 40, seed % 3 == 0, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.failed > 100 && counts.nodes > 2 * counts.ticks);
    // The guesses must be good, or recordings would be as long as traces.
    assert!(counts.corrections * 10 < counts.nodes, "{counts:?}");
}

#[test]
fn damaged_ticks_are_refused_or_derived_but_never_a_panic() {
    let mut refused = 0;
    for seed in 0..300 {
        let tree = Spec::random(seed, 4).build_lenient().unwrap();
        let structure = Structure::of(tree.def());
        let mut rng = Rng::new(seed);
        let mut below = |n: u64| rng.below(n.max(1)) as u32;
        let nodes = structure.len() as u64 + 2;
        let statuses = [
            Some(Status::Success),
            Some(Status::Failure),
            Some(Status::Running),
            Some(Status::Skipped),
            None,
        ];
        for _ in 0..50 {
            let leaves = (0..below(6)).map(|_| (below(nodes), statuses[below(5) as usize]));
            let leaves: Vec<_> = leaves.collect();
            let extra = (0..below(4)).map(|i| {
                let steps = [Step::GoOn, Step::Broke, Step::Answer(Status::Failure)];
                (i, steps[below(3) as usize])
            });
            let tick = Tick {
                leaves,
                extra: extra.collect(),
                ..Tick::default()
            };
            refused += usize::from(derive(&structure, &tick, &mut TickReport::new()).is_err());
        }
    }
    assert!(refused > 5_000, "{refused}");
}
