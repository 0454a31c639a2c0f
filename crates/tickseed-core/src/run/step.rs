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
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc;
}

/// Where a step goes on: at another, or at a [`Return`] to the loop. Steps that several lead to
/// are shared. (The box within is what makes it cheap: how far the step lies from the counter
/// of an `Arc` of any step would have to be computed each time.)
pub(crate) struct Edge<C: Context>(Arc<Box<dyn Step<C>>>);

impl<C: Context> Edge<C> {
    pub(super) fn to(step: Box<dyn Step<C>>) -> Edge<C> {
        Edge(Arc::new(step))
    }

    /// Where it leads.
    #[inline(always)]
    pub(super) fn step(&self) -> &dyn Step<C> {
        &**self.0
    }

    /// Goes on along it. The last thing that a step does.
    #[inline(always)]
    pub(super) fn go(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        self.0.step(env)
    }
}

impl<C: Context> Clone for Edge<C> {
    fn clone(&self) -> Self {
        Edge(self.0.clone())
    }
}

/// Back to the loop, which goes on by itself: with an op, or because the thread is over.
pub(super) struct Return {
    pub(super) to: Pc,
}

impl<C: Context> Step<C> for Return {
    fn step(&self, _: &mut Env<'_, '_, '_, C>) -> Pc {
        self.to
    }
}

/// Where the op of a leaf stands, and where it goes on.
pub(crate) struct Place<C: Context> {
    pub(super) pc: Pc,
    /// Where it runs on; [`IDLE`] if it must not.
    pub(super) y: Yield,
    pub(super) s: Edge<C>,
    pub(super) f: Edge<C>,
    /// Whether it goes on with what ran at the last tick.
    pub(super) resumed: bool,
}

impl<C: Context> Env<'_, '_, '_, C> {
    /// Goes on by a leaf's answer.
    #[inline(always)]
    pub(super) fn answered(&mut self, answer: Answer, place: &Place<C>) -> Pc {
        match answer {
            Answer::Success => place.s.go(self),
            Answer::Failure => place.f.go(self),
            Answer::Running => self.yield_at(place.pc, place.y),
            other => self.odd(place.pc, other),
        }
    }

    /// Stops at the op until the next tick.
    #[inline(always)]
    pub(super) fn yield_at(&mut self, pc: Pc, y: Yield) -> Pc {
        if self.frame.old != IDLE {
            self.part(pc, y)
        } else if y != self.frame.began {
            self.keep(y)
        } else {
            YIELDED
        }
    }

    /// [`yield_at`](Env::yield_at), where what ran at the last tick was not taken up: that ends.
    #[cold]
    fn part(&mut self, pc: Pc, y: Yield) -> Pc {
        let old = core::mem::replace(&mut self.frame.old, IDLE);
        self.frame.pc = pc;
        self.unwind_to(old, y);
        self.keep(y)
    }

    /// Keeps the resume point of the thread that is ticked. The answer is a step's, so that
    /// this, too, can be the last thing that a step does.
    #[inline(never)]
    pub(super) fn keep(&mut self, y: Yield) -> Pc {
        if self.frame.thread == 0 && !self.code.is_wide() {
            // The first yield is 0; idle comes round to it.
            if let Some(first) = self.mem.first_mut() {
                *first = y.wrapping_add(1) as u8;
            }
        } else {
            self.set_resume_point(self.frame.thread, y);
        }
        YIELDED
    }

    /// Carries out an op that is not a step of its own kind.
    pub(super) fn out_of_line(&mut self, pc: Pc) -> Pc {
        self.rare(pc).unwrap_or(FAILED)
    }

    /// A table's edge. It leads back to the loop: tables are not looked through for circles.
    #[inline(always)]
    pub(super) fn by_table(&self, i: u32) -> Pc {
        *at(&self.prog().tables, i)
    }
}

/// Where to go on by a guard. A branch, not a choice by arithmetic: it can be foreseen.
#[inline(always)]
pub(super) fn judged<T>(holds: bool, s: T, f: T) -> T {
    if holds {
        s
    } else {
        rarely();
        f
    }
}
