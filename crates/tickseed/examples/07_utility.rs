//! Choosing by scores: the child that is best now, with inertia against dithering.
//!
//! `cargo run -p tickseed --example 07_utility`

use tickseed::nodes::{Consideration, Curve, Score};
use tickseed::{Context, Time, nodes};

#[derive(Context)]
struct Villager {
    hunger: f64,
    fatigue: f64,
    food_at: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Villager>();
    // Considerations map facts to 0..=1 by curves and are multiplied: no food, no eating,
    // however hungry.
    let hungry = Consideration::new(|v: &Villager| v.hunger).curve(Curve::Power { exponent: 2.0 });
    // A range may run downwards: near is good.
    let near = Consideration::new(|v: &Villager| v.food_at).range(100.0, 0.0);
    let eat = Score::new(1.0).consider(hungry).consider(near);
    let sleep = Score::new(0.9)
        .consider(Consideration::new(|v: &Villager| v.fatigue).curve(Curve::Smoothstep));
    let tree = n
        .utility([
            (eat, n.run_forever().named("eat")),
            (sleep, n.run_forever().named("sleep")),
            (n.score(|_| 0.3), n.run_forever().named("work")),
        ])
        .reactive()
        // What runs gets a bonus, so that small differences do not make it change its mind.
        .inertia(0.1)
        .build()?;

    let mut agent = tree.agent();
    let mut does = |hunger, fatigue, food_at| {
        let mut villager = Villager {
            hunger,
            fatigue,
            food_at,
        };
        tree.tick(&mut agent, &mut villager, Time::ZERO)
            .expect("no leaf fails");
        tree.node(tree.running(&agent)[0]).label().to_string()
    };
    assert_eq!(does(0.2, 0.2, 10.0), "work");
    assert_eq!(does(0.9, 0.2, 10.0), "eat");
    assert_eq!(does(0.9, 0.2, 100.0), "work"); // there is none near
    assert_eq!(does(0.2, 0.8, 10.0), "sleep");
    // Sleep is worth 0.32 now, work 0.3 and eating less; a moment later sleep is worth 0.28,
    // and goes on for its bonus.
    assert_eq!(does(0.2, 0.4, 10.0), "sleep");
    assert_eq!(does(0.2, 0.37, 10.0), "sleep");
    assert_eq!(does(0.2, 0.2, 10.0), "work");
    println!("as expected");
    Ok(())
}
