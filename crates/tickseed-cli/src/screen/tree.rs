//! The tree with its live statuses, one line per node.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use tickseed_core::{Def, NodeId, Status};

use super::app::App;

/// The lines of the tree.
pub(super) fn lines(app: &App) -> Vec<Line<'static>> {
    let def = app.world.def();
    let path = app.world.stage().watch().path();
    def.iter()
        .map(|(id, _)| line(app, def, &path, id))
        .collect()
}

fn line(app: &App, def: &Def, path: &[NodeId], id: NodeId) -> Line<'static> {
    let (look, stage) = (app.look, app.world.stage());
    let (node, watch) = (def.node(id), stage.watch());
    let status = watch.status(id);
    let on_path = path.contains(&id);
    let (glyph, mut style) = look.status(status);
    let mut name = match &node.name {
        Some(name) => name.to_string(),
        None => node.kind.name().to_owned(),
    };
    let mut note = if node.name.is_some() && !node.kind.is_leaf() {
        format!(" {}", node.kind.name())
    } else {
        String::new()
    };
    if on_path {
        style = style.add_modifier(Modifier::BOLD);
    }
    let mut glyph = glyph;
    if status.is_none() {
        style = look.quiet();
        // What it answered last, and how long ago.
        if let Some((last, tick)) = watch.last(id) {
            let ago = stage.step().as_secs_f64() * (watch.tick() - tick) as f64;
            // A running node is reached by every tick until it ends: this one was halted.
            let halted = last == Status::Running;
            glyph = if halted {
                "■"
            } else {
                look.status(Some(last)).0
            };
            let how = if halted { "halted " } else { "" };
            note.push_str(&format!("  {how}{}", age(ago)));
        }
    }
    if Some(&id) == path.last() {
        name.push_str(" ◀");
    }
    Line::from(vec![
        Span::styled(guides(def, id), look.quiet()),
        Span::styled(format!("{glyph} "), style),
        Span::styled(name, style),
        Span::styled(note, look.quiet()),
    ])
}

fn age(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.1} s ago"),
        s if s < 120.0 => format!("{s:.0} s ago"),
        s => format!("{:.0} min ago", s / 60.0),
    }
}

/// The lines that join a node to its ancestors.
fn guides(def: &Def, id: NodeId) -> String {
    let is_last = |n: NodeId| {
        let parent = def.node(n).parent;
        parent.is_none_or(|p| def.node(p).children.last() == Some(&n))
    };
    if def.node(id).parent.is_none() {
        return String::new();
    }
    let mut parts = vec![if is_last(id) { "└─" } else { "├─" }];
    for above in def.ancestors(id).filter(|a| def.node(*a).parent.is_some()) {
        parts.push(if is_last(above) { "  " } else { "│ " });
    }
    parts.into_iter().rev().collect()
}
