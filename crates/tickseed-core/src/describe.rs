//! Trees and agents as text: for debugging, logs and terminals.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;
use core::time::Duration;

use crate::agent::Agent;
use crate::compile::Op;
use crate::context::Context;
use crate::def::NodeId;
use crate::guard::{Compare, Expr, Test};
use crate::history::History;
use crate::key::{KeyId, ScalarType};
use crate::kind::Kind;
use crate::nodes::{
    Again, Choose, Closed, Decide, Finished, Flow, Gate, Leftover, Loop, Pace, Parallel, Preempt,
    RunOnce, StartOn, Threshold, Tie, WaitFor,
};
use crate::run::{get, get_deadline};
use crate::status::Status;
use crate::time::Time;
use crate::tree::Tree;

/// Something that an agent remembers about a node.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fact {
    /// The time left in a wait, delay or limit.
    Left(Duration),
    /// The rounds of a loop that have counted so far.
    Rounds {
        /// How many.
        done: u32,
        /// Out of how many.
        of: u32,
    },
    /// The current item of a for-each.
    Item {
        /// Its index.
        index: u32,
        /// How many there are.
        of: u32,
    },
    /// The verdicts that a parallel keeps of its children; `None` for those that go on.
    Verdicts(Vec<Option<Status>>),
    /// A cooldown or rate limit is closed.
    Closed {
        /// How much longer.
        left: Duration,
        /// What it answers until then, if it repeats a verdict.
        replays: Option<Status>,
    },
    /// A run-once has run, with this verdict.
    Ran(Status),
    /// How many times a limit on runs has started its child.
    Runs(u32),
    /// The child at which a composite that keeps its place goes on.
    Place(u32),
    /// The memory of a custom node.
    Memory(Vec<u8>),
}

impl core::fmt::Display for Fact {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Fact::Left(d) => write!(f, "{d:?} left"),
            Fact::Rounds { done, of } => write!(f, "{done} of {of} rounds"),
            Fact::Item { index, of } => write!(f, "item {index} of {of}"),
            Fact::Verdicts(all) => {
                f.write_str("children:")?;
                for v in all {
                    match v {
                        Some(s) => write!(f, " {s}")?,
                        None => f.write_str(" -")?,
                    }
                }
                Ok(())
            }
            Fact::Closed {
                left,
                replays: None,
            } => write!(f, "closed for {left:?}"),
            Fact::Closed {
                left,
                replays: Some(s),
            } => write!(f, "repeats {s} for {left:?}"),
            Fact::Ran(s) => write!(f, "has run: {s}"),
            Fact::Runs(n) => write!(f, "started {n} times"),
            Fact::Place(child) => write!(f, "goes on at child {child}"),
            Fact::Memory(bytes) => write!(f, "remembers {bytes:02x?}"),
        }
    }
}

/// A node's part in an agent's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Live {
    /// The node.
    pub node: NodeId,
    /// Whether it or something below it is running.
    pub active: bool,
    /// What the agent remembers about it.
    pub facts: Vec<Fact>,
}

impl<C: Context> Tree<C> {
    /// The tree as indented text: kinds, names, options, guards by the names of their keys,
    /// tags.
    ///
    /// ```
    /// use tickseed_core::nodes;
    /// use std::time::Duration;
    /// let n = nodes::<()>();
    /// let tree = n.selector([
    ///     n.cooldown(Duration::from_millis(800), n.action("attack", |_| true)).tag("fight"),
    ///     n.wait(Duration::from_secs(2)).named("rest"),
    /// ]).reactive().named("guard").build().unwrap();
    /// assert_eq!(tree.outline(), "\
    /// reactive selector \"guard\"
    ///   cooldown 800ms #fight
    ///     action \"attack\"
    ///   wait \"rest\" 2s
    /// ");
    /// ```
    #[must_use]
    pub fn outline(&self) -> String {
        let mut out = String::new();
        for (id, _) in self.def().iter() {
            self.line(&mut out, id);
            out.push('\n');
        }
        out
    }

    /// The tree as [`outline`](Tree::outline) gives it, with an agent's state: running nodes are
    /// preceded by `>`, and timers, counters and history follow each node. For an agent of another
    /// tree, the outline alone.
    #[must_use]
    pub fn outline_of(&self, agent: &Agent, now: Time) -> String {
        let mut out = String::new();
        for live in self.live(agent, now) {
            out.push_str(if live.active { "> " } else { "  " });
            self.line(&mut out, live.node);
            for (i, fact) in live.facts.iter().enumerate() {
                out.push_str(if i == 0 { "  -- " } else { ", " });
                let _ = write!(out, "{fact}");
            }
            out.push('\n');
        }
        out
    }

    /// An agent's state, node by node: what runs, timers, counters, history.
    #[must_use]
    pub fn live(&self, agent: &Agent, now: Time) -> Vec<Live> {
        let mut all: Vec<Live> = self
            .def()
            .iter()
            .map(|(node, _)| Live {
                node,
                active: false,
                facts: Vec::new(),
            })
            .collect();
        let running = self.running(agent);
        for &leaf in &running {
            all[leaf.index()].active = true;
            for up in self.def().ancestors(leaf) {
                all[up.index()].active = true;
            }
        }
        // Nodes that cannot run together share bytes: only the bytes of active nodes mean anything.
        let program = &self.program;
        let originals = &program.ops[..program.originals];
        for (op, node) in originals.iter().zip(&program.op_nodes) {
            let live = &mut all[node.index()];
            let here = live.active && running.binary_search(node).is_ok();
            let fact = match *op {
                Op::WaitTick { slot, .. } if here => {
                    Fact::Left(get_deadline(&agent.mem, slot).left(now))
                }
                Op::Pend {
                    slot: Some(slot), ..
                } if here => Fact::Left(get_deadline(&agent.mem, slot.get()).left(now)),
                Op::Limit { slot, .. } if live.active => {
                    Fact::Left(get_deadline(&agent.mem, slot).left(now))
                }
                Op::Again { index } if live.active => match program.agains[index as usize].limit {
                    Some((counter, of)) => Fact::Rounds {
                        done: get(&agent.mem, counter.slot, counter.width),
                        of,
                    },
                    None => continue,
                },
                Op::EachNext { each } if live.active => {
                    let slot = program.eachs[each as usize].slot;
                    Fact::Item {
                        index: get(&agent.mem, slot, 4),
                        of: get(&agent.mem, slot + 4, 4),
                    }
                }
                Op::Par { par, .. } if live.active => {
                    let p = &program.pars[par as usize];
                    let verdict = |child: u32| {
                        let byte = agent.mem[(p.latches + child / 4) as usize];
                        match byte >> (2 * (child % 4)) & 3 {
                            1 => Some(Status::Success),
                            2 => Some(Status::Failure),
                            _ => None,
                        }
                    };
                    Fact::Verdicts((0..p.children).map(verdict).collect())
                }
                _ => continue,
            };
            if !live.facts.contains(&fact) {
                live.facts.push(fact);
            }
        }
        for (node, history) in self.history(agent) {
            let fact = match history {
                History::Gate { until, verdict } if until.is_set() && !until.passed(now) => {
                    Fact::Closed {
                        left: until.left(now),
                        replays: verdict,
                    }
                }
                History::Once(Some(verdict)) => Fact::Ran(verdict),
                History::Runs(n) if n > 0 => Fact::Runs(n),
                History::Place(child) if child > 0 => Fact::Place(child),
                History::Memory(bytes) if bytes.iter().any(|b| *b != 0) => Fact::Memory(bytes),
                _ => continue,
            };
            all[node.index()].facts.push(fact);
        }
        all
    }

    /// One node's line, without its end.
    fn line(&self, out: &mut String, id: NodeId) {
        let node = self.node(id);
        let depth = self.def().ancestors(id).count();
        let _ = write!(out, "{:1$}", "", 2 * depth);
        let kind = match &node.kind {
            Kind::Custom(_) => self.functions(id).custom().name(),
            kind => kind.name(),
        };
        out.push_str(kind);
        // A custom node is named after its kind unless it has a name of its own.
        if let Some(name) = node.name.as_ref().filter(|name| *name != kind) {
            let _ = write!(out, " {name:?}");
        }
        let key = |id: KeyId| {
            let known = self.key_name(id);
            known.map_or_else(|| alloc::format!("key#{}", id.0), ToString::to_string)
        };
        for option in options(&node.kind, &key) {
            let _ = write!(out, " {option}");
        }
        for tag in node.tags() {
            let _ = write!(out, " #{tag}");
        }
    }
}

impl Kind {
    /// The options that the kind's name does not imply, in words, as [`outline`](Tree::outline)
    /// shows them. `key` gives names to the keys that guards ask.
    ///
    /// ```
    /// use tickseed_core::nodes;
    /// use std::time::Duration;
    /// let n = nodes::<()>();
    /// let tree = n.wait(Duration::from_secs(2)).build().unwrap();
    /// let root = tree.node(tickseed_core::NodeId::ROOT);
    /// assert_eq!(root.kind.options(&|key| format!("key {}", key.0)), ["2s"]);
    /// ```
    #[must_use]
    pub fn options(&self, key: &dyn Fn(KeyId) -> String) -> Vec<String> {
        options(self, key)
    }
}

/// A node's options that its kind's name does not imply, in words.
fn options(kind: &Kind, key: &dyn Fn(KeyId) -> String) -> Vec<String> {
    let mut out = Vec::new();
    let mut say = |s: &dyn core::fmt::Display| out.push(s.to_string());
    match kind {
        // The guard of a condition that only calls its function adds nothing to the name.
        Kind::Condition(Expr::Call(_)) => {}
        Kind::Condition(e) => say(&expr(e, key)),
        Kind::Action {
            instant, may_skip, ..
        } => {
            if *instant {
                say(&"instant");
            }
            if *may_skip {
                say(&"may skip");
            }
        }
        Kind::Leaf { may_skip: true, .. } => say(&"may skip"),
        Kind::Wait(w) | Kind::Delay(w) => match w {
            WaitFor::Fixed(ns) => say(&time(*ns)),
            WaitFor::Range(a, b) => say(&alloc::format!("{}..={}", time(*a), time(*b))),
            WaitFor::Computed => say(&"computed"),
        },
        Kind::WaitUntil(w) => {
            say(&expr(&w.guard, key));
            if let Some(ns) = w.limit {
                say(&alloc::format!("within {}", time(ns)));
                say(&otherwise(w.on_timeout));
            }
        }
        Kind::Log(line) => say(&alloc::format!("{line:?}")),
        Kind::Sequence(flow) | Kind::Selector(flow) => match flow {
            Flow::Reactive { preempt } => preempted(*preempt).iter().for_each(|p| say(p)),
            Flow::Random { weights } if !weights.is_empty() => {
                say(&alloc::format!("weights {weights:?}"));
            }
            _ => {}
        },
        Kind::Parallel(p) => parallel(p).iter().for_each(|p| say(p)),
        Kind::WhileDoElse { preempt } => preempted(*preempt).iter().for_each(|p| say(p)),
        Kind::Switch(s) => {
            if s.reactive {
                say(&"reactive");
                preempted(s.preempt).iter().for_each(|p| say(p));
            }
            if s.default {
                say(&"with default");
            }
        }
        Kind::Utility(u) => {
            if u.reactive {
                say(&"reactive");
                preempted(u.preempt).iter().for_each(|p| say(p));
            }
            match u.choose {
                Choose::Highest => {}
                other => say(&alloc::format!("{other:?}").to_lowercase()),
            }
            if u.inertia != 0.0 {
                say(&alloc::format!("inertia {}", u.inertia));
            }
            if u.min_dwell != 0 {
                say(&alloc::format!("dwell {}", time(u.min_dwell)));
            }
        }
        Kind::ForEach(pace) => say(&paced(*pace)),
        Kind::Loop(l) => looping(l).iter().for_each(|p| say(p)),
        Kind::Gate(g) => gate(g).iter().for_each(|p| say(p)),
        Kind::TimeLimit(t) => {
            say(&time(t.limit));
            if t.on_timeout != Status::Failure {
                say(&otherwise(t.on_timeout));
            }
        }
        Kind::Chance { p, otherwise: s } => {
            say(p);
            if *s != Status::Failure {
                say(&otherwise(*s));
            }
        }
        Kind::LimitRuns(l) => {
            say(&l.limit);
            if l.otherwise != Status::Failure {
                say(&otherwise(l.otherwise));
            }
        }
        Kind::RunOnce(RunOnce::Answer(s)) => say(&alloc::format!("then {s}")),
        Kind::WhileGuard {
            guard,
            otherwise: s,
        } => {
            say(&expr(guard, key));
            if *s != Status::Failure {
                say(&otherwise(*s));
            }
        }
        Kind::Precondition { guard, then } => {
            say(&alloc::format!("{then} if {}", expr(guard, key)));
        }
        _ => {}
    }
    out
}

fn time(ns: u64) -> String {
    alloc::format!("{:?}", Duration::from_nanos(ns))
}

fn otherwise(status: Status) -> String {
    alloc::format!("otherwise {status}")
}

fn preempted(preempt: Preempt) -> Option<&'static str> {
    (preempt == Preempt::BeforeStart).then_some("halting before start")
}

fn paced(pace: Pace) -> String {
    match pace {
        Pace::OnePerTick => "one a tick".to_string(),
        Pace::Drain(n) => alloc::format!("drain({n})"),
    }
}

fn parallel(p: &Parallel) -> Vec<String> {
    let count = |t: Threshold| match t {
        Threshold::All => "all".to_string(),
        Threshold::Count(n) => n.to_string(),
    };
    let mut out = Vec::from([alloc::format!(
        "success {} failure {}",
        count(p.success),
        count(p.failure)
    )]);
    let mut say = |differs: bool, words: &str| {
        if differs {
            out.push(words.to_string());
        }
    };
    say(p.decide == Decide::AsSoonAsKnown, "as soon as known");
    say(p.tie == Tie::Success, "success wins ties");
    say(p.finished == Finished::Restart, "restarting");
    say(p.leftover == Leftover::Await, "awaiting the rest");
    out
}

fn looping(l: &Loop) -> Vec<String> {
    let mut out: Vec<String> = l.limit.iter().map(ToString::to_string).collect();
    if l.limit.is_none() && l.again == Again::OnSuccess && l.stopped.is_none() {
        out.push("forever".to_string());
    }
    if let Pace::Drain(_) = l.pace {
        out.push(paced(l.pace));
    }
    out
}

fn gate(g: &Gate) -> Vec<String> {
    let mut out = Vec::from([time(g.interval)]);
    let usual = match g.closed {
        Closed::Replay => StartOn::Verdict,
        Closed::Failure | Closed::Skipped => StartOn::Success,
    };
    if g.start_on != usual {
        out.push(alloc::format!("starts on {:?}", g.start_on).to_lowercase());
    }
    if g.closed == Closed::Skipped {
        out.push(otherwise(Status::Skipped));
    }
    if g.refund_on_halt {
        out.push("refunded on halt".to_string());
    }
    out
}

fn expr(e: &Expr, key: &dyn Fn(KeyId) -> String) -> String {
    let many = |v: &[Expr], sign: &str| {
        let parts: Vec<_> = v
            .iter()
            .map(|e| match e {
                Expr::All(_) | Expr::Any(_) => alloc::format!("({})", expr(e, key)),
                e => expr(e, key),
            })
            .collect();
        parts.join(sign)
    };
    match e {
        Expr::Const(b) => b.to_string(),
        Expr::Test(t) => test(t, key),
        Expr::Compare(Compare { left, op, right }) => {
            alloc::format!("{} {} {}", key(left.key), op.sign(), key(right.key))
        }
        Expr::Call(i) => alloc::format!("f{i}()"),
        Expr::All(v) => many(v, " && "),
        Expr::Any(v) => many(v, " || "),
        Expr::Not(e) => alloc::format!("!({})", expr(e, key)),
    }
}

/// A comparison, reconstructed from the range of values that pass.
fn test(t: &Test, key: &dyn Fn(KeyId) -> String) -> String {
    let name = key(t.source.key);
    let (lo, hi) = t.bounds();
    let ty = t.source.ty;
    if lo > hi {
        // No value passes: the constant was of another kind, or there is no value beyond it.
        return alloc::format!("{name} {} (nothing)", if t.negate { "!=" } else { "==" });
    }
    if ty == ScalarType::Bool && lo == hi {
        let positive = (lo == 1) != t.negate;
        return if positive {
            name
        } else {
            alloc::format!("!{name}")
        };
    }
    let least = lo == i64::MIN || ty == ScalarType::Bool && lo == 0;
    let most = hi == i64::MAX || ty == ScalarType::Bool && hi == 1;
    let text = match (least, most) {
        _ if lo == hi => {
            let sign = if t.negate { "!=" } else { "==" };
            return alloc::format!("{name} {sign} {}", constant(ty, lo));
        }
        (true, true) => alloc::format!("{name} is set"),
        // `< c` is stored as "up to the number before c"; the shorter text is what was written.
        (true, false) => {
            let (at, next) = (constant(ty, hi), constant(ty, hi.saturating_add(1)));
            if ty.is_float() && next.len() < at.len() {
                alloc::format!("{name} < {next}")
            } else {
                alloc::format!("{name} <= {at}")
            }
        }
        (false, true) => {
            let (at, before) = (constant(ty, lo), constant(ty, lo.saturating_sub(1)));
            if ty.is_float() && before.len() < at.len() {
                alloc::format!("{name} > {before}")
            } else {
                alloc::format!("{name} >= {at}")
            }
        }
        (false, false) => {
            alloc::format!("{} <= {name} <= {}", constant(ty, lo), constant(ty, hi))
        }
    };
    if t.negate {
        alloc::format!("!({text})")
    } else {
        text
    }
}

/// A bound as text; in single precision where the value is, so that 0.2 is not 0.20000000298.
fn constant(ty: ScalarType, ordered: i64) -> String {
    if !ty.is_float() {
        return ordered.to_string();
    }
    let value = crate::guard::unorder_f64(ordered);
    let single = value as f32;
    if ty == ScalarType::F32 && f64::from(single) == value {
        single.to_string()
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use crate::key::{Key, KeyInfo, Place, Schema};
    use crate::nodes::{Decide, Finished, Threshold};
    use crate::{Context, KeyId, ScalarType, Status, Time, nodes};
    use alloc::string::String;
    use core::time::Duration;

    struct Robot {
        battery: f32,
        hp: i32,
        seen: bool,
    }
    const BATTERY: Key<Robot, f32> = Key::new(KeyId(0), Place::Call);
    const HP: Key<Robot, i32> = Key::new(KeyId(1), Place::Call);
    const SEEN: Key<Robot, bool> = Key::new(KeyId(2), Place::Call);

    impl Context for Robot {
        type At<'a> = Robot;
        fn schema() -> &'static Schema {
            const fn key(name: &'static str, ty: ScalarType) -> KeyInfo {
                let place = Place::Call;
                KeyInfo { name, ty, place }
            }
            const KEYS: &[KeyInfo] = &[
                key("battery", ScalarType::F32),
                key("hp", ScalarType::I32),
                key("seen", ScalarType::Bool),
            ];
            &Schema { keys: KEYS }
        }
        fn read(at: &Robot, key: KeyId) -> Option<crate::Scalar> {
            use crate::KeyType;
            Some(match key.0 {
                0 => at.battery.to_scalar(),
                1 => at.hp.to_scalar(),
                _ => at.seen.to_scalar(),
            })
        }
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn guards_read_as_they_were_written() {
        let n = nodes::<Robot>();
        let line = |g| {
            let text: String = n.check(g).build().unwrap().outline();
            String::from(text.trim_end().trim_start_matches("condition "))
        };
        assert_eq!(line(BATTERY.lt(0.2)), "battery < 0.2");
        assert_eq!(line(BATTERY.le(0.2)), "battery <= 0.2");
        assert_eq!(line(BATTERY.gt(-1.5)), "battery > -1.5");
        assert_eq!(line(BATTERY.ge(0.0)), "battery >= 0");
        assert_eq!(line(BATTERY.ne(1.0)), "battery != 1");
        // For integers, one below the bound is equivalent.
        assert_eq!(line(HP.lt(3)), "hp <= 2");
        assert_eq!(line(HP.eq(3)), "hp == 3");
        assert_eq!(
            line(HP.lt(i32::MIN).and(HP.le_key(HP))),
            "hp <= -2147483649 && hp <= hp"
        );
        assert_eq!(
            line(SEEN.is_true().or(!(SEEN.eq(false).and(n.when(|_| true))))),
            "seen || !(!seen && f0())"
        );
    }

    #[test]
    fn options_that_differ_from_the_usual_are_told() {
        let n = nodes::<Robot>();
        let tree = n
            .parallel([
                n.repeat(3, n.succeed()).drain(2),
                n.repeat_forever(n.wait_between(ms(1), ms(2000))),
                n.time_limit(ms(5), n.run_forever())
                    .otherwise(Status::Skipped),
                n.skip_if(HP.ge(3), n.instant("x", |_| true)),
                n.sequence([n.fail()]).weighted([1.0]),
            ])
            .success(Threshold::Count(2))
            .decide(Decide::AsSoonAsKnown)
            .finished(Finished::Restart)
            .build()
            .unwrap();
        assert_eq!(
            tree.outline(),
            "parallel success 2 failure 1 as soon as known restarting
  repeat 3 drain(2)
    succeed
  repeat forever
    wait 1ms..=2s
  time limit 5ms otherwise skipped
    run
  precondition skipped if hp >= 3
    action \"x\" instant
  random sequence weights [1.0]
    fail
"
        );
    }

    #[test]
    fn an_agent_shows_what_runs_timers_counters_and_history() {
        let n = nodes::<Robot>();
        let tree = n
            .parallel([
                n.force_success(n.cooldown(ms(500), n.instant("hit", |_| true))),
                n.repeat(3, n.selector([n.wait(ms(200)), n.run_forever()])),
                n.time_limit(ms(900), n.run_forever()),
                n.run_once(n.succeed()),
                n.limit_runs(9, n.run_forever()),
            ])
            .build()
            .unwrap();
        let (mut agent, mut robot) = (
            tree.agent(),
            Robot {
                battery: 1.0,
                hp: 1,
                seen: false,
            },
        );
        for now in [0, 200, 300] {
            tree.tick(&mut agent, &mut robot, Time::from_millis(now))
                .unwrap();
        }
        assert_eq!(
            tree.outline_of(&agent, Time::from_millis(350)),
            "> parallel success all failure 1  -- children: success - - success -
    force success
      cooldown 500ms  -- closed for 150ms
        action \"hit\" instant
>   repeat 3  -- 1 of 3 rounds
>     selector
>       wait 200ms  -- 150ms left
        run
>   time limit 900ms  -- 550ms left
>     run
    run once  -- has run: success
      succeed
>   limit runs 9  -- started 1 times
>     run
"
        );
        tree.halt(&mut agent, &mut robot, Time::from_millis(350))
            .unwrap();
        let halted = tree.live(&agent, Time::from_millis(600));
        assert!(halted.iter().all(|l| !l.active));
        assert_eq!(
            halted.iter().filter(|l| !l.facts.is_empty()).count(),
            2,
            "run-once and the limit on runs"
        );
        // An agent of another tree reveals nothing.
        let other = n.succeed().build().unwrap();
        assert_eq!(other.outline_of(&agent, Time::ZERO), "  succeed\n");
    }
}
