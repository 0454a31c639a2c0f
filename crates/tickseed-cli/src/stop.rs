//! Requests to stop: Ctrl-C, or an orderly termination of the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that is set once the process is to end.
pub(crate) fn flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
    ] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
