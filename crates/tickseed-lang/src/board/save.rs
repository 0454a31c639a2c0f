//! The values of keys as JSON, for saves and tools. A tree's progress is in its
//! [snapshot](tickseed_core::Snapshot).
//!
//! Numbers, truth values, texts and lists are plain JSON; everything else names its type:
//! `{"duration": 1500000}` (nanoseconds), `{"word": 2}`, `{"vec2": [1.0, 2.0]}`, and `{"float":
//! "inf"}` for numbers that JSON cannot express.

use serde_json::{Map, Value, json};

use super::{Board, Mark};
use crate::diagnostics::nearest;
use crate::expr::Datum;

impl Board {
    /// What all set keys hold, by the paths of their scopes and their names, and the keys that are
    /// left out because only the program knows what they hold.
    ///
    /// ```
    /// use tickseed_lang::{build, board::Board, expr::Datum, registry::Registry};
    /// let text = "keys { gold = 3 }\nmain tree A { set gold += 1 }";
    /// let loaded = build::from_text("a.tick", text, &Registry::<Board>::new()).unwrap();
    /// let mut board = loaded.board();
    /// board.set_by_name("", "gold", Datum::Int(7));
    /// let (saved, left_out) = board.save();
    /// assert!(left_out.is_empty());
    ///
    /// let mut other = loaded.board();
    /// other.restore(&saved).unwrap();
    /// assert_eq!(other.by_name("", "gold"), Some(Datum::Int(7)));
    /// ```
    #[must_use]
    pub fn save(&self) -> (Value, Vec<String>) {
        let (mut keys, mut types, mut left_out) = (Map::new(), Map::new(), Vec::new());
        let layout = self.layout();
        for (slot, info) in layout.slots() {
            let scope = layout.scopes().get(info.scope as usize);
            let scope = scope.map_or("", String::as_str);
            let mark = self.mark(slot);
            if mark != info.mark && mark != Mark::ABSENT {
                let ty = layout.type_of(mark).map_or(Value::Null, Value::from);
                put(&mut types, scope, &info.name, ty);
            }
            match self.get(slot) {
                Datum::None => {}
                datum => match to_json(&datum) {
                    Some(value) => put(&mut keys, scope, &info.name, value),
                    None => left_out.push(shown(scope, &info.name)),
                },
            }
        }
        (json!({ "keys": keys, "types": types }), left_out)
    }

    /// Gives keys the values that were saved; keys that the save does not name stay as they are.
    ///
    /// # Errors
    /// Everything that does not fit: scopes and keys that are not there, values that are none or of
    /// another type. Nothing is changed then.
    pub fn restore(&mut self, saved: &Value) -> Result<(), RestoreError> {
        let mut restored = self.clone();
        let mut mistakes = Vec::new();
        for part in ["types", "keys"] {
            let Some(scopes) = saved.get(part).and_then(Value::as_object) else {
                if part == "keys" {
                    mistakes.push("expected an object `keys` of scopes".to_owned());
                }
                continue;
            };
            for (scope, entries) in scopes {
                let Some(entries) = entries.as_object() else {
                    mistakes.push(format!("{part}: expected an object of keys in `{scope}`"));
                    continue;
                };
                for (name, value) in entries {
                    if let Err(mistake) = restored.restore_one(part, scope, name, value) {
                        mistakes.push(format!("{}: {mistake}", shown(scope, name)));
                    }
                }
            }
        }
        if mistakes.is_empty() {
            *self = restored;
            Ok(())
        } else {
            Err(RestoreError { mistakes })
        }
    }

    fn restore_one(
        &mut self,
        part: &str,
        scope: &str,
        name: &str,
        value: &Value,
    ) -> Result<(), String> {
        let layout = std::sync::Arc::clone(self.layout());
        let Some(slot) = layout.find(scope, name) else {
            if !layout.scopes().iter().any(|known| known == scope) {
                let known = layout.scopes().iter().map(String::as_str);
                let near = nearest(scope, known).map(|near| format!("; did you mean `{near}`?"));
                return Err(format!(
                    "there is no such scope{}",
                    near.unwrap_or_default()
                ));
            }
            let known = layout.slots().map(|(_, info)| info.name.as_str());
            let near = nearest(name, known).map(|near| format!("; did you mean `{near}`?"));
            return Err(format!("there is no such key{}", near.unwrap_or_default()));
        };
        if part == "types" {
            let mark = match value.as_str() {
                None => Mark::ANY,
                Some(ty) => (layout.find_mark(ty))
                    .ok_or_else(|| format!("no type is called `{ty}` here"))?,
            };
            self.set_mark(slot, mark);
            return Ok(());
        }
        let datum = from_json(value)?;
        if self.set(slot, datum) {
            return Ok(());
        }
        let ty = layout.slot(slot).map(|info| info.ty.to_string());
        Err(format!(
            "the key is {}, found {value}",
            ty.unwrap_or_default()
        ))
    }
}

/// Why saved keys were not restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    /// At least one line, each beginning with the key.
    pub mistakes: Vec<String>,
}

impl std::fmt::Display for RestoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.mistakes.join("\n"))
    }
}

impl std::error::Error for RestoreError {}

fn shown(scope: &str, name: &str) -> String {
    match scope {
        "" => name.to_owned(),
        scope => format!("{scope}/{name}"),
    }
}

fn put(scopes: &mut Map<String, Value>, scope: &str, name: &str, value: Value) {
    let entries = scopes.entry(scope).or_insert_with(|| json!({}));
    if let Some(entries) = entries.as_object_mut() {
        entries.insert(name.to_owned(), value);
    }
}

fn to_json(datum: &Datum) -> Option<Value> {
    let vector = |tag: &str, parts: &[f64]| {
        let parts: Vec<Value> = parts.iter().map(|part| float(*part)).collect();
        json!({ tag: parts })
    };
    Some(match datum {
        Datum::None => Value::Null,
        Datum::Bool(b) => json!(b),
        Datum::Int(i) => json!(i),
        Datum::Float(f) => float(*f),
        Datum::Text(text) => json!(&**text),
        Datum::Duration(ns) => json!({ "duration": ns }),
        Datum::Word(word) => json!({ "word": word }),
        Datum::Vec2(parts) => vector("vec2", parts),
        Datum::Vec3(parts) => vector("vec3", parts),
        Datum::List(items) => Value::Array(items.iter().map(to_json).collect::<Option<_>>()?),
        _ => return None,
    })
}

fn float(f: f64) -> Value {
    if f.is_finite() {
        json!(f)
    } else {
        json!({ "float": f.to_string() })
    }
}

fn from_json(value: &Value) -> Result<Datum, String> {
    let number = |value: &Value| match from_json(value) {
        Ok(Datum::Float(f)) => Ok(f),
        Ok(Datum::Int(i)) => Ok(i as f64),
        _ => Err(format!("expected a number, found {value}")),
    };
    let whole = |value: &Value| {
        let whole = value.as_i64();
        whole.ok_or_else(|| format!("expected a whole number, found {value}"))
    };
    match value {
        Value::Null => Ok(Datum::None),
        Value::Bool(b) => Ok(Datum::Bool(*b)),
        Value::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(i), _) => Ok(Datum::Int(i)),
            (None, Some(f)) => Ok(Datum::Float(f)),
            (None, None) => Err(format!("the number {n} is too large")),
        },
        Value::String(text) => Ok(Datum::Text(text.as_str().into())),
        Value::Array(items) => {
            let items: Result<Vec<Datum>, String> = items.iter().map(from_json).collect();
            Ok(Datum::List(items?.into()))
        }
        Value::Object(fields) => {
            const TAGS: [&str; 5] = ["duration", "word", "vec2", "vec3", "float"];
            let mut all = fields.iter();
            let (Some((tag, inner)), None) = (all.next(), all.next()) else {
                return Err(format!(
                    "expected one field that says what it is ({}), found {value}",
                    TAGS.join(", ")
                ));
            };
            match tag.as_str() {
                "duration" => whole(inner).map(Datum::Duration),
                "word" => whole(inner).map(Datum::Word),
                "float" => {
                    let parsed = inner.as_str().and_then(|text| text.parse().ok());
                    let expected = || format!("expected `inf`, `-inf` or `NaN`, found {inner}");
                    parsed.map(Datum::Float).ok_or_else(expected)
                }
                "vec2" | "vec3" => {
                    let count = if tag == "vec2" { 2 } else { 3 };
                    let items = inner.as_array().filter(|items| items.len() == count);
                    let items =
                        items.ok_or_else(|| format!("expected {count} numbers, found {inner}"))?;
                    let parts: Vec<f64> = items.iter().map(number).collect::<Result<_, _>>()?;
                    Ok(match parts.as_slice() {
                        [x, y] => Datum::Vec2([*x, *y]),
                        [x, y, z] => Datum::Vec3([*x, *y, *z]),
                        _ => return Err(format!("expected {count} numbers, found {inner}")),
                    })
                }
                other => {
                    let near = nearest(other, TAGS).map(|near| format!("; did you mean `{near}`?"));
                    Err(format!(
                        "`{other}` is no kind of value ({}){}",
                        TAGS.join(", "),
                        near.unwrap_or_default()
                    ))
                }
            }
        }
    }
}
