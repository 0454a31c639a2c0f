//! The binary form of a document: for shipping trees with a game or robot.
//!
//! It is small, loads fast and refuses damaged data. It holds everything that a [`Document`] holds
//! except source positions; to leave out comments as well, write [`Document::meaning`].
//!
//! # Layout
//! A header of 20 bytes, then the payload; all numbers are little endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `89 'T' 'K' 'S' 0D 0A 1A 0A`: reveals damage by text-mode transfers, as PNG's does |
//! | 4 | version |
//! | 4 | length of the payload |
//! | 4 | CRC-32 of version, length and payload |
//!
//! The payload is a table of short strings, then the document; numbers in it are LEB128.
//!
//! # Versions
//! A reader reads its own version and all earlier ones, and refuses newer ones, naming the version.
//! Every change of the payload raises the version; the tests keep a file of each old version.
//!
//! # Hostile input
//! Apart from the checksum, everything is bounds-checked, and allocations stay a small multiple of
//! the input: counts are trusted only as far as there are bytes, and shared strings are short.
//!
//! ```
//! use tickseed_lang::{binary, model::{Document, Item, Node, Tree}};
//! let tree = Tree { name: "Guard".into(), body: vec![Node::new("Patrol")], ..Tree::default() };
//! let document = Document { items: vec![Item::Tree(tree)], ..Document::default() };
//! let bytes = binary::write(&document);
//! assert!(binary::read(&bytes).unwrap().same_meaning(&document));
//! assert!(binary::read(&bytes[..bytes.len() - 1]).is_err());
//! ```

mod checksum;
mod read;
#[cfg(test)]
mod tests;
mod wire;
mod write;

use crate::model::Document;
use std::fmt;

/// The version that is written.
pub const VERSION: u32 = 1;

/// What every file starts with.
const MAGIC: [u8; 8] = *b"\x89TKS\r\n\x1a\n";
const HEADER: usize = 20;
/// Largest payload accepted.
const MAX_BYTES: usize = 64 << 20;
/// Longer strings are not shared: else a few bytes of input could stand for endless text.
const MAX_SHARED: usize = 64;
/// Most attributes, comments, nodes and so on accepted together; each costs some 100 bytes of memory
/// and as little as 1 of input.
const MAX_THINGS: usize = 1 << 22;
/// Most nodes accepted; each costs some 300 bytes of memory and as few as 2 of input.
const MAX_NODES: usize = 1 << 20;

/// Why data was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryError {
    /// It does not start as a Tickseed file does.
    NotTickseed,
    /// It was written by a newer version.
    NewerVersion {
        /// The version it has.
        found: u32,
    },
    /// It has more or less bytes than its header says.
    WrongLength {
        /// Bytes that the header asks for.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// The checksum does not fit: the data was damaged.
    Damaged,
    /// It is larger than any reader accepts.
    TooLarge {
        /// The limit that was passed: in bytes, nodes, or things in lists.
        limit: usize,
    },
    /// The checksum fits but the content makes no sense: a faulty writer.
    Invalid {
        /// Offset in the payload.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
}

impl fmt::Display for BinaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTickseed => write!(
                f,
                "this is no binary Tickseed file: its first bytes are others"
            ),
            Self::NewerVersion { found } => {
                write!(
                    f,
                    "the file has version {found}; this Tickseed reads up to {VERSION}: use a newer one"
                )
            }
            Self::WrongLength { expected, found } => {
                write!(
                    f,
                    "the file is damaged: expected {expected} bytes, found {found}"
                )
            }
            Self::Damaged => write!(
                f,
                "the file is damaged: its checksum does not fit its content"
            ),
            Self::TooLarge { limit } => write!(f, "the file is too large: the limit is {limit}"),
            Self::Invalid { at, expected } => {
                write!(
                    f,
                    "the file makes no sense at byte {at} of its payload: expected {expected}"
                )
            }
        }
    }
}

impl std::error::Error for BinaryError {}

/// Writes a document.
pub fn write(document: &Document) -> Vec<u8> {
    seal(&write::document(document))
}

/// A file with a right header around any payload, for testing readers: what is inside need not make
/// sense.
#[doc(hidden)]
pub fn seal(payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + payload.len());
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    // A longer payload is cut off here and refused by every reader, never misread.
    out.extend(
        u32::try_from(payload.len())
            .unwrap_or(u32::MAX)
            .to_le_bytes(),
    );
    out.extend([0; 4]);
    out.extend(payload);
    let sum = sum(&out);
    out[16..HEADER].copy_from_slice(&sum.to_le_bytes());
    out
}

/// Reads a document.
///
/// # Errors
/// Any damage: nothing is ever misread or read in part.
pub fn read(bytes: &[u8]) -> Result<Document, BinaryError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(BinaryError::NotTickseed);
    }
    let number = |at: usize| {
        bytes
            .get(at..at + 4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let (Some(version), Some(length), Some(expected)) = (number(8), number(12), number(16)) else {
        return Err(BinaryError::WrongLength {
            expected: HEADER as u64,
            found: bytes.len() as u64,
        });
    };
    if version > VERSION {
        return Err(BinaryError::NewerVersion { found: version });
    }
    if length as usize > MAX_BYTES {
        return Err(BinaryError::TooLarge { limit: MAX_BYTES });
    }
    if bytes.len() - HEADER != length as usize {
        return Err(BinaryError::WrongLength {
            expected: u64::from(length) + HEADER as u64,
            found: bytes.len() as u64,
        });
    }
    if version == 0 || sum(bytes) != expected {
        return Err(BinaryError::Damaged);
    }
    read::document(&bytes[HEADER..])
}

/// Whether data starts as a binary Tickseed file does.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The checksum over version, length and payload.
fn sum(file: &[u8]) -> u32 {
    let mut crc = checksum::Crc::new();
    crc.add(&file[8..16]);
    crc.add(&file[HEADER..]);
    crc.done()
}
