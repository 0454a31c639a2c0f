//! What the layout promises, on random trees.

use proptest::prelude::*;
use tickseed_draw::{Align, Direction, Point, Size, Spacing, place};

/// A random tree: each node's parent is one of those before it, from a window behind it that
/// makes bushy trees (wide) or deep ones (narrow).
fn trees() -> impl Strategy<Value = (Vec<Option<u32>>, Vec<Size>)> {
    let node = (0.0..1.0_f64, 1.0..200.0_f64, 1.0..60.0_f64);
    (1_u32..40, prop::collection::vec(node, 1..120)).prop_map(|(window, nodes)| {
        let parent = |(i, n): (usize, &(f64, f64, f64))| {
            let i = i as u32;
            let back = (n.0 * f64::from(window.min(i))) as u32;
            i.checked_sub(1 + back)
        };
        let sizes = |n: &(f64, f64, f64)| Size {
            width: n.1,
            height: n.2,
        };
        (
            nodes.iter().enumerate().map(parent).collect(),
            nodes.iter().map(sizes).collect(),
        )
    })
}

fn spacings() -> impl Strategy<Value = Spacing> {
    (
        any::<bool>(),
        any::<bool>(),
        0.0..30.0,
        0.0..60.0,
        1.0..60.0,
    )
        .prop_map(|(right, compact, siblings, cousins, levels)| Spacing {
            direction: if right {
                Direction::Right
            } else {
                Direction::Down
            },
            align: if compact {
                Align::Compact
            } else {
                Align::Levels
            },
            siblings,
            cousins,
            levels,
        })
}

/// Middle across, size across, start along, size along.
fn axes(at: Point, size: Size, direction: Direction) -> (f64, f64, f64, f64) {
    match direction {
        Direction::Down => (at.x + size.width / 2.0, size.width, at.y, size.height),
        Direction::Right => (at.y + size.height / 2.0, size.height, at.x, size.width),
    }
}

const NOISE: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn nothing_overlaps_order_is_kept_and_parents_are_centred(
        (parents, sizes) in trees(),
        spacing in spacings(),
    ) {
        let at = place(&parents, &sizes, &spacing);
        let n = parents.len();
        let ax: Vec<_> = (0..n).map(|i| axes(at[i], sizes[i], spacing.direction)).collect();
        let mut least = f64::INFINITY;
        for i in 0..n {
            least = least.min(ax[i].0 - ax[i].1 / 2.0);
            for j in 0..i {
                let beside = (ax[i].0 - ax[j].0).abs() - (ax[i].1 + ax[j].1) / 2.0;
                let apart = f64::max(ax[i].2 - ax[j].2 - ax[j].3, ax[j].2 - ax[i].2 - ax[i].3);
                let kin = parents[i] == parents[j];
                let gap = if kin { spacing.siblings } else { spacing.cousins.min(spacing.siblings) };
                prop_assert!(
                    beside >= gap - NOISE || apart >= spacing.levels.min(1.0) - NOISE,
                    "{} and {} are {} and {} apart", j, i, beside, apart
                );
                if kin {
                    prop_assert!(ax[j].0 < ax[i].0, "{} stands behind its younger sibling {}", j, i);
                    if spacing.align == Align::Levels {
                        prop_assert_eq!(ax[j].2, ax[i].2);
                    }
                }
            }
            let below: Vec<usize> = (0..n).filter(|&c| parents[c] == Some(i as u32)).collect();
            if let (Some(&first), Some(&last)) = (below.first(), below.last()) {
                let middle = (ax[first].0 + ax[last].0) / 2.0;
                prop_assert!((middle - ax[i].0).abs() < NOISE, "{} is off its children's middle", i);
                for c in below {
                    prop_assert!(ax[c].2 >= ax[i].2 + ax[i].3 + spacing.levels - NOISE);
                }
            }
        }
        prop_assert!(least.abs() < NOISE, "begins at {}", least);
    }
}

#[test]
fn room_between_large_siblings_is_shared_evenly() {
    // Two wide subtrees with three small leaves between them.
    let mut parents = vec![None, Some(0), Some(0), Some(0), Some(0), Some(0)];
    for parent in [1, 5] {
        parents.extend([Some(parent); 6]);
    }
    let size = Size {
        width: 40.0,
        height: 20.0,
    };
    let at = place(&parents, &vec![size; parents.len()], &Spacing::default());
    let steps: Vec<f64> = (2..6).map(|i| at[i].x - at[i - 1].x).collect();
    for step in &steps {
        assert!((step - steps[0]).abs() < 1e-9, "{steps:?}");
    }
    assert!(steps[0] > 56.0, "{steps:?}");
}

#[test]
fn mirrored_trees_have_mirrored_places_where_nothing_is_spread() {
    // A chain of pairs whose long arm alternates has one tidy shape whichever way it is read.
    let size = Size {
        width: 30.0,
        height: 10.0,
    };
    let left = place(
        &[None, Some(0), Some(0), Some(1), Some(1)],
        &[size; 5],
        &Spacing::default(),
    );
    let right = place(
        &[None, Some(0), Some(0), Some(2), Some(2)],
        &[size; 5],
        &Spacing::default(),
    );
    let width = |all: &[Point]| all.iter().map(|p| p.x).fold(0.0, f64::max);
    assert_eq!(width(&left), width(&right));
    assert_eq!(left[0].x, width(&right) - right[0].x);
}

#[test]
fn time_grows_linearly_and_depth_is_no_matter() {
    let size = Size {
        width: 100.0,
        height: 30.0,
    };
    // A comb 200,000 deep, a fan 400,000 wide, a binary tree.
    let comb = |i: u32| (i > 0).then(|| (i - 1) / 2 * 2);
    let fan = |i: u32| (i > 0).then_some(0);
    let binary = |i: u32| (i > 0).then(|| (i - 1) / 2);
    for shape in [&comb as &dyn Fn(u32) -> Option<u32>, &fan, &binary] {
        let run = |n: u32| {
            let parents: Vec<_> = (0..n).map(shape).collect();
            let sizes = vec![size; n as usize];
            let begun = std::time::Instant::now();
            let at = place(&parents, &sizes, &Spacing::default());
            assert_eq!(at.len(), n as usize);
            begun.elapsed()
        };
        let small = (0..5).map(|_| run(2_000)).min().unwrap();
        let large = run(400_000);
        println!("2,000 nodes in {small:?}, 400,000 in {large:?}");
        // The square of their number would take hours.
        assert!(large.as_secs() < 120, "{large:?}");
    }
}
