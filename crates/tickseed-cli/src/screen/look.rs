//! Colours and glyphs. Each status has its own glyph, so colour is only an aid; colours are the
//! terminal's sixteen, which its theme makes readable, light or dark.

use ratatui::style::{Color, Modifier, Style};
use tickseed_core::Status;
use tickseed_worlds::Tone;

/// Colours, or none where the user wants none (`NO_COLOR`).
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) colour: bool,
}

impl Look {
    pub(crate) fn from_environment() -> Look {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Look { colour: !unwanted }
    }

    pub(crate) fn fg(self, colour: Color) -> Style {
        if self.colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    pub(crate) fn status(self, status: Option<Status>) -> (&'static str, Style) {
        match status {
            Some(Status::Success) => ("✓", self.fg(Color::Green)),
            Some(Status::Failure) => ("✗", self.fg(Color::Red)),
            Some(Status::Running) => ("▶", self.fg(Color::Cyan)),
            Some(Status::Skipped) => ("↷", self.fg(Color::Magenta)),
            None => ("·", self.quiet()),
        }
    }

    pub(crate) fn quiet(self) -> Style {
        if self.colour {
            Style::new().fg(Color::DarkGray)
        } else {
            Style::new().add_modifier(Modifier::DIM)
        }
    }

    pub(crate) fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn tone(self, tone: Tone) -> Color {
        if !self.colour {
            return Color::Reset;
        }
        match tone {
            Tone::Quiet => Color::DarkGray,
            Tone::Plain => Color::Reset,
            Tone::Agent => Color::Blue,
            Tone::Focus => Color::Cyan,
            Tone::Good => Color::Green,
            Tone::Goal => Color::Yellow,
            Tone::Bad => Color::Red,
        }
    }
}
