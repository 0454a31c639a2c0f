//! **W2, wide**: many cheap conditions, no state at all. 61 nodes.
//!
//! ```text
//! selector
//!   sequence            (ten of these, see `wide_branches`)
//!     condition a
//!     condition b
//!     invert
//!       condition c
//!     action run branch
//!   …
//! ```
//!
//! - Each input draws `alarm`, `range` and `load` evenly from 0..256.
//! - Nothing ever runs on, so every tick goes from the selector's first branch to the first whose
//!   conditions hold (usually the seventh), and ends there; when no branch applies the tree fails.
//! - All thirty conditions compare one of the three values with a constant.

use crate::{World, Xorshift};

/// The number of branches.
pub const BRANCHES: usize = 10;

/// Hands the branches to the macro named, all at once, as
/// `(index: a-field op constant, b-field op constant, c-field op constant)…`.
///
/// One table for all engines: closures, guards as data and the hand-written chain of `if` are made from
/// the same tokens, so that no engine can have a constant of its own.
#[macro_export]
#[doc(hidden)]
macro_rules! wide_branches {
    ($each:ident) => {
        $each! {
            (0: alarm > 252, range < 200, load > 60)
            (1: range < 250, alarm > 253, load < 100)
            (2: range <= 253, load < 252, alarm < 250)
            (3: load > 254, alarm < 128, range > 99)
            (4: load < 250, range > 253, alarm >= 128)
            (5: alarm <= 253, load >= 2, range < 251)
            (6: range >= 1, alarm < 252, load > 252)
            (7: alarm >= 252, range <= 100, load < 5)
            (8: load >= 253, range > 128, alarm > 200)
            (9: alarm < 255, range < 64, load <= 1)
        }
    };
}
pub use wide_branches;

/// The three values that are compared; plain data, for engines that read them by offset.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Facts {
    /// The first of the values.
    pub alarm: i32,
    /// The second of the values.
    pub range: i32,
    /// The third of the values.
    pub load: i32,
}

/// What the conditions see, and which branches ran.
#[derive(Clone, Debug)]
pub struct Wide {
    input: Xorshift,
    /// The present input.
    pub facts: Facts,
    /// Counter of each branch's action.
    pub ran: [u64; BRANCHES],
}

impl World for Wide {
    const NAME: &'static str = "w2";
    const TITLE: &'static str = "W2 wide";
    const NODES: usize = 61;

    fn new() -> Self {
        Self {
            input: Xorshift::new(0x5eed_0002),
            facts: Facts::default(),
            ran: [0; BRANCHES],
        }
    }

    #[inline]
    fn step_time(&mut self) {}

    #[inline]
    fn next_input(&mut self) {
        let [alarm, range, load, _] = self.input.draw().to_le_bytes();
        self.facts = Facts {
            alarm: i32::from(alarm),
            range: i32::from(range),
            load: i32::from(load),
        };
    }

    fn counters(&self) -> Vec<u64> {
        self.ran.to_vec()
    }
}
