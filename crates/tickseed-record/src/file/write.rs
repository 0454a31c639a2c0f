//! Writing a recording.

use std::io::{self, Write};
use std::time::Duration;

use super::chunk::{Builder, Chunk, Content, Lead};
use super::{Head, MAGIC};
use crate::message::{Event, Tick};

/// When a chunk is full. A chunk that is not full is lost if the process is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of ticks.
    pub ticks: usize,
    /// The number of unpacked bytes.
    pub bytes: usize,
    /// The time that the ticks span.
    pub span: Duration,
}

impl Default for Limits {
    /// 4,096 ticks, 256 KiB, one second.
    fn default() -> Limits {
        Limits {
            ticks: 4096,
            bytes: 256 << 10,
            span: Duration::from_secs(1),
        }
    }
}

impl Limits {
    pub(super) fn reached(&self, chunk: &Builder, now: u64) -> bool {
        let span = chunk.began().map_or(0, |began| now.saturating_sub(began));
        chunk.ticks >= self.ticks
            || chunk.len() >= self.bytes
            || u128::from(span) >= self.span.as_nanos()
    }
}

/// Writes a recording, one chunk at a time, to any writer. What was written is never changed.
///
/// Call [`finish`](Recorder::finish) to learn of errors; dropping the recorder finishes as well as
/// it can. A recording whose writer was killed lacks the last chunk but can be read.
///
/// ```
/// use tickseed_core::{TickReport, Time, nodes};
/// use tickseed_record::message::{Tick, TreeDef};
/// use tickseed_record::{Head, Recorder, Recording, Structure};
/// let n = nodes::<()>();
/// let tree = n.sequence([n.succeed(), n.run_forever()]).build()?;
/// let def = TreeDef::new(0, "demo", tree.def());
/// let structure = Structure::new(&def)?;
/// let mut recorder = Recorder::new(Vec::new(), &Head::new("example", def))?;
///
/// let (mut agent, mut report) = (tree.agent(), TickReport::new());
/// for i in 1..=100 {
///     report.clear();
///     tree.tick_traced(&mut agent, &mut (), Time::from_millis(i), &mut report)?;
///     let mut tick = Tick { tick: i, time: i * 1_000_000, ..Tick::default() };
///     tick.record(&structure, &report);
///     recorder.record(&tick)?;
/// }
/// let file = recorder.finish()?;
///
/// let mut recording = Recording::open(std::io::Cursor::new(file))?;
/// let tick = recording.tick(50, 0)?.unwrap();
/// assert_eq!((tick.tick, tick.deciding), (50, Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder<W: Write> {
    /// None once it is finished.
    out: Option<W>,
    limits: Limits,
    at: u64,
    chunk: Builder,
    index: Vec<(u64, Lead)>,
}

impl<W: Write> Recorder<W> {
    /// Begins a recording.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: W, head: &Head) -> io::Result<Recorder<W>> {
        Recorder::with_limits(out, head, Limits::default())
    }

    /// Begins a recording with chunks of another size.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn with_limits(mut out: W, head: &Head, limits: Limits) -> io::Result<Recorder<W>> {
        out.write_all(MAGIC)?;
        let mut recorder = Recorder {
            out: Some(out),
            limits,
            at: MAGIC.len() as u64,
            chunk: Builder::default(),
            index: Vec::new(),
        };
        let head = serde_json::to_vec(head)?;
        recorder.put(&Chunk::new(Content::Head, 0, 0, &head))?;
        Ok(recorder)
    }

    /// Records a tick. An agent's ticks must come in order; those of different agents may be
    /// interleaved in any way.
    ///
    /// # Errors
    /// A full chunk cannot be written.
    pub fn record(&mut self, tick: &Tick) -> io::Result<()> {
        if self.limits.reached(&self.chunk, tick.time) {
            self.flush()?;
        }
        self.chunk.add(tick);
        Ok(())
    }

    /// Records something that happened between two ticks: a reload, or agents that came or went.
    /// After such an event, an agent's next tick must hold all its keys.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        self.flush()?;
        if matches!(event, Event::Reloaded { .. } | Event::Agents { .. }) {
            self.chunk.forget();
        }
        let last = self.chunk.last();
        let event = serde_json::to_vec(event)?;
        self.put(&Chunk::new(Content::Event, last, last, &event))
    }

    /// Writes what was recorded so far.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        if let Some(chunk) = self.chunk.finish() {
            self.put(&chunk)?;
        }
        self.out.as_mut().map_or(Ok(()), Write::flush)
    }

    /// Ends the recording and returns the writer.
    ///
    /// # Errors
    /// The rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.end()?;
        self.out
            .take()
            .ok_or_else(|| io::Error::other("the recording was finished before"))
    }

    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        let mut index = Vec::new();
        for (at, lead) in &self.index {
            index.extend(at.to_le_bytes());
            index.extend(lead.to_bytes());
        }
        let at = self.at;
        let last = self.chunk.last();
        self.put(&Chunk::new(Content::Index, last, last, &index))?;
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        out.write_all(&at.to_le_bytes())?;
        out.flush()
    }

    pub(super) fn put(&mut self, chunk: &Chunk) -> io::Result<()> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        out.write_all(&chunk.lead.to_bytes())?;
        out.write_all(&chunk.packed)?;
        self.index.push((self.at, chunk.lead));
        self.at += (Lead::BYTES + chunk.packed.len()) as u64;
        Ok(())
    }
}

impl<W: Write> Drop for Recorder<W> {
    fn drop(&mut self) {
        if self.out.is_some() {
            // Whoever wants to know of errors finishes.
            let _ = self.end();
        }
    }
}
