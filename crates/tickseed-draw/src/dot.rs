//! A tree as DOT, for Graphviz.

use alloc::string::String;
use core::fmt::Write;

use crate::place::Direction;
use crate::theme::{LIGHT, STATES};
use crate::tree::{Shape, Tree};

/// The tree as a graph in Graphviz's language, in light colours. Children keep their order;
/// collapsed parts are left out.
///
/// ```
/// use tickseed_draw::{Direction, Node, Shape, Tree, dot};
/// let tree = Tree::new("robot", Node::new("patrol", "action", Shape::Action));
/// assert!(dot(&tree, Direction::Down).contains("n0 [label=\"patrol\\naction\""));
/// ```
#[must_use]
pub fn dot(tree: &Tree, direction: Direction) -> String {
    let mut out = String::new();
    let rank = match direction {
        Direction::Down => "TB",
        Direction::Right => "LR",
    };
    let _ = writeln!(out, "digraph {} {{", quoted(&tree.name));
    let _ = writeln!(out, "  graph [rankdir={rank}, ordering=out];");
    let _ = writeln!(
        out,
        "  node [fontname=\"Helvetica\", fontsize=11, style=\"rounded,filled\", fillcolor=\"{}\", color=\"{}\", fontcolor=\"{}\"];",
        LIGHT.card, LIGHT.line, LIGHT.text
    );
    let _ = writeln!(
        out,
        "  edge [fontname=\"Helvetica\", fontsize=9, color=\"{}\", fontcolor=\"{}\", arrowhead=none];",
        LIGHT.wire, LIGHT.muted
    );
    let survey = tree.survey();
    for (i, node) in tree.nodes().iter().enumerate() {
        if !survey.shown[i] {
            continue;
        }
        let mut label = String::new();
        for part in [node.state.glyph(), &node.glyph] {
            if !part.is_empty() {
                label.push_str(part);
                label.push(' ');
            }
        }
        label.push_str(node.title());
        let subtitle = node.subtitle();
        if !subtitle.is_empty() {
            label.push('\n');
            label.push_str(&subtitle);
        }
        if node.collapsed && survey.below[i] > 0 {
            label.push_str(&alloc::format!("\n+{}", survey.below[i]));
        }
        let shape = match node.shape {
            Shape::Condition => "ellipse",
            Shape::Decorator => "octagon",
            Shape::Subtree => "folder",
            Shape::Control | Shape::Action => "box",
        };
        let _ = write!(out, "  n{i} [label={}, shape={shape}", quoted(&label));
        if let Some(at) = STATES.iter().position(|s| *s == node.state.word()) {
            let width = if node.state.is_now() { 2 } else { 1 };
            let _ = write!(out, ", color=\"{}\", penwidth={width}", LIGHT.states[at]);
        }
        if survey.disabled[i] {
            out.push_str(", style=\"rounded,dashed\"");
        }
        out.push_str("];\n");
        if let Some(parent) = tree.parent(i) {
            let _ = write!(out, "  n{parent} -> n{i}");
            let label = tree.edge_label(i);
            if !label.is_empty() {
                let _ = write!(out, " [label={}]", quoted(&label));
            }
            out.push_str(";\n");
        }
    }
    out.push_str("}\n");
    out
}

/// A quoted string. Graphviz reads `\n` as a line's end and `\\` as a backslash.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
