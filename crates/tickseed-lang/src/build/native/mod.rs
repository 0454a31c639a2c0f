//! The built-in nodes of `.tick` as engine nodes.

mod choice;
mod decorators;
mod flow;
mod hooks;
mod judged;
mod leaves;

use std::time::Duration;

use tickseed_core::nodes::Preempt;
use tickseed_core::{Node, Status, nodes};

pub(super) use judged::before;
pub(super) use leaves::show;

use super::Loader;
use super::expand::{Made, Place};
use crate::board::HasBoard;
use crate::expr::{Datum, Type};
use crate::model::{self, Attribute, Literal, Value, ValueKind};

/// A duration as a file gives it.
pub(super) enum Lasting<C: HasBoard> {
    Fixed(Duration),
    Between(Duration, Duration),
    Computed(super::Computed<C>),
}

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn native(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        self.check_shape(node);
        match node.kind.as_str() {
            "sequence" | "selector" => self.flow(node, place),
            "parallel" => self.parallel(node, place),
            "recovery" => self.recovery(node, place),
            "filter" | "monitor" => self.guarded(node, place),
            "branch" => self.branch(node, place),
            "if" | "while" => self.conditional(node, place),
            "switch" => self.switch(node, place),
            "utility" => self.utility(node, place),
            "for" => self.for_each(node, place),
            "case" | "default" | "guards" | "work" | "option" | "consider" => {
                self.children(node, place);
                let parents = crate::builtin::builtin(node.kind.as_str()).and_then(|b| b.inside);
                let message = format!(
                    "`{}` only stands in a `{}`",
                    node.kind,
                    parents.unwrap_or_default().join("` or `")
                );
                self.error("load::misplaced", message, node.kind.span);
                None
            }
            "check" | "set" | "wait" | "wait_until" | "log" | "success" | "failure" | "running"
            | "skipped" => self.native_leaf(node, place),
            _ => self.decorator(node, place),
        }
    }

    /// The number of children, and arguments that the node does not take.
    fn check_shape(&mut self, node: &model::Node) {
        let Some(spec) = crate::builtin::builtin(node.kind.as_str()) else {
            return;
        };
        let found = node.children.iter().filter(|child| !child.disabled).count();
        if found < spec.children.min || found > spec.children.max {
            let expected = match (spec.children.min, spec.children.max) {
                (0, 0) => "no children".to_owned(),
                (1, 1) => "one child".to_owned(),
                (min, usize::MAX) => format!("at least {min}"),
                (min, max) => format!("{min} to {max} children"),
            };
            let message = format!("`{}` takes {expected}, found {found}", spec.words);
            self.error("load::children", message, node.kind.span);
        }
        let named = node.arguments().filter(|a| {
            a.name.is_some() && !(spec.name == "for" && matches!(a.name(), "index" | "count"))
        });
        let spans: Vec<_> = named.map(|a| (a.name().to_owned(), a.span)).collect();
        for (name, span) in spans {
            let message = format!("`{}` has no argument `{name}`", spec.words);
            self.error("load::unknown-port", message, span);
        }
    }

    /// The only child.
    pub(super) fn only(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let mut children = self.children(node, place)?;
        // A wrong number was reported with the node's shape.
        if children.len() == 1 {
            children.pop()
        } else {
            None
        }
    }

    /// The child of a part such as `case`, made as a child of the whole.
    pub(super) fn part(&mut self, part: &'d model::Node, place: Place) -> Option<Node<C>> {
        self.check_shape(part);
        let mut made = Vec::new();
        let mut ok = true;
        for child in &part.children {
            match self.written(child, place.scope, Some(place.id)) {
                Made::Node(child) => made.push(child),
                Made::Nothing => {}
                Made::Failed => ok = false,
            }
        }
        match (ok, made.len()) {
            (false, _) | (_, 0) => None,
            (true, 1) => made.pop(),
            // Several children of `work` are a sequence.
            (true, _) => Some(nodes::<C>().sequence(made)),
        }
    }

    /// The argument by position.
    pub(super) fn head<'n>(&mut self, node: &'n model::Node) -> Option<&'n Value> {
        let value = node
            .arguments()
            .find(|a| a.name.is_none())
            .and_then(|a| a.value.as_ref());
        if value.is_none() {
            let message = format!("`{}` needs a value behind it", node.kind);
            self.error("load::missing-value", message, node.kind.span);
        }
        value
    }

    /// The word of an option.
    pub(super) fn word<'n>(&self, node: &'n model::Node, option: &str) -> Option<&'n str> {
        match &node.option(option)?.value {
            Some(Value {
                kind: ValueKind::Literal(Literal::Word(word) | Literal::Text(word)),
                ..
            }) => Some(word),
            _ => None,
        }
    }

    pub(super) fn flag(&self, node: &model::Node, option: &str) -> bool {
        node.option(option).is_some()
    }

    /// A whole number above zero that stands in the file.
    pub(super) fn whole(&mut self, place: Place, value: &Value, what: &str) -> Option<u32> {
        match self.constant(place.scope, value, &Type::Int)? {
            Datum::Int(i) if i >= 1 => match u32::try_from(i) {
                Ok(n) => Some(n),
                Err(_) => {
                    self.error(
                        "load::range",
                        format!("{what} is above {}", u32::MAX),
                        value.span,
                    );
                    None
                }
            },
            _ => {
                self.error(
                    "load::range",
                    format!("{what} must be at least 1"),
                    value.span,
                );
                None
            }
        }
    }

    /// A number that stands in the file.
    pub(super) fn number(&mut self, place: Place, value: &Value) -> Option<f64> {
        match self.constant(place.scope, value, &Type::Float)? {
            Datum::Float(f) => Some(f),
            Datum::Int(i) => Some(i as f64),
            _ => {
                self.error("load::number", "expected a number", value.span);
                None
            }
        }
    }

    /// A duration that stands in the file.
    pub(super) fn fixed(&mut self, place: Place, value: &Value) -> Option<Duration> {
        match self.constant(place.scope, value, &Type::Duration)? {
            Datum::Duration(ns) => self.not_negative(ns, value),
            _ => {
                self.error(
                    "load::duration",
                    "expected a duration such as `500ms`",
                    value.span,
                );
                None
            }
        }
    }

    fn not_negative(&mut self, ns: i64, value: &Value) -> Option<Duration> {
        let duration = u64::try_from(ns).ok().map(Duration::from_nanos);
        if duration.is_none() {
            self.error(
                "load::duration",
                "a duration cannot be negative",
                value.span,
            );
        }
        duration
    }

    /// A duration, a range of durations, or an expression for one.
    pub(super) fn lasting(&mut self, place: Place, value: &Value) -> Option<Lasting<C>> {
        if let ValueKind::Range(least, most) = &value.kind {
            let (least, most) = (self.fixed(place, least), self.fixed(place, most));
            return Some(Lasting::Between(least?, most?));
        }
        let computed = self.computed(place.scope, value, &Type::Duration)?;
        match &computed.op.kind {
            crate::expr::OpKind::Const(Datum::Duration(ns)) => {
                self.not_negative(*ns, value).map(Lasting::Fixed)
            }
            _ => Some(Lasting::Computed(computed)),
        }
    }

    /// Applies `preempt`.
    pub(super) fn preempt(&self, node: &model::Node, made: Node<C>) -> Node<C> {
        match self.word(node, "preempt") {
            Some("before_start") => made.preempt(Preempt::BeforeStart),
            Some(_) => made.preempt(Preempt::AfterStart),
            None => made,
        }
    }
}

/// A final status by its word in options.
pub(super) fn status(word: &str) -> Status {
    match word {
        "success" => Status::Success,
        "skipped" => Status::Skipped,
        _ => Status::Failure,
    }
}

/// The value of an option.
pub(super) fn value_of(option: &Attribute) -> Option<&Value> {
    option.value.as_ref()
}

/// What a computed duration is; negative ones are none.
pub(super) fn as_duration(nanos: f64) -> Duration {
    // The cast saturates, and turns what is no number into zero.
    Duration::from_nanos(nanos as u64)
}
