//! From a document to XML.

use super::extra::{self, Owner, Written};
use super::names::{EXPLICIT, STRUCTURE, builtin, current_node, is_xml_name, tag};
use super::syntax::{encode_attribute, encode_text};
use crate::json;
use crate::model::{
    Attribute, Category, Comment, Document, EnumModel, Form, Import, Item, Keys, Name, Node,
    NodeModel, Port, Role, Tree, Trivia,
};
use std::collections::HashSet;

struct Writer<'d> {
    out: String,
    indent: usize,
    /// Names of the trees: uses of them are written as `<SubTree>`.
    trees: HashSet<&'d str>,
}

pub(super) fn write(document: &Document) -> String {
    let trees = document.trees().map(|tree| tree.name.as_str()).collect();
    let mut writer = Writer {
        out: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
        indent: 0,
        trees,
    };
    writer.document(document);
    writer.out
}

impl Writer<'_> {
    fn document(&mut self, document: &Document) {
        let mut root = Written::default();
        root.put("BTCPP_format", "4");
        root.maybe(
            "main_tree_to_execute",
            document.main.as_ref().map(Name::as_str),
        );
        root.maybe(extra::DESCRIPTION, document.doc.as_deref());
        root.attributes(
            Owner::Other(&["BTCPP_format", "main_tree_to_execute"]),
            &document.attributes,
            false,
        );
        root.maybe(extra::ITEMS, unnatural_order(document));
        self.comments(&document.trivia.leading);
        let has_params = document.trees().any(|tree| !tree.params.is_empty());
        let empty = document.items.is_empty() && document.inner.is_empty();
        self.element("root", root, empty, |w| {
            let mut models_written = false;
            for item in &document.items {
                match item {
                    Item::Import(import) => w.import(import),
                    Item::Tree(tree) => w.tree(tree),
                    Item::Model(_) if models_written => {}
                    Item::Model(_) => {
                        models_written = true;
                        w.models(document);
                    }
                    Item::Keys(keys) => w.keys(keys),
                    Item::Enum(model) => w.enumeration(model),
                }
            }
            if has_params && !models_written {
                w.models(document);
            }
            w.comments(&document.inner);
        });
        self.end(&document.trivia);
    }

    fn import(&mut self, import: &Import) {
        let mut attributes = Written::default();
        attributes.put("path", import.path.as_str());
        attributes.attributes(Owner::Other(&["path"]), &import.attributes, false);
        self.begin(&import.trivia);
        self.element("include", attributes, true, |_| {});
        self.end(&import.trivia);
    }

    fn tree(&mut self, tree: &Tree) {
        let mut attributes = Written::default();
        attributes.put("ID", tree.name.as_str());
        attributes.maybe(extra::DESCRIPTION, tree.doc.as_deref());
        attributes.attributes(Owner::Other(&["ID"]), &tree.attributes, false);
        if !tree.keys.is_empty() {
            attributes.put(extra::KEYS, json::write_keys(&tree.keys));
        }
        self.begin(&tree.trivia);
        self.element(
            "BehaviorTree",
            attributes,
            tree.body.is_empty() && tree.inner.is_empty(),
            |w| {
                for node in &tree.body {
                    w.node(node);
                }
                w.comments(&tree.inner);
            },
        );
        self.end(&tree.trivia);
    }

    fn node(&mut self, node: &Node) {
        let kind = node.kind.as_str();
        let (tag, id, form) = self.tag(node);
        let mut attributes = Written::default();
        if id {
            attributes.put("ID", kind);
        }
        attributes.maybe("name", node.name.as_ref().map(Name::as_str));
        attributes.maybe(extra::FORM, form);
        attributes.maybe(extra::DESCRIPTION, node.doc.as_deref());
        let owner = if tag == "SubTree" { "SubTree" } else { kind };
        attributes.attributes(Owner::Node(owner), &node.attributes, node.disabled);
        if node.disabled {
            attributes.put(extra::DISABLED, "true");
            attributes.put("_skipIf", "true");
        }
        self.begin(&node.trivia);
        self.element(
            tag,
            attributes,
            node.children.is_empty() && node.inner.is_empty(),
            |w| {
                for child in &node.children {
                    w.node(child);
                }
                w.comments(&node.inner);
            },
        );
        self.end(&node.trivia);
    }

    /// A node's tag, whether it needs `ID`, and its form where tag and `ID` would be read otherwise.
    fn tag<'n>(&self, node: &'n Node) -> (&'n str, bool, Option<&'static str>) {
        let kind = node.kind.as_str();
        // Kinds that a reader would take for an old spelling are marked as meant.
        let old = current_node(kind).is_some();
        match node.form {
            Form::Explicit(Category::Leaf) => {
                (tag(Category::Leaf), true, Some(Category::Leaf.word()))
            }
            Form::Explicit(category) => {
                let mark = old && category != Category::Subtree;
                (tag(category), true, mark.then_some(category.word()))
            }
            Form::Compact if builtin(kind).is_none() && self.trees.contains(kind) => {
                ("SubTree", true, Some("compact"))
            }
            Form::Compact => {
                let structural =
                    STRUCTURE.contains(&kind) || EXPLICIT.iter().any(|(name, _)| *name == kind);
                if is_xml_name(kind) && !structural && !old {
                    return (kind, false, None);
                }
                let category = match node.children.len() {
                    0 => Category::Action,
                    1 => Category::Decorator,
                    _ => Category::Control,
                };
                (tag(category), true, Some("compact"))
            }
        }
    }

    /// All models, wherever they stand: XML has one place for them. Parameters of trees go with them.
    fn models(&mut self, document: &Document) {
        self.element("TreeNodesModel", Written::default(), false, |w| {
            for model in document.models() {
                w.model(model, None);
            }
            for (index, tree) in document.trees().enumerate() {
                if !tree.params.is_empty() {
                    let model = NodeModel {
                        category: Category::Subtree,
                        name: tree.name.clone(),
                        ports: tree.params.clone(),
                        attributes: Vec::new(),
                        doc: None,
                        trivia: Trivia::default(),
                        span: tree.span,
                    };
                    w.model(&model, Some(index));
                }
            }
        });
        self.out.push('\n');
    }

    fn model(&mut self, model: &NodeModel, of_tree: Option<usize>) {
        let mut attributes = Written::default();
        attributes.put("ID", model.name.as_str());
        attributes.maybe(
            extra::FORM,
            (model.category == Category::Leaf).then_some("leaf"),
        );
        attributes.maybe(extra::PARAMS, of_tree.map(|index| index.to_string()));
        attributes.maybe(extra::DESCRIPTION, model.doc.as_deref());
        // Attributes of the element come first when it is read; any other order takes the long way.
        let natural = |a: &Attribute| {
            a.name
                .as_ref()
                .is_some_and(|name| name.as_str().starts_with("xml:"))
        };
        let first_field = model
            .attributes
            .iter()
            .position(|a| !natural(a))
            .unwrap_or(model.attributes.len());
        attributes.attributes(Owner::Model, &model.attributes[..first_field], false);
        let mut fields = Vec::new();
        for (index, attribute) in model.attributes.iter().enumerate().skip(first_field) {
            match field(attribute) {
                Some(field) => fields.push(field),
                None => attributes.fallback(index, attribute),
            }
        }
        self.begin(&model.trivia);
        let empty = model.ports.is_empty() && fields.is_empty();
        self.element(tag(model.category), attributes, empty, |w| {
            for port in &model.ports {
                w.port(port);
            }
            if !fields.is_empty() {
                w.element("MetadataFields", Written::default(), false, |w| {
                    for field in fields {
                        w.line_start();
                        w.element("Metadata", field, true, |_| {});
                        w.out.push('\n');
                    }
                });
                w.out.push('\n');
            }
        });
        self.end(&model.trivia);
    }

    fn port(&mut self, port: &Port) {
        use crate::model::Direction;
        let mut attributes = Written::default();
        attributes.put("name", port.name.as_str());
        attributes.maybe("type", port.ty.as_ref().map(Name::as_str));
        if let Some(default) = &port.default {
            attributes.value("default", default);
        }
        attributes.attributes(
            Owner::Other(&["name", "type", "default"]),
            &port.attributes,
            false,
        );
        // Text is read without the space around it, and saving may indent its lines anew.
        let text = port
            .doc
            .as_deref()
            .filter(|doc| !doc.is_empty() && doc.trim() == *doc && !doc.contains('\n'));
        if text.is_none() {
            attributes.maybe(extra::DESCRIPTION, port.doc.as_deref());
        }
        self.begin(&port.trivia);
        let tag = match port.direction {
            Direction::In => "input_port",
            Direction::Out => "output_port",
            Direction::InOut => "inout_port",
        };
        self.open(tag, &attributes);
        match text {
            Some(text) => {
                self.out.push('>');
                self.out.push_str(&encode_text(text));
                self.close(tag);
            }
            None => self.out.push_str("/>"),
        }
        self.end(&port.trivia);
    }

    fn keys(&mut self, keys: &Keys) {
        self.begin(&keys.trivia);
        self.element(
            "TickKeys",
            Written::default(),
            keys.keys.is_empty() && keys.inner.is_empty(),
            |w| {
                for key in &keys.keys {
                    let mut attributes = Written::default();
                    attributes.put("name", key.name.as_str());
                    attributes.maybe("type", key.ty.as_ref().map(Name::as_str));
                    if let Some(initial) = &key.initial {
                        attributes.value("initial", initial);
                    }
                    attributes.maybe(extra::DESCRIPTION, key.doc.as_deref());
                    w.begin(&key.trivia);
                    w.element("Key", attributes, true, |_| {});
                    w.end(&key.trivia);
                }
                w.comments(&keys.inner);
            },
        );
        self.end(&keys.trivia);
    }

    fn enumeration(&mut self, model: &EnumModel) {
        let mut attributes = Written::default();
        attributes.put("name", model.name.as_str());
        attributes.maybe(extra::DESCRIPTION, model.doc.as_deref());
        self.begin(&model.trivia);
        self.element("TickEnum", attributes, model.words.is_empty(), |w| {
            for word in &model.words {
                let mut attributes = Written::default();
                attributes.put("name", word.name.as_str());
                attributes.maybe("number", word.number.map(|number| number.to_string()));
                w.line_start();
                w.element("Word", attributes, true, |_| {});
                w.out.push('\n');
            }
        });
        self.end(&model.trivia);
    }

    /// Writes an element from its start tag to its end tag, without what stands around it.
    fn element(
        &mut self,
        tag: &str,
        attributes: Written,
        empty: bool,
        content: impl FnOnce(&mut Self),
    ) {
        // Elements without trivia of their own begin their line here.
        if self.out.ends_with('\n') {
            self.line_start();
        }
        self.open(tag, &attributes);
        if empty {
            self.out.push_str("/>");
            return;
        }
        self.out.push_str(">\n");
        self.indent += 1;
        content(self);
        self.indent -= 1;
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.line_start();
        self.close(tag);
    }

    fn open(&mut self, tag: &str, attributes: &Written) {
        self.out.push('<');
        self.out.push_str(tag);
        for (name, text) in &attributes.0 {
            // JSON reads better between single quotes.
            let single = text.contains('"') && !text.contains('\'');
            let quote = if single { '\'' } else { '"' };
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push('=');
            self.out.push(quote);
            let encoded = encode_attribute(text);
            if single {
                self.out.push_str(&encoded.replace("&quot;", "\""));
            } else {
                self.out.push_str(&encoded);
            }
            self.out.push(quote);
        }
    }

    fn close(&mut self, tag: &str) {
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
    }

    fn line_start(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// What stands before a thing, up to the start of its line.
    fn begin(&mut self, trivia: &Trivia) {
        if trivia.blank_before {
            self.out.push('\n');
        }
        self.comments(&trivia.leading);
        self.line_start();
    }

    /// What stands behind a thing, up to the end of its line.
    fn end(&mut self, trivia: &Trivia) {
        if let Some(trailing) = &trivia.trailing {
            self.out.push(' ');
            self.comment(trailing);
        }
        self.out.push('\n');
    }

    fn comments(&mut self, comments: &[Comment]) {
        for comment in comments {
            self.line_start();
            self.comment(comment);
            self.out.push('\n');
            if comment.blank_after {
                self.out.push('\n');
            }
        }
    }

    fn comment(&mut self, comment: &Comment) {
        // XML forbids two dashes inside a comment and one at its end.
        let mut text = comment.text.replace("--", "- -");
        while text.contains("--") {
            text = text.replace("--", "- -");
        }
        let space = if text.is_empty() { "" } else { " " };
        self.out.push_str("<!-- ");
        self.out.push_str(&text.replace('\0', " "));
        self.out.push_str(space);
        self.out.push_str("-->");
    }
}

/// A metadata field as the attribute of its element, if that is read back the same.
fn field(attribute: &Attribute) -> Option<Written> {
    let name = attribute
        .name
        .as_ref()
        .filter(|_| attribute.role == Role::Metadata)?
        .as_str();
    let value = attribute.value.as_ref()?;
    let mut field = Written::default();
    field.value(name, value);
    let plain = field.0.len() == 1 && is_xml_name(name) && !name.starts_with("xml:");
    plain.then_some(field)
}

/// The order of the items, if reading would give another one: models are written in one place.
fn unnatural_order(document: &Document) -> Option<String> {
    let letters = document.items.iter().map(super::item_letter);
    let order: String = letters.map(char::from).collect();
    let first = order.find('m')?;
    let contiguous = order[first..].trim_start_matches('m');
    contiguous.contains('m').then_some(order)
}
