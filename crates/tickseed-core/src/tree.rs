//! A built tree: immutable, shared by any number of agents.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use once_cell::race::OnceBox;

use crate::agent::Agent;
use crate::build::{BuildError, validate};
use crate::compile::{HistorySlot, IDLE, Program, Undo, compile};
use crate::context::{Context, Cx};
use crate::def::{Def, Funcs, Functions, NodeDef, NodeId};
use crate::error::TickError;
use crate::history::History;
use crate::key::{KeyId, ScalarType};
use crate::node::Node;
use crate::run::{
    Code, Env, Failed, Faults, Frame, Told, Traced, Tracer, get, get_deadline, resume_point,
};
use crate::status::Status;
use crate::time::Time;
use crate::trace::Trace;
use crate::wake::WakeTable;

/// A validated and compiled tree. It holds no agent's state, so it can be shared between threads
/// and agents, in an `Arc` or by reference.
///
/// A tree that has finished is started afresh by the next tick. To make it repeat its first verdict
/// for ever instead, wrap the root in [`run_once`](crate::Nodes::run_once).
pub struct Tree<C: Context> {
    pub(crate) id: u32,
    pub(crate) def: Def,
    pub(crate) funcs: Arc<Funcs<C>>,
    pub(crate) program: Arc<Program>,
    /// The program in executable form, made with the first agent.
    code: OnceBox<Code<C>>,
    /// The same tree with marks, compiled on first use.
    traced: OnceBox<Code<C>>,
    /// Steps that also note what a sleeping agent would miss, for herds that let agents sleep.
    watched: OnceBox<Code<C>>,
    /// What wakes sleeping agents, for herds that let agents sleep.
    wakes: OnceBox<WakeTable>,
    /// Keys beyond those of the context's schema.
    keys: Vec<TreeKey>,
    /// What errors call a node, if not by its path.
    names: Option<Names>,
}

/// What errors call a node.
type Names = Arc<dyn Fn(&Def, NodeId) -> Option<String> + Send + Sync>;

/// A key that a tree brings along in addition to the keys of its context's schema: a key of a
/// blackboard, declared together with the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeKey {
    /// Its number.
    pub id: KeyId,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: ScalarType,
}

impl<C: Context> Tree<C> {
    /// Validates and compiles; the same as [`Node::build`].
    ///
    /// # Errors
    /// Everything that is wrong with the tree.
    pub fn build(root: Node<C>) -> Result<Tree<C>, BuildError> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let (def, funcs, misuse) = Def::flatten(root);
        validate(&def, &funcs, misuse)?;
        let program = compile(&def, &funcs, false);
        Ok(Tree {
            // In the form that agents store: one bit of it says whether the agent is poisoned.
            id: Faults::of(NEXT.fetch_add(1, Ordering::Relaxed)).owner(),
            def,
            funcs: Arc::new(funcs),
            program: Arc::new(program),
            code: OnceBox::new(),
            traced: OnceBox::new(),
            watched: OnceBox::new(),
            wakes: OnceBox::new(),
            keys: Vec::new(),
            names: None,
        })
    }

    /// Adds keys that the context's schema does not name, for outlines, recordings and tools.
    ///
    /// ```
    /// use tickseed_core::{KeyId, ScalarType, TreeKey, nodes};
    /// let key = TreeKey { id: KeyId(0x8000), name: "battery".into(), ty: ScalarType::F64 };
    /// let tree = nodes::<()>().succeed().build().unwrap().with_keys([key]);
    /// assert_eq!(tree.key_name(KeyId(0x8000)), Some("battery"));
    /// ```
    #[must_use]
    pub fn with_keys(mut self, keys: impl IntoIterator<Item = TreeKey>) -> Self {
        self.keys = keys.into_iter().collect();
        self
    }

    /// The keys that the tree brings along: see [`with_keys`](Tree::with_keys).
    #[must_use]
    pub fn keys(&self) -> &[TreeKey] {
        &self.keys
    }

    /// With other names than paths for nodes in errors of ticks: those of the file, say, from which
    /// the tree was loaded. Where the function has none, the path is shown.
    #[must_use]
    pub fn with_names(
        mut self,
        names: impl Fn(&Def, NodeId) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.names = Some(Arc::new(names));
        self
    }

    /// What errors call a node: its path, unless the tree was given [other names](Tree::with_names).
    #[must_use]
    pub fn shown_path(&self, node: NodeId) -> String {
        let names = self.names.as_ref();
        let named = names.and_then(|names| names(&self.def, node));
        named.unwrap_or_else(|| self.path(node))
    }

    /// The name of a key, of the context's schema or the tree's own.
    #[must_use]
    pub fn key_name(&self, key: KeyId) -> Option<&str> {
        if let Some(info) = C::schema().keys.get(usize::from(key.0)) {
            return Some(info.name);
        }
        let own = self.keys.iter().find(|own| own.id == key)?;
        Some(&own.name)
    }

    /// A new agent with the seed 0. The first agent of a tree also prepares the tree for ticking,
    /// which takes some memory and time once, so that ticks allocate nothing.
    #[must_use]
    pub fn agent(&self) -> Agent {
        self.agent_seeded(0)
    }

    /// A new agent whose random stream starts from this seed.
    #[must_use]
    pub fn agent_seeded(&self, seed: u64) -> Agent {
        // Now, since ticks must not allocate.
        self.code();
        Agent::new(self.id, self.program.bytes, self.program.sides, seed)
    }

    /// How many bytes of state an agent has, not counting boxed states of leaves.
    #[must_use]
    pub fn bytes_per_agent(&self) -> usize {
        self.program.bytes
    }

    /// Ticks an agent once.
    ///
    /// ```
    /// use tickseed_core::{Status, Time, nodes};
    /// let n = nodes::<()>();
    /// let tree = n.wait(std::time::Duration::from_secs(1)).build()?;
    /// let mut agent = tree.agent();
    /// assert_eq!(tree.tick(&mut agent, &mut (), Time::ZERO)?, Status::Running);
    /// assert_eq!(tree.tick(&mut agent, &mut (), Time::from_millis(1000))?, Status::Success);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The agent belongs to another tree or is poisoned, or a leaf failed (which poisons it).
    /// A leaf that panics leaves the agent poisoned as well.
    #[inline]
    pub fn tick(
        &self,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Status, TickError> {
        self.run(self.code(), None, agent, at, now)
    }

    /// Ticks an agent once and reports every node's part in it. Traced and untraced ticks
    /// of an agent may be mixed freely: both give the same results.
    ///
    /// # Errors
    /// As [`tick`](Tree::tick).
    pub fn tick_traced(
        &self,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
        trace: &mut dyn Trace,
    ) -> Result<Status, TickError> {
        self.run(self.traced(), Some(&mut Traced::new(trace)), agent, at, now)
    }

    /// What a tick executes.
    #[inline(always)]
    pub(crate) fn code(&self) -> &Code<C> {
        match self.code.get() {
            Some(code) => code,
            None => self
                .code
                .get_or_init(|| self.link(&self.program, |_| false)),
        }
    }

    /// What a tick executes in herds that let agents sleep.
    pub(crate) fn watched(&self) -> &Code<C> {
        let loud = |pc| self.wakes().is_loud(pc);
        self.watched.get_or_init(|| self.link(&self.program, loud))
    }

    /// What a traced tick executes.
    pub(crate) fn traced(&self) -> &Code<C> {
        self.traced.get_or_init(|| {
            let program = compile(&self.def, &self.funcs, true);
            self.link(&Arc::new(program), |_| false)
        })
    }

    #[cold]
    fn link(&self, program: &Arc<Program>, loud: impl Fn(u32) -> bool) -> Box<Code<C>> {
        Box::new(Code::link(program.clone(), self.funcs.clone(), loud))
    }

    /// The program in which a tick was cut short.
    pub(crate) fn code_of(&self, faults: &Faults) -> &Code<C> {
        if faults.traced() {
            self.traced()
        } else {
            self.code()
        }
    }

    pub(crate) fn wakes(&self) -> &WakeTable {
        self.wakes
            .get_or_init(|| Box::new(WakeTable::new(&self.program, &self.def, None)))
    }

    #[inline(always)]
    fn run(
        &self,
        code: &Code<C>,
        trace: Option<&mut dyn Tracer>,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Status, TickError> {
        if !agent.own.faults.fit_for(self.id) {
            return Err(self.refusal(agent));
        }
        let last = core::mem::replace(&mut agent.last, now);
        let (mem, stored) = agent.mem.at_least();
        let frame = Frame::root(stored);
        let cx = Cx::since(at, now, last, &mut agent.rng);
        let ended = match trace {
            None => {
                let mut env = Env::ticking(code, mem, &mut agent.own, cx, frame);
                env.root().inspect(|_| {
                    // It has nothing to note.
                    core::mem::forget(env);
                })
            }
            Some(trace) => {
                let own = &mut agent.own;
                let told = &mut Told { own, trace };
                let mut env = Env::ticking(code, mem, told, cx, frame);
                env.traced_root().inspect(|_| core::mem::forget(env))
            }
        };
        ended.map_err(|Failed| self.leaf_error(&agent.own.faults))
    }

    /// Why an agent cannot be ticked.
    #[cold]
    fn refusal(&self, agent: &Agent) -> TickError {
        self.check(agent).err().unwrap_or(TickError::Poisoned)
    }

    #[cold]
    pub(crate) fn leaf_error(&self, faults: &Faults) -> TickError {
        match faults.take_error() {
            Some((node, error)) => TickError::Leaf {
                node,
                path: self.shown_path(node),
                error,
            },
            None => TickError::Poisoned,
        }
    }

    fn check(&self, agent: &Agent) -> Result<(), TickError> {
        if agent.tree() == self.id {
            Ok(())
        } else {
            Err(TickError::WrongTree)
        }
    }

    /// Halts everything that runs, innermost first. History (cooldowns, rate limits,
    /// run-once, kept places) stays; see [`reset`](Tree::reset).
    ///
    /// # Errors
    /// The agent belongs to another tree or is poisoned (then [`recover`](Tree::recover)).
    pub fn halt(&self, agent: &mut Agent, at: &mut C::At<'_>, now: Time) -> Result<(), TickError> {
        self.halt_with(None, agent, at, now)
    }

    /// [`halt`](Tree::halt), reporting what is halted.
    ///
    /// # Errors
    /// As `halt`.
    pub fn halt_traced(
        &self,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
        trace: &mut dyn Trace,
    ) -> Result<(), TickError> {
        self.halt_with(Some(&mut Traced::new(trace)), agent, at, now)
    }

    fn halt_with(
        &self,
        trace: Option<&mut dyn Tracer>,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<(), TickError> {
        self.check(agent)?;
        if agent.is_poisoned() {
            return Err(TickError::Poisoned);
        }
        let cx = Cx::since(at, now, now, &mut agent.rng);
        let own = &mut agent.own;
        match trace {
            None => Env::new(self.code(), &mut agent.mem, own, cx).halt_thread(0),
            Some(trace) => {
                let told = &mut Told { own, trace };
                Env::new(self.code(), &mut agent.mem, told, cx).halt_thread(0);
            }
        }
        Ok(())
    }

    /// Halts everything that runs and forgets all history: the agent is as good as new, except for
    /// its random stream and the time of its last tick (from which the next `dt` is measured).
    ///
    /// # Errors
    /// As [`halt`](Tree::halt).
    pub fn reset(&self, agent: &mut Agent, at: &mut C::At<'_>, now: Time) -> Result<(), TickError> {
        self.halt(agent, at, now)?;
        agent.mem.fill(0);
        Ok(())
    }

    /// Makes a poisoned agent usable again: every leaf that has started and not ended is halted
    /// once, innermost first, including the one that failed. History stays. Does nothing to an
    /// agent that is not poisoned.
    ///
    /// If a halt hook panics, call this again: it goes on with the rest.
    ///
    /// # Errors
    /// The agent belongs to another tree.
    pub fn recover(
        &self,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<(), TickError> {
        self.check(agent)?;
        if !agent.is_poisoned() {
            return Ok(());
        }
        // The tick that failed may have been traced: its ops are those of the traced program.
        let code = self.code_of(&agent.own.faults);
        let cx = Cx::since(at, now, now, &mut agent.rng);
        Env::new(code, &mut agent.mem, &mut agent.own, cx).recover();
        Ok(())
    }

    /// Whether anything is running, that is, whether the last tick answered `Running` and the agent
    /// has not been halted since.
    #[must_use]
    pub fn is_running(&self, agent: &Agent) -> bool {
        agent.tree() == self.id && resume_point(&self.program, &agent.mem, 0) != IDLE
    }

    /// The running leaves, in depth-first order, and loops between two rounds; empty for an agent
    /// of another tree.
    #[must_use]
    pub fn running(&self, agent: &Agent) -> Vec<NodeId> {
        if agent.tree() != self.id {
            return Vec::new();
        }
        self.running_in(&agent.mem)
    }

    pub(crate) fn running_in(&self, mem: &[u8]) -> Vec<NodeId> {
        let mut found = Vec::new();
        self.collect_running(mem, 0, &mut found);
        found.sort();
        found
    }

    fn collect_running(&self, mem: &[u8], thread: u32, found: &mut Vec<NodeId>) {
        let y = resume_point(&self.program, mem, thread);
        if y == IDLE {
            return;
        }
        let info = self.program.yields[y as usize];
        let own = self.program.unwinds[info.from as usize..info.to as usize]
            .iter()
            .find(|u| u.node == info.node);
        match own.map(|u| u.what) {
            Some(Undo::Threads { first, len }) => {
                let before = found.len();
                (first..first + len).for_each(|t| self.collect_running(mem, t, found));
                if found.len() == before {
                    found.push(info.node);
                }
            }
            _ => found.push(info.node),
        }
    }

    /// The history an agent keeps, node by node; empty for an agent of another tree.
    #[must_use]
    pub fn history(&self, agent: &Agent) -> Vec<(NodeId, History)> {
        if agent.tree() != self.id {
            return Vec::new();
        }
        self.history_in(&agent.mem)
    }

    pub(crate) fn history_in(&self, mem: &[u8]) -> Vec<(NodeId, History)> {
        let verdict = |byte: u8| match byte {
            0 => Some(Status::Success),
            1 => Some(Status::Failure),
            _ => None,
        };
        let read = |slot: &HistorySlot| match *slot {
            HistorySlot::Gate { slot, replay } => {
                let until = get_deadline(mem, slot);
                History::Gate {
                    until,
                    verdict: if replay && until.is_set() {
                        verdict(mem[slot as usize + 7])
                    } else {
                        None
                    },
                }
            }
            HistorySlot::Once { slot } => {
                History::Once(mem[slot as usize].checked_sub(1).and_then(verdict))
            }
            HistorySlot::Runs(c) => History::Runs(get(mem, c.slot, c.width)),
            HistorySlot::Place(c) => History::Place(get(mem, c.slot, c.width)),
            HistorySlot::Memory { slot, len } => {
                History::Memory(mem[slot as usize..(slot + len) as usize].to_vec())
            }
        };
        self.program
            .history
            .iter()
            .map(|(node, slot)| (*node, read(slot)))
            .collect()
    }

    /// The tree's definition: its nodes in depth-first order.
    #[must_use]
    pub fn def(&self) -> &Def {
        &self.def
    }

    /// The node with this number.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &NodeDef {
        self.def.node(id)
    }

    /// The node's path: see [`Def::path`].
    #[must_use]
    pub fn path(&self, id: NodeId) -> String {
        self.def.path(id)
    }

    /// The nodes with this tag, in depth-first order.
    pub fn tagged<'t>(&'t self, tag: &'t str) -> impl Iterator<Item = NodeId> + 't {
        self.def
            .iter()
            .filter(move |(_, n)| n.tags().iter().any(|t| t == tag))
            .map(|(id, _)| id)
    }

    /// How a utility selector scores a context: for each child, its score and the values that its
    /// considerations read, in the order of [`NodeDef::scores`]. Empty for nodes of other kinds.
    #[must_use]
    pub fn considered(&self, id: NodeId, at: &C::At<'_>) -> Vec<(f64, Vec<f64>)> {
        let functions = self.functions(id);
        let scores = &self.node(id).scores();
        let mut fact = scores.len();
        let one = |(child, score): (usize, &crate::nodes::ScoreDef)| {
            let facts = score.considerations.iter().map(|_| {
                fact += 1;
                functions.num(fact - 1, at)
            });
            (functions.num(child, at), facts.collect())
        };
        scores.iter().enumerate().map(one).collect()
    }

    /// The functions that a node carries. For executors and tools.
    #[must_use]
    pub fn functions(&self, id: NodeId) -> Functions<'_, C> {
        Functions {
            funcs: &self.funcs,
            refs: &self.def.node(id).fns,
        }
    }
}

impl<C: Context> core::fmt::Debug for Tree<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Tree")
            .field("nodes", &self.def.len())
            .finish_non_exhaustive()
    }
}
