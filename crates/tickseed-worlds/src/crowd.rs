//! Many agents that share one tree.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tickseed_core::{Agent, Context, NodeId, Rng, TickError, Time, Tree};

use crate::stage::Stage;
use crate::world::{KeyValue, Value, read_keys, set_key};

/// An agent's body: what its leaves see and change.
pub(crate) trait Body: for<'a> Context<At<'a> = Self> + Sized {
    /// What of it goes into the fingerprint after each tick.
    fn digest(&self) -> [f32; 3];
}

/// The agents with their bodies.
#[derive(Debug)]
pub(crate) struct Crowd<C: Body> {
    pub(crate) tree: Arc<Tree<C>>,
    agents: Vec<Agent>,
    pub(crate) bodies: Vec<C>,
}

impl<C: Body> Crowd<C> {
    /// One agent a body, each with a random stream of its own.
    pub(crate) fn new(tree: Tree<C>, seed: u64, bodies: Vec<C>) -> Crowd<C> {
        let mut seeds = Rng::new(seed);
        let agents = bodies
            .iter()
            .map(|_| tree.agent_seeded(seeds.next_u64()))
            .collect();
        Crowd {
            tree: Arc::new(tree),
            agents,
            bodies,
        }
    }

    /// A copy, if one can be had.
    pub(crate) fn duplicate(&self) -> Option<Crowd<C>>
    where
        C: Clone,
    {
        Some(Crowd {
            tree: self.tree.clone(),
            agents: self
                .agents
                .iter()
                .map(Agent::duplicate)
                .collect::<Option<_>>()?,
            bodies: self.bodies.clone(),
        })
    }

    pub(crate) fn len(&self) -> u32 {
        self.bodies.len() as u32
    }

    /// Ticks every agent once, the watched one on record.
    pub(crate) fn tick(&mut self, stage: &mut Stage, now: Time) -> Result<(), TickError> {
        let focus = stage.focus() as usize;
        stage.watch.begin(stage.ticks());
        let pairs = self.agents.iter_mut().zip(&mut self.bodies);
        for (i, (agent, body)) in pairs.enumerate() {
            let status = if i == focus {
                self.tree.tick_traced(agent, body, now, &mut stage.watch)?
            } else {
                self.tree.tick(agent, body, now)?
            };
            stage.mix_agent(status, body.digest());
        }
        Ok(())
    }

    pub(crate) fn body(&self, agent: u32) -> Option<&C> {
        self.bodies.get(agent as usize)
    }

    pub(crate) fn body_mut(&mut self, agent: u32) -> Option<&mut C> {
        self.bodies.get_mut(agent as usize)
    }

    /// The first leaf that an agent's tree is running.
    pub(crate) fn running(&self, agent: u32) -> Option<NodeId> {
        let agent = self.agents.get(agent as usize)?;
        self.tree.running(agent).first().copied()
    }

    pub(crate) fn keys(&self, agent: u32) -> Vec<KeyValue> {
        self.body(agent).map_or_else(Vec::new, read_keys)
    }

    pub(crate) fn set(&mut self, agent: u32, key: u16, value: Value) -> bool {
        set_key(self.body_mut(agent), key, value)
    }

    /// Watches this agent, if it is there.
    pub(crate) fn focus(&self, stage: &mut Stage, agent: u32) {
        if agent < self.len() {
            stage.watch_agent(agent, self.tree.def());
        }
    }

    /// Counts the bodies by what they are doing, in the order of `names`.
    pub(crate) fn count<const N: usize>(
        &self,
        names: [&'static str; N],
        which: impl Fn(&C) -> usize,
    ) -> Vec<(&'static str, u32)> {
        let mut counts = [0; N];
        for body in &self.bodies {
            counts[which(body).min(N - 1)] += 1;
        }
        names.into_iter().zip(counts).collect()
    }

    /// Bodies to draw: all, or evenly spread ones of a large crowd, the watched one always
    /// among them.
    pub(crate) fn sample(&self, stage: &Stage) -> impl Iterator<Item = (u32, &C)> {
        const MOST: usize = 3000;
        let every = self.bodies.len().div_ceil(MOST).max(1);
        let focus = stage.focus() as usize;
        self.bodies
            .iter()
            .enumerate()
            .filter(move |(i, _)| i.is_multiple_of(every) || *i == focus)
            .map(|(i, b)| (i as u32, b))
    }
}

/// The parts of [`World`](crate::World) that every crowd world answers alike.
macro_rules! crowd_world {
    ($info:expr) => {
        fn info(&self) -> &'static Info {
            &$info
        }
        fn stage(&self) -> &Stage {
            &self.stage
        }
        fn def(&self) -> &Def {
            self.crowd.tree.def()
        }
        fn agents(&self) -> u32 {
            self.crowd.len()
        }
        fn bytes_per_agent(&self) -> usize {
            self.crowd.tree.bytes_per_agent()
        }
        fn input(&mut self, input: Input) -> bool {
            let done = self.apply(input);
            if done {
                self.stage.record(input);
            }
            done
        }
        fn focus(&mut self, agent: u32) {
            self.crowd.focus(&mut self.stage, agent);
        }
        fn keys(&self, agent: u32) -> Vec<KeyValue> {
            self.crowd.keys(agent)
        }
        fn running(&self, agent: u32) -> Option<tickseed_core::NodeId> {
            self.crowd.running(agent)
        }
    };
}
pub(crate) use crowd_world;
