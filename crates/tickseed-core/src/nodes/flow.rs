//! Sequence and selector.
//!
//! A sequence goes on while its children succeed, a selector (fallback) while they fail; the first
//! other answer is the composite's own. Past the last child, a sequence succeeds and a selector
//! fails. A skipped child counts as absent; if every child was skipped in this activation (for a
//! reactive composite, in this tick), the composite is skipped. What counts is how a child ended: a
//! child that ran and then answered skipped was skipped. If a composite begins at a kept place, or
//! goes straight to a child that a `hold` keeps, only the children from there on count. The two are
//! mirror images: a sequence is an inverted selector of inverted children.
//!
//! | flow | next tick while a child runs | when a child answers |
//! |---|---|---|
//! | memory | resumes at the running child; earlier children are not asked | - |
//! | reactive | starts again at the first child | the answer of the first child that stops the composite ends every *other* running child |
//! | random | resumes at the running child | the next child is drawn at random among those not yet visited in this activation, evenly or by weight |
//! | keeping place | resumes at the running child | on a stop by its verdict (sequence: failure; selector: success) or a halt the place is kept: the next activation begins at that child; passing the last child rewinds |
//!
//! Children of a random composite whose weight is zero come last, in child order.
//!
//! Under the default [`Preempt::AfterStart`], the child that takes over is ticked first and the old
//! one is halted afterwards (as in all four source documents and BehaviorTree.CPP). Under
//! [`Preempt::BeforeStart`], the old child is halted as soon as anything that acts is about to
//! start in the new one: an action, leaf, wait, running constant, delay, parallel or custom node
//! entered afresh. Conditions start nothing.
//!
//! An earlier child of a reactive composite that goes (back) to running halts the later
//! ones, and the composite runs.

use alloc::vec::Vec;

use crate::compile::{Counter, Edges, Lower, Op, PickSpec, Region, width_for};
use crate::context::Context;
use crate::def::NodeId;
use crate::guard::Guard;
use crate::kind::{Kind, Weights};
use crate::node::{Node, Nodes};

/// How a sequence or selector goes through its children.
#[derive(Clone, PartialEq, Debug)]
pub enum Flow {
    /// In order, resuming at the running child.
    Memory,
    /// In order, from the first child every tick.
    Reactive {
        /// When the abandoned child is halted.
        preempt: Preempt,
    },
    /// In a random order, drawn step by step.
    Random {
        /// The children's weights; even chances if empty.
        weights: Weights,
    },
    /// In order, resuming at the running child; the place is kept across stops and halts.
    KeepPlace,
}

impl Flow {
    pub(crate) fn named(
        &self,
        memory: &'static str,
        reactive: &'static str,
        random: &'static str,
        keep: &'static str,
    ) -> &'static str {
        match self {
            Flow::Memory => memory,
            Flow::Reactive { .. } => reactive,
            Flow::Random { .. } => random,
            Flow::KeepPlace => keep,
        }
    }
}

/// When a reactive node halts a branch from which another one takes over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Preempt {
    /// After the new branch has been ticked.
    #[default]
    AfterStart,
    /// Before the first thing that acts starts in the new branch.
    BeforeStart,
}

impl<C: Context> Nodes<C> {
    /// Children in order while they succeed; fails with the first that fails.
    ///
    /// It resumes at the running child: conditions before that child are not asked again until the
    /// next activation. If they must keep holding, make it [`reactive`](Node::reactive) or use a
    /// [`while_guard`](Nodes::while_guard).
    pub fn sequence(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        Node::new(
            Kind::Sequence(Flow::Memory),
            [],
            children.into_iter().collect(),
        )
    }

    /// Children in order while they fail; succeeds with the first that succeeds. Also known as
    /// fallback. It resumes at the running child, unless it is [`reactive`](Node::reactive).
    pub fn selector(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        Node::new(
            Kind::Selector(Flow::Memory),
            [],
            children.into_iter().collect(),
        )
    }

    /// The other common name of [`selector`](Nodes::selector).
    pub fn fallback(self, children: impl IntoIterator<Item = Node<C>>) -> Node<C> {
        self.selector(children)
    }

    /// Runs `work` if all guards hold when it starts, and fails otherwise. The guards are not asked
    /// again while it runs. (Document 003's filter.)
    pub fn filter(self, guards: impl IntoIterator<Item = Guard<C>>, work: Node<C>) -> Node<C> {
        self.guarded(guards, work).named("filter")
    }

    /// Runs `work` while all guards hold: they are evaluated every tick, and if one does not hold,
    /// the work is halted and the node fails. (What document 003's monitor is for.)
    pub fn monitor(self, guards: impl IntoIterator<Item = Guard<C>>, work: Node<C>) -> Node<C> {
        self.guarded(guards, work).reactive().named("monitor")
    }

    fn guarded(self, guards: impl IntoIterator<Item = Guard<C>>, work: Node<C>) -> Node<C> {
        let mut children: Vec<_> = guards.into_iter().map(|g| self.check(g)).collect();
        children.push(work);
        self.sequence(children)
    }
}

impl<C: Context> Node<C> {
    fn flow(&mut self) -> Option<&mut Flow> {
        match &mut self.kind {
            Kind::Sequence(f) | Kind::Selector(f) => Some(f),
            _ => None,
        }
    }

    /// For a sequence, selector, switch or utility selector: decide anew every tick, and
    /// halt what is running when another child takes over.
    pub fn reactive(mut self) -> Self {
        match &mut self.kind {
            Kind::Sequence(f) | Kind::Selector(f) => {
                *f = Flow::Reactive {
                    preempt: Preempt::AfterStart,
                }
            }
            Kind::Switch(s) => s.reactive = true,
            Kind::Utility(u) => u.reactive = true,
            _ => return self.misused("reactive", "sequence, selector, switch and utility"),
        }
        self
    }

    /// For a sequence or selector: children in random order, drawn in each activation.
    pub fn random(mut self) -> Self {
        match self.flow() {
            Some(f) => {
                *f = Flow::Random {
                    weights: Vec::new(),
                };
                self
            }
            None => self.misused("random", "sequence and selector"),
        }
    }

    /// For a sequence or selector: random order, in which each child's chance to come next is
    /// proportional to its weight.
    pub fn weighted(mut self, weights: impl IntoIterator<Item = f64>) -> Self {
        match self.flow() {
            Some(f) => {
                *f = Flow::Random {
                    weights: weights.into_iter().collect(),
                };
                self
            }
            None => self.misused("weighted", "sequence and selector"),
        }
    }

    /// For a sequence or selector: keep the place across stops and halts, so that the next
    /// activation goes on at the child where this one stopped.
    pub fn keep_place(mut self) -> Self {
        match self.flow() {
            Some(f) => {
                *f = Flow::KeepPlace;
                self
            }
            None => self.misused("keep_place", "sequence and selector"),
        }
    }

    /// For a reactive node: when the abandoned branch is halted.
    pub fn preempt(mut self, when: Preempt) -> Self {
        match &mut self.kind {
            Kind::Sequence(Flow::Reactive { preempt })
            | Kind::Selector(Flow::Reactive { preempt })
            | Kind::WhileDoElse { preempt } => *preempt = when,
            Kind::Switch(s) if s.reactive => s.preempt = when,
            Kind::Utility(u) if u.reactive => u.preempt = when,
            _ => return self.misused("preempt", "reactive nodes: make it reactive first"),
        }
        self
    }
}

/// Where a composite that keeps its place stores it.
pub(crate) fn place_counter(lw: &Lower<'_>, id: NodeId) -> Counter {
    Counter {
        slot: lw.info(id).history,
        width: width_for(lw.def_of(id).children.len() as u32),
    }
}

/// A sequence (`seq`) or selector. Without options it consists only of edges: each child's
/// continuing edge leads to the next child.
pub(crate) fn lower_flow(
    lw: &mut Lower<'_>,
    id: NodeId,
    flow: &Flow,
    seq: bool,
    mut e: Edges,
) -> Region {
    let lo = lw.next_yield();
    let children = &lw.def_of(id).children;
    if matches!(flow, Flow::Reactive { .. }) {
        e = lw.exits(id, lo, e);
    }
    let bit = lw.skip_bit(id);
    let ended = if seq { e.s } else { e.f };
    // Past the last child: skipped if all children were.
    let end = match bit {
        Some(slot) => lw.emit(
            id,
            Op::If {
                slot,
                yes: ended,
                no: e.k,
            },
        ),
        None => ended,
    };
    // A child's continuing edge: note that the child was not skipped.
    let noted = |lw: &mut Lower<'_>, to| match bit {
        Some(slot) => lw.emit(id, Op::Set { slot, value: 1, to }),
        None => to,
    };
    let child_edges = |on, skipped| {
        if seq {
            Edges {
                s: on,
                f: e.f,
                k: skipped,
            }
        } else {
            Edges {
                s: e.s,
                f: on,
                k: skipped,
            }
        }
    };
    // Children are lowered last to first, so their yields descend while the parts ascend.
    let mut parts: Vec<Region> = Vec::with_capacity(children.len());
    let yields = lw.info(id).yields as usize;
    let region = |parts: Vec<Region>, entry| {
        let mut resume = Vec::with_capacity(yields);
        for part in &parts {
            resume.extend_from_slice(&part.resume);
        }
        Region {
            entry,
            lo,
            resume: resume.into(),
        }
    };
    let start = |lw: &mut Lower<'_>, to| match bit {
        Some(slot) => lw.emit(id, Op::Set { slot, value: 0, to }),
        None => to,
    };
    match flow {
        Flow::Memory => {
            let mut next = end;
            for &c in children.iter().rev() {
                let on = noted(lw, next);
                let part = lw.node(c, child_edges(on, next));
                next = part.entry;
                parts.push(part);
            }
            let entry = start(lw, next);
            region(parts, entry)
        }
        Flow::Reactive { preempt } => {
            let mut next = end;
            for &c in children.iter().rev() {
                let on = noted(lw, next);
                let part = lw.reactive_child(id, lo, *preempt, c, child_edges(on, next));
                next = lw.resume(id, &part);
                parts.push(part);
            }
            let chain = lw.held(id, &parts, next);
            let entry = start(lw, chain);
            lw.chain(id, lo, entry)
        }
        Flow::KeepPlace => {
            let Counter { slot, width } = place_counter(lw, id);
            let mut next = lw.emit(
                id,
                Op::Put {
                    slot,
                    width,
                    value: 0,
                    to: end,
                },
            );
            let mut entries = Vec::with_capacity(children.len());
            for (i, &c) in children.iter().enumerate().rev() {
                if i + 1 < children.len() {
                    next = lw.emit(
                        id,
                        Op::Put {
                            slot,
                            width,
                            value: i as u32 + 1,
                            to: next,
                        },
                    );
                }
                let on = noted(lw, next);
                let part = lw.node(c, child_edges(on, next));
                next = part.entry;
                entries.push(next);
                parts.push(part);
            }
            entries.reverse();
            let table = lw.table(&entries);
            let dispatch = lw.emit(
                id,
                Op::Dispatch {
                    slot,
                    width,
                    table,
                    len: entries.len() as u32,
                },
            );
            let entry = start(lw, dispatch);
            region(parts, entry)
        }
        Flow::Random { weights } => {
            let visited = lw.info(id).slot + u32::from(bit.is_some());
            let pick = lw.out.picks.len() as u32;
            let n = children.len() as u32;
            lw.out.picks.push(PickSpec {
                slot: visited,
                table: 0,
                children: n,
                weights: weights.clone(),
                end,
            });
            let next = lw.emit(id, Op::Pick { pick });
            let on = noted(lw, next);
            let mut entries = Vec::with_capacity(children.len());
            for &c in children.iter().rev() {
                let part = lw.node(c, child_edges(on, next));
                entries.push(part.entry);
                parts.push(part);
            }
            entries.reverse();
            lw.out.picks[pick as usize].table = lw.table(&entries);
            let clear = lw.emit(
                id,
                Op::Clear {
                    slot: visited,
                    len: n.div_ceil(8),
                    to: next,
                },
            );
            let entry = start(lw, clear);
            region(parts, entry)
        }
    }
}
