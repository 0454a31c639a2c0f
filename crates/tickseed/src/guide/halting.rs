//! What a halt is, when it happens, and who guarantees what.
//!
//! A leaf that answered `Running` is *started*. Later it is either ticked to a verdict or
//! **halted**: because a reactive node chose another branch, a limit was reached, a parallel had
//! decided, or you called [`Tree::halt`](crate::Tree::halt). Its `halt` is called, with the context
//! at hand, in that case only.
//!
//! ```
//! use tickseed::{Context, Status, Time, nodes};
//!
//! struct Arm { fragile: bool, log: Vec<&'static str> }
//! impl Context for Arm { type At<'a> = Arm; }
//!
//! let n = nodes::<Arm>();
//! let grip = n
//!     .action("grip", |arm| { arm.log.push("grip"); Status::Running })
//!     .on_halt(|arm| arm.log.push("let go"));
//! let light = n.while_guard(n.when(|arm| !arm.fragile), grip);
//! let careful = n.action("careful", |arm| { arm.log.push("careful"); Status::Running });
//! let tree = n.selector([light, careful]).reactive().build()?;
//!
//! let mut arm = Arm { fragile: false, log: vec![] };
//! let mut agent = tree.agent();
//! tree.tick(&mut agent, &mut arm, Time::ZERO).unwrap();
//! arm.fragile = true;
//! tree.tick(&mut agent, &mut arm, Time::ZERO).unwrap();
//! tree.halt(&mut agent, &mut arm, Time::ZERO).unwrap(); // "careful" has no hook
//! assert_eq!(arm.log, ["grip", "let go", "careful"]);
//! # Ok::<(), tickseed::BuildError>(())
//! ```
//!
//! # Who guarantees what
//!
//! The engine:
//! * A leaf that started ends exactly once: it finishes or it is halted. A leaf that did not start,
//!   or finished in its first tick, is never halted.
//! * Halts go innermost first; after a halt, nothing below the node runs.
//! * Each guard is evaluated at most once per tick and place, and every tick ends: loops that could
//!   go round for ever have a budget ([`drain`](crate::Node::drain)) or yield.
//! * A halt clears the state of a traversal (positions, counters, timers, leaves' state) and leaves
//!   history alone: cooldowns, rate limits, run-once, places kept with `keep_place`.
//!
//! You:
//! * A `halt` releases what the leaf holds. It has no result and cannot steer the tree.
//! * Dropping an agent does not halt it, since that needs the context: call
//!   [`Tree::halt`](crate::Tree::halt) first if its leaves hold anything.
//!
//! # When the old branch is halted
//!
//! A reactive node ticks the new child first and halts the old one afterwards. Most of the
//! literature and BehaviorTree.CPP do the same, and it lets the new branch see what the old one was
//! doing. Where two branches must not act at the same time,
//! [`.preempt(Preempt::BeforeStart)`](crate::Node::preempt) halts the old branch before the new
//! branch's first action starts (conditions are asked before that).
//!
//! Wrap what must not be interrupted in [`uninterruptible`](crate::Nodes::uninterruptible); the
//! build fails if anything above could halt it:
//!
//! ```
//! # use tickseed::{Rule, nodes};
//! let n = nodes::<()>();
//! let land = n.uninterruptible(n.run_forever().named("land"));
//! let error = n.selector([n.fail(), land]).reactive().build().unwrap_err();
//! assert_eq!(error.issues[0].rule, Rule::Uninterruptible);
//! ```
//!
//! To run something after a node has ended, however it ended, use
//! [`finally`](crate::Nodes::finally); [`on_complete`](crate::Nodes::on_complete) and
//! [`on_halted`](crate::Nodes::on_halted) cover one case each.
//!
//! # Errors and panics
//!
//! `Failure` is an answer. An `Err` means that the leaf is broken: the tick stops, and the agent is
//! *poisoned* and refuses to be ticked until [`Tree::recover`](crate::Tree::recover) has halted
//! every started leaf once. A panic that the caller catches does the same. Other agents of the tree
//! are not affected.
//!
//! ```
//! # use tickseed::{LeafError, Status, TickError, Time, nodes};
//! let n = nodes::<()>();
//! let tree = n.action("drive", |_| Err::<Status, _>(LeafError::new("no wheels"))).build().unwrap();
//! let mut agent = tree.agent();
//! let error = tree.tick(&mut agent, &mut (), Time::ZERO).unwrap_err();
//! assert_eq!(error.to_string(), "drive: no wheels");
//! let again = tree.tick(&mut agent, &mut (), Time::ZERO);
//! assert!(matches!(again, Err(TickError::Poisoned)));
//! tree.recover(&mut agent, &mut (), Time::ZERO).unwrap();
//! assert!(!agent.is_poisoned());
//! ```
