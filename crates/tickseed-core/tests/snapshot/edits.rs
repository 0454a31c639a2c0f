//! Trees that are edited while agents run: what goes on, and what the report says.

use std::time::Duration;

use tickseed_core::nodes::Threshold;
use tickseed_core::{Agent, Change, Context, Node, Status, Time, Tree, nodes};

#[derive(Default)]
struct Log(Vec<&'static str>);
impl Context for Log {
    type At<'a> = Log;
}

fn work(name: &'static str) -> Node<Log> {
    nodes::<Log>()
        .action(name, move |cx| {
            cx.0.push(name);
            Status::Running
        })
        .on_halt(move |cx| cx.0.push("halted"))
}

fn started(tree: Node<Log>, log: &mut Log) -> (Tree<Log>, Agent) {
    let tree = tree.build().unwrap();
    let mut agent = tree.agent();
    tree.tick(&mut agent, log, Time::ZERO).unwrap();
    log.0.clear();
    (tree, agent)
}

const SEC: u64 = 1_000_000_000;

#[test]
fn a_running_leaf_goes_on_though_its_siblings_change() {
    let (n, mut log) = (nodes::<Log>(), Log::default());
    let (old, mut agent) = started(
        n.selector([n.fail(), work("dig"), work("rest")]).reactive(),
        &mut log,
    );
    let new = n
        .selector([n.fail(), n.fail(), n.constant(Status::Skipped), work("dig")])
        .reactive()
        .build()
        .unwrap();
    let report = new.migrate(&old, &mut agent, &mut log, Time(1)).unwrap();
    assert!(report.is_clean(), "{report}");
    assert!(log.0.is_empty());
    assert_eq!(new.running(&agent).len(), 1);
    new.halt(&mut agent, &mut log, Time(2)).unwrap();
    assert_eq!(log.0, ["halted"]);
}

#[test]
fn a_leaf_that_is_gone_is_halted_once_and_the_tree_starts_again() {
    let (n, mut log) = (nodes::<Log>(), Log::default());
    let (old, mut agent) = started(n.sequence([n.succeed(), work("dig")]), &mut log);
    let new = n.sequence([n.succeed(), work("swim")]).build().unwrap();
    let report = new.migrate(&old, &mut agent, &mut log, Time(1)).unwrap();
    assert_eq!(
        report.changes,
        [("sequence/dig".to_string(), Change::Restarted)]
    );
    assert!(
        report
            .to_string()
            .contains("sequence/dig ran and cannot go on")
    );
    assert_eq!(log.0, ["halted"]);
    assert!(!new.is_running(&agent));
    // The old tree does not know it any more.
    assert!(old.tick(&mut agent, &mut log, Time(2)).is_err());
}

#[test]
fn a_named_node_is_found_where_it_was_moved() {
    let (n, mut log) = (nodes::<Log>(), Log::default());
    let (old, mut agent) = started(n.sequence([n.succeed(), work("dig")]), &mut log);
    // It stands below a time limit now: that counts from the change.
    let limited = n.time_limit(Duration::from_secs(5), work("dig"));
    let new = n.sequence([n.succeed(), limited]).build().unwrap();
    let at = Time(100 * SEC);
    let report = new.migrate(&old, &mut agent, &mut log, at).unwrap();
    let to = "sequence/time limit/dig".to_string();
    assert_eq!(
        report.changes,
        [("sequence/dig".to_string(), Change::Moved { to })]
    );
    let mut tick = |s| new.tick(&mut agent, &mut log, Time(s * SEC)).unwrap();
    assert_eq!((tick(104), tick(105)), (Status::Running, Status::Failure));
}

#[test]
fn history_is_carried_over_and_what_is_gone_is_told() {
    let (n, mut log) = (nodes::<Log>(), Log::default());
    let cooldown = |name, secs| {
        n.cooldown(Duration::from_secs(secs), n.succeed())
            .named(name)
    };
    let (old, mut agent) = started(
        n.sequence([
            cooldown("heal", 9),
            cooldown("gone", 9),
            n.run_once(n.succeed()).named("greet"),
        ]),
        &mut log,
    );
    let new = n
        .sequence([n.run_once(n.fail()).named("greet"), cooldown("heal", 1)])
        .build()
        .unwrap();
    let report = new.migrate(&old, &mut agent, &mut log, Time(SEC)).unwrap();
    assert_eq!(
        report.changes,
        [("sequence/gone".to_string(), Change::Dropped)]
    );
    // Greeted before, so it does not fail; closed until nine seconds, as was decided then.
    let mut tick = |s| new.tick(&mut agent, &mut log, Time(s * SEC)).unwrap();
    assert_eq!((tick(8), tick(9)), (Status::Failure, Status::Success));
}

#[test]
fn children_of_a_parallel_go_on_each_for_itself() {
    let (n, mut log) = (nodes::<Log>(), Log::default());
    let done = || n.succeed().named("done");
    let (old, mut agent) = started(n.parallel([work("dig"), done(), work("sing")]), &mut log);
    let new = n
        .parallel([work("sing"), work("dance"), n.fail().named("done")])
        .failure(Threshold::All)
        .build()
        .unwrap();
    let report = new.migrate(&old, &mut agent, &mut log, Time(1)).unwrap();
    assert_eq!(
        report.changes,
        [("parallel/dig".to_string(), Change::Restarted)]
    );
    assert_eq!(log.0, ["halted"]);
    log.0.clear();
    // `done` had succeeded and is not asked again; `sing` goes on, `dance` begins.
    assert_eq!(
        new.tick(&mut agent, &mut log, Time(2)).unwrap(),
        Status::Running
    );
    assert_eq!(log.0, ["sing", "dance"]);
    assert_eq!(new.running(&agent).len(), 2);
}

#[test]
fn a_sequence_made_reactive_keeps_its_running_child() {
    let (n, mut log) = (nodes::<Log>(), Log::default());
    let steps = || n.sequence([n.succeed(), work("dig")]).named("job");
    let (old, mut agent) = started(steps(), &mut log);
    let new = steps().reactive().build().unwrap();
    let report = new.migrate(&old, &mut agent, &mut log, Time(1)).unwrap();
    assert!(report.is_clean(), "{report}");
    assert!(new.is_running(&agent) && log.0.is_empty());
}
