//! From bytes to a document. Each function mirrors one of [`super::write`].

use super::wire::{IN_ADVANCE, Reader, Result};
use super::{BinaryError, MAX_NODES};
use crate::model::{
    Attribute, Category, Code, Comment, Dialect, Direction, Document, EnumModel, EnumWord, Form,
    Format, Hook, Import, Item, KeyDecl, KeyRef, KeyScope, Keys, Literal, MAX_DEPTH, Name, Node,
    NodeModel, Number, Port, Role, Span, Tree, Trivia, Value, ValueKind,
};

/// Deepest nesting of lists and ranges in a value.
const MAX_VALUE_DEPTH: usize = 1_000;

/// The parts that follow, asked for in the order of the parts.
struct Parts(u64);

impl Parts {
    fn next(&mut self) -> bool {
        let present = self.0 & 1 == 1;
        self.0 >>= 1;
        present
    }

    /// Asks for a part and reads it if it is there.
    fn maybe<'b, T>(
        &mut self,
        r: &mut Reader<'b>,
        read: impl FnOnce(&mut Reader<'b>) -> Result<T>,
    ) -> Result<Option<T>> {
        if self.next() {
            read(r).map(Some)
        } else {
            Ok(None)
        }
    }
}

pub(super) fn document(payload: &[u8]) -> Result<Document> {
    let mut reader = Reader::new(payload)?;
    let r = &mut reader;
    let mut parts = Parts(r.number()?);
    let mut nodes = Nodes { left: MAX_NODES };
    let document = Document {
        format: Format::Binary,
        version: parts.maybe(r, name)?,
        main: parts.maybe(r, name)?,
        doc: parts.maybe(r, Reader::string)?,
        trivia: parts.maybe(r, trivia)?.unwrap_or_default(),
        attributes: attributes(r)?,
        items: r.list(|r| item(r, &mut nodes))?,
        inner: r.list(comment)?,
        ..Document::default()
    };
    reader.finish()?;
    Ok(document)
}

fn item(r: &mut Reader<'_>, nodes: &mut Nodes) -> Result<Item> {
    Ok(match r.byte()? {
        0 => Item::Import(Import {
            path: name(r)?,
            attributes: attributes(r)?,
            trivia: trivia(r)?,
            ..Import::default()
        }),
        1 => Item::Tree(tree(r, nodes)?),
        2 => Item::Model(model(r)?),
        3 => Item::Keys(keys(r)?),
        4 => Item::Enum(enumeration(r)?),
        _ => return Err(r.invalid("an item")),
    })
}

fn tree(r: &mut Reader<'_>, nodes: &mut Nodes) -> Result<Tree> {
    let mut parts = Parts(r.number()?);
    Ok(Tree {
        name: name(r)?,
        doc: parts.maybe(r, Reader::string)?,
        trivia: parts.maybe(r, trivia)?.unwrap_or_default(),
        params: r.list(port)?,
        keys: r.list(keys)?,
        attributes: attributes(r)?,
        body: nodes.list(r, 1)?,
        inner: r.list(comment)?,
        ..Tree::default()
    })
}

/// Counts nodes: they are much larger in memory than on the wire.
struct Nodes {
    left: usize,
}

impl Nodes {
    /// Nodes are put where they stay and then filled: they are large, and so moved seldom.
    fn list(&mut self, r: &mut Reader<'_>, depth: usize) -> Result<Vec<Node>> {
        let count = r.many()?;
        if depth > MAX_DEPTH && count > 0 {
            return Err(r.invalid("less deeply nested nodes"));
        }
        self.left = self
            .left
            .checked_sub(count)
            .ok_or(BinaryError::TooLarge { limit: MAX_NODES })?;
        let mut nodes = Vec::with_capacity(count.min(IN_ADVANCE));
        for _ in 0..count {
            nodes.push(Node::default());
            if let Some(node) = nodes.last_mut() {
                self.fill(node, r, depth)?;
            }
        }
        Ok(nodes)
    }

    fn fill(&mut self, node: &mut Node, r: &mut Reader<'_>, depth: usize) -> Result<()> {
        let mut parts = Parts(r.number()?);
        node.kind.text = r.short()?;
        if parts.next() {
            node.form = Form::Explicit(category(r)?);
        }
        if parts.next() {
            node.name = Some(name(r)?);
        }
        node.disabled = parts.next();
        if parts.next() {
            node.attributes = attributes(r)?;
        }
        if parts.next() {
            node.children = self.list(r, depth + 1)?;
        }
        if parts.next() {
            node.doc = Some(r.string()?);
        }
        if parts.next() {
            node.trivia = trivia(r)?;
            node.inner = r.list(comment)?;
        }
        Ok(())
    }
}

fn attributes(r: &mut Reader<'_>) -> Result<Vec<Attribute>> {
    let count = r.many()?;
    let mut attributes = Vec::with_capacity(count.min(IN_ADVANCE));
    for _ in 0..count {
        attribute(r, &mut attributes)?;
    }
    Ok(attributes)
}

/// Most documents are attributes for the most part: each is made where it stays.
#[inline]
fn attribute(r: &mut Reader<'_>, into: &mut Vec<Attribute>) -> Result<()> {
    let byte = r.byte()?;
    let role = match byte >> 2 {
        0 => Role::Argument,
        1 => Role::Option,
        2 => Role::Metadata,
        hook => match Hook::ALL.get(usize::from(hook) - 3) {
            Some(entry) => Role::Hook(entry.0),
            None => return Err(r.invalid("a role")),
        },
    };
    let name = if byte & 2 != 0 { Some(name(r)?) } else { None };
    let value = if byte & 1 != 0 { Some(value(r)?) } else { None };
    into.push(Attribute {
        role,
        name,
        value,
        span: Span::default(),
    });
    Ok(())
}

fn model(r: &mut Reader<'_>) -> Result<NodeModel> {
    let mut parts = Parts(r.number()?);
    Ok(NodeModel {
        category: category(r)?,
        name: name(r)?,
        doc: parts.maybe(r, Reader::string)?,
        trivia: parts.maybe(r, trivia)?.unwrap_or_default(),
        ports: r.list(port)?,
        attributes: attributes(r)?,
        span: Span::default(),
    })
}

fn port(r: &mut Reader<'_>) -> Result<Port> {
    let mut parts = Parts(r.number()?);
    let direction = match r.byte()? {
        0 => Direction::In,
        1 => Direction::Out,
        2 => Direction::InOut,
        _ => return Err(r.invalid("a direction")),
    };
    Ok(Port {
        direction,
        name: name(r)?,
        ty: parts.maybe(r, name)?,
        default: parts.maybe(r, value)?,
        doc: parts.maybe(r, Reader::string)?,
        trivia: parts.maybe(r, trivia)?.unwrap_or_default(),
        attributes: attributes(r)?,
        span: Span::default(),
    })
}

fn keys(r: &mut Reader<'_>) -> Result<Keys> {
    Ok(Keys {
        keys: r.list(key)?,
        trivia: trivia(r)?,
        inner: r.list(comment)?,
        span: Span::default(),
    })
}

fn key(r: &mut Reader<'_>) -> Result<KeyDecl> {
    let mut parts = Parts(r.number()?);
    Ok(KeyDecl {
        name: name(r)?,
        ty: parts.maybe(r, name)?,
        initial: parts.maybe(r, value)?,
        doc: parts.maybe(r, Reader::string)?,
        trivia: parts.maybe(r, trivia)?.unwrap_or_default(),
        span: Span::default(),
    })
}

fn enumeration(r: &mut Reader<'_>) -> Result<EnumModel> {
    let mut parts = Parts(r.number()?);
    Ok(EnumModel {
        name: name(r)?,
        doc: parts.maybe(r, Reader::string)?,
        trivia: parts.maybe(r, trivia)?.unwrap_or_default(),
        words: r.list(|r| {
            let mut parts = Parts(u64::from(r.byte()?));
            Ok(EnumWord {
                name: name(r)?,
                number: parts.maybe(r, Reader::signed)?,
            })
        })?,
        span: Span::default(),
    })
}

fn value(r: &mut Reader<'_>) -> Result<Value> {
    nested_value(r, 0)
}

fn nested_value(r: &mut Reader<'_>, depth: usize) -> Result<Value> {
    if depth > MAX_VALUE_DEPTH {
        return Err(r.invalid("a less deeply nested value"));
    }
    let literal = match r.byte()? {
        0 => Literal::None,
        1 => Literal::Bool(false),
        2 => Literal::Bool(true),
        3 => Literal::Int(Number {
            value: r.signed()?,
            raw: r.short()?,
        }),
        4 => Literal::Float(Number {
            value: r.float()?,
            raw: r.short()?,
        }),
        5 => Literal::Duration(Number {
            value: r.signed()?,
            raw: r.short()?,
        }),
        6 => Literal::Text(r.short()?),
        7 => Literal::Word(r.short()?),
        8 => Literal::List(r.list(|r| nested_value(r, depth + 1))?),
        tag => {
            let kind = match tag {
                9 => ValueKind::Key(KeyRef {
                    scope: KeyScope::Local,
                    name: r.short()?,
                }),
                10 => ValueKind::Key(KeyRef {
                    scope: KeyScope::Root,
                    name: r.short()?,
                }),
                11 => ValueKind::SameName,
                12 => ValueKind::Code(Code {
                    text: r.short()?,
                    dialect: Dialect::Tick,
                }),
                13 => ValueKind::Code(Code {
                    text: r.short()?,
                    dialect: Dialect::BtCpp,
                }),
                14 => {
                    let from = nested_value(r, depth + 1)?;
                    ValueKind::Range(Box::new(from), Box::new(nested_value(r, depth + 1)?))
                }
                _ => return Err(r.invalid("a value")),
            };
            return Ok(Value {
                kind,
                span: Span::default(),
            });
        }
    };
    Ok(Value::literal(literal, Span::default()))
}

fn trivia(r: &mut Reader<'_>) -> Result<Trivia> {
    let byte = r.byte()?;
    let leading = r.list(comment)?;
    let trailing = if byte & 2 != 0 {
        Some(comment(r)?)
    } else {
        None
    };
    Ok(Trivia {
        blank_before: byte & 1 != 0,
        leading,
        trailing,
    })
}

fn comment(r: &mut Reader<'_>) -> Result<Comment> {
    Ok(Comment {
        blank_after: r.byte()? != 0,
        text: r.string()?,
        span: Span::default(),
    })
}

fn category(r: &mut Reader<'_>) -> Result<Category> {
    let index = usize::from(r.byte()?);
    Category::ALL
        .get(index)
        .map(|entry| entry.1)
        .ok_or_else(|| r.invalid("a category"))
}

#[inline]
fn name(r: &mut Reader<'_>) -> Result<Name> {
    Ok(Name::new(r.short()?, Span::default()))
}
