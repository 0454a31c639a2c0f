//! bonsai-bt 0.14.
//!
//! - Leaves are values of an action type, given meaning by the closure passed to `tick`; per-agent state of
//!   leaves lives on the tree's blackboard, here a plain struct.
//! - A finished tree refuses to be ticked until `reset_bt`, which rebuilds it: that is done right after it
//!   finishes, as the crate's documentation has it.
//! - W1: there is no cooldown and no way to add a decorator, so the gate is a condition on the blackboard
//!   before `cast enrage` (the node count stays at 10). `memory(false)`, the reactive selector, rebuilds
//!   its children at every tick, which no `Wait` survives: the wait is an action with its deadline on the
//!   blackboard, `has target` also succeeds while that is set, and `cast enrage` clears it. One node more
//!   than elsewhere is therefore visited while waiting.

use bonsai_bt::{Action, BT, Behavior, Event, Invert, Select, Sequence, Status, UpdateArgs};

use crate::workloads::{Deep, Monster, Wide, deep, monster, wide::wide_branches};
use crate::{Engine, Outcome, World};

fn update(step_ms: u32) -> Event {
    UpdateArgs {
        dt: f64::from(step_ms) / 1000.0,
    }
    .into()
}

fn outcome<A: Clone, B>(tree: &mut BT<A, B>, ticked: Option<(Status, f64)>) -> Outcome {
    let status = ticked.expect("the tree is reset whenever it finishes").0;
    if status != Status::Running {
        tree.reset_bt();
    }
    match status {
        Status::Success => Outcome::Success,
        Status::Failure => Outcome::Failure,
        Status::Running => Outcome::Running,
    }
}

fn verdict(holds: bool) -> Status {
    if holds {
        Status::Success
    } else {
        Status::Failure
    }
}

/// A world and the behaviour its agents are made from.
pub struct Bonsai<W, A> {
    world: W,
    behavior: Behavior<A>,
}

/// The leaves of W1.
#[derive(Clone, Copy, Debug)]
pub enum MonsterLeaf {
    /// Hit points are low.
    LowHp,
    /// The cooldown is open.
    EnrageReady,
    /// Enrage, and shut the cooldown.
    CastEnrage,
    /// There is a target, or was when the wind-up began.
    HasTarget,
    /// Wait for the wind-up to end.
    WindUp,
    /// Strike.
    Strike,
    /// Idle.
    Idle,
}

/// A monster's blackboard: its timers, milliseconds.
#[derive(Clone, Debug, Default)]
pub struct MonsterBoard {
    enrage_ready_ms: u32,
    strike_at_ms: Option<u32>,
}

impl Engine<Monster> for Bonsai<Monster, MonsterLeaf> {
    const NAME: &'static str = "bonsai-bt 0.14";
    type Agent = BT<MonsterLeaf, MonsterBoard>;

    fn new() -> Self {
        use MonsterLeaf::{CastEnrage, EnrageReady, HasTarget, Idle, LowHp, Strike, WindUp};
        Self {
            world: Monster::new(),
            behavior: Select(vec![
                Sequence(vec![Action(LowHp), Action(EnrageReady), Action(CastEnrage)]),
                Sequence(vec![Action(HasTarget), Action(WindUp), Action(Strike)]),
                Action(Idle),
            ])
            .memory(false),
        }
    }

    fn spawn(&mut self) -> Self::Agent {
        BT::new(self.behavior.clone(), MonsterBoard::default())
    }

    #[inline]
    fn tick(&mut self, agent: &mut Self::Agent) -> Outcome {
        let world = &mut self.world;
        let ticked = agent.tick(&update(monster::STEP_MS), &mut |args, board| {
            let status = match args.action {
                MonsterLeaf::LowHp => verdict(world.hp < monster::LOW_HP),
                MonsterLeaf::EnrageReady => verdict(world.now_ms >= board.enrage_ready_ms),
                MonsterLeaf::CastEnrage => {
                    world.enraged += 1;
                    board.enrage_ready_ms = world.now_ms + monster::ENRAGE_COOLDOWN_MS;
                    board.strike_at_ms = None;
                    Status::Success
                }
                MonsterLeaf::HasTarget => verdict(board.strike_at_ms.is_some() || world.has_target),
                MonsterLeaf::WindUp => {
                    let until = *board
                        .strike_at_ms
                        .get_or_insert(world.now_ms + monster::WIND_UP_MS);
                    if world.now_ms < until {
                        Status::Running
                    } else {
                        board.strike_at_ms = None;
                        Status::Success
                    }
                }
                MonsterLeaf::Strike => {
                    world.struck += 1;
                    Status::Success
                }
                MonsterLeaf::Idle => {
                    world.idled += 1;
                    Status::Success
                }
            };
            (status, args.dt)
        });
        outcome(agent, ticked)
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Monster) -> R) -> R {
        act(&mut self.world)
    }
}

/// The leaves of W2: plain functions, which spares the closure a match of forty arms.
#[derive(Clone, Copy, Debug)]
pub enum WideLeaf {
    /// A condition.
    Check(fn(&Wide) -> bool),
    /// The action of a branch.
    Run(usize),
}

impl Engine<Wide> for Bonsai<Wide, WideLeaf> {
    const NAME: &'static str = "bonsai-bt 0.14";
    type Agent = BT<WideLeaf, ()>;

    fn new() -> Self {
        macro_rules! branches {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                vec![$(Sequence(vec![
                    Action(WideLeaf::Check(|world| world.facts.$a $ao $av)),
                    Action(WideLeaf::Check(|world| world.facts.$b $bo $bv)),
                    Invert(Box::new(Action(WideLeaf::Check(|world| world.facts.$c $co $cv)))),
                    Action(WideLeaf::Run($i)),
                ]),)*]
            };
        }
        Self {
            world: Wide::new(),
            behavior: Select(wide_branches!(branches)),
        }
    }

    fn spawn(&mut self) -> Self::Agent {
        BT::new(self.behavior.clone(), ())
    }

    #[inline]
    fn tick(&mut self, agent: &mut Self::Agent) -> Outcome {
        let world = &mut self.world;
        let ticked = agent.tick(&update(monster::STEP_MS), &mut |args, ()| {
            let status = match *args.action {
                WideLeaf::Check(test) => verdict(test(world)),
                WideLeaf::Run(branch) => {
                    world.ran[branch] += 1;
                    Status::Success
                }
            };
            (status, args.dt)
        });
        outcome(agent, ticked)
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Wide) -> R) -> R {
        act(&mut self.world)
    }
}

/// The leaves of W3.
#[derive(Clone, Copy, Debug)]
pub enum DeepLeaf {
    /// Enter a level.
    Enter,
    /// There is power.
    Powered,
    /// The long action; its progress is on the blackboard.
    Work,
    /// Leave a level.
    Leave,
}

impl Engine<Deep> for Bonsai<Deep, DeepLeaf> {
    const NAME: &'static str = "bonsai-bt 0.14";
    type Agent = BT<DeepLeaf, u32>;

    fn new() -> Self {
        let behavior = (0..deep::LEVELS).fold(Action(DeepLeaf::Work), |inner, _| {
            Sequence(vec![
                Action(DeepLeaf::Enter),
                Action(DeepLeaf::Powered),
                inner,
                Action(DeepLeaf::Leave),
            ])
        });
        Self {
            world: Deep::new(),
            behavior,
        }
    }

    fn spawn(&mut self) -> Self::Agent {
        BT::new(self.behavior.clone(), 0)
    }

    #[inline]
    fn tick(&mut self, agent: &mut Self::Agent) -> Outcome {
        let world = &mut self.world;
        let ticked = agent.tick(&update(monster::STEP_MS), &mut |args, ticks_worked| {
            let status = match args.action {
                DeepLeaf::Enter => {
                    world.entered += 1;
                    Status::Success
                }
                DeepLeaf::Powered => verdict(world.powered),
                DeepLeaf::Work => {
                    world.worked += u64::from(world.effort);
                    if *ticks_worked < deep::WORK_TICKS {
                        *ticks_worked += 1;
                        Status::Running
                    } else {
                        *ticks_worked = 0;
                        Status::Success
                    }
                }
                DeepLeaf::Leave => {
                    world.left += 1;
                    Status::Success
                }
            };
            (status, args.dt)
        });
        outcome(agent, ticked)
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Deep) -> R) -> R {
        act(&mut self.world)
    }
}
