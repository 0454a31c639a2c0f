//! Expressions for guards, arguments and scripts.
//!
//! Text is parsed into a syntax tree ([`parse_expression`], [`parse_script`]), which is checked
//! against the [`Names`] of its place ([`check`], [`check_script`]). The result is a tree of [`Op`]s
//! that refers to keys only by their [`Slot`], and runs in any [`Scope`].
//!
//! The rules: integers become `float` where one is needed, and `/` always gives `float`.
//! Comparisons in the same direction can be chained (`0 < x < 1`). `&&` and `||` evaluate their
//! second operand only if it matters. A key may be unset: `key != none` tests whether it is set,
//! and reading an unset key is an error.

mod ast;
mod check;
mod eval;
mod functions;
mod parse;
mod print;
mod types;

use crate::diagnostics::Diagnostic;
use crate::lex::{Cursor, lex};
use crate::model::{Code, Dialect, FileId, Literal, Span, Value, ValueKind};

pub use ast::{
    AssignOp, BinaryOp, CompareOp, Expr, ExprKind, Script, Statement, StatementKind, UnaryOp,
};
pub use check::{Checked, check, check_script};
pub use eval::{Datum, EvalError, EvalErrorKind, Op, OpKind, Program, Scope, ScopeMut};
pub use functions::{FUNCTIONS, Function};
pub(crate) use parse::{expression, operand, statement, statements};
pub(crate) use print::{write_key, write_literal};
pub use types::{FunctionId, Key, Names, Signature, Slot, Type};

/// How deep expressions may be nested, and how long a chain of operators may be.
pub const MAX_DEPTH: usize = 200;

/// Reads one expression that stands at `at` (its file and first byte; the end does not matter).
///
/// # Errors
/// All mistakes found. There is at least one.
///
/// ```
/// use tickseed_lang::{expr::parse_expression, model::Span};
/// let expr = parse_expression("battery<0.2&&!charging", Span::default()).unwrap();
/// assert_eq!(expr.to_string(), "battery < 0.2 && !charging");
/// assert!(parse_expression("1 +", Span::default()).is_err());
/// ```
pub fn parse_expression(text: &str, at: Span) -> Result<Expr, Vec<Diagnostic>> {
    whole(text, at, expression)
}

/// Reads a script: statements parted by `;` or line breaks.
///
/// # Errors
/// All mistakes found. There is at least one.
///
/// ```
/// use tickseed_lang::{expr::parse_script, model::Span};
/// let script = parse_script("a = 1; b += a * 2", Span::default()).unwrap();
/// assert_eq!(script.statements.len(), 2);
/// ```
pub fn parse_script(text: &str, at: Span) -> Result<Script, Vec<Diagnostic>> {
    whole(text, at, |cursor| {
        let script = statements(cursor, |_| false);
        if script.statements.is_empty() {
            cursor.expected("a statement such as `key = value`");
        }
        script
    })
}

fn whole<T>(
    text: &str,
    at: Span,
    read: impl FnOnce(&mut Cursor<'_>) -> T,
) -> Result<T, Vec<Diagnostic>> {
    let lexed = lex(text, at.file, at.start as usize);
    let mut cursor = Cursor::new(text, at.file, at.start as usize, &lexed);
    // Nothing follows that a line break could part from it.
    let value = cursor.grouped(read);
    if !cursor.at_end() {
        cursor.expected("the end of the expression");
    }
    if cursor.diagnostics.is_empty() {
        Ok(value)
    } else {
        Err(cursor.diagnostics)
    }
}

/// The canonical spelling of code: what the formatter writes. Code that cannot be read, or is in
/// another dialect, stays as it is.
pub fn canonical(code: &Code) -> String {
    let nowhere = Span {
        file: FileId(0),
        start: 0,
        end: 0,
    };
    match code.dialect {
        Dialect::Tick => match parse_script(&code.text, nowhere) {
            Ok(script) => script.to_string(),
            Err(_) => code.text.trim().to_owned(),
        },
        Dialect::BtCpp => code.text.to_string(),
    }
}

/// The plain value an expression stands for, if it is a constant or a key.
pub(crate) fn simple_value(expr: &Expr) -> Option<ValueKind> {
    match &expr.kind {
        ExprKind::Literal(literal) => Some(ValueKind::Literal(literal.clone())),
        ExprKind::Key(key) => Some(ValueKind::Key(key.clone())),
        ExprKind::List(items) => {
            let items = items.iter().map(|item| match simple_value(item)? {
                kind @ ValueKind::Literal(_) => Some(Value {
                    kind,
                    span: item.span,
                }),
                _ => None,
            });
            Some(ValueKind::Literal(Literal::List(
                items.collect::<Option<_>>()?,
            )))
        }
        _ => None,
    }
}

/// The plain value that code stands for, if it is a constant or a key.
pub(crate) fn simple_code(code: &Code) -> Option<ValueKind> {
    if code.dialect != Dialect::Tick {
        return None;
    }
    simple_value(&parse_expression(&code.text, Span::default()).ok()?)
}
