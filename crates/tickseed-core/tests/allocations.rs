//! Memory stays flat: no node of ours allocates once its agent exists.

use std::time::Duration;

use allocation_counter::measure;
use tickseed_core::nodes::{Choose, Threshold};
use tickseed_core::{Context, Guard, Node, Status, Time, Tree, nodes};

struct Empty(u64);
impl Context for Empty {
    type At<'a> = Empty;
}

/// A tree with every built-in node.
fn mixed() -> Tree<Empty> {
    let n = nodes::<Empty>();
    let busy = |name: &'static str, period: u64| {
        n.action(name, move |e| match e.0 % period {
            0 => Status::Success,
            1 => Status::Failure,
            _ => Status::Running,
        })
        .on_halt(|e| e.0 += 1)
    };
    let low = n.when(|e: &Empty| e.0.is_multiple_of(7));
    let ms = Duration::from_millis;
    let gates: [Node<Empty>; 6] = [
        n.cooldown(ms(3), busy("a", 3)),
        n.rate_limit(ms(5), busy("b", 4)),
        n.time_limit(ms(4), busy("c", 9)),
        n.delay_between(ms(0), ms(3), busy("d", 2)),
        n.chance(0.5, busy("e", 2)),
        n.run_once(busy("f", 3)),
    ];
    n.forever(
        n.parallel([
            n.force_success(n.selector(gates).random()),
            n.selector([
                n.while_guard(low, busy("g", 5)),
                n.hold(n.finally(|e, _| e.0 += 3, busy("h", 6))),
            ])
            .reactive(),
            n.while_do_else(
                n.condition("odd", |e| e.0 % 2 == 1),
                n.repeat(3, busy("i", 4)).drain(2),
                n.for_each(|e| (e.0 % 4) as usize, |_, _| {}, busy("j", 3)),
            ),
            n.utility([
                (n.score(|e| (e.0 % 5) as f64), busy("k", 6)),
                (n.score(|_| 2.0), busy("l", 7)),
            ])
            .choose(Choose::Softmax { temperature: 0.5 }),
            n.switch(|e| (e.0 % 3) as usize, [busy("m", 3), busy("n", 4)])
                .default_case(n.wait_between(ms(0), ms(2)))
                .reactive(),
            n.sequence([
                n.retry(2, busy("o", 3)),
                n.wait_until(Guard::constant(true)),
                n.log("line"),
            ])
            .keep_place(),
            n.skip_if(n.when(|e: &Empty| e.0 % 11 == 1), n.invert(busy("p", 5))),
        ])
        .failure(Threshold::All),
    )
    .build()
    .unwrap()
}

#[test]
fn f01_no_allocation_in_a_hundred_thousand_ticks() {
    let tree = mixed();
    let (mut agent, mut at) = (tree.agent_seeded(3), Empty(0));
    let used = measure(|| {
        for t in 0..100_000 {
            at.0 += 1;
            tree.tick(&mut agent, &mut at, Time::from_millis(t))
                .unwrap();
            if t % 1000 == 999 {
                tree.halt(&mut agent, &mut at, Time::from_millis(t))
                    .unwrap();
            }
        }
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}

#[test]
fn f04_an_agent_is_small_and_made_by_one_allocation() {
    let n = nodes::<Empty>();
    let thirty = n.selector((0..10).map(|_| {
        n.sequence([
            n.condition("c", |e| e.0 > 1),
            n.cooldown(Duration::from_secs(1), n.action("a", |_| Status::Running)),
        ])
    }));
    let tree = thirty.reactive().build().unwrap();
    assert!(tree.bytes_per_agent() <= 80, "{}", tree.bytes_per_agent());
    // The first one makes the tree ready.
    drop(tree.agent());
    let used = measure(|| drop(tree.agent()));
    assert!(used.count_total <= 1, "{used:?}");
    assert_eq!(used.count_current, 0);
    assert_eq!(size_of::<tickseed_core::Agent>(), 64);
    let small = n.cooldown(Duration::from_secs(1), n.action("a", |_| Status::Running));
    let small = small.build().unwrap();
    drop(small.agent());
    assert_eq!(measure(|| drop(small.agent())).count_total, 0);
}

#[test]
fn f05_dropped_trees_and_agents_are_really_gone() {
    drop(mixed());
    let used = measure(|| {
        for t in 0..200 {
            let tree = mixed();
            let (mut agent, mut at) = (tree.agent(), Empty(t));
            tree.tick(&mut agent, &mut at, Time(t)).unwrap();
        }
    });
    assert_eq!((used.count_current, used.bytes_current), (0, 0), "{used:?}");
}

#[test]
fn a09_dropping_running_agents_frees_boxed_state() {
    struct Hoard;
    impl tickseed_core::BoxedLeaf<Empty> for Hoard {
        type State = Vec<u64>;
        fn start(
            &self,
            _: &mut tickseed_core::Cx<'_, '_, Empty>,
        ) -> Result<(Vec<u64>, Status), tickseed_core::LeafError> {
            Ok((vec![1; 100], Status::Running))
        }
        fn tick(
            &self,
            _: &mut Vec<u64>,
            _: &mut tickseed_core::Cx<'_, '_, Empty>,
        ) -> tickseed_core::Outcome {
            Ok(Status::Running)
        }
    }
    let n = nodes::<Empty>();
    let tree = n
        .parallel([n.boxed_leaf("x", Hoard), n.boxed_leaf("y", Hoard)])
        .build()
        .unwrap();
    // The first one makes the tree ready.
    drop(tree.agent());
    let used = measure(|| {
        for t in 0..1000 {
            let (mut agent, mut at) = (tree.agent(), Empty(0));
            tree.tick(&mut agent, &mut at, Time(t)).unwrap();
        }
    });
    assert_eq!((used.count_current, used.bytes_current), (0, 0), "{used:?}");
}
