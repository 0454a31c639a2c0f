//! What is no snapshot of this tree is refused, and says why.

use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{
    Herd, LeafError, Snapshot, SnapshotError, Status, TickError, Time, Tree, nodes,
};

fn tree(secs: u64) -> Arc<Tree<()>> {
    let n = nodes::<()>();
    let tree = n.sequence([
        n.cooldown(Duration::from_secs(3), n.succeed()),
        n.wait(Duration::from_secs(secs)),
    ]);
    Arc::new(tree.build().unwrap())
}

fn saved() -> (Vec<u8>, Vec<u8>) {
    let tree = tree(1);
    let mut agent = tree.agent();
    tree.tick(&mut agent, &mut (), Time(5)).unwrap();
    let mut herd = Herd::new(tree.clone());
    for _ in 0..3 {
        herd.spawn().unwrap();
    }
    herd.tick_due(Time(5), |a| {
        a.tick(&mut ()).unwrap();
    });
    (
        tree.snapshot(&agent).unwrap().to_bytes(),
        herd.save().unwrap(),
    )
}

#[test]
fn every_changed_or_missing_byte_is_noticed() {
    let (agent, herd) = saved();
    for (bytes, of_herd) in [(agent, false), (herd, true)] {
        let refuses = |bytes: &[u8]| {
            if of_herd {
                Herd::load(tree(1), bytes).is_err()
            } else {
                Snapshot::from_bytes(bytes).is_err()
            }
        };
        assert!(!refuses(&bytes));
        for i in 0..bytes.len() {
            // The reserved byte of the head says nothing.
            if i != 7 {
                let mut changed = bytes.clone();
                changed[i] ^= 0x10;
                // An older version is read.
                assert!(refuses(&changed), "byte {i}");
            }
            assert!(refuses(&bytes[..i]), "cut at {i}");
        }
        assert!(refuses(&[bytes.as_slice(), &[0]].concat()));
    }
}

#[test]
fn the_reason_is_told() {
    let (agent, herd) = saved();
    assert!(matches!(
        Snapshot::from_bytes(b"{\"nodes\": []}"),
        Err(SnapshotError::Foreign)
    ));
    assert!(matches!(
        Snapshot::from_bytes(&[]),
        Err(SnapshotError::Foreign)
    ));
    assert!(matches!(
        Snapshot::from_bytes(&herd),
        Err(SnapshotError::Kind)
    ));
    assert!(matches!(
        Herd::load(tree(1), &agent),
        Err(SnapshotError::Kind)
    ));
    let mut newer = agent.clone();
    newer[4] = 9;
    let error = Snapshot::from_bytes(&newer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshot has version 9, at most 2 is known here: it was written by a newer Tickseed"
    );
    let error = Herd::load(tree(2), &herd).unwrap_err();
    assert!(matches!(error, SnapshotError::OtherTree { .. }), "{error}");
    let mut changed = agent;
    *changed.last_mut().unwrap() ^= 1;
    let error = Snapshot::from_bytes(&changed).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the snapshot is damaged, at byte 24: the checksum is wrong"
    );
}

#[test]
fn an_agent_of_another_tree_and_a_poisoned_one_are_refused() {
    let n = nodes::<()>();
    let bad = n.action("bad", |_| Err::<Status, _>(LeafError::new("no")));
    let bad = Arc::new(bad.build().unwrap());
    let mut agent = bad.agent();
    let foreign = tree(1).snapshot(&agent).unwrap_err();
    assert!(matches!(foreign, SnapshotError::Tick(TickError::WrongTree)));
    let foreign = tree(1)
        .migrate(&tree(1), &mut agent, &mut (), Time::ZERO)
        .unwrap_err();
    assert!(matches!(foreign, SnapshotError::Tick(TickError::WrongTree)));
    bad.tick(&mut agent, &mut (), Time::ZERO).unwrap_err();
    let poisoned = bad.snapshot(&agent).unwrap_err();
    assert!(matches!(poisoned, SnapshotError::Tick(TickError::Poisoned)));
    let mut herd = Herd::new(bad);
    herd.spawn().unwrap();
    herd.tick_all(Time::ZERO, |a| drop(a.tick(&mut ())));
    assert!(matches!(
        herd.save(),
        Err(SnapshotError::Poisoned { agents: 1 })
    ));
}

/// Bytes with a right checksum may still be nonsense.
#[test]
fn a_place_that_does_not_exist_is_no_resume_point() {
    let tree = tree(1);
    let mut agent = tree.agent();
    tree.tick(&mut agent, &mut (), Time(5)).unwrap();
    let mut snapshot = tree.snapshot(&agent).unwrap();
    for node in &mut snapshot.nodes {
        node.node = 999;
        node.resumes = true;
        for value in node.state.iter_mut().chain(&mut node.history) {
            *value = tickseed_core::Value::Deadline(u64::MAX);
        }
    }
    let (mut agent, _) = tree.restore(&snapshot, Time(6));
    tree.tick(&mut agent, &mut (), Time(7)).unwrap();
    for node in &mut snapshot.nodes {
        node.state = vec![tickseed_core::Value::Child(9)];
        node.history = vec![tickseed_core::Value::Bytes(vec![1; 99])];
    }
    let (mut agent, report) = tree.restore(&snapshot, Time(6));
    assert!(!report.is_clean());
    tree.tick(&mut agent, &mut (), Time(7)).unwrap();
}
