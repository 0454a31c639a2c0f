//! A built tree: immutable, shared by any number of agents.

use alloc::string::String;

use crate::build::{BuildError, validate};
use crate::context::Context;
use crate::def::{Def, Funcs, Functions, NodeDef, NodeId};
use crate::node::Node;

/// A validated and compiled tree. It holds no state of any agent: share it, in an `Arc` or
/// by reference, between threads and agents.
pub struct Tree<C: Context> {
    pub(crate) def: Def,
    pub(crate) funcs: Funcs<C>,
}

impl<C: Context> Tree<C> {
    /// Validates and compiles; the same as [`Node::build`].
    ///
    /// # Errors
    /// Everything that is wrong with the tree.
    pub fn build(root: Node<C>) -> Result<Tree<C>, BuildError> {
        let (def, funcs, misuse) = Def::flatten(root);
        validate(&def, &funcs, misuse)?;
        Ok(Tree { def, funcs })
    }

    /// The tree's definition: its nodes in depth-first order.
    #[must_use]
    pub fn def(&self) -> &Def {
        &self.def
    }

    /// The node with this number.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &NodeDef {
        self.def.node(id)
    }

    /// The node's path: see [`Def::path`].
    #[must_use]
    pub fn path(&self, id: NodeId) -> String {
        self.def.path(id)
    }

    /// The nodes with this tag, in depth-first order.
    pub fn tagged<'t>(&'t self, tag: &'t str) -> impl Iterator<Item = NodeId> + 't {
        self.def
            .iter()
            .filter(move |(_, n)| n.tags.iter().any(|t| t == tag))
            .map(|(id, _)| id)
    }

    /// The functions that a node carries. For executors and tools.
    #[must_use]
    pub fn functions(&self, id: NodeId) -> Functions<'_, C> {
        Functions {
            funcs: &self.funcs,
            refs: &self.def.node(id).fns,
        }
    }
}

impl<C: Context> core::fmt::Debug for Tree<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Tree")
            .field("nodes", &self.def.len())
            .finish_non_exhaustive()
    }
}
