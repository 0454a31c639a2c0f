//! What the screen shows, and what keys do.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use ratatui::layout::Rect;
use tickseed_core::NodeId;
use tickseed_worlds::{Input, Part, Point, World};

use super::draw::Panels;
use super::look::Look;
use super::scene::Map;
use crate::args::Run;
use crate::fail::Fail;

const SPEEDS: &[f64] = &[0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// Of a frame's time, what stepping may take: the rest is for drawing and keys.
const STEP_BUDGET: Duration = Duration::from_millis(25);
const REMEMBERED: usize = 200;

/// A change of the deciding leaf.
pub(super) struct Change {
    pub(super) seconds: f64,
    pub(super) leaf: NodeId,
}

pub(super) struct App {
    args: Run,
    pub(super) world: Box<dyn World>,
    pub(super) look: Look,
    pub(super) paused: bool,
    speed: usize,
    /// Simulated time that is due.
    due: Duration,
    /// Whether the machine cannot keep the speed.
    pub(super) behind: bool,
    /// Agents taken care of a second, lately, in the time that their trees take.
    pub(super) rate: f64,
    /// Time that trees took since the rate was taken last.
    spent: Duration,
    /// Where arrow keys point.
    pub(super) aim: Option<Point>,
    pub(super) changes: VecDeque<Change>,
    pub(super) said: Option<String>,
    pub(super) size: Rect,
}

impl App {
    pub(super) fn new(args: Run) -> Result<App, Fail> {
        Ok(App {
            world: args.world()?,
            args,
            look: Look::from_environment(),
            paused: false,
            speed: 3,
            due: Duration::ZERO,
            behind: false,
            rate: 0.0,
            spent: Duration::ZERO,
            aim: None,
            changes: VecDeque::new(),
            said: None,
            size: Rect::ZERO,
        })
    }

    pub(super) fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    pub(super) fn faster(&mut self) {
        self.speed = (self.speed + 1).min(SPEEDS.len() - 1);
    }

    pub(super) fn slower(&mut self) {
        self.speed = self.speed.saturating_sub(1);
    }

    pub(super) fn pause(&mut self) {
        self.paused = !self.paused;
    }

    /// One tick; also pauses, since that is what whoever steps wants to look at.
    pub(super) fn step(&mut self) -> Result<(), Fail> {
        self.paused = true;
        self.tick()
    }

    fn tick(&mut self) -> Result<(), Fail> {
        let tick = self.world.stage().ticks() + 1;
        let (mut last, mut spent) = (Instant::now(), Duration::ZERO);
        let result = self.world.step_in_parts(&mut |part| {
            let now = Instant::now();
            if part == Part::Trees {
                spent += now - last;
            }
            last = now;
        });
        self.spent += spent;
        result.map_err(|e| Fail::Tick(tick, e))?;
        let stage = self.world.stage();
        if let Some(leaf) = stage.watch().deciding()
            && self.changes.back().is_none_or(|c| c.leaf != leaf)
        {
            if self.changes.len() == REMEMBERED {
                self.changes.pop_front();
            }
            let seconds = stage.time().as_secs_f64();
            self.changes.push_back(Change { seconds, leaf });
        }
        Ok(())
    }

    /// Goes on by as many ticks as are due after so much real time.
    pub(super) fn advance(&mut self, passed: Duration) -> Result<(), Fail> {
        if self.paused {
            return Ok(());
        }
        self.due += passed.mul_f64(self.speed());
        let step = self.world.stage().step();
        let (began, mut ticks) = (Instant::now(), 0_u32);
        self.behind = false;
        while self.due >= step {
            if began.elapsed() > STEP_BUDGET {
                self.due = Duration::ZERO;
                self.behind = true;
                break;
            }
            self.due -= step;
            self.tick()?;
            ticks += 1;
        }
        if ticks > 0 {
            let spent = std::mem::take(&mut self.spent).as_secs_f64().max(1e-9);
            let now = f64::from(ticks) * f64::from(self.world.agents()) / spent;
            self.rate += (now - self.rate) * 0.1;
        }
        Ok(())
    }

    pub(super) fn restart(&mut self) -> Result<(), Fail> {
        self.world = self.args.world()?;
        self.changes.clear();
        self.due = Duration::ZERO;
        self.said = None;
        Ok(())
    }

    pub(super) fn drain(&mut self) {
        let agent = self.world.stage().focus();
        self.world.input(Input::Drain { agent });
        self.say(self.world.info().drain);
    }

    fn say(&mut self, what: &str) {
        let t = self.world.stage().time().as_secs_f64();
        self.said = Some(format!("{t:.1} s: {what}"));
    }

    pub(super) fn next_agent(&mut self, by: i64) {
        let n = i64::from(self.world.agents());
        let next = (i64::from(self.world.stage().focus()) + by).rem_euclid(n);
        self.world.focus(next as u32);
        self.changes.clear();
    }

    /// Moves the cross.
    pub(super) fn aim(&mut self, x: f32, y: f32) {
        let size = self.world.view().size;
        let from = self.aim.unwrap_or(size * 0.5);
        self.aim = Some((from + Point::new(x, y)).within(size, 0.0));
    }

    pub(super) fn click_aim(&mut self) {
        if let Some(at) = self.aim {
            self.click(at);
        }
    }

    fn click(&mut self, at: Point) {
        if self.world.input(Input::Click { x: at.x, y: at.y }) {
            self.say(self.world.info().click);
        }
    }

    /// A click on a cell of the screen; outside the scene it means nothing.
    pub(super) fn click_cell(&mut self, column: u16, row: u16) {
        let inside = Panels::of(self.size, self.world.def().len()).scene_inside();
        let map = Map::new(inside, self.world.view().size);
        if let Some(at) = map.point(column, row) {
            self.click(at);
        }
    }
}
