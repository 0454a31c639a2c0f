//! Lowering: a node and its three edges become ops. The files under `nodes` define what each kind
//! becomes; this one has what they share.
//!
//! Children are lowered last to first, so that each child's continuation already exists. A running
//! leaf yields: the thread's resume point is then its yield. A *resume* op asks whether the old
//! resume point lies in a region and, if so, goes where the region says; whatever must act at every
//! tick while something below it runs comes before such an op. An *exit* op on the way out of a
//! reactive region unwinds an old resume point that was not taken up again. State is set when a
//! scope is entered afresh, never when it is left, so that a halt has nothing else to do.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::layout::{Info, Layout, lay_out, resume_width};
use super::program::{
    BeforeSpec, HistorySlot, NOWHERE, Offset, Op, Pc, Program, Thread, Undo, Unwind, Yield,
    YieldInfo,
};
use crate::context::Context;
use crate::def::{Def, FnRef, Funcs, NodeDef, NodeId};
use crate::few::Few;
use crate::guard::{Expr, Judged};
use crate::key::ScalarType;
use crate::kind::Kind;
use crate::nodes::{self, Flow, Preempt};
use crate::status::Status;

/// Where a node's outcomes lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    pub(crate) s: Pc,
    pub(crate) f: Pc,
    pub(crate) k: Pc,
}

impl Edges {
    /// The edge of a final status.
    pub(crate) fn of(self, status: Status) -> Pc {
        match status {
            Status::Success => self.s,
            Status::Failure => self.f,
            Status::Skipped => self.k,
            // Validation has refused `Running` as a final answer.
            Status::Running => NOWHERE,
        }
    }
}

/// A lowered subtree.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// Where a fresh activation begins.
    pub(crate) entry: Pc,
    /// Its first yield.
    pub(crate) lo: Yield,
    /// Where to resume for each of its yields.
    pub(crate) resume: Few<Pc>,
}

impl Region {
    pub(crate) fn hi(&self) -> Yield {
        self.lo + self.resume.len() as u32
    }
}

/// A child of a parallel or custom node, still to be lowered.
struct Pending {
    thread: u32,
    root: NodeId,
}

pub(crate) struct Lower<'d> {
    pub(crate) def: &'d Def,
    infos: &'d [Info],
    pub(crate) traced: bool,
    pub(crate) out: Program,
    pending: VecDeque<Pending>,
    /// Enclosing nodes, outermost first, whose halt is visible.
    scopes: Vec<Unwind>,
    /// The same, innermost first, as a range of the program's unwinds.
    scope: (u32, u32),
    /// Enclosing nodes, outermost first, that halt their old branch before a start.
    befores: Vec<u32>,
    /// The yields below each `hold` lowered so far in this thread.
    pub(crate) holds: Vec<(Yield, Yield)>,
}

/// Compiles a definition. The traced program has the same yields, threads and layout.
pub(crate) fn compile<C: Context>(def: &Def, funcs: &Funcs<C>, traced: bool) -> Program {
    let Layout {
        infos,
        bytes,
        sides,
    } = lay_out(def, funcs);
    let mut lower = Lower {
        def,
        infos: &infos,
        traced,
        out: Program {
            bytes: bytes as usize,
            sides: sides as usize,
            ..Program::default()
        },
        pending: VecDeque::new(),
        scopes: Vec::new(),
        scope: (0, 0),
        befores: Vec::new(),
        holds: Vec::new(),
    };
    lower.history(funcs);
    // Most nodes are leaves, and most leaves are a start, a tick and a yield.
    let nodes = def.len();
    lower.out.ops.reserve(2 * nodes);
    lower.out.op_nodes.reserve(2 * nodes);
    lower.out.yields.reserve(nodes);
    lower.out.unwinds.reserve(nodes);
    lower.out.parents.reserve_exact(nodes);
    lower.out.ends.reserve_exact(nodes);
    for (_, node) in def.iter() {
        lower
            .out
            .parents
            .push(node.parent.map_or(u32::MAX, |p| p.0));
        lower.out.ends.push(node.end.0);
        lower.out.scoped |= match &node.kind {
            Kind::Hook(h) => h.on_halted(),
            Kind::Gate(g) => g.refund_on_halt,
            _ => false,
        };
    }
    lower.out.threads.push(Thread::default());
    lower.pending.push_back(Pending {
        thread: 0,
        root: NodeId::ROOT,
    });
    while let Some(p) = lower.pending.pop_front() {
        lower.thread(p);
    }
    let mut program = lower.out;
    program.originals = program.ops.len();
    if !traced {
        super::specialize::specialize(&mut program);
    }
    program.link();
    #[cfg(debug_assertions)]
    super::verify::verify(&program);
    program
}

impl<'d> Lower<'d> {
    fn history<C: Context>(&mut self, funcs: &Funcs<C>) {
        for (id, node) in self.def.iter() {
            let slot = self.infos[id.index()].history;
            let what = match &node.kind {
                Kind::Gate(g) => HistorySlot::Gate {
                    slot,
                    replay: g.closed == nodes::Closed::Replay,
                },
                Kind::RunOnce(_) => HistorySlot::Once { slot },
                Kind::LimitRuns(l) => HistorySlot::Runs(nodes::runs_counter(self, id, *l)),
                Kind::Sequence(Flow::KeepPlace) | Kind::Selector(Flow::KeepPlace) => {
                    HistorySlot::Place(nodes::place_counter(self, id))
                }
                Kind::Custom(_) => {
                    let len = match node.fns.first() {
                        Some(FnRef::Custom(f)) => funcs.customs[*f as usize].sizes().1 as u32,
                        _ => 0,
                    };
                    HistorySlot::Memory { slot, len }
                }
                _ => continue,
            };
            self.out.history.push((id, what));
        }
    }

    fn thread(&mut self, p: Pending) {
        self.scopes.clear();
        self.scope = (0, 0);
        self.befores.clear();
        self.holds.clear();
        let s = self.emit(p.root, Op::Done(Status::Success));
        let f = self.emit(p.root, Op::Done(Status::Failure));
        let k = self.emit(p.root, Op::Done(Status::Skipped));
        let region = self.node(p.root, Edges { s, f, k });
        let entries: Vec<_> = core::iter::once(region.entry)
            .chain(region.resume.iter().copied())
            .collect();
        let table = self.table(&entries);
        let yields = region.resume.len() as u32;
        let slot = self.infos[p.root.index()].resume;
        self.out.threads[p.thread as usize] = Thread {
            table,
            lo: region.lo,
            yields,
            slot,
            width: resume_width(yields),
            end: s,
        };
    }

    pub(crate) fn info(&self, id: NodeId) -> &'d Info {
        &self.infos[id.index()]
    }

    pub(crate) fn def_of(&self, id: NodeId) -> &'d NodeDef {
        self.def.node(id)
    }

    /// The number of the function that the node carries at this position.
    pub(crate) fn func(&self, id: NodeId, i: usize) -> u32 {
        match self.def.node(id).fns.get(i) {
            Some(
                FnRef::Pred(f)
                | FnRef::Act(f)
                | FnRef::End(f)
                | FnRef::Index(f)
                | FnRef::Int(f)
                | FnRef::Num(f)
                | FnRef::Verdict(f)
                | FnRef::Leaf(f)
                | FnRef::Boxed(f)
                | FnRef::Custom(f),
            ) => *f,
            // The node's constructor put it there.
            None => unreachable!("{} lacks function {i}", self.def.path(id)),
        }
    }

    pub(crate) fn emit(&mut self, node: NodeId, op: Op) -> Pc {
        self.out.ops.push(op);
        self.out.op_nodes.push(node);
        if self.out.scoped {
            self.out.op_scopes.push(self.scope);
        }
        (self.out.ops.len() - 1) as Pc
    }

    /// Emits the op of a leaf; if the leaf may skip, a skip leads to `k`.
    pub(crate) fn emit_leaf(&mut self, node: NodeId, op: Op, k: Pc) -> Pc {
        let pc = self.emit(node, op);
        if self.info(node).can_skip {
            self.out.skips.push((pc, k));
        }
        pc
    }

    /// A new yield of `node`; `own` is what a halt there does first.
    pub(crate) fn new_yield(&mut self, node: NodeId, own: &[Undo]) -> Yield {
        let from = self.out.unwinds.len() as u32;
        self.out
            .unwinds
            .extend(own.iter().map(|&what| Unwind { node, what }));
        self.out.unwinds.extend(self.scopes.iter().rev());
        let to = self.out.unwinds.len() as u32;
        self.out.yields.push(YieldInfo { node, from, to });
        (self.out.yields.len() - 1) as Yield
    }

    /// The next yield to be numbered.
    pub(crate) fn next_yield(&self) -> Yield {
        self.out.yields.len() as Yield
    }

    /// Lowers a node with its marks.
    pub(crate) fn node(&mut self, id: NodeId, edges: Edges) -> Region {
        if !self.traced {
            return self.kind(id, edges);
        }
        let mut leave = |status, to| self.emit(id, Op::Leave { status, to });
        let edges = Edges {
            s: leave(Status::Success, edges.s),
            f: leave(Status::Failure, edges.f),
            k: leave(Status::Skipped, edges.k),
        };
        let mut region = self.kind(id, edges);
        region.entry = self.emit(id, Op::Enter { to: region.entry });
        let mut last = (NOWHERE, NOWHERE);
        for target in region.resume.iter_mut() {
            if last.0 != *target {
                last = (*target, self.emit(id, Op::Enter { to: *target }));
            }
            *target = last.1;
        }
        region
    }

    fn kind(&mut self, id: NodeId, edges: Edges) -> Region {
        let node = self.def.node(id);
        match &node.kind {
            Kind::Condition(guard) => {
                let entry = self.guard(id, guard, edges.s, edges.f);
                self.instant(entry)
            }
            Kind::Action { instant, halt, .. } => {
                nodes::lower_action(self, id, *instant, *halt, edges)
            }
            Kind::Leaf { boxed, .. } => nodes::lower_leaf(self, id, *boxed, edges),
            Kind::Wait(wait) => nodes::lower_wait(self, id, *wait, edges),
            Kind::WaitUntil(wait) => nodes::lower_wait_until(self, id, wait, edges),
            Kind::Constant(status) => nodes::lower_constant(self, id, *status, edges),
            Kind::Log(text) => nodes::lower_log(self, id, text.clone(), edges),
            Kind::Sequence(flow) => nodes::lower_flow(self, id, flow, true, edges),
            Kind::Selector(flow) => nodes::lower_flow(self, id, flow, false, edges),
            Kind::Parallel(options) => nodes::lower_parallel(self, id, options, edges),
            Kind::IfThenElse => nodes::lower_if(self, id, edges),
            Kind::WhileDoElse { preempt } => nodes::lower_while_do(self, id, *preempt, edges),
            Kind::Switch(options) => nodes::lower_switch(self, id, *options, edges),
            Kind::Utility(options) => nodes::lower_utility(self, id, *options, edges),
            Kind::ForEach(pace) => nodes::lower_for_each(self, id, *pace, edges),
            Kind::Invert => self.node(
                node.children[0],
                Edges {
                    s: edges.f,
                    f: edges.s,
                    k: edges.k,
                },
            ),
            Kind::Force(status) => {
                let to = edges.of(*status);
                self.node(
                    node.children[0],
                    Edges {
                        s: to,
                        f: to,
                        k: edges.k,
                    },
                )
            }
            Kind::Uninterruptible => self.node(node.children[0], edges),
            Kind::Hold => {
                let region = self.node(node.children[0], edges);
                self.holds.push((region.lo, region.hi()));
                region
            }
            Kind::Loop(options) => nodes::lower_loop(self, id, options, edges),
            Kind::Gate(options) => nodes::lower_gate(self, id, options, edges),
            Kind::TimeLimit(options) => nodes::lower_time_limit(self, id, *options, edges),
            Kind::Delay(wait) => nodes::lower_delay(self, id, *wait, edges),
            Kind::Chance { p, otherwise } => nodes::lower_chance(self, id, *p, *otherwise, edges),
            Kind::RunOnce(options) => nodes::lower_run_once(self, id, *options, edges),
            Kind::LimitRuns(options) => nodes::lower_limit_runs(self, id, *options, edges),
            Kind::Forget => nodes::lower_forget(self, id, edges),
            Kind::Hook(hook) => nodes::lower_hook(self, id, *hook, edges),
            Kind::WhileGuard { guard, otherwise } => {
                nodes::lower_while_guard(self, id, guard, *otherwise, edges)
            }
            Kind::Precondition { guard, then } => {
                nodes::lower_precondition(self, id, guard, *then, edges)
            }
            Kind::Catch => nodes::lower_catch(self, id, edges),
            Kind::Custom(_) => nodes::lower_custom(self, id, edges),
        }
    }

    /// A region that never yields.
    pub(crate) fn instant(&self, entry: Pc) -> Region {
        Region {
            entry,
            lo: self.next_yield(),
            resume: Few::None,
        }
    }

    /// Resumes in a region if the old yield lies in it; otherwise enters it afresh.
    pub(crate) fn resume(&mut self, node: NodeId, region: &Region) -> Pc {
        self.resume_or(node, region.lo, &region.resume, region.entry)
    }

    /// Resumes at `targets` if the old yield is one of theirs; otherwise goes to `els`.
    pub(crate) fn resume_or(&mut self, node: NodeId, lo: Yield, targets: &[Pc], els: Pc) -> Pc {
        if targets.is_empty() {
            return els;
        }
        let table = self.table(targets);
        self.emit(
            node,
            Op::Resume {
                lo,
                len: targets.len() as u32,
                table,
                els,
            },
        )
    }

    pub(crate) fn table(&mut self, targets: &[Pc]) -> u32 {
        let start = self.out.tables.len() as u32;
        self.out.tables.extend_from_slice(targets);
        start
    }

    /// The way out of a reactive region with the yields `lo .. hi`: unwinds an old yield in it.
    pub(crate) fn exit(&mut self, node: NodeId, lo: Yield, hi: Yield, to: Pc) -> Pc {
        if lo == hi {
            return to;
        }
        // The end of a thread, and an exit of an enclosing region, do the same. But with visible
        // scopes they would also unwind the scopes in between, and in a trace the halt must come
        // before the mark.
        if !self.out.scoped && !self.traced {
            match self.out.ops.get(to as usize) {
                Some(Op::Done(_)) => return to,
                Some(Op::Exit { lo: l, hi: h, .. }) if *l <= lo && hi <= *h => return to,
                _ => {}
            }
        }
        self.emit(node, Op::Exit { lo, hi, node, to })
    }

    /// Exits on all three edges.
    pub(crate) fn exits(&mut self, id: NodeId, lo: Yield, edges: Edges) -> Edges {
        let hi = lo + self.info(id).yields;
        Edges {
            s: self.exit(id, lo, hi, edges.s),
            f: self.exit(id, lo, hi, edges.f),
            k: if self.info(id).can_skip {
                self.exit(id, lo, hi, edges.k)
            } else {
                edges.k
            },
        }
    }

    /// Lowers a child of a reactive node: with `BeforeStart`, its starts halt its siblings.
    pub(crate) fn reactive_child(
        &mut self,
        parent: NodeId,
        lo: Yield,
        preempt: Preempt,
        child: NodeId,
        edges: Edges,
    ) -> Region {
        if preempt == Preempt::AfterStart {
            return self.node(child, edges);
        }
        let own_lo = self.next_yield();
        self.out.befores.push(BeforeSpec {
            node: parent,
            lo,
            hi: lo + self.info(parent).yields,
            own_lo,
            own_hi: own_lo + self.info(child).yields,
        });
        self.befores.push((self.out.befores.len() - 1) as u32);
        let region = self.node(child, edges);
        self.befores.pop();
        region
    }

    /// Precedes everything that acts, on its fresh entry.
    pub(crate) fn acting(&mut self, node: NodeId, mut entry: Pc) -> Pc {
        for i in (0..self.befores.len()).rev() {
            entry = self.emit(
                node,
                Op::Before {
                    index: self.befores[i],
                    to: entry,
                },
            );
        }
        entry
    }

    /// The entry of a reactive node at every tick: a held child resumes at once; otherwise the tick
    /// goes to `chain`.
    pub(crate) fn held(&mut self, id: NodeId, regions: &[Region], chain: Pc) -> Pc {
        let mut entry = chain;
        for region in regions {
            let inside: Vec<_> = self
                .holds
                .iter()
                .copied()
                .filter(|(lo, hi)| region.lo <= *lo && *hi <= region.hi())
                .collect();
            for (lo, hi) in inside {
                let targets: Vec<_> =
                    region.resume[(lo - region.lo) as usize..(hi - region.lo) as usize].to_vec();
                entry = self.resume_or(id, lo, &targets, entry);
            }
        }
        entry
    }

    /// A region in which every resume goes through `entry`.
    pub(crate) fn chain(&self, id: NodeId, lo: Yield, entry: Pc) -> Region {
        Region {
            entry,
            lo,
            resume: vec![entry; self.info(id).yields as usize].into(),
        }
    }

    /// Calls `f` to lower something inside a scope whose halt is visible.
    pub(crate) fn scoped<R>(
        &mut self,
        node: NodeId,
        what: Undo,
        f: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.scope;
        self.scopes.push(Unwind { node, what });
        let from = self.out.unwinds.len() as u32;
        self.out.unwinds.extend(self.scopes.iter().rev());
        self.scope = (from, self.out.unwinds.len() as u32);
        let r = f(self);
        self.scope = outer;
        self.scopes.pop();
        r
    }

    /// Makes each child of `id` a thread; returns the first thread's number and where the
    /// children's nodes are listed.
    pub(crate) fn threads(&mut self, id: NodeId) -> (u32, u32) {
        let first = self.out.threads.len() as u32;
        let nodes = self.out.child_nodes.len() as u32;
        for &root in &self.def.node(id).children {
            let thread = self.out.threads.len() as u32;
            self.out.threads.push(Thread::default());
            self.out.child_nodes.push(root);
            self.pending.push_back(Pending { thread, root });
        }
        (first, nodes)
    }

    /// Lowers a guard.
    pub(crate) fn guard(&mut self, id: NodeId, guard: &Expr, s: Pc, f: Pc) -> Pc {
        match guard {
            Expr::Const(true) => s,
            Expr::Const(false) => f,
            Expr::Test(t) => match t.quick() {
                Some(Judged::Always(holds)) => {
                    if holds {
                        s
                    } else {
                        f
                    }
                }
                Some(Judged::Quick(quick)) => {
                    let op = match t.source.ty {
                        ScalarType::I32 | ScalarType::U32 => Op::Whole { quick, s, f },
                        ScalarType::F32 => Op::Fraction { quick, s, f },
                        ty => Op::Small { ty, quick, s, f },
                    };
                    self.emit(id, op)
                }
                None => {
                    self.out.tests.push(*t);
                    let test = (self.out.tests.len() - 1) as u32;
                    self.emit(id, Op::Test { test, s, f })
                }
            },
            Expr::Compare(c) => {
                self.out.compares.push(*c);
                let compare = (self.out.compares.len() - 1) as u32;
                self.emit(id, Op::Compare { compare, s, f })
            }
            Expr::Call(i) => {
                let func = self.func(id, *i as usize);
                self.emit(id, Op::Ask { func, s, f })
            }
            Expr::All(parts) => parts
                .iter()
                .rev()
                .fold(s, |next, e| self.guard(id, e, next, f)),
            Expr::Any(parts) => parts
                .iter()
                .rev()
                .fold(f, |next, e| self.guard(id, e, s, next)),
            Expr::Not(e) => self.guard(id, e, f, s),
        }
    }

    /// The byte that tells whether any child of this activation was not skipped.
    pub(crate) fn skip_bit(&mut self, id: NodeId) -> Option<Offset> {
        super::layout::needs_skip_bit(self.def, self.infos, id).then(|| self.info(id).slot)
    }
}
