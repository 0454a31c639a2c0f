//! Loading a file with everything it includes, in any format.
//!
//! Paths are relative to the file that names them; each file is read once, however often it is
//! named; a cycle of includes is an error that names its files.
//!
//! ```
//! use tickseed_lang::load::{Duplicates, Memory, load};
//! let mut files = Memory::default();
//! files.add("main.tick", "import \"lib/legs.xml\"\nmain tree Main { subtree Walk }\n");
//! files.add("lib/legs.xml", "<root><BehaviorTree ID='Walk'><Step/></BehaviorTree></root>");
//! let loaded = load("main.tick", &files);
//! assert!(loaded.is_ok(), "{}", loaded.render());
//! let (trees, _) = loaded.trees(Duplicates::Error);
//! assert_eq!(trees.keys().copied().collect::<Vec<_>>(), ["Main", "Walk"]);
//! ```

mod decode;
#[cfg(test)]
mod tests;
mod trees;

pub use decode::{BadText, decode};
pub(crate) use trees::there_are;
pub use trees::{Duplicates, Found};

use crate::diagnostics::{Diagnostic, render_all};
use crate::model::{Document, FileId, Format, Import, SourceMap, Span};
use crate::{binary, json, tick, xml};
use std::collections::{BTreeMap, HashSet};

/// Longest chain of files that include each other.
const MAX_CHAIN: usize = 64;

/// Where files come from. Paths use `/`.
pub trait Loader {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Why it cannot be read, for people.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// The path that `path` means when the file `from` names it.
    fn resolve(&self, from: &str, path: &str) -> String {
        join(from, path)
    }

    /// What tells the file at a path from all others: two names of one file give the same, so it is
    /// read once and circles are found. By default the path itself.
    fn identity(&self, path: &str) -> String {
        path.to_owned()
    }

    /// The path of a file in a ROS package, for `ros_pkg` in XML. Without ROS there is none.
    fn resolve_package(&self, package: &str, path: &str) -> Option<String> {
        let _ = (package, path);
        None
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Loader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| match beside(path) {
            Some(near) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("{error}; did you mean `{near}`?")
            }
            _ => error.to_string(),
        })
    }

    /// The path without links.
    fn identity(&self, path: &str) -> String {
        std::fs::canonicalize(path).map_or_else(
            |_| path.to_owned(),
            |path| path.to_string_lossy().into_owned(),
        )
    }
}

/// The file in the same folder whose name is a slip, a case or an ending away.
fn beside(path: &str) -> Option<String> {
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), path),
    };
    let shown = if folder.is_empty() { "." } else { &folder };
    let files = std::fs::read_dir(shown).ok()?.take(10_000);
    let names: Vec<String> = (files.flatten())
        .filter(|file| file.file_type().is_ok_and(|kind| !kind.is_dir()))
        .filter_map(|file| file.file_name().into_string().ok())
        .collect();
    let stem =
        |name: &String| (name.rsplit_once('.')).is_some_and(|(stem, _)| stem == name_of(path));
    let near = crate::diagnostics::nearest(name, names.iter().map(String::as_str));
    let near = near.or_else(|| names.iter().find(|name| stem(name)).map(String::as_str));
    near.map(|near| format!("{folder}{near}"))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Files in memory: for tests, editors and games that pack their data.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// Adds a file or replaces it.
    pub fn add(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), content.into());
    }
}

impl Loader for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.files.get(path).cloned().ok_or_else(|| {
            let nearest = crate::diagnostics::nearest(path, self.files.keys().map(String::as_str));
            match nearest {
                Some(name) => format!("no such file; did you mean `{name}`?"),
                None => "no such file".to_owned(),
            }
        })
    }
}

/// `path` as seen from the folder of the file `from`, without `.` and `..` where possible.
pub fn join(from: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || std::path::Path::new(path).is_absolute();
    let folder = match from.rsplit_once('/') {
        Some((folder, _)) if !absolute => folder,
        _ => "",
    };
    let rooted = path.starts_with('/') || (!absolute && from.starts_with('/'));
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

/// What came of loading.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// All files that were read.
    pub sources: SourceMap,
    /// Their documents: each file stands behind those it includes, so the last is the one asked for.
    pub documents: Vec<Document>,
    /// Messages, file by file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Whether there are no errors.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The document that was asked for. Only its main tree counts.
    pub fn document(&self) -> Option<&Document> {
        self.documents.last()
    }

    /// All messages with their lines of source.
    pub fn render(&self) -> String {
        render_all(&self.diagnostics, &self.sources)
    }
}

/// Loads a file and everything it includes.
pub fn load(path: &str, loader: &dyn Loader) -> Loaded {
    let mut loading = Loading {
        loader,
        loaded: Loaded::default(),
        seen: HashSet::new(),
        chain: Vec::new(),
    };
    let path = loader.resolve("", path);
    match loader.read(&path) {
        Ok(bytes) => loading.file(&path, &bytes),
        Err(why) => {
            let message = format!("cannot read `{path}`: {why}");
            loading
                .loaded
                .diagnostics
                .push(Diagnostic::error("load::unreadable", message));
        }
    }
    loading.loaded
}

/// Loads a text with everything it includes; paths in it are relative to the working folder.
/// `name` is what messages call it; its ending tells the format, else its content does.
pub fn load_text(name: &str, text: &str, loader: &dyn Loader) -> Loaded {
    let mut loading = Loading {
        loader,
        loaded: Loaded::default(),
        seen: HashSet::new(),
        chain: Vec::new(),
    };
    loading.file(name, text.as_bytes());
    loading.loaded
}

/// The format of a file, by its name's ending or else by how its content starts.
pub fn detect(path: &str, content: &[u8]) -> Format {
    if binary::is_binary(content) {
        return Format::Binary;
    }
    let ending = path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("xml") => return Format::Xml,
        Some("tick") => return Format::Tick,
        Some("json") => return Format::Json,
        Some("tickb") => return Format::Binary,
        _ => {}
    }
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    match content.trim_ascii_start().first() {
        Some(b'<') => Format::Xml,
        Some(b'{') => Format::Json,
        _ => Format::Tick,
    }
}

/// Reads one file's content as a document of a format. `file` must be its number in the source map.
///
/// Without the feature `formats` there is only `.tick`: others are answered with an error.
pub fn read_as(format: Format, text: &str, file: FileId) -> (Document, Vec<Diagnostic>) {
    if cfg!(not(feature = "formats")) && !matches!(format, Format::Tick | Format::Built) {
        return (
            Document {
                file,
                ..Document::default()
            },
            vec![Diagnostic::error(
                "load::no-format",
                "this program reads `.tick` files only",
            )],
        );
    }
    if format != Format::Xml
        && let Some(conflict) = conflict(text, file)
    {
        let document = Document {
            file,
            format,
            ..Document::default()
        };
        return (document, vec![conflict]);
    }
    match format {
        Format::Xml => xml::read(text, file, &xml::Options::default()),
        Format::Json => json::read(text, file),
        Format::Tick | Format::Built | Format::Binary => {
            let parsed = tick::parse_text(text, file);
            (parsed.document, parsed.diagnostics)
        }
    }
}

/// Marks of version control where two changes meet: everything else that is wrong follows from them.
/// (XML's reader goes on behind them.)
fn conflict(text: &str, file: FileId) -> Option<Diagnostic> {
    let starts = |mark: &str| {
        let at = match text.starts_with(mark) {
            true => Some(0),
            false => text.find(&format!("\n{mark}")).map(|at| at + 1),
        };
        at.map(|at| Span::new(file, at, at + mark.len()))
    };
    let (begin, end) = (starts("<<<<<<<")?, starts(">>>>>>>")?);
    let message = "a conflict of version control is not settled here";
    let help = "keep one of the two sides, between `<<<<<<<` and `=======` or between that and `>>>>>>>`, and remove the marks";
    let diagnostic = Diagnostic::error("load::conflict", message).at(begin, "");
    Some(diagnostic.and(end, "it ends here").help(help))
}

struct Loading<'l> {
    loader: &'l dyn Loader,
    loaded: Loaded,
    /// Files read or being read, by what tells them apart.
    seen: HashSet<String>,
    /// Files being read, outermost first: path and what tells it from others.
    chain: Vec<(String, String)>,
}

impl Loading<'_> {
    fn file(&mut self, path: &str, bytes: &[u8]) {
        let format = detect(path, bytes);
        let binary = cfg!(feature = "formats") && format == Format::Binary;
        let (document, diagnostics) = if binary {
            let file = self.loaded.sources.add(path, "");
            match binary::read(bytes) {
                Ok(document) => (Document { file, ..document }, Vec::new()),
                Err(error) => {
                    let message = format!("cannot read `{path}`: {error}");
                    (
                        Document::default(),
                        vec![Diagnostic::error("load::binary", message)],
                    )
                }
            }
        } else {
            let (text, problem) = decode(bytes);
            let file = self.loaded.sources.add(path, text.as_ref());
            match problem {
                Some(diagnostic) => (
                    Document {
                        file,
                        ..Document::default()
                    },
                    vec![diagnostic.in_file(file)],
                ),
                None => read_as(format, &text, file),
            }
        };
        self.loaded.diagnostics.extend(diagnostics);
        let identity = self.loader.identity(path);
        self.seen.insert(identity.clone());
        self.chain.push((path.to_owned(), identity));
        for import in document.imports() {
            self.import(path, import);
        }
        self.chain.pop();
        self.loaded.documents.push(document);
    }

    fn import(&mut self, from: &str, import: &Import) {
        let written = import.path.as_str();
        // The reader has reported an include without a path.
        if written.is_empty() {
            return;
        }
        let error =
            |code, message: String| Diagnostic::error(code, message).at(import.path.span, "");
        let package = import
            .attributes
            .iter()
            .find(|a| matches!(a.name(), "xml:ros_pkg" | "ros_pkg"));
        let package = package
            .and_then(|a| a.value.as_ref())
            .map(|value| value.to_attribute());
        let path = match &package {
            Some(package) if !written.starts_with('/') => {
                let Some(path) = self.loader.resolve_package(package, written) else {
                    let message = format!(
                        "`{written}` lies in the ROS package `{package}`, and no ROS is at hand"
                    );
                    let help = "give the path itself, or a loader that knows packages";
                    self.loaded
                        .diagnostics
                        .push(error("load::ros-package", message).help(help));
                    return;
                };
                path
            }
            _ => self.loader.resolve(from, written),
        };
        let identity = self.loader.identity(&path);
        if let Some(start) = self.chain.iter().position(|open| open.1 == identity) {
            let open = self.chain[start..].iter();
            let mut circle: Vec<&str> = open.map(|(path, _)| path.as_str()).collect();
            circle.push(&path);
            let message = format!(
                "files include each other in a circle: {}",
                circle.join(" -> ")
            );
            self.loaded
                .diagnostics
                .push(error("load::include-cycle", message));
            return;
        }
        if self.seen.contains(&identity) {
            return;
        }
        if self.chain.len() >= MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} files include each other in a row");
            self.loaded
                .diagnostics
                .push(error("load::include-depth", message));
            return;
        }
        match self.loader.read(&path) {
            Ok(bytes) => self.file(&path, &bytes),
            Err(why) => {
                let shown = if path.is_empty() { written } else { &path };
                let message = format!("cannot read `{shown}`, which `{from}` includes: {why}");
                let help = if written.contains("://") {
                    Some("a path of this computer is expected, no address")
                } else if written.contains('\\') {
                    Some("folders are parted by `/`, on every system")
                } else if written.starts_with('~') || written.contains('$') {
                    Some("paths are taken as they are: nothing is put in for `~` or `$`")
                } else {
                    None
                };
                self.loaded
                    .diagnostics
                    .push(error("load::unreadable", message).maybe_help(help.map(str::to_owned)));
            }
        }
    }
}
