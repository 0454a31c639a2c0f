//! Pictures of trees for a page: a layout to draw, or a finished SVG.

use serde::{Deserialize, Serialize};
use tickseed_draw::{Direction, Node, Options, Picture, Shape, State, Theme, Tree};
use tickseed_record::message::Status;

/// A tree to draw, node by node, parents first.
#[derive(Deserialize)]
pub(crate) struct Sketch {
    name: String,
    nodes: Vec<Stroke>,
    /// The room there is: the tree grows in the direction that fits it better.
    room: Option<(f64, f64)>,
    #[serde(default)]
    dark: bool,
}

#[derive(Deserialize)]
struct Stroke {
    parent: Option<usize>,
    #[serde(default)]
    name: String,
    kind: String,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    collapsed: bool,
    status: Option<Status>,
    /// Whether that is of the tick that is shown.
    #[serde(default)]
    now: bool,
}

/// A picture as a page draws it. Everything is in columns and rounded: for thousands of
/// nodes most of the way to a page is the text that is written and read again.
#[derive(Serialize)]
pub(crate) struct Laid {
    /// It grows to the right, not downwards.
    right: bool,
    width: f64,
    height: f64,
    /// The cards: which nodes they show, by place in the sketch.
    nodes: Vec<usize>,
    /// For each card its left side, top, width and height.
    places: Vec<f64>,
    titles: Vec<String>,
    subtitles: Vec<String>,
    /// For each card how many nodes are hidden below it.
    hidden: Vec<u32>,
    /// For each wire the nodes above and below.
    pairs: Vec<usize>,
    /// For each wire where it begins and where it ends.
    ends: Vec<f64>,
    /// For each wire what is written at it.
    labels: Vec<String>,
}

/// Lays a tree out.
pub(crate) fn layout(sketch: &Sketch) -> Result<Laid, String> {
    let tree = tree(sketch)?;
    let (picture, right) = best(&tree, sketch.room);
    // A tenth of a pixel is finer than any screen.
    let short = |x: f64| (x * 10.0).round() / 10.0;
    let mut laid = Laid {
        right,
        width: short(picture.width),
        height: short(picture.height),
        nodes: Vec::new(),
        places: Vec::new(),
        titles: Vec::new(),
        subtitles: Vec::new(),
        hidden: Vec::new(),
        pairs: Vec::new(),
        ends: Vec::new(),
        labels: Vec::new(),
    };
    for card in picture.cards {
        laid.nodes.push(card.node);
        let place = [card.x, card.y, card.width, card.height];
        laid.places.extend(place.map(short));
        laid.titles.push(card.title);
        laid.subtitles.push(card.subtitle);
        laid.hidden.push(card.hidden);
    }
    for wire in picture.wires {
        let (Some(from), Some(to)) = (wire.points.first(), wire.points.last()) else {
            continue;
        };
        laid.pairs.extend([wire.parent, wire.child]);
        laid.ends.extend([from.x, from.y, to.x, to.y].map(short));
        laid.labels.push(wire.label);
    }
    Ok(laid)
}

/// Draws a tree.
pub(crate) fn svg(sketch: &Sketch) -> Result<String, String> {
    let mut tree = tree(sketch)?;
    for i in 0..sketch.nodes.len() {
        let children = tree.children(i).len();
        let node = &mut tree.nodes_mut()[i];
        let (shape, glyph) = look(&node.kind, children);
        node.shape = shape;
        node.glyph = glyph.into();
    }
    let theme = if sketch.dark {
        Theme::Dark
    } else {
        Theme::Light
    };
    let (picture, _) = best(&tree, sketch.room);
    Ok(tickseed_draw::svg_of(&tree, &picture, theme))
}

/// A kind's shape and glyph, by its words: the tree may be one of another process.
fn look(kind: &str, children: usize) -> (Shape, &'static str) {
    match kind {
        "condition" => (Shape::Condition, "◇"),
        "wait" | "wait until" => (Shape::Action, "◷"),
        "succeed" | "fail" | "run" | "skip" | "log" => (Shape::Action, "="),
        "parallel" => (Shape::Control, "⇉"),
        "if-then-else" | "while-do-else" | "switch" => (Shape::Control, "⑂"),
        "utility" => (Shape::Control, "▤"),
        "for each" | "repeat" | "retry" => (Shape::Decorator, "↻"),
        "cooldown" | "time limit" | "delay" => (Shape::Decorator, "◷"),
        "invert" => (Shape::Decorator, "!"),
        "force success" | "force failure" => (Shape::Decorator, "="),
        "while" | "precondition" => (Shape::Decorator, "◇"),
        _ if kind.ends_with("sequence") => (Shape::Control, "→"),
        _ if kind.ends_with("selector") => (Shape::Control, "?"),
        _ if children == 0 => (Shape::Action, "●"),
        _ if children == 1 => (Shape::Decorator, "○"),
        _ => (Shape::Control, "✱"),
    }
}

fn best(tree: &Tree, room: Option<(f64, f64)>) -> (Picture, bool) {
    let lay = |direction| {
        let options = Options {
            direction,
            ..Options::default()
        };
        tickseed_draw::layout(tree, &options)
    };
    let down = lay(Direction::Down);
    let Some((width, height)) = room else {
        return (down, false);
    };
    let fits = |p: &Picture| {
        (width / p.width.max(1.0))
            .min(height / p.height.max(1.0))
            .min(1.0)
    };
    // Trees are used to grow downwards; the other way has to be worth it.
    if fits(&down) > 0.8 {
        return (down, false);
    }
    let right = lay(Direction::Right);
    if fits(&right) > 1.15 * fits(&down) {
        (right, true)
    } else {
        (down, false)
    }
}

fn tree(sketch: &Sketch) -> Result<Tree, String> {
    let node = |s: &Stroke| {
        let mut node = Node::new(s.name.clone(), s.kind.clone(), Shape::default());
        node.detail.clone_from(&s.detail);
        node.collapsed = s.collapsed;
        node.state = match s.status {
            None => State::Unknown,
            Some(status) if s.now => State::Now(status.into()),
            Some(status) => State::Earlier(status.into()),
        };
        node
    };
    let Some((root, rest)) = sketch.nodes.split_first() else {
        return Err("a tree has at least one node".into());
    };
    let mut tree = Tree::new(sketch.name.clone(), node(root));
    for (i, s) in rest.iter().enumerate() {
        match s.parent {
            Some(parent) if parent <= i => tree.add(parent, node(s)),
            _ => return Err(format!("node {} comes before its parent", i + 1)),
        };
    }
    Ok(tree)
}
