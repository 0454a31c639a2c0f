//! Expressions and scripts that fail say so, with the node, the key and what stood in it.

use tickseed_core::{Status, TickError, Time};
use tickseed_lang::board::Board;
use tickseed_lang::build::{Loaded, from_text};
use tickseed_lang::expr::{Datum, Type};
use tickseed_lang::registry::Registry;

fn load(text: &str) -> Loaded<Board> {
    let mut registry = Registry::<Board>::new();
    registry.function("broken", &[], Type::Bool, |_, _| {
        Err("the lamp is out".into())
    });
    registry.function("far", &[], Type::Float, |_, _| Err("no map".into()));
    registry.action("Work", |_| Status::Running);
    from_text("test.tick", text, &registry).unwrap_or_else(|failed| panic!("{failed}"))
}

/// The error of the first tick; afterwards the agent is poisoned until it is recovered.
fn error(text: &str) -> String {
    let loaded = load(text);
    let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    let mut tick = || loaded.tree.tick(&mut agent, &mut board, Time::ZERO);
    let first = tick();
    assert!(
        matches!(tick(), Err(TickError::Poisoned)),
        "{text}: {first:?}"
    );
    match first {
        Err(TickError::Leaf { path, error, .. }) => format!("{path}: {error}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn says(tree: &str, parts: &[&str]) {
    let keys = "keys { pos: float; n = 9223372036854775807 }";
    let message = error(&format!(
        "{keys} tree T {{ sequence \"top\" {{ success; {tree} }} }}"
    ));
    for part in ["top"].iter().chain(parts) {
        assert!(
            message.contains(part),
            "{tree}: {part} is missing in {message}"
        );
    }
}

#[test]
fn guards_that_fail_do_not_count_as_false() {
    let unset = &["the key `pos` is declared but not set"];
    says("Work skip if pos < 1", unset);
    says("Work fail if pos < 1", unset);
    says("Work succeed if pos < 1", unset);
    says("Work while pos < 1", unset);
    says("if pos < 1 { Work }", unset);
    says("while pos < 1 { Work }", unset);
    says("precondition pos < 1 { Work }", unset);
    says("wait until pos < 1", unset);
    says("check pos < 1", unset);
    says("Work skip if broken()", &["the lamp is out"]);
    says("if n < 1 || broken() { Work }", &["the lamp is out"]);
    // What is not asked cannot fail.
    let loaded =
        load("keys { n = 0 } tree T { if n < 1 || broken() { success } else { failure } }");
    let status = loaded
        .tree
        .tick(&mut loaded.tree.agent(), &mut loaded.board(), Time::ZERO);
    assert_eq!(status.unwrap(), Status::Success);
}

#[test]
fn numbers_and_choices_that_fail_do_not_count_as_zero() {
    let unset = &["the key `pos` is declared but not set"];
    says("wait 1s * pos", unset);
    says("delay 1s * pos { Work }", unset);
    says(
        "for n + 1 { Work }",
        &["`n` is the int 9223372036854775807"],
    );
    says(
        "switch n + 1 { case 1 { Work }; default { success } }",
        &["does not fit 64 bits"],
    );
    says("utility { option pos { Work } }", unset);
    says("utility { option { consider far(); Work } }", &["no map"]);
    says("catch pos < 1 { failure }", unset);
    says("log pos", unset);
}

#[test]
fn scripts_that_fail_name_the_key_and_the_operands() {
    let overflow = &["does not fit 64 bits", "`n` is the int 9223372036854775807"];
    says("set n = n + 1", overflow);
    says("success on success { n = n + 1 }", overflow);
    says(
        "force success { failure on failure { n = n + 1 } }",
        overflow,
    );
    says("success on done { n = n + 1 }", overflow);
    says(
        "set pos = pos + 1",
        &["the key `pos` is declared but not set"],
    );
}

#[test]
fn the_script_of_a_halt_leaves_a_note() {
    let loaded = load(
        "keys { n = 9223372036854775807; go = true }
         tree T { while go { Work on halt { n = n + 1 } } }",
    );
    let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    let mut tick = |board: &mut Board| loaded.tree.tick(&mut agent, board, Time::ZERO).unwrap();
    assert_eq!(tick(&mut board), Status::Running);
    board.set_by_name("", "go", Datum::Bool(false));
    assert_eq!(tick(&mut board), Status::Failure);
    let note = board.take_note().expect("the halt's script failed");
    assert!(note.contains("`n` is the int"), "{note}");
    assert_eq!(board.take_note(), None);
}

#[test]
fn what_cannot_fail_stays_data() {
    let loaded = load(
        "keys { a = 1; x = 0.5 }
         tree T { sequence {
           success skip if a > 2
           if x < 1 { success on success { x = x * 2.0 + 1.0 } }
         } }",
    );
    let custom = loaded
        .tree
        .def()
        .iter()
        .any(|(_, n)| matches!(n.kind, tickseed_core::Kind::Custom(_)));
    assert!(!custom);
}
