//! What leaves see: the user's context, borrowed late, with the tick's time and randomness.

use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::time::Duration;

use crate::blackboard::Blackboard;
use crate::key::{KeyId, Scalar, Schema};
use crate::leaf::LeafError;
use crate::rng::Rng;
use crate::time::{Time, nanos};

/// The world as an agent's leaves see it.
///
/// `At` is what a tick borrows. An owned struct names itself; a view that borrows from the world
/// names its own type with the lifetime filled in. `#[derive(Context)]` implements either, and
/// publishes the scalar fields as typed keys:
///
/// ```
/// use tickseed_core::{Context, Status, nodes};
///
/// struct Robot { battery: f32 }
/// impl Context for Robot { type At<'a> = Robot; }
///
/// struct Borrowed<'w> { world: &'w mut Vec<u32> }
/// impl Context for Borrowed<'static> { type At<'a> = Borrowed<'a>; }
///
/// let n = nodes::<Borrowed<'static>>();
/// let tree = n.action("push", |b| { b.world.push(1); Status::Success }).build().unwrap();
/// let mut world = vec![];
/// let mut agent = tree.agent();
/// tree.tick(&mut agent, &mut Borrowed { world: &mut world }, Default::default()).unwrap();
/// assert_eq!(world, [1]);
/// ```
pub trait Context: 'static {
    /// What a tick is given.
    type At<'a>;

    /// The typed keys that guards, files and tools may use by name; none by default.
    fn schema() -> &'static Schema {
        Schema::EMPTY
    }

    /// The plain-data block that data guards read by offset; empty by default. Its layout must not
    /// change while trees that were built against it are in use. Its content may change only
    /// through leaves and hooks, which get the context mutably: what one guard has read, the next
    /// ones need not read again.
    fn block<'x>(_at: &'x Self::At<'_>) -> &'x [u8] {
        &[]
    }

    /// The present value of a key that has no place in the block; `None` if unset.
    fn read(_at: &Self::At<'_>, _key: KeyId) -> Option<Scalar> {
        None
    }

    /// How many keys the context holds beyond its schema, numbered from [`KeyId::OWN`]: those of a
    /// blackboard. [`read`](Context::read) returns their values.
    fn own_keys(_at: &Self::At<'_>) -> u16 {
        0
    }

    /// Writes a key; `false` if there is no such key, or it is read-only or of another type.
    fn write(_at: &mut Self::At<'_>, _key: KeyId, _value: Scalar) -> bool {
        false
    }

    /// The context's dynamic blackboard, if it has one: for leaves that come from files.
    fn blackboard<'x>(_at: &'x Self::At<'_>) -> Option<&'x Blackboard> {
        None
    }

    /// The mutable counterpart of [`blackboard`](Context::blackboard).
    fn blackboard_mut<'x>(_at: &'x mut Self::At<'_>) -> Option<&'x mut Blackboard> {
        None
    }

    /// Takes a line from a log node; by default, drops it.
    fn log(_at: &mut Self::At<'_>, _line: &str) {}
}

/// Stands for the time of the last tick where there was none: no time has passed since then. It is
/// as far from the origin as possible, in either direction. A tick at exactly this nanosecond,
/// after 292 years, counts as none.
pub(crate) const NEVER: Time = Time(LONGEST + 1);

/// The longest time between two ticks, in nanoseconds (292 years); anything longer is taken for a
/// clock that goes back.
const LONGEST: u64 = i64::MAX as u64;

/// What an action receives: the user's context (by dereferencing), the time, and the agent's random
/// stream.
pub struct Cx<'x, 'a, C: Context> {
    at: &'x mut C::At<'a>,
    now: Time,
    /// The time of the previous tick, [`NEVER`] if there was none. Stored instead of `dt`, since
    /// most leaves do not ask for that.
    last: Time,
    rng: &'x mut Rng,
    /// Never dropped: no error is ever left in it, so checking for one would be wasted.
    asks: ManuallyDrop<Asks>,
}

/// What the leaves of a tick ask of whoever ticks. It is an enum, so that the beginning of a tick
/// writes only one word.
enum Asks {
    Nothing,
    Wake(Time),
    /// To be removed, and, though it then hardly matters, to be woken.
    Leave(Option<Time>),
    /// Not a request: the error of the last function called, until the executor takes it. It ends
    /// the tick, so nothing else counts.
    Error(LeafError),
}

impl<'x, 'a, C: Context> Cx<'x, 'a, C> {
    /// Assembles what a tick's leaves see. Trees do this; it is public for tests of leaves and for
    /// executors outside this crate. `dt` may be longer than the time since the origin, but not
    /// longer than 292 years.
    pub fn new(at: &'x mut C::At<'a>, now: Time, dt: Duration, rng: &'x mut Rng) -> Self {
        let last = now.0.wrapping_sub(nanos(dt).min(LONGEST));
        Cx::since(at, now, Time(last), rng)
    }

    /// Like [`new`](Cx::new), given the time of the previous tick; for a halt, its own time.
    #[inline(always)]
    pub(crate) fn since(at: &'x mut C::At<'a>, now: Time, last: Time, rng: &'x mut Rng) -> Self {
        Cx {
            at,
            now,
            last,
            rng,
            asks: ManuallyDrop::new(Asks::Nothing),
        }
    }

    /// The time of this tick.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The time since this agent's previous tick; zero at its first.
    #[must_use]
    pub fn dt(&self) -> Duration {
        let passed = self.now.0.wrapping_sub(self.last.0);
        if self.last == NEVER || passed > LONGEST {
            return Duration::ZERO;
        }
        Duration::from_nanos(passed)
    }

    /// [`dt`](Cx::dt) in seconds.
    #[must_use]
    pub fn dt_secs(&self) -> f32 {
        self.dt().as_secs_f32()
    }

    /// The agent's random stream.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Asks to be ticked again no later than `t`, for schedulers that let agents sleep. The
    /// earliest request of a tick counts.
    pub fn wake_at(&mut self, t: Time) {
        *self.asks = match *self.asks {
            Asks::Nothing => Asks::Wake(t),
            Asks::Wake(w) => Asks::Wake(w.min(t)),
            Asks::Leave(w) => Asks::Leave(Some(w.map_or(t, |w| w.min(t)))),
            Asks::Error(_) => return,
        };
    }

    /// The earliest wake-up requested in this tick.
    #[must_use]
    pub fn requested_wake(&self) -> Option<Time> {
        match *self.asks {
            Asks::Wake(t) => Some(t),
            Asks::Leave(t) => t,
            _ => None,
        }
    }

    /// Whether anything was requested in this tick.
    #[inline(always)]
    pub(crate) fn asks(&self) -> bool {
        !matches!(*self.asks, Asks::Nothing)
    }

    /// Asks whoever owns the agent to remove it after this tick: a [`Herd`](crate::Herd) then halts
    /// it and frees its slot. An agent outside a herd simply goes on; its owner can check
    /// [`wants_despawn`](Cx::wants_despawn) in a leaf.
    pub fn despawn(&mut self) {
        if !matches!(*self.asks, Asks::Error(_)) {
            *self.asks = Asks::Leave(self.requested_wake());
        }
    }

    /// Whether [`despawn`](Cx::despawn) was called in this tick.
    #[must_use]
    pub fn wants_despawn(&self) -> bool {
        matches!(*self.asks, Asks::Leave(_))
    }

    #[cold]
    pub(crate) fn leave_error(&mut self, error: LeafError) {
        *self.asks = Asks::Error(error);
    }

    #[cold]
    pub(crate) fn take_error(&mut self) -> LeafError {
        match core::mem::replace(&mut *self.asks, Asks::Nothing) {
            Asks::Error(error) => error,
            _ => LeafError::new("the leaf failed"),
        }
    }

    /// The user's context, explicitly.
    #[must_use]
    pub fn at(&self) -> &C::At<'a> {
        self.at
    }

    /// The user's context, explicitly and mutably.
    pub fn at_mut(&mut self) -> &mut C::At<'a> {
        self.at
    }
}

impl<'a, C: Context> Deref for Cx<'_, 'a, C> {
    type Target = C::At<'a>;
    fn deref(&self) -> &C::At<'a> {
        self.at
    }
}

impl<C: Context> DerefMut for Cx<'_, '_, C> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.at
    }
}

/// A context for trees that need none.
impl Context for () {
    type At<'a> = ();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_in_a_test_is_told_the_dt_that_was_put_in() {
        let (mut at, mut rng) = ((), Rng::new(0));
        for now in [0, 1, 5, 1 << 56, LONGEST, LONGEST + 9] {
            for dt in [0, 1, 2, 6, 1 << 56, LONGEST] {
                let dt = Duration::from_nanos(dt);
                let cx = Cx::<()>::new(&mut at, Time(now), dt, &mut rng);
                assert_eq!((cx.now(), cx.dt()), (Time(now), dt));
            }
        }
        // `dt` is one more than the time, as if the last tick had been one nanosecond before the
        // origin.
        let cx = Cx::<()>::new(&mut at, Time(7), Duration::from_nanos(8), &mut rng);
        assert_eq!(cx.dt(), Duration::from_nanos(8));
    }

    #[test]
    fn a_first_tick_and_one_that_goes_back_see_no_time_pass() {
        let (mut at, mut rng) = ((), Rng::new(0));
        let mut dt = |now, last| Cx::<()>::since(&mut at, Time(now), last, &mut rng).dt();
        for now in [0, 1, 1 << 56, LONGEST, LONGEST + 2, u64::MAX] {
            assert_eq!(dt(now, NEVER), Duration::ZERO, "{now}");
            assert_eq!(dt(now, Time(now)), Duration::ZERO, "{now}");
        }
        assert_eq!(dt(3, Time(4)), Duration::ZERO);
        assert_eq!(dt(0, Time(LONGEST)), Duration::ZERO);
        assert_eq!(dt(LONGEST, Time(0)), Duration::from_nanos(LONGEST));
    }
}
