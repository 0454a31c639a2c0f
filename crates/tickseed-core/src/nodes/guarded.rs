//! While-guard and preconditions: guards evaluated each tick, and guards evaluated once.
//!
//! * while-guard: the guard is evaluated at every tick of the node, including the first. While it
//!   holds, the child is ticked; when it does not, a running child is halted and the node answers
//!   failure, or what [`otherwise`](Node::otherwise) says.
//! * precondition (`fail_if`, `succeed_if`, `skip_if`): the guard is evaluated once, when an
//!   activation starts. If it holds, the node answers at once and the child is not touched; if not,
//!   the child runs to its end, whatever the guard would answer later.

use alloc::vec;

use crate::compile::{Edges, Lower, Region};
use crate::context::Context;
use crate::def::NodeId;
use crate::guard::{Expr, Guard};
use crate::kind::Kind;
use crate::node::{Node, Nodes};
use crate::status::Status;

impl<C: Context> Nodes<C> {
    /// Runs the child while the guard holds.
    pub fn while_guard(self, guard: Guard<C>, child: Node<C>) -> Node<C> {
        let (guard, fns) = Node::split(guard);
        Node::wrap(
            Kind::WhileGuard {
                guard,
                otherwise: Status::Failure,
            },
            fns,
            child,
        )
    }

    /// Answers `then` at once if the guard holds when the node starts; otherwise runs the child.
    pub fn precondition(self, guard: Guard<C>, then: Status, child: Node<C>) -> Node<C> {
        let (guard, fns) = Node::split(guard);
        Node::wrap(Kind::Precondition { guard, then }, fns, child)
    }

    /// Fails at once if the guard holds when the node starts; otherwise runs the child.
    pub fn fail_if(self, guard: Guard<C>, child: Node<C>) -> Node<C> {
        self.precondition(guard, Status::Failure, child)
    }

    /// Succeeds at once if the guard holds when the node starts; otherwise runs the child.
    pub fn succeed_if(self, guard: Guard<C>, child: Node<C>) -> Node<C> {
        self.precondition(guard, Status::Success, child)
    }

    /// Is skipped if the guard holds when the node starts; otherwise runs the child.
    pub fn skip_if(self, guard: Guard<C>, child: Node<C>) -> Node<C> {
        self.precondition(guard, Status::Skipped, child)
    }
}

/// The guard occurs twice: on the fresh entry, and before whatever goes on below.
pub(crate) fn lower_while_guard(
    lw: &mut Lower<'_>,
    id: NodeId,
    guard: &Expr,
    otherwise: Status,
    e: Edges,
) -> Region {
    let child = lw.node(lw.def_of(id).children[0], e);
    let other = e.of(otherwise);
    let entry = lw.guard(id, guard, child.entry, other);
    if child.resume.is_empty() {
        return Region { entry, ..child };
    }
    let go_on = lw.resume(id, &child);
    let leave = lw.exit(id, child.lo, child.hi(), other);
    let check = lw.guard(id, guard, go_on, leave);
    let resume = vec![check; child.resume.len()];
    Region {
        entry,
        lo: child.lo,
        resume: resume.into(),
    }
}

pub(crate) fn lower_precondition(
    lw: &mut Lower<'_>,
    id: NodeId,
    guard: &Expr,
    then: Status,
    e: Edges,
) -> Region {
    let child = lw.node(lw.def_of(id).children[0], e);
    let entry = lw.guard(id, guard, e.of(then), child.entry);
    Region { entry, ..child }
}
