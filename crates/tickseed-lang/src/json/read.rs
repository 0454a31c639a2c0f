//! From JSON to a document.

use super::fields::{Reader, Seen};
use super::syntax::{Kind, Value as Json};
use super::write::VERSION;
use crate::model::{
    Attribute, Category, Code, Comment, Dialect, Direction, Document, EnumModel, EnumWord, Form,
    Format, Hook, Import, Item, KeyDecl, KeyRef, KeyScope, Keys, Literal, MAX_DEPTH, Node,
    NodeModel, Number, Port, Role, Tree, Trivia, Value, ValueKind, parse_duration,
};

/// Every field of every object; the schema lists the same, and a test compares the two.
pub(super) mod known {
    pub(in crate::json) const DOCUMENT: &[&str] = &[
        "tickseed",
        "version",
        "main",
        "doc",
        "attributes",
        "items",
        "blank_before",
        "comments",
        "trailing_comment",
        "comments_inside",
        "$schema",
    ];
    pub(in crate::json) const ITEM: &[&str] = &["import", "tree", "model", "keys", "enum"];
    pub(in crate::json) const IMPORT: &[&str] = &[
        "path",
        "attributes",
        "blank_before",
        "comments",
        "trailing_comment",
    ];
    pub(in crate::json) const TREE: &[&str] = &[
        "name",
        "doc",
        "attributes",
        "params",
        "keys",
        "body",
        "blank_before",
        "comments",
        "trailing_comment",
        "comments_inside",
    ];
    pub(in crate::json) const NODE: &[&str] = &[
        "kind",
        "form",
        "name",
        "disabled",
        "doc",
        "attributes",
        "children",
        "blank_before",
        "comments",
        "trailing_comment",
        "comments_inside",
    ];
    pub(in crate::json) const ATTRIBUTE: &[&str] =
        &["argument", "option", "metadata", "hook", "name", "value"];
    pub(in crate::json) const MODEL: &[&str] = &[
        "category",
        "name",
        "doc",
        "attributes",
        "ports",
        "blank_before",
        "comments",
        "trailing_comment",
    ];
    pub(in crate::json) const PORT: &[&str] = &[
        "direction",
        "name",
        "type",
        "default",
        "doc",
        "attributes",
        "blank_before",
        "comments",
        "trailing_comment",
    ];
    pub(in crate::json) const KEYS: &[&str] = &[
        "keys",
        "blank_before",
        "comments",
        "trailing_comment",
        "comments_inside",
    ];
    pub(in crate::json) const KEY: &[&str] = &[
        "name",
        "type",
        "initial",
        "doc",
        "blank_before",
        "comments",
        "trailing_comment",
    ];
    pub(in crate::json) const ENUM: &[&str] = &[
        "name",
        "words",
        "doc",
        "blank_before",
        "comments",
        "trailing_comment",
    ];
    pub(in crate::json) const WORD: &[&str] = &["name", "number"];
    pub(in crate::json) const COMMENT: &[&str] = &["text", "blank_after"];
    pub(in crate::json) const VALUE: &[&str] = &[
        "key",
        "root_key",
        "same_name",
        "code",
        "dialect",
        "range",
        "word",
        "duration",
        "nanos",
        "int",
        "float",
        "raw",
    ];
}

pub(super) fn document(r: &mut Reader<'_>, json: Json<'_, '_>) -> Document {
    let mut out = Document {
        file: r.file,
        format: Format::Json,
        span: r.span(json),
        ..Document::default()
    };
    let seen = r.fields(json, known::DOCUMENT, |r, key, v| match key {
        "tickseed" => version(r, v),
        "version" => out.version = Some(r.name(v)),
        "main" => out.main = Some(r.name(v)),
        "doc" => out.doc = r.string(v),
        "attributes" => out.attributes = r.list(v, attribute),
        "items" => out.items = r.list(v, item).into_iter().flatten().collect(),
        "comments_inside" => out.inner = r.list(v, comment),
        "$schema" => {}
        _ => trivia(r, &mut out.trivia, key, v),
    });
    if let Some(seen) = seen {
        if !seen.has("tickseed") {
            let message =
                format!("this is no Tickseed document: expected the field \"tickseed\": {VERSION}");
            r.error("json::no-version", json, message);
        }
        r.require(json, &seen, "items");
    }
    out
}

fn version(r: &mut Reader<'_>, v: Json<'_, '_>) {
    match v.raw().parse::<i64>() {
        Ok(VERSION) => {}
        Ok(newer) if newer > VERSION => r.error(
            "json::newer-version",
            v,
            format!("the document has version {newer}; this Tickseed reads up to {VERSION}"),
        ),
        _ => r.error(
            "json::bad-version",
            v,
            format!("expected the version {VERSION}, found {}", r.shown(v)),
        ),
    }
}

fn item(r: &mut Reader<'_>, json: Json<'_, '_>) -> Option<Item> {
    let mut out = None;
    let mut count = 0;
    r.fields(json, known::ITEM, |r, key, v| {
        count += 1;
        out = Some(match key {
            "import" => Item::Import(import(r, v)),
            "tree" => Item::Tree(tree(r, v)),
            "model" => Item::Model(model(r, v)),
            "keys" => Item::Keys(keys(r, v)),
            _ => Item::Enum(enumeration(r, v)),
        });
    })?;
    if count != 1 {
        let message = format!(
            "expected exactly one of the fields {}, found {count}",
            known::ITEM.join(", ")
        );
        r.error("json::bad-item", json, message);
    }
    out
}

fn import(r: &mut Reader<'_>, json: Json<'_, '_>) -> Import {
    let mut out = Import {
        span: r.span(json),
        ..Import::default()
    };
    let seen = r.fields(json, known::IMPORT, |r, key, v| match key {
        "path" => out.path = r.name(v),
        "attributes" => out.attributes = r.list(v, attribute),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["path"]);
    out
}

fn tree(r: &mut Reader<'_>, json: Json<'_, '_>) -> Tree {
    let mut out = Tree {
        span: r.span(json),
        ..Tree::default()
    };
    let seen = r.fields(json, known::TREE, |r, key, v| match key {
        "name" => out.name = r.name(v),
        "doc" => out.doc = r.string(v),
        "attributes" => out.attributes = r.list(v, attribute),
        "params" => out.params = r.list(v, port),
        "keys" => out.keys = r.list(v, keys),
        "body" => out.body = r.list(v, |r, v| node(r, v, 1)),
        "comments_inside" => out.inner = r.list(v, comment),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["name", "body"]);
    out
}

fn node(r: &mut Reader<'_>, json: Json<'_, '_>, depth: usize) -> Node {
    let mut out = Node {
        span: r.span(json),
        ..Node::default()
    };
    if depth > MAX_DEPTH {
        // One report for the whole branch: the levels below would each repeat it.
        r.error(
            "json::too-deep",
            json,
            format!("nodes are nested deeper than the limit of {MAX_DEPTH} levels"),
        );
        return out;
    }
    if r.too_many_nodes(json) {
        return out;
    }
    let seen = r.fields(json, known::NODE, |r, key, v| match key {
        "kind" => out.kind = r.name(v),
        "form" => {
            out.form = r.word(
                v,
                Category::ALL.map(|(word, category)| (word, Form::Explicit(category))),
            )
        }
        "name" => out.name = Some(r.name(v)),
        "disabled" => out.disabled = r.bool(v),
        "doc" => out.doc = r.string(v),
        "attributes" => out.attributes = r.list(v, attribute),
        "children" => out.children = r.list(v, |r, v| node(r, v, depth + 1)),
        "comments_inside" => out.inner = r.list(v, comment),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["kind"]);
    out
}

pub(super) fn attribute(r: &mut Reader<'_>, json: Json<'_, '_>) -> Attribute {
    let mut out = Attribute {
        role: Role::Metadata,
        name: None,
        value: None,
        span: r.span(json),
    };
    let mut roles = 0;
    let seen = r.fields(json, known::ATTRIBUTE, |r, key, v| {
        let role = match key {
            "argument" => Role::Argument,
            "option" => Role::Option,
            "metadata" => Role::Metadata,
            "hook" => {
                roles += 1;
                let hook = r.word(v, Hook::ALL.map(|(hook, words, _)| (words, hook)));
                out.role = Role::Hook(hook);
                return;
            }
            "name" => {
                out.name = Some(r.name(v));
                return;
            }
            _ => {
                out.value = Some(value(r, v));
                return;
            }
        };
        roles += 1;
        out.role = role;
        if v.kind() != Kind::Null {
            out.name = Some(r.name(v));
        }
    });
    if seen.is_some() && roles != 1 {
        let message = "expected exactly one of the fields argument, option, hook, metadata";
        r.error(
            "json::bad-attribute",
            json,
            format!("{message}, found {roles}"),
        );
    }
    out
}

fn model(r: &mut Reader<'_>, json: Json<'_, '_>) -> NodeModel {
    let mut out = NodeModel {
        category: Category::Leaf,
        name: Default::default(),
        ports: Vec::new(),
        attributes: Vec::new(),
        doc: None,
        trivia: Trivia::default(),
        span: r.span(json),
    };
    let seen = r.fields(json, known::MODEL, |r, key, v| match key {
        "category" => out.category = r.word(v, Category::ALL),
        "name" => out.name = r.name(v),
        "doc" => out.doc = r.string(v),
        "attributes" => out.attributes = r.list(v, attribute),
        "ports" => out.ports = r.list(v, port),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["category", "name"]);
    out
}

fn port(r: &mut Reader<'_>, json: Json<'_, '_>) -> Port {
    let mut out = Port {
        span: r.span(json),
        ..Port::default()
    };
    let directions = [Direction::In, Direction::Out, Direction::InOut].map(|d| (d.word(), d));
    let seen = r.fields(json, known::PORT, |r, key, v| match key {
        "direction" => out.direction = r.word(v, directions),
        "name" => out.name = r.name(v),
        "type" => out.ty = Some(r.name(v)),
        "default" => out.default = Some(value(r, v)),
        "doc" => out.doc = r.string(v),
        "attributes" => out.attributes = r.list(v, attribute),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["direction", "name"]);
    out
}

pub(super) fn key_blocks(r: &mut Reader<'_>, json: Json<'_, '_>) -> Vec<Keys> {
    r.list(json, keys)
}

fn keys(r: &mut Reader<'_>, json: Json<'_, '_>) -> Keys {
    let mut out = Keys {
        span: r.span(json),
        ..Keys::default()
    };
    let seen = r.fields(json, known::KEYS, |r, key, v| match key {
        "keys" => out.keys = r.list(v, key_declaration),
        "comments_inside" => out.inner = r.list(v, comment),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["keys"]);
    out
}

fn key_declaration(r: &mut Reader<'_>, json: Json<'_, '_>) -> KeyDecl {
    let mut out = KeyDecl {
        span: r.span(json),
        ..KeyDecl::default()
    };
    let seen = r.fields(json, known::KEY, |r, key, v| match key {
        "name" => out.name = r.name(v),
        "type" => out.ty = Some(r.name(v)),
        "initial" => out.initial = Some(value(r, v)),
        "doc" => out.doc = r.string(v),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["name"]);
    out
}

fn enumeration(r: &mut Reader<'_>, json: Json<'_, '_>) -> EnumModel {
    let mut out = EnumModel {
        span: r.span(json),
        ..EnumModel::default()
    };
    let seen = r.fields(json, known::ENUM, |r, key, v| match key {
        "name" => out.name = r.name(v),
        "words" => out.words = r.list(v, word),
        "doc" => out.doc = r.string(v),
        _ => trivia(r, &mut out.trivia, key, v),
    });
    require(r, json, seen, &["name", "words"]);
    out
}

fn word(r: &mut Reader<'_>, json: Json<'_, '_>) -> EnumWord {
    let mut out = EnumWord::default();
    if json.kind() != Kind::Object {
        out.name = r.name(json);
        return out;
    }
    let seen = r.fields(json, known::WORD, |r, key, v| match key {
        "name" => out.name = r.name(v),
        _ => out.number = Some(r.int(v)),
    });
    require(r, json, seen, &["name"]);
    out
}

fn trivia(r: &mut Reader<'_>, trivia: &mut Trivia, key: &str, v: Json<'_, '_>) {
    match key {
        "blank_before" => trivia.blank_before = r.bool(v),
        "comments" => trivia.leading = r.list(v, comment),
        _ => trivia.trailing = Some(comment(r, v)),
    }
}

fn comment(r: &mut Reader<'_>, json: Json<'_, '_>) -> Comment {
    let mut out = Comment {
        span: r.span(json),
        ..Comment::default()
    };
    if json.kind() != Kind::Object {
        out.text = r.string(json).unwrap_or_default();
        return out;
    }
    let seen = r.fields(json, known::COMMENT, |r, key, v| match key {
        "text" => out.text = r.string(v).unwrap_or_default(),
        _ => out.blank_after = r.bool(v),
    });
    require(r, json, seen, &["text"]);
    out
}

pub(super) fn value(r: &mut Reader<'_>, json: Json<'_, '_>) -> Value {
    let span = r.span(json);
    let literal = match json.kind() {
        Kind::Null => Literal::None,
        Kind::Bool => Literal::Bool(json.raw() == "true"),
        Kind::String => Literal::Text(r.string(json).unwrap_or_default().into()),
        Kind::Array => Literal::List(r.list(json, value)),
        Kind::Number => number(r, json),
        Kind::Object => {
            return Value {
                kind: tagged(r, json),
                span,
            };
        }
    };
    Value::literal(literal, span)
}

fn number(r: &mut Reader<'_>, json: Json<'_, '_>) -> Literal {
    let raw = json.raw();
    if raw.contains(['.', 'e', 'E']) {
        return Literal::Float(Number {
            value: r.float(json),
            raw: raw.to_owned().into(),
        });
    }
    // `-0` and whole numbers beyond 64 bits keep their value as floats would; the spelling stays.
    Literal::Int(Number {
        value: r.int(json),
        raw: raw.to_owned().into(),
    })
}

/// The parts of a value written as an object; which belong together is checked at the end.
#[derive(Default)]
struct Tagged {
    kind: Option<ValueKind>,
    raw: Option<String>,
    nanos: Option<i64>,
    dialect: Dialect,
    range: Option<Vec<Value>>,
}

fn tagged(r: &mut Reader<'_>, json: Json<'_, '_>) -> ValueKind {
    let mut parts = Tagged::default();
    let mut count = 0;
    let seen = r.fields(json, known::VALUE, |r, key, v| {
        let text = |r: &mut Reader<'_>| r.string(v).unwrap_or_default();
        let kind = match key {
            "key" => ValueKind::Key(KeyRef {
                scope: KeyScope::Local,
                name: text(r).into(),
            }),
            "root_key" => ValueKind::Key(KeyRef {
                scope: KeyScope::Root,
                name: text(r).into(),
            }),
            "same_name" => {
                if !r.bool(v) {
                    r.error("json::bad-value", v, "expected true".into());
                }
                ValueKind::SameName
            }
            "code" => ValueKind::Code(Code {
                text: text(r).into(),
                dialect: Dialect::default(),
            }),
            "word" => ValueKind::Literal(Literal::Word(text(r).into())),
            "duration" => ValueKind::Literal(Literal::Duration(Number {
                value: 0,
                raw: text(r).into(),
            })),
            "int" => ValueKind::Literal(Literal::Int(Number {
                value: r.int(v),
                raw: String::new().into(),
            })),
            "float" => ValueKind::Literal(Literal::Float(Number {
                value: r.float(v),
                raw: String::new().into(),
            })),
            "range" => {
                let ends = r.list(v, value);
                if ends.len() != 2 {
                    r.error(
                        "json::bad-value",
                        v,
                        format!("expected two values, found {}", ends.len()),
                    );
                }
                parts.range = Some(ends);
                ValueKind::default()
            }
            "dialect" => {
                parts.dialect = r.word(v, [("tick", Dialect::Tick), ("btcpp", Dialect::BtCpp)]);
                return;
            }
            "nanos" => {
                parts.nanos = Some(r.int(v));
                return;
            }
            _ => {
                parts.raw = Some(text(r));
                return;
            }
        };
        count += 1;
        parts.kind = Some(kind);
    });
    if seen.is_some() && count != 1 {
        let choice = "key, root_key, same_name, code, range, word, duration, int, float";
        r.error(
            "json::bad-value",
            json,
            format!("expected exactly one of the fields {choice}, found {count}"),
        );
    }
    finish(r, json, parts)
}

fn finish(r: &mut Reader<'_>, json: Json<'_, '_>, parts: Tagged) -> ValueKind {
    let mut kind = parts.kind.unwrap_or_default();
    match &mut kind {
        ValueKind::Code(code) => code.dialect = parts.dialect,
        ValueKind::Literal(Literal::Duration(number)) => {
            match parts.nanos.or_else(|| parse_duration(&number.raw)) {
                Some(nanos) => number.value = nanos,
                None => {
                    let message = format!(
                        "expected a duration such as \"800ms\", found {:?}",
                        number.raw
                    );
                    r.error("json::bad-value", json, message);
                }
            }
        }
        ValueKind::Literal(Literal::Int(number)) => {
            number.raw = parts.raw.unwrap_or_else(|| number.value.to_string()).into();
        }
        ValueKind::Literal(Literal::Float(number)) => {
            number.raw = parts
                .raw
                .unwrap_or_else(|| format!("{:?}", number.value))
                .into();
        }
        _ => {}
    }
    match parts.range.map(<[Value; 2]>::try_from) {
        Some(Ok([from, to])) => ValueKind::Range(Box::new(from), Box::new(to)),
        _ => kind,
    }
}

fn require(r: &mut Reader<'_>, json: Json<'_, '_>, seen: Option<Seen>, fields: &[&'static str]) {
    if let Some(seen) = seen {
        for field in fields {
            r.require(json, &seen, field);
        }
    }
}
