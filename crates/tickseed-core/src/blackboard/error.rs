//! What can go wrong in using a blackboard: each situation has its own kind of error.

use alloc::string::String;
use core::fmt;

/// Why a key was not declared, read or written.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum BlackboardError {
    /// No key has this name (or number).
    Unknown {
        /// The name asked for.
        name: String,
        /// The declared name that is nearest to it.
        nearest: Option<String>,
    },
    /// The key is declared, but has no value yet.
    Unset {
        /// The key's name.
        name: String,
    },
    /// The key holds values of another type.
    WrongType {
        /// The key's name.
        name: String,
        /// The type of its values.
        stored: String,
        /// The type that was written or asked for.
        wanted: String,
    },
    /// The number does not fit the type that was asked for or that the key has.
    OutOfRange {
        /// The key's name.
        name: String,
        /// The value.
        value: i64,
        /// The type that it does not fit.
        wanted: String,
    },
    /// A key of this name was declared before, or the name is empty.
    Declared {
        /// The name.
        name: String,
    },
    /// A blackboard has at most 32,768 keys.
    TooMany,
}

impl fmt::Display for BlackboardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlackboardError::Unknown { name, nearest } => {
                write!(f, "no key is named `{name}`")?;
                match nearest {
                    Some(n) => write!(f, ": did you mean `{n}`?"),
                    None => f.write_str(": declare it in the layout"),
                }
            }
            BlackboardError::Unset { name } => {
                write!(
                    f,
                    "the key `{name}` is declared but has no value: write it before it is read, or declare it with an initial value"
                )
            }
            BlackboardError::WrongType {
                name,
                stored,
                wanted,
            } => {
                write!(f, "the key `{name}` holds {stored}, not {wanted}")
            }
            BlackboardError::OutOfRange {
                name,
                value,
                wanted,
            } => {
                write!(f, "the key `{name}`: {value} does not fit {wanted}")
            }
            BlackboardError::Declared { name } if name.is_empty() => {
                f.write_str("a key needs a name")
            }
            BlackboardError::Declared { name } => {
                write!(f, "a key named `{name}` is declared already")
            }
            BlackboardError::TooMany => f.write_str("a blackboard has at most 32,768 keys"),
        }
    }
}

impl core::error::Error for BlackboardError {}
