//! The last minute, in memory.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

use super::chunk::{Builder, Chunk};
use super::{Head, Limits, Recorder};
use crate::message::Tick;

/// Remembers the latest ticks, packed as in a file, so that a recording of what led to an incident
/// can be saved.
///
/// ```
/// # use tickseed_core::nodes;
/// # use tickseed_record::{Head, Recording, Ring, message::{Tick, TreeDef}};
/// # let tree = nodes::<()>().succeed().build()?;
/// # let def = TreeDef::new(0, "demo", tree.def());
/// let mut ring = Ring::last_minute();
/// for i in 1..=1000 {
///     ring.record(&Tick { tick: i, time: i * 1_000_000_000, ..Tick::default() });
/// }
/// let file = ring.save(Vec::new(), &Head::new("example", def))?;
/// let recording = Recording::open(std::io::Cursor::new(file))?;
/// let (first, last) = recording.range().unwrap();
/// assert!(last == 1000 && (60..=62).contains(&(last - first)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ring {
    span: u64,
    most: usize,
    limits: Limits,
    /// Each with the time of its first tick.
    chunks: VecDeque<(u64, Chunk)>,
    bytes: usize,
    chunk: Builder,
}

impl Ring {
    /// Remembers the last minute, or the last 16 MiB.
    #[must_use]
    pub fn last_minute() -> Ring {
        Ring::new(Duration::from_secs(60), 16 << 20)
    }

    /// Remembers this much time, but no more than `most` bytes.
    #[must_use]
    pub fn new(span: Duration, most: usize) -> Ring {
        Ring {
            span: span.as_nanos() as u64,
            most,
            limits: Limits::default(),
            chunks: VecDeque::new(),
            bytes: 0,
            chunk: Builder::default(),
        }
    }

    /// Remembers a tick.
    pub fn record(&mut self, tick: &Tick) {
        if self.limits.reached(&self.chunk, tick.time) {
            let began = self.chunk.began().unwrap_or(0);
            if let Some(chunk) = self.chunk.finish() {
                self.bytes += chunk.packed.len();
                self.chunks.push_back((began, chunk));
            }
        }
        self.chunk.add(tick);
        // A chunk may go when its successor began long enough ago.
        while let Some((next, _)) = self.chunks.get(1)
            && (tick.time.saturating_sub(*next) >= self.span || self.bytes > self.most)
            && let Some((_, gone)) = self.chunks.pop_front()
        {
            self.bytes -= gone.packed.len();
        }
    }

    /// How many bytes are remembered.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.chunk.len()
    }

    /// Writes what is remembered as a recording.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save<W: Write>(&mut self, out: W, head: &Head) -> io::Result<W> {
        let mut recorder = Recorder::new(out, head)?;
        let began = self.chunk.began().unwrap_or(0);
        if let Some(chunk) = self.chunk.finish() {
            self.bytes += chunk.packed.len();
            self.chunks.push_back((began, chunk));
        }
        for (_, chunk) in &self.chunks {
            recorder.put(chunk)?;
        }
        recorder.finish()
    }
}
