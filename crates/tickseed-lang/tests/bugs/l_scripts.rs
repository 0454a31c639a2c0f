//! L: scripts and guards in text.

use crate::world::{World, xml};
use tickseed_lang::expr::Datum;

/// The value of an expression in both languages.
fn both(expression: &str) -> (Option<Datum>, Option<Datum>) {
    let world = World::new();
    let mut running = world.build(&xml(&[(
        "Main",
        &format!("<Script code=\"r := {expression}\"/>"),
    )]));
    assert_eq!(running.tick(), 'S');
    let script = running.get("r");
    let mut running = world.build(&format!(
        "keys {{ r = 0.0 }}\ntree T {{ set r = {expression} }}"
    ));
    assert_eq!(running.tick(), 'S');
    (script, running.get("r"))
}

#[test]
fn l01_operators_group_to_the_left() {
    for (expression, value) in [
        ("9 - 4 + 2", 7.0),
        ("9 - 4 - 2", 3.0),
        ("8.0 / 4 * 2", 4.0),
        ("8.0 / 4 / 2", 1.0),
        ("2 * 8.0 / 4", 4.0),
        ("2 - 3 * 4 + 1", -9.0),
        ("-2 - -3", 1.0),
        ("10 - (4 - 2)", 8.0),
        ("1 < 2 && 2 < 3 ? 1.0 : 2.0", 1.0),
    ] {
        let (script, tick) = both(expression);
        let is = |found: &Option<Datum>| match found {
            Some(Datum::Float(f)) => (f - value).abs() < 1e-12,
            Some(Datum::Int(i)) => (*i as f64 - value).abs() < 1e-12,
            _ => false,
        };
        assert!(
            is(&script) && is(&tick),
            "{expression}: {script:?} {tick:?}"
        );
    }
    let world = World::new();
    let mut running = world.build("keys { r = \"\" }\ntree T { set r = \"a\" + \"b\" + \"c\" }");
    running.tick();
    assert_eq!(running.get("r"), Some(Datum::Text("abc".into())));
}

/// Which scripts run after what: skipped runs none; success, failure and halt run their own.
#[test]
fn l03_scripts_after_every_end() {
    for (end, success, failure, done, halted) in [
        ("S", 1, 0, 1, 0),
        ("F", 0, 1, 1, 0),
        ("skip", 0, 0, 0, 0),
        ("halt", 0, 0, 0, 1),
    ] {
        let plan = if end == "halt" { "R" } else { end };
        let skip = end == "skip";
        let in_xml = xml(&[(
            "Main",
            &format!(
                "<Act name=\"A\" _skipIf=\"{skip}\" _onSuccess=\"s:=1\" _onFailure=\"f:=1\" _post=\"d:=1\" _onHalted=\"h:=1\"/>"
            ),
        )]);
        let in_tick = format!(
            "keys {{ s = 0; f = 0; d = 0; h = 0 }}\ntree T {{ Act \"A\" skip if {skip} on success s = 1 on failure f = 1 on done d = 1 on halt h = 1 }}"
        );
        for text in [in_xml, in_tick] {
            let world = World::new().plan("A", plan);
            let mut running = world.build(&text);
            running.tick();
            if end == "halt" {
                running.halt();
            }
            let ran = |key: &str| matches!(running.get(key), Some(Datum::Int(1))) as i32;
            let found = ["s", "f", "d", "h"].map(ran);
            assert_eq!(found, [success, failure, done, halted], "{end}\n{text}");
        }
    }
}

/// Failure, success, skip, while: in this order, wherever they stand on the line.
#[test]
fn l04_several_guards_at_once() {
    for (fail, succeed, skip, hold, answer) in [
        (true, true, true, false, 'F'),
        (false, true, true, false, 'S'),
        (false, false, true, false, 'K'),
        (false, false, false, false, 'K'),
        (false, false, false, true, 'S'),
        (true, false, false, true, 'F'),
    ] {
        let in_xml = xml(&[(
            "Main",
            &format!(
                "<Act name=\"A\" _while=\"{hold}\" _skipIf=\"{skip}\" _successIf=\"{succeed}\" _failureIf=\"{fail}\"/>"
            ),
        )]);
        let in_tick = format!(
            "tree T {{ Act \"A\" while {hold} skip if {skip} succeed if {succeed} fail if {fail} }}"
        );
        for text in [in_xml, in_tick] {
            let world = World::new();
            let mut running = world.build(&text);
            assert_eq!(running.tick(), answer, "{text}");
            assert_eq!(
                !world.log().is_empty(),
                (fail, succeed, skip, hold) == (false, false, false, true)
            );
        }
    }
}

/// Guards at the start are asked once for an activation, `while` on every tick.
#[test]
fn r08_guards_of_files_at_the_start_and_all_the_time() {
    for text in [
        xml(&[("Main", "<Act name=\"A\" _skipIf=\"k == 1\"/>")]),
        "keys { k = 0 }\ntree T { Act \"A\" skip if k == 1 }".to_owned(),
    ] {
        let world = World::new().plan("A", "RRS");
        let mut running = world.build(&text);
        running.set("k", Datum::Int(0));
        assert_eq!(running.tick(), 'R');
        running.set("k", Datum::Int(1));
        assert_eq!(running.ticks(2), "RS");
        assert_eq!(running.tick(), 'K');
    }
    for text in [
        xml(&[("Main", "<Act name=\"A\" _while=\"k == 0\"/>")]),
        "keys { k = 0 }\ntree T { Act \"A\" while k == 0 }".to_owned(),
    ] {
        let world = World::new().plan("A", "RRS");
        let mut running = world.build(&text);
        running.set("k", Datum::Int(0));
        assert_eq!(running.tick(), 'R');
        running.set("k", Datum::Int(1));
        assert_eq!(running.tick(), 'K');
        assert_eq!(world.log(), ["start A", "halt A"]);
    }
}

/// Guards stand on every sort of node, subtrees too, and none of them starts anything.
#[test]
fn l05_guards_work_on_every_sort_of_node() {
    for node in [
        "<Act name=\"A\" G/>",
        "<Sequence G><Act name=\"A\"/></Sequence>",
        "<Inverter G><Act name=\"A\"/></Inverter>",
        "<SubTree ID=\"Sub\" G/>",
        "<Parallel G><Act name=\"A\"/></Parallel>",
        "<Delay delay_msec=\"0\" G><Act name=\"A\"/></Delay>",
        "<AlwaysSuccess G/>",
        "<Script code=\"x := 1\" G/>",
        "<RetryUntilSuccessful num_attempts=\"3\" G><Act name=\"A\"/></RetryUntilSuccessful>",
    ] {
        for (guard, answer) in [("_skipIf", 'K'), ("_failureIf", 'F'), ("_successIf", 'S')] {
            let node = node.replace('G', &format!("{guard}=\"true\""));
            let world = World::new();
            let mut running = world.build(&xml(&[("Main", &node), ("Sub", "<Act name=\"A\"/>")]));
            assert_eq!(running.tick(), answer, "{node}");
            assert!(world.log().is_empty(), "{node}");
            assert_eq!(
                running.get("x").unwrap_or(Datum::None),
                Datum::None,
                "{node}"
            );
        }
    }
    for node in [
        "Act \"A\" G",
        "sequence G { Act \"A\" }",
        "invert G { Act \"A\" }",
        "Sub G",
        "parallel G { Act \"A\" }",
        "delay 0s G { Act \"A\" }",
        "success G",
        "set x = 1 G",
        "retry 3 G { Act \"A\" }",
        "selector reactive G { Act \"A\" }",
        "if true G { Act \"A\" }",
        "while true G { Act \"A\" }",
        "for i in 3 G { Act \"A\" }",
        "wait 1s G",
        "check true G",
        "cooldown 1s G { Act \"A\" }",
    ] {
        for (guard, answer) in [("skip if", 'K'), ("fail if", 'F'), ("succeed if", 'S')] {
            let node = node.replace('G', &format!("{guard} true"));
            let world = World::new();
            let mut running = world.build(&format!(
                "keys {{ x = 0 }}\nmain tree Main {{ {node} }}\ntree Sub {{ Act \"A\" }}"
            ));
            assert_eq!(running.tick(), answer, "{node}");
            assert!(world.log().is_empty(), "{node}");
            assert_eq!(running.get("x"), Some(Datum::Int(0)), "{node}");
        }
    }
}

/// S05: guards on a use of a tree are asked there, all four.
#[test]
fn s05_while_on_a_use_of_a_tree_halts_it() {
    for text in [
        xml(&[
            ("Main", "<SubTree ID=\"Sub\" _while=\"k == 0\"/>"),
            ("Sub", "<Sequence><Act name=\"A\"/></Sequence>"),
        ]),
        "keys { k = 0 }\nmain tree Main { Sub while k == 0 }\ntree Sub { sequence { Act \"A\" } }"
            .to_owned(),
    ] {
        let world = World::new().plan("A", "R");
        let mut running = world.build(&text);
        running.set("k", Datum::Int(0));
        assert_eq!(running.tick(), 'R');
        running.set("k", Datum::Int(1));
        assert_eq!(running.tick(), 'K');
        assert_eq!(world.log(), ["start A", "halt A"]);
    }
}

/// Mistakes in one of fifty scripts: found at load where they can be, with line, column and place.
#[test]
fn l07_script_errors_say_where() {
    for (bad, parts) in [
        ("x := y + ", ["t.xml:27:", "operand"]),
        ("x := (y", ["t.xml:27:", ")"]),
        ("x := 'open", ["t.xml:27:", "open"]),
        ("5 := x", ["t.xml:27:", "5 := x"]),
        ("", ["t.xml:27:", "Empty"]),
    ] {
        let body: String = (0..50)
            .map(|i| {
                format!(
                    "\n<Script code=\"{}\"/>",
                    if i == 24 { bad } else { "a := 1" }
                )
            })
            .collect();
        let text = World::new().fail(&xml(&[("Main", &format!("<Sequence>{body}</Sequence>"))]));
        for part in parts {
            assert!(text.contains(part), "{bad}: {part} is missing in\n{text}");
        }
    }
    for (bad, place, part) in [
        ("set x = y + ", "t.tick:27:", "expected a value"),
        ("set x = yy", "t.tick:27:9", "did you mean `y`?"),
        ("set x = \"text\"", "t.tick:27:9", "text"),
        ("set xx = 1", "t.tick:27:5", "did you mean `x`?"),
        ("check x", "t.tick:27:7", "bool"),
        (
            "check twise(x) > 1.0",
            "t.tick:27:7",
            "did you mean `twice`?",
        ),
        ("check twice(x, y) > 1.0", "t.tick:27:", "1"),
        ("check x + true > 1", "t.tick:27:", "bool"),
    ] {
        let body: String = (0..50)
            .map(|i| format!("\n{}", if i == 24 { bad } else { "set x = 1" }))
            .collect();
        let text = World::new().fail(
            &format!("keys {{ x = 0; yy_ = 0; y = 0.0 }}\ntree T {{ sequence {{{body}\n}} }}")
                .replace("yy_ = 0; ", ""),
        );
        assert!(text.contains(place) && text.contains(part), "{bad}\n{text}");
    }
    // What only running shows has the path of the node and the script.
    let world = World::new();
    let mut running = world.build(&xml(&[(
        "Main",
        "<Sequence name=\"outer\"><Script name=\"bad one\" code=\"x := nothing + 1\"/></Sequence>",
    )]));
    let error = running.try_tick().expect_err("there is no such key");
    for part in ["bad one", "nothing"] {
        assert!(error.contains(part), "{part} is missing: {error}");
    }
}
