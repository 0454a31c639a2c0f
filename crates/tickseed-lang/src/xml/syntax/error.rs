//! What can be wrong with XML syntax.

use super::Bytes;
use std::fmt;

/// A mistake in the syntax and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where.
    pub span: Bytes,
    /// A second place that explains the first, such as the start tag that was never closed.
    pub related: Option<Bytes>,
}

/// The kinds of mistakes in XML syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The input is larger than [`Limits::bytes`](super::Limits::bytes).
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// Elements are nested deeper than [`Limits::depth`](super::Limits::depth).
    TooDeep {
        /// The limit in levels.
        limit: usize,
    },
    /// There are more pieces than [`Limits::pieces`](super::Limits::pieces).
    TooManyPieces {
        /// The limit.
        limit: usize,
    },
    /// Too many mistakes: the rest is not reported.
    TooMany,
    /// A character that no XML text may contain.
    NulCharacter,
    /// `<` that starts no tag.
    StrayLess,
    /// A start tag that the end of the file cuts off.
    UnfinishedTag {
        /// The element's name.
        name: String,
    },
    /// An element without an end tag.
    Unclosed {
        /// The element's name.
        name: String,
    },
    /// An end tag that closes another element than the one open.
    Mismatched {
        /// The name of the open element.
        expected: String,
        /// The name in the end tag.
        found: String,
    },
    /// An end tag where no element is open.
    StrayClose {
        /// The name in the end tag.
        found: String,
    },
    /// An end tag with more in it than a name.
    BadEndTag,
    /// Something in a start tag that is no attribute.
    BadAttribute {
        /// What stands there.
        found: String,
    },
    /// An attribute name without `=`.
    MissingEquals {
        /// The attribute's name.
        name: String,
    },
    /// An attribute value without quotes.
    MissingQuote {
        /// The attribute's name.
        name: String,
        /// What stands there.
        found: String,
    },
    /// A comment between the attributes of a tag.
    CommentInTag,
    /// Space between `<` and a name.
    SpaceInTag,
    /// A mark that version control leaves where two changes meet.
    Conflict,
    /// An attribute value whose closing quote never comes.
    UnclosedValue {
        /// The attribute's name.
        name: String,
        /// The quote that opened it.
        quote: char,
    },
    /// The same attribute twice in one element.
    DuplicateAttribute {
        /// The attribute's name.
        name: String,
    },
    /// A comment, CDATA section, instruction or declaration that never ends.
    UnclosedPiece {
        /// What it starts with.
        start: &'static str,
        /// What should have ended it.
        end: &'static str,
    },
}

impl SyntaxErrorKind {
    /// Advice on how to put it right, where there is any.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::BadAttribute { found } if found.contains(['"', '\'']) => {
                Some("a quote is probably missing before it in this tag".into())
            }
            Self::MissingQuote { found, .. } if found.contains(['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '\u{ab}', '\u{bb}']) => {
                Some("these are quotes of a word processor: write straight ones".into())
            }
            Self::CommentInTag => Some("put it before or behind the tag".into()),
            Self::Conflict => Some(
                "keep one of the two sides, between `<<<<<<<` and `=======` or between that and `>>>>>>>`, and remove the marks".into(),
            ),
            Self::StrayLess => Some("in text, write `&lt;` for `<`".into()),
            Self::TooDeep { .. } => {
                Some("move a part into a tree of its own and use it with <SubTree>".into())
            }
            Self::MissingEquals { name } => Some(format!("write {name}=\"...\" or remove it")),
            _ => None,
        }
    }
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { limit } => {
                write!(f, "the file is larger than the limit of {limit} bytes")
            }
            Self::TooDeep { limit } => {
                // The limit people know counts tree nodes, without <root> and <BehaviorTree>.
                let nodes = limit.saturating_sub(2);
                write!(
                    f,
                    "Maximum XML nesting depth exceeded (limit: {nodes}): the XML is too deeply nested"
                )
            }
            Self::TooManyPieces { limit } => {
                write!(
                    f,
                    "the file has more elements and comments than the limit of {limit}"
                )
            }
            Self::TooMany => write!(f, "too many mistakes: the rest of the file is not read"),
            Self::NulCharacter => write!(f, "a NUL character: this does not look like a text file"),
            Self::StrayLess => write!(
                f,
                "`<` starts no tag here: expected a name, `/`, `!` or `?` after it"
            ),
            Self::UnfinishedTag { name } => {
                write!(f, "the tag <{name}> is not finished: expected `>` or `/>`")
            }
            Self::Unclosed { name } => write!(
                f,
                "the element <{name}> is never closed: expected </{name}>"
            ),
            Self::Mismatched { expected, found } => {
                write!(f, "expected </{expected}>, found </{found}>")
            }
            Self::StrayClose { found } => {
                write!(f, "</{found}> closes nothing: no element is open here")
            }
            Self::BadEndTag => write!(f, "expected `>` after the name of an end tag"),
            Self::BadAttribute { found } => {
                write!(f, "expected an attribute, `>` or `/>`, found `{found}`")
            }
            Self::MissingEquals { name } => write!(
                f,
                "the attribute {name} has no value: expected `{name}=\"...\"`"
            ),
            Self::MissingQuote { name, found } if found.is_empty() => write!(
                f,
                "expected a quote: the value of {name} must stand in \"...\" or '...'"
            ),
            Self::MissingQuote { name, found } => write!(
                f,
                "expected a quote, found `{found}`: the value of {name} must stand in \"...\" or '...'"
            ),
            Self::CommentInTag => write!(f, "a comment cannot stand inside a tag"),
            Self::SpaceInTag => write!(f, "the name of a tag must stand right behind `<`"),
            Self::Conflict => write!(f, "a conflict of version control is not settled here"),
            Self::UnclosedValue { name, quote } => {
                write!(f, "the value of {name} is never closed: expected `{quote}`")
            }
            Self::DuplicateAttribute { name } => write!(f, "the attribute {name} is given twice"),
            Self::UnclosedPiece { start, end } => {
                write!(f, "`{start}` is never closed: expected `{end}`")
            }
        }
    }
}
