//! The studio: a web page for running, watching and rewinding trees, and the small server that
//! serves it on this machine.
//!
//! The page contains the engine, as WebAssembly; the server only serves files.
#![forbid(unsafe_code)]

mod files;
mod http;
mod server;

pub use files::{File, file, is_built};
pub use http::CONTENT_SECURITY_POLICY;
pub use server::Server;
