//! Many agents of one tree: a herd; letting them sleep; abort scopes; saving and editing.
//!
//! A [`Herd`](crate::Herd) keeps the blocks of its agents one after the other: a million of them are
//! ticked as fast as memory is read. What the game knows of an agent it keeps in arrays of its
//! own, by the agent's index, and puts a context together when the agent's turn comes:
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
//! Not everybody has to be ticked in every frame: [`tick_bucket`](crate::Herd::tick_bucket) takes turns,
//! [`tick_levels`](crate::Herd::tick_levels) ticks each agent at the cadence of its level of detail,
//! and with the feature `rayon` [`par_tick_all`](crate::Herd) uses all cores, with the same results.
//!
//! # Asleep until something matters
//!
//! [`tick_due`](crate::Herd::tick_due) leaves out the agents whose next tick could not differ from
//! their last one. What could make a difference is known from the tree: the keys that guards read on the
//! way to where an agent stands, and the deadlines there. So
//!
//! * say when a key changed: [`touch`](crate::Herd::touch). Agents that do not depend on it sleep on;
//! * let actions that only wait say so: [`sleeps`](crate::Node::sleeps), and
//!   [`wakes_on`](crate::Node::wakes_on) keys that they look at. An action that does not is ticked
//!   every time;
//! * let conditions that are functions say what they read: [`reads`](crate::Node::reads);
//! * call [`wake`](crate::Herd::wake) when something from outside is done. A handle whose agent is gone
//!   is an error there, so an answer that comes too late reaches nobody.
//!
//! The results are those of ticking always; tests hold the one to the other on random trees. Keys that
//! change all the time (health that is regained) wake their agents all the time: publish what guards
//! really ask, such as a key `weak`.
//!
//! # Abort scopes
//!
//! Other engines let a guard *observe* a key and abort its own branch ("self"), the branches after it
//! ("lower priority"), or both. Here these are nothing to be set: reactive nodes ask again what stands
//! before the running leaf, so what is watched follows from where `.reactive()` stands.
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
//! // Self: when the alarm is over the fight ends; a patrol is not interrupted.
//! assert_eq!(watched(n.selector([fight().reactive(), patrol()])), [true, false]);
//! // Lower priority: an alarm interrupts the patrol; a fight that has begun goes on.
//! assert_eq!(watched(n.selector([fight(), patrol()]).reactive()), [false, true]);
//! // Both.
//! assert_eq!(watched(n.selector([fight().reactive(), patrol()]).reactive()), [true, true]);
//! ```
//!
//! And what they do, in the last form:
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
//! assert_eq!(ticks, 6); // of a hundred: each change, and once more to see that nothing changes
//! ```
//!
//! # Saved, moved, edited
//!
//! | | what is kept |
//! |---|---|
//! | [`save`](crate::Herd::save), [`load`](crate::Herd::load) | the whole herd as bytes, for the same tree: agents with history and random streams, indexes and generations, levels of detail, who sleeps |
//! | [`snapshot`](crate::Herd::snapshot), [`from_snapshot`](crate::Herd::from_snapshot) | the same as plain data by node paths, also for an edited tree; `record::snapshot` has it as JSON text |
//! | [`Tree::snapshot`](crate::Tree::snapshot), [`restore`](crate::Herd::restore) | one agent, to move it into another herd or process |
//! | [`reload`](crate::Herd::reload) | the running herd goes over to an edited tree: leaves that are gone are halted, all else goes on, boxed states too |
//!
//! The state of a [`BoxedLeaf`](crate::BoxedLeaf) is not plain data: after loading such a leaf starts
//! again, and the report says so. A herd with poisoned agents is not saved: recover them first.
//! Damaged data, data of another kind, version or tree is refused with the reason.
