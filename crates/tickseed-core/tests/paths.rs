//! Paths name nodes, one at a time or all at once, in narrow trees and wide ones.

use std::time::Duration;

use tickseed_core::{NodeId, Time, Tree, nodes};

#[track_caller]
fn agree(tree: &Tree<()>) {
    let def = tree.def();
    let paths = def.paths();
    assert_eq!(paths.len(), def.len());
    for (id, _) in def.iter() {
        assert_eq!(paths[id.0 as usize], def.path(id), "{id}");
        // A path that two nodes have (labels with `/` allow it) means the first.
        let first = paths.iter().position(|p| *p == paths[id.0 as usize]);
        assert_eq!(
            def.find_path(&paths[id.0 as usize]).map(|f| f.0 as usize),
            first
        );
    }
    for wrong in ["", "/", "root", "root/", "root/c#9", "root/a/"] {
        let found = paths.iter().position(|p| p == wrong);
        assert_eq!(def.find_path(wrong).map(|f| f.0 as usize), found, "{wrong}");
    }
}

#[test]
fn twins_are_numbered_and_found() {
    let n = nodes::<()>();
    let twins = || {
        n.sequence([n.succeed(), n.fail(), n.succeed()])
            .named("twin")
    };
    let tree = n
        .selector([twins(), n.fail().named("c"), twins()])
        .named("root");
    let tree = tree.build().unwrap();
    assert_eq!(tree.path(NodeId(9)), "root/twin#2/succeed#2");
    agree(&tree);
}

#[test]
fn labels_may_hold_the_separator() {
    let n = nodes::<()>();
    let a = n
        .sequence([n.succeed().named("b"), n.succeed().named("b/c")])
        .named("a");
    let ab = n
        .sequence([n.succeed().named("c"), n.succeed().named("")])
        .named("a/b");
    agree(
        &n.selector([ab, a, n.fail().named("c#9")])
            .named("root")
            .build()
            .unwrap(),
    );
}

/// Quadratic work here would take minutes.
#[test]
fn seventy_thousand_siblings_take_no_time() {
    let n = nodes::<()>();
    let tree = n
        .parallel((0..70_000).map(|_| n.run_forever()))
        .build()
        .unwrap();
    let paths = tree.def().paths();
    assert_eq!(paths[70_000], "parallel/run#70000");
    assert_eq!(tree.def().find_path(&paths[70_000]), Some(NodeId(70_000)));
    let mut agent = tree.agent();
    tree.tick(&mut agent, &mut (), Time::ZERO).unwrap();
    assert_eq!(
        tree.live(&agent, Time::ZERO)
            .iter()
            .filter(|l| l.active)
            .count(),
        70_001
    );

    let bad = n.selector((0..70_000).map(|_| n.sequence([]))).build();
    let bad = bad.unwrap_err();
    assert_eq!(bad.issues.len(), 70_000);
    assert_eq!(bad.issues[69_999].path, "selector/sequence#70000");
}

#[test]
fn every_fault_of_a_node_has_its_path() {
    let n = nodes::<()>();
    let bad = n.sequence([
        n.sequence([])
            .named("empty")
            .drain(3)
            .min_dwell(Duration::ZERO),
        n.succeed().drain(1),
    ]);
    let bad = bad.build().unwrap_err();
    let paths: Vec<_> = bad.issues.iter().map(|i| i.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "sequence/empty",
            "sequence/empty",
            "sequence/empty",
            "sequence/succeed"
        ]
    );
}

/// So would counting all children again after each.
#[test]
fn wide_parallels_decide_in_linear_time() {
    use tickseed_core::Status;
    use tickseed_core::nodes::{Decide, Threshold};
    let n = nodes::<()>();
    let wide =
        n.parallel((0..70_000).map(|i| n.constant([Status::Success, Status::Skipped][i % 2])));
    let tree = wide
        .decide(Decide::AsSoonAsKnown)
        .success(Threshold::Count(35_000));
    let tree = tree.build().unwrap();
    let status = tree.tick(&mut tree.agent(), &mut (), Time::ZERO).unwrap();
    assert_eq!(status, Status::Success);
}
