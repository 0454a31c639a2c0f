//! A leaf whose state lives in the agent, not in the leaf: one tree, many agents.
//!
//! `cargo run -p tickseed --example 04_leaf_with_state`

use std::time::Duration;

use tickseed::bytemuck::{Pod, Zeroable};
use tickseed::{Context, Cx, Leaf, Outcome, Status, Time, nodes};

#[derive(Context, Default)]
struct Walker {
    x: f32,
    tired: bool,
    stops: u32,
}

/// The leaf's configuration: the same for every agent.
struct Walk {
    distance: f32,
    speed: f32,
}

/// The state of one activation. Plain bytes, zeroed when it starts: they lie in the agent's
/// block, so that an agent is a few bytes to copy, and no two agents can get mixed up.
#[derive(Clone, Copy, Pod, Zeroable)]
#[bytemuck(crate = "tickseed::bytemuck")]
#[repr(C)]
struct Way {
    goal: f32,
    steps: u32,
}

impl Leaf<Walker> for Walk {
    type State = Way;

    fn start(&self, way: &mut Way, cx: &mut Cx<'_, '_, Walker>) -> Outcome {
        way.goal = cx.x + self.distance;
        Ok(Status::Running)
    }

    fn tick(&self, way: &mut Way, cx: &mut Cx<'_, '_, Walker>) -> Outcome {
        way.steps += 1;
        cx.x += self.speed * cx.dt_secs();
        Ok(if cx.x < way.goal {
            Status::Running
        } else {
            Status::Success
        })
    }

    /// The engine calls this exactly once if the walk is not to go on, and never otherwise.
    fn halt(&self, way: &mut Way, cx: &mut Cx<'_, '_, Walker>) {
        println!("stopped after {} steps", way.steps);
        cx.stops += 1;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Walker>();
    let walk = Walk {
        distance: 10.0,
        speed: 2.0,
    };
    let tree = n
        .while_guard(!Walker::TIRED.is_true(), n.leaf("walk", walk))
        .build()?;

    // Each starts at another place and so has another goal.
    let mut crowd: Vec<_> = (0..1000)
        .map(|i| {
            let walker = Walker {
                x: i as f32,
                ..Walker::default()
            };
            (walker, tree.agent_seeded(i))
        })
        .collect();
    crowd[7].0.tired = false;
    println!("{} bytes per agent", tree.bytes_per_agent());
    for tick in 0..=10 {
        let now = Time::ZERO + tick * Duration::from_millis(500);
        crowd[7].0.tired = tick >= 5;
        for (walker, agent) in &mut crowd {
            let status = tree.tick(agent, walker, now)?;
            let expected = match (walker.tired, tick) {
                (true, _) => Status::Failure,
                (false, 10) => Status::Success,
                (false, _) => Status::Running,
            };
            assert_eq!(status, expected);
        }
    }
    assert_eq!(crowd[999].0.x, 1009.0);
    assert_eq!((crowd[7].0.x, crowd[7].0.stops), (11.0, 1));
    Ok(())
}
