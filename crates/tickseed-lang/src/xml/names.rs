//! Names that mean something in XML: structural tags, built-in nodes, old spellings.

use crate::model::Category;

/// The tags of the explicit form, `<Action ID="MoveTo"/>`.
pub(super) const EXPLICIT: [(&str, Category); 5] = [
    ("Action", Category::Action),
    ("Condition", Category::Condition),
    ("Control", Category::Control),
    ("Decorator", Category::Decorator),
    ("SubTree", Category::Subtree),
];

/// The category a tag of the explicit form stands for.
pub(super) fn explicit(tag: &str) -> Option<Category> {
    EXPLICIT
        .iter()
        .find(|(name, _)| *name == tag)
        .map(|&(_, category)| category)
}

/// The tag under which a category is written.
pub(super) fn tag(category: Category) -> &'static str {
    let shown = if category == Category::Leaf {
        Category::Action
    } else {
        category
    };
    EXPLICIT
        .iter()
        .find(|(_, c)| *c == shown)
        .map_or("Action", |&(name, _)| name)
}

/// The tags that are no nodes.
pub(in crate::xml) const STRUCTURE: [&str; 4] =
    ["root", "include", "BehaviorTree", "TreeNodesModel"];

/// Old spellings of nodes, as version 3 and earlier wrote them, and the current ones.
const OLD_NODES: [(&str, &str); 4] = [
    ("SequenceStar", "SequenceWithMemory"),
    ("FallbackStar", "Fallback"),
    ("RetryUntilSuccesful", "RetryUntilSuccessful"),
    ("SubTreePlus", "SubTree"),
];

/// The current name of a node that is called otherwise in old files.
pub(super) fn current_node(kind: &str) -> Option<&'static str> {
    OLD_NODES
        .iter()
        .find(|(old, _)| *old == kind)
        .map(|&(_, new)| new)
}

/// Old spellings of attributes: node (any if empty), old name, current name.
const OLD_ATTRIBUTES: [(&str, &str, &str); 5] = [
    ("SubTree", "__shared_blackboard", "_autoremap"),
    ("SubTree", "__autoremap", "_autoremap"),
    ("Parallel", "threshold", "success_count"),
    ("Parallel", "success_threshold", "success_count"),
    ("Parallel", "failure_threshold", "failure_count"),
];

/// The current name of an attribute that is called otherwise in old files.
pub(super) fn current_attribute(node: &str, name: &str) -> Option<&'static str> {
    OLD_ATTRIBUTES
        .iter()
        .find(|(n, old, _)| *n == node && *old == name)
        .map(|&(_, _, new)| new)
}

/// How many children a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    None,
    One,
    Some,
    TwoOrMore,
}

impl From<Category> for Children {
    fn from(category: Category) -> Self {
        match category {
            Category::Decorator => Self::One,
            Category::Control => Self::Some,
            _ => Self::None,
        }
    }
}

const CONTROLS: &[&str] = &[
    "Sequence",
    "SequenceWithMemory",
    "AsyncSequence",
    "ReactiveSequence",
    "Fallback",
    "AsyncFallback",
    "ReactiveFallback",
    "Parallel",
    "ParallelAll",
    "IfThenElse",
    "WhileDoElse",
    "Switch2",
    "Switch3",
    "Switch4",
    "Switch5",
    "Switch6",
    "TryCatch",
];
const DECORATORS: &[&str] = &[
    "Inverter",
    "ForceSuccess",
    "ForceFailure",
    "Repeat",
    "RetryUntilSuccessful",
    "KeepRunningUntilFailure",
    "Delay",
    "Timeout",
    "RunOnce",
    "Precondition",
    "LoopInt",
    "LoopBool",
    "LoopDouble",
    "LoopString",
    "SkipUnlessUpdated",
    "WaitValueUpdate",
];
const LEAVES: &[&str] = &[
    "AlwaysSuccess",
    "AlwaysFailure",
    "Script",
    "ScriptCondition",
    "Sleep",
    "SetBlackboard",
    "UnsetBlackboard",
    "WasEntryUpdated",
];

/// The children of a node that BehaviorTree.CPP registers by itself.
pub(super) fn builtin(kind: &str) -> Option<Children> {
    if kind == "TryCatch" {
        Some(Children::TwoOrMore)
    } else if CONTROLS.contains(&kind) {
        Some(Children::Some)
    } else if DECORATORS.contains(&kind) {
        Some(Children::One)
    } else {
        LEAVES.contains(&kind).then_some(Children::None)
    }
}

/// The attribute of a built-in node that holds a script.
pub(super) fn script_attribute(kind: &str) -> Option<&'static str> {
    match kind {
        "Script" | "ScriptCondition" => Some("code"),
        "Precondition" => Some("if"),
        _ => None,
    }
}

/// Children that are asynchronous by their name; the reference knows these and no others.
pub(super) const ASYNCHRONOUS: [&str; 4] = [
    "ThreadedAction",
    "StatefulActionNode",
    "CoroActionNode",
    "AsyncSequence",
];

/// What BehaviorTree.CPP has against a name of a tree or node model.
pub(super) fn bad_model_name(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("Model name cannot be empty".into());
    }
    if matches!(name, "Root" | "root") {
        return Some(format!("Model name '{name}' is a reserved name"));
    }
    forbidden(name).map(|c| {
        format!(
            "Model name '{name}' contains forbidden character '{}'",
            c.escape_default()
        )
    })
}

/// What BehaviorTree.CPP has against a name of a port.
pub(super) fn bad_port_name(name: &str) -> Option<String> {
    let reserved = ["name", "ID", "_autoremap"].contains(&name)
        || crate::model::Hook::from_xml(name).is_some();
    match name.chars().next() {
        None => Some("Port name cannot be empty".into()),
        Some(c) if c.is_ascii_digit() => {
            Some(format!("Port name '{name}' cannot start with a digit"))
        }
        _ if reserved => Some(format!("Port name '{name}' is a reserved attribute name")),
        _ => forbidden(name).map(|c| {
            format!(
                "Port name '{name}' contains forbidden character '{}'",
                c.escape_default()
            )
        }),
    }
}

fn forbidden(name: &str) -> Option<char> {
    name.chars()
        .find(|c| " <>&\"'/\\:*?|.".contains(*c) || c.is_ascii_control())
}

/// Whether our reader takes `name` for the name of an element or attribute.
pub(super) fn is_xml_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b >= 0x80 || b == b'_')
        && bytes.all(|b| {
            b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b'.' | b'-' | b':')
        })
}
