//! Positions in source files.

use super::Str;
use std::fmt;

/// Number of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A stretch of bytes in a file. The default is the empty span at the start of file 0, which also
/// stands for "nowhere" in documents that were built by a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        // Readers refuse files above u32::MAX bytes, so saturation is never seen.
        let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            file,
            start: clip(start),
            end: clip(end),
        }
    }

    /// The smallest span that holds both, which must be of one file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty span at the end of this one: where something is missing.
    #[must_use]
    pub fn after(self) -> Span {
        Span {
            start: self.end,
            ..self
        }
    }

    /// The byte range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `offset` lies in the span or just behind it (where a cursor would be).
    pub fn touches(self, offset: usize) -> bool {
        (self.start as usize..=self.end as usize).contains(&offset)
    }
}

/// A name and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The name itself, unquoted.
    pub text: Str,
    /// Where it was written.
    pub span: Span,
}

impl Name {
    /// A name at a place.
    pub fn new(text: impl Into<Str>, span: Span) -> Self {
        Self {
            text: text.into(),
            span,
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self {
            text: text.into(),
            span: Span::default(),
        }
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One file: its name as users know it and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// A file with `text`, called `name` in messages (usually its path).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.match_indices('\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        Self {
            name: name.into(),
            text,
            line_starts,
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset; an offset behind the end means the end.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self
            .line_starts
            .partition_point(|&start| start as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text[start..offset].chars().count() + 1;
        LineColumn {
            line: line as u32,
            column: column as u32,
        }
    }

    /// The byte offset of a line and column; places outside are moved to the nearest one inside.
    pub fn offset(&self, at: LineColumn) -> usize {
        let line = (at.line.max(1) as usize).min(self.line_starts.len());
        let start = self.line_starts[line - 1] as usize;
        let rest = &self.text[start..];
        let line_text = rest.split('\n').next().unwrap_or(rest);
        let column = at.column.max(1) as usize - 1;
        start
            + line_text
                .char_indices()
                .nth(column)
                .map_or(line_text.len(), |(i, _)| i)
    }
}

/// A place for people: both numbers start at 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// All files that take part in a load.
///
/// ```
/// use tickseed_lang::model::{SourceMap, Span};
/// let mut map = SourceMap::new();
/// let file = map.add("guard.tick", "tree A {\n  Patrol\n}\n");
/// let at = map.line_column(Span::new(file, 11, 17)).unwrap();
/// assert_eq!((at.line, at.column), (2, 3));
/// assert_eq!(map.snippet(Span::new(file, 11, 17)), Some("Patrol"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name, text));
        FileId(self.files.len() as u32 - 1)
    }

    /// A file by its number.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All files with their numbers.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(i, file)| (FileId(i as u32), file))
    }

    /// Line and column of a span's start.
    pub fn line_column(&self, span: Span) -> Option<LineColumn> {
        Some(self.file(span.file)?.line_column(span.start as usize))
    }

    /// The text under a span.
    pub fn snippet(&self, span: Span) -> Option<&str> {
        self.file(span.file)?.text.get(span.range())
    }
}
