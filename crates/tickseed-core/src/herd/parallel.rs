//! Ticking on all cores: stretches of the herd, each by one thread.

use super::lane::{Columns, Lane, LaneOut, Ticker};
use super::tick::{Ticking, lane};
use super::{Herd, HerdError, Turn};
use crate::context::Context;
use crate::time::Time;
use crate::wake::WakeTable;

/// How many agents a stretch has: whole words of bits, and enough to be worth another thread.
const STRETCH: usize = 8192;

impl<'h, C: Context> Lane<'h, C> {
    /// Cuts the lane after `stretches` stretches. The right part leaves its remaining work in
    /// `out`.
    fn split(self, stretches: usize, out: &'h mut LaneOut) -> (Self, Self) {
        fn cut<T>(all: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
            // Columns that are not kept are empty.
            all.split_at_mut(at.min(all.len()))
        }
        let at = stretches * STRETCH;
        let (generations, g) = self.generations.split_at(at);
        let (ready, r) = self.ready.split_at(at / 64);
        let (blocks, b) = cut(self.blocks, at * self.stride);
        let per = self.own.per;
        let (sides, s) = cut(self.own.sides, at * per);
        let (rngs, n) = cut(self.rngs, at);
        let (fresh, f) = cut(self.fresh, at / 64);
        let (lasts, l) = cut(self.lasts, at);
        let (awake, a) = self.awake.split_at(at);
        let right = Lane {
            first: self.first + at as u32,
            generations: g,
            ready: r,
            blocks: b,
            rngs: n,
            fresh: f,
            lasts: l,
            awake: a,
            own: Columns::new(out, s, per),
            ..self
        };
        let left = Lane {
            first: self.first,
            generations,
            ready,
            blocks,
            rngs,
            fresh,
            lasts,
            awake,
            own: Columns::new(self.own.out, sides, per),
            ..right
        };
        (left, right)
    }
}

impl<C: Context> Herd<C> {
    /// [`tick_all`](Herd::tick_all) on all cores, with the same results. `data` is what the caller
    /// stores about the agents, by index. Each agent's turn gets its own element, so contexts
    /// cannot conflict; anything else they share by `&`.
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
        } else {
            self.turn_back(now);
        }
        let lanes = slots.div_ceil(STRETCH).max(1);
        let mut ticking = Ticking::begin(self, Some(now), lanes);
        if let Some((out, outs)) = ticking.outs[..lanes].split_first_mut() {
            let whole = lane(ticking.herd, due, out);
            halves(whole, outs, &mut data[..slots], now, due, &f);
        }
        Ok(ticking.end())
    }
}

/// Ticks a lane that is one stretch longer than `outs`, by halves. (By hand, since an iterator of
/// lanes would have to be allocated.)
fn halves<C: Context, X: Send>(
    mut lane: Lane<'_, C>,
    outs: &mut [LaneOut],
    data: &mut [X],
    now: Time,
    due: bool,
    f: &(impl Fn(&mut X, Ticker<'_, '_, C>) + Sync),
) {
    let half = outs.len().div_ceil(2);
    if half > 0 {
        let (left_outs, rest) = outs.split_at_mut(half - 1);
        if let Some((out, right_outs)) = rest.split_first_mut() {
            let (left, right) = lane.split(half, out);
            let (left_data, right_data) = data.split_at_mut(half * STRETCH);
            rayon::join(
                || halves(left, left_outs, left_data, now, due, f),
                || halves(right, right_outs, right_data, now, due, f),
            );
        }
        return;
    }
    let first = lane.first as usize;
    let turn = |agent: Ticker<'_, '_, C>| f(&mut data[agent.index() - first], agent);
    if due {
        lane.each_awake(now, turn);
    } else {
        lane.each(now, |_| true, turn);
    }
}

/// Lanes go to other threads.
const _: fn() = || {
    fn sends<T: Send>() {}
    sends::<LaneOut>();
    sends::<&WakeTable>();
};
