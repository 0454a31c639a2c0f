//! A tree in a file, and the leaves that it may name.
//!
//! `cargo run -p tickseed --example 12_tree_file`

use tickseed::lang::board::Board;
use tickseed::lang::build::from_text;
use tickseed::lang::expr::Datum;
use tickseed::lang::registry::{In, Registry};
use tickseed::{Cx, Leaf, Outcome, Status, Time};

/// A leaf with ports and a state: `Patrol(rounds: 2)` in a file.
#[derive(Leaf)]
struct Patrol {
    /// How many rounds to walk.
    #[port(default = 3)]
    rounds: In<i64>,
}

impl Leaf<Board> for Patrol {
    /// The rounds walked so far: plain bytes in the agent, zero whenever the leaf starts.
    type State = i64;

    fn start(&self, walked: &mut i64, cx: &mut Cx<'_, '_, Board>) -> Outcome {
        self.tick(walked, cx)
    }

    fn tick(&self, walked: &mut i64, cx: &mut Cx<'_, '_, Board>) -> Outcome {
        *walked += 1;
        let done = *walked > self.rounds.get(cx)?;
        Ok(if done {
            Status::Success
        } else {
            Status::Running
        })
    }
}

/// A program would read this with `from_file(path, &registry, &Options::default())`, which follows
/// imports as well.
const GUARD: &str = r#"
keys { battery: float = 1.0; enemy = false }

main tree Guard {
  selector reactive {
    sequence "low" reactive { check battery < 0.2; Recharge }
    sequence "fight" reactive { check enemy; Attack }
    Patrol(rounds: 2)
  }
}
"#;

/// The same tree as BehaviorTree.CPP's users write it.
const GUARD_XML: &str = r#"
<root BTCPP_format="4"><BehaviorTree ID="Guard">
  <ReactiveFallback>
    <ReactiveSequence><ScriptCondition code="battery &lt; 0.2"/><Recharge/></ReactiveSequence>
    <ReactiveSequence><ScriptCondition code="enemy"/><Attack/></ReactiveSequence>
    <Patrol/>
  </ReactiveFallback>
</BehaviorTree></root>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What files may name. `Board` is a context of keys alone; a struct of yours that holds a
    // board (`HasBoard`) does as well.
    let mut registry = Registry::<Board>::new();
    registry.action("Recharge", |_| Status::Running);
    registry.action("Attack", |_| Status::Running);
    registry.add::<Patrol>();

    let loaded = from_text("guard.tick", GUARD, &registry)?;
    println!("{}", loaded.tree.outline());
    let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    let mut does = |board: &mut Board| {
        loaded
            .tree
            .tick(&mut agent, board, Time::ZERO)
            .expect("no leaf fails");
        loaded
            .tree
            .node(loaded.tree.running(&agent)[0])
            .label()
            .to_string()
    };
    assert_eq!(does(&mut board), "Patrol");
    assert!(board.set_by_name("", "enemy", Datum::Bool(true)));
    assert_eq!(does(&mut board), "Attack");
    assert!(board.set_by_name("", "battery", Datum::Float(0.1)));
    assert_eq!(does(&mut board), "Recharge");

    // XML is another view of the same document.
    let xml = from_text("guard.xml", GUARD_XML, &registry)?;
    assert_eq!(xml.tree.def().len(), loaded.tree.def().len());

    // Mistakes come all at once, each with its line and the nearest name.
    let failed =
        from_text("guard.tick", &GUARD.replace("Patrol", "Partol"), &registry).unwrap_err();
    println!("{failed}");
    assert!(failed.to_string().contains("Patrol"));
    Ok(())
}
