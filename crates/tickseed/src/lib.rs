//! Behaviour trees for games and robots, compiled to flat programs.
//!
//! ```
//! use tickseed::{Context, Status, Time, nodes};
//!
//! #[derive(Context)]
//! struct Robot { battery: f32, x: f32 }
//!
//! let n = nodes::<Robot>(); // a factory that knows the context: closures need no types
//! let tree = n.selector([
//!     n.sequence([
//!         n.check(Robot::BATTERY.lt(0.2)), // data: judged without a call
//!         n.action("recharge", |r| { r.battery += 0.1; Status::Running }),
//!     ]).reactive(),
//!     n.action("patrol", |r| { r.x += 1.0; Status::Running }),
//! ]).reactive().build()?; // validated and compiled; share it between agents
//!
//! let mut robot = Robot { battery: 0.1, x: 0.0 };
//! let mut agent = tree.agent(); // a few bytes
//! for tick in 0..3 {
//!     tree.tick(&mut agent, &mut robot, Time::from_millis(50 * tick))?;
//! }
//! assert_eq!(robot.x, 2.0); // recharged once, then patrolled
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where to go on:
//! * the [`guide`], page by page; the numbered examples in this crate's `examples` folder;
//! * [`Nodes`]: every node there is, with its options at [`Node`]; [`builder()`] for those who
//!   prefer a chain of calls to nested ones;
//! * [`Tree`]: tick, halt, recover, look inside.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `derive` (default) | the derives `Context`, `Keys` and `Leaf`, and `bytemuck`'s own through [`bytemuck`] |
//! | `lang` (default) | `lang`: tree files (`.tick`, BehaviorTree.CPP XML, JSON and binary) and the registry of what they may name |
//! | `record` | `record`: recordings and the live protocol |
//! | `std` | herds can catch panics of leaves, so that the other agents' ticks go on |
//! | `rayon` | herds can tick on all cores |
//!
//! Features only add; none changes what a tree does. Without any the crate is `no_std` with
//! `alloc` and has no `unsafe`, like [`core`](tickseed_core), whose items stand here directly.
#![no_std]
#![forbid(unsafe_code)]

pub mod guide;

#[cfg(feature = "lang")]
pub use tickseed_lang as lang;
#[cfg(feature = "record")]
pub use tickseed_record as record;

pub use tickseed_core as core;
pub use tickseed_core::*;
#[cfg(feature = "derive")]
pub use tickseed_derive::{Context, Keys, Leaf};

/// The README's code is compiled and run as well.
#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
