//! The bosses of document 004: one tree, shared by a thousand of them or a million.
//!
//! Each boss waits in a hall of its own. Parties come, fight and flee or win; below a fifth
//! of its health a boss enrages, at most once in 30 s. Its tree is `trees/boss.tick`.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use tickseed_core::{Rng, Status, TickError, nodes};
use tickseed_derive::Context;
use tickseed_lang::registry::Registry;

use crate::crowd::{Body, Crowd, crowd_world};
use crate::geometry::Point;
use crate::script::{Keys, Messages, Reloaded, Script, leaf, port, scripted};
use crate::stage::{Stage, between};
use crate::view::{Bar, Mark, Shape, Tone, View};
use crate::world::{Figures, Info, Input, KeyValue, Part, World};

/// About this world.
pub const INFO: Info = Info {
    name: "boss",
    about: "a crowd that shares one tree: enrage, wind up and strike, idle",
    step: Duration::from_millis(50),
    agents: 1000,
    crowd: true,
    click: "watch the boss there and send it a party",
    drain_label: "Wound",
    drain: "leave the watched boss a tenth of its health",
    offer: None,
    source: include_str!("../trees/boss.tick"),
    make: |seed, agents| Box::new(BossWorld::new(seed, agents)),
};

const SIZE: Point = Point::new(48.0, 28.0);
const MAX_HP: f32 = 1000.0;
const ENRAGE_SECONDS: f32 = 8.0;
/// Health per second that a boss regains while no party is there.
const REST: f32 = 25.0;
/// How often a party comes to an empty hall, per second.
const ARRIVALS: f32 = 0.08;

/// What a boss's leaves see and change.
#[derive(Clone, Debug, Context)]
#[context(crate = tickseed_core)]
pub struct Boss {
    hp: f32,
    #[key(read_only)]
    max_hp: f32,
    has_target: bool,
    /// The party's remaining strength.
    target_hp: f32,
    /// The party's damage per second.
    #[key(skip)]
    target_damage: f32,
    /// Seconds of rage left.
    #[key(read_only)]
    rage: f32,
    #[key(read_only)]
    strikes: u32,
    #[key(read_only)]
    wipes: u32,
    /// Whether health is below a fifth. The world maintains it: an agent that watched its health
    /// itself would be woken by every scratch.
    #[key(read_only)]
    weak: bool,
    #[key(skip)]
    script: Keys,
}

scripted!(Boss);

impl Body for Boss {
    fn digest(&self) -> [f32; 3] {
        [self.hp, self.target_hp, self.rage]
    }
}

impl Boss {
    fn new(rng: &mut Rng) -> Boss {
        Boss {
            hp: between(rng, 0.3, 1.0) * MAX_HP,
            max_hp: MAX_HP,
            has_target: false,
            target_hp: 0.0,
            target_damage: 0.0,
            rage: 0.0,
            strikes: 0,
            wipes: 0,
            weak: false,
            script: Keys::default(),
        }
    }

    fn meet(&mut self, rng: &mut Rng) {
        self.has_target = true;
        self.target_hp = between(rng, 200.0, 900.0);
        self.target_damage = between(rng, 30.0, 110.0);
    }

    fn strike(&mut self) -> Status {
        // The party may have fled during the wind-up.
        if !self.has_target {
            return Status::Failure;
        }
        self.strikes += 1;
        self.target_hp -= if self.rage > 0.0 { 90.0 } else { 45.0 };
        if self.target_hp <= 0.0 {
            self.has_target = false;
            self.target_hp = 0.0;
            self.wipes += 1;
        }
        Status::Success
    }

    /// What happens to the boss whatever its tree decides.
    fn live(&mut self, dt: f32, rng: &mut Rng) {
        self.rage = (self.rage - dt).max(0.0);
        if self.has_target {
            self.hp -= self.target_damage * dt;
            if self.hp <= 0.0 {
                // The party has won; in the next life the boss is well again.
                self.hp = self.max_hp;
                self.has_target = false;
                self.target_hp = 0.0;
                self.rage = 0.0;
            }
        } else {
            self.hp = (self.hp + REST * dt).min(self.max_hp);
            if between(rng, 0.0, 1.0) < ARRIVALS * dt {
                self.meet(rng);
            }
        }
        self.weak = self.hp < self.max_hp / 5.0;
    }

    fn mood(&self) -> usize {
        match (self.rage > 0.0, self.has_target) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        }
    }
}

/// The leaves that the bosses' tree may name.
fn registry() -> Registry<Boss> {
    let n = nodes::<Boss>();
    let mut r = Registry::new();
    let doc = "Falls into a rage for so long: blows deal double damage.";
    let model = leaf("enrage", doc).port(port::<Duration>("lasts", "8s"));
    r.node(model, move |ports, _| {
        let seconds = ports.constant::<Duration>("lasts")?.as_secs_f32();
        Some(n.instant("enrage", move |b| b.rage = seconds))
    });
    let doc = "Strikes the party; fails if it has fled.";
    r.node(leaf("strike", doc), move |_, _| {
        Some(n.instant("strike", |b| b.strike()))
    });
    let doc = "Waits for a party; runs until it is halted.";
    r.node(leaf("idle", doc), move |_, _| {
        Some(n.action("idle", |_| Status::Running).sleeps())
    });
    r
}

/// Halls with a boss each.
#[derive(Debug)]
pub struct BossWorld {
    stage: Stage,
    crowd: Crowd<Boss>,
    columns: u32,
}

impl BossWorld {
    /// This many bosses; at least one.
    ///
    /// # Panics
    /// Never: its tree has no mistakes.
    #[must_use]
    pub fn new(seed: u64, agents: u32) -> BossWorld {
        let script = Script::own(INFO.source, registry());
        let mut stage = Stage::new(seed, INFO.step, script.tree().def());
        let agents = agents.max(1);
        let bodies = (0..agents).map(|_| Boss::new(&mut stage.rng)).collect();
        let shape = SIZE.x / SIZE.y;
        BossWorld {
            crowd: Crowd::new(script, seed, bodies),
            stage,
            columns: libm::ceilf(libm::sqrtf(agents as f32 * shape)).max(1.0) as u32,
        }
    }

    fn rows(&self) -> u32 {
        self.crowd.len().div_ceil(self.columns)
    }

    /// Where a boss's hall is.
    fn place(&self, agent: u32) -> Point {
        let along = |i: u32, n: u32, size: f32| (i as f32 + 0.5) * size / n as f32;
        Point::new(
            along(agent % self.columns, self.columns, SIZE.x),
            along(agent / self.columns, self.rows(), SIZE.y),
        )
    }

    fn nearest(&self, at: Point) -> u32 {
        let index = |v: f32, n: u32, size: f32| ((v * n as f32 / size) as u32).min(n - 1);
        let row = index(at.y, self.rows(), SIZE.y);
        (row * self.columns + index(at.x, self.columns, SIZE.x)).min(self.crowd.len() - 1)
    }

    fn live(&mut self) {
        let dt = self.stage.dt();
        for agent in 0..self.crowd.len() {
            let body = &mut self.crowd.bodies[agent as usize];
            let before = (body.weak, body.has_target);
            body.live(dt, &mut self.stage.rng);
            let after = (body.weak, body.has_target);
            if before.0 != after.0 {
                self.crowd.touch(agent, Boss::WEAK);
            }
            if before.1 != after.1 {
                self.crowd.touch(agent, Boss::HAS_TARGET);
            }
        }
    }

    fn reap(&mut self) {}

    fn apply(&mut self, input: &Input) -> bool {
        match *input {
            Input::Click { x, y } if x.is_finite() && y.is_finite() => {
                let agent = self.nearest(Point::new(x, y));
                if let Some(b) = self.crowd.bodies.get_mut(agent as usize) {
                    b.meet(&mut self.stage.rng);
                }
                self.crowd.touch(agent, Boss::HAS_TARGET);
                self.focus(agent);
                true
            }
            Input::Drain { agent } => match self.crowd.body_mut(agent) {
                Some(b) => {
                    b.hp = b.hp.min(b.max_hp * 0.1);
                    true
                }
                None => false,
            },
            Input::Set { agent, key, value } => self.crowd.set(agent, key, value),
            Input::Click { .. } | Input::Reload { .. } => false,
        }
    }
}

impl World for BossWorld {
    crowd_world!(INFO);

    fn duplicate(&self) -> Option<Box<dyn World>> {
        Some(Box::new(BossWorld {
            stage: self.stage.clone(),
            crowd: self.crowd.duplicate()?,
            columns: self.columns,
        }))
    }

    fn reload(&mut self, source: &str) -> Result<Reloaded, Messages> {
        self.crowd.reload(&mut self.stage, source)
    }

    fn view(&self) -> View {
        let mut dots = [vec![], vec![], vec![]];
        let mut focus = None;
        for (i, b) in self.crowd.sample(&self.stage) {
            if i == self.stage.focus() {
                focus = Some(b);
            }
            dots[b.mood()].push(self.place(i));
        }
        let tones = [Tone::Quiet, Tone::Agent, Tone::Bad];
        let mut marks: Vec<_> = tones
            .into_iter()
            .zip(dots)
            .map(|(tone, points)| Mark::through(Shape::Dots, tone, points))
            .collect();
        let body = Shape::Circle { radius: 0.6 };
        let at = self.place(self.stage.focus());
        marks.push(Mark::at(body, Tone::Focus, at, "watched"));
        let bars = focus.map_or_else(Vec::new, |b| {
            let hurt = if b.hp < b.max_hp / 5.0 {
                Tone::Bad
            } else {
                Tone::Good
            };
            vec![
                Bar::new("health", b.hp / b.max_hp, hurt),
                Bar::new("party", b.target_hp / 900.0, Tone::Goal),
                Bar::new("rage", b.rage / ENRAGE_SECONDS, Tone::Bad),
            ]
        });
        View {
            size: SIZE,
            marks,
            bars,
            notes: Vec::new(),
        }
    }

    fn doing(&self) -> Vec<(&'static str, u32)> {
        self.crowd
            .count(["idle", "fighting", "enraged"], Boss::mood)
    }
}
