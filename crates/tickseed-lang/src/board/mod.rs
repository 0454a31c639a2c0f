//! The keys of an agent whose tree came from a file.
//!
//! A [`Board`] holds one value per slot; loading the tree decides which key of which subtree a slot
//! is ([`Layout`]). Scalars that always have a value are in a plain block, which guards read without
//! a call. A user's context holds a board in addition to its own fields ([`HasBoard`]); the keys
//! that it publishes itself are slots too, numbered from [`FIELDS`].

mod keys;
mod layout;
mod named;
mod save;
pub(crate) mod view;

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub use keys::key_of;
pub use layout::{Layout, Mark, SlotInfo, TooMany};
pub use named::KeyError;
pub use save::RestoreError;
use tickseed_core::{Context, KeyId, Scalar};
pub use view::{FIELDS, UserFunction, View, ViewMut, field_slot};

use crate::expr::{Datum, Slot, Type};

/// The keys of one agent.
#[derive(Clone, Debug)]
pub struct Board {
    layout: Arc<Layout>,
    block: Box<[u8]>,
    values: Box<[Datum]>,
    objects: Box<[Option<Arc<dyn Any + Send + Sync>>]>,
    marks: Box<[Mark]>,
    versions: Box<[u32]>,
    fault: Option<Fault>,
    keeps_faults: bool,
    wakes: bool,
    /// When the whole tree was halted last, plus one.
    halted: u64,
    /// How often each parallel or loop of a file has ended, by its number: what was skipped below it is
    /// reset then.
    ended: Vec<u64>,
    /// The node to be ticked next has finished and was not reset since: with a verdict, if it repeats
    /// it.
    unreset: Option<Option<tickseed_core::Status>>,
    /// What went wrong where nothing can fail: first come, first kept.
    note: OnceLock<String>,
    /// Whether there is a fault, for those who watch a tick without seeing the board.
    faulted: Arc<AtomicBool>,
}

/// An error that a node raised while the board keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it said.
    pub message: String,
}

/// A context in which the keys of a tree file live. `#[derive(Context)]` writes this for a struct with
/// a field `#[context(board)]`; by hand it is
///
/// ```
/// use tickseed_core::Context;
/// use tickseed_lang::board::{Board, HasBoard};
/// struct Robot { battery: f32, board: Board }
/// impl Context for Robot { type At<'a> = Robot; }
/// impl HasBoard for Robot {
///     fn board<'x>(at: &'x Robot) -> &'x Board { &at.board }
///     fn board_mut<'x>(at: &'x mut Robot) -> &'x mut Board { &mut at.board }
/// }
/// ```
pub trait HasBoard: Context {
    /// Whether [`Context::block`] is the board's block, so that guards can be data.
    const BLOCK_IS_BOARD: bool = false;

    /// The board.
    fn board<'x>(at: &'x Self::At<'_>) -> &'x Board;

    /// The board, to write.
    fn board_mut<'x>(at: &'x mut Self::At<'_>) -> &'x mut Board;
}

impl Context for Board {
    type At<'a> = Board;

    fn block(at: &Board) -> &[u8] {
        &at.block
    }

    fn read(at: &Board, key: KeyId) -> Option<Scalar> {
        at.read_scalar(key)
    }

    fn own_keys(at: &Board) -> u16 {
        at.key_count()
    }

    fn write(at: &mut Board, key: KeyId, value: Scalar) -> bool {
        at.write_scalar(key, value)
    }
}

impl HasBoard for Board {
    const BLOCK_IS_BOARD: bool = true;

    fn board(at: &Board) -> &Board {
        at
    }

    fn board_mut(at: &mut Board) -> &mut Board {
        at
    }
}

impl Default for Board {
    fn default() -> Self {
        Board::new(Arc::default())
    }
}

impl Board {
    /// A board with the initial values of a layout.
    #[must_use]
    pub fn new(layout: Arc<Layout>) -> Self {
        let count = layout.len();
        let mut board = Board {
            block: vec![0; layout.block_size()].into(),
            values: vec![Datum::None; count].into(),
            objects: vec![None; count].into(),
            marks: layout.slots().map(|(_, info)| info.mark).collect(),
            versions: vec![0; count].into(),
            fault: None,
            keeps_faults: false,
            wakes: false,
            halted: 0,
            ended: Vec::new(),
            unreset: None,
            note: OnceLock::new(),
            faulted: Arc::default(),
            layout: Arc::clone(&layout),
        };
        for (slot, info) in layout.slots() {
            if info.initial != Datum::None {
                board.put(slot, info.initial.clone());
            }
        }
        board
    }

    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The plain block that guards read.
    #[must_use]
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// A slot's value; [`Datum::None`] if it is unset.
    #[must_use]
    pub fn get(&self, slot: Slot) -> Datum {
        let at = slot.0 as usize;
        let Some(info) = self.layout.slot(slot) else {
            return Datum::None;
        };
        match info.place {
            None => self.values[at].clone(),
            Some(offset) => self.scalar(&info.ty, offset as usize),
        }
    }

    fn scalar(&self, ty: &Type, at: usize) -> Datum {
        let eight = || -> [u8; 8] {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&self.block[at..at + 8]);
            bytes
        };
        match ty {
            Type::Bool => Datum::Bool(self.block[at] != 0),
            Type::Float => Datum::Float(f64::from_ne_bytes(eight())),
            _ => Datum::Int(i64::from_ne_bytes(eight())),
        }
    }

    /// Writes a slot; `false` if there is no such slot or the value is not of its type.
    pub fn set(&mut self, slot: Slot, value: Datum) -> bool {
        let fits = self.put(slot, value);
        if fits {
            let at = slot.0 as usize;
            self.versions[at] = self.versions[at].wrapping_add(1);
            if self.marks[at] == Mark::ABSENT {
                self.marks[at] = Mark::ANY;
            }
        }
        fits
    }

    fn put(&mut self, slot: Slot, value: Datum) -> bool {
        let at = slot.0 as usize;
        let Some(info) = self.layout.slot(slot) else {
            return false;
        };
        let value = match (&info.ty, value) {
            (Type::Float, Datum::Int(i)) => Datum::Float(i as f64),
            (_, value) => value,
        };
        let Some(offset) = info.place else {
            if !admits(&info.ty, &value) {
                return false;
            }
            self.values[at] = value;
            self.objects[at] = None;
            return true;
        };
        let offset = offset as usize;
        match (&info.ty, value) {
            (Type::Bool, Datum::Bool(b)) => self.block[offset] = b.into(),
            (Type::Int, Datum::Int(i)) => {
                self.block[offset..offset + 8].copy_from_slice(&i.to_ne_bytes());
            }
            (Type::Float, Datum::Float(f)) => {
                self.block[offset..offset + 8].copy_from_slice(&f.to_ne_bytes());
            }
            // A key that began with a value always has one.
            _ => return false,
        }
        true
    }

    /// The object in a slot of a type that only the code knows.
    #[must_use]
    pub fn object(&self, slot: Slot) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.objects.get(slot.0 as usize)?.as_ref()
    }

    /// Puts an object into a slot.
    pub fn set_object(&mut self, slot: Slot, object: Arc<dyn Any + Send + Sync>) -> bool {
        let at = slot.0 as usize;
        let fits = self
            .layout
            .slot(slot)
            .is_some_and(|info| matches!(info.ty, Type::Any | Type::Opaque(_)));
        if fits {
            self.versions[at] = self.versions[at].wrapping_add(1);
            self.values[at] = Datum::Handle(self.versions[at].into());
            self.objects[at] = Some(object);
            if self.marks[at] == Mark::ABSENT {
                self.marks[at] = Mark::ANY;
            }
        }
        fits
    }

    /// How often a slot was written (modulo 2^32): changes whenever it is written.
    #[must_use]
    pub fn version(&self, slot: Slot) -> u32 {
        self.versions.get(slot.0 as usize).copied().unwrap_or(0)
    }

    /// What is known about a slot's entry.
    #[must_use]
    pub fn mark(&self, slot: Slot) -> Mark {
        self.marks.get(slot.0 as usize).copied().unwrap_or_default()
    }

    /// Notes what is known about a slot's entry.
    pub fn set_mark(&mut self, slot: Slot, mark: Mark) {
        if let Some(m) = self.marks.get_mut(slot.0 as usize) {
            *m = mark;
        }
    }

    /// Removes a slot's entry: it is as if nothing had made it.
    pub fn remove(&mut self, slot: Slot) {
        let at = slot.0 as usize;
        if at < self.values.len() {
            self.values[at] = Datum::None;
            self.objects[at] = None;
            self.marks[at] = Mark::ABSENT;
        }
    }

    /// Keeps errors of the compatible nodes and their scripts on the board instead of poisoning the
    /// agent: the tick is answered with `Running`, everything stays where it is, and the next tick
    /// goes on at the node that failed, as BehaviorTree.CPP does after an exception. Whoever ticks
    /// must ask [`take_fault`](Board::take_fault) after each tick.
    pub fn keep_faults(&mut self) {
        self.keeps_faults = true;
    }

    pub(crate) fn keeps_faults(&self) -> bool {
        self.keeps_faults
    }

    /// Notes that another tick is wanted at once. Compatible nodes that let a tick pass between two
    /// children do so.
    pub fn wake(&mut self) {
        self.wakes = true;
    }

    /// Whether another tick is wanted at once; forgets it.
    pub fn take_wake(&mut self) -> bool {
        std::mem::take(&mut self.wakes)
    }

    /// The error that stopped the last tick.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.faulted.store(false, Ordering::Relaxed);
        self.fault.take()
    }

    /// Notes an error of an expression or script that stands where nothing can fail: a score, a
    /// computed duration, a script after a halt. The first one is kept. Within a tick the tree raises
    /// it as the node's error; what a halt left is for [`take_note`](Board::take_note).
    pub fn note(&self, message: impl Into<String>) {
        self.note.get_or_init(|| message.into());
    }

    /// The error that was noted, which is forgotten.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    pub(crate) fn halted_at(&mut self, now: tickseed_core::Time) {
        self.halted = now.0.saturating_add(1);
    }

    pub(crate) fn set_unreset(&mut self, verdict: Option<tickseed_core::Status>) {
        self.unreset = Some(verdict);
    }

    pub(crate) fn take_unreset(&mut self) -> Option<Option<tickseed_core::Status>> {
        self.unreset.take()
    }

    /// Whether the whole tree was halted since a node last saw it, which it does now. A board that was
    /// loaded from a save knows of no halt.
    pub(crate) fn halted_since(&self, seen: &mut u64) -> bool {
        let news = self.halted != 0 && self.halted != *seen;
        *seen = self.halted;
        news
    }

    /// A node that lets what was skipped below it stay as it is has ended.
    pub(crate) fn node_ended(&mut self, instance: usize) {
        if self.ended.len() <= instance {
            self.ended.resize(instance + 1, 0);
        }
        self.ended[instance] += 1;
    }

    /// [`halted_since`](Board::halted_since), or one of some nodes has ended.
    pub(crate) fn reset_since(&self, nodes: &[usize], seen: &mut u64) -> bool {
        let ended = nodes.iter().filter_map(|at| self.ended.get(*at));
        // Both only grow.
        let now = self.halted.saturating_add(ended.sum());
        let news = now != 0 && now != *seen;
        *seen = now;
        news
    }

    pub(crate) fn fault_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.faulted)
    }

    /// Whether an error stopped this tick: then nothing more is to be done in it.
    #[must_use]
    pub fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Keeps an error, if the board keeps errors at all. The first one of a tick counts.
    pub fn raise(&mut self, message: impl Into<String>) -> bool {
        if self.keeps_faults {
            let message = message.into();
            self.fault.get_or_insert(Fault { message });
            self.faulted.store(true, Ordering::Relaxed);
        }
        self.keeps_faults
    }
}

/// Whether a slot of a type may hold a value.
fn admits(ty: &Type, value: &Datum) -> bool {
    matches!(
        (ty, value),
        (_, Datum::None)
            | (Type::Any, _)
            | (Type::Bool, Datum::Bool(_))
            | (Type::Int, Datum::Int(_))
            | (Type::Float, Datum::Float(_))
            | (Type::Text, Datum::Text(_))
            | (Type::Duration, Datum::Duration(_))
            | (Type::Vec2, Datum::Vec2(_))
            | (Type::Vec3, Datum::Vec3(_))
            | (Type::List(_), Datum::List(_))
            | (Type::Enum(_), Datum::Word(_))
            | (Type::Opaque(_), _)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_with_a_value_lie_in_the_block_and_others_do_not() {
        let mut layout = Layout::default();
        let root = layout.add_scope("");
        let flag = layout.add(root, "flag", Type::Bool, Datum::Bool(true), Mark::ANY);
        let speed = layout.add(root, "speed", Type::Float, Datum::Float(1.5), Mark::ANY);
        let text = layout.add(root, "text", Type::Text, Datum::None, Mark::ANY);
        let (flag, speed, text) = (flag.unwrap(), speed.unwrap(), text.unwrap());
        let mut board = Board::new(Arc::new(layout));
        assert_eq!(board.block().len(), 16);
        assert_eq!(board.get(flag), Datum::Bool(true));
        assert!(board.set(speed, Datum::Int(2)));
        assert_eq!(board.get(speed), Datum::Float(2.0));
        assert!(!board.set(speed, Datum::None));
        assert!(!board.set(text, Datum::Int(2)));
        assert!(board.set(text, Datum::Text("a".into())));
        assert_eq!((board.version(text), board.version(flag)), (1, 0));
        assert_eq!(board.by_name("", "text"), Some(Datum::Text("a".into())));
        assert!(!board.set(Slot(99), Datum::Int(1)));
    }
}
