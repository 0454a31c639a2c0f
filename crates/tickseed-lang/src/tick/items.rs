//! Top-level items of a file: imports, keys, enumerations, node models and trees.

use super::Parser;
use super::trivia::Above;
use crate::diagnostics::Diagnostic;
use crate::lex::Tok;
use crate::model::{
    Category, Document, EnumModel, EnumWord, Format, Import, Item, Keys, Name, NodeModel, Tree,
    Value,
};

const ITEMS: &str = "`tree`, `import`, `keys`, `enum`, or a node such as `action` or `leaf`";

impl Parser<'_> {
    pub(super) fn document(&mut self) -> Document {
        let mut document = Document {
            file: self.c.file,
            format: Format::Tick,
            ..Document::default()
        };
        document.doc = self.file_doc();
        loop {
            let mut above = self.above();
            if self.c.is("#![") {
                // Comments above the file's metadata stay above all else.
                document.trivia.leading.append(&mut above.trivia.leading);
                self.stray(above);
                self.file_metadata(&mut document);
                continue;
            }
            if self.c.at_end() {
                document.inner = self.stray(above);
                return document;
            }
            if let Some(item) = self.item(above, &mut document.main) {
                document.items.push(item);
            }
        }
    }

    fn file_metadata(&mut self, document: &mut Document) {
        for attribute in self.metadata() {
            let text = attribute.value.as_ref().map(Value::to_attribute);
            let place = attribute
                .value
                .as_ref()
                .map_or(attribute.span, |value| value.span);
            match (attribute.name(), text) {
                ("version", Some(text)) => document.version = Some(Name::new(text, place)),
                ("main", Some(text)) => document.main = Some(Name::new(text, place)),
                _ => document.attributes.push(attribute),
            }
        }
        if let Some(comment) = self.trailing() {
            document.trivia.leading.push(comment);
        }
    }

    fn item(&mut self, above: Above, main: &mut Option<Name>) -> Option<Item> {
        let start = self.c.peek();
        let word = if start.kind == Tok::Name {
            self.c.str(start)
        } else {
            ""
        };
        if let Some(category) = Category::from_word(word) {
            return Some(Item::Model(self.model(above, category)));
        }
        match word {
            "import" => Some(Item::Import(self.import(above)?)),
            "tree" => Some(Item::Tree(self.tree(above)?)),
            "main" if self.c.is_word_at(1, "tree") => {
                self.c.next();
                let tree = self.tree(above)?;
                if let Some(first) = main {
                    self.c.report(
                        Diagnostic::error("tick::two-main-trees", "a file has one main tree")
                            .at(tree.name.span, "second main tree")
                            .and(first.span, "first main tree"),
                    );
                } else {
                    *main = Some(tree.name.clone());
                }
                Some(Item::Tree(tree))
            }
            "keys" => Some(Item::Keys(self.keys(above))),
            "enum" => Some(Item::Enum(self.enumeration(above)?)),
            _ => {
                self.stray(above);
                self.unexpected_item();
                None
            }
        }
    }

    /// Reports what is no item and goes on at the next one.
    fn unexpected_item(&mut self) {
        let token = self.c.peek();
        let found = self.c.found();
        let message = format!("expected {ITEMS}, found {found}");
        let mut diagnostic = Diagnostic::error("tick::expected", message)
            .at(self.c.span(token), "not expected at the top of a file");
        let word = self.c.name_text(token).unwrap_or_default();
        let known = [
            "tree",
            "main",
            "import",
            "keys",
            "enum",
            "action",
            "leaf",
            "condition",
        ];
        let near = crate::diagnostics::nearest(&word, known);
        let whole = self.c.text.trim();
        let is_xml = self.c.is("<");
        let is_json = self.c.is("{") && self.c.peek_at(1).kind == Tok::Text && self.c.is_at(2, ":");
        let help = if self.c.text.starts_with("<<<<<<<") {
            Some("a conflict of version control is not settled here: keep one side and remove the marks".to_owned())
        } else if is_xml {
            Some("this looks like XML; it is read by the XML reader".to_owned())
        } else if is_json {
            Some("this looks like JSON; it is read by the JSON reader".to_owned())
        } else if !whole.contains('\n') && (whole.ends_with(".tick") || whole.ends_with(".xml")) {
            Some("this looks like the path of a file; load the file instead of its name".to_owned())
        } else if self.c.is("}") {
            Some("there is one closing brace too many".to_owned())
        } else if let Some(near) = near {
            Some(format!("did you mean `{near}`?"))
        } else if ["include", "use", "require"]
            .iter()
            .any(|of| self.c.is_word(of))
        {
            Some("another file is read with `import \"path\"`".to_owned())
        } else if token.kind == Tok::Name {
            Some("nodes stand inside a tree: tree Main { ... }".to_owned())
        } else {
            None
        };
        diagnostic = diagnostic.maybe_help(help);
        self.c.syntax_error(diagnostic);
        // Nothing in other formats is worth a message of its own.
        while (is_xml || is_json) && !self.c.at_end() {
            self.c.next();
        }
        // Over the braces of whatever this is, to the next line that begins an item.
        let mut open = 0_usize;
        loop {
            let token = self.c.next();
            match token.kind {
                Tok::End => return,
                Tok::Mark("{") => open += 1,
                Tok::Mark("}") => open = open.saturating_sub(1),
                _ => {}
            }
            if (open == 0 || self.at_item()) && self.c.peek().newline_before {
                return;
            }
        }
    }

    /// Whether a tree, an import or the like begins here: then a brace is missing before it.
    pub(super) fn at_item(&self) -> bool {
        let ahead = usize::from(self.c.is_word("main"));
        let named = matches!(self.c.peek_at(ahead + 1).kind, Tok::Name | Tok::QuotedName);
        self.c.peek().newline_before
            && (self.c.is_word_at(ahead, "tree") && named
                || self.c.is_word("import") && self.c.peek_at(1).kind == Tok::Text
                || self.c.is_word("enum") && named)
    }

    /// Reports what follows a finished item on its line.
    fn end_of_line(&mut self, what: &str) {
        if self.c.peek().newline_before || self.c.eat(";") {
            return;
        }
        self.c.expected(&format!("a new line after {what}"));
        while !self.c.peek().newline_before && !self.c.at_end() {
            self.c.next();
        }
    }

    fn import(&mut self, above: Above) -> Option<Import> {
        let start = self.c.next();
        let start = self.c.span(start);
        let Some(path) = self.c.quoted_text() else {
            self.c
                .expected("the path of a file in quotes, as in `import \"lib.tick\"`");
            self.stray(above);
            self.skip_line();
            return None;
        };
        let span = start.to(path.span);
        let mut trivia = above.trivia;
        trivia.trailing = self.trailing();
        self.end_of_line("an import");
        Some(Import {
            path,
            attributes: above.metadata,
            trivia,
            span,
        })
    }

    fn skip_line(&mut self) {
        while !self.c.peek().newline_before && !self.c.at_end() {
            self.c.next();
        }
    }

    pub(super) fn keys(&mut self, above: Above) -> Keys {
        let start = self.c.next();
        let start = self.c.span(start);
        let mut keys = Keys {
            trivia: above.trivia,
            ..Keys::default()
        };
        let open = self.c.span(self.c.peek());
        if !self.c.expect("{", "before the keys") {
            self.skip_line();
            keys.span = start;
            return keys;
        }
        keys.trivia.trailing = self.trailing();
        loop {
            while self.c.eat(";") || self.c.eat(",") {}
            let above = self.above();
            if self.c.is("}") || self.c.at_end() || self.at_item() {
                keys.inner = self.stray(above);
                break;
            }
            let before = self.c.position();
            if let Some(mut key) = self.key_decl() {
                key.doc = above.doc;
                key.trivia = above.trivia;
                self.swallow(&mut key.trivia);
                key.trivia.trailing = self.trailing();
                keys.keys.push(key);
                let next = self.c.peek();
                if !next.newline_before && ![";", ",", "}"].iter().any(|mark| self.c.is(mark)) {
                    self.c.expected("a new line after a key");
                    self.recover(before);
                }
            } else {
                self.recover(before);
            }
        }
        self.close(open, "the keys");
        keys.span = start.to(self.c.last_span());
        keys
    }

    /// Takes a closing brace, or reports which brace has none.
    pub(super) fn close(&mut self, open: crate::model::Span, what: &str) {
        if self.c.eat("}") {
            return;
        }
        let found = self.c.found();
        let span = self.c.last_span().after();
        self.c.syntax_error(
            Diagnostic::error(
                "tick::missing-brace",
                format!("expected `}}`, found {found}"),
            )
            .at(span, format!("{what} should end here or before"))
            .and(open, "this brace is never closed"),
        );
    }

    /// Goes to the next line, `;` or closing brace, at least one token on from `before`.
    pub(super) fn recover(&mut self, before: usize) {
        let mut open = 0_usize;
        while !self.c.at_end() {
            let moved = self.c.position() > before;
            if self.c.is("}") {
                if open == 0 {
                    return;
                }
                open -= 1;
            } else if self.c.is("{") {
                open += 1;
            }
            let line_ends = open == 0 && (self.c.peek().newline_before || self.c.is(";"));
            if moved && (line_ends || self.at_item()) {
                return;
            }
            self.c.next();
        }
    }

    fn enumeration(&mut self, above: Above) -> Option<EnumModel> {
        let start = self.c.next();
        let start = self.c.span(start);
        let Some(name) = self.c.name() else {
            self.c.expected("the name of the enumeration");
            self.stray(above);
            self.skip_line();
            return None;
        };
        let mut model = EnumModel {
            name,
            doc: above.doc,
            trivia: above.trivia,
            ..EnumModel::default()
        };
        let open = self.c.span(self.c.peek());
        if !self.c.expect("{", "before the words of the enumeration") {
            self.skip_line();
            model.span = start.to(self.c.last_span());
            return Some(model);
        }
        while !self.c.is("}") && !self.c.at_end() && !self.at_item() {
            let before = self.c.position();
            let Some(name) = self.c.name() else {
                self.c.expected("a word of the enumeration");
                self.recover(before);
                continue;
            };
            let mut word = EnumWord { name, number: None };
            if self.c.eat("=") {
                word.number = self.int();
                if word.number.is_none() {
                    let span = self.c.last_span();
                    self.c.report(
                        Diagnostic::error("tick::enum-number", "a word stands for a whole number")
                            .at(span, "not a whole number"),
                    );
                }
            }
            let duplicate = model
                .words
                .iter()
                .find(|other| other.name.text == word.name.text);
            if let Some(other) = duplicate {
                self.c.report(
                    Diagnostic::error("tick::duplicate-word", format!("`{}` twice", word.name))
                        .at(word.name.span, "again here")
                        .and(other.name.span, "first here"),
                );
            }
            model.words.push(word);
            let parted = self.c.eat(",") || self.c.eat(";") || self.c.peek().newline_before;
            if !parted && !self.c.is("}") {
                self.c.expected("a comma between words");
                self.recover(before);
            }
        }
        self.swallow_all(&mut model.trivia);
        self.close(open, "the enumeration");
        model.span = start.to(self.c.last_span());
        Some(model)
    }

    /// Puts comments before the next token above a thing that has no place for them.
    fn swallow_all(&mut self, trivia: &mut crate::model::Trivia) {
        let comments = self.inner();
        trivia.leading.extend(comments);
    }

    fn model(&mut self, above: Above, category: Category) -> NodeModel {
        let start = self.c.next();
        let start = self.c.span(start);
        let name = self.c.name().unwrap_or_else(|| {
            self.c.expected("the name of the node");
            Name::default()
        });
        let ports = if self.c.is("(") {
            self.ports()
        } else {
            Vec::new()
        };
        let mut trivia = above.trivia;
        self.swallow(&mut trivia);
        let span = start.to(self.c.last_span());
        trivia.trailing = self.trailing();
        if self.c.is("{") {
            self.c.syntax_error(
                Diagnostic::error("tick::model-body", "the description of a node has no body")
                    .at(self.c.span(self.c.peek()), "not expected")
                    .help("a tree with a body is written `tree Name { ... }`"),
            );
            self.recover(self.c.position());
            self.c.eat("}");
        }
        self.end_of_line("the description of a node");
        NodeModel {
            category,
            name,
            ports,
            attributes: above.metadata,
            doc: above.doc,
            trivia,
            span,
        }
    }

    fn tree(&mut self, above: Above) -> Option<Tree> {
        let start = self.c.next();
        let start = self.c.span(start);
        let Some(name) = self.c.name() else {
            let quoted = self.c.peek().kind == Tok::Text;
            let help = quoted.then_some(
                "a name with spaces or marks in it stands between backquotes: `` `My Tree` ``",
            );
            match help {
                Some(_) => self.c.expected_with("the name of the tree", help),
                None => self.c.expected("the name of the tree"),
            }
            self.stray(above);
            self.recover(self.c.position());
            return None;
        };
        let mut tree = Tree {
            name,
            attributes: above.metadata,
            doc: above.doc,
            trivia: above.trivia,
            ..Tree::default()
        };
        if self.c.is("(") {
            tree.params = self.ports();
        }
        self.swallow(&mut tree.trivia);
        let open = self.c.span(self.c.peek());
        if !self.c.expect("{", "before the nodes of the tree") {
            self.recover(self.c.position());
            if !self.c.eat("{") {
                tree.span = start.to(self.c.last_span());
                return Some(tree);
            }
        }
        tree.trivia.trailing = self.trailing();
        let (nodes, inner) = self.nodes(Some(&mut tree.keys));
        tree.body = nodes;
        tree.inner = inner;
        self.close(open, &format!("the tree `{}`", tree.name));
        tree.span = start.to(self.c.last_span());
        Some(tree)
    }
}
