//! Contexts, leaves, sequences and selectors; memory or reactive.
//!
//! A **context** is what the leaves of a tree see: your own struct, or a view that borrows from
//! your world for the length of a tick. [`nodes::<C>()`](crate::nodes()) is a factory for the nodes
//! of trees over it:
//!
//! ```
//! use tickseed::{Context, Status, Time, nodes};
//!
//! struct Robot { battery: f32, log: Vec<&'static str> }
//! impl Context for Robot { type At<'a> = Robot; } // or `#[derive(Context)]`
//!
//! let n = nodes::<Robot>();
//! let recharge = n.action("recharge", |robot| { // robot: &mut Cx<Robot>, which derefs to Robot
//!     robot.battery += 0.5;
//!     robot.log.push("recharge");
//!     if robot.battery < 1.0 { Status::Running } else { Status::Success }
//! });
//! let patrol = n.action("patrol", |robot| robot.log.push("patrol")); // returning nothing means success
//! let low = n.condition("battery low", |robot| robot.battery < 0.2); // sees it by shared reference
//! let tree = n.selector([n.sequence([low, recharge]), patrol]).build()?;
//!
//! let mut robot = Robot { battery: 0.1, log: vec![] };
//! let mut agent = tree.agent();
//! for tick in 0..3 {
//!     tree.tick(&mut agent, &mut robot, Time::from_millis(tick * 50)).unwrap();
//! }
//! assert_eq!(robot.log, ["recharge", "recharge", "patrol"]);
//! # Ok::<(), tickseed::BuildError>(())
//! ```
//!
//! **Leaves** answer with a [`Status`](crate::Status): `Success`, `Failure`, `Running` (tick me
//! again), or, if declared with [`may_skip`](crate::Node::may_skip), `Skipped` (ignore me as if I
//! were absent). A function may also return a `bool`, nothing, or a `Result` of any of these.
//!
//! A **sequence** goes on while its children succeed; a **selector** (or fallback) goes on while
//! they fail. Each comes in two kinds:
//!
//! | written | next tick after `Running` | use it for |
//! |---|---|---|
//! | `n.sequence([..])` | resumes at the child that runs | steps of a plan |
//! | `n.sequence([..]).reactive()` | asks again from the first child on | conditions that must keep holding |
//! | `n.selector([..])` | resumes at the child that runs | alternatives, tried once |
//! | `n.selector([..]).reactive()` | asks again from the first child on | priorities |
//!
//! In the tree above, the sequence has memory: the second tick resumes recharging although the
//! battery is at 60 % by then. With `.reactive()` the robot would have gone on patrol. This is the
//! first thing that newcomers stumble over: **a condition in a memory sequence is asked once**,
//! when the sequence starts. A reactive selector above does not change that: it asks its child
//! again, and that child resumes.
//!
//! **The tree is shared, the agent is not.** A [`Tree`](crate::Tree) never changes: put it in an
//! `Arc` and tick it from many threads. An [`Agent`](crate::Agent) is one run of the tree, a few
//! bytes. A closure may capture configuration, but it is `Fn + Send + Sync`, so an agent's state
//! cannot slip into it; state that a leaf needs while it runs belongs in a [`Leaf`](crate::Leaf).
//!
//! **A finished tree starts afresh** with the next tick. To make it repeat its first verdict for
//! ever, wrap the root in [`run_once`](crate::Nodes::run_once).
//!
//! If you prefer a chain of calls, use [`builder`](crate::builder()).
