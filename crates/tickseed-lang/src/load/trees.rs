//! All trees of a load by name: duplicates, and trees that use themselves.

use super::Loaded;
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{Category, Document, Form, Name, Node, Span, Tree};
use std::collections::BTreeMap;

/// Messages of one sort before the rest is left out: each compares names or shows a whole circle.
const MAX_REPORTS: usize = 50;

/// What two trees of one name mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// A mistake.
    #[default]
    Error,
    /// The later one counts, as in BehaviorTree.CPP: a file overrides what it includes. A warning
    /// names both places.
    Replace,
    /// The earlier one counts. A warning names both places.
    Keep,
}

/// A tree and the document it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Found<'d> {
    /// The document.
    pub document: &'d Document,
    /// The tree.
    pub tree: &'d Tree,
}

impl Loaded {
    /// All trees by name, with messages about duplicates, about uses of trees that do not exist, and
    /// about trees that use themselves, directly or through others.
    pub fn trees(&self, duplicates: Duplicates) -> (BTreeMap<&str, Found<'_>>, Vec<Diagnostic>) {
        let mut trees: BTreeMap<&str, Found<'_>> = BTreeMap::new();
        let mut diagnostics = Vec::new();
        for document in &self.documents {
            for tree in document.trees() {
                let found = Found { document, tree };
                let Some(first) = trees.get(tree.name.as_str()).copied() else {
                    trees.insert(tree.name.as_str(), found);
                    continue;
                };
                diagnostics.push(self.duplicate(first, found, duplicates));
                if duplicates == Duplicates::Replace {
                    trees.insert(tree.name.as_str(), found);
                }
            }
        }
        self.unknown(&trees, &mut diagnostics);
        diagnostics.extend(cycles(&trees));
        (trees, diagnostics)
    }

    /// The tree to run: the one the file asked for names, else its only one; of a file that has none of
    /// its own the only one that it includes.
    ///
    /// # Errors
    /// A message if there is none, or several and no choice. (A library of trees is no mistake, so
    /// nobody else reports it.)
    pub fn main_tree(&self, duplicates: Duplicates) -> Result<Found<'_>, Box<Diagnostic>> {
        let trees = self.trees(duplicates).0;
        let code = "load::no-main-tree";
        let Some(document) = self.document() else {
            return Err(Box::new(Diagnostic::error(code, "no file was read")));
        };
        let mut own = document.trees();
        let name = match (&document.main, own.next(), own.next()) {
            (Some(main), ..) => main,
            (None, Some(only), None) => &only.name,
            // A project of Groot has none of its own.
            (None, None, _) if trees.len() == 1 => {
                return Ok(trees.into_values().next().expect("there is one"));
            }
            (None, None, _) => {
                let names: Vec<&str> = trees.keys().copied().collect();
                let (message, help) = match names.is_empty() {
                    true => ("the file has no tree", None),
                    false => (
                        "the file has no tree of its own",
                        Some(format!("choose one of {}", names.join(", "))),
                    ),
                };
                let diagnostic = Diagnostic::error(code, message).at(document.span, "");
                return Err(Box::new(diagnostic.maybe_help(help)));
            }
            (None, Some(_), Some(_)) => {
                let message = "[main_tree_to_execute] was not specified correctly: the file has several trees and names none";
                let names: Vec<&str> = document.trees().map(|tree| tree.name.as_str()).collect();
                let help = format!("choose one of {}", names.join(", "));
                let diagnostic = Diagnostic::error(code, message).at(document.span, "");
                return Err(Box::new(diagnostic.help(help)));
            }
        };
        trees
            .get(name.as_str())
            .copied()
            .ok_or_else(|| Box::new(unknown_tree(name, "the tree to run", &trees)))
    }

    fn unknown(&self, trees: &BTreeMap<&str, Found<'_>>, diagnostics: &mut Vec<Diagnostic>) {
        let mut left = MAX_REPORTS;
        let mut report = |name: &Name, label: &str| {
            // That a name is missing was said where it was read.
            let is_named = !name.as_str().is_empty();
            if left > 0 && is_named && !trees.contains_key(name.as_str()) {
                left -= 1;
                diagnostics.push(unknown_tree(name, label, trees));
            }
        };
        if let Some(document) = self.document()
            && let Some(main) = &document.main
        {
            report(main, "the tree to run");
        }
        for root in self
            .documents
            .iter()
            .flat_map(Document::trees)
            .flat_map(|tree| &tree.body)
        {
            root.walk(&mut |node| {
                if node.form == Form::Explicit(Category::Subtree) {
                    report(&node.kind, "");
                }
            });
        }
    }

    fn duplicate(&self, first: Found<'_>, second: Found<'_>, duplicates: Duplicates) -> Diagnostic {
        let place = |found: Found<'_>| {
            let span = found.tree.name.span;
            let file = self.sources.file(span.file).map_or("?", |file| file.name());
            match self.sources.line_column(span) {
                Some(at) => format!("{file}:{}", at.line),
                None => file.to_owned(),
            }
        };
        let name = &first.tree.name;
        let (a, b) = (place(first), place(second));
        let message = match duplicates {
            Duplicates::Error => format!("two trees are called `{name}`: in {a} and in {b}"),
            Duplicates::Replace => {
                format!("two trees are called `{name}`: the one in {b} replaces the one in {a}")
            }
            Duplicates::Keep => {
                format!("two trees are called `{name}`: the one in {a} is kept, not the one in {b}")
            }
        };
        let code = "load::duplicate-tree";
        let diagnostic = match duplicates {
            Duplicates::Error => {
                Diagnostic::error(code, message).help("rename one, or choose which of them counts")
            }
            _ => Diagnostic::warning(code, message),
        };
        diagnostic
            .at(second.tree.name.span, "the second one")
            .and(name.span, "the first one")
    }
}

/// How many names a message lists.
const LISTED: usize = 8;

/// The trees there are, if they are few.
pub(crate) fn there_are<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    let few = !names.is_empty() && names.len() <= LISTED;
    few.then(|| format!("there are {}", names.join(", ")))
}

fn unknown_tree(name: &Name, label: &str, trees: &BTreeMap<&str, Found<'_>>) -> Diagnostic {
    let nearest = nearest(name.as_str(), trees.keys().copied());
    Diagnostic::error(
        "load::unknown-tree",
        format!("Can't find a tree with name: {name}"),
    )
    .at(name.span, label)
    .maybe_help(
        nearest
            .map(|nearest| format!("did you mean `{nearest}`?"))
            .or_else(|| there_are(trees.keys().copied())),
    )
}

/// A tree in the search for circles.
struct Open<'d> {
    name: &'d str,
    uses: std::vec::IntoIter<(&'d str, Span)>,
}

/// One message for each circle found; a tree used twice is none.
fn cycles(trees: &BTreeMap<&str, Found<'_>>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut done: BTreeMap<&str, bool> = BTreeMap::new();
    for &start in trees.keys() {
        if done.contains_key(start) {
            continue;
        }
        // Trees can use each other in long chains: the stack is a list.
        let mut open = vec![visit(trees, start)];
        done.insert(start, false);
        while let Some(top) = open.last_mut() {
            let Some((name, span)) = top.uses.next() else {
                done.insert(top.name, true);
                open.pop();
                continue;
            };
            match done.get(name) {
                Some(true) => {}
                None => {
                    done.insert(name, false);
                    open.push(visit(trees, name));
                }
                Some(false) if diagnostics.len() >= MAX_REPORTS => return diagnostics,
                Some(false) => {
                    let from = open.iter().position(|tree| tree.name == name).unwrap_or(0);
                    let mut circle: Vec<&str> = open[from..].iter().map(|tree| tree.name).collect();
                    circle.push(name);
                    let message = format!(
                        "Recursive behavior tree cycle detected: tree '{name}' references itself (directly or indirectly): {}",
                        shown(&circle)
                    );
                    diagnostics.push(
                        Diagnostic::error("load::recursion", message)
                            .at(span, "this use closes the circle"),
                    );
                }
            }
        }
    }
    diagnostics
}

/// A circle of names; a long one without its middle.
fn shown(circle: &[&str]) -> String {
    if circle.len() <= 20 {
        return circle.join(" -> ");
    }
    let (start, end) = (&circle[..10], &circle[circle.len() - 5..]);
    let left_out = circle.len() - 15;
    format!(
        "{} -> ({left_out} more) -> {}",
        start.join(" -> "),
        end.join(" -> ")
    )
}

fn visit<'d>(trees: &BTreeMap<&'d str, Found<'d>>, name: &'d str) -> Open<'d> {
    let mut uses = Vec::new();
    if let Some(found) = trees.get(name) {
        for root in &found.tree.body {
            root.walk(&mut |node: &'d Node| {
                let is_use = match node.form {
                    Form::Explicit(category) => category == Category::Subtree,
                    // A tree may be used by its bare name.
                    Form::Compact => true,
                };
                if is_use && let Some((&known, _)) = trees.get_key_value(node.kind.as_str()) {
                    uses.push((known, node.kind.span));
                }
            });
        }
    }
    Open {
        name,
        uses: uses.into_iter(),
    }
}
