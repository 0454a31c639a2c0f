//! One tick of a parallel: the rule of [`nodes::Parallel`](crate::nodes::Parallel).

use super::{Env, Failed};
use crate::compile::ParSpec;
use crate::context::Context;
use crate::nodes::{Decide, Finished, Leftover, Threshold, Tie};
use crate::status::Status;

/// What a child's two bits say.
const OPEN: u8 = 0;
const SUCCEEDED: u8 = 1;
const FAILED: u8 = 2;
/// Within a tick only: the child was skipped.
const SKIPPED: u8 = 3;

/// How many children have each state. Updated during a tick, since counting anew after each child
/// would take time quadratic in their number.
struct Counts([u32; 4]);

impl Counts {
    fn change(&mut self, from: u8, to: u8) {
        self.0[usize::from(from)] -= 1;
        self.0[usize::from(to)] += 1;
    }
}

impl<C: Context> Env<'_, '_, '_, C> {
    fn latch(&self, p: &ParSpec, child: u32) -> u8 {
        self.mem[(p.latches + child / 4) as usize] >> (2 * (child % 4)) & 3
    }

    fn set_latch(&mut self, p: &ParSpec, child: u32, value: u8) {
        let byte = &mut self.mem[(p.latches + child / 4) as usize];
        let shift = 2 * (child % 4);
        *byte = *byte & !(3 << shift) | value << shift;
    }

    /// Begins an activation.
    pub(crate) fn par_start(&mut self, p: &ParSpec) {
        let bytes = p.children.div_ceil(4) + u32::from(p.verdict.is_some());
        self.mem[p.latches as usize..(p.latches + bytes) as usize].fill(0);
        for child in 0..p.children {
            self.set_resume_point(p.first + child, crate::compile::IDLE);
        }
    }

    /// One tick; when the node finishes, halts the leftover children.
    pub(crate) fn par_tick(&mut self, p: &ParSpec) -> Result<Status, Failed> {
        let status = self.par_decide(p)?;
        if self.beside.trace().is_some() {
            self.par_mark(p, status);
        }
        if status != Status::Running {
            for child in 0..p.children {
                self.halt_thread(p.first + child);
            }
        }
        Ok(status)
    }

    fn par_decide(&mut self, p: &ParSpec) -> Result<Status, Failed> {
        let options = &p.options;
        if let Some(at) = p.verdict
            && let verdict @ (SUCCEEDED | FAILED) = self.mem[at as usize]
        {
            return self.par_await(p, verdict);
        }
        let mut counts = Counts([0; 4]);
        for child in 0..p.children {
            counts.0[usize::from(self.latch(p, child))] += 1;
        }
        for child in 0..p.children {
            let was = self.latch(p, child);
            if matches!(was, SUCCEEDED | FAILED) && options.finished == Finished::Latch {
                continue;
            }
            let bits = match self.thread(p.first + child)? {
                Status::Running => OPEN,
                Status::Success => SUCCEEDED,
                Status::Failure => FAILED,
                Status::Skipped => SKIPPED,
            };
            self.set_latch(p, child, bits);
            counts.change(was, bits);
            if options.decide == Decide::AsSoonAsKnown
                && let Some(verdict) = par_verdict(p, &counts)
            {
                self.forget_skips(p, &counts);
                return self.par_end(p, verdict);
            }
        }
        let verdict = par_verdict(p, &counts);
        let all_skipped = counts.0[usize::from(SKIPPED)] == p.children;
        let any_open = counts.0[usize::from(OPEN)] > 0;
        self.forget_skips(p, &counts);
        match verdict {
            Some(v) => self.par_end(p, v),
            None if all_skipped => Ok(Status::Skipped),
            None if any_open => Ok(Status::Running),
            // All children have finished and neither threshold was reached.
            None => self.par_end(p, FAILED),
        }
    }

    /// A skipped child is asked again next tick.
    fn forget_skips(&mut self, p: &ParSpec, counts: &Counts) {
        if counts.0[usize::from(SKIPPED)] == 0 {
            return;
        }
        for child in 0..p.children {
            if self.latch(p, child) == SKIPPED {
                self.set_latch(p, child, OPEN);
            }
        }
    }

    /// The verdict is known: ends, or waits for children that are still running.
    fn par_end(&mut self, p: &ParSpec, verdict: u8) -> Result<Status, Failed> {
        if let (Some(at), Leftover::Await) = (p.verdict, p.options.leftover)
            && self.any_runs(p)
        {
            self.mem[at as usize] = verdict;
            return Ok(Status::Running);
        }
        Ok(verdict_status(verdict))
    }

    fn any_runs(&self, p: &ParSpec) -> bool {
        (0..p.children).any(|c| self.resume_point(p.first + c) != crate::compile::IDLE)
    }

    fn par_await(&mut self, p: &ParSpec, verdict: u8) -> Result<Status, Failed> {
        for child in 0..p.children {
            if self.resume_point(p.first + child) != crate::compile::IDLE {
                self.thread(p.first + child)?;
            }
        }
        Ok(if self.any_runs(p) {
            Status::Running
        } else {
            verdict_status(verdict)
        })
    }

    /// Tells the trace which child decided.
    fn par_mark(&mut self, p: &ParSpec, status: Status) {
        let node = |c: u32| self.prog().child_nodes[(p.nodes + c) as usize];
        let nth = |bits: u8, t: Threshold| {
            let mut those = (0..p.children).filter(|&c| self.latch(p, c) == bits);
            match t {
                Threshold::Count(n) => those
                    .clone()
                    .nth(n as usize - 1)
                    .or_else(|| those.next_back()),
                Threshold::All => those.next_back(),
            }
        };
        let child = match status {
            Status::Success => nth(SUCCEEDED, p.options.success),
            Status::Failure => nth(FAILED, p.options.failure),
            Status::Running => {
                (0..p.children).find(|&c| self.resume_point(p.first + c) != crate::compile::IDLE)
            }
            Status::Skipped => None,
        };
        if let Some(c) = child {
            // The parallel's own node is its children's parent.
            let (child, parent) = (node(c), self.prog().parents[node(c).index()]);
            self.mark_decided(crate::def::NodeId(parent), child);
        }
    }
}

/// The verdict, if it is known.
fn par_verdict(p: &ParSpec, counts: &Counts) -> Option<u8> {
    let options = &p.options;
    let [_, succeeded, failed, skipped] = counts.0;
    let there = p.children - skipped;
    let need = |t: Threshold| match t {
        Threshold::All => there.max(1),
        Threshold::Count(n) => n,
    };
    let success = succeeded >= need(options.success);
    let failure = failed >= need(options.failure);
    match (success, failure) {
        (true, true) => Some(if options.tie == Tie::Success {
            SUCCEEDED
        } else {
            FAILED
        }),
        (true, false) => Some(SUCCEEDED),
        (false, true) => Some(FAILED),
        (false, false) => {
            // Only failures count against success: a skipped child is asked again.
            let hopeless = match options.success {
                Threshold::All => failed > 0,
                Threshold::Count(n) => p.children - failed < n,
            };
            (options.decide == Decide::AsSoonAsKnown
                && hopeless
                && options.finished == Finished::Latch)
                .then_some(FAILED)
        }
    }
}

fn verdict_status(verdict: u8) -> Status {
    if verdict == SUCCEEDED {
        Status::Success
    } else {
        Status::Failure
    }
}
