//! `tickseed sim`: runs a tree file without the code of its leaves.

mod out;
mod session;
mod watch;

use std::sync::atomic::Ordering;

use tickseed_core::Status;
use tickseed_lang::model::parse_duration;
use tickseed_lang::simulate::Plan;

use crate::fail::Fail;
use out::{Form, Out};
use session::Session;
use watch::Watch;

/// Nanoseconds between two ticks.
const STEP: u64 = 100_000_000;

/// How a tree file is run without the code of its leaves.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Tree files")]
pub(crate) struct How {
    /// Which tree of the file [default: its main tree]
    #[arg(long, value_name = "NAME")]
    tree: Option<String>,
    /// Files or folders whose trees it may use without including them; may be repeated
    #[arg(long, value_name = "FILE")]
    with: Vec<String>,
    /// What leaves do: 'PATTERN=BEHAVIOUR'; may be repeated
    #[arg(long, value_name = "RULE")]
    leaf: Vec<String>,
    /// A file of such rules
    #[arg(long, value_name = "FILE")]
    plan: Option<String>,
    /// What all other leaves do
    #[arg(long, value_name = "BEHAVIOUR")]
    default: Option<String>,
    /// Give a key of the root blackboard a value first: KEY=VALUE; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Time between two ticks [default: 100ms]
    #[arg(long, value_name = "DURATION", value_parser = step)]
    step: Option<u64>,
    /// Correct known faults of BehaviorTree.CPP and Nav2 instead of repeating them
    #[arg(long)]
    fix_known_bugs: bool,
}

impl How {
    /// The options that were given and mean nothing for a world.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--tree", self.tree.is_some()),
            ("--with", !self.with.is_empty()),
            ("--leaf", !self.leaf.is_empty()),
            ("--plan", self.plan.is_some()),
            ("--default", self.default.is_some()),
            ("--set", !self.set.is_empty()),
            ("--step", self.step.is_some()),
            ("--fix-known-bugs", self.fix_known_bugs),
        ];
        all.into_iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| name)
    }
}

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Behaviours:
  success                         at once; also failure, skipped, running (for ever), error
  success after 2s                after 1s..3s draws how long; after 3 ticks counts ticks
  running 3 ticks then failure    the same as: failure after 3 ticks
  success 80%                     fails else; success 80% else skipped
  failure, failure, success       one each time it begins, then the last again and again
  failure, success, ...           the same, and then from the start

A plan file holds one rule a line, PATTERN = BEHAVIOUR, `default = BEHAVIOUR` and # remarks.
Patterns fit a leaf's kind, name or path; * stands for any characters. The first rule that fits
counts, those of --leaf before those of the plan. Conditions succeed and all other leaves run for
three ticks and succeed, if nothing else is said.

Example:
  tickseed sim navigate.xml --leaf 'Compute*=success after 200ms' --leaf 'FollowPath=failure, success after 5s'

Exit codes: 0 done, 1 the file has mistakes, a leaf failed with an error or --expect was not met,
2 the command line makes no sense.")]
pub(crate) struct Sim {
    /// The tree file: .tick, XML, JSON or binary
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) how: How,
    /// How many ticks at most; with --watch, without an end if not given [default: 100]
    #[arg(long, value_name = "N", value_parser = crate::args::whole, allow_negative_numbers = true)]
    pub(crate) ticks: Option<u64>,
    /// The seed that decides everything random
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = crate::args::whole, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Begin anew when the tree has finished, instead of stopping
    #[arg(long)]
    pub(crate) restart: bool,
    /// Fail unless the last tick answers this
    #[arg(long, value_name = "STATUS", value_parser = ["success", "failure", "running", "skipped"])]
    pub(crate) expect: Option<String>,
    /// One JSON object a line: the tree, every tick, the summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Only the summary
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Run in real time and go over to the edited tree whenever a file changes: what still exists
    /// goes on, the rest is halted; a broken edit is reported and the old tree runs on
    #[arg(long)]
    pub(crate) watch: bool,
}

fn step(text: &str) -> Result<u64, String> {
    let nanos = parse_duration(text).and_then(|n| u64::try_from(n).ok());
    nanos
        .filter(|n| *n > 0)
        .ok_or_else(|| "expected a duration above zero with its unit, such as 100ms".to_owned())
}

impl Sim {
    /// Runs.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let plan = self.plan()?;
        let mut session = Session::start(self, &plan)?;
        for text in &self.how.set {
            let (key, value) = text
                .split_once('=')
                .ok_or_else(|| Fail::Usage(format!("--set: `{text}` is no KEY=VALUE")))?;
            session.set(key.trim(), value.trim())?;
        }
        let form = match (self.json, self.quiet) {
            (true, _) => Form::Json,
            (_, true) => Form::Summary,
            _ => Form::Text,
        };
        let stdout = std::io::stdout();
        let mut out = Out::new(form, stdout.lock());
        out.tree(&session)?;
        for pattern in session.unused_rules(&plan) {
            eprintln!("note: no leaf fits the rule `{pattern}`");
        }
        let mut watch = match self.watch {
            true => Some(Watch::new(session.files())?),
            false => None,
        };
        let ticks = match (self.ticks, self.watch) {
            (Some(ticks), _) => ticks,
            (None, true) => u64::MAX,
            (None, false) => 100,
        };
        let step = self.how.step.unwrap_or(STEP);
        let mut last = None;
        let mut failed = None;
        let stop = crate::stop::flag()?;
        for tick in 0..ticks {
            if let Some(watch) = &mut watch {
                if watch.changed_within(std::time::Duration::from_nanos(step), &stop) {
                    session.reload(self, &plan, tick * step, &mut out)?;
                    watch.follow(session.files())?;
                }
                for path in watch.gone() {
                    eprintln!("{} is gone; the tree as it was runs on", path.display());
                }
            }
            // An interrupted run ends as any other: with its summary.
            if stop.load(Ordering::Relaxed) {
                break;
            }
            match session.tick(tick * step) {
                Ok(status) => {
                    out.tick(&mut session, tick + 1, tick * step, Some(status))?;
                    last = Some(status);
                    if status != Status::Running && !self.restart && !self.watch {
                        break;
                    }
                }
                Err(error) => {
                    out.tick(&mut session, tick + 1, tick * step, None)?;
                    failed = Some((tick + 1, error));
                    break;
                }
            }
        }
        out.summary(&session, last, failed.is_some())?;
        out.flush()?;
        drop(out);
        if let Some((tick, error)) = failed {
            return Err(session.failed(tick, &error));
        }
        match (&self.expect, last) {
            (Some(wanted), found) if found.is_none_or(|s| s.to_string() != *wanted) => {
                let found = found.map_or("nothing".to_owned(), |status| status.to_string());
                eprintln!("expected {wanted}, found {found}");
                Err(Fail::Findings)
            }
            _ => Ok(()),
        }
    }

    fn plan(&self) -> Result<Plan, Fail> {
        let mut plan = Plan::default();
        let usage = |what: &str, error| Fail::Usage(format!("{what}: {error}"));
        for rule in &self.how.leaf {
            plan.add(rule).map_err(|e| usage("--leaf", e))?;
        }
        if let Some(path) = &self.how.plan {
            let bytes = crate::files::read(path)?;
            let text = String::from_utf8_lossy(&bytes);
            plan.read(&text).map_err(|e| usage(path, e))?;
        }
        if let Some(default) = &self.how.default {
            plan.set_default(default)
                .map_err(|e| usage("--default", e))?;
        }
        Ok(plan)
    }
}
