//! Nodes of trees.

use super::Reader;
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{Attribute, Category, Form, Hook, Name, Node, Role, Trivia, Value, ValueKind};
use crate::xml::extra::{self, Owner};
use crate::xml::names::{STRUCTURE, builtin, current_node, explicit};
use crate::xml::syntax::{Element, Syntax};

impl Reader {
    pub(super) fn node(
        &mut self,
        syntax: &Syntax<'_>,
        element: Element<'_, '_>,
        trivia: Trivia,
    ) -> Node {
        let tag = element.name();
        let tag_span = self.span(element.name_span());
        let open = self.span(element.open_span());
        let form = element.attribute(extra::FORM);
        if STRUCTURE.contains(&tag) {
            let message = format!("<{tag}> is no node: it has no place inside a tree");
            self.error("xml::misplaced", message, tag_span);
        }
        let category = match current_node(tag) {
            Some("SubTree") => {
                self.old_spelling(tag, "SubTree", tag_span);
                Some(Category::Subtree)
            }
            _ => explicit(tag),
        };
        let written_kind = match category {
            Some(_) => element.attribute("ID").unwrap_or_default(),
            None => tag.into(),
        };
        // What a writer of ours marked is meant as it stands.
        let current = current_node(&written_kind)
            .filter(|_| form.is_none() && category != Some(Category::Subtree));
        let kind = current.unwrap_or(&written_kind);
        let owner = if category == Some(Category::Subtree) {
            "SubTree"
        } else {
            kind
        };
        let own: &[&str] = &["name", "ID", extra::DISABLED];
        let mut attributes = self.attributes(element, Owner::Node(owner), own);

        let mut node = Node {
            name: attributes.name("name"),
            doc: attributes.description(),
            trivia,
            span: self.span(element.span()),
            ..Node::default()
        };
        let id = attributes.name("ID");
        let disabled = attributes.name(extra::DISABLED);
        node.disabled = disabled.as_ref().is_some_and(|flag| flag == "true");
        if node.disabled {
            // The guard that keeps other engines from running it is no part of the node.
            attributes
                .list
                .retain(|attribute| !is_always_skipped(attribute));
        }
        node.attributes = attributes.all();
        node.kind = match (category, id) {
            (Some(_), Some(id)) if !id.text.is_empty() => Name::new(kind, id.span),
            (Some(_), _) => {
                let written = node.attributes.iter().find(|attribute| {
                    attribute.role == Role::Argument && attribute.name().eq_ignore_ascii_case("id")
                });
                let help = written.map(|attribute| {
                    format!(
                        "it is written in capitals: `ID`, not `{}`",
                        attribute.name()
                    )
                });
                let message = format!("The tag <{tag}> must have the attribute [ID]");
                self.diagnostics.push(
                    Diagnostic::error("xml::no-id", message)
                        .at(open, "")
                        .maybe_help(help),
                );
                Name::new(kind, tag_span)
            }
            (None, Some(id)) => {
                let tags = ["SubTree", "Action", "Condition", "Control", "Decorator"];
                let near = tags
                    .into_iter()
                    .find(|known| known.eq_ignore_ascii_case(tag));
                let near = near.or_else(|| nearest(tag, tags));
                let message = format!("Attribute [ID] is not allowed in <{tag}>");
                self.diagnostics.push(
                    Diagnostic::error("xml::id-in-compact", message)
                        .at(id.span, "")
                        .maybe_help(near.map(|near| format!("did you mean <{near}>?"))),
                );
                let value = Value::from_attribute(&id.text, id.span);
                node.attributes
                    .push(Attribute::argument(Name::new("ID", id.span), value));
                Name::new(kind, tag_span)
            }
            (None, None) => Name::new(kind, tag_span),
        };
        if current.is_some() {
            self.old_spelling(&written_kind, kind, node.kind.span);
        }
        node.form = match (form.as_deref(), category) {
            (Some("compact"), _) => Form::Compact,
            (Some(word), _) if Category::from_word(word).is_some() => {
                Category::from_word(word).map_or(Form::Compact, Form::Explicit)
            }
            (_, Some(category)) => Form::Explicit(category),
            (_, None) if builtin(kind).is_none() && self.trees.contains(kind) => {
                let message =
                    format!("<{kind}> is a tree: version 4 writes <SubTree ID=\"{kind}\"/>");
                self.warn("xml::compact-subtree", message, tag_span);
                Form::Explicit(Category::Subtree)
            }
            (_, None) => Form::Compact,
        };
        if let Some(flag) = disabled.filter(|_| !node.disabled) {
            let value = Value::from_attribute(&flag.text, flag.span);
            let name = Some(Name::new("disabled", flag.span));
            node.attributes.push(Attribute {
                role: Role::Metadata,
                name,
                value: Some(value),
                span: flag.span,
            });
        }
        (node.children, node.inner) = self.children(syntax, element);
        node
    }
}

fn is_always_skipped(attribute: &Attribute) -> bool {
    let written = attribute
        .name
        .as_ref()
        .is_some_and(|name| name == Hook::SkipIf.xml());
    let value = attribute.value.as_ref().map(|value| &value.kind);
    attribute.role == Role::Hook(Hook::SkipIf)
        && written
        && matches!(value, Some(ValueKind::Code(code)) if code.text == "true")
}
