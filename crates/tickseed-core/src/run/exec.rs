//! The executor: one thread of one tick.
//!
//! The loop holds the ops that most ticks meet; the others are out of line in `rare`. That
//! keeps the loop's registers and its entry few. Only the ops themselves and the place are
//! kept at hand: whatever else an op needs it fetches through `self`, so that nothing is
//! loaded at the entry that a short tick does not use.

use super::rare::Next;
use super::unwind::EVERYTHING;
use super::{
    Env, Failed, Frame, Memory, Tracer, at, from, get, get_deadline, out_of_bounds, put_deadline,
};
use crate::compile::{Entry, IDLE, Op, Pc, Yield, is_over, over};
use crate::context::Context;
use crate::leaf::{Answer, LeafError};
use crate::status::Status;

impl<C: Context, T: Tracer, M: Memory> Env<'_, '_, '_, C, T, M> {
    /// Ticks the whole tree. If it fails or panics, dropping `self` notes where it was: its
    /// frame is that of thread 0 from the beginning.
    ///
    /// The commonest tick of all, a running leaf that runs on, needs nothing of the loop: it
    /// is done here, in few registers. Everything else goes on in the loop.
    #[inline(always)]
    pub(crate) fn root(&mut self) -> Result<Status, Failed> {
        let prog = self.prog;
        // What is kept lies at the block's beginning.
        let stored = if prog.wide {
            get(self.own.mem(), 0, prog.threads[0].width)
        } else {
            self.own.mem().first().copied().unwrap_or(0).into()
        };
        let began = stored.wrapping_sub(1);
        let Entry { ref op, pc, alone } = *at(&prog.entries, stored);
        if T::ON {
            return self.traced_root(pc, began);
        }
        if !alone {
            self.frame.old = began;
            return self.exec(pc, op, began, began);
        }
        self.frame.pc = pc;
        let answer = match *op {
            Op::Tick { func, .. } => {
                self.visit(pc);
                at(&self.funcs.acts, func)(&mut self.cx)
            }
            Op::LeafTick { leaf, slot, .. } => {
                self.visit(pc);
                let state = from(self.own.mem_mut(), slot);
                at(&self.funcs.leaves, leaf).ticked(state, &mut self.cx)
            }
            Op::WaitTick { slot, .. }
                if get_deadline(self.own.mem(), slot).passed(self.cx.now()) =>
            {
                Answer::Success
            }
            _ => Answer::Running,
        };
        if answer == Answer::Running {
            return Ok(Status::Running);
        }
        self.ended(pc, answer, began)
    }

    /// The running leaf of the root that nothing acts before has not run on.
    #[inline(never)]
    fn ended(&mut self, pc: Pc, answer: Answer, began: Yield) -> Result<Status, Failed> {
        let prog = self.prog;
        let to = match (answer, at(&prog.ops, pc)) {
            (Answer::Success, Op::Tick { s: to, .. })
            | (Answer::Success, Op::LeafTick { s: to, .. })
            | (Answer::Success, Op::WaitTick { s: to, .. })
            | (Answer::Failure, Op::Tick { f: to, .. })
            | (Answer::Failure, Op::LeafTick { f: to, .. }) => *to,
            _ => self.odd(pc, answer)?,
        };
        match prog.ops.get(to as usize) {
            Some(op) => self.exec(to, op, began, IDLE),
            None => self.end(to, began, IDLE),
        }
    }

    /// Tells who watches that an op calls out.
    #[inline(always)]
    fn visit(&mut self, pc: Pc) {
        if T::WATCH {
            self.trace.visit(pc);
        }
    }

    /// With a trace the running leaf is not alone: the nodes around it are marked.
    fn traced_root(&mut self, pc: Pc, began: Yield) -> Result<Status, Failed> {
        self.show_keys(None);
        let status = self.marked(pc, began);
        if status.is_err() {
            self.show_keys_now();
        }
        status
    }

    /// Ticks a thread within the tick of another.
    pub(crate) fn thread(&mut self, thread: u32) -> Result<Status, Failed> {
        let t = at(&self.prog.threads, thread);
        let stored = get(self.own.mem(), t.slot, t.width);
        let pc = *at(&self.prog.tables, t.table + stored);
        let began = if stored == 0 { IDLE } else { t.lo + stored - 1 };
        let outer = core::mem::replace(&mut self.frame, Frame::of(thread));
        let nested = Nested { env: self, outer };
        let status = nested.env.marked(pc, began)?;
        nested.env.frame = nested.outer;
        core::mem::forget(nested);
        Ok(status)
    }

    /// Ticks the thread of the frame; the nodes that are left running are marked as that.
    fn marked(&mut self, pc: Pc, began: Yield) -> Result<Status, Failed> {
        let depth = self.trace.depth();
        self.frame.old = began;
        let status = self.exec(pc, at(&self.prog.ops, pc), began, began)?;
        if T::ON && status == Status::Running {
            self.show_keys_now();
            self.trace.running(depth);
        }
        Ok(status)
    }

    /// Keeps the resume point of the thread that is ticked.
    #[inline(never)]
    fn keep(&mut self, y: Yield) {
        if self.frame.thread == 0 && !self.prog.wide {
            // The first yield is 0; idle comes round to it.
            if let Some(first) = self.own.mem_mut().first_mut() {
                *first = y.wrapping_add(1) as u8;
            }
        } else {
            self.set_resume_point(self.frame.thread, y);
        }
    }

    /// Ends the tick of a thread that is over.
    #[inline(always)]
    fn end(&mut self, over: Pc, began: Yield, old: Yield) -> Result<Status, Failed> {
        if old != IDLE {
            self.frame.old = IDLE;
            self.frame.pc = at(&self.prog.threads, self.frame.thread).end;
            self.unwind(old, EVERYTHING);
        }
        if began != IDLE {
            self.keep(IDLE);
        }
        match is_over(over) {
            Some(status) => Ok(status),
            None => out_of_bounds(),
        }
    }

    /// Goes on from `pc`, whose op is `op`. `began` is the resume point of the last tick; so is
    /// `old`, until it is taken up.
    #[inline(never)]
    fn exec(
        &mut self,
        mut pc: Pc,
        op: &Op,
        began: Yield,
        mut old: Yield,
    ) -> Result<Status, Failed> {
        // `old` is kept in a register; the frame's copy is only written, for the sake of `drop`.
        let prog = self.prog;
        let ops = prog.ops.as_slice();

        /// Forgets the old resume point.
        macro_rules! consume {
            () => {{
                old = IDLE;
                self.frame.old = IDLE;
            }};
        }
        /// Ends what is active at the old resume point, below a node.
        macro_rules! unwind {
            ($above:expr) => {{
                let y = old;
                consume!();
                self.frame.pc = pc;
                self.unwind(y, $above);
            }};
        }
        /// Stops here until the next tick.
        macro_rules! yield_at {
            ($y:expr) => {{
                let y = $y;
                if old != IDLE {
                    self.frame.old = IDLE;
                    self.frame.pc = pc;
                    self.unwind_to(old, y);
                }
                if y != began {
                    self.keep(y);
                }
                return Ok(Status::Running);
            }};
        }
        /// A function is about to be called.
        macro_rules! call {
            () => {{
                self.frame.pc = pc;
                self.visit(pc);
            }};
        }
        /// Goes on by a leaf's answer.
        macro_rules! go_on {
            ($answer:expr, $y:expr, $s:expr, $f:expr) => {
                pc = match $answer {
                    Answer::Success => $s,
                    Answer::Failure => $f,
                    Answer::Running => yield_at!($y),
                    other => self.odd(pc, other)?,
                }
            };
        }
        /// Goes on by a guard. A branch, not a choice by arithmetic: it can be foreseen.
        macro_rules! judged {
            ($holds:expr, $s:expr, $f:expr) => {
                pc = if $holds {
                    $s
                } else {
                    cold();
                    $f
                }
            };
        }

        /// Goes on at the op that `pc` has been set to.
        macro_rules! follow {
            ($ops:lifetime) => {
                match ops.get(pc as usize) {
                    Some(next) => next,
                    None => break $ops,
                }
            };
        }

        let mut op = op;
        'ops: loop {
            match *op {
                Op::Done(status) => {
                    pc = over(status);
                    break;
                }
                // Guards mostly come in rows: those that follow are judged here as well.
                Op::Whole { .. } => {
                    // The block is the context's, and so is what it does to show it.
                    self.frame.pc = pc;
                    let block = C::block(self.cx.at());
                    while let Op::Whole { quick, s, f } = op {
                        judged!(quick.whole(block), *s, *f);
                        op = follow!('ops);
                    }
                    continue 'ops;
                }
                Op::Ask { .. } => {
                    while let Op::Ask { func, s, f } = op {
                        call!();
                        let holds = at(&self.funcs.preds, *func)(self.cx.at());
                        judged!(holds, *s, *f);
                        op = follow!('ops);
                    }
                    continue 'ops;
                }
                Op::Fraction { quick, s, f } => {
                    self.frame.pc = pc;
                    judged!(quick.fraction(C::block(self.cx.at())), s, f);
                }
                // Where to go on is read after the call, and only the one that counts.
                Op::Instant { func, ref s, ref f } => {
                    call!();
                    pc = match at(&self.funcs.acts, func)(&mut self.cx) {
                        Answer::Success => *s,
                        Answer::Failure => *f,
                        other => self.odd(pc, other)?,
                    }
                }
                Op::Start {
                    func,
                    ref y,
                    ref s,
                    ref f,
                } => {
                    call!();
                    go_on!(at(&self.funcs.acts, func)(&mut self.cx), *y, *s, *f);
                }
                Op::Tick {
                    func,
                    ref y,
                    ref s,
                    ref f,
                } => {
                    debug_assert_eq!(old, *y);
                    consume!();
                    call!();
                    go_on!(at(&self.funcs.acts, func)(&mut self.cx), *y, *s, *f);
                }
                Op::LeafStart {
                    leaf,
                    slot,
                    ref y,
                    ref s,
                    ref f,
                } => {
                    call!();
                    let state = from(self.own.mem_mut(), slot);
                    let leaf = at(&self.funcs.leaves, leaf);
                    go_on!(leaf.started(state, &mut self.cx), *y, *s, *f);
                }
                Op::LeafTick {
                    leaf,
                    slot,
                    ref y,
                    ref s,
                    ref f,
                } => {
                    consume!();
                    call!();
                    let state = from(self.own.mem_mut(), slot);
                    let leaf = at(&self.funcs.leaves, leaf);
                    go_on!(leaf.ticked(state, &mut self.cx), *y, *s, *f);
                }
                Op::WaitStart { slot, spec, y, s } => {
                    call!();
                    let deadline = self.deadline(spec);
                    if deadline.passed(self.cx.now()) {
                        pc = s;
                    } else {
                        put_deadline(self.own.mem_mut(), slot, deadline);
                        yield_at!(y);
                    }
                }
                Op::WaitTick { slot, y, s } => {
                    consume!();
                    if get_deadline(self.own.mem(), slot).passed(self.cx.now()) {
                        pc = s;
                    } else {
                        yield_at!(y);
                    }
                }
                Op::Gate { gate, to } => {
                    let g = at(&prog.gates, gate);
                    let until = get_deadline(self.own.mem(), g.slot);
                    pc = if until.is_set() && !until.passed(self.cx.now()) {
                        let failed = g.replay
                            && self.own.mem()[g.slot as usize + 7] == Status::Failure as u8;
                        if failed { g.f } else { g.s }
                    } else {
                        to
                    };
                }
                Op::Yield { y } => yield_at!(y),
                Op::Resume {
                    lo,
                    len,
                    table,
                    els,
                } => {
                    // Idle is the greatest number, so it lies in no region.
                    let k = old.wrapping_sub(lo);
                    pc = if k < len {
                        *at(&prog.tables, table + k)
                    } else {
                        els
                    };
                }
                Op::Exit { lo, hi, node, to } => {
                    if lo <= old && old < hi {
                        unwind!(node.0);
                    }
                    pc = to;
                }
                Op::Consume { to } => {
                    consume!();
                    pc = to;
                }
                Op::Limit { slot, late, to } => {
                    pc = if get_deadline(self.own.mem(), slot).passed(self.cx.now()) {
                        late
                    } else {
                        to
                    };
                }
                Op::Set { slot, value, to } => {
                    self.own.mem_mut()[slot as usize] = value;
                    pc = to;
                }
                Op::If { slot, yes, no } => {
                    pc = if self.own.mem()[slot as usize] != 0 {
                        yes
                    } else {
                        no
                    }
                }
                Op::Enter { to } if T::ON => {
                    self.frame.pc = pc;
                    self.show_keys_now();
                    self.trace.enter(prog.op_nodes[pc as usize]);
                    pc = to;
                }
                Op::Leave { status, to } if T::ON => {
                    self.frame.pc = pc;
                    self.show_keys_now();
                    self.trace.leave(prog.op_nodes[pc as usize], status);
                    pc = to;
                }
                // All of them by name: then the choice needs no look at whether it is one of them.
                Op::Enter { .. }
                | Op::Leave { .. }
                | Op::Small { .. }
                | Op::Test { .. }
                | Op::Compare { .. }
                | Op::BoxedStart { .. }
                | Op::BoxedTick { .. }
                | Op::Pend { .. }
                | Op::Log { .. }
                | Op::Before { .. }
                | Op::Deadline { .. }
                | Op::Close { .. }
                | Op::Chance { .. }
                | Op::Once { .. }
                | Op::Quota { .. }
                | Op::Put { .. }
                | Op::Clear { .. }
                | Op::Dispatch { .. }
                | Op::Pick { .. }
                | Op::Switch { .. }
                | Op::Utility { .. }
                | Op::Again { .. }
                | Op::EachStart { .. }
                | Op::EachRound { .. }
                | Op::EachNext { .. }
                | Op::Hook { .. }
                | Op::Catch { .. }
                | Op::ParStart { .. }
                | Op::Par { .. }
                | Op::CustomStart { .. }
                | Op::CustomTick { .. } => {
                    self.visit(pc);
                    let next = self.rare(pc)?;
                    old = self.frame.old;
                    match next {
                        Next::Go(to) => pc = to,
                        Next::Yield(y) => yield_at!(y),
                    }
                }
            }
            op = follow!('ops);
        }
        self.end(pc, began, old)
    }

    /// A leaf's answer that is not an ordinary one: skipped, or an error.
    #[cold]
    pub(super) fn odd(&mut self, pc: Pc, answer: Answer) -> Result<Pc, Failed> {
        let prog = self.prog;
        let skip = prog.skips.binary_search_by_key(&pc, |s| s.0);
        let error = match (answer, skip) {
            (Answer::Skipped, Ok(i)) => return Ok(prog.skips[i].1),
            (Answer::Skipped, Err(_)) => LeafError::new(
                "the leaf answered `Skipped`, which it did not declare: add `.may_skip()` to it",
            ),
            (Answer::Error, _) => self.cx.take_error(),
            _ => LeafError::new("an instant action answered `Running`: make it an `action`"),
        };
        self.own
            .faults()
            .note(|fault| fault.error = Some((prog.op_nodes[pc as usize], error)));
        Err(Failed)
    }
}

/// The tick of a thread within that of another. Dropped by an error or a panic it notes where
/// the thread was, and leaves the outer one to be noted next.
struct Nested<'n, 'e, 'x, 'a, C: Context, T: Tracer, M: Memory> {
    env: &'n mut Env<'e, 'x, 'a, C, T, M>,
    outer: Frame,
}

impl<C: Context, T: Tracer, M: Memory> Drop for Nested<'_, '_, '_, '_, C, T, M> {
    #[cold]
    fn drop(&mut self) {
        self.env.note_frame();
        self.env.frame = self.outer;
    }
}

/// Tells the compiler that a branch is a branch.
#[cold]
#[inline(always)]
fn cold() {}
