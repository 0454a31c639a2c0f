//! Random trees for `proptest`.

use core::ops::Range;

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::{Spec, shrink};

/// A strategy of random trees that build, with at most `depth` levels; shrinks by cutting
/// branches and simplifying options.
#[must_use]
pub fn trees(depth: usize) -> Trees {
    Trees {
        depth,
        seeds: 0..u64::MAX,
    }
}

/// See [`trees`].
#[derive(Clone, Debug)]
pub struct Trees {
    depth: usize,
    seeds: Range<u64>,
}

impl Strategy for Trees {
    type Tree = Shrinking;
    type Value = Spec;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = self.seeds.new_tree(runner)?.current();
        Ok(Shrinking {
            current: Spec::random(seed, self.depth),
            simpler: None,
            before: None,
        })
    }
}

/// A tree on its way to a smaller one: the search that `proptest` asks for.
#[derive(Clone, Debug)]
pub struct Shrinking {
    current: Spec,
    /// Steps from `before` (or from `current`, at first) that are still to be tried.
    simpler: Option<std::vec::IntoIter<Spec>>,
    /// The last tree that failed, while `current` is a step from it.
    before: Option<Spec>,
}

impl ValueTree for Shrinking {
    type Value = Spec;

    fn current(&self) -> Spec {
        self.current.clone()
    }

    /// `current` failed: go on from it.
    fn simplify(&mut self) -> bool {
        self.simpler = Some(shrink(&self.current).into_iter());
        self.before = None;
        self.next_step()
    }

    /// `current` passed: take another step from the tree before it.
    fn complicate(&mut self) -> bool {
        let Some(before) = self.before.take() else {
            return false;
        };
        self.current = before;
        self.next_step()
    }
}

impl Shrinking {
    fn next_step(&mut self) -> bool {
        let steps = self.simpler.as_mut();
        let Some(step) = steps.and_then(|s| s.find(|s| s.build_lenient().is_ok())) else {
            return false;
        };
        self.before = Some(core::mem::replace(&mut self.current, step));
        true
    }
}
