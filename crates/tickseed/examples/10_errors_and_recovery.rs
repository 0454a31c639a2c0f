//! A leaf that fails to do its job is a `Failure`; a leaf that is broken is an error.
//!
//! `cargo run -p tickseed --example 10_errors_and_recovery`

use tickseed::{Context, LeafError, Status, TickError, Time, nodes};

#[derive(Context, Default)]
struct Arm {
    command: String,
    holding: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Arm>();
    let grip = n
        .action("grip", |arm| {
            arm.holding = true;
            Status::Running
        })
        .on_halt(|arm| arm.holding = false);
    let obey = n.action("obey", |arm| -> Result<Status, LeafError> {
        if arm.command == "stop" {
            return Err(LeafError::new("emergency stop"));
        }
        let angle: f32 = arm.command.parse()?; // `?` takes any error
        Ok(if angle > 90.0 {
            Status::Failure
        } else {
            Status::Running
        })
    });
    let tree = n.parallel([grip, obey]).build()?;

    let (mut arm, mut agent) = (Arm::default(), tree.agent());
    arm.command = "45".into();
    assert_eq!(
        tree.tick(&mut agent, &mut arm, Time::ZERO)?,
        Status::Running
    );
    assert!(arm.holding);

    // The error names the node. Nothing was halted: the agent is as the error left it, and
    // refuses to be ticked, so that nobody can overlook it.
    arm.command = "forty".into();
    let error = tree.tick(&mut agent, &mut arm, Time::ZERO).unwrap_err();
    println!("{error}");
    assert_eq!(error.to_string(), "parallel/obey: invalid float literal");
    assert!(matches!(&error, TickError::Leaf { node, .. } if tree.node(*node).label() == "obey"));
    assert!(arm.holding && agent.is_poisoned());
    let refused = tree.tick(&mut agent, &mut arm, Time::ZERO);
    assert!(matches!(refused, Err(TickError::Poisoned)));

    // Recovering halts every leaf that had started, once: the arm lets go. Then it may go on.
    tree.recover(&mut agent, &mut arm, Time::ZERO)?;
    assert!(!arm.holding && !agent.is_poisoned());
    arm.command = "10".into();
    assert_eq!(
        tree.tick(&mut agent, &mut arm, Time::ZERO)?,
        Status::Running
    );
    assert!(arm.holding);

    // The same holds for a leaf that panics, if the caller catches it; other agents of the
    // tree are not touched in either case.
    Ok(())
}
