//! A tree as indented text.

use alloc::string::String;
use alloc::vec::Vec;

use crate::tree::{State, Tree};

/// The tree as text, one node per line: branches drawn as lines, kinds, names, details, and what
/// each node answered. Collapsed nodes say how many nodes they hide.
///
/// ```
/// use tickseed_draw::{Node, Shape, Tree, outline};
/// let mut tree = Tree::new("robot", Node::new("", "reactive selector", Shape::Control));
/// let go = tree.add(0, Node::new("go", "sequence", Shape::Control));
/// tree.add(go, Node::new("far", "condition", Shape::Condition).with_detail("d > 2"));
/// tree.add(0, Node::new("patrol", "action", Shape::Action));
/// assert_eq!(outline(&tree), "\
/// reactive selector
/// ├─ sequence \"go\"
/// │  └─ condition \"far\" d > 2
/// └─ action \"patrol\"
/// ");
/// ```
#[must_use]
pub fn outline(tree: &Tree) -> String {
    let mut out = String::new();
    let below_of = tree.survey().below;
    let mut todo = Vec::from([(0_usize, String::new(), String::new())]);
    while let Some((i, lead, below)) = todo.pop() {
        let node = &tree.nodes()[i];
        out.push_str(&lead);
        if node.disabled {
            out.push_str("off ");
        }
        // The place implies a number, but not words.
        if !node.edge.is_empty() {
            out.push_str(&clean(&node.edge));
            out.push_str(": ");
        }
        out.push_str(&clean(&node.kind));
        if !node.label.is_empty() {
            out.push_str(" \"");
            out.push_str(&clean(&node.label));
            out.push('"');
        }
        if !node.detail.is_empty() {
            out.push(' ');
            out.push_str(&clean(&node.detail));
        }
        match node.state {
            State::Unknown => {}
            State::Earlier(_) => {
                out.push_str("  (");
                out.push_str(node.state.glyph());
                out.push(' ');
                out.push_str(node.state.word());
                out.push_str(" earlier)");
            }
            _ => {
                out.push_str("  ");
                out.push_str(node.state.glyph());
                out.push(' ');
                out.push_str(node.state.word());
            }
        }
        if node.collapsed && !tree.children(i).is_empty() {
            let hidden = below_of[i];
            out.push_str(&alloc::format!("  ({hidden} more)"));
            out.push('\n');
            continue;
        }
        out.push('\n');
        for (k, &child) in tree.children(i).iter().enumerate().rev() {
            let last = k + 1 == tree.children(i).len();
            todo.push((
                child,
                alloc::format!("{below}{}", if last { "└─ " } else { "├─ " }),
                alloc::format!("{below}{}", if last { "   " } else { "│  " }),
            ));
        }
    }
    out
}

/// Text on one line.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
