//! A tree as a standalone SVG.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use crate::icons::{icon, state_icon};
use crate::layout::{BASELINES, Card, GLYPH_X, HEIGHTS, Options, Picture, TEXT_X, Wire, layout};
use crate::outline::outline;
use crate::place::Point;
use crate::theme::{Theme, style};
use crate::tree::{Shape, State, Tree};

/// The tree as a standalone SVG: readable in light and dark, with states shown by glyph and colour,
/// children numbered in order, and a description for screen readers.
///
/// ```
/// use tickseed_draw::{Node, Options, Shape, Theme, Tree, svg};
/// let tree = Tree::new("a < b", Node::new("root", "selector", Shape::Control));
/// let text = svg(&tree, &Options::default(), Theme::Auto);
/// assert!(text.starts_with("<svg ") && text.contains("<title>a &lt; b</title>"));
/// ```
#[must_use]
pub fn svg(tree: &Tree, options: &Options, theme: Theme) -> String {
    svg_of(tree, &layout(tree, options), theme)
}

/// Like [`svg`], for a picture that is already laid out. The picture must be this tree's.
#[must_use]
pub fn svg_of(tree: &Tree, picture: &Picture, theme: Theme) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_svg(&mut out, tree, picture, theme);
    out
}

/// How many nodes are described to a screen reader one by one.
const MOST_TOLD: usize = 200;

fn write_svg(out: &mut String, tree: &Tree, picture: &Picture, theme: Theme) -> fmt::Result {
    let (w, h) = (Px(picture.width), Px(picture.height));
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">"
    )?;
    let n = tree.nodes().len();
    writeln!(out, "<title>{}</title>", Escaped(&tree.name))?;
    write!(
        out,
        "<desc>Behaviour tree, {n} node{}.",
        if n == 1 { "" } else { "s" }
    )?;
    if n <= MOST_TOLD {
        write!(out, "\n{}", Escaped(&outline(tree)))?;
    }
    writeln!(out, "</desc>")?;
    writeln!(out, "<style>{}</style>", style(theme))?;
    icons(out, tree, picture)?;
    writeln!(
        out,
        "<rect class=\"paper\" width=\"{w}\" height=\"{h}\" rx=\"12\"/>"
    )?;
    wires(out, tree, picture)?;
    let ticked = tree.nodes().iter().any(|n| n.state.is_now());
    for c in &picture.cards {
        card(out, tree, c, ticked)?;
    }
    writeln!(out, "</svg>")
}

/// The icons that are used, once each.
fn icons(out: &mut String, tree: &Tree, picture: &Picture) -> fmt::Result {
    let mut seen = Vec::new();
    out.push_str("<defs>");
    for card in &picture.cards {
        let node = &tree.nodes()[card.node];
        let both = [
            icon(&node.glyph).map(|i| ("k", i)),
            state_icon(node.state).map(|i| ("s", i)),
        ];
        for (prefix, icon) in both.into_iter().flatten() {
            if !seen.contains(&(prefix, icon.name)) {
                seen.push((prefix, icon.name));
                write!(
                    out,
                    "<path id=\"{prefix}-{}\" d=\"{}\"/>",
                    icon.name, icon.path
                )?;
            }
        }
    }
    writeln!(out, "</defs>")
}

/// Edges, the plain ones first so that what ran lies on top, then their labels.
fn wires(out: &mut String, tree: &Tree, picture: &Picture) -> fmt::Result {
    let off: Vec<bool> = {
        let mut off = alloc::vec![false; tree.nodes().len()];
        for card in &picture.cards {
            off[card.node] = card.disabled;
        }
        off
    };
    let rank = |wire: &Wire| {
        let state = tree.nodes()[wire.child].state;
        match (state.is_now(), state.word()) {
            (false, _) => 0,
            (true, "running") => 2,
            (true, _) => 1,
        }
    };
    for layer in 0..3 {
        let class = ["wire", "wire ticked", "wire running"][layer];
        for wire in picture.wires.iter().filter(|w| rank(w) == layer) {
            let off = if off[wire.child] { " off" } else { "" };
            write!(out, "<path class=\"{class}{off}\" d=\"")?;
            path(out, &wire.points)?;
            out.push_str("\"/>\n");
        }
    }
    for wire in picture.wires.iter().filter(|w| !w.label.is_empty()) {
        let (x, y) = (wire.label_at.x, wire.label_at.y);
        let width = (wire.label_width + 9.0).max(16.0);
        writeln!(
            out,
            "<rect class=\"pin\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"16\" rx=\"8\"/>\
             <text class=\"n\" x=\"{}\" y=\"{}\">{}</text>",
            Px(x - width / 2.0),
            Px(y - 8.0),
            Px(width),
            Px(x),
            Px(y + 3.6),
            Escaped(&wire.label)
        )?;
    }
    Ok(())
}

/// A line with rounded corners; corners are rounded less where a piece is short.
fn path(out: &mut String, points: &[Point]) -> fmt::Result {
    const RADIUS: f64 = 8.0;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Ok(());
    };
    write!(out, "M{} {}", Px(first.x), Px(first.y))?;
    for corner in points.windows(3) {
        let [a, b, c] = [corner[0], corner[1], corner[2]];
        // All pieces run along an axis.
        let length = |p: Point, q: Point| (p.x - q.x).abs() + (p.y - q.y).abs();
        let (before, after) = (length(a, b), length(b, c));
        let radius = RADIUS.min(before / 2.0).min(after / 2.0);
        let toward = |p: Point, whole: f64| {
            let part = if whole > 0.0 { radius / whole } else { 0.0 };
            (Px(b.x + (p.x - b.x) * part), Px(b.y + (p.y - b.y) * part))
        };
        let (from, to) = (toward(a, before), toward(c, after));
        write!(
            out,
            "L{} {}Q{} {} {} {}",
            from.0,
            from.1,
            Px(b.x),
            Px(b.y),
            to.0,
            to.1
        )?;
    }
    write!(out, "L{} {}", Px(last.x), Px(last.y))
}

fn card(out: &mut String, tree: &Tree, c: &Card, ticked: bool) -> fmt::Result {
    let node = &tree.nodes()[c.node];
    write!(out, "<g class=\"{}", node.shape.word())?;
    match node.state {
        State::Unknown if ticked => out.push_str(" idle"),
        State::Unknown => {}
        State::Earlier(_) => write!(
            out,
            " {} earlier{}",
            node.state.word(),
            if ticked { " idle" } else { "" }
        )?,
        _ => write!(out, " {} now", node.state.word())?,
    }
    if c.disabled {
        out.push_str(" off");
    }
    write!(out, "\" transform=\"translate({},{})\"", Px(c.x), Px(c.y))?;
    if !node.id.is_empty() {
        write!(out, " data-id=\"{}\"", Escaped(&node.id))?;
    }
    out.push('>');
    write!(out, "<title>{}", Escaped(node.title()))?;
    let subtitle = node.subtitle();
    if !subtitle.is_empty() {
        write!(out, "\n{}", Escaped(&subtitle))?;
    }
    match node.state {
        State::Unknown => {}
        State::Earlier(_) => write!(out, "\nearlier: {}", node.state.word())?,
        _ => write!(out, "\n{}", node.state.word())?,
    }
    if c.disabled {
        out.push_str("\ndisabled");
    }
    out.push_str("</title>");
    frame(out, node.shape, c)?;
    glyph(out, node.shape, &node.glyph, c.height / 2.0)?;
    let two = c.height > HEIGHTS[0];
    let first = BASELINES[usize::from(two)];
    write!(
        out,
        "<text class=\"t\" x=\"{}\" y=\"{}\">{}</text>",
        Px(TEXT_X),
        Px(first),
        Escaped(&c.title)
    )?;
    if two {
        write!(
            out,
            "<text class=\"s\" x=\"{}\" y=\"{}\">{}</text>",
            Px(TEXT_X),
            Px(BASELINES[2]),
            Escaped(&c.subtitle)
        )?;
    }
    if c.hidden > 0 {
        let text = alloc::format!("+{}", c.hidden);
        let width = 8.0 + 6.0 * text.len() as f64;
        let x = c.width / 2.0;
        write!(
            out,
            "<rect class=\"more\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"16\" rx=\"8\"/>\
             <text class=\"n\" x=\"{}\" y=\"{}\">{text}</text>",
            Px(x - width / 2.0),
            Px(c.height - 8.0),
            Px(width),
            Px(x),
            Px(c.height + 3.6),
        )?;
    }
    if let Some(icon) = state_icon(node.state) {
        write!(
            out,
            "<g class=\"badge\" transform=\"translate({},1)\"><circle class=\"ring\" r=\"9\" stroke-width=\"2\"/>\
             <use href=\"#s-{}\" class=\"mark {}\"/></g>",
            Px(c.width - 7.0),
            icon.name,
            if icon.filled { "solid" } else { "on" }
        )?;
    }
    out.push_str("</g>\n");
    Ok(())
}

/// A card's outline. Shapes differ, so that colour only helps.
fn frame(out: &mut String, shape: Shape, c: &Card) -> fmt::Result {
    let (w, h) = (c.width, c.height);
    let mut rect = |x: f64, radius: f64| {
        write!(
            out,
            "<rect class=\"card\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            Px(x),
            Px(x),
            Px(w),
            Px(h),
            Px(radius)
        )
    };
    if c.hidden > 0 || shape == Shape::Subtree {
        rect(4.0, 8.0)?;
    }
    match shape {
        Shape::Control | Shape::Action | Shape::Subtree => rect(0.0, 8.0),
        Shape::Condition => rect(0.0, h / 2.0),
        Shape::Decorator => {
            let cut = 9.0;
            write!(
                out,
                "<path class=\"card\" stroke-linejoin=\"round\" d=\"M{cut} 0H{}L{} {cut}V{}L{} {}H{cut}L0 {}V{cut}Z\"/>",
                Px(w - cut),
                Px(w),
                Px(h - cut),
                Px(w - cut),
                Px(h),
                Px(h - cut)
            )
        }
    }
}

fn glyph(out: &mut String, shape: Shape, glyph: &str, y: f64) -> fmt::Result {
    let (x, y) = (Px(GLYPH_X), Px(y));
    match shape {
        Shape::Condition | Shape::Decorator => {
            write!(
                out,
                "<circle class=\"chip\" cx=\"{x}\" cy=\"{y}\" r=\"11\"/>"
            )?;
        }
        _ => write!(
            out,
            "<rect class=\"chip\" x=\"{}\" y=\"{}\" width=\"22\" height=\"22\" rx=\"6\"/>",
            Px(x.0 - 11.0),
            Px(y.0 - 11.0)
        )?,
    }
    match icon(glyph) {
        Some(icon) => write!(
            out,
            "<use href=\"#k-{}\" class=\"icon{}\" x=\"{x}\" y=\"{y}\"/>",
            icon.name,
            if icon.filled { " full" } else { "" }
        ),
        None => write!(
            out,
            "<text class=\"g\" x=\"{x}\" y=\"{}\">{}</text>",
            Px(y.0 + 4.3),
            Escaped(glyph)
        ),
    }
}

/// A number of pixels with at most one decimal.
#[derive(Clone, Copy)]
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0 + if self.0 < 0.0 { -0.5 } else { 0.5 }) as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        let (whole, part) = (tenths.abs() / 10, tenths.abs() % 10);
        if part == 0 {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{part}")
        }
    }
}

/// Text as XML holds it, in content and in attributes. What XML cannot hold is replaced.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' => f.write_char(c)?,
                '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                _ => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
