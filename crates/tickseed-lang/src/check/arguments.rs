//! Arguments against the ports of nodes and the parameters of trees.

use super::Checker;
use super::nodes::type_of;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{Names, Type};
use crate::model::{Attribute, Direction, KeyRef, KeyScope, Node, Port, Value, ValueKind};

impl Checker<'_> {
    /// Checks the arguments of a node against ports; `whose` names the node in messages.
    pub(super) fn arguments(&mut self, node: &Node, ports: &[Port], whose: &str, names: &Names) {
        let mut given: Vec<(&Port, &Attribute)> = Vec::new();
        let mut positions = ports.iter();
        for argument in node.arguments() {
            let port = match &argument.name {
                None => positions.next(),
                Some(name) => ports.iter().find(|port| port.name.text == name.text),
            };
            match port {
                Some(port) => {
                    let first = given.iter().find(|(other, _)| std::ptr::eq(*other, port));
                    if let Some((_, first)) = first {
                        let message = format!("`{}` is given twice", port.name);
                        self.report(
                            Diagnostic::error("tick::duplicate-argument", message)
                                .at(argument.span, "again here")
                                .and(first.span, "first here"),
                        );
                    }
                    given.push((port, argument));
                    if let Some(value) = &argument.value {
                        self.argument(port, value, names);
                    }
                }
                None => self.unknown_argument(argument, ports, whose),
            }
        }
        for port in ports {
            let is_given = given.iter().any(|(other, _)| std::ptr::eq(*other, port));
            // What a node writes may be left unused.
            if !is_given && port.default.is_none() && port.direction != Direction::Out {
                let message = format!("{whose} needs the argument `{}`", port.name);
                self.report(
                    Diagnostic::error("tick::missing-argument", message)
                        .at(node.kind.span, "not given here")
                        .and(port.span, "declared here without a value"),
                );
            }
        }
    }

    fn unknown_argument(&mut self, argument: &Attribute, ports: &[Port], whose: &str) {
        let names: Vec<_> = ports.iter().map(|port| port.name.as_str()).collect();
        let (message, help) = match &argument.name {
            None => (
                format!("{whose} takes {} arguments", ports.len()),
                "this one is too many".to_owned(),
            ),
            Some(name) => (
                format!("{whose} has no argument `{name}`"),
                match nearest(name.as_str(), names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if names.is_empty() => "it takes none".to_owned(),
                    None => format!("known: {}", names.join(", ")),
                },
            ),
        };
        let place = argument
            .name
            .as_ref()
            .map_or(argument.span, |name| name.span);
        self.report(
            Diagnostic::error("tick::unknown-argument", message)
                .at(place, "not known")
                .help(help),
        );
    }

    fn argument(&mut self, port: &Port, value: &Value, names: &Names) {
        let ty = port.ty.as_ref().map_or(Type::Any, |ty| {
            Type::parse(ty.as_str(), |name| names.is_enum(name))
        });
        // `=` is the key of the port's own name.
        let same_name;
        let value = if value.kind == ValueKind::SameName {
            let key = KeyRef {
                scope: KeyScope::Local,
                name: port.name.text.clone(),
            };
            same_name = Value {
                kind: ValueKind::Key(key),
                span: value.span,
            };
            &same_name
        } else {
            value
        };
        if port.direction == Direction::In {
            self.typed(value, &ty, names);
            return;
        }
        let word = port.direction.word();
        let ValueKind::Key(key) = &value.kind else {
            let message = format!("`{}` is `{word}`: it needs a key to write to", port.name);
            self.report(
                Diagnostic::error("tick::out-argument", message)
                    .at(value.span, "not a key")
                    .and(port.span, "declared here"),
            );
            return;
        };
        self.typed(value, &Type::Any, names);
        let Some(found) = names.find(key) else { return };
        if !found.writable {
            let message = format!(
                "`{}` is `{word}`, but `{}` cannot be written here",
                port.name, key.name
            );
            self.report(
                Diagnostic::error("tick::out-argument", message)
                    .at(value.span, "only read")
                    .help("a parameter that is written is declared `out` or `inout`"),
            );
        }
        // What is written must be of the key's type; whole numbers may become `float`.
        if let Some(has) = type_of(value, names)
            && !ty.fits(&has)
        {
            let message = format!("`{}` gives {ty}, but `{}` is {has}", port.name, key.name);
            self.report(
                Diagnostic::error("tick::out-argument", message)
                    .at(value.span, format!("this is {has}"))
                    .and(port.span, format!("this is {ty}")),
            );
        }
    }
}
