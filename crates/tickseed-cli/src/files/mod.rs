//! Commands that work on tree files.

mod check;
mod convert;
mod format;
mod input;
mod losses;
mod messages;
mod models;

pub(crate) use check::{Check, findings};
pub(crate) use convert::Convert;
pub(crate) use format::Format;
pub(crate) use input::{load, load_with, read};
pub(crate) use messages::Messages;
pub(crate) use models::Models;
