//! Bytes to text.

use crate::diagnostics::Diagnostic;
use crate::model::{FileId, Span};
use std::borrow::Cow;

/// What was wrong with a file's bytes; its place is in the text that came with it.
#[derive(Debug)]
pub struct BadText {
    message: String,
    help: &'static str,
    at: usize,
}

impl BadText {
    /// The message, about the file with this number.
    pub fn in_file(&self, file: FileId) -> Diagnostic {
        Diagnostic::error("load::not-utf8", self.message.clone())
            .at(Span::new(file, self.at, self.at), "")
            .help(self.help)
    }
}

/// The text of a file's bytes. If they are not UTF-8, what could be read, up to and with the bad
/// place, and what is wrong.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<BadText>) {
    let error = match std::str::from_utf8(bytes) {
        // UTF-16 without its mark: every second byte of Latin letters is zero.
        Ok(text) if bytes.len() > 3 && is_wide(bytes) => {
            let bad = BadText {
                message: "the file is UTF-16; expected UTF-8".to_owned(),
                help: "save it as UTF-8",
                at: usize::from(bytes[0] != 0),
            };
            return (Cow::Borrowed(text), Some(bad));
        }
        Ok(text) => return (Cow::Borrowed(text), None),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let byte = bytes.get(at).copied().unwrap_or_default();
    let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    let (message, help) = if utf16 {
        (
            "the file is UTF-16; expected UTF-8".to_owned(),
            "save it as UTF-8",
        )
    } else if let Some((_, what)) = PACKED.iter().find(|(start, _)| bytes.starts_with(start)) {
        (
            format!("the file is {what}; expected text"),
            "unpack it first",
        )
    } else {
        let message = format!("the byte 0x{byte:02X} is no UTF-8 text here");
        (
            message,
            "save the file as UTF-8; it may be in an older encoding such as Latin-1, or no text at all",
        )
    };
    // Enough of what follows to show the line.
    let end = bytes.len().min(at + 200);
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    (Cow::Owned(text), Some(BadText { message, help, at }))
}

/// How files begin that are no text but often have one in them.
const PACKED: [(&[u8], &str); 5] = [
    (&[0x1F, 0x8B], "packed by gzip"),
    (b"PK\x03\x04", "a zip archive"),
    (&[0x28, 0xB5, 0x2F, 0xFD], "packed by zstd"),
    (b"BZh", "packed by bzip2"),
    (&[0xFD, b'7', b'z', b'X', b'Z'], "packed by xz"),
];

/// Whether the first letters have a zero byte each, all on the same side.
fn is_wide(bytes: &[u8]) -> bool {
    let zeros = |side: usize| {
        let mut pairs = bytes.chunks_exact(2).take(8);
        pairs.all(|pair| pair[side] == 0 && pair[1 - side] != 0)
    };
    zeros(0) || zeros(1)
}
