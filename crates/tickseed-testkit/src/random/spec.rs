//! Trees of scripted leaves as plain data, and how they become nodes.

use core::time::Duration;

use tickseed_core::nodes::{
    Flow, Gate, Hook, Loop, Pace, Parallel, RunOnce, Switch, Utility, WaitFor,
};
use tickseed_core::{
    BuildError, Context, Guard, KeyId, KeyInfo, Node, Op, Rule, Scalar, ScalarType, Source, Status,
    Test, Tree, nodes,
};

use crate::script::{
    self, Alternating, Backwards, Impatient, Numbers, Odds, Rotating, Script, Scripted, World,
    numbered,
};

/// A node and what is below it. `id` names its scripted functions, and so fixes what they
/// answer whatever else changes in the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// Its number, unique in the tree.
    pub id: usize,
    /// What it is.
    pub kind: SpecKind,
    /// Its children.
    pub children: Vec<Spec>,
}

/// What kind of leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafKind {
    /// An action with a halt hook.
    Action,
    /// An action without.
    Bare,
    /// An instant action.
    Instant,
    /// A leaf with plain state.
    Plain,
    /// A leaf with boxed state.
    Boxed,
    /// A [`Sleeper`](crate::script::Sleeper), whose answers are its own.
    Sleeper,
}

/// A scripted leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeafSpec {
    /// Which kind.
    pub kind: LeafKind,
    /// Its answers.
    pub odds: Odds,
    /// It draws random numbers.
    pub draws: bool,
    /// It writes keys.
    pub writes: bool,
}

/// A guard.
#[derive(Clone, PartialEq, Debug)]
pub enum GuardSpec {
    /// A function; `part` tells the functions of one guard apart.
    Call {
        /// Which of the guard's functions.
        part: usize,
        /// How likely it holds (success) or not (failure).
        odds: Odds,
    },
    /// A key against a constant.
    Test(usize, Op, i64),
    /// The same by a function, which declares the key.
    Pure(usize, Op, i64),
    /// A key against a key.
    Compare(usize, Op, usize),
    /// Always this.
    Const(bool),
    /// Both.
    And(Box<GuardSpec>, Box<GuardSpec>),
    /// Either.
    Or(Box<GuardSpec>, Box<GuardSpec>),
    /// The opposite.
    Not(Box<GuardSpec>),
}

/// Which custom node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CustomKind {
    /// [`Backwards`].
    Backwards,
    /// [`Alternating`].
    Alternating,
    /// [`Impatient`].
    Impatient,
    /// [`Rotating`].
    Rotating,
}

/// The kinds of nodes with their options; most are core's own.
#[derive(Clone, PartialEq, Debug)]
#[allow(
    missing_docs,
    reason = "the names and options are those of core's nodes"
)]
pub enum SpecKind {
    Condition(GuardSpec),
    Leaf(LeafSpec),
    Wait(WaitFor, Numbers),
    WaitUntil(GuardSpec, Option<u64>, Status),
    Constant(Status),
    Log,
    Sequence(Flow),
    Selector(Flow),
    Parallel(Parallel),
    IfThenElse,
    WhileDoElse(tickseed_core::nodes::Preempt),
    Switch(Switch, Numbers),
    Utility(Utility, Vec<Numbers>),
    ForEach(Pace, Numbers),
    Invert,
    Force(Status),
    Loop(Loop),
    Gate(Gate),
    TimeLimit(u64, Status),
    Delay(WaitFor, Numbers),
    Chance(f64, Status),
    RunOnce(RunOnce),
    LimitRuns(u32, Status),
    Forget,
    Hook(Hook),
    WhileGuard(GuardSpec, Status),
    Precondition(GuardSpec, Status),
    Catch(Odds),
    Uninterruptible,
    Hold,
    Custom(CustomKind),
}

/// The key of this number.
fn source(key: usize) -> Source {
    let key = key % World::schema().keys.len();
    let KeyInfo { ty, place, .. } = World::schema().keys[key];
    Source {
        key: KeyId(key as u16),
        ty,
        place,
    }
}

/// A constant to compare values of this type with; sometimes of another type.
fn constant(ty: ScalarType, n: i64) -> Scalar {
    match (ty, n) {
        (ScalarType::Bool, 0..=3) => Scalar::Bool(n % 2 != 0),
        (_, 4) => Scalar::Float(0.1),
        (_, 5) => Scalar::Float(-1e-320),
        (_, 6) => Scalar::Float(f64::NAN),
        (_, 7) => Scalar::Int(i64::MAX),
        (_, 8) => Scalar::Float(-0.0),
        (ty, n) if ty.is_float() => Scalar::Float(n as f64 / 2.0),
        (_, n) => Scalar::Int(n),
    }
}

impl GuardSpec {
    fn build(&self, id: usize) -> Guard<World> {
        match self {
            GuardSpec::Call { part, odds } => script::guard(numbered(id + part), *odds),
            GuardSpec::Test(key, op, n) => {
                let source = source(*key);
                Guard::test(source, *op, constant(source.ty, *n))
            }
            GuardSpec::Pure(key, op, n) => {
                let source = source(*key);
                let test = Test::new(source, *op, constant(source.ty, *n));
                Guard::from_fn(move |world: &World| test.passes::<World>(world))
            }
            GuardSpec::Compare(a, op, b) => Guard::compare(source(*a), *op, source(*b)),
            GuardSpec::Const(holds) => Guard::constant(*holds),
            GuardSpec::And(a, b) => a.build(id).and(b.build(id)),
            GuardSpec::Or(a, b) => a.build(id).or(b.build(id)),
            GuardSpec::Not(a) => !a.build(id),
        }
    }
}

impl GuardSpec {
    /// The keys that declared functions read; `None` if there is an undeclared one.
    fn declared(&self) -> Option<Vec<KeyId>> {
        match self {
            GuardSpec::Call { .. } => None,
            GuardSpec::Pure(key, ..) => Some(vec![source(*key).key]),
            GuardSpec::Not(a) => a.declared(),
            GuardSpec::And(a, b) | GuardSpec::Or(a, b) => {
                Some([a.declared()?, b.declared()?].concat())
            }
            GuardSpec::Test(..) | GuardSpec::Compare(..) | GuardSpec::Const(_) => Some(Vec::new()),
        }
    }
}

impl LeafSpec {
    fn build(&self, id: usize) -> Node<World> {
        let scripted = Scripted {
            name: numbered(id),
            script: Script::Drawn(self.odds),
            draws: self.draws,
            writes: self.writes,
        };
        match self.kind {
            LeafKind::Action => scripted.action(),
            LeafKind::Bare => scripted.bare_action(),
            LeafKind::Instant => scripted.instant(),
            LeafKind::Plain => scripted.leaf(),
            LeafKind::Boxed => scripted.boxed(),
            LeafKind::Sleeper => script::Sleeper::new(scripted.name).node(),
        }
    }
}

impl Spec {
    /// How many numbers a node takes up: its own, and more for the functions of its guard
    /// and its scores.
    pub const STRIDE: usize = 8;

    /// How many nodes there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        1 + self.children.iter().map(Spec::len).sum::<usize>()
    }

    /// How many levels there are.
    #[must_use]
    pub fn depth(&self) -> usize {
        1 + self.children.iter().map(Spec::depth).max().unwrap_or(0)
    }

    /// The tree of scripted nodes.
    ///
    /// # Errors
    /// The faults that building finds.
    pub fn build(&self) -> Result<Tree<World>, BuildError> {
        self.node().build()
    }

    /// The tree of scripted nodes, without `uninterruptible` where that is not allowed.
    ///
    /// # Errors
    /// The other faults that building finds.
    pub fn build_lenient(&self) -> Result<Tree<World>, BuildError> {
        match self.build() {
            Err(e) if e.issues.iter().all(|i| i.rule == Rule::Uninterruptible) => {
                self.clone().interruptible().build()
            }
            built => built,
        }
    }

    fn interruptible(mut self) -> Spec {
        if self.kind == SpecKind::Uninterruptible && self.children.len() == 1 {
            return self.children.remove(0).interruptible();
        }
        self.children = self.children.into_iter().map(Spec::interruptible).collect();
        self
    }

    fn guard(&self) -> Option<&GuardSpec> {
        match &self.kind {
            SpecKind::Condition(g)
            | SpecKind::WaitUntil(g, ..)
            | SpecKind::WhileGuard(g, _)
            | SpecKind::Precondition(g, _) => Some(g),
            _ => None,
        }
    }

    /// The node with all that is below it.
    pub fn node(&self) -> Node<World> {
        let n = nodes::<World>();
        let name = numbered(self.id);
        let mut children = self.children.iter().map(Spec::node);
        let mut child = || children.next().unwrap_or_else(|| n.succeed());
        let node = match &self.kind {
            SpecKind::Condition(g) => n.check(g.build(self.id)),
            SpecKind::Leaf(leaf) => leaf.build(self.id),
            SpecKind::Wait(WaitFor::Fixed(ns), _) => n.wait(Duration::from_nanos(*ns)),
            SpecKind::Wait(WaitFor::Range(a, b), _) => {
                n.wait_between(Duration::from_nanos(*a), Duration::from_nanos(*b))
            }
            SpecKind::Wait(WaitFor::Computed, numbers) => {
                n.wait_for(script::span(name, numbers.clone()))
            }
            SpecKind::WaitUntil(g, limit, on_timeout) => {
                let node = n.wait_until(g.build(self.id)).otherwise(*on_timeout);
                match limit {
                    Some(ns) => node.within(Duration::from_nanos(*ns)),
                    None => node,
                }
            }
            SpecKind::Constant(status) => n.constant(*status),
            SpecKind::Log => n.log(name),
            SpecKind::Sequence(flow) => with_flow(n.sequence(children), flow),
            SpecKind::Selector(flow) => with_flow(n.selector(children), flow),
            SpecKind::Parallel(options) => n.parallel_with(*options, children),
            SpecKind::IfThenElse if self.children.len() == 2 => n.if_then(child(), child()),
            SpecKind::IfThenElse => n.if_then_else(child(), child(), child()),
            SpecKind::WhileDoElse(preempt) if self.children.len() == 2 => {
                n.while_do(child(), child()).preempt(*preempt)
            }
            SpecKind::WhileDoElse(preempt) => {
                let node = n.while_do_else(child(), child(), child());
                node.preempt(*preempt)
            }
            SpecKind::Switch(options, numbers) => {
                let cases = self.children.len() - usize::from(options.default);
                let cases: Vec<_> = children.by_ref().take(cases).collect();
                let mut node = n.switch(script::which(name, numbers.clone()), cases);
                if let Some(default) = children.next() {
                    node = node.default_case(default);
                }
                if options.reactive {
                    node = node.reactive().preempt(options.preempt);
                }
                node
            }
            SpecKind::Utility(options, scores) => {
                let scored = children.enumerate().map(|(i, child)| {
                    let numbers = scores.get(i).cloned().unwrap_or(Numbers::Drawn(0, 100));
                    (script::score(numbered(self.id + 1 + i), numbers), child)
                });
                let node = n.utility(scored).choose(options.choose);
                if options.reactive {
                    node.reactive()
                        .preempt(options.preempt)
                        .inertia(options.inertia)
                        .min_dwell(Duration::from_nanos(options.min_dwell))
                } else {
                    node
                }
            }
            SpecKind::ForEach(pace, numbers) => {
                script::for_each(name, numbers.clone(), child()).pace(*pace)
            }
            SpecKind::Invert => n.invert(child()),
            SpecKind::Force(Status::Failure) => n.force_failure(child()),
            SpecKind::Force(_) => n.force_success(child()),
            SpecKind::Loop(options) => n.looping(*options, child()),
            SpecKind::Gate(options) => n.gate(*options, child()),
            SpecKind::TimeLimit(ns, on_timeout) => {
                let node = n.time_limit(Duration::from_nanos(*ns), child());
                node.otherwise(*on_timeout)
            }
            SpecKind::Delay(WaitFor::Fixed(ns), _) => n.delay(Duration::from_nanos(*ns), child()),
            SpecKind::Delay(WaitFor::Range(a, b), _) => {
                n.delay_between(Duration::from_nanos(*a), Duration::from_nanos(*b), child())
            }
            SpecKind::Delay(WaitFor::Computed, numbers) => {
                n.delay_for(script::span(name, numbers.clone()), child())
            }
            SpecKind::Chance(p, otherwise) => n.chance(*p, child()).otherwise(*otherwise),
            SpecKind::RunOnce(RunOnce::Replay) => n.run_once(child()),
            SpecKind::RunOnce(RunOnce::Answer(status)) => n.run_once(child()).otherwise(*status),
            SpecKind::LimitRuns(limit, otherwise) => {
                n.limit_runs(*limit, child()).otherwise(*otherwise)
            }
            SpecKind::Forget => n.forget(child()),
            SpecKind::Hook(Hook::Complete) => script::on_complete(name, child()),
            SpecKind::Hook(Hook::Halted) => script::on_halted(name, child()),
            SpecKind::Hook(Hook::Finally) => script::finally(name, child()),
            SpecKind::WhileGuard(g, otherwise) => n
                .while_guard(g.build(self.id), child())
                .otherwise(*otherwise),
            SpecKind::Precondition(g, then) => n.precondition(g.build(self.id), *then, child()),
            SpecKind::Catch(odds) => script::catch(name, *odds, child()),
            SpecKind::Uninterruptible => n.uninterruptible(child()),
            SpecKind::Hold => n.hold(child()),
            SpecKind::Custom(CustomKind::Backwards) => n.custom(Backwards(name), children),
            SpecKind::Custom(CustomKind::Alternating) => n.custom(Alternating(name), children),
            SpecKind::Custom(CustomKind::Impatient) => n.custom(Impatient(name), children),
            SpecKind::Custom(CustomKind::Rotating) => n.custom(Rotating(name), children),
        };
        let node = match self.guard().and_then(GuardSpec::declared) {
            Some(keys) if !keys.is_empty() => node.reads(keys),
            _ => node,
        };
        // Not by kind: every node of a failing tree can then be told from its siblings.
        node.named(name)
    }
}

fn with_flow(node: Node<World>, flow: &Flow) -> Node<World> {
    match flow {
        Flow::Memory => node,
        Flow::Reactive { preempt } => node.reactive().preempt(*preempt),
        Flow::Random { weights } if weights.is_empty() => node.random(),
        Flow::Random { weights } => node.weighted(weights.iter().copied()),
        Flow::KeepPlace => node.keep_place(),
    }
}
