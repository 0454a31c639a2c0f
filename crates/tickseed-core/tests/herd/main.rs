//! Herds: handles, ticking, faults, levels of detail, sleeping, cores.

mod basics;
#[cfg(feature = "rayon")]
mod cores;
mod events;
mod faults;
mod memory;
mod pace;
mod reload;
mod touched;

/// `docs/decisions.md` names a test for each decision about herds; all of them exist.
#[test]
fn the_decisions_about_herds_name_tests_that_exist() {
    let sources = [
        include_str!("basics.rs"),
        include_str!("cores.rs"),
        include_str!("events.rs"),
        include_str!("faults.rs"),
        include_str!("pace.rs"),
        include_str!("reload.rs"),
        include_str!("touched.rs"),
        include_str!("../../src/herd/slots.rs"),
        include_str!("../snapshot/damage.rs"),
        include_str!("../../../tickseed-driver/tests/tokio.rs"),
        include_str!("../../../tickseed-record/tests/snapshot.rs"),
        include_str!("../../../tickseed-testkit/tests/asleep.rs"),
    ];
    let text = include_str!("../../../../docs/decisions.md");
    let herds = text.split("\n## Herds").nth(1).expect("herds");
    let herds = herds.split("\n# Files").next().expect("before files");
    let rows = herds
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| question"));
    let mut named = 0;
    for row in rows {
        let last = row.trim_end_matches('|').rsplit('|').next().expect("cells");
        for test in last.split('`').skip(1).step_by(2) {
            let exists = sources.iter().any(|s| s.contains(&format!("fn {test}()")));
            assert!(exists, "no such test: {test}");
            named += 1;
        }
        assert!(last.contains('`'), "no test: {row}");
    }
    assert!(named > 15, "{named}");
}
