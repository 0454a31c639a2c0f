//! Recording what agents do, reading it back, and deriving every node's status from it.
//!
//! `cargo run -p tickseed --features record --example 13_recording`

use std::io::Cursor;
use std::sync::Arc;

use tickseed::record::message::TreeDef;
use tickseed::record::{Item, Recorded, Recording, Ring, Structure, derive};
use tickseed::{Context, Status, TickReport, Time, nodes};

#[derive(Context)]
struct Guard {
    enemy: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Guard>();
    let tree = n
        .selector([
            n.sequence([
                n.check(Guard::ENEMY.is_true()),
                n.run_forever().named("fight"),
            ])
            .reactive(),
            n.action("patrol", |_| Status::Running),
        ])
        .reactive()
        .build()?;
    let tree = Arc::new(tree);

    // A ring remembers the last minute: save it when something went wrong.
    // `Recorded::to_file` keeps everything.
    let mut recorded = Recorded::new(Arc::clone(&tree), Ring::last_minute());
    let mut agent = tree.agent();
    for tick in 1..=600 {
        let mut guard = Guard { enemy: tick >= 500 };
        recorded.tick(0, &mut agent, &mut guard, Time::from_millis(16 * tick))?;
    }
    let head = tickseed::record::Head::new("guard", TreeDef::of(0, "guard", &tree));
    let file = recorded.sink_mut().save(Vec::new(), &head)?;
    println!("600 ticks in {} bytes", file.len());
    assert!(file.len() < 6000);

    let mut recording = Recording::open(Cursor::new(file))?;
    assert_eq!(recording.range(), Some((1, 600)));
    // Only leaves' answers and changes of keys are kept; what the nodes above answered follows
    // from the tree.
    let structure = Structure::new(&recording.head().trees[0])?;
    let mut takeover = None;
    for item in recording.items(495) {
        let Item::Tick(tick) = item? else { continue };
        let mut report = TickReport::new();
        derive(&structure, &tick, &mut report)?;
        assert_eq!(report.status(), Some(Status::Running));
        if takeover.is_none() && !report.halted().is_empty() {
            takeover = Some(tick.tick);
            println!("tick {}\n{}", tick.tick, report.show(tree.def()));
        }
    }
    assert_eq!(takeover, Some(500));
    Ok(())
}
