//! Replacing the running world's tree, and going back and forth past such a change.

use serde_json::{Value, json};
use tickseed_record::message::{Break, Event, Level, Moves};
use tickseed_worlds::{Completion, Messages};

use super::Player;
use crate::crowd::Crowd;
use crate::scribe;

/// Why a command was not carried out.
pub(super) struct Refused {
    pub(super) text: String,
    /// The mistakes in a source text.
    pub(super) mistakes: Vec<Value>,
}

impl From<String> for Refused {
    fn from(text: String) -> Refused {
        Refused {
            text,
            mistakes: Vec::new(),
        }
    }
}

/// Messages as a page gets them.
pub(super) fn as_json(messages: &Messages) -> Vec<Value> {
    let all = messages.diagnostics.iter();
    all.map(|d| d.to_json(&messages.sources)).collect()
}

/// A thing that could stand somewhere, as a page gets it.
pub(super) fn completion(c: &Completion) -> Value {
    json!({
        "label": c.label,
        "insert": c.insert,
        "kind": format!("{:?}", c.kind).to_lowercase(),
        "detail": c.detail,
        "doc": c.doc,
        "from": c.replaces.start,
    })
}

impl Player {
    /// Puts another tree in the place of the present one. What lay after this tick is
    /// forgotten, as it will not come about any more.
    pub(super) fn reload(
        &mut self,
        tree: u32,
        source: &str,
        out: &mut Vec<Event>,
    ) -> Result<Option<Value>, Refused> {
        let present = self.run.tree();
        if tree != present {
            let text = format!("tree {tree} is not the one that runs now: that is {present}");
            return Err(text.into());
        }
        let done = self.run.reload(source).map_err(|messages| {
            let errors = messages.diagnostics.iter().filter(|d| d.is_error());
            let text = match errors.count() {
                1 => "the text has a mistake: the tree runs on as it was".to_owned(),
                n => format!("the text has {n} mistakes: the tree runs on as it was"),
            };
            Refused {
                text,
                mistakes: as_json(&messages),
            }
        })?;
        let moves = scribe::moves(done);
        let answer = json!({
            "moves": &moves,
            "mistakes": as_json(&self.run.world.check(source)),
        });
        self.tell_tree(moves, out);
        out.push(Event::Control(self.control()));
        self.scene(out);
        self.summary(out);
        Ok(Some(answer))
    }

    /// Tells the watcher of the present tree, if that is not the one it knows. Breakpoints
    /// follow their nodes by path.
    pub(super) fn tell_tree(&mut self, moves: Moves, out: &mut Vec<Event>) {
        let (old, paths) = &self.told;
        if self.run.tree() == *old {
            return;
        }
        let (old, now) = (*old, self.run.world.def().paths());
        let moved = |node: u32| now.iter().position(|p| *p == paths[node as usize]);
        let mut lost = Vec::new();
        self.breakpoints.retain(|_, b| {
            let (Break::Entered { node, .. } | Break::Answered { node, .. }) = b else {
                return true;
            };
            let there = moved(*node);
            match there {
                Some(i) => *node = i as u32,
                None => lost.push(paths[*node as usize].clone()),
            }
            there.is_some()
        });
        // What runs on over the edit is not entered anew.
        let ticked = std::mem::take(&mut self.before.nodes).into_iter();
        let ticked = ticked.filter_map(|(node, s)| Some((moved(node)? as u32, s)));
        self.before.nodes = ticked.collect();
        self.told = (self.run.tree(), now);
        self.answered = None;
        self.crowd = Crowd::default();
        self.run.tell_all();
        out.push(Event::Reloaded {
            old,
            tree: Box::new(self.tree()),
            moves,
            since: self.run.tree_since(),
        });
        for path in lost {
            out.push(Event::Log {
                level: Level::Warning,
                text: format!("the breakpoint on `{path}` is gone: this tree has no such node"),
            });
        }
    }
}
