//! The world of scripted leaves: their log, their counts, and a block of typed keys.

use core::cell::RefCell;
use core::fmt;
use core::mem::offset_of;
use core::time::Duration;
use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use tickseed_core::{
    Context, Cx, End, Key, KeyId, KeyInfo, KeyType, Place, Rng, Scalar, ScalarType, Schema, Status,
    Time,
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

/// The plain-data block that data guards read: a key of every type.
#[derive(Clone, Copy, PartialEq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
#[allow(missing_docs, reason = "the fields have no meaning but their types")]
pub struct Keys {
    pub ratio: f64,
    pub balance: i64,
    pub total: u64,
    pub speed: f32,
    pub count: i32,
    pub mass: u32,
    pub offset: i16,
    pub port: u16,
    pub level: u8,
    pub lean: i8,
    pub armed: u8,
    /// Space that has no meaning.
    pub unused: [u8; 5],
}

macro_rules! keys {
    ($($id:literal $NAME:ident $field:ident: $ty:ty = $Type:ident;)*) => {
        impl World {
            $(
                #[doc = concat!("The key of [`Keys::", stringify!($field), "`].")]
                pub const $NAME: Key<World, $ty> =
                    Key::new(KeyId($id), Place::Block(offset_of!(Keys, $field) as u32));
            )*
            /// The key of [`World::far`].
            pub const FAR: Key<World, i64> = Key::new(KeyId(11), Place::Call);

            const SCHEMA: Schema = Schema {
                keys: &[
                    $(KeyInfo {
                        name: stringify!($field),
                        ty: ScalarType::$Type,
                        place: World::$NAME.place(),
                    },)*
                    KeyInfo { name: "far", ty: ScalarType::I64, place: Place::Call },
                ],
            };
        }
    };
}

keys! {
    0 SPEED speed: f32 = F32;
    1 COUNT count: i32 = I32;
    2 LEVEL level: u8 = U8;
    3 ARMED armed: bool = Bool;
    4 RATIO ratio: f64 = F64;
    5 BALANCE balance: i64 = I64;
    6 TOTAL total: u64 = U64;
    7 MASS mass: u32 = U32;
    8 OFFSET offset: i16 = I16;
    9 PORT port: u16 = U16;
    10 LEAN lean: i8 = I8;
}

/// How many keys there are.
pub(crate) const KEYS: u64 = 12;

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
    all_write: bool,
    clock: Option<(Time, Duration)>,
    // Conditions see the world by shared reference but must be logged too.
    inner: RefCell<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    log: Vec<Event>,
    asked: HashMap<&'static str, u32>,
    /// Ticks of the activation under way; zero if there is none.
    started: HashMap<&'static str, u32>,
    completions: HashMap<&'static str, Status>,
    broken: Vec<String>,
}

impl Default for World {
    fn default() -> Self {
        World::new()
    }
}

impl World {
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
            all_write: false,
            clock: None,
            inner: RefCell::default(),
        }
    }

    /// Whether drawn scripts may answer with errors.
    pub fn allow_errors(&mut self, allowed: bool) {
        self.errors = allowed;
    }

    /// Whether leaves panic where they would answer with an error, and scripted functions panic
    /// occasionally when called.
    pub fn allow_panics(&mut self, allowed: bool) {
        self.panics = allowed;
    }

    /// Whether everything that may write keys does so occasionally (hooks, halts, catches, items,
    /// custom nodes and logs), not only the leaves made to do so.
    pub fn let_all_write(&mut self, allowed: bool) {
        self.all_write = allowed;
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

    /// Violations that leaves saw: a start of a started leaf, an end without a start, the wrong
    /// time, state that was not zeroed.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.inner.borrow().broken.clone()
    }

    /// Makes room for leaves with these names and for `events` events between two
    /// [`clear`](World::clear)s; until these are exceeded, the world allocates nothing.
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
            let key = rng.below(KEYS);
            self.change_key(key, rng.below(256));
        }
    }

    /// Gives the key with this number a value: mostly a small one, sometimes an extreme one.
    pub fn change_key(&mut self, key: u64, value: u64) {
        let k = &mut self.keys;
        let small = (value % 5) as i8 - 2;
        let fractions = [
            0.0,
            -0.0,
            0.5,
            1.0,
            -2.0,
            f32::NAN,
            0.1,
            f32::MAX,
            f32::NEG_INFINITY,
        ];
        let fraction = fractions[value as usize % fractions.len()];
        let extreme = value >= 200;
        let positive = small.unsigned_abs();
        match key % KEYS {
            0 => k.speed = fraction,
            1 => k.count = if extreme { i32::MIN } else { small.into() },
            2 => k.level = if extreme { u8::MAX } else { positive },
            3 => k.armed = positive % 2,
            4 => k.ratio = if extreme { -1e-320 } else { fraction.into() },
            5 => k.balance = if extreme { i64::MAX } else { small.into() },
            6 => k.total = if extreme { u64::MAX } else { positive.into() },
            7 => k.mass = if extreme { u32::MAX } else { positive.into() },
            8 => k.offset = if extreme { i16::MIN } else { small.into() },
            9 => k.port = if extreme { u16::MAX } else { positive.into() },
            10 => k.lean = if extreme { i8::MIN } else { small },
            _ => self.far = (!extreme).then_some(small.into()),
        }
    }

    /// What a [`Sleeper`](super::Sleeper) waits for has happened: it ends with this status
    /// at its next tick.
    pub fn complete(&mut self, who: &'static str, status: Status) {
        self.inner.get_mut().completions.insert(who, status);
    }

    pub(super) fn take_completion(&mut self, who: &'static str) -> Option<Status> {
        self.inner.get_mut().completions.remove(who)
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

    /// Something that only notes things was called: if that is allowed, it writes keys every
    /// other time, and panics now and then.
    pub(super) fn called(&mut self, who: &'static str) {
        if self.all_write || self.panics {
            let (_, hash) = self.ask(who);
            if self.all_write && hash.is_multiple_of(2) {
                self.write_some(hash);
            }
            // More often than others: fewer of these are called.
            if self.panics && hash >> 60 == 0 {
                panic!("{who} panics as scripted");
            }
        }
    }

    /// Writes one key. The first few more often, as guards ask about them.
    pub(super) fn write_some(&mut self, hash: u64) {
        let among = if hash >> 24 & 3 == 0 { 0x100 } else { 2 };
        self.change_key((hash >> 8 & 0xff) % among, hash >> 16 & 0xff);
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

    /// A leaf failed to start in a way that leaves nothing to end.
    pub(super) fn never_started(&self, who: &'static str) {
        self.inner.borrow_mut().started.insert(who, 0);
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
        &World::SCHEMA
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
        fn put<T: KeyType>(to: &mut T, value: Scalar) -> bool {
            let value = T::from_scalar(value);
            value.map(|v| *to = v).is_some()
        }
        let k = &mut at.keys;
        match key.0 {
            0 => put(&mut k.speed, value),
            1 => put(&mut k.count, value),
            2 => put(&mut k.level, value),
            3 => {
                let mut armed = false;
                let known = put(&mut armed, value);
                k.armed = if known { armed.into() } else { k.armed };
                known
            }
            4 => put(&mut k.ratio, value),
            5 => put(&mut k.balance, value),
            6 => put(&mut k.total, value),
            7 => put(&mut k.mass, value),
            8 => put(&mut k.offset, value),
            9 => put(&mut k.port, value),
            10 => put(&mut k.lean, value),
            11 => {
                at.far = i64::from_scalar(value).or(at.far);
                i64::from_scalar(value).is_some()
            }
            _ => false,
        }
    }

    fn log(at: &mut World, line: &str) {
        // Lines of scripted trees are known names: found again, or shown as a stranger.
        let line = super::names::known(line).unwrap_or("a line");
        at.note(line, What::Logged);
        at.called(line);
    }
}
