//! Recovery: when the main child fails, the recovery child runs and the main child is tried again.
//!
//! The main child is ticked; its success (or skip) is the node's. When it fails and retries are
//! left, the recovery child is ticked. If that succeeds (or is skipped), the main child is tried
//! again in the same tick; if it fails, the node fails. When the main child has failed `retries +
//! 1` times, the node fails without another recovery. Counts begin anew with each activation.
//!
//! It is written as a user could write it: see [`CustomNode`].

use crate::context::Context;
use crate::custom::{Branches, CustomNode, Stop};
use crate::node::{Node, Nodes};
use crate::status::Status;

/// The rule of [`Nodes::recovery`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recovery {
    /// How many times the main child is tried again.
    pub retries: u32,
}

impl<C: Context> CustomNode<C> for Recovery {
    /// The retries used, and whether the recovery child is at work.
    type State = [u32; 2];
    type Memory = ();

    fn name(&self) -> &'static str {
        "recovery"
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        [used, recovering]: &mut [u32; 2],
        (): &mut (),
    ) -> Result<Status, Stop> {
        loop {
            if *recovering == 0 {
                match branches.tick(0)? {
                    Status::Failure if *used < self.retries => *recovering = 1,
                    other => return Ok(other),
                }
            }
            match branches.tick(1)? {
                Status::Success | Status::Skipped => (*used, *recovering) = (*used + 1, 0),
                other => return Ok(other),
            }
        }
    }

    fn preempts(&self) -> bool {
        false
    }

    fn arity(&self) -> core::ops::RangeInclusive<usize> {
        2..=2
    }
}

impl<C: Context> Nodes<C> {
    /// Runs `main`; when it fails runs `help` and tries again, at most `retries` times.
    pub fn recovery(self, retries: u32, main: Node<C>, help: Node<C>) -> Node<C> {
        self.custom(Recovery { retries }, [main, help])
    }
}
