//! Watching a process live: a WebSocket server for the process, and a client for watchers.
//!
//! The server listens on the loopback interface unless told otherwise, answers only to its own host
//! names, and requires the token in its address. It uses threads and blocking sockets. Between the
//! process and each watcher is a queue of bounded length; events that do not fit are counted and
//! dropped, so that no watcher can slow down the process.

mod client;
mod http;
mod server;
mod state;
mod watcher;

pub use client::{Client, ClientError};
pub use http::Page;
pub use server::{Options, Pages, Publisher, Server};
pub use state::{Asked, Wanted};
