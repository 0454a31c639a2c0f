//! What a utility selector weighs, ready to be drawn.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use tickseed_core::nodes::{Combine, Response};
use tickseed_core::{Context, Tree};

/// A curve is drawn through this many points, spaced evenly over its range.
const POINTS: u32 = 25;

/// A child of a utility selector with its score.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Choice {
    /// The child's number in the tree.
    pub node: u32,
    /// Its score.
    pub score: f64,
    /// The factor applied to everything.
    pub weight: f64,
    /// How the considerations are combined: `product` (compensated for their number) or
    /// `mean`.
    pub combine: &'static str,
    /// The considerations; empty if the score is a function's value.
    pub considerations: Vec<Considered>,
}

/// A consideration and its rating of the present fact.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Considered {
    /// The fact's name; may be empty.
    pub name: String,
    /// The fact.
    pub fact: f64,
    /// The fact's value that counts as zero.
    pub from: f64,
    /// The fact's value that counts as one; it may be the smaller of the two.
    pub to: f64,
    /// How good the fact is, from 0 to 1.
    pub value: f64,
    /// The response curve: its values at even steps from the lesser end of the range to the
    /// greater.
    pub curve: Vec<f32>,
}

/// What the first utility selector of a tree weighs for an agent; empty if the tree has none.
pub(crate) fn choices<C: for<'a> Context<At<'a> = C>>(tree: &Tree<C>, at: &C) -> Vec<Choice> {
    let Some((id, node)) = tree.def().iter().find(|(_, n)| !n.scores().is_empty()) else {
        return Vec::new();
    };
    let weighed = tree.considered(id, at).into_iter();
    let parts = weighed.zip(node.scores()).zip(&node.children);
    parts
        .map(|(((score, facts), def), child)| Choice {
            node: child.0,
            score,
            weight: def.weight,
            combine: match def.combine {
                Combine::Product => "product",
                Combine::Mean => "mean",
            },
            considerations: facts
                .into_iter()
                .zip(&def.considerations)
                .map(considered)
                .collect(),
        })
        .collect()
}

fn considered((fact, response): (f64, &Response)) -> Considered {
    let (low, high) = (
        response.from.min(response.to),
        response.from.max(response.to),
    );
    let point = |i: u32| {
        let x = low + (high - low) * f64::from(i) / f64::from(POINTS - 1);
        // Three digits are finer than any screen.
        (libm::round(response.value(x) * 1000.0) / 1000.0) as f32
    };
    Considered {
        name: response.name.clone().into_owned(),
        fact,
        from: response.from,
        to: response.to,
        value: response.value(fact),
        curve: (0..POINTS).map(point).collect(),
    }
}
