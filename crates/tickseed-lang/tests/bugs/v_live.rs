//! V: files that change while programs run. Z: keys that are saved and restored.

use crate::world::{Running, World, xml};
use tickseed_lang::board::Board;
use tickseed_lang::build::{Options, from_file};
use tickseed_lang::expr::Datum;

/// The same name, another content: what is loaded is what stands in the file now.
#[test]
fn v01_same_file_name_new_content() {
    let folder = std::env::temp_dir().join(format!("tickseed-reload-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("t.tick").to_string_lossy().into_owned();
    let world = World::new();
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let loaded = from_file(&path, &world.registry(), &Options::default());
        Running::new(loaded.unwrap_or_else(|failed| panic!("{failed}")))
    };
    let mut first = load("keys { k = 1 }\ntree T { Int \"first\" (k) }\n");
    first.set("k", Datum::Int(5));
    let mut second = load("keys { k = 2 }\ntree T { sequence { Int \"second\" (k) } }\n");
    std::fs::remove_dir_all(&folder).unwrap();
    // Both run, each what its file said, each with its own keys.
    assert_eq!((first.tick(), second.tick(), first.tick()), ('S', 'S', 'S'));
    assert_eq!(world.log(), ["first=5", "second=2", "first=5"]);
}

/// A tree is registered again under its name: built ones keep what they are.
#[test]
fn v04_built_trees_are_not_changed() {
    let world = World::new();
    let mut first = world.build("main tree Main { Int \"one\" }");
    let mut second = world.build("main tree Main { Int \"two\" }");
    assert_eq!((first.tick(), second.tick()), ('S', 'S'));
    assert_eq!(world.log(), ["one=7", "two=7"]);
}

/// Another tree has a fresh board: nothing of the old one is left unless the host keeps it.
#[test]
fn v05_a_switch_carries_nothing_over() {
    let world = World::new();
    let text = "keys { goal = 0 }\ntree T { Int \"a\" (goal) }";
    let mut first = world.build(text);
    first.set("goal", Datum::Int(1));
    first.tick();
    let mut second = world.build(text);
    second.tick();
    assert_eq!(world.log(), ["a=1", "a=0"]);
}

/// After an edit the old leaf is halted and has no more events.
#[test]
fn v07_edits_leave_no_ghosts() {
    let world = World::new().plan("first", "R").plan("second", "R");
    let mut old = world.build("tree T { Act \"first\" }");
    old.tick();
    old.halt();
    let mut new = world.build("tree T { Act \"second\" }");
    new.tick();
    new.tick();
    assert_eq!(
        world.log(),
        ["start first", "halt first", "start second", "tick second"]
    );
}

/// Z03: keys saved after one run and restored into another reach subtrees and come back from them.
#[test]
fn z03_restored_values_reach_subtrees() {
    for text in [
        xml(&[
            ("Main", "<Sequence><SubTree ID=\"Sub\" in=\"{a}\" out=\"{b}\"/></Sequence>"),
            ("Sub", "<Sequence><NeedInt name=\"x\" p=\"{in}\"/><Script code=\"out := in + 1\"/></Sequence>"),
        ]),
        "keys { a = 0; b = 0 }\nmain tree Main { Sub(in_: a, out_: b) }\ntree Sub(in in_: int, out out_: int) { sequence { Int \"x\" (in_); set out_ = in_ + 1 } }".to_owned(),
    ] {
        let world = World::new();
        let mut first = world.build(&text);
        first.set("a", Datum::Int(4));
        assert_eq!(first.tick(), 'S');
        let saved: Board = first.board.clone();
        let mut second = world.build(&text);
        for (slot, _) in saved.layout().slots() {
            second.board.set(slot, saved.get(slot));
        }
        assert_eq!(second.tick(), 'S');
        assert_eq!(world.log(), ["x=4", "x=4"]);
        let number = |found: Option<Datum>| match found {
            Some(Datum::Int(i)) => i as f64,
            Some(Datum::Float(f)) => f,
            other => panic!("{other:?}"),
        };
        assert!((number(first.get("b")) - 5.0).abs() < 1e-9);
        assert_eq!(number(first.get("b")), number(second.get("b")));
    }
}

/// Z04: a subtree's key that is the root's is one entry, whoever writes first.
#[test]
fn z04_a_port_mapped_to_a_root_key() {
    let world = World::new();
    let mut running = world.build(&xml(&[
        ("Main", "<Sequence><SubTree ID=\"Sub\" p=\"{@shared}\"/><NeedInt name=\"root\" p=\"{shared}\"/></Sequence>"),
        ("Sub", "<Sequence><PutInt v=\"3\" to=\"{p}\"/><NeedInt name=\"sub\" p=\"{p}\"/></Sequence>"),
    ]));
    assert_eq!(running.tick(), 'S');
    assert_eq!(world.log(), ["sub=3", "root=3"]);
    assert_eq!(running.get("shared"), Some(Datum::Int(3)));
    let mut running = world.build(&xml(&[
        (
            "Main",
            "<Sequence><SubTree ID=\"Sub\" p=\"{@shared}\"/></Sequence>",
        ),
        ("Sub", "<NeedInt name=\"sub\" p=\"{p}\"/>"),
    ]));
    running.set("shared", Datum::Int(9));
    assert_eq!(
        (running.tick(), world.log()),
        ('S', vec!["sub=9".to_owned()])
    );
}

/// E01: more nodes than 16 bits count, each found again.
#[test]
fn e01_more_nodes_than_sixteen_bits_count() {
    for count in [300, 70_000] {
        let world = World::new();
        let text = format!(
            "tree T {{ sequence {{ {} Act \"last\" }} }}",
            "success\n".repeat(count)
        );
        let mut running = world.build(&text);
        assert_eq!(running.tick(), 'S');
        assert_eq!(world.log(), ["start last"]);
        assert_eq!(running.loaded.instances.len(), count + 2);
        let mut paths: Vec<_> = (0..count + 2).map(|i| running.loaded.path(i)).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), count + 2);
    }
}

/// E09: equal names have different paths, which lead back to their nodes.
#[test]
fn e09_equal_names_have_different_paths() {
    let world = World::new();
    let running = world.build("main tree T {\n  sequence {\n    Act \"check\"\n    Act \"check\"\n    Sub\n    Sub\n  }\n}\ntree Sub { Act \"check\" }");
    for (text, running) in [("tick", running), ("xml", world.build(&xml(&[
        ("Main", "<Sequence>\n<Act name=\"check\"/>\n<Act name=\"check\"/>\n<SubTree ID=\"Sub\"/>\n<SubTree ID=\"Sub\"/></Sequence>"),
        ("Sub", "<Act name=\"check\"/>"),
    ])))] {
        let instances = &running.loaded.instances;
        let mut paths: Vec<_> = (0..instances.len()).map(|i| running.loaded.path(i)).collect();
        let count = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), count, "{text} {paths:?}");
        let lines: Vec<_> = instances
            .iter()
            .filter(|i| i.name == "check")
            .map(|i| running.loaded.sources.line_column(i.span).unwrap().line)
            .collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_ne!(lines[0], lines[1], "{text}");
        assert_eq!(lines[2], lines[3], "{text}");
    }
}
