//! What the differential test has found, in its smallest form.

use tickseed_core::nodes::Preempt;
use tickseed_core::{NodeId, Nodes, Status, Time, nodes};
use tickseed_testkit::script::{World, act, cond, finally, instant, score};
use tickseed_testkit::{Mark, Marks, check};

const N: fn() -> Nodes<World> = nodes::<World>;

#[test]
fn recovery_ends_the_old_branch_before_the_hook_around_both() {
    check(
        finally(
            "f",
            N().sequence([instant("a", "SE"), act("b", "R")]).reactive(),
        ),
        "0 R a:S b+\n 1 E aE\n 1 recover b! f@!",
    );
}

#[test]
fn a_traced_halt_comes_after_the_leave_of_the_branch_that_caused_it() {
    let tree = N()
        .selector([act("a", "FR"), act("b", "R")])
        .reactive()
        .build()
        .unwrap();
    let (mut agent, mut world) = (tree.agent(), World::new());
    tree.tick(&mut agent, &mut world, Time(0)).unwrap();
    let mut marks = Marks::default();
    tree.tick_traced(&mut agent, &mut world, Time(1), &mut marks)
        .unwrap();
    let [root, a, b] = [NodeId(0), NodeId(1), NodeId(2)];
    let wanted = [
        Mark::Enter(root),
        Mark::Enter(a),
        Mark::Leave(a, Status::Running),
        Mark::Halted(b),
        Mark::Leave(root, Status::Running),
    ];
    assert_eq!(marks.0, wanted);
}

#[test]
fn a_composite_that_begins_at_a_held_child_can_be_skipped() {
    check(
        N().sequence([cond("g", "S"), N().hold(act("a", "RK"))])
            .reactive(),
        "0 R g?y a+\n 1 K a. aK",
    );
}

#[test]
fn no_minimum_dwell_is_none_also_when_the_clock_runs_backwards() {
    let children = [
        (score("a#", [50, 0]), act("a", "R")),
        (score("b#", [40, 40]), act("b", "R")),
    ];
    check(
        N().utility(children)
            .reactive()
            .preempt(Preempt::BeforeStart),
        "9 R a##50 b##40 a+\n 5 R a##0 b##40 a! b+",
    );
    let steady = [
        (score("a#", [50, 50]), act("a", "R")),
        (score("b#", [40, 60]), act("b", "R")),
    ];
    check(
        N().utility(steady).reactive(),
        "9 R a##50 b##40 a+\n 5 R a##50 b##60 b+ a!",
    );
}

#[test]
fn nothing_happens_after_a_custom_node_has_kept_an_error_to_itself() {
    use tickseed_core::{Branches, CustomNode, Stop};

    /// Goes on as if nothing had happened.
    struct Deaf;
    impl CustomNode<World> for Deaf {
        type State = ();
        type Memory = ();
        fn name(&self) -> &'static str {
            "deaf"
        }
        fn tick(
            &self,
            n: &mut Branches<'_, World>,
            (): &mut (),
            (): &mut (),
        ) -> Result<Status, Stop> {
            for i in 0..n.len() {
                let _ = n.tick(i);
            }
            n.halt_all();
            Ok(Status::Success)
        }
    }
    check(
        N().custom(Deaf, [act("a", "R"), act("b", "E"), act("c", "S")]),
        "0 E a+ b+ bE\n 1 E",
    );
}
