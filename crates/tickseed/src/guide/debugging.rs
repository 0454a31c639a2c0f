//! Outlines, reports, errors, and frequently asked questions.
//!
//! | question | answer |
//! |---|---|
//! | What did I build? | [`tree.outline()`](crate::Tree::outline) |
//! | What is wrong with it? | [`BuildError`](crate::BuildError): all faults at once, each with path, rule and remedy |
//! | What is this agent doing now? | [`tree.running(&agent)`](crate::Tree::running), [`tree.outline_of(&agent, now)`](crate::Tree::outline_of) with timers and counters |
//! | Why did this tick give that answer? | [`TickReport`](crate::TickReport) and its [`deciding_leaf`](crate::TickReport::deciding_leaf) |
//! | What happened in which order? | a [`Trace`](crate::Trace) of your own |
//! | What was it doing a minute ago? | a recording: feature `record` |
//!
//! ```
//! use tickseed::{Status, TickReport, Time, nodes};
//!
//! let n = nodes::<()>();
//! let tree = n.selector([
//!     n.sequence([n.succeed().named("sees player"), n.fail().named("has ammunition")]),
//!     n.run_forever().named("hide"),
//! ]).build()?;
//! let mut report = TickReport::new();
//! tree.tick_traced(&mut tree.agent(), &mut (), Time::ZERO, &mut report)?;
//! assert_eq!(report.show(tree.def()).to_string(), "\
//! selector: running
//!   sequence: failure
//!     succeed \"sees player\": success
//!     fail \"has ammunition\": failure
//!   run \"hide\": running <- decided
//! ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A traced tick does exactly what an untraced one does, so you can watch one agent in a million
//! while it runs; agents that are not traced pay nothing.
//!
//! Nodes are found by number ([`NodeId`](crate::NodeId), depth-first), by path
//! ([`find_path`](crate::Def::find_path)), by name ([`find`](crate::Def::find)) or by tag
//! ([`tagged`](crate::Tree::tagged)).
//!
//! # Frequently asked questions
//!
//! **My condition is not asked again.** It precedes a running child in a sequence with memory: see
//! [`first_tree`](super::first_tree).
//!
//! **My action is called again although it succeeded.** A finished tree starts afresh, and so does
//! a sequence that a reactive parent runs again. The usual remedies are
//! [`run_once`](crate::Nodes::run_once), [`keep_place`](crate::Node::keep_place), or a condition
//! that holds once the work is done.
//!
//! **My action was not halted.** It had finished, or had never answered `Running`: only started
//! leaves are halted. Or the agent was dropped: see [`halting`](super::halting).
//!
//! **`the agent belongs to another tree`.** Each agent works only with the tree whose
//! [`agent()`](crate::Tree::agent) made it, even if another tree was built from the same code.
//!
//! **`a leaf of this agent failed in an earlier tick`.** Look at the error of that tick, then call
//! [`recover`](crate::Tree::recover).
//!
//! **The closure "is not general enough", or its argument has no type.** Write it in place, as an
//! argument of `n.action(..)`, so that the compiler knows the expected type. A free function has
//! the signature `fn(&mut Cx<'_, '_, C>) -> Status`.
