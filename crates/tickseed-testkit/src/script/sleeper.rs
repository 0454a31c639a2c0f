//! A leaf that sleeps while it runs: for tests of herds in which agents sleep.

use core::time::Duration;

use tickseed_core::{Context, Cx, KeyId, Leaf, Node, Outcome, Rng, Scalar, Status, Time, nodes};

use super::{What, World};

/// A leaf whose answer depends on one key (or on none), a deadline of its own and a
/// [completion](World::complete) from outside, and which declares that. It notes its start and
/// its end; its other ticks are without effect.
#[derive(Clone, Debug)]
pub struct Sleeper {
    name: &'static str,
    key: Option<KeyId>,
    good: i64,
    bad: i64,
    /// Nanoseconds it runs at most; zero for ever.
    limit: u64,
    at_limit: Status,
}

impl Sleeper {
    /// A sleeper whose ways follow from its name.
    #[must_use]
    pub fn new(name: &'static str) -> Sleeper {
        let mut rng = Rng::new(name.bytes().fold(7, |h, b| h * 31 + u64::from(b)));
        let mut below = |n| rng.below(n) as i64;
        let key = KeyId([1, 2, 3, 11][below(4) as usize]);
        Sleeper {
            name,
            good: below(3),
            bad: below(5) - 2,
            limit: [0, 0, 7, 25, 400][below(5) as usize],
            at_limit: [Status::Success, Status::Failure][below(2) as usize],
            key: (below(3) > 0).then_some(key),
        }
    }

    /// The node.
    pub fn node(self) -> Node<World> {
        let (name, key) = (self.name, self.key);
        nodes::<World>().leaf(name, self).wakes_on(key)
    }

    fn answer(&self, deadline: u64, cx: &mut Cx<'_, '_, World>) -> Status {
        if let Some(status) = cx.take_completion(self.name) {
            return status;
        }
        let value = match self.key.and_then(|key| World::read(cx.at(), key)) {
            Some(Scalar::Int(n)) => Some(n),
            Some(Scalar::Bool(b)) => Some(b.into()),
            _ => None,
        };
        if value == Some(self.good) {
            Status::Success
        } else if value == Some(self.bad) {
            Status::Failure
        } else if deadline == 0 {
            Status::Running
        } else if cx.now().0 >= deadline {
            self.at_limit
        } else {
            cx.wake_at(Time(deadline));
            Status::Running
        }
    }

    fn go_on(&self, deadline: u64, cx: &mut Cx<'_, '_, World>) -> Outcome {
        let status = self.answer(deadline, cx);
        if status != Status::Running {
            cx.end(self.name, What::Finished(status));
        }
        Ok(status)
    }
}

impl Leaf<World> for Sleeper {
    type State = u64;

    fn start(&self, deadline: &mut u64, cx: &mut Cx<'_, '_, World>) -> Outcome {
        cx.start(self.name);
        if self.limit > 0 {
            *deadline = (cx.now() + Duration::from_nanos(self.limit)).0;
        }
        self.go_on(*deadline, cx)
    }

    fn tick(&self, deadline: &mut u64, cx: &mut Cx<'_, '_, World>) -> Outcome {
        self.go_on(*deadline, cx)
    }

    fn halt(&self, _: &mut u64, cx: &mut Cx<'_, '_, World>) {
        cx.end(self.name, What::Halted(0));
    }
}
