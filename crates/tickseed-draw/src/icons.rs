//! Glyphs as strokes, so that they look the same whatever fonts are installed.
//!
//! Icons are drawn around zero, about twelve wide.

use crate::tree::State;

/// One icon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Icon {
    /// A short word for it, usable in ids.
    pub name: &'static str,
    /// The data of an SVG path.
    pub path: &'static str,
    /// Whether it is filled rather than only stroked.
    pub filled: bool,
}

const fn line(name: &'static str, path: &'static str) -> Icon {
    Icon {
        name,
        path,
        filled: false,
    }
}

const fn full(name: &'static str, path: &'static str) -> Icon {
    Icon {
        name,
        path,
        filled: true,
    }
}

/// The glyphs of nodes that have an icon.
const KINDS: &[(&str, Icon)] = &[
    ("→", line("sequence", "M-5 0H5M1-4L5 0 1 4")),
    (
        "?",
        line(
            "selector",
            "M-3.2-2.2A3.2 3.2 0 1 1 1.6.4C.4 1.1 0 1.5 0 2.6M0 5.6V5.7",
        ),
    ),
    (
        "⇉",
        line(
            "parallel",
            "M-5-3H5M2.4-5.6L5-3 2.4-.4M-5 3H5M2.4.4L5 3 2.4 5.6",
        ),
    ),
    ("◇", line("ask", "M0-5.2L5.2 0 0 5.2-5.2 0Z")),
    ("●", full("act", "M1.2-5.6L-3.8.8H-.4L-1.2 5.6 3.8-.8H.4Z")),
    (
        "◷",
        line(
            "clock",
            "M5.4 0A5.4 5.4 0 1 1-5.4 0 5.4 5.4 0 1 1 5.4 0ZM0-2.8V0L2 1.4",
        ),
    ),
    ("=", line("constant", "M-4-2H4M-4 2H4")),
    (
        "⑂",
        line(
            "choice",
            "M0 5.2V1.8C0-1.4-4-.6-4-4.8M0 1.8C0-1.4 4-.6 4-4.8",
        ),
    ),
    ("▤", line("utility", "M-4.5-4H4.5M-4.5 0H1.8M-4.5 4H-1")),
    (
        "✱",
        line("custom", "M0-5V5M-4.3-2.5L4.3 2.5M-4.3 2.5L4.3-2.5"),
    ),
    (
        "↻",
        line("loop", "M4.4-2.4A5 5 0 1 0 5 .8M4.8-5.6V-2.2H1.4"),
    ),
    (
        "!",
        line(
            "invert",
            "M-2.6 4.8V-4.4M-5-2L-2.6-4.4-.2-2M2.6-4.8V4.4M.2 2L2.6 4.4 5 2",
        ),
    ),
    ("○", line("decorator", "M4 0A4 4 0 1 1-4 0 4 4 0 1 1 4 0Z")),
    (
        "▣",
        line(
            "tree",
            "M-1.6-5.4H1.6V-2.2H-1.6ZM-5.4 2.2H-2.2V5.4H-5.4ZM2.2 2.2H5.4V5.4H2.2ZM0-2.2V0M-3.8 2.2V0H3.8V2.2",
        ),
    ),
    (
        "✎",
        line("script", "M-4.8 4.8L-4 1.6 2.8-5.2 5.2-2.8-1.6 4Z"),
    ),
];

const SUCCESS: Icon = line("success", "M-3.6.2L-1.2 2.6 3.6-2.4");
const FAILURE: Icon = line("failure", "M-2.7-2.7L2.7 2.7M2.7-2.7L-2.7 2.7");
const RUNNING: Icon = full("running", "M-1.9-3L3 0-1.9 3Z");
const SKIPPED: Icon = line("skipped", "M-3.6 2.2C-3.2-2.2 1.6-3 3.4.6M3.8-2.4V1H.4");
const HALTED: Icon = full("halted", "M-2.2-2.2H2.2V2.2H-2.2Z");

/// The icon of a node's glyph, if it has one.
///
/// ```
/// assert_eq!(tickseed_draw::icon("→").unwrap().name, "sequence");
/// ```
#[must_use]
pub fn icon(glyph: &str) -> Option<Icon> {
    KINDS
        .iter()
        .find(|(g, _)| *g == glyph)
        .map(|(_, icon)| *icon)
}

/// The icon of a state; `None` when nothing is known.
#[must_use]
pub fn state_icon(state: State) -> Option<Icon> {
    Some(match state.word() {
        "success" => SUCCESS,
        "failure" => FAILURE,
        "running" => RUNNING,
        "skipped" => SKIPPED,
        "halted" => HALTED,
        _ => return None,
    })
}
