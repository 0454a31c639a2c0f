//! The nodes that every `.tick` file can use: their words, what follows them, their options.
//!
//! The parser, the formatter, checks, completion and the reference all read this table. What the
//! nodes *do* is defined by the engine.

/// A built-in node.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Builtin {
    /// Its kind in the document model: `force_success`.
    pub name: &'static str,
    /// Its spelling in `.tick`: `force success`.
    pub words: &'static str,
    /// What stands directly behind the words.
    pub head: Head,
    /// How many children it takes.
    pub children: Children,
    /// The node it can only stand in, if it is a part of another: `case` of `switch`.
    pub inside: Option<&'static [&'static str]>,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// What it does, in one line.
    pub doc: &'static str,
}

/// What stands behind a built-in's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Head {
    /// Nothing.
    None,
    /// An expression that is true or false.
    Condition,
    /// Any value.
    Value,
    /// A value, or nothing.
    OptionalValue,
    /// A duration, or a range of durations.
    Duration,
    /// Values with commas between. (Text here is no instance name.)
    Values,
    /// An assignment, or several between braces.
    Script,
    /// Text, or an expression. (Text here is no instance name.)
    Message,
    /// `count`, or `key in count`.
    Count,
}

/// How many children a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Children {
    /// At least.
    pub min: usize,
    /// At most.
    pub max: usize,
}

/// An option of a built-in.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// Its word.
    pub name: &'static str,
    /// What stands in its parentheses.
    pub value: OptionValue,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// What stands in an option's parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionValue {
    /// No parentheses.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number, or the word `all`.
    NumberOrAll,
    /// One value or expression.
    Value,
    /// Several values.
    Values,
}

const fn between(min: usize, max: usize) -> Children {
    Children { min, max }
}

const LEAF: Children = between(0, 0);
const ONE: Children = between(1, 1);
const MANY: Children = between(1, usize::MAX);

const fn option(name: &'static str, value: OptionValue, doc: &'static str) -> OptionSpec {
    OptionSpec { name, value, doc }
}

const fn flag(name: &'static str, doc: &'static str) -> OptionSpec {
    option(name, OptionValue::Flag, doc)
}

const fn word(name: &'static str, words: &'static [&'static str], doc: &'static str) -> OptionSpec {
    option(name, OptionValue::Word(words), doc)
}

const fn value(name: &'static str, doc: &'static str) -> OptionSpec {
    option(name, OptionValue::Value, doc)
}

const fn node(
    words: &'static str,
    name: &'static str,
    head: Head,
    children: Children,
    options: &'static [OptionSpec],
    doc: &'static str,
) -> Builtin {
    Builtin {
        name,
        words,
        head,
        children,
        inside: None,
        options,
        doc,
    }
}

const fn part(of: &'static [&'static str], builtin: Builtin) -> Builtin {
    Builtin {
        inside: Some(of),
        ..builtin
    }
}

const PREEMPT: OptionSpec = word(
    "preempt",
    &["after_start", "before_start"],
    "when the abandoned branch is halted: after or before the new one starts",
);
const REACTIVE: OptionSpec = flag("reactive", "start again from the first child on every tick");
const CHOOSE_AGAIN: OptionSpec = flag("reactive", "choose anew on every tick");
const OTHERWISE: OptionSpec = word(
    "otherwise",
    &["failure", "success", "skipped"],
    "the answer where the child does not run",
);
const DRAIN: OptionSpec = value("drain", "up to so many rounds in one tick, instead of one");

const ORDERED: &[OptionSpec] = &[
    flag("memory", "go on at the running child (the default)"),
    REACTIVE,
    flag("random", "draw a new order for each activation"),
    option(
        "weighted",
        OptionValue::Values,
        "draw the order by these weights, one a child",
    ),
    flag(
        "keep_place",
        "go on where the last activation stopped, even after a halt",
    ),
    PREEMPT,
];

const PARALLEL: &[OptionSpec] = &[
    option(
        "success",
        OptionValue::NumberOrAll,
        "succeed when so many children have (all)",
    ),
    option(
        "failure",
        OptionValue::NumberOrAll,
        "fail when so many children have (1)",
    ),
    word(
        "decide",
        &["after_all", "early"],
        "after ticking all children, or as soon as known",
    ),
    word(
        "tie",
        &["failure", "success"],
        "what wins when both are reached in one tick",
    ),
    word(
        "finished",
        &["latch", "restart"],
        "what happens to children that finished earlier",
    ),
    word(
        "leftover",
        &["halt", "await"],
        "what happens to running children at the end",
    ),
];

const START_ON: OptionSpec = word("start_on", &["success", "verdict"], "what closes it");
const REFUND: OptionSpec = flag("refund", "a halt opens it");

const UTILITY: &[OptionSpec] = &[
    flag("highest", "take the best (the default)"),
    option(
        "softmax",
        OptionValue::Value,
        "draw, good ones more often: temperature",
    ),
    flag("weighted", "draw by score"),
    CHOOSE_AGAIN,
    value("inertia", "added to the score of the running option"),
    value("dwell", "how long an option runs at least"),
    PREEMPT,
];

const SCORE: &[OptionSpec] = &[
    value("weight", "multiplies the score"),
    flag(
        "product",
        "multiply the considerations, compensated for their number (the default)",
    ),
    flag("mean", "take the mean of the considerations"),
];

const CURVES: &[OptionSpec] = &[
    value("from", "the range of the value that becomes 0 to 1"),
    option("linear", OptionValue::Values, "slope, offset"),
    option("power", OptionValue::Value, "exponent"),
    option("exponential", OptionValue::Value, "base"),
    option("logistic", OptionValue::Values, "steepness, middle"),
    flag("smoothstep", "smooth at both ends"),
    option("table", OptionValue::Values, "points: [input, output], ..."),
];

/// All built-in nodes.
pub const BUILTINS: &[Builtin] = &[
    node(
        "sequence",
        "sequence",
        Head::None,
        MANY,
        ORDERED,
        "runs children until one fails",
    ),
    node(
        "selector",
        "selector",
        Head::None,
        MANY,
        ORDERED,
        "runs children until one succeeds",
    ),
    node(
        "parallel",
        "parallel",
        Head::None,
        MANY,
        PARALLEL,
        "runs children at the same time",
    ),
    node(
        "branch",
        "branch",
        Head::None,
        between(2, 3),
        &[
            flag("reactive", "ask the first child on every tick"),
            PREEMPT,
        ],
        "asks the first child, then runs the second or the third",
    ),
    node(
        "if",
        "if",
        Head::Condition,
        between(1, 2),
        &[],
        "asks once, then runs one branch to its end",
    ),
    node(
        "while",
        "while",
        Head::Condition,
        between(1, 2),
        &[OTHERWISE, PREEMPT],
        "asks on every tick and changes branch when the answer changes",
    ),
    node(
        "switch",
        "switch",
        Head::Value,
        MANY,
        &[CHOOSE_AGAIN, PREEMPT],
        "runs the first case that fits the value",
    ),
    part(
        &["switch"],
        node(
            "case",
            "case",
            Head::Values,
            ONE,
            &[],
            "a branch of a switch",
        ),
    ),
    part(
        &["switch"],
        node(
            "default",
            "default",
            Head::None,
            ONE,
            &[],
            "the branch of all else",
        ),
    ),
    node(
        "filter",
        "filter",
        Head::None,
        between(2, 2),
        &[],
        "asks its guards once, then works",
    ),
    node(
        "monitor",
        "monitor",
        Head::None,
        between(2, 2),
        &[],
        "works while its guards hold, asked on every tick",
    ),
    part(
        &["filter", "monitor"],
        node(
            "guards",
            "guards",
            Head::None,
            MANY,
            &[],
            "what must succeed before the work",
        ),
    ),
    part(
        &["filter", "monitor"],
        node("work", "work", Head::None, ONE, &[], "what is done"),
    ),
    node(
        "utility",
        "utility",
        Head::None,
        MANY,
        UTILITY,
        "runs the option with the best score",
    ),
    part(
        &["utility"],
        node(
            "option",
            "option",
            Head::OptionalValue,
            MANY,
            SCORE,
            "a branch with its score: a number, or considerations before the branch",
        ),
    ),
    part(
        &["option"],
        node(
            "consider",
            "consider",
            Head::Value,
            LEAF,
            CURVES,
            "one reason for an option",
        ),
    ),
    node(
        "for",
        "for",
        Head::Count,
        ONE,
        &[DRAIN],
        "runs its child once for each number below a count",
    ),
    node(
        "invert",
        "invert",
        Head::None,
        ONE,
        &[],
        "swaps success and failure",
    ),
    node(
        "force success",
        "force_success",
        Head::None,
        ONE,
        &[],
        "succeeds when its child ends",
    ),
    node(
        "force failure",
        "force_failure",
        Head::None,
        ONE,
        &[],
        "fails when its child ends",
    ),
    node(
        "repeat",
        "repeat",
        Head::OptionalValue,
        ONE,
        &[
            flag("forever", "without end; fails when its child fails"),
            DRAIN,
        ],
        "runs its child until it has succeeded so many times",
    ),
    node(
        "retry",
        "retry",
        Head::Value,
        ONE,
        &[DRAIN],
        "runs its child until it succeeds, so many times at most",
    ),
    node(
        "until success",
        "until_success",
        Head::None,
        ONE,
        &[DRAIN],
        "runs its child until it succeeds",
    ),
    node(
        "until failure",
        "until_failure",
        Head::None,
        ONE,
        &[DRAIN],
        "runs its child until it fails, then succeeds",
    ),
    node(
        "loop",
        "loop",
        Head::None,
        ONE,
        &[DRAIN],
        "runs its child again and again, for ever",
    ),
    node(
        "cooldown",
        "cooldown",
        Head::Duration,
        ONE,
        &[
            START_ON,
            word(
                "otherwise",
                &["failure", "skipped"],
                "the answer while it is closed",
            ),
            REFUND,
        ],
        "rests so long after its child succeeded",
    ),
    node(
        "rate_limit",
        "rate_limit",
        Head::Duration,
        ONE,
        &[START_ON, REFUND],
        "runs its child at most once in so long and replays its answer in between",
    ),
    node(
        "timeout",
        "timeout",
        Head::Duration,
        ONE,
        &[OTHERWISE],
        "halts its child and fails when it takes longer",
    ),
    node(
        "delay",
        "delay",
        Head::Duration,
        ONE,
        &[],
        "waits before its child starts",
    ),
    node(
        "chance",
        "chance",
        Head::Value,
        ONE,
        &[OTHERWISE],
        "runs its child with a probability from 0 to 1",
    ),
    node(
        "limit",
        "limit",
        Head::Value,
        ONE,
        &[OTHERWISE],
        "starts its child at most so many times in the agent's life, or since a `forget` above was entered",
    ),
    node(
        "forget",
        "forget",
        Head::None,
        ONE,
        &[],
        "when it is entered, what is remembered below is forgotten: limits, cooldowns, rate limits, `once`",
    ),
    node(
        "once",
        "once",
        Head::None,
        ONE,
        &[OTHERWISE],
        "runs its child to an end a single time, then answers the same for ever",
    ),
    node(
        "recovery",
        "recovery",
        Head::Value,
        between(2, 2),
        &[],
        "runs its first child; when that fails runs the second and tries again, so many times at most",
    ),
    node(
        "precondition",
        "precondition",
        Head::Condition,
        ONE,
        &[OTHERWISE],
        "runs its child only if the expression is true when it starts",
    ),
    node(
        "catch",
        "catch",
        Head::Condition,
        ONE,
        &[],
        "when its child fails, succeeds if the expression is true",
    ),
    node(
        "hold",
        "hold",
        Head::None,
        ONE,
        &[],
        "reactive nodes above go on with its running child without asking again",
    ),
    node(
        "uninterruptible",
        "uninterruptible",
        Head::None,
        ONE,
        &[],
        "an error where something above could halt its child",
    ),
    node(
        "check",
        "check",
        Head::Condition,
        LEAF,
        &[],
        "succeeds if the expression is true",
    ),
    node(
        "set",
        "set",
        Head::Script,
        LEAF,
        &[],
        "writes keys and succeeds",
    ),
    node(
        "wait until",
        "wait_until",
        Head::Condition,
        LEAF,
        &[
            value("within", "how long at most"),
            word(
                "otherwise",
                &["failure", "success", "skipped"],
                "the answer when time is over",
            ),
        ],
        "runs until the expression is true",
    ),
    node(
        "wait",
        "wait",
        Head::Duration,
        LEAF,
        &[],
        "runs for a duration, then succeeds",
    ),
    node(
        "log",
        "log",
        Head::Message,
        LEAF,
        &[],
        "writes a message and succeeds",
    ),
    node("success", "success", Head::None, LEAF, &[], "succeeds"),
    node("failure", "failure", Head::None, LEAF, &[], "fails"),
    node("running", "running", Head::None, LEAF, &[], "runs for ever"),
    node(
        "skipped",
        "skipped",
        Head::None,
        LEAF,
        &[],
        "counts as absent",
    ),
];

/// Other words for built-ins; the formatter writes the built-in's own.
pub const ALIASES: &[(&str, &str)] = &[("fallback", "selector")];

/// Words that cannot name a node without backticks, besides the built-ins' own.
pub const RESERVED: &[&str] = &[
    "off",
    "else",
    "tree",
    "main",
    "import",
    "keys",
    "enum",
    "action",
    "condition",
    "leaf",
    "decorator",
    "control",
    "subtree",
    "true",
    "false",
    "none",
    "and",
    "or",
    "not",
    "in",
    "btcpp",
    "skip",
    "fail",
    "succeed",
    "on",
];

/// Options that every node takes.
pub const COMMON_OPTIONS: &[OptionSpec] = &[option(
    "tag",
    OptionValue::Values,
    "words by which code finds the node",
)];

/// The built-in of a kind.
pub fn builtin(kind: &str) -> Option<&'static Builtin> {
    // Names of leaves, which begin in upper case, are asked for most.
    if !kind.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    BUILTINS.iter().find(|builtin| builtin.name == kind)
}

impl Head {
    /// Whether a text directly behind the words is a value. For all others it is the node's name.
    pub fn takes_text(self) -> bool {
        matches!(self, Head::Message | Head::Values)
    }
}

impl Builtin {
    /// The option called `name`, common ones included.
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options
            .iter()
            .chain(COMMON_OPTIONS)
            .find(|option| option.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_unique_and_spelled_like_their_words() {
        for (i, builtin) in BUILTINS.iter().enumerate() {
            assert_eq!(builtin.words.replace(' ', "_"), builtin.name);
            assert!(BUILTINS[..i].iter().all(|other| other.name != builtin.name));
            assert!(!RESERVED.contains(&builtin.name), "{}", builtin.name);
            for of in builtin.inside.unwrap_or_default() {
                assert!(super::builtin(of).is_some(), "{of}");
            }
        }
        for (alias, kind) in ALIASES {
            assert!(builtin(alias).is_none() && builtin(kind).is_some());
        }
    }
}
