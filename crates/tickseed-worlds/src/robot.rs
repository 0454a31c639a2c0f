//! The robot of document 001: recharge when the battery is low, else approach a target,
//! else patrol. Nothing about interrupting is written down anywhere in the tree.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use core::time::Duration;

use tickseed_core::{Agent, BuildError, Def, Status, TickError, Tree, nodes};
use tickseed_derive::Context;

use crate::geometry::{Point, turn};
use crate::stage::Stage;
use crate::view::{Bar, Mark, Shape, Tone, View};
use crate::world::{Info, Input, KeyValue, World, read_keys, set_key};

/// About this world.
pub const INFO: Info = Info {
    name: "robot",
    about: "a robot that recharges, approaches a target or patrols (document 001)",
    step: Duration::from_millis(50),
    agents: 1,
    crowd: false,
    click: "send the robot there",
    drain: "drain the battery",
    make: |seed, _| Box::new(RobotWorld::new(seed)),
};

const SIZE: Point = Point::new(24.0, 14.0);
const CHARGER: Point = Point::new(2.5, 2.5);
const WAYPOINTS: usize = 6;
const SPEED: f32 = 2.4;
const TURN_RATE: f32 = 6.0;
/// Charge lost per second by being on, and by driving on top of it.
const IDLE_DRAIN: f32 = 0.003;
const DRIVE_DRAIN: f32 = 0.012;
const CHARGE_RATE: f32 = 0.22;
/// The battery counts as low from here down, until it is full: without the gap between the
/// two the robot would leave the charger at once and turn round again.
const LOW: f32 = 0.2;
const FULL: f32 = 0.98;
/// What a drained battery is left with: enough for the way to the charger from anywhere.
const DRAINED: f32 = 0.15;
/// Below this the robot saves power: it crawls, and charge never quite runs out.
const RESERVE: f32 = 0.04;
const TRAIL: usize = 240;

/// What the robot's leaves see and change.
#[derive(Clone, Debug, Context)]
#[context(crate = tickseed_core)]
pub struct Robot {
    x: f32,
    y: f32,
    #[key(read_only)]
    heading: f32,
    battery: f32,
    /// With hysteresis: see [`LOW`] and [`FULL`].
    #[key(read_only)]
    battery_low: bool,
    target_visible: bool,
    target_x: f32,
    target_y: f32,
    #[key(read_only)]
    waypoint: u32,
    #[key(read_only)]
    charging: bool,
    /// Where its leaf wants it to drive in this step.
    drive: Option<Point>,
    route: [Point; WAYPOINTS],
}

impl Robot {
    fn at(&self) -> Point {
        Point::new(self.x, self.y)
    }

    fn target(&self) -> Point {
        Point::new(self.target_x, self.target_y)
    }

    /// Sets course for a point; whether it is there already.
    fn drive_to(&mut self, goal: Point) -> bool {
        if self.at().distance(goal) < 0.15 {
            return true;
        }
        self.drive = Some(goal);
        false
    }

    fn recharge(&mut self) -> Status {
        self.charging = self.drive_to(CHARGER);
        Status::Running
    }

    fn approach(&mut self) -> Status {
        let there = self.drive_to(self.target());
        if there {
            self.target_visible = false;
            return Status::Success;
        }
        Status::Running
    }

    fn patrol(&mut self) -> Status {
        let goal = self.route[self.waypoint as usize % WAYPOINTS];
        if self.drive_to(goal) {
            self.waypoint = (self.waypoint + 1) % WAYPOINTS as u32;
        }
        Status::Running
    }

    /// Sense and move: what happens to the robot whatever its tree decides.
    fn live(&mut self, dt: f32) {
        if self.charging {
            self.battery += CHARGE_RATE * dt;
        } else {
            self.battery -= IDLE_DRAIN * dt;
        }
        if let Some(goal) = self.drive.take() {
            let saving = self.battery < RESERVE;
            let wanted = self.at().heading(goal);
            self.heading = turn(self.heading, wanted, TURN_RATE * dt);
            // Slower while it still turns, so that it drives curves instead of corners.
            let facing = libm::cosf(self.heading - wanted).max(0.1);
            let speed = SPEED * facing * if saving { 0.5 } else { 1.0 };
            let step = (speed * dt).min(self.at().distance(goal));
            let ahead = if facing > 0.95 {
                self.at().toward(goal, step)
            } else {
                self.at().polar(self.heading, step)
            };
            let there = ahead.within(SIZE, 0.2);
            (self.x, self.y) = (there.x, there.y);
            self.battery -= DRIVE_DRAIN * dt * if saving { 0.1 } else { 1.0 };
        }
        self.battery = self.battery.clamp(0.01, 1.0);
        self.battery_low = if self.battery_low {
            self.battery < FULL
        } else {
            self.battery < LOW
        };
    }
}

/// The document's tree, whole. Its sequences are reactive, as the document's are: every
/// tick sweeps from the root and asks every condition on the way again. That is also how
/// charging ends.
///
/// # Errors
/// None in practice: it is valid.
pub fn tree() -> Result<Tree<Robot>, BuildError> {
    let n = nodes::<Robot>();
    n.selector([
        n.sequence([
            n.check(Robot::BATTERY_LOW.is_true()).named("battery low"),
            n.action("recharge", |r| r.recharge())
                .on_halt(|r| r.charging = false),
        ])
        .reactive(),
        n.sequence([
            n.check(Robot::TARGET_VISIBLE.is_true())
                .named("target visible"),
            n.action("approach", |r| r.approach()),
        ])
        .reactive(),
        n.action("patrol", |r| r.patrol()),
    ])
    .reactive()
    .build()
}

/// A floor with a charger, a patrol loop and one robot.
#[derive(Debug)]
pub struct RobotWorld {
    stage: Stage,
    tree: Arc<Tree<Robot>>,
    agent: Agent,
    robot: Robot,
    trail: VecDeque<Point>,
}

impl RobotWorld {
    /// The world of this seed, which decides the loop and where the robot begins.
    ///
    /// # Panics
    /// Never: its tree is valid.
    #[must_use]
    pub fn new(seed: u64) -> RobotWorld {
        let tree = tree().expect("the robot's tree is valid");
        let agent = tree.agent_seeded(seed);
        let mut stage = Stage::new(seed, INFO.step, tree.def());
        let turned = stage.between(0.0, TAU);
        let route = core::array::from_fn(|i| {
            let angle = turned + TAU * i as f32 / WAYPOINTS as f32;
            let reach = stage.between(0.75, 1.0);
            Point::new(
                13.5 + libm::cosf(angle) * 8.5 * reach,
                7.5 + libm::sinf(angle) * 5.0 * reach,
            )
        });
        let start = route[0];
        RobotWorld {
            robot: Robot {
                x: start.x,
                y: start.y,
                heading: start.heading(route[1]),
                battery: stage.between(0.75, 0.95),
                battery_low: false,
                target_visible: false,
                target_x: 0.0,
                target_y: 0.0,
                waypoint: 1,
                charging: false,
                drive: None,
                route,
            },
            stage,
            tree: Arc::new(tree),
            agent,
            trail: VecDeque::with_capacity(TRAIL),
        }
    }

    fn apply(&mut self, input: Input) -> bool {
        match input {
            Input::Click { x, y } if x.is_finite() && y.is_finite() => {
                let at = Point::new(x, y).within(SIZE, 0.5);
                (self.robot.target_x, self.robot.target_y) = (at.x, at.y);
                self.robot.target_visible = true;
                true
            }
            Input::Drain { agent: 0 } => {
                self.robot.battery = self.robot.battery.min(DRAINED);
                true
            }
            Input::Set {
                agent: 0,
                key,
                value,
            } => {
                let done = set_key(Some(&mut self.robot), key, value);
                let at = self.robot.at().within(SIZE, 0.2);
                (self.robot.x, self.robot.y) = (at.x, at.y);
                done
            }
            _ => false,
        }
    }
}

impl World for RobotWorld {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn stage(&self) -> &Stage {
        &self.stage
    }

    fn def(&self) -> &Def {
        self.tree.def()
    }

    fn agents(&self) -> u32 {
        1
    }

    fn bytes_per_agent(&self) -> usize {
        self.tree.bytes_per_agent()
    }

    fn duplicate(&self) -> Option<Box<dyn World>> {
        Some(Box::new(RobotWorld {
            stage: self.stage.clone(),
            tree: self.tree.clone(),
            agent: self.agent.duplicate()?,
            robot: self.robot.clone(),
            trail: self.trail.clone(),
        }))
    }

    fn step(&mut self) -> Result<(), TickError> {
        let now = self.stage.begin();
        self.robot.live(self.stage.dt());
        self.stage.watch.begin(self.stage.ticks());
        let watch = &mut self.stage.watch;
        let status = self
            .tree
            .tick_traced(&mut self.agent, &mut self.robot, now, watch)?;
        let r = &self.robot;
        self.stage.mix_agent(status, [r.x, r.y, r.battery]);
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(self.robot.at());
        Ok(())
    }

    fn input(&mut self, input: Input) -> bool {
        let done = self.apply(input);
        if done {
            self.stage.record(input);
        }
        done
    }

    fn focus(&mut self, _agent: u32) {}

    fn view(&self) -> View {
        let r = &self.robot;
        let mut marks = Vec::new();
        marks.push(Mark::through(Shape::Ring, Tone::Quiet, r.route.to_vec()));
        let trail = self.trail.iter().copied().collect();
        marks.push(Mark::through(Shape::Line, Tone::Plain, trail));
        marks.push(Mark::at(Shape::Place, Tone::Good, CHARGER, "charger"));
        if r.target_visible {
            marks.push(Mark::at(Shape::Place, Tone::Goal, r.target(), "target"));
        }
        let body = Shape::Body {
            radius: 0.45,
            heading: r.heading,
        };
        let doing = self.stage.watch.deciding_label(self.def()).unwrap_or("");
        marks.push(Mark::at(body, Tone::Focus, r.at(), String::from(doing)));
        let tone = if r.battery_low { Tone::Bad } else { Tone::Good };
        View {
            size: SIZE,
            marks,
            bars: alloc::vec![Bar::new("battery", r.battery, tone)],
            notes: alloc::vec![(
                "charger",
                if r.charging { "charging" } else { "free" }.into()
            )],
        }
    }

    fn keys(&self, agent: u32) -> Vec<KeyValue> {
        if agent == 0 {
            read_keys(&self.robot)
        } else {
            Vec::new()
        }
    }
}
