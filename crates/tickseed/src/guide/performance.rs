//! What costs what, and what to do about it.
//!
//! Sequences, selectors, inverters and forced results are compiled to edges between leaves: they
//! cost nothing by themselves, however deeply they are nested. The cost of a tick is its guards and
//! the calls of its leaves. No tick allocates, except when a [`BoxedLeaf`](crate::BoxedLeaf)
//! starts.
//!
//! * **Guards as data.** A comparison of keys in a key block is a load and a compare; a function
//!   is an indirect call. See [`blackboards`](super::blackboards).
//! * **`instant` for actions that finish at once.** [`instant`](crate::Nodes::instant) actions need
//!   no resume point, so the agent takes fewer bytes and the program is shorter.
//! * **Memory where you can.** A tick resumes at the running leaf; only reactive nodes above it ask
//!   again. Put conditions that change often and are cheap to evaluate first.
//! * **Fewer ticks.** A [`Cadence`](crate::Cadence) of 10 Hz is enough for most decisions;
//!   [`start_staggered`](crate::Cadence::start_staggered) and [`Buckets`](crate::Buckets) spread
//!   agents over the frames.
//! * **Random orders with thousands of children** are slow: drawing all of them takes time
//!   quadratic in their number. Up to a hundred or so this does not matter.
//! * **Tracing** costs a few times the tick. Trace only the agent you are looking at.
//!
//! An agent takes as many bytes as the tree needs: a resume point, counters and timers (seven bytes
//! each), leaves' state. Branches that cannot run at the same time share bytes.
//!
//! ```
//! use std::time::Duration;
//! use tickseed::nodes;
//! let n = nodes::<()>();
//! let wait = || n.wait(Duration::from_secs(1));
//! let one_of = n.selector([wait(), wait(), wait()]).build()?;
//! assert_eq!(one_of.bytes_per_agent(), 8); // the resume point, and one deadline
//! let at_once = n.parallel([wait(), wait(), wait()]).build()?;
//! assert_eq!(at_once.bytes_per_agent(), 26);
//! # Ok::<(), tickseed::BuildError>(())
//! ```
//!
//! Measure in release builds: `tickseed bench` compares with hand-written code and an object tree,
//! and measures [herds](super::herds); `cargo xtask bench` also compares with other crates.
