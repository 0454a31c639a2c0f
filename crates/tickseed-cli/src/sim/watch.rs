//! Waiting for changes of files.
//!
//! Files are polled: polling a few tree files costs nothing, works on every file system, and needs
//! no special care for editors that replace the old file with a new one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use crate::fail::Fail;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Editors write a file in several steps: it is read when it has been quiet for so long.
const QUIET: Duration = Duration::from_millis(40);

/// A file that is away for so long was not just being replaced.
const GONE: Duration = Duration::from_millis(500);

/// A watcher of files.
pub(super) struct Watch {
    files: BTreeMap<PathBuf, Seen>,
}

/// A file as it was when last looked at and last read.
struct Seen {
    stamp: Option<Stamp>,
    /// What it held: a new time alone changes nothing.
    content: Option<Vec<u8>>,
    /// Since when it is away, and whether that was told.
    away: Option<(Instant, bool)>,
}

type Stamp = (SystemTime, u64);

fn stamp(path: &PathBuf) -> Option<Stamp> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

impl Watch {
    /// Watches these files.
    pub(super) fn new(files: Vec<String>) -> Result<Watch, Fail> {
        let mut watch = Watch {
            files: BTreeMap::new(),
        };
        watch.follow(files)?;
        Ok(watch)
    }

    /// Watches these files from now on.
    pub(super) fn follow(&mut self, files: Vec<String>) -> Result<(), Fail> {
        let see = |path: PathBuf| {
            // The stamp first: a change in between is then seen as one.
            let stamp = stamp(&path);
            let content = std::fs::read(&path).ok();
            let seen = Seen {
                stamp,
                content,
                away: None,
            };
            (path, seen)
        };
        self.files = files.into_iter().map(PathBuf::from).map(see).collect();
        Ok(())
    }

    /// Waits for so long, or until it is to stop; `true` if a file has other content afterwards
    /// than when it was last read.
    pub(super) fn changed_within(&mut self, time: Duration, stop: &AtomicBool) -> bool {
        let end = Instant::now() + time;
        loop {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            if self.look() {
                while self.settling() {}
                return self.read();
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Whether a file looks other than when last looked at.
    fn look(&mut self) -> bool {
        let mut other = false;
        for (path, seen) in &mut self.files {
            let now = stamp(path);
            // A file that is away for a moment is being replaced.
            match (now, seen.away) {
                (None, None) => seen.away = Some((Instant::now(), false)),
                (None, Some(_)) => {}
                (Some(_), _) => seen.away = None,
            }
            if now.is_some() && now != seen.stamp {
                seen.stamp = now;
                other = true;
            }
        }
        other
    }

    /// Files that have been away for longer than a replacement takes, each told once.
    pub(super) fn gone(&mut self) -> Vec<&Path> {
        let mut gone = Vec::new();
        for (path, seen) in &mut self.files {
            if let Some((since, told @ false)) = &mut seen.away
                && since.elapsed() >= GONE
            {
                *told = true;
                gone.push(path.as_path());
            }
        }
        gone
    }

    fn settling(&mut self) -> bool {
        std::thread::sleep(QUIET);
        self.look()
    }

    /// Reads the files again; `true` if one holds something else.
    fn read(&mut self) -> bool {
        let mut changed = false;
        for (path, seen) in &mut self.files {
            let now = std::fs::read(path).ok();
            if now.is_some() && now != seen.content {
                seen.content = now;
                changed = true;
            }
        }
        changed
    }
}
