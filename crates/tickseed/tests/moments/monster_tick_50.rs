//! The monster's tree at tick 50, 2.50 s: `idle` decides, the tree answers running.
//!
//! A moment that the studio recorded. The tree is the real one; its leaves are stand-ins that answer
//! as the leaves did, and the keys have the values that they had.

use tickseed::lang::build::{Options, from_loaded};
use tickseed::lang::load::{Memory, load_text};
use tickseed::lang::simulate::{Plan, Sim, registry};
use tickseed::{Status, TickReport, Time};

const TREE: &str = r#"
//! Monsters that die, idle, walk and attack. Distances are in metres.

/// Swings for so long, then deals so much damage if the hero is still there.
action attack(in damage: float = 9, in swing: duration = "400ms")
/// Dies when there is no health left, and rises at its lair; else fails.
action die
/// Idles while there is nobody to fight, and while it recovers with the hero in reach; else fails.
action idle(in reach: float = 2)
/// Walks until the hero is in reach, then fails; looks for a new path when the hero is further than `repath` from where the path leads.
action walk(in repath: float = 2, in reach: float = 2)

main tree Monster {
  selector reactive {
    die
    idle(reach: 2)
    walk(repath: 2, reach: 2)
    attack(damage: 9, swing: 400ms)
  }
}
"#;

/// What each leaf answers: one answer for each time it begins, then the last again and again.
const LEAVES: &str = r#"
selector/die = failure
selector/idle = failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, failure, running
selector/walk = failure after 35 ticks, failure
selector/attack = success after 7 ticks
"#;

/// What the keys are before a tick, from then on.
const KEYS: &str = r#"
"#;

/// The leaf that decides.
const DECIDES: &str = r#"selector/idle"#;

#[test]
fn monster_tick_50() {
    let mut plan = Plan::default();
    for rule in LEAVES.lines().skip(1) {
        plan.add(rule).expect("a rule");
    }
    let files = load_text("monster.tick", TREE, &Memory::default());
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
    for tick in 1..=50 {
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
