//! Names for leaves that random trees make up.

use std::sync::{Mutex, PoisonError};

/// The name `x0`, `x1`, ... for a number. Each is made once in the life of the program.
#[must_use]
pub fn numbered(i: usize) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    while names.len() <= i {
        let name = format!("x{}", names.len());
        names.push(name.leak());
    }
    names[i]
}

/// The name that was made before and reads like this.
pub(super) fn known(text: &str) -> Option<&'static str> {
    let i: usize = text.strip_prefix('x')?.parse().ok()?;
    Some(numbered(i)).filter(|name| *name == text)
}
