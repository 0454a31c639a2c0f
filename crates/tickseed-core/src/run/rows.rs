//! Rows of guards made of data.
//!
//! Most guards are followed by another guard, whatever they answer: by the sequence's next
//! condition, or by the next branch's first. In a row they are stored one after the other, each
//! inverted if need be, so that an answer that lets the tick *stay* in the row needs no edge: the
//! place of the next guard is known before the answer is. Only answers that leave the row need
//! edges.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::out_of_bounds;
use crate::compile::{NOWHERE, Op, Pc, Program};
use crate::guard::Span;

/// Edges with this bit (and without the higher one, which all edges beyond the ops have) lead to a
/// place in a row, given by the other bits.
const ROW: Pc = 1 << 30;

/// A guard in a row.
#[derive(Clone, Copy, Debug)]
struct Guard {
    /// The values for which the tick stays.
    stay: Span,
    /// Where the tick goes otherwise.
    leave: Pc,
}

/// A program's rows.
pub(super) struct Rows {
    guards: Box<[Guard]>,
    /// Each op's place in a row; [`NOWHERE`] if it has none.
    places: Box<[u32]>,
}

impl Rows {
    pub(super) fn new(prog: &Program) -> Rows {
        let ops = &prog.ops;
        let mut guards: Vec<Guard> = Vec::new();
        let mut places = alloc::vec![NOWHERE; ops.len()];
        let whole = |places: &[u32], pc: Pc| match ops.get(pc as usize) {
            Some(Op::Whole { quick, s, f }) if places[pc as usize] == NOWHERE => {
                Some((*quick, *s, *f))
            }
            _ => None,
        };
        // Rows normally begin at guards to which no other guard leads.
        let mut led_to = alloc::vec![false; ops.len()];
        for op in ops {
            if let Op::Whole { s, f, .. } = *op {
                let next = if whole(&places, s).is_some() { s } else { f };
                if let Some(led_to) = led_to.get_mut(next as usize) {
                    *led_to = true;
                }
            }
        }
        let all = 0..ops.len() as Pc;
        let heads = all.clone().filter(|pc| !led_to[*pc as usize]);
        for first in heads.chain(all) {
            let mut next = first;
            while let Some((quick, s, f)) = whole(&places, next) {
                places[next as usize] = guards.len() as u32;
                let turned = whole(&places, s).is_none() && whole(&places, f).is_some();
                let (stay, leave) = if turned {
                    (quick.flipped(), s)
                } else {
                    (quick, f)
                };
                next = if turned { f } else { s };
                let stay = Span::from(stay);
                guards.push(Guard { stay, leave });
                if whole(&places, next).is_none() {
                    // The end of the row.
                    let (stay, leave) = (Span::NEVER, next);
                    guards.push(Guard { stay, leave });
                }
            }
        }
        let place = |to: Pc| places.get(to as usize).copied().filter(|at| *at != NOWHERE);
        for guard in &mut guards {
            guard.leave = place(guard.leave).map_or(guard.leave, |at| ROW | at);
        }
        Rows {
            guards: guards.into(),
            places: places.into(),
        }
    }

    /// The place of an op in a row.
    pub(super) fn place(&self, pc: Pc) -> u32 {
        self.places[pc as usize]
    }

    /// Evaluates guards from a place in a row on; returns where the tick goes on.
    #[inline(always)]
    pub(super) fn judge(&self, place: u32, block: &[u8]) -> Pc {
        let mut row = self.from(place).iter();
        loop {
            let Some(guard) = row.next() else {
                out_of_bounds()
            };
            if guard.stay.holds(block) {
                continue;
            }
            if guard.leave & !(ROW - 1) != ROW {
                return guard.leave;
            }
            row = self.from(guard.leave & (ROW - 1)).iter();
        }
    }

    /// The guards from a place on.
    #[inline(always)]
    fn from(&self, place: u32) -> &[Guard] {
        match self.guards.get(place as usize..) {
            Some(row) => row,
            None => out_of_bounds(),
        }
    }
}
