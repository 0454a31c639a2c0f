//! The player of [`tickseed_play`] behind four functions that any WebAssembly host can call.
//!
//! To make a call, ask [`tickseed_input`] for a buffer, write the text there, call
//! [`tickseed_handle`], and read as many bytes as it returns from [`tickseed_output`]. The module
//! only returns addresses of buffers that it keeps, so there is no `unsafe` code here and nothing
//! to free. Addresses are valid until the next call.

use std::cell::RefCell;

use tickseed_play::Player;

#[derive(Default)]
struct Host {
    player: Player,
    input: Vec<u8>,
    output: String,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

fn with<R>(f: impl FnOnce(&mut Host) -> R) -> R {
    HOST.with(|h| f(&mut h.borrow_mut()))
}

/// Room for a request of so many bytes; where it begins.
#[unsafe(no_mangle)]
pub extern "C" fn tickseed_input(len: usize) -> *mut u8 {
    with(|h| {
        h.input.clear();
        h.input.resize(len, 0);
        h.input.as_mut_ptr()
    })
}

/// Carries out the request that was written; the length of the answer, a JSON array of
/// events.
#[unsafe(no_mangle)]
pub extern "C" fn tickseed_handle() -> usize {
    with(|h| {
        h.output = h.player.handle_json(&h.input);
        h.output.len()
    })
}

/// Lets so many nanoseconds of real time pass; the length of the answer, a JSON array of
/// events.
#[unsafe(no_mangle)]
pub extern "C" fn tickseed_advance(nanoseconds: f64) -> usize {
    with(|h| {
        h.output = h.player.advance_json(nanoseconds);
        h.output.len()
    })
}

/// Where the latest answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn tickseed_output() -> *const u8 {
    with(|h| h.output.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_no_json_is_answered_with_an_error() {
        assert!(!tickseed_input(3).is_null());
        let len = tickseed_handle();
        let answer = with(|h| h.output.clone());
        assert_eq!(answer.len(), len);
        assert!(answer.contains(r#""event":"error""#), "{answer}");
        assert!(!tickseed_output().is_null());
    }
}
