//! The checks that BehaviorTree.CPP makes when it loads a file, in its words where tools look for
//! them.
//!
//! Checks that need the registered nodes (unknown kinds, unknown ports) are made where the registry
//! is, and those that need all files (unknown trees, recursion) by [`crate::load`]. This module has
//! those that need only one file.

use super::Options;
use super::names::{
    ASYNCHRONOUS, Children, bad_model_name, bad_port_name, builtin, script_attribute,
};
use crate::diagnostics::Diagnostic;
use crate::model::{Category, Document, Form, Name, Node, ValueKind};
use std::collections::HashMap;

struct Checker<'d> {
    /// Categories from the file's own models.
    models: HashMap<&'d str, Category>,
    strict_names: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

pub(super) fn check(document: &Document, options: &Options, diagnostics: &mut Vec<Diagnostic>) {
    let models = document
        .models()
        .map(|model| (model.name.as_str(), model.category))
        .collect();
    let mut checker = Checker {
        models,
        strict_names: options.strict_names,
        diagnostics,
    };
    for tree in document.trees() {
        checker.tree_name(&tree.name, "BehaviorTree");
        if tree.body.len() != 1 {
            let message = format!(
                "The tag <BehaviorTree> with ID '{}' must have exactly 1 child, found {}",
                tree.name,
                tree.body.len()
            );
            checker
                .diagnostics
                .push(Diagnostic::error("xml::children", message).at(tree.name.span, ""));
        }
        for node in &tree.body {
            checker.node(node);
            checker.use_names(node);
        }
    }
    for model in document.models() {
        checker.model_name(&model.name);
        for port in &model.ports {
            // A missing name has its own message.
            if !port.name.as_str().is_empty()
                && let Some(message) = bad_port_name(port.name.as_str())
            {
                checker.name(message, &port.name);
            }
        }
    }
}

impl Checker<'_> {
    fn tree_name(&mut self, name: &Name, tag: &str) {
        if builtin(name.as_str()).is_some() {
            let message = format!(
                "The attribute [ID] of tag <{tag}> must not use the name of a registered Node"
            );
            let diagnostic = Diagnostic::error("xml::reserved-name", message);
            self.diagnostics
                .push(diagnostic.at(name.span, format!("`{name}` is a built-in node")));
        }
        if tag == "BehaviorTree" {
            self.model_name(name);
        }
    }

    fn model_name(&mut self, name: &Name) {
        // A missing name has its own message; it stands where the tag does, an empty one nowhere.
        if name.as_str().is_empty() && !name.span.range().is_empty() {
            return;
        }
        if let Some(message) = bad_model_name(name.as_str()) {
            self.name(message, name);
        }
    }

    fn name(&mut self, message: String, name: &Name) {
        // An empty name is no name: nothing could refer to it.
        let diagnostic = if self.strict_names || name.as_str().is_empty() {
            Diagnostic::error("xml::bad-name", message)
        } else {
            Diagnostic::warning("xml::bad-name", message)
                .help("BehaviorTree.CPP 4.8.4 and later refuse this name")
        };
        self.diagnostics.push(diagnostic.at(name.span, ""));
    }

    /// Uses of trees are told apart by their names, so two of one tree may not share one.
    fn use_names(&mut self, root: &Node) {
        let mut seen: HashMap<&str, &Name> = HashMap::new();
        root.walk(&mut |node| {
            let named = node.name.as_ref().filter(|name| !name.as_str().is_empty());
            let Some(name) = named.filter(|_| node.form == Form::Explicit(Category::Subtree)) else {
                return;
            };
            if let Some(first) = seen.insert(name.as_str(), name) {
                let message = format!(
                    "Duplicate SubTree path detected: '{name}'. Two uses of trees have the same name in one tree"
                );
                let diagnostic = if self.strict_names {
                    Diagnostic::error("xml::duplicate-path", message)
                } else {
                    Diagnostic::warning("xml::duplicate-path", message)
                };
                self.diagnostics.push(
                    diagnostic
                        .at(name.span, "second")
                        .and(first.span, "first")
                        .help("BehaviorTree.CPP 4.8.4 and later refuse this: name them differently or not at all"),
                );
            }
        });
    }

    /// Readers limit the depth, so recursion is bounded.
    fn node(&mut self, node: &Node) {
        self.children(node);
        if let Some(port) = script_attribute(node.kind.as_str())
            && node.argument(port).is_none()
        {
            let message = format!("Missing port [{port}] in {}", node.kind);
            self.diagnostics
                .push(Diagnostic::error("xml::missing-port", message).at(node.kind.span, ""));
        }
        if node.form == Form::Explicit(Category::Subtree) {
            self.tree_name(&node.kind, "SubTree");
        }
        self.odd_keys(node);
        self.named_keys(node);
        self.thresholds(node);
        for child in &node.children {
            self.node(child);
        }
    }

    fn children(&mut self, node: &Node) {
        let kind = node.kind.as_str();
        let found = node.children.len();
        if node.form == Form::Explicit(Category::Subtree) {
            if found > 0 {
                self.wrong_children(
                    node,
                    format!("<SubTree> with ID '{kind}' should not have any child"),
                );
            }
            return;
        }
        let from_form = match node.form {
            Form::Explicit(category) => Some(Children::from(category)),
            Form::Compact => None,
        };
        let from_model = || {
            self.models
                .get(kind)
                .map(|&category| Children::from(category))
        };
        let message = match builtin(kind).or(from_form).or_else(from_model) {
            Some(Children::None) if found > 0 => {
                format!("The node '{kind}' must not have any child")
            }
            Some(Children::One) if found != 1 => {
                format!("The node '{kind}' must have exactly 1 child")
            }
            Some(Children::Some) if found == 0 => {
                format!("The node '{kind}' must have 1 or more children")
            }
            Some(Children::TwoOrMore) if found < 2 => {
                format!("The node '{kind}' must have at least 2 children")
            }
            _ if kind == "ReactiveSequence" => {
                let mut asynchronous = node
                    .children
                    .iter()
                    .filter(|child| ASYNCHRONOUS.contains(&child.kind.as_str()));
                if let (Some(_), Some(second)) = (asynchronous.next(), asynchronous.next()) {
                    let message = "A ReactiveSequence cannot have more than one async child.";
                    let diagnostic = Diagnostic::error("xml::async-children", message);
                    self.diagnostics
                        .push(diagnostic.at(second.kind.span, "the second one"));
                }
                return;
            }
            _ => return,
        };
        self.wrong_children(node, format!("{message}, found {found}"));
    }

    /// These ports hold the name of a key: `{x}` says that the name stands in `x`.
    fn named_keys(&mut self, node: &Node) {
        let port = match node.kind.as_str() {
            "SetBlackboard" => "output_key",
            "UnsetBlackboard" => "key",
            _ => return,
        };
        if let Some(value) = node.argument(port)
            && let ValueKind::Key(key) = &value.kind
        {
            let message = format!(
                "`{port}` is the name of a key: `{{{0}}}` looks the name up in `{0}`",
                key.name
            );
            self.diagnostics.push(
                Diagnostic::warning("xml::named-key", message)
                    .at(value.span, "")
                    .help(format!("for the key `{0}` write {port}=\"{0}\"", key.name)),
            );
        }
    }

    /// Everything between `{` and `}` is the name of a key, a space too.
    fn odd_keys(&mut self, node: &Node) {
        for value in node.arguments().filter_map(|a| a.value.as_ref()) {
            let ValueKind::Key(key) = &value.kind else {
                continue;
            };
            let name = key.name.as_str();
            let help = if name.trim() != name {
                format!("write `{{{}}}`", name.trim())
            } else if name.contains(['"', '{', '[']) {
                "a text in JSON stands behind `json:`".to_owned()
            } else {
                continue;
            };
            let message = format!("`{}` is read as the key `{name}`", value.to_attribute());
            self.diagnostics.push(
                Diagnostic::warning("xml::odd-key", message)
                    .at(value.span, "")
                    .help(help),
            );
        }
    }

    /// Numbers of children that the reference finds wrong at the first tick only.
    fn thresholds(&mut self, node: &Node) {
        let kind = node.kind.as_str();
        let found = node.children.len();
        if let Some(cases) = kind
            .strip_prefix("Switch")
            .and_then(|n| n.parse::<usize>().ok())
            && (2..=6).contains(&cases)
            && found > 0
            && found != cases + 1
        {
            let needs = cases + 1;
            let message = format!(
                "{kind} needs {needs} children, one for each case and the default, found {found}"
            );
            self.diagnostics.push(
                Diagnostic::warning("xml::switch-children", message)
                    .at(node.kind.span, "")
                    .help("every tick of it would be an error"),
            );
        }
        if kind == "RecoveryNode" && found != 2 {
            let message =
                format!("{kind} needs 2 children, what is tried and what helps, found {found}");
            self.diagnostics.push(
                Diagnostic::warning("xml::recovery-children", message)
                    .at(node.kind.span, "")
                    .help("every tick of it would be an error"),
            );
        }
        if kind != "Parallel" {
            return;
        }
        for port in ["success_count", "failure_count"] {
            let Some(value) = node.argument(port) else {
                continue;
            };
            let text = value.to_attribute();
            if let (ValueKind::Literal(_), Ok(count)) = (&value.kind, text.parse::<i64>())
                && count > found as i64
            {
                let message = format!(
                    "`{port}` is {count}, and there are {found} children: it is never reached"
                );
                self.diagnostics.push(
                    Diagnostic::warning("xml::threshold", message)
                        .at(value.span, "")
                        .help(format!(
                            "every tick of it would be an error: use at most {found}, or -1 for all"
                        )),
                );
            }
        }
    }

    fn wrong_children(&mut self, node: &Node, message: String) {
        self.diagnostics
            .push(Diagnostic::error("xml::children", message).at(node.kind.span, ""));
    }
}
