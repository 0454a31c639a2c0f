//! What is not a table: randomness, rejected trees, recovery, building.

use std::sync::Arc;

use tickseed_core::presets::Policy;
use tickseed_core::{
    Branches, CustomNode, History, LeafError, Node, NodeId, Rule, Status, Stop, TickError, Time,
    nodes,
};

use super::{Lab, check, leaf, n, row};
use crate::harness::ms;

/// The first rows of each tick's order: random composites visit each child once, resume in
/// place, and draw anew in each activation.
#[test]
fn random_composites() {
    let children = |answer| {
        "abcdef"
            .chars()
            .map(move |c| leaf(c, answer))
            .collect::<Vec<_>>()
    };
    let tree = n().random_selector(children("F")).build().unwrap();
    let (mut agent, mut lab) = (tree.agent_seeded(7), Lab::default());
    let mut orders = Vec::new();
    for _ in 0..20 {
        lab.log.clear();
        assert_eq!(
            tree.tick(&mut agent, &mut lab, Time::ZERO).unwrap(),
            Status::Failure
        );
        let mut sorted: Vec<_> = lab.log.chars().collect();
        sorted.sort();
        assert_eq!(sorted, ['a', 'b', 'c', 'd', 'e', 'f'], "each once");
        orders.push(lab.log.clone());
    }
    orders.dedup();
    assert!(orders.len() > 10, "a new order for each activation");

    let tree = n().random_sequence(children("R")).build().unwrap();
    let (mut agent, mut lab) = (tree.agent_seeded(7), Lab::default());
    for _ in 0..5 {
        assert_eq!(
            tree.tick(&mut agent, &mut lab, Time::ZERO).unwrap(),
            Status::Running
        );
    }
    assert!(
        lab.log.chars().all(|c| lab.log.starts_with(c)),
        "{}",
        lab.log
    );
    let same_seed = |seed| {
        let (mut agent, mut lab) = (tree.agent_seeded(seed), Lab::default());
        tree.tick(&mut agent, &mut lab, Time::ZERO).unwrap();
        lab.log
    };
    assert_eq!(same_seed(3), same_seed(3));
    let firsts: std::collections::BTreeSet<_> = (0..40).map(same_seed).collect();
    assert_eq!(firsts.len(), 6, "every child comes first for some seed");
}

/// A running child latches the roll: it is not rolled again until it has finished.
#[test]
fn chance_latches() {
    let tree = n().chance(0.5, leaf('a', "RRRRRRRRRR")).build().unwrap();
    let mut failed = 0;
    for seed in 0..64 {
        let (mut agent, mut lab) = (tree.agent_seeded(seed), Lab::default());
        let mut tick = || tree.tick(&mut agent, &mut lab, Time::ZERO).unwrap();
        if tick() == Status::Running {
            assert!((0..9).all(|_| tick() == Status::Running));
        } else {
            failed += 1;
        }
    }
    assert!((16..48).contains(&failed), "{failed} of 64");
}

fn rules(root: Node<Lab>) -> Vec<(Rule, String)> {
    match root.build() {
        Ok(_) => Vec::new(),
        Err(e) => e.issues.into_iter().map(|i| (i.rule, i.message)).collect(),
    }
}

#[test]
fn what_building_rejects() {
    let a = || leaf('a', "S");
    for (tree, rule) in [
        (n().selector([]), Rule::NoChildren),
        (n().chance(0.0, a()), Rule::Range),
        (n().chance(1.5, a()), Rule::Range),
        (n().repeat(0, a()), Rule::Range),
        (n().retry(0, a()), Rule::Range),
        (n().cooldown(ms(0), a()), Rule::Duration),
        (n().rate_limiter(ms(0), a()), Rule::Duration),
        (n().time_limit(ms(0), a()), Rule::Duration),
        (n().wait_between(ms(2), ms(1)), Rule::Duration),
    ] {
        let text = format!("{tree:?}");
        let found: Vec<_> = rules(tree).into_iter().map(|(r, _)| r).collect();
        assert_eq!(found, [rule], "{text}");
    }
}

/// A decorator that can, or says it cannot, halt a running child.
struct Wrapper(bool);

impl CustomNode<Lab> for Wrapper {
    type State = ();
    type Memory = ();
    fn name(&self) -> &'static str {
        "wrapper"
    }
    fn tick(&self, n: &mut Branches<'_, Lab>, (): &mut (), (): &mut ()) -> Result<Status, Stop> {
        n.tick(0)
    }
    fn preempts(&self) -> bool {
        self.0
    }
}

#[test]
fn uninterruptible() {
    let held = || n().uninterruptible(leaf('a', "RS")).named("commit");
    let rejected = |tree: Node<Lab>| {
        let found = rules(tree.named("above"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, Rule::Uninterruptible);
        assert!(found[0].1.contains("above"), "{}", found[0].1);
    };
    // Second children: the first of a priority composite is exempt from its siblings here.
    rejected(n().priority_selector([leaf('b', "F"), held()]));
    rejected(n().priority_sequence([leaf('b', "S"), held()]));
    rejected(n().priority_selector([leaf('b', "F"), n().sequence([n().always_succeed(held())])]));
    rejected(n().simple_parallel(Policy::BothMustSucceed, [held()]));
    rejected(n().time_limit(ms(5), held()));
    rejected(n().custom(Wrapper(true), [held()]));

    assert!(rules(n().sequence([n().selector([held()])])).is_empty());
    assert!(
        rules(n().uninterruptible(n().priority_selector([leaf('b', "F"), leaf('c', "R")])))
            .is_empty()
    );
    assert!(rules(n().custom(Wrapper(false), [held()])).is_empty());
    check(vec![row(
        "a marked tree ticks as usual",
        held(),
        "0 1",
        "RS",
        "a|a",
    )]);
}

/// Recovery: here the agent is poisoned by an error, and `recover` halts what had started.
#[test]
fn recovery() {
    let fails = || {
        n().action("thrower", |lab| {
            lab.log.push('x');
            Err::<Status, _>(LeafError::new("thrown"))
        })
    };
    let run = |tree: Node<Lab>, expected: &str| {
        let tree = tree.build().unwrap();
        let (mut agent, mut lab) = (tree.agent(), Lab::default());
        let now = Time::ZERO;
        assert!(matches!(
            tree.tick(&mut agent, &mut lab, now),
            Err(TickError::Leaf { .. })
        ));
        assert!(agent.is_poisoned());
        assert!(matches!(
            tree.tick(&mut agent, &mut lab, now),
            Err(TickError::Poisoned)
        ));
        lab.log.push('|');
        tree.recover(&mut agent, &mut lab, now).unwrap();
        tree.recover(&mut agent, &mut lab, now).unwrap();
        assert_eq!(lab.log, expected);
        assert!(!tree.is_running(&agent));
    };
    run(n().sequence([leaf('a', "S"), fails()]), "ax|");
    let both = Policy::BothMustSucceed;
    run(
        n().simple_parallel(both, [n().sequence([leaf('h', "R")]), fails()]),
        "hx|h!",
    );

    // History outlives recovery.
    let tree = n()
        .simple_parallel(
            Policy::OnlyOneMustSucceed,
            [
                n().inverter(n().cooldown(ms(1000), leaf('a', "S"))),
                fails(),
            ],
        )
        .build()
        .unwrap();
    let (mut agent, mut lab) = (tree.agent(), Lab::default());
    tree.tick(&mut agent, &mut lab, Time::ZERO).unwrap_err();
    tree.recover(&mut agent, &mut lab, Time::ZERO).unwrap();
    let history = tree.history(&agent);
    assert!(
        matches!(&history[..], [(_, History::Gate { until, .. })] if until.left(Time::from_millis(500)) == ms(500)),
        "{history:?}"
    );
}

#[test]
fn building() {
    // Ids in depth-first order; one definition, agents apart.
    let tree = Arc::new(
        n().sequence([
            n().selector([leaf('a', "F"), leaf('b', "R")]),
            leaf('c', "S"),
        ])
        .build()
        .unwrap(),
    );
    let labels: Vec<_> = tree
        .def()
        .iter()
        .map(|(id, d)| (id.0, d.label().to_owned()))
        .collect();
    let expected = [
        (0, "sequence"),
        (1, "selector"),
        (2, "a"),
        (3, "b"),
        (4, "c"),
    ];
    assert_eq!(labels, expected.map(|(i, l)| (i, l.to_owned())));
    let (mut one, two) = (tree.agent(), tree.agent());
    tree.tick(&mut one, &mut Lab::default(), Time::ZERO)
        .unwrap();
    assert_eq!(
        (tree.running(&one), tree.running(&two)),
        (vec![NodeId(3)], vec![])
    );
    // An agent of another tree is refused.
    let other = n().wait(ms(1)).build().unwrap();
    assert!(matches!(
        other.tick(&mut one, &mut Lab::default(), Time::ZERO),
        Err(TickError::WrongTree)
    ));
}

#[test]
fn tags() {
    let many = (0..24).map(|i| {
        let node = nodes::<Lab>().succeed();
        match i {
            3 | 9 | 15 | 21 => node.tag("x"),
            4..=7 => node.tag("y"),
            _ => node,
        }
    });
    let tree = n().sequence(many).build().unwrap();
    let tagged = |t| tree.tagged(t).map(|n| n.0).collect::<Vec<_>>();
    assert_eq!(tagged("x"), [4, 10, 16, 22]);
    assert_eq!(tagged("y"), [5, 6, 7, 8]);
    assert!(tagged("z").is_empty());
}

/// A drawn wait keeps its deadline for the activation, and draws anew after a reset.
#[test]
fn jittered_wait() {
    let tree = n().wait_between(ms(10), ms(1000)).build().unwrap();
    let mut agent = tree.agent_seeded(11);
    let mut lab = Lab::default();
    // The first tick at which it is over, from ticks a millisecond apart.
    let mut due = |start: u64| {
        tree.halt(&mut agent, &mut lab, Time::ZERO).unwrap();
        let at = (start..).find(|t| {
            tree.tick(&mut agent, &mut lab, Time::from_millis(*t))
                .unwrap()
                == Status::Success
        });
        at.unwrap() - start
    };
    let drawn: std::collections::BTreeSet<_> = (0..20).map(|i| due(i * 10_000)).collect();
    assert!(drawn.iter().all(|d| (10..=1000).contains(d)), "{drawn:?}");
    assert!(drawn.len() > 15, "{drawn:?}");
}
