//! Leaves: check, set, wait, wait until, log, constants.

use tickseed_core::{Context, Cx, LeafError, Node, Status, nodes};

use super::super::Loader;
use super::super::expand::Place;
use super::Lasting;
use super::judged::noted_if;
use crate::board::HasBoard;
use crate::expr::{Datum, Type};
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
                        let fails = !self.cannot_fail(&computed.op);
                        let made = n.wait_for(move |at: &C::At<'_>| {
                            super::as_duration(computed.number(at))
                        });
                        noted_if(fails, "wait", made)
                    }
                }
            }
            "wait_until" => {
                let value = self.head(node)?;
                let condition = self.computed(place.scope, value, &Type::Bool)?;
                let within = match node.option("within").and_then(super::value_of) {
                    Some(value) => Some(self.fixed(place, value)?),
                    None => None,
                };
                let otherwise = self.word(node, "otherwise").map(super::status);
                if !self.cannot_fail(&condition.op) {
                    let late = otherwise.unwrap_or(Status::Failure);
                    return Some(super::judged::until(condition, within, late));
                }
                let mut made = n.wait_until(self.to_guard(&condition.op));
                if let Some(within) = within {
                    made = made.within(within);
                }
                match otherwise {
                    Some(status) => made.otherwise(status),
                    None => made,
                }
            }
            _ => self.log(node, place)?,
        })
    }

    /// A condition that can fail (a key may be unset) reports that; all others are guards.
    pub(super) fn check_leaf(&mut self, node: &model::Node, place: Place) -> Option<Node<C>> {
        let value = self.head(node)?;
        let n = nodes::<C>();
        if let ValueKind::Code(Code {
            dialect: Dialect::BtCpp,
            ..
        }) = &value.kind
        {
            if cfg!(not(feature = "formats")) {
                return self.no_btcpp(value.span);
            }
            return crate::compat::script_condition(self, value, place);
        }
        let computed = self.computed(place.scope, value, &Type::Bool)?;
        if self.cannot_fail(&computed.op) {
            return Some(n.check(self.to_guard(&computed.op)));
        }
        let made = n.instant("check", move |cx: &mut Cx<'_, '_, C>| {
            super::judged::truth(&computed, cx)
        });
        Some(made)
    }

    fn set(&mut self, node: &model::Node, place: Place) -> Option<Node<C>> {
        let value = self.head(node)?;
        if let ValueKind::Code(Code {
            dialect: Dialect::BtCpp,
            ..
        }) = &value.kind
        {
            if cfg!(not(feature = "formats")) {
                return self.no_btcpp(value.span);
            }
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
                Err(message) => return Err(LeafError::new(message)),
            };
            <C as Context>::log(cx.at_mut(), &text);
            Ok(Status::Success)
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
