//! Nav2's nodes that query ROS, with the answers provided by the program: see [`compat`](super).

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Branches, CustomNode, Cx, Status, Stop};

use super::site::{Site, child, decorator, read};
use crate::board::{FIELDS, HasBoard, UserFunction, view};
use crate::build::Loader;
use crate::diagnostics::Diagnostic;
use crate::expr::{Datum, Slot, Type};
use crate::model::{KeyRef, KeyScope, Span};
use crate::registry::In;

/// Where a node finds what it would ask ROS.
pub(crate) enum Source<C: HasBoard> {
    Function(UserFunction<C>),
    Slot(Slot),
}

impl<C: HasBoard> Clone for Source<C> {
    fn clone(&self) -> Self {
        match self {
            Source::Function(f) => Source::Function(Arc::clone(f)),
            Source::Slot(slot) => Source::Slot(*slot),
        }
    }
}

impl<C: HasBoard> Source<C> {
    fn ask(&self, cx: &Cx<'_, '_, C>, arguments: &[Datum]) -> Result<Datum, String> {
        match self {
            Source::Function(f) => f(cx.at(), arguments),
            Source::Slot(slot) => Ok(view::read::<C>(cx.at(), *slot)),
        }
    }

    fn number(&self, cx: &Cx<'_, '_, C>, arguments: &[Datum]) -> Result<f64, String> {
        match self.ask(cx, arguments)? {
            Datum::Float(f) => Ok(f),
            Datum::Int(i) => Ok(i as f64),
            other => Err(format!("expected a number, found {other:?}")),
        }
    }

    /// A place on the plane, as Nav2 measures distances.
    fn place(&self, cx: &Cx<'_, '_, C>) -> Result<[f64; 2], String> {
        match self.ask(cx, &[])? {
            Datum::Vec2(place) => Ok(place),
            Datum::Vec3([x, y, _]) => Ok([x, y]),
            other => Err(format!("expected a vec2 or vec3, found {other:?}")),
        }
    }
}

impl<C: HasBoard> Loader<'_, C> {
    /// What answers to a name. A node without is a mistake, reported.
    pub(crate) fn asked(
        &mut self,
        node: &str,
        name: &str,
        parameters: usize,
        ty: &Type,
        span: Span,
    ) -> Option<Source<C>> {
        let functions = self.registry.functions();
        let found = functions.iter().find(|(signature, _)| {
            signature.name == name && signature.parameters.len() == parameters
        });
        if let Some((_, f)) = found {
            return Some(Source::Function(Arc::clone(f)));
        }
        if parameters == 0
            && let Some(slot) = self.given_key(name, span)
        {
            return Some(Source::Slot(slot));
        }
        let (what, call) = match parameters {
            0 => (
                "a function or one of the `extra_keys`",
                format!("registry.function(\"{name}\", &[], ..)"),
            ),
            _ => (
                "a function",
                format!("registry.function(\"{name}\", &[Type::Any], ..)"),
            ),
        };
        self.report(
            Diagnostic::error(
                "load::ros-input",
                format!("`{node}` needs `{name}`, {what} of type {ty}, which ROS would give it"),
            )
            .at(span, format!("nothing answers to `{name}`"))
            .help(format!(
                "give it with `{call}`, or register a node `{node}` of your own"
            )),
        );
        None
    }

    /// A key of the root that the program writes, or a field it publishes.
    pub(crate) fn given_key(&mut self, name: &str, span: Span) -> Option<Slot> {
        let field = C::schema().keys.iter().any(|key| key.name == name);
        if !field && !self.options.extra_keys.iter().any(|key| key == name) {
            return None;
        }
        let key = KeyRef {
            scope: KeyScope::Root,
            name: name.to_owned().into(),
        };
        self.resolve(0, &key, span).map(|binding| binding.slot)
    }
}

/// When a controller lets its child run again.
pub(crate) enum Gauge<C: HasBoard> {
    /// `DistanceController`: after so much way.
    Distance {
        source: Source<C>,
        distance: In<f64>,
    },
    /// `SpeedController`: after a period that is shorter the faster the robot is, and when the goal
    /// changes.
    Speed {
        source: Source<C>,
        rate: (In<f64>, In<f64>),
        speed: (In<f64>, In<f64>),
        goals: Vec<Slot>,
    },
}

impl<C: HasBoard> Gauge<C> {
    /// Whether the child's turn has come. `from` is what is measured from.
    pub(crate) fn due(
        &self,
        branches: &mut Branches<'_, C>,
        first: bool,
        running: bool,
        from: &mut [u64; 2],
    ) -> Result<bool, String> {
        match self {
            Gauge::Distance { source, distance } => {
                let here = branches.with_cx(|cx| source.place(cx))?;
                if first {
                    *from = here.map(f64::to_bits);
                }
                let [x, y] = from.map(f64::from_bits);
                let way = (here[0] - x).hypot(here[1] - y);
                Ok(first || running || way >= read(branches, distance).unwrap_or(1.0))
            }
            Gauge::Speed {
                source,
                rate,
                speed,
                goals,
            } => {
                let now = branches.with_cx(|cx| cx.now().0);
                let goal = branches.with_cx(|cx| super::nav2::versions(C::board(cx.at()), goals));
                if first || goal != from[1] {
                    *from = [now, goal];
                    return Ok(true);
                }
                let mut port = |port, or| read(branches, port).unwrap_or(or);
                let (slow, fast) = (port(&rate.0, 0.1), port(&rate.1, 1.0));
                let (least, most) = (port(&speed.0, 0.0), port(&speed.1, 0.5));
                let speed = branches.with_cx(|cx| source.number(cx, &[]))?;
                let share = ((speed - least) / (most - least)).clamp(0.0, 1.0);
                let period = (1e9 / (slow + share * (fast - slow))) as u64;
                let over = now.saturating_sub(from[0]) >= period;
                if over {
                    from[0] = now;
                }
                Ok(running || over)
            }
        }
    }

    /// The child has succeeded: from here on is measured.
    pub(crate) fn succeeded(&self, branches: &mut Branches<'_, C>, from: &mut [u64; 2]) {
        if let Gauge::Distance { source, .. } = self
            && let Ok(here) = branches.with_cx(|cx| source.place(cx))
        {
            *from = here.map(f64::to_bits);
        }
    }
}

/// `DistanceController` and `SpeedController`, where the parent resets them when they have finished.
pub(crate) struct Controller<C: HasBoard> {
    pub(crate) site: Site,
    pub(crate) gauge: Gauge<C>,
}

impl<C: HasBoard> CustomNode<C> for Controller<C> {
    type State = [u64; 2];
    type Memory = ();

    decorator!(this => match this.gauge {
            Gauge::Distance { .. } => "distance controller",
            Gauge::Speed { .. } => "speed controller",
        }, never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        from: &mut [u64; 2],
        _: &mut (),
    ) -> Result<Status, Stop> {
        let (first, running) = (branches.is_fresh(), branches.is_running(0));
        match self.gauge.due(branches, first, running, from) {
            Ok(true) => Ok(child!(branches, 0)),
            Ok(false) => Ok(Status::Running),
            Err(message) => self.site.raise_in(branches, &message),
        }
    }
}

/// `PathLongerOnApproach`: its child runs when a new path is much longer than the old one, near the
/// goal; else it succeeds.
pub(crate) struct Longer<C: HasBoard> {
    pub(crate) site: Site,
    pub(crate) path: Option<Slot>,
    pub(crate) near: In<f64>,
    pub(crate) factor: In<f64>,
    pub(crate) length: Source<C>,
}

/// The path that was seen last.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Path {
    length: f64,
    version: u32,
    known: u32,
}

impl<C: HasBoard> CustomNode<C> for Longer<C> {
    type State = ();
    type Memory = Path;

    decorator!("path longer on approach", never preempts);

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        _: &mut (),
        old: &mut Path,
    ) -> Result<Status, Stop> {
        let Some(path) = self.path else {
            return self.site.raise_in(branches, "missing input port [path]");
        };
        let version = branches.with_cx(|cx| C::board(cx.at()).version(path));
        let length = branches.with_cx(|cx| {
            let value = view::read::<C>(cx.at(), path);
            self.length.number(cx, &[value])
        });
        let length = match length {
            Ok(length) => length,
            Err(message) => return self.site.raise_in(branches, &message),
        };
        let near = read(branches, &self.near).unwrap_or(3.0);
        let factor = read(branches, &self.factor).unwrap_or(2.0);
        let longer = old.known != 0
            && old.version != version
            && old.length < near
            && length > factor * old.length;
        let status = if longer || branches.is_running(0) {
            child!(branches, 0)
        } else {
            Status::Success
        };
        if status.is_verdict() {
            *old = Path {
                length,
                version,
                known: 1,
            };
        }
        Ok(status)
    }
}

/// `GoalUpdater`: writes the goal, or the one that was sent last, and ticks its child.
pub(crate) struct Updater {
    /// For the goal and for the goals: what is sent, the port that is read, the port that is written.
    pub(crate) pairs: Vec<[Option<Slot>; 3]>,
}

impl<C: HasBoard> CustomNode<C> for Updater {
    type State = ();
    type Memory = ();

    decorator!("goal updater", never preempts);

    fn tick(&self, branches: &mut Branches<'_, C>, _: &mut (), _: &mut ()) -> Result<Status, Stop> {
        for [sent, input, output] in &self.pairs {
            let Some(output) = output else { continue };
            branches.with_cx(|cx| {
                let set = |slot: &Slot| view::read::<C>(cx.at(), *slot) != Datum::None;
                let Some(from) = sent.filter(set).or(*input) else {
                    return;
                };
                let object = match from.0 < FIELDS {
                    true => C::board(cx.at()).object(from).cloned(),
                    false => None,
                };
                match object {
                    Some(object) => {
                        C::board_mut(cx.at_mut()).set_object(*output, object);
                    }
                    None => {
                        let value = view::read::<C>(cx.at(), from);
                        view::write::<C>(cx.at_mut(), *output, value);
                    }
                }
            });
        }
        branches.tick(0)
    }
}

/// `PauseResumeController`: one to four children, for the robot at work, paused, being paused and
/// being resumed. A change between work and pause halts what runs.
pub(crate) struct Pause<C: HasBoard> {
    pub(crate) site: Site,
    pub(crate) paused: Source<C>,
}

impl<C: HasBoard> CustomNode<C> for Pause<C> {
    /// The child whose turn it is.
    type State = u32;
    type Memory = ();

    fn name(&self) -> &'static str {
        "pause-resume controller"
    }

    fn arity(&self) -> std::ops::RangeInclusive<usize> {
        1..=4
    }

    fn tick(
        &self,
        branches: &mut Branches<'_, C>,
        turn: &mut u32,
        _: &mut (),
    ) -> Result<Status, Stop> {
        const WORK: u32 = 0;
        const PAUSED: u32 = 1;
        const PAUSING: u32 = 2;
        const RESUMING: u32 = 3;
        let asked = branches.with_cx(|cx| self.paused.ask(cx, &[]));
        let pause = match asked {
            Ok(Datum::Bool(pause)) => pause,
            Ok(Datum::None) => false,
            Ok(other) => {
                let message = format!("`paused` must be true or false, found {other:?}");
                return self.site.raise_in(branches, &message);
            }
            Err(message) => return self.site.raise_in(branches, &message),
        };
        if pause != matches!(*turn, PAUSED | PAUSING) {
            branches.halt_all();
            *turn = if pause { PAUSING } else { RESUMING };
        }
        if *turn >= PAUSING {
            let next = *turn - PAUSING;
            let next = if next == 0 { PAUSED } else { WORK };
            if (*turn as usize) < branches.len() {
                let status = child!(branches, *turn as usize);
                if matches!(status, Status::Running | Status::Failure) {
                    return Ok(status);
                }
            }
            *turn = next;
        }
        if *turn == PAUSED {
            // What is paused is not done, however its child ends.
            if branches.len() > 1 && child!(branches, 1) == Status::Failure {
                return Ok(Status::Failure);
            }
            return Ok(Status::Running);
        }
        Ok(child!(branches, 0))
    }
}
