//! The top of a file.

use super::{Printer, WIDTH, behind, names, values, width};
use crate::lex::quote;
use crate::model::{
    Attribute, Document, EnumModel, Import, Item, KeyDecl, Keys, NodeModel, Port, Role, Tree,
};

impl Printer {
    pub(super) fn document(&mut self, document: &Document) {
        if let Some(doc) = &document.doc {
            for line in doc.split('\n') {
                let text = format!("//! {}", line.trim_end());
                self.line(text.trim_end());
            }
            self.blank();
        }
        if !document.trivia.leading.is_empty() {
            self.comments(&document.trivia.leading);
        }
        self.file_metadata(document);
        self.blank();
        let mut last: Option<&Item> = None;
        for item in &document.items {
            if last.is_some_and(|last| stands_apart(last, item)) {
                self.blank();
            }
            self.item(item, document);
            last = Some(item);
        }
        if !document.inner.is_empty() {
            self.blank();
            self.comments(&document.inner);
        }
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn file_metadata(&mut self, document: &Document) {
        if let Some(version) = &document.version {
            self.line(&format!("#![version = {}]", quote(version.as_str())));
        }
        // The word `main` before the tree says it where the tree is here.
        if let Some(main) = &document.main
            && document.tree(main.as_str()).is_none()
        {
            self.line(&format!("#![main = {}]", quote(main.as_str())));
        }
        for attribute in &document.attributes {
            self.line(&format!("#![{}]", values::metadata(attribute)));
        }
    }

    fn item(&mut self, item: &Item, document: &Document) {
        match item {
            Item::Import(import) => self.import(import),
            Item::Tree(tree) => {
                // Of several trees of one name the first is meant.
                let is_main = document
                    .main
                    .as_ref()
                    .is_some_and(|main| main.text == tree.name.text)
                    && document
                        .tree(tree.name.as_str())
                        .is_some_and(|first| std::ptr::eq(first, tree));
                self.tree(tree, is_main);
            }
            Item::Model(model) => self.model(model),
            Item::Keys(keys) => self.keys(keys),
            Item::Enum(model) => self.enumeration(model),
        }
    }

    fn import(&mut self, import: &Import) {
        self.above(&import.trivia);
        self.metadata(&import.attributes);
        let text = format!(
            "import {}{}",
            quote(import.path.as_str()),
            behind(&import.trivia)
        );
        self.line(&text);
    }

    fn tree(&mut self, tree: &Tree, is_main: bool) {
        self.above(&tree.trivia);
        self.doc(tree.doc.as_ref());
        self.metadata(&tree.attributes);
        let main = if is_main { "main " } else { "" };
        let mut head = format!("{main}tree {}", names::name(tree.name.as_str()));
        if !tree.params.is_empty() {
            self.ports(&mut head, &tree.params, " {");
        }
        self.line(&format!("{head} {{{}", behind(&tree.trivia)));
        self.indent += 1;
        for keys in &tree.keys {
            self.keys(keys);
        }
        if !tree.keys.is_empty() && !tree.body.is_empty() {
            self.blank();
        }
        for node in &tree.body {
            self.node(node);
        }
        self.comments(&tree.inner);
        self.indent -= 1;
        self.close();
    }

    fn model(&mut self, model: &NodeModel) {
        self.above(&model.trivia);
        self.doc(model.doc.as_ref());
        self.metadata(&model.attributes);
        let mut head = format!(
            "{} {}",
            model.category.word(),
            names::name(model.name.as_str())
        );
        if !model.ports.is_empty() {
            self.ports(&mut head, &model.ports, "");
        }
        self.line(&format!("{head}{}", behind(&model.trivia)));
    }

    /// Adds `(in a: b, ...)` to `head`, on lines of their own if there is need; `after` follows.
    fn ports(&mut self, head: &mut String, ports: &[Port], after: &str) {
        let bare = |port: &Port| {
            port.doc.is_none()
                && port.attributes.is_empty()
                && port.trivia.leading.is_empty()
                && port.trivia.trailing.is_none()
        };
        let list: Vec<_> = ports.iter().map(port).collect();
        let line = format!("{head}({})", list.join(", "));
        if ports.iter().all(bare) && width(&line) + width(after) <= self.columns_left(WIDTH) {
            *head = line;
            return;
        }
        self.line(&format!("{head}("));
        self.indent += 1;
        for (port, text) in ports.iter().zip(list) {
            self.comments(&port.trivia.leading);
            self.doc(port.doc.as_ref());
            self.metadata(&port.attributes);
            self.line(&format!("{text},{}", behind(&port.trivia)));
        }
        self.indent -= 1;
        *head = ")".to_owned();
    }

    fn keys(&mut self, keys: &Keys) {
        self.above(&keys.trivia);
        self.line(&format!("keys {{{}", behind(&keys.trivia)));
        self.indent += 1;
        for key in &keys.keys {
            self.above(&key.trivia);
            self.doc(key.doc.as_ref());
            self.line(&format!("{}{}", self::key(key), behind(&key.trivia)));
        }
        self.comments(&keys.inner);
        self.indent -= 1;
        self.close();
    }

    fn enumeration(&mut self, model: &EnumModel) {
        self.above(&model.trivia);
        self.doc(model.doc.as_ref());
        let words: Vec<_> = model
            .words
            .iter()
            .map(|word| {
                let name = names::name(word.name.as_str());
                word.number
                    .map_or_else(|| name.clone(), |number| format!("{name} = {number}"))
            })
            .collect();
        let head = format!("enum {} {{", names::name(model.name.as_str()));
        let line = format!("{head} {} }}{}", words.join(", "), behind(&model.trivia));
        if words.is_empty() {
            self.line(&format!("{head} }}"));
        } else if width(&line) <= self.columns_left(WIDTH) {
            self.line(&line);
        } else {
            self.line(&head);
            self.indent += 1;
            for word in words {
                self.line(&format!("{word},"));
            }
            self.indent -= 1;
            self.line("}");
        }
    }

    /// Metadata above a thing, on one line if it fits.
    pub(super) fn metadata(&mut self, attributes: &[Attribute]) {
        let list: Vec<_> = attributes
            .iter()
            .filter(|attribute| attribute.role == Role::Metadata)
            .map(values::metadata)
            .collect();
        if list.is_empty() {
            return;
        }
        let line = format!("#[{}]", list.join(", "));
        if width(&line) <= self.columns_left(WIDTH) {
            self.line(&line);
        } else {
            for text in list {
                self.line(&format!("#[{text}]"));
            }
        }
    }

    /// A closing brace; no blank line stands before it.
    pub(super) fn close(&mut self) {
        while self.out.ends_with("\n\n") {
            self.out.pop();
        }
        self.line("}");
    }
}

/// Whether a blank line parts two items even where none was written.
fn stands_apart(last: &Item, next: &Item) -> bool {
    let small = |item: &Item| matches!(item, Item::Import(_) | Item::Model(_));
    !(small(last) && std::mem::discriminant(last) == std::mem::discriminant(next))
}

fn port(port: &Port) -> String {
    let mut text = format!(
        "{} {}",
        port.direction.word(),
        names::name(port.name.as_str())
    );
    if let Some(ty) = &port.ty {
        text.push_str(&format!(": {}", names::type_name(ty.as_str())));
    }
    if let Some(default) = &port.default {
        text.push_str(&format!(" = {}", values::value(default)));
    }
    text
}

fn key(key: &KeyDecl) -> String {
    let mut text = names::name(key.name.as_str());
    if let Some(ty) = &key.ty {
        text.push_str(&format!(": {}", names::type_name(ty.as_str())));
    }
    if let Some(initial) = &key.initial {
        text.push_str(&format!(" = {}", values::value(initial)));
    }
    text
}
