//! The compiled executor against the interpreter, on random trees.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use tickseed_testkit::random::{Spec, SpecKind, smallest, trees};
use tickseed_testkit::{Compared, Plan, compare};

fn plan(seed: u64) -> Plan {
    Plan {
        seed,
        steps: 40,
        errors: seed % 3 == 2,
    }
}

fn run(spec: &Spec, plan: Plan) -> Result<Compared, String> {
    let tree = spec
        .build_lenient()
        .map_err(|e| format!("does not build: {e}"))?;
    let compared = catch_unwind(AssertUnwindSafe(|| compare(&tree, plan)));
    compared.unwrap_or_else(|_| Err("panicked".into()))
}

#[test]
fn random_trees_run_as_the_interpreter_says() {
    let long = std::env::var_os("TICKSEED_LONG").is_some_and(|v| v != "0");
    let trees = if long { 100_000 } else { 10_000 };
    let first: u64 = std::env::var("TICKSEED_SEED").map_or(0, |s| s.parse().unwrap());
    let (mut all, mut nodes) = (Compared::default(), 0);
    for seed in first..first + trees {
        let spec = Spec::random(seed, 2 + seed as usize % 5);
        nodes += spec.len();
        match run(&spec, plan(seed)) {
            Ok(c) => {
                all.ticks += c.ticks;
                all.running += c.running;
                all.events += c.events;
                all.marks += c.marks;
                all.errors += c.errors;
            }
            Err(message) => {
                let (spec, message) = smallest(spec, message, |s| run(s, plan(seed)).err());
                panic!("seed {seed}: {message}\n{spec:?}");
            }
        }
    }
    println!("{trees} trees, {nodes} nodes, {all:?}");
    // The trees must be lively, or equality means little.
    assert!(all.running * 3 > all.ticks && all.events > 2 * all.ticks && all.errors > trees / 20);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        // Seeds would not outlive a change of the generator: what is found becomes a story.
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn trees_of_the_strategy_run_as_the_interpreter_says(spec in trees(6), seed in any::<u64>()) {
        let plan = Plan { seed, steps: 60, errors: seed.is_multiple_of(2) };
        prop_assert_eq!(run(&spec, plan).err(), None);
    }
}

/// The strategy shrinks: of all trees with a parallel, it finds one with hardly more than that.
#[test]
fn the_strategy_shrinks_to_what_matters() {
    fn has_parallel(spec: &Spec) -> bool {
        matches!(spec.kind, SpecKind::Parallel(_)) || spec.children.iter().any(has_parallel)
    }
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&trees(6), |spec| {
        prop_assert!(!has_parallel(&spec));
        Ok(())
    });
    let Err(TestError::Fail(_, smallest)) = result else {
        panic!("no parallel among all the trees: {result:?}");
    };
    assert_eq!(smallest.len(), 2, "{smallest:?}");
}
