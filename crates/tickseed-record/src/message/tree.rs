//! A tree as watchers see it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::tick::Status;

/// A tree: its nodes in depth-first order, parents before children.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TreeDef {
    /// Its number in the process; a reload gives a tree a new one.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its nodes; each one's `id` is its index here.
    pub nodes: Vec<NodeInfo>,
    /// The keys of its agents.
    #[serde(default)]
    pub keys: Vec<KeyDef>,
    /// The text it was made from, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// One node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodeInfo {
    /// Its number.
    pub id: u32,
    /// Its parent; none for the root.
    pub parent: Option<u32>,
    /// Its kind in words, such as `reactive selector`.
    pub kind: String,
    /// The name it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its name, or else its kind.
    pub label: String,
    /// Its path of labels, which survives a reload as long as nothing above it is renamed or moved.
    pub path: String,
    /// How its answer follows from its children's.
    pub rule: Rule,
    /// Its options as texts, for showing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Its guard as text, where that is data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    /// The keys it reads, as far as known: indexes in [`TreeDef::keys`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<u32>,
    /// Where it is written in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// A place in a source text: bytes, and the line and column of its beginning (from 1).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The file, if it is not the tree's own text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl Span {
    /// The place of these bytes in a text.
    #[must_use]
    pub fn of(text: &str, start: u32, end: u32) -> Span {
        let before = text.get(..start as usize).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or("");
        Span {
            file: None,
            start,
            end,
            line: before.matches('\n').count() as u32 + 1,
            column: line.chars().count() as u32 + 1,
        }
    }
}

/// A key of the blackboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeyDef {
    /// Its name.
    pub name: String,
    /// Its type: `bool`, `int`, `float`, or in words.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it can be set from outside.
    #[serde(default)]
    pub writable: bool,
}

/// How a node's answer follows from its children's, as far as deriving needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// It has no children.
    Leaf,
    /// Children in order; this verdict (or a skip) leads to the next child.
    InOrder(Status),
    /// Children in any order; this verdict (or a skip) leads to the next child.
    AnyOrder(Status),
    /// The first child chooses between the second (success) and the third (failure).
    Branch,
    /// The answer is the ticked child's.
    Pass,
    /// Success and failure are swapped.
    Invert,
    /// A verdict becomes this one.
    Force(Status),
    /// Rounds of one child.
    Rounds {
        /// Another round follows success.
        on_success: bool,
        /// Another round follows failure.
        on_failure: bool,
        /// What the node answers instead of the verdict that ends it.
        stopped: Option<Status>,
        /// Several rounds can end in one tick.
        drain: bool,
    },
    /// All children at once; the counts say how many must succeed or fail, `None` for all.
    Parallel {
        /// Successes needed.
        success: Option<u32>,
        /// Failures needed.
        failure: Option<u32>,
        /// It decides after each child, not after all.
        early: bool,
    },
    /// Nothing is known about its rule.
    Custom,
}
