//! The screen: the places of its panels, and their contents.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};
use tickseed_worlds::{Bar, Tone, Value};

use super::app::App;
use super::{scene, tree};

/// The panels of a screen of some size.
pub(super) struct Panels {
    top: Rect,
    scene: Rect,
    tree: Rect,
    facts: Rect,
    log: Rect,
    keys: Rect,
}

impl Panels {
    /// Side by side on a wide screen, one above the other on a narrow one.
    pub(super) fn of(size: Rect, nodes: usize) -> Panels {
        let [top, body, keys] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(1),
        ])
        .areas(size);
        let halves = if size.width >= 72 {
            let side = if size.width >= 110 { 46 } else { 36 };
            Layout::horizontal([Constraint::Min(0), Constraint::Length(side)])
        } else {
            Layout::vertical([Constraint::Percentage(45), Constraint::Min(0)])
        };
        let [scene, side] = halves.areas(body);
        // The tree comes first; what is left goes to the facts, and the decisions need not be.
        let wanted = u16::try_from(nodes).unwrap_or(u16::MAX).saturating_add(2);
        let least = if side.height >= 14 { 6 } else { 0 };
        let rows = wanted.min(side.height - least);
        // A border around nothing tells nothing.
        let rows = match side.height - rows {
            ..3 => side.height,
            _ => rows,
        };
        let log = if side.height - rows >= 18 { 7 } else { 0 };
        let [tree, facts, log] = Layout::vertical([
            Constraint::Length(rows),
            Constraint::Fill(1),
            Constraint::Length(log),
        ])
        .areas(side);
        Panels {
            top,
            scene,
            tree,
            facts,
            log,
            keys,
        }
    }

    /// The scene within its border.
    pub(super) fn scene_inside(&self) -> Rect {
        self.scene.inner(Margin::new(1, 1))
    }
}

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App) {
    let size = frame.area();
    if size.width < 40 || size.height < 14 {
        let words = "too small: at least 40 columns and 14 lines are needed (q quits)";
        frame.render_widget(Paragraph::new(words).wrap(Default::default()), size);
        return;
    }
    let at = Panels::of(size, app.world.def().len());
    top(frame, app, at.top);
    let view = app.world.view();
    let mut block = panel(app, app.world.info().name);
    if let Some(said) = &app.said {
        let style = app.look.fg(Color::Yellow);
        block = block.title_bottom(Line::styled(format!(" {said} "), style));
    }
    scene::render(
        &view,
        app.aim,
        app.look,
        block,
        at.scene,
        frame.buffer_mut(),
    );
    let text = Paragraph::new(tree::lines(app)).block(panel(app, "tree"));
    frame.render_widget(text, at.tree);
    facts(frame, app, &view.bars, &view.notes, at.facts);
    log(frame, app, at.log);
    keys(frame, app, at.keys);
}

fn panel<'t>(app: &App, title: &'t str) -> Block<'t> {
    Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(app.look.quiet())
        .title(Line::styled(format!(" {title} "), app.look.title()))
}

fn top(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let (look, stage) = (app.look, app.world.stage());
    let reversed = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
    let state = if app.paused {
        "⏸ paused"
    } else {
        "▶ running"
    };
    let mut spans = vec![
        Span::styled(" tickseed ", reversed),
        Span::raw(format!(
            "  {state}  {}×   {:.2} s   tick {}   seed {}",
            app.speed(),
            stage.time().as_secs_f64(),
            stage.ticks(),
            stage.seed(),
        )),
    ];
    if app.behind {
        let slow = "   slower than asked";
        spans.push(Span::styled(slow, look.fg(Color::Yellow)));
    }
    if app.world.agents() > 1 {
        let rate = match app.rate {
            r if r >= 1e6 => format!("{:.1} M", r / 1e6),
            r => format!("{:.0} k", r / 1e3),
        };
        let (agents, figures) = (app.world.agents(), app.world.figures());
        let bytes = figures.map_or(app.world.bytes_per_agent() as f64, |f| {
            f.state_bytes + f.scheduling_bytes
        });
        spans.push(Span::raw(format!("   {agents} agents")));
        spans.push(Span::raw(format!(" of {bytes:.0} bytes")));
        spans.push(Span::raw(format!(", {rate} a second")));
        if let Some(f) = figures.filter(|f| f.sleeps) {
            let share = f.asleep as f64 * 100.0 / f64::from(agents);
            spans.push(Span::raw(format!(", {share:.1} % asleep")));
        }
    }
    // Half a number is none.
    let mut room = usize::from(area.width);
    spans.retain(|span| {
        let fits = span.width() <= room;
        room -= if fits { span.width() } else { 0 };
        fits
    });
    frame.render_widget(Line::from(spans), area);
}

/// Bars, counts, scores, keys.
fn facts(frame: &mut Frame<'_>, app: &App, bars: &[Bar], notes: &[(&str, String)], area: Rect) {
    let look = app.look;
    let mut lines: Vec<Line<'static>> = bars.iter().map(|b| bar(app, b, area)).collect();
    let scores = app.world.scores();
    if !scores.is_empty() {
        lines.push(Line::styled("scores", look.quiet()));
        let def = app.world.def();
        let running = app.world.stage().watch().path().get(1).copied();
        let branches = &def.node(tickseed_core::NodeId::ROOT).children;
        for (&child, score) in branches.iter().zip(scores) {
            let label = def.node(child).label().to_owned();
            let chosen = running == Some(child);
            let tone = if chosen { Tone::Focus } else { Tone::Quiet };
            lines.push(bar(app, &Bar::new(label, score as f32, tone), area));
        }
    }
    let doing = app.world.doing();
    if !doing.is_empty() {
        let all = app.world.agents() as f32;
        lines.push(Line::styled("everyone", look.quiet()));
        lines.extend(doing.into_iter().map(|(what, n)| {
            let label = format!("{what} {n}");
            bar(app, &Bar::new(label, n as f32 / all, Tone::Agent), area)
        }));
    }
    let fact = |name: &str, value: String| {
        Line::from(vec![
            Span::styled(format!("{name:<16}"), look.quiet()),
            Span::raw(value),
        ])
    };
    lines.extend(notes.iter().map(|(name, value)| fact(name, value.clone())));
    for key in app.world.keys(app.world.stage().focus()) {
        let value = match key.value {
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i.to_string(),
            Value::Float(f) => format!("{f:.2}"),
        };
        lines.push(fact(key.name, value));
    }
    frame.render_widget(Paragraph::new(lines).block(panel(app, "facts")), area);
}

/// A bar as wide as its panel lets it be.
fn bar(app: &App, bar: &Bar, panel: Rect) -> Line<'static> {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    // Beside it stand its label and its value, and the panel has a border.
    let width = usize::from(panel.width)
        .saturating_sub(16 + 6 + 2)
        .clamp(4, 24);
    let eighths = (bar.value * (width * 8) as f32).round() as usize;
    let mut filled = "█".repeat(eighths / 8);
    filled.push_str(PARTS[eighths % 8]);
    let style = Style::new().fg(app.look.tone(bar.tone));
    Line::from(vec![
        Span::styled(format!("{:<16}", bar.label), app.look.quiet()),
        Span::styled(format!("{filled:<width$}"), style),
        Span::raw(format!("{:>4.0} %", bar.value * 100.0)),
    ])
}

/// The latest changes of the deciding leaf, newest first.
fn log(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let def = app.world.def();
    let lines: Vec<Line<'_>> = app
        .changes
        .iter()
        .rev()
        .take(area.height as usize)
        .enumerate()
        .map(|(i, c)| {
            let style = if i == 0 {
                app.look.title()
            } else {
                app.look.quiet()
            };
            Line::styled(
                format!("{:>8.2} s  {}", c.seconds, def.node(c.leaf).label()),
                style,
            )
        })
        .collect();
    frame.render_widget(Paragraph::new(lines).block(panel(app, "decisions")), area);
}

fn keys(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let info = app.world.info();
    let drain = info.drain_label.to_lowercase();
    let mut all = vec![
        ("space", "pause"),
        ("s", "step"),
        ("+ -", "speed"),
        ("d", &drain),
        ("r", "restart"),
        ("q", "quit"),
        ("click or arrows ⏎", info.click),
    ];
    if info.crowd {
        all.insert(4, ("tab", "watch next"));
    }
    let mut line = Line::default();
    for (key, what) in all {
        let before = line.spans.len();
        line.push_span(Span::styled(format!(" {key} "), app.look.title()));
        line.push_span(Span::styled(format!("{what} "), app.look.quiet()));
        // What does not fit is left out whole.
        if line.width() > usize::from(area.width) {
            line.spans.truncate(before);
        }
    }
    frame.render_widget(line, area);
}
