//! Touches that are still to be delivered.
//!
//! Whether a touch matters depends on the agent's block, which in a large herd is far from the
//! previous one's and takes longer to fetch than everything else. So touches are collected first
//! and then delivered in rows: the blocks of a row are fetched one after the other, without waiting
//! for any of them.

use alloc::vec::Vec;

use super::awake::Awake;
use super::{Events, Herd};
use crate::compile::Program;
use crate::context::Context;
use crate::def::Def;
use crate::key::KeyId;
use crate::run::stored_root;
use crate::wake::{FirstKeys, WakeTable};

/// How many touches are collected before they are delivered: few enough to stay in the nearest
/// cache.
const MOST: usize = 512;
/// How many blocks are fetched at once.
const ROW: usize = 32;

/// Touches that were not delivered yet, and what helps to deliver them.
#[derive(Default)]
pub(crate) struct Touches {
    noted: Vec<(u32, KeyId)>,
    /// By stored resume point: on which of the first keys the agents that sleep there depend, once
    /// that has been asked. Zero may mean that it has not.
    reads: Vec<FirstKeys>,
}

impl Touches {
    /// Forgets all touches: every agent is awake. Makes room for as many as will ever be collected.
    pub(crate) fn restart(&mut self, program: &Program) {
        self.noted.clear();
        self.noted.reserve_exact(MOST);
        self.reads.clear();
        self.reads
            .resize(program.entries.len(), FirstKeys::default());
    }

    /// Adds a touch; returns whether they should be delivered now.
    #[inline(always)]
    pub(crate) fn note(&mut self, index: u32, key: KeyId) -> bool {
        self.noted.push((index, key));
        self.noted.len() >= MOST
    }

    /// Marks the sleeping agents that depend on the keys.
    fn tell(
        &mut self,
        awake: &mut Awake,
        table: &WakeTable,
        (prog, def): (&Program, &Def),
        blocks: &[u8],
    ) {
        let mut stored = [0; ROW];
        let bytes = prog.bytes;
        for row in self.noted.chunks(ROW) {
            for (stored, (index, _)) in stored.iter_mut().zip(row) {
                let first = *index as usize * bytes;
                *stored = if prog.wide {
                    stored_root(prog, blocks.get(first..).unwrap_or(&[]))
                } else {
                    blocks.get(first).copied().unwrap_or(0).into()
                };
            }
            for (stored, &(index, key)) in stored.iter().zip(row) {
                let Some(reads) = self.reads.get_mut(*stored as usize) else {
                    continue;
                };
                if reads.has(key) == Some(true) {
                    // It means nothing to agents that are awake.
                    awake.touch(index);
                } else if awake.sleeps(index) {
                    let block = &blocks[index as usize * bytes..][..bytes];
                    let (depends, first) = table.reads(prog, def, block, key);
                    *reads = first.unwrap_or(*reads);
                    if depends {
                        awake.touch(index);
                    }
                }
            }
        }
        self.noted.clear();
    }
}

impl<C: Context> Herd<C> {
    /// Adds a touch of an existing agent.
    #[inline(always)]
    pub(super) fn note_touch(&mut self, index: u32, key: KeyId) {
        if let Some(events) = &mut self.events
            && events.touches.note(index, key)
        {
            self.tell_touches();
        }
    }

    /// Delivers the collected touches to the sleeping agents that depend on the keys.
    #[inline(never)]
    pub(super) fn tell_touches(&mut self) {
        let tree = &*self.tree;
        if let Some(events) = &mut self.events {
            let Events {
                touches,
                awake,
                table,
                ..
            } = events;
            let table = table.as_deref().unwrap_or_else(|| tree.wakes());
            touches.tell(awake, table, (&tree.program, &tree.def), &self.blocks);
        }
    }

    /// The sleeping agents to which a collected touch will be delivered; an agent may appear
    /// several times.
    pub(super) fn untold(&self) -> impl Iterator<Item = u32> + '_ {
        let noted = self.events.iter().flat_map(|e| &e.touches.noted);
        noted
            .filter(|(index, key)| self.sleeps_so_far(*index) && self.depends(*index, *key))
            .map(|(index, _)| *index)
    }
}
