//! The monsters of document 003: die, idle, walk, attack. The document builds their tree with a
//! chained builder that has its own words and parameters, and so does [`tree`]; the world runs the
//! same tree from `trees/monster.tick`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::f32::consts::TAU;
use core::time::Duration;

use tickseed_core::{BuildError, Builder, Cx, Node, Status, TickError, Tree, builder, nodes};
use tickseed_derive::Context;
use tickseed_lang::registry::Registry;

use crate::crowd::{Body, Crowd, crowd_world};
use crate::geometry::{Point, turn};
use crate::script::{Keys, Messages, Reloaded, Script, leaf, port, scripted};
use crate::stage::Stage;
use crate::view::{Bar, Mark, Shape, Tone, View};
use crate::world::{Figures, Info, Input, KeyValue, Part, World};

/// About this world.
pub const INFO: Info = Info {
    name: "monster",
    about: "monsters that die, idle, walk and attack",
    step: Duration::from_millis(50),
    agents: 6,
    crowd: true,
    click: "send the hero there",
    drain_label: "Wound",
    drain: "wound the watched monster to death",
    offer: None,
    source: include_str!("../trees/monster.tick"),
    make: |seed, agents| Box::new(MonsterWorld::new(seed, agents)),
};

const SIZE: Point = Point::new(28.0, 16.0);
const HP: f32 = 60.0;
const SPEED: f32 = 1.6;
const NOTICE: f32 = 9.0;
const DYING: f32 = 1.5;
const RECOVER: f32 = 1.0;
const HERO_SPEED: f32 = 2.4;
const HERO_HP: f32 = 100.0;

/// What a monster's leaves see and change.
#[derive(Clone, Debug, Context)]
#[context(crate = tickseed_core)]
pub struct Monster {
    x: f32,
    y: f32,
    #[key(read_only)]
    heading: f32,
    hp: f32,
    #[key(read_only)]
    hero_x: f32,
    #[key(read_only)]
    hero_y: f32,
    #[key(read_only)]
    hero_near: bool,
    /// Seconds until it can swing again.
    recover: f32,
    /// Seconds that the present swing or death has taken.
    #[key(skip)]
    spent: f32,
    /// Where its path leads: where the hero was when it last looked.
    #[key(read_only)]
    path_x: f32,
    #[key(read_only)]
    path_y: f32,
    #[key(skip)]
    walking: bool,
    lair: Point,
    /// Damage dealt to the hero in this tick.
    #[key(skip)]
    dealt: f32,
    doing: Doing,
    #[key(skip)]
    script: Keys,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doing {
    Idle,
    Walk,
    Attack,
    Die,
}

scripted!(Monster);

impl Body for Monster {
    fn digest(&self) -> [f32; 3] {
        [self.x, self.y, self.hp]
    }
}

impl Monster {
    fn new(lair: Point) -> Monster {
        Monster {
            x: lair.x,
            y: lair.y,
            heading: 0.0,
            hp: HP,
            hero_x: 0.0,
            hero_y: 0.0,
            hero_near: false,
            recover: 0.0,
            spent: 0.0,
            path_x: lair.x,
            path_y: lair.y,
            walking: false,
            lair,
            dealt: 0.0,
            doing: Doing::Idle,
            script: Keys::default(),
        }
    }

    fn at(&self) -> Point {
        Point::new(self.x, self.y)
    }

    fn hero(&self) -> Point {
        Point::new(self.hero_x, self.hero_y)
    }

    fn path(&self) -> Point {
        Point::new(self.path_x, self.path_y)
    }

    fn within_reach(&self, radius: f32) -> bool {
        self.hero_near && self.at().distance(self.hero()) <= radius
    }

    /// With no health left: falls, and gets up again at its lair.
    fn die(&mut self, dt: f32) -> Status {
        if self.hp > 0.0 {
            return Status::Failure;
        }
        self.doing = Doing::Die;
        self.spent += dt;
        if self.spent < DYING {
            return Status::Running;
        }
        *self = Monster {
            script: core::mem::take(&mut self.script),
            ..Monster::new(self.lair)
        };
        Status::Success
    }

    /// While there is nobody, or the hero is in reach and the last swing not recovered from.
    fn idle(&mut self, attack_radius: f32) -> Status {
        let waits = self.recover > 0.0 && self.within_reach(attack_radius);
        if self.hero_near && !waits {
            return Status::Failure;
        }
        self.doing = Doing::Idle;
        Status::Running
    }

    /// Walks until the hero is in reach; looks for a new path when the hero is further than
    /// the repath radius from where the path leads.
    fn walk(&mut self, repath_radius: f32, attack_radius: f32, dt: f32) -> Status {
        if self.within_reach(attack_radius) {
            return Status::Failure;
        }
        let arrived = self.at().distance(self.path()) < 0.05;
        if arrived || !self.walking || self.path().distance(self.hero()) > repath_radius {
            (self.path_x, self.path_y) = (self.hero_x, self.hero_y);
        }
        self.doing = Doing::Walk;
        self.walking = true;
        self.heading = turn(self.heading, self.at().heading(self.path()), 8.0 * dt);
        let at = self.at().toward(self.path(), SPEED * dt);
        (self.x, self.y) = (at.x, at.y);
        Status::Running
    }

    /// Swings, then deals the damage if the hero is still there.
    fn attack(&mut self, damage: f32, swing: f32, dt: f32) -> Status {
        self.doing = Doing::Attack;
        self.heading = turn(self.heading, self.at().heading(self.hero()), 8.0 * dt);
        self.spent += dt;
        if self.spent < swing {
            return Status::Running;
        }
        self.spent = 0.0;
        self.recover = RECOVER;
        if !self.within_reach(2.5) {
            return Status::Failure;
        }
        self.dealt = damage;
        Status::Success
    }
}

/// The words that monsters add to the chained builder, as the document's builder adds them to its
/// base.
///
/// ```
/// use tickseed_core::builder;
/// use tickseed_worlds::monster::{Monster, MonsterWords};
/// let tree = builder::<Monster>().selector().reactive().die().idle(2.0).end().build()?;
/// assert_eq!(tree.def().len(), 3);
/// # Ok::<(), tickseed_core::BuildError>(())
/// ```
pub trait MonsterWords {
    /// Dies when there is no health left.
    fn die(self) -> Self;
    /// Idles while there is nobody to fight, or while it recovers next to the hero.
    fn idle(self, attack_radius: f32) -> Self;
    /// Walks to the hero; radii in metres.
    fn walk(self, repath_radius: f32, attack_radius: f32) -> Self;
    /// Attacks: this much damage after a swing of this many seconds.
    fn attack(self, damage: f32, swing: f32) -> Self;
}

fn die() -> Node<Monster> {
    let act = nodes().action("die", |m: &mut Cx<'_, '_, Monster>| {
        let dt = m.dt_secs();
        m.die(dt)
    });
    act.on_halt(|m| m.spent = 0.0)
}

fn idle(attack_radius: f32) -> Node<Monster> {
    nodes().action("idle", move |m: &mut Cx<'_, '_, Monster>| {
        m.idle(attack_radius)
    })
}

fn walk(repath_radius: f32, attack_radius: f32) -> Node<Monster> {
    let act = nodes().action("walk", move |m: &mut Cx<'_, '_, Monster>| {
        let dt = m.dt_secs();
        m.walk(repath_radius, attack_radius, dt)
    });
    act.on_halt(|m| m.walking = false)
}

fn attack(damage: f32, swing: f32) -> Node<Monster> {
    let act = nodes().action("attack", move |m: &mut Cx<'_, '_, Monster>| {
        let dt = m.dt_secs();
        m.attack(damage, swing, dt)
    });
    act.on_halt(|m| m.spent = 0.0)
}

impl MonsterWords for Builder<Monster> {
    fn die(self) -> Self {
        self.node(die())
    }

    fn idle(self, attack_radius: f32) -> Self {
        self.node(idle(attack_radius))
    }

    fn walk(self, repath_radius: f32, attack_radius: f32) -> Self {
        self.node(walk(repath_radius, attack_radius))
    }

    fn attack(self, damage: f32, swing: f32) -> Self {
        self.node(attack(damage, swing))
    }
}

/// The leaves that the monsters' tree may name.
fn registry() -> Registry<Monster> {
    let mut r = Registry::new();
    let doc = "Dies when there is no health left, and rises at its lair; else fails.";
    r.node(leaf("die", doc), |_, _| Some(die()));
    let doc = "Idles while there is nobody to fight, and while it recovers with the hero in \
               reach; else fails.";
    let model = leaf("idle", doc).port(port::<f32>("reach", "2"));
    r.node(model, |ports, _| Some(idle(*ports.constant("reach")?)));
    let doc = "Walks until the hero is in reach, then fails; looks for a new path when the \
               hero is further than `repath` from where the path leads.";
    let model = leaf("walk", doc)
        .port(port::<f32>("repath", "2"))
        .port(port::<f32>("reach", "2"));
    r.node(model, |ports, _| {
        let (repath, reach) = (ports.constant("repath"), ports.constant("reach"));
        Some(walk(*repath?, *reach?))
    });
    let doc = "Swings for so long, then deals so much damage if the hero is still there.";
    let model = leaf("attack", doc)
        .port(port::<f32>("damage", "9"))
        .port(port::<Duration>("swing", "400ms"));
    r.node(model, |ports, _| {
        let damage = ports.constant("damage");
        let swing = ports.constant::<Duration>("swing");
        Some(attack(*damage?, swing?.as_secs_f32()))
    });
    r
}

/// The document's tree.
///
/// # Errors
/// None in practice: it is valid.
pub fn tree() -> Result<Tree<Monster>, BuildError> {
    builder::<Monster>()
        .selector()
        .reactive()
        .die()
        .idle(2.0)
        .walk(2.0, 2.0)
        .attack(9.0, 0.4)
        .end()
        .build()
}

#[derive(Clone, Debug)]
struct Hero {
    at: Point,
    heading: f32,
    goal: Point,
    hp: f32,
    /// Seconds until the next blow.
    recover: f32,
}

/// A glade with monsters and a hero.
#[derive(Debug)]
pub struct MonsterWorld {
    stage: Stage,
    crowd: Crowd<Monster>,
    hero: Hero,
}

impl MonsterWorld {
    /// This many monsters; at least one.
    ///
    /// # Panics
    /// Never: its tree has no mistakes.
    #[must_use]
    pub fn new(seed: u64, agents: u32) -> MonsterWorld {
        let script = Script::own(INFO.source, registry());
        let mut stage = Stage::new(seed, INFO.step, script.tree().def());
        let lairs = (0..agents.max(1)).map(|i| {
            // Spread by the golden angle, so that few and many look well.
            let angle = i as f32 * 2.399_963 + stage.between(0.0, 0.6);
            let reach = stage.between(0.55, 0.95);
            let middle = SIZE * 0.5;
            Monster::new(Point::new(
                middle.x + libm::cosf(angle) * middle.x * reach,
                middle.y + libm::sinf(angle) * middle.y * reach,
            ))
        });
        let bodies = lairs.collect();
        let hero = Hero {
            at: SIZE * 0.5,
            heading: 0.0,
            goal: Point::new(
                stage.between(2.0, SIZE.x - 2.0),
                stage.between(2.0, SIZE.y - 2.0),
            ),
            hp: HERO_HP,
            recover: 0.0,
        };
        MonsterWorld {
            crowd: Crowd::new(script, seed, bodies),
            stage,
            hero,
        }
    }

    fn move_hero(&mut self, dt: f32) {
        let hero = &mut self.hero;
        if hero.at.distance(hero.goal) < 0.1 {
            let angle = self.stage.between(0.0, TAU);
            let far = self.stage.between(3.0, 9.0);
            hero.goal = hero.at.polar(angle, far).within(SIZE, 1.0);
        }
        hero.recover -= dt;
        let alive = |m: &&mut Monster| m.hp > 0.0;
        let at = hero.at;
        let distance = |m: &Monster| at.distance(m.at());
        let nearest = self
            .crowd
            .bodies
            .iter_mut()
            .filter(alive)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let mut fights = false;
        if let Some(m) = nearest
            && distance(m) < 2.2
        {
            fights = true;
            hero.heading = turn(hero.heading, at.heading(m.at()), 9.0 * dt);
            if hero.recover <= 0.0 {
                m.hp -= 20.0;
                hero.recover = 0.9;
            }
        }
        // Fighting slows; a badly hurt hero runs.
        let speed = match (fights, hero.hp < 30.0) {
            (_, true) => HERO_SPEED * 1.3,
            (true, false) => HERO_SPEED * 0.15,
            (false, false) => HERO_SPEED,
        };
        if !fights {
            hero.heading = turn(hero.heading, at.heading(hero.goal), 9.0 * dt);
        }
        hero.at = at.toward(hero.goal, speed * dt);
        hero.hp = (hero.hp + 4.0 * dt).min(HERO_HP);
    }

    fn live(&mut self) {
        let dt = self.stage.dt();
        self.move_hero(dt);
        let hero = self.hero.at;
        for m in &mut self.crowd.bodies {
            (m.hero_x, m.hero_y) = (hero.x, hero.y);
            let d = m.at().distance(hero);
            // Keeps after the hero a little longer than it takes to notice.
            m.hero_near = d < if m.hero_near { NOTICE * 1.2 } else { NOTICE };
            m.recover = (m.recover - dt).max(0.0);
        }
    }

    /// What the monsters' blows do to the hero.
    fn reap(&mut self) {
        for m in &mut self.crowd.bodies {
            self.hero.hp -= core::mem::take(&mut m.dealt);
        }
        if self.hero.hp <= 0.0 {
            // Carried home, and well again.
            self.hero.hp = HERO_HP;
            self.hero.at = SIZE * 0.5;
            self.hero.goal = self.hero.at;
        }
        self.stage.mix(u64::from(self.hero.hp.to_bits()));
    }

    fn apply(&mut self, input: &Input) -> bool {
        match *input {
            Input::Click { x, y } if x.is_finite() && y.is_finite() => {
                self.hero.goal = Point::new(x, y).within(SIZE, 0.5);
                true
            }
            Input::Drain { agent } => match self.crowd.body_mut(agent) {
                Some(m) => {
                    m.hp = 0.0;
                    true
                }
                None => false,
            },
            Input::Set { agent, key, value } => {
                let done = self.crowd.set(agent, key, value);
                if let Some(m) = self.crowd.body_mut(agent) {
                    let at = m.at().within(SIZE, 0.3);
                    (m.x, m.y) = (at.x, at.y);
                }
                done
            }
            Input::Click { .. } | Input::Reload { .. } => false,
        }
    }
}

impl World for MonsterWorld {
    crowd_world!(INFO);

    fn duplicate(&self) -> Option<Box<dyn World>> {
        Some(Box::new(MonsterWorld {
            stage: self.stage.clone(),
            crowd: self.crowd.duplicate()?,
            hero: self.hero.clone(),
        }))
    }

    fn reload(&mut self, source: &str) -> Result<Reloaded, Messages> {
        self.crowd.reload(&mut self.stage, source)
    }

    fn view(&self) -> View {
        let mut marks = Vec::new();
        let name = |d: Doing| match d {
            Doing::Idle => "idle",
            Doing::Walk => "walk",
            Doing::Attack => "attack",
            Doing::Die => "die",
        };
        let few = self.crowd.len() <= 12;
        for (i, m) in self.crowd.sample(&self.stage) {
            let focus = i == self.stage.focus();
            let tone = match (focus, m.doing) {
                (true, _) => Tone::Focus,
                (_, Doing::Die) => Tone::Quiet,
                (_, Doing::Attack) => Tone::Bad,
                _ => Tone::Agent,
            };
            let body = Shape::Body {
                radius: 0.4,
                heading: m.heading,
            };
            let label = if few || focus { name(m.doing) } else { "" };
            marks.push(Mark::at(body, tone, m.at(), label));
        }
        let body = Shape::Body {
            radius: 0.4,
            heading: self.hero.heading,
        };
        marks.push(Mark::at(body, Tone::Goal, self.hero.at, "hero"));
        let mut bars = vec![Bar::new("hero", self.hero.hp / HERO_HP, Tone::Goal)];
        let mut notes = Vec::new();
        if let Some(m) = self.crowd.body(self.stage.focus()) {
            bars.push(Bar::new("health", m.hp / HP, Tone::Good));
            bars.push(Bar::new("recover", m.recover / RECOVER, Tone::Plain));
            notes.push(("watched", alloc::format!("monster {}", self.stage.focus())));
            notes.push((
                "hero near",
                String::from(if m.hero_near { "yes" } else { "no" }),
            ));
        }
        View {
            size: SIZE,
            marks,
            bars,
            notes,
        }
    }

    fn doing(&self) -> Vec<(&'static str, u32)> {
        self.crowd
            .count(["idle", "walk", "attack", "die"], |m| m.doing as usize)
    }
}
