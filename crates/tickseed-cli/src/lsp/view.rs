//! What the engine knows, in the protocol's terms.

use serde_json::{Value, json};
use tickseed_lang::diagnostics::{Diagnostic, Label, Severity};
use tickseed_lang::ide::{Completion, CompletionKind, Outline, OutlineKind};
use tickseed_lang::model::{SourceMap, Span};

use super::text::{Lines, uri_of};

/// A place in a file.
pub(crate) fn location(sources: &SourceMap, span: Span, utf8: bool) -> Option<Value> {
    let source = sources.file(span.file)?;
    let lines = Lines::new(source.text(), utf8);
    Some(json!({"uri": uri_of(source.name()), "range": lines.range(span.range())}))
}

pub(crate) fn diagnostic(
    diagnostic: &Diagnostic,
    lines: &Lines<'_>,
    sources: &SourceMap,
    utf8: bool,
) -> Value {
    let mut message = diagnostic.message.clone();
    if let Some(label) = &diagnostic.primary
        && !label.text.is_empty()
    {
        message.push_str(&format!(" ({})", label.text));
    }
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let range = diagnostic
        .primary
        .as_ref()
        .map_or(0..0, |label| label.span.range());
    let related: Vec<Value> = (diagnostic.secondary.iter())
        .filter_map(|label: &Label| {
            let location = location(sources, label.span, utf8)?;
            Some(json!({"location": location, "message": label.text}))
        })
        .collect();
    let severity = match diagnostic.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    json!({
        "range": lines.range(range),
        "severity": severity,
        "code": diagnostic.code,
        "source": "tickseed",
        "message": message,
        "relatedInformation": related,
        // What a quick fix needs.
        "data": nearest(diagnostic),
    })
}

/// The name that a message proposes.
fn nearest(diagnostic: &Diagnostic) -> Option<&str> {
    let help = diagnostic.help.as_deref()?;
    help.strip_prefix("did you mean `")?.strip_suffix("`?")
}

pub(crate) fn completion(
    completion: &Completion,
    index: usize,
    lines: &Lines<'_>,
    snippets: bool,
) -> Value {
    let kind = match completion.kind {
        CompletionKind::Node => 3,     // function
        CompletionKind::Tree => 7,     // class
        CompletionKind::Port => 5,     // field
        CompletionKind::Key => 6,      // variable
        CompletionKind::Word => 20,    // member of an enumeration
        CompletionKind::Option => 10,  // property
        CompletionKind::Function => 2, // method
        CompletionKind::Type => 25,    // type parameter
        _ => 14,                       // keyword
    };
    let (text, format) = if snippets {
        // Marks of snippets in plain text must not count.
        let text = completion.insert.replace('\\', "\\\\").replace('}', "\\}");
        (text, 2)
    } else {
        (completion.insert.replace("$0", ""), 1)
    };
    json!({
        "label": completion.label,
        "kind": kind,
        "detail": completion.detail,
        "documentation": {"kind": "markdown", "value": completion.doc},
        // The order is ours: what fits best comes first.
        "sortText": format!("{index:05}"),
        "insertTextFormat": format,
        "textEdit": {"range": lines.range(completion.replaces.range()), "newText": text},
    })
}

pub(crate) fn outline(list: &[Outline], lines: &Lines<'_>) -> Value {
    let one = |item: &Outline| {
        let kind = match item.kind {
            OutlineKind::Tree => 5,   // class
            OutlineKind::Model => 11, // interface
            OutlineKind::Key => 13,   // variable
            OutlineKind::Enum => 10,  // enumeration
            _ => 12,                  // function
        };
        json!({
            "name": item.name,
            "kind": kind,
            "range": lines.range(item.span.range()),
            "selectionRange": lines.range(item.name_span.range()),
            "children": outline(&item.children, lines),
        })
    };
    list.iter().map(one).collect()
}
