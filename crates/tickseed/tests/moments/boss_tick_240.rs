//! The boss's tree at tick 240, 12.00 s: `idle` decides, the tree answers running.
//!
//! A moment that the studio recorded. The tree is the real one; its leaves are stand-ins that answer
//! as the leaves did, and the keys have the values that they had.

use tickseed::lang::build::{Options, from_loaded};
use tickseed::lang::load::{Memory, load_text};
use tickseed::lang::simulate::{Plan, Sim, registry};
use tickseed::{Status, TickReport, Time};

const TREE: &str = r#"
//! A boss: enrage below a fifth of its health, at most once in 30 s; else
//! wind up and strike.

keys {
  has_target: bool = false
  weak: bool = false
}

/// Falls into a rage for so long: blows deal double damage.
action enrage(in lasts: duration = "8s")
/// Waits for a party; runs until it is halted.
action idle
/// Strikes the party; fails if it has fled.
action strike

main tree Boss {
  selector "root" reactive {
    sequence "enrage" {
      check "hp<20%" weak
      cooldown "enrage-cd" 30s { enrage "cast-enrage" }
    }
    sequence "attack" {
      check "has-target" has_target
      wait "wind-up" 500ms
      strike
    }
    idle
  }
}
"#;

/// What each leaf answers: one answer for each time it begins, then the last again and again.
const LEAVES: &str = r#"
root/attack/strike = success
root/idle = running
"#;

/// What the keys are before a tick, from then on.
const KEYS: &str = r#"
1: has_target = false, weak = false
8: has_target = true
96: has_target = false
"#;

/// The leaf that decides.
const DECIDES: &str = r#"root/idle"#;

#[test]
fn boss_tick_240() {
    let mut plan = Plan::default();
    for rule in LEAVES.lines().skip(1) {
        plan.add(rule).expect("a rule");
    }
    let files = load_text("boss.tick", TREE, &Memory::default());
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
    for tick in 1..=240 {
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
