//! What all compatible nodes share: failing, waking the tree, reading ports.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Branches, Context, Cx, LeafError, Status, Stop};

use super::script::{Entries, Script};
use crate::board::{HasBoard, Mark, view};
use crate::diagnostics::nearest;
use crate::expr::{Datum, Slot};
use crate::registry::{In, PortError, PortType};

/// A node as BehaviorTree.CPP names it in its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

impl Site {
    /// An exception: kept on the board if the board keeps them, else an error of the leaf.
    pub(crate) fn raise<C: HasBoard>(
        &self,
        cx: &mut Cx<'_, '_, C>,
        message: &str,
    ) -> Result<Status, LeafError> {
        let text = format!(
            "Exception in node '{}' [{}]: {message}",
            self.path, self.kind
        );
        throw(cx, text)
    }

    /// [`raise`](Site::raise) for a port that could not be read, with the reason, which the reference
    /// does not tell.
    pub(crate) fn unread<C: HasBoard>(
        &self,
        cx: &mut Cx<'_, '_, C>,
        error: &PortError,
        message: &str,
    ) -> Result<Status, LeafError> {
        if C::board(cx.at()).keeps_faults() {
            return self.raise(cx, message);
        }
        self.raise(cx, &format!("{message}: {}", error.message))
    }

    /// [`unread`](Site::unread) from a composite.
    #[cold]
    pub(crate) fn unread_in<C: HasBoard, T: PortType>(
        &self,
        branches: &mut Branches<'_, C>,
        port: &In<T>,
        message: &str,
    ) -> Result<Status, Stop> {
        let raised = branches.with_cx(|cx| match port.get(cx) {
            Err(error) => self.unread(cx, &error, message),
            Ok(_) => self.raise(cx, message),
        });
        raised.map_err(Stop::from)
    }

    /// [`raise`](Site::raise) from a composite.
    pub(crate) fn raise_in<C: HasBoard>(
        &self,
        branches: &mut Branches<'_, C>,
        message: &str,
    ) -> Result<Status, Stop> {
        branches
            .with_cx(|cx| self.raise(cx, message))
            .map_err(Stop::from)
    }
}

impl Site {
    /// What the reference says of a node that answers `IDLE`, in its parent's name.
    pub(crate) fn idle_answer<C: HasBoard>(
        &self,
        parent: Option<&Site>,
        branches: &mut Branches<'_, C>,
    ) -> Result<Status, Stop> {
        let text = format!(
            "Node [{}]: you are not allowed to set manually the status to IDLE. If you know what you are doing (?) use resetStatus() instead.",
            self.name
        );
        match parent {
            Some(parent) => parent.raise_in(branches, &text),
            None => branches.with_cx(|cx| throw(cx, text)).map_err(Stop::from),
        }
    }
}

/// An exception that no node has put its name to yet.
pub(crate) fn throw<C: HasBoard>(
    cx: &mut Cx<'_, '_, C>,
    text: String,
) -> Result<Status, LeafError> {
    if C::board_mut(cx.at_mut()).raise(text.as_str()) {
        Ok(Status::Running)
    } else {
        Err(LeafError::new(text))
    }
}

/// A child's answer, or the news that the tick is over because something below raised an error.
pub(crate) enum Answer {
    Status(Status),
    Fault,
}

/// Ticks a child.
pub(crate) fn tick<C: HasBoard>(
    branches: &mut Branches<'_, C>,
    child: usize,
) -> Result<Answer, Stop> {
    let status = branches.tick(child)?;
    let fault = branches.with_cx(|cx| C::board(cx.at()).has_fault());
    Ok(if fault {
        Answer::Fault
    } else {
        Answer::Status(status)
    })
}

/// Ticks a child and names its status; leaves the caller's tick on a fault.
macro_rules! child {
    ($branches:expr, $child:expr) => {
        match $crate::compat::site::tick($branches, $child)? {
            $crate::compat::site::Answer::Status(status) => status,
            $crate::compat::site::Answer::Fault => return Ok(tickseed_core::Status::Running),
        }
    };
}
pub(crate) use child;

/// [`child!`] for one that finished and was not reset since.
macro_rules! unreset {
    ($branches:expr, $child:expr, $how:expr, $verdict:expr) => {
        match $crate::compat::site::tick_unreset($branches, $child, $how, $verdict)? {
            $crate::compat::site::Answer::Status(status) => status,
            $crate::compat::site::Answer::Fault => return Ok(tickseed_core::Status::Running),
        }
    };
}
pub(crate) use unreset;

/// The head of a custom node: what outlines call it, and whether it can leave a running child for
/// another (only one that says otherwise cannot).
macro_rules! head {
    ($name:literal $($rest:tt)*) => {
        crate::compat::site::head!(_this => $name $($rest)*);
    };
    ($this:ident => $name:expr, never preempts) => {
        crate::compat::site::head!($this => $name);

        fn preempts(&self) -> bool {
            false
        }
    };
    ($this:ident => $name:expr) => {
        fn name(&self) -> &'static str {
            let $this = self;
            $name
        }
    };
}
pub(crate) use head;

/// The same of one with exactly one child.
macro_rules! decorator {
    ($($head:tt)*) => {
        crate::compat::site::head!($($head)*);

        fn arity(&self) -> std::ops::RangeInclusive<usize> {
            1..=1
        }
    };
}
pub(crate) use decorator;

/// Asks for another tick at once, as BehaviorTree.CPP's wake-up signal does.
pub(crate) fn wake<C: HasBoard>(branches: &mut Branches<'_, C>) {
    branches.with_cx(|cx| {
        let now = cx.now();
        cx.wake_at(now);
        C::board_mut(cx.at_mut()).wake();
    });
}

/// A child that its parent ticks again without having reset it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unreset {
    /// It repeats its verdict instead of running.
    pub(crate) repeats: bool,
    /// It has hooks of the reference. Its guards are for idle nodes, so they are not asked; its scripts
    /// after the end run once more.
    pub(crate) hooked: bool,
}

/// Ticks a child that finished with a verdict and was not reset since.
pub(crate) fn tick_unreset<C: HasBoard>(
    branches: &mut Branches<'_, C>,
    child: usize,
    how: Unreset,
    verdict: Status,
) -> Result<Answer, Stop> {
    if !how.hooked {
        return match how.repeats {
            true => Ok(Answer::Status(verdict)),
            false => tick(branches, child),
        };
    }
    let repeated = how.repeats.then_some(verdict);
    branches.with_cx(|cx| C::board_mut(cx.at_mut()).set_unreset(repeated));
    let answer = tick(branches, child);
    branches.with_cx(|cx| C::board_mut(cx.at_mut()).take_unreset());
    answer
}

/// How often something was tried, kept between activations; and the last halt of the tree that the
/// node saw.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Tries {
    pub(crate) count: i64,
    pub(crate) halt: u64,
}

/// Forgets what a node keeps from one activation to the next if the whole tree was halted since it was
/// last ticked. Only its own halt would tell it so, and an idle node gets none.
pub(crate) fn forget_if_halted<C: HasBoard, T: Default>(
    branches: &mut Branches<'_, C>,
    seen: &mut u64,
    kept: &mut T,
) {
    if branches.with_cx(|cx| C::board(cx.at()).halted_since(seen)) {
        *kept = T::default();
    }
}

/// What resets a node that the reference goes on taking for running after it was skipped as a whole:
/// the end of any of these nodes above it (parallels, loops), by their numbers, and a halt of the whole
/// tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lingers {
    pub(crate) until: Vec<usize>,
}

impl Lingers {
    /// [`forget_if_halted`], or if one of them has ended.
    pub(crate) fn forget_if_reset<C: HasBoard, T: Default>(
        &self,
        branches: &mut Branches<'_, C>,
        seen: &mut u64,
        kept: &mut T,
    ) {
        if branches.with_cx(|cx| C::board(cx.at()).reset_since(&self.until, seen)) {
            *kept = T::default();
        }
    }
}

/// How a node that ticks again what was skipped below it tells that it has ended: what stayed as it
/// was is reset then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    /// Its number.
    pub(crate) instance: usize,
    /// It stays as it is itself when it was skipped.
    pub(crate) lingers: bool,
}

impl Ends {
    pub(crate) fn after<C: HasBoard>(
        self,
        branches: &mut Branches<'_, C>,
        status: Result<Status, Stop>,
    ) -> Result<Status, Stop> {
        let stays = match status {
            Ok(Status::Skipped) => self.lingers,
            Ok(status) => status == Status::Running,
            Err(_) => true,
        };
        if !stays {
            branches.with_cx(|cx| self.ended(cx));
        }
        status
    }

    pub(crate) fn ended<C: HasBoard>(self, cx: &mut Cx<'_, '_, C>) {
        C::board_mut(cx.at_mut()).node_ended(self.instance);
    }
}

/// Reads a port in a composite. `None`: it has no value.
pub(crate) fn read<C: HasBoard, T: PortType>(
    branches: &mut Branches<'_, C>,
    port: &In<T>,
) -> Option<T> {
    branches.with_cx(|cx| port.get(cx).ok())
}

/// The entries of a context, for scripts.
pub(crate) struct BoardEntries<'x, 'a, C: Context> {
    pub(crate) at: &'x mut C::At<'a>,
    pub(crate) words: &'x [(String, i64)],
}

impl<C: HasBoard> Entries for BoardEntries<'_, '_, C> {
    fn exists(&self, slot: Slot) -> bool {
        slot.0 >= crate::board::FIELDS || C::board(self.at).mark(slot) != Mark::ABSENT
    }

    fn get(&self, slot: Slot) -> Datum {
        view::read::<C>(self.at, slot)
    }

    fn set(&mut self, slot: Slot, value: Datum) -> bool {
        view::write::<C>(self.at, slot, value)
    }

    fn type_name(&self, slot: Slot) -> Option<String> {
        if let Some(field) = slot.0.checked_sub(crate::board::FIELDS) {
            let info = C::schema().keys.get(field as usize)?;
            let name = match info.ty {
                tickseed_core::ScalarType::Bool => "bool",
                ty if ty.is_float() => "double",
                _ => "int",
            };
            return Some(name.to_owned());
        }
        let board = C::board(self.at);
        let name = board.layout().type_of(board.mark(slot))?;
        Some(name.to_owned())
    }

    fn word(&self, word: &str) -> Option<i64> {
        self.words
            .iter()
            .find(|(known, _)| known == word)
            .map(|(_, number)| *number)
    }

    // Whoever keeps faults compares them with the reference's.
    fn tells(&self) -> bool {
        !C::board(self.at).keeps_faults()
    }

    fn near(&self, name: &str) -> Option<String> {
        let board = C::board(self.at);
        let there = (board.layout().slots())
            .filter(|(slot, _)| board.mark(*slot) != Mark::ABSENT)
            .map(|(_, info)| info.name.as_str());
        let words = self.words.iter().map(|(word, _)| word.as_str());
        nearest(name, there.chain(words)).map(str::to_owned)
    }
}

/// A script with the words it may name.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) script: Script,
    pub(crate) words: Arc<[(String, i64)]>,
}

impl Bound {
    pub(crate) fn run<C: HasBoard>(&self, cx: &mut Cx<'_, '_, C>) -> Result<Datum, String> {
        self.script.run(&mut BoardEntries::<C> {
            at: cx.at_mut(),
            words: &self.words,
        })
    }

    pub(crate) fn test<C: HasBoard>(&self, cx: &mut Cx<'_, '_, C>) -> Result<bool, String> {
        self.script.test(&mut BoardEntries::<C> {
            at: cx.at_mut(),
            words: &self.words,
        })
    }
}
