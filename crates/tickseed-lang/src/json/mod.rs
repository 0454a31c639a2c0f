//! The JSON form of a document: for programs that make, change or inspect trees.
//!
//! It holds everything that a [`Document`] holds except source positions. Its schema is published
//! in `docs/tick.schema.json`; numbers, durations and code keep their spelling, so that a round
//! trip through JSON changes nothing. Mistakes are reported with line, column and path.
//!
//! ```
//! use tickseed_lang::json;
//! use tickseed_lang::model::{Document, FileId};
//! let text = r#"{
//!   "tickseed": 1,
//!   "items": [{"tree": {"name": "Guard", "body": [
//!     {"kind": "selector", "children": [
//!       {"kind": "MoveTo", "attributes": [{"argument": "goal", "value": {"key": "target"}}]},
//!       {"kind": "Patrol"}
//!     ]}
//!   ]}}]
//! }"#;
//! let (document, diagnostics) = json::read(text, FileId(0));
//! assert!(diagnostics.is_empty());
//! assert_eq!(document.tree("Guard").unwrap().body[0].children.len(), 2);
//! assert!(json::read(&json::write(&document), FileId(0)).0.same_meaning(&document));
//! ```

mod fields;
mod out;
mod read;
#[cfg(test)]
mod schema_test;
mod syntax;
#[cfg(test)]
mod tests;
mod write;

use crate::diagnostics::Diagnostic;
use crate::model::{Attribute, Document, FileId, Format, Keys, Span, Value};

/// Reads a document. Mistakes are reported and the rest is read, so the document may be partial.
pub fn read(source: &str, file: FileId) -> (Document, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let document = match syntax::Json::parse(source) {
        Ok(json) => read::document(
            &mut fields::Reader::new(file, &mut diagnostics),
            json.root(),
        ),
        Err(error) => {
            diagnostics.push(syntax_error(error, file).maybe_help(other_format(source)));
            Document {
                file,
                format: Format::Json,
                ..Document::default()
            }
        }
    };
    (document, diagnostics)
}

/// Writes a document: short parts on one line, long ones over several.
pub fn write(document: &Document) -> String {
    write::document(document).pretty()
}

/// Writes one attribute on one line, for places that hold little, such as an attribute of XML.
pub fn write_attribute(attribute: &Attribute) -> String {
    write::attribute(attribute).inline()
}

/// Reads what [`write_attribute`] wrote.
///
/// # Errors
/// All mistakes in the text; it is an attribute only without any.
pub fn read_attribute(text: &str, file: FileId) -> Result<Attribute, Vec<Diagnostic>> {
    read_part(text, file, read::attribute)
}

/// Writes one value on one line.
pub fn write_value(value: &Value) -> String {
    write::value(value).inline()
}

/// Reads what [`write_value`] wrote.
///
/// # Errors
/// All mistakes in the text; it is a value only without any.
pub fn read_value(text: &str, file: FileId) -> Result<Value, Vec<Diagnostic>> {
    read_part(text, file, read::value)
}

/// Blocks of keys on one line.
pub(crate) fn write_keys(keys: &[Keys]) -> String {
    write::key_blocks(keys).inline()
}

/// What [`write_keys`] wrote.
pub(crate) fn read_keys(text: &str, file: FileId) -> Result<Vec<Keys>, Vec<Diagnostic>> {
    read_part(text, file, read::key_blocks)
}

fn read_part<T>(
    text: &str,
    file: FileId,
    part: impl FnOnce(&mut fields::Reader<'_>, syntax::Value<'_, '_>) -> T,
) -> Result<T, Vec<Diagnostic>> {
    let json = syntax::Json::parse(text).map_err(|error| vec![syntax_error(error, file)])?;
    let mut diagnostics = Vec::new();
    let value = part(
        &mut fields::Reader::new(file, &mut diagnostics),
        json.root(),
    );
    if diagnostics.is_empty() {
        Ok(value)
    } else {
        Err(diagnostics)
    }
}

/// What a text that is no JSON is, if that can be told.
fn other_format(source: &str) -> Option<String> {
    let text = source.trim_start_matches('\u{feff}').trim();
    let first_line = text.lines().next().unwrap_or_default();
    let is_path = first_line.len() == text.len()
        && [".json", ".xml", ".tick", ".tickb"]
            .iter()
            .any(|end| text.ends_with(end));
    let words = ["tree ", "main ", "import ", "keys ", "//"];
    if is_path {
        Some("this looks like the path of a file: use the function that loads files".into())
    } else if text.starts_with('<') {
        Some("this looks like XML; it is read by the XML reader".into())
    } else if words.iter().any(|word| text.starts_with(word)) {
        Some("this looks like `.tick` text; it is read by the `.tick` reader".into())
    } else {
        None
    }
}

fn syntax_error(error: syntax::JsonError, file: FileId) -> Diagnostic {
    let span = Span {
        file,
        start: error.span.start,
        end: error.span.end,
    };
    Diagnostic::error("json::syntax", error.message).at(span, "")
}
