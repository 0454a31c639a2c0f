//! The specification: a plain recursive interpreter.
//!
//! A tree means what this module does with it. There is one function for each kind of node, and one
//! [`State`] for each node, in the order of the definition; there is no compilation, no sharing of
//! state, no cleverness. Random differential tests compare the compiled executor with it. To change
//! a rule, change it here first.
//!
//! A node is *active* from the moment it is entered until it finishes or is halted. Entering a node
//! that is not active is a *fresh* entry, which clears its state. That is the whole life cycle:
//! nothing else clears state, and history is kept separately.

mod branch;
mod custom;
mod decorators;
mod flow;
mod leaves;
mod parallel;
mod state;

use core::time::Duration;

use tickseed_core::interpret::{Functions, judge};
use tickseed_core::nodes::{Flow, Preempt};
use tickseed_core::{
    Context, Cx, Deadline, End, Expr, History, Kind, LeafError, MAX_DURATION, NodeDef, NodeId, Rng,
    Status, Time, Trace, Tree,
};

use crate::trace::Silent;
use state::State;

/// A leaf's error, and where it happened.
#[derive(Debug)]
pub struct Fault {
    /// The leaf or custom node.
    pub node: NodeId,
    /// Its error.
    pub error: LeafError,
}

/// An agent of a tree, run by interpreting the tree's definition.
///
/// ```
/// use tickseed_core::{Rng, Status, Time, nodes};
/// use tickseed_testkit::{Interp, Silent};
///
/// let n = nodes::<()>();
/// let tree = n.sequence([n.succeed(), n.run_forever()]).build()?;
/// let mut agent = Interp::new(&tree);
/// let status = agent.tick(&mut (), Time::ZERO, Default::default(), &mut Rng::new(1), &mut Silent);
/// assert_eq!(status.unwrap(), Status::Running);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
pub struct Interp<'t, C: Context> {
    tree: &'t Tree<C>,
    states: Vec<State>,
    poisoned: bool,
}

impl<C: Context> core::fmt::Debug for Interp<'_, C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Interp")
            .field("running", &self.running())
            .field("poisoned", &self.poisoned)
            .finish_non_exhaustive()
    }
}

impl<'t, C: Context> Interp<'t, C> {
    /// A new agent: nothing active, no history.
    #[must_use]
    pub fn new(tree: &'t Tree<C>) -> Self {
        let states = tree
            .def()
            .iter()
            .map(|(id, node)| State::new(node, &tree.functions(id)))
            .collect();
        Interp {
            tree,
            states,
            poisoned: false,
        }
    }

    /// Ticks the tree. A tree that has finished begins again, so a tick never does nothing.
    ///
    /// # Errors
    /// A leaf failed. The tick stopped right there: nothing was halted and nothing finished. Every
    /// further tick fails as well, until [`recover`](Interp::recover) is called.
    pub fn tick(
        &mut self,
        at: &mut C::At<'_>,
        now: Time,
        dt: Duration,
        rng: &mut Rng,
        trace: &mut dyn Trace,
    ) -> Result<Status, Fault> {
        if self.poisoned {
            return Err(Fault {
                node: NodeId::ROOT,
                error: LeafError::new("a leaf failed in an earlier tick: recover the agent first"),
            });
        }
        let result = self.run(at, now, dt, rng, trace).tick(NodeId::ROOT);
        self.poisoned = result.is_err();
        result
    }

    /// Halts the tree if it is running: every active node, innermost first, children in order.
    /// History is kept.
    pub fn halt(&mut self, at: &mut C::At<'_>, now: Time, dt: Duration, rng: &mut Rng) {
        self.run(at, now, dt, rng, &mut Silent).halt(NodeId::ROOT);
    }

    /// After a leaf's error, halts everything that is active, including the failed leaf (an error
    /// does not end its activation), so that every started leaf ends exactly once.
    pub fn recover(&mut self, at: &mut C::At<'_>, now: Time, dt: Duration, rng: &mut Rng) {
        self.halt(at, now, dt, rng);
        self.poisoned = false;
    }

    /// Halts the tree and forgets its history: the agent is as good as new.
    pub fn reset(&mut self, at: &mut C::At<'_>, now: Time, dt: Duration, rng: &mut Rng) {
        self.recover(at, now, dt, rng);
        self.states = Interp::new(self.tree).states;
    }

    /// Whether a leaf has failed and the agent has not been recovered since.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    /// Whether the node is active.
    #[must_use]
    pub fn is_running(&self, id: NodeId) -> bool {
        self.states[id.0 as usize].active
    }

    /// The innermost active nodes, in the order of the definition: running leaves, and nodes that
    /// run without a running child (a loop between two rounds, a waiting delay).
    #[must_use]
    pub fn running(&self) -> Vec<NodeId> {
        let def = self.tree.def();
        def.iter()
            .filter(|(id, node)| {
                self.is_running(*id) && !node.children.iter().any(|&c| self.is_running(c))
            })
            .map(|(id, _)| id)
            .collect()
    }

    /// What outlives halts, in the order of the definition: the histories of all nodes that keep
    /// one.
    #[must_use]
    pub fn history(&self) -> Vec<(NodeId, History)> {
        let all = self.states.iter().enumerate();
        all.filter_map(|(i, s)| Some((NodeId(i as u32), s.history.clone()?)))
            .collect()
    }

    fn run<'r, 'x, 'a>(
        &'r mut self,
        at: &'x mut C::At<'a>,
        now: Time,
        dt: Duration,
        rng: &'r mut Rng,
        trace: &'r mut dyn Trace,
    ) -> Run<'r, 't, 'x, 'a, C> {
        Run {
            tree: self.tree,
            states: &mut self.states,
            at,
            now,
            dt,
            rng,
            trace,
            choosing: Vec::new(),
        }
    }
}

/// A tick or halt in progress.
struct Run<'r, 't, 'x, 'a, C: Context> {
    tree: &'t Tree<C>,
    states: &'r mut Vec<State>,
    at: &'x mut C::At<'a>,
    now: Time,
    dt: Duration,
    rng: &'r mut Rng,
    trace: &'r mut dyn Trace,
    /// The nodes with [`Preempt::BeforeStart`] around the one being ticked, outermost first, each
    /// with the child that it is ticking. Parallels and custom nodes begin a new list, since
    /// entering them has already halted what had to be halted outside.
    choosing: Vec<(NodeId, NodeId)>,
}

impl<'t, 'a, C: Context> Run<'_, 't, '_, 'a, C> {
    /// Ticks a node: what every kind has in common, around its own rule.
    fn tick(&mut self, id: NodeId) -> Result<Status, Fault> {
        self.trace.enter(id);
        let fresh = !self.state(id).active;
        if fresh {
            if self.acts(id) {
                self.halt_before_start();
            }
            self.state(id).begin();
        }
        let status = self.rule(id, fresh)?;
        self.mark_decided(id, status);
        if status != Status::Running {
            self.halt_children(id);
            self.state(id).active = false;
        }
        self.trace.leave(id, status);
        Ok(status)
    }

    /// The rule of the node's kind. `fresh` says that this is the first tick of an activation.
    fn rule(&mut self, id: NodeId, fresh: bool) -> Result<Status, Fault> {
        match &self.node(id).kind {
            Kind::Condition(guard) => Ok(Status::from_bool(self.judge(id, guard))),
            Kind::Action {
                instant, may_skip, ..
            } => self.action(id, *instant, *may_skip),
            Kind::Leaf { boxed, may_skip } => self.leaf(id, fresh, *boxed, *may_skip),
            Kind::Wait(duration) => Ok(self.wait(id, fresh, *duration)),
            Kind::WaitUntil(options) => Ok(self.wait_until(id, fresh, options)),
            Kind::Constant(status) => Ok(*status),
            Kind::Log(line) => {
                C::log(self.at, line);
                Ok(Status::Success)
            }

            Kind::Sequence(flow) => self.flow(id, fresh, flow, Status::Success),
            Kind::Selector(flow) => self.flow(id, fresh, flow, Status::Failure),
            Kind::Parallel(options) => self.parallel(id, options),
            Kind::IfThenElse => self.if_then_else(id, fresh),
            Kind::WhileDoElse { .. } => self.while_do_else(id),
            Kind::Switch(options) => self.switch(id, fresh, options),
            Kind::Utility(options) => self.utility(id, fresh, options),
            Kind::ForEach(pace) => self.for_each(id, fresh, *pace),

            Kind::Invert => Ok(self.tick_only_child(id)?.inverted()),
            Kind::Force(forced) => self.force(id, *forced),
            Kind::Loop(options) => self.looping(id, options),
            Kind::Gate(options) => self.gate(id, fresh, options),
            Kind::TimeLimit(options) => self.time_limit(id, fresh, options),
            Kind::Delay(duration) => self.delay(id, fresh, *duration),
            Kind::Chance { p, otherwise } => self.chance(id, fresh, *p, *otherwise),
            Kind::RunOnce(options) => self.run_once(id, fresh, *options),
            Kind::LimitRuns(options) => self.limit_runs(id, fresh, *options),
            Kind::Forget => self.forget(id, fresh),
            Kind::Hook(hook) => self.hook(id, *hook),
            Kind::WhileGuard { guard, otherwise } => self.while_guard(id, guard, *otherwise),
            Kind::Precondition { guard, then } => self.precondition(id, fresh, guard, *then),
            Kind::Catch => self.catch(id),
            Kind::Uninterruptible | Kind::Hold => self.tick_only_child(id),
            Kind::Custom(_) => self.custom(id, fresh),
            other => unreachable!("the interpreter has no rule for {}", other.name()),
        }
    }

    /// Halts a node if it is active: its children first, in order, then itself.
    fn halt(&mut self, id: NodeId) {
        if !self.state(id).active {
            return;
        }
        self.halt_children(id);
        let functions = self.functions(id);
        match &self.node(id).kind {
            Kind::Action {
                instant: false,
                halt,
                ..
            } => {
                if *halt {
                    functions.end(1, &mut self.cx(), End::Halted);
                }
                self.trace.halted(id);
            }
            Kind::Leaf { boxed, .. } => {
                self.halt_leaf(id, *boxed);
                self.trace.halted(id);
            }
            Kind::Hook(hook) if hook.on_halted() => {
                functions.end(0, &mut self.cx(), End::Halted);
                self.trace.halted(id);
            }
            Kind::Custom(_) => {
                self.halt_custom(id);
                self.trace.halted(id);
            }
            Kind::Gate(options) if options.refund_on_halt => {
                self.state(id).history = Some(state::open_gate());
            }
            _ => {}
        }
        self.state(id).active = false;
    }

    /// Halts the active children of a node, in order.
    fn halt_children(&mut self, id: NodeId) {
        for &child in &self.node(id).children {
            self.halt(child);
        }
    }

    /// Halts the active children of a node except one, in order.
    fn halt_others(&mut self, id: NodeId, kept: NodeId) {
        for &child in &self.node(id).children {
            if child != kept {
                self.halt(child);
            }
        }
    }

    /// Whether entering this node afresh starts something that acts. Conditions, logs and constants
    /// other than running start nothing; composites and decorators leave it to what is below them.
    fn acts(&self, id: NodeId) -> bool {
        matches!(
            self.node(id).kind,
            Kind::Action { .. }
                | Kind::Leaf { .. }
                | Kind::Wait(_)
                | Kind::WaitUntil(_)
                | Kind::Constant(Status::Running)
                | Kind::Delay(_)
                | Kind::Parallel(_)
                | Kind::Custom(_)
        )
    }

    /// Called when something that acts is about to start: each node around it with
    /// [`Preempt::BeforeStart`] halts its other children, outermost first.
    fn halt_before_start(&mut self) {
        for (node, ticked) in self.choosing.clone() {
            self.halt_others(node, ticked);
        }
    }

    /// Ticks a child; its siblings may be halted before anything in it starts.
    fn tick_chosen(&mut self, id: NodeId, child: NodeId) -> Result<Status, Fault> {
        let preempt = match &self.node(id).kind {
            Kind::Sequence(Flow::Reactive { preempt })
            | Kind::Selector(Flow::Reactive { preempt })
            | Kind::WhileDoElse { preempt } => *preempt,
            Kind::Switch(s) if s.reactive => s.preempt,
            Kind::Utility(u) if u.reactive => u.preempt,
            _ => Preempt::AfterStart,
        };
        if preempt == Preempt::AfterStart {
            return self.tick(child);
        }
        self.choosing.push((id, child));
        let result = self.tick(child);
        self.choosing.pop();
        result
    }

    /// Ticks a child of a parallel or custom node, which is a separate thread.
    fn tick_thread(&mut self, child: NodeId) -> Result<Status, Fault> {
        let around = core::mem::take(&mut self.choosing);
        let result = self.tick(child);
        self.choosing = around;
        result
    }

    /// The active child that contains a running `hold`, in the same thread.
    fn held_child(&self, id: NodeId) -> Option<NodeId> {
        let mut children = self.node(id).children.iter().copied();
        children.find(|&child| self.holds(child))
    }

    /// Whether a `hold` is active at or below an active node, not counting other threads.
    fn holds(&self, id: NodeId) -> bool {
        let node = self.node(id);
        self.states[id.0 as usize].active
            && match node.kind {
                Kind::Hold => true,
                Kind::Parallel(_) | Kind::Custom(_) => false,
                _ => node.children.iter().any(|&child| self.holds(child)),
            }
    }

    fn judge(&self, id: NodeId, guard: &Expr) -> bool {
        let functions = self.functions(id);
        judge::<C>(guard, self.at, &mut |i, at| functions.pred(i as usize, at))
    }

    /// A duration computed by a function: a negative one counts as zero, and one that is too long
    /// for a timer as the longest possible.
    fn computed_duration(&self, id: NodeId) -> u64 {
        let ns = self.functions(id).int(0, self.at);
        u64::try_from(ns).unwrap_or(0).min(MAX_DURATION - 1)
    }

    fn after(&self, duration: u64) -> Deadline {
        Deadline::after(self.now, duration)
    }

    /// What a user's function receives.
    fn cx(&mut self) -> Cx<'_, 'a, C> {
        Cx::new(self.at, self.now, self.dt, self.rng)
    }

    /// Reports to the trace which child decided, for nodes that tick several children at once.
    fn mark_decided(&mut self, id: NodeId, status: Status) {
        let child = match &self.node(id).kind {
            Kind::Parallel(options) => self.deciding_thread(id, options, status),
            Kind::Custom(_) => self.state(id).last,
            _ => None,
        };
        if let Some(index) = child {
            self.trace.decided(id, self.child(id, index));
        }
    }

    fn node(&self, id: NodeId) -> &'t NodeDef {
        self.tree.node(id)
    }

    fn child(&self, id: NodeId, index: usize) -> NodeId {
        self.node(id).children[index]
    }

    fn functions(&self, id: NodeId) -> Functions<'t, C> {
        self.tree.functions(id)
    }

    fn state(&mut self, id: NodeId) -> &mut State {
        &mut self.states[id.0 as usize]
    }

    fn tick_only_child(&mut self, id: NodeId) -> Result<Status, Fault> {
        self.tick(self.child(id, 0))
    }
}
