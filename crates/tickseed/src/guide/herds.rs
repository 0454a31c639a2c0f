//! Herds: many agents of one tree; letting them sleep; abort scopes; saving and editing.
//!
//! A [`Herd`](crate::Herd) stores its agents' blocks contiguously, so that a million agents are
//! ticked as fast as memory can be read. The game keeps its own data in arrays, by the agents'
//! indexes, and assembles a context when an agent's turn comes:
//!
//! ```
//! use std::sync::Arc;
//! use tickseed::{Context, Herd, HerdError, Status, Time, nodes};
//!
//! #[derive(Context)]
//! struct Sheep { grass: f32 }
//!
//! let n = nodes::<Sheep>();
//! let tree = n.selector([
//!     n.sequence([n.check(Sheep::GRASS.gt(0.0)), n.action("graze", |s| { s.grass -= 1.0; Status::Running })]).reactive(),
//!     n.action("look around", |_| Status::Running),
//! ]).reactive().build()?;
//!
//! let mut herd = Herd::new(Arc::new(tree));
//! let mut sheep: Vec<Sheep> = (0..1000).map(|i| Sheep { grass: (i % 5) as f32 }).collect();
//! for _ in &sheep { herd.spawn()?; }
//! for step in 0..5 {
//!     herd.tick_all(Time::from_millis(100 * step), |agent| {
//!         let i = agent.index();
//!         agent.tick(&mut sheep[i]).unwrap();
//!     });
//! }
//! assert!(sheep.iter().all(|s| s.grass == 0.0));
//!
//! // Handles go stale with their agents: using one is an error, never another agent.
//! let dolly = herd.at(7).unwrap();
//! herd.despawn(dolly, &mut sheep[7], Time::from_millis(500))?;
//! let next = herd.spawn()?;
//! assert_eq!((next.index, herd.contains(dolly)), (7, false));
//! assert!(matches!(herd.wake(dolly), Err(HerdError::Stale(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not every agent has to be ticked in every frame: [`tick_bucket`](crate::Herd::tick_bucket) lets them
//! take turns, [`tick_levels`](crate::Herd::tick_levels) ticks each agent at the cadence of its level of
//! detail, and with the feature `rayon` [`par_tick_all`](crate::Herd) uses all cores, with the same
//! results.
//!
//! # Asleep until something matters
//!
//! [`tick_due`](crate::Herd::tick_due) leaves out the agents whose next tick could not differ from their
//! last. What could make a difference is known from the tree: the keys that guards read on the way to an
//! agent's position, and the deadlines there. So:
//!
//! * report every change of a key with [`touch`](crate::Herd::touch); agents that do not depend on
//!   the key sleep on;
//! * mark actions that only wait with [`sleeps`](crate::Node::sleeps), and name the keys they look
//!   at with [`wakes_on`](crate::Node::wakes_on); an unmarked action is ticked every time;
//! * name the keys that function conditions read with [`reads`](crate::Node::reads);
//! * call [`wake`](crate::Herd::wake) when outside work is done; a handle whose agent is gone is an
//!   error there, so a late answer never reaches the wrong agent.
//!
//! The results are the same as ticking every time; tests compare the two on random trees. A key that
//! changes all the time, such as slowly regained health, wakes its agents all the time: publish what
//! guards really ask instead, such as a key `weak`.
//!
//! # Abort scopes
//!
//! Other engines let a guard *observe* a key and abort its own branch ("self"), the branches after it
//! ("lower priority"), or both. Here there is nothing to set: reactive nodes ask again what precedes
//! the running leaf, so the places of `.reactive()` determine what is watched.
//!
//! ```
//! use std::sync::Arc;
//! use tickseed::{Context, Herd, Node, Time, nodes};
//!
//! #[derive(Context)]
//! struct Guard { alarm: bool }
//!
//! /// Whether `alarm` is watched while the guarded branch runs, and while the one after it does.
//! fn watched(tree: Node<Guard>) -> [bool; 2] {
//!     let tree = Arc::new(tree.build().unwrap());
//!     [true, false].map(|alarm| {
//!         let (mut herd, mut guard) = (Herd::new(tree.clone()), Guard { alarm });
//!         let agent = herd.spawn().unwrap();
//!         for step in 0..2 {
//!             herd.tick_due(Time::from_millis(step), |a| drop(a.tick(&mut guard)));
//!         }
//!         assert!(herd.is_asleep(agent).unwrap());
//!         herd.watched(agent).unwrap() == [Guard::ALARM.id()]
//!     })
//! }
//!
//! let n = nodes::<Guard>();
//! let fight = || n.sequence([n.check(Guard::ALARM.is_true()), n.run_forever()]);
//! let patrol = || n.run_forever();
//! // None: the guard is asked when its branch begins, and not again.
//! assert_eq!(watched(n.selector([fight(), patrol()])), [false, false]);
//! // Self: when the alarm is over, the fight ends; a patrol is not interrupted.
//! assert_eq!(watched(n.selector([fight().reactive(), patrol()])), [true, false]);
//! // Lower priority: an alarm interrupts the patrol; a fight that has begun goes on.
//! assert_eq!(watched(n.selector([fight(), patrol()]).reactive()), [false, true]);
//! // Both.
//! assert_eq!(watched(n.selector([fight().reactive(), patrol()]).reactive()), [true, true]);
//! ```
//!
//! The behaviour of the last form:
//!
//! ```
//! # use std::sync::Arc;
//! # use tickseed::{Context, Herd, Time, nodes};
//! # #[derive(Context)]
//! # struct Guard { alarm: bool }
//! # let n = nodes::<Guard>();
//! # let fight = n.sequence([n.check(Guard::ALARM.is_true()), n.run_forever().named("fight")]).reactive();
//! # let tree = Arc::new(n.selector([fight, n.run_forever().named("patrol")]).reactive().build().unwrap());
//! let mut herd = Herd::new(tree.clone());
//! let (agent, mut guard) = (herd.spawn().unwrap(), Guard { alarm: false });
//! let mut doing = Vec::new();
//! let mut ticks = 0;
//! for step in 0..100 {
//!     if step == 30 || step == 60 {
//!         guard.alarm = !guard.alarm;
//!         herd.touch(agent, Guard::ALARM).unwrap();
//!     }
//!     ticks += herd.tick_due(Time::from_millis(step), |a| drop(a.tick(&mut guard))).ticked;
//!     let leaf = herd.running(agent).unwrap()[0];
//!     doing.push(tree.node(leaf).label().to_owned());
//! }
//! doing.dedup();
//! assert_eq!(doing, ["patrol", "fight", "patrol"]);
//! assert_eq!(ticks, 6); // of a hundred: one per change, and one more each to see that nothing changes
//! ```
//!
//! # Saved, moved, edited
//!
//! | | what is kept |
//! |---|---|
//! | [`save`](crate::Herd::save), [`load`](crate::Herd::load) | the whole herd as bytes, for the same tree: agents with history and random streams, indexes and generations, levels of detail, which agents sleep |
//! | [`snapshot`](crate::Herd::snapshot), [`from_snapshot`](crate::Herd::from_snapshot) | the same as plain data by node paths, also for an edited tree; `record::snapshot` writes it as JSON text |
//! | [`Tree::snapshot`](crate::Tree::snapshot), [`restore`](crate::Herd::restore) | one agent, to move it into another herd or process |
//! | [`reload`](crate::Herd::reload) | moves the running herd to an edited tree: leaves that are gone are halted, everything else goes on, boxed states included |
//!
//! The state of a [`BoxedLeaf`](crate::BoxedLeaf) is not plain data: after loading, such a leaf
//! starts again, and the report says so. A herd with poisoned agents cannot be saved: recover them
//! first. Damaged data, and data of another kind, version or tree, is refused with the reason.
