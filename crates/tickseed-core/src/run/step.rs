//! Steps: a program in executable form.
//!
//! Every op becomes a step: a small object that does what the op says and, as its last act, calls
//! the next step itself. The step of a condition or action has the user's function compiled into
//! it, so that a leaf costs one jump and no call. Compilers usually turn the last call of a
//! function into a jump, but do not promise it. So a step may also return where to go on instead,
//! and edges lead back to the loop wherever more than a few dozen steps or eight user functions
//! would follow one another, or a cycle would close (see [`link`](super::link)). The stack is thus
//! bounded in any case: by what eight functions keep there.
//!
//! Steps get what a tick needs through [`Env`]; they hold nothing that belongs to an agent.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::{Env, at, rarely};
use crate::compile::{IDLE, NOWHERE, Pc, Yield, over};
use crate::context::Context;
use crate::leaf::Answer;
use crate::status::Status;

/// Returned by a step instead of an op: the tick is over and will resume at a yield.
pub(super) const YIELDED: Pc = over(Status::Skipped) - 1;
/// The tick is over because a leaf failed.
pub(super) const FAILED: Pc = YIELDED - 1;
/// Edges with this bit lead back to the loop, which goes on at the op given by the other bits.
pub(super) const BACK: Pc = 1 << 31;

const _: () = assert!(FAILED < over(Status::Success) && over(Status::Success) < NOWHERE);

/// One op, ready to be executed.
pub(crate) trait Step<C: Context>: Send + Sync {
    /// Executes it and the steps that follow. Returns where to go on: an op, the end of the thread,
    /// [`YIELDED`] or [`FAILED`].
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc;
}

/// A step at its place: what it does and where it leads. With its reference counts, it fills one
/// cache line.
///
/// The edges are stored here and not in the step, which is behind another pointer: a row of steps
/// is a chain of dependent loads, and this way there is one load per step.
pub(crate) struct Placed<C: Context> {
    step: Box<dyn Step<C>>,
    /// The next steps, where this one calls them itself. Steps with several predecessors are
    /// shared.
    next: [Option<Arc<Placed<C>>>; 2],
    /// What is returned to the loop otherwise: the op at which to go on, or that the thread is
    /// over.
    to: Ways,
    pc: Pc,
}

/// Where a step leads: on success, or unconditionally; and on failure.
pub(super) type Ways = [Pc; 2];

impl<C: Context> Placed<C> {
    /// `next` finds the next steps that exist.
    pub(super) fn new(
        step: Box<dyn Step<C>>,
        pc: Pc,
        to: Ways,
        next: impl FnMut(Pc) -> Option<Arc<Placed<C>>>,
    ) -> Self {
        let next = to.map(next);
        Placed { step, next, to, pc }
    }

    /// Executes the step and those that follow.
    #[inline(always)]
    pub(super) fn go<'e>(&'e self, env: &mut Env<'e, '_, '_, C>) -> Pc {
        self.step.step(env, self)
    }

    /// The op that it executes.
    #[inline(always)]
    pub(super) fn pc(&self) -> Pc {
        self.pc
    }

    /// Takes the first edge. This must be a step's last act.
    #[inline(always)]
    pub(super) fn s<'e>(&'e self, env: &mut Env<'e, '_, '_, C>) -> Pc {
        self.way(0, env)
    }

    /// Takes the second edge. This must be a step's last act.
    #[inline(always)]
    pub(super) fn f<'e>(&'e self, env: &mut Env<'e, '_, '_, C>) -> Pc {
        self.way(1, env)
    }

    #[inline(always)]
    fn way<'e>(&'e self, i: usize, env: &mut Env<'e, '_, '_, C>) -> Pc {
        match &self.next[i] {
            Some(next) => next.go(env),
            None => self.to[i],
        }
    }

    /// Goes on by a guard's answer. A branch, not a selection by arithmetic, because it can be
    /// predicted.
    #[inline(always)]
    pub(super) fn judged<'e>(&'e self, holds: bool, env: &mut Env<'e, '_, '_, C>) -> Pc {
        if holds {
            self.s(env)
        } else {
            rarely();
            self.f(env)
        }
    }
}

/// The situation of a leaf's op.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// The yield at which it runs; [`IDLE`] if it must not run on.
    pub(super) y: Yield,
    /// Whether it continues what ran at the last tick.
    pub(super) resumed: bool,
}

impl<'e, C: Context> Env<'e, '_, '_, C> {
    /// Goes on by a leaf's answer.
    #[inline(always)]
    pub(super) fn answered(&mut self, answer: Answer, y: Yield, here: &'e Placed<C>) -> Pc {
        match answer {
            Answer::Success => here.s(self),
            Answer::Failure => here.f(self),
            Answer::Running => self.yield_at(here, y),
            other => self.odd(here, other),
        }
    }

    /// Stops at the step until the next tick.
    #[inline(always)]
    pub(super) fn yield_at(&mut self, here: &'e Placed<C>, y: Yield) -> Pc {
        if self.frame.old != IDLE {
            self.part(here, y)
        } else if y != self.frame.began {
            self.keep(y)
        } else {
            YIELDED
        }
    }

    /// [`yield_at`](Env::yield_at) where what ran at the last tick was not taken up and therefore
    /// ends.
    #[cold]
    fn part(&mut self, here: &'e Placed<C>, y: Yield) -> Pc {
        let old = core::mem::replace(&mut self.frame.old, IDLE);
        self.frame.here = Some(here);
        self.unwind_to(old, y);
        self.keep(y)
    }

    /// Stores the resume point of the thread being ticked. Returns a step's answer, so that this,
    /// too, can be a step's last act.
    #[inline(never)]
    pub(super) fn keep(&mut self, y: Yield) -> Pc {
        if self.frame.thread == 0 && !self.code.is_wide() {
            self.keep_at_home(y);
        } else {
            self.set_resume_point(self.frame.thread, y);
        }
        YIELDED
    }

    /// Stores the resume point in the block's first byte.
    #[inline(always)]
    pub(super) fn keep_at_home(&mut self, y: Yield) {
        // The first yield is 0; idle wraps around to 0.
        if let Some(first) = self.mem.first_mut() {
            *first = y.wrapping_add(1) as u8;
        }
    }

    /// Executes an op that has no step of its own.
    pub(super) fn out_of_line(&mut self, here: &'e Placed<C>) -> Pc {
        self.rare(here).unwrap_or(FAILED)
    }

    /// A table's edge. It leads back to the loop, since tables are not searched for cycles.
    #[inline(always)]
    pub(super) fn by_table(&self, i: u32) -> Pc {
        *at(&self.prog().tables, i)
    }
}
