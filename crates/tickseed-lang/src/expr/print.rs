//! Writing expressions and scripts in their one canonical form.

use std::fmt::{self, Write};

use super::ast::{COMPARE_STRENGTH, Expr, ExprKind, Script, Statement, StatementKind, UnaryOp};
use crate::lex::{is_plain_name, quote, quote_name};
use crate::model::{KeyRef, KeyScope, Literal, Number};

/// Words that mean something in an expression and so cannot be keys without backticks.
const RESERVED: [&str; 7] = ["true", "false", "none", "and", "or", "not", "in"];

/// How tightly an expression binds.
const CONDITIONAL: u8 = 0;
const PREFIX: u8 = 6;
const ATOM: u8 = 7;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Literal(literal) => write_literal(f, literal),
            ExprKind::List(items) => {
                f.write_char('[')?;
                write_items(f, items)?;
                f.write_char(']')
            }
            ExprKind::Key(key) => write_key(f, key),
            ExprKind::Member(inner, member) => {
                // A number before a dot would read as a fraction.
                let number = matches!(&inner.kind, ExprKind::Literal(literal)
                    if !matches!(literal, Literal::Word(_)));
                write_within(f, inner, if number { ATOM + 1 } else { ATOM })?;
                f.write_char('.')?;
                write_name(f, member.as_str())
            }
            ExprKind::Unary(op, inner) => {
                f.write_char(match op {
                    UnaryOp::Minus => '-',
                    UnaryOp::Not => '!',
                })?;
                write_within(f, inner, PREFIX)
            }
            ExprKind::Binary(op, a, b) => {
                write_within(f, a, op.strength())?;
                write!(f, " {} ", op.mark())?;
                write_within(f, b, op.strength() + 1)
            }
            ExprKind::Compare(first, rest) => {
                write_within(f, first, COMPARE_STRENGTH + 1)?;
                for (op, operand) in rest {
                    write!(f, " {} ", op.mark())?;
                    write_within(f, operand, COMPARE_STRENGTH + 1)?;
                }
                Ok(())
            }
            ExprKind::Conditional(condition, yes, no) => {
                write_within(f, condition, CONDITIONAL + 1)?;
                write!(f, " ? {yes} : {no}")
            }
            ExprKind::Call(name, arguments) => {
                write_name(f, name.as_str())?;
                f.write_char('(')?;
                write_items(f, arguments)?;
                f.write_char(')')
            }
            ExprKind::Error => f.write_str("<error>"),
        }
    }
}

fn write_items(f: &mut fmt::Formatter<'_>, items: &[Expr]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Conditional(..) => CONDITIONAL,
        ExprKind::Binary(op, ..) => op.strength(),
        ExprKind::Compare(..) => COMPARE_STRENGTH,
        ExprKind::Unary(..) => PREFIX,
        // A number with a sign is an operator and a number to readers.
        ExprKind::Literal(
            Literal::Int(Number { raw, .. }) | Literal::Duration(Number { raw, .. }),
        ) if raw.starts_with('-') => PREFIX,
        ExprKind::Literal(Literal::Float(Number { raw, .. })) if raw.starts_with('-') => PREFIX,
        _ => ATOM,
    }
}

/// Writes `expr` in parentheses if it binds more loosely than `least`.
fn write_within(f: &mut fmt::Formatter<'_>, expr: &Expr, least: u8) -> fmt::Result {
    if strength(expr) < least {
        write!(f, "({expr})")
    } else {
        write!(f, "{expr}")
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if is_plain_name(name) && !RESERVED.contains(&name) {
        f.write_str(name)
    } else {
        f.write_str(&quote_name(name))
    }
}

/// A key as expressions write it.
pub(crate) fn write_key(f: &mut impl Write, key: &KeyRef) -> fmt::Result {
    if key.scope == KeyScope::Root {
        f.write_char('@')?;
    }
    if is_plain_name(&key.name) && !RESERVED.contains(&key.name.as_str()) {
        f.write_str(&key.name)
    } else {
        f.write_str(&quote_name(&key.name))
    }
}

/// A constant as expressions write it; lists are [`ExprKind::List`] here.
pub(crate) fn write_literal(f: &mut impl Write, literal: &Literal) -> fmt::Result {
    match literal {
        Literal::None => f.write_str("none"),
        Literal::Bool(value) => write!(f, "{value}"),
        Literal::Int(Number { raw, .. })
        | Literal::Float(Number { raw, .. })
        | Literal::Duration(Number { raw, .. }) => f.write_str(raw),
        Literal::Text(text) => f.write_str(&quote(text)),
        Literal::Word(word) if is_plain_name(word) => write!(f, ".{word}"),
        Literal::Word(word) => write!(f, ".{}", quote_name(word)),
        Literal::List(_) => f.write_str("[]"),
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StatementKind::Assign {
                target, op, value, ..
            } => {
                write_key(f, target)?;
                write!(f, " {} {value}", op.mark())
            }
            StatementKind::Expr(expr) => write!(f, "{expr}"),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, statement) in self.statements.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{statement}")?;
        }
        Ok(())
    }
}
