//! Points and steps in the plane, with the same results on every machine.

use core::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

/// A point or an offset in the plane, in metres; y grows upwards.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Up.
    pub y: f32,
}

impl Point {
    /// The point (x, y).
    #[must_use]
    pub const fn new(x: f32, y: f32) -> Point {
        Point { x, y }
    }

    /// The distance from the origin.
    #[must_use]
    pub fn length(self) -> f32 {
        libm::sqrtf(self.x * self.x + self.y * self.y)
    }

    /// The distance to another point.
    #[must_use]
    pub fn distance(self, to: Point) -> f32 {
        (to - self).length()
    }

    /// The direction towards another point, in radians anticlockwise from the x axis.
    #[must_use]
    pub fn heading(self, to: Point) -> f32 {
        let d = to - self;
        libm::atan2f(d.y, d.x)
    }

    /// The point at this distance in this direction from here.
    #[must_use]
    pub fn polar(self, angle: f32, distance: f32) -> Point {
        self + Point::new(libm::cosf(angle), libm::sinf(angle)) * distance
    }

    /// One move of at most `step` towards `goal`; never beyond it.
    #[must_use]
    pub fn toward(self, goal: Point, step: f32) -> Point {
        let d = self.distance(goal);
        if d <= step || d == 0.0 {
            goal
        } else {
            self + (goal - self) * (step / d)
        }
    }

    /// The nearest point within the rectangle from the origin to `size`, `margin` inside it.
    #[must_use]
    pub fn within(self, size: Point, margin: f32) -> Point {
        Point::new(
            self.x.clamp(margin, size.x - margin),
            self.y.clamp(margin, size.y - margin),
        )
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, o: Point) -> Point {
        Point::new(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Point {
    type Output = Point;
    fn sub(self, o: Point) -> Point {
        Point::new(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f32> for Point {
    type Output = Point;
    fn mul(self, k: f32) -> Point {
        Point::new(self.x * k, self.y * k)
    }
}

/// Turns a heading towards another by at most `step` radians, the short way round.
pub(crate) fn turn(from: f32, to: f32, step: f32) -> f32 {
    use core::f32::consts::{PI, TAU};
    let wrap = |a: f32| {
        let a = libm::fmodf(a, TAU);
        if a > PI {
            a - TAU
        } else if a < -PI {
            a + TAU
        } else {
            a
        }
    };
    wrap(from + wrap(to - from).clamp(-step, step))
}
