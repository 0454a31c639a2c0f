//! The robot of document 001: recharge when the battery is low, else approach a target,
//! else patrol. Its tree is `trees/robot.tick`.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use core::time::Duration;

use tickseed_core::{Status, TickError, nodes};
use tickseed_derive::Context;
use tickseed_lang::registry::Registry;

use crate::geometry::{Point, turn};
use crate::offer::Offer;
use crate::script::{Keys, Messages, Reloaded, Script, Solo, leaf, scripted, scripted_world};
use crate::stage::Stage;
use crate::view::{Bar, Mark, Shape, Tone, View};
use crate::world::{Info, Input, KeyValue, World, read_keys, set_key};

/// About this world.
pub const INFO: Info = Info {
    name: "robot",
    about: "a robot that recharges, approaches a target or patrols",
    step: Duration::from_millis(50),
    agents: 1,
    crowd: false,
    click: "send the robot there",
    drain_label: "Drain",
    drain: "drain the battery",
    offer: Some(Offer {
        label: "Add a dock behaviour",
        leaf: "dock",
        branch: "sequence reactive {\n  check \"queue empty\" queue_empty\n  dock\n}",
    }),
    source: include_str!("../trees/robot.tick"),
    make: |seed, _| Box::new(RobotWorld::new(seed)),
};

const SIZE: Point = Point::new(24.0, 14.0);
const CHARGER: Point = Point::new(2.5, 2.5);
/// Where it may wait for orders: no leaf of its own tree goes there.
const DOCK: Point = Point::new(2.5, 11.5);
/// Seconds without an order after which the queue of orders counts as empty.
const QUIET: f32 = 12.0;
const WAYPOINTS: usize = 6;
const SPEED: f32 = 2.4;
const TURN_RATE: f32 = 6.0;
/// Charge lost per second by being on, and by driving on top of it.
const IDLE_DRAIN: f32 = 0.003;
const DRIVE_DRAIN: f32 = 0.012;
const CHARGE_RATE: f32 = 0.22;
/// Below this the battery counts as low, until it is full: without the gap between the two, the
/// robot would leave the charger at once and turn round again.
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
    /// No order has come for a while.
    #[key(read_only)]
    queue_empty: bool,
    /// Seconds since the last order was carried out.
    #[key(skip)]
    quiet: f32,
    /// Where its leaf wants it to drive in this step.
    drive: Option<Point>,
    route: [Point; WAYPOINTS],
    #[key(skip)]
    script: Keys,
}

scripted!(Robot);

impl Robot {
    fn at(&self) -> Point {
        Point::new(self.x, self.y)
    }

    fn target(&self) -> Point {
        Point::new(self.target_x, self.target_y)
    }

    /// Sets course for a point; returns whether it is already there.
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

    fn dock(&mut self) -> Status {
        self.drive_to(DOCK);
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
        self.quiet = if self.target_visible {
            0.0
        } else {
            self.quiet + dt
        };
        self.queue_empty = self.quiet >= QUIET;
        self.battery = self.battery.clamp(0.01, 1.0);
        self.battery_low = if self.battery_low {
            self.battery < FULL
        } else {
            self.battery < LOW
        };
    }
}

/// The leaves that the robot's tree may name.
fn registry() -> Registry<Robot> {
    let n = nodes::<Robot>();
    let mut r = Registry::new();
    let doc = "Drives to the charger and fills the battery; runs until it is halted.";
    r.node(leaf("recharge", doc), move |_, _| {
        let act = n.action("recharge", |r| r.recharge());
        Some(act.on_halt(|r| r.charging = false))
    });
    let doc = "Drives to the target; succeeds there.";
    r.node(leaf("approach", doc), move |_, _| {
        Some(n.action("approach", |r| r.approach()))
    });
    let doc = "Drives round its loop; runs until it is halted.";
    r.node(leaf("patrol", doc), move |_, _| {
        Some(n.action("patrol", |r| r.patrol()))
    });
    let doc = "Drives to the dock and waits there; runs until it is halted.";
    r.node(leaf("dock", doc), move |_, _| {
        Some(n.action("dock", |r| r.dock()))
    });
    r
}

/// A floor with a charger, a patrol loop and one robot.
#[derive(Debug)]
pub struct RobotWorld {
    stage: Stage,
    solo: Solo<Robot>,
    robot: Robot,
    trail: VecDeque<Point>,
}

impl RobotWorld {
    /// The world of this seed, which decides the loop and where the robot begins.
    ///
    /// # Panics
    /// Never: its tree has no mistakes.
    #[must_use]
    pub fn new(seed: u64) -> RobotWorld {
        let solo = Solo::new(Script::own(INFO.source, registry()), seed);
        let mut stage = Stage::new(seed, INFO.step, solo.script.tree().def());
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
                queue_empty: false,
                quiet: 0.0,
                drive: None,
                route,
                script: Keys::default(),
            },
            stage,
            solo,
            trail: VecDeque::with_capacity(TRAIL),
        }
    }

    fn apply(&mut self, input: &Input) -> bool {
        match *input {
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
    scripted_world!(INFO, solo);

    fn agents(&self) -> u32 {
        1
    }

    fn duplicate(&self) -> Option<Box<dyn World>> {
        Some(Box::new(RobotWorld {
            stage: self.stage.clone(),
            solo: self.solo.duplicate()?,
            robot: self.robot.clone(),
            trail: self.trail.clone(),
        }))
    }

    fn step(&mut self) -> Result<(), TickError> {
        let now = self.stage.begin();
        self.robot.live(self.stage.dt());
        self.stage.watch.begin(self.stage.ticks());
        let watch = &mut self.stage.watch;
        let status = self.solo.tick(&mut self.robot, now, watch)?;
        let r = &self.robot;
        self.stage.mix_agent(status, [r.x, r.y, r.battery]);
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(self.robot.at());
        Ok(())
    }

    fn reload(&mut self, source: &str) -> Result<Reloaded, Messages> {
        self.solo.reload(&mut self.robot, &mut self.stage, source)
    }

    fn focus(&mut self, _agent: u32) {}

    fn view(&self) -> View {
        let r = &self.robot;
        let mut marks = Vec::new();
        marks.push(Mark::through(Shape::Ring, Tone::Quiet, r.route.to_vec()));
        let trail = self.trail.iter().copied().collect();
        marks.push(Mark::through(Shape::Line, Tone::Plain, trail));
        marks.push(Mark::at(Shape::Place, Tone::Good, CHARGER, "charger"));
        if self.def().find("dock").is_some() {
            marks.push(Mark::at(Shape::Place, Tone::Plain, DOCK, "dock"));
        }
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
