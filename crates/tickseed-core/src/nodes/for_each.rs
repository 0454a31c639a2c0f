//! For-each: runs the child once for each index below a count.
//!
//! The count is computed once, when an activation starts; zero or less succeeds without touching
//! the child. Before each round, the node's hook is called once with the index (typically to set
//! "the current item" in the context). When the child succeeds or is skipped, the next round
//! begins; when it fails, the node fails. After the last round the node succeeds, or is skipped if
//! every round was. A new activation begins at index zero.
//!
//! Rounds follow each other within a tick up to a budget ([`Pace::Drain`], 1,000 by default);
//! [`Pace::OnePerTick`] does one round per tick.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::Pace;
use crate::compile::{Counter, EachSpec, Edges, Lower, Op, Region, budget_width};
use crate::context::{Context, Cx};
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};

impl<C: Context> Nodes<C> {
    /// Runs the child for each index below a count; `item` is called with the index before each
    /// round.
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
            [count, Func::Index(Box::new(item))],
            Vec::from([child]),
        )
    }
}

pub(crate) fn lower_for_each(lw: &mut Lower<'_>, id: NodeId, pace: Pace, e: Edges) -> Region {
    let slot = lw.info(id).slot;
    let body = lw.def_of(id).children[0];
    let bit = lw.info(body).can_skip.then_some(slot + 8);
    let done = match bit {
        Some(slot) => lw.emit(
            id,
            Op::If {
                slot,
                yes: e.s,
                no: e.k,
            },
        ),
        None => e.s,
    };
    let (budget, put) = budget(lw, id, slot + 9, pace);
    let y = lw.new_yield(id, &[]);
    let each = lw.out.eachs.len() as u32;
    let (count, item) = (lw.func(id, 0), lw.func(id, 1));
    let next = lw.emit(id, Op::EachNext { each });
    let noted = match bit {
        Some(slot) => lw.emit(
            id,
            Op::Set {
                slot,
                value: 1,
                to: next,
            },
        ),
        None => next,
    };
    // Known before it is lowered: the spec is completed below.
    lw.out.eachs.push(EachSpec {
        count,
        item,
        slot,
        budget,
        y,
        round: 0,
        body: 0,
        done,
        none: e.s,
    });
    let child = lw.node(
        body,
        Edges {
            s: noted,
            f: e.f,
            k: next,
        },
    );
    let round = lw.emit(id, Op::EachRound { each });
    let spec = &mut lw.out.eachs[each as usize];
    (spec.round, spec.body) = (round, child.entry);
    let start = lw.emit(id, Op::EachStart { each });
    let entry = match bit {
        Some(slot) => lw.emit(
            id,
            Op::Set {
                slot,
                value: 0,
                to: start,
            },
        ),
        None => start,
    };
    rounds(lw, id, y, round, entry, child, put)
}

/// The place and the initial value of a budget of rounds per tick.
pub(crate) fn budget(
    _: &Lower<'_>,
    _: NodeId,
    slot: u32,
    pace: Pace,
) -> (Option<Counter>, Option<(Counter, u32)>) {
    match pace {
        Pace::OnePerTick => (None, None),
        Pace::Drain(n) => {
            let counter = Counter {
                slot,
                width: budget_width(pace),
            };
            (Some(counter), Some((counter, n)))
        }
    }
}

/// The region of a node that yields at `y` between rounds that begin at `round`; its budget is
/// refilled whenever a tick enters the region.
pub(crate) fn rounds(
    lw: &mut Lower<'_>,
    id: NodeId,
    y: u32,
    round: u32,
    entry: u32,
    child: Region,
    put: Option<(Counter, u32)>,
) -> Region {
    let fill = |lw: &mut Lower<'_>, to| match put {
        Some((Counter { slot, width }, value)) => lw.emit(
            id,
            Op::Put {
                slot,
                width,
                value,
                to,
            },
        ),
        None => to,
    };
    let fresh = fill(lw, entry);
    let again = fill(lw, round);
    let between = lw.emit(id, Op::Consume { to: again });
    let mut resume = vec![between];
    if put.is_some() && !child.resume.is_empty() {
        let go_on = lw.resume(id, &child);
        let go_on = fill(lw, go_on);
        resume.resize(1 + child.resume.len(), go_on);
    } else {
        resume.extend(child.resume);
    }
    Region {
        entry: fresh,
        lo: y,
        resume: resume.into(),
    }
}
