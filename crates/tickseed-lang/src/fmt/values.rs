//! Values and attributes.

use super::names;
use crate::builtin::{OptionSpec, OptionValue};
use crate::expr::{self, write_key, write_literal};
use crate::lex::quote;
use crate::model::{Attribute, Code, Dialect, Literal, Value, ValueKind};

/// A value as arguments write it.
pub(super) fn value(value: &Value) -> String {
    match &value.kind {
        ValueKind::Literal(Literal::List(items)) => {
            let items: Vec<_> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        ValueKind::Literal(literal) => {
            let mut out = String::new();
            // Writing to a string cannot fail.
            let _ = write_literal(&mut out, literal);
            out
        }
        ValueKind::Key(key) => {
            let mut out = String::new();
            let _ = write_key(&mut out, key);
            out
        }
        ValueKind::SameName => "=".to_owned(),
        ValueKind::Code(code) => self::code(code),
        ValueKind::Range(from, to) => format!("{}..{}", bound(from), bound(to)),
    }
}

fn bound(value: &Value) -> String {
    let text = self::value(value);
    match &value.kind {
        ValueKind::Code(_) => format!("({text})"),
        _ => text,
    }
}

fn code(code: &Code) -> String {
    match code.dialect {
        Dialect::Tick => expr::canonical(code),
        Dialect::BtCpp => format!("btcpp {}", quote(&code.text)),
    }
}

/// A script: a statement, or several between braces.
pub(super) fn script(value: &Value) -> String {
    let text = self::value(value);
    let several = match &value.kind {
        ValueKind::Code(Code {
            text,
            dialect: Dialect::Tick,
        }) => expr::parse_script(text, value.span).is_ok_and(|script| script.statements.len() > 1),
        _ => false,
    };
    // A text in front would read as the node's name.
    if several || text.starts_with('"') {
        format!("{{ {text} }}")
    } else {
        text
    }
}

/// `name: value`, or the value alone.
pub(super) fn argument(attribute: &Attribute) -> String {
    let text = attribute.value.as_ref().map_or("none".to_owned(), value);
    match &attribute.name {
        Some(name) => format!("{}: {text}", names::name(name.as_str())),
        None => text,
    }
}

/// `name`, `name(value)`.
pub(super) fn option(attribute: &Attribute, spec: Option<&OptionSpec>) -> String {
    let name = names::option(attribute.name());
    let Some(given) = &attribute.value else {
        return name;
    };
    let words = matches!(
        spec.map(|spec| spec.value),
        Some(OptionValue::Word(_) | OptionValue::NumberOrAll)
    );
    let one = |value: &Value| match &value.kind {
        ValueKind::Literal(Literal::Word(word)) if words => names::name(word),
        _ => self::value(value),
    };
    let text = match &given.kind {
        ValueKind::Literal(Literal::List(items)) if items.len() > 1 => {
            items.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        _ => one(given),
    };
    format!("{name}({text})")
}

/// `name`, `name = value`.
pub(super) fn metadata(attribute: &Attribute) -> String {
    let name = names::name(attribute.name());
    match &attribute.value {
        Some(given) => format!("{name} = {}", value(given)),
        None => name,
    }
}
