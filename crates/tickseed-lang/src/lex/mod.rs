//! Tokens of `.tick` text and of expressions, which share one lexer.
//!
//! Newlines are not tokens: each token knows whether a line break or a blank line precedes it.
//! Comments are kept separately, in order, for the parser to attach to what they belong to.

mod cursor;
mod text;

use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{FileId, Span, Unit};

pub(crate) use cursor::Cursor;
pub(crate) use text::{is_plain_name, quote, quote_name, unquote, unquote_name};

/// The kinds of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    /// A name, or a keyword: the parsers tell them apart by context.
    Name,
    /// A name in backticks, never a keyword.
    QuotedName,
    Int,
    Float,
    Duration,
    Text,
    /// A mark such as `{` or `&&`.
    Mark(&'static str),
    /// Something that was reported already; it fits nowhere.
    Bad,
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Tok,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// First on its line.
    pub(crate) newline_before: bool,
    /// An empty line stands somewhere between it and the token or comment before.
    pub(crate) blank_before: bool,
}

/// A comment or a line of documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) doc: bool,
    /// A `//!` line, about the file.
    pub(crate) about_file: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Nothing stands before it on its line.
    pub(crate) own_line: bool,
    pub(crate) blank_before: bool,
}

/// A text cut into tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexed {
    /// Never empty: the last one is [`Tok::End`].
    pub(crate) tokens: Vec<Token>,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The mark that a text begins with; a longer one wins over its beginning. By bytes: comparing such
/// short strings took a quarter of all parsing.
fn mark(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        [b'#', b'!', b'[', ..] => "#![",
        [b'#', b'[', ..] => "#[",
        [b'.', b'.', ..] => "..",
        [b'&', b'&', ..] => "&&",
        [b'|', b'|', ..] => "||",
        [b'-', b'>', ..] => "->",
        [b'=', b'=', ..] => "==",
        [b'!', b'=', ..] => "!=",
        [b'<', b'=', ..] => "<=",
        [b'>', b'=', ..] => ">=",
        [b'+', b'=', ..] => "+=",
        [b'-', b'=', ..] => "-=",
        [b'*', b'=', ..] => "*=",
        [b'/', b'=', ..] => "/=",
        [b'{', ..] => "{",
        [b'}', ..] => "}",
        [b'(', ..] => "(",
        [b')', ..] => ")",
        [b'[', ..] => "[",
        [b']', ..] => "]",
        [b',', ..] => ",",
        [b':', ..] => ":",
        [b';', ..] => ";",
        [b'=', ..] => "=",
        [b'<', ..] => "<",
        [b'>', ..] => ">",
        [b'+', ..] => "+",
        [b'-', ..] => "-",
        [b'*', ..] => "*",
        [b'/', ..] => "/",
        [b'%', ..] => "%",
        [b'!', ..] => "!",
        [b'?', ..] => "?",
        [b'.', ..] => ".",
        [b'@', ..] => "@",
        _ => return None,
    })
}

/// The digits of the smallest whole number.
pub(crate) const SMALLEST: &str = "9223372036854775808";

/// Errors after which the rest of a file is not worth reporting.
const MAX_ERRORS: usize = 100;

/// Cuts `text` into tokens; `base` is the offset of `text` in its file.
pub(crate) fn lex(text: &str, file: FileId, base: usize) -> Lexed {
    let mut lexer = Lexer {
        text,
        file,
        base,
        at: 0,
        out: Lexed {
            // Most tokens have a space or more beside them.
            tokens: Vec::with_capacity(text.len() / 6 + 1),
            ..Lexed::default()
        },
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    base: usize,
    at: usize,
    out: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        let mut newline = true;
        let mut lines = 0;
        while let Some(c) = self.peek() {
            if c == ' ' {
                self.at += 1;
                continue;
            }
            if c == '\n' {
                lines += 1;
                newline = true;
                self.at += 1;
                continue;
            }
            if c.is_whitespace() {
                let start = self.at;
                self.at += c.len_utf8();
                // Twice converted files have `\r\r\n`; a lone `\r` would hide a whole file in a comment.
                if c == '\r' && !self.rest().starts_with(['\r', '\n']) && !self.rest().is_empty() {
                    self.lone_return(start);
                }
                continue;
            }
            let start = self.at;
            let blank_before = lines > 1;
            if self.rest().starts_with("//") {
                self.remark(newline, blank_before);
                // The line break that ends a comment is counted when it is met.
                lines = 0;
                continue;
            }
            let kind = self.token(c);
            self.push(kind, start, newline, blank_before);
            newline = false;
            lines = 0;
        }
        let end = self.text.len();
        self.push(Tok::End, end, true, lines > 1);
    }

    fn push(&mut self, kind: Tok, start: usize, newline_before: bool, blank_before: bool) {
        let offset = |at: usize| u32::try_from(self.base + at).unwrap_or(u32::MAX);
        let token = Token {
            kind,
            start: offset(start),
            end: offset(self.at),
            newline_before,
            blank_before,
        };
        self.out.tokens.push(token);
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.rest().chars().next(),
            None => None,
        }
    }

    /// Skips what a name consists of after its first letter.
    fn skip_word(&mut self) {
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let bytes = self.rest().as_bytes();
        let end = bytes.iter().position(|b| !word(b)).unwrap_or(bytes.len());
        let ascii = bytes.get(end).is_none_or(u8::is_ascii);
        self.at += end;
        if !ascii {
            self.skip_while(|c| c.is_alphanumeric() || c == '_');
        }
    }

    fn skip_while(&mut self, mut keep: impl FnMut(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !keep(c)).unwrap_or(rest.len());
    }

    fn remark(&mut self, own_line: bool, blank_before: bool) {
        let start = self.at;
        let rest = self.rest();
        let doc = rest.starts_with("///") && !rest.starts_with("////");
        let about_file = rest.starts_with("//!");
        self.skip_while(|c| c != '\n');
        let end = start + self.text[start..self.at].trim_end().len();
        if let Some(at) = self.text[start..end].find('\r') {
            let after = self.at;
            self.at = start + at + 1;
            self.lone_return(start + at);
            self.at = after;
        }
        let offset = |at: usize| u32::try_from(self.base + at).unwrap_or(u32::MAX);
        self.out.remarks.push(Remark {
            doc,
            about_file,
            start: offset(start),
            end: offset(end),
            own_line,
            blank_before,
        });
    }

    /// Reports a line that ends as those of old Macintoshes do; once is enough.
    fn lone_return(&mut self, start: usize) {
        let code = "tick::carriage-return";
        if self.out.diagnostics.iter().any(|known| known.code == code) {
            return;
        }
        let message = "a carriage return alone does not end a line";
        self.error(
            Diagnostic::error(code, message)
                .at(self.span(start), "")
                .help("save the file with line feeds (`\\n`) or both (`\\r\\n`)"),
        );
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        if self.out.diagnostics.len() < MAX_ERRORS {
            self.out.diagnostics.push(diagnostic);
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + self.at)
    }

    fn token(&mut self, c: char) -> Tok {
        if c.is_alphabetic() || c == '_' {
            self.skip_word();
            return Tok::Name;
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        match c {
            '"' | '\'' => return self.quoted(c),
            '`' => return self.quoted_name(),
            _ => {}
        }
        if let Some(mark) = mark(self.rest().as_bytes()) {
            self.at += mark.len();
            return Tok::Mark(mark);
        }
        let start = self.at;
        if c == '/' || !c.is_control() {
            self.at += c.len_utf8();
        } else {
            self.skip_while(|c| c.is_control() && c != '\n');
        }
        let help = match c {
            '&' => Some("write `&&` for and"),
            '|' => Some("write `||` for or"),
            '$' => Some("a key is written by its name alone, a root key as `@name`"),
            '#' => Some("metadata is written `#[name = value]`, a comment `// text`"),
            '“' | '”' => Some("text is written between straight quotes: \"text\""),
            _ => None,
        };
        let shown = c.escape_debug();
        self.error(
            Diagnostic::error(
                "tick::unexpected-character",
                format!("`{shown}` fits nowhere here"),
            )
            .at(self.span(start), "unexpected character")
            .maybe_help(help.map(str::to_owned)),
        );
        Tok::Bad
    }

    fn number(&mut self) -> Tok {
        let start = self.at;
        for (prefix, radix) in [("0x", 16), ("0b", 2)] {
            if self.rest().starts_with(prefix) {
                self.at += 2;
                self.skip_word();
                let digits = self.text[start + 2..self.at].replace('_', "");
                if i64::from_str_radix(&digits, radix).is_ok() {
                    return Tok::Int;
                }
                return self.bad_number(start, "is no whole number that fits 64 bits", None);
            }
        }
        let digits = |c: char| c.is_ascii_digit() || c == '_';
        self.skip_while(digits);
        let mut kind = Tok::Int;
        let mut after = self.rest().chars();
        if after.next() == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit()) {
            kind = Tok::Float;
            self.at += 1;
            self.skip_while(digits);
        }
        let bytes = self.rest().as_bytes();
        if let [b'e' | b'E', rest @ ..] = bytes {
            let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
            if rest.get(sign).is_some_and(u8::is_ascii_digit) {
                kind = Tok::Float;
                self.at += 1 + sign;
                self.skip_while(digits);
            }
        }
        let unit_start = self.at;
        self.skip_word();
        let unit = &self.text[unit_start..self.at];
        if !unit.is_empty() {
            if Unit::from_word(unit).is_none() {
                let meant = match unit.to_ascii_lowercase().as_str() {
                    "sec" | "secs" | "second" | "seconds" => Some("s"),
                    "msec" | "msecs" | "millis" | "milliseconds" => Some("ms"),
                    "minute" | "minutes" | "mins" => Some("min"),
                    "hr" | "hrs" | "hour" | "hours" => Some("h"),
                    _ => nearest(unit, Unit::ALL.map(|(word, _)| word)),
                };
                let known = meant.unwrap_or("ms");
                let number = &self.text[start..unit_start];
                let help = format!("units are ns, us, ms, s, min, h: `{number}{known}`?");
                let message = format!("has the unknown unit `{unit}`");
                return self.bad_number(start, &message, Some(help));
            }
            if crate::model::parse_duration(&self.text[start..self.at]).is_none() {
                return self.bad_number(start, "is no duration below 292 years", None);
            }
            return Tok::Duration;
        }
        let plain = &self.text[start..self.at];
        // Short whole numbers always fit.
        if kind == Tok::Int && plain.len() <= 18 {
            return kind;
        }
        let plain = plain.replace('_', "");
        match kind {
            // The smallest number has no positive counterpart.
            Tok::Int if plain == SMALLEST && self.touches_minus(start) => kind,
            Tok::Int if plain.parse::<i64>().is_err() => {
                self.bad_number(start, "does not fit 64 bits", None)
            }
            Tok::Float if !plain.parse::<f64>().is_ok_and(f64::is_finite) => {
                self.bad_number(start, "is too large", None)
            }
            _ => kind,
        }
    }

    fn touches_minus(&self, start: usize) -> bool {
        let minus =
            |token: &Token| token.kind == Tok::Mark("-") && token.end as usize == self.base + start;
        self.out.tokens.last().is_some_and(minus)
    }

    fn bad_number(&mut self, start: usize, what: &str, help: Option<String>) -> Tok {
        let raw = &self.text[start..self.at];
        let message = format!("`{raw}` {what}");
        self.error(
            Diagnostic::error("tick::number", message)
                .at(self.span(start), "not a number")
                .maybe_help(help),
        );
        Tok::Bad
    }

    fn quoted(&mut self, quote: char) -> Tok {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None | Some('\n') => {
                    self.error(
                        Diagnostic::error("tick::unterminated-text", "this text has no end")
                            .at(self.span(start), format!("expected `{quote}` on this line"))
                            .help("a line break in a text is written `\\n`"),
                    );
                    return Tok::Bad;
                }
                Some('\\') => {
                    self.at += 1;
                    if let Some(c) = self.peek().filter(|&c| c != '\n') {
                        self.at += c.len_utf8();
                    }
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    if c == quote {
                        break;
                    }
                }
            }
        }
        let raw = &self.text[start..self.at];
        if quote == '\'' {
            let double = text::quote(&raw[1..raw.len() - 1]);
            self.error(
                Diagnostic::error("tick::single-quotes", "text is written in double quotes")
                    .at(self.span(start), "single quotes")
                    .help(format!("write {double}")),
            );
            return Tok::Bad;
        }
        if let Err((at, length)) = unquote(raw) {
            let bad = Span::new(
                self.file,
                self.base + start + at,
                self.base + start + at + length,
            );
            self.error(
                Diagnostic::error("tick::escape", "unknown escape in text")
                    .at(bad, "not an escape")
                    .help("known are \\n \\r \\t \\0 \\\\ \\\" \\u{1F600}"),
            );
            return Tok::Bad;
        }
        Tok::Text
    }

    fn quoted_name(&mut self) -> Tok {
        let start = self.at;
        self.at += 1;
        self.skip_while(|c| c != '`' && c != '\n');
        if self.peek() != Some('`') {
            self.error(
                Diagnostic::error("tick::unterminated-name", "this quoted name has no end")
                    .at(self.span(start), "expected a second backtick on this line"),
            );
            return Tok::Bad;
        }
        self.at += 1;
        if self.at - start == 2 {
            self.error(
                Diagnostic::error("tick::empty-name", "a name cannot be empty")
                    .at(self.span(start), "empty name"),
            );
            // What follows is right all the same.
            return Tok::QuotedName;
        }
        if unquote_name(&self.text[start..self.at]).is_none() {
            self.error(
                Diagnostic::error("tick::escape", "unknown escape in quoted name")
                    .at(self.span(start), "`%` is written `%25`, a backtick `%60`"),
            );
            return Tok::Bad;
        }
        Tok::QuotedName
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Tok> {
        let lexed = lex(text, FileId(0), 0);
        assert!(lexed.diagnostics.is_empty(), "{:?}", lexed.diagnostics);
        lexed.tokens.iter().map(|t| t.kind).collect()
    }

    #[test]
    fn numbers_ranges_and_members() {
        use Tok::*;
        assert_eq!(kinds("1..2"), [Int, Mark(".."), Int, End]);
        assert_eq!(kinds("1s..2.5s"), [Duration, Mark(".."), Duration, End]);
        assert_eq!(
            kinds("a.x 1.5e-3 0xFF 1_000"),
            [Name, Mark("."), Name, Float, Int, Int, End]
        );
        assert_eq!(kinds("- 3 -3"), [Mark("-"), Int, Mark("-"), Int, End]);
    }

    const MARKS: &[&str] = &[
        "#![", "..", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "->", "#[", "{",
        "}", "(", ")", "[", "]", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "!", "?",
        ".", "@",
    ];

    #[test]
    fn marks_are_found_whole() {
        for text in MARKS {
            assert_eq!(mark(text.as_bytes()), Some(*text));
            let longer = format!("{text}x");
            assert_eq!(mark(longer.as_bytes()), Some(*text));
        }
        for text in ["", "x", "&", "|", "#", "#!", "$", "ä"] {
            assert_eq!(mark(text.as_bytes()), None, "{text}");
        }
    }

    /// [`Cursor::is`] relies on it.
    #[test]
    fn marks_differ_in_length_first_or_last_byte() {
        let mut seen = Vec::new();
        for mark in MARKS {
            let key = (
                mark.len(),
                mark.as_bytes()[0],
                mark.as_bytes()[mark.len() - 1],
            );
            assert!(!seen.contains(&key), "{mark}");
            seen.push(key);
        }
    }

    #[test]
    fn lines_and_comments() {
        let lexed = lex("// one\n\na // two\n\n\nb\n/// doc\nc", FileId(0), 0);
        let flags: Vec<_> = lexed
            .tokens
            .iter()
            .map(|t| (t.newline_before, t.blank_before))
            .collect();
        assert_eq!(
            flags,
            [(true, true), (true, true), (true, false), (true, false)]
        );
        let remarks: Vec<_> = lexed
            .remarks
            .iter()
            .map(|r| (r.doc, r.own_line, r.blank_before))
            .collect();
        assert_eq!(
            remarks,
            [
                (false, true, false),
                (false, false, false),
                (true, true, false)
            ]
        );
    }

    #[test]
    fn mistakes_are_reported_once_each() {
        for (text, code) in [
            ("\"abc", "tick::unterminated-text"),
            ("'abc'", "tick::single-quotes"),
            ("`abc", "tick::unterminated-name"),
            ("``", "tick::empty-name"),
            ("5m", "tick::number"),
            ("99999999999999999999", "tick::number"),
            ("1e999", "tick::number"),
            ("0x", "tick::number"),
            ("a & b", "tick::unexpected-character"),
            ("\"\\q\"", "tick::escape"),
            ("\"\\u{110000}\"", "tick::escape"),
            ("\u{1}\u{2}", "tick::unexpected-character"),
        ] {
            let lexed = lex(text, FileId(0), 0);
            let codes: Vec<_> = lexed.diagnostics.iter().map(|d| d.code).collect();
            assert_eq!(codes, [code], "{text}");
        }
    }
}
