//! Every place where something is named.

use super::Files;
use crate::builtin::{Head, builtin};
use crate::expr::{Expr, ExprKind, StatementKind, parse_expression, parse_script};
use crate::load::join;
use crate::model::{
    Category, Code, Dialect, Document, Form, Hook, Item, KeyRef, KeyScope, Keys, Literal, Name,
    Node, Port, Role, Span, Tree, Value, ValueKind,
};

/// A thing that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symbol {
    /// A tree.
    Tree(String),
    /// A node of the program.
    Node(String),
    /// A node of the language.
    BuiltIn(String),
    /// A key, or a parameter of a tree.
    Key {
        /// What it belongs to.
        owner: Owner,
        /// Its name.
        name: String,
    },
    /// A port of a node of the program.
    Port {
        /// The node.
        node: String,
        /// The port.
        name: String,
    },
    /// An enumeration.
    Enum(String),
    /// A word of an enumeration.
    Word(String),
    /// A file, by its path.
    File(String),
}

/// What a key belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Owner {
    /// All files.
    Root,
    /// A tree.
    Tree(String),
    /// A `for` that stands at a place.
    Loop(Span),
}

/// A place where something is named.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occurrence {
    /// The place of the name itself.
    pub span: Span,
    /// What is named.
    pub symbol: Symbol,
    /// Whether it is declared here.
    pub declares: bool,
    /// Where a `=` stands for the key of a port's own name: the port.
    pub same_name: Option<Symbol>,
    /// Whether it stands where XML allows names only: a tag or an attribute.
    pub(super) markup: bool,
}

impl Symbol {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Symbol::Tree(name)
            | Symbol::Node(name)
            | Symbol::BuiltIn(name)
            | Symbol::Key { name, .. }
            | Symbol::Port { name, .. }
            | Symbol::Enum(name)
            | Symbol::Word(name)
            | Symbol::File(name) => name,
        }
    }

    /// The same thing under another name.
    pub(super) fn with_name(&self, name: &str) -> Symbol {
        let mut symbol = self.clone();
        match &mut symbol {
            Symbol::Tree(text)
            | Symbol::Node(text)
            | Symbol::BuiltIn(text)
            | Symbol::Key { name: text, .. }
            | Symbol::Port { name: text, .. }
            | Symbol::Enum(text)
            | Symbol::Word(text)
            | Symbol::File(text) => *text = name.to_owned(),
        }
        symbol
    }
}

/// All occurrences, file by file in the order of their places.
pub(super) fn all(files: &Files<'_>) -> Vec<Occurrence> {
    let mut finder = Finder {
        files,
        found: Vec::new(),
        tree: "",
        lexical: true,
        loops: Vec::new(),
    };
    for document in files.documents {
        finder.document(document);
    }
    let mut found = finder.found;
    found.sort_by_key(|o| (o.span.file, o.span.start, o.span.end));
    found
}

struct Finder<'f, 'd> {
    files: &'f Files<'d>,
    found: Vec<Occurrence>,
    /// The tree that is walked.
    tree: &'d str,
    /// Whether keys must be declared.
    lexical: bool,
    /// The indices of the loops around.
    loops: Vec<(&'d str, Span)>,
}

impl<'d> Finder<'_, 'd> {
    fn document(&mut self, document: &'d Document) {
        self.lexical = !document.has_btcpp_keys();
        if let Some(main) = &document.main {
            // `main tree A` is one place with the tree's own name.
            self.name(main, Symbol::Tree(main.text.to_string()), false);
        }
        for item in &document.items {
            match item {
                Item::Import(import) => {
                    let from = self.files.sources.file(document.file);
                    let path = join(from.map_or("", |f| f.name()), import.path.as_str());
                    self.push(import.path.span, Symbol::File(path), false);
                }
                Item::Model(model) if model.category == Category::Subtree => {
                    self.name(
                        &model.name,
                        Symbol::Tree(model.name.text.to_string()),
                        false,
                    );
                }
                Item::Model(model) => {
                    let node = model.name.text.clone();
                    self.name(&model.name, Symbol::Node(node.to_string()), true);
                    for port in &model.ports {
                        let name = port.name.text.clone();
                        let node = node.clone();
                        self.name(
                            &port.name,
                            Symbol::Port {
                                node: node.to_string(),
                                name: name.to_string(),
                            },
                            true,
                        );
                        self.type_of(port);
                    }
                }
                Item::Keys(keys) => self.keys(keys, &Owner::Root),
                Item::Enum(model) => {
                    self.name(&model.name, Symbol::Enum(model.name.text.to_string()), true);
                    for word in &model.words {
                        self.name(&word.name, Symbol::Word(word.name.text.to_string()), true);
                    }
                }
                Item::Tree(tree) => self.tree(tree),
            }
        }
    }

    fn tree(&mut self, tree: &'d Tree) {
        self.tree = tree.name.as_str();
        let owner = Owner::Tree(tree.name.text.to_string());
        self.name(&tree.name, Symbol::Tree(tree.name.text.to_string()), true);
        for param in &tree.params {
            let name = param.name.text.clone();
            let owner = owner.clone();
            self.name(
                &param.name,
                Symbol::Key {
                    owner,
                    name: name.to_string(),
                },
                true,
            );
            self.type_of(param);
            if let Some(value) = &param.default {
                self.value(value, None);
            }
        }
        for keys in &tree.keys {
            self.keys(keys, &owner);
        }
        for node in &tree.body {
            self.node(node);
        }
        self.tree = "";
    }

    fn keys(&mut self, keys: &'d Keys, owner: &Owner) {
        for key in &keys.keys {
            let symbol = Symbol::Key {
                owner: owner.clone(),
                name: key.name.text.to_string(),
            };
            self.name(&key.name, symbol, true);
            if let Some(ty) = &key.ty {
                self.type_name(ty);
            }
            if let Some(value) = &key.initial {
                self.value(value, None);
            }
        }
    }

    fn node(&mut self, node: &'d Node) {
        let kind = node.kind.as_str();
        let explicit = matches!(node.form, Form::Explicit(_));
        let native = if explicit { None } else { builtin(kind) };
        let tree = match native {
            Some(_) => None,
            None => self.used_tree(node),
        };
        let symbol = match (native, tree) {
            (Some(_), _) => Symbol::BuiltIn(kind.to_owned()),
            (None, Some(_)) => Symbol::Tree(kind.to_owned()),
            (None, None) => Symbol::Node(kind.to_owned()),
        };
        self.found.push(Occurrence {
            span: match native {
                Some(_) => node.kind.span,
                None => match self.narrow(node.kind.span, kind) {
                    Some(span) => span,
                    None => node.kind.span,
                },
            },
            symbol,
            declares: false,
            same_name: None,
            markup: !explicit,
        });
        let mut index = None;
        let ports = self.ports(node, tree);
        let mut position = 0;
        for attribute in &node.attributes {
            let Some(value) = &attribute.value else {
                continue;
            };
            let mut port = None;
            if attribute.role == Role::Argument && native.is_none() {
                let name = match &attribute.name {
                    Some(name) => name.text.clone(),
                    None => ports.get(position).cloned().unwrap_or_default().into(),
                };
                let symbol = match tree {
                    Some(tree) => Symbol::Key {
                        owner: Owner::Tree(tree.name.text.to_string()),
                        name: name.to_string(),
                    },
                    None => Symbol::Port {
                        node: kind.to_owned(),
                        name: name.to_string(),
                    },
                };
                match &attribute.name {
                    Some(name) => self.markup_name(name, symbol.clone()),
                    None => position += 1,
                }
                port = Some(symbol);
            }
            let is_index =
                native.is_some_and(|spec| spec.head == Head::Count) && attribute.name() == "index";
            match (&value.kind, attribute.role) {
                (ValueKind::Key(key), _) if is_index => {
                    let owner = Owner::Loop(value.span);
                    let name = key.name.clone();
                    if let Some(span) = self.narrow(value.span, &name) {
                        self.push(
                            span,
                            Symbol::Key {
                                owner,
                                name: name.to_string(),
                            },
                            true,
                        );
                    }
                    index = Some((key.name.as_str(), value.span));
                }
                (ValueKind::Code(code), Role::Hook(hook)) => {
                    self.code(code, value.span, !Hook::is_guard(hook));
                }
                (ValueKind::Code(code), _) => {
                    let script = native.is_some_and(|spec| spec.head == Head::Script);
                    self.code(code, value.span, script);
                }
                _ => self.value(value, port),
            }
        }
        self.loops.extend(index);
        for child in &node.children {
            self.node(child);
        }
        if index.is_some() {
            self.loops.pop();
        }
    }

    fn used_tree(&self, node: &Node) -> Option<&'d Tree> {
        let kind = node.kind.as_str();
        let modelled = self.files.models.get(kind);
        if node.form != Form::Explicit(Category::Subtree)
            && modelled.is_some_and(|model| model.category != Category::Subtree)
        {
            return None;
        }
        self.files.trees.get(kind).map(|(_, tree)| *tree)
    }

    /// The names that arguments by position have.
    fn ports(&self, node: &Node, tree: Option<&Tree>) -> Vec<String> {
        let of = |ports: &[Port]| {
            ports
                .iter()
                .map(|port| port.name.text.to_string())
                .collect()
        };
        match (tree, self.files.models.get(node.kind.as_str())) {
            (Some(tree), _) => of(&tree.params),
            (None, Some(model)) => of(&model.ports),
            (None, None) => Vec::new(),
        }
    }

    /// `port` is what the value is given to.
    fn value(&mut self, value: &'d Value, port: Option<Symbol>) {
        match &value.kind {
            ValueKind::Key(key) => self.key(key, value.span),
            ValueKind::SameName => {
                let Some(port) = port else { return };
                let key = KeyRef {
                    scope: KeyScope::Local,
                    name: port.name().to_owned().into(),
                };
                let symbol = self.resolve(&key);
                self.found.push(Occurrence {
                    span: value.span,
                    symbol,
                    declares: false,
                    same_name: Some(port),
                    markup: false,
                });
            }
            ValueKind::Code(code) => self.code(code, value.span, false),
            ValueKind::Range(from, to) => {
                self.value(from, None);
                self.value(to, None);
            }
            ValueKind::Literal(Literal::Word(word)) => self.word(word, value.span),
            ValueKind::Literal(Literal::List(items)) => {
                items.iter().for_each(|item| self.value(item, None));
            }
            ValueKind::Literal(_) => {}
        }
    }

    fn code(&mut self, code: &Code, span: Span, script: bool) {
        if code.dialect != Dialect::Tick {
            return self.foreign(code, span);
        }
        // What cannot be read was reported by the reader.
        if script {
            let Ok(script) = parse_script(&code.text, span) else {
                return;
            };
            for statement in &script.statements {
                match &statement.kind {
                    StatementKind::Assign {
                        target,
                        target_span,
                        value,
                        ..
                    } => {
                        self.key(target, *target_span);
                        self.expression(value);
                    }
                    StatementKind::Expr(expr) => self.expression(expr),
                }
            }
        } else if let Ok(expr) = parse_expression(&code.text, span) {
            self.expression(&expr);
        }
    }

    /// The keys of a script of BehaviorTree.CPP: its names, but for those in texts.
    fn foreign(&mut self, code: &Code, span: Span) {
        let text = code.text.as_str();
        // Where characters are written as entities, places are not known.
        if span.range().len() != text.len() {
            return;
        }
        let mut quoted = false;
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            let inside = c.is_ascii_alphanumeric() || c == '_' || c == '@';
            match start {
                None if inside && !quoted => start = Some(at),
                Some(from) if !inside => {
                    self.foreign_name(&text[from..at], span.start + from as u32, span);
                    start = None;
                }
                _ => {}
            }
            quoted ^= c == '\'';
        }
    }

    fn foreign_name(&mut self, written: &str, start: u32, span: Span) {
        let (scope, name) = match written.strip_prefix('@') {
            Some(name) => (KeyScope::Root, name),
            None => (KeyScope::Local, written),
        };
        let number = name.starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() || number || matches!(name, "true" | "false") {
            return;
        }
        let end = start + written.len() as u32;
        let key = KeyRef {
            scope,
            name: name.into(),
        };
        self.key(&key, Span { start, end, ..span });
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Key(key) => self.key(key, expr.span),
            ExprKind::Literal(Literal::Word(word)) => self.word(word, expr.span),
            ExprKind::Literal(_) | ExprKind::Error => {}
            ExprKind::List(items) | ExprKind::Call(_, items) => {
                items.iter().for_each(|item| self.expression(item));
            }
            ExprKind::Member(of, _) | ExprKind::Unary(_, of) => self.expression(of),
            ExprKind::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            ExprKind::Compare(first, rest) => {
                self.expression(first);
                rest.iter().for_each(|(_, expr)| self.expression(expr));
            }
            ExprKind::Conditional(a, b, c) => {
                for expr in [a, b, c] {
                    self.expression(expr);
                }
            }
        }
    }

    fn key(&mut self, key: &KeyRef, span: Span) {
        let symbol = self.resolve(key);
        if let Some(span) = self.narrow(span, &key.name) {
            self.push(span, symbol, false);
        }
    }

    /// What a key's name means here.
    fn resolve(&self, key: &KeyRef) -> Symbol {
        let owner = self.owner(key);
        let name = key.name.clone();
        Symbol::Key {
            owner,
            name: name.to_string(),
        }
    }

    fn owner(&self, key: &KeyRef) -> Owner {
        let name = key.name.as_str();
        if key.scope == KeyScope::Root || self.tree.is_empty() {
            return Owner::Root;
        }
        let own = || Owner::Tree(self.tree.to_owned());
        if !self.lexical {
            return own();
        }
        if let Some((_, span)) = self.loops.iter().rev().find(|(index, _)| *index == name) {
            return Owner::Loop(*span);
        }
        let declared = self.files.trees.get(self.tree).is_some_and(|(_, tree)| {
            tree.params.iter().any(|param| param.name == *name)
                || tree
                    .keys
                    .iter()
                    .flat_map(|k| &k.keys)
                    .any(|k| k.name == *name)
        });
        let of_files = || {
            let all = self.files.documents.iter().flat_map(Document::keys);
            all.into_iter().any(|key| key.name == *name)
        };
        if !declared && of_files() {
            Owner::Root
        } else {
            own()
        }
    }

    fn word(&mut self, word: &str, span: Span) {
        if let Some(span) = self.narrow(span, word) {
            self.push(span, Symbol::Word(word.to_owned()), false);
        }
    }

    fn type_of(&mut self, port: &Port) {
        if let Some(ty) = &port.ty {
            self.type_name(ty);
        }
    }

    /// The enumeration in a type, which may be inside `list<...>`.
    fn type_name(&mut self, ty: &Name) {
        let inner = ty.as_str().trim_end_matches('>');
        let inner = inner.rsplit('<').next().unwrap_or(inner).trim();
        let enums = self.files.documents.iter().flat_map(Document::enums);
        if enums.into_iter().any(|model| model.name == *inner)
            && let Some(span) = self.narrow(ty.span, inner)
        {
            self.push(span, Symbol::Enum(inner.to_owned()), false);
        }
    }

    fn name(&mut self, name: &Name, symbol: Symbol, declares: bool) {
        if let Some(span) = self.narrow(name.span, &name.text) {
            self.push(span, symbol, declares);
        }
    }

    fn markup_name(&mut self, name: &Name, symbol: Symbol) {
        if let Some(span) = self.narrow(name.span, &name.text) {
            self.push(span, symbol, false);
            if let Some(last) = self.found.last_mut() {
                last.markup = true;
            }
        }
    }

    fn push(&mut self, span: Span, symbol: Symbol, declares: bool) {
        // `main tree A` gives the place twice; the declaration counts.
        let same = |o: &&mut Occurrence| o.span == span && o.symbol == symbol;
        if let Some(known) = self.found.iter_mut().rev().take(64).find(same) {
            known.declares |= declares;
            return;
        }
        self.found.push(Occurrence {
            span,
            symbol,
            declares,
            same_name: None,
            markup: false,
        });
    }

    /// The place of the name within a place that may have marks around it: `{goal}`, `@goal`.
    /// Nothing where the text is another, as in documents that are not text.
    fn narrow(&self, span: Span, name: &str) -> Option<Span> {
        if name.is_empty() {
            return None;
        }
        let text = self.files.text(span.file).get(span.range())?;
        // A name in backticks is replaced with them.
        if text.starts_with('`') && text.ends_with('`') {
            return Some(span);
        }
        if let Some(at) = text.find('`') {
            return Some(Span {
                start: span.start + at as u32,
                ..span
            });
        }
        let start = span.start as usize + text.find(name)?;
        Some(Span::new(span.file, start, start + name.len()))
    }
}
