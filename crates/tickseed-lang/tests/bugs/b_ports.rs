//! B: ports, keys, remapping, types.

use crate::world::{Running, World, xml};
use tickseed_lang::build::{Options, from_loaded};
use tickseed_lang::expr::Datum;
use tickseed_lang::load::{Memory, load_text};

/// Missing: the default. Empty: an empty text, an error for a number. Given: what is given.
#[test]
fn b01_port_left_out_empty_and_given() {
    for (given, shown) in [("", "a=7"), (" p=\"3\"", "a=3"), (" p=\"-3\"", "a=-3")] {
        let world = World::new();
        let mut running = world.build(&xml(&[("Main", &format!("<Int name=\"a\"{given}/>"))]));
        assert_eq!((running.tick(), world.log()), ('S', vec![shown.to_owned()]));
    }
    for (given, shown) in [
        ("", "a=\"seven\""),
        (" p=\"\"", "a=\"\""),
        (" p=\"x\"", "a=\"x\""),
    ] {
        let world = World::new();
        let mut running = world.build(&xml(&[("Main", &format!("<Text name=\"a\"{given}/>"))]));
        assert_eq!((running.tick(), world.log()), ('S', vec![shown.to_owned()]));
    }
    // As the reference reads it: the number in front of other text, with a warning here.
    let world = World::new();
    let mut running = world.build(&xml(&[("Main", "<Int name=\"a\" p=\"1.5\"/>")]));
    assert_eq!((running.tick(), world.log()), ('S', vec!["a=1".to_owned()]));
    for bad in ["", "x", "99999999999999999999", " "] {
        let text = World::new().fail(&xml(&[("Main", &format!("<Int name=\"a\" p=\"{bad}\"/>"))]));
        assert!(
            text.contains("t.xml:2:") && text.contains("\"p\"") && text.contains("int"),
            "{text}"
        );
    }
    for (given, shown) in [
        ("", "a=7"),
        ("(p: 3)", "a=3"),
        ("(3)", "a=3"),
        ("(1 + 2)", "a=3"),
    ] {
        let world = World::new();
        let mut running = world.build(&format!("tree T {{ Int \"a\" {given} }}"));
        assert_eq!((running.tick(), world.log()), ('S', vec![shown.to_owned()]));
    }
    for bad in ["p: \"\"", "p: \"x\"", "p: 1.5", "p: true", "q: 1"] {
        let text = World::new().fail(&format!("tree T {{ Int({bad}) }}"));
        assert!(
            text.contains("t.tick:1:14") || text.contains("t.tick:1:17"),
            "{text}"
        );
    }
}

/// A port without a default must be given, at load.
#[test]
fn b01_a_port_that_must_be_given() {
    for text in [
        xml(&[("Main", "<NeedInt/>")]),
        "tree T { NeedInt }".to_owned(),
    ] {
        let message = World::new().fail(&text);
        assert!(
            message.contains("`p`") && message.contains("NeedInt"),
            "{message}"
        );
    }
}

/// A literal handed to a subtree is what the typed leaf below makes of it.
#[test]
fn b03_literals_adapt_to_the_typed_port() {
    let world = World::new();
    let mut running = world.build(&xml(&[
        ("Main", "<Sequence><SubTree ID=\"Sub\" nums=\"4;9\" n=\"12\" t=\"12\"/></Sequence>"),
        ("Sub", "<Sequence><Ints name=\"a\" p=\"{nums}\"/><NeedInt name=\"b\" p=\"{n}\"/><NeedText name=\"c\" p=\"{t}\"/></Sequence>"),
    ]));
    assert_eq!(running.tick(), 'S');
    assert_eq!(world.log(), ["a=[4, 9]", "b=12", "c=\"12\""]);
    // In `.tick` the parameter has the type.
    let world = World::new();
    let mut running = world.build(
        "main tree Main { Sub(nums: [4, 9]) }\ntree Sub(in nums: list<int>) { Ints \"a\" (p: nums) }",
    );
    assert_eq!(
        (running.tick(), world.log()),
        ('S', vec!["a=[4, 9]".to_owned()])
    );
}

/// Two users of one key with different types: an error at load that names both.
#[test]
fn b03_two_types_for_one_key() {
    let text = World::new().fail(&xml(&[(
        "Main",
        "<Sequence><PutInt v=\"1\" to=\"{k}\"/>\n<Ints p=\"{k}\"/></Sequence>",
    )]));
    assert!(
        text.contains("[k]") && text.contains("t.xml:3:") && text.contains("int"),
        "{text}"
    );
    let text = World::new().fail("keys { k: int = 1 }\ntree T { Ints(p: k) }");
    assert!(
        text.contains("t.tick:2:18") && text.contains("int"),
        "{text}"
    );
}

/// Text that looks like a number: the error names the key, its type and what was wanted.
#[test]
fn b05_text_that_looks_like_a_number() {
    let body = "<Script code=\"d := pos - tol\"/>";
    let file = |first: &str| xml(&[("Main", &format!("<Sequence>{first}{body}</Sequence>"))]);
    let world = World::new();
    let mut running = world.build(&file(
        "<Script code=\"pos := 0.02\"/><PutText v=\"0.01\" to=\"{tol}\"/>",
    ));
    let error = running.try_tick().expect_err("text minus number");
    for part in ["tol", "d := pos - tol"] {
        assert!(error.contains(part), "{part} is missing: {error}");
    }
    let mut running = world.build(&file("<Script code=\"pos := 0.02; tol := 0.03\"/>"));
    assert_eq!(running.tick(), 'S');
    let Some(Datum::Float(d)) = running.get("d") else {
        panic!("a number")
    };
    assert!((d + 0.01).abs() < 1e-12);
    // `.tick` finds it when it loads.
    let text = World::new()
        .fail("keys { pos = 0.02; tol = \"0.01\"; d = 0.0 }\ntree T { set d = pos - tol }");
    assert!(
        text.contains("text") && text.contains("t.tick:2:"),
        "{text}"
    );
}

/// A key of the root, used some subtrees down without being mentioned between.
#[test]
fn b07_automatic_remapping_through_any_depth() {
    for depth in 1..=5 {
        for set_first in [true, false] {
            let mut trees = Vec::new();
            for level in 0..depth {
                let name = if level == 0 {
                    "Main".to_owned()
                } else {
                    format!("T{level}")
                };
                let below = format!("<SubTree ID=\"T{}\" _autoremap=\"true\"/>", level + 1);
                let body = if level == 0 && set_first {
                    format!("<Sequence><PutInt v=\"5\" to=\"{{node}}\"/>{below}</Sequence>")
                } else {
                    below
                };
                trees.push((name, body));
            }
            trees.push((
                format!("T{depth}"),
                "<Sequence><NeedInt name=\"a\" p=\"{node}\"/><PutInt v=\"6\" to=\"{back}\"/></Sequence>".to_owned(),
            ));
            let trees: Vec<(&str, &str)> = trees
                .iter()
                .map(|(a, b)| (a.as_str(), b.as_str()))
                .collect();
            let world = World::new();
            let mut running = world.build(&xml(&trees));
            if !set_first {
                running.set("node", Datum::Int(5));
            }
            assert_eq!(running.tick(), 'S', "depth {depth}");
            assert_eq!(world.log(), ["a=5"]);
            assert_eq!(running.get("back"), Some(Datum::Int(6)), "depth {depth}");
        }
    }
}

/// What is mapped by hand wins, the rest is automatic, in both directions.
#[test]
fn b09_explicit_and_automatic_mapping() {
    let world = World::new();
    let mut running = world.build(&xml(&[
        ("Main", "<Sequence><Script code=\"x := 1; a := 100; b := 2\"/><SubTree ID=\"Sub\" a=\"{x}\" _autoremap=\"true\"/></Sequence>"),
        ("Sub", "<Sequence><NeedInt name=\"a\" p=\"{a}\"/><NeedInt name=\"b\" p=\"{b}\"/><PutInt v=\"3\" to=\"{a}\"/><PutInt v=\"4\" to=\"{b}\"/></Sequence>"),
    ]));
    assert_eq!(running.tick(), 'S');
    assert_eq!(world.log(), ["a=1", "b=2"]);
    assert_eq!(running.get("x"), Some(Datum::Int(3)));
    assert_eq!(running.get("a"), Some(Datum::Int(100)));
    assert_eq!(running.get("b"), Some(Datum::Int(4)));
}

/// Without a mapping nothing of the caller is seen.
#[test]
fn b09_without_mapping_scopes_are_apart() {
    let world = World::new();
    let text = xml(&[
        (
            "Main",
            "<Sequence><Script code=\"k := 1\"/><SubTree ID=\"Sub\"/></Sequence>",
        ),
        ("Sub", "<NeedInt name=\"a\" p=\"{k}\"/>"),
    ]);
    let mut running = world.build(&text);
    let error = running.try_tick().expect_err("k is no key there");
    assert!(error.contains('k') && error.contains('a'), "{error}");
}

/// Names that begin with `_` stay in their subtree, and each use has its own.
#[test]
fn b11_private_names_do_not_leak() {
    let world = World::new().plan("probe", "S");
    let mut running = world.build(&xml(&[
        ("Main", "<Sequence><SubTree ID=\"Sub\" name=\"one\" _autoremap=\"true\"/><SubTree ID=\"Sub\" name=\"two\" _autoremap=\"true\"/></Sequence>"),
        ("Sub", "<Sequence><PutInt v=\"1\" to=\"{shared}\"/><Script code=\"_tmp := 1\"/></Sequence>"),
    ]));
    assert_eq!(running.tick(), 'S');
    assert_eq!(running.get("shared"), Some(Datum::Int(1)));
    assert_eq!(running.get("_tmp"), None);
    // A tree of `.tick` has its own keys, fresh for each use.
    let world = World::new();
    let mut running = world.build(
        "main tree Main { sequence { Sub; Sub } }\ntree Sub { keys { tmp = 0 }\n sequence { set tmp += 1; Int \"a\" (p: tmp) } }",
    );
    assert_eq!(running.tick(), 'S');
    assert_eq!(world.log(), ["a=1", "a=1"]);
}

/// Copying a key is a write as any other: it counts, wakes who waits, and is checked.
#[test]
fn b13_copying_counts_as_a_write() {
    let world = World::new();
    let mut running = world.build(&xml(&[(
        "Main",
        "<Sequence><Script code=\"a := 5\"/><SetBlackboard value=\"{a}\" output_key=\"b\"/><SkipUnlessUpdated entry=\"{b}\"><Act name=\"A\"/></SkipUnlessUpdated></Sequence>",
    )]));
    for _ in 0..3 {
        assert_eq!(running.tick(), 'S');
        assert_eq!(world.log(), ["start A"]);
    }
    assert_eq!(running.get("b"), Some(Datum::Int(5)));
}

/// Unknown, declared but unset, and of another type are three different errors.
#[test]
fn b14_three_kinds_of_missing() {
    let unknown = World::new().fail("keys { stop: int }\ntree T { NeedInt(p: stopp) }");
    assert!(
        unknown.contains("`stopp`") && unknown.contains("did you mean `stop`?"),
        "{unknown}"
    );
    let typed = World::new().fail("keys { stop: text = \"x\" }\ntree T { NeedInt(p: stop) }");
    assert!(typed.contains("text") && typed.contains("int"), "{typed}");
    let world = World::new();
    let mut running = world.build("keys { stop: int }\ntree T { NeedInt \"a\" (p: stop) }");
    let unset = running.try_tick().expect_err("it is not set");
    assert!(
        unset.contains("stop") && !unset.contains("no key"),
        "{unset}"
    );
    let mut running = world.build("keys { stop: int }\ntree T { NeedInt \"a\" (p: stop) }");
    running.set("stop", Datum::Int(1));
    assert_eq!(running.tick(), 'S');
}

/// An equal value written again is an update; a running child is not cut.
#[test]
fn b15_update_driven_nodes() {
    let file = xml(&[(
        "Main",
        "<SkipUnlessUpdated entry=\"{k}\"><Act name=\"A\"/></SkipUnlessUpdated>",
    )]);
    let world = World::new();
    let mut running = world.build(&file);
    let mut step = |write: Option<i64>| {
        if let Some(value) = write {
            running.set("k", Datum::Int(value));
        }
        running.tick()
    };
    assert_eq!(step(Some(5)), 'S');
    assert_eq!(step(None), 'K');
    assert_eq!(step(Some(5)), 'S');
    let world = World::new().plan("A", "RRS");
    let mut running = world.build(&file);
    running.set("k", Datum::Int(1));
    assert_eq!(running.ticks(3), "RRS");
    assert_eq!(world.log(), ["start A", "tick A", "tick A"]);
    running.set("k", Datum::Int(1));
    assert_eq!(running.tick(), 'R');
    running.halt();
    assert_eq!(world.log(), ["start A", "halt A"]);
    assert_eq!(running.tick(), 'K');
    running.set("k", Datum::Int(1));
    assert_eq!(running.tick(), 'R');
}

/// Mapping to a key that is written later works in any order; one that nobody writes is told.
#[test]
fn b17_mapped_before_it_is_written() {
    let sub = "<NeedInt name=\"a\" p=\"{aim}\"/>";
    for trees in [
        [
            (
                "Main",
                "<Sequence><PutInt v=\"3\" to=\"{foe}\"/><SubTree ID=\"Sub\" aim=\"{foe}\"/></Sequence>",
            ),
            ("Sub", sub),
        ],
        [
            ("Sub", sub),
            (
                "Main",
                "<Sequence><PutInt v=\"3\" to=\"{foe}\"/><SubTree ID=\"Sub\" aim=\"{foe}\"/></Sequence>",
            ),
        ],
    ] {
        let world = World::new();
        let mut running = world.build(&xml(&trees));
        assert_eq!((running.tick(), world.log()), ('S', vec!["a=3".to_owned()]));
    }
    let text = World::new().fail(
        "keys { foe = 3 }\nmain tree Main { Sub(aim: fo) }\ntree Sub(in aim: int) { Int(p: aim) }",
    );
    assert!(text.contains("did you mean `foe`?"), "{text}");
}

/// `@x` is the root's, `x` the tree's own: two entries.
#[test]
fn b18_unset_reaches_own_keys_only() {
    let unset = |key: &str, fixed: bool| {
        let node = format!("<UnsetBlackboard key=\"{key}\"/>");
        let root = format!("<Sequence><Script code=\"x:=1\"/>{node}</Sequence>");
        let below = "<Sequence><Script code=\"x:=1\"/><SubTree ID=\"S\"/></Sequence>";
        [
            xml(&[("Main", &root)]),
            xml(&[("Main", below), ("S", &node)]),
        ]
        .map(|text| {
            let mut options = Options::default();
            options.fix_known_bugs = fixed;
            let files = load_text("t.xml", &text, &Memory::default());
            let loaded = from_loaded(files, &World::new().registry(), &options).unwrap();
            let warned = loaded.diagnostics.iter().any(|d| d.code == "load::unset");
            let mut running = Running::new(loaded);
            assert_eq!(running.tick(), 'S');
            (running.get("x").is_some_and(|x| x != Datum::None), warned)
        })
    };
    // A key's entry bears no `@`, so in the reference nothing bears that name, even in the root.
    assert_eq!(unset("@x", false), [(true, true), (true, true)]);
    assert_eq!(unset("x", false), [(false, false), (true, false)]);
    // Corrected, it means what it says.
    assert_eq!(unset("@x", true), [(false, false), (false, false)]);
}

#[test]
fn b18_root_keys_and_own_keys() {
    let world = World::new();
    let mut running = world.build(&xml(&[
        ("Main", "<Sequence><Script code=\"x := 1\"/><SubTree ID=\"Sub\"/></Sequence>"),
        ("Sub", "<Sequence><Script code=\"x := 2; @y := 3\"/><NeedInt name=\"own\" p=\"{x}\"/><NeedInt name=\"root\" p=\"{@x}\"/></Sequence>"),
    ]));
    assert_eq!(running.tick(), 'S');
    assert_eq!(world.log(), ["own=2", "root=1"]);
    assert_eq!(running.get("y"), Some(Datum::Int(3)));
    let world = World::new();
    let mut running = world.build(
        "keys { x = 1 }\nmain tree Main { Sub }\ntree Sub { keys { x = 2 }\n sequence { Int \"own\" (x); Int \"root\" (@x); set @x = 5 } }",
    );
    assert_eq!(running.tick(), 'S');
    assert_eq!(world.log(), ["own=2", "root=1"]);
    assert_eq!(running.get("x"), Some(Datum::Int(5)));
}

/// A number with something behind it is read as the number, as the reference does; who wrote a duration
/// is told what it should be.
#[test]
fn b05_durations_in_ports_of_milliseconds_are_pointed_at() {
    let text = xml(&[("Main", "<Timeout msec=\"5s\"><AlwaysSuccess/></Timeout>")]);
    let running = World::new().build(&text);
    let warning = &running.loaded.diagnostics[0];
    assert_eq!(
        warning.message,
        "`5s` is read as 5, as BehaviorTree.CPP does"
    );
    assert_eq!(
        warning.help.as_deref(),
        Some("`msec` counts milliseconds: write `5000`")
    );
}
