//! Which keys a blackboard has, their types, and where their values are stored.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::error::BlackboardError;
use super::value::{scalar_of, scalar_type, scalar_type_name, short_type_name};
use crate::context::Context;
use crate::guard::Source;
use crate::key::{Key, KeyId, KeyType, Place, Scalar, ScalarType};
use crate::nearest::nearest;

/// The bit that distinguishes a blackboard's keys from those of a context's schema.
pub(super) const BOARD: u16 = KeyId::OWN;

/// What values a key takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Holds {
    /// A number or truth value at this offset of the block. With an initial value it is always set,
    /// so guards may read the block without checking.
    Scalar {
        ty: ScalarType,
        offset: u32,
        initial: Option<Scalar>,
    },
    /// A value of this type in this slot.
    Object {
        ty: TypeId,
        name: &'static str,
        slot: u32,
    },
    /// A value of any one type in this slot; the type is fixed by the value.
    Any { slot: u32 },
}

#[derive(Clone, Debug)]
pub(super) struct Decl {
    pub(super) name: String,
    pub(super) holds: Holds,
}

/// The keys of a blackboard. Declare them once, share the layout, resolve names to [`KeyId`]s when
/// a tree is loaded; afterwards nothing is looked up by name.
///
/// A scalar declared with an initial value ([`scalar`](LayoutBuilder::scalar)) is always set and is
/// stored in the plain-data block, where data guards read it without a call. A key that is only
/// declared ([`declare`](LayoutBuilder::declare)) has no value until it is written; as long as it
/// has none, no comparison with it holds, except `ne`.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub(super) keys: Vec<Decl>,
    names: BTreeMap<String, u16>,
    pub(super) block: u32,
    pub(super) slots: u32,
}

/// A layout under construction.
#[derive(Clone, Debug, Default)]
pub struct LayoutBuilder(Layout);

impl LayoutBuilder {
    /// Declares a scalar with its initial value.
    ///
    /// # Errors
    /// The name is taken or empty, or there are too many keys.
    pub fn scalar<T: KeyType>(&mut self, name: &str, initial: T) -> Result<KeyId, BlackboardError> {
        self.add_scalar(name, T::TYPE, Some(initial.to_scalar()))
    }

    /// Declares a key whose values are of type `T`: a scalar, or any other type.
    ///
    /// # Errors
    /// As [`scalar`](LayoutBuilder::scalar).
    pub fn declare<T: Any + Send + Sync>(&mut self, name: &str) -> Result<KeyId, BlackboardError> {
        if let Some(ty) = scalar_type::<T>() {
            return self.add_scalar(name, ty, None);
        }
        let slot = self.0.slots;
        let (ty, type_name) = (TypeId::of::<T>(), core::any::type_name::<T>());
        let id = self.add(
            name,
            Holds::Object {
                ty,
                name: type_name,
                slot,
            },
        )?;
        self.0.slots += 1;
        Ok(id)
    }

    /// Declares a key that takes a value of any type; while it has a value, only others of
    /// the same type may replace it.
    ///
    /// # Errors
    /// As [`scalar`](LayoutBuilder::scalar).
    pub fn any(&mut self, name: &str) -> Result<KeyId, BlackboardError> {
        let slot = self.0.slots;
        let id = self.add(name, Holds::Any { slot })?;
        self.0.slots += 1;
        Ok(id)
    }

    /// Declares a scalar whose type is known only at run time, for example from a file.
    ///
    /// # Errors
    /// As [`scalar`](LayoutBuilder::scalar); or the initial value does not fit the type.
    pub fn add_scalar(
        &mut self,
        name: &str,
        ty: ScalarType,
        initial: Option<Scalar>,
    ) -> Result<KeyId, BlackboardError> {
        let initial = match initial {
            Some(value) => Some(super::value::convert(name, ty, value, &scalar_of(value))?),
            None => None,
        };
        // Aligned, so that no value straddles two cache lines.
        let offset = self.0.block.next_multiple_of(ty.size() as u32);
        let id = self.add(
            name,
            Holds::Scalar {
                ty,
                offset,
                initial,
            },
        )?;
        self.0.block = offset + ty.size() as u32;
        Ok(id)
    }

    fn add(&mut self, name: &str, holds: Holds) -> Result<KeyId, BlackboardError> {
        let layout = &mut self.0;
        if name.is_empty() || layout.names.contains_key(name) {
            return Err(BlackboardError::Declared {
                name: name.to_owned(),
            });
        }
        let index = u16::try_from(layout.keys.len()).unwrap_or(u16::MAX);
        if index >= BOARD {
            return Err(BlackboardError::TooMany);
        }
        layout.names.insert(name.to_owned(), index);
        layout.keys.push(Decl {
            name: name.to_owned(),
            holds,
        });
        Ok(KeyId(BOARD | index))
    }

    /// The finished layout.
    #[must_use]
    pub fn finish(self) -> Arc<Layout> {
        Arc::new(self.0)
    }
}

impl Layout {
    /// A layout to declare keys in.
    #[must_use]
    pub fn builder() -> LayoutBuilder {
        LayoutBuilder::default()
    }

    /// The number of the key with this name.
    ///
    /// # Errors
    /// There is no such key; the error names the nearest one.
    pub fn id(&self, name: &str) -> Result<KeyId, BlackboardError> {
        match self.names.get(name) {
            Some(index) => Ok(KeyId(BOARD | index)),
            None => Err(BlackboardError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, self.names.keys().map(String::as_str)),
            }),
        }
    }

    /// The typed key with this name, for guards: of a blackboard that is itself the context
    /// (`C = Blackboard`), or of a context that holds one in a `#[context(blackboard)]` field.
    ///
    /// # Errors
    /// There is no such key, or its values are not exactly of type `T`.
    pub fn key<C: Context, T: KeyType>(&self, name: &str) -> Result<Key<C, T>, BlackboardError> {
        let id = self.id(name)?;
        match self.source(id) {
            Some(source) if source.ty == T::TYPE => Ok(Key::new(id, source.place)),
            _ => Err(BlackboardError::WrongType {
                name: name.to_owned(),
                stored: self.type_name(id).unwrap_or_default(),
                wanted: scalar_type_name(T::TYPE).to_owned(),
            }),
        }
    }

    /// The key as guards read it; `None` if it is not a declared scalar.
    #[must_use]
    pub fn source(&self, key: KeyId) -> Option<Source> {
        match self.decl(key)?.holds {
            Holds::Scalar {
                ty,
                offset,
                initial,
            } => Some(Source {
                key,
                ty,
                place: match initial {
                    Some(_) => Place::Block(offset),
                    None => Place::Call,
                },
            }),
            Holds::Object { .. } | Holds::Any { .. } => None,
        }
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys with their names, in the order they were declared.
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, &str)> {
        self.keys
            .iter()
            .zip(0..)
            .map(|(k, i)| (KeyId(BOARD | i), k.name.as_str()))
    }

    /// The name of a key.
    #[must_use]
    pub fn name(&self, key: KeyId) -> Option<&str> {
        self.decl(key).map(|d| d.name.as_str())
    }

    /// The name of the type with which a key is declared (`any` for any type).
    #[must_use]
    pub fn type_name(&self, key: KeyId) -> Option<String> {
        Some(match self.decl(key)?.holds {
            Holds::Scalar { ty, .. } => scalar_type_name(ty).to_string(),
            Holds::Object { name, .. } => short_type_name(name),
            Holds::Any { .. } => "any".to_string(),
        })
    }

    pub(super) fn decl(&self, key: KeyId) -> Option<&Decl> {
        (key.0 & BOARD != 0)
            .then(|| self.keys.get((key.0 & !BOARD) as usize))
            .flatten()
    }
}
