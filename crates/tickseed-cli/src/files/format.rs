//! `tickseed fmt`.

use std::io::Write;

use tickseed_lang::model::SourceMap;
use tickseed_lang::{fmt, load, model, tick};

use super::input;
use super::messages::Messages;
use crate::fail::{Fail, UntilClosed};

#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Exit codes: 0 done, 1 a file has errors or (with --check) another form, 2 the command line makes no sense."
)]
pub(crate) struct Format {
    /// Files to format, folders with .tick files, or `-` to format standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Change nothing; name the files that would change and fail if there are any
    #[arg(long)]
    check: bool,
}

impl Format {
    /// Formats.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let files = input::expand(&self.files, &["tick"])?;
        let mut messages = Messages::on_stderr();
        let mut out = UntilClosed::new(std::io::stdout().lock());
        let (mut changed, mut broken) = (0, 0);
        for file in &files {
            let bytes = input::read(file)?;
            let stdin = file == "-";
            let name = if stdin { input::STDIN } else { file };
            let format = load::detect(name, &bytes);
            if format != model::Format::Tick {
                // How people laid out their XML is theirs.
                eprintln!("{name}: left as it is: only .tick files have a canonical form");
                if stdin && !self.check {
                    out.write_all(&bytes)?;
                }
                continue;
            }
            let mut sources = SourceMap::new();
            let (text, problem) = load::decode(&bytes);
            let id = sources.add(name, text.as_ref());
            let parsed = match problem {
                Some(problem) => Err(vec![problem.in_file(id)]),
                None => match tick::parse(&sources, id) {
                    parsed if parsed.is_ok() => Ok(parsed.document),
                    parsed => Err(parsed.diagnostics),
                },
            };
            let document = match parsed {
                Ok(document) => document,
                Err(diagnostics) => {
                    broken += 1;
                    messages.print(&diagnostics, &sources, &mut std::io::stderr().lock())?;
                    continue;
                }
            };
            let formatted = fmt::format(&document);
            let same = formatted == *text;
            changed += usize::from(!same);
            if self.check {
                if !same {
                    writeln!(out, "{name}: would be reformatted")?;
                }
            } else if stdin {
                out.write_all(formatted.as_bytes())?;
            } else if !same {
                std::fs::write(file, formatted).map_err(|e| Fail::File(file.clone(), e))?;
                writeln!(out, "{name}: formatted")?;
            }
        }
        if broken > 0 {
            eprintln!(
                "{}; files with errors were left as they are",
                messages.counts()
            );
        }
        if broken > 0 || (self.check && changed > 0) {
            return Err(Fail::Findings);
        }
        Ok(())
    }
}
