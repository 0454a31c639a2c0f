//! Runs the workloads on all engines and prints one table.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tickseed_bench::measure::{Contest, Effort, Table, measure};
use tickseed_bench::report;
use tickseed_benches::callgrind;
use tickseed_benches::contests::contests;

const USAGE: &str = "\
usage: tickseed-benches [options]
  --quick            a short run that shows that everything works; its figures mean little
  --json             print JSON in place of the table
  --instructions     also count instructions per tick (needs valgrind)
  --workload NAME    only this workload: w1, w2 or w3 (may be repeated)
  --engine TEXT      only engines whose name contains TEXT, beside the baseline (may be repeated)
  --agents N         agents in cold runs (100000)
  --repetitions N    interleaved repetitions, of which the median counts (5)";

/// Under callgrind a program is some fifty times slower; a multiple of W3's cycle of 101 ticks.
const COUNTED_TICKS: u64 = 10_100;

struct Options {
    effort: Effort,
    json: bool,
    instructions: bool,
    workloads: Vec<String>,
    engines: Vec<String>,
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut effort = Effort::FULL;
    if arguments.iter().any(|argument| argument == "--quick") {
        effort = Effort::QUICK;
    }
    let mut options = Options {
        effort,
        json: false,
        instructions: false,
        workloads: Vec::new(),
        engines: Vec::new(),
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .cloned()
                .ok_or_else(|| format!("`{argument}` wants a value after it"))
        };
        match argument.as_str() {
            "--quick" => {}
            "--json" => options.json = true,
            "--instructions" => options.instructions = true,
            "--workload" => options.workloads.push(value()?),
            "--engine" => options.engines.push(value()?),
            "--agents" => options.effort.agents = count(argument, &value()?)?,
            "--repetitions" => options.effort.repetitions = count(argument, &value()?)?,
            _ => return Err(format!("`{argument}` is no option of this program")),
        }
    }
    Ok(options)
}

fn count(option: &str, text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!(
            "`{option}` wants a whole number above zero, not `{text}`"
        )),
    }
}

/// Only the workloads named, in their own order; all if none is.
fn chosen(mut all: Vec<Contest>, names: &[String]) -> Result<Vec<Contest>, String> {
    for name in names {
        if !all.iter().any(|contest| contest.name == name) {
            let known: Vec<&str> = all.iter().map(|contest| contest.name).collect();
            return Err(format!(
                "there is no workload `{name}`; there are {}",
                known.join(", ")
            ));
        }
    }
    all.retain(|contest| names.is_empty() || names.iter().any(|name| name == contest.name));
    Ok(all)
}

fn run(options: &Options) -> Result<Vec<Table>, String> {
    let terminal = std::io::stderr().is_terminal();
    let mut progress = |what: &str| {
        if terminal {
            eprint!("\r\x1b[K{what}");
            let _ = std::io::stderr().flush();
        }
    };
    let wanted = |name: &str| {
        options.engines.is_empty()
            || options
                .engines
                .iter()
                .any(|part| name.contains(part.as_str()))
    };
    let contests = chosen(contests(), &options.workloads)?;
    for part in &options.engines {
        let mut names = contests
            .iter()
            .flat_map(|contest| &contest.contestants)
            .map(|one| one.name());
        if !names.any(|name| name.contains(part.as_str())) {
            let known: Vec<&str> = contests[0]
                .contestants
                .iter()
                .map(|one| one.name())
                .collect();
            return Err(format!(
                "no engine's name contains `{part}`; there are {}",
                known.join(", ")
            ));
        }
    }
    let mut tables = Vec::new();
    for mut contest in contests {
        let mut table = measure(&mut contest, options.effort, &wanted, &mut progress)
            .map_err(|error| error.to_string())?;
        if options.instructions {
            let program = std::env::current_exe()
                .map_err(|error| format!("cannot find this program: {error}"))?;
            for row in &mut table.rows {
                progress(&format!(
                    "{}: instructions of {}",
                    contest.title, row.engine
                ));
                let count = callgrind::instructions_per_tick(
                    &program,
                    contest.name,
                    row.engine,
                    COUNTED_TICKS,
                )?;
                row.instructions = Some(count);
            }
        }
        tables.push(table);
    }
    progress("");
    Ok(tables)
}

/// `tick WORKLOAD TICKS ENGINE`, for callgrind.
fn tick(arguments: &[String]) -> Result<(), String> {
    let [workload, ticks, engine] = arguments else {
        return Err(format!(
            "`{}` wants a workload, a number of ticks and an engine",
            callgrind::CHILD
        ));
    };
    let ticks = count(callgrind::CHILD, ticks)? as u64;
    let contests = chosen(contests(), std::slice::from_ref(workload))?;
    let contestant = contests
        .iter()
        .flat_map(|contest| &contest.contestants)
        .find(|one| one.name() == engine)
        .ok_or_else(|| format!("there is no engine `{engine}`"))?;
    contestant.hot(ticks);
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if arguments
        .first()
        .is_some_and(|argument| argument == callgrind::CHILD)
    {
        return match tick(&arguments[1..]) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        };
    }
    let options = match parse(&arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(tables) if options.json => print!("{}", report::json(&tables)),
        Ok(tables) => print!("{}", report::text(&tables)),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
