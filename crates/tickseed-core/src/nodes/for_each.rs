//! For-each: the child once for each index below a count.
//!
//! The count is asked for once, when an activation starts; zero (or less) succeeds without
//! touching the child. Before each round the node's hook is told the index (it would set
//! "the current item" in the context); it is told once a round. When the child succeeds or
//! is skipped the next round begins; when it fails the node fails. After the last round the
//! node succeeds, or is skipped if every round was. A new activation begins at index zero.
//!
//! Rounds follow each other within a tick up to a budget ([`Pace::Drain`], 1,000 by
//! default); [`Pace::OnePerTick`] does one round a tick.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::Pace;
use crate::context::{Context, Cx};
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};

impl<C: Context> Nodes<C> {
    /// Runs the child for each index below a count; `item` is told the index before each round.
    pub fn for_each(
        self,
        count: impl for<'x, 'a> Fn(&'x C::At<'a>) -> usize + Send + Sync + 'static,
        item: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>, u32) + Send + Sync + 'static,
        child: Node<C>,
    ) -> Node<C> {
        let count = Func::Int(Box::new(move |at: &C::At<'_>| {
            i64::try_from(count(at)).unwrap_or(i64::MAX)
        }));
        Node::new(
            Kind::ForEach(Pace::Drain(1000)),
            vec![count, Func::Index(Box::new(item))],
            Vec::from([child]),
        )
    }
}
