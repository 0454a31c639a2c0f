//! Guards: conditions as data where possible, as functions where necessary.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

mod quick;

pub(crate) use quick::{Judged, Quick, Span};

use crate::context::Context;
use crate::key::{Key, KeyId, KeyType, Place, Scalar, ScalarType};
use crate::run::Judge;

/// A function that evaluates a context.
pub(crate) type Pred<C> = Arc<dyn Judge<C>>;

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
}

impl Op {
    /// The operator's sign.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Eq => "==",
            Op::Ne => "!=",
        }
    }
}

/// A key as the engine reads it: its number (for watchers), type and place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// The key's number.
    pub key: KeyId,
    /// The type of its values.
    pub ty: ScalarType,
    /// Where its value is found.
    pub place: Place,
}

impl Source {
    /// The current value in an order-preserving integer encoding; `None` for an unset key and for
    /// NaN, which compare as unequal to everything.
    #[inline]
    fn ordered<C: Context>(&self, at: &C::At<'_>) -> Option<i64> {
        match self.place {
            Place::Block(offset) => load(self.ty, C::block(at), offset as usize),
            Place::Call => {
                let v = C::read(at, self.key)?;
                Some(match (v, self.ty.is_float()) {
                    (Scalar::Float(f), _) => return order_f64(f),
                    (Scalar::Int(i), true) => return order_f64(i as f64),
                    (Scalar::Int(i), false) => i,
                    (Scalar::Bool(b), _) => i64::from(b),
                })
            }
        }
    }
}

/// Loads a value in its order-preserving encoding.
#[inline]
fn load(ty: ScalarType, block: &[u8], at: usize) -> Option<i64> {
    #[inline]
    fn bytes<const N: usize>(block: &[u8], at: usize) -> Option<[u8; N]> {
        block.get(at..)?.first_chunk::<N>().copied()
    }
    Some(match ty {
        ScalarType::F32 => return order_f64(f32::from_ne_bytes(bytes(block, at)?).into()),
        ScalarType::I32 => i32::from_ne_bytes(bytes(block, at)?).into(),
        ScalarType::Bool => (*block.get(at)? != 0).into(),
        ScalarType::U8 => (*block.get(at)?).into(),
        ScalarType::I64 => i64::from_ne_bytes(bytes(block, at)?),
        ScalarType::F64 => return order_f64(f64::from_ne_bytes(bytes(block, at)?)),
        ScalarType::U32 => u32::from_ne_bytes(bytes(block, at)?).into(),
        ScalarType::I8 => i8::from_ne_bytes(bytes(block, at)?).into(),
        ScalarType::I16 => i16::from_ne_bytes(bytes(block, at)?).into(),
        ScalarType::U16 => u16::from_ne_bytes(bytes(block, at)?).into(),
        // Uses the encoding of `Scalar`, in which large numbers saturate.
        ScalarType::U64 => u64::from_ne_bytes(bytes(block, at)?).min(i64::MAX as u64) as i64,
    })
}

/// Maps numbers to integers in the same order; both zeros to zero, NaN to `None`.
#[inline]
fn order_f64(f: f64) -> Option<i64> {
    if f.is_nan() {
        return None;
    }
    let bits = (f + 0.0).to_bits() as i64;
    Some(bits ^ (((bits >> 63) as u64) >> 1) as i64)
}

/// The number with this order-preserving encoding.
pub(crate) fn unorder_f64(ordered: i64) -> f64 {
    f64::from_bits((ordered ^ (((ordered >> 63) as u64) >> 1) as i64) as u64)
}

/// One comparison of a key with a constant: is the value within `lo..=hi`?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// What is compared.
    pub source: Source,
    /// Whether the answer is negated.
    pub negate: bool,
    /// The least value that passes, in the order-preserving encoding.
    pub(crate) lo: i64,
    /// The greatest value that passes.
    pub(crate) hi: i64,
}

impl Test {
    /// Compares a key with a constant. A constant of the wrong kind, that is, a truth value against
    /// a number, never passes, or always for `Ne`. (A fraction may be compared with an integer
    /// key.)
    #[must_use]
    pub fn new(source: Source, op: Op, constant: Scalar) -> Test {
        let (lo, hi, negate) = range(source.ty, op, constant);
        Test {
            source,
            negate,
            lo,
            hi,
        }
    }

    /// The least and the greatest value that pass, in the order-preserving encoding.
    pub(crate) fn bounds(&self) -> (i64, i64) {
        (self.lo, self.hi)
    }

    /// Evaluates the test on a context.
    #[inline]
    pub fn passes<C: Context>(&self, at: &C::At<'_>) -> bool {
        let inside = match self.source.ordered::<C>(at) {
            Some(v) => self.lo <= v && v <= self.hi,
            None => false,
        };
        inside != self.negate
    }
}

/// The values that pass, as an inclusive range and whether it is negated.
fn range(ty: ScalarType, op: Op, constant: Scalar) -> (i64, i64, bool) {
    const EMPTY: (i64, i64) = (1, 0);
    let nothing = |op: Op| (EMPTY.0, EMPTY.1, op == Op::Ne);
    let bounds = |v: i64, least: i64, most: i64| match op {
        Op::Lt => v
            .checked_sub(1)
            .map_or((EMPTY.0, EMPTY.1, false), |v| (least, v, false)),
        Op::Le => (least, v, false),
        Op::Gt => v
            .checked_add(1)
            .map_or((EMPTY.0, EMPTY.1, false), |v| (v, most, false)),
        Op::Ge => (v, most, false),
        Op::Eq => (v, v, false),
        Op::Ne => (v, v, true),
    };
    match (ty.is_float(), constant) {
        (true, Scalar::Float(f)) => match order_f64(f) {
            // Every ordered value that exists is inside, since NaN has none.
            Some(v) => bounds(v, i64::MIN, i64::MAX),
            None => nothing(op),
        },
        (true, Scalar::Int(i)) => range(ty, op, Scalar::Float(i as f64)),
        (false, Scalar::Int(i)) => bounds(i, i64::MIN, i64::MAX),
        (false, Scalar::Bool(b)) if ty == ScalarType::Bool => bounds(b.into(), 0, 1),
        (false, Scalar::Float(f)) if ty != ScalarType::Bool => {
            // An integer against a fraction: move the bound to the next integer.
            if f.is_nan() {
                return nothing(op);
            }
            let whole = f as i64; // towards zero, saturating
            let exact = whole as f64 == f;
            if exact {
                return bounds(whole, i64::MIN, i64::MAX);
            }
            let floor = if f < 0.0 {
                whole.saturating_sub(1)
            } else {
                whole
            };
            match op {
                Op::Lt | Op::Le => (i64::MIN, floor, false),
                Op::Gt | Op::Ge => floor
                    .checked_add(1)
                    .map_or((EMPTY.0, EMPTY.1, false), |v| (v, i64::MAX, false)),
                Op::Eq | Op::Ne => nothing(op),
            }
        }
        _ => nothing(op),
    }
}

/// One comparison of two keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    /// The left side.
    pub left: Source,
    /// How they are compared.
    pub op: Op,
    /// The right side.
    pub right: Source,
}

impl Compare {
    /// Evaluates the comparison on a context. An unset key or NaN on either side passes for `Ne` only.
    pub fn passes<C: Context>(&self, at: &C::At<'_>) -> bool {
        let (l, r) = (self.left.ordered::<C>(at), self.right.ordered::<C>(at));
        let (Some(l), Some(r)) = (l, r) else {
            return self.op == Op::Ne;
        };
        let order = match (self.left.ty.is_float(), self.right.ty.is_float()) {
            (true, true) | (false, false) => l.cmp(&r),
            // Back from the encoding: the integer side as a number.
            (true, false) => l.cmp(&order_f64(r as f64).unwrap_or(0)),
            (false, true) => order_f64(l as f64).unwrap_or(0).cmp(&r),
        };
        match self.op {
            Op::Lt => order.is_lt(),
            Op::Le => order.is_le(),
            Op::Gt => order.is_gt(),
            Op::Ge => order.is_ge(),
            Op::Eq => order.is_eq(),
            Op::Ne => order.is_ne(),
        }
    }
}

/// The shape of a guard. Functions are named by their position among the guard's own.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// Always this.
    Const(bool),
    /// A key against a constant.
    Test(Test),
    /// A key against a key.
    Compare(Compare),
    /// The function with this position.
    Call(u32),
    /// All of these, evaluated in order until one does not hold.
    All(Vec<Expr>),
    /// Any of these, evaluated in order until one holds.
    Any(Vec<Expr>),
    /// The opposite.
    Not(Box<Expr>),
}

impl Expr {
    fn shift(&mut self, by: u32) {
        match self {
            Expr::Call(i) => *i += by,
            Expr::All(v) | Expr::Any(v) => v.iter_mut().for_each(|e| e.shift(by)),
            Expr::Not(e) => e.shift(by),
            Expr::Const(_) | Expr::Test(_) | Expr::Compare(_) => {}
        }
    }

    /// Calls `f` with every key that is read; returns whether any function is called.
    pub fn reads(&self, f: &mut impl FnMut(KeyId)) -> bool {
        match self {
            Expr::Const(_) => false,
            Expr::Test(t) => {
                f(t.source.key);
                false
            }
            Expr::Compare(c) => {
                f(c.left.key);
                f(c.right.key);
                false
            }
            Expr::Call(_) => true,
            Expr::All(v) | Expr::Any(v) => v.iter().fold(false, |any, e| e.reads(f) | any),
            Expr::Not(e) => e.reads(f),
        }
    }
}

/// A condition over a context: comparisons of keys, functions, and `and`, `or`, `not` of them.
/// Comparisons compile to data, which is evaluated fastest; a function is a separate step.
pub struct Guard<C: Context> {
    pub(crate) expr: Expr,
    pub(crate) preds: Vec<Pred<C>>,
}

impl<C: Context> core::fmt::Debug for Guard<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Guard").field(&self.expr).finish()
    }
}

impl<C: Context> Guard<C> {
    /// A guard that is always, or never, met.
    #[must_use]
    pub fn constant(holds: bool) -> Self {
        Guard {
            expr: Expr::Const(holds),
            preds: Vec::new(),
        }
    }

    /// A guard that calls a function.
    pub fn from_fn(f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static) -> Self {
        Guard {
            expr: Expr::Call(0),
            preds: vec![Arc::new(f)],
        }
    }

    /// A guard that compares a key, known by number, type and place, with a constant.
    #[must_use]
    pub fn test(source: Source, op: Op, constant: Scalar) -> Self {
        Guard {
            expr: Expr::Test(Test::new(source, op, constant)),
            preds: Vec::new(),
        }
    }

    /// A guard that compares two keys.
    #[must_use]
    pub fn compare(left: Source, op: Op, right: Source) -> Self {
        Guard {
            expr: Expr::Compare(Compare { left, op, right }),
            preds: Vec::new(),
        }
    }

    /// Holds if both hold; `other` is not evaluated if this one does not hold.
    #[must_use]
    pub fn and(self, other: Guard<C>) -> Self {
        self.join(other, true)
    }

    /// Holds if either holds; `other` is not evaluated if this one holds.
    #[must_use]
    pub fn or(self, other: Guard<C>) -> Self {
        self.join(other, false)
    }

    fn join(mut self, mut other: Guard<C>, all: bool) -> Self {
        other
            .expr
            .shift(u32::try_from(self.preds.len()).unwrap_or(u32::MAX));
        self.preds.append(&mut other.preds);
        let mut parts = Vec::new();
        for e in [self.expr, other.expr] {
            match (all, e) {
                (true, Expr::All(v)) | (false, Expr::Any(v)) => parts.extend(v),
                (_, e) => parts.push(e),
            }
        }
        Guard {
            expr: if all {
                Expr::All(parts)
            } else {
                Expr::Any(parts)
            },
            preds: self.preds,
        }
    }

    /// Whether this guard holds in a context.
    #[must_use]
    pub fn holds(&self, at: &C::At<'_>) -> bool {
        judge::<C>(&self.expr, at, &mut |i, at| {
            self.preds[i as usize].holds(at)
        })
    }
}

impl<C: Context> core::ops::Not for Guard<C> {
    type Output = Guard<C>;
    fn not(self) -> Guard<C> {
        let expr = match self.expr {
            Expr::Not(e) => *e,
            Expr::Const(b) => Expr::Const(!b),
            e => Expr::Not(Box::new(e)),
        };
        Guard {
            expr,
            preds: self.preds,
        }
    }
}

/// Evaluates an expression from left to right, stopping as soon as the answer is known.
pub fn judge<C: Context>(
    expr: &Expr,
    at: &C::At<'_>,
    call: &mut dyn FnMut(u32, &C::At<'_>) -> bool,
) -> bool {
    match expr {
        Expr::Const(b) => *b,
        Expr::Test(t) => t.passes::<C>(at),
        Expr::Compare(c) => c.passes::<C>(at),
        Expr::Call(i) => call(*i, at),
        Expr::All(v) => v.iter().all(|e| judge::<C>(e, at, call)),
        Expr::Any(v) => v.iter().any(|e| judge::<C>(e, at, call)),
        Expr::Not(e) => !judge::<C>(e, at, call),
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident, $with_key:ident => $op:ident;)*) => {
        impl<C: Context, T: KeyType> Key<C, T> {
            /// The key as the engine reads it.
            #[must_use]
            pub const fn source(self) -> Source {
                Source { key: self.id, ty: T::TYPE, place: self.place }
            }
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(self, constant: T) -> Guard<C> {
                    Guard::test(self.source(), Op::$op, constant.to_scalar())
                }

                /// The same comparison with another key.
                #[must_use]
                pub fn $with_key(self, other: Key<C, T>) -> Guard<C> {
                    Guard::compare(self.source(), Op::$op, other.source())
                }
            )*
        }
    };
}

comparisons! {
    /// Holds while the value is less than `constant`.
    lt, lt_key => Lt;
    /// Holds while the value is at most `constant`.
    le, le_key => Le;
    /// Holds while the value is greater than `constant`.
    gt, gt_key => Gt;
    /// Holds while the value is at least `constant`.
    ge, ge_key => Ge;
    /// Holds while the value equals `constant`.
    eq, eq_key => Eq;
    /// Holds while the value differs from `constant`.
    ne, ne_key => Ne;
}

impl<C: Context> Key<C, bool> {
    /// Holds while the value is true.
    #[must_use]
    pub fn is_true(self) -> Guard<C> {
        self.eq(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Block([u8; 8]);
    impl Context for Block {
        type At<'a> = Block;
        fn block(at: &Block) -> &[u8] {
            &at.0
        }
    }

    #[test]
    fn and_or_not_keep_their_functions_apart() {
        let g = Guard::<Block>::from_fn(|b| b.0[0] == 1)
            .and(Guard::<Block>::from_fn(|b| b.0[1] == 1))
            .or(!Guard::<Block>::from_fn(|b| b.0[2] == 0));
        let at = |a, b, c| Block([a, b, c, 0, 0, 0, 0, 0]);
        assert!(g.holds(&at(1, 1, 0)));
        assert!(!g.holds(&at(1, 0, 0)));
        assert!(g.holds(&at(0, 0, 5)));
    }
}
