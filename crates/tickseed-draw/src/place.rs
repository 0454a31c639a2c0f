//! Places nodes: an ordered tidy tree of nodes of any size, in linear time.
//!
//! It works in two axes: *along* (away from the root: down, or to the right) and *across* (in which
//! siblings are placed side by side). Subtrees are put next to each other, first to last, as close
//! as their outlines allow. An outline is a chain of segments from the root outward, each with its
//! end along and its position across relative to the previous segment, so that whole outlines move
//! and join in constant time. Comparing two outlines takes as many steps as it hides segments for
//! good, hence linear time overall.
//!
//! When a subtree is kept away by one that is not its neighbour, those in between are spread over
//! the space. That never brings two subtrees closer, since each moves at least as far as those
//! before it; and what moves is hidden from both outlines, since the subtrees around it reach
//! deeper.

use alloc::vec;
use alloc::vec::Vec;

/// The size of a node. The unit is the caller's.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// Where a node's upper left corner goes; nothing is left of or above zero.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Point {
    /// Rightwards.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Which way a tree grows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Direction {
    /// The root on top, children from left to right.
    #[default]
    Down,
    /// The root on the left, children from top to bottom.
    Right,
}

/// Where children begin along the way the tree grows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Align {
    /// All nodes of the same depth begin on one line.
    #[default]
    Levels,
    /// Children begin right after their parent, which is smaller where sizes differ much.
    Compact,
}

/// How a tree is placed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spacing {
    /// Which way it grows.
    pub direction: Direction,
    /// Where children begin.
    pub align: Align,
    /// The minimum distance between siblings.
    pub siblings: f64,
    /// The minimum distance between neighbours with different parents.
    pub cousins: f64,
    /// The distance between a parent and its children.
    pub levels: f64,
}

impl Default for Spacing {
    fn default() -> Spacing {
        Spacing {
            direction: Direction::Down,
            align: Align::Levels,
            siblings: 16.0,
            cousins: 28.0,
            levels: 48.0,
        }
    }
}

const NONE: u32 = u32::MAX;

/// A piece of an outline, from the end of the previous piece to `end`.
#[derive(Clone, Copy)]
struct Segment {
    end: f64,
    next: u32,
    /// From its position across to that of the next.
    step: f64,
}

/// One side of a subtree, or of several side by side.
#[derive(Clone, Copy)]
struct Outline {
    head: u32,
    head_at: f64,
    tail: u32,
    tail_at: f64,
}

impl Outline {
    fn moved(self, by: f64) -> Outline {
        Outline {
            head_at: self.head_at + by,
            tail_at: self.tail_at + by,
            ..self
        }
    }
}

/// A subtree, or several side by side.
#[derive(Clone, Copy)]
struct Block {
    near: Outline,
    far: Outline,
    /// Where it ends along.
    end: f64,
}

/// Places the nodes of a tree: `parents[i]` and `sizes[i]` are those of node `i`. The root is node
/// 0; a node comes after its parent and its earlier siblings.
///
/// Guaranteed, and tested on random trees: no two nodes overlap, siblings keep their order, a
/// parent's middle is the middle between its first and its last child's. Takes linear time and
/// does not recurse, so depth does not matter.
///
/// ```
/// use tickseed_draw::{Size, Spacing, place};
/// let size = Size { width: 40.0, height: 20.0 };
/// let at = place(&[None, Some(0), Some(0)], &[size; 3], &Spacing::default());
/// assert_eq!((at[1].x, at[2].x), (0.0, 56.0));
/// assert_eq!((at[0].x, at[0].y), (28.0, 0.0));
/// ```
///
/// # Panics
/// If the slices differ in length, or a node does not come after its parent.
#[must_use]
pub fn place(parents: &[Option<u32>], sizes: &[Size], spacing: &Spacing) -> Vec<Point> {
    assert_eq!(parents.len(), sizes.len(), "one size for each node");
    let n = parents.len();
    if n == 0 {
        return Vec::new();
    }
    let across_of = |i: usize| match spacing.direction {
        Direction::Down => sizes[i].width,
        Direction::Right => sizes[i].height,
    };
    let along_of = |i: usize| match spacing.direction {
        Direction::Down => sizes[i].height,
        Direction::Right => sizes[i].width,
    };
    let (starts, ends) = along(parents, along_of, spacing);

    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (i, parent) in parents.iter().enumerate() {
        if let Some(p) = *parent {
            children[p as usize].push(i as u32);
        }
    }
    // Segments 2i and 2i + 1 are the near and the far side of node i.
    let mut packer = Packer {
        segments: vec![
            Segment {
                end: 0.0,
                next: NONE,
                step: 0.0,
            };
            2 * n
        ],
        spacing,
        reach: Vec::new(),
        ramps: Vec::new(),
    };
    let mut blocks: Vec<Option<Block>> = vec![None; n];
    // The middle of each node relative to its parent's; the block's origin is its root's middle.
    let mut middle = vec![0.0; n];
    for i in (0..n).rev() {
        let below = packer.pack(&children[i], &mut blocks, &mut middle);
        blocks[i] = Some(packer.cap(i as u32, across_of(i), ends[i], below));
    }
    // From relative to absolute, then shifted so that everything begins at zero.
    for i in 1..n {
        if let Some(p) = parents[i] {
            middle[i] += middle[p as usize];
        }
    }
    let least = (0..n)
        .map(|i| middle[i] - across_of(i) / 2.0)
        .fold(f64::INFINITY, f64::min);
    (0..n)
        .map(|i| {
            let across = middle[i] - across_of(i) / 2.0 - least;
            match spacing.direction {
                Direction::Down => Point {
                    x: across,
                    y: starts[i],
                },
                Direction::Right => Point {
                    x: starts[i],
                    y: across,
                },
            }
        })
        .collect()
}

/// Where each node begins along, and where its share of the room ends: halfway between it and
/// its children, since the edges' cross lines, as wide as the children, lie just behind that.
fn along(
    parents: &[Option<u32>],
    size: impl Fn(usize) -> f64,
    spacing: &Spacing,
) -> (Vec<f64>, Vec<f64>) {
    let n = parents.len();
    let half = spacing.levels / 2.0;
    let mut depth = vec![0_usize; n];
    let mut level = Vec::new();
    for i in 0..n {
        if let Some(p) = parents[i] {
            assert!((p as usize) < i, "node {i} does not come behind its parent");
            depth[i] = depth[p as usize] + 1;
        } else {
            assert!(i == 0, "node {i} is a second root");
        }
        if level.len() <= depth[i] {
            level.push(0.0_f64);
        }
        level[depth[i]] = level[depth[i]].max(size(i));
    }
    let mut at = 0.0;
    let level: Vec<(f64, f64)> = level
        .iter()
        .map(|size| {
            let start = at;
            at += size + spacing.levels;
            (start, start + size + half)
        })
        .collect();
    let mut starts = vec![0.0; n];
    let mut ends = vec![0.0; n];
    for i in 0..n {
        (starts[i], ends[i]) = match (spacing.align, parents[i]) {
            (Align::Levels, _) => level[depth[i]],
            (Align::Compact, None) => (0.0, size(i) + half),
            (Align::Compact, Some(p)) => {
                let start = ends[p as usize] + half;
                (start, start + size(i) + half)
            }
        };
    }
    (starts, ends)
}

struct Packer<'a> {
    segments: Vec<Segment>,
    spacing: &'a Spacing,
    /// The siblings visible on the far outline of what is packed so far, with their ends along; the
    /// latest (and shortest) on top.
    reach: Vec<(f64, usize)>,
    /// Changes of the spread from sibling to sibling, and of its slope.
    ramps: Vec<(f64, f64)>,
}

impl Packer<'_> {
    /// Puts siblings side by side; their middles become relative to their parent's.
    fn pack(
        &mut self,
        children: &[u32],
        blocks: &mut [Option<Block>],
        middle: &mut [f64],
    ) -> Option<Block> {
        let mut all: Option<Block> = None;
        self.reach.clear();
        self.ramps.clear();
        self.ramps.resize(children.len(), (0.0, 0.0));
        for (k, &child) in children.iter().enumerate() {
            let Some(block) = blocks[child as usize].take() else {
                continue;
            };
            all = Some(match all {
                None => block,
                Some(before) => {
                    let (at, joined) = self.join(&before, &block, k);
                    middle[child as usize] = at;
                    joined
                }
            });
            while self.reach.last().is_some_and(|&(end, _)| end <= block.end) {
                self.reach.pop();
            }
            self.reach.push((block.end, k));
        }
        let (mut slope, mut spread) = (0.0, 0.0);
        for (&child, ramp) in children.iter().zip(&self.ramps) {
            slope += ramp.1;
            spread += slope + ramp.0;
            middle[child as usize] += spread;
        }
        // Their common middle becomes the origin.
        let (first, last) = (*children.first()?, *children.last()?);
        let centre = (middle[first as usize] + middle[last as usize]) / 2.0;
        for &child in children {
            middle[child as usize] -= centre;
        }
        all.map(|b| Block {
            near: b.near.moved(-centre),
            far: b.far.moved(-centre),
            ..b
        })
    }

    /// Puts the `k`-th sibling after the previous ones; returns how far it moves, and the combined
    /// block.
    fn join(&mut self, before: &Block, block: &Block, k: usize) -> (f64, Block) {
        let (mut a, mut a_at) = (before.far.head, before.far.head_at);
        let (mut b, mut b_at) = (block.near.head, block.near.head_at);
        let mut owner = self.reach.len();
        let mut moved = a_at + self.spacing.siblings - b_at;
        let mut gap = self.spacing.siblings;
        loop {
            let (sa, sb) = (self.segments[a as usize], self.segments[b as usize]);
            // The owner of this segment: the latest sibling that reaches its end.
            while owner > 1 && self.reach[owner - 1].0 < sa.end {
                owner -= 1;
            }
            let short = a_at + gap - (b_at + moved);
            if short > 0.0 {
                moved += short;
                self.spread(self.reach[owner - 1].1, k, short);
            }
            gap = self.spacing.cousins;
            let (a_ends, b_ends) = (sa.end <= sb.end, sb.end <= sa.end);
            // The outlines of the longer one continue after the end of the shorter.
            let mut next = (a, a_at, b, b_at);
            if a_ends {
                (next.0, next.1) = (sa.next, a_at + sa.step);
            }
            if b_ends {
                (next.2, next.3) = (sb.next, b_at + sb.step);
            }
            if next.0 == NONE || next.2 == NONE {
                (a, a_at, b, b_at) = next;
                break;
            }
            (a, a_at, b, b_at) = next;
        }
        let mut joined = Block {
            near: before.near,
            far: block.far.moved(moved),
            end: before.end.max(block.end),
        };
        if a != NONE {
            self.link(&mut joined.far, a, a_at, before.far);
        } else if b != NONE {
            self.link(&mut joined.near, b, b_at + moved, block.near.moved(moved));
        }
        (moved, joined)
    }

    /// Continues an outline with the rest of another.
    fn link(&mut self, short: &mut Outline, next: u32, at: f64, long: Outline) {
        let tail = &mut self.segments[short.tail as usize];
        tail.next = next;
        tail.step = at - short.tail_at;
        (short.tail, short.tail_at) = (long.tail, long.tail_at);
    }

    /// Spreads the siblings between `from` and `to` over a space of this width.
    fn spread(&mut self, from: usize, to: usize, room: f64) {
        let parts = (to - from) as f64;
        if parts > 1.0 {
            let part = room / parts;
            self.ramps[from + 1].1 += part;
            self.ramps[to].1 -= part;
            self.ramps[to].0 -= room - part;
        }
    }

    /// Puts a node above its packed children.
    fn cap(&mut self, node: u32, across: f64, end: f64, below: Option<Block>) -> Block {
        let mut side = |segment: u32, at: f64, below: Option<Outline>| {
            self.segments[segment as usize] = Segment {
                end,
                next: below.map_or(NONE, |o| o.head),
                step: below.map_or(0.0, |o| o.head_at - at),
            };
            Outline {
                head: segment,
                head_at: at,
                tail: below.map_or(segment, |o| o.tail),
                tail_at: below.map_or(at, |o| o.tail_at),
            }
        };
        Block {
            near: side(2 * node, -across / 2.0, below.map(|b| b.near)),
            far: side(2 * node + 1, across / 2.0, below.map(|b| b.far)),
            end: below.map_or(end, |b| b.end),
        }
    }
}
