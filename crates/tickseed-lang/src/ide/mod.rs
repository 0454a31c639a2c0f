//! What editors ask about files: what a name means, where else it occurs, what could be inserted
//! here.
//!
//! Everything works on files while they are being typed, as far as the readers understand them.
//! Places are byte spans; protocols and their units are left to the caller.
//!
//! ```
//! use tickseed_lang::{ide::Files, load::{Memory, load}};
//! let mut files = Memory::default();
//! files.add("a.tick", "main tree Main { Walk }\n/// Goes on foot.\ntree Walk { success }\n");
//! let loaded = load("a.tick", &files);
//! let files = Files::new(&loaded);
//! let file = loaded.document().unwrap().file;
//! let definition = files.definition(file, 18).unwrap();
//! assert_eq!(loaded.sources.line_column(definition).unwrap().line, 3);
//! assert!(files.hover(file, 18).unwrap().text.contains("Goes on foot."));
//! ```

mod alone;
mod change;
mod complete;
mod extract;
mod hover;
mod occurrences;
mod outline;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::fmt::spell;
use crate::lex::is_plain_name;
use crate::load::Loaded;
use crate::model::{Document, FileId, Format, NodeModel, SourceMap, Span, Tree};

pub use alone::alone;
pub use change::{Change, ChangeError, Changed, SwitchedOff, change, switched_off};
pub use complete::{Completion, CompletionKind};
pub use hover::Hover;
pub use occurrences::{Occurrence, Owner, Symbol};
pub use outline::{Outline, OutlineKind};

/// Files that belong together, and everything named in them.
#[derive(Debug)]
pub struct Files<'d> {
    documents: &'d [Document],
    sources: &'d SourceMap,
    trees: HashMap<&'d str, (&'d Document, &'d Tree)>,
    models: HashMap<&'d str, &'d NodeModel>,
    occurrences: Vec<Occurrence>,
}

/// Why a name cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenameError {
    /// Nothing that has a name stands there.
    NoName,
    /// The name belongs to the language.
    BuiltIn(String),
    /// The new name is no name in a file of this format.
    BadName {
        /// What it should have been.
        name: String,
        /// What stands against it.
        why: &'static str,
    },
    /// Something has the new name already.
    Taken(String),
}

impl std::fmt::Display for RenameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RenameError::NoName => f.write_str("no name stands here"),
            RenameError::BuiltIn(name) => write!(f, "`{name}` is built in"),
            RenameError::BadName { name, why } => write!(f, "`{name}` is no name: {why}"),
            RenameError::Taken(name) => write!(f, "`{name}` exists already"),
        }
    }
}

impl std::error::Error for RenameError {}

impl<'d> Files<'d> {
    /// Reads the names of everything that was loaded.
    pub fn new(loaded: &'d Loaded) -> Self {
        Self::of(&loaded.documents, &loaded.sources)
    }

    /// Reads the names of documents; of several things of one name the last counts.
    pub fn of(documents: &'d [Document], sources: &'d SourceMap) -> Self {
        let mut files = Files {
            documents,
            sources,
            trees: HashMap::new(),
            models: HashMap::new(),
            occurrences: Vec::new(),
        };
        for document in documents {
            for tree in document.trees() {
                files.trees.insert(tree.name.as_str(), (document, tree));
            }
            for model in document.models() {
                files.models.insert(model.name.as_str(), model);
            }
        }
        files.occurrences = occurrences::all(&files);
        files
    }

    fn document(&self, file: FileId) -> Option<&'d Document> {
        self.documents.iter().find(|document| document.file == file)
    }

    fn text(&self, file: FileId) -> &'d str {
        self.sources.file(file).map_or("", |source| source.text())
    }

    /// Every place where something is named.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// What is named at a place; the narrowest, where several are.
    pub fn at(&self, file: FileId, offset: usize) -> Option<&Occurrence> {
        let here = |o: &&Occurrence| o.span.file == file && o.span.touches(offset);
        self.occurrences
            .iter()
            .filter(here)
            .min_by_key(|o| o.span.end - o.span.start)
    }

    /// Where the thing named at a place is declared; for an import, the start of the file.
    pub fn definition(&self, file: FileId, offset: usize) -> Option<Span> {
        let found = self.at(file, offset)?;
        if let Symbol::File(path) = &found.symbol {
            let mut sources = self.sources.files();
            return sources
                .find(|(_, source)| source.name() == path)
                .map(|(id, _)| Span::new(id, 0, 0));
        }
        let same = || self.occurrences.iter().filter(|o| o.symbol == found.symbol);
        // XML declares no keys: they begin where they are first named.
        same()
            .find(|o| o.declares)
            .or_else(|| same().next())
            .map(|o| o.span)
    }

    /// All places that name what is named at a place, declarations included.
    pub fn references(&self, file: FileId, offset: usize) -> Vec<&Occurrence> {
        let Some(found) = self.at(file, offset) else {
            return Vec::new();
        };
        let all = self.occurrences.iter();
        all.filter(|o| o.symbol == found.symbol).collect()
    }

    /// What to put where, so that the thing named at a place has another name everywhere.
    ///
    /// # Errors
    /// There is no name, it is the language's, or the new one cannot be used.
    pub fn rename(
        &self,
        file: FileId,
        offset: usize,
        name: &str,
    ) -> Result<Vec<(Span, String)>, RenameError> {
        let found = self.at(file, offset).ok_or(RenameError::NoName)?;
        let bad = |why| RenameError::BadName {
            name: name.to_owned(),
            why,
        };
        match &found.symbol {
            Symbol::File(_) => return Err(RenameError::NoName),
            Symbol::BuiltIn(kind) => return Err(RenameError::BuiltIn(kind.clone())),
            _ => {}
        }
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(bad("it is empty or has control characters"));
        }
        let renamed = found.symbol.with_name(name);
        if renamed != found.symbol
            && self
                .occurrences
                .iter()
                .any(|o| o.symbol == renamed && o.declares)
        {
            return Err(RenameError::Taken(name.to_owned()));
        }
        let mut edits = Vec::new();
        for occurrence in &self.occurrences {
            let is_it = occurrence.symbol == found.symbol;
            // `goal: =` names the port and the key at once: when one of them changes, the key is
            // written out.
            if let Some(port) = &occurrence.same_name {
                let text = match (is_it, *port == found.symbol) {
                    (true, false) => name,
                    (false, true) => occurrence.symbol.name(),
                    _ => continue,
                };
                let xml = self.is_xml(occurrence.span.file);
                let text = if xml {
                    format!("{{{text}}}")
                } else {
                    spell(text)
                };
                edits.push((occurrence.span, text));
                continue;
            }
            if !is_it {
                continue;
            }
            let text = if self.is_xml(occurrence.span.file) {
                let mark = |c| matches!(c, '<' | '>' | '&' | '"' | '\'' | '{' | '}');
                let no_attribute = !is_plain_name(name) && occurrence.markup;
                if name.contains(mark) || no_attribute {
                    return Err(bad("XML cannot say it here"));
                }
                name.to_owned()
            } else {
                spell(name)
            };
            edits.push((occurrence.span, text));
        }
        Ok(edits)
    }

    fn is_xml(&self, file: FileId) -> bool {
        self.document(file)
            .is_some_and(|document| document.format == Format::Xml)
    }

    /// The tree that a place lies in, also where the tree is not finished.
    fn tree_at(&self, file: FileId, offset: usize) -> Option<&'d Tree> {
        let trees = self.document(file)?.trees();
        let before = trees.filter(|tree| tree.span.start as usize <= offset);
        before
            .max_by_key(|tree| tree.span.start)
            .filter(|tree| self.unfinished(tree) || tree.span.touches(offset))
    }

    /// Whether a tree's closing mark is missing, so that all that follows is its own.
    fn unfinished(&self, tree: &Tree) -> bool {
        let text = self.text(tree.span.file);
        let end = text.get(tree.span.range()).unwrap_or("").trim_end();
        !(end.ends_with('}') || end.ends_with('>'))
    }
}
