//! What the agents of a crowd are doing, counted while they run.

use tickseed_record::message::{AgentSummary, Status, Warning};
use tickseed_worlds::World;

/// At one leaf for longer than this many seconds: perhaps stuck.
const STUCK_SECONDS: f64 = 30.0;
/// More changes a second than this: it cannot make up its mind.
const OSCILLATING: f64 = 3.0;
/// Changes are counted over about so many seconds.
const MEMORY_SECONDS: f64 = 4.0;

/// The agents, each with the leaf it is at and since when.
#[derive(Default)]
pub(crate) struct Crowd {
    agents: Vec<Agent>,
    observed: u64,
}

#[derive(Clone, Copy, Default)]
struct Agent {
    leaf: Option<u32>,
    since: u64,
    flips: f64,
}

impl Crowd {
    /// Takes in a tick.
    pub(crate) fn observe(&mut self, world: &dyn World) {
        let tick = world.stage().ticks();
        let seconds = world.stage().step().as_secs_f64();
        let fade = (-seconds / MEMORY_SECONDS).exp();
        let count = world.agents();
        let first = self.agents.len() != count as usize;
        if first {
            self.agents = vec![Agent::default(); count as usize];
        }
        for (i, agent) in self.agents.iter_mut().enumerate() {
            let leaf = leaf(world, i as u32);
            agent.flips *= fade;
            if first || agent.leaf != leaf {
                if !first {
                    agent.flips += 1.0 / MEMORY_SECONDS;
                }
                agent.leaf = leaf;
                agent.since = tick;
            }
        }
        self.observed = tick;
    }

    /// A line on every agent.
    pub(crate) fn summary(&mut self, world: &dyn World) -> Vec<AgentSummary> {
        if self.agents.is_empty() {
            self.observe(world);
        }
        let step = world.stage().step().as_secs_f64();
        let summary = |(i, agent): (usize, &Agent)| {
            let age = self.observed - agent.since;
            let mut warnings = Vec::new();
            if age as f64 * step > STUCK_SECONDS {
                warnings.push(Warning::Stuck);
            }
            if agent.flips > OSCILLATING {
                warnings.push(Warning::Oscillating);
            }
            AgentSummary {
                agent: i as u32,
                status: agent.leaf.map(|_| Status::Running),
                leaf: agent.leaf,
                age,
                flips: (agent.flips * 10.0).round() / 10.0,
                warnings,
            }
        };
        self.agents.iter().enumerate().map(summary).collect()
    }
}

fn leaf(world: &dyn World, agent: u32) -> Option<u32> {
    if world.agents() == 1 {
        return world.stage().watch().deciding().map(|n| n.0);
    }
    world.running(agent).map(|n| n.0)
}
