//! What each of the worlds beside the robot's is there to show.

use tickseed_worlds::{Input, Value, World, create};

fn leaf(world: &dyn World) -> &str {
    let watch = world.stage().watch();
    watch.deciding_label(world.def()).unwrap_or("nothing")
}

fn number(world: &dyn World, agent: u32, key: &str) -> f64 {
    let keys = world.keys(agent);
    match keys.iter().find(|k| k.name == key).map(|k| k.value) {
        Some(Value::Float(f)) => f,
        Some(Value::Int(i)) => i as f64,
        Some(Value::Bool(b)) => f64::from(u8::from(b)),
        None => panic!("no key `{key}`"),
    }
}

fn seconds(world: &dyn World) -> f64 {
    world.stage().time().as_secs_f64()
}

/// The times at which a key's value rose, over so many ticks.
fn rises(world: &mut dyn World, agent: u32, key: &str, ticks: u32) -> Vec<f64> {
    let mut times = Vec::new();
    let mut before = number(world, agent, key);
    for _ in 0..ticks {
        world.step().unwrap();
        let now = number(world, agent, key);
        if now > before {
            times.push(seconds(world));
        }
        before = now;
    }
    times
}

#[test]
fn the_guard_strikes_at_most_every_800_ms() {
    let mut shortest = f64::MAX;
    for seed in 0..6 {
        let mut world = create("guard", seed, None).unwrap();
        let hits = rises(&mut *world, 0, "hits", 60 * 240);
        assert!(hits.len() >= 3, "seed {seed}: {hits:?}");
        for pair in hits.windows(2) {
            shortest = shortest.min(pair[1] - pair[0]);
        }
    }
    assert!(shortest > 0.799, "{shortest}");
}

#[test]
fn the_guard_decides_ten_times_a_second() {
    let mut world = create("guard", 1, None).unwrap();
    let mut decisions = 0;
    let mut last = 0;
    for _ in 0..600 {
        world.step().unwrap();
        let tick = world.stage().watch().tick();
        decisions += u32::from(tick != last);
        last = tick;
    }
    assert!(
        (99..=101).contains(&decisions),
        "{decisions} in ten seconds"
    );
}

#[test]
fn a_hungry_villager_goes_to_eat_and_is_content() {
    let mut world = create("villager", 2, Some(3)).unwrap();
    world.step().unwrap();
    assert!(world.input(Input::Drain { agent: 0 }));
    let mut eaten = false;
    for _ in 0..600 {
        world.step().unwrap();
        let scores = world.scores();
        assert_eq!(scores.len(), 4);
        eaten |= leaf(&*world) == "have a meal";
        if eaten && number(&*world, 0, "hunger") < 0.5 {
            return;
        }
    }
    panic!("still hungry: {:?}", world.keys(0));
}

#[test]
fn most_of_the_village_sleeps_at_midnight() {
    let mut world = create("villager", 4, Some(60)).unwrap();
    let (mut at_noon, mut at_midnight) = (0, 0);
    for _ in 0..2 * 900 {
        world.step().unwrap();
        let asleep = world.doing().iter().find(|d| d.0 == "sleeping").unwrap().1;
        match number(&*world, 0, "daylight") {
            light if light > 0.9 => at_noon = asleep.max(at_noon),
            light if light < 0.1 => at_midnight = asleep.max(at_midnight),
            _ => {}
        }
    }
    assert!(
        at_midnight > 30 && at_noon < 15,
        "{at_midnight} at midnight, {at_noon} at noon"
    );
}

#[test]
fn a_slain_monster_dies_and_rises_at_its_lair() {
    let mut world = create("monster", 3, None).unwrap();
    for _ in 0..100 {
        world.step().unwrap();
    }
    world.input(Input::Drain { agent: 0 });
    let fell = seconds(&*world);
    world.step().unwrap();
    assert_eq!(leaf(&*world), "die", "whatever it was doing");
    while number(&*world, 0, "hp") <= 0.0 {
        world.step().unwrap();
        assert!(seconds(&*world) - fell < 3.0);
    }
    assert!(seconds(&*world) - fell > 1.4, "dying takes its time");
}

#[test]
fn a_boss_enrages_at_most_once_in_30_seconds() {
    let mut world = create("boss", 5, Some(1)).unwrap();
    let mut times = Vec::new();
    for _ in 0..12 {
        // Kept below a fifth of its health all the time.
        for _ in 0..100 {
            world.input(Input::Drain { agent: 0 });
            let before = number(&*world, 0, "rage");
            world.step().unwrap();
            if number(&*world, 0, "rage") > before {
                times.push(seconds(&*world));
            }
        }
    }
    assert!(times.len() >= 2, "{times:?}");
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] > 29.99, "{times:?}");
    }
}

#[test]
fn a_boss_winds_up_for_half_a_second_before_each_strike() {
    let mut world = create("boss", 6, Some(40)).unwrap();
    for agent in 0..5 {
        let strikes = rises(&mut *world, agent, "strikes", 1200);
        for pair in strikes.windows(2) {
            assert!(pair[1] - pair[0] > 0.499, "{strikes:?}");
        }
    }
    assert!((0..40).all(|a| number(&*world, a, "strikes") > 0.0));
}

#[test]
fn a_villager_shows_what_its_scores_are_made_of() {
    let mut world = create("villager", 5, None).unwrap();
    for _ in 0..50 {
        world.step().unwrap();
    }
    let choices = world.choices();
    assert_eq!(choices.len(), 4);
    let keys = world.keys(0);
    for choice in &choices {
        assert_eq!(choice.considerations.len(), 2);
        let product: f64 = choice.considerations.iter().map(|c| c.value).product();
        let made = choice.weight * (product + (1.0 - product) * 0.5 * product);
        assert!((choice.score - made).abs() < 1e-12, "{choice:?}");
        for c in &choice.considerations {
            // The fact is the key of that name, and lies on the curve that is drawn.
            let key = keys.iter().find(|k| k.name == c.name).unwrap();
            assert_eq!(
                key.value,
                tickseed_worlds::Value::Float(c.fact),
                "{}",
                c.name
            );
            let (low, high) = (c.from.min(c.to), c.from.max(c.to));
            let at = ((c.fact - low) / (high - low)).clamp(0.0, 1.0) * (c.curve.len() - 1) as f64;
            let (a, b) = (c.curve[at.floor() as usize], c.curve[at.ceil() as usize]);
            let near = |v: f32| (f64::from(v) - c.value).abs() < 0.1;
            assert!(
                near(a) || near(b),
                "{}: {} not near {a}..{b}",
                c.name,
                c.value
            );
        }
    }
    let scores: Vec<f64> = choices.iter().map(|c| c.score).collect();
    assert_eq!(world.scores(), scores);
}
