//! Values, ports and types.

use super::Parser;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{self, Expr, ExprKind};
use crate::lex::Tok;
use crate::model::{
    Code, Dialect, Direction, KeyDecl, Literal, Name, Port, Span, Value, ValueKind,
};

impl Parser<'_> {
    /// A value: a constant, a key, a range, or an expression.
    pub(super) fn value(&mut self) -> Value {
        let start = self.c.span(self.c.peek());
        if self.c.is("=") {
            self.c.next();
            return Value {
                kind: ValueKind::SameName,
                span: start,
            };
        }
        if self.c.is_word("btcpp") && self.c.peek_at(1).kind == Tok::Text {
            self.c.next();
            let text = self.c.quoted_text().unwrap_or_default();
            return Value::code(text.text, Dialect::BtCpp, start.to(text.span));
        }
        let first = self.expression_value(start, false);
        if !self.c.is("..") {
            return first;
        }
        self.c.next();
        if self.c.line_ended() {
            self.c.expected("the end of the range");
            return first;
        }
        let second_start = self.c.span(self.c.peek());
        let second = self.expression_value(second_start, true);
        let span = first.span.to(second.span);
        Value {
            kind: ValueKind::Range(Box::new(first), Box::new(second)),
            span,
        }
    }

    fn expression_value(&mut self, start: Span, bound: bool) -> Value {
        let before = self.c.position();
        let expr = if bound {
            expr::operand(&mut self.c)
        } else {
            expr::expression(&mut self.c)
        };
        let span = if self.c.position() == before {
            start
        } else {
            start.to(self.c.last_span())
        };
        let kind = self.value_kind(&expr, span);
        Value { kind, span }
    }

    /// The simplest value that says what an expression says.
    pub(super) fn value_kind(&self, expr: &Expr, span: Span) -> ValueKind {
        expr::simple_value(expr).unwrap_or_else(|| {
            let text = self.c.slice(span).to_owned();
            ValueKind::Code(Code {
                text: text.into(),
                dialect: Dialect::Tick,
            })
        })
    }

    /// Ports between parentheses; the next token is the opening one.
    pub(super) fn ports(&mut self) -> Vec<Port> {
        self.c.group += 1;
        let ports = self.ports_inside();
        self.c.group -= 1;
        ports
    }

    fn ports_inside(&mut self) -> Vec<Port> {
        self.c.next();
        let mut ports = Vec::new();
        loop {
            let above = self.above();
            if self.c.is(")") || self.c.at_end() || self.c.is("{") || self.c.is("}") {
                let comments = self.stray(above);
                if let Some(port) = ports.last_mut() {
                    let port: &mut Port = port;
                    port.trivia.leading.extend(comments);
                }
                break;
            }
            let start = self.c.span(self.c.peek());
            let mut port = Port {
                doc: above.doc,
                attributes: above.metadata,
                trivia: above.trivia,
                ..Port::default()
            };
            port.trivia.blank_before = false;
            for direction in [Direction::In, Direction::Out, Direction::InOut] {
                let next = self.c.peek_at(1).kind;
                if self.c.is_word(direction.word()) && matches!(next, Tok::Name | Tok::QuotedName) {
                    self.c.next();
                    port.direction = direction;
                }
            }
            let Some(name) = self.c.name() else {
                self.c.expected("a port such as `in goal: pose`");
                self.skip_to_comma();
                if self.c.eat(",") {
                    continue;
                }
                break;
            };
            port.name = name;
            if self.c.eat(":") {
                port.ty = self.type_name();
            }
            if self.c.eat("=") {
                port.default = Some(self.value());
            }
            port.span = start.to(self.c.last_span());
            ports.push(port);
            let comma = self.c.eat(",");
            if let (Some(comment), Some(port)) = (self.trailing(), ports.last_mut()) {
                port.trivia.trailing = Some(comment);
            }
            if !comma && !self.c.is(")") {
                self.c.expected("`,` or `)` after a port");
                self.skip_to_comma();
                if !self.c.eat(",") {
                    break;
                }
            }
        }
        self.c.eat(")");
        ports
    }

    /// Goes to the next comma, or a place where a list cannot go on.
    fn skip_to_comma(&mut self) {
        while !self.c.at_end() {
            if [",", ")", "{", "}"].iter().any(|mark| self.c.is(mark)) {
                return;
            }
            self.c.next();
        }
    }

    /// A type: a name, perhaps with types between angle brackets, or anything in backticks.
    pub(super) fn type_name(&mut self) -> Option<Name> {
        let start = self.c.span(self.c.peek());
        let mut text = String::new();
        if !self.write_type(&mut text, 0) {
            return None;
        }
        Some(Name::new(text, start.to(self.c.last_span())))
    }

    fn write_type(&mut self, text: &mut String, depth: usize) -> bool {
        let Some(name) = self.c.name() else {
            self.c.expected("a type such as `float` or `list<int>`");
            return false;
        };
        text.push_str(&name.text);
        if depth < 8 && self.c.eat("<") {
            text.push('<');
            loop {
                if !self.write_type(text, depth + 1) {
                    return false;
                }
                if !self.c.eat(",") {
                    break;
                }
                text.push_str(", ");
            }
            if !self.c.expect(">", "to end the type") {
                return false;
            }
            text.push('>');
        }
        true
    }

    /// `name: type = value`, as in `keys`.
    pub(super) fn key_decl(&mut self) -> Option<KeyDecl> {
        let start = self.c.span(self.c.peek());
        let Some(name) = self.c.name() else {
            self.c.expected("a key such as `battery: float = 1.0`");
            return None;
        };
        let ty = if self.c.eat(":") {
            self.type_name()
        } else {
            None
        };
        let initial = if self.c.eat("=") {
            Some(self.value())
        } else {
            None
        };
        if ty.is_none() && initial.is_none() {
            self.c.report(
                Diagnostic::error(
                    "tick::key-without-type",
                    format!("the key `{name}` has no type"),
                )
                .at(name.span, "neither type nor value")
                .help(format!("write `{name}: float` or `{name} = 0.0`")),
            );
        }
        let span = start.to(self.c.last_span());
        Some(KeyDecl {
            name,
            ty,
            initial,
            span,
            ..KeyDecl::default()
        })
    }

    /// A whole number, perhaps negative.
    pub(super) fn int(&mut self) -> Option<i64> {
        match self.value().kind {
            ValueKind::Literal(Literal::Int(number)) => Some(number.value),
            _ => None,
        }
    }

    /// Reports a word that is none of those allowed.
    pub(super) fn unknown(
        &mut self,
        code: &'static str,
        what: &str,
        found: &Name,
        allowed: &[&str],
    ) {
        let near = nearest(found.as_str(), allowed.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if allowed.is_empty() => "it takes none".to_owned(),
            None => format!("known: {}", allowed.join(", ")),
        };
        self.c.report(
            Diagnostic::error(code, format!("{what} `{found}`"))
                .at(found.span, "not known here")
                .help(help),
        );
    }
}

/// Whether an expression holds a mistake.
pub(super) fn is_broken(expr: &Expr) -> bool {
    let mut broken = false;
    expr.walk(&mut |inner| broken |= inner.kind == ExprKind::Error);
    broken
}
