//! An agent: the state of one run of a tree.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::block::Block;
use crate::context::NEVER;
use crate::leaf::SideSlot;
use crate::rng::Rng;
use crate::run::{Beside, Faults};
use crate::time::Time;

/// The state of one run of a tree: a small block of plain bytes, a random stream, and the time of
/// the last tick. It is made by [`Tree::agent`](crate::Tree::agent) and works only with that tree.
///
/// Dropping an agent does not halt its leaves, since that needs the context: call
/// [`Tree::halt`](crate::Tree::halt) first if they hold anything.
pub struct Agent {
    pub(crate) mem: Block,
    pub(crate) own: Own,
    pub(crate) rng: Rng,
    /// [`NEVER`], or the time of the last tick.
    pub(crate) last: Time,
}

/// What an agent has besides its block.
pub(crate) struct Own {
    /// Few trees have leaves with boxed state.
    side: Option<Box<Sides>>,
    /// Faults that must be repaired before the next tick.
    pub(crate) faults: Faults,
}

/// Boxed states.
struct Sides(Vec<SideSlot>);

impl Own {
    fn new(tree: u32, sides: usize) -> Own {
        let side = || Box::new(Sides((0..sides).map(|_| None).collect()));
        Own {
            side: (sides > 0).then(side),
            faults: Faults::of(tree),
        }
    }
}

impl Beside for Own {
    fn side(&mut self) -> &mut [SideSlot] {
        self.side.as_mut().map_or(&mut [], |side| &mut side.0)
    }
    fn faults(&self) -> &Faults {
        &self.faults
    }
}

impl Agent {
    pub(crate) fn new(tree: u32, bytes: usize, sides: usize, seed: u64) -> Agent {
        Agent {
            mem: Block::new(bytes),
            own: Own::new(tree, sides),
            rng: Rng::new(seed),
            last: NEVER,
        }
    }

    /// The number of the tree to which the agent belongs.
    pub(crate) fn tree(&self) -> u32 {
        self.own.faults.owner()
    }

    /// The bytes of the agent's state.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.mem
    }

    /// The agent's random stream.
    #[must_use]
    pub fn rng(&self) -> Rng {
        self.rng
    }

    /// An independent copy that continues from the same state, for the same tree. `None` if that is
    /// impossible: a leaf holds state that is not plain data, or a leaf has failed.
    #[must_use]
    pub fn duplicate(&self) -> Option<Agent> {
        let side = self.own.side.as_ref().map_or(&[][..], |side| &side.0);
        let plain = side.iter().all(|s| s.is_none());
        (plain && !self.is_poisoned()).then(|| Agent {
            mem: self.mem.clone(),
            own: Own::new(self.tree(), side.len()),
            rng: self.rng,
            last: self.last,
        })
    }

    /// Gives the agent another random stream.
    pub fn seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    /// The time of the last tick.
    #[must_use]
    pub fn last_tick(&self) -> Option<Time> {
        (self.last != NEVER).then_some(self.last)
    }

    /// Whether a leaf failed or panicked. If so, the agent must be recovered
    /// ([`Tree::recover`](crate::Tree::recover)) before it is ticked again.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.own.faults.any()
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("tree", &self.tree())
            .field("bytes", &&*self.mem)
            .field("poisoned", &self.is_poisoned())
            .finish_non_exhaustive()
    }
}
