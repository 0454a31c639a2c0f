//! X: texts that are no trees, in every format.

use crate::reading::messages;

/// A part of the first message for each of some bad texts, which begins with its place.
fn check(name: &str, cases: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (text, place, part) in cases {
        let found = messages(name, text);
        let first = found.first().map_or("nothing", String::as_str);
        if !first.starts_with(&format!("{place} ")) || !first.contains(part) {
            wrong.push(format!(
                "{text:?}\n  wanted {place} {part}\n  found  {found:#?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn x01_texts_that_are_no_tick_trees() {
    check(
        "t.tick",
        &[
            ("trees/main.tick", "1:1", "path"),
            ("tree A {}", "1:6", "0 nodes, expected one"),
            (
                "tree A { success; success }",
                "1:19",
                "2 nodes, expected one",
            ),
            ("tree A { invert }", "1:10", "child"),
            (
                "tree A { invert { success; success } }",
                "1:28",
                "exactly one child, found 2",
            ),
            ("tree A { sequence { } }", "1:10", "child"),
            ("tree A { sequence }", "1:10", "child"),
            ("tree { B }", "1:6", "name"),
            ("tree A { B( }", "1:13", "expected a value"),
            ("tree A { B\n", "1:11", "expected `}`"),
            ("tree A { check }", "1:16", "condition"),
            ("tree A { wait }", "1:15", "duration"),
            ("tree A { wait five }", "1:15", "five"),
            ("tree A { B(x: ) }", "1:15", "value"),
            ("tree A { B(x: 1 y: 2) }", "1:17", "`,`"),
            ("tree A { B } }", "1:14", "}"),
            ("tree A { \"text\" }", "1:10", "node"),
            ("tree A { B \"open }", "1:12", "has no end"),
            ("foo A { B }", "1:1", "tree"),
            ("<root></root>", "1:1", "XML"),
            ("{\"tickseed\": 1}", "1:1", "JSON"),
        ],
    );
}

#[test]
fn x01_texts_that_are_no_json_trees() {
    let tree = |body: &str| {
        format!(
            "{{\"tickseed\": 1,\n \"items\": [{{\"tree\": {{\"name\": \"A\", \"body\": [{body}]}}}}]}}"
        )
    };
    for (text, place, part) in [
        (String::new(), "1:", "end"),
        ("  ".to_owned(), "1:", "end"),
        ("trees/main.json".to_owned(), "1:", "path"),
        ("null".to_owned(), "1:", "object"),
        ("[]".to_owned(), "1:", "object"),
        ("{}".to_owned(), "1:", "tickseed"),
        ("{\"tickseed\": 99}".to_owned(), "1:", "99"),
        ("{\"tickseed\": 1".to_owned(), "1:", "}"),
        ("{\"tickseed\": 1,}".to_owned(), "1:", "}"),
        ("{\"tickseed\": 1} x".to_owned(), "1:", "end"),
        (
            "{\"tickseed\": 1, \"item\": []}".to_owned(),
            "1:",
            "did you mean",
        ),
        ("{'tickseed': 1}".to_owned(), "1:", "quote"),
        (
            "{\"tickseed\": 1, \"tickseed\": 1}".to_owned(),
            "1:",
            "twice",
        ),
        ("<root/>".to_owned(), "1:", "XML"),
        (tree("{}"), "2:", "kind"),
        (tree("{\"kind\": 3}"), "2:", "string"),
        (tree("{\"kind\": \"B\", \"children\": {}}"), "2:", "list"),
        (tree("{\"kind\": \"B\", \"chidren\": []}"), "2:", "children"),
        (tree("3"), "2:", "object"),
        (tree("{\"kind\": \"\u{1}\"}"), "2:", "control"),
    ] {
        let found = messages("t.json", &text);
        let first = found.first().map_or("nothing", String::as_str);
        assert!(
            first.starts_with(place) && first.contains(part),
            "{text}\n  wanted {place} {part}\n  found  {found:#?}"
        );
    }
}
