//! Tickseed.
//!
//! - The tree is built once and shared by all agents; an agent is what [`Tree::agent`] gives out.
//! - Leaves are closures over the world, which a tick borrows. Actions that end in the tick that starts them
//!   are declared `instant`; `work` of W3, the one leaf with state of its own, is a [`Leaf`].
//! - W2 comes twice: with conditions as closures, one step each, and with data guards, which are
//!   comparisons of keys in rows.
//! - A tick is compiled into the measured loop, as in a game that ticks its agents in one place; here
//!   there are two loops, so the compiler must be told.

use std::mem::offset_of;
use std::time::Duration;

use tickseed_core::{
    Agent, Context, Cx, Key, KeyId, KeyInfo, Leaf, LeafError, Node, Nodes, Place, ScalarType,
    Schema, Status, TickError, Time, Tree, bytemuck, nodes,
};

use crate::workloads::{Deep, Monster, Wide, deep, monster, wide::Facts, wide::wide_branches};
use crate::{Engine, Outcome, World};

/// A world whose tree Tickseed can build.
pub trait Seed: World + Sized + for<'a> Context<At<'a> = Self> {
    /// Simulated time; constant where nothing depends on it.
    fn now(&self) -> Time {
        Time::ZERO
    }

    /// The tree, with closures as conditions.
    fn tree(n: Nodes<Self>) -> Node<Self>;
}

impl Context for Monster {
    type At<'a> = Monster;
}

impl Seed for Monster {
    fn now(&self) -> Time {
        Time::from_millis(self.now_ms.into())
    }

    fn tree(n: Nodes<Self>) -> Node<Self> {
        n.selector([
            n.sequence([
                n.condition("hp below 20", |world| world.hp < monster::LOW_HP),
                n.cooldown(
                    Duration::from_millis(monster::ENRAGE_COOLDOWN_MS.into()),
                    n.instant("cast enrage", |world| world.enraged += 1),
                ),
            ]),
            n.sequence([
                n.condition("has target", |world| world.has_target),
                n.wait(Duration::from_millis(monster::WIND_UP_MS.into())),
                n.instant("strike", |world| world.struck += 1),
            ]),
            n.instant("idle", |world| world.idled += 1),
        ])
        .reactive()
    }
}

/// The facts as keys, where they lie in the block.
static KEYS: Schema = Schema {
    keys: &[
        info("alarm", offset_of!(Facts, alarm)),
        info("range", offset_of!(Facts, range)),
        info("load", offset_of!(Facts, load)),
    ],
};
const ALARM: Key<Wide, i32> = Key::new(KeyId(0), KEYS.keys[0].place);
const RANGE: Key<Wide, i32> = Key::new(KeyId(1), KEYS.keys[1].place);
const LOAD: Key<Wide, i32> = Key::new(KeyId(2), KEYS.keys[2].place);

const fn info(name: &'static str, offset: usize) -> KeyInfo {
    KeyInfo {
        name,
        ty: ScalarType::I32,
        place: Place::Block(offset as u32),
    }
}

impl Context for Wide {
    type At<'a> = Wide;

    fn schema() -> &'static Schema {
        &KEYS
    }

    fn block(at: &Wide) -> &[u8] {
        bytemuck::bytes_of(&at.facts)
    }
}

impl Seed for Wide {
    fn tree(n: Nodes<Self>) -> Node<Self> {
        macro_rules! branches {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                n.selector([$(n.sequence([
                    n.condition("a", |world| world.facts.$a $ao $av),
                    n.condition("b", |world| world.facts.$b $bo $bv),
                    n.invert(n.condition("c", |world| world.facts.$c $co $cv)),
                    n.instant("run branch", |world| world.ran[$i] += 1),
                ]),)*])
            };
        }
        wide_branches!(branches)
    }
}

/// W2's tree with guards made of data.
fn wide_with_data(n: Nodes<Wide>) -> Node<Wide> {
    macro_rules! key {
        (alarm) => {
            ALARM
        };
        (range) => {
            RANGE
        };
        (load) => {
            LOAD
        };
    }
    macro_rules! guard {
        ($key:ident < $value:literal) => {
            key!($key).lt($value)
        };
        ($key:ident <= $value:literal) => {
            key!($key).le($value)
        };
        ($key:ident > $value:literal) => {
            key!($key).gt($value)
        };
        ($key:ident >= $value:literal) => {
            key!($key).ge($value)
        };
    }
    macro_rules! branches {
        ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
            n.selector([$(n.sequence([
                n.check(guard!($a $ao $av)),
                n.check(guard!($b $bo $bv)),
                n.invert(n.check(guard!($c $co $cv))),
                n.instant("run branch", |world| world.ran[$i] += 1),
            ]),)*])
        };
    }
    wide_branches!(branches)
}

impl Context for Deep {
    type At<'a> = Deep;
}

struct Work;

impl Work {
    fn advance(ticks: &mut u32, world: &mut Deep) -> Status {
        world.worked += u64::from(world.effort);
        if *ticks < deep::WORK_TICKS {
            *ticks += 1;
            Status::Running
        } else {
            Status::Success
        }
    }
}

impl Leaf<Deep> for Work {
    type State = u32;

    fn start(&self, ticks: &mut u32, cx: &mut Cx<'_, '_, Deep>) -> Result<Status, LeafError> {
        Ok(Self::advance(ticks, cx))
    }

    fn tick(&self, ticks: &mut u32, cx: &mut Cx<'_, '_, Deep>) -> Result<Status, LeafError> {
        Ok(Self::advance(ticks, cx))
    }
}

impl Seed for Deep {
    fn tree(n: Nodes<Self>) -> Node<Self> {
        (0..deep::LEVELS).fold(n.leaf("work", Work), |inner, _| {
            n.sequence([
                n.instant("enter", |world| world.entered += 1),
                n.condition("powered", |world| world.powered),
                inner,
                n.instant("leave", |world| world.left += 1),
            ])
        })
    }
}

/// A world and the tree its agents share.
struct Shared<W: Seed> {
    world: W,
    tree: Tree<W>,
}

impl<W: Seed> Shared<W> {
    fn new(tree: Node<W>) -> Self {
        Self {
            world: W::new(),
            tree: tree.build().expect("the workload's tree is sound"),
        }
    }

    #[inline(always)]
    fn tick(&mut self, agent: &mut Agent) -> Outcome {
        let now = self.world.now();
        match self.tree.tick(agent, &mut self.world, now) {
            Ok(Status::Success) => Outcome::Success,
            Ok(Status::Failure) => Outcome::Failure,
            Ok(Status::Running) => Outcome::Running,
            other => unexpected(other),
        }
    }
}

#[cold]
#[inline(never)]
fn unexpected(ended: Result<Status, TickError>) -> ! {
    panic!("a tick ended in {ended:?}")
}

/// Tickseed with closures as leaves.
pub struct Tickseed<W: Seed>(Shared<W>);

impl<W: Seed> Engine<W> for Tickseed<W> {
    const NAME: &'static str = "tickseed";
    type Agent = Agent;

    fn new() -> Self {
        Self(Shared::new(W::tree(nodes())))
    }

    fn spawn(&mut self) -> Agent {
        self.0.tree.agent()
    }

    #[inline(always)]
    fn tick(&mut self, agent: &mut Agent) -> Outcome {
        self.0.tick(agent)
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut W) -> R) -> R {
        act(&mut self.0.world)
    }
}

/// Tickseed with guards made of data.
pub struct TickseedData(Shared<Wide>);

impl Engine<Wide> for TickseedData {
    const NAME: &'static str = "tickseed, data guards";
    type Agent = Agent;

    fn new() -> Self {
        Self(Shared::new(wide_with_data(nodes())))
    }

    fn spawn(&mut self) -> Agent {
        self.0.tree.agent()
    }

    #[inline(always)]
    fn tick(&mut self, agent: &mut Agent) -> Outcome {
        self.0.tick(agent)
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Wide) -> R) -> R {
        act(&mut self.0.world)
    }
}
