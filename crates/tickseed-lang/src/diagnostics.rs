//! Messages for people: what is wrong, where, what was expected, and the nearest right thing.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::model::{SourceMap, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Probably not meant.
    Warning,
    /// The file cannot be used like this.
    #[default]
    Error,
}

/// One message.
///
/// ```
/// use tickseed_lang::diagnostics::{Diagnostic, nearest};
/// use tickseed_lang::model::{SourceMap, Span};
/// let mut map = SourceMap::new();
/// let file = map.add("guard.tick", "tree A { Patrl }\n");
/// let message = Diagnostic::error("tick::unknown-node", "no node is called `Patrl`")
///     .at(Span::new(file, 9, 14), "not known")
///     .maybe_help(nearest("Patrl", ["Patrol", "Attack"]).map(|n| format!("did you mean `{n}`?")));
/// let text = message.render(&map);
/// assert!(text.contains("guard.tick:1:10"), "{text}");
/// assert!(text.contains("did you mean `Patrol`?"), "{text}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A stable code such as `tick::unknown-node`. Programs may match on it.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and what was expected, in lower case, one line.
    pub message: String,
    /// The place it is about, with a short label. Without one the message is about the whole load.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

/// A place with a word about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The word; may be empty.
    pub text: String,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            ..Self::default()
        }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// A note.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, message)
        }
    }

    /// Sets the place it is about.
    #[must_use]
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.primary = Some(Label {
            span,
            text: label.into(),
        });
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn and(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary.push(Label {
            span,
            text: label.into(),
        });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what to do, if there is something to say.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The message with its lines of source, without colours.
    pub fn render(&self, sources: &SourceMap) -> String {
        self.render_with(sources, &Renderer::plain())
    }

    /// The message with its lines of source in colours for a terminal.
    pub fn render_colored(&self, sources: &SourceMap) -> String {
        self.render_with(sources, &Renderer::styled())
    }

    fn render_with(&self, sources: &SourceMap, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(self.message.as_str());
        let title = if self.code.is_empty() {
            title
        } else {
            title.id(self.code)
        };
        let mut group = Group::with_title(title);
        let labels = self
            .primary
            .iter()
            .map(|label| (AnnotationKind::Primary, label));
        let labels = labels.chain(self.secondary.iter().map(|l| (AnnotationKind::Context, l)));
        let labels: Vec<_> = labels.collect();
        // One snippet a file, the primary place's file first.
        let mut files = Vec::new();
        for (_, label) in &labels {
            if !files.contains(&label.span.file) {
                files.push(label.span.file);
            }
        }
        for file in files {
            let Some(source) = sources.file(file) else {
                continue;
            };
            let mut snippet = Snippet::source(source.text()).path(source.name());
            for (kind, label) in labels.iter().filter(|(_, label)| label.span.file == file) {
                let range = inside(source.text(), label.span);
                let annotation = kind.span(range);
                snippet = snippet.annotation(if label.text.is_empty() {
                    annotation
                } else {
                    annotation.label(label.text.as_str())
                });
            }
            group = group.element(snippet);
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// The message as JSON, for editors and scripts: `code`, `severity`, `message`, `help`, and
    /// `labels` with `file`, `line`, `column`, `endLine`, `endColumn`, `text`, `primary`.
    pub fn to_json(&self, sources: &SourceMap) -> serde_json::Value {
        let label = |label: &Label, primary: bool| {
            let source = sources.file(label.span.file);
            let start = source.map(|s| s.line_column(label.span.start as usize));
            let end = source.map(|s| s.line_column(label.span.end as usize));
            serde_json::json!({
                "file": source.map(|s| s.name()),
                "line": start.map(|at| at.line),
                "column": start.map(|at| at.column),
                "endLine": end.map(|at| at.line),
                "endColumn": end.map(|at| at.column),
                "text": label.text,
                "primary": primary,
            })
        };
        let labels: Vec<_> = (self.primary.iter().map(|l| label(l, true)))
            .chain(self.secondary.iter().map(|l| label(l, false)))
            .collect();
        serde_json::json!({
            "code": self.code,
            "severity": self.severity.to_string(),
            "message": self.message,
            "labels": labels,
            "help": self.help,
        })
    }
}

/// The part of a span that lies in the text, on character boundaries.
fn inside(text: &str, span: Span) -> std::ops::Range<usize> {
    let clip = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = clip(span.start);
    start..clip(span.end).max(start)
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// All messages, one after the other, with a last line that counts them; empty without messages.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&diagnostic.render(sources));
        text.push_str("\n\n");
    }
    let count = |severity| {
        diagnostics
            .iter()
            .filter(|d| d.severity == severity)
            .count()
    };
    let counts: Vec<_> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (severity, count(severity)))
        .filter(|&(_, count)| count > 0)
        .map(|(severity, n)| format!("{n} {severity}{}", if n == 1 { "" } else { "s" }))
        .collect();
    if !counts.is_empty() {
        text.push_str(&counts.join(", "));
        text.push('\n');
    }
    text
}

/// The candidate most like `word`, if any is like it at all: same letters in another case, or few
/// letters inserted, left out, changed or swapped (a third of the word's length, at least one; one
/// letter alone is like no other).
///
/// ```
/// use tickseed_lang::diagnostics::nearest;
/// assert_eq!(nearest("RetryUntilSuccesful", ["Repeat", "RetryUntilSuccessful"]),
///     Some("RetryUntilSuccessful"));
/// assert_eq!(nearest("Attack", ["Patrol"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are mistakes of another kind, and the distance costs their product.
    if word.is_empty() || word.len() > 128 {
        return None;
    }
    let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let limit = match letters.len() {
        1 => 0,
        length => (length / 3).max(1),
    };
    let (mut limit, mut best) = (limit, None);
    let (mut other, mut edits) = (Vec::new(), Edits::default());
    for candidate in candidates {
        if candidate == word || candidate.len() > 256 {
            continue;
        }
        other.clear();
        other.extend(candidate.chars().flat_map(char::to_lowercase));
        let Some(distance) = edits.within(limit, &letters, &other) else {
            continue;
        };
        best = Some(candidate);
        // From here on only what is nearer counts: the first of the nearest is found.
        match distance.checked_sub(1) {
            Some(nearer) => limit = nearer,
            None => break,
        }
    }
    best
}

/// Insertions, deletions, changes and swaps of neighbours that turn one word into another. Keeps its
/// rows from word to word: many are compared when many are misspelt.
#[derive(Default)]
struct Edits {
    before_last: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Edits {
    /// How many it takes, if they are no more than `limit`.
    fn within(&mut self, limit: usize, a: &[char], b: &[char]) -> Option<usize> {
        if a.len().abs_diff(b.len()) > limit {
            return None;
        }
        let Edits {
            before_last,
            last,
            row,
        } = self;
        before_last.clear();
        before_last.resize(b.len() + 1, 0);
        last.clear();
        last.extend(0..=b.len());
        for i in 1..=a.len() {
            row.clear();
            row.push(i);
            let mut least = i;
            for j in 1..=b.len() {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut n = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    n = n.min(before_last[j - 2] + 1);
                }
                least = least.min(n);
                row.push(n);
            }
            // What follows comes from this row, or by a swap from the last one at one edit more.
            if least > limit && last.iter().all(|n| *n >= limit) {
                return None;
            }
            std::mem::swap(before_last, last);
            std::mem::swap(last, row);
        }
        last.last().copied().filter(|n| *n <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FileId;

    #[test]
    fn nearest_names() {
        let known = ["sequence", "selector", "cooldown"];
        assert_eq!(nearest("sequense", known), Some("sequence"));
        assert_eq!(nearest("SELECTOR", known), Some("selector"));
        assert_eq!(nearest("cooldwon", known), Some("cooldown"));
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("b", ["a", "B"]), Some("B"));
        assert_eq!(nearest("b", ["a", "bb"]), None);
        assert_eq!(nearest("fights", ["fight", "flights"]), Some("fight"));
        assert_eq!(nearest("ab", ["ba"]), Some("ba"));
        assert_eq!(nearest("abcd", ["abdc", "abcd "]), Some("abdc"));
    }

    /// Stopping early changes no answer.
    #[test]
    fn edits_within_a_limit_are_those_without_one() {
        let letters = ['a', 'b', 'c'];
        let word = |mut n: usize| {
            let mut word = Vec::new();
            while n > 0 {
                word.push(letters[n % 3]);
                n /= 3;
            }
            word
        };
        let mut edits = Edits::default();
        for (a, b) in (0..243).flat_map(|a| (0..243).map(move |b| (a, b))) {
            let (a, b) = (word(a), word(b));
            let all = edits.within(usize::MAX, &a, &b);
            for limit in 0..4 {
                let expected = all.filter(|n| *n <= limit);
                assert_eq!(edits.within(limit, &a, &b), expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn renders_places_in_two_files_and_survives_wrong_places() {
        let mut map = SourceMap::new();
        let a = map.add("a.tick", "tree Main {}\n");
        let b = map.add("b.tick", "tree Main {}\n");
        let message = Diagnostic::error("tick::duplicate-tree", "two trees are called `Main`")
            .at(Span::new(b, 5, 9), "here")
            .and(Span::new(a, 5, 9), "and here")
            .help("rename one");
        let text = message.render(&map);
        for part in [
            "b.tick:1:6",
            "a.tick",
            "here",
            "and here",
            "rename one",
            "duplicate-tree",
        ] {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
        let json = message.to_json(&map);
        assert_eq!(json["labels"][0]["line"], 1);
        assert_eq!(json["labels"][1]["file"], "a.tick");
        for span in [
            Span::new(b, 500, 3),
            Span::new(FileId(9), 0, 4),
            Span::new(a, 9999, 99999),
        ] {
            let text = Diagnostic::warning("x", "y").at(span, "").render(&map);
            assert!(text.contains('y'));
        }
    }
}
