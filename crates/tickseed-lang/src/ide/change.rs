//! Changes of a tree at one of its nodes, as one makes them in a picture of it.

use std::fmt;
use std::ops::Range;

use super::extract::extract;
use crate::builtin::builtin;
use crate::fmt::format;
use crate::model::{Attribute, Document, FileId, Form, Item, Name, Node, Role, Span};
use crate::tick::{self, Parsed};

/// What is done to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It changes places with the node before it.
    Earlier,
    /// It changes places with the node behind it.
    Later,
    /// It goes, and all that stands in it.
    Remove,
    /// A copy of it stands behind it.
    Duplicate,
    /// Its branch is switched off: `off` stands before it.
    Off,
    /// It gets this name, or none if that is empty.
    Rename(String),
    /// It stands in this node, which is written without its children: `retry 3`.
    Wrap(String),
    /// Its only child takes its place.
    Unwrap,
    /// This node stands behind it.
    Follow(String),
    /// It is a node of this kind, written without its children: `selector reactive`. Its name,
    /// children, guards and hooks stay.
    Become(String),
    /// It stands in a tree of its own, of this name, and that is used in its place.
    Extract(String),
}

/// A text that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// All of it, laid out as [`fmt::format`](crate::fmt::format()) does.
    pub text: String,
    /// Where in it the node stands that the change is about; after a removal, the one that is
    /// nearest to where it stood.
    pub node: Range<usize>,
}

/// Why a change cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeError {
    /// The text has mistakes: what would be written anew may be lost.
    Broken,
    /// No node takes up just this part of the text.
    NoNode,
    /// It is the first of its siblings.
    First,
    /// It is the last of its siblings.
    Last,
    /// A tree is one node: it has no siblings, and cannot be done without.
    Root,
    /// It has so many children: one is unwrapped.
    NotOneChild(usize),
    /// What should be put there is no node.
    NoSuchNode(String),
    /// The place does not take it.
    NoRoom,
    /// What its children are is said by its kind: cases, options, two branches.
    OwnChildren(String),
    /// A name that a tree cannot have.
    NoName(String),
    /// Something has this name already.
    Taken(String),
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangeError::Broken => f.write_str("the text has mistakes: mend them first"),
            ChangeError::NoNode => f.write_str("no node of the text is meant"),
            ChangeError::First => f.write_str("nothing stands before it"),
            ChangeError::Last => f.write_str("nothing stands behind it"),
            ChangeError::Root => f.write_str(
                "it is the tree's root, and a tree is one node: put it into a `sequence` or \
                 `selector` first",
            ),
            ChangeError::NotOneChild(0) => f.write_str("it has no child to take its place"),
            ChangeError::NotOneChild(n) => {
                write!(f, "it has {n} children, and only one can take its place")
            }
            ChangeError::NoSuchNode(text) => {
                // It may be anything that somebody had on a clipboard.
                let line = text.trim().lines().next().unwrap_or_default();
                let begin: String = line.chars().take(40).collect();
                let rest = if begin.len() < text.trim().len() {
                    " …"
                } else {
                    ""
                };
                write!(f, "`{begin}{rest}` is no node that is complete")
            }
            ChangeError::NoRoom => f.write_str("no more nodes fit in there"),
            ChangeError::OwnChildren(kind) => {
                write!(f, "what stands in it does not fit into `{kind}`")
            }
            ChangeError::NoName(name) => write!(
                f,
                "`{name}` is no name for a tree: expected a letter, then letters, digits or `_`"
            ),
            ChangeError::Taken(name) => write!(f, "`{name}` exists already"),
        }
    }
}

impl std::error::Error for ChangeError {}

/// Changes a `.tick` text at the node that takes up `at`, as [`Node::span`] says. Comments stay
/// with the nodes they stand at. Whether the changed text means anything is for the checks to say.
///
/// ```
/// use tickseed_lang::ide::{Change, change};
/// let text = "tree A {\n  sequence {\n    Walk // slowly\n    Wait\n  }\n}\n";
/// let walk = text.find("Walk").unwrap();
/// let changed = change(text, walk..walk + 4, &Change::Wrap("retry 3".into())).unwrap();
/// assert!(changed.text.contains("    retry 3 {\n      Walk // slowly\n    }\n    Wait\n"));
/// ```
///
/// # Errors
/// The text has mistakes, no node is meant, or the change does not fit it.
pub fn change(text: &str, at: Range<usize>, change: &Change) -> Result<Changed, ChangeError> {
    let mut document = read(text).ok_or(ChangeError::Broken)?;
    let mut place = Place::of(&document, &at).ok_or(ChangeError::NoNode)?;
    match change {
        Change::Earlier => {
            place.climb(&document);
            let (nodes, i) = place.siblings(&mut document)?;
            let before = i.checked_sub(1).ok_or(ChangeError::First)?;
            // Weighing comes first in what is weighed.
            if nodes[before].kind == "consider" {
                return Err(ChangeError::First);
            }
            nodes.swap(before, i);
            place.step(before);
        }
        Change::Later => {
            place.climb(&document);
            let (nodes, i) = place.siblings(&mut document)?;
            if i + 1 == nodes.len() {
                return Err(ChangeError::Last);
            }
            nodes.swap(i, i + 1);
            place.step(i + 1);
        }
        Change::Remove => {
            place.climb(&document);
            let (nodes, i) = place.siblings(&mut document)?;
            nodes.remove(i);
            match nodes.len() {
                0 => place.up(),
                left => place.step(i.min(left - 1)),
            }
        }
        Change::Duplicate => {
            place.climb(&document);
            let (nodes, i) = place.siblings(&mut document)?;
            let copy = nodes[i].clone();
            nodes.insert(i + 1, copy);
            place.step(i + 1);
        }
        Change::Follow(text) => {
            let next = one(text).ok_or_else(|| ChangeError::NoSuchNode(text.clone()))?;
            let (nodes, i) = place.siblings(&mut document)?;
            nodes.insert(i + 1, next);
            place.step(i + 1);
        }
        Change::Off => {
            place.climb(&document);
            let node = place.node(&mut document);
            node.disabled = !node.disabled;
        }
        Change::Rename(name) => {
            let name = name.trim();
            place.node(&mut document).name =
                (!name.is_empty()).then(|| Name::new(name, Span::default()));
        }
        Change::Wrap(text) => {
            let mut around = one(&format!("{text} {{ success }}"))
                .filter(|node| node.children.len() == 1)
                .ok_or_else(|| ChangeError::NoSuchNode(text.clone()))?;
            let node = place.node(&mut document);
            // What stands above a node stands above all of it.
            around.trivia.blank_before = std::mem::take(&mut node.trivia.blank_before);
            around.trivia.leading = std::mem::take(&mut node.trivia.leading);
            around.children[0] = std::mem::take(node);
            *node = around;
        }
        Change::Unwrap => {
            let node = place.node(&mut document);
            if node.children.len() != 1 {
                return Err(ChangeError::NotOneChild(node.children.len()));
            }
            let mut around = std::mem::take(node);
            let mut child = around.children.remove(0);
            child.trivia.blank_before = around.trivia.blank_before;
            child.trivia.leading.splice(0..0, around.trivia.leading);
            child.trivia.leading.extend(around.inner);
            *node = child;
        }
        Change::Become(text) => {
            let node = place.node(&mut document);
            let empty = node.children.is_empty();
            let sample = if empty {
                one(text)
            } else {
                one(&format!("{text} {{ success }}")).filter(|node| node.children.len() == 1)
            };
            let other = sample.ok_or_else(|| ChangeError::NoSuchNode(text.clone()))?;
            let kind = other.kind.to_string();
            let stray = |child: &Node| builtin(child.kind.as_str()).and_then(|spec| spec.inside);
            let mut stray = node.children.iter().filter_map(stray);
            if !stray.all(|inside| inside.contains(&kind.as_str())) {
                return Err(ChangeError::OwnChildren(kind));
            }
            become_another(node, other);
            return written(&document, &mut place).map_err(|e| match e {
                ChangeError::NoRoom => ChangeError::OwnChildren(kind),
                e => e,
            });
        }
        Change::Extract(name) => {
            let tree = extract(text, place.node(&mut document), name)?;
            document.items.insert(place.item + 1, Item::Tree(tree));
        }
    }
    written(&document, &mut place)
}

/// What is said of the node itself is said of the other one; what stands in it, at it and around
/// it stays.
fn become_another(node: &mut Node, other: Node) {
    node.kind = other.kind;
    node.form = other.form;
    node.name = other.name.or(node.name.take());
    let kept = std::mem::replace(&mut node.attributes, other.attributes);
    let stays = |a: &Attribute| a.is_hook() || a.role == Role::Metadata;
    node.attributes.extend(kept.into_iter().filter(stays));
}

/// A branch of a text that is switched off: no tree that runs has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchedOff {
    /// The name of its topmost node, or else its kind; of an option or a case, that of its node.
    pub label: String,
    /// Where it stands.
    pub node: Range<usize>,
}

/// The branches of a text that are switched off, as far as they stand in none that is.
#[must_use]
pub fn switched_off(text: &str) -> Vec<SwitchedOff> {
    fn look(nodes: &[Node], found: &mut Vec<SwitchedOff>) {
        for node in nodes {
            if node.disabled {
                let named = chosen(node).unwrap_or(node);
                let label = named.name.as_ref().unwrap_or(&named.kind);
                found.push(SwitchedOff {
                    label: label.to_string(),
                    node: node.span.range(),
                });
            } else {
                look(&node.children, found);
            }
        }
    }
    let mut found = Vec::new();
    for tree in tick::parse_text(text, FileId(0)).document.trees() {
        look(&tree.body, &mut found);
    }
    found
}

/// The changed text. It is read again: the formatter writes what it is given, be it possible or not.
fn written(document: &Document, place: &mut Place) -> Result<Changed, ChangeError> {
    let text = format(document);
    let mut again = read(&text)
        .filter(|again| again.same_meaning(document))
        .ok_or(ChangeError::NoRoom)?;
    let node = place.node(&mut again).span.range();
    Ok(Changed { text, node })
}

/// A text without mistakes.
fn read(text: &str) -> Option<Document> {
    let parsed = tick::parse_text(text, FileId(0));
    Parsed::is_ok(&parsed).then_some(parsed.document)
}

/// The one node that a text is.
fn one(text: &str) -> Option<Node> {
    let document = read(&format!("tree A {{\n{text}\n}}\n"))?;
    match document.items.as_slice() {
        [Item::Tree(tree)] if tree.body.len() == 1 => tree.body.first().cloned(),
        _ => None,
    }
}

/// Where a node stands: the number of its item, then of the node among its siblings on each level.
struct Place {
    item: usize,
    path: Vec<usize>,
}

impl Place {
    fn of(document: &Document, at: &Range<usize>) -> Option<Place> {
        document.items.iter().enumerate().find_map(|(item, found)| {
            let Item::Tree(tree) = found else { return None };
            let mut path = Vec::new();
            find(&tree.body, at, &mut path).then_some(Place { item, path })
        })
    }

    /// A node that is all of an option or a case is moved with what says when it is chosen.
    fn climb(&mut self, document: &Document) {
        let [up @ .., _] = self.path.as_slice() else {
            return;
        };
        let Item::Tree(tree) = &document.items[self.item] else {
            return;
        };
        let mut nodes = &tree.body;
        let mut parent = None;
        for &i in up {
            parent = Some(&nodes[i]);
            nodes = &nodes[i].children;
        }
        if parent.and_then(chosen).is_some() {
            self.path.pop();
        }
    }

    /// The node and its siblings, and which of them it is.
    fn siblings<'d>(
        &self,
        document: &'d mut Document,
    ) -> Result<(&'d mut Vec<Node>, usize), ChangeError> {
        match self.path.as_slice() {
            [] | [_] => Err(ChangeError::Root),
            [up @ .., last] => Ok((&mut self.at(document, up).children, *last)),
        }
    }

    fn node<'d>(&self, document: &'d mut Document) -> &'d mut Node {
        self.at(document, &self.path)
    }

    fn at<'d>(&self, document: &'d mut Document, path: &[usize]) -> &'d mut Node {
        let Item::Tree(tree) = &mut document.items[self.item] else {
            unreachable!("a place is in a tree");
        };
        let (first, rest) = path.split_first().expect("a place is a node");
        rest.iter()
            .fold(&mut tree.body[*first], |node, i| &mut node.children[*i])
    }

    /// To a sibling.
    fn step(&mut self, to: usize) {
        if let Some(last) = self.path.last_mut() {
            *last = to;
        }
    }

    /// To the parent.
    fn up(&mut self) {
        self.path.pop();
    }
}

/// The one node that an option or a case is there for.
fn chosen(part: &Node) -> Option<&Node> {
    let is_part = ["option", "case", "default"].contains(&part.kind.as_str());
    let mut nodes = part.children.iter().filter(|n| n.kind != "consider");
    let node = nodes
        .next()
        .filter(|_| is_part && part.form == Form::Compact);
    node.filter(|_| nodes.next().is_none())
}

fn find(nodes: &[Node], at: &Range<usize>, path: &mut Vec<usize>) -> bool {
    for (i, node) in nodes.iter().enumerate() {
        path.push(i);
        if node.span.range() == *at || find(&node.children, at, path) {
            return true;
        }
        path.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//! About the file.

main tree A {
  // First of all.
  selector reactive {
    sequence \"low\" {
      check battery < 0.2

      // Why it stands here.
      Recharge // at the dock
    }
    retry 3 { Walk(to: home) }
    Patrol
  }
}
";

    /// The text with a change at the node that begins with this.
    #[track_caller]
    fn changed(text: &str, node: &str, what: Change) -> Result<Changed, ChangeError> {
        let start = text.find(node).expect("the node is there");
        let document = read(text).expect("no mistakes");
        let mut end = None;
        for tree in document.trees() {
            tree.body[0].walk(&mut |n| {
                if n.span.start as usize == start {
                    end = end.or(Some(n.span.end as usize));
                }
            });
        }
        change(text, start..end.expect("a node begins there"), &what)
    }

    #[track_caller]
    fn becomes(node: &str, what: Change, wanted: &str, chosen: &str) {
        let done = changed(TEXT, node, what).unwrap();
        assert!(done.text.contains(wanted), "{}", done.text);
        assert!(done.text[done.node.clone()].starts_with(chosen), "{done:?}");
        assert_eq!(format(&read(&done.text).unwrap()), done.text);
        for comment in [
            "About the file",
            "First of all",
            "Why it stands",
            "at the dock",
        ] {
            assert!(
                done.text.contains(comment),
                "{comment} is lost: {}",
                done.text
            );
        }
    }

    #[test]
    fn nodes_are_moved_among_their_siblings() {
        becomes(
            "Patrol",
            Change::Earlier,
            "    Patrol\n    retry 3",
            "Patrol",
        );
        becomes(
            "sequence",
            Change::Later,
            "{ Walk(to: home) }\n    sequence",
            "sequence",
        );
        assert_eq!(
            changed(TEXT, "sequence", Change::Earlier),
            Err(ChangeError::First)
        );
        assert_eq!(
            changed(TEXT, "Patrol", Change::Later),
            Err(ChangeError::Last)
        );
        assert_eq!(
            changed(TEXT, "selector", Change::Later),
            Err(ChangeError::Root)
        );
        assert_eq!(changed(TEXT, "Walk", Change::Later), Err(ChangeError::Last));
    }

    #[test]
    fn nodes_come_and_go() {
        becomes(
            "Patrol",
            Change::Duplicate,
            "    Patrol\n    Patrol\n",
            "Patrol",
        );
        becomes(
            "Patrol",
            Change::Remove,
            "{ Walk(to: home) }\n  }\n",
            "retry 3",
        );
        becomes(
            "retry",
            Change::Follow("wait 2s".into()),
            "}\n    wait 2s\n",
            "wait 2s",
        );
        becomes("retry", Change::Off, "    off retry 3 {", "off retry 3");
        becomes(
            "Patrol",
            Change::Rename("round".into()),
            "    Patrol \"round\"\n",
            "Patrol",
        );
        becomes(
            "sequence",
            Change::Rename(" ".into()),
            "    sequence {\n",
            "sequence",
        );
        let two = changed(TEXT, "Patrol", Change::Follow("A; B".into()));
        assert_eq!(two, Err(ChangeError::NoSuchNode("A; B".into())));
        assert_eq!(
            changed(TEXT, "selector", Change::Remove),
            Err(ChangeError::Root)
        );
    }

    #[test]
    fn nodes_are_wrapped_and_unwrapped() {
        becomes(
            "Patrol",
            Change::Wrap("timeout 5s".into()),
            "    timeout 5s { Patrol }\n",
            "timeout",
        );
        becomes(
            "selector",
            Change::Wrap("sequence".into()),
            "  // First of all.\n  sequence {\n",
            "sequence",
        );
        becomes(
            "retry",
            Change::Unwrap,
            "    Walk(to: home)\n    Patrol",
            "Walk",
        );
        assert_eq!(
            changed(TEXT, "sequence", Change::Unwrap),
            Err(ChangeError::NotOneChild(2))
        );
        let bad = changed(TEXT, "Patrol", Change::Wrap("retry 3 {".into()));
        assert!(bad.is_err(), "{bad:?}");
    }

    /// Whatever else is said of a node stays when its kind changes.
    #[test]
    fn nodes_become_others_and_keep_their_children() {
        becomes(
            "selector",
            Change::Become("sequence".into()),
            "  // First of all.\n  sequence {\n    sequence \"low\" {\n",
            "sequence {",
        );
        becomes(
            "sequence",
            Change::Become("selector reactive".into()),
            "    selector \"low\" reactive {\n      check battery < 0.2\n",
            "selector \"low\"",
        );
        becomes(
            "retry",
            Change::Become("timeout 5s".into()),
            "    timeout 5s { Walk(to: home) }\n",
            "timeout",
        );
        becomes(
            "Walk",
            Change::Become("wait 2s".into()),
            "    retry 3 { wait 2s }\n",
            "wait",
        );
        let text = "tree A {\n  off sequence \"x\" memory skip if a > 1 on done b = 2 { C }\n}\n";
        let done = changed(text, "off", Change::Become("retry 2 drain(5)".into())).unwrap();
        let wanted = "off retry 2 \"x\" drain(5) skip if a > 1 on done b = 2";
        let wanted_too = "off retry \"x\" 2 drain(5) skip if a > 1 on done b = 2";
        assert!(
            done.text.contains(wanted) || done.text.contains(wanted_too),
            "{}",
            done.text
        );
    }

    #[test]
    fn a_kind_that_has_no_place_for_the_children_is_refused() {
        let text = "tree A {\n  switch x {\n    case 1 { B }\n    default { C }\n  }\n}\n";
        assert_eq!(
            changed(text, "switch", Change::Become("sequence".into())),
            Err(ChangeError::OwnChildren("sequence".into()))
        );
        let two = changed(TEXT, "sequence", Change::Become("nothing {".into()));
        assert_eq!(two, Err(ChangeError::NoSuchNode("nothing {".into())));
    }

    #[test]
    fn branches_that_are_off_are_found_and_switched_on_again() {
        let off = changed(TEXT, "retry", Change::Off).unwrap();
        let found = switched_off(&off.text);
        assert_eq!(found.len(), 1);
        assert_eq!((&*found[0].label, &found[0].node), ("retry", &off.node));
        let on = change(&off.text, off.node, &Change::Off).unwrap();
        assert_eq!(on.text, TEXT);
        assert!(switched_off(&on.text).is_empty());
    }

    /// An option's node is the option, wherever that goes.
    #[test]
    fn options_and_cases_move_as_a_whole() {
        let text = "tree A {\n  utility {\n    option weight(2) {\n      consider hunger\n      Eat\n    }\n    option { Sleep }\n  }\n}\n";
        let done = changed(text, "Eat", Change::Later).unwrap();
        assert!(
            done.text.contains("{ Sleep }\n    option weight(2)"),
            "{}",
            done.text
        );
        let off = changed(text, "Eat", Change::Off).unwrap();
        assert!(off.text.contains("off option weight(2)"), "{}", off.text);
        assert_eq!(switched_off(&off.text)[0].label, "Eat");
        assert_eq!(
            change(&off.text, off.node, &Change::Off).unwrap().text,
            text
        );
        let done = changed(text, "Sleep", Change::Duplicate).unwrap();
        assert_eq!(
            done.text.matches("option { Sleep }").count(),
            2,
            "{}",
            done.text
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let text = "tree A {\n  if x > 1 {\n    B\n  } else {\n    C\n  }\n}\n";
        assert_eq!(
            changed(text, "B", Change::Duplicate),
            Err(ChangeError::NoRoom)
        );
        assert_eq!(
            change("tree A {", 0..1, &Change::Off),
            Err(ChangeError::Broken)
        );
        assert_eq!(change(TEXT, 0..1, &Change::Off), Err(ChangeError::NoNode));
    }
}
