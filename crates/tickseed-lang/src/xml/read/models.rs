//! `<TreeNodesModel>`: descriptions of nodes for editors.

use super::Reader;
use crate::model::{Category, Comment, Direction, Document, Item, Name, NodeModel, Port, Trivia};
use crate::xml::extra::{self, Owner};
use crate::xml::names::explicit;
use crate::xml::syntax::{Element, Syntax};

/// Parameters found, with the number of the tree they belong to.
pub(super) type Params = Vec<(usize, Vec<Port>)>;

impl Reader {
    /// Reads all models and returns the comments that belong to none of them.
    pub(super) fn models(
        &mut self,
        document: &mut Document,
        syntax: &Syntax<'_>,
        element: Element<'_, '_>,
        mut trivia: Trivia,
        params: &mut Params,
    ) -> Vec<Comment> {
        let content = self.layout(syntax.source(), element.pieces(), element.open_span().end);
        let mut carried = std::mem::take(&mut trivia.leading);
        for (i, (element, mut own)) in content.elements.into_iter().enumerate() {
            carried.append(&mut own.leading);
            own.leading = std::mem::take(&mut carried);
            own.blank_before |= i == 0 && trivia.blank_before;
            let Some(category) = explicit(element.name()) else {
                carried = own.leading;
                carried.extend(own.trailing);
                let message = format!(
                    "<{}> describes no node: expected Action, Condition, Control, Decorator or SubTree",
                    element.name()
                );
                let span = self.span(element.open_span());
                self.warn("xml::ignored", message, span);
                continue;
            };
            let (model, of_tree) = self.model(syntax, element, category, own);
            match of_tree {
                Some(tree) => {
                    carried.extend(model.trivia.leading);
                    carried.extend(model.trivia.trailing);
                    params.push((tree, model.ports));
                }
                None => document.items.push(Item::Model(model)),
            }
        }
        carried.extend(content.rest);
        carried.extend(trivia.trailing);
        carried
    }

    /// A model, and the number of the tree whose parameters it really holds.
    fn model(
        &mut self,
        syntax: &Syntax<'_>,
        element: Element<'_, '_>,
        category: Category,
        trivia: Trivia,
    ) -> (NodeModel, Option<usize>) {
        let open = self.span(element.open_span());
        let mut attributes = self.attributes(element, Owner::Model, &["ID"]);
        let name = attributes.name("ID").unwrap_or_else(|| {
            let tag = element.name();
            let message = format!("Missing attribute 'ID' in {tag} element within TreeNodesModel");
            self.error("xml::no-id", message, open);
            Name::new("", open)
        });
        let leaf = attributes
            .text(extra::FORM)
            .and_then(|word| Category::from_word(&word));
        let mut model = NodeModel {
            category: leaf.unwrap_or(category),
            name,
            ports: Vec::new(),
            doc: attributes.description(),
            attributes: Vec::new(),
            trivia,
            span: self.span(element.span()),
        };
        let of_tree = attributes
            .text(extra::PARAMS)
            .and_then(|text| text.parse().ok());
        let content = self.layout(syntax.source(), element.pieces(), element.open_span().end);
        for (child, trivia) in content.elements {
            let direction = match child.name() {
                "input_port" => Direction::In,
                "output_port" => Direction::Out,
                "inout_port" | "bidirectional_port" => Direction::InOut,
                "MetadataFields" => {
                    attributes.list.extend(self.metadata(child));
                    continue;
                }
                "description" => {
                    model.doc = Some(child.characters().trim().to_owned());
                    continue;
                }
                other => {
                    let message = format!("<{other}> means nothing in a node model and is ignored");
                    let span = self.span(child.open_span());
                    self.warn("xml::ignored", message, span);
                    continue;
                }
            };
            let port = self.port(child, direction, trivia);
            model.ports.push(port);
        }
        model.attributes = attributes.all();
        // A model has no place for comments behind its last port.
        let mut rest = content.rest;
        if let Some(port) = model.ports.last_mut()
            && port.trivia.trailing.is_none()
            && rest.len() == 1
        {
            port.trivia.trailing = rest.pop();
        }
        model.trivia.leading.append(&mut rest);
        (model, of_tree)
    }

    fn metadata(&mut self, fields: Element<'_, '_>) -> Vec<crate::model::Attribute> {
        use crate::model::{Attribute, Role, Value};
        let mut out = Vec::new();
        for field in fields.elements() {
            for attribute in field.attributes() {
                let value_span = self.span(attribute.value_span.clone());
                out.push(Attribute {
                    role: Role::Metadata,
                    name: Some(Name::new(
                        attribute.name,
                        self.span(attribute.name_span.clone()),
                    )),
                    value: Some(Value::from_attribute(&attribute.value(), value_span)),
                    span: self.span(attribute.span()),
                });
            }
        }
        out
    }

    fn port(&mut self, element: Element<'_, '_>, direction: Direction, trivia: Trivia) -> Port {
        let own = &["name", "type", "default"];
        let mut attributes = self.attributes(element, Owner::Other(own), own);
        let span = self.span(element.span());
        let name = attributes.name("name").unwrap_or_else(|| {
            self.error(
                "xml::no-port-name",
                "Missing attribute [name] in port",
                span,
            );
            Name::new("", span)
        });
        let text = element.characters();
        let text = text.trim();
        let doc = attributes
            .text(extra::DESCRIPTION)
            .or_else(|| (!text.is_empty()).then(|| text.to_owned()));
        Port {
            direction,
            name,
            ty: attributes.name("type"),
            default: attributes.value("default"),
            doc,
            attributes: attributes.all(),
            trivia,
            span,
        }
    }
}
