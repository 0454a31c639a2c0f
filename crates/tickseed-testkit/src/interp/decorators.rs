//! Nodes with one child. Invert, uninterruptible and hold are one line each in `Run::rule`.

use tickseed_core::nodes::{
    Closed, Gate, Hook, LimitRuns, Loop, RunOnce, StartOn, TimeLimit, WaitFor,
};
use tickseed_core::{Context, End, Expr, History, NodeId, Status};

use super::branch::rounds_in_a_tick;
use super::state::State;
use super::{Fault, Run};

impl<C: Context> Run<'_, '_, '_, '_, C> {
    pub(super) fn force(&mut self, id: NodeId, forced: Status) -> Result<Status, Fault> {
        let status = self.tick_only_child(id)?;
        Ok(if status.is_verdict() { forced } else { status })
    }

    pub(super) fn looping(&mut self, id: NodeId, options: &Loop) -> Result<Status, Fault> {
        for _ in 0..rounds_in_a_tick(options.pace) {
            let status = self.tick_only_child(id)?;
            if !status.is_verdict() {
                return Ok(status);
            }
            if !options.again.after(status) {
                return Ok(options.stopped.unwrap_or(status));
            }
            // Without a limit, the count decides nothing and must not overflow.
            self.state(id).round = self.state(id).round.saturating_add(1);
            if Some(self.state(id).round) == options.limit {
                return Ok(options.at_limit);
            }
        }
        Ok(Status::Running)
    }

    pub(super) fn gate(
        &mut self,
        id: NodeId,
        fresh: bool,
        options: &Gate,
    ) -> Result<Status, Fault> {
        if fresh && let Some(History::Gate { until, verdict }) = self.state(id).history {
            let closed = until.is_set() && !until.passed(self.now);
            if closed {
                return Ok(match options.closed {
                    Closed::Failure => Status::Failure,
                    Closed::Skipped => Status::Skipped,
                    Closed::Replay => verdict.unwrap_or(Status::Failure),
                });
            }
        }
        let status = self.tick_only_child(id)?;
        let closes = match options.start_on {
            StartOn::Success => status == Status::Success,
            StartOn::Verdict => status.is_verdict(),
        };
        if closes {
            self.state(id).history = Some(History::Gate {
                until: self.after(options.interval),
                verdict: Some(status).filter(|_| options.closed == Closed::Replay),
            });
        }
        Ok(status)
    }

    pub(super) fn time_limit(
        &mut self,
        id: NodeId,
        fresh: bool,
        options: &TimeLimit,
    ) -> Result<Status, Fault> {
        let now = self.now;
        if fresh {
            self.state(id).until = self.after(options.limit);
        } else if self.state(id).until.passed(now) {
            self.halt_children(id);
            return Ok(options.on_timeout);
        }
        self.tick_only_child(id)
    }

    pub(super) fn delay(
        &mut self,
        id: NodeId,
        fresh: bool,
        duration: WaitFor,
    ) -> Result<Status, Fault> {
        if fresh {
            let duration = self.settle_duration(id, duration);
            self.state(id).until = self.after(duration);
        }
        let now = self.now;
        let state = self.state(id);
        state.waited |= state.until.passed(now);
        if state.waited {
            self.tick_only_child(id)
        } else {
            Ok(Status::Running)
        }
    }

    pub(super) fn chance(
        &mut self,
        id: NodeId,
        fresh: bool,
        p: f64,
        otherwise: Status,
    ) -> Result<Status, Fault> {
        if fresh && self.rng.unit() >= p {
            return Ok(otherwise);
        }
        self.tick_only_child(id)
    }

    pub(super) fn run_once(
        &mut self,
        id: NodeId,
        fresh: bool,
        options: RunOnce,
    ) -> Result<Status, Fault> {
        if fresh && let Some(History::Once(Some(verdict))) = self.state(id).history {
            return Ok(match options {
                RunOnce::Replay => verdict,
                RunOnce::Answer(status) => status,
            });
        }
        let status = self.tick_only_child(id)?;
        if status.is_verdict() {
            self.state(id).history = Some(History::Once(Some(status)));
        }
        Ok(status)
    }

    pub(super) fn limit_runs(
        &mut self,
        id: NodeId,
        fresh: bool,
        options: LimitRuns,
    ) -> Result<Status, Fault> {
        if fresh && let Some(History::Runs(started)) = self.state(id).history {
            if started >= options.limit {
                return Ok(options.otherwise);
            }
            self.state(id).history = Some(History::Runs(started + 1));
        }
        self.tick_only_child(id)
    }

    /// On a fresh entry everything below is idle, so there is only history to forget.
    pub(super) fn forget(&mut self, id: NodeId, fresh: bool) -> Result<Status, Fault> {
        if fresh {
            for below in (id.0 + 1..self.node(id).end.0).map(NodeId) {
                let new = State::new(self.node(below), &self.functions(below));
                self.state(below).history = new.history;
            }
        }
        self.tick_only_child(id)
    }

    pub(super) fn hook(&mut self, id: NodeId, hook: Hook) -> Result<Status, Fault> {
        let status = self.tick_only_child(id)?;
        if status != Status::Running && hook.on_complete() {
            let functions = self.functions(id);
            functions.end(0, &mut self.cx(), End::Finished(status));
        }
        Ok(status)
    }

    pub(super) fn while_guard(
        &mut self,
        id: NodeId,
        guard: &Expr,
        otherwise: Status,
    ) -> Result<Status, Fault> {
        if !self.judge(id, guard) {
            self.halt_children(id);
            return Ok(otherwise);
        }
        self.tick_only_child(id)
    }

    pub(super) fn precondition(
        &mut self,
        id: NodeId,
        fresh: bool,
        guard: &Expr,
        then: Status,
    ) -> Result<Status, Fault> {
        if fresh && self.judge(id, guard) {
            return Ok(then);
        }
        self.tick_only_child(id)
    }

    pub(super) fn catch(&mut self, id: NodeId) -> Result<Status, Fault> {
        let status = self.tick_only_child(id)?;
        if status != Status::Failure {
            return Ok(status);
        }
        let functions = self.functions(id);
        Ok(match functions.verdict(&mut self.cx()) {
            Status::Success => Status::Success,
            _ => Status::Failure,
        })
    }
}
