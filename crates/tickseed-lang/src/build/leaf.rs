//! Registered nodes: their ports are checked and filled from the file.

use std::sync::Arc;

use tickseed_core::Node;

use super::expand::Place;
use super::{Loader, Whereabouts};
use crate::board::HasBoard;
use crate::compat;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{OpKind, Type};
use crate::model::{
    self, Category, Dialect, Direction, Document, KeyRef, KeyScope, Literal, Value, ValueKind,
};
use crate::registry::{Entry, Gift, Given, Model, PortModel, Ports};

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn registered(
        &mut self,
        entry: &'d Entry<C>,
        node: &'d model::Node,
        place: Place,
    ) -> Option<Node<C>> {
        let children = self.children(node, place);
        let spare = std::mem::take(&mut self.spare);
        let given = self.given_in(spare, node, &entry.model, place);
        let fits = self.count_children(node, &entry.model);
        self.instances[place.id].role = crate::compat::StatusRole::of_model(&entry.model);
        let mut given = given?;
        let mut ports = Ports {
            name: node.name.as_ref().unwrap_or(&node.kind).as_str(),
            span: node.kind.span,
            at: Whereabouts {
                instances: &self.instances,
                scopes: self.layout.scopes(),
                twins: &self.twins,
                id: place.id,
            },
            model: &entry.model,
            given: &given,
            diagnostics: &mut self.diagnostics,
        };
        let children = children?;
        let before = ports.diagnostics.len();
        let made = (entry.make)(&mut ports, children);
        if made.is_none() && fits && ports.diagnostics.len() == before {
            let message = format!("the program makes no node of this `{}`", node.kind);
            let diagnostic = Diagnostic::error("load::not-made", message)
                .at(node.kind.span, "and does not say why")
                .help("the function that it is registered with gives no node: let it report the reason with `Ports::error`");
            ports.diagnostics.push(diagnostic);
        }
        given.clear();
        self.spare = given;
        if fits { made } else { None }
    }

    fn count_children(&mut self, node: &model::Node, model: &Model) -> bool {
        let found = node.children.iter().filter(|child| !child.disabled).count();
        let message = match model.category {
            Category::Decorator if found != 1 => "must have exactly 1 child",
            Category::Control if found == 0 => "must have 1 or more children",
            Category::Action | Category::Condition | Category::Leaf if found > 0 => {
                "must not have any child"
            }
            _ => return true,
        };
        let said = |d: &Diagnostic| {
            d.code == "xml::children"
                && d.primary
                    .as_ref()
                    .is_some_and(|label| label.span == node.kind.span)
        };
        if !self.diagnostics.iter().any(said) {
            let message = format!("The node '{}' {message}, found {found}", node.kind);
            self.error("load::children", message, node.kind.span);
        }
        false
    }

    /// What each port is given, checked against the model; `None` after mistakes.
    pub(crate) fn given<'m>(
        &mut self,
        node: &'d model::Node,
        model: &'m Model,
        place: Place,
    ) -> Option<Vec<Gift<'m>>> {
        self.given_in(Vec::new(), node, model, place)
    }

    /// The same in a list whose room is there already.
    fn given_in<'m>(
        &mut self,
        mut all: Vec<Gift<'m>>,
        node: &'d model::Node,
        model: &'m Model,
        place: Place,
    ) -> Option<Vec<Gift<'m>>> {
        let mut ok = true;
        let mut position = 0;
        for attribute in node.arguments() {
            let Some(value) = &attribute.value else {
                continue;
            };
            let port = match &attribute.name {
                Some(name) => model.ports.iter().find(|p| p.name == name.as_str()),
                None => {
                    position += 1;
                    model.ports.get(position - 1)
                }
            };
            let Some(port) = port else {
                ok = false;
                self.unknown_port(node, model, attribute);
                continue;
            };
            if all.iter().any(|gift| gift.port == port.name) {
                ok = false;
                let message = format!("the port `{}` is given twice", port.name);
                self.error("load::duplicate-argument", message, attribute.span);
                continue;
            }
            match self.give(node, port, value, place) {
                Some(given) => all.push(Gift {
                    port: &port.name,
                    given,
                    span: value.span,
                }),
                None => ok = false,
            }
        }
        // A default of `{key}` is a key of the node's own scope.
        for port in &model.ports {
            if let Some(default) = &port.default
                && default.starts_with('{')
                && !all.iter().any(|gift| gift.port == port.name)
            {
                let value = Value::from_attribute(default, node.kind.span);
                if matches!(value.kind, ValueKind::Key(_) | ValueKind::SameName) {
                    match self.give(node, port, &value, place) {
                        Some(given) => all.push(Gift {
                            port: &port.name,
                            given,
                            span: value.span,
                        }),
                        None => ok = false,
                    }
                }
            }
        }
        ok.then_some(all)
    }

    fn unknown_port(&mut self, node: &model::Node, model: &Model, attribute: &model::Attribute) {
        let name = attribute.name();
        let (message, span) = match &attribute.name {
            Some(own) => (
                format!(
                    "a port with name [{name}] is found in the XML (<{}>) but not in the providedPorts() of its registered node type.",
                    node.kind
                ),
                own.span,
            ),
            None => (
                format!("`{}` takes {} arguments", node.kind, model.ports.len()),
                attribute.span,
            ),
        };
        let xml = self.is_xml(node.kind.span);
        let message = if attribute.name.is_some() && !xml {
            format!("`{}` has no port `{name}`", node.kind)
        } else {
            message
        };
        let known = model.ports.iter().map(|p| p.name.as_str());
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None if model.ports.is_empty() => "it has no ports".to_owned(),
            None => {
                let names: Vec<_> = model.ports.iter().map(|p| p.name.as_str()).collect();
                format!("its ports are {}", names.join(", "))
            }
        };
        self.report(
            Diagnostic::error("load::unknown-port", message)
                .at(span, "not a port")
                .help(help),
        );
    }

    pub(super) fn is_xml(&self, span: model::Span) -> bool {
        let document = self.documents.iter().find(|d| d.file == span.file);
        document.is_some_and(Document::has_btcpp_keys)
    }

    fn give(
        &mut self,
        node: &model::Node,
        port: &PortModel,
        value: &Value,
        place: Place,
    ) -> Option<Given> {
        let same_name;
        let key = match &value.kind {
            ValueKind::Key(key) => key,
            ValueKind::SameName => {
                same_name = KeyRef {
                    scope: KeyScope::Local,
                    name: port.name.as_str().into(),
                };
                &same_name
            }
            ValueKind::Code(code) if code.dialect == Dialect::BtCpp => {
                return Some(Given::Text(code.text.clone()));
            }
            ValueKind::Code(_) => {
                if port.direction != Direction::In {
                    let message = format!("the port `{}` is written: it takes a key", port.name);
                    self.error("load::output", message, value.span);
                    return None;
                }
                let checked = self.checked(place.scope, value, &port.ty)?;
                if let OpKind::Const(datum) = checked.op.kind {
                    return Some(Given::Value(datum));
                }
                let mut calls = false;
                checked
                    .op
                    .walk(&mut |op| calls |= matches!(op.kind, OpKind::User(..)));
                if calls {
                    self.report(
                        Diagnostic::error(
                            "load::function-argument",
                            "arguments cannot call registered functions",
                        )
                        .at(value.span, "")
                        .help("write the result into a key first: `set key = ...`"),
                    );
                    return None;
                }
                return Some(Given::Computed(Arc::new(checked.op)));
            }
            // XML's text is converted by the port's own type, from its exact characters.
            ValueKind::Literal(_) if self.is_xml(value.span) => {
                let text = value.to_attribute();
                let leading = leading_number(&port.ty, &text);
                let read = leading.unwrap_or(&text);
                if let Some(expected) = compat::refused_number(node.kind.as_str(), port, read) {
                    let ty = compat::port_type(node.kind.as_str(), port);
                    let ty = ty.map_or_else(|| port.ty.to_string(), str::to_owned);
                    let message = format!(
                        "The port with name \"{}\" and value \"{text}\" can not be converted to {ty}: {expected}",
                        port.name
                    );
                    self.error("load::port-value", message, value.span);
                    return None;
                }
                let Some(number) = leading else {
                    return Some(Given::Text(text));
                };
                // Who writes `msec="5s"` means no five milliseconds.
                let millis = (port.name.contains("msec"))
                    .then(|| model::parse_duration(&text))
                    .flatten()
                    .map(|nanos| nanos / 1_000_000);
                let help = match millis {
                    Some(ms) => format!("`{}` counts milliseconds: write `{ms}`", port.name),
                    None => format!("write `{number}`"),
                };
                self.report(
                    Diagnostic::warning(
                        "load::trailing-text",
                        format!("`{text}` is read as {number}, as BehaviorTree.CPP does"),
                    )
                    .at(value.span, "what stands behind the number is not looked at")
                    .help(help),
                );
                return Some(Given::Text(number.into()));
            }
            ValueKind::Literal(Literal::None) => {
                return Some(Given::Value(crate::expr::Datum::None));
            }
            // A type that only the code knows is written as text.
            ValueKind::Literal(Literal::Text(text))
                if matches!(port.ty, Type::Opaque(_) | Type::Any) =>
            {
                return Some(Given::Text(text.clone()));
            }
            ValueKind::Literal(Literal::Text(text))
                if !matches!(port.ty, Type::Text | Type::Enum(_)) =>
            {
                return Some(Given::Text(text.clone()));
            }
            ValueKind::Literal(_) => {
                return self
                    .constant(place.scope, value, &port.ty)
                    .map(Given::Value);
            }
            ValueKind::Range(..) => {
                let message = format!("the port `{}` takes one value, not a range", port.name);
                self.error("load::value", message, value.span);
                return None;
            }
        };
        let binding = self.resolve(place.scope, key, value.span)?;
        let fits = match port.direction {
            Direction::In => binding.ty.fits(&port.ty),
            Direction::Out => port.ty.fits(&binding.ty),
            Direction::InOut => binding.ty.fits(&port.ty) && port.ty.fits(&binding.ty),
        };
        if !fits {
            let message = format!(
                "the port `{}` of `{}` is {}, the key `{}` is {}",
                port.name, node.kind, port.ty, key.name, binding.ty
            );
            let mut diagnostic = Diagnostic::error("load::type", message)
                .at(value.span, format!("this is {}", binding.ty));
            if let Some(span) = binding.span {
                diagnostic = diagnostic.and(span, "declared here");
            }
            self.report(diagnostic);
            return None;
        }
        if port.direction != Direction::In && !binding.writable {
            let message = format!("`{}` can only be read here", key.name);
            self.error("load::read-only", message, value.span);
            return None;
        }
        // A queue's entry may be of another type: vectors are taken too.
        let foreign = compat::port_type(node.kind.as_str(), port).filter(|_| port.name != "queue");
        let strong = port.ty != Type::Any || foreign.is_some();
        let name = || match foreign.or_else(|| compat::entry_type_name(&port.ty)) {
            Some(name) => name.to_owned(),
            None => port.ty.to_string(),
        };
        self.entry_type(&key.name, &binding, strong.then_some(&name), value.span)?;
        Some(Given::Key(binding.slot))
    }

    /// XML's rule for the type of an entry: the first strong type that a port gives a key holds.
    /// `strong` names that type, if this port has one.
    fn entry_type(
        &mut self,
        key: &str,
        binding: &super::Binding,
        strong: Option<&dyn Fn() -> String>,
        span: model::Span,
    ) -> Option<()> {
        if binding.ty != Type::Any || binding.slot.0 >= crate::board::FIELDS {
            return Some(());
        }
        let present = self.layout.slot(binding.slot).map(|info| info.mark);
        let Some(strong) = strong else {
            // Any port makes the entry; only a typed one gives it a type.
            if present == Some(crate::board::Mark::ABSENT) {
                self.layout
                    .refine(binding.slot, None, Some(crate::board::Mark::ANY));
            }
            return Some(());
        };
        // An entry that an untyped port made stays untyped.
        if present == Some(crate::board::Mark::ANY) {
            return Some(());
        }
        let name = strong();
        if let Some((first, first_span)) = self.typed.get(&binding.slot).cloned() {
            if first == name || first == "std::string" {
                return Some(());
            }
            let message = format!(
                "The creation of the tree failed because the port [{key}] was initially created with type [{first}] and, later type [{name}] was used somewhere else."
            );
            self.report(
                Diagnostic::error("load::type", message)
                    .at(span, format!("this is {name}"))
                    .and(first_span, format!("this is {first}")),
            );
            return None;
        }
        let mark = self.layout.mark(&name);
        self.typed.insert(binding.slot, (name, span));
        self.layout.refine(binding.slot, None, Some(mark));
        Some(())
    }
}

/// The number that text for a numeric port begins with, if more stands behind it. BehaviorTree.CPP
/// takes it and does not look at the rest; it takes no sign `+` and no space before it.
fn leading_number<'t>(ty: &Type, text: &'t str) -> Option<&'t str> {
    let whole = match ty {
        Type::Int => true,
        Type::Float => false,
        _ => return None,
    };
    let parses = |text: &str| match whole {
        true => text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok(),
        false => text.parse::<f64>().is_ok(),
    };
    if text.len() > 64
        || parses(text)
        || !text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    {
        return None;
    }
    let ends = text.char_indices().map(|(at, _)| at).skip(1);
    let end = ends
        .filter(|end| text[..*end].ends_with(|c: char| c.is_ascii_digit()))
        .filter(|end| parses(&text[..*end]))
        .last()?;
    Some(&text[..end])
}
