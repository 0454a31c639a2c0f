//! All engines do the same work: the same outcome at every tick, the same counters at the end.

use tickseed_bench::engines::objects::{Tree, count_nodes};
use tickseed_bench::measure::Role;
use tickseed_benches::contests::contests;
use tickseed_benches::workloads::{Deep, Monster, Wide};

/// A lone agent, and several that share a tree and must not share state.
#[test]
fn every_engine_follows_the_hand_written_code() {
    for contest in contests() {
        let baseline = contest
            .contestants
            .iter()
            .find(|one| one.role() == Role::Baseline)
            .expect("a baseline");
        for (agents, rounds) in [(1, 1_000), (7, 1_000)] {
            let (expected_outcomes, expected_counters) = baseline.trace(agents, rounds);
            for one in &contest.contestants {
                if one.role() == Role::Input {
                    continue;
                }
                let (outcomes, counters) = one.trace(agents, rounds);
                let differs = outcomes
                    .iter()
                    .zip(&expected_outcomes)
                    .position(|(found, expected)| found != expected);
                if let Some(tick) = differs {
                    panic!(
                        "{}, {agents} agents: {} ended tick {tick} with {:?}, expected {:?}",
                        contest.title,
                        one.name(),
                        outcomes[tick],
                        expected_outcomes[tick]
                    );
                }
                assert_eq!(
                    counters,
                    expected_counters,
                    "{}, {agents} agents: counters of {}",
                    contest.title,
                    one.name()
                );
            }
        }
    }
}

/// The inputs bring up what the workloads are for: every action happens.
#[test]
fn every_action_of_every_workload_happens() {
    for contest in contests() {
        let (_, counters) = contest.contestants[1].trace(1, 100_000);
        assert!(
            counters.iter().all(|&counter| counter > 0),
            "{}: {counters:?}",
            contest.title
        );
    }
}

/// The workloads are those that were described: size, and nodes visited.
#[test]
fn trees_have_the_described_size() {
    fn check<W: Tree>(visits: std::ops::Range<f64>) {
        let (visited, nodes) = count_nodes::<W>(101_000);
        assert_eq!(nodes, W::NODES, "{}", W::TITLE);
        assert!(
            visits.contains(&visited),
            "{}: {visited} nodes visited per tick",
            W::TITLE
        );
    }
    check::<Monster>(5.6..6.0);
    check::<Wide>(25.0..27.0);
    check::<Deep>(7.8..8.5);
}
