//! Trees as a chain of calls, for those who prefer it to nested ones (document 003's way).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use crate::build::{BuildError, Issue, Rule};
use crate::context::{Context, Cx};
use crate::guard::Guard;
use crate::kind::Kind;
use crate::leaf::{IntoOutcome, Leaf};
use crate::node::{Node, nodes};
use crate::nodes::{Parallel, Preempt, Threshold};
use crate::status::Status;
use crate::tree::Tree;

/// A builder of trees over context `C`.
///
/// A composite (`selector`, `sequence`, ..) stays open until its [`end`](Builder::end); a
/// decorator takes the one node that follows it and needs no `end`; options (`reactive`,
/// `named`, ..) are those of the node that was opened, added or ended last.
///
/// ```
/// use tickseed_core::{Context, Status, Time, builder};
///
/// struct Monster { hp: i32, near: bool }
/// impl Context for Monster { type At<'a> = Monster; }
///
/// let tree = builder::<Monster>()
///     .selector().reactive().named("monster")
///         .sequence()
///             .condition("dead", |m| m.hp <= 0)
///             .action("die", |_| Status::Running)
///         .end()
///         .sequence()
///             .invert().condition("alone", |m| !m.near)
///             .action("attack", |m| { m.hp -= 1; Status::Success })
///         .end()
///         .action("walk", |_| Status::Running)
///     .end()
///     .build()?;
/// let mut monster = Monster { hp: 1, near: true };
/// let mut agent = tree.agent();
/// assert_eq!(tree.tick(&mut agent, &mut monster, Time::ZERO).unwrap(), Status::Success);
/// assert_eq!(tree.tick(&mut agent, &mut monster, Time::ZERO).unwrap(), Status::Running);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
///
/// Add words of your own with an extension trait over [`node`](Builder::node),
/// [`open`](Builder::open) and [`around`](Builder::around):
///
/// ```
/// # use tickseed_core::{Builder, Context, Status, builder, nodes};
/// # struct Monster { hp: i32 }
/// # impl Context for Monster { type At<'a> = Monster; }
/// trait MonsterWords {
///     fn attack(self, damage: i32) -> Self;
///     fn patiently(self) -> Self;
/// }
/// impl MonsterWords for Builder<Monster> {
///     fn attack(self, damage: i32) -> Self {
///         self.action("attack", move |m| { m.hp -= damage; Status::Success })
///     }
///     fn patiently(self) -> Self {
///         self.around(|child| nodes().retry(3, child))
///     }
/// }
/// let tree = builder::<Monster>().sequence().patiently().attack(2).end().build()?;
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
pub fn builder<C: Context>() -> Builder<C> {
    Builder {
        frames: Vec::new(),
        root: None,
        on_child: false,
        surplus: Vec::new(),
    }
}

/// The builder that [`builder()`] returns.
#[must_use = "nothing is built before `build`"]
pub struct Builder<C: Context> {
    /// The open nodes, outermost first.
    frames: Vec<Frame<C>>,
    root: Option<Node<C>>,
    /// Whether options go to the last child rather than the innermost open node.
    on_child: bool,
    /// Calls made when no node was open to take them.
    surplus: Vec<String>,
}

type Make<C> = Box<dyn FnOnce(Vec<Node<C>>) -> Node<C>>;
type Change<C> = Box<dyn FnOnce(Node<C>) -> Node<C>>;

struct Frame<C: Context> {
    make: Make<C>,
    changes: Vec<Change<C>>,
    children: Vec<Node<C>>,
    /// Whether it takes one child and is closed by it.
    decorator: bool,
}

impl<C: Context> Frame<C> {
    fn close(self) -> Node<C> {
        let node = (self.make)(self.children);
        self.changes.into_iter().fold(node, |node, f| f(node))
    }
}

impl<C: Context> Builder<C> {
    /// Adds a node, a leaf or a whole subtree.
    pub fn node(mut self, node: Node<C>) -> Self {
        self.settle();
        self.attach(node);
        self
    }

    /// Opens a composite: the function is given the children when it ends.
    pub fn open(self, make: impl FnOnce(Vec<Node<C>>) -> Node<C> + 'static) -> Self {
        self.push(Box::new(make), false)
    }

    /// Opens a decorator: the function is given the node that follows.
    pub fn around(self, make: impl FnOnce(Node<C>) -> Node<C> + 'static) -> Self {
        let make = move |mut children: Vec<Node<C>>| match children.pop() {
            Some(child) => make(child),
            None => {
                let mut node = make(nodes().fail());
                let message = alloc::format!("{} has no child", node.kind.name());
                node.note(Rule::Builder, message, "add the node that it stands before");
                node
            }
        };
        self.push(Box::new(make), true)
    }

    fn push(mut self, make: Make<C>, decorator: bool) -> Self {
        self.settle();
        self.frames.push(Frame {
            make,
            changes: Vec::new(),
            children: Vec::new(),
            decorator,
        });
        self.on_child = false;
        self
    }

    /// Ends the composite opened last.
    pub fn end(mut self) -> Self {
        self.settle();
        // Decorators that still wait for a child end with the composite around them.
        while self.frames.last().is_some_and(|f| f.decorator) {
            self.pop();
        }
        if self.frames.is_empty() {
            self.surplus
                .push("an `end` ends nothing: every composite was ended before".into());
        } else {
            self.pop();
        }
        self
    }

    /// Changes the node that was opened, added or ended last: for options that the builder
    /// has no word for.
    pub fn with(mut self, change: impl FnOnce(Node<C>) -> Node<C> + 'static) -> Self {
        match self.frames.last_mut() {
            Some(frame) if !self.on_child => frame.changes.push(Box::new(change)),
            frame => {
                let last = match frame {
                    Some(frame) => frame.children.pop(),
                    None => self.root.take(),
                };
                match last {
                    Some(node) => self.put(change(node)),
                    None => self
                        .surplus
                        .push("an option stands before the first node".into()),
                }
            }
        }
        self
    }

    /// The node, for use in another tree.
    ///
    /// # Errors
    /// If the chain holds no node. (Other faults are reported when the tree is built.)
    pub fn finish(mut self) -> Result<Node<C>, BuildError> {
        self.settle();
        while let Some(frame) = self.frames.pop() {
            let decorator = frame.decorator;
            let mut node = frame.close();
            if !decorator {
                let message = alloc::format!("{} is not ended", node.kind.name());
                node.note(Rule::Builder, message, "add the missing `end`");
            }
            self.put(node);
        }
        let Some(mut root) = self.root else {
            return Err(BuildError {
                issues: vec![Issue {
                    other: None,
                    path: String::new(),
                    rule: Rule::NoChildren,
                    message: "the tree has no nodes".into(),
                    help: "add at least one".into(),
                    origin: None,
                }],
            });
        };
        for message in self.surplus {
            root.note(
                Rule::Builder,
                message,
                "remove it, or an `end` that stands too early",
            );
        }
        Ok(root)
    }

    /// Validates and compiles the tree.
    ///
    /// # Errors
    /// Everything that is wrong with it: composites that are not ended, an `end` too many,
    /// and all that [`Node::build`] reports.
    pub fn build(self) -> Result<Tree<C>, BuildError> {
        self.finish()?.build()
    }

    /// Closes decorators that have got their child.
    fn settle(&mut self) {
        while self
            .frames
            .last()
            .is_some_and(|f| f.decorator && !f.children.is_empty())
        {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            let node = frame.close();
            self.attach(node);
        }
    }

    fn attach(&mut self, node: Node<C>) {
        if self.frames.is_empty() && self.root.is_some() {
            let label = String::from(node.label());
            self.surplus.push(alloc::format!(
                "`{label}` stands beside the root: the tree was complete before it"
            ));
        } else {
            self.put(node);
        }
        self.on_child = true;
    }

    fn put(&mut self, node: Node<C>) {
        match self.frames.last_mut() {
            Some(frame) => frame.children.push(node),
            None => self.root = Some(node),
        }
    }
}

impl<C: Context> core::fmt::Debug for Builder<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Builder")
            .field("open", &self.frames.len())
            .finish_non_exhaustive()
    }
}

/// Composites.
impl<C: Context> Builder<C> {
    /// See [`Nodes::sequence`](crate::Nodes::sequence).
    pub fn sequence(self) -> Self {
        self.open(|children| nodes().sequence(children))
    }
    /// See [`Nodes::selector`](crate::Nodes::selector).
    pub fn selector(self) -> Self {
        self.open(|children| nodes().selector(children))
    }
    /// See [`Nodes::parallel`](crate::Nodes::parallel).
    pub fn parallel(self) -> Self {
        self.open(|children| nodes().parallel(children))
    }
    /// See [`Nodes::parallel_with`](crate::Nodes::parallel_with).
    pub fn parallel_with(self, options: Parallel) -> Self {
        self.open(move |children| nodes().parallel_with(options, children))
    }
    /// A condition, then a branch, then perhaps another: see
    /// [`Nodes::if_then_else`](crate::Nodes::if_then_else).
    pub fn if_then_else(self) -> Self {
        self.open(|children| Node::new(Kind::IfThenElse, [], children))
    }
    /// A condition, then a branch, then perhaps another: see
    /// [`Nodes::while_do_else`](crate::Nodes::while_do_else).
    pub fn while_do_else(self) -> Self {
        let preempt = Preempt::AfterStart;
        self.open(move |children| Node::new(Kind::WhileDoElse { preempt }, [], children))
    }
    /// See [`Nodes::switch`](crate::Nodes::switch).
    pub fn switch(
        self,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> usize + Send + Sync + 'static,
    ) -> Self {
        self.open(move |children| nodes().switch(f, children))
    }
}

/// Leaves.
impl<C: Context> Builder<C> {
    /// See [`Nodes::condition`](crate::Nodes::condition).
    pub fn condition(
        self,
        name: impl Into<Cow<'static, str>>,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.node(nodes().condition(name, f))
    }
    /// See [`Nodes::check`](crate::Nodes::check).
    pub fn check(self, guard: Guard<C>) -> Self {
        self.node(nodes().check(guard))
    }
    /// See [`Nodes::action`](crate::Nodes::action).
    pub fn action<R: IntoOutcome>(
        self,
        name: impl Into<Cow<'static, str>>,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.node(nodes().action(name, f))
    }
    /// See [`Nodes::instant`](crate::Nodes::instant).
    pub fn instant<R: IntoOutcome>(
        self,
        name: impl Into<Cow<'static, str>>,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.node(nodes().instant(name, f))
    }
    /// See [`Nodes::leaf`](crate::Nodes::leaf).
    pub fn leaf<L: Leaf<C>>(self, name: impl Into<Cow<'static, str>>, leaf: L) -> Self {
        self.node(nodes().leaf(name, leaf))
    }
    /// See [`Nodes::wait`](crate::Nodes::wait).
    pub fn wait(self, duration: Duration) -> Self {
        self.node(nodes().wait(duration))
    }
    /// See [`Nodes::wait_until`](crate::Nodes::wait_until).
    pub fn wait_until(self, guard: Guard<C>) -> Self {
        self.node(nodes().wait_until(guard))
    }
    /// See [`Nodes::constant`](crate::Nodes::constant).
    pub fn constant(self, status: Status) -> Self {
        self.node(nodes().constant(status))
    }
    /// See [`Nodes::log`](crate::Nodes::log).
    pub fn log(self, line: impl Into<Cow<'static, str>>) -> Self {
        self.node(nodes().log(line))
    }
}

macro_rules! decorators {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        /// Decorators: each takes the node that follows.
        impl<C: Context> Builder<C> {$(
            #[doc = concat!("See [`Nodes::", stringify!($name), "`](crate::Nodes::", stringify!($name), ").")]
            pub fn $name(self, $($arg: $ty),*) -> Self {
                self.around(move |child| nodes().$name($($arg,)* child))
            }
        )*}
    };
}

decorators! {
    invert();
    force_success();
    force_failure();
    repeat(times: u32);
    repeat_forever();
    retry(attempts: u32);
    until_success();
    until_failure();
    forever();
    cooldown(interval: Duration);
    rate_limit(interval: Duration);
    time_limit(limit: Duration);
    delay(duration: Duration);
    chance(p: f64);
    run_once();
    limit_runs(limit: u32);
    forget();
    while_guard(guard: Guard<C>);
    fail_if(guard: Guard<C>);
    succeed_if(guard: Guard<C>);
    skip_if(guard: Guard<C>);
    uninterruptible();
    hold();
}

/// Options of the node that was opened, added or ended last.
impl<C: Context> Builder<C> {
    /// See [`Node::named`].
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        self.with(|node| node.named(name))
    }
    /// See [`Node::tag`].
    pub fn tag(self, tag: impl Into<Cow<'static, str>>) -> Self {
        let tag = tag.into();
        self.with(|node| node.tag(tag))
    }
    /// See [`Node::reactive`].
    pub fn reactive(self) -> Self {
        self.with(Node::reactive)
    }
    /// See [`Node::random`].
    pub fn random(self) -> Self {
        self.with(Node::random)
    }
    /// See [`Node::preempt`].
    pub fn preempt(self, when: Preempt) -> Self {
        self.with(move |node| node.preempt(when))
    }
    /// See [`Node::drain`].
    pub fn drain(self, budget: u32) -> Self {
        self.with(move |node| node.drain(budget))
    }
    /// See [`Node::success`].
    pub fn success(self, threshold: Threshold) -> Self {
        self.with(move |node| node.success(threshold))
    }
    /// See [`Node::failure`].
    pub fn failure(self, threshold: Threshold) -> Self {
        self.with(move |node| node.failure(threshold))
    }
    /// See [`Node::otherwise`].
    pub fn otherwise(self, status: Status) -> Self {
        self.with(move |node| node.otherwise(status))
    }
    /// See [`Node::on_halt`].
    pub fn on_halt(
        self,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) + Send + Sync + 'static,
    ) -> Self {
        self.with(|node| node.on_halt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;
    use alloc::string::ToString;

    fn yes() -> Node<()> {
        nodes().succeed()
    }

    #[track_caller]
    fn errors(b: Builder<()>, expected: &[&str]) {
        let found: Vec<String> = match b.build() {
            Ok(_) => Vec::new(),
            Err(e) => e.to_string().lines().map(String::from).collect(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_chain_is_the_same_tree_as_nested_calls() {
        let n = nodes::<()>();
        let ms = Duration::from_millis;
        let nested = n
            .selector([
                n.sequence([
                    n.invert(n.repeat(3, n.fail().named("x")).drain(5))
                        .named("not"),
                    n.cooldown(
                        ms(5),
                        n.parallel([n.succeed(), n.wait(ms(1))])
                            .success(Threshold::Count(1)),
                    ),
                ])
                .named("first")
                .tag("t"),
                n.log("end"),
            ])
            .reactive();
        let chained = builder::<()>()
            .selector()
            .reactive()
            .sequence()
            .named("first")
            .invert()
            .named("not")
            .repeat(3)
            .drain(5)
            .constant(Status::Failure)
            .named("x")
            .cooldown(ms(5))
            .parallel()
            .success(Threshold::Count(1))
            .constant(Status::Success)
            .wait(ms(1))
            .end()
            .end()
            .tag("t")
            .log("end")
            .end();
        let text = |node: Node<()>| alloc::format!("{:?}", node.build().unwrap().def());
        assert_eq!(text(chained.finish().unwrap()), text(nested));
    }

    #[test]
    fn a_lone_leaf_is_a_tree() {
        let tree = builder::<()>().invert().node(yes()).build().unwrap();
        let status = tree.tick(&mut tree.agent(), &mut (), Time::ZERO);
        assert_eq!(status.unwrap(), Status::Failure);
    }

    #[test]
    fn what_is_open_is_named_with_its_path() {
        errors(
            builder()
                .selector()
                .named("root")
                .sequence()
                .node(yes())
                .end()
                .sequence()
                .invert()
                .node(yes()),
            &[
                "root: selector is not ended; add the missing `end`",
                "root/sequence#2: sequence is not ended; add the missing `end`",
            ],
        );
    }

    #[test]
    fn an_end_too_many_and_a_second_root() {
        errors(
            builder().sequence().node(yes()).end().end(),
            &[
                "sequence: an `end` ends nothing: every composite was ended before; remove it, or an `end` that stands too early",
            ],
        );
        errors(
            builder()
                .sequence()
                .node(yes())
                .end()
                .node(yes().named("more")),
            &[
                "sequence: `more` stands beside the root: the tree was complete before it; remove it, or an `end` that stands too early",
            ],
        );
    }

    #[test]
    fn decorators_want_a_child() {
        errors(
            builder().sequence().node(yes()).retry(2).invert().end(),
            &["sequence/retry/invert: invert has no child; add the node that it stands before"],
        );
    }

    #[test]
    fn nothing_and_misplaced_options() {
        errors(builder(), &[": the tree has no nodes; add at least one"]);
        errors(
            builder().node(yes()).reactive(),
            &[
                "succeed: `reactive` is no option of succeed: it belongs to sequence, selector, switch and utility; remove it or move it to that node",
            ],
        );
    }
}
