//! Parallel.
//!
//! A child's answer counts until its next one: its verdict, or nothing while it runs or was
//! skipped. A restarting child that runs again therefore has no verdict until it finishes.

use tickseed_core::nodes::{Decide, Finished, Leftover, Parallel, Threshold, Tie};
use tickseed_core::{Context, NodeId, Status};

use super::{Fault, Run};

/// The answers of a parallel's children, counted.
struct Count {
    children: usize,
    successes: usize,
    failures: usize,
    /// Skipped in this tick.
    skipped: usize,
}

impl Count {
    /// Children that run or were not ticked yet.
    fn open(&self) -> usize {
        self.children - self.successes - self.failures - self.skipped
    }

    /// How many it takes: all that are not known to be skipped, but at least one.
    fn needed(&self, threshold: Threshold) -> usize {
        match threshold {
            Threshold::All => (self.children - self.skipped).max(1),
            Threshold::Count(n) => n as usize,
        }
    }

    /// What the answers so far decide.
    fn decide(&self, options: &Parallel) -> Option<Status> {
        let failed = self.failures >= self.needed(options.failure);
        let succeeded = self.successes >= self.needed(options.success);
        let out_of_reach = self.successes + self.open() < self.needed(options.success);
        match (failed, succeeded, options.tie) {
            (true, true, Tie::Failure) | (true, false, _) => Some(Status::Failure),
            (true, true, Tie::Success) | (false, true, _) => Some(Status::Success),
            (false, false, _) if self.skipped == self.children => Some(Status::Skipped),
            (false, false, _) if self.open() == 0 => Some(Status::Failure),
            (false, false, _) if options.decide == Decide::AsSoonAsKnown && out_of_reach => {
                Some(Status::Failure)
            }
            (false, false, _) => None,
        }
    }
}

impl<C: Context> Run<'_, '_, '_, '_, C> {
    pub(super) fn parallel(&mut self, id: NodeId, options: &Parallel) -> Result<Status, Fault> {
        let mut skipped = 0;
        for (i, &child) in self.node(id).children.iter().enumerate() {
            let runs = self.state(child).active;
            let rests = match self.state(id).decided {
                // Known already: running children are awaited, none is started any more.
                Some(_) => !runs,
                None => {
                    options.finished == Finished::Latch && self.state(id).verdicts[i].is_some()
                }
            };
            if !rests {
                let status = self.tick_thread(child)?;
                if self.state(id).decided.is_some() {
                    continue;
                }
                self.state(id).verdicts[i] = Some(status).filter(|s| s.is_verdict());
                skipped += usize::from(status == Status::Skipped);
            }
            let last = i + 1 == self.node(id).children.len();
            if self.state(id).decided.is_none() && (last || options.decide == Decide::AsSoonAsKnown)
            {
                self.state(id).decided = self.count(id, skipped).decide(options);
                if let Some(verdict) = self.state(id).decided
                    && options.leftover == Leftover::Halt
                {
                    // The frame around every rule halts what still runs.
                    return Ok(verdict);
                }
            }
        }
        let decided = self.state(id).decided;
        match decided {
            Some(verdict) if self.running_thread(id).is_none() => Ok(verdict),
            _ => Ok(Status::Running),
        }
    }

    fn count(&mut self, id: NodeId, skipped: usize) -> Count {
        let verdicts = &self.state(id).verdicts;
        let of = |s| verdicts.iter().filter(|v| **v == Some(s)).count();
        Count {
            children: verdicts.len(),
            successes: of(Status::Success),
            failures: of(Status::Failure),
            skipped,
        }
    }

    /// The first running child.
    fn running_thread(&self, id: NodeId) -> Option<usize> {
        let mut children = self.node(id).children.iter();
        children.position(|c| self.states[c.0 as usize].active)
    }

    /// The child that decided the answer: of those with that verdict, in child order, the one
    /// that reached the threshold, or the last if it takes all or failed short of it. While
    /// the parallel runs, its first running child is named.
    pub(super) fn deciding_thread(
        &mut self,
        id: NodeId,
        options: &Parallel,
        status: Status,
    ) -> Option<usize> {
        let threshold = match status {
            Status::Running => return self.running_thread(id),
            Status::Skipped => return None,
            Status::Success => options.success,
            Status::Failure => options.failure,
        };
        let verdicts = &self.state(id).verdicts;
        let mut alike = (0..verdicts.len()).filter(|&i| verdicts[i] == Some(status));
        match threshold {
            Threshold::Count(n) => alike.clone().nth(n as usize - 1).or_else(|| alike.last()),
            Threshold::All => alike.next_back(),
        }
    }
}
