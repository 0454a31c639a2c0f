//! Expressions and scripts as written.

use crate::model::{KeyRef, Literal, Name, Span};

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole expression, without parentheses around it.
    pub span: Span,
}

/// The sorts of expression.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExprKind {
    /// A constant; never a list.
    Literal(Literal),
    /// `[a, b, c]`.
    List(Vec<Expr>),
    /// A key.
    Key(KeyRef),
    /// `place.x`.
    Member(Box<Expr>, Name),
    /// `-a`, `!a`.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands and what is done with them. `&&` and `||` ask the second only if it matters.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// One comparison or a chain: `1 < a <= b`. True if every neighbouring pair compares so; each
    /// operand is asked at most once.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `condition ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `min(a, b)`.
    Call(Name, Vec<Expr>),
    /// Stands where a mistake was reported.
    Error,
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `!`
    Not,
}

/// Operators between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompareOp {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`: is an element of a list.
    In,
}

/// A script: statements in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// The whole statement.
    pub span: Span,
}

/// The sorts of statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `key = value` and its kin.
    Assign {
        /// The key that is written.
        target: KeyRef,
        /// Where it stands.
        target_span: Span,
        /// How it is written.
        op: AssignOp,
        /// The value.
        value: Expr,
    },
    /// An expression alone.
    Expr(Expr),
}

/// Assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Sub,
    /// `*=`
    Mul,
    /// `/=`
    Div,
}

impl BinaryOp {
    /// Its spelling.
    pub fn mark(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }

    /// How tightly it binds; comparisons are 3, operators before an operand 6.
    pub(crate) fn strength(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Add | BinaryOp::Sub => 4,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 5,
        }
    }
}

/// How tightly comparisons bind.
pub(crate) const COMPARE_STRENGTH: u8 = 3;

impl CompareOp {
    /// Its spelling.
    pub fn mark(self) -> &'static str {
        match self {
            CompareOp::Equal => "==",
            CompareOp::NotEqual => "!=",
            CompareOp::Less => "<",
            CompareOp::LessEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterEqual => ">=",
            CompareOp::In => "in",
        }
    }

    /// Whether `a self b next c` reads as a chain: all the same way round.
    pub(crate) fn chains_with(self, next: CompareOp) -> bool {
        use CompareOp::*;
        matches!(
            (self, next),
            (Less | LessEqual, Less | LessEqual)
                | (Greater | GreaterEqual, Greater | GreaterEqual)
                | (Equal, Equal)
        )
    }
}

impl AssignOp {
    /// Its spelling.
    pub fn mark(self) -> &'static str {
        match self {
            AssignOp::Set => "=",
            AssignOp::Add => "+=",
            AssignOp::Sub => "-=",
            AssignOp::Mul => "*=",
            AssignOp::Div => "/=",
        }
    }

    /// The operation it does before it writes.
    pub fn operation(self) -> Option<BinaryOp> {
        match self {
            AssignOp::Set => None,
            AssignOp::Add => Some(BinaryOp::Add),
            AssignOp::Sub => Some(BinaryOp::Sub),
            AssignOp::Mul => Some(BinaryOp::Mul),
            AssignOp::Div => Some(BinaryOp::Div),
        }
    }
}

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// Calls `visit` for this expression and all inside it, outer ones first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Key(_) | ExprKind::Error => {}
            ExprKind::List(items) | ExprKind::Call(_, items) => {
                items.iter().for_each(|item| item.walk(visit));
            }
            ExprKind::Member(inner, _) | ExprKind::Unary(_, inner) => inner.walk(visit),
            ExprKind::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExprKind::Compare(first, rest) => {
                first.walk(visit);
                rest.iter().for_each(|(_, operand)| operand.walk(visit));
            }
            ExprKind::Conditional(condition, a, b) => {
                condition.walk(visit);
                a.walk(visit);
                b.walk(visit);
            }
        }
    }
}
