//! Attributes of any element.

use super::Reader;
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{Attribute, Hook, Name, Role, Span, Value, ValueKind};
use crate::xml::extra::{self, Owner, Special, exact_attribute, exact_value, plain, special};
use crate::xml::names::current_attribute;
use crate::xml::syntax::Element;
use std::collections::HashMap;

/// What an element's attributes say.
pub(super) struct Attributes {
    /// Those that the model keeps as attributes and XML has words for.
    pub(super) list: Vec<Attribute>,
    /// Those written as JSON, with their places in the whole.
    placed: Vec<(usize, Attribute)>,
    /// Those that belong to the element itself: name, text, places of the two.
    own: Vec<(String, String, Span)>,
    /// Exact values of others, as JSON.
    exact: Vec<(String, String)>,
}

impl Attributes {
    /// Takes all that the model keeps as attributes.
    pub(super) fn all(&mut self) -> Vec<Attribute> {
        let mut natural = std::mem::take(&mut self.list).into_iter();
        let mut placed = std::mem::take(&mut self.placed);
        placed.sort_by_key(|(index, _)| *index);
        let mut all: Vec<Attribute> = Vec::with_capacity(natural.len() + placed.len());
        for (index, attribute) in placed {
            all.extend(natural.by_ref().take(index.saturating_sub(all.len())));
            all.push(attribute);
        }
        all.extend(natural);
        all
    }

    /// Takes one of the element's own attributes.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.name(name).map(|name| name.text.into())
    }

    /// Takes the description: lines without space at their ends, as all formats can hold them.
    pub(super) fn description(&mut self) -> Option<String> {
        let text = self.text(extra::DESCRIPTION)?;
        let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        Some(lines.join("\n"))
    }

    /// Takes one of the element's own attributes with the place of its text.
    pub(super) fn name(&mut self, name: &str) -> Option<Name> {
        let at = self.own.iter().position(|(own, ..)| own == name)?;
        let (_, text, span) = self.own.remove(at);
        Some(Name::new(text, span))
    }

    /// Takes one of the element's own attributes as a value.
    pub(super) fn value(&mut self, name: &str) -> Option<Value> {
        let Name { text, span } = self.name(name)?;
        let exact = self.exact.iter().find(|(of, _)| of == name);
        let exact = exact.and_then(|(_, json)| exact_value(json, &text, span));
        Some(exact.unwrap_or_else(|| Value::from_attribute(&text, span)))
    }
}

/// Attributes that belong to whatever element they stand on.
const OWN_EVERYWHERE: [&str; 5] = [
    extra::DESCRIPTION,
    extra::FORM,
    extra::KEYS,
    extra::PARAMS,
    extra::ITEMS,
];

/// Entities that HTML knows and XML does not.
const HTML: [&str; 20] = [
    "nbsp", "copy", "deg", "micro", "times", "plusmn", "ndash", "mdash", "hellip", "euro", "laquo",
    "raquo", "lsquo", "rsquo", "ldquo", "rdquo", "auml", "ouml", "uuml", "eacute",
];

/// What people write for guards and scripts that have other names, and what they may mean.
const FOREIGN_HOOKS: [(&str, &str); 21] = [
    (
        "_if",
        "a guard that must hold is `_while`; `_skipIf` skips, `_failureIf` fails, `_successIf` succeeds when it holds at the start",
    ),
    ("_unless", "did you mean `_skipIf`?"),
    ("_skipWhen", "did you mean `_skipIf`?"),
    (
        "_until",
        "did you mean `_while`, with the opposite condition?",
    ),
    ("_failIf", "did you mean `_failureIf`?"),
    ("_failWhen", "did you mean `_failureIf`?"),
    ("_succeedIf", "did you mean `_successIf`?"),
    ("_successWhen", "did you mean `_successIf`?"),
    ("_else", "only the node `Precondition` has an `else`"),
    (
        "_precondition",
        "guards are `_failureIf`, `_successIf`, `_skipIf` and `_while`",
    ),
    ("_onFail", "did you mean `_onFailure`?"),
    ("_onSucceed", "did you mean `_onSuccess`?"),
    ("_onHalt", "did you mean `_onHalted`?"),
    ("_onAbort", "did you mean `_onHalted`?"),
    (
        "_onExit",
        "did you mean `_post`, after every end but a halt, or `_onHalted`?",
    ),
    (
        "_onEnd",
        "did you mean `_post`, after every end but a halt, or `_onHalted`?",
    ),
    (
        "_onDone",
        "did you mean `_post`, after every end but a halt, or `_onHalted`?",
    ),
    (
        "_onComplete",
        "did you mean `_post`, after every end but a halt, or `_onHalted`?",
    ),
    (
        "_onStart",
        "no script runs at the start: put a `Script` before the node",
    ),
    (
        "_onTick",
        "no script runs at every tick: put a `Script` into a reactive sequence",
    ),
    (
        "_onRunning",
        "no script runs at every tick: put a `Script` into a reactive sequence",
    ),
];

impl Reader {
    /// Reads all attributes; those named in `own` are left for the caller to take.
    pub(super) fn attributes(
        &mut self,
        element: Element<'_, '_>,
        owner: Owner<'_>,
        own: &[&str],
    ) -> Attributes {
        let mut out = Attributes {
            list: Vec::new(),
            placed: Vec::new(),
            own: Vec::new(),
            exact: Vec::new(),
        };
        // What the attributes of the list are called in XML, and their texts.
        let mut written: Vec<(String, String)> = Vec::new();
        for attribute in element.attributes() {
            let span = self.span(attribute.span());
            let name_span = self.span(attribute.name_span.clone());
            let value_span = self.span(attribute.value_span.clone());
            let text = attribute.value();
            if attribute.raw.contains('&') {
                self.odd_entity(attribute.raw, value_span);
            }
            let mut name = attribute.name;
            let is_own = own.contains(&name) || OWN_EVERYWHERE.contains(&name);
            if is_own {
                out.own.push((name.into(), text.into_owned(), value_span));
                continue;
            }
            if let Owner::Node(kind) = owner
                && let Some(current) = current_attribute(kind, name)
            {
                self.old_spelling(name, current, name_span);
                name = current;
            }
            match special(name) {
                Some(Special::ExactValue(of)) => {
                    out.exact.push((of.into(), text.into_owned()));
                    continue;
                }
                Some(Special::Attribute(index)) => {
                    if let Some(exact) = exact_attribute(&text, span) {
                        out.placed.push((index, exact));
                        continue;
                    }
                    let message =
                        format!("`{name}` should hold an attribute as JSON; it is kept as it is");
                    self.warn("xml::bad-extra", message, value_span);
                }
                None => {}
            }
            let (role, model_name, mut value) = plain(owner, name, &text, value_span);
            match (role, owner) {
                (Role::Metadata, Owner::Node(_)) => self.near_hook(name, name_span),
                (Role::Argument, Owner::Node(_)) => {
                    self.hook_without_underscore(name, name_span);
                    if let Some(key) = self.dollar_key(&text, value_span) {
                        value = Some(key);
                    }
                }
                _ => {}
            }
            written.push((name.into(), text.into_owned()));
            out.list.push(Attribute {
                role,
                name: Some(Name::new(model_name, name_span)),
                value,
                span,
            });
        }
        // Few elements have exact values, and those may have many.
        let mut places = HashMap::new();
        if !out.exact.is_empty() {
            places.extend(
                written
                    .iter()
                    .enumerate()
                    .map(|(i, (name, _))| (name.as_str(), i)),
            );
        }
        for (of, json) in &out.exact {
            let Some(&at) = places.get(of.as_str()) else {
                continue;
            };
            let attribute = &mut out.list[at];
            let span = attribute
                .value
                .as_ref()
                .map_or(attribute.span, |value| value.span);
            if let Some(value) = exact_value(json, &written[at].1, span) {
                attribute.value = Some(value);
            }
        }
        out
    }

    /// Entities of HTML, and numbers that stand for no character, stay as they are. Others are not
    /// judged: `a&b;` is a script.
    fn odd_entity(&mut self, raw: &str, span: Span) {
        let mut rest = raw;
        while let Some(at) = rest.find('&') {
            rest = &rest[at + 1..];
            let Some((name, _)) = rest.split_once(';') else {
                return;
            };
            let number = name.starts_with('#')
                && name.len() < 12
                && crate::xml::syntax::decode(&format!("&{name};")).starts_with('&');
            if number || HTML.contains(&name) {
                let message = format!("`&{name};` stands for no character here and stays as it is");
                self.diagnostics.push(
                    Diagnostic::warning("xml::entity", message)
                        .at(span, "")
                        .help("XML knows `&lt;`, `&gt;`, `&amp;`, `&quot;`, `&apos;` and numbers such as `&#233;`"),
                );
            }
        }
    }

    /// `${key}`, which version 3 read as `{key}` and version 4 reads as text.
    fn dollar_key(&mut self, text: &str, span: Span) -> Option<Value> {
        let braced = text.strip_prefix('$')?;
        let value = Value::from_attribute(braced, span);
        if !matches!(value.kind, ValueKind::Key(_)) {
            return None;
        }
        let (reads, help) = match self.v4 {
            true => (
                "is a text in version 4",
                format!("a key is written `{braced}`"),
            ),
            false => ("is an old spelling of a key", format!("write `{braced}`")),
        };
        self.diagnostics.push(
            Diagnostic::warning("xml::dollar-key", format!("`{text}` {reads}"))
                .at(span, "")
                .help(help),
        );
        (!self.v4).then_some(value)
    }

    /// A guard or script whose underscore was forgotten would be taken for a port.
    fn hook_without_underscore(&mut self, name: &str, span: Span) {
        let hook = Hook::ALL
            .iter()
            .find(|hook| hook.2.strip_prefix('_') == Some(name));
        // `while` and `post` are words that ports may have.
        if let Some(hook) = hook
            && name.contains(|c: char| c.is_ascii_uppercase())
        {
            let message = format!("`{name}` is taken for a port");
            self.diagnostics.push(
                Diagnostic::warning("xml::near-hook", message)
                    .at(span, "")
                    .help(format!("did you mean `{}`?", hook.2)),
            );
        }
    }

    /// An attribute of the document that is nearly one that counts would be missed.
    pub(super) fn near_own(&mut self, attributes: &[Attribute], own: &[&str]) {
        for name in attributes.iter().filter_map(|a| a.name.as_ref()) {
            let written = name.as_str().trim_start_matches("xml:");
            let same = own.iter().find(|own| own.eq_ignore_ascii_case(written));
            let near = same
                .copied()
                .or_else(|| nearest(written, own.iter().copied()));
            if let Some(near) = near {
                let message = format!("`{written}` means nothing and is kept as it is");
                self.diagnostics.push(
                    Diagnostic::warning("xml::near-attribute", message)
                        .at(name.span, "")
                        .help(format!("did you mean `{near}`?")),
                );
            }
        }
    }

    /// An attribute no one knows is kept; one that is nearly a guard's, or another engine's word for
    /// one, would be missed.
    fn near_hook(&mut self, name: &str, span: Span) {
        let known = Hook::ALL.iter().map(|hook| hook.2);
        let foreign = FOREIGN_HOOKS.iter().find(|(theirs, _)| *theirs == name);
        if let Some((_, help)) = foreign {
            let message = format!("`{name}` means nothing and is kept as it is");
            self.diagnostics.push(
                Diagnostic::warning("xml::near-hook", message)
                    .at(span, "")
                    .help(*help),
            );
        } else if let Some(near) = nearest(name, known.chain(["_autoremap"])) {
            let message = format!("`{name}` means nothing and is kept as it is");
            self.diagnostics.push(
                Diagnostic::warning("xml::near-hook", message)
                    .at(span, "")
                    .help(format!("did you mean `{near}`?")),
            );
        }
    }
}
