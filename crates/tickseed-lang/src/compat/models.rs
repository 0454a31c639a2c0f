//! The ports of BehaviorTree.CPP's and Nav2's nodes.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::expr::Type;
use crate::model::{Category, Direction};
use crate::registry::{Model, PortModel};

/// Port types as written below.
#[derive(Clone, Copy)]
enum Ty {
    Int,
    Float,
    Bool,
    Text,
    Any,
}

type PortRow = (&'static str, Direction, Ty, Option<&'static str>);
type Row = (&'static str, Category, &'static [PortRow]);

use Direction::{In, InOut, Out};

const NONE: &[PortRow] = &[];
const CASES: [PortRow; 7] = [
    ("variable", In, Ty::Any, None),
    ("case_1", In, Ty::Any, None),
    ("case_2", In, Ty::Any, None),
    ("case_3", In, Ty::Any, None),
    ("case_4", In, Ty::Any, None),
    ("case_5", In, Ty::Any, None),
    ("case_6", In, Ty::Any, None),
];
const PARALLEL: &[PortRow] = &[
    ("success_count", In, Ty::Int, Some("-1")),
    ("failure_count", In, Ty::Int, Some("1")),
];
const LOOP_INT: &[PortRow] = &[
    ("queue", InOut, Ty::Any, None),
    ("if_empty", In, Ty::Any, Some("SUCCESS")),
    ("value", Out, Ty::Int, None),
];
const LOOP_BOOL: &[PortRow] = &[
    ("queue", InOut, Ty::Any, None),
    ("if_empty", In, Ty::Any, Some("SUCCESS")),
    ("value", Out, Ty::Bool, None),
];
const LOOP_DOUBLE: &[PortRow] = &[
    ("queue", InOut, Ty::Any, None),
    ("if_empty", In, Ty::Any, Some("SUCCESS")),
    ("value", Out, Ty::Float, None),
];
const LOOP_TEXT: &[PortRow] = &[
    ("queue", InOut, Ty::Any, None),
    ("if_empty", In, Ty::Any, Some("SUCCESS")),
    ("value", Out, Ty::Text, None),
];
const ENTRY: &[PortRow] = &[("entry", In, Ty::Any, None)];
const GOALS: &[PortRow] = &[("goal", In, Ty::Any, None), ("goals", In, Ty::Any, None)];

const C: Category = Category::Control;
const D: Category = Category::Decorator;
const A: Category = Category::Action;
const K: Category = Category::Condition;

const ROWS: &[Row] = &[
    ("Sequence", C, NONE),
    ("Fallback", C, NONE),
    ("AsyncSequence", C, NONE),
    ("AsyncFallback", C, NONE),
    ("SequenceWithMemory", C, NONE),
    ("ReactiveSequence", C, NONE),
    ("ReactiveFallback", C, NONE),
    ("Parallel", C, PARALLEL),
    (
        "ParallelAll",
        C,
        &[("max_failures", In, Ty::Int, Some("1"))],
    ),
    ("IfThenElse", C, NONE),
    ("WhileDoElse", C, NONE),
    ("Switch2", C, CASES.split_at(3).0),
    ("Switch3", C, CASES.split_at(4).0),
    ("Switch4", C, CASES.split_at(5).0),
    ("Switch5", C, CASES.split_at(6).0),
    ("Switch6", C, &CASES),
    (
        "TryCatch",
        C,
        &[("catch_on_halt", In, Ty::Bool, Some("false"))],
    ),
    ("Inverter", D, NONE),
    ("ForceSuccess", D, NONE),
    ("ForceFailure", D, NONE),
    ("Repeat", D, &[("num_cycles", In, Ty::Int, None)]),
    (
        "RetryUntilSuccessful",
        D,
        &[("num_attempts", In, Ty::Int, None)],
    ),
    ("KeepRunningUntilFailure", D, NONE),
    ("Delay", D, &[("delay_msec", In, Ty::Int, None)]),
    ("Timeout", D, &[("msec", In, Ty::Int, None)]),
    ("RunOnce", D, &[("then_skip", In, Ty::Bool, Some("true"))]),
    (
        "Precondition",
        D,
        &[
            ("if", In, Ty::Any, None),
            ("else", In, Ty::Any, Some("FAILURE")),
        ],
    ),
    ("LoopInt", D, LOOP_INT),
    ("LoopBool", D, LOOP_BOOL),
    ("LoopDouble", D, LOOP_DOUBLE),
    ("LoopString", D, LOOP_TEXT),
    ("SkipUnlessUpdated", D, ENTRY),
    ("WaitValueUpdate", D, ENTRY),
    ("AlwaysSuccess", A, NONE),
    ("AlwaysFailure", A, NONE),
    ("Script", A, &[("code", In, Ty::Any, None)]),
    ("ScriptCondition", K, &[("code", In, Ty::Any, None)]),
    ("Sleep", A, &[("msec", In, Ty::Int, None)]),
    (
        "SetBlackboard",
        A,
        &[
            ("value", In, Ty::Any, None),
            ("output_key", InOut, Ty::Any, None),
        ],
    ),
    ("UnsetBlackboard", A, &[("key", In, Ty::Any, None)]),
    ("WasEntryUpdated", K, ENTRY),
    (
        "RecoveryNode",
        C,
        &[("number_of_retries", In, Ty::Int, Some("1"))],
    ),
    ("PipelineSequence", C, NONE),
    (
        "RoundRobin",
        C,
        &[("wrap_around", In, Ty::Bool, Some("false"))],
    ),
    ("NonblockingSequence", C, NONE),
    (
        "PersistentSequence",
        C,
        &[("current_child_idx", InOut, Ty::Int, None)],
    ),
    ("RateController", D, &[("hz", In, Ty::Float, Some("10.0"))]),
    ("SingleTrigger", D, NONE),
    ("GoalUpdatedController", D, GOALS),
    (
        "DistanceController",
        D,
        &[
            ("distance", In, Ty::Float, Some("1.0")),
            ("global_frame", In, Ty::Text, None),
            ("robot_base_frame", In, Ty::Text, None),
        ],
    ),
    (
        "SpeedController",
        D,
        &[
            ("min_rate", In, Ty::Float, Some("0.1")),
            ("max_rate", In, Ty::Float, Some("1.0")),
            ("min_speed", In, Ty::Float, Some("0.0")),
            ("max_speed", In, Ty::Float, Some("0.5")),
            ("goal", In, Ty::Any, None),
            ("goals", In, Ty::Any, None),
        ],
    ),
    (
        "PathLongerOnApproach",
        D,
        &[
            ("path", In, Ty::Any, None),
            ("prox_len", In, Ty::Float, Some("3.0")),
            ("length_factor", In, Ty::Float, Some("2.0")),
        ],
    ),
    (
        "GoalUpdater",
        D,
        &[
            ("input_goal", In, Ty::Any, None),
            ("input_goals", In, Ty::Any, None),
            ("output_goal", Out, Ty::Any, None),
            ("output_goals", Out, Ty::Any, None),
        ],
    ),
    (
        "PauseResumeController",
        C,
        &[
            ("pause_service_name", In, Ty::Text, None),
            ("resume_service_name", In, Ty::Text, None),
        ],
    ),
];

/// The names of all compatible nodes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.0)
}

/// The description of a compatible node.
/// Whether a kind is one of BehaviorTree.CPP's own nodes, which every file may rely on; Nav2's are
/// plugins, which programs replace.
pub(crate) fn is_core(kind: &str) -> bool {
    let core = ROWS.iter().take_while(|row| row.0 != "RecoveryNode");
    core.map(|row| row.0).any(|name| name == kind)
}

pub(crate) fn model(kind: &str) -> Option<&'static Model> {
    static MODELS: OnceLock<HashMap<&'static str, Model>> = OnceLock::new();
    let models = MODELS.get_or_init(|| ROWS.iter().map(|row| (row.0, from_row(row))).collect());
    models.get(kind)
}

fn from_row((name, category, ports): &Row) -> Model {
    let mut model = Model::new(*name, *category);
    model.repeats = *name == "Sleep";
    for (name, direction, ty, default) in *ports {
        let ty = match ty {
            Ty::Int => Type::Int,
            Ty::Float => Type::Float,
            Ty::Bool => Type::Bool,
            Ty::Text => Type::Text,
            Ty::Any => Type::Any,
        };
        // What is missing is an error of the first tick, as in the reference.
        let mut port = PortModel::new(*name, *direction, ty).optional();
        port.default = default.map(str::to_owned);
        model = model.port(port);
    }
    model
}

/// The C++ type of a port of a compatible node, where our type of the port does not tell it. It is the
/// type of the entry that the port makes.
pub(crate) fn port_type(kind: &str, port: &PortModel) -> Option<&'static str> {
    if !is_port_of(kind, port) {
        return None;
    }
    Some(match (kind, port.name.as_str()) {
        ("Sleep" | "Timeout", "msec") | ("Delay", "delay_msec") => "unsigned int",
        ("Precondition", "else") | (_, "if_empty") => "BT::NodeStatus",
        ("Precondition", "if") | ("Script" | "ScriptCondition", "code") => "std::string",
        ("UnsetBlackboard", "key") => "std::string",
        (kind, _) if kind.starts_with("Switch") => "std::string",
        ("LoopInt", "queue") => "std::shared_ptr<std::deque<int, std::allocator<int> > >",
        ("LoopBool", "queue") => "std::shared_ptr<std::deque<bool, std::allocator<bool> > >",
        ("LoopDouble", "queue") => "std::shared_ptr<std::deque<double, std::allocator<double> > >",
        ("LoopString", "queue") => {
            "std::shared_ptr<std::deque<std::string, std::allocator<std::string> > >"
        }
        _ => return None,
    })
}

/// Whether a port is that of a compatible node: a program may have a node of its own by that name.
fn is_port_of(kind: &str, port: &PortModel) -> bool {
    model(kind).is_some_and(|model| model.ports.iter().any(|own| std::ptr::eq(own, port)))
}

/// What the port of a compatible node expects, if the reference does not read its number: C++ takes
/// no space and no `+` before one, and its `int` has 32 bits.
pub(crate) fn refused_number(kind: &str, port: &PortModel, text: &str) -> Option<String> {
    let numeric = matches!(port.ty, Type::Int | Type::Float);
    if !numeric || !is_port_of(kind, port) {
        return None;
    }
    if text.starts_with([' ', '\t', '\n', '\r', '+']) {
        return Some("expected a number without a space or `+` before it".to_owned());
    }
    let (least, most) = match port_type(kind, port) {
        Some("unsigned int") => (0, i64::from(u32::MAX)),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    };
    let fits = |text: &str| text.parse().is_ok_and(|n: i64| (least..=most).contains(&n));
    (port.ty == Type::Int && !fits(text))
        .then(|| format!("expected a whole number from {least} to {most}, found `{text}`"))
}

/// The descriptions of all compatible nodes.
pub fn models() -> impl Iterator<Item = &'static Model> {
    names().filter_map(model)
}
