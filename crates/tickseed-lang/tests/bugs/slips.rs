//! What people write who come from another engine or language, and slips of the programs around
//! files: each is met with what was probably meant, and nothing wrong is taken in silence.

use crate::reading::messages;
use crate::world::{Running, World, name_of, xml};
use tickseed_core::nodes;
use tickseed_lang::board::Board;
use tickseed_lang::build::from_text;
use tickseed_lang::expr::{Datum, Type};
use tickseed_lang::model::{Category, Direction};
use tickseed_lang::registry::{Model, PortModel, Registry};

/// What loading a text with a registry says, warnings too.
fn said(text: &str, registry: &Registry<Board>) -> String {
    match from_text(name_of(text), text, registry) {
        Ok(loaded) => {
            let all = loaded.diagnostics.iter();
            all.map(|d| d.render(&loaded.sources)).collect()
        }
        Err(failed) => failed.to_string(),
    }
}

fn main_of(body: &str) -> String {
    xml(&[("Main", body)])
}

#[test]
fn l08_the_index_of_a_loop_is_known_inside_it_alone() {
    let world = World::new();
    let after = "main tree A { sequence { for i in 3 { success }; check i == 2 } }";
    assert!(world.fail(after).contains("no key is called `i`"));
    // A key that the tree declares is its index and keeps the last number.
    let own = "main tree A { keys { i = 9 }\n sequence { for i in 3 { success }; check i == 2 } }";
    assert_eq!(world.build(own).tick(), 'S');
    // A loop inside a loop has a number of its own; a key of the file is left alone.
    let nested = "keys { i = 7; n = 0 }
        main tree A { sequence {
          for i in 3 { sequence { for i in 4 { set n += i }; set n += 100 * i } }
          check n == 318 && i == 7
          for i in 2 { set n += i }
          check n == 319
        } }";
    assert_eq!(world.build(nested).tick(), 'S');
}

#[test]
fn l08_scripts_that_are_right_by_accident_are_warned_of() {
    for (script, part) in [
        ("x := not y", "write `!`"),
        ("x := a and b", "write `&amp;&amp;`"),
        ("x := sqrt(2)", "scripts know no functions"),
        ("if (a) b := 1", "condition ? a : b"),
        ("a := 1 b := 2", "write `;` between them"),
    ] {
        let text = main_of(&format!("<Script code=\"{script}\"/>"));
        let said = said(&text, &Registry::new());
        let part = part.replace("&amp;", "&");
        assert!(
            said.contains("load::run-on") && said.contains(&part),
            "{script}: {said}"
        );
    }
    let fine = main_of("<Script code=\"a := 1; b := 2;\"/>");
    assert_eq!(said(&fine, &Registry::new()), "");
    for (script, part) in [
        ("x := &quot;hi&quot;", "single quotes"),
        ("x++", "write `x += 1`"),
        ("x := 10 % 3", "no operator for remainders"),
        ("x[0] := 1", "know no lists"),
        ("x := {y}", "without braces"),
    ] {
        let text = World::new().fail(&main_of(&format!("<Script code=\"{script}\"/>")));
        assert!(text.contains(part), "{script}: {text}");
    }
}

#[test]
fn l07_errors_of_scripts_name_keys_types_and_values() {
    let mut running: Running = World::new().build(&main_of(
        "<Sequence><Script code=\"pos := 0.02; tol := '0.01'\"/><Script code=\"d := pos - tol\"/></Sequence>",
    ));
    let error = running.try_tick().expect_err("a text");
    for part in [
        "d := pos - tol",
        "`pos` is the number 0.02",
        "`tol` is the text '0.01'",
    ] {
        assert!(error.contains(part), "{part} is missing: {error}");
    }
    let mut running = World::new().build(&main_of(
        "<Sequence><Script code=\"speed := 1\"/><ScriptCondition code=\"sped > 0\"/></Sequence>",
    ));
    let error = running.try_tick().expect_err("no such entry");
    assert!(error.contains("did you mean `speed`?"), "{error}");
}

#[test]
fn b21_a_port_that_cannot_be_read_names_its_key_and_the_reason() {
    for (body, part) in [
        (
            "<Repeat num_cycles=\"{n}\"><AlwaysSuccess/></Repeat>",
            "its key `n` has no value yet",
        ),
        ("<Sleep msec=\"{n}\"/>", "its key `n` has no value yet"),
        (
            "<Timeout msec=\"{n}\"><AlwaysSuccess/></Timeout>",
            "its key `n` has no value yet",
        ),
        (
            "<Sequence><Script code=\"n := 2.5\"/><Repeat num_cycles=\"{n}\"><AlwaysSuccess/></Repeat></Sequence>",
            "its key `n`: expected a whole number",
        ),
    ] {
        let error = World::new()
            .build(&main_of(body))
            .try_tick()
            .expect_err(body);
        assert!(
            error.contains("Missing parameter") && error.contains(part),
            "{body}: {error}"
        );
    }
}

#[test]
fn a01_an_error_is_shown_at_its_place_in_the_file() {
    let text = "<root BTCPP_format='4'><BehaviorTree ID='M'><Sequence>\n<Script code='x = 1'/>\n</Sequence></BehaviorTree></root>";
    let loaded = from_text("m.xml", text, &Registry::<Board>::new()).expect("no mistakes");
    let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    let now = tickseed_core::Time::ZERO;
    let error = loaded.tree.tick(&mut agent, &mut board, now).unwrap_err();
    let shown = loaded.diagnostic(&error).render(&loaded.sources);
    for part in ["m.xml:2:2", "Sequence/Script: ", "doesn't exist"] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    // What no node did wrong has no place.
    let again = loaded.tree.tick(&mut agent, &mut board, now).unwrap_err();
    assert!(loaded.diagnostic(&again).message.contains("recover"));
}

#[test]
fn g01_names_registered_twice_and_over_built_in_nodes() {
    let mut registry = Registry::<Board>::new();
    registry.action("Sequence", |_| tickseed_core::Status::Success);
    registry.action("wait", |_| tickseed_core::Status::Success);
    let text = said(&main_of("<Sequence><AlwaysSuccess/></Sequence>"), &registry);
    assert!(
        text.contains("the program registers `Sequence`, a built-in node"),
        "{text}"
    );
    let text = said(
        "main tree A { sequence { wait 1s; wait 2s; action wait } }",
        &registry,
    );
    assert_eq!(
        text.matches("the program registers `wait`").count(),
        1,
        "{text}"
    );
    assert!(
        text.contains("the program's is written `action wait`"),
        "{text}"
    );
    // The last of two of the program's own counts.
    registry.action("Mine", |_| tickseed_core::Status::Failure);
    registry.action("Mine", |_| tickseed_core::Status::Success);
    let loaded = from_text("t.tick", "main tree A { Mine }", &registry).expect("fine");
    assert_eq!(Running::new(loaded).tick(), 'S');
}

#[test]
fn g02_enumerations_that_contradict_each_other() {
    let mut registry = Registry::<Board>::new();
    registry.enumeration("Color", [("RED", 1), ("BLUE", 3)]);
    registry.enumeration("Color", [("RED", 1), ("BLUE", 3)]);
    registry.enumeration("Alarm", [("RED", 2)]);
    let text = said(&main_of("<Script code=\"c := RED\"/>"), &registry);
    assert!(
        text.contains("`RED` stands for 1 in `Color` and for 2 in `Alarm`"),
        "{text}"
    );
    assert_eq!(
        said(&main_of("<Script code=\"c := BLUE\"/>"), &registry),
        ""
    );
    let beside =
        "keys { c: Color = .RED; a: Alarm = .RED }\nmain tree A { check c == .RED && a == .RED }";
    assert_eq!(said(beside, &registry), "");
    registry.enumeration("Color", [("RED", 7)]);
    let text = said("main tree A { success }", &registry);
    assert!(text.contains("two enumerations called `Color`"), "{text}");
}

#[test]
fn g03_slips_in_the_program_are_told_from_slips_in_the_file() {
    let n = nodes::<Board>;
    let port = |name: &str| PortModel::new(name, Direction::In, Type::Int);
    let mut registry = Registry::<Board>::new();
    registry.node(Model::new("Lazy", Category::Action), |_, _| None);
    let default = Model::new("Default", Category::Action).port(port("m").or("abc"));
    registry.node(default, move |ports, _| {
        ports.input::<i64>("m").map(|_| n().succeed())
    });
    let asks = Model::new("Asks", Category::Action).port(port("goal").or("1"));
    registry.node(asks, move |ports, _| {
        ports.input::<i64>("gaol").map(|_| n().succeed())
    });
    for (body, part) in [
        ("Lazy", "the program makes no node of this `Lazy`"),
        (
            "Default",
            "the default `abc` of the port `m` of `Default` is no int",
        ),
        ("Asks", "did you mean `goal`?"),
    ] {
        for text in [
            main_of(&format!("<{body}/>")),
            format!("main tree A {{ {body} }}"),
        ] {
            let said = said(&text, &registry);
            assert!(said.contains(part), "{part} is missing: {said}");
        }
    }
    let twice = Model::new("Twice", Category::Action)
        .port(port("a"))
        .port(port("a"));
    registry.node(twice, move |_, _| Some(n().succeed()));
    let text = said("main tree A { success }", &registry);
    assert!(
        text.contains("the node `Twice` of the program has two ports called `a`"),
        "{text}"
    );
}

#[test]
fn b19_numbers_and_lists_that_do_not_fit() {
    let world = World::new();
    // A list in JSON, as BehaviorTree.CPP reads it.
    let mut running = world.build(&main_of("<Ints p=\"json:[4, 9]\"/>"));
    running.tick();
    assert!(world.log().join(" ").contains("[4, 9]"));
    let text = world.fail(&main_of("<Ints p=\"json:[4, \"/>"));
    assert!(text.contains("expected a list in JSON"), "{text}");
    let text = world.fail(&main_of("<Float p=\"1e999\"/>"));
    assert!(text.contains("expected a number from"), "{text}");
    // What is held and what was wanted, in plain words.
    let mut registry = Registry::<Board>::new();
    let model =
        Model::new("Small", Category::Action).port(PortModel::new("n", Direction::In, Type::Int));
    registry.node(model, |ports, _| {
        let n = ports.input::<u8>("n")?;
        Some(nodes::<Board>().action("Small", move |cx| {
            n.get(cx).map(|_| tickseed_core::Status::Success)
        }))
    });
    let text = said("main tree A { Small(n: 300) }", &registry);
    assert!(
        text.contains("expected a whole number from 0 to 255, found `300`"),
        "{text}"
    );
    let loaded = from_text(
        "t.tick",
        "keys { k = 300 }\nmain tree A { Small(n: k) }",
        &registry,
    );
    let error = Running::new(loaded.expect("fine"))
        .try_tick()
        .expect_err("300");
    assert!(
        error.contains("its key `k`: expected a whole number from 0 to 255, found `300`"),
        "{error}"
    );
}

#[test]
fn x10_words_of_other_languages_in_tick() {
    for (text, part) in [
        ("keys { x = 1 }\ntree A { set x++ }", "write `x += 1`"),
        (
            "keys { x = 1 }\ntree A { check x === 1 }",
            "equality is written `==`",
        ),
        (
            "keys { x = 1 }\ntree A { check x <> 1 }",
            "inequality is written `!=`",
        ),
        ("tree A { check True }", "did you mean `true`?"),
        (
            "keys { x = 1 }\ntree A { check x == null }",
            "did you mean `none`?",
        ),
        (
            "keys { x = 1 }\ntree A { set x == 4 }",
            "`key = value` assigns",
        ),
        ("include \"a.tick\"\ntree A { success }", "import"),
        (
            "keys { x = true }\ntree A { if x { success } elif x { failure } }",
            "write `else if`",
        ),
        (
            "tree A { /* c */ success }",
            "comments are written `// text`",
        ),
        (
            "keys { v = .5 }\ntree A { success }",
            "a fraction begins with a digit",
        ),
        (
            "keys { v = 5. }\ntree A { success }",
            "a fraction ends with a digit",
        ),
        ("tree A { Go(to: {home}) }", "without braces"),
        ("tree A { sequence(\"x\") { success } }", "sequence \"x\""),
        (
            "tree A { sequence reactive \"x\" { success } }",
            "right behind its kind",
        ),
        (
            "keys { x = true }\ntree A { wait until x within 3s }",
            "within(3s)",
        ),
        (
            "keys { y: flaot }\ntree A { success }",
            "did you mean `float`?",
        ),
        (
            "keys { y: boolean }\ntree A { success }",
            "did you mean `bool`?",
        ),
        (
            "tree A { switch 3 { case 1 { success }; case 2, 1 { failure } } }",
            "`1` stands in two cases",
        ),
    ] {
        let said = messages("t.tick", text).join("\n");
        assert!(said.contains(part), "{text}\n{part} is missing: {said}");
    }
    // Types of the program that resemble none of ours are nothing to speak of.
    let said = messages("t.tick", "keys { y: entity; z: pose }\ntree A { success }");
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn x11_xml_that_fails_at_its_first_tick_is_warned_of_before() {
    let warns = |body: &str, part: &str| {
        let said = messages("t.xml", &main_of(body)).join("\n");
        assert!(said.contains(part), "{body}\n{part} is missing: {said}");
    };
    warns(
        "<Switch2 variable=\"{v}\"><A/><B/></Switch2>",
        "Switch2 needs 3 children",
    );
    warns(
        "<Parallel success_count=\"3\"><A/><B/></Parallel>",
        "`success_count` is 3",
    );
    warns("<Act settings='{\"a\": 1}'/>", "stands behind `json:`");
    warns("<Act goal=\"{ goal }\"/>", "write `{goal}`");
    let fine = "<Parallel success_count=\"-1\" failure_count=\"{n}\"><A/><B/></Parallel>";
    assert!(messages("t.xml", &main_of(fine)).is_empty());
    warns(
        "<RecoveryNode><A/></RecoveryNode>",
        "RecoveryNode needs 2 children",
    );
    warns(
        "<SetBlackboard value=\"1\" output_key=\"{k}\"/>",
        "write output_key=\"k\"",
    );
    let newer = main_of("<A/>").replace("BTCPP_format=\"4\"", "BTCPP_format=\"5\"");
    assert!(messages("t.xml", &newer)[0].contains("version `5` is not known"));
}

#[test]
fn x12_nodes_are_held_against_their_descriptions() {
    use tickseed_lang::check::described;
    use tickseed_lang::load::{Memory, load_text};
    let told = |node: &str, port: &str| {
        let text = format!(
            "<root BTCPP_format='4'><BehaviorTree ID='A'>{node}</BehaviorTree>\
             <TreeNodesModel><Action ID='Go'>{port}</Action></TreeNodesModel></root>"
        );
        let loaded = load_text("a.xml", &text, &Memory::default());
        let all = described(&loaded.documents);
        let all = all.iter().map(|d| format!("{} {:?}\n", d.message, d.help));
        all.collect::<String>()
    };
    let goal = "<input_port name='goal' type='double'/>";
    for (node, part) in [
        ("<Go gaol='1'/>", "did you mean `goal`?"),
        ("<Go goal='x y'/>", "found `x y`"),
        ("<Go goal='1,5'/>", "fractions are written with a point"),
    ] {
        let said = told(node, goal);
        assert!(said.contains(part), "{node}: {said}");
    }
    for node in [
        "<Go goal='1.5'/>",
        "<Go goal='{x}'/>",
        "<Go goal=''/>",
        "<Go/>",
        "<Go goal='FAST'/>",
    ] {
        assert_eq!(told(node, goal), "", "{node}");
    }
    let of_the_program = "<input_port name='n' type='double' default='limits::infinity()'/>";
    assert_eq!(told("<Go/>", of_the_program), "");
    for (port, part) in [
        (
            "<input_port name='n' type='int' default='abc d'/>",
            "the default is no int",
        ),
        (
            "<input_port name='n'/><input_port name='n'/>",
            "two ports called `n`",
        ),
        (
            "<input_port name='n' type='uint8_t' default='300'/>",
            "found `300`",
        ),
    ] {
        let said = told("<Go/>", port);
        assert!(said.contains(part), "{port}: {said}");
    }
}

#[test]
fn s09_includes_that_are_not_found_name_what_is() {
    let folder = std::env::temp_dir().join(format!("tickseed-slips-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).expect("a folder");
    std::fs::write(folder.join("sub/patrol.tick"), "tree P { success }").expect("a file");
    let said = |path: &str| {
        let main = folder.join("main.tick");
        let text = format!(
            "import \"{}\"\nmain tree A {{ success }}",
            path.replace('\\', "\\\\")
        );
        std::fs::write(&main, text).expect("a file");
        let loaded = tickseed_lang::load::load(&main.to_string_lossy(), &tickseed_lang::load::Disk);
        loaded.render()
    };
    for (path, part) in [
        ("sub/Patrol.tick", "sub/patrol.tick`?"),
        ("sub/patrol", "sub/patrol.tick`?"),
        ("sub/petrol.tick", "sub/patrol.tick`?"),
        ("package://robot/x.xml", "no address"),
        ("~/x.tick", "nothing is put in for"),
    ] {
        let text = said(path);
        assert!(text.contains(part), "{path}: {text}");
    }
    if cfg!(not(windows)) {
        assert!(said("sub\\patrol.tick").contains("folders are parted by `/`"));
    }
    std::fs::remove_dir_all(&folder).expect("it was made above");
}

#[test]
fn b20_mappings_that_nothing_inside_names() {
    let file = |attributes: &str| {
        xml(&[
            ("Main", &format!("<SubTree ID=\"S\" {attributes}/>")),
            (
                "S",
                "<Sequence><ScriptCondition code=\"goal == 5\"/><NeedInt p=\"{speed}\"/></Sequence>",
            ),
        ])
    };
    let registry = World::new().registry();
    for slip in ["goall=\"{x}\" speed=\"{s}\"", "goall=\"5\" speed=\"{s}\""] {
        let text = said(&file(slip), &registry);
        assert!(
            text.contains("the tree `S` names no key `goall`"),
            "{slip}: {text}"
        );
        assert!(text.contains("did you mean `goal`?"), "{slip}: {text}");
    }
    // Code may read keys that no file names.
    for fine in [
        "goal=\"{x}\" speed=\"3\"",
        "goal=\"5\" speed=\"{s}\" node=\"{node}\"",
        "_autoremap=\"true\" goals=\"{g}\" goal=\"{x}\"",
    ] {
        assert_eq!(said(&file(fine), &registry), "", "{fine}");
    }
}

#[test]
fn b14_a_program_that_writes_keys_is_told_why_not() {
    let text = "keys { hp = 3 }\ntree Sub(in x: int) { keys { rest = 1.5 }\n check rest > x }\nmain tree A { sequence { Sub(x: 1) } }";
    let loaded = from_text("t.tick", text, &Registry::<Board>::new()).expect("no mistakes");
    let mut board = loaded.board();
    let scope = loaded.layout.scopes()[1].clone();
    let mut told = |path: &str, name: &str, value: Datum| {
        let done = board.try_set_by_name(path, name, value);
        done.err().map_or(String::new(), |error| error.to_string())
    };
    assert_eq!(told("", "hp", Datum::Int(4)), "");
    assert_eq!(told(&scope, "rest", Datum::Float(2.0)), "");
    assert_eq!(
        told("", "hpp", Datum::Int(4)),
        "no key is called `hpp`; did you mean `hp`?"
    );
    assert!(
        told("", "hp", Datum::Text("x".into())).contains("the key `hp` is int, which `x` is not")
    );
    let slip = format!("{scope}x");
    assert!(told(&slip, "rest", Datum::Int(1)).contains(&format!("did you mean `{scope}`?")));
}

#[test]
fn s10_a_tree_that_is_not_there_lists_those_that_are() {
    let registry = Registry::<Board>::new();
    let files = [
        xml(&[
            ("Main", "<SubTree ID=\"Dock\"/>"),
            ("Patrol", "<AlwaysSuccess/>"),
        ]),
        "main tree Main { action Other }\ntree Patrol { success }"
            .replace("action Other", "subtree Dock"),
    ];
    for text in files {
        let told = said(&text, &registry);
        assert!(told.contains("there are Main, Patrol"), "{told}");
    }
    let two = "tree Fetch { success }\ntree Patrol { success }";
    let told = said(two, &registry);
    assert!(told.contains("there are Fetch, Patrol"), "{told}");
}
