//! Compiles `.tick` expressions and scripts: comparisons to data guards, everything else for the
//! evaluator.

use std::sync::Arc;

use tickseed_core::{Context, Guard, Op as Cmp, Place, Scalar, ScalarType, Source};

use super::Loader;
use super::scope::ScopeId;
use crate::board::{FIELDS, HasBoard, UserFunction, View, ViewMut};
use crate::diagnostics::Diagnostic;
use crate::expr::{
    BinaryOp, Checked, CompareOp, Datum, Expr, ExprKind, Op, OpKind, Program, Script, Slot,
    Statement, StatementKind, Type, UnaryOp, check, check_script, parse_expression, parse_script,
};
use crate::model::{Code, Dialect, Literal, Span, Value, ValueKind};

/// A user's functions, shared by all code of a tree.
pub(crate) type Functions<C> = Arc<[UserFunction<C>]>;

/// A checked expression that can be evaluated in a context.
pub(crate) struct Computed<C: Context> {
    pub(crate) op: Op,
    pub(crate) functions: Functions<C>,
}

impl<C: Context> Clone for Computed<C> {
    fn clone(&self) -> Self {
        Computed {
            op: self.op.clone(),
            functions: Arc::clone(&self.functions),
        }
    }
}

impl<C: HasBoard> Computed<C> {
    /// The value, or what went wrong.
    pub(crate) fn value(&self, at: &C::At<'_>) -> Result<Datum, String> {
        let view = View::<C> {
            at,
            functions: &self.functions,
        };
        self.op
            .eval(&view)
            .map_err(|error| explain::<C>(at, &error, [&self.op]))
    }

    /// The value; what went wrong is noted on the board, whose node raises it.
    pub(crate) fn noted(&self, at: &C::At<'_>) -> Option<Datum> {
        self.value(at)
            .map_err(|message| C::board(at).note(message))
            .ok()
    }

    /// Its opposite.
    pub(crate) fn negated(self) -> Self {
        let span = self.op.span;
        let kind = OpKind::Unary(UnaryOp::Not, Box::new(self.op));
        Computed {
            op: Op { kind, span },
            ..self
        }
    }

    /// The value as a number; zero if there is none, and then an error is noted.
    pub(crate) fn number(&self, at: &C::At<'_>) -> f64 {
        match self.noted(at) {
            Some(Datum::Float(f)) => f,
            Some(Datum::Int(i) | Datum::Duration(i) | Datum::Word(i)) => i as f64,
            Some(Datum::Bool(b)) => f64::from(u8::from(b)),
            _ => 0.0,
        }
    }

    /// Whether the value is true. An expression that fails does not hold, and notes its error.
    pub(crate) fn holds(&self, at: &C::At<'_>) -> bool {
        self.noted(at) == Some(Datum::Bool(true))
    }
}

/// An error of an expression with the names and values of the keys it is about.
pub(crate) fn explain<'o, C: HasBoard>(
    at: &C::At<'_>,
    error: &crate::expr::EvalError,
    ops: impl IntoIterator<Item = &'o Op>,
) -> String {
    if let crate::expr::EvalErrorKind::Unset(slot) = &error.kind {
        let name = slot_name::<C>(at, *slot);
        return format!("the key `{name}` is declared but not set");
    }
    // Only the keys of the part that failed.
    let mut keys: Vec<Slot> = Vec::new();
    for op in ops {
        op.walk(&mut |part| {
            if part.span == error.span {
                part.walk(&mut |inner| {
                    if let OpKind::Key(slot) = &inner.kind
                        && !keys.contains(slot)
                    {
                        keys.push(*slot);
                    }
                });
            }
        });
    }
    if keys.is_empty() {
        return error.to_string();
    }
    let values = keys.iter().map(|slot| {
        let value = crate::board::view::read::<C>(at, *slot);
        let shown = super::native::show(&value);
        format!(
            "`{}` is the {} {shown}",
            slot_name::<C>(at, *slot),
            kind(&value)
        )
    });
    format!("{error} ({})", values.collect::<Vec<_>>().join(", "))
}

fn slot_name<C: HasBoard>(at: &C::At<'_>, slot: Slot) -> String {
    let name = match slot.0.checked_sub(FIELDS) {
        None => {
            let info = C::board(at).layout().slot(slot);
            info.map(|info| info.name.clone())
        }
        Some(field) => {
            let key = C::schema().keys.get(field as usize);
            key.map(|key| key.name.to_owned())
        }
    };
    name.unwrap_or_else(|| "?".to_owned())
}

/// What sort of value it is, as files name types.
fn kind(value: &Datum) -> &'static str {
    match value {
        Datum::None => "unset",
        Datum::Bool(_) => "bool",
        Datum::Int(_) => "int",
        Datum::Float(_) => "float",
        Datum::Text(_) => "text",
        Datum::Duration(_) => "duration",
        Datum::Vec2(_) => "vec2",
        Datum::Vec3(_) => "vec3",
        Datum::List(_) => "list",
        Datum::Word(_) => "word",
        _ => "value",
    }
}

/// A checked script that can be run in a context.
pub(crate) struct Assignments<C: Context> {
    pub(crate) program: Program,
    pub(crate) functions: Functions<C>,
}

impl<C: HasBoard> Assignments<C> {
    pub(crate) fn run(&self, at: &mut C::At<'_>) -> Result<(), String> {
        let mut view = ViewMut::<C> {
            at,
            functions: &self.functions,
            refused: None,
        };
        let result = self.program.run(&mut view);
        let refused = view.refused.take();
        let ops = self.program.steps.iter().map(|(_, op)| op);
        result.map_err(|error| explain::<C>(at, &error, ops))?;
        match refused {
            None => Ok(()),
            Some((slot, value)) => Err(format!(
                "the key `{}` cannot take the {} {}",
                slot_name::<C>(at, slot),
                kind(&value),
                super::native::show(&value)
            )),
        }
    }
}

impl<C: HasBoard> Loader<'_, C> {
    /// A value as an expression of a type, checked.
    pub(crate) fn checked(
        &mut self,
        scope: ScopeId,
        value: &Value,
        wanted: &Type,
    ) -> Option<Checked> {
        let names = self.names(scope);
        let text = match &value.kind {
            ValueKind::Code(Code {
                dialect: Dialect::BtCpp,
                ..
            }) => {
                self.report(
                    Diagnostic::error(
                        "load::dialect",
                        "a script of BehaviorTree.CPP cannot stand here",
                    )
                    .at(value.span, "")
                    .help("write it as an expression of .tick"),
                );
                return None;
            }
            ValueKind::Code(code) => code.text.as_str(),
            ValueKind::Key(key) => {
                // XML makes keys by naming them.
                self.resolve(scope, key, value.span)?;
                let names = self.names(scope);
                let expr = Expr::new(ExprKind::Key(key.clone()), value.span);
                return self.take(check(&expr, wanted, &names));
            }
            ValueKind::Literal(literal) => {
                let expr = literal_expr(literal, value.span);
                return self.take(check(&expr, wanted, &names));
            }
            ValueKind::SameName | ValueKind::Range(..) => {
                self.report(
                    Diagnostic::error("load::value", format!("expected a value of type {wanted}"))
                        .at(value.span, "not one"),
                );
                return None;
            }
        };
        match parse_expression(text, value.span) {
            Ok(expr) => self.take(check(&expr, wanted, &names)),
            Err(errors) => {
                self.diagnostics.extend(errors);
                None
            }
        }
    }

    fn take<T>(&mut self, result: Result<T, Vec<Diagnostic>>) -> Option<T> {
        result
            .map_err(|errors| self.diagnostics.extend(errors))
            .ok()
    }

    /// A value as an expression of a type, ready to be evaluated.
    pub(crate) fn computed(
        &mut self,
        scope: ScopeId,
        value: &Value,
        wanted: &Type,
    ) -> Option<Computed<C>> {
        let op = self.checked(scope, value, wanted)?.op;
        Some(Computed {
            op,
            functions: Arc::clone(&self.functions),
        })
    }

    /// A constant of a type.
    pub(crate) fn constant(
        &mut self,
        scope: ScopeId,
        value: &Value,
        wanted: &Type,
    ) -> Option<Datum> {
        if let Some(datum) = plain(value, wanted) {
            return Some(datum);
        }
        let checked = self.checked(scope, value, wanted)?;
        match checked.op.kind {
            OpKind::Const(datum) => Some(datum),
            _ => {
                self.report(
                    Diagnostic::error("load::constant", "expected a value that stands in the file")
                        .at(value.span, "this can change")
                        .help("the engine is built with this value; write it here"),
                );
                None
            }
        }
    }

    /// Comparisons become data, all else a call of the evaluator.
    pub(crate) fn to_guard(&self, op: &Op) -> Guard<C> {
        self.data_guard(op).unwrap_or_else(|| {
            let computed = Computed::<C> {
                op: op.clone(),
                functions: Arc::clone(&self.functions),
            };
            Guard::from_fn(move |at: &C::At<'_>| computed.holds(at))
        })
    }

    /// The guard of an expression whose outermost part can be data; parts that cannot are calls.
    fn data_guard(&self, op: &Op) -> Option<Guard<C>> {
        match &op.kind {
            OpKind::Const(Datum::Bool(b)) => Some(Guard::constant(*b)),
            OpKind::Key(slot) => {
                let source = self.source(*slot)?;
                (source.ty == ScalarType::Bool)
                    .then(|| Guard::test(source, Cmp::Eq, Scalar::Bool(true)))
            }
            OpKind::Unary(UnaryOp::Not, inner) => Some(!self.data_guard(inner)?),
            OpKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (left, right) = (self.data_guard(a), self.data_guard(b));
                // Two calls in one expression are one call of the whole.
                if left.is_none() && right.is_none() {
                    return None;
                }
                let left = left.unwrap_or_else(|| self.to_guard(a));
                let right = right.unwrap_or_else(|| self.to_guard(b));
                Some(match op {
                    BinaryOp::And => left.and(right),
                    _ => left.or(right),
                })
            }
            OpKind::Compare(first, rest) => {
                let mut left = first.as_ref();
                let mut all: Option<Guard<C>> = None;
                for (op, right) in rest {
                    let one = self.comparison(left, *op, right)?;
                    all = Some(match all {
                        None => one,
                        Some(all) => all.and(one),
                    });
                    left = right;
                }
                all
            }
            _ => None,
        }
    }

    fn comparison(&self, left: &Op, op: CompareOp, right: &Op) -> Option<Guard<C>> {
        let (op, turned) = match op {
            CompareOp::Equal => (Cmp::Eq, Cmp::Eq),
            CompareOp::NotEqual => (Cmp::Ne, Cmp::Ne),
            CompareOp::Less => (Cmp::Lt, Cmp::Gt),
            CompareOp::LessEqual => (Cmp::Le, Cmp::Ge),
            CompareOp::Greater => (Cmp::Gt, Cmp::Lt),
            CompareOp::GreaterEqual => (Cmp::Ge, Cmp::Le),
            _ => return None,
        };
        match (self.operand(left)?, self.operand(right)?) {
            (Operand::Key(source), Operand::Constant(c)) => Some(Guard::test(source, op, c)),
            (Operand::Constant(c), Operand::Key(source)) => Some(Guard::test(source, turned, c)),
            (Operand::Key(a), Operand::Key(b)) => Some(Guard::compare(a, op, b)),
            (Operand::Constant(_), Operand::Constant(_)) => None,
        }
    }

    fn operand(&self, op: &Op) -> Option<Operand> {
        match &op.kind {
            OpKind::Key(slot) => self.source(*slot).map(Operand::Key),
            OpKind::ToFloat(inner) => self.operand(inner),
            OpKind::Const(Datum::Bool(b)) => Some(Operand::Constant(Scalar::Bool(*b))),
            OpKind::Const(Datum::Int(i)) => Some(Operand::Constant(Scalar::Int(*i))),
            OpKind::Const(Datum::Float(f)) => Some(Operand::Constant(Scalar::Float(*f))),
            _ => None,
        }
    }

    /// Where the engine reads a slot as data, if it can.
    fn source(&self, slot: Slot) -> Option<Source> {
        if let Some(field) = slot.0.checked_sub(FIELDS) {
            let info = C::schema().keys.get(field as usize)?;
            return Some(Source {
                key: tickseed_core::KeyId(field as u16),
                ty: info.ty,
                place: info.place,
            });
        }
        let info = self.layout.slot(slot)?;
        let ty = match info.ty {
            Type::Bool => ScalarType::Bool,
            Type::Int => ScalarType::I64,
            Type::Float => ScalarType::F64,
            _ => return None,
        };
        // Only blocks can be read by offset, and the context has one.
        C::BLOCK_IS_BOARD.then_some(())?;
        Some(Source {
            key: crate::board::key_of(slot)?,
            ty,
            place: Place::Block(info.place?),
        })
    }

    /// A script of `.tick`.
    pub(crate) fn assignments(&mut self, scope: ScopeId, value: &Value) -> Option<Assignments<C>> {
        let ValueKind::Code(code) = &value.kind else {
            self.report(
                Diagnostic::error(
                    "load::script",
                    "expected an assignment such as `key = value`",
                )
                .at(value.span, "this does nothing"),
            );
            return None;
        };
        let script: Script = match parse_script(&code.text, value.span) {
            Ok(script) => script,
            Err(errors) => {
                self.diagnostics.extend(errors);
                return None;
            }
        };
        // XML makes keys by naming them.
        for Statement { kind, span } in &script.statements {
            if let StatementKind::Assign { target, .. } = kind
                && !self.scopes[scope].lexical
            {
                self.resolve(scope, target, *span);
            }
        }
        let names = self.names(scope);
        let program = self.take(check_script(&script, &names))?;
        Some(Assignments {
            program,
            functions: Arc::clone(&self.functions),
        })
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.report(Diagnostic::error(code, message).at(span, ""));
    }
}

/// What a literal is where one of its own type is wanted: most constants, told without a checker.
fn plain(value: &Value, wanted: &Type) -> Option<Datum> {
    let ValueKind::Literal(literal) = &value.kind else {
        return None;
    };
    Some(match (literal, wanted) {
        (Literal::Bool(b), Type::Bool) => Datum::Bool(*b),
        (Literal::Int(number), Type::Int) => Datum::Int(number.value),
        (Literal::Float(number), Type::Float) => Datum::Float(number.value),
        (Literal::Duration(number), Type::Duration) => Datum::Duration(number.value),
        (Literal::Text(text), Type::Text) => Datum::Text(text.as_str().into()),
        _ => return None,
    })
}

/// A literal as an expression; lists are no literals there.
fn literal_expr(literal: &Literal, span: Span) -> Expr {
    let kind = match literal {
        Literal::List(items) => {
            let items = items.iter().map(|item| match &item.kind {
                ValueKind::Literal(literal) => literal_expr(literal, item.span),
                _ => Expr::new(ExprKind::Error, item.span),
            });
            ExprKind::List(items.collect())
        }
        other => ExprKind::Literal(other.clone()),
    };
    Expr::new(kind, span)
}

enum Operand {
    Key(Source),
    Constant(Scalar),
}
