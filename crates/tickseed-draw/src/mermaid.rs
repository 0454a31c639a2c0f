//! A tree as a Mermaid flowchart, which pages such as GitHub's draw from Markdown.

use alloc::string::String;
use core::fmt::Write;

use crate::place::Direction;
use crate::theme::{LIGHT, STATES};
use crate::tree::{Shape, Tree};

/// The tree as a Mermaid flowchart. Collapsed parts are left out.
///
/// ```
/// use tickseed_draw::{Direction, Node, Shape, Tree, mermaid};
/// let tree = Tree::new("robot", Node::new("patrol", "action", Shape::Action));
/// assert_eq!(mermaid(&tree, Direction::Down), "flowchart TD\n  n0[\"patrol<br/>action\"]\n");
/// ```
#[must_use]
pub fn mermaid(tree: &Tree, direction: Direction) -> String {
    let mut out = String::from(match direction {
        Direction::Down => "flowchart TD\n",
        Direction::Right => "flowchart LR\n",
    });
    let survey = tree.survey();
    let mut states = [false; STATES.len()];
    let mut off = false;
    for (i, node) in tree.nodes().iter().enumerate() {
        if !survey.shown[i] {
            continue;
        }
        let mut label = String::new();
        for part in [node.state.glyph(), &node.glyph] {
            if !part.is_empty() {
                label.push_str(&escaped(part));
                label.push(' ');
            }
        }
        label.push_str(&escaped(node.title()));
        let subtitle = node.subtitle();
        if !subtitle.is_empty() {
            label.push_str("<br/>");
            label.push_str(&escaped(&subtitle));
        }
        if node.collapsed && survey.below[i] > 0 {
            let _ = write!(label, "<br/>+{}", survey.below[i]);
        }
        let (open, close) = match node.shape {
            Shape::Control | Shape::Action => ("[", "]"),
            Shape::Condition => ("([", "])"),
            Shape::Decorator => ("{{", "}}"),
            Shape::Subtree => ("[[", "]]"),
        };
        let _ = write!(out, "  n{i}{open}\"{label}\"{close}");
        if survey.disabled[i] {
            out.push_str(":::off");
            off = true;
        } else if let Some(at) = STATES.iter().position(|s| *s == node.state.word()) {
            let _ = write!(out, ":::{}", STATES[at]);
            states[at] = true;
        }
        out.push('\n');
        if let Some(parent) = tree.parent(i) {
            let label = tree.edge_label(i);
            let line = if survey.disabled[i] { "-.-" } else { "---" };
            let _ = if label.is_empty() {
                writeln!(out, "  n{parent} {line} n{i}")
            } else {
                writeln!(out, "  n{parent} {line}|\"{}\"| n{i}", escaped(&label))
            };
        }
    }
    for (at, used) in states.iter().enumerate() {
        if *used {
            let _ = writeln!(
                out,
                "  classDef {} stroke:{},stroke-width:2px",
                STATES[at], LIGHT.states[at]
            );
        }
    }
    if off {
        out.push_str("  classDef off opacity:0.5,stroke-dasharray:4 3\n");
    }
    out
}

/// Quoted text: characters with a meaning in Mermaid or Markdown are written as entities.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' | '*' | '_' | '[' | ']' | '{' | '}' => {
                let _ = write!(out, "#{};", c as u32);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
