//! Control nodes with rules that no option of the engine's own composites provides.

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Branches, CustomNode, Cx, Status, Stop};

use super::site::{Ends, Site, Unreset, child, forget_if_halted, head, read, unreset, wake};
use crate::board::HasBoard;
use crate::registry::In;

/// A place among children and whether all before it were skipped.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Cursor {
    index: u32,
    taken: u32,
}

/// `AsyncSequence` and `AsyncFallback`: a tick passes between two children if the first finished in
/// the tick it began in. With `keep` it is `SequenceWithMemory`, whose place outlives failures and
/// halts.
pub(crate) struct Yielding {
    pub(crate) sequence: bool,
    pub(crate) keep: bool,
}

impl<C: HasBoard> CustomNode<C> for Yielding {
    type State = Cursor;
    type Memory = u32;

    fn name(&self) -> &'static str {
        match (self.sequence, self.keep) {
            (_, true) => "sequence with memory",
            (true, _) => "yielding sequence",
            (false, _) => "yielding selector",
        }
    }

    fn preempts(&self) -> bool {
        false
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        state: &mut Cursor,
        memory: &mut u32,
    ) -> Result<Status, Stop> {
        if self.keep && branches.is_fresh() {
            state.index = *memory;
            // What it goes on behind was not skipped in this activation.
            state.taken = (*memory != 0).into();
        }
        let (on, stop) = if self.sequence {
            (Status::Success, Status::Failure)
        } else {
            (Status::Failure, Status::Success)
        };
        while (state.index as usize) < branches.len() {
            let at = state.index as usize;
            let was_running = branches.is_running(at);
            let status = child!(branches, at);
            match status {
                Status::Running => return Ok(status),
                Status::Skipped => state.index += 1,
                status if status == stop => return Ok(stop),
                _ => {
                    state.index += 1;
                    state.taken = 1;
                    if !was_running && (state.index as usize) < branches.len() {
                        if self.keep {
                            *memory = state.index;
                        }
                        wake(branches);
                        return Ok(Status::Running);
                    }
                }
            }
            if self.keep {
                *memory = state.index;
            }
        }
        *memory = 0;
        Ok(if state.taken == 0 {
            Status::Skipped
        } else {
            on
        })
    }
}

/// `ReactiveSequence` and `ReactiveFallback` where an error below must leave all other children as
/// they are. Otherwise the same as the engine's own.
pub(crate) struct Reactive {
    pub(crate) sequence: bool,
}

impl<C: HasBoard> CustomNode<C> for Reactive {
    type State = ();
    type Memory = ();

    fn name(&self) -> &'static str {
        if self.sequence {
            "reactive sequence"
        } else {
            "reactive selector"
        }
    }

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        let (on, stop) = if self.sequence {
            (Status::Success, Status::Failure)
        } else {
            (Status::Failure, Status::Success)
        };
        let mut all_skipped = true;
        for i in 0..branches.len() {
            match child!(branches, i) {
                Status::Running => {
                    (0..branches.len())
                        .filter(|other| *other != i)
                        .for_each(|other| branches.halt(other));
                    return Ok(Status::Running);
                }
                Status::Skipped => {}
                status if status == stop => return Ok(stop),
                _ => all_skipped = false,
            }
        }
        Ok(if all_skipped { Status::Skipped } else { on })
    }
}

/// Which children have finished, one bit each.
pub(crate) trait Marks: Pod {
    fn words(&mut self) -> &mut [u64];

    fn has(&mut self, child: usize) -> bool {
        self.words()[child / 64] >> (child % 64) & 1 != 0
    }

    fn put(&mut self, child: usize) {
        self.words()[child / 64] |= 1 << (child % 64);
    }
}

macro_rules! marks {
    ($($words:literal)*) => {$(
        impl Marks for [u64; $words] {
            fn words(&mut self) -> &mut [u64] {
                self
            }
        }
    )*};
}
marks!(1 4 64);

/// How many children the widest [`Marks`] hold.
pub(crate) const MOST_CHILDREN: usize = 64 * 64;

/// What a parallel remembers: finished children, successes, failures.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Counts {
    success: u32,
    failure: u32,
}

/// `Parallel`: thresholds are tested after each child, in the reference's order.
pub(crate) struct Parallel<M> {
    pub(crate) site: Site,
    pub(crate) success: In<i64>,
    pub(crate) failure: In<i64>,
    pub(crate) ends: Ends,
    pub(crate) marks: std::marker::PhantomData<fn(M)>,
}

/// A threshold: a negative one counts from the number of children.
fn threshold(n: i64, children: usize) -> i64 {
    if n < 0 {
        (children as i64 + n + 1).max(0)
    } else {
        n
    }
}

impl<C: HasBoard, M: Marks> CustomNode<C> for Parallel<M> {
    type State = Counts;
    type Memory = M;

    fn name(&self) -> &'static str {
        "parallel"
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        state: &mut Counts,
        done: &mut M,
    ) -> Result<Status, Stop> {
        let status = self.round(branches, state, done);
        self.ends.after(branches, status)
    }

    fn halt(&self, _: &mut Counts, _: &mut M, cx: &mut Cx<'_, '_, C>) {
        self.ends.ended(cx);
    }
}

impl<M: Marks> Parallel<M> {
    fn round<C: HasBoard>(
        &self,
        branches: &mut Branches<'_, C>,
        state: &mut Counts,
        done: &mut M,
    ) -> Result<Status, Stop> {
        if branches.is_fresh() {
            *done = M::zeroed();
        }
        let Some(wanted) = read(branches, &self.success) else {
            let message = "Missing parameter [success_count] in ParallelNode";
            return self.site.unread_in(branches, &self.success, message);
        };
        let Some(refused) = read(branches, &self.failure) else {
            let message = "Missing parameter [failure_count] in ParallelNode";
            return self.site.unread_in(branches, &self.failure, message);
        };
        let children = branches.len();
        let (success, failure) = (threshold(wanted, children), threshold(refused, children));
        for (limit, what) in [(success, "succeed"), (failure, "fail")] {
            if (children as i64) < limit {
                let message =
                    format!("Number of children is less than threshold. Can never {what}.");
                return self.site.raise_in(branches, &message);
            }
        }
        let mut skipped = 0;
        for i in 0..children {
            if !done.has(i) {
                match child!(branches, i) {
                    Status::Skipped => skipped += 1,
                    Status::Success => {
                        done.put(i);
                        state.success += 1;
                    }
                    Status::Failure => {
                        done.put(i);
                        state.failure += 1;
                    }
                    Status::Running => {}
                }
            }
            let (won, lost) = (i64::from(state.success), i64::from(state.failure));
            if won >= success || (wanted < 0 && won + skipped >= success) {
                return Ok(Status::Success);
            }
            if children as i64 - lost < success || lost == failure {
                return Ok(Status::Failure);
            }
        }
        Ok(if skipped == children as i64 {
            Status::Skipped
        } else {
            Status::Running
        })
    }
}

/// `ParallelAll`: every child is run to its end.
pub(crate) struct ParallelAll<M> {
    pub(crate) site: Site,
    pub(crate) max_failures: In<i64>,
    pub(crate) ends: Ends,
    pub(crate) marks: std::marker::PhantomData<fn(M)>,
}

impl<C: HasBoard, M: Marks> CustomNode<C> for ParallelAll<M> {
    type State = Counts;
    type Memory = M;

    fn name(&self) -> &'static str {
        "parallel all"
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        state: &mut Counts,
        done: &mut M,
    ) -> Result<Status, Stop> {
        let status = self.round(branches, state, done);
        self.ends.after(branches, status)
    }

    fn halt(&self, _: &mut Counts, _: &mut M, cx: &mut Cx<'_, '_, C>) {
        self.ends.ended(cx);
    }
}

impl<M: Marks> ParallelAll<M> {
    fn round<C: HasBoard>(
        &self,
        branches: &mut Branches<'_, C>,
        state: &mut Counts,
        done: &mut M,
    ) -> Result<Status, Stop> {
        if branches.is_fresh() {
            *done = M::zeroed();
        }
        let Some(limit) = read(branches, &self.max_failures) else {
            let message = "Missing parameter [max_failures] in ParallelNode";
            return self.site.unread_in(branches, &self.max_failures, message);
        };
        let children = branches.len();
        let limit = threshold(limit, children);
        if (children as i64) < limit {
            let message = "Number of children is less than threshold. Can never fail.";
            return self.site.raise_in(branches, message);
        }
        let (mut skipped, mut finished) = (0, 0);
        for i in 0..children {
            if done.has(i) {
                finished += 1;
                continue;
            }
            match child!(branches, i) {
                Status::Running => {}
                Status::Skipped => skipped += 1,
                status => {
                    done.put(i);
                    finished += 1;
                    state.failure += u32::from(status == Status::Failure);
                }
            }
        }
        Ok(if skipped == children {
            Status::Skipped
        } else if skipped + finished < children {
            Status::Running
        } else if i64::from(state.failure) >= limit {
            Status::Failure
        } else {
            Status::Success
        })
    }
}

/// `IfThenElse`: which branch runs, from 1; 0 while the condition does.
pub(crate) struct IfThenElse {
    pub(crate) site: Site,
    /// Without an else branch the reference does not reset a condition that failed.
    pub(crate) condition: Unreset,
}

/// Whether a condition has failed and was not reset, and the last halt of the tree that was seen.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Stuck {
    failed: u64,
    halt: u64,
}

impl<C: HasBoard> CustomNode<C> for IfThenElse {
    type State = u32;
    type Memory = Stuck;

    head!("if-then-else", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        branch: &mut u32,
        Stuck { failed, halt }: &mut Stuck,
    ) -> Result<Status, Stop> {
        forget_if_halted(branches, halt, failed);
        let children = branches.len();
        if !(2..=3).contains(&children) {
            return self
                .site
                .raise_in(branches, "IfThenElseNode must have either 2 or 3 children");
        }
        if *branch == 0 {
            let status = if *failed != 0 && !branches.is_running(0) {
                unreset!(branches, 0, self.condition, Status::Failure)
            } else {
                child!(branches, 0)
            };
            *failed = 0;
            match status {
                Status::Running => return Ok(Status::Running),
                Status::Success => *branch = 1,
                Status::Failure if children == 3 => *branch = 2,
                Status::Failure => {
                    *failed = 1;
                    return Ok(Status::Failure);
                }
                Status::Skipped => {
                    let message = "Something unexpected happened in IfThenElseNode";
                    return self.site.raise_in(branches, message);
                }
            }
        }
        Ok(child!(branches, *branch as usize))
    }
}

/// `WhileDoElse`: the condition is asked every tick.
pub(crate) struct WhileDoElse {
    pub(crate) site: Site,
    /// The condition is reset when the node ends.
    pub(crate) condition: Unreset,
    /// The parent, which the reference names when the node itself gives no valid answer.
    pub(crate) parent: Option<Site>,
}

impl<C: HasBoard> CustomNode<C> for WhileDoElse {
    /// The last verdict of the condition, from 1: a failure, a success.
    type State = u32;
    type Memory = ();

    fn name(&self) -> &'static str {
        "while-do-else"
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        kept: &mut u32,
        _: &mut (),
    ) -> Result<Status, Stop> {
        let children = branches.len();
        if !(2..=3).contains(&children) {
            return self
                .site
                .raise_in(branches, "WhileDoElseNode must have either 2 or 3 children");
        }
        let condition = if *kept != 0 && !branches.is_running(0) {
            let verdict = Status::from_bool(*kept == 2);
            unreset!(branches, 0, self.condition, verdict)
        } else {
            child!(branches, 0)
        };
        if condition.is_verdict() {
            *kept = 1 + u32::from(condition == Status::Success);
        }
        let (on, off) = match condition {
            Status::Running => return Ok(Status::Running),
            Status::Success => (1, 2),
            Status::Failure => (2, 1),
            Status::Skipped => {
                branches.halt_all();
                return self.site.idle_answer(self.parent.as_ref(), branches);
            }
        };
        branches.halt(off);
        if on >= children {
            return Ok(Status::Failure);
        }
        Ok(child!(branches, on))
    }
}

/// `TryCatch`: children but the last in sequence; if one fails, the last.
pub(crate) struct TryCatch<C: HasBoard> {
    pub(crate) site: Site,
    /// `catch_on_halt`: the last child once more, as a tree of its own. A halt ticks it once and
    /// halts it: it leaves nothing behind, so it needs no place in the agent.
    pub(crate) on_halt: Option<tickseed_core::Tree<C>>,
}

impl<C: HasBoard> CustomNode<C> for TryCatch<C> {
    type State = [u32; 3];
    type Memory = ();

    head!("try-catch", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        [index, taken, caught]: &mut [u32; 3],
        _: &mut (),
    ) -> Result<Status, Stop> {
        let last = branches.len().saturating_sub(1);
        if last == 0 {
            return self
                .site
                .raise_in(branches, "[TryCatch]: must have at least 2 children");
        }
        while *caught == 0 {
            if *index as usize >= last {
                return Ok(if *taken == 0 {
                    Status::Skipped
                } else {
                    Status::Success
                });
            }
            match child!(branches, *index as usize) {
                Status::Running => return Ok(Status::Running),
                Status::Failure => *caught = 1,
                status => {
                    *index += 1;
                    *taken |= u32::from(status == Status::Success);
                }
            }
        }
        Ok(match child!(branches, last) {
            Status::Running => Status::Running,
            _ => Status::Failure,
        })
    }

    fn halt(&self, [_, _, caught]: &mut [u32; 3], _: &mut (), cx: &mut Cx<'_, '_, C>) {
        let Some(tree) = self.on_halt.as_ref().filter(|_| *caught == 0) else {
            return;
        };
        let (mut agent, now) = (tree.agent(), cx.now());
        let ended = tree
            .tick(&mut agent, cx.at_mut(), now)
            .map(drop)
            .and_then(|()| tree.halt(&mut agent, cx.at_mut(), now).map(drop));
        if let Err(error) = ended {
            // A halt has no result.
            let text = format!("{}: {error}", self.site.path);
            if !C::board_mut(cx.at_mut()).raise(text.clone()) {
                C::board(cx.at()).note(text);
            }
            // The agent is dropped: only what it started is to be ended.
            let _ = tree.recover(&mut agent, cx.at_mut(), now);
        }
    }
}

/// `Switch2` to `Switch6`: the first case that equals the variable, else the last child.
pub(crate) struct Switch {
    pub(crate) site: Site,
    pub(crate) variable: In<Text>,
    pub(crate) cases: Vec<In<Text>>,
    pub(crate) words: std::sync::Arc<[(String, i64)]>,
}

/// A port that is read as text whatever the entry holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text(pub(crate) String);

impl crate::registry::PortType for Text {
    fn ty() -> crate::expr::Type {
        crate::expr::Type::Any
    }
    fn parse(text: &str) -> Result<Self, String> {
        Ok(Text(text.to_owned()))
    }
    fn from_datum(datum: &crate::expr::Datum) -> Option<Self> {
        match datum {
            crate::expr::Datum::None => None,
            datum => Some(Text(super::script::text(datum))),
        }
    }
}

impl<C: HasBoard> CustomNode<C> for Switch {
    /// The running child, from 1.
    type State = u32;
    type Memory = ();

    fn name(&self) -> &'static str {
        "switch"
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        running: &mut u32,
        _: &mut (),
    ) -> Result<Status, Stop> {
        if branches.len() != self.cases.len() + 1 {
            let message = "Wrong number of children in SwitchNode; must be (num_cases + default)";
            return self.site.raise_in(branches, message);
        }
        let chosen = match read(branches, &self.variable) {
            None => self.cases.len(),
            Some(variable) => {
                let mut cases = self.cases.iter();
                let found = cases.position(|case| {
                    read(branches, case).is_some_and(|case| same(&variable.0, &case.0, &self.words))
                });
                found.unwrap_or(self.cases.len())
            }
        };
        if *running != 0 && *running as usize != chosen + 1 {
            branches.halt(*running as usize - 1);
        }
        let status = child!(branches, chosen);
        *running = if status == Status::Running {
            chosen as u32 + 1
        } else {
            0
        };
        Ok(status)
    }
}

/// Equal as texts, as whole numbers (or words for them), or as numbers.
fn same(a: &str, b: &str, words: &[(String, i64)]) -> bool {
    if a == b {
        return true;
    }
    let whole = |text: &str| {
        let word = words.iter().find(|(word, _)| word == text);
        word.map(|(_, n)| *n).or_else(|| text.parse::<i64>().ok())
    };
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        return a == b;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= super::script::EPSILON,
        _ => false,
    }
}
