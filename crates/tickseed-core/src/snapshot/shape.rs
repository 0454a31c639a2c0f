//! What is where in a block, node by node: used to take states apart, and to reassemble them for a
//! tree with a different layout.

use alloc::vec;
use alloc::vec::Vec;

use crate::compile::{Info, budget_width, counter_width, width_for};
use crate::def::{Def, NodeId};
use crate::kind::Kind;
use crate::nodes::{Closed, Flow, Leftover};
use crate::run::{get, get_deadline, put, put_deadline};
use crate::time::Deadline;

/// One value of a node's state or history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A deadline: the low 56 bits of its time; zero if it was never set.
    Deadline(u64),
    /// A number: a counter, a flag, a verdict.
    Number(u32),
    /// Bytes of a leaf or custom node.
    Bytes(Vec<u8>),
    /// A number for each child.
    Children(Vec<u8>),
    /// A child.
    Child(u32),
}

/// How a value is stored in the block.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Deadline,
    Number(u8),
    Bytes(u32),
    /// This many bits per child.
    Children {
        bits: u32,
        children: u32,
    },
    Child {
        width: u8,
        children: u32,
    },
}

impl Field {
    fn len(self) -> u32 {
        match self {
            Field::Deadline => 7,
            Field::Number(width) | Field::Child { width, .. } => width.into(),
            Field::Bytes(n) => n,
            Field::Children { bits, children } => (bits * children).div_ceil(8),
        }
    }
}

/// The fields of a node's activation.
pub(super) fn state(def: &Def, info: &Info, id: NodeId) -> Vec<Field> {
    let node = def.node(id);
    let children = node.children.len() as u32;
    let visited = Field::Children { bits: 1, children };
    match &node.kind {
        Kind::Wait(_) | Kind::TimeLimit(_) | Kind::Delay(_) => vec![Field::Deadline],
        Kind::WaitUntil(_) | Kind::Utility(_) if info.own > 0 => vec![Field::Deadline],
        Kind::Leaf { boxed: false, .. } | Kind::Custom(_) => vec![Field::Bytes(info.own)],
        Kind::Sequence(flow) | Kind::Selector(flow) => {
            let drawn = matches!(flow, Flow::Random { .. });
            let rest = if drawn { visited.len() } else { 0 };
            let bit = (info.own > rest).then_some(Field::Number(1));
            bit.into_iter().chain(drawn.then_some(visited)).collect()
        }
        Kind::Loop(l) => vec![
            Field::Number(counter_width(l)),
            Field::Number(budget_width(l.pace)),
        ],
        Kind::ForEach(pace) => vec![
            Field::Number(4),
            Field::Number(4),
            Field::Number(1),
            Field::Number(budget_width(*pace)),
        ],
        Kind::Parallel(p) => {
            let verdict = (p.leftover == Leftover::Await).then_some(Field::Number(1));
            core::iter::once(Field::Children { bits: 2, children })
                .chain(verdict)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The fields of a node's history.
pub(super) fn history(def: &Def, info: &Info, id: NodeId) -> Vec<Field> {
    let node = def.node(id);
    let children = node.children.len() as u32;
    match &node.kind {
        Kind::Gate(g) if g.closed == Closed::Replay => vec![Field::Deadline, Field::Number(1)],
        Kind::Gate(_) => vec![Field::Deadline],
        Kind::RunOnce(_) | Kind::LimitRuns(_) => vec![Field::Number(info.history_len as u8)],
        Kind::Sequence(Flow::KeepPlace) | Kind::Selector(Flow::KeepPlace) => vec![Field::Child {
            width: width_for(children),
            children,
        }],
        Kind::Custom(_) => vec![Field::Bytes(info.history_len)],
        _ => Vec::new(),
    }
}

/// Reads the values at `slot` from a block.
pub(super) fn read(fields: &[Field], mem: &[u8], mut slot: u32) -> Vec<Value> {
    let mut values = Vec::new();
    for field in fields {
        values.push(match *field {
            Field::Deadline => Value::Deadline(get_deadline(mem, slot).bits()),
            Field::Number(width) => Value::Number(get(mem, slot, width)),
            Field::Child { width, .. } => Value::Child(get(mem, slot, width)),
            Field::Bytes(n) => Value::Bytes(mem[slot as usize..(slot + n) as usize].to_vec()),
            Field::Children { bits, children } => Value::Children(
                (0..children)
                    .map(|c| {
                        let at = c * bits;
                        mem[(slot + at / 8) as usize] >> (at % 8) & ((1 << bits) - 1)
                    })
                    .collect(),
            ),
        });
        slot += field.len();
    }
    values
}

/// Writes values into a block at `slot`; `child` maps a child's former number to its present one.
/// Returns `false`, and writes nothing, if they do not fit.
pub(super) fn write(
    fields: &[Field],
    mem: &mut [u8],
    mut slot: u32,
    values: &[Value],
    child: &dyn Fn(u32) -> Option<u32>,
) -> bool {
    let fits = fields.len() == values.len()
        && fields.iter().zip(values).all(|pair| match pair {
            (Field::Deadline, Value::Deadline(_))
            | (Field::Children { .. }, Value::Children(_))
            | (Field::Child { .. }, Value::Child(_)) => true,
            (Field::Number(width), Value::Number(n)) => {
                // A counter that is gone need not be kept.
                *width == 0 || *width >= width_for(*n)
            }
            (Field::Bytes(n), Value::Bytes(bytes)) => *n as usize == bytes.len(),
            _ => false,
        });
    if !fits {
        return false;
    }
    for (field, value) in fields.iter().zip(values) {
        match (*field, value) {
            (Field::Deadline, Value::Deadline(bits)) => {
                let bits = bits & ((1 << 56) - 1);
                put_deadline(mem, slot, Deadline::from_bits(bits));
            }
            (Field::Number(width), Value::Number(n)) => put(mem, slot, width, *n),
            (Field::Child { width, children }, Value::Child(c)) => {
                let now = child(*c).unwrap_or(0).min(children.saturating_sub(1));
                put(mem, slot, width, now);
            }
            (Field::Bytes(n), Value::Bytes(bytes)) => {
                mem[slot as usize..(slot + n) as usize].copy_from_slice(bytes);
            }
            (Field::Children { bits, children }, Value::Children(of)) => {
                mem[slot as usize..(slot + field.len()) as usize].fill(0);
                for (then, value) in of.iter().enumerate() {
                    if let Some(c) = child(then as u32).filter(|c| *c < children) {
                        let at = c * bits;
                        mem[(slot + at / 8) as usize] |= (value & ((1 << bits) - 1)) << (at % 8);
                    }
                }
            }
            _ => {}
        }
        slot += field.len();
    }
    true
}
