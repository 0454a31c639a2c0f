//! The formatter: writes a document as `.tick` text in its canonical form.
//!
//! Formatting keeps the meaning ([`Document::same_meaning`]), every comment, and single blank lines
//! between items; formatting twice changes nothing.

mod items;
mod names;
mod nodes;
mod values;

pub use nodes::details;

use crate::model::{Comment, Document, Trivia};

pub(crate) use names::kind as spell;

/// Lines longer than this are broken where there is a place for it.
const WIDTH: usize = 100;

/// A block with a single plain leaf stands on one line up to this length.
const INLINE_WIDTH: usize = 80;

/// The document as `.tick` text.
///
/// ```
/// use tickseed_lang::{fmt, model::FileId, tick};
/// let text = "tree A{selector reactive{Attack(target ,  power:2)\nPatrol}}";
/// let parsed = tick::parse_text(text, FileId(0));
/// assert_eq!(fmt::format(&parsed.document), "\
/// tree A {
///   selector reactive {
///     Attack(target, power: 2)
///     Patrol
///   }
/// }
/// ");
/// ```
pub fn format(document: &Document) -> String {
    let mut printer = Printer {
        out: String::new(),
        indent: 0,
    };
    printer.document(document);
    printer.out
}

struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.extend(std::iter::repeat_n("  ", self.indent));
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") && !self.out.ends_with("{\n") {
            self.out.push('\n');
        }
    }

    /// Blank line and comments above a thing.
    fn above(&mut self, trivia: &Trivia) {
        if trivia.blank_before {
            self.blank();
        }
        self.comments(&trivia.leading);
        // Only the first line of a comment can stay behind a thing.
        if let Some(comment) = &trivia.trailing {
            for line in comment.text.lines().skip(1) {
                self.line(&comment_line(line));
            }
        }
    }

    fn comments(&mut self, comments: &[Comment]) {
        for comment in comments {
            if comment.text.is_empty() {
                self.line("//");
            }
            for line in comment.text.lines() {
                self.line(&comment_line(line));
            }
            if comment.blank_after {
                self.blank();
            }
        }
    }

    fn doc(&mut self, doc: Option<&String>) {
        if let Some(doc) = doc {
            for line in doc.split('\n') {
                let text = format!("/// {}", line.trim_end());
                self.line(text.trim_end());
            }
        }
    }

    fn columns_left(&self, width: usize) -> usize {
        width.saturating_sub(self.indent * 2)
    }
}

fn comment_line(text: &str) -> String {
    // A slash or `!` directly behind the marks would make it documentation, a whole row of slashes
    // is a comment that stays as it is.
    let text = text.trim_end();
    match text {
        "" => "//".to_owned(),
        _ if text.starts_with("//") => format!("//{text}"),
        _ => format!("// {text}"),
    }
}

/// A comment behind a thing, with the space before it.
fn behind(trivia: &Trivia) -> String {
    match &trivia.trailing {
        Some(comment) => {
            format!(
                " {}",
                comment_line(comment.text.lines().next().unwrap_or_default())
            )
        }
        None => String::new(),
    }
}

/// The number of characters.
fn width(text: &str) -> usize {
    text.chars().count()
}
