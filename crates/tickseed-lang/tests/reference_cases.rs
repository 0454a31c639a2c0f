//! The shared conformance cases: what BehaviorTree.CPP refuses when it creates a tree is refused by
//! the reader in its words, what it creates is read without errors. Running them is the conformance
//! runner's task. Without the shared folder the test says so and passes, unless
//! `TICKSEED_REQUIRE_SHARED` is set.

use std::path::PathBuf;
use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::load::{Duplicates, Memory, load_text};
use tickseed_lang::model::FileId;
use tickseed_lang::xml::{Options, read};

/// Cases whose refusal is not the reader's: scripts, which are parsed when a tree is built, and a fault of
/// the reference (explicit forms under ReactiveSequence), which files of the corpus rely on not
/// having.
const ELSEWHERE: [&str; 3] = [
    "bad_precond",
    "script_lead_semicolon",
    "rseq_explicit_child",
];

#[test]
fn refusals_are_the_references() {
    let mut refused = 0;
    for name in ["btcpp.json", "nav2.json"] {
        let path = PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/cases"
        ))
        .join(name);
        let Ok(text) = std::fs::read_to_string(&path) else {
            assert!(
                std::env::var_os("TICKSEED_REQUIRE_SHARED").is_none(),
                "{} is missing",
                path.display()
            );
            eprintln!("skipped: the shared cases are not here");
            return;
        };
        let cases: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for case in cases.as_array().expect("a list of cases") {
            let field = |name: &str| case[name].as_str().unwrap_or_default();
            let (name, xml, expected) = (field("name"), field("xml"), field("expected"));
            let options = Options {
                strict_names: true,
                ..Options::default()
            };
            let mut diagnostics = read(xml, FileId(0), &options).1;
            let loaded = load_text("case.xml", xml, &Memory::default());
            diagnostics.extend(loaded.trees(Duplicates::Replace).1);
            diagnostics.extend(
                loaded
                    .main_tree(Duplicates::Replace)
                    .err()
                    .map(|boxed| *boxed),
            );
            let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
            match expected
                .strip_prefix("CREATE-EXC ")
                .filter(|_| !ELSEWHERE.contains(&name))
            {
                Some(message) => {
                    refused += 1;
                    // "Error at line 3: -> what" or "Error at line 2: what": the cases' lines are
                    // those of the text after the reference's own line breaks.
                    let what = match message.split_once(": ") {
                        Some((place, what)) if place.starts_with("Error at line") => what,
                        _ => message,
                    };
                    // Some messages go on with advice.
                    let what = what
                        .trim_start_matches("-> ")
                        .split(". ")
                        .next()
                        .unwrap_or(what);
                    let said = |d: &&Diagnostic| d.message.contains(what) && d.primary.is_some();
                    assert!(errors.iter().any(said), "{name}: {what}\n{errors:?}");
                }
                None => assert!(errors.is_empty(), "{name}: {errors:?}"),
            }
        }
    }
    assert!(refused >= 4, "{refused}");
}
