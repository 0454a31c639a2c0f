//! A look instead of a tick.
//!
//! Most changes of a key make no difference: a number moves, and every guard answers as before. So
//! an agent that was touched in its sleep is not ticked at once. First, the path of its next tick
//! is followed without executing anything. If that leads back to the agent's position using only
//! guards, deadlines and the agent's block, the tick would stutter and is omitted. Anything else on
//! the path is left to a real tick.
//!
//! An agent whose tick did change something is looked at in the same way: if its next tick would
//! change nothing, it sleeps at once.

use crate::compile::{IDLE, Op, Pc, Program, Yield, is_over};
use crate::context::Context;
use crate::run::{Faults, FrameRecord, at, get_deadline, stored_root};
use crate::status::Status;
use crate::time::Time;
use crate::tree::Tree;
use crate::wake::WakeTable;

/// What the next tick of a sleeping, touched agent would answer, if it would change nothing. `None`
/// if it would change something, or if only a tick can tell.
///
/// By far the commonest path, via a few guards to a running leaf, is followed here, in few
/// registers.
#[inline(always)]
pub(crate) fn still<C: Context>(
    tree: &Tree<C>,
    table: &WakeTable,
    mem: &[u8],
    cx: &C::At<'_>,
    now: Time,
    faults: &Faults,
) -> Option<Status> {
    let prog = &*tree.program;
    let look = Look::begin(prog, mem, true, faults);
    // Showing the block is the context's code, which may panic. It is asked for once, at an op:
    // later, the path may have ended, and a panic there could not be recovered from.
    let block = C::block(cx);
    let (began, mut pc) = (look.old, look.pc);
    core::mem::forget(look);
    loop {
        match prog.ops.get(pc as usize) {
            Some(Op::Whole { quick, s, f }) => pc = either(quick.whole(block), *s, *f),
            Some(Op::Tick { y, .. }) if *y == began && table.is_deaf(pc) => {
                return Some(Status::Running);
            }
            _ => break,
        }
    }
    let look = Look {
        pc,
        old: began,
        calls: true,
        faults,
    };
    look.at_length(tree, table, mem, cx, block, now)
}

/// What the next tick of an agent that was just ticked would answer, with the keys and the time as
/// they are, if it would change nothing. Keys are read from the context's block only: anything else
/// that is called might panic, which is soon enough in a real tick.
#[inline(never)]
pub(crate) fn rests<C: Context>(
    tree: &Tree<C>,
    table: &WakeTable,
    mem: &[u8],
    cx: &C::At<'_>,
    now: Time,
    faults: &Faults,
) -> Option<Status> {
    if !table.is_quiet(&tree.program, &tree.def, mem) {
        return None;
    }
    let look = Look::begin(&tree.program, mem, false, faults);
    let block = C::block(cx);
    look.at_length(tree, table, mem, cx, block, now)
}

/// Continues a look that meets other ops.
fn follow<C: Context>(
    tree: &Tree<C>,
    table: &WakeTable,
    mem: &[u8],
    cx: &C::At<'_>,
    block: &[u8],
    now: Time,
    look: &mut Look<'_>,
) -> Option<Status> {
    let prog = &*tree.program;
    let began = look.old;
    loop {
        let pc = look.pc;
        let old = look.old;
        let Some(op) = prog.ops.get(pc as usize) else {
            return is_over(pc).filter(|_| began == IDLE);
        };
        look.pc = match *op {
            Op::Whole { quick, s, f } => either(quick.whole(block), s, f),
            Op::Fraction { quick, s, f } => either(quick.fraction(block), s, f),
            Op::Small { ty, quick, s, f } => either(quick.small(ty, block), s, f),
            Op::Test { test, s, f } if look.calls => {
                either(at(&prog.tests, test).passes::<C>(cx), s, f)
            }
            Op::Compare { compare, s, f } if look.calls => {
                either(at(&prog.compares, compare).passes::<C>(cx), s, f)
            }
            Op::Ask { func, s, f } if look.calls && !table.is_loud(pc) => {
                either(at(&tree.funcs.preds, func).holds(cx), s, f)
            }
            Op::Resume {
                lo,
                len,
                table,
                els,
            } => {
                let k = old.wrapping_sub(lo);
                if k < len {
                    *at(&prog.tables, table + k)
                } else {
                    els
                }
            }
            Op::Exit { lo, hi, to, .. } if !(lo <= old && old < hi) => to,
            Op::Consume { to } => {
                look.old = IDLE;
                to
            }
            Op::Limit { slot, late, to } => either(get_deadline(mem, slot).passed(now), late, to),
            Op::Gate { gate, to } => {
                let g = at(&prog.gates, gate);
                let until = get_deadline(mem, g.slot);
                if !until.is_set() || until.passed(now) {
                    to
                } else if g.replay {
                    return None;
                } else {
                    g.s
                }
            }
            Op::If { slot, yes, no } => either(*at(mem, slot) != 0, yes, no),
            Op::Set { slot, value, to } if *at(mem, slot) == value => to,
            Op::WaitTick { slot, y, s } => {
                if get_deadline(mem, slot).passed(now) {
                    look.old = IDLE;
                    s
                } else {
                    return (y == began).then_some(Status::Running);
                }
            }
            Op::Tick { y, .. } | Op::LeafTick { y, .. } | Op::BoxedTick { y, .. } => {
                return (y == began && table.is_deaf(pc)).then_some(Status::Running);
            }
            Op::Yield { y } => return (y == began && old == IDLE).then_some(Status::Running),
            Op::Done(status) => return (began == IDLE).then_some(status),
            _ => return None,
        };
    }
}

/// The position of a look. If guards or keys that it calls panic, dropping it records the panic, as
/// dropping a tick would.
struct Look<'f> {
    pc: Pc,
    /// As in the executor: the resume point, until it is taken up.
    old: Yield,
    /// Whether more may be called than the context's block.
    calls: bool,
    faults: &'f Faults,
}

impl<'f> Look<'f> {
    /// Starts a look at the beginning of an agent's next tick.
    #[inline(always)]
    fn begin(prog: &Program, mem: &[u8], calls: bool, faults: &'f Faults) -> Look<'f> {
        let stored = stored_root(prog, mem);
        Look {
            pc: *at(&prog.entries, stored),
            // The first yield is 0, and before it comes idle, the greatest number.
            old: stored.wrapping_sub(1),
            calls,
            faults,
        }
    }

    /// Follows the rest of the path.
    #[inline(never)]
    fn at_length<C: Context>(
        mut self,
        tree: &Tree<C>,
        table: &WakeTable,
        mem: &[u8],
        cx: &C::At<'_>,
        block: &[u8],
        now: Time,
    ) -> Option<Status> {
        let answer = follow(tree, table, mem, cx, block, now, &mut self);
        core::mem::forget(self);
        answer
    }
}

impl Drop for Look<'_> {
    /// By value: so it lives in registers until then.
    #[inline(always)]
    fn drop(&mut self) {
        panicked(self.faults, self.pc, self.old);
    }
}

#[cold]
#[inline(never)]
fn panicked(faults: &Faults, pc: Pc, old: Yield) {
    let record = FrameRecord {
        thread: 0,
        pc,
        old,
        traced: false,
    };
    faults.note(|fault| fault.frames.push(record));
}

#[inline(always)]
fn either<T>(holds: bool, s: T, f: T) -> T {
    if holds { s } else { f }
}
