//! **W3, deep**: a long action under a deep path. 29 nodes.
//!
//! ```text
//! sequence                      level 1
//!   action enter
//!   condition powered
//!   sequence                    level 2 … level 7 is innermost
//!     …
//!       action enter
//!       condition powered
//!       action work             in level 7 only, where the others have the next sequence
//!       action leave
//!   action leave
//! ```
//!
//! - `work` returns running for exactly 100 ticks, that of its start included, and succeeds in the 101st;
//!   at each of the 101 it adds the input's `effort` to its counter. How far it has got is the agent's.
//! - The sequences remember: while `work` runs, only it and the seven sequences above it are visited.
//!   An engine that visits fewer nodes to reach it is welcome to.
//! - In the 101st tick the seven `leave` actions follow from the inside out and the tree succeeds; the next
//!   tick starts it afresh. `powered` always holds, but is read from memory.
//! - Each input draws `effort` evenly from 0..256.

use crate::{World, Xorshift};

/// The number of nested sequences.
pub const LEVELS: usize = 7;
/// For how many ticks `work` returns running.
pub const WORK_TICKS: u32 = 100;

/// What the agents work with, and what they got done.
#[derive(Clone, Debug)]
pub struct Deep {
    input: Xorshift,
    /// The condition of every level.
    pub powered: bool,
    /// What a tick of `work` contributes.
    pub effort: u32,
    /// Counter of all *enter* actions.
    pub entered: u64,
    /// Sum of the efforts.
    pub worked: u64,
    /// Counter of all *leave* actions.
    pub left: u64,
}

impl World for Deep {
    const NAME: &'static str = "w3";
    const TITLE: &'static str = "W3 deep";
    const NODES: usize = 29;

    fn new() -> Self {
        Self {
            input: Xorshift::new(0x5eed_0003),
            // Not to be known to the optimiser, or it would leave the condition out.
            powered: std::hint::black_box(true),
            effort: 0,
            entered: 0,
            worked: 0,
            left: 0,
        }
    }

    #[inline]
    fn step_time(&mut self) {}

    #[inline]
    fn next_input(&mut self) {
        self.effort = self.input.draw() >> 24;
    }

    fn counters(&self) -> Vec<u64> {
        vec![self.entered, self.worked, self.left]
    }
}
