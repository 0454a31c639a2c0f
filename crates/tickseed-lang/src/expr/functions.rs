//! The built-in functions.

use super::eval::{Datum, EvalErrorKind, to_float};
use super::types::Type;

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Function {
    /// `abs(x)`
    Abs,
    /// `min(a, b, ...)`
    Min,
    /// `max(a, b, ...)`
    Max,
    /// `clamp(x, low, high)`
    Clamp,
    /// `floor(x)`
    Floor,
    /// `ceil(x)`
    Ceil,
    /// `round(x)`
    Round,
    /// `sqrt(x)`
    Sqrt,
    /// `lerp(a, b, t)`
    Lerp,
    /// `distance(a, b)`
    Distance,
    /// `length(v)`
    Length,
    /// `len(x)`
    Len,
    /// `vec2(x, y)`
    Vec2,
    /// `vec3(x, y, z)`
    Vec3,
    /// `int(x)`
    Int,
    /// `float(x)`
    Float,
    /// `text(x)`
    Text,
    /// `seconds(d)`
    Seconds,
}

/// All built-in functions: name, how they are called, what they give.
pub const FUNCTIONS: &[(Function, &str, &str, &str)] = &[
    (
        Function::Abs,
        "abs",
        "abs(x)",
        "the number or duration without its sign",
    ),
    (
        Function::Min,
        "min",
        "min(a, b, ...)",
        "the least of numbers or durations",
    ),
    (
        Function::Max,
        "max",
        "max(a, b, ...)",
        "the greatest of numbers or durations",
    ),
    (
        Function::Clamp,
        "clamp",
        "clamp(x, low, high)",
        "x, moved between the bounds",
    ),
    (
        Function::Floor,
        "floor",
        "floor(x)",
        "the whole number below, as int",
    ),
    (
        Function::Ceil,
        "ceil",
        "ceil(x)",
        "the whole number above, as int",
    ),
    (
        Function::Round,
        "round",
        "round(x)",
        "the nearest whole number, halves away from zero, as int",
    ),
    (Function::Sqrt, "sqrt", "sqrt(x)", "the square root"),
    (
        Function::Lerp,
        "lerp",
        "lerp(a, b, t)",
        "between a (t = 0) and b (t = 1), numbers or vectors",
    ),
    (
        Function::Distance,
        "distance",
        "distance(a, b)",
        "between two numbers or vectors",
    ),
    (Function::Length, "length", "length(v)", "of a vector"),
    (
        Function::Len,
        "len",
        "len(x)",
        "the number of elements of a list, or characters of a text",
    ),
    (
        Function::Vec2,
        "vec2",
        "vec2(x, y)",
        "a vector of two numbers",
    ),
    (
        Function::Vec3,
        "vec3",
        "vec3(x, y, z)",
        "a vector of three numbers",
    ),
    (
        Function::Int,
        "int",
        "int(x)",
        "a number without its fraction, a bool as 0 or 1, a word's number",
    ),
    (Function::Float, "float", "float(x)", "a number as float"),
    (
        Function::Text,
        "text",
        "text(x)",
        "a bool, number, duration or text as text",
    ),
    (
        Function::Seconds,
        "seconds",
        "seconds(d)",
        "a duration in seconds",
    ),
];

/// The built-in called `name`.
pub(super) fn find(name: &str) -> Option<(Function, &'static str)> {
    FUNCTIONS
        .iter()
        .find(|entry| entry.1 == name)
        .map(|entry| (entry.0, entry.2))
}

/// The types the arguments become and the type of the result; `None` if the arguments do not fit.
pub(super) fn signature(function: Function, arguments: &[Type]) -> Option<(Vec<Type>, Type)> {
    use Function as F;
    // All arguments as one type.
    let joined = || {
        let mut types = arguments.iter();
        let first = types.next()?.clone();
        types.try_fold(first, |all, ty| all.join(ty))
    };
    let same = |ty: Type| (vec![ty.clone(); arguments.len()], ty);
    let is_vector = |ty: &Type| matches!(ty, Type::Vec2 | Type::Vec3);
    let scalar = |ty: &Type| ty.is_number() || *ty == Type::Duration;
    let floats = |count: usize| {
        let fit = arguments.len() == count && arguments.iter().all(|ty| ty.fits(&Type::Float));
        fit.then(|| vec![Type::Float; count])
    };
    match (function, arguments) {
        (F::Abs, [_]) => joined().filter(scalar).map(same),
        (F::Min | F::Max, [_, _, ..]) => joined().filter(scalar).map(same),
        (F::Clamp, [_, _, _]) => joined().filter(scalar).map(same),
        (F::Floor | F::Ceil | F::Round, _) => Some((floats(1)?, Type::Int)),
        (F::Sqrt, _) => Some((floats(1)?, Type::Float)),
        (F::Lerp, [a, b, t]) if t.fits(&Type::Float) => {
            let ty = a.join(b).filter(|ty| ty.is_number() || is_vector(ty))?;
            let ty = if ty.is_number() { Type::Float } else { ty };
            Some((vec![ty.clone(), ty.clone(), Type::Float], ty))
        }
        (F::Distance, [_, _]) => {
            let ty = joined().filter(|ty| ty.is_number() || is_vector(ty))?;
            let ty = if ty.is_number() { Type::Float } else { ty };
            Some((vec![ty.clone(), ty], Type::Float))
        }
        (F::Length, [ty]) if is_vector(ty) => Some((vec![ty.clone()], Type::Float)),
        (F::Len, [ty @ (Type::List(_) | Type::Text)]) => Some((vec![ty.clone()], Type::Int)),
        (F::Vec2, _) => Some((floats(2)?, Type::Vec2)),
        (F::Vec3, _) => Some((floats(3)?, Type::Vec3)),
        (F::Int, [ty @ (Type::Bool | Type::Int | Type::Float | Type::Enum(_))]) => {
            Some((vec![ty.clone()], Type::Int))
        }
        (F::Float, _) => Some((floats(1)?, Type::Float)),
        (F::Text, [ty @ (Type::Bool | Type::Int | Type::Float | Type::Duration | Type::Text)]) => {
            Some((vec![ty.clone()], Type::Text))
        }
        (F::Seconds, [Type::Duration]) => Some((vec![Type::Duration], Type::Float)),
        _ => None,
    }
}

/// Calls a built-in with arguments that the checker has converted.
pub(super) fn call(function: Function, arguments: &[Datum]) -> Result<Datum, EvalErrorKind> {
    use Datum::{Bool, Duration, Float, Int, Text, Vec2, Vec3, Word};
    use Function as F;
    let whole = |x: f64| {
        // 2^63 itself does not fit.
        let fits = x >= i64::MIN as f64 && x < i64::MAX as f64;
        fits.then_some(Int(x as i64)).ok_or(EvalErrorKind::Overflow)
    };
    let between = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let norm = |squares: f64| Float(squares.sqrt());
    Ok(match (function, arguments) {
        (F::Abs, [Int(x)]) => Int(x.checked_abs().ok_or(EvalErrorKind::Overflow)?),
        (F::Abs, [Duration(x)]) => Duration(x.checked_abs().ok_or(EvalErrorKind::Overflow)?),
        (F::Abs, [Float(x)]) => Float(x.abs()),
        (F::Min | F::Max, [first, rest @ ..]) => {
            let mut best = first;
            for datum in rest {
                let less = match (datum, best) {
                    (Int(a), Int(b)) | (Duration(a), Duration(b)) => a < b,
                    (Float(a), Float(b)) => a < b,
                    _ => return Err(EvalErrorKind::WrongType),
                };
                if less == (function == F::Min) {
                    best = datum;
                }
            }
            best.clone()
        }
        // The lower bound wins where the bounds are crossed.
        (F::Clamp, [Int(x), Int(low), Int(high)]) => Int(*x.min(high).max(low)),
        (F::Clamp, [Duration(x), Duration(low), Duration(high)]) => Duration(*x.min(high).max(low)),
        (F::Clamp, [Float(x), Float(low), Float(high)]) => Float(x.min(*high).max(*low)),
        (F::Floor, [Float(x)]) => whole(x.floor())?,
        (F::Ceil, [Float(x)]) => whole(x.ceil())?,
        (F::Round, [Float(x)]) => whole(x.round())?,
        (F::Sqrt, [Float(x)]) => Float(x.sqrt()),
        (F::Lerp, [Float(a), Float(b), Float(t)]) => Float(between(*a, *b, *t)),
        (F::Lerp, [Vec2(a), Vec2(b), Float(t)]) => {
            Vec2([between(a[0], b[0], *t), between(a[1], b[1], *t)])
        }
        (F::Lerp, [Vec3(a), Vec3(b), Float(t)]) => Vec3([
            between(a[0], b[0], *t),
            between(a[1], b[1], *t),
            between(a[2], b[2], *t),
        ]),
        (F::Distance, [Float(a), Float(b)]) => Float((a - b).abs()),
        (F::Distance, [Vec2(a), Vec2(b)]) => {
            norm(a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum())
        }
        (F::Distance, [Vec3(a), Vec3(b)]) => {
            norm(a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum())
        }
        (F::Length, [Vec2(v)]) => norm(v.iter().map(|x| x * x).sum()),
        (F::Length, [Vec3(v)]) => norm(v.iter().map(|x| x * x).sum()),
        (F::Len, [Datum::List(items)]) => Int(items.len() as i64),
        (F::Len, [Text(text)]) => Int(text.chars().count() as i64),
        (F::Vec2, [Float(x), Float(y)]) => Vec2([*x, *y]),
        (F::Vec3, [Float(x), Float(y), Float(z)]) => Vec3([*x, *y, *z]),
        (F::Int, [Bool(value)]) => Int((*value).into()),
        (F::Int, [Int(value) | Word(value)]) => Int(*value),
        (F::Int, [Float(x)]) => whole(x.trunc())?,
        (F::Float, [datum]) => to_float(datum.clone()),
        (F::Text, [Bool(value)]) => Text(value.to_string().into()),
        (F::Text, [Int(value)]) => Text(value.to_string().into()),
        (F::Text, [Float(value)]) => Text(value.to_string().into()),
        (F::Text, [Duration(nanos)]) => Text(format!("{}s", *nanos as f64 / 1e9).into()),
        (F::Text, [Text(text)]) => Text(text.clone()),
        (F::Seconds, [Duration(nanos)]) => Float(*nanos as f64 / 1e9),
        _ => return Err(EvalErrorKind::WrongType),
    })
}
