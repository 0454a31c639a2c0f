//! What to draw, as plain data: a terminal and a web page show the same.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::geometry::Point;

/// The meaning of a colour; the drawer chooses the colour itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Background and scenery.
    Quiet,
    /// Neutral things.
    Plain,
    /// The agents.
    Agent,
    /// The watched agent.
    Focus,
    /// Helpful things: chargers, food.
    Good,
    /// Goals: targets.
    Goal,
    /// Threats and damage.
    Bad,
}

/// What a mark looks like.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A thing with a direction; one point.
    Body {
        /// In metres.
        radius: f32,
        /// Radians anticlockwise from the x axis.
        heading: f32,
    },
    /// A small dot; any number of points.
    Dots,
    /// A place with a name; one point.
    Place,
    /// A circle's outline; one point.
    Circle {
        /// In metres.
        radius: f32,
    },
    /// A line through all points.
    Line,
    /// A line through all points and back to the first.
    Ring,
}

/// One thing to draw.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Mark {
    /// What it looks like.
    pub shape: Shape,
    /// Its meaning.
    pub tone: Tone,
    /// Where it is.
    pub points: Vec<Point>,
    /// Its name; may be empty.
    pub label: Cow<'static, str>,
}

impl Mark {
    /// A mark at one point.
    #[must_use]
    pub fn at(shape: Shape, tone: Tone, at: Point, label: impl Into<Cow<'static, str>>) -> Mark {
        Mark {
            shape,
            tone,
            points: alloc::vec![at],
            label: label.into(),
        }
    }

    /// A mark through several points.
    #[must_use]
    pub fn through(shape: Shape, tone: Tone, points: Vec<Point>) -> Mark {
        Mark {
            shape,
            tone,
            points,
            label: Cow::Borrowed(""),
        }
    }
}

/// A quantity from 0 to 1.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bar {
    /// What it measures.
    pub label: Cow<'static, str>,
    /// From 0 to 1.
    pub value: f32,
    /// Its meaning at this value.
    pub tone: Tone,
}

impl Bar {
    /// A bar; the value is clamped to 0..=1.
    #[must_use]
    pub fn new(label: impl Into<Cow<'static, str>>, value: f32, tone: Tone) -> Bar {
        Bar {
            label: label.into(),
            value: value.clamp(0.0, 1.0),
            tone,
        }
    }
}

/// Everything to draw at one moment.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct View {
    /// The upper right corner of the scene; the lower left is the origin.
    pub size: Point,
    /// The things in the scene, from back to front.
    pub marks: Vec<Mark>,
    /// Quantities of the watched agent or the world.
    pub bars: Vec<Bar>,
    /// Short facts in words.
    pub notes: Vec<(&'static str, String)>,
}
