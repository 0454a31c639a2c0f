//! Leaves that fail or panic, hooks that panic, clocks that run backwards or jump.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::nodes::Threshold;
use tickseed_core::{
    Branches, Context, CustomNode, Herd, HerdError, LeafError, Status, Stop, TickError, Time, Tree,
    nodes,
};

/// What goes wrong, and what is noted.
#[derive(Default)]
struct Trouble {
    fails: bool,
    panics: bool,
    panics_at_halt: bool,
    notes: Vec<&'static str>,
}
impl Context for Trouble {
    type At<'a> = Trouble;
}

fn tree() -> Arc<Tree<Trouble>> {
    let n = nodes::<Trouble>();
    let work = n
        .action("work", |cx| {
            cx.notes.push("works");
            if cx.panics {
                panic!("as asked");
            }
            if cx.fails {
                return Err(LeafError::new("as asked"));
            }
            Ok(Status::Running)
        })
        .on_halt(|cx| {
            cx.notes.push("halted");
            if cx.panics_at_halt {
                panic!("at halt");
            }
        });
    Arc::new(n.sequence([n.succeed(), work]).build().unwrap())
}

fn five() -> (Herd<Trouble>, Vec<Trouble>) {
    let mut herd = Herd::new(tree());
    for _ in 0..5 {
        herd.spawn().unwrap();
    }
    (herd, (0..5).map(|_| Trouble::default()).collect())
}

fn tick(herd: &mut Herd<Trouble>, all: &mut [Trouble]) -> Vec<Result<Status, TickError>> {
    let mut results = Vec::new();
    herd.tick_all(Time::ZERO, |a| {
        let i = a.index();
        results.push(a.tick(&mut all[i]));
    });
    results
}

#[test]
fn a_failing_leaf_poisons_its_agent_and_no_other() {
    let (mut herd, mut all) = five();
    all[2].fails = true;
    let results = tick(&mut herd, &mut all);
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 4);
    assert!(matches!(&results[2], Err(TickError::Leaf { path, .. }) if path == "sequence/work"));
    let third = herd.at(2).unwrap();
    assert_eq!(herd.poisoned().collect::<Vec<_>>(), [third]);
    // It gets no turns and cannot be ticked or halted, until it is recovered.
    assert_eq!(tick(&mut herd, &mut all).len(), 4);
    let refused = herd.tick(third, &mut all[2], Time::ZERO);
    assert!(matches!(refused, Err(HerdError::Tick(TickError::Poisoned))));
    let refused = herd.halt(third, &mut all[2], Time::ZERO);
    assert!(matches!(refused, Err(HerdError::Tick(TickError::Poisoned))));
    all[2].fails = false;
    herd.recover(third, &mut all[2], Time::ZERO).unwrap();
    assert_eq!(all[2].notes, ["works", "halted"]);
    assert_eq!(tick(&mut herd, &mut all).len(), 5);
}

#[test]
fn a_panic_goes_to_the_caller_and_leaves_the_herd_whole() {
    let (mut herd, mut all) = five();
    all[2].panics = true;
    let panic = catch_unwind(AssertUnwindSafe(|| tick(&mut herd, &mut all)));
    assert!(panic.is_err());
    let third = herd.at(2).unwrap();
    assert_eq!(herd.poisoned().collect::<Vec<_>>(), [third]);
    assert!(herd.is_running(herd.at(1).unwrap()).unwrap());
    // Those after it had no turn.
    assert!(all[3].notes.is_empty());
    assert_eq!(tick(&mut herd, &mut all).len(), 4);
    herd.despawn(third, &mut all[2], Time::ZERO).unwrap();
    assert_eq!(all[2].notes, ["works", "halted"]);
    assert_eq!((herd.len(), herd.poisoned().count()), (4, 0));
}

#[cfg(feature = "std")]
#[test]
fn a_panic_is_caught_if_that_is_asked_for() {
    let (mut herd, mut all) = five();
    herd.catch_panics(true);
    all[2].panics = true;
    let results = tick(&mut herd, &mut all);
    assert_eq!(results.len(), 5);
    match &results[2] {
        Err(TickError::Panicked { path, message }) => {
            assert_eq!(path.as_deref(), Some("sequence/work"));
            assert_eq!(message, "as asked");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(herd.poisoned().count(), 1);
    assert!(all[4].notes == ["works"]);
}

#[cfg(feature = "std")]
#[test]
fn a_running_leaf_that_panics_is_named_and_halted_once() {
    let (mut herd, mut all) = five();
    herd.catch_panics(true);
    tick(&mut herd, &mut all);
    all[2].panics = true;
    let path = match &tick(&mut herd, &mut all)[2] {
        Err(TickError::Panicked { path, .. }) => path.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(path.as_deref(), Some("sequence/work"));
    let third = herd.at(2).unwrap();
    assert_eq!(herd.poisoned().collect::<Vec<_>>(), [third]);
    herd.recover(third, &mut all[2], Time::ZERO).unwrap();
    assert_eq!(all[2].notes, ["works", "works", "halted"]);
}

#[test]
fn the_slot_is_freed_even_if_a_halt_hook_panics() {
    let (mut herd, mut all) = five();
    tick(&mut herd, &mut all);
    let third = herd.at(2).unwrap();
    all[2].panics_at_halt = true;
    let panic = catch_unwind(AssertUnwindSafe(|| {
        herd.despawn(third, &mut all[2], Time::ZERO)
    }));
    assert!(panic.is_err());
    assert_eq!(all[2].notes, ["works", "halted"]);
    assert!(!herd.contains(third));
    assert_eq!((herd.len(), herd.poisoned().count()), (4, 0));
    assert_eq!(herd.spawn().unwrap().index, 2);
    // In a tick as well.
    let fourth = herd.at(3).unwrap();
    all[3].panics_at_halt = true;
    let panic = catch_unwind(AssertUnwindSafe(|| {
        herd.tick_all(Time::ZERO, |a| {
            if a.index() == 3 {
                a.despawn(&mut all[3]);
            }
        })
    }));
    assert!(panic.is_err());
    assert!(!herd.contains(fourth));
    assert_eq!(herd.len(), 4);
}

#[test]
fn a_halt_hook_that_panics_poisons_and_recovery_does_not_call_it_again() {
    let (mut herd, mut all) = five();
    tick(&mut herd, &mut all);
    let third = herd.at(2).unwrap();
    all[2].panics_at_halt = true;
    let halted = catch_unwind(AssertUnwindSafe(|| {
        herd.halt(third, &mut all[2], Time::ZERO)
    }));
    assert!(halted.is_err());
    assert_eq!(herd.poisoned().collect::<Vec<_>>(), [third]);
    herd.recover(third, &mut all[2], Time::ZERO).unwrap();
    assert_eq!(all[2].notes, ["works", "halted"]);
    assert!(!herd.is_running(third).unwrap());
}

#[test]
fn a_clock_that_goes_back_gives_no_negative_time_and_a_jump_ahead_is_one_tick() {
    #[derive(Default)]
    struct Clock(Vec<Duration>);
    impl Context for Clock {
        type At<'a> = Clock;
    }
    let n = nodes::<Clock>();
    for events in [false, true] {
        let look = n.action("look", |cx| {
            let dt = cx.dt();
            cx.0.push(dt);
            Status::Running
        });
        let both = n.parallel([look, n.wait(Duration::from_secs(60))]);
        let tree = both.success(Threshold::Count(1)).build().unwrap();
        let mut herd = Herd::new(Arc::new(tree));
        herd.spawn().unwrap();
        let mut clock = Clock::default();
        let mut answers = Vec::new();
        for secs in [10, 5, 6, 69, 3669, 3670] {
            let now = Time::from_millis(secs * 1000);
            let f = |a: tickseed_core::Ticker<'_, '_, Clock>| {
                answers.push(a.tick(&mut clock).unwrap());
            };
            if events {
                herd.tick_due(now, f);
            } else {
                herd.tick_all(now, f);
            }
        }
        let secs: Vec<_> = clock.0.iter().map(Duration::as_secs).collect();
        assert_eq!(secs, [0, 0, 1, 63, 3600, 1]);
        use Status::{Running, Success};
        // The wait began at 10 and ends at 70; the jump of an hour is one tick.
        assert_eq!(
            answers,
            [Running, Running, Running, Running, Success, Running]
        );
    }
}

#[test]
fn an_agent_of_another_tree_is_not_taken_for_one_of_the_herd() {
    let (herd, _) = five();
    let other = tree();
    let mut agent = other.agent();
    assert!(matches!(
        herd.tree()
            .tick(&mut agent, &mut Trouble::default(), Time::ZERO),
        Err(TickError::WrongTree)
    ));
}

/// One outcome each for the ends of a herd: room for nobody, a slot's last tenant, an hour.
#[test]
fn a_herd_without_room_refuses_and_one_without_agents_does_nothing() {
    use tickseed_core::HerdOptions;
    let options = HerdOptions {
        fixed: true,
        ..HerdOptions::default()
    };
    let mut herd = Herd::with(tree(), options);
    assert!(matches!(herd.spawn(), Err(HerdError::Full { capacity: 0 })));
    assert_eq!((herd.slots(), herd.len()), (0, 0));
    assert_eq!(herd.tick_all(Time::ZERO, |_| panic!("nobody")).ticked, 0);
    assert_eq!(herd.tick_due(Time::ZERO, |_| panic!("nobody")).ticked, 0);
    assert_eq!(
        (herd.next_due(), herd.asleep(), herd.at(0)),
        (None, 0, None)
    );
    let loaded = Herd::load(herd.tree().clone(), &herd.save().unwrap()).unwrap();
    let (mut again, _) =
        Herd::from_snapshot(herd.tree().clone(), &herd.snapshot().unwrap(), Time::ZERO).unwrap();
    assert_eq!(loaded.len(), 0);
    assert!(matches!(
        again.spawn(),
        Err(HerdError::Full { capacity: 0 })
    ));
}

#[test]
fn a_slot_that_has_had_four_billion_tenants_is_not_used_again() {
    let mut herd = Herd::new(tree());
    herd.spawn().unwrap();
    // As if it had been despawned and spawned all that often.
    let mut old = herd.snapshot().unwrap();
    old.generations[0] = u32::MAX;
    let (mut herd, _) = Herd::from_snapshot(tree(), &old, Time::ZERO).unwrap();
    let last = herd.handle(0, u32::MAX).unwrap();
    herd.despawn(last, &mut Trouble::default(), Time::ZERO)
        .unwrap();
    assert!(!herd.contains(last));
    let next = herd.spawn().unwrap();
    assert_eq!((next.index, next.generation), (1, 0));
    // Also not after saving.
    let mut loaded = Herd::load(herd.tree().clone(), &herd.save().unwrap()).unwrap();
    let (mut again, _) =
        Herd::from_snapshot(tree(), &herd.snapshot().unwrap(), Time::ZERO).unwrap();
    assert_eq!(loaded.spawn().unwrap().index, 2);
    assert_eq!(again.spawn().unwrap().index, 2);
}

#[test]
fn a_clock_that_jumps_or_runs_back_ends_no_sleep_too_late() {
    let n = nodes::<Trouble>();
    let rest = n.sequence([n.wait(Duration::from_secs(10)), n.run_forever()]);
    let mut herd = Herd::new(Arc::new(rest.build().unwrap()));
    let agent = herd.spawn().unwrap();
    let hour = 3_600_000;
    let mut at = |ms: u64| {
        let mut ticked = 0;
        herd.tick_due(Time::from_millis(ms), |a| {
            ticked += 1;
            a.tick(&mut Trouble::default()).unwrap();
        });
        let leaf = herd.running(agent).unwrap();
        let waits = herd.tree().node(leaf[0]).kind.name() == "wait";
        (ticked, waits)
    };
    assert_eq!(at(hour), (1, true));
    assert_eq!(at(hour + 50), (0, true));
    assert_eq!(at(hour + 60), (0, true));
    // Back: looked at again, and waits as long as its deadline says.
    assert_eq!(at(0), (1, true));
    assert_eq!(at(60), (0, true));
    assert_eq!(at(hour + 9_000), (0, true));
    // An hour ahead: one tick.
    assert_eq!(at(2 * hour), (1, false));
}

/// A node of a user who means well.
struct Calm;

impl CustomNode<Trouble> for Calm {
    type State = ();
    type Memory = ();
    fn name(&self) -> &'static str {
        "calm"
    }
    fn tick(
        &self,
        branches: &mut Branches<'_, Trouble>,
        (): &mut (),
        (): &mut (),
    ) -> Result<Status, Stop> {
        let tick = AssertUnwindSafe(|| branches.tick(0));
        catch_unwind(tick).unwrap_or(Ok(Status::Failure))
    }
}

/// Found in review: the panic's traces stayed with the herd, and the next agent that failed was
/// taken to have run what the first one did.
#[test]
fn a_panic_that_a_custom_node_catches_poisons_its_own_agent_and_no_other() {
    let n = nodes::<Trouble>();
    let work = |name| {
        n.action(name, move |cx| {
            cx.notes.push(name);
            if cx.panics {
                panic!("as asked");
            }
            if cx.fails {
                return Err(LeafError::new("as asked"));
            }
            Ok(Status::Failure)
        })
        .on_halt(|cx| cx.notes.push("halted"))
    };
    let calm = n.custom(Calm, [work("first")]);
    let tree = Arc::new(n.selector([calm, work("second")]).build().unwrap());
    let mut herd = Herd::new(tree.clone());
    let handles = [herd.spawn().unwrap(), herd.spawn().unwrap()];
    let mut all = [Trouble::default(), Trouble::default()];
    all[0].panics = true;
    all[1].fails = true;
    let results = tick(&mut herd, &mut all);
    for result in &results {
        assert!(matches!(result, Err(TickError::Leaf { .. })), "{result:?}");
    }
    assert!(
        results[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("a child panicked")
    );
    assert_eq!(herd.poisoned().collect::<Vec<_>>(), handles);
    for (handle, trouble) in handles.into_iter().zip(&mut all) {
        herd.recover(handle, trouble, Time::ZERO).unwrap();
        assert_eq!(trouble.notes, ["first", "halted"]);
        (trouble.panics, trouble.fails) = (false, false);
        trouble.notes.clear();
    }
    assert_eq!(tick(&mut herd, &mut all).len(), 2);
    assert_eq!(all[0].notes, ["first", "second"]);
    // So does a lone agent.
    let (mut agent, mut trouble) = (tree.agent(), Trouble::default());
    trouble.panics = true;
    let failed = tree.tick(&mut agent, &mut trouble, Time::ZERO);
    assert!(matches!(failed, Err(TickError::Leaf { .. })));
    tree.recover(&mut agent, &mut trouble, Time::ZERO).unwrap();
    assert_eq!(trouble.notes, ["first", "halted"]);
}
