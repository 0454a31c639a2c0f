//! Scripted leaves and functions.

use core::time::Duration;

use bytemuck::{Pod, Zeroable};
use tickseed_core::{BoxedLeaf, Cx, End, Guard, Leaf, LeafError, Node, Outcome, Status, nodes};

use super::{Answer, Numbers, Script, What, World};

/// A scripted leaf with state: it counts its own ticks, and checks that its state began at
/// zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scripted {
    /// Its name.
    pub name: &'static str,
    /// Its answers.
    pub script: Script,
    /// It draws from the agent's random stream now and then.
    pub draws: bool,
    /// It writes keys now and then.
    pub writes: bool,
}

impl Scripted {
    /// A leaf that only answers.
    #[must_use]
    pub fn new(name: &'static str, script: impl Into<Script>) -> Scripted {
        Scripted {
            name,
            script: script.into(),
            draws: false,
            writes: false,
        }
    }

    /// One call: what the leaf does beside answering, and its answer.
    fn answer(&self, cx: &mut Cx<'_, '_, World>) -> Answer {
        World::check_clock(cx);
        let (asked, hash) = cx.ask(self.name);
        if self.draws && hash.is_multiple_of(4) {
            let drawn = cx.rng().below(1000);
            cx.note(self.name, What::Drew(drawn));
        }
        if self.writes && hash.is_multiple_of(2) {
            cx.write_some(hash);
        }
        self.script.answer(asked, hash, cx.errors())
    }

    /// Fails: with an error, or with a panic.
    fn fail(&self, cx: &Cx<'_, '_, World>) -> LeafError {
        cx.note(self.name, What::Failed);
        if cx.panics() {
            panic!("{} panics as scripted", self.name);
        }
        LeafError::new("scripted")
    }

    fn outcome(&self, answer: Answer, cx: &Cx<'_, '_, World>) -> Outcome {
        match answer {
            Answer::Status(Status::Running) => Ok(Status::Running),
            Answer::Status(status) => {
                cx.end(self.name, What::Finished(status));
                Ok(status)
            }
            Answer::Error => Err(self.fail(cx)),
        }
    }

    /// As the function of an action that notes its starts and ends.
    fn call(&self, cx: &mut Cx<'_, '_, World>) -> Outcome {
        if cx.ticks(self.name) > 0 {
            cx.go_on(self.name);
        } else {
            cx.start(self.name);
        }
        let answer = self.answer(cx);
        self.outcome(answer, cx)
    }

    /// As the function of an action that nobody tells of a halt.
    fn call_bare(&self, cx: &mut Cx<'_, '_, World>) -> Outcome {
        match self.answer(cx) {
            Answer::Status(status) => {
                cx.note(self.name, What::Called(status));
                Ok(status)
            }
            Answer::Error => Err(self.fail(cx)),
        }
    }

    /// An action with a halt hook.
    pub fn action(self) -> Node<World> {
        let (name, skips, me) = (self.name, self.script.skips(), self.clone());
        let node = nodes::<World>()
            .action(name, move |cx| me.call(cx))
            .on_halt(move |cx| {
                cx.end(name, What::Halted(cx.ticks(name)));
                cx.called(name);
            });
        declare(node, skips)
    }

    /// An action without a halt hook.
    pub fn bare_action(self) -> Node<World> {
        let (name, skips) = (self.name, self.script.skips());
        let node = nodes::<World>().action(name, move |cx| self.call_bare(cx));
        declare(node, skips)
    }

    /// An instant action.
    pub fn instant(self) -> Node<World> {
        let (name, skips) = (self.name, self.script.skips());
        let node = nodes::<World>().instant(name, move |cx| self.call_bare(cx));
        declare(node, skips)
    }

    /// A leaf with plain state.
    pub fn leaf(self) -> Node<World> {
        let (name, skips) = (self.name, self.script.skips());
        declare(nodes::<World>().leaf(name, self), skips)
    }

    /// A leaf with boxed state.
    pub fn boxed(self) -> Node<World> {
        let (name, skips) = (self.name, self.script.skips());
        declare(nodes::<World>().boxed_leaf(name, self), skips)
    }
}

fn declare(node: Node<World>, skips: bool) -> Node<World> {
    if skips { node.may_skip() } else { node }
}

/// The plain state of a scripted leaf: of an odd size, as state may be.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Ticks {
    count: u32,
    marker: u8,
}

const MARKER: u8 = 0xa5;

impl Leaf<World> for Scripted {
    type State = Ticks;

    fn start(&self, state: &mut Ticks, cx: &mut Cx<'_, '_, World>) -> Outcome {
        cx.start(self.name);
        if bytemuck::bytes_of(state).iter().any(|b| *b != 0) {
            cx.complain(format!("{} started with {state:?}", self.name));
        }
        *state = Ticks {
            count: 1,
            marker: MARKER,
        };
        let answer = self.answer(cx);
        self.outcome(answer, cx)
    }

    fn tick(&self, state: &mut Ticks, cx: &mut Cx<'_, '_, World>) -> Outcome {
        cx.note(self.name, What::Tick(state.count));
        if state.marker != MARKER {
            cx.complain(format!("{} went on with {state:?}", self.name));
        }
        state.count += 1;
        let answer = self.answer(cx);
        self.outcome(answer, cx)
    }

    fn halt(&self, state: &mut Ticks, cx: &mut Cx<'_, '_, World>) {
        cx.end(self.name, What::Halted(state.count));
        if state.marker != MARKER {
            cx.complain(format!("{} was halted with {state:?}", self.name));
        }
        cx.called(self.name);
    }
}

impl BoxedLeaf<World> for Scripted {
    type State = Vec<u32>;

    fn start(&self, cx: &mut Cx<'_, '_, World>) -> Result<(Vec<u32>, Status), LeafError> {
        cx.start(self.name);
        let answer = self.answer(cx);
        if answer == Answer::Error {
            // No state was made that a halt could be given.
            cx.never_started(self.name);
            return Err(self.fail(cx));
        }
        Ok((vec![1], self.outcome(answer, cx)?))
    }

    fn tick(&self, state: &mut Vec<u32>, cx: &mut Cx<'_, '_, World>) -> Outcome {
        cx.note(self.name, What::Tick(state[0]));
        state[0] += 1;
        let answer = self.answer(cx);
        self.outcome(answer, cx)
    }

    fn halt(&self, state: &mut Vec<u32>, cx: &mut Cx<'_, '_, World>) {
        cx.end(self.name, What::Halted(state[0]));
        cx.called(self.name);
    }
}

/// An action that notes its start, ticks and end.
pub fn act(name: &'static str, script: impl Into<Script>) -> Node<World> {
    Scripted::new(name, script).action()
}

/// An action without a halt hook, that notes its calls.
pub fn bare_act(name: &'static str, script: impl Into<Script>) -> Node<World> {
    Scripted::new(name, script).bare_action()
}

/// An instant action.
pub fn instant(name: &'static str, script: impl Into<Script>) -> Node<World> {
    Scripted::new(name, script).instant()
}

/// A leaf with plain state.
pub fn leaf(name: &'static str, script: impl Into<Script>) -> Node<World> {
    Scripted::new(name, script).leaf()
}

/// A leaf with boxed state.
pub fn boxed(name: &'static str, script: impl Into<Script>) -> Node<World> {
    Scripted::new(name, script).boxed()
}

/// A guard that holds where the script says success.
pub fn guard(name: &'static str, script: impl Into<Script>) -> Guard<World> {
    let script = script.into();
    nodes::<World>().when(move |world: &World| {
        let (asked, hash) = world.ask(name);
        world.may_panic(name, hash);
        let holds = script.answer(asked, hash, false) == Answer::Status(Status::Success);
        world.note(name, What::Judged(holds));
        holds
    })
}

/// A condition that holds where the script says success.
pub fn cond(name: &'static str, script: impl Into<Script>) -> Node<World> {
    nodes::<World>().check(guard(name, script)).named(name)
}

fn ask_number(world: &World, name: &'static str, numbers: &Numbers) -> i64 {
    let (asked, hash) = world.ask(name);
    world.may_panic(name, hash);
    let number = numbers.number(asked, hash);
    world.note(name, What::Number(number));
    number
}

/// For a switch: the number of the child; what is negative is out of range.
pub fn which(
    name: &'static str,
    numbers: impl Into<Numbers>,
) -> impl Fn(&World) -> usize + Send + Sync + 'static {
    let numbers = numbers.into();
    move |world: &World| usize::try_from(ask_number(world, name, &numbers)).unwrap_or(usize::MAX)
}

/// For a for-each: how many rounds; what is negative is none.
pub fn count(
    name: &'static str,
    numbers: impl Into<Numbers>,
) -> impl Fn(&World) -> usize + Send + Sync + 'static {
    let numbers = numbers.into();
    move |world: &World| usize::try_from(ask_number(world, name, &numbers)).unwrap_or(0)
}

/// For a wait or delay: a duration in nanoseconds.
pub fn span(
    name: &'static str,
    numbers: impl Into<Numbers>,
) -> impl Fn(&World) -> Duration + Send + Sync + 'static {
    let numbers = numbers.into();
    move |world: &World| {
        Duration::from_nanos(u64::try_from(ask_number(world, name, &numbers)).unwrap_or(0))
    }
}

/// For a utility selector: a score in hundredths; 900 is not a number.
pub fn score(
    name: &'static str,
    numbers: impl Into<Numbers>,
) -> tickseed_core::nodes::Score<World> {
    let numbers = numbers.into();
    nodes::<World>().score(
        move |world: &World| match ask_number(world, name, &numbers) {
            900 => f64::NAN,
            n => n as f64 / 100.0,
        },
    )
}

/// A hook, or something like one, was called.
fn told(cx: &mut Cx<'_, '_, World>, name: &'static str, what: What) {
    cx.note(name, what);
    cx.called(name);
}

/// A for-each that notes its items.
pub fn for_each(
    name: &'static str,
    numbers: impl Into<Numbers>,
    child: Node<World>,
) -> Node<World> {
    nodes::<World>().for_each(
        count(name, numbers),
        move |cx, i| told(cx, name, What::Item(i)),
        child,
    )
}

/// A hook that notes how the child finished.
pub fn on_complete(name: &'static str, child: Node<World>) -> Node<World> {
    nodes::<World>().on_complete(
        move |cx, status| told(cx, name, What::Ended(End::Finished(status))),
        child,
    )
}

/// A hook that notes a halt.
pub fn on_halted(name: &'static str, child: Node<World>) -> Node<World> {
    nodes::<World>().on_halted(move |cx| told(cx, name, What::Ended(End::Halted)), child)
}

/// A hook that notes every end.
pub fn finally(name: &'static str, child: Node<World>) -> Node<World> {
    nodes::<World>().finally(move |cx, end| told(cx, name, What::Ended(end)), child)
}

/// A catch whose verdicts follow a script.
pub fn catch(name: &'static str, script: impl Into<Script>, child: Node<World>) -> Node<World> {
    let script = script.into();
    nodes::<World>().catch(
        move |cx| {
            let (asked, hash) = cx.ask(name);
            cx.may_panic(name, hash);
            let status = match script.answer(asked, hash, false) {
                Answer::Status(status) => status,
                Answer::Error => Status::Failure,
            };
            told(cx, name, What::Caught(status));
            status
        },
        child,
    )
}
