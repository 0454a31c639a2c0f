//! What tree files may refer to: the program's leaves, composites, functions and enumerations.
//!
//! ```
//! use tickseed_core::{Status, Time};
//! use tickseed_lang::{board::Board, build, registry::Registry};
//! let mut registry = Registry::<Board>::new();
//! registry.condition("Hungry", |_| true);
//! registry.action("Eat", |_| Status::Running);
//! let loaded = build::from_text("snack.tick", "tree Main { sequence { Hungry; Eat } }", &registry)
//!     .expect("no mistakes");
//! let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
//! assert_eq!(loaded.tree.tick(&mut agent, &mut board, Time::ZERO).unwrap(), Status::Running);
//! ```

mod export;
mod port;
mod ports;

use std::collections::BTreeMap;
use std::sync::Arc;

use tickseed_core::{BoxedLeaf, Cx, IntoOutcome, Leaf, Node, nodes};

pub use export::{models_json, models_xml};
pub(crate) use port::told;
pub use port::{Const, In, InOut, Out, PortError, PortType};
pub(crate) use ports::Gift;
pub use ports::{Given, Ports};

use crate::board::{HasBoard, UserFunction};
use crate::expr::{Datum, Signature, Type};
use crate::model::{Category, Direction};

/// What is known about a kind of node: what a file is checked against.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name in files.
    pub name: String,
    /// What sort of node it is.
    pub category: Category,
    /// Its ports in order; arguments by position fill them in this order.
    pub ports: Vec<PortModel>,
    /// What it does.
    pub doc: String,
    /// Whether a finished leaf that is ticked again without having been reset repeats its verdict,
    /// as BehaviorTree.CPP's `StatefulActionNode` does. Only Nav2's pipeline can tell.
    pub repeats: bool,
}

/// A port of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct PortModel {
    /// Its name.
    pub name: String,
    /// Which way values go.
    pub direction: Direction,
    /// Its type.
    pub ty: Type,
    /// The text of the value it has when none is given; `{key}` for a key. None: it must be given.
    pub default: Option<String>,
    /// Whether it may be left out without a default.
    pub optional: bool,
    /// Whether its value must stand in the file: it is read once, when the tree is loaded.
    pub constant: bool,
    /// What it is for.
    pub doc: String,
}

/// A type whose fields are ports: `#[derive(Leaf)]` writes this.
pub trait FromPorts: Sized {
    /// Its name in files, ports and description.
    fn model() -> Model;

    /// Makes one from what a file says. Mistakes are reported to `ports`, and then there is none.
    fn from_ports(ports: &mut Ports<'_>) -> Option<Self>;
}

type Make<C> = Arc<dyn Fn(&mut Ports<'_>, Vec<Node<C>>) -> Option<Node<C>> + Send + Sync>;

/// A registered kind.
pub(crate) struct Entry<C: HasBoard> {
    pub(crate) model: Model,
    pub(crate) make: Make<C>,
}

/// The nodes, functions and enumerations that files of context `C` may use.
pub struct Registry<C: HasBoard> {
    entries: BTreeMap<String, Entry<C>>,
    functions: Vec<(Signature, UserFunction<C>)>,
    enums: Vec<(String, Vec<(String, i64)>)>,
    faults: Vec<String>,
}

impl<C: HasBoard> Default for Registry<C> {
    fn default() -> Self {
        Registry {
            entries: BTreeMap::new(),
            functions: Vec::new(),
            enums: Vec::new(),
            faults: Vec::new(),
        }
    }
}

impl<C: HasBoard> std::fmt::Debug for Registry<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.entries.keys()).finish()
    }
}

impl Model {
    /// A model without ports.
    #[must_use]
    pub fn new(name: impl Into<String>, category: Category) -> Self {
        Model {
            name: name.into(),
            category,
            ports: Vec::new(),
            doc: String::new(),
            repeats: false,
        }
    }

    /// Adds a port.
    #[must_use]
    pub fn port(mut self, port: PortModel) -> Self {
        self.ports.push(port);
        self
    }
}

impl PortModel {
    /// A port that must be given.
    #[must_use]
    pub fn new(name: impl Into<String>, direction: Direction, ty: Type) -> Self {
        PortModel {
            name: name.into(),
            direction,
            ty,
            default: None,
            optional: false,
            constant: false,
            doc: String::new(),
        }
    }

    /// Gives it a default.
    #[must_use]
    pub fn or(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Lets it be left out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Describes it.
    #[must_use]
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    /// Makes its value one that must stand in the file.
    #[must_use]
    pub fn constant(mut self) -> Self {
        self.constant = true;
        self
    }
}

impl<C: HasBoard> Registry<C> {
    /// A registry without entries: files may use the built-in nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a kind of node by hand: its description and how one is made from its ports and
    /// children. A kind of the same name is replaced; it may be one of BehaviorTree.CPP's own, and
    /// loading a file that uses it warns then. Descriptions that no file could meet, such as two ports
    /// of one name, are errors of every file.
    pub fn node(
        &mut self,
        model: Model,
        make: impl Fn(&mut Ports<'_>, Vec<Node<C>>) -> Option<Node<C>> + Send + Sync + 'static,
    ) -> &mut Self {
        if model.name.is_empty() {
            self.faults
                .push("the program registers a node without a name".into());
        }
        for (i, port) in model.ports.iter().enumerate() {
            if port.name.is_empty() {
                let fault = format!(
                    "the node `{}` of the program has a port without a name",
                    model.name
                );
                self.faults.push(fault);
            } else if model.ports[..i].iter().any(|other| other.name == port.name) {
                let (node, port) = (&model.name, &port.name);
                let fault =
                    format!("the node `{node}` of the program has two ports called `{port}`");
                self.faults.push(fault);
            }
        }
        let make: Make<C> = Arc::new(make);
        self.entries
            .insert(model.name.clone(), Entry { model, make });
        self
    }

    /// Registers a function as an action.
    pub fn action<R: IntoOutcome + 'static>(
        &mut self,
        name: &str,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> R + Send + Sync + 'static,
    ) -> &mut Self {
        let f = Arc::new(f);
        let label = name.to_owned();
        self.node(Model::new(name, Category::Action), move |_, _| {
            let f = Arc::clone(&f);
            Some(nodes::<C>().action(label.clone(), move |cx: &mut Cx<'_, '_, C>| f(cx)))
        })
    }

    /// Registers a function as a condition: it judges the context and changes nothing.
    pub fn condition(
        &mut self,
        name: &str,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        let f = Arc::new(f);
        let label = name.to_owned();
        self.node(Model::new(name, Category::Condition), move |_, _| {
            let f = Arc::clone(&f);
            Some(nodes::<C>().condition(label.clone(), move |at: &C::At<'_>| f(at)))
        })
    }

    /// Registers a leaf whose fields are ports.
    pub fn add<L: FromPorts + Leaf<C>>(&mut self) -> &mut Self {
        let model = L::model();
        let name = model.name.clone();
        self.node(model, move |ports, _| {
            Some(nodes::<C>().leaf(name.clone(), L::from_ports(ports)?))
        })
    }

    /// Registers a leaf with boxed state whose fields are ports.
    pub fn add_boxed<L: FromPorts + BoxedLeaf<C>>(&mut self) -> &mut Self {
        let model = L::model();
        let name = model.name.clone();
        self.node(model, move |ports, _| {
            Some(nodes::<C>().boxed_leaf(name.clone(), L::from_ports(ports)?))
        })
    }

    /// Registers what a module offers: `registry.module(combat::register)`.
    pub fn module(&mut self, register: impl FnOnce(&mut Self)) -> &mut Self {
        register(self);
        self
    }

    /// Registers a function that expressions may call.
    ///
    /// ```
    /// use tickseed_lang::{board::Board, expr::{Datum, Type}, registry::Registry};
    /// let mut registry = Registry::<Board>::new();
    /// registry.function("double", &[Type::Float], Type::Float, |_, arguments| match arguments {
    ///     [Datum::Float(x)] => Ok(Datum::Float(2.0 * x)),
    ///     _ => Err("expected one number".into()),
    /// });
    /// ```
    pub fn function(
        &mut self,
        name: &str,
        parameters: &[Type],
        result: Type,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>, &[Datum]) -> Result<Datum, String> + Send + Sync + 'static,
    ) -> &mut Self {
        let signature = Signature {
            name: name.to_owned(),
            parameters: parameters.to_vec(),
            result,
        };
        self.functions.push((signature, Arc::new(f)));
        self
    }

    /// Registers an enumeration: words that stand for numbers. Modules may register the same one;
    /// two that differ under one name are an error of every file.
    pub fn enumeration<'w>(
        &mut self,
        name: &str,
        words: impl IntoIterator<Item = (&'w str, i64)>,
    ) -> &mut Self {
        let words: Vec<_> = words.into_iter().map(|(w, n)| (w.to_owned(), n)).collect();
        for (i, (word, _)) in words.iter().enumerate() {
            if words[..i].iter().any(|(other, _)| other == word) {
                let fault =
                    format!("the enumeration `{name}` of the program has the word `{word}` twice");
                self.faults.push(fault);
            }
        }
        match self.enums.iter().find(|(other, _)| other == name) {
            Some((_, others)) if *others == words => {}
            Some(_) => {
                let fault = format!(
                    "the program registers two enumerations called `{name}`, with different words"
                );
                self.faults.push(fault);
            }
            None => self.enums.push((name.to_owned(), words)),
        }
        self
    }

    /// The registered kinds in the order of their names.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        self.entries.values().map(|entry| &entry.model)
    }

    /// The description of a kind.
    #[must_use]
    pub fn model(&self, name: &str) -> Option<&Model> {
        self.entries.get(name).map(|entry| &entry.model)
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry<C>> {
        self.entries.get(name)
    }

    pub(crate) fn functions(&self) -> &[(Signature, UserFunction<C>)] {
        &self.functions
    }

    /// What is wrong with what was registered.
    pub(crate) fn faults(&self) -> impl Iterator<Item = String> {
        self.faults.clone().into_iter()
    }

    pub(crate) fn enums(&self) -> &[(String, Vec<(String, i64)>)] {
        &self.enums
    }
}
