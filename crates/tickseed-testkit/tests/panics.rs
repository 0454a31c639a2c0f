//! Leaves and functions that panic: the agent is poisoned, and recovery ends every started
//! leaf once, whatever was going on; also where halts panic in their turn.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tickseed_core::{NodeId, Rng, TickError, Time, Tree};
use tickseed_testkit::Marks;
use tickseed_testkit::random::Spec;
use tickseed_testkit::script::World;

/// Of two nodes told of their end, one inside the other, the inner was told first.
fn innermost_first(tree: &Tree<World>, world: &World) -> bool {
    let told: Vec<NodeId> = world
        .events()
        .iter()
        .filter_map(|e| tree.def().find(e.who))
        .collect();
    (0..told.len()).all(|i| {
        told[i + 1..]
            .iter()
            .all(|later| *later == told[i] || !tree.def().contains(told[i], *later))
    })
}

#[test]
fn a_panicking_leaf_poisons_its_agent_and_recovery_cleans_up() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or_default();
        if !text.ends_with("panics as scripted") {
            usual(info);
        }
    }));
    let (mut panics, mut again) = (0, 0);
    for seed in 0..3000 {
        let spec = Spec::random(seed, 2 + seed as usize % 5);
        let tree = spec.build_lenient().unwrap();
        let mut world = World::seeded(seed);
        world.allow_errors(true);
        world.allow_panics(true);
        let (mut agent, mut rng) = (tree.agent_seeded(seed), Rng::new(seed));
        for step in 0..40 {
            let now = Time(step * 4);
            world.clear();
            world.change_keys(&mut rng);
            let tick = AssertUnwindSafe(|| {
                if step % 3 == 0 {
                    let marks = &mut Marks::default();
                    tree.tick_traced(&mut agent, &mut world, now, marks)
                } else {
                    tree.tick(&mut agent, &mut world, now)
                }
            });
            match catch_unwind(tick) {
                Ok(Ok(_)) => continue,
                Ok(Err(e)) => assert!(matches!(e, TickError::Leaf { .. }), "tree {seed}: {e}"),
                Err(_) => panics += 1,
            }
            assert!(agent.is_poisoned());
            world.clear();
            let refused = tree.tick(&mut agent, &mut world, now);
            assert!(matches!(refused, Err(TickError::Poisoned)) && world.events().is_empty());
            // A halt may panic as well: then recovery goes on where it was.
            loop {
                let recovery = AssertUnwindSafe(|| tree.recover(&mut agent, &mut world, now));
                match catch_unwind(recovery) {
                    Ok(recovered) => break recovered.unwrap(),
                    Err(_) => again += 1,
                }
                assert!(agent.is_poisoned());
            }
            let text = world.events_text();
            assert_eq!(world.broken(), [""; 0], "tree {seed}, step {step}: {text}");
            assert_eq!(world.started(), [""; 0], "tree {seed}, step {step}: {text}");
            assert!(
                innermost_first(&tree, &world),
                "tree {seed}, step {step}: {text}"
            );
            assert!(!tree.is_running(&agent) && !agent.is_poisoned());
        }
    }
    assert!(panics > 1000 && again > 20, "{panics}, {again}");
}
