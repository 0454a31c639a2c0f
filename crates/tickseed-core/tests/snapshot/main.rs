//! Snapshots: exact in the same tree, sensible in an edited one, refused when damaged.

mod damage;
mod edits;
mod exact;
mod random;
