//! The world's scene, drawn with braille dots.

use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::canvas::{self, Canvas, Circle, Points, Rectangle};
use ratatui::widgets::{Block, Widget};
use tickseed_worlds::{Mark, Point, Shape, View};

use super::look::Look;

/// Where the scene's metres lie on the screen's cells. A cell is two dots wide and four
/// high, and about twice as high as wide, so dots are square and circles round.
#[derive(Clone, Copy)]
pub(super) struct Map {
    area: Rect,
    size: Point,
    /// The parts of the plane that the area shows.
    x: [f64; 2],
    y: [f64; 2],
}

impl Map {
    pub(super) fn new(area: Rect, size: Point) -> Map {
        let (w, h) = (
            f64::from(area.width.max(1)) * 2.0,
            f64::from(area.height.max(1)) * 4.0,
        );
        let (sx, sy) = (f64::from(size.x), f64::from(size.y));
        // A little more than the scene, for its frame.
        let dot = ((sx + 0.4) / w).max((sy + 0.4) / h);
        let around = |s: f64, n: f64| [s / 2.0 - n * dot / 2.0, s / 2.0 + n * dot / 2.0];
        Map {
            area,
            size,
            x: around(sx, w),
            y: around(sy, h),
        }
    }

    /// The point in the scene that a cell shows; `None` outside the scene.
    pub(super) fn point(&self, column: u16, row: u16) -> Option<Point> {
        let a = self.area;
        if !a.contains((column, row).into()) {
            return None;
        }
        let across = (f64::from(column - a.x) + 0.5) / f64::from(a.width);
        let down = (f64::from(row - a.y) + 0.5) / f64::from(a.height);
        let x = self.x[0] + across * (self.x[1] - self.x[0]);
        let y = self.y[1] - down * (self.y[1] - self.y[0]);
        let p = Point::new(x as f32, y as f32);
        let inside = (0.0..=self.size.x).contains(&p.x) && (0.0..=self.size.y).contains(&p.y);
        inside.then_some(p)
    }
}

/// Draws the scene into the area.
pub(super) fn render(
    view: &View,
    aim: Option<Point>,
    look: Look,
    block: Block<'_>,
    area: Rect,
    buffer: &mut ratatui::buffer::Buffer,
) {
    let map = Map::new(block.inner(area), view.size);
    Canvas::default()
        .block(block)
        .marker(Marker::Braille)
        .x_bounds(map.x)
        .y_bounds(map.y)
        .paint(|ctx| {
            ctx.draw(&Rectangle {
                x: 0.0,
                y: 0.0,
                width: view.size.x.into(),
                height: view.size.y.into(),
                color: look.tone(tickseed_worlds::Tone::Quiet),
            });
            // What comes later is drawn over what was before, also where they share a cell.
            for mark in &view.marks {
                ctx.layer();
                draw(ctx, mark, look.tone(mark.tone));
            }
            ctx.layer();
            for mark in &view.marks {
                label(ctx, mark, &map, look.tone(mark.tone));
            }
            if let Some(p) = aim {
                let style = Style::new().fg(look.tone(tickseed_worlds::Tone::Goal));
                ctx.print(p.x.into(), p.y.into(), Line::styled("+", style));
            }
        })
        .render(area, buffer);
}

fn line(a: Point, b: Point, color: Color) -> canvas::Line {
    canvas::Line {
        x1: a.x.into(),
        y1: a.y.into(),
        x2: b.x.into(),
        y2: b.y.into(),
        color,
    }
}

fn draw(ctx: &mut canvas::Context<'_>, mark: &Mark, color: Color) {
    let circle = |at: Point, radius: f32| Circle {
        x: at.x.into(),
        y: at.y.into(),
        radius: radius.into(),
        color,
    };
    match (mark.shape, &mark.points[..]) {
        (Shape::Body { radius, heading }, &[at]) => {
            ctx.draw(&circle(at, radius));
            ctx.draw(&line(at, at.polar(heading, radius * 1.9), color));
        }
        (Shape::Circle { radius }, &[at]) => ctx.draw(&circle(at, radius)),
        // A place is a character, printed with its name.
        (Shape::Place, _) => {}
        (Shape::Line | Shape::Ring, points) => {
            for pair in points.windows(2) {
                ctx.draw(&line(pair[0], pair[1], color));
            }
            if let (Shape::Ring, [first, .., last]) = (mark.shape, points) {
                ctx.draw(&line(*last, *first, color));
            }
        }
        (_, points) => {
            let coords: Vec<(f64, f64)> = points
                .iter()
                .map(|p| (f64::from(p.x), f64::from(p.y)))
                .collect();
            ctx.draw(&Points {
                coords: &coords,
                color,
            });
        }
    }
}

/// The mark's name, beside it, kept within the picture.
fn label(ctx: &mut canvas::Context<'_>, mark: &Mark, map: &Map, color: Color) {
    let (Some(at), false) = (mark.points.first(), mark.label.is_empty()) else {
        return;
    };
    let style = Style::new().fg(color);
    if mark.shape == Shape::Place {
        ctx.print(at.x.into(), at.y.into(), Line::styled("◆", style));
    }
    let cell = (map.x[1] - map.x[0]) / f64::from(map.area.width.max(1));
    let long = mark.label.chars().count() as f64 * cell;
    let beside = f64::from(at.x) + 0.9;
    let x = if beside + long > map.x[1] {
        f64::from(at.x) - 0.9 - long
    } else {
        beside
    };
    let text = Line::styled(mark.label.to_string(), style);
    // Beside a place, above a body.
    let y = f64::from(at.y) + if mark.shape == Shape::Place { 0.0 } else { 0.6 };
    ctx.print(x, y, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_find_their_point_and_the_margin_none() {
        let map = Map::new(Rect::new(10, 5, 60, 20), Point::new(24.0, 14.0));
        let middle = map.point(40, 15).unwrap();
        assert!(
            (middle.x - 12.0).abs() < 0.5 && (middle.y - 7.0).abs() < 0.5,
            "{middle:?}"
        );
        let upper = map.point(40, 7).unwrap();
        assert!(upper.y > middle.y);
        assert_eq!(map.point(9, 15), None);
        // The scene is narrower than the area, so that circles are round.
        assert_eq!(map.point(10, 5), None);
    }
}
