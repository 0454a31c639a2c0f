//! An agent that goes on in another process.

use std::process::Command;
use std::time::Duration;

use tickseed_core::{Context, Cx, Leaf, LeafError, Snapshot, Status, Time, Tree, nodes};

#[derive(Default)]
struct Mission {
    done: Vec<u32>,
}
impl Context for Mission {
    type At<'a> = Mission;
}

/// Visits one place a tick, and keeps count in its state.
struct Visit;
impl Leaf<Mission> for Visit {
    type State = u32;
    fn start(&self, n: &mut u32, cx: &mut Cx<'_, '_, Mission>) -> Result<Status, LeafError> {
        self.tick(n, cx)
    }
    fn tick(&self, n: &mut u32, cx: &mut Cx<'_, '_, Mission>) -> Result<Status, LeafError> {
        *n += 1;
        cx.done.push(*n);
        Ok(if *n == 6 {
            Status::Success
        } else {
            Status::Running
        })
    }
}

fn mission() -> Tree<Mission> {
    let n = nodes::<Mission>();
    n.sequence([
        n.wait(Duration::from_secs(2)),
        n.time_limit(Duration::from_secs(60), n.leaf("visit", Visit)),
    ])
    .build()
    .unwrap()
}

fn secs(s: u64) -> Time {
    Time::from_millis(1000 * s)
}

const CHILD: &str = "TICKSEED_TEST_MISSION";

#[test]
fn a_mission_is_saved_here_and_goes_on_in_another_process() {
    let tree = mission();
    if let Some(path) = std::env::var_os(CHILD) {
        // The other process.
        let snapshot = Snapshot::from_bytes(&std::fs::read(path).unwrap()).unwrap();
        let (mut agent, report) = tree.restore(&snapshot, secs(5));
        assert!(report.is_clean());
        let mut mission = Mission::default();
        let mut now = 5;
        while tree.tick(&mut agent, &mut mission, secs(now)).unwrap() == Status::Running {
            now += 1;
        }
        println!("visited {:?} by {now}", mission.done);
        return;
    }
    let (mut agent, mut here) = (tree.agent(), Mission::default());
    for now in 0..5 {
        let status = tree.tick(&mut agent, &mut here, secs(now)).unwrap();
        assert_eq!(status, Status::Running);
    }
    assert_eq!(here.done, [1, 2, 3]);
    let name = format!("tickseed-mission-{}.snapshot", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, tree.snapshot(&agent).unwrap().to_bytes()).unwrap();
    let there = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "exact::a_mission_is_saved_here_and_goes_on_in_another_process",
            "--nocapture",
        ])
        .env(CHILD, &path)
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let said = String::from_utf8_lossy(&there.stdout);
    assert!(there.status.success(), "{said}");
    assert!(said.contains("visited [4, 5, 6] by 7"), "{said}");
}
