//! The robot's tree at tick 130, 6.50 s: `recharge` decides, the tree answers running.
//!
//! A moment that the studio recorded. The tree is the real one; its leaves are stand-ins that answer
//! as the leaves did, and the keys have the values that they had.

use tickseed::lang::build::{Options, from_loaded};
use tickseed::lang::load::{Memory, load_text};
use tickseed::lang::simulate::{Plan, Sim, registry};
use tickseed::{Status, TickReport, Time};

const TREE: &str = r#"
//! What a robot does. Nothing about interrupting is written down here: every tick
//! sweeps from the root and asks every condition on the way again.

keys {
  battery_low: bool = false
  target_visible: bool = false
}

/// Drives to the target; succeeds there.
action approach
/// Drives round its loop; runs until it is halted.
action patrol
/// Drives to the charger and fills the battery; runs until it is halted.
action recharge

main tree Robot {
  selector reactive {
    sequence reactive {
      check "battery low" battery_low
      recharge
    }
    sequence reactive {
      check "target visible" target_visible
      approach
    }
    patrol
  }
}
"#;

/// What each leaf answers: one answer for each time it begins, then the last again and again.
const LEAVES: &str = r#"
selector/sequence/recharge = running
selector/sequence#2/approach = running
selector/patrol = running
"#;

/// What the keys are before a tick, from then on.
const KEYS: &str = r#"
1: battery_low = false, target_visible = false
61: target_visible = true
101: battery_low = true
"#;

/// The leaf that decides.
const DECIDES: &str = r#"selector/sequence/recharge"#;

#[test]
fn robot_tick_130() {
    let mut plan = Plan::default();
    for rule in LEAVES.lines().skip(1) {
        plan.add(rule).expect("a rule");
    }
    let files = load_text("robot.tick", TREE, &Memory::default());
    let leaves = registry(&files.documents, &plan);
    let loaded = from_loaded(files, &leaves, &Options::default()).expect("no mistakes");
    let tree = &loaded.tree;
    let mut agent = tree.agent_seeded(7);
    let mut sim = Sim::new(loaded.board());
    let mut report = TickReport::new();
    let split = |line: &'static str| line.split_once(": ");
    let mut keys = KEYS.lines().filter_map(split);
    let mut next = keys.next();
    let mut answer = None;
    for tick in 1..=130 {
        if let Some((_, changes)) = next.filter(|(at, _)| at.parse() == Ok(tick)) {
            for (key, value) in changes.split(", ").filter_map(|c| c.split_once(" = ")) {
                let slot = loaded.layout.find("", key).expect("a key");
                let ty = &loaded.layout.slot(slot).expect("a key").ty;
                let value = loaded.value(ty, value).expect("a value of the key");
                assert!(sim.board.set(slot, value), "{key}");
            }
            next = keys.next();
        }
        let now = Time::from_nanos(50_000_000 + (tick - 1) * 50_000_000);
        report.clear();
        answer = Some(tree.tick_traced(&mut agent, &mut sim, now, &mut report));
    }
    let answer = answer.transpose().expect("no leaf fails with an error");
    assert_eq!(answer, Some(Status::Running));
    let leaf = report.deciding_leaf();
    let leaf = leaf.and_then(|leaf| loaded.instance_of(leaf));
    let leaf = leaf.map(|leaf| loaded.path(leaf));
    assert_eq!(leaf.as_deref(), Some(DECIDES));
}
