//! The dynamic blackboard: keys that are not known at compile time.

mod error;
mod layout;
#[cfg(test)]
mod tests;
mod value;

pub use error::BlackboardError;
pub use layout::{Layout, LayoutBuilder};

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use core::any::{Any, TypeId};

use crate::context::Context;
use crate::key::{Key, KeyId, Scalar};
use layout::{BOARD, Holds};
use value::{Stored, convert, from_scalar, scalar_type, short_type_name, store, to_scalar};

/// Values by key, for trees whose keys come from files. Typed structs that derive
/// `Context` are the better choice where the keys are known.
///
/// ```
/// use tickseed_core::{Blackboard, BlackboardError, Layout, Status, Time, nodes};
///
/// let mut keys = Layout::builder();
/// keys.scalar("battery", 1.0_f32)?;   // always has a value: guards read it in place
/// keys.declare::<String>("greeting")?; // has none until it is written
/// let layout = keys.finish();
///
/// let n = nodes::<Blackboard>();
/// let low = layout.key("battery")?.lt(0.2_f32);
/// let tree = n.check(low).build().unwrap();
///
/// let mut bb = Blackboard::new(layout);
/// bb.set("battery", 0.1_f32)?;
/// assert_eq!(tree.tick(&mut tree.agent(), &mut bb, Time::ZERO).unwrap(), Status::Success);
///
/// let unset = bb.get::<String>("greeting").unwrap_err();
/// assert!(matches!(unset, BlackboardError::Unset { .. }));
/// bb.set("greeting", "hello")?;
/// assert_eq!(bb.get::<String>("greeting")?, "hello");
/// # Ok::<(), BlackboardError>(())
/// ```
///
/// Every write bumps the key's [`version`](Blackboard::version), including copies and writes of an
/// equal value. A clone is a snapshot: large values are shared until replaced.
///
/// The blackboard contains no lock: to share it between threads, choose one and hold it for the
/// length of a tick.
#[derive(Clone)]
pub struct Blackboard {
    layout: Arc<Layout>,
    block: Box<[u8]>,
    slots: Box<[Option<Stored>]>,
    /// For each key, whether it has a value. Used only for scalars; slots know it themselves.
    set: Box<[bool]>,
    versions: Box<[u32]>,
}

/// A way to say which key is meant: its number, a typed key, or its name (which is looked
/// up at each call).
pub trait KeyRef {
    /// The key's number in this layout.
    ///
    /// # Errors
    /// There is no such key.
    fn find(&self, layout: &Layout) -> Result<KeyId, BlackboardError>;
}

impl KeyRef for &str {
    fn find(&self, layout: &Layout) -> Result<KeyId, BlackboardError> {
        layout.id(self)
    }
}

impl KeyRef for KeyId {
    fn find(&self, layout: &Layout) -> Result<KeyId, BlackboardError> {
        match layout.decl(*self) {
            Some(_) => Ok(*self),
            None => Err(BlackboardError::Unknown {
                name: alloc::format!("#{}", self.0 & !BOARD),
                nearest: None,
            }),
        }
    }
}

impl<C, T: crate::key::KeyType> KeyRef for Key<C, T> {
    fn find(&self, layout: &Layout) -> Result<KeyId, BlackboardError> {
        self.id().find(layout)
    }
}

impl Blackboard {
    /// A blackboard with these keys, each with its initial value or unset.
    #[must_use]
    pub fn new(layout: Arc<Layout>) -> Blackboard {
        let n = layout.keys.len();
        let mut bb = Blackboard {
            block: vec![0; layout.block as usize].into(),
            slots: vec![None; layout.slots as usize].into(),
            set: vec![false; n].into(),
            versions: vec![0; n].into(),
            layout,
        };
        for i in 0..n {
            bb.clear(i);
        }
        bb
    }

    /// Its keys.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// How many keys it has, for [`Context::own_keys`].
    #[must_use]
    pub fn key_count(&self) -> u16 {
        // A layout never has more keys than numbers.
        self.layout.keys.len() as u16
    }

    /// Whether a key number is a blackboard's (of any blackboard), not one of a schema's.
    #[must_use]
    pub const fn owns(key: KeyId) -> bool {
        key.0 & BOARD != 0
    }

    /// The plain-data block that data guards read.
    #[must_use]
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// A copy of the key's value. An integer can be read as any number type that it fits.
    ///
    /// # Errors
    /// The key is unknown or unset, or its value is not a `T`.
    pub fn get<T: Any + Clone>(&self, key: impl KeyRef) -> Result<T, BlackboardError> {
        let id = key.find(&self.layout)?;
        if scalar_type::<T>().is_none() {
            return self.object::<T>(id).cloned();
        }
        let value = match self.scalar(id) {
            Some(value) => value,
            None if !self.is_set_at(id) => return Err(self.unset_error(id)),
            None => return Err(self.wrong_type::<T>(id)),
        };
        from_scalar(value).ok_or_else(|| match (value, from_scalar::<T>(Scalar::Int(0))) {
            (Scalar::Int(value), Some(_)) => BlackboardError::OutOfRange {
                name: self.name(id),
                value,
                wanted: short_type_name(core::any::type_name::<T>()),
            },
            _ => self.wrong_type::<T>(id),
        })
    }

    /// The key's value by reference, for values that are not scalars.
    ///
    /// # Errors
    /// As [`get`](Blackboard::get).
    pub fn get_ref<T: Any>(&self, key: impl KeyRef) -> Result<&T, BlackboardError> {
        self.object(key.find(&self.layout)?)
    }

    /// Whether the key has a value; `false` for a key that does not exist.
    #[must_use]
    pub fn is_set(&self, key: impl KeyRef) -> bool {
        key.find(&self.layout).is_ok_and(|id| self.is_set_at(id))
    }

    /// Writes a key. An integer may be written to a key of any number type that it fits, and a
    /// `&'static str` to a key of type `String`.
    ///
    /// # Errors
    /// The key is unknown or of another type; it then keeps its value and version.
    pub fn set<T: Any + Send + Sync>(
        &mut self,
        key: impl KeyRef,
        value: T,
    ) -> Result<(), BlackboardError> {
        let id = key.find(&self.layout)?;
        let type_name = core::any::type_name::<T>();
        if let (Some(ty), Some(scalar)) = (scalar_type::<T>(), to_scalar(&value)) {
            return self.put(id, Stored::Scalar(ty, scalar));
        }
        let any: &dyn Any = &value;
        let stored = match any.downcast_ref::<&'static str>() {
            Some(text) => Stored::Object(
                Arc::new(String::from(*text)),
                core::any::type_name::<String>(),
            ),
            None => Stored::Object(Arc::new(value), type_name),
        };
        self.put(id, stored)
    }

    /// Changes a value in place (a copy of it, if the value is shared with a clone of the
    /// blackboard or another key).
    ///
    /// # Errors
    /// As [`get`](Blackboard::get).
    pub fn update<T: Any + Send + Sync + Clone>(
        &mut self,
        key: impl KeyRef,
        f: impl FnOnce(&mut T),
    ) -> Result<(), BlackboardError> {
        let id = key.find(&self.layout)?;
        if let Some(slot) = self.slot(id)
            && let Some(Stored::Object(object, _)) = &mut self.slots[slot]
            && let Some(value) = Arc::get_mut(object).and_then(|o| o.downcast_mut::<T>())
        {
            f(value);
            self.bump(id);
            return Ok(());
        }
        let mut value = self.get::<T>(id)?;
        f(&mut value);
        self.set(id, value)
    }

    /// Copies a value from one key to another. This is a write like any other: types are checked,
    /// and the version of `to` is bumped.
    ///
    /// # Errors
    /// A key is unknown, `from` is unset, or the types differ.
    pub fn copy(&mut self, from: impl KeyRef, to: impl KeyRef) -> Result<(), BlackboardError> {
        let (from, to) = (from.find(&self.layout)?, to.find(&self.layout)?);
        match self.stored(from) {
            Some(stored) => self.put(to, stored),
            None => Err(self.unset_error(from)),
        }
    }

    /// Removes a key's value; a key with an initial value gets that back. Bumps its version.
    ///
    /// # Errors
    /// The key is unknown.
    pub fn unset(&mut self, key: impl KeyRef) -> Result<(), BlackboardError> {
        let id = key.find(&self.layout)?;
        self.clear((id.0 & !BOARD) as usize);
        self.bump(id);
        Ok(())
    }

    /// How often the key was written, wrapping around. It changes with every write, even of an
    /// equal value.
    ///
    /// # Errors
    /// The key is unknown.
    pub fn version(&self, key: impl KeyRef) -> Result<u32, BlackboardError> {
        let id = key.find(&self.layout)?;
        Ok(self.versions[(id.0 & !BOARD) as usize])
    }

    /// The name of the type of the key's current value, or else of its declared type.
    ///
    /// # Errors
    /// The key is unknown.
    pub fn type_name(&self, key: impl KeyRef) -> Result<String, BlackboardError> {
        let id = key.find(&self.layout)?;
        Ok(match self.stored(id) {
            Some(stored) => stored.type_name(),
            None => self.layout.type_name(id).unwrap_or_default(),
        })
    }

    /// A scalar key's value, for [`Context::read`]; `None` if it is unset, unknown or not a scalar.
    #[must_use]
    pub fn read_scalar(&self, key: KeyId) -> Option<Scalar> {
        self.scalar(key)
    }

    /// Writes a scalar, for [`Context::write`]; `false` if the key is unknown or of another type.
    pub fn write_scalar(&mut self, key: KeyId, value: Scalar) -> bool {
        let Some(decl) = self.layout.decl(key) else {
            return false;
        };
        match decl.holds {
            Holds::Scalar { ty, .. } => convert(&decl.name, ty, value, "")
                .and_then(|v| self.put(key, Stored::Scalar(ty, v)))
                .is_ok(),
            Holds::Any { .. } => {
                let ty = match value {
                    Scalar::Bool(_) => crate::key::ScalarType::Bool,
                    Scalar::Int(_) => crate::key::ScalarType::I64,
                    Scalar::Float(_) => crate::key::ScalarType::F64,
                };
                self.put(key, Stored::Scalar(ty, value)).is_ok()
            }
            Holds::Object { .. } => false,
        }
    }

    /// Every write goes through here.
    fn put(&mut self, id: KeyId, stored: Stored) -> Result<(), BlackboardError> {
        let layout = self.layout.clone();
        let Some(decl) = layout.decl(id) else {
            return Err(BlackboardError::Unknown {
                name: String::new(),
                nearest: None,
            });
        };
        let index = (id.0 & !BOARD) as usize;
        let mismatch = |stored: String, wanted: String| BlackboardError::WrongType {
            name: decl.name.clone(),
            stored,
            wanted,
        };
        match (decl.holds, stored) {
            (Holds::Scalar { ty, offset, .. }, Stored::Scalar(from, value)) => {
                let wanted = value::scalar_type_name(from);
                let value = convert(&decl.name, ty, value, wanted)?;
                let at = offset as usize;
                store(ty, value, &mut self.block[at..at + ty.size()]);
                self.set[index] = true;
            }
            (Holds::Scalar { ty, .. }, object) => {
                let holds = value::scalar_type_name(ty).to_owned();
                return Err(mismatch(holds, object.type_name()));
            }
            (Holds::Object { ty, slot, .. }, Stored::Object(object, name))
                if (*object).type_id() == ty =>
            {
                self.slots[slot as usize] = Some(Stored::Object(object, name));
            }
            (Holds::Object { name, .. }, stored) => {
                return Err(mismatch(short_type_name(name), stored.type_name()));
            }
            (Holds::Any { slot }, stored) => {
                let now = &mut self.slots[slot as usize];
                *now = Some(match (&*now, stored) {
                    (None, stored) => stored,
                    (Some(Stored::Scalar(ty, _)), Stored::Scalar(from, value)) => {
                        let wanted = value::scalar_type_name(from);
                        Stored::Scalar(*ty, convert(&decl.name, *ty, value, wanted)?)
                    }
                    (Some(Stored::Object(old, _)), Stored::Object(new, name))
                        if (**old).type_id() == (*new).type_id() =>
                    {
                        Stored::Object(new, name)
                    }
                    (Some(old), new) => return Err(mismatch(old.type_name(), new.type_name())),
                });
            }
        }
        self.bump(id);
        Ok(())
    }

    fn bump(&mut self, id: KeyId) {
        let version = &mut self.versions[(id.0 & !BOARD) as usize];
        *version = version.wrapping_add(1);
    }

    /// Resets to the initial value, or to none.
    fn clear(&mut self, index: usize) {
        match self.layout.keys[index].holds {
            Holds::Scalar {
                ty,
                offset,
                initial,
            } => {
                let at = offset as usize;
                let bytes = &mut self.block[at..at + ty.size()];
                match initial {
                    Some(value) => store(ty, value, bytes),
                    None => bytes.fill(0),
                }
                self.set[index] = initial.is_some();
            }
            Holds::Object { slot, .. } | Holds::Any { slot } => self.slots[slot as usize] = None,
        }
    }

    fn slot(&self, id: KeyId) -> Option<usize> {
        match self.layout.decl(id)?.holds {
            Holds::Scalar { .. } => None,
            Holds::Object { slot, .. } | Holds::Any { slot } => Some(slot as usize),
        }
    }

    /// The key's value, if it has one.
    fn stored(&self, id: KeyId) -> Option<Stored> {
        match self.layout.decl(id)?.holds {
            Holds::Scalar { ty, .. } => Some(Stored::Scalar(ty, self.scalar(id)?)),
            Holds::Object { slot, .. } | Holds::Any { slot } => self.slots[slot as usize].clone(),
        }
    }

    fn scalar(&self, id: KeyId) -> Option<Scalar> {
        match self.layout.decl(id)?.holds {
            Holds::Scalar { ty, offset, .. } => self.set[(id.0 & !BOARD) as usize]
                .then(|| ty.load(&self.block, offset as usize))
                .flatten(),
            Holds::Any { slot } => match self.slots[slot as usize] {
                Some(Stored::Scalar(_, value)) => Some(value),
                _ => None,
            },
            Holds::Object { .. } => None,
        }
    }

    fn object<T: Any>(&self, id: KeyId) -> Result<&T, BlackboardError> {
        let slot = self.slot(id).ok_or_else(|| self.wrong_type::<T>(id))?;
        match &self.slots[slot] {
            Some(Stored::Object(object, _)) => object
                .downcast_ref::<T>()
                .ok_or_else(|| self.wrong_type::<T>(id)),
            Some(Stored::Scalar(..)) => Err(self.wrong_type::<T>(id)),
            None => match self.layout.decl(id).map(|d| d.holds) {
                // A wrong type is a fault of the program, so it is reported even for an unset key.
                Some(Holds::Object { ty, .. }) if ty != TypeId::of::<T>() => {
                    Err(self.wrong_type::<T>(id))
                }
                _ => Err(self.unset_error(id)),
            },
        }
    }

    fn is_set_at(&self, id: KeyId) -> bool {
        match self.slot(id) {
            Some(slot) => self.slots[slot].is_some(),
            None => self.set.get((id.0 & !BOARD) as usize) == Some(&true),
        }
    }

    fn name(&self, id: KeyId) -> String {
        self.layout.name(id).unwrap_or_default().to_owned()
    }

    fn unset_error(&self, id: KeyId) -> BlackboardError {
        BlackboardError::Unset {
            name: self.name(id),
        }
    }

    fn wrong_type<T: Any>(&self, id: KeyId) -> BlackboardError {
        BlackboardError::WrongType {
            name: self.name(id),
            stored: self.type_name(id).unwrap_or_default(),
            wanted: short_type_name(core::any::type_name::<T>()),
        }
    }
}

impl core::fmt::Debug for Blackboard {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut map = f.debug_map();
        for (id, name) in self.layout.iter() {
            let value = match self.stored(id) {
                Some(Stored::Scalar(_, Scalar::Bool(b))) => alloc::format!("{b}"),
                Some(Stored::Scalar(_, Scalar::Int(i))) => alloc::format!("{i}"),
                Some(Stored::Scalar(_, Scalar::Float(x))) => alloc::format!("{x}"),
                Some(object) => object.type_name(),
                None => "unset".into(),
            };
            map.entry(&name, &format_args!("{value}"));
        }
        map.finish()
    }
}

impl Context for Blackboard {
    type At<'a> = Blackboard;

    fn block(at: &Blackboard) -> &[u8] {
        &at.block
    }

    fn read(at: &Blackboard, key: KeyId) -> Option<Scalar> {
        at.read_scalar(key)
    }

    fn own_keys(at: &Blackboard) -> u16 {
        at.key_count()
    }

    fn write(at: &mut Blackboard, key: KeyId, value: Scalar) -> bool {
        at.write_scalar(key, value)
    }

    fn blackboard(at: &Blackboard) -> Option<&Blackboard> {
        Some(at)
    }

    fn blackboard_mut(at: &mut Blackboard) -> Option<&mut Blackboard> {
        Some(at)
    }
}
