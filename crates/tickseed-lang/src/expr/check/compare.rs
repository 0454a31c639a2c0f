//! Comparisons: of values of one type, with `none`, and `in` a list.

use super::super::eval::{Op, OpKind};
use super::super::types::Type;
use super::super::{CompareOp, Expr, ExprKind, UnaryOp};
use super::{Checked, Checker, broken, fold};
use crate::diagnostics::Diagnostic;
use crate::model::{Literal, Span};

impl Checker<'_> {
    pub(super) fn compare(
        &mut self,
        first: &Expr,
        rest: &[(CompareOp, Expr)],
        span: Span,
    ) -> Checked {
        if let [(op @ (CompareOp::Equal | CompareOp::NotEqual), second)] = rest
            && let Some(checked) = self.compare_with_none(first, *op, second, span)
        {
            return checked;
        }
        // Each operand with the next one tells the types; a chain has one type throughout.
        let mut operands = Vec::with_capacity(rest.len() + 1);
        let [(op, second), others @ ..] = rest else {
            return broken(span);
        };
        if *op == CompareOp::In {
            let (element, list) = if let ExprKind::List(_) = second.kind {
                let element = self.infer(first, &Type::Any);
                let list = self.infer(second, &Type::List(Box::new(element.ty.clone())));
                (element, list)
            } else {
                let list = self.infer(second, &Type::Any);
                let inner = match &list.ty {
                    Type::List(inner) => inner.as_ref().clone(),
                    _ => Type::Any,
                };
                (self.infer(first, &inner), list)
            };
            return self.is_in(element, first.span, list, second.span, span);
        }
        let (a, b) = self.pair(first, second, &Type::Any);
        operands.push((a, first.span));
        operands.push((b, second.span));
        for (_, other) in others {
            let hint = operands[0].0.ty.clone();
            let other_checked = self.infer(other, &hint);
            operands.push((other_checked, other.span));
        }
        let mut ty = Type::Any;
        for (operand, operand_span) in &operands {
            let Some(joined) = ty.join(&operand.ty) else {
                let message = format!("{ty} cannot be compared with {}", operand.ty);
                let before = operands[0].1;
                let help = match (&ty, &operand.ty) {
                    (Type::Enum(_), Type::Text) | (Type::Text, Type::Enum(_)) => {
                        Some("a word is written with a dot before it: `.word`")
                    }
                    (Type::Duration, Type::Int | Type::Float)
                    | (Type::Int | Type::Float, Type::Duration) => {
                        Some("durations have a unit: `500ms`, `2s`")
                    }
                    _ => None,
                };
                return self.report(
                    Diagnostic::error("expr::type", message)
                        .at(*operand_span, format!("this is {}", operand.ty))
                        .and(before, format!("this is {ty}"))
                        .maybe_help(help.map(str::to_owned)),
                );
            };
            ty = joined;
        }
        let ordered = matches!(
            ty,
            Type::Int | Type::Float | Type::Duration | Type::Text | Type::Enum(_) | Type::Any
        );
        let needs_order = |op: &CompareOp| !matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        if !ordered && let Some((op, _)) = rest.iter().find(|(op, _)| needs_order(op)) {
            let message = format!("`{}` does not work on {ty}", op.mark());
            return self.error("expr::type", message, span);
        }
        let mut ops = operands.into_iter().map(|(operand, span)| {
            let checked = self.convert(operand, &ty, span);
            checked.op
        });
        let Some(first) = ops.next() else {
            return broken(span);
        };
        let rest = rest.iter().map(|(op, _)| *op).zip(ops).collect();
        let op = fold(Op {
            kind: OpKind::Compare(Box::new(first), rest),
            span,
        });
        Checked { op, ty: Type::Bool }
    }

    /// `key == none`, `none != key`.
    fn compare_with_none(
        &mut self,
        a: &Expr,
        op: CompareOp,
        b: &Expr,
        span: Span,
    ) -> Option<Checked> {
        let is_none = |expr: &Expr| expr.kind == ExprKind::Literal(Literal::None);
        let other = match (is_none(a), is_none(b)) {
            (true, _) => b,
            (_, true) => a,
            _ => return None,
        };
        let ExprKind::Key(key) = &other.kind else {
            let message = "only a key can be compared with `none`";
            return Some(self.error("expr::none", message, other.span));
        };
        let Some((slot, _)) = self.key(key, other.span) else {
            return Some(broken(span));
        };
        let mut found = Op {
            kind: OpKind::IsSet(slot),
            span,
        };
        if op == CompareOp::Equal {
            found = Op {
                kind: OpKind::Unary(UnaryOp::Not, Box::new(found)),
                span,
            };
        }
        Some(Checked {
            op: found,
            ty: Type::Bool,
        })
    }

    fn is_in(
        &mut self,
        element: Checked,
        element_span: Span,
        list: Checked,
        list_span: Span,
        span: Span,
    ) -> Checked {
        let inner = match &list.ty {
            Type::List(inner) => inner.as_ref().clone(),
            Type::Any => return self.unclear(span),
            ty => {
                let message = format!("expected a list after `in`, found {ty}");
                return self.error("expr::type", message, list_span);
            }
        };
        let Some(joined) = inner.join(&element.ty) else {
            let message = format!("a list of {inner} never holds {}", element.ty);
            return self.error("expr::type", message, element_span);
        };
        let element = self.convert(element, &joined, element_span).op;
        let list = self
            .convert(list, &Type::List(Box::new(joined)), list_span)
            .op;
        let rest = vec![(CompareOp::In, list)];
        let op = fold(Op {
            kind: OpKind::Compare(Box::new(element), rest),
            span,
        });
        Checked { op, ty: Type::Bool }
    }
}
