//! A verifier of programs, which turns compiler faults into messages. Debug builds run it on
//! everything they compile.

use super::layout::DEADLINE;
use super::program::{NOWHERE, Op, Pc, Program, is_over};

/// Checks that every edge leads to an op, every yield lies in its thread, and every table
/// entry is a place in the program.
///
/// # Panics
/// At the first fault, which is the compiler's.
pub(super) fn verify(p: &Program) {
    let check = |what: &str, i: usize, to: Pc| {
        assert!(
            to == NOWHERE || is_over(to).is_some() || (to as usize) < p.ops.len(),
            "{what} {i} leads nowhere: {to}"
        );
    };
    for (i, op) in p.ops.iter().enumerate() {
        let mut own = *op;
        let edges = own.edges().into_iter().flatten();
        edges.for_each(|to| check("op", i, *to));
        if let Op::Resume { table, len, .. }
        | Op::Dispatch { table, len, .. }
        | Op::Switch { table, len, .. } = op
        {
            assert!(
                (table + len) as usize <= p.tables.len(),
                "the table of op {i} is out of bounds"
            );
        }
    }
    p.tables
        .iter()
        .enumerate()
        .for_each(|(i, &to)| check("table entry", i, to));
    for (i, op) in p.ops.iter().enumerate() {
        let deadline = match *op {
            Op::WaitStart { slot, .. }
            | Op::WaitTick { slot, .. }
            | Op::Deadline { slot, .. }
            | Op::Limit { slot, .. } => slot,
            Op::Gate { gate, .. } | Op::Close { gate, .. } => p.gates[gate as usize].slot,
            Op::Pend {
                slot: Some(slot), ..
            } => slot.get(),
            Op::Utility { utility } => match p.utilities[utility as usize].dwell {
                Some(slot) => slot,
                None => continue,
            },
            _ => continue,
        };
        assert!(
            deadline > 0 && (deadline + DEADLINE) as usize <= p.bytes,
            "the deadline of op {i} is out of bounds"
        );
    }
    for (i, t) in p.threads.iter().enumerate() {
        assert!(
            (t.table + t.yields) < p.tables.len() as u32,
            "the entries of thread {i} are out of bounds"
        );
        assert!(
            (t.lo + t.yields) as usize <= p.yields.len(),
            "the yields of thread {i} are out of bounds"
        );
        assert!(
            t.slot as usize + usize::from(t.width) <= p.bytes,
            "the resume point of thread {i} is out of bounds"
        );
    }
    assert!(
        p.skips.is_sorted_by(|a, b| a.0 < b.0),
        "the skips are out of order"
    );
    p.skips
        .iter()
        .enumerate()
        .for_each(|(i, skip)| check("skip", i, skip.1));
    for (i, y) in p.yields.iter().enumerate() {
        assert!(
            y.from <= y.to && y.to as usize <= p.unwinds.len(),
            "the unwinding of yield {i} is out of bounds"
        );
    }
}
