//! Typed ports of leaves: what a file gives a port becomes a constant or a slot.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::Cx;

use crate::board::{FIELDS, HasBoard, View, view};
use crate::expr::{Datum, Op, Slot, Type};
use crate::model::{Str, parse_duration};

/// A type that ports can have. Numbers, `bool`, `String`, `Duration`, `[f64; 2]`, `[f64; 3]` and
/// lists of these are; for a type of your own, give its name and how text becomes one:
///
/// ```
/// use tickseed_lang::{expr::Type, registry::PortType};
/// #[derive(Clone)]
/// struct Pose { x: f64, y: f64 }
/// impl PortType for Pose {
///     fn ty() -> Type { Type::Opaque("pose".into()) }
///     fn parse(text: &str) -> Result<Self, String> {
///         let (x, y) = text.split_once(';').ok_or("expected `x;y`")?;
///         Ok(Pose { x: f64::parse(x)?, y: f64::parse(y)? })
///     }
/// }
/// ```
pub trait PortType: Clone + Send + Sync + 'static {
    /// The type as files name it.
    fn ty() -> Type;

    /// A value from the text of a file.
    ///
    /// # Errors
    /// What was expected.
    fn parse(text: &str) -> Result<Self, String>;

    /// A value from a slot's. The default knows none: the type lives in slots as an object.
    fn from_datum(_datum: &Datum) -> Option<Self> {
        None
    }

    /// The value for a slot; `None` if it lives there as an object.
    fn to_datum(&self) -> Option<Datum> {
        None
    }
}

macro_rules! whole {
    ($($t:ty),*) => {$(
        impl PortType for $t {
            fn ty() -> Type {
                Type::Int
            }
            fn parse(text: &str) -> Result<Self, String> {
                text.trim().parse().map_err(|_| format!(
                    "expected a whole number from {} to {}, found `{text}`", <$t>::MIN, <$t>::MAX
                ))
            }
            fn from_datum(datum: &Datum) -> Option<Self> {
                match datum {
                    Datum::Int(i) | Datum::Word(i) => (*i).try_into().ok(),
                    Datum::Float(f) if f.fract() == 0.0 && f.abs() < 9e18 => (*f as i64).try_into().ok(),
                    Datum::Bool(b) => Some((*b).into()),
                    _ => None,
                }
            }
            fn to_datum(&self) -> Option<Datum> {
                i64::try_from(*self).ok().map(Datum::Int)
            }
        }
    )*};
}
whole!(i8, u8, i16, u16, i32, u32, i64, u64);

macro_rules! fraction {
    ($($t:ty),*) => {$(
        impl PortType for $t {
            fn ty() -> Type {
                Type::Float
            }
            fn parse(text: &str) -> Result<Self, String> {
                let number: $t = text.trim().parse().map_err(|_| format!("expected a number, found `{text}`"))?;
                // Infinity can be meant; a number that is too large becomes it.
                if number.is_infinite() && text.contains(|c: char| c.is_ascii_digit()) {
                    return Err(format!("expected a number from {} to {}, found `{text}`", <$t>::MIN, <$t>::MAX));
                }
                Ok(number)
            }
            fn from_datum(datum: &Datum) -> Option<Self> {
                match datum {
                    Datum::Int(i) => Some(*i as $t),
                    Datum::Float(f) if f.is_finite() && (*f as $t).is_infinite() => None,
                    Datum::Float(f) => Some(*f as $t),
                    _ => None,
                }
            }
            fn to_datum(&self) -> Option<Datum> {
                Some(Datum::Float(f64::from(*self)))
            }
        }
    )*};
}
fraction!(f32, f64);

impl PortType for bool {
    fn ty() -> Type {
        Type::Bool
    }
    fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "true" | "True" | "TRUE" | "1" => Ok(true),
            "false" | "False" | "FALSE" | "0" => Ok(false),
            _ => Err(format!("expected `true` or `false`, found `{text}`")),
        }
    }
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Bool(b) => Some(*b),
            Datum::Int(i @ (0 | 1)) => Some(*i == 1),
            Datum::Float(f) => Some(*f != 0.0),
            _ => None,
        }
    }
    fn to_datum(&self) -> Option<Datum> {
        Some(Datum::Bool(*self))
    }
}

impl PortType for String {
    fn ty() -> Type {
        Type::Text
    }
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Text(text) => Some(text.to_string()),
            // A literal that looks like a number was text in the file.
            Datum::Int(i) => Some(i.to_string()),
            Datum::Float(f) => Some(f.to_string()),
            _ => None,
        }
    }
    fn to_datum(&self) -> Option<Datum> {
        Some(Datum::Text(self.as_str().into()))
    }
}

impl PortType for Duration {
    fn ty() -> Type {
        Type::Duration
    }
    fn parse(text: &str) -> Result<Self, String> {
        parse_duration(text.trim())
            .and_then(|ns| u64::try_from(ns).ok())
            .map(Duration::from_nanos)
            .ok_or_else(|| format!("expected a duration such as `500ms`, found `{text}`"))
    }
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Duration(ns) => u64::try_from(*ns).ok().map(Duration::from_nanos),
            _ => None,
        }
    }
    fn to_datum(&self) -> Option<Datum> {
        i64::try_from(self.as_nanos()).ok().map(Datum::Duration)
    }
}

/// Numbers with `;` between them.
fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parts: Vec<f64> = Vec::parse(text)?;
    let found = parts.len();
    parts
        .try_into()
        .map_err(|_| format!("expected {N} numbers with `;` between, found {found}"))
}

impl PortType for [f64; 2] {
    fn ty() -> Type {
        Type::Vec2
    }
    fn parse(text: &str) -> Result<Self, String> {
        numbers(text)
    }
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Vec2(v) => Some(*v),
            _ => None,
        }
    }
    fn to_datum(&self) -> Option<Datum> {
        Some(Datum::Vec2(*self))
    }
}

impl PortType for [f64; 3] {
    fn ty() -> Type {
        Type::Vec3
    }
    fn parse(text: &str) -> Result<Self, String> {
        numbers(text)
    }
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Vec3(v) => Some(*v),
            _ => None,
        }
    }
    fn to_datum(&self) -> Option<Datum> {
        Some(Datum::Vec3(*self))
    }
}

/// Lists: elements with `;` between them, or JSON after `json:`, as BehaviorTree.CPP has it.
impl<T: PortType> PortType for Vec<T> {
    fn ty() -> Type {
        Type::List(Box::new(T::ty()))
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        if let Some(json) = text.trim_start().strip_prefix("json:") {
            return json_list(json)?.iter().map(|item| T::parse(item)).collect();
        }
        text.trim().split(';').map(T::parse).collect()
    }
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::List(items) => items.iter().map(T::from_datum).collect(),
            _ => None,
        }
    }
    fn to_datum(&self) -> Option<Datum> {
        let items: Option<Vec<Datum>> = self.iter().map(T::to_datum).collect();
        items.map(|items| Datum::List(items.into()))
    }
}

/// The elements of a list in JSON as the texts that their type reads: numbers and texts as they are,
/// lists and objects as JSON again.
fn json_list(json: &str) -> Result<Vec<String>, String> {
    use serde_json::Value;
    let expected = |what: String| format!("expected a list in JSON behind `json:`, {what}");
    let items = match serde_json::from_str(json) {
        Ok(Value::Array(items)) => items,
        Ok(other) => return Err(expected(format!("found `{other}`"))),
        Err(error) => return Err(expected(format!("found `{json}`: {error}"))),
    };
    let text = |item| match item {
        Value::String(text) => text,
        Value::Array(_) | Value::Object(_) => format!("json:{item}"),
        other => other.to_string(),
    };
    Ok(items.into_iter().map(text).collect())
}

/// A value in words, for messages; the text that its type would be read from.
pub(crate) fn told(datum: &Datum) -> String {
    let join = |numbers: &[f64]| {
        let all: Vec<_> = numbers.iter().map(f64::to_string).collect();
        all.join(";")
    };
    match datum {
        Datum::None => String::new(),
        Datum::Bool(b) => b.to_string(),
        Datum::Int(i) | Datum::Word(i) => i.to_string(),
        Datum::Float(f) => f.to_string(),
        Datum::Duration(ns) => format!("{:?}", Duration::from_nanos(ns.unsigned_abs())),
        Datum::Text(text) => text.to_string(),
        Datum::Vec2(v) => join(v),
        Datum::Vec3(v) => join(v),
        Datum::List(items) => {
            let all: Vec<_> = items.iter().map(told).collect();
            all.join(";")
        }
        Datum::Handle(_) => "a value of the program".to_owned(),
    }
}

/// Why a value is none of the type.
pub(super) fn unfit<T: PortType>(datum: &Datum) -> String {
    match T::parse(&told(datum)) {
        Err(expected) => expected,
        Ok(_) => format!("expected {}, found `{}`", T::ty(), told(datum)),
    }
}

/// What a port was given.
#[derive(Clone, Debug)]
pub(crate) enum Source<T> {
    /// A value that stands in the file.
    Constant(T),
    /// A key.
    Slot(Slot),
    /// An expression.
    Computed(Arc<Op>),
    /// Nothing.
    Missing,
}

/// A port was read that has no value, or one of another type; or could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortError {
    /// The port.
    pub port: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "port `{}`: {}", self.port, self.message)
    }
}

impl std::error::Error for PortError {}

/// A port that a leaf reads.
#[derive(Clone, Debug)]
pub struct In<T> {
    pub(crate) name: Str,
    pub(crate) source: Source<T>,
}

/// A port that a leaf writes.
#[derive(Clone, Debug)]
pub struct Out<T> {
    pub(crate) name: Str,
    pub(crate) slot: Option<Slot>,
    pub(crate) ty: std::marker::PhantomData<fn(T)>,
}

/// A port that a leaf reads and writes.
#[derive(Clone, Debug)]
pub struct InOut<T> {
    pub(crate) input: In<T>,
    pub(crate) output: Out<T>,
}

/// A value that must stand in the file: it is read once, when the tree is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Const<T>(pub T);

impl<T> std::ops::Deref for Const<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: PortType> In<T> {
    /// The present value.
    ///
    /// # Errors
    /// The key has no value or one of another type, or the expression failed.
    pub fn get<C: HasBoard>(&self, cx: &Cx<'_, '_, C>) -> Result<T, PortError> {
        self.read::<C>(cx.at())
    }

    /// The present value, from the context itself.
    ///
    /// # Errors
    /// As [`get`](In::get).
    pub fn read<C: HasBoard>(&self, at: &C::At<'_>) -> Result<T, PortError> {
        let (datum, slot) = match &self.source {
            Source::Constant(value) => return Ok(value.clone()),
            Source::Slot(slot) => (view::read::<C>(at, *slot), Some(*slot)),
            Source::Computed(op) => {
                let view = View::<C> { at, functions: &[] };
                let datum = op.eval(&view).map_err(|e| self.error(e.to_string()))?;
                (datum, None)
            }
            Source::Missing => return Err(self.error("it was given no value")),
        };
        self.convert::<C>(at, &datum, slot)
    }

    fn convert<C: HasBoard>(
        &self,
        at: &C::At<'_>,
        datum: &Datum,
        slot: Option<Slot>,
    ) -> Result<T, PortError> {
        if let Some(value) = T::from_datum(datum) {
            return Ok(value);
        }
        let key = || {
            let info = slot.and_then(|slot| C::board(at).layout().slot(slot));
            info.map_or("its key".to_owned(), |info| {
                format!("its key `{}`", info.name)
            })
        };
        match datum {
            Datum::None => Err(self.error(format!("{} has no value yet", key()))),
            Datum::Text(text) => T::parse(text).map_err(|e| self.error(format!("{}: {e}", key()))),
            Datum::Handle(_) => slot
                .and_then(|slot| C::board(at).object(slot))
                .and_then(|object| object.downcast_ref::<T>())
                .cloned()
                .ok_or_else(|| self.error(format!("{} holds no {}", key(), T::ty()))),
            other => Err(self.error(format!("{}: {}", key(), unfit::<T>(other)))),
        }
    }

    /// Whether it was given anything.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !matches!(self.source, Source::Missing)
    }

    fn error(&self, message: impl Into<String>) -> PortError {
        PortError {
            port: self.name.to_string(),
            message: message.into(),
        }
    }
}

impl<T: PortType> Out<T> {
    /// Writes the port's key; does nothing if the file gave it none.
    ///
    /// # Errors
    /// The key does not take the value.
    pub fn set<C: HasBoard>(&self, cx: &mut Cx<'_, '_, C>, value: T) -> Result<(), PortError> {
        let Some(slot) = self.slot else { return Ok(()) };
        let fits = match value.to_datum() {
            Some(datum) => view::write::<C>(cx.at_mut(), slot, datum),
            None if slot.0 < FIELDS => {
                let object: Arc<dyn Any + Send + Sync> = Arc::new(value);
                C::board_mut(cx.at_mut()).set_object(slot, object)
            }
            None => false,
        };
        if fits {
            return Ok(());
        }
        Err(PortError {
            port: self.name.to_string(),
            message: format!("its key does not take a value of type {}", T::ty()),
        })
    }

    /// Whether the file gave it a key.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.slot.is_some()
    }
}

impl<T: PortType> InOut<T> {
    /// The present value.
    ///
    /// # Errors
    /// As [`In::get`].
    pub fn get<C: HasBoard>(&self, cx: &Cx<'_, '_, C>) -> Result<T, PortError> {
        self.input.get(cx)
    }

    /// Writes the port's key.
    ///
    /// # Errors
    /// As [`Out::set`].
    pub fn set<C: HasBoard>(&self, cx: &mut Cx<'_, '_, C>, value: T) -> Result<(), PortError> {
        self.output.set(cx, value)
    }
}
