//! Snapshots as bytes: a head with magic, version, kind and checksum, then the rest in
//! little-endian numbers.

use alloc::string::String;
use alloc::vec::Vec;

use super::{NodeState, Snapshot, SnapshotError, Value};
use crate::time::Time;

const MAGIC: &[u8; 4] = b"TKSN";
const VERSION: u16 = 2;
const HEAD: usize = 24;

/// A checksum: any change within one word of eight bytes changes it.
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(0x243f_6a88_85a3_08d3)
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    pub(crate) fn value(&self) -> u64 {
        let z = (self.0 ^ self.0 >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ z >> 29
    }
}

/// What a snapshot contains.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Of {
    Agent = 1,
    Herd = 2,
}

/// Writes bytes after a head.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new(of: Of, room: usize) -> Writer {
        let mut out = Vec::with_capacity(HEAD + room);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[of as u8, 0]);
        out.resize(HEAD, 0);
        Writer(out)
    }

    pub(crate) fn u8(&mut self, n: u8) {
        self.0.push(n);
    }

    pub(crate) fn u32(&mut self, n: u32) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn words(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.u64(words.len() as u64);
        self.0.reserve(words.len() * 8);
        words.for_each(|w| self.u64(w));
    }

    pub(crate) fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u32>) {
        self.u64(numbers.len() as u64);
        numbers.for_each(|n| self.u32(n));
    }

    /// Bytes, one by one.
    pub(crate) fn list(&mut self, bytes: impl ExactSizeIterator<Item = u8>) {
        self.u64(bytes.len() as u64);
        self.0.extend(bytes);
    }

    pub(crate) fn time(&mut self, time: Option<Time>) {
        self.u8(time.is_some().into());
        self.u64(time.map_or(0, |t| t.0));
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        let mut hash = Hash::new();
        hash.add(&self.0[HEAD..]);
        let len = (self.0.len() - HEAD) as u64;
        self.0[8..16].copy_from_slice(&len.to_le_bytes());
        self.0[16..24].copy_from_slice(&hash.value().to_le_bytes());
        self.0
    }
}

/// Reads them back, trusting nothing.
pub(crate) struct Reader<'r> {
    all: &'r [u8],
    at: usize,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(all: &'r [u8], of: Of) -> Result<Reader<'r>, SnapshotError> {
        let mut reader = Reader { all, at: 0 };
        if all.get(..4) != Some(MAGIC.as_slice()) {
            return Err(SnapshotError::Foreign);
        }
        reader.at = 4;
        let version = u16::from_le_bytes(reader.take()?);
        if version != VERSION {
            return Err(SnapshotError::Version {
                found: version,
                known: VERSION,
            });
        }
        let [kind, _] = reader.take()?;
        let len = reader.u64()?;
        let sum = reader.u64()?;
        if len != (all.len() - HEAD) as u64 {
            return Err(reader.damaged("bytes are missing, or there are too many"));
        }
        let mut hash = Hash::new();
        hash.add(&all[HEAD..]);
        if hash.value() != sum {
            return Err(reader.damaged("the checksum is wrong"));
        }
        if kind != of as u8 {
            return Err(SnapshotError::Kind);
        }
        Ok(reader)
    }

    pub(crate) fn damaged(&self, what: &'static str) -> SnapshotError {
        SnapshotError::Damaged { at: self.at, what }
    }

    fn slice(&mut self, len: u64) -> Result<&'r [u8], SnapshotError> {
        let end = usize::try_from(len)
            .ok()
            .and_then(|len| self.at.checked_add(len));
        let slice = end.and_then(|end| self.all.get(self.at..end));
        let slice = slice.ok_or_else(|| self.damaged("it ends too soon"))?;
        self.at += slice.len();
        Ok(slice)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let slice = self.slice(N as u64)?;
        Ok(slice.try_into().unwrap_or([0; N]))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, SnapshotError> {
        Ok(self.take::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, SnapshotError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, SnapshotError> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'r [u8], SnapshotError> {
        let len = self.u64()?;
        self.slice(len)
    }

    pub(crate) fn words(&mut self) -> Result<Vec<u64>, SnapshotError> {
        let len = self.u64()?;
        let slice = self.slice(len.saturating_mul(8))?;
        let words = slice.as_chunks::<8>().0.iter();
        Ok(words.map(|w| u64::from_le_bytes(*w)).collect())
    }

    pub(crate) fn numbers(&mut self) -> Result<Vec<u32>, SnapshotError> {
        let len = self.u64()?;
        let slice = self.slice(len.saturating_mul(4))?;
        let numbers = slice.as_chunks::<4>().0.iter();
        Ok(numbers.map(|w| u32::from_le_bytes(*w)).collect())
    }

    pub(crate) fn time(&mut self) -> Result<Option<Time>, SnapshotError> {
        let there = self.u8()? != 0;
        let time = Time(self.u64()?);
        Ok(there.then_some(time))
    }

    fn text(&mut self) -> Result<String, SnapshotError> {
        let bytes = self.bytes()?;
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(_) => Err(self.damaged("a text is not UTF-8")),
        }
    }

    /// A list of items of at least one byte each.
    fn many<T>(
        &mut self,
        f: impl Fn(&mut Self) -> Result<T, SnapshotError>,
    ) -> Result<Vec<T>, SnapshotError> {
        let n = self.u32()?;
        if n as usize > self.all.len() - self.at {
            return Err(self.damaged("a list is longer than what is left"));
        }
        (0..n).map(|_| f(self)).collect()
    }

    pub(crate) fn end(&self) -> Result<(), SnapshotError> {
        if self.at == self.all.len() {
            Ok(())
        } else {
            Err(self.damaged("more follows than was expected"))
        }
    }
}

fn write_values(out: &mut Writer, values: &[Value]) {
    out.u32(values.len() as u32);
    for value in values {
        match value {
            Value::Deadline(bits) => {
                out.u8(0);
                out.u64(*bits);
            }
            Value::Number(n) => {
                out.u8(1);
                out.u32(*n);
            }
            Value::Bytes(bytes) => {
                out.u8(2);
                out.bytes(bytes);
            }
            Value::Children(bytes) => {
                out.u8(3);
                out.bytes(bytes);
            }
            Value::Child(n) => {
                out.u8(4);
                out.u32(*n);
            }
        }
    }
}

fn read_value(r: &mut Reader<'_>) -> Result<Value, SnapshotError> {
    Ok(match r.u8()? {
        0 => Value::Deadline(r.u64()?),
        1 => Value::Number(r.u32()?),
        2 => Value::Bytes(r.bytes()?.to_vec()),
        3 => Value::Children(r.bytes()?.to_vec()),
        4 => Value::Child(r.u32()?),
        _ => return Err(r.damaged("a value is of no known kind")),
    })
}

impl Snapshot {
    /// The snapshot as bytes, with a checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Of::Agent, 64 * self.nodes.len());
        out.u64(self.tree);
        out.u64(self.rng);
        out.time(self.last);
        out.u32(self.nodes.len() as u32);
        for n in &self.nodes {
            out.u32(n.node);
            let flags = [n.active, n.resumes, n.name.is_some()];
            out.u8(flags.iter().rev().fold(0, |f, on| f * 2 + u8::from(*on)));
            for text in [&n.path, &n.kind].into_iter().chain(&n.name) {
                out.bytes(text.as_bytes());
            }
            out.u32(n.children.len() as u32);
            n.children.iter().for_each(|c| out.bytes(c.as_bytes()));
            write_values(&mut out, &n.state);
            write_values(&mut out, &n.history);
        }
        out.finish()
    }

    /// Reads what [`to_bytes`](Snapshot::to_bytes) wrote.
    ///
    /// # Errors
    /// The bytes are something else, of a later version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let mut r = Reader::new(bytes, Of::Agent)?;
        let (tree, rng, last) = (r.u64()?, r.u64()?, r.time()?);
        let nodes = r.many(|r| {
            let (node, flags) = (r.u32()?, r.u8()?);
            Ok(NodeState {
                node,
                path: r.text()?,
                kind: r.text()?,
                name: if flags & 4 != 0 {
                    Some(r.text()?)
                } else {
                    None
                },
                children: r.many(Reader::text)?,
                active: flags & 1 != 0,
                resumes: flags & 2 != 0,
                state: r.many(read_value)?,
                history: r.many(read_value)?,
            })
        })?;
        r.end()?;
        Ok(Snapshot {
            tree,
            rng,
            last,
            nodes,
        })
    }
}
