//! From a tree to positioned cards and wires, which a page or an SVG draws.

use alloc::string::String;
use alloc::vec::Vec;

use crate::place::{Align, Direction, Point, Size, Spacing, place};
use crate::text::{Font, shorten, text_width};
use crate::tree::Tree;

/// The font of a card's first line.
pub const TITLE: Font = Font {
    size: 13.0,
    bold: true,
};
/// The font of a card's second line.
pub const SUBTITLE: Font = Font {
    size: 11.0,
    bold: false,
};
/// The font of the numbers and words on edges.
pub const EDGE: Font = Font {
    size: 10.0,
    bold: true,
};
/// Room around the whole picture.
pub const MARGIN: f64 = 24.0;
/// From a card's left side to its glyph's middle.
pub const GLYPH_X: f64 = 21.0;
/// From a card's left side to its text.
pub const TEXT_X: f64 = 40.0;
/// Height of a card with one line, and with two.
pub const HEIGHTS: [f64; 2] = [34.0, 48.0];
/// From a card's top to the baselines: one line; the first and the second of two.
pub const BASELINES: [f64; 3] = [21.5, 20.5, 36.0];

const PAD_RIGHT: f64 = 14.0;
const LEAST_WIDTH: f64 = 84.0;

/// How a tree is laid out.
///
/// ```
/// use tickseed_draw::{Direction, Options};
/// let options = Options { direction: Direction::Right, ..Options::default() };
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Which way the tree grows.
    pub direction: Direction,
    /// Whether nodes of the same depth are aligned.
    pub align: Align,
    /// The maximum width of text in a card; longer text is shortened.
    pub widest: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            direction: Direction::Down,
            align: Align::Levels,
            widest: 200.0,
        }
    }
}

impl Options {
    /// The distances that belong to these options.
    #[must_use]
    pub fn spacing(&self) -> Spacing {
        let (siblings, cousins, levels) = match self.direction {
            Direction::Down => (16.0, 32.0, 56.0),
            Direction::Right => (10.0, 20.0, 64.0),
        };
        Spacing {
            direction: self.direction,
            align: self.align,
            siblings,
            cousins,
            levels,
        }
    }
}

/// A laid-out tree. The unit is a CSS pixel.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Picture {
    /// Its width, including margins.
    pub width: f64,
    /// Its height, including margins.
    pub height: f64,
    /// The visible nodes, in the order of their indices.
    pub cards: Vec<Card>,
    /// The edges between them, one for each card but the first.
    pub wires: Vec<Wire>,
}

/// A node's place, and its text cut to fit.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Card {
    /// Its index in the tree.
    pub node: usize,
    /// Its left side.
    pub x: f64,
    /// Its top.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The first line, in [`TITLE`].
    pub title: String,
    /// The second line, in [`SUBTITLE`]; empty when there is none.
    pub subtitle: String,
    /// Its depth; the root is at 0.
    pub depth: u32,
    /// How many nodes are hidden below it.
    pub hidden: u32,
    /// Whether it, or a node above it, is switched off.
    pub disabled: bool,
}

/// An edge from a parent to a child: out of the parent, along a line that all its edges share,
/// into the child.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Wire {
    /// The parent's index in the tree.
    pub parent: usize,
    /// The child's index in the tree.
    pub child: usize,
    /// Its corners: two points if it is straight, otherwise four.
    pub points: Vec<Point>,
    /// The child's number, or words; empty for an only child.
    pub label: String,
    /// The middle of the label.
    pub label_at: Point,
    /// The label's width without padding, in [`EDGE`].
    pub label_width: f64,
}

/// Lays a tree out. The layout depends on the nodes' texts and on what is collapsed, not on states,
/// so a picture does not move while its tree is ticked.
///
/// ```
/// use tickseed_draw::{Node, Options, Shape, Tree, layout};
/// let mut tree = Tree::new("robot", Node::new("", "selector", Shape::Control));
/// tree.add(0, Node::new("recharge", "action", Shape::Action));
/// tree.add(0, Node::new("patrol", "action", Shape::Action));
/// let picture = layout(&tree, &Options::default());
/// assert_eq!(picture.cards.len(), 3);
/// assert_eq!(picture.wires[1].label, "2");
/// assert!(picture.cards[1].x < picture.cards[2].x);
/// ```
#[must_use]
pub fn layout(tree: &Tree, options: &Options) -> Picture {
    let survey = tree.survey();
    let mut spacing = options.spacing();
    let shown: Vec<usize> = (0..tree.nodes().len())
        .filter(|&i| survey.shown[i])
        .collect();
    let mut place_of = alloc::vec![0_u32; tree.nodes().len()];
    for (k, &i) in shown.iter().enumerate() {
        place_of[i] = k as u32;
    }
    let parents: Vec<Option<u32>> = shown
        .iter()
        .map(|&i| tree.parent(i).map(|p| place_of[p]))
        .collect();
    let mut cards: Vec<Card> = shown
        .iter()
        .map(|&i| {
            let node = &tree.nodes()[i];
            let title = shorten(node.title(), TITLE, options.widest);
            let subtitle = shorten(&node.subtitle(), SUBTITLE, options.widest);
            let text = text_width(&title, TITLE).max(text_width(&subtitle, SUBTITLE));
            Card {
                node: i,
                x: 0.0,
                y: 0.0,
                width: even(TEXT_X + text + PAD_RIGHT).max(LEAST_WIDTH),
                height: HEIGHTS[usize::from(!subtitle.is_empty())],
                title,
                subtitle,
                depth: survey.depth[i],
                hidden: if node.collapsed { survey.below[i] } else { 0 },
                disabled: survey.disabled[i],
            }
        })
        .collect();
    let sizes: Vec<Size> = cards
        .iter()
        .map(|c| Size {
            width: c.width,
            height: c.height,
        })
        .collect();
    let labels: Vec<String> = cards
        .iter()
        .map(|c| {
            let most = match options.direction {
                Direction::Down => c.width.max(LEAST_WIDTH),
                Direction::Right => LEAST_WIDTH,
            };
            shorten(&tree.edge_label(c.node), EDGE, most)
        })
        .collect();
    if options.direction == Direction::Right {
        // Labels are in the half of the space nearer to the children.
        let widest = labels
            .iter()
            .map(|l| text_width(l, EDGE))
            .fold(0.0, f64::max);
        spacing.levels = spacing.levels.max(even(2.0 * (widest + 25.0)));
    }
    let places = place(&parents, &sizes, &spacing);
    let (mut width, mut height) = (0.0_f64, 0.0_f64);
    for (card, at) in cards.iter_mut().zip(places) {
        (card.x, card.y) = (at.x + MARGIN, at.y + MARGIN);
        width = width.max(card.x + card.width);
        height = height.max(card.y + card.height);
    }
    let wires = cards
        .iter()
        .zip(&parents)
        .zip(labels)
        .filter_map(|((card, parent), label)| {
            let from = &cards[(*parent)? as usize];
            Some(wire(from, card, label, &spacing))
        })
        .collect();
    Picture {
        width: width + MARGIN,
        height: height + MARGIN,
        cards,
        wires,
    }
}

/// The next even integer, so that the middles of cards fall on whole pixels.
fn even(width: f64) -> f64 {
    let half = width / 2.0;
    let whole = half as u32;
    f64::from(whole + u32::from(f64::from(whole) < half)) * 2.0
}

fn wire(from: &Card, to: &Card, label: String, spacing: &Spacing) -> Wire {
    let half = spacing.levels / 2.0;
    let middle = |c: &Card| Point {
        x: c.x + c.width / 2.0,
        y: c.y + c.height / 2.0,
    };
    let (start, end) = (middle(from), middle(to));
    // In the picture's own axes: where it leaves, the shared line, where it arrives.
    let (mut points, label_at) = match spacing.direction {
        Direction::Down => {
            let shared = to.y - half;
            let points = [
                (start.x, from.y + from.height),
                (start.x, shared),
                (end.x, shared),
                (end.x, to.y),
            ];
            (points, (end.x, to.y - half / 2.0))
        }
        Direction::Right => {
            let shared = to.x - half;
            let points = [
                (from.x + from.width, start.y),
                (shared, start.y),
                (shared, end.y),
                (to.x, end.y),
            ];
            (points, (to.x - half / 2.0, end.y))
        }
    };
    let straight = match spacing.direction {
        Direction::Down => (start.x - end.x).abs() < 0.5,
        Direction::Right => (start.y - end.y).abs() < 0.5,
    };
    let points = if straight {
        // A rounding error must not show as a kink.
        match spacing.direction {
            Direction::Down => points[3].0 = points[0].0,
            Direction::Right => points[3].1 = points[0].1,
        }
        Vec::from([points[0], points[3]])
    } else {
        Vec::from(points)
    };
    Wire {
        parent: from.node,
        child: to.node,
        points: points.into_iter().map(|(x, y)| Point { x, y }).collect(),
        label_width: text_width(&label, EDGE),
        label,
        label_at: Point {
            x: label_at.0,
            y: label_at.1,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Node, Shape};

    fn tree() -> Tree {
        let mut tree = Tree::new("t", Node::new("root", "selector", Shape::Control));
        let a = tree.add(0, Node::new("a", "sequence", Shape::Control));
        tree.add(a, Node::new("", "x", Shape::Action));
        tree.add(a, Node::new("", "y", Shape::Action));
        tree.add(0, Node::new("b", "action", Shape::Action));
        tree
    }

    #[test]
    fn collapsed_nodes_hide_and_count_what_is_below() {
        let mut tree = tree();
        tree.nodes_mut()[1].collapsed = true;
        let picture = layout(&tree, &Options::default());
        let nodes: Vec<_> = picture.cards.iter().map(|c| (c.node, c.hidden)).collect();
        assert_eq!(nodes, [(0, 0), (1, 2), (4, 0)]);
        assert_eq!(picture.wires.len(), 2);
    }

    #[test]
    fn wires_go_from_card_to_card_and_inside_the_picture() {
        for direction in [Direction::Down, Direction::Right] {
            for align in [Align::Levels, Align::Compact] {
                let options = Options {
                    direction,
                    align,
                    ..Options::default()
                };
                let p = layout(&tree(), &options);
                let card = |n: usize| p.cards.iter().find(|c| c.node == n).unwrap();
                for w in &p.wires {
                    let (first, last) = (w.points[0], w.points[w.points.len() - 1]);
                    let (from, to) = (card(w.parent), card(w.child));
                    match direction {
                        Direction::Down => {
                            assert_eq!(first.y, from.y + from.height);
                            assert_eq!(last.y, to.y);
                        }
                        Direction::Right => {
                            assert_eq!(first.x, from.x + from.width);
                            assert_eq!(last.x, to.x);
                        }
                    }
                    for at in &w.points {
                        assert!(at.x >= MARGIN && at.x <= p.width - MARGIN);
                        assert!(at.y >= MARGIN && at.y <= p.height - MARGIN);
                    }
                }
            }
        }
    }

    #[test]
    fn states_move_nothing() {
        let mut ticked = tree();
        for node in ticked.nodes_mut() {
            node.state = crate::State::Now(tickseed_core::Status::Running);
        }
        assert_eq!(
            layout(&tree(), &Options::default()),
            layout(&ticked, &Options::default())
        );
    }

    #[test]
    fn what_is_below_a_disabled_node_is_disabled() {
        let mut tree = tree();
        tree.nodes_mut()[1].disabled = true;
        let p = layout(&tree, &Options::default());
        let off: Vec<_> = p.cards.iter().map(|c| c.disabled).collect();
        assert_eq!(off, [false, true, true, true, false]);
    }
}
