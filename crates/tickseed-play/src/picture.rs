//! Pictures of trees for a page: places for whoever draws, or the whole as SVG.

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

/// A picture and which way it grows.
#[derive(Serialize)]
pub(crate) struct Laid {
    right: bool,
    #[serde(flatten)]
    picture: Picture,
}

/// Lays a tree out.
pub(crate) fn layout(sketch: &Sketch) -> Result<Laid, String> {
    let tree = tree(sketch)?;
    let (picture, right) = best(&tree, sketch.room);
    Ok(Laid { right, picture })
}

/// Draws a tree.
pub(crate) fn svg(sketch: &Sketch) -> Result<String, String> {
    let tree = tree(sketch)?;
    let theme = if sketch.dark {
        Theme::Dark
    } else {
        Theme::Light
    };
    let (picture, _) = best(&tree, sketch.room);
    Ok(tickseed_draw::svg_of(&tree, &picture, theme))
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
