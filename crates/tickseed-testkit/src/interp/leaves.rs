//! Leaves: actions, leaves with state, waits.

use tickseed_core::interpret::Phase;
use tickseed_core::nodes::{WaitFor, WaitUntil};
use tickseed_core::{Context, LeafError, NodeId, Outcome, Status};

use super::{Fault, Run};

impl<C: Context> Run<'_, '_, '_, '_, C> {
    pub(super) fn action(
        &mut self,
        id: NodeId,
        instant: bool,
        may_skip: bool,
    ) -> Result<Status, Fault> {
        let outcome = self.functions(id).act(&mut self.cx());
        self.answer(id, outcome, instant, may_skip)
    }

    pub(super) fn leaf(
        &mut self,
        id: NodeId,
        fresh: bool,
        boxed: bool,
        may_skip: bool,
    ) -> Result<Status, Fault> {
        let phase = if fresh { Phase::Start } else { Phase::Tick };
        let functions = self.functions(id);
        // The state is taken out for the call, since the leaf also borrows the context.
        let outcome = if boxed {
            let mut side = self.state(id).side.take();
            let outcome = functions.boxed().run(phase, &mut side, &mut self.cx());
            self.state(id).side = side;
            outcome
        } else {
            let mut bytes = core::mem::take(&mut self.state(id).bytes);
            let outcome = functions.leaf().run(phase, &mut bytes, &mut self.cx());
            self.state(id).bytes = bytes;
            outcome
        };
        self.answer(id, outcome, false, may_skip)
    }

    /// What a leaf answered, if it is allowed to answer that; otherwise an error. An error does not
    /// end the activation: `recover` will halt the leaf, even one whose error was a forbidden
    /// answer.
    fn answer(
        &self,
        id: NodeId,
        outcome: Outcome,
        instant: bool,
        may_skip: bool,
    ) -> Result<Status, Fault> {
        let error = match outcome {
            Ok(Status::Skipped) if !may_skip => {
                LeafError::new("answered Skipped without having declared it")
            }
            Ok(Status::Running) if instant => LeafError::new("an instant action answered Running"),
            Ok(status) => return Ok(status),
            Err(error) => error,
        };
        Err(Fault { node: id, error })
    }

    pub(super) fn halt_leaf(&mut self, id: NodeId, boxed: bool) {
        let functions = self.functions(id);
        if boxed {
            let mut side = self.state(id).side.take();
            functions.boxed().halt(&mut side, &mut self.cx());
        } else {
            let mut bytes = core::mem::take(&mut self.state(id).bytes);
            functions.leaf().halt(&mut bytes, &mut self.cx());
            self.state(id).bytes = bytes;
        }
    }

    /// How long a wait or delay takes, determined when its activation starts.
    pub(super) fn settle_duration(&mut self, id: NodeId, duration: WaitFor) -> u64 {
        match duration {
            WaitFor::Fixed(ns) => ns,
            WaitFor::Range(least, most) => least + self.rng.below(most - least + 1),
            WaitFor::Computed => self.computed_duration(id),
        }
    }

    pub(super) fn wait(&mut self, id: NodeId, fresh: bool, duration: WaitFor) -> Status {
        if fresh {
            let duration = self.settle_duration(id, duration);
            self.state(id).until = self.after(duration);
        }
        let now = self.now;
        if self.state(id).until.passed(now) {
            Status::Success
        } else {
            Status::Running
        }
    }

    pub(super) fn wait_until(&mut self, id: NodeId, fresh: bool, options: &WaitUntil) -> Status {
        if fresh && let Some(limit) = options.limit {
            self.state(id).until = self.after(limit);
        }
        let now = self.now;
        // The guard is evaluated before the clock: if it becomes true on the last tick, it is in
        // time.
        if self.judge(id, &options.guard) {
            Status::Success
        } else if options.limit.is_some() && self.state(id).until.passed(now) {
            options.on_timeout
        } else {
            Status::Running
        }
    }
}
