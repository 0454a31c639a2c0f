//! What could be inserted at a place.

use super::Files;
use super::hover::{option_words, port_text, tree_head};
use crate::builtin::{BUILTINS, Builtin, COMMON_OPTIONS, Head, OptionSpec, OptionValue, builtin};
use crate::check::tree_names;
use crate::expr::{FUNCTIONS, Names, Type};
use crate::fmt::spell;
use crate::lex::{Lexed, Remark, Tok, Token, lex};
use crate::model::{Category, Document, FileId, Format, Hook, KeyScope, Port, Span};

/// Something that could stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What is written; `$0` marks where to go on typing.
    pub insert: String,
    /// What sort of thing it is.
    pub kind: CompletionKind,
    /// A word or two about it.
    pub detail: String,
    /// More about it, in Markdown.
    pub doc: String,
    /// What it takes the place of.
    pub replaces: Span,
}

/// The sorts of [`Completion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionKind {
    /// A node.
    Node,
    /// A tree.
    Tree,
    /// A port or parameter.
    Port,
    /// A key.
    Key,
    /// A word of an enumeration or option.
    Word,
    /// An option or hook.
    Option,
    /// A function.
    Function,
    /// A type.
    Type,
    /// A word of the language.
    Keyword,
}

const ITEMS: &[(&str, &str)] = &[
    ("tree", "tree $0 {\n}"),
    ("main tree", "main tree $0 {\n}"),
    ("import", "import \"$0\""),
    ("keys", "keys {\n  $0\n}"),
    ("enum", "enum $0 { }"),
    ("action", "action $0"),
    ("condition", "condition $0"),
    ("leaf", "leaf $0"),
    ("decorator", "decorator $0"),
    ("control", "control $0"),
];

const TYPES: &[&str] = &[
    "bool", "int", "float", "text", "duration", "vec2", "vec3", "list<>",
];

impl Files<'_> {
    /// What could stand at a place, whatever has been typed of it so far: choosing is the editor's
    /// part.
    pub fn complete(&self, file: FileId, offset: usize) -> Vec<Completion> {
        let text = self.text(file);
        let offset = offset.min(text.len());
        if !text.is_char_boundary(offset) {
            return Vec::new();
        }
        let xml = self.document(file).is_some_and(|d| d.format == Format::Xml);
        let mut list = if cfg!(feature = "formats") && xml {
            self.complete_xml(file, &text[..offset])
        } else {
            self.complete_tick(file, text, offset)
        };
        let mut seen = std::collections::HashSet::new();
        list.retain(|completion| seen.insert(completion.label.clone()));
        list
    }

    fn complete_tick(&self, file: FileId, text: &str, offset: usize) -> Vec<Completion> {
        let lexed = lex(text, file, 0);
        // Up to the end of its line.
        let in_comment = |remark: &Remark| {
            let behind = text.get(remark.end as usize..offset);
            let start = remark.start as usize;
            start < offset && behind.is_none_or(|rest| !rest.contains('\n'))
        };
        if lexed.remarks.iter().any(in_comment) {
            return Vec::new();
        }
        let place = Place::of(text, &lexed, offset);
        if place.in_text {
            return Vec::new();
        }
        let mut out = Out {
            list: Vec::new(),
            replaces: Span::new(file, place.word_start, offset),
        };
        let names = self.names_at(file, offset);
        match place.previous().map(|token| place.str(token)) {
            Some(".") => self.words(None, &names, false, &mut out),
            Some(":") if place.in_declaration() => self.types(&mut out),
            _ if place.is_statement() => match place.depth {
                0 => ITEMS.iter().for_each(|(label, insert)| {
                    out.add(label, insert, CompletionKind::Keyword, "", "");
                }),
                _ if place.in_keys() => {}
                _ => self.nodes(place.around(), &mut out),
            },
            _ => self.within_line(&place, &names, &mut out),
        }
        out.list
    }

    /// Inside a line: arguments, options, values.
    fn within_line(&self, place: &Place<'_>, names: &Names, out: &mut Out) {
        let head = place.head();
        if let Some((owner, first, port)) = place.arguments() {
            if let Some(option) = head
                .builtin
                .and_then(|spec| spec.option(owner))
                .filter(|option| option.value != OptionValue::Flag)
            {
                match option.value {
                    OptionValue::Word(words) => {
                        for word in words {
                            out.add(word, word, CompletionKind::Word, "", option.doc);
                        }
                    }
                    OptionValue::NumberOrAll => {
                        out.add("all", "all", CompletionKind::Word, "", option.doc);
                    }
                    _ => self.values(None, names, out),
                }
                return;
            }
            let ports = self.ports_of(owner);
            if first && port.is_none() {
                for port in ports {
                    if !place.given(port.name.as_str()) {
                        let insert = format!("{}: $0", spell(port.name.as_str()));
                        let doc = port.doc.as_deref().unwrap_or("");
                        out.add(
                            port.name.as_str(),
                            &insert,
                            CompletionKind::Port,
                            &port_text(port),
                            doc,
                        );
                    }
                }
            }
            let ty = port.and_then(|name| ports.iter().find(|port| port.name == *name));
            self.values(
                ty.and_then(|port| port.ty.as_ref()).map(|ty| ty.as_str()),
                names,
                out,
            );
            return;
        }
        // Behind the words of a node that wants a value.
        let wants = head.builtin.is_some_and(|spec| spec.head != Head::None);
        let previous = place.previous();
        let after_mark = previous.is_some_and(
            |token| matches!(token.kind, Tok::Mark(m) if !matches!(m, ")" | "]" | "}")),
        );
        let after_guard = previous.is_some_and(|token| matches!(place.str(token), "if" | "while"));
        if (wants && head.just_ended) || after_mark || after_guard {
            self.values(None, names, out);
            return;
        }
        if wants {
            self.values(None, names, out);
        }
        let options = head.builtin.map_or(&[][..], |spec| spec.options);
        for option in options.iter().chain(COMMON_OPTIONS) {
            add_option(option, out);
        }
        for (_, words, _) in Hook::ALL {
            let insert = format!("{words} $0");
            out.add(words, &insert, CompletionKind::Option, "", "");
        }
    }

    fn nodes(&self, around: Option<&str>, out: &mut Out) {
        // Parts of a node come first where they belong, and nowhere else.
        let part = |spec: &&Builtin| {
            spec.inside
                .is_none_or(|places| around.is_some_and(|kind| places.contains(&kind)))
        };
        for spec in BUILTINS.iter().filter(part) {
            let value = if matches!(spec.head, Head::None | Head::OptionalValue) {
                ""
            } else {
                " $0"
            };
            let block = match (spec.children.max, value) {
                (0, _) => "",
                (_, "") => " { $0 }",
                _ => " { }",
            };
            let insert = format!("{}{value}{block}", spec.words);
            out.add(
                spec.words,
                &insert,
                CompletionKind::Node,
                "built in",
                spec.doc,
            );
        }
        let mut trees: Vec<_> = self.trees.values().map(|(_, tree)| *tree).collect();
        trees.sort_by_key(|tree| tree.name.as_str());
        for tree in trees {
            let insert = call(tree.name.as_str(), &tree.params, "");
            let doc = tree.doc.as_deref().unwrap_or("");
            out.add(
                tree.name.as_str(),
                &insert,
                CompletionKind::Tree,
                &tree_head(tree),
                doc,
            );
        }
        let mut models: Vec<_> = self.models.values().collect();
        models.sort_by_key(|model| model.name.as_str());
        for model in models {
            let block = match model.category {
                Category::Decorator | Category::Control => " { }",
                _ => "",
            };
            let insert = call(model.name.as_str(), &model.ports, block);
            let doc = model.doc.as_deref().unwrap_or("");
            out.add(
                model.name.as_str(),
                &insert,
                CompletionKind::Node,
                model.category.word(),
                doc,
            );
        }
    }

    fn ports_of(&self, kind: &str) -> &[Port] {
        if let Some((_, tree)) = self.trees.get(kind) {
            return &tree.params;
        }
        self.models.get(kind).map_or(&[], |model| &model.ports)
    }

    /// Keys, words, functions.
    fn values(&self, ty: Option<&str>, names: &Names, out: &mut Out) {
        for name in names.keys(KeyScope::Local) {
            let detail = names
                .key(name)
                .map_or(String::new(), |key| key.ty.to_string());
            out.add(name, &spell(name), CompletionKind::Key, &detail, "");
        }
        self.words(ty, names, true, out);
        for (_, name, shown, doc) in FUNCTIONS {
            out.add(
                name,
                &format!("{name}($0)"),
                CompletionKind::Function,
                shown,
                doc,
            );
        }
        for word in ["true", "false", "none"] {
            out.add(word, word, CompletionKind::Keyword, "", "");
        }
    }

    /// Words of enumerations; of the one that is the type, if it is one.
    fn words(&self, ty: Option<&str>, names: &Names, dot: bool, out: &mut Out) {
        let only = ty.filter(|ty| names.is_enum(ty));
        for model in self.documents.iter().flat_map(Document::enums) {
            if only.is_some_and(|name| model.name != *name) {
                continue;
            }
            for word in &model.words {
                let text = if dot {
                    format!(".{}", word.name)
                } else {
                    word.name.text.to_string()
                };
                out.add(&text, &text, CompletionKind::Word, model.name.as_str(), "");
            }
        }
    }

    fn types(&self, out: &mut Out) {
        for ty in TYPES {
            out.add(ty, &ty.replace("<>", "<$0>"), CompletionKind::Type, "", "");
        }
        for model in self.documents.iter().flat_map(Document::enums) {
            let doc = model.doc.as_deref().unwrap_or("");
            out.add(
                model.name.as_str(),
                model.name.as_str(),
                CompletionKind::Type,
                "enum",
                doc,
            );
        }
    }

    /// The names that a tree sees at a place, the indices of loops around it included.
    fn names_at(&self, file: FileId, offset: usize) -> Names {
        let documents: Vec<&Document> = self.documents.iter().collect();
        let tree = self.tree_at(file, offset);
        let mut names = tree_names(tree, &documents, &Names::new()).names;
        for root in tree.iter().flat_map(|tree| &tree.body) {
            root.walk(&mut |node| {
                if builtin(node.kind.as_str()).is_some_and(|spec| spec.head == Head::Count)
                    && node.span.touches(offset)
                    && let Some(crate::model::ValueKind::Key(key)) =
                        node.argument("index").map(|value| &value.kind)
                {
                    names.add_key(key.name.clone(), Type::Int);
                }
            });
        }
        names
    }

    /// XML: tags, attributes, and keys between braces.
    fn complete_xml(&self, file: FileId, before: &str) -> Vec<Completion> {
        let Some(tag) = before.rfind('<') else {
            return Vec::new();
        };
        let inside = &before[tag + 1..];
        let quotes = inside.matches('"').count();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let start = before.trim_end_matches(word).len();
        let mut out = Out {
            list: Vec::new(),
            replaces: Span::new(file, start, before.len()),
        };
        let kind = inside.split(|c: char| !word(c)).next().unwrap_or("");
        if quotes % 2 == 1 {
            // A key between braces: those that the tree names elsewhere.
            let brace = before[..start].ends_with('{') || before[..start].ends_with("{@");
            let tree = self.tree_at(file, start);
            if let (true, Some(tree)) = (brace, tree) {
                let owner = super::Owner::Tree(tree.name.text.to_string());
                let mut names: Vec<&str> = (self.occurrences.iter())
                    .filter_map(|o| match &o.symbol {
                        super::Symbol::Key { owner: of, name } if *of == owner => {
                            Some(name.as_str())
                        }
                        _ => None,
                    })
                    .collect();
                names.sort_unstable();
                for name in names {
                    out.add(name, name, CompletionKind::Key, "", "");
                }
            }
        } else if inside.len() == kind.len() {
            let mut trees: Vec<_> = self.trees.keys().copied().collect();
            trees.sort_unstable();
            for name in trees {
                let insert = format!("SubTree ID=\"{name}\"$0/>");
                out.add(
                    &format!("SubTree {name}"),
                    &insert,
                    CompletionKind::Tree,
                    "",
                    "",
                );
            }
            let mut models: Vec<_> = self.models.values().collect();
            models.sort_by_key(|model| model.name.as_str());
            for model in models {
                let doc = model.doc.as_deref().unwrap_or("");
                let name = model.name.as_str();
                out.add(name, name, CompletionKind::Node, model.category.word(), doc);
            }
            // What BehaviorTree.CPP and Nav2 have themselves.
            for model in crate::compat::models() {
                let name = model.name.as_str();
                out.add(
                    name,
                    name,
                    CompletionKind::Node,
                    model.category.word(),
                    &model.doc,
                );
            }
        } else {
            // The explicit form names its kind in `ID`.
            let id = inside
                .split("ID=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let ports = self.ports_of(id.unwrap_or(kind));
            let known = crate::compat::models().find(|model| model.name == id.unwrap_or(kind));
            for port in known.iter().flat_map(|model| &model.ports) {
                let name = port.name.as_str();
                if !inside.contains(&format!("{name}=\"")) {
                    let insert = format!("{name}=\"$0\"");
                    let detail = match &port.default {
                        Some(default) => {
                            format!("{}: {} = {default}", port.direction.word(), port.ty)
                        }
                        None => format!("{}: {}", port.direction.word(), port.ty),
                    };
                    out.add(name, &insert, CompletionKind::Port, &detail, &port.doc);
                }
            }
            for port in ports {
                let name = port.name.as_str();
                if !inside.contains(&format!("{name}=\"")) {
                    let doc = port.doc.as_deref().unwrap_or("");
                    let insert = format!("{name}=\"$0\"");
                    out.add(name, &insert, CompletionKind::Port, &port_text(port), doc);
                }
            }
            out.add(
                "name",
                "name=\"$0\"",
                CompletionKind::Port,
                "",
                "what this one node is called",
            );
            for (_, _, attribute) in Hook::ALL {
                let insert = format!("{attribute}=\"$0\"");
                out.add(attribute, &insert, CompletionKind::Option, "", "");
            }
        }
        out.list
    }
}

fn call(name: &str, ports: &[Port], block: &str) -> String {
    let name = spell(name);
    let needed = ports.iter().any(|port| port.default.is_none());
    if needed {
        format!("{name}($0){block}")
    } else {
        format!("{name}{block}")
    }
}

fn add_option(option: &'static OptionSpec, out: &mut Out) {
    let insert = match option.value {
        OptionValue::Flag => option.name.to_owned(),
        _ => format!("{}($0)", option.name),
    };
    out.add(
        option.name,
        &insert,
        CompletionKind::Option,
        &option_words(option),
        option.doc,
    );
}

/// Collects completions.
struct Out {
    list: Vec<Completion>,
    replaces: Span,
}

impl Out {
    fn add(&mut self, label: &str, insert: &str, kind: CompletionKind, detail: &str, doc: &str) {
        self.list.push(Completion {
            label: label.to_owned(),
            insert: insert.to_owned(),
            kind,
            detail: detail.to_owned(),
            doc: doc.to_owned(),
            replaces: self.replaces,
        });
    }
}

/// The node that a line begins with.
struct LineHead {
    builtin: Option<&'static Builtin>,
    /// Whether nothing stands behind its words.
    just_ended: bool,
}

/// A place among the tokens before it. It goes by tokens, not by the tree: the line being typed
/// rarely reads as anything.
struct Place<'t> {
    text: &'t str,
    /// The tokens before the word that is being typed.
    tokens: &'t [Token],
    /// Where that word starts.
    word_start: usize,
    /// Whether that word is the first on its line.
    first_on_line: bool,
    in_text: bool,
    /// How many braces are open.
    depth: usize,
}

impl<'t> Place<'t> {
    fn of(text: &'t str, lexed: &'t Lexed, offset: usize) -> Self {
        let count = lexed
            .tokens
            .iter()
            .take_while(|token| token.kind != Tok::End && (token.end as usize) < offset)
            .count();
        let next = lexed.tokens[count];
        let typing = next.kind != Tok::End && (next.start as usize) < offset;
        let is_word = typing && matches!(next.kind, Tok::Name | Tok::QuotedName);
        let in_text =
            typing && matches!(next.kind, Tok::Text | Tok::Bad) && next.end as usize != offset;
        // A mark that ends right here stands before the place, not in it.
        let count = if typing && !is_word { count + 1 } else { count };
        let word_start = if is_word { next.start as usize } else { offset };
        let tokens = &lexed.tokens[..count.min(lexed.tokens.len() - 1)];
        let line_before = match tokens.last() {
            Some(last) => text.get(last.end as usize..word_start).unwrap_or(""),
            None => "\n",
        };
        let mut depth = 0_usize;
        for token in tokens {
            match token.kind {
                Tok::Mark("{") => depth += 1,
                Tok::Mark("}") => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Place {
            text,
            tokens,
            word_start,
            first_on_line: line_before.contains('\n'),
            in_text,
            depth,
        }
    }

    fn str(&self, token: Token) -> &'t str {
        self.text
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    fn previous(&self) -> Option<Token> {
        self.tokens.last().copied()
    }

    /// The bracket around the place, by its position among the tokens.
    fn bracket(&self) -> Option<usize> {
        let mut closed = 0;
        for (i, token) in self.tokens.iter().enumerate().rev() {
            match token.kind {
                Tok::Mark(")" | "]" | "}") => closed += 1,
                Tok::Mark("(" | "[" | "{" | "#[" | "#![") if closed == 0 => return Some(i),
                Tok::Mark("(" | "[" | "{" | "#[" | "#![") => closed -= 1,
                _ => {}
            }
        }
        None
    }

    /// Whether a node or an item begins here.
    fn is_statement(&self) -> bool {
        let in_braces = match self.bracket() {
            None => true,
            Some(at) => self.tokens[at].kind == Tok::Mark("{"),
        };
        let begins = match self.previous() {
            None => true,
            Some(token) => {
                matches!(token.kind, Tok::Mark("{" | "}" | ";")) || self.str(token) == "off"
            }
        };
        in_braces && (begins || self.first_on_line)
    }

    /// Where the line begins: behind the last brace, `;`, or line break outside of brackets.
    fn line(&self) -> &'t [Token] {
        let mut depth = 0;
        for (i, token) in self.tokens.iter().enumerate().rev() {
            match token.kind {
                Tok::Mark(")" | "]") => depth += 1,
                Tok::Mark("(" | "[") if depth > 0 => depth -= 1,
                Tok::Mark("{" | "}" | ";") => return &self.tokens[i + 1..],
                _ => {}
            }
            if token.newline_before && depth == 0 && self.closed(i) {
                return &self.tokens[i..];
            }
        }
        self.tokens
    }

    /// Whether no parenthesis that opens before `i` is open there.
    fn closed(&self, i: usize) -> bool {
        let mut open = 0_i32;
        for token in self.tokens[..i].iter().rev() {
            match token.kind {
                Tok::Mark(")" | "]") => open -= 1,
                Tok::Mark("(" | "[") => open += 1,
                Tok::Mark("{" | "}") => break,
                _ => {}
            }
            if open > 0 {
                return false;
            }
        }
        true
    }

    fn head(&self) -> LineHead {
        let mut line = self.line();
        while let Some(token) = line.first() {
            let word = self.str(*token);
            if word == "off" || (Category::from_word(word).is_some() && line.len() > 1) {
                line = &line[1..];
            } else {
                break;
            }
        }
        let word = |i: usize| line.get(i).map_or("", |token| self.str(*token));
        let two = format!("{} {}", word(0), word(1));
        let by_words = |words: &str| BUILTINS.iter().find(|spec| spec.words == words);
        match by_words(&two) {
            Some(spec) => LineHead {
                builtin: Some(spec),
                just_ended: line.len() == 2,
            },
            None => LineHead {
                builtin: by_words(word(0)),
                just_ended: line.len() == 1,
            },
        }
    }

    /// In parentheses: the word before them, whether an argument begins here, and the port that a
    /// value is being given to.
    fn arguments(&self) -> Option<(&'t str, bool, Option<&'t str>)> {
        let open = self.bracket()?;
        if self.tokens[open].kind != Tok::Mark("(") {
            return None;
        }
        let owner = self.tokens.get(open.checked_sub(1)?)?;
        let begins = matches!(self.previous()?.kind, Tok::Mark("(" | ","));
        let mut port = None;
        for (i, token) in self.tokens.iter().enumerate().skip(open).rev() {
            match token.kind {
                Tok::Mark("," | "(") => break,
                Tok::Mark(":") => {
                    port = self.tokens.get(i - 1).map(|name| self.str(*name));
                    break;
                }
                _ => {}
            }
        }
        Some((self.str(*owner).trim_matches('`'), begins, port))
    }

    /// Whether an argument of this name stands in the parentheses already.
    fn given(&self, port: &str) -> bool {
        let open = self.bracket().unwrap_or(0);
        self.tokens[open..].windows(2).any(|pair| {
            pair[1].kind == Tok::Mark(":") && self.str(pair[0]).trim_matches('`') == port
        })
    }

    /// Whether a `:` here stands before a type: in `keys { }` and in the ports of declarations.
    fn in_declaration(&self) -> bool {
        let Some(open) = self.bracket() else {
            return false;
        };
        let word = |back: usize| {
            open.checked_sub(back)
                .map_or("", |i| self.str(self.tokens[i]))
        };
        match self.tokens[open].kind {
            Tok::Mark("{") => word(1) == "keys",
            Tok::Mark("(") => {
                word(2) == "tree" || (self.depth == 0 && Category::from_word(word(2)).is_some())
            }
            _ => false,
        }
    }

    fn in_keys(&self) -> bool {
        self.bracket()
            .and_then(|open| open.checked_sub(1))
            .is_some_and(|before| self.str(self.tokens[before]) == "keys")
    }

    /// The kind of the node whose braces are around the place.
    fn around(&self) -> Option<&'static str> {
        let open = self.bracket()?;
        let outside = Place {
            text: self.text,
            tokens: &self.tokens[..open],
            word_start: self.word_start,
            first_on_line: false,
            in_text: false,
            depth: 0,
        };
        outside.head().builtin.map(|spec| spec.name)
    }
}
