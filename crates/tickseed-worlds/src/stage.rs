//! What every world has: seed, clock, inputs, watch and fingerprint.

use alloc::vec::Vec;
use core::time::Duration;

use tickseed_core::{Def, Rng, Status, Time};

use crate::watch::Watch;
use crate::world::Input;

/// The part that all worlds share.
#[derive(Clone, Debug)]
pub struct Stage {
    seed: u64,
    ticks: u64,
    step: Duration,
    /// The world's own random stream; agents have theirs.
    pub(crate) rng: Rng,
    inputs: Vec<(u64, Input)>,
    focus: u32,
    pub(crate) watch: Watch,
    fingerprint: u64,
}

impl Stage {
    pub(crate) fn new(seed: u64, step: Duration, def: &Def) -> Stage {
        Stage {
            seed,
            ticks: 0,
            step,
            rng: Rng::new(seed),
            inputs: Vec::new(),
            focus: 0,
            watch: Watch::new(def),
            fingerprint: seed,
        }
    }

    /// The seed with which the world was made.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many steps have been taken.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// The time of the latest step.
    #[must_use]
    pub fn time(&self) -> Time {
        Time::ZERO + Duration::from_nanos(self.step.as_nanos() as u64 * self.ticks)
    }

    /// The length of a step.
    #[must_use]
    pub fn step(&self) -> Duration {
        self.step
    }

    /// All inputs so far, each with the number of steps taken before it. A world with the same
    /// name, seed and number of agents that receives the same inputs at the same places repeats the
    /// run exactly.
    #[must_use]
    pub fn inputs(&self) -> &[(u64, Input)] {
        &self.inputs
    }

    /// The watched agent.
    #[must_use]
    pub fn focus(&self) -> u32 {
        self.focus
    }

    /// What the watched agent's tree did.
    #[must_use]
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// A number that depends on everything that has happened: equal runs have equal fingerprints,
    /// and different runs almost never do.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The tree was replaced, so what was seen of the previous one no longer fits.
    pub(crate) fn reloaded(&mut self, source: &str, def: &Def) {
        self.record(Input::Reload {
            source: source.into(),
        });
        self.watch = Watch::new(def);
    }

    pub(crate) fn record(&mut self, input: Input) {
        self.inputs.push((self.ticks, input));
    }

    pub(crate) fn watch_agent(&mut self, agent: u32, def: &Def) {
        if self.focus != agent {
            self.focus = agent;
            self.watch = Watch::new(def);
        }
    }

    /// Begins a step; returns its time.
    pub(crate) fn begin(&mut self) -> Time {
        self.ticks += 1;
        self.time()
    }

    /// A step's length in seconds.
    pub(crate) fn dt(&self) -> f32 {
        self.step.as_secs_f32()
    }

    /// Mixes a number into the fingerprint.
    pub(crate) fn mix(&mut self, bits: u64) {
        self.fingerprint = mixed(self.fingerprint, bits);
    }

    /// Mixes numbers and a tick's answer into the fingerprint.
    pub(crate) fn mix_agent(&mut self, status: Status, values: [f32; 3]) {
        self.mix(u64::from(values[0].to_bits()) << 32 | u64::from(values[1].to_bits()));
        self.mix(u64::from(values[2].to_bits()) << 32 | status as u64);
    }

    /// A number in `from..to` from the world's stream.
    pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
        between(&mut self.rng, from, to)
    }
}

/// A number in `from..to`.
pub(crate) fn between(rng: &mut Rng, from: f32, to: f32) -> f32 {
    from + (to - from) * rng.unit() as f32
}

fn mixed(hash: u64, bits: u64) -> u64 {
    let h = (hash.rotate_left(23) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^ (h >> 29)
}
