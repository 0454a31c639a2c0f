//! A tree's definition: its nodes in depth-first order, as plain data, and the functions they
//! carry. Everything that works on trees (compiler, interpreter, printing, tools) starts here.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::context::{Context, Cx};
use crate::custom::DynCustom;
use crate::few::Few;
use crate::guard::Pred;
use crate::key::KeyId;
use crate::kind::Kind;
use crate::leaf::{DynBoxedLeaf, DynLeaf, Outcome};
use crate::node::{ActFn, EndFn, Func, IndexFn, IntFn, Misuse, Node, NumFn, Rare, VerdictFn};
use crate::nodes::ScoreDef;
use crate::run::CallLeaf;
use crate::status::{End, Status};

/// A node of a built tree: its index in depth-first order, where the root is zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: NodeId = NodeId(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl core::fmt::Display for NodeId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// One node of a definition.
#[derive(Debug)]
pub struct NodeDef {
    /// What it is.
    pub kind: Kind,
    /// Its name, if it has one.
    pub name: Option<Cow<'static, str>>,
    /// Where it comes from: see [`Node::origin`].
    pub origin: Option<u32>,
    /// Its parent; none for the root.
    pub parent: Option<NodeId>,
    /// Its children in order.
    pub children: Vec<NodeId>,
    /// One past the last node of its subtree.
    pub end: NodeId,
    /// Which functions it carries, by position.
    pub(crate) fns: Few<FnRef>,
    /// What only few nodes have.
    rare: Option<Box<Rare>>,
}

impl NodeDef {
    /// The name, or the kind's name.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.kind.name())
    }

    /// Its tags.
    #[must_use]
    pub fn tags(&self) -> &[Cow<'static, str>] {
        self.rare.as_ref().map_or(&[], |rare| &rare.tags)
    }

    /// The keys that its author declared it to depend on: see [`Node::reads`](crate::Node::reads)
    /// and [`Node::sleeps`](crate::Node::sleeps). `None` if nothing was declared.
    #[must_use]
    pub fn wakes(&self) -> Option<&[KeyId]> {
        self.rare.as_ref()?.wakes.as_deref()
    }

    /// For a utility selector, how each child's score is made, in child order.
    /// [`Tree::considered`](crate::Tree::considered) gives the values computed from a context.
    #[must_use]
    pub fn scores(&self) -> &[ScoreDef] {
        self.rare.as_ref().map_or(&[], |rare| &rare.scores)
    }
}

/// A function in the tables of [`Funcs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FnRef {
    Pred(u32),
    Act(u32),
    End(u32),
    Index(u32),
    Int(u32),
    Num(u32),
    Verdict(u32),
    Leaf(u32),
    Boxed(u32),
    Custom(u32),
}

/// The functions of a tree, by type.
pub(crate) struct Funcs<C: Context> {
    pub(crate) preds: Vec<Pred<C>>,
    pub(crate) acts: Vec<ActFn<C>>,
    pub(crate) ends: Vec<EndFn<C>>,
    pub(crate) indexes: Vec<IndexFn<C>>,
    pub(crate) ints: Vec<IntFn<C>>,
    pub(crate) nums: Vec<NumFn<C>>,
    pub(crate) verdicts: Vec<VerdictFn<C>>,
    pub(crate) leaves: Vec<Arc<dyn CallLeaf<C>>>,
    pub(crate) boxed: Vec<Box<dyn DynBoxedLeaf<C>>>,
    pub(crate) customs: Vec<Box<dyn DynCustom<C>>>,
}

impl<C: Context> Funcs<C> {
    fn new() -> Self {
        Funcs {
            preds: Vec::new(),
            acts: Vec::new(),
            ends: Vec::new(),
            indexes: Vec::new(),
            ints: Vec::new(),
            nums: Vec::new(),
            verdicts: Vec::new(),
            leaves: Vec::new(),
            boxed: Vec::new(),
            customs: Vec::new(),
        }
    }

    fn add(&mut self, f: Func<C>) -> FnRef {
        fn push<T>(v: &mut Vec<T>, x: T) -> u32 {
            v.push(x);
            (v.len() - 1) as u32
        }
        match f {
            Func::Pred(f) => FnRef::Pred(push(&mut self.preds, f)),
            Func::Act(f) => FnRef::Act(push(&mut self.acts, f)),
            Func::End(f) => FnRef::End(push(&mut self.ends, f)),
            Func::Index(f) => FnRef::Index(push(&mut self.indexes, f)),
            Func::Int(f) => FnRef::Int(push(&mut self.ints, f)),
            Func::Num(f) => FnRef::Num(push(&mut self.nums, f)),
            Func::Verdict(f) => FnRef::Verdict(push(&mut self.verdicts, f)),
            Func::Leaf(f) => FnRef::Leaf(push(&mut self.leaves, f)),
            Func::Boxed(f) => FnRef::Boxed(push(&mut self.boxed, f)),
            Func::Custom(f) => FnRef::Custom(push(&mut self.customs, f)),
        }
    }
}

/// A definition in the making.
struct Flat<C: Context> {
    nodes: Vec<NodeDef>,
    funcs: Funcs<C>,
    misuse: Vec<(NodeId, Misuse)>,
}

impl<C: Context> Flat<C> {
    fn add(&mut self, node: Node<C>, parent: Option<NodeId>) -> NodeId {
        let index = self.nodes.len();
        let id = NodeId(index as u32);
        let fns = match node.fns {
            Few::None => Few::None,
            Few::One([f]) => Few::One([self.funcs.add(f)]),
            Few::Many(fns) => fns.into_iter().map(|f| self.funcs.add(f)).collect(),
        };
        let mut rare = node.rare;
        if let Some(rare) = &mut rare {
            self.misuse.extend(rare.misuse.drain(..).map(|m| (id, m)));
        }
        self.nodes.push(NodeDef {
            kind: node.kind,
            name: node.name,
            origin: node.origin,
            parent,
            children: Vec::with_capacity(node.children.len()),
            end: NodeId(id.0 + 1),
            fns,
            rare,
        });
        if !node.children.is_empty() {
            for child in node.children {
                let child = self.add(child, Some(id));
                self.nodes[index].children.push(child);
            }
            self.nodes[index].end = NodeId(self.nodes.len() as u32);
        }
        id
    }
}

/// A tree's nodes in depth-first order.
#[derive(Debug)]
pub struct Def {
    nodes: Vec<NodeDef>,
}

impl Def {
    /// Flattens a tree of nodes; also returns what each node noted as misuse.
    pub(crate) fn flatten<C: Context>(root: Node<C>) -> (Def, Funcs<C>, Vec<(NodeId, Misuse)>) {
        let mut flat = Flat {
            nodes: Vec::with_capacity(root.count as usize),
            funcs: Funcs::new(),
            misuse: Vec::new(),
        };
        flat.add(root, None);
        (Def { nodes: flat.nodes }, flat.funcs, flat.misuse)
    }

    /// The node with this number.
    ///
    /// # Panics
    /// If the number belongs to another, larger tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &NodeDef {
        &self.nodes[id.index()]
    }

    /// All nodes with their numbers, in depth-first order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &NodeDef)> + ExactSizeIterator {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, n)| (NodeId(i as u32), n))
    }

    /// How many nodes there are; at least one.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node's ancestors, nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        core::iter::successors(self.node(id).parent, |&p| self.node(p).parent)
    }

    /// Whether `node` lies in the subtree of `root` (a node lies in its own subtree).
    #[must_use]
    pub fn contains(&self, root: NodeId, node: NodeId) -> bool {
        root <= node && node < self.node(root).end
    }

    /// The node's path: labels from the root, separated by `/`; of siblings with equal labels,
    /// the second ends in `#2`, the third in `#3` and so on. A path names the same node as long as
    /// nothing on the way to it is renamed or replaced.
    #[must_use]
    pub fn path(&self, id: NodeId) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut at = Some(id);
        while let Some(n) = at {
            let node = self.node(n);
            let mut part = Self::path_part(node.label()).into_owned();
            if let Some(p) = node.parent {
                let twins = self
                    .node(p)
                    .children
                    .iter()
                    .filter(|c| self.node(**c).label() == node.label());
                let before = twins.take_while(|c| **c != n).count();
                if before > 0 {
                    part.push_str(&alloc::format!("#{}", before + 1));
                }
            }
            parts.push(part);
            at = node.parent;
        }
        parts.reverse();
        parts.join("/")
    }

    /// A label as it appears in paths: `/` is written `%2F`, and a `#` or `%` that could be read as a
    /// number after the label, or as such an escape, is written `%23` or `%25`. So different nodes
    /// have different paths, whatever they are called.
    #[must_use]
    pub fn path_part(label: &str) -> Cow<'_, str> {
        let numbered = label.rsplit_once('#').is_some_and(|(_, number)| {
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        });
        if !numbered && !label.contains(['/', '%']) {
            return Cow::Borrowed(label);
        }
        let last = label.rfind('#').filter(|_| numbered);
        let mut part = String::with_capacity(label.len() + 2);
        for (at, c) in label.char_indices() {
            match c {
                '/' => part.push_str("%2F"),
                '#' if last == Some(at) => part.push_str("%23"),
                '%' if ["2F", "23", "25"]
                    .iter()
                    .any(|hex| label[at + 1..].starts_with(hex)) =>
                {
                    part.push_str("%25");
                }
                c => part.push(c),
            }
        }
        Cow::Owned(part)
    }

    /// The paths of all nodes, by number. In wide trees this is much faster than computing one path
    /// after another, since siblings with equal labels are counted only once.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::with_capacity(self.len());
        paths.resize(self.len(), String::new());
        paths[0] = Self::path_part(self.node(NodeId::ROOT).label()).into_owned();
        for (id, node) in self.iter() {
            for (child, part) in self.parts(node) {
                paths[child.index()] = alloc::format!("{}/{part}", paths[id.index()]);
            }
        }
        paths
    }

    /// The children of a node, each with its path component.
    fn parts<'d>(&'d self, node: &'d NodeDef) -> impl Iterator<Item = (NodeId, String)> + 'd {
        // How many children with each label were seen so far.
        let mut twins: BTreeMap<&str, u32> = BTreeMap::new();
        node.children.iter().map(move |child| {
            let label = self.node(*child).label();
            let shown = Self::path_part(label);
            let met = twins.entry(label).or_default();
            *met += 1;
            let part = match *met {
                1 => shown.into_owned(),
                met => alloc::format!("{shown}#{met}"),
            };
            (*child, part)
        })
    }

    /// The node with this path, as [`path`](Def::path) gives it.
    #[must_use]
    pub fn find_path(&self, path: &str) -> Option<NodeId> {
        let label = self.node(NodeId::ROOT).label();
        let root = path.strip_prefix(&*Self::path_part(label))?;
        // One label may be a prefix of another, so more than one child can match for a while.
        let mut open = alloc::vec![(NodeId::ROOT, root)];
        let mut found = None;
        while let Some((id, rest)) = open.pop() {
            if rest.is_empty() {
                found = Some(found.map_or(id, |f: NodeId| f.min(id)));
            } else if let Some(rest) = rest.strip_prefix('/') {
                let fits = self.parts(self.node(id));
                open.extend(fits.filter_map(|(c, part)| Some((c, rest.strip_prefix(&*part)?))));
            }
        }
        found
    }

    /// The first node, in depth-first order, with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.iter()
            .find(|(_, n)| n.name.as_deref() == Some(name))
            .map(|(id, _)| id)
    }
}

/// The functions of one node, callable by position. For executors and tools.
pub struct Functions<'t, C: Context> {
    pub(crate) funcs: &'t Funcs<C>,
    pub(crate) refs: &'t [FnRef],
}

impl<C: Context> core::fmt::Debug for Functions<'_, C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.refs).finish()
    }
}

/// If there is no function of the wanted type at a position, the caller is at fault.
#[cold]
fn wrong(i: usize) -> ! {
    panic!("the node has no such function at position {i}")
}

impl<'t, C: Context> Functions<'t, C> {
    /// How many functions the node carries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.refs.len()
    }

    /// Whether the node carries none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }

    /// Evaluates the guard function at `i`.
    ///
    /// # Panics
    /// This and the other calls panic if there is no function of that type at `i`.
    #[must_use]
    pub fn pred(&self, i: usize, at: &C::At<'_>) -> bool {
        match self.refs.get(i) {
            Some(FnRef::Pred(f)) => self.funcs.preds[*f as usize].holds(at),
            _ => wrong(i),
        }
    }

    /// Calls the action.
    ///
    /// # Errors
    /// The action's own.
    pub fn act(&self, cx: &mut Cx<'_, '_, C>) -> Outcome {
        match self.refs.first() {
            Some(FnRef::Act(f)) => self.funcs.acts[*f as usize].act(cx).outcome(cx),
            _ => wrong(0),
        }
    }

    /// Calls the end hook at `i`.
    pub fn end(&self, i: usize, cx: &mut Cx<'_, '_, C>, end: End) {
        match self.refs.get(i) {
            Some(FnRef::End(f)) => self.funcs.ends[*f as usize](cx, end),
            _ => wrong(i),
        }
    }

    /// Calls the function at `i` with an index.
    pub fn index(&self, i: usize, cx: &mut Cx<'_, '_, C>, index: u32) {
        match self.refs.get(i) {
            Some(FnRef::Index(f)) => self.funcs.indexes[*f as usize](cx, index),
            _ => wrong(i),
        }
    }

    /// Computes the integer at `i`.
    #[must_use]
    pub fn int(&self, i: usize, at: &C::At<'_>) -> i64 {
        match self.refs.get(i) {
            Some(FnRef::Int(f)) => self.funcs.ints[*f as usize](at),
            _ => wrong(i),
        }
    }

    /// Computes the number at `i`.
    #[must_use]
    pub fn num(&self, i: usize, at: &C::At<'_>) -> f64 {
        match self.refs.get(i) {
            Some(FnRef::Num(f)) => self.funcs.nums[*f as usize](at),
            _ => wrong(i),
        }
    }

    /// Asks the handler for a verdict.
    pub fn verdict(&self, cx: &mut Cx<'_, '_, C>) -> Status {
        match self.refs.first() {
            Some(FnRef::Verdict(f)) => self.funcs.verdicts[*f as usize](cx),
            _ => wrong(0),
        }
    }

    /// The leaf with plain state.
    #[must_use]
    pub fn leaf(&self) -> &'t dyn DynLeaf<C> {
        match self.refs.first() {
            Some(FnRef::Leaf(f)) => &*self.funcs.leaves[*f as usize],
            _ => wrong(0),
        }
    }

    /// The leaf with boxed state.
    #[must_use]
    pub fn boxed(&self) -> &'t dyn DynBoxedLeaf<C> {
        match self.refs.first() {
            Some(FnRef::Boxed(f)) => &*self.funcs.boxed[*f as usize],
            _ => wrong(0),
        }
    }

    /// The custom node.
    #[must_use]
    pub fn custom(&self) -> &'t dyn DynCustom<C> {
        match self.refs.first() {
            Some(FnRef::Custom(f)) => &*self.funcs.customs[*f as usize],
            _ => wrong(0),
        }
    }
}
