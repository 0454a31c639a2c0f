//! Comments, documentation and metadata, and what they belong to.

use super::Parser;
use crate::diagnostics::Diagnostic;
use crate::lex::{Remark, Tok};
use crate::model::{Attribute, Comment, Name, Role, Span, Trivia};

/// What stands above a thing.
#[derive(Default)]
pub(super) struct Above {
    pub(super) trivia: Trivia,
    pub(super) doc: Option<String>,
    pub(super) metadata: Vec<Attribute>,
    /// Where the first doc line or metadata stands.
    pub(super) span: Option<Span>,
}

impl Parser<'_> {
    /// Takes comments, documentation and metadata up to the next other token.
    pub(super) fn above(&mut self) -> Above {
        let mut above = Above::default();
        let mut doc = Vec::new();
        let mut first = true;
        loop {
            let next = self.c.peek();
            while let Some(remark) = self.remark_before(next.start) {
                self.next_remark += 1;
                let span = self.remark_span(remark);
                if first {
                    above.trivia.blank_before = remark.blank_before;
                } else if remark.blank_before
                    && let Some(last) = above.trivia.leading.last_mut()
                {
                    last.blank_after = true;
                }
                first = false;
                let text = self.c.slice(span);
                if remark.doc {
                    above.span.get_or_insert(span);
                    doc.push(text[3..].strip_prefix(' ').unwrap_or(&text[3..]).to_owned());
                } else {
                    above.trivia.leading.push(comment(text, span));
                }
            }
            if first {
                above.trivia.blank_before = next.blank_before;
            } else if next.blank_before
                && doc.is_empty()
                && above.metadata.is_empty()
                && let Some(last) = above.trivia.leading.last_mut()
            {
                last.blank_after = true;
            }
            if !self.c.is("#[") {
                break;
            }
            first = false;
            above.span.get_or_insert(self.c.span(next));
            above.metadata.extend(self.metadata());
        }
        if !doc.is_empty() {
            above.doc = Some(doc.join("\n"));
        }
        above
    }

    /// Takes what stands before a closing brace or the end: comments; anything else is reported.
    pub(super) fn inner(&mut self) -> Vec<Comment> {
        let above = self.above();
        self.stray(above)
    }

    /// Says that documentation and metadata belong to nothing; gives the comments, to be kept.
    pub(super) fn stray(&mut self, above: Above) -> Vec<Comment> {
        let mut comments = above.trivia.leading;
        if let Some(span) = above.span {
            self.c.report(
                Diagnostic::warning("tick::stray-doc", "this describes nothing")
                    .at(span, "nothing follows that it could belong to")
                    .help("a comment starts with two slashes"),
            );
            for line in above.doc.unwrap_or_default().split('\n') {
                comments.push(Comment {
                    text: line.to_owned(),
                    blank_after: false,
                    span,
                });
            }
        }
        comments
    }

    /// Takes a comment behind the last token, on its line.
    pub(super) fn trailing(&mut self) -> Option<Comment> {
        let next = self.c.peek();
        let remark = self.remark_before(next.start)?;
        if remark.own_line || remark.start < self.c.last_span().end {
            return None;
        }
        self.next_remark += 1;
        let span = self.remark_span(remark);
        Some(comment(self.c.slice(span), span))
    }

    /// Takes comments that stand before the end of the last token, so inside a thing that has no
    /// place for them, and puts them above it.
    pub(super) fn swallow(&mut self, into: &mut Trivia) {
        let end = self.c.last_span().end;
        while let Some(remark) = self.remark_before(end) {
            self.next_remark += 1;
            let span = self.remark_span(remark);
            into.leading.push(comment(self.c.slice(span), span));
        }
    }

    fn remark_before(&self, offset: u32) -> Option<Remark> {
        self.remarks
            .get(self.next_remark)
            .copied()
            .filter(|remark| remark.start < offset)
    }

    fn remark_span(&self, remark: Remark) -> Span {
        Span {
            file: self.c.file,
            start: remark.start,
            end: remark.end,
        }
    }

    /// Takes the `//!` lines at the start of the file.
    pub(super) fn file_doc(&mut self) -> Option<String> {
        let start = self.c.peek().start;
        let mut lines = Vec::new();
        while let Some(remark) = self.remark_before(start).filter(|remark| remark.about_file) {
            self.next_remark += 1;
            let text = &self.c.slice(self.remark_span(remark))[3..];
            lines.push(text.strip_prefix(' ').unwrap_or(text));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// `#[name]`, `#[name = value, ...]`; the next token is its first mark.
    pub(super) fn metadata(&mut self) -> Vec<Attribute> {
        self.c.group += 1;
        let list = self.metadata_inside();
        self.c.group -= 1;
        list
    }

    fn metadata_inside(&mut self) -> Vec<Attribute> {
        let open = self.c.next();
        let open = self.c.span(open);
        let mut list = Vec::new();
        while !self.c.is("]") {
            let Some(name) = self.metadata_name() else {
                self.c
                    .expected("the name of metadata, as in `#[name = value]`");
                self.skip_metadata();
                return list;
            };
            let value = if self.c.eat("=") {
                Some(self.value())
            } else {
                None
            };
            let span = open.to(self.c.last_span());
            list.push(Attribute {
                role: Role::Metadata,
                name: Some(name),
                value,
                span,
            });
            if !self.c.eat(",") {
                break;
            }
        }
        if !self.c.expect("]", "to end the metadata") {
            self.skip_metadata();
        }
        list
    }

    fn metadata_name(&mut self) -> Option<Name> {
        self.c.name()
    }

    fn skip_metadata(&mut self) {
        loop {
            let next = self.c.peek();
            if next.kind == Tok::End || next.newline_before || self.c.is("{") || self.c.is("}") {
                return;
            }
            if self.c.eat("]") {
                return;
            }
            self.c.next();
        }
    }
}

fn comment(text: &str, span: Span) -> Comment {
    let text = text.strip_prefix("//").unwrap_or(text);
    let text = text.strip_prefix(' ').unwrap_or(text);
    Comment {
        text: text.to_owned(),
        blank_after: false,
        span,
    }
}
