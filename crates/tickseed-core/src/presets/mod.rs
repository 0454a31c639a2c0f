//! The nodes of the four source documents, made from this engine's options.
//!
//! Each preset is a factory like [`nodes()`](crate::nodes()), with the names and behaviour of its
//! document; whatever it does not rename is the engine's own (it derefs to
//! [`Nodes`](crate::Nodes)). Where a document's listing is faulty, the preset does the sane thing
//! and its documentation says so:
//!
//! | preset | document | what it is |
//! |---|---|---|
//! | [`flat`] | 004 | a shared definition with per-agent state: nearest to this engine's defaults |
//! | [`skill`] | 000 | a C# tutorial: nodes with state, resuming and reactive selectors |
//! | [`pure`] | 001 | a C++ post: no memory at all, every tick starts at the root |
//! | [`classic`] | 003 | a C# article after a well-known book: initialise, update, terminate |
//!
//! All share what the engine guarantees: a running leaf that is abandoned is halted exactly once,
//! however deep it is; a leaf that is not running is never halted; finished nodes start afresh.

mod classic;
mod flat;
mod pure;
mod skill;

pub use classic::{Classic, classic};
pub use flat::{Flat, Policy, flat};
pub use pure::{Pure, pure};
pub use skill::{Require, Skill, skill};

/// The plumbing that each preset's factory needs.
macro_rules! factory {
    ($name:ident) => {
        impl<C> Clone for $name<C> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<C> Copy for $name<C> {}
        impl<C> core::fmt::Debug for $name<C> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
        impl<C> core::ops::Deref for $name<C> {
            type Target = crate::node::Nodes<C>;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
}
use factory;

/// Some documents allow empty composites. This engine does not, so an empty one becomes a constant
/// with the document's answer.
fn or_constant<C: crate::Context>(
    children: impl IntoIterator<Item = crate::Node<C>>,
    empty: crate::Status,
    name: &'static str,
    make: impl FnOnce(alloc::vec::Vec<crate::Node<C>>) -> crate::Node<C>,
) -> crate::Node<C> {
    let children: alloc::vec::Vec<_> = children.into_iter().collect();
    if children.is_empty() {
        crate::nodes().constant(empty).named(name)
    } else {
        make(children)
    }
}
