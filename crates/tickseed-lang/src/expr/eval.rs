//! Evaluates checked expressions.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::functions::{self, Function};
use super::types::{FunctionId, Names, Slot};
use super::{BinaryOp, CompareOp, UnaryOp};
use crate::diagnostics::Diagnostic;
use crate::model::Span;

/// A value at run time.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Datum {
    /// No value: the key is not set.
    #[default]
    None,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `float`
    Float(f64),
    /// `duration` in nanoseconds.
    Duration(i64),
    /// `text`
    Text(Arc<str>),
    /// `vec2`
    Vec2([f64; 2]),
    /// `vec3`
    Vec3([f64; 3]),
    /// `list`
    List(Arc<[Datum]>),
    /// A word of an enumeration by its number.
    Word(i64),
    /// A number that means something to the owner of the keys, such as an entity.
    Handle(u64),
}

/// Where an expression finds its values.
pub trait Scope {
    /// The value of a key; [`Datum::None`] if it is not set. The value must be of the type that the
    /// key was declared with.
    fn get(&self, slot: Slot) -> Datum;

    /// Calls a function of the user.
    ///
    /// # Errors
    /// What went wrong, in a few lower-case words.
    fn call(&self, function: FunctionId, arguments: &[Datum]) -> Result<Datum, String>;
}

/// Where a script writes.
pub trait ScopeMut: Scope {
    /// Writes a key; [`Datum::None`] clears it.
    fn set(&mut self, slot: Slot, value: Datum);
}

/// A checked expression: a tree over slots, without names.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// Where it was written.
    pub span: Span,
}

/// What a checked expression does. Operands have the types that the checker made sure of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OpKind {
    /// A constant.
    Const(Datum),
    /// The value of a key; an error if it is not set.
    Key(Slot),
    /// Whether a key is set.
    IsSet(Slot),
    /// An `int` as `float`.
    ToFloat(Box<Op>),
    /// A list from its elements.
    List(Vec<Op>),
    /// One number of a vector.
    Member(Box<Op>, usize),
    /// An operator before its operand.
    Unary(UnaryOp, Box<Op>),
    /// An operator between two operands.
    Binary(BinaryOp, Box<Op>, Box<Op>),
    /// Comparisons of neighbours.
    Compare(Box<Op>, Vec<(CompareOp, Op)>),
    /// One of two values.
    Conditional(Box<Op>, Box<Op>, Box<Op>),
    /// A built-in function.
    Call(Function, Vec<Op>),
    /// A function of the user.
    User(FunctionId, Vec<Op>),
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// What went wrong.
    pub kind: EvalErrorKind,
    /// The part of the expression that it happened in.
    pub span: Span,
}

/// What can go wrong in an expression at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalErrorKind {
    /// A key is read that is declared but not set.
    Unset(Slot),
    /// A whole number left 64 bits.
    Overflow,
    /// A remainder of a division by zero.
    DivisionByZero,
    /// A function of the user failed.
    Function(String),
    /// A key or function gave a value of another type than it was declared with.
    WrongType,
}

impl EvalError {
    /// The error as a message; `names` are those the expression was checked with.
    pub fn diagnostic(&self, names: &Names) -> Diagnostic {
        let (code, message) = match &self.kind {
            EvalErrorKind::Unset(slot) => {
                let name = names.slot_name(*slot).unwrap_or("?");
                (
                    "expr::unset-key",
                    format!("the key `{name}` is declared but not set"),
                )
            }
            EvalErrorKind::Function(text) => ("expr::function-failed", text.clone()),
            kind => ("expr::arithmetic", kind.to_string()),
        };
        let diagnostic = Diagnostic::error(code, message).at(self.span, "here");
        match &self.kind {
            EvalErrorKind::Unset(_) => {
                diagnostic.help("give it a value first, or ask `key != none` before")
            }
            _ => diagnostic,
        }
    }
}

impl fmt::Display for EvalErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalErrorKind::Unset(slot) => write!(f, "key {} is declared but not set", slot.0),
            EvalErrorKind::Overflow => f.write_str("the number does not fit 64 bits"),
            EvalErrorKind::DivisionByZero => f.write_str("remainder of a division by zero"),
            EvalErrorKind::Function(text) => f.write_str(text),
            EvalErrorKind::WrongType => f.write_str("the value has another type than declared"),
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for EvalError {}

impl Op {
    /// The value.
    ///
    /// # Errors
    /// An unset key, an overflow, a failed function; see [`EvalErrorKind`].
    pub fn eval(&self, scope: &dyn Scope) -> Result<Datum, EvalError> {
        let fail = |kind| EvalError {
            kind,
            span: self.span,
        };
        Ok(match &self.kind {
            OpKind::Const(datum) => datum.clone(),
            OpKind::Key(slot) => match scope.get(*slot) {
                Datum::None => return Err(fail(EvalErrorKind::Unset(*slot))),
                datum => datum,
            },
            OpKind::IsSet(slot) => Datum::Bool(scope.get(*slot) != Datum::None),
            OpKind::ToFloat(inner) => to_float(inner.eval(scope)?),
            OpKind::List(items) => Datum::List(
                items
                    .iter()
                    .map(|item| item.eval(scope))
                    .collect::<Result<_, _>>()?,
            ),
            OpKind::Member(inner, index) => {
                let number = match inner.eval(scope)? {
                    Datum::Vec2(v) => v.get(*index).copied(),
                    Datum::Vec3(v) => v.get(*index).copied(),
                    _ => None,
                };
                Datum::Float(number.ok_or_else(|| fail(EvalErrorKind::WrongType))?)
            }
            OpKind::Unary(op, inner) => unary(*op, inner.eval(scope)?).map_err(fail)?,
            OpKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                // The second is asked only if the first does not decide.
                if a.test(scope)? == (*op == BinaryOp::Or) {
                    Datum::Bool(*op == BinaryOp::Or)
                } else {
                    Datum::Bool(b.test(scope)?)
                }
            }
            OpKind::Binary(op, a, b) => {
                binary(*op, a.eval(scope)?, b.eval(scope)?).map_err(fail)?
            }
            OpKind::Compare(first, rest) => {
                let mut left = first.eval(scope)?;
                for (op, operand) in rest {
                    let right = operand.eval(scope)?;
                    if !compare(*op, &left, &right) {
                        return Ok(Datum::Bool(false));
                    }
                    left = right;
                }
                Datum::Bool(true)
            }
            OpKind::Conditional(condition, yes, no) => {
                if condition.test(scope)? {
                    yes.eval(scope)?
                } else {
                    no.eval(scope)?
                }
            }
            OpKind::Call(function, arguments) => {
                let arguments: Vec<_> = arguments
                    .iter()
                    .map(|a| a.eval(scope))
                    .collect::<Result<_, _>>()?;
                functions::call(*function, &arguments).map_err(fail)?
            }
            OpKind::User(function, arguments) => {
                let arguments: Vec<_> = arguments
                    .iter()
                    .map(|a| a.eval(scope))
                    .collect::<Result<_, _>>()?;
                let result = scope.call(*function, &arguments);
                result.map_err(|text| fail(EvalErrorKind::Function(text)))?
            }
        })
    }

    /// The value of a condition.
    ///
    /// # Errors
    /// As [`Op::eval`].
    pub fn test(&self, scope: &dyn Scope) -> Result<bool, EvalError> {
        match self.eval(scope)? {
            Datum::Bool(value) => Ok(value),
            _ => Err(EvalError {
                kind: EvalErrorKind::WrongType,
                span: self.span,
            }),
        }
    }

    /// Calls `visit` for this operation and all below, outer ones first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Op)) {
        visit(self);
        match &self.kind {
            OpKind::Const(_) | OpKind::Key(_) | OpKind::IsSet(_) => {}
            OpKind::ToFloat(a) | OpKind::Member(a, _) | OpKind::Unary(_, a) => a.walk(visit),
            OpKind::List(list) | OpKind::Call(_, list) | OpKind::User(_, list) => {
                list.iter().for_each(|item| item.walk(visit));
            }
            OpKind::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            OpKind::Compare(a, rest) => {
                a.walk(visit);
                rest.iter().for_each(|(_, b)| b.walk(visit));
            }
            OpKind::Conditional(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
        }
    }

    /// The keys whose change can change the value, sorted. `None` if it calls functions of the user,
    /// which may look at anything.
    pub fn reads(&self) -> Option<Vec<Slot>> {
        let (mut slots, mut known) = (Vec::new(), true);
        self.walk(&mut |op| match &op.kind {
            OpKind::Key(slot) | OpKind::IsSet(slot) => slots.push(*slot),
            OpKind::User(..) => known = false,
            _ => {}
        });
        slots.sort_unstable();
        slots.dedup();
        known.then_some(slots)
    }
}

/// A checked script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Keys and what is written to them, in order.
    pub steps: Vec<(Slot, Op)>,
}

impl Program {
    /// Runs all statements. On an error those before it have been done.
    ///
    /// # Errors
    /// As [`Op::eval`].
    pub fn run(&self, scope: &mut dyn ScopeMut) -> Result<(), EvalError> {
        for (slot, value) in &self.steps {
            let value = value.eval(scope)?;
            scope.set(*slot, value);
        }
        Ok(())
    }
}

pub(super) fn to_float(datum: Datum) -> Datum {
    match datum {
        Datum::Int(value) => Datum::Float(value as f64),
        other => other,
    }
}

pub(super) fn unary(op: UnaryOp, operand: Datum) -> Result<Datum, EvalErrorKind> {
    let negated = |value: i64| value.checked_neg().ok_or(EvalErrorKind::Overflow);
    Ok(match (op, operand) {
        (UnaryOp::Not, Datum::Bool(value)) => Datum::Bool(!value),
        (UnaryOp::Minus, Datum::Int(value)) => Datum::Int(negated(value)?),
        (UnaryOp::Minus, Datum::Float(value)) => Datum::Float(-value),
        (UnaryOp::Minus, Datum::Duration(value)) => Datum::Duration(negated(value)?),
        (UnaryOp::Minus, Datum::Vec2(v)) => Datum::Vec2(v.map(|x| -x)),
        (UnaryOp::Minus, Datum::Vec3(v)) => Datum::Vec3(v.map(|x| -x)),
        _ => return Err(EvalErrorKind::WrongType),
    })
}

/// Nanoseconds from a number with a fraction, rounded to the nearest.
fn duration(nanos: f64) -> Result<Datum, EvalErrorKind> {
    // The bound is exact: i64::MAX as f64 is 2^63, which does not fit.
    let fits = nanos > -(i64::MAX as f64) && nanos < i64::MAX as f64;
    fits.then(|| Datum::Duration(nanos.round() as i64))
        .ok_or(EvalErrorKind::Overflow)
}

pub(super) fn binary(op: BinaryOp, a: Datum, b: Datum) -> Result<Datum, EvalErrorKind> {
    use Datum::{Duration, Float, Int, Text, Vec2, Vec3};
    let float = |a: f64, b: f64| match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => a.rem_euclid(b),
    };
    let int = |a: i64, b: i64| {
        match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            _ if b == 0 => return Err(EvalErrorKind::DivisionByZero),
            _ => a.checked_rem_euclid(b),
        }
        .ok_or(EvalErrorKind::Overflow)
    };
    Ok(match (a, b) {
        // Whole numbers divide like all numbers: 1 / 2 is 0.5.
        (Int(a), Int(b)) if op == BinaryOp::Div => Float(a as f64 / b as f64),
        (Int(a), Int(b)) => Int(int(a, b)?),
        (Float(a), Float(b)) => Float(float(a, b)),
        (Duration(a), Duration(b)) if op == BinaryOp::Div => Float(a as f64 / b as f64),
        (Duration(a), Duration(b)) => Duration(int(a, b)?),
        (Duration(a), Float(b)) => duration(float(a as f64, b))?,
        (Float(a), Duration(b)) => duration(float(a, b as f64))?,
        (Text(a), Text(b)) => Text(format!("{a}{b}").into()),
        (Vec2(a), Vec2(b)) => Vec2([float(a[0], b[0]), float(a[1], b[1])]),
        (Vec3(a), Vec3(b)) => Vec3([float(a[0], b[0]), float(a[1], b[1]), float(a[2], b[2])]),
        (Vec2(a), Float(b)) => Vec2(a.map(|a| float(a, b))),
        (Vec3(a), Float(b)) => Vec3(a.map(|a| float(a, b))),
        (Float(a), Vec2(b)) => Vec2(b.map(|b| float(a, b))),
        (Float(a), Vec3(b)) => Vec3(b.map(|b| float(a, b))),
        _ => return Err(EvalErrorKind::WrongType),
    })
}

fn compare(op: CompareOp, a: &Datum, b: &Datum) -> bool {
    if op == CompareOp::In {
        return matches!(b, Datum::List(items) if items.iter().any(|item| equal(a, item)));
    }
    let order = match (a, b) {
        (Datum::Int(a), Datum::Int(b))
        | (Datum::Duration(a), Datum::Duration(b))
        | (Datum::Word(a), Datum::Word(b)) => Some(a.cmp(b)),
        (Datum::Float(a), Datum::Float(b)) => a.partial_cmp(b),
        (Datum::Text(a), Datum::Text(b)) => Some(a.cmp(b)),
        _ => equal(a, b).then_some(Ordering::Equal),
    };
    match op {
        CompareOp::Equal => order == Some(Ordering::Equal),
        CompareOp::NotEqual => order != Some(Ordering::Equal),
        CompareOp::Less => order == Some(Ordering::Less),
        CompareOp::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CompareOp::Greater => order == Some(Ordering::Greater),
        CompareOp::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        CompareOp::In => false,
    }
}

fn equal(a: &Datum, b: &Datum) -> bool {
    a == b
}
