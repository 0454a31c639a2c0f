//! Utility selector: the child with the best score.
//!
//! Each child has a score, a number computed from the context. A child whose score is not above
//! zero (or is NaN) does not take part; if none takes part, the node fails. The chosen child's
//! answer is the node's own, including `Skipped`.
//!
//! * [`Choose::Highest`]: the greatest score; ties go to the earlier child. In a reactive utility,
//!   `inertia` is added to the running child's score while it takes part; and for `min_dwell`
//!   nanoseconds after its start, the running child is kept whatever the others score, as long as
//!   it takes part itself.
//! * [`Choose::Softmax`]: a draw with chances proportional to `exp(score / temperature)`.
//! * [`Choose::Weighted`]: a draw with chances proportional to the scores.
//!
//! Scores are computed in child order, once per activation, or every tick if `reactive`; a
//! different choice then halts the running child. A reactive draw keeps the running child while it
//! takes part (a new draw every tick would end children after one tick).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use super::Preempt;
use super::branch::{lower_chosen, lower_options};
use crate::compile::{Edges, Lower, Op, Region, UtilitySpec};
use crate::context::Context;
use crate::def::NodeId;
use crate::kind::Kind;
use crate::node::{Func, Node, Nodes, NumFn};
use crate::time::nanos;

/// How a utility selector chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choose {
    /// The greatest score.
    Highest,
    /// A draw by `exp(score / temperature)`.
    Softmax {
        /// Small: nearly always the greatest; large: nearly even.
        temperature: f64,
    },
    /// A draw by score.
    Weighted,
}

/// The options of a utility selector.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Utility {
    /// How it chooses.
    pub choose: Choose,
    /// Whether it chooses every tick.
    pub reactive: bool,
    /// Added to the running child's score.
    pub inertia: f64,
    /// The minimum time for which a started child is kept, in nanoseconds.
    pub min_dwell: u64,
    /// For a reactive utility: when the old child is halted.
    pub preempt: Preempt,
}

impl Utility {
    /// The child to run. `scores` gives the score of a child by index and is called once for each,
    /// in child order; `current` is the running child and whether it is still within its dwell
    /// time; `draw` gives a number in `0.0..1.0` and is called at most once, only if a draw is
    /// needed. Children beyond [`MAX_DRAWN`] take no part in draws (building a tree with more is an
    /// error).
    pub fn choose(
        &self,
        children: usize,
        mut scores: impl FnMut(usize) -> f64,
        current: Option<(usize, bool)>,
        draw: impl FnOnce() -> f64,
    ) -> Option<usize> {
        let highest = matches!(self.choose, Choose::Highest);
        let mut best: Option<(usize, f64)> = None;
        let mut current_takes_part = false;
        let mut kept = [0.0_f64; MAX_DRAWN];
        for i in 0..children {
            let mut s = scores(i);
            if s.is_nan() || s <= 0.0 {
                continue;
            }
            if let Some(k) = kept.get_mut(i) {
                *k = s;
            }
            if current.is_some_and(|(c, _)| c == i) {
                current_takes_part = true;
                s += self.inertia;
            }
            if best.is_none_or(|(_, b)| s > b) {
                best = Some((i, s));
            }
        }
        if let Some((c, dwelling)) = current
            && current_takes_part
            && (dwelling || !highest)
        {
            return Some(c);
        }
        let (best, _) = best?;
        if highest {
            return Some(best);
        }
        let drawn = &mut kept[..children.min(MAX_DRAWN)];
        if let Choose::Softmax { temperature } = self.choose {
            // Relative to the greatest score, so that no exponential overflows.
            let greatest = drawn.iter().copied().fold(0.0, f64::max);
            for w in drawn.iter_mut().filter(|w| **w > 0.0) {
                *w = libm::exp((*w - greatest) / temperature).max(f64::MIN_POSITIVE);
            }
        }
        let mut left = draw() * drawn.iter().sum::<f64>();
        let mut last = best;
        for (i, &w) in drawn.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            last = i;
            if left < w {
                break;
            }
            left -= w;
        }
        Some(last)
    }
}

/// How many children a drawing utility selector may have.
pub const MAX_DRAWN: usize = 64;

/// A response curve: how good a fact is, from `0.0` (not at all) to `1.0`. Inputs and results are
/// clamped to `0.0..=1.0`.
#[derive(Clone, PartialEq, Debug)]
pub enum Curve {
    /// `slope * x + offset`.
    Linear {
        /// Rise per unit.
        slope: f64,
        /// Value at zero.
        offset: f64,
    },
    /// `x ^ exponent`.
    Power {
        /// Above one: slow, then fast; below one: fast, then slow.
        exponent: f64,
    },
    /// `(k^x - 1) / (k - 1)`: from zero to one; the larger `k`, the steeper at the end.
    Exponential {
        /// The base, above zero and not one.
        base: f64,
    },
    /// `1 / (1 + exp(-steepness * (x - middle)))`.
    Logistic {
        /// How sudden the rise is.
        steepness: f64,
        /// Where the value is one half.
        middle: f64,
    },
    /// `3x² - 2x³`.
    Smoothstep,
    /// Straight lines between points `(x, y)` in ascending order of `x`.
    Table(Vec<(f64, f64)>),
}

impl Curve {
    /// The identity.
    pub const IDENTITY: Curve = Curve::Linear {
        slope: 1.0,
        offset: 0.0,
    };

    /// The curve's value at `x`; NaN counts as zero.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let x = clamp(x);
        clamp(match self {
            Curve::Linear { slope, offset } => slope * x + offset,
            Curve::Power { exponent } => libm::pow(x, *exponent),
            Curve::Exponential { base } => (libm::pow(*base, x) - 1.0) / (base - 1.0),
            Curve::Logistic { steepness, middle } => {
                1.0 / (1.0 + libm::exp(-steepness * (x - middle)))
            }
            Curve::Smoothstep => x * x * (3.0 - 2.0 * x),
            Curve::Table(points) => {
                let after = points.partition_point(|p| p.0 <= x);
                match (
                    after.checked_sub(1).and_then(|i| points.get(i)),
                    points.get(after),
                ) {
                    (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0),
                    (Some(p), None) | (None, Some(p)) => p.1,
                    (None, None) => 0.0,
                }
            }
        })
    }
}

fn clamp(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }
}

/// How a consideration rates a fact, as plain data.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// The fact's name; empty if it has none.
    pub name: Cow<'static, str>,
    /// The fact's value that counts as zero.
    pub from: f64,
    /// The fact's value that counts as one; it may be the smaller of the two.
    pub to: f64,
    /// How values in between are rated.
    pub curve: Curve,
}

impl Response {
    /// How good a fact of this value is, from 0 to 1.
    #[must_use]
    pub fn value(&self, fact: f64) -> f64 {
        let span = self.to - self.from;
        let x = if span == 0.0 {
            if fact < self.from { 0.0 } else { 1.0 }
        } else {
            (fact - self.from) / span
        };
        self.curve.at(x)
    }
}

/// How a score is made, as plain data for tools to draw.
#[derive(Clone, PartialEq, Debug)]
pub struct ScoreDef {
    /// The factor applied to everything.
    pub weight: f64,
    /// How the considerations are combined.
    pub combine: Combine,
    /// The considerations; empty for a score that is a function's value.
    pub considerations: Vec<Response>,
}

/// A fact, read from the context.
type Fact<C> = Arc<dyn for<'x, 'a> Fn(&'x <C as Context>::At<'a>) -> f64 + Send + Sync>;

/// One fact and how good it is.
pub struct Consideration<C: Context> {
    fact: Fact<C>,
    response: Response,
}

impl<C: Context> core::fmt::Debug for Consideration<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Consideration")
            .field("response", &self.response)
            .finish_non_exhaustive()
    }
}

impl<C: Context> Consideration<C> {
    /// Reads a fact, whose values go from 0 to 1 unless [`range`](Consideration::range) says
    /// otherwise.
    pub fn new(fact: impl for<'x, 'a> Fn(&'x C::At<'a>) -> f64 + Send + Sync + 'static) -> Self {
        Consideration {
            fact: Arc::new(fact),
            response: Response {
                name: Cow::Borrowed(""),
                from: 0.0,
                to: 1.0,
                curve: Curve::IDENTITY,
            },
        }
    }

    /// Names the fact, for tools.
    #[must_use]
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.response.name = name.into();
        self
    }

    /// Maps `from` to zero and `to` to one before the curve is applied; `from` may be the greater.
    /// Equal bounds make a step: zero below, one from there on.
    #[must_use]
    pub fn range(mut self, from: f64, to: f64) -> Self {
        (self.response.from, self.response.to) = (from, to);
        self
    }

    /// Applies a curve.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.response.curve = curve;
        self
    }

    /// How good the fact is in this context, from 0 to 1.
    #[must_use]
    pub fn value(&self, at: &C::At<'_>) -> f64 {
        self.response.value((self.fact)(at))
    }
}

/// How considerations are combined into one score.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// Their product, compensated for their number (each factor below one would otherwise count
    /// against options with many considerations): `p + (1-p)·(1-1/n)·p`. A single zero vetoes the
    /// option.
    Product,
    /// Their mean.
    Mean,
}

/// A score made of considerations; see [`Nodes::utility`].
pub struct Score<C: Context> {
    raw: Option<NumFn<C>>,
    weight: f64,
    combine: Combine,
    considerations: Vec<Consideration<C>>,
}

impl<C: Context> core::fmt::Debug for Score<C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Score")
            .field("weight", &self.weight)
            .field("combine", &self.combine)
            .field("considerations", &self.considerations)
            .finish_non_exhaustive()
    }
}

impl<C: Context> Score<C> {
    /// A score without considerations, which is `weight` itself.
    #[must_use]
    pub fn new(weight: f64) -> Self {
        Score {
            raw: None,
            weight,
            combine: Combine::Product,
            considerations: Vec::new(),
        }
    }

    /// How considerations are combined; the product by default.
    #[must_use]
    pub fn combine(mut self, combine: Combine) -> Self {
        self.combine = combine;
        self
    }

    /// Adds a consideration.
    #[must_use]
    pub fn consider(mut self, c: Consideration<C>) -> Self {
        self.considerations.push(c);
        self
    }

    /// The score in this context.
    #[must_use]
    pub fn value(&self, at: &C::At<'_>) -> f64 {
        if let Some(f) = &self.raw {
            return f(at);
        }
        let n = self.considerations.len() as f64;
        if self.considerations.is_empty() {
            return self.weight;
        }
        let values = self.considerations.iter().map(|c| c.value(at));
        let combined = match self.combine {
            Combine::Product => {
                let p: f64 = values.product();
                clamp(p + (1.0 - p) * (1.0 - 1.0 / n) * p)
            }
            Combine::Mean => values.sum::<f64>() / n,
        };
        self.weight * combined
    }

    /// The score as a function.
    pub fn into_fn(self) -> impl for<'x, 'a> Fn(&'x C::At<'a>) -> f64 + Send + Sync + 'static {
        move |at: &C::At<'_>| self.value(at)
    }

    /// As plain data.
    fn def(&self) -> ScoreDef {
        let considerations = self.considerations.iter();
        ScoreDef {
            weight: self.weight,
            combine: self.combine,
            considerations: considerations.map(|c| c.response.clone()).collect(),
        }
    }
}

impl<C: Context> Nodes<C> {
    /// A score that is a function's value, for [`utility`](Nodes::utility).
    pub fn score(
        self,
        f: impl for<'x, 'a> Fn(&'x C::At<'a>) -> f64 + Send + Sync + 'static,
    ) -> Score<C> {
        Score {
            raw: Some(Box::new(f)),
            ..Score::new(1.0)
        }
    }

    /// The child with the best score.
    pub fn utility(self, children: impl IntoIterator<Item = (Score<C>, Node<C>)>) -> Node<C> {
        let (mut fns, mut nodes) = (vec![], vec![]);
        let (mut facts, mut scores) = (vec![], vec![]);
        for (score, node) in children {
            scores.push(score.def());
            for c in &score.considerations {
                let fact = c.fact.clone();
                facts.push(Func::Num(Box::new(move |at: &C::At<'_>| fact(at))));
            }
            fns.push(Func::Num(Box::new(score.into_fn())));
            nodes.push(node);
        }
        // After the scores, for tools that show what a score is made of.
        fns.extend(facts);
        let options = Utility {
            choose: Choose::Highest,
            reactive: false,
            inertia: 0.0,
            min_dwell: 0,
            preempt: Preempt::AfterStart,
        };
        let mut node = Node::new(Kind::Utility(options), fns, nodes);
        node.rare().scores = scores;
        node
    }
}

impl<C: Context> Node<C> {
    fn utility_options(&mut self) -> Option<&mut Utility> {
        match &mut self.kind {
            Kind::Utility(u) => Some(u),
            _ => None,
        }
    }

    /// For a utility selector: how it chooses.
    pub fn choose(mut self, choose: Choose) -> Self {
        match self.utility_options() {
            Some(u) => {
                u.choose = choose;
                self
            }
            None => self.misused("choose", "utility"),
        }
    }

    /// For a reactive utility selector: a bonus added to the running child's score, so that small
    /// differences do not make it switch.
    pub fn inertia(mut self, bonus: f64) -> Self {
        match self.utility_options() {
            Some(u) => {
                u.inertia = bonus;
                self
            }
            None => self.misused("inertia", "utility"),
        }
    }

    /// For a reactive utility selector: the minimum time for which a started child is kept.
    pub fn min_dwell(mut self, d: Duration) -> Self {
        match self.utility_options() {
            Some(u) => {
                u.min_dwell = nanos(d);
                self
            }
            None => self.misused("min_dwell", "utility"),
        }
    }
}

pub(crate) fn lower_utility(
    lw: &mut Lower<'_>,
    id: NodeId,
    options: Utility,
    mut e: Edges,
) -> Region {
    let lo = lw.next_yield();
    if options.reactive {
        e = lw.exits(id, lo, e);
    }
    let preempt = options.reactive.then_some(options.preempt);
    let (targets, parts) = lower_options(lw, id, lo, preempt, e);
    let funcs = (0..targets.len()).map(|i| lw.func(id, i)).collect();
    let ranges = parts.iter().rev().map(|p| (p.lo, p.hi())).collect();
    let dwell = (options.reactive && options.min_dwell > 0).then(|| lw.info(id).slot);
    let utility = lw.out.utilities.len() as u32;
    lw.out.utilities.push(UtilitySpec {
        options,
        funcs,
        targets,
        ranges,
        dwell,
        none: e.f,
    });
    let choose = lw.emit(id, Op::Utility { utility });
    lower_chosen(lw, id, lo, options.reactive, parts, choose)
}
