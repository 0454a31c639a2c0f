//! `tickseed record`.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use tickseed_play::{Scribe, head, moves};
use tickseed_record::Recorder;
use tickseed_record::message::Event;
use tickseed_worlds::World;

use crate::args::{Reload, Setup};
use crate::fail::Fail;
use crate::plain::describe;

/// Arguments of `tickseed record`.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Record {
    #[command(flatten)]
    setup: Setup,
    /// How many ticks [default: a simulated minute]
    #[arg(long, value_name = "N", value_parser = crate::args::whole, allow_negative_numbers = true)]
    ticks: Option<u64>,
    /// Where to; an existing file is replaced
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Put the tree of this file in the place of the present one after so many ticks; may be
    /// repeated
    #[arg(long, value_name = "TICK:FILE")]
    reload: Vec<Reload>,
    /// Record this agent instead of the first
    #[arg(long, value_name = "N", default_value_t = 0)]
    agent: u32,
    /// No summary on standard error
    #[arg(long, short)]
    quiet: bool,
}

impl Record {
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let mut world = self.setup.world()?;
        if self.agent >= world.agents() {
            let agents = world.agents();
            return Err(Fail::Usage(format!(
                "no agent {}: the world has {agents}, counted from 0",
                self.agent
            )));
        }
        world.focus(self.agent);
        let mut texts = self.texts()?.into_iter().peekable();
        let name = self.output.display().to_string();
        let file = |e| Fail::File(name.clone(), e);
        let out = BufWriter::new(File::create(&self.output).map_err(file)?);
        let mut recorder = {
            let mut head = head(&*world);
            head.process.name = "tickseed record".into();
            Recorder::new(out, &head).map_err(file)?
        };
        let mut scribe = Scribe::new(&*world);
        let step = world.stage().step().as_nanos().max(1);
        let ticks = self.ticks.unwrap_or((60_000_000_000 / step) as u64);
        let inputs = self.setup.inputs();
        let mut due = inputs.iter().peekable();
        for tick in 0..ticks {
            while let Some((_, path, text)) = texts.next_if(|t| t.0 <= tick) {
                let event = reload(&mut *world, &mut scribe, &path, &text)?;
                recorder.event(&event).map_err(file)?;
            }
            while let Some((_, input)) = due.next_if(|(t, _)| *t <= tick) {
                if !scribe.give(&mut *world, input.clone()) {
                    let what = describe(input);
                    let name = world.info().name;
                    return Err(Fail::Usage(format!(
                        "the world `{name}` has no use for {what}"
                    )));
                }
            }
            world.step().map_err(|e| Fail::Tick(tick + 1, e))?;
            let tick = scribe.take(&*world);
            recorder.record(&tick).map_err(file)?;
        }
        recorder.finish().map_err(file)?;
        if !self.quiet {
            let bytes = std::fs::metadata(&self.output).map_err(file)?.len();
            eprintln!(
                "{ticks} ticks, fingerprint {:016x}, {bytes} bytes ({:.1} a tick)",
                world.stage().fingerprint(),
                bytes as f64 / ticks.max(1) as f64
            );
        }
        Ok(())
    }

    /// The texts that take the place of the tree, in the order of their ticks.
    fn texts(&self) -> Result<Vec<(u64, String, String)>, Fail> {
        let read = |r: &Reload| {
            let text = std::fs::read_to_string(&r.file);
            let text = text.map_err(|e| Fail::File(r.file.clone(), e))?;
            Ok((r.tick, r.file.clone(), text))
        };
        let mut texts = self
            .reload
            .iter()
            .map(read)
            .collect::<Result<Vec<_>, Fail>>()?;
        texts.sort_by_key(|t| t.0);
        Ok(texts)
    }
}

/// Puts a text in the place of a world's tree; what a recording is told of that.
fn reload(
    world: &mut dyn World,
    scribe: &mut Scribe,
    path: &str,
    text: &str,
) -> Result<Event, Fail> {
    let tree = |world: &dyn World| head(world).trees.into_iter().next().unwrap_or_default();
    let old = tree(world).id;
    let done = scribe.reload(world, text).map_err(|messages| {
        Fail::Other(format!(
            "`{path}` has mistakes, so it cannot take the place of the tree:\n{messages}"
        ))
    })?;
    Ok(Event::Reloaded {
        old,
        tree: Box::new(tree(world)),
        moves: moves(done),
        since: world.stage().ticks(),
    })
}
