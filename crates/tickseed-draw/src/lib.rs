//! Behaviour trees as pictures: an ordered, tidy layout shared by pages, commands and documents.
//!
//! Make a [`Tree`]: node by node, from a built tree ([`Tree::from_def`], with a tick's answers from
//! [`Tree::show_tick`]), or from a tree file (`Forest`, with the feature `lang`). Then:
//! - [`svg`], [`dot`], [`mermaid`] and [`outline`] give finished pictures: a standalone SVG,
//!   Graphviz, Mermaid, indented text;
//! - [`layout`] gives a [`Picture`] for drawing it yourself: [`Card`]s and [`Wire`]s with places
//!   and with texts cut to fit (with the feature `serde`, they can be serialised);
//! - [`place`] alone gives the places of boxes of any size.
//!
//! ```
//! use tickseed_core::nodes;
//! use tickseed_draw::{Options, Tree, layout};
//!
//! let n = nodes::<()>();
//! let built = n.selector([n.fail().named("armed"), n.action("patrol", |_| true)]).build()?;
//! let mut tree = Tree::from_def("guard", built.def(), &|key| format!("key {}", key.0));
//! tree.nodes_mut()[0].collapsed = false;            // `true` hides what is below
//! let picture = layout(&tree, &Options::default());
//! for card in &picture.cards {
//!     // A rounded box at card.x, card.y; its text begins at card.x + TEXT_X.
//!     println!("{} at {}, {}", card.title, card.x, card.y);
//! }
//! for wire in &picture.wires {
//!     println!("child {} of {}: {:?}", wire.label, wire.parent, wire.points);
//! }
//! # Ok::<(), tickseed_core::BuildError>(())
//! ```
//!
//! Text is measured with a table, so a tree has the same picture everywhere; show it in [`FONT`]
//! and the sizes of [`TITLE`], [`SUBTITLE`] and [`EDGE`]. States do not affect the layout: lay out
//! once, and only change colours as the tree is ticked. 2,000 nodes take about a millisecond.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod dot;
mod from_core;
#[cfg(feature = "lang")]
mod from_lang;
mod icons;
mod layout;
mod mermaid;
mod outline;
mod place;
mod svg;
mod text;
mod theme;
mod tree;

pub use dot::dot;
#[cfg(feature = "lang")]
pub use from_lang::{Forest, MOST_NODES};
pub use icons::{Icon, icon, state_icon};
pub use layout::{
    BASELINES, Card, EDGE, GLYPH_X, HEIGHTS, MARGIN, Options, Picture, SUBTITLE, TEXT_X, TITLE,
    Wire, layout,
};
pub use mermaid::mermaid;
pub use outline::outline;
pub use place::{Align, Direction, Point, Size, Spacing, place};
pub use svg::{svg, svg_of};
pub use text::{FONT, Font, shorten, text_width};
pub use theme::{DARK, LIGHT, Palette, STATES, Theme};
pub use tree::{Node, Shape, State, Tree};
