//! `tickseed watch`: the terminal twin of the studio, for a process anywhere.

mod lines;
mod link;
mod model;
mod screen;

use std::io::IsTerminal;

use crate::fail::Fail;
use link::Link;

/// Arguments of `tickseed watch`.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Watch {
    /// The address with the token that the process prints: ws://HOST:PORT/live?token=TOKEN
    #[arg(value_name = "ADDRESS")]
    address: String,
    /// Which agent [default: the first]
    #[arg(long, value_name = "N")]
    agent: Option<u32>,
    /// Stop after this many ticks; lines of text even in a terminal
    #[arg(long, value_name = "N", value_parser = crate::args::whole, allow_negative_numbers = true)]
    ticks: Option<u64>,
    /// Every event as a JSON object on a line
    #[arg(long)]
    json: bool,
    /// Lines of text even in a terminal
    #[arg(long, conflicts_with = "json")]
    plain: bool,
    /// Lines of text that tell why this node (a label, path or number) is ticked or not
    #[arg(long, value_name = "NODE", conflicts_with = "json")]
    why: Option<String>,
}

impl Watch {
    pub(crate) fn run(&self) -> Result<(), Fail> {
        // Connected first: a mistake is then reported on a terminal as it was.
        let link = Link::open(&self.address, self.agent)?;
        let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        if terminal && !self.json && !self.plain && self.why.is_none() && self.ticks.is_none() {
            return screen::run(link);
        }
        lines::run(self, link, &mut std::io::stdout().lock())
    }
}
