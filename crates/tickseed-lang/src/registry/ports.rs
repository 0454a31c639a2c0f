//! What a file gives to the ports of one node, while the node is made.

use std::marker::PhantomData;
use std::sync::Arc;

use super::port::{Const, In, InOut, Out, PortType, Source, told, unfit};
use super::{Model, PortModel};
use crate::build::Whereabouts;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{Datum, Op, Slot, Type};
use crate::model::{Span, Str};

/// What one port was given.
#[derive(Clone, Debug)]
pub enum Given {
    /// Text, to be converted by the port's type.
    Text(Str),
    /// A value.
    Value(Datum),
    /// A key.
    Key(Slot),
    /// An expression of the port's type.
    Computed(Arc<Op>),
}

/// What a port of a node was given, and where.
#[derive(Clone, Debug)]
pub(crate) struct Gift<'m> {
    pub(crate) port: &'m str,
    pub(crate) given: Given,
    pub(crate) span: Span,
}

/// The ports of one node, for whoever makes the node.
#[derive(Debug)]
pub struct Ports<'l> {
    /// The node's name in the file.
    pub name: &'l str,
    /// Where it stands.
    pub span: Span,
    pub(crate) at: Whereabouts<'l>,
    pub(crate) model: &'l Model,
    pub(crate) given: &'l [Gift<'l>],
    pub(crate) diagnostics: &'l mut Vec<Diagnostic>,
}

impl Ports<'_> {
    /// The path that BehaviorTree.CPP would give the node.
    #[must_use]
    pub fn full_path(&self) -> String {
        self.at.full_path()
    }

    /// The node's number in [`Loaded::instances`](crate::build::Loaded::instances).
    pub(crate) fn instance(&self) -> usize {
        self.at.id
    }

    pub(crate) fn parent(&self) -> Option<(String, String)> {
        self.at.parent()
    }

    /// The node's path in the tree, as [`Loaded::path`](crate::build::Loaded::path).
    #[must_use]
    pub fn path(&self) -> String {
        self.at.path()
    }

    /// What a port was given in the file; its default is not looked at.
    #[must_use]
    pub fn given(&self, port: &str) -> Option<&Given> {
        self.given
            .iter()
            .find(|gift| gift.port == port)
            .map(|gift| &gift.given)
    }

    /// Reports a mistake at the node.
    pub fn error(&mut self, message: impl Into<String>) {
        let diagnostic = Diagnostic::error("load::port", message).at(self.span, "");
        self.diagnostics.push(diagnostic);
    }

    fn span_of(&self, port: &str) -> Span {
        self.given
            .iter()
            .find(|gift| gift.port == port)
            .map_or(self.span, |gift| gift.span)
    }

    /// What the port has: what the file gives, or else its default.
    fn source<T: PortType>(&mut self, name: &str) -> Option<Source<T>> {
        let given = self.given;
        let model = self.model;
        let Some(gift) = given.iter().find(|gift| gift.port == name) else {
            return match model.ports.iter().find(|port| port.name == name) {
                Some(PortModel {
                    default: Some(text),
                    ..
                }) => match T::parse(text) {
                    Ok(value) => Some(Source::Constant(value)),
                    Err(expected) => {
                        let model = &self.model.name;
                        let message = format!(
                            "the default `{text}` of the port `{name}` of `{model}` is no {}: {expected}",
                            T::ty()
                        );
                        let diagnostic = Diagnostic::error("load::port-default", message)
                            .at(self.span, "its port is left out here")
                            .help("the program gives the default: correct it there");
                        self.diagnostics.push(diagnostic);
                        None
                    }
                },
                Some(PortModel { optional: true, .. }) => Some(Source::Missing),
                None => {
                    self.undeclared(name);
                    None
                }
                Some(port) => {
                    let message = format!(
                        "`{}` needs its port `{name}` of type {}",
                        model.name, port.ty
                    );
                    self.error(message);
                    None
                }
            };
        };
        match &gift.given {
            Given::Text(text) => self.parsed(name, text, gift.span),
            Given::Value(Datum::None) => Some(Source::Missing),
            Given::Value(datum) => match (T::from_datum(datum), datum) {
                (Some(value), _) => Some(Source::Constant(value)),
                (None, Datum::Text(text)) => self.parsed(name, text, gift.span),
                (None, other) => {
                    let expected = unfit::<T>(other);
                    self.refuse(name, &told(other), &T::ty(), expected, gift.span);
                    None
                }
            },
            Given::Key(slot) => Some(Source::Slot(*slot)),
            Given::Computed(op) => Some(Source::Computed(Arc::clone(op))),
        }
    }

    /// A constant from text.
    fn parsed<T: PortType>(&mut self, name: &str, text: &str, span: Span) -> Option<Source<T>> {
        match T::parse(text) {
            Ok(value) => Some(Source::Constant(value)),
            Err(expected) => {
                self.refuse(name, text, &T::ty(), expected, span);
                None
            }
        }
    }

    #[cold]
    fn refuse(&mut self, name: &str, text: &str, ty: &Type, expected: String, span: Span) {
        let ports = &self.model.ports;
        let foreign = (ports.iter().find(|port| port.name == name))
            .and_then(|port| crate::compat::port_type(self.model.name.as_str(), port));
        let ty = foreign.map_or_else(|| ty.to_string(), str::to_owned);
        let message = format!(
            "The port with name \"{name}\" and value \"{text}\" can not be converted to {ty}: {expected}"
        );
        let diagnostic = Diagnostic::error("load::port-value", message).at(span, "");
        self.diagnostics.push(diagnostic);
    }

    /// A port that is not in the model can be given by no file: a slip in the program.
    #[cold]
    fn undeclared(&mut self, name: &str) {
        let model = self.model;
        let message = format!(
            "the program asks for a port `{name}`, which the description of `{}` does not have",
            model.name
        );
        let known = model.ports.iter().map(|port| port.name.as_str());
        let help = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        let diagnostic = Diagnostic::error("load::undeclared-port", message)
            .at(self.span, "while this node was made")
            .maybe_help(help);
        self.diagnostics.push(diagnostic);
    }

    /// An input port.
    pub fn input<T: PortType>(&mut self, name: &str) -> Option<In<T>> {
        let source = self.source(name)?;
        Some(In {
            name: name.into(),
            source,
        })
    }

    /// An output port.
    pub fn output<T: PortType>(&mut self, name: &str) -> Option<Out<T>> {
        let slot = match self.given(name) {
            Some(Given::Key(slot)) => Some(*slot),
            Some(_) => {
                let span = self.span_of(name);
                let message = format!("the output port `{name}` takes a key, not a value");
                let diagnostic = Diagnostic::error("load::output", message)
                    .at(span, "expected a key")
                    .help("name the key that the node is to write");
                self.diagnostics.push(diagnostic);
                return None;
            }
            None if !self.model.ports.iter().any(|port| port.name == name) => {
                self.undeclared(name);
                return None;
            }
            None => None,
        };
        Some(Out {
            name: name.into(),
            slot,
            ty: PhantomData,
        })
    }

    /// A port that is read and written.
    pub fn inout<T: PortType>(&mut self, name: &str) -> Option<InOut<T>> {
        let (input, output) = (self.input(name), self.output(name));
        Some(InOut {
            input: input?,
            output: output?,
        })
    }

    /// A value that must stand in the file.
    pub fn constant<T: PortType>(&mut self, name: &str) -> Option<Const<T>> {
        match self.source(name)? {
            Source::Constant(value) => Some(Const(value)),
            Source::Missing => None,
            Source::Slot(_) | Source::Computed(_) => {
                let span = self.span_of(name);
                let message =
                    format!("`{name}` is read once, when the tree is loaded: it takes a value");
                let diagnostic = Diagnostic::error("load::constant", message)
                    .at(span, "not a value")
                    .help("write the value here");
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }
}
