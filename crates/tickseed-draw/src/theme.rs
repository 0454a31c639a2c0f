//! Colours, and the style sheet of an SVG.
//!
//! Rules hold plain colours rather than variables: programs other than browsers do not know
//! variables.

use alloc::string::String;
use core::fmt::Write;

use crate::text::FONT;
use crate::tree::Shape;

/// Which colours a picture has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Theme {
    /// What the viewer prefers: dark or light.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The colours of one theme, in CSS notation. Text has a contrast of at least 4.5 on any ground on
/// which it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Palette {
    /// The background.
    pub paper: &'static str,
    /// A card's ground.
    pub card: &'static str,
    /// A card's outline.
    pub line: &'static str,
    /// Edges.
    pub wire: &'static str,
    /// Edges to nodes that were ticked.
    pub ticked: &'static str,
    /// Titles.
    pub text: &'static str,
    /// Subtitles and other secondary text.
    pub muted: &'static str,
    /// For each of [`Shape::ALL`], the colour of a glyph and of the ground behind it.
    pub shapes: [(&'static str, &'static str); 5],
    /// Success, failure, running, skipped, halted: see [`STATES`].
    pub states: [&'static str; 5],
    /// Glyphs on a state's colour.
    pub on_state: &'static str,
}

/// The words of the states in the order of a palette's colours.
pub const STATES: [&str; 5] = ["success", "failure", "running", "skipped", "halted"];

/// Dark on light.
pub const LIGHT: Palette = Palette {
    paper: "#f6f7f9",
    card: "#ffffff",
    line: "#cdd3dc",
    wire: "#b6bfcb",
    ticked: "#6f7b8b",
    text: "#1b2330",
    muted: "#5a6575",
    shapes: [
        ("#ffffff", "#4c57c4"),
        ("#7d3fb3", "#f1e7fa"),
        ("#8a5a00", "#fbefcf"),
        ("#0d6a76", "#dcf1f3"),
        ("#4a5462", "#e6e9ee"),
    ],
    states: ["#1a7f37", "#c8202c", "#0b62c4", "#7a6496", "#b04a00"],
    on_state: "#ffffff",
};

/// Light on dark.
pub const DARK: Palette = Palette {
    paper: "#12151b",
    card: "#1c212a",
    line: "#3a4351",
    wire: "#4a5463",
    ticked: "#8f9bad",
    text: "#e8ecf2",
    muted: "#9ea9b9",
    shapes: [
        ("#10131c", "#98a4ff"),
        ("#d3acf7", "#38294a"),
        ("#f2c768", "#3a3017"),
        ("#74d6e1", "#16363b"),
        ("#b3bdca", "#2d343f"),
    ],
    states: ["#3fb950", "#ff6a63", "#58a6ff", "#b49bd9", "#f0883e"],
    on_state: "#0d1016",
};

/// The style sheet of a picture.
pub(crate) fn style(theme: Theme) -> String {
    let mut css = String::new();
    let _ = write!(
        css,
        "text{{font-family:{FONT}}}\
         .t{{font-size:13px;font-weight:bold}}\
         .s{{font-size:11px}}\
         .n{{font-size:10px;font-weight:bold;text-anchor:middle}}\
         .g{{font-size:12px;font-weight:bold;text-anchor:middle}}\
         .wire{{fill:none;stroke-width:1.5}}\
         .wire.ticked{{stroke-width:2}}\
         .wire.running{{stroke-width:2.5}}\
         .card{{stroke-width:1}}\
         .now .card{{stroke-width:1.75}}\
         .icon,.mark{{fill:none;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}}\
         .earlier .badge{{opacity:.5}}\
         .off{{opacity:.55}}\
         .off .card,.wire.off{{stroke-dasharray:4 3}}\
         .off .t{{text-decoration:line-through}}"
    );
    match theme {
        Theme::Light => colours(&mut css, &LIGHT),
        Theme::Dark => colours(&mut css, &DARK),
        Theme::Auto => {
            colours(&mut css, &LIGHT);
            css.push_str("@media (prefers-color-scheme:dark){");
            colours(&mut css, &DARK);
            css.push('}');
        }
    }
    css
}

fn colours(css: &mut String, p: &Palette) {
    let _ = write!(
        css,
        ".paper{{fill:{paper}}}\
         .card{{fill:{card};stroke:{line}}}\
         .t{{fill:{text}}}\
         .s,.n,.idle .t{{fill:{muted}}}\
         .wire{{stroke:{wire}}}\
         .wire.ticked{{stroke:{ticked}}}\
         .pin{{fill:{paper};stroke:{wire}}}\
         .ring{{stroke:{paper}}}\
         .on{{fill:none;stroke:{on}}}\
         .solid{{fill:{on};stroke:{on}}}\
         .more{{fill:{muted}}}\
         .more+text{{fill:{paper}}}",
        paper = p.paper,
        card = p.card,
        line = p.line,
        text = p.text,
        muted = p.muted,
        wire = p.wire,
        ticked = p.ticked,
        on = p.on_state,
    );
    for (shape, (ink, ground)) in Shape::ALL.iter().zip(p.shapes) {
        let w = shape.word();
        let _ = write!(
            css,
            ".{w} .icon{{stroke:{ink}}}.{w} .full,.{w} .g{{fill:{ink}}}.{w} .chip{{fill:{ground}}}"
        );
    }
    for (word, colour) in STATES.iter().zip(p.states) {
        let _ = write!(
            css,
            ".{word} .ring{{fill:{colour}}}.now.{word} .card{{stroke:{colour}}}"
        );
    }
    let _ = write!(css, ".wire.running{{stroke:{}}}", p.states[2]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of `#rrggbb`.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let c = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if c <= 0.03928 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn all_text_and_glyphs_are_readable() {
        for p in [LIGHT, DARK] {
            for ink in [p.text, p.muted] {
                for ground in [p.paper, p.card] {
                    assert!(contrast(ink, ground) >= 4.5, "{ink} on {ground}");
                }
            }
            for (ink, ground) in p.shapes {
                assert!(contrast(ink, ground) >= 4.5, "{ink} on {ground}");
            }
            for ground in p.states {
                assert!(
                    contrast(p.on_state, ground) >= 4.5,
                    "{} on {ground}",
                    p.on_state
                );
                assert!(contrast(ground, p.card) >= 3.0, "{ground} on {}", p.card);
            }
        }
    }
}
