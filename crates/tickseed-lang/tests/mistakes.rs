//! Rendered messages for broken files, each with the messages in `*.txt`: those of the reader for
//! `mistakes/*.tick`, those of the check for `checks/*.tick`.
//! `UPDATE_GOLDEN=1 cargo test -p tickseed-lang --test mistakes` writes them anew: read the diff.

use std::fs;
use std::path::Path;

use tickseed_lang::diagnostics::{Diagnostic, render_all};
use tickseed_lang::model::{FileId, MAX_DEPTH, SourceMap};
use tickseed_lang::{check, tick};

#[test]
fn messages_of_the_reader() {
    golden("tests/mistakes", 6, |parsed| parsed.diagnostics.clone());
}

#[test]
fn messages_of_the_check() {
    golden("tests/checks", 3, |parsed| {
        assert!(parsed.is_ok(), "{:?}", parsed.diagnostics);
        check::check(&[&parsed.document], &check::Options::default())
    });
}

fn golden(folder: &str, least: usize, messages: impl Fn(&tick::Parsed) -> Vec<Diagnostic>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "tick") {
            continue;
        }
        count += 1;
        let text = fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::new();
        let file = sources.add(path.file_name().unwrap().to_string_lossy(), text);
        let diagnostics = messages(&tick::parse(&sources, file));
        let rendered = render_all(&diagnostics, &sources);
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &rendered).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(rendered, expected, "{}", path.display());
        for diagnostic in &diagnostics {
            let json = diagnostic.to_json(&sources);
            assert!(json["labels"][0]["line"].is_u64(), "{json}");
        }
    }
    assert!(count >= least, "only {count} files found");
}

/// Texts that are no trees give an error at the right line (X01).
#[test]
fn texts_that_are_no_trees() {
    for (text, line) in [
        ("\u{0}\u{1}\u{2}", 1),
        ("}", 1),
        ("tree", 1),
        ("tree {", 1),
        ("\n\ntree A", 3),
        ("tree A {", 1),
        ("tree A {\n  (\n}", 2),
        ("tree A {\n  B(\n}", 2),
        ("Sequence", 1),
        ("tree A { B }\n\n%%%", 3),
        ("import", 1),
        ("tree A {\n\n  \"text\"\n}", 3),
    ] {
        let mut sources = SourceMap::new();
        let file = sources.add("bad.tick", text);
        let parsed = tick::parse(&sources, file);
        let first = parsed
            .diagnostics
            .first()
            .unwrap_or_else(|| panic!("no message: {text:?}"));
        let place = sources
            .line_column(first.primary.as_ref().unwrap().span)
            .unwrap();
        assert_eq!(place.line, line, "{text:?}: {first}");
    }
}

#[test]
fn an_empty_file_is_an_empty_document() {
    for text in ["", "\n\n", "// nothing\n", "\u{feff}"] {
        let parsed = tick::parse_text(text, FileId(0));
        assert!(
            parsed.is_ok() && parsed.document.items.is_empty(),
            "{text:?}"
        );
    }
}

/// Nesting up to the limit is fine, beyond it is an error and nothing worse (X03).
#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        format!(
            "tree A {{ {} B {} }}",
            "invert { ".repeat(depth),
            "} ".repeat(depth)
        )
    };
    assert!(tick::parse_text(&nested(MAX_DEPTH - 1), FileId(0)).is_ok());
    for depth in [MAX_DEPTH + 1, 100_000] {
        let parsed = tick::parse_text(&nested(depth), FileId(0));
        let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["tick::too-deep"]);
        assert!(tickseed_lang::fmt::format(&parsed.document).len() < 1_000_000);
    }
    let chain = format!(
        "tree A {{ {} {{ B }} }}",
        "if x { B } else ".repeat(100_000)
    );
    let parsed = tick::parse_text(&chain, FileId(0));
    assert_eq!(parsed.diagnostics[0].code, "tick::too-deep");
}

/// After mistakes the rest is still there, for tools.
#[test]
fn a_broken_file_gives_a_partial_tree() {
    let text = "tree A {\n  sequence {\n    B(\n    C\n    check <\n    D\n  }\n}\ntree E { F }\n";
    let parsed = tick::parse_text(text, FileId(0));
    assert!(!parsed.is_ok());
    let names: Vec<_> = parsed
        .document
        .trees()
        .map(|tree| tree.name.as_str())
        .collect();
    assert_eq!(names, ["A", "E"]);
    let children = &parsed.document.tree("A").unwrap().body[0].children;
    let kinds: Vec<_> = children.iter().map(|node| node.kind.as_str()).collect();
    assert_eq!(kinds.last(), Some(&"D"));
}
