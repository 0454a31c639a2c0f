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
//!         n.check(Robot::BATTERY.lt(0.2)), // data: evaluated without a call
//!         n.action("recharge", |r| { r.battery += 0.1; Status::Running }),
//!     ]).reactive(),
//!     n.action("patrol", |r| { r.x += 1.0; Status::Running }),
//! ]).reactive().build()?; // validated and compiled; share it between agents
//!
//! let mut robot = Robot { battery: 0.1, x: 0.0 };
//! let mut agent = tree.agent(); // 64 bytes, nothing allocated
//! for tick in 0..3 {
//!     tree.tick(&mut agent, &mut robot, Time::from_millis(50 * tick))?;
//! }
//! assert_eq!(robot.x, 2.0); // recharged once, then patrolled
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A tree file runs with your own struct as its context; a board beside the struct's fields holds
//! the file's keys:
//!
//! ```
//! # #[cfg(all(feature = "derive", feature = "lang"))] {
//! use tickseed::lang::{board::Board, build, registry::Registry};
//! use tickseed::{Context, Status, Time};
//!
//! #[derive(Context)]
//! struct Robot {
//!     battery: f32, // also a key of the file
//!     #[context(board)]
//!     board: Board, // what the file declares
//! }
//!
//! let mut registry = Registry::<Robot>::new();
//! registry.action("Greet", |robot| {
//!     robot.battery -= 0.1;
//!     Status::Success
//! });
//! let file = "keys { greeted = 0 }
//!     tree Main { sequence { check battery > 0.2 && greeted < 2; Greet; set greeted += 1 } }";
//! let loaded = build::from_text("main.tick", file, &registry).unwrap();
//!
//! let mut robot = Robot { battery: 1.0, board: loaded.board() };
//! let mut agent = loaded.tree.agent();
//! let mut tick = |robot: &mut Robot| loaded.tree.tick(&mut agent, robot, Time::ZERO).unwrap();
//! assert_eq!(tick(&mut robot), Status::Success);
//! assert_eq!(tick(&mut robot), Status::Success);
//! assert_eq!(tick(&mut robot), Status::Failure); // greeted twice
//! # }
//! ```
//!
//! Where to go from here:
//! * the [`guide`], page by page, and the numbered examples in this crate's `examples` folder;
//! * [`Nodes`]: all node types, with their options at [`Node`]; [`builder()`] if you prefer a chain
//!   of calls to nested ones;
//! * [`Tree`]: tick, halt, recover, inspect.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `derive` (default) | the derives `Context`, `Keys` and `Leaf`, and `bytemuck`'s own through [`bytemuck`] |
//! | `lang` (default) | `lang`: tree files (`.tick`, BehaviorTree.CPP XML, JSON and binary) and the registry of what they may name |
//! | `record` | `record`: recordings and the live protocol |
//! | `driver` | `driver`: a fixed-rate loop; leaves that are futures or work on threads |
//! | `tokio` | the loop as a task in a tokio runtime |
//! | `std` | herds can catch panics of leaves, so that the other agents' ticks go on |
//! | `rayon` | herds can tick on all cores |
//!
//! Features only add; none changes what a tree does. Without features the crate is `no_std` with
//! `alloc` and contains no `unsafe`, like [`tickseed_core`], whose items are re-exported here.
#![no_std]
#![forbid(unsafe_code)]

pub mod guide;

#[cfg(feature = "driver")]
pub use tickseed_driver as driver;
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

/// The same for the page that teaches tree files.
#[cfg(all(doctest, feature = "lang"))]
#[doc = include_str!("../../../docs/tree-files.md")]
pub struct TreeFiles;
