//! Values of keys, read from text of command lines and tools.

use super::Loaded;
use crate::board::HasBoard;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{Datum, Names, OpKind, Type, check, parse_expression};
use crate::model::{Literal, Span, Value, ValueKind, parse_duration};

impl<C: HasBoard> Loaded<C> {
    /// The value of a type that a text stands for: what a file writes behind `=` in `keys`. Words and
    /// texts may be bare: `angry` is `.angry`, `north gate` is `"north gate"`; an entity is a number. For
    /// a key without a type the text is read as an attribute of XML, or a duration.
    ///
    /// # Errors
    /// What was expected.
    ///
    /// ```
    /// use tickseed_lang::{build, expr::{Datum, Type}, registry::Registry, board::Board};
    /// let file = "enum Mood { calm, angry } keys { mood: Mood = .calm } tree T { check mood == .calm }";
    /// let loaded = build::from_text("t.tick", file, &Registry::<Board>::new()).unwrap();
    /// let mood = loaded.board().layout().slots().next().unwrap().1.ty.clone();
    /// assert_eq!(loaded.value(&mood, "angry"), Ok(Datum::Word(1)));
    /// assert_eq!(loaded.value(&Type::Vec2, "vec2(1, 2)"), Ok(Datum::Vec2([1.0, 2.0])));
    /// assert_eq!(loaded.value(&mood, "angri").unwrap_err(), "expected calm or angry; did you mean `angry`?");
    /// ```
    pub fn value(&self, ty: &Type, text: &str) -> Result<Datum, String> {
        match ty {
            _ if text == "none" => Ok(Datum::None),
            Type::Any => Ok(untyped(text)),
            Type::Text if !text.starts_with('"') => Ok(Datum::Text(text.into())),
            // Of what only the program knows there is one for each number.
            Type::Opaque(_) if text.parse::<u64>().is_ok() => {
                Ok(text.parse().map_or(Datum::None, Datum::Handle))
            }
            Type::Enum(name) => self.word(name, text.strip_prefix('.').unwrap_or(text)),
            _ => self.constant(ty, text),
        }
    }

    fn word(&self, of: &str, text: &str) -> Result<Datum, String> {
        let all = self.enums.iter().find(|(name, _)| name == of);
        let words = all.map_or(&[][..], |(_, words)| words);
        if let Some((_, number)) = words.iter().find(|(word, _)| word == text) {
            return Ok(Datum::Word(*number));
        }
        let names: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        let near = nearest(text, names.iter().copied());
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let names = match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => names.join(""),
        };
        Err(format!("expected {names}{near}"))
    }

    fn constant(&self, ty: &Type, text: &str) -> Result<Datum, String> {
        let mut names = Names::new();
        for (name, words) in &self.enums {
            names.add_enum(name.clone(), words.clone());
        }
        let checked = parse_expression(text, Span::default())
            .and_then(|expr| check(&expr, ty, &names))
            .map_err(|errors| match errors.first() {
                Some(error) if error.code != "expr::unknown-key" => told(error),
                _ => format!("expected a value of type {ty}"),
            })?;
        match checked.op.kind {
            OpKind::Const(datum) => Ok(datum),
            _ => Err(format!("expected a value of type {ty}")),
        }
    }
}

fn told(error: &Diagnostic) -> String {
    match &error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => error.message.clone(),
    }
}

/// A value as it would stand in an attribute of XML, or a duration.
fn untyped(text: &str) -> Datum {
    if let Some(nanos) = parse_duration(text) {
        return Datum::Duration(nanos);
    }
    match Value::from_attribute(text, Span::default()).kind {
        ValueKind::Literal(Literal::Bool(value)) => Datum::Bool(value),
        ValueKind::Literal(Literal::Int(number)) => Datum::Int(number.value),
        ValueKind::Literal(Literal::Float(number)) => Datum::Float(number.value),
        _ => Datum::Text(text.into()),
    }
}
