//! Values of arguments, options and defaults.

use super::{Span, Str};
use compact_str::{ToCompactString, format_compact};

/// A value and where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Where it was written.
    pub span: Span,
}

/// The sorts of value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// A constant.
    Literal(Literal),
    /// A blackboard key: `target` in `.tick`, `{target}` in XML.
    Key(KeyRef),
    /// The key of the same name as the port: `goal: =` in `.tick`, `{=}` in XML.
    SameName,
    /// An expression or a script, kept as text; see [`Code`].
    Code(Code),
    /// From one value to another: `1s..2s`.
    Range(Box<Value>, Box<Value>),
}

impl Default for ValueKind {
    fn default() -> Self {
        ValueKind::Literal(Literal::None)
    }
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `none`: no value.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number with its spelling.
    Int(Number<i64>),
    /// A number with a fraction or exponent, with its spelling.
    Float(Number<f64>),
    /// A duration in nanoseconds, with its spelling (`800ms`).
    Duration(Number<i64>),
    /// Text. In XML all else that is not a key: text is converted by the port that takes it.
    Text(Str),
    /// A word of an enumeration: `.patrol`.
    Word(Str),
    /// A list: `[1, 2, 3]`.
    List(Vec<Value>),
}

/// A number and how it was spelled, so that `1_000`, `0x1F` and `1e3` are written back as they were.
#[derive(Clone, Debug, PartialEq)]
pub struct Number<T> {
    /// The number.
    pub value: T,
    /// Its spelling.
    pub raw: Str,
}

/// A blackboard key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRef {
    /// Where the name is looked up.
    pub scope: KeyScope,
    /// Its name, without `@` and braces.
    pub name: Str,
}

/// Where a key is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyScope {
    /// In the scope of the tree that names it.
    #[default]
    Local,
    /// In the root blackboard: `@name`.
    Root,
}

/// An expression or script as text.
///
/// It is stored as text, not as a syntax tree, so that every format can hold it unchanged; parsing
/// it is quick and happens where it is needed (`tickseed_lang::expr`). A `.tick` reader has parsed
/// it once, to report its errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The text as written, without surrounding space.
    pub text: Str,
    /// Which language it is in.
    pub dialect: Dialect,
}

/// The language of a [`Code`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Tickseed's expressions.
    #[default]
    Tick,
    /// BehaviorTree.CPP's scripts.
    BtCpp,
}

/// A unit of time in `.tick` and in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds, `ns`.
    Nanos,
    /// Microseconds, `us`.
    Micros,
    /// Milliseconds, `ms`.
    Millis,
    /// Seconds, `s`.
    Seconds,
    /// Minutes, `min`.
    Minutes,
    /// Hours, `h`.
    Hours,
}

impl Unit {
    /// All units with their spelling.
    pub const ALL: [(&'static str, Unit); 6] = [
        ("ns", Unit::Nanos),
        ("us", Unit::Micros),
        ("ms", Unit::Millis),
        ("s", Unit::Seconds),
        ("min", Unit::Minutes),
        ("h", Unit::Hours),
    ];

    /// The unit spelled `word`.
    pub fn from_word(word: &str) -> Option<Unit> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|&(_, unit)| unit)
    }

    /// Its length in nanoseconds.
    pub fn nanos(self) -> i64 {
        match self {
            Unit::Nanos => 1,
            Unit::Micros => 1_000,
            Unit::Millis => 1_000_000,
            Unit::Seconds => 1_000_000_000,
            Unit::Minutes => 60_000_000_000,
            Unit::Hours => 3_600_000_000_000,
        }
    }
}

/// The nanoseconds of a duration such as `800ms`, `1.5s` or `2min`. `None` if it is not one or does
/// not fit (292 years). Fractions below a nanosecond are rounded to the nearest.
///
/// ```
/// use tickseed_lang::model::parse_duration;
/// assert_eq!(parse_duration("1.5s"), Some(1_500_000_000));
/// assert_eq!(parse_duration("10 s"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))?;
    let unit = Unit::from_word(&text[digits..])?;
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number = text[..digits].replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return None;
    }
    let whole = whole.parse::<i64>().ok()?.checked_mul(unit.nanos())?;
    if fraction.is_empty() {
        return Some(whole);
    }
    let part = format!("0.{fraction}").parse::<f64>().ok()? * unit.nanos() as f64;
    whole.checked_add(part.round() as i64)
}

impl Value {
    /// A literal at a place.
    pub fn literal(literal: Literal, span: Span) -> Self {
        Self {
            kind: ValueKind::Literal(literal),
            span,
        }
    }

    /// Text at a place.
    pub fn text(text: impl Into<Str>, span: Span) -> Self {
        Self::literal(Literal::Text(text.into()), span)
    }

    /// A whole number.
    pub fn int(value: i64, span: Span) -> Self {
        Self::literal(
            Literal::Int(Number {
                value,
                raw: value.to_compact_string(),
            }),
            span,
        )
    }

    /// A key of the tree's own scope.
    pub fn key(name: impl Into<Str>, span: Span) -> Self {
        let key = KeyRef {
            scope: KeyScope::Local,
            name: name.into(),
        };
        Self {
            kind: ValueKind::Key(key),
            span,
        }
    }

    /// An expression or script.
    pub fn code(text: impl Into<Str>, dialect: Dialect, span: Span) -> Self {
        Self {
            kind: ValueKind::Code(Code {
                text: text.into(),
                dialect,
            }),
            span,
        }
    }

    /// What an untyped text of an XML attribute means: `{key}`, `{@key}`, `{=}`, a plain decimal
    /// number, `true`, `false`, or text. Spellings that `.tick` does not share (`+3`, `007`, `1e5f`)
    /// stay text, so writing the value back always gives the same characters.
    pub fn from_attribute(text: &str, span: Span) -> Self {
        let trimmed = text.trim_matches(' ');
        if let Some(key) = trimmed
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            && !key.is_empty()
        {
            let kind = match key {
                "=" => ValueKind::SameName,
                _ => ValueKind::Key(match key.strip_prefix('@') {
                    Some(name) => KeyRef {
                        scope: KeyScope::Root,
                        name: name.into(),
                    },
                    None => KeyRef {
                        scope: KeyScope::Local,
                        name: key.into(),
                    },
                }),
            };
            return Self { kind, span };
        }
        let literal = match text {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            _ => number(text).unwrap_or_else(|| Literal::Text(text.into())),
        };
        Self::literal(literal, span)
    }

    /// The characters an XML attribute shows for this value.
    pub fn to_attribute(&self) -> Str {
        match &self.kind {
            ValueKind::Literal(literal) => literal.to_attribute(),
            ValueKind::Key(KeyRef {
                scope: KeyScope::Local,
                name,
            }) => format_compact!("{{{name}}}"),
            ValueKind::Key(KeyRef {
                scope: KeyScope::Root,
                name,
            }) => format_compact!("{{@{name}}}"),
            ValueKind::SameName => Str::const_new("{=}"),
            ValueKind::Code(code) => code.text.clone(),
            ValueKind::Range(from, to) => {
                format_compact!("{}..{}", from.to_attribute(), to.to_attribute())
            }
        }
    }
}

impl Literal {
    /// The characters an XML attribute shows: bare text, lists with `;` between.
    pub fn to_attribute(&self) -> Str {
        match self {
            Literal::None => Str::default(),
            Literal::Bool(value) => value.to_compact_string(),
            Literal::Int(Number { raw, .. })
            | Literal::Float(Number { raw, .. })
            | Literal::Duration(Number { raw, .. }) => raw.clone(),
            Literal::Text(text) | Literal::Word(text) => text.clone(),
            Literal::List(items) => items
                .iter()
                .map(Value::to_attribute)
                .collect::<Vec<_>>()
                .join(";")
                .into(),
        }
    }
}

/// A decimal number without sign tricks or leading zeros.
fn number(text: &str) -> Option<Literal> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.split(['.', 'e', 'E']).next().unwrap_or("");
    let plain = !whole.is_empty()
        && whole.bytes().all(|b| b.is_ascii_digit())
        && (whole == "0" || !whole.starts_with('0'));
    if !plain || text == "-0" {
        return None;
    }
    let raw = || Str::from(text);
    if whole.len() == digits.len() {
        return text
            .parse()
            .ok()
            .map(|value| Literal::Int(Number { value, raw: raw() }));
    }
    let ends_in_digit = digits.ends_with(|c: char| c.is_ascii_digit());
    if !ends_in_digit || digits.contains(".e") || digits.contains(".E") {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    value
        .is_finite()
        .then(|| Literal::Float(Number { value, raw: raw() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_text_is_written_back_as_it_was() {
        for text in [
            "",
            "{a}",
            "{@a}",
            "{=}",
            "{}",
            "3",
            "-3",
            "007",
            "+3",
            "1.50",
            "1e3",
            "1.",
            ".5",
            "true",
            "True",
            "1;2",
            "-0",
            "0x1F",
            "99999999999999999999",
        ] {
            assert_eq!(
                Value::from_attribute(text, Span::default()).to_attribute(),
                text
            );
        }
        let int = Value::from_attribute("3", Span::default());
        assert_eq!(int, Value::int(3, Span::default()));
        let spaced = Value::from_attribute(" {a}  ", Span::default());
        assert_eq!(spaced, Value::from_attribute("{a}", Span::default()));
    }

    #[test]
    fn durations_have_units_and_bounds() {
        assert_eq!(parse_duration("800ms"), Some(800_000_000));
        assert_eq!(parse_duration("0.25us"), Some(250));
        assert_eq!(parse_duration("1_000h"), Some(3_600_000_000_000_000));
        for bad in [
            "",
            "s",
            "5",
            "5m",
            "1..5s",
            "1.s",
            ".5s",
            "5S",
            "99999999999h",
            "é5s",
        ] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }
}
