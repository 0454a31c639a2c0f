//! Looks for trees that the executor and the interpreter run differently, and prints the
//! smallest form of each: `cargo run -p tickseed-testkit --example hunt -- FIRST COUNT SHOW`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tickseed_testkit::random::{Spec, shrink};
use tickseed_testkit::{Plan, compare};

fn failure(spec: &Spec, plan: Plan) -> Option<String> {
    let tree = spec.build_lenient().ok()?;
    match catch_unwind(AssertUnwindSafe(|| compare(&tree, plan))) {
        Ok(result) => result.err(),
        Err(_) => Some("panicked".into()),
    }
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let mut arg = |default| args.next().and_then(Result::ok).unwrap_or(default);
    let (first, count, mut show) = (arg(0), arg(10_000), arg(5));
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for seed in first..first + count {
        let plan = Plan {
            seed,
            steps: 40,
            errors: seed % 3 == 2,
        };
        let mut spec = Spec::random(seed, 2 + seed as usize % 5);
        let Some(mut message) = failure(&spec, plan) else {
            continue;
        };
        failures += 1;
        if show == 0 {
            continue;
        }
        show -= 1;
        let step = |s: &Spec| {
            let smaller = shrink(s).into_iter();
            smaller.filter_map(|s| Some((failure(&s, plan)?, s))).next()
        };
        while let Some((m, smaller)) = step(&spec) {
            (message, spec) = (m, smaller);
        }
        println!("seed {seed}: {message}");
        print_tree(&spec, 1);
        println!();
    }
    println!("{failures} of {count} trees differ");
}

fn print_tree(spec: &Spec, level: usize) {
    println!("{:1$}x{2} {3:?}", "", 2 * level, spec.id, spec.kind);
    spec.children.iter().for_each(|c| print_tree(c, level + 1));
}
