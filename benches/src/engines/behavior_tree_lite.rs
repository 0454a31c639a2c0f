//! behavior-tree-lite 0.3.2.
//!
//! - Leaves are node types of the user's. They share the world through an `Rc<RefCell<_>>` given to them
//!   when the tree is built: the crate also offers a blackboard (a hash map) and a callback with `Any`
//!   messages, both slower.
//! - One `Context` serves all agents, since nothing is kept on its blackboard.
//! - Children are ticked through the built-in `ReactiveFallback`, `Fallback`, `Sequence` and `Inverter`
//!   where these do what the workload asks.
//! - W1: there are no timers and no halting, so the cooldown is a decorator of ours and the wait a leaf of
//!   ours. A built-in sequence that was left waiting would go on where it was, so the nodes of one monster
//!   share a count of interruptions: `cast enrage` raises it, and the sequence (ours) and the wait start
//!   afresh when it has changed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use behavior_tree_lite::{
    BehaviorCallback, BehaviorNode, BehaviorNodeContainer, BehaviorResult, Context, NumChildren,
    Registry, SequenceNode,
};

use crate::workloads::{Deep, Monster, Wide, deep, monster, wide::wide_branches};
use crate::{Engine, Outcome, World};

type Shared<W> = Rc<RefCell<W>>;

struct Condition<W, F> {
    world: Shared<W>,
    test: F,
}

impl<W, F: Fn(&W) -> bool> BehaviorNode for Condition<W, F> {
    fn tick(&mut self, _: BehaviorCallback, _: &mut Context) -> BehaviorResult {
        if (self.test)(&self.world.borrow()) {
            BehaviorResult::Success
        } else {
            BehaviorResult::Fail
        }
    }
}

struct Action<W, F> {
    world: Shared<W>,
    act: F,
}

impl<W, F: Fn(&mut W)> BehaviorNode for Action<W, F> {
    fn tick(&mut self, _: BehaviorCallback, _: &mut Context) -> BehaviorResult {
        (self.act)(&mut self.world.borrow_mut());
        BehaviorResult::Success
    }
}

struct Cooldown {
    world: Shared<Monster>,
    ready_ms: u32,
    child_runs: bool,
}

impl BehaviorNode for Cooldown {
    fn tick(&mut self, callback: BehaviorCallback, context: &mut Context) -> BehaviorResult {
        let now_ms = self.world.borrow().now_ms;
        if !self.child_runs && now_ms < self.ready_ms {
            return BehaviorResult::Fail;
        }
        let result = context
            .tick_child(0, callback)
            .unwrap_or(BehaviorResult::Fail);
        self.child_runs = result == BehaviorResult::Running;
        if result == BehaviorResult::Success {
            self.ready_ms = now_ms + monster::ENRAGE_COOLDOWN_MS;
        }
        result
    }

    fn max_children(&self) -> NumChildren {
        NumChildren::Finite(1)
    }
}

struct Wait {
    world: Shared<Monster>,
    interruptions: Rc<Cell<u32>>,
    seen: u32,
    until_ms: Option<u32>,
}

impl BehaviorNode for Wait {
    fn tick(&mut self, _: BehaviorCallback, _: &mut Context) -> BehaviorResult {
        if self.seen != self.interruptions.get() {
            self.seen = self.interruptions.get();
            self.until_ms = None;
        }
        let now_ms = self.world.borrow().now_ms;
        if now_ms < *self.until_ms.get_or_insert(now_ms + monster::WIND_UP_MS) {
            return BehaviorResult::Running;
        }
        self.until_ms = None;
        BehaviorResult::Success
    }
}

/// The built-in sequence, but begun anew after an interruption.
struct InterruptibleSequence {
    interruptions: Rc<Cell<u32>>,
    seen: u32,
    current: usize,
}

impl BehaviorNode for InterruptibleSequence {
    fn tick(&mut self, callback: BehaviorCallback, context: &mut Context) -> BehaviorResult {
        if self.seen != self.interruptions.get() {
            self.seen = self.interruptions.get();
            self.current = 0;
        }
        for index in self.current..context.num_children() {
            match context.tick_child(index, callback) {
                Some(BehaviorResult::Success) => {}
                Some(BehaviorResult::Running) => {
                    self.current = index;
                    return BehaviorResult::Running;
                }
                Some(BehaviorResult::Fail) | None => {
                    self.current = 0;
                    return BehaviorResult::Fail;
                }
            }
        }
        self.current = 0;
        BehaviorResult::Success
    }

    fn max_children(&self) -> NumChildren {
        NumChildren::Infinite
    }
}

struct Work {
    world: Shared<Deep>,
    ticks: u32,
}

impl BehaviorNode for Work {
    fn tick(&mut self, _: BehaviorCallback, _: &mut Context) -> BehaviorResult {
        let mut world = self.world.borrow_mut();
        world.worked += u64::from(world.effort);
        if self.ticks < deep::WORK_TICKS {
            self.ticks += 1;
            return BehaviorResult::Running;
        }
        self.ticks = 0;
        BehaviorResult::Success
    }
}

fn condition<W: World>(
    world: &Shared<W>,
    test: impl Fn(&W) -> bool + 'static,
) -> BehaviorNodeContainer {
    BehaviorNodeContainer::new_node(Condition {
        world: Rc::clone(world),
        test,
    })
}

fn action<W: World>(world: &Shared<W>, act: impl Fn(&mut W) + 'static) -> BehaviorNodeContainer {
    BehaviorNodeContainer::new_node(Action {
        world: Rc::clone(world),
        act,
    })
}

fn parent(
    mut node: BehaviorNodeContainer,
    children: impl IntoIterator<Item = BehaviorNodeContainer>,
) -> BehaviorNodeContainer {
    for child in children {
        node.add_child(child)
            .expect("the node takes this many children");
    }
    node
}

/// A built-in node that the crate offers by name only.
fn built_in(registry: &Registry, name: &str) -> BehaviorNodeContainer {
    BehaviorNodeContainer::new_raw(registry.build(name).expect("a node of the library's own"))
}

/// A world whose tree can be made of this library's nodes.
pub trait Tree: World {
    /// The tree, for one agent.
    fn tree(world: &Shared<Self>, registry: &Registry) -> BehaviorNodeContainer;
}

impl Tree for Monster {
    fn tree(world: &Shared<Self>, registry: &Registry) -> BehaviorNodeContainer {
        let interruptions = Rc::new(Cell::new(0));
        let cooldown = BehaviorNodeContainer::new_node(Cooldown {
            world: Rc::clone(world),
            ready_ms: 0,
            child_runs: false,
        });
        let interrupt = Rc::clone(&interruptions);
        let enrage = parent(
            BehaviorNodeContainer::new_node(SequenceNode::default()),
            [
                condition(world, |world: &Self| world.hp < monster::LOW_HP),
                parent(
                    cooldown,
                    [action(world, move |world: &mut Self| {
                        world.enraged += 1;
                        interrupt.set(interrupt.get() + 1);
                    })],
                ),
            ],
        );
        let strike = parent(
            BehaviorNodeContainer::new_node(InterruptibleSequence {
                interruptions: Rc::clone(&interruptions),
                seen: 0,
                current: 0,
            }),
            [
                condition(world, |world: &Self| world.has_target),
                BehaviorNodeContainer::new_node(Wait {
                    world: Rc::clone(world),
                    interruptions,
                    seen: 0,
                    until_ms: None,
                }),
                action(world, |world: &mut Self| world.struck += 1),
            ],
        );
        parent(
            built_in(registry, "ReactiveFallback"),
            [
                enrage,
                strike,
                action(world, |world: &mut Self| world.idled += 1),
            ],
        )
    }
}

impl Tree for Wide {
    fn tree(world: &Shared<Self>, registry: &Registry) -> BehaviorNodeContainer {
        macro_rules! branches {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                [$(parent(BehaviorNodeContainer::new_node(SequenceNode::default()), [
                    condition(world, |world: &Self| world.facts.$a $ao $av),
                    condition(world, |world: &Self| world.facts.$b $bo $bv),
                    parent(built_in(registry, "Inverter"), [condition(world, |world: &Self| world.facts.$c $co $cv)]),
                    action(world, |world: &mut Self| world.ran[$i] += 1),
                ]),)*]
            };
        }
        parent(built_in(registry, "Fallback"), wide_branches!(branches))
    }
}

impl Tree for Deep {
    fn tree(world: &Shared<Self>, _: &Registry) -> BehaviorNodeContainer {
        let work = BehaviorNodeContainer::new_node(Work {
            world: Rc::clone(world),
            ticks: 0,
        });
        (0..deep::LEVELS).fold(work, |inner, _| {
            parent(
                BehaviorNodeContainer::new_node(SequenceNode::default()),
                [
                    action(world, |world: &mut Self| world.entered += 1),
                    condition(world, |world: &Self| world.powered),
                    inner,
                    action(world, |world: &mut Self| world.left += 1),
                ],
            )
        })
    }
}

/// The shared world, what builds agents, and the context they are ticked with.
pub struct Lite<W> {
    world: Shared<W>,
    registry: Registry,
    context: Context,
}

impl<W: Tree> Engine<W> for Lite<W> {
    const NAME: &'static str = "behavior-tree-lite 0.3.2";
    type Agent = BehaviorNodeContainer;

    fn new() -> Self {
        Self {
            world: Rc::new(RefCell::new(W::new())),
            registry: Registry::default(),
            context: Context::default(),
        }
    }

    fn spawn(&mut self) -> BehaviorNodeContainer {
        W::tree(&self.world, &self.registry)
    }

    #[inline]
    fn tick(&mut self, agent: &mut BehaviorNodeContainer) -> Outcome {
        match agent.tick(&mut |_| None, &mut self.context) {
            BehaviorResult::Success => Outcome::Success,
            BehaviorResult::Fail => Outcome::Failure,
            BehaviorResult::Running => Outcome::Running,
        }
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut W) -> R) -> R {
        act(&mut self.world.borrow_mut())
    }
}
