//! The document: the content of a tree file, whatever its format.
//!
//! A [`Document`] is plain data: files, trees, nodes and values in the order in which they were
//! written, each with its source position. It is the *authored* tree, mistakes included; nothing
//! here knows whether a node exists or a port fits. Every node keeps the name that its author used:
//! `sequence` from a `.tick` file and `Sequence` from BehaviorTree.CPP's XML are different kinds
//! here (they differ in details of their behaviour) and become engine nodes later.
//!
//! Documents can be compared in two ways: `==` is exact, including positions and comments;
//! [`Document::same_meaning`] ignores everything that does not change what the trees do.

#[cfg(test)]
pub(crate) mod arbitrary;
mod document;
mod meaning;
mod node;
mod span;
mod value;

pub use document::{
    Comment, Direction, Document, EnumModel, EnumWord, Format, Import, Item, KeyDecl, Keys,
    NodeModel, Port, Tree, Trivia,
};
pub use node::{Attribute, Category, Form, Hook, Node, Role};
pub use span::{FileId, LineColumn, Name, SourceFile, SourceMap, Span};
pub use value::{
    Code, Dialect, KeyRef, KeyScope, Literal, Number, Unit, Value, ValueKind, parse_duration,
};

/// The texts of a document. Names and numbers are short and there are many of them: up to 24 bytes
/// lie in place, without an allocation.
pub type Str = compact_str::CompactString;

/// How deep nodes may be nested in any format. The number is BehaviorTree.CPP's.
pub const MAX_DEPTH: usize = 256;
