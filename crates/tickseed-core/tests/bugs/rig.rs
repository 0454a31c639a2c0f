//! A tree of scripted leaves, ticked three ways at once: compiled, compiled with marks, and
//! interpreted. What happens must be what the test says, and the same in all three.

use std::time::Duration;

use tickseed_core::{Agent, BuildError, Node, Rng, Status, TickError, Time, Tree};
use tickseed_testkit::script::{What, World};
use tickseed_testkit::{Interp, Marks, Silent};

pub(crate) use tickseed_core::nodes;

/// The factory of scripted nodes.
pub(crate) fn n() -> tickseed_core::Nodes<World> {
    nodes::<World>()
}

/// Makes a node afresh, as often as a test wants one.
pub(crate) type Make = fn() -> Node<World>;

pub(crate) const MS: Duration = Duration::from_millis(1);

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// One letter a status.
pub(crate) fn letter(s: Status) -> char {
    match s {
        Status::Success => 'S',
        Status::Failure => 'F',
        Status::Running => 'R',
        Status::Skipped => 'K',
    }
}

/// The events of a world, short: `A+` starts, `A~` goes on, `A=S` finishes, `A!` is halted,
/// `A=E` fails with an error; `A:S` a condition, hook-less or instant action answers;
/// `h(S)`, `h(!)` a hook is told an end; `x[0]` a for-each tells an item; `n#3` a number is
/// asked for.
pub(crate) fn events(world: &World) -> String {
    use tickseed_core::End;
    let mut words = Vec::new();
    for e in world.events() {
        let who = e.who;
        words.push(match e.what {
            What::Start => format!("{who}+"),
            What::Tick(_) => format!("{who}~"),
            What::Finished(s) => format!("{who}={}", letter(s)),
            What::Failed => format!("{who}=E"),
            What::Halted(_) => format!("{who}!"),
            What::Called(s) => format!("{who}:{}", letter(s)),
            What::Judged(b) => format!("{who}:{}", letter(Status::from_bool(b))),
            What::Number(i) => format!("{who}#{i}"),
            What::Ended(End::Finished(s)) => format!("{who}({})", letter(s)),
            What::Ended(End::Halted) => format!("{who}(!)"),
            What::Caught(s) => format!("{who}^{}", letter(s)),
            What::Item(i) => format!("{who}[{i}]"),
            What::Drew(i) => format!("{who}%{i}"),
            What::Noted(i) => format!("{who}*{i}"),
            What::Logged => format!("{who}>"),
        });
    }
    words.join(" ")
}

pub(crate) struct Rig {
    pub(crate) tree: &'static Tree<World>,
    pub(crate) agent: Agent,
    pub(crate) world: World,
    traced: Agent,
    traced_world: World,
    interp: Interp<'static, World>,
    interp_world: World,
    interp_rng: Rng,
    pub(crate) now: Time,
    last: Option<Time>,
}

impl Rig {
    #[track_caller]
    pub(crate) fn new(root: Node<World>) -> Rig {
        Rig::seeded(root, 0)
    }

    /// With this seed of the agents' random streams.
    #[track_caller]
    pub(crate) fn seeded(root: Node<World>, seed: u64) -> Rig {
        // The interpreter borrows the tree: a test may keep it for ever.
        let tree: &'static Tree<World> =
            Box::leak(Box::new(root.build().unwrap_or_else(|e| panic!("{e}"))));
        Rig {
            tree,
            agent: tree.agent_seeded(seed),
            world: World::new(),
            traced: tree.agent_seeded(seed),
            traced_world: World::new(),
            interp: Interp::new(tree),
            interp_world: World::new(),
            interp_rng: Rng::new(seed),
            now: Time::ZERO,
            last: None,
        }
    }

    /// Does the same to all three worlds.
    pub(crate) fn change(&mut self, f: impl Fn(&mut World)) {
        f(&mut self.world);
        f(&mut self.traced_world);
        f(&mut self.interp_world);
    }

    /// Ticks now: the status's letter (`E`: an error), then the events.
    #[track_caller]
    pub(crate) fn step(&mut self) -> String {
        let now = self.now;
        let dt = self.last.map_or(Duration::ZERO, |l| now.since(l));
        self.last = Some(now);
        let plain = self.tree.tick(&mut self.agent, &mut self.world, now);
        let traced = self.tree.tick_traced(
            &mut self.traced,
            &mut self.traced_world,
            now,
            &mut Marks::default(),
        );
        let interp = self.interp.tick(
            &mut self.interp_world,
            now,
            dt,
            &mut self.interp_rng,
            &mut Silent,
        );
        let word = |r: &Result<Status, TickError>| r.as_ref().map_or('E', |s| letter(*s));
        assert_eq!(word(&plain), word(&traced), "traced and untraced differ");
        let by_rule = interp.as_ref().map_or('E', |s| letter(*s));
        assert_eq!(word(&plain), by_rule, "the interpreter answers otherwise");
        let status = word(&plain);
        let text = self.take();
        if status != 'R' && status != 'E' {
            assert!(
                self.world.started().is_empty(),
                "the tree has finished, still started: {:?}",
                self.world.started()
            );
            assert!(self.running().is_empty(), "{:?}", self.running());
        }
        if text.is_empty() {
            status.to_string()
        } else {
            format!("{status} {text}")
        }
    }

    /// The events since last time, the same in all three worlds, with nothing amiss in any.
    #[track_caller]
    fn take(&mut self) -> String {
        let text = events(&self.world);
        assert_eq!(
            text,
            events(&self.traced_world),
            "traced and untraced differ"
        );
        assert_eq!(
            text,
            events(&self.interp_world),
            "the interpreter does otherwise"
        );
        for w in [&self.world, &self.traced_world, &self.interp_world] {
            assert_eq!(w.broken(), [""; 0]);
        }
        self.change(World::clear);
        if !self.agent.is_poisoned() {
            assert_eq!(
                self.tree.running(&self.agent),
                self.tree.running(&self.traced)
            );
            assert_eq!(self.tree.running(&self.agent), self.interp.running());
            assert_eq!(self.tree.history(&self.agent), self.interp.history());
        }
        text
    }

    /// Ticks once at each of the next milliseconds.
    #[track_caller]
    pub(crate) fn ticks<const N: usize>(&mut self, expected: [&str; N]) -> &mut Rig {
        for (i, e) in expected.into_iter().enumerate() {
            self.now += MS;
            let found = self.step();
            assert_eq!(found, e, "tick {} of these", i + 1);
        }
        self
    }

    /// Ticks at this time since the start.
    #[track_caller]
    pub(crate) fn at(&mut self, t: Duration, expected: &str) -> &mut Rig {
        self.now = Time::ZERO + t;
        assert_eq!(self.step(), expected, "at {t:?}");
        self
    }

    /// Halts the whole tree: these are the events.
    #[track_caller]
    pub(crate) fn halt(&mut self, expected: &str) -> &mut Rig {
        assert_eq!(self.halt_text(), expected);
        self
    }

    /// Halts the whole tree: the events.
    #[track_caller]
    pub(crate) fn halt_text(&mut self) -> String {
        let now = self.now;
        let mut marks = Marks::default();
        self.tree
            .halt(&mut self.agent, &mut self.world, now)
            .expect("halting");
        self.tree
            .halt_traced(&mut self.traced, &mut self.traced_world, now, &mut marks)
            .expect("halting");
        self.interp.halt(
            &mut self.interp_world,
            now,
            Duration::ZERO,
            &mut self.interp_rng,
        );
        self.idle()
    }

    /// Halts and forgets history.
    #[track_caller]
    pub(crate) fn reset(&mut self, expected: &str) -> &mut Rig {
        let now = self.now;
        self.tree
            .reset(&mut self.agent, &mut self.world, now)
            .expect("resetting");
        self.tree
            .reset(&mut self.traced, &mut self.traced_world, now)
            .expect("resetting");
        self.interp.reset(
            &mut self.interp_world,
            now,
            Duration::ZERO,
            &mut self.interp_rng,
        );
        assert_eq!(self.idle(), expected);
        self
    }

    /// Recovers after an error.
    #[track_caller]
    pub(crate) fn recover(&mut self, expected: &str) -> &mut Rig {
        let now = self.now;
        for (agent, world) in [
            (&mut self.agent, &mut self.world),
            (&mut self.traced, &mut self.traced_world),
        ] {
            self.tree.recover(agent, world, now).expect("recovering");
        }
        self.interp.recover(
            &mut self.interp_world,
            now,
            Duration::ZERO,
            &mut self.interp_rng,
        );
        assert_eq!(self.idle(), expected);
        self
    }

    /// Takes the events; nothing is left running.
    #[track_caller]
    fn idle(&mut self) -> String {
        let text = self.take();
        assert!(!self.tree.is_running(&self.agent));
        assert!(self.running().is_empty(), "{:?}", self.running());
        assert_eq!(self.world.started(), [""; 0]);
        text
    }

    /// The labels of the running leaves.
    pub(crate) fn running(&self) -> Vec<&'static str> {
        let ids = self.tree.running(&self.agent);
        ids.into_iter()
            .map(|id| self.tree.node(id).label())
            .collect()
    }
}

/// How a tree that must not be built is refused.
#[track_caller]
pub(crate) fn refused(root: Node<World>) -> BuildError {
    match root.build() {
        Ok(_) => panic!("the tree was built"),
        Err(e) => e,
    }
}
