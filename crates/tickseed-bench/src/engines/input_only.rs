//! No tree at all: what input and loop cost, to be subtracted before a node's price is given.

use crate::{Engine, Outcome, World};

/// The world's input, and nothing that looks at it.
pub struct InputOnly<W>(W);

impl<W: World> Engine<W> for InputOnly<W> {
    const NAME: &'static str = "input alone";
    type Agent = ();

    fn new() -> Self {
        Self(W::new())
    }

    fn spawn(&mut self) {}

    #[inline]
    fn tick(&mut self, (): &mut ()) -> Outcome {
        // The input counts as read, so that it must be made.
        std::hint::black_box(&mut self.0);
        Outcome::Success
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut W) -> R) -> R {
        act(&mut self.0)
    }
}
