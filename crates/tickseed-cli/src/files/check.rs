//! `tickseed check`.

use std::io::{IsTerminal, Write};

use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::load::{Duplicates, Loaded};
use tickseed_lang::model::Document;
use tickseed_lang::{build, check, simulate};

use super::input;
use super::messages::Messages;
use crate::fail::{Fail, UntilClosed};

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
    /// Files or folders whose trees and descriptions of nodes are known too; may be repeated
    #[arg(long, value_name = "FILE")]
    with: Vec<String>,
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
        let mut out = UntilClosed::new(stdout.lock());
        for file in &files {
            let loaded = input::load_with(file, self.stdin_name.as_deref(), &self.with)?;
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

/// Everything that is wrong with what was loaded.
pub(crate) fn findings(loaded: &Loaded, allow_unknown_nodes: bool) -> Vec<Diagnostic> {
    let mut found = loaded.diagnostics.clone();
    // What could not be read is not judged further: everything would follow from the one mistake.
    let read = !found.iter().any(Diagnostic::is_error);
    let Some(main) = loaded.document() else {
        return found;
    };
    // In XML a file overrides what it includes, as in BehaviorTree.CPP.
    let duplicates = match main.has_btcpp_keys() {
        true => Duplicates::Replace,
        false => Duplicates::Error,
    };
    let of_trees = loaded.trees(duplicates).1;
    // The check of `.tick` knows XML's descriptions of nodes, but not the nodes of XML's trees.
    let native: Vec<&Document> = (loaded.documents.iter().rev())
        .filter(|document| !document.has_btcpp_keys() || document.trees().next().is_none())
        .collect();
    let checked = if read && !main.has_btcpp_keys() {
        let described = loaded.documents.iter().any(|d| d.models().next().is_some());
        let mut options = check::Options::default();
        // Trees of included XML files are known by name only.
        let foreign = native.len() < loaded.documents.len();
        options.allow_unknown_nodes = allow_unknown_nodes || !described || foreign;
        check::check(&native, &options)
    } else {
        Vec::new()
    };
    let mut more = of_trees;
    more.extend(checked);
    if read && !more.iter().any(Diagnostic::is_error) {
        more.extend(unbuildable(loaded, duplicates));
        more.extend(check::described(&loaded.documents));
        more.extend(check::unwritten(&loaded.documents));
        if !allow_unknown_nodes {
            more.extend(check::misspelt(&loaded.documents));
        }
    }
    for diagnostic in more {
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

/// What the engine says against the main tree, if there is one: names in scripts, zero durations,
/// what could be interrupted and must not. The code of leaves is not needed for that.
fn unbuildable(loaded: &Loaded, duplicates: Duplicates) -> Vec<Diagnostic> {
    if loaded.main_tree(duplicates).is_err() {
        return Vec::new();
    }
    let registry = simulate::registry(&loaded.documents, &simulate::Plan::default());
    let files = Loaded {
        diagnostics: Vec::new(),
        ..loaded.clone()
    };
    match build::from_loaded(files, &registry, &build::Options::default()) {
        Ok(built) => built.diagnostics,
        Err(failed) => failed.diagnostics,
    }
}

/// What a code is about, whoever reports it.
fn topic(code: &str) -> &str {
    code.rsplit("::").next().unwrap_or(code)
}
