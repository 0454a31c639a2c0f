//! Custom nodes: see [`CustomNode`].

use alloc::boxed::Box;
use alloc::vec;

use crate::context::Context;
use crate::custom::CustomNode;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes};

impl<C: Context> Nodes<C> {
    /// A composite or decorator of the user's own; its children are given here.
    pub fn custom<N: CustomNode<C>>(
        self,
        node: N,
        children: impl IntoIterator<Item = Node<C>>,
    ) -> Node<C> {
        let name = node.name();
        Node::new(
            Kind::Custom,
            vec![Func::Custom(Box::new(node))],
            children.into_iter().collect(),
        )
        .named(name)
    }
}
