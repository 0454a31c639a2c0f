//! Random trees whose agents can sleep: most leaves and functions declare what they depend on.

use tickseed_core::{Op, Rng, Status};

use super::spec::{GuardSpec, LeafKind, Spec, SpecKind};

impl Spec {
    /// A tree like those of [`random`](Spec::random) in which most leaves sleep and most guards
    /// are made of data or declare their keys. The same seed gives the same tree.
    #[must_use]
    pub fn random_sleepy(seed: u64, depth: usize) -> Spec {
        let mut spec = Spec::random(seed, depth);
        // A share of undeclared things for each tree: with many of them nobody ever sleeps.
        let mut rng = Rng::new(seed ^ 0x51ee9);
        let loud = [0, 0, 5, 20][rng.below(4) as usize];
        calm(&mut spec, &mut rng, loud);
        spec
    }
}

fn calm(spec: &mut Spec, rng: &mut Rng, loud: u64) {
    let mut is_loud = || rng.below(100) < loud;
    let kind = match &mut spec.kind {
        SpecKind::Leaf(leaf) if leaf.kind != LeafKind::Instant => {
            if !is_loud() {
                leaf.kind = LeafKind::Sleeper;
                leaf.odds.skipped = 0;
            }
            None
        }
        SpecKind::Leaf(_) | SpecKind::Log if !is_loud() => Some(SpecKind::Condition(test(rng))),
        SpecKind::Custom(_) if !is_loud() => {
            Some(SpecKind::Parallel(tickseed_core::nodes::Parallel::DEFAULT))
        }
        SpecKind::Utility(..) | SpecKind::Switch(..) if !is_loud() => {
            Some(SpecKind::Selector(tickseed_core::nodes::Flow::Reactive {
                preempt: tickseed_core::nodes::Preempt::AfterStart,
            }))
        }
        SpecKind::Chance(..) | SpecKind::Catch(_) if !is_loud() => {
            Some(SpecKind::WhileGuard(test(rng), Status::Failure))
        }
        SpecKind::ForEach(..) if !is_loud() => Some(SpecKind::Hold),
        SpecKind::Condition(g)
        | SpecKind::WaitUntil(g, ..)
        | SpecKind::WhileGuard(g, _)
        | SpecKind::Precondition(g, _) => {
            calm_guard(g, rng, loud);
            None
        }
        _ => None,
    };
    if let Some(kind) = kind {
        spec.kind = kind;
    }
    for child in &mut spec.children {
        calm(child, rng, loud);
    }
}

fn calm_guard(guard: &mut GuardSpec, rng: &mut Rng, loud: u64) {
    match guard {
        GuardSpec::Call { .. } if rng.below(100) >= loud => *guard = test(rng),
        GuardSpec::Not(a) => calm_guard(a, rng, loud),
        GuardSpec::And(a, b) | GuardSpec::Or(a, b) => {
            calm_guard(a, rng, loud);
            calm_guard(b, rng, loud);
        }
        _ => {}
    }
}

fn test(rng: &mut Rng) -> GuardSpec {
    let key = [0, 1, 2, 3, 11][rng.below(5) as usize];
    let op = [Op::Lt, Op::Ge, Op::Eq, Op::Ne][rng.below(4) as usize];
    let n = rng.below(4) as i64 - 1;
    if rng.below(3) == 0 {
        GuardSpec::Pure(key, op, n)
    } else {
        GuardSpec::Test(key, op, n)
    }
}
