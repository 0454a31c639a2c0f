//! Reactive and memory composites, guards and observers.

use tickseed_core::{Guard, Node, Status};
use tickseed_testkit::script::{World, act, cond, guard};

use crate::rig::{Make, Rig, n};

/// How often each event of `who` occurs.
fn calls(texts: &[String], who: &str) -> usize {
    texts
        .iter()
        .flat_map(|t| t.split(' '))
        .filter(|w| *w == format!("{who}+") || *w == format!("{who}~"))
        .count()
}

#[test]
fn r01_memory_and_reactive_tick_counts() {
    for (a, b) in [("S", "RRS"), ("F", "RRF")] {
        let tree = |reactive: bool| {
            let children = [act("A", a), act("B", b)];
            let node = if a == "S" {
                n().sequence(children)
            } else {
                n().selector(children)
            };
            if reactive { node.reactive() } else { node }
        };
        for (reactive, times) in [(false, 1), (true, 3)] {
            let mut rig = Rig::new(tree(reactive));
            let texts: Vec<String> = (0..3).map(|_| rig.step()).collect();
            assert_eq!(calls(&texts, "A"), times, "reactive: {reactive}");
            assert_eq!(calls(&texts, "B"), 3);
            assert!(texts[2].starts_with(if a == "S" { 'S' } else { 'F' }));
        }
    }
}

#[test]
fn r01_a_wait_before_the_running_child() {
    // In a memory sequence it is over for good; in a reactive one it begins anew, as each
    // tick is a new activation of a child that had finished.
    use crate::rig::ms;
    Rig::new(n().sequence([n().wait(ms(2)), act("B", "R")]))
        .at(ms(0), "R")
        .at(ms(2), "R B+")
        .at(ms(3), "R B~");
    Rig::new(n().sequence([n().wait(ms(2)), act("B", "R")]).reactive())
        .at(ms(0), "R")
        .at(ms(2), "R B+")
        .at(ms(3), "R B!")
        .at(ms(5), "R B+");
}

/// Scripts of all answers for three children over several ticks, without errors.
fn scripts() -> Vec<[&'static str; 3]> {
    let some = [
        "SFR", "FS", "RS", "RF", "RRS", "K", "SKF", "FRS", "KRF", "S", "F",
    ];
    let mut all = Vec::new();
    for a in some {
        for b in some {
            for c in some {
                all.push([a, b, c]);
            }
        }
    }
    all
}

#[test]
fn r03_sequence_and_selector_are_mirror_images() {
    let leaves = |s: &[&'static str; 3]| [act("a", s[0]), act("b", s[1]), act("c", s[2])];
    let kinds: [fn(Node<World>) -> Node<World>; 4] =
        [|x| x, |x| x.reactive(), |x| x.random(), |x| x.keep_place()];
    for s in scripts() {
        for (k, kind) in kinds.iter().enumerate() {
            let mut one = Rig::new(kind(n().sequence(leaves(&s))));
            let mut two =
                Rig::new(n().invert(kind(n().selector(leaves(&s).map(|l| n().invert(l))))));
            for tick in 0..5 {
                assert_eq!(one.step(), two.step(), "{s:?}, kind {k}, tick {tick}");
            }
        }
    }
}

#[test]
fn r04_earlier_child_goes_back_to_running() {
    Rig::new(
        n().sequence([act("E", "SSRS"), act("M", "RRRR")])
            .reactive(),
    )
    .ticks(["R E+ E=S M+", "R E+ E=S M~", "R E+ M!", "R E~ E=S M+"]);
    // The mirror image.
    Rig::new(n().selector([act("E", "FFRF"), act("M", "R")]).reactive()).ticks([
        "R E+ E=F M+",
        "R E+ E=F M~",
        "R E+ M!",
        "R E~ E=F M+",
    ]);
    // Three asynchronous children, the middle one goes back.
    Rig::new(
        n().sequence([act("A", "S"), act("B", "SRS"), act("C", "R")])
            .reactive(),
    )
    .ticks(["R A+ A=S B+ B=S C+", "R A+ A=S B+ C!", "R A+ A=S B~ B=S C+"]);
    // While-do-else: the condition itself runs.
    Rig::new(n().while_do_else(act("C", "SRF"), act("D", "R"), act("E", "R"))).ticks([
        "R C+ C=S D+",
        "R C+ D!",
        "R C~ C=F E+",
    ]);
}

#[test]
fn r06_skipped_children_in_reactive_composites() {
    let tree = |p: bool, q: bool| {
        n().sequence([
            n().skip_if(Guard::constant(p), act("A", "S")),
            n().skip_if(Guard::constant(q), act("B", "RRRRS")),
        ])
        .reactive()
    };
    Rig::new(tree(true, false)).ticks(["R B+", "R B~", "R B~", "R B~", "S B~ B=S"]);
    Rig::new(tree(true, true)).ticks(["K", "K"]);
    Rig::new(tree(false, true)).ticks(["S A+ A=S"]);
    // A guard that turns true later applies to children that are not running: it is judged
    // when the child would start.
    let tree = n()
        .sequence([n().skip_if(guard("p", "FS"), act("A", "S")), act("B", "R")])
        .reactive();
    Rig::new(tree).ticks(["R p:F A+ A=S B+", "R p:S B~"]);
}

#[test]
fn r06_skips_in_every_composite() {
    type Make = fn(Vec<Node<World>>) -> Node<World>;
    let makes: [(&str, Make); 8] = [
        ("sequence", |c| n().sequence(c)),
        ("selector", |c| n().selector(c)),
        ("reactive sequence", |c| n().sequence(c).reactive()),
        ("reactive selector", |c| n().selector(c).reactive()),
        ("random sequence", |c| n().sequence(c).random()),
        ("random selector", |c| n().selector(c).random()),
        ("keeping place", |c| n().sequence(c).keep_place()),
        ("parallel", |c| n().parallel(c)),
    ];
    for (name, make) in makes {
        let mut all = Rig::new(make(vec![n().constant(Status::Skipped), act("B", "K")]));
        assert!(all.step().starts_with('K'), "{name}: all skipped");
        for verdict in ["S", "F"] {
            for skipped_first in [true, false] {
                let mut children = vec![n().constant(Status::Skipped), act("B", verdict)];
                if !skipped_first {
                    children.reverse();
                }
                let mut rig = Rig::new(make(children));
                assert!(
                    rig.step().starts_with(verdict),
                    "{name}: {verdict}, {skipped_first}"
                );
            }
        }
        // Skipped only in later ticks, or only at first.
        let mut rig = Rig::new(make(vec![act("A", "RK"), act("B", "RK")]));
        assert!(rig.step().starts_with('R'), "{name}");
    }
}

#[test]
fn r06_a_reactive_composite_forgets_what_was_asked_in_earlier_ticks() {
    // Tick 1 asks A; in tick 2 all are skipped: so is the node.
    Rig::new(n().selector([act("A", "RK"), act("B", "K")]).reactive())
        .ticks(["R A+", "K A~ A=K B+ B=K"]);
    // A memory composite remembers within its activation.
    Rig::new(n().selector([act("A", "F"), act("B", "RK")])).ticks(["R A+ A=F B+", "F B~ B=K"]);
}

#[test]
fn r08_guard_at_start_and_guard_all_the_time() {
    let a = || act("A", "RRS");
    Rig::new(n().precondition(!guard("g", "SFF"), Status::Skipped, a()))
        .ticks(["R g:S A+", "R A~", "S A~ A=S"]);
    Rig::new(
        n().while_guard(guard("g", "SFF"), a())
            .otherwise(Status::Skipped),
    )
    .ticks(["R g:S A+", "K g:F A!"]);
    for (then, first) in [
        (Status::Failure, "F g:S"),
        (Status::Success, "S g:S"),
        (Status::Skipped, "K g:S"),
    ] {
        Rig::new(n().precondition(guard("g", "S"), then, a())).ticks([first]);
        Rig::new(n().while_guard(!guard("g", "S"), a()).otherwise(then)).ticks([first]);
    }
}

#[test]
fn r08_each_guard_is_judged_at_most_once_where_it_stands() {
    // A while-guard above a child that is taken up again, and above one that begins anew.
    let tree = n()
        .selector([
            cond("h", "F"),
            n().while_guard(guard("g", "S"), act("A", "RFR")),
        ])
        .reactive();
    Rig::new(tree).ticks(["R h:F g:S A+", "F h:F g:S A~ A=F", "R h:F g:S A+"]);
    let tree = n().while_guard(
        guard("o", "S"),
        n().while_guard(guard("i", "SF"), act("A", "R")),
    );
    Rig::new(tree).ticks(["R o:S i:S A+", "F o:S i:F A!"]);
}

/// The four abort modes of event-driven engines, as shapes of ours. `k` is the observed key.
#[test]
fn r10_observer_abort_modes_are_four_shapes() {
    fn k() -> Guard<World> {
        World::ARMED.is_true()
    }
    fn guarded_once() -> Node<World> {
        n().selector([n().fail_if(!k(), act("C", "R")), act("P", "R")])
    }
    fn guarded_always() -> Node<World> {
        n().selector([n().while_guard(k(), act("C", "R")), act("P", "R")])
    }
    let shapes: [(&str, Make, bool, bool); 4] = [
        ("none", guarded_once, false, false),
        ("self", guarded_always, true, false),
        ("lower", || guarded_once().reactive(), false, true),
        ("both", || guarded_always().reactive(), true, true),
    ];
    for (name, shape, leaves_own, cuts_lower) in shapes {
        let mut rig = Rig::new(shape());
        rig.change(|w| w.keys.armed = 1);
        rig.ticks(["R C+"]);
        rig.change(|w| w.keys.armed = 0);
        let expected = if leaves_own { "R C! P+" } else { "R C~" };
        assert_eq!(
            rig.step(),
            expected,
            "{name}: true to false during the chase"
        );

        let mut rig = Rig::new(shape());
        rig.ticks(["R P+"]);
        rig.change(|w| w.keys.armed = 1);
        let expected = if cuts_lower { "R C+ P!" } else { "R P~" };
        assert_eq!(
            rig.step(),
            expected,
            "{name}: false to true during the patrol"
        );
    }
}

#[test]
fn r11_guards_that_change_each_other_cannot_recurse() {
    // Entering A makes B's guard true and the other way round: one step, one switch.
    struct World(i32, Vec<&'static str>);
    impl tickseed_core::Context for World {
        type At<'a> = World;
    }
    let n = tickseed_core::nodes::<World>();
    let branch = |name: &'static str, when: i32, sets: i32| {
        n.while_guard(
            n.when(move |w| w.0 == when),
            n.action(name, move |w| {
                w.0 = sets;
                w.1.push(name);
                Status::Running
            }),
        )
    };
    let tree = n
        .selector([branch("A", 1, 2), branch("B", 2, 1)])
        .reactive()
        .build()
        .unwrap();
    let (mut agent, mut world) = (tree.agent(), World(1, vec![]));
    for _ in 0..4 {
        let before = world.1.len();
        tree.tick(&mut agent, &mut world, Default::default())
            .unwrap();
        assert_eq!(world.1.len(), before + 1);
    }
    assert_eq!(world.1, ["A", "B", "A", "B"]);
}

#[test]
fn r12_begin_again_or_keep_ones_place() {
    let way = || n().sequence([act("A", "S"), act("B", "R"), act("C", "S")]);
    let guarded = |way| n().sequence([cond("battery", "SSFS"), way]).reactive();
    Rig::new(guarded(way())).ticks([
        "R battery:S A+ A=S B+",
        "R battery:S B~",
        "F battery:F B!",
        "R battery:S A+ A=S B+",
    ]);
    Rig::new(guarded(way().keep_place())).ticks([
        "R battery:S A+ A=S B+",
        "R battery:S B~",
        "F battery:F B!",
        "R battery:S B+",
    ]);
    // A full reset clears both.
    for way in [way(), way().keep_place()] {
        Rig::new(way)
            .ticks(["R A+ A=S B+"])
            .reset("B!")
            .ticks(["R A+ A=S B+"]);
    }
    // A plain halt keeps the place only where it was asked to be kept.
    Rig::new(way())
        .ticks(["R A+ A=S B+"])
        .halt("B!")
        .ticks(["R A+ A=S B+"]);
    Rig::new(way().keep_place())
        .ticks(["R A+ A=S B+"])
        .halt("B!")
        .ticks(["R B+"]);
}

#[test]
fn r12_a_kept_place_after_failure_success_and_at_each_child() {
    // A sequence goes on at the child that failed; passing the last rewinds.
    Rig::new(
        n().sequence([act("A", "S"), act("B", "FS"), act("C", "S")])
            .keep_place(),
    )
    .ticks([
        "F A+ A=S B+ B=F",
        "S B+ B=S C+ C=S",
        "S A+ A=S B+ B=S C+ C=S",
    ]);
    // A selector goes on at the child that succeeded.
    Rig::new(n().selector([act("A", "F"), act("B", "S")]).keep_place())
        .ticks(["S A+ A=F B+ B=S", "S B+ B=S"]);
    // Halted at the first, middle and last child.
    for (at, expected) in [(0, "R A+"), (1, "R B+"), (2, "R C+")] {
        let answers: Vec<&str> = (0..3).map(|i| if i < at { "S" } else { "R" }).collect();
        let mut rig = Rig::new(
            n().sequence([
                act("A", answers[0]),
                act("B", answers[1]),
                act("C", answers[2]),
            ])
            .keep_place(),
        );
        rig.step();
        rig.halt(["A!", "B!", "C!"][at]).ticks([expected]);
    }
}

#[test]
fn r14_several_completions_in_one_tick_and_a_stale_guard() {
    // T1 sets what the guard of the whole branch watches. The guard was judged before the
    // branch was ticked: T2 starts, and is ended one tick later, properly.
    let n_ = n();
    let sets = tickseed_testkit::script::Scripted::new("T1", "S").action();
    let tree = n_.while_guard(World::LEVEL.eq(0), n_.sequence([sets, act("T2", "R")]));
    let mut rig = Rig::new(tree);
    rig.ticks(["R T1+ T1=S T2+"]);
    // As if T1 had set it: nothing looks at it before the next tick.
    rig.change(|w| w.keys.level = 1);
    rig.ticks(["F T2!"]).ticks(["F"]);
}
