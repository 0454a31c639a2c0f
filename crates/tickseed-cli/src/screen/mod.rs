//! A world on a full screen, with keys and mouse.

mod app;
mod draw;
pub(crate) mod look;
mod scene;
pub(crate) mod terminal;
mod tree;

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::event::{MouseButton, MouseEventKind};

use crate::args::Run;
use crate::fail::Fail;
use app::App;
use terminal::Screen;

const FRAME: Duration = Duration::from_millis(33);

/// Runs a world until the user has had enough.
pub(crate) fn run(args: &Run) -> Result<(), Fail> {
    // Made first: a mistake is then reported on a terminal as it was.
    let mut app = App::new(args.clone())?;
    let mut screen = Screen::open()?;
    let mut last = Instant::now();
    loop {
        app.size = screen.draw(|frame| draw::draw(frame, &app))?;
        while event::poll(FRAME.saturating_sub(last.elapsed()))? {
            if !handle(&mut app, &event::read()?)? {
                return Ok(());
            }
        }
        if screen.told_to_stop() {
            return Ok(());
        }
        let passed = last.elapsed();
        last = Instant::now();
        app.advance(passed)?;
    }
}

/// Whether to go on.
fn handle(app: &mut App, event: &Event) -> Result<bool, Fail> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => return press(app, *key),
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
            app.click_cell(mouse.column, mouse.row);
        }
        _ => {}
    }
    Ok(true)
}

fn press(app: &mut App, key: KeyEvent) -> Result<bool, Fail> {
    let stops = KeyModifiers::CONTROL;
    match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(stops) => return Ok(false),
        KeyCode::Char('q') | KeyCode::Esc => return Ok(false),
        KeyCode::Char(' ') => app.pause(),
        KeyCode::Char('s' | '.') => app.step()?,
        KeyCode::Char('+' | '=') => app.faster(),
        KeyCode::Char('-') => app.slower(),
        KeyCode::Char('d') => app.drain(),
        KeyCode::Char('r') => app.restart()?,
        KeyCode::Tab => app.next_agent(1),
        KeyCode::BackTab => app.next_agent(-1),
        KeyCode::Left => app.aim(-1.0, 0.0),
        KeyCode::Right => app.aim(1.0, 0.0),
        KeyCode::Up => app.aim(0.0, 1.0),
        KeyCode::Down => app.aim(0.0, -1.0),
        KeyCode::Enter => app.click_aim(),
        _ => {}
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
