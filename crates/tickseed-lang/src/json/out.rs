//! JSON output: short values on one line, long ones with one line per item.

use super::syntax::write_string;

/// Values up to this many characters stay on one line.
const LINE: usize = 96;

/// A JSON value to be written.
#[derive(Debug)]
pub(crate) struct Out {
    kind: Kind,
    /// Length on one line; anything above [`LINE`] counts as endless.
    width: usize,
}

#[derive(Debug)]
enum Kind {
    /// Already JSON.
    Raw(String),
    List(Vec<Out>),
    Object(Vec<(&'static str, Out)>),
}

impl Out {
    pub(crate) fn raw(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            width: text.len(),
            kind: Kind::Raw(text),
        }
    }

    pub(crate) fn string(text: &str) -> Self {
        let mut out = String::with_capacity(text.len() + 2);
        write_string(&mut out, text);
        Self::raw(out)
    }

    pub(crate) fn list(items: Vec<Out>) -> Self {
        let width = items
            .iter()
            .fold(0usize, |sum, item| sum.saturating_add(item.width + 2));
        Self {
            width,
            kind: Kind::List(items),
        }
    }

    pub(crate) fn object(fields: Vec<(&'static str, Out)>) -> Self {
        let width = fields.iter().fold(2usize, |sum, (key, value)| {
            sum.saturating_add(key.len() + 6)
                .saturating_add(value.width)
        });
        Self {
            width,
            kind: Kind::Object(fields),
        }
    }

    /// The text with line breaks, and one at the end.
    pub(crate) fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Some(0));
        out.push('\n');
        out
    }

    /// The text on one line.
    pub(crate) fn inline(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, None);
        out
    }

    fn write(&self, out: &mut String, indent: Option<usize>) {
        let indent = indent.filter(|indent| indent + self.width > LINE);
        match &self.kind {
            Kind::Raw(text) => out.push_str(text),
            Kind::List(items) => {
                write_items(out, '[', ']', "", indent, items, |out, item, inner| {
                    item.write(out, inner)
                });
            }
            Kind::Object(fields) => {
                write_items(
                    out,
                    '{',
                    '}',
                    " ",
                    indent,
                    fields,
                    |out, (key, value), inner| {
                        write_string(out, key);
                        out.push_str(": ");
                        value.write(out, inner);
                    },
                );
            }
        }
    }
}

fn write_items<T>(
    out: &mut String,
    open: char,
    close: char,
    space: &str,
    indent: Option<usize>,
    items: &[T],
    item: impl Fn(&mut String, &T, Option<usize>),
) {
    out.push(open);
    let inner = indent.map(|indent| indent + 2);
    for (i, value) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match inner {
            Some(inner) => line(out, inner),
            None => out.push_str(if i > 0 { " " } else { space }),
        }
        item(out, value, inner);
    }
    match indent {
        Some(indent) if !items.is_empty() => line(out, indent),
        _ if items.is_empty() => {}
        _ => out.push_str(space),
    }
    out.push(close);
}

fn line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}
