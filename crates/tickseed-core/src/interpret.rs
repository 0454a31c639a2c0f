//! What somebody needs who ticks trees in a way of their own: the plain interpreter in
//! `tickseed-testkit`, which says what trees mean, does.
//!
//! A tree's nodes are plain data ([`Def`](crate::Def)); what they call is reached through
//! [`Functions`].

pub use crate::custom::{BranchHost, DynCustom};
pub use crate::def::Functions;
pub use crate::guard::judge;
pub use crate::leaf::{DynBoxedLeaf, DynLeaf, Phase, SideSlot};
