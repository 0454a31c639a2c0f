//! The nodes every `.tick` file can use: their words, what stands behind them, their options.
//!
//! The table is what the parser, the formatter, checks, completion and the reference read. What the
//! nodes *do* is the engine's affair.

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
    /// Values with commas between.
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

const PRESETS: &[&str] = &["flat", "skill", "pure", "classic", "btcpp"];
const PRESET: OptionSpec = word("preset", PRESETS, "takes all options from another engine");
const PREEMPT: OptionSpec = word(
    "preempt",
    &["after_start", "before_start"],
    "halt the old branch after or before the new one starts",
);
const REACTIVE: OptionSpec = flag("reactive", "start again from the first child on every tick");

const ORDERED: &[OptionSpec] = &[
    flag("memory", "go on at the running child (the default)"),
    REACTIVE,
    flag("random", "draw a new order for each activation"),
    option(
        "weighted",
        OptionValue::Values,
        "draw the order by these weights, one a child",
    ),
    PREEMPT,
    flag("keep_index", "keep the place over failures and halts"),
    flag("yielding", "let a tick pass between children"),
    PRESET,
];

const PARALLEL: &[OptionSpec] = &[
    option(
        "success",
        OptionValue::NumberOrAll,
        "succeed when so many children have",
    ),
    option(
        "failure",
        OptionValue::NumberOrAll,
        "fail when so many children have",
    ),
    word(
        "decide",
        &["after_all", "early"],
        "after ticking all children, or as soon as known",
    ),
    word(
        "tie",
        &["failure", "success", "order"],
        "what wins when both are reached in one tick",
    ),
    word(
        "finished",
        &["keep", "again", "keep_until_reset"],
        "what happens to finished children",
    ),
    word(
        "leftover",
        &["halt", "leave"],
        "what happens to running children at the end",
    ),
    PRESET,
];

const LOOP: &[OptionSpec] = &[
    flag("forever", "without end"),
    value(
        "drain",
        "run up to so many rounds in one tick, instead of one",
    ),
    value("until", "stop after a round when this is true"),
    word(
        "on_failure",
        &["fail", "retry", "ignore"],
        "what a failed round does",
    ),
    PRESET,
];

const GATE: &[OptionSpec] = &[
    word("start", &["success", "any"], "which results close the gate"),
    word(
        "closed",
        &["failure", "skip", "replay"],
        "what a closed gate answers",
    ),
    word("reset", &["keep", "refund"], "what a halt does to the time"),
    PRESET,
];

const OTHERWISE: OptionSpec = word(
    "otherwise",
    &["failure", "success", "skip"],
    "the result when it is false",
);

const CURVES: &[OptionSpec] = &[
    value("from", "the range of the input that becomes 0 to 1"),
    option("linear", OptionValue::Values, "slope and offset"),
    option("power", OptionValue::Values, "exponent"),
    option("exponential", OptionValue::Values, "steepness"),
    option("logistic", OptionValue::Values, "steepness and middle"),
    flag("smoothstep", "smooth at both ends"),
    option("table", OptionValue::Values, "points as [input, output]"),
    flag("inverted", "one minus the score"),
    value("weight", "the weight in a sum"),
];

const UTILITY: &[OptionSpec] = &[
    flag(
        "product",
        "multiply the considerations, compensated for their number (the default)",
    ),
    flag("sum", "add the considerations by weight"),
    flag("highest", "take the best (the default)"),
    option(
        "softmax",
        OptionValue::Values,
        "draw by softmax: temperature",
    ),
    flag("weighted", "draw by score"),
    value("inertia", "added to the score of the running branch"),
    value("dwell", "how long a branch runs at least"),
    word(
        "rescore",
        &["tick", "activation"],
        "when scores are taken anew",
    ),
    PREEMPT,
];

/// All built-in nodes, longest words first where one begins another.
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
        &[REACTIVE, PREEMPT],
        "asks the first child, then runs the second or the third",
    ),
    node(
        "if",
        "if",
        Head::Condition,
        between(1, 2),
        &[PREEMPT],
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
        &[REACTIVE, PREEMPT],
        "runs the first case that the value fits",
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
        &[PRESET],
        "asks its guards on every tick, then does its work",
    ),
    node(
        "monitor",
        "monitor",
        Head::None,
        between(2, 2),
        &[PRESET],
        "does its work while it watches its guards",
    ),
    part(
        &["filter", "monitor"],
        node(
            "guards",
            "guards",
            Head::None,
            MANY,
            &[],
            "conditions that are watched",
        ),
    ),
    part(
        &["filter", "monitor"],
        node(
            "work",
            "work",
            Head::None,
            MANY,
            &[],
            "what is done meanwhile",
        ),
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
            between(1, usize::MAX),
            &[
                value("weight", "multiplies the score"),
                flag("product", "multiply the considerations"),
                flag("sum", "add the considerations by weight"),
            ],
            "a branch with its score: a value, or considerations",
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
        &[value("drain", "items in one tick")],
        "runs its child once for each number below a count",
    ),
    node(
        "try",
        "try",
        Head::None,
        between(1, 3),
        &[],
        "runs a child and deals with how it ends",
    ),
    part(
        &["try"],
        node(
            "catch",
            "catch",
            Head::None,
            ONE,
            &[],
            "runs when the child fails",
        ),
    ),
    part(
        &["try"],
        node(
            "finally",
            "finally",
            Head::None,
            ONE,
            &[],
            "runs however it ends",
        ),
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
        LOOP,
        "runs its child so many times",
    ),
    node(
        "retry",
        "retry",
        Head::OptionalValue,
        ONE,
        LOOP,
        "tries up to so many times",
    ),
    node(
        "until success",
        "until_success",
        Head::None,
        ONE,
        &[value("drain", "tries in one tick")],
        "runs its child again until it succeeds",
    ),
    node(
        "until failure",
        "until_failure",
        Head::None,
        ONE,
        &[value("drain", "rounds in one tick")],
        "runs its child again until it fails, then succeeds",
    ),
    node(
        "keep_running",
        "keep_running",
        Head::None,
        ONE,
        &[],
        "runs its child again until it fails, then fails",
    ),
    node(
        "cooldown",
        "cooldown",
        Head::Duration,
        ONE,
        GATE,
        "rests after its child succeeded",
    ),
    node(
        "rate_limit",
        "rate_limit",
        Head::Duration,
        ONE,
        GATE,
        "runs its child at most so often",
    ),
    node(
        "timeout",
        "timeout",
        Head::Duration,
        ONE,
        &[PRESET],
        "fails when its child takes longer",
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
        &[],
        "runs its child with a probability",
    ),
    node(
        "once",
        "once",
        Head::None,
        ONE,
        &[word(
            "then",
            &["skip", "replay"],
            "what it answers afterwards",
        )],
        "runs its child to an end a single time",
    ),
    node(
        "auto_reset",
        "auto_reset",
        Head::None,
        ONE,
        &[],
        "resets its child when it ends",
    ),
    node(
        "precondition",
        "precondition",
        Head::Condition,
        ONE,
        &[OTHERWISE],
        "asks before its child starts",
    ),
    node(
        "uninterruptible",
        "uninterruptible",
        Head::None,
        ONE,
        &[],
        "its child is never preempted",
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
            value("timeout", "how long at most"),
            word(
                "timed_out",
                &["failure", "success"],
                "the result when time is over",
            ),
        ],
        "runs until the expression is true",
    ),
    node(
        "wait",
        "wait",
        Head::Duration,
        LEAF,
        &[PRESET],
        "runs for a duration, then succeeds",
    ),
    node(
        "log",
        "log",
        Head::Message,
        LEAF,
        &[word(
            "level",
            &["debug", "info", "warn", "error"],
            "how important it is",
        )],
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
    BUILTINS.iter().find(|builtin| builtin.name == kind)
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
