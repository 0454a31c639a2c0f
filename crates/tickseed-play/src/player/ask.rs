//! Queries of a page. They are not part of the protocol: they concern the page's own engine, not a
//! process.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tickseed_core::NodeId;
use tickseed_record::message::Tick;
use tickseed_record::why;
use tickseed_worlds::{AloneLeaf, Change, SwitchedOff, WORLDS, World, change, switched_off};

use super::{Player, reload};
use crate::{machine, picture};

/// A question. What belongs to it stays text until it is known what is asked, since a tree of
/// thousands of nodes takes long to read twice.
#[derive(Deserialize)]
struct Asked<'a> {
    id: Option<u64>,
    ask: Question,
    #[serde(borrow)]
    tree: Option<&'a RawValue>,
    #[serde(borrow)]
    tick: Option<&'a RawValue>,
    node: Option<u32>,
    source: Option<String>,
    offset: Option<usize>,
    from: Option<usize>,
    to: Option<usize>,
    change: Option<Done>,
    with: Option<String>,
}

/// What is done to a node of a text: [`Change`] as the page says it.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Done {
    Earlier,
    Later,
    Remove,
    Duplicate,
    Off,
    Rename,
    Wrap,
    Unwrap,
    Follow,
    Become,
    Extract,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Question {
    /// Which worlds there are.
    Worlds,
    /// Where a tree's nodes go.
    Layout,
    /// A tree as SVG.
    Svg,
    /// The next questions are about this tree: it may be one of another process.
    Tree,
    /// Why a node of that tree was or was not ticked in this tick, which holds all keys.
    Why,
    /// What there is to say about a text that might take the place of the present one.
    Check,
    /// Such a text with all that it takes to run it without the world, and its leaves.
    Alone,
    /// What could stand at a place of such a text; the place is a number of bytes.
    Complete,
    /// A text with a change at the node that is written from this byte to that.
    Change,
    /// The branches of a text that are switched off.
    Off,
    /// The text with the behaviour that the world offers, or without if it is there.
    Offer,
    /// The state machine that the tree amounts to.
    Machine,
}

impl Done {
    fn with(self, text: Option<String>) -> Result<Change, String> {
        let text = || text.ok_or("`with` is missing");
        Ok(match self {
            Done::Earlier => Change::Earlier,
            Done::Later => Change::Later,
            Done::Remove => Change::Remove,
            Done::Duplicate => Change::Duplicate,
            Done::Off => Change::Off,
            Done::Rename => Change::Rename(text()?),
            Done::Wrap => Change::Wrap(text()?),
            Done::Unwrap => Change::Unwrap,
            Done::Follow => Change::Follow(text()?),
            Done::Become => Change::Become(text()?),
            Done::Extract => Change::Extract(text()?),
        })
    }
}

/// An answer as the page reads it.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Answer<'a> {
    Done {
        id: Option<u64>,
        answer: &'a RawValue,
    },
    Error {
        id: Option<u64>,
        text: String,
    },
}

impl Player {
    /// Answers a question, as a JSON array of one event; none if this is no question.
    pub(super) fn answer(&mut self, request: &[u8]) -> Option<String> {
        let asked: Asked<'_> = serde_json::from_slice(request).ok()?;
        let id = asked.id;
        let answer = self.consider(&asked);
        let event = match &answer {
            Ok(answer) => Answer::Done { id, answer },
            Err(text) => Answer::Error {
                id,
                text: text.clone(),
            },
        };
        serde_json::to_string(&[event]).ok()
    }

    fn consider(&mut self, asked: &Asked<'_>) -> Result<Box<RawValue>, String> {
        match asked.ask {
            Question::Worlds => {
                let about = |w: &&tickseed_worlds::Info| {
                    json!({
                        "name": w.name, "about": w.about, "agents": w.agents, "crowd": w.crowd,
                    })
                };
                told(&WORLDS.iter().map(about).collect::<Vec<_>>())
            }
            Question::Layout => told(&picture::layout(&part("tree", asked.tree)?)?),
            Question::Svg => told(&picture::svg(&part("tree", asked.tree)?)?),
            Question::Tree => {
                self.known = Some(part("tree", asked.tree)?);
                told(&())
            }
            Question::Why => {
                let tree = self.known.as_ref().ok_or("which tree? `tree` tells")?;
                let tick: Tick = part("tick", asked.tick)?;
                let node = asked.node.ok_or("`node` is missing")?;
                told(&why(tree, &tick, node).map_err(|e| e.to_string())?)
            }
            Question::Check => {
                let source = asked.source.as_deref().ok_or("`source` is missing")?;
                let messages = self.run.world.check(source);
                told(&json!({ "mistakes": reload::as_json(&messages) }))
            }
            Question::Alone => {
                let source = asked.source.as_deref().ok_or("`source` is missing")?;
                let alone = self
                    .run
                    .world
                    .alone(source)
                    .ok_or("the text has mistakes")?;
                let leaf =
                    |l: &AloneLeaf| json!({ "node": l.node.0, "path": l.path, "own": l.own });
                let leaves: Vec<_> = alone.leaves.iter().map(leaf).collect();
                told(&json!({ "text": alone.text, "leaves": leaves }))
            }
            Question::Complete => {
                let source = asked.source.as_deref().ok_or("`source` is missing")?;
                let offset = asked.offset.ok_or("`offset` is missing")?;
                let found = self.run.world.complete(source, offset);
                told(&found.iter().map(reload::completion).collect::<Vec<_>>())
            }
            Question::Change => {
                let source = asked.source.as_deref().ok_or("`source` is missing")?;
                let (from, to) = asked
                    .from
                    .zip(asked.to)
                    .ok_or("`from` or `to` is missing")?;
                let what = asked.change.ok_or("`change` is missing")?;
                let what = what.with(asked.with.clone())?;
                let done = change(source, from..to, &what).map_err(|e| e.to_string())?;
                told(&json!({ "text": done.text, "from": done.node.start, "to": done.node.end }))
            }
            Question::Off => {
                let source = asked.source.as_deref().ok_or("`source` is missing")?;
                let told_of = |off: &SwitchedOff| json!({ "label": off.label, "from": off.node.start, "to": off.node.end });
                told(&switched_off(source).iter().map(told_of).collect::<Vec<_>>())
            }
            Question::Offer => {
                let text = tickseed_worlds::toggled(&*self.run.world);
                told(&text.ok_or(
                    "the tree has no place for it: its root wants children, the last one on a \
                     line of its own",
                )?)
            }
            Question::Machine => {
                let world = &*self.run.world;
                told(&machine::explore(world.def(), &|node| asks(world, node))?)
            }
        }
    }
}

/// What a condition asks, as it is written.
fn asks(world: &dyn World, node: NodeId) -> Option<String> {
    let (from, to) = world.span(node)?;
    let text = world.source().get(from as usize..to as usize)?;
    Some(text.trim_start_matches("check").trim().to_owned())
}

/// A part of a question.
fn part<'a, T: Deserialize<'a>>(name: &str, text: Option<&'a RawValue>) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("`{name}` is missing"))?;
    serde_json::from_str(text.get()).map_err(|e| format!("`{name}` cannot be read: {e}"))
}

/// An answer, straight to text: a layout is large.
fn told(answer: &impl Serialize) -> Result<Box<RawValue>, String> {
    serde_json::value::to_raw_value(answer).map_err(|e| e.to_string())
}
