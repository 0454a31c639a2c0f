//! Slots as engine keys: for data guards, for waking agents in herds, for tools.

use tickseed_core::{KeyId, Scalar};

use super::Board;
use crate::expr::{Datum, Slot};

/// Set in the numbers of a board's keys, as in those of the engine's own blackboards: a context has
/// one or the other beside the keys of its schema.
const BOARD: u16 = KeyId::OWN;

/// The engine's number of a slot's key, for [`Herd::touch`](tickseed_core::Herd::touch) and the
/// like. Slots from 32,768 on have none: nothing is told of them, and guards over them are calls.
#[must_use]
pub fn key_of(slot: Slot) -> Option<KeyId> {
    let index = u16::try_from(slot.0).ok()?;
    (index < BOARD).then_some(KeyId(BOARD | index))
}

impl Board {
    /// Whether a key is a slot of a board (of any board), not one of the context's schema.
    #[must_use]
    pub const fn owns(key: KeyId) -> bool {
        key.0 & BOARD != 0
    }

    /// How many keys have a number, for [`Context::own_keys`](tickseed_core::Context::own_keys).
    #[must_use]
    pub fn key_count(&self) -> u16 {
        self.layout().len().min(usize::from(BOARD)) as u16
    }

    fn slot_of(key: KeyId) -> Option<Slot> {
        Board::owns(key).then_some(Slot((key.0 & !BOARD) as u32))
    }

    /// A key's value, for [`Context::read`](tickseed_core::Context::read); `None` if it is unset, unknown or no scalar.
    #[must_use]
    pub fn read_scalar(&self, key: KeyId) -> Option<Scalar> {
        match self.get(Board::slot_of(key)?) {
            Datum::Bool(b) => Some(Scalar::Bool(b)),
            Datum::Int(i) => Some(Scalar::Int(i)),
            Datum::Float(f) => Some(Scalar::Float(f)),
            _ => None,
        }
    }

    /// Writes a scalar, for [`Context::write`](tickseed_core::Context::write); `false` if the key is unknown or of another type.
    pub fn write_scalar(&mut self, key: KeyId, value: Scalar) -> bool {
        let value = match value {
            Scalar::Bool(b) => Datum::Bool(b),
            Scalar::Int(i) => Datum::Int(i),
            Scalar::Float(f) => Datum::Float(f),
        };
        Board::slot_of(key).is_some_and(|slot| self.set(slot, value))
    }
}
