//! Values between Rust's types, scalars and slots.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use core::any::{Any, TypeId};

use super::error::BlackboardError;
use crate::key::{KeyType, Scalar, ScalarType};

/// A value in a slot. Objects are shared, so that copying a key (or a whole blackboard) needs no
/// knowledge of their type; they are replaced, or changed in place when not shared.
#[derive(Clone)]
pub(super) enum Stored {
    Scalar(ScalarType, Scalar),
    Object(Arc<dyn Any + Send + Sync>, &'static str),
}

impl Stored {
    pub(super) fn type_name(&self) -> String {
        match self {
            Stored::Scalar(ty, _) => scalar_type_name(*ty).to_owned(),
            Stored::Object(_, name) => short_type_name(name),
        }
    }
}

macro_rules! with_scalars {
    ($do:ident) => {
        $do!(bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64)
    };
}

/// The scalar type that `T` is.
pub(super) fn scalar_type<T: Any>() -> Option<ScalarType> {
    macro_rules! find {
        ($($t:ty),*) => {
            match TypeId::of::<T>() {
                $(id if id == TypeId::of::<$t>() => Some(<$t as KeyType>::TYPE),)*
                _ => None,
            }
        };
    }
    with_scalars!(find)
}

/// A value as a scalar, if its type is one.
pub(super) fn to_scalar<T: Any>(value: &T) -> Option<Scalar> {
    let value: &dyn Any = value;
    macro_rules! find {
        ($($t:ty),*) => {
            $(if let Some(v) = value.downcast_ref::<$t>() {
                return Some(v.to_scalar());
            })*
        };
    }
    with_scalars!(find);
    None
}

/// A scalar as a value of type `T`; `None` if it does not fit or `T` is not a scalar type.
pub(super) fn from_scalar<T: Any>(scalar: Scalar) -> Option<T> {
    let mut out: Option<T> = None;
    let any: &mut dyn Any = &mut out;
    macro_rules! find {
        ($($t:ty),*) => {
            $(if let Some(o) = any.downcast_mut::<Option<$t>>() {
                *o = <$t>::from_scalar(scalar);
                return out;
            })*
        };
    }
    with_scalars!(find);
    out
}

/// A scalar as a value of type `ty`: integers fit where their value fits, and become fractions
/// where needed; fractions do not become integers.
pub(super) fn convert(
    name: &str,
    ty: ScalarType,
    value: Scalar,
    wanted: &str,
) -> Result<Scalar, BlackboardError> {
    macro_rules! fit {
        ($($t:ty),*) => {
            match ty {
                $(_ if ty == <$t as KeyType>::TYPE => <$t>::from_scalar(value).map(KeyType::to_scalar),)*
                _ => None,
            }
        };
    }
    with_scalars!(fit).ok_or_else(|| match value {
        Scalar::Int(value) if !matches!(ty, ScalarType::Bool) => BlackboardError::OutOfRange {
            name: name.to_owned(),
            value,
            wanted: scalar_type_name(ty).to_owned(),
        },
        _ => BlackboardError::WrongType {
            name: name.to_owned(),
            stored: scalar_type_name(ty).to_owned(),
            wanted: wanted.to_owned(),
        },
    })
}

/// Writes a scalar that fits `ty` to its bytes.
pub(super) fn store(ty: ScalarType, value: Scalar, to: &mut [u8]) {
    macro_rules! put {
        ($($t:ty),*) => {
            match ty {
                $(_ if ty == <$t as KeyType>::TYPE => {
                    if let Some(v) = <$t>::from_scalar(value) {
                        to.copy_from_slice(bytemuck::bytes_of(&v));
                    }
                })*
                _ => {}
            }
        };
    }
    with_scalars!(put);
}

pub(super) fn scalar_type_name(ty: ScalarType) -> &'static str {
    macro_rules! find {
        ($($t:ty),*) => {
            match ty {
                $(_ if ty == <$t as KeyType>::TYPE => stringify!($t),)*
                _ => "a scalar",
            }
        };
    }
    with_scalars!(find)
}

/// What to call a scalar whose Rust type is not known.
pub(super) fn scalar_of(value: Scalar) -> String {
    match value {
        Scalar::Bool(_) => "a truth value",
        Scalar::Int(_) => "a whole number",
        Scalar::Float(_) => "a fraction",
    }
    .to_owned()
}

/// A type's name without the modules: `Vec<String>`.
pub(super) fn short_type_name(name: &str) -> String {
    let mut out = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}
