//! From XML to a document.

mod attributes;
mod layout;
mod models;
mod node;

use super::Options;
use super::extra::{self, Owner};
use super::syntax::{Bytes, Element, Kind, Syntax, SyntaxErrorKind};
use crate::diagnostics::Diagnostic;
use crate::json;
use crate::model::{
    Comment, Document, EnumModel, EnumWord, FileId, Format, Import, Item, KeyDecl, Keys, Name,
    Node, Span, Tree, Trivia,
};
use crate::xml::names::explicit;
use std::collections::HashSet;

pub(super) struct Reader {
    file: FileId,
    diagnostics: Vec<Diagnostic>,
    /// The trees of this file: old files use them as `<Name/>`.
    trees: HashSet<String>,
    /// Old spellings met: old, new, where first, how often.
    old: Vec<(String, String, Span, usize)>,
    /// The file says that it is of version 4 or later.
    v4: bool,
}

pub(super) fn read(source: &str, file: FileId, options: &Options) -> (Document, Vec<Diagnostic>) {
    let syntax = Syntax::parse(source, options.limits);
    let mut reader = Reader {
        file,
        diagnostics: Vec::new(),
        trees: HashSet::new(),
        old: Vec::new(),
        v4: false,
    };
    for error in syntax.errors() {
        let mut diagnostic = Diagnostic::error("xml::syntax", error.kind.to_string())
            .at(reader.span(error.span.clone()), "")
            .maybe_help(error.kind.help());
        if let Some(related) = &error.related {
            let label = match error.kind {
                SyntaxErrorKind::Unclosed { .. } => "expected before here",
                SyntaxErrorKind::Mismatched { .. } => "this tag is open",
                _ => "first here",
            };
            diagnostic = diagnostic.and(reader.span(related.clone()), label);
        }
        reader.diagnostics.push(diagnostic);
    }
    let mut document = Document {
        file,
        format: Format::Xml,
        span: reader.span(0..u32::try_from(source.len()).unwrap_or(u32::MAX)),
        ..Document::default()
    };
    match syntax.root() {
        Some(root) => reader.document(&mut document, &syntax, root),
        // A syntax error has said why already.
        None if !syntax.errors().is_empty() => {}
        None => reader.no_root(source),
    }
    reader.report_old();
    let mut diagnostics = reader.diagnostics;
    // What a broken text seems to say is not worth checking.
    if syntax.errors().is_empty() {
        super::check::check(&document, options, &mut diagnostics);
    }
    diagnostics.sort_by_key(|d| d.primary.as_ref().map_or(0, |label| label.span.start));
    (document, diagnostics)
}

/// How a file of Git LFS begins whose content was not fetched.
const LFS: &str = "version https://git-lfs.github.com/spec/";
const LFS_HELP: &str =
    "this is what Git LFS leaves in place of a file: fetch it with `git lfs pull`";

impl Reader {
    fn span(&self, bytes: Bytes) -> Span {
        Span {
            file: self.file,
            start: bytes.start,
            end: bytes.end,
        }
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics
            .push(Diagnostic::error(code, message).at(span, ""));
    }

    fn warn(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.diagnostics
            .push(Diagnostic::warning(code, message).at(span, ""));
    }

    fn no_root(&mut self, source: &str) {
        let text = source.trim();
        let path = !text.is_empty()
            && text.len() < 1_000
            && !text.contains('\n')
            && (text.contains(['/', '\\'])
                || [".xml", ".tick", ".json"]
                    .iter()
                    .any(|end| text.ends_with(end)));
        let message = "Invalid XML: missing root element, expected <root BTCPP_format=\"4\">";
        let span = self.span(0..u32::try_from(source.len()).unwrap_or(u32::MAX));
        let diagnostic = Diagnostic::error("xml::no-root", message)
            .at(span, "")
            .maybe_help(if path {
                Some("this looks like the path of a file: use the function that loads files".into())
            } else if text.starts_with(LFS) {
                Some(LFS_HELP.into())
            } else if text.starts_with('{') {
                Some("this looks like JSON; it is read by the JSON reader".into())
            } else if ["tree ", "main ", "import ", "keys ", "//"]
                .iter()
                .any(|word| text.starts_with(word))
            {
                Some("this looks like `.tick` text; it is read by the `.tick` reader".into())
            } else {
                None
            });
        self.diagnostics.push(diagnostic);
    }

    /// Says each old spelling once, however often it stands in the file.
    fn report_old(&mut self) {
        for (old, new, span, count) in std::mem::take(&mut self.old) {
            let times = if count > 1 {
                format!(" ({count} times in this file)")
            } else {
                String::new()
            };
            let message = format!("`{old}` is an old spelling{times}; it is read as `{new}`");
            self.warn("xml::old-spelling", message, span);
        }
    }

    fn old_spelling(&mut self, old: &str, new: &str, span: Span) {
        match self.old.iter_mut().find(|entry| entry.0 == old) {
            Some(entry) => entry.3 += 1,
            None => self.old.push((old.into(), new.into(), span, 1)),
        }
    }

    fn document(&mut self, document: &mut Document, syntax: &Syntax<'_>, root: Element<'_, '_>) {
        if root.name() != "root" {
            let message = format!(
                "The XML must have a root node called <root>, found <{}>",
                root.name()
            );
            let span = self.span(root.name_span());
            let help = match root.name().split_once(':') {
                Some((_, "root")) => {
                    Some("prefixes of namespaces are not understood: leave them out")
                }
                _ if root.name().eq_ignore_ascii_case("root") => {
                    Some("it is written in small letters")
                }
                _ if root.name() == "BehaviorTree" || crate::compat::is_known(root.name()) => {
                    Some("write <root BTCPP_format=\"4\"><BehaviorTree ID=\"...\"> around it")
                }
                _ => None,
            };
            self.diagnostics.push(
                Diagnostic::error("xml::no-root", message)
                    .at(span, "")
                    .maybe_help(help.map(str::to_owned)),
            );
            return;
        }
        self.trees = (root.elements().filter(|e| e.name() == "BehaviorTree"))
            .filter_map(|e| e.attribute("ID"))
            .map(std::borrow::Cow::into_owned)
            .collect();
        let own = &["BTCPP_format", "main_tree_to_execute"];
        let mut attributes = self.attributes(root, Owner::Other(own), own);
        document.version = attributes.name("BTCPP_format");
        let version = document
            .version
            .as_ref()
            .map(|v| v.text.trim().parse::<u32>());
        if let (Some(written), Some(number)) = (&document.version, &version)
            && !matches!(number, Ok(3 | 4))
        {
            let message = format!(
                "version `{written}` is not known: the file is read as one of version {}",
                if matches!(number, Ok(5..)) { 4 } else { 3 }
            );
            let span = written.span;
            self.warn("xml::version", message, span);
        }
        self.v4 = version.is_some_and(|version| version.is_ok_and(|version| version >= 4));
        document.main = attributes.name("main_tree_to_execute");
        document.doc = attributes.description();
        let order = attributes.text(extra::ITEMS);
        document.attributes = attributes.all();
        self.near_own(&document.attributes, own);

        for doctype in syntax.top().filter(|piece| piece.kind() == Kind::Doctype) {
            if doctype.inner().contains("<!ENTITY") {
                let span = self.span(doctype.span());
                let message =
                    "entities cannot be declared: where they are used, they stay as they are";
                self.warn("xml::entity", message, span);
            }
        }
        let top = self.layout(syntax.source(), syntax.top(), 0);
        let mut after = Vec::new();
        for (i, (element, trivia)) in top.elements.into_iter().enumerate() {
            if i == 0 {
                document.trivia = trivia;
            } else {
                after.extend(trivia.leading);
                after.extend(trivia.trailing);
                let span = self.span(element.open_span());
                self.warn(
                    "xml::ignored",
                    "only the first top-level element counts: this one is ignored",
                    span,
                );
            }
        }
        self.items(document, syntax, root);
        document.inner.extend(after);
        document.inner.extend(top.rest);
        if let Some(order) = order {
            reorder(&mut document.items, &order);
        }
    }

    fn items(&mut self, document: &mut Document, syntax: &Syntax<'_>, root: Element<'_, '_>) {
        let content = self.layout(syntax.source(), root.pieces(), root.open_span().end);
        let only_child = content.elements.len() == 1;
        let mut models_seen: Option<Span> = None;
        let mut params = Vec::new();
        // Comments of elements that become no item go to the next one.
        let mut carried: Vec<Comment> = Vec::new();
        for (element, mut trivia) in content.elements {
            let open = self.span(element.open_span());
            carried.append(&mut trivia.leading);
            trivia.leading = std::mem::take(&mut carried);
            match element.name() {
                "include" => document
                    .items
                    .push(Item::Import(self.import(element, trivia))),
                "BehaviorTree" => {
                    let unnamed = only_child.then_some("BehaviorTree_0");
                    document
                        .items
                        .push(Item::Tree(self.tree(syntax, element, trivia, unnamed)));
                }
                "TreeNodesModel" => {
                    if let Some(first) = models_seen {
                        let message = "Only a single node <TreeNodesModel> is supported";
                        let diagnostic = Diagnostic::error("xml::second-models", message);
                        self.diagnostics
                            .push(diagnostic.at(open, "second").and(first, "first"));
                    }
                    models_seen.get_or_insert(open);
                    carried = self.models(document, syntax, element, trivia, &mut params);
                }
                "TickKeys" => document
                    .items
                    .push(Item::Keys(self.keys(syntax, element, trivia))),
                "TickEnum" => document
                    .items
                    .push(Item::Enum(self.enumeration(element, trivia))),
                other => {
                    carried = trivia.leading;
                    carried.extend(trivia.trailing);
                    let near = crate::diagnostics::nearest(
                        other,
                        ["include", "BehaviorTree", "TreeNodesModel"],
                    );
                    let help = match near {
                        Some(name) => Some(format!("did you mean <{name}>?")),
                        None if crate::compat::is_known(other) || explicit(other).is_some() => {
                            Some("nodes stand in trees: <BehaviorTree ID=\"...\">".to_owned())
                        }
                        None => None,
                    };
                    let message = format!("<{other}> means nothing inside <root> and is ignored");
                    self.diagnostics.push(
                        Diagnostic::warning("xml::ignored", message)
                            .at(open, "")
                            .maybe_help(help),
                    );
                }
            }
        }
        document.inner = carried;
        document.inner.extend(content.rest);
        let mut trees: Vec<&mut Tree> = (document.items.iter_mut())
            .filter_map(|item| match item {
                Item::Tree(tree) => Some(tree),
                _ => None,
            })
            .collect();
        for (index, ports) in params {
            if let Some(tree) = trees.get_mut(index) {
                tree.params = ports;
            }
        }
    }

    fn import(&mut self, element: Element<'_, '_>, trivia: Trivia) -> Import {
        let mut attributes = self.attributes(element, Owner::Other(&["path"]), &["path"]);
        let span = self.span(element.span());
        let path = attributes.name("path").unwrap_or_else(|| {
            let meant = ["file", "filename", "src", "href", "Path", "xml"];
            let other = element.attributes().find(|a| meant.contains(&a.name));
            let message = "Invalid <include> tag: missing 'path' attribute";
            self.diagnostics.push(
                Diagnostic::error("xml::no-path", message)
                    .at(span, "")
                    .maybe_help(other.map(|a| format!("write `path` in place of `{}`", a.name))),
            );
            Name::new("", span)
        });
        if path.as_str().is_empty() && path.span != span {
            self.error(
                "xml::no-path",
                "Invalid <include> tag: the path is empty",
                span,
            );
        }
        Import {
            path,
            attributes: attributes.all(),
            trivia,
            span,
        }
    }

    fn tree(
        &mut self,
        syntax: &Syntax<'_>,
        element: Element<'_, '_>,
        trivia: Trivia,
        unnamed: Option<&str>,
    ) -> Tree {
        let open = self.span(element.open_span());
        let mut attributes = self.attributes(element, Owner::Other(&["ID"]), &["ID"]);
        let name = match (attributes.name("ID"), unnamed) {
            (Some(name), _) => name,
            (None, Some(name)) => Name::new(name, open),
            (None, None) => {
                self.error(
                    "xml::no-id",
                    "The tag <BehaviorTree> must have the attribute [ID]",
                    open,
                );
                Name::new("", open)
            }
        };
        let keys = attributes
            .text(extra::KEYS)
            .and_then(|text| json::read_keys(&text, self.file).ok());
        let (body, inner) = self.children(syntax, element);
        Tree {
            name,
            keys: keys.unwrap_or_default(),
            body,
            doc: attributes.description(),
            attributes: attributes.all(),
            trivia,
            inner,
            span: self.span(element.span()),
            ..Tree::default()
        }
    }

    fn children(
        &mut self,
        syntax: &Syntax<'_>,
        element: Element<'_, '_>,
    ) -> (Vec<Node>, Vec<Comment>) {
        let content = self.layout(syntax.source(), element.pieces(), element.open_span().end);
        let nodes = content
            .elements
            .into_iter()
            .map(|(child, trivia)| self.node(syntax, child, trivia));
        (nodes.collect(), content.rest)
    }

    fn keys(&mut self, syntax: &Syntax<'_>, element: Element<'_, '_>, trivia: Trivia) -> Keys {
        let content = self.layout(syntax.source(), element.pieces(), element.open_span().end);
        let keys = content.elements.into_iter().map(|(key, trivia)| {
            let own = &["name", "type", "initial"];
            let mut attributes = self.attributes(key, Owner::Other(own), own);
            KeyDecl {
                name: attributes.name("name").unwrap_or_default(),
                ty: attributes.name("type"),
                initial: attributes.value("initial"),
                doc: attributes.description(),
                trivia,
                span: self.span(key.span()),
            }
        });
        Keys {
            keys: keys.collect(),
            trivia,
            inner: content.rest,
            span: self.span(element.span()),
        }
    }

    fn enumeration(&mut self, element: Element<'_, '_>, trivia: Trivia) -> EnumModel {
        let mut attributes = self.attributes(element, Owner::Other(&["name"]), &["name"]);
        let words = element.elements().map(|word| {
            let own = &["name", "number"];
            let mut attributes = self.attributes(word, Owner::Other(own), own);
            EnumWord {
                name: attributes.name("name").unwrap_or_default(),
                number: attributes.text("number").and_then(|text| text.parse().ok()),
            }
        });
        EnumModel {
            words: words.collect(),
            name: attributes.name("name").unwrap_or_default(),
            doc: attributes.description(),
            trivia,
            span: self.span(element.span()),
        }
    }

    /// Reports text where only elements count. BehaviorTree.CPP passes over it without a word.
    fn stray_text(&mut self, piece: super::syntax::Piece<'_, '_>) {
        if matches!(piece.kind(), Kind::Text | Kind::CData) {
            let span = self.span(piece.span());
            self.warn("xml::ignored", "text between elements is ignored", span);
        }
    }
}

/// Puts items into the order that a writer noted: one letter an item.
fn reorder(items: &mut Vec<Item>, order: &str) {
    let mut left: Vec<Option<Item>> = std::mem::take(items).into_iter().map(Some).collect();
    // Items of one kind keep their order, so one pointer a kind suffices.
    let mut next = [0usize; 256];
    for letter in order.bytes() {
        let at = &mut next[usize::from(letter)];
        while *at < left.len() {
            *at += 1;
            let slot = &mut left[*at - 1];
            if slot
                .as_ref()
                .is_some_and(|item| super::item_letter(item) == letter)
            {
                items.extend(slot.take());
                break;
            }
        }
    }
    items.extend(left.into_iter().flatten());
}
