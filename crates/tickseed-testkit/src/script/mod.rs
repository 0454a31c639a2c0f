//! Scripted leaves: their answers are given in advance, and everything that happens to them is
//! logged.
//!
//! A tree of scripted leaves over the context [`World`] tests a composite, a decorator, or the
//! shape of a real tree with its leaves replaced:
//!
//! ```
//! use tickseed_core::{Rng, Status, Time, nodes};
//! use tickseed_testkit::{Interp, Silent};
//! use tickseed_testkit::script::{World, act, cond};
//!
//! let n = nodes::<World>();
//! let tree = n.selector([n.sequence([cond("seen", "FS"), act("chase", "S")]), act("patrol", "R")])
//!     .reactive().build()?;
//! let (mut agent, mut world) = (Interp::new(&tree), World::new());
//! for tick in 0..2 {
//!     let now = Time::from_millis(tick);
//!     agent.tick(&mut world, now, Default::default(), &mut Rng::new(0), &mut Silent).unwrap();
//! }
//! assert_eq!(world.events_text(), "seen? no, patrol starts, seen? yes, chase starts, \
//!     chase finishes with success, patrol halted after 1");
//! # Ok::<(), tickseed_core::BuildError>(())
//! ```

mod custom;
mod leaves;
mod names;
mod sleeper;
mod world;

pub use custom::{Alternating, Backwards, Impatient, Rotating};
pub use leaves::{
    Scripted, act, bare_act, boxed, catch, cond, count, finally, for_each, guard, instant, leaf,
    on_complete, on_halted, score, span, which,
};
pub use names::numbered;
pub use sleeper::Sleeper;
pub(crate) use world::KEYS;
pub use world::{Event, Keys, What, World};

use tickseed_core::Status;

/// One answer of a scripted leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This status.
    Status(Status),
    /// An error.
    Error,
}

/// The answers of a scripted leaf, one for each call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Script {
    /// These in order; the last one again and again.
    Listed(Vec<Answer>),
    /// Drawn from the world's seed, the leaf's name and the number of the call, so that equal runs
    /// get equal answers.
    Drawn(Odds),
}

/// The relative probabilities of a drawn script's answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Odds {
    /// Success; for a condition: that it holds.
    pub success: u8,
    /// Failure.
    pub failure: u8,
    /// Running.
    pub running: u8,
    /// Skipped.
    pub skipped: u8,
    /// In 1/256 of all answers: an error. Only in worlds that [allow](World::allow_errors) them.
    pub error: u8,
}

impl From<&str> for Script {
    /// Letters: `S`uccess, `F`ailure, `R`unning, s`K`ipped, `E`rror.
    ///
    /// # Panics
    /// If there is no letter, or another one.
    fn from(text: &str) -> Script {
        assert!(!text.is_empty(), "a script needs at least one answer");
        let answer = |letter| match letter {
            'S' => Answer::Status(Status::Success),
            'F' => Answer::Status(Status::Failure),
            'R' => Answer::Status(Status::Running),
            'K' => Answer::Status(Status::Skipped),
            'E' => Answer::Error,
            other => panic!("`{other}` in script `{text}`: answers are S, F, R, K and E"),
        };
        Script::Listed(text.chars().map(answer).collect())
    }
}

impl From<Odds> for Script {
    fn from(odds: Odds) -> Script {
        Script::Drawn(odds)
    }
}

impl Script {
    /// The answer when asked for the `asked`th time (from zero).
    #[must_use]
    pub fn answer(&self, asked: u32, hash: u64, errors: bool) -> Answer {
        match self {
            Script::Listed(list) => list[(asked as usize).min(list.len() - 1)],
            Script::Drawn(odds) => odds.draw(hash, errors),
        }
    }

    /// Whether an answer can be `Skipped`.
    #[must_use]
    pub fn skips(&self) -> bool {
        match self {
            Script::Listed(list) => list.contains(&Answer::Status(Status::Skipped)),
            Script::Drawn(odds) => odds.skipped > 0,
        }
    }
}

impl Odds {
    fn draw(&self, hash: u64, errors: bool) -> Answer {
        if errors && (hash >> 56) < u64::from(self.error) {
            return Answer::Error;
        }
        let sides = [
            (self.success, Status::Success),
            (self.failure, Status::Failure),
            (self.running, Status::Running),
            (self.skipped, Status::Skipped),
        ];
        let total: u64 = sides.iter().map(|s| u64::from(s.0)).sum();
        let mut left = (hash & 0xffff_ffff) % total.max(1);
        for (weight, status) in sides {
            if left < u64::from(weight) {
                return Answer::Status(status);
            }
            left -= u64::from(weight);
        }
        Answer::Status(Status::Success)
    }
}

/// The integers that a scripted function returns, one for each call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// These in order; the last one again and again.
    Listed(Vec<i64>),
    /// Drawn between these, both included, as [`Script::Drawn`] draws.
    Drawn(i64, i64),
}

impl<const N: usize> From<[i64; N]> for Numbers {
    fn from(list: [i64; N]) -> Numbers {
        Numbers::Listed(list.into())
    }
}

impl Numbers {
    /// The number when asked for the `asked`th time (from zero); zero from an empty list.
    #[must_use]
    pub fn number(&self, asked: u32, hash: u64) -> i64 {
        match self {
            Numbers::Listed(list) => {
                let last = list.len().saturating_sub(1);
                list.get((asked as usize).min(last)).copied().unwrap_or(0)
            }
            Numbers::Drawn(least, most) => least + (hash % (most - least + 1) as u64) as i64,
        }
    }
}
