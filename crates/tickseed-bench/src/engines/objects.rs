//! The textbook layout: a boxed object per node and agent, each with its own state, ticked through a
//! virtual call. It is what one would write first, and uses no library's code.
//!
//! The trees are built through a `wrap` function, so that the same trees with a counter around each node
//! tell how many nodes a tick visits.

use std::cell::Cell;
use std::rc::Rc;

use crate::workloads::{Deep, Monster, Wide, deep, monster, wide::wide_branches};
use crate::{Engine, Outcome, World};

/// A node with its state for one agent.
pub trait Node<W> {
    /// One tick.
    fn tick(&mut self, world: &mut W) -> Outcome;
    /// Forgets a run that was not brought to its end.
    fn halt(&mut self) {}
}

type Boxed<W> = Box<dyn Node<W>>;

struct Condition<F>(F);

impl<W, F: Fn(&W) -> bool> Node<W> for Condition<F> {
    fn tick(&mut self, world: &mut W) -> Outcome {
        if (self.0)(world) {
            Outcome::Success
        } else {
            Outcome::Failure
        }
    }
}

struct Action<F>(F);

impl<W, F: Fn(&mut W)> Node<W> for Action<F> {
    fn tick(&mut self, world: &mut W) -> Outcome {
        (self.0)(world);
        Outcome::Success
    }
}

/// Sequence and selector, both with memory: they differ in the outcome after which the next child has its turn.
struct InOrder<W, const AFTER_SUCCESS: bool> {
    children: Vec<Boxed<W>>,
    current: usize,
}

type Sequence<W> = InOrder<W, true>;
type Selector<W> = InOrder<W, false>;

impl<W, const AFTER_SUCCESS: bool> InOrder<W, AFTER_SUCCESS> {
    const GOES_ON: Outcome = if AFTER_SUCCESS {
        Outcome::Success
    } else {
        Outcome::Failure
    };
}

impl<W, const AFTER_SUCCESS: bool> Node<W> for InOrder<W, AFTER_SUCCESS> {
    fn tick(&mut self, world: &mut W) -> Outcome {
        while let Some(child) = self.children.get_mut(self.current) {
            match child.tick(world) {
                Outcome::Running => return Outcome::Running,
                outcome if outcome == Self::GOES_ON => self.current += 1,
                outcome => {
                    self.current = 0;
                    return outcome;
                }
            }
        }
        self.current = 0;
        Self::GOES_ON
    }

    fn halt(&mut self) {
        if let Some(child) = self.children.get_mut(self.current) {
            child.halt();
        }
        self.current = 0;
    }
}

struct ReactiveSelector<W> {
    children: Vec<Boxed<W>>,
    running: Option<usize>,
}

impl<W> Node<W> for ReactiveSelector<W> {
    fn tick(&mut self, world: &mut W) -> Outcome {
        let before = self.running.take();
        for index in 0..self.children.len() {
            let outcome = self.children[index].tick(world);
            if outcome == Outcome::Failure {
                continue;
            }
            if let Some(old) = before.filter(|&old| old > index) {
                self.children[old].halt();
            }
            if outcome == Outcome::Running {
                self.running = Some(index);
            }
            return outcome;
        }
        Outcome::Failure
    }

    fn halt(&mut self) {
        if let Some(running) = self.running.take() {
            self.children[running].halt();
        }
    }
}

struct Invert<W>(Boxed<W>);

impl<W> Node<W> for Invert<W> {
    fn tick(&mut self, world: &mut W) -> Outcome {
        match self.0.tick(world) {
            Outcome::Success => Outcome::Failure,
            Outcome::Failure => Outcome::Success,
            Outcome::Running => Outcome::Running,
        }
    }

    fn halt(&mut self) {
        self.0.halt();
    }
}

struct Cooldown {
    child: Boxed<Monster>,
    ready_ms: u32,
    child_runs: bool,
}

impl Node<Monster> for Cooldown {
    fn tick(&mut self, world: &mut Monster) -> Outcome {
        if !self.child_runs && world.now_ms < self.ready_ms {
            return Outcome::Failure;
        }
        let outcome = self.child.tick(world);
        self.child_runs = outcome == Outcome::Running;
        if outcome == Outcome::Success {
            self.ready_ms = world.now_ms + monster::ENRAGE_COOLDOWN_MS;
        }
        outcome
    }

    fn halt(&mut self) {
        if std::mem::take(&mut self.child_runs) {
            self.child.halt();
        }
    }
}

struct Wait {
    until_ms: Option<u32>,
}

impl Node<Monster> for Wait {
    fn tick(&mut self, world: &mut Monster) -> Outcome {
        let until = *self
            .until_ms
            .get_or_insert(world.now_ms + monster::WIND_UP_MS);
        if world.now_ms < until {
            return Outcome::Running;
        }
        self.until_ms = None;
        Outcome::Success
    }

    fn halt(&mut self) {
        self.until_ms = None;
    }
}

struct Work {
    ticks: u32,
}

impl Node<Deep> for Work {
    fn tick(&mut self, world: &mut Deep) -> Outcome {
        world.worked += u64::from(world.effort);
        if self.ticks < deep::WORK_TICKS {
            self.ticks += 1;
            return Outcome::Running;
        }
        self.ticks = 0;
        Outcome::Success
    }

    fn halt(&mut self) {
        self.ticks = 0;
    }
}

/// A world whose tree can be made of objects.
pub trait Tree: World {
    /// The tree, each node passed through `wrap` on its way into its parent.
    fn tree(wrap: &dyn Fn(Boxed<Self>) -> Boxed<Self>) -> Boxed<Self>;
}

fn sequence<W: 'static>(children: Vec<Boxed<W>>) -> Boxed<W> {
    Box::new(Sequence {
        children,
        current: 0,
    })
}

fn condition<W: 'static>(test: impl Fn(&W) -> bool + 'static) -> Boxed<W> {
    Box::new(Condition(test))
}

fn action<W: 'static>(act: impl Fn(&mut W) + 'static) -> Boxed<W> {
    Box::new(Action(act))
}

impl Tree for Monster {
    fn tree(wrap: &dyn Fn(Boxed<Self>) -> Boxed<Self>) -> Boxed<Self> {
        let enrage = sequence(vec![
            wrap(condition(|world: &Self| world.hp < monster::LOW_HP)),
            wrap(Box::new(Cooldown {
                child: wrap(action(|world: &mut Self| world.enraged += 1)),
                ready_ms: 0,
                child_runs: false,
            })),
        ]);
        let strike = sequence(vec![
            wrap(condition(|world: &Self| world.has_target)),
            wrap(Box::new(Wait { until_ms: None })),
            wrap(action(|world: &mut Self| world.struck += 1)),
        ]);
        wrap(Box::new(ReactiveSelector {
            children: vec![
                wrap(enrage),
                wrap(strike),
                wrap(action(|world: &mut Self| world.idled += 1)),
            ],
            running: None,
        }))
    }
}

impl Tree for Wide {
    fn tree(wrap: &dyn Fn(Boxed<Self>) -> Boxed<Self>) -> Boxed<Self> {
        macro_rules! branches {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                vec![$(wrap(sequence(vec![
                    wrap(condition(|world: &Self| world.facts.$a $ao $av)),
                    wrap(condition(|world: &Self| world.facts.$b $bo $bv)),
                    wrap(Box::new(Invert(wrap(condition(|world: &Self| world.facts.$c $co $cv))))),
                    wrap(action(|world: &mut Self| world.ran[$i] += 1)),
                ])),)*]
            };
        }
        wrap(Box::new(Selector {
            children: wide_branches!(branches),
            current: 0,
        }))
    }
}

impl Tree for Deep {
    fn tree(wrap: &dyn Fn(Boxed<Self>) -> Boxed<Self>) -> Boxed<Self> {
        (0..deep::LEVELS).fold(wrap(Box::new(Work { ticks: 0 })), |inner, _| {
            wrap(sequence(vec![
                wrap(action(|world: &mut Self| world.entered += 1)),
                wrap(condition(|world: &Self| world.powered)),
                inner,
                wrap(action(|world: &mut Self| world.left += 1)),
            ]))
        })
    }
}

/// Trees of objects and the world they act on.
pub struct Objects<W>(W);

impl<W: Tree> Engine<W> for Objects<W> {
    const NAME: &'static str = "object per node";
    type Agent = Boxed<W>;

    fn new() -> Self {
        Self(W::new())
    }

    fn spawn(&mut self) -> Boxed<W> {
        W::tree(&|node| node)
    }

    #[inline]
    fn tick(&mut self, agent: &mut Boxed<W>) -> Outcome {
        agent.tick(&mut self.0)
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut W) -> R) -> R {
        act(&mut self.0)
    }
}

struct Counted<W> {
    node: Boxed<W>,
    visits: Rc<Cell<u64>>,
}

impl<W> Node<W> for Counted<W> {
    fn tick(&mut self, world: &mut W) -> Outcome {
        self.visits.set(self.visits.get() + 1);
        self.node.tick(world)
    }

    fn halt(&mut self) {
        self.node.halt();
    }
}

/// How many nodes a tick visits on average over `ticks` ticks of one agent, and how many the tree has.
pub fn count_nodes<W: Tree>(ticks: u64) -> (f64, usize) {
    let visits = Rc::new(Cell::new(0));
    let nodes = Cell::new(0);
    let mut tree = W::tree(&|node| {
        nodes.set(nodes.get() + 1);
        Box::new(Counted {
            node,
            visits: Rc::clone(&visits),
        })
    });
    let mut world = W::new();
    for _ in 0..ticks {
        world.step_time();
        world.next_input();
        tree.tick(&mut world);
    }
    (visits.get() as f64 / ticks as f64, nodes.get())
}
