//! Villagers with four needs: a utility selector chooses among eating, sleeping,
//! socialising and working by two considerations each. The tree is `trees/villager.tick`.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use core::time::Duration;

use tickseed_core::{Status, TickError, nodes};
use tickseed_derive::Context;
use tickseed_lang::expr::{Datum, Type};
use tickseed_lang::registry::{PortType, Registry};

use crate::choices::{Choice, choices};
use crate::crowd::{Body, Crowd, crowd_world};
use crate::geometry::{Point, turn};
use crate::script::{Keys, Messages, Reloaded, Script, leaf, must, scripted};
use crate::stage::{Stage, between};
use crate::view::{Bar, Mark, Shape, Tone, View};
use crate::world::{Figures, Info, Input, KeyValue, Part, World};

/// About this world.
pub const INFO: Info = Info {
    name: "villager",
    about: "villagers who eat, sleep, socialise and work by utility",
    step: Duration::from_millis(100),
    agents: 12,
    crowd: true,
    click: "move the meeting place",
    drain_label: "Tire out",
    drain: "make the watched villager hungry and tired",
    offer: None,
    source: include_str!("../trees/villager.tick"),
    make: |seed, agents| Box::new(VillagerWorld::new(seed, agents)),
};

const SIZE: Point = Point::new(30.0, 17.0);
const INN: Point = Point::new(8.0, 12.0);
const WORKSHOP: Point = Point::new(24.0, 5.0);
const DAY: f32 = 90.0;
const SPEED: f32 = 3.6;

/// What a villager's leaves see and change. Needs go from 0, content, to 1, desperate.
#[derive(Clone, Debug, Context)]
#[context(crate = tickseed_core)]
pub struct Villager {
    x: f32,
    y: f32,
    #[key(read_only)]
    heading: f32,
    hunger: f32,
    tiredness: f32,
    loneliness: f32,
    poverty: f32,
    /// 1 at noon, 0 at midnight.
    #[key(read_only)]
    daylight: f32,
    /// The fraction of the village that is at the meeting place.
    #[key(read_only)]
    company: f32,
    home: Point,
    square: Point,
    /// Its own seat or bench, so that villagers do not overlap.
    seat: Point,
    doing: Need,
    #[key(skip)]
    script: Keys,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    Eat,
    Sleep,
    Socialise,
    Work,
    Walk,
}

const NEEDS: [&str; 5] = ["eating", "sleeping", "socialising", "working", "walking"];

scripted!(Villager);

impl Body for Villager {
    fn digest(&self) -> [f32; 3] {
        [self.x, self.y, self.hunger + self.tiredness]
    }
}

impl Villager {
    fn at(&self) -> Point {
        Point::new(self.x, self.y)
    }

    fn walk(&mut self, place: Point, dt: f32) -> Status {
        let goal = (place + self.seat).within(SIZE, 0.4);
        if self.at().distance(goal) < 0.1 {
            return Status::Success;
        }
        self.doing = Need::Walk;
        self.heading = turn(self.heading, self.at().heading(goal), 9.0 * dt);
        let at = self.at().toward(goal, SPEED * dt);
        (self.x, self.y) = (at.x, at.y);
        Status::Running
    }

    /// Satisfies a need until little of it is left.
    fn satisfy(&mut self, need: Need, dt: f32) -> Status {
        self.doing = need;
        let left = match need {
            Need::Eat => {
                self.poverty += 0.04 * dt;
                &mut self.hunger
            }
            Need::Sleep => &mut self.tiredness,
            Need::Socialise => &mut self.loneliness,
            Need::Work | Need::Walk => {
                self.tiredness += 0.01 * dt;
                &mut self.poverty
            }
        };
        let rate = match need {
            Need::Eat => 0.25,
            Need::Sleep => 0.035,
            Need::Socialise => 0.14,
            Need::Work | Need::Walk => 0.06,
        };
        *left -= rate * dt;
        if *left < 0.03 {
            Status::Success
        } else {
            Status::Running
        }
    }

    fn live(&mut self, dt: f32) {
        self.hunger += dt / 70.0;
        self.tiredness += dt / 120.0;
        self.loneliness += dt / 80.0;
        self.poverty += dt / 120.0;
        for need in [
            &mut self.hunger,
            &mut self.tiredness,
            &mut self.loneliness,
            &mut self.poverty,
        ] {
            *need = need.clamp(0.0, 1.0);
        }
    }
}

/// Where a villager may walk to.
#[derive(Clone, Copy)]
enum Place {
    Inn,
    Home,
    Square,
    Workshop,
}

const PLACES: [(&str, Place); 4] = [
    ("inn", Place::Inn),
    ("home", Place::Home),
    ("square", Place::Square),
    ("workshop", Place::Workshop),
];

impl PortType for Place {
    fn ty() -> Type {
        Type::Enum("Place".into())
    }

    fn parse(text: &str) -> Result<Self, String> {
        let place = PLACES.iter().find(|(name, _)| *name == text);
        place.map(|p| p.1).ok_or_else(|| {
            let names = PLACES.map(|p| p.0).join(", ");
            alloc::format!("expected one of {names}, found `{text}`")
        })
    }

    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Word(i) => PLACES.get(usize::try_from(*i).ok()?).map(|p| p.1),
            _ => None,
        }
    }
}

/// The leaves that the villagers' tree may name.
fn registry() -> Registry<Villager> {
    let n = nodes::<Villager>();
    let mut r = Registry::new();
    r.enumeration("Place", (0..).zip(PLACES).map(|(i, p)| (p.0, i)));
    let doc = "Walks to a place; succeeds there.";
    let model = leaf("walk", doc).port(must::<Place>("to"));
    r.node(model, move |ports, _| {
        let to = *ports.constant::<Place>("to")?;
        Some(n.action("walk", move |v| {
            let place = match to {
                Place::Inn => INN,
                Place::Home => v.home,
                Place::Square => v.square,
                Place::Workshop => WORKSHOP,
            };
            let dt = v.dt_secs();
            v.at_mut().walk(place, dt)
        }))
    });
    for (name, need, doc) in [
        (
            "eat",
            Need::Eat,
            "Eats until hardly hungry; it costs money.",
        ),
        ("sleep", Need::Sleep, "Sleeps until hardly tired."),
        ("chat", Need::Socialise, "Chats until hardly lonely."),
        ("earn", Need::Work, "Works until hardly poor; it tires."),
    ] {
        r.node(leaf(name, doc), move |_, _| {
            Some(n.action(name, move |v| {
                let dt = v.dt_secs();
                v.satisfy(need, dt)
            }))
        });
    }
    r
}

/// A village.
#[derive(Debug)]
pub struct VillagerWorld {
    stage: Stage,
    crowd: Crowd<Villager>,
    square: Point,
}

impl VillagerWorld {
    /// This many villagers; at least one.
    ///
    /// # Panics
    /// Never: its tree has no mistakes.
    #[must_use]
    pub fn new(seed: u64, agents: u32) -> VillagerWorld {
        let script = Script::own(INFO.source, registry());
        let mut stage = Stage::new(seed, INFO.step, script.tree().def());
        let square = Point::new(15.0, 8.5);
        let rng = &mut stage.rng;
        let villager = |i: u32| {
            let angle = i as f32 * 2.399_963;
            let reach = between(rng, 0.8, 0.95);
            let home = Point::new(
                square.x + libm::cosf(angle) * 14.0 * reach,
                square.y + libm::sinf(angle) * 7.8 * reach,
            );
            let seat = Point::default().polar(angle, 0.5 + between(rng, 0.0, 1.2));
            Villager {
                x: home.x,
                y: home.y,
                heading: between(rng, 0.0, TAU),
                hunger: between(rng, 0.1, 0.7),
                tiredness: between(rng, 0.0, 0.5),
                loneliness: between(rng, 0.1, 0.7),
                poverty: between(rng, 0.1, 0.7),
                daylight: 0.5,
                company: 0.0,
                home,
                square,
                seat,
                doing: Need::Walk,
                script: Keys::default(),
            }
        };
        let bodies = (0..agents.max(1)).map(villager).collect();
        VillagerWorld {
            crowd: Crowd::new(script, seed, bodies),
            stage,
            square,
        }
    }

    /// 1 at noon, 0 at midnight; the world begins in the morning.
    fn daylight(&self) -> f32 {
        let turns = self.stage.time().as_secs_f64() as f32 / DAY;
        0.5 + 0.5 * libm::sinf(turns * TAU)
    }

    fn live(&mut self) {
        let dt = self.stage.dt();
        let daylight = self.daylight();
        let chatting = |v: &&Villager| v.doing == Need::Socialise;
        let together = self.crowd.bodies.iter().filter(chatting).count();
        let company = together as f32 / self.crowd.bodies.len() as f32;
        for v in &mut self.crowd.bodies {
            v.live(dt);
            (v.daylight, v.company, v.square) = (daylight, company, self.square);
        }
    }

    fn reap(&mut self) {}

    fn apply(&mut self, input: &Input) -> bool {
        match *input {
            Input::Click { x, y } if x.is_finite() && y.is_finite() => {
                self.square = Point::new(x, y).within(SIZE, 2.0);
                true
            }
            Input::Drain { agent } => match self.crowd.body_mut(agent) {
                Some(v) => {
                    (v.hunger, v.tiredness) = (0.95, 0.85);
                    true
                }
                None => false,
            },
            Input::Set { agent, key, value } => {
                let done = self.crowd.set(agent, key, value);
                if let Some(v) = self.crowd.body_mut(agent) {
                    let at = v.at().within(SIZE, 0.3);
                    (v.x, v.y) = (at.x, at.y);
                }
                done
            }
            Input::Click { .. } | Input::Reload { .. } => false,
        }
    }
}

impl World for VillagerWorld {
    crowd_world!(INFO);

    fn duplicate(&self) -> Option<Box<dyn World>> {
        Some(Box::new(VillagerWorld {
            stage: self.stage.clone(),
            crowd: self.crowd.duplicate()?,
            square: self.square,
        }))
    }

    fn reload(&mut self, source: &str) -> Result<Reloaded, Messages> {
        self.crowd.reload(&mut self.stage, source)
    }

    fn view(&self) -> View {
        let mut marks = vec![
            Mark::at(Shape::Place, Tone::Good, INN, "inn"),
            Mark::at(Shape::Place, Tone::Goal, self.square, "square"),
            Mark::at(Shape::Place, Tone::Plain, WORKSHOP, "workshop"),
        ];
        let homes = self
            .crowd
            .sample(&self.stage)
            .map(|(_, v)| v.home)
            .collect();
        marks.push(Mark::through(Shape::Dots, Tone::Quiet, homes));
        for (i, v) in self.crowd.sample(&self.stage) {
            let focus = i == self.stage.focus();
            let tone = match (focus, v.doing) {
                (true, _) => Tone::Focus,
                (_, Need::Sleep) => Tone::Quiet,
                _ => Tone::Agent,
            };
            let label = if focus { NEEDS[v.doing as usize] } else { "" };
            let body = Shape::Body {
                radius: 0.3,
                heading: v.heading,
            };
            marks.push(Mark::at(body, tone, v.at(), label));
        }
        let mut bars = vec![Bar::new("daylight", self.daylight(), Tone::Plain)];
        if let Some(v) = self.crowd.body(self.stage.focus()) {
            bars.push(Bar::new("hunger", v.hunger, Tone::Bad));
            bars.push(Bar::new("tiredness", v.tiredness, Tone::Bad));
            bars.push(Bar::new("loneliness", v.loneliness, Tone::Bad));
            bars.push(Bar::new("poverty", v.poverty, Tone::Bad));
        }
        View {
            size: SIZE,
            marks,
            bars,
            notes: vec![("watched", alloc::format!("villager {}", self.stage.focus()))],
        }
    }

    fn doing(&self) -> Vec<(&'static str, u32)> {
        self.crowd.count(NEEDS, |v| v.doing as usize)
    }

    fn scores(&self) -> Vec<f64> {
        self.choices().iter().map(|c| c.score).collect()
    }

    fn choices(&self) -> Vec<Choice> {
        let watched = self.crowd.body(self.stage.focus());
        watched.map_or_else(Vec::new, |v| choices(self.crowd.script.tree(), v))
    }
}
