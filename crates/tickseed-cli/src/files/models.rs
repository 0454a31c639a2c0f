//! `tickseed models`.

use std::collections::BTreeMap;
use std::io::Write;

use tickseed_lang::builtin::builtin;
use tickseed_lang::compat;
use tickseed_lang::model::{
    Category, Direction, Document, Form, Item, Name, Node, NodeModel, Port, Span, Trivia,
};

use super::convert::write;
use super::input::{self, FormatName};
use super::messages::Messages;
use crate::fail::Fail;

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  tickseed models robot.xml --format tick > nodes.tick    descriptions from XML to .tick
  tickseed models nodes.tick --format xml                 a TreeNodesModel for Groot
  tickseed models nodes.xml --into guard.tick             put descriptions into a tree file

Exit codes: 0 done, 1 a file has errors, 2 the command line makes no sense.")]
pub(crate) struct Models {
    /// Files whose descriptions, and those of what they include, are printed
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// How they are written
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "xml",
        conflicts_with = "into"
    )]
    format: FormatName,
    /// Also describe nodes that are used but nowhere described, by how they are used
    #[arg(long)]
    infer: bool,
    /// Put them into this tree file instead, in place of those of the same name that it has
    #[arg(long, value_name = "FILE")]
    into: Option<String>,
}

impl Models {
    /// Collects and prints.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let mut messages = Messages::on_stderr();
        let mut models: BTreeMap<String, NodeModel> = BTreeMap::new();
        let mut enums: Vec<Item> = Vec::new();
        let mut used: BTreeMap<String, NodeModel> = BTreeMap::new();
        for file in &self.files {
            let loaded = input::load(file, None)?;
            let errors: Vec<_> = (loaded.diagnostics.iter())
                .filter(|d| d.is_error())
                .cloned()
                .collect();
            messages.print(&errors, &loaded.sources, &mut std::io::stderr().lock())?;
            let trees: Vec<&str> = (loaded.documents.iter())
                .flat_map(Document::trees)
                .map(|tree| tree.name.as_str())
                .collect();
            for item in loaded.documents.iter().flat_map(|document| &document.items) {
                match item {
                    Item::Model(model) if model.category != Category::Subtree => {
                        models.insert(model.name.text.to_string(), model.clone());
                    }
                    Item::Enum(_) if !enums.contains(item) => enums.push(item.clone()),
                    Item::Tree(tree) if self.infer => {
                        for root in &tree.body {
                            root.walk(&mut |node| infer(node, &trees, &mut used));
                        }
                    }
                    _ => {}
                }
            }
        }
        if messages.errors > 0 {
            eprintln!("{}", messages.counts());
            return Err(Fail::Findings);
        }
        for (name, model) in used {
            models.entry(name).or_insert(model);
        }
        let mut items = enums;
        items.extend(models.into_values().map(|model| {
            Item::Model(NodeModel {
                trivia: Trivia::default(),
                ..model
            })
        }));
        match &self.into {
            Some(path) => put(path, items),
            None => {
                let document = Document {
                    items,
                    ..Document::default()
                };
                Ok(std::io::stdout()
                    .lock()
                    .write_all(&write(&document, self.format))?)
            }
        }
    }
}

/// Puts items into a file, in place of those of the same name.
fn put(path: &str, items: Vec<Item>) -> Result<(), Fail> {
    let bytes = input::read(path)?;
    let loaded = input::load(path, None)?;
    let format = tickseed_lang::load::detect(path, &bytes);
    let broken = loaded.diagnostics.iter().any(|d| d.is_error());
    let Some(mut document) = loaded.documents.into_iter().next_back().filter(|_| !broken) else {
        let mut messages = Messages::on_stderr();
        messages.print(
            &loaded.diagnostics,
            &loaded.sources,
            &mut std::io::stderr().lock(),
        )?;
        return Err(Fail::Findings);
    };
    let name = |item: &Item| match item {
        Item::Model(model) => Some(("model", model.name.text.clone())),
        Item::Enum(model) => Some(("enum", model.name.text.clone())),
        _ => None,
    };
    for item in items {
        let same = |other: &Item| name(other).is_some() && name(other) == name(&item);
        match document.items.iter().position(same) {
            Some(at) => document.items[at] = item,
            None => document.items.push(item),
        }
    }
    let to = match format {
        tickseed_lang::model::Format::Xml => {
            let text = String::from_utf8_lossy(&bytes);
            let updated = tickseed_lang::xml::update(&text, &document);
            return std::fs::write(path, updated).map_err(|e| Fail::File(path.to_owned(), e));
        }
        tickseed_lang::model::Format::Json => FormatName::Json,
        tickseed_lang::model::Format::Binary => FormatName::Binary,
        _ => FormatName::Tick,
    };
    std::fs::write(path, write(&document, to)).map_err(|e| Fail::File(path.to_owned(), e))
}

/// Describes a node by how it is used, adding to what other uses told.
fn infer(node: &Node, trees: &[&str], used: &mut BTreeMap<String, NodeModel>) {
    let kind = node.kind.as_str();
    // What the language or BehaviorTree.CPP has needs no description.
    let known = builtin(kind).is_some() || compat::models().any(|model| model.name == kind);
    if known || trees.contains(&kind) {
        return;
    }
    let category = match node.form {
        Form::Explicit(Category::Subtree) => return,
        Form::Explicit(category) => category,
        Form::Compact => match node.children.len() {
            0 => Category::Leaf,
            1 => Category::Decorator,
            _ => Category::Control,
        },
    };
    let model = used.entry(kind.to_owned()).or_insert_with(|| NodeModel {
        category,
        name: Name::from(kind),
        ports: Vec::new(),
        attributes: Vec::new(),
        doc: None,
        trivia: Trivia::default(),
        span: Span::default(),
    });
    // One use with several children shows that it takes several.
    model.category = model.category.max(category);
    for argument in node.arguments() {
        let Some(name) = &argument.name else { continue };
        // A key may be read or written: uses do not tell.
        let direction = if argument.is_key() {
            Direction::InOut
        } else {
            Direction::In
        };
        let same = |port: &&mut Port| port.name == name.as_str();
        match model.ports.iter_mut().find(same) {
            Some(port) if direction == Direction::InOut => port.direction = direction,
            Some(_) => {}
            None => model.ports.push(Port {
                direction,
                name: name.clone(),
                ..Port::default()
            }),
        }
    }
}
