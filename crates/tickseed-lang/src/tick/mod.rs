//! `.tick` text: the native way to write trees. The grammar is in `docs/tick-grammar.md`.

mod items;
mod nodes;
mod options;
mod trivia;
mod values;

use crate::diagnostics::Diagnostic;
use crate::lex::{Cursor, Remark, lex};
use crate::model::{Document, FileId, SourceMap, Span};

/// What came of reading a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What could be read. After errors it is partial, but every node in it was written.
    pub document: Document,
    /// Messages in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the file was read without errors.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads the `.tick` text of a file in `sources`. It checks the syntax only, reports all mistakes it
/// finds, and never panics. An unknown file reads as an empty one.
///
/// ```
/// use tickseed_lang::{model::SourceMap, tick};
/// let mut sources = SourceMap::new();
/// let file = sources.add("guard.tick", "tree Guard {\n  selector reactive { Fight; Patrol(route) }\n}");
/// let parsed = tick::parse(&sources, file);
/// assert!(parsed.is_ok());
/// let root = &parsed.document.tree("Guard").unwrap().body[0];
/// assert_eq!(root.kind, "selector");
/// assert_eq!(root.children.len(), 2);
/// ```
pub fn parse(sources: &SourceMap, file: FileId) -> Parsed {
    let text = sources.file(file).map_or("", |source| source.text());
    parse_text(text, file)
}

/// Reads `.tick` text that counts as the file `file`.
pub fn parse_text(text: &str, file: FileId) -> Parsed {
    // Offsets are 32 bits wide.
    if u32::try_from(text.len()).is_err() {
        let diagnostic = Diagnostic::error("tick::too-large", "the file is larger than 4 GiB");
        return Parsed {
            diagnostics: vec![diagnostic],
            ..Parsed::default()
        };
    }
    let lexed = lex(text, file, 0);
    let cursor = Cursor::new(text, file, 0, &lexed);
    let mut parser = Parser {
        c: cursor,
        remarks: &lexed.remarks,
        next_remark: 0,
        depth: 0,
    };
    let mut document = parser.document();
    document.span = Span::new(file, 0, text.len());
    let mut diagnostics = parser.c.diagnostics;
    diagnostics.sort_by_key(|d| d.primary.as_ref().map_or(0, |label| label.span.start));
    Parsed {
        document,
        diagnostics,
    }
}

struct Parser<'a> {
    c: Cursor<'a>,
    remarks: &'a [Remark],
    /// The first remark that is not attached to anything yet.
    next_remark: usize,
    depth: usize,
}
