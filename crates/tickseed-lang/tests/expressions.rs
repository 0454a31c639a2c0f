//! What expressions mean: values, types, mistakes.

use std::collections::HashMap;

use proptest::prelude::*;
use tickseed_lang::diagnostics::render_all;
use tickseed_lang::expr::{
    Datum, EvalErrorKind, FUNCTIONS, FunctionId, Names, Scope, ScopeMut, Signature, Slot, Type,
    check, check_script, parse_expression, parse_script,
};
use tickseed_lang::model::{SourceMap, Span};

#[derive(Default)]
struct Board {
    values: HashMap<Slot, Datum>,
}

impl Scope for Board {
    fn get(&self, slot: Slot) -> Datum {
        self.values.get(&slot).cloned().unwrap_or_default()
    }

    fn call(&self, function: FunctionId, arguments: &[Datum]) -> Result<Datum, String> {
        match (function.0, arguments) {
            (0, [Datum::Handle(entity)]) => Ok(Datum::Float(*entity as f64)),
            _ => Err("the sensor is broken".to_owned()),
        }
    }
}

impl ScopeMut for Board {
    fn set(&mut self, slot: Slot, value: Datum) {
        self.values.insert(slot, value);
    }
}

/// Keys of all types, with values for some.
fn world() -> (Names, Board) {
    let mut names = Names::new();
    let mut board = Board::default();
    names.add_enum("Mode", vec![("patrol".into(), 0), ("fight".into(), 3)]);
    let list = Type::List(Box::new(Type::Int));
    for (name, ty, value) in [
        ("a", Type::Int, Datum::Int(9)),
        ("b", Type::Int, Datum::Int(4)),
        ("battery", Type::Float, Datum::Float(0.15)),
        ("charging", Type::Bool, Datum::Bool(false)),
        ("mode", Type::Enum("Mode".into()), Datum::Word(3)),
        ("label", Type::Text, Datum::Text("ab".into())),
        ("elapsed", Type::Duration, Datum::Duration(1_500_000_000)),
        ("place", Type::Vec2, Datum::Vec2([3.0, 4.0])),
        ("home", Type::Vec2, Datum::Vec2([0.0, 0.0])),
        (
            "ids",
            list,
            Datum::List([Datum::Int(1), Datum::Int(9)].into()),
        ),
        ("target", Type::Opaque("entity".into()), Datum::Handle(7)),
        ("lost", Type::Opaque("entity".into()), Datum::None),
        ("nothing", Type::Float, Datum::None),
    ] {
        let slot = names.add_key(name, ty);
        board.values.insert(slot, value);
    }
    let entity = || vec![Type::Opaque("entity".into())];
    names.add_function(Signature {
        name: "distance".into(),
        parameters: entity(),
        result: Type::Float,
    });
    names.add_function(Signature {
        name: "scan".into(),
        parameters: vec![],
        result: Type::Bool,
    });
    (names, board)
}

fn value(text: &str) -> Datum {
    let (names, board) = world();
    let expr = parse_expression(text, Span::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let checked = check(&expr, &Type::Any, &names).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    checked
        .op
        .eval(&board)
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

#[test]
fn values() {
    for (text, expected) in [
        // Operators of one strength group to the left (L01).
        ("a - b + 2", Datum::Int(7)),
        ("8 / 4 * 2", Datum::Float(4.0)),
        ("\"x\" + \"y\" + \"z\"", Datum::Text("xyz".into())),
        ("1 + 2 * 3", Datum::Int(7)),
        ("-2 * -3", Datum::Int(6)),
        ("-(a)", Datum::Int(-9)),
        ("1 / 2", Datum::Float(0.5)),
        ("-7 % 3", Datum::Int(2)),
        ("a / 0", Datum::Float(f64::INFINITY)),
        ("1 + 0.5", Datum::Float(1.5)),
        ("0x10 + 0b11 + 1_000", Datum::Int(1019)),
        ("2s - 500ms", Datum::Duration(1_500_000_000)),
        ("elapsed * 2", Datum::Duration(3_000_000_000)),
        ("elapsed / 500ms", Datum::Float(3.0)),
        ("seconds(elapsed)", Datum::Float(1.5)),
        ("place.x + place.y", Datum::Float(7.0)),
        ("place * 2 - home", Datum::Vec2([6.0, 8.0])),
        ("distance(place, home)", Datum::Float(5.0)),
        ("distance(target)", Datum::Float(7.0)),
        ("distance(1, 3.5)", Datum::Float(2.5)),
        ("length(vec3(1, 2, 2))", Datum::Float(3.0)),
        ("len(ids) + len(label) + len(\"äö\")", Datum::Int(6)),
        ("clamp(a, 0, 5)", Datum::Int(5)),
        ("min(a, b, 2.5)", Datum::Float(2.5)),
        ("max(1s, elapsed)", Datum::Duration(1_500_000_000)),
        (
            "abs(-3) + floor(1.9) + ceil(1.1) + round(2.5)",
            Datum::Int(9),
        ),
        ("lerp(0, 10, 0.25)", Datum::Float(2.5)),
        ("sqrt(16)", Datum::Float(4.0)),
        ("int(mode) + int(true) + int(-1.9)", Datum::Int(3)),
        (
            "text(1) + text(0.5) + text(true) + text(1500ms)",
            Datum::Text("10.5true1.5s".into()),
        ),
        ("charging ? 1 : 2.5", Datum::Float(2.5)),
        ("charging ? 1 : charging ? 2 : 3", Datum::Int(3)),
        ("charging ? mode : .patrol", Datum::Word(0)),
        (
            "[1, 2.5]",
            Datum::List([Datum::Float(1.0), Datum::Float(2.5)].into()),
        ),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn conditions() {
    for (text, expected) in [
        ("battery < 0.2 && !charging", true),
        ("battery < 0.2 and not charging", true),
        ("charging || a == 9", true),
        ("0 < battery < 1", true),
        ("0 < battery <= 0.1", false),
        ("9 == a == 9.0", true),
        ("mode == .fight", true),
        (".patrol != mode", true),
        ("mode in [.patrol, .fight]", true),
        ("a in ids", true),
        ("b in ids", false),
        ("2.5 in [1, 2.5]", true),
        ("label == \"ab\"", true),
        ("label < \"b\"", true),
        ("elapsed >= 1.5s", true),
        ("target != none", true),
        ("lost != none", false),
        ("none == lost", true),
        // The second operand is not asked, so it may be unset.
        ("nothing != none && nothing > 1", false),
        ("nothing == none || nothing > 1", true),
        ("place == vec2(3, 4)", true),
        ("true", true),
        ("!(1 < 2)", false),
    ] {
        assert_eq!(value(text), Datum::Bool(expected), "{text}");
    }
}

/// Codes, messages and help of all mistakes in an expression.
fn mistakes(text: &str, wanted: &Type) -> Vec<String> {
    let (names, _) = world();
    let result = parse_expression(text, Span::default())
        .and_then(|expr| check(&expr, wanted, &names).map(|_| ()));
    let list = result.err().unwrap_or_default();
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn mistakes_say_what_was_found_and_wanted() {
    for (text, expected) in [
        (
            "batery < 1",
            "error[expr::unknown-key]: no key is called `batery` (did you mean `battery`?)",
        ),
        (
            "@battery < 1",
            "error[expr::unknown-key]: no root key is called `battery` (declare it under `keys`, or as a parameter of the tree)",
        ),
        (
            "fight == mode",
            "error[expr::unknown-key]: no key is called `fight` (the word of `Mode` is written `.fight`)",
        ),
        (
            "mode == .figth",
            "error[expr::word]: Mode has no word `figth` (did you mean `.fight`?)",
        ),
        (
            "mode == \"fight\"",
            "error[expr::type]: Mode cannot be compared with text (a word is written with a dot before it: `.word`)",
        ),
        (
            "label - 1 < 2",
            "error[expr::type]: `-` does not work on text and int",
        ),
        (
            "label + 1 == label",
            "error[expr::type]: `+` does not work on text and int (`text(x)` makes a text of a number)",
        ),
        (
            "elapsed < 2",
            "error[expr::type]: duration cannot be compared with int (durations have a unit: `500ms`, `2s`)",
        ),
        (
            "battery",
            "error[expr::type]: expected bool, found float (compare it: `x != 0`)",
        ),
        (
            "a && true",
            "error[expr::type]: expected bool, found int (compare it: `x != 0`)",
        ),
        (
            "place < home",
            "error[expr::type]: `<` does not work on vec2",
        ),
        (
            "place.z > 1",
            "error[expr::unknown-member]: vec2 has no member `z` (its members are x, y)",
        ),
        (
            "a.x > 1",
            "error[expr::unknown-member]: int has no member `x` (only vectors have members)",
        ),
        (
            "distanse(target) < 1",
            "error[expr::unknown-function]: no function `distanse` (did you mean `distance`?)",
        ),
        (
            "distance(label) < 1",
            "error[expr::arguments]: `distance` does not take (text) (it is called `distance(entity)` or `distance(a, b)`)",
        ),
        (
            "sqrt() < 1",
            "error[expr::arguments]: `sqrt` does not take () (it is called `sqrt(x)`)",
        ),
        (
            "a in 3",
            "error[expr::type]: expected a list after `in`, found int",
        ),
        (
            "label in ids",
            "error[expr::type]: a list of int never holds text",
        ),
        (
            "a + none > 1",
            "error[expr::none]: `none` can only be compared with a key or assigned to one",
        ),
        (
            "a + 1 == none",
            "error[expr::none]: only a key can be compared with `none`",
        ),
        (
            "1 % 0 == 1",
            "error[expr::arithmetic]: remainder of a division by zero",
        ),
        (
            "9223372036854775807 + 1 > 0",
            "error[expr::arithmetic]: the number does not fit 64 bits",
        ),
        (
            "a < b == true",
            "error[expr::chain]: `<` cannot be chained with `==` (only `a < b < c` and the like can be chained; group with parentheses or use `&&`)",
        ),
        (
            "a < b > a",
            "error[expr::chain]: `<` cannot be chained with `>` (only `a < b < c` and the like can be chained; group with parentheses or use `&&`)",
        ),
        (
            "a +",
            "error[tick::expected]: expected a value, found the end of the file",
        ),
        (
            "(a < b",
            "error[tick::expected]: expected `)` to close the parenthesis, found the end of the file",
        ),
        (
            "a < b)",
            "error[tick::expected]: expected the end of the expression, found `)`",
        ),
        (
            "a = 3",
            "error[tick::expected]: expected the end of the expression, found `=`",
        ),
        (
            "",
            "error[tick::expected]: expected a value, found the end of the file",
        ),
    ] {
        assert_eq!(mistakes(text, &Type::Bool), [expected], "{text}");
    }
    assert_eq!(
        mistakes("1.5", &Type::Int),
        [
            "error[expr::type]: expected int, found float (`round(x)`, `floor(x)` or `int(x)` make it whole)"
        ]
    );
    assert_eq!(
        mistakes("x < y && z", &Type::Bool).len(),
        3,
        "all mistakes in one go"
    );
    assert!(
        mistakes("1", &Type::Float).is_empty(),
        "whole numbers become float"
    );
    assert!(mistakes("[1]", &Type::List(Box::new(Type::Float))).is_empty());
    assert!(mistakes("[]", &Type::List(Box::new(Type::Float))).is_empty());
}

#[test]
fn mistakes_point_at_their_part() {
    let text = "charging && (batery < 0.2)";
    let mut sources = SourceMap::new();
    let file = sources.add("guard", text);
    let (names, _) = world();
    let expr = parse_expression(text, Span::new(file, 0, 0)).unwrap();
    let errors = check(&expr, &Type::Bool, &names).unwrap_err();
    assert_eq!(
        render_all(&errors, &sources),
        "\
error[expr::unknown-key]: no key is called `batery`
 --> guard:1:14
  |
1 | charging && (batery < 0.2)
  |              ^^^^^^ not known here
  |
  = help: did you mean `battery`?

1 error
"
    );
}

#[test]
fn scripts_write_keys_in_order() {
    let (names, mut board) = world();
    let run = |text: &str, board: &mut Board| {
        let script =
            parse_script(text, Span::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        check_script(&script, &names).map(|program| program.run(board))
    };
    assert_eq!(
        run(
            "a = 1; a += 2 * 3\nb = a; battery = b; target = none",
            &mut board
        ),
        Ok(Ok(()))
    );
    let get = |name: &str, board: &Board| board.get(names.key(name).unwrap().slot);
    assert_eq!(get("a", &board), Datum::Int(7));
    assert_eq!(get("b", &board), Datum::Int(7));
    assert_eq!(get("battery", &board), Datum::Float(7.0));
    assert_eq!(get("target", &board), Datum::None);
    for (text, code) in [
        ("a = 0.5", "expr::type"),
        ("a /= 2", "expr::type"),
        ("bb = 1", "expr::unknown-key"),
        ("a == 1", "expr::no-effect"),
        ("elapsed = 5", "expr::type"),
    ] {
        let errors = run(text, &mut board).unwrap_err();
        assert_eq!(
            errors.iter().map(|e| e.code).collect::<Vec<_>>(),
            [code],
            "{text}"
        );
    }
    for (text, code) in [
        ("a := 1", "expr::assignment"),
        ("a + b = 1", "expr::assignment"),
        ("a = 1 b = 2", "tick::expected"),
        (";", "tick::expected"),
        ("a = ", "tick::expected"),
    ] {
        let errors = parse_script(text, Span::default()).unwrap_err();
        assert_eq!(
            errors.iter().map(|e| e.code).collect::<Vec<_>>(),
            [code],
            "{text}"
        );
    }
}

/// Unknown, declared but unset, and failing functions are three different errors (B14).
#[test]
fn errors_at_run_time_name_their_cause() {
    let (names, board) = world();
    let fails = |text: &str| {
        let expr = parse_expression(text, Span::default()).unwrap();
        let error = check(&expr, &Type::Any, &names)
            .unwrap()
            .op
            .eval(&board)
            .unwrap_err();
        (error.kind.clone(), error.diagnostic(&names).to_string())
    };
    let (kind, text) = fails("nothing > 1");
    assert!(matches!(kind, EvalErrorKind::Unset(_)));
    assert!(
        text.contains("the key `nothing` is declared but not set"),
        "{text}"
    );
    assert_eq!(
        fails("scan()").1,
        "error[expr::function-failed]: the sensor is broken"
    );
    assert_eq!(fails("a * 9223372036854775807").0, EvalErrorKind::Overflow);
    assert_eq!(fails("a % (b - 4)").0, EvalErrorKind::DivisionByZero);
    assert_eq!(fails("elapsed * 1e300").0, EvalErrorKind::Overflow);
    assert_eq!(fails("round(1e300 * battery)").0, EvalErrorKind::Overflow);
}

#[test]
fn reads_are_known_unless_the_user_is_called() {
    let (names, _) = world();
    let reads = |text: &str| {
        let expr = parse_expression(text, Span::default()).unwrap();
        check(&expr, &Type::Any, &names).unwrap().op.reads()
    };
    let slot = |name: &str| names.key(name).unwrap().slot;
    assert_eq!(
        reads("b < a && target != none"),
        Some(vec![slot("a"), slot("b"), slot("target")])
    );
    assert_eq!(reads("1 < 2"), Some(vec![]));
    assert_eq!(reads("scan() && a > 1"), None);
}

#[test]
fn every_function_is_documented_and_known() {
    let (names, _) = world();
    for (_, name, usage, doc) in FUNCTIONS {
        assert!(usage.starts_with(name) && !doc.is_empty());
        // Called wrongly, it is still found.
        let expr = parse_expression(&format!("{name}(\"x\", 1s)"), Span::default()).unwrap();
        let errors = check(&expr, &Type::Any, &names).unwrap_err();
        assert_eq!(errors[0].code, "expr::arguments", "{name}");
    }
}

#[test]
fn deep_and_long_expressions_are_refused_without_a_crash() {
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "!".repeat(100_000) + "true",
        "[".repeat(100_000),
        "f(".repeat(100_000),
        "1 + ".repeat(100_000) + "1",
        "a.x".to_owned() + &".x".repeat(100_000),
        "true ? ".repeat(100_000),
        "a ? b : ".repeat(100_000) + "c",
        "1 < ".repeat(100_000) + "1",
    ] {
        let start = &text[..6];
        match parse_expression(&text, Span::default()) {
            Ok(expr) => drop(expr.to_string()),
            Err(errors) => assert!(errors.iter().any(|e| e.code == "expr::too-deep"), "{start}"),
        }
    }
    let grouped = format!(
        "({}) + ({})",
        vec!["1"; 150].join(" + "),
        vec!["1"; 150].join(" + ")
    );
    assert_eq!(value(&grouped), Datum::Int(300));
}

proptest! {
    #[test]
    fn random_expressions_never_panic(words in prop::collection::vec(prop::sample::select(vec![
        "a", "b", "battery", "charging", "mode", ".fight", "label", "\"t\"", "elapsed", "2s", "1",
        "0.5", "place", ".x", "ids", "target", "none", "nothing", "(", ")", "[", "]", ",", "+", "-",
        "*", "/", "%", "<", "<=", "==", "!=", ">", "&&", "||", "!", "?", ":", "in", "not", "min(",
        "distance(", "scan(", "@", "=", ";", "true", "clamp(", "vec2(", "len(", "int(",
    ]), 0..14)) {
        let (names, mut board) = world();
        let text = words.join(" ");
        if let Ok(expr) = parse_expression(&text, Span::default()) {
            let printed = expr.to_string();
            let again = parse_expression(&printed, Span::default());
            prop_assert_eq!(again.map(|e| e.to_string()), Ok(printed));
            if let Ok(checked) = check(&expr, &Type::Any, &names) {
                let _ = checked.op.eval(&board);
            }
        }
        if let Ok(script) = parse_script(&text, Span::default())
            && let Ok(program) = check_script(&script, &names)
        {
            let _ = program.run(&mut board);
        }
    }
}
