//! The executor: one thread of one tick.

use super::step::{BACK, FAILED, Placed, YIELDED};
use super::unwind::EVERYTHING;
use super::{Env, Failed, Frame, at, get, out_of_bounds, stored_root};
use crate::compile::{IDLE, NOWHERE, Pc, Yield, is_over};
use crate::context::Context;
use crate::leaf::{Answer, LeafError};
use crate::status::Status;

impl<'e, C: Context> Env<'e, '_, '_, C> {
    /// Ticks the whole tree without a trace; the frame must be its [`root`](Frame::root). On an
    /// error or panic, dropping `self` records where the tick was.
    #[inline(always)]
    pub(crate) fn root(&mut self) -> Result<Status, Failed> {
        let code = self.code;
        match code.begin(self.frame.began.wrapping_add(1)) {
            Some(first) => self.follow(first, true),
            None => self.wide_root(),
        }
    }

    /// Ticks the whole tree if its resume point takes more than a byte.
    #[inline(never)]
    fn wide_root(&mut self) -> Result<Status, Failed> {
        let stored = stored_root(self.prog(), self.mem);
        self.frame = Frame::begin(0, stored.wrapping_sub(1));
        let first = self.first(*at(&self.prog().entries, stored));
        self.follow(first, false)
    }

    /// [`root`](Env::root), with a trace.
    #[inline(never)]
    pub(crate) fn traced_root(&mut self) -> Result<Status, Failed> {
        self.show_keys(None);
        let stored = stored_root(self.prog(), self.mem);
        self.frame = Frame::begin(0, stored.wrapping_sub(1));
        let status = self.marked(*at(&self.prog().entries, stored));
        if status.is_err() {
            self.show_keys_now();
        }
        status
    }

    /// Ticks a thread within another thread's tick.
    pub(crate) fn thread(&mut self, thread: u32) -> Result<Status, Failed> {
        let t = at(&self.prog().threads, thread);
        let stored = get(self.mem, t.slot, t.width);
        let pc = *at(&self.prog().tables, t.table + stored);
        let began = if stored == 0 { IDLE } else { t.lo + stored - 1 };
        let outer = core::mem::replace(&mut self.frame, Frame::begin(thread, began));
        let nested = Nested { env: self, outer };
        let status = nested.env.marked(pc)?;
        nested.env.frame = nested.outer;
        core::mem::forget(nested);
        Ok(status)
    }

    /// Ticks the frame's thread, and marks the nodes that are left running.
    fn marked(&mut self, pc: Pc) -> Result<Status, Failed> {
        let depth = self.beside.trace().map_or(0, |trace| trace.depth());
        let first = self.first(pc);
        let status = self.follow(first, false)?;
        if status == Status::Running {
            self.show_keys_now();
            if let Some(trace) = self.beside.trace() {
                trace.running(depth);
            }
        }
        Ok(status)
    }

    /// The step at a valid place.
    #[inline(always)]
    fn first(&self, pc: Pc) -> &'e Placed<C> {
        match self.code.step(pc) {
            Some(step) => step,
            None => out_of_bounds(),
        }
    }

    /// Executes steps from this one on, to the end of the thread or of its tick. Normally a step
    /// goes on to the next by itself. `home` says that the thread's resume point is known to be the
    /// block's first byte.
    #[inline(always)]
    fn follow(&mut self, first: &'e Placed<C>, home: bool) -> Result<Status, Failed> {
        let mut pc = first.go(self);
        loop {
            if pc == YIELDED {
                return Ok(Status::Running);
            }
            if pc >= FAILED {
                return self.end(pc, home);
            }
            pc = self.first(pc & !BACK).go(self);
        }
    }

    /// Ends the tick of a thread that is over or whose leaf failed.
    #[inline(always)]
    fn end(&mut self, over: Pc, home: bool) -> Result<Status, Failed> {
        if over == FAILED {
            return Err(Failed);
        }
        let Frame { old, began, .. } = self.frame;
        if old != IDLE {
            self.abandon(old);
        }
        if began != IDLE {
            if home {
                self.keep_at_home(IDLE);
            } else {
                self.keep(IDLE);
            }
        }
        debug_assert!(is_over(over).is_some(), "{over}");
        // All four bit patterns are valid, so nothing is checked.
        Ok(match (NOWHERE - 1).wrapping_sub(over) % 4 {
            0 => Status::Success,
            1 => Status::Failure,
            2 => Status::Running,
            _ => Status::Skipped,
        })
    }

    /// At the end of the thread, ends what ran at the last tick and was not taken up.
    #[cold]
    fn abandon(&mut self, old: Yield) {
        self.frame.old = IDLE;
        let end = at(&self.prog().threads, self.frame.thread).end;
        self.frame.here = Some(self.first(end));
        self.unwind(old, EVERYTHING);
    }

    /// Handles an unusual answer of a leaf: skipped, or an error.
    #[cold]
    pub(super) fn odd(&mut self, here: &Placed<C>, answer: Answer) -> Pc {
        let (prog, pc) = (self.prog(), here.pc());
        let skip = prog.skips.binary_search_by_key(&pc, |s| s.0);
        let error = match (answer, skip) {
            (Answer::Skipped, Ok(i)) => return prog.skips[i].1,
            (Answer::Skipped, Err(_)) => LeafError::new(
                "the leaf answered `Skipped`, which it did not declare: add `.may_skip()` to it",
            ),
            (Answer::Error, _) => self.cx.take_error(),
            _ => LeafError::new("an instant action answered `Running`: make it an `action`"),
        };
        self.beside
            .faults()
            .note(|fault| fault.error = Some((prog.op_nodes[pc as usize], error)));
        FAILED
    }
}

/// The tick of a thread within another thread's tick. If an error or a panic drops it, it records
/// where the thread was, and leaves the outer thread to be recorded next.
struct Nested<'n, 'e, 'x, 'a, C: Context> {
    env: &'n mut Env<'e, 'x, 'a, C>,
    outer: Frame<'e, C>,
}

impl<C: Context> Drop for Nested<'_, '_, '_, '_, C> {
    #[cold]
    fn drop(&mut self) {
        self.env.note_frame();
        self.env.frame = self.outer;
    }
}
