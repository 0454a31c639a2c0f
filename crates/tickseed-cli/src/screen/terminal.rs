//! The terminal, taken over and given back whatever happens.

use std::io::{self, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

impl Drop for Screen {
    fn drop(&mut self) {
        // Nothing can be done if these fail: the terminal is gone.
        let _ = execute!(stdout(), DisableMouseCapture);
        let _ = ratatui::try_restore();
    }
}
