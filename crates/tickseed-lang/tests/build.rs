//! Files become trees that run: names, keys, options, mistakes.

use tickseed_core::{ScalarType, Status, TickReport, Time, nodes};
use tickseed_lang::board::Board;
use tickseed_lang::build::{Failed, Loaded, from_text};
use tickseed_lang::expr::{Datum, Type};
use tickseed_lang::model::{Category, Direction};
use tickseed_lang::registry::{Model, PortModel, Registry};

fn registry() -> Registry<Board> {
    let mut registry = Registry::<Board>::new();
    registry.action("Attack", |_| Status::Running);
    registry.action("Patrol", |_| Status::Success);
    registry.condition("Visible", |board| {
        board.by_name("", "seen") == Some(Datum::Bool(true))
    });
    registry.function(
        "double",
        &[Type::Float],
        Type::Float,
        |_, arguments| match arguments {
            [Datum::Float(x)] => Ok(Datum::Float(2.0 * x)),
            _ => Err("expected a number".into()),
        },
    );
    registry
}

fn load(text: &str) -> Loaded<Board> {
    from_text("test.tick", text, &registry()).unwrap_or_else(|failed| panic!("{failed}"))
}

fn fail(name: &str, text: &str) -> Failed {
    from_text(name, text, &registry()).expect_err("there are mistakes")
}

/// Ticks once and tells the answer.
fn tick(loaded: &Loaded<Board>, board: &mut Board, times: usize) -> Vec<Status> {
    let mut agent = loaded.tree.agent();
    (0..times)
        .map(|i| {
            let now = Time::from_millis(i as u64 * 100);
            loaded
                .tree
                .tick(&mut agent, board, now)
                .expect("no leaf fails")
        })
        .collect()
}

#[test]
fn a_tick_file_runs_with_functions_of_the_program() {
    let loaded = load(
        "keys { seen = false; battery: float = 1.0 }
         main tree Guard {
           selector reactive {
             sequence { check battery < 0.2; success }
             sequence { Visible; Attack }
             Patrol
           }
         }",
    );
    let mut board = loaded.board();
    assert_eq!(tick(&loaded, &mut board, 1), [Status::Success]);
    board.set_by_name("", "seen", Datum::Bool(true));
    assert_eq!(tick(&loaded, &mut board, 2), [Status::Running; 2]);
    board.set_by_name("", "battery", Datum::Float(0.1));
    assert_eq!(tick(&loaded, &mut board, 1), [Status::Success]);
}

#[test]
fn an_xml_file_runs_with_the_same_functions() {
    let text = r#"<root BTCPP_format="4"><BehaviorTree ID="Main">
        <ReactiveFallback><Sequence><Visible/><Attack/></Sequence><Patrol/></ReactiveFallback>
      </BehaviorTree></root>"#;
    let loaded =
        from_text("test.xml", text, &registry()).unwrap_or_else(|failed| panic!("{failed}"));
    assert_eq!(tick(&loaded, &mut loaded.board(), 1), [Status::Success]);
}

#[test]
fn comparisons_of_keys_become_data() {
    let loaded = load(
        "keys { a: int = 1; b: float = 2.0 }
         tree T { check a < 3 && (b >= a || !(b == 2)) }",
    );
    let kind = &loaded.tree.node(tickseed_core::NodeId::ROOT).kind;
    let tickseed_core::Kind::Condition(expr) = kind else {
        panic!("{kind:?}")
    };
    assert!(!expr.reads(&mut |_| {}), "no function is called: {expr:?}");
    let mut board = loaded.board();
    assert_eq!(tick(&loaded, &mut board, 1), [Status::Success]);
    board.set_by_name("", "a", Datum::Int(3));
    assert_eq!(tick(&loaded, &mut board, 1), [Status::Failure]);
}

#[test]
fn scripts_and_functions_of_the_user_work_on_keys() {
    let loaded = load(
        "keys { a: float = 1.0; n = 0 }
         tree T { sequence { set { a = double(a) + 1; n += 1 }; check a > 2.5 && double(a) == 6.0 } }",
    );
    let mut board = loaded.board();
    assert_eq!(tick(&loaded, &mut board, 1), [Status::Success]);
    assert_eq!(board.by_name("", "a"), Some(Datum::Float(3.0)));
    assert_eq!(board.by_name("", "n"), Some(Datum::Int(1)));
}

#[test]
fn parameters_are_the_callers_keys_under_another_name() {
    let loaded = load(
        "keys { total = 0 }
         main tree Main { sequence { Add(5, sum: total); Add(n: 7, sum: total); check total == 12 } }
         tree Add(in n: int, inout sum: int) { set sum = sum + n }",
    );
    let mut board = loaded.board();
    assert_eq!(tick(&loaded, &mut board, 1), [Status::Success]);
    assert_eq!(board.by_name("", "total"), Some(Datum::Int(12)));
}

#[test]
fn every_mistake_is_reported_with_its_place_and_the_nearest_name() {
    let failed = fail(
        "bad.tick",
        "keys { battery: float = 1.0 }
main tree Main {
  sequence {
    Atack
    check batery < 2
    Sub(n: \"x\", m: 1)
    set battery = \"full\"
  }
}
tree Sub(in n: int) { check n == 0 }
",
    );
    let text = failed.to_string();
    for part in [
        "bad.tick:4:5",
        "did you mean `Attack`?",
        "bad.tick:5:11",
        "did you mean `battery`?",
        "has no parameter `m`",
        "bad.tick:6:12",
        "bad.tick:7:19",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn recursion_names_the_circle_and_multiplying_subtrees_stop_at_a_limit() {
    let text = fail(
        "loop.tick",
        "main tree A { B }\ntree B { sequence { success; C } }\ntree C { A }\n",
    )
    .to_string();
    assert!(text.contains("A → B → C → A"), "{text}");
    // Ten levels of ten uses each: ten thousand million nodes.
    let mut laughs = String::from("main tree T0 { success }\n");
    laughs.clear();
    for level in 0..10 {
        let main = if level == 0 { "main " } else { "" };
        let uses = format!("T{}; ", level + 1).repeat(10);
        laughs.push_str(&format!(
            "{main}tree T{level} {{ sequence {{ {uses} }} }}\n"
        ));
    }
    laughs.push_str("tree T10 { success }\n");
    let text = fail("laughs.tick", &laughs).to_string();
    assert!(text.contains("more than 200000 nodes"), "{text}");
}

#[test]
fn errors_of_the_engine_point_at_the_line() {
    let text = fail(
        "zero.tick",
        "tree T {\n  parallel success(3) { success; failure }\n}\n",
    )
    .to_string();
    assert!(text.contains("zero.tick:2:3"), "{text}");
}

#[test]
fn options_reach_the_engine() {
    use tickseed_core::{Kind, nodes::Flow};
    let loaded = load(
        "keys { n = 0 } tree T { sequence {
           selector random { success; failure }
           selector weighted(1, 3) { success; failure }
           parallel success(1) failure(all) decide(early) { success; failure }
           repeat 2 drain(5) { success }
           repeat forever { failure }
           loop drain(3) { running }
           hold { catch n > 1 { failure } }
           cooldown 800ms otherwise(skipped) refund { success }
           timeout 2s { running }
           wait 1s..2s
           wait until true within(3s) otherwise(success)
           once otherwise(skipped) { success }
           for i in 3 { check i >= 0 }
           switch 2 { case 1, 2 { success }; default { failure } }
           while false otherwise(success) { failure }
           log \"hello\"
         } }",
    );
    let kinds: Vec<_> = loaded
        .tree
        .def()
        .iter()
        .map(|(_, n)| n.kind.clone())
        .collect();
    assert!(
        kinds.iter().any(
            |k| matches!(k, Kind::Selector(Flow::Random { weights }) if weights == &[1.0, 3.0])
        )
    );
    assert!(
        kinds
            .iter()
            .any(|k| matches!(k, Kind::Gate(g) if g.interval == 800_000_000 && g.refund_on_halt))
    );
    assert!(kinds.iter().any(|k| matches!(k, Kind::ForEach(_))));
}

#[test]
fn limits_on_runs_recovery_and_forgetting_can_be_written() {
    let loaded = load(
        "keys { n = 0; tries = 0 }
         tree T { sequence {
           force success { limit 2 otherwise(success) { set n = n + 1 } }
           recovery 2 { sequence { set tries = tries + 1; check tries > 2 }; success }
           forget { once { success } }
         } }",
    );
    let mut board = loaded.board();
    assert_eq!(tick(&loaded, &mut board, 4), [Status::Success; 4]);
    assert_eq!(board.by_name("", "n"), Some(Datum::Int(2)));
    assert_eq!(board.by_name("", "tries"), Some(Datum::Int(6)));
}

#[test]
fn outlines_and_tools_know_the_keys_of_a_file_by_name() {
    let registry = Registry::<Board>::new();
    let text = "keys { battery = 0.9 }\nmain tree A { sequence { check battery < 0.2; Sub } }\ntree Sub { keys { battery = 5 }; check battery > 3 }";
    let loaded = from_text("a.tick", text, &registry).unwrap();
    let outline = loaded.tree.outline();
    assert!(outline.contains("battery < 0.2"), "{outline}");
    assert!(outline.contains("Sub::3/battery >= 4"), "{outline}");
    assert!(!outline.contains("key#"), "{outline}");
    let names: Vec<_> = loaded
        .tree
        .keys()
        .iter()
        .map(|key| key.name.as_str())
        .collect();
    assert_eq!(names, ["battery", "Sub::3/battery"]);
}

/// A `main` that returns the error prints it with `Debug`: that must be readable as well.
#[test]
fn what_failed_reads_the_same_either_way() {
    let failed = fail("a.tick", "tree A { selectr { Idle } }");
    let shown = format!("{failed:?}");
    assert_eq!(shown, failed.to_string());
    assert!(shown.contains("a.tick:1:10"), "{shown}");
}

/// Traces tell who wrote a file's key, and keys of XML have the type of the port that fills them.
#[test]
fn who_wrote_a_key_of_a_file_is_known() {
    let text = "keys { n = 0; calm = true }\nmain tree A { sequence { set n = 2; Patrol; set calm = false } }";
    let loaded = load(text);
    let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    let mut report = TickReport::new();
    let ticked = loaded
        .tree
        .tick_traced(&mut agent, &mut board, Time::ZERO, &mut report);
    assert_eq!(ticked.unwrap(), Status::Success);
    let written: Vec<_> = report
        .writes()
        .iter()
        .map(|(key, node)| (loaded.tree.key_name(*key).unwrap(), loaded.tree.path(*node)))
        .collect();
    assert_eq!(
        written,
        [
            ("n", "sequence/set".to_owned()),
            ("calm", "sequence/set#2".to_owned())
        ]
    );

    let mut registry = registry();
    let model = Model::new("Move", Category::Action)
        .port(PortModel::new("speed", Direction::In, Type::Float))
        .port(PortModel::new("goal", Direction::In, Type::Text));
    registry.node(model, |_, _| Some(nodes::<Board>().succeed()));
    let xml = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\"><Move speed=\"{v}\" goal=\"{g}\"/></BehaviorTree></root>";
    let loaded = from_text("a.xml", xml, &registry).unwrap();
    let keys: Vec<_> = loaded
        .tree
        .keys()
        .iter()
        .map(|k| (&*k.name, k.ty))
        .collect();
    assert_eq!(keys, [("v", ScalarType::F64)]);
}

/// What the engine refuses is told in the file's words: durations with units, places of both nodes.
#[test]
fn refusals_of_the_engine_are_told_of_the_file() {
    for (body, expected) in [
        ("timeout 0s { Attack }", "the time limit is zero"),
        (
            "wait 2s..1500ms",
            "the shortest duration, 2s, is above the longest, 1500ms",
        ),
        (
            "wait 20_000h",
            "the duration is 20000h, at most 417 days can be kept",
        ),
        (
            "parallel success(3) { Attack; Patrol }",
            "use 1 to 2, or all",
        ),
        (
            "sequence preempt(before_start) { Attack }",
            "make it reactive first",
        ),
        (
            "timeout 1s { uninterruptible { Attack } }",
            "an uninterruptible node stands below a `timeout` that can halt it",
        ),
    ] {
        let said = fail("t.tick", &format!("main tree A {{\n  {body}\n}}\n")).to_string();
        assert!(said.contains(expected), "{body}: {said}");
        assert!(said.contains("t.tick:2:"), "{body}: {said}");
        for rust in [" ns", "Threshold::", "reactive()", "before_start)`"] {
            assert!(!said.replace(body, "").contains(rust), "{body}: {said}");
        }
    }
}
