//! The stand-in for a leaf.

use std::sync::Arc;

use tickseed_core::{Cx, Leaf, LeafError, Outcome, Status, Time};

use super::Sim;
use super::plan::{Behaviour, Length, Verdict};

/// A leaf that does as a plan says.
pub(super) struct Simulated {
    path: Arc<str>,
    behaviour: Behaviour,
}

/// What an activation remembers: its verdict, the ticks that are left, the time it ends.
type State = [u64; 3];

const VERDICTS: [Verdict; 5] = [
    Verdict::Success,
    Verdict::Failure,
    Verdict::Skipped,
    Verdict::Running,
    Verdict::Error,
];

impl Simulated {
    pub(super) fn new(path: &str, behaviour: Behaviour) -> Simulated {
        Simulated {
            path: path.into(),
            behaviour,
        }
    }

    fn step(&self, state: &mut State, cx: &mut Cx<'_, '_, Sim>) -> Outcome {
        let [verdict, ticks, until] = *state;
        if ticks > 0 {
            state[1] -= 1;
            return Ok(Status::Running);
        }
        if cx.now() < Time::from_nanos(until) {
            cx.wake_at(Time::from_nanos(until));
            return Ok(Status::Running);
        }
        match VERDICTS.get(verdict as usize) {
            Some(Verdict::Success) | None => Ok(Status::Success),
            Some(Verdict::Failure) => Ok(Status::Failure),
            Some(Verdict::Skipped) => Ok(Status::Skipped),
            Some(Verdict::Running) => Ok(Status::Running),
            Some(Verdict::Error) => Err(LeafError::new(
                "the plan says that this leaf fails with an error",
            )),
        }
    }
}

impl Leaf<Sim> for Simulated {
    type State = State;

    fn start(&self, state: &mut State, cx: &mut Cx<'_, '_, Sim>) -> Outcome {
        let count = cx.at_mut().begin(&self.path);
        let activation = self.behaviour.activation(count);
        let verdict = match activation.chance {
            Some(chance) if cx.rng().unit() >= chance.of => chance.or,
            _ => activation.verdict,
        };
        let number = VERDICTS.iter().position(|v| *v == verdict);
        state[0] = number.unwrap_or(0) as u64;
        match activation.length {
            Length::Ticks(ticks) => state[1] = u64::from(ticks),
            Length::Time(from, to) => {
                let drawn = from + cx.rng().below((to - from).saturating_add(1));
                state[2] = cx.now().0.saturating_add(drawn);
            }
        }
        self.step(state, cx)
    }

    fn tick(&self, state: &mut State, cx: &mut Cx<'_, '_, Sim>) -> Outcome {
        self.step(state, cx)
    }
}
