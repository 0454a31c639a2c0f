//! The executor: one thread of one tick.

use super::unwind::EVERYTHING;
use super::{Env, Failed, PendingUnwind, Tracer, get, get_deadline, put, put_deadline};
use crate::compile::{Counter, IDLE, NOWHERE, Op, Pc, PickSpec, Site, WaitSpec, Yield};
use crate::context::Context;
use crate::key::Place;
use crate::leaf::{LeafError, Outcome, Phase};
use crate::status::{End, Status};
use crate::time::Deadline;

/// A thread during its tick. `pc` and `old` are the copies that count if a leaf panics: then
/// dropping the frame notes what is to be unwound.
struct Frame<'f, 'e, 'x, 'a, C: Context, T: Tracer> {
    env: &'f mut Env<'e, 'x, 'a, C, T>,
    thread: u32,
    /// The op that calls out.
    pc: Pc,
    /// The resume point of the last tick, until it is taken up or unwound.
    old: Yield,
    finished: bool,
}

impl<C: Context, T: Tracer> Drop for Frame<'_, '_, '_, '_, C, T> {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let env = &mut *self.env;
        env.set_resume_point(self.thread, IDLE);
        let prog = env.prog;
        // What was being called has started and not ended; where nothing was, the scopes
        // around the op are active all the same.
        let at = |y: Yield| (prog.yields[y as usize].from, prog.yields[y as usize].to);
        let (from, to) = match prog.ops[self.pc as usize] {
            Op::Start { y, .. }
            | Op::Tick { y, .. }
            | Op::LeafStart { y, .. }
            | Op::LeafTick { y, .. }
            | Op::Par { y, .. }
            | Op::CustomStart { y, .. }
            | Op::CustomTick { y, .. } => at(y),
            _ => prog
                .op_scopes
                .get(self.pc as usize)
                .copied()
                .unwrap_or((0, 0)),
        };
        // Innermost first: the new branch and the old one up to where they part, then the
        // scopes around both.
        let above = if self.old != IDLE && prog.scoped {
            prog.part(
                prog.yields[self.old as usize].node,
                prog.op_nodes[self.pc as usize],
            )
        } else {
            EVERYTHING
        };
        let around = |i: &u32| above != EVERYTHING && prog.unwinds[*i as usize].node.0 <= above;
        let both = (from..to).find(around).unwrap_or(to);
        let mut later = |from, to, above| {
            if from < to {
                env.faults.pending.push(PendingUnwind { from, to, above });
            }
        };
        later(from, both, EVERYTHING);
        if self.old != IDLE {
            let (from, to) = at(self.old);
            later(from, to, above);
        }
        later(both, to, EVERYTHING);
    }
}

impl<C: Context, T: Tracer> Env<'_, '_, '_, C, T> {
    /// Ticks one thread.
    pub(crate) fn thread(&mut self, thread: u32) -> Result<Status, Failed> {
        let old = self.resume_point(thread);
        let depth = self.trace.depth();
        let pc = self.prog.threads[thread as usize].entry;
        let mut frame = Frame {
            env: self,
            thread,
            pc,
            old,
            finished: false,
        };
        let status = frame.run()?;
        frame.finished = true;
        drop(frame);
        if T::ON && status == Status::Running {
            self.trace.running(depth);
        }
        Ok(status)
    }
}

impl<C: Context, T: Tracer> Frame<'_, '_, '_, '_, C, T> {
    fn run(&mut self) -> Result<Status, Failed> {
        // Kept in registers; the frame's copies are only written, for the sake of `drop`.
        let began = self.old;
        let mut old = self.old;
        let mut pc = self.pc;
        let prog = self.env.prog;
        let funcs = self.env.funcs;

        /// Forgets the old resume point.
        macro_rules! consume {
            () => {{
                old = IDLE;
                self.old = IDLE;
            }};
        }
        /// Ends what is active at the old resume point, below a node.
        macro_rules! unwind {
            ($above:expr) => {{
                let y = old;
                consume!();
                self.pc = pc;
                self.env.unwind(y, $above);
            }};
        }
        /// Stops here until the next tick.
        macro_rules! yield_at {
            ($y:expr) => {{
                let y = $y;
                if old != IDLE {
                    self.old = IDLE;
                    self.pc = pc;
                    self.env.unwind_to(old, y);
                }
                self.env.set_resume_point(self.thread, y);
                return Ok(Status::Running);
            }};
        }
        /// Goes on by a leaf's answer.
        macro_rules! answer {
            ($outcome:expr, $y:expr, $s:expr, $f:expr, $k:expr) => {
                pc = match $outcome {
                    Ok(Status::Success) => $s,
                    Ok(Status::Failure) => $f,
                    Ok(Status::Running) => yield_at!($y),
                    other => self.odd(pc, other, $k)?,
                }
            };
        }

        loop {
            match prog.ops[pc as usize] {
                Op::Done(status) => {
                    if old != IDLE {
                        self.old = IDLE;
                        self.pc = pc;
                        self.env.unwind(old, EVERYTHING);
                    }
                    if began != IDLE {
                        self.env.set_resume_point(self.thread, IDLE);
                    }
                    return Ok(status);
                }
                Op::Tests { start, len, s, f } => {
                    let at = self.env.cx.at();
                    let block = C::block(at);
                    let tests = &prog.tests[start as usize..(start + len) as usize];
                    let pass = tests.iter().all(|t| match t.source.place {
                        Place::Block(offset) => t.passes_block(block, offset),
                        Place::Call => t.passes::<C>(at),
                    });
                    pc = if pass { s } else { f };
                }
                Op::Compare { index, s, f } => {
                    let pass = prog.compares[index as usize].passes::<C>(self.env.cx.at());
                    pc = if pass { s } else { f };
                }
                Op::Pred { func, s, f } => {
                    self.pc = pc;
                    let pass = funcs.preds[func as usize](self.env.cx.at());
                    pc = if pass { s } else { f };
                }
                Op::Instant { func, s, f, k } => {
                    self.pc = pc;
                    pc = match funcs.acts[func as usize](self.env.cx) {
                        Ok(Status::Success) => s,
                        Ok(Status::Failure) => f,
                        other => self.odd(pc, other, k)?,
                    }
                }
                Op::Start { func, y, s, f, k } => {
                    self.pc = pc;
                    answer!(funcs.acts[func as usize](self.env.cx), y, s, f, k);
                }
                Op::Tick { func, y, s, f, k } => {
                    debug_assert_eq!(old, y);
                    consume!();
                    self.pc = pc;
                    answer!(funcs.acts[func as usize](self.env.cx), y, s, f, k);
                }
                Op::LeafStart { site, y, s, f, k } => {
                    self.pc = pc;
                    let outcome = self.leaf(site, Phase::Start);
                    answer!(outcome, y, s, f, k);
                }
                Op::LeafTick { site, y, s, f, k } => {
                    debug_assert_eq!(old, y);
                    consume!();
                    self.pc = pc;
                    let outcome = self.leaf(site, Phase::Tick);
                    answer!(outcome, y, s, f, k);
                }
                Op::WaitStart { slot, spec, y, s } => {
                    self.pc = pc;
                    let deadline = self.deadline(spec);
                    if deadline.passed(self.env.cx.now()) {
                        pc = s;
                    } else {
                        put_deadline(self.env.mem, slot, deadline);
                        yield_at!(y);
                    }
                }
                Op::WaitTick { slot, y, s } => {
                    consume!();
                    if get_deadline(self.env.mem, slot).passed(self.env.cx.now()) {
                        pc = s;
                    } else {
                        yield_at!(y);
                    }
                }
                Op::Pend { slot, y, late } => match slot {
                    Some(slot)
                        if get_deadline(self.env.mem, slot.get()).passed(self.env.cx.now()) =>
                    {
                        pc = late
                    }
                    _ => yield_at!(y),
                },
                Op::Yield { y } => yield_at!(y),
                Op::Log { text, to } => {
                    self.pc = pc;
                    C::log(self.env.cx.at_mut(), &prog.texts[text as usize]);
                    pc = to;
                }
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
                Op::Exit { lo, hi, to } => {
                    if lo <= old && old < hi {
                        unwind!(prog.op_nodes[pc as usize].0);
                    }
                    pc = to;
                }
                Op::Before { index, to } => {
                    let b = &prog.befores[index as usize];
                    if b.lo <= old && old < b.hi && !(b.own_lo <= old && old < b.own_hi) {
                        unwind!(b.node.0);
                    }
                    pc = to;
                }
                Op::Consume { to } => {
                    consume!();
                    pc = to;
                }
                Op::Deadline { slot, spec, to } => {
                    self.pc = pc;
                    let deadline = self.deadline(spec);
                    put_deadline(self.env.mem, slot, deadline);
                    pc = to;
                }
                Op::Limit { slot, late, to } => {
                    pc = if get_deadline(self.env.mem, slot).passed(self.env.cx.now()) {
                        late
                    } else {
                        to
                    };
                }
                Op::Gate { gate, to } => {
                    let g = &prog.gates[gate as usize];
                    let until = get_deadline(self.env.mem, g.slot);
                    pc = if until.is_set() && !until.passed(self.env.cx.now()) {
                        let failed =
                            g.replay && self.env.mem[g.slot as usize + 7] == Status::Failure as u8;
                        if failed { g.f } else { g.s }
                    } else {
                        to
                    };
                }
                Op::Close { gate, verdict, to } => {
                    let g = &prog.gates[gate as usize];
                    put_deadline(
                        self.env.mem,
                        g.slot,
                        Deadline::after(self.env.cx.now(), g.interval),
                    );
                    if g.replay {
                        self.env.mem[g.slot as usize + 7] = verdict as u8;
                    }
                    pc = to;
                }
                Op::Chance { p, to, other } => {
                    pc = if self.env.cx.rng().unit() < prog.chances[p as usize] {
                        to
                    } else {
                        other
                    };
                }
                Op::Once { slot, to, s, f } => {
                    pc = match self.env.mem[slot as usize] {
                        0 => to,
                        1 => s,
                        _ => f,
                    };
                }
                Op::Set { slot, value, to } => {
                    self.env.mem[slot as usize] = value;
                    pc = to;
                }
                Op::Put {
                    slot,
                    width,
                    value,
                    to,
                } => {
                    put(self.env.mem, slot, width, value);
                    pc = to;
                }
                Op::If { slot, yes, no } => {
                    pc = if self.env.mem[slot as usize] != 0 {
                        yes
                    } else {
                        no
                    }
                }
                Op::Clear { slot, len, to } => {
                    self.env.mem[slot as usize..(slot + len) as usize].fill(0);
                    pc = to;
                }
                Op::Dispatch {
                    slot,
                    width,
                    table,
                    len,
                } => {
                    let i = get(self.env.mem, slot, width).min(len - 1);
                    pc = prog.tables[(table + i) as usize];
                }
                Op::Pick { pick } => pc = self.pick(&prog.picks[pick as usize]),
                Op::Switch {
                    func,
                    table,
                    len,
                    other,
                } => {
                    self.pc = pc;
                    let i = funcs.ints[func as usize](self.env.cx.at());
                    pc = match u32::try_from(i) {
                        Ok(i) if i < len => prog.tables[(table + i) as usize],
                        _ => other,
                    };
                }
                Op::Utility { utility } => {
                    self.pc = pc;
                    pc = self.utility(utility, old);
                }
                Op::Again { index } => {
                    let a = &prog.agains[index as usize];
                    if let Some((counter, limit)) = a.limit {
                        let n = self.bump(counter);
                        if n >= limit {
                            pc = a.done;
                            continue;
                        }
                    }
                    if self.spent(a.budget) {
                        yield_at!(a.y);
                    }
                    pc = a.again;
                }
                Op::EachStart { each } => {
                    self.pc = pc;
                    let e = &prog.eachs[each as usize];
                    let count = funcs.ints[e.count as usize](self.env.cx.at());
                    let count = u32::try_from(count.max(0)).unwrap_or(u32::MAX);
                    put(self.env.mem, e.slot, 4, 0);
                    put(self.env.mem, e.slot + 4, 4, count);
                    pc = if count == 0 { e.none } else { e.round };
                }
                Op::EachRound { each } => {
                    self.pc = pc;
                    let e = &prog.eachs[each as usize];
                    let i = get(self.env.mem, e.slot, 4);
                    funcs.indexes[e.item as usize](self.env.cx, i);
                    pc = e.body;
                }
                Op::EachNext { each } => {
                    let e = &prog.eachs[each as usize];
                    let i = self.bump(Counter {
                        slot: e.slot,
                        width: 4,
                    });
                    if i >= get(self.env.mem, e.slot + 4, 4) {
                        pc = e.done;
                    } else if self.spent(e.budget) {
                        yield_at!(e.y);
                    } else {
                        pc = e.round;
                    }
                }
                Op::Hook { func, status, to } => {
                    self.pc = pc;
                    funcs.ends[func as usize](self.env.cx, End::Finished(status));
                    pc = to;
                }
                Op::Catch { func, s, f } => {
                    self.pc = pc;
                    pc = match funcs.verdicts[func as usize](self.env.cx) {
                        Status::Success => s,
                        _ => f,
                    };
                }
                Op::ParStart { par, to } => {
                    self.env.par_start(&prog.pars[par as usize]);
                    pc = to;
                }
                Op::Par { par, y, s, f, k } => {
                    if old == y {
                        consume!();
                    }
                    self.pc = pc;
                    pc = match self.env.par_tick(&prog.pars[par as usize])? {
                        Status::Success => s,
                        Status::Failure => f,
                        Status::Skipped => k,
                        Status::Running => yield_at!(y),
                    };
                }
                Op::CustomStart { custom, y, s, f, k } => {
                    self.env.custom_start(custom);
                    self.pc = pc;
                    pc = match self
                        .env
                        .custom_tick(custom, true, prog.op_nodes[pc as usize])?
                    {
                        Status::Success => s,
                        Status::Failure => f,
                        Status::Skipped => k,
                        Status::Running => yield_at!(y),
                    };
                }
                Op::CustomTick { custom, y, s, f, k } => {
                    consume!();
                    self.pc = pc;
                    pc = match self
                        .env
                        .custom_tick(custom, false, prog.op_nodes[pc as usize])?
                    {
                        Status::Success => s,
                        Status::Failure => f,
                        Status::Skipped => k,
                        Status::Running => yield_at!(y),
                    };
                }
                Op::Enter { to } => {
                    self.env.trace.enter(prog.op_nodes[pc as usize]);
                    pc = to;
                }
                Op::Leave { status, to } => {
                    self.env.trace.leave(prog.op_nodes[pc as usize], status);
                    pc = to;
                }
            }
        }
    }

    /// A leaf's answer that is not an ordinary one: skipped, or an error.
    #[cold]
    fn odd(&mut self, pc: Pc, outcome: Outcome, k: Pc) -> Result<Pc, Failed> {
        let error = match outcome {
            Ok(Status::Skipped) if k != NOWHERE => return Ok(k),
            Ok(Status::Skipped) => LeafError::new(
                "the leaf answered `Skipped`, which it did not declare: add `.may_skip()` to it",
            ),
            Ok(status) => LeafError::new(alloc::format!(
                "an instant action answered `{status}`: make it an `action`"
            )),
            Err(error) => error,
        };
        self.env.faults.error = Some((self.env.prog.op_nodes[pc as usize], error));
        Err(Failed)
    }

    fn leaf(&mut self, site: u32, phase: Phase) -> Outcome {
        let env = &mut *self.env;
        match env.prog.sites[site as usize] {
            Site::Plain { leaf, slot, len } => {
                let state = &mut env.mem[slot as usize..(slot + len) as usize];
                env.funcs.leaves[leaf as usize].run(phase, state, env.cx)
            }
            Site::Boxed { leaf, side } => {
                env.funcs.boxed[leaf as usize].run(phase, &mut env.side[side as usize], env.cx)
            }
        }
    }

    fn deadline(&mut self, spec: u32) -> Deadline {
        let cx = &mut *self.env.cx;
        let ns = match self.env.prog.waits[spec as usize] {
            WaitSpec::Fixed(ns) => ns,
            WaitSpec::Range(a, b) => a + cx.rng().below(b - a + 1),
            WaitSpec::Computed(f) => self.env.funcs.ints[f as usize](cx.at()).max(0) as u64,
        };
        Deadline::after(cx.now(), ns.min(crate::time::MAX_DURATION - 1))
    }

    /// Counts one more.
    fn bump(&mut self, c: Counter) -> u32 {
        let n = get(self.env.mem, c.slot, c.width) + 1;
        put(self.env.mem, c.slot, c.width, n);
        n
    }

    /// Whether the rounds of this tick are used up.
    fn spent(&mut self, budget: Option<Counter>) -> bool {
        let Some(c) = budget else { return true };
        let left = get(self.env.mem, c.slot, c.width).saturating_sub(1);
        put(self.env.mem, c.slot, c.width, left);
        left == 0
    }

    fn pick(&mut self, p: &PickSpec) -> Pc {
        let visited = |mem: &[u8], i: u32| mem[(p.slot + i / 8) as usize] >> (i % 8) & 1 != 0;
        let mem = &mut *self.env.mem;
        let left = (0..p.children).filter(|&i| !visited(mem, i)).count() as u64;
        if left == 0 {
            return p.end;
        }
        let rng = self.env.cx.rng();
        let nth = |mem: &[u8], n: u64| {
            (0..p.children)
                .filter(|&i| !visited(mem, i))
                .nth(n as usize)
        };
        let child = if p.weights.is_empty() {
            nth(mem, rng.below(left))
        } else {
            let weights = (0..p.children).map(|i| {
                if visited(mem, i) {
                    0.0
                } else {
                    p.weights[i as usize]
                }
            });
            rng.weighted(weights)
                .map(|i| i as u32)
                .or_else(|| nth(mem, 0))
        };
        let child = child.unwrap_or(0);
        mem[(p.slot + child / 8) as usize] |= 1 << (child % 8);
        self.env.prog.tables[(p.table + child) as usize]
    }

    fn utility(&mut self, utility: u32, old: Yield) -> Pc {
        let u = &self.env.prog.utilities[utility as usize];
        let (now, funcs) = (self.env.cx.now(), self.env.funcs);
        let current = if u.options.reactive {
            u.ranges.iter().position(|(lo, hi)| *lo <= old && old < *hi)
        } else {
            None
        };
        let dwelling = current.is_some()
            && u.dwell
                .is_some_and(|slot| !get_deadline(self.env.mem, slot).passed(now));
        let mut rng = *self.env.cx.rng();
        let at = self.env.cx.at();
        let chosen = u.options.choose(
            u.funcs.len(),
            |i| funcs.nums[u.funcs[i] as usize](at),
            current.map(|c| (c, dwelling)),
            || rng.unit(),
        );
        *self.env.cx.rng() = rng;
        match chosen {
            None => u.none,
            Some(i) => {
                if let Some(slot) = u.dwell
                    && current != Some(i)
                {
                    put_deadline(
                        self.env.mem,
                        slot,
                        Deadline::after(now, u.options.min_dwell),
                    );
                }
                u.targets[i]
            }
        }
    }
}
