//! Five small worlds for trees to run in.
//!
//! Each world is a deterministic simulation with a fixed step: the same name, seed, number of
//! agents and inputs give the same run on every machine, including WebAssembly. Nothing here reads
//! a clock, does I/O, or uses the platform's mathematics.
//!
//! | world | shows |
//! |---|---|
//! | [`robot`] | a reactive fallback of three branches: recharge, approach, patrol |
//! | [`guard`] | sight, pursuit and a cooldown, decided ten times a second while the world moves sixty times |
//! | [`villager`] | a utility selector over four needs |
//! | [`monster`] | leaves with parameters, combined by a chained builder |
//! | [`boss`] | one tree shared by a crowd: enrage, wind-up, strike |
//!
//! ```
//! let mut world = tickseed_worlds::create("robot", 7, None).unwrap();
//! for _ in 0..20 {
//!     world.step()?;
//! }
//! assert_eq!(world.stage().watch().deciding_label(world.def()), Some("patrol"));
//! # Ok::<(), tickseed_core::TickError>(())
//! ```
#![forbid(unsafe_code)]

extern crate alloc;

pub mod boss;
mod choices;
mod crowd;
mod geometry;
pub mod guard;
pub mod monster;
mod offer;
pub mod robot;
mod script;
mod stage;
mod view;
pub mod villager;
mod watch;
mod world;

use alloc::boxed::Box;

pub use choices::{Choice, Considered};
pub use geometry::Point;
pub use offer::{Offer, toggled};
pub use script::{Alone, AloneLeaf, Messages, Reloaded};
pub use stage::Stage;
pub use tickseed_lang::ide::{
    Change, ChangeError, Changed, Completion, SwitchedOff, change, switched_off,
};
pub use view::{Bar, Mark, Shape, Tone, View};
pub use watch::Watch;
pub use world::{Figures, Info, Input, KeyValue, Part, Value, World};

/// All worlds, in the recommended order.
pub const WORLDS: &[&Info] = &[
    &robot::INFO,
    &guard::INFO,
    &villager::INFO,
    &monster::INFO,
    &boss::INFO,
];

/// Makes a world by name. `agents` is for crowd worlds ([`Info::crowd`]); others ignore it. `None`
/// if there is no world with this name.
#[must_use]
pub fn create(name: &str, seed: u64, agents: Option<u32>) -> Option<Box<dyn World>> {
    let info = WORLDS.iter().find(|w| w.name == name)?;
    Some((info.make)(seed, agents.unwrap_or(info.agents)))
}
