//! The world of scripted leaves: their log, their counts, and a block of typed keys.

use core::cell::RefCell;
use core::fmt;
use core::time::Duration;
use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use tickseed_core::{
    Context, Cx, End, Key, KeyId, KeyInfo, Place, Rng, Scalar, ScalarType, Schema, Status, Time,
};

/// Something that happened to a scripted leaf or function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its name.
    pub who: &'static str,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A leaf began.
    Start,
    /// A running leaf was ticked, and how often it had been ticked in this activation.
    Tick(u32),
    /// A leaf finished.
    Finished(Status),
    /// A leaf failed with an error.
    Failed,
    /// A running leaf was halted, and how often it had been ticked in this activation.
    Halted(u32),
    /// An action without a halt hook was called and answered this.
    Called(Status),
    /// A condition was judged.
    Judged(bool),
    /// A number was asked for.
    Number(i64),
    /// A hook was called.
    Ended(End),
    /// A catch decided.
    Caught(Status),
    /// A for-each told an index.
    Item(u32),
    /// A leaf drew from the agent's random stream.
    Drew(u64),
    /// A custom node noted this.
    Noted(u32),
    /// A log node's line.
    Logged,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = self.who;
        match self.what {
            What::Start => write!(f, "{who} starts"),
            What::Tick(n) => write!(f, "{who} goes on after {n}"),
            What::Finished(s) => write!(f, "{who} finishes with {s}"),
            What::Failed => write!(f, "{who} fails with an error"),
            What::Halted(n) => write!(f, "{who} halted after {n}"),
            What::Called(s) => write!(f, "{who} answers {s}"),
            What::Judged(true) => write!(f, "{who}? yes"),
            What::Judged(false) => write!(f, "{who}? no"),
            What::Number(n) => write!(f, "{who} is {n}"),
            What::Ended(End::Finished(s)) => write!(f, "{who} sees {s}"),
            What::Ended(End::Halted) => write!(f, "{who} sees a halt"),
            What::Caught(s) => write!(f, "{who} makes it {s}"),
            What::Item(i) => write!(f, "{who} item {i}"),
            What::Drew(n) => write!(f, "{who} draws {n}"),
            What::Noted(n) => write!(f, "{who} notes {n}"),
            What::Logged => write!(f, "log: {who}"),
        }
    }
}

/// The plain-data block that data guards read.
#[derive(Clone, Copy, PartialEq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Keys {
    /// A number.
    pub speed: f32,
    /// A whole number.
    pub count: i32,
    /// A small whole number.
    pub level: u8,
    /// A truth value.
    pub armed: u8,
    /// Space that has no meaning.
    pub unused: [u8; 2],
}

/// The context of scripted leaves.
#[derive(Debug)]
pub struct World {
    /// The keys in the block.
    pub keys: Keys,
    /// The key that is handed over by a call; unset if none.
    pub far: Option<i64>,
    seed: u64,
    errors: bool,
    panics: bool,
    clock: Option<(Time, Duration)>,
    // Conditions see the world by shared reference and are to be logged all the same.
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    log: Vec<Event>,
    asked: HashMap<&'static str, u32>,
    /// Ticks of the activation under way; zero if there is none.
    started: HashMap<&'static str, u32>,
    broken: Vec<String>,
}

impl Default for World {
    fn default() -> Self {
        World::new()
    }
}

impl World {
    /// The key of [`Keys::speed`].
    pub const SPEED: Key<World, f32> = Key::new(KeyId(0), Place::Block(0));
    /// The key of [`Keys::count`].
    pub const COUNT: Key<World, i32> = Key::new(KeyId(1), Place::Block(4));
    /// The key of [`Keys::level`].
    pub const LEVEL: Key<World, u8> = Key::new(KeyId(2), Place::Block(8));
    /// The key of [`Keys::armed`].
    pub const ARMED: Key<World, bool> = Key::new(KeyId(3), Place::Block(9));
    /// The key of [`World::far`].
    pub const FAR: Key<World, i64> = Key::new(KeyId(4), Place::Call);

    /// A world where nothing has happened.
    #[must_use]
    pub fn new() -> World {
        World::seeded(0)
    }

    /// One whose drawn scripts follow this seed.
    #[must_use]
    pub fn seeded(seed: u64) -> World {
        World {
            keys: Keys::default(),
            far: None,
            seed,
            errors: false,
            panics: false,
            clock: None,
            inner: RefCell::default(),
        }
    }

    /// Whether drawn scripts may answer with errors.
    pub fn allow_errors(&mut self, allowed: bool) {
        self.errors = allowed;
    }

    /// Whether leaves panic where they would answer with an error, and scripted functions now
    /// and then where they are asked.
    pub fn allow_panics(&mut self, allowed: bool) {
        self.panics = allowed;
    }

    /// From now on leaves check that they see this time.
    pub fn expect_clock(&mut self, now: Time, dt: Duration) {
        self.clock = Some((now, dt));
    }

    /// Everything that has happened since the last [`clear`](World::clear).
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.inner.borrow().log.clone()
    }

    /// The events as one line.
    #[must_use]
    pub fn events_text(&self) -> String {
        let events = &self.inner.borrow().log;
        let texts: Vec<String> = events.iter().map(Event::to_string).collect();
        texts.join(", ")
    }

    /// Forgets the events (not how often each leaf was asked).
    pub fn clear(&mut self) {
        self.inner.get_mut().log.clear();
    }

    /// The leaves that have started and not ended.
    #[must_use]
    pub fn started(&self) -> Vec<&'static str> {
        let started = &self.inner.borrow().started;
        let mut names: Vec<_> = started.iter().filter(|s| *s.1 > 0).map(|s| *s.0).collect();
        names.sort_unstable();
        names
    }

    /// What leaves saw that must not be: a start without an end before it, an end without a
    /// start, the wrong time, state that was not zeroed.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.inner.borrow().broken.clone()
    }

    /// Makes room for the leaves of these names and for so many events between two
    /// [`clear`](World::clear)s: until they are exceeded the world allocates nothing.
    pub fn reserve(&mut self, names: impl IntoIterator<Item = &'static str>, events: usize) {
        let inner = self.inner.get_mut();
        inner.log.reserve(events);
        for name in names {
            inner.asked.entry(name).or_default();
            inner.started.entry(name).or_default();
        }
        // A full map grows before it looks whether the name is known.
        inner.asked.reserve(1);
        inner.started.reserve(1);
    }

    /// Changes some of the keys, as a world does between ticks.
    pub fn change_keys(&mut self, rng: &mut Rng) {
        if rng.below(2) == 0 {
            let choice = rng.below(5);
            self.change_key(choice, rng.below(5) as i64);
        }
    }

    /// Gives the key with this number a small value.
    pub(super) fn change_key(&mut self, key: u64, value: i64) {
        match key {
            0 => self.keys.speed = [0.0, 0.5, 1.0, f32::NAN, -2.0][value as usize % 5],
            1 => self.keys.count = value as i32 - 2,
            2 => self.keys.level = value as u8,
            3 => self.keys.armed = (value % 2) as u8,
            _ => self.far = (value > 0).then_some(value - 2),
        }
    }

    /// How often `who` was asked before, and a hash for this time.
    pub(super) fn ask(&self, who: &'static str) -> (u32, u64) {
        let mut inner = self.inner.borrow_mut();
        let asked = inner.asked.entry(who).or_default();
        let before = *asked;
        *asked += 1;
        let name = who
            .bytes()
            .fold(self.seed, |h, b| Rng::new(h ^ u64::from(b)).next_u64());
        (before, Rng::new(name ^ u64::from(before)).next_u64())
    }

    pub(super) fn errors(&self) -> bool {
        self.errors
    }

    pub(super) fn panics(&self) -> bool {
        self.panics
    }

    /// A function that cannot fail with an error panics in 1/128 of its calls, if that is allowed.
    pub(super) fn may_panic(&self, who: &'static str, hash: u64) {
        if self.panics && hash >> 57 == 0 {
            panic!("{who} panics as scripted");
        }
    }

    pub(super) fn note(&self, who: &'static str, what: What) {
        self.inner.borrow_mut().log.push(Event { who, what });
    }

    /// A leaf starts: it must not have been started already.
    pub(super) fn start(&self, who: &'static str) {
        self.note(who, What::Start);
        if self.inner.borrow_mut().started.insert(who, 1) > Some(0) {
            self.complain(format!("{who} was started twice"));
        }
    }

    /// A leaf ends: it must have been started.
    pub(super) fn end(&self, who: &'static str, what: What) {
        self.note(who, what);
        if self.inner.borrow_mut().started.insert(who, 0) <= Some(0) {
            self.complain(format!("{who} ended without a start"));
        }
    }

    /// How often a leaf was ticked in the activation under way; zero if there is none.
    pub(super) fn ticks(&self, who: &'static str) -> u32 {
        self.inner.borrow().started.get(who).copied().unwrap_or(0)
    }

    /// A running leaf that keeps no count of its own is ticked again.
    pub(super) fn go_on(&self, who: &'static str) {
        self.note(who, What::Tick(self.ticks(who)));
        *self.inner.borrow_mut().started.entry(who).or_default() += 1;
    }

    pub(super) fn complain(&self, what: String) {
        self.inner.borrow_mut().broken.push(what);
    }

    pub(super) fn check_clock(cx: &Cx<'_, '_, World>) {
        if let Some((now, dt)) = cx.clock
            && (cx.now(), cx.dt()) != (now, dt)
        {
            let seen = (cx.now(), cx.dt());
            cx.complain(format!("the time was {seen:?} instead of {:?}", (now, dt)));
        }
    }
}

impl Context for World {
    type At<'a> = World;

    fn schema() -> &'static Schema {
        const fn key(name: &'static str, ty: ScalarType, place: Place) -> KeyInfo {
            KeyInfo { name, ty, place }
        }
        const SCHEMA: Schema = Schema {
            keys: &[
                key("speed", ScalarType::F32, World::SPEED.place()),
                key("count", ScalarType::I32, World::COUNT.place()),
                key("level", ScalarType::U8, World::LEVEL.place()),
                key("armed", ScalarType::Bool, World::ARMED.place()),
                key("far", ScalarType::I64, World::FAR.place()),
            ],
        };
        &SCHEMA
    }

    fn block(at: &World) -> &[u8] {
        bytemuck::bytes_of(&at.keys)
    }

    fn read(at: &World, key: KeyId) -> Option<Scalar> {
        let info = World::schema().keys.get(usize::from(key.0))?;
        match info.place {
            Place::Block(offset) => info.ty.load(World::block(at), offset as usize),
            Place::Call => at.far.map(Scalar::Int),
        }
    }

    fn write(at: &mut World, key: KeyId, value: Scalar) -> bool {
        match (key.0, value) {
            (0, Scalar::Float(f)) => at.keys.speed = f as f32,
            (1, Scalar::Int(i)) => match i32::try_from(i) {
                Ok(i) => at.keys.count = i,
                Err(_) => return false,
            },
            (2, Scalar::Int(i)) => match u8::try_from(i) {
                Ok(i) => at.keys.level = i,
                Err(_) => return false,
            },
            (3, Scalar::Bool(b)) => at.keys.armed = b.into(),
            (4, Scalar::Int(i)) => at.far = Some(i),
            _ => return false,
        }
        true
    }

    fn log(at: &mut World, line: &str) {
        // Lines of scripted trees are known names: found again, or shown as a stranger.
        at.note(super::names::known(line).unwrap_or("a line"), What::Logged);
    }
}
