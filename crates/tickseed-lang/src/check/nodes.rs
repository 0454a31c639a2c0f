//! Nodes: kinds, places, children, heads, options and hooks.

use super::Checker;
use super::scope::{expression, tree_names};
use crate::builtin::{BUILTINS, Builtin, COMMON_OPTIONS, Head, builtin};
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{self, Names, Type};
use crate::model::{
    Category, Code, Dialect, Form, Hook, Literal, Node, Role, Tree, Value, ValueKind,
};

impl<'a> Checker<'a> {
    pub(super) fn tree(&mut self, tree: &'a Tree) {
        let scope = tree_names(Some(tree), self.documents, &self.options.names);
        for diagnostic in scope.diagnostics {
            // Keys of files are declared for every tree, their mistakes are said once.
            if !self.diagnostics.contains(&diagnostic) {
                self.report(diagnostic);
            }
        }
        let count = tree.body.iter().filter(|node| !node.disabled).count();
        if count != 1 {
            let message = format!("the tree `{}` has {count} nodes, expected one", tree.name);
            let help = match count {
                0 => "write `success` if there is nothing to do",
                _ => "wrap them: sequence { ... }",
            };
            let place = tree
                .body
                .get(1)
                .map_or(tree.name.span, |node| node.kind.span);
            self.report(
                Diagnostic::error("tick::one-root", message)
                    .at(place, "here")
                    .help(help),
            );
        }
        for node in &tree.body {
            self.node(node, None, &scope.names);
        }
    }

    fn node(&mut self, node: &'a Node, parent: Option<&'a Node>, names: &Names) {
        let native = (node.form == Form::Compact)
            .then(|| builtin(node.kind.as_str()))
            .flatten();
        for attribute in &node.attributes {
            if let (Role::Hook(hook), Some(value)) = (attribute.role, &attribute.value) {
                if hook.is_guard() {
                    self.typed(value, &Type::Bool, names);
                } else {
                    self.script(value, names);
                }
            }
        }
        match native {
            Some(spec) => self.native(node, spec, parent, names),
            None => self.custom(node, names),
        }
        let mut inner = None;
        if native.is_some_and(|spec| spec.head == Head::Count)
            && let Some(Value {
                kind: ValueKind::Key(key),
                ..
            }) = node.argument("index")
        {
            let mut with_index = names.clone();
            with_index.add_key(key.name.clone(), Type::Int);
            inner = Some(with_index);
        }
        for child in &node.children {
            self.node(child, Some(node), inner.as_ref().unwrap_or(names));
        }
    }

    /// The first case that fits counts: a value that stands in two is never asked the second time.
    fn cases(&mut self, node: &Node) {
        let mut seen: Vec<&Value> = Vec::new();
        let cases = node.children.iter().filter(|child| child.kind == "case");
        for value in cases.flat_map(|case| case.arguments().filter_map(|a| a.value.as_ref())) {
            let ValueKind::Literal(literal) = &value.kind else {
                continue;
            };
            let first = seen
                .iter()
                .find(|first| matches!(&first.kind, ValueKind::Literal(other) if other == literal));
            if let Some(first) = first {
                let message = format!("`{}` stands in two cases", value.to_attribute());
                self.report(
                    Diagnostic::warning("tick::duplicate-case", message)
                        .at(value.span, "this one never counts")
                        .and(first.span, "first here"),
                );
            } else {
                seen.push(value);
            }
        }
    }

    fn native(
        &mut self,
        node: &'a Node,
        spec: &'static Builtin,
        parent: Option<&'a Node>,
        names: &Names,
    ) {
        if let Some(places) = spec.inside
            && !parent.is_some_and(|parent| places.contains(&parent.kind.as_str()))
        {
            let places = places.join("` or `");
            let message = format!("`{}` stands only inside `{places}`", spec.words);
            self.report(
                Diagnostic::error("tick::place", message).at(node.kind.span, "not expected here"),
            );
        }
        self.arity(node, spec);
        if spec.name == "switch" {
            self.cases(node);
        }
        for value in node
            .arguments()
            .filter_map(|argument| argument.value.as_ref())
        {
            match spec.head {
                Head::Condition => self.typed(value, &Type::Bool, names),
                Head::Script => self.script(value, names),
                Head::Duration => self.typed(value, &Type::Duration, names),
                Head::Count => {
                    let is_index = node
                        .argument("index")
                        .is_some_and(|i| std::ptr::eq(i, value));
                    if !is_index {
                        self.typed(value, &Type::Int, names);
                    }
                }
                // A case is compared with the value of its switch.
                Head::Values => {
                    let switched = parent.and_then(|p| p.arguments().next()?.value.as_ref());
                    let ty = switched.and_then(|value| type_of(value, names));
                    self.typed(value, &ty.unwrap_or(Type::Any), names);
                }
                Head::Value | Head::OptionalValue => {
                    let ty = match spec.name {
                        "repeat" | "retry" | "limit" => Type::Int,
                        "chance" | "option" | "consider" => Type::Float,
                        _ => Type::Any,
                    };
                    self.typed(value, &ty, names);
                }
                Head::Message => self.typed(value, &Type::Any, names),
                Head::None => {
                    let message = format!("`{}` takes no arguments", spec.words);
                    let option = match &value.kind {
                        ValueKind::Key(key) => spec.option(&key.name),
                        _ => None,
                    };
                    let help = match (option, &value.kind) {
                        (Some(option), _) => Some(format!(
                            "options stand behind the words: `{} {}`",
                            spec.words, option.name
                        )),
                        (None, ValueKind::Literal(Literal::Text(text))) => Some(format!(
                            "the name of a node stands behind its kind: {} {text:?}",
                            spec.words
                        )),
                        _ => None,
                    };
                    self.report(
                        Diagnostic::error("tick::argument", message)
                            .at(value.span, "not expected")
                            .maybe_help(help),
                    );
                }
            }
        }
        for option in node.options() {
            let Some(value) = &option.value else { continue };
            let ty = match option.name() {
                "within" | "dwell" => Type::Duration,
                "drain" => Type::Int,
                "inertia" | "weight" | "softmax" | "power" | "exponential" | "from" => Type::Float,
                _ => continue,
            };
            self.typed(value, &ty, names);
        }
    }

    fn arity(&mut self, node: &'a Node, spec: &'static Builtin) {
        // Considerations are said about an option, they are not its child.
        let is_child = |child: &&Node| {
            let remark = spec.name == "option" && child.kind == "consider";
            !(child.disabled || remark)
        };
        let (min, max) = match spec.name {
            "option" => (1, 1),
            _ => (spec.children.min, spec.children.max),
        };
        let count = node.children.iter().filter(is_child).count();
        if (min..=max).contains(&count) {
            return;
        }
        let wanted = match (min, max) {
            (0, 0) => "no children".to_owned(),
            (1, 1) => "exactly one child".to_owned(),
            (min, usize::MAX) => format!("at least {min} child"),
            (min, max) if min == max => format!("exactly {min} children"),
            (min, max) => format!("{min} to {max} children"),
        };
        let message = format!("`{}` takes {wanted}, found {count}", spec.words);
        let place = node
            .children
            .get(max)
            .map_or(node.kind.span, |child| child.kind.span);
        let help = (count > max && max == 1).then(|| "wrap them: sequence { ... }".to_owned());
        self.report(
            Diagnostic::error("tick::children", message)
                .at(place, "here")
                .maybe_help(help),
        );
    }

    /// A word behind a node that is no option would be passed over: most are guards misspelt.
    fn custom_options(&mut self, node: &'a Node) {
        for option in node.options() {
            let name = option.name();
            let common = COMMON_OPTIONS.iter().any(|known| known.name == name);
            let of_tree = name == "autoremap" && self.used_tree(node).is_some();
            if common || of_tree {
                continue;
            }
            let letters = |text: &str| text.replace(['_', ' '], "").to_lowercase();
            let mut hooks = Hook::ALL.iter().map(|hook| hook.1);
            let same = hooks.find(|hook| letters(hook) == letters(name));
            let begun = Hook::ALL.iter().map(|hook| hook.1);
            let help = match same.or_else(|| nearest(name, begun)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("arguments stand in parentheses: {}({name})", node.kind),
            };
            let message = format!("`{}` has no option `{name}`", node.kind);
            self.report(
                Diagnostic::error("tick::unknown-option", message)
                    .at(
                        option.name.as_ref().map_or(option.span, |name| name.span),
                        "not known here",
                    )
                    .help(help),
            );
        }
    }

    fn custom(&mut self, node: &'a Node, names: &Names) {
        self.custom_options(node);
        if let Some(tree) = self.used_tree(node) {
            self.arguments(
                node,
                &tree.params,
                &format!("the tree `{}`", tree.name),
                names,
            );
            self.childless(node, "a tree");
            return;
        }
        if let Some(model) = self.models.get(node.kind.as_str()).copied() {
            self.arguments(node, &model.ports, &format!("`{}`", model.name), names);
            match model.category {
                Category::Action | Category::Condition | Category::Leaf | Category::Subtree => {
                    self.childless(node, "a leaf");
                }
                Category::Decorator => {
                    let count = node.children.iter().filter(|child| !child.disabled).count();
                    if count != 1 {
                        let message =
                            format!("`{}` takes exactly one child, found {count}", node.kind);
                        self.report(
                            Diagnostic::error("tick::children", message).at(node.kind.span, "here"),
                        );
                    }
                }
                Category::Control => {}
            }
            return;
        }
        for value in node
            .arguments()
            .filter_map(|argument| argument.value.as_ref())
        {
            self.typed(value, &Type::Any, names);
        }
        if self.options.allow_unknown_nodes {
            return;
        }
        let kind = node.kind.as_str();
        let known = BUILTINS
            .iter()
            .map(|builtin| builtin.words)
            .chain(self.models.keys().copied())
            .chain(self.trees.keys().copied());
        // The order of a map must not show.
        let mut known: Vec<_> = known.collect();
        known.sort_unstable();
        // Comparing every name with every other takes long where nothing is known at all.
        let near = if self.diagnostics.len() < 100 {
            nearest(kind, known)
        } else {
            None
        };
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("describe it: `leaf {kind}`, or write the tree `{kind}`"),
        };
        self.report(
            Diagnostic::error("tick::unknown-node", format!("no node is called `{kind}`"))
                .at(node.kind.span, "not known")
                .help(help),
        );
    }

    fn childless(&mut self, node: &'a Node, what: &str) {
        if let Some(child) = node.children.first() {
            let message = format!("`{}` is {what} and takes no children", node.kind);
            self.report(
                Diagnostic::error("tick::children", message).at(child.kind.span, "not expected"),
            );
        }
    }

    /// Checks a value whose place needs a type.
    pub(super) fn typed(&mut self, value: &Value, ty: &Type, names: &Names) {
        if let ValueKind::Range(from, to) = &value.kind {
            self.typed(from, ty, names);
            self.typed(to, ty, names);
            return;
        }
        // `none` is a value where any will do.
        if *ty == Type::Any
            && matches!(
                value.kind,
                ValueKind::Literal(Literal::None | Literal::Word(_))
            )
        {
            return;
        }
        if let Some(Ok(expr)) = expression(value, "")
            && let Err(errors) = expr::check(&expr, ty, names)
        {
            self.diagnostics.extend(errors);
        }
    }

    fn script(&mut self, value: &Value, names: &Names) {
        let ValueKind::Code(Code {
            text,
            dialect: Dialect::Tick,
        }) = &value.kind
        else {
            return;
        };
        // A script that cannot be read was reported by the reader.
        if let Ok(script) = expr::parse_script(text, value.span)
            && let Err(errors) = expr::check_script(&script, names)
        {
            self.diagnostics.extend(errors);
        }
    }
}

/// The type of a value, if it has no mistakes.
pub(super) fn type_of(value: &Value, names: &Names) -> Option<Type> {
    let expr = expression(value, "")?.ok()?;
    expr::check(&expr, &Type::Any, names)
        .ok()
        .map(|checked| checked.ty)
}
