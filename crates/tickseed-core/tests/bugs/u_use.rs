//! Use of the library: finished trees, many agents, changes between ticks, names, faults.

use std::sync::Arc;

use tickseed_core::{
    Context, Cx, Def, Leaf, MAX_DEPTH, Node, NodeId, Outcome, Rule, Status, TickError, Time, Trace,
    nodes,
};
use tickseed_testkit::script::{World, act, instant};

use crate::rig::{Rig, n, refused};

#[test]
fn u01_a_finished_tree_begins_again_or_answers_once() {
    Rig::new(n().sequence([act("A", "S")])).ticks(["S A+ A=S", "S A+ A=S"]);
    Rig::new(n().run_once(n().sequence([act("A", "S")]))).ticks(["S A+ A=S", "S", "S"]);
    Rig::new(n().run_once(act("A", "RF"))).ticks(["R A+", "F A~ A=F", "F"]);
}

#[test]
fn u03_step_once_and_run_to_the_end() {
    // Instant trees: one step is the whole run. With a running leaf a step answers R once.
    let run = |root: Node<World>| {
        let tree = root.build().unwrap();
        let (mut agent, mut world) = (tree.agent(), World::new());
        let mut steps = 0;
        let status = loop {
            steps += 1;
            match tree.tick(&mut agent, &mut world, Time(steps)).unwrap() {
                Status::Running => {}
                verdict => break verdict,
            }
        };
        (status, steps, world.events_text())
    };
    let (status, steps, text) = run(n().sequence([act("A", "S"), act("B", "S")]));
    assert_eq!((status, steps), (Status::Success, 1));
    assert_eq!(text.matches("starts").count(), 2);
    let (status, steps, _) = run(n().sequence([act("A", "S"), act("B", "RS")]));
    assert_eq!((status, steps), (Status::Success, 2));
}

#[test]
fn a11_a_tick_is_exactly_one_step() {
    // A leaf that asks to be woken at once does not make the tree loop.
    let f = nodes::<()>();
    let tree = f
        .retry(
            10,
            f.action("A", |cx| {
                let now = cx.now();
                cx.wake_at(now);
                Status::Failure
            }),
        )
        .build()
        .unwrap();
    let mut agent = tree.agent();
    for t in 1..=10 {
        let expected = if t == 10 {
            Status::Failure
        } else {
            Status::Running
        };
        assert_eq!(
            tree.tick(&mut agent, &mut (), Time::ZERO).unwrap(),
            expected,
            "tick {t}"
        );
    }
}

/// What the counters have said.
#[derive(Default)]
struct Counts(Vec<u32>);
impl Context for Counts {
    type At<'a> = Counts;
}

/// Whatever nodes are called, their paths differ and lead back to them.
#[test]
fn e09_names_that_look_like_paths_have_different_paths() {
    let leaf = |name: &'static str| instant(name, "S");
    let tree = n()
        .sequence([
            leaf("x#2"),
            leaf("x"),
            leaf("x"),
            leaf("a/b"),
            n().sequence([leaf("b"), leaf("50%")]).named("a"),
            leaf("a%2Fb"),
            leaf("x%232"),
            leaf("#"),
            leaf("x#y"),
        ])
        .named("top/1#1")
        .build()
        .unwrap();
    let def: &Def = tree.def();
    let paths: Vec<String> = def.iter().map(|(id, _)| def.path(id)).collect();
    let expected = [
        "x%232", "x", "x#2", "a%2Fb", "a", "a/b", "a/50%", "a%252Fb", "x%25232", "#", "x#y",
    ];
    let root = "top%2F1%231";
    assert_eq!(paths[0], root);
    let below = expected.map(|path| format!("{root}/{path}"));
    assert_eq!(paths[1..], below);
    assert_eq!(def.paths(), paths);
    for (id, _) in def.iter() {
        assert_eq!(def.find_path(&def.path(id)), Some(id));
    }
}

/// Counts the ticks of its activation.
struct Counter;
impl Leaf<Counts> for Counter {
    type State = u32;
    fn start(&self, n: &mut u32, cx: &mut Cx<'_, '_, Counts>) -> Outcome {
        self.tick(n, cx)
    }
    fn tick(&self, n: &mut u32, cx: &mut Cx<'_, '_, Counts>) -> Outcome {
        *n += 1;
        cx.0.push(*n);
        Ok(Status::Running)
    }
}

#[test]
fn m01_state_is_per_agent() {
    let tree = Arc::new(nodes::<Counts>().leaf("count", Counter).build().unwrap());
    let (mut one, mut two) = (tree.agent(), tree.agent());
    let (mut a, mut b) = (Counts::default(), Counts::default());
    for t in 0..5 {
        if t < 3 {
            tree.tick(&mut one, &mut a, Time(t)).unwrap();
        }
        tree.tick(&mut two, &mut b, Time(t)).unwrap();
    }
    assert_eq!((a.0.last(), b.0.last()), (Some(&3), Some(&5)));
    tree.halt(&mut one, &mut a, Time(9)).unwrap();
    assert!(!tree.is_running(&one) && tree.is_running(&two));
    // In threads at the same time.
    std::thread::scope(|s| {
        for _ in 0..4 {
            let tree = Arc::clone(&tree);
            s.spawn(move || {
                let (mut agent, mut seen) = (tree.agent(), Counts::default());
                (0..100).for_each(|t| {
                    tree.tick(&mut agent, &mut seen, Time(t)).unwrap();
                });
                assert_eq!(seen.0, (1..=100).collect::<Vec<_>>());
            });
        }
    });
}

#[test]
fn m03_one_node_cannot_stand_at_two_places() {
    // A node moves into its parent (this would not compile: `n.sequence([x, x])`); a
    // function that makes it is used twice instead, and each copy has its own state.
    let part = |name: &'static str| n().repeat(2, act(name, "S"));
    Rig::new(n().sequence([part("A"), part("B")])).ticks([
        "R A+ A=S",
        "R A+ A=S B+ B=S",
        "S B+ B=S",
    ]);
}

#[test]
fn m05_taking_the_tree_off_a_living_agent() {
    let mut rig = Rig::new(act("A", "R"));
    rig.ticks(["R A+"]).halt("A!");
    // The world is untouched and a new tree can drive it.
    let other = act("B", "R").build().unwrap();
    let mut agent = other.agent();
    other.tick(&mut agent, &mut rig.world, Time(5)).unwrap();
    assert_eq!(rig.world.started(), ["B"]);
}

#[test]
fn u01_another_trees_agent_is_an_error_everywhere() {
    let (a, b) = (
        act("A", "R").build().unwrap(),
        act("A", "R").build().unwrap(),
    );
    let (mut agent, mut w) = (a.agent(), World::new());
    let at = Time::ZERO;
    let mut marks = tickseed_testkit::Marks::default();
    for result in [
        b.tick(&mut agent, &mut w, at).map(|_| ()),
        b.tick_traced(&mut agent, &mut w, at, &mut marks)
            .map(|_| ()),
        b.halt(&mut agent, &mut w, at),
        b.reset(&mut agent, &mut w, at),
        b.recover(&mut agent, &mut w, at),
    ] {
        assert!(matches!(result, Err(TickError::WrongTree)), "{result:?}");
    }
    assert!(b.running(&agent).is_empty() && b.history(&agent).is_empty());
    assert!(!b.is_running(&agent));
    // It is unharmed.
    assert_eq!(a.tick(&mut agent, &mut w, at).unwrap(), Status::Running);
    assert!(w.broken().is_empty());
}

#[test]
fn v03_a_task_that_swaps_its_own_tree() {
    // The request is kept in the world and carried out after the tick.
    #[derive(Default)]
    struct Game {
        next: Option<usize>,
        log: Vec<&'static str>,
    }
    impl Context for Game {
        type At<'a> = Game;
    }
    let f = nodes::<Game>();
    let running = |name: &'static str, end: &'static str| {
        f.action(name, move |g| {
            g.log.push(name);
            Status::Running
        })
        .on_halt(move |g| g.log.push(end))
    };
    let trees = [
        f.sequence([
            f.instant("swap", |g| g.next = Some(1)),
            running("old", "old ends"),
        ])
        .build()
        .unwrap(),
        running("new", "new ends").build().unwrap(),
    ];
    let (mut game, mut which) = (Game::default(), 0);
    let mut agent = trees[which].agent();
    for t in 0..2 {
        trees[which].tick(&mut agent, &mut game, Time(t)).unwrap();
        if let Some(next) = game.next.take() {
            trees[which].halt(&mut agent, &mut game, Time(t)).unwrap();
            which = next;
            agent = trees[which].agent();
        }
    }
    assert_eq!(game.log, ["old", "old ends", "new"]);
}

#[test]
fn v04_built_trees_do_not_change() {
    let make = |script: &'static str| instant("A", script).build().unwrap();
    let (one, two) = (make("S"), make("F"));
    let tick = |t: &tickseed_core::Tree<World>| {
        t.tick(&mut t.agent(), &mut World::new(), Time::ZERO)
            .unwrap()
    };
    assert_eq!(
        (tick(&one), tick(&two), tick(&one)),
        (Status::Success, Status::Failure, Status::Success)
    );
}

#[test]
fn e01_more_than_65535_nodes() {
    for count in [300, 70_000] {
        let leaves = (0..count).map(|i| {
            if i + 1 == count {
                act("last", "R")
            } else {
                n().succeed()
            }
        });
        let tree = n().sequence(leaves).build().unwrap();
        assert_eq!(tree.def().len(), count + 1);
        let (mut agent, mut world) = (tree.agent(), World::new());
        assert_eq!(
            tree.tick(&mut agent, &mut world, Time::ZERO).unwrap(),
            Status::Running
        );
        assert_eq!(tree.running(&agent), [NodeId(count as u32)]);
        assert_eq!(
            tree.tick(&mut agent, &mut world, Time::ZERO).unwrap(),
            Status::Running
        );
        tree.halt(&mut agent, &mut world, Time::ZERO).unwrap();
        assert_eq!(world.started(), [""; 0]);
        // Every place can be the running one, and be resumed.
        let running = n()
            .parallel((0..count).map(|_| n().run_forever()))
            .build()
            .unwrap();
        let mut agent = running.agent();
        running.tick(&mut agent, &mut world, Time::ZERO).unwrap();
        assert_eq!(running.running(&agent).len(), count);
    }
}

#[test]
fn e01_many_yields_in_one_thread() {
    // More than 255 and more than 65,535 places where a tick can stop.
    for count in [300_usize, 70_000] {
        let tree = n().sequence((0..count).map(|_| n().wait(std::time::Duration::from_nanos(1))));
        let tree = tree.build().unwrap();
        let (mut agent, mut world) = (tree.agent(), World::new());
        for i in 0..count {
            let status = tree.tick(&mut agent, &mut world, Time(i as u64)).unwrap();
            assert_eq!(status, Status::Running, "{i}");
        }
        let last = tree
            .tick(&mut agent, &mut world, Time(count as u64))
            .unwrap();
        assert_eq!(last, Status::Success);
    }
}

#[test]
fn e09_equal_names_have_different_paths() {
    let tree = n()
        .sequence([
            instant("Check", "S"),
            n().sequence([instant("Check", "S")]).named("Check"),
            instant("Check", "S"),
        ])
        .build()
        .unwrap();
    let def: &Def = tree.def();
    let paths: Vec<String> = def.iter().map(|(id, _)| def.path(id)).collect();
    let expected = [
        "sequence",
        "sequence/Check",
        "sequence/Check#2",
        "sequence/Check#2/Check",
        "sequence/Check#3",
    ];
    assert_eq!(paths, expected);
    for (id, _) in def.iter() {
        assert_eq!(
            def.find_path(&def.path(id)),
            Some(id),
            "a path leads back to its node"
        );
    }
}

#[test]
fn x03_very_deep_nesting_is_an_error() {
    let deep = |levels: u32| (1..levels).fold(act("A", "S"), |x, _| n().invert(x));
    let tree = deep(MAX_DEPTH).build().unwrap();
    let mut world = World::new();
    tree.tick(&mut tree.agent(), &mut world, Time::ZERO)
        .unwrap();
    for levels in [MAX_DEPTH + 1, 100_000] {
        let e = refused(deep(levels));
        assert!(e.issues.iter().any(|i| i.rule == Rule::Depth), "{e}");
    }
}

#[test]
fn d17_all_faults_of_a_tree_at_once_each_with_its_path() {
    let e = refused(
        n().sequence([
            n().selector([]).named("empty"),
            n().parallel([n().succeed()])
                .success(tickseed_core::nodes::Threshold::Count(9)),
            n().repeat(0, n().succeed()),
            act("x", "S").reactive(),
        ])
        .named("root"),
    );
    let found: Vec<_> = e.issues.iter().map(|i| (i.path.as_str(), i.rule)).collect();
    let expected = [
        ("root/empty", Rule::NoChildren),
        ("root/parallel", Rule::Range),
        ("root/repeat", Rule::Range),
        ("root/x", Rule::Option),
    ];
    assert_eq!(found, expected, "{e}");
    assert!(
        e.issues
            .iter()
            .all(|i| !i.help.is_empty() && !i.message.is_empty())
    );
}

/// Checks that every tick's marks nest, and keeps the depth.
#[derive(Default)]
struct Nesting(Vec<NodeId>, usize);
impl Trace for Nesting {
    fn enter(&mut self, node: NodeId) {
        self.0.push(node);
        self.1 += 1;
    }
    fn leave(&mut self, node: NodeId, _: Status) {
        assert_eq!(self.0.pop(), Some(node), "marks nest");
    }
}

#[test]
fn a03_a_watcher_sees_every_node_left() {
    // Traced and untraced ticks may be mixed: the watcher is attached to one running agent.
    for (name, wrap) in crate::kinds::DECORATORS
        .iter()
        .chain(crate::kinds::COMPOSITES)
    {
        let tree = wrap(act("X", "RRSRF")).build().unwrap();
        let (mut agent, mut world) = (tree.agent(), World::new());
        for t in 0..8 {
            if t % 2 == 0 {
                let mut marks = Nesting::default();
                tree.tick_traced(&mut agent, &mut world, Time(t), &mut marks)
                    .unwrap();
                assert!(marks.0.is_empty(), "{name}: left open {:?}", marks.0);
                assert!(marks.1 > 0);
            } else {
                tree.tick(&mut agent, &mut world, Time(t)).unwrap();
            }
        }
        assert_eq!(world.broken(), [""; 0], "{name}");
    }
}
