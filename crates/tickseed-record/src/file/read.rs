//! Reading a recording.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::chunk::{Chunk, Content, Lead, Ticks};
use super::{Head, MAGIC};
use crate::message::{Event, Tick};

/// Why a recording cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// Reading failed.
    Io(io::Error),
    /// It does not begin like a recording.
    Foreign,
    /// It was written by another version.
    Version(u8),
    /// Its first chunk, the head, is damaged or missing.
    Head,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(e) => write!(f, "failed to read: {e}"),
            OpenError::Foreign => f.write_str(
                "not a recording: expected it to begin with `TICKREC1`, as what `tickseed \
                 record` writes does",
            ),
            OpenError::Version(v) => write!(
                f,
                "a recording of version {:?}, this reads version '1': use the version of \
                 Tickseed that wrote it",
                *v as char
            ),
            OpenError::Head => f.write_str(
                "the beginning of the recording, which describes the tree, is damaged or cut \
                 off: nothing in it can be read",
            ),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(e: io::Error) -> OpenError {
        OpenError::Io(e)
    }
}

/// Where a recording ends early, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The first byte that is lost.
    pub at: u64,
    /// The last tick before it.
    pub after: u64,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { at, after, what } = self;
        write!(f, "{what} at byte {at}: read up to tick {after}")
    }
}

impl std::error::Error for Damage {}

impl Damage {
    fn io(at: u64, after: u64, e: &io::Error) -> Damage {
        let what = format!("the recording could not be read ({e})");
        Damage { at, after, what }
    }
}

/// A recording, readable from any tick on.
#[derive(Debug)]
pub struct Recording<R> {
    from: R,
    head: Head,
    chunks: Vec<(u64, Lead)>,
    damage: Option<Damage>,
    /// The chunk read last.
    cached: Option<(usize, Ticks)>,
}

/// What a recording consists of.
#[derive(Clone, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all are ticks")]
pub enum Item {
    /// A tick.
    Tick(Tick),
    /// Something between two ticks.
    Event(Event),
}

impl<R: Read + Seek> Recording<R> {
    /// Opens a recording: reads its head and index or, if it was not closed properly, finds its
    /// chunks.
    ///
    /// # Errors
    /// It is not a recording, or its head cannot be read. Damage after the head is not an error:
    /// see [`damage`](Recording::damage).
    pub fn open(mut from: R) -> Result<Recording<R>, OpenError> {
        let length = from.seek(SeekFrom::End(0))?;
        from.seek(SeekFrom::Start(0))?;
        let mut magic = [0; 8];
        if length < 8 {
            return Err(OpenError::Foreign);
        }
        from.read_exact(&mut magic)?;
        if magic[..7] != MAGIC[..7] {
            return Err(OpenError::Foreign);
        }
        if magic != *MAGIC {
            return Err(OpenError::Version(magic[7]));
        }
        let head = read_chunk(&mut from, 8, length).ok();
        let head = head
            .filter(|c| c.lead.content == Content::Head)
            .and_then(|c| c.unpack().ok())
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .ok_or(OpenError::Head)?;
        let (chunks, damage) = match read_index(&mut from, length) {
            Some(chunks) => (chunks, None),
            None => find_chunks(&mut from, length)?,
        };
        Ok(Recording {
            from,
            head,
            chunks,
            damage,
            cached: None,
        })
    }

    /// What the recording describes.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Where it ends early, as far as known: damage within a chunk is found when the chunk is read.
    #[must_use]
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    fn ticks(&self) -> impl DoubleEndedIterator<Item = &Lead> {
        let leads = self.chunks.iter().map(|(_, lead)| lead);
        leads.filter(|lead| lead.content == Content::Ticks)
    }

    /// The first and the last tick; `None` if there are no ticks.
    #[must_use]
    pub fn range(&self) -> Option<(u64, u64)> {
        Some((self.ticks().next()?.first, self.ticks().next_back()?.last))
    }

    /// All events, each with the latest tick before it: trees and agents that came later. Reads
    /// nothing else.
    ///
    /// # Errors
    /// One of them is damaged.
    pub fn events(&mut self) -> Result<Vec<(u64, Event)>, Damage> {
        let mut all = Vec::new();
        for i in 0..self.chunks.len() {
            let lead = self.chunks[i].1;
            if lead.content == Content::Event {
                let bytes = self.unpack(i)?;
                let event = serde_json::from_slice(&bytes).map_err(|_| self.garbled(i))?;
                all.push((lead.last, event));
            }
        }
        Ok(all)
    }

    /// All ticks and events from a tick on, in order. Reads one chunk at a time, and nothing before
    /// the tick.
    pub fn items(&mut self, from: u64) -> Items<'_, R> {
        let chunk = self
            .chunks
            .partition_point(|(_, lead)| lead.content == Content::Head || lead.last < from);
        Items {
            recording: self,
            chunk,
            from,
            ready: VecDeque::new(),
            over: false,
        }
    }

    /// One tick of an agent, with all of the agent's keys at that time. `None` if the recording has
    /// no such tick.
    ///
    /// # Errors
    /// The tick's chunk is damaged.
    pub fn tick(&mut self, tick: u64, agent: u32) -> Result<Option<Tick>, Damage> {
        let from = self
            .chunks
            .partition_point(|(_, l)| l.content == Content::Head || l.last < tick);
        for i in from..self.chunks.len() {
            let lead = self.chunks[i].1;
            if lead.first > tick {
                break;
            }
            if lead.content != Content::Ticks {
                continue;
            }
            let ticks = self.load(i)?;
            let mut keys = ticks.keys.get(&agent).cloned().unwrap_or_default();
            for t in ticks.ticks.iter().filter(|t| t.agent == agent) {
                keys.take(t);
                if t.tick == tick {
                    return Ok(Some(Tick {
                        keys: keys.at(tick),
                        ..t.clone()
                    }));
                }
            }
        }
        Ok(None)
    }

    /// A chunk's ticks; cached, since scrubbing asks for neighbours.
    fn load(&mut self, i: usize) -> Result<&Ticks, Damage> {
        if self.cached.as_ref().is_none_or(|(of, _)| *of != i) {
            let bytes = self.unpack(i)?;
            let ticks = Ticks::read(&bytes).map_err(|_| self.garbled(i))?;
            self.cached = Some((i, ticks));
        }
        match &self.cached {
            Some((_, ticks)) => Ok(ticks),
            None => Err(self.garbled(i)),
        }
    }

    fn unpack(&mut self, i: usize) -> Result<Vec<u8>, Damage> {
        let (at, lead) = self.chunks[i];
        let length = at + Lead::BYTES as u64 + u64::from(lead.packed);
        let chunk = read_chunk(&mut self.from, at, length);
        let chunk = chunk.map_err(|e| Damage::io(at, self.before(i), &e))?;
        if chunk.lead != lead {
            return Err(self.garbled(i));
        }
        chunk.unpack().map_err(|_| self.garbled(i))
    }

    /// The last tick before a chunk.
    fn before(&self, i: usize) -> u64 {
        let before = self.chunks[..i].iter().rev();
        before.map(|(_, l)| l.last).next().unwrap_or(0)
    }

    fn garbled(&self, i: usize) -> Damage {
        Damage {
            at: self.chunks[i].0,
            after: self.before(i),
            what: "the recording is damaged".to_owned(),
        }
    }
}

/// The iterator of [`Recording::items`]. It ends with the first damage.
#[derive(Debug)]
pub struct Items<'r, R> {
    recording: &'r mut Recording<R>,
    chunk: usize,
    from: u64,
    ready: VecDeque<Item>,
    over: bool,
}

impl<R: Read + Seek> Items<'_, R> {
    fn fill(&mut self) -> Result<(), Damage> {
        let i = self.chunk;
        self.chunk += 1;
        let recording = &mut *self.recording;
        match recording.chunks[i].1.content {
            Content::Head | Content::Index => {}
            Content::Event => {
                let bytes = recording.unpack(i)?;
                let event = serde_json::from_slice(&bytes).map_err(|_| recording.garbled(i))?;
                self.ready.push_back(Item::Event(event));
            }
            Content::Ticks => {
                let from = self.from;
                let ticks = recording.load(i)?.ticks.iter();
                let wanted = ticks.filter(|t| t.tick >= from).cloned();
                self.ready.extend(wanted.map(Item::Tick));
            }
        }
        Ok(())
    }
}

impl<R: Read + Seek> Iterator for Items<'_, R> {
    type Item = Result<Item, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.over {
            if self.chunk == self.recording.chunks.len() {
                self.over = true;
                return self.recording.damage.clone().map(Err);
            }
            if let Err(damage) = self.fill() {
                self.over = true;
                return Some(Err(damage));
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

/// Reads a chunk that must end before `length`.
fn read_chunk<R: Read + Seek>(from: &mut R, at: u64, length: u64) -> io::Result<Chunk> {
    from.seek(SeekFrom::Start(at))?;
    let lead = read_lead(from)?.ok_or(io::ErrorKind::InvalidData)?;
    let end = at + Lead::BYTES as u64 + u64::from(lead.packed);
    if end > length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut packed = vec![0; lead.packed as usize];
    from.read_exact(&mut packed)?;
    Ok(Chunk { lead, packed })
}

/// None: damaged.
fn read_lead(from: &mut impl Read) -> io::Result<Option<Lead>> {
    let mut bytes = [0; Lead::BYTES];
    from.read_exact(&mut bytes)?;
    Ok(Lead::read(&bytes))
}

type Chunks = Vec<(u64, Lead)>;

/// The chunks by the index at the end; none if there is no sound one.
fn read_index<R: Read + Seek>(from: &mut R, length: u64) -> Option<Chunks> {
    from.seek(SeekFrom::Start(length.checked_sub(8)?)).ok()?;
    let mut at = [0; 8];
    from.read_exact(&mut at).ok()?;
    let at = u64::from_le_bytes(at);
    if at >= length {
        return None;
    }
    let chunk = read_chunk(from, at, length).ok()?;
    if chunk.lead.content != Content::Index {
        return None;
    }
    let bytes = chunk.unpack().ok()?;
    let (entries, rest) = bytes.as_chunks::<{ 8 + Lead::BYTES }>();
    let mut chunks = Vec::with_capacity(entries.len());
    for entry in entries {
        let (place, lead) = entry.split_first_chunk::<8>()?;
        let lead = Lead::read(lead.first_chunk()?)?;
        let place = u64::from_le_bytes(*place);
        if place.checked_add(u64::from(lead.packed))? > length {
            return None;
        }
        chunks.push((place, lead));
    }
    rest.is_empty().then_some(chunks)
}

/// The chunks by going from one to the next, up to where that is no longer possible.
fn find_chunks<R: Read + Seek>(from: &mut R, length: u64) -> io::Result<(Chunks, Option<Damage>)> {
    let mut chunks = Chunks::new();
    let (mut at, mut after) = (MAGIC.len() as u64, 0);
    let what = loop {
        if at == length {
            break "the recording was not ended, as when its writer was killed: it stops";
        }
        if at + Lead::BYTES as u64 > length {
            break "the recording is cut off";
        }
        from.seek(SeekFrom::Start(at))?;
        let Some(lead) = read_lead(from)? else {
            break "the recording is damaged";
        };
        let end = at + Lead::BYTES as u64 + u64::from(lead.packed);
        if end > length {
            break "the recording is cut off";
        }
        if lead.content == Content::Index {
            break "the index of the recording is damaged; it ends";
        }
        after = lead.last;
        chunks.push((at, lead));
        at = end;
    };
    let what = what.to_owned();
    Ok((chunks, Some(Damage { at, after, what })))
}
