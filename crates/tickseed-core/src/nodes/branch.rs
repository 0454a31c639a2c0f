//! If-then-else, while-do-else, switch.
//!
//! * if-then-else: the first child is ticked until it finishes; its verdict chooses the
//!   second (success) or third child (failure), which then runs to its end without the
//!   first being asked again. Without a third child a failed condition fails the node.
//! * while-do-else: the first child is ticked *every* tick; while it succeeds the second
//!   child is ticked, while it fails the third; changing sides halts the other side. While
//!   the condition runs, both sides are halted and the node runs. Without a third child a
//!   failed condition fails the node.
//! * switch: a function gives the number of the child to run; numbers outside the range
//!   run the default, which is the last child if there is one, or fail. The number is asked
//!   for once an activation; `reactive`: every tick, and another choice halts the old child.
//!
//! A skipped condition skips the node (halting either side); a skipped branch skips it too.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::Preempt;
use crate::context::Context;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};

/// The options of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switch {
    /// The last child is the default.
    pub default: bool,
    /// Choose every tick.
    pub reactive: bool,
    /// For a reactive switch: when the old child is halted.
    pub preempt: Preempt,
}

impl<C: Context> Nodes<C> {
    /// The condition chooses once between two branches.
    pub fn if_then_else(self, condition: Node<C>, then: Node<C>, otherwise: Node<C>) -> Node<C> {
        Node::new(
            Kind::IfThenElse,
            vec![],
            Vec::from([condition, then, otherwise]),
        )
    }

    /// Runs the branch if the condition succeeds, else fails.
    pub fn if_then(self, condition: Node<C>, then: Node<C>) -> Node<C> {
        Node::new(Kind::IfThenElse, vec![], Vec::from([condition, then]))
    }

    /// The condition chooses every tick between two branches.
    pub fn while_do_else(self, condition: Node<C>, body: Node<C>, otherwise: Node<C>) -> Node<C> {
        Node::new(
            Kind::WhileDoElse {
                preempt: Preempt::AfterStart,
            },
            vec![],
            Vec::from([condition, body, otherwise]),
        )
    }

    /// Runs the body while the condition succeeds, asked every tick; fails when it does not.
    pub fn while_do(self, condition: Node<C>, body: Node<C>) -> Node<C> {
        Node::new(
            Kind::WhileDoElse {
                preempt: Preempt::AfterStart,
            },
            vec![],
            Vec::from([condition, body]),
        )
    }

    /// Runs the child that the function names by its index; fails for any other number.
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
            vec![index],
            children.into_iter().collect(),
        )
    }
}

impl<C: Context> Node<C> {
    /// For a switch: adds the child that runs when the function names no other.
    pub fn default_case(self, child: Node<C>) -> Self {
        match self.kind {
            Kind::Switch(s) if !s.default => {
                let Node {
                    fns,
                    name,
                    tags,
                    mut children,
                    misuse,
                    ..
                } = self;
                children.push(child);
                let mut node =
                    Node::new(Kind::Switch(Switch { default: true, ..s }), fns, children);
                node.name = name;
                node.tags = tags;
                node.misuse.extend(misuse);
                node
            }
            _ => self.misused("default_case", "switch (once)"),
        }
    }
}
