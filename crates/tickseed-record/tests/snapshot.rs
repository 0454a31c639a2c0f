//! Snapshots as text: what comes back is what was written, and what is not one is refused.

use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{Cadence, CatchUp, Herd, Snapshot, Time, Tree, nodes};
use tickseed_record::snapshot::{
    SnapshotTextError, from_json, herd_from_json, herd_to_json, to_json,
};
use tickseed_testkit::random::Spec;
use tickseed_testkit::script::World;

#[test]
fn agents_of_random_trees_come_back_the_same_and_go_on_the_same() {
    let (mut saved, mut kinds) = (0, std::collections::BTreeSet::new());
    for seed in 0..300 {
        let spec = Spec::random(seed, 2 + seed as usize % 5);
        let Ok(tree) = spec.build_lenient() else {
            continue;
        };
        let (mut agent, mut world) = (tree.agent_seeded(seed), World::seeded(seed));
        for step in 0..8u64 {
            let now = Time(step * step * 3_000_000);
            if tree.tick(&mut agent, &mut world, now).is_err() {
                break;
            }
            let snapshot = tree.snapshot(&agent).unwrap();
            kinds.extend(snapshot.nodes.iter().map(|n| n.kind.clone()));
            let text = to_json(&snapshot);
            assert_eq!(from_json(&text).unwrap(), snapshot, "{text}");
            saved += 1;
        }
    }
    assert!(saved > 1000 && kinds.len() > 8, "{saved} {kinds:?}");
}

fn tree() -> Arc<Tree<()>> {
    let n = nodes::<()>();
    let tree = n.parallel([
        n.cooldown(Duration::from_secs(30), n.wait(Duration::from_secs(1))),
        n.wait(Duration::from_secs(9)).named("rest"),
    ]);
    Arc::new(tree.build().unwrap())
}

fn herd() -> Herd<()> {
    let mut herd = Herd::new(tree());
    herd.set_levels([
        Cadence::hertz(10.0),
        Cadence::hertz(2.0).catch_up(CatchUp::Burst(3)),
    ])
    .unwrap();
    let all: Vec<_> = (0..5).map(|_| herd.spawn().unwrap()).collect();
    herd.set_level(all[2], 1).unwrap();
    herd.despawn(all[1], &mut (), Time::ZERO).unwrap();
    for step in 0..2 {
        herd.tick_due(Time::from_millis(step * 400), |a| {
            a.tick(&mut ()).unwrap();
        });
    }
    herd
}

#[test]
fn a_herd_comes_back_the_same_and_goes_on_the_same() {
    let mut first = herd();
    let snapshot = first.snapshot().unwrap();
    let text = herd_to_json(&snapshot);
    let read = herd_from_json(&text).unwrap();
    assert_eq!(read, snapshot);
    let (mut second, report) = Herd::from_snapshot(tree(), &read, Time::from_millis(400)).unwrap();
    assert!(report.is_clean() && report.agents == 4, "{report}");
    assert_eq!(second.snapshot().unwrap(), snapshot);
    assert!(first.asleep() > 0 && second.asleep() == first.asleep());
    for step in 2..100 {
        let now = Time::from_millis(step * 400);
        let states = [&mut first, &mut second].map(|herd| {
            herd.tick_due(now, |a| {
                a.tick(&mut ()).unwrap();
            });
            let agents = herd.snapshot().unwrap().agents.into_iter();
            agents.map(|a| a.state).collect::<Vec<_>>()
        });
        assert_eq!(states[0], states[1], "{step}");
    }
    // The slot that was free has its generation still.
    let mut named = || [&mut first, &mut second].map(|h| h.spawn().unwrap());
    let [a, b] = named();
    assert_eq!((a.index, a.generation), (1, 1));
    assert_eq!((b.index, b.generation), (1, 1));
}

fn saved() -> (Snapshot, String) {
    let tree = tree();
    let mut agent = tree.agent();
    tree.tick(&mut agent, &mut (), Time::ZERO).unwrap();
    let snapshot = tree.snapshot(&agent).unwrap();
    let text = to_json(&snapshot);
    (snapshot, text)
}

#[test]
fn what_is_no_snapshot_is_refused_with_the_reason() {
    let (snapshot, text) = saved();
    let said = |text: &str| from_json(text).unwrap_err().to_string();
    assert!(said("TKSN").starts_with("the snapshot is no JSON: expected value at line 1"));
    assert!(said(&text[..text.len() / 2]).contains("EOF"));
    assert_eq!(
        said("{\"nodes\": []}"),
        "this is no snapshot: its `format` is not \"tickseed snapshot\""
    );
    assert_eq!(
        said(&text.replace("\"version\": 1", "\"version\": 7")),
        "the snapshot has version 7, only 1 is known here"
    );
    assert_eq!(
        herd_from_json(&text).unwrap_err().to_string(),
        "this is a snapshot of agent, and one of herd is wanted"
    );
    assert!(said(&text.replace("\"resumes\": true", "\"resumes\": 3")).contains("invalid type"));
    assert!(said(&text.replace("\"resumes\"", "\"resume\"")).contains("unknown field `resume`"));
    // An edit by hand is an edit only without the sum.
    let edited = text.replace("\"deadline_ns\": 1000000000", "\"deadline_ns\": 2000000000");
    assert_ne!(edited, text);
    assert!(matches!(
        from_json(&edited),
        Err(SnapshotTextError::Sum { .. })
    ));
    let lines: Vec<&str> = edited.lines().filter(|l| !l.contains("\"sum\"")).collect();
    assert_ne!(from_json(&lines.join("\n")).unwrap(), snapshot);
}

/// Any letter changed: refused, or the same snapshot (white space, say).
#[test]
fn no_single_change_goes_unnoticed() {
    let (snapshot, text) = saved();
    let mut refused = 0;
    for at in 0..text.len() {
        for by in [b'0', b'7', b' ', b'"', b'x'] {
            let mut changed = text.clone().into_bytes();
            changed[at] = by;
            let Ok(changed) = String::from_utf8(changed) else {
                continue;
            };
            match from_json(&changed) {
                Ok(read) => assert_eq!(read, snapshot, "{changed}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > text.len());
}

#[test]
fn a_herd_whose_data_contradicts_itself_is_refused() {
    let snapshot = herd().snapshot().unwrap();
    let said = |change: &dyn Fn(&mut tickseed_core::HerdSnapshot)| {
        let mut changed = snapshot.clone();
        change(&mut changed);
        let loaded = Herd::from_snapshot(tree(), &changed, Time::ZERO);
        loaded.map(drop).unwrap_err().to_string()
    };
    let at = |what: &str| format!("the snapshot contradicts itself, at agent {what}");
    assert_eq!(
        said(&|s| s.agents[0].index = 9),
        at("9: its slot is not there")
    );
    assert_eq!(
        said(&|s| s.agents[0].index = 2),
        at("2: its slot is taken twice")
    );
    assert_eq!(said(&|s| s.retired.push(0)), at("0: its slot is retired"));
    let level = said(&|s| s.agents[0].level = Some((7, Time::ZERO)));
    assert_eq!(level, at("0: its level of detail is not there"));
    assert!(said(&|s| s.retired.push(70)).contains("a slot that is not there is retired"));
    assert!(said(&|s| s.events = Some((64, 0))).contains("its granules are too long"));
}
