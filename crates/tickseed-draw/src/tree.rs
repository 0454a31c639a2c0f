//! The tree of labelled nodes to draw, whatever it was made from.

use alloc::string::String;
use alloc::vec::Vec;

use tickseed_core::Status;

/// One node to draw.
///
/// ```
/// use tickseed_draw::{Node, Shape};
/// let node = Node::new("fight", "reactive sequence", Shape::Control).with_glyph("→");
/// assert_eq!(node.title(), "fight");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Node {
    /// The maker's identifier of this node; pictures carry it along.
    pub id: String,
    /// Its name; may be empty.
    pub label: String,
    /// Its kind: "reactive selector", "MoveTo".
    pub kind: String,
    /// Options, arguments or a guard, as one line; may be empty.
    pub detail: String,
    /// One or two characters for the kind, such as "→" for a sequence; may be empty.
    pub glyph: String,
    /// What sort of node it is; determines outline and colour.
    pub shape: Shape,
    /// The label of the edge from its parent; if empty, its number among its siblings.
    pub edge: String,
    /// What it answered.
    pub state: State,
    /// Whether its children are hidden.
    pub collapsed: bool,
    /// Whether it is switched off, together with everything below it.
    pub disabled: bool,
}

/// A sort of node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Shape {
    /// Has children and decides between them.
    Control,
    /// Has one child and changes what it does.
    Decorator,
    /// A leaf that asks.
    Condition,
    /// A leaf that acts, or any leaf.
    #[default]
    Action,
    /// A use of another tree.
    Subtree,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 5] = [
        Shape::Control,
        Shape::Decorator,
        Shape::Condition,
        Shape::Action,
        Shape::Subtree,
    ];

    /// The shape's word, as in the classes of an SVG.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Shape::Control => "control",
            Shape::Decorator => "decorator",
            Shape::Condition => "condition",
            Shape::Action => "action",
            Shape::Subtree => "subtree",
        }
    }
}

/// What is known about a node's answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum State {
    /// Nothing: no tick, or none that reached it.
    #[default]
    Unknown,
    /// It answered this in the displayed tick.
    Now(Status),
    /// The displayed tick did not reach it; this is what it answered when last ticked.
    Earlier(Status),
    /// It was halted in the displayed tick.
    Halted,
}

impl State {
    /// The state's word, as in the classes of an SVG; empty when nothing is known.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            State::Unknown => "",
            State::Halted => "halted",
            State::Now(s) | State::Earlier(s) => match s {
                Status::Success => "success",
                Status::Failure => "failure",
                Status::Running => "running",
                Status::Skipped => "skipped",
            },
        }
    }

    /// One character that shows the state without colour; empty when nothing is known.
    #[must_use]
    pub fn glyph(self) -> &'static str {
        match self {
            State::Unknown => "",
            State::Halted => "■",
            State::Now(s) | State::Earlier(s) => match s {
                Status::Success => "✓",
                Status::Failure => "✗",
                Status::Running => "▶",
                Status::Skipped => "↷",
            },
        }
    }

    /// Whether the displayed tick reached the node.
    #[must_use]
    pub fn is_now(self) -> bool {
        matches!(self, State::Now(_) | State::Halted)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for State {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut s = to.serialize_struct("State", 2)?;
        s.serialize_field("status", self.word())?;
        s.serialize_field("now", &self.is_now())?;
        s.end()
    }
}

impl Node {
    /// A node with a name (may be empty) and a kind.
    #[must_use]
    pub fn new(label: impl Into<String>, kind: impl Into<String>, shape: Shape) -> Node {
        Node {
            label: label.into(),
            kind: kind.into(),
            shape,
            ..Node::default()
        }
    }

    /// The node with a glyph.
    #[must_use]
    pub fn with_glyph(mut self, glyph: impl Into<String>) -> Node {
        self.glyph = glyph.into();
        self
    }

    /// The node with a detail line.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Node {
        self.detail = detail.into();
        self
    }

    /// The name, or the kind where there is none.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.label.is_empty() {
            &self.kind
        } else {
            &self.label
        }
    }

    /// The line below the title: the kind, if a name is the title, and the details.
    #[must_use]
    pub fn subtitle(&self) -> String {
        let kind = if self.label.is_empty() {
            ""
        } else {
            &self.kind
        };
        match (kind.is_empty(), self.detail.is_empty()) {
            (true, _) => self.detail.clone(),
            (false, true) => String::from(kind),
            (false, false) => alloc::format!("{kind} · {}", self.detail),
        }
    }
}

/// A tree to draw. Nodes are identified by their index; the root is 0, and a node comes after its
/// parent and its earlier siblings.
///
/// ```
/// use tickseed_draw::{Node, Shape, Tree};
/// let mut tree = Tree::new("robot", Node::new("", "selector", Shape::Control));
/// let patrol = tree.add(0, Node::new("patrol", "action", Shape::Action));
/// assert_eq!(tree.children(0), [patrol]);
/// assert_eq!(tree.parent(patrol), Some(0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tree {
    /// The tree's name: the picture's title for screen readers.
    pub name: String,
    nodes: Vec<Node>,
    parents: Vec<Option<u32>>,
    #[cfg_attr(feature = "serde", serde(skip))]
    children: Vec<Vec<usize>>,
}

impl Tree {
    /// A tree that consists of its root.
    #[must_use]
    pub fn new(name: impl Into<String>, root: Node) -> Tree {
        Tree {
            name: name.into(),
            nodes: Vec::from([root]),
            parents: Vec::from([None]),
            children: Vec::from([Vec::new()]),
        }
    }

    /// Adds a node as the last child of `parent` and returns its index.
    ///
    /// # Panics
    /// If there is no node `parent`.
    pub fn add(&mut self, parent: usize, node: Node) -> usize {
        assert!(parent < self.nodes.len(), "there is no node {parent}");
        let index = self.nodes.len();
        self.nodes.push(node);
        self.parents.push(Some(parent as u32));
        self.children.push(Vec::new());
        self.children[parent].push(index);
        index
    }

    /// The nodes by index.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes by index, for changing them.
    pub fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }

    /// The parent of a node; `None` for the root and for unknown nodes.
    #[must_use]
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents
            .get(node)
            .copied()
            .flatten()
            .map(|p| p as usize)
    }

    /// The children of a node in order; empty for unknown nodes.
    #[must_use]
    pub fn children(&self, node: usize) -> &[usize] {
        self.children.get(node).map_or(&[], |c| c)
    }

    /// The label of the edge to a node: its own words, or its number from 1 among its siblings;
    /// empty for an only child.
    #[must_use]
    pub fn edge_label(&self, node: usize) -> String {
        let Some(parent) = self.parent(node) else {
            return String::new();
        };
        let own = &self.nodes[node].edge;
        if !own.is_empty() {
            return own.clone();
        }
        let siblings = self.children(parent);
        if siblings.len() < 2 {
            return String::new();
        }
        // Children are in the order of their indices.
        let place = siblings.binary_search(&node).unwrap_or(0) + 1;
        alloc::format!("{place}")
    }

    /// For each node: whether it is visible, its depth, how many nodes are below it, and whether it
    /// or an ancestor is disabled.
    pub(crate) fn survey(&self) -> Survey {
        let n = self.nodes.len();
        let mut s = Survey {
            shown: alloc::vec![true; n],
            depth: alloc::vec![0; n],
            below: alloc::vec![0; n],
            disabled: alloc::vec![false; n],
        };
        for i in 0..n {
            s.disabled[i] = self.nodes[i].disabled;
            if let Some(p) = self.parent(i) {
                s.shown[i] = s.shown[p] && !self.nodes[p].collapsed;
                s.depth[i] = s.depth[p] + 1;
                s.disabled[i] |= s.disabled[p];
            }
        }
        for i in (1..n).rev() {
            if let Some(p) = self.parent(i) {
                s.below[p] += s.below[i] + 1;
            }
        }
        s
    }
}

/// See [`Tree::survey`].
pub(crate) struct Survey {
    pub(crate) shown: Vec<bool>,
    pub(crate) depth: Vec<u32>,
    pub(crate) below: Vec<u32>,
    pub(crate) disabled: Vec<bool>,
}
