//! Panics of leaves, hooks, conditions, computed values and traces: wherever they come from, they
//! poison the agent, and recovering ends every started leaf exactly once. The context notes what
//! happens, and a switch makes one thing panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tickseed_core::nodes::{Choose, Threshold};
use tickseed_core::{
    Agent, Branches, Context, CustomNode, Cx, Key, KeyId, Leaf, LeafError, Node, NodeId, Nodes,
    Outcome, Place, Scalar, Status, Stop, TickError, Time, Trace, Tree, nodes,
};

/// What is to panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bomb {
    None,
    Start,
    Tick,
    Halt,
    Condition,
    Duration,
    Score,
    Switch,
    Count,
    Item,
    Hook,
    Catch,
    Rule,
    Read,
    Block,
}

#[derive(Debug)]
struct Bench {
    bomb: Bomb,
    /// The victim answers this, where it does not panic.
    answer: Status,
    log: Vec<String>,
    open: Vec<&'static str>,
}

/// Keys whose values take the context's own code to find out.
const READ: Key<Bench, i32> = Key::new(KeyId(0), Place::Call);
const WHOLE: Key<Bench, i32> = Key::new(KeyId(1), Place::Block(0));
const FRACTION: Key<Bench, f32> = Key::new(KeyId(2), Place::Block(0));
const SMALL: Key<Bench, u8> = Key::new(KeyId(3), Place::Block(0));

impl Context for Bench {
    type At<'a> = Bench;
    fn block(at: &Bench) -> &[u8] {
        at.burst(Bomb::Block);
        &[0; 4]
    }
    fn read(at: &Bench, _: KeyId) -> Option<Scalar> {
        at.burst(Bomb::Read);
        Some(Scalar::Int(0))
    }
}

impl Bench {
    fn new(bomb: Bomb) -> Bench {
        Bench {
            bomb,
            answer: Status::Running,
            log: vec![],
            open: vec![],
        }
    }
    fn burst(&self, bomb: Bomb) {
        assert!(self.bomb != bomb, "a planned panic");
    }
    fn start(&mut self, who: &'static str) {
        assert!(!self.open.contains(&who), "{who} started twice");
        self.open.push(who);
        self.log.push(format!("{who}+"));
    }
    fn end(&mut self, who: &'static str, how: &str) {
        let i = self.open.iter().position(|o| *o == who);
        self.open
            .remove(i.unwrap_or_else(|| panic!("{who} ended without a start: {:?}", self.log)));
        self.log.push(format!("{who}{how}"));
    }
}

/// A leaf that runs for ever and is opened and closed once.
struct Steady(&'static str);
impl Leaf<Bench> for Steady {
    type State = u32;
    fn start(&self, n: &mut u32, cx: &mut Cx<'_, '_, Bench>) -> Outcome {
        *n = 1;
        cx.start(self.0);
        Ok(Status::Running)
    }
    fn tick(&self, n: &mut u32, _: &mut Cx<'_, '_, Bench>) -> Outcome {
        *n += 1;
        Ok(Status::Running)
    }
    fn halt(&self, n: &mut u32, cx: &mut Cx<'_, '_, Bench>) {
        assert!(*n > 0);
        cx.end(self.0, "!");
    }
}

/// A leaf that may panic in its start, tick or halt.
struct Victim;
impl Leaf<Bench> for Victim {
    type State = u32;
    fn start(&self, n: &mut u32, cx: &mut Cx<'_, '_, Bench>) -> Outcome {
        *n = 1;
        cx.start("victim");
        cx.burst(Bomb::Start);
        self.answer(cx)
    }
    fn tick(&self, n: &mut u32, cx: &mut Cx<'_, '_, Bench>) -> Outcome {
        *n += 1;
        cx.burst(Bomb::Tick);
        self.answer(cx)
    }
    fn halt(&self, n: &mut u32, cx: &mut Cx<'_, '_, Bench>) {
        assert!(*n > 0, "state is written back on a panic");
        cx.end("victim", "!");
        cx.burst(Bomb::Halt);
    }
}
impl Victim {
    fn answer(&self, cx: &mut Cx<'_, '_, Bench>) -> Outcome {
        let answer = cx.answer;
        if answer != Status::Running {
            cx.end("victim", "=");
        }
        Ok(answer)
    }
}

/// A leaf that is over at once.
struct Done;
impl Leaf<Bench> for Done {
    type State = ();
    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_, Bench>) -> Outcome {
        cx.start("done");
        cx.end("done", "=");
        Ok(Status::Success)
    }
    fn tick(&self, (): &mut (), _: &mut Cx<'_, '_, Bench>) -> Outcome {
        unreachable!("it never runs")
    }
    fn halt(&self, (): &mut (), cx: &mut Cx<'_, '_, Bench>) {
        cx.end("done", "!");
    }
}

struct Rule;
impl CustomNode<Bench> for Rule {
    type State = u32;
    type Memory = ();
    fn name(&self) -> &'static str {
        "rule"
    }
    fn tick(&self, b: &mut Branches<'_, Bench>, _: &mut u32, (): &mut ()) -> Result<Status, Stop> {
        for i in 0..b.len() {
            b.tick(i)?;
        }
        b.with_cx(|cx| cx.burst(Bomb::Rule));
        Ok(Status::Running)
    }
}

fn f() -> Nodes<Bench> {
    nodes::<Bench>()
}

fn steady(name: &'static str) -> Node<Bench> {
    f().leaf(name, Steady(name))
}

fn victim() -> Node<Bench> {
    f().leaf("victim", Victim)
}

/// Places where something of the user's is called, each with what panics there.
fn sites() -> Vec<(&'static str, Bomb, Node<Bench>)> {
    let f = f();
    let burst = |bomb| {
        move |b: &Bench| {
            b.burst(bomb);
            true
        }
    };
    // What was called before is over: it is not to be ended once more.
    let behind = |guard| {
        f.sequence([f.leaf("done", Done), f.check(guard), victim()])
            .reactive()
    };
    vec![
        ("key", Bomb::Read, behind(READ.ge(0))),
        ("two keys", Bomb::Read, behind(READ.ge_key(READ))),
        ("whole number", Bomb::Block, behind(WHOLE.ge(0))),
        ("fraction", Bomb::Block, behind(FRACTION.ge(0.0))),
        ("small number", Bomb::Block, behind(SMALL.lt(1))),
        ("start", Bomb::Start, victim()),
        ("tick", Bomb::Tick, victim()),
        (
            "condition",
            Bomb::Condition,
            f.sequence([f.condition("c", burst(Bomb::Condition)), victim()])
                .reactive(),
        ),
        (
            "while",
            Bomb::Condition,
            f.while_guard(f.when(burst(Bomb::Condition)), victim()),
        ),
        ("wait until", Bomb::Condition, {
            f.wait_until(!f.when(burst(Bomb::Condition)))
        }),
        (
            "duration",
            Bomb::Duration,
            f.forever(f.wait_for(|b| {
                b.burst(Bomb::Duration);
                Duration::ZERO
            })),
        ),
        (
            "delay",
            Bomb::Duration,
            f.delay_for(
                |b| {
                    b.burst(Bomb::Duration);
                    Duration::ZERO
                },
                victim(),
            ),
        ),
        (
            "score",
            Bomb::Score,
            f.utility([(
                f.score(|b| {
                    b.burst(Bomb::Score);
                    1.0
                }),
                victim(),
            )])
            .reactive(),
        ),
        (
            "drawn score",
            Bomb::Score,
            f.utility([(
                f.score(|b| {
                    b.burst(Bomb::Score);
                    1.0
                }),
                victim(),
            )])
            .choose(Choose::Weighted),
        ),
        (
            "switch",
            Bomb::Switch,
            f.switch(
                |b| {
                    b.burst(Bomb::Switch);
                    0
                },
                [victim()],
            )
            .reactive(),
        ),
        (
            "count",
            Bomb::Count,
            f.for_each(
                |b| {
                    b.burst(Bomb::Count);
                    3
                },
                |_, _| {},
                victim(),
            ),
        ),
        (
            "item",
            Bomb::Item,
            f.for_each(|_| 3, |cx, _| cx.burst(Bomb::Item), victim()),
        ),
        (
            "complete hook",
            Bomb::Hook,
            f.forever(f.on_complete(|cx, _| cx.burst(Bomb::Hook), f.succeed())),
        ),
        ("catch", Bomb::Catch, {
            f.forever(f.catch(
                |cx| {
                    cx.burst(Bomb::Catch);
                    Status::Success
                },
                f.fail(),
            ))
        }),
        (
            "rule",
            Bomb::Rule,
            f.custom(Rule, [victim(), steady("below the rule")]),
        ),
        (
            "instant",
            Bomb::Start,
            f.forever(f.instant("i", |b| b.burst(Bomb::Start))),
        ),
    ]
}

/// Ways in which the site may stand in a tree.
type Around = fn(Node<Bench>) -> Node<Bench>;
const AROUND: [(&str, Around); 9] = [
    ("alone", |x| x),
    ("parallel, first", |x| f().parallel([x, steady("s")])),
    ("parallel, last", |x| f().parallel([steady("s"), x])),
    ("parallels", |x| {
        f().parallel([steady("s"), f().parallel([steady("t"), x])])
    }),
    ("reactive sequence", |x| {
        f().sequence([f().succeed(), x]).reactive()
    }),
    ("under hooks", |x| {
        f().finally(
            |cx, _| cx.log.push("f".into()),
            f().parallel([x, steady("s")]),
        )
    }),
    ("custom", |x| f().custom(Rule, [steady("s"), x])),
    ("limits", |x| {
        f().time_limit(Duration::from_secs(9), f().retry(3, f().hold(x)))
    }),
    ("refund", |x| {
        f().cooldown(Duration::from_secs(9), f().sequence([x]))
            .refund_on_halt()
    }),
];

/// Ticks and catches a panic.
fn tick(tree: &Tree<Bench>, agent: &mut Agent, b: &mut Bench) -> Result<Status, Option<TickError>> {
    match catch_unwind(AssertUnwindSafe(|| tree.tick(agent, b, Time::ZERO))) {
        Ok(Ok(s)) => Ok(s),
        Ok(Err(e)) => Err(Some(e)),
        Err(_) => Err(None),
    }
}

fn quietly<R>(f: impl FnOnce() -> R) -> R {
    // Planned panics would fill the output of the tests.
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>();
            let planned = text.is_some_and(|s| s.contains("a planned panic"));
            if !planned {
                usual(info);
            }
        }));
    });
    f()
}

#[test]
fn a01_panics_anywhere_poison_and_recover_ends_every_started_leaf_once() {
    quietly(|| {
        for (way, around) in AROUND {
            for i in 0..sites().len() {
                // The panic may come in the first tick or, with things running, in a later one.
                for later in [false, true] {
                    let (site, bomb, node) = sites().swap_remove(i);
                    if later && bomb == Bomb::Start && site == "start" {
                        continue;
                    }
                    let case = format!("{site} {way}, later: {later}");
                    let tree = around(node)
                        .build()
                        .unwrap_or_else(|e| panic!("{case}: {e}"));
                    let mut agent = tree.agent();
                    let mut other = tree.agent();
                    let (mut b, mut fine) = (Bench::new(Bomb::None), Bench::new(Bomb::None));
                    assert_eq!(
                        tick(&tree, &mut other, &mut fine).unwrap(),
                        Status::Running,
                        "{case}"
                    );
                    let mut burst = false;
                    for t in 0..3 {
                        if t == u8::from(later) {
                            b.bomb = bomb;
                        }
                        match tick(&tree, &mut agent, &mut b) {
                            Ok(s) => assert_eq!(s, Status::Running, "{case}"),
                            Err(None) => {
                                burst = true;
                                break;
                            }
                            Err(Some(e)) => panic!("{case}: {e}"),
                        }
                    }
                    if !burst {
                        // Once an activation is enough for some: they do not ask again.
                        tree.halt(&mut agent, &mut b, Time::ZERO).unwrap();
                        assert!(b.open.is_empty(), "{case}: {:?}", b.open);
                        continue;
                    }
                    assert!(agent.is_poisoned(), "{case}");
                    let again = tick(&tree, &mut agent, &mut b);
                    assert!(
                        matches!(again, Err(Some(TickError::Poisoned))),
                        "{case}: {again:?}"
                    );
                    b.bomb = Bomb::None;
                    tree.recover(&mut agent, &mut b, Time::ZERO).unwrap();
                    assert!(
                        b.open.is_empty(),
                        "{case}: {:?} still open, {:?}",
                        b.open,
                        b.log
                    );
                    assert!(!tree.is_running(&agent), "{case}");
                    let seen = b.log.len();
                    tree.recover(&mut agent, &mut b, Time::ZERO).unwrap();
                    assert_eq!(b.log.len(), seen, "{case}: recovered twice");
                    if way == "under hooks" {
                        let calls = b.log.iter().filter(|l| *l == "f").count();
                        assert_eq!(calls, 1, "{case}: {:?}", b.log);
                    }
                    // As good as new; and the other agent was not touched.
                    assert_eq!(
                        tick(&tree, &mut agent, &mut b).unwrap(),
                        Status::Running,
                        "{case}"
                    );
                    tree.halt(&mut agent, &mut b, Time::ZERO).unwrap();
                    assert!(b.open.is_empty(), "{case}");
                    assert_eq!(
                        tick(&tree, &mut other, &mut fine).unwrap(),
                        Status::Running,
                        "{case}"
                    );
                    tree.halt(&mut other, &mut fine, Time::ZERO).unwrap();
                    assert!(fine.open.is_empty(), "{case}: {:?}", fine.open);
                }
            }
        }
    });
}

#[test]
fn a01_a_panic_in_a_halt_leaves_the_rest_to_recover() {
    quietly(|| {
        for order in 0..3 {
            let mut children = vec![steady("a"), steady("b")];
            children.insert(order, victim());
            let tree = f().finally(|cx, _| cx.log.push("f".into()), f().parallel(children));
            let tree = tree.build().unwrap();
            // In a halt of the whole tree, and in a halt by the tree's own doing.
            let limited = {
                let mut children = vec![steady("a"), steady("b")];
                children.insert(order, victim());
                f().finally(
                    |cx, _| cx.log.push("f".into()),
                    f().time_limit(Duration::from_nanos(1), f().parallel(children)),
                )
                .build()
                .unwrap()
            };
            for (tree, by_tick) in [(&tree, false), (&limited, true)] {
                let (mut agent, mut b) = (tree.agent(), Bench::new(Bomb::None));
                tick(tree, &mut agent, &mut b).unwrap();
                b.bomb = Bomb::Halt;
                let result = catch_unwind(AssertUnwindSafe(|| {
                    if by_tick {
                        tree.tick(&mut agent, &mut b, Time(5)).map(|_| ())
                    } else {
                        tree.halt(&mut agent, &mut b, Time(5))
                    }
                }));
                assert!(result.is_err(), "it panics");
                assert!(agent.is_poisoned());
                b.bomb = Bomb::None;
                tree.recover(&mut agent, &mut b, Time(5)).unwrap();
                assert!(b.open.is_empty(), "{order} {by_tick}: {:?}", b.log);
                let calls = b.log.iter().filter(|l| *l == "f").count();
                assert_eq!(calls, 1, "{order} {by_tick}: {:?}", b.log);
                assert_eq!(tick(tree, &mut agent, &mut b).unwrap(), Status::Running);
            }
        }
    });
}

#[test]
fn a01_a_trace_that_panics_ends_every_started_leaf_once_too() {
    /// Panics at its mark of this number.
    struct Fuse(u32);
    impl Fuse {
        fn burn(&mut self) {
            self.0 = self.0.wrapping_sub(1);
            assert!(self.0 != u32::MAX, "a planned panic");
        }
    }
    impl Trace for Fuse {
        fn enter(&mut self, _: NodeId) {
            self.burn();
        }
        fn leave(&mut self, _: NodeId, _: Status) {
            self.burn();
        }
        fn halted(&mut self, _: NodeId) {
            self.burn();
        }
        fn decided(&mut self, _: NodeId, _: NodeId) {
            self.burn();
        }
    }
    let tree = f()
        .finally(
            |cx, _| cx.log.push("f".into()),
            f().sequence([
                f().leaf("done", Done),
                f().parallel([f().leaf("done", Done), victim()]),
            ])
            .reactive(),
        )
        .build()
        .unwrap();
    quietly(|| {
        let mut burst = 0;
        for later in [false, true] {
            for mark in 0..30 {
                let (mut agent, mut b) = (tree.agent(), Bench::new(Bomb::None));
                if later {
                    tick(&tree, &mut agent, &mut b).unwrap();
                }
                let traced = catch_unwind(AssertUnwindSafe(|| {
                    tree.tick_traced(&mut agent, &mut b, Time::ZERO, &mut Fuse(mark))
                }));
                assert_eq!(traced.is_err(), agent.is_poisoned());
                burst += u32::from(traced.is_err());
                tree.recover(&mut agent, &mut b, Time::ZERO).unwrap();
                tree.halt(&mut agent, &mut b, Time::ZERO).unwrap();
                assert!(b.open.is_empty(), "{later} {mark}: {:?}", b.log);
            }
        }
        assert!(burst > 15, "{burst}");
    });
}

#[test]
fn a01_a_panic_while_recovering_can_be_recovered_again() {
    quietly(|| {
        let tree = f()
            .parallel([
                steady("a"),
                victim(),
                steady("b"),
                f().wait(Duration::ZERO),
                {
                    f().sequence([
                        f().condition("c", |b| {
                            b.burst(Bomb::Condition);
                            true
                        }),
                        steady("d"),
                    ])
                    .reactive()
                },
            ])
            .success(Threshold::All)
            .build()
            .unwrap();
        let (mut agent, mut b) = (tree.agent(), Bench::new(Bomb::None));
        tick(&tree, &mut agent, &mut b).unwrap();
        b.bomb = Bomb::Condition;
        assert!(matches!(tick(&tree, &mut agent, &mut b), Err(None)));
        b.bomb = Bomb::Halt;
        let first = catch_unwind(AssertUnwindSafe(|| {
            tree.recover(&mut agent, &mut b, Time(1))
        }));
        assert!(first.is_err());
        assert!(agent.is_poisoned());
        b.bomb = Bomb::None;
        tree.recover(&mut agent, &mut b, Time(1)).unwrap();
        assert!(b.open.is_empty(), "{:?}", b.log);
        assert!(!agent.is_poisoned());
    });
}

#[test]
fn a01_a_custom_rule_cannot_hide_an_error() {
    /// Swallows what its children report, and goes on.
    struct Deaf;
    impl CustomNode<Bench> for Deaf {
        type State = ();
        type Memory = ();
        fn name(&self) -> &'static str {
            "deaf"
        }
        fn tick(
            &self,
            b: &mut Branches<'_, Bench>,
            (): &mut (),
            (): &mut (),
        ) -> Result<Status, Stop> {
            for i in 0..b.len() {
                let _ = b.tick(i);
            }
            Ok(Status::Success)
        }
    }
    let faulty = f().action("faulty", |_| -> Outcome { Err(LeafError::new("broken")) });
    let tree = f()
        .parallel([
            steady("s"),
            f().custom(Deaf, [steady("a"), faulty, steady("never")]),
        ])
        .build()
        .unwrap();
    let (mut agent, mut b) = (tree.agent(), Bench::new(Bomb::None));
    let e = tick(&tree, &mut agent, &mut b)
        .unwrap_err()
        .expect("an error value");
    assert_eq!(e.to_string(), "parallel/deaf/faulty: broken");
    tree.recover(&mut agent, &mut b, Time::ZERO).unwrap();
    assert!(b.open.is_empty(), "{:?}", b.log);
    assert!(!b.log.iter().any(|l| l.contains("never")), "{:?}", b.log);
}

/// Panics where a trace is shown the keys before anything is ticked.
struct Touchy;

impl Trace for Touchy {
    fn enter(&mut self, _: NodeId) {}
    fn leave(&mut self, _: NodeId, _: Status) {}
    fn keys(&mut self, node: Option<NodeId>, _: &dyn tickseed_core::KeyView) {
        assert!(node.is_some(), "touchy");
    }
}

/// A context with a key, so that there is something to show, which counts ticks.
#[derive(Default)]
struct Keyed {
    ticks: u32,
    log: Vec<String>,
}

impl Context for Keyed {
    type At<'a> = Keyed;
    fn own_keys(_: &Keyed) -> u16 {
        1
    }
}

fn runs_from(i: u32, first: u32) -> Node<Keyed> {
    let answer = move |cx: &mut Cx<'_, '_, Keyed>| {
        cx.ticks += 1;
        if i < first {
            Status::Success
        } else {
            Status::Running
        }
    };
    nodes()
        .action(format!("{i}"), answer)
        .on_halt(move |cx: &mut Cx<'_, '_, Keyed>| cx.log.push(format!("{i}!")))
}

/// What recovery does after such a panic.
fn recovered(tree: &Tree<Keyed>) -> Vec<String> {
    let (mut agent, mut at) = (tree.agent(), Keyed::default());
    tree.tick(&mut agent, &mut at, Time::ZERO).unwrap();
    let traced = || tree.tick_traced(&mut agent, &mut at, Time::ZERO, &mut Touchy);
    assert!(catch_unwind(AssertUnwindSafe(traced)).is_err());
    tree.recover(&mut agent, &mut at, Time::ZERO).unwrap();
    assert!(!tree.is_running(&agent));
    at.log
}

#[test]
fn a_panic_before_anything_is_ticked_halts_what_runs() {
    let n = nodes::<Keyed>();
    // Resume points of one byte and of two.
    for (len, first) in [(10, 5), (300, 5), (300, 290)] {
        let leaves = (0..len).map(|i| runs_from(i, first));
        let tree = n.sequence(leaves).build().unwrap();
        assert_eq!(recovered(&tree), [format!("{first}!")]);
    }
    let hook = |name: &'static str, child| {
        let end = move |cx: &mut Cx<'_, '_, Keyed>, _| cx.log.push(name.into());
        n.finally(end, child)
    };
    let inner = hook("inner", runs_from(1, 0));
    let tree = hook("outer", n.sequence([runs_from(0, 1), inner])).build();
    assert_eq!(recovered(&tree.unwrap()), ["1!", "inner", "outer"]);
}
