//! What a programmer who knew the tree would write instead of one: the baseline, and the reference for the
//! others' counters.

use crate::workloads::{Deep, Monster, Wide, deep, monster, wide::wide_branches};
use crate::{Engine, Outcome, World};

/// The workload's world, acted on by plain code.
pub struct Handwritten<W>(W);

/// A monster's timers, milliseconds.
pub struct MonsterAgent {
    enrage_ready_ms: u32,
    /// When the wind-up ends; zero while there is none (time starts later than that).
    strike_at_ms: u32,
}

impl Engine<Monster> for Handwritten<Monster> {
    const NAME: &'static str = "hand-written";
    type Agent = MonsterAgent;

    fn new() -> Self {
        Self(Monster::new())
    }

    fn spawn(&mut self) -> MonsterAgent {
        MonsterAgent {
            enrage_ready_ms: 0,
            strike_at_ms: 0,
        }
    }

    #[inline]
    fn tick(&mut self, agent: &mut MonsterAgent) -> Outcome {
        let world = &mut self.0;
        if world.hp < monster::LOW_HP && world.now_ms >= agent.enrage_ready_ms {
            world.enraged += 1;
            agent.enrage_ready_ms = world.now_ms + monster::ENRAGE_COOLDOWN_MS;
            agent.strike_at_ms = 0;
            Outcome::Success
        } else if agent.strike_at_ms != 0 {
            if world.now_ms < agent.strike_at_ms {
                return Outcome::Running;
            }
            world.struck += 1;
            agent.strike_at_ms = 0;
            Outcome::Success
        } else if world.has_target {
            agent.strike_at_ms = world.now_ms + monster::WIND_UP_MS;
            Outcome::Running
        } else {
            world.idled += 1;
            Outcome::Success
        }
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Monster) -> R) -> R {
        act(&mut self.0)
    }
}

impl Engine<Wide> for Handwritten<Wide> {
    const NAME: &'static str = "hand-written";
    type Agent = ();

    fn new() -> Self {
        Self(Wide::new())
    }

    fn spawn(&mut self) {}

    #[inline]
    fn tick(&mut self, (): &mut ()) -> Outcome {
        let world = &mut self.0;
        macro_rules! chain {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                $(
                    #[allow(clippy::nonminimal_bool, reason = "said as the tree says it")]
                    if world.facts.$a $ao $av && world.facts.$b $bo $bv && !(world.facts.$c $co $cv) {
                        world.ran[$i] += 1;
                        return Outcome::Success;
                    }
                )*
            };
        }
        wide_branches!(chain);
        Outcome::Failure
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Wide) -> R) -> R {
        act(&mut self.0)
    }
}

/// Where a deep agent is.
pub struct DeepAgent {
    working: bool,
    ticks_worked: u32,
}

impl Engine<Deep> for Handwritten<Deep> {
    const NAME: &'static str = "hand-written";
    type Agent = DeepAgent;

    fn new() -> Self {
        Self(Deep::new())
    }

    fn spawn(&mut self) -> DeepAgent {
        DeepAgent {
            working: false,
            ticks_worked: 0,
        }
    }

    #[inline]
    fn tick(&mut self, agent: &mut DeepAgent) -> Outcome {
        let world = &mut self.0;
        if !agent.working {
            for _ in 0..deep::LEVELS {
                world.entered += 1;
                if !world.powered {
                    return Outcome::Failure;
                }
            }
            *agent = DeepAgent {
                working: true,
                ticks_worked: 0,
            };
        }
        world.worked += u64::from(world.effort);
        if agent.ticks_worked < deep::WORK_TICKS {
            agent.ticks_worked += 1;
            return Outcome::Running;
        }
        agent.working = false;
        world.left += deep::LEVELS as u64;
        Outcome::Success
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut Deep) -> R) -> R {
        act(&mut self.0)
    }
}
