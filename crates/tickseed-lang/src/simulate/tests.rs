use tickseed_core::{Status, Time};

use super::plan::Behaviour;
use super::*;
use crate::build::{self, Options, from_loaded};
use crate::load::{Memory, load};

fn tree(name: &str, text: &str, plan: &Plan) -> build::Loaded<Sim> {
    let mut files = Memory::default();
    files.add(name, text);
    let loaded = load(name, &files);
    let registry = registry(&loaded.documents, plan);
    from_loaded(loaded, &registry, &Options::default()).unwrap_or_else(|failed| panic!("{failed}"))
}

/// The answers of ticks 100 ms apart, as letters.
#[track_caller]
fn run(name: &str, text: &str, rules: &[&str], ticks: u64, expected: &str) {
    let mut plan = Plan::default();
    for rule in rules {
        plan.add(rule).unwrap();
    }
    let tree = tree(name, text, &plan);
    let (mut agent, mut sim) = (tree.tree.agent(), Sim::new(tree.board()));
    let letters: String = (0..ticks)
        .map(|i| {
            match tree
                .tree
                .tick(&mut agent, &mut sim, Time::from_millis(i * 100))
            {
                Ok(Status::Success) => 'S',
                Ok(Status::Failure) => 'F',
                Ok(Status::Running) => 'R',
                Ok(Status::Skipped) => 'K',
                Err(_) => 'X',
            }
        })
        .collect();
    assert_eq!(letters, expected);
}

#[test]
fn behaviours_do_as_they_say() {
    let leaf = |behaviour: &str, expected: &str| {
        run(
            "a.tick",
            "tree A { Go }",
            &[&format!("Go={behaviour}")],
            expected.len() as u64,
            expected,
        );
    };
    leaf("success", "SS");
    leaf("failure after 200ms", "RRFRRF");
    leaf("success after 2 ticks", "RRSRRS");
    leaf("running 2 ticks then failure", "RRFRRF");
    leaf("running for 300ms then success", "RRRS");
    leaf("running", "RRRRRR");
    leaf("skipped", "K");
    leaf("error", "X");
    leaf("failure, success after 1 tick", "FRSRSRS");
    leaf("failure, success, ...", "FSFSFS");
    leaf("success 0%", "FFFF");
    leaf("success 100% after 1 tick", "RSRS");
    leaf("success 0% else skipped", "KK");
}

#[test]
fn the_first_rule_that_fits_a_kind_a_name_or_a_path_counts() {
    let text = "tree A { sequence \"s\" { Go; Go \"slow\"; Stay } }";
    run("a.tick", text, &["slow=failure", "Go=success"], 1, "F");
    run("a.tick", text, &["G?=success", "*=failure"], 1, "F");
    run("a.tick", text, &["s/*=failure", "*=success"], 1, "F");
    run("a.tick", text, &["Go=success", "Stay=success"], 1, "S");
}

#[test]
fn conditions_hold_and_all_else_takes_three_ticks_by_default() {
    run("a.tick", "condition Ready\ntree A { Ready }", &[], 2, "SS");
    run("a.tick", "tree A { Go }", &[], 5, "RRRSR");
}

#[test]
fn draws_depend_on_the_seed_alone() {
    let mut plan = Plan::default();
    plan.add("Go = success 50% after 0s..1s").unwrap();
    let tree = tree("a.tick", "tree A { Go }", &plan);
    let answers = |seed| -> Vec<Status> {
        let (mut agent, mut sim) = (tree.tree.agent_seeded(seed), Sim::new(tree.board()));
        let tick = |i: u64| {
            tree.tree
                .tick(&mut agent, &mut sim, Time::from_millis(i * 10))
                .unwrap()
        };
        (0..500).map(tick).collect()
    };
    assert_eq!(answers(1), answers(1));
    assert_ne!(answers(1), answers(2));
    assert!(answers(1).contains(&Status::Success) && answers(1).contains(&Status::Failure));
}

#[test]
fn unknown_decorators_and_controls_let_their_children_run() {
    let text = "<root BTCPP_format='4'><BehaviorTree ID='A'><Pipe a='1'><Wrap b='{x}'><Go/></Wrap><Stay to='{x}'/></Pipe></BehaviorTree></root>";
    run("a.xml", text, &["Go=success", "Stay=failure"], 1, "F");
    run(
        "a.tick",
        "keys { x = 1 }\ntree A { Go(1, x, to: 2) }",
        &["Go=success"],
        1,
        "S",
    );
}

#[test]
fn mistakes_in_plans_say_what_was_expected() {
    let says = |text: &str, part: &str| {
        let message = Behaviour::parse(text).expect_err(text).to_string();
        assert!(message.contains(part), "{message}");
    };
    says("sucess", "did you mean `success`?");
    says("", "found its end");
    says("success after", "how long");
    says("success after 3", "`ticks`");
    says("success after 2m", "`2s`");
    says("success after 3s..1s", "`1s..3s`");
    says("success 101%", "0% to 100%");
    says("success later", "`after`");
    says("running 3 ticks", "`then`");
    says("success,", "found its end");
    let mut plan = Plan::default();
    assert!(plan.add("Go").unwrap_err().message.contains("PATTERN"));
    assert!(
        plan.add("=success")
            .unwrap_err()
            .message
            .contains("no pattern")
    );
    let error = plan
        .read("# all\nGo = success # now\n\ndefault = often\n")
        .unwrap_err();
    assert_eq!(error.line, Some(4));
    plan.read("default = failure after 1s").unwrap();
    assert_eq!(plan.unused(&[["Gone", "x", "A/x"]]), ["Go"]);
}

#[test]
fn keys_keep_their_values_when_a_tree_is_edited() {
    let plan = Plan::default();
    let before = tree(
        "a.tick",
        "keys { a = 1; b = 2; c = 3 }\ntree A { set { a = 10; b = 20; c = 30 } }",
        &plan,
    );
    let after = tree(
        "a.tick",
        "keys { c: float = 0.0; a = 1; d = 4 }\ntree A { set a = 0 }",
        &plan,
    );
    let mut sim = Sim::new(before.board());
    before
        .tree
        .tick(&mut before.tree.agent(), &mut sim, Time::ZERO)
        .unwrap();
    sim.take_over(after.board());
    let value = |name| sim.board.by_name("", name);
    use crate::expr::Datum;
    assert_eq!(value("a"), Some(Datum::Int(10)));
    assert_eq!(value("c"), Some(Datum::Float(0.0)));
    assert_eq!(value("d"), Some(Datum::Int(4)));
}
