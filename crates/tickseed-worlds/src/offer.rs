//! A branch that a world offers to add to its tree, to show what a change costs.

use tickseed_core::NodeId;

use crate::world::World;

/// A behaviour that is not in a world's own tree, but could be.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// What adding it does, in a few words.
    pub label: &'static str,
    /// The label of its action.
    pub leaf: &'static str,
    /// Its text, to be put before the last child of the root.
    pub branch: &'static str,
}

/// The text of a world's tree with the offered branch added, or removed if it is there; nothing
/// else changes. `None` if the world offers nothing, or the text has no place for it: the root has
/// no children, or the last child does not begin a line.
#[must_use]
pub fn toggled(world: &dyn World) -> Option<String> {
    let offer = world.info().offer?;
    let (def, source) = (world.def(), world.source());
    if let Some(leaf) = def.find(offer.leaf) {
        let mut branch = leaf;
        while def.node(branch).parent? != NodeId::ROOT {
            branch = def.node(branch).parent?;
        }
        let (from, to) = lines(source, world.span(branch)?)?;
        return Some([source.get(..from)?, source.get(to..)?].concat());
    }
    let last = *def.node(NodeId::ROOT).children.last()?;
    let (from, _) = lines(source, world.span(last)?)?;
    let (before, rest) = (source.get(..from)?, source.get(from..)?);
    let indent = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
    let mut text = String::from(before);
    for line in offer.branch.lines() {
        text.extend([indent, line, "\n"]);
    }
    text.push_str(rest);
    Some(text)
}

/// The whole lines on which a node stands alone.
fn lines(source: &str, (from, to): (u32, u32)) -> Option<(usize, usize)> {
    let from = from as usize;
    // Some nodes' spans include the end of the line.
    let to = from + source.get(from..to as usize)?.trim_end().len();
    let start = source.get(..from)?.rfind('\n').map_or(0, |i| i + 1);
    let rest = source.get(to..)?;
    let end = rest.find('\n').map_or(source.len(), |i| to + i + 1);
    let alone = source[start..from].trim().is_empty() && source[to..end].trim().is_empty();
    alone.then_some((start, end))
}
