//! Watching a process live: a WebSocket server for it, a client for those who watch.
//!
//! The server listens on the loopback interface unless told otherwise, answers only to its
//! own names, and lets nobody watch without the token in its address. Threads and blocking
//! sockets: a watcher has a queue of bounded length between it and the process, and what
//! does not fit in is counted and left out, so that no watcher can slow the process.

mod client;
mod http;
mod server;
mod state;
mod watcher;

pub use client::{Client, ClientError};
pub use http::Page;
pub use server::{Options, Pages, Publisher, Server};
pub use state::{Asked, Wanted};
