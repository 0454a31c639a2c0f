//! Keys by their names, for programs around a tree.

use std::fmt;

use super::Board;
use crate::diagnostics::nearest;
use crate::expr::{Datum, Type};

/// Why a key was not written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum KeyError {
    /// No subtree has this path.
    NoScope {
        /// The path that was asked for.
        path: String,
        /// The path that is most like it.
        near: Option<String>,
    },
    /// The scope has no key of this name.
    NoKey {
        /// The name that was asked for.
        name: String,
        /// The name that is most like it.
        near: Option<String>,
    },
    /// The key does not take the value.
    Type {
        /// The key.
        name: String,
        /// Its type.
        ty: Type,
        /// What it was to be.
        value: Datum,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = match self {
            KeyError::NoScope { path, near } => {
                write!(f, "no subtree has the path `{path}`")?;
                near
            }
            KeyError::NoKey { name, near } => {
                write!(f, "no key is called `{name}`")?;
                near
            }
            KeyError::Type { name, ty, value } => {
                let value = crate::registry::told(value);
                return write!(f, "the key `{name}` is {ty}, which `{value}` is not");
            }
        };
        match near {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for KeyError {}

impl Board {
    /// A key's value by the path of its scope and its name; for tools and set-up, since it searches.
    #[must_use]
    pub fn by_name(&self, path: &str, name: &str) -> Option<Datum> {
        self.layout.find(path, name).map(|slot| self.get(slot))
    }

    /// Writes a key by name; `false` if there is none or the value does not fit.
    /// [`try_set_by_name`](Board::try_set_by_name) says which.
    pub fn set_by_name(&mut self, path: &str, name: &str, value: Datum) -> bool {
        match self.layout.find(path, name) {
            Some(slot) => self.set(slot, value),
            None => false,
        }
    }

    /// Writes a key by name.
    ///
    /// ```
    /// use tickseed_lang::{board::Board, build::from_text, expr::Datum, registry::Registry};
    /// let text = "keys { battery = 1.0 }\nmain tree A { success }";
    /// let loaded = from_text("a.tick", text, &Registry::<Board>::new()).expect("no mistakes");
    /// let mut board = loaded.board();
    /// assert!(board.try_set_by_name("", "battery", Datum::Float(0.5)).is_ok());
    /// let error = board.try_set_by_name("", "batery", Datum::Float(0.5)).unwrap_err();
    /// assert_eq!(error.to_string(), "no key is called `batery`; did you mean `battery`?");
    /// ```
    ///
    /// # Errors
    /// There is no such scope or key, or the key is of another type.
    pub fn try_set_by_name(
        &mut self,
        path: &str,
        name: &str,
        value: Datum,
    ) -> Result<(), KeyError> {
        let Some(slot) = self.layout.find(path, name) else {
            return Err(self.missing(path, name));
        };
        if self.set(slot, value.clone()) {
            return Ok(());
        }
        let ty = self
            .layout
            .slot(slot)
            .map_or(Type::Any, |info| info.ty.clone());
        let name = name.to_owned();
        Err(KeyError::Type { name, ty, value })
    }

    fn missing(&self, path: &str, name: &str) -> KeyError {
        let scopes = self.layout.scopes();
        let Some(scope) = scopes.iter().position(|scope| scope == path) else {
            let near = nearest(path, scopes.iter().map(String::as_str)).map(str::to_owned);
            let path = path.to_owned();
            return KeyError::NoScope { path, near };
        };
        let here = (self.layout.slots()).filter(|(_, info)| info.scope as usize == scope);
        let near = nearest(name, here.map(|(_, info)| info.name.as_str())).map(str::to_owned);
        let name = name.to_owned();
        KeyError::NoKey { name, near }
    }
}
