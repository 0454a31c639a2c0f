//! Copies of a world at some ticks of its past, so that going back means replaying from the nearest
//! copy instead of from the beginning.

use tickseed_worlds::World;

use crate::scribe::Scribe;

/// About so much work lies between two copies, in ticks of agents: what going back costs.
const WORK_BETWEEN: u64 = 100_000;
/// No more ticks lie between the first copies, however few agents there are.
const MOST_TICKS_BETWEEN: u64 = 500;
/// All copies together take about so many bytes at most.
const MOST_BYTES: usize = 32 << 20;
/// No more copies than this are kept.
const MOST: usize = 128;

/// The copies, in the order of their ticks.
pub(crate) struct Keyframes {
    /// A copy is made at multiples of this. Twice as many when there is no more room: then
    /// every second copy is dropped, so that they always lie evenly over the whole past.
    every: u64,
    kept: Vec<Frame>,
    most: usize,
}

struct Frame {
    tick: u64,
    world: Box<dyn World>,
    scribe: Scribe,
}

impl Keyframes {
    /// For a world with so many agents.
    pub(crate) fn new(world: &dyn World) -> Keyframes {
        let agents = u64::from(world.agents().max(1));
        // A body, its keys and its place in the scene are about this large.
        let agent = world.bytes_per_agent() + 256;
        let bytes = agents as usize * agent + 8192;
        Keyframes {
            every: (WORK_BETWEEN / agents).clamp(10, MOST_TICKS_BETWEEN),
            kept: Vec::new(),
            most: (MOST_BYTES / bytes).clamp(2, MOST),
        }
    }

    /// Keeps a copy of this world, if it is time for one.
    pub(crate) fn consider(&mut self, world: &dyn World, scribe: &Scribe) {
        let tick = world.stage().ticks();
        let known = self.kept.last().is_some_and(|f| f.tick >= tick);
        if !tick.is_multiple_of(self.every) || known {
            return;
        }
        if self.kept.len() >= self.most {
            self.every *= 2;
            let every = self.every;
            self.kept.retain(|f| f.tick.is_multiple_of(every));
            if !tick.is_multiple_of(every) {
                return;
            }
        }
        if let Some(world) = world.duplicate() {
            self.kept.push(Frame {
                tick,
                world,
                scribe: scribe.clone(),
            });
        }
    }

    /// The latest copy before a tick.
    pub(crate) fn before(&self, tick: u64) -> Option<(Box<dyn World>, Scribe)> {
        let at = self.kept.partition_point(|f| f.tick < tick);
        let frame = self.kept[..at].last()?;
        Some((frame.world.duplicate()?, frame.scribe.clone()))
    }

    /// The tick of the latest copy before a tick; 0 if there is none.
    pub(crate) fn nearest(&self, tick: u64) -> u64 {
        let at = self.kept.partition_point(|f| f.tick < tick);
        self.kept[..at].last().map_or(0, |f| f.tick)
    }

    /// Forgets what came after a tick: it will not come about any more.
    pub(crate) fn truncate(&mut self, tick: u64) {
        self.kept.retain(|f| f.tick <= tick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_few_and_lie_evenly() {
        let mut world = tickseed_worlds::create("robot", 7, None).unwrap();
        let scribe = Scribe::new(&*world);
        let mut frames = Keyframes::new(&*world);
        frames.every = 10;
        frames.most = 4;
        for _ in 0..200 {
            world.step().unwrap();
            frames.consider(&*world, &scribe);
            assert!(frames.kept.len() <= 4);
        }
        let ticks: Vec<_> = frames.kept.iter().map(|f| f.tick).collect();
        assert_eq!(ticks, [80, 160]);
        let (copy, _) = frames.before(160).unwrap();
        assert_eq!(copy.stage().ticks(), 80);
        assert!(frames.before(80).is_none());
        frames.truncate(100);
        assert_eq!(frames.before(500).unwrap().0.stage().ticks(), 80);
    }

    /// From the beginning it would be thousands.
    #[test]
    fn no_more_than_a_bounded_part_is_played_again() {
        for name in ["robot", "boss"] {
            let mut world = tickseed_worlds::create(name, 3, None).unwrap();
            let scribe = Scribe::new(&*world);
            let mut frames = Keyframes::new(&*world);
            for _ in 0..7500 {
                world.step().unwrap();
                frames.consider(&*world, &scribe);
            }
            let again = (1..=7500).map(|tick| tick - frames.nearest(tick)).max();
            assert!(again <= Some(500), "{name}: {again:?}");
        }
    }

    #[test]
    fn a_crowd_of_thousands_is_copied_seldom() {
        let few = tickseed_worlds::create("boss", 7, Some(5)).unwrap();
        let many = tickseed_worlds::create("boss", 7, Some(50_000)).unwrap();
        let (few, many) = (Keyframes::new(&*few), Keyframes::new(&*many));
        assert_eq!((few.every, few.most), (500, MOST));
        assert!(many.most * 50_000 * 256 <= MOST_BYTES, "{}", many.most);
    }
}
