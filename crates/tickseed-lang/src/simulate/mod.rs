//! Running trees without the code of their leaves.
//!
//! A [`Plan`] says what each leaf answers and how long it takes; [`registry`] provides stand-ins for
//! all nodes that files use and no code implements. The trees then run like any other: everything but
//! the leaves is real. Equal plans and seeds give equal runs.
//!
//! ```
//! use tickseed_core::{Status, Time};
//! use tickseed_lang::{build, load, simulate::{self, Plan, Sim}};
//! let mut files = load::Memory::default();
//! files.add("a.tick", "tree A { selector { Find; Search } }");
//! let loaded = load::load("a.tick", &files);
//! let mut plan = Plan::default();
//! plan.add("Find = failure")?;
//! plan.add("S* = success after 2s")?;
//! let registry = simulate::registry(&loaded.documents, &plan);
//! let tree = build::from_loaded(loaded, &registry, &build::Options::default()).expect("no mistakes");
//! let (mut agent, mut sim) = (tree.tree.agent(), Sim::new(tree.board()));
//! let mut tick = |ms| tree.tree.tick(&mut agent, &mut sim, Time::from_millis(ms));
//! assert_eq!(tick(0).unwrap(), Status::Running);
//! assert_eq!(tick(1999).unwrap(), Status::Running);
//! assert_eq!(tick(2000).unwrap(), Status::Success);
//! # Ok::<(), tickseed_lang::simulate::PlanError>(())
//! ```

mod leaf;
mod plan;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tickseed_core::{Context, nodes};

use crate::board::{Board, HasBoard};
use crate::builtin::builtin;
use crate::compat;
use crate::expr::{Datum, Type};
use crate::model::{Category, Direction, Document, Form, Format, Node, NodeModel};
use crate::registry::{Model, PortModel, Registry};

pub use plan::{Activation, Behaviour, Chance, Length, Plan, PlanError, Verdict};

/// What simulated leaves work on: the keys, and how often each leaf has begun.
#[derive(Clone, Debug, Default)]
pub struct Sim {
    /// The keys.
    pub board: Board,
    /// Lines that log nodes wrote, until someone takes them.
    pub lines: Vec<String>,
    begun: HashMap<Arc<str>, u32>,
}

impl Sim {
    /// With these keys, before anything has begun.
    #[must_use]
    pub fn new(board: Board) -> Sim {
        Sim {
            board,
            ..Sim::default()
        }
    }

    /// Counts a beginning; the first is 0.
    fn begin(&mut self, leaf: &Arc<str>) -> u32 {
        match self.begun.get_mut(leaf) {
            Some(count) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                self.begun.insert(Arc::clone(leaf), 0);
                0
            }
        }
    }

    /// Goes over to the keys of an edited tree: those that are still there, and still of the same
    /// type, keep their values.
    pub fn take_over(&mut self, mut board: Board) {
        let layout = Arc::clone(board.layout());
        let old = Arc::clone(self.board.layout());
        let path = |scopes: &[String], at: u32| scopes.get(at as usize).cloned();
        for (slot, info) in layout.slots() {
            let kept = path(layout.scopes(), info.scope)
                .and_then(|scope| old.find(&scope, &info.name))
                .filter(|slot| old.slot(*slot).is_some_and(|known| known.ty == info.ty));
            if let Some(from) = kept {
                board.set(slot, self.board.get(from));
            }
        }
        self.board = board;
    }
}

impl Context for Sim {
    type At<'a> = Sim;

    fn block(at: &Sim) -> &[u8] {
        at.board.block()
    }

    fn log(at: &mut Sim, line: &str) {
        at.lines.push(line.to_owned());
    }
}

impl HasBoard for Sim {
    const BLOCK_IS_BOARD: bool = true;

    fn board(at: &Sim) -> &Board {
        &at.board
    }

    fn board_mut(at: &mut Sim) -> &mut Board {
        &mut at.board
    }
}

/// A kind of node as files use it.
#[derive(Default)]
struct Used<'d> {
    model: Option<(&'d Document, &'d NodeModel)>,
    category: Option<Category>,
    least: usize,
    most: usize,
    /// Names of arguments.
    named: Vec<&'d str>,
    /// How many arguments stand without a name.
    positional: usize,
    uses: usize,
}

/// Stand-ins for every node that the files use and that is neither built in nor a tree.
///
/// Leaves do as the plan says. A decorator passes its child's answer on; a node with several children
/// is a sequence. What the files say of a node's ports holds; where they say nothing, all its
/// arguments fit.
pub fn registry(documents: &[Document], plan: &Plan) -> Registry<Sim> {
    let mut registry = Registry::new();
    for model in models(documents) {
        stand_in(&mut registry, model, plan);
    }
    stand_still(&mut registry);
    registry
}

/// What Nav2's controllers ask ROS for, of a robot that stands still at the origin and whose
/// paths never grow.
fn stand_still(registry: &mut Registry<Sim>) {
    registry.function("robot_position", &[], Type::Vec2, |_, _| {
        Ok(Datum::Vec2([0.0; 2]))
    });
    registry.function("robot_speed", &[], Type::Float, |_, _| {
        Ok(Datum::Float(0.0))
    });
    registry.function("path_length", &[Type::Any], Type::Float, |_, _| {
        Ok(Datum::Float(1.0))
    });
    registry.function("paused", &[], Type::Bool, |_, _| Ok(Datum::Bool(false)));
}

/// Descriptions of the nodes that files use and that is neither built in nor a tree.
pub fn models(documents: &[Document]) -> Vec<Model> {
    let trees: std::collections::HashSet<&str> = documents
        .iter()
        .flat_map(Document::trees)
        .map(|tree| tree.name.as_str())
        .collect();
    let known: std::collections::HashSet<&str> =
        compat::models().map(|model| model.name.as_str()).collect();
    let mut used: BTreeMap<&str, Used<'_>> = BTreeMap::new();
    for document in documents {
        for root in document.trees().flat_map(|tree| &tree.body) {
            root.walk(&mut |node: &Node| {
                let kind = node.kind.as_str();
                let theirs = node.form == Form::Explicit(Category::Subtree)
                    || trees.contains(kind)
                    || known.contains(kind)
                    || (document.format != Format::Xml && builtin(kind).is_some());
                if !theirs {
                    note(used.entry(kind).or_default(), node);
                }
            });
        }
    }
    for document in documents {
        for model in document.models() {
            if let Some(used) = used.get_mut(model.name.as_str()) {
                used.model = Some((document, model));
            }
        }
    }
    let is_enum = |name: &str| {
        let mut enums = documents.iter().flat_map(Document::enums);
        enums.any(|model| model.name == name)
    };
    used.iter()
        .map(|(kind, used)| used.describe(kind, &is_enum))
        .collect()
}

fn note<'d>(used: &mut Used<'d>, node: &'d Node) {
    let children = node.children.iter().filter(|child| !child.disabled).count();
    used.least = if used.uses == 0 {
        children
    } else {
        used.least.min(children)
    };
    used.most = used.most.max(children);
    used.uses += 1;
    if let Form::Explicit(category) = node.form {
        used.category = Some(category);
    }
    let mut positional = 0;
    for argument in node.arguments() {
        match &argument.name {
            Some(name) if !used.named.contains(&name.as_str()) => used.named.push(name.as_str()),
            Some(_) => {}
            None => positional += 1,
        }
    }
    used.positional = used.positional.max(positional);
}

impl Used<'_> {
    fn describe(&self, kind: &str, is_enum: &dyn Fn(&str) -> bool) -> Model {
        let counted = match (self.least, self.most) {
            (_, 0) => Category::Leaf,
            (1, 1) => Category::Decorator,
            _ => Category::Control,
        };
        let said = self
            .model
            .map(|(_, model)| model.category)
            .or(self.category);
        let category = match said {
            // What is written decides: a file may be wrong about what it does not use.
            Some(Category::Action | Category::Condition | Category::Leaf) if self.most == 0 => {
                said.unwrap_or(counted)
            }
            _ => counted,
        };
        let mut model = Model::new(kind, category);
        if let Some((document, known)) = self.model {
            model.doc = known.doc.clone().unwrap_or_default();
            for port in &known.ports {
                // In XML types are names of C++: what converts to what is that code's affair.
                let ty = match (&port.ty, document.has_btcpp_keys()) {
                    (Some(ty), false) => Type::parse(ty.as_str(), is_enum),
                    _ => Type::Any,
                };
                let mut described =
                    PortModel::new(port.name.text.clone(), port.direction, ty).optional();
                described.doc = port.doc.clone().unwrap_or_default();
                model = model.port(described);
            }
        }
        // Arguments by position fill the first ports.
        for number in model.ports.len()..self.positional {
            let name = format!("argument {}", number + 1);
            model = model.port(PortModel::new(name, Direction::In, Type::Any).optional());
        }
        for name in &self.named {
            let known = model.ports.iter().any(|port| port.name == *name);
            // A description that leaves a port out is a mistake that `check` reports; in a
            // simulation it does no harm.
            if !known {
                model = model.port(PortModel::new(*name, Direction::In, Type::Any).optional());
            }
        }
        model
    }
}

fn stand_in(registry: &mut Registry<Sim>, model: Model, plan: &Plan) {
    let kind = model.name.clone();
    let leaf = matches!(
        model.category,
        Category::Action | Category::Condition | Category::Leaf
    );
    if !leaf {
        registry.node(model, move |_, children| {
            Some(nodes::<Sim>().sequence(children))
        });
        return;
    }
    let condition = model.category == Category::Condition;
    let plan = plan.clone();
    registry.node(model, move |ports, _| {
        let behaviour = plan.of(&[&kind, ports.name, &ports.path()], condition);
        let skips = behaviour.may_skip();
        let leaf = leaf::Simulated::new(&ports.full_path(), behaviour);
        let node = nodes::<Sim>().leaf(ports.name.to_owned(), leaf);
        Some(if skips { node.may_skip() } else { node })
    });
}
