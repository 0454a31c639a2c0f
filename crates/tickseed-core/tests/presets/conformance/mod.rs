//! Document 004's own list of what its engine does, as far as it makes sense here (no pools:
//! those are herds; no slot array: an agent carries its state). One row an entry: a tree of
//! scripted leaves, the times of the ticks, the statuses, and what the leaves saw.
//!
//! Statuses: `S`, `F`, `R`. Log: a leaf's name for a tick, with `!` for a halt; ticks are
//! separated by `|`. An entry `@` among the times resets (halts) the whole tree there.

mod rules;
mod tables;

use tickseed_core::presets::{Flat, flat};
use tickseed_core::{Context, Leaf, Node, Outcome, Status, Time};

/// Leaves count their calls; the log is text.
#[derive(Default)]
struct Lab {
    calls: [usize; 26],
    now: u64,
    log: String,
}

impl Context for Lab {
    type At<'a> = Lab;
}

fn n() -> Flat<Lab> {
    flat()
}

fn index(name: char) -> usize {
    (name as usize).wrapping_sub('a' as usize) % 26
}

fn status(letter: char) -> Status {
    match letter {
        'S' => Status::Success,
        'F' => Status::Failure,
        'R' => Status::Running,
        other => panic!("no status is written {other}"),
    }
}

/// Answers letter after letter, the last one for ever.
fn leaf(name: char, answers: &'static str) -> Node<Lab> {
    n().action(name.to_string(), move |lab| {
        lab.log.push(name);
        let call = lab.calls[index(name)];
        lab.calls[index(name)] += 1;
        let last = answers.len() - 1;
        status(answers.as_bytes()[call.min(last)] as char)
    })
    .on_halt(move |lab| {
        lab.log.push(name);
        lab.log.push('!');
    })
}

/// Succeeds from one time on and before another.
fn open(name: char, from: u64, to: u64) -> Node<Lab> {
    n().action(name.to_string(), move |lab| {
        lab.log.push(name);
        (from..to).contains(&lab.now)
    })
}

/// Counts to three in state of its own.
struct Three(char, Status);

impl Leaf<Lab> for Three {
    type State = u32;
    fn start(&self, count: &mut u32, cx: &mut tickseed_core::Cx<'_, '_, Lab>) -> Outcome {
        self.tick(count, cx)
    }
    fn tick(&self, count: &mut u32, cx: &mut tickseed_core::Cx<'_, '_, Lab>) -> Outcome {
        *count += 1;
        cx.log.push(self.0);
        cx.log.push_str(&count.to_string());
        Ok(if *count < 3 { Status::Running } else { self.1 })
    }
}

fn three(name: char) -> Node<Lab> {
    n().leaf(name.to_string(), Three(name, Status::Success))
}

struct Row {
    name: &'static str,
    tree: Node<Lab>,
    times: &'static str,
    statuses: &'static str,
    log: &'static str,
}

fn row(
    name: &'static str,
    tree: Node<Lab>,
    times: &'static str,
    statuses: &'static str,
    log: &'static str,
) -> Row {
    Row {
        name,
        tree,
        times,
        statuses,
        log,
    }
}

#[track_caller]
fn check(rows: Vec<Row>) {
    for Row {
        name,
        tree,
        times,
        statuses,
        log,
    } in rows
    {
        let tree = tree.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let (mut agent, mut lab) = (tree.agent(), Lab::default());
        let mut found = String::new();
        for step in times.split_whitespace() {
            let now = Time::from_millis(lab.now);
            if step == "@" {
                tree.halt(&mut agent, &mut lab, now).unwrap();
                continue;
            }
            if !found.is_empty() {
                lab.log.push('|');
            }
            lab.now = step.parse().unwrap();
            let now = Time::from_millis(lab.now);
            let s = tree.tick(&mut agent, &mut lab, now).unwrap();
            found.push(s.to_string().to_uppercase().chars().next().unwrap());
        }
        assert_eq!(
            (found.as_str(), lab.log.as_str()),
            (statuses, log),
            "{name}"
        );
    }
}
