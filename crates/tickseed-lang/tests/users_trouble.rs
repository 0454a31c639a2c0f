//! Cases of users' trouble with other engines that `.tick` files can show, by their numbers there.
//! (L01, L07, B05 and B14 are in `expressions.rs`, X01 and X03 in `mistakes.rs`.)

use tickseed_lang::check::{Options, check};
use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::fmt::format;
use tickseed_lang::model::{FileId, Hook};
use tickseed_lang::tick::parse_text;

fn messages(text: &str) -> Vec<Diagnostic> {
    let parsed = parse_text(text, FileId(0));
    assert!(parsed.is_ok(), "{:?}", parsed.diagnostics);
    check(&[&parsed.document], &Options::default())
}

/// S01: trees that use themselves are an error that shows the cycle; a diamond is fine.
#[test]
fn s01_recursion() {
    let cycle = "tree A { B }\ntree B { C }\ntree C { sequence { D; A } }\ntree D { success }";
    let found = messages(cycle);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "trees use themselves: A -> B -> C -> A");
    assert_eq!(messages("tree A { A }")[0].code, "tick::recursion");
    let diamond = "tree A { sequence { B; C } }\ntree B { D }\ntree C { D }\ntree D { success }";
    assert!(messages(diamond).is_empty());
}

/// S03: the order of definitions does not matter.
#[test]
fn s03_order() {
    let text = "tree A { sequence { B; C(true); k(k) } }\ntree B { C(false) }\n\
        tree C(in on: bool) { check on }\nleaf k(in v: int)\nkeys { k: int = 1 }";
    let mut document = parse_text(text, FileId(0)).document;
    assert_eq!(document.items.len(), 5);
    // Exchanging neighbours in turn reaches many orders, each item at each place among them.
    for round in 0..120 {
        assert!(check(&[&document], &Options::default()).is_empty());
        let place = round % (document.items.len() - 1);
        document.items.swap(place, place + 1);
    }
}

/// B17: a key that nothing declares is reported at load, with the nearest name.
#[test]
fn b17_misspelt_key() {
    let text = "keys { foe: entity }\ntree Main { Sub(aim: fo) }\n\
        tree Sub(in aim: entity) { check aim != none }";
    let found = messages(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].help.as_deref(), Some("did you mean `foe`?"));
    assert!(messages(&text.replace("fo)", "foe)")).is_empty());
}

/// B01: a port left out takes its default; an empty text is a text.
#[test]
fn b01_empty_is_not_missing() {
    let leaf = "leaf Act(in p: int = 7)\n";
    assert!(messages(&format!("{leaf}tree A {{ Act }}")).is_empty());
    assert!(messages(&format!("{leaf}tree A {{ Act(p: 3) }}")).is_empty());
    let empty = messages(&format!("{leaf}tree A {{ Act(p: \"\") }}"));
    assert_eq!(empty[0].message, "expected int, found text");
}

/// B11: what a tree keeps for itself is not seen by its caller.
#[test]
fn b11_private_keys() {
    let text = "tree Main { sequence { Sub; check tmp > 0 } }\n\
        tree Sub { keys { tmp = 0 }\n set tmp += 1 }";
    assert_eq!(messages(text)[0].message, "no key is called `tmp`");
}

/// X06: an unknown node is named with the nearest known one; other engines' words are understood.
#[test]
fn x06_unknown_node() {
    let found = messages("tree A { sequense { success } }");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `sequence`?"));
    let text = "tree A {\n  fallback { success }\n}\n";
    assert!(messages(text).is_empty());
    let document = parse_text(text, FileId(0)).document;
    assert_eq!(format(&document), "tree A {\n  selector { success }\n}\n");
}

/// S05, L04: guards stand on any node, uses of trees too, and their order is fixed.
#[test]
fn s05_guards_stand_on_uses_of_trees() {
    let text =
        "tree A { B while true skip if true succeed if true fail if true }\ntree B { success }";
    assert!(messages(text).is_empty());
    let document = parse_text(text, FileId(0)).document;
    let node = &document.tree("A").unwrap().body[0];
    let mut order: Vec<_> = Hook::ALL.iter().map(|entry| entry.0).collect();
    order.retain(|hook| node.hook(*hook).is_some());
    assert_eq!(
        order,
        [Hook::FailIf, Hook::SucceedIf, Hook::SkipIf, Hook::While]
    );
}
