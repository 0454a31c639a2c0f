//! What a format cannot represent of a document.

use std::collections::BTreeMap;

use tickseed_lang::builtin::builtin;
use tickseed_lang::model::{
    Comment, Dialect, Document, Item, Literal, Node, Role, Trivia, Value, ValueKind,
};

use super::input::FormatName;

/// What is lost or changes between a document and what was read back from the file written, in
/// sentences. Whether the meaning survives is the caller's to test.
pub(crate) fn losses(from: &Document, to: FormatName, back: &Document) -> Vec<String> {
    let mut losses = Vec::new();
    let (before, after) = (comments(from), comments(back));
    let lost = before.iter().filter(|text| !after.contains(text)).count();
    if lost > 0 {
        let some = if lost == 1 {
            "1 comment"
        } else {
            &format!("{lost} comments")
        };
        losses.push(match to {
            FormatName::Xml => format!("{some} changed: XML forbids `--` in comments"),
            _ => format!("{some} changed"),
        });
    }
    if to == FormatName::Xml {
        let only_here = unknown_to_btcpp(from);
        if !only_here.is_empty() {
            losses.push(format!(
                "BehaviorTree.CPP cannot run the file; Tickseed alone understands {}",
                only_here.join(", ")
            ));
        }
    }
    losses
}

/// What BehaviorTree.CPP does not know, with how often it occurs.
fn unknown_to_btcpp(document: &Document) -> Vec<String> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |what: String| *found.entry(what).or_default() += 1;
    for item in &document.items {
        match item {
            Item::Keys(keys) if !keys.keys.is_empty() => count("`keys`".to_owned()),
            Item::Enum(_) => count("`enum`".to_owned()),
            _ => {}
        }
    }
    for tree in document.trees() {
        if tree.keys.iter().any(|keys| !keys.keys.is_empty()) {
            count("`keys` of trees".to_owned());
        }
        for root in &tree.body {
            root.walk(&mut |node| of_node(node, &mut count));
        }
    }
    found
        .into_iter()
        .map(|(what, n)| {
            if n == 1 {
                what
            } else {
                format!("{what} ({n})")
            }
        })
        .collect()
}

fn of_node(node: &Node, count: &mut impl FnMut(String)) {
    if builtin(node.kind.as_str()).is_some() {
        count(format!("the node `{}`", node.kind));
        return;
    }
    for attribute in &node.attributes {
        match attribute.role {
            Role::Option if attribute.name() != "autoremap" => {
                count(format!("the option `{}`", attribute.name()));
            }
            Role::Argument if attribute.name.is_none() => count("arguments by position".to_owned()),
            Role::Argument | Role::Hook(_) if attribute.value.as_ref().is_some_and(native) => {
                count("expressions, words, durations and lists of .tick".to_owned());
            }
            _ => {}
        }
    }
}

/// Whether a value is of a sort that XML's plain text does not have.
fn native(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Code(code) => code.dialect == Dialect::Tick,
        ValueKind::Range(..) => true,
        ValueKind::Literal(literal) => {
            matches!(
                literal,
                Literal::Duration(_) | Literal::Word(_) | Literal::List(_) | Literal::None
            )
        }
        ValueKind::Key(_) | ValueKind::SameName => false,
    }
}

/// The texts of all comments.
fn comments(document: &Document) -> Vec<&str> {
    let mut all = Vec::new();
    of_trivia(&document.trivia, &mut all);
    of_list(&document.inner, &mut all);
    for item in &document.items {
        match item {
            Item::Import(import) => of_trivia(&import.trivia, &mut all),
            Item::Model(model) => {
                of_trivia(&model.trivia, &mut all);
                model
                    .ports
                    .iter()
                    .for_each(|port| of_trivia(&port.trivia, &mut all));
            }
            Item::Enum(model) => of_trivia(&model.trivia, &mut all),
            Item::Keys(keys) => of_keys(keys, &mut all),
            Item::Tree(tree) => {
                of_trivia(&tree.trivia, &mut all);
                tree.params
                    .iter()
                    .for_each(|port| of_trivia(&port.trivia, &mut all));
                tree.keys.iter().for_each(|keys| of_keys(keys, &mut all));
                for root in &tree.body {
                    root.walk(&mut |node| {
                        of_trivia(&node.trivia, &mut all);
                        of_list(&node.inner, &mut all);
                    });
                }
                of_list(&tree.inner, &mut all);
            }
        }
    }
    all
}

fn of_keys<'d>(keys: &'d tickseed_lang::model::Keys, all: &mut Vec<&'d str>) {
    of_trivia(&keys.trivia, all);
    keys.keys.iter().for_each(|key| of_trivia(&key.trivia, all));
    of_list(&keys.inner, all);
}

fn of_trivia<'d>(trivia: &'d Trivia, all: &mut Vec<&'d str>) {
    of_list(&trivia.leading, all);
    all.extend(trivia.trailing.iter().flat_map(lines));
}

fn of_list<'d>(comments: &'d [Comment], all: &mut Vec<&'d str>) {
    all.extend(comments.iter().flat_map(lines));
}

/// Lines, since formats part comments of several lines differently.
fn lines(comment: &Comment) -> impl Iterator<Item = &str> {
    let lines = comment.text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty())
}
