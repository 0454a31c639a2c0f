//! Wait, wait-until, delay: leaves and a decorator that let time pass.
//!
//! A wait draws or computes its duration once, at the start of an activation, and succeeds at the
//! first tick at or after that time: after exactly the duration it is over, and a wait of zero
//! succeeds at once. Each activation starts its own timer; a halt ends it without an event. Time
//! left over by one wait does not count towards the next: in one long step, a sequence of waits
//! finishes only one of them per tick.
//!
//! A wait-until evaluates its guard at every tick and succeeds when it holds. With a limit, it
//! answers `on_timeout` at the first tick at or after the limit at which the guard does not hold
//! (the guard is evaluated before the clock).
//!
//! A computed duration longer than timers can hold (2^55 ns, 417 days) is cut to that.
//!
//! A delay waits like a wait and then, in the same tick, starts its child.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use crate::compile::{Edges, Lower, Op, Region, WaitSpec};
use crate::context::Context;
use crate::def::NodeId;
use crate::guard::{Expr, Guard};
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};
use crate::status::Status;
use crate::time::nanos;

/// How long a wait or delay takes. Durations are in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitFor {
    /// This long.
    Fixed(u64),
    /// Between these, both included, drawn at the start of each activation.
    Range(u64, u64),
    /// As long as the node's function returns at the start of each activation.
    Computed,
}

/// The options of a wait-until.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitUntil {
    /// What is waited for.
    pub guard: Expr,
    /// The longest it may take, in nanoseconds.
    pub limit: Option<u64>,
    /// The answer at the limit.
    pub on_timeout: Status,
}

impl<C: Context> Nodes<C> {
    /// A leaf that runs for a duration and then succeeds.
    pub fn wait(self, duration: Duration) -> Node<C> {
        Node::leaf(Kind::Wait(WaitFor::Fixed(nanos(duration))), [])
    }

    /// A wait whose duration is drawn evenly from `least..=most` at each activation.
    pub fn wait_between(self, least: Duration, most: Duration) -> Node<C> {
        Node::leaf(Kind::Wait(WaitFor::Range(nanos(least), nanos(most))), [])
    }

    /// A wait whose duration is computed at each activation.
    pub fn wait_for(
        self,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> Duration + Send + Sync + 'static,
    ) -> Node<C> {
        Node::leaf(Kind::Wait(WaitFor::Computed), [duration_fn(f)])
    }

    /// A leaf that runs until the guard holds, then succeeds. See
    /// [`within`](Node::within) for a limit.
    pub fn wait_until(self, guard: Guard<C>) -> Node<C> {
        let (guard, fns) = Node::split(guard);
        Node::leaf(
            Kind::WaitUntil(WaitUntil {
                guard,
                limit: None,
                on_timeout: Status::Failure,
            }),
            fns,
        )
    }

    /// Waits, then runs the child.
    pub fn delay(self, duration: Duration, child: Node<C>) -> Node<C> {
        Node::wrap(Kind::Delay(WaitFor::Fixed(nanos(duration))), [], child)
    }

    /// A delay whose duration is drawn evenly from `least..=most` at each activation.
    pub fn delay_between(self, least: Duration, most: Duration, child: Node<C>) -> Node<C> {
        Node::wrap(
            Kind::Delay(WaitFor::Range(nanos(least), nanos(most))),
            [],
            child,
        )
    }

    /// A delay whose duration is computed at each activation.
    pub fn delay_for(
        self,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> Duration + Send + Sync + 'static,
        child: Node<C>,
    ) -> Node<C> {
        Node::new(
            Kind::Delay(WaitFor::Computed),
            [duration_fn(f)],
            Vec::from([child]),
        )
    }
}

fn duration_fn<C: Context>(
    f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> Duration + Send + Sync + 'static,
) -> Func<C> {
    Func::Int(Box::new(move |at: &C::At<'_>| {
        i64::try_from(nanos(f(at))).unwrap_or(i64::MAX)
    }))
}

impl<C: Context> Node<C> {
    /// For a wait-until: how long it may take. At the limit it fails, or answers what
    /// [`otherwise`](Node::otherwise) says.
    pub fn within(mut self, limit: Duration) -> Self {
        match &mut self.kind {
            Kind::WaitUntil(w) => {
                w.limit = Some(nanos(limit));
                self
            }
            _ => self.misused("within", "wait_until"),
        }
    }
}

fn spec(lw: &mut Lower<'_>, id: NodeId, wait: WaitFor) -> u32 {
    let spec = match wait {
        WaitFor::Fixed(ns) => WaitSpec::Fixed(ns),
        WaitFor::Range(a, b) => WaitSpec::Range(a, b),
        WaitFor::Computed => WaitSpec::Computed(lw.func(id, 0)),
    };
    lw.out.waits.push(spec);
    (lw.out.waits.len() - 1) as u32
}

pub(crate) fn lower_wait(lw: &mut Lower<'_>, id: NodeId, wait: WaitFor, e: Edges) -> Region {
    let (spec, slot) = (spec(lw, id, wait), lw.info(id).slot);
    let y = lw.new_yield(id, &[]);
    let tick = lw.emit(id, Op::WaitTick { slot, y, s: e.s });
    let start = lw.emit(
        id,
        Op::WaitStart {
            slot,
            spec,
            y,
            s: e.s,
        },
    );
    Region {
        entry: lw.acting(id, start),
        lo: y,
        resume: [tick].into(),
    }
}

pub(crate) fn lower_delay(lw: &mut Lower<'_>, id: NodeId, wait: WaitFor, e: Edges) -> Region {
    let (spec, slot) = (spec(lw, id, wait), lw.info(id).slot);
    let y = lw.new_yield(id, &[]);
    let child = lw.node(lw.def_of(id).children[0], e);
    let tick = lw.emit(
        id,
        Op::WaitTick {
            slot,
            y,
            s: child.entry,
        },
    );
    let start = lw.emit(
        id,
        Op::WaitStart {
            slot,
            spec,
            y,
            s: child.entry,
        },
    );
    let resume = core::iter::once(tick).chain(child.resume).collect();
    Region {
        entry: lw.acting(id, start),
        lo: y,
        resume,
    }
}

pub(crate) fn lower_wait_until(
    lw: &mut Lower<'_>,
    id: NodeId,
    wait: &WaitUntil,
    e: Edges,
) -> Region {
    let slot = lw.info(id).slot;
    let y = lw.new_yield(id, &[]);
    let late = e.of(wait.on_timeout);
    let pend = lw.emit(
        id,
        Op::Pend {
            slot: wait.limit.and_then(|_| core::num::NonZeroU32::new(slot)),
            y,
            late,
        },
    );
    let judge = lw.guard(id, &wait.guard, e.s, pend);
    let resume = lw.emit(id, Op::Consume { to: judge });
    let mut entry = judge;
    if let Some(limit) = wait.limit {
        lw.out.waits.push(WaitSpec::Fixed(limit));
        let spec = (lw.out.waits.len() - 1) as u32;
        entry = lw.emit(
            id,
            Op::Deadline {
                slot,
                spec,
                to: judge,
            },
        );
    }
    Region {
        entry: lw.acting(id, entry),
        lo: y,
        resume: [resume].into(),
    }
}
