//! The engines, a module each. Where a library lacks a node the workload needs, its module says what was
//! done instead, and that it is what the library's users would do.

pub mod behavior_tree_lite;
pub mod behaviortree_rs;
pub mod bonsai;
