//! Typed keys: how guards, files and tools name the scalar values of a context.

use core::marker::PhantomData;

/// The number of a key within its context's schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyId(pub u16);

impl KeyId {
    /// Keys from this number on are not part of a schema: they belong to the blackboard that the
    /// context holds, in the blackboard's order.
    pub const OWN: u16 = 0x8000;
}

/// A scalar value of a key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
}

/// How a scalar lies in a context's block, or is handed over by [`Context::read`](crate::Context::read).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarType {
    /// One byte, zero or one.
    Bool,
    /// One signed byte.
    I8,
    /// One unsigned byte.
    U8,
    /// Two signed bytes.
    I16,
    /// Two unsigned bytes.
    U16,
    /// Four signed bytes.
    I32,
    /// Four unsigned bytes.
    U32,
    /// Eight signed bytes.
    I64,
    /// Eight unsigned bytes.
    U64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl ScalarType {
    /// Bytes in the block.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// Whether values of this type are fractions.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarType::F32 | ScalarType::F64)
    }

    /// Reads a value of this type at `offset`; `None` outside the block.
    #[must_use]
    pub fn load(self, block: &[u8], offset: usize) -> Option<Scalar> {
        fn take<const N: usize>(block: &[u8], at: usize) -> Option<[u8; N]> {
            block.get(at..at.checked_add(N)?)?.try_into().ok()
        }
        Some(match self {
            ScalarType::Bool => Scalar::Bool(*block.get(offset)? != 0),
            ScalarType::I8 => Scalar::Int(i8::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::U8 => Scalar::Int(u8::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::I16 => Scalar::Int(i16::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::U16 => Scalar::Int(u16::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::I32 => Scalar::Int(i32::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::U32 => Scalar::Int(u32::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::I64 => Scalar::Int(i64::from_ne_bytes(take(block, offset)?)),
            ScalarType::U64 => {
                Scalar::Int(u64::from_ne_bytes(take(block, offset)?).min(i64::MAX as u64) as i64)
            }
            ScalarType::F32 => Scalar::Float(f32::from_ne_bytes(take(block, offset)?).into()),
            ScalarType::F64 => Scalar::Float(f64::from_ne_bytes(take(block, offset)?)),
        })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The Rust types that keys can have.
pub trait KeyType: Copy + sealed::Sealed + 'static {
    /// How values of the type are stored.
    const TYPE: ScalarType;
    /// The value as a scalar.
    fn to_scalar(self) -> Scalar;
    /// The value from a scalar; `None` if it does not fit.
    fn from_scalar(s: Scalar) -> Option<Self>;
}

macro_rules! key_types {
    ($($t:ty => $ty:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl KeyType for $t {
            const TYPE: ScalarType = ScalarType::$ty;
            fn to_scalar(self) -> Scalar {
                Scalar::Int(i64::try_from(self).unwrap_or(i64::MAX))
            }
            fn from_scalar(s: Scalar) -> Option<Self> {
                match s {
                    Scalar::Int(i) => <$t>::try_from(i).ok(),
                    Scalar::Bool(_) | Scalar::Float(_) => None,
                }
            }
        }
    )*};
}
key_types!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64);

impl sealed::Sealed for bool {}
impl KeyType for bool {
    const TYPE: ScalarType = ScalarType::Bool;
    fn to_scalar(self) -> Scalar {
        Scalar::Bool(self)
    }
    fn from_scalar(s: Scalar) -> Option<Self> {
        match s {
            Scalar::Bool(b) => Some(b),
            Scalar::Int(_) | Scalar::Float(_) => None,
        }
    }
}

macro_rules! float_types {
    ($($t:ty => $ty:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl KeyType for $t {
            const TYPE: ScalarType = ScalarType::$ty;
            fn to_scalar(self) -> Scalar {
                Scalar::Float(self.into())
            }
            fn from_scalar(s: Scalar) -> Option<Self> {
                match s {
                    Scalar::Float(f) => Some(f as $t),
                    Scalar::Int(i) => Some(i as $t),
                    Scalar::Bool(_) => None,
                }
            }
        }
    )*};
}
float_types!(f32 => F32, f64 => F64);

/// Where a key's value is found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In the context's block, at this byte offset.
    Block(u32),
    /// Through [`Context::read`](crate::Context::read).
    Call,
}

/// One key of a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyInfo {
    /// The key's name.
    pub name: &'static str,
    /// The type of its values.
    pub ty: ScalarType,
    /// Where its value is found.
    pub place: Place,
}

/// The keys of a context; a key's number is its index here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schema {
    /// The keys in order.
    pub keys: &'static [KeyInfo],
}

impl Schema {
    /// No keys.
    pub const EMPTY: &'static Schema = &Schema { keys: &[] };

    /// The key of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(KeyId, &KeyInfo)> {
        let i = self.keys.iter().position(|k| k.name == name)?;
        Some((KeyId(u16::try_from(i).ok()?), &self.keys[i]))
    }
}

/// A key of context `C` whose values are `T`s. The derive makes one constant per field; dynamic
/// blackboards return them for declared keys.
///
/// Comparing a key with a constant or another key gives a guard made of data (see
/// [`Guard`](crate::Guard)), which is checked without a call.
pub struct Key<C, T> {
    pub(crate) id: KeyId,
    pub(crate) place: Place,
    pub(crate) types: PhantomData<fn(C) -> T>,
}

impl<C, T> Clone for Key<C, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C, T> Copy for Key<C, T> {}
impl<C, T> core::fmt::Debug for Key<C, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Key({})", self.id.0)
    }
}

impl<C, T> From<Key<C, T>> for KeyId {
    fn from(key: Key<C, T>) -> KeyId {
        key.id
    }
}

impl<C, T: KeyType> Key<C, T> {
    /// The key with this number and place. For derives and blackboards: number, place
    /// and type must agree with the context's schema.
    #[must_use]
    pub const fn new(id: KeyId, place: Place) -> Self {
        Key {
            id,
            place,
            types: PhantomData,
        }
    }

    /// The key's number.
    #[must_use]
    pub const fn id(self) -> KeyId {
        self.id
    }

    /// Where the key's value is found.
    #[must_use]
    pub const fn place(self) -> Place {
        self.place
    }
}
