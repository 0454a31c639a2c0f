//! The studio: a web page in which a tree is run, watched and rewound, and the small server
//! that hands it out on this machine.
//!
//! The page carries the engine with it, as WebAssembly: the server only serves files.
#![forbid(unsafe_code)]

mod files;
mod http;
mod server;

pub use files::{File, file, is_built};
pub use http::CONTENT_SECURITY_POLICY;
pub use server::Server;
