//! Files named on the command line: paths, folders, and `-` for standard input.

use std::io::Read;
use std::path::Path;

use tickseed_lang::load::{self, Disk, Loaded};
use tickseed_lang::model::{Document, Format, Item, SourceMap};

use crate::fail::Fail;

/// What standard input is called in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// The formats by the names that the command line uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FormatName {
    /// Tickseed's text
    Tick,
    /// BehaviorTree.CPP's XML
    Xml,
    /// JSON, as docs/tick.schema.json describes it
    Json,
    /// Tickseed's binary (.tickb)
    Binary,
}

impl FormatName {
    /// The format of a path by its ending.
    pub(crate) fn of(path: &str) -> Option<FormatName> {
        let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "tick" => Some(FormatName::Tick),
            "xml" => Some(FormatName::Xml),
            "json" => Some(FormatName::Json),
            "tickb" => Some(FormatName::Binary),
            _ => None,
        }
    }

    /// The ending that files of the format have.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            FormatName::Tick => "tick",
            FormatName::Xml => "xml",
            FormatName::Json => "json",
            FormatName::Binary => "tickb",
        }
    }

    /// The format in the document model.
    pub(crate) fn format(self) -> Format {
        match self {
            FormatName::Tick => Format::Tick,
            FormatName::Xml => Format::Xml,
            FormatName::Json => Format::Json,
            FormatName::Binary => Format::Binary,
        }
    }
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &str) -> Result<Vec<u8>, Fail> {
    if path == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        return match read {
            Ok(_) => Ok(bytes),
            Err(e) => Err(Fail::File(STDIN.to_owned(), e)),
        };
    }
    std::fs::read(path).map_err(|e| Fail::File(path.to_owned(), e))
}

/// Loads a file with everything it includes. `stdin_name` is the path that standard input stands
/// for: it tells its format and where its includes are looked for.
pub(crate) fn load(path: &str, stdin_name: Option<&str>) -> Result<Loaded, Fail> {
    let bytes = read(path)?;
    let name = if path == "-" {
        stdin_name.unwrap_or(STDIN)
    } else {
        path
    };
    let name = &slashes(name);
    let loader = First {
        path: name.clone(),
        bytes,
    };
    Ok(load::load(name, &loader))
}

/// Loads a file, and beside it others whose trees and descriptions it may use without including
/// them, as the files of one project of Groot do. Their own main trees do not count, and those that
/// have errors are left out with a note.
pub(crate) fn load_with(
    path: &str,
    stdin_name: Option<&str>,
    with: &[String],
) -> Result<Loaded, Fail> {
    let mut loaded = load(path, stdin_name)?;
    if with.is_empty() {
        return Ok(loaded);
    }
    for other in expand(with, &["tick", "xml"])? {
        let known = |name: &str| {
            let mut files = loaded.sources.files();
            files.any(|(_, file)| file.name() == name)
        };
        if known(&load::join("", &slashes(&other))) || known(&slashes(&other)) {
            continue;
        }
        let beside = load(&other, None)?;
        if !beside.is_ok() {
            eprintln!("note: `{other}` has errors and is left out");
            continue;
        }
        for document in beside.documents {
            put_beside(&mut loaded, document, &beside.sources);
        }
    }
    Ok(loaded)
}

/// Puts a document of another load before what was loaded, so that the file asked for stays last.
fn put_beside(loaded: &mut Loaded, mut document: Document, sources: &SourceMap) {
    let source = sources.file(document.file);
    let (name, text) = source.map_or(("", ""), |s| (s.name(), s.text()));
    // Places must name the file by its number in the map that it is now in.
    let file = loaded.sources.add(name, text);
    if document.format != Format::Binary {
        document = load::read_as(document.format, text, file).0;
    }
    document.file = file;
    document.main = None;
    // What it includes was loaded with it.
    document
        .items
        .retain(|item| !matches!(item, Item::Import(_)));
    loaded.documents.insert(0, document);
}

/// A path with `/` between its parts, as includes are written.
fn slashes(path: &str) -> String {
    if std::path::MAIN_SEPARATOR == '/' {
        path.to_owned()
    } else {
        path.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// One file whose bytes are at hand; all others come from the disk.
struct First {
    path: String,
    bytes: Vec<u8>,
}

impl load::Loader for First {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        if load::join("", path) == load::join("", &self.path) {
            return Ok(self.bytes.clone());
        }
        Disk.read(path)
    }
}

/// The files that paths mean: a folder stands for the files with one of `endings` in it, however
/// deep, in the order of their names.
pub(crate) fn expand(paths: &[String], endings: &[&str]) -> Result<Vec<String>, Fail> {
    let mut files = Vec::new();
    for path in paths {
        if path != "-" && Path::new(path).is_dir() {
            folder(Path::new(path), endings, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        let kinds: Vec<_> = endings.iter().map(|e| format!(".{e}")).collect();
        return Err(Fail::Usage(format!(
            "no {} file is in {}",
            kinds.join(" or "),
            paths.join(", ")
        )));
    }
    Ok(files)
}

fn folder(path: &Path, endings: &[&str], files: &mut Vec<String>) -> Result<(), Fail> {
    let fail = |e| Fail::File(path.display().to_string(), e);
    let mut entries = std::fs::read_dir(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(fail)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(fail)?;
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if hidden {
            continue;
        }
        // Links to folders are not followed: they may lead in circles.
        if kind.is_dir() {
            folder(&path, endings, files)?;
        } else if let (Some(ending), Some(text)) = (path.extension(), path.to_str())
            && endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
        {
            files.push(text.to_owned());
        }
    }
    Ok(())
}
