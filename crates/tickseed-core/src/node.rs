//! Nodes as users write them, before building.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::build::{BuildError, MAX_DEPTH, Rule};
use crate::context::{Context, Cx};
use crate::custom::DynCustom;
use crate::few::Few;
use crate::guard::{Guard, Pred};
use crate::key::KeyId;
use crate::kind::Kind;
use crate::leaf::DynBoxedLeaf;
use crate::nodes::ScoreDef;
use crate::run::{Act, CallLeaf};
use crate::status::{End, Status};
use crate::tree::Tree;

/// A function of an action.
pub(crate) type ActFn<C> = Arc<dyn Act<C>>;
/// A function called when something ends.
pub(crate) type EndFn<C> = Box<dyn for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>, End) + Send + Sync>;
/// A function that receives an index.
pub(crate) type IndexFn<C> = Box<dyn for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>, u32) + Send + Sync>;
/// A function that computes an integer.
pub(crate) type IntFn<C> = Box<dyn for<'x, 'a> Fn(&'x <C as Context>::At<'a>) -> i64 + Send + Sync>;
/// A function that computes a number.
pub(crate) type NumFn<C> = Box<dyn for<'x, 'a> Fn(&'x <C as Context>::At<'a>) -> f64 + Send + Sync>;
/// A function that decides a verdict.
pub(crate) type VerdictFn<C> =
    Box<dyn for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Status + Send + Sync>;

/// A function that a node carries.
pub(crate) enum Func<C: Context> {
    Pred(Pred<C>),
    Act(ActFn<C>),
    End(EndFn<C>),
    Index(IndexFn<C>),
    Int(IntFn<C>),
    Num(NumFn<C>),
    Verdict(VerdictFn<C>),
    Leaf(Arc<dyn CallLeaf<C>>),
    Boxed(Box<dyn DynBoxedLeaf<C>>),
    Custom(Box<dyn DynCustom<C>>),
}

/// A node of a tree under construction, made by [`nodes()`] and turned into a [`Tree`] by
/// [`build`](Node::build). A node is moved into its parent, so it cannot be in two places; write a
/// function that makes it instead.
#[must_use = "a node does nothing until it is part of a tree"]
pub struct Node<C: Context> {
    pub(crate) kind: Kind,
    pub(crate) fns: Few<Func<C>>,
    pub(crate) name: Option<Cow<'static, str>>,
    pub(crate) origin: Option<u32>,
    pub(crate) children: Vec<Node<C>>,
    /// Levels below and including this node.
    pub(crate) height: u32,
    /// Nodes below and including this node.
    pub(crate) count: u32,
    /// Nodes are moved often, so what most of them lack is stored elsewhere.
    pub(crate) rare: Option<Box<Rare>>,
}

/// What only few nodes have.
#[derive(Debug, Default)]
pub(crate) struct Rare {
    pub(crate) tags: Vec<Cow<'static, str>>,
    pub(crate) wakes: Option<Vec<KeyId>>,
    pub(crate) scores: Vec<ScoreDef>,
    /// Mistakes made while the node was written, reported when the tree is built.
    pub(crate) misuse: Vec<Misuse>,
}

/// A mistake in writing a node, noted where it happens and reported with the node's path.
#[derive(Debug)]
pub(crate) struct Misuse {
    pub(crate) rule: Rule,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

impl<C: Context> Node<C> {
    pub(crate) fn new(kind: Kind, fns: impl Into<Few<Func<C>>>, children: Vec<Node<C>>) -> Self {
        Node::assemble(kind, fns.into(), children)
    }

    fn assemble(kind: Kind, fns: Few<Func<C>>, children: Vec<Node<C>>) -> Self {
        let (mut height, mut count) = (1, 1);
        for child in &children {
            height = height.max(1 + child.height);
            count += child.count;
        }
        let mut node = Node {
            kind,
            fns,
            name: None,
            origin: None,
            children,
            height,
            count,
            rare: None,
        };
        if height > MAX_DEPTH {
            // Cut off here; otherwise dropping and compiling would recurse without bound.
            node.children.clear();
            (node.height, node.count) = (1, 1);
            node.note(
                Rule::Depth,
                alloc::format!("the tree is deeper than {MAX_DEPTH} levels"),
                "split it into fewer levels; the part below this node was left out",
            );
        }
        node
    }

    pub(crate) fn leaf(kind: Kind, fns: impl Into<Few<Func<C>>>) -> Self {
        Node::assemble(kind, fns.into(), Vec::new())
    }

    pub(crate) fn wrap(kind: Kind, fns: impl Into<Few<Func<C>>>, child: Node<C>) -> Self {
        Node::assemble(kind, fns.into(), alloc::vec![child])
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// A guard's expression and functions, ready for a node's kind and functions.
    pub(crate) fn split(guard: Guard<C>) -> (crate::guard::Expr, Few<Func<C>>) {
        (
            guard.expr,
            guard.preds.into_iter().map(Func::Pred).collect(),
        )
    }

    /// Names the node, for paths, printing and tools.
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Gives the node a tag, by which tools and programs can find it
    /// ([`Tree::tagged`]). A node can have several.
    pub fn tag(mut self, tag: impl Into<Cow<'static, str>>) -> Self {
        self.rare().tags.push(tag.into());
        self
    }

    /// Records where the node comes from, as a number with a meaning to the maker of the tree (such
    /// as a file loader). It is found again in [`NodeDef::origin`](crate::NodeDef::origin).
    pub fn origin(mut self, origin: u32) -> Self {
        self.origin = Some(origin);
        self
    }

    /// For a node whose functions test or choose (a condition, a guard, a switch, a utility
    /// selector): declares that they read these keys and nothing else that can change. Without
    /// this, an agent that passes the node cannot sleep: see
    /// [`Herd::tick_due`](crate::Herd::tick_due).
    pub fn reads(self, keys: impl IntoIterator<Item = impl Into<KeyId>>) -> Self {
        match self.kind {
            Kind::Condition(_)
            | Kind::WaitUntil(_)
            | Kind::WhileGuard { .. }
            | Kind::Precondition { .. }
            | Kind::Switch(_)
            | Kind::Utility(_) => self.declare(keys),
            _ => self.misused("reads", "conditions, guards, switch and utility"),
        }
    }

    /// For an action or leaf: declares that, while running, it needs no tick until it is woken
    /// ([`Herd::wake`](crate::Herd::wake)), the time comes that it asked for ([`Cx::wake_at`], to
    /// be called at its start and at each of its ticks), or a key changes that it [wakes
    /// on](Node::wakes_on). Until then, ticking it must have no effect.
    pub fn sleeps(mut self) -> Self {
        match self.kind {
            Kind::Action { instant: false, .. } | Kind::Leaf { .. } => {
                self.rare().wakes.get_or_insert_default();
                self
            }
            _ => self.misused("sleeps", "actions and leaves"),
        }
    }

    /// For an action or leaf: like [`sleeps`](Node::sleeps), and it is woken when one of these keys
    /// changes.
    pub fn wakes_on(self, keys: impl IntoIterator<Item = impl Into<KeyId>>) -> Self {
        match self.kind {
            Kind::Action { instant: false, .. } | Kind::Leaf { .. } => self.declare(keys),
            _ => self.misused("wakes_on", "actions and leaves"),
        }
    }

    fn declare(mut self, keys: impl IntoIterator<Item = impl Into<KeyId>>) -> Self {
        let keys = keys.into_iter().map(Into::into);
        self.rare().wakes.get_or_insert_default().extend(keys);
        self
    }

    /// Validates the tree below this node and compiles it.
    ///
    /// # Errors
    /// All faults of the tree, each with the node's path, the rule and a remedy.
    pub fn build(self) -> Result<Tree<C>, BuildError> {
        Tree::build(self)
    }

    /// Notes that an option was used on a node that has no such option.
    pub(crate) fn misused(mut self, option: &str, fits: &str) -> Self {
        let kind = self.kind.name();
        self.note(
            Rule::Option,
            alloc::format!("`{option}` is no option of {kind}: it belongs to {fits}"),
            "remove it or move it to that node",
        );
        self
    }

    /// Notes a mistake, to be reported when the tree is built.
    pub(crate) fn note(&mut self, rule: Rule, message: String, help: &'static str) {
        self.rare().misuse.push(Misuse {
            rule,
            message,
            help,
        });
    }

    /// The name, or the kind's name.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.kind.name())
    }
}

impl<C: Context> core::fmt::Debug for Node<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Node")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("children", &self.children)
            .finish_non_exhaustive()
    }
}

/// A factory of nodes over context `C`: closures given to it need no type annotations.
///
/// ```
/// use tickseed_core::{Context, Status, Time, nodes};
///
/// struct Robot { battery: f32 }
/// impl Context for Robot { type At<'a> = Robot; }
///
/// let n = nodes::<Robot>();
/// let tree = n.selector([
///     n.sequence([
///         n.condition("battery low", |r| r.battery < 0.2),
///         n.action("recharge", |r| { r.battery += 0.5; Status::Running }),
///     ]).reactive(), // otherwise it would go on recharging without asking again
///     n.action("patrol", |r| { r.battery -= 0.1; Status::Running }),
/// ]).reactive().build()?;
///
/// let mut robot = Robot { battery: 0.25 };
/// let mut agent = tree.agent();
/// for tick in 0..3 {
///     tree.tick(&mut agent, &mut robot, Time::from_millis(100 * tick)).unwrap();
/// }
/// assert!((robot.battery - 0.55).abs() < 1e-6); // patrolled, then recharged, then patrolled
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
#[must_use]
pub fn nodes<C: Context>() -> Nodes<C> {
    Nodes(PhantomData)
}

/// The factory that [`nodes()`] returns.
pub struct Nodes<C>(PhantomData<fn(C)>);

impl<C> Clone for Nodes<C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C> Copy for Nodes<C> {}
impl<C> core::fmt::Debug for Nodes<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Nodes")
    }
}
