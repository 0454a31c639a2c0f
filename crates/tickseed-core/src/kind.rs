//! What a node is, as plain data. The functions that a node carries are stored separately.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::guard::Expr;
use crate::nodes::{
    Flow, Gate, Hook, LimitRuns, Loop, Parallel, RunOnce, Switch, TimeLimit, Utility, WaitFor,
    WaitUntil,
};
use crate::status::Status;

/// The kind of a node with its options. The meaning of each variant is documented with its options'
/// type in [`nodes`](mod@crate::nodes); the functions it needs are listed here by position.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Evaluates a guard: success or failure at once. Functions: those of the guard.
    Condition(Expr),
    /// Calls a function. Functions: the action; a halt hook if `halt`.
    Action {
        /// Never answers `Running`.
        instant: bool,
        /// May answer `Skipped`.
        may_skip: bool,
        /// Has a halt hook.
        halt: bool,
    },
    /// A [`Leaf`](crate::Leaf) or [`BoxedLeaf`](crate::BoxedLeaf). Functions: the leaf.
    Leaf {
        /// Its state is boxed.
        boxed: bool,
        /// May answer `Skipped`.
        may_skip: bool,
    },
    /// Runs for a duration. Functions: the duration, if computed.
    Wait(WaitFor),
    /// Runs until a guard holds. Functions: those of the guard.
    WaitUntil(WaitUntil),
    /// Answers this.
    Constant(Status),
    /// Hands a line to [`Context::log`](crate::Context::log) and succeeds.
    Log(Cow<'static, str>),

    /// Children in order while they succeed.
    Sequence(Flow),
    /// Children in order while they fail.
    Selector(Flow),
    /// All children at once.
    Parallel(Parallel),
    /// A condition child chooses once between two branches.
    IfThenElse,
    /// A condition child chooses every tick between two branches.
    WhileDoElse {
        /// See [`Preempt`](crate::nodes::Preempt).
        preempt: crate::nodes::Preempt,
    },
    /// A number chooses a child. Functions: the number.
    Switch(Switch),
    /// The best-scoring child. Functions: one score per child, then the inputs of all their
    /// considerations.
    Utility(Utility),
    /// The child once for each index below a count. Functions: the count; the hook that receives
    /// the index.
    ForEach(crate::nodes::Pace),

    /// Swaps success and failure.
    Invert,
    /// Turns any verdict into this one.
    Force(Status),
    /// Runs the child again and again: repeat, retry, until.
    Loop(Loop),
    /// Lets the child run once per interval: cooldown, rate limit.
    Gate(Gate),
    /// The child must finish in time.
    TimeLimit(TimeLimit),
    /// Waits, then runs the child. Functions: the duration, if computed.
    Delay(WaitFor),
    /// Runs the child with a probability, or else answers `otherwise`.
    Chance {
        /// The probability, above zero and at most one.
        p: f64,
        /// The answer when the roll fails.
        otherwise: Status,
    },
    /// Runs the child to a verdict once in the agent's life.
    RunOnce(RunOnce),
    /// Starts the child a limited number of times in the agent's life.
    LimitRuns(LimitRuns),
    /// Forgets the history below when it is entered anew.
    Forget,
    /// Calls a function when the child ends. Functions: the hook.
    Hook(Hook),
    /// Runs the child while a guard holds, evaluated each tick. Functions: those of the guard.
    WhileGuard {
        /// The guard.
        guard: Expr,
        /// The answer when it does not hold.
        otherwise: Status,
    },
    /// Evaluates a guard once, on entry; if it holds, answers `then` without running the child.
    /// Functions: those of the guard.
    Precondition {
        /// The guard.
        guard: Expr,
        /// The answer when it holds.
        then: Status,
    },
    /// When the child fails, a function decides the verdict. Functions: the handler.
    Catch,
    /// Must not be interrupted: building fails under anything that could do so.
    Uninterruptible,
    /// While the child runs, reactive ancestors go on with it without asking their
    /// earlier children.
    Hold,
    /// A user's own node, by the name of its kind. Functions: the node.
    Custom(&'static str),
}

impl Kind {
    /// The kind's name in texts and paths.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Condition(_) => "condition",
            Kind::Action { .. } => "action",
            Kind::Leaf { .. } => "leaf",
            Kind::Wait(_) => "wait",
            Kind::WaitUntil(_) => "wait until",
            Kind::Constant(Status::Success) => "succeed",
            Kind::Constant(Status::Failure) => "fail",
            Kind::Constant(Status::Running) => "run",
            Kind::Constant(Status::Skipped) => "skip",
            Kind::Log(_) => "log",
            Kind::Sequence(flow) => flow.named(
                "sequence",
                "reactive sequence",
                "random sequence",
                "sequence keeping place",
            ),
            Kind::Selector(flow) => flow.named(
                "selector",
                "reactive selector",
                "random selector",
                "selector keeping place",
            ),
            Kind::Parallel(_) => "parallel",
            Kind::IfThenElse => "if-then-else",
            Kind::WhileDoElse { .. } => "while-do-else",
            Kind::Switch(_) => "switch",
            Kind::Utility(_) => "utility",
            Kind::ForEach(_) => "for each",
            Kind::Invert => "invert",
            Kind::Force(Status::Failure) => "force failure",
            Kind::Force(_) => "force success",
            Kind::Loop(l) => l.name(),
            Kind::Gate(g) => g.name(),
            Kind::TimeLimit(_) => "time limit",
            Kind::Delay(_) => "delay",
            Kind::Chance { .. } => "chance",
            Kind::RunOnce(_) => "run once",
            Kind::LimitRuns(_) => "limit runs",
            Kind::Forget => "forget",
            Kind::Hook(h) => h.name(),
            Kind::WhileGuard { .. } => "while",
            Kind::Precondition { .. } => "precondition",
            Kind::Catch => "catch",
            Kind::Uninterruptible => "uninterruptible",
            Kind::Hold => "hold",
            Kind::Custom(name) => name,
        }
    }

    /// Whether a node of this kind has no children.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        matches!(
            self,
            Kind::Condition(_)
                | Kind::Action { .. }
                | Kind::Leaf { .. }
                | Kind::Wait(_)
                | Kind::WaitUntil(_)
                | Kind::Constant(_)
                | Kind::Log(_)
        )
    }

    /// Whether a node of this kind decides anew every tick, and so can halt a child that has not
    /// finished.
    #[must_use]
    pub fn preempts(&self) -> bool {
        match self {
            Kind::Sequence(f) | Kind::Selector(f) => matches!(f, Flow::Reactive { .. }),
            Kind::Parallel(_)
            | Kind::WhileDoElse { .. }
            | Kind::TimeLimit(_)
            | Kind::WhileGuard { .. } => true,
            Kind::Switch(s) => s.reactive,
            Kind::Utility(u) => u.reactive,
            _ => false,
        }
    }
}

/// Weights, or other numbers per child, as plain data.
pub type Weights = Vec<f64>;
