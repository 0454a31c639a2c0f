//! From a document to bytes. Each function has its mirror in [`super::read`].

use super::wire::Writer;
use crate::model::{
    Attribute, Category, Comment, Dialect, Direction, Document, EnumModel, Form, Hook, Item,
    KeyDecl, KeyScope, Keys, Literal, Name, Node, NodeModel, Port, Role, Tree, Trivia, Value,
    ValueKind,
};

/// Bits that say which parts follow, in the order of the parts.
struct Parts(u64, u32);

impl Parts {
    fn new() -> Self {
        Self(0, 0)
    }

    fn part(mut self, present: bool) -> Self {
        self.0 |= u64::from(present) << self.1;
        self.1 += 1;
        self
    }
}

pub(super) fn document(document: &Document) -> Vec<u8> {
    let w = &mut Writer::default();
    let parts = Parts::new()
        .part(document.version.is_some())
        .part(document.main.is_some())
        .part(document.doc.is_some())
        .part(has_trivia(&document.trivia));
    w.number(parts.0);
    maybe_name(w, &document.version);
    maybe_name(w, &document.main);
    maybe_text(w, &document.doc);
    maybe_trivia(w, &document.trivia);
    w.list(&document.attributes, attribute);
    w.list(&document.items, item);
    w.list(&document.inner, comment);
    std::mem::take(w).finish()
}

fn item<'d>(w: &mut Writer<'d>, item: &'d Item) {
    match item {
        Item::Import(import) => {
            w.byte(0);
            name(w, &import.path);
            w.list(&import.attributes, attribute);
            trivia(w, &import.trivia);
        }
        Item::Tree(wanted) => {
            w.byte(1);
            tree(w, wanted);
        }
        Item::Model(wanted) => {
            w.byte(2);
            model(w, wanted);
        }
        Item::Keys(wanted) => {
            w.byte(3);
            keys(w, wanted);
        }
        Item::Enum(wanted) => {
            w.byte(4);
            enumeration(w, wanted);
        }
    }
}

fn tree<'d>(w: &mut Writer<'d>, tree: &'d Tree) {
    let parts = Parts::new()
        .part(tree.doc.is_some())
        .part(has_trivia(&tree.trivia));
    w.number(parts.0);
    name(w, &tree.name);
    maybe_text(w, &tree.doc);
    maybe_trivia(w, &tree.trivia);
    w.list(&tree.params, port);
    w.list(&tree.keys, keys);
    w.list(&tree.attributes, attribute);
    w.list(&tree.body, node);
    w.list(&tree.inner, comment);
}

fn node<'d>(w: &mut Writer<'d>, wanted: &'d Node) {
    let parts = Parts::new()
        .part(wanted.form != Form::Compact)
        .part(wanted.name.is_some())
        .part(wanted.disabled)
        .part(!wanted.attributes.is_empty())
        .part(!wanted.children.is_empty())
        .part(wanted.doc.is_some())
        // The seventh bit is the last that costs nothing.
        .part(has_trivia(&wanted.trivia) || !wanted.inner.is_empty());
    w.number(parts.0);
    name(w, &wanted.kind);
    if let Form::Explicit(wanted) = wanted.form {
        category(w, wanted);
    }
    maybe_name(w, &wanted.name);
    if !wanted.attributes.is_empty() {
        w.list(&wanted.attributes, attribute);
    }
    if !wanted.children.is_empty() {
        w.list(&wanted.children, node);
    }
    maybe_text(w, &wanted.doc);
    if has_trivia(&wanted.trivia) || !wanted.inner.is_empty() {
        trivia(w, &wanted.trivia);
        w.list(&wanted.inner, comment);
    }
}

fn attribute<'d>(w: &mut Writer<'d>, attribute: &'d Attribute) {
    // Two bits and the role in one byte.
    let role = match attribute.role {
        Role::Argument => 0,
        Role::Option => 1,
        Role::Metadata => 2,
        Role::Hook(hook) => 3 + index(&Hook::ALL, |entry| entry.0 == hook),
    };
    w.byte(
        role << 2 | u8::from(attribute.name.is_some()) << 1 | u8::from(attribute.value.is_some()),
    );
    maybe_name(w, &attribute.name);
    maybe_value(w, &attribute.value);
}

fn model<'d>(w: &mut Writer<'d>, model: &'d NodeModel) {
    let parts = Parts::new()
        .part(model.doc.is_some())
        .part(has_trivia(&model.trivia));
    w.number(parts.0);
    category(w, model.category);
    name(w, &model.name);
    maybe_text(w, &model.doc);
    maybe_trivia(w, &model.trivia);
    w.list(&model.ports, port);
    w.list(&model.attributes, attribute);
}

fn port<'d>(w: &mut Writer<'d>, port: &'d Port) {
    let parts = Parts::new()
        .part(port.ty.is_some())
        .part(port.default.is_some())
        .part(port.doc.is_some())
        .part(has_trivia(&port.trivia));
    w.number(parts.0);
    w.byte(match port.direction {
        Direction::In => 0,
        Direction::Out => 1,
        Direction::InOut => 2,
    });
    name(w, &port.name);
    maybe_name(w, &port.ty);
    maybe_value(w, &port.default);
    maybe_text(w, &port.doc);
    maybe_trivia(w, &port.trivia);
    w.list(&port.attributes, attribute);
}

fn keys<'d>(w: &mut Writer<'d>, keys: &'d Keys) {
    w.list(&keys.keys, key);
    trivia(w, &keys.trivia);
    w.list(&keys.inner, comment);
}

fn key<'d>(w: &mut Writer<'d>, key: &'d KeyDecl) {
    let parts = Parts::new()
        .part(key.ty.is_some())
        .part(key.initial.is_some())
        .part(key.doc.is_some())
        .part(has_trivia(&key.trivia));
    w.number(parts.0);
    name(w, &key.name);
    maybe_name(w, &key.ty);
    maybe_value(w, &key.initial);
    maybe_text(w, &key.doc);
    maybe_trivia(w, &key.trivia);
}

fn enumeration<'d>(w: &mut Writer<'d>, model: &'d EnumModel) {
    let parts = Parts::new()
        .part(model.doc.is_some())
        .part(has_trivia(&model.trivia));
    w.number(parts.0);
    name(w, &model.name);
    maybe_text(w, &model.doc);
    maybe_trivia(w, &model.trivia);
    w.list(&model.words, |w, word| {
        w.byte(u8::from(word.number.is_some()));
        name(w, &word.name);
        if let Some(number) = word.number {
            w.signed(number);
        }
    });
}

fn value<'d>(w: &mut Writer<'d>, value: &'d Value) {
    match &value.kind {
        ValueKind::Literal(wanted) => literal(w, wanted),
        ValueKind::Key(key) => {
            w.byte(match key.scope {
                KeyScope::Local => 9,
                KeyScope::Root => 10,
            });
            w.string(&key.name);
        }
        ValueKind::SameName => w.byte(11),
        ValueKind::Code(code) => {
            w.byte(match code.dialect {
                Dialect::Tick => 12,
                Dialect::BtCpp => 13,
            });
            w.string(&code.text);
        }
        ValueKind::Range(from, to) => {
            w.byte(14);
            self::value(w, from);
            self::value(w, to);
        }
    }
}

fn literal<'d>(w: &mut Writer<'d>, literal: &'d Literal) {
    match literal {
        Literal::None => w.byte(0),
        Literal::Bool(value) => w.byte(1 + u8::from(*value)),
        Literal::Int(number) => {
            w.byte(3);
            w.signed(number.value);
            w.string(&number.raw);
        }
        Literal::Float(number) => {
            w.byte(4);
            w.float(number.value);
            w.string(&number.raw);
        }
        Literal::Duration(number) => {
            w.byte(5);
            w.signed(number.value);
            w.string(&number.raw);
        }
        Literal::Text(text) => {
            w.byte(6);
            w.string(text);
        }
        Literal::Word(word) => {
            w.byte(7);
            w.string(word);
        }
        Literal::List(items) => {
            w.byte(8);
            w.list(items, value);
        }
    }
}

fn trivia<'d>(w: &mut Writer<'d>, trivia: &'d Trivia) {
    w.byte(u8::from(trivia.blank_before) | u8::from(trivia.trailing.is_some()) << 1);
    w.list(&trivia.leading, comment);
    if let Some(trailing) = &trivia.trailing {
        comment(w, trailing);
    }
}

fn has_trivia(trivia: &Trivia) -> bool {
    trivia.blank_before || !trivia.leading.is_empty() || trivia.trailing.is_some()
}

fn maybe_trivia<'d>(w: &mut Writer<'d>, wanted: &'d Trivia) {
    if has_trivia(wanted) {
        trivia(w, wanted);
    }
}

fn comment<'d>(w: &mut Writer<'d>, comment: &'d Comment) {
    w.byte(u8::from(comment.blank_after));
    w.string(&comment.text);
}

fn category(w: &mut Writer<'_>, category: Category) {
    w.byte(index(&Category::ALL, |entry| entry.1 == category));
}

/// The place in a list of all; the order of those lists is part of the format.
fn index<T>(all: &[T], is: impl Fn(&T) -> bool) -> u8 {
    all.iter().position(is).unwrap_or(all.len()) as u8
}

fn name<'d>(w: &mut Writer<'d>, name: &'d Name) {
    w.string(&name.text);
}

fn maybe_name<'d>(w: &mut Writer<'d>, wanted: &'d Option<Name>) {
    if let Some(wanted) = wanted {
        name(w, wanted);
    }
}

fn maybe_text<'d>(w: &mut Writer<'d>, text: &'d Option<String>) {
    if let Some(text) = text {
        w.string(text);
    }
}

fn maybe_value<'d>(w: &mut Writer<'d>, wanted: &'d Option<Value>) {
    if let Some(wanted) = wanted {
        value(w, wanted);
    }
}
