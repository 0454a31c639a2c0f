//! The guard's tree at tick 1350, 22.50 s: `move to target` decides, the tree answers running.
//!
//! A moment that the studio recorded. The tree is the real one; its leaves are stand-ins that answer
//! as the leaves did, and the keys have the values that they had.

use tickseed::lang::build::{Options, from_loaded};
use tickseed::lang::load::{Memory, load_text};
use tickseed::lang::simulate::{Plan, Sim, registry};
use tickseed::{Status, TickReport, Time};

const TREE: &str = r#"
//! A guard: see, pursue, strike at most every 0.8 s; patrol otherwise.

keys {
  target_seen: bool = false
}

/// Strikes, at once; whether it may is for a cooldown to say.
action attack
/// Keeps close to the target and to its side.
action circle
/// Walks its ring of waypoints and pauses at each.
action patrol(in pause: duration = "1200ms")
/// Follows the target; succeeds when it is within so many metres.
action pursue(in within: float = 1.5)

main tree Guard {
  selector reactive {
    sequence "fight" reactive {
      check "can see target" target_seen
      pursue "move to target" (within: 1.5)
      selector "strike" reactive {
        cooldown 800ms { attack }
        circle
      }
    }
    patrol(pause: 1200ms)
  }
}
"#;

/// What each leaf answers: one answer for each time it begins, then the last again and again.
const LEAVES: &str = r#"
selector/fight/move to target = success after 150 ticks, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success, success after 12 ticks, success, success, success, success, success, running
selector/fight/strike/cooldown/attack = success
selector/fight/strike/circle = running
selector/patrol = running
"#;

/// What the keys are before a tick, from then on.
const KEYS: &str = r#"
1: target_seen = false
1032: target_seen = true
"#;

/// The leaf that decides.
const DECIDES: &str = r#"selector/fight/move to target"#;

#[test]
fn guard_tick_1350() {
    let mut plan = Plan::default();
    for rule in LEAVES.lines().skip(1) {
        plan.add(rule).expect("a rule");
    }
    let files = load_text("guard.tick", TREE, &Memory::default());
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
    for tick in 1..=1_350 {
        if let Some((_, changes)) = next.filter(|(at, _)| at.parse() == Ok(tick)) {
            for (key, value) in changes.split(", ").filter_map(|c| c.split_once(" = ")) {
                let slot = loaded.layout.find("", key).expect("a key");
                let ty = &loaded.layout.slot(slot).expect("a key").ty;
                let value = loaded.value(ty, value).expect("a value of the key");
                assert!(sim.board.set(slot, value), "{key}");
            }
            next = keys.next();
        }
        let now = Time::from_nanos(16_666_667 + (tick - 1) * 16_666_667);
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
