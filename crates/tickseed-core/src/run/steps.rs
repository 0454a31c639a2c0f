//! The steps of the ops that most ticks meet; all others are [`Rare`].

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::step::{Placed, Standing, Step};
use super::{Env, from, get_deadline, put_deadline};
use crate::compile::{IDLE, Offset, Pc, Yield};
use crate::context::{Context, Cx};
use crate::def::NodeId;
use crate::guard::Quick;
use crate::key::ScalarType;
use crate::leaf::{Answer, DynLeaf, Leaf, Phase};
use crate::status::Status;
use crate::time::Deadline;

/// A condition's function.
pub(crate) trait Judge<C: Context>: Send + Sync {
    fn holds(&self, at: &C::At<'_>) -> bool;
    /// A step that asks it.
    fn step(self: Arc<Self>) -> Box<dyn Step<C>>;
}

impl<C: Context, F> Judge<C> for F
where
    F: for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
{
    fn holds(&self, at: &C::At<'_>) -> bool {
        self(at)
    }
    fn step(self: Arc<Self>) -> Box<dyn Step<C>> {
        Box::new(Ask { func: self })
    }
}

struct Ask<F> {
    func: Arc<F>,
}

impl<C: Context, F> Step<C> for Ask<F>
where
    F: for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
{
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.here = Some(here);
        let holds = (self.func)(env.cx.at());
        here.judged(holds, env)
    }
}

/// An action's function.
pub(crate) trait Act<C: Context>: Send + Sync {
    fn act(&self, cx: &mut Cx<'_, '_, C>) -> Answer;
    /// A step that calls it.
    fn step(self: Arc<Self>, standing: Standing) -> Box<dyn Step<C>>;
}

impl<C: Context, F> Act<C> for F
where
    F: for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Answer + Send + Sync + 'static,
{
    fn act(&self, cx: &mut Cx<'_, '_, C>) -> Answer {
        self(cx)
    }
    fn step(self: Arc<Self>, standing: Standing) -> Box<dyn Step<C>> {
        Box::new(Call {
            func: self,
            standing,
        })
    }
}

struct Call<F> {
    func: Arc<F>,
    standing: Standing,
}

impl<C: Context, F> Step<C> for Call<F>
where
    F: for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Answer + Send + Sync + 'static,
{
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        let Standing { y, resumed } = self.standing;
        if resumed {
            env.frame.old = IDLE;
        }
        env.frame.here = Some(here);
        let answer = (self.func)(&mut env.cx);
        if answer == Answer::Running && y == IDLE {
            return env.odd(here, answer);
        }
        env.answered(answer, y, here)
    }
}

/// A leaf with state.
pub(crate) trait CallLeaf<C: Context>: DynLeaf<C> {
    /// A step that starts or continues it.
    fn step(self: Arc<Self>, slot: Offset, standing: Standing) -> Box<dyn Step<C>>;
}

impl<C: Context, L: Leaf<C>> CallLeaf<C> for L {
    fn step(self: Arc<Self>, slot: Offset, standing: Standing) -> Box<dyn Step<C>> {
        let (leaf, y) = (self, standing.y);
        if standing.resumed {
            Box::new(TickLeaf { leaf, slot, y })
        } else {
            Box::new(StartLeaf { leaf, slot, y })
        }
    }
}

struct StartLeaf<L> {
    leaf: Arc<L>,
    slot: Offset,
    y: Yield,
}

impl<C: Context, L: Leaf<C>> Step<C> for StartLeaf<L> {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.here = Some(here);
        let state = from(env.mem, self.slot);
        let answer = ask(&*self.leaf, Phase::Start, state, &mut env.cx);
        env.answered(answer, self.y, here)
    }
}

struct TickLeaf<L> {
    leaf: Arc<L>,
    slot: Offset,
    y: Yield,
}

impl<C: Context, L: Leaf<C>> Step<C> for TickLeaf<L> {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.old = IDLE;
        env.frame.here = Some(here);
        let state = from(env.mem, self.slot);
        let answer = ask(&*self.leaf, Phase::Tick, state, &mut env.cx);
        env.answered(answer, self.y, here)
    }
}

/// Starts or ticks a leaf. Its state is copied to the stack; a large one is not copied to a step's
/// stack frame, where it would stay while others follow.
#[inline(always)]
fn ask<C: Context, L: Leaf<C>>(
    leaf: &L,
    phase: Phase,
    state: &mut [u8],
    cx: &mut Cx<'_, '_, C>,
) -> Answer {
    if size_of::<L::State>() > 64 {
        ask_apart(leaf, phase, state, cx)
    } else {
        Answer::of(leaf.run(phase, state, cx), cx)
    }
}

#[inline(never)]
fn ask_apart<C: Context, L: Leaf<C>>(
    leaf: &L,
    phase: Phase,
    state: &mut [u8],
    cx: &mut Cx<'_, '_, C>,
) -> Answer {
    Answer::of(leaf.run(phase, state, cx), cx)
}

/// Compares bytes of the context's block as an integer, and then whatever follows in the row.
pub(super) struct Whole {
    pub(super) place: u32,
}

impl<C: Context> Step<C> for Whole {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        // Showing the block runs the context's code.
        env.frame.here = Some(here);
        let block = C::block(env.cx.at());
        let to = env.code.rows().judge(self.place, block);
        match env.code.step(to) {
            Some(next) => next.go(env),
            None => to,
        }
    }
}

/// Compares bytes of the context's block as a fraction.
pub(super) struct Fraction {
    pub(super) quick: Quick,
}

impl<C: Context> Step<C> for Fraction {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.here = Some(here);
        let holds = self.quick.fraction(C::block(env.cx.at()));
        here.judged(holds, env)
    }
}

/// Compares fewer than four bytes of the context's block.
pub(super) struct Small {
    pub(super) ty: ScalarType,
    pub(super) quick: Quick,
}

impl<C: Context> Step<C> for Small {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.here = Some(here);
        let holds = self.quick.small(self.ty, C::block(env.cx.at()));
        here.judged(holds, env)
    }
}

#[derive(Clone, Copy)]
pub(super) struct WaitStart {
    pub(super) slot: Offset,
    pub(super) spec: u32,
    pub(super) y: Yield,
}

impl WaitStart {
    #[inline(always)]
    fn until<'e, C: Context>(
        self,
        deadline: Deadline,
        env: &mut Env<'e, '_, '_, C>,
        here: &'e Placed<C>,
    ) -> Pc {
        if deadline.passed(env.cx.now()) {
            here.s(env)
        } else {
            put_deadline(env.mem, self.slot, deadline);
            env.yield_at(here, self.y)
        }
    }
}

impl<C: Context> Step<C> for WaitStart {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.here = Some(here);
        let deadline = env.deadline(self.spec);
        self.until(deadline, env, here)
    }
}

/// A wait with a fixed duration.
pub(super) struct WaitFixed {
    pub(super) wait: WaitStart,
    pub(super) ns: u64,
}

impl<C: Context> Step<C> for WaitFixed {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        let deadline = Deadline::after(env.cx.now(), self.ns);
        self.wait.until(deadline, env, here)
    }
}

pub(super) struct WaitTick {
    pub(super) slot: Offset,
    pub(super) y: Yield,
}

impl<C: Context> Step<C> for WaitTick {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.old = IDLE;
        if get_deadline(env.mem, self.slot).passed(env.cx.now()) {
            here.s(env)
        } else {
            env.yield_at(here, self.y)
        }
    }
}

/// Takes the first edge if the gate is open; otherwise the second, or back to the loop if it
/// replays a failure.
pub(super) struct Gate {
    pub(super) slot: Offset,
    /// Where a replayed failure leads.
    pub(super) replay: Option<Pc>,
}

impl<C: Context> Step<C> for Gate {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        let until = get_deadline(env.mem, self.slot);
        if !until.is_set() || until.passed(env.cx.now()) {
            return here.s(env);
        }
        match self.replay {
            Some(f) if env.mem[self.slot as usize + 7] == Status::Failure as u8 => f,
            _ => here.f(env),
        }
    }
}

/// Takes the first edge if it is too late.
pub(super) struct Limit {
    pub(super) slot: Offset,
}

impl<C: Context> Step<C> for Limit {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        let late = get_deadline(env.mem, self.slot).passed(env.cx.now());
        if late { here.s(env) } else { here.f(env) }
    }
}

pub(super) struct YieldAt {
    pub(super) y: Yield,
}

impl<C: Context> Step<C> for YieldAt {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.yield_at(here, self.y)
    }
}

pub(super) struct Resume {
    pub(super) lo: Yield,
    pub(super) len: u32,
    pub(super) table: u32,
}

impl<C: Context> Step<C> for Resume {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        // Idle is the greatest number, so it is in no region.
        let k = env.frame.old.wrapping_sub(self.lo);
        if k < self.len {
            env.by_table(self.table + k)
        } else {
            here.s(env)
        }
    }
}

pub(super) struct Exit {
    pub(super) lo: Yield,
    pub(super) hi: Yield,
    pub(super) node: NodeId,
}

impl<C: Context> Step<C> for Exit {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        let old = env.frame.old;
        if self.lo <= old && old < self.hi {
            env.frame.old = IDLE;
            env.frame.here = Some(here);
            env.unwind(old, self.node.0);
        }
        here.s(env)
    }
}

pub(super) struct Consume;

impl<C: Context> Step<C> for Consume {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.old = IDLE;
        here.s(env)
    }
}

pub(super) struct Set {
    pub(super) slot: Offset,
    pub(super) value: u8,
}

impl<C: Context> Step<C> for Set {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.mem[self.slot as usize] = self.value;
        here.s(env)
    }
}

/// Takes the first edge if a byte is set.
pub(super) struct If {
    pub(super) slot: Offset,
}

impl<C: Context> Step<C> for If {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        let set = env.mem[self.slot as usize] != 0;
        if set { here.s(env) } else { here.f(env) }
    }
}

/// The thread is over.
pub(super) struct Done {
    pub(super) over: Pc,
}

impl<C: Context> Step<C> for Done {
    fn step<'e>(&self, _: &mut Env<'e, '_, '_, C>, _: &'e Placed<C>) -> Pc {
        self.over
    }
}

/// A mark of traced programs: a node's tick begins, or ends with a status.
pub(super) struct Mark {
    pub(super) status: Option<Status>,
    pub(super) node: NodeId,
}

impl<C: Context> Step<C> for Mark {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.frame.here = Some(here);
        env.show_keys_now();
        if let Some(trace) = env.beside.trace() {
            match self.status {
                None => trace.enter(self.node),
                Some(status) => trace.leave(self.node, status),
            }
        }
        here.s(env)
    }
}

/// An op that most ticks do not meet.
pub(super) struct Rare;

impl<C: Context> Step<C> for Rare {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.out_of_line(here)
    }
}

/// A step that a sleeping agent would miss: for herds that let agents sleep.
pub(super) struct Loud<C: Context>(pub(super) Box<dyn Step<C>>);

impl<C: Context> Step<C> for Loud<C> {
    fn step<'e>(&self, env: &mut Env<'e, '_, '_, C>, here: &'e Placed<C>) -> Pc {
        env.beside.hear();
        self.0.step(env, here)
    }
}
