//! Checks documents: do the nodes exist, do their arguments fit, are the names declared?
//!
//! A check needs all documents involved, so that it finds trees and node descriptions wherever they
//! are. It knows the built-in nodes of `.tick`; code in BehaviorTree.CPP's language is not checked.

mod arguments;
mod described;
mod misspelt;
mod nodes;
mod scope;
mod unwritten;

use std::collections::HashMap;

use crate::builtin::builtin;
use crate::diagnostics::Diagnostic;
use crate::expr::Names;
use crate::model::{Category, Document, EnumModel, Node, NodeModel, Tree};

pub use described::described;
pub use misspelt::misspelt;
pub(crate) use scope::bare_list;
pub use scope::{TreeNames, tree_names};
pub use unwritten::unwritten;

/// What a check goes by.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whether a node that is neither built in, described, nor a tree is fine: for files whose leaves
    /// are written in code that is not at hand.
    pub allow_unknown_nodes: bool,
    /// Functions of the program, and enumerations and keys that it brings.
    pub names: Names,
}

/// Checks documents that belong together, the main file first. Messages come in the order of the
/// documents and of their lines.
///
/// ```
/// use tickseed_lang::{check, model::SourceMap, tick};
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.tick", "leaf Patrol\ntree A { Patrl }\n");
/// let document = tick::parse(&sources, file).document;
/// let messages = check::check(&[&document], &check::Options::default());
/// assert_eq!(messages[0].code, "tick::unknown-node");
/// assert_eq!(messages[0].help.as_deref(), Some("did you mean `Patrol`?"));
/// ```
pub fn check(documents: &[&Document], options: &Options) -> Vec<Diagnostic> {
    let mut checker = Checker {
        documents,
        options,
        trees: HashMap::new(),
        models: HashMap::new(),
        diagnostics: Vec::new(),
    };
    checker.collect();
    checker.recursion();
    for document in documents {
        for tree in document.trees() {
            checker.tree(tree);
        }
    }
    let order = |diagnostic: &Diagnostic| {
        diagnostic
            .primary
            .as_ref()
            .map_or((0, 0), |label| (label.span.file.0, label.span.start))
    };
    checker.diagnostics.sort_by_key(order);
    checker.diagnostics
}

struct Checker<'a> {
    documents: &'a [&'a Document],
    options: &'a Options,
    trees: HashMap<&'a str, &'a Tree>,
    models: HashMap<&'a str, &'a NodeModel>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Finds all trees and models; names must be unique.
    fn collect(&mut self) {
        let mut enums: HashMap<&'a str, &'a EnumModel> = HashMap::new();
        for document in self.documents {
            for tree in document.trees() {
                let name = &tree.name;
                if let Some(first) = self.trees.get(name.as_str()) {
                    let message = format!("two trees are called `{name}`");
                    let diagnostic = Diagnostic::error("tick::duplicate-tree", message)
                        .at(name.span, "again here")
                        .and(first.name.span, "first here")
                        .help("rename one of them");
                    self.report(diagnostic);
                    continue;
                }
                self.trees.insert(name.as_str(), tree);
            }
            for model in document.models() {
                if let Some(first) = self.models.insert(model.name.as_str(), model)
                    && first.ports != model.ports
                {
                    let message = format!("`{}` is described in two ways", model.name);
                    let diagnostic = Diagnostic::warning("tick::duplicate-model", message)
                        .at(model.name.span, "this one counts")
                        .and(first.name.span, "first here");
                    self.report(diagnostic);
                }
            }
            for model in document.enums() {
                let first = *enums.entry(model.name.as_str()).or_insert(model);
                let words = |model: &'a EnumModel| {
                    let words = model.words.iter();
                    words.map(|word| (word.name.as_str(), word.number))
                };
                if !words(first).eq(words(model)) {
                    let message = format!("two enumerations are called `{}`", model.name);
                    let diagnostic = Diagnostic::error("tick::duplicate-enum", message)
                        .at(model.name.span, "again here, with other words")
                        .and(first.name.span, "first here")
                        .help("rename one of them");
                    self.report(diagnostic);
                }
            }
            if let Some(main) = &document.main
                && !self
                    .documents
                    .iter()
                    .any(|d| d.tree(main.as_str()).is_some())
            {
                let names: Vec<_> = self.trees.keys().copied().collect();
                let near = crate::diagnostics::nearest(main.as_str(), names);
                let message = format!("the main tree `{main}` does not exist");
                let diagnostic = Diagnostic::error("tick::unknown-tree", message)
                    .at(main.span, "not found")
                    .maybe_help(near.map(|near| format!("did you mean `{near}`?")));
                self.report(diagnostic);
            }
        }
        let clashes: Vec<_> = self
            .trees
            .values()
            .filter_map(|tree| Some((&tree.name, *self.models.get(tree.name.as_str())?)))
            .filter(|(_, model)| model.category != Category::Subtree)
            .map(|(tree, model)| {
                Diagnostic::error("tick::name-clash", format!("`{tree}` is a tree and a node"))
                    .at(tree.span, "the tree")
                    .and(model.name.span, "the node")
                    .help("rename one of them")
            })
            .collect();
        self.diagnostics.extend(clashes);
        for (name, tree) in self.trees.clone() {
            if builtin(name).is_some() {
                let message = format!("`{name}` is a built-in node");
                self.report(
                    Diagnostic::error("tick::name-clash", message)
                        .at(tree.name.span, "a tree needs another name"),
                );
            }
        }
    }

    /// The tree that a node uses, if it uses one.
    fn used_tree(&self, node: &Node) -> Option<&'a Tree> {
        // Where a tree and a node have one name, which is an error, the node counts.
        let model = self.models.get(node.kind.as_str());
        if builtin(node.kind.as_str()).is_some()
            || model.is_some_and(|model| model.category != Category::Subtree)
        {
            return None;
        }
        self.trees.get(node.kind.as_str()).copied()
    }

    /// Trees must not use themselves, however indirectly.
    fn recursion(&mut self) {
        let mut done: Vec<&str> = Vec::new();
        let mut names: Vec<&'a str> = self.trees.keys().copied().collect();
        names.sort_unstable();
        for name in names {
            let mut path = Vec::new();
            self.visit(name, &mut path, &mut done);
        }
    }

    fn visit(&mut self, name: &'a str, path: &mut Vec<&'a str>, done: &mut Vec<&'a str>) {
        // A chain of a thousand different trees is no use of trees, and the stack is finite.
        if done.contains(&name) || path.len() > 1000 {
            return;
        }
        let Some(tree) = self.trees.get(name).copied() else {
            return;
        };
        path.push(name);
        let mut used = Vec::new();
        for node in &tree.body {
            node.walk(&mut |node| {
                if let Some(tree) = self.used_tree(node) {
                    used.push((tree.name.as_str(), node.kind.span));
                }
            });
        }
        for (next, span) in used {
            if let Some(start) = path.iter().position(|on_path| *on_path == next) {
                let mut cycle: Vec<_> = path[start..].to_vec();
                cycle.push(next);
                let message = format!("trees use themselves: {}", cycle.join(" -> "));
                self.report(
                    Diagnostic::error("tick::recursion", message)
                        .at(span, format!("`{next}` is used inside itself"))
                        .and(self.trees[next].name.span, "this tree"),
                );
            } else {
                self.visit(next, path, done);
            }
        }
        path.pop();
        done.push(name);
    }
}
