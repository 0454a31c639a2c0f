//! Saves an edited document, keeping the bytes of everything that did not change.
//!
//! The file as read and the document to be saved are both written anew. The difference between the
//! two fresh texts is the edit, which is applied to the source, element by element. So nothing here
//! knows the document model, and whatever cannot be applied is taken from the fresh text. The
//! result is read once more: if it does not mean what it should, the fresh text is used instead.

use super::syntax::{Element, Kind, Limits, Pieces, Syntax, encode_attribute};
use super::{Options, read, write};
use crate::model::Document;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

pub(super) fn update(source: &str, document: &Document) -> String {
    let (original, _) = read(source, document.file, &Options::default());
    let (before, after) = (write(&original), write(document));
    if before == after {
        return source.to_owned();
    }
    let limits = Limits::default();
    let [before, new, old] = [&before, &after, source].map(|text| Syntax::parse(text, limits));
    if !old.errors().is_empty() || !before.errors().is_empty() || !new.errors().is_empty() {
        return after;
    }
    let (Some(b), Some(n), Some(s)) = (before.root(), new.root(), old.root()) else {
        return after;
    };
    let mut merge = Merge {
        before: before.source(),
        new: new.source(),
        source,
        hashes: HashMap::new(),
        out: String::new(),
    };
    merge.hash(Side::Before, b);
    merge.hash(Side::New, n);
    merge.document([b, n, s]);
    let merged = merge.out;
    let said = write(&read(&merged, document.file, &Options::default()).0);
    if said == after { merged } else { after }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Before,
    New,
}

struct Merge<'t> {
    before: &'t str,
    new: &'t str,
    source: &'t str,
    /// What an element says, by side and place.
    hashes: HashMap<(Side, u32), u64>,
    out: String,
}

/// A child element with what surrounds it: everything since the child before it.
struct Slot<'a, 't> {
    element: Element<'a, 't>,
    /// Start of the space and comments before it.
    start: usize,
    /// End of it with a comment on its line.
    end: usize,
    /// The comments before and behind it, and whether a blank line stands before.
    before: Vec<&'t str>,
    blank: bool,
    behind: Option<&'t str>,
}

impl<'t> Slot<'_, 't> {
    fn same_surroundings(&self, other: &Slot<'_, 't>) -> (bool, bool) {
        (
            self.before == other.before && self.blank == other.blank,
            self.behind == other.behind,
        )
    }

    fn element_range(&self) -> std::ops::Range<usize> {
        range(self.element.span())
    }
}

/// The children of an element; the last entry is what stands behind the last child.
struct Content<'a, 't> {
    slots: Vec<Slot<'a, 't>>,
    tail_start: usize,
    tail: Vec<&'t str>,
}

fn range(bytes: std::ops::Range<u32>) -> std::ops::Range<usize> {
    bytes.start as usize..bytes.end as usize
}

fn content<'a, 't>(text: &'t str, pieces: Pieces<'a, 't>, from: usize) -> Content<'a, 't> {
    let mut content = Content {
        slots: Vec::new(),
        tail_start: from,
        tail: Vec::new(),
    };
    let mut blank = false;
    let mut end = from;
    for piece in pieces {
        let span = range(piece.span());
        let lines = text[end..span.start].matches('\n').count();
        if content.tail.is_empty() && end == content.tail_start {
            blank = lines > 1;
        }
        match piece.kind() {
            Kind::Comment => {
                let comment = piece.inner().trim();
                match content.slots.last_mut() {
                    Some(slot) if lines == 0 && end == range(slot.element.span()).end => {
                        slot.behind = Some(comment);
                        slot.end = span.end;
                        content.tail_start = span.end;
                    }
                    _ => content.tail.push(comment),
                }
            }
            Kind::Element => {
                if let Some(element) = piece.element() {
                    let before = std::mem::take(&mut content.tail);
                    let start = content.tail_start;
                    content.slots.push(Slot {
                        element,
                        start,
                        end: span.end,
                        before,
                        blank,
                        behind: None,
                    });
                    content.tail_start = span.end;
                }
            }
            Kind::Text | Kind::CData | Kind::Instruction | Kind::Doctype => {}
        }
        end = span.end;
    }
    content
}

fn children<'a, 't>(text: &'t str, element: Element<'a, 't>) -> Content<'a, 't> {
    content(text, element.pieces(), element.open_span().end as usize)
}

impl<'t> Merge<'t> {
    fn text(&self, side: Side) -> &'t str {
        match side {
            Side::Before => self.before,
            Side::New => self.new,
        }
    }

    /// Notes what an element says, comments and blank lines included.
    fn hash(&mut self, side: Side, element: Element<'_, 't>) -> u64 {
        let mut hasher = DefaultHasher::new();
        element.name().hash(&mut hasher);
        for attribute in element.attributes() {
            (attribute.name, attribute.raw).hash(&mut hasher);
        }
        let content = children(self.text(side), element);
        for slot in &content.slots {
            (&slot.before, slot.blank, slot.behind).hash(&mut hasher);
            self.hash(side, slot.element).hash(&mut hasher);
        }
        content.tail.hash(&mut hasher);
        if content.slots.is_empty() {
            element.characters().hash(&mut hasher);
        }
        let hash = hasher.finish();
        self.hashes.insert((side, element.span().start), hash);
        hash
    }

    fn said(&self, side: Side, element: Element<'_, '_>) -> u64 {
        self.hashes
            .get(&(side, element.span().start))
            .copied()
            .unwrap_or(0)
    }

    fn document(&mut self, [b, n, s]: [Element<'_, 't>; 3]) {
        let (old, new, source) = (range(b.span()), range(n.span()), range(s.span()));
        let kept = self.before[..old.start] == self.new[..new.start];
        self.out += if kept {
            &self.source[..source.start]
        } else {
            &self.new[..new.start]
        };
        self.element([b, n, s]);
        let kept = self.before[old.end..] == self.new[new.end..];
        self.out += if kept {
            &self.source[source.end..]
        } else {
            &self.new[new.end..]
        };
    }

    /// Writes the element of the source, changed as `n` differs from `b`.
    fn element(&mut self, [b, n, s]: [Element<'_, 't>; 3]) {
        if self.said(Side::Before, b) == self.said(Side::New, n) {
            self.out += &self.source[range(s.span())];
            return;
        }
        let [before, new, source] = [
            children(self.before, b),
            children(self.new, n),
            children(self.source, s),
        ];
        let Some(places) = pair_with_source(&before, &source) else {
            let depth = indentation(self.source, s.span().start as usize);
            self.fresh(range(n.span()), depth);
            return;
        };
        self.start_tag([b, n, s]);
        let has_content =
            !new.slots.is_empty() || !new.tail.is_empty() || !n.characters().trim().is_empty();
        match s.content_span() {
            None if !has_content => {
                self.out += "/>";
                return;
            }
            _ => self.out.push('>'),
        }
        if new.slots.is_empty() && before.slots.is_empty() && (n.characters() != b.characters()) {
            self.out += n
                .content_span()
                .map_or("", |content| &self.new[range(content)]);
        } else {
            self.content(&before, &new, &source, &places, s);
        }
        match s.content_span() {
            Some(content) => self.out += &self.source[content.end as usize..s.span().end as usize],
            None => self.out += &format!("</{}>", s.name()),
        }
    }

    fn content(
        &mut self,
        before: &Content<'_, 't>,
        new: &Content<'_, 't>,
        source: &Content<'_, 't>,
        places: &[usize],
        s: Element<'_, 't>,
    ) {
        let own = indentation(self.source, s.span().start as usize);
        let inner = match source.slots.first() {
            Some(slot) => indentation(self.source, slot.element_range().start),
            None => own.clone() + "  ",
        };
        let pairs = self.align(&before.slots, &new.slots);
        for (j, (slot, pair)) in new.slots.iter().zip(pairs).enumerate() {
            let Some(i) = pair else {
                self.surroundings(&self.new[slot.start..slot.element_range().start], &inner);
                self.fresh(slot.element_range(), inner.clone());
                self.out += &self.new[slot.element_range().end..slot.end];
                continue;
            };
            let kept = &source.slots[places[i]];
            let (same_before, same_behind) = before.slots[i].same_surroundings(slot);
            if same_before {
                // Elements of the source that the document does not know stand before their
                // successor and stay there.
                let start = match i.checked_sub(1) {
                    Some(previous) => source.slots[places[previous]].end,
                    None => source.slots[0].start,
                };
                let before = &self.source[start..kept.element_range().start];
                let same_line = before.split('\n').next().unwrap_or(before);
                if (i, j) != (0, 0) && !same_line.trim().is_empty() {
                    // A comment on the line of what stood before it would now belong to another.
                    self.out += &format!("\n{inner}{}", before.trim_start());
                } else {
                    self.out += before;
                }
            } else {
                self.surroundings(&self.new[slot.start..slot.element_range().start], &inner);
            }
            self.element([before.slots[i].element, slot.element, kept.element]);
            self.out += if same_behind {
                &self.source[kept.element_range().end..kept.end]
            } else {
                &self.new[slot.element_range().end..slot.end]
            };
        }
        let source_end = s.content_span().map(|content| content.end as usize);
        match source_end {
            Some(end)
                if before.tail == new.tail
                    && (!source.slots.is_empty() || !source.tail.is_empty()) =>
            {
                // As above: unknown elements at the end stay.
                let start = places
                    .last()
                    .map_or(source.tail_start, |&last| source.slots[last].end);
                self.out += &self.source[start..end];
            }
            _ => {
                for comment in &new.tail {
                    self.out += &format!("\n{inner}<!-- {comment} -->");
                }
                self.out.push('\n');
                self.out += &own;
            }
        }
    }

    /// For each new child the old one it is or comes from.
    fn align(&self, before: &[Slot<'_, 't>], new: &[Slot<'_, 't>]) -> Vec<Option<usize>> {
        let old_hashes: Vec<u64> = before
            .iter()
            .map(|slot| self.said(Side::Before, slot.element))
            .collect();
        let new_hashes: Vec<u64> = new
            .iter()
            .map(|slot| self.said(Side::New, slot.element))
            .collect();
        let mut pairs = common(&old_hashes, &new_hashes);
        // What is left may have been moved.
        let mut used: Vec<bool> = vec![false; before.len()];
        pairs.iter().flatten().for_each(|&i| used[i] = true);
        let mut moved: HashMap<u64, Vec<usize>> = HashMap::new();
        for i in (0..before.len()).rev().filter(|&i| !used[i]) {
            moved.entry(old_hashes[i]).or_default().push(i);
        }
        for (pair, hash) in pairs
            .iter_mut()
            .zip(&new_hashes)
            .filter(|(pair, _)| pair.is_none())
        {
            *pair = moved.get_mut(hash).and_then(Vec::pop);
            pair.iter().for_each(|&i| used[i] = true);
        }
        // And what is new may be an edited one: the next of the same tag that is not used.
        let mut unused: HashMap<&str, Vec<usize>> = HashMap::new();
        for i in (0..before.len()).rev().filter(|&i| !used[i]) {
            unused.entry(before[i].element.name()).or_default().push(i);
        }
        for (pair, slot) in pairs.iter_mut().zip(new).filter(|(pair, _)| pair.is_none()) {
            *pair = unused.get_mut(slot.element.name()).and_then(Vec::pop);
        }
        pairs
    }

    /// Space and comments before a child, from the fresh text, at the source's indentation.
    fn surroundings(&mut self, fresh: &str, inner: &str) {
        let lines: Vec<&str> = fresh.split('\n').map(str::trim).collect();
        for (i, line) in lines.iter().enumerate() {
            if i > 0 {
                self.out.push('\n');
            }
            if !line.is_empty() || i + 1 == lines.len() {
                self.out += inner;
            }
            self.out += line;
        }
    }

    /// An element from the fresh text, at the source's indentation.
    fn fresh(&mut self, at: std::ops::Range<usize>, indent: String) {
        let own = indentation(self.new, at.start);
        for (i, line) in self.new[at].split('\n').enumerate() {
            if i > 0 {
                self.out.push('\n');
                self.out += &indent;
            }
            self.out += if i > 0 {
                line.strip_prefix(own.as_str()).unwrap_or(line)
            } else {
                line
            };
        }
    }

    /// The start tag without its `>` or `/>`.
    fn start_tag(&mut self, [b, n, s]: [Element<'_, 't>; 3]) {
        let value = |element: Element<'_, 't>, name: &str| element.attribute(name);
        let names = |element: Element<'_, 't>| {
            let mut names: Vec<_> = element.attributes().map(|a| a.name).collect();
            names.sort_unstable();
            names
        };
        let mut at = s.span().start as usize;
        let tag_end = s.name_span().end as usize;
        let same = b
            .attributes()
            .map(|a| (a.name, a.raw))
            .eq(n.attributes().map(|a| (a.name, a.raw)));
        if !same && names(b) != names(s) {
            // Old spellings: the attributes cannot be told apart.
            let end = self.new[..n.open_span().end as usize]
                .trim_end_matches('>')
                .trim_end_matches('/')
                .len();
            self.out += &self.new[n.span().start as usize..end];
            return;
        }
        self.out += &self.source[at..tag_end];
        at = tag_end;
        let mut space = " ";
        for attribute in s.attributes() {
            let (name, end) = (attribute.name, attribute.span().end as usize);
            let value_span = range(attribute.value_span.clone());
            let (old, new) = (value(b, name), value(n, name));
            space = &self.source[at..attribute.name_span.start as usize];
            match new {
                None if old.is_some() => {}
                Some(new) if old.as_ref() != Some(&new) => {
                    self.out += &self.source[at..value_span.start];
                    let encoded = encode_attribute(&new);
                    let single = self.source[value_span.end..].starts_with('\'');
                    self.out += &if single {
                        encoded.replace('\'', "&apos;")
                    } else {
                        encoded.into_owned()
                    };
                    self.out += &self.source[value_span.end..end];
                }
                _ => self.out += &self.source[at..end],
            }
            at = end;
        }
        for attribute in n.attributes() {
            if value(b, attribute.name).is_none() {
                self.out += space;
                self.out += &self.new[range(attribute.span())];
            }
        }
        let rest = &self.source[at..s.open_span().end as usize];
        self.out += rest.trim_end_matches('>').trim_end_matches('/');
    }
}

/// For each child as read, its place among the source's elements, which may have more: those that
/// mean nothing to the reader.
fn pair_with_source(before: &Content<'_, '_>, source: &Content<'_, '_>) -> Option<Vec<usize>> {
    let mut next = 0;
    let same_count = before.slots.len() == source.slots.len();
    let mut places = Vec::with_capacity(before.slots.len());
    for slot in &before.slots {
        let offset = source.slots[next..]
            .iter()
            .position(|s| same_count || s.element.name() == slot.element.name())?;
        places.push(next + offset);
        next += offset + 1;
    }
    Some(places)
}

/// The white space at the start of the line, if nothing else stands before `at`.
fn indentation(text: &str, at: usize) -> String {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    if line.trim().is_empty() {
        line.to_owned()
    } else {
        String::new()
    }
}

/// For each entry of `new` its partner in `old`, so that partners are equal, in the same order, and
/// many: the longest common subsequence, or a quick guess at it for long lists.
fn common(old: &[u64], new: &[u64]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; new.len()];
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let left = (old.len() - prefix).min(new.len() - prefix);
    let suffix = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(left)
        .take_while(|(a, b)| a == b)
        .count();
    for (i, pair) in pairs.iter_mut().enumerate().take(prefix) {
        *pair = Some(i);
    }
    for i in 0..suffix {
        pairs[new.len() - 1 - i] = Some(old.len() - 1 - i);
    }
    let (a, b) = (
        &old[prefix..old.len() - suffix],
        &new[prefix..new.len() - suffix],
    );
    if a.len().saturating_mul(b.len()) > 1 << 20 {
        let mut from = 0;
        for (j, hash) in b.iter().enumerate() {
            // Looking only a little ahead keeps this linear.
            if let Some(offset) = a[from..].iter().take(64).position(|other| other == hash) {
                pairs[prefix + j] = Some(prefix + from + offset);
                from += offset + 1;
            }
        }
        return pairs;
    }
    let width = b.len() + 1;
    let mut lengths = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = if a[i] == b[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs[prefix + j] = Some(prefix + i);
            i += 1;
            j += 1;
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
