//! `tickseed check`.

use std::io::{IsTerminal, Write};

use tickseed_lang::check;
use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::load::{Duplicates, Loaded};
use tickseed_lang::model::{Document, Format};

use super::input;
use super::messages::Messages;
use crate::fail::Fail;

/// Which messages count as failures besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Deny {
    /// Warnings too
    Warnings,
}

#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Exit codes: 0 no errors, 1 errors (with --deny warnings: or warnings), 2 the command line makes no sense."
)]
pub(crate) struct Check {
    /// Files to check, folders with .tick and .xml files, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// One JSON object with all messages
    #[arg(long)]
    json: bool,
    /// Fail on warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Accept nodes that are nowhere described; always so when no file describes any
    #[arg(long)]
    allow_unknown_nodes: bool,
    /// Files with descriptions of nodes to check against; may be repeated
    #[arg(long, value_name = "FILE")]
    models: Vec<String>,
    /// The path that standard input stands for: tells its format and the folder of its includes
    #[arg(long, value_name = "PATH")]
    stdin_name: Option<String>,
}

impl Check {
    /// Checks and prints.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let files = input::expand(&self.files, &["tick", "xml"])?;
        let stdout = std::io::stdout();
        let mut messages = Messages::new(self.json, stdout.is_terminal());
        let mut out = stdout.lock();
        for file in &files {
            let mut loaded = input::load(file, self.stdin_name.as_deref())?;
            for models in &self.models {
                add_models(&mut loaded, input::load(models, None)?);
            }
            let found = findings(&loaded, self.allow_unknown_nodes);
            messages.print(&found, &loaded.sources, &mut out)?;
        }
        let failed =
            messages.errors > 0 || (self.deny == Some(Deny::Warnings) && messages.warnings > 0);
        if self.json {
            messages.finish_json(files.len(), &mut out)?;
        } else {
            let of = match files.as_slice() {
                [_] => "1 file".to_owned(),
                files => format!("{} files", files.len()),
            };
            match messages.counts().as_str() {
                "" => writeln!(out, "{of}: nothing to report")?,
                counts => writeln!(out, "{of}: {counts}")?,
            }
        }
        if failed { Err(Fail::Findings) } else { Ok(()) }
    }
}

/// Puts the descriptions of nodes before what was loaded, so that it stays the last document.
fn add_models(loaded: &mut Loaded, models: Loaded) {
    for mut document in models.documents {
        let source = models.sources.file(document.file);
        let (name, text) = source.map_or(("", ""), |s| (s.name(), s.text()));
        // Places must name the file in the map it is now in.
        let file = loaded.sources.add(name, text);
        if document.format != Format::Binary {
            document = tickseed_lang::load::read_as(document.format, text, file).0;
        }
        document.file = file;
        let keep = |item: &tickseed_lang::model::Item| {
            use tickseed_lang::model::Item;
            matches!(item, Item::Model(_) | Item::Enum(_))
        };
        document.items.retain(keep);
        document.main = None;
        loaded.documents.insert(0, document);
    }
    loaded.diagnostics.extend(models.diagnostics);
}

/// Everything that is wrong with what was loaded.
pub(crate) fn findings(loaded: &Loaded, allow_unknown_nodes: bool) -> Vec<Diagnostic> {
    let mut found = loaded.diagnostics.clone();
    // What could not be read is not judged further: everything would follow from the one mistake.
    let read = !found.iter().any(Diagnostic::is_error);
    let Some(main) = loaded.document() else {
        return found;
    };
    // In XML a file overrides what it includes, as in BehaviorTree.CPP.
    let duplicates = match main.format {
        Format::Xml => Duplicates::Replace,
        _ => Duplicates::Error,
    };
    let of_trees = loaded.trees(duplicates).1;
    // The check of `.tick` knows XML's descriptions of nodes, but not the nodes of XML's trees.
    let native: Vec<&Document> = (loaded.documents.iter().rev())
        .filter(|document| document.format != Format::Xml || document.trees().next().is_none())
        .collect();
    let checked = if read && main.format != Format::Xml {
        let described = loaded.documents.iter().any(|d| d.models().next().is_some());
        let mut options = check::Options::default();
        // Trees of included XML files are known by name only.
        let foreign = native.len() < loaded.documents.len();
        options.allow_unknown_nodes = allow_unknown_nodes || !described || foreign;
        check::check(&native, &options)
    } else {
        Vec::new()
    };
    for diagnostic in of_trees.into_iter().chain(checked) {
        // The reader, the loader and the check know some mistakes alike: one message suffices.
        let same_place = |other: &Diagnostic| {
            other.severity == diagnostic.severity
                && other.primary.as_ref().map(|l| l.span)
                    == diagnostic.primary.as_ref().map(|l| l.span)
                && topic(other.code) == topic(diagnostic.code)
        };
        if !found.iter().any(same_place) {
            found.push(diagnostic);
        }
    }
    found
}

/// What a code is about, whoever reports it.
fn topic(code: &str) -> &str {
    code.rsplit("::").next().unwrap_or(code)
}
