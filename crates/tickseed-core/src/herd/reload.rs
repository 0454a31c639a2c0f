//! Moving all agents to an edited tree.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::plain::Tally;
use super::slots::{ones, set_bit};
use super::{Handle, Herd, HerdReport};
use crate::context::{Context, Cx};
use crate::leaf::SideSlot;
use crate::rng::Rng;
use crate::run::{Env, Faults, Slot};
use crate::snapshot::{Origin, Report, Target, halt_lost, keep_boxed, restore};
use crate::time::Time;
use crate::tree::Tree;

/// An agent that runs leaves that are no longer in the edited tree, or that is poisoned: give its
/// context, so that they are halted.
pub struct Leaving<'l, C: Context> {
    handle: Handle,
    now: Time,
    tree: &'l Tree<C>,
    planned: &'l Report,
    block: &'l mut [u8],
    sides: &'l mut [SideSlot],
    rng: &'l mut Rng,
    faults: &'l mut Faults,
    poisoned: bool,
    done: &'l mut bool,
    panics: &'l mut Vec<(Handle, String)>,
}

impl<C: Context> Leaving<'_, C> {
    /// The agent's index, by which to find its data.
    #[must_use]
    pub fn index(&self) -> usize {
        self.handle.index as usize
    }

    /// The agent.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// What happens to the agent's nodes.
    #[must_use]
    pub fn report(&self) -> &Report {
        self.planned
    }

    /// Halts what does not go on, innermost first. With the feature `std`, a hook that panics does
    /// not keep the others from running, and the panic goes into the herd's report. Without it, the
    /// panic propagates to the caller, and the herd stays with its old tree.
    pub fn halt(self, at: &mut C::At<'_>) {
        let Leaving {
            handle,
            now,
            tree,
            planned,
            block,
            sides,
            rng,
            faults,
            poisoned,
            done,
            panics,
        } = self;
        let mut recover = poisoned;
        loop {
            let mut go = || {
                let side = &mut *sides;
                let mut beside = Slot { side, faults };
                let mut env = Env::new(
                    tree.code_of(faults),
                    &mut *block,
                    &mut beside,
                    Cx::since(at, now, now, rng),
                );
                if recover {
                    env.recover();
                } else {
                    halt_lost(tree, &mut env, 0, planned);
                }
            };
            match attempt(&mut go) {
                Ok(()) => break,
                // The remaining work is recorded: go on with that.
                Err(said) => panics.push((handle, said)),
            }
            recover = true;
        }
        *faults = Faults::default();
        *done = true;
    }
}

#[cfg(feature = "std")]
fn attempt(f: &mut dyn FnMut()) -> Result<(), String> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| String::from(*s));
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "(no text)".into())
    })
}

#[cfg(not(feature = "std"))]
fn attempt(f: &mut dyn FnMut()) -> Result<(), String> {
    f();
    Ok(())
}

impl<C: Context> Herd<C> {
    /// Moves all agents to an edited tree, at the time `now`. What is in both trees goes on, boxed
    /// states of leaves included; leaves that are gone are halted, by the old tree; history is
    /// carried over. ([`Tree::migrate`] does this for one agent.) Poisoned agents are recovered.
    /// Every agent is awake afterwards; handles, levels of detail and random streams stay.
    ///
    /// `leaving` is called for each agent that has something to halt, and should [give its
    /// context](Leaving::halt).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tickseed_core::{Context, Herd, Status, Time, nodes};
    ///
    /// struct Robot { lamp: bool }
    /// impl Context for Robot { type At<'a> = Robot; }
    ///
    /// let n = nodes::<Robot>();
    /// let shine = n.action("shine", |r| { r.lamp = true; Status::Running }).on_halt(|r| r.lamp = false);
    /// let mut herd = Herd::new(Arc::new(n.sequence([n.succeed(), shine]).build()?));
    /// herd.spawn()?;
    /// let mut robots = [Robot { lamp: false }];
    /// herd.tick_all(Time::ZERO, |a| drop(a.tick(&mut robots[0])));
    /// assert!(robots[0].lamp);
    ///
    /// let edited = n.sequence([n.succeed(), n.action("sing", |_| Status::Running)]).build()?;
    /// let report = herd.reload(Arc::new(edited), Time::ZERO, |a| {
    ///     let robot = &mut robots[a.index()];
    ///     a.halt(robot);
    /// });
    /// assert!(!robots[0].lamp); // switched off by the leaf that is gone
    /// assert_eq!(report.halted, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reload(
        &mut self,
        tree: Arc<Tree<C>>,
        now: Time,
        mut leaving: impl FnMut(Leaving<'_, C>),
    ) -> HerdReport {
        let old = self.tree.clone();
        let (origin, target) = (Origin::new(&old), Target::new(&tree));
        let mut report = HerdReport::default();
        let mut tally = Tally::default();
        let (bytes, sides) = (tree.program.bytes, tree.program.sides);
        let mut blocks = vec![0u8; bytes * self.slots()];
        let mut boxed: Vec<SideSlot> = Vec::new();
        boxed.resize_with(sides * self.slots(), || None);
        let mut moves: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
        // Leaves are called first: if a panic escapes, the herd still has its old tree.
        let all: Vec<u32> = ones(self.slots.alive.iter().copied(), 0).collect();
        for &index in &all {
            let i = index as usize;
            let block = &mut blocks[i * bytes..(i + 1) * bytes];
            let rng = self.rngs.get(i).copied().unwrap_or(Rng::new(0));
            let before = origin.snapshot(self.block(index), rng, None);
            let mut planned = restore(&target, &before, now, block);
            let poisoned = self.poisoned.contains_key(&index);
            if poisoned || planned.loses() {
                let done = self.end_lost(index, now, &planned, &mut report, &mut leaving);
                if done {
                    report.halted += 1;
                } else {
                    report.unhalted.push(self.name(index));
                }
                // Halting may have changed history: a refunded cooldown is open.
                if done || !poisoned {
                    let after = origin.snapshot(self.block(index), rng, None);
                    block.fill(0);
                    let again = restore(&target, &after, now, block);
                    planned.kept = again.kept;
                } else {
                    block.fill(0);
                    planned.kept.clear();
                }
            }
            let kept = core::mem::take(&mut planned.kept);
            let states = keep_boxed(&origin, &target, &kept, &mut planned);
            if !states.is_empty() {
                moves.insert(index, states);
            }
            tally.add(planned);
        }
        for (index, states) in moves {
            let i = index as usize;
            for (from, to) in states {
                boxed[i * sides + to] = self.sides[i * old.program.sides + from].take();
            }
        }
        let streams = self.options.streams || super::draws(&tree);
        if streams && self.rngs.is_empty() {
            self.rngs = (0..self.slots() as u64)
                .map(|who| {
                    Rng::new(Rng::new(self.options.seed ^ Rng::new(who).next_u64()).next_u64())
                })
                .collect();
        }
        self.options.streams = streams;
        for (index, _) in core::mem::take(&mut self.poisoned) {
            set_bit(&mut self.slots.ready, index, true);
        }
        (self.blocks, self.sides) = (blocks, boxed);
        if let Some(events) = &mut self.events {
            let granule = self.last.map_or(0, |t| t.0 >> events.shift);
            events.turn_to(granule, &tree.program);
            tree.watched();
        }
        tree.code();
        self.tree = tree.clone();
        report.agents = all.len();
        report.changes = tally.list();
        report
    }

    /// Halts what an agent loses, if its context is given.
    fn end_lost(
        &mut self,
        index: u32,
        now: Time,
        planned: &Report,
        report: &mut HerdReport,
        leaving: &mut impl FnMut(Leaving<'_, C>),
    ) -> bool {
        struct Noted<'n> {
            poisoned: &'n mut BTreeMap<u32, Faults>,
            ready: &'n mut [u64],
            index: u32,
            faults: Option<Faults>,
        }
        impl Drop for Noted<'_> {
            fn drop(&mut self) {
                let faults = self.faults.take().filter(Faults::any);
                set_bit(self.ready, self.index, faults.is_none());
                if let Some(faults) = faults {
                    self.poisoned.insert(self.index, faults);
                }
            }
        }
        let handle = self.name(index);
        if let Some(events) = &mut self.events {
            // An agent that may be poisoned does not sleep.
            events.wake(index);
        }
        let tree = self.tree.clone();
        let (i, stride, sides) = (index as usize, tree.program.bytes, tree.program.sides);
        let mut derived = Rng::new(self.options.seed);
        let faults = self.poisoned.remove(&index);
        let poisoned = faults.is_some();
        // If a panic escapes, the remaining work stays recorded.
        let mut noted = Noted {
            poisoned: &mut self.poisoned,
            ready: &mut self.slots.ready,
            index,
            faults: Some(faults.unwrap_or_default()),
        };
        let mut done = false;
        if let Some(faults) = &mut noted.faults {
            leaving(Leaving {
                handle,
                now,
                tree: &tree,
                planned,
                block: &mut self.blocks[i * stride..(i + 1) * stride],
                sides: &mut self.sides[i * sides..(i + 1) * sides],
                rng: self.rngs.get_mut(i).unwrap_or(&mut derived),
                faults,
                poisoned,
                done: &mut done,
                panics: &mut report.panics,
            });
        }
        done
    }
}
