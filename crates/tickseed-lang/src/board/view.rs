//! A context as expressions and scripts see it: slots of its board and its own fields.

use std::sync::Arc;

use tickseed_core::{Context, KeyId, Place, Scalar};

use super::HasBoard;
use crate::expr::{Datum, FunctionId, Scope, ScopeMut, Slot};

/// Slots from here on are the keys that the context publishes itself, by their [`KeyId`].
pub const FIELDS: u32 = 1 << 16;

/// The slot of a published key.
#[must_use]
pub fn field_slot(key: KeyId) -> Slot {
    Slot(FIELDS + u32::from(key.0))
}

/// A function of the user that expressions call.
pub type UserFunction<C> = Arc<
    dyn for<'x, 'a> Fn(&'x <C as Context>::At<'a>, &[Datum]) -> Result<Datum, String> + Send + Sync,
>;

/// A context to read.
pub struct View<'x, 'a, C: Context> {
    /// The context.
    pub at: &'x C::At<'a>,
    /// The user's functions by their number.
    pub functions: &'x [UserFunction<C>],
}

/// A context to read and write.
pub struct ViewMut<'x, 'a, C: Context> {
    /// The context.
    pub at: &'x mut C::At<'a>,
    /// The user's functions by their number.
    pub functions: &'x [UserFunction<C>],
    /// The first write that was refused, and the value.
    pub refused: Option<(Slot, Datum)>,
}

/// The present value of a slot.
pub(crate) fn read<C: HasBoard>(at: &C::At<'_>, slot: Slot) -> Datum {
    let Some(key) = slot.0.checked_sub(FIELDS) else {
        return C::board(at).get(slot);
    };
    let key = KeyId(key as u16);
    let Some(info) = C::schema().keys.get(usize::from(key.0)) else {
        return Datum::None;
    };
    let scalar = match info.place {
        Place::Block(offset) => info.ty.load(C::block(at), offset as usize),
        Place::Call => C::read(at, key),
    };
    match scalar {
        None => Datum::None,
        Some(Scalar::Bool(b)) => Datum::Bool(b),
        Some(Scalar::Int(i)) => Datum::Int(i),
        Some(Scalar::Float(f)) => Datum::Float(f),
    }
}

/// Writes a slot; `false` if it cannot be written or the value does not fit.
pub(crate) fn write<C: HasBoard>(at: &mut C::At<'_>, slot: Slot, value: Datum) -> bool {
    let Some(key) = slot.0.checked_sub(FIELDS) else {
        return C::board_mut(at).set(slot, value);
    };
    let value = match value {
        Datum::Bool(b) => Scalar::Bool(b),
        Datum::Int(i) => Scalar::Int(i),
        Datum::Float(f) => Scalar::Float(f),
        _ => return false,
    };
    C::write(at, KeyId(key as u16), value)
}

impl<C: HasBoard> Scope for View<'_, '_, C> {
    fn get(&self, slot: Slot) -> Datum {
        read::<C>(self.at, slot)
    }

    fn call(&self, function: FunctionId, arguments: &[Datum]) -> Result<Datum, String> {
        call::<C>(self.at, self.functions, function, arguments)
    }
}

impl<C: HasBoard> Scope for ViewMut<'_, '_, C> {
    fn get(&self, slot: Slot) -> Datum {
        read::<C>(self.at, slot)
    }

    fn call(&self, function: FunctionId, arguments: &[Datum]) -> Result<Datum, String> {
        call::<C>(self.at, self.functions, function, arguments)
    }
}

impl<C: HasBoard> ScopeMut for ViewMut<'_, '_, C> {
    fn set(&mut self, slot: Slot, value: Datum) {
        if !write::<C>(self.at, slot, value.clone()) && self.refused.is_none() {
            self.refused = Some((slot, value));
        }
    }
}

fn call<C: Context>(
    at: &C::At<'_>,
    functions: &[UserFunction<C>],
    function: FunctionId,
    arguments: &[Datum],
) -> Result<Datum, String> {
    match functions.get(function.0 as usize) {
        Some(f) => f(at, arguments),
        None => Err("the function is not registered".to_owned()),
    }
}

impl<C: Context> std::fmt::Debug for View<'_, '_, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("View")
    }
}

impl<C: Context> std::fmt::Debug for ViewMut<'_, '_, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ViewMut")
    }
}
