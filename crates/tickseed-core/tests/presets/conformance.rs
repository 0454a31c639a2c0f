//! Document 004's own list of what its engine does, as far as it makes sense here (no pools:
//! those are herds; no slot array: an agent carries its state). One row an entry: a tree of
//! scripted leaves, the times of the ticks, the statuses, and what the leaves saw.
//!
//! Statuses: `S`, `F`, `R`. Log: a leaf's name for a tick, with `!` for a halt; ticks are
//! separated by `|`. An entry `@` among the times resets (halts) the whole tree there.

use std::sync::Arc;

use tickseed_core::presets::{Flat, Policy, flat};
use tickseed_core::{
    Branches, Context, CustomNode, History, Leaf, LeafError, Node, NodeId, Outcome, Rule, Status,
    Stop, TickError, Time, nodes,
};

use crate::harness::ms;

/// Leaves count their calls; the log is text.
#[derive(Default)]
struct Lab {
    calls: [usize; 26],
    now: u64,
    log: String,
}

impl Context for Lab {
    type At<'a> = Lab;
}

fn n() -> Flat<Lab> {
    flat()
}

fn index(name: char) -> usize {
    (name as usize).wrapping_sub('a' as usize) % 26
}

fn status(letter: char) -> Status {
    match letter {
        'S' => Status::Success,
        'F' => Status::Failure,
        'R' => Status::Running,
        other => panic!("no status is written {other}"),
    }
}

/// Answers letter after letter, the last one for ever.
fn leaf(name: char, answers: &'static str) -> Node<Lab> {
    n().action(name.to_string(), move |lab| {
        lab.log.push(name);
        let call = lab.calls[index(name)];
        lab.calls[index(name)] += 1;
        let last = answers.len() - 1;
        status(answers.as_bytes()[call.min(last)] as char)
    })
    .on_halt(move |lab| {
        lab.log.push(name);
        lab.log.push('!');
    })
}

/// Succeeds from one time on and before another.
fn open(name: char, from: u64, to: u64) -> Node<Lab> {
    n().action(name.to_string(), move |lab| {
        lab.log.push(name);
        (from..to).contains(&lab.now)
    })
}

/// Counts to three in state of its own.
struct Three(char, Status);

impl Leaf<Lab> for Three {
    type State = u32;
    fn start(&self, count: &mut u32, cx: &mut tickseed_core::Cx<'_, '_, Lab>) -> Outcome {
        self.tick(count, cx)
    }
    fn tick(&self, count: &mut u32, cx: &mut tickseed_core::Cx<'_, '_, Lab>) -> Outcome {
        *count += 1;
        cx.log.push(self.0);
        cx.log.push_str(&count.to_string());
        Ok(if *count < 3 { Status::Running } else { self.1 })
    }
}

fn three(name: char) -> Node<Lab> {
    n().leaf(name.to_string(), Three(name, Status::Success))
}

struct Row {
    name: &'static str,
    tree: Node<Lab>,
    times: &'static str,
    statuses: &'static str,
    log: &'static str,
}

fn row(
    name: &'static str,
    tree: Node<Lab>,
    times: &'static str,
    statuses: &'static str,
    log: &'static str,
) -> Row {
    Row {
        name,
        tree,
        times,
        statuses,
        log,
    }
}

#[track_caller]
fn check(rows: Vec<Row>) {
    for Row {
        name,
        tree,
        times,
        statuses,
        log,
    } in rows
    {
        let tree = tree.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let (mut agent, mut lab) = (tree.agent(), Lab::default());
        let mut found = String::new();
        for step in times.split_whitespace() {
            let now = Time::from_millis(lab.now);
            if step == "@" {
                tree.halt(&mut agent, &mut lab, now).unwrap();
                continue;
            }
            if !found.is_empty() {
                lab.log.push('|');
            }
            lab.now = step.parse().unwrap();
            let now = Time::from_millis(lab.now);
            let s = tree.tick(&mut agent, &mut lab, now).unwrap();
            found.push(s.to_string().to_uppercase().chars().next().unwrap());
        }
        assert_eq!(
            (found.as_str(), lab.log.as_str()),
            (statuses, log),
            "{name}"
        );
    }
}

#[test]
fn selector_and_sequence() {
    check(vec![
        row(
            "selector: all fail",
            n().selector([leaf('a', "F"), leaf('b', "F")]),
            "0",
            "F",
            "ab",
        ),
        row(
            "selector: a success stops it",
            n().selector([leaf('a', "F"), leaf('b', "S"), leaf('c', "S")]),
            "0",
            "S",
            "ab",
        ),
        row(
            "selector: a running child resumes, earlier ones are asked once",
            n().selector([
                leaf('a', "F"),
                leaf('b', "F"),
                leaf('c', "RRS"),
                leaf('d', "S"),
            ]),
            "0 1 2",
            "RRS",
            "abc|c|c",
        ),
        row(
            "sequence ticks a satisfied guard once over three ticks",
            n().sequence([leaf('g', "S"), leaf('w', "RRS")]),
            "0 1 2",
            "RRS",
            "gw|w|w",
        ),
        row(
            "sequence: a failure stops it",
            n().sequence([leaf('a', "S"), leaf('b', "F"), leaf('c', "S")]),
            "0",
            "F",
            "ab",
        ),
    ]);
}

#[test]
fn priority_composites() {
    let five = |e: &'static str| {
        n().priority_selector([
            leaf('a', "FFS"),
            leaf('b', "F"),
            leaf('c', "F"),
            leaf('d', "F"),
            leaf('e', e),
            leaf('f', "S"),
        ])
    };
    check(vec![
        row(
            "all fail, each once",
            n().priority_selector([leaf('a', "F"), leaf('b', "F")]),
            "0",
            "F",
            "ab",
        ),
        row(
            "success at 4 is returned, 5 is untouched",
            five("S"),
            "0",
            "S",
            "abcde",
        ),
        row(
            "the second tick asks 0 to 3 again",
            five("R"),
            "0 1",
            "RR",
            "abcde|abcde",
        ),
        row(
            "child 0 turns success while 4 runs: 4 is reset once, 5 never",
            five("R"),
            "0 1 2",
            "RRS",
            "abcde|abcde|ae!",
        ),
        row(
            "priority sequence: a dropped guard fails it and resets the work once",
            n().priority_sequence([leaf('g', "SSF"), leaf('w', "R")]),
            "0 1 2",
            "RRF",
            "gw|gw|gw!",
        ),
    ]);
}

#[test]
fn abort_cleanup() {
    check(vec![
        row(
            "a guard that opens at 1000 resets the running low leaf exactly once",
            n().priority_selector([
                n().sequence([open('g', 1000, u64::MAX), leaf('h', "S")]),
                leaf('l', "R"),
            ]),
            "0 999 1000",
            "RRS",
            "gl|gl|ghl!",
        ),
        row(
            "a reset reaches a leaf through composites and a decorator",
            n().sequence([n().inverter(n().selector([leaf('a', "R")]))]),
            "0 @",
            "R",
            "aa!",
        ),
        row(
            "an untouched branch is not told",
            n().sequence([leaf('a', "R"), leaf('b', "R")]),
            "0 @ @",
            "R",
            "aa!",
        ),
    ]);
}

#[test]
fn reset_cascade() {
    let high = || n().priority_sequence([open('g', 100, 200), leaf('h', "R")]);
    let low = || n().sequence([n().wait(ms(1000)), leaf('x', "S")]);
    check(vec![
        row(
            "priority selector: the low wait begins anew at 200 and is due at 1200",
            n().priority_selector([high(), low()]),
            "0 100 200 1100 1199 1200",
            "RRRRRS",
            "g|gh|gh!|g|g|gx",
        ),
        row(
            "priority sequence: likewise",
            n().priority_sequence([n().inverter(high()), low()]),
            "0 100 200 1100 1199 1200",
            "RRRRRS",
            "g|gh|gh!|g|g|gx",
        ),
    ]);
}

#[test]
fn reactive_reevaluation() {
    check(vec![
        row(
            "a wait directly in a priority sequence: the follower is always a fresh start",
            n().priority_sequence([n().wait(ms(100)), leaf('x', "R")]),
            "0 100 101 200 201 301",
            "RRRRRR",
            "|x|x!||x|x!",
        ),
        row(
            "wait and strike in a sequence of their own: success at 200, struck once",
            n().priority_sequence([
                leaf('g', "S"),
                n().sequence([n().wait(ms(200)), leaf('x', "S")]),
            ]),
            "0 100 200",
            "RRS",
            "g|g|gx",
        ),
        row(
            "the guard before it still tears down",
            n().priority_sequence([
                leaf('g', "SF"),
                n().sequence([leaf('a', "S"), leaf('x', "R")]),
            ]),
            "0 100",
            "RF",
            "gax|gx!",
        ),
    ]);
}

#[test]
fn leaves_with_state() {
    check(vec![
        row(
            "state persists: success on the third",
            three('s'),
            "0 1 2",
            "RRS",
            "s1|s2|s3",
        ),
        row(
            "a reset clears it",
            three('s'),
            "0 1 @ 2",
            "RRR",
            "s1|s2|s1",
        ),
        row(
            "an abort by a priority parent clears it",
            n().priority_selector([open('g', 1, 2), three('s')]),
            "0 1 2",
            "RSR",
            "gs1|g|gs1",
        ),
        row(
            "completion clears it: a second run under a cooldown takes three ticks again",
            n().cooldown(ms(10), three('s')),
            "0 1 2 3 12 13 14",
            "RRSFRRS",
            "s1|s2|s3||s1|s2|s3",
        ),
        row(
            "a failing leaf under until-failed",
            n().until_failed(n().leaf("s", Three('s', Status::Failure))),
            "0 1 2 3",
            "RRSR",
            "s1|s2|s3|s1",
        ),
    ]);
}

#[test]
fn simple_parallel() {
    let one = |a, b| n().simple_parallel(Policy::OnlyOneMustSucceed, [leaf('a', a), leaf('b', b)]);
    let both = |a, b| n().simple_parallel(Policy::BothMustSucceed, [leaf('a', a), leaf('b', b)]);
    check(vec![
        row(
            "only one: the first tick starts both, each tick ticks both",
            one("R", "R"),
            "0 1",
            "RR",
            "ab|ab",
        ),
        row("both: likewise", both("R", "R"), "0 1", "RR", "ab|ab"),
        row(
            "after completion both are ticked anew",
            both("S", "S"),
            "0 1",
            "SS",
            "ab|ab",
        ),
        row(
            "only one: F and R run on",
            one("F", "R"),
            "0 1",
            "RR",
            "ab|b",
        ),
        row(
            "only one: S and R succeed, b is reset once",
            one("S", "R"),
            "0",
            "S",
            "abb!",
        ),
        row("only one: F and F fail", one("F", "F"), "0", "F", "ab"),
        row(
            "only one: S beats F in one tick",
            one("F", "S"),
            "0",
            "S",
            "ab",
        ),
        row(
            "both: a completed child rests",
            both("S", "RRS"),
            "0 1 2",
            "RRS",
            "ab|b|b",
        ),
        row("both: F beats S", both("F", "S"), "0", "F", "ab"),
        row(
            "both: F and R fail, b is reset once",
            both("F", "R"),
            "0",
            "F",
            "abb!",
        ),
        row(
            "no short circuit once decided",
            both("F", "RS"),
            "0 1",
            "FF",
            "abb!|ab",
        ),
    ]);
}

#[test]
fn loops() {
    check(vec![
        row(
            "repeat: 9 running, then success, then running",
            n().repeat(10, leaf('a', "S")),
            "0 1 2 3 4 5 6 7 8 9 10",
            "RRRRRRRRRSR",
            "a|a|a|a|a|a|a|a|a|a|a",
        ),
        row(
            "repeat: a failure ends it",
            n().repeat(3, leaf('a', "SF")),
            "0 1",
            "RF",
            "a|a",
        ),
        row(
            "repeat: running does not count",
            n().repeat(2, leaf('a', "RRSRS")),
            "0 1 2 3 4",
            "RRRRS",
            "a|a|a|a|a",
        ),
        row(
            "repeat: a reset zeroes",
            n().repeat(2, leaf('a', "S")),
            "0 @ 1 2",
            "RRS",
            "a|a|a",
        ),
        row(
            "retry: success after failure",
            n().retry(3, leaf('a', "FS")),
            "0 1",
            "RS",
            "a|a",
        ),
        row(
            "retry: exhausted",
            n().retry(3, leaf('a', "F")),
            "0 1 2",
            "RRF",
            "a|a|a",
        ),
        row(
            "retry: running spends nothing",
            n().retry(2, leaf('a', "RFRS")),
            "0 1 2 3",
            "RRRS",
            "a|a|a|a",
        ),
        row(
            "retry: one attempt passes through",
            n().retry(1, leaf('a', "F")),
            "0",
            "F",
            "a",
        ),
        row(
            "retry: a reset zeroes",
            n().retry(2, leaf('a', "F")),
            "0 @ 1 2",
            "RRF",
            "a|a|a",
        ),
        row(
            "retry(4) in a sequence, two failures, follower once",
            n().sequence([n().retry(4, leaf('a', "FFS")), leaf('b', "S")]),
            "0 1 2",
            "RRS",
            "a|a|ab",
        ),
        row(
            "each attempt starts fresh",
            n().retry(2, n().inverter(three('s'))),
            "0 1 2 3",
            "RRRR",
            "s1|s2|s3|s1",
        ),
        row(
            "until success",
            n().until_success(leaf('a', "FRS")),
            "0 1 2",
            "RRS",
            "a|a|a",
        ),
        row(
            "until failed",
            n().until_failed(leaf('a', "SRF")),
            "0 1 2",
            "RRS",
            "a|a|a",
        ),
        row(
            "forever",
            n().forever(leaf('a', "SF")),
            "0 1 2",
            "RRR",
            "a|a|a",
        ),
    ]);
}

#[test]
fn for_each() {
    let items = |body| n().for_each(|_| 3, |lab, i| lab.log.push_str(&i.to_string()), body);
    check(vec![
        row(
            "running holds the item, then it finishes",
            items(leaf('a', "SRSS")),
            "0 1",
            "RS",
            "0a1a|a2a",
        ),
        row(
            "a failure on the second item",
            items(leaf('a', "SF")),
            "0",
            "F",
            "0a1a",
        ),
        row(
            "a failing third item, next run from item 0",
            items(leaf('a', "SSFS")),
            "0 1",
            "FS",
            "0a1a2a|0a1a2a",
        ),
        row(
            "zero items succeed untouched",
            n().for_each(|_| 0, |_, _| {}, leaf('a', "S")),
            "0",
            "S",
            "",
        ),
        row(
            "over retry: each item fails once",
            items(n().retry(2, leaf('a', "FSFSFS"))),
            "0 1 2 3",
            "RRRS",
            "0a|a1a|a2a|a",
        ),
    ]);
}

#[test]
fn gates() {
    let cool = |a| n().cooldown(ms(1000), leaf('a', a));
    let rate = |a| n().rate_limiter(ms(1000), leaf('a', a));
    check(vec![
        row(
            "cooldown: starts on success, open at exactly the interval",
            cool("S"),
            "0 999 1000",
            "SFS",
            "a||a",
        ),
        row(
            "cooldown: failure does not start it",
            cool("FS"),
            "0 1",
            "FS",
            "a|a",
        ),
        row(
            "cooldown: running does not start it",
            cool("RS"),
            "0 1 2",
            "RSF",
            "a|a|",
        ),
        row(
            "cooldown: a reset keeps it",
            cool("S"),
            "0 @ 500 1000",
            "SFS",
            "a||a",
        ),
        row(
            "rate limiter: success is replayed",
            rate("SF"),
            "0 999 1000",
            "SSF",
            "a||a",
        ),
        row(
            "rate limiter: failure is replayed",
            rate("FS"),
            "0 999 1000",
            "FFS",
            "a||a",
        ),
        row(
            "rate limiter: running is not",
            rate("RS"),
            "0 1 2",
            "RSS",
            "a|a|",
        ),
        row(
            "rate limiter: a reset keeps timer and verdict",
            rate("FS"),
            "0 @ 500 1000",
            "FFS",
            "a||a",
        ),
    ]);
}

#[test]
fn waits_and_limits() {
    check(vec![
        row(
            "wait is over at exactly its time and re-arms",
            n().wait(ms(100)),
            "0 99 100 101 200 201",
            "RRSRRS",
            "|||||",
        ),
        row(
            "wait of zero succeeds at once",
            n().wait(ms(0)),
            "0 1",
            "SS",
            "|",
        ),
        row(
            "a reset restarts a wait",
            n().wait(ms(100)),
            "0 50 @ 60 159 160",
            "RRRRS",
            "||||",
        ),
        row(
            "a time limit checks before the child",
            n().time_limit(ms(100), leaf('a', "RS")),
            "0 100",
            "RF",
            "a|a!",
        ),
        row(
            "a child in time",
            n().time_limit(ms(100), leaf('a', "RS")),
            "0 99",
            "RS",
            "a|a",
        ),
        row(
            "a limit restarts after a reset",
            n().time_limit(ms(100), leaf('a', "R")),
            "0 90 @ 95 190 195",
            "RRRRF",
            "a|aa!|a|a|a!",
        ),
    ]);
}

#[test]
fn decorators() {
    check(vec![
        row(
            "inverter",
            n().inverter(leaf('a', "RSF")),
            "0 1 2",
            "RFS",
            "a|a|a",
        ),
        row(
            "always succeed",
            n().always_succeed(leaf('a', "RFS")),
            "0 1 2",
            "RSS",
            "a|a|a",
        ),
        row(
            "always fail",
            n().always_fail(leaf('a', "RFS")),
            "0 1 2",
            "RFF",
            "a|a|a",
        ),
        row(
            "auto reset",
            n().auto_reset(leaf('a', "RFS")),
            "0 1 2",
            "RFS",
            "a|a|a",
        ),
        row(
            "catch: failure is handled",
            n().catch(|_| Status::Success, leaf('a', "RSF")),
            "0 1 2",
            "RSS",
            "a|a|a",
        ),
        row(
            "condition",
            n().selector([
                n().condition("no", |_| false),
                n().condition("yes", |_| true),
            ]),
            "0",
            "S",
            "",
        ),
        row(
            "chance of one always runs the child",
            n().chance(1.0, leaf('a', "RS")),
            "0 1",
            "RS",
            "a|a",
        ),
    ]);
}

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
            4 | 5 | 6 | 7 => node.tag("y"),
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
