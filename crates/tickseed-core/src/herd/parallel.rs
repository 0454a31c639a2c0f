//! Ticking on all cores: stretches of the herd, each by one thread.

use alloc::vec::Vec;

use rayon::prelude::*;

use super::lane::{Lane, LaneOut, Sleeping, Ticker};
use super::tick::{Ticking, lane};
use super::{Herd, HerdError, Turn};
use crate::context::Context;
use crate::time::Time;

/// Agents of one stretch: whole words of bits, and enough to be worth handing over.
const STRETCH: usize = 8192;

/// Cuts off the first `n`, or all if there are fewer.
fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let all = core::mem::take(rest);
    let (first, others) = all.split_at_mut(n.min(all.len()));
    *rest = others;
    first
}

/// Cuts a herd's columns, and the caller's data, into stretches.
fn stretches<'h, C: Context, X>(
    mut whole: Lane<'h, C>,
    mut outs: &'h mut [LaneOut],
    mut data: &'h mut [X],
) -> Vec<(Lane<'h, C>, &'h mut [X])> {
    let (bytes, sides) = (whole.tree.program.bytes, whole.tree.program.sides);
    let mut all = Vec::with_capacity(outs.len());
    let slots = whole.generations.len();
    for first in (0..slots).step_by(STRETCH) {
        let end = slots.min(first + STRETCH);
        let words = first / 64..end.div_ceil(64);
        let Some(out) = cut(&mut outs, 1).first_mut() else {
            break;
        };
        all.push((
            Lane {
                tree: whole.tree,
                first: first as u32,
                generations: &whole.generations[first..end],
                ready: &whole.ready[words],
                blocks: cut(&mut whole.blocks, STRETCH * bytes),
                sides: cut(&mut whole.sides, STRETCH * sides),
                rngs: cut(&mut whole.rngs, STRETCH),
                derive: whole.derive,
                fresh: cut(&mut whole.fresh, STRETCH / 64),
                lasts: cut(&mut whole.lasts, STRETCH),
                last: whole.last,
                awake: cut(&mut whole.awake, STRETCH / 64),
                sleeping: whole.sleeping,
                catch: whole.catch,
                out,
            },
            cut(&mut data, end - first),
        ));
    }
    all
}

impl<C: Context> Herd<C> {
    /// [`tick_all`](Herd::tick_all) on all cores, with the same results. `data` is what the
    /// caller keeps of the agents, by index: each agent's turn gets its element, so contexts
    /// cannot meet. What they share beyond that they share by `&`.
    ///
    /// # Errors
    /// `data` has fewer elements than the herd has [slots](Herd::slots).
    pub fn par_tick_all<X: Send>(
        &mut self,
        now: Time,
        data: &mut [X],
        f: impl Fn(&mut X, Ticker<'_, '_, C>) + Sync,
    ) -> Result<Turn, HerdError> {
        self.par(now, data, false, f)
    }

    /// [`tick_due`](Herd::tick_due) on all cores, with the same results.
    ///
    /// # Errors
    /// As [`par_tick_all`](Herd::par_tick_all).
    pub fn par_tick_due<X: Send>(
        &mut self,
        now: Time,
        data: &mut [X],
        f: impl Fn(&mut X, Ticker<'_, '_, C>) + Sync,
    ) -> Result<Turn, HerdError> {
        self.par(now, data, true, f)
    }

    fn par<X: Send>(
        &mut self,
        now: Time,
        data: &mut [X],
        due: bool,
        f: impl Fn(&mut X, Ticker<'_, '_, C>) + Sync,
    ) -> Result<Turn, HerdError> {
        let slots = self.slots();
        if data.len() < slots {
            return Err(HerdError::Data {
                wanted: slots,
                found: data.len(),
            });
        }
        if due {
            self.due(now);
        }
        let lanes = slots.div_ceil(STRETCH).max(1);
        let mut ticking = Ticking::begin(self, Some(now), lanes);
        let (mut nothing, outs) = (LaneOut::default(), &mut ticking.outs[..lanes]);
        let whole = lane(ticking.herd, due, &mut nothing);
        stretches(whole, outs, data)
            .into_par_iter()
            .for_each(|(mut lane, data)| {
                let first = lane.first as usize;
                lane.each(
                    now,
                    due,
                    |_| true,
                    |agent| {
                        f(&mut data[agent.index() - first], agent);
                    },
                );
            });
        Ok(ticking.end())
    }
}

/// Lanes go to other threads.
const _: fn() = || {
    fn sends<T: Send>() {}
    sends::<LaneOut>();
    sends::<Sleeping<'_>>();
};
