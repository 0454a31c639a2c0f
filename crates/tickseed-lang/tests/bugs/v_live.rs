//! V: files that change while programs run. Z: keys that are saved and restored.

use crate::world::{Running, World, xml};
use tickseed_core::{Snapshot, Time};
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

/// What a running tree is saved as: where it stands and what its keys hold.
fn save(running: &Running) -> (Vec<u8>, String) {
    let snapshot = running.loaded.tree.snapshot(&running.agent).unwrap();
    let (keys, left_out) = running.board.save();
    assert!(left_out.is_empty(), "{left_out:?}");
    (snapshot.to_bytes(), keys.to_string())
}

/// Z01: after every tick the program may end; a new one goes on as if nothing had been.
#[test]
fn z01_a_new_process_goes_on_where_the_old_one_stood() {
    let text = "keys { n = 0; at: vec2 = vec2(0, 0); names = [\"a\"] }\n\
        main tree Main {\n  sequence {\n    Act \"A\"\n    set { n += 1; at = vec2(n, 0.5) }\n    Sub(double: n * 2)\n    repeat 3 { Act \"C\" }\n  }\n}\n\
        tree Sub(in double: int) { keys { mine = 0.25 }; sequence { Act \"B\"; set mine = mine * 2; Int \"double\" (double) } }";
    let world = || {
        World::new()
            .plan("A", "RS")
            .plan("B", "RRRS")
            .plan("C", "RS")
    };
    let whole = world();
    let mut unbroken = whole.build(text);
    let wanted: String = (0..12).map(|_| unbroken.tick()).collect();
    assert!(wanted.contains('S'), "{wanted}");
    let events = whole.log();
    for end in 1..12 {
        let first = world();
        let mut before = first.build(text);
        let mut found: String = (0..end).map(|_| before.tick()).collect();
        let (bytes, keys) = save(&before);
        let before_now = before.now;
        // Nothing but bytes and text is left.
        drop(before);
        let second = world();
        let mut after = second.build(text);
        let snapshot = Snapshot::from_bytes(&bytes).unwrap();
        after.now = before_now;
        let now = Time::from_millis(before_now * 1_000);
        let (agent, report) = after.loaded.tree.restore(&snapshot, now);
        assert!(report.is_clean(), "{end}: {report}");
        after.agent = agent;
        let keys = serde_json::from_str(&keys).unwrap();
        after.board.restore(&keys).unwrap();
        found.extend((end..12).map(|_| after.tick()));
        assert_eq!(found, wanted, "{end}");
        let log: Vec<String> = [first.log(), second.log()].concat();
        assert_eq!(log, events, "{end}");
        assert_eq!(after.get("at"), unbroken.get("at"), "{end}");
    }
}

/// Z06: a save of another tree, or a damaged one, is refused with its first difference, and what
/// runs is untouched.
#[test]
fn z06_saves_that_do_not_fit_are_refused_aloud() {
    let world = World::new();
    let mut running = world.build("keys { gold = 3; name = \"x\" }\nmain tree T { Act \"a\" }");
    for (saved, wanted) in [
        (serde_json::json!({}), "expected an object `keys`"),
        (
            serde_json::json!({"keys": {"": {"glod": 1}}}),
            "glod: there is no such key; did you mean `gold`?",
        ),
        (
            serde_json::json!({"keys": {"Sub::3": {"gold": 1}}}),
            "Sub::3/gold: there is no such scope",
        ),
        (
            serde_json::json!({"keys": {"": {"name": "y", "gold": "many"}}}),
            "gold: the key is int, found \"many\"",
        ),
        (
            serde_json::json!({"keys": {"": []}}),
            "expected an object of keys",
        ),
    ] {
        let error = running.board.restore(&saved).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert_eq!(running.get("gold"), Some(Datum::Int(3)));
        assert_eq!(running.get("name"), Some(Datum::Text("x".into())));
    }
    let (mut bytes, _) = save(&running);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    assert!(Snapshot::from_bytes(&bytes).is_err());
    assert!(Snapshot::from_bytes(&bytes[..middle]).is_err());
    assert_eq!(running.tick(), 'S');
}

/// X07: values in JSON say what they are; what does not is an error; lists come back equal.
#[test]
fn x07_json_values_without_a_type_tag() {
    let world = World::new();
    let mut running =
        world.build("keys { at: vec2 = vec2(1, 2); all = [0.5] }\nmain tree T { Act \"a\" }");
    for (value, wanted) in [
        (
            serde_json::json!({"x": 1, "y": 2}),
            "at: expected one field that says what it is",
        ),
        (serde_json::json!({}), "at: expected one field"),
        (
            serde_json::json!({"vec4": [1, 2]}),
            "at: `vec4` is no kind of value (duration, word, vec2, vec3, float); did you mean `vec2`?",
        ),
        (
            serde_json::json!({"vec2": [1]}),
            "at: expected 2 numbers, found [1]",
        ),
        (
            serde_json::json!({"vec2": {"x": 1}}),
            "at: expected 2 numbers",
        ),
        (
            serde_json::json!([1, 2]),
            "at: the key is vec2, found [1,2]",
        ),
    ] {
        let saved = serde_json::json!({"keys": {"": {"at": value}}});
        let error = running.board.restore(&saved).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
    let floats: Vec<Datum> = [0.1, -0.0, 1e300, f64::INFINITY, 5.0]
        .map(Datum::Float)
        .to_vec();
    running.set("all", Datum::List(floats.into()));
    let (_, keys) = save(&running);
    let mut other =
        world.build("keys { at: vec2 = vec2(1, 2); all = [0.5] }\nmain tree T { Act \"a\" }");
    other
        .board
        .restore(&serde_json::from_str(&keys).unwrap())
        .unwrap();
    assert_eq!(other.get("all"), running.get("all"));
}

/// B16: a guard in a subtree sees its caller's key change, and not the one that its own key shadows.
#[test]
fn b16_a_guard_in_a_child_scope_sees_the_key_of_the_parent() {
    let tree = |sub: &str| {
        format!(
            "keys {{ k = false }}\nmain tree Main {{ Sub{} }}\n{sub}",
            if sub.contains("in k") { "(k)" } else { "" }
        )
    };
    let body = "selector reactive { sequence { check k; Act \"A\" }; Act \"idle\" } }";
    let seen = |text: &str| {
        let world = World::new().plan("idle", "R").plan("A", "R");
        let mut running = world.build(text);
        running.ticks(2);
        running.set("k", Datum::Bool(true));
        running.ticks(2);
        world.log()
    };
    let fired = ["start idle", "tick idle", "start A", "halt idle", "tick A"];
    assert_eq!(
        seen(&tree(&format!("tree Sub(in k: bool) {{ {body}"))),
        fired
    );
    let idle = ["start idle", "tick idle", "tick idle", "tick idle"];
    assert_eq!(
        seen(&tree(&format!("tree Sub {{ keys {{ k = false }}; {body}"))),
        idle
    );
    let xml_of = |attribute: &str| {
        xml(&[
        ("Main", &format!("<SubTree ID=\"Sub\" {attribute}/>")),
        ("Sub", "<ReactiveFallback><Sequence><ScriptCondition code=\"k == 1\"/><Act name=\"A\"/></Sequence><Act name=\"idle\"/></ReactiveFallback>"),
    ]).replace("<Sequence><ScriptCondition", "<Sequence _skipIf=\"false\"><ScriptCondition")
    };
    for (attribute, wanted) in [
        ("k=\"{k}\"", &fired[..]),
        ("_autoremap=\"true\"", &fired[..]),
        ("k=\"0\"", &idle[..]),
    ] {
        let world = World::new().plan("idle", "R").plan("A", "R");
        let mut running = world.build(&xml_of(attribute));
        if attribute == "k=\"0\"" {
            // Only the child has such a key.
            running.ticks(4);
        } else {
            running.set("k", Datum::Int(0));
            running.ticks(2);
            running.set("k", Datum::Int(1));
            running.ticks(2);
        }
        assert_eq!(world.log(), wanted, "{attribute}");
    }
}

/// Arguments of subtrees can be expressions: they are computed when the subtree begins.
#[test]
fn computed_arguments_are_judged_when_the_subtree_begins() {
    let text = "keys { n = 1; unset: int }\nmain tree Main { sequence { Sub(n + 1, far: n > 5); set n = 9; Sub(n + 1, far: n > 5) } }\n\
        tree Sub(in x: int, in far: bool) { sequence { Act \"go\"; Int \"x\" (x); if far { Act \"far\" } else { Act \"near\" } } }";
    let world = World::new().plan("go", "RS");
    let mut running = world.build(text);
    assert_eq!(running.tick(), 'R');
    // What is computed stays as it is while the subtree runs.
    running.set("n", Datum::Int(7));
    assert_eq!(running.ticks(2), "RS");
    assert_eq!(
        world.log(),
        [
            "start go",
            "tick go",
            "x=2",
            "start near",
            "start go",
            "tick go",
            "x=10",
            "start far"
        ]
    );
    let error = world.fail(
        "keys { n = 1 }\nmain tree Main { Sub(n > 1) }\ntree Sub(in x: int) { Int \"x\" (x) }",
    );
    assert!(error.contains("int"), "{error}");
    let error = world
        .fail("keys { n = 1 }\nmain tree Main { Sub(n + 1) }\ntree Sub(out x: int) { set x = 1 }");
    assert!(error.contains("takes a key"), "{error}");
    // A failing expression is an error that names the subtree's place.
    let mut broken = world.build(
        "keys { n: int }\nmain tree Main { Sub(n + 1) }\ntree Sub(in x: int) { Int \"x\" (x) }",
    );
    assert!(
        broken
            .try_tick()
            .unwrap_err()
            .contains("`n` is declared but not set")
    );
}
