//! Reading expressions and scripts.

use std::borrow::Cow;

use super::MAX_DEPTH;
use super::ast::{
    AssignOp, BinaryOp, COMPARE_STRENGTH, CompareOp, Expr, ExprKind, Script, Statement,
    StatementKind, UnaryOp,
};
use crate::diagnostics::Diagnostic;
use crate::lex::{Cursor, SMALLEST, Tok, Token, unquote};
use crate::model::{KeyRef, KeyScope, Literal, Number, Span, Str, parse_duration};

/// An expression with the height of its tree.
type Tall = (Expr, usize);

/// Reads one expression; what it cannot read becomes [`ExprKind::Error`] with a message.
pub(crate) fn expression(cursor: &mut Cursor<'_>) -> Expr {
    // Most values stand alone between commas.
    let alone = matches!(cursor.peek_at(1).kind, Tok::Mark("," | ")"))
        && matches!(
            cursor.peek().kind,
            Tok::Name | Tok::Int | Tok::Float | Tok::Duration | Tok::Text
        );
    if alone && !cursor.line_ended() && !cursor.is_word("not") {
        return primary(cursor, 0).0;
    }
    conditional(cursor, 0).0
}

/// Reads an expression that is not followed by `: value`, such as a bound of a range.
pub(crate) fn operand(cursor: &mut Cursor<'_>) -> Expr {
    binary(cursor, COMPARE_STRENGTH + 1, 0).0
}

fn conditional(cursor: &mut Cursor<'_>, depth: usize) -> Tall {
    let (condition, height) = binary(cursor, 0, depth);
    if !cursor.is("?") {
        return (condition, height);
    }
    cursor.next();
    let (yes, yes_height) = nested(cursor, depth, conditional);
    if !cursor.expect(":", "and the value for the other case") {
        return (error(cursor, condition.span), 1);
    }
    let (no, no_height) = nested(cursor, depth, conditional);
    let span = condition.span.to(no.span);
    let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
    grow(
        cursor,
        Expr::new(kind, span),
        height.max(yes_height).max(no_height),
    )
}

/// Goes one level down, or reports that the expression is too deep.
fn nested(
    cursor: &mut Cursor<'_>,
    depth: usize,
    read: impl FnOnce(&mut Cursor<'_>, usize) -> Tall,
) -> Tall {
    if depth < MAX_DEPTH {
        return read(cursor, depth + 1);
    }
    let span = cursor.span(cursor.peek());
    too_deep(cursor, span);
    // The rest of the line is not worth reading.
    while !cursor.at_end() && !cursor.peek().newline_before {
        cursor.next();
    }
    (error(cursor, span), 1)
}

fn grow(cursor: &mut Cursor<'_>, expr: Expr, height: usize) -> Tall {
    if height < MAX_DEPTH {
        return (expr, height + 1);
    }
    too_deep(cursor, expr.span);
    (Expr::new(ExprKind::Error, expr.span), 1)
}

fn too_deep(cursor: &mut Cursor<'_>, span: Span) {
    let message = format!("this expression is nested more than {MAX_DEPTH} levels deep");
    cursor.syntax_error(
        Diagnostic::error("expr::too-deep", message)
            .at(span, "too deep")
            .help("split it, or group the parts of a long chain with parentheses"),
    );
}

fn error(cursor: &Cursor<'_>, from: Span) -> Expr {
    Expr::new(ExprKind::Error, from.to(cursor.last_span()))
}

enum Infix {
    Binary(BinaryOp),
    Compare(CompareOp),
}

impl Infix {
    fn strength(&self) -> u8 {
        match self {
            Infix::Binary(op) => op.strength(),
            Infix::Compare(_) => COMPARE_STRENGTH,
        }
    }
}

fn infix(cursor: &Cursor<'_>) -> Option<Infix> {
    let token = cursor.peek();
    Some(match token.kind {
        Tok::Mark(mark) => match mark {
            "||" => Infix::Binary(BinaryOp::Or),
            "&&" => Infix::Binary(BinaryOp::And),
            "+" => Infix::Binary(BinaryOp::Add),
            "-" => Infix::Binary(BinaryOp::Sub),
            "*" => Infix::Binary(BinaryOp::Mul),
            "/" => Infix::Binary(BinaryOp::Div),
            "%" => Infix::Binary(BinaryOp::Rem),
            "==" => Infix::Compare(CompareOp::Equal),
            "!=" => Infix::Compare(CompareOp::NotEqual),
            "<" => Infix::Compare(CompareOp::Less),
            "<=" => Infix::Compare(CompareOp::LessEqual),
            ">" => Infix::Compare(CompareOp::Greater),
            ">=" => Infix::Compare(CompareOp::GreaterEqual),
            _ => return None,
        },
        // Words are operators only on the line of their operand: a node may be called `or`.
        Tok::Name if !token.newline_before => match cursor.str(token) {
            "or" => Infix::Binary(BinaryOp::Or),
            "and" => Infix::Binary(BinaryOp::And),
            "in" => Infix::Compare(CompareOp::In),
            _ => return None,
        },
        _ => return None,
    })
}

/// Operators that bind at least as tightly as `least`, grouped to the left.
fn binary(cursor: &mut Cursor<'_>, least: u8, depth: usize) -> Tall {
    let (mut left, mut height) = prefix(cursor, depth);
    while let Some(op) = infix(cursor) {
        let strength = op.strength();
        if strength < least {
            break;
        }
        let mark = cursor.next();
        let (right, right_height) = nested(cursor, depth, |c, d| binary(c, strength + 1, d));
        let span = left.span.to(right.span);
        let tallest = height.max(right_height);
        match op {
            Infix::Binary(op) => {
                let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
                (left, height) = grow(cursor, Expr::new(kind, span), tallest);
            }
            Infix::Compare(op) => {
                let mut rest = vec![(op, right)];
                let tallest = chain(cursor, op, &mut rest, tallest, depth, mark);
                let span = rest.last().map_or(span, |(_, last)| span.to(last.span));
                let kind = ExprKind::Compare(Box::new(left), rest);
                (left, height) = grow(cursor, Expr::new(kind, span), tallest);
            }
        }
    }
    (left, height)
}

/// The rest of a chain of comparisons.
fn chain(
    cursor: &mut Cursor<'_>,
    first: CompareOp,
    rest: &mut Vec<(CompareOp, Expr)>,
    mut height: usize,
    depth: usize,
    first_mark: Token,
) -> usize {
    let mut last = first;
    while let Some(Infix::Compare(op)) = infix(cursor) {
        if !last.chains_with(op) {
            let (before, after) = (cursor.span(first_mark), cursor.span(cursor.peek()));
            let message = format!("`{}` cannot be chained with `{}`", last.mark(), op.mark());
            cursor.syntax_error(
                Diagnostic::error("expr::chain", message)
                    .at(after, "second comparison")
                    .and(before, "first comparison")
                    .help("only `a < b < c` and the like can be chained; group with parentheses or use `&&`"),
            );
        }
        cursor.next();
        let (operand, operand_height) =
            nested(cursor, depth, |c, d| binary(c, COMPARE_STRENGTH + 1, d));
        height = height.max(operand_height);
        rest.push((op, operand));
        last = op;
    }
    height
}

fn prefix(cursor: &mut Cursor<'_>, depth: usize) -> Tall {
    let token = cursor.peek();
    // The next line is the next node, not the operand that is missing here.
    if cursor.line_ended() {
        cursor.expected("a value");
        return (Expr::new(ExprKind::Error, cursor.last_span().after()), 1);
    }
    let op = match token.kind {
        Tok::Mark("-") => UnaryOp::Minus,
        Tok::Mark("!") => UnaryOp::Not,
        // `not(x)` stays a call's spelling, and means the same.
        Tok::Name if cursor.str(token) == "not" => UnaryOp::Not,
        _ => return postfix(cursor, depth),
    };
    cursor.next();
    if op == UnaryOp::Minus
        && let Some(smallest) = smallest(cursor)
    {
        let span = cursor.span(token).to(cursor.last_span());
        return (Expr::new(ExprKind::Literal(smallest), span), 1);
    }
    let (operand, height) = nested(cursor, depth, prefix);
    let span = cursor.span(token).to(operand.span);
    if let (UnaryOp::Minus, ExprKind::Literal(literal)) = (op, &operand.kind)
        && let Some(negative) = negate(literal)
    {
        return (Expr::new(ExprKind::Literal(negative), span), height);
    }
    grow(
        cursor,
        Expr::new(ExprKind::Unary(op, Box::new(operand)), span),
        height,
    )
}

/// The smallest whole number, behind its sign: the one that is none without.
fn smallest(cursor: &mut Cursor<'_>) -> Option<Literal> {
    let token = cursor.peek();
    let raw = cursor.str(token);
    (token.kind == Tok::Int && raw.replace('_', "") == SMALLEST).then(|| {
        cursor.next();
        Literal::Int(Number {
            value: i64::MIN,
            raw: format!("-{raw}").into(),
        })
    })
}

/// A number with its sign; `None` for what has no sign or has one already.
pub(crate) fn negate(literal: &Literal) -> Option<Literal> {
    let negative = |raw: &Str| {
        let plain = !raw.starts_with('-');
        plain.then(|| format!("-{raw}"))
    };
    Some(match literal {
        Literal::Int(Number { value, raw }) => Literal::Int(Number {
            value: value.checked_neg()?,
            raw: negative(raw)?.into(),
        }),
        Literal::Float(Number { value, raw }) => Literal::Float(Number {
            value: -value,
            raw: negative(raw)?.into(),
        }),
        Literal::Duration(Number { value, raw }) => Literal::Duration(Number {
            value: value.checked_neg()?,
            raw: negative(raw)?.into(),
        }),
        _ => return None,
    })
}

fn postfix(cursor: &mut Cursor<'_>, depth: usize) -> Tall {
    let (mut expr, mut height) = primary(cursor, depth);
    // `.` binds only without a space, so that `.word` may follow on the same line.
    while cursor.is(".") && cursor.peek().start == cursor.last_span().end {
        cursor.next();
        let Some(member) = cursor.name() else {
            cursor.expected("the name of a member");
            return (error(cursor, expr.span), 1);
        };
        let span = expr.span.to(member.span);
        let kind = ExprKind::Member(Box::new(expr), member);
        (expr, height) = grow(cursor, Expr::new(kind, span), height);
    }
    (expr, height)
}

fn primary(cursor: &mut Cursor<'_>, depth: usize) -> Tall {
    let token = cursor.peek();
    let span = cursor.span(token);
    if let Some(literal) = literal(cursor, token) {
        cursor.next();
        return (Expr::new(ExprKind::Literal(literal), span), 1);
    }
    match token.kind {
        Tok::Name | Tok::QuotedName => {
            let Some(name) = cursor.name() else {
                return (error(cursor, span), 1);
            };
            let next = cursor.peek();
            if cursor.is("(") && next.start == token.end {
                cursor.next();
                let (arguments, height) = cursor.grouped(|c| items(c, depth, ")"));
                let span = span.to(cursor.last_span());
                return grow(
                    cursor,
                    Expr::new(ExprKind::Call(name, arguments), span),
                    height,
                );
            }
            let key = KeyRef {
                scope: KeyScope::Local,
                name: name.text,
            };
            (Expr::new(ExprKind::Key(key), span), 1)
        }
        Tok::Mark("@") => {
            cursor.next();
            let Some(name) = cursor.name() else {
                cursor.expected("the name of a root key");
                return (error(cursor, span), 1);
            };
            let key = KeyRef {
                scope: KeyScope::Root,
                name: name.text,
            };
            (Expr::new(ExprKind::Key(key), span.to(name.span)), 1)
        }
        Tok::Mark(".") => {
            cursor.next();
            let Some(word) = cursor.name() else {
                cursor.expected("a word of an enumeration");
                return (error(cursor, span), 1);
            };
            let literal = Literal::Word(word.text);
            (Expr::new(ExprKind::Literal(literal), span.to(word.span)), 1)
        }
        Tok::Mark("(") => {
            cursor.next();
            let (inner, height) = cursor.grouped(|c| nested(c, depth, conditional));
            if !cursor.expect(")", "to close the parenthesis") {
                return (error(cursor, span), 1);
            }
            (inner, height)
        }
        Tok::Mark("[") => {
            cursor.next();
            let (list, height) = cursor.grouped(|c| items(c, depth, "]"));
            let span = span.to(cursor.last_span());
            grow(cursor, Expr::new(ExprKind::List(list), span), height)
        }
        Tok::Bad => {
            cursor.next();
            (Expr::new(ExprKind::Error, span), 1)
        }
        _ => {
            cursor.expected("a value");
            (Expr::new(ExprKind::Error, cursor.last_span().after()), 1)
        }
    }
}

/// The constant a token stands for.
pub(crate) fn literal(cursor: &Cursor<'_>, token: Token) -> Option<Literal> {
    let raw = cursor.str(token);
    let plain = || match raw.as_bytes().contains(&b'_') {
        true => Cow::Owned(raw.replace('_', "")),
        false => Cow::Borrowed(raw),
    };
    Some(match token.kind {
        Tok::Int => {
            let plain = plain();
            let radix = |digits, radix| i64::from_str_radix(digits, radix);
            let value = match plain.get(..2) {
                Some("0x") => radix(&plain[2..], 16),
                Some("0b") => radix(&plain[2..], 2),
                _ => plain.parse(),
            };
            Literal::Int(Number {
                value: value.ok()?,
                raw: raw.into(),
            })
        }
        Tok::Float => {
            let value = plain().parse().ok()?;
            Literal::Float(Number {
                value,
                raw: raw.into(),
            })
        }
        Tok::Duration => Literal::Duration(Number {
            value: parse_duration(raw)?,
            raw: raw.into(),
        }),
        Tok::Text => Literal::Text(unquote(raw).ok()?),
        Tok::Name => match raw {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "none" => Literal::None,
            _ => return None,
        },
        _ => return None,
    })
}

/// Items up to `close`, with commas between them and perhaps behind them.
fn items(cursor: &mut Cursor<'_>, depth: usize, close: &'static str) -> (Vec<Expr>, usize) {
    let (mut list, mut tallest) = (Vec::new(), 0);
    while !cursor.is(close) {
        let before = cursor.position();
        let (item, height) = nested(cursor, depth, conditional);
        list.push(item);
        tallest = tallest.max(height);
        if !cursor.eat(",") || cursor.position() == before {
            break;
        }
    }
    cursor.expect(close, "or a comma");
    (list, tallest)
}

/// Reads statements until something else follows. Statements are parted by `;` or a line break.
pub(crate) fn statements(
    cursor: &mut Cursor<'_>,
    mut done: impl FnMut(&Cursor<'_>) -> bool,
) -> Script {
    let mut script = Script::default();
    loop {
        while cursor.eat(";") {}
        if done(cursor) || cursor.at_end() {
            return script;
        }
        let before = cursor.position();
        script.statements.push(statement(cursor));
        let next = cursor.peek();
        let parted = cursor.is(";") || next.newline_before || done(cursor);
        if cursor.position() == before || !parted {
            if !parted {
                cursor.expected("`;` or a new line between statements");
            }
            // Go on with the next line or statement.
            while !cursor.at_end()
                && !cursor.is(";")
                && !done(cursor)
                && (cursor.position() == before || !cursor.peek().newline_before)
            {
                cursor.next();
            }
        }
    }
}

/// Reads one statement.
pub(crate) fn statement(cursor: &mut Cursor<'_>) -> Statement {
    let start = cursor.peek();
    let target_length = if cursor.is("@") { 2 } else { 1 };
    let target = cursor.name_text(cursor.peek_at(target_length - 1));
    let (Some(name), Some((op, op_length))) = (target, assign_op(cursor, target_length)) else {
        return lone_expression(cursor);
    };
    let scope = if target_length == 2 {
        KeyScope::Root
    } else {
        KeyScope::Local
    };
    for _ in 0..target_length {
        cursor.next();
    }
    let target_span = cursor.span(start).to(cursor.last_span());
    let op_span = cursor
        .span(cursor.peek())
        .to(cursor.span(cursor.peek_at(op_length - 1)));
    if op_length == 2 {
        cursor.report(
            Diagnostic::error("expr::assignment", "`:=` is spelled `=` here")
                .at(op_span, "assignment of BehaviorTree.CPP")
                .help("declare the key under `keys` and write `=`"),
        );
    }
    for _ in 0..op_length {
        cursor.next();
    }
    let value = expression(cursor);
    let span = target_span.to(value.span);
    let target = KeyRef { scope, name };
    Statement {
        kind: StatementKind::Assign {
            target,
            target_span,
            op,
            value,
        },
        span,
    }
}

/// The assignment `ahead` tokens on and how many tokens it takes.
fn assign_op(cursor: &Cursor<'_>, ahead: usize) -> Option<(AssignOp, usize)> {
    let Tok::Mark(mark) = cursor.peek_at(ahead).kind else {
        return None;
    };
    Some(match mark {
        "=" => (AssignOp::Set, 1),
        "+=" => (AssignOp::Add, 1),
        "-=" => (AssignOp::Sub, 1),
        "*=" => (AssignOp::Mul, 1),
        "/=" => (AssignOp::Div, 1),
        ":" if cursor.is_at(ahead + 1, "=") => (AssignOp::Set, 2),
        _ => return None,
    })
}

fn lone_expression(cursor: &mut Cursor<'_>) -> Statement {
    let mut expr = expression(cursor);
    if assign_op(cursor, 0).is_some() && !cursor.peek().newline_before {
        cursor.report(
            Diagnostic::error("expr::assignment", "only a key can be assigned to")
                .at(expr.span, "not a key")
                .maybe_help(matches!(expr.kind, ExprKind::Member(..)).then(|| {
                    "a vector is written as a whole: `set place = vec2(3, place.y)`".to_owned()
                })),
        );
        cursor.next();
        let value = expression(cursor);
        expr = Expr::new(ExprKind::Error, expr.span.to(value.span));
    }
    let span = expr.span;
    Statement {
        kind: StatementKind::Expr(expr),
        span,
    }
}
