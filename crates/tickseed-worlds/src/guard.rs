//! The guard of document 000: see, pursue, attack at most every 0.8 s; patrol otherwise.
//!
//! The world moves sixty times a second, and the guard decides ten times a second, knowing the time
//! since its last decision. Its sequence is reactive where the document's has memory, so that it
//! gives up a pursuit when it loses sight of the intruder. Between two blows it circles the
//! intruder, where the document's guard would turn to patrol. Its tree is `trees/guard.tick`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::f32::consts::{PI, TAU};
use core::time::Duration;

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Cadence, Cx, Leaf, LeafError, Pacer, Status, TickError, Time, nodes};
use tickseed_derive::Context;
use tickseed_lang::registry::Registry;

use crate::geometry::{Point, turn};
use crate::script::{Keys, Messages, Reloaded, Script, Solo, leaf, port, scripted, scripted_world};
use crate::stage::Stage;
use crate::view::{Bar, Mark, Shape, Tone, View};
use crate::world::{Info, Input, KeyValue, World, read_keys, set_key};

/// About this world.
pub const INFO: Info = Info {
    name: "guard",
    about: "a guard that patrols, sees an intruder, pursues and strikes",
    step: Duration::from_nanos(16_666_667),
    agents: 1,
    crowd: false,
    click: "send the intruder there",
    drain_label: "Wound",
    drain: "leave the intruder one life",
    offer: None,
    source: include_str!("../trees/guard.tick"),
    make: |seed, _| Box::new(GuardWorld::new(seed)),
};

const SIZE: Point = Point::new(26.0, 15.0);
const DECISIONS_PER_SECOND: f64 = 10.0;
const WAYPOINTS: usize = 5;
const SPEED: f32 = 3.0;
const SIGHT: f32 = 6.5;
/// Half the angle of its view; what is near is noticed from any side.
const HALF_VIEW: f32 = 1.2;
const NEAR: f32 = 2.5;
const LIVES: u32 = 3;
const SNEAK: f32 = 1.7;
const FLEE: f32 = 2.7;
/// For a moment after a blow the intruder is faster than the guard.
const BURST: f32 = 4.4;
const BURST_SECONDS: f32 = 0.9;

/// What the guard's leaves see and change.
#[derive(Clone, Debug, Context)]
#[context(crate = tickseed_core)]
pub struct Guard {
    x: f32,
    y: f32,
    #[key(read_only)]
    heading: f32,
    #[key(read_only)]
    target_seen: bool,
    #[key(read_only)]
    target_x: f32,
    #[key(read_only)]
    target_y: f32,
    #[key(read_only)]
    waypoint: u32,
    #[key(read_only)]
    hits: u32,
    /// Where the last decision sent it.
    goal: Option<Point>,
    /// A blow dealt in this decision.
    #[key(skip)]
    blow: bool,
    route: [Point; WAYPOINTS],
    #[key(skip)]
    script: Keys,
}

scripted!(Guard);

impl Guard {
    fn at(&self) -> Point {
        Point::new(self.x, self.y)
    }

    fn target(&self) -> Point {
        Point::new(self.target_x, self.target_y)
    }

    fn move_to_target(&mut self, arrive: f32) -> Status {
        if self.at().distance(self.target()) <= arrive {
            self.goal = None;
            return Status::Success;
        }
        self.goal = Some(self.target());
        Status::Running
    }

    fn attack(&mut self) -> Status {
        self.blow = true;
        self.hits += 1;
        Status::Success
    }

    /// Keeps close and to the side while the next blow gathers.
    fn circle(&mut self) -> Status {
        let around = self.target().heading(self.at()) + 0.5;
        self.goal = Some(self.target().polar(around, 1.1).within(SIZE, 0.3));
        Status::Running
    }
}

/// Walks the ring of waypoints with a pause at each. The waypoint outlives a halt, the
/// pause does not.
struct Patrol {
    pause: Duration,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Pausing {
    /// Nanoseconds left of the pause; zero while walking.
    left: u64,
}

impl Leaf<Guard> for Patrol {
    type State = Pausing;

    fn start(&self, state: &mut Pausing, cx: &mut Cx<'_, '_, Guard>) -> Result<Status, LeafError> {
        self.tick(state, cx)
    }

    fn tick(&self, state: &mut Pausing, cx: &mut Cx<'_, '_, Guard>) -> Result<Status, LeafError> {
        let dt = cx.dt().as_nanos() as u64;
        if state.left > 0 {
            state.left = state.left.saturating_sub(dt);
            cx.goal = None;
            return Ok(Status::Running);
        }
        let goal = cx.route[cx.waypoint as usize % WAYPOINTS];
        if cx.at().at().distance(goal) < 0.3 {
            cx.waypoint = (cx.waypoint + 1) % WAYPOINTS as u32;
            state.left = self.pause.as_nanos() as u64;
            cx.goal = None;
        } else {
            cx.goal = Some(goal);
        }
        Ok(Status::Running)
    }

    fn halt(&self, _state: &mut Pausing, cx: &mut Cx<'_, '_, Guard>) {
        cx.waypoint %= WAYPOINTS as u32;
    }
}

/// The leaves that the guard's tree may name.
fn registry() -> Registry<Guard> {
    let n = nodes::<Guard>();
    let mut r = Registry::new();
    let doc = "Follows the target; succeeds when it is within so many metres.";
    let model = leaf("pursue", doc).port(port::<f32>("within", "1.5"));
    r.node(model, move |ports, _| {
        let within = *ports.constant::<f32>("within")?;
        Some(n.action("pursue", move |g| g.move_to_target(within)))
    });
    let doc = "Strikes, at once; whether it may is for a cooldown to say.";
    r.node(leaf("attack", doc), move |_, _| {
        Some(n.instant("attack", |g| g.attack()))
    });
    let doc = "Keeps close to the target and to its side.";
    r.node(leaf("circle", doc), move |_, _| {
        Some(n.action("circle", |g| g.circle()))
    });
    let doc = "Walks its ring of waypoints and pauses at each.";
    let model = leaf("patrol", doc).port(port::<Duration>("pause", "1200ms"));
    r.node(model, move |ports, _| {
        let pause = *ports.constant("pause")?;
        Some(n.leaf("patrol", Patrol { pause }))
    });
    r
}

/// Someone who should not be here; moved by the world, not by a tree.
#[derive(Clone, Debug)]
struct Intruder {
    at: Point,
    heading: f32,
    goal: Point,
    lives: u32,
    alarmed: bool,
    burst: f32,
    /// Seconds until the next one comes.
    away: f32,
}

impl Intruder {
    fn arrive(stage: &mut Stage) -> Intruder {
        let x = if stage.rng.below(2) == 0 {
            0.5
        } else {
            SIZE.x - 0.5
        };
        Intruder {
            at: Point::new(x, stage.between(1.0, SIZE.y - 1.0)),
            heading: 0.0,
            goal: somewhere(stage),
            lives: LIVES,
            alarmed: false,
            burst: 0.0,
            away: 0.0,
        }
    }

    /// The way out that leads furthest from the guard.
    fn escape(&self, guard: Point) -> Point {
        let mut best = (f32::MIN, self.at);
        for k in 0..12 {
            let to = self.at.polar(TAU * k as f32 / 12.0, 2.5).within(SIZE, 0.5);
            let worth = to.distance(guard) + 0.3 * to.distance(self.at);
            if worth > best.0 {
                best = (worth, to);
            }
        }
        best.1
    }

    fn live(&mut self, stage: &mut Stage, guard: Point) {
        let dt = stage.dt();
        if self.away > 0.0 {
            self.away -= dt;
            if self.away <= 0.0 {
                *self = Intruder::arrive(stage);
            }
            return;
        }
        let d = self.at.distance(guard);
        self.alarmed = d < if self.alarmed { 7.5 } else { 4.0 };
        self.burst = (self.burst - dt).max(0.0);
        let (goal, speed) = match (self.burst > 0.0, self.alarmed) {
            (true, _) => (self.escape(guard), BURST),
            (false, true) => (self.escape(guard), FLEE),
            (false, false) => (self.goal, SNEAK),
        };
        if self.at.distance(goal) > 0.05 {
            self.heading = turn(self.heading, self.at.heading(goal), 10.0 * dt);
            self.at = self.at.toward(goal, speed * dt).within(SIZE, 0.4);
        } else if !self.alarmed {
            self.goal = somewhere(stage);
        }
    }

    fn hit(&mut self) {
        self.lives -= 1;
        self.burst = BURST_SECONDS;
        if self.lives == 0 {
            self.away = 3.0;
        }
    }
}

fn somewhere(stage: &mut Stage) -> Point {
    Point::new(
        stage.between(1.0, SIZE.x - 1.0),
        stage.between(1.0, SIZE.y - 1.0),
    )
}

/// A yard with a guard and an intruder.
#[derive(Debug)]
pub struct GuardWorld {
    stage: Stage,
    solo: Solo<Guard>,
    guard: Guard,
    intruder: Intruder,
    cadence: Cadence,
    pacer: Pacer,
}

impl GuardWorld {
    /// The world of this seed.
    ///
    /// # Panics
    /// Never: its tree has no mistakes.
    #[must_use]
    pub fn new(seed: u64) -> GuardWorld {
        let solo = Solo::new(Script::own(INFO.source, registry()), seed);
        let cadence = Cadence::hertz(DECISIONS_PER_SECOND);
        let mut stage = Stage::new(seed, INFO.step, solo.script.tree().def());
        let route = core::array::from_fn(|i| {
            let angle = TAU * i as f32 / WAYPOINTS as f32;
            let reach = stage.between(0.6, 1.0);
            let middle = SIZE * 0.5;
            Point::new(
                middle.x + libm::cosf(angle) * 9.0 * reach,
                middle.y + libm::sinf(angle) * 5.5 * reach,
            )
        });
        GuardWorld {
            guard: Guard {
                x: route[0].x,
                y: route[0].y,
                heading: 0.0,
                target_seen: false,
                target_x: 0.0,
                target_y: 0.0,
                waypoint: 1,
                hits: 0,
                goal: None,
                blow: false,
                route,
                script: Keys::default(),
            },
            intruder: Intruder::arrive(&mut stage),
            stage,
            solo,
            pacer: cadence.start(Time::ZERO),
            cadence,
        }
    }

    /// What the guard perceives now.
    fn perceive(&mut self) {
        let (g, i) = (&mut self.guard, &self.intruder);
        let d = g.at().distance(i.at);
        let off = turn(0.0, g.at().heading(i.at) - g.heading, PI);
        // Once seen it is followed with the eyes.
        let looked_at = libm::fabsf(off) < HALF_VIEW || g.target_seen;
        g.target_seen = i.away <= 0.0 && (d < NEAR || (d < SIGHT && looked_at));
        if g.target_seen {
            (g.target_x, g.target_y) = (i.at.x, i.at.y);
        }
    }

    fn decide(&mut self, now: Time) -> Result<(), TickError> {
        self.perceive();
        self.stage.watch.begin(self.stage.ticks());
        let watch = &mut self.stage.watch;
        let status = self.solo.tick(&mut self.guard, now, watch)?;
        self.stage.mix(status as u64);
        if core::mem::take(&mut self.guard.blow) && self.intruder.lives > 0 {
            self.intruder.hit();
        }
        Ok(())
    }

    fn apply(&mut self, input: &Input) -> bool {
        match *input {
            Input::Click { x, y } if x.is_finite() && y.is_finite() => {
                self.intruder.goal = Point::new(x, y).within(SIZE, 0.5);
                true
            }
            Input::Drain { agent: 0 } => {
                self.intruder.lives = self.intruder.lives.min(1);
                true
            }
            Input::Set {
                agent: 0,
                key,
                value,
            } => {
                let done = set_key(Some(&mut self.guard), key, value);
                let at = self.guard.at().within(SIZE, 0.3);
                (self.guard.x, self.guard.y) = (at.x, at.y);
                done
            }
            _ => false,
        }
    }
}

impl World for GuardWorld {
    scripted_world!(INFO, solo);

    fn agents(&self) -> u32 {
        1
    }

    fn duplicate(&self) -> Option<Box<dyn World>> {
        Some(Box::new(GuardWorld {
            stage: self.stage.clone(),
            solo: self.solo.duplicate()?,
            guard: self.guard.clone(),
            intruder: self.intruder.clone(),
            cadence: self.cadence,
            pacer: self.pacer,
        }))
    }

    fn step(&mut self) -> Result<(), TickError> {
        let now = self.stage.begin();
        let dt = self.stage.dt();
        self.intruder.live(&mut self.stage, self.guard.at());
        let g = &mut self.guard;
        let facing = g.goal.or(g.target_seen.then(|| g.target()));
        if let Some(to) = facing.filter(|to| g.at().distance(*to) > 0.01) {
            g.heading = turn(g.heading, g.at().heading(to), 7.0 * dt);
        }
        if let Some(goal) = g.goal {
            let at = g.at().toward(goal, SPEED * dt);
            (g.x, g.y) = (at.x, at.y);
        }
        for due in self.cadence.due(&mut self.pacer, now) {
            self.decide(due)?;
        }
        let (g, i) = (self.guard.at(), self.intruder.at);
        self.stage.mix_agent(Status::Running, [g.x, g.y, i.x + i.y]);
        Ok(())
    }

    fn reload(&mut self, source: &str) -> Result<Reloaded, Messages> {
        self.solo.reload(&mut self.guard, &mut self.stage, source)
    }

    fn focus(&mut self, _agent: u32) {}

    fn view(&self) -> View {
        let g = &self.guard;
        let mut marks = vec![
            Mark::through(Shape::Ring, Tone::Quiet, g.route.to_vec()),
            Mark::through(Shape::Dots, Tone::Plain, g.route.to_vec()),
        ];
        // The edge of what it sees, cut at the walls.
        let half = if g.target_seen { PI } else { HALF_VIEW };
        let rim = (0..=24).map(|k| {
            let angle = g.heading - half + 2.0 * half * k as f32 / 24.0;
            g.at().polar(angle, SIGHT).within(SIZE, 0.0)
        });
        let sight: Vec<Point> = core::iter::once(g.at()).chain(rim).collect();
        marks.push(Mark::through(Shape::Ring, Tone::Quiet, sight));
        let body = |heading| Shape::Body {
            radius: 0.4,
            heading,
        };
        let i = &self.intruder;
        if i.away <= 0.0 {
            let what = if i.alarmed { "fleeing" } else { "sneaking" };
            marks.push(Mark::at(body(i.heading), Tone::Bad, i.at, what));
        }
        let doing = self.stage.watch.deciding_label(self.def()).unwrap_or("");
        let label = String::from(doing);
        marks.push(Mark::at(body(g.heading), Tone::Focus, g.at(), label));
        View {
            size: SIZE,
            marks,
            bars: vec![Bar::new(
                "intruder",
                i.lives as f32 / LIVES as f32,
                Tone::Bad,
            )],
            notes: vec![("hits", alloc::format!("{}", g.hits))],
        }
    }

    fn keys(&self, agent: u32) -> Vec<KeyValue> {
        if agent == 0 {
            read_keys(&self.guard)
        } else {
            Vec::new()
        }
    }
}
