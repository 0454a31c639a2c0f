//! The watched process on a full screen.

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::crossterm::event::{self, Event as Key, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};
use tickseed_record::message::{Command, TreeDef};

use super::link::Link;
use super::model::Model;
use crate::fail::Fail;
use crate::screen::look::Look;
use crate::screen::terminal::Screen;

const FRAME: Duration = Duration::from_millis(40);

pub(super) struct App {
    pub(super) model: Model,
    pub(super) look: Look,
    scroll: u16,
    pub(super) agent: Option<u32>,
    pub(super) lost: Option<String>,
}

impl App {
    pub(super) fn new(look: Look) -> App {
        App {
            model: Model::default(),
            look,
            scroll: 0,
            agent: None,
            lost: None,
        }
    }
}

pub(super) fn run(mut link: Link) -> Result<(), Fail> {
    let mut app = App::new(Look::from_environment());
    let mut screen = Screen::open()?;
    loop {
        let until = Instant::now() + FRAME;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            if let Some(event) = link.next(left.max(Duration::from_millis(1))) {
                app.model.take(event);
            }
        }
        app.agent = link.agent;
        app.lost = link.lost.as_ref().map(|(since, why)| {
            let seconds = since.elapsed().as_secs();
            format!("{why} ({seconds} s ago; trying again)")
        });
        screen.draw(|frame| draw(frame, &app))?;
        while event::poll(Duration::ZERO)? {
            if let Key::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                let stop = key.modifiers.contains(KeyModifiers::CONTROL);
                if !press(&mut app, &mut link, key.code, stop) {
                    return Ok(());
                }
            }
        }
        if screen.told_to_stop() {
            return Ok(());
        }
    }
}

/// Whether to go on.
fn press(app: &mut App, link: &mut Link, key: KeyCode, control: bool) -> bool {
    let now = app.model.control;
    match key {
        KeyCode::Char('c' | 'd') if control => return false,
        KeyCode::Char('q') | KeyCode::Esc => return false,
        KeyCode::Char(' ') if now.paused => link.send(Command::Run),
        KeyCode::Char(' ') => link.send(Command::Pause),
        KeyCode::Char('s' | '.') => link.send(Command::Step { ticks: 1 }),
        KeyCode::Char('n') | KeyCode::F(11) => link.send(Command::StepNode),
        KeyCode::Char('b' | ',') => link.send(Command::StepBack { ticks: 1 }),
        KeyCode::Char('l') => link.send(Command::Live),
        KeyCode::Char('+' | '=') => link.send(Command::Speed {
            factor: (now.speed * 2.0).min(64.0),
        }),
        KeyCode::Char('-') => link.send(Command::Speed {
            factor: (now.speed / 2.0).max(1.0 / 64.0),
        }),
        KeyCode::Tab | KeyCode::BackTab => {
            let agents = &app.model.hello.agents;
            let at = agents.iter().position(|a| Some(a.id) == link.agent);
            let step = if key == KeyCode::Tab {
                1
            } else {
                agents.len().max(1) - 1
            };
            let next = (at.unwrap_or(0) + step) % agents.len().max(1);
            if let Some(agent) = agents.get(next).map(|a| a.id) {
                app.model.forget();
                link.watch(agent);
            }
        }
        KeyCode::Up => app.scroll = app.scroll.saturating_sub(1),
        KeyCode::Down => app.scroll = app.scroll.saturating_add(1),
        KeyCode::PageUp => app.scroll = app.scroll.saturating_sub(20),
        KeyCode::PageDown => app.scroll = app.scroll.saturating_add(20),
        KeyCode::Home => app.scroll = 0,
        _ => {}
    }
    true
}

pub(super) fn draw(frame: &mut Frame<'_>, app: &App) {
    let [top, body, bottom] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [tree, keys] = if body.width >= 72 {
        Layout::horizontal([Constraint::Min(0), Constraint::Length(36)]).areas(body)
    } else {
        Layout::vertical([Constraint::Percentage(65), Constraint::Min(0)]).areas(body)
    };
    head(frame, app, top);
    let def = app.model.tree(app.agent);
    let lines = def.map(|def| tree_lines(app, def)).unwrap_or_default();
    let hidden = lines
        .len()
        .saturating_sub(usize::from(tree.height.saturating_sub(2)));
    let scroll = usize::from(app.scroll).min(hidden) as u16;
    let text = Paragraph::new(lines).scroll((scroll, 0));
    frame.render_widget(text.block(panel(app, "tree")), tree);
    let lines = def.map(|def| key_lines(app, def)).unwrap_or_default();
    frame.render_widget(Paragraph::new(lines).block(panel(app, "keys")), keys);
    foot(frame, app, bottom);
}

fn panel<'t>(app: &App, title: &'t str) -> Block<'t> {
    Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(app.look.quiet())
        .title(Line::styled(format!(" {title} "), app.look.title()))
}

fn head(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let (model, control) = (&app.model, app.model.control);
    let reversed = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
    let state = if control.paused {
        "⏸ paused"
    } else {
        "▶ running"
    };
    let behind = control.latest.saturating_sub(model.tick.tick);
    let past = if control.paused && behind > 0 && control.tick < control.latest {
        format!("   {behind} ticks behind")
    } else {
        String::new()
    };
    let mut spans = vec![
        Span::styled(format!(" {} ", model.hello.process.name), reversed),
        Span::raw(format!(
            "  {state}  {}×   {:.2} s   tick {}   agent {} of {}{past}",
            control.speed,
            model.tick.time as f64 / 1e9,
            model.tick.tick,
            app.agent.unwrap_or(0),
            model.hello.agents.len(),
        )),
    ];
    if model.dropped > 0 {
        let text = format!("   {} left out", model.dropped);
        spans.push(Span::styled(text, app.look.fg(Color::Yellow)));
    }
    frame.render_widget(Line::from(spans), area);
}

fn foot(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if let Some(lost) = &app.lost {
        let style = app.look.fg(Color::Red).add_modifier(Modifier::BOLD);
        return frame.render_widget(Line::styled(format!(" {lost}"), style), area);
    }
    let can = |name: &str| app.model.hello.can.iter().any(|c| c == name);
    let all = [
        ("space", "pause", can("pause")),
        ("s", "step", can("step")),
        ("n", "node", can("step_node")),
        ("b", "back", can("step_back")),
        ("l", "live", can("live")),
        ("+ -", "speed", can("speed")),
        ("tab", "next agent", app.model.hello.agents.len() > 1),
        ("q", "quit", true),
    ];
    let mut line = Line::default();
    for (key, what, _) in all.iter().filter(|k| k.2) {
        line.push_span(Span::styled(format!(" {key} "), app.look.title()));
        line.push_span(Span::styled(format!("{what} "), app.look.quiet()));
    }
    line.push_span(Span::styled(
        format!("  {}", app.model.said),
        app.look.fg(Color::Yellow),
    ));
    frame.render_widget(line, area);
}

/// Each key with its value, who wrote it last, and who reads it.
fn key_lines(app: &App, def: &TreeDef) -> Vec<Line<'static>> {
    let readers = |key: u32| {
        let nodes = def.nodes.iter().filter(|n| n.reads.contains(&key));
        let labels: Vec<&str> = nodes.map(|n| n.label.as_str()).collect();
        labels.join(", ")
    };
    let mut lines = Vec::new();
    for change in app.model.keys.at(app.model.tick.tick) {
        let Some(key) = def.keys.get(change.key as usize) else {
            continue;
        };
        let name = &key.name;
        lines.push(Line::from(vec![
            Span::styled(format!("{name:<18} "), app.look.quiet()),
            Span::raw(change.value.to_string()),
        ]));
        let writer = app.model.writer(def, change.writer);
        let readers = readers(change.key);
        let who = match (writer.is_empty(), readers.is_empty()) {
            (true, true) => continue,
            (false, true) => format!("  ← {writer}"),
            (true, false) => format!("  → {readers}"),
            (false, false) => format!("  ← {writer}  → {readers}"),
        };
        lines.push(Line::styled(who, app.look.quiet()));
    }
    lines
}

fn tree_lines(app: &App, def: &TreeDef) -> Vec<Line<'static>> {
    let walk = app.model.walk(def);
    let decided = walk
        .as_ref()
        .map_or(app.model.tick.deciding, |w| Some(w.cursor));
    let path: Vec<u32> = match decided {
        Some(leaf) => def.upwards(leaf).collect(),
        None => Vec::new(),
    };
    let mut all = Vec::with_capacity(def.nodes.len());
    for node in &def.nodes {
        let (look, depth) = (app.look, def.upwards(node.id).count() - 1);
        let answer = app.model.answer(node.id);
        let later = walk
            .as_ref()
            .is_some_and(|w| !w.answered.contains(&node.id));
        let open = walk.as_ref().is_some_and(|w| w.open.contains(&node.id));
        let (glyph, mut style) = match answer {
            _ if open => ("…", look.title()),
            // It is still to come in the tick that is being walked through.
            Some((_, 0)) if later => look.status(None),
            Some((Some(status), 0)) => look.status(Some(status.into())),
            Some((None, 0)) => ("!", look.fg(Color::Red)),
            // What it answered last stays, faded.
            Some((status, _)) => (look.status(status.map(Into::into)).0, look.quiet()),
            None => look.status(None),
        };
        if path.contains(&node.id) {
            style = style.add_modifier(Modifier::BOLD);
        }
        let mut note = match &node.name {
            Some(_) if node.rule != tickseed_record::message::Rule::Leaf => {
                format!(" {}", node.kind)
            }
            _ => String::new(),
        };
        if app.model.tick.halted.contains(&node.id) {
            note.push_str("  halted");
        } else if let Some((_, ago)) = answer.filter(|a| a.1 > 0) {
            note.push_str(&format!("  {ago} ticks ago"));
        }
        let decided = if path.first() == Some(&node.id) {
            " ◀"
        } else {
            ""
        };
        all.push(Line::from(vec![
            Span::raw("  ".repeat(depth)),
            Span::styled(format!("{glyph} {}{decided}", node.label), style),
            Span::styled(note, look.quiet()),
        ]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use tickseed_play::Player;
    use tickseed_record::message::Request;

    /// What stands on a screen after some ticks of the robot.
    fn shown(width: u16, height: u16, ticks: u64) -> String {
        after(width, height, [Command::Step { ticks }])
    }

    fn after(width: u16, height: u16, more: impl IntoIterator<Item = Command>) -> String {
        let mut app = App::new(Look { colour: false });
        let mut player = Player::default();
        let world = Command::World {
            name: "robot".to_owned(),
            seed: 1,
            agents: None,
        };
        for command in [world].into_iter().chain(more) {
            for event in player.handle(Request { id: None, command }) {
                app.model.take(event);
            }
        }
        app.agent = Some(0);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, &app)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn the_tree_and_the_keys_are_shown() {
        let text = shown(100, 24, 5);
        assert!(text.contains("▶ patrol ◀"), "{text}");
        assert!(text.contains("✗ battery low"), "{text}");
        assert!(text.contains("· recharge"), "{text}");
        assert!(
            text.contains("battery_low") && text.contains("false"),
            "{text}"
        );
        assert!(text.contains("tick 5"), "{text}");
    }

    #[test]
    fn keys_name_who_wrote_and_who_reads_them() {
        let input = serde_json::json!({ "input": "click", "x": 20.0, "y": 3.0 });
        let text = after(
            120,
            40,
            [Command::Input { input }, Command::Step { ticks: 1 }],
        );
        assert!(text.contains("← an input  → target visible"), "{text}");
        let text = after(120, 40, [Command::Step { ticks: 200 }]);
        assert!(text.contains("← patrol"), "{text}");
    }

    #[test]
    fn a_tick_is_shown_as_far_as_it_was_stepped() {
        let steps = |n| (0..n).map(|_| Command::StepNode);
        let text = after(100, 24, steps(1));
        assert!(text.contains("✗ battery low ◀"), "{text}");
        assert!(text.contains("… reactive selector"), "{text}");
        assert!(text.contains("· patrol"), "{text}");
        let text = after(100, 24, steps(6));
        assert!(text.contains("▶ reactive selector ◀"), "{text}");
        assert!(text.contains("▶ patrol"), "{text}");
    }

    #[test]
    fn small_screens_are_no_panic() {
        for (width, height) in [(1, 1), (10, 3), (40, 4), (71, 5), (300, 2)] {
            shown(width, height, 2);
        }
    }
}
