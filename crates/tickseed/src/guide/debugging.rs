//! Outlines, reports, errors, and the questions people ask.
//!
//! | question | answer |
//! |---|---|
//! | What did I build? | [`tree.outline()`](crate::Tree::outline) |
//! | What is wrong with it? | [`BuildError`](crate::BuildError): everything at once, each with path, rule and remedy |
//! | What does this agent do now? | [`tree.running(&agent)`](crate::Tree::running), [`tree.outline_of(&agent, now)`](crate::Tree::outline_of) with timers and counters |
//! | Why did this tick answer that? | [`TickReport`](crate::TickReport), its [`deciding_leaf`](crate::TickReport::deciding_leaf) |
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
//! A traced tick does exactly what an untraced one does, so one agent of a million can be watched
//! while it runs; agents that are not traced pay nothing.
//!
//! Nodes are found by number ([`NodeId`](crate::NodeId), depth-first), by path
//! ([`find_path`](crate::Def::find_path)), by name ([`find`](crate::Def::find)) or by tag
//! ([`tagged`](crate::Tree::tagged)).
//!
//! # Questions people ask
//!
//! **My condition is not asked again.** It stands before a running child in a sequence with
//! memory: see [`first_tree`](super::first_tree).
//!
//! **My action is called again although it succeeded.** A finished tree starts afresh. So does a
//! sequence that a reactive parent runs again; [`run_once`](crate::Nodes::run_once),
//! [`keep_place`](crate::Node::keep_place) or a condition that is true when the work is done are
//! the usual ways.
//!
//! **My action was not halted.** It had finished, or never answered `Running`; only started
//! leaves are halted. Or the agent was dropped: see [`halting`](super::halting).
//!
//! **`the agent belongs to another tree`.** Each agent works with the tree whose
//! [`agent()`](crate::Tree::agent) made it, also if another was built from the same code.
//!
//! **`a leaf of this agent failed in an earlier tick`.** Look at the error of that tick, then call
//! [`recover`](crate::Tree::recover).
//!
//! **The closure "is not general enough", or its argument has no type.** Write it where it is
//! used, as an argument of `n.action(..)`, so that the compiler sees what is asked of it. A
//! function of its own has the signature `fn(&mut Cx<'_, '_, C>) -> Status`.
