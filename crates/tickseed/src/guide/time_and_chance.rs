//! Waits, cooldowns, limits, randomness; and why the engine reads no clock.
//!
//! **Time is an argument** of a tick: nanoseconds since an origin of your choice, in a
//! [`Time`](crate::Time). It may be game time, a robot's monotonic clock, or a simulation that runs
//! a thousand times as fast: the tree cannot tell the difference, and a recorded run can be
//! repeated exactly. A [`TreeClock`](crate::TreeClock) can be paused and slowed down; a
//! [`Cadence`](crate::Cadence) ticks agents less often than the game draws, and spreads them over
//! the frames.
//!
//! ```
//! use std::time::Duration;
//! use tickseed::{Status, Time, nodes};
//!
//! let n = nodes::<()>();
//! let second = Duration::from_secs(1);
//! // Shoots at most once a second; while the gun cools down, the selector goes on.
//! let tree = n.selector([n.cooldown(second, n.succeed().named("shoot")), n.fail()]).build()?;
//! let mut agent = tree.agent();
//! let mut at = |ms| tree.tick(&mut agent, &mut (), Time::from_millis(ms)).unwrap();
//! assert_eq!(at(0), Status::Success);
//! assert_eq!(at(999), Status::Failure);
//! assert_eq!(at(1000), Status::Success); // a limit includes its boundary
//! # Ok::<(), tickseed::BuildError>(())
//! ```
//!
//! | node | meaning |
//! |---|---|
//! | [`wait`](crate::Nodes::wait), [`wait_between`](crate::Nodes::wait_between), [`wait_for`](crate::Nodes::wait_for) | runs for a duration, then succeeds |
//! | [`wait_until`](crate::Nodes::wait_until) | runs until a guard holds, optionally [`within`](crate::Node::within) a time |
//! | [`delay`](crate::Nodes::delay) | waits, then runs the child |
//! | [`time_limit`](crate::Nodes::time_limit) | halts the child and fails when the time is up |
//! | [`cooldown`](crate::Nodes::cooldown) | closed for a duration after the child ends; fails meanwhile |
//! | [`rate_limit`](crate::Nodes::rate_limit) | closed for a duration after the child ends; repeats its verdict meanwhile |
//!
//! Cooldowns and rate limits are *history*: a halt does not forget them
//! ([`forget`](crate::Nodes::forget) does, on purpose). Everything else starts anew with each
//! activation. At exactly the duration, a gate is open and a limit is reached. A duration can be up
//! to 417 days.
//!
//! **Randomness** comes from the agent's own stream, seeded by
//! [`agent_seeded`](crate::Tree::agent_seeded); leaves draw from it with
//! [`cx.rng()`](crate::Cx::rng). The same seed, context and times give the same run, on every
//! machine and however many other agents run.
//!
//! ```
//! use tickseed::{Status, Time, nodes};
//! let n = nodes::<()>();
//! let tree = n.chance(0.25, n.succeed()).build()?;
//! let runs = |seed| {
//!     let mut agent = tree.agent_seeded(seed);
//!     (0..1000).map(|_| tree.tick(&mut agent, &mut (), Time::ZERO).unwrap()).collect::<Vec<_>>()
//! };
//! assert_eq!(runs(7), runs(7));
//! assert_ne!(runs(7), runs(8));
//! let hits = runs(7).iter().filter(|s| **s == Status::Success).count();
//! assert!((200..300).contains(&hits));
//! # Ok::<(), tickseed::BuildError>(())
//! ```
//!
//! [`.random()`](crate::Node::random) shuffles a sequence's or selector's children at each
//! activation, [`.weighted(..)`](crate::Node::weighted) draws the next child by weight, and a
//! [`utility`](crate::Nodes::utility) selector takes the child with the best score, or draws by
//! score.
