//! The scripted leaves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tickseed_core::{
    Branches, CustomNode, Cx, Leaf, LeafError, Node, Outcome, Status, Stop, nodes,
};

use crate::board::{Board, HasBoard};
use crate::model::Category;
use crate::registry::{Model, Registry};

/// What the leaves answer, and what they did in the present command.
#[derive(Debug, Default)]
pub(super) struct Script {
    plan: BTreeMap<String, Vec<char>>,
    calls: BTreeMap<String, usize>,
    events: Vec<String>,
    /// The synchronous action that answered that it runs, by its number.
    stuck: Option<usize>,
}

pub(super) type Shared = Arc<Mutex<Script>>;

impl Script {
    pub(super) fn new(plan: &BTreeMap<String, String>) -> Shared {
        let plan = plan
            .iter()
            .map(|(leaf, text)| (leaf.clone(), text.chars().collect()));
        Arc::new(Mutex::new(Script {
            plan: plan.collect(),
            ..Script::default()
        }))
    }

    /// The events since the last call, as the reference's harness prints them.
    pub(super) fn take(&mut self) -> String {
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return String::new();
        }
        let shown: String = events.iter().map(|event| format!("{event} ")).collect();
        format!("  [{shown}]")
    }

    /// The synchronous action that answered that it runs.
    pub(super) fn take_stuck(&mut self) -> Option<usize> {
        self.stuck.take()
    }

    /// Notes an event and gives the next answer.
    fn next(&mut self, leaf: &str, event: &str) -> char {
        self.events.push(format!("{event}:{leaf}"));
        let call = self.calls.entry(leaf.to_owned()).or_insert(0);
        let letters = self.plan.get(leaf).map_or(&['S'][..], Vec::as_slice);
        let letter = letters
            .get(*call)
            .or(letters.last())
            .copied()
            .unwrap_or('S');
        *call += 1;
        letter
    }
}

fn lock(script: &Shared) -> std::sync::MutexGuard<'_, Script> {
    // A poisoned lock only means that another leaf panicked.
    script
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct Scripted {
    script: Shared,
    name: String,
    path: String,
    instance: usize,
    /// The parent, which the reference names when an action gives no valid answer.
    parent: Option<(String, String)>,
    kind: &'static str,
}

impl Scripted {
    fn answer(&self, event: &str, cx: &mut Cx<'_, '_, Board>) -> Outcome {
        let letter = lock(&self.script).next(&self.name, event);
        let throw = |cx: &mut Cx<'_, '_, Board>, text: String| {
            if Board::board_mut(cx.at_mut()).raise(text.as_str()) {
                Ok(Status::Running)
            } else {
                Err(LeafError::new(text))
            }
        };
        match letter {
            'F' => Ok(Status::Failure),
            'R' if self.kind == "Sync" => {
                let message = "SyncActionNode MUST never return RUNNING";
                lock(&self.script).stuck = Some(self.instance);
                let text = match &self.parent {
                    Some((path, kind)) => exception(path, kind, message),
                    None => message.to_owned(),
                };
                throw(cx, text)
            }
            'R' => Ok(Status::Running),
            'K' => Ok(Status::Skipped),
            'X' => throw(cx, exception(&self.path, self.kind, "boom")),
            _ => Ok(Status::Success),
        }
    }
}

fn exception(path: &str, kind: &str, message: &str) -> String {
    format!("Exception in node '{path}' [{kind}]: {message}")
}

/// `Act`. Its state is whether it has really begun: a tick that an error ended may have entered it
/// without doing anything, and an attempt that threw begins again.
impl Leaf<Board> for Scripted {
    type State = u8;

    fn start(&self, begun: &mut u8, cx: &mut Cx<'_, '_, Board>) -> Outcome {
        if cx.at().has_fault() {
            return Ok(Status::Running);
        }
        let status = self.answer("start", cx)?;
        *begun = (!cx.at().has_fault()).into();
        Ok(status)
    }

    fn tick(&self, begun: &mut u8, cx: &mut Cx<'_, '_, Board>) -> Outcome {
        if *begun == 0 {
            return self.start(begun, cx);
        }
        if cx.at().has_fault() {
            return Ok(Status::Running);
        }
        self.answer("run", cx)
    }

    fn halt(&self, begun: &mut u8, _: &mut Cx<'_, '_, Board>) {
        if *begun != 0 {
            lock(&self.script)
                .events
                .push(format!("halt:{}", self.name));
        }
    }
}

/// `Cond` and `Sync`: asked anew on every tick, also after they answered `RUNNING`.
struct Asked(Scripted);

impl CustomNode<Board> for Asked {
    type State = ();
    type Memory = ();

    fn name(&self) -> &'static str {
        "asked"
    }

    fn arity(&self) -> std::ops::RangeInclusive<usize> {
        0..=0
    }

    fn preempts(&self) -> bool {
        false
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, Board>,
        _: &mut (),
        _: &mut (),
    ) -> Result<Status, Stop> {
        branches
            .with_cx(|cx| {
                if cx.at().has_fault() {
                    return Ok(Status::Running);
                }
                self.0.answer("tick", cx)
            })
            .map_err(Stop::from)
    }
}

/// A registry with the three leaves.
pub(super) fn registry(script: &Shared) -> Registry<Board> {
    let mut registry = Registry::<Board>::new();
    for (kind, category) in [
        ("Act", Category::Action),
        ("Cond", Category::Condition),
        ("Sync", Category::Action),
    ] {
        let script = Arc::clone(script);
        let mut model = Model::new(kind, category);
        model.repeats = kind == "Act";
        registry.node(model, move |ports, _| {
            let leaf = Scripted {
                script: Arc::clone(&script),
                name: ports.name.to_owned(),
                path: ports.full_path(),
                instance: ports.instance(),
                parent: ports.parent(),
                kind,
            };
            let n = nodes::<Board>();
            let node: Node<Board> = if kind == "Act" {
                n.leaf(kind, leaf).may_skip()
            } else {
                n.custom(Asked(leaf), [])
            };
            Some(node)
        });
    }
    registry
}
