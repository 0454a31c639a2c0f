//! Running scripts.

use super::{Assign, Binary, Comparison, Node, ScriptError, Unary};
use crate::expr::{Datum, Slot};

/// The entries that scripts read and write.
pub(crate) trait Entries {
    /// Whether an entry exists.
    fn exists(&self, slot: Slot) -> bool;
    /// Its value; [`Datum::None`] if it is empty.
    fn get(&self, slot: Slot) -> Datum;
    /// Writes it; `false` if it does not take the value.
    fn set(&mut self, slot: Slot, value: Datum) -> bool;
    /// The name of the type it was made with; `None` if it takes any.
    fn type_name(&self, slot: Slot) -> Option<String>;
    /// The number of a word of an enumeration.
    fn word(&self, word: &str) -> Option<i64>;
    /// Whether an error tells what the keys hold; the reference's do not.
    fn tells(&self) -> bool {
        true
    }
    /// An entry whose name is a slip away from this one, and which exists.
    fn near(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Numbers that differ by less count as equal: the reference's `float` epsilon.
pub(crate) const EPSILON: f64 = f32::EPSILON as f64;

type Result<T> = std::result::Result<T, ScriptError>;

pub(super) fn eval(node: &Node, entries: &mut dyn Entries) -> Result<Datum> {
    match node {
        Node::Constant(value) => Ok(value.clone()),
        Node::Key { slot, name } => {
            if entries.exists(*slot) {
                Ok(entries.get(*slot))
            } else {
                Err(ScriptError::new(format!("Variable not found: {name}")))
            }
        }
        Node::Unary(operator, operand) => {
            let value = number(&eval(operand, entries)?)?;
            Ok(Datum::Float(match operator {
                Unary::Minus => -value,
                Unary::Complement => !integral(value)? as f64,
                Unary::Not => f64::from(u8::from(value == 0.0)),
            }))
        }
        Node::Binary(operator, a, b) => {
            let (a, b) = (eval(a, entries)?, eval(b, entries)?);
            binary(*operator, &a, &b)
        }
        Node::Chain(first, rest) => {
            let mut left = eval(first, entries)?;
            for (comparison, right) in rest {
                let right = eval(right, entries)?;
                if !compare(*comparison, &left, &right, entries)? {
                    return Ok(Datum::Float(0.0));
                }
                left = right;
            }
            Ok(Datum::Float(1.0))
        }
        Node::Ternary(condition, yes, no) => {
            let condition = eval(condition, entries)?;
            let holds = match &condition {
                Datum::Text(text) => !text.is_empty(),
                other => number(other)? != 0.0,
            };
            eval(if holds { yes } else { no }, entries)
        }
        Node::Assign {
            slot,
            name,
            how,
            value,
        } => assign(*slot, name, *how, value, entries),
    }
}

/// A number of any kind.
pub(crate) fn as_number(value: &Datum) -> Option<f64> {
    match value {
        Datum::Int(i) | Datum::Word(i) => Some(*i as f64),
        Datum::Float(f) => Some(*f),
        Datum::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}

fn number(value: &Datum) -> Result<f64> {
    as_number(value).ok_or_else(|| {
        ScriptError::new(format!(
            "Any::cast failed: expected a number, found {}",
            kind(value)
        ))
    })
}

/// The truth of a value: whole numbers must be 0 or 1.
pub(crate) fn as_bool(value: &Datum) -> Result<bool> {
    match value {
        Datum::Bool(b) => Ok(*b),
        Datum::Int(i @ (0 | 1)) => Ok(*i == 1),
        Datum::Int(_) => Err(ScriptError::new("Implicit casting to bool is not allowed")),
        Datum::Float(f) => Ok(*f != 0.0),
        other => Err(ScriptError::bare(format!(
            "[Any::convert]: no known safe conversion between [{}] and [bool]",
            kind(other)
        ))),
    }
}

fn integral(value: f64) -> Result<i64> {
    if value.fract() == 0.0 && value.abs() < 9.2e18 {
        Ok(value as i64)
    } else {
        Err(ScriptError::new(
            "Binary operators are not allowed if one of the operands is not an integer",
        ))
    }
}

/// The C++ type a value is kept as.
pub(crate) fn kind(value: &Datum) -> &'static str {
    match value {
        Datum::None => "void",
        Datum::Int(_) | Datum::Word(_) => "long",
        Datum::Bool(_) => "bool",
        Datum::Float(_) => "double",
        Datum::Text(_) => "std::string",
        _ => "std::any",
    }
}

fn binary(operator: Binary, a: &Datum, b: &Datum) -> Result<Datum> {
    if let (Binary::Concat, true) = (operator, is_text(a) || is_text(b)) {
        return Ok(Datum::Text(format!("{}{}", text(a), text(b)).into()));
    }
    match (a, b) {
        (Datum::Text(x), Datum::Text(y)) if operator == Binary::Add => {
            return Ok(Datum::Text(format!("{x}{y}").into()));
        }
        (Datum::Text(_), _) | (_, Datum::Text(_)) => {
            return Err(ScriptError::new(
                "The operands are not compatible: an operator between numbers was used on a string",
            ));
        }
        _ => {}
    }
    let (x, y) = (number(a)?, number(b)?);
    let truth = |b: bool| f64::from(u8::from(b));
    Ok(Datum::Float(match operator {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::BitAnd => (integral(x)? & integral(y)?) as f64,
        Binary::BitOr => (integral(x)? | integral(y)?) as f64,
        Binary::BitXor => (integral(x)? ^ integral(y)?) as f64,
        Binary::And | Binary::Or => {
            let logical = |value| {
                as_bool(value).map_err(|_| {
                    ScriptError::new("Logical operators are not allowed if one of the operands can't be cast to bool")
                })
            };
            // Both sides were evaluated, and both must be truth values.
            let (x, y) = (logical(a)?, logical(b)?);
            truth(if operator == Binary::And {
                x && y
            } else {
                x || y
            })
        }
        Binary::Concat => {
            return Ok(Datum::Text(format!("{}{}", text(a), text(b)).into()));
        }
    }))
}

fn is_text(value: &Datum) -> bool {
    matches!(value, Datum::Text(_))
}

/// A value as the reference turns it into text.
pub(crate) fn text(value: &Datum) -> String {
    match value {
        Datum::Text(text) => text.to_string(),
        Datum::Int(i) | Datum::Word(i) => i.to_string(),
        Datum::Bool(b) => if *b { "1" } else { "0" }.to_owned(),
        Datum::Float(f) if f.is_nan() => {
            if f.is_sign_negative() { "-nan" } else { "nan" }.to_owned()
        }
        Datum::Float(f) => format!("{f:.6}"),
        _ => String::new(),
    }
}

fn compare(comparison: Comparison, a: &Datum, b: &Datum, entries: &dyn Entries) -> Result<bool> {
    if let (Datum::Text(a), Datum::Text(b)) = (a, b) {
        return Ok(match comparison {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Gt => a > b,
            Comparison::Le => a <= b,
            Comparison::Ge => a >= b,
        });
    }
    let operand = |value: &Datum| match value {
        Datum::Text(text) => from_text(text, entries),
        other => number(other),
    };
    let (a, b) = (operand(a)?, operand(b)?);
    let same = (a - b).abs() <= EPSILON || a == b;
    Ok(match comparison {
        Comparison::Eq => same,
        Comparison::Ne => !same,
        Comparison::Lt => a < b,
        Comparison::Gt => a > b,
        Comparison::Le => a <= b,
        Comparison::Ge => a >= b,
    })
}

/// A text that is compared with a number.
fn from_text(text: &str, entries: &dyn Entries) -> Result<f64> {
    match text {
        "true" => return Ok(1.0),
        "false" => return Ok(0.0),
        _ => {}
    }
    if let Some(number) = entries.word(text) {
        return Ok(number as f64);
    }
    text.parse::<f64>()
        .map_err(|_| ScriptError::bare("Any failed string to number conversion"))
}

fn assign(
    slot: Slot,
    name: &str,
    how: Assign,
    value: &Node,
    entries: &mut dyn Entries,
) -> Result<Datum> {
    if how != Assign::Create && !entries.exists(slot) {
        return Err(ScriptError::new(format!(
            "The blackboard entry [{name}] doesn't exist, yet.\nIf you want to create a new one, use the operator [:=] instead of [=]"
        )));
    }
    let value = eval(value, entries)?;
    let present = entries.get(slot);
    let value = match how {
        Assign::Create | Assign::Set => value,
        _ if present == Datum::None => {
            return Err(ScriptError::new(format!(
                "The left operand of the operator [{}] is not initialized",
                how.symbol()
            )));
        }
        _ => operate(how, &present, &value)?,
    };
    let ty = entries.type_name(slot);
    // An entry's first value can be of any kind; only text is read as the type that a port gave it.
    let target = match (&present, ty.as_deref()) {
        (Datum::None, Some(ty)) if is_text(&value) => kind_of_type(ty),
        (Datum::None, _) => None,
        (present, _) => Some(kind(present)),
    };
    let stored = match (target, &value) {
        (None, _) => value,
        (Some(target), Datum::Text(text)) if ty.is_some() && target != "std::string" => {
            read_as(ty.as_deref().unwrap_or_default(), target, text, entries)?
        }
        (Some(target), _) => convert(name, ty.as_deref(), target, value, entries)?,
    };
    if !entries.set(slot, stored.clone()) {
        return Err(ScriptError::new(format!(
            "The blackboard entry [{name}] does not take the value"
        )));
    }
    Ok(stored)
}

/// A text for an entry of a type that a port gave it, which reads it.
fn read_as(ty: &str, target: &str, text: &str, entries: &dyn Entries) -> Result<Datum> {
    let number = from_text(text, entries).and_then(|number| number_as(target, number));
    let message = match kind_of_type(ty) {
        Some("bool") => match text {
            "0" | "1" | "true" | "TRUE" | "True" | "false" | "FALSE" | "False" => {
                return Ok(Datum::Bool(
                    text == "1" || text.eq_ignore_ascii_case("true"),
                ));
            }
            _ => "convertFromString(): invalid bool conversion".to_owned(),
        },
        Some("long") if number.is_err() => format!("Can't convert string [{text}] to integer"),
        Some("double") if number.is_err() => format!("Can't convert string [{text}] to double"),
        _ => return number,
    };
    Err(ScriptError::new(message))
}

/// The kind of value that entries of a C++ type hold.
fn kind_of_type(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "double" | "float" => "double",
        "std::string" | "string" | "text" => "std::string",
        "bool" => "bool",
        ty if ty.starts_with("int")
            || ty.starts_with("uint")
            || ty.starts_with("unsigned")
            || ty == "long" =>
        {
            "long"
        }
        _ => return None,
    })
}

fn operate(how: Assign, left: &Datum, right: &Datum) -> Result<Datum> {
    if let (Datum::Text(a), Datum::Text(b), Assign::Add) = (left, right, how) {
        return Ok(Datum::Text(format!("{a}{b}").into()));
    }
    let (Some(a), Some(b)) = (as_number(left), as_number(right)) else {
        return Err(ScriptError::new(match (left, right) {
            (Datum::Text(_), Datum::Text(_)) => "Operator not supported for strings",
            (Datum::Text(_), _) => "This Assignment operator can't be used with a non-numeric type",
            _ => "The left and right operands must have the same type",
        }));
    };
    Ok(Datum::Float(match how {
        Assign::Add => a + b,
        Assign::Sub => a - b,
        Assign::Mul => a * b,
        _ => a / b,
    }))
}

/// A value for an entry that holds values of a kind.
fn convert(
    name: &str,
    ty: Option<&str>,
    target: &str,
    value: Datum,
    entries: &dyn Entries,
) -> Result<Datum> {
    match (target, value) {
        ("std::string", value @ Datum::Text(_)) => Ok(value),
        ("std::string", value) => Err(ScriptError::new(format!(
            "Error assigning a value to entry [{name}] with type [{}]. \nThe right operand has type [{}] and can't be converted to [std::string]",
            ty.unwrap_or("BT::AnyTypeAllowed"),
            kind(&value),
        ))),
        (target, Datum::Text(text)) => {
            let parsed = from_text(&text, entries)?;
            number_as(target, parsed)
        }
        ("long", value @ Datum::Int(_)) => Ok(value),
        (target, value) => number_as(target, number(&value)?),
    }
}

fn number_as(target: &str, value: f64) -> Result<Datum> {
    match target {
        "double" => Ok(Datum::Float(value)),
        "bool" => Ok(Datum::Bool(value != 0.0)),
        "long" if value.fract() == 0.0 && value.abs() < 9.2e18 => Ok(Datum::Int(value as i64)),
        "long" => Err(ScriptError::bare(
            "Invalid floating point to integer conversion",
        )),
        _ => Ok(Datum::Float(value)),
    }
}
