//! Printing messages about files.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};

use serde_json::{Value, json};
use tickseed_lang::diagnostics::{Diagnostic, Severity};
use tickseed_lang::model::SourceMap;

use crate::fail::Fail;

/// Messages of several files, each once however many files include the place it is about.
#[derive(Default)]
pub(crate) struct Messages {
    json: bool,
    colored: bool,
    seen: HashSet<String>,
    list: Vec<Value>,
    /// How many errors.
    pub(crate) errors: usize,
    /// How many warnings.
    pub(crate) warnings: usize,
    notes: usize,
}

impl Messages {
    /// For people, in colours where the output is a terminal, or as JSON.
    pub(crate) fn new(json: bool, terminal: bool) -> Messages {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Messages {
            json,
            colored: terminal && !plain,
            ..Messages::default()
        }
    }

    /// For people, on standard error.
    pub(crate) fn on_stderr() -> Messages {
        Messages::new(false, std::io::stderr().is_terminal())
    }

    /// Prints messages; JSON waits for [`Messages::finish_json`].
    pub(crate) fn print(
        &mut self,
        diagnostics: &[Diagnostic],
        sources: &SourceMap,
        out: &mut dyn Write,
    ) -> Result<(), Fail> {
        for diagnostic in diagnostics {
            let value = diagnostic.to_json(sources);
            if !self.seen.insert(value.to_string()) {
                continue;
            }
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
            if self.json {
                self.list.push(value);
            } else if self.colored {
                writeln!(out, "{}\n", diagnostic.render_colored(sources))?;
            } else {
                writeln!(out, "{}\n", diagnostic.render(sources))?;
            }
        }
        Ok(())
    }

    /// `2 errors, 1 warning`; nothing without messages.
    pub(crate) fn counts(&self) -> String {
        let counts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];
        let counts = counts.iter().filter(|(n, _)| *n > 0);
        let counts: Vec<_> = counts
            .map(|(n, what)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" }))
            .collect();
        counts.join(", ")
    }

    /// All messages as one JSON object.
    pub(crate) fn finish_json(self, files: usize, out: &mut dyn Write) -> Result<(), Fail> {
        let object = json!({
            "files": files,
            "errors": self.errors,
            "warnings": self.warnings,
            "notes": self.notes,
            "diagnostics": self.list,
        });
        serde_json::to_writer_pretty(&mut *out, &object)?;
        writeln!(out)?;
        Ok(())
    }
}
