//! Nodes.

use super::{INLINE_WIDTH, Printer, WIDTH, behind, names, values, width};
use crate::builtin::{BUILTINS, Builtin, Head, builtin};
use crate::lex::is_plain_name;
use crate::model::{
    Attribute, Dialect, Form, Hook, KeyRef, KeyScope, Node, Role, Value, ValueKind,
};

impl Printer {
    pub(super) fn node(&mut self, node: &Node) {
        self.above(&node.trivia);
        self.doc(node.doc.as_ref());
        self.metadata(&node.attributes);
        self.body(node, "");
    }

    /// The node without what stands above it; `lead` stands before it on its first line.
    fn body(&mut self, node: &Node, lead: &str) {
        let line = format!("{lead}{}", one_line(node));
        if node.children.is_empty() && node.inner.is_empty() {
            let line = self.wrapped(node, lead, line, "");
            self.line(&format!("{line}{}", behind(&node.trivia)));
            return;
        }
        if lead.is_empty()
            && let Some(inline) = inline(node, &line)
            && width(&inline) <= self.columns_left(INLINE_WIDTH)
        {
            self.line(&inline);
            return;
        }
        let line = self.wrapped(node, lead, line, " {");
        self.line(&format!("{line} {{{}", behind(&node.trivia)));
        match node.kind.as_str() {
            "if" | "while" if is_native(node) && matches!(node.children.len(), 1 | 2) => {
                self.branches(node);
            }
            _ => {
                self.children(&node.children);
                self.inner(node);
                self.close();
            }
        }
    }

    fn children(&mut self, children: &[Node]) {
        self.indent += 1;
        for child in children {
            self.node(child);
        }
        self.indent -= 1;
    }

    fn inner(&mut self, node: &Node) {
        self.indent += 1;
        self.comments(&node.inner);
        self.indent -= 1;
    }

    fn branches(&mut self, node: &Node) {
        self.children(&node.children[..1]);
        let Some(other) = node.children.get(1) else {
            self.inner(node);
            self.close();
            return;
        };
        if other.kind == "if" && is_native(other) && is_bare_above(other) && node.inner.is_empty() {
            self.body(other, "} else ");
            return;
        }
        self.line("} else {");
        self.children(std::slice::from_ref(other));
        self.inner(node);
        self.close();
    }

    /// The head of a node, its arguments on lines of their own if it is too long. Gives the last
    /// line, all others are written.
    fn wrapped(&mut self, node: &Node, lead: &str, line: String, after: &str) -> String {
        let parts = Parts::of(node);
        if width(&line) + width(after) <= self.columns_left(WIDTH) || parts.arguments.is_empty() {
            return line;
        }
        self.line(&format!("{lead}{}(", parts.before_arguments(&parts.head)));
        self.indent += 1;
        for argument in &parts.arguments {
            self.line(&format!("{argument},"));
        }
        self.indent -= 1;
        let mut last = ")".to_owned();
        for option in &parts.options {
            last.push(' ');
            last.push_str(option);
        }
        last
    }
}

/// What a node's head says beside its kind and its name: arguments, options, hooks, as `.tick`
/// writes them. For pictures and lists of nodes.
///
/// ```
/// use tickseed_lang::{fmt, model::FileId, tick};
/// let parsed = tick::parse_text("tree A { MoveTo \"home\"(goal: x, within: 1.5) }", FileId(0));
/// let tree = parsed.document.trees().next().unwrap();
/// assert_eq!(fmt::details(&tree.body[0]), "goal: x, within: 1.5");
/// ```
#[must_use]
pub fn details(node: &Node) -> String {
    let parts = Parts::of(&Node {
        kind: node.kind.clone(),
        form: node.form,
        attributes: node.attributes.clone(),
        ..Node::default()
    });
    let behind = parts.head[parts.kind_end..].trim().to_owned();
    let arguments = parts.arguments.join(", ");
    let mut all = vec![behind, arguments];
    all.extend(parts.options);
    all.retain(|part| !part.is_empty());
    all.join(" ")
}

/// Whether a kind is meant as the built-in.
fn is_native(node: &Node) -> bool {
    node.form == Form::Compact
}

fn spec(node: &Node) -> Option<&'static Builtin> {
    if is_native(node) {
        builtin(node.kind.as_str())
    } else {
        None
    }
}

/// Whether nothing stands above a node or before its kind.
fn is_bare_above(node: &Node) -> bool {
    !node.disabled
        && node.doc.is_none()
        && node.trivia.leading.is_empty()
        && node.with_role(Role::Metadata).next().is_none()
        && node
            .trivia
            .trailing
            .as_ref()
            .is_none_or(|comment| !comment.text.contains('\n'))
}

/// A node with one plain leaf in its block, on one line.
fn inline(node: &Node, head: &str) -> Option<String> {
    let [child] = &node.children[..] else {
        return None;
    };
    let plain = child.children.is_empty()
        && child.inner.is_empty()
        && child.doc.is_none()
        && child.trivia.leading.is_empty()
        && child.trivia.trailing.is_none()
        && child.with_role(Role::Metadata).next().is_none();
    let fits = plain && node.inner.is_empty() && node.trivia.trailing.is_none();
    fits.then(|| format!("{head} {{ {} }}", one_line(child)))
}

/// The pieces of a node's head.
struct Parts {
    /// Kind, name and what stands behind them.
    head: String,
    /// Where the kind ends in it.
    kind_end: usize,
    arguments: Vec<String>,
    options: Vec<String>,
    /// Whether the kind is a custom one, so that its arguments follow without a space.
    tight: bool,
}

impl Parts {
    fn of(node: &Node) -> Self {
        let spec = spec(node);
        let mut head = String::new();
        if node.disabled {
            head.push_str("off ");
        }
        match (node.form, spec) {
            (Form::Explicit(category), _) => {
                head.push_str(category.word());
                head.push(' ');
                head.push_str(&names::name(node.kind.as_str()));
            }
            (Form::Compact, Some(spec)) => head.push_str(spec.words),
            (Form::Compact, None) => head.push_str(&names::kind(node.kind.as_str())),
        }
        let kind_end = head.len();
        if let Some(name) = &node.name {
            head.push(' ');
            head.push_str(&crate::lex::quote(name.as_str()));
        }
        let mut arguments: Vec<&Attribute> = node.arguments().collect();
        let behind = spec.and_then(|spec| head_values(node, spec, &mut arguments));
        let tight = spec.is_none() && node.name.is_none();
        if let Some(behind) = behind {
            head.push(' ');
            // A key called `until` behind `wait` would make it another node.
            let word = behind
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            let two_words = node.name.is_none()
                && spec.zip(word).is_some_and(|(spec, word)| {
                    let mut words = BUILTINS.iter().filter_map(|b| b.words.split_once(' '));
                    words.any(|(a, b)| a == spec.words && b == word)
                });
            if two_words {
                head.push_str(&format!("({behind})"));
            } else {
                head.push_str(&behind);
            }
        }
        let mut options = Vec::new();
        for attribute in &node.attributes {
            match attribute.role {
                Role::Option => {
                    let option = spec.and_then(|spec| spec.option(attribute.name()));
                    options.push(values::option(attribute, option));
                }
                Role::Hook(hook) => options.push(self::hook(hook, attribute.value.as_ref())),
                Role::Argument | Role::Metadata => {}
            }
        }
        let arguments = arguments.into_iter().map(values::argument).collect();
        Self {
            head,
            kind_end,
            arguments,
            options,
            tight,
        }
    }

    fn before_arguments(&self, head: &str) -> String {
        if self.tight {
            head.to_owned()
        } else {
            format!("{head} ")
        }
    }
}

/// The head of a node on one line.
fn one_line(node: &Node) -> String {
    let parts = Parts::of(node);
    let mut line = parts.head.clone();
    if !parts.arguments.is_empty() {
        line = format!(
            "{}({})",
            parts.before_arguments(&line),
            parts.arguments.join(", ")
        );
    }
    for option in parts.options {
        line.push(' ');
        line.push_str(&option);
    }
    line
}

fn hook(hook: Hook, value: Option<&Value>) -> String {
    let text = match value {
        Some(value) if hook.is_guard() => values::value(value),
        Some(value) => values::script(value),
        None => "none".to_owned(),
    };
    format!("{} {text}", hook.words())
}

/// What stands behind a built-in's words; the arguments it takes are removed from the list.
fn head_values(node: &Node, spec: &Builtin, arguments: &mut Vec<&Attribute>) -> Option<String> {
    match spec.head {
        Head::None => None,
        Head::Count => {
            let taken = |name: &str| arguments.iter().position(|a| a.name() == name);
            let count = node.argument("count")?;
            let index = match node.argument("index").map(|value| &value.kind) {
                Some(ValueKind::Key(KeyRef {
                    scope: KeyScope::Local,
                    name,
                })) => Some(names::name(name)),
                Some(_) => return None,
                None => None,
            };
            let mut positions: Vec<_> = [taken("count"), taken("index")]
                .into_iter()
                .flatten()
                .collect();
            positions.sort_unstable();
            for position in positions.into_iter().rev() {
                arguments.remove(position);
            }
            let text = values::value(count);
            Some(match index {
                Some(index) => format!("{index} in {text}"),
                // `a in b` would read as an index and a count.
                None if text.contains(" in ") && !text.starts_with("btcpp ") => format!("({text})"),
                None => head_value(count),
            })
        }
        Head::Values => {
            let values: Vec<_> = arguments.extract_if(.., |a| a.name.is_none()).collect();
            let mut texts: Vec<_> = Vec::new();
            for value in values.iter().filter_map(|argument| argument.value.as_ref()) {
                let named = node.name.is_some() && texts.is_empty();
                texts.push(if named {
                    behind_name(value)
                } else {
                    values::value(value)
                });
            }
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        _ => {
            let first = arguments.iter().position(|a| a.name.is_none())?;
            let value = arguments[first].value.as_ref()?;
            // `=` reads as a value only between parentheses, with the other arguments.
            if matches!(value.kind, ValueKind::SameName) {
                return None;
            }
            arguments.remove(first);
            Some(match spec.head {
                Head::Script => values::script(value),
                Head::Message if node.name.is_none() => values::value(value),
                Head::Message => behind_name(value),
                Head::OptionalValue => {
                    let text = head_value(value);
                    let word = text
                        .split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next();
                    let is_word = word.is_some_and(|word| {
                        let hook = is_plain_name(word) && names::option(word) != word;
                        hook || spec.option(word).is_some()
                    });
                    if is_word { format!("({text})") } else { text }
                }
                _ => head_value(value),
            })
        }
    }
}

/// A value behind a node's words, where a text in front would read as its name.
fn head_value(value: &Value) -> String {
    let text = values::value(value);
    if text.starts_with('"') {
        format!("({text})")
    } else {
        text
    }
}

/// A first value behind a node's name, where a text behind the words would be the value.
fn behind_name(value: &Value) -> String {
    let text = values::value(value);
    let foreign = matches!(&value.kind, ValueKind::Code(code) if code.dialect == Dialect::BtCpp);
    if text.starts_with('"') || foreign {
        text
    } else {
        format!("({text})")
    }
}
