//! The contents of a file, for the outline that editors show beside it.

use super::Files;
use crate::model::{FileId, Item, Node, Span};

/// A thing in a file and the things in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// What it is called.
    pub name: String,
    /// What sort of thing it is.
    pub kind: OutlineKind,
    /// All of it.
    pub span: Span,
    /// Its name's place.
    pub name_span: Span,
    /// What is in it.
    pub children: Vec<Outline>,
}

/// The sorts of thing in an [`Outline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutlineKind {
    /// A tree.
    Tree,
    /// A node of a tree.
    Node,
    /// A description of a node.
    Model,
    /// A key.
    Key,
    /// An enumeration.
    Enum,
}

impl Files<'_> {
    /// What a file consists of, in order.
    pub fn outline(&self, file: FileId) -> Vec<Outline> {
        let mut list = Vec::new();
        let Some(document) = self.document(file) else {
            return list;
        };
        for item in &document.items {
            match item {
                Item::Tree(tree) => list.push(Outline {
                    name: tree.name.text.to_string(),
                    kind: OutlineKind::Tree,
                    span: tree.span.to(tree.name.span),
                    name_span: tree.name.span,
                    children: tree.body.iter().map(node).collect(),
                }),
                Item::Model(model) => list.push(Outline {
                    name: model.name.text.to_string(),
                    kind: OutlineKind::Model,
                    span: model.span.to(model.name.span),
                    name_span: model.name.span,
                    children: Vec::new(),
                }),
                Item::Keys(keys) => list.extend(keys.keys.iter().map(|key| Outline {
                    name: key.name.text.to_string(),
                    kind: OutlineKind::Key,
                    span: key.span.to(key.name.span),
                    name_span: key.name.span,
                    children: Vec::new(),
                })),
                Item::Enum(model) => list.push(Outline {
                    name: model.name.text.to_string(),
                    kind: OutlineKind::Enum,
                    span: model.span.to(model.name.span),
                    name_span: model.name.span,
                    children: Vec::new(),
                }),
                Item::Import(_) => {}
            }
        }
        list
    }
}

fn node(node: &Node) -> Outline {
    let name = match &node.name {
        Some(name) => format!("{} \"{name}\"", node.kind),
        None => node.kind.text.to_string(),
    };
    Outline {
        name,
        kind: OutlineKind::Node,
        span: node.span.to(node.kind.span),
        name_span: node.kind.span,
        children: node.children.iter().map(self::node).collect(),
    }
}
