//! Nav2's nodes that ask ROS: the program answers instead, and is told when it does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tickseed_core::{Status, Time};
use tickseed_lang::board::Board;
use tickseed_lang::build::{Loaded, Options, from_loaded, from_text};
use tickseed_lang::expr::{Datum, Type};
use tickseed_lang::load::{Disk, load_text};
use tickseed_lang::registry::Registry;

struct Run {
    loaded: Loaded<Board>,
    board: Board,
    agent: tickseed_core::Agent,
    planned: Arc<AtomicU32>,
}

/// Loads a tree whose action `Plan` succeeds and counts.
fn run(body: &str) -> Run {
    let planned = Arc::new(AtomicU32::new(0));
    let mut registry = Registry::<Board>::new();
    let count = Arc::clone(&planned);
    registry.action("Plan", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Status::Success
    });
    registry.action("Drive", |_| Status::Running);
    registry.function(
        "path_length",
        &[Type::Any],
        Type::Float,
        |_, arguments| match arguments {
            [Datum::Float(length)] => Ok(Datum::Float(*length)),
            other => Err(format!("no path: {other:?}")),
        },
    );
    let text =
        format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"M\">{body}</BehaviorTree></root>");
    let files = load_text("m.xml", &text, &Disk);
    let mut options = Options::default();
    options.extra_keys = [
        "robot_position",
        "robot_speed",
        "paused",
        "goal_update",
        "path",
    ]
    .map(str::to_owned)
    .to_vec();
    let loaded =
        from_loaded(files, &registry, &options).unwrap_or_else(|failed| panic!("{failed}"));
    Run {
        board: loaded.board(),
        agent: loaded.tree.agent(),
        loaded,
        planned,
    }
}

impl Run {
    fn set(&mut self, key: &str, value: Datum) {
        assert!(self.board.set_by_name("", key, value), "{key}");
    }

    fn tick(&mut self, seconds: u64) -> (Status, u32) {
        let now = Time::from_millis(seconds * 1000);
        let status = self.loaded.tree.tick(&mut self.agent, &mut self.board, now);
        (status.unwrap(), self.planned.swap(0, Ordering::Relaxed))
    }
}

#[test]
fn plans_again_after_so_much_way() {
    let mut run = run(r#"<PipelineSequence>
        <DistanceController distance="2.0"><Plan/></DistanceController><Drive/>
      </PipelineSequence>"#);
    run.set("robot_position", Datum::Vec2([0.0, 0.0]));
    assert_eq!(run.tick(0), (Status::Running, 1));
    run.set("robot_position", Datum::Vec2([1.5, 0.0]));
    assert_eq!(run.tick(1), (Status::Running, 0));
    run.set("robot_position", Datum::Vec3([1.5, 1.5, 9.0]));
    assert_eq!(run.tick(2), (Status::Running, 1));
    assert_eq!(run.tick(3), (Status::Running, 0));
}

#[test]
fn plans_more_often_the_faster_it_is() {
    let mut run = run(r#"<PipelineSequence>
        <SpeedController min_rate="0.1" max_rate="1.0" min_speed="0.0" max_speed="1.0" goal="{goal}"><Plan/></SpeedController>
        <Drive/>
      </PipelineSequence>"#);
    run.set("robot_speed", Datum::Float(1.0));
    assert_eq!(run.tick(0), (Status::Running, 1));
    assert_eq!(run.tick(1), (Status::Running, 1));
    run.set("robot_speed", Datum::Float(0.0));
    assert_eq!(run.tick(5), (Status::Running, 0));
    assert_eq!(run.tick(11), (Status::Running, 1));
    run.set("goal", Datum::Int(2));
    assert_eq!(run.tick(12), (Status::Running, 1));
}

#[test]
fn a_much_longer_path_near_the_goal_runs_the_child() {
    let mut run = run(
        r#"<PathLongerOnApproach path="{path}" prox_len="3.0" length_factor="2.0"><Plan/></PathLongerOnApproach>"#,
    );
    for (length, planned) in [(9.0, 0), (2.0, 0), (3.9, 0), (2.5, 0), (6.0, 1), (20.0, 0)] {
        run.set("path", Datum::Float(length));
        assert_eq!(run.tick(0), (Status::Success, planned), "{length}");
    }
}

#[test]
fn the_goal_sent_last_replaces_the_first() {
    let mut run = run(r#"<Sequence><Script code="g:=1"/>
        <GoalUpdater input_goal="{g}" output_goal="{out}"><Plan/></GoalUpdater></Sequence>"#);
    assert_eq!(run.tick(0), (Status::Success, 1));
    assert_eq!(run.board.by_name("", "out"), Some(Datum::Int(1)));
    run.set("goal_update", Datum::Int(5));
    assert_eq!(run.tick(1), (Status::Success, 1));
    assert_eq!(run.board.by_name("", "out"), Some(Datum::Int(5)));
}

#[test]
fn a_pause_halts_the_work_and_ends() {
    let mut run = run(
        r#"<PauseResumeController pause_service_name="p" resume_service_name="r">
        <Drive/><Drive name="idle"/><Plan name="on_pause"/><Plan name="on_resume"/>
      </PauseResumeController>"#,
    );
    assert_eq!(run.tick(0), (Status::Running, 0));
    run.set("paused", Datum::Bool(true));
    assert_eq!(run.tick(1), (Status::Running, 1));
    assert_eq!(run.tick(2), (Status::Running, 0));
    run.set("paused", Datum::Bool(false));
    assert_eq!(run.tick(3), (Status::Running, 1));
    assert_eq!(run.tick(4), (Status::Running, 0));
}

#[test]
fn a_program_that_does_not_answer_is_told_how() {
    let text = r#"<root BTCPP_format="4"><BehaviorTree ID="M">
        <DistanceController><AlwaysSuccess/></DistanceController></BehaviorTree></root>"#;
    let failed = from_text("m.xml", text, &Registry::<Board>::new()).expect_err("nothing answers");
    let text = failed.to_string();
    for part in [
        "`DistanceController` needs `robot_position`",
        "vec2",
        "m.xml:2",
        "registry.function",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn numbers_with_text_behind_them_are_read_with_a_warning() {
    let text = r#"<root BTCPP_format="4"><BehaviorTree ID="M">
        <Repeat num_cycles="12abc"><AlwaysSuccess/></Repeat></BehaviorTree></root>"#;
    let loaded = from_text("m.xml", text, &Registry::<Board>::new()).unwrap();
    let said: Vec<_> = loaded.diagnostics.iter().map(|d| d.code).collect();
    assert!(said.contains(&"load::trailing-text"), "{said:?}");
    for wrong in ["abc", "+x", " 3x"] {
        let text = text.replace("12abc", wrong);
        let failed = from_text("m.xml", &text, &Registry::<Board>::new());
        assert!(failed.is_err(), "{wrong}");
    }
}
