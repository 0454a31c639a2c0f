//! Unwinding: ends what is active at a yield, innermost first, each part exactly once.

use alloc::collections::VecDeque;

use super::{Env, PendingUnwind, put_deadline};
use crate::compile::{IDLE, Op, Undo, Yield};
use crate::context::Context;
use crate::def::NodeId;
use crate::status::End;
use crate::time::Deadline;

/// No node: everything is unwound.
pub(crate) const EVERYTHING: u32 = u32::MAX;

impl<C: Context> Env<'_, '_, '_, C> {
    /// Ends what is active at `y` below the node `above`.
    pub(crate) fn unwind(&mut self, y: Yield, above: u32) {
        let info = &self.prog().yields[y as usize];
        self.unwind_from(PendingUnwind {
            from: info.from,
            to: info.to,
            above,
        });
    }

    /// At a yield `new`, ends what is active at `old` below the node where their paths part.
    #[cold]
    pub(crate) fn unwind_to(&mut self, old: Yield, new: Yield) {
        let above = if self.prog().scoped || self.beside.trace().is_some() {
            self.prog().part(
                self.prog().yields[old as usize].node,
                self.prog().yields[new as usize].node,
            )
        } else {
            EVERYTHING
        };
        // The node where the paths part halts the old branch after it has ticked the new one.
        self.show_keys_now();
        if let Some(trace) = self.beside.trace() {
            trace.running_below(above);
        }
        self.unwind(old, above);
    }

    /// Halts a thread if it is running.
    pub(crate) fn halt_thread(&mut self, thread: u32) {
        let y = self.resume_point(thread);
        if y != IDLE {
            self.set_resume_point(thread, IDLE);
            self.unwind(y, EVERYTHING);
        }
    }

    /// Carries out an unwinding; if a panic cuts it short, the rest is left to be done later.
    pub(crate) fn unwind_from(&mut self, p: PendingUnwind) {
        self.beside.hear();
        let to = p.to;
        let mut rest = Rest {
            env: self,
            left: p,
            done: false,
        };
        for i in p.from..to {
            let action = rest.env.prog().unwinds[i as usize];
            if p.above != EVERYTHING && action.node.0 <= p.above {
                // Scopes are listed innermost first, so the rest lies further out.
                break;
            }
            rest.left.from = i + 1;
            let env = &mut *rest.env;
            let halts = !matches!(action.what, Undo::Threads { .. } | Undo::Refund(_));
            if halts {
                // Earlier writes are not the halted node's.
                env.show_keys_now();
            }
            match action.what {
                Undo::Action(hook) => {
                    env.mark_halted(action.node);
                    if let Some(f) = hook {
                        env.funcs().ends[f as usize](&mut env.cx, End::Halted);
                    }
                }
                Undo::Leaf { leaf, slot } => {
                    env.mark_halted(action.node);
                    env.funcs().leaves[leaf as usize]
                        .halt(&mut env.mem[slot as usize..], &mut env.cx);
                }
                Undo::Boxed { leaf, side } => {
                    env.mark_halted(action.node);
                    env.funcs().boxed[leaf as usize]
                        .halt(&mut env.beside.side()[side as usize], &mut env.cx);
                }
                Undo::Threads { first, len } => {
                    // This is repeated after a panic; by then, threads that were halted are idle.
                    rest.left.from = i;
                    for thread in first..first + len {
                        rest.env.halt_thread(thread);
                    }
                }
                Undo::Custom(c) => {
                    env.mark_halted(action.node);
                    env.halt_custom(c);
                }
                Undo::Hook(f) => {
                    env.mark_halted(action.node);
                    env.funcs().ends[f as usize](&mut env.cx, End::Halted);
                }
                Undo::Refund(gate) => put_deadline(
                    env.mem,
                    env.prog().gates[gate as usize].slot,
                    Deadline::from_bits(0),
                ),
            }
            if halts {
                rest.env.show_keys(Some(action.node));
            }
        }
        rest.done = true;
    }
}

/// Records the rest of an unwinding if a panic cuts it short.
struct Rest<'r, 'e, 'x, 'a, C: Context> {
    env: &'r mut Env<'e, 'x, 'a, C>,
    left: PendingUnwind,
    done: bool,
}

impl<C: Context> Drop for Rest<'_, '_, '_, '_, C> {
    fn drop(&mut self) {
        if !self.done {
            self.env
                .beside
                .faults()
                .note(|fault| fault.pending.push(self.left));
        }
    }
}

impl<C: Context> Env<'_, '_, '_, C> {
    /// After an error or a panic, ends everything that has started and not ended, innermost first.
    /// If a hook panics, the rest is recorded again.
    pub(crate) fn recover(&mut self) {
        let prog = self.prog();
        let fault = self.beside.faults().take();
        let mut queue: VecDeque<PendingUnwind> = fault.pending.into();
        for frame in fault.frames {
            self.set_resume_point(frame.thread, IDLE);
            // What was being called has started and not ended; even if nothing was, the scopes
            // around the op are active.
            let of = |y: Yield| (prog.yields[y as usize].from, prog.yields[y as usize].to);
            let (from, to) = match prog.ops[frame.pc as usize] {
                Op::Start { y, .. }
                | Op::Tick { y, .. }
                | Op::LeafStart { y, .. }
                | Op::LeafTick { y, .. }
                | Op::BoxedStart { y, .. }
                | Op::BoxedTick { y, .. }
                | Op::Par { y, .. }
                | Op::CustomStart { y, .. }
                | Op::CustomTick { y, .. } => of(y),
                _ => prog
                    .op_scopes
                    .get(frame.pc as usize)
                    .copied()
                    .unwrap_or((0, 0)),
            };
            // Innermost first: the new branch and the old one up to where they part, then the
            // scopes around both.
            let mut at = prog.op_nodes[frame.pc as usize].0;
            if let Op::Enter { .. } = prog.ops[frame.pc as usize] {
                // Not the whole way yet: the old branch may be that very node.
                at = prog.parents[at as usize];
            }
            let above = if frame.old != IDLE && prog.scoped && at != u32::MAX {
                prog.part(prog.yields[frame.old as usize].node, NodeId(at))
            } else {
                EVERYTHING
            };
            let around = |i: &u32| above != EVERYTHING && prog.unwinds[*i as usize].node.0 <= above;
            let both = (from..to).find(around).unwrap_or(to);
            queue.push_back(PendingUnwind {
                from,
                to: both,
                above: EVERYTHING,
            });
            if frame.old != IDLE {
                let (from, to) = of(frame.old);
                queue.push_back(PendingUnwind { from, to, above });
            }
            queue.push_back(PendingUnwind {
                from: both,
                to,
                above: EVERYTHING,
            });
        }
        let left = &mut Left { env: self, queue };
        while let Some(p) = left.queue.pop_front() {
            left.env.unwind_from(p);
        }
        left.env.halt_thread(0);
    }
}

/// Records the rest of a recovery that a panic cuts short.
struct Left<'l, 'e, 'x, 'a, C: Context> {
    env: &'l mut Env<'e, 'x, 'a, C>,
    queue: VecDeque<PendingUnwind>,
}

impl<C: Context> Drop for Left<'_, '_, '_, '_, C> {
    fn drop(&mut self) {
        if !self.queue.is_empty() {
            let rest = self.queue.drain(..);
            self.env
                .beside
                .faults()
                .note(|fault| fault.pending.extend(rest));
        }
    }
}
