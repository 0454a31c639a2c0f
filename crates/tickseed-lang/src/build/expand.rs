//! Walks the document: each written node becomes an engine node at each place where it is used.

use std::collections::HashMap;
use std::sync::Arc;

use tickseed_core::{Issue, Node, Rule, Tree, nodes};

use super::scope::{Binding, ROOT, Scope, ScopeId, field};
use super::{Failed, Instance, Loaded, Loader, MAX_NODES, Options, Twins, Whereabouts};
use crate::board::{HasBoard, Layout, Mark};
use crate::builtin::{BUILTINS, builtin};
use crate::check::bare_list;
use crate::compat;
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{Datum, Type};
use crate::load::there_are;
use crate::model::{self, Attribute, Category, Document, Form, KeyDecl, Role, SourceMap, Span};
use crate::registry::Registry;

/// What became of a written node.
#[allow(
    clippy::large_enum_variant,
    reason = "it lives from a node's making to its parent's"
)]
pub(crate) enum Made<C: HasBoard> {
    /// A node.
    Node(Node<C>),
    /// Nothing: the branch is switched off.
    Nothing,
    /// A mistake, which was reported.
    Failed,
}

impl<C: HasBoard> Made<C> {
    pub(crate) fn node(self) -> Option<Node<C>> {
        match self {
            Made::Node(node) => Some(node),
            Made::Nothing | Made::Failed => None,
        }
    }
}

impl<C: HasBoard> From<Option<Node<C>>> for Made<C> {
    fn from(node: Option<Node<C>>) -> Self {
        node.map_or(Made::Failed, Made::Node)
    }
}

/// What became of a written node that stands elsewhere if it was made.
enum Wrote {
    Node,
    Nothing,
    Failed,
}

/// Where a node stands: what its making needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The scope of the tree it is written in.
    pub(crate) scope: ScopeId,
    /// Its own number in the instances.
    pub(crate) id: usize,
}

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(crate) fn new(
        documents: &'d [Document],
        registry: &'d Registry<C>,
        options: &'d Options,
    ) -> Self {
        let mut trees = HashMap::new();
        // The file to run comes first and its trees count before those of imports; of two trees of
        // one name in a file the last counts, as in BehaviorTree.CPP.
        for document in documents.iter().rev() {
            for tree in document.trees() {
                trees.insert(tree.name.as_str(), (document, tree));
            }
        }
        let functions: Vec<_> = (registry.functions().iter())
            .map(|(_, function)| Arc::clone(function))
            .collect();
        Loader {
            registry,
            options,
            documents,
            trees,
            layout: Layout::default(),
            scopes: Vec::new(),
            file_keys: HashMap::new(),
            enums: registry.enums().to_vec(),
            instances: Vec::new(),
            diagnostics: Vec::new(),
            functions: functions.into(),
            halt_scripts: Vec::new(),
            open: Vec::new(),
            typed: HashMap::new(),
            too_many: false,
            twins: Twins::default(),
            names: None,
            recent: None,
            spare: Vec::new(),
            subtree_paths: Default::default(),
        }
    }

    pub(crate) fn load(
        mut self,
        sources: SourceMap,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Result<Loaded<C>, Failed> {
        self.diagnostics.append(&mut diagnostics);
        for fault in self.registry.faults() {
            self.report(Diagnostic::error("load::registry", fault));
        }
        let root = self.main();
        // A tree used twice makes its mistakes twice.
        let mut seen = std::collections::HashSet::new();
        self.diagnostics
            .retain(|d| seen.insert((d.code, d.message.clone(), d.primary.clone())));
        let has_errors = self.diagnostics.iter().any(Diagnostic::is_error);
        // A node's hooks are made after its children; what visits all nodes goes from the root down.
        self.halt_scripts.sort_by_key(|script| script.instance);
        let root = match root {
            Some(root) if !has_errors => root,
            root => {
                if root.is_none() && !has_errors {
                    let what = "nothing is left of the tree: all of it is switched off";
                    self.report(Diagnostic::error("load::empty", what));
                }
                return Err(self.failed(sources));
            }
        };
        match Tree::build(root) {
            Ok(tree) => {
                let (instances, twins) = (Arc::new(self.instances), Arc::new(self.twins));
                let (names, numbers) = (Arc::clone(&instances), Arc::clone(&twins));
                let tree = tree.with_names(move |def, node| {
                    Some(numbers.path(&names, super::instance_of(def, node)?))
                });
                Ok(Loaded {
                    tree: tree.with_keys(self.layout.tree_keys()),
                    layout: Arc::new(self.layout),
                    instances,
                    diagnostics: self.diagnostics,
                    sources,
                    halt_scripts: self.halt_scripts,
                    enums: self.enums,
                    twins,
                })
            }
            Err(error) => {
                for issue in error.issues {
                    let diagnostic = self.refused(issue);
                    self.diagnostics.push(diagnostic);
                }
                Err(self.failed(sources))
            }
        }
    }

    /// What the engine has against a tree, told of the file: places stand for its paths.
    fn refused(&self, issue: Issue) -> Diagnostic {
        let at = |origin: Option<u32>| {
            let id = origin? as usize;
            Some((self.instances.get(id)?, self.whereabouts(id).path()))
        };
        let (found, other) = (at(issue.origin), at(issue.other));
        let message = match (&found, &other) {
            (Some((_, path)), Some((above, _))) if issue.rule == Rule::Uninterruptible => {
                format!(
                    "{path}: an uninterruptible node stands below a `{}` that can halt it while it runs",
                    above.kind
                )
            }
            (Some((_, path)), _) => format!("{path}: {}", issue.message),
            (None, _) => format!("{}: {}", issue.path, issue.message),
        };
        let mut diagnostic = Diagnostic::error("load::build", message).help(issue.help);
        if let Some((instance, _)) = found {
            diagnostic = diagnostic.at(instance.span, "this node");
        }
        if let Some((instance, _)) = other {
            diagnostic = diagnostic.and(instance.span, "can be halted by this one");
        }
        diagnostic
    }

    fn failed(self, sources: SourceMap) -> Failed {
        Failed {
            diagnostics: self.diagnostics,
            sources,
        }
    }

    /// The main tree.
    fn main(&mut self) -> Option<Node<C>> {
        let (document, tree) = self.main_tree()?;
        self.instances.reserve(count(&tree.body));
        let layout = self.layout.add_scope("");
        debug_assert_eq!(layout, 0);
        let lexical = !document.has_btcpp_keys();
        self.scopes.push(Scope {
            layout,
            lexical,
            ..Scope::default()
        });
        let documents = self.documents;
        for document in documents {
            for declared in document.enums() {
                let mut next = 0;
                let words = declared.words.iter().map(|word| {
                    let number = word.number.unwrap_or(next);
                    next = number.wrapping_add(1);
                    (word.name.text.to_string(), number)
                });
                let entry = (declared.name.text.to_string(), words.collect());
                self.enums.push(entry);
            }
        }
        for document in documents {
            for key in document.keys() {
                if !self.field_key(key) {
                    self.key(ROOT, key);
                }
            }
        }
        // Keys of files are seen by every tree; the main tree's own are not.
        self.file_keys = std::mem::take(&mut self.scopes[ROOT].keys);
        (self.names, self.recent) = (None, None);
        for name in self.options.extra_keys.clone() {
            let key = model::KeyRef {
                scope: model::KeyScope::Local,
                name: name.into(),
            };
            if !lexical {
                self.resolve(ROOT, &key, Span::default());
            }
        }
        for param in &tree.params {
            let ty = self.param_type(param);
            let initial = match &param.default {
                Some(value) => self.constant(ROOT, value, &ty).unwrap_or_default(),
                None => Datum::None,
            };
            self.declare(ROOT, param.name.as_str(), ty, initial, true, param.span);
        }
        self.body(tree, ROOT, None)
    }

    fn main_tree(&mut self) -> Option<(&'d Document, &'d model::Tree)> {
        let first = self.documents.first()?;
        let wanted = self
            .options
            .main
            .as_deref()
            .or(first.main.as_ref().map(model::Name::as_str));
        let span = first.main.as_ref().map_or(first.span, |name| name.span);
        if let Some(name) = wanted {
            let found = self.trees.get(name).copied();
            let said = |d: &Diagnostic| d.code == "xml::unknown-tree";
            if found.is_none() && !self.diagnostics.iter().any(said) {
                let help = nearest(name, self.trees.keys().copied())
                    .map(|near| format!("did you mean `{near}`?"))
                    .or_else(|| there_are(self.trees.keys().copied()));
                let message = format!("Can't find a tree with name: {name}");
                let mut diagnostic =
                    Diagnostic::error("load::unknown-tree", message).maybe_help(help);
                // What the caller asks for stands in no file.
                if self.options.main.is_none() {
                    diagnostic = diagnostic.at(span, "the tree to run");
                }
                self.report(diagnostic);
            }
            return found;
        }
        let mut trees = first.trees();
        match (trees.next(), trees.next()) {
            (Some(only), None) => Some((first, only)),
            (Some(_), Some(second)) => {
                let (message, help) = if first.format == model::Format::Xml {
                    (
                        "[main_tree_to_execute] was not specified correctly",
                        "say which tree to run: <root main_tree_to_execute=\"...\">",
                    )
                } else {
                    (
                        "the file has several trees and does not say which one to run",
                        "write `main` before one of them: `main tree ...`",
                    )
                };
                let of = there_are(first.trees().map(|tree| tree.name.as_str()));
                let help = of.map_or(help.to_owned(), |of| format!("{help}; {of}"));
                self.report(
                    Diagnostic::error("load::no-main", message)
                        .at(second.name.span, "or this one?")
                        .help(help),
                );
                None
            }
            _ => self.only_included(first),
        }
    }

    /// The tree of a file that has none of its own, such as a project of Groot: the only one that it
    /// includes.
    fn only_included(&mut self, first: &'d Document) -> Option<(&'d Document, &'d model::Tree)> {
        let mut names: Vec<&str> = self.trees.keys().copied().collect();
        names.sort_unstable();
        if let [only] = names[..] {
            return self.trees.get(only).copied();
        }
        if !self.diagnostics.iter().any(Diagnostic::is_error) {
            let (message, help) = match names.is_empty() {
                true => ("the file has no tree", None),
                false => (
                    "the file has no tree of its own",
                    Some(format!(
                        "say which to run of those it includes: {}",
                        names.join(", ")
                    )),
                ),
            };
            self.report(
                Diagnostic::error("load::no-tree", message)
                    .at(first.span, "")
                    .maybe_help(help),
            );
        }
        None
    }

    /// A key at the top of a file that the context publishes, too, is the context's: its
    /// declaration lets the file be checked and tried without the program.
    fn field_key(&mut self, key: &KeyDecl) -> bool {
        let Some((id, info)) = C::schema().find(key.name.as_str()) else {
            return false;
        };
        if self.is_taken(ROOT, key.name.as_str(), key.span) {
            return true;
        }
        let binding = field(id, info.ty);
        let wanted = match &key.ty {
            Some(ty) => self.type_named(ty),
            None => binding.ty.clone(),
        };
        let fits = match &key.initial {
            Some(value) => self.constant(ROOT, value, &wanted).is_some(),
            None => true,
        };
        if fits && wanted != binding.ty {
            let message = format!(
                "the key `{}` is {wanted} here and {} in the program",
                key.name, binding.ty
            );
            self.report(
                Diagnostic::error("load::key-type", message)
                    .at(key.span, "declared here")
                    .help(format!("write `{}: {}`", key.name, binding.ty)),
            );
        }
        let keys = &mut self.scopes[ROOT].keys;
        keys.insert(
            key.name.to_string(),
            Binding {
                span: Some(key.span),
                ..binding
            },
        );
        true
    }

    /// Declares a key that a file or tree lists.
    pub(super) fn key(&mut self, scope: ScopeId, key: &KeyDecl) {
        let written = key.ty.as_ref().map(|ty| self.type_named(ty));
        let wanted = written.clone().unwrap_or(Type::Any);
        let (initial, found) = match &key.initial {
            None => (Datum::None, Type::Any),
            Some(value) => match self.checked(scope, value, &wanted) {
                Some(checked) => match checked.op.kind {
                    crate::expr::OpKind::Const(datum) => (datum, checked.ty),
                    _ => {
                        self.error(
                            "load::initial",
                            "a key begins with a value that stands in the file",
                            value.span,
                        );
                        return;
                    }
                },
                None => return,
            },
        };
        let ty = written.unwrap_or(found);
        if ty == Type::Any && initial == Datum::None && key.ty.is_none() {
            self.report(
                Diagnostic::error(
                    "load::key-type",
                    format!("the key `{}` has no type", key.name),
                )
                .at(key.span, "")
                .help("write one, `name: float`, or a first value, `name = 0.5`"),
            );
            return;
        }
        self.declare(scope, key.name.as_str(), ty, initial, true, key.span);
    }

    fn type_named(&mut self, name: &model::Name) -> Type {
        let ty = Type::parse(name.as_str(), |name| {
            self.enums.iter().any(|(e, _)| e == name)
        });
        if ty.is_bare_list() {
            self.report(bare_list(name.span));
            return Type::Any;
        }
        ty
    }

    pub(super) fn param_type(&mut self, param: &model::Port) -> Type {
        match (&param.ty, &param.default) {
            (Some(ty), _) => self.type_named(ty),
            (None, _) => Type::Any,
        }
    }

    /// The root of a tree in its own scope.
    pub(super) fn body(
        &mut self,
        tree: &'d model::Tree,
        scope: ScopeId,
        parent: Option<usize>,
    ) -> Option<Node<C>> {
        self.open.push((tree.name.as_str(), tree.name.span));
        for key in tree.keys.iter().flat_map(|keys| &keys.keys) {
            self.key(scope, key);
        }
        let mut made = Vec::new();
        for node in &tree.body {
            if let Made::Node(node) = self.written(node, scope, parent) {
                made.push(node);
            }
        }
        self.open.pop();
        if tree.body.len() != 1 && !self.diagnostics.iter().any(|d| d.code == "xml::children") {
            let message = format!(
                "the tree `{}` has {} roots, it needs one",
                tree.name,
                tree.body.len()
            );
            self.report(
                Diagnostic::error("load::one-root", message)
                    .at(tree.name.span, "")
                    .help(match tree.body.is_empty() {
                        true => "write `success` if there is nothing to do",
                        false => "put them into a `sequence` or a `selector`",
                    }),
            );
            return None;
        }
        made.pop()
    }

    /// A node, with what its hooks and tags add.
    pub(crate) fn written(
        &mut self,
        node: &'d model::Node,
        scope: ScopeId,
        parent: Option<usize>,
    ) -> Made<C> {
        let mut made = Vec::new();
        match self.write(node, scope, parent, &mut made) {
            Wrote::Node => made.pop().into(),
            Wrote::Nothing => Made::Nothing,
            Wrote::Failed => Made::Failed,
        }
    }

    /// The same, put behind its siblings: nodes are large, and so moved seldom.
    fn write(
        &mut self,
        node: &'d model::Node,
        scope: ScopeId,
        parent: Option<usize>,
        into: &mut Vec<Node<C>>,
    ) -> Wrote {
        if node.disabled {
            return Wrote::Nothing;
        }
        let limit = match self.options.max_nodes {
            0 => MAX_NODES,
            limit => limit,
        };
        if self.instances.len() >= limit {
            if !self.too_many {
                self.too_many = true;
                let message = format!(
                    "the tree has more than {limit} nodes once its subtrees are put in their places"
                );
                self.report(
                    Diagnostic::error("load::too-large", message)
                        .at(node.span, "no more nodes are made from here on")
                        .help(if self.scopes.len() > 1 {
                            "subtrees that use each other several times multiply: use fewer"
                        } else {
                            "split it into several trees"
                        }),
                );
            }
            return Wrote::Failed;
        }
        let id = self.instance(node, scope, parent);
        let place = Place { scope, id };
        let made = self.kind(node, place);
        let Made::Node(mut made) = made else {
            // Hooks are checked even if the node itself is wrong.
            let stand_in = nodes::<C>().succeed();
            self.hooked(node, place, stand_in);
            return match made {
                Made::Nothing => Wrote::Nothing,
                _ => Wrote::Failed,
            };
        };
        // Most makers give the name that they were told.
        if let Some(name) = &node.name
            && made.label() != name.as_str()
        {
            made = made.named(name.text.clone());
        }
        for tag in node.options().filter(|o| o.name() == "tag") {
            for text in values(tag).map(model::Value::to_attribute) {
                made = made.tag(text);
            }
        }
        if node.attributes.iter().any(Attribute::is_hook) {
            let Some(hooked) = self.hooked(node, place, made.origin(id as u32)) else {
                return Wrote::Failed;
            };
            made = hooked;
        }
        into.push(made.origin(id as u32));
        Wrote::Node
    }

    fn instance(&mut self, node: &model::Node, scope: ScopeId, parent: Option<usize>) -> usize {
        let id = self.instances.len();
        let mut shown = Vec::new();
        if self.options.every_node {
            for attribute in &node.attributes {
                if let (Role::Argument | Role::Hook(_), Some(value)) =
                    (attribute.role, &attribute.value)
                {
                    let name = match attribute.role {
                        Role::Hook(hook) => hook.xml(),
                        _ => attribute.name(),
                    };
                    shown.push((name.into(), value.to_attribute()));
                }
            }
        }
        let name = node.name.as_ref().unwrap_or(&node.kind);
        self.instances.push(Instance {
            name: name.text.clone(),
            named: node.name.is_some(),
            kind: node.kind.text.clone(),
            span: node.kind.span,
            whole: node.span,
            parent,
            scope: self.scopes[scope].layout,
            subtree: None,
            shown,
            role: compat::StatusRole::Leaf,
        });
        id
    }

    /// Where a node stands.
    pub(crate) fn whereabouts(&self, id: usize) -> Whereabouts<'_> {
        Whereabouts {
            instances: &self.instances,
            scopes: self.layout.scopes(),
            twins: &self.twins,
            id,
        }
    }

    /// All children, made in order; `None` if any of them is wrong.
    pub(crate) fn children(&mut self, node: &'d model::Node, place: Place) -> Option<Vec<Node<C>>> {
        let mut all = Vec::with_capacity(node.children.len());
        let mut ok = true;
        for child in &node.children {
            let wrote = self.write(child, place.scope, Some(place.id), &mut all);
            ok &= !matches!(wrote, Wrote::Failed);
        }
        ok.then_some(all)
    }

    fn kind(&mut self, node: &'d model::Node, place: Place) -> Made<C> {
        let kind = node.kind.as_str();
        if node.form == Form::Explicit(Category::Subtree) {
            return self.subtree(node, place);
        }
        let registry = self.registry;
        if node.form == Form::Compact && builtin(kind).is_some() {
            if registry.entry(kind).is_some() {
                let help = format!("the program's is written `action {kind}`");
                self.two_of_a_name(node, "the built-in node counts", help);
            }
            return self.native(node, place).into();
        }
        if let Some(entry) = registry.entry(kind) {
            if cfg!(feature = "formats") && compat::is_core(kind) {
                let help = "register it under a name of its own".to_owned();
                self.two_of_a_name(node, "the program's node counts", help);
            }
            return self.registered(entry, node, place).into();
        }
        if cfg!(feature = "formats") && compat::is_known(kind) {
            return compat::node(self, node, place).into();
        }
        if node.form == Form::Compact && self.trees.contains_key(kind) {
            return self.subtree(node, place);
        }
        // The children may have mistakes of their own.
        self.children(node, place);
        // The words of `.tick` begin in lower case; among equally near names the first one wins.
        let mut known: Vec<&str> = Vec::new();
        if kind.starts_with(char::is_lowercase) {
            known.extend(BUILTINS.iter().map(|builtin| builtin.words));
        }
        known.extend(self.registry.models().map(|m| m.name.as_str()));
        if cfg!(feature = "formats") {
            known.extend(compat::names().map(|name| -> &str { name }));
        }
        known.extend(self.trees.keys().copied());
        let theirs = || crate::foreign::foreign(kind, self.is_xml(node.kind.span));
        let help = match nearest(kind, known).or_else(theirs) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "register it, or declare the tree of that name".to_owned(),
        };
        self.report(
            Diagnostic::error("load::unknown-node", format!("Node not recognized: {kind}"))
                .at(node.kind.span, "nothing of this name is registered")
                .help(help),
        );
        Made::Failed
    }

    /// The program registers a node under the name of a built-in one: said once for each name.
    #[cold]
    fn two_of_a_name(&mut self, node: &model::Node, which: &str, help: String) {
        let message = format!("the program registers `{}`, a built-in node", node.kind);
        let said = |d: &Diagnostic| d.code == "load::two-of-a-name" && d.message == message;
        if !self.diagnostics.iter().any(said) {
            let diagnostic = Diagnostic::warning("load::two-of-a-name", message)
                .at(node.kind.span, which)
                .help(help);
            self.report(diagnostic);
        }
    }

    /// A script of BehaviorTree.CPP in a build without it.
    pub(crate) fn no_btcpp<T>(&mut self, span: model::Span) -> Option<T> {
        let message = "this program reads `.tick` only, without BehaviorTree.CPP's scripts";
        self.report(
            Diagnostic::error("load::no-btcpp", message)
                .at(span, "")
                .help("write the expression in the language of the file"),
        );
        None
    }

    /// The mark of entries that a type of this name declares.
    pub(crate) fn type_mark(&mut self, ty: &str) -> Mark {
        self.layout.mark(ty)
    }
}

/// How many nodes these are with all below them.
fn count(nodes: &[model::Node]) -> usize {
    let below = nodes.iter().map(|node| count(&node.children));
    nodes.len() + below.sum::<usize>()
}

/// The values of an option: those of a list one by one.
pub(crate) fn values(attribute: &model::Attribute) -> impl Iterator<Item = &model::Value> {
    let list: &[model::Value] = match &attribute.value {
        None => &[],
        Some(model::Value {
            kind: model::ValueKind::Literal(model::Literal::List(items)),
            ..
        }) => items,
        Some(value) => std::slice::from_ref(value),
    };
    list.iter()
}
