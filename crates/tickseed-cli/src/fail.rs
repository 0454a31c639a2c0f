//! Why a command failed, and its exit code.

use std::fmt;
use std::io;

use tickseed_core::TickError;

/// A failed command.
#[derive(Debug)]
pub(crate) enum Fail {
    /// The command line makes no sense; the text says what would.
    Usage(String),
    /// A leaf failed in this tick.
    Tick(u64, TickError),
    /// What was asked about was found wanting, and the messages are printed already.
    Findings,
    /// A file could not be read or written.
    File(String, io::Error),
    /// What was asked for cannot be done, in words.
    Other(String),
    /// Output could not be written or the terminal not be used.
    Output(io::Error),
}

impl Fail {
    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Fail::Usage(_) => 2,
            // A file that is not there is a slip of the command line.
            Fail::File(..) => 2,
            Fail::Tick(..) | Fail::Findings | Fail::Other(_) | Fail::Output(_) => 1,
        }
    }

    /// Whether whoever read the output (`| head`) has had enough: no failure of ours.
    pub(crate) fn reader_gone(&self) -> bool {
        matches!(self, Fail::Output(e) if e.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Output of a command whose verdict counts also when its reader (`| head`) has had enough: what
/// is written from then on goes nowhere.
pub(crate) struct UntilClosed<W> {
    out: W,
    closed: bool,
}

impl<W> UntilClosed<W> {
    pub(crate) fn new(out: W) -> UntilClosed<W> {
        UntilClosed { out, closed: false }
    }

    fn heard(&mut self, done: io::Result<()>) -> io::Result<()> {
        match done {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

impl<W: io::Write> io::Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.closed {
            let done = self.out.write_all(bytes);
            self.heard(done)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let done = self.out.flush();
        self.heard(done)
    }
}

impl From<io::Error> for Fail {
    fn from(e: io::Error) -> Fail {
        Fail::Output(e)
    }
}

impl From<serde_json::Error> for Fail {
    fn from(e: serde_json::Error) -> Fail {
        Fail::Output(e.into())
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fail::Usage(what) | Fail::Other(what) => f.write_str(what),
            Fail::Tick(tick, e) => write!(f, "tick {tick} failed: {e}"),
            Fail::Findings => f.write_str("the files have mistakes"),
            Fail::File(name, e) => write!(f, "failed to use `{name}`: {e}"),
            Fail::Output(e) => write!(f, "failed to write output: {e}"),
        }
    }
}
