//! Hooks and catch: functions that run when a child ends.
//!
//! * on-complete: called when the child finishes with success, failure or skipped.
//! * on-halted: called when the node is halted while its child runs, after the child's own halt.
//! * finally: called in either case, so exactly once for each activation.
//! * catch: when the child fails, the handler decides whether the node succeeds or fails. (Any
//!   other status that the handler returns counts as failure.) Success, skipped and running pass
//!   through.
//!
//! A hook cannot change the status. Hooks of nested nodes run innermost first. Recovery after a
//! leaf's error halts what was active, including hooks, which see a halt.

use alloc::boxed::Box;

use crate::compile::{Edges, Lower, Op, Region, Undo};
use crate::context::{Context, Cx};
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};
use crate::status::{End, Status};

/// When a hook is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hook {
    /// When the child finishes.
    Complete,
    /// When the running node is halted.
    Halted,
    /// In either case.
    Finally,
}

impl Hook {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Hook::Complete => "on complete",
            Hook::Halted => "on halted",
            Hook::Finally => "finally",
        }
    }

    /// Whether it is called when the child finishes.
    #[must_use]
    pub fn on_complete(self) -> bool {
        self != Hook::Halted
    }

    /// Whether it is called when the node is halted.
    #[must_use]
    pub fn on_halted(self) -> bool {
        self != Hook::Complete
    }
}

impl<C: Context> Nodes<C> {
    /// Calls the function with the child's final status when the child finishes.
    pub fn on_complete(
        self,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>, Status) + Send + Sync + 'static,
        child: Node<C>,
    ) -> Node<C> {
        let call = Box::new(move |cx: &mut Cx<'_, '_, C>, end: End| {
            if let End::Finished(status) = end {
                f(cx, status);
            }
        });
        Node::wrap(Kind::Hook(Hook::Complete), [Func::End(call)], child)
    }

    /// Calls the function when the node is halted while the child runs.
    pub fn on_halted(
        self,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) + Send + Sync + 'static,
        child: Node<C>,
    ) -> Node<C> {
        let call = Box::new(move |cx: &mut Cx<'_, '_, C>, _: End| f(cx));
        Node::wrap(Kind::Hook(Hook::Halted), [Func::End(call)], child)
    }

    /// Calls the function however the child ends, exactly once for each activation.
    pub fn finally(
        self,
        f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>, End) + Send + Sync + 'static,
        child: Node<C>,
    ) -> Node<C> {
        Node::wrap(Kind::Hook(Hook::Finally), [Func::End(Box::new(f))], child)
    }

    /// When the child fails, the handler decides the verdict: anything but success is failure.
    pub fn catch(
        self,
        handler: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Status + Send + Sync + 'static,
        child: Node<C>,
    ) -> Node<C> {
        Node::wrap(Kind::Catch, [Func::Verdict(Box::new(handler))], child)
    }
}

pub(crate) fn lower_hook(lw: &mut Lower<'_>, id: NodeId, hook: Hook, e: Edges) -> Region {
    let func = lw.func(id, 0);
    let mut edges = e;
    if hook.on_complete() {
        let mut call = |status, to| lw.emit(id, Op::Hook { func, status, to });
        edges = Edges {
            s: call(Status::Success, e.s),
            f: call(Status::Failure, e.f),
            k: call(Status::Skipped, e.k),
        };
    }
    let body = lw.def_of(id).children[0];
    if hook.on_halted() {
        lw.scoped(id, Undo::Hook(func), |lw| lw.node(body, edges))
    } else {
        lw.node(body, edges)
    }
}

pub(crate) fn lower_catch(lw: &mut Lower<'_>, id: NodeId, e: Edges) -> Region {
    let func = lw.func(id, 0);
    let f = lw.emit(
        id,
        Op::Catch {
            func,
            s: e.s,
            f: e.f,
        },
    );
    lw.node(lw.def_of(id).children[0], Edges { f, ..e })
}
