//! From a program's ops to steps.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::rows::Rows;
use super::step::{BACK, Place, Step};
use super::steps::{
    Consume, Done, Exit, Fraction, Gate, If, Limit, Loud, Mark, Quickly, Rare, Resume, Set, Small,
    WaitStart, WaitTick, Whole, YieldAt,
};
use crate::compile::{IDLE, NOWHERE, Op, Pc, Program, WaitSpec, over};
use crate::context::Context;
use crate::def::Funcs;
use crate::time::MAX_DURATION;

/// What a tick carries out, the same for every agent of a tree.
pub(crate) struct Code<C: Context> {
    /// The program's ops as steps, at the same places.
    steps: Box<[Box<dyn Step<C>>]>,
    /// Where a tick of the whole tree begins, by the resume point as it is kept; nothing if that
    /// takes more than a byte.
    begin: Box<[Box<dyn Step<C>>]>,
    rows: Rows,
    prog: Arc<Program>,
    funcs: Arc<Funcs<C>>,
}

impl<C: Context> Code<C> {
    #[inline(always)]
    pub(crate) fn prog(&self) -> &Program {
        &self.prog
    }

    #[inline(always)]
    pub(crate) fn funcs(&self) -> &Funcs<C> {
        &self.funcs
    }

    /// The rows of guards made of data.
    #[inline(always)]
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The step at a place; none beyond them: where threads are over, and at edges that lead
    /// [`BACK`].
    #[inline(always)]
    pub(super) fn step(&self, pc: Pc) -> Option<&dyn Step<C>> {
        self.steps.get(pc as usize).map(|step| &**step)
    }

    /// The step that a tick of the whole tree begins with; none if the resume point takes more
    /// than this byte.
    #[inline(always)]
    pub(super) fn begin(&self, stored: u32) -> Option<&dyn Step<C>> {
        self.begin.get(stored as usize).map(|step| &**step)
    }

    /// Makes a program's steps. Of those that are `loud` the tick takes note.
    pub(crate) fn link(
        prog: Arc<Program>,
        funcs: Arc<Funcs<C>>,
        loud: impl Fn(Pc) -> bool,
    ) -> Code<C> {
        let (ways, rows) = (ways(&prog), Rows::new(&prog));
        let make = |pc: Pc| {
            let step = step(&prog, &rows, &funcs, pc, ways[pc as usize]);
            if loud(pc) { Box::new(Loud(step)) } else { step }
        };
        let begin = if prog.wide { &[][..] } else { &prog.entries };
        Code {
            steps: (0..prog.ops.len() as Pc).map(make).collect(),
            begin: begin.iter().map(|pc| make(*pc)).collect(),
            rows,
            prog,
            funcs,
        }
    }
}

/// The step of the op at a place, whose edges are these.
fn step<C: Context>(
    prog: &Program,
    rows: &Rows,
    funcs: &Funcs<C>,
    pc: Pc,
    [a, b, c]: Ways,
) -> Box<dyn Step<C>> {
    let leaf = |y, resumed| Place {
        pc,
        y,
        s: a,
        f: b,
        resumed,
    };
    let judge = |quick| Quickly {
        quick,
        pc,
        s: a,
        f: b,
    };
    match prog.ops[pc as usize] {
        Op::Done(status) => Box::new(Done { over: over(status) }),
        Op::Whole { .. } => Box::new(Whole {
            pc,
            place: rows.place(pc),
        }),
        Op::Fraction { quick, .. } => Box::new(Fraction(judge(quick))),
        Op::Small { ty, quick, .. } => Box::new(Small {
            ty,
            judge: judge(quick),
        }),
        Op::Ask { func, .. } => funcs.preds[func as usize].clone().step(pc, a, b),
        Op::Instant { func, .. } => funcs.acts[func as usize].clone().step(leaf(IDLE, false)),
        Op::Start { func, y, .. } => funcs.acts[func as usize].clone().step(leaf(y, false)),
        Op::Tick { func, y, .. } => funcs.acts[func as usize].clone().step(leaf(y, true)),
        Op::LeafStart {
            leaf: i, slot, y, ..
        } => funcs.leaves[i as usize].clone().step(slot, leaf(y, false)),
        Op::LeafTick {
            leaf: i, slot, y, ..
        } => funcs.leaves[i as usize].clone().step(slot, leaf(y, true)),
        Op::WaitStart { slot, spec, y, .. } => Box::new(WaitStart {
            slot,
            fixed: match prog.waits[spec as usize] {
                WaitSpec::Fixed(ns) => Some(ns.min(MAX_DURATION - 1)),
                _ => None,
            },
            spec,
            pc,
            y,
            s: a,
        }),
        Op::WaitTick { slot, y, .. } => Box::new(WaitTick { slot, pc, y, s: a }),
        Op::Gate { gate, .. } => {
            let gate = &prog.gates[gate as usize];
            Box::new(Gate {
                slot: gate.slot,
                replay: gate.replay,
                to: a,
                s: b,
                f: c,
            })
        }
        Op::Limit { slot, .. } => Box::new(Limit {
            slot,
            late: a,
            to: b,
        }),
        Op::Yield { y } => Box::new(YieldAt { pc, y }),
        Op::Resume { lo, len, table, .. } => Box::new(Resume {
            lo,
            len,
            table,
            els: a,
        }),
        Op::Exit { lo, hi, node, .. } => Box::new(Exit {
            lo,
            hi,
            node,
            pc,
            to: a,
        }),
        Op::Consume { .. } => Box::new(Consume { to: a }),
        Op::Set { slot, value, .. } => Box::new(Set { slot, value, to: a }),
        Op::If { slot, .. } => Box::new(If {
            slot,
            yes: a,
            no: b,
        }),
        Op::Enter { .. } => Box::new(Mark {
            status: None,
            node: prog.op_nodes[pc as usize],
            pc,
            to: a,
        }),
        Op::Leave { status, .. } => Box::new(Mark {
            status: Some(status),
            node: prog.op_nodes[pc as usize],
            pc,
            to: a,
        }),
        _ => Box::new(Rare { pc }),
    }
}

/// An op's edges, as far as its step goes along them itself.
type Ways = [Pc; 3];

/// How much may follow one another before it comes back to the loop, at most: each step counts
/// for one.
const ROW: u8 = 32;

/// For how many steps one counts that has a function of the user's compiled into it. If that keeps
/// much on the stack, it stays there while others follow.
const USERS: u8 = 4;

/// Every op's edges; those lead back that would close a circle or make too long a row.
fn ways(prog: &Program) -> Vec<Ways> {
    let mut ways: Vec<Ways> = prog.ops.iter().map(|op| own_ways(prog, *op)).collect();
    /// Being looked at: an edge to here closes a circle.
    const OPEN: u8 = u8::MAX;
    // How much follows one another from here on, this one included; zero: not yet known.
    let mut rows = alloc::vec![0_u8; ways.len()];
    let mut path: Vec<(usize, usize)> = Vec::new();
    for from in 0..ways.len() {
        if rows[from] == 0 {
            rows[from] = OPEN;
            path.push((from, 0));
        }
        while let Some((op, way)) = path.pop() {
            let Some(&to) = ways[op].get(way) else {
                // All are known.
                let next = ways[op].iter().filter_map(|to| rows.get(*to as usize));
                rows[op] = weight(&prog.ops[op]) + next.max().copied().unwrap_or(0);
                continue;
            };
            match rows.get(to as usize) {
                Some(0) => {
                    // Looked at first; then this edge again.
                    path.push((op, way));
                    rows[to as usize] = OPEN;
                    path.push((to as usize, 0));
                    continue;
                }
                Some(&row) if row >= ROW => ways[op][way] = to | BACK,
                _ if matches!(prog.ops.get(to as usize), Some(Op::Whole { .. })) => {
                    ways[op][way] = to | BACK;
                }
                _ => {}
            }
            path.push((op, way + 1));
        }
    }
    ways
}

/// For how many steps one counts.
fn weight(op: &Op) -> u8 {
    match op {
        Op::Ask { .. }
        | Op::Instant { .. }
        | Op::Start { .. }
        | Op::Tick { .. }
        | Op::LeafStart { .. }
        | Op::LeafTick { .. } => USERS,
        _ => 1,
    }
}

/// An op's edges, unless its step always comes back.
fn own_ways(prog: &Program, mut op: Op) -> Ways {
    match op {
        Op::Gate { gate, to } => {
            let gate = &prog.gates[gate as usize];
            [to, gate.s, gate.f]
        }
        Op::Fraction { .. }
        | Op::Small { .. }
        | Op::Ask { .. }
        | Op::Instant { .. }
        | Op::Start { .. }
        | Op::Tick { .. }
        | Op::LeafStart { .. }
        | Op::LeafTick { .. }
        | Op::WaitStart { .. }
        | Op::WaitTick { .. }
        | Op::Limit { .. }
        | Op::Resume { .. }
        | Op::Exit { .. }
        | Op::Consume { .. }
        | Op::Set { .. }
        | Op::If { .. }
        | Op::Enter { .. }
        | Op::Leave { .. } => op.edges().map(|to| to.map_or(NOWHERE, |to| *to)),
        _ => [NOWHERE; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes;

    /// How many steps can follow one another from any op on, by edges that do not lead back.
    fn longest(ways: &[Ways]) -> usize {
        let mut longest = 0;
        for from in 0..ways.len() {
            let mut reached = alloc::vec![from];
            for steps in 1.. {
                longest = longest.max(steps);
                assert!(steps <= ways.len(), "a circle");
                let next = |op: &usize| ways[*op].map(|to| to as usize);
                reached = reached.iter().flat_map(next).collect();
                reached.retain(|op| *op < ways.len());
                reached.sort_unstable();
                reached.dedup();
                if reached.is_empty() {
                    break;
                }
            }
        }
        longest
    }

    #[test]
    fn long_rows_of_steps_come_back_to_the_loop() {
        let n = nodes::<()>();
        let conditions = |_| n.condition("no", |()| false);
        let tree = n.selector((0..500).map(conditions)).build().unwrap();
        assert_eq!(longest(&ways(&tree.program)), usize::from(ROW / USERS));
        let few = n.selector((0..5).map(conditions)).build().unwrap();
        assert!(longest(&ways(&few.program)) >= 4);
    }

    #[test]
    fn no_edges_close_a_circle() {
        let n = nodes::<()>();
        let again = || n.repeat(3, n.retry(2, n.condition("no", |()| false)).drain(8));
        let tree = n
            .sequence([again(), n.repeat_forever(again()).drain(8)])
            .build();
        longest(&ways(&tree.unwrap().program));
    }
}
