//! A decorator and a composite of one's own.
//!
//! The rule is yours; that children are started and ended exactly once is the engine's.
//!
//! `cargo run -p tickseed --example 06_custom_node`

use std::ops::RangeInclusive;

use tickseed::{Branches, Context, CustomNode, Status, Stop, Time, nodes};

/// Lets its child through on every second activation only, and fails on the others.
struct EverySecond;

/// For any context: a node that only ticks its children need not know what they see.
impl<C: Context> CustomNode<C> for EverySecond {
    /// Of one activation: none.
    type State = ();
    /// Kept between activations, and through halts: how many there were.
    type Memory = u32;

    fn name(&self) -> &'static str {
        "every second"
    }

    fn tick(
        &self,
        child: &mut Branches<'_, C>,
        _: &mut (),
        count: &mut u32,
    ) -> Result<Status, Stop> {
        if child.is_fresh() {
            *count += 1;
        }
        // An activation that was let through goes on until it is over.
        if *count % 2 == 1 {
            child.tick(0)
        } else {
            Ok(Status::Failure)
        }
    }

    fn arity(&self) -> RangeInclusive<usize> {
        1..=1
    }

    /// Never halts a child that runs, so uninterruptible nodes may stand below it.
    fn preempts(&self) -> bool {
        false
    }
}

/// Ticks all children and succeeds when most of them have.
struct Vote;

impl<C: Context> CustomNode<C> for Vote {
    type State = ();
    type Memory = ();

    fn name(&self) -> &'static str {
        "vote"
    }

    fn tick(&self, children: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        let mut ayes = 0;
        for i in 0..children.len() {
            // `?` passes on that a leaf failed with an error.
            ayes += usize::from(children.tick(i)? == Status::Success);
        }
        // Children that still run are halted by the engine.
        Ok(Status::from_bool(2 * ayes > children.len()))
    }
}

#[derive(Context)]
struct Number {
    value: u32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Number>();
    let even = n.condition("even", |x| x.value % 2 == 0);
    let big = n.condition("big", |x| x.value > 10);
    let tree = n
        .custom(EverySecond, [n.custom(Vote, [even, big, n.succeed()])])
        .build()?;
    println!("{}", tree.outline());
    let mut agent = tree.agent();
    let mut tick = |value| tree.tick(&mut agent, &mut Number { value }, Time::ZERO);
    assert_eq!(tick(4)?, Status::Success); // even, and one succeeds always
    assert_eq!(tick(4)?, Status::Failure); // every second
    assert_eq!(tick(11)?, Status::Success);
    assert_eq!(tick(11)?, Status::Failure);
    assert_eq!(tick(7)?, Status::Failure); // voted down

    // Mistakes in trees are reported all at once, with paths and remedies.
    let mistaken = n
        .custom(EverySecond, [n.fail(), n.sequence([])])
        .build()
        .unwrap_err();
    println!("{mistaken}");
    assert_eq!(mistaken.issues.len(), 2);
    Ok(())
}
