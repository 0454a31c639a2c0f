//! How the protocol names places and files.

use serde_json::{Value, json};

/// A text and where its lines start.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// Whether columns count bytes; else they count UTF-16 units.
    utf8: bool,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str, utf8: bool) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect();
        Lines { text, starts, utf8 }
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize) -> Value {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        let column = if self.utf8 {
            before.len()
        } else {
            before.chars().map(char::len_utf16).sum()
        };
        json!({"line": line, "character": column})
    }

    pub(crate) fn range(&self, range: std::ops::Range<usize>) -> Value {
        let end = range.end.max(range.start);
        json!({"start": self.position(range.start), "end": self.position(end)})
    }

    /// The byte of a position; places behind a line's end mean its end, as the protocol says.
    pub(crate) fn offset(&self, position: &Value) -> Option<usize> {
        let line = position["line"].as_u64()? as usize;
        let column = position["character"].as_u64()? as usize;
        let Some(&start) = self.starts.get(line) else {
            return Some(self.text.len());
        };
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        let text = self.text[start..end].trim_end_matches('\r');
        let mut units = 0;
        for (at, c) in text.char_indices() {
            if units >= column {
                return Some(start + at);
            }
            units += if self.utf8 {
                c.len_utf8()
            } else {
                c.len_utf16()
            };
        }
        Some(start + text.len())
    }
}

/// The path of a `file:` URI; other URIs stand for themselves.
pub(crate) fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = rest.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/c:/trees` on Windows.
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

/// The URI of a path.
pub(crate) fn uri_of(path: &str) -> String {
    if path.contains("://") || path.starts_with("untitled:") {
        return path.to_owned();
    }
    let mut uri = String::from("file://");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units_and_come_back() {
        let text = "aé😀x\r\nb\n";
        for utf8 in [false, true] {
            let lines = Lines::new(text, utf8);
            for (offset, _) in text.char_indices().filter(|&(_, c)| c != '\r' && c != '\n') {
                assert_eq!(lines.offset(&lines.position(offset)), Some(offset));
            }
        }
        let lines = Lines::new(text, false);
        assert_eq!(lines.position(7), json!({"line": 0, "character": 4}));
        assert_eq!(lines.offset(&json!({"line": 0, "character": 99})), Some(8));
        assert_eq!(
            lines.offset(&json!({"line": 99, "character": 0})),
            Some(text.len())
        );
    }

    #[test]
    fn uris_and_paths() {
        assert_eq!(path_of("file:///a%20b/c.tick"), "/a b/c.tick");
        assert_eq!(uri_of("/a b/é.tick"), "file:///a%20b/%C3%A9.tick");
        assert_eq!(path_of(&uri_of("/a b/é%.tick")), "/a b/é%.tick");
        assert_eq!(path_of("file:///c%3A/x.tick"), "c:/x.tick");
        assert_eq!(path_of("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(path_of("file:///%"), "/%");
    }
}
