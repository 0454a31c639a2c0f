//! Resume points of one, two and four bytes, and of none.

use std::time::Duration;

use tickseed_core::{Context, Status, Time, nodes};

const SECOND: Duration = Duration::from_secs(1);

struct Shots(u32);

impl Context for Shots {
    type At<'a> = Shots;
}

/// A row of waits ends one a second, whatever the bytes their number takes.
#[test]
fn rows_of_any_length_go_on_where_they_were() {
    for (len, bytes) in [(1, 1), (255, 1), (256, 2), (300, 2), (70_000, 4)] {
        let n = nodes::<()>();
        let tree = n
            .sequence((0..len).map(|_| n.wait(SECOND)))
            .build()
            .unwrap();
        // The deadline of the one that runs lies behind.
        assert_eq!(tree.bytes_per_agent(), bytes + 7, "{len}");
        let mut agent = tree.agent();
        for second in 0..len as u64 {
            let status = tree.tick(&mut agent, &mut (), Time::from_millis(1000 * second));
            assert_eq!(status.unwrap(), Status::Running, "{len}: {second}");
            assert_eq!(tree.running(&agent)[0].0 as u64, second + 1);
        }
        let end = Time::from_millis(1000 * len as u64);
        assert_eq!(
            tree.tick(&mut agent, &mut (), end).unwrap(),
            Status::Success
        );
        assert!(!tree.is_running(&agent));
    }
}

/// What a tree that never runs on keeps is not taken for a resume point.
#[test]
fn a_tree_without_resume_point_keeps_its_history() {
    let n = nodes::<Shots>();
    let tree = n
        .selector([
            n.cooldown(SECOND, n.instant("shoot", |shots| shots.0 += 1)),
            n.run_once(n.instant("taunt", |_| {})),
        ])
        .build()
        .unwrap();
    let (mut agent, mut shots) = (tree.agent(), Shots(0));
    for tenth in 0..40 {
        let now = Time::from_millis(300_000_000_000 + 100 * tenth);
        let status = tree.tick(&mut agent, &mut shots, now).unwrap();
        assert_eq!(status, Status::Success);
        assert!(!tree.is_running(&agent));
    }
    assert_eq!(shots.0, 4);
}
