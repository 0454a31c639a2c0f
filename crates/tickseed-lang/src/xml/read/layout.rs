//! Comments and blank lines: which belongs to what.

use super::Reader;
use crate::model::{Comment, Trivia};
use crate::xml::syntax::{Element, Kind, Pieces};

/// What stands inside an element.
pub(super) struct Layout<'a, 's> {
    pub(super) elements: Vec<(Element<'a, 's>, Trivia)>,
    /// Comments behind the last element.
    pub(super) rest: Vec<Comment>,
}

impl Reader {
    /// Gives each comment to the element behind it, or to the one before it on the same line.
    /// `from` is where the pieces' surroundings begin.
    pub(super) fn layout<'a, 's>(
        &mut self,
        source: &str,
        pieces: Pieces<'a, 's>,
        from: u32,
    ) -> Layout<'a, 's> {
        let lines = |from: u32, to: u32| {
            source[from as usize..to as usize]
                .bytes()
                .filter(|&b| b == b'\n')
                .count()
        };
        let mut layout = Layout {
            elements: Vec::new(),
            rest: Vec::new(),
        };
        let mut pending: Vec<Comment> = Vec::new();
        let mut blank_before = false;
        let mut end = from;
        let mut previous_is_element = false;
        for piece in pieces {
            let span = piece.span();
            let gap = lines(end, span.start);
            if pending.is_empty() {
                blank_before = gap > 1;
            } else if gap > 1
                && let Some(comment) = pending.last_mut()
            {
                comment.blank_after = true;
            }
            match piece.kind() {
                Kind::Element => {
                    let trivia = Trivia {
                        blank_before,
                        leading: std::mem::take(&mut pending),
                        trailing: None,
                    };
                    layout
                        .elements
                        .extend(piece.element().map(|element| (element, trivia)));
                }
                Kind::Comment => {
                    let text = piece.inner().trim().replace("\r\n", "\n");
                    let comment = Comment {
                        text,
                        blank_after: false,
                        span: self.span(span.clone()),
                    };
                    match layout.elements.last_mut() {
                        Some((_, trivia)) if previous_is_element && gap == 0 => {
                            trivia.trailing = Some(comment)
                        }
                        _ => pending.push(comment),
                    }
                }
                Kind::Text | Kind::CData => self.stray_text(piece),
                Kind::Instruction | Kind::Doctype => {}
            }
            previous_is_element = piece.kind() == Kind::Element;
            end = span.end;
        }
        layout.rest = pending;
        layout
    }
}
