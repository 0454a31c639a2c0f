//! **W1, monster**: a small reactive tree that lives off its timers. 10 nodes.
//!
//! ```text
//! selector reactive
//!   sequence
//!     condition hp below 20
//!     cooldown 30 s
//!       action cast enrage
//!   sequence
//!     condition has target
//!     wait 500 ms
//!     action strike
//!   action idle
//! ```
//!
//! - One step of time is 100 ms; the first tick is at 100 ms.
//! - Each input draws `hp` evenly from 0..100 and `has_target` with probability 1/4. They are the
//!   world's, not the agent's: an agent sees what is drawn when its turn comes.
//! - The selector begins with its first child at every tick. If that succeeds while the second child
//!   waits, the second child is halted: the wait is forgotten, and the sequence starts again at
//!   `has target` at the next tick.
//! - The sequences remember: while the wait runs, `has target` is not asked again.
//! - The cooldown is open at first. When its child has succeeded at time *t* it is shut, that is, it fails
//!   without visiting its child, before *t* + 30 s; at exactly *t* + 30 s it is open. Halting does not touch it.
//! - The wait entered at time *t* runs before *t* + 500 ms; at exactly *t* + 500 ms it succeeds, and `strike`
//!   follows in the same tick. So a strike comes with the sixth tick of its sequence.

use crate::{World, Xorshift};

/// Length of a step of time, milliseconds.
pub const STEP_MS: u32 = 100;
/// The hit points, in percent, below which the monster enrages.
pub const LOW_HP: u32 = 20;
/// From one enrage to the next, milliseconds.
pub const ENRAGE_COOLDOWN_MS: u32 = 30_000;
/// From seeing a target to striking it, milliseconds.
pub const WIND_UP_MS: u32 = 500;

/// What the monster sees, and what it has done.
#[derive(Clone, Debug)]
pub struct Monster {
    input: Xorshift,
    /// Simulated time, milliseconds.
    pub now_ms: u32,
    /// Hit points, percent.
    pub hp: u32,
    /// Somebody is there to be struck.
    pub has_target: bool,
    /// Counter of the action *cast enrage*.
    pub enraged: u64,
    /// Counter of the action *strike*.
    pub struck: u64,
    /// Counter of the action *idle*.
    pub idled: u64,
}

impl World for Monster {
    const NAME: &'static str = "w1";
    const TITLE: &'static str = "W1 monster";
    const NODES: usize = 10;

    fn new() -> Self {
        Self {
            input: Xorshift::new(0x5eed_0001),
            now_ms: 0,
            hp: 100,
            has_target: false,
            enraged: 0,
            struck: 0,
            idled: 0,
        }
    }

    #[inline]
    fn step_time(&mut self) {
        self.now_ms += STEP_MS;
    }

    #[inline]
    fn next_input(&mut self) {
        let draw = self.input.draw();
        self.hp = ((draw >> 16) * 100) >> 16;
        self.has_target = draw & 3 == 0;
    }

    fn counters(&self) -> Vec<u64> {
        vec![self.enraged, self.struck, self.idled]
    }
}
