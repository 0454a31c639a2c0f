//! The executor: one thread of one tick.
//!
//! The loop holds only the ops that most ticks meet; the others are out of line in `rare`.
//! That keeps the loop's registers and its entry small: a tick of a running leaf under a
//! deep path is one op.

use core::cell::Cell;
use core::marker::PhantomData;

use super::rare::Next;
use super::unwind::EVERYTHING;
use super::{Env, Failed, Faults, FrameRecord, Tracer, get, get_deadline, put};
use crate::compile::{IDLE, LEAVE, Op, Pc, Program, Thread, What, Yield};
use crate::context::Context;
use crate::def::Funcs;
use crate::leaf::{Answer, LeafError, Phase};
use crate::status::Status;

/// What counts of a thread's tick if a leaf panics or fails: then dropping this notes it.
/// Otherwise it is forgotten, and costs a store for each call out.
pub(super) struct Frame<'f, T: Tracer> {
    faults: &'f Faults,
    tracer: PhantomData<T>,
    thread: u32,
    /// The op that calls out.
    pub(super) pc: Cell<Pc>,
    /// The resume point of the last tick, until it is taken up or unwound.
    pub(super) old: Cell<Yield>,
}

impl<T: Tracer> Drop for Frame<'_, T> {
    #[cold]
    fn drop(&mut self) {
        let record = FrameRecord {
            thread: self.thread,
            pc: self.pc.get(),
            old: self.old.get(),
            traced: T::ON,
        };
        self.faults.frames.borrow_mut().push(record);
    }
}

impl<C: Context, T: Tracer> Env<'_, '_, '_, C, T> {
    /// Ticks the whole tree.
    #[inline(always)]
    pub(crate) fn root(&mut self) -> Result<Status, Failed> {
        let prog = self.prog;
        self.show_keys(None);
        let answer = self.tick_thread(0, &prog.root);
        if answer.is_err() {
            self.show_keys_now();
        }
        answer
    }

    /// Ticks one thread.
    pub(crate) fn thread(&mut self, thread: u32) -> Result<Status, Failed> {
        let prog = self.prog;
        self.tick_thread(thread, &prog.threads[thread as usize])
    }

    #[inline(always)]
    fn tick_thread(&mut self, thread: u32, t: &Thread) -> Result<Status, Failed> {
        let depth = self.trace.depth();
        let status = self.begin(self.prog, self.funcs, thread, t)?;
        if T::ON && status == Status::Running {
            self.show_keys_now();
            self.trace.running(depth);
        }
        Ok(status)
    }

    /// The commonest tick of all, a running leaf that runs on, needs nothing of the loop:
    /// it is done here, in few registers. Everything else goes on in the loop.
    #[inline(always)]
    fn begin(
        &mut self,
        prog: &Program,
        funcs: &Funcs<C>,
        thread: u32,
        t: &Thread,
    ) -> Result<Status, Failed> {
        let stored = get(self.mem, t.slot, t.width);
        let pc = prog.tables[(t.table + stored) as usize];
        let mut frame = Frame::<T> {
            faults: self.faults,
            tracer: PhantomData,
            thread,
            pc: Cell::new(pc),
            old: Cell::new(IDLE),
        };
        if stored == 0 {
            return self.exec(prog, funcs, frame, pc, IDLE);
        }
        let began = t.lo + stored - 1;
        if T::WATCH {
            self.trace.visit(pc);
        }
        let (answer, s, f) = match prog.ops[pc as usize] {
            Op::Tick { func, s, f, .. } => (funcs.acts[func as usize](self.cx), s, f),
            Op::LeafTick {
                leaf, slot, s, f, ..
            } => {
                let state = &mut self.mem[slot as usize..];
                let outcome = funcs.leaves[leaf as usize].run(Phase::Tick, state, self.cx);
                (Answer::of(outcome, self.cx), s, f)
            }
            Op::WaitTick { slot, s, .. } => {
                let over = get_deadline(self.mem, slot).passed(self.cx.now());
                (
                    if over {
                        Answer::Success
                    } else {
                        Answer::Running
                    },
                    s,
                    s,
                )
            }
            _ => {
                *frame.old.get_mut() = began;
                return self.exec(prog, funcs, frame, pc, began);
            }
        };
        let to = match answer {
            Answer::Running => {
                core::mem::forget(frame);
                return Ok(Status::Running);
            }
            Answer::Success => s,
            Answer::Failure => f,
            other => self.odd(prog, pc, other)?,
        };
        self.exec(prog, funcs, frame, to, began)
    }

    /// Goes on from `pc`. The program and the functions are arguments of their own so that
    /// the compiler knows that nothing else writes to them.
    #[inline(never)]
    fn exec(
        &mut self,
        prog: &Program,
        funcs: &Funcs<C>,
        frame: Frame<'_, T>,
        mut pc: Pc,
        began: Yield,
    ) -> Result<Status, Failed> {
        let thread = frame.thread;
        // Kept in a register; the frame's copy is only written, for the sake of `drop`.
        let mut old = frame.old.get();

        /// Forgets the old resume point.
        macro_rules! consume {
            () => {{
                old = IDLE;
                frame.old.set(IDLE);
            }};
        }
        /// Ends what is active at the old resume point, below a node.
        macro_rules! unwind {
            ($above:expr) => {{
                let y = old;
                consume!();
                frame.pc.set(pc);
                self.unwind(y, $above);
            }};
        }
        /// Stops here until the next tick.
        macro_rules! yield_at {
            ($y:expr) => {{
                let y = $y;
                if old != IDLE {
                    frame.old.set(IDLE);
                    frame.pc.set(pc);
                    self.unwind_to(old, y);
                }
                if y != began {
                    let t = &prog.threads[thread as usize];
                    put(self.mem, t.slot, t.width, y - t.lo + 1);
                }
                core::mem::forget(frame);
                return Ok(Status::Running);
            }};
        }
        /// Goes on by a leaf's answer.
        macro_rules! go_on {
            ($answer:expr, $y:expr, $s:expr, $f:expr) => {
                pc = match $answer {
                    Answer::Success => $s,
                    Answer::Failure => $f,
                    Answer::Running => yield_at!($y),
                    other => self.odd(prog, pc, other)?,
                }
            };
        }

        loop {
            match prog.ops[pc as usize] {
                Op::Done(status) => {
                    if old != IDLE {
                        frame.old.set(IDLE);
                        frame.pc.set(pc);
                        self.unwind(old, EVERYTHING);
                    }
                    if began != IDLE {
                        let t = &prog.threads[thread as usize];
                        put(self.mem, t.slot, t.width, 0);
                    }
                    core::mem::forget(frame);
                    return Ok(status);
                }
                Op::Judge { first } => {
                    frame.pc.set(pc);
                    let at = self.cx.at();
                    let block = C::block(at);
                    let mut i = first;
                    pc = loop {
                        let part = &prog.judges[i as usize];
                        if T::WATCH {
                            self.trace.judge(i);
                        }
                        let holds = match &part.what {
                            What::Whole(q) => q.whole(block),
                            What::Fraction(q) => q.fraction(block),
                            What::Call(func) => funcs.preds[*func as usize](at),
                            other => wide::<C>(prog, other, at),
                        };
                        i = if holds {
                            part.s
                        } else {
                            // A branch, not a choice by arithmetic: it can be foreseen.
                            cold();
                            part.f
                        };
                        if i & LEAVE != 0 {
                            break i & !LEAVE;
                        }
                    };
                }
                Op::Instant { func, s, f } => {
                    frame.pc.set(pc);
                    if T::WATCH {
                        self.trace.visit(pc);
                    }
                    pc = match funcs.acts[func as usize](self.cx) {
                        Answer::Success => s,
                        Answer::Failure => f,
                        other => self.odd(prog, pc, other)?,
                    }
                }
                Op::Start { func, y, s, f } => {
                    frame.pc.set(pc);
                    if T::WATCH {
                        self.trace.visit(pc);
                    }
                    go_on!(funcs.acts[func as usize](self.cx), y, s, f);
                }
                Op::Tick { func, y, s, f } => {
                    debug_assert_eq!(old, y);
                    consume!();
                    frame.pc.set(pc);
                    if T::WATCH {
                        self.trace.visit(pc);
                    }
                    go_on!(funcs.acts[func as usize](self.cx), y, s, f);
                }
                Op::WaitTick { slot, y, s } => {
                    consume!();
                    if get_deadline(self.mem, slot).passed(self.cx.now()) {
                        pc = s;
                    } else {
                        yield_at!(y);
                    }
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
                        prog.tables[(table + k) as usize]
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
                    pc = if get_deadline(self.mem, slot).passed(self.cx.now()) {
                        late
                    } else {
                        to
                    };
                }
                Op::Set { slot, value, to } => {
                    self.mem[slot as usize] = value;
                    pc = to;
                }
                Op::If { slot, yes, no } => {
                    pc = if self.mem[slot as usize] != 0 {
                        yes
                    } else {
                        no
                    }
                }
                Op::Enter { to } if T::ON => {
                    self.show_keys_now();
                    self.trace.enter(prog.op_nodes[pc as usize]);
                    pc = to;
                }
                Op::Leave { status, to } if T::ON => {
                    self.show_keys_now();
                    self.trace.leave(prog.op_nodes[pc as usize], status);
                    pc = to;
                }
                _ => {
                    if T::WATCH {
                        self.trace.visit(pc);
                    }
                    let next = self.rare(prog, funcs, &frame, pc)?;
                    old = frame.old.get();
                    match next {
                        Next::Go(to) => pc = to,
                        Next::Yield(y) => yield_at!(y),
                    }
                }
            }
        }
    }

    /// A leaf's answer that is not an ordinary one: skipped, or an error.
    #[cold]
    pub(super) fn odd(&mut self, prog: &Program, pc: Pc, answer: Answer) -> Result<Pc, Failed> {
        let skip = prog.skips.binary_search_by_key(&pc, |s| s.0);
        let error = match (answer, skip) {
            (Answer::Skipped, Ok(i)) => return Ok(prog.skips[i].1),
            (Answer::Skipped, Err(_)) => LeafError::new(
                "the leaf answered `Skipped`, which it did not declare: add `.may_skip()` to it",
            ),
            (Answer::Error, _) => self.cx.take_error(),
            _ => LeafError::new("an instant action answered `Running`: make it an `action`"),
        };
        self.faults
            .error
            .replace(Some((prog.op_nodes[pc as usize], error)));
        Err(Failed)
    }
}

/// The parts of guards that are less common, or cost more anyway.
#[inline(never)]
fn wide<C: Context>(prog: &Program, what: &What, at: &C::At<'_>) -> bool {
    match what {
        What::Whole(q) => q.whole(C::block(at)),
        What::Fraction(q) => q.fraction(C::block(at)),
        What::Small(ty, q) => q.small(*ty, C::block(at)),
        What::Test(i) => prog.tests[*i as usize].passes::<C>(at),
        What::Compare(i) => prog.compares[*i as usize].passes::<C>(at),
        // Calls are made where the functions are at hand.
        What::Call(_) => false,
    }
}

/// Tells the compiler that a branch is a branch.
#[cold]
#[inline(always)]
fn cold() {}
