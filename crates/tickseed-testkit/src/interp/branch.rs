//! If-then-else, while-do-else, switch, utility selector, for-each.

use tickseed_core::nodes::{Pace, Switch, Utility};
use tickseed_core::{Context, NodeId, Status};

use super::{Fault, Run};

impl<C: Context> Run<'_, '_, '_, '_, C> {
    pub(super) fn if_then_else(&mut self, id: NodeId, fresh: bool) -> Result<Status, Fault> {
        if fresh {
            self.state(id).current = Some(0);
        }
        if self.state(id).current == Some(0) {
            let branch = match self.tick(self.child(id, 0))? {
                Status::Success => 1,
                Status::Failure => 2,
                undecided => return Ok(undecided),
            };
            self.state(id).current = Some(branch);
        }
        match self.current_child(id) {
            Some(branch) => self.tick(branch),
            None => Ok(Status::Failure),
        }
    }

    pub(super) fn while_do_else(&mut self, id: NodeId) -> Result<Status, Fault> {
        let condition = self.child(id, 0);
        if let Some(held) = self.held_child(id)
            && held != condition
        {
            return self.tick_chosen(id, held);
        }
        let branch = match self.tick_chosen(id, condition)? {
            Status::Success => 1,
            Status::Failure => 2,
            undecided => {
                self.halt_others(id, condition);
                return Ok(undecided);
            }
        };
        self.choose(
            id,
            Some(branch).filter(|b| *b < self.node(id).children.len()),
        )
    }

    pub(super) fn switch(
        &mut self,
        id: NodeId,
        fresh: bool,
        options: &Switch,
    ) -> Result<Status, Fault> {
        if options.reactive {
            if let Some(held) = self.held_child(id) {
                return self.tick_chosen(id, held);
            }
            let chosen = self.ask_switch(id, options);
            return self.choose(id, chosen);
        }
        if fresh {
            self.state(id).current = self.ask_switch(id, options);
        }
        match self.current_child(id) {
            Some(child) => self.tick(child),
            None => Ok(Status::Failure),
        }
    }

    fn ask_switch(&mut self, id: NodeId, options: &Switch) -> Option<usize> {
        let number = self.functions(id).int(0, self.at);
        let children = self.node(id).children.len();
        match usize::try_from(number) {
            Ok(i) if i < children => Some(i),
            _ => options.default.then(|| children - 1),
        }
    }

    pub(super) fn utility(
        &mut self,
        id: NodeId,
        fresh: bool,
        options: &Utility,
    ) -> Result<Status, Fault> {
        if options.reactive {
            if let Some(held) = self.held_child(id) {
                return self.tick_chosen(id, held);
            }
            let now = self.now;
            let running = self.running_child(id);
            let dwelling = options.min_dwell > 0 && !self.state(id).until.passed(now);
            let current = running.map(|i| (i, dwelling));
            let chosen = self.ask_utility(id, options, current);
            if chosen.is_some() && chosen != running {
                self.state(id).until = self.after(options.min_dwell);
            }
            return self.choose(id, chosen);
        }
        if fresh {
            self.state(id).current = self.ask_utility(id, options, None);
        }
        match self.current_child(id) {
            Some(child) => self.tick(child),
            None => Ok(Status::Failure),
        }
    }

    fn ask_utility(
        &mut self,
        id: NodeId,
        options: &Utility,
        current: Option<(usize, bool)>,
    ) -> Option<usize> {
        let (functions, at, rng) = (self.functions(id), &*self.at, &mut *self.rng);
        let children = self.tree.node(id).children.len();
        options.choose(children, |i| functions.num(i, at), current, || rng.unit())
    }

    pub(super) fn for_each(
        &mut self,
        id: NodeId,
        fresh: bool,
        pace: Pace,
    ) -> Result<Status, Fault> {
        let child = self.child(id, 0);
        if fresh {
            let count = self.functions(id).int(0, self.at);
            self.state(id).count = u32::try_from(count.max(0)).unwrap_or(u32::MAX);
            if self.state(id).count == 0 {
                return Ok(Status::Success);
            }
        }
        for _ in 0..rounds_in_a_tick(pace) {
            if !self.state(child).active {
                let index = self.state(id).round;
                self.functions(id).index(1, &mut self.cx(), index);
            }
            match self.tick(child)? {
                Status::Success => self.state(id).asked = true,
                Status::Skipped => {}
                other => return Ok(other),
            }
            self.state(id).round += 1;
            if self.state(id).round == self.state(id).count {
                return Ok(if self.state(id).asked {
                    Status::Success
                } else {
                    Status::Skipped
                });
            }
        }
        Ok(Status::Running)
    }

    /// Ticks the chosen child, then halts any other running child. If none is chosen, fails.
    fn choose(&mut self, id: NodeId, chosen: Option<usize>) -> Result<Status, Fault> {
        let Some(index) = chosen else {
            self.halt_children(id);
            return Ok(Status::Failure);
        };
        let child = self.child(id, index);
        let status = self.tick_chosen(id, child)?;
        self.halt_others(id, child);
        Ok(status)
    }

    fn running_child(&self, id: NodeId) -> Option<usize> {
        let mut children = self.node(id).children.iter();
        children.position(|c| self.states[c.0 as usize].active)
    }

    /// The child that `current` names, if there is such a child.
    fn current_child(&mut self, id: NodeId) -> Option<NodeId> {
        let current = self.state(id).current?;
        self.node(id).children.get(current).copied()
    }
}

/// How many rounds may end in one tick.
pub(super) fn rounds_in_a_tick(pace: Pace) -> u32 {
    match pace {
        Pace::OnePerTick => 1,
        Pace::Drain(budget) => budget,
    }
}
