//! Leaves: scripts, blackboard entries, sleep.

use tickseed_core::{Cx, Leaf, LeafError, Node, Status, nodes};

use super::site::{Bound, Site};
use crate::board::{HasBoard, Mark, view};
use crate::expr::{Datum, Slot};
use crate::registry::In;

/// `Script`: runs and succeeds.
pub(crate) fn script<C: HasBoard>(script: Bound, site: Site) -> Node<C> {
    acting(move |cx| match script.run(cx) {
        Ok(_) => Ok(Status::Success),
        Err(message) => site.raise(cx, &message),
    })
}

/// `ScriptCondition`: succeeds if the script's value counts as true.
pub(crate) fn script_condition<C: HasBoard>(script: Bound, site: Site) -> Node<C> {
    acting(move |cx| match script.test(cx) {
        Ok(holds) => Ok(Status::from_bool(holds)),
        Err(message) => site.raise(cx, &message),
    })
}

/// A leaf that finishes in its tick unless it raises an error that the board keeps: then it runs,
/// and its next tick is a new attempt.
fn acting<C: HasBoard>(
    f: impl for<'x, 'y, 'a> Fn(&'x mut Cx<'y, 'a, C>) -> Result<Status, LeafError>
    + Send
    + Sync
    + 'static,
) -> Node<C> {
    nodes::<C>().action("script", move |cx: &mut Cx<'_, '_, C>| {
        if C::board(cx.at()).has_fault() {
            // The tick is over; what is entered now is entered again in the next.
            return Ok(Status::Running);
        }
        f(cx)
    })
}

/// The key that `SetBlackboard` and its kin name.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// By name, in the file.
    Named(Slot),
    /// The name stands in an entry.
    Indirect { entry: Slot, scope: String },
}

impl Target {
    /// The key; where there is none, `missing` or what is wrong with the name.
    fn slot<C: HasBoard>(&self, cx: &Cx<'_, '_, C>, missing: &str) -> Result<Slot, String> {
        let (entry, scope) = match self {
            Target::Named(slot) => return Ok(*slot),
            Target::Indirect { entry, scope } => (*entry, scope),
        };
        let name = match view::read::<C>(cx.at(), entry) {
            Datum::None => return Err(missing.to_owned()),
            datum => super::script::text(&datum),
        };
        let layout = C::board(cx.at()).layout();
        layout.find(scope, &name).ok_or_else(|| {
            format!("the entry names the key [{name}], which stands nowhere in the tree")
        })
    }

    /// Whether the name is there, of whatever key.
    fn is_named<C: HasBoard>(&self, cx: &Cx<'_, '_, C>) -> bool {
        match self {
            Target::Named(_) => true,
            Target::Indirect { entry, .. } => view::read::<C>(cx.at(), *entry) != Datum::None,
        }
    }
}

/// What `SetBlackboard` writes.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A text from the file.
    Text(String),
    /// A copy of an entry.
    Entry(Slot),
}

/// `SetBlackboard`.
pub(crate) fn set<C: HasBoard>(value: Value, target: Target, text: Mark, site: Site) -> Node<C> {
    acting::<C>(move |cx: &mut Cx<'_, '_, C>| {
        let slot = match target.slot(cx, "missing port [output_key]") {
            Ok(slot) => slot,
            Err(message) => return site.raise(cx, &message),
        };
        let (datum, mark) = match &value {
            Value::Text(text_value) => (Datum::Text(text_value.as_str().into()), text),
            Value::Entry(from) => {
                let board = C::board(cx.at());
                if from.0 < crate::board::FIELDS && board.mark(*from) == Mark::ABSENT {
                    return site.raise(cx, "Can't find the port referred by [value]");
                }
                match view::read::<C>(cx.at(), *from) {
                    Datum::None => return Ok(Status::Failure),
                    datum => (datum, Mark::ANY),
                }
            }
        };
        let present = C::board(cx.at()).mark(slot);
        let ty = C::board(cx.at())
            .layout()
            .type_of(present)
            .map(str::to_owned);
        let alike = match (&value, &datum) {
            (Value::Text(_), Datum::Text(text)) if present == Mark::ANY => {
                as_it_was(&view::read::<C>(cx.at(), slot), text)
            }
            _ => None,
        };
        let datum = match (alike, &ty, &datum) {
            (Some(alike), ..) => alike,
            (None, Some(ty), Datum::Text(text)) => match parsed(ty, text) {
                Ok(datum) => datum,
                Err(message) => return site.raise(cx, &message),
            },
            _ => datum,
        };
        if !view::write::<C>(cx.at_mut(), slot, datum) {
            return site.raise(cx, "the entry does not take the value");
        }
        if present == Mark::ABSENT {
            C::board_mut(cx.at_mut()).set_mark(slot, mark);
        }
        Ok(Status::Success)
    })
}

/// A text for an entry without a type that a script has made a number or truth of: one of these, if it
/// says one. (The reference loses the value.)
fn as_it_was(present: &Datum, text: &str) -> Option<Datum> {
    match present {
        Datum::Int(_) => text.parse().map(Datum::Int).ok(),
        // Scripts make numbers of `true` and `false`.
        Datum::Float(_) if text == "true" => Some(Datum::Float(1.0)),
        Datum::Float(_) if text == "false" => Some(Datum::Float(0.0)),
        Datum::Float(_) => text.parse().map(Datum::Float).ok(),
        Datum::Bool(_) => <bool as crate::registry::PortType>::parse(text)
            .map(Datum::Bool)
            .ok(),
        _ => None,
    }
}

/// A text for an entry of a type.
fn parsed(ty: &str, text: &str) -> Result<Datum, String> {
    let fail = || format!("Can't convert string [{text}] to type [{ty}]");
    match ty {
        "int" | "long" | "unsigned int" => text.parse().map(Datum::Int).map_err(|_| fail()),
        "double" | "float" => text.parse().map(Datum::Float).map_err(|_| fail()),
        "bool" => <bool as crate::registry::PortType>::parse(text)
            .map(Datum::Bool)
            .map_err(|_| fail()),
        _ => Ok(Datum::Text(text.into())),
    }
}

/// `UnsetBlackboard`.
pub(crate) fn unset<C: HasBoard>(target: Target, site: Site) -> Node<C> {
    acting::<C>(move |cx: &mut Cx<'_, '_, C>| {
        match target.slot(cx, "missing input port [key]") {
            Ok(slot) => C::board_mut(cx.at_mut()).remove(slot),
            // What is not there needs no removing.
            Err(_) if target.is_named(cx) => {}
            Err(message) => return site.raise(cx, &message),
        }
        Ok(Status::Success)
    })
}

/// How often an entry was written; `None` if there is no such entry.
pub(crate) fn version<C: HasBoard>(cx: &Cx<'_, '_, C>, entry: Slot) -> Option<u32> {
    let board = C::board(cx.at());
    let exists = entry.0 >= crate::board::FIELDS || board.mark(entry) != Mark::ABSENT;
    exists.then(|| board.version(entry))
}

/// `WasEntryUpdated`.
pub(crate) struct WasUpdated {
    pub(crate) entry: Slot,
}

impl<C: HasBoard> tickseed_core::CustomNode<C> for WasUpdated {
    type State = ();
    /// The version seen last.
    type Memory = u32;

    fn name(&self) -> &'static str {
        "was updated"
    }

    fn arity(&self) -> std::ops::RangeInclusive<usize> {
        0..=0
    }

    fn preempts(&self) -> bool {
        false
    }

    fn tick(
        &self,
        branches: &mut tickseed_core::Branches<'_, C>,
        _: &mut (),
        seen: &mut u32,
    ) -> Result<Status, tickseed_core::Stop> {
        let version = branches.with_cx(|cx| version(cx, self.entry));
        let changed = version.is_some_and(|version| version != *seen);
        *seen = version.unwrap_or(*seen);
        Ok(Status::from_bool(changed))
    }
}

/// `Sleep`.
pub(crate) struct Sleep {
    pub(crate) msec: In<u32>,
    pub(crate) site: Site,
}

impl<C: HasBoard> Leaf<C> for Sleep {
    /// When it ends; zero before it began.
    type State = u64;

    fn start(&self, until: &mut u64, cx: &mut Cx<'_, '_, C>) -> tickseed_core::Outcome {
        let msec = match self.msec.get(cx) {
            Ok(msec) => msec,
            Err(error) => {
                let message = "Missing parameter [msec] in SleepNode";
                return self.site.unread(cx, &error, message);
            }
        };
        if msec == 0 {
            return Ok(Status::Success);
        }
        *until = cx.now().0.saturating_add(u64::from(msec) * 1_000_000);
        cx.wake_at(tickseed_core::Time(*until));
        Ok(Status::Running)
    }

    fn tick(&self, until: &mut u64, cx: &mut Cx<'_, '_, C>) -> tickseed_core::Outcome {
        if *until == 0 {
            return self.start(until, cx);
        }
        if cx.now().0 >= *until {
            return Ok(Status::Success);
        }
        cx.wake_at(tickseed_core::Time(*until));
        Ok(Status::Running)
    }
}
