//! JSON text with positions.
//!
//! The document needs a source span on everything and errors need line and column, which serde's
//! data model does not carry. The reader fills a flat arena without recursion, so deep input costs
//! neither stack nor time.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Deepest nesting accepted. A tree node takes two levels (its object and its list of children),
/// and trees are limited to 256 nodes in depth.
pub(crate) const MAX_DEPTH: usize = 1_000;
/// Largest input in bytes.
pub(crate) const MAX_BYTES: usize = 32 << 20;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        })
    }
}

#[derive(Debug)]
struct Data {
    kind: Kind,
    start: u32,
    end: u32,
    /// The key inside an object, between its quotes.
    key: Range<u32>,
    first: u32,
    next: u32,
}

/// What is wrong and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    pub(crate) message: String,
    pub(crate) span: Range<u32>,
}

/// A parsed JSON text; value 0 is the whole.
#[derive(Debug)]
pub(crate) struct Json<'s> {
    source: &'s str,
    values: Vec<Data>,
}

impl<'s> Json<'s> {
    pub(crate) fn parse(source: &'s str) -> Result<Self, JsonError> {
        if source.len() > MAX_BYTES {
            let message = format!("the file is larger than the limit of {MAX_BYTES} bytes");
            return Err(JsonError {
                message,
                span: 0..0,
            });
        }
        let at = if source.starts_with('\u{feff}') { 3 } else { 0 };
        let mut parser = Parser {
            source,
            bytes: source.as_bytes(),
            at,
            values: Vec::new(),
            open: Vec::new(),
            last: Vec::new(),
        };
        parser.document()?;
        Ok(Self {
            source,
            values: parser.values,
        })
    }

    pub(crate) fn root(&self) -> Value<'_, 's> {
        Value { json: self, id: 0 }
    }
}

/// One value of a [`Json`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a, 's> {
    json: &'a Json<'s>,
    id: u32,
}

impl<'a, 's> Value<'a, 's> {
    fn data(self) -> &'a Data {
        &self.json.values[self.id as usize]
    }

    pub(crate) fn kind(self) -> Kind {
        self.data().kind
    }

    pub(crate) fn span(self) -> Range<u32> {
        self.data().start..self.data().end
    }

    /// The characters of the value, as written.
    pub(crate) fn raw(self) -> &'s str {
        &self.json.source[self.data().start as usize..self.data().end as usize]
    }

    /// A string's text.
    pub(crate) fn string(self) -> Option<Cow<'s, str>> {
        (self.kind() == Kind::String).then(|| {
            let raw = self.raw();
            unescape(&raw[1..raw.len() - 1])
        })
    }

    /// Where the key stands, quotes included, if the value is a member of an object.
    pub(crate) fn key_span(self) -> Range<u32> {
        let key = &self.data().key;
        key.start.saturating_sub(1)..key.end + 1
    }

    /// The key under which the value stands in its object.
    pub(crate) fn key(self) -> Cow<'s, str> {
        let key = &self.data().key;
        unescape(&self.json.source[key.start as usize..key.end as usize])
    }

    /// Items of a list or members of an object, in order.
    pub(crate) fn items(self) -> Items<'a, 's> {
        Items {
            json: self.json,
            next: self.data().first,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Items<'a, 's> {
    json: &'a Json<'s>,
    next: u32,
}

impl<'a, 's> Iterator for Items<'a, 's> {
    type Item = Value<'a, 's>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == NONE {
            return None;
        }
        let value = Value {
            json: self.json,
            id: self.next,
        };
        self.next = value.data().next;
        Some(value)
    }
}

struct Parser<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    values: Vec<Data>,
    /// Lists and objects not closed yet, and the latest item of each.
    open: Vec<u32>,
    last: Vec<u32>,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        self.value(0..0)?;
        while let Some(&container) = self.open.last() {
            self.skip_space();
            let object = self.values[container as usize].kind == Kind::Object;
            let close = if object { b'}' } else { b']' };
            let empty = self.last.last() == Some(&NONE);
            if self.peek() == Some(close) {
                self.at += 1;
                self.values[container as usize].end = self.at as u32;
                self.open.pop();
                self.last.pop();
                continue;
            }
            if !empty {
                if self.peek() != Some(b',') {
                    return Err(self.expected(if object { "`,` or `}`" } else { "`,` or `]`" }));
                }
                self.at += 1;
                self.skip_space();
                if self.peek() == Some(close) {
                    return Err(self.expected("another item: JSON allows no comma at the end"));
                }
            }
            let key = if object { self.key()? } else { 0..0 };
            self.value(key)?;
        }
        self.skip_space();
        if self.at < self.bytes.len() {
            Err(self.expected("the end of the file"))
        } else {
            Ok(())
        }
    }

    fn key(&mut self) -> Result<Range<u32>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key in double quotes"));
        }
        let span = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        self.skip_space();
        Ok(span.start + 1..span.end - 1)
    }

    fn value(&mut self, key: Range<u32>) -> Result<(), JsonError> {
        let start = self.at as u32;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => {
                self.string()?;
                Kind::String
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Kind::Number
            }
            Some(b't') => self.word("true", Kind::Bool)?,
            Some(b'f') => self.word("false", Kind::Bool)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.expected("a value")),
        };
        let container = matches!(kind, Kind::Object | Kind::Array);
        if container {
            if self.open.len() >= MAX_DEPTH {
                return Err(self.error(
                    format!("nested deeper than the limit of {MAX_DEPTH} levels"),
                    self.at + 1,
                ));
            }
            self.at += 1;
        }
        let id = self.values.len() as u32;
        self.values.push(Data {
            kind,
            start,
            end: self.at as u32,
            key,
            first: NONE,
            next: NONE,
        });
        if let (Some(last), Some(&parent)) = (self.last.last_mut(), self.open.last()) {
            match *last {
                NONE => self.values[parent as usize].first = id,
                previous => self.values[previous as usize].next = id,
            }
            *last = id;
        }
        if container {
            self.open.push(id);
            self.last.push(NONE);
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, JsonError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(kind)
        } else {
            Err(self.expected("a value"))
        }
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let integer = self.digits()?;
        if integer > 1 && self.bytes[self.at - integer] == b'0' {
            return Err(JsonError {
                message: "a number may not start with 0".into(),
                span: span(start, self.at),
            });
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.expected("a digit"))
        } else {
            Ok(self.at - start)
        }
    }

    /// Checks a string and returns where it stands, quotes included.
    fn string(&mut self) -> Result<Range<u32>, JsonError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(span(start, self.at));
                }
                Some(b'\\') => {
                    let length = match self.bytes.get(self.at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        Some(b'u') => self.unicode_escape()?,
                        _ => {
                            return Err(
                                self.error("unknown escape in a string".into(), self.at + 1)
                            );
                        }
                    };
                    self.at += length;
                }
                Some(0..=0x1f) => {
                    return Err(self.error(
                        "a control character in a string: write it as an escape such as \\n".into(),
                        self.at + 1,
                    ));
                }
                Some(_) => self.at += 1,
                None => {
                    return Err(JsonError {
                        message: "a string is never closed".into(),
                        span: span(start, start + 1),
                    });
                }
            }
        }
    }

    /// The length of the `\uXXXX` here, both halves of a surrogate pair taken together.
    fn unicode_escape(&self) -> Result<usize, JsonError> {
        let text = &self.bytes[self.at..];
        let lone = || {
            self.error(
                "half of a surrogate pair, or not four hexadecimal digits".into(),
                self.at + 2,
            )
        };
        let first = code_unit(text).ok_or_else(lone)?;
        match first {
            0xD800..=0xDBFF => match code_unit(&text[6..]) {
                Some(0xDC00..=0xDFFF) => Ok(12),
                _ => Err(lone()),
            },
            0xDC00..=0xDFFF => Err(lone()),
            _ => Ok(6),
        }
    }

    fn expected(&self, what: &str) -> JsonError {
        match self.source[self.at..].chars().next() {
            Some(c @ ('"' | '\'')) => {
                self.error(format!("expected {what}, found `{c}`"), self.at + 1)
            }
            Some('/') => self.error(
                format!("expected {what}, found `/`: JSON has no comments"),
                self.at + 1,
            ),
            Some(c) => self.error(
                format!("expected {what}, found `{}`", c.escape_debug()),
                self.at + c.len_utf8(),
            ),
            None => self.error(
                format!("expected {what}, found the end of the file"),
                self.at,
            ),
        }
    }

    fn error(&self, message: String, end: usize) -> JsonError {
        JsonError {
            message,
            span: span(self.at, end.min(self.bytes.len())),
        }
    }
}

fn span(start: usize, end: usize) -> Range<u32> {
    start as u32..end as u32
}

fn code_unit(text: &[u8]) -> Option<u32> {
    let digits = text.get(2..6)?;
    if !text.starts_with(b"\\u") || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The text behind a string that [`Parser::string`] accepted.
fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = match rest.as_bytes()[1] {
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => {
                let first = code_unit(rest.as_bytes()).unwrap_or(0xFFFD);
                match code_unit(&rest.as_bytes()[6..]) {
                    Some(second @ 0xDC00..=0xDFFF) if (0xD800..0xDC00).contains(&first) => {
                        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                        (char::from_u32(code).unwrap_or('\u{FFFD}'), 12)
                    }
                    _ => (char::from_u32(first).unwrap_or('\u{FFFD}'), 6),
                }
            }
            other => (char::from(other), 2),
        };
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Appends `text` as a JSON string.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{0}'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        let e = Json::parse(source).expect_err(source);
        format!("{}..{} {}", e.span.start, e.span.end, e.message)
    }

    #[test]
    fn reads_values_with_places() {
        let json = Json::parse(
            " {\"a\\n\": [1, -2.5e+3, true, null], \"b\": {\"c\": \"x\\u00e9\\ud83d\\ude00\\/\"}} ",
        )
        .unwrap();
        let members: Vec<_> = json.root().items().collect();
        assert_eq!(
            (members[0].key().as_ref(), members[0].key_span()),
            ("a\n", 2..7)
        );
        let items: Vec<_> = members[0].items().map(|v| (v.kind(), v.raw())).collect();
        assert_eq!(
            items,
            [
                (Kind::Number, "1"),
                (Kind::Number, "-2.5e+3"),
                (Kind::Bool, "true"),
                (Kind::Null, "null")
            ]
        );
        let c = members[1].items().next().unwrap();
        assert_eq!(c.string().unwrap(), "xé😀/");
        assert_eq!(Json::parse("[]").unwrap().root().items().count(), 0);
        assert_eq!(Json::parse("3").unwrap().root().kind(), Kind::Number);
    }

    #[test]
    fn mistakes_have_places_and_expectations() {
        let check = |source: &str, expected: &str| assert_eq!(error(source), expected);
        check("", "0..0 expected a value, found the end of the file");
        check("[1 2]", "3..4 expected `,` or `]`, found `2`");
        check(
            "[1,]",
            "3..4 expected another item: JSON allows no comma at the end, found `]`",
        );
        check("{a: 1}", "1..2 expected a key in double quotes, found `a`");
        check("{\"a\" 1}", "5..6 expected `:`, found `1`");
        check(
            "{\"a\": 1",
            "7..7 expected `,` or `}`, found the end of the file",
        );
        check("\"abc", "0..1 a string is never closed");
        check("\"\\x\"", "1..2 unknown escape in a string");
        check(
            "\"\\ud800x\"",
            "1..3 half of a surrogate pair, or not four hexadecimal digits",
        );
        check(
            "\"\\u+123\"",
            "1..3 half of a surrogate pair, or not four hexadecimal digits",
        );
        check(
            "\"\n\"",
            "1..2 a control character in a string: write it as an escape such as \\n",
        );
        check("01", "0..2 a number may not start with 0");
        check("-", "1..1 expected a digit, found the end of the file");
        check("[] []", "3..4 expected the end of the file, found `[`");
        check("tru", "0..1 expected a value, found `t`");
        check(
            &"[".repeat(100_000),
            "1000..1001 nested deeper than the limit of 1000 levels",
        );
    }

    #[test]
    fn written_strings_are_read_back() {
        for text in ["", "a\"b\\c\n\r\t\u{1}/é😀", "\u{7f}\u{2028}"] {
            let mut out = String::new();
            write_string(&mut out, text);
            assert_eq!(Json::parse(&out).unwrap().root().string().unwrap(), text);
        }
    }
}
