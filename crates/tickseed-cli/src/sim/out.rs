//! What a simulation prints.

use std::io::{BufWriter, Write};

use serde_json::{Value, json};
use tickseed_core::{Change, Status};
use tickseed_lang::build::Failed;

use super::session::{Moved, Session};
use crate::fail::Fail;
use crate::files::Messages;

/// How it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Ticks and the summary, for people.
    Text,
    /// One object a line.
    Json,
    /// The summary alone.
    Summary,
}

/// The output, and what it shows at the moment.
pub(super) struct Out<W: Write> {
    form: Form,
    out: BufWriter<W>,
    /// The lines of the last tick: a tick that does the same is not told again.
    shown: Vec<String>,
    same: u64,
    /// How many ticks there were.
    ticks: u64,
}

fn clock(nanos: u64) -> String {
    format!("{:.3} s", nanos as f64 / 1e9)
}

impl<W: Write> Out<W> {
    pub(super) fn new(form: Form, out: W) -> Out<W> {
        Out {
            form,
            out: BufWriter::new(out),
            shown: Vec::new(),
            same: 0,
            ticks: 0,
        }
    }

    pub(super) fn flush(&mut self) -> Result<(), Fail> {
        Ok(self.out.flush()?)
    }

    /// The tree, for programs.
    pub(super) fn tree(&mut self, session: &Session) -> Result<(), Fail> {
        if self.form != Form::Json {
            return Ok(());
        }
        let nodes = session.nodes().iter().enumerate();
        let nodes: Vec<Value> = nodes
            .map(|(i, node)| {
                json!({
                    "kind": node.kind.as_str(), "name": node.name.as_str(), "path": session.path(i),
                    "parent": node.parent, "line": session.line_of(i),
                })
            })
            .collect();
        self.object(&json!({ "tree": nodes }))
    }

    fn object(&mut self, value: &Value) -> Result<(), Fail> {
        serde_json::to_writer(&mut self.out, value)?;
        writeln!(self.out)?;
        Ok(())
    }

    /// A tick; without a status a leaf failed with an error.
    pub(super) fn tick(
        &mut self,
        session: &mut Session,
        tick: u64,
        nanos: u64,
        status: Option<Status>,
    ) -> Result<(), Fail> {
        self.ticks = tick;
        let logged = session.take_lines();
        let word = status.map_or("error".to_owned(), |status| status.to_string());
        match self.form {
            Form::Summary => Ok(()),
            Form::Json => {
                let steps = session.steps();
                let nodes: Vec<Value> = steps
                    .iter()
                    .map(|step| json!([step.instance, step.status.map(|s| s.to_string())]))
                    .collect();
                self.object(&json!({
                    "tick": tick, "time": nanos as f64 / 1e9, "status": word,
                    "nodes": nodes, "halted": session.halted(), "log": logged,
                }))
            }
            Form::Text => {
                let mut lines = vec![word.clone()];
                for step in session.steps() {
                    let node = &session.nodes()[step.instance];
                    let label = if node.name == node.kind {
                        node.kind.to_string()
                    } else {
                        format!("{} \"{}\"", node.kind, node.name)
                    };
                    let status = step.status.map_or("error".to_owned(), |s| s.to_string());
                    lines.push(format!("{:1$}{label}: {status}", "", 2 + 2 * step.depth));
                }
                for instance in session.halted() {
                    lines.push(format!("  halted: {}", session.path(instance)));
                }
                if lines == self.shown && logged.is_empty() {
                    self.same += 1;
                    return Ok(());
                }
                self.end_of_same()?;
                writeln!(self.out, "tick {tick}, {}: {word}", clock(nanos))?;
                for line in &lines[1..] {
                    writeln!(self.out, "{line}")?;
                }
                for line in logged {
                    writeln!(self.out, "  log: {line}")?;
                }
                self.shown = lines;
                // Whoever watches wants to see it now.
                Ok(self.out.flush()?)
            }
        }
    }

    fn end_of_same(&mut self) -> Result<(), Fail> {
        if self.same > 0 {
            let ticks = if self.same == 1 { "tick" } else { "ticks" };
            writeln!(self.out, "  ({} more {ticks} alike)", self.same)?;
            self.same = 0;
        }
        Ok(())
    }

    /// How often each node answered what.
    pub(super) fn summary(
        &mut self,
        session: &Session,
        last: Option<Status>,
        failed: bool,
    ) -> Result<(), Fail> {
        let last = match (failed, last) {
            (true, _) => "error".to_owned(),
            (false, None) => "none".to_owned(),
            (false, Some(status)) => status.to_string(),
        };
        let counted =
            (session.counts.iter().enumerate()).map(|(i, counts)| (session.path(i), counts));
        if self.form == Form::Json {
            let nodes: Vec<Value> = counted
                .map(|(path, c)| {
                    json!({
                        "path": path, "success": c.success, "failure": c.failure,
                        "running": c.running, "skipped": c.skipped, "halted": c.halted,
                        "errors": c.errors,
                    })
                })
                .collect();
            return self.object(&json!({
                "summary": {"ticks": self.ticks, "status": last, "nodes": nodes},
            }));
        }
        self.end_of_same()?;
        let total = session.nodes().len();
        let idle = counted.clone().filter(|(_, counts)| counts.none());
        let idle: Vec<&str> = idle.map(|(path, _)| path).collect();
        let ticks = if self.ticks == 1 { "tick" } else { "ticks" };
        if self.form == Form::Text {
            // Between the last tick and what is counted.
            writeln!(self.out)?;
        }
        writeln!(self.out, "{} {ticks}, last: {last}", self.ticks)?;
        writeln!(
            self.out,
            "{:>9}{:>9}{:>9}{:>9}{:>9}  node",
            "success", "failure", "running", "skipped", "halted"
        )?;
        for (path, c) in counted.filter(|(_, counts)| !counts.none()) {
            let numbers = [c.success, c.failure, c.running, c.skipped, c.halted];
            let numbers = numbers.map(|n| {
                if n == 0 {
                    "-".to_owned()
                } else {
                    n.to_string()
                }
            });
            let [a, b, _, d, e] = &numbers;
            let errors = if c.errors > 0 { " (error)" } else { "" };
            writeln!(
                self.out,
                "{a:>9}{b:>9}{:>9}{d:>9}{e:>9}  {path}{errors}",
                numbers[2]
            )?;
        }
        if !idle.is_empty() {
            writeln!(self.out, "{} of {total} nodes never ran:", idle.len())?;
            for path in idle {
                writeln!(self.out, "  {path}")?;
            }
        }
        Ok(())
    }

    /// The files have mistakes and the old tree runs on.
    pub(super) fn broken(&mut self, failed: &Failed) -> Result<(), Fail> {
        let mut messages = Messages::on_stderr();
        let mut err = std::io::stderr().lock();
        messages.print(&failed.diagnostics, &failed.sources, &mut err)?;
        writeln!(err, "{}; the tree as it was runs on", messages.counts())?;
        if self.form == Form::Json {
            let list: Vec<Value> = (failed.diagnostics.iter())
                .map(|diagnostic| diagnostic.to_json(&failed.sources))
                .collect();
            self.object(&json!({ "broken": list }))?;
        }
        Ok(self.out.flush()?)
    }

    /// The files were read anew.
    pub(super) fn reloaded(&mut self, session: &Session, moved: &Moved) -> Result<(), Fail> {
        self.shown.clear();
        match self.form {
            Form::Json => {
                let changes: Vec<Value> = (moved.report.changes.iter())
                    .map(|(path, change)| change_to_json(path, change))
                    .collect();
                self.object(&json!({"reloaded": {"kept": moved.kept, "changes": changes}}))?;
                self.tree(session)?;
            }
            Form::Text | Form::Summary => {
                self.end_of_same()?;
                writeln!(
                    self.out,
                    "reloaded; {}",
                    match moved.kept.as_slice() {
                        [] => "nothing goes on from before".to_owned(),
                        kept => format!("goes on: {}", kept.join(", ")),
                    }
                )?;
                for line in moved.report.to_string().lines() {
                    writeln!(self.out, "  {line}")?;
                }
            }
        }
        Ok(self.out.flush()?)
    }
}

fn change_to_json(path: &str, change: &Change) -> Value {
    let word = match change {
        Change::Moved { to } => return json!({"path": path, "change": "moved", "to": to}),
        Change::Restarted => "restarted",
        Change::Dropped => "dropped",
        Change::Reset => "reset",
        Change::Boxed => "boxed",
        _ => "other",
    };
    json!({"path": path, "change": word})
}
