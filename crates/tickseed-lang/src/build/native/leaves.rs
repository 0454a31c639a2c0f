//! Leaves: check, set, wait, wait until, log, constants.

use tickseed_core::{Context, Cx, LeafError, Node, Status, nodes};

use super::super::Loader;
use super::super::expand::Place;
use super::Lasting;
use crate::board::{FIELDS, HasBoard};
use crate::expr::{BinaryOp, Datum, Op, OpKind, Type, UnaryOp};
use crate::model::{self, Code, Dialect, Literal, ValueKind};

impl<C: HasBoard> Loader<'_, C> {
    pub(super) fn native_leaf(&mut self, node: &model::Node, place: Place) -> Option<Node<C>> {
        let n = nodes::<C>();
        Some(match node.kind.as_str() {
            "success" => n.succeed(),
            "failure" => n.fail(),
            "running" => n.run_forever(),
            "skipped" => n.constant(Status::Skipped),
            "check" => self.check_leaf(node, place)?,
            "set" => self.set(node, place)?,
            "wait" => {
                let value = self.head(node)?;
                match self.lasting(place, value)? {
                    Lasting::Fixed(d) => n.wait(d),
                    Lasting::Between(a, b) => n.wait_between(a, b),
                    Lasting::Computed(computed) => {
                        n.wait_for(move |at: &C::At<'_>| super::as_duration(computed.number(at)))
                    }
                }
            }
            "wait_until" => {
                let value = self.head(node)?;
                let mut made = n.wait_until(self.guard(place.scope, value)?);
                if let Some(value) = node.option("within").and_then(super::value_of) {
                    made = made.within(self.fixed(place, value)?);
                }
                match self.word(node, "otherwise") {
                    Some(word) => made.otherwise(super::status(word)),
                    None => made,
                }
            }
            _ => self.log(node, place)?,
        })
    }

    /// A condition that can fail (a key may be unset) reports that; all others are guards.
    fn check_leaf(&mut self, node: &model::Node, place: Place) -> Option<Node<C>> {
        let value = self.head(node)?;
        let n = nodes::<C>();
        if let ValueKind::Code(Code {
            dialect: Dialect::BtCpp,
            ..
        }) = &value.kind
        {
            return crate::compat::script_condition(self, value, place);
        }
        let computed = self.computed(place.scope, value, &Type::Bool)?;
        if self.cannot_fail(&computed.op) {
            return Some(n.check(self.to_guard(&computed.op)));
        }
        let made = n.instant(
            "check",
            move |cx: &mut Cx<'_, '_, C>| -> Result<bool, LeafError> {
                match computed.value(cx.at()) {
                    Ok(Datum::Bool(b)) => Ok(b),
                    Ok(_) => Err(LeafError::new("the condition is neither true nor false")),
                    Err(message) => Err(LeafError::new(message)),
                }
            },
        );
        Some(made)
    }

    /// Whether an expression has a value whatever the keys are: comparisons of keys that always
    /// have one and constants, joined by and, or, not.
    fn cannot_fail(&self, op: &Op) -> bool {
        match &op.kind {
            OpKind::Const(_) | OpKind::IsSet(_) => true,
            OpKind::Key(slot) => {
                // A published key is read as data, which judges an unset one as different.
                slot.0 >= FIELDS
                    || self
                        .layout
                        .slot(*slot)
                        .is_some_and(|info| info.place.is_some())
            }
            OpKind::ToFloat(a) | OpKind::Unary(UnaryOp::Not, a) => self.cannot_fail(a),
            OpKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.cannot_fail(a) && self.cannot_fail(b)
            }
            OpKind::Compare(a, rest) => {
                self.cannot_fail(a) && rest.iter().all(|(_, b)| self.cannot_fail(b))
            }
            _ => false,
        }
    }

    fn set(&mut self, node: &model::Node, place: Place) -> Option<Node<C>> {
        let value = self.head(node)?;
        if let ValueKind::Code(Code {
            dialect: Dialect::BtCpp,
            ..
        }) = &value.kind
        {
            return crate::compat::script(self, value, place);
        }
        let script = self.assignments(place.scope, value)?;
        let made = nodes::<C>().instant("set", move |cx: &mut Cx<'_, '_, C>| {
            script.run(cx.at_mut()).map_err(LeafError::new)
        });
        Some(made)
    }

    fn log(&mut self, node: &model::Node, place: Place) -> Option<Node<C>> {
        let value = self.head(node)?;
        let n = nodes::<C>();
        if let ValueKind::Literal(Literal::Text(text)) = &value.kind {
            return Some(n.log(text.clone()));
        }
        let computed = self.computed(place.scope, value, &Type::Any)?;
        let made = n.instant("log", move |cx: &mut Cx<'_, '_, C>| {
            let text = match computed.value(cx.at()) {
                Ok(datum) => show(&datum),
                Err(message) => message,
            };
            <C as Context>::log(cx.at_mut(), &text);
        });
        Some(made)
    }
}

/// A value as text for people.
pub(crate) fn show(datum: &Datum) -> String {
    match datum {
        Datum::None => "none".to_owned(),
        Datum::Bool(b) => b.to_string(),
        Datum::Int(i) | Datum::Word(i) => i.to_string(),
        Datum::Float(f) => f.to_string(),
        Datum::Duration(ns) => format!("{:?}", std::time::Duration::from_nanos(ns.unsigned_abs())),
        Datum::Text(text) => text.to_string(),
        Datum::Vec2(v) => format!("({}, {})", v[0], v[1]),
        Datum::Vec3(v) => format!("({}, {}, {})", v[0], v[1], v[2]),
        Datum::List(items) => {
            let items: Vec<_> = items.iter().map(show).collect();
            format!("[{}]", items.join(", "))
        }
        other => format!("{other:?}"),
    }
}
