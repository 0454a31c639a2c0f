//! Builds engine trees from documents.
//!
//! [`from_file`] and [`from_text`] read a file and its imports; [`from_documents`] takes documents
//! that were already read. Names are resolved to functions and slots here, once; at run time there
//! are neither names nor lookups. All mistakes are reported together.

mod code;
mod expand;
mod files;
mod halt;
mod leaf;
mod native;
mod paths;
mod scope;
mod subtree;
mod value;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use tickseed_core::{Def, NodeId, TickError, Tree};

pub use files::{from_file, from_loaded, from_text};

use crate::board::{Board, HasBoard, Layout};
use crate::diagnostics::Diagnostic;
use crate::model::{Document, SourceMap, Span, Str};
use crate::registry::Registry;
pub(crate) use code::{Assignments, Computed, Functions};
pub(crate) use expand::Place;
pub(crate) use paths::{Twins, Whereabouts, full_path};
pub(crate) use scope::{Binding, Scope, ScopeId};

/// How many nodes a tree may have after its subtrees are put in their places.
pub const MAX_NODES: usize = 200_000;

/// What a load may do and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The tree to run; by default the one the file names, or its only one.
    pub main: Option<String>,
    /// More keys of the root blackboard that XML need not mention, for programs that write them.
    pub extra_keys: Vec<String>,
    /// How many nodes the tree may have; [`MAX_NODES`] if zero.
    pub max_nodes: usize,
    /// Whether the engine's tree keeps a node for every node of the file, subtrees included, so
    /// that a trace shows each, and reactive nodes leave their children as they are when an error
    /// is [kept](crate::board::Board::keep_faults). Costs a little time.
    pub every_node: bool,
    /// Whether known faults of BehaviorTree.CPP and Nav2 are corrected: see [`compat`](crate::compat).
    pub fix_known_bugs: bool,
}

/// A tree from a file.
pub struct Loaded<C: HasBoard> {
    /// The tree.
    pub tree: Tree<C>,
    /// The keys.
    pub layout: Arc<Layout>,
    /// Every node as written, subtrees put in their places, in depth-first order.
    pub instances: Arc<Vec<Instance>>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The files.
    pub sources: SourceMap,
    pub(crate) halt_scripts: Vec<Arc<crate::compat::HaltScript<C>>>,
    /// Enumerations with their words.
    enums: Vec<(String, Vec<(String, i64)>)>,
    twins: Arc<Twins>,
}

/// One node of a file at one place of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Instance {
    /// Its kind as written; for a subtree the tree's name.
    pub kind: Str,
    /// Its name, or its kind.
    pub name: Str,
    /// Whether it has a name of its own.
    pub named: bool,
    /// Where its kind stands.
    pub span: Span,
    /// Where all of it stands, children included.
    pub whole: Span,
    /// Its parent in [`Loaded::instances`].
    pub parent: Option<usize>,
    /// The scope it belongs to, as in [`Layout::scopes`].
    pub scope: u32,
    /// For the use of a subtree: the scope of the subtree.
    pub subtree: Option<u32>,
    /// Attributes that another engine's file would show, in order: ports and hooks. Only kept when
    /// loaded with [`every_node`](Options::every_node).
    pub shown: Vec<(Str, Str)>,
    /// What it is, for engines that show statuses as BehaviorTree.CPP does.
    pub role: crate::compat::StatusRole,
}

/// Why nothing was loaded: all mistakes, and the files they are in.
///
/// `Debug` shows what `Display` does: it is what a `main` prints that returns the error.
#[derive(Clone)]
pub struct Failed {
    /// At least one error, and the warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The files.
    pub sources: SourceMap,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::diagnostics::render_all(
            &self.diagnostics,
            &self.sources,
        ))
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failed {}

impl<C: HasBoard> fmt::Debug for Loaded<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("tree", &self.tree)
            .field("nodes", &self.instances.len())
            .finish_non_exhaustive()
    }
}

impl<C: HasBoard> Loaded<C> {
    /// A board with the tree's keys at their initial values, for one agent.
    #[must_use]
    pub fn board(&self) -> Board {
        Board::new(Arc::clone(&self.layout))
    }

    /// The path of a written node by its number in [`instances`](Loaded::instances). It stays the
    /// same while nothing above it is renamed or exchanged, so a reloaded tree finds its nodes again.
    ///
    /// # Panics
    /// If there is no instance of that number. So does [`full_path`](Loaded::full_path).
    #[must_use]
    pub fn path(&self, instance: usize) -> String {
        self.twins.path(&self.instances, instance)
    }

    /// The path that BehaviorTree.CPP gives a written node.
    #[must_use]
    pub fn full_path(&self, instance: usize) -> String {
        full_path(&self.instances, self.layout.scopes(), instance)
    }

    /// The number, in [`instances`](Loaded::instances), of the written node that a node of the
    /// tree came from.
    #[must_use]
    pub fn instance_of(&self, node: NodeId) -> Option<usize> {
        instance_of(self.tree.def(), node)
    }

    /// An error of a tick with the node's path and place in its file, to be shown with its line.
    ///
    /// ```
    /// use tickseed_core::Time;
    /// use tickseed_lang::{board::Board, build::from_text, registry::Registry};
    /// let text = "keys { n: int }\nmain tree A { check n > 1 }";
    /// let loaded = from_text("a.tick", text, &Registry::<Board>::new()).expect("no mistakes");
    /// let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    /// let error = loaded.tree.tick(&mut agent, &mut board, Time::ZERO).unwrap_err();
    /// let shown = loaded.diagnostic(&error).render(&loaded.sources);
    /// assert!(shown.contains("check: the key `n` is declared but not set"), "{shown}");
    /// assert!(shown.contains("a.tick:2:15"), "{shown}");
    /// ```
    #[must_use]
    pub fn diagnostic(&self, error: &TickError) -> Diagnostic {
        let found = match error {
            TickError::Leaf { node, error, .. } => self.instance_of(*node).zip(Some(error)),
            _ => None,
        };
        match found {
            Some((instance, error)) => {
                let message = format!("{}: {error}", self.path(instance));
                let span = self.instances[instance].span;
                Diagnostic::error("run::failed", message).at(span, "failed here")
            }
            None => Diagnostic::error("run::failed", error.to_string()),
        }
    }

    /// Where a node of the tree was written.
    #[must_use]
    pub fn span_of(&self, node: NodeId) -> Option<Span> {
        self.instance_of(node).map(|i| self.instances[i].span)
    }
}

/// The number of the written node that a node of the engine came from.
fn instance_of(def: &Def, node: NodeId) -> Option<usize> {
    std::iter::once(node)
        .chain(def.ancestors(node))
        .find_map(|id| def.node(id).origin)
        .map(|origin| origin as usize)
}

/// Loads trees from documents that were read already; the first one is the file to run.
///
/// # Errors
/// All mistakes found.
pub fn from_documents<C: HasBoard>(
    documents: &[Document],
    sources: SourceMap,
    registry: &Registry<C>,
    options: &Options,
) -> Result<Loaded<C>, Failed> {
    Loader::new(documents, registry, options).load(sources, Vec::new())
}

pub(crate) struct Loader<'d, C: HasBoard> {
    pub(crate) registry: &'d Registry<C>,
    pub(crate) options: &'d Options,
    pub(crate) documents: &'d [Document],
    pub(crate) trees: HashMap<&'d str, (&'d Document, &'d crate::model::Tree)>,
    pub(crate) layout: Layout,
    pub(crate) scopes: Vec<Scope>,
    /// Keys declared at the top of files.
    pub(crate) file_keys: HashMap<String, Binding>,
    pub(crate) enums: Vec<(String, Vec<(String, i64)>)>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) functions: Functions<C>,
    pub(crate) halt_scripts: Vec<Arc<crate::compat::HaltScript<C>>>,
    /// Trees that are being put in their places, outermost first.
    pub(crate) open: Vec<(&'d str, Span)>,
    /// What strong types the slots of XML keys were given, and where first.
    pub(crate) typed: HashMap<crate::expr::Slot, (String, Span)>,
    pub(crate) too_many: bool,
    /// The names of the scope that was asked for last, while no key is added.
    pub(crate) names: Option<(ScopeId, Arc<crate::expr::Names>)>,
    /// An empty list whose room the next leaf's ports use.
    pub(crate) spare: Vec<crate::registry::Gift<'d>>,
    /// The key that was resolved last.
    pub(crate) recent: Option<(ScopeId, crate::model::KeyRef, Binding)>,
    /// Paths of subtrees, as BehaviorTree.CPP gives them.
    pub(crate) subtree_paths: HashSet<String>,
    pub(crate) twins: Twins,
}
