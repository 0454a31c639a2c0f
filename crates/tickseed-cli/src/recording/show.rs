//! A recorded tick in words.

use std::fmt::Write as _;

use tickseed_core::TickReport;
use tickseed_record::message::{Status, Tick, TreeDef};
use tickseed_record::{Structure, derive};

/// The tree with the statuses of a tick, then the keys. A node that a loop ran several times
/// has its last answer.
pub(super) fn tick(def: &TreeDef, tick: &Tick) -> String {
    let mut out = String::new();
    let mut report = TickReport::new();
    let derived = Structure::new(def)
        .map_err(|e| e.to_string())
        .and_then(|s| derive(&s, tick, &mut report).map_err(|e| e.to_string()));
    let _ = writeln!(
        out,
        "tick {}  {:.3} s  agent {}  {}",
        tick.tick,
        tick.time as f64 / 1e9,
        tick.agent,
        tick.status.map_or("error".to_owned(), |s| s.to_string()),
    );
    for input in &tick.inputs {
        let _ = writeln!(out, "input {input}");
    }
    if let Err(e) = derived {
        let _ = writeln!(out, "{e}");
    }
    for node in &def.nodes {
        let depth = def.upwards(node.id).count();
        let ticked = report.entries().iter().rev();
        let ticked = ticked
            .map(|e| (e.node.0, e.status))
            .find(|e| e.0 == node.id);
        let status = match ticked {
            Some((_, Some(status))) => Status::from(status).to_string(),
            Some((_, None)) => "error".to_owned(),
            None => "-".to_owned(),
        };
        let name = match &node.name {
            Some(name) => format!("{} {name:?}", node.kind),
            None => node.kind.clone(),
        };
        let mark = if tick.deciding == Some(node.id) {
            "  <- decided"
        } else if tick.halted.contains(&node.id) {
            "  halted"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "{:indent$}{name}: {status}{mark}",
            "",
            indent = 2 * depth
        );
    }
    if let Some(failure) = &tick.failure {
        let _ = writeln!(out, "failed: {}", failure.text);
    }
    for change in &tick.keys {
        if let Some(key) = def.keys.get(change.key as usize) {
            let _ = writeln!(out, "{:<20} {}", key.name, change.value);
        }
    }
    out
}
