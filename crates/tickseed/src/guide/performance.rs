//! What costs what, and what to do about it.
//!
//! Sequences, selectors, inverters and forced results are compiled to edges between leaves: they
//! cost nothing by themselves, however deep they stand. What a tick costs is its guards and the
//! calls of its leaves. No tick allocates ([`BoxedLeaf`](crate::BoxedLeaf)s do, when they start).
//!
//! * **Guards as data.** A comparison of keys in a key block is a load and a compare; a function
//!   is an indirect call. See [`blackboards`](super::blackboards).
//! * **`instant` for actions that finish at once.** They need no resume point, so the agent
//!   keeps fewer bytes and the program is shorter: [`instant`](crate::Nodes::instant).
//! * **Memory where you can.** A tick resumes at the running leaf; only reactive nodes above it
//!   ask again. Put what changes often, and is cheap to judge, first.
//! * **Fewer ticks.** A [`Cadence`](crate::Cadence) of 10 Hz is enough for most minds;
//!   [`start_staggered`](crate::Cadence::start_staggered) and [`Buckets`](crate::Buckets) spread
//!   agents over the frames.
//! * **Random orders with thousands of children** are slow: drawing all of them takes time with
//!   the square of their number. Up to a hundred or so it does not matter.
//! * **Tracing** costs a few times the tick. Trace the agent that you look at, not all.
//!
//! Bytes per agent are those that the tree needs: a resume point, counters and timers (seven bytes
//! each), leaves' state. Branches that cannot run at once share them.
//!
//! ```
//! use std::time::Duration;
//! use tickseed::nodes;
//! let n = nodes::<()>();
//! let wait = || n.wait(Duration::from_secs(1));
//! let one_of = n.selector([wait(), wait(), wait()]).build()?;
//! assert_eq!(one_of.bytes_per_agent(), 8); // where it stands, and one deadline
//! let at_once = n.parallel([wait(), wait(), wait()]).build()?;
//! assert_eq!(at_once.bytes_per_agent(), 26);
//! # Ok::<(), tickseed::BuildError>(())
//! ```
//!
//! Measure in release builds: `tickseed bench` compares with hand-written code and a layout of
//! objects, and measures [herds](super::herds); `cargo xtask bench` with other crates, too.
