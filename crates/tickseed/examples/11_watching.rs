//! Looking into a tick: reports, traces, and an agent's state as text.
//!
//! `cargo run -p tickseed --example 11_watching`

use std::time::Duration;

use tickseed::{Context, NodeId, Status, TickReport, Time, Trace, nodes};

#[derive(Context)]
struct Guard {
    ready: bool,
}

/// Counts how often each node was ticked. Any type can watch.
#[derive(Default)]
struct Counts(Vec<u32>);

impl Trace for Counts {
    fn enter(&mut self, node: NodeId) {
        let i = node.0 as usize;
        self.0.resize(self.0.len().max(i + 1), 0);
        self.0[i] += 1;
    }
    fn leave(&mut self, _: NodeId, _: Status) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Guard>();
    let tree = n
        .selector([
            n.sequence([
                n.condition("ready", |g| g.ready),
                n.cooldown(Duration::from_millis(800), n.succeed().named("attack")),
            ]),
            n.wait(Duration::from_secs(2)).named("rest").tag("calm"),
        ])
        .reactive()
        .named("guard")
        .build()?;
    let (mut agent, mut guard) = (tree.agent(), Guard { ready: true });

    tree.tick(&mut agent, &mut guard, Time::ZERO)?;
    // Any tick may be traced and the next one not; both give the same results.
    let mut report = TickReport::new();
    tree.tick_traced(&mut agent, &mut guard, Time::from_millis(300), &mut report)?;
    let shown = report.show(tree.def()).to_string();
    println!("{shown}");
    assert_eq!(
        shown,
        "reactive selector \"guard\": running
  sequence: failure
    condition \"ready\": success
    cooldown: failure
  wait \"rest\": running <- decided
"
    );
    // Who is to blame for the answer.
    let leaf = report.deciding_leaf().expect("it was ticked");
    assert_eq!(tree.path(leaf), "guard/rest");
    assert!(tree.tagged("calm").eq([leaf]));

    // What the agent remembers.
    let state = tree.outline_of(&agent, Time::from_millis(400));
    println!("{state}");
    assert!(state.contains("cooldown 800ms  -- closed for 400ms"));
    assert!(state.contains("> "));

    let mut counts = Counts::default();
    for tick in 1..=10 {
        tree.tick_traced(
            &mut agent,
            &mut guard,
            Time::from_millis(300 + 100 * tick),
            &mut counts,
        )?;
    }
    for ((_, node), count) in tree.def().iter().zip(&counts.0) {
        println!("{count:3} {}", node.label());
    }
    assert_eq!(counts.0[0], 10);
    Ok(())
}
