//! The page on the language: its examples read as they stand, its table is that of the built-ins.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use tickseed_lang::builtin::{BUILTINS, Builtin, Head, OptionValue};
use tickseed_lang::diagnostics::render_all;
use tickseed_lang::expr::FUNCTIONS;
use tickseed_lang::model::{MAX_DEPTH, SourceMap};
use tickseed_lang::{expr, fmt, tick};

const BEGIN: &str = "<!-- begin nodes -->\n";
const END: &str = "<!-- end nodes -->\n";

fn page() -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tick-grammar.md");
    let text = fs::read_to_string(&path).expect("docs/tick-grammar.md");
    (path, text)
}

#[test]
fn examples_read_and_are_formatted() {
    let (_, page) = page();
    let mut count = 0;
    for example in page.split("```tick\n").skip(1) {
        let example = example.split("```").next().unwrap();
        let mut sources = SourceMap::new();
        let file = sources.add("example", example);
        let parsed = tick::parse(&sources, file);
        assert!(
            parsed.diagnostics.is_empty(),
            "{}",
            render_all(&parsed.diagnostics, &sources)
        );
        assert_eq!(fmt::format(&parsed.document), example);
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn the_table_of_nodes_is_current() {
    let (path, page) = page();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    let expected = table_of_nodes();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, format!("{before}{BEGIN}{expected}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(
        table, expected,
        "run with UPDATE_GOLDEN=1 and read the diff"
    );
}

#[test]
fn limits_and_functions_are_named() {
    let (_, page) = page();
    assert!(page.contains(&format!(
        "nested {MAX_DEPTH} levels deep, expressions {}",
        expr::MAX_DEPTH
    )));
    let line = page
        .lines()
        .find(|line| line.starts_with("- Functions:"))
        .unwrap();
    for (_, name, ..) in FUNCTIONS {
        assert!(line.contains(&format!("`{name}`")), "{name}");
    }
}

fn table_of_nodes() -> String {
    let mut table = String::from("| node | options | what it does |\n|---|---|---|\n");
    for builtin in BUILTINS {
        let options: Vec<_> = builtin
            .options
            .iter()
            .map(|option| match option.value {
                OptionValue::Flag => format!("`{}`", option.name),
                OptionValue::Word(words) => format!("`{}({})`", option.name, words.join(" \\| ")),
                OptionValue::NumberOrAll => format!("`{}(n \\| all)`", option.name),
                OptionValue::Values => format!("`{}(...)`", option.name),
                _ => format!("`{}(x)`", option.name),
            })
            .collect();
        let place = builtin
            .inside
            .map(|of| format!(" (inside `{}`)", of.join("`, `")));
        writeln!(
            table,
            "| `{}`{} | {} | {} |",
            usage(builtin),
            place.unwrap_or_default(),
            options.join(" "),
            builtin.doc
        )
        .unwrap();
    }
    table
}

fn usage(builtin: &Builtin) -> String {
    let head = match builtin.head {
        Head::Condition => " condition",
        Head::Value => " value",
        Head::OptionalValue => " [value]",
        Head::Duration => " duration",
        Head::Values => " value, ...",
        Head::Script => " key = value",
        Head::Message => " \"message\"",
        Head::Count => " [key in] count",
        _ => "",
    };
    let block = match (builtin.children.min, builtin.children.max) {
        (0, 0) => "",
        (1, 2) => " { } [else { }]",
        _ => " { }",
    };
    format!("{}{head}{block}", builtin.words)
}
