//! Waiting for changes of files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};

use crate::fail::Fail;

/// Editors write a file in several steps: it is read when it has been quiet for so long.
const QUIET: Duration = Duration::from_millis(40);

/// A watcher of files.
pub(super) struct Watch {
    watcher: notify::RecommendedWatcher,
    events: Receiver<()>,
    folders: BTreeSet<PathBuf>,
    /// The files and what they held when last read: many events change nothing.
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl Watch {
    /// Watches these files.
    pub(super) fn new(files: Vec<String>) -> Result<Watch, Fail> {
        let (send, events) = channel();
        let told = move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                // A send fails only when nobody waits any more.
                let _ = send.send(());
            }
        };
        let watcher = notify::recommended_watcher(told).map_err(failed)?;
        let mut watch = Watch {
            watcher,
            events,
            folders: BTreeSet::new(),
            files: BTreeMap::new(),
        };
        watch.follow(files)?;
        Ok(watch)
    }

    /// Watches these files from now on.
    pub(super) fn follow(&mut self, files: Vec<String>) -> Result<(), Fail> {
        self.files = files
            .into_iter()
            .map(PathBuf::from)
            .map(|path| (path.clone(), std::fs::read(path).ok()))
            .collect();
        // The folders are watched, not the files: editors put new files in the places of old ones.
        for file in self.files.keys() {
            let folder = match file.parent() {
                Some(parent) if parent != Path::new("") => parent.to_owned(),
                _ => PathBuf::from("."),
            };
            if self.folders.contains(&folder) {
                continue;
            }
            self.watcher
                .watch(&folder, RecursiveMode::NonRecursive)
                .map_err(failed)?;
            self.folders.insert(folder);
        }
        Ok(())
    }

    /// Waits for so long; `true` if a file has other content afterwards than when it was last read.
    pub(super) fn changed_within(&mut self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut told = false;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let wait = if told { QUIET } else { left };
            match self.events.recv_timeout(wait) {
                Ok(()) => told = true,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(left);
                    break;
                }
            }
        }
        told && {
            let mut changed = false;
            for (path, known) in &mut self.files {
                let now = std::fs::read(path).ok();
                // A file that is away for a moment is being replaced.
                if now.is_some() && now != *known {
                    *known = now;
                    changed = true;
                }
            }
            changed
        }
    }
}

fn failed(error: notify::Error) -> Fail {
    Fail::Output(std::io::Error::other(error))
}
