//! A herd: many agents of one tree, levels of detail, agents that come and go, a saved game.
//!
//! `cargo run -p tickseed --example 14_herd`

use std::sync::Arc;
use std::time::Duration;

use tickseed::{Cadence, Context, Herd, HerdError, Status, Time, Tree, nodes};

/// What the game knows of a sheep; the herd keeps only where its tree stands.
#[derive(Context, Clone)]
struct Sheep {
    hunger: f32,
    grazed: u32,
    /// Its distance from the camera.
    #[key(skip)]
    far: f32,
}

fn behaviour() -> Result<Tree<Sheep>, tickseed::BuildError> {
    let n = nodes::<Sheep>();
    let graze = n.sequence([
        n.check(Sheep::HUNGER.gt(0.5)),
        n.wait(Duration::from_millis(400)).named("chew"),
        n.instant("swallow", |sheep| {
            sheep.hunger -= 0.5;
            sheep.grazed += 1;
        }),
    ]);
    n.selector([graze, n.action("stand", |_| Status::Running)])
        .reactive()
        .build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tree = Arc::new(behaviour()?);
    let mut herd = Herd::new(tree.clone());
    let mut sheep: Vec<Sheep> = (0..10_000)
        .map(|i| Sheep {
            hunger: (i % 10) as f32 / 10.0,
            grazed: 0,
            far: (i % 100) as f32,
        })
        .collect();
    // Near ones think ten times a second, far ones once.
    herd.set_levels([Cadence::hertz(10.0), Cadence::hertz(1.0)])?;
    for one in &sheep {
        let agent = herd.spawn()?;
        herd.set_level(agent, usize::from(one.far > 20.0))?;
    }
    println!(
        "{} agents of {:.1} bytes, and {:.1} to know whose turn it is",
        herd.len(),
        herd.bytes_per_agent(),
        herd.scheduling_bytes_per_agent()
    );

    let mut ticked = 0;
    for frame in 0..600 {
        let now = Time::from_secs_f64(f64::from(frame) / 60.0);
        sheep.iter_mut().for_each(|s| s.hunger += 0.001);
        let turn = herd.tick_levels(now, |agent| {
            let one = &mut sheep[agent.index()];
            agent.tick(one).expect("no leaf fails");
        });
        ticked += turn.ticked;
    }
    let all: u32 = sheep.iter().map(|s| s.grazed).sum();
    println!(
        "600 frames: {} ticks a frame, {all} bellies filled",
        ticked / 600
    );
    assert!(ticked < 600 * 10_000 / 20 && all > 10_000);

    // The wolf comes. A handle whose sheep is gone is an error, never another sheep.
    let now = Time::from_secs_f64(10.0);
    let dolly = herd.at(7).expect("nobody is gone yet");
    herd.despawn(dolly, &mut sheep[7], now)?;
    assert!(matches!(
        herd.tick(dolly, &mut sheep[7], now),
        Err(HerdError::Stale(_))
    ));
    let lamb = herd.spawn()?;
    assert_eq!(lamb.index, dolly.index);

    // Saved and loaded: the same agents at the same places of their trees.
    let saved = herd.save()?;
    let mut loaded = Herd::load(tree, &saved)?;
    println!("saved in {} bytes", saved.len());
    let mut copy = sheep.clone();
    let later = Time::from_secs_f64(10.5);
    for (herd, sheep) in [(&mut herd, &mut sheep), (&mut loaded, &mut copy)] {
        herd.tick_all(later, |agent| {
            let one = &mut sheep[agent.index()];
            agent.tick(one).expect("no leaf fails");
        });
    }
    assert!(sheep.iter().zip(&copy).all(|(a, b)| a.grazed == b.grazed));
    // Handles belong to one herd; the loaded one names its own.
    assert!(!loaded.contains(lamb) && loaded.handle(lamb.index, lamb.generation).is_some());
    Ok(())
}
