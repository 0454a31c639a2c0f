//! Uses of trees in trees.

use std::sync::Arc;

use super::expand::{Made, Place};
use super::scope::Scope;
use super::{Assignments, Loader};
use crate::board::HasBoard;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{Datum, Op, OpKind, Program, Slot, Type};
use crate::load::there_are;
use crate::model::{self, Direction, KeyRef, KeyScope, Span, Value, ValueKind};

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn subtree(&mut self, node: &'d model::Node, place: Place) -> Made<C> {
        let name = node.kind.as_str();
        let Some((document, tree)) = self.trees.get(name).copied() else {
            let said = |d: &Diagnostic| d.code == "xml::no-id";
            if name.is_empty() && self.diagnostics.iter().any(said) {
                return Made::Failed;
            }
            let help = nearest(name, self.trees.keys().copied())
                .map(|near| format!("did you mean `{near}`?"))
                .or_else(|| there_are(self.trees.keys().copied()));
            let message = format!("Can't find a tree with name: {name}");
            self.report(
                Diagnostic::error("load::unknown-tree", message)
                    .at(node.kind.span, "not declared")
                    .maybe_help(help),
            );
            return Made::Failed;
        };
        if !node.children.is_empty() && document.format != model::Format::Xml {
            self.error(
                "load::subtree-children",
                format!("`{name}` is a tree: it takes no children"),
                node.kind.span,
            );
            return Made::Failed;
        }
        if let Some(from) = self.open.iter().position(|(open, _)| *open == name) {
            self.cycle(name, node.kind.span, from);
            return Made::Failed;
        }
        if self.open.len() >= crate::model::MAX_DEPTH {
            let message = format!(
                "trees use each other more than {} deep",
                crate::model::MAX_DEPTH
            );
            self.error("load::depth", message, node.kind.span);
            return Made::Failed;
        }
        let path = self.whereabouts(place.id).full_path();
        let first = self.subtree_paths.insert(path.clone());
        if !first && document.has_btcpp_keys() {
            let message = format!(
                "Duplicate SubTree path detected: '{path}'. Multiple SubTree nodes with the same 'name' attribute under the same parent are not allowed. Please use unique names or omit the 'name' attribute to auto-generate unique paths."
            );
            let span = node.name.as_ref().map_or(node.kind.span, |name| name.span);
            self.error("load::duplicate-subtree", message, span);
            return Made::Failed;
        }
        let layout = self.layout.add_scope(path.clone());
        let xml = document.has_btcpp_keys();
        self.scopes.push(Scope {
            parent: Some(place.scope),
            layout,
            lexical: !xml,
            ..Scope::default()
        });
        let scope = self.scopes.len() - 1;
        self.instances[place.id].subtree = Some(layout);
        self.instances[place.id].role = crate::compat::StatusRole::Decorator;
        let mut computed = Vec::new();
        if xml {
            self.xml_arguments(node, tree, place, scope);
        } else {
            self.parameters(node, tree, place, scope, &mut computed);
        }
        let body = self.body(tree, scope, Some(place.id));
        if xml {
            self.unnamed(node, tree, scope);
        }
        let body = match body {
            Some(body) if !computed.is_empty() => {
                let program = Program { steps: computed };
                let functions = Arc::clone(&self.functions);
                Some(super::native::before(
                    "arguments",
                    Assignments { program, functions },
                    body,
                ))
            }
            body => body,
        };
        match body {
            Some(body) if self.options.every_node => {
                Made::Node(crate::compat::transparent(body).named(node.kind.text.clone()))
            }
            body => body.into(),
        }
    }

    fn cycle(&mut self, name: &str, span: Span, from: usize) {
        let mut way: Vec<&str> = self.open[from..].iter().map(|(name, _)| *name).collect();
        way.push(name);
        let message = format!(
            "Recursive behavior tree cycle detected: tree '{name}' references itself (directly or indirectly)"
        );
        let help = way.join(" → ");
        let start = self.open[from].1;
        self.report(
            Diagnostic::error("load::recursion", message)
                .at(span, "leads back")
                .and(start, "to this tree")
                .help(help),
        );
    }

    /// BehaviorTree.CPP's rules: an attribute remaps a key or puts a literal into the subtree.
    fn xml_arguments(
        &mut self,
        node: &'d model::Node,
        tree: &'d model::Tree,
        place: Place,
        scope: usize,
    ) {
        let autoremap = node.option("autoremap").is_some_and(|option| {
            let Some(value) = &option.value else {
                return true;
            };
            let text = value.to_attribute();
            <bool as crate::registry::PortType>::parse(&text).unwrap_or_else(|_| {
                let message = format!("`_autoremap` is true or false, found `{text}`");
                self.report(
                    Diagnostic::error("load::autoremap", message)
                        .at(value.span, "")
                        .help("true maps all keys to those of the same name in the parent"),
                );
                false
            })
        });
        self.scopes[scope].autoremap = autoremap;
        for attribute in node.arguments() {
            let Some(value) = &attribute.value else {
                continue;
            };
            self.xml_argument(attribute.name(), value, place, scope);
            let span = attribute.name.as_ref().map_or(value.span, |name| name.span);
            let given = &mut self.scopes[scope].given;
            given.insert(attribute.name().to_owned(), span);
        }
        let documents = self.documents;
        let models = documents.iter().flat_map(|d| d.models()).filter(|model| {
            model.category == model::Category::Subtree && model.name.as_str() == tree.name.as_str()
        });
        let ports = models.flat_map(|model| &model.ports).chain(&tree.params);
        for port in ports {
            let name = port.name.as_str();
            if node.arguments().any(|a| a.name() == name) {
                continue;
            }
            match &port.default {
                Some(value) if !autoremap => self.xml_argument(name, value, place, scope),
                Some(_) => {}
                None if autoremap => {}
                None => {
                    let message = format!(
                        "In the <TreeNodesModel> the <Subtree ID=\"{}\"> is defining a mandatory port called [{name}], but you are not remapping it",
                        tree.name
                    );
                    self.report(
                        Diagnostic::error("load::missing-port", message)
                            .at(node.kind.span, "used here")
                            .and(port.span, "declared here"),
                    );
                }
            }
        }
    }

    /// Warns of what is handed over and not named inside, where a key inside is nearly so called: code
    /// may read keys that no file names, but not that one.
    fn unnamed(&mut self, node: &model::Node, tree: &model::Tree, scope: usize) {
        let mut given: Vec<(String, Span)> = self.scopes[scope].given.drain().collect();
        given.sort_by_key(|(_, span)| span.start);
        for (name, span) in given {
            let here = &self.scopes[scope];
            let own = (here.keys.keys().map(String::as_str))
                .filter(|key| !key.starts_with('_') && !node.arguments().any(|a| a.name() == *key));
            let Some(near) = nearest(&name, own) else {
                continue;
            };
            let diagnostic = Diagnostic::warning(
                "load::unnamed",
                format!("the tree `{}` names no key `{name}`", tree.name),
            )
            .at(span, "not used inside")
            .help(format!("did you mean `{near}`?"));
            self.report(diagnostic);
        }
    }

    fn xml_argument(&mut self, name: &str, value: &Value, _place: Place, scope: usize) {
        let remap = match &value.kind {
            ValueKind::Key(key) => Some(key.clone()),
            ValueKind::SameName => Some(KeyRef {
                scope: KeyScope::Local,
                name: name.to_owned().into(),
            }),
            _ => None,
        };
        if let Some(key) = remap {
            self.scopes[scope].remaps.insert(name.to_owned(), key);
            return;
        }
        let (datum, ty) = literal(&value.to_attribute());
        let mark = self.type_mark(ty);
        match self.new_slot(scope, name, Type::Any, datum, mark, value.span) {
            Ok(slot) => {
                let binding = super::Binding {
                    slot,
                    ty: Type::Any,
                    span: Some(value.span),
                    writable: true,
                };
                self.names = None;
                self.scopes[scope].keys.insert(name.to_owned(), binding);
            }
            Err(diagnostic) => self.report(*diagnostic),
        }
    }

    /// The typed parameters of `.tick`; those that are given as expressions are computed when the
    /// subtree begins.
    fn parameters(
        &mut self,
        node: &'d model::Node,
        tree: &'d model::Tree,
        place: Place,
        scope: usize,
        computed: &mut Vec<(Slot, Op)>,
    ) {
        let mut given: Vec<Option<(&Value, Span)>> = vec![None; tree.params.len()];
        let mut position = 0;
        for attribute in node.arguments() {
            let Some(value) = &attribute.value else {
                continue;
            };
            let at = match &attribute.name {
                Some(name) => {
                    let found = tree
                        .params
                        .iter()
                        .position(|p| p.name.as_str() == name.as_str());
                    if found.is_none() {
                        let known = tree.params.iter().map(|p| p.name.as_str());
                        let help = nearest(name.as_str(), known)
                            .map(|near| format!("did you mean `{near}`?"));
                        let message = format!("the tree `{}` has no parameter `{name}`", tree.name);
                        self.report(
                            Diagnostic::error("load::unknown-port", message)
                                .at(name.span, "not a parameter")
                                .and(tree.name.span, "the tree")
                                .maybe_help(help),
                        );
                    }
                    found
                }
                None => {
                    position += 1;
                    if position > tree.params.len() {
                        let message = format!(
                            "the tree `{}` takes {} arguments",
                            tree.name,
                            tree.params.len()
                        );
                        self.report(
                            Diagnostic::error("load::too-many-arguments", message)
                                .at(value.span, "one too many"),
                        );
                    }
                    (position <= tree.params.len()).then(|| position - 1)
                }
            };
            if let Some(at) = at {
                if given[at].is_some() {
                    let message =
                        format!("the parameter `{}` is given twice", tree.params[at].name);
                    self.error("load::duplicate-argument", message, value.span);
                }
                given[at] = Some((value, attribute.span));
            }
        }
        for (param, given) in tree.params.iter().zip(given) {
            let given = given.map(|(value, _)| value);
            let later = self.parameter(node, tree, param, given, place, scope);
            computed.extend(later);
        }
    }

    fn parameter(
        &mut self,
        node: &model::Node,
        tree: &model::Tree,
        param: &model::Port,
        given: Option<&Value>,
        place: Place,
        scope: usize,
    ) -> Option<(Slot, Op)> {
        let name = param.name.as_str();
        let ty = self.param_type(param);
        let writable = param.direction != Direction::In;
        let key = match given.map(|value| (&value.kind, value.span)) {
            Some((ValueKind::Key(key), span)) => Some((key.clone(), span)),
            Some((ValueKind::SameName, span)) => Some((
                KeyRef {
                    scope: KeyScope::Local,
                    name: name.to_owned().into(),
                },
                span,
            )),
            _ => None,
        };
        if let Some((key, span)) = key {
            // The parameter is the caller's key under another name.
            let binding = self.resolve(place.scope, &key, span)?;
            let fits = match param.direction {
                Direction::In => binding.ty.fits(&ty),
                Direction::Out => ty.fits(&binding.ty),
                Direction::InOut => binding.ty.fits(&ty) && ty.fits(&binding.ty),
            };
            if !fits {
                let message = format!(
                    "the parameter `{name}` of `{}` is {ty}, the key `{}` is {}",
                    tree.name, key.name, binding.ty
                );
                self.report(
                    Diagnostic::error("load::type", message)
                        .at(span, format!("this is {}", binding.ty))
                        .and(param.span, format!("this is {ty}")),
                );
                return None;
            }
            if writable && !binding.writable {
                let message = format!("`{name}` is written, and `{}` can only be read", key.name);
                self.error("load::read-only", message, span);
                return None;
            }
            let alias = super::Binding {
                ty: if ty == Type::Any { binding.ty } else { ty },
                writable: writable && binding.writable,
                span: Some(param.span),
                slot: binding.slot,
            };
            self.names = None;
            self.scopes[scope].keys.insert(name.to_owned(), alias);
            return None;
        }
        let value = match (given, &param.default) {
            (Some(value), _) if param.direction != Direction::In => {
                self.report(
                    Diagnostic::error(
                        "load::output",
                        format!("the parameter `{name}` is written: it takes a key"),
                    )
                    .at(value.span, "expected a key"),
                );
                return None;
            }
            (Some(value), _) => {
                if matches!(value.kind, ValueKind::Code(_)) {
                    return self.computed_parameter(param, ty, value, place, scope);
                }
                Some((value, place.scope))
            }
            (None, Some(default)) => Some((default, scope)),
            (None, None) => None,
        };
        let (initial, ty) = match value {
            Some((value, from)) => match self.checked(from, value, &ty) {
                Some(checked) => match checked.op.kind {
                    crate::expr::OpKind::Const(datum) => {
                        (datum, if ty == Type::Any { checked.ty } else { ty })
                    }
                    _ => {
                        self.error("load::constant", "expected a value", value.span);
                        return None;
                    }
                },
                None => return None,
            },
            None if param.direction == Direction::In => {
                let message = format!("`{}` needs its parameter `{name}` of type {ty}", tree.name);
                self.report(
                    Diagnostic::error("load::missing-port", message)
                        .at(node.kind.span, "not given here")
                        .and(param.span, "declared here"),
                );
                (Datum::None, ty)
            }
            None => (Datum::None, ty),
        };
        self.declare(scope, name, ty, initial, writable, param.span);
        None
    }

    /// A parameter that is given as an expression: a key of the subtree that is set when the
    /// subtree begins, and stays as it is while it runs.
    fn computed_parameter(
        &mut self,
        param: &model::Port,
        ty: Type,
        value: &Value,
        place: Place,
        scope: usize,
    ) -> Option<(Slot, Op)> {
        let checked = self.checked(place.scope, value, &ty)?;
        let ty = if ty == Type::Any { checked.ty } else { ty };
        let name = param.name.as_str();
        if let OpKind::Const(datum) = checked.op.kind {
            self.declare(scope, name, ty, datum, false, param.span);
            return None;
        }
        // Scalars begin with a value, so that guards can read them as data.
        let initial = match ty {
            Type::Bool => Datum::Bool(false),
            Type::Int => Datum::Int(0),
            Type::Float => Datum::Float(0.0),
            _ => Datum::None,
        };
        let binding = self.declare(scope, name, ty, initial, false, param.span)?;
        Some((binding.slot, checked.op))
    }
}

/// What a literal of an XML subtree attribute is, and the C++ type of the entry it makes.
fn literal(text: &str) -> (Datum, &'static str) {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if number && let Ok(i) = text.parse::<i64>() {
        let ty = if i32::try_from(i).is_ok() {
            "int"
        } else {
            "long"
        };
        return (Datum::Int(i), ty);
    }
    if number && let Ok(f) = text.parse::<f64>() {
        return (Datum::Float(f), "double");
    }
    (Datum::Text(text.into()), "std::string")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_subtrees_have_the_types_of_the_reference() {
        assert_eq!(literal("42"), (Datum::Int(42), "int"));
        assert_eq!(literal("4294967296"), (Datum::Int(1 << 32), "long"));
        assert_eq!(literal("-0.5"), (Datum::Float(-0.5), "double"));
        for text in ["true", "+3", "", "12abc", "inf"] {
            assert_eq!(literal(text), (Datum::Text(text.into()), "std::string"));
        }
    }
}
