//! A position in a sequence of tokens, with the messages collected on the way.

use super::{Lexed, Tok, Token, unquote, unquote_name};
use crate::diagnostics::Diagnostic;
use crate::model::{FileId, Name, Span, Str};

/// Errors after which the rest of a file is not worth reporting.
const MAX_ERRORS: usize = 100;

/// A parser's place in a text.
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: FileId,
    base: usize,
    tokens: &'a [Token],
    at: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many parentheses and brackets are open: inside them, line breaks mean nothing.
    pub(crate) group: usize,
    /// Where the last syntax error was reported: one message a place is enough.
    last_error: Option<u32>,
}

impl<'a> Cursor<'a> {
    /// `base` is the offset of `text` in its file.
    pub(crate) fn new(text: &'a str, file: FileId, base: usize, lexed: &'a Lexed) -> Self {
        let diagnostics = lexed.diagnostics.clone();
        Self {
            text,
            file,
            base,
            tokens: &lexed.tokens,
            at: 0,
            diagnostics,
            group: 0,
            last_error: None,
        }
    }

    pub(crate) fn peek(&self) -> Token {
        self.peek_at(0)
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    pub(crate) fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// A number that grows with progress.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The span of the token that was taken last.
    pub(crate) fn last_span(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(before) => self.span(self.tokens[before]),
            None => Span::new(self.file, self.base, self.base),
        }
    }

    pub(crate) fn span(&self, token: Token) -> Span {
        Span {
            file: self.file,
            start: token.start,
            end: token.end,
        }
    }

    pub(crate) fn str(&self, token: Token) -> &'a str {
        self.text
            .get(token.start as usize - self.base..token.end as usize - self.base)
            .unwrap_or("")
    }

    /// The text under a span of this file.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text
            .get(span.start as usize - self.base..span.end as usize - self.base)
            .unwrap_or("")
    }

    #[inline]
    pub(crate) fn is(&self, mark: &str) -> bool {
        self.is_at(0, mark)
    }

    pub(crate) fn is_at(&self, ahead: usize, mark: &str) -> bool {
        // Marks are told apart by length, first and last byte; this is asked several times a token.
        let mark = mark.as_bytes();
        let same = |found: &[u8]| {
            found.len() == mark.len() && found[0] == mark[0] && found.last() == mark.last()
        };
        matches!(self.peek_at(ahead).kind, Tok::Mark(found) if same(found.as_bytes()))
    }

    /// Whether the next token is the plain name `word`.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    pub(crate) fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        let token = self.peek_at(ahead);
        // The lengths first: this is asked often, mostly in vain.
        token.kind == Tok::Name
            && (token.end - token.start) as usize == word.len()
            && self.str(token) == word
    }

    pub(crate) fn at_end(&self) -> bool {
        self.peek().kind == Tok::End
    }

    pub(crate) fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.next();
        }
        found
    }

    /// Takes `mark` or says that it is missing; `why` ends the sentence.
    pub(crate) fn expect(&mut self, mark: &'static str, why: &str) -> bool {
        let found = self.eat(mark);
        if !found {
            self.expected(&format!("`{mark}` {why}"));
        }
        found
    }

    /// A name in either spelling.
    pub(crate) fn name(&mut self) -> Option<Name> {
        let token = self.peek();
        let text = self.name_text(token)?;
        self.next();
        Some(Name::new(text, self.span(token)))
    }

    /// The name a token stands for.
    pub(crate) fn name_text(&self, token: Token) -> Option<Str> {
        match token.kind {
            Tok::Name => Some(self.str(token).into()),
            Tok::QuotedName => unquote_name(self.str(token)),
            _ => None,
        }
    }

    pub(crate) fn quoted_text(&mut self) -> Option<Name> {
        let token = self.peek();
        if token.kind != Tok::Text {
            return None;
        }
        self.next();
        Some(Name::new(
            unquote(self.str(token)).unwrap_or_default(),
            self.span(token),
        ))
    }

    /// The next token as messages show it.
    pub(crate) fn found(&self) -> String {
        let token = self.peek();
        match token.kind {
            Tok::End => "the end of the file".to_owned(),
            Tok::Text => format!("the text {}", self.str(token)),
            Tok::Int | Tok::Float => format!("the number {}", self.str(token)),
            Tok::Duration => format!("the duration {}", self.str(token)),
            _ => format!("`{}`", self.str(token).escape_debug()),
        }
    }

    /// Reports that `what` was expected where the next token stands.
    pub(crate) fn expected(&mut self, what: &str) {
        self.expected_with(what, self.likely());
    }

    /// What was probably meant, as the words of other languages go, by the next token and those
    /// before it.
    fn likely(&self) -> Option<&'static str> {
        let before = |n: usize| match self.at.checked_sub(n) {
            Some(at) => self.str(self.tokens[at]),
            None => "",
        };
        let found = self.peek();
        Some(match (before(1), self.str(found)) {
            ("+", "+") => "write `x += 1`",
            ("-", "-") => "write `x -= 1`",
            ("==", "=") => "equality is written `==`",
            ("!=", "=") => "inequality is written `!=`",
            ("<", ">") => "inequality is written `!=`",
            (_, "/") if self.is_at(1, "*") => "comments are written `// text`",
            (":" | "(" | ",", "{") => "a key is written by its name alone, without braces",
            (".", _) if found.kind == Tok::Int => "a fraction begins with a digit: `0.5`",
            (".", _) if before(2).bytes().all(|b| b.is_ascii_digit()) && !before(2).is_empty() => {
                "a fraction ends with a digit: `5.0`"
            }
            _ => return None,
        })
    }

    /// Reports that `what` was expected where the next token stands, and what to do.
    pub(crate) fn expected_with(&mut self, what: &str, help: Option<&str>) {
        let token = self.peek();
        let message = format!("expected {what}, found {}", self.found());
        let mut span = self.span(token);
        // What is missing at the end of a line is best shown there, not where the next line starts.
        if token.newline_before && self.at > 0 {
            span = self.last_span().after();
        }
        self.syntax_error(
            Diagnostic::error("tick::expected", message)
                .at(span, "expected here")
                .maybe_help(help.map(str::to_owned)),
        );
    }

    /// Reports that `what` was expected instead of the next token.
    pub(crate) fn unexpected(&mut self, what: &str) {
        let message = format!("expected {what}, found {}", self.found());
        let span = self.span(self.peek());
        self.syntax_error(
            Diagnostic::error("tick::expected", message)
                .at(span, "not expected")
                .maybe_help(self.likely().map(str::to_owned)),
        );
    }

    /// Whether a line break ends what is being read.
    pub(crate) fn line_ended(&self) -> bool {
        self.group == 0 && self.peek().newline_before
    }

    /// Reads inside parentheses or brackets.
    pub(crate) fn grouped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.group += 1;
        let result = read(self);
        self.group -= 1;
        result
    }

    /// Reports an error unless the parser already stumbled over the same token.
    pub(crate) fn syntax_error(&mut self, diagnostic: Diagnostic) {
        let token = self.peek();
        // The lexer has reported what is wrong with a bad token.
        if self.last_error == Some(token.start) || token.kind == Tok::Bad {
            return;
        }
        self.last_error = Some(token.start);
        self.report(diagnostic);
    }

    /// Reports something that is no stumble.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }
}
