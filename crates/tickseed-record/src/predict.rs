//! Predicts what a node will do from its children's answers in this tick.
//!
//! A prediction need not be right: the writer of a tick makes the same one and records where it was
//! wrong. It is nearly always right, which keeps recordings small. It uses only one tick, so that
//! every tick can be read by itself.

use crate::message::{Rule, Status, Step};
use crate::structure::Place;

/// A node with children that is being ticked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) node: u32,
    /// The first child that was ticked, and the latest.
    first: u32,
    nth: u32,
    last: Status,
    answers: u32,
    successes: u32,
    failures: u32,
    running: u32,
    skipped: u32,
}

impl Frame {
    pub(crate) fn new(node: u32) -> Frame {
        Frame {
            node,
            first: 0,
            nth: 0,
            last: Status::Skipped,
            answers: 0,
            successes: 0,
            failures: 0,
            running: 0,
            skipped: 0,
        }
    }

    /// A child answered.
    pub(crate) fn note(&mut self, nth: u32, status: Status) {
        if self.answers == 0 {
            self.first = nth;
        }
        self.nth = nth;
        self.last = status;
        self.answers += 1;
        match status {
            Status::Success => self.successes += 1,
            Status::Failure => self.failures += 1,
            Status::Running => self.running += 1,
            Status::Skipped => self.skipped += 1,
        }
    }

    /// What the node does next. `more` says that the next answer comes from below it.
    pub(crate) fn predict(&self, place: &Place, more: bool) -> Step {
        let answer = self.answer(place, more);
        match answer {
            Some(status) => Step::Answer(status),
            None if more => Step::GoOn,
            None => Step::Answer(self.at_the_end(place)),
        }
    }

    /// The answer that follows from the child's latest one; `None` if the node would go on.
    fn answer(&self, place: &Place, more: bool) -> Option<Status> {
        let last = self.last;
        let children = place.children;
        match place.rule {
            Rule::InOrder(on) => {
                let goes_on = last == on || last == Status::Skipped;
                if !goes_on {
                    return Some(last);
                }
                (self.nth + 1 == children).then(|| self.passed(on))
            }
            Rule::AnyOrder(on) => {
                let goes_on = last == on || last == Status::Skipped;
                if !goes_on {
                    return Some(last);
                }
                (self.answers == children).then(|| self.passed(on))
            }
            Rule::Branch => match (self.nth, last) {
                (0, Status::Success) if children > 1 => None,
                (0, Status::Failure) if children > 2 => None,
                _ => Some(last),
            },
            Rule::Pass => Some(last),
            Rule::Invert => Some(match last {
                Status::Success => Status::Failure,
                Status::Failure => Status::Success,
                other => other,
            }),
            Rule::Force(forced) => Some(match last {
                Status::Success | Status::Failure => forced,
                other => other,
            }),
            Rule::Rounds {
                on_success,
                on_failure,
                stopped,
                drain,
            } => {
                let again = match last {
                    Status::Success => on_success,
                    Status::Failure => on_failure,
                    other => return Some(other),
                };
                if !again {
                    return Some(stopped.unwrap_or(last));
                }
                (!(drain && more)).then_some(Status::Running)
            }
            Rule::Parallel {
                success,
                failure,
                early,
            } => {
                let all = self.nth + 1 == children;
                if !(all || early) {
                    return None;
                }
                self.parallel(children, success, failure, all)
            }
            Rule::Leaf | Rule::Custom => (!more).then_some(last),
        }
    }

    /// A flow after its last child.
    fn passed(&self, on: Status) -> Status {
        // Children passed in earlier ticks most likely did not skip.
        if self.first > 0 || self.skipped < self.answers {
            on
        } else {
            Status::Skipped
        }
    }

    fn parallel(
        &self,
        children: u32,
        success: Option<u32>,
        failure: Option<u32>,
        all: bool,
    ) -> Option<Status> {
        // Children that finished earlier are not ticked; if one had failed, that would mostly have
        // been enough.
        let before = self.nth + 1 - self.answers.min(self.nth + 1);
        let successes = self.successes + before;
        let needed = |threshold: Option<u32>| {
            threshold.unwrap_or(children.saturating_sub(self.skipped).max(1))
        };
        if self.failures >= needed(failure) {
            Some(Status::Failure)
        } else if successes >= needed(success) {
            Some(Status::Success)
        } else if !all {
            None
        } else if self.skipped == children {
            Some(Status::Skipped)
        } else if self.running > 0 {
            Some(Status::Running)
        } else {
            Some(Status::Failure)
        }
    }

    /// The answer of a node that would have gone on but has nothing more to tick.
    fn at_the_end(&self, place: &Place) -> Status {
        match place.rule {
            Rule::InOrder(on) | Rule::AnyOrder(on) => self.passed(on),
            Rule::Parallel {
                success, failure, ..
            } => {
                // The children after the last one ticked had finished earlier.
                let mut ended = *self;
                ended.successes += place.children - 1 - self.nth;
                ended
                    .parallel(place.children, success, failure, true)
                    .unwrap_or(Status::Running)
            }
            _ => self.last,
        }
    }
}
