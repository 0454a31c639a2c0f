//! Chunks: the parts of a recording. Each can be read by itself.

use std::collections::BTreeMap;

use super::bytes::{
    Before, Bytes, Garbled, get_tick, put_number, put_tick, put_value, put_writer, writer,
};
use crate::keys::KnownKeys;
use crate::message::{KeyChange, Tick};

/// What is in a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Trees, agents, world: a [`Head`](super::Head) as JSON.
    Head,
    /// Ticks, after the keys as they were before them.
    Ticks,
    /// An [`Event`](crate::message::Event) as JSON.
    Event,
    /// The places of the chunks.
    Index,
}

/// A chunk's first bytes, which say what follows and how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lead {
    pub(super) content: Content,
    /// Bytes in the file.
    pub(super) packed: u32,
    /// Bytes in memory.
    pub(super) unpacked: u32,
    /// The ticks in it; in chunks of other content, the latest tick before it.
    pub(super) first: u64,
    pub(super) last: u64,
    /// Of the bytes in the file.
    checksum: u64,
}

/// No chunk is larger in memory: one that claims to be is damaged.
pub(super) const LARGEST: usize = 64 << 20;

impl Lead {
    pub(super) const BYTES: usize = 41;

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out[0] = match self.content {
            Content::Head => b'H',
            Content::Ticks => b'T',
            Content::Event => b'E',
            Content::Index => b'I',
        };
        out[1..5].copy_from_slice(&self.packed.to_le_bytes());
        out[5..9].copy_from_slice(&self.unpacked.to_le_bytes());
        out[9..17].copy_from_slice(&self.first.to_le_bytes());
        out[17..25].copy_from_slice(&self.last.to_le_bytes());
        out[25..33].copy_from_slice(&self.checksum.to_le_bytes());
        let own = checksum(&out[..33]);
        out[33..].copy_from_slice(&own.to_le_bytes());
        out
    }

    /// None: damaged.
    pub(super) fn read(bytes: &[u8; Self::BYTES]) -> Option<Lead> {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or([0; 8]));
        if number(33) != checksum(&bytes[..33]) {
            return None;
        }
        let content = match bytes[0] {
            b'H' => Content::Head,
            b'T' => Content::Ticks,
            b'E' => Content::Event,
            b'I' => Content::Index,
            _ => return None,
        };
        let lead = Lead {
            content,
            packed: number(1) as u32,
            unpacked: (number(1) >> 32) as u32,
            first: number(9),
            last: number(17),
            checksum: number(25),
        };
        (lead.unpacked as usize <= LARGEST).then_some(lead)
    }
}

/// A whole chunk as it stands in the file.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) lead: Lead,
    pub(super) packed: Vec<u8>,
}

impl Chunk {
    pub(super) fn new(content: Content, first: u64, last: u64, bytes: &[u8]) -> Chunk {
        let packed = lz4_flex::block::compress(bytes);
        Chunk {
            lead: Lead {
                content,
                packed: packed.len() as u32,
                unpacked: bytes.len() as u32,
                first,
                last,
                checksum: checksum(&packed),
            },
            packed,
        }
    }

    pub(super) fn unpack(&self) -> Result<Vec<u8>, Garbled> {
        if checksum(&self.packed) != self.lead.checksum {
            return Err(Garbled);
        }
        lz4_flex::block::decompress(&self.packed, self.lead.unpacked as usize).map_err(|_| Garbled)
    }
}

/// FNV-1a over eight bytes at a time, with a last mix: finds damage, not malice.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        mix(u64::from_le_bytes(*word));
    }
    for byte in rest {
        mix(u64::from(*byte));
    }
    hash
}

/// A chunk of ticks under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    bytes: Vec<u8>,
    /// The agents' latest ticks in this chunk.
    latest: BTreeMap<u32, Tick>,
    /// All agents' keys, after the latest tick.
    keys: BTreeMap<u32, KnownKeys>,
    before: (u64, u64),
    first: Option<(u64, u64)>,
    last: u64,
    pub(super) ticks: usize,
}

impl Builder {
    /// Adds a tick.
    pub(super) fn add(&mut self, tick: &Tick) {
        if self.first.is_none() {
            self.begin(tick);
        }
        let before = Before {
            tick: self.before.0,
            time: self.before.1,
            of_agent: self.latest.get(&tick.agent),
        };
        put_tick(&mut self.bytes, tick, before);
        self.before = (tick.tick, tick.time);
        self.last = self.last.max(tick.tick);
        if let Some((first, _)) = &mut self.first {
            *first = tick.tick.min(*first);
        }
        self.ticks += 1;
        self.keys.entry(tick.agent).or_default().take(tick);
        let latest = self.latest.entry(tick.agent).or_default();
        latest.clone_from(tick);
    }

    /// The keys as they are before the first tick.
    fn begin(&mut self, tick: &Tick) {
        self.first = Some((tick.tick, tick.time));
        put_number(&mut self.bytes, self.keys.len() as u64);
        for (agent, keys) in &self.keys {
            put_number(&mut self.bytes, u64::from(*agent));
            put_number(&mut self.bytes, keys.0.len() as u64);
            for (key, change) in &keys.0 {
                put_number(&mut self.bytes, u64::from(*key));
                put_writer(&mut self.bytes, change.writer);
                put_number(&mut self.bytes, change.since.unwrap_or(0));
                put_value(&mut self.bytes, &change.value);
            }
        }
    }

    /// How many bytes there are so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The time of the first tick; none if there is none.
    pub(super) fn began(&self) -> Option<u64> {
        self.first.map(|f| f.1)
    }

    /// The tick that is latest of all.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// An agent has another tree, or is gone: its keys are no longer what they were.
    pub(super) fn forget(&mut self) {
        self.keys.clear();
    }

    /// The chunk, if there is a tick in it; begins the next.
    pub(super) fn finish(&mut self) -> Option<Chunk> {
        let (first, _) = self.first.take()?;
        let chunk = Chunk::new(Content::Ticks, first, self.last, &self.bytes);
        self.bytes.clear();
        self.latest.clear();
        self.before = (0, 0);
        self.ticks = 0;
        Some(chunk)
    }
}

/// A chunk's ticks, and the keys as they were before them.
#[derive(Debug, Default)]
pub(super) struct Ticks {
    pub(super) keys: BTreeMap<u32, KnownKeys>,
    pub(super) ticks: Vec<Tick>,
}

impl Ticks {
    pub(super) fn read(bytes: &[u8]) -> Result<Ticks, Garbled> {
        let mut bytes = Bytes(bytes);
        let mut all = Ticks::default();
        for _ in 0..bytes.count()? {
            let agent = bytes.small()?;
            let keys = all.keys.entry(agent).or_default();
            for _ in 0..bytes.count()? {
                let change = KeyChange {
                    key: bytes.small()?,
                    writer: writer(&mut bytes)?,
                    since: Some(bytes.number()?),
                    value: bytes.value()?,
                };
                keys.0.insert(change.key, change);
            }
        }
        let mut latest: BTreeMap<u32, usize> = BTreeMap::new();
        let mut before = (0, 0);
        while !bytes.0.is_empty() {
            let find = |agent| latest.get(&agent).and_then(|&i: &usize| all.ticks.get(i));
            let tick = get_tick(&mut bytes, before, find)?;
            before = (tick.tick, tick.time);
            latest.insert(tick.agent, all.ticks.len());
            all.ticks.push(tick);
        }
        Ok(all)
    }
}
