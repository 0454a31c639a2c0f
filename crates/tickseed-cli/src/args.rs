//! The command line.

use std::net::SocketAddr;
use std::str::FromStr;

use clap::{Parser, Subcommand};
use tickseed_worlds::{Info, Input, WORLDS, World};

use crate::bench;
use crate::fail::Fail;
use crate::files;
use crate::recording;
use crate::show;
use crate::studio;
use crate::watch;

/// Behaviour trees: run them and watch them decide.
#[derive(Parser, Debug)]
#[command(name = "tickseed", version, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 the run failed or the files have mistakes, 2 the command line makes no sense.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run a world: on a screen of its own in a terminal, as lines of text elsewhere. Or run a tree
    /// file, in real time, with stand-ins for its leaves (see `tickseed sim --help`); edits of the
    /// file apply to the running tree
    Run(Run),
    /// Run a world as fast as it goes and keep what its tree did in a file
    Record(recording::Record),
    /// Run a recorded world again and compare every tick; or show a tick of any recording
    Replay(recording::Replay),
    /// Watch a process that serves, from a terminal: the tree with its statuses, the keys
    Watch(watch::Watch),
    /// List the worlds
    List,
    /// Serve the studio, a page to run, watch and rewind trees in, on this machine
    Studio(studio::Studio),
    /// Show a tree of a file or a world: as text, SVG, DOT or Mermaid
    Show(show::Show),
    /// Check tree files and everything they include: syntax, names, types, places
    Check(files::Check),
    /// Write .tick files in their one canonical form; files of other formats are left as they are
    Fmt(files::Format),
    /// Write a tree file in another format: .tick, XML, JSON or binary
    Convert(files::Convert),
    /// Print the descriptions of nodes that tree files hold, for editors and for checking
    Models(files::Models),
    /// Run a tree file without the code of its leaves: what they answer is said here
    Sim(crate::sim::Sim),
    /// Measure on this machine: workloads beside hand-written code and objects, and herds
    Bench(bench::Bench),
    /// Serve an editor over standard input and output (Language Server Protocol)
    Lsp(crate::lsp::Lsp),
}

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) setup: Setup,
    /// Run this many ticks as lines of text and stop [default: a simulated minute]
    #[arg(long, value_name = "N", value_parser = crate::args::whole, allow_negative_numbers = true)]
    pub(crate) ticks: Option<u64>,
    /// One JSON object a line: first the tree, then every tick
    #[arg(long)]
    pub(crate) json: bool,
    /// Lines of text even in a terminal
    #[arg(long, conflicts_with = "json")]
    pub(crate) plain: bool,
    /// Let the run be watched and steered: at ADDR, or at any free port of this machine. Prints
    /// the address for `tickseed watch`, and one for a browser
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "127.0.0.1:0",
        value_parser = address,
        conflicts_with_all = ["click", "drain", "json", "plain"]
    )]
    pub(crate) serve: Option<SocketAddr>,
    /// Let agents sleep until something matters to them; the run is the same. For worlds with
    /// crowds
    #[arg(long, conflicts_with = "serve")]
    pub(crate) event_driven: bool,
    /// No summary and no progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) how: crate::sim::How,
}

/// A world with what will happen to it.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Setup {
    /// Which world; `tickseed list` names them. `run` takes a tree file as well
    #[arg(value_name = "WORLD")]
    name: String,
    /// The seed that decides everything random
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = crate::args::whole, allow_negative_numbers = true)]
    seed: u64,
    /// How many agents, in worlds where that can be chosen
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_AGENTS))]
    agents: Option<u32>,
    /// Click at X,Y (metres) after this many ticks; may be repeated
    #[arg(long, value_name = "TICK:X,Y")]
    click: Vec<Click>,
    /// Drain the watched agent after this many ticks; may be repeated
    #[arg(long, value_name = "TICK", value_parser = crate::args::whole, allow_negative_numbers = true)]
    drain: Vec<u64>,
}

/// Reads a seed or a number of ticks. What does not fit is told with what would.
pub(crate) fn whole(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "expected an address and a port, such as 127.0.0.1:7000".to_owned())
}

const MOST_AGENTS: i64 = 1_000_000;

impl Run {
    /// Makes the world that is asked for.
    pub(crate) fn world(&self) -> Result<Box<dyn World>, Fail> {
        let mut world = self.setup.world()?;
        if self.event_driven && !world.let_sleep(true) {
            return Err(Fail::Usage(format!(
                "the world `{}` has no crowd whose agents could sleep; `--event-driven` is for {}",
                world.info().name,
                crowds(),
            )));
        }
        Ok(world)
    }

    /// The run of a tree file, if one is named and not a world.
    ///
    /// # Errors
    /// Options that only worlds have, or only files, were given for the other.
    pub(crate) fn of_file(&self) -> Result<Option<crate::sim::Sim>, Fail> {
        let setup = &self.setup;
        if !setup.names_a_file() {
            return match self.how.given() {
                None => Ok(None),
                Some(option) => Err(Fail::Usage(format!(
                    "`{option}` is for tree files, and `{}` is a world",
                    setup.name
                ))),
            };
        }
        let of_worlds = [
            ("--agents", setup.agents.is_some()),
            ("--click", !setup.click.is_empty()),
            ("--drain", !setup.drain.is_empty()),
            ("--serve", self.serve.is_some()),
            ("--event-driven", self.event_driven),
        ];
        if let Some((option, _)) = of_worlds.iter().find(|(_, given)| *given) {
            let message = format!("`{option}` is for worlds, and `{}` is a file", setup.name);
            return Err(Fail::Usage(message));
        }
        Ok(Some(crate::sim::Sim {
            file: setup.name.clone(),
            how: self.how.clone(),
            ticks: self.ticks,
            seed: setup.seed,
            restart: true,
            expect: None,
            json: self.json,
            quiet: self.quiet,
            watch: true,
        }))
    }

    /// Whether lines are asked for rather than a screen.
    pub(crate) fn wants_lines(&self) -> bool {
        self.json || self.plain || self.ticks.is_some()
    }
}

impl Setup {
    /// Whether a file is meant: no world's name has a dot or a slash.
    fn names_a_file(&self) -> bool {
        let world = WORLDS.iter().any(|world| world.name == self.name);
        !world
            && (self.name.contains(['.', '/', '\\']) || std::path::Path::new(&self.name).is_file())
    }

    /// The command that begins this world in a player.
    ///
    /// # Errors
    /// There is no such world.
    pub(crate) fn command(&self) -> Result<tickseed_record::message::Command, Fail> {
        let world = self.world()?;
        Ok(tickseed_record::message::Command::World {
            name: world.info().name.to_owned(),
            seed: self.seed,
            agents: self.agents,
        })
    }

    /// Makes the world that is asked for.
    pub(crate) fn world(&self) -> Result<Box<dyn World>, Fail> {
        let info = find(&self.name)?;
        if self.agents.is_some() && !info.crowd {
            return Err(Fail::Usage(format!(
                "the world `{}` has its own number of agents ({}); `--agents` is for {}",
                info.name,
                info.agents,
                crowds(),
            )));
        }
        Ok((info.make)(self.seed, self.agents.unwrap_or(info.agents)))
    }

    /// The inputs that the command line asks for, in the order of their ticks.
    pub(crate) fn inputs(&self) -> Vec<(u64, Input)> {
        let clicks = self
            .click
            .iter()
            .map(|c| (c.tick, Input::Click { x: c.x, y: c.y }));
        let drains = self.drain.iter().map(|&t| (t, Input::Drain { agent: 0 }));
        let mut inputs: Vec<_> = clicks.chain(drains).collect();
        inputs.sort_by_key(|i| i.0);
        inputs
    }
}

/// A tree file for a world, after some ticks.
#[derive(Clone, Debug)]
pub(crate) struct Reload {
    pub(crate) tick: u64,
    pub(crate) file: String,
}

impl FromStr for Reload {
    type Err = String;
    fn from_str(s: &str) -> Result<Reload, String> {
        let parts = || {
            let (tick, file) = s.split_once(':')?;
            let file = Some(file).filter(|file| !file.is_empty())?.to_owned();
            let tick = tick.trim().parse().ok()?;
            Some(Reload { tick, file })
        };
        parts().ok_or_else(|| "expected TICK:FILE, such as 100:robot.tick".into())
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Click {
    pub(crate) tick: u64,
    pub(crate) x: f32,
    pub(crate) y: f32,
}

impl FromStr for Click {
    type Err = String;
    fn from_str(s: &str) -> Result<Click, String> {
        let parts = || {
            let (tick, at) = s.split_once(':')?;
            let (x, y) = at.split_once(',')?;
            let number = |s: &str| s.trim().parse().ok().filter(|f: &f32| f.is_finite());
            Some(Click {
                tick: tick.trim().parse().ok()?,
                x: number(x)?,
                y: number(y)?,
            })
        };
        parts().ok_or_else(|| "expected TICK:X,Y, such as 100:12.5,3".into())
    }
}

/// The worlds with crowds.
fn crowds() -> String {
    let names: Vec<_> = WORLDS.iter().filter(|w| w.crowd).map(|w| w.name).collect();
    names.join(", ")
}

/// The world of this name.
pub(crate) fn find(name: &str) -> Result<&'static Info, Fail> {
    if let Some(info) = WORLDS.iter().find(|w| w.name == name) {
        return Ok(info);
    }
    let nearest = WORLDS
        .iter()
        .map(|w| (edits(name, w.name), w.name))
        .min()
        .filter(|&(d, n)| d <= n.len() / 2);
    let hint = match nearest {
        Some((_, n)) => format!("did you mean `{n}`?"),
        None => {
            let names: Vec<_> = WORLDS.iter().map(|w| w.name).collect();
            format!("the worlds are {}", names.join(", "))
        }
    };
    Err(Fail::Usage(format!("no world is named `{name}`: {hint}")))
}

/// How many letters must be put in, taken out or exchanged to make one word the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(!ca.eq_ignore_ascii_case(&cb));
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances() {
        assert_eq!(edits("robot", "robot"), 0);
        assert_eq!(edits("Robto", "robot"), 2);
        assert_eq!(edits("", "boss"), 4);
        assert_eq!(edits("bos", "boss"), 1);
    }

    #[test]
    fn clicks_are_read_whole_or_refused() {
        let c: Click = "100: 2.5,-3".parse().unwrap();
        assert_eq!((c.tick, c.x, c.y), (100, 2.5, -3.0));
        for bad in ["", "1", "1:2", "a:1,2", "1:nan,2", "1:1,inf", "-1:1,2"] {
            assert!(bad.parse::<Click>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
