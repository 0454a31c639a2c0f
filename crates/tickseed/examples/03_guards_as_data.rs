//! Guards over typed keys are data: compared in place, without a call, and tools can read them.
//!
//! `cargo run -p tickseed --example 03_guards_as_data`

use tickseed::bytemuck::NoUninit;
use tickseed::{Context, Keys, Status, Time, nodes};

/// A key block: plain data that guards read by offset. It must have no padding, since every
/// byte of it can be read; `_pad` fills up the end.
#[derive(Clone, Copy, NoUninit, Keys)]
#[bytemuck(crate = "tickseed::bytemuck")]
#[keys(context = Monster)]
#[repr(C)]
struct Vitals {
    health: f32,
    rage: i32,
    hero_seen: bool,
    _pad: [u8; 3],
}

#[derive(Context)]
struct Monster {
    #[context(keys)]
    vitals: Vitals,
    /// A key as well, but read through a call since it lies outside the block.
    #[key(name = "gold")]
    loot: u32,
    name: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Monster>();
    let brave = Vitals::HEALTH.ge(0.5).or(Vitals::RAGE.gt(10));
    let fight = Vitals::HERO_SEEN.is_true().and(brave);
    let tree = n
        .selector([
            n.while_guard(fight, n.run_forever().named("fight")),
            // Data and functions mix; a function is asked only when the rest has not decided.
            n.while_guard(
                Monster::LOOT.gt(0).and(n.when(|m| m.name != "dragon")),
                n.run_forever().named("bury gold"),
            ),
            n.run_forever().named("doze"),
        ])
        .reactive()
        .build()?;
    // Guards made of keys print as what they are; functions cannot.
    println!("{}", tree.outline());
    assert!(tree.outline().contains("hero_seen"));

    let mut monster = Monster {
        vitals: Vitals {
            health: 0.4,
            rage: 0,
            hero_seen: true,
            _pad: [0; 3],
        },
        loot: 3,
        name: "troll".into(),
    };
    let mut agent = tree.agent();
    let mut does = |monster: &mut Monster| {
        let status = tree
            .tick(&mut agent, monster, Time::ZERO)
            .expect("no leaf fails");
        assert_eq!(status, Status::Running);
        tree.node(tree.running(&agent)[0]).label().to_string()
    };
    assert_eq!(does(&mut monster), "bury gold");
    monster.vitals.rage = 11;
    assert_eq!(does(&mut monster), "fight");
    monster.vitals.hero_seen = false;
    monster.name = "dragon".into();
    assert_eq!(does(&mut monster), "doze");

    // The same keys by name, for tools and files.
    let (id, info) = Monster::schema().find("gold").expect("a key");
    println!(
        "{} is key {}: {:?}",
        info.name,
        id.0,
        Monster::read(&monster, id)
    );
    Ok(())
}
