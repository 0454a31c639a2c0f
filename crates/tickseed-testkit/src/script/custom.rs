//! Custom nodes that do odd things, for tests of what the engine guarantees around them.

use tickseed_core::{Branches, CustomNode, Cx, LeafError, Status, Stop};

use super::{What, World};

fn note(n: &mut Branches<'_, World>, name: &'static str, number: u32) {
    n.with_cx(|cx| {
        cx.note(name, What::Noted(number));
        cx.called(name);
    });
}

/// Ticks its children from the last to the first, all of them, every tick; runs while one
/// does, else answers the first child's status.
#[derive(Clone, Debug)]
pub struct Backwards(pub &'static str);

impl CustomNode<World> for Backwards {
    type State = ();
    type Memory = ();
    fn name(&self) -> &'static str {
        "backwards"
    }
    fn tick(&self, n: &mut Branches<'_, World>, (): &mut (), (): &mut ()) -> Result<Status, Stop> {
        let (mut running, mut first) = (false, Status::Skipped);
        for i in (0..n.len()).rev() {
            first = n.tick(i)?;
            running |= first == Status::Running;
        }
        Ok(if running { Status::Running } else { first })
    }
}

/// Each tick it ticks the next child, round and round, leaving the others as they are. Ends
/// with the verdict of the first child that gives one, whatever else runs. Its memory counts
/// its ticks for life.
#[derive(Clone, Debug)]
pub struct Alternating(pub &'static str);

impl CustomNode<World> for Alternating {
    type State = u32;
    type Memory = [u8; 3];
    fn name(&self) -> &'static str {
        "alternating"
    }
    fn tick(
        &self,
        n: &mut Branches<'_, World>,
        turn: &mut u32,
        memory: &mut [u8; 3],
    ) -> Result<Status, Stop> {
        memory[0] = memory[0].wrapping_add(1);
        memory[1] = memory[1].wrapping_add(u8::from(n.is_fresh()));
        let child = *turn as usize % n.len();
        *turn += 1;
        let status = n.tick(child)?;
        let running = (0..n.len()).filter(|&i| n.is_running(i)).count();
        note(n, self.0, running as u32);
        Ok(match status {
            Status::Skipped if *turn as usize >= 2 * n.len() => Status::Skipped,
            Status::Skipped => Status::Running,
            verdict => verdict,
        })
    }
    fn halt(&self, turn: &mut u32, memory: &mut [u8; 3], cx: &mut Cx<'_, '_, World>) {
        memory[2] = memory[2].wrapping_add(1);
        cx.note(self.0, What::Noted(100 + *turn));
        cx.called(self.0);
    }
}

/// Runs its children one after the other, but halts one that has run for two ticks, and may
/// tick a child twice in one tick. Succeeds after the last.
#[derive(Clone, Debug)]
pub struct Impatient(pub &'static str);

impl CustomNode<World> for Impatient {
    type State = [u16; 2];
    type Memory = u16;
    fn name(&self) -> &'static str {
        "impatient"
    }
    fn tick(
        &self,
        n: &mut Branches<'_, World>,
        [child, ticks]: &mut [u16; 2],
        cut: &mut u16,
    ) -> Result<Status, Stop> {
        while usize::from(*child) < n.len() {
            let i = usize::from(*child);
            *ticks += 1;
            if n.tick(i)? == Status::Failure {
                n.tick(i)?;
            }
            if n.is_running(i) && *ticks < 2 {
                return Ok(Status::Running);
            }
            *cut = cut.wrapping_add(u16::from(n.is_running(i)));
            n.halt(i);
            (*child, *ticks) = (*child + 1, 0);
        }
        note(n, self.0, u32::from(*cut));
        Ok(Status::Success)
    }
    fn preempts(&self) -> bool {
        true
    }
}

/// Ticks all children each tick in an order that moves on by one, draws a number, and now and
/// then ends at once, fails with an error of its own, or keeps a child's error to itself.
#[derive(Clone, Debug)]
pub struct Rotating(pub &'static str);

impl CustomNode<World> for Rotating {
    type State = u8;
    type Memory = ();
    fn name(&self) -> &'static str {
        "rotating"
    }
    fn tick(
        &self,
        n: &mut Branches<'_, World>,
        offset: &mut u8,
        (): &mut (),
    ) -> Result<Status, Stop> {
        let (drawn, fails) = n.with_cx(|cx| {
            let drawn = cx.rng().below(100);
            cx.note(self.0, What::Drew(drawn));
            (drawn, cx.errors() && drawn == 7)
        });
        if fails {
            return Err(LeafError::new("the rule gave up").into());
        }
        let mut verdicts = 0;
        for k in 0..n.len() {
            let i = (k + usize::from(*offset)) % n.len();
            match n.tick(i) {
                Ok(status) => verdicts += usize::from(status.is_verdict()),
                Err(stop) if drawn > 20 => return Err(stop),
                Err(_) => {}
            }
        }
        *offset = offset.wrapping_add(1);
        Ok(if drawn < 10 {
            Status::Failure
        } else if verdicts == n.len() {
            Status::Success
        } else {
            Status::Running
        })
    }
    fn halt(&self, offset: &mut u8, (): &mut (), cx: &mut Cx<'_, '_, World>) {
        cx.note(self.0, What::Noted(u32::from(*offset)));
    }
}
