//! The width of text, from a table: pictures come out the same wherever they are made, and no font
//! needs to be installed.
//!
//! The table holds the advance widths that Arial, Helvetica, Liberation Sans and Arimo share, in
//! thousandths of the font size, so use [`FONT`] to show the text.

use alloc::string::String;

/// The fonts for which text is measured, in CSS notation.
pub const FONT: &str = "Arial, Helvetica, 'Liberation Sans', Arimo, sans-serif";

/// A size and weight of [`FONT`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Font {
    /// The font size.
    pub size: f64,
    /// Whether it is bold rather than regular.
    pub bold: bool,
}

/// Space to `~`, regular.
const REGULAR: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Space to `~`, bold.
const BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

/// One character's width in thousandths of the font size. Beyond ASCII the width is that of the
/// widest common letters of a script: such text may get slightly more space than it needs.
fn advance(c: char, bold: bool) -> u16 {
    let table = if bold { &BOLD } else { &REGULAR };
    match c as u32 {
        at @ 0x20..=0x7e => table[at as usize - 0x20],
        // Control characters and combining marks.
        0..=0x1f | 0x7f..=0x9f | 0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        // The middle dot, which stands between kind and details.
        0xb7 => 333,
        0xa0..=0x24f if c.is_lowercase() => 611,
        0xa0..=0x24f => 778,
        // Greek, Cyrillic, Hebrew, Arabic and their like.
        0x250..=0x10ff => 780,
        // General punctuation: dashes, quotes, the ellipsis.
        0x2010..=0x206f => 1000,
        _ => 1000,
    }
}

/// The width of text in a font, in the unit of the font's size.
///
/// ```
/// use tickseed_draw::{Font, text_width};
/// let font = Font { size: 10.0, bold: false };
/// assert_eq!(text_width("tick", font), 2.78 + 2.22 + 5.0 + 5.0);
/// ```
#[must_use]
pub fn text_width(text: &str, font: Font) -> f64 {
    let sum: u64 = text.chars().map(|c| u64::from(advance(c, font.bold))).sum();
    sum as f64 * font.size / 1000.0
}

/// The text with control characters, including line breaks, replaced by spaces, shortened with an
/// ellipsis if it is wider than `most`.
#[must_use]
pub fn shorten(text: &str, font: Font, most: f64) -> String {
    let clean: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text_width(&clean, font) <= most {
        return clean;
    }
    let mut room = most - text_width("…", font);
    let mut kept = String::new();
    for c in clean.chars() {
        room -= f64::from(advance(c, font.bold)) * font.size / 1000.0;
        if room < 0.0 {
            break;
        }
        kept.push(c);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_text_fits() {
        let font = Font {
            size: 13.0,
            bold: true,
        };
        for text in [
            "",
            "a",
            "battery low",
            "WWWWWWWWWWWWWWWWWWW",
            "日本語の長い名前です",
            "a\nb\tc d e f g h i j",
        ] {
            for most in [20.0, 60.0, 100.0] {
                let short = shorten(text, font, most);
                assert!(text_width(&short, font) <= most, "{short:?}");
                assert!(!short.contains(['\n', '\t']));
            }
        }
        assert_eq!(shorten("battery low", font, 1000.0), "battery low");
        assert_eq!(shorten("battery low", font, 62.0), "battery…");
    }
}
