//! A run as lines of text or JSON. Standard output depends only on the world, the seed, the ticks
//! and the inputs; what depends on the machine goes to standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use tickseed_core::NodeId;
use tickseed_worlds::{Input, Part, Value, WORLDS, World};

use crate::args::Run;
use crate::fail::Fail;
use crate::report::{Head, Line, word};

/// Prints the worlds.
pub(crate) fn list(out: &mut dyn Write) -> Result<(), Fail> {
    for w in WORLDS {
        writeln!(out, "{:<10}{}", w.name, w.about)?;
    }
    Ok(())
}

/// Runs a world and prints what happens.
pub(crate) fn run(args: &Run, world: &mut dyn World, out: &mut dyn Write) -> Result<(), Fail> {
    let mut out = io::BufWriter::new(out);
    let step = world.stage().step();
    let ticks = args
        .ticks
        .unwrap_or_else(|| 60_000_000_000 / step.as_nanos().max(1) as u64);
    head(args.json, world, &mut out)?;
    let inputs = args.setup.inputs();
    let mut due = inputs.iter().peekable();
    let mut progress = Progress::new(args.quiet, ticks, world.agents());
    let mut shown = Shown::default();
    let mut given: Vec<Input> = Vec::new();
    // Seconds as a whole number of ticks, so that the lines do not depend on rounding.
    let second = (1_000_000_000 / step.as_nanos().max(1)).max(1) as u64;
    for tick in 0..ticks {
        given.clear();
        progress.begin();
        while let Some((_, input)) = due.next_if(|(t, _)| *t <= tick) {
            if world.input(input.clone()) {
                given.push(input.clone());
            } else {
                return Err(Fail::Usage(format!(
                    "the world `{}` has no use for {}",
                    world.info().name,
                    describe(input)
                )));
            }
        }
        let stepped = world.step_in_parts(&mut |part| progress.part(part));
        stepped.map_err(|e| Fail::Tick(tick + 1, e))?;
        progress.count(world);
        if args.json {
            serde_json::to_writer(&mut out, &Line::of(world, &given))?;
            writeln!(out)?;
        } else {
            for input in &given {
                writeln!(out, "{:>9}  input    {}", clock(world), describe(input))?;
            }
            let now = Shown::of(world);
            if now != shown || (tick + 1) % second == 0 {
                line(world, &now, &mut out)?;
                shown = now;
            }
        }
        progress.show(tick + 1);
    }
    if !args.json {
        let fingerprint = world.stage().fingerprint();
        writeln!(out, "{ticks} ticks, fingerprint {fingerprint:016x}")?;
    }
    out.flush()?;
    progress.done(world);
    Ok(())
}

fn head(json: bool, world: &dyn World, out: &mut impl Write) -> Result<(), Fail> {
    if json {
        serde_json::to_writer(&mut *out, &Head::of(world))?;
        writeln!(out)?;
        return Ok(());
    }
    let agents = world.agents();
    writeln!(
        out,
        "{}: seed {}, {agents} agent{}, {} each, a tick every {:.1} ms",
        world.info().name,
        world.stage().seed(),
        if agents == 1 { "" } else { "s" },
        bytes(world),
        world.stage().step().as_secs_f64() * 1e3,
    )?;
    let def = world.def();
    for (id, node) in def.iter() {
        let depth = def.ancestors(id).count();
        let kind = node.kind.name();
        write!(out, "{:indent$}{kind}", "", indent = 2 + depth * 2)?;
        match node.name.as_deref() {
            Some(name) => writeln!(out, " {name}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// What an agent takes.
fn bytes(world: &dyn World) -> String {
    match world.figures() {
        None => match world.bytes_per_agent() {
            1 => "1 byte of tree state".to_owned(),
            n => format!("{n} bytes of tree state"),
        },
        Some(f) => format!(
            "{:.1} bytes of tree state and {:.1} of scheduling",
            f.state_bytes, f.scheduling_bytes
        ),
    }
}

/// What a line shows: a new line is printed when it changes.
#[derive(PartialEq, Eq, Default)]
struct Shown {
    status: &'static str,
    leaf: Option<NodeId>,
}

impl Shown {
    fn of(world: &dyn World) -> Shown {
        Shown {
            status: world.status().map_or("", word),
            leaf: world.stage().watch().deciding(),
        }
    }
}

fn clock(world: &dyn World) -> String {
    format!("{:.2} s", world.stage().time().as_secs_f64())
}

fn line(world: &dyn World, shown: &Shown, out: &mut impl Write) -> Result<(), Fail> {
    let label = shown.leaf.map_or("", |n| world.def().node(n).label());
    let facts: Vec<String> = if world.agents() > 1 && !world.doing().is_empty() {
        let doing = world.doing();
        doing
            .iter()
            .map(|(what, n)| format!("{what} {n}"))
            .collect()
    } else {
        let keys = world.keys(world.stage().focus());
        keys.iter()
            .map(|k| match k.value {
                Value::Bool(b) => format!("{} {b}", k.name),
                Value::Int(i) => format!("{} {i}", k.name),
                Value::Float(f) => format!("{} {f:.2}", k.name),
            })
            .collect()
    };
    let asleep = world.figures().filter(|f| f.sleeps);
    let asleep = asleep.map(|f| format!("asleep {}", f.asleep));
    let facts: Vec<String> = facts.into_iter().chain(asleep).collect();
    writeln!(
        out,
        "{:>9}  {:<8} {label:<20} {}",
        clock(world),
        shown.status,
        facts.join("  ")
    )?;
    Ok(())
}

pub(crate) fn describe(input: &Input) -> String {
    match input {
        Input::Click { x, y } => format!("a click at {x},{y}"),
        Input::Drain { agent } => format!("a drain of agent {agent}"),
        Input::Set { agent, key, .. } => format!("a set of key {key} of agent {agent}"),
        Input::Reload { .. } => "another tree".to_owned(),
    }
}

/// Progress of a long run, and the summary: on standard error.
struct Progress {
    quiet: bool,
    live: bool,
    ticks: u64,
    agents: u32,
    began: Instant,
    last: Instant,
    shown: bool,
    /// When the part of a step that is under way began.
    part: Instant,
    /// What trees took.
    trees: Duration,
    ticked: u64,
    asleep: u64,
}

impl Progress {
    fn new(quiet: bool, ticks: u64, agents: u32) -> Progress {
        // Where output and progress share a screen, progress would be drawn over the lines.
        let live = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Progress {
            quiet,
            live,
            ticks,
            agents,
            began: Instant::now(),
            last: Instant::now(),
            shown: false,
            part: Instant::now(),
            trees: Duration::ZERO,
            ticked: 0,
            asleep: 0,
        }
    }

    /// A step begins.
    fn begin(&mut self) {
        self.part = Instant::now();
    }

    /// A part of a step is done.
    fn part(&mut self, part: Part) {
        let now = Instant::now();
        if part == Part::Trees {
            self.trees += now - self.part;
        }
        self.part = now;
    }

    fn count(&mut self, world: &dyn World) {
        if let Some(figures) = world.figures() {
            self.ticked += figures.ticked as u64;
            self.asleep += figures.asleep as u64;
        }
    }

    fn show(&mut self, tick: u64) {
        // A clock read costs more than a small world's tick.
        let often = u64::from(self.agents) * 64 > 4096 || tick.is_multiple_of(64);
        if self.quiet || !often || self.last.elapsed() < Duration::from_millis(500) {
            return;
        }
        self.last = Instant::now();
        let percent = tick * 100 / self.ticks.max(1);
        let rate = self.rate(tick);
        if self.live {
            eprint!("\r{percent:>3} %  tick {tick} of {}  {rate}   ", self.ticks);
            self.shown = true;
        }
    }

    fn rate(&self, ticks: u64) -> String {
        per_second(ticks, self.agents, self.began.elapsed())
    }

    fn done(&self, world: &dyn World) {
        if self.quiet {
            return;
        }
        if self.shown {
            eprint!("\r{:70}\r", "");
        }
        eprintln!(
            "{} ticks of {} agent{} in {:.2} s: {}, {} per agent",
            self.ticks,
            self.agents,
            if self.agents == 1 { "" } else { "s" },
            self.began.elapsed().as_secs_f64(),
            self.rate(self.ticks),
            bytes(world),
        );
        let Some(figures) = world.figures().filter(|_| self.ticks > 0) else {
            return;
        };
        eprintln!(
            "the trees alone: {:.3} ms a tick, {}",
            self.trees.as_secs_f64() * 1e3 / self.ticks as f64,
            per_second(self.ticks, self.agents, self.trees),
        );
        if figures.sleeps {
            let all = (self.ticks * u64::from(self.agents)) as f64;
            eprintln!(
                "event-driven: {:.1} % asleep at the end, {:.1} % on average; {:.0} agents ticked in a tick",
                figures.asleep as f64 * 100.0 / f64::from(self.agents),
                self.asleep as f64 * 100.0 / all,
                self.ticked as f64 / self.ticks as f64,
            );
            if self.asleep == 0 {
                eprintln!("nobody ever slept: what this world's leaves depend on is not declared");
            }
        }
    }
}

/// How many agents are taken care of in a second.
fn per_second(ticks: u64, agents: u32, took: Duration) -> String {
    match ticks as f64 * f64::from(agents) / took.as_secs_f64().max(1e-9) {
        r if r >= 1e6 => format!("{:.1} million agents per second", r / 1e6),
        r if r >= 1e4 => format!("{:.0} thousand agents per second", r / 1e3),
        r => format!("{r:.0} agents per second"),
    }
}
