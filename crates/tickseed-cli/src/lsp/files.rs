//! The open files, and the files on disk behind them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;
use tickseed_lang::load::{self, Disk, Loaded, Loader};

use super::text::{Lines, path_of};

/// Files of a workspace that are looked through for uses of a name.
const MAX_FILES: usize = 5000;

/// An open file.
#[derive(Debug)]
pub(crate) struct Open {
    /// What the client calls it.
    pub(crate) uri: String,
    /// What the client calls this state of it.
    pub(crate) version: Value,
    /// Its text as typed.
    pub(crate) text: String,
}

/// Open files over the disk.
#[derive(Default, Debug)]
pub(crate) struct Files {
    open: BTreeMap<String, Open>,
    folders: Vec<PathBuf>,
    loaded: RefCell<HashMap<String, Rc<Loaded>>>,
}

impl Loader for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.open.get(path) {
            Some(open) => Ok(open.text.clone().into_bytes()),
            None => Disk.read(path),
        }
    }
}

impl Files {
    pub(crate) fn add_folder(&mut self, uri: &str) {
        self.folders.push(PathBuf::from(path_of(uri)));
    }

    /// Puts an open file in place of the one on the disk.
    pub(crate) fn open(&mut self, uri: &str, version: Value, text: String) {
        let open = Open {
            uri: uri.to_owned(),
            version,
            text,
        };
        self.open.insert(clean(uri), open);
        self.changed();
    }

    /// Applies edits to an open file, each to the text that the one before left.
    pub(crate) fn change(&mut self, uri: &str, version: Value, changes: &[Value], utf8: bool) {
        let Some(open) = self.open.get_mut(&clean(uri)) else {
            return;
        };
        open.version = version;
        for change in changes {
            let Some(new) = change["text"].as_str() else {
                continue;
            };
            let range = {
                let lines = Lines::new(&open.text, utf8);
                let start = lines.offset(&change["range"]["start"]);
                start.zip(lines.offset(&change["range"]["end"]))
            };
            match range {
                Some((start, end)) => open.text.replace_range(start..end.max(start), new),
                None => open.text = new.to_owned(),
            }
        }
        self.changed();
    }

    /// Forgets an open file: the disk counts again.
    pub(crate) fn close(&mut self, uri: &str) {
        self.open.remove(&clean(uri));
        self.changed();
    }

    /// Forgets what was read.
    pub(crate) fn changed(&mut self) {
        self.loaded.get_mut().clear();
    }

    pub(crate) fn opened(&self) -> impl Iterator<Item = (&str, &Open)> {
        self.open.iter().map(|(path, open)| (path.as_str(), open))
    }

    pub(crate) fn is_open(&self, path: &str) -> bool {
        self.open.contains_key(path)
    }

    /// A file with everything it includes, as typed.
    pub(crate) fn load(&self, path: &str) -> Rc<Loaded> {
        if let Some(loaded) = self.loaded.borrow().get(path) {
            return Rc::clone(loaded);
        }
        let loaded = Rc::new(load::load(path, self));
        let mut cache = self.loaded.borrow_mut();
        cache.insert(path.to_owned(), Rc::clone(&loaded));
        loaded
    }

    /// Every load that a file takes part in: its own first, then those of the files that include it,
    /// open or in the workspace.
    pub(crate) fn loads_with(&self, path: &str) -> Vec<Rc<Loaded>> {
        let mut paths: Vec<String> = self.open.keys().cloned().collect();
        for folder in &self.folders {
            walk(folder, &mut paths);
        }
        paths.sort();
        paths.dedup();
        let mut loads = vec![self.load(path)];
        for other in paths.iter().filter(|other| *other != path) {
            let loaded = self.load(other);
            if loaded
                .sources
                .files()
                .any(|(_, source)| source.name() == path)
            {
                loads.push(loaded);
            }
        }
        loads
    }
}

/// The path of a URI as the loader spells it.
pub(crate) fn clean(uri: &str) -> String {
    load::join("", &path_of(uri))
}

fn walk(folder: &Path, paths: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if paths.len() >= MAX_FILES {
            return;
        }
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            let built = matches!(&*name, "target" | "node_modules");
            if !name.starts_with('.') && !built {
                walk(&entry.path(), paths);
            }
        } else if (name.ends_with(".tick") || name.ends_with(".xml"))
            && let Some(path) = entry.path().to_str()
        {
            paths.push(load::join("", path));
        }
    }
}
