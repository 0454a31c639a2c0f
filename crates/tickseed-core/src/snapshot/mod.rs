//! Agents as plain data: for saving them, sending them, and moving them into an edited tree.
//!
//! A [`Snapshot`] names nodes by their paths, so it means something to other trees as well. In the
//! tree from which it was taken, it restores an agent exactly. In another tree, a node with the
//! same path and kind goes on; a node whose name is unique in both trees is found even if it was
//! moved. A running leaf goes on if it is found and everything around it can be brought to a
//! running state: new nodes around it begin as if just entered (a time limit counts from now).
//! Otherwise the part of the tree in which it ran (the whole tree, or a parallel's child) begins
//! anew. History is carried over wherever its node is found. The [`Report`] tells what changed.
//!
//! The state of a [`BoxedLeaf`](crate::BoxedLeaf) is not plain data: after loading, such a leaf
//! starts again. [`Tree::migrate`] keeps it.

mod bytes;
mod place;
mod shape;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::agent::Agent;
use crate::compile::{IDLE, Info, Layout, Undo, lay_out};
use crate::context::NEVER;
use crate::context::{Context, Cx};
use crate::def::{Def, NodeId};
use crate::error::TickError;
use crate::kind::Kind;
use crate::rng::Rng;
use crate::run::{Beside, Env, resume_point};
use crate::time::Time;
use crate::tree::Tree;

pub(crate) use bytes::{Of, Reader, Writer};
pub use place::{Change, Report};
pub(crate) use place::{Target, restore};
pub use shape::Value;

/// The state of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The fingerprint of the tree from which it was taken: see [`Tree::fingerprint`].
    pub tree: u64,
    /// The state of the agent's random stream.
    pub rng: u64,
    /// The time of its last tick.
    pub last: Option<Time>,
    /// The nodes that run or have a history, in depth-first order.
    pub nodes: Vec<NodeState>,
}

/// The state of one node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeState {
    /// Its number in the tree from which the snapshot was taken.
    pub node: u32,
    /// Its path.
    pub path: String,
    /// The name of its kind.
    pub kind: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The labels of its children, where its state or history refers to them.
    pub children: Vec<String>,
    /// Whether it or something below it is running.
    pub active: bool,
    /// Whether a tick would resume right here.
    pub resumes: bool,
    /// What it keeps while it is active.
    pub state: Vec<Value>,
    /// What it keeps beyond its activation.
    pub history: Vec<Value>,
}

/// Why a snapshot was not taken or not loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The agent belongs to another tree or is poisoned.
    Tick(TickError),
    /// The bytes are not a snapshot.
    Foreign,
    /// A snapshot of something else: of a herd, not an agent, or the other way round.
    Kind,
    /// An unknown version of the format.
    Version {
        /// The one found.
        found: u16,
        /// The newest known version.
        known: u16,
    },
    /// Bytes are missing, superfluous or changed.
    Damaged {
        /// Where that was noticed.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// It was taken from another tree and can only be loaded into that one.
    OtherTree {
        /// The fingerprint of that tree.
        found: u64,
        /// The fingerprint of this one.
        expected: u64,
    },
    /// A herd's data contradicts itself.
    Invalid {
        /// The agent, if it concerns one.
        agent: Option<u32>,
        /// What is wrong.
        what: &'static str,
    },
    /// Agents of the herd are poisoned: recover them first.
    Poisoned {
        /// How many.
        agents: usize,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::Tick(e) => e.fmt(f),
            SnapshotError::Foreign => f.write_str("this is no snapshot: it does not begin with `TKSN`"),
            SnapshotError::Kind => f.write_str("this snapshot is not of the kind wanted: herds are loaded by `Herd::load`, agents by `Tree::load`"),
            SnapshotError::Version { found, known } if found > known => write!(
                f,
                "the snapshot has version {found}, at most {known} is known here: it was written by a newer Tickseed"
            ),
            SnapshotError::Version { found, known } => write!(
                f,
                "the snapshot has version {found}, only {known} is known here: it was written by an older Tickseed"
            ),
            SnapshotError::Damaged { at, what } => {
                write!(f, "the snapshot is damaged, at byte {at}: {what}")
            }
            SnapshotError::OtherTree { found, expected } => write!(
                f,
                "the snapshot was taken from another tree (its fingerprint is {found:016x}, this tree's {expected:016x})"
            ),
            SnapshotError::Invalid {
                agent: Some(agent),
                what,
            } => write!(f, "the snapshot contradicts itself, at agent {agent}: {what}"),
            SnapshotError::Invalid { agent: None, what } => {
                write!(f, "the snapshot contradicts itself: {what}")
            }
            SnapshotError::Poisoned { agents } => write!(
                f,
                "{agents} agents of the herd are poisoned: recover them before taking a snapshot"
            ),
        }
    }
}

impl core::error::Error for SnapshotError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            SnapshotError::Tick(e) => Some(e),
            _ => None,
        }
    }
}

impl From<TickError> for SnapshotError {
    fn from(e: TickError) -> Self {
        SnapshotError::Tick(e)
    }
}

impl<C: Context> Tree<C> {
    /// A number that is equal for trees with the same nodes, names, options and sizes of state, and
    /// almost never for others. It is valid within one version of the library.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let Layout { infos, .. } = lay_out(&self.def, &self.funcs);
        let mut hash = bytes::Hash::new();
        for (id, node) in self.def.iter() {
            let info = &infos[id.index()];
            let text = alloc::format!(
                "{}|{:?}|{}|{},{},{},{}\n",
                node.label(),
                node.kind,
                node.children.len(),
                info.slot,
                info.own,
                info.history,
                info.resume,
            );
            hash.add(text.as_bytes());
        }
        hash.value()
    }

    /// Takes an agent's state.
    ///
    /// # Errors
    /// The agent is another tree's or poisoned.
    pub fn snapshot(&self, agent: &Agent) -> Result<Snapshot, SnapshotError> {
        if agent.tree() != self.id {
            return Err(TickError::WrongTree.into());
        }
        if agent.is_poisoned() {
            return Err(TickError::Poisoned.into());
        }
        let source = Origin::new(self);
        Ok(source.snapshot(&agent.mem, agent.rng, agent.last_tick()))
    }

    /// Marks what is active in a thread.
    fn mark(&self, mem: &[u8], thread: u32, active: &mut [u8]) {
        let y = resume_point(&self.program, mem, thread);
        if y == IDLE {
            return;
        }
        let node = self.program.yields[y as usize].node;
        active[node.index()] = 2;
        for up in self.def.ancestors(node) {
            if active[up.index()] != 0 {
                break;
            }
            active[up.index()] = 1;
        }
        if let Some((first, len)) = self.threads_at(y) {
            (first..first + len).for_each(|t| self.mark(mem, t, active));
        }
    }

    /// The threads of a yield that belongs to a parallel or custom node.
    pub(crate) fn threads_at(&self, y: u32) -> Option<(u32, u32)> {
        let info = self.program.yields[y as usize];
        self.program.unwinds[info.from as usize..info.to as usize]
            .iter()
            .find_map(|u| match u.what {
                Undo::Threads { first, len } if u.node == info.node => Some((first, len)),
                _ => None,
            })
    }

    /// An agent in the state of a snapshot from this tree or another, at the time `now`. The report
    /// tells what could not be kept.
    #[must_use]
    pub fn restore(&self, snapshot: &Snapshot, now: Time) -> (Agent, Report) {
        let mut agent = self.agent();
        let report = place::restore(&Target::new(self), snapshot, now, &mut agent.mem);
        agent.rng = Rng::new(snapshot.rng);
        agent.last = snapshot.last.unwrap_or(NEVER);
        (agent, report)
    }

    /// Takes over an agent from another tree, such as an earlier version of this one: what is the
    /// same goes on, boxed states of leaves included; what is gone is halted, by the old tree;
    /// history is carried over. Afterwards the agent works with this tree.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tickseed_core::{Status, Time, nodes};
    /// let n = nodes::<()>();
    /// let old = n.sequence([n.wait(Duration::from_secs(9)).named("rest"), n.run_forever()]).build()?;
    /// let mut agent = old.agent();
    /// old.tick(&mut agent, &mut (), Time::ZERO)?;
    ///
    /// let new = n.sequence([n.succeed(), n.wait(Duration::from_secs(5)).named("rest")]).build()?;
    /// let report = new.migrate(&old, &mut agent, &mut (), Time::from_millis(1000))?;
    /// assert!(report.is_clean());
    /// // It still rests for as long as it was told at its start.
    /// assert_eq!(new.tick(&mut agent, &mut (), Time::from_millis(8999))?, Status::Running);
    /// assert_eq!(new.tick(&mut agent, &mut (), Time::from_millis(9000))?, Status::Success);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The agent does not belong to `old` or is poisoned; it is then unchanged. If a halt hook
    /// panics, the agent is left poisoned and still belongs to `old`, to be recovered there.
    pub fn migrate(
        &self,
        old: &Tree<C>,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Report, SnapshotError> {
        let before = old.snapshot(agent)?;
        let target = Target::new(self);
        let planned = place::restore(
            &target,
            &before,
            now,
            &mut alloc::vec![0; self.program.bytes],
        );
        let cx = Cx::since(at, now, now, &mut agent.rng);
        let mut env = Env::new(old.code(), &mut agent.mem, &mut agent.own, cx);
        halt_lost(old, &mut env, 0, &planned);
        drop(env);
        // Halting may have changed history: a refunded cooldown is open.
        let after = old.snapshot(agent)?;
        let (mut moved, mut report) = self.restore(&after, now);
        report.changes = planned.changes;
        let origin = Origin::new(old);
        let kept = core::mem::take(&mut report.kept);
        for (from, to) in keep_boxed(&origin, &target, &kept, &mut report) {
            moved.own.side()[to] = agent.own.side()[from].take();
        }
        report.kept = kept;
        *agent = moved;
        Ok(report)
    }
}

/// A tree from which snapshots are taken, with what each of them needs.
pub(crate) struct Origin<'t, C: Context> {
    tree: &'t Tree<C>,
    fingerprint: u64,
    infos: Vec<Info>,
    paths: Vec<String>,
}

impl<'t, C: Context> Origin<'t, C> {
    pub(crate) fn new(tree: &'t Tree<C>) -> Self {
        Origin {
            tree,
            fingerprint: tree.fingerprint(),
            infos: lay_out(&tree.def, &tree.funcs).infos,
            paths: tree.def.paths(),
        }
    }

    /// Where the node keeps its boxed state.
    pub(crate) fn side(&self, id: NodeId) -> usize {
        self.infos[id.index()].side as usize
    }

    pub(crate) fn path(&self, id: NodeId) -> &str {
        &self.paths[id.index()]
    }

    /// The state in a block of one of its agents.
    pub(crate) fn snapshot(&self, mem: &[u8], rng: Rng, last: Option<Time>) -> Snapshot {
        let Origin { tree, infos, .. } = self;
        let def = &tree.def;
        // What is active: 1; where a tick goes on: 2.
        let mut active = alloc::vec![0u8; def.len()];
        tree.mark(mem, 0, &mut active);
        let mut nodes = Vec::new();
        for (id, node) in def.iter() {
            let info = &infos[id.index()];
            let is_active = active[id.index()] != 0;
            let mut state = Vec::new();
            if is_active {
                state = shape::read(&shape::state(def, info, id), mem, info.slot);
            }
            let kept = info.history as usize..(info.history + info.history_len) as usize;
            let mut history = Vec::new();
            if mem[kept].iter().any(|b| *b != 0) {
                history = shape::read(&shape::history(def, info, id), mem, info.history);
            }
            if !is_active && history.is_empty() {
                continue;
            }
            let of_children = |v: &Value| matches!(v, Value::Children(_) | Value::Child(_));
            let threads = matches!(node.kind, Kind::Parallel(_) | Kind::Custom(_));
            nodes.push(NodeState {
                node: id.0,
                path: self.paths[id.index()].clone(),
                kind: node.kind.name().to_string(),
                name: node.name.as_deref().map(String::from),
                children: if threads || state.iter().chain(&history).any(of_children) {
                    labels(def, id)
                } else {
                    Vec::new()
                },
                active: is_active,
                resumes: active[id.index()] == 2,
                state,
                history,
            });
        }
        Snapshot {
            tree: self.fingerprint,
            rng: rng.state(),
            last,
            nodes,
        }
    }
}

/// The boxed states that can be taken over, by their places before and after; they are removed from
/// the report's losses.
pub(crate) fn keep_boxed<C: Context>(
    origin: &Origin<'_, C>,
    target: &Target<'_, C>,
    kept: &[(NodeId, NodeId)],
    report: &mut Report,
) -> Vec<(usize, usize)> {
    let boxed = |def: &Def, id| matches!(def.node(id).kind, Kind::Leaf { boxed: true, .. });
    let mut moves = Vec::new();
    for (from, to) in kept {
        if boxed(&origin.tree.def, *from) && boxed(&target.tree().def, *to) {
            moves.push((origin.side(*from), target.side(*to)));
            let path = origin.path(*from);
            let lost = |c: &(String, Change)| c.0 == path && c.1 == Change::Boxed;
            report.changes.retain(|change| !lost(change));
        }
    }
    moves
}

/// Halts, in the old tree, the threads that do not go on in the new one.
pub(crate) fn halt_lost<C: Context>(
    old: &Tree<C>,
    env: &mut Env<'_, '_, '_, C>,
    thread: u32,
    planned: &Report,
) {
    let y = env.resume_point(thread);
    if y == IDLE {
        return;
    }
    let node = old.program.yields[y as usize].node;
    if !planned.kept.iter().any(|(from, _)| *from == node) {
        env.halt_thread(thread);
    } else if let Some((first, len)) = old.threads_at(y) {
        (first..first + len).for_each(|t| halt_lost(old, env, t, planned));
    }
}

/// The last components of the children's paths.
fn labels(def: &Def, id: NodeId) -> Vec<String> {
    let parent = def.path(id).len() + 1;
    let children = def.node(id).children.iter();
    children
        .map(|c| def.path(*c).get(parent..).unwrap_or_default().to_string())
        .collect()
}
