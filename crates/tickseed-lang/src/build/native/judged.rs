//! Expressions that can fail, evaluated where an error can be reported.
//!
//! The engine's guards answer yes or no and its scores are numbers, so an expression that fails (an
//! unset key, an overflow, a function's error) would silently count as false or zero. Expressions
//! that cannot fail are left to the engine; all others are evaluated by the nodes here, which raise
//! the error like a leaf's: the tick ends, the agent is poisoned, and `recover` unwinds it.

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Branches, CustomNode, Cx, LeafError, Node, Status, Stop, nodes};

use super::super::{Assignments, Computed, Loader};
use crate::board::{FIELDS, HasBoard};
use crate::compat::site::decorator;
use crate::expr::{BinaryOp, Datum, Op, OpKind, Type, UnaryOp};

impl<C: HasBoard> Loader<'_, C> {
    /// Whether an expression has a value whatever the keys are: comparisons and fractions of keys
    /// that always have one and of constants, joined by and, or, not.
    pub(super) fn cannot_fail(&self, op: &Op) -> bool {
        match &op.kind {
            OpKind::Const(_) | OpKind::IsSet(_) => true,
            OpKind::Key(slot) => {
                // A published key is read as data, which judges an unset one as different.
                slot.0 >= FIELDS
                    || self
                        .layout
                        .slot(*slot)
                        .is_some_and(|info| info.place.is_some())
            }
            OpKind::ToFloat(a) | OpKind::Unary(UnaryOp::Not, a) => self.cannot_fail(a),
            OpKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.cannot_fail(a) && self.cannot_fail(b)
            }
            // Whole numbers overflow, fractions do not.
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, a, b) => {
                let float = |op| self.is_float(op) && self.cannot_fail(op);
                float(a) && float(b)
            }
            OpKind::Compare(a, rest) => {
                self.cannot_fail(a) && rest.iter().all(|(_, b)| self.cannot_fail(b))
            }
            _ => false,
        }
    }

    fn is_float(&self, op: &Op) -> bool {
        match &op.kind {
            OpKind::Const(Datum::Float(_)) | OpKind::ToFloat(_) => true,
            OpKind::Key(slot) => match slot.0.checked_sub(FIELDS) {
                None => {
                    let info = self.layout.slot(*slot);
                    info.is_some_and(|info| info.ty == Type::Float)
                }
                Some(field) => {
                    let key = C::schema().keys.get(field as usize);
                    key.is_some_and(|key| key.ty.is_float())
                }
            },
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, a, b) => {
                self.is_float(a) && self.is_float(b)
            }
            _ => false,
        }
    }

    /// Whether a script can fail.
    pub(super) fn can_fail(&self, script: &Assignments<C>) -> bool {
        let sound = |slot: &crate::expr::Slot, op: &Op| {
            // A field narrower than 64 bits may refuse the value.
            slot.0 < FIELDS && self.cannot_fail(op)
        };
        !script
            .program
            .steps
            .iter()
            .all(|(slot, op)| sound(slot, op))
    }
}

/// A condition's value.
pub(super) fn truth<C: HasBoard>(
    condition: &Computed<C>,
    cx: &Cx<'_, '_, C>,
) -> Result<bool, LeafError> {
    match condition.value(cx.at()) {
        Ok(Datum::Bool(b)) => Ok(b),
        Ok(_) => Err(LeafError::new("the condition is neither true nor false")),
        Err(message) => Err(LeafError::new(message)),
    }
}

/// Runs a script; its error is the node's.
fn carry_out<C: HasBoard>(
    branches: &mut Branches<'_, C>,
    script: &Assignments<C>,
) -> Result<(), LeafError> {
    branches
        .with_cx(|cx| script.run(cx.at_mut()))
        .map_err(LeafError::new)
}

/// When a guard is asked, and what it decides.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    /// At the start: if it holds, this is the answer.
    Start(Status),
    /// At every tick: if it does not hold, this is the answer.
    While(Status),
}

struct Guarded<C: HasBoard> {
    name: &'static str,
    guard: Computed<C>,
    when: When,
}

impl<C: HasBoard> CustomNode<C> for Guarded<C> {
    type State = ();
    type Memory = ();

    decorator!(this => this.name);

    fn preempts(&self) -> bool {
        matches!(self.when, When::While(_))
    }

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        match self.when {
            When::Start(_) if !branches.is_fresh() => {}
            When::Start(then) => {
                if branches.with_cx(|cx| truth(&self.guard, cx))? {
                    return Ok(then);
                }
            }
            When::While(otherwise) => {
                if !branches.with_cx(|cx| truth(&self.guard, cx))? {
                    return Ok(otherwise);
                }
            }
        }
        branches.tick(0)
    }
}

/// A guard that can fail before a node.
pub(super) fn guarded<C: HasBoard>(
    name: &'static str,
    guard: Computed<C>,
    when: When,
    child: Node<C>,
) -> Node<C> {
    nodes::<C>().custom(Guarded { name, guard, when }, [child])
}

/// A wait until a condition that can fail holds.
struct Until<C: HasBoard> {
    condition: Computed<C>,
    limit: Option<u64>,
    late: Status,
}

/// When a wait began.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
struct Began(u64);

impl<C: HasBoard> CustomNode<C> for Until<C> {
    type State = Began;
    type Memory = ();

    fn name(&self) -> &'static str {
        "wait until"
    }

    fn arity(&self) -> std::ops::RangeInclusive<usize> {
        0..=0
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        began: &mut Began,
        _: &mut (),
    ) -> Result<Status, Stop> {
        let now = branches.with_cx(|cx| cx.now().0);
        if branches.is_fresh() {
            began.0 = now;
        }
        if branches.with_cx(|cx| truth(&self.condition, cx))? {
            return Ok(Status::Success);
        }
        Ok(match self.limit {
            Some(limit) if now.saturating_sub(began.0) >= limit => self.late,
            _ => Status::Running,
        })
    }
}

/// A leaf that waits for a condition that can fail.
pub(super) fn until<C: HasBoard>(
    condition: Computed<C>,
    limit: Option<std::time::Duration>,
    late: Status,
) -> Node<C> {
    let limit = limit.map(|d| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX));
    let rule = Until {
        condition,
        limit,
        late,
    };
    nodes::<C>().custom(rule, [])
}

/// A script after a node that can fail.
struct After<C: HasBoard> {
    name: &'static str,
    script: Assignments<C>,
    when: fn(Status) -> bool,
}

impl<C: HasBoard> CustomNode<C> for After<C> {
    type State = ();
    type Memory = ();

    decorator!(this => this.name, never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        let status = branches.tick(0)?;
        if (self.when)(status) {
            carry_out(branches, &self.script)?;
        }
        Ok(status)
    }
}

/// A script that runs when the child ends in a certain way.
pub(super) fn after<C: HasBoard>(
    name: &'static str,
    script: Assignments<C>,
    when: fn(Status) -> bool,
    child: Node<C>,
) -> Node<C> {
    nodes::<C>().custom(After { name, script, when }, [child])
}

/// A script before a node, run when it begins.
struct Before<C: HasBoard> {
    name: &'static str,
    script: Assignments<C>,
}

impl<C: HasBoard> CustomNode<C> for Before<C> {
    type State = ();
    type Memory = ();

    decorator!(this => this.name, never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        if branches.is_fresh() {
            carry_out(branches, &self.script)?;
        }
        branches.tick(0)
    }
}

/// A script that runs when the child begins.
pub(in super::super) fn before<C: HasBoard>(
    name: &'static str,
    script: Assignments<C>,
    child: Node<C>,
) -> Node<C> {
    nodes::<C>().custom(Before { name, script }, [child])
}

/// Raises what numbers and choices of the node below could only note on the board.
struct Noted(&'static str);

impl<C: HasBoard> CustomNode<C> for Noted {
    type State = ();
    type Memory = ();

    decorator!(this => this.0, never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        let status = branches.tick(0)?;
        match branches.with_cx(|cx| C::board_mut(cx.at_mut()).take_note()) {
            Some(message) => Err(LeafError::new(message).into()),
            None => Ok(status),
        }
    }
}

/// A node with numbers; if those can fail, their errors are raised.
pub(super) fn noted_if<C: HasBoard>(fails: bool, name: &'static str, made: Node<C>) -> Node<C> {
    if fails {
        nodes::<C>().custom(Noted(name), [made])
    } else {
        made
    }
}
