//! BehaviorTree.CPP XML: version 4 in and out, version 3 in.
//!
//! Reading is as lenient as that engine's own reader and keeps more: comments, blank lines, layout
//! hints, unknown attributes. That reader's checks are made as well, with the key phrases of their
//! messages and with positions. Old spellings of version 3 are read as the current ones, with a
//! warning each. Scripts in attributes (`_skipIf`, `code`) are kept as text and parsed when a tree
//! is built.
//!
//! [`write()`] lays a document out anew; [`update`] keeps the bytes of whatever did not change, so an
//! unchanged file is saved as it was.
//!
//! ```
//! use tickseed_lang::{model::FileId, xml};
//! let text = r#"<root BTCPP_format="4">
//!   <BehaviorTree ID="Guard">
//!     <Fallback name='fight or patrol'>  <!-- the heart of it -->
//!       <MoveTo goal="{target}" _skipIf="ammo<1 && !brave"/>
//!       <Action ID="Patrol"/>
//!     </Fallback>
//!   </BehaviorTree>
//! </root>"#;
//! let (document, diagnostics) = xml::read(text, FileId(0), &xml::Options::default());
//! assert!(diagnostics.iter().all(|d| !d.is_error()));
//! assert_eq!(document.tree("Guard").unwrap().body[0].children.len(), 2);
//! assert_eq!(xml::update(text, &document), text);
//! ```

mod check;
mod extra;
mod merge;
mod names;
mod read;
pub mod syntax;
#[cfg(test)]
mod tests;
mod write;

use crate::diagnostics::Diagnostic;
use crate::model::{Document, FileId, Item};

/// How XML is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Size and depth that are accepted.
    pub limits: syntax::Limits,
    /// Whether names that BehaviorTree.CPP 4.8.4 and later refuse (`My Tree`, `a.b`, `root`, two
    /// `<SubTree>` of one name in a tree) are errors. By default they are warnings: many files have them.
    pub strict_names: bool,
}

/// Reads a document. Mistakes are reported and the rest is read, so the document may be partial.
pub fn read(source: &str, file: FileId, options: &Options) -> (Document, Vec<Diagnostic>) {
    read::read(source, file, options)
}

/// Writes a document, laid out anew.
///
/// What XML cannot say is written in attributes that start with `_tick.`, so that reading gives the
/// same document. Only comments may change: XML forbids `--` in them.
pub fn write(document: &Document) -> String {
    write::write(document)
}

/// Writes a document that came from `source`, with the bytes of everything that did not change.
///
/// If nothing changed, or `source` has syntax errors and was not changed either, that is `source`.
pub fn update(source: &str, document: &Document) -> String {
    merge::update(source, document)
}

/// One letter for each sort of item, to note an order that XML does not keep by itself.
fn item_letter(item: &Item) -> u8 {
    match item {
        Item::Import(_) => b'i',
        Item::Tree(_) => b't',
        Item::Model(_) => b'm',
        Item::Keys(_) => b'k',
        Item::Enum(_) => b'e',
    }
}
