//! Turns a program's ops into steps.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::rows::Rows;
use super::step::{BACK, Placed, Standing, Step, Ways};
use super::steps::{
    Consume, Done, Exit, Fraction, Gate, If, Limit, Loud, Mark, Rare, Resume, Set, Small,
    WaitFixed, WaitStart, WaitTick, Whole, YieldAt,
};
use crate::compile::{IDLE, NOWHERE, Op, Pc, Program, WaitSpec, over};
use crate::context::Context;
use crate::def::Funcs;
use crate::time::MAX_DURATION;

/// What a tick executes: the same for every agent of a tree.
pub(crate) struct Code<C: Context> {
    /// The program's ops as steps, at the same places.
    steps: Box<[Arc<Placed<C>>]>,
    /// Where a tick of the whole tree begins, by the stored resume point; empty if that takes more
    /// than a byte.
    begin: Box<[Arc<Placed<C>>]>,
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

    /// The step at a place; `None` beyond the ops, where a thread or the tick is over.
    #[inline(always)]
    pub(super) fn step(&self, pc: Pc) -> Option<&Placed<C>> {
        self.steps.get(pc as usize).map(|step| &**step)
    }

    /// Whether the whole tree's resume point takes more than a byte.
    #[inline(always)]
    pub(super) fn is_wide(&self) -> bool {
        self.begin.is_empty()
    }

    /// The step with which a tick of the whole tree begins; `None` if the resume point takes more
    /// than this byte.
    #[inline(always)]
    pub(super) fn begin(&self, stored: u32) -> Option<&Placed<C>> {
        self.begin.get(stored as usize).map(|step| &**step)
    }

    /// Makes a program's steps. The tick takes note of those that are `loud`.
    pub(crate) fn link(
        prog: Arc<Program>,
        funcs: Arc<Funcs<C>>,
        loud: impl Fn(Pc) -> bool,
    ) -> Code<C> {
        let (Edges { ways, order }, rows) = (edges(&prog), Rows::new(&prog));
        let mut steps: Vec<Option<Arc<Placed<C>>>> = alloc::vec![None; prog.ops.len()];
        for pc in order {
            let step = step(&prog, &rows, &funcs, pc);
            let step = if loud(pc) { Box::new(Loud(step)) } else { step };
            let next = |to: Pc| steps.get(to as usize).cloned().flatten();
            let placed = Placed::new(step, pc, ways[pc as usize], next);
            steps[pc as usize] = Some(Arc::new(placed));
        }
        let steps: Box<[_]> = steps.into_iter().flatten().collect();
        let begin = if prog.wide { &[][..] } else { &prog.entries };
        let begin = begin.iter().map(|pc| steps[*pc as usize].clone());
        Code {
            begin: begin.collect(),
            steps,
            rows,
            prog,
            funcs,
        }
    }
}

/// What the op at a place does.
fn step<C: Context>(prog: &Program, rows: &Rows, funcs: &Funcs<C>, pc: Pc) -> Box<dyn Step<C>> {
    let started = |y| Standing { y, resumed: false };
    let resumed = |y| Standing { y, resumed: true };
    match prog.ops[pc as usize] {
        Op::Done(status) => Box::new(Done { over: over(status) }),
        Op::Whole { .. } => Box::new(Whole {
            place: rows.place(pc),
        }),
        Op::Fraction { quick, .. } => Box::new(Fraction { quick }),
        Op::Small { ty, quick, .. } => Box::new(Small { ty, quick }),
        Op::Ask { func, .. } => funcs.preds[func as usize].clone().step(),
        Op::Instant { func, .. } => funcs.acts[func as usize].clone().step(started(IDLE)),
        Op::Start { func, y, .. } => funcs.acts[func as usize].clone().step(started(y)),
        Op::Tick { func, y, .. } => funcs.acts[func as usize].clone().step(resumed(y)),
        Op::LeafStart {
            leaf: i, slot, y, ..
        } => funcs.leaves[i as usize].clone().step(slot, started(y)),
        Op::LeafTick {
            leaf: i, slot, y, ..
        } => funcs.leaves[i as usize].clone().step(slot, resumed(y)),
        Op::WaitStart { slot, spec, y, .. } => {
            let wait = WaitStart { slot, spec, y };
            match prog.waits[spec as usize] {
                WaitSpec::Fixed(ns) => Box::new(WaitFixed {
                    wait,
                    ns: ns.min(MAX_DURATION - 1),
                }),
                _ => Box::new(wait),
            }
        }
        Op::WaitTick { slot, y, .. } => Box::new(WaitTick { slot, y }),
        Op::Gate { gate, .. } => {
            let gate = &prog.gates[gate as usize];
            Box::new(Gate {
                slot: gate.slot,
                replay: gate.replay.then_some(gate.f),
            })
        }
        Op::Limit { slot, .. } => Box::new(Limit { slot }),
        Op::Yield { y } => Box::new(YieldAt { y }),
        Op::Resume { lo, len, table, .. } => Box::new(Resume { lo, len, table }),
        Op::Exit { lo, hi, node, .. } => Box::new(Exit { lo, hi, node }),
        Op::Consume { .. } => Box::new(Consume),
        Op::Set { slot, value, .. } => Box::new(Set { slot, value }),
        Op::If { slot, .. } => Box::new(If { slot }),
        Op::Enter { .. } => Box::new(Mark {
            status: None,
            node: prog.op_nodes[pc as usize],
        }),
        Op::Leave { status, .. } => Box::new(Mark {
            status: Some(status),
            node: prog.op_nodes[pc as usize],
        }),
        _ => Box::new(Rare),
    }
}

/// Every op's edges, as far as its step follows them itself, and an order of the ops in which each
/// comes after the targets of its edges, except of edges back.
struct Edges {
    ways: Vec<Ways>,
    order: Vec<Pc>,
}

/// The maximum weight of a row of steps before it returns to the loop; a normal step weighs one.
const ROW: u8 = 32;

/// The weight of a step with a user function compiled into it: whatever that keeps on the stack
/// stays there while others follow.
const USERS: u8 = 4;

/// Every op's edges; those that would close a cycle or make a row too long lead back to the loop.
fn edges(prog: &Program) -> Edges {
    let mut ways: Vec<Ways> = prog.ops.iter().map(|op| own_ways(prog, *op)).collect();
    /// Being visited: an edge to here closes a cycle.
    const OPEN: u8 = u8::MAX;
    // The weight of the row from here on, including this step; zero if not yet known.
    let mut rows = alloc::vec![0_u8; ways.len()];
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut order = Vec::with_capacity(ways.len());
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
                order.push(op as Pc);
                continue;
            };
            match rows.get(to as usize) {
                Some(0) => {
                    // Visit the target first, then this edge again.
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
    Edges { ways, order }
}

/// The weight of a step.
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

/// An op's edges, unless its step always returns to the loop.
fn own_ways(prog: &Program, mut op: Op) -> Ways {
    match op {
        Op::Gate { gate, to } => [to, prog.gates[gate as usize].s],
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
        | Op::Leave { .. } => {
            let [s, f, _] = op.edges().map(|to| to.map_or(NOWHERE, |to| *to));
            [s, f]
        }
        _ => [NOWHERE; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes;

    /// The length of the longest row of steps, by edges that do not lead back.
    fn longest(program: &Program) -> usize {
        let ways = edges(program).ways;
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
        assert_eq!(longest(&tree.program), usize::from(ROW / USERS));
        let few = n.selector((0..5).map(conditions)).build().unwrap();
        assert!(longest(&few.program) >= 4);
    }

    #[test]
    fn no_edges_close_a_circle() {
        let n = nodes::<()>();
        let again = || n.repeat(3, n.retry(2, n.condition("no", |()| false)).drain(8));
        let tree = n
            .sequence([again(), n.repeat_forever(again()).drain(8)])
            .build();
        longest(&tree.unwrap().program);
    }
}
