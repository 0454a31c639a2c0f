//! Cases that need a tree that runs, and hostile files that only building shows.

use crate::world::{Running, World, xml};
use tickseed_lang::build::Options;
use tickseed_lang::expr::Datum;
use tickseed_lang::registry::{Const, Model, PortModel};

/// Forty trees that use the next one twice: 2^40 nodes. An error, at once, in little memory.
#[test]
fn s01_subtrees_that_multiply_stop_at_a_limit() {
    let levels = 40;
    let mut tick = String::from("main tree T0 { sequence { T1; T1 } }\n");
    let mut trees = vec![("Main".to_owned(), "<SubTree ID=\"T0\"/>".to_owned())];
    for level in 0..levels {
        if level > 0 {
            tick.push_str(&format!(
                "tree T{level} {{ sequence {{ T{}; T{0} }} }}\n",
                level + 1
            ));
        }
        let next = format!("<SubTree ID=\"T{}\"/>", level + 1);
        trees.push((
            format!("T{level}"),
            format!("<Sequence>{next}{next}</Sequence>"),
        ));
    }
    tick.push_str(&format!("tree T{levels} {{ success }}\n"));
    trees.push((format!("T{levels}"), "<AlwaysSuccess/>".to_owned()));
    let trees: Vec<(&str, &str)> = trees
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    for text in [tick, xml(&trees)] {
        let message = World::new().fail(&text);
        assert!(message.contains("nodes"), "{message}");
        assert!(
            message.len() < 10_000,
            "{} bytes of messages",
            message.len()
        );
    }
}

/// The limit is an option.
#[test]
fn s01_the_limit_of_nodes_is_an_option() {
    let text = format!("tree T {{ sequence {{ {} }} }}", "success\n".repeat(50));
    let mut options = Options::default();
    options.max_nodes = 40;
    let failed = World::new()
        .try_files(&[("t.tick", &text)], &options)
        .expect_err("51 nodes");
    assert!(failed.to_string().contains("40"), "{failed}");
    options.max_nodes = 60;
    World::new()
        .try_files(&[("t.tick", &text)], &options)
        .expect("51 nodes");
}

/// One or four children are an error that says so, before anything is run.
#[test]
fn d17_if_and_while_of_xml_take_two_or_three_children() {
    for kind in ["IfThenElse", "WhileDoElse"] {
        for count in 1..=4 {
            let children = "<Act/>".repeat(count);
            let text = xml(&[("Main", &format!("<{kind}>{children}</{kind}>"))]);
            let world = World::new();
            let found = world
                .try_files(&[("t.xml", &text)], &Options::default())
                .map_err(|failed| failed.to_string())
                .and_then(|loaded| crate::world::Running::new(loaded).try_tick());
            if (2..=3).contains(&count) {
                assert_eq!(found, Ok('S'), "{kind} {count}");
            } else {
                let message = found.expect_err("a wrong number of children");
                assert!(
                    message.contains("2 or 3 children"),
                    "{kind} {count}: {message}"
                );
                assert!(world.log().is_empty());
            }
        }
    }
}

/// The error of a leaf three levels down names its path and keeps what it said.
#[test]
fn a01_which_leaf_failed() {
    for text in [
        xml(&[
            ("Main", "<Sequence name=\"outer\"><SubTree ID=\"Sub\" name=\"sub\"/></Sequence>"),
            ("Sub", "<RetryUntilSuccessful name=\"again\" num_attempts=\"3\"><Act name=\"bad\"/></RetryUntilSuccessful>"),
        ]),
        "main tree Main { sequence \"outer\" { Sub \"sub\" } }\ntree Sub { retry 3 { Act \"bad\" } }".to_owned(),
    ] {
        let world = World::new().plan("bad", "X");
        let mut running = world.build(&text);
        let error = running.try_tick().expect_err("it fails");
        assert!(error.contains("bad") && error.contains("boom"), "{error}");
    }
}

/// A value that is read once must stand in the file: a key there is an error at load, at any depth.
#[test]
fn b08_constants_are_read_when_the_tree_is_loaded() {
    let world = World::new();
    let mut registry = world.registry();
    let port = PortModel::new(
        "p",
        tickseed_lang::model::Direction::In,
        tickseed_lang::expr::Type::Int,
    )
    .constant();
    registry.node(
        Model::new("Fixed", tickseed_lang::model::Category::Action).port(port),
        |ports, _| {
            let Const(value): Const<i64> = ports.constant("p")?;
            let name = format!("fixed {value}");
            Some(
                tickseed_core::nodes::<tickseed_lang::board::Board>()
                    .action(name, |_| tickseed_core::Status::Success),
            )
        },
    );
    let build =
        |text: &str| tickseed_lang::build::from_text(crate::world::name_of(text), text, &registry);
    for (text, is_fine) in [
        (xml(&[("Main", "<Fixed p=\"3\"/>")]), true),
        (xml(&[("Main", "<Fixed p=\"{k}\"/>")]), false),
        (
            xml(&[
                ("Main", "<SubTree ID=\"Sub\" k=\"3\"/>"),
                ("Sub", "<Fixed p=\"{k}\"/>"),
            ]),
            false,
        ),
        ("tree T { Fixed(3) }".to_owned(), true),
        ("keys { k = 3 }\ntree T { Fixed(k) }".to_owned(), false),
    ] {
        match build(&text) {
            Ok(_) => assert!(is_fine, "{text}"),
            Err(failed) => {
                let message = failed.to_string();
                assert!(
                    !is_fine && message.contains("`p` is read once"),
                    "{message}"
                );
            }
        }
    }
}

/// Every scope is listed once.
#[test]
fn e07_all_scopes_are_listed() {
    let world = World::new();
    let running = world.build(&xml(&[
        (
            "Main",
            "<Sequence><SubTree ID=\"A\" name=\"one\"/><SubTree ID=\"A\" name=\"two\"/></Sequence>",
        ),
        ("A", "<SubTree ID=\"B\" name=\"deep\"/>"),
        ("B", "<Script code=\"x := 1\"/>"),
    ]));
    let scopes = running.loaded.layout.scopes();
    assert_eq!(scopes.len(), 5, "{scopes:?}");
    let mut once = scopes.to_vec();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), 5, "{scopes:?}");
    for part in ["one", "two", "deep"] {
        assert!(
            scopes.iter().any(|scope| scope.contains(part)),
            "{part} in {scopes:?}"
        );
    }
}

/// Old spellings load with one warning each; misspelt ones are an error with the nearest name.
#[test]
fn x06_old_and_misspelt_names() {
    let world = World::new();
    let running = world.build(&xml(&[(
        "Main",
        "<RetryUntilSuccesful num_attempts=\"3\"><SequenceStar><Act/></SequenceStar></RetryUntilSuccesful>",
    )]));
    let warnings: Vec<_> = running
        .loaded
        .diagnostics
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    for (body, near) in [
        ("<Sequense><Act/></Sequense>", "Sequence"),
        ("<Actt/>", "Act"),
        (
            "<Retry num_attempts=\"3\"><RetryUntilSuccessfull num_attempts=\"3\"><Act/></RetryUntilSuccessfull></Retry>",
            "RetryUntilSuccessful",
        ),
    ] {
        let message = World::new().fail(&xml(&[("Main", body)]));
        assert!(
            message.contains(&format!("`{near}`")) && message.contains("t.xml:2:"),
            "{message}"
        );
    }
    let message = World::new().fail("tree T {\n  sequnce { Act }\n}");
    assert!(
        message.contains("did you mean `sequence`?") && message.contains("t.tick:2:3"),
        "{message}"
    );
}

/// Each attribute that a model section needs, left out in turn, is named.
#[test]
fn x04_incomplete_models() {
    let file = |model: &str| {
        format!(
            "<root BTCPP_format=\"4\"><BehaviorTree ID=\"Main\"><AlwaysSuccess/></BehaviorTree>\n<TreeNodesModel>{model}</TreeNodesModel></root>"
        )
    };
    World::new().build(&file("<SubTree ID=\"S\"><input_port name=\"p\"/></SubTree><Action ID=\"A\"><output_port name=\"q\"/></Action>"));
    for (model, named) in [
        ("<SubTree><input_port name=\"p\"/></SubTree>", "ID"),
        ("<SubTree ID=\"S\"><input_port/></SubTree>", "name"),
        (
            "<SubTree ID=\"S\"><output_port default=\"1\"/></SubTree>",
            "name",
        ),
        (
            "<SubTree ID=\"S\"><inout_port type=\"int\"/></SubTree>",
            "name",
        ),
    ] {
        let message = World::new().fail(&file(model));
        assert!(
            message.contains(named) && message.contains("t.xml:2:"),
            "{model}\n{message}"
        );
    }
}

/// The order of trees and files changes nothing about what runs.
#[test]
fn s03_the_order_of_trees_changes_no_trace() {
    let trees = [
        "main tree Main { sequence { A; B } }\n",
        "tree A { sequence { C(1); Act \"a\" } }\n",
        "tree B { selector { Act \"b\"; C(2) } }\n",
        "tree C(in n: int) { Int \"c\" (n) }\n",
    ];
    let trace = |order: &[usize]| {
        let world = World::new().plan("b", "F");
        let text: String = order.iter().map(|&i| trees[i]).collect();
        let mut running = world.build(&text);
        (running.ticks(2), world.log())
    };
    let wanted = trace(&[0, 1, 2, 3]);
    assert_eq!(wanted.0, "SS");
    for order in [
        [3, 2, 1, 0],
        [1, 0, 3, 2],
        [2, 3, 0, 1],
        [3, 0, 1, 2],
        [1, 2, 3, 0],
    ] {
        assert_eq!(trace(&order), wanted, "{order:?}");
    }
}

/// What a script sets is there for the guards behind it, in the same tick, in both languages.
#[test]
fn l03_scripts_and_guards_see_each_other() {
    for text in [
        xml(&[("Main", "<Sequence><Act name=\"A\" _onSuccess=\"k := 1\"/><Act name=\"B\" _skipIf=\"k == 1\"/></Sequence>")]),
        "keys { k = 0 }\ntree T { sequence { Act \"A\" on success k = 1; Act \"B\" skip if k == 1 } }".to_owned(),
    ] {
        let world = World::new();
        let mut running = world.build(&text);
        assert_eq!(running.tick(), 'S');
        assert_eq!(world.log(), ["start A"]);
        assert_eq!(running.get("k"), Some(Datum::Int(1)));
    }
}

/// Recoveries of children that end at once: a tick makes a thousand, and the next goes on there.
#[test]
fn d15_recoveries_of_one_tick_are_limited() {
    let node = |retries: &str| {
        xml(&[(
            "Main",
            &format!(
                "<RecoveryNode number_of_retries=\"{retries}\"><AlwaysFailure/><AlwaysSuccess/></RecoveryNode>"
            ),
        )])
    };
    assert_eq!(World::new().build(&node("999")).tick(), 'F');
    assert_eq!(World::new().build(&node("1500")).ticks(3), "RFR");
    assert_eq!(World::new().build(&node("2147483647")).ticks(2), "RR");
}

/// An include that names no file, and structure where nodes should be, are said and not passed over.
#[test]
fn x01_includes_and_structure_out_of_place() {
    let root = |inside: &str| {
        format!("<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\">\n{inside}</root>")
    };
    let tree = |body: &str| format!("<BehaviorTree ID=\"Main\">{body}</BehaviorTree>");
    for (inside, wanted) in [
        (
            format!("<include path=\"\"/>{}", tree("<Act/>")),
            "the path is empty",
        ),
        (tree("<include path=\"a.xml\"/>"), "<include> is no node"),
        (tree("<Sequence><root/></Sequence>"), "<root> is no node"),
        (tree("<TreeNodesModel/>"), "<TreeNodesModel> is no node"),
    ] {
        let message = World::new().fail(&root(&inside));
        assert!(
            message.contains(wanted) && message.contains("t.xml:2:"),
            "{inside}\n{message}"
        );
    }
}

/// Loops that would run over nothing or write nowhere, and `_autoremap` that is neither.
#[test]
fn d13_loops_say_what_they_lack() {
    for (attributes, wanted) in [
        ("", "Missing port [queue]"),
        ("queue=\"1;2\" value=\"v\"", "can not be converted to int"),
        (
            "queue=\"1;x\" value=\"{v}\"",
            "can not be converted to a list",
        ),
    ] {
        let message = World::new().fail(&xml(&[(
            "Main",
            &format!("<LoopInt {attributes}><Act/></LoopInt>"),
        )]));
        assert!(message.contains(wanted), "{attributes}\n{message}");
    }
    let mut running = World::new().build(&xml(&[(
        "Main",
        "<LoopInt queue=\"1;2;\" value=\"{v}\"><Act/></LoopInt>",
    )]));
    assert_eq!(running.ticks(3), "RRS");
}

/// `_autoremap` with another word than the reference knows would silently map nothing.
#[test]
fn b09_automatic_mapping_is_on_or_off() {
    let with = |word: &str| {
        let use_of = format!("<SubTree ID=\"Sub\" _autoremap=\"{word}\"/>");
        xml(&[("Main", &use_of), ("Sub", "<Act/>")])
    };
    for word in ["true", "True", "TRUE", "1", "false", "False", "FALSE", "0"] {
        World::new().build(&with(word));
    }
    for word in ["yes", "", "on", "{x}"] {
        let message = World::new().fail(&with(word));
        assert!(message.contains("true or false"), "{word}\n{message}");
    }
}

/// One key for a time that cannot be negative and for a count: the reference refuses that.
#[test]
fn b03_built_in_ports_have_types() {
    let build = |body: &str| {
        let text = xml(&[("Main", body)]);
        let world = World::new();
        let built = world.try_files(&[("t.xml", &text)], &Options::default());
        built.map(drop).map_err(|failed| failed.to_string())
    };
    let message = build(
        "<Sequence><Sleep msec=\"{x}\"/><Repeat num_cycles=\"{x}\"><Act/></Repeat></Sequence>",
    )
    .expect_err("two types");
    assert!(
        message.contains("[unsigned int]") && message.contains("[int]"),
        "{message}"
    );
    build("<Sequence><WasEntryUpdated entry=\"{x}\"/><Sleep msec=\"{x}\"/><Repeat num_cycles=\"{x}\"><Act/></Repeat></Sequence>")
        .expect("an entry that an untyped port made stays untyped");
}

/// Halting the whole tree forgets what idle nodes keep; halting what runs does not.
#[test]
fn h06_halting_all_reaches_idle_nodes() {
    for all in [false, true] {
        let world = World::new();
        let mut running = world.build(&xml(&[(
            "Main",
            "<RoundRobin wrap_around=\"true\"><Act name=\"a\"/><Act name=\"b\"/></RoundRobin>",
        )]));
        assert_eq!(running.tick(), 'S');
        let now = tickseed_core::Time::from_millis(1);
        let Running {
            loaded,
            agent,
            board,
            ..
        } = &mut running;
        let halted = match all {
            true => loaded.halt_all(agent, board, now),
            false => loaded.tree.halt(agent, board, now),
        };
        halted.expect("nothing runs");
        assert_eq!(running.tick(), 'S');
        let second = if all { "start a" } else { "start b" };
        assert_eq!(world.log(), ["start a", second]);
    }
}

/// `docs/decisions.md` names a test for each decision about files; all of them exist.
#[test]
fn u04_every_decision_about_files_has_its_test() {
    let sources = [
        include_str!("b_ports.rs"),
        include_str!("e_editor.rs"),
        include_str!("l_scripts.rs"),
        include_str!("more.rs"),
        include_str!("regressions.rs"),
        include_str!("s_subtrees.rs"),
        include_str!("parity.rs"),
        include_str!("slips.rs"),
        include_str!("strange.rs"),
        include_str!("v_live.rs"),
        include_str!("wild.rs"),
        include_str!("x_files.rs"),
        include_str!("../mistakes.rs"),
    ];
    let text = include_str!("../../../../docs/decisions.md");
    let files = text
        .split("\n# Files")
        .nth(1)
        .expect("the part about files");
    let mut rows = 0;
    for line in files
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| question"))
    {
        let last = line
            .trim_end_matches('|')
            .rsplit('|')
            .next()
            .expect("cells");
        let tests: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test: {line}");
        for test in tests {
            let exists = sources.iter().any(|s| s.contains(&format!("fn {test}()")));
            assert!(exists, "no such test: {test}");
        }
        rows += 1;
    }
    assert!(rows > 25, "{rows}");
}
