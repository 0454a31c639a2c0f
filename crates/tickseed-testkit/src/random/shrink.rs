//! Smaller trees that may fail in the same way.

use tickseed_core::nodes::{Flow, Pace, Parallel, Preempt, Threshold};

use super::spec::{GuardSpec, LeafKind, Spec, SpecKind};

/// The smallest tree found that still fails, and its failure; `fails` returns what is wrong with a
/// tree.
#[must_use]
pub fn smallest(
    mut spec: Spec,
    mut message: String,
    fails: impl Fn(&Spec) -> Option<String>,
) -> (Spec, String) {
    'smaller: loop {
        for step in shrink(&spec) {
            if step.build_lenient().is_err() {
                continue;
            }
            if let Some(m) = fails(&step) {
                (spec, message) = (step, m);
                continue 'smaller;
            }
        }
        return (spec, message);
    }
}

/// Trees that are one step simpler, the boldest steps first.
#[must_use]
pub fn shrink(spec: &Spec) -> Vec<Spec> {
    let mut out: Vec<Spec> = spec.children.clone();
    // Without one child, where the kind allows it.
    for i in 0..spec.children.len() {
        let mut fewer = spec.clone();
        fewer.children.remove(i);
        if fit(&mut fewer, i) {
            out.push(fewer);
        }
    }
    for (i, child) in spec.children.iter().enumerate() {
        for smaller in shrink(child) {
            let mut with = spec.clone();
            with.children[i] = smaller;
            out.push(with);
        }
    }
    out.extend(simpler_kinds(&spec.kind).into_iter().map(|kind| Spec {
        kind,
        ..spec.clone()
    }));
    out
}

/// Adapts a node to the loss of its child `removed`; false if it cannot do without.
fn fit(spec: &mut Spec, removed: usize) -> bool {
    let children = spec.children.len();
    match &mut spec.kind {
        SpecKind::Sequence(flow) | SpecKind::Selector(flow) => {
            if let Flow::Random { weights } = flow
                && removed < weights.len()
            {
                weights.remove(removed);
            }
            children >= 1
        }
        SpecKind::Parallel(p) => {
            for t in [&mut p.success, &mut p.failure] {
                if let Threshold::Count(n) = t {
                    *n = (*n).min(children as u32);
                }
            }
            children >= 1
        }
        SpecKind::Utility(_, scores) => {
            if removed < scores.len() {
                scores.remove(removed);
            }
            children >= 1
        }
        SpecKind::Switch(options, _) => children > usize::from(options.default),
        SpecKind::IfThenElse | SpecKind::WhileDoElse(_) => children >= 2,
        SpecKind::Custom(_) => children >= 1,
        _ => false,
    }
}

fn simpler_kinds(kind: &SpecKind) -> Vec<SpecKind> {
    match kind {
        SpecKind::Condition(g) => simpler_guards(g)
            .into_iter()
            .map(SpecKind::Condition)
            .collect(),
        SpecKind::WaitUntil(g, limit, s) => simpler_guards(g)
            .into_iter()
            .map(|g| SpecKind::WaitUntil(g, *limit, *s))
            .collect(),
        SpecKind::WhileGuard(g, s) => simpler_guards(g)
            .into_iter()
            .map(|g| SpecKind::WhileGuard(g, *s))
            .collect(),
        SpecKind::Precondition(g, s) => simpler_guards(g)
            .into_iter()
            .map(|g| SpecKind::Precondition(g, *s))
            .collect(),
        SpecKind::Leaf(leaf) => {
            let mut out = Vec::new();
            let mut with = |f: &dyn Fn(&mut super::LeafSpec)| {
                let mut simpler = leaf.clone();
                f(&mut simpler);
                if simpler != *leaf {
                    out.push(SpecKind::Leaf(simpler));
                }
            };
            with(&|l| l.draws = false);
            with(&|l| l.writes = false);
            with(&|l| l.odds.error = 0);
            with(&|l| l.odds.skipped = 0);
            with(&|l| l.odds.failure = 0);
            with(&|l| l.odds.success = 0);
            with(&|l| l.odds.running = 0);
            if leaf.kind != LeafKind::Instant {
                with(&|l| l.kind = LeafKind::Action);
            }
            out
        }
        SpecKind::Sequence(flow) => simpler_flow(flow)
            .into_iter()
            .map(SpecKind::Sequence)
            .collect(),
        SpecKind::Selector(flow) => simpler_flow(flow)
            .into_iter()
            .map(SpecKind::Selector)
            .collect(),
        SpecKind::Parallel(p) if *p != Parallel::DEFAULT => {
            let d = Parallel::DEFAULT;
            let simpler = [
                Parallel {
                    success: d.success,
                    ..*p
                },
                Parallel {
                    failure: d.failure,
                    ..*p
                },
                Parallel {
                    decide: d.decide,
                    ..*p
                },
                Parallel { tie: d.tie, ..*p },
                Parallel {
                    finished: d.finished,
                    ..*p
                },
                Parallel {
                    leftover: d.leftover,
                    ..*p
                },
            ];
            let simpler = simpler.into_iter().filter(|s| s != p);
            simpler.map(SpecKind::Parallel).collect()
        }
        SpecKind::Loop(l) if l.pace != Pace::OnePerTick => {
            let mut simpler = *l;
            simpler.pace = Pace::OnePerTick;
            vec![SpecKind::Loop(simpler)]
        }
        SpecKind::WhileDoElse(Preempt::BeforeStart) => {
            vec![SpecKind::WhileDoElse(Preempt::AfterStart)]
        }
        _ => Vec::new(),
    }
}

fn simpler_flow(flow: &Flow) -> Vec<Flow> {
    match flow {
        Flow::Reactive {
            preempt: Preempt::BeforeStart,
        } => vec![Flow::Reactive {
            preempt: Preempt::AfterStart,
        }],
        Flow::Random { weights } if !weights.is_empty() => vec![Flow::Random {
            weights: Vec::new(),
        }],
        Flow::Memory => Vec::new(),
        _ => vec![Flow::Memory],
    }
}

fn simpler_guards(guard: &GuardSpec) -> Vec<GuardSpec> {
    match guard {
        GuardSpec::Const(_) => Vec::new(),
        GuardSpec::And(a, b) | GuardSpec::Or(a, b) => vec![(**a).clone(), (**b).clone()],
        GuardSpec::Not(a) => vec![(**a).clone()],
        _ => vec![GuardSpec::Const(true), GuardSpec::Const(false)],
    }
}
