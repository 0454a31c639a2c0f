//! Edited trees under a running herd, and herds as plain data.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tickseed_core::{
    BoxedLeaf, Cadence, Change, Context, Cx, Herd, HerdOptions, LeafError, Node, Status, Time,
    Tree, nodes,
};
use tickseed_testkit::random::Spec;
use tickseed_testkit::script::World;

#[derive(Default)]
struct Log {
    notes: Vec<&'static str>,
    panics: bool,
    fails: bool,
}
impl Context for Log {
    type At<'a> = Log;
}

fn work(name: &'static str) -> Node<Log> {
    nodes::<Log>()
        .action(name, move |cx| {
            cx.notes.push(name);
            if cx.fails {
                return Err(LeafError::new("as asked"));
            }
            Ok(Status::Running)
        })
        .on_halt(move |cx| {
            cx.notes.push("halted");
            if cx.panics {
                panic!("in the hook of {name}");
            }
        })
}

fn built(node: Node<Log>) -> Arc<Tree<Log>> {
    Arc::new(node.build().unwrap())
}

fn ticked(tree: Arc<Tree<Log>>, agents: usize) -> (Herd<Log>, Vec<Log>) {
    let mut herd = Herd::new(tree);
    let mut logs: Vec<Log> = (0..agents).map(|_| Log::default()).collect();
    for _ in 0..agents {
        herd.spawn().unwrap();
    }
    tick(&mut herd, &mut logs, 0);
    logs.iter_mut().for_each(|log| log.notes.clear());
    (herd, logs)
}

fn tick(herd: &mut Herd<Log>, logs: &mut [Log], at: u64) {
    herd.tick_all(Time::from_millis(at), |a| {
        let i = a.index();
        let _ = a.tick(&mut logs[i]);
    });
}

#[test]
fn leaves_that_go_on_go_on_and_those_that_are_gone_are_halted_once() {
    let n = nodes::<Log>();
    let rest = n.wait(Duration::from_secs(1)).named("rest");
    let old = n.parallel([work("dig"), n.sequence([rest, work("sing")])]);
    let (mut herd, mut logs) = ticked(built(old), 3);
    let handles: Vec<_> = herd.handles().collect();
    herd.set_levels([Cadence::hertz(10.0), Cadence::hertz(1.0)])
        .unwrap();
    herd.set_level(handles[1], 1).unwrap();
    let levels = herd.snapshot().unwrap().levels;

    let rest = n.wait(Duration::from_secs(5)).named("rest");
    let new = n.parallel([work("swim"), n.sequence([n.succeed(), rest, work("sing")])]);
    let mut asked = Vec::new();
    let report = herd.reload(built(new), Time::from_millis(10), |a| {
        asked.push(a.index());
        assert!(!a.report().is_clean());
        let log = &mut logs[a.index()];
        a.halt(log);
    });
    assert_eq!(asked, [0, 1, 2]);
    assert_eq!((report.agents, report.halted), (3, 3));
    let restarted = ("parallel/dig".to_string(), Change::Restarted, 3);
    assert!(report.changes.contains(&restarted), "{report}");
    assert!(
        report
            .to_string()
            .starts_with("3 agents taken over, 3 of them halted")
    );
    assert!(logs.iter().all(|log| log.notes == ["halted"]));
    // Handles, levels and the wait that had begun are what they were.
    assert!(handles.iter().all(|h| herd.contains(*h)));
    assert_eq!(herd.snapshot().unwrap().levels, levels);
    assert_eq!(herd.snapshot().unwrap().agents[1].level.unwrap().0, 1);
    tick(&mut herd, &mut logs, 999);
    assert!(logs.iter().all(|log| log.notes == ["halted", "swim"]));
    tick(&mut herd, &mut logs, 1000);
    assert_eq!(logs[0].notes[2..], ["swim", "sing"]);
}

#[test]
fn an_agent_whose_context_is_not_given_is_said_to_be_unhalted() {
    let (mut herd, logs) = ticked(built(work("dig")), 2);
    let second = herd.at(1).unwrap();
    let mut logs = logs;
    let report = herd.reload(built(work("swim")), Time::ZERO, |a| {
        if a.index() == 0 {
            a.halt(&mut logs[0]);
        }
    });
    assert_eq!((report.halted, &report.unhalted[..]), (1, &[second][..]));
    assert!(report.to_string().contains("1 agents were not halted"));
    tick(&mut herd, &mut logs, 1);
    assert_eq!(logs[0].notes, ["halted", "swim"]);
    assert_eq!(logs[1].notes, ["swim"]);
}

#[cfg(feature = "std")]
#[test]
fn a_hook_that_panics_during_a_reload_keeps_no_other_from_running() {
    let n = nodes::<Log>();
    let both = n.parallel([work("dig"), work("sing")]);
    let (mut herd, mut logs) = ticked(built(both), 3);
    logs[1].panics = true;
    let second = herd.at(1).unwrap();
    let report = herd.reload(built(n.succeed()), Time::ZERO, |a| {
        let log = &mut logs[a.index()];
        a.halt(log);
    });
    assert!(logs.iter().all(|log| log.notes == ["halted", "halted"]));
    let said: Vec<_> = report
        .panics
        .iter()
        .map(|(h, text)| (*h, &text[..]))
        .collect();
    let expected = [
        (second, "in the hook of dig"),
        (second, "in the hook of sing"),
    ];
    assert_eq!(said, expected);
    assert!(herd.poisoned().next().is_none() && herd.len() == 3);
    tick(&mut herd, &mut logs, 1);
}

#[test]
fn a_panic_of_the_caller_leaves_the_herd_with_its_tree() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let old = built(work("dig"));
    let (mut herd, mut logs) = ticked(old.clone(), 3);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        herd.reload(built(work("swim")), Time::ZERO, |a| {
            assert!(a.index() < 1, "no context");
            a.halt(&mut logs[0]);
        })
    }));
    assert!(panic.is_err() && Arc::ptr_eq(herd.tree(), &old));
    tick(&mut herd, &mut logs, 1);
    // The first was halted, and has started again; the others run on.
    assert_eq!(logs[0].notes, ["halted", "dig"]);
    assert_eq!(logs[1].notes, ["dig"]);
}

#[test]
fn poisoned_agents_are_recovered_by_a_reload() {
    let (mut herd, mut logs) = ticked(built(work("dig")), 3);
    logs[1].fails = true;
    tick(&mut herd, &mut logs, 1);
    assert_eq!(herd.poisoned().count(), 1);
    logs[1].fails = false;
    let report = herd.reload(built(work("dig").named("dig on")), Time::ZERO, |a| {
        let log = &mut logs[a.index()];
        a.halt(log);
    });
    assert_eq!(report.halted, 3);
    assert_eq!(logs[1].notes, ["dig", "halted"]);
    assert_eq!(herd.poisoned().count(), 0);
    tick(&mut herd, &mut logs, 2);
    assert_eq!(logs[1].notes, ["dig", "halted", "dig"]);
}

/// A leaf that holds a list: no plain data.
struct Collect;
impl BoxedLeaf<Log> for Collect {
    type State = Vec<u8>;
    fn start(&self, cx: &mut Cx<'_, '_, Log>) -> Result<(Vec<u8>, Status), LeafError> {
        cx.notes.push("starts");
        Ok((vec![1], Status::Running))
    }
    fn tick(&self, list: &mut Vec<u8>, cx: &mut Cx<'_, '_, Log>) -> Result<Status, LeafError> {
        list.push(1);
        if list.len() == 3 {
            cx.notes.push("three");
        }
        Ok(Status::Running)
    }
}

/// What is saved of a boxed state: nothing, and the report says so; a reload keeps it.
#[test]
fn boxed_states_are_kept_by_a_reload_and_start_again_after_loading() {
    let n = nodes::<Log>();
    let tree = |more: usize| {
        let leaf = n.boxed_leaf("collect", Collect);
        built(n.sequence((0..more).map(|_| n.succeed()).chain([leaf])))
    };
    let (mut herd, mut logs) = ticked(tree(0), 1);
    let saved = herd.snapshot().unwrap();
    let bytes = herd.save().unwrap();
    tick(&mut herd, &mut logs, 1);
    let report = herd.reload(tree(2), Time::ZERO, |_| panic!("nothing is lost"));
    assert!(report.is_clean(), "{report}");
    tick(&mut herd, &mut logs, 2);
    assert_eq!(logs[0].notes, ["three"]);

    logs[0].notes.clear();
    let (mut loaded, report) = Herd::from_snapshot(tree(0), &saved, Time::ZERO).unwrap();
    let lost = [("sequence/collect".to_string(), Change::Boxed, 1)];
    assert_eq!(report.changes, lost);
    for step in 1..4 {
        tick(&mut loaded, &mut logs, step);
    }
    assert_eq!(logs[0].notes, ["starts", "three"]);
    logs[0].notes.clear();
    let mut loaded = Herd::load(tree(0), &bytes).unwrap();
    tick(&mut loaded, &mut logs, 1);
    assert_eq!(logs[0].notes, ["starts"]);
}

#[test]
fn levels_of_detail_are_saved() {
    let tree = built(nodes::<Log>().run_forever());
    let mut herd = Herd::new(tree.clone());
    let all: Vec<_> = (0..4).map(|_| herd.spawn().unwrap()).collect();
    herd.set_levels([Cadence::hertz(10.0), Cadence::hertz(1.0)])
        .unwrap();
    herd.set_level(all[3], 1).unwrap();
    let turns = |herd: &mut Herd<Log>, at: u64| {
        let mut ticked = Vec::new();
        herd.tick_levels(Time::from_millis(at), |a| {
            ticked.push(a.index());
            let _ = a.tick(&mut Log::default());
        });
        ticked
    };
    assert_eq!(turns(&mut herd, 0), [0, 1, 2, 3]);
    let mut loaded = Herd::load(tree.clone(), &herd.save().unwrap()).unwrap();
    let snapshot = herd.snapshot().unwrap();
    let (mut again, _) = Herd::from_snapshot(tree, &snapshot, Time::ZERO).unwrap();
    for herd in [&mut herd, &mut loaded, &mut again] {
        assert_eq!(turns(herd, 50), [0usize; 0]);
        assert_eq!(turns(herd, 100), [0, 1, 2]);
        assert_eq!(turns(herd, 1000), [0, 1, 2, 3]);
    }
}

/// Random trees: a herd that is taken apart into plain data and put together again before
/// every step does what one does that is left alone.
#[test]
fn a_herd_of_plain_data_goes_on_as_if_nothing_had_happened() {
    let mut compared = BTreeMap::new();
    for seed in 0..150 {
        let spec = Spec::random_sleepy(seed, 1 + seed as usize % 5);
        let Ok(tree) = spec.build_lenient() else {
            continue;
        };
        let tree = Arc::new(tree);
        let options = HerdOptions {
            streams: true,
            seed,
            ..HerdOptions::default()
        };
        let mut a = Herd::with(tree.clone(), options);
        for i in 0..20 {
            a.spawn_seeded(seed + i).unwrap();
        }
        let worlds = || (0..20).map(|i| World::seeded(seed + i)).collect::<Vec<_>>();
        let (mut x, mut y) = (worlds(), worlds());
        let first = a.snapshot().unwrap();
        let mut b = Herd::from_snapshot(tree.clone(), &first, Time::ZERO)
            .unwrap()
            .0;
        for step in 0..10u64 {
            let now = Time(step * 3_000_000);
            a.tick_due(now, |t| {
                let i = t.index();
                let _ = t.tick(&mut x[i]);
            });
            b.tick_due(now, |t| {
                let i = t.index();
                let _ = t.tick(&mut y[i]);
            });
            for (x, y) in x.iter().zip(&y) {
                assert_eq!(x.events(), y.events(), "{seed}\n{spec:?}");
            }
            if a.poisoned().next().is_some() {
                break;
            }
            let saved = b.snapshot().unwrap();
            let (again, report) = Herd::from_snapshot(tree.clone(), &saved, now).unwrap();
            let lost = |c: &Change| *c != Change::Boxed;
            assert!(!report.changes.iter().any(|c| lost(&c.1)), "{report}");
            if !report.is_clean() {
                break; // boxed states start again
            }
            assert_eq!(again.snapshot().unwrap(), saved, "{seed}\n{spec:?}");
            b = again;
            *compared.entry(step).or_insert(0) += 1;
        }
    }
    assert!(compared[&9] > 50, "{compared:?}");
}
