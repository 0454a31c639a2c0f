//! Custom nodes: see [`CustomNode`].

use alloc::boxed::Box;

use crate::compile::{CustomSpec, Edges, Lower, Op, Region, Undo};
use crate::context::Context;
use crate::custom::CustomNode;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};

impl<C: Context> Nodes<C> {
    /// A user-defined composite or decorator with these children.
    pub fn custom<N: CustomNode<C>>(
        self,
        node: N,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        Node::new(
            Kind::Custom(node.name()),
            [Func::Custom(Box::new(node))],
            children.into_iter().collect(),
        )
    }
}

/// A parallel whose rule is the user's code.
pub(crate) fn lower_custom(lw: &mut Lower<'_>, id: NodeId, e: Edges) -> Region {
    let children = lw.def_of(id).children.len() as u32;
    let (first, nodes) = lw.threads(id);
    let info = lw.info(id);
    let custom = lw.out.customs.len() as u32;
    lw.out.customs.push(CustomSpec {
        func: lw.func(id, 0),
        first,
        children,
        state: info.slot,
        state_len: info.own,
        memory: info.history,
        memory_len: info.history_len,
        nodes,
    });
    let y = lw.new_yield(
        id,
        &[
            Undo::Threads {
                first,
                len: children,
            },
            Undo::Custom(custom),
        ],
    );
    let tick = lw.emit(
        id,
        Op::CustomTick {
            custom,
            y,
            s: e.s,
            f: e.f,
            k: e.k,
        },
    );
    let start = lw.emit(
        id,
        Op::CustomStart {
            custom,
            y,
            s: e.s,
            f: e.f,
            k: e.k,
        },
    );
    Region {
        entry: lw.acting(id, start),
        lo: y,
        resume: [tick].into(),
    }
}
