//! The values of the keys in a failed statement, which the reference's messages seldom give.

use super::eval::{Entries, kind, text};
use super::{Assign, Node};
use crate::expr::{Datum, Slot};

/// Longer texts are cut.
const LONGEST: usize = 60;

/// Each key that the statement names, with its type and value.
pub(super) fn keys(statement: &Node, entries: &dyn Entries) -> Option<String> {
    let mut named = Vec::new();
    collect(statement, &mut named);
    let told: Vec<String> = (named.iter())
        // What is made here may be new.
        .filter(|(slot, _, made)| !made || entries.exists(*slot))
        .filter_map(|(slot, name, _)| key(*slot, name, entries))
        .collect();
    (!told.is_empty()).then(|| format!("({})", told.join(", ")))
}

/// Each key once: its slot, its name, and whether `:=` makes it.
fn collect<'n>(node: &'n Node, named: &mut Vec<(Slot, &'n str, bool)>) {
    let mut note = |slot: Slot, name: &'n str, made: bool| {
        if !named.iter().any(|(known, ..)| *known == slot) {
            named.push((slot, name, made));
        }
    };
    match node {
        Node::Constant(_) => {}
        Node::Key { slot, name } => note(*slot, name, false),
        Node::Unary(_, operand) => collect(operand, named),
        Node::Binary(_, a, b) => {
            collect(a, named);
            collect(b, named);
        }
        Node::Chain(first, rest) => {
            collect(first, named);
            rest.iter().for_each(|(_, right)| collect(right, named));
        }
        Node::Ternary(condition, yes, no) => {
            for node in [condition, yes, no] {
                collect(node, named);
            }
        }
        Node::Assign {
            slot,
            name,
            how,
            value,
        } => {
            note(*slot, name, *how == Assign::Create);
            collect(value, named);
        }
    }
}

/// Of a key that does not exist the message says so already.
fn key(slot: Slot, name: &str, entries: &dyn Entries) -> Option<String> {
    if !entries.exists(slot) {
        let near = entries.near(name)?;
        return Some(format!("for `{name}`: did you mean `{near}`?"));
    }
    Some(match (entries.get(slot), entries.type_name(slot)) {
        (Datum::None, Some(ty)) => format!("`{name}` is a {ty} without a value"),
        (Datum::None, None) => format!("`{name}` has no value"),
        (Datum::Text(value), _) => {
            let mut shown: String = value.chars().take(LONGEST).collect();
            if shown.len() < value.len() {
                shown.push_str("...");
            }
            format!("`{name}` is the text '{shown}'")
        }
        (Datum::Int(_) | Datum::Word(_), Some(ty)) if ty != "int" => {
            format!("`{name}` is the {ty} {}", text(&entries.get(slot)))
        }
        (Datum::Int(i) | Datum::Word(i), _) => format!("`{name}` is the whole number {i}"),
        (Datum::Float(f), _) => format!("`{name}` is the number {f}"),
        (Datum::Bool(b), _) => format!("`{name}` is {b}"),
        (other, ty) => {
            let ty = ty.unwrap_or_else(|| kind(&other).to_owned());
            format!("`{name}` is a {ty}")
        }
    })
}
