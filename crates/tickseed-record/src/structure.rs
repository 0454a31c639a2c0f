//! As much of a tree as deriving needs, prepared for fast queries.

use tickseed_core::Def;

use crate::message::{Rule, TreeDef};

/// The parents and children of a tree, and how answers follow from answers.
#[derive(Clone, Debug)]
pub struct Structure {
    nodes: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) parent: Option<u32>,
    /// Which child of its parent.
    pub(crate) nth: u32,
    pub(crate) children: u32,
    /// The node after the last one below this one.
    pub(crate) end: u32,
    pub(crate) rule: Rule,
}

impl Structure {
    /// The structure of a built tree.
    #[must_use]
    pub fn of(def: &Def) -> Structure {
        let nodes = def
            .iter()
            .map(|(_, n)| (n.parent.map(|p| p.0), Rule::of(&n.kind)));
        Structure::from_parents(nodes).expect("a built tree is in depth-first order")
    }

    /// The structure of a described tree.
    ///
    /// # Errors
    /// The nodes are not a tree in depth-first order.
    pub fn new(def: &TreeDef) -> Result<Structure, NoTree> {
        Structure::from_parents(def.nodes.iter().map(|n| (n.parent, n.rule)))
    }

    fn from_parents(all: impl Iterator<Item = (Option<u32>, Rule)>) -> Result<Structure, NoTree> {
        let mut nodes: Vec<Place> = Vec::new();
        // The nodes from the root to the one before.
        let mut path: Vec<u32> = Vec::new();
        for (parent, rule) in all {
            let id = nodes.len() as u32;
            while path.last().copied() != parent {
                let Some(done) = path.pop() else {
                    return Err(NoTree { node: id });
                };
                nodes[done as usize].end = id;
            }
            if parent.is_none() && id > 0 {
                return Err(NoTree { node: id });
            }
            let nth = parent.map_or(0, |p| {
                let parent = &mut nodes[p as usize];
                parent.children += 1;
                parent.children - 1
            });
            path.push(id);
            nodes.push(Place {
                parent,
                nth,
                children: 0,
                end: 0,
                rule,
            });
        }
        let count = nodes.len() as u32;
        for open in path {
            nodes[open as usize].end = count;
        }
        if nodes.is_empty() {
            return Err(NoTree { node: 0 });
        }
        Ok(Structure { nodes })
    }

    pub(crate) fn get(&self, node: u32) -> Option<&Place> {
        self.nodes.get(node as usize)
    }

    /// How many nodes there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether `inner` is below `outer`.
    #[must_use]
    pub fn below(&self, outer: u32, inner: u32) -> bool {
        outer < inner && self.get(outer).is_some_and(|o| inner < o.end)
    }
}

/// Nodes that are not a tree in depth-first order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoTree {
    /// The first misplaced node.
    pub node: u32,
}

impl std::fmt::Display for NoTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let node = self.node;
        write!(
            f,
            "node {node} stands where it cannot: a tree's nodes come in depth-first order, each \
             after its parent, and only the first has none"
        )
    }
}

impl std::error::Error for NoTree {}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parents: &[Option<u32>]) -> Result<Structure, NoTree> {
        Structure::from_parents(parents.iter().map(|p| (*p, Rule::Pass)))
    }

    #[test]
    fn places_and_ends() {
        let s = of(&[None, Some(0), Some(1), Some(0)]).unwrap();
        assert!(s.below(0, 3) && s.below(1, 2) && !s.below(1, 3) && !s.below(1, 1));
        assert_eq!((s.nodes[3].nth, s.nodes[0].children), (1, 2));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for (parents, node) in [
            (&[][..], 0),
            (&[Some(0)], 0),
            (&[None, None], 1),
            (&[None, Some(5)], 1),
            // Back into a subtree that was left.
            (&[None, Some(0), Some(0), Some(1)], 3),
        ] {
            assert_eq!(of(parents).unwrap_err().node, node, "{parents:?}");
        }
    }
}
