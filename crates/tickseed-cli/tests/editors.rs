//! The VS Code extension: its files are whole, and its grammar knows the language's words.

use std::path::PathBuf;

use serde_json::Value;
use tickseed_lang::builtin::{ALIASES, BUILTINS, COMMON_OPTIONS};
use tickseed_lang::model::Unit;

fn json(name: &str) -> Value {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    let text = std::fs::read_to_string(root.join(name)).expect(name);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_grammar_knows_every_node_option_and_unit() {
    let grammar = json("syntaxes/tick.tmLanguage.json");
    let words = |rule: &Value| -> Vec<String> {
        let pattern = rule["match"].as_str().expect("a pattern");
        let parts = pattern.split(['(', ')', '|']);
        parts.map(|word| word.replace("\\s+", " ")).collect()
    };
    let kinds = words(&grammar["repository"]["kind"]);
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    for word in BUILTINS.iter().map(|spec| spec.words).chain(aliases) {
        assert!(
            kinds.iter().any(|kind| kind == word),
            "the grammar lacks the node `{word}`"
        );
    }
    let options = words(&grammar["repository"]["option"]);
    let all = BUILTINS
        .iter()
        .flat_map(|spec| spec.options)
        .chain(COMMON_OPTIONS);
    for option in all {
        assert!(
            options.iter().any(|word| word == option.name),
            "the grammar lacks the option `{}`",
            option.name
        );
    }
    let values = grammar["repository"]["value"]["patterns"]
        .as_array()
        .unwrap();
    let duration = values
        .iter()
        .find(|rule| rule["name"] == "constant.numeric.duration.tick")
        .unwrap();
    for (unit, _) in Unit::ALL {
        assert!(
            words(duration)
                .iter()
                .any(|word| word.trim_start_matches("?:") == unit),
            "the grammar lacks the unit `{unit}`"
        );
    }
}

#[test]
fn every_file_that_the_extension_names_is_there() {
    let package = json("package.json");
    let contributes = &package["contributes"];
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    for path in [
        &package["main"],
        &contributes["languages"][0]["configuration"],
        &contributes["grammars"][0]["path"],
    ] {
        let path = path.as_str().expect("a path");
        assert!(root.join(path).is_file(), "{path}");
    }
    json("language-configuration.json");
    assert_eq!(
        json("syntaxes/tick.tmLanguage.json")["scopeName"],
        contributes["grammars"][0]["scopeName"]
    );
}
