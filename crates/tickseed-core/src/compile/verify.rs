//! A verifier of programs: turns faults of the compiler into messages. Debug builds run it
//! on everything they compile.

use super::program::{NOWHERE, Op, Pc, Program};

/// Checks that every edge leads to an op, every yield lies in its thread, and every table
/// entry is a place in the program.
///
/// # Panics
/// At the first fault, which is one of the compiler.
pub(super) fn verify(p: &Program) {
    let check = |what: &str, i: usize, to: Pc| {
        assert!(
            to == NOWHERE || (to as usize) < p.ops.len(),
            "{what} {i} leads nowhere: {to}"
        );
    };
    for (i, op) in p.ops.iter().enumerate() {
        let edges: &[Pc] = match op {
            Op::Done(_) | Op::Yield { .. } => &[],
            Op::Whole { s, f, .. }
            | Op::Fraction { s, f, .. }
            | Op::Small { s, f, .. }
            | Op::Ask { s, f, .. }
            | Op::Test { s, f, .. }
            | Op::Compare { s, f, .. }
            | Op::Catch { s, f, .. }
            | Op::Instant { s, f, .. }
            | Op::Start { s, f, .. }
            | Op::Tick { s, f, .. }
            | Op::LeafStart { s, f, .. }
            | Op::LeafTick { s, f, .. }
            | Op::BoxedStart { s, f, .. }
            | Op::BoxedTick { s, f, .. } => &[*s, *f],
            Op::Par { s, f, k, .. }
            | Op::CustomStart { s, f, k, .. }
            | Op::CustomTick { s, f, k, .. } => &[*s, *f, *k],
            Op::WaitStart { s, .. } | Op::WaitTick { s, .. } => &[*s],
            Op::Pend { late: to, .. }
            | Op::Log { to, .. }
            | Op::Resume { els: to, .. }
            | Op::Exit { to, .. }
            | Op::Before { to, .. }
            | Op::Consume { to }
            | Op::Deadline { to, .. }
            | Op::Gate { to, .. }
            | Op::Close { to, .. }
            | Op::Set { to, .. }
            | Op::Put { to, .. }
            | Op::Clear { to, .. }
            | Op::Hook { to, .. }
            | Op::ParStart { to, .. }
            | Op::Enter { to }
            | Op::Leave { to, .. }
            | Op::Switch { other: to, .. } => &[*to],
            Op::Limit { late, to, .. } => &[*late, *to],
            Op::Chance { to, other, .. } | Op::Quota { to, other, .. } => &[*to, *other],
            Op::Once { to, s, f, .. } => &[*to, *s, *f],
            Op::If { yes, no, .. } => &[*yes, *no],
            Op::Dispatch { .. }
            | Op::Pick { .. }
            | Op::Utility { .. }
            | Op::Again { .. }
            | Op::EachStart { .. }
            | Op::EachRound { .. }
            | Op::EachNext { .. } => &[],
        };
        edges.iter().for_each(|&to| check("op", i, to));
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
