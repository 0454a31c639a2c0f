//! The watched process as lines of text.

use std::io::Write;
use std::time::Duration;

use tickseed_record::message::{Event, Status, Tick};

use super::Watch;
use super::link::Link;
use super::model::Model;
use crate::fail::Fail;
use crate::recording::named;

/// So long a lost process may take to come back.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(args: &Watch, mut link: Link, out: &mut dyn Write) -> Result<(), Fail> {
    let mut model = Model::default();
    let mut shown: Option<(Option<Status>, Option<u32>)> = None;
    let mut ticks = 0;
    let mut reasons = Vec::new();
    while args.ticks.is_none_or(|most| ticks < most) {
        let Some(event) = link.next(Duration::from_millis(200)) else {
            match &link.lost {
                Some(_) if link.ended => return Ok(()),
                Some((since, why)) if since.elapsed() > PATIENCE => {
                    return Err(Fail::Other(why.clone()));
                }
                _ => continue,
            }
        };
        let is_tick = matches!(event, Event::Tick(_));
        ticks += u64::from(is_tick);
        if args.json {
            serde_json::to_writer(&mut *out, &event)?;
            writeln!(out)?;
            out.flush()?;
            continue;
        }
        let is_hello = matches!(event, Event::Hello(_));
        model.take(event);
        if is_hello {
            head(&model, &link, out)?;
        }
        if !model.said.is_empty() {
            writeln!(out, "{:>9}  {}", "", model.said)?;
            model.said.clear();
        }
        let now = (model.tick.status, model.tick.deciding);
        if is_tick && shown != Some(now) {
            shown = Some(now);
            line(&model, &link, out)?;
        }
        if is_tick && let Some(node) = &args.why {
            why(&model, &link, node, &mut reasons, out)?;
        }
        out.flush()?;
    }
    Ok(())
}

fn head(model: &Model, link: &Link, out: &mut dyn Write) -> Result<(), Fail> {
    let hello = &model.hello;
    let agents = hello.agents.len();
    let s = if agents == 1 { "" } else { "s" };
    writeln!(out, "{}: {agents} agent{s}", hello.process.name)?;
    if let Some(tree) = model.tree(link.agent) {
        for node in &tree.nodes {
            let depth = tree.upwards(node.id).count();
            let name = node.name.as_deref().unwrap_or("");
            let text = format!("{:indent$}{} {name}", "", node.kind, indent = 2 * depth);
            writeln!(out, "{}", text.trim_end())?;
        }
    }
    Ok(())
}

/// Tells why a node is ticked or not, if that is for other reasons than before.
fn why(
    model: &Model,
    link: &Link,
    node: &str,
    before: &mut Vec<String>,
    out: &mut dyn Write,
) -> Result<(), Fail> {
    let Some(tree) = model.tree(link.agent) else {
        return Ok(());
    };
    let node = named(tree, node)?;
    let tick = Tick {
        keys: model.keys.at(model.tick.tick),
        ..model.tick.clone()
    };
    let now: Vec<String> = match tickseed_record::why(tree, &tick, node) {
        Ok(why) => why.reasons.into_iter().map(|r| r.text).collect(),
        Err(e) => vec![e.to_string()],
    };
    if now != *before {
        for reason in &now {
            writeln!(out, "{:>9}  {reason}", "")?;
        }
        *before = now;
    }
    Ok(())
}

fn line(model: &Model, link: &Link, out: &mut dyn Write) -> Result<(), Fail> {
    let Some(tree) = model.tree(link.agent) else {
        return Ok(());
    };
    let keys: Vec<String> = model
        .keys
        .at(model.tick.tick)
        .into_iter()
        .filter_map(|c| {
            Some(format!(
                "{} {}",
                tree.keys.get(c.key as usize)?.name,
                c.value
            ))
        })
        .collect();
    let status = model
        .tick
        .status
        .map_or("error".to_owned(), |s| s.to_string());
    writeln!(
        out,
        "{:>7.2} s  {status:<8} {:<20} {}",
        model.tick.time as f64 / 1e9,
        model.deciding(tree),
        keys.join("  ")
    )?;
    Ok(())
}
