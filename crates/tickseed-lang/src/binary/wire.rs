//! Numbers and strings on the wire.

use super::{BinaryError, MAX_SHARED, MAX_THINGS};
use crate::model::Str;
use std::collections::HashMap;

/// Collects the document's bytes and the strings it shares.
#[derive(Default)]
pub(super) struct Writer<'d> {
    bytes: Vec<u8>,
    shared: Vec<&'d str>,
    index: HashMap<&'d str, u64>,
}

impl<'d> Writer<'d> {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn number(&mut self, number: u64) {
        push_number(&mut self.bytes, number);
    }

    /// Small numbers of either sign stay short.
    pub(super) fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    pub(super) fn float(&mut self, number: f64) {
        self.bytes.extend(number.to_bits().to_le_bytes());
    }

    pub(super) fn string(&mut self, text: &'d str) {
        if text.len() > MAX_SHARED {
            self.number((text.len() as u64) << 1 | 1);
            self.bytes.extend(text.as_bytes());
        } else {
            let next = self.shared.len() as u64;
            let index = *self.index.entry(text).or_insert(next);
            if index == next {
                self.shared.push(text);
            }
            self.number(index << 1);
        }
    }

    pub(super) fn list<T>(&mut self, items: &'d [T], mut one: impl FnMut(&mut Self, &'d T)) {
        self.number(items.len() as u64);
        for item in items {
            one(self, item);
        }
    }

    /// The shared strings, then everything else.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len() + self.shared.len() * 12);
        push_number(&mut out, self.shared.len() as u64);
        for text in &self.shared {
            push_number(&mut out, text.len() as u64);
        }
        for text in &self.shared {
            out.extend(text.as_bytes());
        }
        out.extend(self.bytes);
        out
    }
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(super) type Result<T> = std::result::Result<T, BinaryError>;

/// How many things of a list get memory in advance. Not more than the bytes of the items could be
/// worth: items are larger in memory than on the wire.
pub(super) const IN_ADVANCE: usize = 64;

/// Takes the payload apart again; every step checks that the bytes are there.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Shared strings as they are wanted mostly: copies of short ones cost little.
    shared: Vec<Str>,
    /// Things that may still come in lists.
    left: usize,
}

impl<'b> Reader<'b> {
    /// Reads the table of shared strings and stands before the document.
    pub(super) fn new(bytes: &'b [u8]) -> Result<Self> {
        let mut reader = Self {
            bytes,
            at: 0,
            shared: Vec::new(),
            left: MAX_THINGS,
        };
        let count = reader.count()?;
        let mut lengths = Vec::with_capacity(count);
        for _ in 0..count {
            let length = reader.number()?;
            if length > MAX_SHARED as u64 {
                return Err(reader.invalid("a short string"));
            }
            lengths.push(length as u8);
        }
        reader.shared.reserve_exact(count);
        for length in lengths {
            let text = reader.text(usize::from(length))?;
            reader.shared.push(text.into());
        }
        Ok(reader)
    }

    pub(super) fn invalid(&self, expected: &'static str) -> BinaryError {
        BinaryError::Invalid {
            at: self.at,
            expected,
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(self.invalid("the end"))
        }
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8> {
        let byte = *self
            .bytes
            .get(self.at)
            .ok_or_else(|| self.invalid("a byte"))?;
        self.at += 1;
        Ok(byte)
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8]> {
        let taken = self.bytes[self.at..]
            .get(..length)
            .ok_or_else(|| self.invalid("more bytes"))?;
        self.at += length;
        Ok(taken)
    }

    /// Most numbers are one byte.
    #[inline]
    pub(super) fn number(&mut self) -> Result<u64> {
        match self.bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => {
                self.at += 1;
                Ok(byte.into())
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.invalid("a number of 64 bits"))
    }

    pub(super) fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn float(&mut self) -> Result<f64> {
        let mut bits = [0; 8];
        bits.copy_from_slice(self.take(8)?);
        Ok(f64::from_bits(u64::from_le_bytes(bits)))
    }

    /// How many things follow, each of which takes a byte at least.
    pub(super) fn count(&mut self) -> Result<usize> {
        let number = self.number()?;
        let left = self.bytes.len() - self.at;
        usize::try_from(number)
            .ok()
            .filter(|&n| n <= left)
            .ok_or_else(|| self.invalid("a smaller number"))
    }

    fn text(&mut self, length: usize) -> Result<&'b str> {
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.invalid("UTF-8"))
    }

    pub(super) fn string(&mut self) -> Result<String> {
        self.short().map(Str::into_string)
    }

    /// A string that is short as a rule.
    #[inline]
    pub(super) fn short(&mut self) -> Result<Str> {
        let number = self.number()?;
        let half = usize::try_from(number >> 1).map_err(|_| self.invalid("a smaller number"))?;
        if number & 1 == 1 {
            return self.text(half).map(Str::from);
        }
        match self.shared.get(half) {
            Some(text) => Ok(text.clone()),
            None => Err(self.invalid("a shared string")),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.many()?;
        let mut items = Vec::with_capacity(count.min(IN_ADVANCE));
        for _ in 0..count {
            items.push(one(self)?);
        }
        Ok(items)
    }

    /// How many things of a list follow.
    pub(super) fn many(&mut self) -> Result<usize> {
        let count = self.count()?;
        let limit = MAX_THINGS;
        self.left = self
            .left
            .checked_sub(count)
            .ok_or(BinaryError::TooLarge { limit })?;
        Ok(count)
    }
}
