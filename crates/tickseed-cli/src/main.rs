//! The `tickseed` command.
//!
//! Exit codes: 0 for success (also when the reader of the output went away), 1 if the run failed or
//! the files have mistakes, 2 if the command line is invalid.

mod args;
mod bench;
mod fail;
mod files;
mod lsp;
mod plain;
mod recording;
mod report;
mod screen;
mod serving;
mod show;
mod sim;
mod stop;
mod studio;
mod watch;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::fail::Fail;

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.command {
        Command::Run(run) => start(&run),
        Command::Record(record) => record.run(),
        Command::Replay(replay) => replay.run(),
        Command::Show(show) => show.run(),
        Command::Watch(watch) => watch.run(),
        Command::List => plain::list(&mut std::io::stdout().lock()),
        Command::Studio(studio) => studio.run(),
        Command::Check(check) => check.run(),
        Command::Fmt(format) => format.run(),
        Command::Convert(convert) => convert.run(),
        Command::Models(models) => models.run(),
        Command::Sim(sim) => sim.run(),
        Command::Bench(bench) => bench.run(),
        Command::Lsp(lsp) => lsp.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) if fail.reader_gone() => ExitCode::SUCCESS,
        // The messages are the output.
        Err(fail @ Fail::Findings) => ExitCode::from(fail.code()),
        Err(fail) => {
            eprintln!("error: {fail}");
            ExitCode::from(fail.code())
        }
    }
}

fn start(run: &args::Run) -> Result<(), Fail> {
    if let Some(sim) = run.of_file()? {
        return sim.run();
    }
    if let Some(at) = run.serve {
        let served = serving::Served {
            begin: run.setup.command()?,
            at,
            token: None,
            ticks: run.ticks,
            quiet: run.quiet,
        };
        return serving::run(served, |server| {
            // In one piece: whoever reads the address only may be gone by the second line.
            let text = format!("{}\nin a browser: {}\n", server.address(), server.page());
            let mut out = std::io::stdout();
            out.write_all(text.as_bytes())?;
            out.flush()
        });
    }
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if terminal && !run.wants_lines() {
        return screen::run(run);
    }
    let mut world = run.world()?;
    plain::run(run, &mut *world, &mut std::io::stdout().lock())
}
