//! A lossless, lenient reader of XML syntax.
//!
//! Files written for BehaviorTree.CPP are read there by a forgiving parser, so people have written
//! `_skipIf="a<2 && b"` with raw `<` and `&&` inside attribute values. Strict XML crates refuse
//! those files and drop positions; this reader accepts them and keeps everything: elements and
//! attributes are spans into the source text, which stays as it was read.
//!
//! - The parse makes one pass, keeps no text of its own and never recurses, so depth and size of
//!   the input cannot exhaust stack or time.
//! - Mistakes are collected as [`SyntaxError`]s and reading goes on where that makes sense, so
//!   that one run shows several mistakes and tools get a partial tree.

mod entity;
mod error;
mod scan;

pub use entity::{decode, encode_attribute, encode_text};
pub use error::{SyntaxError, SyntaxErrorKind};

use std::borrow::Cow;
use std::ops::Range;

/// How much input a reader accepts before it refuses, so that hostile files cost little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest input in bytes. Spans are 32-bit, so more than `u32::MAX` is refused regardless.
    pub bytes: usize,
    /// Deepest nesting of elements. BehaviorTree.CPP allows 256 levels of tree nodes; `<root>`
    /// and `<BehaviorTree>` come on top.
    pub depth: usize,
    /// Most pieces (elements, comments, texts): they take more memory than the text they stand in.
    pub pieces: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            depth: 256 + 2,
            pieces: 1 << 20,
        }
    }
}

/// Bytes of the source text, half open.
pub(crate) type Bytes = Range<u32>;

pub(crate) const NONE: u32 = u32::MAX;

/// What a piece of XML is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `<name attributes>...</name>` or `<name/>`.
    Element,
    /// Characters between tags that are not only white space.
    Text,
    /// `<!-- ... -->`.
    Comment,
    /// `<![CDATA[ ... ]]>`.
    CData,
    /// `<?xml ... ?>` and other processing instructions.
    Instruction,
    /// `<!DOCTYPE ... >` and other `<!...>` declarations; their content is ignored.
    Doctype,
}

#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) kind: Kind,
    /// All of it, end tag included.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Elements: the name. Others: what stands between the delimiters.
    pub(crate) inner: Bytes,
    /// End of the start tag, after its `>`.
    pub(crate) open_end: u32,
    /// Start of the end tag `</name>`; equal to `open_end` for `<name/>`.
    pub(crate) close_start: u32,
    pub(crate) attributes: Bytes,
    pub(crate) first_child: u32,
    pub(crate) next: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct AttributeData {
    pub(crate) name: Bytes,
    /// Without the quotes.
    pub(crate) value: Bytes,
}

/// A parsed XML text: the source, its pieces, and what was wrong with it.
#[derive(Clone, Debug)]
pub struct Syntax<'s> {
    source: &'s str,
    pieces: Vec<Data>,
    attributes: Vec<AttributeData>,
    first: u32,
    errors: Vec<SyntaxError>,
}

impl<'s> Syntax<'s> {
    /// Reads `source`. Never fails: look at [`Syntax::errors`].
    pub fn parse(source: &'s str, limits: Limits) -> Self {
        scan::parse(source, limits)
    }

    /// The text that was read.
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// Mistakes, in the order of the text. Empty for a well-formed text.
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }

    /// The pieces outside of any element and the top-level elements, in order.
    pub fn top(&self) -> Pieces<'_, 's> {
        Pieces {
            syntax: self,
            next: self.first,
        }
    }

    /// The first element: the document's root.
    pub fn root(&self) -> Option<Element<'_, 's>> {
        self.top().find_map(Piece::element)
    }

    fn text(&self, range: &Bytes) -> &'s str {
        &self.source[range.start as usize..range.end as usize]
    }
}

/// One piece of a [`Syntax`].
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a, 's> {
    syntax: &'a Syntax<'s>,
    id: u32,
}

impl<'a, 's> Piece<'a, 's> {
    fn data(&self) -> &'a Data {
        &self.syntax.pieces[self.id as usize]
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.data().kind
    }

    /// Where it stands, delimiters and end tag included.
    pub fn span(&self) -> Bytes {
        self.data().start..self.data().end
    }

    /// What stands between the delimiters, as written; for an element, its name.
    pub fn inner(&self) -> &'s str {
        self.syntax.text(&self.data().inner)
    }

    /// Text and CDATA as characters, entities replaced.
    pub fn characters(&self) -> Option<Cow<'s, str>> {
        match self.kind() {
            Kind::Text => Some(decode(self.inner())),
            Kind::CData => Some(Cow::Borrowed(self.inner())),
            _ => None,
        }
    }

    /// The element it is, if it is one.
    pub fn element(self) -> Option<Element<'a, 's>> {
        (self.kind() == Kind::Element).then_some(Element(self))
    }
}

/// Pieces that follow each other inside one element.
#[derive(Clone, Debug)]
pub struct Pieces<'a, 's> {
    syntax: &'a Syntax<'s>,
    next: u32,
}

impl<'a, 's> Iterator for Pieces<'a, 's> {
    type Item = Piece<'a, 's>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == NONE {
            return None;
        }
        let piece = Piece {
            syntax: self.syntax,
            id: self.next,
        };
        self.next = piece.data().next;
        Some(piece)
    }
}

/// A [`Piece`] that is an element.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a, 's>(Piece<'a, 's>);

impl<'a, 's> Element<'a, 's> {
    /// The name, as written.
    pub fn name(&self) -> &'s str {
        self.0.inner()
    }

    /// Where the name stands in the start tag.
    pub fn name_span(&self) -> Bytes {
        self.0.data().inner.clone()
    }

    /// Where the element stands, from `<` to the end of its end tag.
    pub fn span(&self) -> Bytes {
        self.0.span()
    }

    /// Where its start tag stands.
    pub fn open_span(&self) -> Bytes {
        self.0.data().start..self.0.data().open_end
    }

    /// What stands between start and end tag; `None` for `<name/>`.
    pub fn content_span(&self) -> Option<Bytes> {
        let data = self.0.data();
        let self_closed = data.end == data.open_end;
        (!self_closed).then_some(data.open_end..data.close_start)
    }

    /// Its attributes in the order of the text.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = Attribute<'s>> + use<'a, 's> {
        let syntax = self.0.syntax;
        let range = &self.0.data().attributes;
        syntax.attributes[range.start as usize..range.end as usize]
            .iter()
            .map(move |data| Attribute {
                name: syntax.text(&data.name),
                name_span: data.name.clone(),
                raw: syntax.text(&data.value),
                value_span: data.value.clone(),
            })
    }

    /// The value of an attribute, entities replaced.
    pub fn attribute(&self, name: &str) -> Option<Cow<'s, str>> {
        self.attributes()
            .find(|a| a.name == name)
            .map(|a| a.value())
    }

    /// Everything inside: elements, text, comments.
    pub fn pieces(&self) -> Pieces<'a, 's> {
        Pieces {
            syntax: self.0.syntax,
            next: self.0.data().first_child,
        }
    }

    /// The child elements.
    pub fn elements(&self) -> impl Iterator<Item = Element<'a, 's>> + use<'a, 's> {
        self.pieces().filter_map(Piece::element)
    }

    /// All text directly inside, entities replaced.
    pub fn characters(&self) -> String {
        self.pieces()
            .filter_map(|piece| piece.characters())
            .collect()
    }
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub struct Attribute<'s> {
    /// The name.
    pub name: &'s str,
    /// Where the name stands.
    pub name_span: Bytes,
    /// The value as written, without quotes.
    pub raw: &'s str,
    /// Where the value stands, without quotes.
    pub value_span: Bytes,
}

impl<'s> Attribute<'s> {
    /// The value, entities replaced.
    pub fn value(&self) -> Cow<'s, str> {
        decode(self.raw)
    }

    /// From the first character of the name to the closing quote.
    pub fn span(&self) -> Bytes {
        self.name_span.start..self.value_span.end + 1
    }
}

#[cfg(test)]
mod tests;
