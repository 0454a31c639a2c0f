//! Sequence and selector. They differ in the verdict that leads to the next child: success in a
//! sequence, failure in a selector.

use tickseed_core::nodes::Flow;
use tickseed_core::{Context, History, NodeId, Status};

use super::{Fault, Run};

impl<C: Context> Run<'_, '_, '_, '_, C> {
    pub(super) fn flow(
        &mut self,
        id: NodeId,
        fresh: bool,
        flow: &Flow,
        go_on: Status,
    ) -> Result<Status, Fault> {
        match flow {
            Flow::Memory => {
                let first = self.state(id).current.unwrap_or(0);
                self.in_order(id, first, go_on)
            }
            Flow::Reactive { .. } => {
                // All children are asked anew each tick, so whether all were skipped is decided
                // anew as well.
                self.state(id).asked = false;
                let held = self.held_child(id);
                let first = self.node(id).children.iter().position(|c| Some(*c) == held);
                self.in_order(id, first.unwrap_or(0), go_on)
            }
            Flow::KeepPlace => self.keeping_place(id, fresh, go_on),
            Flow::Random { weights } => self.in_random_order(id, weights, go_on),
        }
    }

    /// Ticks children in order from `first`, up to the first answer that stops the flow.
    fn in_order(&mut self, id: NodeId, first: usize, go_on: Status) -> Result<Status, Fault> {
        for i in first..self.node(id).children.len() {
            let child = self.child(id, i);
            self.state(id).current = Some(i);
            let status = self.tick_chosen(id, child)?;
            if self.stops(id, status, go_on) {
                // Only in a reactive flow can another child be running.
                self.halt_others(id, child);
                return Ok(status);
            }
        }
        Ok(self.past_the_last(id, go_on))
    }

    /// Like a memory flow, but the place is kept in the history.
    fn keeping_place(&mut self, id: NodeId, fresh: bool, go_on: Status) -> Result<Status, Fault> {
        let first = match (fresh, &self.state(id).history) {
            (true, Some(History::Place(place))) => *place as usize,
            _ => self.state(id).current.unwrap_or(0),
        };
        for i in first..self.node(id).children.len() {
            self.state(id).current = Some(i);
            self.state(id).history = Some(History::Place(i as u32));
            let status = self.tick(self.child(id, i))?;
            if self.stops(id, status, go_on) {
                return Ok(status);
            }
        }
        self.state(id).history = Some(History::Place(0));
        Ok(self.past_the_last(id, go_on))
    }

    fn in_random_order(
        &mut self,
        id: NodeId,
        weights: &[f64],
        go_on: Status,
    ) -> Result<Status, Fault> {
        loop {
            let i = match self.state(id).current {
                Some(running) => running,
                None => match self.draw_unvisited(id, weights) {
                    Some(next) => next,
                    None => return Ok(self.past_the_last(id, go_on)),
                },
            };
            self.state(id).visited[i] = true;
            self.state(id).current = Some(i);
            let status = self.tick(self.child(id, i))?;
            if self.stops(id, status, go_on) {
                return Ok(status);
            }
            self.state(id).current = None;
        }
    }

    /// Draws one of the children not visited in this activation; the draw is made even if only one
    /// is left. With weights, children of weight zero come last, in order.
    fn draw_unvisited(&mut self, id: NodeId, weights: &[f64]) -> Option<usize> {
        let visited = &self.states[id.0 as usize].visited;
        let unvisited = || (0..visited.len()).filter(|&i| !visited[i]);
        let left = unvisited().count();
        if left == 0 {
            return None;
        }
        if weights.is_empty() {
            let r = self.rng.below(left as u64);
            return unvisited().nth(r as usize);
        }
        let left = weights.iter().zip(visited);
        let left = left.map(|(w, visited)| if *visited { 0.0 } else { *w });
        self.rng.weighted(left).or_else(|| unvisited().next())
    }

    /// Whether a child's answer ends the flow's tick with that answer.
    fn stops(&mut self, id: NodeId, status: Status, go_on: Status) -> bool {
        self.state(id).asked |= status == go_on;
        status != go_on && status != Status::Skipped
    }

    fn past_the_last(&mut self, id: NodeId, go_on: Status) -> Status {
        if self.state(id).asked {
            go_on
        } else {
            Status::Skipped
        }
    }
}
