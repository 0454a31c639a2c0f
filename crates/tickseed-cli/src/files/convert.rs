//! `tickseed convert`.

use std::io::Write;

use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::load::{self, read_as};
use tickseed_lang::model::{Document, FileId, Format, SourceMap};
use tickseed_lang::{binary, fmt, json, xml};

use super::input::{self, FormatName};
use super::losses::losses;
use super::messages::Messages;
use crate::fail::Fail;

#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "What the target cannot hold is said on standard error. Includes are not followed: convert each file.\n\nExit codes: 0 done, 1 the file has errors, 2 the command line makes no sense."
)]
pub(crate) struct Convert {
    /// The file to read, or `-` for standard input
    #[arg(value_name = "IN")]
    input: String,
    /// The file to write; without one, or with `-`, standard output
    #[arg(value_name = "OUT")]
    output: Option<String>,
    /// The same as OUT, as other commands have it
    #[arg(short, long = "output", value_name = "OUT", conflicts_with = "output")]
    out: Option<String>,
    /// The format of IN [default: by its ending, else by its content]
    #[arg(long, value_name = "FORMAT")]
    from: Option<FormatName>,
    /// The format of OUT [default: by its ending]
    #[arg(long, value_name = "FORMAT")]
    to: Option<FormatName>,
    /// Leave comments and blank lines away
    #[arg(long)]
    strip: bool,
}

impl Convert {
    /// Reads, writes, and says what was lost.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let output = self.output.as_deref().or(self.out.as_deref());
        let output = output.filter(|o| *o != "-");
        let Some(to) = self.to.or_else(|| output.and_then(FormatName::of)) else {
            return Err(Fail::Usage(match output {
                Some(path) => format!(
                    "the ending of `{path}` tells no format: name it .tick, .xml, .json or .tickb, or say --to"
                ),
                None => "no format to write: say --to tick, xml, json or binary".to_owned(),
            }));
        };
        let mut document = self.document()?;
        document.prepare(to.format());
        let document = if self.strip {
            document.meaning()
        } else {
            document
        };
        let bytes = write(&document, to);
        let back = reread(&bytes, to)?;
        if !back.same_meaning(&document) {
            return Err(Fail::Usage(format!(
                "`{}` cannot be said in .{}; please report this file",
                self.input,
                to.ending()
            )));
        }
        for loss in losses(&document, to, &back) {
            eprintln!("note: {loss}");
        }
        match output {
            Some(path) => std::fs::write(path, bytes).map_err(|e| Fail::File(path.to_owned(), e)),
            None => Ok(std::io::stdout().lock().write_all(&bytes)?),
        }
    }

    /// Reads the input; mistakes are printed, and with an error nothing is converted.
    fn document(&self) -> Result<Document, Fail> {
        let bytes = input::read(&self.input)?;
        let name = if self.input == "-" {
            input::STDIN
        } else {
            &self.input
        };
        let format = match self.from {
            Some(from) => from.format(),
            None => load::detect(name, &bytes),
        };
        let mut sources = SourceMap::new();
        let (document, diagnostics) = if format == Format::Binary {
            let file = sources.add(name, "");
            match binary::read(&bytes) {
                Ok(document) => (Document { file, ..document }, Vec::new()),
                Err(error) => {
                    let message = format!("cannot read `{name}`: {error}");
                    let diagnostic = Diagnostic::error("load::binary", message);
                    (Document::default(), vec![diagnostic])
                }
            }
        } else {
            let (text, problem) = load::decode(&bytes);
            let file = sources.add(name, text.as_ref());
            match problem {
                Some(problem) => (Document::default(), vec![problem.in_file(file)]),
                None => read_as(format, &text, file),
            }
        };
        let mut messages = Messages::on_stderr();
        // Warnings are for `check`.
        let errors: Vec<_> = diagnostics
            .into_iter()
            .filter(Diagnostic::is_error)
            .collect();
        messages.print(&errors, &sources, &mut std::io::stderr().lock())?;
        if messages.errors > 0 {
            eprintln!("{}; nothing was written", messages.counts());
            return Err(Fail::Findings);
        }
        Ok(document)
    }
}

/// A document in a format.
pub(crate) fn write(document: &Document, to: FormatName) -> Vec<u8> {
    match to {
        FormatName::Tick => fmt::format(document).into_bytes(),
        FormatName::Xml => xml::write(document).into_bytes(),
        FormatName::Json => json::write(document).into_bytes(),
        FormatName::Binary => binary::write(document),
    }
}

/// What a reader makes of what was written.
fn reread(bytes: &[u8], format: FormatName) -> Result<Document, Fail> {
    if format == FormatName::Binary {
        return binary::read(bytes).map_err(|e| Fail::Usage(e.to_string()));
    }
    let text = String::from_utf8_lossy(bytes);
    Ok(read_as(format.format(), &text, FileId::default()).0)
}
