//! A part of a tree becomes a tree of its own.

use std::ops::Range;

use super::change::ChangeError;
use super::{Files, Owner, Symbol};
use crate::builtin::builtin;
use crate::lex::is_plain_name;
use crate::load::{Loaded, Memory, load_text};
use crate::model::{
    Attribute, Direction, KeyDecl, Literal, Name, Node, Port, Span, Tree, Value, ValueKind,
};

/// Takes a node out of the tree of a text into a new one, and leaves a use of that in its place.
///
/// A tree sees nothing of its caller but its parameters, so what the node names of the tree around
/// it is handed over: that tree's parameters as they come, its keys to be read and written, the
/// index of a loop to be read.
pub(super) fn extract(text: &str, node: &mut Node, name: &str) -> Result<Tree, ChangeError> {
    let name = name.trim();
    if !is_plain_name(name) || builtin(name).is_some() {
        return Err(ChangeError::NoName(name.to_owned()));
    }
    let loaded = load_text("", text, &Memory::default());
    let files = Files::new(&loaded);
    let named = |o: &&super::Occurrence| matches!(&o.symbol, Symbol::Tree(n) | Symbol::Node(n) if n == name);
    if files.occurrences().iter().any(|o| named(&o)) {
        return Err(ChangeError::Taken(name.to_owned()));
    }
    let params = handed_over(&files, &loaded, &node.span.range());
    let mut used = Node::new(name);
    used.attributes = params.iter().map(|param| same(&param.name)).collect();
    used.disabled = std::mem::take(&mut node.disabled);
    used.trivia.blank_before = std::mem::take(&mut node.trivia.blank_before);
    let mut tree = Tree {
        name: Name::new(name, Span::default()),
        params,
        body: vec![std::mem::replace(node, used)],
        ..Tree::default()
    };
    tree.trivia.blank_before = true;
    Ok(tree)
}

/// What a part of a tree names of that tree, each once.
fn handed_over(files: &Files<'_>, loaded: &Loaded, part: &Range<usize>) -> Vec<Port> {
    let within = |span: Span| span.start as usize >= part.start && span.end as usize <= part.end;
    let mut params: Vec<Port> = Vec::new();
    for found in files.occurrences() {
        let Symbol::Key { owner, name } = &found.symbol else {
            continue;
        };
        if !within(found.span) || params.iter().any(|param| param.name == **name) {
            continue;
        }
        match owner {
            // A use of another tree names its parameters, too.
            Owner::Tree(tree) => {
                let mut trees = loaded.documents.iter().flat_map(|d| d.trees());
                let around = trees.find(|t| t.name == **tree);
                let around = around.filter(|t| contains(&t.span.range(), part));
                params.extend(around.and_then(|tree| declared(tree, name)));
            }
            Owner::Loop(index) if !within(*index) => {
                params.push(param(Direction::In, name, Some("int")));
            }
            Owner::Loop(_) | Owner::Root => {}
        }
    }
    params
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A parameter for what a tree declares. What it does not declare is the program's own, which
/// every tree sees.
fn declared(tree: &Tree, name: &str) -> Option<Port> {
    if let Some(of) = tree.params.iter().find(|param| param.name == *name) {
        let ty = of.ty.as_ref().map(Name::as_str);
        return Some(param(of.direction, name, ty.or(known(of.default.as_ref()))));
    }
    let mut keys = tree.keys.iter().flat_map(|keys| &keys.keys);
    let KeyDecl { ty, initial, .. } = keys.find(|key| key.name == *name)?;
    let ty = ty.as_ref().map(Name::as_str);
    Some(param(
        Direction::InOut,
        name,
        ty.or(known(initial.as_ref())),
    ))
}

fn param(direction: Direction, name: &str, ty: Option<&str>) -> Port {
    Port {
        direction,
        name: Name::new(name, Span::default()),
        ty: ty.map(|ty| Name::new(ty, Span::default())),
        ..Port::default()
    }
}

/// The type that a first value tells by itself.
fn known(value: Option<&Value>) -> Option<&'static str> {
    let ValueKind::Literal(literal) = &value?.kind else {
        return None;
    };
    match literal {
        Literal::Bool(_) => Some("bool"),
        Literal::Int(_) => Some("int"),
        Literal::Float(_) => Some("float"),
        Literal::Duration(_) => Some("duration"),
        Literal::Text(_) => Some("text"),
        Literal::None | Literal::Word(_) | Literal::List(_) => None,
    }
}

/// `name: =`.
fn same(name: &Name) -> Attribute {
    let value = Value {
        kind: ValueKind::SameName,
        span: Span::default(),
    };
    Attribute::argument(name.clone(), value)
}

#[cfg(test)]
mod tests {
    use crate::ide::{Change, ChangeError, Changed, change};

    const TEXT: &str = "\
enum Mood { calm, angry }

keys {
  battery = 1.0
  target: entity
}

main tree A(in speed: float, out done: bool) {
  keys {
    rounds = 0
    mood: Mood = .calm
  }

  sequence {
    // Before all else.
    sequence \"fight\" skip if battery < 0.2 {
      check target != none && rounds < 3
      Attack(target, with: mood) // with all its might
      set { rounds += 1; done = true }
    }
    for i in 3 {
      Visit(i, speed: =)
    }
  }
}

tree Visit(in rounds: int, in speed: float) {
  Walk(rounds, speed)
}
";

    #[track_caller]
    fn extracted(from: &str, to: &str, name: &str) -> Result<Changed, ChangeError> {
        let start = TEXT.find(from).expect("it is there");
        let end = start + TEXT[start..].find(to).expect("it is there") + to.len();
        change(TEXT, start..end, &Change::Extract(name.into()))
    }

    #[test]
    fn what_a_part_names_of_its_tree_is_handed_over() {
        let done = extracted("sequence \"fight\"", "done = true }\n    }", "Fight").unwrap();
        let call = "Fight(rounds: =, mood: =, done: =)";
        assert_eq!(&done.text[done.node.clone()], call);
        let tree = "\
tree Fight(inout rounds: int, inout mood: Mood, out done: bool) {
  // Before all else.
  sequence \"fight\" skip if battery < 0.2 {
    check target != none && rounds < 3
    Attack(target, with: mood) // with all its might
    set { rounds += 1; done = true }
  }
}

tree Visit(";
        assert!(done.text.contains(tree), "{}", done.text);
    }

    #[test]
    fn the_index_of_a_loop_is_handed_over_unless_the_loop_goes_along() {
        let inside = extracted("Visit(i, speed: =)", ")", "Round").unwrap();
        assert!(
            inside.text.contains("for i in 3 { Round(i: =, speed: =) }"),
            "{}",
            inside.text
        );
        assert!(
            inside
                .text
                .contains("tree Round(in i: int, in speed: float) {\n  Visit(i, speed: =)\n}"),
            "{}",
            inside.text
        );
        let whole = extracted("for i", "}", "Rounds").unwrap();
        assert!(
            whole.text.contains("tree Rounds(in speed: float) {"),
            "{}",
            whole.text
        );
    }

    #[test]
    fn a_name_that_is_none_or_taken_is_refused() {
        let to = |name: &str| extracted("Visit(i", ")", name);
        for name in ["", "two words", "sequence", "3rd"] {
            assert_eq!(to(name), Err(ChangeError::NoName(name.into())), "{name}");
        }
        for name in ["Visit", "Attack", "A"] {
            assert_eq!(to(name), Err(ChangeError::Taken(name.into())), "{name}");
        }
    }
}
