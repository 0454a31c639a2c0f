//! Running a program: one tick, and unwinding what is abandoned.

mod block;
mod custom;
mod exec;
mod link;
mod parallel;
mod rare;
mod rows;
mod step;
mod steps;
mod unwind;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::compile::{IDLE, Offset, Pc, Program, Yield};
use crate::context::{Context, Cx};
use crate::def::{Funcs, NodeId};
use crate::key::{KeyId, Scalar};
use crate::leaf::{LeafError, SideSlot};
use crate::status::Status;
use crate::trace::{KeyView, Trace};

pub(crate) use block::{get, get_deadline, put, put_deadline};
pub(crate) use link::Code;
use step::Placed;
pub(crate) use steps::{Act, CallLeaf, Judge};

/// Whether and how a tick or halt was cut short; normally empty. It is filled in where that happens
/// and read by the caller; until it is taken, the agent is poisoned.
#[derive(Default)]
pub(crate) struct Faults {
    fault: Cell<Option<Box<Fault>>>,
    /// See [`owner`](Faults::owner).
    owner: Cell<u32>,
}

/// Set in `owner` as long as there is a fault.
const POISONED: u32 = 1 << 31;

/// How a tick or halt was cut short.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    /// Threads whose tick was cut short, innermost first.
    pub(crate) frames: Vec<FrameRecord>,
    /// Unwindings that were cut short by a panic, innermost first.
    pub(crate) pending: Vec<PendingUnwind>,
    /// The error and where it happened.
    pub(crate) error: Option<(NodeId, LeafError)>,
}

impl Faults {
    /// No faults, for an agent of this tree.
    pub(crate) fn of(tree: u32) -> Faults {
        Faults {
            fault: Cell::default(),
            owner: Cell::new(tree & !POISONED),
        }
    }

    /// The tree to which the agent belongs, if that is stored here.
    pub(crate) fn owner(&self) -> u32 {
        self.owner.get() & !POISONED
    }

    /// Whether the agent belongs to this tree and there is no fault: the only check at the
    /// beginning of a tick.
    #[inline(always)]
    pub(crate) fn fit_for(&mut self, tree: u32) -> bool {
        *self.owner.get_mut() == tree
    }

    /// Adds to the fault.
    #[cold]
    pub(crate) fn note(&self, f: impl FnOnce(&mut Fault)) {
        let mut fault = self.fault.take().unwrap_or_default();
        f(&mut fault);
        self.fault.set(Some(fault));
        self.owner.set(self.owner.get() | POISONED);
    }

    /// Reads the fault, if there is one.
    pub(crate) fn look<R>(&self, f: impl FnOnce(&Fault) -> R) -> Option<R> {
        let fault = self.fault.take();
        let found = fault.as_deref().map(f);
        self.fault.set(fault);
        found
    }

    /// Whether a tick or halt was cut short and has not been recovered from.
    pub(crate) fn any(&self) -> bool {
        self.look(|_| ()).is_some()
    }

    /// Whether a leaf failed with an error.
    pub(crate) fn failed(&self) -> bool {
        self.look(|fault| fault.error.is_some()) == Some(true)
    }

    /// Whether the tick was traced, so that its ops are those of the traced program.
    pub(crate) fn traced(&self) -> bool {
        self.look(|fault| fault.frames.iter().any(|f| f.traced)) == Some(true)
    }

    /// Takes only the error.
    #[cold]
    pub(crate) fn take_error(&self) -> Option<(NodeId, LeafError)> {
        let mut fault = self.fault.take();
        let error = fault.as_deref_mut().and_then(|f| f.error.take());
        self.fault.set(fault);
        error
    }

    /// Takes everything, for recovery.
    pub(crate) fn take(&self) -> Fault {
        self.owner.set(self.owner());
        self.fault.take().map(|fault| *fault).unwrap_or_default()
    }
}

/// A thread whose tick was cut short by an error or a panic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameRecord {
    pub(crate) thread: u32,
    /// The op that was making a call.
    pub(crate) pc: Pc,
    /// The previous tick's resume point, if it was neither taken up nor unwound.
    pub(crate) old: Yield,
    /// Whether `pc` belongs to the traced program.
    pub(crate) traced: bool,
}

/// An unwinding that was not carried out, or not completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingUnwind {
    /// The first remaining action, as an index into the program's unwinds.
    pub(crate) from: u32,
    /// One past the last.
    pub(crate) to: u32,
    /// Only nodes below this one; [`EVERYTHING`](unwind::EVERYTHING) for all.
    pub(crate) above: u32,
}

/// A tick stopped because a leaf failed.
#[derive(Debug)]
pub(crate) struct Failed;

/// Receives what happens in a tick.
pub(crate) trait Tracer {
    fn enter(&mut self, node: NodeId);
    fn leave(&mut self, node: NodeId, status: Status);
    fn halted(&mut self, node: NodeId);
    fn decided(&mut self, node: NodeId, child: NodeId);
    /// See [`Trace::keys`].
    fn keys(&mut self, node: Option<NodeId>, keys: &dyn KeyView);
    /// The node that was entered last and has not been left.
    fn innermost(&self) -> Option<NodeId>;
    /// How many entered nodes have not been left.
    fn depth(&self) -> usize;
    /// Leaves, as running, the nodes entered beyond this depth.
    fn running(&mut self, depth: usize);
    /// Leaves, as running, the entered nodes below this one.
    fn running_below(&mut self, node: u32);
}

/// Passes marks on and remembers which nodes are open.
pub(crate) struct Traced<'t> {
    sink: &'t mut dyn Trace,
    open: Vec<NodeId>,
}

impl<'t> Traced<'t> {
    pub(crate) fn new(sink: &'t mut dyn Trace) -> Self {
        Traced {
            sink,
            open: Vec::new(),
        }
    }
}

impl Tracer for Traced<'_> {
    fn enter(&mut self, node: NodeId) {
        self.open.push(node);
        self.sink.enter(node);
    }
    fn leave(&mut self, node: NodeId, status: Status) {
        self.open.pop();
        self.sink.leave(node, status);
    }
    fn halted(&mut self, node: NodeId) {
        self.sink.halted(node);
    }
    fn decided(&mut self, node: NodeId, child: NodeId) {
        self.sink.decided(node, child);
    }
    fn keys(&mut self, node: Option<NodeId>, keys: &dyn KeyView) {
        self.sink.keys(node, keys);
    }
    fn innermost(&self) -> Option<NodeId> {
        self.open.last().copied()
    }
    fn depth(&self) -> usize {
        self.open.len()
    }
    fn running(&mut self, depth: usize) {
        while self.open.len() > depth {
            if let Some(node) = self.open.pop() {
                self.sink.leave(node, Status::Running);
            }
        }
    }
    fn running_below(&mut self, node: u32) {
        if let Some(i) = self.open.iter().rposition(|n| n.0 == node) {
            self.running(i + 1);
        }
    }
}

/// Everything a tick works on.
pub(crate) struct Env<'e, 'x, 'a, C: Context> {
    pub(crate) code: &'e Code<C>,
    /// The agent's block.
    pub(crate) mem: &'e mut [u8],
    pub(crate) beside: &'e mut dyn Beside,
    pub(crate) cx: Cx<'x, 'a, C>,
    pub(crate) frame: Frame<'e, C>,
}

/// What an agent has besides its block, and what accompanies it while it is ticked.
pub(crate) trait Beside {
    fn side(&mut self) -> &mut [SideSlot];
    fn faults(&self) -> &Faults;
    /// The tracer, if there is one; the program is then the one with marks.
    fn trace(&mut self) -> Option<&mut dyn Tracer> {
        None
    }
    /// Records that something was called or ended that a sleeping agent would miss. Only steps made
    /// for herds that let agents sleep call this.
    fn hear(&mut self) {}
    /// Whether [`hear`](Beside::hear) was called.
    fn heard(&self) -> bool {
        false
    }
    /// Records that the agent being halted is to be removed afterwards, whatever happens.
    fn leave(&mut self) {}
}

/// For an agent whose state is in the columns of a herd.
pub(crate) struct Slot<'s> {
    pub(crate) side: &'s mut [SideSlot],
    pub(crate) faults: &'s Faults,
}

impl Beside for Slot<'_> {
    fn side(&mut self) -> &mut [SideSlot] {
        self.side
    }
    fn faults(&self) -> &Faults {
        self.faults
    }
}

/// Adds a tracer.
pub(crate) struct Told<'t, B> {
    pub(crate) own: &'t mut B,
    pub(crate) trace: &'t mut dyn Tracer,
}

impl<B: Beside> Beside for Told<'_, B> {
    fn side(&mut self) -> &mut [SideSlot] {
        self.own.side()
    }
    fn faults(&self) -> &Faults {
        self.own.faults()
    }
    fn trace(&mut self) -> Option<&mut dyn Tracer> {
        Some(&mut *self.trace)
    }
    fn hear(&mut self) {
        self.own.hear();
    }
    fn heard(&self) -> bool {
        self.own.heard()
    }
    fn leave(&mut self) {
        self.own.leave();
    }
}

/// The position of a thread's tick, for recovering from a tick that was cut short.
pub(crate) struct Frame<'e, C: Context> {
    thread: u32,
    /// The step that is making a call. Every step that calls user code, even if only to read a key,
    /// first puts itself here; otherwise the leaf called before would be ended again.
    here: Option<&'e Placed<C>>,
    /// The resume point of the last tick.
    began: Yield,
    /// The same, until it is taken up or unwound.
    old: Yield,
}

// (Derived, it would ask the same of contexts.)
impl<C: Context> Clone for Frame<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Context> Copy for Frame<'_, C> {}

/// Stands for "no thread is being ticked".
const NO_THREAD: u32 = u32::MAX;

impl<C: Context> Frame<'_, C> {
    /// No thread is being ticked.
    pub(crate) const NONE: Self = Frame::begin(NO_THREAD, IDLE);

    /// The beginning of a tick of the whole tree, whose resume point is stored as this byte, the
    /// block's first, unless it takes more than one.
    #[inline(always)]
    pub(crate) fn root(stored: u32) -> Self {
        // The first yield is 0, and before it comes idle, the greatest number.
        Frame::begin(0, stored.wrapping_sub(1))
    }

    /// The beginning of a thread's tick that resumes at a resume point.
    #[inline(always)]
    pub(crate) const fn begin(thread: u32, began: Yield) -> Self {
        Frame {
            thread,
            here: None,
            began,
            old: began,
        }
    }
}

impl<C: Context> Drop for Env<'_, '_, '_, C> {
    /// By an error or a panic, if a thread is still being ticked.
    #[cold]
    fn drop(&mut self) {
        self.note_frame();
    }
}

impl<'e, 'x, 'a, C: Context> Env<'e, 'x, 'a, C> {
    /// The program.
    #[inline(always)]
    pub(crate) fn prog(&self) -> &'e Program {
        self.code.prog()
    }

    /// The functions that it calls.
    #[inline(always)]
    pub(crate) fn funcs(&self) -> &'e Funcs<C> {
        self.code.funcs()
    }

    /// For work other than ticks: halting, or recovering from a tick that was cut short.
    pub(crate) fn new(
        code: &'e Code<C>,
        mem: &'e mut [u8],
        beside: &'e mut dyn Beside,
        cx: Cx<'x, 'a, C>,
    ) -> Self {
        Env::ticking(code, mem, beside, cx, Frame::NONE)
    }

    /// For the tick of a thread.
    #[inline(always)]
    pub(crate) fn ticking(
        code: &'e Code<C>,
        mem: &'e mut [u8],
        beside: &'e mut dyn Beside,
        cx: Cx<'x, 'a, C>,
        frame: Frame<'e, C>,
    ) -> Self {
        Env {
            code,
            mem,
            beside,
            cx,
            frame,
        }
    }
}

impl<C: Context> Env<'_, '_, '_, C> {
    /// Records the position of the thread being ticked, if there is one.
    fn note_frame(&mut self) {
        let Frame {
            thread, here, old, ..
        } = self.frame;
        if thread == NO_THREAD {
            return;
        }
        let traced = self.beside.trace().is_some();
        // If nothing has been called yet, it suffices to halt the thread.
        let record = here.map(|here| FrameRecord {
            thread,
            pc: here.pc(),
            old,
            traced,
        });
        self.beside
            .faults()
            .note(|fault| fault.frames.extend(record));
    }
}

/// The element at a place that the compiler guarantees. Like indexing, but with less code for the
/// failure.
#[inline(always)]
pub(crate) fn at<X>(of: &[X], i: u32) -> &X {
    match of.get(i as usize) {
        Some(x) => x,
        None => out_of_bounds(),
    }
}

/// An agent's block from a place on.
#[inline(always)]
pub(crate) fn from(mem: &mut [u8], slot: Offset) -> &mut [u8] {
    match mem.get_mut(slot as usize..) {
        Some(state) => state,
        None => out_of_bounds(),
    }
}

/// Tells the Rust compiler to keep a branch as a branch, and to lay out the other side straight.
#[cold]
#[inline(always)]
pub(crate) fn rarely() {}

#[cold]
#[inline(never)]
fn out_of_bounds() -> ! {
    panic!("a fault of the compiler of trees: a place out of bounds")
}

/// The keys of a borrowed context.
struct Lent<'k, 'a, C: Context>(&'k C::At<'a>);

impl<C: Context> KeyView for Lent<'_, '_, C> {
    fn count(&self) -> u16 {
        C::schema().keys.len() as u16
    }
    fn own(&self) -> u16 {
        C::own_keys(self.0)
    }
    fn read(&self, key: KeyId) -> Option<Scalar> {
        C::read(self.0, key)
    }
}

impl<C: Context> Env<'_, '_, '_, C> {
    /// Shows the keys to the trace, after a node's work.
    #[inline(always)]
    pub(crate) fn show_keys(&mut self, node: Option<NodeId>) {
        if let Some(trace) = self.beside.trace()
            && !(C::schema().keys.is_empty() && C::own_keys(self.cx.at()) == 0)
        {
            trace.keys(node, &Lent::<C>(self.cx.at()));
        }
    }

    /// Shows the keys to the trace, after the work of the node that was entered last.
    #[inline(always)]
    pub(crate) fn show_keys_now(&mut self) {
        if let Some(trace) = self.beside.trace()
            && let Some(node) = trace.innermost()
        {
            self.show_keys(Some(node));
        }
    }

    /// Tells the trace that a node was halted.
    fn mark_halted(&mut self, node: NodeId) {
        if let Some(trace) = self.beside.trace() {
            trace.halted(node);
        }
    }

    /// Tells the trace which child decided.
    fn mark_decided(&mut self, node: NodeId, child: NodeId) {
        if let Some(trace) = self.beside.trace() {
            trace.decided(node, child);
        }
    }

    /// The thread's resume point.
    #[inline(always)]
    pub(crate) fn resume_point(&self, thread: u32) -> Yield {
        resume_point(self.prog(), self.mem, thread)
    }

    #[inline(always)]
    pub(crate) fn set_resume_point(&mut self, thread: u32, y: Yield) {
        let t = &self.prog().threads[thread as usize];
        if t.width != 0 {
            let stored = if y == IDLE { 0 } else { y - t.lo + 1 };
            put(self.mem, t.slot, t.width, stored);
        }
    }
}

/// The whole tree's resume point, as stored at the beginning of an agent's block; `block` may
/// continue with other agents' blocks.
#[inline(always)]
pub(crate) fn stored_root(prog: &Program, block: &[u8]) -> u32 {
    if prog.wide {
        get(block, 0, prog.threads[0].width)
    } else {
        block.first().copied().unwrap_or(0).into()
    }
}

/// A thread's resume point in an agent's block.
#[inline(always)]
pub(crate) fn resume_point(prog: &Program, mem: &[u8], thread: u32) -> Yield {
    let t = &prog.threads[thread as usize];
    match get(mem, t.slot, t.width) {
        0 => IDLE,
        stored => t.lo + stored - 1,
    }
}
