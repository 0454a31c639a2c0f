//! Every XML file of the shared corpus is read, and comes back unchanged in meaning through every
//! format. The corpus lies beside the repository; without it the tests say so and pass, unless
//! `TICKSEED_REQUIRE_SHARED` is set.

use std::path::PathBuf;
use tickseed_lang::diagnostics::{Diagnostic, render_all};
use tickseed_lang::model::{Document, FileId, Item, Node, Role, SourceMap, Span, Value};
use tickseed_lang::{binary, fmt, json, tick, xml};

/// Name and text of each file.
fn corpus() -> Option<Vec<(String, String)>> {
    let shared = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/corpus"
    ));
    if !shared.exists() {
        assert!(
            std::env::var_os("TICKSEED_REQUIRE_SHARED").is_none(),
            "{} is missing",
            shared.display()
        );
        eprintln!("skipped: the shared corpus is not here");
        return None;
    }
    let index = std::fs::read_to_string(shared.join("INDEX.tsv")).expect("the index");
    let files = index
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').next());
    let files: Vec<_> = files
        .map(|name| {
            (
                name.to_owned(),
                std::fs::read_to_string(shared.join("xml").join(name)).expect(name),
            )
        })
        .collect();
    assert!(files.len() > 400);
    Some(files)
}

fn read(text: &str) -> (Document, Vec<Diagnostic>) {
    xml::read(text, FileId(0), &xml::Options::default())
}

/// The files that the reference refuses, and a part of the message that says why.
const REFUSED: [(&str, &str); 8] = [
    (
        "BehaviorTree_CPP__corpus4.xml",
        "The node 'ForceSuccess' must have exactly 1 child",
    ),
    (
        "btcpp_inline__gtest_factory__15.xml",
        "Model name cannot be empty",
    ),
    (
        "btcpp_inline__gtest_factory__17.xml",
        "the element <root> is never closed",
    ),
    (
        "btcpp_inline__gtest_factory__19.xml",
        "The tag <BehaviorTree> with ID 'Main' must have exactly 1 child",
    ),
    (
        "btcpp_inline__gtest_reactive__04.xml",
        "A ReactiveSequence cannot have more than one async child.",
    ),
    (
        "btcpp_inline__gtest_switch__00.xml",
        "a quote is probably missing before it",
    ),
    (
        "btcpp_inline__gtest_xml_null_subtree_id__00.xml",
        "Missing attribute 'ID' in SubTree element within TreeNodesModel",
    ),
    (
        "Groot__issue_3.xml",
        "The tag <BehaviorTree> with ID 'ReceiveGuest' must have exactly 1 child",
    ),
];

fn refused(name: &str) -> Option<&'static str> {
    REFUSED
        .iter()
        .find(|(refused, _)| *refused == name)
        .map(|&(_, message)| message)
}

#[test]
fn errors_are_where_the_reference_has_them_and_nowhere_else() {
    let Some(files) = corpus() else { return };
    for (name, text) in &files {
        let errors: Vec<_> = read(text).1.into_iter().filter(|d| d.is_error()).collect();
        let mut map = SourceMap::new();
        map.add(name.as_str(), text.as_str());
        let shown = render_all(&errors, &map);
        match refused(name) {
            Some(message) => assert!(shown.contains(message), "{name}\n{shown}"),
            None => assert!(errors.is_empty(), "{name}\n{shown}"),
        }
    }
}

#[test]
fn files_come_back_unchanged_through_every_format() {
    let Some(files) = corpus() else { return };
    for (name, text) in &files {
        let (document, diagnostics) = read(text);
        // A document that could not be read whole has no meaning to keep.
        if diagnostics.iter().any(|d| d.code == "xml::syntax") {
            continue;
        }
        assert_eq!(
            &xml::update(text, &document),
            text,
            "{name}: unchanged, so saved byte for byte"
        );
        let written = xml::write(&document);
        let (back, after) = read(&written);
        assert!(back.same_meaning(&document), "{name}\n{written}");
        let refused = |list: &[Diagnostic]| list.iter().any(Diagnostic::is_error);
        assert_eq!(refused(&after), refused(&diagnostics), "{name}\n{written}");
        assert_eq!(
            xml::write(&back),
            written,
            "{name}: comments and layout too"
        );

        let (from_json, errors) = json::read(&json::write(&document), FileId(0));
        assert!(
            errors.is_empty() && from_json.same_meaning(&document),
            "{name}: {errors:?}"
        );
        let from_binary = binary::read(&binary::write(&document)).expect(name);
        assert!(from_binary.same_meaning(&document), "{name}");
        // Written from these, the XML is the same again, comments included.
        assert_eq!(xml::write(&from_json), written, "{name}");
        assert_eq!(xml::write(&from_binary), written, "{name}");
    }
}

/// The first node below a tree's root, if it has arguments.
fn first_with_arguments(node: &mut Node) -> Option<&mut Node> {
    if node.arguments().next().is_some() {
        return Some(node);
    }
    node.children.iter_mut().find_map(first_with_arguments)
}

#[test]
fn an_edited_value_changes_one_line() {
    let Some(files) = corpus() else { return };
    let mut edited = 0;
    for (name, text) in files.iter().filter(|(name, _)| refused(name).is_none()) {
        let mut document = read(text).0;
        let trees = document.items.iter_mut().filter_map(|item| match item {
            Item::Tree(tree) => tree.body.first_mut(),
            _ => None,
        });
        let Some(node) = trees.into_iter().find_map(first_with_arguments) else {
            continue;
        };
        let argument = node
            .attributes
            .iter_mut()
            .find(|a| a.role == Role::Argument)
            .expect("it has one");
        // Values over several lines become one line: another sort of edit.
        if argument
            .value
            .as_ref()
            .is_some_and(|value| value.to_attribute().contains('\n'))
        {
            continue;
        }
        argument.value = Some(Value::text("edited", Span::default()));
        let saved = xml::update(text, &document);
        let different = saved
            .lines()
            .zip(text.lines())
            .filter(|(a, b)| a != b)
            .count();
        assert_eq!(
            (saved.lines().count(), different),
            (text.lines().count(), 1),
            "{name}\n{saved}"
        );
        edited += 1;
    }
    assert!(edited > 300, "{edited}");
}

#[test]
fn files_come_back_unchanged_through_tick() {
    let Some(files) = corpus() else { return };
    for (name, text) in files.iter().filter(|(name, _)| refused(name).is_none()) {
        let document = read(text).0;
        let tick = fmt::format(&document);
        let parsed = tick::parse_text(&tick, FileId(0));
        assert!(
            parsed.document.same_meaning(&document),
            "{name}\n{tick}\n{:?}",
            parsed.diagnostics
        );
        let back = read(&xml::write(&parsed.document)).0;
        assert!(back.same_meaning(&document), "{name}\n{tick}");
    }
}
