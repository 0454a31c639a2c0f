//! The scanner: one pass over the text that fills the arena of [`Syntax`].

use super::error::{SyntaxError, SyntaxErrorKind as E};
use super::{AttributeData, Bytes, Data, Kind, Limits, NONE, Syntax};
use std::collections::HashSet;

/// Mistakes reported before the reader gives up: binary garbage would give one per byte.
const MAX_ERRORS: usize = 100;

/// Reading cannot go on; the reason is already among the errors.
struct Stop;

struct Scanner<'s> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    limits: Limits,
    out: Syntax<'s>,
    /// Elements whose end tag has not come, outermost first.
    open: Vec<u32>,
    /// The latest piece at each level: its `next` link is still to be set. One longer than `open`.
    last: Vec<u32>,
    /// The text ended inside something: that open elements are not closed follows from it.
    cut_off: bool,
    /// Elements that another's end tag closed: their own end tags may still come.
    forced: Vec<&'s str>,
    /// A mark of a conflict of version control was met.
    conflict: bool,
}

pub(super) fn parse(source: &str, limits: Limits) -> Syntax<'_> {
    let out = Syntax {
        source,
        pieces: Vec::new(),
        attributes: Vec::new(),
        first: NONE,
        errors: Vec::new(),
    };
    let mut scanner = Scanner {
        text: source,
        bytes: source.as_bytes(),
        at: 0,
        limits,
        out,
        open: Vec::new(),
        last: vec![NONE],
        cut_off: false,
        forced: Vec::new(),
        conflict: false,
    };
    let limit = limits.bytes.min(NONE as usize - 1);
    if source.len() > limit {
        scanner.out.errors.push(SyntaxError {
            kind: E::TooLarge { limit },
            span: 0..0,
            related: None,
        });
        return scanner.out;
    }
    // A byte order mark is no text of the document.
    if source.starts_with('\u{feff}') {
        scanner.at = 3;
    }
    // An error here only means "read no further": it is recorded already.
    let _ = scanner.document();
    scanner.close_all();
    scanner.out
}

fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b >= 0x80 || b == b'_' || b == b':'
}

fn is_name(b: u8) -> bool {
    is_name_start(b) || b.is_ascii_digit() || b == b'.' || b == b'-'
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

impl<'s> Scanner<'s> {
    fn document(&mut self) -> Result<(), Stop> {
        if let Some(nul) = self.bytes.iter().position(|&b| b == 0) {
            self.error(E::NulCharacter, nul..nul + 1, None)?;
            // What follows is read by nobody else either.
            self.bytes = &self.bytes[..nul];
        }
        while self.at < self.bytes.len() {
            let limit = self.limits.pieces;
            if self.out.pieces.len() >= limit {
                self.error(E::TooManyPieces { limit }, self.at..self.at + 1, None)?;
                return Err(Stop);
            }
            if self.bytes[self.at] == b'<' {
                self.markup()?;
            } else {
                self.characters();
            }
        }
        Ok(())
    }

    fn error(
        &mut self,
        kind: E,
        span: std::ops::Range<usize>,
        related: Option<Bytes>,
    ) -> Result<(), Stop> {
        if self.out.errors.len() >= MAX_ERRORS {
            self.out.errors.push(SyntaxError {
                kind: E::TooMany,
                span: to_span(span),
                related: None,
            });
            return Err(Stop);
        }
        self.out.errors.push(SyntaxError {
            kind,
            span: to_span(span),
            related,
        });
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Reads a name; the caller has seen its first byte.
    fn name(&mut self) -> std::ops::Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(is_name) {
            self.at += 1;
        }
        start..self.at
    }

    fn find(&self, needle: &str) -> Option<usize> {
        self.text[self.at..self.bytes.len()]
            .find(needle)
            .map(|offset| self.at + offset)
    }

    /// Adds a piece at the current level and returns its id.
    fn push(
        &mut self,
        kind: Kind,
        span: std::ops::Range<usize>,
        inner: std::ops::Range<usize>,
    ) -> u32 {
        let id = self.out.pieces.len() as u32;
        self.out.pieces.push(Data {
            kind,
            start: span.start as u32,
            end: span.end as u32,
            inner: to_span(inner),
            open_end: span.end as u32,
            close_start: span.end as u32,
            attributes: 0..0,
            first_child: NONE,
            next: NONE,
        });
        let last = self.last.last_mut().expect("one level always exists");
        match (*last, self.open.last()) {
            (NONE, None) => self.out.first = id,
            (NONE, Some(&parent)) => self.out.pieces[parent as usize].first_child = id,
            (previous, _) => self.out.pieces[previous as usize].next = id,
        }
        *last = id;
        id
    }

    /// Text up to the next `<`. White space alone is layout and gets no piece.
    fn characters(&mut self) {
        let start = self.at;
        let end = self.find("<").unwrap_or(self.bytes.len());
        self.at = end;
        let marks = |line: &str| {
            let line = line.trim();
            let starts = ["=======", ">>>>>>>", "|||||||"].iter();
            line.is_empty() || starts.clone().any(|mark| line.starts_with(mark))
        };
        // The error about a conflict tells of its other marks, too.
        if self.conflict && self.text[start..end].lines().all(marks) {
            return;
        }
        if !self.bytes[start..end].iter().all(|&b| is_space(b)) {
            self.push(Kind::Text, start..end, start..end);
        }
    }

    fn markup(&mut self) -> Result<(), Stop> {
        let rest = &self.bytes[self.at..];
        match rest.get(1) {
            Some(b'/') => self.end_tag(),
            Some(b'?') => self.delimited(Kind::Instruction, "<?", "?>"),
            Some(b'!') if rest.starts_with(b"<!--") => self.delimited(Kind::Comment, "<!--", "-->"),
            Some(b'!') if rest.starts_with(b"<![CDATA[") => {
                self.delimited(Kind::CData, "<![CDATA[", "]]>")
            }
            Some(b'!') => self.doctype(),
            Some(&b) if is_name_start(b) => self.start_tag(),
            Some(b'<') if rest.starts_with(b"<<<<<<<") => {
                let line = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                let begin = self.at;
                self.at += line;
                if std::mem::replace(&mut self.conflict, true) {
                    return Ok(());
                }
                self.error(E::Conflict, begin..begin + 7, None)
            }
            Some(&b) if is_space(b) && self.tag_behind_space() => {
                self.error(E::SpaceInTag, self.at..self.at + 1, None)?;
                self.start_tag()
            }
            _ => {
                self.error(E::StrayLess, self.at..self.at + 1, None)?;
                self.at += 1;
                Ok(())
            }
        }
    }

    /// Whether space and then a name and, on the same line, the end of a tag follow a `<`.
    fn tag_behind_space(&self) -> bool {
        let line = self.text[self.at + 1..].lines().next().unwrap_or_default();
        let tag = line.trim_start_matches([' ', '\t']);
        tag.bytes().next().is_some_and(is_name_start) && tag.contains('>')
    }

    fn delimited(
        &mut self,
        kind: Kind,
        start: &'static str,
        end: &'static str,
    ) -> Result<(), Stop> {
        let begin = self.at;
        self.at += start.len();
        let inner = self.at;
        match self.find(end) {
            Some(found) => {
                self.at = found + end.len();
                self.push(kind, begin..self.at, inner..found);
                Ok(())
            }
            None => {
                self.at = self.bytes.len();
                self.cut_off = true;
                self.error(E::UnclosedPiece { start, end }, begin..inner, None)
            }
        }
    }

    /// `<!DOCTYPE ...>`, with an internal subset in brackets if there is one.
    fn doctype(&mut self) -> Result<(), Stop> {
        let begin = self.at;
        let mut brackets = 0usize;
        while let Some(b) = self.peek() {
            self.at += 1;
            match b {
                b'[' => brackets += 1,
                b']' => brackets = brackets.saturating_sub(1),
                b'>' if brackets == 0 => {
                    self.push(Kind::Doctype, begin..self.at, begin + 2..self.at - 1);
                    return Ok(());
                }
                _ => {}
            }
        }
        self.cut_off = true;
        self.error(
            E::UnclosedPiece {
                start: "<!",
                end: ">",
            },
            begin..begin + 2,
            None,
        )
    }

    fn start_tag(&mut self) -> Result<(), Stop> {
        let begin = self.at;
        if self.open.len() >= self.limits.depth {
            // Nothing below can be of use, and a report per level would be noise.
            self.error(
                E::TooDeep {
                    limit: self.limits.depth,
                },
                begin..begin + 1,
                None,
            )?;
            return Err(Stop);
        }
        self.at += 1;
        self.skip_space();
        let name = self.name();
        let id = self.push(Kind::Element, begin..self.at, name.clone());
        let first_attribute = self.out.attributes.len() as u32;
        let closed = self.attributes(&name, first_attribute as usize);
        let data = &mut self.out.pieces[id as usize];
        data.attributes = first_attribute..self.out.attributes.len() as u32;
        data.open_end = self.at as u32;
        data.close_start = self.at as u32;
        data.end = self.at as u32;
        if !closed? {
            self.open.push(id);
            self.last.push(NONE);
        }
        Ok(())
    }

    /// Attributes up to the end of the start tag; tells whether it was `/>`.
    fn attributes(&mut self, element: &std::ops::Range<usize>, first: usize) -> Result<bool, Stop> {
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'>') => {
                    self.at += 1;
                    self.check_duplicates(first)?;
                    return Ok(false);
                }
                Some(b'/') if self.bytes.get(self.at + 1) == Some(&b'>') => {
                    self.at += 2;
                    self.check_duplicates(first)?;
                    return Ok(true);
                }
                Some(b) if is_name_start(b) => self.attribute()?,
                Some(b'<') if self.bytes[self.at..].starts_with(b"<!--") => {
                    let begin = self.at;
                    self.at = match self.find("-->") {
                        Some(end) => end + 3,
                        None => self.bytes.len(),
                    };
                    self.error(E::CommentInTag, begin..self.at, None)?;
                }
                // The next tag begins: this one lacks its end, which is one mistake, not many.
                None | Some(b'<') => {
                    self.cut_off = self.peek().is_none();
                    let name = self.text[element.clone()].to_owned();
                    self.error(E::UnfinishedTag { name }, element.start - 1..self.at, None)?;
                    self.check_duplicates(first)?;
                    return Ok(false);
                }
                Some(_) => {
                    let start = self.at;
                    while self
                        .peek()
                        .is_some_and(|b| !is_space(b) && !matches!(b, b'>' | b'/' | b'<'))
                    {
                        self.at += 1;
                    }
                    // A lone `/` was not consumed above.
                    self.at = self.at.max(start + 1);
                    let found = self.text[start..self.at].chars().take(40).collect();
                    self.error(E::BadAttribute { found }, start..self.at, None)?;
                }
            }
        }
    }

    fn attribute(&mut self) -> Result<(), Stop> {
        let name = self.name();
        let owned = |scanner: &Self| scanner.text[name.clone()].to_owned();
        self.skip_space();
        if self.peek() != Some(b'=') {
            return self.error(E::MissingEquals { name: owned(self) }, name.clone(), None);
        }
        self.at += 1;
        self.skip_space();
        let quote = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => quote,
            _ => {
                let start = self.at;
                while self.peek().is_some_and(|b| {
                    !is_space(b)
                        && !matches!(b, b'>' | b'<')
                        && !self.bytes[self.at..].starts_with(b"/>")
                }) {
                    self.at += 1;
                }
                let found = self.text[start..self.at].chars().take(40).collect();
                return self.error(
                    E::MissingQuote {
                        name: owned(self),
                        found,
                    },
                    start..self.at.max(start),
                    None,
                );
            }
        };
        self.at += 1;
        let start = self.at;
        let Some(length) = self.bytes[start..].iter().position(|&b| b == quote) else {
            self.error(
                E::UnclosedValue {
                    name: owned(self),
                    quote: char::from(quote),
                },
                name.start..start,
                None,
            )?;
            self.at = self.bytes.len();
            self.cut_off = true;
            return Err(Stop);
        };
        self.at = start + length + 1;
        self.out.attributes.push(AttributeData {
            name: to_span(name),
            value: to_span(start..start + length),
        });
        Ok(())
    }

    /// Names given twice in the tag whose attributes begin at `first`.
    fn check_duplicates(&mut self, first: usize) -> Result<(), Stop> {
        let count = self.out.attributes.len() - first;
        if count < 2 {
            return Ok(());
        }
        let mut duplicates = Vec::new();
        {
            let names = self.out.attributes[first..].iter().map(|a| a.name.clone());
            let text = |name: &Bytes| &self.text[name.start as usize..name.end as usize];
            if count <= 8 {
                // The common case, without allocation.
                let list = &self.out.attributes[first..];
                for (i, a) in list.iter().enumerate() {
                    if let Some(b) = list[..i].iter().find(|b| text(&b.name) == text(&a.name)) {
                        duplicates.push((a.name.clone(), Some(b.name.clone())));
                    }
                }
            } else {
                let mut seen = HashSet::with_capacity(count);
                duplicates.extend(
                    names
                        .filter(|name| !seen.insert(text(name)))
                        .map(|name| (name, None)),
                );
            }
        }
        for (span, related) in duplicates {
            let range = span.start as usize..span.end as usize;
            let name = self.text[range.clone()].to_owned();
            self.error(E::DuplicateAttribute { name }, range, related)?;
        }
        Ok(())
    }

    fn end_tag(&mut self) -> Result<(), Stop> {
        let begin = self.at;
        self.at += 2;
        let name = self.name();
        self.skip_space();
        if self.peek() == Some(b'>') {
            self.at += 1;
        } else {
            self.error(E::BadEndTag, begin..self.at, None)?;
            // Go on after the tag if its end is near, else right here.
            while self.peek().is_some_and(|b| b != b'<' && b != b'>') {
                self.at += 1;
            }
            if self.peek() == Some(b'>') {
                self.at += 1;
            }
        }
        let found = &self.text[name];
        let Some(&innermost) = self.open.last() else {
            if self.forced.contains(&found) {
                return Ok(());
            }
            return self.error(
                E::StrayClose {
                    found: found.to_owned(),
                },
                begin..self.at,
                None,
            );
        };
        let matching = self
            .open
            .iter()
            .rposition(|&id| self.element_name(id) == found);
        if matching.is_none()
            && let Some(at) = self.forced.iter().rposition(|name| *name == found)
        {
            // It crosses the one that closed it, which was said there.
            self.forced.remove(at);
            return Ok(());
        }
        if matching != Some(self.open.len() - 1) {
            let kind = E::Mismatched {
                expected: self.element_name(innermost).to_owned(),
                found: found.to_owned(),
            };
            let open = &self.out.pieces[innermost as usize];
            let related = open.start..open.open_end;
            self.error(kind, begin..self.at, Some(related))?;
        }
        // Without a matching element the end tag is taken as a misspelled one for the innermost
        // when nothing else can be meant, so that one typo is one mistake.
        let keep = matching.unwrap_or(self.open.len() - 1);
        while self.open.len() > keep + 1 {
            if let Some(&id) = self.open.last() {
                self.forced.push(self.element_name(id));
            }
            self.close(begin, begin);
        }
        self.close(begin, self.at);
        Ok(())
    }

    fn element_name(&self, id: u32) -> &'s str {
        let name = &self.out.pieces[id as usize].inner;
        &self.text[name.start as usize..name.end as usize]
    }

    /// Closes the innermost element: its end tag spans `start..end`.
    fn close(&mut self, start: usize, end: usize) {
        if let Some(id) = self.open.pop() {
            self.last.pop();
            let data = &mut self.out.pieces[id as usize];
            data.close_start = start as u32;
            data.end = end as u32;
        }
    }

    fn close_all(&mut self) {
        let end = self.at;
        // After "too deep" or "too many" the open elements are a consequence, not a mistake.
        let stopped = self.cut_off || self.at < self.bytes.len();
        while let Some(&id) = self.open.last() {
            if !stopped && self.out.errors.len() < MAX_ERRORS {
                let data = &self.out.pieces[id as usize];
                let span = data.start..data.open_end;
                let kind = E::Unclosed {
                    name: self.element_name(id).to_owned(),
                };
                self.out.errors.push(SyntaxError {
                    kind,
                    span,
                    related: Some(end as u32..end as u32),
                });
            }
            self.close(end, end);
        }
    }
}

fn to_span(range: std::ops::Range<usize>) -> Bytes {
    // Inputs longer than 32 bits are refused before scanning.
    range.start as u32..range.end as u32
}
