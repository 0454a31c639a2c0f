//! What XML cannot express, written so that nothing is lost.
//!
//! BehaviorTree.CPP keeps attributes that start with `_` and ignores those it does not know, so
//! constructs that only `.tick` has are written as such attributes:
//!
//! - `_option.NAME="value"`: an option; without a value, the word alone.
//! - `_tick.value.NAME="JSON"`: the exact value of the attribute NAME, where its text alone would
//!   be read as something else (the duration `800ms` as text). It counts only as long as the text
//!   is unchanged, so editing the text requires no knowledge of it.
//! - `_tick.attribute.N="JSON"`: an attribute with no other way to be written (by position, with a
//!   name that XML forbids), at place N.
//! - `_tick.form="word"`: how the kind was written, where the tag does not show it.
//! - `_disabled="true"`: the branch is switched off; `_skipIf="true"` comes with it, so that
//!   BehaviorTree.CPP does not run it either.

use super::names::{current_attribute, is_xml_name, script_attribute};
use crate::json;
use crate::model::{Attribute, Code, Dialect, Hook, Literal, Name, Role, Span, Value, ValueKind};

pub(super) const FORM: &str = "_tick.form";
pub(super) const KEYS: &str = "_tick.keys";
pub(super) const PARAMS: &str = "_tick.params";
pub(super) const ITEMS: &str = "_tick.items";
pub(super) const DESCRIPTION: &str = "_description";
pub(super) const DISABLED: &str = "_disabled";
const VALUE: &str = "_tick.value.";
const ATTRIBUTE: &str = "_tick.attribute.";
const OPTION: &str = "_option.";
const AUTOREMAP: &str = "_autoremap";
/// Marks metadata whose XML attribute has no underscore; only where those are no ports.
const PLAIN: &str = "xml:";

/// What an element is, as far as its attributes' meaning depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner<'k> {
    /// A node of this kind: attributes without underscore are arguments.
    Node(&'k str),
    /// Anything else: attributes without underscore are metadata. Given are those that belong to
    /// the element itself.
    Other(&'k [&'k str]),
    /// A node model: its metadata stands in an element of its own, so all attributes are marked.
    Model,
}

/// The plain reading of an attribute: its role, its name in the model, its value.
pub(super) fn plain(
    owner: Owner<'_>,
    name: &str,
    text: &str,
    span: Span,
) -> (Role, String, Option<Value>) {
    let value = Value::from_attribute(text, span);
    let script = || Value::code(text, Dialect::BtCpp, span);
    if let Owner::Node(kind) = owner {
        if let Some(hook) = Hook::from_xml(name) {
            return (Role::Hook(hook), name.into(), Some(script()));
        }
        if let Some(option) = name.strip_prefix(OPTION) {
            return (
                Role::Option,
                option.into(),
                (!text.is_empty()).then_some(value),
            );
        }
        if name == AUTOREMAP {
            return (
                Role::Option,
                name[1..].into(),
                (text != "true").then_some(value),
            );
        }
        if !name.starts_with('_') {
            let key = matches!(value.kind, ValueKind::Key(_) | ValueKind::SameName);
            let is_script = script_attribute(kind) == Some(name) && !key;
            return (
                Role::Argument,
                name.into(),
                Some(if is_script { script() } else { value }),
            );
        }
    }
    let name = match name.strip_prefix('_') {
        Some(rest) if owner != Owner::Model => rest.to_owned(),
        _ => format!("{PLAIN}{name}"),
    };
    (Role::Metadata, name, Some(value))
}

/// The XML attribute for one of the model, if plain reading gives back its role and name.
fn xml_name(owner: Owner<'_>, attribute: &Attribute) -> Option<String> {
    let name = attribute.name.as_ref().map(Name::as_str);
    let name = match (owner, attribute.role) {
        (Owner::Node(_), Role::Hook(hook)) => hook.xml().to_owned(),
        (_, Role::Hook(_)) => return None,
        (Owner::Node(kind), Role::Argument) => {
            let name = name.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
            if matches!(name, "name" | "ID") || current_attribute(kind, name).is_some() {
                return None;
            }
            name.to_owned()
        }
        (Owner::Node(_), Role::Option) => match name? {
            "autoremap" => AUTOREMAP.to_owned(),
            name => format!("{OPTION}{name}"),
        },
        (_, Role::Metadata) => match (owner, name?.strip_prefix(PLAIN)) {
            (Owner::Other(own), Some(plain))
                if !own.contains(&plain) && !plain.starts_with('_') =>
            {
                plain.to_owned()
            }
            (Owner::Model, Some(plain)) if plain != "ID" => plain.to_owned(),
            (_, Some(_)) | (Owner::Model, None) => return None,
            (_, None) => format!("_{}", name?),
        },
        _ => return None,
    };
    let node = matches!(owner, Owner::Node(_));
    let taken = name == DESCRIPTION || name.starts_with("_tick.") || (node && name == DISABLED);
    let other_role = || plain(owner, &name, "", Span::default()).0 != attribute.role;
    let old = name.starts_with("__");
    (is_xml_name(&name) && !taken && !old && !other_role()).then_some(name)
}

/// The attributes of an element to be written: name and text, in order.
#[derive(Default)]
pub(super) struct Written(pub(super) Vec<(String, String)>);

impl Written {
    pub(super) fn put(&mut self, name: &str, text: impl Into<String>) {
        self.0.push((name.to_owned(), text.into()));
    }

    pub(super) fn maybe(&mut self, name: &str, text: Option<impl Into<String>>) {
        if let Some(text) = text {
            self.put(name, text);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(taken, _)| taken == name)
    }

    /// A value whose plain reading is [`Value::from_attribute`].
    pub(super) fn value(&mut self, name: &str, value: &Value) {
        let text = value.to_attribute();
        let exact = same_kind(&Value::from_attribute(&text, Span::default()), value);
        self.put(name, text);
        if !exact {
            self.put(&format!("{VALUE}{name}"), json::write_value(value));
        }
    }

    /// Attributes of the model. `disabled` reserves `_skipIf`.
    pub(super) fn attributes(
        &mut self,
        owner: Owner<'_>,
        attributes: &[Attribute],
        disabled: bool,
    ) {
        for (index, attribute) in attributes.iter().enumerate() {
            if !self.attribute(owner, attribute, disabled) {
                self.fallback(index, attribute);
            }
        }
    }

    /// Writes the attribute at place `index` as JSON.
    pub(super) fn fallback(&mut self, index: usize, attribute: &Attribute) {
        self.put(
            &format!("{ATTRIBUTE}{index}"),
            json::write_attribute(attribute),
        );
    }

    fn attribute(&mut self, owner: Owner<'_>, attribute: &Attribute, disabled: bool) -> bool {
        let Some(name) = xml_name(owner, attribute) else {
            return false;
        };
        if self.has(&name) || (disabled && attribute.role == Role::Hook(Hook::SkipIf)) {
            return false;
        }
        let text = match &attribute.value {
            Some(value) => value.to_attribute(),
            None if attribute.role != Role::Option => return false,
            None if name == AUTOREMAP => "true".to_owned().into(),
            None => String::new().into(),
        };
        let read = plain(owner, &name, &text, Span::default()).2;
        match (&attribute.value, read) {
            (None, None) => self.put(&name, text),
            (Some(value), read) => {
                let exact = read.is_some_and(|read| same_kind(&read, value));
                self.put(&name, text);
                if !exact {
                    self.put(&format!("{VALUE}{name}"), json::write_value(value));
                }
            }
            (None, Some(_)) => return false,
        }
        true
    }
}

/// Whether two values are the same, places aside.
fn same_kind(a: &Value, b: &Value) -> bool {
    // Values are compared where both have no places; documents to be written may have some.
    let mut b = b.clone();
    replace_spans(&mut b, Span::default());
    let mut a = a.clone();
    replace_spans(&mut a, Span::default());
    // Bits, so that a number that is none (NaN) equals itself and 0 differs from -0.
    json::write_value(&a) == json::write_value(&b)
}

/// Gives a value, and what is in it, one place.
pub(super) fn replace_spans(value: &mut Value, span: Span) {
    value.span = span;
    match &mut value.kind {
        ValueKind::Literal(Literal::List(items)) => {
            items.iter_mut().for_each(|item| replace_spans(item, span))
        }
        ValueKind::Range(from, to) => {
            replace_spans(from, span);
            replace_spans(to, span);
        }
        ValueKind::Literal(_)
        | ValueKind::Key(_)
        | ValueKind::SameName
        | ValueKind::Code(Code { .. }) => {}
    }
}

/// An XML attribute that belongs to another or stands for one of the model.
pub(super) enum Special<'n> {
    /// The exact value of the attribute with this name.
    ExactValue(&'n str),
    /// An attribute at this place.
    Attribute(usize),
}

/// What a `_tick.` attribute is for; `None` for all others.
pub(super) fn special(name: &str) -> Option<Special<'_>> {
    if let Some(of) = name.strip_prefix(VALUE) {
        return Some(Special::ExactValue(of));
    }
    name.strip_prefix(ATTRIBUTE)?
        .parse()
        .ok()
        .map(Special::Attribute)
}

/// The value that a `_tick.value.` attribute gives, if it still fits the text beside it.
pub(super) fn exact_value(json: &str, text: &str, span: Span) -> Option<Value> {
    let mut value = json::read_value(json, span.file).ok()?;
    replace_spans(&mut value, span);
    (value.to_attribute() == text).then_some(value)
}

/// The attribute that a `_tick.attribute.` attribute holds.
pub(super) fn exact_attribute(json: &str, span: Span) -> Option<Attribute> {
    let mut attribute = json::read_attribute(json, span.file).ok()?;
    attribute.span = span;
    attribute.name.iter_mut().for_each(|name| name.span = span);
    attribute
        .value
        .iter_mut()
        .for_each(|value| replace_spans(value, span));
    Some(attribute)
}
