//! `tickseed replay`.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

use tickseed_play::Scribe;
use tickseed_record::message::{Event, NodeInfo, Tick, TreeDef};
use tickseed_record::{Item, Recording, Structure};
use tickseed_worlds::{Input, World};

use super::show;
use crate::args::find;
use crate::fail::Fail;

/// Arguments of `tickseed replay`.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Replay {
    /// A recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show this tick as it was recorded, and run nothing
    #[arg(long, value_name = "TICK", value_parser = crate::args::whole, allow_negative_numbers = true)]
    seek: Option<u64>,
    /// Of this agent [default: the first that has such a tick]
    #[arg(long, value_name = "N", requires = "seek")]
    agent: Option<u32>,
    /// Tell why this node was or was not ticked, and why it answered as it did: its name, path
    /// or number
    #[arg(long, value_name = "NODE", requires = "seek")]
    why: Option<String>,
    /// Show ticks as JSON, one a line, with the status of every node; without `--seek` all
    /// of them, after the head
    #[arg(long)]
    json: bool,
}

type Opened = Recording<BufReader<File>>;

impl Replay {
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let name = self.file.display().to_string();
        let file = File::open(&self.file).map_err(|e| Fail::File(name.clone(), e))?;
        let mut recording = Recording::open(BufReader::new(file))
            .map_err(|e| Fail::Other(format!("{name}: {e}")))?;
        let mut out = std::io::stdout().lock();
        match (self.seek, self.json) {
            (Some(tick), _) => self.seek(&mut recording, tick, &mut out),
            (None, true) => json(&mut recording, &mut out),
            (None, false) => verify(&mut recording, &mut out),
        }
    }

    fn seek(&self, recording: &mut Opened, tick: u64, out: &mut dyn Write) -> Result<(), Fail> {
        let agents: Vec<u32> = match self.agent {
            Some(agent) => vec![agent],
            None => recording.head().agents.iter().map(|a| a.id).collect(),
        };
        let damaged = |e: tickseed_record::Damage| Fail::Other(e.to_string());
        let mut found = None;
        for agent in agents {
            found = recording.tick(tick, agent).map_err(damaged)?;
            if found.is_some() {
                break;
            }
        }
        let Some(mut found) = found else {
            let has = match recording.range() {
                Some((first, last)) => format!("it has ticks {first} to {last}"),
                None => "it has none".to_owned(),
            };
            let why = recording
                .damage()
                .map_or(String::new(), |d| format!("; {d}"));
            return Err(Fail::Other(format!(
                "the recording has no such tick {tick}: {has}{why}"
            )));
        };
        let def = tree_of(recording, &found)?;
        if let Some(node) = &self.why {
            return explain(&def, &found, node, self.json, out);
        }
        if self.json {
            return line(&def, &mut found, out);
        }
        write!(out, "{}", show::tick(&def, &found))?;
        Ok(())
    }
}

/// The node of this path, label or number.
///
/// # Errors
/// There is none.
pub(crate) fn named(def: &TreeDef, node: &str) -> Result<u32, Fail> {
    let by_text = def.nodes.iter().find(|n| n.path == node);
    let by_text = by_text.or_else(|| def.nodes.iter().find(|n| n.label == node));
    let id = by_text.map(|n| n.id).or_else(|| node.parse().ok());
    id.ok_or_else(|| {
        let names = def.nodes.iter().take(12).map(|n| n.label.as_str());
        let names: Vec<_> = names.collect();
        Fail::Usage(format!(
            "no node is named `{node}`: the tree has {}",
            names.join(", ")
        ))
    })
}

fn explain(
    def: &TreeDef,
    tick: &Tick,
    node: &str,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Fail> {
    let id = named(def, node)?;
    let why = tickseed_record::why(def, tick, id).map_err(|e| Fail::Usage(e.to_string()))?;
    if json {
        serde_json::to_writer(&mut *out, &why)?;
        writeln!(out)?;
    } else {
        for reason in &why.reasons {
            writeln!(out, "{}", reason.text)?;
        }
    }
    Ok(())
}

/// The tree of a tick's agent at that time.
fn tree_of(recording: &mut Opened, tick: &Tick) -> Result<TreeDef, Fail> {
    let events = recording.events();
    let events = events.map_err(|e| Fail::Other(e.to_string()))?;
    let mut trees = Trees::of(recording);
    for (_, event) in events.iter().filter(|(at, _)| *at < tick.tick) {
        trees.learn(event);
    }
    trees
        .find(tick.agent)
        .cloned()
        .ok_or_else(|| Fail::Other(format!("the recording has no tree of agent {}", tick.agent)))
}

/// Which tree each agent has.
struct Trees {
    trees: Vec<TreeDef>,
    agents: Vec<tickseed_record::message::AgentInfo>,
}

impl Trees {
    fn of(recording: &Opened) -> Trees {
        let head = recording.head();
        Trees {
            trees: head.trees.clone(),
            agents: head.agents.clone(),
        }
    }

    fn learn(&mut self, event: &Event) {
        match event {
            Event::Tree(tree) => self.trees.push((**tree).clone()),
            Event::Reloaded { old, tree, .. } => {
                for agent in self.agents.iter_mut().filter(|a| a.tree == *old) {
                    agent.tree = tree.id;
                }
                self.trees.push((**tree).clone());
            }
            Event::Agents { agents } => self.agents.clone_from(agents),
            _ => {}
        }
    }

    fn find(&self, agent: u32) -> Option<&TreeDef> {
        let tree = self.agents.iter().find(|a| a.id == agent)?.tree;
        // The newest of its number.
        self.trees.iter().rev().find(|t| t.id == tree)
    }
}

fn line(def: &TreeDef, tick: &mut Tick, out: &mut dyn Write) -> Result<(), Fail> {
    if let Ok(structure) = Structure::new(def) {
        // What does not fit the tree is shown as it is.
        let _ = tick.derive_nodes(&structure);
    }
    serde_json::to_writer(&mut *out, tick)?;
    writeln!(out)?;
    Ok(())
}

fn json(recording: &mut Opened, out: &mut dyn Write) -> Result<(), Fail> {
    let mut out = std::io::BufWriter::new(out);
    serde_json::to_writer(&mut out, recording.head())?;
    writeln!(out)?;
    let mut trees = Trees::of(recording);
    let mut end = None;
    for item in recording.items(0) {
        match item {
            Ok(Item::Tick(mut tick)) => match trees.find(tick.agent) {
                Some(def) => line(def, &mut tick, &mut out)?,
                None => line(&TreeDef::default(), &mut tick, &mut out)?,
            },
            Ok(Item::Event(event)) => {
                trees.learn(&event);
                serde_json::to_writer(&mut out, &event)?;
                writeln!(out)?;
            }
            Err(damage) => end = Some(damage),
        }
    }
    out.flush()?;
    match end {
        Some(damage) => Err(Fail::Other(damage.to_string())),
        None => Ok(()),
    }
}

/// Runs the recorded world again.
fn verify(recording: &mut Opened, out: &mut dyn Write) -> Result<(), Fail> {
    let Some(info) = recording.head().world.clone() else {
        let name = &recording.head().process.name;
        return Err(Fail::Other(format!(
            "this is a recording of `{name}`, no world of ours, and cannot be run again: look \
             into it with --seek TICK or --json"
        )));
    };
    let make = find(&info.name)?.make;
    let mut world = make(info.seed, info.agents);
    let Some(mut def) = recording.head().trees.first().cloned() else {
        return Err(Fail::Other("the recording has no tree".to_owned()));
    };
    let here = TreeDef::new(0, "", world.def());
    // Where a node is written says nothing of what it does.
    let unplaced = def
        .nodes
        .iter()
        .cloned()
        .map(|node| NodeInfo { span: None, ..node });
    if !here.nodes.iter().cloned().eq(unplaced) {
        return Err(Fail::Other(format!(
            "the world `{}` has another tree now than when it was recorded ({} nodes, then {}): \
             use the version {} of Tickseed that recorded it",
            info.name,
            here.nodes.len(),
            def.nodes.len(),
            recording.head().process.version,
        )));
    }
    let (mut ticks, mut end) = (0, None);
    let mut scribe = Scribe::new(&*world);
    for item in recording.items(0) {
        match item {
            Ok(Item::Event(_)) => {}
            Ok(Item::Tick(recorded)) => {
                if ticks == 0 {
                    world.focus(recorded.agent);
                }
                let replayed = again(&mut *world, &mut scribe, &recorded)?;
                if recorded.inputs.iter().any(|i| i["input"] == "reload") {
                    def = TreeDef {
                        nodes: TreeDef::new(0, "", world.def()).nodes,
                        ..def
                    };
                }
                if let Some(difference) = difference(&def, &recorded, &replayed) {
                    writeln!(out, "{difference}")?;
                    write!(out, "\nrecorded:\n{}", show::tick(&def, &recorded))?;
                    write!(out, "\nreplayed:\n{}", show::tick(&def, &replayed))?;
                    return Err(Fail::Findings);
                }
                ticks += 1;
            }
            Err(damage) => end = Some(damage),
        }
    }
    writeln!(
        out,
        "{}: seed {}, {ticks} ticks run again, every one the same, fingerprint {:016x}",
        info.name,
        info.seed,
        world.stage().fingerprint()
    )?;
    match end {
        Some(damage) => Err(Fail::Other(damage.to_string())),
        None => Ok(()),
    }
}

fn again(world: &mut dyn World, scribe: &mut Scribe, recorded: &Tick) -> Result<Tick, Fail> {
    for input in &recorded.inputs {
        let input: Input = serde_json::from_value(input.clone()).map_err(|e| {
            let tick = recorded.tick;
            Fail::Other(format!("tick {tick} has an input that is none: {e}"))
        })?;
        scribe.give(world, input);
    }
    world.step().map_err(|e| Fail::Tick(recorded.tick, e))?;
    Ok(scribe.take(world))
}

/// The first thing in which two ticks differ, in words.
fn difference(def: &TreeDef, recorded: &Tick, replayed: &Tick) -> Option<String> {
    let (a, b) = (recorded, replayed);
    let node = |id: u32| {
        let node = def.nodes.get(id as usize);
        node.map_or_else(|| format!("node {id}"), |n| format!("`{}`", n.path))
    };
    let said = |s: Option<tickseed_record::message::Status>| {
        s.map_or("nothing: it failed".to_owned(), |s| s.to_string())
    };
    let what = if a.tick != b.tick || a.time != b.time {
        format!(
            "it was tick {} at {} ns and is tick {} at {} ns",
            a.tick, a.time, b.tick, b.time
        )
    } else if a.inputs != b.inputs {
        format!(
            "the inputs {} were accepted, and now {} are",
            a.inputs.len(),
            b.inputs.len()
        )
    } else if a.leaves != b.leaves {
        let at = a.leaves.iter().zip(&b.leaves).take_while(|(a, b)| a == b);
        let at = at.count();
        match (a.leaves.get(at), b.leaves.get(at)) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                let (was, is) = (said(a.1), said(b.1));
                format!("{} answered {was}, and now {is}", node(a.0))
            }
            (Some(a), Some(b)) => {
                format!("{} was ticked, and now {} is", node(a.0), node(b.0))
            }
            (Some(a), None) => format!("{} was ticked, and now nothing more is", node(a.0)),
            (None, Some(b)) => format!("nothing more was ticked, and now {} is", node(b.0)),
            (None, None) => return None,
        }
    } else if (a.status, &a.extra, &a.decided, a.deciding)
        != (b.status, &b.extra, &b.decided, b.deciding)
    {
        format!(
            "the tree answered {}, and now {}",
            said(a.status),
            said(b.status)
        )
    } else if a.halted != b.halted {
        let names = |of: &[u32]| {
            let names: Vec<_> = of.iter().map(|n| node(*n)).collect();
            if names.is_empty() {
                "nothing".to_owned()
            } else {
                names.join(", ")
            }
        };
        let (was, is) = (names(&a.halted), names(&b.halted));
        format!("{was} was halted, and now {is}")
    } else if !same_keys(a, b) {
        let mut keys = a.keys.iter().chain(&b.keys);
        let value = |of: &Tick, key| {
            let change = of.keys.iter().find(|c| c.key == key);
            change.map_or("unchanged".to_owned(), |c| c.value.to_string())
        };
        let key = keys.find(|c| value(a, c.key) != value(b, c.key));
        let key = key.map_or(0, |c| c.key);
        let name = def.keys.get(key as usize).map_or("?", |k| &k.name);
        format!(
            "key `{name}` was {}, and now is {}",
            value(a, key),
            value(b, key)
        )
    } else if a.fingerprint != b.fingerprint {
        "the tree did the same, but the world's fingerprint differs".to_owned()
    } else {
        return None;
    };
    Some(format!("tick {} is the first that differs: {what}", a.tick))
}

fn same_keys(a: &Tick, b: &Tick) -> bool {
    let mut pairs = a.keys.iter().zip(&b.keys);
    a.keys.len() == b.keys.len() && pairs.all(|(a, b)| a.key == b.key && a.value.same(&b.value))
}
