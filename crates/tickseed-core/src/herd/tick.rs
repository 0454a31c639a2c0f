//! Ticking a herd: all agents, a share of them, each at its own cadence, or those that are awake.

use alloc::vec::Vec;

use super::awake::AwakeOf;
use super::lane::{Columns, Granules, Lane, LaneOut, Ticker};
use super::slots::set_bit;
use super::{Handle, Herd, HerdError, Pace, Turn};
use crate::cadence::Cadence;
use crate::context::Context;
use crate::error::TickError;
use crate::rng::Rng;
use crate::status::Status;
use crate::time::Time;

/// A herd in a tick. Dropping it, even by a panic, does the tick's remaining work.
pub(super) struct Ticking<'h, C: Context> {
    pub(super) herd: &'h mut Herd<C>,
    pub(super) outs: Vec<LaneOut>,
    /// For a tick of the whole herd, its time.
    whole: Option<Time>,
    /// The herd's levels of detail, while a tick goes through them.
    levels: Option<Levels>,
}

/// The levels of detail and each agent's place on them.
type Levels = (Vec<Cadence>, Vec<Pace>);

impl<'h, C: Context> Ticking<'h, C> {
    pub(super) fn begin(herd: &'h mut Herd<C>, whole: Option<Time>, lanes: usize) -> Self {
        let mut outs = core::mem::take(&mut herd.outs);
        if outs.len() < lanes {
            outs.resize_with(lanes, LaneOut::default);
        }
        Ticking {
            herd,
            outs,
            whole,
            levels: None,
        }
    }

    /// The herd as one lane.
    fn lane(&mut self, watch: bool) -> Lane<'_, C> {
        lane(self.herd, watch, &mut self.outs[0])
    }

    pub(super) fn end(self) -> Turn {
        let turn = self.turn();
        drop(self);
        turn
    }

    fn turn(&self) -> Turn {
        let sum = |f: fn(&LaneOut) -> usize| self.outs.iter().map(f).sum();
        Turn {
            ticked: sum(|o| o.ticked),
            poisoned: sum(|o| o.poisoned.len()),
            despawned: sum(|o| o.freed.len()),
        }
    }
}

impl<C: Context> Drop for Ticking<'_, C> {
    fn drop(&mut self) {
        let herd = &mut *self.herd;
        if let Some(levels) = self.levels.take() {
            (herd.levels, herd.paces) = levels;
        }
        if let Some(now) = self.whole {
            herd.last = Some(now);
        }
        herd.ticks = herd.ticks.wrapping_add(1);
        for out in &mut self.outs {
            out.ticked = 0;
            for (index, faults) in out.poisoned.drain(..) {
                set_bit(&mut herd.slots.ready, index, false);
                herd.poisoned.insert(index, faults);
            }
            if let Some(events) = &mut herd.events {
                for (index, due) in out.sleeps.drain(..) {
                    events.wheel.set(index, due);
                }
            }
            for index in out.freed.drain(..) {
                herd.free(index);
            }
        }
        herd.outs = core::mem::take(&mut self.outs);
    }
}

/// The columns of a herd as one lane.
pub(super) fn lane<'h, C: Context>(
    herd: &'h mut Herd<C>,
    watch: bool,
    out: &'h mut LaneOut,
) -> Lane<'h, C> {
    let special = herd.is_special();
    let (awake, table, granules) = match &mut herd.events {
        Some(events) => {
            let table = || events.table.as_deref().unwrap_or_else(|| herd.tree.wakes());
            let granules = Granules {
                shift: events.shift,
                now: events.wheel.now(),
            };
            (events.awake.all(), watch.then(table), granules)
        }
        None => (AwakeOf::none(), None, Granules::default()),
    };
    let tree = &*herd.tree;
    Lane {
        tree,
        code: if table.is_some() {
            tree.watched()
        } else {
            tree.code()
        },
        first: 0,
        herd: herd.id,
        generations: herd.slots.generations.all(),
        ready: &herd.slots.ready,
        blocks: &mut herd.blocks,
        stride: herd.tree.program.bytes,
        rngs: &mut herd.rngs,
        derive: Rng::new(herd.options.seed ^ herd.ticks.rotate_left(32)).next_u64(),
        fresh: &mut herd.fresh,
        lasts: &mut herd.lasts,
        last: herd.last.map_or(0, |t| t.0),
        special,
        awake,
        table,
        granules,
        catch: herd.catch,
        own: Columns::new(out, &mut herd.sides, herd.tree.program.sides),
    }
}

impl<C: Context> Herd<C> {
    /// Gives every agent its turn, in the order of their indexes. Poisoned agents get none.
    ///
    /// With events, every agent that was ticked is awake afterwards; if `now` lies before the last
    /// tick, every agent is.
    pub fn tick_all(&mut self, now: Time, f: impl FnMut(Ticker<'_, '_, C>)) -> Turn {
        self.turn_back(now);
        let mut ticking = Ticking::begin(self, Some(now), 1);
        ticking.lane(false).each(now, |_| true, f);
        ticking.end()
    }

    /// Gives some of the agents their turn: those whose index modulo `frames` is `bucket`. Calling
    /// it with 0, 1, .. in turn ticks every agent once in `frames` calls; `dt` is the time since
    /// the agent's own last tick. From the first call on, the herd stores that time for each agent,
    /// in eight bytes. A `frames` of zero is taken as one.
    pub fn tick_bucket(
        &mut self,
        bucket: usize,
        frames: usize,
        now: Time,
        f: impl FnMut(Ticker<'_, '_, C>),
    ) -> Turn {
        self.keep_lasts();
        let frames = frames.max(1);
        let mut ticking = Ticking::begin(self, None, 1);
        let mut lane = ticking.lane(false);
        lane.each(now, |i| i as usize % frames == bucket % frames, f);
        ticking.end()
    }

    /// Ticks one agent out of turn. Like [`tick_bucket`](Herd::tick_bucket), this makes the herd
    /// store the time of each agent's last tick.
    ///
    /// # Errors
    /// The handle is stale, the agent is poisoned, or a leaf fails.
    pub fn tick(
        &mut self,
        handle: Handle,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Status, HerdError> {
        self.check(handle)?;
        if self.poisoned.contains_key(&handle.index) {
            return Err(TickError::Poisoned.into());
        }
        self.keep_lasts();
        let mut ticking = Ticking::begin(self, None, 1);
        let mut lane = ticking.lane(false);
        let result = Ticker::new(&mut lane, handle.index, now).tick(at);
        ticking.end();
        Ok(result?)
    }

    /// Whether agents have different pasts.
    fn is_special(&mut self) -> bool {
        if self.newborn {
            self.newborn = self.fresh.iter().any(|word| *word != 0);
        }
        self.newborn || !self.lasts.is_empty()
    }

    pub(super) fn keep_lasts(&mut self) {
        if self.lasts.is_empty() {
            let last = self.last.map_or(0, |t| t.0);
            self.lasts.resize(self.slots.len(), last);
        }
    }

    /// Declares levels of detail: how often agents are ticked by
    /// [`tick_levels`](Herd::tick_levels). Every agent begins on level 0.
    ///
    /// # Errors
    /// There are no levels, or more than 256; the herd's levels then stay as they were.
    pub fn set_levels(
        &mut self,
        levels: impl IntoIterator<Item = Cadence>,
    ) -> Result<(), HerdError> {
        let levels: Vec<Cadence> = levels.into_iter().collect();
        let first = match levels.first() {
            Some(first) if levels.len() <= 256 => first,
            _ => {
                return Err(HerdError::Levels {
                    found: levels.len(),
                });
            }
        };
        let pacer = first.start(Time::ZERO);
        self.paces.clear();
        self.paces
            .resize(self.slots.len(), Pace { pacer, level: 0 });
        self.levels = levels;
        Ok(())
    }

    /// Puts an agent on one of the levels of detail of [`set_levels`](Herd::set_levels); a number
    /// beyond the last level means the last. The agent is next due one period of the new level
    /// after its last tick, or at once if that is past or it was never ticked.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn set_level(&mut self, handle: Handle, level: usize) -> Result<(), HerdError> {
        let i = self.check(handle)?;
        self.keep_lasts();
        let level = level.min(self.levels.len().saturating_sub(1));
        if let Some(pace) = self.paces.get_mut(i) {
            let ticked = !super::bit(&self.fresh, handle.index);
            let next = if ticked {
                Time(self.lasts[i]) + self.levels[level].period()
            } else {
                Time::ZERO
            };
            let pacer = self.levels[level].start(next);
            *pace = Pace {
                pacer,
                level: level as u8,
            };
        }
        Ok(())
    }

    /// Gives a turn to each agent that is due by its level's cadence, and with
    /// [`CatchUp::Burst`](crate::CatchUp) several turns, each at the time it was due. Without
    /// levels, no agent is ever due.
    pub fn tick_levels(&mut self, now: Time, mut f: impl FnMut(Ticker<'_, '_, C>)) -> Turn {
        self.keep_lasts();
        let levels = core::mem::take(&mut self.levels);
        let paces = core::mem::take(&mut self.paces);
        let mut ticking = Ticking::begin(self, None, 1);
        let (levels, paces) = ticking.levels.insert((levels, paces));
        let mut lane = lane(ticking.herd, false, &mut ticking.outs[0]);
        let ready = lane.ready.iter().copied();
        for index in super::slots::ones(ready, 0) {
            let Some(pace) = paces.get_mut(index as usize) else {
                break;
            };
            for due in levels[pace.level as usize].due(&mut pace.pacer, now) {
                // A tick of this turn may have poisoned or removed the agent.
                if lane.is_ready(index) {
                    f(Ticker::new(&mut lane, index, due));
                }
            }
        }
        ticking.end()
    }

    /// Gives every agent that is awake its turn. The others sleep: their next tick could not differ
    /// from their last, so omitting it gives the same results as [`tick_all`](Herd::tick_all) with
    /// the same times. An agent falls asleep after a tick that changed nothing and called nothing
    /// with undeclared dependencies, or earlier if guards over the context's
    /// [block](Context::block) and deadlines show that its next tick would be such a tick. It wakes
    /// when
    ///
    /// * a key that its guards read is [touched](Herd::touch),
    /// * a deadline that it waits for passes,
    /// * it is [woken](Herd::wake) from outside, halted, or recovered.
    ///
    /// A touched agent has its turn, but is looked at first: if its guards lead to the same
    /// sleeping leaf as before, it sleeps on without being ticked.
    ///
    /// `dt` is the time since the herd's last tick, as if the agent had not slept. If `now` lies
    /// before the last tick, every agent is woken. Turns on [events](Herd::use_events) with their
    /// default options if they are not on.
    pub fn tick_due(&mut self, now: Time, f: impl FnMut(Ticker<'_, '_, C>)) -> Turn {
        self.due(now);
        let mut ticking = Ticking::begin(self, Some(now), 1);
        ticking.lane(true).each_awake(now, f);
        ticking.end()
    }

    /// Wakes the agents whose timers are due.
    pub(super) fn due(&mut self, now: Time) {
        if self.events.is_none() {
            self.use_events(super::EventOptions::default());
        }
        self.tell_touches();
        if !self.turn_back(now)
            && let Some(events) = &mut self.events
        {
            events.advance(now);
        }
    }

    /// Wakes every agent if the time lies before the last tick; returns whether it does.
    pub(super) fn turn_back(&mut self, now: Time) -> bool {
        let back = self.last.is_some_and(|last| now < last);
        if back && let Some(events) = &mut self.events {
            events.go_back(now);
        }
        back
    }
}
