//! The JSON form of a document: for programs that make, change or look at trees.
//!
//! It holds everything a [`Document`] holds but places. Its schema is published in
//! `docs/tick.schema.json`; numbers, durations and code keep their spelling, so that going through
//! JSON changes nothing. Mistakes are reported with line, column and path.
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
mod syntax;
#[cfg(test)]
mod tests;
mod write;

use crate::diagnostics::Diagnostic;
use crate::model::{Attribute, Document, FileId, Format, Span};

/// Reads a document. Mistakes are reported and the rest is read, so the document may be partial.
pub fn read(source: &str, file: FileId) -> (Document, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let document = match syntax::Json::parse(source) {
        Ok(json) => read::document(
            &mut fields::Reader::new(file, &mut diagnostics),
            json.root(),
        ),
        Err(error) => {
            diagnostics.push(syntax_error(error, file));
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
    let mut diagnostics = Vec::new();
    match syntax::Json::parse(text) {
        Ok(json) => {
            let attribute = read::attribute(
                &mut fields::Reader::new(file, &mut diagnostics),
                json.root(),
            );
            if diagnostics.is_empty() {
                Ok(attribute)
            } else {
                Err(diagnostics)
            }
        }
        Err(error) => Err(vec![syntax_error(error, file)]),
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
