//! Halting a whole tree as BehaviorTree.CPP does.

use std::time::Duration;

use tickseed_core::{Agent, Cx, Rng, TickError, Time};

use super::Loaded;
use crate::board::HasBoard;

impl<C: HasBoard> Loaded<C> {
    /// Halts the tree as BehaviorTree.CPP's `haltTree` does: what runs is halted, then every node is
    /// visited, running or not. So all `_onHalted` scripts run, from the root down, that of the root
    /// and those of nodes that ran twice; and what idle nodes kept for their next activation (the turn
    /// of a `RoundRobin`, the retries that a skip left) is forgotten. Nav2 does this after each goal.
    /// `RunOnce` and the place of a `SequenceWithMemory` survive it there too.
    /// [`Tree::halt`](tickseed_core::Tree::halt) only ends what runs.
    ///
    /// ```
    /// # use tickseed_core::{Status, Time};
    /// # use tickseed_lang::{board::Board, build, registry::Registry};
    /// let text = r#"<root BTCPP_format="4"><BehaviorTree ID="Main">
    ///   <RoundRobin wrap_around="true"><AlwaysSuccess/><AlwaysFailure/></RoundRobin>
    /// </BehaviorTree></root>"#;
    /// let loaded = build::from_text("main.xml", text, &Registry::<Board>::new()).unwrap();
    /// let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    /// for second in 0..3 {
    ///     let now = Time(second * 1_000_000_000);
    ///     // Without the halt the second child would have its turn.
    ///     assert_eq!(loaded.tree.tick(&mut agent, &mut board, now)?, Status::Success);
    ///     loaded.halt_all(&mut agent, &mut board, now)?;
    /// }
    /// # Ok::<(), tickseed_core::TickError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tree::halt`](tickseed_core::Tree::halt). An error of a script is kept on the board or noted
    /// there.
    pub fn halt_all(
        &self,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<(), TickError> {
        let runs = self.tree.is_running(agent);
        let halted = self.tree.halt(agent, at, now);
        C::board_mut(at).halted_at(now);
        let scripts = &self.halt_scripts;
        let root = (scripts.iter()).filter(|script| script.instance == 0 && !runs);
        let mut rng = Rng::new(0);
        for script in root.chain(scripts) {
            script.run(&mut Cx::new(at, now, Duration::ZERO, &mut rng));
        }
        halted
    }
}
