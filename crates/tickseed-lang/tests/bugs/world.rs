//! A small world in which files run: leaves that follow a plan, leaves that show what their ports
//! hold, leaves that write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tickseed_core::{Agent, Cx, Leaf, LeafError, Outcome, Status, Time, nodes};
use tickseed_lang::board::Board;
use tickseed_lang::build::{Failed, Loaded, Options, from_loaded};
use tickseed_lang::expr::{Datum, Type};
use tickseed_lang::load::{Memory, load};
use tickseed_lang::model::{Category, Direction};
use tickseed_lang::registry::{In, Model, PortModel, PortType, Registry};

#[derive(Default)]
struct Shared {
    plans: HashMap<String, Vec<char>>,
    log: Vec<String>,
}

/// What the leaves of one test share.
#[derive(Clone, Default)]
pub(crate) struct World(Arc<Mutex<Shared>>);

/// `Act`: answers as planned and notes what happens to it.
struct Act {
    name: String,
    world: World,
}

impl Act {
    fn answer(&self, event: &str, call: usize) -> Outcome {
        let mut shared = self.world.0.lock().expect("no test panics here");
        shared.log.push(format!("{event} {}", self.name));
        let plan = shared.plans.get(&self.name);
        let letter = plan.and_then(|plan| plan.get(call).or(plan.last()));
        match letter {
            Some('F') => Ok(Status::Failure),
            Some('R') => Ok(Status::Running),
            Some('K') => Ok(Status::Skipped),
            Some('X') => Err(LeafError::new("boom")),
            _ => Ok(Status::Success),
        }
    }
}

impl Leaf<Board> for Act {
    type State = u32;

    fn start(&self, calls: &mut u32, _: &mut Cx<'_, '_, Board>) -> Outcome {
        *calls = 1;
        self.answer("start", 0)
    }

    fn tick(&self, calls: &mut u32, _: &mut Cx<'_, '_, Board>) -> Outcome {
        *calls += 1;
        self.answer("tick", *calls as usize - 1)
    }

    fn halt(&self, _: &mut u32, _: &mut Cx<'_, '_, Board>) {
        self.world.note(format!("halt {}", self.name));
    }
}

/// A leaf that shows its port: `name=value`.
fn show<T: PortType + std::fmt::Debug>(
    registry: &mut Registry<Board>,
    world: &World,
    kind: &str,
    default: Option<&str>,
) {
    let mut port = PortModel::new("p", Direction::In, T::ty());
    if let Some(default) = default {
        port = port.or(default);
    }
    let world = world.clone();
    registry.node(
        Model::new(kind, Category::Action).port(port),
        move |ports, _| {
            let name = ports.name.to_owned();
            let input: In<T> = ports.input("p")?;
            let world = world.clone();
            Some(nodes::<Board>().action(
                name.clone(),
                move |cx: &mut Cx<'_, '_, Board>| -> Outcome {
                    let value = input
                        .get(cx)
                        .map_err(|error| LeafError::new(error.to_string()))?;
                    world.note(format!("{name}={value:?}"));
                    Ok(Status::Success)
                },
            ))
        },
    );
}

/// A leaf that writes its constant `v` to the key at its port `to`.
fn put<T: PortType>(registry: &mut Registry<Board>, kind: &str) {
    let model = Model::new(kind, Category::Action)
        .port(PortModel::new("v", Direction::In, T::ty()))
        .port(PortModel::new("to", Direction::Out, T::ty()));
    registry.node(model, |ports, _| {
        let name = ports.name.to_owned();
        let input: In<T> = ports.input("v")?;
        let output = ports.output::<T>("to")?;
        Some(
            nodes::<Board>().action(name, move |cx: &mut Cx<'_, '_, Board>| -> Outcome {
                let value = input
                    .get(cx)
                    .map_err(|error| LeafError::new(error.to_string()))?;
                output
                    .set(cx, value)
                    .map_err(|error| LeafError::new(error.to_string()))?;
                Ok(Status::Success)
            }),
        )
    });
}

impl World {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// What the leaf of a name answers, call by call of each activation; the last one repeats.
    pub(crate) fn plan(self, name: &str, letters: &str) -> Self {
        let letters = letters.chars().filter(|c| *c != ' ').collect();
        self.0
            .lock()
            .expect("no test panics here")
            .plans
            .insert(name.to_owned(), letters);
        self
    }

    fn note(&self, what: String) {
        self.0.lock().expect("no test panics here").log.push(what);
    }

    /// What was noted since the last call.
    pub(crate) fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no test panics here").log)
    }

    pub(crate) fn registry(&self) -> Registry<Board> {
        let mut registry = Registry::new();
        let world = self.clone();
        registry.node(Model::new("Act", Category::Action), move |ports, _| {
            let name = ports.name.to_owned();
            let world = world.clone();
            let leaf = nodes::<Board>().leaf(name.clone(), Act { name, world });
            Some(leaf.may_skip())
        });
        show::<i64>(&mut registry, self, "Int", Some("7"));
        show::<String>(&mut registry, self, "Text", Some("seven"));
        show::<i64>(&mut registry, self, "NeedInt", None);
        show::<f64>(&mut registry, self, "Float", None);
        show::<bool>(&mut registry, self, "Bool", None);
        show::<Vec<i64>>(&mut registry, self, "Ints", None);
        show::<String>(&mut registry, self, "NeedText", None);
        put::<i64>(&mut registry, "PutInt");
        put::<String>(&mut registry, "PutText");
        put::<f64>(&mut registry, "PutFloat");
        registry.function(
            "twice",
            &[Type::Float],
            Type::Float,
            |_, arguments| match arguments {
                [Datum::Float(x)] => Ok(Datum::Float(2.0 * x)),
                _ => Err("expected a number".into()),
            },
        );
        registry
    }

    pub(crate) fn try_files(
        &self,
        files: &[(&str, &str)],
        options: &Options,
    ) -> Result<Loaded<Board>, Failed> {
        let mut memory = Memory::default();
        for (path, text) in files {
            memory.add(*path, *text);
        }
        from_loaded(load(files[0].0, &memory), &self.registry(), options)
    }

    /// Builds a text, `.tick` or XML by its first letter, that must be right.
    pub(crate) fn build(&self, text: &str) -> Running {
        let loaded = self
            .try_files(&[(name_of(text), text)], &Options::default())
            .unwrap_or_else(|failed| panic!("{text}\n{failed}"));
        Running::new(loaded)
    }

    /// The messages about a text that must be wrong, as they are shown.
    pub(crate) fn fail(&self, text: &str) -> String {
        match self.try_files(&[(name_of(text), text)], &Options::default()) {
            Ok(_) => panic!("nothing is said about\n{text}"),
            Err(failed) => failed.to_string(),
        }
    }
}

pub(crate) fn name_of(text: &str) -> &'static str {
    if text.trim_start().starts_with('<') {
        "t.xml"
    } else {
        "t.tick"
    }
}

/// An XML file with these trees.
pub(crate) fn xml(trees: &[(&str, &str)]) -> String {
    let trees: String = trees
        .iter()
        .map(|(name, body)| format!("<BehaviorTree ID=\"{name}\">{body}</BehaviorTree>\n"))
        .collect();
    format!("<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\">\n{trees}</root>")
}

/// A tree with its agent.
pub(crate) struct Running {
    pub(crate) loaded: Loaded<Board>,
    pub(crate) board: Board,
    pub(crate) agent: Agent,
    pub(crate) now: u64,
}

impl Running {
    pub(crate) fn new(loaded: Loaded<Board>) -> Self {
        Self {
            board: loaded.board(),
            agent: loaded.tree.agent(),
            loaded,
            now: 0,
        }
    }

    /// Ticks once, a second later each time; the letter of the answer.
    pub(crate) fn tick(&mut self) -> char {
        self.try_tick().unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn try_tick(&mut self) -> Result<char, String> {
        let now = Time::from_millis(self.now * 1_000);
        self.now += 1;
        let status = self.loaded.tree.tick(&mut self.agent, &mut self.board, now);
        status
            .map_err(|error| error.to_string())
            .map(|status| match status {
                Status::Success => 'S',
                Status::Failure => 'F',
                Status::Running => 'R',
                Status::Skipped => 'K',
            })
    }

    pub(crate) fn ticks(&mut self, n: usize) -> String {
        (0..n).map(|_| self.tick()).collect()
    }

    pub(crate) fn halt(&mut self) {
        let now = Time::from_millis(self.now * 1_000);
        self.loaded
            .tree
            .halt(&mut self.agent, &mut self.board, now)
            .expect("nothing fails");
    }

    pub(crate) fn get(&self, name: &str) -> Option<Datum> {
        self.board.by_name("", name)
    }

    pub(crate) fn set(&mut self, name: &str, value: Datum) {
        assert!(self.board.set_by_name("", name, value), "no key {name}");
    }
}
