//! From a document to JSON.

use super::out::Out;
use crate::model::{
    Attribute, Comment, Dialect, Document, EnumModel, Form, Import, Item, KeyDecl, KeyScope, Keys,
    Literal, Name, Node, NodeModel, Number, Port, Role, Tree, Trivia, Value, ValueKind,
    parse_duration,
};

/// The version of the JSON form.
pub(super) const VERSION: i64 = 1;

/// The fields of one object; absent things get none.
#[derive(Default)]
struct Fields(Vec<(&'static str, Out)>);

impl Fields {
    fn put(&mut self, key: &'static str, value: Out) {
        self.0.push((key, value));
    }

    fn name(&mut self, key: &'static str, name: &Name) {
        self.put(key, Out::string(&name.text));
    }

    fn maybe_name(&mut self, key: &'static str, name: &Option<Name>) {
        if let Some(name) = name {
            self.name(key, name);
        }
    }

    fn maybe_value(&mut self, key: &'static str, wanted: &Option<Value>) {
        if let Some(wanted) = wanted {
            self.put(key, value(wanted));
        }
    }

    fn flag(&mut self, key: &'static str, set: bool) {
        if set {
            self.put(key, Out::raw("true"));
        }
    }

    fn doc(&mut self, doc: &Option<String>) {
        if let Some(doc) = doc {
            self.put("doc", Out::string(doc));
        }
    }

    fn list<T>(&mut self, key: &'static str, items: &[T], one: impl Fn(&T) -> Out) {
        if !items.is_empty() {
            self.put(key, Out::list(items.iter().map(one).collect()));
        }
    }

    fn trivia(&mut self, trivia: &Trivia) {
        self.flag("blank_before", trivia.blank_before);
        self.list("comments", &trivia.leading, comment);
        if let Some(trailing) = &trivia.trailing {
            self.put("trailing_comment", comment(trailing));
        }
    }

    fn inner(&mut self, comments: &[Comment]) {
        self.list("comments_inside", comments, comment);
    }

    fn done(self) -> Out {
        Out::object(self.0)
    }
}

pub(super) fn document(document: &Document) -> Out {
    let mut fields = Fields::default();
    fields.put("tickseed", Out::raw(VERSION.to_string()));
    fields.maybe_name("version", &document.version);
    fields.maybe_name("main", &document.main);
    fields.doc(&document.doc);
    fields.trivia(&document.trivia);
    fields.list("attributes", &document.attributes, attribute);
    fields.put(
        "items",
        Out::list(document.items.iter().map(item).collect()),
    );
    fields.inner(&document.inner);
    fields.done()
}

fn item(item: &Item) -> Out {
    Out::object(vec![match item {
        Item::Import(wanted) => ("import", import(wanted)),
        Item::Tree(wanted) => ("tree", tree(wanted)),
        Item::Model(wanted) => ("model", model(wanted)),
        Item::Keys(wanted) => ("keys", keys(wanted)),
        Item::Enum(wanted) => ("enum", enumeration(wanted)),
    }])
}

fn import(import: &Import) -> Out {
    let mut fields = Fields::default();
    fields.name("path", &import.path);
    fields.trivia(&import.trivia);
    fields.list("attributes", &import.attributes, attribute);
    fields.done()
}

fn tree(tree: &Tree) -> Out {
    let mut fields = Fields::default();
    fields.name("name", &tree.name);
    fields.doc(&tree.doc);
    fields.trivia(&tree.trivia);
    fields.list("attributes", &tree.attributes, attribute);
    fields.list("params", &tree.params, port);
    fields.list("keys", &tree.keys, keys);
    fields.put("body", Out::list(tree.body.iter().map(node).collect()));
    fields.inner(&tree.inner);
    fields.done()
}

fn node(wanted: &Node) -> Out {
    let mut fields = Fields::default();
    fields.name("kind", &wanted.kind);
    if let Form::Explicit(category) = wanted.form {
        fields.put("form", Out::string(category.word()));
    }
    fields.maybe_name("name", &wanted.name);
    fields.flag("disabled", wanted.disabled);
    fields.doc(&wanted.doc);
    fields.trivia(&wanted.trivia);
    fields.list("attributes", &wanted.attributes, attribute);
    fields.list("children", &wanted.children, node);
    fields.inner(&wanted.inner);
    fields.done()
}

pub(super) fn attribute(attribute: &Attribute) -> Out {
    let mut fields = Fields::default();
    let name = match &attribute.name {
        Some(name) => Out::string(&name.text),
        None => Out::raw("null"),
    };
    match attribute.role {
        Role::Argument => fields.put("argument", name),
        Role::Option => fields.put("option", name),
        Role::Metadata => fields.put("metadata", name),
        Role::Hook(hook) => {
            fields.put("hook", Out::string(hook.words()));
            if attribute
                .name
                .as_ref()
                .is_some_and(|name| name != hook.words())
            {
                fields.put("name", name);
            }
        }
    }
    fields.maybe_value("value", &attribute.value);
    fields.done()
}

fn model(model: &NodeModel) -> Out {
    let mut fields = Fields::default();
    fields.put("category", Out::string(model.category.word()));
    fields.name("name", &model.name);
    fields.doc(&model.doc);
    fields.trivia(&model.trivia);
    fields.list("attributes", &model.attributes, attribute);
    fields.list("ports", &model.ports, port);
    fields.done()
}

fn port(port: &Port) -> Out {
    let mut fields = Fields::default();
    fields.put("direction", Out::string(port.direction.word()));
    fields.name("name", &port.name);
    fields.maybe_name("type", &port.ty);
    fields.maybe_value("default", &port.default);
    fields.doc(&port.doc);
    fields.trivia(&port.trivia);
    fields.list("attributes", &port.attributes, attribute);
    fields.done()
}

pub(super) fn key_blocks(blocks: &[Keys]) -> Out {
    Out::list(blocks.iter().map(keys).collect())
}

fn keys(keys: &Keys) -> Out {
    let mut fields = Fields::default();
    fields.trivia(&keys.trivia);
    fields.put("keys", Out::list(keys.keys.iter().map(key).collect()));
    fields.inner(&keys.inner);
    fields.done()
}

fn key(key: &KeyDecl) -> Out {
    let mut fields = Fields::default();
    fields.name("name", &key.name);
    fields.maybe_name("type", &key.ty);
    fields.maybe_value("initial", &key.initial);
    fields.doc(&key.doc);
    fields.trivia(&key.trivia);
    fields.done()
}

fn enumeration(model: &EnumModel) -> Out {
    let mut fields = Fields::default();
    fields.name("name", &model.name);
    fields.doc(&model.doc);
    fields.trivia(&model.trivia);
    let words = model.words.iter().map(|word| match word.number {
        None => Out::string(&word.name.text),
        Some(number) => Out::object(vec![
            ("name", Out::string(&word.name.text)),
            ("number", Out::raw(number.to_string())),
        ]),
    });
    fields.put("words", Out::list(words.collect()));
    fields.done()
}

fn comment(comment: &Comment) -> Out {
    let text = Out::string(&comment.text);
    if comment.blank_after {
        Out::object(vec![("text", text), ("blank_after", Out::raw("true"))])
    } else {
        text
    }
}

pub(super) fn value(wanted: &Value) -> Out {
    let tagged = |key, out| Out::object(vec![(key, out)]);
    match &wanted.kind {
        ValueKind::Literal(wanted) => literal(wanted),
        ValueKind::Key(key) => match key.scope {
            KeyScope::Local => tagged("key", Out::string(&key.name)),
            KeyScope::Root => tagged("root_key", Out::string(&key.name)),
        },
        ValueKind::SameName => tagged("same_name", Out::raw("true")),
        ValueKind::Code(code) => {
            let mut fields = vec![("code", Out::string(&code.text))];
            if code.dialect == Dialect::BtCpp {
                fields.push(("dialect", Out::string("btcpp")));
            }
            Out::object(fields)
        }
        ValueKind::Range(from, to) => tagged("range", Out::list(vec![value(from), value(to)])),
    }
}

fn literal(literal: &Literal) -> Out {
    let tagged = |key, out| Out::object(vec![(key, out)]);
    match literal {
        Literal::None => Out::raw("null"),
        Literal::Bool(value) => Out::raw(value.to_string()),
        Literal::Int(number) => int(number),
        Literal::Float(number) => float(number),
        Literal::Duration(Number { value, raw }) if parse_duration(raw) == Some(*value) => {
            tagged("duration", Out::string(raw))
        }
        Literal::Duration(Number { value, raw }) => Out::object(vec![
            ("duration", Out::string(raw)),
            ("nanos", Out::raw(value.to_string())),
        ]),
        Literal::Text(text) => Out::string(text),
        Literal::Word(word) => tagged("word", Out::string(word)),
        Literal::List(items) => Out::list(items.iter().map(value).collect()),
    }
}

fn int(number: &Number<i64>) -> Out {
    let plain = number.value.to_string();
    if plain == number.raw {
        return Out::raw(plain);
    }
    Out::object(vec![
        ("int", Out::raw(plain)),
        ("raw", Out::string(&number.raw)),
    ])
}

fn float(number: &Number<f64>) -> Out {
    if number.value.is_finite()
        && is_json_fraction(&number.raw)
        && number
            .raw
            .parse::<f64>()
            .is_ok_and(|v| v.to_bits() == number.value.to_bits())
    {
        return Out::raw(number.raw.clone());
    }
    // JSON has no word for what is not finite.
    let value = if number.value.is_finite() {
        Out::raw(format!("{:?}", number.value))
    } else {
        Out::string(&number.value.to_string())
    };
    Out::object(vec![("float", value), ("raw", Out::string(&number.raw))])
}

/// Whether the text is a JSON number with a fraction or exponent, which is read as a float.
fn is_json_fraction(text: &str) -> bool {
    let Some(at) = text.find(['.', 'e', 'E']) else {
        return false;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (whole, rest) = text.split_at(at);
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let (fraction, exponent) = match rest.strip_prefix('.') {
        Some(rest) => match rest.split_once(['e', 'E']) {
            Some((fraction, exponent)) => (Some(fraction), Some(exponent)),
            None => (Some(rest), None),
        },
        None => (None, Some(&rest[1..])),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}
