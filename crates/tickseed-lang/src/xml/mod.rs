//! BehaviorTree.CPP XML: version 4 in and out, version 3 in.
pub mod syntax;
