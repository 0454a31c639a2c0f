//! A tree that is being simulated, and its agent.

use std::io::Write;

use tickseed_core::{Agent, Change, NodeId, Report, Status, TickError, TickReport, Time};
use tickseed_lang::build::{self, Failed, Loaded};
use tickseed_lang::check;
use tickseed_lang::diagnostics::{Diagnostic, nearest};
use tickseed_lang::load;
use tickseed_lang::simulate::{self, Plan};

use super::Sim as Args;
use super::out::Out;
use crate::fail::Fail;
use crate::files::{self, Messages};

/// A tree and its agent.
pub(super) struct Session {
    loaded: Loaded<simulate::Sim>,
    agent: Agent,
    sim: simulate::Sim,
    report: TickReport,
    /// The path of each written node.
    paths: Vec<String>,
    /// What each written node answered so far.
    pub(super) counts: Vec<Counts>,
}

/// How often a node answered what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) success: u64,
    pub(super) failure: u64,
    pub(super) running: u64,
    pub(super) skipped: u64,
    pub(super) halted: u64,
    /// How often it was left because a leaf failed with an error.
    pub(super) errors: u64,
}

impl Counts {
    /// Whether the node had no part in anything.
    pub(super) fn none(&self) -> bool {
        self.success + self.failure + self.running + self.skipped + self.errors == 0
    }
}

/// What became of an agent that went over to an edited tree.
pub(super) struct Moved {
    /// The paths of what runs on.
    pub(super) kept: Vec<String>,
    /// What did not stay as it was.
    pub(super) report: Report,
}

/// One written node's part in a tick.
pub(super) struct Step {
    /// Its number.
    pub(super) instance: usize,
    /// How deep it stands below the nodes shown around it.
    pub(super) depth: usize,
    /// Its answer; none if a leaf below failed with an error.
    pub(super) status: Option<Status>,
}

impl Session {
    /// Loads the tree; mistakes are printed.
    pub(super) fn start(args: &Args, plan: &Plan) -> Result<Session, Fail> {
        let loaded = match load(args, plan)? {
            Ok(loaded) => loaded,
            Err(failed) => {
                let mut messages = Messages::on_stderr();
                let mut err = std::io::stderr().lock();
                messages.print(&failed.diagnostics, &failed.sources, &mut err)?;
                writeln!(err, "{}", messages.counts())?;
                return Err(Fail::Findings);
            }
        };
        warn(&loaded)?;
        Ok(Session {
            agent: loaded.tree.agent_seeded(args.seed),
            sim: simulate::Sim::new(loaded.board()),
            report: TickReport::new(),
            counts: vec![Counts::default(); loaded.instances.len()],
            paths: paths(&loaded),
            loaded,
        })
    }

    /// Shows the error of a tick at its place in the file.
    pub(super) fn failed(&self, tick: u64, error: &TickError) -> Fail {
        let mut diagnostic = self.loaded.diagnostic(error);
        diagnostic.message = format!("tick {tick} failed: {}", diagnostic.message);
        let mut messages = Messages::on_stderr();
        let shown = messages.print(
            &[diagnostic],
            &self.loaded.sources,
            &mut std::io::stderr().lock(),
        );
        shown.err().unwrap_or(Fail::Findings)
    }

    /// The written nodes.
    pub(super) fn nodes(&self) -> &[build::Instance] {
        &self.loaded.instances
    }

    /// The path of a written node.
    pub(super) fn path(&self, instance: usize) -> &str {
        self.paths.get(instance).map_or("", String::as_str)
    }

    /// The line that a written node begins on.
    pub(super) fn line_of(&self, instance: usize) -> Option<u32> {
        let span = self.loaded.instances.get(instance)?.span;
        Some(self.loaded.sources.line_column(span)?.line)
    }

    /// The paths of all files.
    pub(super) fn files(&self) -> Vec<String> {
        let files = self.loaded.sources.files();
        files.map(|(_, file)| file.name().to_owned()).collect()
    }

    /// Rules that fit no leaf.
    pub(super) fn unused_rules<'p>(&self, plan: &'p Plan) -> Vec<&'p str> {
        let nodes = self.nodes().iter().zip(&self.paths);
        let names: Vec<[&str; 3]> = nodes
            .map(|(node, path)| [node.kind.as_str(), node.name.as_str(), path])
            .collect();
        plan.unused(&names)
    }

    /// Gives a key of the root blackboard the value that a text stands for.
    pub(super) fn set(&mut self, key: &str, text: &str) -> Result<(), Fail> {
        let layout = std::sync::Arc::clone(&self.loaded.layout);
        let found = layout.find("", key);
        Err(Fail::Usage(
            match found.zip(found.and_then(|slot| layout.slot(slot))) {
                Some((slot, info)) => {
                    let ty = &info.ty;
                    let refused = match self.loaded.value(ty, text) {
                        Ok(value) if self.sim.board.set(slot, value.clone()) => return Ok(()),
                        Ok(_) => String::new(),
                        Err(expected) => format!(": {expected}"),
                    };
                    format!("--set: the key `{key}` is {ty}, which `{text}` is not{refused}")
                }
                None => {
                    let names = layout.slots().filter(|(_, info)| info.scope == 0);
                    let names: Vec<&str> = names.map(|(_, info)| info.name.as_str()).collect();
                    match nearest(key, names.iter().copied()) {
                        Some(near) => {
                            format!("--set: no key is called `{key}`; did you mean `{near}`?")
                        }
                        None => format!(
                            "--set: no key is called `{key}`; there are {}",
                            names.join(", ")
                        ),
                    }
                }
            },
        ))
    }

    /// Ticks once.
    pub(super) fn tick(&mut self, nanos: u64) -> Result<Status, TickError> {
        self.report.clear();
        let now = Time::from_nanos(nanos);
        let tree = &self.loaded.tree;
        let ticked = tree.tick_traced(&mut self.agent, &mut self.sim, now, &mut self.report);
        for step in self.steps() {
            let counts = &mut self.counts[step.instance];
            match step.status {
                Some(Status::Success) => counts.success += 1,
                Some(Status::Failure) => counts.failure += 1,
                Some(Status::Running) => counts.running += 1,
                Some(Status::Skipped) => counts.skipped += 1,
                None => counts.errors += 1,
            }
        }
        for instance in self.halted() {
            self.counts[instance].halted += 1;
        }
        ticked
    }

    /// What the last tick did, node by node as written: what one written node became several nodes
    /// of the engine counts once.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        // Depth in the engine's tree and number of what is open.
        let mut open: Vec<(u32, usize)> = Vec::new();
        for entry in self.report.entries() {
            while open.last().is_some_and(|(depth, _)| *depth >= entry.depth) {
                open.pop();
            }
            let Some(instance) = self.instance(entry.node) else {
                continue;
            };
            if open.last().is_some_and(|(_, above)| *above == instance) {
                continue;
            }
            steps.push(Step {
                instance,
                depth: open.len(),
                status: entry.status,
            });
            open.push((entry.depth, instance));
        }
        steps
    }

    /// The nodes that the last tick halted, as written.
    pub(super) fn halted(&self) -> Vec<usize> {
        let mut list: Vec<usize> = Vec::new();
        for node in self.report.halted() {
            if let Some(instance) = self.instance(*node)
                && list.last() != Some(&instance)
            {
                list.push(instance);
            }
        }
        list
    }

    fn instance(&self, node: NodeId) -> Option<usize> {
        self.loaded.instance_of(node)
    }

    /// Lines that log nodes wrote since the last call.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sim.lines)
    }

    /// Goes over to the edited files. If they have mistakes, these are printed and nothing changes.
    pub(super) fn reload(
        &mut self,
        args: &Args,
        plan: &Plan,
        nanos: u64,
        out: &mut Out<impl Write>,
    ) -> Result<(), Fail> {
        let loaded = match load(args, plan) {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(failed)) => return out.broken(&failed),
            // A file that an editor is just replacing comes back.
            Err(_) => return Ok(()),
        };
        warn(&loaded)?;
        let moved = self.move_to(loaded, Time::from_nanos(nanos), args.seed);
        out.reloaded(self, &moved)
    }

    /// Moves the agent to another tree.
    fn move_to(&mut self, new: Loaded<simulate::Sim>, now: Time, seed: u64) -> Moved {
        let old = &self.loaded.tree;
        let before = self.running();
        // Halts of what is gone still see the keys of the tree that they were written for.
        let moved = new.tree.migrate(old, &mut self.agent, &mut self.sim, now);
        let mut report = moved.unwrap_or_else(|_| {
            // A poisoned agent cannot be moved.
            self.agent = new.tree.agent_seeded(seed);
            Report::default()
        });
        let new_paths = paths(&new);
        // The engine's paths name nodes that no file has.
        for (path, change) in &mut report.changes {
            *path = written(&self.loaded, &self.paths, path);
            if let Change::Moved { to } = change {
                *to = written(&new, &new_paths, to);
            }
        }
        report.changes.dedup();
        self.sim.take_over(new.board());
        self.counts = vec![Counts::default(); new.instances.len()];
        self.paths = new_paths;
        self.report.clear();
        self.loaded = new;
        let after = self.running();
        let kept = before
            .into_iter()
            .filter(|path| after.contains(path))
            .collect();
        Moved { kept, report }
    }

    /// The paths of the leaves that run, as written.
    fn running(&self) -> Vec<String> {
        let nodes = self.loaded.tree.running(&self.agent).into_iter();
        let instances = nodes.filter_map(|node| self.instance(node));
        let mut paths: Vec<String> = instances.map(|i| self.path(i).to_owned()).collect();
        paths.dedup();
        paths
    }
}

/// Loads the files and puts stand-ins for what has no code.
fn load(args: &Args, plan: &Plan) -> Result<Result<Loaded<simulate::Sim>, Failed>, Fail> {
    let mut files: load::Loaded = files::load_with(&args.file, None, &args.how.with)?;
    let registry = simulate::registry(&files.documents, plan);
    let described = check::described(&files.documents);
    let misspelt = check::misspelt(&files.documents);
    files.diagnostics.extend(described);
    files.diagnostics.extend(misspelt);
    let mut options = build::Options::default();
    options.main.clone_from(&args.how.tree);
    options.every_node = true;
    options.fix_known_bugs = args.how.fix_known_bugs;
    options.extra_keys = args
        .how
        .set
        .iter()
        .filter_map(|text| Some(text.split_once('=')?.0.trim().to_owned()))
        .collect();
    let broken = files.diagnostics.iter().any(Diagnostic::is_error);
    if broken {
        return Ok(Err(failed(files)));
    }
    Ok(build::from_loaded(files, &registry, &options))
}

/// Prints what is odd about the files, yet no error.
fn warn(loaded: &Loaded<simulate::Sim>) -> Result<(), Fail> {
    let mut err = std::io::stderr().lock();
    Messages::on_stderr().print(&loaded.diagnostics, &loaded.sources, &mut err)?;
    Ok(())
}

fn paths(loaded: &Loaded<simulate::Sim>) -> Vec<String> {
    (0..loaded.instances.len())
        .map(|i| loaded.path(i))
        .collect()
}

/// The written path of the node that the engine has at a path; that path if it has none.
fn written(loaded: &Loaded<simulate::Sim>, paths: &[String], path: &str) -> String {
    let node = loaded.tree.def().find_path(path);
    let instance = node.and_then(|node| loaded.instance_of(node));
    instance.map_or(path, |i| &paths[i]).to_owned()
}

fn failed(files: load::Loaded) -> Failed {
    Failed {
        diagnostics: files.diagnostics,
        sources: files.sources,
    }
}
