use super::*;
use crate::model::SourceMap;
use crate::model::arbitrary::{self, Random};

/// Code, place and message of every mistake.
fn errors(source: &str) -> Vec<String> {
    let mut map = SourceMap::new();
    let file = map.add("t.json", source);
    let (_, diagnostics) = read(source, file);
    diagnostics
        .iter()
        .map(|d| {
            let at = map
                .line_column(d.primary.as_ref().expect("a place").span)
                .expect("inside the file");
            let help = d
                .help
                .as_ref()
                .map(|h| format!(" ({h})"))
                .unwrap_or_default();
            format!("{}:{} {}{help}", at.line, at.column, d.message)
        })
        .collect()
}

#[test]
fn random_documents_come_back_whole() {
    for seed in arbitrary::seeds(3_000) {
        let document = arbitrary::document(seed);
        let text = write(&document);
        let (back, diagnostics) = read(&text, FileId(0));
        assert_eq!(diagnostics, [], "seed {seed}\n{text}");
        assert!(
            back.same_meaning(&document),
            "seed {seed}\n{text}\n{:#?}\n{:#?}",
            document.meaning(),
            back.meaning()
        );
        // Comments and order of attributes too: the text is the same again.
        assert_eq!(write(&back), text, "seed {seed}");
    }
}

#[test]
fn other_json_tools_agree_on_what_is_written() {
    for seed in arbitrary::seeds(300) {
        let text = write(&arbitrary::document(seed));
        serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for attribute in arbitrary::document(seed).attributes {
            let text = write_attribute(&attribute);
            assert!(!text.contains('\n'));
            assert_eq!(
                read_attribute(&text, FileId(0))
                    .ok()
                    .map(|a| write_attribute(&a)),
                Some(text)
            );
        }
    }
}

#[test]
fn mistakes_name_place_and_path() {
    let check = |source: &str, expected: &[&str]| assert_eq!(errors(source), expected, "{source}");
    check("", &["1:1 expected a value, found the end of the file"]);
    check("[]", &["1:1 expected an object, found a list"]);
    check(
        "{\"items\": []}",
        &["1:1 this is no Tickseed document: expected the field \"tickseed\": 1"],
    );
    check(
        "{\"tickseed\": 9, \"items\": []}",
        &["1:14 tickseed: the document has version 9; this Tickseed reads up to 1"],
    );
    check(
        "{\"tickseed\": \"x\"}",
        &[
            "1:14 tickseed: expected the version 1, found `\"x\"`",
            "1:1 the field \"items\" is missing",
        ],
    );
    check(
        "{\"tickseed\": 1,\n \"items\": [{\"tree\": {\"name\": \"A\", \"body\": [\n{\"knd\": \"x\"}]}}]}",
        &[
            "3:2 items[0].tree.body[0]: unknown field \"knd\" (did you mean \"kind\"?)",
            "3:1 items[0].tree.body[0]: the field \"kind\" is missing",
        ],
    );
    check(
        "{\"tickseed\": 1, \"items\": [{}, {\"keys\": {\"keys\": []}, \"tree\": 3}]}",
        &[
            "1:27 items[0]: expected exactly one of the fields import, tree, model, keys, enum, found 0",
            "1:62 items[1].tree: expected an object, found `3`",
            "1:31 items[1]: expected exactly one of the fields import, tree, model, keys, enum, found 2",
        ],
    );
    let tree = |node: &str| {
        format!(
            "{{\"tickseed\": 1, \"items\": [{{\"tree\": {{\"name\": \"A\", \"body\": [{node}]}}}}]}}"
        )
    };
    let node = |attribute: &str| {
        tree(&format!(
            "{{\"kind\": \"a\", \"attributes\": [{attribute}]}}"
        ))
    };
    let first = |source: String| errors(&source)[0].split_once(": ").unwrap().1.to_owned();
    assert_eq!(first(tree("{\"kind\": 3}")), "expected a string, found `3`");
    assert_eq!(
        first(tree("{\"kind\": \"a\", \"form\": \"acton\"}")),
        "expected one of action, condition, leaf, decorator, control, subtree, found `\"acton\"` (did you mean \"action\"?)"
    );
    assert_eq!(
        first(tree("{\"kind\": \"a\", \"kind\": \"b\"}")),
        "the field \"kind\" is given twice"
    );
    assert_eq!(
        first(node("{}")),
        "expected exactly one of the fields argument, option, hook, metadata, found 0"
    );
    assert_eq!(
        first(node("{\"option\": \"a\", \"value\": {}}")),
        "expected exactly one of the fields key, root_key, same_name, code, range, word, duration, int, float, found 0"
    );
    assert_eq!(
        first(node("{\"option\": \"a\", \"value\": {\"range\": [1]}}")),
        "expected two values, found 1"
    );
    assert_eq!(
        first(node(
            "{\"option\": \"a\", \"value\": {\"duration\": \"5\"}}"
        )),
        "expected a duration such as \"800ms\", found \"5\""
    );
    assert_eq!(
        first(node("{\"option\": \"a\", \"value\": 99999999999999999999}")),
        "expected a whole number of 64 bits, found `99999999999999999999`"
    );
}

#[test]
fn deep_documents_are_refused_in_one_message() {
    let deep = |n: usize| {
        let nodes = "{\"kind\": \"a\", \"children\": [".repeat(n) + &"]}".repeat(n);
        errors(&format!(
            "{{\"tickseed\": 1, \"items\": [{{\"tree\": {{\"name\": \"A\", \"body\": [{nodes}]}}}}]}}"
        ))
    };
    assert_eq!(deep(256), [""; 0]);
    for n in [257, 300, 400] {
        let errors = deep(n);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains("deeper than the limit of 256"));
    }
    assert!(deep(50_000)[0].contains("nested deeper"));
}

#[test]
fn mutated_text_never_panics() {
    let mut r = Random::new(1 + arbitrary::lot());
    for seed in arbitrary::seeds(2_000) {
        let mut bytes = write(&arbitrary::document(seed)).into_bytes();
        for _ in 0..=r.below(4) {
            let at = r.below(bytes.len());
            match r.below(3) {
                0 => bytes[at] = r.next() as u8,
                1 => bytes.truncate(at + 1),
                _ => bytes.insert(at, r.pick(b"{}[]\",:0-e\\u \n")),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let (document, _) = read(&text, FileId(0));
        // Whatever was understood can be written.
        let _ = write(&document);
    }
}
