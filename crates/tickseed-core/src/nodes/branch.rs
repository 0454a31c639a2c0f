//! If-then-else, while-do-else, switch.
//!
//! * if-then-else: the first child is ticked until it finishes. Its verdict chooses the second
//!   (success) or third child (failure), which then runs to its end; the first is not asked again.
//!   Without a third child, a failed condition fails the node.
//! * while-do-else: the first child is ticked *every* tick. While it succeeds, the second child is
//!   ticked; while it fails, the third. Changing sides halts the other side. While the condition
//!   runs, both sides are halted and the node runs. Without a third child, a failed condition fails
//!   the node.
//! * switch: a function gives the number of the child to run. Numbers outside the range run the
//!   default, which is the last child if declared so, and otherwise fail. The number is computed
//!   once per activation, or every tick if `reactive`; a different choice then halts the old child.
//!
//! A skipped condition skips the node, halting either side; a skipped branch skips it too.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Preempt;
use crate::compile::{Edges, Lower, Op, Pc, Region, Yield};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};

/// The options of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switch {
    /// Whether the last child is the default.
    pub default: bool,
    /// Whether it chooses every tick.
    pub reactive: bool,
    /// For a reactive switch: when the old child is halted.
    pub preempt: Preempt,
}

impl<C: Context> Nodes<C> {
    /// The condition chooses between two branches, once.
    pub fn if_then_else(self, condition: Node<C>, then: Node<C>, otherwise: Node<C>) -> Node<C> {
        Node::new(
            Kind::IfThenElse,
            [],
            Vec::from([condition, then, otherwise]),
        )
    }

    /// Runs the branch if the condition succeeds; otherwise fails.
    pub fn if_then(self, condition: Node<C>, then: Node<C>) -> Node<C> {
        Node::new(Kind::IfThenElse, [], Vec::from([condition, then]))
    }

    /// The condition chooses between two branches, every tick.
    pub fn while_do_else(self, condition: Node<C>, body: Node<C>, otherwise: Node<C>) -> Node<C> {
        Node::new(
            Kind::WhileDoElse {
                preempt: Preempt::AfterStart,
            },
            [],
            Vec::from([condition, body, otherwise]),
        )
    }

    /// Runs the body while the condition succeeds, asked every tick; fails when it does not.
    pub fn while_do(self, condition: Node<C>, body: Node<C>) -> Node<C> {
        Node::new(
            Kind::WhileDoElse {
                preempt: Preempt::AfterStart,
            },
            [],
            Vec::from([condition, body]),
        )
    }

    /// Runs the child whose index the function returns; fails for any other number.
    pub fn switch(
        self,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> usize + Send + Sync + 'static,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        let index = Func::Int(Box::new(move |at: &C::At<'_>| {
            i64::try_from(f(at)).unwrap_or(-1)
        }));
        let options = Switch {
            default: false,
            reactive: false,
            preempt: Preempt::AfterStart,
        };
        Node::new(
            Kind::Switch(options),
            [index],
            children.into_iter().collect(),
        )
    }
}

impl<C: Context> Node<C> {
    /// For a switch: adds the child that runs when the function's number names no other child.
    pub fn default_case(self, child: Node<C>) -> Self {
        match self.kind {
            Kind::Switch(s) if !s.default => {
                let Node {
                    fns,
                    name,
                    mut children,
                    rare,
                    ..
                } = self;
                children.push(child);
                let kind = Kind::Switch(Switch { default: true, ..s });
                let mut node = Node::new(kind, fns, children);
                node.name = name;
                if let Some(rare) = rare {
                    let misuse = core::mem::take(&mut node.rare().misuse);
                    node.rare = Some(rare);
                    node.rare().misuse.extend(misuse);
                }
                node
            }
            _ => self.misused("default_case", "switch (once)"),
        }
    }
}

pub(crate) fn lower_if(lw: &mut Lower<'_>, id: NodeId, e: Edges) -> Region {
    let lo = lw.next_yield();
    let children = &lw.def_of(id).children;
    let mut resume = Vec::new();
    let mut otherwise = e.f;
    if let Some(&c) = children.get(2) {
        let part = lw.node(c, e);
        otherwise = part.entry;
        resume.extend(part.resume);
    }
    let then = lw.node(children[1], e);
    let condition = lw.node(
        children[0],
        Edges {
            s: then.entry,
            f: otherwise,
            k: e.k,
        },
    );
    resume.extend(then.resume);
    resume.extend(condition.resume);
    Region {
        entry: condition.entry,
        lo,
        resume: resume.into(),
    }
}

pub(crate) fn lower_while_do(lw: &mut Lower<'_>, id: NodeId, preempt: Preempt, e: Edges) -> Region {
    let lo = lw.next_yield();
    let e = lw.exits(id, lo, e);
    let children = &lw.def_of(id).children;
    let mut parts = Vec::new();
    let mut otherwise = e.f;
    if let Some(&c) = children.get(2) {
        let part = lw.reactive_child(id, lo, preempt, c, e);
        otherwise = lw.resume(id, &part);
        parts.push(part);
    }
    let body = lw.reactive_child(id, lo, preempt, children[1], e);
    let on = lw.resume(id, &body);
    parts.push(body);
    let condition = lw.reactive_child(
        id,
        lo,
        preempt,
        children[0],
        Edges {
            s: on,
            f: otherwise,
            k: e.k,
        },
    );
    let chain = lw.resume(id, &condition);
    parts.push(condition);
    let entry = lw.held(id, &parts, chain);
    lw.chain(id, lo, entry)
}

pub(crate) fn lower_switch(
    lw: &mut Lower<'_>,
    id: NodeId,
    options: Switch,
    mut e: Edges,
) -> Region {
    let lo = lw.next_yield();
    if options.reactive {
        e = lw.exits(id, lo, e);
    }
    let preempt = options.reactive.then_some(options.preempt);
    let (mut targets, parts) = lower_options(lw, id, lo, preempt, e);
    let other = if options.default {
        targets.pop().unwrap_or(e.f)
    } else {
        e.f
    };
    let (func, table, len) = (lw.func(id, 0), lw.table(&targets), targets.len() as u32);
    let switch = lw.emit(
        id,
        Op::Switch {
            func,
            table,
            len,
            other,
        },
    );
    lower_chosen(lw, id, lo, options.reactive, parts, switch)
}

/// Lowers the children of a node that chooses among them, in every tick if it is reactive
/// (`preempt` applies then). Returns where each begins, in order, and their regions, last first.
pub(super) fn lower_options(
    lw: &mut Lower<'_>,
    id: NodeId,
    lo: Yield,
    preempt: Option<Preempt>,
    e: Edges,
) -> (Vec<Pc>, Vec<Region>) {
    let (mut targets, mut parts) = (Vec::new(), Vec::new());
    for &c in lw.def_of(id).children.iter().rev() {
        let part = match preempt {
            Some(preempt) => lw.reactive_child(id, lo, preempt, c, e),
            None => lw.node(c, e),
        };
        targets.push(match preempt {
            Some(_) => lw.resume(id, &part),
            None => part.entry,
        });
        parts.push(part);
    }
    targets.reverse();
    (targets, parts)
}

/// The node around those children, which begins by choosing.
pub(super) fn lower_chosen(
    lw: &mut Lower<'_>,
    id: NodeId,
    lo: Yield,
    reactive: bool,
    parts: Vec<Region>,
    choose: Pc,
) -> Region {
    if reactive {
        let entry = lw.held(id, &parts, choose);
        return lw.chain(id, lo, entry);
    }
    Region {
        entry: choose,
        lo,
        resume: parts.into_iter().flat_map(|p| p.resume).collect(),
    }
}
