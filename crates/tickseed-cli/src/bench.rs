//! `tickseed bench`: what a tick costs on this machine.

use std::io::{IsTerminal, Write};

use tickseed_bench::counting::Counting;
use tickseed_bench::herds;
use tickseed_bench::measure::{self, Effort};
use tickseed_bench::report;

use crate::fail::Fail;

/// For bytes per agent and allocations per tick; it costs two additions an allocation.
#[global_allocator]
static GLOBAL: Counting = Counting;

/// What is measured where nothing else is said.
const HERDS: &str = "herds";
const AGENTS: u32 = 1_000_000;
const AGENTS_QUICK: u32 = 20_000;

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Every engine does the same work, or the command fails: their counters are compared. Figures are for
ratios within one run; other work on the machine doubles times easily. Build with --release: without
optimisation the figures mean nothing. `cargo xtask bench`, in the sources, adds other libraries.

The herds are of W1's monsters: all ticked, on one core and on all, or asleep until something happens
to a share of them. A million of them beside a million boxed trees take about 1.5 GB.")]
pub(crate) struct Bench {
    /// Only these [default: all]; may be repeated
    #[arg(value_name = "WHAT", value_parser = ["w1", "w2", "w3", HERDS])]
    what: Vec<String>,
    /// How many agents the herds have [default: 1000000, with --quick 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    agents: Option<u32>,
    /// A short run that shows that everything works; its figures mean little
    #[arg(long)]
    quick: bool,
    /// One JSON object in place of tables
    #[arg(long)]
    json: bool,
}

impl Bench {
    /// Measures and prints.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let wanted = |name: &str| self.what.is_empty() || self.what.iter().any(|w| w == name);
        let effort = if self.quick {
            Effort::QUICK
        } else {
            Effort::FULL
        };
        if cfg!(debug_assertions) {
            eprintln!("note: this build is not optimised; its figures mean nothing");
        }
        let terminal = std::io::stderr().is_terminal();
        let mut progress = |what: &str| {
            if terminal {
                eprint!("\r\x1b[K{what}");
                let _ = std::io::stderr().flush();
            }
        };
        let mut tables = Vec::new();
        for mut contest in measure::own() {
            if wanted(contest.name) {
                let table = measure::measure(&mut contest, effort, &|_| true, &mut progress);
                tables.push(table.map_err(|e| Fail::Other(e.to_string()))?);
            }
        }
        let mut figures = None;
        if wanted(HERDS) {
            let most = if self.quick { AGENTS_QUICK } else { AGENTS };
            let agents = self.agents.unwrap_or(most) as usize;
            let found = herds::measure(agents, effort.repetitions, &mut progress);
            figures = Some(found.map_err(Fail::Other)?);
        }
        progress("");
        let mut out = std::io::stdout().lock();
        if self.json {
            let tables = report::json(&tables);
            let herds = figures.map_or("null".to_owned(), |f| report::herds_json(&f));
            writeln!(
                out,
                "{{\"workloads\":{},\"herds\":{herds}}}",
                tables.trim_end()
            )?;
            return Ok(());
        }
        if !tables.is_empty() {
            writeln!(out, "{}", report::text(&tables))?;
        }
        if let Some(figures) = figures {
            write!(out, "{}", report::herds(&figures))?;
        }
        Ok(())
    }
}
