//! Copies of ops for what is known where they stand.
//!
//! The same op is often reached with different knowledge: at the beginning of a tick it is
//! known which resume point is to be taken up, if any; after a guard it is known what its key
//! holds, or does not. A copy made for such knowledge leads past resume and exit ops that can
//! do nothing, and past guards whose answer is known already. So a tick that starts afresh
//! asks for no resume point, and a row of branches that ask the same keys asks each question
//! once.
//!
//! Every op may be carried out wherever its copy may: a copy only knows which way it would
//! have gone. So where there is nothing to gain, or too much to copy, edges lead to the
//! original, and the originals stay where they are.
//!
//! Knowledge of keys holds from guard to guard, as long as nothing is called that could write
//! them. Functions of guards cannot: they see the context by shared reference.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

use super::program::{IDLE, NOWHERE, Op, Pc, Program, Yield};
use crate::guard::Quick;
use crate::key::ScalarType;

/// Copies of one op, at most.
const COPIES: u8 = 16;
/// Keys that are known at once, at most.
const FACTS: usize = 8;
/// Ops that an edge leads past, at most: without a limit, a row of branches that all ask about
/// one key would take time with the square of its length.
const PASSED: usize = 256;

/// Makes the copies. Ops and tables that the program has keep their places.
pub(super) fn specialize(p: &mut Program) {
    // Most trees of plain sequences and selectors have nothing to gain.
    let told = p.ops.iter().filter(|op| test(op).is_some()).count();
    if told < 2 && !p.ops.iter().any(asks) {
        return;
    }
    let originals = p.ops.clone();
    let base = originals.len();
    let tests = tests(p);
    let mut pass = Pass {
        gains: gains(p, &tests),
        tests,
        originals,
        left: 2 * base + 128,
        copies: vec![0; base],
        made: BTreeMap::new(),
        queue: VecDeque::new(),
        p,
    };
    for thread in 0..pass.p.threads.len() {
        let t = pass.p.threads[thread];
        for stored in 0..=t.yields {
            let known = Known {
                old: Some(match stored {
                    0 => IDLE,
                    n => t.lo + n - 1,
                }),
                facts: Vec::new(),
            };
            let entry = (t.table + stored) as usize;
            pass.p.tables[entry] = pass.target(pass.p.tables[entry], known);
        }
    }
    // What an op tells by itself is known whoever leads to it.
    for pc in (0..base as Pc).rev() {
        if pass.tells(pc) {
            pass.fill(pc, pc, &Known::default());
        }
    }
    while let Some((copy, original, known)) = pass.queue.pop_front() {
        pass.fill(copy, original, &known);
    }
    p.skips.sort_unstable();
}

/// Whether the op asks for the resume point that is to be taken up.
fn asks(op: &Op) -> bool {
    matches!(
        op,
        Op::Resume { .. } | Op::Exit { .. } | Op::Before { .. } | Op::Consume { .. }
    )
}

/// The place of a value in the block, and how it is read.
type Value = (u32, u8);

/// What a guard that can be foreseen compares.
fn test(op: &Op) -> Option<(Value, Quick)> {
    Some(match *op {
        Op::Whole { quick, .. } => ((quick.offset, 0), quick),
        Op::Fraction { quick, .. } => ((quick.offset, 1), quick),
        Op::Small { ty, quick, .. } => {
            let how = match ty {
                ScalarType::I16 => 2,
                ScalarType::U16 => 3,
                ScalarType::I8 => 4,
                ScalarType::Bool => 5,
                _ => 6,
            };
            ((quick.offset, how), quick)
        }
        _ => return None,
    })
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Known {
    /// The resume point still to be taken up, if that is known; [`IDLE`] for none.
    old: Option<Yield>,
    /// Comparisons that hold, one a value, in order.
    facts: Vec<(Value, Quick)>,
}

impl Known {
    fn about(&self, value: Value) -> Option<Quick> {
        let i = self.facts.binary_search_by_key(&value, |f| f.0).ok()?;
        Some(self.facts[i].1)
    }

    fn with(&self, value: Value, holds: Quick) -> Known {
        let mut known = self.clone();
        match known.facts.binary_search_by_key(&value, |f| f.0) {
            Ok(i) => known.facts[i].1 = holds.narrow(known.facts[i].1),
            Err(i) if known.facts.len() < FACTS => known.facts.insert(i, (value, holds)),
            Err(_) => {}
        }
        known
    }

    /// Whether this holds wherever the other does.
    fn follows(&self, other: &Known) -> bool {
        self.facts.iter().all(|&(value, holds)| {
            other
                .about(value)
                .is_some_and(|known| holds.follows(known) == Some(true))
        })
    }

    fn without_facts(&self, old: Option<Yield>) -> Known {
        Known {
            old,
            facts: Vec::new(),
        }
    }

    fn with_old(&self, old: Option<Yield>) -> Known {
        Known {
            old,
            facts: self.facts.clone(),
        }
    }
}

/// What could be gained by knowledge at an op: on the way from it.
#[derive(Clone, Copy, Default)]
struct Gain {
    /// Resume points are asked for.
    old: bool,
    /// Guards that are judged before anything could write their values: a bit for each of
    /// [`Pass::tests`].
    tests: u128,
}

/// Different guards that can be foreseen; the first ones, in a tree of many.
fn tests(p: &Program) -> Vec<(Value, Quick)> {
    let mut tests: Vec<_> = p.ops.iter().filter_map(test).collect();
    tests.sort_unstable();
    tests.dedup();
    tests.truncate(u128::BITS as usize);
    tests
}

fn bit(tests: &[(Value, Quick)], op: &Op) -> u128 {
    let found = test(op).and_then(|test| tests.binary_search(&test).ok());
    found.map_or(0, |i| 1 << i)
}

/// Whether a copy of the op can have edges of its own: they stand in the op, and are all there
/// are.
fn copyable(op: &mut Op) -> bool {
    let whole = !matches!(
        op,
        Op::Resume { .. } | Op::Switch { .. } | Op::Enter { .. } | Op::Leave { .. }
    );
    whole && op.edges()[0].is_some()
}

/// Whether what is known of keys holds after the op: it calls nothing that could write them.
fn keeps_facts(op: &Op) -> bool {
    matches!(
        op,
        Op::Whole { .. }
            | Op::Fraction { .. }
            | Op::Small { .. }
            | Op::Ask { .. }
            | Op::Test { .. }
            | Op::Compare { .. }
            | Op::Consume { .. }
            | Op::Gate { .. }
            | Op::Close { .. }
            | Op::Chance { .. }
            | Op::Once { .. }
            | Op::Quota { .. }
            | Op::Limit { .. }
            | Op::Set { .. }
            | Op::Put { .. }
            | Op::If { .. }
            | Op::Clear { .. }
    )
}

fn gains(p: &Program, tests: &[(Value, Quick)]) -> Vec<Gain> {
    let mut gains: Vec<Gain> = Vec::with_capacity(p.ops.len());
    // Edges lead to ops that were made before; a way back, as of a loop, gains nothing.
    for op in &p.ops {
        let mut gain = Gain {
            old: asks(op),
            tests: bit(tests, op),
        };
        let mut op = *op;
        let keeps = keeps_facts(&op);
        let through = |to: Pc, gain: &mut Gain| {
            if let Some(next) = gains.get(to as usize) {
                gain.old |= next.old;
                if keeps {
                    gain.tests |= next.tests;
                }
            }
        };
        if let Op::Gate { gate, .. } = op {
            let g = &p.gates[gate as usize];
            [g.s, g.f].iter().for_each(|&to| through(to, &mut gain));
        }
        // What cannot be copied leads on as it does, whatever is known; but for a resume op,
        // which a copy leads past.
        if copyable(&mut op) || matches!(op, Op::Resume { .. }) {
            for to in op.edges().into_iter().flatten() {
                through(*to, &mut gain);
            }
        }
        gains.push(gain);
    }
    gains
}

struct Pass<'p> {
    p: &'p mut Program,
    /// Its ops as they were.
    originals: Vec<Op>,
    tests: Vec<(Value, Quick)>,
    gains: Vec<Gain>,
    made: BTreeMap<(Pc, Known), Pc>,
    /// How many copies of each op there are.
    copies: Vec<u8>,
    /// How many more there may be.
    left: usize,
    /// Copies whose edges lead where those of the original do, still.
    queue: VecDeque<(Pc, Pc, Known)>,
}

impl Pass<'_> {
    /// Where an edge to `pc` may lead for what is known.
    fn target(&mut self, mut pc: Pc, mut known: Known) -> Pc {
        let mut passed = 0;
        loop {
            let Some(op) = self.originals.get(pc as usize) else {
                return pc;
            };
            let old = known.old;
            let inside = |lo: Yield, hi: Yield| old.map(|old| lo <= old && old < hi);
            let next = match *op {
                Op::Resume {
                    lo,
                    len,
                    table,
                    els,
                } => inside(lo, lo + len).map(|inside| match old {
                    Some(old) if inside => self.p.tables[(table + old - lo) as usize],
                    _ => els,
                }),
                Op::Exit { lo, hi, to, .. } if inside(lo, hi) == Some(false) => Some(to),
                Op::Before { index, to } => {
                    let b = &self.p.befores[index as usize];
                    let does = inside(b.lo, b.hi) != Some(false)
                        && inside(b.own_lo, b.own_hi) != Some(true);
                    (!does).then_some(to)
                }
                Op::Consume { to } if old == Some(IDLE) => Some(to),
                _ => test(op).and_then(|(value, quick)| {
                    let holds = quick.follows(known.about(value)?)?;
                    let (Op::Whole { s, f, .. }
                    | Op::Fraction { s, f, .. }
                    | Op::Small { s, f, .. }) = *op
                    else {
                        return None;
                    };
                    Some(if holds { s } else { f })
                }),
            };
            match next {
                // Not a copy of an op that could be passed: those know that they act.
                Some(_) if passed == PASSED => return pc,
                Some(next) => pc = next,
                None => break,
            }
            passed += 1;
        }
        // Only what there is something to gain by is worth knowing.
        let gain = self.gains[pc as usize];
        if !gain.old {
            known.old = None;
        }
        known.facts.retain_mut(|(value, holds)| {
            let wide = self.widen(gain, *value, *holds);
            *holds = wide.unwrap_or(*holds);
            wide.is_some()
        });
        self.copy(pc, known)
    }

    /// The least that must be known to tell the answers of the same guards on the way; none
    /// if nothing tells one. So that ways that differ in nothing of use share their copies.
    fn widen(&self, gain: Gain, value: Value, holds: Quick) -> Option<Quick> {
        let asked = self.tests.iter().enumerate();
        asked
            .filter(|(i, test)| gain.tests >> i & 1 != 0 && test.0 == value)
            .filter_map(|(_, &(_, quick))| {
                Some(if quick.follows(holds)? {
                    quick
                } else {
                    quick.flipped()
                })
            })
            .reduce(|all, one| one.narrow(all))
    }

    /// Whether an op tells anything that is of use behind it.
    fn tells(&self, pc: Pc) -> bool {
        let mut op = self.originals[pc as usize];
        let takes_up = matches!(
            op,
            Op::Tick { .. }
                | Op::LeafTick { .. }
                | Op::BoxedTick { .. }
                | Op::WaitTick { .. }
                | Op::CustomTick { .. }
                | Op::Consume { .. }
        );
        let told = test(&op).map(|(value, quick)| (value, [quick, quick.flipped()]));
        let edges = op.edges().into_iter().flatten().enumerate();
        edges
            .filter_map(|(side, to)| Some((side, self.gains.get(*to as usize)?)))
            .any(|(side, gain)| {
                takes_up && gain.old
                    || told.is_some_and(|(value, sides)| {
                        self.widen(*gain, value, sides[side]).is_some()
                    })
            })
    }

    /// The copy of an op for what is known, or the op itself.
    fn copy(&mut self, pc: Pc, known: Known) -> Pc {
        if known.old.is_none() && known.facts.is_empty() {
            return pc;
        }
        let mut op = self.originals[pc as usize];
        if !copyable(&mut op) {
            return pc;
        }
        if let Op::Exit { .. } | Op::Before { .. } = op
            && known.old.is_none()
        {
            return pc;
        }
        if let Some(&copy) = self.made.get(&(pc, known.clone())) {
            return copy;
        }
        if self.left == 0 || self.copies[pc as usize] == COPIES {
            // One that knows less may be there.
            return self
                .made
                .range((pc, Known::default())..)
                .take_while(|((of, _), _)| *of == pc)
                .filter(|((_, less), _)| less.old == known.old && less.follows(&known))
                .max_by_key(|((_, less), _)| less.facts.len())
                .map_or(pc, |(_, &copy)| copy);
        }
        self.left -= 1;
        self.copies[pc as usize] += 1;
        let copy = self.p.ops.len() as Pc;
        self.p.ops.push(op);
        self.p.op_nodes.push(self.p.op_nodes[pc as usize]);
        if self.p.scoped {
            self.p.op_scopes.push(self.p.op_scopes[pc as usize]);
        }
        self.made.insert((pc, known.clone()), copy);
        self.queue.push_back((copy, pc, known));
        copy
    }

    /// Leads the edges of a copy on.
    fn fill(&mut self, copy: Pc, original: Pc, known: &Known) {
        let mut op = self.originals[original as usize];
        // What is known behind it, where its answer tells nothing more.
        let old = match op {
            Op::Tick { .. }
            | Op::LeafTick { .. }
            | Op::BoxedTick { .. }
            | Op::WaitTick { .. }
            | Op::CustomTick { .. }
            | Op::Consume { .. } => Some(IDLE),
            // A copy was made because they do unwind, or may.
            Op::Exit { .. } | Op::Before { .. } if known.old.is_some() => Some(IDLE),
            Op::Par { y, .. } if known.old == Some(y) => Some(IDLE),
            _ => known.old,
        };
        let behind = if keeps_facts(&op) {
            known.with_old(old)
        } else {
            known.without_facts(old)
        };
        if let Some((value, quick)) = test(&op) {
            let sides = [quick, quick.flipped()].map(|side| behind.with(value, side));
            for (edge, known) in op.edges().into_iter().flatten().zip(sides) {
                *edge = self.target(*edge, known);
            }
        } else {
            for edge in op.edges().into_iter().flatten() {
                if *edge != NOWHERE {
                    *edge = self.target(*edge, behind.clone());
                }
            }
        }
        if let Op::Gate { gate, .. } = &mut op
            && copy != original
        {
            let mut spec = self.p.gates[*gate as usize];
            for edge in [&mut spec.s, &mut spec.f] {
                if *edge != NOWHERE {
                    *edge = self.target(*edge, behind.clone());
                }
            }
            *gate = self.p.gates.len() as u32;
            self.p.gates.push(spec);
        }
        if let Ok(i) = self.p.skips.binary_search_by_key(&original, |s| s.0) {
            let to = self.target(self.p.skips[i].1, behind);
            if copy == original {
                self.p.skips[i].1 = to;
            } else {
                // Copies are made in ascending order, so they stay in order.
                self.p.skips.push((copy, to));
            }
        }
        self.p.ops[copy as usize] = op;
    }
}
