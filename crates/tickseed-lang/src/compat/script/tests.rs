use super::*;
use std::collections::BTreeMap;

#[derive(Default)]
struct Table {
    values: BTreeMap<u32, Datum>,
    tells: bool,
}

impl Entries for Table {
    fn exists(&self, slot: Slot) -> bool {
        self.values.contains_key(&slot.0)
    }
    fn get(&self, slot: Slot) -> Datum {
        self.values.get(&slot.0).cloned().unwrap_or_default()
    }
    fn set(&mut self, slot: Slot, value: Datum) -> bool {
        self.values.insert(slot.0, value);
        true
    }
    fn type_name(&self, _: Slot) -> Option<String> {
        None
    }
    fn word(&self, word: &str) -> Option<i64> {
        (word == "RED").then_some(3)
    }
    fn tells(&self) -> bool {
        self.tells
    }
}

/// Runs a script and tells what the entries hold afterwards, or the error.
fn run(text: &str) -> String {
    run_in(Table::default(), text)
}

fn run_in(mut table: Table, text: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let script = Script::parse(text, &mut |name| {
        if name == "RED" {
            return Some(Name::Number(3));
        }
        let at = names.iter().position(|n| n == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        Some(Name::Key(Slot(at as u32)))
    });
    let script = match script {
        Ok(script) => script,
        Err((_, message)) => return message,
    };
    if let Err(message) = script.run(&mut table) {
        return message;
    }
    let shown: Vec<_> = (table.values.iter())
        .map(|(slot, value)| format!("{}={}", names[*slot as usize], eval::text(value)))
        .collect();
    shown.join(" ")
}

#[test]
fn values_and_precedence() {
    for (script, expected) in [
        ("a:=1; a+=2", "a=3"),
        ("a:=1 b:=2", "a=1 b=2"),
        ("a:=b:=2", "b=2 a=2"),
        ("a:=1.5; a*=2", "a=3.000000"),
        ("a:= 1<2<3; b:= 3>2>2", "a=1.000000 b=0.000000"),
        ("a:= 2+3*4-1", "a=13.000000"),
        ("a:= 6|3&5", "a=7.000000"),
        ("a:= !0 + 1", "a=2.000000"),
        ("a:= 'x'..1..'y'", "a=x1y"),
        ("a:= true ? 'yes' : 'no'", "a=yes"),
        ("a:= 0x1F; b:= 3e2", "a=31 b=300.000000"),
        ("a:= RED", "a=3"),
        ("a:= 'RED' == 3", "a=1.000000"),
        ("a:=1/0", "a=inf"),
    ] {
        let mut shown: Vec<_> = run(script).split(' ').map(str::to_owned).collect();
        let mut wanted: Vec<_> = expected.split(' ').map(str::to_owned).collect();
        shown.sort();
        wanted.sort();
        assert_eq!(shown, wanted, "{script}");
    }
}

#[test]
fn mistakes_are_said_in_the_words_of_the_reference() {
    for (script, expected) in [
        ("x==", "Expected operand at position 3 (got '')"),
        (";a:=1", "Expected operand at position 0 (got ';')"),
        ("(a", "Parse error at position 2: expected ')' (got '')"),
        ("a:=65.", "Invalid token '65.' at position 3"),
        ("3foo", "Invalid token '3foo' at position 0"),
        ("#", "Invalid token '#' at position 0"),
        ("", "Empty Script"),
        (
            "x=1",
            "Error in script [x=1]\nThe blackboard entry [x] doesn't exist, yet.\nIf you want to create a new one, use the operator [:=] instead of [=]",
        ),
        ("x+1", "Error in script [x+1]\nVariable not found: x"),
        (
            "a:=1; a+=0.5",
            "Invalid floating point to integer conversion",
        ),
        ("a:=1; a:='s'", "Any failed string to number conversion"),
    ] {
        assert_eq!(run(script), expected, "{script}");
    }
}

#[test]
fn hostile_scripts_end_with_a_message() {
    let deep = format!("{}1", "(".repeat(100_000));
    assert!(run(&deep).contains("too deeply"));
    let deep = format!("{}1", "!".repeat(100_000));
    assert!(run(&deep).contains("too deeply"));
    // As deep as they are long, and yet no deeper than every stack allows.
    for operator in ["+", "*", "..", "&&", "|", "&"] {
        let long = |terms| vec!["1"; terms].join(operator);
        assert!(
            run(&long(200_000)).contains("more than 1000 operators"),
            "{operator}"
        );
        assert!(!run(&long(1001)).contains("operators"), "{operator}");
        let statements = format!("a:={0}; a:={0}", long(1001));
        assert!(!run(&statements).contains("operators"), "{operator}");
    }
    for text in [
        "'",
        "a:=",
        "1 ? 2",
        "é",
        "a..",
        "@",
        "0x",
        "3e",
        "a:=b:=c:=",
    ] {
        run(text);
    }
}

#[test]
fn errors_tell_what_the_keys_of_the_statement_hold() {
    let told = |text: &str| {
        let table = Table {
            tells: true,
            ..Table::default()
        };
        run_in(table, text)
    };
    for (script, part) in [
        (
            "pos := 0.02; tol := '0.01'; d := pos - tol",
            "(`pos` is the number 0.02, `tol` is the text '0.01')",
        ),
        (
            "a := 1; b := 2; a := 's'",
            "Error in script [a := 1; b := 2; a := 's']\nAny failed string to number conversion\n(`a` is the whole number 1)",
        ),
        (
            "x := 1; x + y",
            "Variable not found: y\n(`x` is the whole number 1)",
        ),
    ] {
        let message = told(script);
        assert!(message.contains(part), "{message}");
    }
}
