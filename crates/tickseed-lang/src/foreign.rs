//! Other engines' names for nodes that have a different name here.

/// Their name in lower case without underscores; our word; BehaviorTree.CPP's name, if it has such a
/// node.
const FOREIGN: &[(&str, &str, Option<&str>)] = &[
    ("selector", "selector", Some("Fallback")),
    ("fallback", "selector", Some("Fallback")),
    ("priority", "selector", Some("Fallback")),
    ("not", "invert", Some("Inverter")),
    ("invert", "invert", Some("Inverter")),
    ("inverter", "invert", Some("Inverter")),
    ("succeeder", "force success", Some("ForceSuccess")),
    ("alwayssucceed", "force success", Some("ForceSuccess")),
    ("failer", "force failure", Some("ForceFailure")),
    ("alwaysfail", "force failure", Some("ForceFailure")),
    ("repeater", "repeat", Some("Repeat")),
    ("retry", "retry", Some("RetryUntilSuccessful")),
    (
        "untilfail",
        "until failure",
        Some("KeepRunningUntilFailure"),
    ),
    ("timelimit", "timeout", Some("Timeout")),
    ("timelimiter", "timeout", Some("Timeout")),
    ("randomselector", "selector random", None),
    ("selectorrandom", "selector random", None),
    ("randomsequence", "sequence random", None),
    ("sequencerandom", "sequence random", None),
    (
        "reactiveselector",
        "selector reactive",
        Some("ReactiveFallback"),
    ),
    (
        "selectorreactive",
        "selector reactive",
        Some("ReactiveFallback"),
    ),
    (
        "activeselector",
        "selector reactive",
        Some("ReactiveFallback"),
    ),
    (
        "dynamicselector",
        "selector reactive",
        Some("ReactiveFallback"),
    ),
    (
        "dynamicsequence",
        "sequence reactive",
        Some("ReactiveSequence"),
    ),
    (
        "sequencereactive",
        "sequence reactive",
        Some("ReactiveSequence"),
    ),
];

/// What we, or BehaviorTree.CPP's XML, call the node that others call so. Case and underscores do
/// not matter.
pub(crate) fn foreign(kind: &str, xml: bool) -> Option<&'static str> {
    let letters: String = (kind.chars().filter(|c| *c != '_'))
        .flat_map(char::to_lowercase)
        .collect();
    let (_, ours, theirs) = FOREIGN.iter().find(|(name, ..)| *name == letters)?;
    let known = if xml { (*theirs)? } else { *ours };
    (known != kind).then_some(known)
}
