//! Copies of ops for what is known at their place.
//!
//! The same op is often reached with different knowledge: at the beginning of a tick, it is known
//! which resume point is to be taken up, if any; after a guard, something is known about its key's
//! value. A copy made for such knowledge bypasses resume and exit ops that would do nothing, and
//! guards whose answer is already known. So a tick that starts afresh checks for no resume point,
//! and a row of branches that ask about the same keys asks each question once.
//!
//! An original may always be executed in place of its copy: a copy merely knows which way the
//! original would go. So where there is nothing to gain, or too much to copy, edges lead to the
//! original, and the originals stay where they are.
//!
//! Knowledge about keys holds from guard to guard, as long as nothing is called that could write
//! them. Guards' functions cannot: they see the context by shared reference.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec;
use alloc::vec::Vec;

use super::program::{IDLE, NOWHERE, Op, Pc, Program, Yield};
use crate::guard::Quick;
use crate::key::ScalarType;

/// The maximum number of copies of one op.
const COPIES: u8 = 16;
/// The maximum number of keys known at once.
const FACTS: usize = 8;
/// The maximum number of ops that an edge bypasses: without a limit, a row of branches that all ask
/// about one key would take time quadratic in its length.
const PASSED: usize = 256;

/// Makes the copies. The program's existing ops and tables keep their places.
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
    // What an op itself reveals is known whatever leads to it.
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

/// Whether the op asks about the resume point that is to be taken up.
fn asks(op: &Op) -> bool {
    matches!(
        op,
        Op::Resume { .. } | Op::Exit { .. } | Op::Before { .. } | Op::Consume { .. }
    )
}

/// A value's place in the block, and how it is read.
type Value = (u32, u8);

/// What a predictable guard compares.
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
    /// The resume point still to be taken up, if known; [`IDLE`] for none.
    old: Option<Yield>,
    /// Comparisons that hold, one per value, in order.
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

/// What knowledge at an op could gain on the paths from it.
#[derive(Clone, Copy, Default)]
struct Gain {
    /// Whether resume points are asked about.
    old: bool,
    /// Guards that are evaluated before anything could write their values, one bit for each of
    /// [`Pass::tests`].
    tests: u128,
}

/// The distinct predictable guards; in a tree with many, the first ones.
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

/// Whether a copy of the op can have its own edges: they are all stored in the op.
fn copyable(op: &mut Op) -> bool {
    let whole = !matches!(
        op,
        Op::Resume { .. } | Op::Switch { .. } | Op::Enter { .. } | Op::Leave { .. }
    );
    whole && op.edges()[0].is_some()
}

/// Whether knowledge about keys still holds after the op, which must call nothing that could write
/// them.
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
    // Edges lead to ops that were made before; an edge back, as in a loop, gains nothing.
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
        // An op that cannot be copied goes on as it does, whatever is known, except a resume op,
        // which copies bypass.
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
    /// The original ops.
    originals: Vec<Op>,
    tests: Vec<(Value, Quick)>,
    gains: Vec<Gain>,
    made: BTreeMap<(Pc, Known), Pc>,
    /// How many copies each op has.
    copies: Vec<u8>,
    /// How many more there may be.
    left: usize,
    /// Copies whose edges still lead where those of the original do.
    queue: VecDeque<(Pc, Pc, Known)>,
}

impl Pass<'_> {
    /// Where an edge to `pc` may lead, given what is known.
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
                // Not a copy of a bypassable op: such copies know that they act.
                Some(_) if passed == PASSED => return pc,
                Some(next) => pc = next,
                None => break,
            }
            passed += 1;
        }
        // Only knowledge that gains something is kept.
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

    /// The weakest knowledge that determines the answers of the same guards on the paths from here;
    /// `None` if it determines none. This way, paths without a useful difference share their
    /// copies.
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

    /// Whether an op reveals anything of use after it.
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

    /// The copy of an op for this knowledge, or the op itself.
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
            // A copy that knows less may exist.
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

    /// Sets the edges of a copy.
    fn fill(&mut self, copy: Pc, original: Pc, known: &Known) {
        let mut op = self.originals[original as usize];
        // What is known after the op, where its answer reveals nothing more.
        let old = match op {
            Op::Tick { .. }
            | Op::LeafTick { .. }
            | Op::BoxedTick { .. }
            | Op::WaitTick { .. }
            | Op::CustomTick { .. }
            | Op::Consume { .. } => Some(IDLE),
            // A copy exists because the op does unwind, or may.
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
