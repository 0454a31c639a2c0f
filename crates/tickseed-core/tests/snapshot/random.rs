//! Random trees: loaded in the same tree, and taken over by edited ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use tickseed_core::{Agent, Handle, Herd, HerdOptions, Rng, Snapshot, Time, Tree};
use tickseed_testkit::random::{LeafKind, Spec, SpecKind, shrink};
use tickseed_testkit::script::World;

/// The state of boxed leaves is not part of a snapshot.
fn unboxed(mut spec: Spec) -> Spec {
    if let SpecKind::Leaf(leaf) = &mut spec.kind
        && leaf.kind == LeafKind::Boxed
    {
        leaf.kind = LeafKind::Plain;
    }
    spec.children = spec.children.into_iter().map(unboxed).collect();
    spec
}

/// Which leaf each node is: one kind does not go on as another.
fn leaves(spec: &Spec, of: &mut BTreeMap<usize, LeafKind>) -> bool {
    let same = match &spec.kind {
        SpecKind::Leaf(leaf) => *of.entry(spec.id).or_insert(leaf.kind) == leaf.kind,
        _ => true,
    };
    same && spec.children.iter().all(|c| leaves(c, of))
}

fn worlds(seed: u64) -> (World, World) {
    (World::seeded(seed), World::seeded(seed))
}

/// Ticks both with the same changes of their worlds and compares.
fn same_tick(
    tree: &Tree<World>,
    rng: &mut Rng,
    now: Time,
    a: (&mut Agent, &mut World),
    b: (&mut Agent, &mut World),
) {
    let mut twin = *rng;
    a.1.change_keys(rng);
    b.1.change_keys(&mut twin);
    let wanted = tree.tick(a.0, a.1, now).unwrap();
    assert_eq!(tree.tick(b.0, b.1, now).unwrap(), wanted);
    assert_eq!(a.1.events_text(), b.1.events_text());
    assert_eq!(tree.running(a.0), tree.running(b.0));
    assert_eq!(tree.history(a.0), tree.history(b.0));
    assert_eq!(a.0.rng(), b.0.rng());
}

#[test]
fn loaded_agents_go_on_as_if_nothing_had_happened() {
    let (mut loads, mut running) = (0, 0);
    for seed in 0..1500 {
        let spec = unboxed(Spec::random(seed, 2 + seed as usize % 5));
        let Ok(tree) = spec.build_lenient() else {
            continue;
        };
        let (mut x, mut y) = worlds(seed);
        let (mut a, mut b) = (tree.agent_seeded(seed), tree.agent_seeded(seed));
        let mut rng = Rng::new(seed);
        for step in 0..30 {
            let now = Time(step * 5);
            same_tick(&tree, &mut rng, now, (&mut a, &mut x), (&mut b, &mut y));
            if rng.below(4) == 0 {
                let bytes = tree.snapshot(&b).unwrap().to_bytes();
                let snapshot = Snapshot::from_bytes(&bytes).unwrap();
                let (loaded, report) = tree.restore(&snapshot, now);
                assert!(report.is_clean(), "{seed}: {report}\n{spec:?}");
                b = loaded;
                assert_eq!(tree.running(&a), tree.running(&b), "{seed}\n{spec:?}");
                loads += 1;
                running += u32::from(tree.is_running(&b));
            }
        }
        assert!(y.broken().is_empty(), "{seed}: {:?}\n{spec:?}", y.broken());
    }
    assert!(running * 3 > loads, "{running} of {loads}");
}

#[test]
fn an_agent_taken_over_by_the_same_tree_built_again_goes_on() {
    for seed in 0..800 {
        let spec = Spec::random(seed, 2 + seed as usize % 5);
        let Ok(first) = spec.build_lenient() else {
            continue;
        };
        let second = spec.build_lenient().unwrap();
        let (mut x, mut y) = worlds(seed);
        let (mut a, mut b) = (first.agent_seeded(seed), first.agent_seeded(seed));
        let mut rng = Rng::new(seed);
        let mut trees = (&first, &second);
        for step in 0..30 {
            let now = Time(step * 5);
            let mut twin = rng;
            x.change_keys(&mut rng);
            y.change_keys(&mut twin);
            let wanted = first.tick(&mut a, &mut x, now).unwrap();
            assert_eq!(trees.0.tick(&mut b, &mut y, now).unwrap(), wanted);
            assert_eq!(x.events_text(), y.events_text(), "{seed}\n{spec:?}");
            if rng.below(4) == 0 {
                let report = trees.1.migrate(trees.0, &mut b, &mut y, now).unwrap();
                assert!(report.is_clean(), "{seed}: {report}\n{spec:?}");
                trees = (trees.1, trees.0);
            }
        }
        assert!(y.broken().is_empty(), "{seed}: {:?}\n{spec:?}", y.broken());
    }
}

/// After an edit everything that started ends exactly once, in the old tree or in the new one.
#[test]
fn edits_lose_no_leaf_and_end_none_twice() {
    let (mut edits, mut kept) = (0, 0);
    for seed in 0..1500 {
        let spec = Spec::random(seed, 2 + seed as usize % 5);
        let mut rng = Rng::new(seed);
        let mut kinds = BTreeMap::new();
        leaves(&spec, &mut kinds);
        let mut smaller = shrink(&spec);
        smaller.retain(|s| leaves(s, &mut kinds));
        if smaller.is_empty() {
            continue;
        }
        let edited = &smaller[rng.below(smaller.len() as u64) as usize];
        // Both ways: things vanish, and things appear.
        let (old, new) = if seed % 2 == 0 {
            (&spec, edited)
        } else {
            (edited, &spec)
        };
        let (Ok(old), Ok(new)) = (old.build_lenient(), new.build_lenient()) else {
            continue;
        };
        let mut world = World::seeded(seed);
        let mut agent = old.agent_seeded(seed);
        for step in 0..1 + rng.below(12) {
            world.change_keys(&mut rng);
            old.tick(&mut agent, &mut world, Time(step * 5)).unwrap();
        }
        let report = new.migrate(&old, &mut agent, &mut world, Time(60)).unwrap();
        let started = world.started();
        let mut running: Vec<_> = new
            .running(&agent)
            .iter()
            .filter_map(|id| new.node(*id).name.as_deref())
            .filter(|name| started.contains(name))
            .collect();
        running.sort_unstable();
        assert_eq!(running, started, "{seed}: {report}\n{spec:?}\n{edited:?}");
        edits += 1;
        kept += usize::from(!started.is_empty());
        for step in 0..15 {
            world.change_keys(&mut rng);
            new.tick(&mut agent, &mut world, Time(60 + step * 5))
                .unwrap();
        }
        new.halt(&mut agent, &mut world, Time(200)).unwrap();
        assert!(world.started().is_empty(), "{seed}\n{spec:?}\n{edited:?}");
        let broken = world.broken();
        assert!(
            broken.is_empty(),
            "{seed}: {broken:?}\n{spec:?}\n{edited:?}"
        );
    }
    assert!(edits > 1000 && kept * 8 > edits, "{kept} of {edits}");
}

#[test]
fn a_loaded_herd_goes_on_as_if_nothing_had_happened() {
    for seed in 0..300 {
        let spec = unboxed(Spec::random_sleepy(seed, 2 + seed as usize % 5));
        let Ok(tree) = spec.build_lenient() else {
            continue;
        };
        let tree = Arc::new(tree);
        let options = HerdOptions {
            streams: seed % 2 == 0,
            seed,
            ..HerdOptions::default()
        };
        let mut a = Herd::with(tree.clone(), options);
        for _ in 0..70 {
            a.spawn().unwrap();
        }
        let gone = a.at(3).unwrap();
        a.forget(gone).unwrap();
        let mut b = Herd::load(tree.clone(), &a.save().unwrap()).unwrap();
        let all = || (0..70).map(|i| World::seeded(seed + i)).collect::<Vec<_>>();
        let (mut x, mut y) = (all(), all());
        let named = |h: Handle| (h.index, h.generation);
        for step in 0..12u64 {
            let now = Time(step * 3_000_000);
            let ticked = a.tick_due(now, |t| {
                let i = t.index();
                t.tick(&mut x[i]).unwrap();
            });
            let again = b.tick_due(now, |t| {
                let i = t.index();
                t.tick(&mut y[i]).unwrap();
            });
            assert_eq!(ticked, again);
            for (x, y) in x.iter().zip(&y) {
                assert_eq!(x.events(), y.events(), "{seed}\n{spec:?}");
            }
            let bytes = b.save().unwrap();
            b = Herd::load(tree.clone(), &bytes).unwrap();
            assert_eq!(b.save().unwrap(), bytes);
            assert!(a.handles().map(named).eq(b.handles().map(named)));
            assert_eq!(b.handle(gone.index, gone.generation), None);
            assert_eq!(a.asleep(), b.asleep());
        }
        assert_eq!(named(a.spawn().unwrap()), named(b.spawn().unwrap()));
    }
}
