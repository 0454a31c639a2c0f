//! Checks expressions: resolves names to slots, verifies types, computes constants.

mod compare;

use super::eval::{Datum, EvalErrorKind, Op, OpKind, Program, Scope};
use super::functions::{self, FUNCTIONS};
use super::types::{FunctionId, Names, Slot, Type};
use super::{BinaryOp, Expr, ExprKind, Script, StatementKind, UnaryOp};
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{KeyRef, KeyScope, Literal, Name, Span};

/// A checked expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// What it does.
    pub op: Op,
    /// The type of its value.
    pub ty: Type,
}

/// Checks an expression; `wanted` is the type its place needs, [`Type::Any`] if it needs none.
///
/// # Errors
/// All mistakes found.
///
/// ```
/// use tickseed_lang::expr::{Names, Type, check, parse_expression};
/// use tickseed_lang::model::Span;
/// let mut names = Names::new();
/// names.add_key("battery", Type::Float);
/// let expr = parse_expression("batery < 0.2", Span::default()).unwrap();
/// let errors = check(&expr, &Type::Bool, &names).unwrap_err();
/// assert_eq!(errors[0].help.as_deref(), Some("did you mean `battery`?"));
/// ```
pub fn check(expr: &Expr, wanted: &Type, names: &Names) -> Result<Checked, Vec<Diagnostic>> {
    let mut checker = Checker {
        names,
        diagnostics: Vec::new(),
    };
    let checked = checker.expect(expr, wanted);
    if checker.diagnostics.is_empty() {
        Ok(checked)
    } else {
        Err(checker.diagnostics)
    }
}

/// Checks a script.
///
/// # Errors
/// All mistakes found.
pub fn check_script(script: &Script, names: &Names) -> Result<Program, Vec<Diagnostic>> {
    let mut checker = Checker {
        names,
        diagnostics: Vec::new(),
    };
    let mut program = Program::default();
    for statement in &script.statements {
        match &statement.kind {
            StatementKind::Assign {
                target,
                target_span,
                op,
                value,
            } => {
                let step = checker.assignment(target, *target_span, op.operation(), value);
                program.steps.extend(step);
            }
            StatementKind::Expr(expr) => {
                checker.infer(expr, &Type::Any);
                if expr.kind != ExprKind::Error {
                    let help = matches!(expr.kind, ExprKind::Compare(..));
                    let help = help.then(|| "`==` compares; `key = value` assigns".to_owned());
                    checker.report(
                        Diagnostic::error("expr::no-effect", "this statement does nothing")
                            .at(statement.span, "here")
                            .maybe_help(help),
                    );
                }
            }
        }
    }
    if checker.diagnostics.is_empty() {
        Ok(program)
    } else {
        Err(checker.diagnostics)
    }
}

/// A scope without keys, in which constants are worked out.
struct Nothing;

impl Scope for Nothing {
    fn get(&self, _: Slot) -> Datum {
        Datum::None
    }

    fn call(&self, _: FunctionId, _: &[Datum]) -> Result<Datum, String> {
        Err("no functions here".to_owned())
    }
}

struct Checker<'a> {
    names: &'a Names,
    diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Checked {
        self.report(Diagnostic::error(code, message).at(span, "here"))
    }

    /// Reports a mistake; the value in its place fits everything.
    fn report(&mut self, diagnostic: Diagnostic) -> Checked {
        self.diagnostics.push(diagnostic);
        broken(Span::default())
    }

    /// Something has no type: because of a mistake that was reported, or because its key has none.
    fn unclear(&mut self, span: Span) -> Checked {
        if self.diagnostics.is_empty() {
            self.report(
                Diagnostic::error("expr::unclear", "the type of this is not known")
                    .at(span, "here")
                    .help("declare the key with its type"),
            );
        }
        broken(span)
    }

    /// Checks an expression whose place needs a type.
    fn expect(&mut self, expr: &Expr, wanted: &Type) -> Checked {
        let checked = self.infer(expr, wanted);
        self.convert(checked, wanted, expr.span)
    }

    fn convert(&mut self, checked: Checked, wanted: &Type, span: Span) -> Checked {
        if checked.ty == *wanted || *wanted == Type::Any || checked.ty == Type::Any {
            return checked;
        }
        if checked.ty == Type::Int && *wanted == Type::Float {
            return Checked {
                op: to_float(checked.op),
                ty: Type::Float,
            };
        }
        if let (Type::List(_), Type::List(inner), OpKind::List(items)) =
            (&checked.ty, wanted, &checked.op.kind)
            && **inner == Type::Float
            && checked.ty == Type::List(Box::new(Type::Int))
        {
            let items = items.iter().cloned().map(to_float).collect();
            let op = fold(Op {
                kind: OpKind::List(items),
                span,
            });
            return Checked {
                op,
                ty: wanted.clone(),
            };
        }
        if checked.ty.fits(wanted) {
            return Checked {
                ty: wanted.clone(),
                ..checked
            };
        }
        let message = format!("expected {wanted}, found {}", checked.ty);
        let help = match (&checked.ty, wanted) {
            (Type::Float, Type::Int) => Some("`round(x)`, `floor(x)` or `int(x)` make it whole"),
            (Type::Int | Type::Float, Type::Duration) => {
                Some("durations have a unit: `500ms`, `2s`")
            }
            (Type::Int | Type::Float, Type::Bool) => Some("compare it: `x != 0`"),
            (Type::List(_), Type::Int | Type::Float) => {
                Some("`len(x)` is the number of its elements")
            }
            (Type::Text, Type::Enum(_)) => Some("a word is written with a dot before it: `.word`"),
            (_, Type::Text) => Some("`text(x)` makes a text of it"),
            _ => None,
        };
        self.report(
            Diagnostic::error("expr::type", message)
                .at(span, format!("this is {}", checked.ty))
                .maybe_help(help.map(str::to_owned)),
        )
    }

    /// Checks an expression; `wanted` only helps where the expression alone does not tell.
    fn infer(&mut self, expr: &Expr, wanted: &Type) -> Checked {
        let span = expr.span;
        let done = |kind, ty| Checked {
            op: fold(Op { kind, span }),
            ty,
        };
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, span, wanted),
            ExprKind::List(items) => self.list(items, span, wanted),
            ExprKind::Key(key) => match self.key(key, span) {
                Some((slot, ty)) => done(OpKind::Key(slot), ty),
                None => broken(span),
            },
            ExprKind::Member(inner, member) => {
                let inner = self.infer(inner, &Type::Any);
                let members: &[&str] = match inner.ty {
                    Type::Vec2 => &["x", "y"],
                    Type::Vec3 => &["x", "y", "z"],
                    Type::Any => return self.unclear(span),
                    _ => &[],
                };
                match members.iter().position(|name| *member == **name) {
                    Some(index) => done(OpKind::Member(Box::new(inner.op), index), Type::Float),
                    None => {
                        let message = format!("{} has no member `{member}`", inner.ty);
                        let help = if members.is_empty() {
                            "only vectors have members".to_owned()
                        } else {
                            format!("its members are {}", members.join(", "))
                        };
                        self.report(
                            Diagnostic::error("expr::unknown-member", message)
                                .at(member.span, "not known")
                                .help(help),
                        )
                    }
                }
            }
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let inner = self.expect(inner, &Type::Bool);
                done(OpKind::Unary(UnaryOp::Not, Box::new(inner.op)), Type::Bool)
            }
            ExprKind::Unary(op, inner) => {
                let inner_span = inner.span;
                let inner = self.infer(inner, wanted);
                match inner.ty {
                    Type::Any => self.unclear(span),
                    Type::Int | Type::Float | Type::Duration | Type::Vec2 | Type::Vec3 => {
                        let ty = inner.ty;
                        self.folded(OpKind::Unary(*op, Box::new(inner.op)), ty, span)
                    }
                    ty => {
                        let message = format!("expected a number after `-`, found {ty}");
                        self.error("expr::type", message, inner_span)
                    }
                }
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let a = self.expect(a, &Type::Bool);
                let b = self.expect(b, &Type::Bool);
                done(
                    OpKind::Binary(*op, Box::new(a.op), Box::new(b.op)),
                    Type::Bool,
                )
            }
            ExprKind::Binary(op, a, b) => self.arithmetic(*op, a, b, span),
            ExprKind::Compare(first, rest) => self.compare(first, rest, span),
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.expect(condition, &Type::Bool);
                let (yes_span, no_span) = (yes.span, no.span);
                let (yes, no) = self.pair(yes, no, wanted);
                let Some(ty) = yes.ty.join(&no.ty) else {
                    let message = format!("one case is {}, the other {}", yes.ty, no.ty);
                    return self.report(
                        Diagnostic::error("expr::type", message)
                            .at(no_span, format!("this is {}", no.ty))
                            .and(yes_span, format!("this is {}", yes.ty)),
                    );
                };
                let yes = self.convert(yes, &ty, yes_span).op;
                let no = self.convert(no, &ty, no_span).op;
                done(
                    OpKind::Conditional(condition.op.into(), yes.into(), no.into()),
                    ty,
                )
            }
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::Error => self.unclear(span),
        }
    }

    /// An operation that may fail on constants: then it is reported now.
    fn folded(&mut self, kind: OpKind, ty: Type, span: Span) -> Checked {
        let op = Op { kind, span };
        if constant_operands(&op) {
            match op.eval(&Nothing) {
                Ok(datum) => {
                    return Checked {
                        op: Op {
                            kind: OpKind::Const(datum),
                            span,
                        },
                        ty,
                    };
                }
                Err(error) if !matches!(error.kind, EvalErrorKind::Unset(_)) => {
                    return self.report(error.diagnostic(self.names));
                }
                Err(_) => {}
            }
        }
        Checked { op, ty }
    }

    fn literal(&mut self, literal: &Literal, span: Span, wanted: &Type) -> Checked {
        let (datum, ty) = match literal {
            Literal::None => {
                let message = "`none` can only be compared with a key or assigned to one";
                return self.error("expr::none", message, span);
            }
            Literal::Bool(value) => (Datum::Bool(*value), Type::Bool),
            Literal::Int(number) => (Datum::Int(number.value), Type::Int),
            Literal::Float(number) => (Datum::Float(number.value), Type::Float),
            Literal::Duration(number) => (Datum::Duration(number.value), Type::Duration),
            Literal::Text(text) => (Datum::Text(text.as_str().into()), Type::Text),
            Literal::Word(word) => return self.word(word, span, wanted),
            Literal::List(_) => (Datum::List([].into()), Type::List(Box::new(Type::Any))),
        };
        Checked {
            op: Op {
                kind: OpKind::Const(datum),
                span,
            },
            ty,
        }
    }

    fn word(&mut self, word: &str, span: Span, wanted: &Type) -> Checked {
        let Type::Enum(of) = wanted else {
            let message = match wanted {
                Type::Any => format!("it is not clear which enumeration `.{word}` belongs to"),
                ty => format!("expected {ty}, found the word `.{word}`"),
            };
            let help = "a word stands beside a key of its enumeration: `mode == .fight`";
            return self.report(
                Diagnostic::error("expr::word", message)
                    .at(span, "here")
                    .help(help),
            );
        };
        if let Some(datum) = self.names.word(of, word) {
            return Checked {
                op: Op {
                    kind: OpKind::Const(datum),
                    span,
                },
                ty: wanted.clone(),
            };
        }
        let words: Vec<_> = self
            .names
            .words(of)
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let help = match nearest(word, words.iter().copied()) {
            Some(near) => format!("did you mean `.{near}`?"),
            None => format!("its words are {}", words.join(", ")),
        };
        self.report(
            Diagnostic::error("expr::word", format!("{of} has no word `{word}`"))
                .at(span, "not known")
                .help(help),
        )
    }

    fn list(&mut self, items: &[Expr], span: Span, wanted: &Type) -> Checked {
        let inner = match wanted {
            Type::List(inner) => inner.as_ref(),
            _ => &Type::Any,
        };
        let checked: Vec<_> = items.iter().map(|item| self.infer(item, inner)).collect();
        let mut ty = inner.clone();
        for (item, expr) in checked.iter().zip(items) {
            let Some(joined) = ty.join(&item.ty) else {
                let like = match inner {
                    Type::Any => " like the elements before",
                    _ => "",
                };
                let message = format!("expected {ty}{like}, found {}", item.ty);
                return self.error("expr::type", message, expr.span);
            };
            ty = joined;
        }
        let ops = checked
            .into_iter()
            .zip(items)
            .map(|(item, expr)| self.convert(item, &ty, expr.span).op)
            .collect();
        let op = fold(Op {
            kind: OpKind::List(ops),
            span,
        });
        Checked {
            op,
            ty: Type::List(Box::new(ty)),
        }
    }

    fn key(&mut self, key: &KeyRef, span: Span) -> Option<(Slot, Type)> {
        if let Some(found) = self.names.find(key) {
            return Some((found.slot, found.ty.clone()));
        }
        self.unknown_key(key, span);
        None
    }

    fn unknown_key(&mut self, key: &KeyRef, span: Span) {
        let known = self.names.keys(key.scope);
        let (mark, what) = match key.scope {
            KeyScope::Local => ("", "key"),
            KeyScope::Root => ("@", "root key"),
        };
        let near = nearest(&key.name, known.iter().copied());
        let is_word = || {
            let enums = self.names.enum_with_word(&key.name)?;
            Some(format!("the word of `{enums}` is written `.{}`", key.name))
        };
        // Words of other languages; a key that is nearly so called is likelier all the same.
        let theirs = match key.name.as_str() {
            "True" | "TRUE" | "yes" => Some("true"),
            "False" | "FALSE" | "no" => Some("false"),
            "None" | "NULL" | "Null" | "null" | "nil" | "nullptr" | "undefined" => Some("none"),
            _ => None,
        };
        let help = near
            .map(|near| format!("did you mean `{mark}{near}`?"))
            .or_else(|| theirs.map(|word| format!("did you mean `{word}`?")))
            .or_else(is_word)
            .unwrap_or_else(|| "declare it under `keys`, or as a parameter of the tree".to_owned());
        let message = format!("no {what} is called `{}`", key.name);
        self.report(
            Diagnostic::error("expr::unknown-key", message)
                .at(span, "not known here")
                .help(help),
        );
    }

    /// Two operands of which one may tell the type of the other.
    fn pair(&mut self, a: &Expr, b: &Expr, wanted: &Type) -> (Checked, Checked) {
        let vague = |expr: &Expr| {
            let mut word = matches!(expr.kind, ExprKind::Literal(Literal::Word(_)));
            if let ExprKind::List(items) = &expr.kind {
                word = items
                    .iter()
                    .any(|i| matches!(i.kind, ExprKind::Literal(Literal::Word(_))));
            }
            word
        };
        let hint = |ty: &Type| {
            if *ty == Type::Any {
                wanted.clone()
            } else {
                ty.clone()
            }
        };
        if vague(a) && !vague(b) {
            let b = self.infer(b, wanted);
            (self.infer(a, &hint(&b.ty)), b)
        } else {
            let a = self.infer(a, wanted);
            let b = self.infer(b, &hint(&a.ty));
            (a, b)
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Checked {
        use Type::{Duration, Float, Int, Text, Vec2, Vec3};
        let (a_span, b_span) = (a.span, b.span);
        let (a, b) = (self.infer(a, &Type::Any), self.infer(b, &Type::Any));
        if a.ty == Type::Any || b.ty == Type::Any {
            return self.unclear(span);
        }
        let add = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        // The types the operands become, and the result's.
        let types = match (op, &a.ty, &b.ty) {
            (BinaryOp::Add, Text, Text) => Some((Text, Text, Text)),
            (BinaryOp::Div, Int, Int) => Some((Int, Int, Float)),
            (_, Int, Int) => Some((Int, Int, Int)),
            (_, Int | Float, Int | Float) => Some((Float, Float, Float)),
            (BinaryOp::Div, Duration, Duration) => Some((Duration, Duration, Float)),
            (BinaryOp::Rem, Duration, Duration) => Some((Duration, Duration, Duration)),
            (_, Duration, Duration) if add => Some((Duration, Duration, Duration)),
            (BinaryOp::Mul | BinaryOp::Div, Duration, Int | Float) => {
                Some((Duration, Float, Duration))
            }
            (BinaryOp::Mul, Int | Float, Duration) => Some((Float, Duration, Duration)),
            (_, Vec2, Vec2) | (_, Vec3, Vec3) if add => {
                Some((a.ty.clone(), a.ty.clone(), a.ty.clone()))
            }
            (BinaryOp::Mul | BinaryOp::Div, Vec2 | Vec3, Int | Float) => {
                Some((a.ty.clone(), Float, a.ty.clone()))
            }
            (BinaryOp::Mul, Int | Float, Vec2 | Vec3) => Some((Float, b.ty.clone(), b.ty.clone())),
            _ => None,
        };
        let Some((a_type, b_type, ty)) = types else {
            let (mark, a, b) = (op.mark(), a.ty, b.ty);
            let help = match (op, &a, &b) {
                (BinaryOp::Add, Text, _) | (BinaryOp::Add, _, Text) => {
                    Some("`text(x)` makes a text of a number")
                }
                (_, Duration, Int | Float) | (_, Int | Float, Duration) => {
                    Some("durations have a unit: `500ms`, `2s`")
                }
                _ => None,
            };
            return self.report(
                Diagnostic::error(
                    "expr::type",
                    format!("`{mark}` does not work on {a} and {b}"),
                )
                .at(b_span, format!("this is {b}"))
                .and(a_span, format!("this is {a}"))
                .maybe_help(help.map(str::to_owned)),
            );
        };
        let a = self.convert(a, &a_type, a_span).op;
        let b = self.convert(b, &b_type, b_span).op;
        self.folded(OpKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
    }

    fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Checked {
        let builtin = functions::find(name.as_str());
        let user: Vec<_> = self.names.functions(name.as_str()).collect();
        if builtin.is_none() && user.is_empty() {
            arguments.iter().for_each(|argument| {
                self.infer(argument, &Type::Any);
            });
            let known = FUNCTIONS
                .iter()
                .map(|entry| entry.1)
                .chain(self.names.function_names());
            let help = nearest(name.as_str(), known).map(|near| format!("did you mean `{near}`?"));
            let help = help.unwrap_or_else(|| "register it, or write it out".to_owned());
            return self.report(
                Diagnostic::error("expr::unknown-function", format!("no function `{name}`"))
                    .at(name.span, "not known")
                    .help(help),
            );
        }
        // A single function of the user tells what words among the arguments mean.
        let hints = match (&user[..], builtin) {
            ([(_, only)], None) => only.parameters.clone(),
            _ => Vec::new(),
        };
        let before = self.diagnostics.len();
        let checked: Vec<_> = arguments
            .iter()
            .enumerate()
            .map(|(i, argument)| self.infer(argument, hints.get(i).unwrap_or(&Type::Any)))
            .collect();
        if self.diagnostics.len() > before {
            return broken(span);
        }
        let types: Vec<_> = checked.iter().map(|argument| argument.ty.clone()).collect();
        let fitting = user.iter().find(|(_, f)| {
            f.parameters.len() == types.len()
                && types
                    .iter()
                    .zip(&f.parameters)
                    .all(|(ty, parameter)| ty.fits(parameter))
        });
        if let Some((id, function)) = fitting {
            let ops = self.convert_all(checked, &function.parameters, arguments);
            let op = Op {
                kind: OpKind::User(*id, ops),
                span,
            };
            return Checked {
                op,
                ty: function.result.clone(),
            };
        }
        if let Some((function, _)) = builtin
            && let Some((parameters, ty)) = functions::signature(function, &types)
        {
            let ops = self.convert_all(checked, &parameters, arguments);
            return self.folded(OpKind::Call(function, ops), ty, span);
        }
        let list = |types: &[Type]| {
            types
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let usages = user
            .iter()
            .map(|(_, f)| format!("`{name}({})`", list(&f.parameters)));
        let usages: Vec<_> = usages
            .chain(builtin.map(|(_, usage)| format!("`{usage}`")))
            .collect();
        self.report(
            Diagnostic::error(
                "expr::arguments",
                format!("`{name}` does not take ({})", list(&types)),
            )
            .at(span, "called here")
            .help(format!("it is called {}", usages.join(" or "))),
        )
    }

    fn convert_all(&mut self, checked: Vec<Checked>, types: &[Type], from: &[Expr]) -> Vec<Op> {
        let all = checked.into_iter().zip(types).zip(from);
        all.map(|((argument, ty), expr)| self.convert(argument, ty, expr.span).op)
            .collect()
    }

    fn assignment(
        &mut self,
        target: &KeyRef,
        target_span: Span,
        operation: Option<BinaryOp>,
        value: &Expr,
    ) -> Option<(Slot, Op)> {
        let Some(key) = self.names.find(target).cloned() else {
            self.infer(value, &Type::Any);
            self.unknown_key(target, target_span);
            return None;
        };
        if !key.writable {
            let message = format!("the key `{}` cannot be written here", target.name);
            self.report(
                Diagnostic::error("expr::read-only", message)
                    .at(target_span, "only read")
                    .help("a parameter that is written is declared `out` or `inout`"),
            );
        }
        let clears = value.kind == ExprKind::Literal(Literal::None);
        let checked = match operation {
            None if clears => broken(value.span),
            None => self.expect(value, &key.ty),
            Some(op) => {
                let own = Expr::new(ExprKind::Key(target.clone()), target_span);
                let span = target_span.to(value.span);
                let result = self.arithmetic(op, &own, value, span);
                self.convert(result, &key.ty, span)
            }
        };
        Some((key.slot, checked.op))
    }
}

fn broken(span: Span) -> Checked {
    Checked {
        op: Op {
            kind: OpKind::Const(Datum::None),
            span,
        },
        ty: Type::Any,
    }
}

fn to_float(op: Op) -> Op {
    let span = op.span;
    fold(Op {
        kind: OpKind::ToFloat(Box::new(op)),
        span,
    })
}

/// Whether all operands are constants (and there are some).
fn constant_operands(op: &Op) -> bool {
    let constant = |op: &Op| matches!(op.kind, OpKind::Const(_));
    match &op.kind {
        OpKind::ToFloat(a) | OpKind::Member(a, _) | OpKind::Unary(_, a) => constant(a),
        OpKind::Binary(_, a, b) => constant(a) && constant(b),
        OpKind::Compare(a, rest) => constant(a) && rest.iter().all(|(_, b)| constant(b)),
        OpKind::Conditional(a, b, c) => constant(a) && constant(b) && constant(c),
        OpKind::List(items) | OpKind::Call(_, items) => items.iter().all(constant),
        OpKind::Const(_) | OpKind::Key(_) | OpKind::IsSet(_) | OpKind::User(..) => false,
    }
}

/// Works out what is constant.
fn fold(op: Op) -> Op {
    if !constant_operands(&op) {
        return op;
    }
    match op.eval(&Nothing) {
        Ok(datum) => Op {
            kind: OpKind::Const(datum),
            span: op.span,
        },
        Err(_) => op,
    }
}
