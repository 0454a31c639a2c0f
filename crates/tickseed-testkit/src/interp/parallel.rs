//! Parallel.
//!
//! A child's latest answer counts: a verdict, or nothing while the child runs or if it was skipped.
//! A restarted child therefore has no verdict until it finishes again.

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
    /// How many children are running or were not ticked yet.
    fn open(&self) -> usize {
        self.children - self.successes - self.failures - self.skipped
    }

    /// How many children a threshold requires; `All` means all that are not known to be skipped,
    /// but at least one.
    fn needed(&self, threshold: Threshold) -> usize {
        match threshold {
            Threshold::All => (self.children - self.skipped).max(1),
            Threshold::Count(n) => n as usize,
        }
    }

    /// What the answers decide: the threshold that was reached, or the tie rule if both were.
    fn reached(&self, options: &Parallel) -> Option<Status> {
        let failed = self.failures >= self.needed(options.failure);
        let succeeded = self.successes >= self.needed(options.success);
        match (failed, succeeded, options.tie) {
            (true, true, Tie::Failure) | (true, false, _) => Some(Status::Failure),
            (true, true, Tie::Success) | (false, true, _) => Some(Status::Success),
            (false, false, _) => None,
        }
    }

    /// Whether success is out of reach, now and in later ticks: too many children have failed for
    /// good. (A skipped child is asked again.)
    fn hopeless(&self, options: &Parallel) -> bool {
        let out_of_reach = match options.success {
            Threshold::All => self.failures > 0,
            Threshold::Count(n) => self.children - self.failures < n as usize,
        };
        options.finished == Finished::Latch && out_of_reach
    }
}

impl<C: Context> Run<'_, '_, '_, '_, C> {
    pub(super) fn parallel(&mut self, id: NodeId, options: &Parallel) -> Result<Status, Fault> {
        if let Some(verdict) = self.state(id).decided {
            return self.await_leftovers(id, verdict);
        }
        let mut skipped = 0;
        for (i, &child) in self.node(id).children.iter().enumerate() {
            if options.finished == Finished::Latch && self.state(id).verdicts[i].is_some() {
                continue;
            }
            let status = self.tick_thread(child)?;
            self.state(id).verdicts[i] = Some(status).filter(|s| s.is_verdict());
            skipped += usize::from(status == Status::Skipped);
            if options.decide == Decide::AsSoonAsKnown {
                let count = self.count(id, skipped);
                if let Some(verdict) = count.reached(options) {
                    return Ok(self.end(id, options, verdict));
                }
                if count.hopeless(options) {
                    return Ok(self.end(id, options, Status::Failure));
                }
            }
        }
        let count = self.count(id, skipped);
        match count.reached(options) {
            Some(verdict) => Ok(self.end(id, options, verdict)),
            None if count.skipped == count.children => Ok(Status::Skipped),
            None if count.open() > 0 => Ok(Status::Running),
            // All children have finished and neither threshold was reached.
            None => Ok(self.end(id, options, Status::Failure)),
        }
    }

    /// The verdict is known. Children that are still running are halted by `Run::tick`, as for
    /// every kind, or awaited from the next tick on.
    fn end(&mut self, id: NodeId, options: &Parallel, verdict: Status) -> Status {
        if options.leftover == Leftover::Await && self.running_thread(id).is_some() {
            self.state(id).decided = Some(verdict);
            return Status::Running;
        }
        verdict
    }

    /// Ticks the children that are still running, and no others, until none is.
    fn await_leftovers(&mut self, id: NodeId, verdict: Status) -> Result<Status, Fault> {
        for &child in &self.node(id).children {
            if self.state(child).active {
                self.tick_thread(child)?;
            }
        }
        Ok(match self.running_thread(id) {
            Some(_) => Status::Running,
            None => verdict,
        })
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

    /// The child that decided the answer: of the children with that verdict, in child order, the
    /// one that reached the threshold, or the last one if the threshold is all or was not reached.
    /// While the parallel runs, this is its first running child.
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
            Threshold::Count(n) => alike
                .clone()
                .nth(n as usize - 1)
                .or_else(|| alike.next_back()),
            Threshold::All => alike.next_back(),
        }
    }
}
