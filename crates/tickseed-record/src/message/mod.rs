//! The protocol between a process that runs trees and its watchers: plain data, the same over a
//! WebSocket and to the engine in a page. `docs/protocol.md` describes it as JSON.

mod command;
mod event;
mod tick;
mod tree;

pub use command::{Break, Command, Comparison, Request, Subscription};
pub use event::{
    AgentInfo, AgentSummary, Control, Event, Hello, Level, Moves, NumberedBreak, Offer, Process,
    Warning, WorldInfo,
};
pub use tick::{Failure, KeyChange, Outside, Status, Step, Tick, Value, Writer};
pub use tree::{KeyDef, NodeInfo, Rule, Span, TreeDef};

/// The version of the protocol. A client of another version is told so and disconnected. New fields
/// and new kinds of events do not change it: ignore what you do not know.
pub const PROTOCOL: u32 = 1;
