//! U: leaves that others stand in for.

use crate::world::{World, xml};
use tickseed_core::{Status, TickReport, Time};
use tickseed_lang::board::HasBoard;
use tickseed_lang::build::{self, Loaded, Options};
use tickseed_lang::load::{Memory, load_text};
use tickseed_lang::simulate::{Plan, Sim, registry};

const TREE: &str = "main tree Main { sequence { Act \"reach\"; Act \"grip\" } }";

fn simulated(text: &str, plan: &str) -> Loaded<Sim> {
    let files = load_text(crate::world::name_of(text), text, &Memory::default());
    let mut rules = Plan::default();
    rules.read(plan).unwrap();
    let registry = registry(&files.documents, &rules);
    build::from_loaded(files, &registry, &Options::default()).unwrap()
}

/// The nodes of a tick and what they answered, and how many ticks it took to the end.
fn run<C: for<'a> HasBoard<At<'a> = C>>(loaded: &Loaded<C>, context: &mut C) -> (Vec<String>, u64) {
    let mut agent = loaded.tree.agent();
    let mut report = TickReport::new();
    for tick in 1..=50 {
        report.clear();
        let now = Time::from_millis(tick * 100);
        let status = loaded
            .tree
            .tick_traced(&mut agent, context, now, &mut report);
        if status.unwrap() != Status::Running {
            let entries = report.entries().iter();
            let lines = entries.map(|e| format!("{} {:?}", loaded.tree.path(e.node), e.status));
            return (lines.collect(), tick);
        }
    }
    panic!("it never ends");
}

/// A stand-in without settings succeeds at once, one with a delay of nothing as well; the trace is
/// that of the real leaves, whose tree goes on as it was.
#[test]
fn u06_doubles_of_leaves() {
    let world = World::new();
    let real = world.build(TREE).loaded;
    let expected = run(&real, &mut real.board());
    assert_eq!(expected.1, 1);
    for plan in [
        "default = success",
        "Act = success",
        "re* = success\ngrip = success",
        "* = success after 0s",
        "* = success after 0 ticks",
    ] {
        let double = simulated(TREE, plan);
        let traced = run(&double, &mut Sim::new(double.board()));
        assert_eq!(traced, expected, "{plan}");
    }
    // A pattern reaches what it names and nothing else; answers may be a script.
    let late = simulated(TREE, "default = success\ngr*p = failure after 300ms");
    let (lines, ticks) = run(&late, &mut Sim::new(late.board()));
    assert_eq!(ticks, 4);
    assert!(
        lines.last().unwrap().ends_with("grip Some(Failure)"),
        "{lines:?}"
    );
    assert_eq!(run(&real, &mut real.board()), expected);
    assert_eq!(world.log().len(), 4);
    // The same in XML.
    let text = xml(&[("Main", "<Sequence><Reach/><Grip/></Sequence>")]);
    let double = simulated(&text, "default = success");
    assert_eq!(run(&double, &mut Sim::new(double.board())).1, 1);
}
