//! A context's key block: plain data whose fields guards read in place, without a call.

use bytemuck::NoUninit;

use crate::context::Context;
use crate::key::{KeyInfo, Scalar};

/// A plain-data struct whose scalar fields are keys that guards read by offset.
///
/// `#[derive(Keys)]` implements it for a `#[repr(C)]` struct of scalars. A context that marks a
/// field of that type with `#[context(keys)]` has these keys before its own, so a key's index here
/// is its number in the context.
///
/// Its bytes are exposed, so it must have no padding ([`NoUninit`]): put the widest fields first
/// and fill the end with `_pad: [u8; N]`.
pub trait Keys: NoUninit {
    /// The keys in order, each at [`Place::Block`](crate::Place::Block).
    const KEYS: &'static [KeyInfo];

    /// The value of the key with this index.
    fn get(&self, index: u16) -> Option<Scalar>;

    /// Writes the key with this index; `false` if there is none, or it is read-only or of another
    /// type.
    fn set(&mut self, index: u16, value: Scalar) -> bool;
}

/// A context that has a key block. `#[derive(Context)]` implements it, so that a block that names
/// its context can be checked to belong to that context.
pub trait HasKeys: Context {
    /// The block's type.
    type Keys: Keys;
}

/// The keys of `a` followed by those of `b`, `N` in all. For derives.
///
/// # Panics
/// At compile time: if two keys have the same name, or `N` is not their number.
#[must_use]
pub const fn join_keys<const N: usize>(a: &[KeyInfo], b: &[KeyInfo]) -> [KeyInfo; N] {
    assert!(a.len() + b.len() == N, "the number of keys is wrong");
    assert!(N <= 0x8000, "a context has at most 32,768 keys");
    let mut all = [KeyInfo {
        name: "",
        ty: crate::key::ScalarType::Bool,
        place: crate::key::Place::Call,
    }; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < a.len() { a[i] } else { b[i - a.len()] };
        let mut j = 0;
        while j < i {
            assert!(
                !same(all[i].name, all[j].name),
                "two keys of the context have the same name: rename one with #[key(name = \"..\")]"
            );
            j += 1;
        }
        i += 1;
    }
    all
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
