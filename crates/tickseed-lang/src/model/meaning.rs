//! Comparing documents by what they mean.

use super::{
    Attribute, Document, FileId, Format, Item, Keys, Literal, Name, Node, Port, Role, Span, Trivia,
    Value, ValueKind,
};

impl Document {
    /// Whether two documents say the same: places, comments, blank lines, the order of attributes
    /// of different roles, and how code is spaced do not count. Names, docs, metadata, options,
    /// spelling of numbers, and the order of children and items do.
    pub fn same_meaning(&self, other: &Document) -> bool {
        self.meaning() == other.meaning()
    }

    /// A copy without places and comments, for comparing and for golden tests.
    #[must_use]
    pub fn meaning(&self) -> Document {
        let mut copy = self.clone();
        copy.file = FileId::default();
        copy.format = Format::default();
        copy.span = Span::default();
        copy.trivia = Trivia::default();
        copy.inner.clear();
        // Readers turn old spellings into current ones, so the version says nothing about the trees.
        copy.version = None;
        copy.main.iter_mut().for_each(strip_name);
        strip_attributes(&mut copy.attributes);
        copy.items.iter_mut().for_each(strip_item);
        copy
    }
}

fn strip_item(item: &mut Item) {
    match item {
        Item::Import(import) => {
            strip_name(&mut import.path);
            strip_attributes(&mut import.attributes);
            import.trivia = Trivia::default();
            import.span = Span::default();
        }
        Item::Tree(tree) => {
            strip_name(&mut tree.name);
            tree.params.iter_mut().for_each(strip_port);
            tree.keys.iter_mut().for_each(strip_keys);
            tree.body.iter_mut().for_each(strip_node);
            strip_attributes(&mut tree.attributes);
            tree.trivia = Trivia::default();
            tree.inner.clear();
            tree.span = Span::default();
        }
        Item::Model(model) => {
            strip_name(&mut model.name);
            model.ports.iter_mut().for_each(strip_port);
            strip_attributes(&mut model.attributes);
            model.trivia = Trivia::default();
            model.span = Span::default();
        }
        Item::Keys(keys) => strip_keys(keys),
        Item::Enum(model) => {
            strip_name(&mut model.name);
            model
                .words
                .iter_mut()
                .for_each(|word| strip_name(&mut word.name));
            model.trivia = Trivia::default();
            model.span = Span::default();
        }
    }
}

fn strip_keys(keys: &mut Keys) {
    for key in &mut keys.keys {
        strip_name(&mut key.name);
        key.ty.iter_mut().for_each(strip_name);
        key.initial.iter_mut().for_each(strip_value);
        key.trivia = Trivia::default();
        key.span = Span::default();
    }
    keys.trivia = Trivia::default();
    keys.inner.clear();
    keys.span = Span::default();
}

fn strip_port(port: &mut Port) {
    strip_name(&mut port.name);
    port.ty.iter_mut().for_each(strip_name);
    port.default.iter_mut().for_each(strip_value);
    strip_attributes(&mut port.attributes);
    port.trivia = Trivia::default();
    port.span = Span::default();
}

fn strip_node(node: &mut Node) {
    strip_name(&mut node.kind);
    node.name.iter_mut().for_each(strip_name);
    strip_attributes(&mut node.attributes);
    node.children.iter_mut().for_each(strip_node);
    node.trivia = Trivia::default();
    node.inner.clear();
    node.span = Span::default();
}

fn strip_attributes(attributes: &mut [Attribute]) {
    for attribute in attributes.iter_mut() {
        match attribute.role {
            // `skip if` and `_skipIf` are the same hook.
            Role::Hook(_) => attribute.name = None,
            _ => attribute.name.iter_mut().for_each(strip_name),
        }
        attribute.value.iter_mut().for_each(strip_value);
        attribute.span = Span::default();
    }
    // The sort is stable: order within a role is kept.
    attributes.sort_by_key(|attribute| attribute.role);
}

fn strip_value(value: &mut Value) {
    value.span = Span::default();
    match &mut value.kind {
        ValueKind::Literal(Literal::List(items)) => items.iter_mut().for_each(strip_value),
        ValueKind::Range(from, to) => {
            strip_value(from);
            strip_value(to);
        }
        ValueKind::Code(code) => match crate::expr::simple_code(code) {
            Some(kind) => {
                value.kind = kind;
                strip_value(value);
            }
            None => code.text = crate::expr::canonical(code).into(),
        },
        _ => {}
    }
}

fn strip_name(name: &mut Name) {
    name.span = Span::default();
}
