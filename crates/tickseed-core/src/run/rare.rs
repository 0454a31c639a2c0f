//! The ops that most ticks do not meet, out of line so that the executor's loop stays small.

use super::step::Placed;
use super::{Env, Failed, get, get_deadline, put, put_deadline};
use crate::compile::{Counter, IDLE, Op, Pc, PickSpec, WaitSpec, Yield};
use crate::context::Context;
use crate::leaf::{Answer, Phase};
use crate::status::{End, Status};
use crate::time::Deadline;

impl<'e, C: Context> Env<'e, '_, '_, C> {
    /// Executes the step's op.
    #[inline(never)]
    pub(super) fn rare(&mut self, here: &'e Placed<C>) -> Result<Pc, Failed> {
        let (prog, funcs) = (self.prog(), self.funcs());
        let mut pc = here.pc();
        let old = self.frame.old;
        match prog.ops[pc as usize] {
            Op::Deadline { slot, spec, to } => {
                self.frame.here = Some(here);
                let deadline = self.deadline(spec);
                put_deadline(self.mem, slot, deadline);
                pc = to;
            }
            Op::Close { gate, verdict, to } => {
                let g = &prog.gates[gate as usize];
                put_deadline(self.mem, g.slot, Deadline::after(self.cx.now(), g.interval));
                if g.replay {
                    self.mem[g.slot as usize + 7] = verdict as u8;
                }
                pc = to;
            }
            Op::Put {
                slot,
                width,
                value,
                to,
            } => {
                put(self.mem, slot, width, value);
                pc = to;
            }
            Op::Again { index } => {
                let a = &prog.agains[index as usize];
                if let Some((counter, limit)) = a.limit {
                    let n = self.bump(counter);
                    if n >= limit {
                        return Ok(a.done);
                    }
                }
                if self.spent(a.budget) {
                    return Ok(self.yield_at(here, a.y));
                }
                pc = a.again;
            }
            Op::BoxedStart {
                leaf,
                side,
                y,
                s,
                f,
            } => {
                self.frame.here = Some(here);
                let answer = self.boxed(Phase::Start, leaf, side);
                return Ok(self.told(answer, here, y, s, f));
            }
            Op::BoxedTick {
                leaf,
                side,
                y,
                s,
                f,
            } => {
                self.frame.old = IDLE;
                self.frame.here = Some(here);
                let answer = self.boxed(Phase::Tick, leaf, side);
                return Ok(self.told(answer, here, y, s, f));
            }
            Op::Small { ty, quick, s, f } => {
                self.frame.here = Some(here);
                let holds = quick.small(ty, C::block(self.cx.at()));
                pc = if holds { s } else { f };
            }
            Op::Test { test, s, f } => {
                self.frame.here = Some(here);
                let holds = prog.tests[test as usize].passes::<C>(self.cx.at());
                pc = if holds { s } else { f };
            }
            Op::Compare { compare, s, f } => {
                self.frame.here = Some(here);
                let holds = prog.compares[compare as usize].passes::<C>(self.cx.at());
                pc = if holds { s } else { f };
            }
            Op::Pend { slot, y, late } => match slot {
                Some(slot) if get_deadline(self.mem, slot.get()).passed(self.cx.now()) => pc = late,
                _ => return Ok(self.yield_at(here, y)),
            },
            Op::Log { text, to } => {
                self.frame.here = Some(here);
                C::log(self.cx.at_mut(), &prog.texts[text as usize]);
                pc = to;
            }
            Op::Before { index, to } => {
                let b = &prog.befores[index as usize];
                if b.lo <= old && old < b.hi && !(b.own_lo <= old && old < b.own_hi) {
                    self.frame.old = IDLE;
                    self.frame.here = Some(here);
                    self.unwind(old, b.node.0);
                }
                pc = to;
            }
            Op::Chance { p, to, other } => {
                pc = if self.cx.rng().unit() < prog.chances[p as usize] {
                    to
                } else {
                    other
                };
            }
            Op::Once { slot, to, s, f } => {
                pc = match self.mem[slot as usize] {
                    0 => to,
                    1 => s,
                    _ => f,
                };
            }
            Op::Quota {
                slot,
                width,
                limit,
                to,
                other,
            } => {
                let n = get(self.mem, slot, width);
                if n < limit {
                    put(self.mem, slot, width, n + 1);
                    pc = to;
                } else {
                    pc = other;
                }
            }
            Op::Clear { slot, len, to } => {
                self.mem[slot as usize..(slot + len) as usize].fill(0);
                pc = to;
            }
            Op::Dispatch {
                slot,
                width,
                table,
                len,
            } => {
                let i = get(self.mem, slot, width).min(len - 1);
                pc = prog.tables[(table + i) as usize];
            }
            Op::Pick { pick } => pc = self.pick(&prog.picks[pick as usize]),
            Op::Switch {
                func,
                table,
                len,
                other,
            } => {
                self.frame.here = Some(here);
                let i = funcs.ints[func as usize](self.cx.at());
                pc = match u32::try_from(i) {
                    Ok(i) if i < len => prog.tables[(table + i) as usize],
                    _ => other,
                };
            }
            Op::Utility { utility } => {
                self.frame.here = Some(here);
                pc = self.utility(utility, old);
            }
            Op::EachStart { each } => {
                self.frame.here = Some(here);
                let e = &prog.eachs[each as usize];
                let count = funcs.ints[e.count as usize](self.cx.at());
                let count = u32::try_from(count.max(0)).unwrap_or(u32::MAX);
                put(self.mem, e.slot, 4, 0);
                put(self.mem, e.slot + 4, 4, count);
                pc = if count == 0 { e.none } else { e.round };
            }
            Op::EachRound { each } => {
                self.frame.here = Some(here);
                let e = &prog.eachs[each as usize];
                let i = get(self.mem, e.slot, 4);
                funcs.indexes[e.item as usize](&mut self.cx, i);
                pc = e.body;
            }
            Op::EachNext { each } => {
                let e = &prog.eachs[each as usize];
                let i = self.bump(Counter {
                    slot: e.slot,
                    width: 4,
                });
                if i >= get(self.mem, e.slot + 4, 4) {
                    pc = e.done;
                } else if self.spent(e.budget) {
                    return Ok(self.yield_at(here, e.y));
                } else {
                    pc = e.round;
                }
            }
            Op::Hook { func, status, to } => {
                self.frame.here = Some(here);
                funcs.ends[func as usize](&mut self.cx, End::Finished(status));
                pc = to;
            }
            Op::Catch { func, s, f } => {
                self.frame.here = Some(here);
                pc = match funcs.verdicts[func as usize](&mut self.cx) {
                    Status::Success => s,
                    _ => f,
                };
            }
            Op::ParStart { par, to } => {
                self.par_start(&prog.pars[par as usize]);
                pc = to;
            }
            Op::Par { par, y, s, f, k } => {
                if old == y {
                    self.frame.old = IDLE;
                }
                self.frame.here = Some(here);
                pc = match self.par_tick(&prog.pars[par as usize])? {
                    Status::Success => s,
                    Status::Failure => f,
                    Status::Skipped => k,
                    Status::Running => return Ok(self.yield_at(here, y)),
                };
            }
            Op::CustomStart { custom, y, s, f, k } => {
                self.custom_start(custom);
                self.frame.here = Some(here);
                pc = match self.custom_tick(custom, true, prog.op_nodes[pc as usize])? {
                    Status::Success => s,
                    Status::Failure => f,
                    Status::Skipped => k,
                    Status::Running => return Ok(self.yield_at(here, y)),
                };
            }
            Op::CustomTick { custom, y, s, f, k } => {
                self.frame.old = IDLE;
                self.frame.here = Some(here);
                pc = match self.custom_tick(custom, false, prog.op_nodes[pc as usize])? {
                    Status::Success => s,
                    Status::Failure => f,
                    Status::Skipped => k,
                    Status::Running => return Ok(self.yield_at(here, y)),
                };
            }
            // The executor's own.
            _ => unreachable!("op {pc} is not one of the rare ones"),
        }
        Ok(pc)
    }

    /// Starts or ticks a leaf with boxed state.
    fn boxed(&mut self, phase: Phase, leaf: u32, side: u32) -> Answer {
        let leaf = &self.funcs().boxed[leaf as usize];
        let side = &mut self.beside.side()[side as usize];
        let outcome = leaf.run(phase, side, &mut self.cx);
        Answer::of(outcome, &mut self.cx)
    }

    /// Where a leaf's answer leads.
    fn told(&mut self, answer: Answer, here: &'e Placed<C>, y: Yield, s: Pc, f: Pc) -> Pc {
        match answer {
            Answer::Success => s,
            Answer::Failure => f,
            Answer::Running => self.yield_at(here, y),
            other => self.odd(here, other),
        }
    }

    pub(super) fn deadline(&mut self, spec: u32) -> Deadline {
        let (prog, funcs) = (self.prog(), self.funcs());
        let cx = &mut self.cx;
        let ns = match prog.waits[spec as usize] {
            WaitSpec::Fixed(ns) => ns,
            WaitSpec::Range(a, b) => a + cx.rng().below(b - a + 1),
            WaitSpec::Computed(f) => funcs.ints[f as usize](cx.at()).max(0) as u64,
        };
        Deadline::after(cx.now(), ns.min(crate::time::MAX_DURATION - 1))
    }

    /// Increments a counter.
    fn bump(&mut self, c: Counter) -> u32 {
        let n = get(self.mem, c.slot, c.width) + 1;
        put(self.mem, c.slot, c.width, n);
        n
    }

    /// Whether the rounds of this tick are used up.
    fn spent(&mut self, budget: Option<Counter>) -> bool {
        let Some(c) = budget else { return true };
        let left = get(self.mem, c.slot, c.width).saturating_sub(1);
        put(self.mem, c.slot, c.width, left);
        left == 0
    }

    /// Draws one of the children that were not visited yet. One bit per child says which were
    /// visited; the bits are counted by bytes, since a tick may draw once for each child.
    fn pick(&mut self, p: &PickSpec) -> Pc {
        let len = p.children.div_ceil(8) as usize;
        let visited = &mut self.mem[p.slot as usize..][..len];
        let left = p.children - visited.iter().map(|byte| byte.count_ones()).sum::<u32>();
        if left == 0 {
            return p.end;
        }
        let rng = self.cx.rng();
        let drawn = if p.weights.is_empty() {
            None
        } else {
            let weights = (0..p.children).map(|i| {
                if visited[i as usize / 8] >> (i % 8) & 1 != 0 {
                    0.0
                } else {
                    p.weights[i as usize]
                }
            });
            let drawn = rng.weighted(weights).map(|i| i as u32);
            Some(drawn.unwrap_or_else(|| nth_free(visited, 0)))
        };
        let child = drawn.unwrap_or_else(|| nth_free(visited, rng.below(left.into()) as u32));
        visited[child as usize / 8] |= 1 << (child % 8);
        self.prog().tables[(p.table + child) as usize]
    }

    fn utility(&mut self, utility: u32, old: Yield) -> Pc {
        let u = &self.prog().utilities[utility as usize];
        let (now, funcs) = (self.cx.now(), self.funcs());
        let current = if u.options.reactive {
            u.ranges.iter().position(|(lo, hi)| *lo <= old && old < *hi)
        } else {
            None
        };
        let dwelling = current.is_some()
            && u.dwell
                .is_some_and(|slot| !get_deadline(self.mem, slot).passed(now));
        let mut rng = *self.cx.rng();
        let at = self.cx.at();
        let chosen = u.options.choose(
            u.funcs.len(),
            |i| funcs.nums[u.funcs[i] as usize](at),
            current.map(|c| (c, dwelling)),
            || rng.unit(),
        );
        *self.cx.rng() = rng;
        match chosen {
            None => u.none,
            Some(i) => {
                if let Some(slot) = u.dwell
                    && current != Some(i)
                {
                    put_deadline(self.mem, slot, Deadline::after(now, u.options.min_dwell));
                }
                u.targets[i]
            }
        }
    }
}

/// The place of the `n`-th bit that is not set.
fn nth_free(bits: &[u8], mut n: u32) -> u32 {
    for (i, byte) in bits.iter().enumerate() {
        if n < byte.count_zeros() {
            let free = (0..n).fold(!byte, |free, _| free & (free - 1));
            return i as u32 * 8 + free.trailing_zeros();
        }
        n -= byte.count_zeros();
    }
    0
}

#[cfg(test)]
mod tests {
    use super::nth_free;

    #[test]
    fn bits_that_are_not_set_are_found_by_their_number() {
        let bits = [0xff, 0b1010_0101, 0, 0x7f];
        let free: alloc::vec::Vec<u32> = (0..32)
            .filter(|i| bits[*i as usize / 8] >> (i % 8) & 1 == 0)
            .collect();
        let found = (0..free.len() as u32).map(|n| nth_free(&bits, n));
        assert!(found.eq(free));
    }
}
