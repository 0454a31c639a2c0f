//! What other executors of trees need, such as the plain interpreter in `tickseed-testkit`, which
//! defines what trees mean.
//!
//! A tree's nodes are plain data ([`Def`](crate::Def)); the functions they call are reached through
//! [`Functions`].

pub use crate::custom::{BranchHost, DynCustom};
pub use crate::def::Functions;
pub use crate::guard::judge;
pub use crate::leaf::{DynBoxedLeaf, DynLeaf, Phase, SideSlot};
