//! A context that borrows the world for the length of a tick, and a thousand agents.
//!
//! `cargo run -p tickseed --example 09_borrowed_context`

use std::sync::Arc;
use std::time::Duration;

use tickseed::{Context, Cx, Status, Time, Tree, nodes};

/// Shared by all.
struct World {
    food: Vec<f32>,
    eaten: u32,
}

/// One animal's own.
struct Body {
    x: f32,
    hunger: f32,
}

/// What leaves see: views into both. `At<'a>` is `View<'a>`; the name of the context, which
/// only tells types apart, is `View<'static>`.
#[derive(Context)]
struct View<'w> {
    world: &'w mut World,
    body: &'w mut Body,
    /// A reference to a scalar is a key, here one that can only be read.
    daylight: &'w f32,
}

/// Leaves can be plain functions too; this is the type that a closure infers.
fn graze(v: &mut Cx<'_, '_, View<'static>>) -> bool {
    let View { world, body, .. } = v.at_mut(); // borrow the parts apart from each other
    let near = world.food.iter().position(|f| (f - body.x).abs() < 1.0);
    near.is_some_and(|i| {
        world.food.swap_remove(i);
        world.eaten += 1;
        body.hunger = 0.0;
        true
    })
}

fn behaviour() -> Result<Tree<View<'static>>, tickseed::BuildError> {
    let n = nodes::<View>();
    n.selector([
        n.sequence([
            n.check(View::DAYLIGHT.lt(0.3)),
            n.run_forever().named("sleep"),
        ])
        .reactive(),
        n.sequence([
            n.condition("hungry", |v| v.body.hunger > 0.5),
            n.selector([
                n.action("graze", graze),
                n.action("roam", |v| {
                    // Each agent has a random stream of its own.
                    v.body.x += v.rng().unit() as f32 - 0.5;
                    Status::Running
                }),
            ])
            .reactive(),
        ])
        .reactive(),
        n.action("rest", |v| {
            v.body.hunger += v.dt_secs();
            Status::Running
        }),
    ])
    .reactive()
    .build()
}

fn simulate() -> Result<(u32, f32), Box<dyn std::error::Error>> {
    let tree = Arc::new(behaviour()?); // `Send` and `Sync`: share it between threads as well
    let mut world = World {
        food: (0..500).map(|i| 2.0 * i as f32).collect(),
        eaten: 0,
    };
    let mut herd: Vec<_> = (0..1000)
        .map(|i| {
            let body = Body {
                x: i as f32,
                hunger: 0.0,
            };
            (body, tree.agent_seeded(i))
        })
        .collect();
    for tick in 0..100_u32 {
        let daylight = if tick < 80 { 1.0 } else { 0.1 };
        for (body, agent) in &mut herd {
            let mut view = View {
                world: &mut world,
                body,
                daylight: &daylight,
            };
            tree.tick(
                agent,
                &mut view,
                Time::ZERO + tick * Duration::from_millis(50),
            )?;
        }
    }
    assert!(
        herd.iter()
            .all(|(_, agent)| tree.node(tree.running(agent)[0]).label() == "sleep")
    );
    Ok((world.eaten, herd.iter().map(|(body, _)| body.x).sum()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (eaten, places) = simulate()?;
    println!("{eaten} were eaten");
    assert!(eaten > 400);
    // Nothing reads a clock or draws from a global generator: twice the same.
    assert_eq!(simulate()?, (eaten, places));
    Ok(())
}
