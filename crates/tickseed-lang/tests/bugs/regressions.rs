//! What hunting found, each with the smallest text that showed it.

use crate::reading::{messages, through, tick};
use tickseed_lang::fmt::format;
use tickseed_lang::model::{
    Attribute, Dialect, Document, Format, Item, Name, Node, Span, Tree, Value,
};

fn tree_of(node: Node) -> Document {
    let tree = Tree {
        name: Name::from("T"),
        body: vec![node],
        ..Tree::default()
    };
    Document {
        items: vec![Item::Tree(tree)],
        ..Document::default()
    }
}

/// A key called like the second word of a built-in was printed behind the first: `wait until`.
#[test]
fn keys_called_like_second_words_are_read_back() {
    for (first, second) in [
        ("wait", "until"),
        ("wait", "success"),
        ("repeat", "until"),
        ("retry", "success"),
        ("check", "until"),
    ] {
        for key in [
            Value::key(second, Span::default()),
            Value::code(format!("{second} + 1"), Dialect::Tick, Span::default()),
            Value::code(format!("{second}.x"), Dialect::Tick, Span::default()),
        ] {
            for name in [None, Some(Name::from("name"))] {
                for behind in [None, Some("until"), Some("success")] {
                    let mut node = Node::new(first);
                    node.name.clone_from(&name);
                    node.attributes.push(Attribute::positional(key.clone()));
                    node.attributes
                        .extend(behind.map(|word| Attribute::option(Name::from(word), None)));
                    let document = tree_of(node);
                    let text = format(&document);
                    let (back, _) = tickseed_lang::load::read_as(
                        Format::Tick,
                        &text,
                        tickseed_lang::model::FileId(0),
                    );
                    assert!(back.same_meaning(&document), "{text}");
                }
            }
        }
    }
}

/// The smallest whole number has no positive counterpart: its digits alone fit no integer.
#[test]
fn the_smallest_number_is_read_back() {
    let value = Value::int(i64::MIN, Span::default());
    let mut node = Node::new("Act");
    node.attributes
        .push(Attribute::argument(Name::from("n"), value));
    let document = tree_of(node);
    for format in [Format::Tick, Format::Xml, Format::Json, Format::Binary] {
        let (back, messages) = through(format, &document);
        assert!(back.same_meaning(&document), "{format:?} {messages:?}");
    }
    let values = "-9223372036854775808, [-9_223_372_036_854_775_808], 0 - 9223372036854775807";
    tick(&format!(
        "tree A {{ B({values}) }}\nenum E {{ a = -9223372036854775808 }}"
    ));
    for wrong in [
        "9223372036854775808",
        "- 9223372036854775808",
        "a - 9223372036854775808",
        "a -9223372036854775808",
        "-9223372036854775809",
    ] {
        let found = messages("t.tick", &format!("tree A {{ B(x: {wrong}) }}"));
        assert_eq!(found.len(), 1, "{wrong}: {found:?}");
    }
    // Its sign cannot be turned around.
    tick("tree A { check -(-9223372036854775808) < a }");
}

/// One mistake in a name hid the tree it stands in, and its closing brace was one too many.
#[test]
fn an_empty_name_is_one_mistake() {
    assert_eq!(
        messages("t.tick", "tree `` {\n  B\n}\n"),
        ["1:6 a name cannot be empty"]
    );
}

/// Lines that end as on old Macintoshes: the first comment hid the rest of the file.
#[test]
fn lone_carriage_returns_are_an_error() {
    let found = messages("t.tick", "// a comment\rmain tree A {\r  B\r}\r");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("1:13 a carriage return alone"),
        "{found:?}"
    );
    let found = messages("t.tick", "tree A {\r  B\r}\r");
    assert_eq!(found.len(), 1, "{found:?}");
    tick("tree A {\r\r\n  B\r\r\n}\r\r\n\r");
}

/// A misspelt word of `.tick` was told the name of a node of XML.
#[test]
fn words_of_tick_are_near_words_of_tick() {
    let message = crate::world::World::new().fail("tree T { sequnce { success } }");
    assert!(message.contains("did you mean `sequence`?"), "{message}");
}
