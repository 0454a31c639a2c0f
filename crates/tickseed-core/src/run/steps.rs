//! The steps of the ops that most ticks meet. All others are [`Rare`].

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::step::{Edge, Place, Step, judged};
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
    fn step(self: Arc<Self>, pc: Pc, s: Edge<C>, f: Edge<C>) -> Box<dyn Step<C>>;
}

impl<C: Context, F> Judge<C> for F
where
    F: for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
{
    fn holds(&self, at: &C::At<'_>) -> bool {
        self(at)
    }
    fn step(self: Arc<Self>, pc: Pc, s: Edge<C>, f: Edge<C>) -> Box<dyn Step<C>> {
        Box::new(Ask {
            func: self,
            pc,
            s,
            f,
        })
    }
}

struct Ask<C: Context, F> {
    func: Arc<F>,
    pc: Pc,
    s: Edge<C>,
    f: Edge<C>,
}

impl<C: Context, F> Step<C> for Ask<C, F>
where
    F: for<'x, 'a> Fn(&'x C::At<'a>) -> bool + Send + Sync + 'static,
{
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.pc = self.pc;
        let holds = (self.func)(env.cx.at());
        judged(holds, &self.s, &self.f).go(env)
    }
}

/// An action's function.
pub(crate) trait Act<C: Context>: Send + Sync {
    fn act(&self, cx: &mut Cx<'_, '_, C>) -> Answer;
    /// A step that calls it.
    fn step(self: Arc<Self>, place: Place<C>) -> Box<dyn Step<C>>;
}

impl<C: Context, F> Act<C> for F
where
    F: for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Answer + Send + Sync + 'static,
{
    fn act(&self, cx: &mut Cx<'_, '_, C>) -> Answer {
        self(cx)
    }
    fn step(self: Arc<Self>, place: Place<C>) -> Box<dyn Step<C>> {
        Box::new(Call { func: self, place })
    }
}

struct Call<C: Context, F> {
    func: Arc<F>,
    place: Place<C>,
}

impl<C: Context, F> Step<C> for Call<C, F>
where
    F: for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Answer + Send + Sync + 'static,
{
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        if self.place.resumed {
            env.frame.old = IDLE;
        }
        env.frame.pc = self.place.pc;
        let answer = (self.func)(&mut env.cx);
        if answer == Answer::Running && self.place.y == IDLE {
            return env.odd(self.place.pc, answer);
        }
        env.answered(answer, &self.place)
    }
}

/// A leaf with state.
pub(crate) trait CallLeaf<C: Context>: DynLeaf<C> {
    /// A step that starts it, or goes on with it.
    fn step(self: Arc<Self>, slot: Offset, place: Place<C>) -> Box<dyn Step<C>>;
}

impl<C: Context, L: Leaf<C>> CallLeaf<C> for L {
    fn step(self: Arc<Self>, slot: Offset, place: Place<C>) -> Box<dyn Step<C>> {
        let leaf = self;
        if place.resumed {
            Box::new(TickLeaf { leaf, slot, place })
        } else {
            Box::new(StartLeaf { leaf, slot, place })
        }
    }
}

struct StartLeaf<C: Context, L> {
    leaf: Arc<L>,
    slot: Offset,
    place: Place<C>,
}

impl<C: Context, L: Leaf<C>> Step<C> for StartLeaf<C, L> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.pc = self.place.pc;
        let answer = ask(
            &*self.leaf,
            Phase::Start,
            from(env.mem, self.slot),
            &mut env.cx,
        );
        env.answered(answer, &self.place)
    }
}

struct TickLeaf<C: Context, L> {
    leaf: Arc<L>,
    slot: Offset,
    place: Place<C>,
}

impl<C: Context, L: Leaf<C>> Step<C> for TickLeaf<C, L> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.old = IDLE;
        env.frame.pc = self.place.pc;
        let answer = ask(
            &*self.leaf,
            Phase::Tick,
            from(env.mem, self.slot),
            &mut env.cx,
        );
        env.answered(answer, &self.place)
    }
}

/// Starts or ticks a leaf. Its state is copied to the stack for that: a large one not to that of a
/// step, where it would stay while others follow.
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

/// Judges bytes of the context's block, as a whole number, and whatever follows in the row.
pub(super) struct Whole {
    pub(super) pc: Pc,
    pub(super) place: u32,
}

impl<C: Context> Step<C> for Whole {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        // The block is the context's, and so is what it does to show it.
        env.frame.pc = self.pc;
        let block = C::block(env.cx.at());
        let to = env.code.rows().judge(self.place, block);
        match env.code.step(to) {
            Some(edge) => edge.go(env),
            None => to,
        }
    }
}

/// Judges bytes of the context's block in other ways.
pub(super) struct Quickly<C: Context> {
    pub(super) quick: Quick,
    pub(super) pc: Pc,
    pub(super) s: Edge<C>,
    pub(super) f: Edge<C>,
}

pub(super) struct Fraction<C: Context>(pub(super) Quickly<C>);

impl<C: Context> Step<C> for Fraction<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.pc = self.0.pc;
        let holds = self.0.quick.fraction(C::block(env.cx.at()));
        judged(holds, &self.0.s, &self.0.f).go(env)
    }
}

pub(super) struct Small<C: Context> {
    pub(super) ty: ScalarType,
    pub(super) judge: Quickly<C>,
}

impl<C: Context> Step<C> for Small<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.pc = self.judge.pc;
        let holds = self.judge.quick.small(self.ty, C::block(env.cx.at()));
        judged(holds, &self.judge.s, &self.judge.f).go(env)
    }
}

pub(super) struct WaitStart<C: Context> {
    pub(super) slot: Offset,
    pub(super) spec: u32,
    pub(super) pc: Pc,
    pub(super) y: Yield,
    pub(super) s: Edge<C>,
}

impl<C: Context> WaitStart<C> {
    #[inline(always)]
    fn until(&self, deadline: Deadline, env: &mut Env<'_, '_, '_, C>) -> Pc {
        if deadline.passed(env.cx.now()) {
            self.s.go(env)
        } else {
            put_deadline(env.mem, self.slot, deadline);
            env.yield_at(self.pc, self.y)
        }
    }
}

impl<C: Context> Step<C> for WaitStart<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.pc = self.pc;
        let deadline = env.deadline(self.spec);
        self.until(deadline, env)
    }
}

/// A wait that always takes as long.
pub(super) struct WaitFixed<C: Context> {
    pub(super) wait: WaitStart<C>,
    pub(super) ns: u64,
}

impl<C: Context> Step<C> for WaitFixed<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        let deadline = Deadline::after(env.cx.now(), self.ns);
        self.wait.until(deadline, env)
    }
}

pub(super) struct WaitTick<C: Context> {
    pub(super) slot: Offset,
    pub(super) pc: Pc,
    pub(super) y: Yield,
    pub(super) s: Edge<C>,
}

impl<C: Context> Step<C> for WaitTick<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.old = IDLE;
        if get_deadline(env.mem, self.slot).passed(env.cx.now()) {
            self.s.go(env)
        } else {
            env.yield_at(self.pc, self.y)
        }
    }
}

pub(super) struct Gate<C: Context> {
    pub(super) slot: Offset,
    pub(super) replay: bool,
    pub(super) to: Edge<C>,
    pub(super) s: Edge<C>,
    pub(super) f: Edge<C>,
}

impl<C: Context> Step<C> for Gate<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        let until = get_deadline(env.mem, self.slot);
        let to = if until.is_set() && !until.passed(env.cx.now()) {
            let failed = self.replay && env.mem[self.slot as usize + 7] == Status::Failure as u8;
            if failed { &self.f } else { &self.s }
        } else {
            &self.to
        };
        to.go(env)
    }
}

pub(super) struct Limit<C: Context> {
    pub(super) slot: Offset,
    pub(super) late: Edge<C>,
    pub(super) to: Edge<C>,
}

impl<C: Context> Step<C> for Limit<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        let late = get_deadline(env.mem, self.slot).passed(env.cx.now());
        (if late { &self.late } else { &self.to }).go(env)
    }
}

pub(super) struct YieldAt {
    pub(super) pc: Pc,
    pub(super) y: Yield,
}

impl<C: Context> Step<C> for YieldAt {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.yield_at(self.pc, self.y)
    }
}

pub(super) struct Resume<C: Context> {
    pub(super) lo: Yield,
    pub(super) len: u32,
    pub(super) table: u32,
    pub(super) els: Edge<C>,
}

impl<C: Context> Step<C> for Resume<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        // Idle is the greatest number, so it lies in no region.
        let k = env.frame.old.wrapping_sub(self.lo);
        if k < self.len {
            env.by_table(self.table + k)
        } else {
            self.els.go(env)
        }
    }
}

pub(super) struct Exit<C: Context> {
    pub(super) lo: Yield,
    pub(super) hi: Yield,
    pub(super) node: NodeId,
    pub(super) pc: Pc,
    pub(super) to: Edge<C>,
}

impl<C: Context> Step<C> for Exit<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        let old = env.frame.old;
        if self.lo <= old && old < self.hi {
            env.frame.old = IDLE;
            env.frame.pc = self.pc;
            env.unwind(old, self.node.0);
        }
        self.to.go(env)
    }
}

pub(super) struct Consume<C: Context> {
    pub(super) to: Edge<C>,
}

impl<C: Context> Step<C> for Consume<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.old = IDLE;
        self.to.go(env)
    }
}

pub(super) struct Set<C: Context> {
    pub(super) slot: Offset,
    pub(super) value: u8,
    pub(super) to: Edge<C>,
}

impl<C: Context> Step<C> for Set<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.mem[self.slot as usize] = self.value;
        self.to.go(env)
    }
}

pub(super) struct If<C: Context> {
    pub(super) slot: Offset,
    pub(super) yes: Edge<C>,
    pub(super) no: Edge<C>,
}

impl<C: Context> Step<C> for If<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        let set = env.mem[self.slot as usize] != 0;
        (if set { &self.yes } else { &self.no }).go(env)
    }
}

/// A mark of traced programs: a node's tick begins, or is over with a status.
pub(super) struct Mark<C: Context> {
    pub(super) status: Option<Status>,
    pub(super) node: NodeId,
    pub(super) pc: Pc,
    pub(super) to: Edge<C>,
}

impl<C: Context> Step<C> for Mark<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.frame.pc = self.pc;
        env.show_keys_now();
        if let Some(trace) = env.beside.trace() {
            match self.status {
                None => trace.enter(self.node),
                Some(status) => trace.leave(self.node, status),
            }
        }
        self.to.go(env)
    }
}

/// An op that most ticks do not meet.
pub(super) struct Rare {
    pub(super) pc: Pc,
}

impl<C: Context> Step<C> for Rare {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.out_of_line(self.pc)
    }
}

/// A step that a sleeping agent would miss: for schedulers that let agents sleep.
pub(super) struct Loud<C: Context>(pub(super) Box<dyn Step<C>>);

impl<C: Context> Step<C> for Loud<C> {
    fn step(&self, env: &mut Env<'_, '_, '_, C>) -> Pc {
        env.beside.hear();
        self.0.step(env)
    }
}
