//! The screen, drawn into memory.

use clap::Parser;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent};
use ratatui::layout::Rect;

use super::app::App;
use super::{draw, handle};
use crate::args::{Args, Command};

fn app(line: &str) -> App {
    let words = ["tickseed", "run"].into_iter().chain(line.split(' '));
    let Command::Run(run) = Args::parse_from(words).command else {
        panic!("`{line}` is no run");
    };
    App::new(run).unwrap()
}

fn press(app: &mut App, code: KeyCode) -> bool {
    handle(app, &Event::Key(KeyEvent::from(code))).unwrap()
}

fn shown(app: &mut App, width: u16, height: u16) -> String {
    app.size = Rect::new(0, 0, width, height);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw::draw(frame, app)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y| {
        (0..width)
            .map(|x| buffer[(x, y)].symbol())
            .collect::<String>()
    };
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

fn steps(app: &mut App, n: u32) {
    for _ in 0..n {
        press(app, KeyCode::Char('s'));
    }
}

#[test]
fn the_robot_and_its_tree_are_seen() {
    let mut app = app("robot");
    steps(&mut app, 20);
    let screen = shown(&mut app, 120, 40);
    for wanted in [
        "paused",
        "tick 20",
        "▶ reactive selector",
        "✗ battery low",
        "▶ patrol ◀",
        "· recharge",
        "charger",
        "battery",
    ] {
        assert!(screen.contains(wanted), "no `{wanted}` in\n{screen}");
    }
}

#[test]
fn the_tree_is_seen_on_the_smallest_screen() {
    let mut app = app("robot");
    steps(&mut app, 20);
    let screen = shown(&mut app, 50, 14);
    assert!(screen.contains("▶ reactive selector"), "{screen}");
    // Where there is room for all of it, all of it is seen.
    let screen = shown(&mut app, 50, 22);
    assert!(screen.contains("▶ patrol ◀"), "{screen}");
}

#[test]
fn figures_that_do_not_fit_are_left_out_whole() {
    let mut app = app("boss");
    steps(&mut app, 3);
    let top = |width| {
        shown(&mut app, width, 30)
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    let tops = [60, 70, 76, 80, 90, 120].map(top);
    let ends = ["seed 0", " agents", " bytes", " a second"];
    for top in &tops {
        assert!(ends.iter().any(|e| top.trim_end().ends_with(e)), "{top}");
    }
    assert!(tops[5].contains(" agents of ") && tops[5].contains(" a second"));
}

#[test]
fn keys_and_clicks_reach_the_world() {
    let mut app = app("robot");
    steps(&mut app, 5);
    press(&mut app, KeyCode::Right);
    press(&mut app, KeyCode::Enter);
    steps(&mut app, 1);
    assert!(shown(&mut app, 120, 40).contains("▶ approach ◀"));
    press(&mut app, KeyCode::Char('d'));
    steps(&mut app, 1);
    let screen = shown(&mut app, 120, 40);
    assert!(screen.contains("▶ recharge ◀"), "{screen}");
    assert!(screen.contains("■ patrol  halted 0.1 s ago"), "{screen}");
    assert!(screen.contains("drain the battery"), "{screen}");
    press(&mut app, KeyCode::Char('r'));
    steps(&mut app, 1);
    assert!(shown(&mut app, 120, 40).contains("▶ patrol ◀"));
    app.click_cell(30, 20);
    steps(&mut app, 1);
    assert!(shown(&mut app, 120, 40).contains("▶ approach ◀"));
    assert!(!press(&mut app, KeyCode::Char('q')));
}

#[test]
fn a_pause_holds_and_speed_counts() {
    let mut app = app("robot");
    let second = std::time::Duration::from_secs(1);
    app.advance(second).unwrap();
    assert_eq!(app.world.stage().ticks(), 20);
    press(&mut app, KeyCode::Char('+'));
    app.advance(second).unwrap();
    assert_eq!(app.world.stage().ticks(), 60);
    press(&mut app, KeyCode::Char(' '));
    app.advance(second).unwrap();
    assert_eq!(app.world.stage().ticks(), 60);
}

#[test]
fn every_world_fits_every_screen() {
    for info in tickseed_worlds::WORLDS {
        let mut app = app(info.name);
        steps(&mut app, 30);
        press(&mut app, KeyCode::Tab);
        steps(&mut app, 1);
        for (w, h) in [(120, 40), (80, 24), (200, 60), (40, 14), (20, 5), (1, 1)] {
            let screen = shown(&mut app, w, h);
            assert_eq!(screen.contains("tickseed"), w >= 40, "{w} x {h}:\n{screen}");
        }
    }
}
