//! What is to be said about a name.

use std::fmt::Write;

use super::{Files, Owner, Symbol};
use crate::builtin::{Builtin, OptionSpec, OptionValue, builtin};
use crate::check::tree_names;
use crate::expr::{FUNCTIONS, Names};
use crate::fmt::format;
use crate::model::{
    Document, FileId, Item, KeyDecl, KeyRef, KeyScope, Node, NodeModel, Port, Role, Span, Tree,
    Trivia,
};

/// A few lines about the thing at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hover {
    /// The place.
    pub span: Span,
    /// What there is to say, in Markdown.
    pub text: String,
}

impl Files<'_> {
    /// What there is to say about the thing at a place.
    pub fn hover(&self, file: FileId, offset: usize) -> Option<Hover> {
        if let Some((span, option)) = self.option_at(file, offset) {
            return Some(Hover {
                span,
                text: format!("```tick\n{}\n```\n{}", option_words(option), option.doc),
            });
        }
        if let Some(found) = self.at(file, offset)
            && let Some(text) = self.about(&found.symbol)
        {
            return Some(Hover {
                span: found.span,
                text,
            });
        }
        self.function_at(file, offset)
    }

    /// What there is to say about a thing, in Markdown.
    pub fn about(&self, symbol: &Symbol) -> Option<String> {
        match symbol {
            Symbol::BuiltIn(kind) => Some(of_builtin(builtin(kind)?)),
            Symbol::Tree(name) => {
                let (_, tree) = self.trees.get(name.as_str())?;
                Some(block(&tree_head(tree), tree.doc.as_deref(), &tree.params))
            }
            Symbol::Node(name) => {
                let model = self.models.get(name.as_str())?;
                Some(block(
                    &model_line(model),
                    model.doc.as_deref(),
                    &model.ports,
                ))
            }
            Symbol::Port { node, name } => {
                let model = self.models.get(node.as_str())?;
                let port = model.ports.iter().find(|port| port.name == name.as_str())?;
                Some(block(&port_text(port), port.doc.as_deref(), &[]))
            }
            Symbol::Key { owner, name } => self.about_key(owner, name),
            Symbol::Enum(name) => {
                let mut all = self.documents.iter().flat_map(Document::enums);
                let model = all.find(|model| model.name == name.as_str())?;
                let line = item_text(Item::Enum(crate::model::EnumModel {
                    doc: None,
                    trivia: Trivia::default(),
                    ..model.clone()
                }));
                Some(block(&line, model.doc.as_deref(), &[]))
            }
            Symbol::Word(word) => {
                let mut all = self.documents.iter().flat_map(Document::enums);
                let of = all.find(|model| model.words.iter().any(|w| w.name == word.as_str()))?;
                Some(block(
                    &format!(".{word}"),
                    Some(&format!("a word of `{}`", of.name)),
                    &[],
                ))
            }
            Symbol::File(path) => Some(format!("`{path}`")),
        }
    }

    fn about_key(&self, owner: &Owner, name: &str) -> Option<String> {
        let of_tree = match owner {
            Owner::Tree(tree) => self.trees.get(tree.as_str()).map(|(_, tree)| *tree),
            Owner::Loop(_) => {
                return Some(block(
                    &format!("{name}: int"),
                    Some("the index of the loop"),
                    &[],
                ));
            }
            Owner::Root => None,
        };
        if let Some(param) = of_tree.and_then(|tree| tree.params.iter().find(|p| p.name == *name)) {
            return Some(block(&port_text(param), param.doc.as_deref(), &[]));
        }
        let declared: Option<&KeyDecl> = match of_tree {
            Some(tree) => {
                (tree.keys.iter().flat_map(|keys| &keys.keys)).find(|key| key.name == *name)
            }
            None => {
                let mut all = self.documents.iter().flat_map(Document::keys);
                all.find(|key| key.name == *name)
            }
        };
        let place = match owner {
            Owner::Tree(tree) => format!("a key of the tree `{tree}`"),
            _ => "a key of the root blackboard".to_owned(),
        };
        let Some(key) = declared else {
            return Some(block(name, Some(&place), &[]));
        };
        let documents: Vec<&Document> = self.documents.iter().collect();
        let names = tree_names(of_tree, &documents, &Names::new()).names;
        let scope = if of_tree.is_some() {
            KeyScope::Local
        } else {
            KeyScope::Root
        };
        let reference = KeyRef {
            scope,
            name: name.to_owned().into(),
        };
        let mut line = name.to_owned();
        if let Some(found) = names.find(&reference) {
            let _ = write!(line, ": {}", found.ty);
        }
        if let Some(value) = &key.initial {
            let _ = write!(line, " = {}", value.to_attribute());
        }
        let doc = match &key.doc {
            Some(doc) => format!("{doc}\n\n{place}"),
            None => place,
        };
        Some(block(&line, Some(&doc), &[]))
    }

    /// The option of a built-in node at a place.
    fn option_at(&self, file: FileId, offset: usize) -> Option<(Span, &'static OptionSpec)> {
        let document = self.document(file)?;
        let mut found = None;
        for root in document.trees().flat_map(|tree| &tree.body) {
            root.walk(&mut |node: &Node| {
                if !node.span.touches(offset) {
                    return;
                }
                let Some(spec) = builtin(node.kind.as_str()) else {
                    return;
                };
                for attribute in node.with_role(Role::Option) {
                    if let Some(name) = &attribute.name
                        && name.span.touches(offset)
                        && let Some(option) = spec.option(name.as_str())
                    {
                        found = Some((name.span, option));
                    }
                }
            });
        }
        found
    }

    fn function_at(&self, file: FileId, offset: usize) -> Option<Hover> {
        let text = self.text(file);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = text.get(..offset)?.trim_end_matches(word).len();
        let end = offset
            + text
                .get(offset..)?
                .find(|c| !word(c))
                .unwrap_or(text.len() - offset);
        let name = &text[start..end];
        let (_, _, call, doc) = FUNCTIONS.iter().find(|(_, known, ..)| *known == name)?;
        text[end..].starts_with('(').then(|| Hover {
            span: Span::new(file, start, end),
            text: format!("```tick\n{call}\n```\n{doc}"),
        })
    }
}

/// A line of code, a description, and ports that have one.
fn block(code: &str, doc: Option<&str>, ports: &[Port]) -> String {
    let mut text = format!("```tick\n{}\n```", code.trim_end());
    if let Some(doc) = doc {
        let _ = write!(text, "\n{doc}");
    }
    for port in ports {
        if let Some(doc) = &port.doc {
            let _ = write!(text, "\n- `{}`: {}", port.name, doc.replace('\n', " "));
        }
    }
    text
}

/// How a thing is written in `.tick`.
fn item_text(item: Item) -> String {
    format(&Document {
        items: vec![item],
        ..Document::default()
    })
    .trim_end()
    .to_owned()
}

fn bare(port: &Port) -> Port {
    Port {
        doc: None,
        trivia: Trivia::default(),
        attributes: Vec::new(),
        ..port.clone()
    }
}

fn model_line(model: &NodeModel) -> String {
    item_text(Item::Model(NodeModel {
        doc: None,
        trivia: Trivia::default(),
        attributes: Vec::new(),
        ports: model.ports.iter().map(bare).collect(),
        ..model.clone()
    }))
}

/// `tree Name(parameters)`.
pub(super) fn tree_head(tree: &Tree) -> String {
    let head = item_text(Item::Tree(Tree {
        name: tree.name.clone(),
        params: tree.params.iter().map(bare).collect(),
        ..Tree::default()
    }));
    head.trim_end_matches(['{', '}', '\n', ' ']).to_owned()
}

/// `in goal: vec2 = ...`.
pub(super) fn port_text(port: &Port) -> String {
    let mut text = format!("{} {}", port.direction.word(), port.name);
    if let Some(ty) = &port.ty {
        let _ = write!(text, ": {ty}");
    }
    if let Some(value) = &port.default {
        let _ = write!(text, " = {}", value.to_attribute());
    }
    text
}

/// How a built-in is written.
pub(super) fn option_words(option: &OptionSpec) -> String {
    match option.value {
        OptionValue::Flag => option.name.to_owned(),
        OptionValue::Word(words) => format!("{}({})", option.name, words.join(" | ")),
        OptionValue::NumberOrAll => format!("{}(n | all)", option.name),
        OptionValue::Value => format!("{}(x)", option.name),
        OptionValue::Values => format!("{}(...)", option.name),
    }
}

fn of_builtin(spec: &Builtin) -> String {
    let mut text = format!("```tick\n{}\n```\n{}", spec.words, spec.doc);
    if let Some(places) = spec.inside {
        let _ = write!(text, "; stands inside `{}`", places.join("` or `"));
    }
    for option in spec.options {
        let _ = write!(text, "\n- `{}`: {}", option_words(option), option.doc);
    }
    text
}
