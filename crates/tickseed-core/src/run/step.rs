//! Steps: a program as it is carried out.
//!
//! Every op is a step: a small object that does what the op says and goes on to the next step
//! itself, as the last thing it does. A condition's or an action's step has the user's function
//! compiled into it, so that a leaf costs one jump and no call. Compilers turn the last call of
//! a function into a jump, but promise nothing: so a step may just as well return where to go
//! on, and wherever more than a few dozen, or eight of the user's functions, would follow one
//! another without coming back, or in a circle, the edge says so (see [`link`](super::link)). So
//! the stack is bounded in any case: by what eight functions keep there.
//!
//! What a tick needs is fetched through [`Env`]; steps have nothing of an agent.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::{Env, at, rarely};
use crate::compile::{IDLE, NOWHERE, Pc, Yield, over};
use crate::context::Context;
use crate::leaf::Answer;
use crate::status::Status;

/// Returned by a step in place of an op: the tick is over, and goes on at a yield.
pub(super) const YIELDED: Pc = over(Status::Skipped) - 1;
/// The tick is over, since a leaf failed.
pub(super) const FAILED: Pc = YIELDED - 1;
/// Edges with this bit lead back to the loop, which goes on at the op that the other bits say.
pub(super) const BACK: Pc = 1 << 31;

const _: () = assert!(FAILED < over(Status::Success) && over(Status::Success) < NOWHERE);

/// One op, ready to be carried out.
pub(crate) trait Step<C: Context>: Send + Sync {
    /// Carries it out, and those that follow. The answer is where to go on: an op, the end of
    /// the thread, [`YIELDED`] or [`FAILED`].
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc;
}

/// A step at its place: what it does, and where it leads. With its counters, a line of memory.
///
/// The ways lie here and not in the step, for that is behind another pointer: a row of steps is
/// a chain of loads, each of which must wait for the one before, and there is one a step so.
pub(crate) struct Placed<C: Context> {
    step: Box<dyn Step<C>>,
    /// The next steps, as far as they are gone on with here. Steps that several lead to are
    /// shared.
    next: [Option<Arc<Placed<C>>>; 2],
    /// What the loop is told else: the op that it goes on with, or that the thread is over.
    to: Ways,
    pc: Pc,
}

/// Where a step leads: by success, or if it has no choice; and by failure.
pub(super) type Ways = [Pc; 2];

impl<C: Context> Placed<C> {
    /// `next` finds the next steps that there are.
    pub(super) fn new(
        step: Box<dyn Step<C>>,
        pc: Pc,
        to: Ways,
        next: impl FnMut(Pc) -> Option<Arc<Placed<C>>>,
    ) -> Self {
        let next = to.map(next);
        Placed { step, next, to, pc }
    }

    /// Carries out the step, and those that follow.
    #[inline(always)]
    pub(super) fn go<'e>(&'e self, env: &mut Env<'e, '_, '_, C>) -> Pc {
        self.step.step(env, self)
    }

    /// The op that it carries out.
    #[inline(always)]
    pub(super) fn pc(&self) -> Pc {
        self.pc
    }

    /// Goes on the first way. The last thing that a step does.
    #[inline(always)]
    pub(super) fn s<'e>(&'e self, env: &mut Env<'e, '_, '_, C>) -> Pc {
        self.way(0, env)
    }

    /// Goes on the second way.
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

    /// Goes on by a guard's answer. A branch, not a choice by arithmetic: it can be foreseen.
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

/// How the op of a leaf stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Where it runs on; [`IDLE`] if it must not.
    pub(super) y: Yield,
    /// Whether it goes on with what ran at the last tick.
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

    /// [`yield_at`](Env::yield_at), where what ran at the last tick was not taken up: that ends.
    #[cold]
    fn part(&mut self, here: &'e Placed<C>, y: Yield) -> Pc {
        let old = core::mem::replace(&mut self.frame.old, IDLE);
        self.frame.here = Some(here);
        self.unwind_to(old, y);
        self.keep(y)
    }

    /// Keeps the resume point of the thread that is ticked. The answer is a step's, so that
    /// this, too, can be the last thing that a step does.
    #[inline(never)]
    pub(super) fn keep(&mut self, y: Yield) -> Pc {
        if self.frame.thread == 0 && !self.code.is_wide() {
            self.keep_at_home(y);
        } else {
            self.set_resume_point(self.frame.thread, y);
        }
        YIELDED
    }

    /// Keeps the resume point in the block's first byte.
    #[inline(always)]
    pub(super) fn keep_at_home(&mut self, y: Yield) {
        // The first yield is 0; idle comes round to it.
        if let Some(first) = self.mem.first_mut() {
            *first = y.wrapping_add(1) as u8;
        }
    }

    /// Carries out an op that is not a step of its own kind.
    pub(super) fn out_of_line(&mut self, here: &'e Placed<C>) -> Pc {
        self.rare(here).unwrap_or(FAILED)
    }

    /// A table's edge. It leads back to the loop: tables are not looked through for circles.
    #[inline(always)]
    pub(super) fn by_table(&self, i: u32) -> Pc {
        *at(&self.prog().tables, i)
    }
}
