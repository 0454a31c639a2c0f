//! Herds: many agents of one tree, in columns.
//!
//! An [`Agent`](crate::Agent) is a separate object. A [`Herd`] stores the blocks of all its agents
//! contiguously, with nothing else per agent but a generation number and a few bits, so that a
//! million of them are ticked as fast as memory can be read. It runs the same programs: an agent of
//! a herd behaves like a lone agent.
//!
//! With [events](Herd::use_events), agents sleep while their next tick could not differ from their
//! last, and only those whose world has changed are ticked.

mod awake;
mod error;
mod events;
mod lane;
mod look;
#[cfg(feature = "rayon")]
mod parallel;
mod plain;
mod reload;
mod save;
mod slots;
mod tick;
mod touches;
mod turns;
mod wheel;

use alloc::collections::{BTreeMap, TryReserveError};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::cadence::{Cadence, Pacer};
use crate::compile::{IDLE, Op};
use crate::context::{Context, Cx};
use crate::def::NodeId;
use crate::error::TickError;
use crate::history::History;
use crate::leaf::SideSlot;
use crate::nodes::Choose;
use crate::rng::Rng;
use crate::run::{Env, Faults, Slot, resume_point};
use crate::time::Time;
use crate::tree::Tree;

pub use error::HerdError;
pub use events::EventOptions;
pub(crate) use events::Events;
use lane::LaneOut;
pub use lane::Ticker;
pub use plain::{AgentSnapshot, HerdReport, HerdSnapshot};
pub use reload::Leaving;
pub use slots::Handle;
use slots::{HerdId, MOST_SLOTS, Slots, bit, room_for, set_bit};

/// How a herd is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HerdOptions {
    /// How many agents there is room for from the beginning.
    pub capacity: usize,
    /// Whether the capacity is final: spawning more agents is an error, and nothing is allocated
    /// after the herd is made.
    pub fixed: bool,
    /// The seed from which all random streams are derived.
    pub seed: u64,
    /// Whether each agent keeps its own random stream (eight bytes), as it does anyway if the tree
    /// itself draws. Otherwise, leaves that draw get a stream that is derived for each tick, which
    /// is reproducible as well but differs from that of a lone agent with the same seed.
    pub streams: bool,
}

/// The result of a herd's tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    /// How many agents were ticked, including those that a look let sleep on: see
    /// [`tick_due`](Herd::tick_due).
    pub ticked: usize,
    /// How many were poisoned and now wait to be [recovered](Herd::recover).
    pub poisoned: usize,
    /// How many despawned.
    pub despawned: usize,
}

/// Many agents of one tree.
///
/// The herd stores what the engine needs to know about an agent. The caller stores what the game
/// knows about it, in arrays by the agent's [index](Handle::index), and assembles a context when
/// the agent's turn comes:
///
/// ```
/// use std::sync::Arc;
/// use tickseed_core::{Context, Herd, Status, Time, nodes};
///
/// struct View<'w> { hp: &'w mut f32, time_of_day: f32 }
/// impl Context for View<'static> { type At<'a> = View<'a>; }
///
/// let n = nodes::<View<'static>>();
/// let tree = n.selector([
///     n.sequence([n.condition("hurt", |v| *v.hp < 0.5), n.action("rest", |v| { *v.hp += 0.1; Status::Running })]),
///     n.action("graze", |_| Status::Running),
/// ]).reactive().build().unwrap();
///
/// let mut herd = Herd::new(Arc::new(tree));
/// let cow = herd.spawn().unwrap();
/// let _calf = herd.spawn().unwrap();
/// let mut hp = [0.2, 0.9];
/// for step in 0..3 {
///     herd.tick_all(Time::from_millis(100 * step), |agent| {
///         let hp = &mut hp[agent.index()];
///         let _ = agent.tick(&mut View { hp, time_of_day: 0.5 });
///     });
/// }
/// assert!(hp[cow.index as usize] > 0.45 && hp[1] == 0.9);
/// ```
///
/// A clock that runs backwards has the same effect as on a lone agent: `dt` is zero and timers wait
/// longer; with events, every agent is woken once. A jump ahead is one tick, however long.
///
/// Dropping a herd does not halt its agents, since that needs their contexts.
pub struct Herd<C: Context> {
    id: HerdId,
    tree: Arc<Tree<C>>,
    options: HerdOptions,
    slots: Slots,
    blocks: Vec<u8>,
    sides: Vec<SideSlot>,
    rngs: Vec<Rng>,
    fresh: Vec<u64>,
    /// Whether a bit of `fresh` may be set.
    newborn: bool,
    lasts: Vec<u64>,
    last: Option<Time>,
    /// How many ticks the herd has seen; derived random streams depend on it.
    ticks: u64,
    poisoned: BTreeMap<u32, Faults>,
    levels: Vec<Cadence>,
    paces: Vec<Pace>,
    catch: bool,
    events: Option<Events>,
    outs: Vec<LaneOut>,
}

/// When an agent is due next, and on which level of detail it is.
#[derive(Clone, Copy)]
struct Pace {
    pacer: Pacer,
    level: u8,
}

impl<C: Context> Herd<C> {
    /// A herd that grows as needed, with the seed 0.
    #[must_use]
    pub fn new(tree: Arc<Tree<C>>) -> Herd<C> {
        Herd::with(tree, HerdOptions::default())
    }

    /// A herd with options.
    ///
    /// # Panics
    /// There is no memory for the capacity.
    #[must_use]
    pub fn with(tree: Arc<Tree<C>>, options: HerdOptions) -> Herd<C> {
        // Now, since ticks do not allocate.
        tree.code();
        let mut herd = Herd {
            id: HerdId::next(),
            options: HerdOptions {
                streams: options.streams || draws(&tree),
                ..options
            },
            tree,
            slots: Slots::default(),
            blocks: Vec::new(),
            sides: Vec::new(),
            rngs: Vec::new(),
            fresh: Vec::new(),
            newborn: false,
            lasts: Vec::new(),
            last: None,
            ticks: 0,
            poisoned: BTreeMap::new(),
            levels: Vec::new(),
            paces: Vec::new(),
            catch: false,
            events: None,
            outs: Vec::new(),
        };
        if let Err(e) = herd.reserve(options.capacity) {
            panic!("no room for a herd of {} agents: {e}", options.capacity);
        }
        herd
    }

    /// Makes room for this many agents, those included that are there. In a herd of fixed capacity
    /// nothing is allocated then until there are more.
    fn reserve(&mut self, agents: usize) -> Result<(), TryReserveError> {
        let program = &self.tree.program;
        let words = agents.div_ceil(64);
        self.slots.generations.reserve(agents, self.options.fixed)?;
        room_for(&mut self.slots.alive, words)?;
        room_for(&mut self.slots.ready, words)?;
        room_for(&mut self.fresh, words)?;
        room_for(&mut self.blocks, agents.saturating_mul(program.bytes))?;
        room_for(&mut self.sides, agents.saturating_mul(program.sides))?;
        if self.options.streams {
            room_for(&mut self.rngs, agents)?;
        }
        Ok(())
    }

    /// Makes the room that a herd of fixed capacity has from the beginning; for one that was loaded.
    fn reserve_loaded(&mut self) -> Result<(), &'static str> {
        let capacity = self.options.capacity;
        if !self.options.fixed {
            Ok(())
        } else if capacity > MOST_SLOTS {
            Err("its fixed capacity is greater than any herd's")
        } else {
            let room = self.reserve(capacity);
            room.map_err(|_| "there is no memory for its fixed capacity")
        }
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree<C>> {
        &self.tree
    }

    /// How many agents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.live
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.live == 0
    }

    /// How many slots there are, taken or not: every agent's index is below this.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The agents, by index.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        slots::ones(self.slots.alive.iter().copied(), 0).map(|i| self.name(i))
    }

    /// Whether the agent exists.
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.check(handle).is_ok()
    }

    /// The agent in this slot, if it is taken.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<Handle> {
        let index = u32::try_from(index).ok()?;
        bit(&self.slots.alive, index).then(|| self.name(index))
    }

    /// The agent with this index and generation, if it exists: for handles that were stored as
    /// numbers, and for those of a herd that was saved and [loaded](Herd::load).
    #[must_use]
    pub fn handle(&self, index: u32, generation: u32) -> Option<Handle> {
        self.slots.has(index, generation).then(|| self.name(index))
    }

    fn name(&self, index: u32) -> Handle {
        Handle {
            index,
            generation: self.slots.generations.get(index).unwrap_or(0),
            herd: self.id,
        }
    }

    /// How many bytes of state each agent takes: its block, its generation and its random stream,
    /// if it has one, not counting boxed states of leaves. Scheduling comes [on
    /// top](Herd::scheduling_bytes_per_agent).
    ///
    /// A generation takes one byte; it takes four once a slot has had its 256th tenant, or from the
    /// beginning in a herd of [fixed](HerdOptions::fixed) capacity.
    #[must_use]
    pub fn bytes_per_agent(&self) -> f64 {
        let program = &self.tree.program;
        let streams = if self.options.streams { 8 } else { 0 };
        let sides = program.sides * size_of::<SideSlot>();
        (program.bytes + sides + self.slots.generations.width() + streams) as f64
    }

    /// Sets whether panics of leaves are caught, so that the other agents' ticks go on: the agent
    /// is poisoned and its tick returns [`TickError::Panicked`]. Otherwise, and always without the
    /// feature `std`, the agent is poisoned as well, but the panic propagates to the caller, and
    /// agents whose turn had not come are not ticked.
    #[cfg(feature = "std")]
    pub fn catch_panics(&mut self, catch: bool) {
        self.catch = catch;
    }

    /// A new agent. Its random stream is derived from the herd's seed.
    ///
    /// # Errors
    /// The capacity is fixed and used up, or there are two billion agents.
    pub fn spawn(&mut self) -> Result<Handle, HerdError> {
        let handle = self.place()?;
        if self.options.streams {
            let who = u64::from(handle.index) << 32 | u64::from(handle.generation);
            let mut rng = Rng::new(self.options.seed ^ Rng::new(who).next_u64());
            self.rngs[handle.index as usize] = Rng::new(rng.next_u64());
        }
        Ok(handle)
    }

    /// A new agent whose random stream is that of [`Tree::agent_seeded`] with this seed. In a
    /// herd without [streams](HerdOptions::streams) the seed has no effect.
    ///
    /// # Errors
    /// As [`spawn`](Herd::spawn).
    pub fn spawn_seeded(&mut self, seed: u64) -> Result<Handle, HerdError> {
        let handle = self.place()?;
        if let Some(rng) = self.rngs.get_mut(handle.index as usize) {
            *rng = Rng::new(seed);
        }
        Ok(handle)
    }

    fn place(&mut self) -> Result<Handle, HerdError> {
        if self.options.fixed && self.slots.live >= self.options.capacity {
            return Err(HerdError::Full {
                capacity: self.options.capacity,
            });
        }
        let (stride, sides) = (self.tree.program.bytes, self.tree.program.sides);
        let index = self.slots.take(MOST_SLOTS);
        let index = index.ok_or(HerdError::TooMany { most: MOST_SLOTS })?;
        let i = index as usize;
        if self.slots.len() > self.fresh.len() * 64 {
            self.fresh.push(0);
        }
        if self.blocks.len() < (i + 1) * stride {
            self.blocks.resize((i + 1) * stride, 0);
        } else {
            self.blocks[i * stride..(i + 1) * stride].fill(0);
        }
        if self.sides.len() < (i + 1) * sides {
            self.sides.resize_with((i + 1) * sides, || None);
        }
        let slots = self.slots.len();
        if self.options.streams {
            self.rngs.resize(slots, Rng::new(0));
        }
        if !self.lasts.is_empty() {
            self.lasts.resize(slots, 0);
            self.lasts[i] = 0;
        }
        if let Some(cadence) = self.levels.first() {
            let pacer = cadence.start(Time::ZERO);
            self.paces.resize(slots, Pace { pacer, level: 0 });
            self.paces[i] = Pace { pacer, level: 0 };
        }
        set_bit(&mut self.fresh, index, true);
        self.newborn = true;
        if let Some(events) = &mut self.events {
            events.grow(slots);
            events.wake(index);
        }
        Ok(self.name(index))
    }

    #[inline]
    fn check(&self, handle: Handle) -> Result<usize, HerdError> {
        if handle.herd != self.id {
            Err(HerdError::OtherHerd(handle))
        } else if self.slots.has(handle.index, handle.generation) {
            Ok(handle.index as usize)
        } else {
            Err(HerdError::Stale(handle))
        }
    }

    /// Halts an agent and removes it. The slot is freed even if a halt hook panics. A
    /// poisoned agent is recovered, then removed.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn despawn(
        &mut self,
        handle: Handle,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<(), HerdError> {
        self.check(handle)?;
        struct Freed<'h, C: Context>(&'h mut Herd<C>, u32);
        impl<C: Context> Drop for Freed<'_, C> {
            fn drop(&mut self) {
                self.0.free(self.1);
            }
        }
        let freed = Freed(self, handle.index);
        freed.0.unwind(handle.index, at, now);
        Ok(())
    }

    /// Removes an agent without halting it: its leaves do not release what they hold.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn forget(&mut self, handle: Handle) -> Result<(), HerdError> {
        self.check(handle)?;
        self.free(handle.index);
        Ok(())
    }

    fn free(&mut self, index: u32) {
        let sides = self.tree.program.sides;
        let i = index as usize;
        self.sides[i * sides..(i + 1) * sides].fill_with(|| None);
        self.poisoned.remove(&index);
        set_bit(&mut self.fresh, index, false);
        self.slots.free(index);
        if let Some(events) = &mut self.events {
            events.forget(index);
        }
    }

    /// Ends everything that an agent has started, poisoned or not.
    fn unwind(&mut self, index: u32, at: &mut C::At<'_>, now: Time) {
        struct Noted<'n>(&'n mut BTreeMap<u32, Faults>, u32, Option<Faults>);
        impl Drop for Noted<'_> {
            fn drop(&mut self) {
                if let Some(faults) = self.2.take() {
                    self.0.insert(self.1, faults);
                }
            }
        }
        if let Some(events) = &mut self.events {
            events.wake(index);
        }
        let (i, tree) = (index as usize, &*self.tree);
        let faults = self.poisoned.remove(&index);
        let poisoned = faults.is_some();
        let mut derived = Rng::new(self.options.seed);
        let rng = self.rngs.get_mut(i).unwrap_or(&mut derived);
        // If a hook panics, the remaining work stays recorded.
        let mut noted = Noted(&mut self.poisoned, index, Some(faults.unwrap_or_default()));
        if let Some(faults) = &noted.2 {
            let (stride, sides) = (tree.program.bytes, tree.program.sides);
            let side = &mut self.sides[i * sides..(i + 1) * sides];
            let mut beside = Slot { side, faults };
            let mut env = Env::new(
                tree.code_of(faults),
                &mut self.blocks[i * stride..(i + 1) * stride],
                &mut beside,
                Cx::since(at, now, now, rng),
            );
            if !poisoned {
                set_bit(&mut self.slots.ready, index, false);
            }
            if poisoned {
                env.recover();
            } else {
                env.halt_thread(0);
            }
        }
        noted.2 = None;
        drop(noted);
        set_bit(&mut self.slots.ready, index, true);
    }

    /// Halts everything that an agent runs, innermost first; history stays. If a hook panics, the
    /// agent is poisoned, and [`recover`](Herd::recover) goes on with the rest.
    ///
    /// # Errors
    /// The handle is stale, or the agent is poisoned.
    pub fn halt(&mut self, handle: Handle, at: &mut C::At<'_>, now: Time) -> Result<(), HerdError> {
        self.check(handle)?;
        if self.poisoned.contains_key(&handle.index) {
            return Err(TickError::Poisoned.into());
        }
        self.unwind(handle.index, at, now);
        Ok(())
    }

    /// Halts everything that an agent runs and forgets its history.
    ///
    /// # Errors
    /// As [`halt`](Herd::halt).
    pub fn reset(
        &mut self,
        handle: Handle,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<(), HerdError> {
        self.halt(handle, at, now)?;
        self.block_mut(handle.index).fill(0);
        Ok(())
    }

    /// Makes a poisoned agent usable again: see [`Tree::recover`]. Does nothing to an agent
    /// that is not poisoned.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn recover(
        &mut self,
        handle: Handle,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<(), HerdError> {
        self.check(handle)?;
        if self.poisoned.contains_key(&handle.index) {
            self.unwind(handle.index, at, now);
        }
        Ok(())
    }

    /// The agents that a failing or panicking leaf has poisoned. They get no turns until they
    /// are recovered.
    pub fn poisoned(&self) -> impl Iterator<Item = Handle> + '_ {
        self.poisoned.keys().map(|&i| self.name(i))
    }

    fn block(&self, index: u32) -> &[u8] {
        let stride = self.tree.program.bytes;
        &self.blocks[index as usize * stride..(index as usize + 1) * stride]
    }

    fn block_mut(&mut self, index: u32) -> &mut [u8] {
        let stride = self.tree.program.bytes;
        &mut self.blocks[index as usize * stride..(index as usize + 1) * stride]
    }

    /// The bytes of an agent's state.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn bytes(&self, handle: Handle) -> Result<&[u8], HerdError> {
        self.check(handle)?;
        Ok(self.block(handle.index))
    }

    /// Whether the agent's last tick answered `Running` and it has not been halted since.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn is_running(&self, handle: Handle) -> Result<bool, HerdError> {
        let block = self.bytes(handle)?;
        Ok(resume_point(&self.tree.program, block, 0) != IDLE)
    }

    /// The agent's running leaves: see [`Tree::running`].
    ///
    /// # Errors
    /// The handle is stale.
    pub fn running(&self, handle: Handle) -> Result<Vec<NodeId>, HerdError> {
        Ok(self.tree.running_in(self.bytes(handle)?))
    }

    /// The history that an agent keeps: see [`Tree::history`].
    ///
    /// # Errors
    /// The handle is stale.
    pub fn history(&self, handle: Handle) -> Result<Vec<(NodeId, History)>, HerdError> {
        Ok(self.tree.history_in(self.bytes(handle)?))
    }

    /// The agent's random stream, if the herd keeps one for each.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn rng(&self, handle: Handle) -> Result<Option<Rng>, HerdError> {
        let i = self.check(handle)?;
        Ok(self.rngs.get(i).copied())
    }
}

/// Whether the tree itself draws random numbers.
fn draws<C: Context>(tree: &Tree<C>) -> bool {
    let program = &tree.program;
    let op = |op: &Op| matches!(op, Op::Chance { .. } | Op::Pick { .. });
    let chooses = |c: Choose| c != Choose::Highest;
    program.ops.iter().any(op)
        || program.utilities.iter().any(|u| chooses(u.options.choose))
        || program
            .waits
            .iter()
            .any(|w| matches!(w, crate::compile::WaitSpec::Range(..)))
}

impl<C: Context> core::fmt::Debug for Herd<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Herd")
            .field("agents", &self.slots.live)
            .field("slots", &self.slots.len())
            .field("poisoned", &self.poisoned.len())
            .finish_non_exhaustive()
    }
}
