//! Agents that sleep against agents that are ticked always, on random trees.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tickseed_core::Sabotage;
use tickseed_testkit::random::{Spec, smallest};
use tickseed_testkit::{Plan, Slept, compare_asleep};

fn plan(seed: u64) -> Plan {
    Plan {
        seed,
        steps: 40,
        errors: seed % 3 == 2,
    }
}

fn run(spec: &Spec, plan: Plan, sabotage: Option<Sabotage>) -> Result<Slept, String> {
    let tree = spec
        .build_lenient()
        .map_err(|e| format!("does not build: {e}"))?;
    let compared = catch_unwind(AssertUnwindSafe(|| compare_asleep(tree, plan, sabotage)));
    compared.unwrap_or_else(|_| Err("panicked".into()))
}

fn trees() -> impl Iterator<Item = (u64, Spec)> {
    let long = std::env::var_os("TICKSEED_LONG").is_some_and(|v| v != "0");
    let trees = if long { 100_000 } else { 5_000 };
    let first: u64 = std::env::var("TICKSEED_SEED").map_or(0, |s| s.parse().unwrap());
    (first..first + trees).map(|seed| (seed, Spec::random_sleepy(seed, 1 + seed as usize % 5)))
}

#[test]
fn sleeping_gives_the_results_of_ticking_always() {
    let mut all = Slept::default();
    let mut sleepers = 0;
    for (seed, spec) in trees() {
        match run(&spec, plan(seed), None) {
            Ok(slept) => {
                all.ticks += slept.ticks;
                all.left_out += slept.left_out;
                all.touches += slept.touches;
                sleepers += u64::from(slept.left_out > 0 && spec.len() > 4);
            }
            Err(message) => {
                let (spec, message) = smallest(spec, message, |s| run(s, plan(seed), None).err());
                panic!("seed {seed}: {message}\n{spec:?}");
            }
        }
    }
    println!("{all:?}, {sleepers} trees of some size slept");
    // They must sleep, and not always, or equality means little.
    assert!(all.left_out * 5 > all.ticks && all.left_out * 5 < all.ticks * 4);
    assert!(sleepers > 500, "{sleepers}");
}

/// Every fault that is put in is found by many trees.
#[test]
fn faults_in_wake_sets_are_found() {
    for by in [
        Sabotage::FailedGuards,
        Sabotage::Timers,
        Sabotage::Threads,
        Sabotage::Changes,
        Sabotage::Calls,
        Sabotage::Looks,
    ] {
        let found = trees()
            .take(1500)
            .filter(|(seed, spec)| run(spec, plan(*seed), Some(by)).is_err())
            .count();
        println!("{by:?}: {found} of 1500 trees differ");
        assert!(found >= 10, "{by:?}: {found}");
    }
}

/// Found by the test above: at a second tick of the same moment the block stays as it was, and
/// yet the next one would write a later time.
#[test]
fn a_gate_that_closes_in_every_tick_keeps_its_agent_awake() {
    let n = tickseed_core::nodes::<tickseed_testkit::script::World>();
    for seed in 0..50 {
        let gate = n.rate_limit(std::time::Duration::from_nanos(9), n.succeed());
        let tree = n.forget(gate).build().unwrap();
        if let Err(e) = compare_asleep(tree, plan(seed), None) {
            panic!("seed {seed}: {e}");
        }
    }
}
