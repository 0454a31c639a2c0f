//! F: many agents, and what a frame may cost.

use std::time::Duration;

use tickseed_core::{Buckets, Status, Time, nodes};

const AGENTS: usize = 1_000;
const EVERY: usize = 5;
const FRAME: u64 = 16;

/// Every agent has its turn in each fifth frame: each frame ticks a fifth of them, and what waits
/// ends at its time or at the turn that comes next, however seldom it is asked.
#[test]
fn f03_many_agents_at_reduced_rates() {
    let wait = 500;
    let n = nodes::<()>();
    let tree = n.wait(Duration::from_millis(wait)).build().unwrap();
    let mut agents: Vec<_> = (0..AGENTS).map(|_| (tree.agent(), None, None)).collect();
    let mut buckets = Buckets::new(EVERY);
    for frame in 0..60 {
        let now = frame * FRAME;
        let mut ticked = 0_usize;
        for i in buckets.turn(AGENTS) {
            ticked += 1;
            let (agent, started, ended) = &mut agents[i];
            if ended.is_some() {
                continue;
            }
            started.get_or_insert(now);
            let status = tree.tick(agent, &mut (), Time::from_millis(now)).unwrap();
            if status == Status::Success {
                *ended = Some(now);
            }
        }
        assert!(
            ticked.abs_diff(AGENTS / EVERY) <= 1,
            "frame {frame}: {ticked}"
        );
    }
    for (_, started, ended) in agents {
        let lasted = ended.unwrap() - started.unwrap();
        let period = EVERY as u64 * FRAME;
        assert!((wait..wait + period).contains(&lasted), "{lasted} ms");
    }
}
