//! Agents that sleep until something matters to them: the same results for a fraction of the
//! ticks.
//!
//! `cargo run -p tickseed --example 15_event_driven`

use std::sync::Arc;
use std::time::Duration;

use tickseed::{Context, Herd, Status, Time, Tree, nodes};

#[derive(Context, Clone, PartialEq, Debug)]
struct Guard {
    alarm: bool,
    thirsty: bool,
    #[key(skip)]
    diary: Vec<(u64, &'static str)>,
}

fn behaviour() -> Result<Tree<Guard>, tickseed::BuildError> {
    let n = nodes::<Guard>();
    // `sleeps`: a tick of it is without effect while nothing that is asked before it changes.
    let fight = n.action("fight", |_| Status::Running).sleeps();
    let fight = fight.on_halt(|g| {
        let now = g.now().0 / 1_000_000;
        g.diary.push((now, "sheathes the sword"));
    });
    let drink = n.sequence([
        n.check(Guard::THIRSTY.is_true()),
        n.wait(Duration::from_secs(2)).named("drink"), // wakes on its deadline
        n.instant("refreshed", |g| {
            let now = g.now().0 / 1_000_000;
            g.diary.push((now, "has drunk"));
            g.thirsty = false;
        }),
    ]);
    n.selector([
        n.sequence([n.check(Guard::ALARM.is_true()), fight])
            .reactive(),
        drink,
        n.run_forever().named("stand guard"),
    ])
    .reactive()
    .build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const AGENTS: usize = 2000;
    let tree = Arc::new(behaviour()?);
    let (mut always, mut sleepers) = (Herd::new(tree.clone()), Herd::new(tree));
    let calm = Guard {
        alarm: false,
        thirsty: false,
        diary: Vec::new(),
    };
    let (mut a, mut b) = (vec![calm.clone(); AGENTS], vec![calm; AGENTS]);
    for _ in 0..AGENTS {
        always.spawn()?;
        sleepers.spawn()?;
    }
    let mut ticks = [0, 0];
    for step in 0..1000usize {
        let now = Time::from_millis(step as u64 * 50);
        // In each step something happens to two of them; the herd that sleeps is told.
        let (i, j) = (step * 37 % AGENTS, step * 53 % AGENTS);
        for guards in [&mut a, &mut b] {
            guards[i].thirsty = true;
            guards[j].alarm = !guards[j].alarm;
        }
        let handles = [i, j].map(|i| sleepers.at(i).expect("nobody is gone"));
        sleepers.touch(handles[0], Guard::THIRSTY)?;
        sleepers.touch(handles[1], Guard::ALARM)?;

        ticks[0] += always
            .tick_all(now, |agent| {
                let guard = &mut a[agent.index()];
                agent.tick(guard).expect("no leaf fails");
            })
            .ticked;
        ticks[1] += sleepers
            .tick_due(now, |agent| {
                let guard = &mut b[agent.index()];
                agent.tick(guard).expect("no leaf fails");
            })
            .ticked;
        assert_eq!(a, b, "sleeping changes nothing");
    }
    let entries: usize = a.iter().map(|g| g.diary.len()).sum();
    println!("{entries} entries in the diaries of both herds, equal in every step");
    println!(
        "ticked always: {} ticks; asleep until something matters: {} ({:.0} times fewer), {} of {AGENTS} asleep",
        ticks[0],
        ticks[1],
        ticks[0] as f64 / ticks[1] as f64,
        sleepers.asleep(),
    );
    assert!(entries > 500 && ticks[1] * 50 < ticks[0]);
    Ok(())
}
