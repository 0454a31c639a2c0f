//! Reads texts of any format and shows what came of them.

use tickseed_lang::check::{Options, check};
use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::load::{Loaded, Memory, detect, load, read_as};
use tickseed_lang::model::{Document, FileId, Format, SourceMap};
use tickseed_lang::{binary, fmt, json, xml};

/// The three formats that are text.
pub(crate) const TEXT_FORMATS: [Format; 3] = [Format::Tick, Format::Xml, Format::Json];

/// Reads a text that must be right.
pub(crate) fn good(format: Format, text: &str) -> Document {
    let (document, diagnostics) = read_as(format, text, FileId(0));
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    document
}

/// Reads `.tick` text that must be right.
pub(crate) fn tick(text: &str) -> Document {
    good(Format::Tick, text)
}

/// Writes a document as text.
pub(crate) fn write(format: Format, document: &Document) -> String {
    match format {
        Format::Xml => xml::write(document),
        Format::Json => json::write(document),
        _ => fmt::format(document),
    }
}

/// A document through one format and back.
pub(crate) fn through(format: Format, document: &Document) -> (Document, Vec<Diagnostic>) {
    if format == Format::Binary {
        let read = binary::read(&binary::write(document)).expect("what was just written");
        return (read, Vec::new());
    }
    read_as(format, &write(format, document), FileId(0))
}

/// `line:column message (help)` of each message about one file: the reader's, and for `.tick`
/// without any the check's.
pub(crate) fn messages(name: &str, text: &str) -> Vec<String> {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let format = detect(name, text.as_bytes());
    let (document, mut diagnostics) = read_as(format, text, file);
    if format == Format::Tick && diagnostics.is_empty() {
        diagnostics = check(&[&document], &Options::default());
    }
    diagnostics.iter().map(|d| shown(d, &map)).collect()
}

/// `line:column message (help)`.
pub(crate) fn shown(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = diagnostic
        .primary
        .as_ref()
        .and_then(|label| sources.line_column(label.span));
    let place = place.map_or("-".to_owned(), |at| format!("{}:{}", at.line, at.column));
    let help = diagnostic
        .help
        .as_ref()
        .map_or(String::new(), |help| format!(" ({help})"));
    format!("{place} {}{help}", diagnostic.message)
}

/// Loads the first of some files.
pub(crate) fn load_files(files: &[(&str, &str)]) -> Loaded {
    let mut memory = Memory::default();
    for (path, text) in files {
        memory.add(*path, *text);
    }
    load(files[0].0, &memory)
}
