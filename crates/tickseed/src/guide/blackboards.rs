//! Typed keys, key blocks, the dynamic blackboard; guards as data.
//!
//! Most engines have a blackboard: a table of names and values that leaves share. In Rust a struct
//! does that better, so here **the context is the blackboard**. `#[derive(Context)]` gives each
//! scalar field a typed key for everything that needs names: tools, files, guards.
//!
//! ```
//! # #[cfg(feature = "derive")] {
//! use tickseed::{Context, Scalar, nodes};
//!
//! #[derive(Context)]
//! struct Robot {
//!     battery: f32,             // Robot::BATTERY, "battery"
//!     #[key(name = "hit points")]
//!     hp: i32,                  // Robot::HP
//!     #[key(read_only)]
//!     lifetime: u64,            // not to be written by name
//!     #[key(skip)]
//!     secret: bool,             // no key
//!     path: Vec<(f32, f32)>,    // not a scalar: no key
//! }
//!
//! // A comparison of keys is data: compiled, printed by name, known to tools.
//! let guard = Robot::BATTERY.lt(0.2).and(!Robot::HP.le(0));
//! let tree = nodes::<Robot>().check(guard).build().unwrap();
//! assert_eq!(tree.outline(), "condition battery < 0.2 && !(hit points <= 0)\n");
//!
//! let mut robot = Robot { battery: 1.0, hp: 3, lifetime: 0, secret: true, path: vec![] };
//! let (battery, _) = Robot::schema().find("battery").unwrap();
//! assert!(Robot::write(&mut robot, battery, Scalar::Float(0.5)));
//! assert_eq!(robot.battery, 0.5);
//! # }
//! ```
//!
//! # Key blocks
//!
//! Keys such as `Robot::BATTERY` are read through a call. Values that are compared often belong in
//! a **key block**, a plain struct without padding that guards read in place:
//!
//! ```
//! # #[cfg(feature = "derive")] {
//! use tickseed::bytemuck::NoUninit;
//! use tickseed::{Context, Keys};
//!
//! #[derive(Clone, Copy, NoUninit, Keys)]
//! #[bytemuck(crate = "tickseed::bytemuck")] // so you need no dependency on bytemuck
//! #[keys(context = View<'static>)]          // whose keys these are
//! #[repr(C)]
//! struct Vitals {
//!     health: f32,
//!     alert: bool,
//!     _pad: [u8; 3], // widest fields first, then fill up
//! }
//!
//! /// A view: borrowed for the length of a tick.
//! #[derive(Context)]
//! struct View<'w> {
//!     #[context(keys)]
//!     vitals: &'w mut Vitals,
//!     world: &'w mut Vec<String>,
//! }
//!
//! let guard = Vitals::HEALTH.gt(0.0).and(Vitals::ALERT.is_true());
//! let mut vitals = Vitals { health: 1.0, alert: true, _pad: [0; 3] };
//! let view = View { vitals: &mut vitals, world: &mut vec![] };
//! assert!(guard.holds(&view));
//! # }
//! ```
//!
//! # Functions in guards
//!
//! [`n.when(..)`](crate::Nodes::when) turns a function into a guard; `and`, `or` and `!` combine it
//! with data. The function sees the context by shared reference. It is called at most once per tick
//! for each place where it is used, and only if the operands before it have not decided.
//!
//! # Keys that are not known at compile time
//!
//! [`Blackboard`](crate::Blackboard) holds slots by name, declared in a [`Layout`](crate::Layout).
//! It can be the whole context, or a field of yours marked `#[context(blackboard)]`. Names are
//! looked up when a tree is built, not when it runs. An unknown key, an unset key and a key of
//! another type are three different errors.
//!
//! ```
//! use tickseed::{Blackboard, BlackboardError, Layout, nodes};
//! let mut keys = Layout::builder();
//! keys.scalar("battery", 1.0_f32)?;
//! let layout = keys.finish();
//! let tree = nodes::<Blackboard>().check(layout.key("battery")?.lt(0.2_f32)).build().unwrap();
//! let error = layout.id("batery").unwrap_err();
//! assert!(error.to_string().contains("battery"), "{error}");
//! # Ok::<(), BlackboardError>(())
//! ```
//!
//! **An agent's progress is never on a blackboard.** Positions, timers and leaves' state live in
//! the agent, so two trees can share a context without interfering with each other.
