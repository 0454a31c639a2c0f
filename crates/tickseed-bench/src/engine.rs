//! What an engine must implement to be measured, and the two measured loops.

/// What a tick of the whole tree came to. Engines' own status types are translated to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The tree finished and had its way.
    Success,
    /// The tree finished without.
    Failure,
    /// The tree wants to be ticked again.
    Running,
}

/// The part of a workload that is outside the tree: input, simulated time, counters of what the
/// actions did.
///
/// One world serves all agents of a run. It is deliberately small: a world per agent would measure the
/// user's data in cold runs, not the engine's.
pub trait World: 'static {
    /// The short name used on the command line, such as `w1`.
    const NAME: &'static str;
    /// What the report calls it.
    const TITLE: &'static str;
    /// The number of nodes in the tree, as the workload's definition counts them.
    const NODES: usize;

    /// The world before the first tick; two new worlds are equal.
    fn new() -> Self;
    /// Simulated time goes on by one step; once per round, before the agents' ticks.
    fn step_time(&mut self);
    /// The next input; once before each agent's tick.
    fn next_input(&mut self);
    /// What the actions have counted since the world began.
    fn counters(&self) -> Vec<u64>;
}

/// A workload's tree in one engine, with the world it acts on.
pub trait Engine<W: World>: Sized {
    /// What the report calls the engine, with the version where it has one.
    const NAME: &'static str;

    /// All that one agent needs for itself.
    type Agent;

    /// The engine with a new world and whatever agents can share.
    fn new() -> Self;
    /// An agent that has not been ticked.
    fn spawn(&mut self) -> Self::Agent;
    /// Ticks one agent once, in the world's present state. A finished tree starts afresh at the next tick.
    fn tick(&mut self, agent: &mut Self::Agent) -> Outcome;
    /// Lends the world. Engines that cannot borrow it during a tick share it in some way of theirs.
    fn with_world<R>(&mut self, act: impl FnOnce(&mut W) -> R) -> R;
    /// The world's counters, for engines that keep them elsewhere.
    fn counters(&mut self) -> Vec<u64> {
        self.with_world(|world| world.counters())
    }
}

/// One agent ticked over and over.
pub fn run_hot<W: World, E: Engine<W>>(engine: &mut E, agent: &mut E::Agent, ticks: u64) {
    for _ in 0..ticks {
        engine.with_world(|world| {
            world.step_time();
            world.next_input();
        });
        std::hint::black_box(engine.tick(agent));
    }
}

/// Every agent ticked once a round: with enough agents, each comes from memory rather than from cache.
pub fn run_cold<W: World, E: Engine<W>>(engine: &mut E, agents: &mut [E::Agent], rounds: u64) {
    for _ in 0..rounds {
        engine.with_world(World::step_time);
        for agent in &mut *agents {
            engine.with_world(World::next_input);
            std::hint::black_box(engine.tick(agent));
        }
    }
}

/// A digest of the counters (FNV-1a over their bytes): one number to compare and to print.
pub fn checksum(counters: &[u64]) -> u64 {
    counters
        .iter()
        .flat_map(|counter| counter.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
