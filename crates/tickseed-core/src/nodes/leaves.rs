//! Conditions, actions, leaves with state, constants, log.
//!
//! | node | answers | events |
//! |---|---|---|
//! | condition | success if its guard holds, else failure; at once | functions of the guard in order, stopping when the answer is known |
//! | instant action | its function's success, failure (or skip, if declared); `Running` is an error | one call |
//! | action | its function's answer; a call that follows `Running` goes on with the same activation | start, ticks, then finished or halted |
//! | leaf | as an action, with state zeroed at the start | start, ticks, then finished or halted |
//! | constant | its status; `Running` is an activation that a halt ends without event | none |
//! | log | success | the context's `log` is called |
//!
//! An answer of `Skipped` that was not declared (`may_skip`) is an error of the leaf: the
//! compiler needs to know which nodes may skip.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;

use crate::compile::{Edges, Lower, Op, Region, Undo};
use crate::context::{Context, Cx};
use crate::def::NodeId;
use crate::guard::Guard;
use crate::kind::Kind;
use crate::leaf::{Answer, BoxedLeaf, IntoOutcome, Leaf};
use crate::node::{Func, Node, Nodes};
use crate::status::{End, Status};

impl<C: Context> Nodes<C> {
    /// A guard from a function, to be combined with guards made of data.
    pub fn when(
        self,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
    ) -> Guard<C> {
        Guard::from_fn(f)
    }

    /// A leaf that succeeds if the function holds and fails otherwise. The function
    /// sees the context by shared reference: a condition changes nothing.
    pub fn condition(
        self,
        name: impl Into<Cow<'static, str>>,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
    ) -> Node<C> {
        self.check(Guard::from_fn(f)).named(name)
    }

    /// A leaf that succeeds if the guard holds and fails otherwise. Comparisons of keys compile to
    /// data and are evaluated without a call.
    pub fn check(self, guard: Guard<C>) -> Node<C> {
        let (expr, fns) = Node::split(guard);
        Node::leaf(Kind::Condition(expr), fns)
    }

    /// A leaf that calls a function each tick until it answers something other than `Running`. The
    /// function may return a [`Status`], a `bool`, nothing, or a `Result` of these (an error
    /// poisons the agent). Add [`on_halt`](Node::on_halt) if a halt has something to do.
    pub fn action<R: IntoOutcome>(
        self,
        name: impl Into<Cow<'static, str>>,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> R + Send + Sync + 'static,
    ) -> Node<C> {
        Node::action(f, false).named(name)
    }

    /// An action that always finishes in the tick in which it is called. It costs less than an
    /// [`action`](Nodes::action) and needs no state; answering `Running` is an error.
    pub fn instant<R: IntoOutcome>(
        self,
        name: impl Into<Cow<'static, str>>,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> R + Send + Sync + 'static,
    ) -> Node<C> {
        Node::action(f, true).named(name)
    }

    /// A leaf with plain state for each agent: see [`Leaf`].
    pub fn leaf<L: Leaf<C>>(self, name: impl Into<Cow<'static, str>>, leaf: L) -> Node<C> {
        Node::leaf(
            Kind::Leaf {
                boxed: false,
                may_skip: false,
            },
            [Func::Leaf(Arc::new(leaf))],
        )
        .named(name)
    }

    /// A leaf whose state is boxed: see [`BoxedLeaf`].
    pub fn boxed_leaf<L: BoxedLeaf<C>>(
        self,
        name: impl Into<Cow<'static, str>>,
        leaf: L,
    ) -> Node<C> {
        Node::leaf(
            Kind::Leaf {
                boxed: true,
                may_skip: false,
            },
            [Func::Boxed(Box::new(leaf))],
        )
        .named(name)
    }

    /// A leaf that answers `status` every time.
    pub fn constant(self, status: Status) -> Node<C> {
        Node::leaf(Kind::Constant(status), [])
    }

    /// A leaf that succeeds.
    pub fn succeed(self) -> Node<C> {
        self.constant(Status::Success)
    }

    /// A leaf that fails.
    pub fn fail(self) -> Node<C> {
        self.constant(Status::Failure)
    }

    /// A leaf that runs until it is halted.
    pub fn run_forever(self) -> Node<C> {
        self.constant(Status::Running)
    }

    /// A leaf that hands a line to [`Context::log`] and succeeds.
    pub fn log(self, line: impl Into<Cow<'static, str>>) -> Node<C> {
        Node::leaf(Kind::Log(line.into()), [])
    }
}

impl<C: Context> Node<C> {
    /// An action without a name; if `instant`, it must not run for several ticks.
    fn action<R: IntoOutcome>(
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> R + Send + Sync + 'static,
        instant: bool,
    ) -> Node<C> {
        let act = Func::Act(Arc::new(move |cx: &mut Cx<'_, '_, C>| {
            Answer::of(f(cx).into_outcome(), cx)
        }));
        let kind = Kind::Action {
            instant,
            may_skip: false,
            halt: false,
        };
        Node::leaf(kind, [act])
    }

    /// For an action: called once when a running activation is halted. A halt has no
    /// result and cannot steer the tree.
    pub fn on_halt(
        mut self,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) + Send + Sync + 'static,
    ) -> Self {
        match &mut self.kind {
            Kind::Action {
                instant: false,
                halt,
                ..
            } if !*halt => {
                *halt = true;
                self.fns.push(Func::End(Box::new(
                    move |cx: &mut Cx<'_, '_, C>, _: End| f(cx),
                )));
                self
            }
            _ => self.misused("on_halt", "an action (once)"),
        }
    }

    /// For an action or leaf: it may answer `Skipped`.
    pub fn may_skip(mut self) -> Self {
        match &mut self.kind {
            Kind::Action { may_skip, .. } | Kind::Leaf { may_skip, .. } => {
                *may_skip = true;
                self
            }
            _ => self.misused("may_skip", "actions and leaves"),
        }
    }
}

pub(crate) fn lower_action(
    lw: &mut Lower<'_>,
    id: NodeId,
    instant: bool,
    halt: bool,
    e: Edges,
) -> Region {
    let func = lw.func(id, 0);
    if instant {
        let call = lw.emit_leaf(
            id,
            Op::Instant {
                func,
                s: e.s,
                f: e.f,
            },
            e.k,
        );
        let entry = lw.acting(id, call);
        return lw.instant(entry);
    }
    let hook = halt.then(|| lw.func(id, 1));
    let y = lw.new_yield(id, &[Undo::Action(hook)]);
    let tick = lw.emit_leaf(
        id,
        Op::Tick {
            func,
            y,
            s: e.s,
            f: e.f,
        },
        e.k,
    );
    let start = lw.emit_leaf(
        id,
        Op::Start {
            func,
            y,
            s: e.s,
            f: e.f,
        },
        e.k,
    );
    Region {
        entry: lw.acting(id, start),
        lo: y,
        resume: [tick].into(),
    }
}

pub(crate) fn lower_leaf(lw: &mut Lower<'_>, id: NodeId, boxed: bool, e: Edges) -> Region {
    let (leaf, info) = (lw.func(id, 0), lw.info(id));
    let (s, f) = (e.s, e.f);
    let (y, tick, start);
    if boxed {
        let side = info.side;
        y = lw.new_yield(id, &[Undo::Boxed { leaf, side }]);
        tick = lw.emit_leaf(
            id,
            Op::BoxedTick {
                leaf,
                side,
                y,
                s,
                f,
            },
            e.k,
        );
        start = lw.emit_leaf(
            id,
            Op::BoxedStart {
                leaf,
                side,
                y,
                s,
                f,
            },
            e.k,
        );
    } else {
        let slot = info.slot;
        y = lw.new_yield(id, &[Undo::Leaf { leaf, slot }]);
        tick = lw.emit_leaf(
            id,
            Op::LeafTick {
                leaf,
                slot,
                y,
                s,
                f,
            },
            e.k,
        );
        start = lw.emit_leaf(
            id,
            Op::LeafStart {
                leaf,
                slot,
                y,
                s,
                f,
            },
            e.k,
        );
    }
    Region {
        entry: lw.acting(id, start),
        lo: y,
        resume: [tick].into(),
    }
}

pub(crate) fn lower_constant(lw: &mut Lower<'_>, id: NodeId, status: Status, e: Edges) -> Region {
    if status != Status::Running {
        return lw.instant(e.of(status));
    }
    let y = lw.new_yield(id, &[]);
    let run = lw.emit(id, Op::Yield { y });
    let resume = lw.emit(id, Op::Consume { to: run });
    Region {
        entry: lw.acting(id, run),
        lo: y,
        resume: [resume].into(),
    }
}

pub(crate) fn lower_log(
    lw: &mut Lower<'_>,
    id: NodeId,
    text: Cow<'static, str>,
    e: Edges,
) -> Region {
    lw.out.texts.push(text);
    let text = (lw.out.texts.len() - 1) as u32;
    let entry = lw.emit(id, Op::Log { text, to: e.s });
    lw.instant(entry)
}
