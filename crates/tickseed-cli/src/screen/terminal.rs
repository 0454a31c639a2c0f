//! Takes over the terminal, and restores it whatever happens.

use std::io::{self, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::layout::Rect;
use ratatui::{DefaultTerminal, Frame};

/// The terminal while it is ours; dropping it, also in a panic, gives it back.
pub(crate) struct Screen {
    terminal: DefaultTerminal,
    stop: Arc<AtomicBool>,
}

impl Screen {
    pub(crate) fn open() -> io::Result<Screen> {
        // In raw mode Ctrl-C is a key; these come from elsewhere.
        let stop = crate::stop::flag()?;
        end_if_deaf(Arc::clone(&stop));
        // Sets a panic hook that restores the terminal before the message is printed.
        let terminal = ratatui::try_init()?;
        let screen = Screen { terminal, stop };
        execute!(stdout(), EnableMouseCapture)?;
        Ok(screen)
    }

    /// Draws; the answer is the size of the screen.
    pub(crate) fn draw(&mut self, f: impl FnOnce(&mut Frame<'_>)) -> io::Result<Rect> {
        Ok(self.terminal.draw(f)?.area)
    }

    /// Whether a signal asked the process to end.
    pub(crate) fn told_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Ends the process if it was told to stop and does not. Once a terminal is gone, crossterm reads
/// nothing from it, again and again, and never returns to whoever would look at the flag: the
/// process would live on unseen, with a core to itself.
fn end_if_deaf(stop: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(200));
        }
        std::thread::sleep(Duration::from_secs(1));
        let _ = ratatui::try_restore();
        std::process::exit(1);
    });
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nothing can be done if these fail: the terminal is gone.
        let _ = execute!(stdout(), DisableMouseCapture);
        let _ = ratatui::try_restore();
    }
}
