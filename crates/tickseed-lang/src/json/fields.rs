//! Reading fields of JSON objects, with errors that name place and path.

use super::syntax::{Kind, Value as Json};
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{FileId, Name, Span};
use std::fmt::Write;

/// Mistakes reported before the rest is left out.
const MAX_ERRORS: usize = 100;

/// Most nodes accepted.
const MAX_NODES: usize = 1 << 20;

pub(super) struct Reader<'d> {
    pub(super) file: FileId,
    diagnostics: &'d mut Vec<Diagnostic>,
    errors: usize,
    path: Vec<Step>,
    nodes: usize,
}

enum Step {
    Key(&'static str),
    Index(usize),
}

/// Which fields an object had.
pub(super) struct Seen {
    known: &'static [&'static str],
    bits: u64,
}

impl Seen {
    pub(super) fn has(&self, field: &str) -> bool {
        self.known
            .iter()
            .position(|name| *name == field)
            .is_some_and(|i| self.bits >> i & 1 == 1)
    }
}

impl<'d> Reader<'d> {
    pub(super) fn new(file: FileId, diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        Self {
            file,
            diagnostics,
            errors: 0,
            path: Vec::new(),
            nodes: 0,
        }
    }

    pub(super) fn span(&self, v: Json<'_, '_>) -> Span {
        let span = v.span();
        Span {
            file: self.file,
            start: span.start,
            end: span.end,
        }
    }

    pub(super) fn error(&mut self, code: &'static str, v: Json<'_, '_>, message: String) {
        self.error_at(code, self.span(v), message, None);
    }

    fn error_at(&mut self, code: &'static str, span: Span, message: String, help: Option<String>) {
        self.errors += 1;
        if self.errors > MAX_ERRORS {
            return;
        }
        let mut path = String::new();
        for step in &self.path {
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Key(key) if path.is_empty() => write!(path, "{key}"),
                Step::Key(key) => write!(path, ".{key}"),
                Step::Index(i) => write!(path, "[{i}]"),
            };
        }
        let message = if path.is_empty() {
            message
        } else {
            format!("{path}: {message}")
        };
        self.diagnostics.push(
            Diagnostic::error(code, message)
                .at(span, "")
                .maybe_help(help),
        );
    }

    /// How a value is called in messages.
    pub(super) fn shown(&self, v: Json<'_, '_>) -> String {
        match v.kind() {
            Kind::Array | Kind::Object => v.kind().to_string(),
            _ => {
                let raw = v.raw();
                let short: String = raw.chars().take(40).collect();
                if short.len() < raw.len() {
                    format!("`{short}...`")
                } else {
                    format!("`{short}`")
                }
            }
        }
    }

    /// Counts a node and tells whether there are too many: they take more memory than their text.
    /// That is reported once.
    pub(super) fn too_many_nodes(&mut self, v: Json<'_, '_>) -> bool {
        self.nodes += 1;
        if self.nodes == MAX_NODES + 1 {
            let message = format!("more nodes than the limit of {MAX_NODES}");
            self.error("json::too-large", v, message);
        }
        self.nodes > MAX_NODES
    }

    fn expect(&mut self, v: Json<'_, '_>, kind: Kind) -> bool {
        let right = v.kind() == kind;
        if !right {
            let message = format!("expected {kind}, found {}", self.shown(v));
            self.error("json::wrong-type", v, message);
        }
        right
    }

    /// Calls `field` for each known member of an object. `None` if it is no object.
    pub(super) fn fields<'a, 's>(
        &mut self,
        v: Json<'a, 's>,
        known: &'static [&'static str],
        mut field: impl FnMut(&mut Self, &'static str, Json<'a, 's>),
    ) -> Option<Seen> {
        if !self.expect(v, Kind::Object) {
            return None;
        }
        let mut seen = Seen { known, bits: 0 };
        for member in v.items() {
            let key = member.key();
            let key_span = member.key_span();
            let span = Span {
                file: self.file,
                start: key_span.start,
                end: key_span.end,
            };
            let Some(index) = known.iter().position(|name| *name == key) else {
                let help = nearest(&key, known.iter().copied())
                    .map(|name| format!("did you mean {name:?}?"));
                let help = help.or_else(|| Some(format!("known here: {}", known.join(", "))));
                self.error_at(
                    "json::unknown-field",
                    span,
                    format!("unknown field {key:?}"),
                    help,
                );
                continue;
            };
            if seen.bits >> index & 1 == 1 {
                self.error_at(
                    "json::duplicate-field",
                    span,
                    format!("the field {key:?} is given twice"),
                    None,
                );
                continue;
            }
            seen.bits |= 1 << index;
            self.path.push(Step::Key(known[index]));
            field(self, known[index], member);
            self.path.pop();
        }
        Some(seen)
    }

    pub(super) fn require(&mut self, v: Json<'_, '_>, seen: &Seen, field: &str) {
        if !seen.has(field) {
            self.error(
                "json::missing-field",
                v,
                format!("the field {field:?} is missing"),
            );
        }
    }

    pub(super) fn list<'a, 's, T>(
        &mut self,
        v: Json<'a, 's>,
        mut one: impl FnMut(&mut Self, Json<'a, 's>) -> T,
    ) -> Vec<T> {
        if !self.expect(v, Kind::Array) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for (i, item) in v.items().enumerate() {
            self.path.push(Step::Index(i));
            out.push(one(self, item));
            self.path.pop();
        }
        out
    }

    pub(super) fn string(&mut self, v: Json<'_, '_>) -> Option<String> {
        if !self.expect(v, Kind::String) {
            return None;
        }
        v.string().map(std::borrow::Cow::into_owned)
    }

    pub(super) fn name(&mut self, v: Json<'_, '_>) -> Name {
        Name::new(self.string(v).unwrap_or_default(), self.span(v))
    }

    pub(super) fn bool(&mut self, v: Json<'_, '_>) -> bool {
        self.expect(v, Kind::Bool) && v.raw() == "true"
    }

    pub(super) fn int(&mut self, v: Json<'_, '_>) -> i64 {
        v.raw().parse().unwrap_or_else(|_| {
            let message = format!(
                "expected a whole number of 64 bits, found {}",
                self.shown(v)
            );
            self.error("json::wrong-type", v, message);
            0
        })
    }

    pub(super) fn float(&mut self, v: Json<'_, '_>) -> f64 {
        let text = match v.kind() {
            // "inf", "-inf" and "NaN", which JSON's numbers lack.
            Kind::String => v.string().unwrap_or_default(),
            _ => v.raw().into(),
        };
        text.parse().unwrap_or_else(|_| {
            let message = format!("expected a number, found {}", self.shown(v));
            self.error("json::wrong-type", v, message);
            0.0
        })
    }

    /// One of several words.
    pub(super) fn word<T: Copy, const N: usize>(
        &mut self,
        v: Json<'_, '_>,
        words: [(&'static str, T); N],
    ) -> T {
        let found = v.string().unwrap_or_default();
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == found) {
            return *value;
        }
        let names = words.map(|(word, _)| word);
        let message = format!(
            "expected one of {}, found {}",
            names.join(", "),
            self.shown(v)
        );
        let help = nearest(&found, names).map(|name| format!("did you mean {name:?}?"));
        self.error_at("json::unknown-word", self.span(v), message, help);
        words[0].1
    }
}
